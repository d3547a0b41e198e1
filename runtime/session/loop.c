/* SPDX-License-Identifier: MIT */
#include "runtime/session/loop.h"

#include <math.h>
#include <string.h>

#include "host/math/affine.h"

#define RIGID_TOLERANCE 1e-3 /* on the entries of R^T R */

static const float *clip_frame(const sn_model *model, int clip, int frame)
{
    const size_t width = (size_t)12 * (size_t)model->counts.bone_count;
    return model->clip_transforms + ((size_t)sn_model_clip_start(model, clip) + (size_t)frame) * width;
}

static void to_double(const float *m, double *result)
{
    for (int i = 0; i < 12; ++i) {
        result[i] = (double)m[i];
    }
}

/* Distance between the images of a bone's surroundings (its pivot and three points around it) under two transforms. */
static double bone_distance(const sn_model *model, int bone, const double *a, const double *b)
{
    const float *bind = model->bone_bind + 12 * (size_t)bone;
    double max_distance = 0;
    for (int i = 0; i < 4; ++i) {
        double point[3] = {(double)bind[3], (double)bind[7], (double)bind[11]}, at[3], other[3];
        if (i < 3) {
            point[i] += 0.25 * model->diagonal;
        }
        sn_affine_apply(a, point, at);
        sn_affine_apply(b, point, other);
        max_distance = fmax(max_distance, hypot(hypot(at[0] - other[0], at[1] - other[1]), at[2] - other[2]));
    }
    return max_distance;
}

/* Maximum over all bones of the distance between pose `from`, transformed by `transform`, and pose `to`. */
static double pose_distance(const sn_model *model, const float *from, const double *transform, const float *to)
{
    double max_distance = 0;
    for (int bone = 0; bone < model->counts.bone_count; ++bone) {
        double a[12], b[12], m[12];
        to_double(from + 12 * (size_t)bone, m);
        sn_affine_multiply(transform, m, a);
        to_double(to + 12 * (size_t)bone, b);
        max_distance = fmax(max_distance, bone_distance(model, bone, a, b));
    }
    return max_distance;
}

static bool is_rigid(const double *m)
{
    double max_error = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double dot = m[i] * m[j] + m[4 + i] * m[4 + j] + m[8 + i] * m[8 + j];
            max_error = fmax(max_error, fabs(dot - (i == j ? 1 : 0)));
        }
    }
    const double determinant =
        m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);
    return max_error < RIGID_TOLERANCE && determinant > 0;
}

/* Computes the jump of the root bone; false if it is not rigid. */
static bool compute_root_jump(const float *last, const float *first, double *jump)
{
    double from[12], to[12], inverse[12];
    to_double(last, from);
    to_double(first, to);
    if (!sn_affine_invert(from, inverse)) {
        return false;
    }
    sn_affine_multiply(to, inverse, jump);
    return is_rigid(jump);
}

static double max_frame_motion(const sn_model *model, int clip, const double *identity)
{
    double max_motion = 1e-6 * model->diagonal;
    for (int frame = 0; frame + 1 < model->clip_frame_counts[clip]; ++frame) {
        max_motion = fmax(max_motion, pose_distance(model, clip_frame(model, clip, frame), identity,
                                                    clip_frame(model, clip, frame + 1)));
    }
    return max_motion;
}

/* Maximum difference of any morph weight between two frames. */
static double weight_distance(const sn_model *model, int clip, int from, int to)
{
    const size_t width = (size_t)model->counts.morph_track_count, start = (size_t)sn_model_clip_start(model, clip);
    const float *a = model->clip_morphs + (start + (size_t)from) * width;
    const float *b = model->clip_morphs + (start + (size_t)to) * width;
    double max_distance = 0;
    for (size_t i = 0; i < width; ++i) {
        max_distance = fmax(max_distance, fabs((double)a[i] - (double)b[i]));
    }
    return max_distance;
}

/* True if morph weights that affect the flesh jump at the loop. */
static bool have_morphs_jumped(const sn_model *model, int clip)
{
    const int last = model->clip_frame_counts[clip] - 1;
    double max_motion = 1e-6;
    if (model->counts.morph_pair_count == 0 || model->counts.morph_track_count == 0) {
        return false;
    }
    for (int frame = 0; frame < last; ++frame) {
        max_motion = fmax(max_motion, weight_distance(model, clip, frame, frame + 1));
    }
    return weight_distance(model, clip, last, 0) > max_motion;
}

sn_loop sn_loop_plan(const sn_model *model, int clip)
{
    sn_loop loop = {.type = SN_LOOP_CONTINUOUS};
    double identity[12], jump[12];
    sn_affine_identity(identity);
    const float *first = clip_frame(model, clip, 0);
    const float *last = clip_frame(model, clip, model->clip_frame_counts[clip] - 1);
    const double motion = max_frame_motion(model, clip, identity);
    if (have_morphs_jumped(model, clip)) {
        return (sn_loop){.type = SN_LOOP_RESET};
    }
    if (pose_distance(model, last, identity, first) <= motion) {
        return loop;
    }
    loop.type = SN_LOOP_RESET;
    if (compute_root_jump(last, first, jump) && pose_distance(model, last, jump, first) <= 2 * motion) {
        loop.type = SN_LOOP_TELEPORT;
        for (int i = 0; i < 12; ++i) {
            loop.jump.m[i / 4][i % 4] = (float)jump[i];
        }
    }
    return loop;
}
