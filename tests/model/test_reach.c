/* SPDX-License-Identifier: MIT */
/* The bound on how far coordinates move a vertex: it holds for every vertex, is met by one, and is worth its search. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "host/base/random.h"
#include "host/model/displacement_bound.h"

#define VERTEX_COUNT 500
#define COORDINATE_COUNT 24
#define LIMB_COUNT 10

static double basis[VERTEX_COUNT][COORDINATE_COUNT];
static double stiffness[COORDINATE_COUNT];

/* Limbs whose tips move farthest, some much farther than others. */
static int fill(void **state)
{
    uint64_t random = 7;
    (void)state;
    for (int i = 0; i < COORDINATE_COUNT; ++i) {
        stiffness[i] = pow(1.2, i);
        for (int limb = 0; limb < LIMB_COUNT; ++limb) {
            const double share = sn_random_unit(&random) - 0.5;
            for (int k = 0; k < VERTEX_COUNT / LIMB_COUNT; ++k) {
                const double along = (double)k * LIMB_COUNT / VERTEX_COUNT;
                basis[limb * (VERTEX_COUNT / LIMB_COUNT) + k][i] = share * (1 + 3 * limb % 4) * along * along;
            }
        }
    }
    return 0;
}

static const sn_displacement_basis all = {VERTEX_COUNT, COORDINATE_COUNT, stiffness, basis[0]};

/* The largest sum_i V_vi^2 / b_i^2 of all vertices. */
static double longest_of(const double *b)
{
    double longest = 0;
    for (int v = 0; v < VERTEX_COUNT; ++v) {
        double sum = 0;
        for (int i = 0; i < COORDINATE_COUNT; ++i) {
            sum += b[i] > 0 ? basis[v][i] * basis[v][i] / (b[i] * b[i]) : 0;
        }
        longest = fmax(longest, sum);
    }
    return longest;
}

/* sum_i c_i b_i^2: see reach.h. */
static double cost_of(const double *b)
{
    double mean = 0, cost = 0;
    for (int i = 0; i < COORDINATE_COUNT; ++i) {
        mean += stiffness[i] / COORDINATE_COUNT;
    }
    for (int i = 0; i < COORDINATE_COUNT; ++i) {
        cost += stiffness[i] / ((mean + stiffness[i]) * (mean + stiffness[i])) * b[i] * b[i];
    }
    return cost;
}

static void test_bound_is_met_and_not_exceeded(void **state)
{
    double b[COORDINATE_COUNT];
    (void)state;
    assert_int_equal(sn_displacement_bound_compute(&all, b), SN_OK);
    assert_true(fabs(longest_of(b) - 1) < 1e-12);
}

/* Than weights by each coordinate's farthest vertex. */
static void test_search_is_worth_it(void **state)
{
    double b[COORDINATE_COUNT], plain[COORDINATE_COUNT] = {0};
    (void)state;
    for (int v = 0; v < VERTEX_COUNT; ++v) {
        for (int i = 0; i < COORDINATE_COUNT; ++i) {
            plain[i] = fmax(plain[i], fabs(basis[v][i]));
        }
    }
    const double factor = sqrt(longest_of(plain));
    for (int i = 0; i < COORDINATE_COUNT; ++i) {
        plain[i] *= factor;
    }
    assert_int_equal(sn_displacement_bound_compute(&all, b), SN_OK);
    assert_true(fabs(longest_of(plain) - 1) < 1e-12);
    print_message("%.2f of the plain weights' cost\n", cost_of(b) / cost_of(plain));
    assert_true(cost_of(b) < 0.95 * cost_of(plain));
}

/* Free coordinates have no stiffness, and some move nothing. */
static void test_soft_and_empty_coordinates(void **state)
{
    double b[COORDINATE_COUNT];
    (void)state;
    stiffness[0] = stiffness[1] = 0;
    for (int v = 0; v < VERTEX_COUNT; ++v) {
        basis[v][5] = 0;
    }
    assert_int_equal(sn_displacement_bound_compute(&all, b), SN_OK);
    assert_true(b[5] == 0 && b[0] > 0 && b[1] > 0);
    assert_true(fabs(longest_of(b) - 1) < 1e-12);
    for (int i = 0; i < COORDINATE_COUNT; ++i) {
        stiffness[i] = 0;
    }
    assert_int_equal(sn_displacement_bound_compute(&all, b), SN_OK);
    assert_true(fabs(longest_of(b) - 1) < 1e-12);
    fill(NULL);
}

static void test_single_vertices(void **state)
{
    const sn_displacement_basis one = {1, 1, stiffness, basis[0]}, none = {0, 1, stiffness, NULL};
    double b = -1;
    (void)state;
    basis[0][0] = -3;
    assert_int_equal(sn_displacement_bound_compute(&one, &b), SN_OK);
    assert_true(fabs(b - 3) < 1e-12);
    assert_int_equal(sn_displacement_bound_compute(&none, &b), SN_OK);
    assert_true(b == 0);
    fill(NULL);
}

int test_reach(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bound_is_met_and_not_exceeded),
        cmocka_unit_test(test_search_is_worth_it),
        cmocka_unit_test(test_soft_and_empty_coordinates),
        cmocka_unit_test(test_single_vertices),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
