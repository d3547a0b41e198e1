/* SPDX-License-Identifier: MIT */
/* Replaces the handles of a cooked character: computes new weights on its tets and embeds its surface in them.
 * Everything else of the model is kept, except what belongs to the old bones. */
#include <math.h>
#include <string.h>

#include "author/cook/handles/handles.h"
#include "author/cook/stages/stages.h"
#include "author/cook/surface/surface.h"
#include "author/import/names.h"
#include "author/weights/rig_weights.h"
#include "host/mesh/embedding.h"

static const double origin[3] = {0, 0, 0};

/* A cooked body, converted back to double. */
typedef struct rig_cook {
    const sn_model *model;
    const sn_cook_rig_desc *desc;
    sn_arena arena;
    sn_tet_mesh mesh;
    sn_handle_bones bones;
    double *weights; /* (vertex_count x count) */
} rig_cook;

static double *to_double(sn_arena *arena, const float *values, size_t count)
{
    double *converted = SN_NEW(arena, double, count);
    for (size_t i = 0; converted && i < count; ++i) {
        converted[i] = (double)values[i];
    }
    return converted;
}

static sn_result solve(rig_cook *r)
{
    const sn_model *m = r->model;
    const sn_cook_handles *h = &r->desc->handles;
    const sn_input_handles input = {.handles = *h};
    sn_handle_lists lists;
    sn_cages cages;
    r->mesh = (sn_tet_mesh){.vertex_count = m->counts.vertex_count,
                            .tet_count = m->counts.tet_count,
                            .positions = to_double(&r->arena, m->rest_positions, 3 * (size_t)m->counts.vertex_count),
                            .tets = (int32_t *)(uintptr_t)m->tets, /* never written to */
                            .is_flat = sn_model_is_flat(m)};
    r->weights = SN_NEW(&r->arena, double, (size_t)m->counts.vertex_count *(size_t)h->count);
    if (!r->mesh.positions || !r->weights) {
        return SN_ERROR_MEMORY;
    }
    const sn_handle_body body = {.name = h->name ? h->name : "handles",
                                 .body_name = "the body",
                                 .mesh = &r->mesh,
                                 .boundary = m->triangles,
                                 .boundary_count = m->counts.triangle_count,
                                 .is_cancelled = r->desc->is_cancelled,
                                 .cancel_user = r->desc->cancel_user};
    SN_TRY(sn_input_handles_list(&input, origin, 1, &r->arena, &lists, &cages));
    return sn_handles_solve(&body, &lists, cages.surface.triangle_count > 0 ? &cages : NULL, &r->arena, r->weights);
}

/* Embeds the surface in the tets. A vertex that only followed bones goes to the nearest tet. */
static sn_result embed_surface(rig_cook *r, int32_t **tets, double **barycentric)
{
    const sn_model *m = r->model;
    const size_t n = (size_t)m->counts.surface_vertex_count;
    int32_t *unembedded = SN_NEW(&r->arena, int32_t, n), *located = SN_NEW(&r->arena, int32_t, n);
    double *points = SN_NEW(&r->arena, double, 3 * n), *coordinates = SN_NEW(&r->arena, double, 4 * n);
    int unembedded_count = 0;
    *tets = SN_NEW(&r->arena, int32_t, n);
    *barycentric = to_double(&r->arena, m->surface_barycentric, 4 * n);
    if (!unembedded || !located || !points || !coordinates || !*tets || !*barycentric) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < n; ++v) {
        (*tets)[v] = m->surface_tets[v];
        if (m->surface_tets[v] < 0) {
            for (size_t d = 0; d < 3; ++d) {
                points[3 * (size_t)unembedded_count + d] = (double)m->surface_positions[3 * v + d];
            }
            unembedded[unembedded_count++] = (int32_t)v;
        }
    }
    SN_TRY(unembedded_count > 0 ? sn_tet_locate(&r->mesh, m->triangles, m->counts.triangle_count, points,
                                                unembedded_count, located, coordinates)
                                : SN_OK);
    for (int i = 0; i < unembedded_count; ++i) {
        double sum = 0;
        (*tets)[unembedded[i]] = located[i];
        for (int corner = 0; corner < 4; ++corner) { /* project onto the tet */
            coordinates[4 * i + corner] = fmax(coordinates[4 * i + corner], 0);
            sum += coordinates[4 * i + corner];
        }
        for (int corner = 0; corner < 4; ++corner) {
            (*barycentric)[4 * (size_t)unembedded[i] + (size_t)corner] = coordinates[4 * i + corner] / sum;
        }
    }
    return SN_OK;
}

static sn_result add_surface(rig_cook *r, sn_model *result_model)
{
    const sn_model *m = r->model;
    const size_t n = (size_t)m->counts.surface_vertex_count, b = (size_t)r->desc->handles.count;
    int32_t *tets = NULL;
    double *barycentric = NULL;
    sn_render_surface s = {.mesh = {(int)n, m->counts.surface_triangle_count,
                                    to_double(&r->arena, m->surface_positions, 3 * n), m->surface_triangles},
                           .normals = to_double(&r->arena, m->surface_normals, 3 * n),
                           .tangents = to_double(&r->arena, m->surface_tangents, 4 * n),
                           .groups = SN_NEW(&r->arena, int32_t, n),
                           .bone_count = (int)b,
                           .diagonal = m->diagonal};
    double *table = SN_NEW(&r->arena, double, n *b);
    if (!s.mesh.positions || !s.normals || !s.tangents || !s.groups || !table) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = embed_surface(r, &tets, &barycentric);
    if (result == SN_OK) {
        sn_embed_rows(&r->mesh, tets, barycentric, (int)n, r->weights, (int)b, table);
        for (size_t v = 0; v < n; ++v) {
            sn_weights_normalise(table + v * b, (int)b);
        }
        result = sn_render_surface_list_weights(&r->arena, table, &s);
    }
    if (result == SN_OK) {
        result = sn_tri_groups(&s.mesh, s.normals, s.groups, &s.group_count);
    }
    result_model->surface_tets = tets;
    result_model->surface_barycentric = result == SN_OK ? sn_to_float(&r->arena, barycentric, 4 * n) : NULL;
    if (result == SN_OK && !result_model->surface_barycentric) {
        result = SN_ERROR_MEMORY;
    }
    return result == SN_OK ? sn_surface_add_influences(&r->arena, &s, result_model) : result;
}

static sn_result add_bones(rig_cook *r, sn_model *result_model)
{
    const size_t b = (size_t)r->desc->handles.count;
    float *bind = SN_NEW(&r->arena, float, 12 * b);
    int32_t *types = SN_NEW(&r->arena, int32_t, b);
    char *names = NULL;
    result_model->counts.bone_count = (int32_t)b;
    result_model->bone_parents = r->bones.parents;
    result_model->bone_types = types;
    result_model->bone_bind = bind;
    result_model->bone_pivots = sn_to_float(&r->arena, r->bones.pivots, 3 * b);
    result_model->rig_weights = sn_to_float(&r->arena, r->weights, (size_t)result_model->counts.vertex_count * b);
    if (!bind || !types || !result_model->bone_pivots || !result_model->rig_weights) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < b; ++i) {
        types[i] = r->bones.is_translated[i]    ? SN_BONE_TRANSLATION
                   : r->bones.is_stretchable[i] ? SN_BONE_STRETCHABLE
                                                : SN_BONE_AFFINE;
        bind[12 * i] = bind[12 * i + 5] = bind[12 * i + 10] = 1;
    }
    const sn_result result =
        sn_names_pack(r->bones.names, (int)b, "bone", &r->arena, &names, &result_model->counts.bone_name_bytes);
    result_model->bone_names = names;
    return result ? result : sn_handles_store(&r->desc->handles, origin, 1, &r->arena, result_model);
}

/* Removes everything that belongs to the old bones, such as modes and clips. */
static void remove_old_bones(sn_model *result_model)
{
    sn_model_counts *c = &result_model->counts;
    c->mode_count = c->cluster_count = c->coordinate_count = c->coarse_level_count = 0;
    c->constrained_coordinate_count = c->min_mode_count = 0;
    c->clip_count = c->clip_frame_total = c->clip_name_bytes = c->morph_track_count = 0;
    c->morph_field_count = c->morph_pair_count = 0;
    result_model->volume_bound = result_model->total_stiffness = result_model->is_posed = result_model->has_roles =
        result_model->bone_collider_count = 0;
    result_model->spring_joint_count = result_model->spring_solid_count = result_model->spring_link_count =
        result_model->soft_spring_count = result_model->generated_clip_count = 0;
    result_model->flesh_part_count = result_model->flesh_part_name_bytes = 0;
    result_model->strain_type = SN_STRAIN_NONE;
    result_model->file_bytes = NULL;
    result_model->file_size = 0;
}

sn_result sn_cook_rig(const sn_model *model, const sn_cook_rig_desc *desc, sn_blob *blob)
{
    rig_cook r = {.model = model, .desc = desc};
    sn_model result_model = *model;
    uint8_t *bytes = NULL;
    size_t size = 0;
    *blob = (sn_blob){0};
    sn_result result = sn_input_handles_check(&desc->handles);
    result = result ? result : sn_input_handles_bones(&desc->handles, &r.arena, &r.bones);
    result = result ? result : solve(&r);
    remove_old_bones(&result_model);
    result = result ? result : add_bones(&r, &result_model);
    result = result ? result : add_surface(&r, &result_model);
    result = result ? result : sn_model_write(&result_model, &r.arena, &bytes, &size);
    result = result ? result : sn_blob_copy(bytes, size, blob);
    sn_arena_finish(&r.arena);
    return result;
}
