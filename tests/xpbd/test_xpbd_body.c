/* SPDX-License-Identifier: MIT */
/* Bodies: dragged about, pinned, teleported, set, asleep; bad numbers are counted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/xpbd/xpbd_test.h"

#define LIMIT 4096
static double places[3 * LIMIT], other_places[3 * LIMIT], speeds[3 * LIMIT];

static double signed_size(const sn_xpbd_shape *shape, const double *x, int element)
{
    double e[3][3] = {{0}}, cross[3];
    const int corners = shape->desc.element_corners;
    const int32_t *v = shape->elements + corners * element;
    for (int k = 1; k < corners; ++k) {
        sn_subtract3(x + 3 * v[k], x + 3 * v[0], e[k - 1]);
    }
    sn_cross3(e[0], e[1], cross);
    return corners == 3 ? cross[2] / 2 : sn_dot3(cross, e[2]) / 6;
}

static void check_finite(const sn_xpbd_body *body, int vertex_count)
{
    sn_xpbd_body_positions(body, places);
    for (int i = 0; i < 3 * vertex_count; ++i) {
        assert_true(isfinite(places[i]));
    }
}

/* Pins jump about in a cube sixty times a second. Places stay finite: within a body's length without help; beyond,
 * where elements are stretched tenfold and more, by going back to rest, counted. When the pins let go every tet is
 * upright and has its size. Triangles are upright at least: in the plane a vertex can be left with its triangles wound
 * around it twice, which no force between neighbours undoes; of a sheet crumpled into an edge's length, one in three.
 */
static void drag(sn_xpbd_shape *shape, uint64_t seed, double reach, bool is_double)
{
    sn_xpbd_model *model = sn_xpbd_shape_model(shape);
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.is_double = is_double;
    settings.damping = 3;
    sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
    const int n = shape->desc.vertex_count;
    int pinned[4], recovered = 0;
    for (int i = 0; i < 4; ++i) {
        pinned[i] = (int)(n * sn_random_unit(&seed));
        assert_int_equal(sn_xpbd_body_pin(body, pinned[i], i == 3 ? 1e4 : INFINITY), SN_OK);
    }
    for (int step = 0; step < 120; ++step) {
        for (int i = 0; i < 4; ++i) {
            double to[3];
            for (int d = 0; d < 3; ++d) {
                to[d] = d < shape->desc.element_corners - 1 ? reach * (sn_random_unit(&seed) - 0.5) : 0;
            }
            sn_xpbd_body_move_pin(body, pinned[i], to);
        }
        const sn_xpbd_report report = sn_xpbd_body_step(body, NULL);
        assert_true(!report.is_recovered || reach > 1);
        recovered += report.is_recovered;
        check_finite(body, n);
    }
    for (int i = 0; i < 4; ++i) {
        sn_xpbd_body_unpin(body, pinned[i]);
    }
    settings.damping = 10;
    settings.is_rigid_damped = true; /* it spins enough to be stretched */
    assert_int_equal(sn_xpbd_body_set_settings(body, &settings), SN_OK);
    sn_xpbd_run(body, NULL, 600);
    check_finite(body, n);
    double smallest = INFINITY;
    for (int e = 0; e < shape->desc.element_count; ++e) {
        smallest = fmin(smallest, signed_size(shape, places, e) / signed_size(shape, shape->positions, e));
    }
    print_message("reach %g: %d recoveries, smallest element in the end %.5f\n", reach, recovered, smallest);
    const bool is_exact = shape->desc.element_corners == 4;
    assert_true(is_exact ? fabs(smallest - 1) < 1e-3 : smallest > 0);
    sn_xpbd_body_destroy(&body);
    sn_xpbd_model_destroy(&model);
}

static void test_violent_dragging(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        sn_xpbd_shape bar = sn_xpbd_bar(4, 2, 2, 0.1), sheet = sn_xpbd_sheet(6, 4, 0.1);
        const double reaches[] = {0.1, 0.4, 4};
        for (int i = 0; i < 3; ++i) {
            drag(&bar, seed, reaches[i], false);
            drag(&sheet, seed, reaches[i], false);
        }
        if (seed == 1) {
            drag(&bar, seed, 0.4, true);
        }
        sn_arena_finish(&bar.arena);
        sn_arena_finish(&sheet.arena);
    }
}

static void test_bad_numbers_are_counted(void **state)
{
    (void)state;
    sn_xpbd_shape shape = sn_xpbd_bar(3, 2, 2, 0.1);
    sn_xpbd_model *model = sn_xpbd_shape_model(&shape);
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.damping = 1; /* which sums over all rows */
    const double bad[] = {NAN, INFINITY, 1e30};
    const double to[3] = {0.5, 0.25, -0.125}, nowhere[3] = {NAN, 0, 0};
    const size_t n = (size_t)shape.desc.vertex_count;
    for (int i = 0; i < 6; ++i) {
        sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
        if (i % 2) {
            assert_int_equal(sn_xpbd_body_pin(body, 0, INFINITY), SN_OK);
            sn_xpbd_body_move_pin(body, 0, to);
            sn_xpbd_body_move_pin(body, 0, nowhere);
        }
        memset(speeds, 0, sizeof speeds);
        speeds[3 * 7 + 1] = bad[i / 2];
        sn_xpbd_body_set_velocities(body, speeds);
        const sn_xpbd_report report = sn_xpbd_body_step(body, NULL);
        assert_true(report.is_recovered);
        sn_xpbd_body_positions(body, places);
        for (size_t k = 0; k < 3 * n; ++k) { /* at rest, where the pin is */
            const double moved = i % 2 ? to[k % 3] - shape.positions[k % 3] : 0;
            assert_true(fabs(places[k] - shape.positions[k] - moved) < 1e-6);
        }
        sn_xpbd_body_velocities(body, speeds);
        for (size_t k = 0; k < 3 * n; ++k) {
            assert_true(speeds[k] == 0);
        }
        sn_xpbd_run(body, NULL, 5);
        sn_xpbd_body_destroy(&body);
    }
    sn_xpbd_model_destroy(&model);
    sn_arena_finish(&shape.arena);
}

/* A soft pin gives by m g / k; an exact one holds; let go, a vertex keeps the speed of its pin. */
static void test_pins(void **state)
{
    (void)state;
    const double position[3] = {1, 2, 3}, mass = 0.5, stiffness = 40;
    const sn_xpbd_desc desc = {.vertex_count = 1, .positions = position, .masses = &mass};
    sn_xpbd_model *model = NULL;
    assert_int_equal(sn_xpbd_model_create(&desc, &model), SN_OK);
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -10;
    settings.damping = 4;
    settings.is_rigid_damped = true;
    sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
    assert_int_equal(sn_xpbd_body_pin(body, 0, stiffness), SN_OK);
    sn_xpbd_run(body, NULL, 600);
    sn_xpbd_body_positions(body, places);
    assert_true(fabs(places[1] - (2 - 0.5 * 10 / 40)) < 1e-4);
    assert_int_equal(sn_xpbd_body_pin(body, 0, INFINITY), SN_OK);
    for (int i = 1; i <= 10; ++i) {
        const double to[3] = {1 + 0.1 * i, 2, 3};
        sn_xpbd_body_move_pin(body, 0, to);
        sn_xpbd_run(body, NULL, 1);
        sn_xpbd_body_positions(body, places);
        assert_true(sn_distance3(places, to) < 1e-6);
    }
    sn_xpbd_body_unpin(body, 0);
    sn_xpbd_body_velocities(body, speeds);
    assert_true(fabs(speeds[0] - 6) < 0.05);
    sn_xpbd_body_destroy(&body);
    sn_xpbd_model_destroy(&model);
}

/* A rigid motion between two halves of a motion is one after both. */
static void test_teleport(void **state)
{
    (void)state;
    sn_xpbd_shape shape = sn_xpbd_bar(4, 2, 2, 0.1);
    sn_xpbd_model *model = sn_xpbd_shape_model(&shape);
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    const double motion[12] = {0, -1, 0, 0.4, 0.6, 0, -0.8, 0.2, 0.8, 0, 0.6, -0.5};
    double *results[2] = {places, other_places};
    for (int i = 0; i < 2; ++i) {
        sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
        assert_int_equal(sn_xpbd_body_pin(body, 0, INFINITY), SN_OK);
        assert_int_equal(sn_xpbd_body_pin(body, 5, 100), SN_OK);
        for (int v = 0; v < shape.desc.vertex_count; ++v) {
            speeds[3 * v] = sin(9 * shape.positions[3 * v + 1]);
            speeds[3 * v + 1] = cos(5 * shape.positions[3 * v]);
            speeds[3 * v + 2] = shape.positions[3 * v];
        }
        sn_xpbd_body_set_velocities(body, speeds);
        sn_xpbd_run(body, NULL, i ? 20 : 10);
        sn_xpbd_body_teleport(body, motion);
        sn_xpbd_run(body, NULL, i ? 0 : 10);
        sn_xpbd_body_positions(body, results[i]);
        sn_xpbd_body_destroy(&body);
    }
    for (int v = 0; v < shape.desc.vertex_count; ++v) {
        assert_true(sn_distance3(places + 3 * v, other_places + 3 * v) < 1e-4);
    }
    sn_xpbd_model_destroy(&model);
    sn_arena_finish(&shape.arena);
}

static void test_setting_and_impulses(void **state)
{
    (void)state;
    sn_xpbd_shape shape = sn_xpbd_bar(3, 2, 2, 0.1);
    sn_xpbd_model *model = sn_xpbd_shape_model(&shape);
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
    const size_t n = (size_t)shape.desc.vertex_count;
    double mass = 0;
    for (size_t v = 0; v < n; ++v) {
        mass += sn_xpbd_model_mass(model, (int)v);
    }
    assert_true(fabs(mass - 1000 * 0.3 * 0.2 * 0.2) < 1e-5);
    uint64_t seed = 3;
    for (size_t i = 0; i < 3 * n; ++i) {
        other_places[i] = sn_random_unit(&seed);
        speeds[i] = sn_random_unit(&seed);
    }
    sn_xpbd_body_set_positions(body, other_places);
    sn_xpbd_body_positions(body, places);
    for (size_t i = 0; i < 3 * n; ++i) {
        assert_true(fabs(places[i] - other_places[i]) < 1e-7);
    }
    sn_xpbd_body_reset(body);
    const double impulse[3] = {1, -2, 3}, nothing[3] = {NAN, 0, 0};
    sn_xpbd_body_apply_impulse(body, 11, impulse);
    sn_xpbd_body_apply_impulse(body, 11, nothing);
    const sn_xpbd_energy energy = sn_xpbd_body_energy(body);
    assert_true(sn_distance3(energy.momentum, impulse) < 1e-5 && energy.elastic == 0);
    sn_xpbd_body_destroy(&body);
    sn_xpbd_model_destroy(&model);
    sn_arena_finish(&shape.arena);
}

/* Steps until it sleeps. */
static int fall_asleep(sn_xpbd_body *body, const sn_surroundings *surroundings)
{
    int steps = 0;
    while (steps < 1200 && !sn_xpbd_body_step(body, surroundings).is_asleep) {
        ++steps;
    }
    print_message("asleep after %d steps\n", steps);
    return steps;
}

static void test_sleep(void **state)
{
    (void)state;
    sn_xpbd_shape shape = sn_xpbd_bar(3, 2, 2, 0.1);
    sn_xpbd_model *model = sn_xpbd_shape_model(&shape);
    sn_collider_desc plane = sn_default_collider_desc();
    sn_collider floor;
    assert_int_equal(sn_collider_init(&plane, &floor), SN_OK);
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = &floor};
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -9.81;
    settings.damping = 5;
    settings.sleep_speed = 0.02;
    sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
    const int steps = fall_asleep(body, &surroundings);
    assert_true(steps > 30 && steps < 1200);
    sn_xpbd_body_positions(body, places);
    assert_true(sn_xpbd_body_step(body, &surroundings).is_asleep);
    sn_xpbd_body_positions(body, other_places);
    assert_memory_equal(places, other_places, 3 * sizeof(double) * (size_t)shape.desc.vertex_count);
    const double impulse[3] = {0, 0.5, 0};
    sn_xpbd_body_apply_impulse(body, 3, impulse); /* each of these wakes it */
    assert_false(sn_xpbd_body_step(body, &surroundings).is_asleep);
    assert_true(fall_asleep(body, &surroundings) < 1200);
    floor.transform[7] = floor.transform_before[7] = 0.01;
    assert_false(sn_xpbd_body_step(body, &surroundings).is_asleep);
    assert_true(fall_asleep(body, &surroundings) < 1200);
    assert_false(sn_xpbd_body_step(body, NULL).is_asleep);
    sn_xpbd_body_destroy(&body);
    sn_xpbd_model_destroy(&model);
    sn_arena_finish(&shape.arena);
}

int test_xpbd_body(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_violent_dragging),
        cmocka_unit_test(test_bad_numbers_are_counted),
        cmocka_unit_test(test_pins),
        cmocka_unit_test(test_teleport),
        cmocka_unit_test(test_setting_and_impulses),
        cmocka_unit_test(test_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
