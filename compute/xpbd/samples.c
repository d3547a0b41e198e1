/* SPDX-License-Identifier: MIT */
#include "compute/xpbd/samples.h"

#include <string.h>

#include "host/mesh/colouring.h"
#include "host/xpbd/solver.h"
#include "shaders/shared/xpbd.h"

/* The rows of a sample's tet; none if the sample is attached to bones only. */
static int rows_of(const sn_gpu_samples *p, int sample, uint32_t *rows)
{
    const sn_model *m = p->model;
    const int32_t tet = m->surface_tets[m->sample_vertices[sample]];
    const int count = tet < 0 ? 0 : sn_model_is_flat(m) ? 3 : 4;
    for (int i = 0; i < count; ++i) {
        rows[i] = (uint32_t)p->flesh->rows[m->tets[4 * (size_t)tet + (size_t)i]];
    }
    return count;
}

static sn_result find_levels(sn_gpu_samples *p)
{
    int32_t *last = SN_NEW(&p->arena, int32_t, p->flesh->row_count);
    int32_t *levels = SN_NEW(&p->arena, int32_t, p->sample_count);
    p->order = SN_NEW(&p->arena, int32_t, p->sample_count);
    if (!last || !levels || !p->order) {
        return SN_ERROR_MEMORY;
    }
    for (int sample = 0; sample < p->sample_count; ++sample) {
        uint32_t rows[4];
        const int count = rows_of(p, sample, rows);
        for (int i = 0; i < count; ++i) {
            levels[sample] = last[rows[i]] > levels[sample] ? last[rows[i]] : levels[sample];
        }
        for (int i = 0; i < count; ++i) {
            last[rows[i]] = levels[sample] + 1;
        }
        p->level_count = levels[sample] >= p->level_count ? levels[sample] + 1 : p->level_count;
    }
    p->starts = SN_NEW(&p->arena, int32_t, p->level_count + 2);
    if (!p->starts) {
        return SN_ERROR_MEMORY;
    }
    sn_colours_sort(levels, p->sample_count, p->level_count, p->starts, p->order);
    return SN_OK;
}

static void pack_sample(sn_gpu_samples *p, int slot)
{
    const sn_model *m = p->model;
    const int sample = p->order[slot];
    const size_t vertex = (size_t)m->sample_vertices[sample];
    uint32_t *words = p->words + SN_XPBD_SAMPLE_WORDS * (size_t)slot;
    float *values = p->values + SN_XPBD_SAMPLE_VALUES * (size_t)slot;
    const int corners = rows_of(p, sample, words);
    words[4] = (uint32_t)corners;
    words[5] = p->influence_count;
    for (int32_t i = m->influence_starts[vertex]; i < m->influence_starts[vertex + 1]; ++i) {
        p->bones[p->influence_count] = (uint32_t)m->influences[i].bone;
        p->weights[p->influence_count++] = m->influences[i].weight;
    }
    words[6] = p->influence_count;
    for (size_t i = 0; i < (size_t)corners; ++i) {
        values[i] = m->surface_barycentric[4 * vertex + i];
    }
    memcpy(values + 4, m->sample_normals + 3 * (size_t)sample, 3 * sizeof *values);
    values[7] = m->sample_areas[sample];
}

static sn_result pack(sn_gpu_samples *p)
{
    const sn_model *m = p->model;
    const size_t samples = (size_t)p->sample_count;
    size_t influences = 0;
    for (size_t sample = 0; sample < samples; ++sample) {
        const int32_t *starts = m->influence_starts + m->sample_vertices[sample];
        influences += (size_t)(starts[1] - starts[0]);
    }
    p->words = SN_NEW(&p->arena, uint32_t, SN_XPBD_SAMPLE_WORDS * samples);
    p->values = SN_NEW(&p->arena, float, SN_XPBD_SAMPLE_VALUES *samples);
    p->bones = SN_NEW(&p->arena, uint32_t, influences);
    p->weights = SN_NEW(&p->arena, float, influences);
    if (!p->words || !p->values || !p->bones || !p->weights) {
        return SN_ERROR_MEMORY;
    }
    for (int slot = 0; slot < p->sample_count; ++slot) {
        pack_sample(p, slot);
    }
    return SN_OK;
}

/* Iterations over all levels, each with a sample's influences and corners. */
uint32_t sn_gpu_samples_loops(const sn_gpu_samples *p)
{
    uint32_t rounds = (uint32_t)p->level_count;
    for (int level = 0; level < p->level_count; ++level) {
        rounds += (uint32_t)(p->starts[level + 1] - p->starts[level]) / SN_XPBD_GROUP_SIZE;
    }
    return rounds * (4 * (p->influence_count / (uint32_t)p->sample_count + 2) + 16);
}

sn_result sn_gpu_samples_pack(const sn_model *model, const sn_xpbd_model *flesh, sn_gpu_samples *samples)
{
    *samples = (sn_gpu_samples){.model = model, .flesh = flesh, .sample_count = model->counts.sample_count};
    if (samples->sample_count == 0) {
        return SN_OK;
    }
    SN_TRY(find_levels(samples));
    return pack(samples);
}

void sn_gpu_samples_finish(sn_gpu_samples *samples)
{
    sn_arena_finish(&samples->arena);
}
