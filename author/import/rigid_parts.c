/* SPDX-License-Identifier: MIT */
#include "author/import/rigid_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "author/import/part_box.h"
#include "host/base/disjoint_sets.h"
#include "host/math/vec3.h"
#include "host/mesh/tri_mesh.h"

#define SMALL_PIECE_FRACTION 0.15 /* of the character's diagonal */
#define OPEN_FRACTION 0.02        /* of the edges of a closed piece */
#define SEGMENTED_FRACTION 0.30   /* of the surface's area */
#define SCENERY_DISTANCE 2        /* distance from the box of the skinned parts, in its diagonals */

/* A connected piece: triangles of one part that share vertices, with seams closed. It is identified by its first
 * vertex. */
typedef struct piece {
    sn_box bounds;
    double area;
    int32_t only_bone; /* the only bone that moves it; -1: several */
    int open_edges, edges;
    int vertex_count, covered_count; /* vertices inside the box of a part that is attached to its bone */
    bool is_rigid;
} piece;

typedef struct pieces {
    int32_t *of_vertex; /* (vertex_count) first vertex of the piece */
    piece *list;        /* (vertex_count), set at first vertices only */
} pieces;

static double triangle_area(const sn_character *c, const int32_t *triangle)
{
    double a[3], b[3], normal[3];
    sn_subtract3(c->positions + 3 * (size_t)triangle[1], c->positions + 3 * (size_t)triangle[0], a);
    sn_subtract3(c->positions + 3 * (size_t)triangle[2], c->positions + 3 * (size_t)triangle[0], b);
    sn_cross3(a, b, normal);
    return 0.5 * sn_length3(normal);
}

/* Connects vertices into pieces. position_ids (vertex_count) has one number per distinct position. */
static sn_result connect_vertices(const sn_character *c, const int32_t *position_ids, sn_arena *scratch,
                                  int32_t *parents)
{
    int32_t *first = SN_NEW(scratch, int32_t, c->vertex_count);
    if (!first) {
        return SN_ERROR_MEMORY;
    }
    for (int32_t v = 0; v < c->vertex_count; ++v) {
        parents[v] = v;
    }
    for (int i = 0; i < c->triangle_count; ++i) {
        const int32_t *triangle = c->triangles + 3 * (size_t)i;
        sn_sets_merge(parents, triangle[0], triangle[1]);
        sn_sets_merge(parents, triangle[0], triangle[2]);
    }
    for (int part = 0; part < c->part_count; ++part) { /* close seams within a part only */
        const int start = c->parts[part].first_vertex, end = start + c->parts[part].vertex_count;
        for (int v = start; v < end; ++v) {
            first[position_ids[v]] = -1;
        }
        for (int v = start; v < end; ++v) {
            if (first[position_ids[v]] >= 0) {
                sn_sets_merge(parents, first[position_ids[v]], v);
            }
            first[position_ids[v]] = v;
        }
    }
    for (int32_t v = 0; v < c->vertex_count; ++v) {
        parents[v] = sn_sets_root(parents, v);
    }
    return SN_OK;
}

static int32_t vertex_bone(const sn_character *c, int v)
{
    const int32_t start = c->influence_starts[v];
    return c->influence_starts[v + 1] - start == 1 ? c->influence_bones[start] : -1;
}

typedef struct edge {
    int32_t piece, low, high; /* position numbers of its ends */
} edge;

static int by_ends(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(edge));
}

/* Counts edges with only one triangle. */
static sn_result count_open_edges(const sn_character *c, const int32_t *position_ids, sn_arena *scratch, pieces *p)
{
    const size_t count = 3 * (size_t)c->triangle_count;
    edge *edges = SN_NEW(scratch, edge, count);
    if (!edges) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const int32_t from = c->triangles[i], to = c->triangles[i - i % 3 + (i + 1) % 3];
        const bool is_ascending = position_ids[from] < position_ids[to];
        edges[i] =
            (edge){p->of_vertex[from], position_ids[is_ascending ? from : to], position_ids[is_ascending ? to : from]};
    }
    qsort(edges, count, sizeof *edges, by_ends);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && by_ends(&edges[i], &edges[next]) == 0; ++next) {
        }
        p->list[edges[i].piece].edges += 1;
        p->list[edges[i].piece].open_edges += next - i == 1;
    }
    return SN_OK;
}

static sn_result find_pieces(const sn_character *c, sn_arena *scratch, pieces *p)
{
    const sn_tri_mesh mesh = {c->vertex_count, c->triangle_count, c->positions, c->triangles};
    int32_t *position_ids = SN_NEW(scratch, int32_t, c->vertex_count);
    int position_count = 0;
    p->of_vertex = SN_NEW(scratch, int32_t, c->vertex_count);
    p->list = SN_NEW(scratch, piece, c->vertex_count);
    if (!position_ids || !p->of_vertex || !p->list ||
        sn_tri_groups(&mesh, NULL, position_ids, &position_count) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    SN_TRY(connect_vertices(c, position_ids, scratch, p->of_vertex));
    for (int v = 0; v < c->vertex_count; ++v) {
        piece *current = &p->list[p->of_vertex[v]];
        if (p->of_vertex[v] == v) {
            *current = (piece){.bounds = sn_empty_box, .only_bone = vertex_bone(c, v)};
        }
        sn_box_grow(&current->bounds, c->positions + 3 * (size_t)v);
        current->vertex_count += 1;
        current->only_bone = vertex_bone(c, v) == current->only_bone ? current->only_bone : -1;
    }
    for (int i = 0; i < c->triangle_count; ++i) {
        const int32_t *triangle = c->triangles + 3 * (size_t)i;
        p->list[p->of_vertex[triangle[0]]].area += triangle_area(c, triangle);
    }
    return count_open_edges(c, position_ids, scratch, p);
}

/* Whether "eye" is a word of the bone's name, as opposed to "eyebrow" or "eyelid". */
static bool is_eye(const char *name)
{
    for (const char *current = name; *current; ++current) {
        if (strncasecmp(current, "eye", 3) == 0) {
            const char *rest = current + 3;
            return strncasecmp(rest, "brow", 4) != 0 && strncasecmp(rest, "lid", 3) != 0 &&
                   strncasecmp(rest, "lash", 4) != 0 && !(islower((unsigned char)rest[0]) && rest[0] != 's');
        }
    }
    return false;
}

/* Counts the vertices of single-bone pieces that lie inside an unskinned part of the same bone, such as a head in its
 * helmet. A vertex in several boxes counts once. */
static sn_result count_covered(const sn_character *c, const sn_sidecar *sidecar, sn_arena *scratch, pieces *p)
{
    bool *is_visited = SN_NEW(scratch, bool, c->vertex_count);
    for (int i = 0; i < c->part_count && is_visited; ++i) {
        const sn_character_part *cover = &c->parts[i];
        const sn_box bounds = sn_part_box(c, cover);
        const bool covers = !cover->is_skinned && !cover->is_hidden && !sn_name_is_listed(&sidecar->soft, cover->name);
        for (int v = 0; v < c->vertex_count && covers; ++v) {
            piece *current = &p->list[p->of_vertex[v]];
            const bool is_in = current->only_bone >= 0 && current->only_bone == cover->only_bone &&
                               sn_box_has(&bounds, c->positions + 3 * (size_t)v);
            current->covered_count += is_in && !is_visited[v];
            is_visited[v] |= is_in;
        }
    }
    return is_visited ? SN_OK : SN_ERROR_MEMORY;
}

static bool is_covered(const piece *current)
{
    return 2 * current->covered_count > current->vertex_count;
}

/* Whether the part is a ground or sky that the file includes; it must not influence the size of the character. */
static bool is_scenery(const sn_character *c, const sn_character_part *part, const sn_box *skinned)
{
    const sn_box b = sn_part_box(c, part);
    const double max_distance = SCENERY_DISTANCE * sn_box_diagonal(skinned);
    bool is_outside = false;
    for (int d = 0; d < 3; ++d) {
        is_outside |= b.low[d] < skinned->low[d] - max_distance || b.high[d] > skinned->high[d] + max_distance;
    }
    return is_outside && !part->is_skinned && max_distance > 0;
}

static void grow_by_part(const sn_character *c, const sn_character_part *part, sn_box *b)
{
    const sn_box part_box = sn_part_box(c, part);
    sn_box_grow(b, part_box.low);
    sn_box_grow(b, part_box.high);
}

/* Returns the box of the character without scenery; fills scenery (part_count). */
static sn_box find_scenery(const sn_character *c, bool *scenery)
{
    sn_box skinned = sn_empty_box, box = sn_empty_box;
    for (int i = 0; i < c->part_count; ++i) {
        if (c->parts[i].is_skinned) {
            grow_by_part(c, &c->parts[i], &skinned);
        }
    }
    for (int i = 0; i < c->part_count; ++i) {
        scenery[i] = is_scenery(c, &c->parts[i], &skinned);
        if (!scenery[i]) {
            grow_by_part(c, &c->parts[i], &box);
        }
    }
    return box;
}

/* Applies the rules of rigid_parts.h, except for names in the sidecar. */
static void apply_rules(const sn_character *c, bool has_skin, const bool *scenery, double small_diagonal, pieces *p)
{
    double area = 0, segmented_area = 0;
    for (int i = 0; i < c->part_count && has_skin; ++i) {
        const sn_character_part *part = &c->parts[i];
        for (int v = part->first_vertex; v < part->first_vertex + part->vertex_count; ++v) {
            piece *current = &p->list[p->of_vertex[v]];
            if (p->of_vertex[v] == v && !part->is_hidden) {
                area += scenery[i] ? 0 : current->area;
                const bool is_accessory = sn_box_diagonal(&current->bounds) < small_diagonal &&
                                          current->open_edges <= OPEN_FRACTION * current->edges;
                current->is_rigid =
                    !part->is_skinned || is_covered(current) ||
                    (current->only_bone >= 0 && (is_accessory || is_eye(c->bone_names[current->only_bone])));
                segmented_area += current->is_rigid && part->is_skinned && !is_covered(current) ? current->area : 0;
            }
        }
    }
    for (int i = 0; i < c->part_count && segmented_area > SEGMENTED_FRACTION * area; ++i) {
        const sn_character_part *part = &c->parts[i];
        for (int v = part->first_vertex; v < part->first_vertex + part->vertex_count && part->is_skinned; ++v) {
            p->list[v].is_rigid = is_covered(&p->list[v]);
        }
    }
}

static void apply_names(const sn_character *c, const sn_sidecar *sidecar, pieces *p)
{
    for (int i = 0; i < c->part_count; ++i) {
        const sn_character_part *part = &c->parts[i];
        const bool is_soft = sn_name_is_listed(&sidecar->soft, part->name);
        const bool is_rigid = sn_name_is_listed(&sidecar->rigid, part->name);
        for (int v = part->first_vertex; v < part->first_vertex + part->vertex_count && (is_soft || is_rigid); ++v) {
            p->list[v].is_rigid = is_rigid;
        }
    }
}

static void store_pieces(sn_character *c, const pieces *p)
{
    int soft_count = 0;
    for (int i = 0; i < c->part_count; ++i) {
        sn_character_part *part = &c->parts[i];
        for (int v = part->first_vertex; v < part->first_vertex + part->vertex_count; ++v) {
            const piece *current = &p->list[p->of_vertex[v]];
            c->is_rigid[v] = current->is_rigid;
            part->piece_count += p->of_vertex[v] == v;
            part->rigid_piece_count += p->of_vertex[v] == v && current->is_rigid;
        }
        soft_count += !part->is_hidden && part->rigid_piece_count < part->piece_count;
    }
    if (soft_count > 0) {
        return;
    }
    sn_log(SN_LOG_WARNING, "%s: the rules for rigid parts would make everything rigid; everything is made soft instead",
           c->name);
    memset(c->is_rigid, 0, (size_t)c->vertex_count * sizeof(bool));
    for (int i = 0; i < c->part_count; ++i) {
        c->parts[i].rigid_piece_count = 0;
        c->parts[i].is_hidden = false;
    }
}

sn_result sn_character_find_rigid_parts(sn_character *character, const sn_sidecar *sidecar)
{
    sn_arena scratch = {0};
    pieces p = {.of_vertex = NULL};
    bool has_skin = false;
    for (int i = 0; i < character->part_count; ++i) {
        has_skin |= character->parts[i].is_skinned;
    }
    bool *scenery = SN_NEW(&scratch, bool, character->part_count);
    sn_result result = scenery ? find_pieces(character, &scratch, &p) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_hide_alternatives(character, has_skin, sidecar, &scratch);
    }
    if (result == SN_OK && has_skin) {
        result = count_covered(character, sidecar, &scratch, &p);
    }
    if (result == SN_OK) {
        const sn_box box = find_scenery(character, scenery);
        apply_rules(character, has_skin, scenery, SMALL_PIECE_FRACTION * sn_box_diagonal(&box), &p);
        apply_names(character, sidecar, &p);
        store_pieces(character, &p);
    }
    sn_arena_finish(&scratch);
    return result;
}
