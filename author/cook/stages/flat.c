/* SPDX-License-Identifier: MIT */
/* Flat bodies: the character's own triangles are simulated (host/mesh/flat_mesh.h). */
#include <math.h>
#include <string.h>

#include "author/cook/stages/stages.h"
#include "host/mesh/flat_mesh.h"
#include "host/mesh/tri_mesh.h"

/* Merges vertices at the same position (texture seams, touching parts) or, in a drawing, at the same lattice node. node
 * (vertex_count): the mesh vertex of each, numbered in the order of first use by triangles, or -1. */
static sn_result join_vertices(sn_cook_context *cook, const int32_t *triangles, int triangle_count, int32_t *node)
{
    const sn_character *c = &cook->character;
    const size_t n = (size_t)c->vertex_count, count = 3 * (size_t)triangle_count;
    const sn_tri_mesh surface = {c->vertex_count, c->triangle_count, c->positions, c->triangles};
    int32_t *slots = SN_NEW(&cook->arena, int32_t, n), *numbers = SN_NEW(&cook->arena, int32_t, n);
    int slot_count = 0;
    cook->mesh = (sn_tet_mesh){.tet_count = triangle_count,
                               .positions = SN_NEW(&cook->arena, double, 3 * n),
                               .tets = SN_NEW(&cook->arena, int32_t, 4 * (size_t)triangle_count),
                               .is_flat = true};
    cook->file_vertices = c->file_vertices ? SN_NEW(&cook->arena, int32_t, n) : NULL;
    if ((c->file_vertices && !cook->file_vertices) || !slots || !numbers || !cook->mesh.positions || !cook->mesh.tets) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = SN_OK;
    if (cook->drawing_nodes) {
        memcpy(slots, cook->drawing_nodes, n * sizeof *slots);
    } else {
        result = sn_tri_groups(&surface, NULL, slots, &slot_count);
    }
    memset(numbers, -1, n * sizeof *numbers);
    memset(node, -1, n * sizeof *node);
    for (size_t i = 0; i < count && result == SN_OK; ++i) {
        const int32_t vertex = c->triangles[3 * (size_t)triangles[i / 3] + i % 3];
        int32_t *number = &numbers[slots[vertex]];
        if (*number < 0) {
            *number = cook->mesh.vertex_count++;
            if (cook->file_vertices) {
                cook->file_vertices[*number] = c->file_vertices[vertex];
            }
            memcpy(cook->mesh.positions + 3 * (size_t)*number, c->positions + 3 * (size_t)vertex, 3 * sizeof(double));
        }
        cook->mesh.tets[i / 3 * 4 + i % 3] = node[vertex] = *number;
    }
    return result;
}

/* Maps each soft vertex of the character to a corner of some triangle. */
static sn_result embed(sn_cook_context *cook, const int32_t *node)
{
    const size_t n = (size_t)cook->character.vertex_count;
    int32_t *slots = SN_NEW(&cook->arena, int32_t, cook->mesh.vertex_count); /* (vertex_count) 4 t + corner */
    cook->embedding_tets = SN_NEW(&cook->arena, int32_t, n);
    cook->embedding_weights = SN_NEW(&cook->arena, double, 4 * n);
    if (!slots || !cook->embedding_tets || !cook->embedding_weights) {
        return SN_ERROR_MEMORY;
    }
    for (int32_t t = 0; t < cook->mesh.tet_count; ++t) {
        for (int32_t corner = 0; corner < 3; ++corner) {
            slots[cook->mesh.tets[4 * t + corner]] = 4 * t + corner;
        }
    }
    for (size_t v = 0; v < n; ++v) {
        cook->embedding_tets[v] = node[v] >= 0 ? slots[node[v]] / 4 : -1;
        if (node[v] >= 0) {
            cook->embedding_weights[4 * v + (size_t)(slots[node[v]] % 4)] = 1;
        }
    }
    return SN_OK;
}

/* Moves the character into the body's plane as well. */
static void flatten(sn_cook_context *cook)
{
    for (size_t v = 0; v < (size_t)cook->character.vertex_count; ++v) {
        if (cook->embedding_tets[v] >= 0) {
            cook->character.positions[3 * v + 2] = cook->plane;
        }
    }
    for (int i = 0; i < cook->character.material_count; ++i) {
        cook->character.materials[i].values.is_double_sided = true;
    }
}

#define OUT_OF_PLANE 1e-6 /* bound on out-of-plane entries of a transform's linear part */

/* Whether a transform leaves the plane fixed and does not mix z with x and y. */
static bool is_in_plane(const double *m, double plane, double diagonal)
{
    const double across = fabs(m[2]) + fabs(m[6]) + fabs(m[8]) + fabs(m[9]);
    return across <= OUT_OF_PLANE && fabs(m[10] * plane + m[11] - plane) <= OUT_OF_PLANE * diagonal;
}

void sn_cook_context_check_plane(const sn_cook_context *cook)
{
    for (int i = 0; i < cook->clip_count; ++i) {
        const sn_character_clip *clip = &cook->clips[i];
        const int count = clip->frame_count * cook->bone_count;
        int index = 0;
        while (index < count &&
               is_in_plane(clip->transforms + 12 * (size_t)index, cook->plane, cook->diagonal / cook->scale)) {
            ++index;
        }
        if (index < count) {
            sn_log(SN_LOG_WARNING, "%s: clip '%s': frame %d, bone %d leaves the plane; the flat body follows it",
                   cook->path, clip->name, index / cook->bone_count, index % cook->bone_count);
        }
    }
}

sn_result sn_cook_context_set_flat_mesh(sn_cook_context *cook, const int32_t *triangles, int triangle_count)
{
    int32_t *node = SN_NEW(&cook->arena, int32_t, cook->character.vertex_count);
    sn_result result = node ? join_vertices(cook, triangles, triangle_count, node) : SN_ERROR_MEMORY;
    if (result == SN_OK &&
        cook->drawing_nodes) { /* a drawing's own mesh is valid; an edge at a gap may have three triangles */
        for (size_t t = 0; t < (size_t)triangle_count; ++t) {
            cook->mesh.tets[4 * t + 3] = cook->mesh.tets[4 * t + 2];
        }
    } else if (result == SN_OK) {
        result = sn_flat_mesh_validate(&cook->mesh, cook->path, &cook->plane);
    }
    if (result == SN_OK) {
        result = embed(cook, node);
    }
    if (result == SN_OK) {
        flatten(cook);
    }
    return result;
}
