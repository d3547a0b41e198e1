/* SPDX-License-Identifier: MIT */
#include "author/modes/reduced/force_dual_modes.h"

#include <math.h>
#include <string.h>

#include "author/modes/constraint/bone_groups.h"
#include "author/modes/reduced/added_modes.h"
#include "host/math/vec3.h"

#define MAX_BONE_LOADS 96     /* groups of bones with loads of their own */
#define LOADS_PER_BONE 4      /* translation and the three axes of position */
#define DYNAMIC_FACTOR 0.5    /* norm of the second Krylov vector relative to the first */
#define NORM_EXPONENT 0.5     /* of a response's norm that its importance keeps: 0 is equal, 1 proportional */
#define PATCH_COUNT 24        /* of the surface, as loads of contacts */
#define PATCH_IMPORTANCE 0.15 /* relative to the mean importance of a bone's load */
#define MIN_NORM 1e-9         /* of a load, relative to the largest; below is rounding */

typedef struct force_dual {
    const sn_force_dual_input *in;
    const sn_mode_problem *problem;
    size_t size, group_count, column_count;
    int32_t *groups;  /* (bone_count) group of each bone, or -1 */
    double *moments;  /* (group_count x 5) mass, mass times origin, mass times squared distance from the origin */
    double *values;   /* (size x 2 column_count) loads, then responses: first and second Krylov vectors */
    double *response; /* (column_count) norm of the first response */
} force_dual;

/* ---- loads of bones ---- */

static sn_result group_bones(force_dual *f, sn_arena *scratch)
{
    const sn_force_dual_input *in = f->in;
    const size_t n = (size_t)in->mesh->vertex_count;
    double *mass = SN_NEW(scratch, double, n);
    int count = 0;
    f->groups = SN_NEW(scratch, int32_t, in->bone_count);
    if (!mass || !f->groups) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < n; ++v) {
        mass[v] = in->is_anchored[v] ? 0 : in->mass[v];
    }
    const sn_result result =
        sn_bone_groups_build((int)n, in->bone_count, mass, in->rig_weights, MAX_BONE_LOADS, f->groups, &count);
    f->group_count = (size_t)count;
    f->column_count = LOADS_PER_BONE * f->group_count + PATCH_COUNT;
    f->moments = SN_NEW(scratch, double, 5 * f->group_count);
    f->values = SN_NEW(scratch, double, 2 * f->size * f->column_count);
    f->response = SN_NEW(scratch, double, f->column_count);
    return result == SN_OK && (!f->moments || !f->values || !f->response) ? SN_ERROR_MEMORY : result;
}

/* The origin of a group is the mean of its bones' origins, by mass. */
static void measure_groups(force_dual *f)
{
    const sn_force_dual_input *in = f->in;
    const sn_mode_unknowns *u = &f->problem->unknowns;
    const size_t bones = (size_t)in->bone_count;
    for (size_t i = 0; i < f->size * bones; ++i) {
        const size_t v = (size_t)u->vertices[i / bones];
        const double mass = u->mass[i / bones] * in->rig_weights[v * bones + i % bones];
        double *m = f->groups[i % bones] >= 0 ? f->moments + 5 * (size_t)f->groups[i % bones] : NULL;
        for (size_t d = 0; m && d < 4; ++d) {
            m[d] += mass * (d == 0 ? 1 : in->bone_origins[3 * (i % bones) + d - 1]);
        }
    }
    for (size_t i = 0; i < 5 * f->group_count; ++i) {
        f->moments[i] /= i % 5 > 0 && i % 5 < 4 && f->moments[i - i % 5] > 0 ? f->moments[i - i % 5] : 1;
    }
    for (size_t i = 0; i < f->size * bones; ++i) {
        const size_t v = (size_t)u->vertices[i / bones];
        double *m = f->groups[i % bones] >= 0 ? f->moments + 5 * (size_t)f->groups[i % bones] : NULL;
        if (m) {
            const double distance = sn_distance3(in->mesh->positions + 3 * v, m + 1);
            m[4] += u->mass[i / bones] * in->rig_weights[v * bones + i % bones] * distance * distance;
        }
    }
}

/* M^1/2 [g, g (x - origin) / radius] of each group. */
static void fill_bone_loads(force_dual *f)
{
    const sn_force_dual_input *in = f->in;
    const sn_mode_unknowns *u = &f->problem->unknowns;
    const size_t bones = (size_t)in->bone_count;
    for (size_t i = 0; i < f->size * bones; ++i) {
        const size_t row = i / bones, v = (size_t)u->vertices[row];
        const double weight = in->rig_weights[v * bones + i % bones];
        if (weight == 0 || f->groups[i % bones] < 0) {
            continue;
        }
        const size_t group = (size_t)f->groups[i % bones];
        const double *m = f->moments + 5 * group;
        const double radius = m[4] > 0 ? sqrt(m[4] / m[0]) : 1, load = sqrt(u->mass[row]) * weight;
        for (size_t k = 0; k < LOADS_PER_BONE; ++k) {
            f->values[(LOADS_PER_BONE * group + k) * f->size + row] +=
                load * (k == 0 ? 1 : (in->mesh->positions[3 * v + k - 1] - m[k]) / radius);
        }
    }
}

/* ---- loads of patches ---- */

/* Patches are the regions of farthest points: each free vertex belongs to its nearest point. A patch's load is a force
 * on its vertices, as large as their mass to the power 2/3, which approximates their area. */
static void fill_patch_loads(force_dual *f, double *distances, int32_t *patches)
{
    const sn_mode_unknowns *u = &f->problem->unknowns;
    const double *positions = f->in->mesh->positions;
    size_t seed = 0;
    for (size_t i = 0; i < f->size; ++i) {
        distances[i] = INFINITY;
    }
    for (int32_t patch = 0; patch < PATCH_COUNT; ++patch) {
        size_t farthest = 0;
        for (size_t i = 0; i < f->size; ++i) {
            const double distance =
                sn_distance3(positions + 3 * (size_t)u->vertices[i], positions + 3 * (size_t)u->vertices[seed]);
            patches[i] = distance < distances[i] ? patch : patches[i];
            distances[i] = fmin(distance, distances[i]);
            farthest = distances[i] > distances[farthest] ? i : farthest;
        }
        seed = farthest;
    }
    for (size_t i = 0; i < f->size; ++i) {
        f->values[(LOADS_PER_BONE * f->group_count + (size_t)patches[i]) * f->size + i] = pow(u->mass[i], 1.0 / 6);
    }
}

/* ---- responses ---- */

/* Scales the responses by their importance; returns the sum of their squares. */
static double scale_responses(force_dual *f)
{
    const size_t bone_columns = LOADS_PER_BONE * f->group_count;
    double max_norm = 0, importance_sum = 0, square = 0;
    for (size_t c = 0; c < bone_columns; ++c) {
        max_norm = fmax(max_norm, f->response[c]);
    }
    for (size_t c = 0; c < bone_columns; ++c) {
        importance_sum += pow(f->response[c] / max_norm, NORM_EXPONENT);
    }
    for (size_t c = 0; c < 2 * f->column_count; ++c) {
        const size_t load = c % f->column_count;
        const double first = f->response[load],
                     importance = load < bone_columns   ? pow(first / max_norm, NORM_EXPONENT)
                                  : c < f->column_count ? PATCH_IMPORTANCE * importance_sum / (double)bone_columns
                                                        : 0;
        double *x = f->values + c * f->size;
        const double norm = sqrt(sn_dense_dot(f->size, x, x));
        const double length = norm > MIN_NORM * max_norm ? importance * (c < f->column_count ? 1 : DYNAMIC_FACTOR) : 0;
        for (size_t i = 0; i < f->size; ++i) {
            x[i] *= length > 0 ? length / norm : 0;
        }
        square += length * length;
    }
    return square;
}

/* values = K^-1 loads, and K^-1 of these, which are made orthogonal to the first. */
static sn_result solve_responses(force_dual *f, sn_arena *scratch)
{
    double *second = f->values + f->size * f->column_count;
    sn_result result = sn_modes_solve_loads(f->problem, f->in->mesh->positions, f->column_count, scratch, f->values);
    for (size_t c = 0; c < f->column_count && result == SN_OK; ++c) {
        const double *x = f->values + c * f->size;
        f->response[c] = sqrt(sn_dense_dot(f->size, x, x));
    }
    memcpy(second, f->values, f->size * f->column_count * sizeof *second);
    result = result == SN_OK
                 ? sn_modes_solve_loads(f->problem, f->in->mesh->positions, f->column_count, scratch, second)
                 : result;
    for (size_t c = 0; c < f->column_count && result == SN_OK; ++c) {
        const double *x = f->values + c * f->size;
        double *y = second + c * f->size;
        const double square = f->response[c] * f->response[c],
                     along = square > 0 ? sn_dense_dot(f->size, x, y) / square : 0;
        for (size_t i = 0; i < f->size; ++i) {
            y[i] -= along * x[i];
        }
    }
    return result;
}

static sn_result build(force_dual *f, sn_arena *scratch, sn_arena *arena, sn_modes *modes)
{
    sn_result result = group_bones(f, scratch);
    double *distances = SN_NEW(scratch, double, f->size);
    int32_t *patches = SN_NEW(scratch, int32_t, f->size);
    if (result != SN_OK || !distances || !patches) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    measure_groups(f);
    fill_bone_loads(f);
    fill_patch_loads(f, distances, patches);
    result = solve_responses(f, scratch);
    const sn_added_columns added = {.values = f->values,
                                    .count = 2 * f->column_count,
                                    .square = result == SN_OK ? scale_responses(f) : 0,
                                    .max_count = f->in->mode_count};
    return result == SN_OK ? sn_modes_add_columns(f->problem, &added, scratch, arena, modes) : result;
}

sn_result sn_modes_build_force_dual(const sn_force_dual_input *in, sn_arena *arena, sn_modes *modes)
{
    sn_arena scratch = {0};
    sn_mode_problem problem = {0};
    *modes = (sn_modes){.mode_count = 0};
    const sn_mode_elements e = {in->mesh, in->gradients, in->volumes, in->stiffness, &modes->hessian};
    const sn_constraint anchors = {.name = in->name, .rows = SN_NEW(&scratch, double, 0), .is_pinned = in->is_anchored};
    sn_result result = anchors.rows ? sn_laplacian_build(in->mesh, in->gradients, in->volumes, in->stiffness, NULL,
                                                         arena, &modes->hessian)
                                    : SN_ERROR_MEMORY;
    result = result == SN_OK ? sn_mode_problem_build(&e, in->mass, &anchors, &scratch, &problem) : result;
    if (result == SN_OK && problem.unknowns.count == 0) {
        result = sn_fail_within(SN_ERROR_ARGUMENT, "all %d vertices are anchored; no flesh is free to move",
                                in->mesh->vertex_count);
    }
    force_dual f = {.in = in, .problem = &problem, .size = problem.unknowns.count};
    result = result == SN_OK ? build(&f, &scratch, arena, modes) : result;
    if (result == SN_OK && modes->mode_count == 0) {
        result = sn_fail_within(SN_ERROR_ARGUMENT, "no bone moves the free flesh");
    }
    sn_arena_finish(&scratch);
    return result;
}
