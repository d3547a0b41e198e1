/* SPDX-License-Identifier: MIT */
/* Replaces a body's rig and keeps its flesh. */
#include <math.h>

#include "host/coupled/solver.h"
#include "host/math/vec3.h"

/* The row of the flesh nearest to a pivot. */
static int nearest_row(const sn_coupled_rig *rig, int handle)
{
    const double *pivot = rig->handles[handle].pivot;
    double best = INFINITY;
    int nearest = 0;
    for (int row = 0; row < rig->model->vertex_count; ++row) {
        const float *x = rig->model->rest + 4 * row;
        const double at[3] = {(double)x[0], (double)x[1], (double)x[2]}, distance = sn_distance3(at, pivot);
        nearest = distance < best ? row : nearest;
        best = fmin(best, distance);
    }
    return nearest;
}

/* Starts a new handle at the flesh's position at its pivot, with the rotation that the old rig has there. */
static void init_at_flesh(sn_coupled_body *body, const sn_coupled_body *old, int k)
{
    const sn_coupled_rig *rig = body->rig;
    const sn_coupled_blocks *b = &old->rig->blocks;
    const int row = nearest_row(rig, k), block = row / SN_BATCH;
    double linear[9] = {0}, rotation[4] = {0, 0, 0, 1}, r[9], stretch[9], position[3], shift[3];
    for (int slot = b->starts[block]; slot < b->starts[block + 1]; ++slot) {
        const double weight = (double)b->weights[SN_BATCH * slot + row % SN_BATCH];
        for (int i = 0; i < 9; ++i) {
            linear[i] += weight * old->handles[b->handles[slot]].linear[i];
        }
    }
    sn_coupled_split_linear(linear, rotation, stretch);
    sn_quaternion_to_matrix(rotation, r);
    sn_xpbd_get_position(body->flesh, row, position);
    for (int d = 0; d < 3; ++d) { /* the world transform that takes the row there */
        shift[d] = position[d];
        for (int e = 0; e < 3; ++e) {
            shift[d] -= r[3 * d + e] * ((double)rig->model->rest[4 * row + e] + rig->model->centre[e]);
        }
    }
    sn_coupled_init_handle(body, k, rotation, shift);
}

sn_result sn_coupled_body_set_rig(sn_coupled_body *body, const sn_coupled_rig *rig, const int32_t *from)
{
    SN_ASSERT(rig->model == body->rig->model);
    sn_coupled_body old = *body;
    body->rig = rig;
    body->arena = (sn_arena){0};
    const sn_result result = sn_coupled_allocate(body);
    if (result != SN_OK) {
        sn_arena_finish(&body->arena);
        *body = old;
        return result;
    }
    for (int k = 0; k < rig->handle_count; ++k) {
        SN_ASSERT(from[k] < old.rig->handle_count);
        if (from[k] >= 0) {
            body->handles[k] = old.handles[from[k]];
            body->handles[k].locks &= sn_coupled_possible_locks(rig, k);
        } else {
            init_at_flesh(body, &old, k);
        }
    }
    sn_arena_finish(&old.arena);
    sn_coupled_fit_free_handles(body);
    body->flesh->still_seconds = 0;
    return SN_OK;
}
