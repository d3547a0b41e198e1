/* SPDX-License-Identifier: MIT */
/* Inside of the reduced solver: shared by its files alone. */
#ifndef SN_HOST_REDUCED_SOLVER_H
#define SN_HOST_REDUCED_SOLVER_H

#include "host/reduced/cluster_pass.h"
#include "host/reduced/reduced.h"

struct sn_reduced_solver {
    const sn_model *model;
    sn_reduced_desc desc;
    int coordinate_count;
    int column_count;               /* 4 bone_count */
    double velocity_kept;           /* exp(-damping h) */
    double *inverse_system;         /* (coordinate_count) 1 / (1/h^2 + s lambda) */
    double *gravity;                /* (coordinate_count x 3) V^T M g */
    sn_cluster_data_f64 clusters64; /* the energy needs it in every precision */
    sn_cluster_data_f32 clusters32;
    sn_cluster_rig_function_f32 *rig_f32;
    sn_cluster_pass_function_f32 *pass_f32;
    sn_arena arena;
};

struct sn_reduced_body {
    const sn_reduced_solver *solver;
    double *coordinates, *coordinates_before; /* (coordinate_count x 3) Z_n, Z_(n-1) */
    double *rig, *rig_before;                 /* (column_count x 3) P_n, P_(n-1): row 4 b + k is column k of bone b */
    /* scratch of a step */
    double *rig_next; /* (column_count x 3) */
    double *motion;   /* (column_count x 3) */
    double *inertia;  /* (coordinate_count x 3) c0 / system */
    sn_f64x8 *rig_gradient64, *lanes64;
    sn_f32x8 *rig_gradient32, *lanes32;
    double *z64, *local64; /* (coordinate_count x 3) */
    float *z32, *local32, *rig32, *inertia32, *weight32, *predicted32, *delta32;
    sn_arena arena;
};

#endif
