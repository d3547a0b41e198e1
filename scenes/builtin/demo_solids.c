/* SPDX-License-Identifier: MIT */
/* Scenes after the authors' two solid demos: a cube in the cage of its corners, and a calf with seven points. */
#include "scenes/builtin/demos.h"

#define COUNT(array) (int)(sizeof(array) / sizeof(array)[0])

#define CORNER(number, x, y, z)                                                                                        \
    {                                                                                                                  \
        .shape = SN_HANDLE_SHAPE_CAGE, .name = "corner." #number, .parent = -1, .start = { x, y, z }                   \
    }

void sn_demo_build_cube_tet_ik(sn_scene_script *script)
{
    static sn_scene_character cube;
    static sn_scene_body body;
    /* bits of the corner's index: x, y, z */
    static const sn_cook_handle corners[] = {CORNER(0, -.5, -.5, -.5), CORNER(1, .5, -.5, -.5), CORNER(2, -.5, .5, -.5),
                                             CORNER(3, .5, .5, -.5),   CORNER(4, -.5, -.5, .5), CORNER(5, .5, -.5, .5),
                                             CORNER(6, -.5, .5, .5),   CORNER(7, .5, .5, .5)};
    static const int32_t faces[] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5},
                         starts[] = {0, 4, 8, 12, 16, 20, 24};
    static const sn_cook_handles cage = {.name = "the cube",
                                         .count = 8,
                                         .handles = corners,
                                         .face_count = 6,
                                         .face_starts = starts,
                                         .face_corners = faces};
    static const sn_scene_lock all[] = {{0, SN_LOCK_ALL}};
    static const sn_scene_drive drives[] = {{.bone = "corner.0", .locks = all, .lock_count = 1},
                                            {.bone = "corner.1", .locks = all, .lock_count = 1},
                                            {.bone = "corner.4", .locks = all, .lock_count = 1},
                                            {.bone = "corner.5", .locks = all, .lock_count = 1},
                                            {.bone = "corner.7",
                                             .translation.at = {{.expression = "0.35*sin(pi*t)"},
                                                                {.expression = "0.3*0.35*sin(pi*t)"},
                                                                {.expression = "-0.35*sin(pi*t)"}},
                                             .locks = all,
                                             .lock_count = 1},
                                            {.bone = "corner.2",
                                             .translation.at = {{.expression = "-0.35*sin(pi*t)"},
                                                                {.expression = "0.3*0.35*sin(pi*t)"},
                                                                {.expression = "0.35*sin(pi*t)"}},
                                             .locks = all,
                                             .lock_count = 1}};
    static sn_scene_event stiffer_events[COUNT(drives)];
    script->name = "cube_tet_ik";
    script->description = "A cube in a cage: two corners are dragged, two follow (3D)";
    cube = sn_default_scene_character();
    cube.name = "cube";
    cube.shape = (sn_scene_shape){.type = SN_SHAPE_BOX, .edge_length = 0.1, .half_extents = {0.5, 0.5, 0.5}};
    cube.cook.handles = &cage;
    sn_demo_set_compliances(&cube.cook, false, 1e-2, 5e-2);
    body = sn_demo_coupled_body(5, 1, 0.993, 4e-3);
    body.drives = drives;
    body.drive_count = COUNT(drives);
    for (int i = 0; i < COUNT(drives); ++i) { /* driven corners follow more closely */
        stiffer_events[i] =
            (sn_scene_event){.bone = drives[i].bone, .has_compliance = true, .compliance = 8e-4, .collider = -1};
    }
    script->events = stiffer_events;
    script->event_count = COUNT(drives);
    script->characters = &cube;
    script->character_count = 1;
    script->bodies = &body;
    script->body_count = 1;
    script->has_floor = true;
    script->floor_height = -0.5;
    script->floor_friction = 0.5;
    script->camera =
        (sn_scene_camera){.is_set = true, .target = {0, 0.05, 0}, .distance = 4.2, .yaw = 0.6, .pitch = 0.3};
}

void sn_demo_build_spot_tet(sn_scene_script *script)
{
    static sn_scene_character calf;
    static sn_scene_body body;
    static const sn_cook_handle points[] = {{.name = "fore hoof left", .parent = -1, .start = {0.18, -0.7, -0.24}},
                                            {.name = "fore hoof right", .parent = -1, .start = {-0.18, -0.7, -0.24}},
                                            {.name = "hind hoof left", .parent = -1, .start = {0.18, -0.7, 0.6}},
                                            {.name = "hind hoof right", .parent = -1, .start = {-0.18, -0.7, 0.6}},
                                            {.name = "tail", .parent = -1, .start = {0, -0.15, 0.96}},
                                            {.name = "muzzle", .parent = -1, .start = {0, 0.4, -0.88}},
                                            {.name = "crown", .parent = -1, .start = {0, 0.7, -0.48}}};
    static const sn_cook_handles handles = {.name = "the calf", .count = 7, .handles = points};
    static const sn_scene_lock all[] = {{0, SN_LOCK_ALL}};
    static const sn_scene_drive drives[] = {
        {.bone = "hind hoof left", .locks = all, .lock_count = 1},
        {.bone = "hind hoof right", .locks = all, .lock_count = 1},
        {.bone = "crown",
         .translation.at = {{0}, {.expression = "0.25*1.4*sin(pi*t)"}, {.expression = "0.25*1.9*sin(pi*t)"}},
         .locks = all,
         .lock_count = 1}};
    script->name = "spot_tet";
    script->description = "A calf rears: its head is dragged, its hind hooves are fixed, the rest follows (3D)";
    calf = sn_default_scene_character();
    calf.name = "calf";
    calf.shape = sn_demo_calf;
    calf.cook.handles = &handles;
    calf.cook.tet_vertex_count = 2500;
    sn_demo_set_compliances(&calf.cook, false, 1e-2, 5e-2);
    body = sn_demo_coupled_body(5, 1, 0.993, 3e-4);
    body.drives = drives;
    body.drive_count = 3;
    script->characters = &calf;
    script->character_count = 1;
    script->bodies = &body;
    script->body_count = 1;
    script->camera =
        (sn_scene_camera){.is_set = true, .target = {0, 0.05, 0.05}, .distance = 5.6, .yaw = 2.1, .pitch = 0.18};
}
