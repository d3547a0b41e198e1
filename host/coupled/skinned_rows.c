/* SPDX-License-Identifier: MIT */
/* Rows of the flesh and their skinned positions. */
#include <string.h>

#include "host/coupled/solver.h"
#include "host/math/vec3.h"

#define MIN_DETERMINANT 0.1 /* determinant below which an affine handle counts as inverted */

/* The linear part of a handle; an inverted affine handle is replaced by its rotation. */
static void valid_linear(const sn_coupled_handle_state *handle, double *linear)
{
    double cross[3], rotation[4];
    memcpy(linear, handle->linear, sizeof handle->linear);
    sn_cross3(linear + 3, linear + 6, cross);
    if (sn_dot3(linear, cross) < MIN_DETERMINANT) {
        memcpy(rotation, handle->rotation, sizeof rotation);
        sn_quaternion_polar(linear, rotation);
        sn_quaternion_to_matrix(rotation, linear);
    }
}

void sn_coupled_skin_row(const sn_coupled_body *body, int row, bool replaces_inverted, double *position)
{
    const sn_coupled_blocks *b = &body->rig->blocks;
    const float *x = body->rig->model->rest + 4 * row;
    position[0] = position[1] = position[2] = 0;
    for (int slot = b->starts[row / SN_BATCH]; slot < b->starts[row / SN_BATCH + 1]; ++slot) {
        const double weight = (double)b->weights[SN_BATCH * slot + row % SN_BATCH];
        const sn_coupled_handle_state *handle = &body->handles[b->handles[slot]];
        const double *pivot = body->rig->handles[b->handles[slot]].pivot;
        double valid[9];
        const double *linear = replaces_inverted ? valid : handle->linear;
        if (replaces_inverted) {
            valid_linear(handle, valid);
        }
        const double arm[3] = {(double)x[0] - pivot[0], (double)x[1] - pivot[1], (double)x[2] - pivot[2]};
        for (int d = 0; d < 3; ++d) {
            position[d] += weight * (handle->position[d] + sn_dot3(linear + 3 * d, arm));
        }
    }
}

void sn_coupled_body_rig_positions(const sn_coupled_body *body, double *positions)
{
    for (int row = 0; row < body->rig->model->vertex_count; ++row) {
        sn_coupled_skin_row(body, row, false, positions + 3 * (size_t)body->rig->model->order[row]);
    }
}

void sn_coupled_pull_to_skin(sn_coupled_body *body, int row, double amount)
{
    double from[3], to[3];
    if (sn_coupled_is_pinned(body, row)) {
        return;
    }
    sn_xpbd_get_position(body->flesh, row, from);
    sn_coupled_skin_row(body, row, true, to);
    for (int d = 0; d < 3; ++d) {
        to[d] = from[d] + amount * (to[d] - from[d]);
    }
    sn_xpbd_set_position(body->flesh, row, to);
}

double sn_coupled_row_positions(const sn_coupled_body *body, int row, double *now, double *rest)
{
    const float *x = body->rig->model->rest + 4 * row;
    sn_xpbd_get_position(body->flesh, row, now);
    for (int d = 0; d < 3; ++d) {
        rest[d] = (double)x[d] + body->rig->model->centre[d];
    }
    return (double)x[3];
}
