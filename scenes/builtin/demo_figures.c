/* SPDX-License-Identifier: MIT */
/* Scenes after figures of Wu and Umetani, "Two-Way Coupling of Skinning Transformations and Position Based Dynamics":
 * the worm (figure 3), the ghost in a cage (7), a head rotated by two points (8), the falling octopus (11); and the
 * authors' hanging bar. The shapes are similar to the authors', not copies. */
#include <math.h>

#include "scenes/builtin/demos.h"

#define COUNT(array) (int)(sizeof(array) / sizeof(array)[0])

static const sn_scene_lock all_locks[] = {{0, SN_LOCK_ALL}};

static void start(sn_scene_script *script, sn_scene_character *character, sn_scene_body *body,
                  const sn_scene_shape *shape, const sn_cook_handles *handles)
{
    *character = sn_default_scene_character();
    character->name = handles->name;
    character->shape = *shape;
    character->cook.handles = handles;
    sn_demo_set_compliances(&character->cook, true, 1e-3, 1e-2);
    script->characters = character;
    script->character_count = 1;
    script->bodies = body;
    script->body_count = 1;
}

/* ---- a bar ---- */

void sn_demo_build_pbd_test(sn_scene_script *script)
{
    static sn_scene_character bar;
    static sn_scene_body body;
    static const sn_scene_shape shape = {.type = SN_SHAPE_BOX,
                                         .is_flat = true,
                                         .edge_length = 0.04,
                                         .half_extents = {0.6, 0.12},
                                         .paint = {.top = {0.3F, 0.55F, 0.5F}, .bottom = {0.2F, 0.4F, 0.42F}}};
    static const sn_cook_handle points[] = {
        {.name = "left", .parent = -1, .start = {-0.58, 0}},  {.name = "second", .parent = -1, .start = {-0.36, 0}},
        {.name = "third", .parent = -1, .start = {-0.12, 0}}, {.name = "fourth", .parent = -1, .start = {0.12, 0}},
        {.name = "fifth", .parent = -1, .start = {0.36, 0}},  {.name = "right", .parent = -1, .start = {0.58, 0}}};
    static const sn_cook_handles handles = {.name = "bar", .count = COUNT(points), .handles = points};
    static const sn_scene_drive drives[] = {{.bone = "left", .locks = all_locks, .lock_count = 1}};
    script->name = "PbdTest1";
    script->description = "A bar hangs from its left end (2D)";
    start(script, &bar, &body, &shape, &handles);
    /* With more density, the published 6 substeps or more compliance, the bar would hang like a rope: its whole weight
     * acts on the 1/6 of it that the end's handle controls. */
    bar.cook.density = 0.1;
    body = sn_demo_coupled_body(30, 1, pow(0.95, 0.2), 1e-5);
    body.drives = drives;
    body.drive_count = 1;
    script->gravity.at[1].constant = -10;
    sn_demo_set_camera(script, -0.1, -0.3, 3.4);
}

/* ---- the worm ---- */

void sn_demo_build_worm(sn_scene_script *script)
{
    static sn_scene_character worm;
    static sn_scene_body body;
    static const sn_scene_blob blobs[] = {{{-0.8, 0}, {0.62, 0}, 0.1, 0.115}, {{0.62, 0}, {0.8, 0.01}, 0.125, 0.12}};
    static const sn_scene_spot spots[] = {
        {{-0.55, 0}, {0.03, 0.3}, {0.93F, 0.75F, 0.7F}}, {{-0.25, 0}, {0.03, 0.3}, {0.93F, 0.75F, 0.7F}},
        {{0.05, 0}, {0.03, 0.3}, {0.93F, 0.75F, 0.7F}},  {{0.35, 0}, {0.03, 0.3}, {0.93F, 0.75F, 0.7F}},
        {{0.82, 0.05}, {0.032, 0.032}, {1, 1, 1}},       {{0.83, 0.05}, {0.016, 0.016}, {0.05F, 0.05F, 0.06F}}};
    static const sn_scene_shape shape = {
        .type = SN_SHAPE_BLOBS,
        .is_flat = true,
        .edge_length = 0.024,
        .blobs = blobs,
        .blob_count = COUNT(blobs),
        .blend = 0.05,
        .paint = {
            .top = {0.86F, 0.5F, 0.5F}, .bottom = {0.92F, 0.66F, 0.6F}, .spots = spots, .spot_count = COUNT(spots)}};
    static const sn_cook_handle points[] = {{.name = "tail", .parent = -1, .start = {-0.8, 0}},
                                            {.name = "second", .parent = -1, .start = {-0.4, 0}},
                                            {.name = "middle", .parent = -1, .start = {0, 0}},
                                            {.name = "fourth", .parent = -1, .start = {0.4, 0}},
                                            {.name = "head", .parent = -1, .start = {0.78, 0}}};
    static const sn_cook_handles handles = {.name = "worm", .count = COUNT(points), .handles = points};
    static const sn_scene_drive drives[] = {
        {.bone = "tail", .rotation.at[2].expression = "-0.8*sin(0.9*t)^2", .locks = all_locks, .lock_count = 1},
        {.bone = "head",
         .translation.at = {{.expression = "-0.5*sin(0.9*t)^2"}, {.expression = "0.5*sin(0.9*t)^2"}},
         .rotation.at[2].expression = "1.1*sin(0.9*t)^2",
         .locks = all_locks,
         .lock_count = 1}};
    script->name = "worm";
    script->description = "A worm with two keyed ends; physics bends the three points between them (2D, figure 3)";
    start(script, &worm, &body, &shape, &handles);
    body = sn_demo_coupled_body(15, 1, 0.993, 1e-3);
    body.drives = drives;
    body.drive_count = 2;
    sn_demo_set_camera(script, 0, 0.05, 3.9);
}

/* ---- the ghost ---- */

#define CAGE(number, x, y)                                                                                             \
    {                                                                                                                  \
        .shape = SN_HANDLE_SHAPE_CAGE, .name = "cage." #number, .parent = -1, .start = { x, y }                        \
    }

void sn_demo_build_ghost(sn_scene_script *script)
{
    static sn_scene_character ghost;
    static sn_scene_body body;
    static const double points[][2] = {{0, 0.56},      {0.2, 0.52},    {0.34, 0.38},   {0.38, 0.16},   {0.42, -0.14},
                                       {0.48, -0.44},  {0.38, -0.52},  {0.28, -0.42},  {0.17, -0.5},   {0.06, -0.42},
                                       {-0.05, -0.51}, {-0.16, -0.42}, {-0.27, -0.51}, {-0.37, -0.42}, {-0.48, -0.5},
                                       {-0.42, -0.14}, {-0.38, 0.16},  {-0.34, 0.38},  {-0.2, 0.52}};
    static const sn_scene_spot spots[] = {{{-0.13, 0.24}, {0.055, 0.085}, {0.13F, 0.13F, 0.2F}},
                                          {{0.13, 0.24}, {0.055, 0.085}, {0.13F, 0.13F, 0.2F}},
                                          {{0, 0.06}, {0.06, 0.045}, {0.25F, 0.2F, 0.32F}}};
    static const sn_scene_shape shape = {
        .type = SN_SHAPE_OUTLINE,
        .edge_length = 0.045,
        .points = points,
        .point_count = COUNT(points),
        .paint = {
            .top = {0.93F, 0.94F, 0.98F}, .bottom = {0.68F, 0.72F, 0.86F}, .spots = spots, .spot_count = COUNT(spots)}};
    static const sn_cook_handle cage[] = {
        CAGE(0, 0, 0.5),  CAGE(1, 0.26, 0.38),   CAGE(2, 0.34, 0.1),   CAGE(3, 0.38, -0.2), CAGE(4, 0.38, -0.44),
        CAGE(5, 0, -0.4), CAGE(6, -0.38, -0.44), CAGE(7, -0.38, -0.2), CAGE(8, -0.34, 0.1), CAGE(9, -0.26, 0.38)};
    static const int32_t edges[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 0};
    static const sn_cook_handles handles = {
        .name = "ghost", .count = COUNT(cage), .handles = cage, .edge_count = COUNT(cage), .edges = edges};
#define SWAY                                                                                                           \
    {                                                                                                                  \
        {.expression = "0.3*sin(2.4*t)"},                                                                              \
        {                                                                                                              \
            .expression = "0.06*sin(4.8*t)"                                                                            \
        }                                                                                                              \
    }
    static const sn_scene_drive drives[] = {
        {.bone = "cage.0", .translation.at = SWAY, .locks = all_locks, .lock_count = 1},
        {.bone = "cage.1", .translation.at = SWAY, .locks = all_locks, .lock_count = 1},
        {.bone = "cage.9", .translation.at = SWAY, .locks = all_locks, .lock_count = 1}};
    script->name = "ghost_cage";
    script->description = "Three of ten cage corners move a ghost back and forth; the others follow (2D, figure 7)";
    start(script, &ghost, &body, &shape, &handles);
    body = sn_demo_coupled_body(15, 1, 0.993, 1e-3);
    body.drives = drives;
    body.drive_count = COUNT(drives);
    sn_demo_set_camera(script, 0, 0, 2.9);
}

/* ---- the head ---- */

void sn_demo_build_bunny(sn_scene_script *script)
{
    static sn_scene_character bunny;
    static sn_scene_body body;
    static const sn_scene_blob blobs[] = {{{-0.1, -0.2}, {0.1, -0.2}, 0.3, 0.3},
                                          {{-0.13, 0.02}, {-0.24, 0.56}, 0.09, 0.085},
                                          {{0.13, 0.02}, {0.24, 0.56}, 0.09, 0.085}};
    static const sn_scene_spot spots[] = {{{-0.215, 0.4}, {0.04, 0.19}, {0.95F, 0.7F, 0.7F}},
                                          {{0.215, 0.4}, {0.04, 0.19}, {0.95F, 0.7F, 0.7F}},
                                          {{-0.15, -0.13}, {0.035, 0.05}, {0.1F, 0.08F, 0.1F}},
                                          {{0.15, -0.13}, {0.035, 0.05}, {0.1F, 0.08F, 0.1F}},
                                          {{0, -0.23}, {0.035, 0.025}, {0.92F, 0.5F, 0.52F}}};
    static const sn_scene_shape shape = {
        .type = SN_SHAPE_BLOBS,
        .is_flat = true,
        .edge_length = 0.02,
        .blobs = blobs,
        .blob_count = COUNT(blobs),
        .blend = 0.08,
        .paint = {
            .top = {0.9F, 0.88F, 0.86F}, .bottom = {0.78F, 0.75F, 0.74F}, .spots = spots, .spot_count = COUNT(spots)}};
    static const sn_cook_handle points[] = {{.name = "cheek left", .parent = -1, .start = {-0.3, -0.25}},
                                            {.name = "cheek right", .parent = -1, .start = {0.3, -0.25}},
                                            {.name = "brow left", .parent = -1, .start = {-0.14, 0.0}},
                                            {.name = "brow right", .parent = -1, .start = {0.14, 0.0}},
                                            {.name = "ear left", .parent = -1, .start = {-0.18, 0.28}},
                                            {.name = "ear right", .parent = -1, .start = {0.18, 0.28}},
                                            {.name = "tip left", .parent = -1, .start = {-0.24, 0.56}},
                                            {.name = "tip right", .parent = -1, .start = {0.24, 0.56}}};
    static const sn_cook_handles handles = {.name = "bunny", .count = COUNT(points), .handles = points};
    static const sn_scene_drive drives[] = {{.bone = "cheek left",
                                             .rotation.at[2].expression = "0.45*sin(4.5*t)*smooth(0,0.5,t)",
                                             .has_pivot = true,
                                             .pivot = {0, -0.25},
                                             .locks = all_locks,
                                             .lock_count = 1},
                                            {.bone = "cheek right",
                                             .rotation.at[2].expression = "0.45*sin(4.5*t)*smooth(0,0.5,t)",
                                             .has_pivot = true,
                                             .pivot = {0, -0.25},
                                             .locks = all_locks,
                                             .lock_count = 1}};
    script->name = "bunny_head";
    script->description = "Two points rotate around each other; face and ears follow (2D, figure 8)";
    start(script, &bunny, &body, &shape, &handles);
    body = sn_demo_coupled_body(15, 1, 0.993, 3e-4);
    body.drives = drives;
    body.drive_count = 2;
    sn_demo_set_camera(script, 0, 0.1, 2.9);
}

/* ---- the octopus ---- */

static void add_balls(sn_scene_script *script)
{
    static sn_scene_collider balls[2];
    for (int i = 0; i < 2; ++i) {
        balls[i].desc = sn_default_collider_desc();
        balls[i].desc.shape = SN_COLLIDER_SPHERE;
        balls[i].desc.radius = 0.2;
        balls[i].desc.friction = 0.15;
        balls[i].translation.at[0].constant = i == 0 ? -0.4 : 0.52;
        balls[i].translation.at[1].constant = i == 0 ? -0.35 : -0.62;
    }
    script->colliders = balls;
    script->collider_count = 2;
}

void sn_demo_build_octopus(sn_scene_script *script)
{
    static sn_scene_character octopus;
    static sn_scene_body body;
    static const sn_scene_blob blobs[] = {{{0, 0.22}, {0, 0.12}, 0.24, 0.2},
                                          {{-0.16, -0.02}, {-0.42, -0.16}, 0.07, 0.055},
                                          {{-0.42, -0.16}, {-0.56, -0.1}, 0.055, 0.04},
                                          {{-0.1, -0.06}, {-0.24, -0.34}, 0.07, 0.055},
                                          {{-0.24, -0.34}, {-0.38, -0.42}, 0.055, 0.04},
                                          {{-0.04, -0.08}, {-0.07, -0.4}, 0.065, 0.05},
                                          {{-0.07, -0.4}, {-0.12, -0.54}, 0.05, 0.04},
                                          {{0.04, -0.08}, {0.09, -0.4}, 0.065, 0.05},
                                          {{0.09, -0.4}, {0.14, -0.54}, 0.05, 0.04},
                                          {{0.1, -0.06}, {0.25, -0.34}, 0.07, 0.055},
                                          {{0.25, -0.34}, {0.39, -0.42}, 0.055, 0.04},
                                          {{0.16, -0.02}, {0.42, -0.16}, 0.07, 0.055},
                                          {{0.42, -0.16}, {0.56, -0.1}, 0.055, 0.04}};
    static const sn_scene_spot spots[] = {{{-0.09, 0.14}, {0.055, 0.065}, {1, 1, 1}},
                                          {{0.09, 0.14}, {0.055, 0.065}, {1, 1, 1}},
                                          {{-0.08, 0.13}, {0.026, 0.032}, {0.05F, 0.05F, 0.08F}},
                                          {{0.08, 0.13}, {0.026, 0.032}, {0.05F, 0.05F, 0.08F}},
                                          {{-0.14, 0.34}, {0.035, 0.03}, {0.72F, 0.4F, 0.66F}},
                                          {{0.05, 0.4}, {0.04, 0.03}, {0.72F, 0.4F, 0.66F}}};
    static const sn_scene_shape shape = {
        .type = SN_SHAPE_BLOBS,
        .is_flat = true,
        .edge_length = 0.035,
        .blobs = blobs,
        .blob_count = COUNT(blobs),
        .blend = 0.04,
        .paint = {
            .top = {0.56F, 0.28F, 0.55F}, .bottom = {0.86F, 0.55F, 0.7F}, .spots = spots, .spot_count = COUNT(spots)}};
    static const sn_cook_handle points[] = {{.name = "crown", .parent = -1, .start = {0, 0.36}},
                                            {.name = "mouth", .parent = -1, .start = {0, 0.04}},
                                            {.name = "arm 1", .parent = -1, .start = {-0.36, -0.13}},
                                            {.name = "tip 1", .parent = -1, .start = {-0.55, -0.1}},
                                            {.name = "arm 2", .parent = -1, .start = {-0.22, -0.31}},
                                            {.name = "tip 2", .parent = -1, .start = {-0.37, -0.42}},
                                            {.name = "tip 3", .parent = -1, .start = {-0.11, -0.52}},
                                            {.name = "tip 4", .parent = -1, .start = {0.13, -0.52}},
                                            {.name = "arm 5", .parent = -1, .start = {0.23, -0.31}},
                                            {.name = "tip 5", .parent = -1, .start = {0.38, -0.42}},
                                            {.name = "arm 6", .parent = -1, .start = {0.36, -0.13}},
                                            {.name = "tip 6", .parent = -1, .start = {0.55, -0.1}}};
    static const sn_cook_handles handles = {.name = "octopus", .count = COUNT(points), .handles = points};
    script->name = "octopus";
    script->description = "An octopus without keyed points falls over two balls to the ground (2D, figure 11)";
    start(script, &octopus, &body, &shape, &handles);
    body = sn_demo_coupled_body(15, 1, 0.998, 1e-4);
    body.translation.at[1].constant = 0.75;
    add_balls(script);
    script->gravity.at[1].constant = -4;
    script->has_floor = true;
    script->floor_height = -1.1;
    script->floor_friction = 0.4;
    body.desc.is_rigid_damped = false;
    sn_demo_set_camera(script, 0, -0.1, 4.3);
}
