/* SPDX-License-Identifier: MIT */
/* What tests of the player's parts share. Include it after cmocka.h. */
#ifndef SN_TESTS_RENDER_PLAYER_TEST_H
#define SN_TESTS_RENDER_PLAYER_TEST_H

#include <math.h>

#include "runtime/camera/orbit.h"

#define PI 3.14159265358979323846

static inline void check_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) {
        fail_msg("%.9g is not %.9g", a, b);
    }
}

static inline sn_stage make_stage(void)
{
    return (sn_stage){.frame_count = 1, .key_count = 1, .center = {1, 2, 3}, .distance = 4, .radius = 1, .yaw = 0.6};
}

static inline sn_camera look(const sn_orbit *orbit, const sn_stage *stage, double widening)
{
    sn_render_scene scene;
    sn_stage_scene(stage, 0, &scene);
    sn_orbit_apply(orbit, stage, widening, &scene.camera);
    return scene.camera;
}

#endif
