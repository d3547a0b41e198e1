/* SPDX-License-Identifier: MIT */
/* Recordings: writes records and bone motions of the bodies to this recording's part of the stream buffers. */
#include <string.h>

#include "compute/layered/private.h"
#include "host/math/affine.h"

/* Advances the poses by a step; wakes the body if bones move. */
static void advance_pose(sn_gpu_layered *l, int index)
{
    const sn_gpu_layered_body *body = &l->bodies[index];
    const size_t bytes = 12 * (size_t)sn_gpu_layered_model_of(l, body)->bone_count * sizeof(double);
    double *now = sn_gpu_layered_pose(body, SN_GPU_LAYERED_NOW), *next = sn_gpu_layered_pose(body, SN_GPU_LAYERED_NEXT);
    memcpy(sn_gpu_layered_pose(body, SN_GPU_LAYERED_BEFORE), now, bytes);
    if (memcmp(now, next, bytes) != 0) {
        memcpy(now, next, bytes);
        sn_gpu_xpbd_find(l->xpbd, index)->record.flags |= SN_XPBD_WAKE;
    }
}

static void write_bone(const sn_blend *blend, double *to)
{
    memcpy(to, blend->to, sizeof blend->to);
    to[SN_LAYERED_AT_STILL] = blend->is_still;
    if (!blend->is_still) {
        memcpy(to + SN_LAYERED_AT_POSITIONS, blend->places, sizeof blend->places);
        memcpy(to + SN_LAYERED_AT_ROTATIONS, blend->turns, sizeof blend->turns);
        memcpy(to + SN_LAYERED_AT_STRETCHES, blend->stretches, sizeof blend->stretches);
    }
}

/* Writes the bone motions, and the mean of the attached vertices at the end of the step. */
static void write_bones(const sn_gpu_layered *l, const sn_gpu_layered_body *body, double *to, double *attached_mean)
{
    const sn_gpu_layered_model *m = &l->models[body->model];
    const double *before = sn_gpu_layered_pose(body, SN_GPU_LAYERED_BEFORE);
    const double *now = sn_gpu_layered_pose(body, SN_GPU_LAYERED_NOW);
    for (int d = 0; d < 3; ++d) {
        attached_mean[d] = -m->attached_mean[d];
    }
    for (size_t bone = 0; bone < (size_t)m->model->bone_count; ++bone) {
        const double *pivot = m->model->pivots + 3 * bone;
        sn_blend blend;
        double position[3];
        sn_blend_init(&blend, before + 12 * bone, now + 12 * bone, pivot);
        write_bone(&blend, to + SN_LAYERED_BONE_NUMBERS * bone);
        sn_affine_apply(now + 12 * bone, pivot, position);
        for (int d = 0; d < 3; ++d) {
            attached_mean[d] += m->attached_fractions[bone] * position[d];
        }
    }
}

void sn_gpu_layered_record_step(sn_gpu_layered *l, VkCommandBuffer commands)
{
    const uint32_t part = (uint32_t)(l->recording_count++ % (uint64_t)l->recording_limit);
    const uint32_t first_bone = part * l->bone_capacity;
    l->coupling.first_record = part * l->record_capacity;
    struct sn_layered_record *records =
        (struct sn_layered_record *)l->buffers[SN_LAYERED_RECORDS].mapped + l->coupling.first_record;
    double *bones = (double *)l->buffers[SN_LAYERED_BONES].mapped + first_bone;
    for (int i = 0; i < l->body_count; ++i) {
        const sn_gpu_layered_body *body = &l->bodies[i];
        if (body->is_used) {
            const double *wind = body->wind;
            struct sn_layered_record record = {.factor = body->settings.consolidating_factor,
                                               .wind = {wind[0], wind[1], wind[2]},
                                               .wind_limit = l->models[body->model].wind_limit,
                                               .mass = body->mass,
                                               .has_wind = wind[0] != 0 || wind[1] != 0 || wind[2] != 0,
                                               .model = (uint32_t)body->model,
                                               .bones = first_bone + body->bones.first,
                                               .work = body->work.first};
            if (sn_gpu_layered_model_of(l, body)->mode == SN_LAYERED_LAYERS) {
                record.consolidation_sweep_count = (uint32_t)body->settings.consolidation_sweep_count;
            }
            advance_pose(l, i);
            write_bones(l, body, bones + body->bones.first, record.attached_mean);
            records[i] = record;
        }
    }
    sn_gpu_xpbd_record_step(l->xpbd, commands);
}
