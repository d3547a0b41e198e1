/* SPDX-License-Identifier: MIT */
/* Flesh far too soft for its weight folds up, and the best fit of a free handle jumps: the projection must not fling it
 * for that. Nor may what it is bounded to keep locked handles from throwing flesh about. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/coupled/coupled_test.h"

static double energy_of(const sn_coupled_body *body)
{
    const sn_xpbd_energy energy = sn_xpbd_body_energy(body->flesh);
    return energy.kinetic + energy.elastic;
}

/* A bar hangs by the first of its handles, and swings; what falls by its length has gained `weight` in energy. */
static void test_folded_flesh_is_not_flung(void **state)
{
    (void)state;
    for (int substeps = 15; substeps <= 120; substeps *= 2) {
        sn_coupled_scene scene = sn_coupled_row(sn_xpbd_bar(9, 3, 3, 0.1), 3, SN_HANDLE_RIGID);
        sn_coupled_settings settings = sn_default_coupled_settings();
        settings.xpbd.substep_count = substeps;
        settings.xpbd.stiffness = 1;
        settings.xpbd.gravity[1] = -10;
        sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
        sn_coupled_body_set_locks(body, 0, SN_LOCK_ALL);
        double largest = 0;
        for (int i = 0; i < 240; ++i) {
            assert_false(sn_coupled_body_step(body, NULL).is_recovered);
            largest = fmax(largest, energy_of(body));
        }
        const double weight = 10 * scene.rig->mass * scene.rig->length;
        print_message("%d substeps: %.3g times what falling by its length gives\n", substeps, largest / weight);
        assert_true(largest > 0.1 * weight && largest < 5 * weight);
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
}

/* At 100 diagonals a second, and to a halt: locked handles, and the flesh that hangs on them alone, are where they
 * should. */
static void test_targets_are_followed(void **state)
{
    (void)state;
    sn_coupled_scene scene = sn_coupled_row(sn_xpbd_bar(9, 3, 3, 0.1), 1, SN_HANDLE_RIGID);
    const sn_coupled_settings settings = sn_default_coupled_settings();
    sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
    static const double nowhere[3] = {0};
    sn_coupled_body_set_locks(body, 0, SN_LOCK_ALL);
    for (int i = 1; i <= 20; ++i) {
        const double move[3] = {0, fmin(i, 12) * 100.0 / 60 * scene.rig->length, 0};
        double transform[12], position[3], middle = 0;
        sn_coupled_aim(nowhere, nowhere, move, transform);
        sn_coupled_body_set_target(body, 0, transform);
        assert_false(sn_coupled_body_step(body, NULL).is_recovered);
        for (int row = 0; row < scene.rig->model->vertex_count; ++row) {
            sn_xpbd_get_position(body->flesh, row, position);
            middle += (double)scene.rig->model->rest[4 * row + 3] * position[1] / scene.rig->mass;
        }
        assert_true(fabs(middle - scene.rig->model->centre[1] - move[1]) < 1e-3 * scene.rig->length);
    }
    sn_coupled_body_destroy(&body);
    sn_coupled_scene_finish(&scene);
}

int test_coupled_push(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folded_flesh_is_not_flung),
        cmocka_unit_test(test_targets_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
