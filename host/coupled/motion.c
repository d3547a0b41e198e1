/* SPDX-License-Identifier: MIT */
/* Moves whole bodies: reset to rest at the targets, and teleport. */
#include <string.h>

#include "host/coupled/solver.h"
#include "host/math/affine.h"

/* Mean rigid movement of the targets: a rotation, and a point before and after. */
static void mean_motion(const sn_coupled_body *body, double *rotation, double *from, double *to)
{
    const sn_coupled_rig *rig = body->rig;
    double sum[4] = {0};
    int count = 0;
    from[0] = from[1] = from[2] = to[0] = to[1] = to[2] = 0;
    for (int k = 0; k < rig->handle_count; ++k) {
        const sn_coupled_handle_state *handle = &body->handles[k];
        const double *q = handle->target.rotation;
        const double side = q[0] * sum[0] + q[1] * sum[1] + q[2] * sum[2] + q[3] * sum[3];
        for (int i = 0; i < 4 && (handle->locks & SN_LOCK_ROTATION); ++i) {
            sum[i] += side < 0 ? -q[i] : q[i];
        }
        count += (handle->locks & SN_LOCK_TRANSLATION) != 0;
        for (int d = 0; d < 3 && (handle->locks & SN_LOCK_TRANSLATION); ++d) {
            from[d] += rig->handles[k].pivot[d] + rig->model->centre[d];
            to[d] += handle->target.position[d];
        }
    }
    for (int d = 0; d < 3; ++d) {
        from[d] = count > 0 ? from[d] / count : rig->model->centre[d];
        to[d] = count > 0 ? to[d] / count : from[d];
    }
    memcpy(rotation, sum, sizeof sum);
    sn_quaternion_normalize(rotation);
}

void sn_coupled_set_rest(sn_coupled_body *body, const double *rotation, const double *shift)
{
    double transform[12], r[9];
    sn_quaternion_to_matrix(rotation, r);
    for (int d = 0; d < 3; ++d) {
        memcpy(transform + 4 * d, r + 3 * d, 3 * sizeof *r);
        transform[4 * d + 3] = shift[d];
    }
    if (body->flesh->pin_count == 0) {
        sn_xpbd_body_teleport(body->flesh, transform);
    }
    for (int k = 0; k < body->rig->handle_count; ++k) {
        sn_coupled_set_handle(body, k, rotation, shift);
        body->handles[k].target_before = sn_coupled_pose_of(&body->handles[k]);
    }
}

void sn_coupled_mean_motion(const sn_coupled_body *body, double *rotation, double *shift)
{
    double from[3], r[9];
    mean_motion(body, rotation, from, shift);
    if (body->flesh->pin_count > 0) { /* the flesh is already at its pins */
        const double identity[4] = {0, 0, 0, 1};
        memcpy(rotation, identity, sizeof identity);
        memcpy(from, body->rig->model->centre, sizeof from);
        memcpy(shift, body->flesh->origin, sizeof from);
    }
    sn_quaternion_to_matrix(rotation, r);
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            shift[d] -= r[3 * d + e] * from[e];
        }
    }
}

void sn_coupled_body_reset(sn_coupled_body *body)
{
    double rotation[4], shift[3];
    sn_xpbd_body_reset(body->flesh);
    sn_coupled_mean_motion(body, rotation, shift);
    sn_coupled_set_rest(body, rotation, shift);
}

/* Applies a rigid transform to a pose. */
static void transform_pose(const sn_coupled_rig *rig, int k, const double *transform, const double *rotation,
                           double *position, double *own_rotation)
{
    double transformed[3];
    sn_affine_apply(transform, position, transformed);
    memcpy(position, transformed, sizeof transformed);
    if (rig->rotation_column[k] >= 0) {
        sn_quaternion_multiply(rotation, own_rotation, own_rotation);
    }
}

void sn_coupled_body_teleport(sn_coupled_body *body, const double *transform)
{
    double linear[9], rotation[4], rotated[9];
    for (int i = 0; i < 9; ++i) {
        linear[i] = transform[4 * (i / 3) + i % 3];
    }
    sn_quaternion_from_matrix(linear, rotation);
    sn_xpbd_body_teleport(body->flesh, transform);
    for (int k = 0; k < body->rig->handle_count; ++k) {
        sn_coupled_handle_state *handle = &body->handles[k];
        transform_pose(body->rig, k, transform, rotation, handle->position, handle->rotation);
        transform_pose(body->rig, k, transform, rotation, handle->target.position, handle->target.rotation);
        transform_pose(body->rig, k, transform, rotation, handle->target_before.position,
                       handle->target_before.rotation);
        for (int i = 0; i < 9 && body->rig->rotation_column[k] >= 0; ++i) {
            const double *row = linear + 3 * (i / 3), *a = handle->linear + i % 3;
            rotated[i] = row[0] * a[0] + row[1] * a[3] + row[2] * a[6];
        }
        memcpy(handle->linear, body->rig->rotation_column[k] >= 0 ? rotated : handle->linear, sizeof rotated);
    }
}
