/* SPDX-License-Identifier: MIT */
/* Complementary dynamics on rigid motions: soft pins are keyed to fall one after the other, and quiver. */
#include "scenes/demos.h"

#define ROW "floor((sqrt(8*i + 1) - 1)/2)"
#define HIT "(1.55 + 0.16*" ROW " + 0.05*random(i))"
#define LEAN "((mod(i, 2) - 0.5)*(0.9 + 0.9*random(i)))" /* out of the ball's way */

void sn_demo_make_bowling(sn_scene_script *script)
{
    static sn_scene_character pin;
    static sn_scene_body body;
    static sn_scene_collider ball;
    static const sn_scene_blob blobs[] = {{{0, 0.06, 0}, {0, 0.16, 0}, 0.055, 0.095},
                                          {{0, 0.16, 0}, {0, 0.3, 0}, 0.095, 0.05},
                                          {{0, 0.3, 0}, {0, 0.42, 0}, 0.045, 0.06}};
    static const sn_scene_spot spots[] = {{{0, 0.285}, {0.2, 0.012}, {0.8F, 0.12F, 0.12F}},
                                          {{0, 0.325}, {0.2, 0.012}, {0.8F, 0.12F, 0.12F}}};
    static const sn_scene_key way[] = {{0, 2.6}, {1.6, 0.12}, {2.4, -0.75}, {4, -2.4}};
    script->name = "bowling";
    script->says = "Ten soft pins are keyed to fall, and quiver: complementary dynamics on rigid motions (3D)";
    script->seconds = 6;
    pin = sn_default_scene_character();
    pin.name = "pin";
    pin.shape = (sn_scene_shape){
        .kind = SN_SHAPE_BLOBS,
        .edge_length = 0.02,
        .blobs = blobs,
        .blob_count = 3,
        .blend = 0.05,
        .paint = {.top = {0.96F, 0.95F, 0.92F}, .bottom = {0.93F, 0.91F, 0.86F}, .spots = spots, .spot_count = 2}};
    pin.cook.young = 1.2e3;
    pin.cook.tet_vertex_count = 4000;
    pin.cook.mode_count = 12;
    pin.cook.cluster_count = 40;
    body = sn_default_scene_body();
    body.count = 10;
    body.damping.constant = 3;
    body.translation.at[0].expression =
        "0.3*(i - " ROW "*(" ROW " + 1)/2 - " ROW "/2) - 0.9*" LEAN "*smooth(" HIT "," HIT " + 0.5,t)";
    body.translation.at[1].expression = "0.1*smooth(" HIT "," HIT " + 0.5,t)";
    body.translation.at[2].expression = "-0.26*" ROW " - 0.45*smooth(" HIT "," HIT " + 0.45,t)";
    body.rotation.at[0].expression = "-1.5*smooth(" HIT "," HIT " + 0.42,t)";
    body.rotation.at[2].expression = LEAN "*smooth(" HIT "," HIT " + 0.5,t)";
    ball.desc = sn_default_collider_desc();
    ball.desc.shape = SN_COLLIDER_SPHERE;
    ball.desc.radius = 0.15;
    ball.translation.at[1].constant = 0.15;
    ball.translation.at[2] = (sn_scene_number){.keys = way, .key_count = 4};
    ball.rotation.at[0].expression = "-10*t";
    script->characters = &pin;
    script->character_count = 1;
    script->bodies = &body;
    script->body_count = 1;
    script->colliders = &ball;
    script->collider_count = 1;
    script->has_floor = true;
    script->floor_friction = 0.4;
    script->camera =
        (sn_scene_camera){.is_given = true, .target = {0, 0.18, -0.4}, .distance = 4.2, .yaw = 0.35, .pitch = 0.3};
}
