/* SPDX-License-Identifier: MIT */
/* The local-global step of author/fullspace with the displacement restricted to a subspace: rotations of all tets, then
 * one small dense system. Two runs differ only in the basis. */
#include <math.h>
#include <string.h>

#include "author/sparse/sparse.h"
#include "host/reduced/kernels/cluster_pass.h"
#include "research/baselines/pencil.h"

struct sn_subspace_solver {
    const sn_baseline_body *body;
    const sn_subspace *subspace;
    sn_subspace_desc desc;
    double *system;                  /* (dimension x dimension) Cholesky factor of 1/h^2 + U^T L U */
    double *q, *q_previous, *dq;     /* (dimension) */
    double *rig, *rig_previous;      /* (vertex_count x 3) */
    double *target;                  /* of the inertial term */
    double *displacements;           /* basis q */
    double *positions, *forces;      /* scratch */
    sn_f64x8 *gradients, *rotations; /* (blocks of tets x 9) */
    sn_arena arena;
};

static size_t size_of(const sn_subspace_solver *s)
{
    return 3 * (size_t)s->body->mesh.vertex_count;
}

/* displacements = basis q */
static void expand(const sn_subspace *subspace, const double *q, size_t size, double *displacements)
{
    sn_dense_multiply(&(sn_gemm){.m = (int)size,
                                 .n = 1,
                                 .k = subspace->dimension,
                                 .alpha = 1,
                                 .a = subspace->basis,
                                 .lda = (int)size,
                                 .b = q,
                                 .ldb = subspace->dimension,
                                 .c = displacements,
                                 .ldc = (int)size});
}

/* K u = sum mu V G^T G u, computed per tet. */
static void multiply_stiffness(const sn_baseline_body *body, const double *u, double *product)
{
    memset(product, 0, 3 * (size_t)body->mesh.vertex_count * sizeof *product);
    for (int t = 0; t < body->mesh.tet_count; ++t) {
        double f[9];
        sn_tet_displacement_gradient(body, t, u, f);
        for (int i = 0; i < 9; ++i) {
            f[i] *= body->tet_mu[t];
        }
        sn_tet_add_forces(body, t, f, product);
    }
}

static sn_result build_system(sn_subspace_solver *s)
{
    const size_t size = size_of(s), count = (size_t)s->subspace->dimension;
    sn_arena scratch = {0};
    double *products = SN_NEW(&scratch, double, size *count);
    sn_result result = products ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        for (size_t c = 0; c < count; ++c) {
            multiply_stiffness(s->body, s->subspace->basis + c * size, products + c * size);
        }
        sn_dense_gram(s->subspace->basis, products, (int)size, (int)count, s->system);
        for (size_t c = 0; c < count; ++c) {
            s->system[c * count + c] += 1 / (s->desc.time_step * s->desc.time_step);
        }
        if (!sn_dense_cholesky((int)count, s->system)) {
            result = sn_fail(SN_ERROR_NUMERIC, "the subspace's system is not positive definite");
        }
    }
    sn_arena_finish(&scratch);
    return result;
}

static bool allocate(sn_subspace_solver *s)
{
    const size_t size = size_of(s), count = (size_t)s->subspace->dimension;
    const size_t blocks = ((size_t)s->body->mesh.tet_count + SN_LANES - 1) / SN_LANES;
    double **const vectors[] = {&s->rig, &s->rig_previous, &s->target, &s->displacements, &s->positions, &s->forces};
    bool is_ok = true;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = SN_NEW(&s->arena, double, size);
        is_ok &= *vectors[i] != NULL;
    }
    s->system = SN_NEW(&s->arena, double, count *count);
    s->q = SN_NEW(&s->arena, double, count);
    s->q_previous = SN_NEW(&s->arena, double, count);
    s->dq = SN_NEW(&s->arena, double, count);
    s->gradients = SN_NEW(&s->arena, sn_f64x8, 9 * blocks);
    s->rotations = SN_NEW(&s->arena, sn_f64x8, 9 * blocks);
    return is_ok && s->system && s->q && s->q_previous && s->dq && s->gradients && s->rotations;
}

sn_result sn_subspace_solver_create(const sn_baseline_body *body, const sn_subspace *subspace,
                                    const sn_subspace_desc *desc, const double *rig_positions,
                                    sn_subspace_solver **solver)
{
    SN_ASSERT(desc->time_step > 0 && desc->iteration_limit > 0);
    sn_subspace_solver *s = *solver = sn_alloc(1, sizeof *s);
    if (!s) {
        return SN_ERROR_MEMORY;
    }
    *s = (sn_subspace_solver){.body = body, .subspace = subspace, .desc = *desc};
    sn_result result = allocate(s) ? build_system(s) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        memcpy(s->rig, rig_positions, size_of(s) * sizeof *s->rig);
        memcpy(s->rig_previous, rig_positions, size_of(s) * sizeof *s->rig);
    } else {
        sn_subspace_solver_destroy(solver);
    }
    return result;
}

void sn_subspace_solver_destroy(sn_subspace_solver **solver)
{
    if (*solver) {
        sn_arena_finish(&(*solver)->arena);
        sn_free(*solver, 1, sizeof **solver);
        *solver = NULL;
    }
}

/* Returns the elastic energy of rig + displacements and computes its gradient in `forces`. */
static double elastic(sn_subspace_solver *s)
{
    const sn_baseline_body *body = s->body;
    const size_t size = size_of(s), tets = (size_t)body->mesh.tet_count;
    double energy = 0;
    for (size_t i = 0; i < size; ++i) {
        s->positions[i] = s->rig[i] + s->displacements[i];
        s->forces[i] = 0;
    }
    for (size_t t = 0; t < tets; ++t) {
        double f[9];
        sn_tet_displacement_gradient(body, (int)t, s->positions, f);
        for (size_t i = 0; i < 9; ++i) {
            s->gradients[9 * (t / SN_LANES) + i][t % SN_LANES] = f[i];
        }
    }
    for (size_t block = 0; block * SN_LANES < tets; ++block) {
        sn_polar_f64(s->gradients + 9 * block, s->rotations + 9 * block);
    }
    for (size_t t = 0; t < tets; ++t) {
        double stress[9];
        for (size_t i = 0; i < 9; ++i) {
            const size_t at = 9 * (t / SN_LANES) + i;
            const double strain = s->gradients[at][t % SN_LANES] - s->rotations[at][t % SN_LANES];
            energy += 0.5 * body->tet_mu[t] * body->volumes[t] * strain * strain;
            stress[i] = body->tet_mu[t] * strain;
        }
        sn_tet_add_forces(body, (int)t, stress, s->forces);
    }
    return energy;
}

static void predict(sn_subspace_solver *s, const double *rig_positions)
{
    const double h = s->desc.time_step;
    const size_t size = size_of(s);
    for (int c = 0; c < s->subspace->dimension; ++c) {
        s->dq[c] = 2 * s->q[c] - s->q_previous[c];
    }
    expand(s->subspace, s->dq, size, s->target);
    for (size_t i = 0; i < size; ++i) {
        const double rig_inertia = 2 * s->rig[i] - s->rig_previous[i] - rig_positions[i];
        s->target[i] += rig_inertia + h * h * s->desc.gravity[i % 3];
        s->rig_previous[i] = s->rig[i];
        s->rig[i] = rig_positions[i];
    }
    memcpy(s->q_previous, s->q, (size_t)s->subspace->dimension * sizeof *s->q);
}

/* q -= system^-1 U^T gradient. Returns the largest movement of a vertex. */
static double iterate(sn_subspace_solver *s)
{
    const size_t size = size_of(s);
    const double per_h2 = 1 / (s->desc.time_step * s->desc.time_step);
    elastic(s);
    for (size_t i = 0; i < size; ++i) {
        s->forces[i] += per_h2 * s->body->mass[i / 3] * (s->displacements[i] - s->target[i]);
    }
    sn_dense_multiply(&(sn_gemm){.transpose_a = true,
                                 .m = s->subspace->dimension,
                                 .n = 1,
                                 .k = (int)size,
                                 .alpha = -1,
                                 .a = s->subspace->basis,
                                 .lda = (int)size,
                                 .b = s->forces,
                                 .ldb = (int)size,
                                 .c = s->dq,
                                 .ldc = s->subspace->dimension});
    sn_dense_cholesky_solve(s->subspace->dimension, s->system, 1, s->dq);
    expand(s->subspace, s->dq, size, s->positions);
    double max_movement = 0;
    for (size_t v = 0; v < size; v += 3) {
        const double *x = s->positions + v;
        max_movement = fmax(max_movement, sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    }
    for (size_t i = 0; i < size; ++i) {
        s->displacements[i] += s->positions[i];
    }
    for (int c = 0; c < s->subspace->dimension; ++c) {
        s->q[c] += s->dq[c];
    }
    return max_movement;
}

int sn_subspace_solver_step(sn_subspace_solver *s, const double *rig_positions)
{
    int count = 0;
    predict(s, rig_positions);
    for (double change = INFINITY; count < s->desc.iteration_limit && change > s->desc.tolerance; ++count) {
        change = iterate(s);
    }
    return count;
}

void sn_subspace_solver_displacements(const sn_subspace_solver *s, double *displacements)
{
    memcpy(displacements, s->displacements, size_of(s) * sizeof *displacements);
}

double sn_subspace_solver_potential(sn_subspace_solver *s)
{
    double energy = elastic(s);
    for (size_t i = 0; i < size_of(s); ++i) {
        energy -= s->body->mass[i / 3] * s->desc.gravity[i % 3] * s->displacements[i];
    }
    return energy;
}
