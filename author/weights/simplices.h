/* SPDX-License-Identifier: MIT */
/* Common representation of tet and triangle meshes, with cotangent Laplacian and lumped mass. */
#ifndef SN_AUTHOR_WEIGHTS_SIMPLICES_H
#define SN_AUTHOR_WEIGHTS_SIMPLICES_H

#include "host/mesh/tet_mesh.h"
#include "host/mesh/tri_mesh.h"

typedef struct sn_simplices {
    int vertex_count, element_count, corner_count; /* 4: tets, 3: triangles */
    const double *positions;                       /* (vertex_count x 3) not owned */
    const int32_t *elements;                       /* (element_count x corner_count) not owned */
    double *gradients; /* (element_count x corner_count x 3) gradients of the hat functions */
    double *sizes;     /* (element_count) volumes or areas */
    double *mass;      /* (vertex_count) lumped from the adjacent elements */
} sn_simplices;

/* Exactly one of the meshes is not null. Returns SN_ERROR_FORMAT if an element has no size or a vertex belongs to no
 * element, since its mass would be zero. */
sn_result sn_simplices_build(const sn_tet_mesh *tets, const sn_tri_mesh *triangles, const char *name, sn_arena *arena,
                             sn_simplices *simplices);

/* A symmetric positive semi-definite matrix with all entries stored. A row has entries for the vertex and its edge
 * neighbours. */
typedef struct sn_symmetric_rows {
    int size;
    int32_t *starts;  /* (size + 1) */
    int32_t *columns; /* (starts[size]) the diagonal first, the others unsorted */
    double *values;
} sn_symmetric_rows;

sn_result sn_simplices_laplacian(const sn_simplices *simplices, sn_arena *arena, sn_symmetric_rows *laplacian);

#endif
