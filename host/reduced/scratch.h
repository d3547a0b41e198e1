/* SPDX-License-Identifier: MIT */
/* What a step computes with, besides the body's state: some tens of kilobytes, of which bodies that do not step at the
 * same time need one. A crowd's stays in the cache so, where each body's own would be fetched and put back. */
#ifndef SN_HOST_REDUCED_SCRATCH_H
#define SN_HOST_REDUCED_SCRATCH_H

#include "host/reduced/reduced.h"

/* Makes room for bodies of a solver; none may be stepping. */
sn_result sn_reduced_work_fit(sn_reduced_work *work, const sn_reduced_solver *solver);

/* Lends the body its scratch, which holds nothing of use; waits while others have all there is. Allocates nothing. */
void sn_reduced_scratch_borrow(sn_reduced_body *body);
/* What the body has of it can be read until another body borrows. */
void sn_reduced_scratch_return(sn_reduced_body *body);

#endif
