/* SPDX-License-Identifier: MIT */
/* Weighted sums of a row-major matrix's rows. */
#ifndef SN_AUTHOR_MODES_ROW_SUMS_H
#define SN_AUTHOR_MODES_ROW_SUMS_H

#include <stddef.h>
#include <stdint.h>

/* sum (columns) += sum_i factors[i] rows[indices[i]]; rows (any x columns). The bits are those of one addition after
 * the other, with any instructions. */
void sn_row_sums_add(size_t count, const int32_t *indices, const double *factors, const double *rows, size_t columns,
                     double *sum);

/* The same for three sums (3 x columns) at once: factors (count x 3). */
void sn_row_sums_add3(size_t count, const int32_t *indices, const double *factors, const double *rows, size_t columns,
                      double *sums);

#endif
