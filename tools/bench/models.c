/* SPDX-License-Identifier: MIT */
#include "tools/bench/models.h"

#include "tools/bench/mesh.h"

sn_result sn_bench_model_cook(double fineness, const double *factors, sn_cook_context *cooking, sn_model **model)
{
    const sn_cook_desc desc = sn_default_cook_desc();
    SN_TRY(sn_bench_mesh(fineness, &cooking->arena, &cooking->mesh));
    for (int i = 0; i < 3 * cooking->mesh.vertex_count; ++i) {
        cooking->mesh.positions[i] *= factors[i % 3];
    }
    SN_TRY(sn_cook_context_run(cooking, "built-in mesh", &desc));
    return sn_model_load(cooking->bytes, cooking->size, model);
}

/* Unscaled, long, tall, broad, small and thick. */
sn_result sn_bench_models_cook(sn_bench_models *crowd)
{
    static const double proportions[SN_BENCH_MODEL_COUNT][3] = {
        {1, 1, 1}, {1.4, 1, 0.9}, {0.9, 1.3, 1}, {1, 0.9, 1.5}, {0.8, 1.1, 1.2}};
    for (int i = 0; i < SN_BENCH_MODEL_COUNT; ++i) {
        SN_TRY(sn_bench_model_cook(1, proportions[i], &crowd->cookings[i], &crowd->models[i]));
    }
    return SN_OK;
}

void sn_bench_models_finish(sn_bench_models *crowd)
{
    for (int i = 0; i < SN_BENCH_MODEL_COUNT; ++i) {
        sn_model_release(crowd->models[i]);
        sn_cook_context_finish(&crowd->cookings[i]);
    }
}
