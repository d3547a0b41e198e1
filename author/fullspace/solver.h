/* SPDX-License-Identifier: MIT */
/* Private to author/fullspace. Vectors over the vertices are stored per axis, (3 x vertex_count), as three right-hand
 * sides. */
#ifndef SN_AUTHOR_FULLSPACE_SOLVER_H
#define SN_AUTHOR_FULLSPACE_SOLVER_H

#include "author/fullspace/fullspace.h"
#include "author/sparse/sparse.h"
#include "host/reduced/kernels/cluster_pass.h"

/* The constraint A u = 0 on every axis. */
typedef struct sn_fullspace_constraint {
    int row_count;
    double *rows;     /* A^T (vertex_count x row_count), column-major */
    double *solved;   /* K^-1 A^T (vertex_count x row_count) */
    double *schur;    /* Cholesky factor of A K^-1 A^T */
    double *products; /* (row_count x 3) scratch */
} sn_fullspace_constraint;

struct sn_fullspace_solver {
    sn_fullspace_input input;
    sn_fullspace_desc desc;
    double diagonal;
    double velocity_factor; /* exp(-damping h) */
    double *gradients;      /* (tet_count x 4 x 3) */
    double *volumes;        /* (tet_count) */
    double *weights;        /* (tet_count) mu V */
    double *shear;          /* (SN_LANES block_count) sum mu V of the tets that share a rotation */
    double *lame;           /* (SN_LANES block_count) sum lambda V */
    int32_t *labels;        /* (tet_count) index of the tet's rotation */
    int block_count;        /* blocks of SN_LANES rotations */
    sn_factor *factor;      /* K = M / h^2 + s L */
    sn_fullspace_constraint constraint;
    sn_arena arena;
};

struct sn_fullspace_body {
    sn_fullspace_solver *solver;
    double *flesh, *flesh_previous; /* u_n, u_(n-1) */
    double *rig, *rig_previous;     /* Jc P_n, Jc P_(n-1) */
    double *morph, *morph_previous; /* E Q_n, E Q_(n-1): displacements by morph targets */
    double *fields;                 /* (field_count) for the next step */
    /* scratch of a step */
    double *rig_next, *morph_next;
    double *rows;         /* (3 pair_count x 3) Q */
    double *target;       /* of the inertial term 1/(2 h^2) |u - target|^2_M, including gravity */
    double *next;         /* current iterate */
    double *positions;    /* rig_next + next */
    double *change;       /* gradient, then step of the iteration */
    double *deformation;  /* (tet_count x 9) F, row-major */
    double *rig_strain;   /* (tet_count x 9) F of the rig in its pose less its rotation; 0 unless input.is_posed */
    sn_f64x8 *label_sums; /* (block_count x 9) sum mu V F */
    sn_f64x8 *rotations;  /* (block_count x 9) */
    double *pressures;    /* (SN_LANES block_count) sum lambda V (tr(R^T F) - 3) / sum mu V, with the mean F */
    sn_arena arena;
};

/* Builds the rows and their Schur complement; requires the factor. */
sn_result sn_fullspace_constraint_init(sn_fullspace_solver *solver);
/* x -= K^-1 A^T (A K^-1 A^T)^-1 A x */
void sn_fullspace_constrain(sn_fullspace_solver *solver, double *x);

/* Computes rig_strain from rig_next, if input.is_posed. */
void sn_fullspace_measure_rig(sn_fullspace_body *body);
/* Returns the elastic energy at `positions`; adds its gradient if that is not null. */
double sn_fullspace_elastic(sn_fullspace_body *body, const double *positions, double *gradient);
/* Returns the step's objective at u, and its gradient. Requires rig_next and target. */
double sn_fullspace_objective(sn_fullspace_body *body, const double *u, double *gradient);

/* Computes rig_next. If the pose is not finite, keeps the previous rig and returns false. */
bool sn_fullspace_set_pose(sn_fullspace_body *body, const double *pose);
void sn_fullspace_predict(sn_fullspace_body *body);

#endif
