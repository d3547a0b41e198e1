/* SPDX-License-Identifier: MIT */
/* Inside of the reduced solver: shared by its files alone. */
#ifndef SN_HOST_REDUCED_SOLVER_H
#define SN_HOST_REDUCED_SOLVER_H

#include "host/reduced/cluster_pass.h"
#include "host/reduced/contacts.h"
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
    double *rig_next;    /* (column_count x 3) */
    double *motion;      /* (column_count x 3) */
    double *inertia;     /* (coordinate_count x 3) c0 */
    double *predicted64; /* (coordinate_count x 3) Z_n + k (Z_n - Z_(n-1)) */
    sn_contact_set contacts;
    sn_f64x8 *rig_gradient64, *lanes64;
    sn_f32x8 *rig_gradient32, *lanes32;
    double *z64, *local64; /* (coordinate_count x 3) */
    float *z32, *local32, *rig32, *inertia32, *weight32, *predicted32, *delta32;
    sn_arena arena;
};

/* result (rows x 3) += scale * matrix (rows x columns) values (columns x 3) */
void sn_reduced_add_product(const double *matrix, int rows, int columns, double scale, const double *values,
                            double *result);
/* (bone_count x 3 x 4) row-major to (4 bone_count x 3) */
void sn_reduced_rig_from_pose(const double *pose, int bone_count, double *rig);
/* The square of how far any vertex can move by a change of coordinate i. */
double sn_reduced_change(const sn_model *model, int i, double dx, double dy, double dz);
/* Rig gradients do not see translation: the root's is taken off first, so that float keeps its digits far from the
 * origin. */
static inline double sn_reduced_centred_rig(const double *rig, int i)
{
    return i / 3 % 4 == 3 ? rig[i] - rig[9 + i % 3] : rig[i];
}
/* A surface sample under a rig (column_count x 3), and what coordinates (coordinate_count x 3) add. */
void sn_reduced_sample_rig(const sn_model *model, int sample, const double *rig, double *position);
void sn_reduced_sample_flesh(const sn_model *model, int sample, const double *coordinates, double *displacement);

/* The parts of a step. False where the pose is not finite: then the last sound one stays. */
bool sn_reduced_take_pose(sn_reduced_body *body, const double *pose);
void sn_reduced_gather_inertia(sn_reduced_body *body);
void sn_reduced_add_wind(sn_reduced_body *body, const double *wind);
/* Leaves Z_(n+1) in z64. */
sn_reduced_report sn_reduced_iterate(sn_reduced_body *body);

#endif
