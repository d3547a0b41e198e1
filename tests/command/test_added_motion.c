/* SPDX-License-Identifier: MIT */
/* Motions that a model takes for one run: what their clips are, what they take, and that they share a limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "tests/support/log.h"
#include "tools/command/added_motion.h"

#define MASCOT SN_BINARY_DIR "/characters/mascot.glb"

enum { MOST = 40 };
static char names[MOST][16];
static sn_motion_source motions[MOST];

static void list_motions(void)
{
    for (int i = 0; i < MOST; ++i) {
        snprintf(names[i], sizeof names[i], "%d", i);
        motions[i] = (sn_motion_source){MASCOT, i == 1 ? NULL : names[i]};
    }
}

/* The mascot, for coupled bodies: without modes it is cooked soon. */
static sn_model *load(sn_cook_context *k)
{
    sn_model *model = NULL;
    sn_cook_desc desc = sn_default_cook_desc();
    desc.tet_vertex_count = 1000;
    desc.is_coupled = true;
    *k = (sn_cook_context){.path = NULL};
    assert_int_equal(sn_cook_context_run(k, MASCOT, &desc), SN_OK);
    assert_int_equal(sn_model_load(k->bytes, k->size, &model), SN_OK);
    return model;
}

/* Its own first clip, many times over, beside its own: no more memory than twice what all have, as arenas double. */
static void they_are_extended_once(void **state)
{
    (void)state;
    sn_cook_context k;
    sn_arena arena = {0};
    sn_model *model = load(&k);
    sn_motion_limit limit = SN_MOTION_LIMIT;
    const int own = model->counts.clip_count, first = model->clip_frame_counts[0];
    const size_t frames = (size_t)model->counts.clip_frame_total;
    const size_t width = 12 * (size_t)model->counts.bone_count, before = sn_allocated_bytes();
    list_motions();
    assert_int_equal(sn_motion_clips_add(motions, MOST, "a model", &limit, &arena, model), SN_OK);
    assert_int_equal(model->counts.clip_count, own + MOST);
    assert_int_equal(model->counts.clip_frame_total, frames + MOST * (size_t)first);
    const size_t all =
        (size_t)model->counts.clip_frame_total * (width + (size_t)model->counts.morph_track_count) * sizeof(float);
    assert_in_range(sn_allocated_bytes() - before, all, 2 * all + (1 << 20));
    assert_int_equal(SN_MOTION_LIMIT.bytes - limit.bytes, MOST * (size_t)first * width * sizeof(double));
    for (int i = 0; i < MOST; ++i) {
        const float *poses = model->clip_transforms + (frames + (size_t)(i * first)) * width;
        assert_int_equal(model->clip_frame_counts[own + i], first);
        assert_int_equal(sn_model_find_clip(model, i == 1 ? "mascot.idle" : names[i]), own + i);
        assert_memory_equal(poses, model->clip_transforms + frames * width, (size_t)first * width * 4);
    }
    sn_model_release(model);
    sn_arena_finish(&arena);
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Room for two: the third, or the first of the next call, is too many, and the model is as it was. */
static void they_share_a_limit(void **state)
{
    (void)state;
    sn_cook_context k;
    sn_arena arena = {0};
    sn_model *model = load(&k);
    sn_motion_limit limit = SN_MOTION_LIMIT;
    list_motions();
    assert_int_equal(sn_motion_clips_add(motions, 1, "a model", &limit, &arena, model), SN_OK);
    const int64_t one = SN_MOTION_LIMIT.bytes - limit.bytes;
    const int clips = model->counts.clip_count;
    limit.bytes = 4 * one; /* its own joints, and more nodes, are in memory besides */
    begin_log();
    assert_int_equal(sn_motion_clips_add(motions + 2, MOST - 2, "a model", &limit, &arena, model),
                     SN_ERROR_UNSUPPORTED);
    assert_one_error("all poses exceed 2048 MiB");
    assert_int_equal(model->counts.clip_count, clips);
    assert_int_equal(limit.bytes, 2 * one);
    begin_log();
    assert_int_equal(sn_motion_clips_add(motions + 2, 1, "a model", &limit, &arena, model), SN_ERROR_UNSUPPORTED);
    sn_set_log(NULL, NULL);
    sn_model_release(model);
    sn_arena_finish(&arena);
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_added_motion(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(they_are_extended_once), cmocka_unit_test(they_share_a_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
