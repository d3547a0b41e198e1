/* SPDX-License-Identifier: MIT */
/* One coupled body without a world, whose flesh can be looked at. */
#ifndef SN_TOOLS_COUPLED_RUN_H
#define SN_TOOLS_COUPLED_RUN_H

#include "host/coupled/coupled.h"
#include "host/solver/solver.h"

/* Zero it, open it, step it, close it. */
typedef struct sn_coupled_run {
    void *work, *shared, *body; /* of sn_coupled_table */
    int bone_count;
    int sweep_count; /* of a step */
} sn_coupled_run;

/* At rest in the pose; locks (bone_count). The model must outlive it. */
sn_result sn_coupled_run_open(sn_coupled_run *run, const sn_model *model, const sn_solver_desc *desc,
                              const uint8_t *locks, const double *pose);
void sn_coupled_run_close(sn_coupled_run *run);
/* False where the body had to be put back. bones (bone_count x 12): where they are after it. */
bool sn_coupled_run_step(sn_coupled_run *run, const double *pose, const sn_surroundings *surroundings, double *bones);

/* (vertex_count x 3) of the tets: the flesh, and as the bones skin them. */
void sn_coupled_run_positions(const sn_coupled_run *run, double *flesh, double *rig);
sn_xpbd_energy sn_coupled_run_energy(const sn_coupled_run *run);

#endif
