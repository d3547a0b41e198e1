/* SPDX-License-Identifier: MIT */
/* Bodies that are driven to and fro, and how far apart they are. Include it after cmocka.h. */
#ifndef SN_TESTS_COUPLED_LIVELY_BODIES_H
#define SN_TESTS_COUPLED_LIVELY_BODIES_H

#include "tests/coupled/coupled_test.h"

#define LIMIT 4096 /* vertices */

static inline sn_coupled_settings lively(void)
{
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.gravity[1] = -2;
    settings.xpbd.damping = 2;
    return settings;
}

/* Handles of a mixed rig, driven about. */
static inline void drive(const sn_coupled_scene *scene, sn_coupled_body *body, int frame)
{
    for (int k = 0; k < scene->handle_count; ++k) {
        const double axis[3] = {0, 0, 0.4 * sin(0.15 * frame)}, move[3] = {0.1 * sin(0.1 * frame), 0.05, 0};
        double target[12];
        sn_coupled_aim(scene->handles[k].pivot, axis, move, target);
        sn_coupled_body_set_target(body, k, target);
    }
}

static inline sn_coupled_body *lively_body(const sn_coupled_scene *scene, const sn_coupled_settings *settings)
{
    sn_coupled_body *body = sn_coupled_test_body(scene, settings);
    sn_coupled_body_set_locks(body, 0, SN_LOCK_ALL);
    sn_coupled_body_set_locks(body, 1, SN_LOCK_ROTATION);
    sn_coupled_body_set_locks(body, 5, SN_LOCK_Y);
    sn_coupled_body_set_compliance(body, 1, 1e-5);
    return body;
}

static inline double apart(const double *a, const double *b, int count)
{
    double largest = 0;
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

static inline void run(const sn_coupled_scene *scene, sn_coupled_body *body, int first, int last)
{
    for (int frame = first; frame < last; ++frame) {
        drive(scene, body, frame);
        assert_false(sn_coupled_body_step(body, NULL).is_recovered);
    }
}

#endif
