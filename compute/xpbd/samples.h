/* SPDX-License-Identifier: MIT */
/* Skin samples of a model for wind on position-based flesh (shaders/xpbd/wind.glsl). Each sample changes velocities
 * that others read, so samples that share a vertex are processed in order: the level of a sample is one more than that
 * of the last earlier sample that shares a vertex with it, as for constraints (compute/xpbd/model.c). */
#ifndef SN_COMPUTE_XPBD_SAMPLES_H
#define SN_COMPUTE_XPBD_SAMPLES_H

#include "host/base/arena.h"
#include "host/model/model.h"
#include "host/xpbd/xpbd.h"

typedef struct sn_gpu_samples {
    sn_arena arena; /* owns the arrays */
    const sn_model *model;
    const sn_xpbd_model *flesh;
    int sample_count, level_count;
    int32_t *order, *starts; /* (sample_count) sorted by level; (level_count + 1) */
    uint32_t *words, *bones; /* (sample_count x SN_XPBD_SAMPLE_WORDS); (influence_count) */
    float *values, *weights; /* (sample_count x SN_XPBD_SAMPLE_VALUES); (influence_count) */
    uint32_t influence_count;
} sn_gpu_samples;

/* Packs the samples in memory; release with sn_gpu_samples_finish. */
sn_result sn_gpu_samples_pack(const sn_model *model, const sn_xpbd_model *flesh, sn_gpu_samples *samples);
void sn_gpu_samples_finish(sn_gpu_samples *samples);
/* Loop iterations of an invocation over all levels. */
uint32_t sn_gpu_samples_loops(const sn_gpu_samples *samples);

#endif
