/* SPDX-License-Identifier: MIT */
/* Finds seeds for the segmentation. The face farthest from all previous seeds, along paths from face to face, becomes
 * the next seed if it is far enough. A new seed only changes distances near it, so all seeds together cost little more
 * than the first. */
#include <math.h>

#include "author/fourier/topology.h"
#include "host/math/vec3.h"

#define MAX_SEEDS 32 /* exceeded only if there are more components */
#define MAX_COMPONENTS 1000
#define MIN_DISTANCE_RATIO 0.15 /* fraction of the largest distance from a component's first seed */

typedef struct search {
    const sn_fit_topology *topology;
    double *distances; /* (triangle_count) */
    int32_t *heap,
        *heap_slots; /* (triangle_count) binary heap of faces by distance, and the heap index of each face or -1 */
    int heap_count;
} search;

static bool is_nearer(const search *s, int32_t a, int32_t b)
{
    return s->distances[a] < s->distances[b] || (s->distances[a] == s->distances[b] && a < b);
}

static void set_heap_entry(search *s, int at, int32_t face)
{
    s->heap[at] = face;
    s->heap_slots[face] = at;
}

static void sift_up(search *s, int at)
{
    const int32_t face = s->heap[at];
    for (; at > 0 && is_nearer(s, face, s->heap[(at - 1) / 2]); at = (at - 1) / 2) {
        set_heap_entry(s, at, s->heap[(at - 1) / 2]);
    }
    set_heap_entry(s, at, face);
}

static void sift_down(search *s, int at)
{
    const int32_t face = s->heap[at];
    for (int child = 2 * at + 1; child < s->heap_count; child = 2 * at + 1) {
        child += child + 1 < s->heap_count && is_nearer(s, s->heap[child + 1], s->heap[child]);
        if (!is_nearer(s, s->heap[child], face)) {
            break;
        }
        set_heap_entry(s, at, s->heap[child]);
        at = child;
    }
    set_heap_entry(s, at, face);
}

static void relax(search *s, int32_t face, double distance)
{
    if (!(distance < s->distances[face])) {
        return;
    }
    s->distances[face] = distance;
    if (s->heap_slots[face] < 0) {
        set_heap_entry(s, s->heap_count++, face);
    }
    sift_up(s, s->heap_slots[face]);
}

static int32_t pop_nearest(search *s)
{
    const int32_t face = s->heap[0];
    s->heap_slots[face] = -1;
    if (--s->heap_count > 0) {
        set_heap_entry(s, 0, s->heap[s->heap_count]);
        sift_down(s, 0);
    }
    return face;
}

/* Dijkstra's algorithm over the faces that become nearer. Returns the farthest of them. */
static int32_t update_distances(search *s, int32_t seed)
{
    const sn_fit_topology *t = s->topology;
    int32_t last = seed;
    s->distances[seed] = INFINITY;
    relax(s, seed, 0);
    while (s->heap_count > 0) {
        const int32_t face = pop_nearest(s);
        last = face;
        for (int k = 0; k < 3; ++k) {
            const int32_t edge = t->face_edges[3 * face + k];
            for (int i = t->face_starts[edge]; i < t->face_starts[edge + 1]; ++i) {
                const double step = sn_distance3(t->centers + 3 * face, t->centers + 3 * t->faces[i]);
                relax(s, t->faces[i], s->distances[face] + step);
            }
        }
    }
    return last;
}

/* Resets the distances of one component. */
static void reset_distances(search *s, const int32_t *components, int32_t component)
{
    for (int f = 0; f < s->topology->mesh->triangle_count; ++f) {
        s->distances[f] = components[f] == component ? INFINITY : s->distances[f];
    }
}

/* Adds one seed per component: the face farthest from its first face. Returns their number; more than MAX_COMPONENTS
 * means too many. */
static int seed_components(search *s, int32_t *seeds, int32_t *components, double *max_distance)
{
    const int count = s->topology->mesh->triangle_count;
    int component_count = 0;
    for (int f = 0; f < count; ++f) {
        s->distances[f] = INFINITY;
        components[f] = -1;
    }
    for (int f = 0; f < count && component_count <= MAX_COMPONENTS; ++f) {
        if (components[f] >= 0) {
            continue;
        }
        const int32_t farthest_face = update_distances(s, f);
        for (int g = f; g < count; ++g) {
            components[g] = components[g] < 0 && isfinite(s->distances[g]) ? component_count : components[g];
        }
        reset_distances(s, components, component_count);
        const int32_t farthest = update_distances(s, farthest_face);
        *max_distance = fmax(*max_distance, s->distances[farthest]);
        seeds[component_count++] = farthest_face;
    }
    return component_count;
}

static int32_t find_farthest(const search *s)
{
    int32_t farthest = 0;
    for (int32_t f = 1; f < s->topology->mesh->triangle_count; ++f) {
        farthest = s->distances[f] > s->distances[farthest] ? f : farthest;
    }
    return farthest;
}

sn_result sn_fit_find_seeds(const sn_fit_topology *t, sn_arena *arena, int32_t **seeds, int *count, int32_t *components)
{
    const int face_count = t->mesh->triangle_count;
    sn_arena scratch = {0};
    search s = {.topology = t,
                .distances = SN_NEW(&scratch, double, face_count),
                .heap = SN_NEW(&scratch, int32_t, face_count),
                .heap_slots = SN_NEW(&scratch, int32_t, face_count)};
    *seeds = SN_NEW(arena, int32_t, face_count + MAX_SEEDS);
    const bool is_ok = s.distances && s.heap && s.heap_slots && *seeds;
    if (is_ok) {
        double max_distance = 0;
        for (int f = 0; f < face_count; ++f) {
            s.heap_slots[f] = -1;
        }
        *count = seed_components(&s, *seeds, components, &max_distance);
        for (int32_t next = find_farthest(&s);
             *count < MAX_SEEDS && s.distances[next] > MIN_DISTANCE_RATIO * max_distance; next = find_farthest(&s)) {
            (*seeds)[(*count)++] = next;
            update_distances(&s, next);
        }
    }
    sn_arena_finish(&scratch);
    if (is_ok && *count > MAX_COMPONENTS) {
        return sn_fail_within(SN_ERROR_UNSUPPORTED, "the surface has more than %d components; merge them",
                              MAX_COMPONENTS);
    }
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
