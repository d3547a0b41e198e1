/* SPDX-License-Identifier: MIT */
/* Orients triangles and finds shells. Triangles are flipped to agree across two-manifold edges, by the majority of
 * area. Closed shells with negative volume are turned inside out. This repair is needed because winding numbers fail on
 * flipped faces. A shell that is nearly closed and encloses enough volume is a solid with an interior of its own. */
#include "author/mesher/surface.h"

#include <math.h>

#include "author/mesher/sets.h"
#include "host/math/vec3.h"

#define CLOSED_RATIO 0.02 /* max. open edge length of a closed shell, as a fraction of its total edge length */
#define SOLID_RATIO 0.30  /* the same for a solid */
#define SOLID_VOLUME 2e-5 /* min. volume of a solid, in cubed diagonals */
#define MAX_SOLID_COUNT                                                                                                \
    256 /* only the largest shells become solids; the interior of smaller ones belongs to the whole surface */

/* The triangles that share a welded edge. */
typedef struct edge_use {
    int32_t count;
    int32_t sides[2]; /* 3 * triangle + corner, of the first two triangles */
} edge_use;

static edge_use *list_uses(const sn_surface *s, sn_arena *scratch)
{
    edge_use *uses = SN_NEW(scratch, edge_use, s->edge_count);
    for (int32_t side = 0; uses && side < 3 * s->triangle_count; ++side) {
        edge_use *use = s->edges[side] < 0 ? NULL : &uses[s->edges[side]];
        if (use && use->count < 2) {
            use->sides[use->count] = side;
        }
        if (use) {
            ++use->count;
        }
    }
    return uses;
}

/* Returns whether two triangles traverse their common edge in the same direction, which means inconsistent orientation.
 */
static bool has_inconsistent_sides(const sn_surface *s, const edge_use *use)
{
    return s->points[s->triangles[use->sides[0]]] == s->points[s->triangles[use->sides[1]]];
}

static double area_of(const sn_surface *s, int triangle)
{
    double area[3];
    sn_surface_area_vector(s, triangle, area);
    return sn_length3(area) / 2;
}

/* Walks over two-manifold edges from `seed`. `signs` (triangle_count) receives 1, or -1 for triangles to flip relative
 * to the seed. Returns the number of triangles, which `queue` lists. */
static int orient_component(const sn_surface *s, const edge_use *uses, int32_t seed, int8_t *signs, int32_t *queue)
{
    int count = 0;
    queue[count++] = seed;
    signs[seed] = 1;
    for (int next = 0; next < count; ++next) {
        const int32_t t = queue[next];
        for (int32_t side = 3 * t; side < 3 * t + 3; ++side) {
            const edge_use *use = s->edges[side] < 0 ? NULL : &uses[s->edges[side]];
            if (!use || use->count != 2) {
                continue;
            }
            const int32_t other = use->sides[use->sides[0] == side ? 1 : 0] / 3;
            if (signs[other] == 0) {
                signs[other] = (int8_t)(has_inconsistent_sides(s, use) ? -signs[t] : signs[t]);
                queue[count++] = other;
            }
        }
    }
    return count;
}

static void flip_triangle(sn_surface *s, int32_t t)
{
    int32_t *corners = s->triangles + 3 * (size_t)t, *edges = s->edges + 3 * (size_t)t;
    const int32_t corner = corners[1], edge = edges[0];
    corners[1] = corners[2], corners[2] = corner;
    edges[0] = edges[2], edges[2] = edge;
    s->is_flipped[t] = !s->is_flipped[t];
}

static bool orient_by_majority(sn_surface *s, const edge_use *uses, sn_arena *scratch)
{
    int8_t *signs = SN_NEW(scratch, int8_t, s->triangle_count);
    int32_t *queue = SN_NEW(scratch, int32_t, s->triangle_count);
    if (!signs || !queue) {
        return false;
    }
    for (int32_t seed = 0; seed < s->triangle_count; ++seed) {
        if (signs[seed] != 0) {
            continue;
        }
        const int count = orient_component(s, uses, seed, signs, queue);
        double balance = 0;
        for (int i = 0; i < count; ++i) {
            balance += signs[queue[i]] * area_of(s, queue[i]);
        }
        for (int i = 0; i < count; ++i) {
            /* balance 0: keep the first triangle's orientation */
            if (signs[queue[i]] != (balance < 0 ? -1 : 1)) {
                flip_triangle(s, queue[i]);
            }
        }
    }
    return true;
}

typedef struct shell_state {
    double volume, length, open_length;
    double centre[3]; /* reference point near the shell: a corner of its first triangle */
    bool is_started;
    int32_t solid;
} shell_state;

static void add_volume(const sn_surface *s, int triangle, shell_state *shell)
{
    double a[3], b[3], c[3], normal[3];
    if (!shell->is_started) {
        shell->is_started = true;
        for (int d = 0; d < 3; ++d) {
            shell->centre[d] = sn_surface_corner(s, triangle, 0)[d];
        }
    }
    sn_subtract3(sn_surface_corner(s, triangle, 0), shell->centre, a);
    sn_subtract3(sn_surface_corner(s, triangle, 1), shell->centre, b);
    sn_subtract3(sn_surface_corner(s, triangle, 2), shell->centre, c);
    sn_cross3(b, c, normal);
    shell->volume += sn_dot3(a, normal) / 6;
}

/* Measures shells, which are sets of triangles connected by edges. roots (triangle_count) receives each triangle's
 * representative. */
static void measure_shells(const sn_surface *s, const edge_use *uses, int32_t *roots, shell_state *shells)
{
    sn_sets_start(roots, s->triangle_count);
    for (int32_t side = 0; side < 3 * s->triangle_count; ++side) {
        if (s->edges[side] >= 0) {
            sn_sets_union(roots, side / 3, uses[s->edges[side]].sides[0] / 3);
        }
    }
    for (int32_t t = 0; t < s->triangle_count; ++t) {
        add_volume(s, t, &shells[sn_sets_find(roots, t)]);
    }
    for (int e = 0; e < s->edge_count; ++e) {
        const int32_t side = uses[e].sides[0], t = side / 3;
        shell_state *shell = &shells[sn_sets_find(roots, t)];
        const double length =
            sn_distance3(sn_surface_corner(s, t, side % 3), sn_surface_corner(s, t, (side % 3 + 1) % 3));
        shell->length += length;
        shell->open_length += uses[e].count == 1 ? length : 0;
    }
}

/* Selects the largest shells that qualify as solids and numbers them in the order of their first triangles. */
static void choose_solids(sn_surface *s, int32_t *roots, shell_state *shells)
{
    double min_volume = SOLID_VOLUME;
    int count = MAX_SOLID_COUNT + 1;
    while (count > MAX_SOLID_COUNT) { /* raise the threshold until at most the maximum number pass */
        count = 0;
        for (int32_t t = 0; t < s->triangle_count; ++t) {
            shell_state *shell = &shells[t];
            const bool is_solid =
                roots[t] == t && shell->open_length < SOLID_RATIO * shell->length && fabs(shell->volume) > min_volume;
            shell->solid = is_solid ? ++count : 0;
        }
        min_volume *= 1.5;
    }
    s->solid_count = count;
    for (int32_t t = 0; t < s->triangle_count; ++t) {
        s->solids[t] = shells[sn_sets_find(roots, t)].solid;
    }
}

sn_result sn_surface_orient(sn_surface *surface)
{
    sn_arena scratch = {0};
    const edge_use *uses = list_uses(surface, &scratch);
    int32_t *roots = SN_NEW(&scratch, int32_t, surface->triangle_count);
    shell_state *shells = SN_NEW(&scratch, shell_state, surface->triangle_count);
    if (!uses || !roots || !shells || !orient_by_majority(surface, uses, &scratch)) {
        sn_arena_finish(&scratch);
        return SN_ERROR_MEMORY;
    }
    /* flipping renumbers corners and sides */
    uses = list_uses(surface, &scratch);
    if (!uses) {
        sn_arena_finish(&scratch);
        return SN_ERROR_MEMORY;
    }
    measure_shells(surface, uses, roots, shells);
    for (int32_t t = 0; t < surface->triangle_count; ++t) {
        const shell_state *shell = &shells[sn_sets_find(roots, t)];
        if (shell->volume < 0 && shell->open_length < CLOSED_RATIO * shell->length) {
            flip_triangle(surface, t);
        }
    }
    choose_solids(surface, roots, shells);
    sn_arena_finish(&scratch);
    return SN_OK;
}
