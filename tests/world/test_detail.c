/* SPDX-License-Identifier: MIT */
/* Level of detail of bodies in worlds: changes in flight, what is shared and prepared, threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/base/hash.h"
#include "tests/support/count_allocations.h"
#include "tests/world/world_test.h"

#define FEW 2

static int load_levels(void **state)
{
    load(state);
    assert_int_equal(sn_model_mode_count(model), MODES);
    assert_true(sn_model_cluster_level_count(model) > 1);
    return 0;
}

static void pose_at(double seconds, sn_mat3x4 *bones)
{
    for (int b = 0; b < BONES; ++b) {
        const float shear = 0.15F * (float)(b + 1) * (float)sin(9 * seconds), lift = 0.1F * (float)sin(12 * seconds);
        bones[b] = (sn_mat3x4){{{1, -shear, 0, 0}, {shear, 1, 0, lift}, {0, 0, 1, 0.05F * shear}}};
    }
}

static sn_body_desc level(int mode_count, int cluster_level)
{
    sn_body_desc desc = sn_default_body_desc();
    desc.model = model;
    desc.stiffness = 0.3;
    desc.mode_count = mode_count;
    desc.cluster_level = cluster_level;
    return desc;
}

static sn_body_id make_body(sn_world_id world, int mode_count, int cluster_level)
{
    const sn_body_desc desc = level(mode_count, cluster_level);
    sn_body_id body;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    return body;
}

static void advance(sn_world_id world, sn_body_id body, int frame)
{
    sn_mat3x4 bones[BONES];
    pose_at(frame / 80.0, bones);
    sn_body_set_pose(body, bones, BONES);
    sn_world_step(world, 1.0 / 80); /* between steps, too */
}

/* The largest entry of matrices [first, last). */
static double largest(const sn_mat3x4 *matrices, int first, int last)
{
    double most = 0;
    for (int i = 12 * first; i < 12 * last; ++i) {
        most = fmax(most, fabs((double)matrices[i / 12].m[i % 12 / 4][i % 4]));
    }
    return most;
}

static void test_detail_changes_in_flight(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 0, 0);
    double moved = 0;
    for (int frame = 0; frame < 200; ++frame) {
        sn_mat3x4 before[BONES + MODES];
        advance(world, body, frame);
        sn_body_matrices out = sn_body_output(body);
        memcpy(before, out.matrices, sizeof before);
        const bool is_low = frame / 7 % 2 == 0, was_low = out.mode_count == FEW;
        assert_int_equal(sn_body_set_detail(body, is_low ? FEW : 0, is_low ? 1 : 0), SN_OK);
        out = sn_body_output(body);
        assert_int_equal(out.mode_count, is_low ? FEW : MODES);
        if (was_low) { /* the zeros are still there, and what is drawn stays */
            assert_true(largest(before, BONES + FEW, BONES + MODES) == 0);
        }
        for (int i = 0; i < 12 * (BONES + MODES) && (was_low || !is_low); ++i) {
            const double a = (double)before[i / 12].m[i % 12 / 4][i % 4];
            assert_true(fabs(a - (double)out.matrices[i / 12].m[i % 12 / 4][i % 4]) < 1e-6);
        }
        if (is_low) {
            assert_true(largest(out.matrices, BONES + FEW, BONES + MODES) == 0);
        }
        moved = fmax(moved, largest(out.matrices, BONES, BONES + FEW));
    }
    assert_true(moved > 0.01);
    sn_world_destroy(world);
}

static void test_refusals(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 0, 0);
    const sn_body_desc bad = level(-1, 0);
    assert_int_equal(sn_body_set_detail(body, -1, 0), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_body_set_detail(body, 0, -1), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_prepare(world, &bad), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_body_output(body).mode_count, MODES);
    sn_world_destroy(world);
}

/* Levels that come to the same share their solver; a prepared one needs no body, and goes when it is forgotten. */
static void test_levels_are_shared_and_prepared(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 0, 0);
    const size_t alone = sn_allocated_bytes();
    assert_int_equal(sn_body_set_detail(body, MODES + 3, 0), SN_OK);
    const sn_body_desc same = level(MODES, 0), low = level(FEW, 1), beyond = level(FEW, 99);
    assert_int_equal(sn_world_prepare(world, &same), SN_OK);
    assert_int_equal(sn_allocated_bytes(), alone);
    assert_int_equal(sn_world_prepare(world, &low), SN_OK);
    const size_t prepared = sn_allocated_bytes();
    assert_true(prepared > alone);
    assert_int_equal(sn_world_prepare(world, &low), SN_OK);
    assert_int_equal(sn_world_prepare(world, &beyond), SN_OK); /* the coarsest level is 1 */
    assert_int_equal(sn_body_set_detail(body, FEW, 1), SN_OK);
    assert_int_equal(sn_body_set_detail(body, 0, 0), SN_OK);
    assert_int_equal(sn_allocated_bytes(), prepared);
    sn_world_release_prepared(world, model);
    assert_int_equal(sn_allocated_bytes(), alone);
    assert_int_equal(sn_world_prepare(world, &low), SN_OK);
    sn_world_destroy(world);
    assert_int_equal(sn_model_cluster_level_count(model), 2);
}

static void test_prepared_changes_allocate_nothing(void **state)
{
    (void)state;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    const sn_world_id world = make_world(2);
    const sn_body_desc high = level(0, 0), low = level(FEW, 1);
    sn_body_id bodies[5];
    for (int i = 0; i < 5; ++i) {
        bodies[i] = make_body(world, i % 2 == 0 ? FEW : 0, i % 2);
    }
    assert_int_equal(sn_world_prepare(world, &high), SN_OK);
    assert_int_equal(sn_world_prepare(world, &low), SN_OK);
    const int before = allocation_count;
    for (int frame = 0; frame < 100; ++frame) {
        for (int i = 0; i < 5; ++i) {
            const bool is_low = (frame + i) % 3 == 0;
            assert_int_equal(sn_body_set_detail(bodies[i], is_low ? FEW : 0, is_low), SN_OK);
        }
        advance(world, bodies[frame % 5], frame);
    }
    assert_int_equal(allocation_count, before);
    sn_world_destroy(world);
    sn_set_allocator(NULL, NULL, NULL);
}

/* Bodies come, go and change: what each does depends on nothing else, whatever the order and the number of workers. */
static uint64_t run_mixed(int workers, bool is_crowded)
{
    const sn_world_id world = make_world(workers);
    sn_body_id body = {0}, others[6] = {{0}};
    uint64_t hash = SN_HASH_SEED;
    for (int i = 0; i < 6 && is_crowded; ++i) {
        others[i] = make_body(world, i % 3, i % 2);
    }
    body = make_body(world, 0, 0);
    for (int frame = 0; frame < 60; ++frame) {
        for (int i = 0; i < 6 && is_crowded; ++i) {
            sn_mat3x4 bones[BONES];
            pose_at(frame / 70.0 + i, bones);
            sn_body_set_pose(others[i], bones, BONES);
            assert_int_equal(sn_body_set_detail(others[i], (frame / 5 + i) % 4, (frame / 9 + i) % 2), SN_OK);
        }
        if (is_crowded && frame % 20 == 10) {
            sn_body_destroy(others[frame / 20]);
            others[frame / 20] = make_body(world, 1, 1);
        }
        assert_int_equal(sn_body_set_detail(body, frame / 10 % 3, frame / 15 % 2), SN_OK);
        advance(world, body, frame);
        const sn_body_matrices out = sn_body_output(body);
        hash = sn_hash(hash, out.matrices, (BONES + MODES - 1) * sizeof *out.matrices);
    }
    sn_world_destroy(world);
    return hash;
}

static void test_others_do_not_matter(void **state)
{
    (void)state;
    const uint64_t alone = run_mixed(1, false);
    for (int workers = 1; workers <= 3; ++workers) {
        assert_true(run_mixed(workers, true) == alone);
    }
}

int test_detail(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_detail_changes_in_flight),       cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_levels_are_shared_and_prepared), cmocka_unit_test(test_prepared_changes_allocate_nothing),
        cmocka_unit_test(test_others_do_not_matter),
    };
    return cmocka_run_group_tests(tests, load_levels, unload);
}
