/* SPDX-License-Identifier: MIT */
/* Weighted sums of a row-major matrix's rows. */
#ifndef SN_AUTHOR_MODES_CONSTRAINT_ROW_SUMS_H
#define SN_AUTHOR_MODES_CONSTRAINT_ROW_SUMS_H

#include <stddef.h>
#include <stdint.h>

/* sums (m x columns) += sum_i factors[i] rows[indices[i]], for m of 1 or 3; factors (count x m), rows (any x columns).
 * The bits are those of one addition after the other, with any instructions. */
void sn_row_sums_add(size_t count, const int32_t *indices, const double *factors, size_t m, const double *rows,
                     size_t columns, double *sums);

#endif
