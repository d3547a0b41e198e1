/* SPDX-License-Identifier: MIT */
#include "runtime/session/motion.h"

#include <math.h>
#include <string.h>

#define EXPRESSION_SECONDS 1.0
#define EXPRESSION_RAMP 0.1 /* fraction of EXPRESSION_SECONDS */

static size_t pose_width(const sn_motion *motion)
{
    return (size_t)12 * (size_t)motion->model->counts.bone_count;
}

void sn_motion_pose(const sn_motion *motion, int frame, double seconds, double *pose)
{
    const size_t width = pose_width(motion);
    if (motion->live) {
        memcpy(pose, motion->live->pose, width * sizeof(double));
    } else if (motion->poses) {
        const size_t row = (size_t)(frame < motion->frame_count ? frame : motion->frame_count - 1);
        memcpy(pose, motion->poses + row * width, width * sizeof(double));
    } else if (motion->is_hop) {
        sn_model_hop(motion->model, seconds, pose);
    } else if (motion->is_root_motion) {
        sn_root_motion_pose(&motion->root, seconds, pose);
    } else if (motion->clip >= 0) {
        sn_model_sample_clip(motion->model, motion->clip, seconds, pose);
    } else {
        sn_model_rest_pose(motion->model, pose);
    }
}

void sn_motion_pose_at(const sn_motion *motion, double row_seconds, double seconds, double *pose)
{
    const double row_position = fmin(seconds / row_seconds + 1e-9, INT32_MAX / 2);
    sn_motion_pose(motion, (int)row_position, seconds, pose);
    if (!motion->live && motion->poses && row_position + 1 < motion->frame_count) {
        const size_t width = pose_width(motion);
        const double *next = motion->poses + ((size_t)row_position + 1) * width;
        for (size_t i = 0; i < width; ++i) {
            pose[i] += (row_position - floor(row_position)) * (next[i] - pose[i]);
        }
    }
}

/* Trapezoid from 0 to 1: full weight during the middle half of the period. */
static float expression_value(double seconds)
{
    const double phase = seconds / EXPRESSION_SECONDS - floor(seconds / EXPRESSION_SECONDS);
    return (float)fmin(fmax(fmin(phase - 0.25, 0.75 + EXPRESSION_RAMP - phase) / EXPRESSION_RAMP, 0), 1);
}

void sn_motion_morphs(const sn_motion *motion, double seconds, float *morphs)
{
    const int count = motion->model->counts.morph_count;
    if (motion->live) {
        memcpy(morphs, motion->live->morphs, (size_t)count * sizeof *morphs);
    } else if (!motion->poses && !motion->is_hop && motion->clip >= 0) {
        sn_model_clip_morphs(motion->model, motion->clip, seconds, morphs, count);
    } else {
        sn_model_default_morphs(motion->model, morphs, count);
    }
    if (motion->has_expression) {
        sn_model_add_expression(motion->model, motion->expression, expression_value(seconds), morphs, count);
    }
}

void sn_motion_advance(const sn_motion *motion, double seconds)
{
    if (motion->live) {
        motion->live->advance(motion->live->user, seconds);
    }
}

double sn_motion_seconds(const sn_motion *motion, double row_seconds)
{
    return motion->live             ? 0
           : motion->poses          ? row_seconds * (motion->frame_count - 1)
           : motion->is_hop         ? SN_HOP_SECONDS
           : motion->is_root_motion ? sn_root_motion_seconds(&motion->root)
           : motion->has_expression ? EXPRESSION_SECONDS
           : motion->clip >= 0      ? sn_model_clip_seconds(motion->model, motion->clip)
                                    : 0;
}
