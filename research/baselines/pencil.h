/* SPDX-License-Identifier: MIT */
/* Private to research/baselines: symmetric pencils H x = E M x with A x = 0, by the Lanczos method of author/modes. */
#ifndef SN_RESEARCH_BASELINES_PENCIL_H
#define SN_RESEARCH_BASELINES_PENCIL_H

#include "author/modes/constraint/projection.h"
#include "research/baselines/baselines.h"

typedef struct sn_pencil {
    sn_sparse matrix; /* H (axis_count vertex_count), with unknown axis_count v + d; overwritten */
    int axis_count;   /* the constraint applies to each axis */
    int vertex_count;
    const double *mass; /* (vertex_count) */
    const sn_constraint *constraint;
    double unit; /* 1 / a typical small eigenvalue, so that scaled eigenvalues are about 1 */
    /* The fields below are used for elasticity of tets, whose smallest eigenvectors are smooth. Otherwise
     * SN_EIGEN_FACTOR and null. */
    sn_eigen_method method;
    const double *positions; /* (vertex_count x 3) */
    double density;          /* mean density */
} sn_pencil;

/* The factored matrix unit M^-1/2 H M^-1/2 + shift, and the constraint's columns. */
typedef struct sn_pencil_system {
    sn_projected_problem problem;
    int32_t *slots; /* (axis_count vertex_count) index in the system; -1: pinned */
} sn_pencil_system;

sn_result sn_pencil_factor(sn_pencil *pencil, double shift, sn_arena *scratch, sn_pencil_system *system);
/* Computes the largest eigenpairs of the inverse without a factorization, in the system's unknowns: values (pair_count)
 * and vectors (size x pair_count), allocated by the caller. *is_converged is false if they did not converge. */
sn_result sn_pencil_solve_on_lattice(const sn_pencil *pencil, const sn_pencil_system *system, int pair_count,
                                     sn_pair_list *pairs, bool *is_converged);
void sn_pencil_release(sn_pencil_system *system);

/* Computes vectors (axis_count vertex_count x pair_count), column-major, orthonormal in the mass, and ascending
 * eigenvalues, with the method of the pencil as in sn_displacement_modes_by. */
sn_result sn_pencil_smallest(sn_pencil *pencil, int pair_count, double *eigenvalues, double *vectors);

/* Builds K (3 vertex_count) of linear elasticity at rest, and returns a unit for it. */
sn_result sn_elastic_hessian(const sn_baseline_body *body, sn_arena *arena, sn_sparse *hessian);
double sn_elastic_unit(const sn_baseline_body *body);

/* Computes the displacement gradient in a tet, row-major: [3 a + b] = d u_a / d x_b. */
static inline void sn_tet_displacement_gradient(const sn_baseline_body *body, int tet, const double *u,
                                                double *gradient)
{
    const int32_t *corners = body->mesh.tets + 4 * (size_t)tet;
    const double *g = body->gradients + 12 * (size_t)tet;
    for (int i = 0; i < 9; ++i) {
        gradient[i] = 0;
        for (int c = 0; c < 4; ++c) {
            gradient[i] += u[3 * (size_t)corners[c] + (size_t)(i / 3)] * g[3 * c + i % 3];
        }
    }
}

/* forces += volume * stress (row-major) times the hat gradients of a tet. */
static inline void sn_tet_add_forces(const sn_baseline_body *body, int tet, const double *stress, double *forces)
{
    const int32_t *corners = body->mesh.tets + 4 * (size_t)tet;
    const double *g = body->gradients + 12 * (size_t)tet;
    for (int c = 0; c < 4; ++c) {
        for (int a = 0; a < 3; ++a) {
            forces[3 * (size_t)corners[c] + (size_t)a] +=
                body->volumes[tet] *
                (stress[3 * a] * g[3 * c] + stress[3 * a + 1] * g[3 * c + 1] + stress[3 * a + 2] * g[3 * c + 2]);
        }
    }
}

#endif
