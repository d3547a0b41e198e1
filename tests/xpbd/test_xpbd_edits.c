/* SPDX-License-Identifier: MIT */
/* Models that are edited and cut while bodies of them live. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/xpbd/xpbd_test.h"

#define LIMIT 4096
static double places[3 * LIMIT], speeds[3 * LIMIT];

/* A chain hangs; a link that is removed lets the rest fall, one that is added holds it again. Nothing else is moved. */
static void test_edits(void **state)
{
    (void)state;
    enum { LINKS = 40 };
    static double positions[3 * (LINKS + 1)], masses[LINKS + 1];
    static sn_xpbd_constraint links[LINKS];
    for (int i = 0; i <= LINKS; ++i) {
        positions[3 * i + 1] = -0.05 * i;
        masses[i] = 0.01;
    }
    for (int i = 0; i < LINKS; ++i) {
        links[i] = (sn_xpbd_constraint){SN_XPBD_DISTANCE, {i, i + 1}, INFINITY, false, 0};
    }
    const sn_xpbd_desc desc = {.vertex_count = LINKS + 1,
                               .positions = positions,
                               .masses = masses,
                               .constraint_count = LINKS,
                               .constraints = links};
    for (int sweeps = 1; sweeps <= 20; sweeps += 19) {
        sn_xpbd_model *model = NULL;
        assert_int_equal(sn_xpbd_model_create(&desc, &model), SN_OK);
        sn_xpbd_settings settings = sn_default_xpbd_settings();
        settings.gravity[1] = -9.81;
        settings.sweep_count = sweeps;
        sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
        assert_int_equal(sn_xpbd_body_pin(body, 0, INFINITY), SN_OK);
        sn_xpbd_run(body, NULL, 30);
        sn_xpbd_body_positions(body, places);
        assert_true(fabs(places[3 * LINKS + 1] + 0.05 * LINKS) < 0.1);
        sn_xpbd_model_remove(model, SN_XPBD_DISTANCE, 20);
        assert_int_equal(sn_xpbd_model_counts(model).constraint_count, LINKS - 1);
        sn_xpbd_body_velocities(body, speeds);
        const double speed = speeds[3 * LINKS + 1];
        sn_xpbd_run(body, NULL, 30);
        sn_xpbd_body_velocities(body, speeds);
        assert_true(fabs(speeds[3 * LINKS + 1] - speed + 9.81 * 0.5) < 0.6); /* it falls, the rest hangs */
        sn_xpbd_body_positions(body, places);
        assert_true(fabs(places[3 * 20 + 1] + 0.05 * 20) < 0.1 && places[3 * 21 + 1] < -1.5);
        int32_t number = -1;
        sn_xpbd_constraint again = links[20];
        assert_int_equal(sn_xpbd_model_add(model, &again, &number), SN_OK);
        assert_int_equal(number, LINKS);
        sn_xpbd_run(body, NULL, 1);
        const size_t before = sn_allocated_bytes();
        sn_xpbd_run(body, NULL, 120);
        assert_int_equal(sn_allocated_bytes(), before);
        sn_xpbd_body_positions(body, places);
        assert_true(sn_distance3(places + 60, places + 63) < 0.06);
        sn_xpbd_body_destroy(&body);
        sn_xpbd_model_destroy(&model);
        assert_int_equal(sn_allocated_bytes(), 0);
    }
}

/* A bar that is cut through comes apart. */
static void test_cut(void **state)
{
    (void)state;
    sn_xpbd_shape shape = sn_xpbd_bar(6, 2, 2, 0.1);
    sn_xpbd_model *model = sn_xpbd_shape_model(&shape);
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -9.81;
    sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
    int removed = 0;
    for (int v = 0; v < shape.desc.vertex_count; ++v) {
        if (shape.positions[3 * v] < 1e-9) {
            assert_int_equal(sn_xpbd_body_pin(body, v, INFINITY), SN_OK);
        }
    }
    for (int e = 0; e < shape.desc.element_count; ++e) {
        double x = 0;
        for (int k = 0; k < 4; ++k) {
            x += shape.positions[3 * shape.elements[4 * e + k]] / 4;
        }
        if (x > 0.3 && x < 0.4) {
            sn_xpbd_model_remove_element(model, e);
            ++removed;
        }
    }
    assert_int_equal(removed, 24);
    assert_int_equal(sn_xpbd_model_counts(model).element_count, shape.desc.element_count - 24);
    sn_xpbd_run(body, NULL, 60);
    sn_xpbd_body_positions(body, places);
    for (int v = 0; v < shape.desc.vertex_count; ++v) {
        const double fallen = shape.positions[3 * v + 1] - places[3 * v + 1];
        assert_true(shape.positions[3 * v] > 0.35 ? fabs(fallen - 4.9) < 0.1 : fallen < 1);
    }
    sn_xpbd_body_destroy(&body);
    sn_xpbd_model_destroy(&model);
    sn_arena_finish(&shape.arena);
}

int test_xpbd_edits(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
