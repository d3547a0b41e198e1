/* SPDX-License-Identifier: MIT */
/* Private to author/fourier: one kernel per instruction set. */
#ifndef SN_AUTHOR_FOURIER_TARGETS_H
#define SN_AUTHOR_FOURIER_TARGETS_H

/* Processes blocks `first` to last - 1. */
typedef void sn_fourier_kernel(const float *values, const float *weights, int target_count, int first, int last,
                               float *displacements);
sn_fourier_kernel sn_fourier_sum_baseline, sn_fourier_sum_avx2;

#endif
