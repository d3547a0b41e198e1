/* SPDX-License-Identifier: MIT */
/* What nothing moves comes to rest, on anything and at any time step, standing or carried along, and rests in few
 * iterations: what an absolute tolerance leaves of a step is no kick for the next. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/reduced/contact_flesh.h"

enum { GROUND_COUNT = 3, RATE_COUNT = 3, NODES = 17 };

#define TOLERANCE 1e-4
#define STILL (0.1 * TOLERANCE) /* of the diagonal, from step to step */
#define SECONDS 6

static const double rates[RATE_COUNT] = {30, 60, 90};

/* Low waves, 2 long, 2 wide. */
static void make_grid(void)
{
    float distances[NODES * NODES * NODES];
    sn_grid_desc desc = {.counts = {NODES, NODES, NODES}, .origin = {-1, -1, -1}, .spacing = 2.0 / (NODES - 1)};
    for (int i = 0; i < NODES * NODES * NODES; ++i) {
        const double x = -1 + desc.spacing * (i % NODES), y = -1 + desc.spacing * (i / NODES % NODES);
        distances[i] = (float)(y - 0.01 * sin(4 * x));
    }
    desc.distances = distances;
    assert_int_equal(sn_grid_create(&desc, &grid), SN_OK);
}

static int set_up(void **state)
{
    make_grid();
    return cook(state);
}

/* Its top at a height: a plane, a box, a grid. */
static sn_collider ground_at(int kind, double height)
{
    static const sn_collider_shape shapes[] = {SN_COLLIDER_PLANE, SN_COLLIDER_BOX, SN_COLLIDER_GRID};
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider c;
    desc.shape = shapes[kind];
    desc.friction = SN_TEST_FRICTION;
    desc.half_extents[0] = desc.half_extents[2] = 2;
    desc.half_extents[1] = 0.5;
    desc.grid = grid;
    assert_int_equal(sn_collider_init(&desc, &c), SN_OK);
    c.transform[7] = c.transform_before[7] = height - (kind == 1 ? 0.5 : 0);
    return c;
}

typedef struct rest {
    double moved;      /* the most that a sample moves in a step, in the last second */
    double iterations; /* a step, there */
} rest;

/* On ground of a kind, or, with GROUND_COUNT, on none; carried along x at a speed in diagonals a second. */
static rest settle(const sn_model *model, int kind, double rate, double speed)
{
    sn_reduced_desc desc = desc_with(0.02, 9.81);
    desc.time_step = 1 / rate;
    desc.tolerance = TOLERANCE;
    desc.damping = 4;
    sn_flesh f = sn_flesh_make(model, &desc, NULL);
    const bool is_held = kind == GROUND_COUNT;
    sn_collider ground = ground_at(is_held ? 0 : kind, lowest_at_rest(model) + 0.03);
    ground.friction = speed > 0 ? 0 : SN_TEST_FRICTION; /* in which flesh as soft as this sways on */
    const int last = (int)(SECONDS * rate), second = last - (int)rate;
    double before[3 * 512] = {0};
    rest r = {0, 0};
    assert_true(model->counts.sample_count <= 512);
    for (int frame = 0; frame < last; ++frame) {
        const double way = speed * model->diagonal * frame / rate;
        const double pose[12] = {1, 0, 0, way, 0, 1, 0, 0, 0, 0, 1, 0};
        sn_flesh_set_pose(&f, pose);
        const sn_reduced_report report = step(&f, &ground, is_held ? 0 : 1);
        for (int i = 0; i < model->counts.sample_count; ++i) {
            double position[3];
            sn_flesh_sample(&f, i, position);
            position[0] -= way;
            const double moved = sn_distance3(position, before + 3 * i) / model->diagonal;
            r.moved = frame >= second ? fmax(r.moved, moved) : 0;
            memcpy(before + 3 * i, position, sizeof position);
        }
        r.iterations += frame >= second ? report.iteration_count / rate : 0;
        assert_true(report.is_converged || frame < second);
    }
    assert_true(is_held || check_forces(&f) > 10);
    sn_flesh_finish(&f);
    return r;
}

static void test_flesh_comes_to_rest(void **state)
{
    (void)state;
    for (int kind = 0; kind < GROUND_COUNT; ++kind) {
        for (int i = 0; i < 2 * RATE_COUNT; ++i) {
            const rest r = settle(i % 2 ? wide : bar, kind, rates[i / 2], 0);
            print_message("ground %d at %g: moves by %.1e, %.1f iterations\n", kind, rates[i / 2], r.moved,
                          r.iterations);
            assert_true(r.moved < STILL);
            assert_true(r.iterations < 4);
        }
    }
}

static void test_carried_flesh_comes_to_rest(void **state)
{
    (void)state;
    static const double speeds[] = {0.5, 2, 10};
    static const int kinds[] = {GROUND_COUNT, 0}; /* on a plane it slides */
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 3; ++i) {
            const rest r = settle(bar, kinds[k], 60, speeds[i]);
            print_message("%s at speed %g: moves by %.1e, %.1f iterations\n", k ? "on a plane" : "held", speeds[i],
                          r.moved, r.iterations);
            assert_true(r.moved < 2 * STILL);
            assert_true(r.iterations < 4);
        }
    }
}

int test_rest(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flesh_comes_to_rest),
        cmocka_unit_test(test_carried_flesh_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, set_up, finish);
}
