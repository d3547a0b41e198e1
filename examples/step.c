/* SPDX-License-Identifier: MIT */
/* Lets a model hop for two seconds and prints the largest entry of its modes' matrices. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "sinew/sinew.h"

static void print_line(sn_log_level level, const char *message, void *user)
{
    fprintf(user, "%s: %s\n", level == SN_LOG_ERROR ? "error" : "note", message);
}

int main(int argc, char **argv)
{
    const int file = open(argc > 1 ? argv[1] : "avatar.sinew", O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status)) {
        perror("the model");
        return 1;
    }
    const void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0); /* outlives the model */
    sn_model *model;
    sn_world_id world;
    sn_body_id body;
    sn_world_desc world_desc = sn_default_world_desc();
    sn_body_desc body_desc = sn_default_body_desc();

    sn_set_log(print_line, stderr);
    if (bytes == MAP_FAILED || sn_model_load(bytes, (size_t)status.st_size, &model)) {
        return 1;
    }
    body_desc.model = model;
    if (sn_world_create(&world_desc, &world) || sn_body_create(world, &body_desc, &body)) {
        return 1;
    }
    float largest = 0;
    for (int frame = 0; frame < 120; ++frame) {
        const float t = (float)(frame % 60) / 60; /* a hop a second, a quarter of a model unit high */
        const sn_mat3x4 pose = {{{1, 0, 0, 0}, {0, 1, 0, t * (1 - t)}, {0, 0, 1, 0}}};
        sn_body_set_rigid_pose(body, &pose); /* an animated character: sn_body_set_pose, a transform a bone */
        sn_world_step(world, 1.0 / 60);
        const sn_body_matrices drawn = sn_body_output(body); /* for the vertex shader: bones, then modes */
        for (int i = 0; i < 12 * drawn.mode_count; ++i) {
            const float entry = drawn.matrices[drawn.bone_count + i / 12].m[i % 12 / 4][i % 4];
            largest = entry > largest ? entry : -entry > largest ? -entry : largest;
        }
    }
    printf("%d modes, largest entry %.4f\n", sn_model_mode_count(model), (double)largest);
    sn_world_destroy(world); /* and its bodies */
    sn_model_release(model);
    return 0;
}
