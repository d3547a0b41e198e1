/* SPDX-License-Identifier: MIT */
/* One layered body without a world, on a thread, whose flesh can be looked at. */
#ifndef SN_TOOLS_SIMULATION_LAYERED_RUN_H
#define SN_TOOLS_SIMULATION_LAYERED_RUN_H

#include "host/solver/solver.h"
#include "runtime/app/loop.h"

/* Zero it, open it, step it, close it. */
typedef struct sn_layered_run {
    const sn_model *model;
    void *work, *shared, *body; /* of the solver's table */
    int sweep_count;            /* of a step over the tets */
} sn_layered_run;

/* At rest in the pose (bone_count x 12). The model must outlive it. */
sn_result sn_layered_run_open(sn_layered_run *run, const sn_model *model, const sn_solver_desc *desc,
                              const double *pose);
void sn_layered_run_close(sn_layered_run *run);

/* False where the body had to be put back. */
bool sn_layered_run_step(sn_layered_run *run, const double *pose, const sn_surroundings *surroundings);
/* Where a clip begins again, in this pose: with the flesh moved as the clip jumps, or at rest. */
void sn_layered_run_cut(sn_layered_run *run, const sn_loop *loop, const double *pose);

/* (vertex_count x 3) of the tets: the flesh; and in a pose the rig alone: what bones carry, as they do, the rest by the
 * rig's weights. */
void sn_layered_run_flesh(const sn_layered_run *run, double *positions);
void sn_layered_rig_positions(const sn_model *model, const double *pose, double *positions);
sn_body_motion sn_layered_run_motion(const sn_layered_run *run);

#endif
