/* SPDX-License-Identifier: MIT */
/* Prolongation and restriction for a coarse space, for whole vectors. */
#include <string.h>

#include "author/modes/eigen/two_grid.h"

#define LANES 4
#define INLINE static inline __attribute__((always_inline))

typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));
typedef double double_lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

typedef struct rows {
    const sn_coarse_space *space;
    size_t first, count, width; /* width: a multiple of LANES */
} rows;

/* fine = p coarse, or fine += p coarse. */
INLINE void prolong(const rows *r, bool is_added, const double *coarse, float *fine)
{
    for (size_t i = 0; i < r->count; ++i) {
        const int32_t *nodes = r->space->nodes + SN_CORNERS * (r->first + i);
        const double *weights = r->space->weights + SN_CORNERS * (r->first + i);
        for (size_t k = 0; k < r->width; k += LANES) {
            double_lanes sum = {0};
            for (size_t c = 0; c < SN_CORNERS; ++c) {
                sum += weights[c] * *(const double_lanes *)(coarse + (size_t)nodes[c] * r->width + k);
            }
            lanes *to = (lanes *)(fine + i * r->width + k);
            const lanes before = is_added ? *to : (lanes){0};
            *to = before + __builtin_convertvector(sum, lanes);
        }
    }
}

INLINE void restrict_to(const rows *r, const float *fine, double *coarse)
{
    for (size_t i = 0; i < r->count; ++i) {
        const int32_t *nodes = r->space->nodes + SN_CORNERS * (r->first + i);
        const double *weights = r->space->weights + SN_CORNERS * (r->first + i);
        for (size_t k = 0; k < r->width; k += LANES) {
            const double_lanes value = __builtin_convertvector(*(const lanes *)(fine + i * r->width + k), double_lanes);
            for (size_t c = 0; c < SN_CORNERS; ++c) {
                *(double_lanes *)(coarse + (size_t)nodes[c] * r->width + k) += weights[c] * value;
            }
        }
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void prolong_avx2(const rows *r, bool is_added, const double *coarse,
                                                         float *fine)
{
    prolong(r, is_added, coarse, fine);
}

__attribute__((target("avx2"))) static void restrict_avx2(const rows *r, const float *fine, double *coarse)
{
    restrict_to(r, fine, coarse);
}
#endif

static void prolong_rows(const rows *r, bool is_added, const double *coarse, float *fine)
{
    SN_ASSERT(r->width % LANES == 0);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        prolong_avx2(r, is_added, coarse, fine);
        return;
    }
#endif
    prolong(r, is_added, coarse, fine);
}

void sn_coarse_space_prolong(const sn_coarse_space *space, size_t width, const double *coarse, float *fine)
{
    prolong_rows(&(rows){space, 0, space->size, width}, false, coarse, fine);
}

void sn_coarse_space_prolong_add(const sn_coarse_space *space, size_t width, const double *coarse, float *fine)
{
    prolong_rows(&(rows){space, 0, space->size, width}, true, coarse, fine);
}

void sn_coarse_space_restrict(const sn_coarse_space *space, size_t width, const float *fine, double *coarse)
{
    memset(coarse, 0, space->coarse_size * width * sizeof *coarse);
    sn_coarse_space_restrict_add(space, 0, space->size, width, fine, coarse);
}

void sn_coarse_space_restrict_add(const sn_coarse_space *space, size_t first, size_t count, size_t width,
                                  const float *fine, double *coarse)
{
    const rows r = {space, first, count, width};
    SN_ASSERT(width % LANES == 0);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        restrict_avx2(&r, fine, coarse);
        return;
    }
#endif
    restrict_to(&r, fine, coarse);
}
