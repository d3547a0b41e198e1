/* SPDX-License-Identifier: MIT */
/* Full-space simulation of a model: the reference that sim --full-space steps instead of the reduced body. */
#ifndef SN_TOOLS_SIM_FULL_SPACE_H
#define SN_TOOLS_SIM_FULL_SPACE_H

#include "author/fullspace/fullspace.h"
#include "tools/simulation/simulation.h"

typedef struct sn_full_space {
    const sn_model *model;
    sn_fullspace_solver *solver;
    sn_fullspace_body *body;
    double *displacements;   /* (vertex_count x 3) */
    double *fields;          /* (morph_field_count) scratch */
    int32_t *surface_tets;   /* (surface_vertex_count) tet of each surface vertex; -1: rigid */
    double *surface_weights; /* (surface_vertex_count x 4) barycentric */
    double milliseconds;     /* duration of the last step */
} sn_full_space;

/* Zero it, open it, step it, close it. Opens a body at rest in the simulation's current pose and morph weights. The
 * simulation, its model, model_path and the arena must outlive it. */
sn_result sn_full_space_open(sn_full_space *full, const sn_simulation *simulation, const char *model_path,
                             const sn_fullspace_desc *desc, sn_arena *arena);
void sn_full_space_close(sn_full_space *full);
/* Steps to the simulation's pose and morph weights. */
sn_fullspace_report sn_full_space_step(sn_full_space *full, const sn_simulation *simulation);

/* Adds the flesh's displacement, times amount, to tet and surface vertices that the rig has already moved. */
void sn_full_space_add(const sn_full_space *full, double amount, double *tet_positions, double *surface_positions);

#endif
