/* SPDX-License-Identifier: MIT */
/* Modal derivatives (Barbic and James 2005, "Real-time subspace integration for St. Venant-Kirchhoff deformable
 * models"): the change of mode i as mode j is excited, K phi_ij = -D^2 f [phi_i, phi_j], for the St. Venant-Kirchhoff
 * energy with the same K. Derivatives are scaled by E_1^2 / (E_i E_j) as in the paper. Instead of the paper's mass-PCA,
 * they are orthonormalised in the order of their scale, which needs no threshold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "research/baselines/pencil.h"

/* The derivatives' system has no inertia; this shift makes it nonsingular if rig and pins leave a rigid motion free. */
#define SHIFT 1e-6

static void multiply(const double *a, bool transpose_a, const double *b, double *product)
{
    for (int i = 0; i < 9; ++i) {
        product[i] = 0;
        for (int k = 0; k < 3; ++k) {
            product[i] += a[transpose_a ? 3 * k + i / 3 : 3 * (i / 3) + k] * b[3 * k + i % 3];
        }
    }
}

/* mu sym(a) + lambda tr(a) */
static void linear_stress(double mu, double lame, const double *a, double *stress)
{
    for (int i = 0; i < 9; ++i) {
        stress[i] = 0.5 * mu * (a[i] + a[3 * (i % 3) + i / 3]) + (i % 4 == 0 ? lame * (a[0] + a[4] + a[8]) : 0);
    }
}

/* forces -= D^2 f [u, v] at rest: D^2 P = A S'(B) + B S'(A) + S'(A^T B), for P = F S. */
static void add_second_forces(const sn_baseline_body *body, const double *u, const double *v, double *forces)
{
    for (int t = 0; t < body->mesh.tet_count; ++t) {
        const double mu = body->tet_mu[t], lame = body->tet_lame ? body->tet_lame[t] : 0;
        double a[9], b[9], cross[9], stress[9], product[9], sum[9];
        sn_tet_displacement_gradient(body, t, u, a);
        sn_tet_displacement_gradient(body, t, v, b);
        multiply(a, true, b, cross);
        linear_stress(mu, lame, cross, sum);
        linear_stress(mu, lame, b, stress);
        multiply(a, false, stress, product);
        for (int i = 0; i < 9; ++i) {
            sum[i] += product[i];
        }
        linear_stress(mu, lame, a, stress);
        multiply(b, false, stress, product);
        for (int i = 0; i < 9; ++i) {
            sum[i] = -(sum[i] + product[i]);
        }
        sn_tet_add_forces(body, t, sum, forces);
    }
}

typedef struct mode_pair {
    int i, j;
    double scale;
} mode_pair;

static int by_scale(const void *left, const void *right)
{
    const mode_pair *a = left, *b = right;
    if (a->scale != b->scale) {
        return a->scale < b->scale ? 1 : -1;
    }
    return a->i != b->i ? a->i - b->i : a->j - b->j;
}

static int list_pairs(const double *eigenvalues, int mode_count, mode_pair *pairs)
{
    int count = 0;
    for (int i = 0; i < mode_count; ++i) {
        for (int j = i; j < mode_count; ++j) {
            const double scale = eigenvalues[0] * eigenvalues[0] / (eigenvalues[i] * eigenvalues[j]);
            pairs[count++] = (mode_pair){i, j, scale};
        }
    }
    qsort(pairs, (size_t)count, sizeof *pairs, by_scale);
    return count;
}

typedef struct derivative_system {
    const sn_baseline_body *body;
    sn_pencil pencil;
    sn_pencil_system system;
    sn_projection projection;
    double *forces, *packed, *solved;
} derivative_system;

static sn_result open_system(const sn_baseline_body *body, sn_arena *scratch, derivative_system *s)
{
    *s = (derivative_system){.body = body,
                             .pencil = {.axis_count = 3,
                                        .vertex_count = body->mesh.vertex_count,
                                        .mass = body->mass,
                                        .constraint = &body->constraint,
                                        .unit = sn_elastic_unit(body)}};
    const size_t size = 3 * (size_t)body->mesh.vertex_count;
    s->forces = SN_NEW(scratch, double, size);
    s->packed = SN_NEW(scratch, double, size);
    s->solved = SN_NEW(scratch, double, size);
    if (!s->forces || !s->packed || !s->solved) {
        return SN_ERROR_MEMORY;
    }
    SN_TRY(sn_elastic_hessian(body, scratch, &s->pencil.matrix));
    SN_TRY(sn_pencil_factor(&s->pencil, SHIFT, scratch, &s->system));
    return sn_projection_init(&s->system.problem, 1, scratch, &s->projection);
}

/* derivative = unit M^-1/2 P M^-1/2 force */
static sn_result solve(derivative_system *s, const double *u, const double *v, double *derivative)
{
    const size_t size = 3 * (size_t)s->pencil.vertex_count;
    memset(s->forces, 0, size * sizeof *s->forces);
    add_second_forces(s->body, u, v, s->forces);
    for (size_t i = 0; i < size; ++i) {
        if (s->system.slots[i] >= 0) {
            s->packed[s->system.slots[i]] = s->pencil.unit * s->forces[i] / sqrt(s->pencil.mass[i / 3]);
        }
    }
    sn_result result = sn_projection_apply(&s->projection, 1, s->packed, s->solved);
    if (result == SN_OK) { /* once more, because the small shift leaves rounding errors in rigid motions */
        result = sn_projection_constrain(&s->projection, 1, s->solved);
    }
    for (size_t i = 0; i < size; ++i) {
        const int32_t slot = s->system.slots[i];
        derivative[i] = slot < 0 ? 0 : s->solved[slot] / sqrt(s->pencil.mass[i / 3]);
    }
    return result;
}

sn_result sn_modal_derivatives(const sn_baseline_body *body, const sn_subspace *modes, const double *eigenvalues,
                               int limit, sn_arena *arena, sn_subspace *subspace)
{
    SN_ASSERT(eigenvalues[0] > 0); /* a rigid motion has no derivatives */
    const size_t size = 3 * (size_t)body->mesh.vertex_count;
    const int mode_count = modes->dimension;
    sn_arena scratch = {0};
    derivative_system system;
    mode_pair *pairs = SN_NEW(&scratch, mode_pair, mode_count * (mode_count + 1) / 2);
    *subspace = (sn_subspace){modes->dimension, SN_NEW(arena, double, size *(size_t)limit)};
    sn_result result = pairs && subspace->basis ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = open_system(body, &scratch, &system);
        const int pair_count = list_pairs(eigenvalues, mode_count, pairs);
        memcpy(subspace->basis, modes->basis, size * (size_t)mode_count * sizeof(double));
        for (int p = 0; p < pair_count && subspace->dimension < limit && result == SN_OK; ++p) {
            double *derivative = subspace->basis + (size_t)subspace->dimension++ * size;
            result = solve(&system, modes->basis + (size_t)pairs[p].i * size, modes->basis + (size_t)pairs[p].j * size,
                           derivative);
        }
        sn_pencil_release(&system.system);
    }
    if (result == SN_OK) {
        sn_subspace_orthonormalise(body->mass, body->mesh.vertex_count, subspace);
    }
    sn_arena_finish(&scratch);
    return result;
}
