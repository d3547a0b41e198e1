/* SPDX-License-Identifier: MIT */
#include "author/cook/parts/part_depth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "author/cook/colliders/segment_tet.h"
#include "host/math/vec3.h"
#include "host/mesh/embedding.h"

#define MIN_BONE_WEIGHT 0.25   /* of a bone that moves a vertex */
#define MIN_CORE_FRACTION 0.15 /* of the vertices along a bone */
#define MAX_SLICES 32          /* along a bone, in each of which the core has its share */
#define ATTACHMENT_GAP 0.02    /* of the height: where a hanging part that touches nothing is attached */
#define UPPER_EDGE 0.3         /* of the vertical extent of a hanging part */
#define MIN_ATTACHED 0.05      /* of the vertices of a connected piece of the mesh without any core */

/* ---- distances ---- */

static sn_result measure_skin(sn_cook_context *cook, double *skin)
{
    const sn_tet_mesh *mesh = &cook->mesh;
    const size_t n = (size_t)mesh->vertex_count;
    sn_arena scratch = {0};
    bool *is_boundary = SN_NEW(&scratch, bool, n);
    int32_t *triangles = SN_NEW(&scratch, int32_t, n);
    double *coordinates = SN_NEW(&scratch, double, 3 * n);
    sn_result result = is_boundary && triangles && coordinates ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        sn_tet_mark_boundary(mesh, cook->neighbours, is_boundary);
    }
    if (result == SN_OK && !mesh->is_flat) {
        const sn_tri_mesh surface = {mesh->vertex_count, cook->boundary_count, mesh->positions, cook->boundary};
        result = sn_tri_locate(&surface, mesh->positions, mesh->vertex_count, triangles, coordinates);
    }
    for (size_t v = 0; v < n && result == SN_OK; ++v) {
        const double *x = mesh->positions + 3 * v;
        skin[v] = is_boundary[v] ? 0 : INFINITY;
        if (!is_boundary[v] && !mesh->is_flat) {
            double nearest[3] = {0};
            for (int d = 0; d < 9; ++d) {
                const size_t corner = (size_t)cook->boundary[3 * (size_t)triangles[v] + (size_t)(d / 3)];
                nearest[d % 3] += coordinates[3 * v + (size_t)(d / 3)] * mesh->positions[3 * corner + (size_t)(d % 3)];
            }
            skin[v] = sn_distance3(x, nearest);
        }
        for (size_t other = 0; other < n && !is_boundary[v] && mesh->is_flat; ++other) {
            skin[v] = is_boundary[other] ? fmin(skin[v], sn_distance3(x, mesh->positions + 3 * other)) : skin[v];
        }
    }
    sn_arena_finish(&scratch);
    return result;
}

sn_result sn_flesh_distances_measure(sn_cook_context *cook, const sn_flesh_skeleton *skeleton,
                                     sn_flesh_distances *distances)
{
    const size_t n = (size_t)cook->mesh.vertex_count, bones = (size_t)cook->bone_count;
    *distances = (sn_flesh_distances){.bone = SN_NEW(&cook->arena, double, n),
                                      .skin = SN_NEW(&cook->arena, double, n),
                                      .bones = SN_NEW(&cook->arena, int32_t, n)};
    if (!distances->bone || !distances->skin || !distances->bones) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < n; ++v) {
        const double *weights = cook->rig_weights + v * bones;
        size_t strongest = 0;
        for (size_t b = 1; b < bones; ++b) {
            strongest = weights[b] > weights[strongest] ? b : strongest;
        }
        distances->bone[v] = INFINITY;
        distances->bones[v] = (int32_t)strongest;
        for (size_t b = 0; b < bones; ++b) {
            for (int32_t i = skeleton->segment_starts[b];
                 i < skeleton->segment_starts[b + 1] && (weights[b] > MIN_BONE_WEIGHT || b == strongest); ++i) {
                const sn_flesh_segment *segment = &skeleton->segments[i];
                const double d = sn_segment_distance(cook->mesh.positions + 3 * v, segment->start, segment->end);
                if (d < distances->bone[v]) {
                    distances->bone[v] = d;
                    distances->bones[v] = (int32_t)b;
                }
            }
        }
        distances->bone[v] = isfinite(distances->bone[v]) ? distances->bone[v] : 0;
    }
    return measure_skin(cook, distances->skin);
}

/* ---- cores ---- */

typedef struct filler {
    sn_cook_context *cook;
    const sn_flesh_skeleton *skeleton;
    const bool *is_hanging;
    const sn_flesh_distances *distances;
    sn_flesh_parts *parts;
    sn_node_graph graph;
    sn_arena scratch;
} filler;

static bool is_free(const filler *f, size_t v)
{
    const int32_t part = f->parts->of_vertex[v];
    return !f->parts->list[part].is_rigid && !f->is_hanging[part];
}

/* The vertices of the tets that a segment passes through. */
static void fill_carried(const filler *f)
{
    const sn_cook_context *cook = f->cook;
    const size_t bones = (size_t)cook->bone_count;
    for (int i = 0; i < f->skeleton->segment_count; ++i) {
        const sn_flesh_segment *segment = &f->skeleton->segments[i];
        if (!(sn_distance3(segment->start, segment->end) > 0)) {
            continue;
        }
        for (int t = 0; t < cook->mesh.tet_count; ++t) {
            const int32_t *tet = cook->mesh.tets + 4 * (size_t)t;
            bool is_near = true;
            for (int k = 0; k < 4; ++k) {
                is_near =
                    is_near && cook->rig_weights[(size_t)tet[k] * bones + (size_t)segment->bone] > MIN_BONE_WEIGHT;
            }
            if (!is_near || !sn_segment_intersects_tet(&cook->mesh, t, cook->gradients + 12 * (size_t)t, segment->start,
                                                       segment->end)) {
                continue;
            }
            for (int k = 0; k < 4; ++k) {
                f->parts->depth[tet[k]] = is_free(f, (size_t)tet[k]) ? 0 : f->parts->depth[tet[k]];
            }
        }
    }
}

typedef struct ranked {
    double distance;
    int32_t vertex;
    int slice;
} ranked;

static int compare_ranked(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->slice != b->slice) {
        return a->slice < b->slice ? -1 : 1;
    }
    return a->distance < b->distance   ? -1
           : a->distance > b->distance ? 1
                                       : (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

/* Where the core of a bone is less than 15% of the vertices of a slice, the nearest ones to the bone are added. */
static sn_result fill_thin(filler *f)
{
    const sn_cook_context *cook = f->cook;
    const size_t n = (size_t)cook->mesh.vertex_count;
    double volume = 0;
    for (int t = 0; t < cook->mesh.tet_count; ++t) {
        volume += cook->volumes[t];
    }
    const double edge = cbrt(8.5 * volume / cook->mesh.tet_count); /* of a mean regular tet */
    ranked *list = SN_NEW(&f->scratch, ranked, n);
    for (int i = 0; i < f->skeleton->segment_count && list; ++i) {
        const sn_flesh_segment *segment = &f->skeleton->segments[i];
        const double length = sn_distance3(segment->start, segment->end);
        const int slices = (int)fmin(fmax(length / (1.5 * edge), 1), MAX_SLICES);
        size_t count = 0;
        for (size_t v = 0; v < n && length > 0; ++v) {
            const double *x = cook->mesh.positions + 3 * v;
            const double at = sn_segment_nearest(x, segment->start, segment->end);
            if (f->distances->bones[v] == segment->bone && is_free(f, v) && at > 0 && at < 1) {
                list[count++] = (ranked){sn_segment_distance(x, segment->start, segment->end), (int32_t)v,
                                         (int)fmin(at * slices, slices - 1)};
            }
        }
        qsort(list, count, sizeof *list, compare_ranked);
        for (size_t first = 0, last; first < count; first = last) {
            size_t core = 0;
            for (last = first; last < count && list[last].slice == list[first].slice; ++last) {
                core += sn_flesh_is_core(f->parts, list[last].vertex);
            }
            const size_t needed = (size_t)ceil(MIN_CORE_FRACTION * (double)(last - first));
            for (size_t k = first; k < last && core < needed; ++k) {
                if (!sn_flesh_is_core(f->parts, list[k].vertex)) {
                    f->parts->depth[list[k].vertex] = 0;
                    ++core;
                }
            }
        }
    }
    return list ? SN_OK : SN_ERROR_MEMORY;
}

static bool is_limb_or_chain(sn_flesh_kind kind)
{
    return kind == SN_FLESH_GENERIC || kind == SN_FLESH_NECK || kind == SN_FLESH_SHOULDERS ||
           kind == SN_FLESH_UPPER_ARMS || kind == SN_FLESH_FOREARMS || kind == SN_FLESH_THIGHS ||
           kind == SN_FLESH_SHINS;
}

/* Beside the slices, limbs as a whole have that share: flesh beyond the joints counts, too. */
static sn_result fill_limbs(filler *f)
{
    const size_t n = (size_t)f->cook->mesh.vertex_count;
    ranked *list = SN_NEW(&f->scratch, ranked, n);
    for (int p = 0; p < f->parts->count && list; ++p) {
        size_t count = 0, core = 0;
        for (size_t v = 0; v < n && is_limb_or_chain(f->parts->list[p].kind); ++v) {
            if (f->parts->of_vertex[v] == p && is_free(f, v)) {
                core += sn_flesh_is_core(f->parts, (int)v);
                list[count++] = (ranked){f->parts->depth[v], (int32_t)v, 0};
            }
        }
        qsort(list, count, sizeof *list, compare_ranked);
        for (size_t k = 0; k < count && (double)core < MIN_CORE_FRACTION * (double)count; ++k) {
            if (!sn_flesh_is_core(f->parts, list[k].vertex)) {
                f->parts->depth[list[k].vertex] = 0;
                ++core;
            }
        }
    }
    return list ? SN_OK : SN_ERROR_MEMORY;
}

/* A cape or a skirt that also touches the body farther down hangs from its upper edge only. Returns the number of
 * remaining anchors. */
static int keep_upper(const filler *f, int part, int32_t *anchors, int count)
{
    static const double vertical[3] = {0, 1, 0};
    const sn_flesh_axes *axes = &f->skeleton->axes;
    const double *up = axes->is_valid && axes->is_upright ? axes->spine : vertical;
    const double *positions = f->cook->mesh.positions;
    double low = INFINITY, high = -INFINITY;
    int kept_count = 0;
    for (int v = 0; v < f->cook->mesh.vertex_count; ++v) {
        if (f->parts->of_vertex[v] == part) {
            low = fmin(low, sn_dot3(positions + 3 * (size_t)v, up));
            high = fmax(high, sn_dot3(positions + 3 * (size_t)v, up));
        }
    }
    const double limit = high - UPPER_EDGE * (high - low);
    for (int i = 0; i < count; ++i) {
        kept_count += sn_dot3(positions + 3 * (size_t)anchors[i], up) > limit;
    }
    for (int i = 0, next = 0; i < count && kept_count > 0; ++i) {
        if (sn_dot3(positions + 3 * (size_t)anchors[i], up) > limit) {
            anchors[next++] = anchors[i];
        }
    }
    return kept_count > 0 ? kept_count : count;
}

/* A hanging part is attached where it touches other parts, or else where it is nearest to them. */
static sn_result fill_hanging(filler *f, int part)
{
    const sn_cook_context *cook = f->cook;
    const size_t n = (size_t)cook->mesh.vertex_count;
    sn_flesh_parts *parts = f->parts;
    int32_t *anchors = SN_NEW(&f->scratch, int32_t, n);
    int anchor_count = 0;
    double gap = INFINITY;
    double *distances = SN_NEW(&f->scratch, double, n);
    if (!anchors || !distances) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < n; ++v) {
        bool is_attached = false;
        for (int32_t i = f->graph.starts[v]; i < f->graph.starts[v + 1]; ++i) {
            is_attached = is_attached || !f->is_hanging[parts->of_vertex[f->graph.others[i]]];
        }
        if (parts->of_vertex[v] == part && is_attached) {
            anchors[anchor_count++] = (int32_t)v;
        }
    }
    for (size_t v = 0; v < n && anchor_count == 0; ++v) {
        distances[v] = INFINITY;
        for (size_t other = 0; other < n && parts->of_vertex[v] == part; ++other) {
            if (!f->is_hanging[parts->of_vertex[other]]) {
                distances[v] =
                    fmin(distances[v], sn_distance3(cook->mesh.positions + 3 * v, cook->mesh.positions + 3 * other));
            }
        }
        gap = parts->of_vertex[v] == part ? fmin(gap, distances[v]) : gap;
    }
    for (size_t v = 0; v < n && isfinite(gap); ++v) {
        if (parts->of_vertex[v] == part && distances[v] <= gap + ATTACHMENT_GAP * cook->height) {
            anchors[anchor_count++] = (int32_t)v;
        }
    }
    anchor_count = keep_upper(f, part, anchors, anchor_count);
    for (size_t v = 0; v < n && anchor_count > 0; ++v) {
        double nearest = INFINITY;
        for (int i = 0; i < anchor_count && parts->of_vertex[v] == part; ++i) {
            nearest = fmin(nearest,
                           sn_distance3(cook->mesh.positions + 3 * v, cook->mesh.positions + 3 * (size_t)anchors[i]));
        }
        if (parts->of_vertex[v] == part) {
            f->distances->bone[v] = nearest; /* what the part hangs on, instead of a bone */
            parts->depth[v] = nearest > 0 ? nearest / (nearest + f->distances->skin[v]) : 0;
        }
    }
    return SN_OK;
}

/* Every connected piece of the mesh has a core: else the vertices nearest to a bone. */
static sn_result fill_components(filler *f)
{
    const size_t n = (size_t)f->cook->mesh.vertex_count;
    int32_t *queue = SN_NEW(&f->scratch, int32_t, n);
    bool *is_visited = SN_NEW(&f->scratch, bool, n);
    ranked *list = SN_NEW(&f->scratch, ranked, n);
    if (!queue || !is_visited || !list) {
        return SN_ERROR_MEMORY;
    }
    for (size_t start = 0; start < n; ++start) {
        int count = 0, core = 0;
        if (is_visited[start]) {
            continue;
        }
        is_visited[start] = true;
        queue[count++] = (int32_t)start;
        for (int next = 0; next < count; ++next) {
            const int32_t v = queue[next];
            core += sn_flesh_is_core(f->parts, v);
            list[next] = (ranked){f->distances->bone[v], v, 0};
            for (int32_t i = f->graph.starts[v]; i < f->graph.starts[v + 1]; ++i) {
                if (!is_visited[f->graph.others[i]]) {
                    is_visited[f->graph.others[i]] = true;
                    queue[count++] = f->graph.others[i];
                }
            }
        }
        if (core == 0) {
            qsort(list, (size_t)count, sizeof *list, compare_ranked);
        }
        for (int i = 0; core == 0 && i < (int)ceil(MIN_ATTACHED * count); ++i) {
            f->parts->depth[list[i].vertex] = 0;
        }
    }
    return SN_OK;
}

sn_result sn_flesh_depth_fill(sn_cook_context *cook, const sn_flesh_skeleton *skeleton, const bool *is_hanging,
                              const sn_flesh_distances *distances, sn_flesh_parts *parts)
{
    filler f = {.cook = cook, .skeleton = skeleton, .is_hanging = is_hanging, .distances = distances, .parts = parts};
    sn_result result = sn_node_graph_build(&cook->mesh, &f.scratch, &f.graph);
    for (int v = 0; v < cook->mesh.vertex_count; ++v) {
        const double bone = distances->bone[v], skin = distances->skin[v];
        parts->depth[v] = bone + skin > 0 ? bone / (bone + skin) : 0;
    }
    if (result == SN_OK) {
        fill_carried(&f);
        result = fill_thin(&f);
    }
    if (result == SN_OK) {
        result = fill_limbs(&f);
    }
    for (int p = 0; p < parts->count && result == SN_OK; ++p) {
        result = is_hanging[p] && !parts->list[p].is_rigid ? fill_hanging(&f, p) : SN_OK;
    }
    if (result == SN_OK) {
        result = fill_components(&f);
    }
    sn_arena_finish(&f.scratch);
    return result;
}
