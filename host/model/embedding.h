/* SPDX-License-Identifier: MIT */
/* A model's surface in its tets: see sinew/surface.h. */
#ifndef SN_HOST_MODEL_EMBEDDING_H
#define SN_HOST_MODEL_EMBEDDING_H

#include "host/mesh/nodal_gradients.h"
#include "host/model/model.h"

struct sn_embedding {
    const sn_model *model;
    sn_surface surface;
    sn_nodal_gradients nodal; /* at the tets' vertices that the surface's tets have */
    double *rest;             /* (nodal.node_count x 3) where these rest */
    sn_arena arena;           /* of all that is not the model's */
};

/* flesh (vertex_count x 3): where the tets' vertices are; matrices (nodal.node_count x 12). */
void sn_embedding_matrices(const sn_embedding *embedding, const double *flesh, float *matrices);

#endif
