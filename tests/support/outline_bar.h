/* SPDX-License-Identifier: MIT */
/* A flat bar of a scene, 2 by .4, with one handle, "middle". */
#ifndef SN_TESTS_SUPPORT_OUTLINE_BAR_H
#define SN_TESTS_SUPPORT_OUTLINE_BAR_H

#include "scenes/script/scene.h"

static inline sn_scene_character sn_test_outline_bar(void)
{
    static const double points[4][2] = {{-1, -0.2}, {1, -0.2}, {1, 0.2}, {-1, 0.2}};
    static const sn_cook_handle middle = {.name = "middle", .parent = -1};
    static const sn_cook_handles rig = {.name = "bar", .count = 1, .handles = &middle};
    sn_scene_character character = sn_default_scene_character();
    character.shape = (sn_scene_shape){.type = SN_SHAPE_OUTLINE,
                                       .is_flat = true,
                                       .is_angular = true,
                                       .edge_length = 0.2,
                                       .points = points,
                                       .point_count = 4};
    character.cook.young = 400;
    character.cook.handles = &rig;
    return character;
}

static inline sn_scene *sn_test_create_scene(const sn_scene_script *script)
{
    const sn_world_desc world = sn_default_world_desc();
    sn_scene_error error = {""};
    sn_scene *scene = NULL;
    if (sn_scene_create(script, &world, &scene, &error) != SN_OK) {
        fail_msg("%s", error.text);
    }
    return scene;
}

#endif
