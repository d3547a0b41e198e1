/* SPDX-License-Identifier: MIT */
/* Stiffness, mass and momentum leak of a model's tets, from what its reduced matrices and its modes keep of them. */
#include <math.h>
#include <string.h>

#include "author/fullspace/fullspace.h"
#include "author/modes/modes.h"

/* Of totals that are sums of the same numbers. */
#define ROUNDING 1e-9

/* What the modes may miss the constraint by, as a part of what they could. Shares of filled tets that are known by
 * cluster only leave 2e-3. */
#define LEAK_TOLERANCE 4e-3

typedef struct recovery {
    const sn_model *model;
    const char *name;
    sn_tet_mesh mesh;
    double *gradients, *volumes; /* (tet_count x 4 x 3), (tet_count) */
    double *mu, *mass, *leak, *rig_weights;
} recovery;

static sn_result allocate(recovery *r, sn_arena *arena, sn_arena *scratch)
{
    const sn_model_counts *c = &r->model->counts;
    const size_t n = (size_t)c->vertex_count, tets = (size_t)c->tet_count;
    r->mesh = (sn_tet_mesh){.vertex_count = c->vertex_count, .tet_count = c->tet_count};
    const bool is_ok =
        (r->mesh.positions = SN_NEW(arena, double, 3 * n)) && (r->mesh.tets = SN_NEW(arena, int32_t, 4 * tets)) &&
        (r->mu = SN_NEW(arena, double, tets)) && (r->mass = SN_NEW(arena, double, n)) &&
        (r->leak = SN_NEW(arena, double, n)) && (r->rig_weights = SN_NEW(arena, double, n *(size_t)c->bone_count)) &&
        (r->gradients = SN_NEW(scratch, double, 12 * tets)) && (r->volumes = SN_NEW(scratch, double, tets));
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result widen(recovery *r)
{
    const sn_model *m = r->model;
    const size_t n = (size_t)m->counts.vertex_count;
    for (size_t i = 0; i < 3 * n; ++i) {
        r->mesh.positions[i] = (double)m->rest_positions[i];
    }
    for (size_t i = 0; i < n * (size_t)m->counts.bone_count; ++i) {
        r->rig_weights[i] = (double)m->rig_weights[i];
    }
    memcpy(r->mesh.tets, m->tets, 4 * (size_t)m->counts.tet_count * sizeof(int32_t));
    sn_tet_gradients(&r->mesh, r->gradients, r->volumes);
    for (int t = 0; t < r->mesh.tet_count; ++t) {
        if (!(r->volumes[t] > 0)) {
            return sn_fail(SN_ERROR_NUMERIC, "%s: tet %d has no volume in the model's precision", r->name, t);
        }
    }
    return SN_OK;
}

/* S_J of a cluster takes the rest's rig to sum mu V 1. */
static double cluster_stiffness(const sn_model *model, size_t cluster)
{
    const size_t columns = 4 * (size_t)model->counts.bone_count;
    double sum = 0;
    for (size_t k = 0; k < 3; ++k) {
        const double *row = model->cluster_bone + (3 * cluster + k) * columns;
        for (size_t column = k; column < columns; column += 4) {
            sum += row[column] / 3;
        }
    }
    return sum;
}

static sn_result recover_stiffness(recovery *r)
{
    const sn_model *m = r->model;
    sn_arena scratch = {0};
    double *volumes = SN_NEW(&scratch, double, m->counts.cluster_count);
    for (int t = 0; volumes && t < r->mesh.tet_count; ++t) {
        volumes[m->tet_clusters[t]] += r->volumes[t];
    }
    for (int t = 0; volumes && t < r->mesh.tet_count; ++t) {
        const int32_t cluster = m->tet_clusters[t];
        r->mu[t] = fmax(0, cluster_stiffness(m, (size_t)cluster) / volumes[cluster]);
    }
    sn_arena_finish(&scratch);
    return volumes ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result recover_mass(recovery *r)
{
    const sn_model *m = r->model;
    const double as_stiffness = m->density / m->young;
    const bool is_alike = fabs(m->total_mass - as_stiffness * m->total_stiffness) <= ROUNDING * m->total_mass;
    sn_arena scratch = {0};
    double *density = SN_NEW(&scratch, double, r->mesh.tet_count), volume = 0;
    for (int t = 0; t < r->mesh.tet_count; ++t) {
        volume += r->volumes[t];
    }
    for (int t = 0; density && t < r->mesh.tet_count; ++t) {
        density[t] = is_alike ? as_stiffness * r->mu[t] : m->total_mass / volume;
    }
    if (density) {
        sn_tet_lumped_mass(&r->mesh, r->volumes, density, r->mass);
    }
    sn_arena_finish(&scratch);
    return density ? SN_OK : SN_ERROR_MEMORY;
}

/* Mode by mode and for x, y, z and 1, what a mode has of the momentum that counts: with D_auto, with D = 1, at most. */
typedef struct moments {
    double leaked, whole, most;
} moments;

static moments sum_moments(const recovery *r, size_t mode, size_t k)
{
    const size_t modes = (size_t)r->model->counts.mode_count;
    moments sum = {0};
    for (size_t v = 0; v < (size_t)r->mesh.vertex_count; ++v) {
        const double x = k < 3 ? r->mesh.positions[3 * v + k] : 1;
        const double moment = r->mass[v] * x * (double)r->model->mode_weights[v * modes + mode];
        sum.leaked += r->leak[v] * moment;
        sum.whole += moment;
        sum.most += fabs(moment);
    }
    return sum;
}

/* The least squares of a whole + (1 - a) leaked over all modes. Where D_auto and 1 say the same, a is 1. */
static void fit_leak(recovery *r)
{
    double slope2 = 0, descent = 0, residual2 = 0, most2 = 0;
    for (size_t i = 0; i < 4 * (size_t)r->model->counts.mode_count; ++i) {
        const moments sum = sum_moments(r, i / 4, i % 4);
        const double slope = sum.whole - sum.leaked;
        slope2 += slope * slope;
        descent -= slope * sum.leaked;
        residual2 += sum.leaked * sum.leaked;
        most2 += sum.most * sum.most;
    }
    const double whole = slope2 > ROUNDING * most2 ? fmin(fmax(descent / slope2, 0), 1) : 1;
    residual2 += whole * (whole * slope2 - 2 * descent);
    if (residual2 > LEAK_TOLERANCE * LEAK_TOLERANCE * most2) {
        sn_log(SN_LOG_WARNING, "%s: leak and density are not in the model, and a guess fits its modes to %.2g only",
               r->name, sqrt(residual2 / most2));
    }
    for (int v = 0; v < r->mesh.vertex_count; ++v) {
        r->leak[v] = whole + (1 - whole) * r->leak[v];
    }
}

static sn_result recover_leak(recovery *r, sn_arena *scratch)
{
    const size_t n = (size_t)r->mesh.vertex_count;
    double *mass = SN_NEW(scratch, double, n);
    if (!mass) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < n; ++v) {
        mass[v] = r->mass[v] / r->model->density; /* as the cook diffuses */
    }
    const sn_result result = sn_momentum_leak(&r->mesh, r->gradients, r->volumes, mass, scratch, r->leak);
    if (result == SN_OK) {
        fit_leak(r);
    }
    return result;
}

sn_result sn_fullspace_input_from_model(const sn_model *model, const char *name, sn_arena *arena,
                                        sn_fullspace_input *input)
{
    recovery r = {.model = model, .name = name};
    sn_arena scratch = {0};
    sn_result result = allocate(&r, arena, &scratch);
    if (result == SN_OK) {
        result = widen(&r);
    }
    if (result == SN_OK) {
        result = recover_stiffness(&r);
    }
    if (result == SN_OK) {
        result = recover_mass(&r);
    }
    if (result == SN_OK) {
        result = recover_leak(&r, &scratch);
    }
    sn_arena_finish(&scratch);
    *input = (sn_fullspace_input){.name = name,
                                  .mesh = r.mesh,
                                  .tet_mu = r.mu,
                                  .mass = r.mass,
                                  .leak = r.leak,
                                  .rig_weights = r.rig_weights,
                                  .bone_count = model->counts.bone_count,
                                  .clusters = model->tet_clusters,
                                  .cluster_count = model->counts.cluster_count};
    return result;
}
