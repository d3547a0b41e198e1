/* SPDX-License-Identifier: MIT */
/* The second stage: loads or builds the tet mesh, converts it to model units, builds its operators, and embeds the
 * character's surface in it. */
#include <math.h>
#include <string.h>

#include "author/cook/stages/stages.h"
#include "host/math/vec3.h"
#include "host/mesh/embedding.h"
#include "host/mesh/flat_mesh.h"

/* Number of clip poses from which the mesher learns which parts move separately. */
#define MESHER_POSE_LIMIT 24
#define FAR_FROM_METRE 4.0

static void measure_box(sn_cooking *k)
{
    double low[3], high[3];
    k->diagonal = sn_tet_mesh_box(&k->mesh, low, high);
    k->height = high[1] - low[1];
    for (int d = 0; d < 3; ++d) {
        double sum = 0;
        for (int v = 0; v < k->mesh.vertex_count; ++v) {
            sum += k->mesh.positions[3 * v + d];
        }
        k->origin[d] = sum / k->mesh.vertex_count;
    }
}

/* Moves a flat body into the plane z = 0. */
static void centre_plane(sn_cooking *k)
{
    k->origin[2] = k->plane;
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        k->mesh.positions[3 * v + 2] = k->plane;
    }
}

/* To model units, except for a requested size: x <- (x - origin) * scale. */
static void rescale(sn_cooking *k)
{
    measure_box(k);
    k->scale = 1 / k->diagonal;
    if (k->desc->size == 0 && k->desc->units == SN_UNITS_KEEP) {
        memset(k->origin, 0, sizeof k->origin);
        k->scale = 1;
    }
    if (k->mesh.is_flat) {
        centre_plane(k);
    }
    for (int i = 0; i < 3 * k->mesh.vertex_count; ++i) {
        k->mesh.positions[i] = (k->mesh.positions[i] - k->origin[i % 3]) * k->scale;
    }
    k->diagonal *= k->scale;
    k->height *= k->scale;
}

static void scale_all(double *values, size_t count, double factor)
{
    for (size_t i = 0; i < count; ++i) {
        values[i] *= factor;
    }
}

/* The same stiffness makes a large body soft and a small one rigid. If the user gives none, a character gets the
 * stiffness that suits a body of 1 m, and so does a tet mesh that is far from that size. */
static void fit_young(sn_cooking *k)
{
    const bool is_far = k->diagonal > FAR_FROM_METRE || k->diagonal * FAR_FROM_METRE < 1;
    if (k->desc->young == 0 && !k->desc->is_coupled && (k->has_character || is_far)) {
        k->report.young *= k->diagonal * k->diagonal;
    }
}

void sn_cooking_enlarge(sn_cooking *k)
{
    const double size = k->desc->size > 0 ? k->desc->size : 1;
    const size_t n = (size_t)k->mesh.vertex_count, modes = (size_t)k->modes.mode_count;
    if (size != 1) {
        k->scale *= size;
        k->diagonal *= size;
        k->height *= size;
        scale_all(k->mesh.positions, 3 * n, size);
        scale_all(k->morph_fields, 3 * n * (size_t)k->morph_field_count, size);
        scale_all(k->morph_columns, 3 * n * (size_t)k->morph_pair_count, size);
        /* modes have unit mass, and mass scales with the third or second power of the size */
        scale_all(k->modes.weights, n * modes, k->mesh.is_flat ? 1 / size : 1 / (size * sqrt(size)));
        scale_all(k->modes.eigenvalues, modes, 1 / (size * size));
        const sn_sparse *h = &k->modes.hessian;
        scale_all(h->values, h->size > 0 ? (size_t)h->column_starts[h->size] : 0, k->mesh.is_flat ? 1 : size);
        sn_tet_gradients(&k->mesh, k->gradients, k->volumes);
        sn_tet_lumped_mass(&k->mesh, k->volumes, k->tet_density, k->mass);
    }
    fit_young(k);
}

static double least_dihedral(const sn_cooking *k)
{
    double most_cosine = -1; /* cosine of the angle between two faces: minus the cosine between their outward normals */
    const int corners = k->mesh.is_flat ? 3 : 4;
    for (size_t t = 0; t < (size_t)k->mesh.tet_count; ++t) {
        const double *g = k->gradients + 12 * t;
        for (int i = 0; i < corners; ++i) {
            for (int j = i + 1; j < corners; ++j) {
                const double *a = g + 3 * i, *b = g + 3 * j;
                most_cosine = fmax(most_cosine, -sn_dot3(a, b) / sqrt(sn_dot3(a, a) * sn_dot3(b, b)));
            }
        }
    }
    return acos(fmin(most_cosine, 1)) * (180 / 3.14159265358979323846);
}

static sn_result count_components(sn_cooking *k)
{
    int32_t *labels = SN_NEW(&k->arena, int32_t, k->mesh.tet_count);
    return labels ? sn_clusters_split(k->mesh.tet_count, k->neighbours, labels, &k->report.component_count)
                  : SN_ERROR_MEMORY;
}

sn_result sn_cooking_soft_triangles(sn_cooking *k, int32_t **triangles, int *count)
{
    const sn_character *c = &k->character;
    *triangles = SN_NEW(&k->arena, int32_t, c->triangle_count);
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

static sn_result extract_vertices(sn_cooking *k, const int32_t *triangles, int triangle_count, soft_surface *soft)
{
    const sn_character *c = &k->character;
    const size_t n = (size_t)c->vertex_count;
    int32_t *index = SN_NEW(&k->arena, int32_t, n), *corners = SN_NEW(&k->arena, int32_t, 3 * (size_t)triangle_count);
    double *positions = SN_NEW(&k->arena, double, 3 * n);
    soft->of_vertex = SN_NEW(&k->arena, int32_t, n);
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
    soft->input = (sn_mesher_input){.name = k->path,
                                    .vertex_count = count,
                                    .triangle_count = triangle_count,
                                    .positions = positions,
                                    .triangles = corners,
                                    .target_vertex_count = k->desc->tet_vertex_count};
    return SN_OK;
}

static sn_result extract_skin(sn_cooking *k, soft_surface *soft)
{
    const sn_character *c = &k->character;
    const size_t influences = (size_t)c->influence_starts[c->vertex_count];
    int32_t *starts = SN_NEW(&k->arena, int32_t, soft->input.vertex_count + 1);
    int32_t *bones = SN_NEW(&k->arena, int32_t, influences);
    double *weights = SN_NEW(&k->arena, double, influences), *origins = SN_NEW(&k->arena, double, 3 * c->bone_count);
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

/* Samples frames evenly over all clips. A separate rig file has no poses for the character's own bones. */
static sn_result extract_poses(sn_cooking *k, soft_surface *soft)
{
    if (k->has_rig) {
        return SN_OK;
    }
    const size_t width = 12 * (size_t)k->bone_count;
    int64_t total = 0;
    for (int i = 0; i < k->clip_count; ++i) {
        total += k->clips[i].frame_count;
    }
    const int count = total < MESHER_POSE_LIMIT ? (int)total : MESHER_POSE_LIMIT;
    double *poses = SN_NEW(&k->arena, double, (size_t)count *width);
    if (!poses) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        int64_t frame = total * (2 * i + 1) / (2 * count);
        int clip = 0;
        while (frame >= k->clips[clip].frame_count) {
            frame -= k->clips[clip++].frame_count;
        }
        memcpy(poses + (size_t)i * width, k->clips[clip].transforms + (size_t)frame * width, width * sizeof(double));
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

static sn_result make_tets(sn_cooking *k, soft_surface *soft)
{
    sn_cook_desc desc = *k->desc;
    sn_result result = extract_skin(k, soft);
    if (result == SN_OK) {
        result = extract_poses(k, soft);
    }
    if (result == SN_OK) {
        soft->input.is_cancelled = is_cancelled;
        soft->input.cancel_user = &desc;
        result = sn_mesher_run(&soft->input, &k->arena, &k->meshed);
    }
    if (result == SN_OK) {
        k->is_meshed = true;
        k->mesh = k->meshed.mesh;
        k->tet_fill = k->meshed.tet_fill;
        k->report.outside_count = k->meshed.report.outside_count;
        k->report.glued_count = k->meshed.report.glued_count;
        k->report.torn_count = k->meshed.report.torn_count;
        k->report.stretch_count = k->meshed.report.stretch_count;
        k->report.bridge_count = k->meshed.report.bridge_count;
    }
    return result;
}

/* Counts the character's vertices outside of given tets. Small distances are harmless, since such vertices use the
 * nearest tet; if most are farther than a tet's height, the mesh probably belongs to something else. */
static void count_outside(sn_cooking *k, const double *weights, int count)
{
    int far_count = 0;
    for (size_t i = 0; i < (size_t)count; ++i) {
        const double *w = weights + 4 * i, least = fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
        k->report.outside_count += least < -1e-6;
        far_count += least < -1;
    }
    if (far_count > count / 2) {
        sn_log(SN_LOG_WARNING, "%s: %d of the %d vertices of %s are far outside of the tet mesh", k->desc->tets_path,
               far_count, count, k->path);
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
static sn_result embed(sn_cooking *k, const soft_surface *soft)
{
    const size_t n = (size_t)k->character.vertex_count;
    const int32_t *tets = k->meshed.vertex_tets;
    const double *weights = k->meshed.vertex_weights;
    k->embedding_tets = SN_NEW(&k->arena, int32_t, n);
    k->embedding_weights = SN_NEW(&k->arena, double, 4 * n);
    if (!k->embedding_tets || !k->embedding_weights) {
        return SN_ERROR_MEMORY;
    }
    if (!k->is_meshed) {
        int32_t *located = SN_NEW(&k->arena, int32_t, soft->input.vertex_count);
        double *coordinates = SN_NEW(&k->arena, double, 4 * (size_t)soft->input.vertex_count);
        if (!located || !coordinates ||
            sn_tet_locate(&k->mesh, k->boundary, k->boundary_count, soft->input.positions, soft->input.vertex_count,
                          located, coordinates) != SN_OK) {
            return SN_ERROR_MEMORY;
        }
        tets = located;
        weights = coordinates;
        count_outside(k, coordinates, soft->input.vertex_count);
    }
    memset(k->embedding_tets, -1, n * sizeof(int32_t));
    for (int v = 0; v < soft->input.vertex_count; ++v) {
        const size_t to = (size_t)soft->of_vertex[v];
        k->embedding_tets[to] = tets[v];
        memcpy(k->embedding_weights + 4 * to, weights + 4 * (size_t)v, 4 * sizeof(double));
        clamp_barycentric(k->embedding_weights + 4 * to);
    }
    return SN_OK;
}

static sn_result build_operators(sn_cooking *k)
{
    const size_t n = (size_t)k->mesh.vertex_count, t = (size_t)k->mesh.tet_count;
    k->gradients = SN_NEW(&k->arena, double, 12 * t);
    k->volumes = SN_NEW(&k->arena, double, t);
    k->mass = k->model_mass = SN_NEW(&k->arena, double, n);
    if (!k->gradients || !k->volumes || !k->mass) {
        return SN_ERROR_MEMORY;
    }
    rescale(k);
    sn_tet_gradients(&k->mesh, k->gradients, k->volumes);
    k->report.min_dihedral = least_dihedral(k);
    if (k->mesh.is_flat) {
        sn_cooking_check_plane(k);
    }
    const sn_result result = count_components(k);
    if (result == SN_OK && !k->is_meshed && k->report.component_count > 1) {
        sn_log(SN_LOG_WARNING, "%s: the %s is in %d pieces", k->desc->tets_path ? k->desc->tets_path : k->path,
               k->mesh.is_flat ? "surface" : "tet mesh", k->report.component_count);
    }
    return result;
}

static sn_result build_topology(sn_cooking *k)
{
    sn_arena scratch = {0};
    k->neighbours = SN_NEW(&k->arena, int32_t, 4 * (size_t)k->mesh.tet_count);
    sn_result result = k->neighbours ? sn_tet_neighbours(&k->mesh, &scratch, k->neighbours) : SN_ERROR_MEMORY;
    sn_arena_finish(&scratch);
    if (result == SN_OK) {
        result = sn_tet_boundary(&k->mesh, k->neighbours, &k->arena, &k->boundary, &k->boundary_count);
    }
    return result;
}

sn_result sn_cooking_mesh(sn_cooking *k)
{
    soft_surface soft = {.of_vertex = NULL};
    int32_t *triangles = NULL;
    int triangle_count = 0;
    sn_result result = SN_OK;
    if (k->has_character) {
        result = sn_cooking_soft_triangles(k, &triangles, &triangle_count);
        if (result == SN_OK) {
            result = extract_vertices(k, triangles, triangle_count, &soft);
        }
        if (result == SN_OK && k->is_flat) {
            result = sn_cooking_take_flat(k, triangles, triangle_count);
        } else if (result == SN_OK && !k->desc->tets_path) {
            result = make_tets(k, &soft);
        }
    }
    k->file_vertex_count = k->mesh.vertex_count;
    if (result == SN_OK && k->mesh.is_flat && !k->has_character) {
        result = sn_flat_mesh_validate(&k->mesh, k->path, &k->plane);
    } else if (result == SN_OK && !k->is_meshed && !k->mesh.is_flat) {
        result =
            sn_tet_mesh_validate(&k->mesh, k->desc->tets_path ? k->desc->tets_path : k->path, &k->arena, &k->old_index);
    }
    if (result == SN_OK) {
        result = build_topology(k);
    }
    if (result == SN_OK && k->has_character && !k->mesh.is_flat) {
        result = embed(k, &soft); /* before the mesh is rescaled */
    }
    return result == SN_OK ? build_operators(k) : result;
}
