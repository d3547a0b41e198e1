/* SPDX-License-Identifier: MIT */
/* Fuzz target: the lattice of a picture. The first bytes say its width and how many vertices, the others are alphas. */
#include "author/mesher/picture.h"
#include "tests/fuzz/fuzz.h"

#define MOST_PIXELS 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4 || size > MOST_PIXELS) {
        return 0;
    }
    const int width = data[0] + 1, height = (int)(size - 3) / width;
    const size_t count = (size_t)width * (size_t)height;
    uint8_t *pixels = height > 0 ? calloc(count, 4) : NULL;
    if (!pixels) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        pixels[4 * i + 3] = data[3 + i];
    }
    const sn_picture_input input = {"fuzz", width, height, pixels, 256 * data[1] + data[2]};
    sn_arena arena = {0};
    sn_picture_mesh m;
    if (sn_picture_mesh_build(&input, &arena, &m) == SN_OK) {
        SN_ASSERT(m.vertex_count >= 3 && m.triangle_count > 0 && m.piece_count >= 1);
        SN_ASSERT(m.piece_count <= m.island_count);
        for (int i = 0; i < 3 * m.triangle_count; i++) {
            SN_ASSERT(m.triangles[i] >= 0 && m.triangles[i] < m.vertex_count);
        }
        for (int t = 0; t < m.triangle_count; t++) {
            SN_ASSERT(m.segment_starts[t] < m.segment_starts[t + 1]);
            SN_ASSERT(t == 0 || m.cells[t] >= m.cells[t - 1]);
        }
        for (int i = 0; i < m.segment_starts[m.triangle_count]; i++) {
            const sn_picture_segment *s = &m.segments[i];
            SN_ASSERT(s->row >= 0 && s->row < height && s->first >= 0 && s->first <= s->last && s->last < width);
        }
    }
    sn_arena_finish(&arena);
    free(pixels);
    return 0;
}
