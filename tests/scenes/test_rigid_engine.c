/* SPDX-License-Identifier: MIT */
/* The rigid-body engine against what is known of free fall, bounces, blows, friction, rolling and rest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <threads.h>

#include <cmocka.h>

#include "scenes/rigid/rigid_engine.h"
#include "scenes/rigid/rigid_shape.h"

#define STEP (1.0 / 480)
#define G 9.81

static const sn_scene_solid plane = {.type = SN_SOLID_PLANE};

/* Of density 1000. */
static sn_rigid_body_desc free_thing(const sn_scene_solid *solids, int count, double x, double y, double z)
{
    sn_rigid_body_desc engine_body = {
        .solids = solids, .solid_count = count, .is_free = true, .frame = sn_frame_identity, .gravity = {0, -G, 0}};
    sn_rigid_solids_mass(solids, count, &engine_body.mass);
    sn_rigid_scale_mass(&engine_body.mass, 1000);
    engine_body.frame.m[0][3] = x;
    engine_body.frame.m[1][3] = y;
    engine_body.frame.m[2][3] = z;
    return engine_body;
}

static sn_rigid_body_desc ground(double friction)
{
    return (sn_rigid_body_desc){.solids = &plane, .solid_count = 1, .friction = friction, .frame = sn_frame_identity};
}

static sn_rigid_engine *create(void)
{
    sn_rigid_engine *engine = NULL;
    assert_int_equal(sn_rigid_engine_create(STEP, 16, &engine), SN_OK);
    return engine;
}

static void go_on(sn_rigid_engine *engine, double seconds)
{
    for (int i = 0; i < (int)(seconds / STEP + 0.5); ++i) {
        assert_int_equal(sn_rigid_engine_step(engine), 0);
    }
}

static double at(const sn_rigid_engine *engine, int engine_body, int axis)
{
    return sn_rigid_engine_frame(engine, engine_body, 1).m[axis][3];
}

static void check(const char *says, double value, double expected, double tolerance)
{
    print_message("%s: %.9g of %.9g\n", says, value, expected);
    assert_true(fabs(value - expected) <= tolerance);
}

/* ---- one body ---- */

static double energy_of(const sn_rigid_engine *engine, const sn_rigid_body_desc *engine_body)
{
    double v[3], w[3], local[3] = {0}, energy = 0;
    const sn_frame frame = sn_rigid_engine_frame(engine, 0, 1);
    sn_rigid_engine_velocity(engine, 0, v, w);
    for (int d = 0; d < 3; ++d) {
        for (int r = 0; r < 3; ++r) {
            local[d] += frame.m[r][d] * w[r];
        }
    }
    for (int r = 0; r < 3; ++r) {
        energy += engine_body->mass.mass / 2 * v[r] * v[r];
        for (int c = 0; c < 3; ++c) {
            energy += local[r] * engine_body->mass.inertia[r][c] * local[c] / 2;
        }
    }
    double height = frame.m[1][3];
    for (int c = 0; c < 3; ++c) {
        height += frame.m[1][c] * engine_body->mass.center[c];
    }
    return energy + engine_body->mass.mass * G * height;
}

static void free_fall_is_a_parabola(void **state)
{
    (void)state;
    static const sn_scene_solid solids[] = {{.type = SN_SOLID_BOX, .half_extents = {0.1, 0.2, 0.3}},
                                            {.type = SN_SOLID_SPHERE, .radius = 0.2, .translation = {0.3, 0.1, 0}}};
    sn_rigid_engine *engine = create();
    sn_rigid_body_desc engine_body = free_thing(solids, 2, 0, 0, 0);
    memcpy(engine_body.velocity, (double[3]){1, 5, -2}, sizeof engine_body.velocity);
    memcpy(engine_body.angular_velocity, (double[3]){1, 2, 0.5}, sizeof engine_body.angular_velocity);
    sn_rigid_engine_add(engine, &engine_body);
    const double before = energy_of(engine, &engine_body);
    go_on(engine, 2);
    const sn_frame frame = sn_rigid_engine_frame(engine, 0, 1);
    double center[3];
    for (int r = 0; r < 3; ++r) {
        center[r] = frame.m[r][3];
        for (int c = 0; c < 3; ++c) {
            center[r] += frame.m[r][c] * engine_body.mass.center[c];
        }
    }
    check("x", center[0], engine_body.mass.center[0] + 2, 1e-9);
    check("y", center[1], engine_body.mass.center[1] + 10 - G * 2, 1e-9);
    check("z", center[2], engine_body.mass.center[2] - 4, 1e-9);
    check("energy", energy_of(engine, &engine_body) / before, 1, 1e-3);
    sn_rigid_engine_destroy(&engine);
    assert_null(engine);
}

/* The height of its middle above the ground that a ball comes up to again. */
static double bounce(double restitution)
{
    static const sn_scene_solid ball = {.type = SN_SOLID_SPHERE, .radius = 0.1};
    sn_rigid_engine *engine = create();
    const sn_rigid_body_desc floor = ground(0.5);
    sn_rigid_body_desc engine_body = free_thing(&ball, 1, 0, 1.1, 0);
    double highest = 0, lowest = 1;
    engine_body.restitution = restitution;
    sn_rigid_engine_add(engine, &engine_body);
    sn_rigid_engine_add(engine, &floor);
    for (int i = 0; i < (int)(1.5 / STEP); ++i) {
        sn_rigid_engine_step(engine);
        const double y = at(engine, 0, 1);
        const bool is_up = i * STEP > sqrt(2 / G) + 0.02;
        highest = is_up && i * STEP < 1.2 ? fmax(highest, y) : highest;
        lowest = fmin(lowest, y);
    }
    assert_true(lowest > 0.1 - 1.1 * STEP * sqrt(2 * G));
    sn_rigid_engine_destroy(&engine);
    return highest - 0.1;
}

static void balls_bounce_as_high_as_restitution_says(void **state)
{
    (void)state;
    check("elastic", bounce(1), 1, 1e-3);
    check("0.8", bounce(0.8), 0.64, 0.015);
    check("0.5", bounce(0.5), 0.25, 0.015);
    check("none", bounce(0), 0, 1e-3);
}

static void boxes_slide_as_far_as_friction_lets_them(void **state)
{
    (void)state;
    static const sn_scene_solid box = {.type = SN_SOLID_BOX, .half_extents = {0.2, 0.05, 0.2}};
    for (int way = 0; way < 2; ++way) { /* along an axis, and askew */
        sn_rigid_engine *engine = create();
        const sn_rigid_body_desc floor = ground(0.4);
        sn_rigid_body_desc engine_body = free_thing(&box, 1, 0, 0.05, 0);
        engine_body.friction = 0.1; /* with the ground's: .2 */
        engine_body.velocity[0] = way ? 1.8 : 3;
        engine_body.velocity[2] = way ? 2.4 : 0;
        sn_rigid_engine_add(engine, &engine_body);
        sn_rigid_engine_add(engine, &floor);
        go_on(engine, 3);
        check("slides", hypot(at(engine, 0, 0), at(engine, 0, 2)), 9 / (2 * 0.2 * G), 0.02);
        sn_rigid_engine_destroy(&engine);
    }
}

/* A ball that slides ends up rolling at 5/7 of its speed. */
static void balls_roll(void **state)
{
    (void)state;
    static const sn_scene_solid ball = {.type = SN_SOLID_SPHERE, .radius = 0.1};
    sn_rigid_engine *engine = create();
    const sn_rigid_body_desc floor = ground(0.3);
    sn_rigid_body_desc engine_body = free_thing(&ball, 1, 0, 0.1, 0);
    double v[3], w[3];
    engine_body.friction = 0.3;
    engine_body.velocity[0] = 2;
    sn_rigid_engine_add(engine, &engine_body);
    sn_rigid_engine_add(engine, &floor);
    go_on(engine, 2);
    sn_rigid_engine_velocity(engine, 0, v, w);
    check("rolls", v[0], 2 * 5.0 / 7, 0.01);
    check("turns", w[2], -v[0] / 0.1, 0.1);
    sn_rigid_engine_destroy(&engine);
}

static void things_at_rest_stay(void **state)
{
    (void)state;
    static const sn_scene_solid solids[] = {{.type = SN_SOLID_BOX, .half_extents = {0.2, 0.1, 0.15}},
                                            {.type = SN_SOLID_CYLINDER, .radius = 0.05, .half_height = 0.1}};
    for (int k = 0; k < 2; ++k) {
        sn_rigid_engine *engine = create();
        const sn_rigid_body_desc floor = ground(0.5);
        sn_rigid_body_desc engine_body = free_thing(&solids[k], 1, 0, 0.1, 0);
        engine_body.friction = 0.5;
        sn_rigid_engine_add(engine, &engine_body);
        sn_rigid_engine_add(engine, &floor);
        go_on(engine, 10);
        const sn_frame frame = sn_rigid_engine_frame(engine, 0, 1);
        check("x", frame.m[0][3], 0, 1e-6);
        check("y", frame.m[1][3], 0.1, 5e-4);
        check("z", frame.m[2][3], 0, 1e-6);
        check("upright", frame.m[1][1], 1, 1e-9);
        sn_rigid_engine_destroy(&engine);
    }
}

/* However slow: on a floor that has no friction, and where nothing touches. With friction the same body comes to rest.
 */
static void only_friction_puts_to_rest(void **state)
{
    (void)state;
    static const sn_scene_solid box = {.type = SN_SOLID_BOX, .half_extents = {0.5, 0.5, 0.5}};
    const double speed = 0.009;
    for (int k = 0; k < 3; ++k) {
        sn_rigid_engine *engine = create();
        const sn_rigid_body_desc floor = ground(k == 0 ? 0 : 0.5);
        sn_rigid_body_desc engine_body = free_thing(&box, 1, 0, k == 1 ? 3 : 0.5, 0);
        engine_body.friction = 0.5;
        engine_body.velocity[0] = speed;
        engine_body.gravity[1] = k == 1 ? 0 : -G;
        sn_rigid_engine_add(engine, &engine_body);
        sn_rigid_engine_add(engine, &floor);
        go_on(engine, 3);
        check("goes", at(engine, 0, 0), k == 2 ? speed * speed / (2 * 0.5 * G) : 3 * speed, 1e-4);
        sn_rigid_engine_destroy(&engine);
    }
}

/* A cylinder that leans within its base comes back, one that leans more falls. */
static void cylinders_tip_over_their_rims(void **state)
{
    (void)state;
    static const sn_scene_solid cylinder = {.type = SN_SOLID_CYLINDER, .radius = 0.05, .half_height = 0.1};
    const double limit = atan(0.5);
    for (int k = 0; k < 2; ++k) {
        sn_rigid_engine *engine = create();
        const sn_rigid_body_desc floor = ground(1);
        sn_rigid_body_desc engine_body = free_thing(&cylinder, 1, 0, 0, 0);
        const double lean = limit + (k ? 0.05 : -0.05), axis[3] = {0, 0, lean},
                     place[3] = {0, 0.1 * cos(lean) + 0.05 * sin(lean), 0};
        engine_body.friction = 1;
        engine_body.frame = sn_frame_rigid(axis, place);
        sn_rigid_engine_add(engine, &engine_body);
        sn_rigid_engine_add(engine, &floor);
        go_on(engine, 3);
        check("stands", sn_rigid_engine_frame(engine, 0, 1).m[1][1], k ? 0 : 1, 1e-3);
        sn_rigid_engine_destroy(&engine);
    }
}

/* ---- several ---- */

static void blows_keep_momentum(void **state)
{
    (void)state;
    static const sn_scene_solid balls[] = {{.type = SN_SOLID_SPHERE, .radius = 0.2},
                                           {.type = SN_SOLID_SPHERE, .radius = 0.1}};
    sn_rigid_engine *engine = create();
    sn_rigid_body_desc things[2] = {free_thing(&balls[0], 1, -1, 0, 0), free_thing(&balls[1], 1, 0, 0, 0)};
    double v[2][3], w[3], impulse = 0;
    const double m = things[0].mass.mass, n = things[1].mass.mass;
    for (int k = 0; k < 2; ++k) {
        memset(things[k].gravity, 0, sizeof things[k].gravity);
        things[k].restitution = k ? 0.6 : 0.3; /* the larger one counts */
        things[k].velocity[0] = k ? -0.5 : 2;
        sn_rigid_engine_add(engine, &things[k]);
    }
    for (int i = 0; i < 480; ++i) {
        const sn_rigid_contact *touches;
        sn_rigid_engine_step(engine);
        const int count = sn_rigid_engine_contacts(engine, &touches);
        for (int k = 0; k < count; ++k) {
            impulse += (touches[k].engine_body == 0 ? 1 : -1) * touches[k].impulse[0];
        }
    }
    sn_rigid_engine_velocity(engine, 0, v[0], w);
    sn_rigid_engine_velocity(engine, 1, v[1], w);
    check("momentum", m * v[0][0] + n * v[1][0], m * 2 - n * 0.5, 1e-9 * m);
    check("they part", v[1][0] - v[0][0], 0.6 * 2.5, 1e-6);
    check("what it was hit with", impulse, m * (v[0][0] - 2), 1e-6 * m);
    sn_rigid_engine_destroy(&engine);
}

static void things_are_carried(void **state)
{
    (void)state;
    static const sn_scene_solid belt = {.type = SN_SOLID_BOX, .half_extents = {1, 0.1, 1}},
                                box = {.type = SN_SOLID_BOX, .half_extents = {0.1, 0.1, 0.1}};
    sn_rigid_engine *engine = create();
    const sn_rigid_body_desc under = {
        .solids = &belt, .solid_count = 1, .friction = 1, .frame = {{{1, 0, 0, 0}, {0, 1, 0, -0.1}, {0, 0, 1, 0}}}};
    sn_rigid_body_desc engine_body = free_thing(&box, 1, 0, 0.1, 0);
    engine_body.friction = 1;
    sn_rigid_engine_add(engine, &engine_body);
    sn_rigid_engine_add(engine, &under);
    go_on(engine, 2); /* it sleeps */
    for (int i = 0; i < 480; ++i) {
        sn_frame from = under.frame, to = under.frame;
        from.m[0][3] = 0.5 * i * STEP;
        to.m[0][3] = 0.5 * (i + 1) * STEP;
        sn_rigid_engine_drive(engine, 1, &from, &to);
        sn_rigid_engine_step(engine);
    }
    check("carried", at(engine, 0, 0), 0.5 - 0.25 / (2 * G), 0.002); /* it slips until it is as fast */
    sn_rigid_engine_set_presence(engine, 1, false);
    const double height = at(engine, 0, 1);
    go_on(engine, 0.5);
    check("falls", at(engine, 0, 1), height - G / 8, 0.01);
    sn_rigid_engine_destroy(&engine);
}

static void what_is_out_of_bounds_is_ignored_or_put_back(void **state)
{
    (void)state;
    static const sn_scene_solid ball = {.type = SN_SOLID_SPHERE, .radius = 0.1};
    sn_rigid_engine *engine = create();
    const sn_rigid_body_desc engine_body = free_thing(&ball, 1, 0, 1, 0), under = ground(0.5);
    const double none[3] = {NAN, 0, 0}, far[3] = {1e300, 0, 0};
    const double impulse[3] = {0, 0.9 * SN_RIGID_SPEED_LIMIT * engine_body.mass.mass, 0};
    sn_frame broken = sn_frame_identity;
    int wrong = 0;
    broken.m[1][3] = NAN;
    sn_rigid_engine_add(engine, &engine_body);
    sn_rigid_engine_add(engine, &under);
    go_on(engine, 0.1);
    sn_rigid_engine_push(engine, 0, NULL, none);
    sn_rigid_engine_push(engine, 0, NULL, far);
    sn_rigid_engine_push(engine, 0, far, (double[3]){1, 0, 0});
    sn_rigid_engine_set_gravity(engine, 0, none);
    sn_rigid_engine_drive(engine, 1, &broken, &broken);
    go_on(engine, STEP);
    const double before = at(engine, 0, 1);
    check("falls", before, 1 - G / 2 * pow(0.1 + STEP, 2), 1e-9);
    for (int i = 0; i < 10; ++i) {
        sn_rigid_engine_push(engine, 0, NULL, impulse);
    }
    for (int i = 0; i < 10; ++i) {
        wrong += sn_rigid_engine_step(engine);
    }
    assert_int_equal(wrong, 1);
    check("falls on", at(engine, 0, 1), before, 0.01);
    sn_rigid_engine_destroy(&engine);
}

/* A heap of boxes, thrown together: where they are in the end. */
static int throw_boxes(void *user)
{
    static const sn_scene_solid box = {.type = SN_SOLID_BOX, .half_extents = {0.1, 0.1, 0.1}};
    sn_frame *places = user;
    sn_rigid_engine *engine = NULL;
    const sn_rigid_body_desc floor = ground(0.5);
    if (sn_rigid_engine_create(STEP, 16, &engine) != SN_OK) {
        return 1;
    }
    for (int i = 0; i < 12; ++i) {
        sn_rigid_body_desc engine_body = free_thing(&box, 1, 0.07 * (i % 5), 0.2 + 0.21 * i, 0.06 * (i % 3));
        engine_body.friction = 0.5;
        engine_body.velocity[1] = -0.5 * i;
        sn_rigid_engine_add(engine, &engine_body);
    }
    sn_rigid_engine_add(engine, &floor);
    for (int i = 0; i < 480; ++i) {
        sn_rigid_engine_step(engine);
    }
    for (int i = 0; i < 12; ++i) {
        places[i] = sn_rigid_engine_frame(engine, i, 1);
    }
    sn_rigid_engine_destroy(&engine);
    return 0;
}

static void engines_do_not_disturb_each_other(void **state)
{
    (void)state;
    static sn_frame alone[12], beside[4][12];
    thrd_t threads[4];
    assert_int_equal(throw_boxes(alone), 0);
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(thrd_create(&threads[i], throw_boxes, beside[i]), thrd_success);
    }
    for (int i = 0; i < 4; ++i) {
        int wrong = 1;
        assert_int_equal(thrd_join(threads[i], &wrong), thrd_success);
        assert_int_equal(wrong, 0);
        assert_memory_equal(beside[i], alone, sizeof alone);
    }
    assert_true(fabs(alone[11].m[0][0]) < 0.999 || fabs(alone[11].m[0][3] - 0.07) > 0.02); /* it was knocked about */
}

int test_rigid_engine(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall_is_a_parabola),
        cmocka_unit_test(balls_bounce_as_high_as_restitution_says),
        cmocka_unit_test(boxes_slide_as_far_as_friction_lets_them),
        cmocka_unit_test(balls_roll),
        cmocka_unit_test(things_at_rest_stay),
        cmocka_unit_test(only_friction_puts_to_rest),
        cmocka_unit_test(cylinders_tip_over_their_rims),
        cmocka_unit_test(blows_keep_momentum),
        cmocka_unit_test(things_are_carried),
        cmocka_unit_test(engines_do_not_disturb_each_other),
        cmocka_unit_test(what_is_out_of_bounds_is_ignored_or_put_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
