/* SPDX-License-Identifier: MIT */
/* A bar with three bones, baked in every form, written, read and played beside the motion. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/bake/bake.h"
#include "author/bake/keys.h"
#include "author/bake/trs.h"
#include "author/io/gltf/gltf_write.h"
#include "author/io/usd/usd_write.h"
#include "host/math/half.h"
#include "tests/bake/usd_check.h"
#include "tests/support/flesh.h"

#define FRAMES 40
#define BONES 3
#define RATE 30.0

static sn_cook_context cooking;
static sn_model *model;
static double poses[FRAMES * BONES * 12], sheared[FRAMES * BONES * 12];
static double *modes;
static sn_arena arena;

/* Bones turn against each other; sheared: and are stretched along no axis of theirs, the first mirrored in the end. */
static void fill_poses(void)
{
    for (int f = 0; f < FRAMES; ++f) {
        for (int b = 0; b < BONES; ++b) {
            const double angle = 0.7 * b * sin(0.12 * f), c = cos(angle), s = sin(angle), x = 0.3 * b;
            const double turn[12] = {c, -s, 0, x - c * x + 0.01 * f, s, c, 0, -s * x, 0, 0, 1, 0.02 * f};
            const double stretch = 0.3 * sin(0.2 * f + b);
            const double shear[12] = {1 + stretch, stretch, 0, 0, 0.4 * stretch, 1, 0.2 * stretch, 0, 0, 0, 1, 0};
            double *to = sheared + 12 * (f * BONES + b);
            memcpy(poses + 12 * (f * BONES + b), turn, sizeof turn);
            sn_affine_multiply(turn, shear, to);
            for (int d = 0; d < 3 && b == 0 && f > FRAMES / 2; ++d) {
                to[4 * d + 2] *= -1;
            }
        }
    }
}

/* The flesh of the bar as it follows the bones. */
static int set_up(void **state)
{
    (void)state;
    const int cells[3] = {8, 2, 2};
    model = sn_test_cook_bar(&cooking, cells, BONES, 6);
    fill_poses();
    modes = SN_NEW(&arena, double, (size_t)FRAMES * 12 * (size_t)model->counts.mode_count);
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.time_step = 1 / RATE;
    desc.stiffness = 0.1;
    sn_flesh flesh = sn_flesh_make(model, &desc, NULL);
    for (int f = 0; f < FRAMES && modes; ++f) {
        const sn_surroundings none = {0};
        sn_reduced_body_step(flesh.body, poses + 12 * BONES * f, &none);
        sn_reduced_body_mode_transforms(flesh.body, 1, modes + (size_t)f * 12 * (size_t)model->counts.mode_count);
    }
    sn_flesh_finish(&flesh);
    return modes ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    sn_model_release(model);
    sn_arena_finish(&cooking.arena);
    sn_arena_finish(&arena);
    return 0;
}

static sn_bake_motion motion_of(const double *motion_poses, bool has_flesh)
{
    return (sn_bake_motion){.model = model,
                            .frame_count = FRAMES,
                            .frame_rate = RATE,
                            .poses = motion_poses,
                            .modes = has_flesh ? modes : NULL};
}

/* A skin that other programs take: no weight below 0, sums of 1, each joint once, rotations of length 1, times that
 * ascend. */
static void check_scene(const sn_scene_file *scene)
{
    assert_int_equal(scene->skin_count, 1);
    for (int i = 0; i < scene->primitive_count; ++i) {
        const sn_scene_primitive *p = &scene->primitives[i];
        for (int v = 0; v < p->vertex_count; ++v) {
            double sum = 0;
            for (int k = 0; k < p->influence_count; ++k) {
                const int at = v * p->influence_count + k;
                sum += (double)p->weights[at];
                assert_true(p->weights[at] >= 0 && p->joints[at] < scene->skins[0].joint_count);
                for (int other = 0; other < k && p->weights[at] > 0; ++other) {
                    assert_true(p->joints[at - k + other] != p->joints[at] || p->weights[at - k + other] == 0);
                }
            }
            assert_true(fabs(sum - 1) < 1e-6);
        }
    }
    for (int i = 0; i < scene->channel_count; ++i) {
        const sn_scene_channel *c = &scene->channels[i];
        assert_int_equal(c->interpolation, SN_KEYS_LINEAR);
        for (int k = 1; k < c->key_count; ++k) {
            double along = 0;
            for (int w = 0; w < c->width && c->path == SN_PATH_ROTATION; ++w) {
                along += (double)c->values[(k - 1) * c->width + w] * (double)c->values[k * c->width + w];
            }
            assert_true(c->times[k] > c->times[k - 1] && along >= 0);
        }
    }
}

typedef struct baked {
    sn_bake_report report;
    sn_bake_errors errors;
} baked;

static baked bake(const sn_bake_motion *motion, const sn_bake_desc *desc, const char *suffix)
{
    char path[256];
    baked result;
    sn_arena scratch = {0};
    sn_scene_file scene, read;
    snprintf(path, sizeof path, "%s/baked_%d.%s", SN_BINARY_DIR, (int)getpid(), suffix);
    assert_int_equal(sn_bake_build(motion, desc, &scratch, &scene, &result.report), SN_OK);
    assert_int_equal(sn_gltf_write(path, &scene), SN_OK);
    assert_int_equal(sn_scene_file_read(path, &scratch, &read), SN_OK);
    remove(path);
    check_scene(&read);
    assert_int_equal(sn_bake_measure(motion, &read, path, &result.errors), SN_OK);
    sn_arena_finish(&scratch);
    return result;
}

/* The rig alone is exact, sheared and mirrored bones too, as text and as bytes. */
static void test_rig_is_exact(void **state)
{
    (void)state;
    const sn_bake_desc desc = {.form = SN_BAKE_RIG};
    const sn_bake_motion plain = motion_of(poses, false), affine = motion_of(sheared, false);
    const baked a = bake(&plain, &desc, "glb"), b = bake(&affine, &desc, "gltf");
    assert_true(a.errors.at_frames < 1e-6 && a.report.rig_error == 0);
    assert_true(a.errors.between < 0.003); /* the sagitta of turns of up to ten degrees a frame */
    assert_true(b.errors.at_frames < 1e-6);
    assert_int_equal(a.report.joint_count, BONES);
}

/* More targets, less error, down to rounding. */
static void test_targets(void **state)
{
    (void)state;
    const sn_bake_motion motion = motion_of(poses, true);
    sn_bake_desc desc = {.form = SN_BAKE_TARGETS};
    double before = INFINITY;
    for (desc.count = 0; desc.count <= 16; desc.count += 8) {
        const baked b = bake(&motion, &desc, "glb");
        assert_true(b.report.rig_error > 0.01); /* there is something to bake */
        assert_true(b.errors.at_frames < before);
        assert_true(b.report.target_count <= desc.count);
        if (desc.count == 0) {
            assert_true(fabs(b.errors.at_frames - b.report.rig_error) < 1e-5);
        }
        before = b.errors.at_frames;
    }
    desc.count = FRAMES;
    assert_true(bake(&motion, &desc, "glb").errors.at_frames < 1e-5);
}

/* Joints take most of it; eight a vertex no less. */
static void test_joints(void **state)
{
    (void)state;
    const sn_bake_motion motion = motion_of(poses, true);
    sn_bake_desc desc = {.form = SN_BAKE_JOINTS, .count = 12};
    const baked four = bake(&motion, &desc, "glb");
    assert_true(four.errors.at_frames < 0.12 * four.report.rig_error);
    assert_true(four.report.joint_count > BONES && four.report.joint_count <= BONES + 12);
    desc.influence_limit = 8;
    assert_true(bake(&motion, &desc, "glb").errors.at_frames < 0.12 * four.report.rig_error);
}

/* Fewer keys keep their bound, measured here by other means than while they were chosen. */
static void test_keys(void **state)
{
    (void)state;
    const sn_bake_motion motion = motion_of(poses, true);
    sn_bake_desc desc = {.form = SN_BAKE_TARGETS, .count = FRAMES};
    const baked all = bake(&motion, &desc, "glb");
    int before = all.report.key_count;
    for (double bound = 1e-4; bound < 0.05; bound *= 10) {
        desc.key_error = bound; /* the model's diagonal is 1 */
        const baked b = bake(&motion, &desc, "glb");
        assert_true(b.report.key_count <= before);
        assert_true(b.report.frame_key_count == all.report.frame_key_count);
        assert_true(b.errors.at_frames <= 1.25 * bound + all.errors.at_frames); /* nodes may take a quarter, too */
        assert_true(bound < 5e-3 || b.errors.at_frames > 0.2 * bound); /* it is made use of where there is room */
        before = b.report.key_count;
    }
    assert_true(before < 3 * all.report.key_count / 4);
}

/* A motion that rests becomes one of the same length. */
static void test_still(void **state)
{
    (void)state;
    double still[FRAMES * BONES * 12];
    for (int i = 0; i < FRAMES * BONES; ++i) {
        sn_affine_identity(still + 12 * i);
    }
    const sn_bake_motion motion = motion_of(still, false);
    const sn_bake_desc desc = {.form = SN_BAKE_RIG, .key_error = 1e-4};
    sn_arena scratch = {0};
    sn_scene_file scene;
    sn_bake_report report;
    assert_int_equal(sn_bake_build(&motion, &desc, &scratch, &scene, &report), SN_OK);
    assert_int_equal(scene.channel_count, 1);
    assert_int_equal(report.key_count, 2);
    assert_true(fabs((double)scene.channels[0].times[1] - (FRAMES - 1) / RATE) < 1e-6);
    sn_arena_finish(&scratch);
}

/* The same numbers, whatever was baked before. */
static void test_same_again(void **state)
{
    (void)state;
    const sn_bake_motion motion = motion_of(poses, true);
    const sn_bake_desc desc = {.form = SN_BAKE_JOINTS, .count = 6, .key_error = 1e-3};
    const baked a = bake(&motion, &desc, "glb"), b = bake(&motion, &desc, "glb");
    assert_memory_equal(&a.errors, &b.errors, sizeof a.errors);
    assert_memory_equal(&a.report, &b.report, sizeof a.report);
}

/* USD in every form: sound by a reader of our own, and as good as the scene. */
static void test_usd(void **state)
{
    (void)state;
    static usd_checker checker;
    char path[256];
    snprintf(path, sizeof path, "%s/baked_%d.usda", SN_BINARY_DIR, (int)getpid());
    for (int form = SN_BAKE_RIG; form <= SN_BAKE_JOINTS; ++form) {
        const sn_bake_motion motion = motion_of(form == SN_BAKE_RIG ? sheared : poses, form != SN_BAKE_RIG);
        const sn_bake_desc desc = {.form = (sn_bake_form)form, .count = 5, .has_half_scales = true, .key_error = 1e-4};
        sn_arena scratch = {0};
        sn_scene_file scene;
        sn_bake_report report;
        sn_bake_errors errors;
        sn_source source;
        assert_int_equal(sn_bake_build(&motion, &desc, &scratch, &scene, &report), SN_OK);
        assert_int_equal(sn_usd_write(path, &scene, RATE), SN_OK);
        assert_int_equal(sn_bake_measure(&motion, &scene, path, &errors), SN_OK);
        assert_true(form != SN_BAKE_RIG || errors.at_frames < 2e-3); /* of scales in half precision */
        assert_int_equal(sn_source_read(path, &scratch, &source), SN_OK);
        remove(path);
        usd_check((const char *)source.bytes, &checker);
        assert_int_equal(checker.animation.shapes, form == SN_BAKE_TARGETS ? 5 : 0);
        assert_true(checker.skeleton.joints >= report.joint_count);
        for (int i = 0; i < scene.channel_count; ++i) {
            const sn_scene_channel *c = &scene.channels[i];
            for (int k = 0; k < c->key_count * c->width && c->path == SN_PATH_SCALE; ++k) {
                assert_true(c->values[k] == sn_float_from_half(sn_half_from_float(c->values[k])));
            }
        }
        sn_arena_finish(&scratch);
    }
}

/* OpenUSD refuses a blend shape without vertices: a part binds only the targets that move it. */
static void test_usd_binds_what_moves(void **state)
{
    (void)state;
    static usd_checker checker;
    char path[256];
    const sn_bake_motion motion = motion_of(poses, true);
    const sn_bake_desc desc = {.form = SN_BAKE_TARGETS, .count = 5, .key_error = 1e-4};
    sn_arena scratch = {0};
    sn_scene_file scene;
    sn_bake_report report;
    sn_source source;
    snprintf(path, sizeof path, "%s/bound_%d.usda", SN_BINARY_DIR, (int)getpid());
    assert_int_equal(sn_bake_build(&motion, &desc, &scratch, &scene, &report), SN_OK);
    sn_scene_primitive parts[2] = {scene.primitives[0], scene.primitives[0]};
    float *still = SN_NEW(&scratch, float, 3 * parts[0].vertex_count);
    float *offsets[5] = {parts[0].morph_positions[0], still, still, still, still};
    assert_non_null(still);
    parts[1].morph_positions = offsets;
    parts[1].morph_normals = NULL;
    scene.primitives = parts;
    scene.primitive_count = 2;
    scene.meshes[0].primitive_count = 2;
    for (int moving = 1; moving >= 0; --moving) {
        offsets[0] = moving ? offsets[0] : still;
        assert_int_equal(sn_usd_write(path, &scene, RATE), SN_OK);
        assert_int_equal(sn_source_read(path, &scratch, &source), SN_OK);
        remove(path);
        usd_check((const char *)source.bytes, &checker);
        assert_int_equal(checker.mesh_count, 2);
        assert_int_equal(checker.animation.shapes, 5);
        const char *second = strstr((const char *)source.bytes, "def Mesh \"Body_1\"");
        assert_non_null(second);
        const char *shape = strstr(second, "def BlendShape");
        assert_int_equal(shape != NULL, moving);
        assert_true(!shape || !strstr(shape + 1, "def BlendShape"));
    }
    sn_arena_finish(&scratch);
}

/* Another scene than it can hold: one line, no file. */
static void test_usd_refuses(void **state)
{
    (void)state;
    const sn_scene_file none = {0};
    char path[256];
    snprintf(path, sizeof path, "%s/refused_%d.usda", SN_BINARY_DIR, (int)getpid());
    assert_int_equal(sn_usd_write(path, &none, RATE), SN_ERROR_UNSUPPORTED);
    assert_int_equal(access(path, F_OK), -1);
}

static void test_not_finite(void **state)
{
    (void)state;
    sn_bake_motion motion = motion_of(poses, false);
    double broken[FRAMES * BONES * 12];
    const sn_bake_desc desc = {.form = SN_BAKE_RIG};
    sn_scene_file scene;
    sn_bake_report report;
    sn_arena scratch = {0};
    memcpy(broken, poses, sizeof broken);
    broken[12 * BONES * 7 + 3] = NAN;
    motion.poses = broken;
    assert_int_equal(sn_bake_build(&motion, &desc, &scratch, &scene, &report), SN_ERROR_NUMERIC);
    sn_arena_finish(&scratch);
}

int test_baked(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rig_is_exact), cmocka_unit_test(test_targets),
        cmocka_unit_test(test_joints),       cmocka_unit_test(test_keys),
        cmocka_unit_test(test_still),        cmocka_unit_test(test_same_again),
        cmocka_unit_test(test_usd),          cmocka_unit_test(test_usd_binds_what_moves),
        cmocka_unit_test(test_usd_refuses),  cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
