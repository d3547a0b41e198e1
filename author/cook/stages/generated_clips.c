/* SPDX-License-Identifier: MIT */
/* Clips of humanoids whose files have none (author/motions). */
#include <string.h>

#include "author/cook/stages/stages.h"
#include "author/motions/humanoid_motions.h"
#include "host/math/affine.h"

/* The rest pose, if it is not the bind pose: the only clip of a file without animation. */
static const double *rest_pose(const sn_cook_context *cook)
{
    return cook->character.clip_count == 1 ? cook->character.clips[0].transforms : NULL;
}

static bool has_animation(const sn_cook_context *cook)
{
    return cook->clip_count > 1 ||
           (cook->clip_count == 1 &&
            (cook->desc->clip_count > 0 || cook->clips[0].frame_count > 1 || cook->clips[0].track_count > 0));
}

/* The skeleton as the file poses it. */
static sn_result read_skeleton(const sn_cook_context *cook, const double *rest, sn_arena *arena,
                               sn_rig_skeleton *skeleton)
{
    double *worlds = SN_NEW(arena, double, 12 * (size_t)cook->bone_count);
    if (!worlds) {
        return SN_ERROR_MEMORY;
    }
    for (size_t b = 0; b < (size_t)cook->bone_count; ++b) {
        memcpy(worlds + 12 * b, cook->bone_bind + 12 * b, 12 * sizeof(double));
        if (rest) {
            sn_affine_multiply(rest + 12 * b, cook->bone_bind + 12 * b, worlds + 12 * b);
        }
    }
    *skeleton =
        (sn_rig_skeleton){cook->path, cook->bone_count, cook->bone_names, cook->bone_parents, worlds, cook->bone_roles};
    return SN_OK;
}

/* Each visible vertex with the bone of the largest weight, which is nearly rigid at soles and forearms. */
static sn_result read_surface(const sn_cook_context *cook, const double *rest, sn_arena *arena,
                              sn_motion_surface *surface)
{
    const sn_character *c = &cook->character;
    double *positions = SN_NEW(arena, double, 3 * (size_t)c->vertex_count);
    int32_t *joints = SN_NEW(arena, int32_t, c->vertex_count);
    if (!positions || !joints) {
        return SN_ERROR_MEMORY;
    }
    *surface = (sn_motion_surface){.positions = positions, .joints = joints};
    for (int i = 0; i < c->part_count; ++i) {
        const sn_character_part *part = &c->parts[i];
        for (int v = part->first_vertex; !part->is_hidden && v < part->first_vertex + part->vertex_count; ++v) {
            int32_t max = c->influence_starts[v];
            for (int32_t k = max; k < c->influence_starts[v + 1]; ++k) {
                max = c->influence_weights[k] > c->influence_weights[max] ? k : max;
            }
            if (max == c->influence_starts[v + 1]) {
                continue;
            }
            const int32_t bone = c->influence_bones[max];
            double *position = positions + 3 * (size_t)surface->count;
            memcpy(position, c->positions + 3 * (size_t)v, 3 * sizeof(double));
            if (rest) {
                sn_affine_apply(rest + 12 * (size_t)bone, c->positions + 3 * (size_t)v, position);
            }
            joints[surface->count++] = bone;
        }
    }
    return SN_OK;
}

sn_result sn_cook_context_generate_clips(sn_cook_context *cook)
{
    const double *rest = rest_pose(cook);
    sn_humanoid_motion *motions = NULL;
    sn_rig_skeleton skeleton;
    sn_motion_surface surface;
    if (!cook->has_character || cook->has_rig || cook->is_flat || has_animation(cook) ||
        cook->bone_count != cook->character.bone_count || cook->handles.handles.count > 0 ||
        !cook->desc->has_generated_clips || cook->sidecar.is_without_generated_clips) {
        return SN_OK;
    }
    sn_result result = read_skeleton(cook, rest, &cook->arena, &skeleton);
    result = result ? result : read_surface(cook, rest, &cook->arena, &surface);
    result = result ? result : sn_humanoid_motions_generate(&skeleton, &surface, &cook->arena, &motions);
    if (result != SN_OK || !motions) {
        return result;
    }
    cook->clips = SN_NEW(&cook->arena, sn_character_clip, SN_MOTION_COUNT);
    if (!cook->clips) {
        return SN_ERROR_MEMORY;
    }
    cook->clip_count = cook->report.generated_clip_count = SN_MOTION_COUNT;
    for (int i = 0; i < SN_MOTION_COUNT; ++i) {
        const sn_humanoid_motion *motion = &motions[i];
        cook->clips[i] = (sn_character_clip){.name = motion->name,
                                             .frame_count = motion->frame_count,
                                             .frame_rate = motion->frame_rate,
                                             .transforms = motion->poses};
        for (size_t k = 0; rest && k < (size_t)motion->frame_count * (size_t)cook->bone_count; ++k) {
            double pose[12];
            memcpy(pose, motion->poses + 12 * k, sizeof pose);
            sn_affine_multiply(pose, rest + 12 * (k % (size_t)cook->bone_count), motion->poses + 12 * k);
        }
    }
    return SN_OK;
}
