/* SPDX-License-Identifier: MIT */
/* To and from a coarse space, in whole vectors. */
#include <string.h>

#include "author/modes/two_grid.h"

#define LANES 4
#define INLINE static inline __attribute__((always_inline))

typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));
typedef double wide_lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

/* `width` is a multiple of LANES. */
INLINE void prolong(const sn_coarse_space *space, size_t width, const double *coarse, float *fine)
{
    for (size_t i = 0; i < space->size; ++i) {
        const int32_t *nodes = space->nodes + SN_CORNERS * i;
        const double *weights = space->weights + SN_CORNERS * i;
        for (size_t k = 0; k < width; k += LANES) {
            wide_lanes sum = {0};
            for (size_t c = 0; c < SN_CORNERS; ++c) {
                sum += weights[c] * *(const wide_lanes *)(coarse + (size_t)nodes[c] * width + k);
            }
            *(lanes *)(fine + i * width + k) = __builtin_convertvector(sum, lanes);
        }
    }
}

INLINE void restrict_to(const sn_coarse_space *space, size_t width, const float *fine, double *coarse)
{
    memset(coarse, 0, space->coarse_size * width * sizeof *coarse);
    for (size_t i = 0; i < space->size; ++i) {
        const int32_t *nodes = space->nodes + SN_CORNERS * i;
        const double *weights = space->weights + SN_CORNERS * i;
        for (size_t k = 0; k < width; k += LANES) {
            const wide_lanes value = __builtin_convertvector(*(const lanes *)(fine + i * width + k), wide_lanes);
            for (size_t c = 0; c < SN_CORNERS; ++c) {
                *(wide_lanes *)(coarse + (size_t)nodes[c] * width + k) += weights[c] * value;
            }
        }
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void prolong_avx2(const sn_coarse_space *space, size_t width,
                                                         const double *coarse, float *fine)
{
    prolong(space, width, coarse, fine);
}

__attribute__((target("avx2"))) static void restrict_avx2(const sn_coarse_space *space, size_t width, const float *fine,
                                                          double *coarse)
{
    restrict_to(space, width, fine, coarse);
}
#endif

void sn_coarse_space_prolong(const sn_coarse_space *space, size_t width, const double *coarse, float *fine)
{
    SN_ASSERT(width % LANES == 0);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        prolong_avx2(space, width, coarse, fine);
        return;
    }
#endif
    prolong(space, width, coarse, fine);
}

void sn_coarse_space_restrict(const sn_coarse_space *space, size_t width, const float *fine, double *coarse)
{
    SN_ASSERT(width % LANES == 0);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        restrict_avx2(space, width, fine, coarse);
        return;
    }
#endif
    restrict_to(space, width, fine, coarse);
}
