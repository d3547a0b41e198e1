/* SPDX-License-Identifier: MIT */
/* The surface of a body as it is currently drawn, computed on the CPU for picking. */
#ifndef SN_RUNTIME_EDIT_DRAWN_H
#define SN_RUNTIME_EDIT_DRAWN_H

#include "host/model/model.h"
#include "sinew/world.h"

/* Zero it, then start it for a model. */
typedef struct sn_drawn {
    const sn_model *model;
    double *pose; /* (matrix_room x 12) bones, or bones and tets of an embedding */
    int matrix_room;
    double *modes;     /* (mode_count x 12) */
    double *positions; /* (surface_vertex_count x 3) */
} sn_drawn;

sn_result sn_drawn_start(sn_drawn *drawn, const sn_model *model);
/* Safe after a failed start; accepts a zeroed struct. */
void sn_drawn_finish(sn_drawn *drawn);
/* Computes the positions from the body, which must have the same model. */
void sn_drawn_update(sn_drawn *drawn, sn_body_id body);

#endif
