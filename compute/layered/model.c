/* SPDX-License-Identifier: MIT */
/* Packs a model for the device: attached vertices, the weights that pose the flesh after a reset, layers. */
#include <string.h>

#include "compute/layered/private.h"
#include "compute/xpbd/samples.h"
#include "host/xpbd/skin.h"

/* A packed model in host memory. */
typedef struct packing {
    sn_arena arena;
    const sn_layered_model *model;
    uint32_t *words;
    double *numbers;
    uint32_t *posing; /* bones that pose each row */
    float *weights;
    size_t word_count, number_count, posing_count;
} packing;

/* Lists the bones that pose a vertex and their weights, as place_followed of host/layered/body.c; null arrays: counts
 * only. */
static size_t list_posing(const sn_layered_model *m, int vertex, const int32_t *attached_bone, uint32_t *bones,
                          float *weights)
{
    const float *of = m->weights ? m->weights + (size_t)vertex * (size_t)m->bone_count : NULL;
    size_t count = 0;
    for (int bone = 0; bone < m->bone_count && of && attached_bone[vertex] < 0; ++bone) {
        if (of[bone] > 0) {
            if (bones) {
                bones[count] = (uint32_t)bone;
                weights[count] = of[bone];
            }
            ++count;
        }
    }
    if (count == 0) {
        if (bones) {
            bones[0] = (uint32_t)(attached_bone[vertex] < 0 ? m->parent_bones[vertex] : attached_bone[vertex]);
            weights[0] = 1;
        }
        count = 1;
    }
    return count;
}

static sn_result allocate(packing *p, const int32_t *attached_bone)
{
    const sn_layered_model *m = p->model;
    const size_t rows = (size_t)m->flesh->row_count, bones = (size_t)m->bone_count;
    size_t posing = 0;
    for (int v = 0; v < m->vertex_count; ++v) {
        posing += list_posing(m, v, attached_bone, NULL, NULL);
    }
    p->words = SN_NEW(&p->arena, uint32_t, 2 * (size_t)m->attached_vertex_count + 3 * rows + 1 + posing);
    p->numbers = SN_NEW(&p->arena, double, 3 * (rows + bones));
    p->posing = SN_NEW(&p->arena, uint32_t, posing);
    p->weights = SN_NEW(&p->arena, float, posing);
    return p->words && p->numbers && p->posing && p->weights ? SN_OK : SN_ERROR_MEMORY;
}

static void pack_rows(packing *p, const int32_t *attached_bone, struct sn_layered_model_record *record)
{
    const sn_layered_model *m = p->model;
    const size_t rows = (size_t)m->flesh->row_count;
    record->parent_bones = (uint32_t)p->word_count;
    record->layers = record->parent_bones + (uint32_t)rows;
    record->starts = record->layers + (uint32_t)rows;
    p->word_count += 3 * rows + 1;
    for (size_t row = 0; row < rows; ++row) {
        const bool is_vertex = row < (size_t)m->vertex_count;
        const int32_t vertex = is_vertex ? m->flesh->order[row] : 0;
        p->words[record->parent_bones + row] = is_vertex ? (uint32_t)m->parent_bones_by_row[row] : 0;
        p->words[record->layers + row] = UINT32_MAX;
        p->words[record->starts + row] = (uint32_t)p->posing_count;
        if (is_vertex) {
            memcpy(p->numbers + 3 * row, m->positions + 3 * (size_t)vertex, 3 * sizeof *p->numbers);
            p->posing_count +=
                list_posing(m, vertex, attached_bone, p->posing + p->posing_count, p->weights + p->posing_count);
        }
    }
    p->words[record->starts + rows] = (uint32_t)p->posing_count;
    for (int layer = m->layer_starts ? m->flesh->group_count - 1 : -1; layer >= 0;
         --layer) { /* descending, so that a row keeps its first layer */
        for (int i = m->layer_starts[layer]; i < m->layer_starts[layer + 1]; ++i) {
            p->words[record->layers + (size_t)m->layer_rows[i]] = (uint32_t)layer;
        }
    }
}

static void pack(packing *p, const int32_t *attached_bone, struct sn_layered_model_record *record)
{
    const sn_layered_model *m = p->model;
    const size_t rows = (size_t)m->flesh->row_count, bones = (size_t)m->bone_count;
    *record = (struct sn_layered_model_record){.bone_count = (uint32_t)m->bone_count,
                                               .attached_vertex_count = (uint32_t)m->attached_vertex_count,
                                               .pivots = (uint32_t)(3 * rows)};
    for (int i = 0; i < m->attached_vertex_count; ++i) {
        p->words[p->word_count++] = (uint32_t)m->flesh->rows[m->attached[i].vertex];
        p->words[p->word_count++] = (uint32_t)m->attached[i].bone;
    }
    pack_rows(p, attached_bone, record);
    record->posing = (uint32_t)p->word_count;
    memcpy(p->words + p->word_count, p->posing, p->posing_count * sizeof *p->posing);
    p->word_count += p->posing_count;
    memcpy(p->numbers + 3 * rows, m->pivots, 3 * bones * sizeof *p->numbers);
    p->number_count = 3 * (rows + bones);
}

/* Converts table offsets from the packed arrays to the buffers. */
static void shift(const sn_gpu_layered *l, struct sn_layered_model_record *record)
{
    record->attached += l->used_words;
    record->parent_bones += l->used_words;
    record->layers += l->used_words;
    record->starts += l->used_words;
    record->posing += l->used_words;
    record->rest_positions += l->used_numbers;
    record->pivots += l->used_numbers;
}

static sn_result upload(sn_gpu_layered *l, const packing *p, struct sn_layered_model_record *record)
{
    uint32_t count = (uint32_t)l->model_count;
    shift(l, record);
    sn_result result =
        sn_gpu_layered_append(l, SN_LAYERED_TABLES, p->words, p->word_count, sizeof *p->words, &l->used_words);
    if (result == SN_OK) {
        result = sn_gpu_layered_append(l, SN_LAYERED_NUMBERS, p->numbers, p->number_count, sizeof *p->numbers,
                                       &l->used_numbers);
    }
    if (result == SN_OK) {
        record->weights = l->used_words;
        result = sn_gpu_layered_append(l, SN_LAYERED_TABLES, p->weights, p->posing_count, sizeof *p->weights,
                                       &l->used_words);
    }
    return result == SN_OK ? sn_gpu_layered_append(l, SN_LAYERED_MODELS, record, 1, sizeof *record, &count) : result;
}

/* Computes the mean of the attached vertices. */
static sn_result compute_attached_mean(sn_gpu_layered_model *added)
{
    const sn_layered_model *m = added->model;
    added->attached_fractions = sn_alloc((size_t)m->bone_count, sizeof *added->attached_fractions);
    if (!added->attached_fractions) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < m->attached_vertex_count; ++i) {
        const float *rest = m->flesh->rest + 4 * (size_t)m->flesh->rows[m->attached[i].vertex];
        added->attached_fractions[m->attached[i].bone] += 1.0 / m->attached_vertex_count;
        for (int d = 0; d < 3; ++d) {
            added->attached_mean[d] += (double)rest[d] / m->attached_vertex_count;
        }
    }
    return SN_OK;
}

static void count_loops(const packing *p, sn_gpu_layered_model *added)
{
    const sn_layered_model *m = p->model;
    const uint32_t rows = (uint32_t)m->flesh->row_count, posing = (uint32_t)p->posing_count;
    added->loops = 2 * ((uint32_t)m->bone_count / SN_XPBD_GROUP_SIZE + 1) +
                   (uint32_t)m->attached_vertex_count / SN_XPBD_GROUP_SIZE + rows / SN_XPBD_GROUP_SIZE +
                   (rows / SN_XPBD_GROUP_SIZE + 1) * (posing / (uint32_t)m->vertex_count + 2) + 16;
}

static sn_result create(sn_gpu_layered *l, sn_gpu_layered_model *added)
{
    const sn_layered_settings settings = sn_default_layered_settings();
    packing p = {.model = added->model};
    int32_t *attached_bone = SN_NEW(&p.arena, int32_t, (size_t)added->model->vertex_count);
    sn_result result = attached_bone ? SN_OK : SN_ERROR_MEMORY;
    for (int v = 0; v < added->model->vertex_count && attached_bone; ++v) {
        attached_bone[v] = -1;
    }
    for (int i = 0; i < added->model->attached_vertex_count && attached_bone; ++i) {
        attached_bone[added->model->attached[i].vertex] = added->model->attached[i].bone;
    }
    if (result == SN_OK) {
        result = allocate(&p, attached_bone);
    }
    if (result == SN_OK) {
        result = compute_attached_mean(added);
    }
    if (result == SN_OK) {
        result = sn_layered_body_create(added->model, &settings, NULL, &added->scratch);
    }
    if (result == SN_OK) {
        result = sn_gpu_xpbd_add_model(l->xpbd, added->model->flesh, &added->flesh);
    }
    if (result == SN_OK) {
        pack(&p, attached_bone, &added->record);
        count_loops(&p, added);
        result = upload(l, &p, &added->record);
    }
    sn_arena_finish(&p.arena);
    return result == SN_OK ? sn_gpu_layered_bind(l) : result;
}

sn_result sn_gpu_layered_add_model(sn_gpu_layered *l, const sn_layered_model *model, int *index)
{
    sn_gpu_layered_model *grown = sn_grow(l->models, l->model_count, &l->model_capacity, sizeof *l->models);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    l->models = grown;
    sn_gpu_layered_model *added = &grown[l->model_count];
    *added = (sn_gpu_layered_model){.model = model};
    const sn_result result = create(l, added);
    if (result != SN_OK) {
        sn_layered_body_destroy(&added->scratch);
        sn_free(added->attached_fractions, (size_t)model->bone_count, sizeof *added->attached_fractions);
        return result;
    }
    *index = l->model_count++;
    return SN_OK;
}

/* ---- wind ---- */

static sn_result append_skin(sn_gpu_layered *l, const sn_gpu_samples *p, struct sn_layered_model_record *record)
{
    const size_t samples = (size_t)p->sample_count;
    record->levels = l->used_words;
    sn_result result = sn_gpu_layered_append(l, SN_LAYERED_TABLES, p->starts, (size_t)p->level_count + 1,
                                             sizeof(uint32_t), &l->used_words);
    record->samples = l->used_words;
    if (result == SN_OK) {
        result = sn_gpu_layered_append(l, SN_LAYERED_TABLES, p->words, SN_XPBD_SAMPLE_WORDS * samples, sizeof(uint32_t),
                                       &l->used_words);
    }
    record->sample_values = l->used_words;
    if (result == SN_OK) {
        result = sn_gpu_layered_append(l, SN_LAYERED_TABLES, p->values, SN_XPBD_SAMPLE_VALUES * samples, sizeof(float),
                                       &l->used_words);
    }
    record->level_count = (uint32_t)p->level_count;
    return result;
}

sn_result sn_gpu_layered_set_skin(sn_gpu_layered *l, int model, const sn_model *cooked)
{
    SN_ASSERT(model >= 0 && model < l->model_count);
    sn_gpu_layered_model *m = &l->models[model];
    sn_gpu_samples p;
    m->wind_limit = SN_XPBD_MAX_WIND_SPEED * cooked->diagonal;
    sn_result result = sn_gpu_samples_pack(cooked, m->model->flesh, &p);
    if (result == SN_OK && p.sample_count > 0) {
        sn_gpu_device_wait(l->device);
        result = append_skin(l, &p, &m->record);
        if (result == SN_OK) {
            result = sn_gpu_upload_range(l->device, &l->buffers[SN_LAYERED_MODELS], (size_t)model * sizeof m->record,
                                         &m->record, sizeof m->record);
        }
        m->loops += sn_gpu_samples_loops(&p);
    }
    sn_gpu_samples_finish(&p);
    return result == SN_OK ? sn_gpu_layered_bind(l) : result;
}
