/* SPDX-License-Identifier: MIT */
/* The elastic energy of projective dynamics, of tets: volume V_e, deformation gradient F = x^T G_e,
 *   V_e (k_d |F - R|^2 + k_h |F - D|^2) / 2
 * with R the nearest rotation and D the nearest matrix of determinant 1. Force -L x + J p in the paper's words. */
#ifndef SN_AUTHOR_SPACETIME_ELASTIC_H
#define SN_AUTHOR_SPACETIME_ELASTIC_H

#include "host/mesh/tet_mesh.h"

/* Samples that are computed side by side. */
#define SN_SPACETIME_LANES 8

typedef struct sn_spacetime_material {
    double volume;  /* k_h, Pa: 3 times the first Lame parameter, for small strains */
    double strain;  /* k_d, Pa: 2 times the second */
    double density; /* kg/m^3 */
} sn_spacetime_material;

/* The material with that stiffness for small strains. poisson in [0, 0.5). */
sn_spacetime_material sn_spacetime_material_from_young(double young, double poisson, double density);

typedef struct sn_spacetime_elastic {
    int vertex_count, tet_count;
    double volume_share, strain_share; /* k_h / k, k_d / k */
    const int32_t *tets;               /* (tet_count x 4) */
    double *gradients;                 /* (tet_count x 4 x 3) */
    double *weights;                   /* (tet_count) V_e k */
    double *mass;                      /* (vertex_count) */
} sn_spacetime_elastic;

sn_result sn_spacetime_elastic_build(const sn_tet_mesh *mesh, const sn_spacetime_material *material, sn_arena *arena,
                                     sn_spacetime_elastic *elastic);

/* forces (vertex_count x 3 x SN_SPACETIME_LANES) = L x - J p(x), the gradient of the energy, of positions of that
 * shape: one lane a sample. The same bits on every machine. */
void sn_spacetime_elastic_forces(const sn_spacetime_elastic *elastic, const double *positions, double *forces);

/* projections (9 x SN_SPACETIME_LANES) = (k_d R + k_h D) / k of deformation gradients of that shape, row-major. */
void sn_spacetime_project(const sn_spacetime_elastic *elastic, const double *deformations, double *projections);

#endif
