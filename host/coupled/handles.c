/* SPDX-License-Identifier: MIT */
/* A body's handles: their poses, locks and targets. */
#include <math.h>
#include <string.h>

#include "host/coupled/solver.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

#define MAX_TARGET 1e6 /* diagonals */

/* ---- poses ---- */

void sn_coupled_compose(sn_coupled_handle_state *handle)
{
    double rotation[9];
    sn_quaternion_to_matrix(handle->rotation, rotation);
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            const double *s = handle->stretch;
            handle->linear[3 * d + e] =
                rotation[3 * d] * s[e] + rotation[3 * d + 1] * s[3 + e] + rotation[3 * d + 2] * s[6 + e];
        }
    }
}

void sn_coupled_split_linear(const double *linear, double *rotation, double *stretch)
{
    double s[9];
    sn_quaternion_split(linear, rotation, s);
    for (int i = 0; i < 9; ++i) {
        stretch[i] = (s[i] + s[3 * (i % 3) + i / 3]) / 2;
    }
}

void sn_coupled_decompose(sn_coupled_handle_state *handle)
{
    sn_coupled_split_linear(handle->linear, handle->rotation, handle->stretch);
}

void sn_coupled_transformed_position(const sn_coupled_rig *rig, int k, const double *rotation, const double *shift,
                                     double *position)
{
    double r[9];
    sn_quaternion_to_matrix(rotation, r);
    for (int d = 0; d < 3; ++d) {
        position[d] = shift[d];
        for (int e = 0; e < 3; ++e) {
            position[d] += r[3 * d + e] * (rig->handles[k].pivot[e] + rig->model->centre[e]);
        }
    }
}

void sn_coupled_set_handle(sn_coupled_body *body, int k, const double *rotation, const double *shift)
{
    sn_coupled_handle_state *handle = &body->handles[k];
    sn_coupled_transformed_position(body->rig, k, rotation, shift, handle->position);
    for (int i = 0; i < 9; ++i) {
        handle->stretch[i] = i % 4 == 0;
    }
    const double identity[4] = {0, 0, 0, 1};
    memcpy(handle->rotation, body->rig->rotation_column[k] >= 0 ? rotation : identity, sizeof identity);
    sn_coupled_compose(handle);
}

sn_coupled_pose sn_coupled_pose_of(const sn_coupled_handle_state *handle)
{
    sn_coupled_pose pose;
    memcpy(pose.position, handle->position, sizeof pose.position);
    memcpy(pose.rotation, handle->rotation, sizeof pose.rotation);
    memcpy(pose.stretch, handle->stretch, sizeof pose.stretch);
    return pose;
}

void sn_coupled_init_handle(sn_coupled_body *body, int k, const double *rotation, const double *shift)
{
    sn_coupled_handle_state *handle = &body->handles[k];
    sn_coupled_set_handle(body, k, rotation, shift);
    handle->target = handle->target_before = sn_coupled_pose_of(handle);
    handle->compliance = -1;
    handle->locks = 0;
}

void sn_coupled_init_handles(sn_coupled_body *body)
{
    static const double identity[4] = {0, 0, 0, 1}, zero[3] = {0};
    for (int k = 0; k < body->rig->handle_count; ++k) {
        sn_coupled_init_handle(body, k, identity, zero);
    }
}

/* ---- locks and targets ---- */

unsigned sn_coupled_possible_locks(const sn_coupled_rig *rig, int handle)
{
    const bool is_flat = rig->dimension == 2;
    const unsigned translation_locks = is_flat ? SN_LOCK_X | SN_LOCK_Y : SN_LOCK_TRANSLATION;
    const unsigned rotation_locks = is_flat ? SN_LOCK_ROTATION_Z : SN_LOCK_ROTATION;
    switch (rig->handles[handle].type) {
    case SN_HANDLE_RIGID:
        return translation_locks | rotation_locks;
    case SN_HANDLE_AFFINE:
        return translation_locks | rotation_locks | SN_LOCK_STRETCH;
    default:
        return translation_locks;
    }
}

static sn_coupled_handle_state *handle_of(const sn_coupled_body *body, int handle)
{
    SN_ASSERT(handle >= 0 && handle < body->rig->handle_count);
    return &body->handles[handle];
}

void sn_coupled_set_handle_locks(const sn_coupled_rig *rig, int handle, unsigned requested,
                                 sn_coupled_handle_state *state)
{
    const unsigned added = requested & ~state->locks;
    if (rig->handles[handle].type == SN_HANDLE_AFFINE) {
        sn_coupled_decompose(state);
    }
    const sn_coupled_pose now = sn_coupled_pose_of(state);
    for (int d = 0; d < 3; ++d) {
        if (added >> d & 1) {
            state->target.position[d] = state->target_before.position[d] = now.position[d];
        }
    }
    if (added & SN_LOCK_ROTATION) {
        memcpy(state->target.rotation, now.rotation, sizeof now.rotation);
        memcpy(state->target_before.rotation, now.rotation, sizeof now.rotation);
    }
    if (added & SN_LOCK_STRETCH) {
        memcpy(state->target.stretch, now.stretch, sizeof now.stretch);
        memcpy(state->target_before.stretch, now.stretch, sizeof now.stretch);
    }
    state->locks = requested;
}

void sn_coupled_body_set_locks(sn_coupled_body *body, int handle, unsigned locks)
{
    sn_coupled_handle_state *state = handle_of(body, handle);
    const unsigned requested = locks & sn_coupled_possible_locks(body->rig, handle);
    if (requested != state->locks) {
        sn_coupled_set_handle_locks(body->rig, handle, requested, state);
        body->is_prepared = false;
        body->flesh->still_seconds = 0;
    }
}

unsigned sn_coupled_body_locks(const sn_coupled_body *body, int handle)
{
    return handle_of(body, handle)->locks;
}

bool sn_coupled_set_handle_target(const sn_coupled_rig *rig, int handle, const double *transform,
                                  sn_coupled_handle_state *state)
{
    sn_coupled_pose requested = state->target;
    double pivot[3], linear[9], size = 0;
    for (int d = 0; d < 3; ++d) {
        pivot[d] = rig->handles[handle].pivot[d] + rig->model->centre[d];
        for (int e = 0; e < 3; ++e) {
            linear[3 * d + e] = transform[4 * d + e];
            size += fabs(transform[4 * d + e]);
        }
    }
    sn_affine_apply(transform, pivot, requested.position);
    const double distance = sn_distance3(requested.position, pivot);
    if (!(size < MAX_TARGET) || !(distance < MAX_TARGET * rig->length)) {
        return false;
    }
    if (rig->rotation_column[handle] >= 0) {
        sn_coupled_split_linear(linear, requested.rotation, requested.stretch);
    }
    requested.position[2] = rig->dimension == 2 ? state->target.position[2] : requested.position[2];
    if (rig->handles[handle].type != SN_HANDLE_AFFINE) {
        memcpy(requested.stretch, state->target.stretch, sizeof requested.stretch);
    }
    if (memcmp(&requested, &state->target, sizeof requested) == 0) {
        return false;
    }
    state->target = requested;
    return state->locks != 0;
}

void sn_coupled_body_set_target(sn_coupled_body *body, int handle, const double *transform)
{
    if (sn_coupled_set_handle_target(body->rig, handle, transform, handle_of(body, handle))) {
        body->flesh->still_seconds = 0;
    }
}

void sn_coupled_set_handle_compliance(sn_coupled_handle_state *state, double compliance)
{
    state->compliance = compliance >= 0 && isfinite(compliance) ? compliance : -1;
}

void sn_coupled_body_set_compliance(sn_coupled_body *body, int handle, double compliance)
{
    sn_coupled_set_handle_compliance(handle_of(body, handle), compliance);
    body->is_prepared = false;
    body->flesh->still_seconds = 0;
}

/* ---- reading ---- */

void sn_coupled_body_transforms(const sn_coupled_body *body, double *transforms)
{
    const sn_coupled_rig *rig = body->rig;
    for (int k = 0; k < rig->handle_count; ++k) {
        const sn_coupled_handle_state *handle = &body->handles[k];
        double *to = transforms + 12 * (size_t)k;
        for (int d = 0; d < 3; ++d) {
            to[4 * d + 3] = handle->position[d];
            for (int e = 0; e < 3; ++e) {
                to[4 * d + e] = handle->linear[3 * d + e];
                to[4 * d + 3] -= to[4 * d + e] * (rig->handles[k].pivot[e] + rig->model->centre[e]);
            }
        }
    }
}

void sn_coupled_read_handles(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    for (int k = 0; k < rig->handle_count; ++k) {
        const sn_coupled_handle_state *handle = &body->handles[k];
        for (int d = 0; d < rig->dimension; ++d) {
            double *y = body->y + rig->basis_count * d;
            if (rig->handles[k].parent < 0) {
                y[rig->roots[k]] = handle->position[d] - body->flesh->origin[d] - rig->handles[k].pivot[d];
            }
            for (int e = 0; e < rig->dimension && rig->rotation_column[k] >= 0; ++e) {
                y[rig->rotation_column[k] + e] = rig->length * (handle->linear[3 * d + e] - (d == e));
            }
        }
    }
}

void sn_coupled_update_joints(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    for (int i = 0; i < rig->handle_count; ++i) {
        const int k = rig->order[i], parent = rig->handles[k].parent;
        if (parent < 0) {
            continue;
        }
        const sn_coupled_handle_state *parent_state = &body->handles[parent];
        double arm[3];
        sn_subtract3(rig->handles[k].pivot, rig->handles[parent].pivot, arm);
        for (int d = 0; d < 3; ++d) {
            body->handles[k].position[d] = parent_state->position[d] + sn_dot3(parent_state->linear + 3 * d, arm);
        }
    }
}
