/* SPDX-License-Identifier: MIT */
/* Clusters: the block kernels and the tree against plain loops, Lloyd's fixpoint against its definition, and the
 * clusters of a grid whose modes are written down, so that one golden hash holds for every compiler and processor. */
#include "author/modes/clusters/clusters.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "author/modes/clusters/cluster_kmeans.h"
#include "host/base/hash.h"
#include "host/base/random.h"

#define POINT_COUNT 1234
#define DIMENSION_COUNT 6
#define WIDTH 2
#define STRIDE (SN_ROW_LANES * WIDTH)
#define CENTRE_COUNT 23
#define GOLDEN_HASH UINT64_C(0xcf9e867f65f70688)

typedef struct cloud {
    sn_arena arena;
    float *points, *weights;
    sn_tree tree;
} cloud;

static void make_cloud(cloud *c, int point_count)
{
    *c = (cloud){0};
    uint64_t random = 7;
    c->points = SN_NEW(&c->arena, float, point_count *STRIDE);
    c->weights = SN_NEW(&c->arena, float, point_count);
    for (int i = 0; i < point_count; ++i) {
        c->weights[i] = (float)(0.5 + sn_random_unit(&random));
        for (int j = 0; j < DIMENSION_COUNT; ++j) {
            c->points[i * STRIDE + j] = (float)((sn_random_unit(&random) - 0.3) / (1 + j));
        }
    }
    assert_int_equal(sn_tree_build(c->points, c->weights, point_count, DIMENSION_COUNT, &c->arena, &c->tree), SN_OK);
}

static void finish_cloud(cloud *c)
{
    sn_arena_finish(&c->arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static double distance2(const float *a, const float *b)
{
    double sum = 0;
    for (int j = 0; j < DIMENSION_COUNT; ++j) {
        sum += ((double)a[j] - (double)b[j]) * ((double)a[j] - (double)b[j]);
    }
    return sum;
}

static void test_kernels_agree_to_the_bit(void **state)
{
    (void)state;
    cloud c;
    make_cloud(&c, POINT_COUNT);
    _Alignas(64) float distances[2][SN_BLOCK_SIZE], half_norms[CENTRE_COUNT];
    _Alignas(64) int32_t nearest[2][SN_BLOCK_SIZE];
    for (int i = 0; i < CENTRE_COUNT; ++i) {
        half_norms[i] = (float)(0.5 * distance2(c.points + i * STRIDE, (float[DIMENSION_COUNT]){0}));
    }
    const sn_block_centres centres = {c.points, half_norms, CENTRE_COUNT, STRIDE};
    const sn_block_kernels *kernels[2] = {&sn_block_kernels_baseline, sn_block_kernels_get()};
    for (int k = 0; k < 2; ++k) {
        kernels[k]->distances2(c.tree.points, DIMENSION_COUNT, c.points, distances[k]);
        kernels[k]->nearest(c.tree.points, DIMENSION_COUNT, &centres, nearest[k]);
    }
    assert_memory_equal(distances[0], distances[1], sizeof distances[0]);
    assert_memory_equal(nearest[0], nearest[1], sizeof nearest[0]);
    for (int i = 0; i < SN_BLOCK_SIZE; ++i) {
        float point[DIMENSION_COUNT];
        for (int j = 0; j < DIMENSION_COUNT; ++j) {
            point[j] = c.tree.points[j * SN_BLOCK_SIZE + i];
        }
        assert_true(fabs(distance2(point, c.points) - (double)distances[0][i]) < 1e-6);
        for (int k = 0; k < CENTRE_COUNT; ++k) {
            assert_true(distance2(point, c.points + nearest[0][i] * STRIDE) <
                        distance2(point, c.points + k * STRIDE) + 1e-6);
        }
    }
    finish_cloud(&c);
}

/* Every point stands in one leaf, inside the boxes and balls above it. */
static void test_tree_holds_its_points(void **state)
{
    (void)state;
    const int counts[] = {1, 31, 32, 33, POINT_COUNT};
    for (size_t n = 0; n < sizeof counts / sizeof counts[0]; ++n) {
        cloud c;
        make_cloud(&c, counts[n]);
        int *seen = SN_NEW(&c.arena, int, counts[n]);
        for (int i = 0; i < counts[n]; ++i) {
            ++seen[c.tree.order[i]];
        }
        for (int i = 0; i < counts[n]; ++i) {
            assert_int_equal(seen[i], 1);
        }
        for (int node = 0; node < c.tree.node_count; ++node) {
            const sn_tree_node *at = &c.tree.nodes[node];
            const float *middle = (const float *)(c.tree.centers + node * WIDTH);
            const float *half = (const float *)(c.tree.halves + node * WIDTH);
            for (int i = SN_BLOCK_SIZE * at->first_block; i < SN_BLOCK_SIZE * (at->first_block + at->block_count);
                 ++i) {
                const float *point = c.points + c.tree.order[i] * STRIDE;
                assert_true(distance2(point, middle) <= (double)at->radius * (double)at->radius + 1e-6);
                for (int j = 0; j < STRIDE; ++j) {
                    assert_true(fabsf(point[j] - middle[j]) <= half[j] + 1e-6f);
                }
            }
        }
        finish_cloud(&c);
    }
}

/* Each point has its nearest centre, and each centre is the mean of its points. */
static void test_lloyd_ends_at_a_fixpoint(void **state)
{
    (void)state;
    cloud c;
    make_cloud(&c, POINT_COUNT);
    sn_row_lanes *centres = SN_NEW(&c.arena, sn_row_lanes, CENTRE_COUNT * WIDTH);
    int32_t *labels = SN_NEW(&c.arena, int32_t, POINT_COUNT);
    assert_int_equal(sn_kmeans_seed(&c.tree, CENTRE_COUNT, centres), SN_OK);
    for (int i = 0; i < CENTRE_COUNT; ++i) {
        for (int k = 0; k < i; ++k) {
            assert_true(distance2((float *)(centres + i * WIDTH), (float *)(centres + k * WIDTH)) > 1e-4);
        }
    }
    assert_int_equal(sn_kmeans_iterate(&c.tree, CENTRE_COUNT, 1000, centres, labels), SN_OK);
    double sums[CENTRE_COUNT][DIMENSION_COUNT] = {{0}}, weights[CENTRE_COUNT] = {0};
    for (int i = 0; i < POINT_COUNT; ++i) {
        const float *point = c.points + i * STRIDE;
        for (int k = 0; k < CENTRE_COUNT; ++k) {
            assert_true(distance2(point, (float *)(centres + labels[i] * WIDTH)) <=
                        distance2(point, (float *)(centres + k * WIDTH)) + 1e-6);
        }
        weights[labels[i]] += (double)c.weights[i];
        for (int j = 0; j < DIMENSION_COUNT; ++j) {
            sums[labels[i]][j] += (double)c.weights[i] * (double)point[j];
        }
    }
    for (int k = 0; k < CENTRE_COUNT; ++k) {
        for (int j = 0; j < DIMENSION_COUNT; ++j) {
            const double mean = sums[k][j] / weights[k];
            assert_true(fabs(mean - (double)((float *)(centres + k * WIDTH))[j]) < 1e-6);
        }
    }
    finish_cloud(&c);
}

static void test_points_that_coincide(void **state)
{
    (void)state;
    cloud c;
    make_cloud(&c, POINT_COUNT);
    for (int i = 0; i < POINT_COUNT; ++i) {
        memcpy(c.points + i * STRIDE, c.points + i % 3 * STRIDE, STRIDE * sizeof *c.points);
    }
    assert_int_equal(sn_tree_build(c.points, c.weights, POINT_COUNT, DIMENSION_COUNT, &c.arena, &c.tree), SN_OK);
    sn_row_lanes *centres = SN_NEW(&c.arena, sn_row_lanes, CENTRE_COUNT * WIDTH);
    int32_t *labels = SN_NEW(&c.arena, int32_t, POINT_COUNT);
    assert_int_equal(sn_kmeans_seed(&c.tree, CENTRE_COUNT, centres), SN_OK);
    assert_int_equal(sn_kmeans_iterate(&c.tree, CENTRE_COUNT, 20, centres, labels), SN_OK);
    for (int i = 0; i < POINT_COUNT; ++i) {
        assert_int_equal(labels[i], labels[i % 3]);
    }
    assert_true(labels[0] != labels[1] && labels[1] != labels[2] && labels[0] != labels[2]);
    finish_cloud(&c);
}

/* ---- clusters of a grid ---- */

#define SIDE 9
#define MODE_COUNT 5

typedef struct grid {
    sn_arena arena;
    sn_tet_mesh mesh;
    double *volumes;
    int32_t *neighbours, *labels;
    sn_modes modes;
} grid;

static void add_cubes(sn_tet_mesh *mesh)
{
    static const int paths[6][2] = {{1, 3}, {5, 1}, {3, 2}, {2, 6}, {4, 5}, {6, 4}};
    const int across = SIDE + 1;
    for (int c = 0; c < SIDE * SIDE * SIDE; ++c) {
        const int first = c % SIDE + across * (c / SIDE % SIDE + across * (c / (SIDE * SIDE)));
        int corners[8];
        for (int k = 0; k < 8; ++k) {
            corners[k] = first + (k & 1) + across * ((k >> 1 & 1) + across * (k >> 2));
        }
        for (int t = 0; t < 6; ++t) {
            const int32_t tet[4] = {corners[0], corners[paths[t][0]], corners[paths[t][1]], corners[7]};
            memcpy(mesh->tets + 4 * mesh->tet_count++, tet, sizeof tet);
        }
    }
}

/* Smooth weights of sums and products alone: the same bits everywhere. The first is constant, as an unconstrained mesh
 * has it. */
static void make_grid(grid *g)
{
    const int across = SIDE + 1;
    *g = (grid){0};
    g->mesh.vertex_count = across * across * across;
    g->mesh.positions = SN_NEW(&g->arena, double, 3 * g->mesh.vertex_count);
    g->mesh.tets = SN_NEW(&g->arena, int32_t, 24 * SIDE * SIDE * SIDE);
    g->modes = (sn_modes){.mode_count = MODE_COUNT,
                          .eigenvalues = SN_NEW(&g->arena, double, MODE_COUNT),
                          .weights = SN_NEW(&g->arena, double, MODE_COUNT * g->mesh.vertex_count)};
    for (int j = 0; j < MODE_COUNT; ++j) {
        g->modes.eigenvalues[j] = j == 0 ? 1e-9 : 1 + 0.25 * j;
    }
    for (int v = 0; v < g->mesh.vertex_count; ++v) {
        double *x = g->mesh.positions + 3 * v, *w = g->modes.weights + MODE_COUNT * v;
        x[0] = (v % across) / (double)SIDE - 0.5;
        x[1] = (double)(v / across % across) / SIDE - 0.5;
        x[2] = (double)(v / (across * across)) / SIDE - 0.5;
        w[0] = 1, w[1] = x[0] + 0.1 * x[1] * x[2], w[2] = x[1] - x[0] * x[0], w[3] = x[2], w[4] = x[0] * x[1];
    }
    add_cubes(&g->mesh);
    g->volumes = SN_NEW(&g->arena, double, g->mesh.tet_count);
    double *gradients = SN_NEW(&g->arena, double, 12 * g->mesh.tet_count);
    sn_tet_gradients(&g->mesh, gradients, g->volumes);
    g->neighbours = SN_NEW(&g->arena, int32_t, 4 * g->mesh.tet_count);
    g->labels = SN_NEW(&g->arena, int32_t, g->mesh.tet_count);
    assert_int_equal(sn_tet_neighbours(&g->mesh, &g->arena, g->neighbours), SN_OK);
}

static int build(grid *g, int wanted)
{
    int count = 0;
    assert_int_equal(sn_clusters_build(&g->mesh, g->volumes, g->neighbours, &g->modes, wanted, g->labels, &count),
                     SN_OK);
    return count;
}

/* Splitting what is connected already leaves it as it is, numbers included. */
static void check_connected(grid *g, int count)
{
    const size_t bytes = (size_t)g->mesh.tet_count * sizeof *g->labels;
    int32_t *labels = SN_NEW(&g->arena, int32_t, g->mesh.tet_count);
    int again = 0;
    memcpy(labels, g->labels, bytes);
    assert_int_equal(sn_clusters_split(g->mesh.tet_count, g->neighbours, labels, &again), SN_OK);
    assert_int_equal(again, count);
    assert_memory_equal(labels, g->labels, bytes);
}

static void finish_grid(grid *g)
{
    sn_arena_finish(&g->arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_clusters_are_connected(void **state)
{
    (void)state;
    grid g;
    make_grid(&g);
    const int tets = g.mesh.tet_count, wanted[] = {1, 2, 40, 1000, tets - 1, tets, tets + 1};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
        const int count = build(&g, wanted[i]);
        assert_true(count <= 2.5 * wanted[i] && (wanted[i] > 40 || count >= wanted[i] / 2));
        check_connected(&g, count);
    }
    assert_int_equal(build(&g, tets), tets);
    finish_grid(&g);
}

static void test_golden_labels(void **state)
{
    (void)state;
    grid g;
    make_grid(&g);
    build(&g, 40);
    const uint64_t hash = sn_hash(SN_HASH_SEED, g.labels, (size_t)g.mesh.tet_count / 2 * 2 * sizeof *g.labels);
    if (hash != GOLDEN_HASH) {
        print_error("golden hash is now 0x%016llx\n", (unsigned long long)hash);
    }
    assert_true(hash == GOLDEN_HASH);
    finish_grid(&g);
}

static void test_labels_do_not_depend_on_scale(void **state)
{
    (void)state;
    grid g;
    make_grid(&g);
    const int count = build(&g, 40);
    int32_t *labels = SN_NEW(&g.arena, int32_t, g.mesh.tet_count);
    memcpy(labels, g.labels, (size_t)g.mesh.tet_count * sizeof *labels);
    for (int i = 0; i < MODE_COUNT * g.mesh.vertex_count; ++i) {
        g.modes.weights[i] *= 0x1p-40;
    }
    for (int t = 0; t < g.mesh.tet_count; ++t) {
        g.volumes[t] *= 0x1p60;
    }
    for (int j = 0; j < MODE_COUNT; ++j) {
        g.modes.eigenvalues[j] *= 0x1p30;
    }
    assert_int_equal(build(&g, 40), count);
    assert_memory_equal(labels, g.labels, (size_t)g.mesh.tet_count * sizeof *labels);
    finish_grid(&g);
}

/* Nothing to tell the tets apart by: one cluster. */
static void test_constant_mode(void **state)
{
    (void)state;
    grid g;
    make_grid(&g);
    g.modes = (sn_modes){.mode_count = 1, .eigenvalues = (double[]){0}, .weights = g.modes.weights};
    for (int v = 0; v < g.mesh.vertex_count; ++v) {
        g.modes.weights[v] = 0.125;
    }
    assert_int_equal(build(&g, 40), 1);
    finish_grid(&g);
}

int test_clusters(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_agree_to_the_bit),      cmocka_unit_test(test_tree_holds_its_points),
        cmocka_unit_test(test_lloyd_ends_at_a_fixpoint),      cmocka_unit_test(test_points_that_coincide),
        cmocka_unit_test(test_clusters_are_connected),        cmocka_unit_test(test_golden_labels),
        cmocka_unit_test(test_labels_do_not_depend_on_scale), cmocka_unit_test(test_constant_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
