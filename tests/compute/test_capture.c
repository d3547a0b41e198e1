/* SPDX-License-Identifier: MIT */
/* The vertex shader, and the compute shader that does the same, against the CPU, on ragged counts of vertices, bones
 * and modes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "compute/skin/skin.h"
#include "host/reduced/reduced.h"
#include "host/skin/skin.h"
#include "tests/support/gpu.h"
#include "tests/support/torus.h"

#define AGREEMENT 1e-5

/* Of two bodies, the first of which has nothing but zeros. */
static float *both(sn_arena *arena, const double *bones, int bone_count, const double *modes, int mode_count)
{
    const int body = 12 * (bone_count + mode_count);
    float *transforms = SN_NEW(arena, float, 2 * body);
    for (int i = 0; i < body; ++i) {
        transforms[body + i] = (float)(i < 12 * bone_count ? bones[i] : modes[i - 12 * bone_count]);
    }
    return transforms;
}

static double largest_difference(const float *a, const double *b, int count)
{
    double largest = 0;
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, fabs((double)a[i] - b[i]));
    }
    return largest;
}

/* Skins on both sides; positions differ by at most `AGREEMENT` of the diagonal, directions by as much. */
static void expect_stage(sn_gpu_device *device, const sn_model *model, const double *bones, const double *modes,
                         const float *morphs, sn_gpu_capture_stage stage)
{
    sn_arena arena = {0};
    const sn_surface skin = sn_model_surface(model);
    const int n = skin.vertex_count;
    float *transforms = both(&arena, bones, model->counts.bone_count, modes, model->counts.mode_count);
    float *out = SN_NEW(&arena, float, 9 * n), *weights = SN_NEW(&arena, float, 2 * model->counts.morph_count);
    double *expected = SN_NEW(&arena, double, 9 * n);
    assert_true(transforms && out && weights && expected);
    for (int i = 0; i < model->counts.morph_count; ++i) {
        weights[model->counts.morph_count + i] = morphs[i];
    }
    sn_gpu_capture *capture = NULL;
    assert_int_equal(sn_gpu_capture_create(device, model, 2, stage, &capture), SN_OK);
    const sn_gpu_captured captured = {out, out + 3 * n, out + 6 * n};
    assert_int_equal(sn_gpu_capture_run(capture, transforms, weights, 1, NULL), SN_OK);
    assert_int_equal(sn_gpu_capture_read(capture, 0, &captured), SN_OK);
    for (int i = 0; i < 3 * n; ++i) {
        assert_true(out[i] == 0);
    }
    assert_int_equal(sn_gpu_capture_read(capture, 1, &captured), SN_OK);
    sn_gpu_capture_destroy(&capture);
    sn_skin_surface(&skin, bones, modes, morphs, expected, expected + 3 * n, expected + 6 * n);
    const double position = largest_difference(out, expected, 3 * n) / model->diagonal;
    const double normal = largest_difference(out + 3 * n, expected + 3 * n, 3 * n);
    const double tangent = largest_difference(out + 6 * n, expected + 6 * n, 3 * n);
    print_message("%d vertices, %d bones, %d modes, %d morphs: position %.1e, normal %.1e, tangent %.1e\n", n,
                  model->counts.bone_count, model->counts.mode_count, model->counts.morph_count, position, normal,
                  tangent);
    assert_true(position < AGREEMENT && normal < AGREEMENT && tangent < AGREEMENT);
    sn_arena_finish(&arena);
}

static void expect_agreement(sn_gpu_device *device, const sn_model *model, const double *bones, const double *modes,
                             const float *morphs)
{
    expect_stage(device, model, bones, modes, morphs, SN_GPU_CAPTURE_VERTEX);
    expect_stage(device, model, bones, modes, morphs, SN_GPU_CAPTURE_COMPUTE);
}

static void expect_torus(sn_gpu_device *device, int rings, int segments, int bone_count, int mode_count, double size)
{
    sn_arena arena = {0};
    const sn_torus torus = sn_torus_make(&arena, rings, segments, bone_count, mode_count);
    double *bones = SN_NEW(&arena, double, 12 * bone_count), *modes = SN_NEW(&arena, double, 12 * mode_count);
    sn_torus_pose(&torus, size, bones, modes);
    expect_agreement(device, &torus.model, bones, modes, NULL);
    sn_arena_finish(&arena);
}

static void expect_morphed_torus(sn_gpu_device *device, int rings, int segments, int bone_count, int mode_count,
                                 int morph_count)
{
    sn_arena arena = {0};
    sn_torus torus = sn_torus_make(&arena, rings, segments, bone_count, mode_count);
    double *bones = SN_NEW(&arena, double, 12 * bone_count), *modes = SN_NEW(&arena, double, 12 * mode_count);
    float *morphs = SN_NEW(&arena, float, morph_count);
    sn_torus_pose(&torus, 0.05, bones, modes);
    sn_torus_add_morphs(&torus, &arena, morph_count);
    expect_agreement(device, &torus.model, bones, modes, torus.morphs);
    expect_agreement(device, &torus.model, bones, modes, morphs); /* all 0 */
    sn_arena_finish(&arena);
}

static void test_ragged_counts(void **state)
{
    expect_torus(*state, 3, 3, 1, 1, 0.1);
    expect_torus(*state, 41, 31, 3, 16, 0.06);
    expect_torus(*state, 40, 25, 2, 5, 0.1);
}

/* More than any fixed-size shader would take. */
static void test_many_bones_and_modes(void **state)
{
    expect_torus(*state, 19, 13, 300, 70, 0.02);
}

static void test_morph_targets(void **state)
{
    expect_morphed_torus(*state, 3, 3, 1, 1, 1);
    expect_morphed_torus(*state, 41, 31, 3, 16, 5);
    expect_morphed_torus(*state, 23, 17, 2, 3, 77);
}

/* The dolphin in the middle of its clip, its flesh in motion. */
static void test_a_real_model(void **state)
{
    const char *folder = SN_SHARED_DATA "/tet/dolphin/";
    char mesh[512], rig[512], clip[512];
    snprintf(mesh, sizeof mesh, "%sdolphin.msh", folder);
    snprintf(rig, sizeof rig, "%srigs/skeleton_rig/skeleton_rig.json", folder);
    snprintf(clip, sizeof clip, "%srigs/skeleton_rig/anim/swim.json", folder);
    if (access(mesh, R_OK) != 0) {
        print_message("%s is not there: skipped\n", mesh);
        skip();
    }
    const char *clips[] = {clip};
    sn_cook_desc desc = sn_default_cook_desc();
    desc.rig_path = rig;
    desc.clip_paths = clips;
    desc.clip_count = 1;
    sn_blob blob;
    sn_model *model = NULL;
    assert_int_equal(sn_cook(mesh, &desc, &blob, NULL), SN_OK);
    assert_int_equal(sn_model_load(blob.bytes, blob.size, &model), SN_OK);
    sn_reduced_solver *solver = NULL;
    sn_reduced_body *body = NULL;
    const sn_reduced_desc reduced = sn_default_reduced_desc();
    double pose[36], modes[192];
    assert_int_equal(model->counts.bone_count, 3);
    sn_model_sample_clip(model, 0, 0, pose);
    assert_int_equal(sn_reduced_solver_create(model, &reduced, &solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(solver, pose, &body), SN_OK);
    for (int frame = 0; frame < 40; ++frame) {
        sn_model_sample_clip(model, 0, frame / 60.0, pose);
        sn_reduced_body_step(body, pose, NULL);
    }
    sn_reduced_body_mode_transforms(body, 1, modes);
    expect_agreement(*state, model, pose, modes, NULL);
    sn_reduced_body_destroy(&body);
    sn_reduced_solver_destroy(&solver);
    sn_model_release(model);
    sn_blob_release(&blob);
}

int test_capture(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ragged_counts, sn_test_gpu_set_up, sn_test_gpu_tear_down),
        cmocka_unit_test_setup_teardown(test_many_bones_and_modes, sn_test_gpu_set_up, sn_test_gpu_tear_down),
        cmocka_unit_test_setup_teardown(test_morph_targets, sn_test_gpu_set_up, sn_test_gpu_tear_down),
        cmocka_unit_test_setup_teardown(test_a_real_model, sn_test_gpu_set_up, sn_test_gpu_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
