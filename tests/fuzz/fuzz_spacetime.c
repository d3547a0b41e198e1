/* SPDX-License-Identifier: MIT */
/* Fuzz target: the reader of sequence files; what it accepts is within its bounds, and its regions can be marked. */
#include "tests/fuzz/fuzz.h"
#include "tools/spacetime/sequence.h"

/* Painted ones name files. */
static bool has_paint(const sn_region *region)
{
    bool is_painted = region->type == SN_REGION_PAINT;
    for (int i = 0; i < region->count && region->parts; ++i) {
        is_painted = is_painted || has_paint(&region->parts[i]);
    }
    return is_painted;
}

static void mark(const sn_region *region)
{
    double positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const sn_tet_mesh mesh = {.vertex_count = 4, .positions = positions};
    bool is_in[4], masks[4 * (SN_REGION_DEPTH + 1)];
    if (!has_paint(region)) {
        (void)sn_region_select(&(sn_region_selector){"fuzz", &mesh, masks}, region, is_in);
    }
}

static void check_sequence(const sn_spacetime_file *s)
{
    SN_ASSERT(s->mesh || s->surface);
    SN_ASSERT(s->key_count >= 2 && s->key_count <= SN_SPACETIME_KEY_LIMIT);
    SN_ASSERT(s->keys[0].duration > 0 && s->keys[s->key_count - 2].duration > 0);
    SN_ASSERT(s->material.strain > 0 && s->material.density > 0 && s->damping >= 0);
    for (int i = 0; i < s->key_count; ++i) {
        SN_ASSERT(s->keys[i].sample_count >= 2 && s->keys[i].duration >= 0);
        mark(&s->keys[i].hold);
        mark(&s->keys[i].hold_velocity);
        for (int k = 0; k < s->keys[i].move_count; ++k) {
            mark(&s->keys[i].moves[k].region);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_source source = sn_fuzz_source(data, size);
    sn_arena arena = {0};
    sn_spacetime_file sequence;
    if (source.bytes && sn_spacetime_file_read(&source, &arena, &sequence) == SN_OK) {
        check_sequence(&sequence);
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}
