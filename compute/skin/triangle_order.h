/* SPDX-License-Identifier: MIT */
/* Triangle order for vertex cache reuse. */
#ifndef SN_COMPUTE_SKIN_TRIANGLE_ORDER_H
#define SN_COMPUTE_SKIN_TRIANGLE_ORDER_H

#include "host/base/base.h"

/* Reorders triangles (triangle_count x 3) in place; corners keep their order. Errors: SN_ERROR_MEMORY. */
sn_result sn_order_triangles(int32_t *triangles, int triangle_count);

#endif
