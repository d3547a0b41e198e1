/* SPDX-License-Identifier: MIT */
/* A model's surface embedded in its tets: see sinew/surface.h. */
#ifndef SN_HOST_MODEL_EMBEDDING_H
#define SN_HOST_MODEL_EMBEDDING_H

#include "host/mesh/nodal_gradients.h"
#include "host/model/model.h"

struct sn_embedding {
    const sn_model *model;
    sn_surface surface;
    sn_nodal_gradients nodal; /* gradients at the vertices of the tets that contain the surface */
    double *rest;             /* (nodal.node_count x 3) their rest positions */
    sn_arena arena;           /* owns all arrays that are not the model's */
};

/* flesh (vertex_count x 3): current positions of the tets' vertices; matrices (nodal.node_count x 12). */
void sn_embedding_matrices(const sn_embedding *embedding, const double *flesh, float *matrices);

#endif
