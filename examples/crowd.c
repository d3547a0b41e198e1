/* SPDX-License-Identifier: MIT */
/* A crowd on a floor: 64 instances of a model hop with different phases, while a viewer walks past and a ball rolls
 * through them. Nearby bodies use all modes and the finest clusters, distant ones use few. Prints the number of bodies
 * per level and the time of a step once a second. */
#include <math.h>
#include <stdio.h>

#include "sinew/sinew.h"

#define SIDE 8
#define BODIES (SIDE * SIDE)
#define LEVELS 3
#define SECONDS 4

static void print_line(sn_log_level level, const char *message, void *user)
{
    fprintf(user, "%s: %s\n", level == SN_LOG_ERROR ? "error" : "note", message);
}

static sn_mat3x4 translation(double x, double y, double z)
{
    return (sn_mat3x4){{{1, 0, 0, (float)x}, {0, 1, 0, (float)y}, {0, 0, 1, (float)z}}};
}

/* Level 0 has all modes, level 1 half of them, level 2 a quarter; each level uses coarser clusters. */
static void describe_level(const sn_model *model, int level, sn_body_desc *desc)
{
    desc->mode_count = sn_model_level_mode_count(model, (sn_model_mode_count(model) + (1 << level) - 1) >> level);
    desc->cluster_level = level;
}

/* Hysteresis: a body changes its level only when the viewer is well past the border between two levels. */
static int choose_level(double distance, double spacing, int level)
{
    const double nearer = spacing * (1.9 + 2 * (level - 1)), farther = spacing * (2.1 + 2 * level);
    if (level > 0 && distance < nearer) {
        return level - 1;
    }
    return level < LEVELS - 1 && distance > farther ? level + 1 : level;
}

typedef struct crowd {
    const sn_model *model;
    sn_world_id world;
    sn_body_id bodies[BODIES];
    double positions[BODIES][2];
    int levels[BODIES];
    sn_body_desc descs[LEVELS];
    double spacing;
} crowd;

/* Prepares the shared data of each level in advance, so that no change of a level delays a frame. */
static sn_result create_bodies(crowd *c)
{
    sn_result result = SN_OK;
    for (int level = 0; level < LEVELS && !result; ++level) {
        c->descs[level] = sn_default_body_desc();
        c->descs[level].model = c->model;
        c->descs[level].damping = 1;
        describe_level(c->model, level, &c->descs[level]);
        result = sn_world_prepare(c->world, &c->descs[level]);
    }
    for (int i = 0; i < BODIES && !result; ++i) {
        c->positions[i][0] = c->spacing * (i % SIDE);
        c->positions[i][1] = c->spacing * (i / SIDE);
        const sn_mat3x4 start_transform = translation(c->positions[i][0], 0, c->positions[i][1]);
        result = sn_body_create(c->world, &c->descs[0], &c->bodies[i]);
        if (!result) {
            sn_body_set_rigid_pose(c->bodies[i], &start_transform);
            sn_body_reset(c->bodies[i]);
        }
    }
    return result;
}

static sn_result create_solids(const crowd *c, double floor_height, sn_collider_id *ball)
{
    sn_collider_id floor;
    sn_collider_desc floor_desc = sn_default_collider_desc(), ball_desc = floor_desc;
    floor_desc.transform = translation(0, floor_height, 0);
    ball_desc.shape = SN_COLLIDER_SPHERE;
    ball_desc.radius = 0.25 * c->spacing;
    ball_desc.transform = translation(-c->spacing, 0, 0.3 * c->spacing);
    const sn_result result = sn_collider_create(c->world, &floor_desc, &floor);
    return result ? result : sn_collider_create(c->world, &ball_desc, ball);
}

/* Sets the poses and levels of a frame, and counts the bodies of each level. */
static void move(crowd *c, double seconds, int counts[LEVELS])
{
    const double viewer = c->spacing * SIDE * seconds / SECONDS;
    for (int i = 0; i < BODIES; ++i) {
        const double phase = fmod(seconds + 0.37 * i, 1.0);
        const sn_mat3x4 hop =
            translation(c->positions[i][0], 0.1 * c->spacing * 4 * phase * (1 - phase), c->positions[i][1]);
        const int level =
            choose_level(hypot(c->positions[i][0] - viewer, c->positions[i][1] + c->spacing), c->spacing, c->levels[i]);
        if (level != c->levels[i] && !sn_body_set_desc(c->bodies[i], &c->descs[level])) {
            c->levels[i] = level;
        }
        ++counts[c->levels[i]];
        sn_body_set_rigid_pose(c->bodies[i], &hop);
    }
}

int main(int argc, char **argv)
{
    crowd c = {0};
    sn_model *model;
    sn_collider_id ball;
    sn_world_desc world_desc = sn_default_world_desc();
    float low[3], high[3];
    double solver_seconds = 0;

    sn_set_log(print_line, stderr);
    if (sn_model_open(argc > 1 ? argv[1] : "avatar.sinew", &model)) {
        return 1;
    }
    c.model = model;
    const sn_surface surface = sn_model_surface(model);
    sn_surface_bounds(&surface, low, high);
    c.spacing = 2 * (double)(high[1] - low[1]);
    world_desc.worker_count = 0; /* one thread per processor: the motion is bit-identical for any number */
    if (sn_world_create(&world_desc, &c.world) || create_bodies(&c) || create_solids(&c, (double)low[1], &ball)) {
        return 1;
    }
    for (int frame = 1; frame <= 60 * SECONDS; ++frame) {
        const double seconds = frame / 60.0;
        const sn_mat3x4 rolled = translation(c.spacing * (SIDE * seconds / SECONDS - 1), 0, 0.3 * c.spacing);
        int counts[LEVELS] = {0};
        move(&c, seconds, counts);
        sn_collider_set_transform(ball, &rolled);
        /* in a game: the seconds since the last frame */
        solver_seconds += sn_world_step(c.world, 1.0 / 60).solver_seconds;
        if (frame % 60 == 0) {
            printf("%d s: %d, %d and %d bodies of each level, %.2f ms a step\n", frame / 60, counts[0], counts[1],
                   counts[2], 1000 * solver_seconds / 60);
            solver_seconds = 0;
        }
    }
    sn_world_destroy(c.world);
    sn_model_release(model);
    return 0;
}
