/* SPDX-License-Identifier: MIT */
/* Worlds: ids, time, poses in between, teleport and reset, recovery, threads, golden bits. The model is a committed
 * one: a bar of three bones (SN_GOLDEN_UPDATE=1 cooks it anew). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "host/base/hash.h"
#include "host/base/jobs.h"
#include "tests/support/count_allocations.h"
#include "tests/support/flesh.h"
#include "tests/world/world_test.h"

/* Of gcc and clang, -O0 to -O3, any instruction set, any number of workers. */
#define GOLDEN_HASH UINT64_C(0x795f6092e64d9f8b)

static int warning_count;

static void count_warnings(sn_log_level level, const char *message, void *user)
{
    (void)user;
    warning_count += level == SN_LOG_WARNING;
    if (level == SN_LOG_ERROR) {
        print_message("%s\n", message);
    }
}

/* Weights that go over from bone to bone along the bar. */
static void write_model(void)
{
    sn_cooking cooking = {.path = NULL};
    cooking.mesh = sn_test_bar(&cooking.arena, 8, 2, 2, 0.125);
    sn_test_rig(&cooking, BONES, 1);
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = 4;
    desc.cluster_count = 10;
    assert_int_equal(sn_cooking_run(&cooking, "bar", &desc), SN_OK);
    assert_int_equal(sn_file_write(MODEL_PATH, cooking.bytes, cooking.size), SN_OK);
    sn_cooking_finish(&cooking);
}

static int load_or_cook(void **state)
{
    (void)state;
    if (getenv("SN_GOLDEN_UPDATE")) {
        write_model();
    }
    assert_int_equal(sn_model_open(MODEL_PATH, &model), SN_OK);
    sn_set_log(count_warnings, NULL);
    return 0;
}

/* A triangle wave: no libm in what must give the same bits. */
static float wave(double seconds, double period)
{
    const double phase = seconds / period - (double)(int64_t)(seconds / period);
    return (float)(phase < 0.5 ? 4 * phase - 1 : 3 - 4 * phase);
}

static void pose_at(double seconds, sn_mat3x4 *bones)
{
    for (int b = 0; b < BONES; ++b) {
        const float shear = 0.15F * (float)(b + 1) * wave(seconds, 0.7), lift = 0.1F * wave(seconds, 0.5);
        bones[b] = (sn_mat3x4){{{1, -shear, 0, 0}, {shear, 1, 0, lift}, {0, 0, 1, 0.05F * shear}}};
    }
}

static sn_body_id make_body(sn_world_id world, double stiffness)
{
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    desc.model = model;
    desc.stiffness = stiffness;
    desc.gravity[1] = -2;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    return body;
}

/* Largest difference of the modes' matrices. */
static double difference(const float *a, const sn_body_matrices *b)
{
    double largest = 0;
    for (int i = 12 * b->bone_count; i < 12 * (b->bone_count + b->mode_count); ++i) {
        largest = fmax(largest, fabs((double)a[i] - (double)(&b->matrices[0].m[0][0])[i]));
    }
    return largest;
}

static void copy_output(sn_body_id body, float *copy)
{
    const sn_body_matrices out = sn_body_output(body);
    memcpy(copy, out.matrices, (size_t)(out.bone_count + out.mode_count) * sizeof(sn_mat3x4));
}

static double size_of_modes(sn_body_id body)
{
    float zero[12 * 16] = {0};
    const sn_body_matrices out = sn_body_output(body);
    return difference(zero, &out);
}

static void test_ids(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id none = {0, 0, 0};
    assert_false(sn_body_is_valid(none));
    const sn_body_id a = make_body(world, 1), b = make_body(world, 1);
    assert_true(sn_body_is_valid(a) && sn_body_is_valid(b) && sn_body_model(a) == model);
    sn_body_destroy(a);
    assert_false(sn_body_is_valid(a));
    const sn_body_id c = make_body(world, 1); /* in the place of a, with another generation */
    assert_int_equal(c.index1, a.index1);
    assert_false(sn_body_is_valid(a));
    assert_true(sn_body_is_valid(b) && sn_body_is_valid(c));
    sn_world_destroy(world);
    assert_false(sn_body_is_valid(b));
    const sn_world_id next = make_world(1);
    assert_false(sn_body_is_valid(b));                               /* in a new world at the old one's place */
    const sn_body_id d = make_body(next, 1), e = make_body(next, 1); /* at the places of c and b */
    assert_true(d.index1 == c.index1 && e.index1 == b.index1 && d.world0 == c.world0);
    assert_true(sn_body_is_valid(d) && sn_body_is_valid(e));
    assert_false(sn_body_is_valid(b) || sn_body_is_valid(c) || sn_body_is_valid(a));
    sn_world_destroy(next);
    sn_world_destroy((sn_world_id){0, 0});
    sn_body_destroy(none);
}

static void test_model_from_a_path(void **state)
{
    (void)state;
    sn_model *opened = NULL;
    assert_int_equal(sn_model_open(MODEL_PATH, &opened), SN_OK);
    assert_int_equal(sn_model_bone_count(opened), BONES);
    sn_model_release(opened);
    assert_int_equal(sn_model_open(SN_SOURCE_DIR "/absent.sinew", &opened), SN_ERROR_FILE);
    assert_null(opened);
    assert_int_equal(sn_model_open(SN_SOURCE_DIR "/README.md", &opened), SN_ERROR_FORMAT);
    assert_int_equal(sn_model_open(SN_SOURCE_DIR, &opened), SN_ERROR_FORMAT);
    sn_model_release(NULL);
}

static void test_refusals(void **state)
{
    (void)state;
    sn_world_desc bad = sn_default_world_desc();
    sn_world_id world;
    bad.time_step = 0;
    assert_int_equal(sn_world_create(&bad, &world), SN_ERROR_ARGUMENT);
    bad = sn_default_world_desc();
    bad.worker_count = 65;
    assert_int_equal(sn_world_create(&bad, &world), SN_ERROR_ARGUMENT);
    world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_ERROR_ARGUMENT); /* no model */
    desc.model = model;
    desc.damping = NAN;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_ERROR_ARGUMENT);
    assert_int_equal(body.index1, 0);
    sn_world_destroy(world);
}

static void test_time_is_cut_into_steps(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    int steps = 0;
    for (int i = 0; i < 600; ++i) {
        steps += sn_world_step(world, 1.0 / 60).step_count;
    }
    assert_int_equal(steps, 600);
    steps = 0;
    for (int i = 0; i < 1440; ++i) {
        steps += sn_world_step(world, 1.0 / 144).step_count;
    }
    assert_true(steps == 600 || steps == 599);
    const sn_world_report report = sn_world_step(world, 1);
    assert_int_equal(report.step_count, 4);
    assert_true(fabs(report.dropped_seconds - 56.0 / 60) < 0.02);
    assert_int_equal(sn_world_step(world, -1).step_count, 0);
    assert_int_equal(sn_world_step(world, NAN).step_count, 0);
    sn_world_destroy(world);
}

/* The flesh after two seconds, at any frame rate. */
static void run_at(double rate, float *result)
{
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 0.3);
    sn_mat3x4 bones[BONES];
    pose_at(0, bones);
    sn_body_set_pose(body, bones, BONES);
    sn_body_reset(body);
    const int frames = (int)(2 * rate + 0.5);
    for (int frame = 1; frame <= frames; ++frame) {
        pose_at(frame / rate, bones);
        sn_body_set_pose(body, bones, BONES);
        sn_world_step(world, 1 / rate);
    }
    copy_output(body, result);
    sn_world_destroy(world);
}

static void test_frame_rates_agree(void **state)
{
    (void)state;
    float at_60[12 * 16], at[12 * 16];
    run_at(60, at_60);
    double size = 0;
    for (int i = 12 * BONES; i < 12 * (BONES + 4); ++i) {
        size = fmax(size, fabs((double)at_60[i]));
    }
    const double rates[] = {30, 72, 90, 144};
    for (int i = 0; i < 4; ++i) {
        run_at(rates[i], at);
        double most = 0;
        for (int k = 12 * BONES; k < 12 * (BONES + 4); ++k) {
            most = fmax(most, fabs((double)at[k] - (double)at_60[k]));
        }
        print_message("%g Hz against 60: %.3f of the flesh's own size\n", rates[i], most / size);
        assert_true(most < 0.1 * size);
    }
}

/* A steady motion, whose poses in between are exact: calls that take as many steps as they may, but drop none, must not
 * disturb its pace. */
static void run_steadily_at(int rate, float *result)
{
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 0.3);
    for (int frame = 0; frame <= 2 * rate; ++frame) {
        const float turned = 0.5F * (float)frame / (float)rate;
        const sn_mat3x4 pose = {{{1, -turned, 0, 0}, {turned, 1, 0, turned}, {0, 0, 1, 0}}};
        sn_body_set_rigid_pose(body, &pose);
        if (frame == 0) {
            sn_body_reset(body);
        } else {
            assert_true(sn_world_step(world, 1.0 / rate).dropped_seconds == 0);
        }
    }
    copy_output(body, result);
    sn_world_destroy(world);
}

static void test_slow_frames_keep_the_pace(void **state)
{
    (void)state;
    float at_60[12 * 16], at_18[12 * 16];
    run_steadily_at(60, at_60);
    run_steadily_at(18, at_18); /* three or four steps a call, of at most four */
    double most = 0, size = 0;
    for (int i = 12 * BONES; i < 12 * (BONES + 4); ++i) {
        most = fmax(most, fabs((double)at_18[i] - (double)at_60[i]));
        size = fmax(size, fabs((double)at_60[i]));
    }
    print_message("18 Hz against 60: %.2g of the flesh's own size\n", most / size);
    assert_true(size > 1e-3 && most < 1e-3 * size);
}

/* What is drawn of the rig is the pose that was set, whatever is left over of the time. */
static void test_rig_never_lags(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 1);
    sn_mat3x4 bones[BONES];
    for (int frame = 0; frame < 50; ++frame) {
        pose_at(frame / 144.0, bones);
        sn_body_set_pose(body, bones, BONES);
        sn_world_step(world, 1.0 / 144);
        assert_memory_equal(sn_body_output(body).matrices, bones, sizeof bones);
    }
    sn_world_destroy(world);
}

/* Two bodies with one history; one is turned and moved in the middle, and its poses with it: the flesh differs by the
 * turn alone. */
static void test_teleport_is_exact(void **state)
{
    (void)state;
    const sn_mat3x4 move = {{{0, 0, 1, 30}, {0, 1, 0, -7}, {-1, 0, 0, 5}}};
    const sn_world_id world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id stays, moves;
    desc.model = model;
    desc.stiffness = 0.3;
    assert_int_equal(sn_body_create(world, &desc, &stays), SN_OK);
    assert_int_equal(sn_body_create(world, &desc, &moves), SN_OK);
    for (int frame = 0; frame < 60; ++frame) {
        sn_mat3x4 bones[BONES], moved[BONES];
        pose_at(frame / 60.0, bones);
        for (int b = 0; b < BONES; ++b) {
            for (int d = 0; d < 3; ++d) {
                for (int k = 0; k < 4; ++k) {
                    moved[b].m[d][k] = k == 3 ? move.m[d][3] : 0;
                    for (int j = 0; j < 3; ++j) {
                        moved[b].m[d][k] += move.m[d][j] * bones[b].m[j][k];
                    }
                }
            }
        }
        if (frame == 30) {
            sn_body_teleport(moves, &move);
        }
        sn_body_set_pose(stays, bones, BONES);
        sn_body_set_pose(moves, frame < 30 ? bones : moved, BONES);
        sn_world_step(world, 1.0 / 60);
    }
    const sn_body_matrices a = sn_body_output(stays), b = sn_body_output(moves);
    for (int j = 0; j < a.mode_count; ++j) {
        const sn_mat3x4 *from = &a.matrices[BONES + j], *to = &b.matrices[BONES + j];
        for (int k = 0; k < 4; ++k) {
            assert_true(fabsf(to->m[0][k] - from->m[2][k]) < 1e-5F && fabsf(to->m[1][k] - from->m[1][k]) < 1e-5F &&
                        fabsf(to->m[2][k] + from->m[0][k]) < 1e-5F);
        }
    }
    assert_true(size_of_modes(stays) > 1e-3);
    sn_world_destroy(world);
}

/* Nowhere at all, between two steps: what is drawn does not jump. */
static void test_teleport_between_steps(void **state)
{
    (void)state;
    const sn_mat3x4 nowhere = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 0.3);
    float before[12 * 16];
    for (int frame = 0; frame < 7; ++frame) {
        sn_world_step(world, 0.8 / 60);
    }
    copy_output(body, before);
    sn_body_teleport(body, &nowhere);
    const sn_body_matrices after = sn_body_output(body);
    assert_true(difference(before, &after) < 1e-7);
    sn_world_destroy(world);
}

static void test_reset_rests(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    desc.model = model;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    const sn_mat3x4 far = {{{1, 0, 0, 3}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    sn_body_set_rigid_pose(body, &far);
    sn_body_reset(body); /* without it, the jump would kick */
    for (int i = 0; i < 30; ++i) {
        sn_world_step(world, 1.0 / 60);
        assert_true(size_of_modes(body) < 1e-5);
    }
    const sn_mat3x4 back = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    sn_body_set_rigid_pose(body, &back);
    sn_world_step(world, 1.0 / 60);
    sn_world_step(world, 1.0 / 60);
    assert_true(size_of_modes(body) > 1e-2);
    sn_body_reset(body);
    assert_true(size_of_modes(body) == 0);
    sn_world_destroy(world);
}

static void test_recovers(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 1), other = make_body(world, 1);
    sn_mat3x4 bones[BONES];
    pose_at(0.1, bones);
    sn_body_set_pose(body, bones, BONES);
    sn_world_step(world, 1.0 / 60);
    bones[1].m[2][2] = NAN;
    sn_body_set_pose(body, bones, BONES);
    warning_count = 0;
    assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 1);
    assert_int_equal(warning_count, 1);
    assert_true(isfinite(sn_body_output(body).matrices[1].m[2][2]));
    assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 0);
    const sn_mat3x4 beyond = {{{1e18F, 0, 0, 1e25F}, {0, -1e18F, 0, 0}, {0, 0, 1e18F, 1e30F}}};
    sn_body_set_rigid_pose(body, &beyond);
    warning_count = 0;
    assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 1);
    assert_int_equal(warning_count, 1);
    pose_at(0, bones);
    sn_body_set_pose(body, bones, BONES);
    sn_body_reset(body);
    for (int i = 0; i < 10; ++i) {
        assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 0);
    }
    assert_true(isfinite(size_of_modes(body)) && isfinite(size_of_modes(other)));
    sn_world_destroy(world);
}

static void test_parameters_change_in_flight(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 1), same = make_body(world, 1);
    sn_body_desc desc = sn_default_body_desc();
    desc.model = model;
    desc.stiffness = 1e4;
    desc.damping = 5;
    for (int i = 0; i < 60; ++i) {
        if (i == 20) {
            assert_int_equal(sn_body_set_desc(body, &desc), SN_OK);
        }
        sn_world_step(world, 1.0 / 60);
    }
    assert_true(size_of_modes(body) < 0.1 * size_of_modes(same)); /* stiff, and without gravity */
    desc.amount = 0;
    assert_int_equal(sn_body_set_desc(same, &desc), SN_OK);
    sn_world_step(world, 1.0 / 60);
    assert_true(size_of_modes(same) == 0);
    desc.tolerance = 2;
    assert_int_equal(sn_body_set_desc(same, &desc), SN_ERROR_ARGUMENT);
    sn_world_destroy(world);
}

/* ---- threads ---- */

static uint64_t run_crowd(const sn_world_desc *desc, int body_count)
{
    sn_world_id world;
    sn_body_id bodies[16];
    uint64_t hash = SN_HASH_SEED;
    assert_int_equal(sn_world_create(desc, &world), SN_OK);
    for (int i = 0; i < body_count; ++i) {
        bodies[i] = make_body(world, 0.2 + 0.3 * (i % 4));
    }
    size_t allocated = 0;
    for (int frame = 0; frame < 90; ++frame) {
        for (int i = 0; i < body_count; ++i) {
            sn_mat3x4 bones[BONES];
            pose_at(frame / 72.0 + 0.1 * i, bones);
            sn_body_set_pose(bodies[i], bones, BONES);
        }
        sn_world_step(world, 1.0 / 72);
        allocated = frame == 5 ? sn_peak_allocated_bytes() : allocated;
    }
    assert_int_equal(sn_peak_allocated_bytes(), allocated);
    for (int i = 0; i < body_count; ++i) {
        const sn_body_matrices out = sn_body_output(bodies[i]);
        hash = sn_hash(hash, out.matrices, (size_t)(out.bone_count + out.mode_count) / 2 * 2 * sizeof(sn_mat3x4));
    }
    sn_world_destroy(world);
    return hash;
}

static void test_golden_bits_for_any_number_of_workers(void **state)
{
    (void)state;
    sn_world_desc desc = sn_default_world_desc();
    for (int workers = 1; workers <= 4; ++workers) {
        desc.worker_count = workers;
        const uint64_t hash = run_crowd(&desc, 11);
        print_message("%d workers: %016llx\n", workers, (unsigned long long)hash);
        assert_true(hash == GOLDEN_HASH);
    }
}

static int own_calls;

/* Backwards and one at a time: another order than the world's own. */
static void run_backwards(int count, int grain, sn_task_function *task, void *task_user, void *user)
{
    assert_ptr_equal(user, &own_calls);
    ++own_calls;
    for (int first = (count - 1) / grain * grain; first >= 0; first -= grain) {
        task(first, first + grain < count ? first + grain : count, 0, task_user);
    }
}

static void test_own_task_system(void **state)
{
    (void)state;
    sn_world_desc desc = sn_default_world_desc();
    desc.run_tasks = run_backwards;
    desc.run_tasks_user = &own_calls;
    assert_true(run_crowd(&desc, 11) == GOLDEN_HASH);
    assert_int_equal(own_calls, 90);
}

static void test_step_allocates_nothing(void **state)
{
    (void)state;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    const sn_world_id world = make_world(3);
    sn_body_id bodies[5];
    for (int i = 0; i < 5; ++i) {
        bodies[i] = make_body(world, 1);
    }
    sn_world_step(world, 1.0 / 60);
    const int before = allocation_count;
    for (int frame = 0; frame < 200; ++frame) {
        sn_mat3x4 bones[BONES];
        pose_at(frame / 90.0, bones);
        sn_body_set_pose(bodies[frame % 5], bones, BONES);
        sn_world_step(world, 1.0 / 90);
    }
    assert_int_equal(allocation_count, before);
    sn_world_destroy(world);
    sn_set_allocator(NULL, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_model_from_a_path),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_time_is_cut_into_steps),
        cmocka_unit_test(test_frame_rates_agree),
        cmocka_unit_test(test_slow_frames_keep_the_pace),
        cmocka_unit_test(test_teleport_between_steps),
        cmocka_unit_test(test_rig_never_lags),
        cmocka_unit_test(test_teleport_is_exact),
        cmocka_unit_test(test_reset_rests),
        cmocka_unit_test(test_recovers),
        cmocka_unit_test(test_parameters_change_in_flight),
        cmocka_unit_test(test_golden_bits_for_any_number_of_workers),
        cmocka_unit_test(test_own_task_system),
        cmocka_unit_test(test_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, load_or_cook, unload);
}
