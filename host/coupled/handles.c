/* SPDX-License-Identifier: MIT */
/* A body's handles: their poses, locks and targets. */
#include <math.h>
#include <string.h>

#include "host/coupled/solver.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

#define FARTHEST_TARGET 1e6 /* diagonals */

/* ---- poses ---- */

void sn_coupled_compose(sn_coupled_handle_state *handle)
{
    double turn[9];
    sn_quaternion_to_matrix(handle->turn, turn);
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            const double *s = handle->stretch;
            handle->linear[3 * d + e] = turn[3 * d] * s[e] + turn[3 * d + 1] * s[3 + e] + turn[3 * d + 2] * s[6 + e];
        }
    }
}

void sn_coupled_split(const double *linear, double *turn, double *stretch)
{
    double s[9];
    sn_quaternion_split(linear, turn, s);
    for (int i = 0; i < 9; ++i) {
        stretch[i] = (s[i] + s[3 * (i % 3) + i / 3]) / 2;
    }
}

void sn_coupled_decompose(sn_coupled_handle_state *handle)
{
    sn_coupled_split(handle->linear, handle->turn, handle->stretch);
}

void sn_coupled_place_moved(const sn_coupled_rig *rig, int k, const double *turn, const double *shift, double *place)
{
    double r[9];
    sn_quaternion_to_matrix(turn, r);
    for (int d = 0; d < 3; ++d) {
        place[d] = shift[d];
        for (int e = 0; e < 3; ++e) {
            place[d] += r[3 * d + e] * (rig->handles[k].pivot[e] + rig->model->centre[e]);
        }
    }
}

void sn_coupled_place_handle(sn_coupled_body *body, int k, const double *turn, const double *shift)
{
    sn_coupled_handle_state *handle = &body->handles[k];
    sn_coupled_place_moved(body->rig, k, turn, shift, handle->place);
    for (int i = 0; i < 9; ++i) {
        handle->stretch[i] = i % 4 == 0;
    }
    const double still[4] = {0, 0, 0, 1};
    memcpy(handle->turn, body->rig->turning[k] >= 0 ? turn : still, sizeof still);
    sn_coupled_compose(handle);
}

sn_coupled_pose sn_coupled_pose_of(const sn_coupled_handle_state *handle)
{
    sn_coupled_pose pose;
    memcpy(pose.place, handle->place, sizeof pose.place);
    memcpy(pose.turn, handle->turn, sizeof pose.turn);
    memcpy(pose.stretch, handle->stretch, sizeof pose.stretch);
    return pose;
}

void sn_coupled_begin_handle(sn_coupled_body *body, int k, const double *turn, const double *shift)
{
    sn_coupled_handle_state *handle = &body->handles[k];
    sn_coupled_place_handle(body, k, turn, shift);
    handle->target = handle->target_before = sn_coupled_pose_of(handle);
    handle->compliance = -1;
    handle->locks = 0;
}

void sn_coupled_begin(sn_coupled_body *body)
{
    static const double still[4] = {0, 0, 0, 1}, nowhere[3] = {0};
    for (int k = 0; k < body->rig->handle_count; ++k) {
        sn_coupled_begin_handle(body, k, still, nowhere);
    }
}

/* ---- locks and targets ---- */

unsigned sn_coupled_possible_locks(const sn_coupled_rig *rig, int handle)
{
    const bool is_flat = rig->dimension == 2;
    const unsigned translation = is_flat ? SN_LOCK_X | SN_LOCK_Y : SN_LOCK_TRANSLATION;
    const unsigned rotation = is_flat ? SN_LOCK_ROTATION_Z : SN_LOCK_ROTATION;
    switch (rig->handles[handle].kind) {
    case SN_HANDLE_RIGID:
        return translation | rotation;
    case SN_HANDLE_AFFINE:
        return translation | rotation | SN_LOCK_STRETCH;
    default:
        return translation;
    }
}

static sn_coupled_handle_state *handle_of(const sn_coupled_body *body, int handle)
{
    SN_ASSERT(handle >= 0 && handle < body->rig->handle_count);
    return &body->handles[handle];
}

void sn_coupled_lock(const sn_coupled_rig *rig, int handle, unsigned wanted, sn_coupled_handle_state *state)
{
    const unsigned added = wanted & ~state->locks;
    if (rig->handles[handle].kind == SN_HANDLE_AFFINE) {
        sn_coupled_decompose(state);
    }
    const sn_coupled_pose now = sn_coupled_pose_of(state);
    for (int d = 0; d < 3; ++d) {
        if (added >> d & 1) {
            state->target.place[d] = state->target_before.place[d] = now.place[d];
        }
    }
    if (added & SN_LOCK_ROTATION) {
        memcpy(state->target.turn, now.turn, sizeof now.turn);
        memcpy(state->target_before.turn, now.turn, sizeof now.turn);
    }
    if (added & SN_LOCK_STRETCH) {
        memcpy(state->target.stretch, now.stretch, sizeof now.stretch);
        memcpy(state->target_before.stretch, now.stretch, sizeof now.stretch);
    }
    state->locks = wanted;
}

void sn_coupled_body_set_locks(sn_coupled_body *body, int handle, unsigned locks)
{
    sn_coupled_handle_state *state = handle_of(body, handle);
    const unsigned wanted = locks & sn_coupled_possible_locks(body->rig, handle);
    if (wanted != state->locks) {
        sn_coupled_lock(body->rig, handle, wanted, state);
        body->is_prepared = false;
        body->flesh->still_seconds = 0;
    }
}

unsigned sn_coupled_body_locks(const sn_coupled_body *body, int handle)
{
    return handle_of(body, handle)->locks;
}

bool sn_coupled_aim_at(const sn_coupled_rig *rig, int handle, const double *transform, sn_coupled_handle_state *state)
{
    sn_coupled_pose wanted = state->target;
    double pivot[3], linear[9], size = 0;
    for (int d = 0; d < 3; ++d) {
        pivot[d] = rig->handles[handle].pivot[d] + rig->model->centre[d];
        for (int e = 0; e < 3; ++e) {
            linear[3 * d + e] = transform[4 * d + e];
            size += fabs(transform[4 * d + e]);
        }
    }
    sn_affine_apply(transform, pivot, wanted.place);
    const double away = sn_distance3(wanted.place, pivot);
    if (!(size < FARTHEST_TARGET) || !(away < FARTHEST_TARGET * rig->length)) {
        return false;
    }
    if (rig->turning[handle] >= 0) {
        sn_coupled_split(linear, wanted.turn, wanted.stretch);
    }
    wanted.place[2] = rig->dimension == 2 ? state->target.place[2] : wanted.place[2];
    if (rig->handles[handle].kind != SN_HANDLE_AFFINE) {
        memcpy(wanted.stretch, state->target.stretch, sizeof wanted.stretch);
    }
    if (memcmp(&wanted, &state->target, sizeof wanted) == 0) {
        return false;
    }
    state->target = wanted;
    return state->locks != 0;
}

void sn_coupled_body_set_target(sn_coupled_body *body, int handle, const double *transform)
{
    if (sn_coupled_aim_at(body->rig, handle, transform, handle_of(body, handle))) {
        body->flesh->still_seconds = 0;
    }
}

void sn_coupled_soften(sn_coupled_handle_state *state, double compliance)
{
    state->compliance = compliance >= 0 && isfinite(compliance) ? compliance : -1;
}

void sn_coupled_body_set_compliance(sn_coupled_body *body, int handle, double compliance)
{
    sn_coupled_soften(handle_of(body, handle), compliance);
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
            to[4 * d + 3] = handle->place[d];
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
                y[rig->roots[k]] = handle->place[d] - body->flesh->origin[d] - rig->handles[k].pivot[d];
            }
            for (int e = 0; e < rig->dimension && rig->turning[k] >= 0; ++e) {
                y[rig->turning[k] + e] = rig->length * (handle->linear[3 * d + e] - (d == e));
            }
        }
    }
}

void sn_coupled_place_joints(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    for (int i = 0; i < rig->handle_count; ++i) {
        const int k = rig->order[i], parent = rig->handles[k].parent;
        if (parent < 0) {
            continue;
        }
        const sn_coupled_handle_state *above = &body->handles[parent];
        double arm[3];
        sn_subtract3(rig->handles[k].pivot, rig->handles[parent].pivot, arm);
        for (int d = 0; d < 3; ++d) {
            body->handles[k].place[d] = above->place[d] + sn_dot3(above->linear + 3 * d, arm);
        }
    }
}
