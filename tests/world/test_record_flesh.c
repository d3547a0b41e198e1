/* SPDX-License-Identifier: MIT */
/* Recordings of coupled and layered bodies: locks, tears, springs, other rigs, flesh that is drawn. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sinew/surface.h"
#include "tests/support/coupled_bar.h"
#include "tests/world/recorded.h"

#define FRAMES 30

static const sn_model *cook_middle(const sn_model *of)
{
    const sn_cook_handle handles[2] = {point("head", 0, 0.25, 0.25), point("middle", LENGTH / 2, 0.25, 0.25)};
    const sn_cook_rig_desc desc = {.handles = {.count = 2, .handles = handles}};
    sn_blob blob;
    assert_int_equal(sn_cook_rig(of, &desc, &blob), SN_OK);
    return keep(blob);
}

static void play(sn_world_id world, sn_body_id body, const sn_model *middle, const sn_embedding *embedding, int frame)
{
    const sn_mat3x4 pose = turned(0.3 * sin(0.2 * frame), 0);
    const double tail[3] = {LENGTH, 0.2, 0.2}, up[3] = {LENGTH, 0.6, 0.3}, torn[3] = {1.2, 0.5, 0.5};
    const sn_grab_desc grab = sn_default_grab_desc();
    sn_body_set_bone_pose(body, 0, &pose);
    if (frame == 2) {
        sn_body_set_locks(body, 1, 0);
        sn_body_set_compliance(body, 1, 1e-3);
    } else if (frame == 4) {
        assert_true(sn_body_grab(body, tail, &grab) >= 0);
        sn_body_drag(body, 0, up);
    } else if (frame == 8) {
        assert_true(sn_body_tear(body, torn, 0.3) > 0);
        assert_true(sn_body_add_spring(body, 3, 70, -1, 500) >= 0);
    } else if (frame == 16) {
        assert_int_equal(sn_body_repair(body), SN_OK);
        sn_body_remove_spring(body, 0);
    } else if (frame == 20) {
        assert_int_equal(sn_body_set_model(body, middle), SN_OK);
    } else if (frame == 22) {
        assert_int_equal(sn_body_set_embedding(body, embedding), SN_OK);
    }
    sn_world_step(world, 1.3 * STEP);
}

static void coupled_ones_are_the_same(void **state)
{
    (void)state;
    recording r = {0};
    const sn_model *model = cook_ends(), *middle = cook_middle(model);
    sn_embedding *embedding;
    sn_recorder *recorder = begin_recording(&r, false);
    sn_world_desc desc = sn_default_world_desc();
    sn_world_id world;
    double places[3 * 81], again[3 * 81];
    desc.recorder = recorder;
    desc.worker_count = 2;
    assert_int_equal(sn_embedding_create(middle, &embedding), SN_OK);
    assert_int_equal(sn_world_create(&desc, &world), SN_OK);
    const sn_body_id body = make_body(world, model, down), other = make_body(world, model, down);
    (void)other;
    for (int frame = 0; frame < FRAMES; ++frame) {
        play(world, body, middle, embedding, frame);
    }
    sn_body_tet_positions(body, places, 81);
    sn_world_destroy(world);
    sn_embedding_destroy(&embedding);
    end_recording(recorder);
    assert_true(run_replay(&r, 1, FRAMES) == run_replay(&r, 4, FRAMES));

    sn_replay *replay;
    sn_replay_report report = {0};
    assert_int_equal(open_replay(&r, 1, &replay), SN_OK);
    for (int i = 0; i < FRAMES; ++i) {
        assert_int_equal(sn_replay_step(replay, &report), SN_OK);
    }
    sn_body_tet_positions(sn_replay_body(replay, 1), again, 81);
    assert_memory_equal(places, again, sizeof places);
    assert_non_null(sn_body_embedding(sn_replay_body(replay, 1)));
    assert_int_equal(sn_replay_model_count(replay), 2);
    sn_replay_destroy(&replay);
    const forgery done = forge_each_kind(&r, NULL);
    assert_true(done.kind_count >= 15 && done.differing > 10 && done.refused > 10);
    free(r.words);
}

static void layered_ones_are_the_same(void **state)
{
    (void)state;
    recording r = {0};
    sn_cook_desc cook = sn_default_cook_desc();
    const sn_cook_handle ends[2] = {{.shape = SN_HANDLE_SHAPE_BONE,
                                     .name = "head",
                                     .parent = -1,
                                     .start = {0, 0.25, 0.25},
                                     .end = {0.5, 0.25, 0.25}},
                                    {.shape = SN_HANDLE_SHAPE_BONE,
                                     .name = "tail",
                                     .parent = 0,
                                     .start = {1.5, 0.25, 0.25},
                                     .end = {2, 0.25, 0.25}}};
    const sn_cook_handles list = {.count = 2, .handles = ends};
    sn_blob blob;
    cook.units = SN_UNITS_KEEP;
    cook.is_layered = true;
    cook.handles = &list;
    assert_int_equal(cook_tets(&cook, &blob), SN_OK);
    sn_body_desc body_desc = sn_default_body_desc();
    body_desc.model = keep(blob);
    body_desc.solver = SN_SOLVER_LAYERED;
    body_desc.gravity[1] = -10;
    sn_recorder *recorder = begin_recording(&r, false);
    sn_world_desc desc = sn_default_world_desc();
    sn_world_id world;
    desc.recorder = recorder;
    assert_int_equal(sn_world_create(&desc, &world), SN_OK);
    const sn_body_id body = create_body(world, &body_desc);
    for (int frame = 0; frame < FRAMES; ++frame) {
        const sn_mat3x4 pose = turned(0.3 * sin(0.2 * frame), 0);
        sn_body_set_bone_pose(body, 1, &pose);
        sn_world_step(world, STEP);
    }
    sn_world_destroy(world);
    end_recording(recorder);
    assert_true(run_replay(&r, 1, FRAMES) == run_replay(&r, 3, FRAMES));
    free(r.words);
}

int test_record_flesh(void)
{
    const struct CMUnitTest tests[] = {COUPLED_TEST(coupled_ones_are_the_same),
                                       COUPLED_TEST(layered_ones_are_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
