/* SPDX-License-Identifier: MIT */
/* The reduced solver on the device: poses, parameters and models that are damaged, and no memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "host/reduced/solver.h"
#include "tests/support/gpu_reduced.h"
#include "tests/support/morph_model.h"

/* A refused pose is a step to the last one, after which the body is at rest there. */
static void test_poses_that_are_not_finite(void **state)
{
    const sn_model *model = fixtures[0].model;
    const sn_solver_desc desc = default_desc();
    double pose[12], later[12];
    body_result result, expected;
    sn_gpu_reduced *reduced = create(*state, NULL);
    const int body = add(reduced, 0, &desc, NULL);
    for (int frame = 0; frame < 5; ++frame) {
        swing(model, frame, 0, pose);
        sn_gpu_reduced_set_pose(reduced, body, pose);
        run(*state, reduced, true, 1);
    }
    memcpy(later, pose, sizeof pose);
    later[7] = NAN;
    sn_gpu_reduced_set_pose(reduced, body, later);
    run(*state, reduced, true, 1);
    assert_int_equal(read_body(reduced, body, &result)->reading.recovery_count, 1);
    assert_true(largest(result.coordinates, 3 * COORDINATE_LIMIT) == 0);
    assert_true(largest(result.velocity, 3 * COORDINATE_LIMIT) == 0);
    for (int i = 0; i < 12; ++i) {
        assert_true(result.matrices[i] == (float)pose[i]);
    }
    const int fresh = add(reduced, 0, &desc, pose);
    for (int frame = 6; frame < 10; ++frame) {
        swing(model, frame, 0, later);
        sn_gpu_reduced_set_pose(reduced, body, later);
        sn_gpu_reduced_set_pose(reduced, fresh, later);
        run(*state, reduced, true, 1);
    }
    assert_same_bits(read_body(reduced, body, &result), read_body(reduced, fresh, &expected));
    assert_int_equal(result.reading.recovery_count, 1);
    assert_int_equal(expected.reading.recovery_count, 0);
    sn_gpu_reduced_destroy(&reduced);
}

static void test_what_explodes_recovers(void **state)
{
    sn_solver_desc descs[4] = {default_desc(), default_desc(), default_desc(), default_desc()};
    double pose[12];
    body_result result;
    descs[0].gravity[0] = 1e200;
    descs[1].gravity[0] = 1e3; /* thrown beyond a hundred diagonals in one step */
    descs[1].time_step = 1e3;
    descs[1].stiffness = 1e-12;
    descs[2].stiffness = 1e200;
    sn_gpu_reduced *reduced = create(*state, NULL);
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(add(reduced, 0, &descs[i], NULL), i);
    }
    for (int frame = 0; frame < 3; ++frame) {
        for (int i = 0; i < 4; ++i) {
            swing(fixtures[0].model, frame, 0, pose);
            sn_gpu_reduced_set_pose(reduced, i, pose);
        }
        run(*state, reduced, true, 1);
    }
    for (int i = 0; i < 4; ++i) {
        read_body(reduced, i, &result);
        assert_int_equal(result.reading.recovery_count, i < 3 ? 3 : 0);
        assert_true((largest(result.coordinates, 3 * COORDINATE_LIMIT) == 0) == (i < 3));
        for (int k = 0; k < 12 * (1 + fixtures[0].model->counts.mode_count); ++k) {
            assert_true(isfinite(result.matrices[k]));
        }
    }
    /* sound parameters, and it goes on */
    assert_int_equal(sn_gpu_reduced_set_parameters(reduced, 0, &descs[3]), SN_OK);
    run(*state, reduced, true, 1);
    assert_int_equal(read_body(reduced, 0, &result)->reading.recovery_count, 3);
    sn_gpu_reduced_destroy(&reduced);
}

/* Flesh that all but nothing holds falls until it is a hundred diagonals away, on the device as on the CPU: not where
 * the bound on that says so, which is many times too large, unless there are no samples to tell. */
static void expect_lost_late(sn_gpu_device *device, bool has_samples)
{
    sn_solver_desc desc = default_desc();
    desc.stiffness = 1e-9;
    desc.gravity[0] = 700;
    const sn_reduced_desc twin_desc = sn_reduced_desc_from_solver(&desc);
    sn_model bare = *fixtures[0].model;
    bare.counts.sample_count = 0;
    const sn_model *model = has_samples ? fixtures[0].model : &bare;
    sn_reduced_solver *solver = NULL;
    sn_reduced_body *twin = NULL;
    body_result result;
    double pose[12], farthest = 0;
    bool is_lost = false;
    int index = 0;
    sn_affine_identity(pose);
    sn_gpu_reduced *reduced = create(device, NULL);
    if (!has_samples) {
        assert_int_equal(sn_gpu_reduced_add_model(reduced, model, &index), SN_OK);
    }
    const int body = add(reduced, index, &desc, pose);
    assert_int_equal(sn_reduced_solver_create(model, &twin_desc, &solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(solver, pose, &twin), SN_OK);
    for (int frame = 0; frame < 400 && !is_lost; ++frame) {
        sn_gpu_reduced_set_pose(reduced, body, pose);
        run(device, reduced, true, 1);
        is_lost = sn_reduced_body_step(twin, pose, NULL).is_recovered;
        farthest = fmax(farthest, sn_reduced_displacement_bound(model, twin->coordinates) / model->diagonal);
        assert_int_equal(read_body(reduced, body, &result)->reading.recovery_count, is_lost);
    }
    print_message("by the bound %g diagonals away\n", farthest);
    assert_true(is_lost && (has_samples ? farthest > 150 : farthest <= 100));
    sn_reduced_body_destroy(&twin);
    sn_reduced_solver_destroy(&solver);
    sn_gpu_reduced_destroy(&reduced);
}

static void test_far_flesh_is_kept(void **state)
{
    expect_lost_late(*state, true);
    expect_lost_late(*state, false);
}

/* Every sample lies at one vertex of many influences, or morph targets: indices that floats do not hold, and, were
 * there some more, sums that wrap. */
static void refuse_crowded_points(sn_gpu_reduced *reduced, bool has_morphs)
{
    const int each = 200000;
    int index = -1;
    sn_arena arena = {0};
    sn_model model = *fixtures[0].model;
    sn_model_counts *c = &model.counts;
    int32_t *starts = SN_NEW(&arena, int32_t, c->surface_vertex_count + 1);
    int32_t *none = SN_NEW(&arena, int32_t, c->surface_vertex_count + 1);
    int32_t *vertices = SN_NEW(&arena, int32_t, SN_SAMPLE_EXTREMES * c->sample_count);
    sn_influence *influences = SN_NEW(&arena, sn_influence, each);
    sn_morph_delta *deltas = SN_NEW(&arena, sn_morph_delta, each);
    assert_true(starts && none && vertices && influences && deltas);
    for (int v = 1; v <= c->surface_vertex_count; ++v) {
        starts[v] = each;
    }
    assert_true(c->sample_count > (1 << 25) / each);
    model.sample_vertices = vertices;
    model.influence_starts = has_morphs ? none : starts;
    model.influences = influences;
    model.morph_starts = starts;
    model.morph_deltas = deltas;
    c->morph_count = has_morphs;
    assert_int_equal(sn_gpu_reduced_add_model(reduced, &model, &index), SN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(sn_test_logged.last_error, "samples"));
    sn_arena_finish(&arena);
}

static void test_refusals(void **state)
{
    sn_gpu_device *device = *state;
    sn_gpu_reduced_desc small = sn_default_gpu_reduced_desc();
    sn_gpu_reduced *reduced = NULL;
    int index = -1;
    small.shared_bytes = 1024;
    assert_int_equal(sn_gpu_reduced_create(device, &small, &reduced), SN_OK);
    assert_int_equal(sn_gpu_reduced_add_model(reduced, fixtures[0].model, &index), SN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(sn_test_logged.last_error, "shared memory"));
    sn_gpu_reduced_destroy(&reduced);
    reduced = create(device, NULL);
    run(device, reduced, true, 1); /* nobody there */
    sn_model without_modes = *fixtures[0].model;
    without_modes.counts.mode_count = without_modes.counts.cluster_count = without_modes.counts.coordinate_count = 0;
    assert_int_equal(sn_gpu_reduced_add_model(reduced, &without_modes, &index), SN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(sn_test_logged.last_error, "the model has no modes"));
    refuse_crowded_points(reduced, false);
    refuse_crowded_points(reduced, true);
    sn_solver_desc desc = default_desc();
    desc.time_step = 0;
    assert_int_equal(sn_gpu_reduced_add_body(reduced, 0, &desc, NULL, &index), SN_ERROR_ARGUMENT);
    desc = default_desc();
    const double pose[12] = {INFINITY};
    assert_int_equal(sn_gpu_reduced_add_body(reduced, 0, &desc, pose, &index), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_test_logged.error_count, 6);
    run(device, reduced, true, 1);
    sn_gpu_reduced_destroy(&reduced);
    sn_gpu_reduced_destroy(&reduced); /* null is allowed */
}

static void *alloc_some(size_t bytes, size_t alignment, void *user)
{
    int *left = user;
    return (*left)-- > 0 ? aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment) : NULL;
}

static void free_some(void *memory, size_t bytes, void *user)
{
    (void)user;
    (void)bytes;
    free(memory);
}

/* Of a model for which memory is out, wherever that is, a body of another sees nothing. The model alone has morph
 * targets: its pipelines are new, though not to software Vulkan, which compiles them for test_gpu_morphs, too. */
static void test_models_that_find_no_memory(void **state)
{
    const sn_gpu_reduced_desc usual = sn_default_gpu_reduced_desc();
    const sn_solver_desc desc = default_desc();
    double pose[12 * BONE_LIMIT];
    body_result results[2];
    sn_arena arena = {0};
    const sn_model morphed = sn_test_morph_model(&arena, fixtures[3].model);
    for (int k = 0; k < 2; ++k) {
        sn_gpu_reduced *reduced = NULL;
        int index = -1, failures = 0;
        assert_int_equal(sn_gpu_reduced_create(*state, &usual, &reduced), SN_OK);
        assert_int_equal(sn_gpu_reduced_add_model(reduced, fixtures[1].model, &index), SN_OK);
        const int body = add(reduced, index, &desc, NULL);
        for (sn_result result = SN_ERROR_MEMORY; k == 0 && result != SN_OK; ++failures) {
            int left = failures;
            sn_set_allocator(alloc_some, free_some, &left);
            result = sn_gpu_reduced_add_model(reduced, &morphed, &index);
            sn_set_allocator(NULL, NULL, NULL);
            assert_true(result == SN_OK || result == SN_ERROR_MEMORY);
            sn_gpu_reduced_reset(reduced, body, NULL);
            run(*state, reduced, true, 1);
        }
        assert_true(k > 0 || failures > 3);
        sn_gpu_reduced_reset(reduced, body, NULL);
        for (int frame = 0; frame < 4; ++frame) {
            swing(fixtures[1].model, frame, 0, pose);
            sn_gpu_reduced_set_pose(reduced, body, pose);
            run(*state, reduced, true, 1);
        }
        read_body(reduced, body, &results[k]);
        sn_gpu_reduced_destroy(&reduced);
    }
    assert_same_bits(&results[0], &results[1]);
    sn_arena_finish(&arena);
}

int test_gpu_reduced_damaged(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_poses_that_are_not_finite),
        SN_TEST_SHARED_GPU(test_what_explodes_recovers),
        SN_TEST_SHARED_GPU(test_far_flesh_is_kept),
        SN_TEST_SHARED_GPU(test_models_that_find_no_memory),
        SN_TEST_SHARED_GPU(test_refusals),
    };
    return cmocka_run_group_tests(tests, cook_all, release_all);
}
