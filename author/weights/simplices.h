/* SPDX-License-Identifier: MIT */
/* A mesh of tets or of triangles as one kind of thing, and its two operators: the cotangent Laplacian and the lumped
 * mass. */
#ifndef SN_AUTHOR_WEIGHTS_SIMPLICES_H
#define SN_AUTHOR_WEIGHTS_SIMPLICES_H

#include "host/mesh/tet_mesh.h"
#include "host/mesh/tri_mesh.h"

typedef struct sn_simplices {
    int vertex_count, element_count, corner_count; /* 4: tets, 3: triangles */
    const double *positions;                       /* (vertex_count x 3) borrowed */
    const int32_t *elements;                       /* (element_count x corner_count) borrowed */
    double *gradients;                             /* (element_count x corner_count x 3) of the hat functions */
    double *sizes;                                 /* (element_count) volumes or areas */
    double *mass;                                  /* (vertex_count) shares of the elements around */
} sn_simplices;

/* One of the meshes is null. SN_ERROR_FORMAT, with `name`, where an element has no size or a vertex no element: their
 * mass would be zero. */
sn_result sn_simplices_build(const sn_tet_mesh *tets, const sn_tri_mesh *triangles, const char *name, sn_arena *arena,
                             sn_simplices *simplices);

/* Symmetric positive semi-definite, all of its entries; a row's neighbours are those along the mesh's edges. */
typedef struct sn_symmetric_rows {
    int size;
    int32_t *starts;  /* (size + 1) */
    int32_t *columns; /* (starts[size]) the row's own first, the others as they are met */
    double *values;
} sn_symmetric_rows;

sn_result sn_simplices_laplacian(const sn_simplices *simplices, sn_arena *arena, sn_symmetric_rows *laplacian);

#endif
