/* SPDX-License-Identifier: MIT */
/* Transfer of bodies between the device and the CPU. */
#include <string.h>

#include "compute/coupled/private.h"

/* ---- states ---- */

static void pack_pose(const double *position, const double *rotation, const double *stretch, double *to)
{
    memcpy(to, position, 3 * sizeof *to);
    memcpy(to + 3, rotation, 4 * sizeof *to);
    memcpy(to + 7, stretch, 9 * sizeof *to);
}

static void pack_handle(const sn_coupled_handle_state *handle, double *to, double *before)
{
    const sn_coupled_pose *from = &handle->target_before;
    memcpy(to, handle->position, sizeof handle->position);
    memcpy(to + 3, handle->linear, sizeof handle->linear);
    memcpy(to + 12, handle->rotation, sizeof handle->rotation);
    memcpy(to + 16, handle->stretch, sizeof handle->stretch);
    pack_pose(from->position, from->rotation, from->stretch, before);
}

/* As sn_coupled_body_transforms. */
static void pack_transform(const sn_coupled_rig *rig, int k, const sn_coupled_handle_state *handle, double *to)
{
    for (int d = 0; d < 3; ++d) {
        to[4 * d + 3] = handle->position[d];
        for (int e = 0; e < 3; ++e) {
            to[4 * d + e] = handle->linear[3 * d + e];
            to[4 * d + 3] -= to[4 * d + e] * (rig->handles[k].pivot[e] + rig->model->centre[e]);
        }
    }
}

void sn_gpu_coupled_pack_state(sn_gpu_coupled *c, sn_gpu_coupled_body *body, bool is_new)
{
    const sn_coupled_rig *rig = sn_gpu_coupled_rig_of(c, body);
    double *before = body->state + sn_gpu_coupled_previous_pose_offset(rig),
           *output = body->state + sn_gpu_coupled_output_offset(rig);
    if (is_new) {
        memset(body->state, 0, c->rigs[body->rig].state_count * sizeof *body->state);
    }
    for (size_t k = 0; k < (size_t)rig->handle_count; ++k) {
        pack_handle(&body->handles[k], body->state + SN_COUPLED_HANDLE_NUMBERS * k,
                    before + SN_COUPLED_POSE_NUMBERS * k);
        if (is_new) {
            pack_transform(rig, (int)k, &body->handles[k], output + 24 * k + 12);
            memcpy(output + 24 * k, output + 24 * k + 12, 12 * sizeof *output);
        }
    }
    body->is_state_current = body->needs_upload = true;
}

static void unpack_handle(const double *from, const double *before, const double *impulse,
                          sn_coupled_handle_state *handle)
{
    sn_coupled_pose *to = &handle->target_before;
    memcpy(handle->position, from, sizeof handle->position);
    memcpy(handle->linear, from + 3, sizeof handle->linear);
    memcpy(handle->rotation, from + 12, sizeof handle->rotation);
    memcpy(handle->stretch, from + 16, sizeof handle->stretch);
    memcpy(to->position, before, sizeof to->position);
    memcpy(to->rotation, before + 3, sizeof to->rotation);
    memcpy(to->stretch, before + 7, sizeof to->stretch);
    memcpy(handle->impulse, impulse, sizeof handle->impulse);
}

sn_result sn_gpu_coupled_read_state(sn_gpu_coupled *c, int index)
{
    sn_gpu_coupled_body *body = sn_gpu_coupled_find(c, index);
    const sn_coupled_rig *rig = sn_gpu_coupled_rig_of(c, body);
    if (body->is_state_current) {
        return SN_OK;
    }
    const sn_result result =
        sn_gpu_read_back(c->device, &c->buffers[SN_COUPLED_STATES], body->state_range.first * sizeof(double),
                         c->rigs[body->rig].state_count * sizeof(double), body->state);
    const double *before = body->state + sn_gpu_coupled_previous_pose_offset(rig);
    const double *impulses = body->state + sn_gpu_coupled_impulse_offset(rig);
    for (size_t k = 0; k < (size_t)rig->handle_count && result == SN_OK; ++k) {
        unpack_handle(body->state + SN_COUPLED_HANDLE_NUMBERS * k, before + SN_COUPLED_POSE_NUMBERS * k,
                      impulses + 6 * k, &body->handles[k]);
    }
    body->is_state_current = result == SN_OK;
    return result;
}

sn_result sn_gpu_coupled_transforms(sn_gpu_coupled *c, int index, double *transforms, double *before)
{
    const sn_gpu_coupled_body *body = sn_gpu_coupled_find(c, index);
    const sn_coupled_rig *rig = sn_gpu_coupled_rig_of(c, body);
    SN_TRY(sn_gpu_coupled_read_state(c, index));
    const double *output = body->state + sn_gpu_coupled_output_offset(rig);
    for (size_t k = 0; k < (size_t)rig->handle_count; ++k) {
        memcpy(transforms + 12 * k, output + 24 * k + 12, 12 * sizeof *transforms);
        if (before) {
            memcpy(before + 12 * k, output + 24 * k, 12 * sizeof *before);
        }
    }
    return SN_OK;
}

/* ---- complete bodies ---- */

static void copy_counters(const double *counts, sn_coupled_body *to)
{
    to->checked_part = (int)counts[0];
    to->tangled_rounds = (int)counts[1];
    to->flipped_rounds = (int)counts[2];
    to->is_tangled = counts[3] != 0;
    to->is_flipped = counts[4] != 0;
    to->target_movement = counts[5];
}

sn_result sn_gpu_coupled_download(sn_gpu_coupled *c, int index, sn_coupled_body *to, sn_gpu_xpbd_reading *reading)
{
    const sn_gpu_coupled_body *body = sn_gpu_coupled_find(c, index);
    const sn_coupled_rig *rig = sn_gpu_coupled_rig_of(c, body);
    SN_ASSERT(!to || to->rig == rig);
    sn_result result = sn_gpu_xpbd_download(c->xpbd, index, to ? to->flesh : NULL, reading);
    if (result == SN_OK && to) {
        result = sn_gpu_coupled_read_state(c, index);
    }
    if (result != SN_OK || !to) {
        return result;
    }
    for (int k = 0; k < rig->handle_count; ++k) {
        const bool is_driven = to->handles[k].is_driven;
        to->handles[k] = body->handles[k];
        to->handles[k].is_driven = is_driven;
    }
    memcpy(to->multiplier_sum, body->state + sn_gpu_coupled_multiplier_sum_offset(rig),
           (size_t)(rig->dimension * rig->basis_count) * sizeof *to->multiplier_sum);
    copy_counters(body->state + sn_gpu_coupled_counter_offset(rig), to);
    to->is_prepared = false;
    return SN_OK;
}

sn_result sn_gpu_coupled_impulse(sn_gpu_coupled *c, int index, int handle, double *impulse)
{
    const sn_gpu_coupled_body *body = sn_gpu_coupled_find(c, index);
    sn_coupled_body *scratch = c->rigs[body->rig].scratch;
    SN_TRY(sn_coupled_body_set_settings(scratch, &body->settings));
    SN_TRY(sn_gpu_coupled_download(c, index, scratch, NULL));
    sn_coupled_body_impulse(scratch, handle, impulse);
    return SN_OK;
}

sn_result sn_gpu_coupled_upload(sn_gpu_coupled *c, int index, const sn_coupled_body *from)
{
    sn_gpu_coupled_body *body = sn_gpu_coupled_find(c, index);
    const sn_coupled_rig *rig = sn_gpu_coupled_rig_of(c, body);
    SN_ASSERT(from->rig == rig);
    sn_result result = sn_gpu_xpbd_set_settings(c->xpbd, index, &from->settings.xpbd);
    if (result == SN_OK) {
        result = sn_gpu_xpbd_upload(c->xpbd, index, from->flesh);
    }
    if (result != SN_OK) {
        return result;
    }
    body->settings = from->settings;
    for (int k = 0; k < rig->handle_count; ++k) {
        body->handles[k] = from->handles[k];
    }
    sn_gpu_coupled_pack_state(c, body, true);
    double *impulses = body->state + sn_gpu_coupled_impulse_offset(rig);
    double *counts = body->state + sn_gpu_coupled_counter_offset(rig);
    for (size_t k = 0; k < (size_t)rig->handle_count; ++k) {
        memcpy(impulses + 6 * k, from->handles[k].impulse, sizeof from->handles[k].impulse);
    }
    memcpy(body->state + sn_gpu_coupled_multiplier_sum_offset(rig), from->multiplier_sum,
           (size_t)(rig->dimension * rig->basis_count) * sizeof *from->multiplier_sum);
    const double counters[SN_COUPLED_COUNTER_COUNT] = {from->checked_part, from->tangled_rounds, from->flipped_rounds,
                                                       from->is_tangled,   from->is_flipped,     from->target_movement};
    memcpy(counts, counters, sizeof counters);
    return sn_gpu_coupled_update_system(c, index);
}

void sn_gpu_coupled_set_output_transforms(sn_gpu_coupled *c, int index, const double *transforms, const double *before)
{
    sn_gpu_coupled_body *body = sn_gpu_coupled_find(c, index);
    const sn_coupled_rig *rig = sn_gpu_coupled_rig_of(c, body);
    double *output = body->state + sn_gpu_coupled_output_offset(rig);
    SN_ASSERT(body->needs_upload);
    for (size_t k = 0; k < (size_t)rig->handle_count; ++k) {
        memcpy(output + 24 * k, before + 12 * k, 12 * sizeof *output);
        memcpy(output + 24 * k + 12, transforms + 12 * k, 12 * sizeof *output);
    }
}
