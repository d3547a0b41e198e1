/* SPDX-License-Identifier: MIT */
/* Bodies: added, removed, posed. */
#include <math.h>
#include <string.h>

#include "compute/layered/private.h"
#include "host/math/affine.h"

static sn_result reserve_range(sn_gpu_layered *l, int binding, uint32_t count, uint32_t *used, sn_gpu_xpbd_range *range)
{
    if (count <= range->capacity) {
        return SN_OK;
    }
    SN_TRY(sn_gpu_layered_enlarge(l, binding, (*used + (VkDeviceSize)count) * sizeof(double)));
    *range = (sn_gpu_xpbd_range){*used, count};
    *used += count;
    return SN_OK;
}

static sn_result reserve_body(sn_gpu_layered *l, sn_gpu_layered_body *body, int bone_count)
{
    const uint32_t numbers = SN_LAYERED_BONE_NUMBERS * (uint32_t)bone_count;
    if (bone_count > body->bone_count) {
        double *poses = sn_alloc(36 * (size_t)bone_count, sizeof *poses);
        if (!poses) {
            return SN_ERROR_MEMORY;
        }
        sn_free(body->poses, 36 * (size_t)body->bone_count, sizeof *poses);
        body->poses = poses;
        body->bone_count = bone_count;
    }
    if (numbers > body->bones.capacity) {
        body->bones = (sn_gpu_xpbd_range){l->used_bones, numbers};
        l->used_bones += numbers;
    }
    SN_TRY(sn_gpu_layered_reserve(l, SN_LAYERED_BONES, l->used_bones, sizeof(double), &l->bone_capacity));
    SN_TRY(
        reserve_range(l, SN_LAYERED_WORK, SN_LAYERED_WORK_NUMBERS * (uint32_t)bone_count, &l->used_work, &body->work));
    return sn_gpu_layered_bind(l);
}

/* Ensures a slot for body `index` of the flesh. */
static sn_result reserve(sn_gpu_layered *l, int index)
{
    while (index >= l->body_count) {
        sn_gpu_layered_body *grown = sn_grow(l->bodies, l->body_count, &l->body_capacity, sizeof *l->bodies);
        if (!grown) {
            return SN_ERROR_MEMORY;
        }
        l->bodies = grown;
        l->bodies[l->body_count++] = (sn_gpu_layered_body){.model = -1};
    }
    return sn_gpu_layered_reserve(l, SN_LAYERED_RECORDS, (uint32_t)l->body_count, sizeof(struct sn_layered_record),
                                  &l->record_capacity);
}

static sn_result fill(sn_gpu_layered *l, int index, int model, const sn_layered_settings *settings, const double *pose)
{
    const sn_gpu_layered_model *m = &l->models[model];
    sn_gpu_xpbd_body *flesh = sn_gpu_xpbd_find(l->xpbd, index);
    sn_result result = reserve(l, index);
    if (result == SN_OK) {
        sn_gpu_layered_body *body = &l->bodies[index];
        flesh->coupling_pin_count = m->model->attached_vertex_count;
        flesh->coupling_loops = m->loops;
        body->model = model;
        body->settings = *settings;
        body->mass = 1;
        memset(body->wind, 0, sizeof body->wind);
        result = reserve_body(l, body, m->model->bone_count);
        body->is_used = result == SN_OK;
    }
    if (result == SN_OK) {
        result = sn_gpu_layered_reset(l, index, pose);
    }
    return result;
}

sn_result sn_gpu_layered_add_body(sn_gpu_layered *l, int model, const sn_layered_settings *settings, const double *pose,
                                  int *index)
{
    SN_ASSERT(model >= 0 && model < l->model_count);
    sn_result result = sn_layered_check_settings(settings);
    if (result != SN_OK) {
        return result;
    }
    const sn_xpbd_settings of_flesh = sn_layered_flesh_settings(l->models[model].model, settings);
    result = sn_gpu_xpbd_add_body(l->xpbd, l->models[model].flesh, &of_flesh, index);
    if (result != SN_OK) {
        return result;
    }
    result = fill(l, *index, model, settings, pose);
    if (result != SN_OK) {
        sn_gpu_xpbd_remove_body(l->xpbd, *index);
        if (*index < l->body_count) {
            l->bodies[*index].is_used = false;
        }
    }
    return result;
}

void sn_gpu_layered_remove_body(sn_gpu_layered *l, int body)
{
    sn_gpu_layered_find(l, body)->is_used = false;
    sn_gpu_xpbd_remove_body(l->xpbd, body);
}

void sn_gpu_layered_set_wind(sn_gpu_layered *l, int index, const double *wind, double mass)
{
    sn_gpu_layered_body *body = sn_gpu_layered_find(l, index);
    memcpy(body->wind, wind, sizeof body->wind);
    body->mass = mass;
}

/* ---- poses ---- */

bool sn_gpu_layered_set_pose(sn_gpu_layered *l, int index, const double *pose)
{
    sn_gpu_layered_body *body = sn_gpu_layered_find(l, index);
    const int bones = sn_gpu_layered_model_of(l, body)->bone_count;
    const bool is_valid = sn_layered_is_finite_pose(pose, bones);
    if (is_valid) {
        memcpy(sn_gpu_layered_pose(body, SN_GPU_LAYERED_NEXT), pose, 12 * (size_t)bones * sizeof *pose);
    }
    return is_valid;
}

sn_result sn_gpu_layered_reset(sn_gpu_layered *l, int index, const double *pose)
{
    const sn_gpu_layered_body *body = sn_gpu_layered_find(l, index);
    const sn_gpu_xpbd_body *flesh = sn_gpu_xpbd_find(l->xpbd, index);
    sn_layered_body *scratch = l->models[body->model].scratch;
    double *rest = NULL;
    const size_t bones = (size_t)scratch->model->bone_count;
    if (!pose) {
        rest = sn_alloc(bones, 12 * sizeof *rest);
        for (size_t bone = 0; bone < bones && rest; ++bone) {
            sn_affine_identity(rest + 12 * bone);
        }
    }
    sn_result result = pose || rest ? sn_layered_body_set_settings(scratch, &body->settings) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_gpu_xpbd_copy_pins_to(flesh, scratch->flesh);
    }
    if (result == SN_OK) {
        sn_layered_body_reset(scratch, pose ? pose : rest);
        result = sn_gpu_layered_upload(l, index, scratch);
    }
    sn_free(rest, bones, 12 * sizeof *rest);
    return result;
}

void sn_gpu_layered_bones(const sn_gpu_layered *l, int index, double fraction, float *matrices)
{
    const sn_gpu_layered_body *body = sn_gpu_layered_find(l, index);
    const sn_layered_model *m = sn_gpu_layered_model_of(l, body);
    sn_layered_interpolate_bones(m, sn_gpu_layered_pose(body, SN_GPU_LAYERED_BEFORE),
                                 sn_gpu_layered_pose(body, SN_GPU_LAYERED_NOW), fraction, matrices);
}
