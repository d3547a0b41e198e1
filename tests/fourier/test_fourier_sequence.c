/* SPDX-License-Identifier: MIT */
/* Sequences: shapes are met, rates go on across joins, targets add up alike everywhere. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "author/fourier/fourier.h"
#include "host/base/random.h"
#include "tests/fourier/fourier_test.h"
#include "tests/support/count_allocations.h"
#include "tests/support/log.h"

#define SEGMENTS 4
#define HARMONICS 3
#define MODES (HARMONICS + 1)

static const double durations[SEGMENTS] = {0.5, 0.2, 1.25, 0.4};

static sn_fourier_sequence build(const sn_fourier_material *material, bool starts_at_rest, sn_arena *arena)
{
    sn_fourier_sequence sequence;
    const sn_fourier_sequence_desc desc = {.material = *material,
                                           .harmonic_count = HARMONICS,
                                           .segment_count = SEGMENTS,
                                           .durations = durations,
                                           .starts_at_rest = starts_at_rest};
    assert_int_equal(sn_fourier_sequence_build(&desc, arena, &sequence), SN_OK);
    return sequence;
}

/* D of a vertex whose modes are displaced by q (SEGMENTS x MODES). */
static double place(const sn_fourier_sequence *s, const double *q, double seconds)
{
    double weights[SEGMENTS * MODES], sum = 0;
    sn_fourier_sequence_weights(s, seconds, weights);
    for (int i = 0; i < SEGMENTS * MODES; ++i) {
        sum += weights[i] * q[i];
    }
    return sum;
}

static const sn_fourier_material materials[] = {
    {1, 5, 100, 1, SN_FOURIER_MEMBRANE, SN_FOURIER_SECOND}, {1, 0, 300, 0.01, SN_FOURIER_PLATE, SN_FOURIER_SECOND},
    {2, 40, 10, 5, SN_FOURIER_PAPER, SN_FOURIER_SECOND},    {1, 60, 0, 0, SN_FOURIER_MEMBRANE, SN_FOURIER_SECOND},
    {1, 6, 30, 1, SN_FOURIER_MEMBRANE, SN_FOURIER_SEGMENT}, {0, 3, 20, 1, SN_FOURIER_MEMBRANE, SN_FOURIER_SECOND},
    {0, 0, 1, 0, SN_FOURIER_PLATE, SN_FOURIER_SECOND}};

static void test_shapes_are_met_and_rates_go_on(void **state)
{
    (void)state;
    uint64_t seed = 3;
    double q[SEGMENTS * MODES];
    for (int i = 0; i < SEGMENTS * MODES; ++i) {
        q[i] = sn_random_unit(&seed) - 0.5;
    }
    for (size_t m = 0; m < sizeof materials / sizeof materials[0]; ++m) {
        sn_arena arena = {0};
        const sn_fourier_sequence s = build(&materials[m], false, &arena);
        double reached = 0;
        assert_near(place(&s, q, 0), 0, 1e-15);
        for (int j = 0; j < SEGMENTS; ++j) {
            for (int n = 0; n < MODES; ++n) {
                reached += q[j * MODES + n];
            }
            const double end = s.starts[j + 1], dt = 1e-6;
            assert_near(place(&s, q, end), reached, 1e-12);
            assert_near(place(&s, q, end - 1e-13), reached, 1e-8);
            if (j + 1 < SEGMENTS && materials[m].density > 0) {
                const double before = (place(&s, q, end) - place(&s, q, end - dt)) / dt;
                const double after = (place(&s, q, end + dt) - place(&s, q, end)) / dt;
                assert_near(after, before, 1e-2 * (1 + fabs(before)));
                const double wide = (place(&s, q, end + 100 * dt) - place(&s, q, end - 100 * dt)) / (200 * dt);
                assert_near(wide, before, 1e-1 * (1 + fabs(before)));
            }
        }
        assert_near(place(&s, q, 99), reached, 1e-12); /* holds */
        assert_near(place(&s, q, -1), 0, 1e-15);
        sn_arena_finish(&arena);
    }
}

static void test_held_segments_begin_at_rest(void **state)
{
    (void)state;
    sn_arena arena = {0};
    const sn_fourier_sequence s = build(&materials[0], true, &arena);
    const double q[SEGMENTS * MODES] = {1, 1, 1, 1};
    assert_near(place(&s, q, durations[0] + 0.05), 4, 1e-12);
    assert_true(sn_fourier_sequence_gain(&s, 0) > 0);
    sn_arena_finish(&arena);
}

static void test_stiffness_of_harmonics(void **state)
{
    (void)state;
    sn_fourier_material m = {1, 2, 3, 5, SN_FOURIER_MEMBRANE, SN_FOURIER_SECOND};
    const double pi = 3.14159265358979323846;
    assert_near(sn_fourier_mode_of(&m, 2, 1).stiffness, 3 + 4 * pi * pi * 4 * 5, 1e-9);
    m.stiffness = SN_FOURIER_PAPER;
    assert_near(sn_fourier_mode_of(&m, 2, 1).stiffness, 3 - 4 * 4 * pi * pi * 5, 1e-9);
    m.stiffness = SN_FOURIER_PLATE;
    assert_near(sn_fourier_mode_of(&m, 2, 1).stiffness, 3 + 16 * pow(pi, 4) * 16 * 5, 1e-8);
    const sn_fourier_mode quick = sn_fourier_mode_of(&m, 0, 0.5);
    assert_true(quick.density == 4 && quick.damping == 4 && quick.stiffness == 3);
}

/* By segments: the same way for any duration, and what a short segment leaves does not swing far in a long one. */
static void test_time_by_segments(void **state)
{
    (void)state;
    const sn_fourier_material material = sn_default_fourier_material();
    static const double seconds[] = {0.1, 1, 5};
    assert_int_equal(material.time, SN_FOURIER_SEGMENT);
    for (int i = 0; i < 3; ++i) {
        sn_arena arena = {0};
        sn_fourier_sequence even, uneven;
        const double equal[2] = {seconds[i], seconds[i]}, longer[2] = {0.1, 0.1 + 10 * seconds[i]};
        sn_fourier_sequence_desc desc = {.material = material, .segment_count = 2, .durations = equal};
        double weights[2], first[2], most = 0;
        assert_int_equal(sn_fourier_sequence_build(&desc, &arena, &even), SN_OK);
        desc.durations = longer;
        assert_int_equal(sn_fourier_sequence_build(&desc, &arena, &uneven), SN_OK);
        sn_fourier_sequence_weights(&even, 0.5 * seconds[i], weights);
        assert_near(weights[0], 0.2378, 5e-5);
        sn_fourier_sequence_weights(&even, 1.5 * seconds[i], first);
        assert_near(first[0], 1.1653, 5e-5);
        assert_near(first[1], weights[0], 1e-12);
        for (int k = 0; k <= 1000; ++k) {
            sn_fourier_sequence_weights(&uneven, 0.1 + longer[1] * k / 1000, weights);
            most = fmax(most, fabs(weights[0] - 1));
        }
        assert_true(most > 0.1 && most < 0.22);
        sn_arena_finish(&arena);
    }
}

static void refuse(sn_fourier_material material, double duration, const char *cause)
{
    sn_arena arena = {0};
    sn_fourier_sequence sequence;
    const sn_fourier_sequence_desc desc = {
        .material = material, .harmonic_count = 2, .segment_count = 1, .durations = &duration};
    begin_log();
    assert_int_equal(sn_fourier_sequence_build(&desc, &arena, &sequence), SN_ERROR_ARGUMENT);
    sn_set_log(NULL, NULL);
    assert_one_error(cause);
    sn_arena_finish(&arena);
}

static void test_bad_sequences_are_refused(void **state)
{
    (void)state;
    const sn_fourier_material good = materials[0];
    refuse(good, 0, "must be more than 0");
    refuse(good, NAN, "must be more than 0");
    sn_fourier_material bad = good;
    bad.bending = -1;
    refuse(bad, 1, "must not be negative");
    bad = good;
    bad.damping = -1;
    refuse(bad, 1, "neither may be negative");
    bad.damping = NAN;
    refuse(bad, 1, "not finite");
}

/* A count of vertices that fills no block. */
static void test_targets_add_up_alike(void **state)
{
    (void)state;
    enum { VERTICES = 1234, TARGETS = 7 };
    sn_arena arena = {0};
    uint64_t seed = 11;
    float *fields[TARGETS], weights[TARGETS];
    for (int k = 0; k < TARGETS; ++k) {
        fields[k] = SN_NEW(&arena, float, 3 * VERTICES);
        weights[k] = (float)(sn_random_unit(&seed) - 0.5);
        for (int i = 0; i < 3 * VERTICES; ++i) {
            fields[k][i] = (float)(sn_random_unit(&seed) - 0.5);
        }
    }
    sn_fourier_targets targets;
    assert_int_equal(sn_fourier_targets_build(VERTICES, TARGETS, (const float *const *)fields, &arena, &targets),
                     SN_OK);
    const size_t room = (size_t)targets.block_count * SN_FOURIER_BLOCK_FLOATS;
    float *one = SN_NEW(&arena, float, room), *other = SN_NEW(&arena, float, room);
    sn_fourier_targets_evaluate(&targets, weights, SN_FOURIER_BASELINE, NULL, one);
    for (size_t i = 0; i < 3 * VERTICES; ++i) {
        double sum = 0;
        for (int k = 0; k < TARGETS; ++k) {
            sum += (double)weights[k] * (double)fields[k][i];
        }
        assert_near((double)one[i], sum, 1e-6);
    }
    for (int threads = 1; threads <= 5; ++threads) {
        sn_jobs *jobs = NULL;
        assert_int_equal(sn_jobs_create(threads, &jobs), SN_OK);
        memset(other, 1, room * sizeof *other);
        allocation_count = 0;
        sn_fourier_targets_evaluate(&targets, weights, SN_FOURIER_BEST, jobs, other);
        assert_int_equal(allocation_count, 0);
        assert_memory_equal(one, other, room * sizeof *one);
        sn_jobs_destroy(&jobs);
    }
    sn_arena_finish(&arena);
}

int test_fourier_sequence(void)
{
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_are_met_and_rates_go_on), cmocka_unit_test(test_held_segments_begin_at_rest),
        cmocka_unit_test(test_stiffness_of_harmonics),         cmocka_unit_test(test_time_by_segments),
        cmocka_unit_test(test_bad_sequences_are_refused),      cmocka_unit_test(test_targets_add_up_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
