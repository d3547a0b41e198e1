/* SPDX-License-Identifier: MIT */
/* The second stage: loads or builds the tet mesh, converts it to model units, builds its operators, and embeds the
 * character's surface in it. */
#include <math.h>
#include <string.h>

#include "author/cook/anchored/anchored.h"
#include "author/cook/parts/parts.h"
#include "author/cook/stages/stages.h"
#include "host/math/vec3.h"
#include "host/mesh/embedding.h"
#include "host/mesh/flat_mesh.h"

/* Number of clip poses from which the mesher learns which parts move separately. */
#define MESHER_POSE_LIMIT 24
#define FAR_FROM_METRE 4.0

static void measure_box(sn_cook_context *cook)
{
    double low[3], high[3];
    cook->diagonal = sn_tet_mesh_box(&cook->mesh, low, high);
    cook->height = high[1] - low[1];
    for (int d = 0; d < 3; ++d) {
        double sum = 0;
        for (int v = 0; v < cook->mesh.vertex_count; ++v) {
            sum += cook->mesh.positions[3 * v + d];
        }
        cook->origin[d] = sum / cook->mesh.vertex_count;
    }
}

/* Moves a flat body into the plane z = 0. */
static void centre_plane(sn_cook_context *cook)
{
    cook->origin[2] = cook->plane;
    for (int v = 0; v < cook->mesh.vertex_count; ++v) {
        cook->mesh.positions[3 * v + 2] = cook->plane;
    }
}

/* To model units, except for a requested size: x <- (x - origin) * scale. */
static void rescale(sn_cook_context *cook)
{
    measure_box(cook);
    cook->scale = 1 / cook->diagonal;
    if (cook->desc->size == 0 && cook->desc->units == SN_UNITS_KEEP) {
        memset(cook->origin, 0, sizeof cook->origin);
        cook->scale = 1;
    }
    if (cook->mesh.is_flat) {
        centre_plane(cook);
    }
    for (int i = 0; i < 3 * cook->mesh.vertex_count; ++i) {
        cook->mesh.positions[i] = (cook->mesh.positions[i] - cook->origin[i % 3]) * cook->scale;
    }
    cook->diagonal *= cook->scale;
    cook->height *= cook->scale;
}

static void scale_all(double *values, size_t count, double factor)
{
    for (size_t i = 0; i < count; ++i) {
        values[i] *= factor;
    }
}

/* The same stiffness makes a large body soft and a small one rigid. If the user gives none, a character gets the
 * stiffness that suits a body of 1 m, and so does a tet mesh that is far from that size. */
static void fit_young(sn_cook_context *cook)
{
    const bool is_far_from_metre = cook->diagonal > FAR_FROM_METRE || cook->diagonal * FAR_FROM_METRE < 1;
    if (cook->desc->young == 0 && !cook->desc->is_coupled && (cook->has_character || is_far_from_metre)) {
        cook->report.young *= cook->diagonal * cook->diagonal;
    }
}

void sn_cook_context_rescale(sn_cook_context *cook)
{
    const double size = cook->desc->size > 0 ? cook->desc->size : 1;
    const size_t n = (size_t)cook->mesh.vertex_count, modes = (size_t)cook->modes.mode_count;
    if (size != 1) {
        cook->scale *= size;
        cook->diagonal *= size;
        cook->height *= size;
        scale_all(cook->mesh.positions, 3 * n, size);
        scale_all(cook->morph_fields, 3 * n * (size_t)cook->morph_field_count, size);
        scale_all(cook->morph_columns, 3 * n * (size_t)cook->morph_pair_count, size);
        /* modes have unit mass, and mass scales with the third or second power of the size */
        scale_all(cook->modes.weights, n * modes, cook->mesh.is_flat ? 1 / size : 1 / (size * sqrt(size)));
        scale_all(cook->modes.eigenvalues, modes, 1 / (size * size));
        const sn_sparse *h = &cook->modes.hessian;
        scale_all(h->values, h->size > 0 ? (size_t)h->column_starts[h->size] : 0, cook->mesh.is_flat ? 1 : size);
        sn_tet_gradients(&cook->mesh, cook->gradients, cook->volumes);
        sn_tet_lumped_mass(&cook->mesh, cook->volumes, cook->tet_density, cook->mass);
    }
    fit_young(cook);
}

static double min_dihedral_angle(const sn_cook_context *cook)
{
    double max_cosine = -1; /* cosine of the angle between two faces: minus the cosine between their outward normals */
    const int corners = cook->mesh.is_flat ? 3 : 4;
    for (size_t t = 0; t < (size_t)cook->mesh.tet_count; ++t) {
        const double *g = cook->gradients + 12 * t;
        for (int i = 0; i < corners; ++i) {
            for (int j = i + 1; j < corners; ++j) {
                const double *a = g + 3 * i, *b = g + 3 * j;
                max_cosine = fmax(max_cosine, -sn_dot3(a, b) / sqrt(sn_dot3(a, a) * sn_dot3(b, b)));
            }
        }
    }
    return acos(fmin(max_cosine, 1)) * (180 / 3.14159265358979323846);
}

static sn_result count_components(sn_cook_context *cook)
{
    int32_t *labels = SN_NEW(&cook->arena, int32_t, cook->mesh.tet_count);
    return labels ? sn_clusters_split(cook->mesh.tet_count, cook->neighbours, labels, &cook->report.component_count)
                  : SN_ERROR_MEMORY;
}

sn_result sn_cook_context_list_soft_triangles(sn_cook_context *cook, int32_t **triangles, int *count)
{
    const sn_character *c = &cook->character;
    *triangles = SN_NEW(&cook->arena, int32_t, c->triangle_count);
    *count = 0;
    for (int p = 0; *triangles && p < c->part_count; ++p) {
        const sn_character_part *part = &c->parts[p];
        for (int t = part->first_triangle; t < part->first_triangle + part->triangle_count; ++t) {
            if (!part->is_hidden &&
                !c->is_rigid[c->triangles[3 * (size_t)t]]) { /* a connected piece is rigid as a whole */
                (*triangles)[(*count)++] = t;
            }
        }
    }
    return *triangles ? SN_OK : SN_ERROR_MEMORY;
}

/* The soft part of the character. */
typedef struct soft_surface {
    int32_t *of_vertex; /* (vertex_count) the character's vertex */
    sn_mesher_input input;
} soft_surface;

static sn_result extract_vertices(sn_cook_context *cook, const int32_t *triangles, int triangle_count,
                                  soft_surface *soft)
{
    const sn_character *c = &cook->character;
    const size_t n = (size_t)c->vertex_count;
    int32_t *index = SN_NEW(&cook->arena, int32_t, n),
            *corners = SN_NEW(&cook->arena, int32_t, 3 * (size_t)triangle_count);
    double *positions = SN_NEW(&cook->arena, double, 3 * n);
    soft->of_vertex = SN_NEW(&cook->arena, int32_t, n);
    if (!index || !corners || !positions || !soft->of_vertex) {
        return SN_ERROR_MEMORY;
    }
    memset(index, -1, n * sizeof *index);
    int count = 0;
    for (size_t i = 0; i < 3 * (size_t)triangle_count; ++i) {
        const int32_t vertex = c->triangles[3 * (size_t)triangles[i / 3] + i % 3];
        if (index[vertex] < 0) {
            memcpy(positions + 3 * (size_t)count, c->positions + 3 * (size_t)vertex, 3 * sizeof(double));
            soft->of_vertex[count] = vertex;
            index[vertex] = count++;
        }
        corners[i] = index[vertex];
    }
    soft->input = (sn_mesher_input){.name = cook->path,
                                    .vertex_count = count,
                                    .triangle_count = triangle_count,
                                    .positions = positions,
                                    .triangles = corners,
                                    .target_vertex_count = cook->desc->tet_vertex_count,
                                    .worker_count = cook->desc->worker_count};
    return SN_OK;
}

static sn_result extract_skin(sn_cook_context *cook, soft_surface *soft)
{
    const sn_character *c = &cook->character;
    const size_t influences = (size_t)c->influence_starts[c->vertex_count];
    int32_t *starts = SN_NEW(&cook->arena, int32_t, soft->input.vertex_count + 1);
    int32_t *bones = SN_NEW(&cook->arena, int32_t, influences);
    double *weights = SN_NEW(&cook->arena, double, influences),
           *origins = SN_NEW(&cook->arena, double, 3 * c->bone_count);
    if (!starts || !bones || !weights || !origins) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < soft->input.vertex_count; ++v) {
        const int32_t first = c->influence_starts[soft->of_vertex[v]];
        const int32_t count = c->influence_starts[soft->of_vertex[v] + 1] - first;
        memcpy(bones + starts[v], c->influence_bones + first, (size_t)count * sizeof *bones);
        memcpy(weights + starts[v], c->influence_weights + first, (size_t)count * sizeof *weights);
        starts[v + 1] = starts[v] + count;
    }
    for (int i = 0; i < 3 * c->bone_count; ++i) {
        origins[i] = c->bone_bind[12 * (i / 3) + 4 * (i % 3) + 3];
    }
    soft->input.bone_count = c->bone_count;
    soft->input.influence_starts = starts;
    soft->input.influence_bones = bones;
    soft->input.influence_weights = weights;
    soft->input.bone_parents = c->bone_parents;
    soft->input.bone_origins = origins;
    return SN_OK;
}

/* Samples frames evenly over all clips. A separate rig file has no poses for the character's own bones; generated clips
 * leave most of them still, so they do not show which parts move separately. */
static sn_result extract_poses(sn_cook_context *cook, soft_surface *soft)
{
    if (cook->has_rig || cook->report.generated_clip_count > 0) {
        return SN_OK;
    }
    const size_t width = 12 * (size_t)cook->bone_count;
    int64_t total = 0;
    for (int i = 0; i < cook->clip_count; ++i) {
        total += cook->clips[i].frame_count;
    }
    const int count = total < MESHER_POSE_LIMIT ? (int)total : MESHER_POSE_LIMIT;
    double *poses = SN_NEW(&cook->arena, double, (size_t)count *width);
    if (!poses) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        int64_t frame = total * (2 * i + 1) / (2 * count);
        int clip = 0;
        while (frame >= cook->clips[clip].frame_count) {
            frame -= cook->clips[clip++].frame_count;
        }
        memcpy(poses + (size_t)i * width, cook->clips[clip].transforms + (size_t)frame * width, width * sizeof(double));
    }
    soft->input.pose_count = count;
    soft->input.poses = poses;
    return SN_OK;
}

static bool is_cancelled(void *user)
{
    const sn_cook_desc *desc = user;
    return desc->progress && !desc->progress(SN_COOK_MESH, desc->progress_user);
}

static sn_result build_tets(sn_cook_context *cook, soft_surface *soft)
{
    sn_cook_desc desc = *cook->desc;
    SN_TRY(extract_skin(cook, soft));
    SN_TRY(extract_poses(cook, soft));
    soft->input.is_cancelled = is_cancelled;
    soft->input.cancel_user = &desc;
    SN_TRY(sn_mesher_run(&soft->input, &cook->arena, &cook->mesher_output));
    cook->is_meshed = true;
    cook->mesh = cook->mesher_output.mesh;
    cook->tet_fill = cook->mesher_output.tet_fill;
    cook->report.outside_count = cook->mesher_output.report.outside_count;
    cook->report.glued_count = cook->mesher_output.report.glued_count;
    cook->report.torn_count = cook->mesher_output.report.torn_count;
    cook->report.stretch_count = cook->mesher_output.report.stretch_count;
    cook->report.bridge_count = cook->mesher_output.report.bridge_count;
    return SN_OK;
}

/* Counts the character's vertices outside of given tets. Small distances are harmless, since such vertices use the
 * nearest tet; if most are farther than a tet's height, the mesh probably belongs to something else. */
static void count_outside(sn_cook_context *cook, const double *weights, int count)
{
    int outlier_count = 0;
    for (size_t i = 0; i < (size_t)count; ++i) {
        const double *w = weights + 4 * i, min_coordinate = fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
        cook->report.outside_count += min_coordinate < -1e-6;
        outlier_count += min_coordinate < -1;
    }
    if (outlier_count > count / 2) {
        sn_log(SN_LOG_WARNING, "%s: %d of the %d vertices of %s are far outside of the tet mesh", cook->desc->tets_path,
               outlier_count, count, cook->path);
    }
}

/* Projects onto the tet: extrapolated weights are unstable at thin tips. */
static void clamp_barycentric(double *w)
{
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
        w[i] = fmax(w[i], 0);
        sum += w[i];
    }
    for (int i = 0; i < 4; ++i) {
        w[i] /= sum;
    }
}

/* Finds the tets of the character's soft vertices; the others get -1. */
static sn_result embed(sn_cook_context *cook, const soft_surface *soft)
{
    const size_t n = (size_t)cook->character.vertex_count;
    const int32_t *tets = cook->mesher_output.vertex_tets;
    const double *weights = cook->mesher_output.vertex_weights;
    cook->embedding_tets = SN_NEW(&cook->arena, int32_t, n);
    cook->embedding_weights = SN_NEW(&cook->arena, double, 4 * n);
    if (!cook->embedding_tets || !cook->embedding_weights) {
        return SN_ERROR_MEMORY;
    }
    if (!cook->is_meshed) {
        int32_t *located = SN_NEW(&cook->arena, int32_t, soft->input.vertex_count);
        double *coordinates = SN_NEW(&cook->arena, double, 4 * (size_t)soft->input.vertex_count);
        if (!located || !coordinates ||
            sn_tet_locate(&cook->mesh, cook->boundary, cook->boundary_count, soft->input.positions,
                          soft->input.vertex_count, located, coordinates) != SN_OK) {
            return SN_ERROR_MEMORY;
        }
        tets = located;
        weights = coordinates;
        count_outside(cook, coordinates, soft->input.vertex_count);
    }
    memset(cook->embedding_tets, -1, n * sizeof(int32_t));
    for (int v = 0; v < soft->input.vertex_count; ++v) {
        const size_t to = (size_t)soft->of_vertex[v];
        cook->embedding_tets[to] = tets[v];
        memcpy(cook->embedding_weights + 4 * to, weights + 4 * (size_t)v, 4 * sizeof(double));
        clamp_barycentric(cook->embedding_weights + 4 * to);
    }
    return SN_OK;
}

static sn_result build_operators(sn_cook_context *cook)
{
    const size_t n = (size_t)cook->mesh.vertex_count, t = (size_t)cook->mesh.tet_count;
    cook->gradients = SN_NEW(&cook->arena, double, 12 * t);
    cook->volumes = SN_NEW(&cook->arena, double, t);
    cook->mass = cook->model_mass = SN_NEW(&cook->arena, double, n);
    if (!cook->gradients || !cook->volumes || !cook->mass) {
        return SN_ERROR_MEMORY;
    }
    rescale(cook);
    sn_tet_gradients(&cook->mesh, cook->gradients, cook->volumes);
    cook->report.min_dihedral = min_dihedral_angle(cook);
    if (cook->mesh.is_flat) {
        sn_cook_context_check_plane(cook);
    }
    SN_TRY(count_components(cook));
    if (!cook->is_meshed && cook->report.component_count > 1) {
        sn_log(SN_LOG_WARNING, "%s: the %s has %d disconnected components",
               cook->desc->tets_path ? cook->desc->tets_path : cook->path, cook->mesh.is_flat ? "surface" : "tet mesh",
               cook->report.component_count);
    }
    return SN_OK;
}

static sn_result build_topology(sn_cook_context *cook)
{
    sn_arena scratch = {0};
    cook->neighbours = SN_NEW(&cook->arena, int32_t, 4 * (size_t)cook->mesh.tet_count);
    sn_result result = cook->neighbours ? sn_tet_neighbours(&cook->mesh, &scratch, cook->neighbours) : SN_ERROR_MEMORY;
    sn_arena_finish(&scratch);
    if (result == SN_OK) {
        result = sn_tet_boundary(&cook->mesh, cook->neighbours, &cook->arena, &cook->boundary, &cook->boundary_count);
    }
    return result;
}

sn_result sn_cook_context_build_mesh(sn_cook_context *cook)
{
    soft_surface soft = {.of_vertex = NULL};
    int32_t *triangles = NULL;
    int triangle_count = 0;
    sn_result result = SN_OK;
    if (sn_anchored_is_expected(cook)) {
        sn_flesh_soften_cloth(cook);
    }
    if (cook->has_character) {
        result = sn_cook_context_list_soft_triangles(cook, &triangles, &triangle_count);
        if (result == SN_OK) {
            result = extract_vertices(cook, triangles, triangle_count, &soft);
        }
        if (result == SN_OK && cook->is_flat) {
            result = sn_cook_context_set_flat_mesh(cook, triangles, triangle_count);
        } else if (result == SN_OK && !cook->desc->tets_path) {
            result = build_tets(cook, &soft);
        }
    }
    cook->file_vertex_count = cook->mesh.vertex_count;
    if (result == SN_OK && cook->mesh.is_flat && !cook->has_character) {
        result = sn_flat_mesh_validate(&cook->mesh, cook->path, &cook->plane);
    } else if (result == SN_OK && !cook->is_meshed && !cook->mesh.is_flat) {
        result = sn_tet_mesh_validate(&cook->mesh, cook->desc->tets_path ? cook->desc->tets_path : cook->path,
                                      &cook->arena, &cook->old_index);
    }
    if (result == SN_OK) {
        result = build_topology(cook);
    }
    if (result == SN_OK && cook->has_character && !cook->mesh.is_flat) {
        result = embed(cook, &soft); /* before the mesh is rescaled */
    }
    return result == SN_OK ? build_operators(cook) : result;
}
