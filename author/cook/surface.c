/* SPDX-License-Identifier: MIT */
/* The surface that is drawn: normals, tangents, and the weights with their derivatives (host/mesh/tri_mesh.h), packed
 * as the vertex shader reads them. */
#include "author/cook/surface.h"

#include <math.h>
#include <string.h>

#include "author/cook/assemble.h"
#include "host/math/half.h"
#include "host/mesh/tri_mesh.h"

/* Weights below this move nothing that could be seen. */
#define LEAST_WEIGHT 1e-6

/* What is drawn, in double; weights are (vertex_count x bone_count) and (vertex_count x mode_count). */
typedef struct surface {
    sn_tri_mesh mesh;
    double *positions, *normals, *tangents, *rig_weights, *mode_weights;
    double *rig_derivatives, *mode_derivatives; /* the weights' shape x 2, for a unit of the diagonal */
    int bone_count, mode_count;
} surface;

/* The boundary's vertices, ascending, and its triangles on them. of_tet (vertex_count) names their tet vertices. */
static sn_result take_boundary(sn_cooking *k, surface *s, int32_t **of_tet)
{
    const size_t n = (size_t)k->mesh.vertex_count, corner_count = 3 * (size_t)k->boundary_count;
    int32_t *index = SN_NEW(&k->arena, int32_t, n), *triangles = SN_NEW(&k->arena, int32_t, corner_count);
    *of_tet = SN_NEW(&k->arena, int32_t, n);
    if (!index || !triangles || !*of_tet) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < corner_count; ++i) {
        index[k->boundary[i]] = 1;
    }
    int count = 0;
    for (size_t v = 0; v < n; ++v) {
        if (index[v]) {
            (*of_tet)[count] = (int32_t)v;
            index[v] = count++;
        }
    }
    for (size_t i = 0; i < corner_count; ++i) {
        triangles[i] = index[k->boundary[i]];
    }
    s->mesh.vertex_count = count;
    s->mesh.triangle_count = k->boundary_count;
    s->mesh.triangles = triangles;
    return SN_OK;
}

/* Rows of a field of the tet mesh at the surface's vertices. */
static double *gather(sn_arena *arena, const double *values, const int32_t *rows, int row_count, int column_count)
{
    double *result = SN_NEW(arena, double, (size_t)row_count *(size_t)column_count);
    for (int i = 0; result && i < row_count; ++i) {
        memcpy(result + (size_t)i * (size_t)column_count, values + (size_t)rows[i] * (size_t)column_count,
               (size_t)column_count * sizeof(double));
    }
    return result;
}

static double *derive(sn_arena *arena, const surface *s, const int32_t *groups, int group_count, const double *fields,
                      int field_count, double diagonal)
{
    const size_t count = (size_t)s->mesh.vertex_count * (size_t)field_count * 2;
    double *derivatives = SN_NEW(arena, double, count);
    if (!derivatives || sn_tri_derivatives(&s->mesh, groups, group_count, s->normals, s->tangents, fields, field_count,
                                           derivatives) != SN_OK) {
        return NULL;
    }
    for (size_t i = 0; i < count; ++i) {
        derivatives[i] *= diagonal;
    }
    return derivatives;
}

static sn_result build(sn_cooking *k, const double *mode_weights, surface *s)
{
    int32_t *of_tet = NULL;
    int group_count = 0;
    sn_result result = take_boundary(k, s, &of_tet);
    if (result != SN_OK) {
        return result;
    }
    const int n = s->mesh.vertex_count;
    s->bone_count = k->rig.bone_count;
    s->mode_count = k->modes.mode_count;
    s->positions = gather(&k->arena, k->mesh.positions, of_tet, n, 3);
    s->rig_weights = gather(&k->arena, k->rig_weights, of_tet, n, s->bone_count);
    s->mode_weights = gather(&k->arena, mode_weights, of_tet, n, s->mode_count);
    s->normals = SN_NEW(&k->arena, double, 3 * n);
    s->tangents = SN_NEW(&k->arena, double, 4 * n);
    int32_t *groups = SN_NEW(&k->arena, int32_t, n);
    if (!s->positions || !s->rig_weights || !s->mode_weights || !s->normals || !s->tangents || !groups) {
        return SN_ERROR_MEMORY;
    }
    s->mesh.positions = s->positions;
    sn_tri_normals(&s->mesh, s->normals);
    sn_tri_tangents(&s->mesh, s->normals, NULL, s->tangents);
    result = sn_tri_groups(&s->mesh, s->normals, groups, &group_count);
    if (result == SN_OK) {
        s->rig_derivatives = derive(&k->arena, s, groups, group_count, s->rig_weights, s->bone_count, k->diagonal);
        s->mode_derivatives = derive(&k->arena, s, groups, group_count, s->mode_weights, s->mode_count, k->diagonal);
        result = s->rig_derivatives && s->mode_derivatives ? SN_OK : SN_ERROR_MEMORY;
    }
    return result;
}

static void pack_derivatives(const double *derivatives, uint16_t *packed)
{
    packed[0] = sn_half_from_float((float)derivatives[0]);
    packed[1] = sn_half_from_float((float)derivatives[1]);
}

/* A bone that has no weight at a vertex but some next to it bends the surface there too. */
static bool is_influence(const surface *s, size_t entry)
{
    return s->rig_weights[entry] >= LEAST_WEIGHT || fabs(s->rig_derivatives[2 * entry]) > 1e-3 ||
           fabs(s->rig_derivatives[2 * entry + 1]) > 1e-3;
}

/* The kept weights sum to one again. Returns their count. */
static int32_t pack_influences(const surface *s, size_t vertex, sn_influence *influences)
{
    const size_t bones = (size_t)s->bone_count;
    double sum = 0;
    int32_t count = 0;
    for (size_t b = 0; b < bones; ++b) {
        sum += is_influence(s, vertex * bones + b) ? s->rig_weights[vertex * bones + b] : 0;
    }
    for (size_t b = 0; b < bones; ++b) {
        const size_t entry = vertex * bones + b;
        if (is_influence(s, entry)) {
            influences[count].bone = (int32_t)b;
            influences[count].weight = (float)(s->rig_weights[entry] / sum);
            pack_derivatives(s->rig_derivatives + 2 * entry, influences[count++].derivatives);
        }
    }
    return count;
}

static sn_result add_influences(sn_arena *arena, const surface *s, sn_model *model)
{
    const size_t bones = (size_t)s->bone_count, n = (size_t)s->mesh.vertex_count;
    int64_t count = 0;
    for (size_t entry = 0; entry < n * bones; ++entry) {
        count += is_influence(s, entry);
    }
    if (count > INT32_MAX) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%lld rig influences are too many", (long long)count);
    }
    int32_t *starts = SN_NEW(arena, int32_t, n + 1);
    sn_influence *influences = SN_NEW(arena, sn_influence, count);
    if (!starts || !influences) {
        return SN_ERROR_MEMORY;
    }
    int32_t next = 0;
    for (size_t v = 0; v < n; ++v) {
        next += pack_influences(s, v, influences + next);
        starts[v + 1] = next;
    }
    model->counts.influence_count = next;
    model->influence_starts = starts;
    model->influences = influences;
    return SN_OK;
}

static sn_result add_modes(sn_arena *arena, const surface *s, sn_model *model)
{
    const size_t count = (size_t)s->mesh.vertex_count * (size_t)s->mode_count;
    sn_mode_weight *modes = SN_NEW(arena, sn_mode_weight, count);
    for (size_t i = 0; modes && i < count; ++i) {
        modes[i].weight = (float)s->mode_weights[i];
        pack_derivatives(s->mode_derivatives + 2 * i, modes[i].derivatives);
    }
    model->surface_modes = modes;
    return modes ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result add_vertices(sn_arena *arena, const surface *s, sn_model *model)
{
    const size_t n = (size_t)s->mesh.vertex_count;
    uint16_t *colors = SN_NEW(arena, uint16_t, 4 * n);
    if (!colors) {
        return SN_ERROR_MEMORY;
    }
    memset(colors, 0xff, 4 * n * sizeof *colors);
    model->counts.surface_vertex_count = s->mesh.vertex_count;
    model->counts.surface_triangle_count = s->mesh.triangle_count;
    model->surface_positions = sn_narrow(arena, s->positions, 3 * n);
    model->surface_normals = sn_narrow(arena, s->normals, 3 * n);
    model->surface_tangents = sn_narrow(arena, s->tangents, 4 * n);
    model->surface_uvs = SN_NEW(arena, float, 4 * n);
    model->surface_colors = colors;
    model->surface_triangles = s->mesh.triangles;
    return model->surface_positions && model->surface_normals && model->surface_tangents && model->surface_uvs
               ? SN_OK
               : SN_ERROR_MEMORY;
}

/* One plain material for everything: clay. */
static sn_result add_material(sn_arena *arena, sn_model *model)
{
    sn_material *material = SN_NEW(arena, sn_material, 1);
    sn_part *part = SN_NEW(arena, sn_part, 1);
    if (!material || !part) {
        return SN_ERROR_MEMORY;
    }
    *material = (sn_material){.base_color = {0.62F, 0.40F, 0.30F, 1},
                              .roughness = 0.55F,
                              .normal_scale = 1,
                              .occlusion_strength = 1,
                              .alpha_cutoff = 0.5F,
                              .textures = {-1, -1, -1, -1, -1}};
    *part = (sn_part){.triangle_count = model->counts.surface_triangle_count};
    model->counts.material_count = 1;
    model->materials = material;
    model->counts.part_count = 1;
    model->parts = part;
    return SN_OK;
}

sn_result sn_cooking_add_surface(sn_cooking *k, const double *mode_weights, sn_model *model)
{
    surface s = {.positions = NULL};
    sn_result result = build(k, mode_weights, &s);
    if (result == SN_OK) {
        result = add_vertices(&k->arena, &s, model);
    }
    if (result == SN_OK) {
        result = add_influences(&k->arena, &s, model);
    }
    if (result == SN_OK) {
        result = add_modes(&k->arena, &s, model);
    }
    return result == SN_OK ? add_material(&k->arena, model) : result;
}
