/* SPDX-License-Identifier: MIT */
/* Any bytes as a recording; its end and its hash are set right, so that the checks behind them are reached. */
#include <stdlib.h>
#include <string.h>

#include "host/base/hash.h"
#include "host/world/record_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define STEPS 4 /* of what may be long */

static void play(const uint8_t *bytes, size_t size)
{
    const sn_replay_desc desc = {.bytes = bytes, .size = size, .world = sn_default_world_desc()};
    sn_replay *replay = NULL;
    sn_replay_report report = {0};
    sn_collider_desc collider;
    if (sn_replay_create(&desc, &replay) != SN_OK) {
        return;
    }
    for (int i = 0; i < STEPS && !report.is_over && sn_replay_step(replay, &report) == SN_OK; ++i) {
        for (int b = 1; b <= sn_replay_body_count(replay); ++b) {
            const sn_body_id body = sn_replay_body(replay, b);
            if (sn_body_is_valid(body)) {
                (void)sn_body_output(body);
            }
        }
        for (int c = 1; c <= sn_replay_collider_count(replay); ++c) {
            (void)sn_replay_collider(replay, c, &collider);
        }
    }
    sn_replay_destroy(&replay);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = aligned_alloc(8, (size + 7) / 8 * 8 + 8);
    if (!copy) {
        return 0;
    }
    if (size > 0) {
        memcpy(copy, data, size);
    }
    play(copy, size);
    size = size / 8 * 8;
    if (size >= 56) {
        const uint32_t end[2] = {SN_RECORD_END, 16};
        memcpy(copy + size - 24, end, sizeof end);
        const uint64_t hash = sn_hash(SN_HASH_SEED, copy, size - 8);
        memcpy(copy + size - 8, &hash, sizeof hash);
        play(copy, size);
    }
    free(copy);
    return 0;
}
