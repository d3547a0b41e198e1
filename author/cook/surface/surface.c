/* SPDX-License-Identifier: MIT */
/* Packs the rendered surface for the vertex shader: vertices, rig weights and mode weights with their derivatives
 * (host/mesh/tri_mesh.h). The surface is the character's, or the boundary of the tet mesh. */
#include <math.h>
#include <string.h>

#include "author/cook/stages/stages.h"
#include "author/cook/surface/surface.h"
#include "host/math/half.h"
#include "host/mesh/tri_mesh.h"

/* Weights below this have no visible effect. */
#define MIN_WEIGHT 1e-6
/* Derivatives of weights, times the diagonal, below this have no visible effect. */
#define MIN_SLOPE 1e-3
/* Bones whose derivatives are computed at a time. */
#define BONE_BLOCK 16

static double *derive(sn_arena *arena, const sn_render_surface *s, const double *fields, int field_count)
{
    const size_t count = (size_t)s->mesh.vertex_count * (size_t)field_count * 2;
    double *derivatives = SN_NEW(arena, double, count);
    if (!derivatives || sn_tri_derivatives(&s->mesh, s->groups, s->group_count, s->normals, s->tangents, fields,
                                           field_count, derivatives) != SN_OK) {
        return NULL;
    }
    for (size_t i = 0; i < count; ++i) {
        derivatives[i] *= s->diagonal;
    }
    return derivatives;
}

static void pack_derivatives(const double *derivatives, uint16_t *packed)
{
    packed[0] = sn_half_from_float((float)derivatives[0]);
    packed[1] = sn_half_from_float((float)derivatives[1]);
}

/* Influences ordered by bone, then vertex; sorted by vertex later. */
typedef struct influence_list {
    sn_influence *items;
    int32_t *vertices;
    size_t count, capacity;
    sn_arena *arena;
} influence_list;

static sn_result add_influence(influence_list *list, int32_t vertex, int32_t bone, double weight,
                               const double *derivatives)
{
    if (list->count == list->capacity) {
        const size_t capacity = 2 * list->capacity + 1024;
        sn_influence *items = SN_NEW(list->arena, sn_influence, capacity);
        int32_t *vertices = SN_NEW(list->arena, int32_t, capacity);
        if (!items || !vertices) {
            return SN_ERROR_MEMORY;
        }
        if (list->count > 0) {
            memcpy(items, list->items, list->count * sizeof *items);
            memcpy(vertices, list->vertices, list->count * sizeof *vertices);
        }
        list->items = items;
        list->vertices = vertices;
        list->capacity = capacity;
    }
    sn_influence *item = &list->items[list->count];
    *item = (sn_influence){.bone = bone, .weight = (float)weight};
    pack_derivatives(derivatives, item->derivatives);
    list->vertices[list->count++] = vertex;
    return SN_OK;
}

/* Includes bones without weight at a vertex but with weight at its neighbours, since they bend the surface there. */
static sn_result add_block(sn_arena *scratch, const sn_render_surface *s, int first_bone, int bone_count,
                           influence_list *list)
{
    const size_t n = (size_t)s->mesh.vertex_count, b = (size_t)bone_count;
    double *weights = SN_NEW(scratch, double, n *b);
    if (!weights) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < n; ++v) {
        for (int32_t i = s->rig_starts[v]; i < s->rig_starts[v + 1]; ++i) {
            const int32_t bone = s->rig_bones[i] - first_bone;
            if (bone >= 0 && bone < bone_count) {
                weights[v * b + (size_t)bone] = s->rig_weights[i];
            }
        }
    }
    const double *derivatives = derive(scratch, s, weights, bone_count);
    if (!derivatives) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < n * b; ++i) {
        if (weights[i] >= MIN_WEIGHT || fabs(derivatives[2 * i]) > MIN_SLOPE ||
            fabs(derivatives[2 * i + 1]) > MIN_SLOPE) {
            SN_TRY(
                add_influence(list, (int32_t)(i / b), first_bone + (int32_t)(i % b), weights[i], derivatives + 2 * i));
        }
    }
    return SN_OK;
}

/* Sorts by vertex, then bone, and renormalises the weights of each vertex. */
static sn_result sort_influences(sn_arena *arena, const influence_list *list, size_t n, sn_model *model)
{
    int32_t *starts = SN_NEW(arena, int32_t, n + 2);
    sn_influence *sorted = SN_NEW(arena, sn_influence, list->count);
    double *sums = SN_NEW(arena, double, n);
    if (!starts || !sorted || !sums) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < list->count; ++i) {
        ++starts[list->vertices[i] + 2];
        sums[list->vertices[i]] += (double)list->items[i].weight;
    }
    for (size_t v = 0; v < n; ++v) {
        starts[v + 2] += starts[v + 1];
    }
    for (size_t i = 0; i < list->count; ++i) {
        const int32_t vertex = list->vertices[i];
        sn_influence *to = &sorted[starts[vertex + 1]++];
        *to = list->items[i];
        to->weight = sums[vertex] > 0 ? (float)((double)to->weight / sums[vertex]) : to->weight;
    }
    model->counts.influence_count = (int32_t)list->count;
    model->influence_starts = starts;
    model->influences = sorted;
    return SN_OK;
}

sn_result sn_surface_add_influences(sn_arena *arena, const sn_render_surface *s, sn_model *model)
{
    influence_list list = {.arena = arena};
    sn_result result = SN_OK;
    for (int first = 0; first < s->bone_count && result == SN_OK; first += BONE_BLOCK) {
        sn_arena scratch = {0};
        const int left = s->bone_count - first;
        result = add_block(&scratch, s, first, left < BONE_BLOCK ? left : BONE_BLOCK, &list);
        sn_arena_finish(&scratch);
    }
    if (result == SN_OK && list.count > INT32_MAX) {
        return sn_fail_within(SN_ERROR_UNSUPPORTED, "too many rig influences (%zu)", list.count);
    }
    return result == SN_OK ? sort_influences(arena, &list, (size_t)s->mesh.vertex_count, model) : result;
}

static sn_result add_modes(sn_arena *arena, const sn_render_surface *s, sn_model *model)
{
    const size_t count = (size_t)s->mesh.vertex_count * (size_t)s->mode_count;
    const double *derivatives = count > 0 ? derive(arena, s, s->mode_weights, s->mode_count) : s->mode_weights;
    sn_mode_weight *modes = SN_NEW(arena, sn_mode_weight, count);
    if (!modes || !derivatives) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const bool is_rigid = s->is_rigid && s->is_rigid[i / (size_t)s->mode_count];
        modes[i].weight = (float)s->mode_weights[i];
        if (!is_rigid) {
            pack_derivatives(derivatives + 2 * i, modes[i].derivatives);
        }
    }
    model->surface_modes = modes;
    return SN_OK;
}

static sn_result add_vertices(sn_arena *arena, const sn_render_surface *s, sn_model *model)
{
    const size_t n = (size_t)s->mesh.vertex_count;
    float *uvs = SN_NEW(arena, float, 4 * n);
    uint16_t *colors = SN_NEW(arena, uint16_t, 4 * n);
    if (!uvs || !colors) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 4 * n; ++i) {
        uvs[i] = s->uvs[i % 4 / 2] ? (float)s->uvs[i % 4 / 2][i / 4 * 2 + i % 2] : 0;
        colors[i] = s->colors ? s->colors[i] : UINT16_MAX;
    }
    model->counts.surface_vertex_count = s->mesh.vertex_count;
    model->counts.surface_triangle_count = s->mesh.triangle_count;
    model->surface_positions = sn_to_float(arena, s->mesh.positions, 3 * n);
    model->surface_normals = sn_to_float(arena, s->normals, 3 * n);
    model->surface_tangents = sn_to_float(arena, s->tangents, 4 * n);
    model->surface_uvs = uvs;
    model->surface_colors = colors;
    model->surface_triangles = s->mesh.triangles;
    model->surface_tets = s->tets;
    model->surface_barycentric = sn_to_float(arena, s->barycentric, 4 * n);
    return model->surface_positions && model->surface_normals && model->surface_tangents && model->surface_barycentric
               ? SN_OK
               : SN_ERROR_MEMORY;
}

/* nodes: groups of a drawing's vertices, instead of coincident vertices; or null. */
static sn_result compute_derived(sn_arena *arena, const int32_t *nodes, sn_render_surface *s)
{
    const size_t n = (size_t)s->mesh.vertex_count;
    s->tangents = SN_NEW(arena, double, 4 * n);
    s->groups = SN_NEW(arena, int32_t, n);
    if (!s->tangents || !s->groups) {
        return SN_ERROR_MEMORY;
    }
    sn_tri_tangents(&s->mesh, s->normals, s->has_uvs ? s->uvs[0] : NULL, s->tangents);
    if (!nodes) {
        return sn_tri_groups(&s->mesh, s->normals, s->groups, &s->group_count);
    }
    memcpy(s->groups, nodes, n * sizeof *nodes);
    for (size_t v = 0; v < n; ++v) {
        s->group_count = nodes[v] >= s->group_count ? nodes[v] + 1 : s->group_count;
    }
    return SN_OK;
}

sn_result sn_cook_context_add_surface(sn_cook_context *cook, const double *mode_weights, sn_model *model)
{
    sn_render_surface s = {
        .bone_count = cook->bone_count, .mode_count = cook->modes.mode_count, .diagonal = cook->diagonal};
    SN_TRY(cook->has_character  ? sn_surface_from_character(cook, mode_weights, &s, model)
           : cook->surface_path ? sn_surface_from_file(cook, mode_weights, &s, model)
                                : sn_surface_from_boundary(cook, mode_weights, &s, model));
    SN_TRY(compute_derived(&cook->arena, cook->drawing_nodes, &s));
    SN_TRY(add_vertices(&cook->arena, &s, model));
    SN_TRY(sn_surface_add_influences(&cook->arena, &s, model));
    SN_TRY(add_modes(&cook->arena, &s, model));
    return sn_surface_add_morphs(cook, &s, model);
}
