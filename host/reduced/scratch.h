/* SPDX-License-Identifier: MIT */
/* Scratch memory of a step, some tens of kilobytes. Bodies that do not step at the same time share it, so that it stays
 * in the cache. */
#ifndef SN_HOST_REDUCED_SCRATCH_H
#define SN_HOST_REDUCED_SCRATCH_H

#include "host/reduced/reduced.h"

/* Enlarges the scratch to fit bodies of a solver. No body may be stepping. */
sn_result sn_reduced_scratch_pool_fit(sn_reduced_scratch_pool *work, const sn_reduced_solver *solver);

/* Assigns scratch with undefined contents to the body; waits while all of it is in use. Allocates nothing. */
void sn_reduced_scratch_acquire(sn_reduced_body *body);
/* Releases the body's scratch. Its contents stay readable until another body acquires it. */
void sn_reduced_scratch_release(sn_reduced_body *body);

#endif
