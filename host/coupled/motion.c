/* SPDX-License-Identifier: MIT */
/* Moves whole bodies: reset to rest at the targets, and teleport. */
#include <string.h>

#include "host/coupled/solver.h"
#include "host/math/affine.h"

/* Mean rigid movement of the targets: a rotation, and a point before and after. */
static void mean_motion(const sn_coupled_body *body, double *turn, double *from, double *to)
{
    const sn_coupled_rig *rig = body->rig;
    double sum[4] = {0};
    int count = 0;
    from[0] = from[1] = from[2] = to[0] = to[1] = to[2] = 0;
    for (int k = 0; k < rig->handle_count; ++k) {
        const sn_coupled_handle_state *handle = &body->handles[k];
        const double *q = handle->target.turn;
        const double side = q[0] * sum[0] + q[1] * sum[1] + q[2] * sum[2] + q[3] * sum[3];
        for (int i = 0; i < 4 && (handle->locks & SN_LOCK_ROTATION); ++i) {
            sum[i] += side < 0 ? -q[i] : q[i];
        }
        count += (handle->locks & SN_LOCK_TRANSLATION) != 0;
        for (int d = 0; d < 3 && (handle->locks & SN_LOCK_TRANSLATION); ++d) {
            from[d] += rig->handles[k].pivot[d] + rig->model->centre[d];
            to[d] += handle->target.place[d];
        }
    }
    for (int d = 0; d < 3; ++d) {
        from[d] = count > 0 ? from[d] / count : rig->model->centre[d];
        to[d] = count > 0 ? to[d] / count : from[d];
    }
    memcpy(turn, sum, sizeof sum);
    sn_quaternion_normalize(turn);
}

void sn_coupled_rest_at(sn_coupled_body *body, const double *turn, const double *shift)
{
    double transform[12], r[9];
    sn_quaternion_to_matrix(turn, r);
    for (int d = 0; d < 3; ++d) {
        memcpy(transform + 4 * d, r + 3 * d, 3 * sizeof *r);
        transform[4 * d + 3] = shift[d];
    }
    if (body->flesh->pin_count == 0) {
        sn_xpbd_body_teleport(body->flesh, transform);
    }
    for (int k = 0; k < body->rig->handle_count; ++k) {
        sn_coupled_place_handle(body, k, turn, shift);
        body->handles[k].target_before = sn_coupled_pose_of(&body->handles[k]);
    }
}

void sn_coupled_mean_motion(const sn_coupled_body *body, double *turn, double *shift)
{
    double from[3], r[9];
    mean_motion(body, turn, from, shift);
    if (body->flesh->pin_count > 0) { /* the flesh is already at its pins */
        const double still[4] = {0, 0, 0, 1};
        memcpy(turn, still, sizeof still);
        memcpy(from, body->rig->model->centre, sizeof from);
        memcpy(shift, body->flesh->origin, sizeof from);
    }
    sn_quaternion_to_matrix(turn, r);
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            shift[d] -= r[3 * d + e] * from[e];
        }
    }
}

void sn_coupled_body_reset(sn_coupled_body *body)
{
    double turn[4], shift[3];
    sn_xpbd_body_reset(body->flesh);
    sn_coupled_mean_motion(body, turn, shift);
    sn_coupled_rest_at(body, turn, shift);
}

/* Applies a rigid transform to a pose. */
static void carry(const sn_coupled_rig *rig, int k, const double *transform, const double *turn, double *place,
                  double *own_turn)
{
    double moved[3];
    sn_affine_apply(transform, place, moved);
    memcpy(place, moved, sizeof moved);
    if (rig->turning[k] >= 0) {
        sn_quaternion_multiply(turn, own_turn, own_turn);
    }
}

void sn_coupled_body_teleport(sn_coupled_body *body, const double *transform)
{
    double linear[9], turn[4], turned[9];
    for (int i = 0; i < 9; ++i) {
        linear[i] = transform[4 * (i / 3) + i % 3];
    }
    sn_quaternion_from_matrix(linear, turn);
    sn_xpbd_body_teleport(body->flesh, transform);
    for (int k = 0; k < body->rig->handle_count; ++k) {
        sn_coupled_handle_state *handle = &body->handles[k];
        carry(body->rig, k, transform, turn, handle->place, handle->turn);
        carry(body->rig, k, transform, turn, handle->target.place, handle->target.turn);
        carry(body->rig, k, transform, turn, handle->target_before.place, handle->target_before.turn);
        for (int i = 0; i < 9 && body->rig->turning[k] >= 0; ++i) {
            const double *row = linear + 3 * (i / 3), *a = handle->linear + i % 3;
            turned[i] = row[0] * a[0] + row[1] * a[3] + row[2] * a[6];
        }
        memcpy(handle->linear, body->rig->turning[k] >= 0 ? turned : handle->linear, sizeof turned);
    }
}
