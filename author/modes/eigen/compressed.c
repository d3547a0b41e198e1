/* SPDX-License-Identifier: MIT */
/* Localised skinning modes: compressed modes (Ozolins et al. 2013) by iterated convexification (Brandt and Hildebrandt
 * 2017), as in section 9.5 of the fast complementary dynamics paper. Mode i minimises
 *   1/2 w^T H w + mu sum_v m_v |w_v|   with w^T M w = 1, A w = 0 and w^T M w_j = 0 for j < i.
 * In x = M^1/2 w the norm constraint is the unit sphere, which is not convex: each outer iteration replaces it by its
 * tangent plane at the last iterate, and then projects back to the sphere. The convex problem is solved by ADMM with x
 * = z, whose linear system H + rho is constant, so that one factor serves all modes. The rows of A are eliminated as in
 * projection.c, the other modes and the tangent by their own small Schur complement.
 *
 * Each mode starts from a bump around a vertex: a column of the smooth modes' projector, at the vertices chosen by
 * pivoted Cholesky of that projector (the selected columns of Damle et al. 2015), so that the bumps are as independent
 * as possible. The start decides which of many local minima is found.
 *
 * ADMM gives exact zeros in z and an exact constraint in x. A final solve, restricted to the non-zero vertices, gives
 * both. */
#include <math.h>
#include <string.h>

#include "author/modes/eigen/compressor.h"
#include "author/modes/reduced/added_modes.h"

#define OUTER_LIMIT 60
#define INNER_COUNT 5
#define ROTATION_TOLERANCE 1e-4 /* 1 - cosine between outer iterates */
#define SPLIT_TOLERANCE 1e-2    /* |x - z| */
#define RHO 10.0                /* times the last smooth mode's energy; smaller values end at a larger objective */

/* Orthogonalises against the modes so far and scales to a norm of 1; false if nothing remains. */
static bool normalise(const sn_compressor *c, double *x)
{
    for (int pass = 0; pass < 2; ++pass) {
        for (int j = 0; j < c->finished_count; ++j) {
            const double *other = sn_compressor_column(c, j), part = sn_dense_dot(c->size, other, x);
            for (size_t i = 0; i < c->size; ++i) {
                x[i] -= part * other[i];
            }
        }
    }
    const double norm = sqrt(sn_dense_dot(c->size, x, x));
    for (size_t i = 0; i < c->size && norm > 0; ++i) {
        x[i] /= norm;
    }
    return norm > 0 && isfinite(norm);
}

/* ---- the convex problem ---- */

/* Adds the tangent's column to the Schur complement and factors it. */
static sn_result add_tangent(sn_compressor *c)
{
    const int count = c->finished_count + 1;
    double *solved = c->solved + (size_t)c->finished_count * c->size;
    SN_TRY(sn_projection_apply(&c->op, 1, c->tangent, solved));
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j <= i; ++j) {
            c->schur[j * count + i] =
                sn_dense_dot(c->size, sn_compressor_column(c, i), c->solved + (size_t)j * c->size);
        }
    }
    if (!sn_dense_cholesky(count, c->schur)) {
        return sn_fail(SN_ERROR_NUMERIC, "%s: the constraint leaves fewer than %d localised modes", c->problem->name,
                       count);
    }
    return SN_OK;
}

/* x <- argmin 1/2 x^T (H + rho) x - rho (z - u)^T x, orthogonal to the previous modes, with a product of 1 with the
 * tangent. */
static sn_result solve_plane(sn_compressor *c)
{
    const int count = c->finished_count + 1;
    for (size_t i = 0; i < c->size; ++i) {
        c->to[i] = c->rho * (c->z[i] - c->u[i]);
    }
    const sn_result result = sn_projection_apply(&c->op, 1, c->to, c->x);
    for (int j = 0; j < count; ++j) {
        c->products[j] = (j == c->finished_count) - sn_dense_dot(c->size, sn_compressor_column(c, j), c->x);
    }
    sn_dense_cholesky_solve(count, c->schur, 1, c->products);
    for (int j = 0; j < count; ++j) {
        const double *solved = c->solved + (size_t)j * c->size;
        for (size_t i = 0; i < c->size; ++i) {
            c->x[i] += c->products[j] * solved[i];
        }
    }
    return result;
}

static void shrink(sn_compressor *c)
{
    for (size_t i = 0; i < c->size; ++i) {
        const double to = c->x[i] + c->u[i], threshold = c->penalty / c->rho * c->sqrt_mass[i];
        c->z[i] = fabs(to) > threshold ? copysign(fabs(to) - threshold, to) : 0;
        c->u[i] = to - c->z[i];
    }
}

static double split_residual(const sn_compressor *c)
{
    double square = 0;
    for (size_t i = 0; i < c->size; ++i) {
        square += (c->x[i] - c->z[i]) * (c->x[i] - c->z[i]);
    }
    return sqrt(square);
}

/* Starts from the unit vector in x; the result's zeros are in z. */
static sn_result iterate(sn_compressor *c)
{
    memcpy(c->z, c->x, c->size * sizeof *c->z);
    memset(c->u, 0, c->size * sizeof *c->u);
    bool is_done = false;
    sn_result result = SN_OK;
    for (int outer = 0; outer < OUTER_LIMIT && result == SN_OK && !is_done; ++outer) {
        memcpy(c->tangent, c->x, c->size * sizeof *c->tangent);
        result = add_tangent(c);
        for (int inner = 0; inner < INNER_COUNT && result == SN_OK; ++inner) {
            result = solve_plane(c);
            shrink(c);
        }
        const double residual = split_residual(c);
        if (result == SN_OK && !normalise(c, c->x)) {
            result =
                sn_fail(SN_ERROR_NUMERIC, "%s: localised mode %d is not finite", c->problem->name, c->finished_count);
        }
        is_done = 1 - sn_dense_dot(c->size, c->x, c->tangent) < ROTATION_TOLERANCE && residual < SPLIT_TOLERANCE;
    }
    return result;
}

/* ---- all modes ---- */

/* Chooses the vertices at which the smooth modes' projector X X^T has its most independent columns. */
static sn_result choose_centres(const double *smooth, size_t size, int count, sn_arena *scratch, int32_t *centres)
{
    double *remaining = SN_NEW(scratch, double, size), *basis = SN_NEW(scratch, double, size *(size_t)count);
    if (!remaining || !basis) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < size; ++i) {
        for (size_t j = 0; j < (size_t)count; ++j) {
            remaining[i] += smooth[j * size + i] * smooth[j * size + i];
        }
    }
    for (int k = 0; k < count; ++k) { /* pivoted Cholesky, of which only the pivots are needed */
        size_t best = 0;
        for (size_t i = 1; i < size; ++i) {
            best = remaining[i] > remaining[best] ? i : best;
        }
        centres[k] = (int32_t)best;
        double *row = basis + (size_t)k * size;
        const double pivot = sqrt(remaining[best]);
        for (size_t i = 0; i < size; ++i) {
            double sum = 0;
            for (size_t j = 0; j < (size_t)count; ++j) {
                sum += smooth[j * size + i] * smooth[j * size + best];
            }
            for (size_t j = 0; j < (size_t)k; ++j) {
                sum -= basis[j * size + i] * basis[j * size + best];
            }
            row[i] = sum / pivot;
            remaining[i] -= row[i] * row[i];
        }
        remaining[best] = 0;
    }
    return SN_OK;
}

static sn_result find_mode(sn_compressor *c, const double *smooth, int count, size_t centre)
{
    memset(c->x, 0, c->size * sizeof *c->x);
    for (size_t j = 0; j < (size_t)count; ++j) {
        for (size_t i = 0; i < c->size; ++i) {
            c->x[i] += smooth[j * c->size + i] * smooth[j * c->size + centre];
        }
    }
    sn_result result =
        normalise(c, c->x) ? SN_OK : sn_fail(SN_ERROR_NUMERIC, "%s: no start for a localised mode", c->problem->name);
    result = result == SN_OK ? iterate(c) : result;
    result = result == SN_OK ? sn_compressor_polish(c) : result;
    if (result == SN_OK) {
        double *finished = c->finished + (size_t)c->finished_count * c->size;
        memcpy(finished, c->x, c->size * sizeof *finished);
        result = sn_projection_apply(&c->op, 1, finished, c->solved + (size_t)c->finished_count * c->size);
        c->finished_count++;
    }
    return result;
}

/* E = x^T (K - 1) x / s */
static double energy_of(const sn_mode_problem *p, const double *x)
{
    double sum = 0;
    for (int j = 0; j < p->matrix.size; ++j) {
        for (int32_t k = p->matrix.column_starts[j]; k < p->matrix.column_starts[j + 1]; ++k) {
            const int i = p->matrix.rows[k];
            sum += (i == j ? p->matrix.values[k] - 1 : 2 * p->matrix.values[k]) * x[i] * x[j];
        }
    }
    return fmax(0, sum / p->unit);
}

/* Writes the modes by ascending energy. */
static void write_sorted(const sn_compressor *c, int count, int32_t *order, sn_modes *modes)
{
    for (int i = 0; i < count; ++i) {
        const double energy = energy_of(c->problem, sn_compressor_column(c, i));
        int at = i;
        for (; at > 0 && modes->eigenvalues[at - 1] > energy; --at) {
            modes->eigenvalues[at] = modes->eigenvalues[at - 1];
            order[at] = order[at - 1];
        }
        modes->eigenvalues[at] = energy;
        order[at] = i;
    }
    memset(modes->weights, 0, sizeof *modes->weights * (size_t)c->problem->vertex_count * (size_t)count);
    for (int i = 0; i < count; ++i) {
        sn_mode_write(c->problem, c->finished + (size_t)order[i] * c->size, modes, i);
    }
}

static sn_result init(const sn_mode_problem *p, double sparsity, const sn_modes *modes, sn_arena *scratch,
                      sn_compressor *c)
{
    const size_t size = p->unknowns.count, count = (size_t)modes->mode_count;
    double *sqrt_mass = SN_NEW(scratch, double, size), total = 0;
    *c = (sn_compressor){.problem = p,
                         .size = size,
                         .sqrt_mass = sqrt_mass,
                         .finished = SN_NEW(scratch, double, size *count),
                         .solved = SN_NEW(scratch, double, size *(count + 1)),
                         .schur = SN_NEW(scratch, double, (count + 1) * (count + 1)),
                         .x = SN_NEW(scratch, double, size),
                         .z = SN_NEW(scratch, double, size),
                         .u = SN_NEW(scratch, double, size),
                         .tangent = SN_NEW(scratch, double, size),
                         .to = SN_NEW(scratch, double, size),
                         .products = SN_NEW(scratch, double, count + 1)};
    if (!sqrt_mass || !c->finished || !c->solved || !c->schur || !c->x || !c->z || !c->u || !c->tangent || !c->to ||
        !c->products) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < size; ++i) {
        sqrt_mass[i] = sqrt(p->unknowns.mass[i]);
        total += p->unknowns.mass[i];
    }
    const double scale = p->unit * modes->eigenvalues[count - 1];
    c->penalty = sparsity * scale / sqrt(total);
    c->rho = RHO * scale;
    return SN_OK;
}

static sn_result localise(const sn_mode_problem *p, double sparsity, sn_arena *scratch, sn_modes *modes)
{
    const int count = modes->mode_count;
    sn_compressor c = {0};
    double *smooth = SN_NEW(scratch, double, p->unknowns.count *(size_t)count);
    int32_t *centres = SN_NEW(scratch, int32_t, count), *order = SN_NEW(scratch, int32_t, count);
    sn_result result = smooth && centres && order ? init(p, sparsity, modes, scratch, &c) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        sn_modes_to_unknowns(p, modes, smooth);
    }
    result = result == SN_OK ? choose_centres(smooth, c.size, count, scratch, centres) : result;
    sn_projected_problem shifted = {.size = (int)c.size, .constraints = p->constraints};
    for (int j = 0; j < p->matrix.size && result == SN_OK; ++j) { /* make K into H + rho, until the factor is built */
        p->matrix.values[p->matrix.column_starts[j]] += c.rho - 1;
    }
    if (result == SN_OK) {
        result = sn_factor_create(&p->matrix, "modes", &shifted.factor);
        for (int j = 0; j < p->matrix.size; ++j) {
            p->matrix.values[p->matrix.column_starts[j]] -= c.rho - 1;
        }
    }
    result = result == SN_OK ? sn_projection_init(&shifted, 1, scratch, &c.op) : result;
    for (int i = 0; i < count && result == SN_OK; ++i) {
        result = find_mode(&c, smooth, count, (size_t)centres[i]);
    }
    if (result == SN_OK) {
        write_sorted(&c, count, order, modes);
    }
    sn_factor_destroy(&shifted.factor);
    return result;
}

sn_result sn_modes_localise(const sn_tet_mesh *mesh, const double *gradients, const double *volumes, const double *mass,
                            const double *stiffness, const sn_constraint *constraint, double sparsity, sn_modes *modes)
{
    const sn_mode_elements e = {mesh, gradients, volumes, stiffness, &modes->hessian};
    sn_arena scratch = {0};
    sn_mode_problem problem = {0};
    sn_result result = sn_mode_problem_build(&e, mass, constraint, &scratch, &problem);
    if (result == SN_OK && sparsity > 0) {
        result = localise(&problem, sparsity, &scratch, modes);
    }
    sn_arena_finish(&scratch);
    return result;
}
