/* SPDX-License-Identifier: MIT */
/* Two-way coupling: hangs a model by its first bone under gravity with all other bones free, grabs its lowest skin,
 * pulls it aside for one second and releases it. Prints the position of that bone and of the grabbed flesh. */
#include <stdio.h>
#include <stdlib.h>

#include "sinew/sinew.h"

static double height_of(const sn_model *model)
{
    const sn_surface surface = sn_model_surface(model);
    float low[3], high[3];
    sn_surface_bounds(&surface, low, high);
    return (double)(high[1] - low[1]);
}

static void print_line(sn_log_level level, const char *message, void *user)
{
    fprintf(user, "%s: %s\n", level == SN_LOG_ERROR ? "error" : "note", message);
}

/* Returns the lowest vertex of the tets. */
static int find_lowest(const double *flesh, int count)
{
    int lowest = 0;
    for (int i = 1; i < count; ++i) {
        lowest = flesh[3 * i + 1] < flesh[3 * lowest + 1] ? i : lowest;
    }
    return lowest;
}

/* Prints the flesh itself. The skin would be drawn with the bones' matrices (sn_body_output), as for any body. */
static void print_state(sn_body_id body, double *flesh, int count, int vertex, int frame)
{
    const sn_mat3x4 *root = sn_body_output(body).matrices;
    double impulse[6];
    sn_body_tet_positions(body, flesh, count);
    sn_body_lock_impulse(body, 0, impulse);
    printf("%.1f s: bone moved by (%.3f %.3f %.3f), flesh at (%.3f %.3f %.3f), held by %.3g N\n", frame / 60.0,
           (double)root->m[0][3], (double)root->m[1][3], (double)root->m[2][3], flesh[3 * vertex],
           flesh[3 * vertex + 1], flesh[3 * vertex + 2], 60 * impulse[1]);
}

int main(int argc, char **argv)
{
    sn_model *model;
    sn_world_id world;
    sn_body_id body;
    sn_world_desc world_desc = sn_default_world_desc();
    sn_body_desc body_desc = sn_default_body_desc();
    sn_grab_desc grab_desc = sn_default_grab_desc();
    int grab = -1;

    sn_set_log(print_line, stderr);
    if (sn_model_open(argc > 1 ? argv[1] : "avatar.sinew", &model)) {
        return 1;
    }
    const int count = sn_model_vertex_count(model);
    double *flesh = malloc(3 * sizeof *flesh * (size_t)count);
    body_desc.model = model;
    body_desc.solver = SN_SOLVER_COUPLED;
    body_desc.gravity[1] = -9.81 * sn_model_scale(model); /* model units */
    body_desc.damping = 2;
    body_desc.stiffness = 2e5 / sn_model_young_modulus(model); /* pascals: stiff enough to support its own weight */
    if (!flesh || sn_world_create(&world_desc, &world) || sn_body_create(world, &body_desc, &body)) {
        return 1;
    }
    for (int bone = 1; bone < sn_model_bone_count(model); ++bone) {
        sn_body_set_locks(body, bone, 0); /* bone 0 stays locked to the bind pose */
    }
    sn_body_tet_positions(body, flesh, count);
    const int lowest = find_lowest(flesh, count);
    for (int frame = 1; frame <= 180; ++frame) {
        sn_world_step(world, 1.0 / 60);
        if (frame == 60) {
            sn_body_tet_positions(body, flesh, count);
            grab = sn_body_grab(body, flesh + 3 * lowest, &grab_desc);
        } else if (frame < 120 && grab >= 0) {
            const double offset = 0.2 * height_of(model) * (frame - 60) / 60;
            sn_body_drag(body, grab,
                         (double[3]){flesh[3 * lowest] + offset, flesh[3 * lowest + 1], flesh[3 * lowest + 2]});
        } else if (frame == 120 && grab >= 0) {
            sn_body_release(body, grab);
        }
        if (frame % 30 == 0 && !(frame > 60 && frame < 120)) {
            print_state(body, flesh, count, lowest, frame);
        }
    }
    sn_world_destroy(world);
    sn_model_release(model);
    free(flesh);
    return 0;
}
