/* SPDX-License-Identifier: MIT */
/* Pictures of recordings: what is drawn of colliders takes no more memory, however often their shapes change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "runtime/view/replay_view.h"
#include "tests/support/render_fixture.h"
#include "tests/world/recorded.h"

#define STEPS 24

static sn_recorder *record_changes(recording *r, const sn_model *model)
{
    sn_recorder *recorder = begin_recording(r, false);
    sn_world_desc world_desc = sn_default_world_desc();
    sn_body_desc body_desc = sn_default_body_desc();
    sn_collider_desc desc = sn_default_collider_desc();
    sn_world_id world;
    sn_body_id body;
    sn_collider_id collider;
    world_desc.worker_count = 1;
    world_desc.recorder = recorder;
    body_desc.model = model;
    desc.shape = SN_COLLIDER_SPHERE;
    desc.transform.m[0][3] = 3;
    assert_int_equal(sn_world_create(&world_desc, &world), SN_OK);
    assert_int_equal(sn_body_create(world, &body_desc, &body), SN_OK);
    assert_int_equal(sn_collider_create(world, &desc, &collider), SN_OK);
    for (int i = 0; i < STEPS; ++i) {
        desc.radius = 0.1 + 0.01 * (i % 2);
        assert_int_equal(sn_collider_set_desc(collider, &desc), SN_OK);
        sn_world_step(world, 1.0 / 60);
    }
    sn_world_destroy(world);
    return recorder;
}

static void shapes_that_change_take_no_more(void **state)
{
    (void)state;
    fixture f = open_fixture(64, 48);
    recording r = {0};
    sn_model *model;
    sn_replay *replay;
    sn_replay_view *view = NULL;
    sn_replay_report report;
    size_t bytes = 0;
    assert_int_equal(sn_model_open(SN_SOURCE_DIR "/tests/golden/bar.sinew", &model), SN_OK);
    end_recording(record_changes(&r, model));
    assert_int_equal(open_replay(&r, 1, &replay), SN_OK);
    for (int i = 0; i < STEPS; ++i) {
        assert_int_equal(sn_replay_step(replay, &report), SN_OK);
        assert_int_equal(view ? sn_replay_view_update(view) : sn_replay_view_create(replay, f.renderer, &view), SN_OK);
        bytes = i == 3 ? sn_allocated_bytes() : bytes;
    }
    assert_int_equal(sn_allocated_bytes(), bytes);
    sn_replay_view_destroy(&view);
    sn_replay_destroy(&replay);
    sn_model_release(model);
    free(r.words);
    close_fixture(&f);
}

int test_replay_view(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_that_change_take_no_more)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
