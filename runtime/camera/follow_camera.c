/* SPDX-License-Identifier: MIT */
#include "runtime/camera/follow_camera.h"

#include <math.h>

#include "host/math/affine.h"

#define VIEW_MARGIN 1.25  /* factor on the distance that the first pose needs */
#define FOLLOW_START 0.08 /* fraction of the distance that the model may move before the camera follows */
#define FOLLOW_SECONDS 0.25

void sn_follow_camera_start(sn_stage *stage)
{
    stage->distance *= VIEW_MARGIN;
    stage->radius *= VIEW_MARGIN;
}

/* Mean displacement (x, z) of the bones' pivots from rest. */
static void mean_displacement(const sn_model *model, const double *pose, double displacement[2])
{
    const int count = model->counts.bone_count;
    displacement[0] = displacement[1] = 0;
    for (int bone = 0; bone < count; ++bone) {
        double pivot[3], position[3];
        sn_model_bone_pivot(model, bone, pivot);
        sn_affine_apply(pose + 12 * (size_t)bone, pivot, position);
        displacement[0] += (position[0] - pivot[0]) / count;
        displacement[1] += (position[2] - pivot[2]) / count;
    }
}

void sn_follow_camera_update(sn_stage *stage, const sn_model *model, const double *pose, double seconds)
{
    double displacement[2];
    mean_displacement(model, pose, displacement);
    const double x = displacement[0] - stage->path[0][0], z = displacement[1] - stage->path[0][1], length = hypot(x, z);
    const double max_offset = FOLLOW_START * stage->distance;
    if (length > max_offset) {
        const double fraction = (1 - exp(-seconds / FOLLOW_SECONDS)) * (length - max_offset) / length;
        stage->path[0][0] += fraction * x;
        stage->path[0][1] += fraction * z;
    }
}
