/* SPDX-License-Identifier: MIT */
/* The boundary of the tet mesh as the rendered surface: vertices in ascending order, one part, the default material. */
#include <string.h>

#include "author/cook/surface/surface.h"

sn_material sn_default_material(void)
{
    return (sn_material){.base_color = {0.62F, 0.40F, 0.30F, 1},
                         .roughness = 0.55F,
                         .normal_scale = 1,
                         .occlusion_strength = 1,
                         .alpha_cutoff = 0.5F,
                         .textures = {-1, -1, -1, -1, -1}};
}

sn_result sn_render_surface_list_weights(sn_arena *arena, const double *table, sn_render_surface *s)
{
    const size_t n = (size_t)s->mesh.vertex_count, b = (size_t)s->bone_count;
    size_t count = 0;
    for (size_t i = 0; i < n * b; ++i) {
        count += table[i] > 0;
    }
    if (count > INT32_MAX) {
        return sn_fail_within(SN_ERROR_UNSUPPORTED, "too many rig influences (%zu)", count);
    }
    int32_t *starts = SN_NEW(arena, int32_t, n + 1), *bones = SN_NEW(arena, int32_t, count), next = 0;
    double *weights = SN_NEW(arena, double, count);
    if (!starts || !bones || !weights) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < n * b; ++i) {
        if (table[i] > 0) {
            bones[next] = (int32_t)(i % b);
            weights[next++] = table[i];
        }
        starts[i / b + 1] = next;
    }
    s->rig_starts = starts;
    s->rig_bones = bones;
    s->rig_weights = weights;
    return SN_OK;
}

/* Extracts the boundary's vertices and triangles. of_tet (vertex_count): their tet vertices. */
static sn_result extract_boundary(sn_cook_context *cook, sn_render_surface *s, int32_t **of_tet)
{
    const size_t n = (size_t)cook->mesh.vertex_count, corner_count = 3 * (size_t)cook->boundary_count;
    int32_t *index = SN_NEW(&cook->arena, int32_t, n), *triangles = SN_NEW(&cook->arena, int32_t, corner_count);
    *of_tet = SN_NEW(&cook->arena, int32_t, n);
    if (!index || !triangles || !*of_tet) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < corner_count; ++i) {
        index[cook->boundary[i]] = 1;
    }
    int count = 0;
    for (size_t v = 0; v < n; ++v) {
        if (index[v]) {
            (*of_tet)[count] = (int32_t)v;
            index[v] = count++;
        }
    }
    for (size_t i = 0; i < corner_count; ++i) {
        triangles[i] = index[cook->boundary[i]];
    }
    s->mesh.vertex_count = count;
    s->mesh.triangle_count = cook->boundary_count;
    s->mesh.triangles = triangles;
    return SN_OK;
}

/* Selects rows of a field of the tet mesh. */
static double *gather(sn_arena *arena, const double *values, const int32_t *rows, int row_count, int column_count)
{
    double *result = SN_NEW(arena, double, (size_t)row_count *(size_t)column_count);
    for (int i = 0; result && i < row_count; ++i) {
        memcpy(result + (size_t)i * (size_t)column_count, values + (size_t)rows[i] * (size_t)column_count,
               (size_t)column_count * sizeof(double));
    }
    return result;
}

/* Places each vertex at a corner of the first tet that contains it. */
static sn_result embed_in_tets(sn_cook_context *cook, const int32_t *of_tet, sn_render_surface *s)
{
    const size_t n = (size_t)s->mesh.vertex_count;
    int32_t *slots = SN_NEW(&cook->arena, int32_t, cook->mesh.vertex_count), *tets = SN_NEW(&cook->arena, int32_t, n);
    double *barycentric = SN_NEW(&cook->arena, double, 4 * n);
    if (!slots || !tets || !barycentric) {
        return SN_ERROR_MEMORY;
    }
    for (int32_t i = 4 * cook->mesh.tet_count; i-- > 0;) {
        if (!cook->mesh.is_flat || i % 4 < 3) {
            slots[cook->mesh.tets[i]] = i;
        }
    }
    for (size_t v = 0; v < n; ++v) {
        tets[v] = slots[of_tet[v]] / 4;
        barycentric[4 * v + (size_t)(slots[of_tet[v]] % 4)] = 1;
    }
    s->tets = tets;
    s->barycentric = barycentric;
    return SN_OK;
}

static sn_result add_default_part(sn_arena *arena, const sn_render_surface *s, sn_model *model)
{
    sn_material *material = SN_NEW(arena, sn_material, 1);
    sn_part *part = SN_NEW(arena, sn_part, 1);
    if (!material || !part) {
        return SN_ERROR_MEMORY;
    }
    *material = sn_default_material();
    material->is_double_sided = model->is_flat == 1;
    *part = (sn_part){.triangle_count = s->mesh.triangle_count};
    model->counts.material_count = 1;
    model->materials = material;
    model->counts.part_count = 1;
    model->parts = part;
    return SN_OK;
}

sn_result sn_surface_from_boundary(sn_cook_context *cook, const double *mode_weights, sn_render_surface *s,
                                   sn_model *model)
{
    int32_t *of_tet = NULL;
    const sn_result result = extract_boundary(cook, s, &of_tet);
    if (result != SN_OK) {
        return result;
    }
    const int n = s->mesh.vertex_count;
    const double *rig = gather(&cook->arena, cook->rig_weights, of_tet, n, s->bone_count);
    s->mesh.positions = gather(&cook->arena, cook->mesh.positions, of_tet, n, 3);
    s->mode_weights = gather(&cook->arena, mode_weights, of_tet, n, s->mode_count);
    s->normals = SN_NEW(&cook->arena, double, 3 * n);
    if (!rig || !s->mesh.positions || !s->mode_weights || !s->normals ||
        sn_render_surface_list_weights(&cook->arena, rig, s) != SN_OK || embed_in_tets(cook, of_tet, s) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    sn_tri_normals(&s->mesh, s->normals);
    return add_default_part(&cook->arena, s, model);
}
