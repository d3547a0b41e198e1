/* SPDX-License-Identifier: MIT */
/* What a backend requests of a world whose bodies it steps. Asserts that the world's backend uses this table. SN_API is
 * needed because libsinew_gpu takes these functions from libsinew, which has the only table of worlds; programs must
 * not call them. */
#ifndef SN_HOST_WORLD_BACKEND_H
#define SN_HOST_WORLD_BACKEND_H

#include "host/solver/solver.h"
#include "sinew/world.h"

/* Null after the device was lost. */
SN_API void *sn_world_backend_world(sn_world_id world, const sn_solver_table *solver);
/* sn_world_step, with commands that the program submits later. */
SN_API sn_world_report sn_world_record_step(sn_world_id world, double seconds);
/* Bodies of any solver; `solver` is the backend's table of reduced bodies. Null after the device was lost. */
SN_API void *sn_body_backend_body(sn_body_id body, const sn_solver_table *solver);

#endif
