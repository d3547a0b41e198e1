/* SPDX-License-Identifier: MIT */
/* The recipes in double: gradients against finite differences, the pair against its definition, what vanishes at rest,
 * momenta of one correction, the multipliers against the linear system that they solve. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "host/base/random.h"

#define REAL double
#define SQRT sqrt
#include "host/xpbd/recipe_line.inc"
#include "host/xpbd/recipe_polar.inc"
#include "host/xpbd/recipe_triangle.inc"

#define ROUNDS 300

static uint64_t seed = 1;

static double noise(double size)
{
    return size * (2 * sn_random_unit(&seed) - 1);
}

static double det3(const double *m)
{
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/* One kind of constraint, its value and its gradients by vertex, at displaced vertices. */
typedef double evaluate_function(const double *values, const double vertices[4][4], double gradients[4][3]);

static double d_of(const pair *p)
{
    return p->is_active ? p->d_f / sqrt(p->f_f) : 0;
}

static double scale_of(const pair *p)
{
    return p->is_active ? 1 / sqrt(p->f_f) : 0;
}

static double tet_h(const double *values, const double vertices[4][4], double gradients[4][3])
{
    double g[9];
    pair p;
    tet_gradient(values, vertices, g);
    tet_pair(g, &p);
    tet_gradients(values, p.p_h, gradients);
    return p.h;
}

static double tet_d_of(const double *values, void (*make_pair)(const double *, pair *), const double vertices[4][4],
                       double gradients[4][3])
{
    double g[9];
    pair p;
    tet_gradient(values, vertices, g);
    make_pair(g, &p);
    tet_gradients(values, p.p_d, gradients);
    for (int i = 0; i < 12; ++i) {
        gradients[i / 3][i % 3] *= scale_of(&p);
    }
    return d_of(&p);
}

static double tet_d(const double *values, const double vertices[4][4], double gradients[4][3])
{
    return tet_d_of(values, tet_pair, vertices, gradients);
}

static double tet_d_legacy(const double *values, const double vertices[4][4], double gradients[4][3])
{
    return tet_d_of(values, tet_pair_legacy, vertices, gradients);
}

static double tet_d_polar(const double *values, const double vertices[4][4], double gradients[4][3])
{
    return tet_d_of(values, tet_pair_polar, vertices, gradients);
}

static double triangle_of(const double *values, int which, const double vertices[4][4], double gradients[4][3])
{
    double g[4];
    pair p;
    triangle_gradient(values, vertices, g);
    (which == 2 ? triangle_pair_legacy : triangle_pair)(g, &p);
    triangle_gradients(values, which == 0 ? p.p_h : p.p_d, gradients);
    for (int i = 0; i < 6; ++i) {
        gradients[i / 2][i % 2] *= which == 0 ? 1 : scale_of(&p);
    }
    for (int k = 0; k < 3; ++k) {
        gradients[k][2] = 0;
    }
    return which == 0 ? p.h : d_of(&p);
}

static double triangle_h(const double *values, const double vertices[4][4], double gradients[4][3])
{
    return triangle_of(values, 0, vertices, gradients);
}

static double triangle_d(const double *values, const double vertices[4][4], double gradients[4][3])
{
    return triangle_of(values, 1, vertices, gradients);
}

static double triangle_d_legacy(const double *values, const double vertices[4][4], double gradients[4][3])
{
    return triangle_of(values, 2, vertices, gradients);
}

static double distance(const double *values, const double vertices[4][4], double gradients[4][3])
{
    return distance_constraint(values, vertices, gradients);
}

static double bending(const double *values, const double vertices[4][4], double gradients[4][3])
{
    return bending_constraint(values, vertices, gradients);
}

static const struct type {
    const char *name;
    evaluate_function *evaluate;
    int corners, axes;
} kinds[] = {
    {"tet H", tet_h, 4, 3},           {"tet D", tet_d, 4, 3},           {"tet D legacy", tet_d_legacy, 4, 3},
    {"triangle H", triangle_h, 3, 2}, {"triangle D", triangle_d, 3, 2}, {"triangle D legacy", triangle_d_legacy, 3, 2},
    {"distance", distance, 2, 3},     {"bending", bending, 4, 3},       {"tet D polar", tet_d_polar, 4, 3}};

/* A rest shape that is not degenerate, as `values` for the kind; the positions too. */
static void make_rest(const struct type *type, double rest[4][3], double *values)
{
    const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0.3, 1, 0}, {0.2, 0.3, -0.9}};
    double dm[9];
    for (int k = 0; k < 4; ++k) {
        for (int d = 0; d < 3; ++d) {
            rest[k][d] = d < type->axes ? corners[k][d] + noise(0.15) : 0;
        }
    }
    memset(values, 0, 16 * sizeof *values);
    if (type->evaluate == distance || type->evaluate == bending) {
        if (type->evaluate == bending) {
            rest[3][1] = -1 + noise(0.1); /* on the edge's other side, about flat to half bent */
            rest[3][2] = noise(0.7);
        }
        for (int i = 0; i < 9; ++i) {
            values[i] = rest[1 + i / 3][i % 3] - rest[0][i % 3];
        }
        if (type->evaluate == distance) {
            values[3] = 0.9;
        } else {
            values[9] = cos(0.4), values[10] = sin(0.4);
        }
        return;
    }
    const int n = type->corners - 1;
    for (int i = 0; i < n * n; ++i) {
        dm[i] = rest[i % n][i / n] - rest[n][i / n];
    }
    if (n == 2) {
        const double det = dm[0] * dm[3] - dm[1] * dm[2];
        values[0] = dm[3] / det, values[1] = -dm[1] / det, values[2] = -dm[2] / det, values[3] = dm[0] / det;
    } else {
        double cof[9];
        cofactors(dm, cof);
        for (int i = 0; i < 9; ++i) {
            values[i] = cof[3 * (i % 3) + i / 3] / det3(dm);
        }
    }
}

/* Displaced by a rotation and some deformation; small: near rest. */
static void displace(const struct type *type, double rest[4][3], double size, double vertices[4][4])
{
    const double angle = noise(3), c = cos(angle), s = sin(angle);
    for (int k = 0; k < 4; ++k) {
        const double turned[3] = {c * rest[k][0] - s * rest[k][1], s * rest[k][0] + c * rest[k][1], rest[k][2]};
        for (int d = 0; d < 3; ++d) {
            vertices[k][d] = d < type->axes ? turned[d] - rest[k][d] + noise(size) : 0;
        }
        vertices[k][3] = 0.2 + sn_random_unit(&seed);
    }
}

static void test_gradients_are_differences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        const struct type *type = &kinds[i];
        for (int round = 0; round < ROUNDS; ++round) {
            double rest[4][3], values[16], vertices[4][4], gradients[4][3] = {{0}}, other[4][3];
            make_rest(type, rest, values);
            displace(type, rest, round % 2 ? 0.4 : 0.05, vertices);
            if (round % 8 == 5 && type->evaluate != bending) { /* inside out */
                for (int k = 0; k < 4; ++k) {
                    vertices[k][0] = -2 * rest[k][0] - vertices[k][0];
                }
            }
            type->evaluate(values, vertices, gradients);
            const double h = 1e-6;
            for (int j = 0; j < type->corners * type->axes; ++j) {
                double *x = &vertices[j / type->axes][j % type->axes], at = *x;
                *x = at + h;
                const double above = type->evaluate(values, vertices, other);
                *x = at - h;
                const double below = type->evaluate(values, vertices, other);
                *x = at;
                const double expected = (above - below) / (2 * h), got = gradients[j / type->axes][j % type->axes];
                if (!(fabs(got - expected) < 2e-7 * (1 + fabs(expected)))) {
                    fail_msg("%s, round %d, %d: %.12g, by differences %.12g", type->name, round, j, got, expected);
                }
            }
        }
    }
}

/* C_H and C_D are what the spec defines; near rest too, where the plain formula has lost half its digits. */
static void test_pairs_are_as_defined(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; ++round) {
        double g[9], f[9], square = 0;
        pair p;
        const double size = round % 3 == 0 ? 1 : round % 3 == 1 ? 0.1 : 1e-4;
        for (int i = 0; i < 9; ++i) {
            g[i] = noise(size);
            f[i] = g[i] + (i % 4 == 0);
            square += f[i] * f[i];
        }
        tet_pair(g, &p);
        const double j = det3(f), d2 = square + j * j - 4 * j;
        assert_true(fabs(p.h - (j - 1)) < 1e-14);
        assert_true(fabs(d_of(&p) * d_of(&p) - d2) < 2e-14 * (4 + square + j * j));
        if (size < 1e-3) { /* sqrt 2 |strain| */
            double strain2 = 0;
            for (int i = 0; i < 9; ++i) {
                const double e = (g[i] + g[3 * (i % 3) + i / 3]) / 2;
                strain2 += e * e;
            }
            assert_true(fabs(d_of(&p) / sqrt(2 * strain2) - 1) < 1e-3);
        }
        tet_pair_legacy(g, &p);
        assert_true(fabs(d_of(&p) - (square - 3)) < 1e-14 * (4 + square) && p.f_f == 1);
        const double f2[4] = {f[0], f[1], f[3], f[4]}, g2[4] = {g[0], g[1], g[3], g[4]};
        const double j2 = f2[0] * f2[3] - f2[1] * f2[2];
        const double square2 = f2[0] * f2[0] + f2[1] * f2[1] + f2[2] * f2[2] + f2[3] * f2[3];
        triangle_pair(g2, &p);
        assert_true(fabs(p.h - (j2 - 1)) < 1e-14);
        assert_true(fabs(d_of(&p) * d_of(&p) - (square2 - 2 * j2)) < 2e-14 * (4 + square2));
        triangle_pair_legacy(g2, &p);
        assert_true(fabs(d_of(&p) - (square2 - 2)) < 1e-14 * (4 + square2));
    }
}

/* Rotations have neither strain; exactly none at rest. */
static void test_rotations_are_rest(void **state)
{
    (void)state;
    pair p;
    const double still[9] = {0};
    tet_pair(still, &p);
    assert_true(p.h == 0 && d_of(&p) == 0 && !p.is_active);
    triangle_pair(still, &p);
    assert_true(p.h == 0 && d_of(&p) == 0 && !p.is_active);
    for (int round = 0; round < ROUNDS; ++round) {
        double q[4], norm = 0, g[9];
        for (int i = 0; i < 4; ++i) {
            q[i] = noise(1);
            norm += q[i] * q[i];
        }
        for (int i = 0; i < 9; ++i) {
            const int a = i / 3, b = i % 3, c = 3 - a - b;
            const double sign = (b - a + 3) % 3 == 1 ? -1 : 1;
            g[i] = a == b ? -2 * (q[(a + 1) % 3] * q[(a + 1) % 3] + q[(a + 2) % 3] * q[(a + 2) % 3]) / norm
                          : 2 * (q[a] * q[b] + sign * q[3] * q[c]) / norm;
        }
        tet_pair(g, &p);
        assert_true(fabs(p.h) < 1e-15 * 8 && d_of(&p) < 1e-6);
    }
}

/* Values with compliances behind them as floats, as batches have them. */
static void pack(const double *values, int count, const double *compliances, int compliance_count, float *packed)
{
    for (int i = 0; i < count + compliance_count; ++i) {
        packed[SN_BATCH * i] = (float)(i < count ? values[i] : compliances[i - count]);
    }
}

static const struct solver {
    size_t type; /* that makes its rest */
    int values, compliances;
    void (*solve)(const float *values, double per_step, double vertices[4][4], double *multipliers);
} solvers[] = {{0, 9, 2, solve_tet},      {0, 9, 2, solve_tet_legacy},      {0, 9, 1, solve_volume},
               {3, 4, 2, solve_triangle}, {3, 4, 2, solve_triangle_legacy}, {6, 4, 1, solve_distance},
               {7, 11, 1, solve_bending}};

/* One correction changes neither momentum: sum of m dx and of m x X dx, x before it, vanish to round-off. */
static void test_corrections_conserve_momenta(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; ++i) {
        const struct type *type = &kinds[solvers[i].type];
        for (int round = 0; round < ROUNDS; ++round) {
            double rest[4][3], values[16], before[4][4], after[4][4], linear[3] = {0}, angular[3] = {0}, moved = 0;
            float packed[16 * SN_BATCH];
            double multipliers[2] = {0, 0};
            const double compliances[2] = {0.1 * sn_random_unit(&seed), 0.1 * sn_random_unit(&seed)};
            make_rest(type, rest, values);
            pack(values, solvers[i].values, compliances, solvers[i].compliances, packed);
            /* what the floats say, so that gradients are those of the constraint that is solved */
            displace(type, rest, 0.3, before);
            memcpy(after, before, sizeof after);
            solvers[i].solve(packed, 1.5, after, multipliers);
            for (int k = 0; k < type->corners; ++k) {
                double x[3], dx[3];
                for (int d = 0; d < 3; ++d) {
                    x[d] = rest[k][d] + before[k][d];
                    dx[d] = (after[k][d] - before[k][d]) / before[k][3];
                    linear[d] += dx[d];
                    moved += fabs(dx[d]);
                }
                for (int d = 0; d < 3; ++d) {
                    angular[d] += x[(d + 1) % 3] * dx[(d + 2) % 3] - x[(d + 2) % 3] * dx[(d + 1) % 3];
                }
                assert_true(after[k][3] == before[k][3]);
            }
            assert_true(moved > 1e-4);
            for (int d = 0; d < 3; ++d) {
                /* angular: the floats of Dm^-1 or edges are not quite those of the rest places */
                assert_true(fabs(linear[d]) < 1e-14 && fabs(angular[d]) < 3e-7 * (1 + moved));
            }
        }
    }
}

/* The multipliers of a pair solve (grad C M^-1 grad C^T + a~) dL = -(C + a~ L). */
static void test_pair_solves_both(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; ++round) {
        double rest[4][3], values[16], v[4][4], after[4][4], g_h[4][3], g_d[4][3], predicted[2], s[3] = {0};
        const double compliances[2] = {0.01 * sn_random_unit(&seed), 0.01 * sn_random_unit(&seed)}, per_step = 3;
        double multipliers[2] = {noise(0.1), noise(0.1)};
        const double before[2] = {multipliers[0], multipliers[1]};
        float packed[16 * SN_BATCH];
        make_rest(&kinds[0], rest, values);
        pack(values, 9, compliances, 2, packed);
        for (int i = 0; i < 9; ++i) {
            values[i] = (double)packed[SN_BATCH * i];
        }
        displace(&kinds[0], rest, 0.3, v);
        memcpy(after, v, sizeof after);
        predicted[0] = tet_h(values, v, g_h);
        predicted[1] = tet_d(values, v, g_d);
        for (int k = 0; k < 4; ++k) {
            s[0] += v[k][3] * dot3(g_h[k], g_h[k]);
            s[1] += v[k][3] * dot3(g_h[k], g_d[k]);
            s[2] += v[k][3] * dot3(g_d[k], g_d[k]);
        }
        solve_tet(packed, per_step, after, multipliers);
        const double d_h = multipliers[0] - before[0], d_d = multipliers[1] - before[1];
        const double a_h = per_step * (double)packed[SN_BATCH * 9], a_d = per_step * (double)packed[SN_BATCH * 10];
        assert_true(fabs((s[0] + a_h) * d_h + s[1] * d_d + predicted[0] + a_h * before[0]) < 1e-11 * (1 + s[0]));
        assert_true(fabs(s[1] * d_h + (s[2] + a_d) * d_d + predicted[1] + a_d * before[1]) < 1e-11 * (1 + s[2]));
    }
}

/* Degenerate tets, all pinned ones, and rigid materials: finite, and what weighs nothing stays. */
static void test_nothing_divides_by_zero(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; ++i) {
        const struct type *type = &kinds[solvers[i].type];
        for (int round = 0; round < 64; ++round) {
            double rest[4][3], values[16], v[4][4], multipliers[2] = {0, 0};
            const double compliances[2] = {round & 1 ? 0 : 0.1, round & 2 ? 0 : 0.1};
            float packed[16 * SN_BATCH];
            make_rest(type, rest, values);
            pack(values, solvers[i].values, compliances, solvers[i].compliances, packed);
            displace(type, rest, 0.2, v);
            for (int k = 0; k < 4; ++k) {
                const int to = round & 4 ? 0 : k; /* all in one place */
                for (int d = 0; d < 3; ++d) {
                    const double flat = round & 8 && d == 1 ? -rest[k][1] : v[k][d];
                    v[k][d] = round & 4 ? rest[to][d] - rest[k][d] : round & 32 ? 0 : flat;
                }
                v[k][3] = round & 16 ? 0 : v[k][3];
            }
            double before[4][4];
            memcpy(before, v, sizeof before);
            solvers[i].solve(packed, 1, v, multipliers);
            for (int k = 0; k < 4 * type->corners; ++k) {
                assert_true(isfinite(v[k / 4][k % 4]));
                assert_true(!(round & 16) || v[k / 4][k % 4] == before[k / 4][k % 4]);
            }
        }
    }
}

int test_xpbd_recipes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients_are_differences), cmocka_unit_test(test_pairs_are_as_defined),
        cmocka_unit_test(test_rotations_are_rest),        cmocka_unit_test(test_corrections_conserve_momenta),
        cmocka_unit_test(test_pair_solves_both),          cmocka_unit_test(test_nothing_divides_by_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
