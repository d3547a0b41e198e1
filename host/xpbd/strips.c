/* SPDX-License-Identifier: MIT */
/* Finds strips greedily. Each starts at the first element that is in no strip, with the corner permutation that gives
 * the longest strip. */
#include "host/xpbd/strips.h"

#include <string.h>

#include "host/base/arena.h"

#define MAX_CORNERS 4

typedef struct strips {
    int count, corner_count;
    int32_t *corners;
    int32_t *neighbours; /* (count x corner_count) neighbour across the face opposite a corner; -1: none */
    bool *is_used;       /* (count) */
} strips;

/* An element of a strip, with its corners in the strip's order. */
typedef struct step {
    int32_t element, corners[MAX_CORNERS];
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
    bool has_vertex = false;
    for (int k = 0; k < s->corner_count; ++k) {
        has_vertex |= s->corners[s->corner_count * element + k] == vertex;
    }
    return has_vertex;
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
    s->is_used = SN_NEW(arena, bool, s->count);
    if (!starts || !elements || !s->neighbours || !s->is_used) {
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
static bool step_across(const strips *s, step *at, int corner)
{
    const int n = s->corner_count;
    int32_t across = -1;
    for (int k = 0; k < n; ++k) {
        across = s->corners[n * at->element + k] == at->corners[corner] ? s->neighbours[n * at->element + k] : across;
    }
    if (across < 0 || s->is_used[across]) {
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
static int follow_strip(strips *s, step at, step *path)
{
    int length = 0;
    do {
        s->is_used[at.element] = true;
        path[length++] = at;
    } while (length < SN_STRIP_LENGTH && step_across(s, &at, (length - 1) % s->corner_count));
    return length;
}

/* The element with permutation `number` of its corners. */
static step first_step(const strips *s, int32_t element, int number)
{
    step first = {.element = element};
    int32_t remaining[MAX_CORNERS];
    memcpy(remaining, s->corners + s->corner_count * element, (size_t)s->corner_count * sizeof *remaining);
    for (int k = 0, choices = s->corner_count; k < s->corner_count; ++k, --choices) {
        const int chosen = number % choices;
        number /= choices;
        first.corners[k] = remaining[chosen];
        memmove(remaining + chosen, remaining + chosen + 1, (size_t)(choices - 1 - chosen) * sizeof *remaining);
    }
    return first;
}

/* Finds the longest strip from an element. Returns its length. */
static int find_longest(strips *s, int32_t element, step *path)
{
    const int permutation_count = s->corner_count == 3 ? 6 : 24;
    int best = 0, max_length = 0;
    for (int i = 0; i < permutation_count && max_length < SN_STRIP_LENGTH; ++i) {
        const int length = follow_strip(s, first_step(s, element, i), path);
        best = length > max_length ? i : best;
        max_length = length > max_length ? length : max_length;
        for (int k = 0; k < length; ++k) {
            s->is_used[path[k].element] = false;
        }
    }
    return follow_strip(s, first_step(s, element, best), path);
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
        if (!s.is_used[e]) {
            step path[SN_STRIP_LENGTH];
            const int length = find_longest(&s, e, path);
            for (int i = 0; i < length; ++i) {
                const int32_t element = path[i].element;
                memcpy(corners + corner_count * element, path[i].corners, (size_t)corner_count * sizeof *corners);
                order[done + i] = element;
                lengths[done + i] = i == 0 ? length : 0;
            }
            done += length;
        }
    }
    sn_arena_finish(&arena);
    return result;
}
