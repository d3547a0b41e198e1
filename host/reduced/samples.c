/* SPDX-License-Identifier: MIT */
#include "host/reduced/samples.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"

/* ---- packing ---- */

static sn_result pack_rows(const sn_model *model, sn_arena *arena, sn_sample_rows *rows)
{
    const int samples = model->counts.sample_count, coordinates = model->counts.coordinate_count;
    rows->block_count = (samples + SN_LANES - 1) / SN_LANES;
    rows->rows = SN_NEW(arena, sn_f32x8, (size_t)rows->block_count * (size_t)coordinates);
    for (int s = 0; rows->rows && s < samples; ++s) {
        const float *row = model->sample_coordinate + (size_t)s * (size_t)coordinates;
        for (int k = 0; k < coordinates; ++k) {
            rows->rows[s / SN_LANES * coordinates + k][s % SN_LANES] = row[k];
        }
    }
    return rows->rows ? SN_OK : SN_ERROR_MEMORY;
}

static void pack_positions(const sn_model *model, sn_sample_skin *skin)
{
    for (int s = 0; s < skin->sample_count; ++s) {
        const float *x = model->surface_positions + 3 * (size_t)model->sample_vertices[s];
        const float *n = model->sample_normals + 3 * (size_t)s;
        const int block = s / SN_LANES, lane = s % SN_LANES;
        skin->rest[4 * s + 3] = 1;
        skin->areas[block][lane] = model->sample_areas[s];
        for (int d = 0; d < 3; ++d) {
            skin->rest[4 * s + d] = x[d];
            skin->normals[4 * s + d] = skin->normal_lanes[3 * block + d][lane] = n[d];
        }
        for (int i = 0; i < SN_SAMPLE_EXTREMES; ++i) {
            const float *at = model->surface_positions + 3 * (size_t)model->sample_extremes[SN_SAMPLE_EXTREMES * s + i];
            for (int d = 0; d < 3; ++d) {
                skin->extreme_rest[3 * s + d][i] = at[d];
            }
        }
    }
}

static void pack_influences(const sn_model *model, sn_sample_skin *skin)
{
    int count = 0;
    for (int s = 0; s < skin->sample_count; ++s) {
        const int32_t v = model->sample_vertices[s];
        for (int32_t i = model->influence_starts[v]; i < model->influence_starts[v + 1]; ++i, ++count) {
            skin->bones[count] = model->influences[i].bone;
            skin->weights[count] = model->influences[i].weight;
        }
        skin->starts[s + 1] = count;
    }
}

/* Index of a bone in the list, or `count` if it is not there. */
static int32_t find_bone(const int32_t *bones, int32_t count, int32_t bone)
{
    int32_t at = 0;
    while (at < count && bones[at] != bone) {
        ++at;
    }
    return at;
}

static void pack_extremes(const sn_model *model, sn_sample_skin *skin)
{
    for (int s = 0; s < skin->sample_count; ++s) {
        const int32_t first = skin->extreme_starts[s];
        int32_t count = 0;
        for (int k = 0; k < SN_SAMPLE_EXTREMES; ++k) {
            const int32_t v = model->sample_extremes[SN_SAMPLE_EXTREMES * s + k];
            for (int32_t i = model->influence_starts[v]; i < model->influence_starts[v + 1]; ++i) {
                const int32_t at = find_bone(skin->extreme_bones + first, count, model->influences[i].bone);
                skin->extreme_bones[first + at] = model->influences[i].bone;
                skin->extreme_weights[first + at][k] += model->influences[i].weight;
                count += at == count;
            }
        }
        skin->extreme_starts[s + 1] = first + count;
    }
}

static int32_t count_influences(const sn_model *model, const int32_t *vertices, int count)
{
    int32_t sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += model->influence_starts[vertices[i] + 1] - model->influence_starts[vertices[i]];
    }
    return sum;
}

static sn_result pack_skin(const sn_model *model, sn_arena *arena, sn_sample_skin *skin)
{
    const int count = model->counts.sample_count, blocks = (count + SN_LANES - 1) / SN_LANES;
    const int32_t own = count_influences(model, model->sample_vertices, count);
    const int32_t extreme = count_influences(model, model->sample_extremes, SN_SAMPLE_EXTREMES * count);
    skin->sample_count = count;
    const bool is_ok =
        (skin->rest = SN_NEW(arena, float, 4 * count)) && (skin->normals = SN_NEW(arena, float, 4 * count)) &&
        (skin->normal_lanes = SN_NEW(arena, sn_f32x8, 3 * blocks)) && (skin->areas = SN_NEW(arena, sn_f32x8, blocks)) &&
        (skin->starts = SN_NEW(arena, int32_t, count + 1)) && (skin->bones = SN_NEW(arena, int32_t, own)) &&
        (skin->weights = SN_NEW(arena, float, own)) && (skin->extreme_rest = SN_NEW(arena, sn_f32x8, 3 * count)) &&
        (skin->extreme_starts = SN_NEW(arena, int32_t, count + 1)) &&
        (skin->extreme_bones = SN_NEW(arena, int32_t, extreme)) &&
        (skin->extreme_weights = SN_NEW(arena, sn_f32x8, extreme));
    if (!is_ok) {
        return SN_ERROR_MEMORY;
    }
    pack_positions(model, skin);
    pack_influences(model, skin);
    pack_extremes(model, skin);
    return SN_OK;
}

sn_result sn_samples_pack(const sn_model *model, sn_arena *arena, sn_sample_rows *rows, sn_sample_skin *skin)
{
    SN_TRY(pack_rows(model, arena, rows));
    return pack_skin(model, arena, skin);
}

sn_result sn_samples_allocate(int block_count, int bone_count, int padded_count, sn_arena *arena,
                              sn_sample_scratch *scratch)
{
    const size_t lanes = SN_LANES * (size_t)block_count;
    const bool is_ok = (scratch->flesh_offset = SN_NEW(arena, sn_f32x8, 3 * block_count)) &&
                       (scratch->positions = SN_NEW(arena, sn_f32x8, 3 * block_count)) &&
                       (scratch->forces = SN_NEW(arena, sn_f32x8, 3 * block_count)) &&
                       (scratch->normals = SN_NEW(arena, sn_f32x8, 3 * block_count)) &&
                       (scratch->speeds = SN_NEW(arena, sn_f32x8, block_count)) &&
                       (scratch->limits = SN_NEW(arena, sn_f32x8, block_count)) &&
                       (scratch->columns = SN_NEW(arena, float, 3 * padded_count)) &&
                       (scratch->near_flags = SN_NEW(arena, uint64_t, SN_SAMPLE_FLAG_WORDS * lanes)) &&
                       (scratch->rest = SN_NEW(arena, float, 4 * lanes)) &&
                       (scratch->rig = SN_NEW(arena, float, 16 * bone_count));
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

/* ---- stepping ---- */

const float *sn_samples_rest_positions(const sn_model *model, const sn_sample_skin *skin, const float *morphs,
                                       float *morphed)
{
    if (model->counts.morph_count == 0) {
        return skin->rest;
    }
    const sn_surface mesh = sn_model_surface(model);
    for (int s = 0; s < skin->sample_count; ++s) {
        const int32_t v = model->sample_vertices[s];
        memcpy(morphed + 4 * s, skin->rest + 4 * s, 4 * sizeof *morphed);
        if (model->morph_starts[v] < model->morph_starts[v + 1]) {
            double rest[3];
            sn_skin_morph(&mesh, v, morphs, rest);
            for (int d = 0; d < 3; ++d) {
                morphed[4 * s + d] = (float)rest[d];
            }
        }
    }
    return morphed;
}

void sn_samples_rig_to_float(const double *rig, int bone_count, const double *origin, float *converted)
{
    for (int column = 0; column < 4 * bone_count; ++column, rig += 3, converted += 4) {
        for (int d = 0; d < 3; ++d) {
            converted[d] = (float)(rig[d] - (column % 4 == 3 ? origin[d] : 0));
        }
        converted[3] = 0;
    }
}

void sn_row_flesh_offset(int coordinate_count, const float *row, const double *coordinates, double *displacement)
{
    double x = 0, y = 0, z = 0;
    for (int i = 0; i < coordinate_count; ++i, coordinates += 3) {
        x += (double)row[i] * coordinates[0];
        y += (double)row[i] * coordinates[1];
        z += (double)row[i] * coordinates[2];
    }
    displacement[0] = x;
    displacement[1] = y;
    displacement[2] = z;
}

void sn_sample_flesh_offset(const sn_model *model, int sample, const double *coordinates, double *displacement)
{
    const int count = model->counts.coordinate_count;
    sn_row_flesh_offset(count, model->sample_coordinate + (size_t)sample * (size_t)count, coordinates, displacement);
}

void sn_sample_rig_position(const sn_model *model, size_t vertex, const double *rig, const float *morphs,
                            double *position)
{
    const float *x = model->surface_positions + 3 * vertex;
    double rest[3] = {(double)x[0], (double)x[1], (double)x[2]};
    if (morphs && model->counts.morph_count > 0) {
        const sn_surface skin = sn_model_surface(model);
        sn_skin_morph(&skin, (int)vertex, morphs, rest);
    }
    position[0] = position[1] = position[2] = 0;
    for (int32_t i = model->influence_starts[vertex]; i < model->influence_starts[vertex + 1]; ++i) {
        const double *p = rig + 12 * (size_t)model->influences[i].bone;
        const double weight = (double)model->influences[i].weight;
        for (int d = 0; d < 3; ++d) {
            position[d] += weight * (p[d] * rest[0] + p[3 + d] * rest[1] + p[6 + d] * rest[2] + p[9 + d]);
        }
    }
}

int sn_nearest_sample(const sn_sample_search *s, const double *point, double *position)
{
    const sn_model *model = s->model;
    double nearest = INFINITY;
    int best = -1;
    for (int sample = 0; sample < model->counts.sample_count; ++sample) {
        double by_rig[3], flesh_offset[3];
        if (s->compliance && s->compliance[sample] == 0) {
            continue;
        }
        sn_sample_rig_position(model, (size_t)model->sample_vertices[sample], s->rig, s->morphs, by_rig);
        sn_sample_flesh_offset(model, sample, s->coordinates, flesh_offset);
        const double current[3] = {by_rig[0] + flesh_offset[0], by_rig[1] + flesh_offset[1],
                                   by_rig[2] + flesh_offset[2]};
        const double distance = sn_distance3(current, point);
        if (distance < nearest) {
            best = sample;
            nearest = distance;
            memcpy(position, current, sizeof current);
        }
    }
    return best;
}
