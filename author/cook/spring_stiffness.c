/* SPDX-License-Identifier: MIT */
#include "author/cook/spring_stiffness.h"

#include <math.h>

#include "author/cook/loose.h"
#include "author/cook/stages.h"

#define MOST_FACTOR 1e5
#define ROUND_COUNT 2
#define NEAR_ENOUGH 1.5

/* What is chosen with the springs held, or loose as they are. */
static sn_result try_springs(sn_cooking *k, bool is_held, double *young)
{
    const double before = k->report.young;
    sn_result result = sn_loose_hold(k, is_held);
    result = result == SN_OK ? sn_cooking_find_modes(k) : result;
    result = result == SN_OK ? sn_cooking_cluster(k) : result;
    result = result == SN_OK ? sn_cooking_reduce(k) : result;
    result = result == SN_OK ? sn_cooking_choose(k) : result;
    *young = k->report.young;
    k->report.young = before;
    return result;
}

/* The share of every tet that springs move. */
static sn_result find_shares(sn_cooking *k, double *shares)
{
    const size_t b = (size_t)k->bone_count;
    double *of_vertices = SN_NEW(&k->arena, double, k->mesh.vertex_count);
    if (!of_vertices) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < (size_t)k->mesh.vertex_count * b; ++i) {
        of_vertices[i / b] += k->loose[i % b] == SN_LOOSE_SPRING ? k->rig_weights[i] : 0;
    }
    for (size_t i = 0; i < 4 * (size_t)k->mesh.tet_count; ++i) {
        shares[i / 4] += sn_tet_share(&k->mesh, (int)(i % 4)) * of_vertices[k->mesh.tets[i]];
    }
    return SN_OK;
}

/* Half of a spring is stiffer by the root: shares count as exponents. */
static void stiffen(sn_cooking *k, const double *shares, double factor)
{
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        const double times = pow(factor, shares[t]);
        k->spring_factors[t] *= times;
        k->tet_stiffness[t] *= times;
        k->tet_lame[t] *= times;
    }
}

static bool has_springs(const sn_cooking *k)
{
    bool has_any = false;
    for (int bone = 0; k->loose && bone < k->bone_count; ++bone) {
        has_any = has_any || k->loose[bone] == SN_LOOSE_SPRING;
    }
    return has_any;
}

sn_result sn_springs_balance(sn_cooking *k)
{
    if (!has_springs(k) || k->desc->young > 0) {
        return SN_OK;
    }
    double *shares = SN_NEW(&k->arena, double, k->mesh.tet_count), held = 1, loose = 1, factor = 1;
    k->spring_factors = SN_NEW(&k->arena, double, k->mesh.tet_count);
    sn_result result = shares && k->spring_factors ? find_shares(k, shares) : SN_ERROR_MEMORY;
    for (int t = 0; t < k->mesh.tet_count && result == SN_OK; ++t) {
        k->spring_factors[t] = 1;
    }
    result = result == SN_OK ? try_springs(k, true, &held) : result;
    for (int round = 0; round < ROUND_COUNT && result == SN_OK; ++round) {
        result = try_springs(k, false, &loose);
        if (result != SN_OK || loose < NEAR_ENOUGH * held) {
            break;
        }
        const double times = fmin(loose / held, MOST_FACTOR / factor);
        factor *= times;
        stiffen(k, shares, times);
    }
    return result;
}
