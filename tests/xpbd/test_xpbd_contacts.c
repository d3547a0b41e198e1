/* SPDX-License-Identifier: MIT */
/* Bodies and colliders: nothing stays inside, friction sticks and slides as Coulomb says, moving surfaces carry, and a
 * body that begins inside leaves slowly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/xpbd/xpbd_test.h"

#define LIMIT 4096
static double places[3 * LIMIT], speeds[3 * LIMIT];

static sn_collider make_collider(sn_collider_shape shape, double friction)
{
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider collider;
    desc.shape = shape;
    desc.friction = friction;
    desc.radius = shape == SN_COLLIDER_BOX ? 0.02 : 0.15;
    desc.half_height = 0.2;
    desc.half_extents[0] = desc.half_extents[1] = desc.half_extents[2] = 0.15;
    assert_int_equal(sn_collider_init(&desc, &collider), SN_OK);
    return collider;
}

static void place_at(sn_collider *collider, double x, double y, double z)
{
    const double to[3] = {x, y, z};
    for (int d = 0; d < 3; ++d) {
        collider->transform[4 * d + 3] = collider->transform_before[4 * d + 3] = to[d];
    }
}

/* Of all vertices, from all colliders. */
static double deepest(const sn_xpbd_body *body, int vertex_count, const sn_surroundings *s)
{
    double least = INFINITY, normal[3];
    sn_xpbd_body_positions(body, places);
    for (int v = 0; v < vertex_count; ++v) {
        for (int i = 0; i < s->collider_count; ++i) {
            least = fmin(least, sn_collider_distance(&s->colliders[i], places + 3 * v, normal));
        }
    }
    return least;
}

/* Dropped on each shape over a floor. */
static void test_nothing_stays_inside(void **state)
{
    (void)state;
    for (int shape = 0; shape <= SN_COLLIDER_BOX; ++shape) {
        sn_xpbd_shape bar = sn_xpbd_bar(5, 2, 3, 0.1);
        sn_xpbd_model *model = sn_xpbd_shape_model(&bar);
        sn_xpbd_settings settings = sn_default_xpbd_settings();
        settings.gravity[1] = -9.81;
        settings.damping = 3;
        sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
        sn_collider colliders[2] = {make_collider(SN_COLLIDER_PLANE, 0.5),
                                    make_collider((sn_collider_shape)shape, 0.3)};
        place_at(&colliders[0], 0, -0.5, 0);
        place_at(&colliders[1], 0.2, shape == SN_COLLIDER_CAPSULE ? -0.36 : -0.3, 0.17);
        const sn_surroundings surroundings = {.collider_count = 2, .colliders = colliders};
        int contacts = 0;
        double least = INFINITY;
        for (int step = 0; step < 180; ++step) {
            const sn_xpbd_report report = sn_xpbd_body_step(body, &surroundings);
            assert_false(report.is_recovered);
            contacts += report.contact_count;
            least = fmin(least, deepest(body, bar.desc.vertex_count, &surroundings));
        }
        print_message("shape %d: %d contacts, deepest %.2g\n", shape, contacts, least);
        assert_true(contacts > 1000 && least > -0.01);
        sn_xpbd_body_destroy(&body);
        sn_xpbd_model_destroy(&model);
        sn_arena_finish(&bar.arena);
    }
}

/* On a slope of 30 degrees: friction .7 holds (tan is .577), .2 lets it slide by g (sin - .2 cos). */
static void test_friction_on_a_slope(void **state)
{
    (void)state;
    const double sine = 0.5, cosine = sqrt(0.75), frictions[2] = {0.7, 0.2};
    for (int i = 0; i < 2; ++i) {
        sn_xpbd_shape bar = sn_xpbd_bar(4, 1, 4, 0.1); /* flat: it does not roll */
        sn_xpbd_model *model = sn_xpbd_shape_model(&bar);
        sn_xpbd_settings settings = sn_default_xpbd_settings();
        settings.gravity[0] = 9.81 * sine;
        settings.gravity[1] = -9.81 * cosine;
        settings.damping = 5;
        sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
        sn_collider floor = make_collider(SN_COLLIDER_PLANE, frictions[i]);
        const sn_surroundings surroundings = {.collider_count = 1, .colliders = &floor};
        sn_xpbd_run(body, &surroundings, 60);
        const double before = sn_xpbd_body_energy(body).momentum[0];
        sn_xpbd_run(body, &surroundings, 60);
        const double gained = (sn_xpbd_body_energy(body).momentum[0] - before) / (1000 * 0.4 * 0.1 * 0.4);
        const double expected = i ? 9.81 * (sine - frictions[i] * cosine) : 0;
        print_message("friction %.1f: %.3f m/s faster in a second, expected %.3f\n", frictions[i], gained, expected);
        assert_true(fabs(gained - expected) < 0.05 * 9.81 * sine);
        sn_xpbd_body_destroy(&body);
        sn_xpbd_model_destroy(&model);
        sn_arena_finish(&bar.arena);
    }
}

/* A floor that moves carries a body, at its own speed in the end. */
static void test_moving_floor_carries(void **state)
{
    (void)state;
    sn_xpbd_shape bar = sn_xpbd_bar(4, 1, 4, 0.1);
    sn_xpbd_model *model = sn_xpbd_shape_model(&bar);
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -9.81;
    settings.damping = 5;
    sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
    sn_collider floor = make_collider(SN_COLLIDER_PLANE, 0.6);
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = &floor};
    for (int step = 0; step < 120; ++step) {
        memcpy(floor.transform_before, floor.transform, sizeof floor.transform);
        floor.transform[3] += 1.5 / 60;
        sn_xpbd_run(body, &surroundings, 1);
    }
    const double speed = sn_xpbd_body_energy(body).momentum[0] / (1000 * 0.4 * 0.1 * 0.4);
    assert_true(fabs(speed - 1.5) < 0.05);
    sn_xpbd_body_destroy(&body);
    sn_xpbd_model_destroy(&model);
    sn_arena_finish(&bar.arena);
}

/* Half inside a box at first, or deep below a floor: out within seconds, and what pushes it gives it no speed. */
static void test_deep_starts_leave_slowly(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        sn_xpbd_shape bar = sn_xpbd_bar(4, 2, 2, 0.1);
        sn_xpbd_model *model = sn_xpbd_shape_model(&bar);
        sn_xpbd_settings settings = sn_default_xpbd_settings();
        settings.damping = 5;
        sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
        sn_collider collider = make_collider(i ? SN_COLLIDER_PLANE : SN_COLLIDER_BOX, 0);
        place_at(&collider, 0.3, i ? 1.0 : 0.05, 0.1);
        const sn_surroundings surroundings = {.collider_count = 1, .colliders = &collider};
        double fastest = 0;
        for (int step = 0; step < 240; ++step) {
            sn_xpbd_run(body, &surroundings, 1);
            sn_xpbd_body_velocities(body, speeds);
            for (int v = 0; v < bar.desc.vertex_count; ++v) {
                fastest = fmax(fastest, sn_length3(speeds + 3 * v));
            }
        }
        print_message("fastest %.2f m/s\n", fastest);
        assert_true(deepest(body, bar.desc.vertex_count, &surroundings) > -1e-3);
        assert_true(fastest < (i ? 1.5 : 12)); /* let go, flesh that was squeezed is faster than what pushes it */
        sn_xpbd_body_destroy(&body);
        sn_xpbd_model_destroy(&model);
        sn_arena_finish(&bar.arena);
    }
}

/* Half in the ground, with weight: it comes out, and does not jump. */
static void test_buried_body_rises_and_stays(void **state)
{
    (void)state;
    sn_xpbd_shape bar = sn_xpbd_bar(4, 3, 3, 0.1);
    sn_xpbd_model *model = sn_xpbd_shape_model(&bar);
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -9.81;
    sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
    sn_collider ground = make_collider(SN_COLLIDER_PLANE, 0.5);
    place_at(&ground, 0, 0.15, 0);
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = &ground};
    double highest = 0;
    for (int step = 0; step < 180; ++step) {
        double least = INFINITY;
        sn_xpbd_run(body, &surroundings, 1);
        sn_xpbd_body_positions(body, places);
        for (int v = 0; v < bar.desc.vertex_count; ++v) {
            least = fmin(least, places[3 * v + 1]);
        }
        highest = fmax(highest, least);
    }
    print_message("%.3f m above the ground at most\n", highest - 0.15);
    assert_true(highest > 0.149 && highest < 0.2);
    sn_xpbd_body_destroy(&body);
    sn_xpbd_model_destroy(&model);
    sn_arena_finish(&bar.arena);
}

/* Triangles stay in their plane, whatever the collider's normal. */
static void test_sheets_stay_flat(void **state)
{
    (void)state;
    sn_xpbd_shape sheet = sn_xpbd_sheet(6, 4, 0.1);
    sn_xpbd_model *model = sn_xpbd_shape_model(&sheet);
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -9.81;
    settings.gravity[2] = 3;
    sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
    sn_collider ball = make_collider(SN_COLLIDER_SPHERE, 0.5);
    place_at(&ball, 0.3, -0.3, 0.01);
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = &ball};
    int contacts = 0;
    for (int step = 0; step < 60; ++step) {
        contacts += sn_xpbd_body_step(body, &surroundings).contact_count;
    }
    sn_xpbd_body_positions(body, places);
    for (int v = 0; v < sheet.desc.vertex_count; ++v) {
        assert_true(places[3 * v + 2] == 0);
    }
    assert_true(contacts > 50);
    sn_xpbd_body_destroy(&body);
    sn_xpbd_model_destroy(&model);
    sn_arena_finish(&sheet.arena);
}

/* Three colliders are tried one by one; among hundreds those that are far from the body are left out. */
static void test_many_colliders_change_no_bit(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    sn_collider few[3], many[COUNT];
    sn_xpbd_shape bar = sn_xpbd_bar(5, 2, 3, 0.1);
    sn_xpbd_model *model = sn_xpbd_shape_model(&bar);
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -9.81;
    sn_xpbd_body *alone = sn_xpbd_test_body(model, &settings), *among = sn_xpbd_test_body(model, &settings);
    for (int i = 0; i < COUNT; ++i) {
        many[i] = make_collider((sn_collider_shape)(SN_COLLIDER_SPHERE + i % 3), 0.5);
        place_at(&many[i], i % 20 - 10, 1.5 + i / 20, 0.1 * i);
    }
    for (int i = 0; i < 3; ++i) {
        few[i] = make_collider((sn_collider_shape)i, 0.5);
        place_at(&few[i], 0.2 * i, i ? -0.3 : -0.4, 0.05);
    }
    int contacts = 0;
    for (int step = 0; step < 60; ++step) {
        for (int i = 0; i < 3; ++i) {
            few[i].transform_before[7] = few[i].transform[7];
            few[i].transform[7] += i ? 0.002 : 0;
            many[140 * i + 7] = few[i];
        }
        const sn_surroundings with_few = {.collider_count = 3, .colliders = few};
        const sn_surroundings with_many = {.collider_count = COUNT, .colliders = many};
        const int count = sn_xpbd_body_step(alone, &with_few).contact_count;
        assert_int_equal(sn_xpbd_body_step(among, &with_many).contact_count, count);
        contacts += count;
    }
    assert_true(contacts > 100);
    sn_xpbd_body_positions(alone, places);
    sn_xpbd_body_positions(among, speeds);
    assert_memory_equal(places, speeds, 3 * (size_t)bar.desc.vertex_count * sizeof *places);
    sn_xpbd_body_destroy(&alone);
    sn_xpbd_body_destroy(&among);
    sn_xpbd_model_destroy(&model);
    sn_arena_finish(&bar.arena);
}

int test_xpbd_contacts(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_stays_inside),         cmocka_unit_test(test_friction_on_a_slope),
        cmocka_unit_test(test_moving_floor_carries),         cmocka_unit_test(test_deep_starts_leave_slowly),
        cmocka_unit_test(test_buried_body_rises_and_stays),  cmocka_unit_test(test_sheets_stay_flat),
        cmocka_unit_test(test_many_colliders_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
