/* SPDX-License-Identifier: MIT */
/* Recordings: done again to the bit, for any number of threads; refused where they are cut, changed or another's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/model/model.h"
#include "tests/support/count_allocations.h"
#include "tests/world/posed_bar.h"
#include "tests/world/recorded.h"

#define FRAMES 40

static sn_world_id make_recorded(sn_recorder *recorder, int workers)
{
    sn_world_desc desc = sn_default_world_desc();
    sn_world_id world;
    desc.worker_count = workers;
    desc.recorder = recorder;
    assert_int_equal(sn_world_create(&desc, &world), SN_OK);
    return world;
}

static sn_grid *make_grid(void)
{
    float distances[27];
    for (int i = 0; i < 27; ++i) {
        distances[i] = i == 13 ? -0.1F : 0.1F;
    }
    const sn_grid_desc desc = {
        .counts = {3, 3, 3}, .origin = {-0.2, -0.2, -0.2}, .spacing = 0.2, .distances = distances};
    sn_grid *grid;
    assert_int_equal(sn_grid_create(&desc, &grid), SN_OK);
    return grid;
}

/* All that is done to reduced bodies and around them, in a frame that is another one each time. */
static void play(sn_world_id world, const sn_body_id *bodies, const sn_collider_id *colliders, int frame)
{
    sn_mat3x4 bones[BONES], moved = {{{1, 0, 0, 0}, {0, 1, 0, -0.6F + 0.01F * (float)frame}, {0, 0, 1, 0}}};
    const double point[3] = {0.4, 0.1, 0.1}, push[3] = {0, 0.4, 0.1}, target[3] = {0.6, 0.3, 0.05 * (frame % 7)};
    sn_body_desc desc = sn_default_body_desc();
    sn_grab_desc grab = sn_default_grab_desc();
    pose_at(frame / 60.0, bones);
    sn_body_set_pose(bodies[0], bones, BONES);
    sn_body_set_bone_pose(bodies[1], frame % BONES, &bones[1]);
    sn_collider_set_transform(colliders[0], &moved);
    desc.model = model;
    desc.stiffness = 0.3;
    desc.wind[0] = frame / 10; /* the same for ten frames */
    assert_int_equal(sn_body_set_desc(bodies[0], &desc), SN_OK);
    if (frame == 5) {
        assert_int_equal(sn_body_grab(bodies[1], point, &grab), 0);
    } else if (frame > 5 && frame < 20) {
        sn_body_drag(bodies[1], 0, target);
    } else if (frame == 20) {
        sn_body_release(bodies[1], 0);
        sn_body_teleport(bodies[1], &moved);
        sn_body_apply_impulse(bodies[0], point, push);
        sn_body_apply_bone_impulse(bodies[1], 2, push);
    } else if (frame == 25) {
        sn_body_reset(bodies[0]);
        sn_body_set_rigid_pose(bodies[1], &moved);
        assert_int_equal(sn_body_set_detail(bodies[1], 2, 0), SN_OK);
        bones[0].m[0][0] = NAN; /* refused, which counts */
        sn_body_set_pose(bodies[0], bones, BONES);
    }
    sn_world_step(world, frame % 3 == 0 ? 0.4 / 60 : 1.7 / 60);
}

/* Two worlds; what the last step of the second leaves is drawn at `output`. */
static void record_session(recording *r, bool is_without_models, int workers, float *output)
{
    sn_recorder *recorder = begin_recording(r, is_without_models);
    sn_grid *grid = make_grid();
    for (int round = 0; round < 2; ++round) {
        const sn_world_id world = make_recorded(recorder, workers);
        sn_body_id bodies[3] = {make_body(world, 0.3), make_body(world, 1), make_body(world, 2)};
        sn_collider_desc desc = sn_default_collider_desc();
        sn_collider_id colliders[3];
        desc.friction = 0.2 + 0.1 * round;
        assert_int_equal(sn_collider_create(world, &desc, &colliders[0]), SN_OK);
        desc.shape = SN_COLLIDER_GRID;
        desc.grid = grid;
        assert_int_equal(sn_collider_create(world, &desc, &colliders[1]), SN_OK);
        assert_int_equal(sn_collider_create(world, &desc, &colliders[2]), SN_OK);
        sn_collider_destroy(colliders[1]);
        sn_body_destroy(bodies[2]);
        bodies[2] = make_body(world, 3);
        desc.shape = SN_COLLIDER_SPHERE;
        desc.radius = 0.2;
        assert_int_equal(sn_collider_set_desc(colliders[2], &desc), SN_OK);
        for (int frame = 0; frame < FRAMES; ++frame) {
            play(world, bodies, colliders, frame);
        }
        copy_output(bodies[0], output);
        sn_world_destroy(world);
    }
    sn_grid_destroy(&grid);
    end_recording(recorder);
}

static void again_is_the_same(void **state)
{
    (void)state;
    recording first = {0}, second = {0};
    float output[12 * 16], other[12 * 16];
    record_session(&first, false, 1, output);
    record_session(&second, false, 3, other);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.words, second.words, first.size);
    const uint64_t hash = run_replay(&first, 1, 2 * FRAMES);
    assert_true(run_replay(&first, 4, 2 * FRAMES) == hash);
    free(first.words);
    free(second.words);
}

/* What a replay's world draws is what was drawn. */
static void what_is_drawn_is_there(void **state)
{
    (void)state;
    recording r = {0};
    float output[12 * 16], again[12 * 16];
    sn_replay *replay;
    sn_replay_report report;
    sn_collider_desc collider;
    record_session(&r, false, 1, output);
    assert_int_equal(open_replay(&r, 2, &replay), SN_OK);
    for (int i = 0; i < 2 * FRAMES; ++i) {
        assert_int_equal(sn_replay_step(replay, &report), SN_OK);
        assert_false(report.is_over);
    }
    assert_int_equal(sn_replay_body_count(replay), 3);
    copy_output(sn_replay_body(replay, 1), again);
    assert_memory_equal(output, again, (BONES + MODES) * sizeof(sn_mat3x4));
    assert_int_equal(sn_replay_collider_count(replay), 3);
    assert_false(sn_replay_collider(replay, 2, &collider));
    assert_true(sn_replay_collider(replay, 1, &collider));
    assert_true(fabsf(collider.transform.m[1][3] - (-0.6F + 0.01F * (FRAMES - 1))) < 1e-6F);
    assert_int_equal(sn_replay_model_count(replay), 1);
    assert_true(fabs(sn_replay_seconds(replay) - 2 * (14 * 0.4 + 26 * 1.7) / 60) < 1e-9);
    assert_int_equal(sn_replay_step(replay, &report), SN_OK);
    assert_true(report.is_over);
    sn_replay_destroy(&replay);
    free(r.words);
}

/* ---- what is refused ---- */

static void refuse(const recording *r, const char *words)
{
    sn_replay *replay;
    logged.errors = 0;
    const sn_result result = open_replay(r, 1, &replay);
    if (result != SN_ERROR_FORMAT || replay) {
        fail_msg("%s: %d", words, (int)result);
    }
    assert_one_error(words);
    assert_non_null(strstr(logged.last_error, "F.rec"));
}

static void cut_ones_are_refused(void **state)
{
    (void)state;
    recording r = {0};
    float output[12 * 16];
    record_session(&r, true, 1, output);
    const size_t whole = r.size;
    for (r.size = 0; r.size < whole; r.size += r.size < 400 || r.size + 200 > whole ? 1 : 97) {
        refuse(&r, "truncated");
    }
    free(r.words);
}

static void changed_ones_are_refused(void **state)
{
    (void)state;
    recording r = {0};
    float output[12 * 16];
    record_session(&r, true, 1, output);
    uint8_t *bytes = (uint8_t *)r.words;
    for (size_t at = 0; at < r.size; at += at < 400 || at + 200 > r.size ? 1 : 89) {
        sn_replay *replay;
        bytes[at] ^= (uint8_t)(1 << at % 8);
        logged.errors = 0;
        const sn_result result = open_replay(&r, 1, &replay);
        assert_true(result == SN_ERROR_FORMAT || (result == SN_ERROR_UNSUPPORTED && at >= 8 && at < 12));
        assert_int_equal(logged.errors, 1);
        bytes[at] ^= (uint8_t)(1 << at % 8);
    }
    r.words = realloc(r.words, r.size + 8);
    memset((uint8_t *)r.words + r.size, 0, 8);
    r.size += 8;
    refuse(&r, "the recording has no end");
    free(r.words);
}

static void forged_ones_do_no_harm(void **state)
{
    (void)state;
    recording r = {0};
    float output[12 * 16];
    record_session(&r, true, 1, output);
    const forgery done = forge_each_kind(&r, model);
    assert_true(done.kind_count >= 20 && done.differing > 20 && done.refused > 20);
    free(r.words);
}

/* Steps that were taken out are missed, whatever the checksum says. */
static void ends_tell_of_all_steps(void **state)
{
    (void)state;
    recording r = {0};
    float output[12 * 16];
    record_session(&r, true, 1, output);
    uint64_t *steps = r.words + r.size / 8 - 2;
    assert_true(*steps == 2 * FRAMES);
    ++*steps;
    seal(&r);
    refuse(&r, "81 steps expected, 80 found");
    free(r.words);
}

static void names_are_copied(void **state)
{
    (void)state;
    recording r = {0};
    float output[12 * 16];
    char name[] = "mine.rec";
    sn_replay *replay;
    sn_replay_report report;
    record_session(&r, true, 1, output);
    const sn_replay_desc desc = {.name = name, .bytes = r.words, .size = r.size, .world = sn_default_world_desc()};
    assert_int_equal(sn_replay_create(&desc, &replay), SN_OK);
    memset(name, 'x', sizeof name - 1);
    logged.errors = 0;
    assert_int_equal(sn_replay_step(replay, &report), SN_ERROR_UNSUPPORTED);
    assert_one_error("mine.rec: model 0 is neither in the recording");
    sn_replay_destroy(&replay);
    free(r.words);
}

static void differences_are_told(void **state)
{
    (void)state;
    recording r = {0};
    float output[12 * 16];
    sn_replay *replay;
    sn_replay_report report = {0};
    record_session(&r, false, 1, output);
    uint8_t *bytes = (uint8_t *)r.words;
    const double seconds = 1.7 / 60;
    int steps = 0;
    for (size_t at = 32; at < r.size && steps < 3; at += 8) { /* the third step of its length is frame 4 */
        if (memcmp(bytes + at, &seconds, 8) == 0 && ++steps == 3) {
            bytes[at + 16] ^= 1; /* of its hash */
        }
    }
    seal(&r);
    assert_int_equal(open_replay(&r, 1, &replay), SN_OK);
    logged.errors = 0;
    while (!report.is_over) {
        assert_int_equal(sn_replay_step(replay, &report), SN_OK);
    }
    assert_int_equal(sn_replay_first_difference(replay), 4);
    assert_one_error("step 4");
    sn_replay_destroy(&replay);
    free(r.words);
}

/* ---- models ---- */

static void models_are_given_or_refused(void **state)
{
    (void)state;
    recording r = {0};
    float output[12 * 16];
    sn_replay *replay;
    sn_replay_report report;
    sn_model other = *model;
    const sn_model *given[2] = {&other, model};
    other.young *= 2;
    record_session(&r, true, 1, output);
    sn_replay_desc desc = {.bytes = r.words, .size = r.size, .world = sn_default_world_desc(), .models = given};
    for (desc.model_count = 0; desc.model_count < 3; ++desc.model_count) {
        logged.errors = 0;
        assert_int_equal(sn_replay_create(&desc, &replay), SN_OK);
        const sn_result result = sn_replay_step(replay, &report);
        if (desc.model_count < 2) {
            assert_int_equal(result, SN_ERROR_UNSUPPORTED);
            assert_one_error("model 0 is neither in the recording");
            assert_null(sn_replay_model(replay, 0));
        } else {
            assert_int_equal(result, SN_OK);
            assert_ptr_equal(sn_replay_model(replay, 0), model);
        }
        sn_replay_destroy(&replay);
    }
    free(r.words);
}

/* A model that has the address of one that was released is another one, of as many bodies as have it. */
static void addresses_are_not_models(void **state)
{
    (void)state;
    recording r = {0};
    sn_recorder *recorder = begin_recording(&r, false);
    const sn_world_id world = make_recorded(recorder, 1);
    sn_model at_one_address = *model;
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body, other;
    desc.model = &at_one_address;
    desc.gravity[1] = -2;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    sn_world_step(world, 1.0 / 60);
    sn_body_destroy(body);
    at_one_address.young *= 2;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    assert_int_equal(sn_body_create(world, &desc, &other), SN_OK);
    for (int frame = 0; frame < 10; ++frame) {
        sn_mat3x4 bones[BONES];
        pose_at(frame / 60.0, bones);
        sn_body_set_pose(other, bones, BONES);
        sn_world_step(world, 1.0 / 60);
    }
    sn_world_destroy(world);
    end_recording(recorder);
    sn_replay *replay;
    sn_replay_report report;
    assert_int_equal(open_replay(&r, 1, &replay), SN_OK);
    for (int i = 0; i < 11; ++i) {
        assert_int_equal(sn_replay_step(replay, &report), SN_OK);
    }
    assert_int_equal(sn_replay_model_count(replay), 2);
    for (int number = 1; number <= 2; ++number) {
        assert_ptr_equal(sn_body_model(sn_replay_body(replay, number)), sn_replay_model(replay, 1));
    }
    sn_replay_destroy(&replay);
    free(r.words);
}

/* ---- recorders ---- */

static void a_recorder_has_one_world(void **state)
{
    (void)state;
    recording r = {0};
    sn_recorder *recorder = begin_recording(&r, false);
    sn_world_desc desc = sn_default_world_desc();
    sn_world_id first, second;
    desc.recorder = recorder;
    assert_int_equal(sn_world_create(&desc, &first), SN_OK);
    logged.errors = 0;
    assert_int_equal(sn_world_create(&desc, &second), SN_ERROR_ARGUMENT);
    assert_one_error("already records another world");
    sn_world_destroy(first);
    desc.step_limit = SN_RECORD_STEP_LIMIT + 1;
    assert_int_equal(sn_world_create(&desc, &second), SN_ERROR_ARGUMENT);
    desc.step_limit = 1;
    assert_int_equal(sn_world_create(&desc, &second), SN_OK);
    sn_world_step(second, 0.1);
    assert_int_equal(sn_recorder_finish(recorder), SN_OK);
    const size_t size = r.size;
    sn_world_step(second, 0.1); /* no more */
    assert_int_equal(r.size, size);
    sn_world_destroy(second);
    sn_recorder_destroy(&recorder);
    run_replay(&r, 1, 1);
    free(r.words);
}

static void a_full_disk_is_told_once(void **state)
{
    (void)state;
    recording r = {.limit = 8000};
    sn_recorder *recorder = begin_recording(&r, true);
    const sn_world_id world = make_recorded(recorder, 1);
    const sn_body_id body = make_body(world, 1);
    logged.errors = 0;
    for (int frame = 0; frame < 100; ++frame) {
        sn_mat3x4 bones[BONES];
        pose_at(frame / 60.0, bones);
        sn_body_set_pose(body, bones, BONES);
        sn_world_step(world, 1.0 / 60);
    }
    assert_one_error("could not be written");
    assert_int_equal(sn_recorder_finish(recorder), SN_ERROR_FILE);
    sn_world_destroy(world);
    sn_recorder_destroy(&recorder);
    refuse(&r, "the recording has no end");
    free(r.words);
}

static bool drop_bytes(const void *bytes, size_t size, void *user)
{
    (void)bytes;
    *(size_t *)user += size;
    return true;
}

/* After warm-up a recorded step allocates nothing either. */
static void recording_allocates_nothing(void **state)
{
    (void)state;
    size_t size = 0;
    const sn_recorder_desc desc = {.write = drop_bytes, .user = &size};
    sn_recorder *recorder;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    assert_int_equal(sn_recorder_create(&desc, &recorder), SN_OK);
    const sn_world_id world = make_recorded(recorder, 1);
    const sn_body_id body = make_body(world, 1);
    int before = 0;
    for (int frame = 0; frame < 20; ++frame) {
        sn_mat3x4 bones[BONES];
        pose_at(frame / 60.0, bones);
        sn_body_set_pose(body, bones, BONES);
        sn_world_step(world, 1.0 / 60);
        before = frame == 3 ? allocation_count : before;
    }
    assert_int_equal(allocation_count, before);
    assert_true(size > 20 * BONES * sizeof(sn_mat3x4));
    sn_world_destroy(world);
    sn_recorder_destroy(&recorder);
    sn_set_allocator(NULL, NULL, NULL);
}

int test_record(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(again_is_the_same),           cmocka_unit_test(what_is_drawn_is_there),
        cmocka_unit_test(cut_ones_are_refused),        cmocka_unit_test(changed_ones_are_refused),
        cmocka_unit_test(forged_ones_do_no_harm),      cmocka_unit_test(differences_are_told),
        cmocka_unit_test(models_are_given_or_refused), cmocka_unit_test(addresses_are_not_models),
        cmocka_unit_test(ends_tell_of_all_steps),      cmocka_unit_test(names_are_copied),
        cmocka_unit_test(a_recorder_has_one_world),    cmocka_unit_test(a_full_disk_is_told_once),
        cmocka_unit_test(recording_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
