/* SPDX-License-Identifier: MIT */
#include "author/cook/spring_modes.h"

#include <math.h>
#include <string.h>

#include "author/cook/loose.h"
#include "author/cook/stages.h"
#include "author/cook/targets.h"
#include "author/modes/loose_modes.h"

#define MODE_COUNT 8
#define LEAST_FACTOR 1e-2
#define MOST_FACTOR 1e5
#define STEP 4.0   /* of the factor, until one that will do is next to one that will not */
#define HALVINGS 2 /* of the step between these */
/* Of the diagonal, in a trial: a tip in any motion, as the preset has it, and all but tips in most, twice that. */
#define MOST_DISPLACEMENT 0.10
#define MOST_MOVED 0.06

typedef struct springs {
    sn_cooking *k;
    double *shares;           /* (tet_count) of a tet, what springs move */
    double *stiffness, *lame; /* (tet_count) without a factor */
} springs;

bool sn_springs_are_loose(const sn_cooking *k)
{
    bool has_any = false;
    for (int bone = 0; k->loose && bone < k->bone_count; ++bone) {
        has_any = has_any || k->loose[bone] == SN_LOOSE_SPRING;
    }
    return has_any;
}

static sn_result find_shares(springs *s)
{
    sn_cooking *k = s->k;
    const size_t b = (size_t)k->bone_count, tets = (size_t)k->mesh.tet_count;
    double *of_vertices = SN_NEW(&k->arena, double, k->mesh.vertex_count);
    s->shares = SN_NEW(&k->arena, double, tets);
    s->stiffness = SN_NEW(&k->arena, double, tets);
    s->lame = SN_NEW(&k->arena, double, tets);
    if (!of_vertices || !s->shares || !s->stiffness || !s->lame) {
        return SN_ERROR_MEMORY;
    }
    memcpy(s->stiffness, k->tet_stiffness, tets * sizeof *s->stiffness);
    memcpy(s->lame, k->tet_lame, tets * sizeof *s->lame);
    for (size_t i = 0; i < (size_t)k->mesh.vertex_count * b; ++i) {
        of_vertices[i / b] += k->loose[i % b] == SN_LOOSE_SPRING ? k->rig_weights[i] : 0;
    }
    for (size_t i = 0; i < 4 * tets; ++i) {
        s->shares[i / 4] += sn_tet_share(&k->mesh, (int)(i % 4)) * of_vertices[k->mesh.tets[i]];
    }
    return SN_OK;
}

/* Half of a spring is stiffer by the root: shares count as exponents. */
static void stiffen(const springs *s, double factor)
{
    sn_cooking *k = s->k;
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        const double times = pow(factor, s->shares[t]);
        k->tet_stiffness[t] = s->stiffness[t] * times;
        k->tet_lame[t] = s->lame[t] * times;
    }
    k->spring_factor = factor;
    k->mean_stiffness = 0;
}

static sn_result try_factor(const springs *s, double factor, bool *is_good)
{
    sn_trial_report report = {.displacement = INFINITY};
    stiffen(s, factor);
    sn_result result = sn_cooking_reduce(s->k);
    result = result == SN_OK ? sn_cooking_try(s->k, &report) : result;
    *is_good = report.displacement <= MOST_DISPLACEMENT && report.moved <= MOST_MOVED;
    return result;
}

/* The softest that will do, to a quarter of an octave or so; is_found: whether one does. */
static sn_result search(const springs *s, bool *is_found)
{
    double good = 0, bad = 0, next = 1;
    sn_result result = SN_OK;
    while (result == SN_OK && !(good > 0 && bad > 0) && next >= LEAST_FACTOR && next <= MOST_FACTOR) {
        bool is_good = false;
        result = try_factor(s, next, &is_good);
        good = is_good ? next : good;
        bad = is_good ? bad : next;
        next = is_good ? next / STEP : next * STEP;
    }
    for (int i = 0; i < HALVINGS && result == SN_OK && good > 0 && bad > 0; ++i) {
        const double middle = sqrt(good * bad);
        bool is_good = false;
        result = try_factor(s, middle, &is_good);
        good = is_good ? middle : good;
        bad = is_good ? bad : middle;
    }
    *is_found = good > 0;
    stiffen(s, *is_found ? good : 1);
    return result;
}

static sn_result add_modes(sn_cooking *k)
{
    const sn_modes held = k->modes;
    sn_result result = sn_loose_hold(k, false);
    result = result == SN_OK ? sn_cooking_find_modes(k) : result;
    const sn_modes loose = k->modes;
    const sn_loose_modes_input input = {.mesh = &k->mesh,
                                        .volumes = k->volumes,
                                        .mass = k->mass,
                                        .is_pinned = k->is_pinned,
                                        .loose = &loose,
                                        .most = MODE_COUNT};
    k->modes = held;
    return result == SN_OK ? sn_modes_add_loose(&input, &k->arena, &k->modes) : result;
}

static sn_result give_up(sn_cooking *k)
{
    sn_log(SN_LOG_WARNING, "%s: its spring bones are held: at no stiffness of theirs is its flesh calm", k->path);
    for (int bone = 0; bone < k->bone_count; ++bone) {
        k->loose[bone] = k->loose[bone] == SN_LOOSE_SPRING ? SN_LOOSE_HELD : k->loose[bone];
    }
    k->spring_factor = 0;
    return sn_loose_hold(k, true);
}

/* What is there with the springs held. */
static sn_result find_held(sn_cooking *k)
{
    sn_result result = sn_loose_hold(k, true);
    result = result == SN_OK ? sn_cooking_find_modes(k) : result;
    result = result == SN_OK ? sn_targets_add_modes(k) : result;
    if (result != SN_OK || k->desc->young > 0) {
        return result;
    }
    result = sn_cooking_cluster(k);
    result = result == SN_OK ? sn_cooking_reduce(k) : result;
    return result == SN_OK ? sn_cooking_choose(k) : result;
}

sn_result sn_springs_find_modes(sn_cooking *k)
{
    springs s = {.k = k};
    bool is_found = true;
    k->spring_factor = 1;
    sn_result result = find_held(k);
    const sn_modes held = k->modes;
    const sn_constraint constraint = k->constraint, coordinates = k->held;
    result = result == SN_OK ? add_modes(k) : result;
    if (result != SN_OK || k->desc->young > 0) {
        return result;
    }
    result = find_shares(&s);
    result = result == SN_OK ? sn_cooking_cluster(k) : result;
    result = result == SN_OK ? search(&s, &is_found) : result;
    if (result == SN_OK && !is_found) {
        k->modes = held;
        k->constraint = constraint;
        k->held = coordinates;
        result = give_up(k);
    }
    return result;
}
