/* SPDX-License-Identifier: MIT */
/* The samples of a model's skin as the device takes them, for wind. Each changes velocities that others read, so that
 * they keep their order where they share a vertex: a sample's level is one more than the last of those before it that
 * share one with it, as of constraints (compute/xpbd/model.c). */
#include <string.h>

#include "compute/coupled/private.h"
#include "host/coupled/table.h"
#include "host/mesh/colouring.h"

typedef struct packing {
    sn_arena arena;
    const sn_model *model;
    const sn_xpbd_model *flesh;
    int sample_count, level_count;
    int32_t *order, *starts; /* (sample_count) by level; (level_count + 1) */
    uint32_t *words, *bones;
    float *values, *weights;
    uint32_t influence_count;
} packing;

/* Its corners' rows; none where it hangs on bones alone. */
static int rows_of(const packing *p, int sample, uint32_t *rows)
{
    const sn_model *m = p->model;
    const int32_t tet = m->surface_tets[m->sample_vertices[sample]];
    const int count = tet < 0 ? 0 : sn_model_is_flat(m) ? 3 : 4;
    for (int i = 0; i < count; ++i) {
        rows[i] = (uint32_t)p->flesh->rows[m->tets[4 * (size_t)tet + (size_t)i]];
    }
    return count;
}

static sn_result find_levels(packing *p)
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

static void pack_sample(packing *p, int place)
{
    const sn_model *m = p->model;
    const int sample = p->order[place];
    const size_t vertex = (size_t)m->sample_vertices[sample];
    uint32_t *words = p->words + SN_COUPLED_SAMPLE_WORDS * (size_t)place;
    float *values = p->values + SN_COUPLED_SAMPLE_VALUES * (size_t)place;
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

static sn_result pack(packing *p)
{
    const sn_model *m = p->model;
    const size_t samples = (size_t)p->sample_count;
    size_t influences = 0;
    for (size_t sample = 0; sample < samples; ++sample) {
        const int32_t *starts = m->influence_starts + m->sample_vertices[sample];
        influences += (size_t)(starts[1] - starts[0]);
    }
    p->words = SN_NEW(&p->arena, uint32_t, SN_COUPLED_SAMPLE_WORDS * samples);
    p->values = SN_NEW(&p->arena, float, SN_COUPLED_SAMPLE_VALUES *samples);
    p->bones = SN_NEW(&p->arena, uint32_t, influences);
    p->weights = SN_NEW(&p->arena, float, influences);
    if (!p->words || !p->values || !p->bones || !p->weights) {
        return SN_ERROR_MEMORY;
    }
    for (int place = 0; place < p->sample_count; ++place) {
        pack_sample(p, place);
    }
    return SN_OK;
}

static sn_result append_words(sn_gpu_coupled *c, const void *words, size_t count, uint32_t *first)
{
    *first = c->used_words;
    return sn_gpu_coupled_append(c, SN_COUPLED_TABLES, words, (uint32_t)count, sizeof(uint32_t), &c->used_words);
}

static sn_result append_floats(sn_gpu_coupled *c, const float *floats, size_t count, uint32_t *first)
{
    *first = c->used_weights;
    return sn_gpu_coupled_append(c, SN_COUPLED_WEIGHTS, floats, (uint32_t)count, sizeof *floats, &c->used_weights);
}

static sn_result upload(sn_gpu_coupled *c, const packing *p, struct sn_coupled_rig_record *record)
{
    const size_t samples = (size_t)p->sample_count;
    sn_result result = append_words(c, p->starts, (size_t)p->level_count + 1, &record->levels);
    if (result == SN_OK) {
        result = append_words(c, p->words, SN_COUPLED_SAMPLE_WORDS * samples, &record->samples);
    }
    if (result == SN_OK) {
        result = append_words(c, p->bones, p->influence_count, &record->sample_bones);
    }
    if (result == SN_OK) {
        result = append_floats(c, p->values, SN_COUPLED_SAMPLE_VALUES * samples, &record->sample_values);
    }
    if (result == SN_OK) {
        result = append_floats(c, p->weights, p->influence_count, &record->sample_weights);
    }
    record->level_count = (uint32_t)p->level_count;
    return result;
}

/* Of an invocation: rounds of all levels, each with the influences and the corners of a sample. */
static uint32_t count_loops(const packing *p)
{
    uint32_t rounds = (uint32_t)p->level_count;
    for (int level = 0; level < p->level_count; ++level) {
        rounds += (uint32_t)(p->starts[level + 1] - p->starts[level]) / SN_XPBD_GROUP_SIZE;
    }
    return rounds * (4 * (p->influence_count / (uint32_t)p->sample_count + 2) + 16);
}

sn_result sn_gpu_coupled_set_skin(sn_gpu_coupled *c, int rig, const sn_model *model)
{
    sn_gpu_coupled_rig *r = &c->rigs[rig];
    packing p = {.model = model, .flesh = r->rig->model, .sample_count = model->counts.sample_count};
    SN_ASSERT(rig >= 0 && rig < c->rig_count && model->counts.vertex_count == p.flesh->vertex_count);
    r->wind_limit = SN_XPBD_FASTEST_WIND * model->diagonal;
    if (p.sample_count == 0) {
        return SN_OK;
    }
    sn_result result = find_levels(&p);
    if (result == SN_OK) {
        result = pack(&p);
    }
    if (result == SN_OK) {
        sn_gpu_device_wait(c->device);
        result = upload(c, &p, &r->record);
    }
    if (result == SN_OK) {
        result = sn_gpu_upload_range(c->device, &c->buffers[SN_COUPLED_RIGS], (size_t)rig * sizeof r->record,
                                     &r->record, sizeof r->record);
        r->loops += count_loops(&p);
    }
    if (result == SN_OK) {
        result = sn_gpu_coupled_bind(c);
    }
    sn_arena_finish(&p.arena);
    return result;
}

void sn_gpu_coupled_set_wind(sn_gpu_coupled *c, int index, const double *wind, double mass)
{
    sn_gpu_coupled_body *body = sn_gpu_coupled_find(c, index);
    memcpy(body->wind, wind, sizeof body->wind);
    body->mass = mass;
}
