/* SPDX-License-Identifier: MIT */
/* Elastic energy of projective dynamics on tets with volume V_e and deformation gradient F = x^T G_e:
 *   V_e (k_d |F - R|^2 + k_h |F - D|^2) / 2
 * with R the nearest rotation and D the nearest matrix of determinant 1. The force is -L x + J p in the paper's
 * notation. */
#ifndef SN_AUTHOR_SPACETIME_ELASTIC_H
#define SN_AUTHOR_SPACETIME_ELASTIC_H

#include "host/mesh/tet_mesh.h"

/* Number of samples processed together (SIMD lanes). */
#define SN_SPACETIME_LANES 8

typedef struct sn_spacetime_material {
    double volume;  /* k_h in Pa; for small strains, 3 times the first Lame parameter */
    double strain;  /* k_d in Pa; 2 times the second Lame parameter */
    double density; /* kg/m^3 */
} sn_spacetime_material;

/* Converts Young's modulus in Pa and Poisson's ratio in [0, 0.5), valid for small strains. */
sn_spacetime_material sn_spacetime_material_from_young(double young, double poisson, double density);

typedef struct sn_spacetime_elastic {
    int vertex_count, tet_count;
    double volume_fraction, strain_fraction; /* k_h / k, k_d / k */
    const int32_t *tets;                     /* (tet_count x 4) */
    double *gradients;                       /* (tet_count x 4 x 3) */
    double *weights;                         /* (tet_count) V_e k */
    double *mass;                            /* (vertex_count) */
} sn_spacetime_elastic;

sn_result sn_spacetime_elastic_build(const sn_tet_mesh *mesh, const sn_spacetime_material *material, sn_arena *arena,
                                     sn_spacetime_elastic *elastic);

/* Computes forces (vertex_count x 3 x SN_SPACETIME_LANES) = L x - J p(x), the energy gradient, for positions of the
 * same shape; each lane is one sample. Bitwise identical on every machine. */
void sn_spacetime_elastic_forces(const sn_spacetime_elastic *elastic, const double *positions, double *forces);

/* Computes projections (9 x SN_SPACETIME_LANES) = (k_d R + k_h D) / k of deformation gradients of the same shape,
 * row-major. */
void sn_spacetime_project(const sn_spacetime_elastic *elastic, const double *deformations, double *projections);

#endif
