/* SPDX-License-Identifier: MIT */
/* The models of the crowds: the built-in mesh, cooked in several proportions. */
#ifndef SN_TOOLS_BENCH_MODELS_H
#define SN_TOOLS_BENCH_MODELS_H

#include "author/cook/cook.h"

#define SN_BENCH_MODEL_COUNT 5

typedef struct sn_bench_models {
    sn_cook_context cookings[SN_BENCH_MODEL_COUNT];
    sn_model *models[SN_BENCH_MODEL_COUNT];
} sn_bench_models;

/* Cooks the models into a zeroed struct. */
sn_result sn_bench_models_cook(sn_bench_models *crowd);
/* Accepts a partially cooked struct. */
void sn_bench_models_finish(sn_bench_models *crowd);

/* Cooks the built-in mesh of the given fineness (tools/bench/mesh.h), its axes scaled by factors. */
sn_result sn_bench_model_cook(double fineness, const double *factors, sn_cook_context *cooking, sn_model **model);

#endif
