/* SPDX-License-Identifier: MIT */
/* Packs a model's surface samples and their extremes as the shaders read them. Indices are stored as floats, exact up
 * to 2^24. */
#include <string.h>

#include "compute/reduced/private.h"
#include "host/reduced/contacts.h"

_Static_assert(SN_REDUCED_EXTREMES == SN_SAMPLE_EXTREMES, "as the shader reads them");

#define MAX_INDEX (1U << 24)

/* The vertex of a point; -1 for an extreme that equals its sample's vertex. */
static int32_t vertex_of(const sn_model *model, uint32_t point)
{
    const uint32_t samples = (uint32_t)model->counts.sample_count;
    if (point < samples) {
        return model->sample_vertices[point];
    }
    const uint32_t extreme = point - samples;
    const int32_t vertex = model->sample_extremes[extreme];
    return vertex == model->sample_vertices[extreme / SN_SAMPLE_EXTREMES] ? -1 : vertex;
}

static uint32_t influences_of(const sn_model *model, int32_t vertex)
{
    const uint32_t count =
        vertex < 0 ? 0 : (uint32_t)(model->influence_starts[vertex + 1] - model->influence_starts[vertex]);
    return (count + 1) / 2;
}

/* Number and first index of a vertex's morph deltas; vertex -1 has none. */
static uint32_t deltas_of(const sn_model *model, int32_t vertex, int32_t *first)
{
    const bool is_moved = vertex >= 0 && model->counts.morph_count > 0;
    *first = is_moved ? model->morph_starts[vertex] : 0;
    return is_moved ? (uint32_t)(model->morph_starts[vertex + 1] - *first) : 0;
}

sn_result sn_gpu_reduced_count_points(const sn_model *model, sn_gpu_reduced_model *m)
{
    uint64_t influences = 0, deltas = 0;
    m->max_delta_count = 0;
    for (uint32_t point = 0; point < sn_reduced_point_count(m->sample_count); ++point) {
        const int32_t vertex = vertex_of(model, point);
        int32_t first;
        const uint32_t own = deltas_of(model, vertex, &first);
        m->max_delta_count = own > m->max_delta_count ? own : m->max_delta_count;
        influences += influences_of(model, vertex);
        deltas += own;
    }
    if (influences > MAX_INDEX || deltas > MAX_INDEX) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "reduced solver: %u samples have %llu bone weights or morph deltas; the limit is %u",
                       m->sample_count, (unsigned long long)(influences > deltas ? influences : deltas), MAX_INDEX);
    }
    m->influence_count = (uint32_t)influences;
    m->delta_count = (uint32_t)deltas;
    return SN_OK;
}

static void pack_samples(const sn_model *model, double unit, float *packed)
{
    for (int s = 0; s < model->counts.sample_count; ++s, packed += 8) {
        const float *normal = model->sample_normals + 3 * (size_t)s;
        memcpy(packed, normal, 3 * sizeof *packed);
        packed[3] =
            (float)((double)model->sample_areas[s] / (unit * unit)); /* the unit makes pressure times area a force */
        packed[4] = sn_sample_patch_radius(model, s);
    }
}

static void pack_influences(const sn_model *model, int32_t vertex, float *packed)
{
    const int32_t first = model->influence_starts[vertex], count = model->influence_starts[vertex + 1] - first;
    for (int32_t i = 0; i < count; ++i) {
        packed[2 * i] = (float)model->influences[first + i].bone;
        packed[2 * i + 1] = model->influences[first + i].weight;
    }
}

static void pack_points(const sn_model *model, float *points, float *influences)
{
    const uint32_t count = sn_reduced_point_count((uint32_t)model->counts.sample_count);
    uint32_t next = 0;
    for (uint32_t point = 0; point < count; ++point) {
        const int32_t vertex = vertex_of(model, point);
        if (vertex >= 0) {
            memcpy(points + 4 * (size_t)point, model->surface_positions + 3 * (size_t)vertex, 3 * sizeof *points);
            pack_influences(model, vertex, influences + 4 * (size_t)next);
        }
        points[4 * (size_t)point + 3] = (float)next;
        next += influences_of(model, vertex);
    }
    points[4 * (size_t)count + 3] = (float)next;
}

static void pack_deltas(const sn_model *model, float *starts, float *packed)
{
    const uint32_t count = sn_reduced_point_count((uint32_t)model->counts.sample_count);
    uint32_t next = 0;
    for (uint32_t point = 0; point < count; ++point) {
        int32_t first;
        const uint32_t own = deltas_of(model, vertex_of(model, point), &first);
        starts[point] = (float)next;
        for (uint32_t i = 0; i < own; ++i, packed += 4) {
            const sn_morph_delta *delta = &model->morph_deltas[(uint32_t)first + i];
            memcpy(packed, delta->offset, 3 * sizeof *packed);
            packed[3] = (float)delta->morph;
        }
        next += own;
    }
    starts[count] = (float)next;
}

static void pack_rows(const sn_model *model, double unit, float *packed)
{
    const size_t q = (size_t)model->counts.coordinate_count, samples = (size_t)model->counts.sample_count;
    const size_t points = sn_reduced_point_count((uint32_t)samples);
    for (size_t point = 0; point < points; ++point) {
        const float *row =
            point < samples ? model->sample_coordinate + point * q : model->extreme_coordinate + (point - samples) * q;
        for (size_t i = 0; i < q; ++i) {
            packed[4 * (i / 4 * points + point) + i % 4] = (float)(unit * (double)row[i]);
        }
    }
}

void sn_gpu_reduced_pack_samples(const sn_model *model, double unit, const struct sn_reduced_model_layout *at,
                                 float *packed)
{
    pack_samples(model, unit, packed + 4 * (size_t)at->skin);
    pack_points(model, packed + 4 * (size_t)at->point, packed + 4 * (size_t)at->influence);
    if (at->delta > at->delta_start) {
        pack_deltas(model, packed + 4 * (size_t)at->delta_start, packed + 4 * (size_t)at->delta);
    }
    pack_rows(model, unit, packed + 4 * (size_t)at->row);
    memcpy(packed + 4 * (size_t)at->clearance, model->sample_clearances,
           (size_t)model->counts.sample_count * (size_t)sn_model_valid_bone_collider_count(model) * sizeof *packed);
}
