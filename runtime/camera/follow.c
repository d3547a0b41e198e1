/* SPDX-License-Identifier: MIT */
#include "runtime/camera/follow.h"

#include <math.h>

#include "host/math/affine.h"

#define ROOM 1.25  /* factor on the distance that the first pose needs */
#define LEASH 0.08 /* fraction of the distance that the model may move before the camera follows */
#define LAG_SECONDS 0.25

void sn_follow_begin(sn_stage *stage)
{
    stage->distance *= ROOM;
    stage->radius *= ROOM;
}

/* Mean displacement (x, z) of the bones' pivots from rest. */
static void find_way(const sn_model *model, const double *pose, double way[2])
{
    const int count = model->counts.bone_count;
    way[0] = way[1] = 0;
    for (int bone = 0; bone < count; ++bone) {
        double pivot[3], place[3];
        sn_model_bone_pivot(model, bone, pivot);
        sn_affine_apply(pose + 12 * (size_t)bone, pivot, place);
        way[0] += (place[0] - pivot[0]) / count;
        way[1] += (place[2] - pivot[2]) / count;
    }
}

void sn_follow(sn_stage *stage, const sn_model *model, const double *pose, double seconds)
{
    double way[2];
    find_way(model, pose, way);
    const double x = way[0] - stage->path[0][0], z = way[1] - stage->path[0][1], length = hypot(x, z);
    const double leash = LEASH * stage->distance;
    if (length > leash) {
        const double share = (1 - exp(-seconds / LAG_SECONDS)) * (length - leash) / length;
        stage->path[0][0] += share * x;
        stage->path[0][1] += share * z;
    }
}
