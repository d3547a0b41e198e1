/* SPDX-License-Identifier: MIT */
/* Scene: a fish without keyed bones is grabbed by its tail; flesh and spine follow. */
#include "scenes/builtin/demos.h"

void sn_demo_build_tug(sn_scene_script *script)
{
    static sn_scene_character fish;
    static sn_scene_body body;
    static sn_scene_grab grab;
    static const sn_scene_key path_x[] = {{0.5, -0.5}, {1.5, -0.85}, {3, 0.2}, {4.5, -0.6}, {6, -0.4}};
    static const sn_scene_key path_y[] = {{0.5, 0.15}, {1.5, 0.35}, {3, 0.5}, {4.5, -0.15}, {6, 0.15}};
    static const sn_scene_key path_z[] = {{0.5, 0}, {1.5, 0.1}, {3, 0.3}, {4.5, -0.3}, {6, 0}};
    script->name = "tug";
    script->description = "A fish with a free spine is grabbed by its tail, swung around and released (3D)";
    fish = sn_default_scene_character();
    fish.name = "fish";
    fish.shape = sn_demo_swimmer;
    fish.cook.handles = &sn_demo_fish_spine;
    fish.cook.tet_vertex_count = 1500;
    sn_demo_set_compliances(&fish.cook, false, 1e-3, 4e-3);
    body = sn_demo_coupled_body(15, 1, 0.999, 1e-4);
    grab = (sn_scene_grab){.from = 0.5, .until = 6.5, .desc = sn_default_grab_desc(), .has_point = true};
    grab.point[0] = -0.5;
    grab.point[1] = 0.15;
    grab.path.at[0] = (sn_scene_number){.keys = path_x, .key_count = 5, .ease = SN_EASE_SMOOTH};
    grab.path.at[1] = (sn_scene_number){.keys = path_y, .key_count = 5, .ease = SN_EASE_SMOOTH};
    grab.path.at[2] = (sn_scene_number){.keys = path_z, .key_count = 5, .ease = SN_EASE_SMOOTH};
    script->characters = &fish;
    script->character_count = 1;
    script->bodies = &body;
    script->body_count = 1;
    script->grabs = &grab;
    script->grab_count = 1;
    script->camera =
        (sn_scene_camera){.is_set = true, .target = {0, 0.05, 0}, .distance = 2.9, .yaw = 0.35, .pitch = 0.2};
}
