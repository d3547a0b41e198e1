/* SPDX-License-Identifier: MIT */
/* The reduced matrices against their definitions, formed densely on a mesh of two materials with a rig that leaves some
 * vertices alone. */
#include "author/modes/reduced/reduced_matrices.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/log.h"

#define CUBES_X 9
#define CUBES_Y 4
#define CUBES_Z 3
#define VERTEX_COUNT ((CUBES_X + 1) * (CUBES_Y + 1) * (CUBES_Z + 1)) /* no multiple of any block */
#define TET_COUNT (6 * CUBES_X * CUBES_Y * CUBES_Z)
#define RIGGED_COUNT 120
#define MODE_COUNT 3
#define BONE_COUNT 4
#define CLUSTER_COUNT 5
#define COLUMNS (4 * MODE_COUNT)
#define P (4 * BONE_COUNT)
#define PAIR_COUNT 3
#define M (3 * PAIR_COUNT)

typedef struct fixture {
    sn_arena arena;
    sn_tet_mesh mesh;
    double gradients[12 * TET_COUNT], volumes[TET_COUNT], mu[TET_COUNT], mass[VERTEX_COUNT];
    double weights[VERTEX_COUNT * MODE_COUNT], rig[VERTEX_COUNT * BONE_COUNT];
    double morphs[VERTEX_COUNT][M]; /* E */
    int32_t clusters[TET_COUNT];
    sn_modes modes;
    sn_reduced_input input;
    sn_reduced_matrices out;
    /* dense, the definitions */
    double basis[VERTEX_COUNT][COLUMNS];                                     /* V = B mode_from_coordinate */
    double bones[VERTEX_COUNT][P];                                           /* Jc */
    double image_basis[VERTEX_COUNT][COLUMNS], image_bones[VERTEX_COUNT][P]; /* L V, L Jc */
} fixture;

static fixture f;

static void make_mesh(void)
{
    static const int paths[6][2] = {{1, 3}, {5, 1}, {3, 2}, {2, 6}, {4, 5}, {6, 4}};
    const int nx = CUBES_X + 1, ny = CUBES_Y + 1;
    f.mesh = (sn_tet_mesh){.vertex_count = VERTEX_COUNT,
                           .positions = SN_NEW(&f.arena, double, 3 * VERTEX_COUNT),
                           .tets = SN_NEW(&f.arena, int32_t, 4 * TET_COUNT)};
    for (int v = 0; v < VERTEX_COUNT; ++v) {
        f.mesh.positions[3 * v] = 0.1 * (v % nx);
        f.mesh.positions[3 * v + 1] = 0.12 * (v / nx % ny) - 0.2;
        f.mesh.positions[3 * v + 2] = 0.09 * (double)(v / (nx * ny));
    }
    for (int c = 0; c < CUBES_X * CUBES_Y * CUBES_Z; ++c) {
        const int first = c % CUBES_X + nx * (c / CUBES_X % CUBES_Y + ny * (c / (CUBES_X * CUBES_Y)));
        int corners[8];
        for (int k = 0; k < 8; ++k) {
            corners[k] = first + (k & 1) + nx * ((k >> 1 & 1) + ny * (k >> 2));
        }
        for (int t = 0; t < 6; ++t) {
            const int32_t tet[4] = {corners[0], corners[paths[t][0]], corners[paths[t][1]], corners[7]};
            memcpy(f.mesh.tets + 4 * f.mesh.tet_count++, tet, sizeof tet);
        }
    }
    sn_tet_gradients(&f.mesh, f.gradients, f.volumes);
    sn_tet_lumped_mass(&f.mesh, f.volumes, NULL, f.mass);
}

static void make_input(void)
{
    for (int v = 0; v < VERTEX_COUNT; ++v) {
        const double *x = f.mesh.positions + 3 * v;
        f.weights[3 * v] = 1;
        f.weights[3 * v + 1] = x[0] * x[0] - x[1];
        f.weights[3 * v + 2] = sin(9 * x[0]) + x[1] * x[2];
        for (int i = 0; i < M; ++i) {
            f.morphs[v][i] = 0.1 * sin(3 * x[0] + i) * (x[1] + 0.3 * i);
        }
        const int bone = (int)(x[0] / 0.25);
        const double share = x[0] / 0.25 - bone;
        if (v >= RIGGED_COUNT) {
            continue;
        }
        f.rig[BONE_COUNT * v + (bone < BONE_COUNT ? bone : BONE_COUNT - 1)] += 1 - share;
        f.rig[BONE_COUNT * v + (bone + 1 < BONE_COUNT ? bone + 1 : BONE_COUNT - 1)] += share;
    }
    for (int t = 0; t < TET_COUNT; ++t) {
        f.mu[t] = t % 7 < 3 ? 2e4 : 5e3;
        f.clusters[t] = t % 11 % CLUSTER_COUNT;
    }
    f.modes = (sn_modes){.mode_count = MODE_COUNT, .weights = f.weights};
    f.input = (sn_reduced_input){.name = "bar",
                                 .mesh = &f.mesh,
                                 .gradients = f.gradients,
                                 .volumes = f.volumes,
                                 .tet_mu = f.mu,
                                 .mass = f.mass,
                                 .modes = &f.modes,
                                 .rig_weights = f.rig,
                                 .bone_count = BONE_COUNT,
                                 .morph_columns = &f.morphs[0][0],
                                 .pair_count = PAIR_COUNT,
                                 .clusters = f.clusters,
                                 .cluster_count = CLUSTER_COUNT};
}

/* image (n x columns) += L rows, tet by tet */
static void apply_laplacian(int columns, const double *rows, double *image)
{
    for (int t = 0; t < TET_COUNT; ++t) {
        for (int i = 0; i < 4; ++i) {
            for (int k = 0; k < 4; ++k) {
                const double *a = f.gradients + 12 * t + 3 * i, *b = f.gradients + 12 * t + 3 * k;
                const double entry = f.mu[t] * f.volumes[t] * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
                for (int c = 0; c < columns; ++c) {
                    image[f.mesh.tets[4 * t + i] * columns + c] += entry * rows[f.mesh.tets[4 * t + k] * columns + c];
                }
            }
        }
    }
}

static int setup(void **state)
{
    (void)state;
    make_mesh();
    make_input();
    assert_int_equal(sn_reduced_matrices_build(&f.input, &f.arena, &f.out), SN_OK);
    const int q = f.out.coordinate_count;
    for (int v = 0; v < VERTEX_COUNT; ++v) {
        const double x[4] = {f.mesh.positions[3 * v], f.mesh.positions[3 * v + 1], f.mesh.positions[3 * v + 2], 1};
        for (int i = 0; i < COLUMNS; ++i) {
            for (int c = 0; c < q; ++c) {
                f.basis[v][c] += f.weights[MODE_COUNT * v + i / 4] * x[i % 4] * f.out.mode_from_coordinate[i * q + c];
            }
        }
        for (int i = 0; i < P; ++i) {
            f.bones[v][i] = f.rig[BONE_COUNT * v + i / 4] * x[i % 4];
        }
    }
    apply_laplacian(COLUMNS, &f.basis[0][0], &f.image_basis[0][0]);
    apply_laplacian(P, &f.bones[0][0], &f.image_bones[0][0]);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    sn_arena_finish(&f.arena);
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

static void assert_near(double a, double b, double scale)
{
    assert_true(fabs(a - b) <= 1e-10 * scale);
}

static void test_basis_diagonalises_mass_and_stiffness(void **state)
{
    (void)state;
    const int q = f.out.coordinate_count;
    assert_int_equal(q, COLUMNS);
    const double largest = f.out.coordinate_stiffness[q - 1];
    for (int a = 0; a < q; ++a) {
        assert_true(f.out.coordinate_stiffness[a] >= (a > 0 ? f.out.coordinate_stiffness[a - 1] : 0));
        double sum = 0;
        for (int v = 0; v < VERTEX_COUNT; ++v) {
            sum += f.mass[v] * f.basis[v][a];
        }
        assert_near(f.out.coordinate_mass[a], sum, 1);
        for (int b = 0; b < q; ++b) {
            double mass = 0, stiffness = 0;
            for (int v = 0; v < VERTEX_COUNT; ++v) {
                mass += f.mass[v] * f.basis[v][a] * f.basis[v][b];
                stiffness += f.basis[v][a] * f.image_basis[v][b];
            }
            assert_near(mass, a == b, 1);
            assert_near(stiffness, a == b ? f.out.coordinate_stiffness[a] : 0, largest);
        }
    }
}

static void test_products_with_the_rig(void **state)
{
    (void)state;
    const int q = f.out.coordinate_count;
    const double scale = sqrt(f.out.coordinate_stiffness[q - 1]) * 1e3;
    for (int a = 0; a < q + P; ++a) {
        for (int b = 0; b < P; ++b) {
            double mass = 0, stiffness = 0;
            for (int v = 0; v < VERTEX_COUNT; ++v) {
                const double left = a < q ? f.basis[v][a] : f.bones[v][a - q];
                mass += left * f.mass[v] * f.bones[v][b];
                stiffness += left * f.image_bones[v][b];
            }
            assert_near(a < q ? f.out.mass_cross[a * P + b] : f.out.mass_bone[(a - q) * P + b], mass, 1);
            assert_near(a < q ? f.out.stiffness_cross[a * P + b] : f.out.stiffness_bone[(a - q) * P + b], stiffness,
                        scale);
        }
    }
}

static void test_products_with_morph_targets(void **state)
{
    (void)state;
    const int q = f.out.coordinate_count;
    for (int a = 0; a < q + P + M; ++a) {
        for (int b = 0; b < M; ++b) {
            double mass = 0;
            for (int v = 0; v < VERTEX_COUNT; ++v) {
                const double left = a < q ? f.basis[v][a] : a < q + P ? f.bones[v][a - q] : f.morphs[v][a - q - P];
                mass += left * f.mass[v] * f.morphs[v][b];
            }
            assert_near(a < q ? f.out.morph_cross[a * M + b] : f.out.morph_mass[b * (P + M) + a - q], mass, 1);
        }
    }
}

static void test_cluster_matrices(void **state)
{
    (void)state;
    const int q = f.out.coordinate_count;
    double coordinate[3 * CLUSTER_COUNT][COLUMNS] = {{0}}, bone[3 * CLUSTER_COUNT][P] = {{0}}, total = 0;
    for (int t = 0; t < TET_COUNT; ++t) {
        total += f.mu[t] * f.volumes[t];
        for (int i = 0; i < 12; ++i) {
            const double pull = f.mu[t] * f.volumes[t] * f.gradients[12 * t + i];
            const int v = f.mesh.tets[4 * t + i / 3], row = 3 * f.clusters[t] + i % 3;
            for (int c = 0; c < q; ++c) {
                coordinate[row][c] += pull * f.basis[v][c];
            }
            for (int c = 0; c < P; ++c) {
                bone[row][c] += pull * f.bones[v][c];
            }
        }
    }
    assert_near(f.out.total_stiffness, total, total);
    for (int row = 0; row < 3 * CLUSTER_COUNT; ++row) {
        for (int c = 0; c < q; ++c) {
            assert_near(f.out.cluster_coordinate[row * q + c], coordinate[row][c], 1e5);
        }
        for (int c = 0; c < P; ++c) {
            assert_near(f.out.cluster_bone[row * P + c], bone[row][c], 1e5);
        }
    }
}

/* No vertex moves by more than |(reach_i dZ_i)|. */
static void test_reach_bounds_every_vertex(void **state)
{
    (void)state;
    const int q = f.out.coordinate_count;
    double tightest = 0;
    for (int v = 0; v < VERTEX_COUNT; ++v) {
        double sum = 0;
        for (int c = 0; c < q; ++c) {
            sum += f.basis[v][c] * f.basis[v][c] / (f.out.coordinate_bounds[c] * f.out.coordinate_bounds[c]);
        }
        tightest = fmax(tightest, sum);
    }
    assert_true(fabs(tightest - 1) < 1e-9);
}

/* ---- held rows ---- */

#define HELD_COUNT 5

/* Rows of random numbers, and one that is a sum of two others. */
static void make_held_rows(double *rows)
{
    for (int i = 0; i < HELD_COUNT * VERTEX_COUNT; ++i) {
        rows[i] = f.mass[i % VERTEX_COUNT] * ((double)rand() / RAND_MAX - 0.5);
    }
    for (int v = 0; v < VERTEX_COUNT; ++v) {
        rows[4 * VERTEX_COUNT + v] = 2 * rows[v] - 3 * rows[2 * VERTEX_COUNT + v];
    }
}

/* V (VERTEX_COUNT x COLUMNS) of matrices. */
static void form_basis(const sn_reduced_matrices *m, double basis[VERTEX_COUNT][COLUMNS])
{
    memset(basis, 0, sizeof *basis * VERTEX_COUNT);
    for (int v = 0; v < VERTEX_COUNT; ++v) {
        const double x[4] = {f.mesh.positions[3 * v], f.mesh.positions[3 * v + 1], f.mesh.positions[3 * v + 2], 1};
        for (int i = 0; i < COLUMNS * m->coordinate_count; ++i) {
            const int column = i / m->coordinate_count;
            basis[v][i % m->coordinate_count] +=
                f.weights[MODE_COUNT * v + column / 4] * x[column % 4] * m->mode_from_coordinate[i];
        }
    }
}

/* Strain limits on mean gradients: twice the energy of columns a and b is ((1 + v) K + (kappa - v) sum_c |mean|^2 m_c),
 * stored over 1 + kappa, with v = 3. */
static void test_strain_limits(void **state)
{
    (void)state;
    static double columns[VERTEX_COUNT][COLUMNS + P], image[VERTEX_COUNT][COLUMNS + P], basis[VERTEX_COUNT][COLUMNS];
    static double sums[3 * CLUSTER_COUNT][COLUMNS + P], stiffness[CLUSTER_COUNT];
    sn_arena arena = {0};
    sn_reduced_matrices m;
    sn_reduced_input input = f.input;
    input.strain_limit_stiffness = 20;
    assert_int_equal(sn_reduced_matrices_build(&input, &arena, &m), SN_OK);
    assert_int_equal(m.coordinate_count, COLUMNS);
    form_basis(&m, basis);
    for (int v = 0; v < VERTEX_COUNT; ++v) {
        memcpy(columns[v], basis[v], sizeof basis[v]);
        memcpy(columns[v] + COLUMNS, f.bones[v], sizeof f.bones[v]);
    }
    apply_laplacian(COLUMNS + P, &columns[0][0], &image[0][0]);
    for (int t = 0; t < TET_COUNT; ++t) {
        stiffness[f.clusters[t]] += f.mu[t] * f.volumes[t];
        for (int i = 0; i < 12; ++i) {
            for (int c = 0; c < COLUMNS + P; ++c) {
                sums[3 * f.clusters[t] + i % 3][c] +=
                    f.mu[t] * f.volumes[t] * f.gradients[12 * t + i] * columns[f.mesh.tets[4 * t + i / 3]][c];
            }
        }
    }
    const double largest = m.coordinate_stiffness[COLUMNS - 1], scale = sqrt(largest) * 1e3;
    for (int a = 0; a < COLUMNS + P; ++a) {
        for (int b = 0; b < COLUMNS + P; ++b) {
            double mass = 0, elastic = 0, mean = 0;
            for (int v = 0; v < VERTEX_COUNT; ++v) {
                mass += columns[v][a] * f.mass[v] * columns[v][b];
                elastic += columns[v][a] * image[v][b];
            }
            for (int row = 0; row < 3 * CLUSTER_COUNT; ++row) {
                mean += sums[row][a] * sums[row][b] / stiffness[row / 3];
            }
            const double expected = (4 * elastic + 17 * mean) / 21;
            if (a < COLUMNS && b < COLUMNS) {
                assert_near(mass, a == b, 1);
                assert_near(expected, a == b ? m.coordinate_stiffness[a] : 0, largest);
            } else if (b >= COLUMNS) {
                assert_near(a < COLUMNS ? m.stiffness_cross[a * P + b - COLUMNS]
                                        : m.stiffness_bone[(a - COLUMNS) * P + b - COLUMNS],
                            expected, scale);
            }
        }
    }
    sn_arena_finish(&arena);
}

/* V satisfies the rows, is orthonormal, and with what is barred makes up all that modes span: both inverses give B's
 * products. So as many coordinates go as there are independent rows, and no more. */
static void test_held_rows(void **state)
{
    (void)state;
    static double rows[HELD_COUNT * VERTEX_COUNT], basis[VERTEX_COUNT][COLUMNS];
    sn_arena arena = {0};
    sn_reduced_matrices m;
    const sn_constraint coordinate_constraint = {.row_count = HELD_COUNT, .rows = rows};
    sn_reduced_input input = f.input;
    input.coordinate_constraint = &coordinate_constraint;
    make_held_rows(rows);
    assert_int_equal(sn_reduced_matrices_build(&input, &arena, &m), SN_OK);
    const int q = m.coordinate_count, barred = m.constrained_coordinate_count;
    assert_true(barred == HELD_COUNT - 1 && q == COLUMNS - barred);
    form_basis(&m, basis);
    for (int a = 0; a < q; ++a) {
        for (int row = 0; row < HELD_COUNT; ++row) {
            double sum = 0, whole = 0;
            for (int v = 0; v < VERTEX_COUNT; ++v) {
                sum += rows[row * VERTEX_COUNT + v] * basis[v][a];
                whole += fabs(rows[row * VERTEX_COUNT + v] * basis[v][a]);
            }
            assert_near(sum, 0, whole);
        }
        for (int b = 0; b < q; ++b) {
            double mass = 0;
            for (int v = 0; v < VERTEX_COUNT; ++v) {
                mass += f.mass[v] * basis[v][a] * basis[v][b];
            }
            assert_near(mass, a == b, 1);
        }
    }
    for (int i = 0; i < COLUMNS * COLUMNS; ++i) {
        const int left = i / COLUMNS, right = i % COLUMNS;
        double mass = 0, parts = 0;
        for (int v = 0; v < VERTEX_COUNT; ++v) {
            const double x[4] = {f.mesh.positions[3 * v], f.mesh.positions[3 * v + 1], f.mesh.positions[3 * v + 2], 1};
            mass += f.mass[v] * f.weights[MODE_COUNT * v + left / 4] * x[left % 4] *
                    f.weights[MODE_COUNT * v + right / 4] * x[right % 4];
        }
        for (int a = 0; a < q; ++a) {
            parts += m.coordinate_from_mode[a * COLUMNS + left] * m.coordinate_from_mode[a * COLUMNS + right];
        }
        for (int a = 0; a < barred; ++a) {
            parts += m.constrained_from_mode[a * COLUMNS + left] * m.constrained_from_mode[a * COLUMNS + right];
        }
        assert_near(mass, parts, 1);
    }
    sn_arena_finish(&arena);
}

static void test_rows_that_leave_nothing(void **state)
{
    (void)state;
    static double rows[2 * COLUMNS * VERTEX_COUNT];
    sn_arena arena = {0};
    sn_reduced_matrices m;
    const sn_constraint coordinate_constraint = {.row_count = 2 * COLUMNS, .rows = rows};
    sn_reduced_input input = f.input;
    input.name = "fixture";
    input.coordinate_constraint = &coordinate_constraint;
    for (int i = 0; i < 2 * COLUMNS * VERTEX_COUNT; ++i) {
        rows[i] = f.mass[i % VERTEX_COUNT] * ((double)rand() / RAND_MAX - 0.5);
    }
    begin_log();
    assert_int_equal(sn_reduced_matrices_build(&input, &arena, &m), SN_ERROR_ARGUMENT);
    sn_set_log(NULL, NULL);
    assert_one_error("fixture: the rig's constraint takes all 12 coordinates of 3 modes");
    sn_arena_finish(&arena);
}

int test_reduced_matrices(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_basis_diagonalises_mass_and_stiffness),
        cmocka_unit_test(test_products_with_the_rig),
        cmocka_unit_test(test_products_with_morph_targets),
        cmocka_unit_test(test_cluster_matrices),
        cmocka_unit_test(test_strain_limits),
        cmocka_unit_test(test_reach_bounds_every_vertex),
        cmocka_unit_test(test_held_rows),
        cmocka_unit_test(test_rows_that_leave_nothing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
