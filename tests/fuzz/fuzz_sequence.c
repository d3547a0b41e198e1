/* SPDX-License-Identifier: MIT */
/* Fuzz target: the reader of sequences of shapes; what it accepts can be used. */
#include <math.h>

#include "tools/fourier/sequence_json.h"

#include "tests/fuzz/fuzz.h"

static void check_sequence(const sn_sequence_file *s)
{
    SN_ASSERT(s->character && s->key_count >= 2 && s->key_count <= SN_FOURIER_SEGMENT_LIMIT + 1);
    SN_ASSERT(s->fit.harmonic_count >= 0 && s->fit.harmonic_count <= SN_FOURIER_HARMONIC_LIMIT);
    SN_ASSERT(s->fit.curve_spacing > 0 && s->fit.snap >= 0 && s->fit.snap < 0.5 && s->frame_rate >= 1);
    for (int i = 0; i < s->key_count; i++) {
        const sn_sequence_key *key = &s->keys[i];
        SN_ASSERT(key->seconds >= 0 && (i == 0 || key->seconds > s->keys[i - 1].seconds));
        SN_ASSERT(!(key->clip && key->has_pose) && isfinite(key->clip_seconds));
        for (int k = 0; k < key->joint_count; k++) {
            SN_ASSERT(key->joints[k].node);
        }
    }
    for (int i = 0; i < s->check_count; i++) {
        SN_ASSERT(s->checks[i].shape && isfinite(s->checks[i].seconds));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_source source = sn_fuzz_source(data, size);
    sn_arena arena = {0};
    sn_sequence_file sequence;
    if (!source.bytes) {
        return 0;
    }
    if (sn_sequence_json_read(&source, &arena, &sequence) == SN_OK) {
        check_sequence(&sequence);
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}
