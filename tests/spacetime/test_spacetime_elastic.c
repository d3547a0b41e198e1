/* SPDX-License-Identifier: MIT */
/* The local step: projections against a search, forces against differences of the energy, all instruction sets alike.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/spacetime/projection.h"
#include "host/base/random.h"
#include "tests/support/bar.h"

#define LANES SN_SPACETIME_LANES

static double determinant(const double *a)
{
    return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
}

static double distance(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < 9; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(sum);
}

/* Eight deformation gradients, one of them projected on its own; volume: D, else R. */
static void project(bool is_volume, const double *f, double *p)
{
    static _Alignas(64) double in[9 * LANES], out[9 * LANES];
    const sn_spacetime_elastic elastic = {.volume_fraction = is_volume, .strain_fraction = !is_volume};
    for (int i = 0; i < 9 * LANES; ++i) {
        in[i] = f[i / LANES] + (i % LANES) * (i / LANES == 4); /* others in the other lanes */
    }
    sn_spacetime_project(&elastic, in, out);
    for (int i = 0; i < 9; ++i) {
        p[i] = out[i * LANES];
    }
}

static void multiply(const double *a, const double *b, double *c)
{
    for (int i = 0; i < 9; ++i) {
        c[i] = a[i / 3 * 3] * b[i % 3] + a[i / 3 * 3 + 1] * b[3 + i % 3] + a[i / 3 * 3 + 2] * b[6 + i % 3];
    }
}

/* No matrix of determinant 1 nearby is nearer: p times small ones of determinant 1. */
static void check_nearest(const double *f, const double *p, bool is_rotation, uint64_t *random)
{
    const double here = distance(f, p);
    for (int trial = 0; trial < 200; ++trial) {
        double small[9], moved[9];
        for (int i = 0; i < 9; ++i) {
            small[i] = (i % 4 == 0) + 1e-3 * (sn_random_unit(random) - 0.5);
        }
        if (is_rotation) { /* Cayley's map would do as well: to second order */
            const double x = small[1], y = small[2], z = small[5];
            const double turn[9] = {1 - (x * x + y * y) / 2, x, y, -x - y * z, 1 - (x * x + z * z) / 2, z, -y, -z,
                                    1 - (y * y + z * z) / 2};
            memcpy(small, turn, sizeof turn);
        } else {
            const double root = cbrt(determinant(small));
            for (int i = 0; i < 9; ++i) {
                small[i] /= root;
            }
        }
        multiply(p, small, moved);
        assert_true(distance(f, moved) > here - 1e-8);
    }
}

static void projections_are_nearest(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int trial = 0; trial < 200; ++trial) {
        double f[9], rotation[9], volume[9], square[9];
        for (int i = 0; i < 9; ++i) {
            f[i] = (i % 4 == 0) + (trial < 100 ? 0.6 : 4) * (sn_random_unit(&random) - 0.5);
        }
        project(false, f, rotation);
        project(true, f, volume);
        assert_true(fabs(determinant(rotation) - 1) < 1e-12);
        assert_true(fabs(determinant(volume) - 1) < 1e-11);
        const double across[9] = {rotation[0], rotation[3], rotation[6], rotation[1], rotation[4],
                                  rotation[7], rotation[2], rotation[5], rotation[8]};
        const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        multiply(rotation, across, square);
        assert_true(distance(square, identity) < 1e-12);
        check_nearest(f, volume, false, &random);
        check_nearest(f, rotation, true, &random);
    }
}

/* s_i - sigma_i = mu / s_i on diagonal matrices of every sort: inverted, flattened, far too large. */
static void volumes_are_kept(void **state)
{
    (void)state;
    const double cases[][3] = {{1, 1, 1},       {2, 1, 0.5},     {3, 3, 3},  {9, 0.01, 0.01},
                               {0.3, 0.2, 0.1}, {1, 1, -0.5},    {4, 2, -1}, {1, 0, 0},
                               {20, 10, 0.1},   {1.2, 1.1, 1.1}, {0, 0, 0},  {1e3, 1e3, 1e3}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        const double *s = cases[c], f[9] = {s[0], 0, 0, 0, s[1], 0, 0, 0, s[2]};
        double d[9], r[9], mu[3];
        project(true, f, d);
        project(false, f, r);
        assert_true(fabs(determinant(d) - 1) < 1e-11);
        assert_true(fabs(determinant(r) - 1) < 1e-12);
        for (int i = 0; i < 3 && s[2] > 0; ++i) { /* with signs and zeros, axes may be swapped */
            mu[i] = d[4 * i] * (d[4 * i] - s[i]);
            assert_true(fabs(mu[i] - mu[0]) < 1e-9 * (1 + fabs(mu[0])));
        }
    }
}

static void rotates_with_the_frame(void **state)
{
    (void)state;
    const double f[9] = {1.3, 0.2, -0.4, 0.1, 0.7, 0.3, 0.5, -0.2, 1.1};
    const double c = cos(0.7), s = sin(0.7), turn[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    double p[9], turned[9], expected[9], f_turned[9];
    project(true, f, p);
    multiply(turn, f, f_turned);
    multiply(turn, p, expected);
    project(true, f_turned, turned);
    assert_true(distance(turned, expected) < 1e-12);
}

typedef struct bar {
    sn_arena arena;
    sn_tet_mesh mesh;
    sn_spacetime_elastic elastic;
    double *x, *forces;
} bar;

static void start(bar *b)
{
    const sn_spacetime_material material = {.volume = 20, .strain = 30, .density = 2};
    *b = (bar){0};
    b->mesh = sn_test_bar(&b->arena, 3, 2, 1, 0.5);
    assert_int_equal(sn_spacetime_elastic_build(&b->mesh, &material, &b->arena, &b->elastic), SN_OK);
    b->x = SN_NEW(&b->arena, double, 3 * LANES * b->mesh.vertex_count);
    b->forces = SN_NEW(&b->arena, double, 3 * LANES * b->mesh.vertex_count);
    uint64_t random = 9;
    for (int i = 0; i < 3 * LANES * b->mesh.vertex_count; ++i) {
        b->x[i] = b->mesh.positions[i / LANES] + 0.3 * (sn_random_unit(&random) - 0.5);
    }
}

/* Of the first lane. */
static double energy(const bar *b)
{
    double sum = 0;
    for (int t = 0; t < b->mesh.tet_count; ++t) {
        double f[9] = {0}, r[9], d[9];
        for (int k = 0; k < 4; ++k) {
            const double *x = b->x + 3 * LANES * b->mesh.tets[4 * t + k], *g = b->elastic.gradients + 12 * t + 3 * k;
            for (int i = 0; i < 9; ++i) {
                f[i] += x[i / 3 * LANES] * g[i % 3];
            }
        }
        project(false, f, r);
        project(true, f, d);
        sum += b->elastic.weights[t] / 2 *
               (b->elastic.strain_fraction * distance(f, r) * distance(f, r) +
                b->elastic.volume_fraction * distance(f, d) * distance(f, d));
    }
    return sum;
}

static void forces_are_the_energys_gradient(void **state)
{
    (void)state;
    bar b;
    start(&b);
    sn_spacetime_elastic_forces(&b.elastic, b.x, b.forces);
    for (int i = 0; i < 3 * b.mesh.vertex_count; i += 5) {
        const double step = 1e-5, here = b.x[i * LANES];
        b.x[i * LANES] = here + step;
        const double above = energy(&b);
        b.x[i * LANES] = here - step;
        const double below = energy(&b);
        b.x[i * LANES] = here;
        assert_true(fabs((above - below) / (2 * step) - b.forces[i * LANES]) < 1e-5);
    }
    double sums[3] = {0};
    for (int i = 0; i < 3 * b.mesh.vertex_count; ++i) {
        sums[i % 3] += b.forces[i * LANES];
    }
    assert_true(fabs(sums[0]) + fabs(sums[1]) + fabs(sums[2]) < 1e-11);
    sn_arena_finish(&b.arena);
}

static void instruction_sets_agree(void **state)
{
    (void)state;
    bar b;
    start(&b);
    const size_t bytes = 3 * LANES * (size_t)b.mesh.vertex_count * sizeof(double);
    double *plain = sn_arena_alloc(&b.arena, bytes, 1);
    sn_spacetime_forces_baseline(&b.elastic, b.x, plain);
    sn_spacetime_elastic_forces(&b.elastic, b.x, b.forces);
    assert_memory_equal(plain, b.forces, bytes);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        memset(b.forces, 0, bytes);
        sn_spacetime_forces_avx2(&b.elastic, b.x, b.forces);
        assert_memory_equal(plain, b.forces, bytes);
    }
#endif
    sn_arena_finish(&b.arena);
}

static void small_strains_have_the_moduli(void **state)
{
    (void)state;
    const sn_spacetime_material m = sn_spacetime_material_from_young(100, 0.3, 1);
    assert_true(fabs(m.strain - 100 / 1.3) < 1e-12);            /* 2 mu */
    assert_true(fabs(m.volume - 3 * 30 / (1.3 * 0.4)) < 1e-12); /* 3 lambda */
}

int test_spacetime_elastic(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projections_are_nearest), cmocka_unit_test(volumes_are_kept),
        cmocka_unit_test(rotates_with_the_frame),  cmocka_unit_test(forces_are_the_energys_gradient),
        cmocka_unit_test(instruction_sets_agree),  cmocka_unit_test(small_strains_have_the_moduli),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
