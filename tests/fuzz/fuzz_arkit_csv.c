/* SPDX-License-Identifier: MIT */
/* Fuzz target: the reader of recorded faces, and moments of what it has read. */
#include <math.h>

#include "author/io/motion/arkit_csv.h"
#include "runtime/puppet/face_recording.h"
#include "tests/fuzz/fuzz.h"

static void check(const sn_arkit_csv *csv)
{
    static sn_tracking tracking_frame;
    SN_ASSERT(csv->row_count > 0);
    for (int i = 0; i < csv->row_count; ++i) {
        SN_ASSERT(csv->seconds[i] >= (i > 0 ? csv->seconds[i - 1] : 0));
        for (int k = 0; k < SN_ARKIT_COLUMNS; ++k) {
            const float value = csv->values[i * SN_ARKIT_COLUMNS + k];
            SN_ASSERT(k < SN_ARKIT_COUNT ? value >= 0 && value <= 1 : fabsf(value) < 3.15F);
        }
    }
    sn_face_recording_sample(csv, 0.6 * csv->seconds[csv->row_count - 1], &tracking_frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_source source = sn_fuzz_source(data, size);
    sn_arena arena = {0};
    sn_arkit_csv csv;
    if (source.bytes && sn_arkit_csv_read(&source, &arena, &csv) == SN_OK) {
        check(&csv);
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}
