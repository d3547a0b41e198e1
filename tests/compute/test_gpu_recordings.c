/* SPDX-License-Identifier: MIT */
/* Recordings of worlds on a device, whoever submits their steps: done again there, with other frames in flight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/gpu_world.h"
#include "tests/world/recorded.h"

enum { FRAMES = 8, LEFT = 4 };

/* A reduced body, which explodes in between, and a coupled one whose bones physics moves. The first steps are recorded
 * into commands of the test, which it submits later. */
static void record_frames(sn_gpu_device *device, recording *r)
{
    sn_recorder *recorder = begin_recording(r, false);
    sn_world_desc desc = sn_default_world_desc();
    twins t = {.device = device};
    assert_int_equal(sn_gpu_create_on(device, 2, &t.gpu), SN_OK);
    desc.backend = sn_gpu_backend(t.gpu);
    desc.recorder = recorder;
    assert_int_equal(sn_world_create(&desc, &t.guest), SN_OK);
    const sn_body_desc reduced = twin_desc(twin_models[0]), coupled = twins_coupled_desc(twin_models[0]);
    sn_body_id bodies[2];
    assert_int_equal(sn_body_create(t.guest, &reduced, &bodies[0]), SN_OK);
    assert_int_equal(sn_body_create(t.guest, &coupled, &bodies[1]), SN_OK);
    for (int bone = 1; bone < sn_model_bone_count(twin_models[0]); ++bone) {
        sn_body_set_locks(bodies[1], bone, 0);
    }
    int recoveries = 0;
    for (int frame = 0; frame < FRAMES; ++frame) {
        const float size = frame == 4 ? 1e25F : 1, lift = 0.01F * (float)frame;
        const sn_mat3x4 pose = {{{size, 0, 0, 0}, {0, size, 0, lift}, {0, 0, size, 0}}};
        sn_body_set_rigid_pose(bodies[0], &pose);
        sn_body_set_rigid_pose(bodies[1], &pose);
        recoveries += (frame < LEFT ? twins_record(&t, 1 / 60.0) : sn_world_step(t.guest, 1 / 60.0)).recovery_count;
    }
    assert_true(recoveries > 1); /* the refused pose of the coupled one is one */
    sn_world_destroy(t.guest);
    sn_gpu_destroy(&t.gpu);
    end_recording(recorder);
}

static void done_again(void **state)
{
    sn_test_logged.is_quiet = true;
    recording r = {0};
    sn_gpu *gpu;
    sn_replay *replay;
    sn_replay_report report = {0};
    record_frames(*state, &r);
    assert_int_equal(sn_gpu_create_on(*state, 1, &gpu), SN_OK);
    sn_replay_desc desc = {.bytes = r.words, .size = r.size, .world = sn_default_world_desc()};
    desc.world.backend = sn_gpu_backend(gpu);
    assert_int_equal(sn_replay_create(&desc, &replay), SN_OK);
    while (!report.is_over) {
        assert_int_equal(sn_replay_step(replay, &report), SN_OK);
    }
    assert_int_equal(sn_replay_first_difference(replay), -1);
    sn_replay_destroy(&replay);
    sn_gpu_destroy(&gpu);
    free(r.words);
    sn_test_logged.is_quiet = false;
}

int test_gpu_recordings(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(done_again, sn_test_gpu_set_up, sn_test_gpu_tear_down)};
    return cmocka_run_group_tests(tests, twin_cook_models, twin_release_models);
}
