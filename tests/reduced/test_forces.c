/* SPDX-License-Identifier: MIT */
/* Wind and impulses on the reduced body. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/skin/skin.h"
#include "tests/support/one_bar.h"

static sn_flesh make(double damping)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.is_double = true;
    desc.damping = damping;
    return sn_flesh_make(bar, &desc, NULL);
}

static void blow(sn_flesh *f, const double *wind, int frames)
{
    const sn_surroundings air = {.wind = {wind[0], wind[1], wind[2]}};
    for (int frame = 0; frame < frames; ++frame) {
        assert_false(sn_reduced_body_step(f->body, f->pose, &air).is_recovered);
    }
}

static size_t coordinate_bytes(void)
{
    return 3 * (size_t)bar->counts.coordinate_count * sizeof(double);
}

/* Of a - scale * b, over that of a. */
static double relative_difference(const double *a, const double *b, double scale)
{
    double error = 0, size = 0;
    for (int i = 0; i < 3 * bar->counts.coordinate_count; ++i) {
        error += (a[i] - scale * b[i]) * (a[i] - scale * b[i]);
        size += a[i] * a[i];
    }
    assert_true(size > 0);
    return sqrt(error / size);
}

/* ---- wind ---- */

/* Where the wind has put the flesh when it has come to rest. */
static void rest_in_wind(const double *wind, double *coordinates)
{
    sn_flesh f = make(8);
    blow(&f, wind, 200);
    memcpy(coordinates, f.body->coordinates, coordinate_bytes());
    assert_true(sn_reduced_body_energy(f.body).kinetic < 1e-12);
    sn_flesh_finish(&f);
}

static void test_force_is_quadratic_and_odd(void **state)
{
    (void)state;
    const double wind[3] = {1, 0.3, -0.5}, twice[3] = {2, 0.6, -1}, against[3] = {-1, -0.3, 0.5};
    double one[3 * 64], four[3 * 64], minus[3 * 64];
    rest_in_wind(wind, one);
    rest_in_wind(twice, four);
    rest_in_wind(against, minus);
    assert_true(relative_difference(four, one, 4) < 0.01);
    assert_true(relative_difference(minus, one, -1) < 0.01);
}

/* The mean over the surface of what is added to the rig. */
static void mean_displacement(const sn_flesh *f, double *mean)
{
    mean[0] = mean[1] = mean[2] = 0;
    double area = 0;
    for (int i = 0; i < bar->counts.sample_count; ++i) {
        double flesh[3];
        sn_sample_flesh_offset(bar, i, f->body->coordinates, flesh);
        for (int d = 0; d < 3; ++d) {
            mean[d] += (double)bar->sample_areas[i] * flesh[d];
        }
        area += (double)bar->sample_areas[i];
    }
    for (int d = 0; d < 3; ++d) {
        mean[d] /= area;
    }
}

static void test_wind_blows_along(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; ++axis) {
        for (int sign = -1; sign < 2; sign += 2) {
            sn_flesh f = make(8);
            double wind[3] = {0}, mean[3];
            wind[axis] = 4 * sign;
            blow(&f, wind, 100);
            mean_displacement(&f, mean);
            assert_true(sign * mean[axis] > 1e-6);
            for (int d = 0; d < 3; ++d) {
                assert_true(d == axis || fabs(mean[d]) < 0.2 * fabs(mean[axis]));
            }
            sn_flesh_finish(&f);
        }
    }
}

/* Half of 1/2 rho v |v| along each normal, as the rig turns it. */
static void test_the_pressure(void **state)
{
    (void)state;
    sn_flesh f = make(0);
    const double quarter[12] = {0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0}; /* about y: x to -z, z to x */
    const double wind[3] = {3, 1, -2};
    const size_t count = (size_t)bar->counts.coordinate_count;
    double expected[3 * 64] = {0};
    sn_flesh_set_pose(&f, quarter);
    sn_reduced_body_reset(f.body, f.pose);
    sn_reduced_scratch_acquire(f.body);
    memset(f.body->inertia, 0, coordinate_bytes());
    sn_reduced_add_wind(f.body, wind);
    sn_reduced_scratch_release(f.body);
    for (size_t i = 0; i < (size_t)bar->counts.sample_count; ++i) {
        const float *rest = bar->surface_normals + 3 * (size_t)bar->sample_vertices[i];
        const double normal[3] = {(double)rest[2], (double)rest[1], -(double)rest[0]};
        const double speed = sn_dot3(wind, normal);
        const double pressure = 0.25 * 1.2 * speed * fabs(speed) * (double)bar->sample_areas[i];
        for (size_t k = 0; k < 3 * count; ++k) {
            expected[k] += pressure * normal[k % 3] * (double)bar->sample_coordinate[i * count + k / 3];
        }
    }
    assert_true(relative_difference(expected, f.body->inertia, 1) < 1e-6);
    sn_flesh_finish(&f);
}

/* What goes with the wind does not feel it; what stands does. */
static void test_wind_is_relative_to_the_rig(void **state)
{
    (void)state;
    sn_flesh f = make(0);
    const double wind[3] = {3, 1, 0};
    for (int frame = 0; frame < 60; ++frame) {
        for (int b = 0; b < bar->counts.bone_count; ++b) {
            for (int d = 0; d < 3; ++d) {
                f.pose[12 * b + 4 * d + 3] = wind[d] * frame / 60;
            }
        }
        blow(&f, wind, 1);
        if (frame == 1) { /* the jerk of the start is over */
            memset(f.body->coordinates, 0, coordinate_bytes());
            memset(f.body->coordinates_before, 0, coordinate_bytes());
        }
    }
    assert_true(sn_flesh_displacement(&f) < 1e-9);
    blow(&f, wind, 2);
    assert_true(sn_flesh_displacement(&f) > 1e-6);
    sn_flesh_finish(&f);
}

/* A displacement let go, with hardly a breath of wind: the air takes energy out. */
static double energy_left(const double *wind)
{
    sn_flesh f = make(0);
    double coordinates[3 * 64];
    for (int i = 0; i < 3 * bar->counts.coordinate_count; ++i) {
        coordinates[i] = 0.4 * sin(i + 1) / (1 + bar->coordinate_stiffness[i / 3] / bar->coordinate_stiffness[0]);
    }
    sn_reduced_body_set_coordinates(f.body, coordinates);
    blow(&f, wind, 10); /* backward Euler damps too: soon nothing is left to compare */
    const double energy = sn_flesh_energy(&f);
    sn_flesh_finish(&f);
    return energy;
}

static void test_still_air_damps(void **state)
{
    (void)state;
    const double none[3] = {0}, still[3] = {1e-9, 0, 0};
    const double vacuum = energy_left(none), air = energy_left(still);
    assert_true(vacuum > 0);
    assert_true(air < 0.999 * vacuum);
}

static void test_no_wind_changes_no_bit(void **state)
{
    (void)state;
    const double none[3] = {0, -0.0, 0};
    sn_flesh f = make(0), g = make(0);
    for (int frame = 0; frame < 60; ++frame) {
        f.pose[3] = g.pose[3] = 0.1 * sin(0.3 * frame);
        sn_reduced_body_step(f.body, f.pose, NULL);
        blow(&g, none, 1);
    }
    assert_true(sn_flesh_displacement(&f) > 1e-3);
    assert_memory_equal(f.body->coordinates, g.body->coordinates, coordinate_bytes());
    sn_flesh_finish(&f);
    sn_flesh_finish(&g);
}

static void test_a_hurricane_stays_finite(void **state)
{
    (void)state;
    const double winds[] = {30, 1e3, 1e8};
    for (int i = 0; i < 3; ++i) {
        sn_reduced_desc desc = sn_default_reduced_desc();
        desc.time_step = 1.0 / 30;
        sn_flesh f = sn_flesh_make(bar, &desc, NULL);
        const sn_surroundings air = {.wind = {winds[i], 0.1 * winds[i], 0}};
        for (int frame = 0; frame < 120; ++frame) {
            assert_false(sn_reduced_body_step(f.body, f.pose, &air).is_recovered);
        }
        assert_true(isfinite(sn_flesh_displacement(&f)));
        sn_flesh_finish(&f);
    }
}

/* ---- impulses ---- */

/* d/dt Z changes by the sample's row times the impulse, at the sample that is nearest. */
static void test_an_impulse_changes_the_velocity(void **state)
{
    (void)state;
    const double impulse[3] = {0.3, -0.2, 0.1};
    const int count = bar->counts.coordinate_count;
    for (int sample = 0; sample < bar->counts.sample_count; sample += 17) {
        sn_flesh f = make(0);
        f.pose[7] = 0.05; /* so that there is a displacement, and a velocity */
        blow(&f, (const double[3]){0}, 3);
        double point[3];
        sn_flesh_sample(&f, sample, point);
        point[0] += 1e-3;
        sn_reduced_body_apply_impulse(f.body, point, impulse);
        for (int i = 0; i < 3 * count; ++i) {
            const double row = (double)bar->sample_coordinate[sample * count + i / 3];
            const double change = f.body->velocity_change[i];
            assert_true(fabs(change - row * impulse[i % 3]) < 1e-12 * (1 + fabs(change)));
        }
        sn_flesh_finish(&f);
    }
}

/* The work of an impulse on what rests is that of the masses that move: V^T M V = 1, seen from the vertices. */
static void test_an_impulse_moves_the_masses(void **state)
{
    (void)state;
    sn_flesh f = make(0);
    const double impulse[3] = {0, 2, 0};
    double point[3], transforms[12 * 8], kinetic = 0, at_the_point[3];
    double moved[3 * 512] = {0};
    assert_true(bar->counts.vertex_count <= 512);
    sn_flesh_sample(&f, 5, point);
    sn_reduced_body_apply_impulse(f.body, point, impulse);
    memcpy(f.body->coordinates, f.body->velocity_change, coordinate_bytes()); /* du/dt as a displacement */
    sn_reduced_body_mode_transforms(f.body, 1, transforms);
    sn_skin_add(bar->mode_weights, bar->counts.mode_count, transforms, bar->rest_positions, bar->counts.vertex_count,
                moved);
    for (int v = 0; v < bar->counts.vertex_count; ++v) {
        kinetic += 0.5 * bar->density * cooking.mass[v] * sn_dot3(moved + 3 * v, moved + 3 * v);
    }
    sn_flesh_sample(&f, 5, at_the_point);
    sn_subtract3(at_the_point, point, at_the_point); /* du/dt there */
    assert_true(kinetic > 1e-6);
    assert_true(fabs(kinetic - 0.5 * sn_dot3(impulse, at_the_point)) < 1e-4 * kinetic);
    sn_flesh_finish(&f);
}

/* The next step takes it, once; what is drawn before that does not jump. */
static void test_an_impulse_is_taken_by_the_next_step(void **state)
{
    (void)state;
    sn_flesh f = make(0);
    const double impulse[3] = {0, 2, 0};
    const int count = bar->counts.coordinate_count;
    double point[3], shown[12 * 8], velocity[3 * 64];
    sn_flesh_sample(&f, 5, point);
    sn_reduced_body_apply_impulse(f.body, point, impulse);
    for (int i = 0; i <= 4; ++i) {
        sn_reduced_body_interpolated_transforms(f.body, 0.25 * i, 1, shown);
        for (int k = 0; k < 12 * bar->counts.mode_count; ++k) {
            assert_true(shown[k] == 0);
        }
    }
    memcpy(velocity, f.body->velocity_change, coordinate_bytes());
    sn_reduced_body_step(f.body, f.pose, NULL);
    double along = 0, square = 0;
    for (int i = 0; i < 3 * count; ++i) {
        along += velocity[i] * f.body->coordinates[i];
        square += velocity[i] * velocity[i];
        assert_true(f.body->velocity_change[i] == 0);
    }
    assert_true(along > 0.01 * square / 60 && along <= square / 60);
    sn_flesh_finish(&f);
}

static void test_impulses_that_are_not_finite_are_ignored(void **state)
{
    (void)state;
    sn_flesh f = make(0);
    const double bad[] = {NAN, INFINITY, -INFINITY}, sound[3] = {0.1, 0.2, 0.3};
    double before[3 * 64];
    memcpy(before, f.body->velocity_change, coordinate_bytes());
    for (int i = 0; i < 9; ++i) {
        double broken[3] = {1, 1, 1};
        broken[i % 3] = bad[i / 3];
        sn_reduced_body_apply_impulse(f.body, sound, broken);
        sn_reduced_body_apply_impulse(f.body, broken, sound);
        assert_memory_equal(f.body->velocity_change, before, coordinate_bytes());
    }
    sn_reduced_body_apply_impulse(f.body, sound, sound);
    assert_memory_not_equal(f.body->velocity_change, before, coordinate_bytes());
    sn_flesh_finish(&f);
}

int test_forces(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_force_is_quadratic_and_odd),
        cmocka_unit_test(test_wind_blows_along),
        cmocka_unit_test(test_the_pressure),
        cmocka_unit_test(test_wind_is_relative_to_the_rig),
        cmocka_unit_test(test_still_air_damps),
        cmocka_unit_test(test_no_wind_changes_no_bit),
        cmocka_unit_test(test_a_hurricane_stays_finite),
        cmocka_unit_test(test_an_impulse_changes_the_velocity),
        cmocka_unit_test(test_an_impulse_moves_the_masses),
        cmocka_unit_test(test_an_impulse_is_taken_by_the_next_step),
        cmocka_unit_test(test_impulses_that_are_not_finite_are_ignored),
    };
    return cmocka_run_group_tests(tests, cook_three_bones, release_bar);
}
