/* SPDX-License-Identifier: MIT */
/* Load-dependent Ritz vectors (Wilson, Yuan and Dickens 1982, Dynamic analysis by direct superposition of Ritz vectors)
 * of morph targets, as weights of skinning modes. A target that changes loads the flesh by the inertia of its
 * displacements e. The response is w = P M e on each axis, where P is the constrained inverse of the modes' problem
 * (modes.c). Eigenmodes of a whole body barely represent it. The part outside of their span is reduced to the principal
 * directions of all fields, and these to the stationary vectors of w^T H w by Rayleigh-Ritz. */
#include "author/modes/reduced/target_modes.h"

#include <math.h>
#include <string.h>

#include "author/modes/reduced/added_modes.h"

typedef struct responses {
    const sn_mode_problem *problem;
    size_t size, count; /* 3 per field */
    double *values;     /* (size x count) in x = M^1/2 w */
} responses;

/* M^1/2 e. */
static void gather(const sn_mode_problem *p, const double *fields, const responses *r)
{
    for (size_t i = 0; i < r->size; ++i) {
        const size_t v = (size_t)p->unknowns.vertices[i];
        const double root = sqrt(p->unknowns.mass[i]);
        for (size_t c = 0; c < r->count; ++c) {
            r->values[c * r->size + i] = root * fields[v * r->count + c];
        }
    }
}

/* Scales each field's response to a norm equal to its importance; returns the sum of the squares. */
static double scale_responses(const double *importance, const responses *r)
{
    double all = 0;
    for (size_t c = 0; c < r->count; c += 3) {
        double *columns = r->values + c * r->size;
        const double square = sn_dense_dot(3 * r->size, columns, columns), target_norm = importance[c / 3];
        for (size_t i = 0; i < 3 * r->size; ++i) {
            columns[i] *= square > 0 ? target_norm / sqrt(square) : 0;
        }
        all += square > 0 ? target_norm * target_norm : 0;
    }
    return all;
}

static sn_result add(const sn_mode_problem *p, const sn_target_modes_input *in, sn_arena *scratch, sn_arena *arena,
                     sn_modes *modes)
{
    responses r = {.problem = p, .size = p->unknowns.count, .count = 3 * (size_t)in->field_count};
    r.values = SN_NEW(scratch, double, r.size *r.count);
    if (!r.values) {
        return SN_ERROR_MEMORY;
    }
    gather(p, in->fields, &r);
    const sn_result result = sn_modes_solve_loads(p, in->mesh->positions, r.count, scratch, r.values);
    const sn_added_columns added = {.values = r.values,
                                    .count = r.count,
                                    .square = result == SN_OK ? scale_responses(in->importance, &r) : 0,
                                    .max_unexplained = SN_MAX_UNEXPLAINED,
                                    .max_count = in->max_count,
                                    .is_target = true};
    return result == SN_OK ? sn_modes_add_columns(p, &added, scratch, arena, modes) : result;
}

sn_result sn_modes_add_targets(const sn_target_modes_input *in, const sn_constraint *constraint, sn_arena *arena,
                               sn_modes *modes)
{
    const sn_mode_elements e = {.mesh = in->mesh, .volumes = in->volumes, .hessian = &modes->hessian};
    sn_arena scratch = {0};
    sn_mode_problem problem = {0};
    sn_result result = sn_mode_problem_build(&e, in->mass, constraint, &scratch, &problem);
    if (result == SN_OK && in->max_count > 0 && in->field_count > 0) {
        result = add(&problem, in, &scratch, arena, modes);
    }
    sn_arena_finish(&scratch);
    return result;
}
