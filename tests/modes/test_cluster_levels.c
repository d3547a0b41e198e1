/* SPDX-License-Identifier: MIT */
/* Coarser levels of clusters: unions, connected, about as many as asked for, as good as joining one by one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/modes/clusters/cluster_features.h"
#include "author/modes/clusters/cluster_levels.h"
#include "author/modes/clusters/clusters.h"
#include "tests/support/bar.h"

#define MODE_COUNT 4

typedef struct fixture {
    sn_arena arena;
    sn_tet_mesh mesh;
    double *volumes;
    int32_t *neighbours, *labels;
    sn_modes modes;
    int cluster_count;
    double *rig_weights; /* or null */
    int bone_count;
} fixture;

/* `bars` bars beside each other that share nothing, and smooth weights. */
static void start(fixture *f, int bars, int requested)
{
    *f = (fixture){.cluster_count = 0};
    const sn_tet_mesh one = sn_test_bar(&f->arena, 10, 4, 3, 0.125);
    f->mesh = (sn_tet_mesh){.vertex_count = bars * one.vertex_count,
                            .tet_count = bars * one.tet_count,
                            .positions = SN_NEW(&f->arena, double, 3 * bars * one.vertex_count),
                            .tets = SN_NEW(&f->arena, int32_t, 4 * bars * one.tet_count)};
    for (int i = 0; i < 3 * f->mesh.vertex_count; ++i) {
        const int bar = i / (3 * one.vertex_count);
        f->mesh.positions[i] = one.positions[i % (3 * one.vertex_count)] + (i % 3 == 2 ? 2 * bar : 0);
    }
    for (int i = 0; i < 4 * f->mesh.tet_count; ++i) {
        f->mesh.tets[i] = one.tets[i % (4 * one.tet_count)] + i / (4 * one.tet_count) * one.vertex_count;
    }
    f->volumes = SN_NEW(&f->arena, double, f->mesh.tet_count);
    f->neighbours = SN_NEW(&f->arena, int32_t, 4 * f->mesh.tet_count);
    f->labels = SN_NEW(&f->arena, int32_t, f->mesh.tet_count);
    double *gradients = SN_NEW(&f->arena, double, 12 * f->mesh.tet_count);
    sn_tet_gradients(&f->mesh, gradients, f->volumes);
    assert_int_equal(sn_tet_neighbours(&f->mesh, &f->arena, f->neighbours), SN_OK);
    f->modes = (sn_modes){.mode_count = MODE_COUNT,
                          .eigenvalues = SN_NEW(&f->arena, double, MODE_COUNT),
                          .weights = SN_NEW(&f->arena, double, MODE_COUNT * f->mesh.vertex_count)};
    for (int j = 0; j < MODE_COUNT; ++j) {
        f->modes.eigenvalues[j] = 1 + 0.25 * j;
    }
    for (int v = 0; v < f->mesh.vertex_count; ++v) {
        const double *x = f->mesh.positions + 3 * v;
        double *w = f->modes.weights + MODE_COUNT * v;
        w[0] = x[0] + 0.1 * x[1] * x[2], w[1] = x[1] - x[0] * x[0], w[2] = x[2], w[3] = x[0] * x[1];
    }
    assert_int_equal(
        sn_clusters_build(&f->mesh, f->volumes, f->neighbours, &f->modes, requested, f->labels, &f->cluster_count),
        SN_OK);
}

static void stop(fixture *f)
{
    sn_arena_finish(&f->arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static sn_cluster_levels build(fixture *f, const int *requested, int count)
{
    const sn_cluster_levels_input input = {.mesh = &f->mesh,
                                           .volumes = f->volumes,
                                           .neighbours = f->neighbours,
                                           .modes = &f->modes,
                                           .rig_weights = f->rig_weights,
                                           .bone_count = f->bone_count,
                                           .labels = f->labels,
                                           .cluster_count = f->cluster_count,
                                           .requested = requested,
                                           .requested_count = count};
    sn_cluster_levels levels;
    assert_int_equal(sn_cluster_levels_build(&input, &f->arena, &levels), SN_OK);
    return levels;
}

static void test_levels_are_connected_unions(void **state)
{
    (void)state;
    fixture f;
    const int requested[2] = {15, 4};
    start(&f, 1, 60);
    const sn_cluster_levels levels = build(&f, requested, 2);
    assert_true(f.cluster_count > 30);
    assert_int_equal(levels.level_count, 2);
    const int32_t *fine = levels.clusters, *coarse = levels.clusters + f.cluster_count;
    for (int level = 0; level < 2; ++level) {
        int32_t *labels = SN_NEW(&f.arena, int32_t, f.mesh.tet_count);
        bool seen[16] = {false};
        int count = 0;
        assert_int_equal(levels.counts[level], requested[level]);
        for (int t = 0; t < f.mesh.tet_count; ++t) {
            labels[t] = (level == 0 ? fine : coarse)[f.labels[t]];
            assert_in_range(labels[t], 0, requested[level] - 1);
            seen[labels[t]] = true;
        }
        for (int c = 0; c < requested[level]; ++c) {
            assert_true(seen[c]);
        }
        assert_int_equal(sn_clusters_split(f.mesh.tet_count, f.neighbours, labels, &count), SN_OK);
        assert_int_equal(count, requested[level]); /* each in one piece */
    }
    for (int a = 0; a < f.cluster_count; ++a) {
        for (int b = 0; b < a; ++b) {
            assert_true(fine[a] != fine[b] || coarse[a] == coarse[b]);
        }
    }
    stop(&f);
}

static void test_pieces_stay_apart(void **state)
{
    (void)state;
    fixture f;
    const int requested[2] = {6, 1};
    start(&f, 3, 40);
    const sn_cluster_levels levels = build(&f, requested, 2);
    assert_int_equal(levels.level_count, 2);
    assert_int_equal(levels.counts[0], 6);
    assert_int_equal(levels.counts[1], 3);
    for (int t = 0; t < f.mesh.tet_count; ++t) {
        assert_int_equal(levels.clusters[f.cluster_count + f.labels[t]], t / (f.mesh.tet_count / 3));
    }
    stop(&f);
}

static void test_levels_without_effect_are_left_out(void **state)
{
    (void)state;
    fixture f;
    start(&f, 1, 10);
    const int requested[2] = {f.cluster_count, 3};
    const sn_cluster_levels levels = build(&f, requested, 2);
    assert_int_equal(levels.level_count, 1);
    assert_int_equal(levels.counts[0], 3);
    assert_int_equal(build(&f, requested, 0).level_count, 0);
    stop(&f);
}

/* Variance of the features about their clusters' means, over the volume. */
static double scatter(const fixture *f, const sn_cluster_features *features, const int32_t *labels, int count)
{
    double sum = 0;
    for (int c = 0; c < count; ++c) {
        double mean[MODE_COUNT] = {0}, volume = 0;
        for (int pass = 0; pass < 2; ++pass) {
            for (int t = 0; t < f->mesh.tet_count; ++t) {
                for (int i = 0; labels[t] == c && i < features->count; ++i) {
                    const double value = (double)features->values[(size_t)t * features->stride + (size_t)i];
                    mean[i] += pass == 0 ? f->volumes[t] * value : 0;
                    volume += pass == 0 && i == 0 ? f->volumes[t] : 0;
                    sum += pass == 1 ? f->volumes[t] * (value - mean[i] / volume) * (value - mean[i] / volume) : 0;
                }
            }
        }
    }
    return sum;
}

/* The pair of neighbours that it costs least to join, one after the other. */
static void join_one_by_one(const fixture *f, const sn_cluster_features *features, int requested, int32_t *labels)
{
    for (int count = f->cluster_count; count > requested; --count) {
        double least = INFINITY;
        int32_t best[2] = {0, 0};
        const double now = scatter(f, features, labels, f->cluster_count);
        bool seen[64][64] = {{false}};
        for (int i = 0; i < 4 * f->mesh.tet_count; ++i) {
            const int32_t a = labels[i / 4], b = f->neighbours[i] >= 0 ? labels[f->neighbours[i]] : a;
            if (a >= b || seen[a][b]) {
                continue;
            }
            seen[a][b] = true;
            int32_t tried[6 * 10 * 4 * 3];
            for (int t = 0; t < f->mesh.tet_count; ++t) {
                tried[t] = labels[t] == b ? a : labels[t];
            }
            const double cost = scatter(f, features, tried, f->cluster_count) - now;
            if (cost < least) {
                least = cost;
                best[0] = a, best[1] = b;
            }
        }
        for (int t = 0; t < f->mesh.tet_count; ++t) {
            labels[t] = labels[t] == best[1] ? best[0] : labels[t];
        }
    }
}

static void test_joins_are_the_cheapest(void **state)
{
    (void)state;
    fixture f;
    start(&f, 1, 20);
    assert_true(f.cluster_count <= 64);
    const int requested = 5;
    const sn_cluster_levels levels = build(&f, &requested, 1);
    sn_cluster_features features;
    assert_int_equal(sn_cluster_features_build(&f.mesh, &f.modes, &f.arena, &features), SN_OK);
    int32_t *slow = SN_NEW(&f.arena, int32_t, f.mesh.tet_count), *fast = SN_NEW(&f.arena, int32_t, f.mesh.tet_count);
    for (int t = 0; t < f.mesh.tet_count; ++t) {
        slow[t] = f.labels[t];
        fast[t] = levels.clusters[f.labels[t]];
    }
    join_one_by_one(&f, &features, requested, slow);
    const double expected = scatter(&f, &features, slow, f.cluster_count);
    assert_true(scatter(&f, &features, fast, requested) <= 1.05 * expected);
    assert_true(expected > 1.5 * scatter(&f, &features, f.labels, f.cluster_count));
    stop(&f);
}

/* Two bones that meet in the middle, and modes that see only what is across: every cluster stays on one side. */
static void test_clusters_do_not_span_joints(void **state)
{
    (void)state;
    fixture f;
    const int requested = 2;
    start(&f, 1, 40);
    f.bone_count = 2;
    f.rig_weights = SN_NEW(&f.arena, double, 2 * f.mesh.vertex_count);
    for (int v = 0; v < f.mesh.vertex_count; ++v) {
        const double *x = f.mesh.positions + 3 * v;
        f.rig_weights[2 * v + (x[0] > 0.625)] = 1;
        for (int j = 0; j < MODE_COUNT; ++j) {
            f.modes.weights[MODE_COUNT * v + j] = 1 + (j % 2 == 0 ? 0.1 * x[1] : 0.1 * x[2]);
        }
    }
    double volumes[2][2] = {{0}};
    for (int t = 0; t < f.mesh.tet_count; ++t) {
        f.labels[t] = t / 12; /* two cubes each */
    }
    f.cluster_count = (f.mesh.tet_count + 11) / 12;
    const sn_cluster_levels levels = build(&f, &requested, 1);
    for (int t = 0; t < f.mesh.tet_count; ++t) {
        double middle = 0;
        for (int corner = 0; corner < 4; ++corner) {
            middle += 0.25 * f.mesh.positions[3 * f.mesh.tets[4 * t + corner]];
        }
        volumes[levels.clusters[f.labels[t]]][middle > 0.625] += f.volumes[t];
    }
    const int left = volumes[0][0] > volumes[0][1] ? 0 : 1;
    assert_true(volumes[left][1] <= 0.25 * volumes[left][0] && volumes[1 - left][0] <= 0.25 * volumes[1 - left][1]);
    stop(&f);
}

int test_cluster_levels(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels_are_connected_unions),        cmocka_unit_test(test_pieces_stay_apart),
        cmocka_unit_test(test_levels_without_effect_are_left_out), cmocka_unit_test(test_joins_are_the_cheapest),
        cmocka_unit_test(test_clusters_do_not_span_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
