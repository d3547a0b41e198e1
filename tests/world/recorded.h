/* SPDX-License-Identifier: MIT */
/* A recording in memory, and replays of it. Include it after cmocka.h. */
#ifndef SN_TESTS_WORLD_RECORDED_H
#define SN_TESTS_WORLD_RECORDED_H

#include <stdlib.h>
#include <string.h>

#include "host/base/hash.h"
#include "sinew/record.h"

typedef struct recording {
    uint64_t *words; /* aligned as replays want it */
    size_t size, room;
    size_t limit; /* writing fails beyond it; 0: never */
} recording;

static inline bool keep_bytes(const void *bytes, size_t size, void *user)
{
    recording *r = user;
    if (r->limit > 0 && r->size + size > r->limit) {
        return false;
    }
    if (r->size + size > r->room) {
        r->room = 2 * (r->size + size);
        r->words = realloc(r->words, r->room);
        assert_non_null(r->words);
    }
    memcpy((uint8_t *)r->words + r->size, bytes, size);
    r->size += size;
    return true;
}

static inline sn_recorder *begin_recording(recording *r, bool is_without_models)
{
    const sn_recorder_desc desc = {
        .write = keep_bytes, .user = r, .note = "a test", .is_without_models = is_without_models};
    sn_recorder *recorder;
    assert_int_equal(sn_recorder_create(&desc, &recorder), SN_OK);
    return recorder;
}

static inline void end_recording(sn_recorder *recorder)
{
    assert_int_equal(sn_recorder_finish(recorder), SN_OK);
    sn_recorder_destroy(&recorder);
}

/* After bytes were changed on purpose: as if they had been written so. */
static inline void seal(recording *r)
{
    uint8_t *bytes = (uint8_t *)r->words;
    const uint64_t hash = sn_hash(SN_HASH_SEED, bytes, r->size - 8);
    memcpy(bytes + r->size - 8, &hash, sizeof hash);
}

static inline sn_result open_replay(const recording *r, int workers, sn_replay **replay)
{
    sn_replay_desc desc = {.name = "F.rec", .bytes = r->words, .size = r->size, .world = sn_default_world_desc()};
    desc.world.worker_count = workers;
    return sn_replay_create(&desc, replay);
}

/* All of it. The hash of the last step. */
static inline uint64_t run_replay(const recording *r, int workers, int step_count)
{
    sn_replay *replay;
    sn_replay_report report = {0};
    uint64_t hash = 0;
    int steps = 0;
    assert_int_equal(open_replay(r, workers, &replay), SN_OK);
    assert_int_equal(sn_replay_step_count(replay), step_count);
    assert_string_equal(sn_replay_note(replay), "a test");
    assert_string_equal(sn_replay_version(replay), SN_VERSION_STRING);
    while (!report.is_over) {
        assert_int_equal(sn_replay_step(replay, &report), SN_OK);
        steps += !report.is_over;
        hash = report.is_over ? hash : report.hash;
    }
    assert_int_equal(steps, step_count);
    assert_int_equal(sn_replay_first_difference(replay), -1);
    sn_replay_destroy(&replay);
    return hash;
}

#endif
