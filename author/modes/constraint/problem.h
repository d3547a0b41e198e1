/* SPDX-License-Identifier: MIT */
/* Private to author/modes and research/baselines: the modes' eigenproblem without pinned vertices, in x = M^1/2 w. */
#ifndef SN_AUTHOR_MODES_CONSTRAINT_PROBLEM_H
#define SN_AUTHOR_MODES_CONSTRAINT_PROBLEM_H

#include "author/modes/modes.h"
#include "author/sparse/sparse.h"

typedef struct sn_mode_elements {
    const sn_tet_mesh *mesh;
    const double *gradients, *volumes, *stiffness; /* as in sn_modes_build */
    const sn_sparse *hessian;                      /* their Hessian; null: compute it */
} sn_mode_elements;

/* The vertices that are not pinned. */
typedef struct sn_mode_unknowns {
    size_t count;
    int32_t *vertices; /* (count) ascending */
    int32_t *slots;    /* (vertex_count) the inverse; -1: pinned */
    double *mass;      /* (count) */
} sn_mode_unknowns;

typedef struct sn_mode_problem {
    const char *name; /* for messages */
    int vertex_count;
    double density; /* mean density, rounded to a power of two, so that a shift of 1 is small compared to the
                       eigenvalues in any unit of mass */
    double unit;    /* s = squared diagonal of the model times density */
    bool is_flat;   /* of triangles, whose factors are cheap at any size */
    int axis_count; /* 1: weights; 3: displacements, with unknown 3 i + d for vertices[i] on axis d */
    sn_mode_unknowns unknowns;
    sn_sparse_columns constraints; /* Q = M^-1/2 A^T */
    int known_count;               /* the last columns of Q, which are known eigenvectors; those before are the rig's */
    sn_sparse matrix;              /* K = s M^-1/2 H M^-1/2 + 1 */
} sn_mode_problem;

/* is_pinned (vertex_count) or null; mass (vertex_count). Allocates in `scratch`. */
sn_result sn_mode_unknowns_list(const bool *is_pinned, size_t vertex_count, const double *mass, sn_arena *scratch,
                                sn_mode_unknowns *unknowns);
/* Allocates in `scratch`. */
sn_result sn_mode_problem_build(const sn_mode_elements *e, const double *mass, const sn_constraint *constraint,
                                sn_arena *scratch, sn_mode_problem *problem);

/* volumes (tet_count), mass (vertex_count). */
double sn_mode_mean_density(const sn_tet_mesh *mesh, const double *volumes, const double *mass);

/* Writes w = M^-1/2 x with w^T M w = 1, and the sign of sn_modes_build; 0 at pins. */
void sn_mode_write(const sn_mode_problem *problem, const double *x, const sn_modes *modes, int mode);

#endif
