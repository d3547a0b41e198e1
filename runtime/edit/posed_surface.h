/* SPDX-License-Identifier: MIT */
/* The surface of a body as it is currently drawn, computed on the CPU for picking. */
#ifndef SN_RUNTIME_EDIT_POSED_SURFACE_H
#define SN_RUNTIME_EDIT_POSED_SURFACE_H

#include "host/model/model.h"
#include "sinew/world.h"

/* Zero it, then start it for a model. */
typedef struct sn_posed_surface {
    const sn_model *model;
    double *pose; /* (matrix_capacity x 12) bones, or bones and tets of an embedding */
    int matrix_capacity;
    double *modes;     /* (mode_count x 12) */
    double *positions; /* (surface_vertex_count x 3) */
} sn_posed_surface;

sn_result sn_posed_surface_start(sn_posed_surface *surface, const sn_model *model);
/* Safe after a failed start; accepts a zeroed struct. */
void sn_posed_surface_finish(sn_posed_surface *surface);
/* Computes the positions from the body, which must have the same model. */
void sn_posed_surface_update(sn_posed_surface *surface, sn_body_id body);

#endif
