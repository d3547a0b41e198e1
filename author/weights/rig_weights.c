/* SPDX-License-Identifier: MIT */
/* Implements rig_weights.h. Unlike the authors' Python, which rescales columns, rows are normalized to sum to one. */
#include "author/weights/rig_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "author/weights/harmonic.h"

/* fraction of the box diagonal within which two vertices match; files agree to about 1e-5 */
#define MATCH_DISTANCE 1e-4

typedef struct match {
    int32_t vertex; /* rig vertex; -1: none */
    double distance2;
} match;

/* Rig vertices sorted along x, so that a match searches only a thin slab. */
typedef struct sorted_point {
    double x;
    int32_t index;
} sorted_point;

static int by_x(const void *left, const void *right)
{
    const sorted_point *a = left, *b = right;
    if (a->x != b->x) {
        return a->x < b->x ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

static int lower_bound(const sorted_point *points, int count, double x)
{
    int low = 0, high = count;
    while (low < high) {
        const int mid = low + (high - low) / 2;
        if (points[mid].x < x) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

static match nearest(const sn_rig_file *rig, const sorted_point *points, const double *position, double radius)
{
    match best = {.vertex = -1, .distance2 = radius * radius};
    for (int i = lower_bound(points, rig->vertex_count, position[0] - radius);
         i < rig->vertex_count && points[i].x <= position[0] + radius; ++i) {
        const double *candidate = rig->positions + 3 * (size_t)points[i].index;
        double distance2 = 0;
        for (int d = 0; d < 3; ++d) {
            distance2 += (candidate[d] - position[d]) * (candidate[d] - position[d]);
        }
        if (distance2 < best.distance2) {
            best = (match){points[i].index, distance2};
        }
    }
    return best;
}

bool sn_weights_normalise(double *row, int bone_count)
{
    double sum = 0;
    for (int b = 0; b < bone_count; ++b) {
        row[b] = fmax(row[b], 0);
        sum += row[b];
    }
    for (int b = 0; b < bone_count && sum > 0; ++b) {
        row[b] /= sum;
    }
    return sum > 0;
}

static sn_result copy_volume_weights(const sn_rig_weights_input *input, double *weights)
{
    const sn_tet_mesh *mesh = input->mesh;
    const sn_rig_file *rig = input->rig;
    double low[3], high[3];
    const double max_distance = 100 * MATCH_DISTANCE * sn_tet_mesh_box(mesh, low, high);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const int32_t from = input->old_index ? input->old_index[v] : v;
        if (from >= rig->vertex_count) {
            return sn_fail(SN_ERROR_FORMAT, "%s: V: has only %d vertices; the mesh has more", input->name,
                           rig->vertex_count);
        }
        for (int d = 0; d < 3; ++d) {
            if (fabs(mesh->positions[3 * v + d] - rig->positions[3 * from + d]) > max_distance) {
                return sn_fail(SN_ERROR_FORMAT, "%s: V[%d]: differs from the position of the mesh's vertex",
                               input->name, from);
            }
        }
        memcpy(weights + (size_t)v * (size_t)rig->bone_count, rig->weights + (size_t)from * (size_t)rig->bone_count,
               (size_t)rig->bone_count * sizeof(double));
        sn_weights_normalise(weights + (size_t)v * (size_t)rig->bone_count, rig->bone_count);
    }
    return SN_OK;
}

/* matched[v]: rig vertex of boundary vertex v; -1 for other vertices. */
static sn_result match_boundary(const sn_rig_weights_input *input, sn_arena *scratch, int32_t *matched)
{
    const sn_tet_mesh *mesh = input->mesh;
    const sn_rig_file *rig = input->rig;
    sorted_point *points = SN_NEW(scratch, sorted_point, rig->vertex_count);
    bool *is_boundary = SN_NEW(scratch, bool, mesh->vertex_count);
    if (!points || !is_boundary) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < rig->vertex_count; ++i) {
        points[i] = (sorted_point){rig->positions[3 * (size_t)i], i};
    }
    qsort(points, (size_t)rig->vertex_count, sizeof *points, by_x);
    for (int i = 0; i < 3 * input->boundary_count; ++i) {
        is_boundary[input->boundary[i]] = true;
    }
    double low[3], high[3];
    const double radius = MATCH_DISTANCE * sn_tet_mesh_box(mesh, low, high);
    int boundary_count = 0, match_count = 0;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        matched[v] = is_boundary[v] ? nearest(rig, points, mesh->positions + 3 * (size_t)v, radius).vertex : -1;
        boundary_count += is_boundary[v];
        match_count += matched[v] >= 0;
    }
    /* a rig may cover only part of the surface */
    const int possible_count = boundary_count < rig->vertex_count ? boundary_count : rig->vertex_count;
    if (match_count == 0 || 2 * match_count < possible_count) {
        return sn_fail(SN_ERROR_FORMAT,
                       "%s: V: only %d of the mesh's surface vertices match one of its %d vertices; the mesh has %d "
                       "surface vertices",
                       input->name, match_count, rig->vertex_count, boundary_count);
    }
    if (2 * match_count < boundary_count) {
        sn_log(SN_LOG_WARNING,
               "%s: V: the rig covers %d of the mesh's %d surface vertices; the others are interpolated", input->name,
               match_count, boundary_count);
    }
    return SN_OK;
}

static sn_result fill_from_surface(const sn_rig_weights_input *input, sn_arena *scratch, double *weights)
{
    const sn_tet_mesh *mesh = input->mesh;
    const size_t bones = (size_t)input->rig->bone_count;
    int32_t *matched = SN_NEW(scratch, int32_t, mesh->vertex_count);
    bool *is_known = SN_NEW(scratch, bool, mesh->vertex_count);
    if (!matched || !is_known) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result = match_boundary(input, scratch, matched);
    if (result != SN_OK) {
        return result;
    }
    for (size_t v = 0; v < (size_t)mesh->vertex_count; ++v) {
        is_known[v] = matched[v] >= 0;
        if (is_known[v]) {
            memcpy(weights + v * bones, input->rig->weights + (size_t)matched[v] * bones, bones * sizeof(double));
        }
    }
    return sn_harmonic_fill(mesh, input->gradients, input->volumes, is_known, (int)bones, weights);
}

sn_result sn_rig_weights_build(const sn_rig_weights_input *input, double *weights)
{
    if (input->rig->is_volume) {
        return copy_volume_weights(input, weights);
    }
    sn_arena scratch = {0};
    const sn_result result = fill_from_surface(input, &scratch, weights);
    sn_arena_finish(&scratch);
    for (int v = 0; v < input->mesh->vertex_count && result == SN_OK; ++v) {
        double *row = weights + (size_t)v * (size_t)input->rig->bone_count;
        if (!sn_weights_normalise(row, input->rig->bone_count)) {
            row[0] = 1; /* a component that the rig does not cover follows the root */
        }
    }
    return result;
}
