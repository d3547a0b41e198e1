/* SPDX-License-Identifier: MIT */
/* Private to author/modes: computation of localised modes one by one (compressed.c), and the final solve of each. */
#ifndef SN_AUTHOR_MODES_EIGEN_COMPRESSOR_H
#define SN_AUTHOR_MODES_EIGEN_COMPRESSOR_H

#include "author/modes/constraint/problem.h"
#include "author/modes/constraint/projection.h"

typedef struct sn_compressor {
    const sn_mode_problem *problem;
    sn_projection op; /* of (H + rho)^-1 on the complement of Q, in units of the model's diagonal */
    size_t size;
    int finished_count;  /* modes so far */
    double rho, penalty; /* penalty: s mu */
    const double *sqrt_mass;
    double *finished;     /* (size x mode_count) unit columns */
    double *solved;       /* (size x (mode_count + 1)) P of the modes so far, then of the tangent */
    double *schur;        /* ((mode_count + 1)^2) Cholesky factor */
    double *x, *z, *u;    /* (size) */
    double *tangent, *to; /* (size) */
    double *products;     /* (mode_count + 1) */
} sn_compressor;

/* Column i: the modes so far, then the tangent. */
const double *sn_compressor_column(const sn_compressor *compressor, int i);

/* Sets the zeros of z in x, with the constraint exact. */
sn_result sn_compressor_polish(sn_compressor *compressor);

#endif
