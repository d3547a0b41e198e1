/* SPDX-License-Identifier: MIT */
/* Flesh on grids of signed distances: as on the shape that they sample, at rest on bumps, carried along, in violence.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/flesh.h"

#define NODES 49

static sn_cook_context cookings[2];
static sn_model *bar;         /* held by its handle */
static sn_model *loose;       /* falls */
static sn_grid *ball, *bumps; /* a ball of radius .15; waves of .02 about y = 0, .25 long and .3 wide */

typedef double field_function(const double *at);

static double ball_field(const double *at)
{
    return sn_length3(at) - 0.15;
}

/* Over the length of the gradient: about the distance. */
static double bump_field(const double *at)
{
    const double kx = 25, kz = 21, height = 0.02;
    const double dx = height * kx * cos(kx * at[0]) * cos(kz * at[2]);
    const double dz = -height * kz * sin(kx * at[0]) * sin(kz * at[2]);
    return (at[1] - height * sin(kx * at[0]) * cos(kz * at[2])) / sqrt(1 + dx * dx + dz * dz);
}

/* Over a box around the origin. */
static sn_grid *make_grid(field_function *field, double half_size)
{
    sn_grid_desc desc = {.counts = {NODES, NODES, NODES},
                         .origin = {-half_size, -half_size, -half_size},
                         .spacing = 2 * half_size / (NODES - 1)};
    float *distances = malloc((size_t)NODES * NODES * NODES * sizeof *distances);
    sn_grid *grid = NULL;
    assert_non_null(distances);
    for (int i = 0; i < NODES * NODES * NODES; ++i) {
        const double at[3] = {desc.spacing * (i % NODES) - half_size, desc.spacing * (i / NODES % NODES) - half_size,
                              desc.spacing * (i / NODES / NODES) - half_size};
        distances[i] = (float)field(at);
    }
    desc.distances = distances;
    assert_int_equal(sn_grid_create(&desc, &grid), SN_OK);
    free(distances);
    return grid;
}

static int cook(void **state)
{
    (void)state;
    const int cells[3] = {12, 4, 3};
    bar = sn_test_cook_bar(&cookings[0], cells, 1, 8);
    loose = sn_test_cook_free_bar(&cookings[1], cells, 6);
    ball = make_grid(ball_field, 0.25);
    bumps = make_grid(bump_field, 0.75);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    sn_model_release(bar);
    sn_model_release(loose);
    sn_cook_context_finish(&cookings[0]);
    sn_cook_context_finish(&cookings[1]);
    sn_grid_destroy(&ball);
    sn_grid_destroy(&bumps);
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

/* Of a grid, or of a sphere of the ball's radius. */
static sn_collider collider_of(const sn_grid *grid, const double *place)
{
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider c;
    desc.shape = grid ? SN_COLLIDER_GRID : SN_COLLIDER_SPHERE;
    desc.grid = grid;
    desc.radius = 0.15;
    assert_int_equal(sn_collider_init(&desc, &c), SN_OK);
    for (int d = 0; d < 3; ++d) {
        c.transform[4 * d + 3] = c.transform_before[4 * d + 3] = place[d];
    }
    return c;
}

static void move_collider(sn_collider *c, double x, double y, double z)
{
    memcpy(c->transform_before, c->transform, sizeof c->transform);
    c->transform[3] += x;
    c->transform[7] += y;
    c->transform[11] += z;
}

static sn_reduced_report step(sn_flesh *f, const sn_collider *collider)
{
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = collider};
    return sn_reduced_body_step(f->body, f->pose, &surroundings);
}

static double deepest(const sn_flesh *f, const sn_collider *c)
{
    double depth = 0;
    for (int i = 0; i < f->model->counts.sample_count; ++i) {
        double position[3];
        sn_flesh_sample(f, i, position);
        depth = fmax(depth, -sn_collider_distance(c, position, NULL));
    }
    return depth;
}

/* A ball presses into the bar from above, rolls along and goes: as a grid and as a sphere, all the way. */
static void test_a_ball_of_either_kind_presses_alike(void **state)
{
    (void)state;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.damping = 2;
    const double above[3] = {0.2, 0.3, 0.02};
    sn_flesh f = sn_flesh_make(bar, &desc, NULL), g = sn_flesh_make(bar, &desc, NULL);
    sn_collider a = collider_of(ball, above), b = collider_of(NULL, above);
    double largest = 0, farthest = 0;
    for (int frame = 0; frame < 180; ++frame) {
        const double x = frame < 60 ? 0 : -0.003, y = frame < 60 ? -0.0015 : frame < 120 ? 0 : 0.003;
        move_collider(&a, x, y, 0);
        move_collider(&b, x, y, 0);
        step(&f, &a);
        step(&g, &b);
        for (int i = 0; i < bar->counts.sample_count; ++i) {
            double one[3], other[3];
            largest = fmax(largest, sn_flesh_sample(&f, i, one));
            sn_flesh_sample(&g, i, other);
            farthest = fmax(farthest, sn_distance3(one, other));
        }
    }
    assert_true(largest > 0.03);
    assert_true(farthest < 0.03 * largest);
    sn_flesh_finish(&f);
    sn_flesh_finish(&g);
}

static void test_a_body_falls_on_bumps_and_rests(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        sn_reduced_desc desc = sn_default_reduced_desc();
        const int rate = i % 2 ? 60 : 30;
        desc.time_step = 1.0 / rate;
        desc.gravity[1] = -9.81;
        desc.damping = 1;
        desc.is_double = i / 2 == 1;
        sn_flesh f = sn_flesh_make(loose, &desc, NULL);
        const double below[3] = {0.03, -0.35, 0.02};
        const sn_collider ground = collider_of(bumps, below);
        double before[256][3] = {{0}}, jitter = 0, depth = 0, fallen = 0;
        for (int frame = 0; frame < 6 * rate; ++frame) {
            assert_false(step(&f, &ground).is_recovered);
            depth = fmax(depth, deepest(&f, &ground));
            for (int s = 0; s < loose->counts.sample_count; ++s) {
                double now[3];
                fallen = fmax(fallen, sn_flesh_sample(&f, s, now));
                jitter = frame >= 5 * rate ? fmax(jitter, sn_distance3(now, before[s])) : 0;
                memcpy(before[s], now, sizeof now);
            }
        }
        assert_true(fallen > 0.1 && fallen < 0.5);
        assert_true(depth < 3e-3);
        assert_true(jitter < 1e-5);
        sn_flesh_finish(&f);
    }
}

/* Ground that slides takes along what lies on it. */
static void test_bumps_carry_flesh_along(void **state)
{
    (void)state;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.gravity[1] = -9.81;
    desc.damping = 1;
    sn_flesh f = sn_flesh_make(loose, &desc, NULL);
    const double below[3] = {0, -0.25, 0};
    sn_collider ground = collider_of(bumps, below);
    double before[3], after[3];
    for (int frame = 0; frame < 240; ++frame) {
        move_collider(&ground, frame < 180 ? 0 : 0.002, 0, 0);
        step(&f, &ground);
        if (frame == 179) {
            sn_flesh_sample(&f, 0, before);
        }
    }
    sn_flesh_sample(&f, 0, after);
    assert_true(after[0] - before[0] > 0.8 * 60 * 0.002 && after[0] - before[0] < 1.2 * 60 * 0.002);
    sn_flesh_finish(&f);
}

/* Poses and colliders that jump about, turn and come back: finite, and in place when all is calm again. */
static void test_violence_stays_finite(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int i = 0; i < 4; ++i) {
        sn_reduced_desc desc = sn_default_reduced_desc();
        desc.time_step = i % 2 ? 1.0 / 60 : 1.0 / 30;
        desc.damping = 2;
        sn_flesh f = sn_flesh_make(bar, &desc, NULL);
        const double place[3] = {0, 0, 0};
        sn_collider c = collider_of(i < 2 ? ball : bumps, place);
        for (int frame = 0; frame < 200; ++frame) {
            for (int k = 0; k < 3; ++k) {
                seed = seed * 1664525U + 1013904223U;
                f.pose[4 * k + 3] = 0.4 * ((double)(seed >> 8) / (1 << 23) - 1);
                seed = seed * 1664525U + 1013904223U;
                c.transform[4 * k + 3] = 2e-7 * (double)(seed >> 8) - 1.7;
            }
            step(&f, &c);
            memcpy(c.transform_before, c.transform, sizeof c.transform);
            assert_true(sn_flesh_displacement(&f) < 3);
        }
        memcpy(c.transform, (const double[]){1, 0, 0, 0, 0, 1, 0, -9, 0, 0, 1, 0}, sizeof c.transform);
        memcpy(c.transform_before, c.transform, sizeof c.transform);
        for (int frame = 0; frame < 600; ++frame) {
            assert_false(step(&f, &c).is_recovered);
        }
        assert_true(sn_flesh_displacement(&f) < 1e-5);
        sn_flesh_finish(&f);
    }
}

int test_grid_contacts(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_ball_of_either_kind_presses_alike),
        cmocka_unit_test(test_a_body_falls_on_bumps_and_rests),
        cmocka_unit_test(test_bumps_carry_flesh_along),
        cmocka_unit_test(test_violence_stays_finite),
    };
    return cmocka_run_group_tests(tests, cook, finish);
}
