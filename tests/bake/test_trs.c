/* SPDX-License-Identifier: MIT */
/* Affine transforms as translation, rotation and scale. */
#include "author/bake/trs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "host/math/affine.h"

static double next_random(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

static double distance(const double *a, const double *b, int count)
{
    double largest = 0;
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

static sn_trs random_trs(uint32_t *seed, bool is_mirrored)
{
    sn_trs trs;
    double length = 0;
    for (int k = 0; k < 4; ++k) {
        trs.rotation[k] = next_random(seed);
        length += trs.rotation[k] * trs.rotation[k];
    }
    for (int k = 0; k < 4; ++k) {
        trs.rotation[k] /= sqrt(length);
    }
    for (int d = 0; d < 3; ++d) {
        trs.translation[d] = 3 * next_random(seed);
        trs.scale[d] = (is_mirrored ? -1 : 1) * (1.1 + next_random(seed));
    }
    return trs;
}

/* What is of the kind comes back, mirrored or not, and the quaternion takes the shorter way. */
static void test_round_trip(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int i = 0; i < 200; ++i) {
        const sn_trs trs = random_trs(&seed, i % 2);
        double affine[12], again[12], along = 0;
        sn_trs found;
        sn_trs_compose(&trs, affine);
        sn_trs_from_affine(affine, &trs, &found);
        sn_trs_compose(&found, again);
        assert_true(distance(affine, again, 12) < 1e-12);
        for (int k = 0; k < 4; ++k) {
            along += found.rotation[k] * trs.rotation[k];
        }
        assert_true(along > 0);
    }
}

/* Any affine transform is two of them. */
static void test_split(void **state)
{
    (void)state;
    uint32_t seed = 11;
    double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < 200; ++i) {
        double affine[12], a[12], b[12], again[12];
        sn_trs outer, inner;
        for (int k = 0; k < 12; ++k) {
            affine[k] = next_random(&seed);
            affine[k] = i == 199 && k % 4 == 1 ? 0 : affine[k]; /* a flat one */
        }
        sn_trs_split(affine, axes, NULL, NULL, &outer, &inner);
        sn_trs_compose(&outer, a);
        sn_trs_compose(&inner, b);
        sn_affine_multiply(a, b, again);
        assert_true(distance(affine, again, 12) < 1e-12);
        assert_true(inner.scale[0] == 1 && inner.scale[1] == 1 && inner.scale[2] == 1);
    }
}

/* A bone that is scaled to nothing keeps the rotation it had. */
static void test_singular(void **state)
{
    (void)state;
    uint32_t seed = 5;
    const sn_trs before = random_trs(&seed, false);
    const double nothing[12] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3};
    sn_trs found;
    sn_trs_from_affine(nothing, &before, &found);
    assert_true(distance(found.rotation, before.rotation, 4) < 1e-12);
    assert_true(fabs(found.scale[0]) + fabs(found.scale[1]) + fabs(found.scale[2]) == 0);
    assert_true(found.translation[0] == 1 && found.translation[2] == 3);
}

/* No rotation near the one that is found does better. */
static void test_rotation_towards(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (int i = 0; i < 50; ++i) {
        double h[9], r[9], best = 0;
        for (int k = 0; k < 9; ++k) {
            h[k] = next_random(&seed);
        }
        sn_rotation_towards(h, r);
        for (int k = 0; k < 9; ++k) {
            best += r[k] * h[k];
        }
        for (int trial = 0; trial < 20; ++trial) {
            sn_trs turn = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
            double other[12], sum = 0;
            for (int d = 0; d < 3; ++d) {
                turn.rotation[d] = (trial < 10 ? 0.01 : 1) * next_random(&seed);
            }
            sn_trs_compose(&turn, other);
            for (int row = 0; row < 3; ++row) {
                for (int k = 0; k < 3; ++k) {
                    for (int m = 0; m < 3; ++m) {
                        sum += other[4 * row + m] * r[3 * m + k] * h[3 * row + k];
                    }
                }
            }
            assert_true(sum <= best + 1e-12);
        }
    }
}

int test_trs(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_split),
                                       cmocka_unit_test(test_singular), cmocka_unit_test(test_rotation_towards)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
