/* SPDX-License-Identifier: MIT */
/* The local step, compiled for several instruction sets with bitwise identical results. Arrays are aligned to 64 bytes;
 * see sn_spacetime_elastic_forces and sn_spacetime_project for their shapes. */
#ifndef SN_AUTHOR_SPACETIME_PROJECTION_H
#define SN_AUTHOR_SPACETIME_PROJECTION_H

#include "author/spacetime/elastic.h"

/* Adds to the forces. */
typedef void sn_spacetime_forces_function(const sn_spacetime_elastic *elastic, const double *positions, double *forces);
typedef void sn_spacetime_projections_function(const sn_spacetime_elastic *elastic, const double *deformations,
                                               double *projections);

sn_spacetime_forces_function sn_spacetime_forces_baseline, sn_spacetime_forces_avx2, sn_spacetime_forces_avx512;
sn_spacetime_projections_function sn_spacetime_projections_baseline, sn_spacetime_projections_avx2,
    sn_spacetime_projections_avx512;

#endif
