/* SPDX-License-Identifier: MIT */
/* Small systems of many handles: the solution by tiles against the plain one, bit for bit; and large trees, whose
 * scalars are eliminated children first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/math/cholesky.h"
#include "tests/coupled/coupled_test.h"

#define LIMIT 61

/* B B^T + 1 of a B of which most is zero, in bands: so are tiles. */
static void make_matrix(int count, uint64_t *seed, double *matrix)
{
    static double b[LIMIT * LIMIT];
    for (int i = 0; i < count * count; ++i) {
        const bool is_near = i / count / 16 == i % count / 16;
        b[i] = sn_random_unit(seed) < (is_near ? 0.3 : 0.001) ? sn_random_unit(seed) - 0.5 : 0;
    }
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            double sum = i == j;
            for (int k = 0; k < count; ++k) {
                sum += b[count * i + k] * b[count * j + k];
            }
            matrix[count * i + j] = sum;
        }
    }
}

/* What is not felt is not looked at. */
static void to_tiles(const sn_coupled_kernels *kernels, int count, const double *matrix, const double *right,
                     sn_coupled_tiles *tiles, double *entries)
{
    static bool is_nonzero[LIMIT * LIMIT];
    for (int i = 0; i < count * count; ++i) {
        is_nonzero[i] = matrix[i] != 0;
    }
    sn_tiles_fill_in(count, is_nonzero);
    sn_tiles_init(count, tiles);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j <= i; ++j) {
            sn_tiles_add(tiles, i, is_nonzero[count * i + j], j, 1);
        }
    }
    for (size_t i = 0; i < sn_tiles_stride(tiles) * sn_tiles_stride(tiles); ++i) {
        entries[i] = NAN;
    }
    kernels->clear(tiles, entries);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j <= i; ++j) {
            if (matrix[count * i + j] != 0) {
                entries[sn_tiles_at(tiles, i, j)] = matrix[count * i + j];
            }
        }
        entries[sn_tiles_at(tiles, count, i)] = right[i];
    }
}

static int count_felt(const sn_coupled_tiles *tiles)
{
    int count = 0;
    for (int i = 0; i < tiles->rank * tiles->rank; ++i) {
        count += tiles->is_nonzero[i];
    }
    return count;
}

static void test_solution(void **state)
{
    (void)state;
    static double given[LIMIT * LIMIT], expected[LIMIT * LIMIT], right[LIMIT], x[LIMIT], found[LIMIT];
    static double entries[(LIMIT + SN_TILE) * (LIMIT + SN_TILE)];
    static bool is_nonzero[LIMIT];
    sn_coupled_tiles tiles = {.is_nonzero = is_nonzero};
    sn_coupled_scene scene = sn_coupled_mixed(2);
    sn_coupled_settings settings = sn_default_coupled_settings();
    uint64_t seed = 5;
    for (int set = SN_XPBD_SCALAR; set <= SN_XPBD_AVX512; ++set) {
        settings.xpbd.instructions = (sn_xpbd_instructions)set;
        sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
        for (int count = 1; count <= LIMIT; count += count < 20 ? 1 : 7) {
            make_matrix(count, &seed, given);
            for (int i = 0; i < count; ++i) {
                right[i] = sn_random_unit(&seed) - 0.5;
            }
            memcpy(expected, given, sizeof given);
            memcpy(x, right, sizeof right);
            assert_true(sn_cholesky_factor(count, expected));
            sn_cholesky_solve(count, expected, x);
            to_tiles(body->kernels, count, given, right, &tiles, entries);
            assert_true(body->kernels->solve(&tiles, entries, found));
            for (int i = 0; i < count; ++i) {
                for (int j = 0; j <= i; ++j) {
                    const bool is_known = tiles.is_nonzero[tiles.rank * (i / SN_TILE) + j / SN_TILE];
                    assert_true((is_known ? entries[sn_tiles_at(&tiles, i, j)] : 0) == expected[count * i + j]);
                }
                assert_true(found[i] == x[i]);
            }
            given[count * count - 1] = -1;
            to_tiles(body->kernels, count, given, right, &tiles, entries);
            assert_false(body->kernels->solve(&tiles, entries, found));
        }
        assert_true(count_felt(&tiles) < tiles.rank * (tiles.rank + 1) / 2); /* some were left out */
        sn_coupled_body_destroy(&body);
    }
    sn_coupled_scene_finish(&scene);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static uint64_t run(const sn_coupled_scene *scene, sn_xpbd_instructions instructions, double *places)
{
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.instructions = instructions;
    settings.xpbd.gravity[1] = -1;
    settings.xpbd.damping = 3;
    sn_coupled_body *body = sn_coupled_test_body(scene, &settings);
    for (int k = 0; k < SN_COUPLED_TREE_JOINTS; ++k) {
        sn_coupled_body_set_locks(body, k, scene->handles[k].parent < 0 ? SN_LOCK_ALL : 0);
    }
    for (int frame = 0; frame < 30; ++frame) {
        assert_false(sn_coupled_body_step(body, NULL).is_recovered);
    }
    sn_xpbd_body_positions(body->flesh, places);
    const uint64_t hash = sn_coupled_hash(SN_HASH_SEED, body);
    sn_coupled_body_destroy(&body);
    return hash;
}

static void test_large_trees(void **state)
{
    (void)state;
    static double forwards[3 * 1024], backwards[3 * 1024];
    sn_coupled_scene scene = sn_coupled_tree(false), other = sn_coupled_tree(true);
    const int n = 3 * scene.shape.desc.vertex_count;
    assert_true(n <= 3 * 1024);
    double fallen = 0, apart = 0;
    const uint64_t expected = run(&scene, SN_XPBD_SCALAR, forwards);
    for (int set = SN_XPBD_BASELINE; set <= SN_XPBD_AVX512; ++set) {
        assert_true(run(&scene, (sn_xpbd_instructions)set, forwards) == expected);
    }
    run(&other, SN_XPBD_AVX512, backwards);
    for (int i = 0; i < n; ++i) {
        fallen = fmax(fallen, fabs(forwards[i] - scene.shape.positions[i]));
        apart = fmax(apart, fabs(forwards[i] - backwards[i]));
    }
    print_message("fallen by %.3f, apart by %.1e\n", fallen, apart);
    assert_true(fallen > 0.01 && apart < 1e-3 * fallen);
    sn_coupled_scene_finish(&scene);
    sn_coupled_scene_finish(&other);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* A handle that no vertex feels, and that alone may move in a line: it takes nothing from the others. */
static void test_unfelt_border(void **state)
{
    (void)state;
    static double places[2][3 * 1024];
    sn_coupled_scene scene = sn_coupled_tree(false);
    const int count = SN_COUPLED_TREE_JOINTS, vertices = scene.shape.desc.vertex_count;
    sn_coupled_handle handles[SN_COUPLED_TREE_JOINTS + 1];
    sn_coupled_scene more = scene;
    memcpy(handles, scene.handles, (size_t)count * sizeof *handles);
    handles[count] = (sn_coupled_handle){.type = SN_HANDLE_RIGID, .parent = -1, .pivot = {0, 1, 0}};
    more.handle_count = count + 1;
    more.handles = handles;
    more.weights = SN_NEW(&scene.shape.arena, double, (count + 1) * vertices);
    assert_non_null(more.weights);
    for (int i = 0; i < count * vertices; ++i) {
        more.weights[(count + 1) * (i / count) + i % count] = scene.weights[i];
    }
    sn_coupled_scene_rig(&more);
    run(&scene, SN_XPBD_SCALAR, places[0]);
    run(&more, SN_XPBD_SCALAR, places[1]);
    double fallen = 0, apart = 0;
    for (int i = 0; i < 3 * vertices; ++i) {
        fallen = fmax(fallen, fabs(places[0][i] - scene.shape.positions[i]));
        apart = fmax(apart, fabs(places[0][i] - places[1][i]));
    }
    print_message("beside one that nothing feels: apart by %.1e\n", apart);
    assert_true(apart < 1e-3 * fallen);
    sn_coupled_rig_destroy(&more.rig);
    sn_coupled_scene_finish(&scene);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* By how much a fit with a held joint differs where its matrix is rounded to float, as devices may have it. */
static double fit_rounded(const sn_coupled_scene *scene, bool is_for_float)
{
    const sn_coupled_settings settings = sn_default_coupled_settings();
    const double still[3] = {0}, move[3] = {0, 0.05, 0};
    double transform[12], transforms[2][12 * SN_COUPLED_TREE_JOINTS], apart = 0;
    sn_coupled_aim(scene->handles[2].pivot, still, move, transform);
    for (int run = 0; run < 2; ++run) {
        sn_coupled_body *body = sn_coupled_test_body(scene, &settings);
        body->is_for_float = is_for_float;
        sn_coupled_bend(scene, body, 0.005, 0);
        sn_coupled_body_set_locks(body, SN_COUPLED_TREE_JOINTS / 2, SN_LOCK_ALL);
        sn_coupled_body_set_locks(body, 2, SN_LOCK_TRANSLATION);
        sn_coupled_body_set_target(body, 2, transform);
        sn_coupled_prepare(body);
        for (int axis = 0; axis < 3 && run == 1; ++axis) {
            const sn_coupled_elimination *e = body->fit.of_axis[axis];
            const int columns = 3 * body->fit.solved_count;
            for (int i = 0; i < columns * columns; ++i) {
                e->reduced[i] = (double)(float)e->reduced[i];
            }
            for (int i = 0; i < 9 * SN_TILE * body->fit.group_count * body->fit.solved_count; ++i) {
                e->blocks[i] = (double)(float)e->blocks[i];
            }
        }
        sn_coupled_couple(body, 0);
        sn_coupled_body_transforms(body, transforms[run]);
        sn_coupled_body_destroy(&body);
    }
    for (int i = 0; i < 12 * SN_COUPLED_TREE_JOINTS; ++i) {
        apart = fmax(apart, fabs(transforms[0][i] - transforms[1][i]));
    }
    return apart;
}

/* What is held must not be so heavy that float does not see the flesh of a small handle beside it. */
static void test_held_in_float(void **state)
{
    (void)state;
    sn_coupled_scene scene = sn_coupled_tree(false);
    const double heavy = fit_rounded(&scene, false), light = fit_rounded(&scene, true);
    print_message("rounded to float: apart by %.1e, less heavy by %.1e\n", heavy, light);
    assert_true(light < 2e-4 && light < 0.2 * heavy);
    sn_coupled_scene_finish(&scene);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_coupled_trees(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_solution), cmocka_unit_test(test_large_trees),
                                       cmocka_unit_test(test_unfelt_border), cmocka_unit_test(test_held_in_float)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
