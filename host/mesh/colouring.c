/* SPDX-License-Identifier: MIT */
#include "host/mesh/colouring.h"

#include <string.h>

static uint64_t *set_of(const sn_colouring *c, int32_t vertex)
{
    return c->used + (size_t)vertex * (size_t)c->word_count;
}

/* Adds one word per vertex. */
static sn_result grow(sn_colouring *c)
{
    const size_t vertices = (size_t)c->vertex_count, words = (size_t)c->word_count;
    uint64_t *used = sn_alloc(vertices * (words + 1), sizeof *used);
    int32_t *sizes = sn_alloc(64 * (words + 1), sizeof *sizes);
    if (!used || !sizes) {
        sn_free(used, vertices * (words + 1), sizeof *used);
        sn_free(sizes, 64 * (words + 1), sizeof *sizes);
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < vertices && words > 0; ++v) {
        memcpy(used + v * (words + 1), c->used + v * words, words * sizeof *used);
    }
    if (words > 0) {
        memcpy(sizes, c->sizes, 64 * words * sizeof *sizes);
    }
    sn_free(c->used, vertices * words, sizeof *used);
    sn_free(c->sizes, 64 * words, sizeof *sizes);
    c->used = used;
    c->sizes = sizes;
    ++c->word_count;
    return SN_OK;
}

sn_result sn_colouring_init(sn_colouring *c, int vertex_count, int colour_limit)
{
    *c = (sn_colouring){.vertex_count = vertex_count, .colour_limit = colour_limit};
    return grow(c);
}

void sn_colouring_finish(sn_colouring *c)
{
    sn_free(c->used, (size_t)c->vertex_count * (size_t)c->word_count, sizeof *c->used);
    sn_free(c->sizes, 64 * (size_t)c->word_count, sizeof *c->sizes);
    *c = (sn_colouring){0};
}

/* Returns 64 word_count if all are used. */
static int lowest_free(const sn_colouring *c, const int32_t *vertices, int count)
{
    for (int word = 0; word < c->word_count; ++word) {
        uint64_t used_colours = 0;
        for (int k = 0; k < count; ++k) {
            used_colours |= vertices[k] >= 0 ? set_of(c, vertices[k])[word] : 0;
        }
        if (~used_colours) {
            return 64 * word + __builtin_ctzll(~used_colours);
        }
    }
    return 64 * c->word_count;
}

sn_result sn_colouring_add(sn_colouring *c, const int32_t *vertices, int count, int32_t *colour)
{
    const int chosen = lowest_free(c, vertices, count);
    *colour = SN_COLOUR_SERIAL;
    if (c->colour_limit > 0 && chosen >= c->colour_limit) {
        ++c->serial_count;
        return SN_OK;
    }
    if (chosen == 64 * c->word_count && grow(c) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    for (int k = 0; k < count; ++k) {
        if (vertices[k] >= 0) {
            set_of(c, vertices[k])[chosen / 64] |= UINT64_C(1) << (chosen % 64);
        }
    }
    ++c->sizes[chosen];
    c->colour_count = chosen >= c->colour_count ? chosen + 1 : c->colour_count;
    *colour = chosen;
    return SN_OK;
}

void sn_colouring_remove(sn_colouring *c, const int32_t *vertices, int count, int32_t colour)
{
    if (colour == SN_COLOUR_SERIAL) {
        --c->serial_count;
        return;
    }
    SN_ASSERT(colour >= 0 && colour < c->colour_count && c->sizes[colour] > 0);
    for (int k = 0; k < count; ++k) {
        if (vertices[k] >= 0) {
            set_of(c, vertices[k])[colour / 64] &= ~(UINT64_C(1) << (colour % 64));
        }
    }
    --c->sizes[colour];
    while (c->colour_count > 0 && c->sizes[c->colour_count - 1] == 0) {
        --c->colour_count;
    }
}

sn_result sn_colouring_add_all(sn_colouring *c, const int32_t *vertices, int corner_count, int constraint_count,
                               int32_t *colours)
{
    for (int i = 0; i < constraint_count; ++i) {
        const sn_result result =
            sn_colouring_add(c, vertices + (size_t)corner_count * (size_t)i, corner_count, &colours[i]);
        if (result != SN_OK) {
            return result;
        }
    }
    return SN_OK;
}

void sn_colours_sort(const int32_t *colours, int constraint_count, int colour_count, int32_t *starts, int32_t *order)
{
    memset(starts, 0, ((size_t)colour_count + 2) * sizeof *starts);
    for (int i = 0; i < constraint_count; ++i) {
        const int at = colours[i] == SN_COLOUR_SERIAL ? colour_count : colours[i];
        ++starts[at + 1];
    }
    for (int c = 0; c <= colour_count; ++c) {
        starts[c + 1] += starts[c];
    }
    for (int i = 0; i < constraint_count; ++i) {
        const int at = colours[i] == SN_COLOUR_SERIAL ? colour_count : colours[i];
        order[starts[at]++] = i;
    }
    memmove(starts + 1, starts, ((size_t)colour_count + 1) * sizeof *starts);
    starts[0] = 0;
}
