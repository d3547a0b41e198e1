/* SPDX-License-Identifier: MIT */
/* Finds runs, their islands by union-find over rows, and the bridges between islands. A coarse map of blocks is flooded
 * from all islands at once; where two fronts meet is a candidate bridge. Kruskal's algorithm chooses the shortest. */
#include "author/mesher/picture_runs.h"

#include <stdlib.h>
#include <string.h>

#include "author/mesher/sets.h"

/* 25%: includes the half-covered edge pixels of smooth pictures, but not faint halos. */
#define MIN_ALPHA 64
#define MAP_SIDE 1024
#define MAX_BRIDGE_LENGTH 0.25 /* max. length of a bridge, as a fraction of the diagonal */

/* States of a mask pixel. */
enum { EMPTY, OPAQUE, BRIDGE };

static void make_mask(const sn_picture_input *input, uint8_t *mask)
{
    const size_t count = (size_t)input->width * (size_t)input->height;
    for (size_t i = 0; i < count; ++i) {
        mask[i] = input->pixels[4 * i + 3] >= MIN_ALPHA ? OPAQUE : EMPTY;
    }
}

/* Returns the end of the span of empty or of filled pixels that begins at x. */
static int span_end(const uint8_t *row, int x, int width)
{
    const bool is_filled = row[x] != EMPTY;
    while (x < width && (row[x] != EMPTY) == is_filled) {
        ++x;
    }
    return x;
}

static int count_runs(const sn_picture_input *input, const uint8_t *mask)
{
    int64_t count = 0;
    for (int y = 0; y < input->height; ++y) {
        const uint8_t *row = mask + (size_t)y * (size_t)input->width;
        for (int x = 0; x < input->width;) {
            count += row[x] != EMPTY;
            x = span_end(row, x, input->width);
        }
    }
    return count < INT32_MAX ? (int)count : -1;
}

static sn_result find_runs(const sn_picture_input *input, const uint8_t *mask, sn_arena *arena, sn_picture_runs *runs)
{
    const int count = count_runs(input, mask);
    if (count == 0) {
        return sn_fail(SN_ERROR_FORMAT, "%s: pixels: none is opaque; draw the figure on a transparent background",
                       input->name);
    }
    if (count < 0) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: pixels: too many separate runs; simplify the picture", input->name);
    }
    *runs = (sn_picture_runs){.name = input->name,
                              .row_count = input->height,
                              .count = 0,
                              .starts = SN_NEW(arena, int32_t, input->height + 1),
                              .runs = SN_NEW(arena, sn_picture_segment, count),
                              .islands = SN_NEW(arena, int32_t, count),
                              .low = {INT32_MAX, INT32_MAX},
                              .high = {-1, -1}};
    if (!runs->starts || !runs->runs || !runs->islands) {
        return SN_ERROR_MEMORY;
    }
    for (int y = 0; y < input->height; ++y) {
        const uint8_t *row = mask + (size_t)y * (size_t)input->width;
        for (int x = 0; x < input->width;) {
            const int end = span_end(row, x, input->width);
            if (row[x] != EMPTY) {
                runs->runs[runs->count++] = (sn_picture_segment){y, x, end - 1};
                runs->pixel_count += end - x;
                runs->low[0] = x < runs->low[0] ? x : runs->low[0];
                runs->high[0] = end > runs->high[0] + 1 ? end - 1 : runs->high[0];
                runs->low[1] = y < runs->low[1] ? y : runs->low[1];
                runs->high[1] = y;
            }
            x = end;
        }
        runs->starts[y + 1] = runs->count;
    }
    return SN_OK;
}

/* Pixels touch at corners, too. */
static bool do_touch(const sn_picture_segment *a, const sn_picture_segment *b)
{
    return a->first <= b->last + 1 && b->first <= a->last + 1;
}

/* Numbers the islands in the order of their first runs. parents (count) is scratch. */
static int label_islands(const sn_picture_runs *runs, int32_t *parents, int32_t *labels)
{
    int island_count = 0;
    sn_sets_start(parents, runs->count);
    for (int y = 1; y < runs->row_count; ++y) {
        int above = runs->starts[y - 1], below = runs->starts[y];
        while (above < runs->starts[y] && below < runs->starts[y + 1]) {
            const sn_picture_segment *a = &runs->runs[above], *b = &runs->runs[below];
            if (do_touch(a, b)) {
                sn_sets_union(parents, above, below);
            }
            if (a->last < b->last) {
                ++above;
            } else {
                ++below;
            }
        }
    }
    for (int32_t i = 0; i < runs->count; ++i) {
        const int32_t root = sn_sets_find(parents, i); /* the lowest of its set, which is already labelled */
        labels[i] = root == i ? island_count++ : labels[root];
    }
    return island_count;
}

/* ---- bridges ---- */

typedef struct source_pixel {
    int32_t x, y, island; /* island -1: not reached yet */
} source_pixel;

/* A candidate bridge between two islands. */
typedef struct bridge {
    source_pixel from, to;
    int64_t length; /* squared */
} bridge;

typedef struct map {
    int block, columns, rows;
    source_pixel *sources; /* (rows x columns) nearest pixel of the front that reached the block */
    int32_t *queue;        /* (rows x columns) blocks */
    int queue_count;
    bridge *bridges;
    size_t bridge_count, bridge_capacity;
    int64_t max_length; /* squared */
    sn_arena *arena;
} map;

static sn_result add_bridge(map *m, const source_pixel *from, const source_pixel *to)
{
    const int64_t x = to->x - from->x, y = to->y - from->y, length = x * x + y * y;
    if (from->island == to->island || length > m->max_length) {
        return SN_OK;
    }
    if (m->bridge_count == m->bridge_capacity) {
        const size_t capacity = 2 * m->bridge_capacity + 1024;
        bridge *larger = SN_NEW(m->arena, bridge, capacity);
        if (!larger) {
            return SN_ERROR_MEMORY;
        }
        if (m->bridge_count > 0) {
            memcpy(larger, m->bridges, m->bridge_count * sizeof *larger);
        }
        m->bridges = larger;
        m->bridge_capacity = capacity;
    }
    m->bridges[m->bridge_count++] = (bridge){*from, *to, length};
    return SN_OK;
}

/* Assigns each block to the first island found in it. Any other island in the block gives a candidate bridge. */
static sn_result seed_map(map *m, const sn_picture_runs *runs, const int32_t *labels)
{
    for (int i = 0; i < runs->count; ++i) {
        const sn_picture_segment *run = &runs->runs[i];
        for (int column = run->first / m->block; column <= run->last / m->block; ++column) {
            const int x = column * m->block > run->first ? column * m->block : run->first;
            const int index = run->row / m->block * m->columns + column;
            const source_pixel here = {x, run->row, labels[i]};
            if (m->sources[index].island < 0) {
                m->sources[index] = here;
                m->queue[m->queue_count++] = index;
            } else {
                SN_TRY(add_bridge(m, &m->sources[index], &here));
            }
        }
    }
    return SN_OK;
}

static sn_result flood_map(map *m)
{
    for (int next = 0; next < m->queue_count; ++next) {
        const int at = m->queue[next], row = at / m->columns, column = at % m->columns;
        for (int i = 0; i < 9; ++i) {
            const int y = row + i / 3 - 1, x = column + i % 3 - 1, to = y * m->columns + x;
            if (y < 0 || y >= m->rows || x < 0 || x >= m->columns) {
                continue;
            }
            if (m->sources[to].island < 0) {
                m->sources[to] = m->sources[at];
                m->queue[m->queue_count++] = to;
            } else {
                SN_TRY(add_bridge(m, &m->sources[at], &m->sources[to]));
            }
        }
    }
    return SN_OK;
}

static int by_length(const void *left, const void *right)
{
    const bridge *a = left, *b = right;
    const int64_t keys[][2] = {
        {a->length, b->length}, {a->from.y, b->from.y}, {a->from.x, b->from.x}, {a->to.y, b->to.y}, {a->to.x, b->to.x}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        if (keys[i][0] != keys[i][1]) {
            return keys[i][0] < keys[i][1] ? -1 : 1;
        }
    }
    return 0;
}

/* Draws a connected line of pixels between two points. */
static void draw_line(uint8_t *mask, int width, const source_pixel *from, const source_pixel *to)
{
    const int x = to->x - from->x, y = to->y - from->y;
    const int count = abs(x) > abs(y) ? abs(x) : abs(y);
    for (int i = 0; i <= count; ++i) {
        const int column = from->x + (count > 0 ? (2 * i * x + (x < 0 ? -count : count)) / (2 * count) : 0);
        const int row = from->y + (count > 0 ? (2 * i * y + (y < 0 ? -count : count)) / (2 * count) : 0);
        uint8_t *pixel = &mask[(size_t)row * (size_t)width + (size_t)column];
        *pixel = *pixel == EMPTY ? BRIDGE : *pixel;
    }
}

/* Draws the bridges into the mask. Returns the number of remaining components, or -1 if memory runs out. */
static int build_bridges(const sn_picture_input *input, const sn_picture_runs *runs, const int32_t *labels,
                         int island_count, sn_arena *scratch, uint8_t *mask)
{
    const int side = input->width > input->height ? input->width : input->height;
    const int64_t width = runs->high[0] - runs->low[0] + 1, height = runs->high[1] - runs->low[1] + 1;
    map m = {.block = (side + MAP_SIDE - 1) / MAP_SIDE, .arena = scratch};
    m.columns = (input->width + m.block - 1) / m.block;
    m.rows = (input->height + m.block - 1) / m.block;
    m.max_length = (int64_t)(MAX_BRIDGE_LENGTH * MAX_BRIDGE_LENGTH * (double)(width * width + height * height));
    const size_t count = (size_t)m.columns * (size_t)m.rows;
    m.sources = SN_NEW(scratch, source_pixel, count);
    m.queue = SN_NEW(scratch, int32_t, count);
    int32_t *parents = SN_NEW(scratch, int32_t, island_count);
    if (!m.sources || !m.queue || !parents) {
        return -1;
    }
    memset(m.sources, -1, count * sizeof *m.sources);
    if (seed_map(&m, runs, labels) != SN_OK || flood_map(&m) != SN_OK) {
        return -1;
    }
    if (m.bridge_count > 0) {
        qsort(m.bridges, m.bridge_count, sizeof *m.bridges, by_length);
    }
    sn_sets_start(parents, island_count);
    int piece_count = island_count;
    for (size_t i = 0; i < m.bridge_count; ++i) {
        const bridge *c = &m.bridges[i];
        if (sn_sets_union(parents, c->from.island, c->to.island)) {
            draw_line(mask, input->width, &c->from, &c->to);
            --piece_count;
        }
    }
    return piece_count;
}

/* Assigns islands to the runs that bridges have extended. */
static void inherit_islands(const sn_picture_runs *old, const int32_t *labels, sn_picture_runs *runs)
{
    for (int y = 0; y < runs->row_count; ++y) {
        int from = old->starts[y];
        for (int i = runs->starts[y]; i < runs->starts[y + 1]; ++i) {
            runs->islands[i] = -1;
            for (; from < old->starts[y + 1] && old->runs[from].first <= runs->runs[i].last; ++from) {
                runs->islands[i] = runs->islands[i] < 0 ? labels[from] : runs->islands[i];
            }
        }
    }
}

static sn_result build(const sn_picture_input *input, sn_arena *arena, sn_arena *scratch, sn_picture_runs *runs)
{
    const size_t count = (size_t)input->width * (size_t)input->height;
    uint8_t *mask = SN_NEW(scratch, uint8_t, count);
    sn_picture_runs first;
    if (!mask) {
        return SN_ERROR_MEMORY;
    }
    make_mask(input, mask);
    sn_result result = find_runs(input, mask, scratch, &first);
    if (result != SN_OK) {
        return result;
    }
    int32_t *parents = SN_NEW(scratch, int32_t, first.count), *labels = SN_NEW(scratch, int32_t, first.count);
    if (!parents || !labels) {
        return SN_ERROR_MEMORY;
    }
    const int island_count = label_islands(&first, parents, labels);
    const int piece_count = island_count > 1 ? build_bridges(input, &first, labels, island_count, scratch, mask) : 1;
    result = piece_count < 0 ? SN_ERROR_MEMORY : find_runs(input, mask, arena, runs);
    if (result == SN_OK) {
        inherit_islands(&first, labels, runs);
        runs->pixel_count = first.pixel_count;
        runs->island_count = island_count;
        runs->piece_count = piece_count;
    }
    return result;
}

sn_result sn_picture_runs_build(const sn_picture_input *input, sn_arena *arena, sn_picture_runs *runs)
{
    sn_arena scratch = {0};
    const sn_result result = build(input, arena, &scratch, runs);
    sn_arena_finish(&scratch);
    return result;
}
