/* SPDX-License-Identifier: MIT */
#include "scenes/builtin/demos.h"

#include <string.h>
#include <threads.h>

#include "scenes/rigid/rigid_engine.h"

static void (*const builders[])(sn_scene_script *script) = {
    sn_demo_build_fish_comp,   sn_demo_build_fish_control, sn_demo_build_fish_comp_affine, sn_demo_build_fish_deform,
    sn_demo_build_cube_tet_ik, sn_demo_build_spot_tet,     sn_demo_build_pbd_test,         sn_demo_build_worm,
    sn_demo_build_ghost,       sn_demo_build_bunny,        sn_demo_build_octopus,          sn_demo_build_tug,
    sn_demo_build_school,      sn_demo_build_bowling,
};

#define DEMO_COUNT ((int)(sizeof builders / sizeof builders[0]))

static sn_scene_script scripts[DEMO_COUNT];

static void build_all(void)
{
    for (int i = 0; i < DEMO_COUNT; ++i) {
        scripts[i].seconds = 10;
        builders[i](&scripts[i]);
    }
}

/* The last scene needs a rigid-body engine, which is optional. */
int sn_scene_demo_count(void)
{
    return sn_rigid_engine_is_available ? DEMO_COUNT : DEMO_COUNT - 1;
}

const sn_scene_script *sn_scene_demo(int index)
{
    static once_flag once = ONCE_FLAG_INIT;
    call_once(&once, build_all);
    return &scripts[index];
}

const sn_scene_script *sn_scene_find_demo(const char *name)
{
    for (int i = 0; i < sn_scene_demo_count(); ++i) {
        if (strcmp(sn_scene_demo(i)->name, name) == 0) {
            return sn_scene_demo(i);
        }
    }
    return NULL;
}
