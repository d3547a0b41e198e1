/* SPDX-License-Identifier: MIT */
/* Prints the largest entry of a mode's matrix over 240 frames of a model's first clip, with which bindings compare
 * theirs. */
#include <math.h>
#include <stdio.h>

#include "sinew/sinew.h"

#define BONE_LIMIT 1024

int main(int argc, char **argv)
{
    static sn_mat3x4 pose[BONE_LIMIT];
    const sn_world_desc world_desc = sn_default_world_desc();
    sn_body_desc desc = sn_default_body_desc();
    sn_world_id world;
    sn_body_id body;
    sn_model *model;
    float largest = 0;
    if (argc != 2 || sn_model_open(argv[1], &model) || sn_model_bone_count(model) > BONE_LIMIT) {
        return 1;
    }
    desc.model = model;
    if (sn_world_create(&world_desc, &world) || sn_body_create(world, &desc, &body)) {
        return 1;
    }
    for (int frame = 0; frame < 240; ++frame) {
        sn_model_clip_pose(model, 0, frame / 60.0, pose, sn_model_bone_count(model));
        sn_body_set_pose(body, pose, sn_model_bone_count(model));
        if (frame == 0) {
            sn_body_reset(body);
        }
        sn_world_step(world, 1.0 / 60);
        const sn_body_matrices out = sn_body_output(body);
        for (int j = 0; j < 12 * out.mode_count; ++j) {
            const sn_mat3x4 *mode = &out.matrices[out.bone_count + j / 12];
            largest = fmaxf(largest, fabsf(mode->m[j / 4 % 3][j % 4]));
        }
    }
    printf("%.10g\n", (double)largest);
    sn_world_destroy(world);
    sn_model_release(model);
    return 0;
}
