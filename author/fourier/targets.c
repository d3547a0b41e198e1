/* SPDX-License-Identifier: MIT */
#include "author/fourier/targets.h"

#include "author/fourier/fourier.h"

#define GRAIN 64 /* blocks */

sn_result sn_fourier_targets_build(int vertex_count, int target_count, const float *const *fields, sn_arena *arena,
                                   sn_fourier_targets *targets)
{
    const int blocks = (vertex_count + SN_FOURIER_BLOCK - 1) / SN_FOURIER_BLOCK;
    *targets = (sn_fourier_targets){.vertex_count = vertex_count,
                                    .target_count = target_count,
                                    .block_count = blocks,
                                    .values = sn_arena_alloc(arena, (size_t)blocks * (size_t)target_count,
                                                             SN_FOURIER_BLOCK_FLOATS * sizeof(float))};
    for (size_t i = 0; targets->values && i < 3 * (size_t)vertex_count; ++i) {
        const size_t block = i / SN_FOURIER_BLOCK_FLOATS, at = i % SN_FOURIER_BLOCK_FLOATS;
        for (size_t k = 0; k < (size_t)target_count; ++k) {
            targets->values[(block * (size_t)target_count + k) * SN_FOURIER_BLOCK_FLOATS + at] = fields[k][i];
        }
    }
    return targets->values ? SN_OK : SN_ERROR_MEMORY;
}

static sn_fourier_kernel *choose_kernel(sn_fourier_instructions instructions)
{
#if defined(__x86_64__)
    if (instructions >= SN_FOURIER_AVX2 && __builtin_cpu_supports("avx2")) {
        return sn_fourier_sum_avx2;
    }
#else
    (void)instructions;
#endif
    return sn_fourier_sum_baseline;
}

typedef struct sum {
    sn_fourier_kernel *kernel;
    const sn_fourier_targets *targets;
    const float *weights;
    float *displacements;
} sum;

static void sum_blocks(int first, int last, int worker, void *user)
{
    const sum *s = user;
    (void)worker;
    s->kernel(s->targets->values, s->weights, s->targets->target_count, first, last, s->displacements);
}

void sn_fourier_targets_evaluate(const sn_fourier_targets *targets, const float *weights,
                                 sn_fourier_instructions instructions, sn_jobs *jobs, float *displacements)
{
    sum s = {choose_kernel(instructions), targets, weights, displacements};
    sn_parallel_for(jobs, targets->block_count, GRAIN, sum_blocks, &s);
}
