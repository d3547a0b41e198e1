/* SPDX-License-Identifier: MIT */
/* Modes of chains of loose bones: that they are the chains' alone, and that each chain gets some. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/modes/reduced/soft_bone_modes.h"
#include "tests/modes/modes_test.h"
#include "tests/support/bar.h"

#define LENGTH 12
#define CELL 0.25
#define CHAINS 3

/* A bar whose middle is held, and three chains: at one end, and two at the other, which lie side by side. */
static double *start(model *m, int held_mode_count)
{
    *m = (model){.mesh = {0}};
    m->mesh = sn_test_bar(&m->arena, LENGTH, 4, 3, CELL);
    prepare(m);
    const size_t n = (size_t)m->mesh.vertex_count;
    double *shares = SN_NEW(&m->arena, double, n *CHAINS), *bone = SN_NEW(&m->arena, double, n);
    assert_true(shares && bone);
    for (size_t v = 0; v < n; ++v) {
        const double x = m->mesh.positions[3 * v], y = m->mesh.positions[3 * v + 1];
        const double left = fmin(fmax(1 - x, 0), 1), right = fmin(fmax(x - (LENGTH * CELL - 1), 0), 1);
        shares[v * CHAINS] = left;
        shares[v * CHAINS + (y < 2 * CELL ? 1 : 2)] += right;
        bone[v] = 1;
    }
    const sn_constraint_rig rig = {1, bone, NULL};
    m->leak = SN_NEW(&m->arena, double, n);
    assert_non_null(m->leak);
    for (size_t v = 0; v < n; ++v) {
        m->leak[v] = 1;
    }
    assert_int_equal(sn_constraint_build(&m->mesh, m->mass, m->leak, &rig, &m->arena, &m->constraint), SN_OK);
    assert_int_equal(sn_modes_build(&m->mesh, m->gradients, m->volumes, m->mass, NULL, &m->constraint, held_mode_count,
                                    &m->arena, &m->modes),
                     SN_OK);
    return shares;
}

static int add(model *m, const double *shares, int chain_count, int max_count)
{
    const int before = m->modes.mode_count;
    const sn_soft_bone_modes_input input = {&m->mesh, m->volumes, m->mass, NULL, shares, chain_count, max_count};
    assert_int_equal(sn_modes_add_soft_bones(&input, &m->arena, &m->modes), SN_OK);
    return m->modes.mode_count - before;
}

static double product(const model *m, size_t i, size_t j)
{
    const size_t count = (size_t)m->modes.mode_count;
    double sum = 0;
    for (size_t v = 0; v < (size_t)m->mesh.vertex_count; ++v) {
        sum += m->mass[v] * m->modes.weights[v * count + i] * m->modes.weights[v * count + j];
    }
    return sum;
}

/* Beside one mode of the held bar: where nothing is a chain's, each added mode is a multiple of that. */
static void they_are_the_chains_alone(void **state)
{
    (void)state;
    model m;
    const double *shares = start(&m, 1);
    const size_t n = (size_t)m.mesh.vertex_count;
    double *held = SN_NEW(&m.arena, double, n);
    assert_non_null(held);
    memcpy(held, m.modes.weights, n * sizeof *held);
    const int added = add(&m, shares, CHAINS, 8);
    assert_in_range(added, CHAINS, 8);
    const size_t count = (size_t)m.modes.mode_count;
    size_t kept = count;
    for (size_t j = 0; j < count; ++j) {
        double difference = 0;
        for (size_t v = 0; v < n; ++v) {
            difference = fmax(difference, fabs(m.modes.weights[v * count + j] - held[v]));
        }
        kept = difference < 1e-9 ? j : kept;
    }
    assert_true(kept < count);
    for (size_t j = 0; j < count; ++j) {
        double across = 0, square = 0, largest = 0, outside = 0;
        for (size_t v = 0; v < n; ++v) {
            const double share = shares[v * CHAINS] + shares[v * CHAINS + 1] + shares[v * CHAINS + 2];
            const double w = m.modes.weights[v * count + j];
            across += share < 0.25 ? w * held[v] : 0;
            square += share < 0.25 ? held[v] * held[v] : 0;
            largest = fmax(largest, fabs(w));
        }
        for (size_t v = 0; v < n; ++v) {
            const double share = shares[v * CHAINS] + shares[v * CHAINS + 1] + shares[v * CHAINS + 2];
            const double left = m.modes.weights[v * count + j] - across / square * held[v];
            outside = fmax(outside, share < 0.25 ? fabs(left) : 0);
        }
        assert_true(outside < 1e-8 * largest);
        assert_true(fabs(product(&m, j, j) - 1) < 1e-9);
        assert_true(j == 0 || (m.modes.eigenvalues[j] >= m.modes.eigenvalues[j - 1] && fabs(product(&m, j, 0)) < 1e-9));
    }
    sn_arena_finish(&m.arena);
}

/* Two modes for three chains: the two that lie side by side share one, and all move. */
static void near_chains_share(void **state)
{
    (void)state;
    model m;
    const double *shares = start(&m, 1);
    assert_int_equal(add(&m, shares, CHAINS, 2), 2);
    const size_t n = (size_t)m.mesh.vertex_count, count = 3;
    double moved[CHAINS][3] = {{0}};
    for (size_t v = 0; v < n; ++v) {
        for (size_t c = 0; c < CHAINS; ++c) {
            for (size_t j = 0; j < count && shares[v * CHAINS + c] > 0.9; ++j) {
                moved[c][j] = fmax(moved[c][j], fabs(m.modes.weights[v * count + j]));
            }
        }
    }
    for (size_t c = 0; c < CHAINS; ++c) {
        assert_true(fmax(moved[c][0], fmax(moved[c][1], moved[c][2])) > 0.5);
    }
    for (size_t j = 0; j < count; ++j) { /* side by side, they do the same in each */
        assert_true(fabs(moved[1][j] - moved[2][j]) < 0.3 * fmax(moved[1][j], moved[2][j]) + 0.1);
    }
    sn_arena_finish(&m.arena);
}

static void no_flesh_no_modes(void **state)
{
    (void)state;
    model m;
    start(&m, 2);
    double *none = SN_NEW(&m.arena, double, m.mesh.vertex_count);
    assert_non_null(none);
    assert_int_equal(add(&m, none, 1, 8), 0);
    sn_arena_finish(&m.arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_loose_modes(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(they_are_the_chains_alone), cmocka_unit_test(near_chains_share),
                                       cmocka_unit_test(no_flesh_no_modes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
