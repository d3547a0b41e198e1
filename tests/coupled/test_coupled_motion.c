/* SPDX-License-Identifier: MIT */
/* Momentum: kept without locks, changed by what the locks report with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/coupled/coupled_test.h"

#define LIMIT 8192
static double speeds[3 * LIMIT];

static void spin(const sn_coupled_scene *scene, sn_coupled_body *body, double rate)
{
    const double *last = scene->shape.positions + 3 * (scene->shape.desc.vertex_count - 1);
    for (int v = 0; v < scene->shape.desc.vertex_count; ++v) {
        const double *x = scene->shape.positions + 3 * v;
        speeds[3 * v] = -rate * (x[1] - last[1] / 2) + 0.3;
        speeds[3 * v + 1] = rate * (x[0] - last[0] / 2);
        speeds[3 * v + 2] = 0;
    }
    sn_xpbd_body_set_velocities(sn_coupled_body_flesh(body), speeds);
}

/* Stiff enough that spinning stretches it by little, which an uncoupled body bears no better. */
static sn_coupled_scene spinning_scene(int dimension)
{
    sn_xpbd_shape shape = dimension == 2 ? sn_xpbd_sheet(20, 6, 0.05) : sn_xpbd_bar(12, 3, 3, 0.08);
    sn_xpbd_shape_material(&shape, 1e6, 0.3, 1000);
    return sn_coupled_row(shape, 4, SN_HANDLE_RIGID);
}

/* Share of the spin and of the momentum that 90 frames lose; newton_count 0: without coupling. */
static void spin_freely(int dimension, bool is_double, int newton_count, double *lost_spin, double *lost_momentum)
{
    sn_coupled_scene scene = spinning_scene(dimension);
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.newton_count = newton_count > 0 ? newton_count : 1;
    settings.xpbd.is_double = is_double;
    sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
    spin(&scene, body, 12);
    const sn_xpbd_energy from = sn_xpbd_body_energy(body->flesh);
    for (int frame = 0; frame < 90; ++frame) {
        const bool is_recovered = newton_count > 0 ? sn_coupled_body_step(body, NULL).is_recovered
                                                   : sn_xpbd_body_step(body->flesh, NULL).is_recovered;
        assert_false(is_recovered);
    }
    const sn_xpbd_energy to = sn_xpbd_body_energy(body->flesh);
    *lost_spin = 1 - to.angular_momentum[2] / from.angular_momentum[2];
    *lost_momentum = sn_distance3(to.momentum, from.momentum) / sn_length3(from.momentum);
    sn_coupled_body_destroy(&body);
    sn_coupled_scene_finish(&scene);
}

/* All handles free and the body spinning: two Newton steps keep what one loses; linear momentum is kept by any. */
static void test_free_momentum(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        double spins[3], momenta[3];
        for (int newtons = 0; newtons < 3; ++newtons) {
            spin_freely(2 + i % 2, i < 2, newtons, &spins[newtons], &momenta[newtons]);
        }
        print_message(
            "%dD, %s: spin lost %.1e uncoupled, %+.1e with one step, %+.1e with two; momentum %.1e %.1e %.1e\n",
            2 + i % 2, i < 2 ? "double" : "float", spins[0], spins[1] - spins[0], spins[2] - spins[0], momenta[0],
            momenta[1], momenta[2]);
        assert_true(fabs(spins[2] - spins[0]) < (i < 2 ? 1e-6 : 1e-3));
        assert_true(fabs(spins[1] - spins[0]) > 10 * fabs(spins[2] - spins[0]));
        assert_true(momenta[2] < (i < 2 ? 1e-6 : 1e-3));
    }
}

int test_coupled_motion(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_free_momentum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
