/* SPDX-License-Identifier: MIT */
/* Scene: many bodies with complementary dynamics that share one model; expressions drive their spines. */
#include "scenes/builtin/demos.h"

#define TURN "(0.7*t + 6.2831853*i/n)"
#define RADIUS "(1.3 + 0.9*random(i))"

void sn_demo_build_school(sn_scene_script *script)
{
    static sn_scene_character fish;
    static sn_scene_body body;
    static const sn_scene_drive drives[] = {{.bone = "head", .rotation.at[1].expression = "0.12*sin(9*t + 5*i)"},
                                            {.bone = "chest", .rotation.at[1].expression = "0.16*sin(9*t + 5*i - 0.9)"},
                                            {.bone = "stem", .rotation.at[1].expression = "0.3*sin(9*t + 5*i - 1.8)"}};
    script->name = "school";
    script->description = "28 fish of one model swim in a ring: complementary dynamics on keyed spines (3D)";
    fish = sn_default_scene_character();
    fish.name = "fish";
    fish.shape = sn_demo_swimmer;
    fish.shape.edge_length = 0.03;
    fish.cook.handles = &sn_demo_fish_spine;
    fish.cook.tet_vertex_count = 4000;
    fish.cook.mode_count = 8;
    fish.cook.cluster_count = 40;
    fish.cook.young = 2e3;
    body = sn_default_scene_body();
    body.count = 28;
    body.damping.constant = 2;
    body.drives = drives;
    body.drive_count = 3;
    body.translation.at[0].expression = RADIUS "*cos" TURN;
    body.translation.at[1].expression = "0.9*random(i + 0.5) - 0.45 + 0.08*sin(1.7*t + 3*i)";
    body.translation.at[2].expression = RADIUS "*sin" TURN;
    body.rotation.at[1].expression = "-" TURN " - pi/2";
    script->characters = &fish;
    script->character_count = 1;
    script->bodies = &body;
    script->body_count = 1;
    script->camera = (sn_scene_camera){.is_set = true, .target = {0, -0.1, 0}, .distance = 7.2, .pitch = 0.45};
}
