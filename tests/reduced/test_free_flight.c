/* SPDX-License-Identifier: MIT */
/* Flesh that nothing holds, whose modes contain every affine motion: impulses give it their momentum, flight keeps it,
 * and damping takes velocity away alike at every time step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/skin/skin.h"
#include "tests/support/flesh.h"

#define BONES 3
#define VERTEX_LIMIT 512

static sn_cook_context cooking;
static sn_model *bar;

static int cook(void **state)
{
    (void)state;
    const int cells[3] = {12, 4, 3};
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = 8;
    desc.cluster_count = 20;
    desc.leak = SN_LEAK_ALL;
    bar = sn_test_cook_bar_as(&cooking, cells, BONES, &desc);
    return bar->counts.vertex_count <= VERTEX_LIMIT ? 0 : -1;
}

static int finish(void **state)
{
    (void)state;
    sn_model_release(bar);
    sn_cook_context_finish(&cooking);
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

static sn_flesh make(double rate, double damping)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.is_double = true;
    desc.time_step = 1 / rate;
    desc.damping = damping;
    desc.iteration_limit = 200;
    desc.tolerance = 1e-11;
    return sn_flesh_make(bar, &desc, NULL);
}

static void step(sn_flesh *f)
{
    assert_false(sn_reduced_body_step(f->body, f->pose, NULL).is_recovered);
}

static size_t coordinate_bytes(void)
{
    return 3 * (size_t)bar->counts.coordinate_count * sizeof(double);
}

/* What coordinates add at the vertices. */
static void field(const double *coordinates, double (*result)[3])
{
    double transforms[12 * 8];
    const sn_reduced_view view = {.model = *bar, .mode_count = bar->counts.mode_count};
    sn_reduced_transforms(&view, coordinates, 1, transforms);
    memset(result, 0, (size_t)bar->counts.vertex_count * sizeof *result);
    sn_skin_add(bar->mode_weights, bar->counts.mode_count, transforms, bar->rest_positions, bar->counts.vertex_count,
                result[0]);
}

/* Of the flesh at rest positions plus coordinates, moving by `velocity`: linear, and angular about the origin. */
static void momentum(const double *coordinates, const double *velocity, double *linear, double *angular)
{
    static double moved[VERTEX_LIMIT][3], speed[VERTEX_LIMIT][3];
    field(coordinates, moved);
    field(velocity, speed);
    memset(linear, 0, 3 * sizeof *linear);
    memset(angular, 0, 3 * sizeof *angular);
    for (int v = 0; v < bar->counts.vertex_count; ++v) {
        const double mass = bar->density * cooking.mass[v];
        double turning[3];
        for (int d = 0; d < 3; ++d) {
            moved[v][d] += (double)bar->rest_positions[3 * v + d];
        }
        sn_cross3(moved[v], speed[v], turning);
        for (int d = 0; d < 3; ++d) {
            linear[d] += mass * speed[v][d];
            angular[d] += mass * turning[d];
        }
    }
}

static double mean_velocity(const sn_flesh *f, double *velocity)
{
    const double per_second = 1 / f->solver->desc.time_step;
    for (int i = 0; i < 3 * bar->counts.coordinate_count; ++i) {
        velocity[i] = per_second * (f->body->coordinates[i] - f->body->coordinates_before[i]);
    }
    double linear[3], angular[3];
    momentum(f->body->coordinates, velocity, linear, angular);
    return linear[1];
}

static void expect_near(const double *value, const double *expected, double tolerance)
{
    assert_true(sn_distance3(value, expected) < tolerance * sn_length3(expected));
}

/* ---- impulses ---- */

static void test_an_impulse_gives_its_momentum(void **state)
{
    (void)state;
    const double impulse[3] = {0.3, -2, 1};
    for (int sample = 0; sample < bar->counts.sample_count; sample += 23) {
        sn_flesh f = make(60, 0);
        double at[3], linear[3], angular[3], expected[3];
        sn_flesh_sample(&f, sample, at);
        sn_reduced_body_apply_impulse(f.body, at, impulse);
        momentum(f.body->coordinates, f.body->velocity_change, linear, angular);
        sn_cross3(at, impulse, expected);
        expect_near(linear, impulse, 1e-5);
        expect_near(angular, expected, 1e-5);
        sn_flesh_finish(&f);
    }
}

/* Elastic forces are internal. */
static void test_flight_keeps_momentum(void **state)
{
    (void)state;
    const double impulse[3] = {0.3, -2, 1};
    sn_flesh f = make(2000, 0);
    double at[3], velocity[3 * 64], linear[3], angular[3], expected[3];
    sn_flesh_sample(&f, 5, at);
    sn_cross3(at, impulse, expected);
    sn_reduced_body_apply_impulse(f.body, at, impulse);
    for (int frame = 0; frame < 400; ++frame) {
        step(&f);
    }
    mean_velocity(&f, velocity);
    momentum(f.body->coordinates, velocity, linear, angular);
    assert_true(sn_flesh_displacement(&f) > 1e-3);
    expect_near(linear, impulse, 1e-4);
    expect_near(angular, expected, 2e-2); /* a rotation in steps loses a little */
    sn_flesh_finish(&f);
}

/* All of it arrives, where the bone's skin is; and those of all bones together, by their shares of the skin, are one
 * that all the skin shares. */
static void test_a_bone_impulse_goes_to_its_skin(void **state)
{
    (void)state;
    const double impulse[3] = {0.2, 1, -0.7};
    double sum[3 * 64] = {0}, even[3 * 64] = {0}, areas[BONES] = {0}, area = 0;
    const int count = bar->counts.coordinate_count;
    sn_flesh f = make(60, 0);
    for (int s = 0; s < bar->counts.sample_count; ++s) {
        const size_t v = (size_t)bar->sample_vertices[s];
        area += (double)bar->sample_areas[s];
        for (int32_t i = bar->influence_starts[v]; i < bar->influence_starts[v + 1]; ++i) {
            areas[bar->influences[i].bone] += (double)bar->influences[i].weight * (double)bar->sample_areas[s];
        }
        for (int k = 0; k < 3 * count; ++k) {
            even[k] +=
                (double)bar->sample_areas[s] * (double)bar->sample_coordinate[s * count + k / 3] * impulse[k % 3];
        }
    }
    double before = -INFINITY;
    for (int b = 0; b < BONES; ++b) {
        double linear[3], angular[3];
        memset(f.body->velocity_change, 0, coordinate_bytes());
        sn_reduced_body_apply_bone_impulse(f.body, b, impulse);
        momentum(f.body->coordinates, f.body->velocity_change, linear, angular);
        expect_near(linear, impulse, 1e-5);
        /* the bones lie along x: the arm of the y part */
        const double arm = angular[2] / impulse[1];
        assert_true(arm > before + 0.1);
        before = arm;
        for (int k = 0; k < 3 * count; ++k) {
            sum[k] += areas[b] / area * f.body->velocity_change[k];
        }
    }
    double error = 0, size = 0;
    for (int k = 0; k < 3 * count; ++k) {
        error += (sum[k] - even[k] / area) * (sum[k] - even[k] / area);
        size += sum[k] * sum[k];
    }
    assert_true(size > 0 && sqrt(error / size) < 1e-5);
    memset(f.body->velocity_change, 0, coordinate_bytes());
    sn_reduced_body_apply_bone_impulse(f.body, 1, (const double[]){0, NAN, 0});
    sn_reduced_body_apply_bone_impulse(f.body, 1, (const double[]){INFINITY, 0, 0});
    for (int k = 0; k < 3 * count; ++k) {
        assert_true(f.body->velocity_change[k] == 0);
    }
    sn_flesh_finish(&f);
}

/* ---- damping ---- */

/* What one second of flight leaves of the velocity of the whole, which impulses on all bones gave. */
static double velocity_left(double rate, double damping)
{
    sn_flesh f = make(rate, damping);
    double velocity[3 * 64], first = 0;
    for (int b = 0; b < BONES; ++b) {
        sn_reduced_body_apply_bone_impulse(f.body, b, (const double[]){0, 0.1, 0});
    }
    for (int frame = 0; frame <= (int)rate; ++frame) {
        step(&f);
        first = frame == 0 ? mean_velocity(&f, velocity) : first;
    }
    const double left = mean_velocity(&f, velocity) / first;
    sn_flesh_finish(&f);
    return left;
}

static void test_flight_decays_alike_at_every_time_step(void **state)
{
    (void)state;
    const double rates[] = {30, 60, 144, 1000}, dampings[] = {0, 0.5, 2, 6};
    for (int i = 0; i < 16; ++i) {
        const double expected = exp(-dampings[i / 4]);
        assert_true(fabs(velocity_left(rates[i % 4], dampings[i / 4]) / expected - 1) < 1e-3);
    }
}

/* The size of a swing after one second: the square root of its energy. */
static double swing_left(double rate, double damping)
{
    sn_flesh f = make(rate, damping);
    double coordinates[3 * 64] = {0};
    int stiff = 0; /* the first coordinate that something holds */
    while (bar->coordinate_stiffness[stiff] < 1e-3 * bar->coordinate_stiffness[bar->counts.coordinate_count - 1]) {
        ++stiff;
    }
    coordinates[3 * stiff + 1] = 0.02 / bar->coordinate_bounds[stiff];
    sn_reduced_body_set_coordinates(f.body, coordinates);
    const double first = sn_flesh_energy(&f);
    for (int frame = 1; frame <= (int)rate; ++frame) {
        step(&f);
    }
    const double left = sqrt(sn_flesh_energy(&f) / first);
    sn_flesh_finish(&f);
    return left;
}

/* As every damped spring, a swing loses exp(-d t / 2) of its size: within a twentieth. What a twin without damping
 * loses is the time step's own. */
static void test_swings_decay_alike_at_every_time_step(void **state)
{
    (void)state;
    const double rates[] = {30, 60, 144, 1000}, dampings[] = {0.5, 2};
    for (int i = 0; i < 4; ++i) {
        const double twin = swing_left(rates[i], 0);
        for (int k = 0; k < 2; ++k) {
            const double left = swing_left(rates[i], dampings[k]) / twin;
            assert_true(fabs(left / exp(-dampings[k] / 2) - 1) < 0.05);
        }
    }
}

/* As far as a hundred diagonals from its rig, though the bound on that is many times as large; and no farther. */
static void test_a_fall_of_many_diagonals(void **state)
{
    (void)state;
    for (int is_double = 0; is_double < 2; ++is_double) {
        sn_reduced_desc desc = sn_default_reduced_desc();
        desc.is_double = is_double;
        desc.gravity[1] = -100;
        sn_flesh f = sn_flesh_make(bar, &desc, NULL);
        double fallen = 0;
        int frame = 0;
        for (bool is_lost = false; !is_lost; ++frame) {
            const double before = fallen;
            assert_true(frame < 200);
            is_lost = sn_reduced_body_step(f.body, f.pose, NULL).is_recovered;
            fallen = sn_flesh_displacement(&f);
            assert_true(is_lost ? fallen == 0 && before > 95 : fallen > before && fallen < 101);
        }
        sn_flesh_finish(&f);
    }
}

int test_free_flight(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_impulse_gives_its_momentum),
        cmocka_unit_test(test_flight_keeps_momentum),
        cmocka_unit_test(test_a_bone_impulse_goes_to_its_skin),
        cmocka_unit_test(test_flight_decays_alike_at_every_time_step),
        cmocka_unit_test(test_swings_decay_alike_at_every_time_step),
        cmocka_unit_test(test_a_fall_of_many_diagonals),
    };
    return cmocka_run_group_tests(tests, cook, finish);
}
