/* SPDX-License-Identifier: MIT */
/* Packs and uploads a rig: its tree, and its weights in blocks. */
#include <string.h>

#include "compute/coupled/private.h"

#define MAX_LOOPS (UINT32_MAX / 4) /* avoids overflow; more makes no difference */

/* A packed rig in host memory. */
typedef struct packing {
    sn_arena arena;
    const sn_coupled_rig *rig;
    uint32_t *words;
    double *numbers;
    uint32_t word_count, number_count;
    uint32_t first_word, first_number; /* begins in the buffers */
} packing;

/* Returns the begin in the buffer. */
static uint32_t add_words(packing *p, const int32_t *words, size_t count)
{
    const uint32_t first = p->first_word + p->word_count;
    memcpy(p->words + p->word_count, words, count * sizeof *words);
    p->word_count += (uint32_t)count;
    return first;
}

static uint32_t add_word(packing *p, int32_t word)
{
    return add_words(p, &word, 1);
}

static void pack_handles(packing *p, struct sn_coupled_rig_record *record)
{
    const sn_coupled_rig *rig = p->rig;
    const size_t count = (size_t)rig->handle_count;
    record->order = add_words(p, rig->order, count);
    record->roots = add_words(p, rig->roots, count);
    record->rotation_column = add_words(p, rig->rotation_column, count);
    record->parents = p->first_word + p->word_count;
    for (size_t k = 0; k < count; ++k) {
        add_word(p, rig->handles[k].parent);
    }
    record->handle_types = p->first_word + p->word_count;
    record->pivots = p->first_number;
    for (size_t k = 0; k < count; ++k) {
        add_word(p, (int32_t)rig->handles[k].type);
        memcpy(p->numbers + 3 * k, rig->handles[k].pivot, 3 * sizeof *p->numbers);
    }
    p->number_count = 3 * (uint32_t)count;
    record->gram = p->first_number + p->number_count;
    const size_t squared = (size_t)rig->basis_count * (size_t)rig->basis_count;
    memcpy(p->numbers + p->number_count, rig->gram, squared * sizeof *p->numbers);
    p->number_count += (uint32_t)squared;
}

static void pack_weights(packing *p, struct sn_coupled_rig_record *record)
{
    const sn_coupled_blocks *b = &p->rig->blocks;
    record->starts = add_words(p, b->starts, (size_t)b->block_count + 1);
    record->slot_handles = add_words(p, b->handles, (size_t)b->slot_count);
    record->handle_starts = add_words(p, b->handle_starts, (size_t)b->handle_count + 1);
    record->slots = add_words(p, b->slots, (size_t)b->slot_count);
    record->slot_blocks = add_words(p, b->slot_blocks, (size_t)b->slot_count);
}

static sn_result allocate(packing *p)
{
    const sn_coupled_rig *rig = p->rig;
    const sn_coupled_blocks *b = &rig->blocks;
    const size_t handles = (size_t)rig->handle_count, basis = (size_t)rig->basis_count;
    const size_t words = 6 * handles + 1 + (size_t)b->block_count + 1 + 3 * (size_t)b->slot_count;
    p->words = SN_NEW(&p->arena, uint32_t, words);
    p->numbers = SN_NEW(&p->arena, double, 3 * handles + basis * basis);
    return p->words && p->numbers ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result upload(sn_gpu_coupled *c, sn_gpu_coupled_rig *r, uint32_t number)
{
    const sn_coupled_rig *rig = r->rig;
    packing p = {.rig = rig, .first_word = c->used_words, .first_number = c->used_numbers};
    struct sn_coupled_rig_record record = {.size = rig->length,
                                           .flesh_mass = rig->mass,
                                           .handle_count = (uint32_t)rig->handle_count,
                                           .basis_count = (uint32_t)rig->basis_count,
                                           .unknown_capacity = (uint32_t)sn_coupled_max_unknowns(rig)};
    const uint32_t weight_count = (uint32_t)rig->blocks.slot_count * SN_BATCH;
    memcpy(record.centre, rig->model->centre, sizeof record.centre);
    sn_result result = allocate(&p);
    if (result == SN_OK) {
        pack_handles(&p, &record);
        pack_weights(&p, &record);
        result = sn_gpu_coupled_append(c, SN_COUPLED_TABLES, p.words, p.word_count, sizeof *p.words, &c->used_words);
    }
    if (result == SN_OK) {
        result = sn_gpu_coupled_append(c, SN_COUPLED_NUMBERS, p.numbers, p.number_count, sizeof *p.numbers,
                                       &c->used_numbers);
    }
    if (result == SN_OK) {
        record.weights = c->used_words;
        result = sn_gpu_coupled_append(c, SN_COUPLED_TABLES, rig->blocks.weights, weight_count, sizeof(float),
                                       &c->used_words);
    }
    if (result == SN_OK) {
        result = sn_gpu_coupled_append(c, SN_COUPLED_RIGS, &record, 1, sizeof record, &number);
    }
    r->record = record;
    sn_arena_finish(&p.arena);
    return result == SN_OK ? sn_gpu_coupled_append_elements(c, rig->model, &r->elements) : result;
}

/* Upper bound on the loop iterations of an invocation for one solve of a fit or projection, by the parts of the shader:
 * the matrix; its factor, four columns per iteration; the solution; the step. */
static uint32_t count_solve_loops(uint32_t d, uint32_t k, uint32_t s)
{
    const uint32_t matrix = (s * (s + 2) / 2 / SN_XPBD_GROUP_SIZE + 1) * 24 + (s / SN_XPBD_GROUP_SIZE + 1) * 36 + s;
    const uint32_t factor = 2 * (s / 8 + 6) * s + s * s / 20 + (s * s / (24 * SN_XPBD_GROUP_SIZE) + 1) * s;
    const uint32_t solution = s * (s / (2 * SN_XPBD_GROUP_SIZE) + 3);
    const uint32_t step =
        (d * d * k / SN_XPBD_GROUP_SIZE + 1) * (d * k + 8) + (d + 1) * k + (k / SN_XPBD_GROUP_SIZE + 1) * 80;
    return matrix + factor + solution + step;
}

uint32_t sn_gpu_coupled_loops(const sn_gpu_coupled_rig *r, uint64_t solve_count)
{
    const uint64_t loops = r->loops + solve_count * r->solve_loops;
    return loops < MAX_LOOPS ? (uint32_t)loops : MAX_LOOPS;
}

/* Computes the sizes of bodies and systems of the rig, and upper bounds on loop iterations. */
static void measure(sn_gpu_coupled_rig *r)
{
    const sn_coupled_rig *rig = r->rig;
    const uint32_t d = (uint32_t)rig->dimension, k = (uint32_t)rig->handle_count, b = (uint32_t)rig->basis_count;
    const uint32_t s = (uint32_t)sn_coupled_max_unknowns(rig), stride = (d + 1) * d;
    const uint32_t slots = (uint32_t)rig->blocks.slot_count, rows = (uint32_t)rig->model->row_count;
    r->state_count = (uint32_t)sn_gpu_coupled_counter_offset(rig) + SN_COUPLED_COUNTER_COUNT;
    r->work_count = (SN_COUPLED_HANDLE_NUMBERS + stride + 4) * k + 7 * d * b + (d * d + 1) * s + s * s;
    r->lane_count = SN_XPBD_BLOCK * stride * k;
    r->system_numbers = 6 * b * b + (d + 1) * b + k * b + 4 * SN_COUPLED_MAX_BORDER * (b + SN_COUPLED_MAX_BORDER);
    r->system_words = 3 * k + 6 * k + 2 * b + 6 * s + 4 * b + 16;
    const uint32_t products = (d * b + SN_XPBD_GROUP_SIZE - 1) / SN_XPBD_GROUP_SIZE * b;
    r->solve_loops = count_solve_loops(d, k, s);
    r->loops = (k * SN_XPBD_BLOCK / SN_XPBD_GROUP_SIZE + 1) * (slots / k + 1) * (d + 1) +
               (rows / SN_XPBD_GROUP_SIZE + 1) * (slots * SN_XPBD_BLOCK / rows + 2) * (d + 1) + 12 * products +
               12 * d * k + 2 * (18 * (k / SN_XPBD_GROUP_SIZE + 1) + SN_XPBD_GROUP_SIZE) +
               2 * (d * b / SN_XPBD_GROUP_SIZE + 1) + 64;
}

static sn_result create(sn_gpu_coupled *c, sn_gpu_coupled_rig *r)
{
    const sn_coupled_settings settings = sn_default_coupled_settings();
    r->model = -1;
    for (int i = 0; i < c->xpbd->model_count; ++i) {
        r->model = c->xpbd->models[i].model == r->rig->model ? i : r->model;
    }
    measure(r);
    c->coupling.work_count = r->work_count > c->coupling.work_count ? r->work_count : c->coupling.work_count;
    if (r->model < 0) {
        SN_TRY(sn_gpu_xpbd_add_model(c->xpbd, r->rig->model, &r->model));
    } else {
        SN_TRY(sn_gpu_xpbd_create_pipelines(c->xpbd, r->rig->model->row_count, 0));
    }
    SN_TRY(upload(c, r, (uint32_t)c->rig_count));
    SN_TRY(sn_coupled_body_create(r->rig, &settings, &r->scratch));
    r->scratch->is_for_float = c->xpbd->desc.is_single_precision;
    SN_TRY(sn_gpu_coupled_create_pipeline(c));
    return sn_gpu_coupled_bind(c);
}

sn_result sn_gpu_coupled_add_rig(sn_gpu_coupled *c, const sn_coupled_rig *rig, int *index)
{
    sn_gpu_coupled_rig *grown = sn_grow(c->rigs, c->rig_count, &c->rig_capacity, sizeof *c->rigs);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    c->rigs = grown;
    sn_gpu_coupled_rig *r = &c->rigs[c->rig_count];
    *r = (sn_gpu_coupled_rig){.rig = rig};
    const sn_result result = create(c, r);
    if (result != SN_OK) {
        sn_coupled_body_destroy(&r->scratch);
        return result;
    }
    *index = c->rig_count++;
    return SN_OK;
}

void sn_gpu_coupled_set_empty_matrices(sn_gpu_coupled *c, int rig, int count)
{
    SN_ASSERT(rig >= 0 && rig < c->rig_count && count >= 0);
    c->rigs[rig].empty_count = (uint32_t)count;
}
