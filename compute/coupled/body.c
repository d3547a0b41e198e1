/* SPDX-License-Identifier: MIT */
/* Bodies: added, removed, locked, moved to targets. Frequent operations act on the host's copy of the handles; rare
 * ones on a CPU body to which the state is downloaded and uploaded again. */
#include <math.h>
#include <string.h>

#include "compute/coupled/private.h"

/* ---- memory ---- */

/* Grows a body's range in a buffer. */
static sn_result reserve_range(sn_gpu_coupled *c, int binding, uint32_t count, size_t item_bytes, uint32_t *used,
                               sn_gpu_xpbd_range *range)
{
    if (count <= range->capacity) {
        return SN_OK;
    }
    SN_TRY(sn_gpu_coupled_enlarge(c, binding, (*used + (VkDeviceSize)count) * item_bytes));
    *range = (sn_gpu_xpbd_range){*used, count};
    *used += count;
    return SN_OK;
}

static sn_result reserve_device(sn_gpu_coupled *c, const sn_gpu_coupled_rig *r, sn_gpu_coupled_body *body)
{
    const uint32_t handles = (uint32_t)r->rig->handle_count;
    if (SN_COUPLED_POSE_NUMBERS * handles > body->target.capacity) {
        body->target = (sn_gpu_xpbd_range){c->used_targets, SN_COUPLED_POSE_NUMBERS * handles};
        c->used_targets += body->target.capacity;
    }
    sn_result result =
        sn_gpu_coupled_reserve(c, SN_COUPLED_TARGETS, c->used_targets, sizeof(double), &c->target_capacity);
    if (result == SN_OK) {
        result =
            reserve_range(c, SN_COUPLED_STATES, r->state_count, sizeof(double), &c->used_states, &body->state_range);
    }
    if (result == SN_OK) {
        result = reserve_range(c, SN_COUPLED_WORK, r->work_count, sizeof(double), &c->used_work, &body->work);
    }
    if (result == SN_OK) {
        result = reserve_range(c, SN_COUPLED_MATRICES, (r->lane_count + 11) / 12 * 12, sizeof(float), &c->used_floats,
                               &body->lanes);
    }
    if (result == SN_OK) {
        result = reserve_range(c, SN_COUPLED_MATRICES, 12 * (handles + r->empty_count), sizeof(float), &c->used_floats,
                               &body->matrix);
    }
    return result == SN_OK ? sn_gpu_coupled_bind(c) : result;
}

static sn_result reserve_host(const sn_gpu_coupled_rig *r, sn_gpu_coupled_body *body)
{
    const size_t handles = (size_t)r->rig->handle_count;
    if (handles > body->handle_capacity) {
        sn_coupled_handle_state *created = sn_alloc(handles, sizeof *created);
        if (!created) {
            return SN_ERROR_MEMORY;
        }
        sn_free(body->handles, body->handle_capacity, sizeof *created);
        body->handles = created;
        body->handle_capacity = handles;
    }
    if (r->state_count > body->state_capacity) {
        double *created = sn_alloc(r->state_count, sizeof *created);
        if (!created) {
            return SN_ERROR_MEMORY;
        }
        sn_free(body->state, body->state_capacity, sizeof *created);
        body->state = created;
        body->state_capacity = r->state_count;
    }
    return SN_OK;
}

static sn_result reserve_body(sn_gpu_coupled *c, const sn_gpu_coupled_rig *r, sn_gpu_coupled_body *body)
{
    SN_TRY(reserve_host(r, body));
    return reserve_device(c, r, body);
}

/* ---- adding and removing ---- */

static sn_result reserve_slot(sn_gpu_coupled *c, int index)
{
    while (index >= c->body_count) {
        sn_gpu_coupled_body *grown = sn_grow(c->bodies, c->body_count, &c->body_capacity, sizeof *c->bodies);
        if (!grown) {
            return SN_ERROR_MEMORY;
        }
        c->bodies = grown;
        c->bodies[c->body_count++] = (sn_gpu_coupled_body){.system = -1};
    }
    return sn_gpu_coupled_reserve(c, SN_COUPLED_RECORDS, (uint32_t)c->body_count, sizeof(struct sn_coupled_record),
                                  &c->record_capacity);
}

static void copy_handles(const sn_coupled_body *from, sn_gpu_coupled_body *body)
{
    for (int k = 0; k < from->rig->handle_count; ++k) {
        body->handles[k] = from->handles[k];
    }
}

#define MAX_STEP_FACTOR 4 /* as in shaders/coupled/fit.glsl */

static uint32_t max_loops(const sn_gpu_coupled_rig *rig, const sn_coupled_settings *settings)
{
    return sn_gpu_coupled_loops(rig, MAX_STEP_FACTOR * (uint64_t)settings->newton_count + 1);
}

static sn_result start(sn_gpu_coupled *c, int rig, const sn_coupled_settings *settings, int index)
{
    sn_coupled_body *scratch = c->rigs[rig].scratch;
    sn_result result = reserve_slot(c, index);
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_coupled_body *body = &c->bodies[index];
    body->rig = rig;
    body->system = -1;
    body->settings = *settings;
    memset(body->wind, 0, sizeof body->wind);
    result = reserve_body(c, &c->rigs[rig], body);
    if (result != SN_OK) {
        return result;
    }
    sn_coupled_init_handles(scratch);
    copy_handles(scratch, body);
    sn_gpu_coupled_pack_state(c, body, true);
    sn_gpu_xpbd_find(c->xpbd, index)->coupling_loops = max_loops(&c->rigs[rig], settings);
    result = sn_gpu_coupled_update_system(c, index);
    body->is_used = result == SN_OK;
    return result;
}

sn_result sn_gpu_coupled_add_body(sn_gpu_coupled *c, int rig, const sn_coupled_settings *settings, int *index)
{
    SN_ASSERT(rig >= 0 && rig < c->rig_count);
    int added = 0;
    if (!sn_coupled_are_settings_valid(settings)) {
        return sn_fail(SN_ERROR_ARGUMENT, "coupled body: a setting is not finite or out of its range");
    }
    sn_result result = sn_gpu_xpbd_add_body(c->xpbd, c->rigs[rig].model, &settings->xpbd, &added);
    if (result != SN_OK) {
        return result;
    }
    result = start(c, rig, settings, added);
    if (result != SN_OK) {
        sn_gpu_xpbd_remove_body(c->xpbd, added);
        return result;
    }
    *index = added;
    return SN_OK;
}

void sn_gpu_coupled_remove_body(sn_gpu_coupled *c, int index)
{
    sn_gpu_coupled_body *body = sn_gpu_coupled_find(c, index);
    --c->systems[body->system].user_count;
    body->system = -1;
    body->is_used = body->needs_upload = body->is_edited = false;
    sn_gpu_xpbd_remove_body(c->xpbd, index);
}

/* ---- settings, locks, targets ---- */

static void wake(sn_gpu_coupled *c, int body)
{
    sn_gpu_xpbd_find(c->xpbd, body)->record.flags |= SN_XPBD_WAKE;
}

sn_result sn_gpu_coupled_set_settings(sn_gpu_coupled *c, int index, const sn_coupled_settings *settings)
{
    sn_gpu_coupled_body *body = sn_gpu_coupled_find(c, index);
    if (!sn_coupled_are_settings_valid(settings)) {
        return sn_fail(SN_ERROR_ARGUMENT, "coupled body: a setting is not finite or out of its range");
    }
    const sn_result result = sn_gpu_xpbd_set_settings(c->xpbd, index, &settings->xpbd);
    if (result != SN_OK) {
        return result;
    }
    body->settings = *settings;
    sn_gpu_xpbd_find(c->xpbd, index)->coupling_loops = max_loops(&c->rigs[body->rig], settings);
    return sn_gpu_coupled_update_system(c, index);
}

static sn_coupled_handle_state *handle_of(const sn_gpu_coupled *c, int body, int handle)
{
    const sn_gpu_coupled_body *b = sn_gpu_coupled_find(c, body);
    SN_ASSERT(handle >= 0 && handle < sn_gpu_coupled_rig_of(c, b)->handle_count);
    return &b->handles[handle];
}

sn_result sn_gpu_coupled_set_locks(sn_gpu_coupled *c, int index, int handle, unsigned locks)
{
    sn_gpu_coupled_body *body = sn_gpu_coupled_find(c, index);
    sn_coupled_handle_state *state = handle_of(c, index, handle);
    const sn_coupled_rig *rig = sn_gpu_coupled_rig_of(c, body);
    const unsigned requested = locks & sn_coupled_possible_locks(rig, handle);
    if (requested == state->locks) {
        return SN_OK;
    }
    const sn_result result = sn_gpu_coupled_read_state(c, index); /* the handle stays where it is */
    if (result != SN_OK) {
        return result;
    }
    sn_coupled_set_handle_locks(rig, handle, requested, state);
    sn_gpu_coupled_pack_state(c, body, false);
    wake(c, index);
    return sn_gpu_coupled_update_system(c, index);
}

unsigned sn_gpu_coupled_locks(const sn_gpu_coupled *c, int body, int handle)
{
    return handle_of(c, body, handle)->locks;
}

void sn_gpu_coupled_set_target(sn_gpu_coupled *c, int index, int handle, const double *transform)
{
    const sn_gpu_coupled_body *body = sn_gpu_coupled_find(c, index);
    if (sn_coupled_set_handle_target(sn_gpu_coupled_rig_of(c, body), handle, transform, handle_of(c, index, handle))) {
        wake(c, index);
    }
}

sn_result sn_gpu_coupled_set_compliance(sn_gpu_coupled *c, int index, int handle, double compliance)
{
    sn_coupled_set_handle_compliance(handle_of(c, index, handle), compliance);
    wake(c, index);
    return sn_gpu_coupled_update_system(c, index);
}

/* ---- pins ---- */

sn_result sn_gpu_coupled_pin(sn_gpu_coupled *c, int body, int vertex, double stiffness)
{
    SN_TRY(sn_gpu_xpbd_pin(c->xpbd, body, vertex, stiffness));
    return sn_gpu_coupled_update_system(c, body);
}

sn_result sn_gpu_coupled_unpin(sn_gpu_coupled *c, int body, int vertex)
{
    sn_gpu_xpbd_unpin(c->xpbd, body, vertex);
    return sn_gpu_coupled_update_system(c, body);
}

/* ---- rare operations ---- */

/* Downloads the body to the rig's CPU body. */
static sn_result download(sn_gpu_coupled *c, int index, sn_coupled_body **scratch)
{
    const sn_gpu_coupled_body *body = sn_gpu_coupled_find(c, index);
    *scratch = c->rigs[body->rig].scratch;
    SN_TRY(sn_coupled_body_set_settings(*scratch, &body->settings));
    return sn_gpu_coupled_download(c, index, *scratch, NULL);
}

sn_result sn_gpu_coupled_reset(sn_gpu_coupled *c, int index)
{
    sn_coupled_body *scratch = NULL;
    SN_TRY(download(c, index, &scratch));
    sn_coupled_body_reset(scratch);
    return sn_gpu_coupled_upload(c, index, scratch);
}

sn_result sn_gpu_coupled_teleport(sn_gpu_coupled *c, int index, const double *transform)
{
    sn_coupled_body *scratch = NULL;
    SN_TRY(download(c, index, &scratch));
    sn_coupled_body_teleport(scratch, transform);
    return sn_gpu_coupled_upload(c, index, scratch);
}

sn_result sn_gpu_coupled_set_rig(sn_gpu_coupled *c, int index, int rig, const int32_t *from)
{
    sn_gpu_coupled_body *body = sn_gpu_coupled_find(c, index);
    const int before = body->rig;
    sn_coupled_body *scratch = NULL, *other = NULL;
    SN_ASSERT(rig >= 0 && rig < c->rig_count && c->rigs[rig].model == c->rigs[before].model);
    sn_result result = download(c, index, &scratch);
    if (result == SN_OK) {
        result = sn_coupled_body_create(c->rigs[before].rig, &body->settings, &other);
    }
    if (result == SN_OK) {
        result = sn_gpu_coupled_download(c, index, other, NULL);
    }
    if (result == SN_OK) {
        result = sn_coupled_body_set_rig(other, c->rigs[rig].rig, from);
    }
    if (result == SN_OK) {
        result = reserve_body(c, &c->rigs[rig], body);
    }
    if (result == SN_OK) {
        body->rig = rig;
        sn_gpu_xpbd_find(c->xpbd, index)->coupling_loops = max_loops(&c->rigs[rig], &body->settings);
        copy_handles(other, body);
        sn_gpu_coupled_pack_state(c, body, true);
        result = sn_gpu_coupled_upload(c, index, other);
    }
    sn_coupled_body_destroy(&other);
    return result;
}
