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

/* All handles free and the body spinning, 90 frames: two Newton steps keep what one loses. */
static void test_free_momentum(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        double lost[2];
        for (int newtons = 1; newtons < 3; ++newtons) {
            sn_coupled_scene scene =
                sn_coupled_row(i % 2 ? sn_xpbd_bar(12, 3, 3, 0.08) : sn_xpbd_sheet(20, 6, 0.05), 4, SN_HANDLE_RIGID);
            sn_coupled_settings settings = sn_default_coupled_settings();
            settings.newton_count = newtons;
            settings.xpbd.is_double = i < 2;
            sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
            spin(&scene, body, 12);
            const sn_xpbd_energy from = sn_xpbd_body_energy(body->flesh);
            for (int frame = 0; frame < 90; ++frame) {
                assert_false(sn_coupled_body_step(body, NULL).is_recovered);
            }
            const sn_xpbd_energy to = sn_xpbd_body_energy(body->flesh);
            lost[newtons - 1] = fabs(to.angular_momentum[2] / from.angular_momentum[2] - 1);
            print_message("%dD, %s, %d steps: spin lost %.1e, linear %.1e\n", 2 + i % 2, i < 2 ? "double" : "float",
                          newtons, lost[newtons - 1], fabs(to.momentum[0] / from.momentum[0] - 1));
            assert_true(fabs(to.momentum[0] / from.momentum[0] - 1) < 1e-4);
            sn_coupled_body_destroy(&body);
            sn_coupled_scene_finish(&scene);
        }
        assert_true(lost[1] < 1e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_free_momentum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
