/* SPDX-License-Identifier: MIT */
/* Weighted sums of a row-major matrix's rows. */
#ifndef SN_AUTHOR_MODES_CONSTRAINT_ROW_SUMS_H
#define SN_AUTHOR_MODES_CONSTRAINT_ROW_SUMS_H

#include <stddef.h>
#include <stdint.h>

/* sums (m x columns) += sum_i factors[i] rows[indices[i]], for m = 1 or 3; factors (count x m), rows (any x columns).
 * The order of additions, and thus the result, is the same with any instruction set. */
void sn_row_sums_add(size_t count, const int32_t *indices, const double *factors, size_t m, const double *rows,
                     size_t columns, double *sums);

#endif
