/* SPDX-License-Identifier: MIT */
/* Private to author/modes and author/baselines: the modes' problem without pinned vertices, in x = M^1/2 w. */
#ifndef SN_AUTHOR_MODES_CONSTRAINT_PROBLEM_H
#define SN_AUTHOR_MODES_CONSTRAINT_PROBLEM_H

#include "author/modes/modes.h"
#include "author/sparse/sparse.h"

typedef struct sn_mode_elements {
    const sn_tet_mesh *mesh;
    const double *gradients, *volumes, *stiffness; /* as in sn_modes_build */
    const sn_sparse *hessian;                      /* of these; null: it is computed */
} sn_mode_elements;

/* The vertices that are not pinned. */
typedef struct sn_mode_unknowns {
    size_t count;
    int32_t *vertices; /* (count) ascending */
    int32_t *places;   /* (vertex_count) back, -1: pinned */
    double *mass;      /* (count) */
} sn_mode_unknowns;

typedef struct sn_mode_problem {
    const char *name; /* for messages */
    int vertex_count;
    double density; /* the mean, nearly: in any unit of mass a shift of 1 is small beside the eigenvalues */
    double unit;    /* s, the squared diagonal of the model times that */
    bool is_flat;   /* of triangles, whose factors are cheap at any size */
    int axis_count; /* 1: weights; 3: displacements, unknown 3 i + d of vertices[i] on axis d */
    sn_mode_unknowns unknowns;
    sn_sparse_columns constraints; /* Q = M^-1/2 A^T */
    int found_count;  /* of its columns, the last: pairs that were found before; those before them are of the rig */
    sn_sparse matrix; /* K = s M^-1/2 H M^-1/2 + 1 */
} sn_mode_problem;

/* is_pinned (vertex_count): null: nowhere; mass (vertex_count). In `scratch`. */
sn_result sn_mode_unknowns_list(const bool *is_pinned, size_t vertex_count, const double *mass, sn_arena *scratch,
                                sn_mode_unknowns *unknowns);
/* In `scratch`. */
sn_result sn_mode_problem_build(const sn_mode_elements *e, const double *mass, const sn_constraint *constraint,
                                sn_arena *scratch, sn_mode_problem *problem);

/* volumes (tet_count), mass (vertex_count). */
double sn_mode_mean_density(const sn_tet_mesh *mesh, const double *volumes, const double *mass);

/* w = M^-1/2 x, w^T M w = 1, with the sign of sn_modes_build's docstring; 0 at pins. */
void sn_mode_write(const sn_mode_problem *problem, const double *x, const sn_modes *modes, int mode);

#endif
