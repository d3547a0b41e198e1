/* SPDX-License-Identifier: MIT */
/* A recording in memory, and replays of it. Include it after cmocka.h. */
#ifndef SN_TESTS_WORLD_RECORDED_H
#define SN_TESTS_WORLD_RECORDED_H

#include <stdlib.h>
#include <string.h>

#include "host/base/hash.h"
#include "host/world/record_format.h"
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

typedef struct forgery {
    int kind_count, differing, refused;
} forgery;

/* Its first steps. */
static inline void replay_forged(const recording *r, const sn_model *given, int step_count, forgery *done)
{
    const sn_replay_desc desc = {.name = "F.rec",
                                 .bytes = r->words,
                                 .size = r->size,
                                 .world = sn_default_world_desc(),
                                 .models = &given,
                                 .model_count = given != NULL};
    sn_replay *replay;
    sn_replay_report report = {0};
    sn_result result = sn_replay_create(&desc, &replay);
    for (int i = 0; i <= step_count && result == SN_OK && !report.is_over; ++i) {
        result = sn_replay_step(replay, &report);
    }
    done->refused += result != SN_OK;
    done->differing += replay && sn_replay_first_difference(replay) >= 0;
    sn_replay_destroy(&replay);
}

/* The first record of each kind with bytes of it changed, in turn, and a right checksum: no call is done that would
 * assert. */
static inline forgery forge_each_kind(recording *r, const sn_model *given)
{
    uint8_t *bytes = (uint8_t *)r->words;
    bool is_met[SN_RECORD_END] = {false};
    forgery done = {0};
    int step_count = 0;
    for (size_t at = sizeof(sn_record_head); at + 24 < r->size;) {
        uint32_t head[2];
        memcpy(head, bytes + at, sizeof head);
        const size_t body = at + sizeof head, some = head[1] < 240 ? head[1] : 240;
        assert_true(head[0] < SN_RECORD_END);
        for (size_t i = 0; i < some && !is_met[head[0]]; i += 3) {
            const uint8_t kept = bytes[body + i];
            bytes[body + i] = (uint8_t)(kept ^ (i % 2 ? 0x81 : 0x03));
            seal(r);
            replay_forged(r, given, step_count + 1, &done);
            bytes[body + i] = kept;
        }
        done.kind_count += !is_met[head[0]];
        is_met[head[0]] = true;
        step_count += head[0] == SN_RECORD_STEP;
        at = body + (head[1] + (size_t)7) / 8 * 8;
    }
    seal(r);
    return done;
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
