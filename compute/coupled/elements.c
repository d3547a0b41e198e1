/* SPDX-License-Identifier: MIT */
/* Packs elements in the batches that are checked at the end of a step, for a rig or for a body with edited flesh. */
#include <string.h>

#include "compute/coupled/private.h"

typedef struct packing {
    sn_arena arena;
    uint32_t *words;
    uint32_t count;
} packing;

/* Batch by batch, in the order of the CPU. */
static sn_result pack(const sn_xpbd_model *model, packing *p)
{
    const sn_xpbd_batches *b = &model->elements;
    const size_t corners = (size_t)b->batch_count * SN_BATCH * (size_t)b->corner_count;
    p->words = SN_NEW(&p->arena, uint32_t, SN_COUPLED_CHECK_BATCHES + 1 + corners);
    if (!p->words) {
        return SN_ERROR_MEMORY;
    }
    for (int batch = 0; batch < b->batch_count; ++batch) {
        p->words[batch % SN_COUPLED_CHECK_BATCHES + 1] += (uint32_t)b->fill[batch];
    }
    p->count = SN_COUPLED_CHECK_BATCHES + 1;
    for (int part = 0; part < SN_COUPLED_CHECK_BATCHES; ++part) {
        p->words[part + 1] += p->words[part];
        for (int batch = part; batch < b->batch_count; batch += SN_COUPLED_CHECK_BATCHES) {
            const int32_t *of = b->corners + (size_t)batch * (size_t)b->corner_count * SN_BATCH;
            for (int i = 0; i < b->fill[batch] * b->corner_count; ++i) {
                p->words[p->count++] = (uint32_t)of[SN_BATCH * (i % b->corner_count) + i / b->corner_count] / 4;
            }
        }
    }
    return SN_OK;
}

sn_result sn_gpu_coupled_append_elements(sn_gpu_coupled *c, const sn_xpbd_model *model, uint32_t *first)
{
    packing p = {.count = 0};
    sn_result result = pack(model, &p);
    *first = c->used_words;
    if (result == SN_OK) {
        result = sn_gpu_coupled_append(c, SN_COUPLED_TABLES, p.words, p.count, sizeof *p.words, &c->used_words);
    }
    sn_arena_finish(&p.arena);
    return result;
}

/* Reuses the body's range if it is large enough. */
static sn_result upload_own(sn_gpu_coupled *c, const packing *p, sn_gpu_xpbd_range *range)
{
    if (p->count > range->capacity) {
        const uint32_t first = c->used_words;
        const sn_result result =
            sn_gpu_coupled_append(c, SN_COUPLED_TABLES, p->words, p->count, sizeof *p->words, &c->used_words);
        *range = result == SN_OK ? (sn_gpu_xpbd_range){first, p->count} : *range;
        return result;
    }
    return sn_gpu_upload_range(c->device, &c->buffers[SN_COUPLED_TABLES], range->first * sizeof *p->words, p->words,
                               p->count * sizeof *p->words);
}

sn_result sn_gpu_coupled_edit_flesh(sn_gpu_coupled *c, int index, const sn_xpbd_model *edited)
{
    sn_gpu_coupled_body *body = sn_gpu_coupled_find(c, index);
    packing p = {.count = 0};
    sn_result result = pack(edited, &p);
    if (result == SN_OK) {
        result = sn_gpu_xpbd_edit_body(c->xpbd, index, edited); /* waits for the device */
    }
    if (result == SN_OK) {
        result = upload_own(c, &p, &body->elements);
    }
    body->is_edited |= result == SN_OK;
    sn_arena_finish(&p.arena);
    return result == SN_OK ? sn_gpu_coupled_bind(c) : result;
}
