/* SPDX-License-Identifier: MIT */
#include "author/import/animated_springs.h"

#include "author/import/compare_poses.h"
#include "host/math/affine.h"

/* The bone's transform relative to its parent's, both relative to bind. Returns false if the parent's is singular. */
static bool pose_on_parent(const sn_character *c, int bone, const double *frame, double *pose)
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const int32_t parent = c->bone_parents[bone];
    double inverse[12];
    if (!sn_affine_invert(parent >= 0 ? frame + 12 * (size_t)parent : identity, inverse)) {
        return false;
    }
    sn_affine_multiply(inverse, frame + 12 * (size_t)bone, pose);
    return true;
}

static bool is_moved(const sn_character *c, int bone, const sn_character_clip *clip, double diagonal)
{
    const double *bind = c->bone_bind + 12 * (size_t)bone;
    double first[12], pose[12];
    bool is_moved = !pose_on_parent(c, bone, clip->transforms, first);
    for (int f = 1; f < clip->frame_count && !is_moved; ++f) {
        const double *frame = clip->transforms + 12 * (size_t)f * (size_t)c->bone_count;
        is_moved = !pose_on_parent(c, bone, frame, pose) || sn_poses_differ(first, pose, bind, diagonal);
    }
    return is_moved;
}

void sn_springs_find_animated(sn_character *c)
{
    const double diagonal = sn_pose_diagonal(c);
    for (int bone = 0; bone < c->bone_count; ++bone) {
        sn_character_spring *spring = &c->springs[bone];
        for (int i = 0; i < c->clip_count && spring->is_spring && !spring->clip; ++i) {
            spring->clip = is_moved(c, bone, &c->clips[i], diagonal) ? c->clips[i].name : NULL;
        }
    }
}
