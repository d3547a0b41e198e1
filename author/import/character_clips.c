/* SPDX-License-Identifier: MIT */
#include "author/import/character_clips.h"

#include <math.h>

#include "author/import/compare_poses.h"
#include "host/math/affine.h"

#define CLIP_FRAME_RATE 60.0
#define MAX_CLIP_FRAMES 200000
/* Limit for all clips together: a small file can describe hours of animation for hundreds of bones. */
#define MAX_CLIP_BYTES ((int64_t)2 << 30)

typedef struct builder {
    const sn_character_clips_input *in;
    sn_arena *arena;
    sn_character *character;
} builder;

/* Writes world_node(t) bind^-1 of every bone. */
static sn_result pose_bones(const builder *b, const double *inverse_bind, double *transforms)
{
    for (int i = 0; i < b->in->bones->count; ++i) {
        const int32_t node = b->in->bones->bones[i].node;
        if (node < 0) {
            sn_affine_identity(transforms + 12 * (size_t)i);
            continue;
        }
        double *transform = transforms + 12 * (size_t)i;
        sn_affine_multiply(b->in->pose->world + 12 * (size_t)node, inverse_bind + 12 * (size_t)i, transform);
        for (int k = 0; k < 12; ++k) {
            if (!isfinite(transform[k])) {
                return sn_fail(SN_ERROR_FORMAT, "%s: nodes[%d]: its world transform is not finite", b->in->name, node);
            }
        }
    }
    return SN_OK;
}

static sn_result copy_clip(const builder *b, int index, const double *inverse_bind, int64_t *bytes)
{
    const sn_scene_clip *from = &b->in->scene->clips[index];
    sn_character_clip *to = &b->character->clips[index];
    const double frames = floor(from->seconds * CLIP_FRAME_RATE + 0.5) + 1;
    if (!(frames <= MAX_CLIP_FRAMES)) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: animations[%d]: a duration of %g s is too long", b->in->name, index,
                       from->seconds);
    }
    /* the rate is adjusted so that the last frame is exactly at the clip's end and loops match */
    *to = (sn_character_clip){.name = from->name, .frame_count = (int)frames, .frame_rate = CLIP_FRAME_RATE};
    to->frame_rate = frames > 1 && from->seconds > 0 ? (frames - 1) / from->seconds : CLIP_FRAME_RATE;
    const size_t width = 12 * (size_t)b->in->bones->count;
    *bytes += (int64_t)(width * sizeof(double) + (size_t)b->character->track_count * sizeof(float)) * to->frame_count;
    if (*bytes > MAX_CLIP_BYTES) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: animations[%d]: the poses of %d bones in the clips up to this one exceed %d MiB",
                       b->in->name, index, b->in->bones->count, (int)(MAX_CLIP_BYTES >> 20));
    }
    to->transforms = sn_arena_alloc(b->arena, (size_t)to->frame_count, width * sizeof(double));
    if (!to->transforms) {
        return SN_ERROR_MEMORY;
    }
    for (int frame = 0; frame < to->frame_count; ++frame) {
        sn_scene_pose_clip(b->in->pose, index, frame / to->frame_rate);
        SN_TRY(pose_bones(b, inverse_bind, to->transforms + (size_t)frame * width));
    }
    return sn_character_sample_morphs(b->in->morphs, index, b->arena, to);
}

/* For a file without clips whose rest pose is not its bind pose: adds a clip of one frame. */
static sn_result copy_rest_pose(const builder *b, const double *inverse_bind)
{
    sn_character *c = b->character;
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const double diagonal = sn_pose_diagonal(c);
    double *rest = SN_NEW(b->arena, double, 12 * (size_t)c->bone_count);
    if (!rest) {
        return SN_ERROR_MEMORY;
    }
    sn_scene_pose_rest(b->in->pose);
    SN_TRY(pose_bones(b, inverse_bind, rest));
    for (size_t i = 0; i < (size_t)c->bone_count && c->clip_count == 0; ++i) {
        if (sn_poses_differ(rest + 12 * i, identity, c->bone_bind + 12 * i, diagonal)) {
            c->clips[c->clip_count++] = (sn_character_clip){
                .name = "pose", .frame_count = 1, .frame_rate = CLIP_FRAME_RATE, .transforms = rest};
        }
    }
    return SN_OK;
}

sn_result sn_character_build_clips(const sn_character_clips_input *in, sn_arena *arena, sn_character *c)
{
    const builder built = {in, arena, c}, *const b = &built;
    double *inverse_bind = SN_NEW(b->arena, double, 12 * (size_t)b->in->bones->count);
    c->clips = SN_NEW(b->arena, sn_character_clip, (size_t)b->in->scene->clip_count + 1);
    c->clip_count = b->in->scene->clip_count;
    int64_t bytes = 0;
    sn_result result = inverse_bind && c->clips ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < b->in->bones->count && result == SN_OK; ++i) {
        if (!sn_affine_invert(b->in->bones->bones[i].bind, inverse_bind + 12 * (size_t)i)) {
            result = sn_fail(SN_ERROR_FORMAT, "%s: nodes[%d]: its bind transform is singular", b->in->name,
                             b->in->bones->bones[i].node);
        }
    }
    for (int i = 0; i < b->in->scene->clip_count && result == SN_OK; ++i) {
        result = copy_clip(b, i, inverse_bind, &bytes);
    }
    return result == SN_OK && c->clip_count == 0 ? copy_rest_pose(b, inverse_bind) : result;
}
