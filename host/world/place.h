/* SPDX-License-Identifier: MIT */
/* What a backend asks of a world that has its bodies there. Asserted: the world's backend fills this table.
 * SN_API here is not for programs: libsinew_gpu takes these from libsinew, which has the one table of worlds. */
#ifndef SN_HOST_WORLD_PLACE_H
#define SN_HOST_WORLD_PLACE_H

#include "host/solver/solver.h"
#include "sinew/world.h"

SN_API void *sn_world_place(sn_world_id world, const sn_solver_table *solver);
/* sn_world_step, whose commands the program submits later. */
SN_API sn_world_report sn_world_record_step(sn_world_id world, double seconds);
/* Of any kind; the backend's table of reduced ones. */
SN_API void *sn_body_of_place(sn_body_id body, const sn_solver_table *solver);

#endif
