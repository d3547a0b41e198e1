/* SPDX-License-Identifier: MIT */
/* Scene: a rigid-body engine rolls a ball into ten pins; their flesh follows by complementary dynamics. Dimensions are
 * those of the sport: pins 15 in high, 1.5 kg, 12 in apart; a 14 lb ball that hits beside the first pin. */
#include "scenes/builtin/demos.h"

#define PIN_ROW "floor((sqrt(8*i + 1) - 1)/2)"
#define PIN_DISTANCE 0.3048
#define BALL_RADIUS 0.108
#define BALL_SPEED 6.5

static sn_scene_collider wall(double x, double z, double half_x, double half_y, double half_z)
{
    sn_scene_collider wall = {.desc = sn_default_collider_desc()};
    wall.desc.shape = SN_COLLIDER_BOX;
    wall.desc.half_extents[0] = half_x;
    wall.desc.half_extents[1] = half_y;
    wall.desc.half_extents[2] = half_z;
    wall.translation.at[0].constant = x;
    wall.translation.at[1].constant = half_y;
    wall.translation.at[2].constant = z;
    return wall;
}

static sn_scene_character build_pin(void)
{
    static const sn_scene_blob blobs[] = {{{0, 0.036, 0}, {0, 0.114, 0}, 0.036, 0.0605},
                                          {{0, 0.114, 0}, {0, 0.235, 0}, 0.0605, 0.025},
                                          {{0, 0.235, 0}, {0, 0.275, 0}, 0.025, 0.024},
                                          {{0, 0.275, 0}, {0, 0.3487, 0}, 0.024, 0.0323}};
    static const sn_scene_spot spots[] = {{{0, 0.234}, {0.2, 0.007}, {0.8F, 0.12F, 0.12F}},
                                          {{0, 0.262}, {0.2, 0.007}, {0.8F, 0.12F, 0.12F}}};
    sn_scene_character pin = sn_default_scene_character();
    pin.name = "pin";
    pin.shape = (sn_scene_shape){
        .type = SN_SHAPE_BLOBS,
        .edge_length = 0.014,
        .blobs = blobs,
        .blob_count = 4,
        .blend = 0.012,
        .paint = {.top = {0.96F, 0.95F, 0.92F}, .bottom = {0.93F, 0.91F, 0.86F}, .spots = spots, .spot_count = 2}};
    pin.cook.young = 500;
    pin.cook.tet_vertex_count = 4000;
    pin.cook.mode_count = 12;
    pin.cook.cluster_count = 40;
    return pin;
}

static sn_scene_character build_ball(void)
{
    static const sn_scene_blob blob = {{0, 0, 0}, {0, 0, 0}, BALL_RADIUS, BALL_RADIUS};
    static const sn_scene_spot holes[] = {{{-0.02, 0.03}, {0.012, 0.012}, {0.02F, 0.02F, 0.03F}},
                                          {{0.02, 0.03}, {0.012, 0.012}, {0.02F, 0.02F, 0.03F}},
                                          {{0, -0.03}, {0.014, 0.014}, {0.02F, 0.02F, 0.03F}}};
    sn_scene_character ball = sn_default_scene_character();
    ball.name = "ball";
    ball.shape = (sn_scene_shape){
        .type = SN_SHAPE_BLOBS,
        .edge_length = 0.025,
        .blobs = &blob,
        .blob_count = 1,
        .paint = {.top = {0.2F, 0.35F, 0.75F}, .bottom = {0.1F, 0.15F, 0.45F}, .spots = holes, .spot_count = 3}};
    ball.cook.young = 1e4;
    ball.cook.tet_vertex_count = 2000;
    ball.cook.mode_count = 8;
    ball.cook.cluster_count = 20;
    return ball;
}

static sn_scene_rigid build_pin_rigid(void)
{
    /* a base to stand on, and spheres and a neck along the axis */
    static const sn_scene_solid pin_solids[] = {
        {.type = SN_SOLID_CYLINDER, .radius = 0.027, .half_height = 0.01, .translation = {0, 0.01, 0}},
        {.type = SN_SOLID_SPHERE, .radius = 0.045, .translation = {0, 0.05, 0}},
        {.type = SN_SOLID_SPHERE, .radius = 0.0573, .translation = {0, 0.0857, 0}},
        {.type = SN_SOLID_SPHERE, .radius = 0.0605, .translation = {0, 0.1143, 0}},
        {.type = SN_SOLID_SPHERE, .radius = 0.054, .translation = {0, 0.145, 0}},
        {.type = SN_SOLID_SPHERE, .radius = 0.043, .translation = {0, 0.18, 0}},
        {.type = SN_SOLID_SPHERE, .radius = 0.032, .translation = {0, 0.215, 0}},
        {.type = SN_SOLID_CAPSULE, .radius = 0.024, .half_height = 0.05, .translation = {0, 0.27, 0}},
        {.type = SN_SOLID_SPHERE, .radius = 0.0323, .translation = {0, 0.3487, 0}}};
    sn_scene_rigid pin = sn_default_scene_rigid();
    pin.mass = 1.5;
    pin.friction = 0.4;
    pin.restitution = 0.4;
    pin.solids = pin_solids;
    pin.solid_count = sizeof pin_solids / sizeof pin_solids[0];
    return pin;
}

static sn_scene_rigid build_ball_rigid(void)
{
    static const sn_scene_solid ball_solid = {.type = SN_SOLID_SPHERE, .radius = BALL_RADIUS};
    sn_scene_rigid ball = sn_default_scene_rigid();
    ball.mass = 6.4;
    ball.friction = 0.15;
    ball.solids = &ball_solid;
    ball.solid_count = 1;
    ball.velocity.at[2].constant = -BALL_SPEED;
    ball.velocity.at[0].constant = -0.12;
    ball.angular_velocity.at[0].constant = -BALL_SPEED / BALL_RADIUS;
    return ball;
}

void sn_demo_build_bowling(sn_scene_script *script)
{
    static sn_scene_character characters[2];
    static sn_scene_body bodies[2];
    static sn_scene_rigid pin, ball;
    static sn_scene_collider walls[3];
    script->name = "bowling";
    script->description = "A ball hits ten pins; all are rigid bodies with soft flesh: complementary dynamics (3D)";
    script->seconds = 6;
    script->gravity.at[1].constant = -9.81;
    characters[0] = build_pin();
    characters[1] = build_ball();
    pin = build_pin_rigid();
    bodies[0] = sn_default_scene_body();
    bodies[0].count = 10;
    bodies[0].damping.constant = 2;
    bodies[0].translation.at[0].expression = "0.3048*(i - " PIN_ROW "*(" PIN_ROW " + 1)/2 - " PIN_ROW "/2)";
    bodies[0].translation.at[2].expression = "-0.26396*" PIN_ROW; /* rows of an equilateral triangle */
    bodies[0].rigid = &pin;
    ball = build_ball_rigid();
    bodies[1] = sn_default_scene_body();
    bodies[1].character = 1;
    bodies[1].damping.constant = 3;
    bodies[1].translation.at[0].constant = 0.07;
    bodies[1].translation.at[1].constant = BALL_RADIUS;
    bodies[1].translation.at[2].constant = 0.95;
    bodies[1].rigid = &ball;
    walls[0] = wall(-0.72, -0.45, 0.03, 0.2, 0.9);
    walls[1] = wall(0.72, -0.45, 0.03, 0.2, 0.9);
    walls[2] = wall(0, -1.32, 0.75, 0.3, 0.03);
    script->characters = characters;
    script->character_count = 2;
    script->bodies = bodies;
    script->body_count = 2;
    script->colliders = walls;
    script->collider_count = 3;
    script->has_floor = true;
    script->floor_friction = 0.4;
    script->camera =
        (sn_scene_camera){.is_set = true, .target = {0, 0.15, -0.2}, .distance = 3.3, .yaw = 0.35, .pitch = 0.3};
}
