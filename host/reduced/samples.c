/* SPDX-License-Identifier: MIT */
#include "host/reduced/samples.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"

sn_result sn_samples_pack(const sn_model *model, sn_arena *arena, sn_sample_rows *rows)
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

sn_result sn_samples_allocate(const sn_sample_rows *rows, sn_arena *arena, sn_sample_scratch *scratch)
{
    const size_t count = 3 * (size_t)rows->block_count;
    scratch->flesh = SN_NEW(arena, sn_f32x8, count);
    scratch->forces = SN_NEW(arena, sn_f32x8, count);
    scratch->normals = SN_NEW(arena, sn_f32x8, count);
    scratch->speeds = SN_NEW(arena, float, SN_LANES *(size_t)rows->block_count);
    scratch->places = SN_NEW(arena, double, SN_LANES *count);
    return scratch->flesh && scratch->forces && scratch->normals && scratch->speeds && scratch->places
               ? SN_OK
               : SN_ERROR_MEMORY;
}

void sn_samples_flesh(const sn_sample_rows *rows, int coordinate_count, const float *coordinates, sn_f32x8 *result)
{
    const sn_f32x8 *row = rows->rows;
    for (int block = 0; block < rows->block_count; ++block, result += 3) {
        sn_f32x8 x = {0}, y = {0}, z = {0};
        for (int k = 0; k < coordinate_count; ++k, ++row) {
            x += *row * coordinates[3 * k];
            y += *row * coordinates[3 * k + 1];
            z += *row * coordinates[3 * k + 2];
        }
        result[0] = x;
        result[1] = y;
        result[2] = z;
    }
}

void sn_samples_pull(const sn_sample_rows *rows, int coordinate_count, const sn_f32x8 *forces, sn_f32x8 *scratch,
                     double *result)
{
    const sn_f32x8 *row = rows->rows;
    memset(scratch, 0, 3 * (size_t)coordinate_count * sizeof *scratch);
    for (int block = 0; block < rows->block_count; ++block, forces += 3) {
        for (int k = 0; k < coordinate_count; ++k, ++row) {
            scratch[3 * k] += *row * forces[0];
            scratch[3 * k + 1] += *row * forces[1];
            scratch[3 * k + 2] += *row * forces[2];
        }
    }
    for (int i = 0; i < 3 * coordinate_count; ++i) {
        const sn_f32x8 v = scratch[i];
        result[i] += (double)(((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])));
    }
}

void sn_row_flesh(int coordinate_count, const float *row, const double *coordinates, double *displacement)
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

void sn_sample_flesh(const sn_model *model, int sample, const double *coordinates, double *displacement)
{
    const int count = model->counts.coordinate_count;
    sn_row_flesh(count, model->sample_coordinate + (size_t)sample * (size_t)count, coordinates, displacement);
}

void sn_sample_rig(const sn_model *model, size_t vertex, const double *rig, const float *morphs, double *position)
{
    const float *x = model->surface_positions + 3 * vertex;
    double rest[3] = {(double)x[0], (double)x[1], (double)x[2]};
    if (morphs && model->counts.morph_count > 0) {
        const sn_skin_mesh skin = sn_model_skin(model);
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
        double by_rig[3], flesh[3];
        if (s->give && s->give[sample] == 0) {
            continue;
        }
        sn_sample_rig(model, (size_t)model->sample_vertices[sample], s->rig, s->morphs, by_rig);
        sn_sample_flesh(model, sample, s->coordinates, flesh);
        const double place[3] = {by_rig[0] + flesh[0], by_rig[1] + flesh[1], by_rig[2] + flesh[2]};
        const double distance = sn_distance3(place, point);
        if (distance < nearest) {
            best = sample;
            nearest = distance;
            memcpy(position, place, sizeof place);
        }
    }
    return best;
}
