/* SPDX-License-Identifier: MIT */
/* Skin samples for wind. */
#include <string.h>

#include "compute/coupled/private.h"
#include "compute/xpbd/samples.h"
#include "host/coupled/table.h"

static sn_result append_words(sn_gpu_coupled *c, const void *words, size_t count, uint32_t *first)
{
    *first = c->used_words;
    return sn_gpu_coupled_append(c, SN_COUPLED_TABLES, words, (uint32_t)count, sizeof(uint32_t), &c->used_words);
}

static sn_result upload(sn_gpu_coupled *c, const sn_gpu_samples *p, struct sn_coupled_rig_record *record)
{
    const size_t samples = (size_t)p->sample_count;
    sn_result result = append_words(c, p->starts, (size_t)p->level_count + 1, &record->levels);
    if (result == SN_OK) {
        result = append_words(c, p->words, SN_XPBD_SAMPLE_WORDS * samples, &record->samples);
    }
    if (result == SN_OK) {
        result = append_words(c, p->bones, p->influence_count, &record->sample_bones);
    }
    if (result == SN_OK) {
        result = append_words(c, p->values, SN_XPBD_SAMPLE_VALUES * samples, &record->sample_values);
    }
    if (result == SN_OK) {
        result = append_words(c, p->weights, p->influence_count, &record->sample_weights);
    }
    record->level_count = (uint32_t)p->level_count;
    return result;
}

sn_result sn_gpu_coupled_set_skin(sn_gpu_coupled *c, int rig, const sn_model *model)
{
    sn_gpu_coupled_rig *r = &c->rigs[rig];
    sn_gpu_samples p;
    SN_ASSERT(rig >= 0 && rig < c->rig_count && model->counts.vertex_count == r->rig->model->vertex_count);
    r->wind_limit = SN_XPBD_MAX_WIND_SPEED * model->diagonal;
    sn_result result = sn_gpu_samples_pack(model, r->rig->model, &p);
    if (result == SN_OK && p.sample_count > 0) {
        sn_gpu_device_wait(c->device);
        result = upload(c, &p, &r->record);
    }
    if (result == SN_OK && p.sample_count > 0) {
        result = sn_gpu_upload_range(c->device, &c->buffers[SN_COUPLED_RIGS], (size_t)rig * sizeof r->record,
                                     &r->record, sizeof r->record);
        r->loops += sn_gpu_samples_loops(&p);
    }
    if (result == SN_OK) {
        result = sn_gpu_coupled_bind(c);
    }
    sn_gpu_samples_finish(&p);
    return result;
}

void sn_gpu_coupled_set_wind(sn_gpu_coupled *c, int index, const double *wind, double mass)
{
    sn_gpu_coupled_body *body = sn_gpu_coupled_find(c, index);
    memcpy(body->wind, wind, sizeof body->wind);
    body->mass = mass;
}
