/* SPDX-License-Identifier: MIT */
/* Finds strips greedily. Each starts at the first element that is in no strip, with the corner permutation that gives
 * the longest strip. */
#include "host/xpbd/strips.h"

#include <string.h>

#include "host/base/arena.h"

#define MOST_CORNERS 4

typedef struct strips {
    int count, corner_count;
    int32_t *corners;
    int32_t *neighbours; /* (count x corner_count) neighbour across the face opposite a corner; -1: none */
    bool *is_taken;      /* (count) */
} strips;

/* An element of a strip, with its corners in the strip's order. */
typedef struct step {
    int32_t element, corners[MOST_CORNERS];
} step;

/* ---- neighbours ---- */

/* Elements of vertex v start at elements[starts[v + 1]]; starts (vertex_count + 2). */
static void list_elements(const strips *s, int vertex_count, int32_t *starts, int32_t *elements)
{
    const int numbers = s->count * s->corner_count;
    for (int i = 0; i < numbers; ++i) {
        ++starts[s->corners[i] + 1];
    }
    for (int v = 0; v < vertex_count; ++v) {
        starts[v + 1] += starts[v];
    }
    starts[vertex_count + 1] = numbers;
    for (int i = numbers - 1; i >= 0; --i) { /* moves each start from the end of its list to the beginning */
        elements[--starts[s->corners[i] + 1]] = i / s->corner_count;
    }
}

static bool has_corner(const strips *s, int32_t element, int32_t vertex)
{
    bool is_found = false;
    for (int k = 0; k < s->corner_count; ++k) {
        is_found |= s->corners[s->corner_count * element + k] == vertex;
    }
    return is_found;
}

/* Finds another element with all corners except `corner`. */
static int32_t find_neighbour(const strips *s, int32_t element, int corner, const int32_t *starts,
                              const int32_t *elements)
{
    const int32_t *own = s->corners + s->corner_count * element;
    const int32_t shared = own[(corner + 1) % s->corner_count];
    for (int32_t i = starts[shared]; i < starts[shared + 1]; ++i) {
        bool is_across = !has_corner(s, elements[i], own[corner]);
        for (int k = 0; k < s->corner_count && is_across; ++k) {
            is_across = k == corner || has_corner(s, elements[i], own[k]);
        }
        if (is_across) {
            return elements[i];
        }
    }
    return -1;
}

static sn_result find_neighbours(strips *s, int vertex_count, sn_arena *arena)
{
    const size_t numbers = (size_t)s->count * (size_t)s->corner_count;
    int32_t *starts = SN_NEW(arena, int32_t, vertex_count + 2), *elements = SN_NEW(arena, int32_t, numbers);
    s->neighbours = SN_NEW(arena, int32_t, numbers);
    s->is_taken = SN_NEW(arena, bool, s->count);
    if (!starts || !elements || !s->neighbours || !s->is_taken) {
        return SN_ERROR_MEMORY;
    }
    list_elements(s, vertex_count, starts, elements);
    for (int e = 0; e < s->count; ++e) {
        for (int k = 0; k < s->corner_count; ++k) {
            s->neighbours[s->corner_count * e + k] = find_neighbour(s, e, k, starts + 1, elements);
        }
    }
    return SN_OK;
}

/* ---- walking ---- */

/* Steps across the face opposite a corner; false if no free element is there. */
static bool walk(const strips *s, step *at, int corner)
{
    const int n = s->corner_count;
    int32_t across = -1;
    for (int k = 0; k < n; ++k) {
        across = s->corners[n * at->element + k] == at->corners[corner] ? s->neighbours[n * at->element + k] : across;
    }
    if (across < 0 || s->is_taken[across]) {
        return false;
    }
    for (int k = 0; k < n; ++k) {
        const int32_t vertex = s->corners[n * across + k];
        bool is_shared = false;
        for (int i = 0; i < n; ++i) {
            is_shared |= i != corner && at->corners[i] == vertex;
        }
        at->corners[corner] = is_shared ? at->corners[corner] : vertex;
    }
    at->element = across;
    return true;
}

/* Follows a strip and marks its elements as used. Returns its length. */
static int follow(strips *s, step at, step *taken)
{
    int length = 0;
    do {
        s->is_taken[at.element] = true;
        taken[length++] = at;
    } while (length < SN_STRIP_LENGTH && walk(s, &at, (length - 1) % s->corner_count));
    return length;
}

/* The element with permutation `number` of its corners. */
static step begin_at(const strips *s, int32_t element, int number)
{
    step begun = {.element = element};
    int32_t left[MOST_CORNERS];
    memcpy(left, s->corners + s->corner_count * element, (size_t)s->corner_count * sizeof *left);
    for (int k = 0, rest = s->corner_count; k < s->corner_count; ++k, --rest) {
        const int chosen = number % rest;
        number /= rest;
        begun.corners[k] = left[chosen];
        memmove(left + chosen, left + chosen + 1, (size_t)(rest - 1 - chosen) * sizeof *left);
    }
    return begun;
}

/* Finds the longest strip from an element. Returns its length. */
static int take_strip(strips *s, int32_t element, step *taken)
{
    const int permutation_count = s->corner_count == 3 ? 6 : 24;
    int best = 0, longest = 0;
    for (int i = 0; i < permutation_count && longest < SN_STRIP_LENGTH; ++i) {
        const int length = follow(s, begin_at(s, element, i), taken);
        best = length > longest ? i : best;
        longest = length > longest ? length : longest;
        for (int k = 0; k < length; ++k) {
            s->is_taken[taken[k].element] = false;
        }
    }
    return follow(s, begin_at(s, element, best), taken);
}

sn_result sn_strips_find(int count, int corner_count, int vertex_count, int32_t *corners, int32_t *order,
                         int32_t *lengths)
{
    SN_ASSERT(corner_count == 3 || corner_count == 4);
    strips s = {.count = count, .corner_count = corner_count, .corners = corners};
    sn_arena arena = {0};
    const sn_result result = find_neighbours(&s, vertex_count, &arena);
    int done = 0;
    for (int e = 0; e < count && result == SN_OK; ++e) {
        if (!s.is_taken[e]) {
            step taken[SN_STRIP_LENGTH];
            const int length = take_strip(&s, e, taken);
            for (int i = 0; i < length; ++i) {
                const int32_t element = taken[i].element;
                memcpy(corners + corner_count * element, taken[i].corners, (size_t)corner_count * sizeof *corners);
                order[done + i] = element;
                lengths[done + i] = i == 0 ? length : 0;
            }
            done += length;
        }
    }
    sn_arena_finish(&arena);
    return result;
}
