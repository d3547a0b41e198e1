/* SPDX-License-Identifier: MIT */
/* Plays a model's first clip (or a hop if it has none) for two seconds, and prints the largest entry of the mode
 * matrices. */
#include <stdio.h>

#include "sinew/sinew.h"

static void print_line(sn_log_level level, const char *message, void *user)
{
    fprintf(user, "%s: %s\n", level == SN_LOG_ERROR ? "error" : "note", message);
}

int main(int argc, char **argv)
{
    sn_model *model;
    sn_world_id world;
    sn_body_id body;
    sn_world_desc world_desc = sn_default_world_desc();
    sn_body_desc body_desc = sn_default_body_desc();
    sn_mat3x4 bones[256];
    float max_entry = 0;

    sn_set_log(print_line, stderr);
    if (sn_model_open(argc > 1 ? argv[1] : "avatar.sinew", &model) || sn_model_bone_count(model) > 256) {
        return 1;
    }
    body_desc.model = model;
    if (sn_world_create(&world_desc, &world) || sn_body_create(world, &body_desc, &body)) {
        return 1;
    }
    for (int frame = 0; frame < 120; ++frame) {
        const float t = (float)(frame % 60) / 60;
        const sn_mat3x4 hop = {{{1, 0, 0, 0}, {0, 1, 0, t * (1 - t)}, {0, 0, 1, 0}}};
        if (sn_model_clip_count(model) > 0) {
            sn_model_clip_pose(model, 0, frame / 60.0, bones, sn_model_bone_count(model));
            sn_body_set_pose(body, bones, sn_model_bone_count(model));
        } else {
            sn_body_set_rigid_pose(body, &hop);
        }
        if (frame == 0) {
            sn_body_reset(body); /* starts at rest in this pose instead of moving there from the bind pose */
        }
        /* in a game: the seconds since the last frame */
        sn_world_step(world, 1.0 / 60);
        const sn_body_matrices output = sn_body_output(body); /* for the vertex shader: bones, then modes */
        for (int i = 0; i < 12 * output.mode_count; ++i) {
            const float entry = output.matrices[output.bone_count + i / 12].m[i % 12 / 4][i % 4];
            max_entry = entry > max_entry ? entry : -entry > max_entry ? -entry : max_entry;
        }
    }
    printf("%d modes, largest entry %.4f\n", sn_model_mode_count(model), (double)max_entry);
    sn_world_destroy(world); /* and its bodies */
    sn_model_release(model);
    return 0;
}
