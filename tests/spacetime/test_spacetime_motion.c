/* SPDX-License-Identifier: MIT */
/* Curves, the gradient, times, hits: what an optimised motion has to fulfil. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/spacetime/prism.h"
#include "author/spacetime/solver.h"
#include "tests/spacetime/sequences.h"

/* Positions, velocities and accelerations are derivatives of each other, and velocities are those of the keys. */
static void curves_have_their_velocities(void **state)
{
    (void)state;
    const double q[4] = {1, -2, 3, 0.5}, duration = 0.7, step = 1e-6;
    for (double theta = 0; theta <= 1; theta += 0.125) {
        const sn_spacetime_span here = sn_spacetime_span_at(theta, duration);
        const sn_spacetime_span later = sn_spacetime_span_at(theta + step / duration, duration);
        double moved = 0, velocity = 0, sped = 0, acceleration = 0;
        for (int k = 0; k < 4; ++k) {
            moved += (later.position[k] - here.position[k]) * q[k] / step;
            sped += (later.velocity[k] - here.velocity[k]) * q[k] / step;
            velocity += here.velocity[k] * q[k];
            acceleration += here.acceleration[k] * q[k];
        }
        assert_true(fabs(moved - velocity) < 1e-4);
        assert_true(fabs(sped - acceleration) < 1e-3);
        assert_true(theta != 0 || fabs(velocity - q[1]) < 1e-12);
        assert_true(theta != 1 || fabs(velocity - q[3]) < 1e-12);
    }
}

/* The objective with the projections of `p`, at other positions and velocities. */
static double frozen_objective(const sn_spacetime_problem *p, const double *change)
{
    const size_t n = (size_t)p->elastic.vertex_count, size = n * (size_t)p->trajectory.function_count;
    double *moved = calloc(n, sizeof *moved), *stiff = calloc(n, sizeof *stiff), sum = 0;
    for (int s = 0; s < p->trajectory.sample_count; ++s) {
        int32_t functions[4];
        const sn_spacetime_span span = sn_spacetime_trajectory_span(&p->trajectory, s, functions);
        const double *f = p->residuals + (size_t)(s / 8) * n * 24 + s % 8;
        for (size_t d = 0; d < 3; ++d) {
            for (size_t v = 0; v < n; ++v) {
                moved[v] = 0;
                for (int k = 0; k < 4; ++k) {
                    moved[v] += span.position[k] * change[d * size + (size_t)functions[k] * n + v];
                }
            }
            sn_sparse_multiply(&p->stiffness, moved, stiff);
            for (size_t v = 0; v < n; ++v) {
                double residual = f[(3 * v + d) * 8] + stiff[v];
                for (int k = 0; k < 4; ++k) {
                    residual += p->elastic.mass[v] * (span.acceleration[k] + p->input->damping * span.velocity[k]) *
                                change[d * size + (size_t)functions[k] * n + v];
                }
                sum += sn_spacetime_trajectory_weight(&p->trajectory, s) * p->norm[v] * residual * residual / 2;
            }
        }
    }
    free(moved);
    free(stiff);
    return sum;
}

static void gradient_is_the_objectives(void **state)
{
    (void)state;
    sequence s;
    sn_spacetime_problem p;
    sequence_start(&s, HELD_APART, false);
    assert_int_equal(sn_spacetime_problem_build(&s.input, &s.desc, &s.arena, &p), SN_OK);
    const size_t size = 3 * (size_t)p.elastic.vertex_count * (size_t)p.trajectory.function_count;
    double *gradient = SN_NEW(&s.arena, double, size), *change = SN_NEW(&s.arena, double, size);
    const double objective = sn_spacetime_evaluate(&p);
    sn_spacetime_gradient(&p, gradient);
    assert_true(fabs(frozen_objective(&p, change) / objective - 1) < 1e-12);
    for (size_t i = 0; i < size; i += 29) {
        const double step = 1e-4;
        change[i] = step;
        const double above = frozen_objective(&p, change);
        change[i] = -step;
        const double below = frozen_objective(&p, change);
        change[i] = 0;
        const double expected = p.is_free[i % (size / 3)] ? (above - below) / (2 * step) : 0;
        assert_true(fabs(gradient[i] - expected) < 1e-6 * (1 + fabs(expected)));
    }
    sn_arena_finish(&s.arena);
}

/* Held values stay, the objective falls, a body without forces keeps its straight line. */
static void held_values_stay(void **state)
{
    (void)state;
    sequence s;
    sn_spacetime_motion motion;
    sn_spacetime_report report;
    sequence_start(&s, HELD_APART, true);
    assert_int_equal(sn_spacetime_optimise(&s.input, &s.desc, &s.arena, &motion, &report), SN_OK);
    assert_true(report.objective_last < 0.9 * report.objective_first);
    const size_t n = (size_t)s.mesh.vertex_count;
    for (size_t i = 0; i < 3 * n; ++i) {
        if (s.keys[1].is_fixed[i / 3]) {
            assert_true(motion.positions[3 * n + i] == s.keys[1].positions[i]);
        }
        if (s.keys[1].is_velocity_fixed[i / 3]) {
            assert_true(motion.velocities[3 * n + i] == s.keys[1].velocities[i]);
        }
        assert_true(motion.positions[i] == motion.positions[6 * n + i]); /* a cycle */
        assert_true(motion.velocities[i] == motion.velocities[6 * n + i]);
    }
    sn_arena_finish(&s.arena);
}

/* Thrown without damping, all free but the first and last place: the parabola between them. */
static void free_flight_is_a_parabola(void **state)
{
    (void)state;
    sequence s;
    sn_spacetime_motion motion;
    sn_spacetime_report report;
    sequence_start(&s, HELD_NOTHING, false);
    const size_t n = (size_t)s.mesh.vertex_count;
    double *places = SN_NEW(&s.arena, double, 3 * n);
    bool *all = SN_NEW(&s.arena, bool, n);
    memset(all, 1, n);
    for (int key = 0; key < KEYS; ++key) {
        s.keys[key] = (sn_spacetime_key){
            .positions = s.mesh.positions, .is_fixed = key == 1 ? NULL : all, .duration = 0.5, .sample_count = 6};
    }
    s.input.damping = 0;
    s.desc.tolerance = 0;
    s.desc.iteration_limit = 60;
    assert_int_equal(sn_spacetime_optimise(&s.input, &s.desc, &s.arena, &motion, &report), SN_OK);
    assert_true(report.objective_last < 1e-6 * report.objective_first);
    for (size_t v = 0; v < n; ++v) { /* y = t (1 - t) / 2 of gravity 1 */
        sn_spacetime_sample(&motion, 0.25, places);
        assert_true(fabs(places[3 * v + 1] - s.mesh.positions[3 * v + 1] - 0.09375) < 1e-3);
        assert_true(fabs(motion.velocities[3 * v + 1] - 0.5) < 1e-2);
    }
    sn_arena_finish(&s.arena);
}

static void threads_agree(void **state)
{
    (void)state;
    sequence s;
    sn_spacetime_motion motions[2];
    sn_spacetime_report report;
    for (int i = 0; i < 2; ++i) {
        sn_jobs *jobs = NULL;
        sn_arena kept = {0};
        sequence_start(&s, HELD_FOOT, false);
        assert_int_equal(sn_jobs_create(i == 0 ? 1 : 3, &jobs), SN_OK);
        s.desc.jobs = jobs;
        assert_int_equal(sn_spacetime_optimise(&s.input, &s.desc, &kept, &motions[i], &report), SN_OK);
        const size_t size = KEYS * 3 * (size_t)s.mesh.vertex_count * sizeof(double);
        static double first[4096];
        assert_true(size <= sizeof first);
        if (i == 0) {
            memcpy(first, motions[i].velocities, size);
        } else {
            assert_memory_equal(first, motions[i].velocities, size);
        }
        sn_jobs_destroy(&jobs);
        sn_arena_finish(&kept);
        sn_arena_finish(&s.arena);
    }
}

static double total(const sn_spacetime_motion *motion)
{
    double sum = 0;
    for (int i = 0; i + 1 < motion->key_count; ++i) {
        sum += motion->durations[i];
    }
    return sum;
}

/* A coarse STRETCH with other durations. */
static double retime(sn_spacetime_timing timing, double first, double second, sn_spacetime_report *report,
                     double *durations)
{
    sn_arena arena = {0};
    sn_spacetime_input input;
    sn_spacetime_motion motion;
    sn_spacetime_desc desc = sn_default_spacetime_desc();
    assert_int_equal(sn_spacetime_prism_build(SN_SPACETIME_STRETCH, 0.4, &arena, &input), SN_OK);
    sn_spacetime_key *keys = (sn_spacetime_key *)(uintptr_t)input.keys;
    keys[0].duration = first;
    keys[1].duration = second;
    desc.timing = timing;
    desc.iteration_limit = 200;
    desc.tolerance = 1e-4;
    assert_int_equal(sn_spacetime_optimise(&input, &desc, &arena, &motion, report), SN_OK);
    const double sum = total(&motion);
    memcpy(durations, motion.durations, 2 * sizeof *durations);
    sn_arena_finish(&arena);
    return sum;
}

/* The paper's figure 11: from either side to the same period, which is better than what lies around it. */
static void durations_find_the_period(void **state)
{
    (void)state;
    sn_spacetime_report report, fixed;
    double durations[2], other[2];
    const double fast = retime(SN_SPACETIME_TIMES_UNIFORM, 0.5, 0.5, &report, durations);
    const double slow = retime(SN_SPACETIME_TIMES_UNIFORM, 1.1, 1.1, &report, other);
    assert_true(fabs(fast / slow - 1) < 0.05);
    assert_true(fabs(durations[0] - durations[1]) < 1e-12);
    for (int side = -1; side <= 1; side += 2) {
        retime(SN_SPACETIME_TIMES_FIXED, slow / 2 + 0.1 * side, slow / 2 + 0.1 * side, &fixed, other);
        assert_true(fixed.objective_last > report.objective_last);
    }
}

static void the_sum_of_durations_stays(void **state)
{
    (void)state;
    sn_spacetime_report report, fixed;
    double durations[2], unused[2];
    assert_true(fabs(retime(SN_SPACETIME_TOTAL_FIXED, 0.6, 0.8, &report, durations) - 1.4) < 1e-12);
    retime(SN_SPACETIME_TIMES_FIXED, 0.6, 0.8, &fixed, unused);
    assert_true(report.objective_last < fixed.objective_last);
    assert_true(fabs(durations[0] - 0.6) > 0.005);
}

/* What holds the feet of bent keys is a force all the time: the shorter, the better. */
static void free_durations_stay_near(void **state)
{
    (void)state;
    sequence s;
    sn_spacetime_motion motion;
    sn_spacetime_report report;
    sequence_start(&s, HELD_FOOT, false);
    s.input.gravity[1] = 0;
    s.desc.timing = SN_SPACETIME_TIMES_FREE;
    s.desc.iteration_limit = 300;
    for (int key = 0; key < KEYS; ++key) {
        s.keys[key].duration = 3;
        s.keys[key].velocities = NULL;
    }
    assert_int_equal(sn_spacetime_optimise(&s.input, &s.desc, &s.arena, &motion, &report), SN_OK);
    assert_true(report.objective_last < report.objective_first);
    for (int i = 0; i + 1 < KEYS; ++i) {
        assert_true(motion.durations[i] <= 9 && motion.durations[i] >= 1);
    }
    assert_true(fmin(motion.durations[0], motion.durations[1]) == 1);
    sn_arena_finish(&s.arena);
}

/* A step to the side and back, of which a longer way takes less force: until one of the durations is three times as
 * long, in a cycle and out of one. */
static void durations_that_change_alike_stay_near(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        sequence s;
        sn_spacetime_motion motion;
        sn_spacetime_report report;
        sequence_start(&s, HELD_SHAPES, i == 0);
        const size_t n = (size_t)s.mesh.vertex_count;
        double *aside = SN_NEW(&s.arena, double, 3 * n);
        memcpy(aside, s.mesh.positions, 3 * n * sizeof *aside);
        for (size_t v = 0; v < n; ++v) {
            aside[3 * v + 2] += 1;
        }
        for (int key = 0; key < KEYS; ++key) {
            s.keys[key].positions = key == 1 ? aside : s.mesh.positions;
            s.keys[key].velocities = NULL;
            s.keys[key].is_velocity_fixed = NULL;
        }
        s.input.gravity[1] = 0;
        s.desc.timing = SN_SPACETIME_TIMES_UNIFORM;
        s.desc.iteration_limit = 300;
        s.desc.tolerance = 1e-9;
        assert_int_equal(sn_spacetime_optimise(&s.input, &s.desc, &s.arena, &motion, &report), SN_OK);
        assert_true(report.objective_last < report.objective_first);
        assert_true(fabs(motion.durations[0] - 3 * s.keys[0].duration) < 1e-9);
        assert_true(fabs(motion.durations[1] - motion.durations[0] - 0.1) < 1e-9);
        sn_arena_finish(&s.arena);
    }
}

/* A bar falls on a plane or a sphere, and leaves it. */
static void check_hit(const sn_spacetime_obstacle *obstacle, double bottom)
{
    sequence s;
    sn_spacetime_motion motion;
    sn_spacetime_report report;
    sequence_start(&s, HELD_NOTHING, false);
    const size_t n = (size_t)s.mesh.vertex_count;
    sn_spacetime_key keys[4];
    bool *all = SN_NEW(&s.arena, bool, n);
    memset(all, 1, n);
    for (int key = 0; key < 4; ++key) {
        double *positions = SN_NEW(&s.arena, double, 3 * n);
        memcpy(positions, s.mesh.positions, 3 * n * sizeof *positions);
        for (size_t v = 0; v < n; ++v) {
            positions[3 * v + 1] += bottom + (key % 3 == 0 ? 0.8 : -0.05);
        }
        keys[key] = (sn_spacetime_key){.positions = positions,
                                       .is_fixed = key % 3 == 0 ? all : NULL,
                                       .duration = key == 1 ? 0 : 0.4,
                                       .sample_count = 8};
    }
    s.input.keys = keys;
    s.input.key_count = 4;
    s.input.gravity[1] = -9.8;
    s.input.obstacle_count = 1;
    s.input.obstacles = obstacle;
    s.desc.tolerance = 1e-4;
    assert_int_equal(sn_spacetime_optimise(&s.input, &s.desc, &s.arena, &motion, &report), SN_OK);
    assert_true(report.contact_count > 0 && report.objective_last < report.objective_first);
    double before = 0, after = 0;
    for (size_t v = 0; v < n; ++v) {
        const double *x = motion.positions + 3 * (n + v);
        double away = x[1] - obstacle->point[1];
        if (obstacle->is_sphere) {
            away = hypot(hypot(x[0] - obstacle->point[0], away), x[2] - obstacle->point[2]) - obstacle->radius;
        }
        assert_true(away > -1e-3);
        before += motion.velocities[3 * (n + v) + 1];
        after += motion.velocities[3 * (2 * n + v) + 1];
        assert_memory_equal(x, x + 3 * n, 3 * sizeof *x);
    }
    assert_true(before < 0 && after > 0);
    sn_arena_finish(&s.arena);
}

static void hits_stay_outside(void **state)
{
    (void)state;
    check_hit(&(sn_spacetime_obstacle){.normal = {0, 1, 0}}, 0);
    check_hit(&(sn_spacetime_obstacle){.is_sphere = true, .point = {0.5, -1, 0.25}, .radius = 1}, 0);
}

int test_spacetime_motion(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_have_their_velocities),
        cmocka_unit_test(gradient_is_the_objectives),
        cmocka_unit_test(held_values_stay),
        cmocka_unit_test(free_flight_is_a_parabola),
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(durations_find_the_period),
        cmocka_unit_test(the_sum_of_durations_stays),
        cmocka_unit_test(free_durations_stay_near),
        cmocka_unit_test(durations_that_change_alike_stay_near),
        cmocka_unit_test(hits_stay_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
