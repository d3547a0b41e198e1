/* SPDX-License-Identifier: MIT */
/* What the locks report is what the coupling does to the flesh's momenta: every kind of handle and lock, held joints,
 * compliance, handles that are driven alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/coupled/coupled_test.h"

#define LIMIT 2048
static double from[3 * LIMIT], to[3 * LIMIT];

typedef struct momenta {
    double linear[3], angular[3];
} momenta;

/* One substep's coupling: what it changes the momenta by, summed over vertices; its size as a sum of absolute values.
 */
static momenta change_of(sn_coupled_body *body, int substep, double *size)
{
    momenta change = {0};
    sn_xpbd_substep_begin(body->flesh, NULL, substep);
    sn_xpbd_substep_sweep(body->flesh, substep);
    sn_xpbd_body_positions(body->flesh, from);
    sn_coupled_clear_impulses(body);
    sn_coupled_couple(body, substep);
    sn_xpbd_body_positions(body->flesh, to);
    *size = 0;
    for (int v = 0; v < body->rig->model->vertex_count; ++v) {
        const double mass = sn_xpbd_model_mass(body->rig->model, v) / body->flesh->substep;
        double moved[3], angular[3];
        sn_subtract3(to + 3 * v, from + 3 * v, moved);
        sn_cross3(from + 3 * v, moved, angular);
        for (int d = 0; d < 3; ++d) {
            change.linear[d] += mass * moved[d];
            change.angular[d] += mass * angular[d];
        }
        *size += mass * sn_length3(moved);
    }
    sn_xpbd_substep_end(body->flesh, NULL, substep);
    return change;
}

static momenta reported(const sn_coupled_body *body)
{
    momenta sum = {0};
    for (int k = 0; k < body->rig->handle_count; ++k) {
        double impulse[6], angular[3];
        sn_coupled_body_impulse(body, k, impulse);
        sn_cross3(body->handles[k].position, impulse, angular);
        for (int d = 0; d < 3; ++d) {
            sum.linear[d] += impulse[d];
            sum.angular[d] += impulse[3 + d] + angular[d];
        }
    }
    return sum;
}

static void aim_all(const sn_coupled_scene *scene, sn_coupled_body *body, double seconds)
{
    for (int k = 0; k < scene->handle_count; ++k) {
        const double axis[3] = {0, 0, 0.5 * sin(6 * seconds + k)}, move[3] = {0.2 * sin(5 * seconds), 0.1 * seconds, 0};
        double transform[12];
        sn_coupled_aim(scene->handles[k].pivot, axis, move, transform);
        sn_coupled_body_set_target(body, k, transform);
    }
}

static void check(int dimension, const unsigned *locks, double compliance, bool is_constraint_locked_only)
{
    sn_coupled_scene scene = sn_coupled_mixed(dimension);
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.is_double = true;
    settings.is_constraint_locked_only = is_constraint_locked_only;
    settings.compliance = compliance;
    sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
    double largest = 0, least_share = 1;
    for (int k = 0; k < scene.handle_count; ++k) {
        sn_coupled_body_set_locks(body, k, locks[k]);
    }
    sn_coupled_prepare(body);
    for (int step = 0; step < 20; ++step) {
        aim_all(&scene, body, step / 60.0);
        for (int substep = 0; substep < 15; ++substep) {
            double size;
            const momenta change = change_of(body, substep, &size), sum = reported(body);
            const double apart = sn_distance3(change.linear, sum.linear) + sn_distance3(change.angular, sum.angular);
            largest = fmax(largest, step > 0 ? apart / size : 0);
            least_share = fmin(least_share, step > 1 ? sn_length3(change.linear) / size : 1);
        }
        for (int k = 0; k < scene.handle_count; ++k) {
            body->handles[k].target_before = body->handles[k].target;
        }
    }
    print_message("%dD, compliance %g%s: apart by %.1e of what was moved\n", dimension, compliance,
                  is_constraint_locked_only ? ", driven only" : "", largest);
    assert_true(largest < 1e-6 && least_share > 1e-4);
    sn_coupled_body_destroy(&body);
    sn_coupled_scene_finish(&scene);
}

static void test_impulses(void **state)
{
    (void)state;
    /* handles: rigid, affine, translation, a rigid root, its joint, and the joint's */
    static const unsigned locks[4][6] = {
        {SN_LOCK_ALL},
        {SN_LOCK_X | SN_LOCK_ROTATION_Z, SN_LOCK_STRETCH, SN_LOCK_Y, 0, 0, SN_LOCK_ROTATION},
        {0, SN_LOCK_ALL, SN_LOCK_ALL, SN_LOCK_X, SN_LOCK_ROTATION, 0},
        {0, 0, 0, 0, 0, SN_LOCK_TRANSLATION},
    };
    for (int i = 0; i < 4; ++i) {
        check(2, locks[i], 0, false);
        check(3, locks[i], 0, false);
        check(3, locks[i], 1e-4, false);
        check(2, locks[i], 1e-4, true);
        check(3, locks[i], 0, true);
    }
}

int test_coupled_impulses(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_impulses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
