/* SPDX-License-Identifier: MIT */
/* Localised skinning modes: compressed modes (Ozolins et al. 2013) by iterated convexification (Brandt and Hildebrandt
 * 2017), as section 9.5 of the fast complementary dynamics paper asks for. One after the other, mode i minimises
 *   1/2 w^T H w + mu sum_v m_v |w_v|   with w^T M w = 1, A w = 0 and w^T M w_j = 0 for j < i.
 * In x = M^1/2 w the norm asks for the unit sphere, which is not convex: each outer iteration asks for its tangent
 * plane at the last iterate in its place, and goes back to the sphere. The convex problem is solved by ADMM with
 * x = z, whose linear system H + rho never changes: one factor serves all modes. The rows of A are eliminated as in
 * projection.c, the other modes and the tangent by their own small Schur complement.
 *
 * Each mode starts from a bump about a vertex: a column of the smooth modes' projector, at the vertices that
 * pivoted Cholesky of that projector finds (the selected columns of Damle et al. 2015), so that the bumps are as
 * independent as can be. Where they start decides which of many local minima they end in.
 *
 * ADMM leaves a mode whose zeros are exact in z and whose constraint is exact in x. A last solve, on the vertices that
 * are not zero alone, has both. */
#include <math.h>
#include <string.h>

#include "author/modes/problem.h"
#include "author/modes/projection.h"
#include "author/modes/tall.h"

#define OUTER_LIMIT 60
#define INNER_COUNT 5
#define POLISH_COUNT 3
#define TURN_TOLERANCE 1e-4  /* 1 - cosine between outer iterates */
#define SPLIT_TOLERANCE 1e-2 /* |x - z| */
#define RHO 10.0             /* of the last smooth mode's energy: less, and the objective ends some percent higher */
#define DEPENDENT 1e-10      /* of the largest eigenvalue of a Schur complement: such rows say nothing */

typedef struct compressor {
    const sn_mode_problem *problem;
    sn_projection op; /* of (H + rho)^-1 on the complement of Q, in units of the model's diagonal */
    size_t size;
    int done_count;      /* modes found so far */
    double rho, penalty; /* s mu */
    const double *sqrt_mass;
    double *found;        /* (size x mode_count) unit columns */
    double *solved;       /* (size x (mode_count + 1)) P of them, then of the tangent */
    double *schur;        /* ((mode_count + 1)^2) its Cholesky factor */
    double *x, *z, *u;    /* (size) */
    double *tangent, *to; /* (size) */
    double *products;     /* (mode_count + 1) */
} compressor;

static double dot(size_t size, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < size; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static const double *column(const compressor *c, int i)
{
    return i < c->done_count ? c->found + (size_t)i * c->size : c->tangent;
}

/* Takes the modes found off, and scales to a norm of 1; false if nothing is left. */
static bool normalise(const compressor *c, double *x)
{
    for (int pass = 0; pass < 2; ++pass) {
        for (int j = 0; j < c->done_count; ++j) {
            const double *other = column(c, j), part = dot(c->size, other, x);
            for (size_t i = 0; i < c->size; ++i) {
                x[i] -= part * other[i];
            }
        }
    }
    const double norm = sqrt(dot(c->size, x, x));
    for (size_t i = 0; i < c->size && norm > 0; ++i) {
        x[i] /= norm;
    }
    return norm > 0 && isfinite(norm);
}

/* ---- the convex problem ---- */

/* The tangent's column of the Schur complement, and the factor. */
static sn_result take_tangent(compressor *c)
{
    const int count = c->done_count + 1;
    double *solved = c->solved + (size_t)c->done_count * c->size;
    const sn_result result = sn_projection_apply(&c->op, 1, c->tangent, solved);
    for (int i = 0; i < count && result == SN_OK; ++i) {
        for (int j = 0; j <= i; ++j) {
            c->schur[j * count + i] = dot(c->size, column(c, i), c->solved + (size_t)j * c->size);
        }
    }
    if (result == SN_OK && !sn_dense_cholesky(count, c->schur)) {
        return sn_fail(SN_ERROR_NUMERIC, "%s: the constraint leaves no %d localised modes", c->problem->name, count);
    }
    return result;
}

/* x <- argmin 1/2 x^T (H + rho) x - rho (z - u)^T x, orthogonal to all but the tangent, with 1 there. */
static sn_result solve_plane(compressor *c)
{
    const int count = c->done_count + 1;
    for (size_t i = 0; i < c->size; ++i) {
        c->to[i] = c->rho * (c->z[i] - c->u[i]);
    }
    const sn_result result = sn_projection_apply(&c->op, 1, c->to, c->x);
    for (int j = 0; j < count; ++j) {
        c->products[j] = (j == c->done_count) - dot(c->size, column(c, j), c->x);
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

static void shrink(compressor *c)
{
    for (size_t i = 0; i < c->size; ++i) {
        const double to = c->x[i] + c->u[i], least = c->penalty / c->rho * c->sqrt_mass[i];
        c->z[i] = fabs(to) > least ? copysign(fabs(to) - least, to) : 0;
        c->u[i] = to - c->z[i];
    }
}

static double split(const compressor *c)
{
    double square = 0;
    for (size_t i = 0; i < c->size; ++i) {
        square += (c->x[i] - c->z[i]) * (c->x[i] - c->z[i]);
    }
    return sqrt(square);
}

/* From the unit vector in x: its zeros are in z. */
static sn_result iterate(compressor *c)
{
    memcpy(c->z, c->x, c->size * sizeof *c->z);
    memset(c->u, 0, c->size * sizeof *c->u);
    bool is_done = false;
    sn_result result = SN_OK;
    for (int outer = 0; outer < OUTER_LIMIT && result == SN_OK && !is_done; ++outer) {
        memcpy(c->tangent, c->x, c->size * sizeof *c->tangent);
        result = take_tangent(c);
        for (int inner = 0; inner < INNER_COUNT && result == SN_OK; ++inner) {
            result = solve_plane(c);
            shrink(c);
        }
        const double apart = split(c);
        if (result == SN_OK && !normalise(c, c->x)) {
            result = sn_fail(SN_ERROR_NUMERIC, "%s: localised mode %d is not finite", c->problem->name, c->done_count);
        }
        is_done = 1 - dot(c->size, c->x, c->tangent) < TURN_TOLERANCE && apart < SPLIT_TOLERANCE;
    }
    return result;
}

/* ---- the last solve ---- */

/* The vertices where z is not zero. */
typedef struct support {
    size_t count;
    int32_t *kept; /* (size) number within, -1: outside */
    sn_factor *factor;
    int column_count;
    double *columns;             /* (count x column_count) rows of Q, then the modes found */
    double *solved;              /* the same by the factor's inverse */
    double *schur;               /* (column_count^2) eigenvectors of the Schur complement */
    double *values;              /* (column_count) its eigenvalues */
    double *right, *part;        /* (column_count) */
    double *pull, *tangent, *to; /* (count) */
} support;

static sn_result factor_support(const compressor *c, sn_arena *scratch, support *s)
{
    const sn_sparse *from = &c->problem->matrix;
    const size_t filled = (size_t)from->column_starts[from->size];
    sn_sparse matrix = {.size = from->size,
                        .column_starts = SN_NEW(scratch, int32_t, from->size + 1),
                        .rows = SN_NEW(scratch, int32_t, filled),
                        .values = SN_NEW(scratch, double, filled)};
    if (!matrix.column_starts || !matrix.rows || !matrix.values) {
        return SN_ERROR_MEMORY;
    }
    memcpy(matrix.column_starts, from->column_starts, ((size_t)from->size + 1) * sizeof *matrix.column_starts);
    memcpy(matrix.rows, from->rows, filled * sizeof *matrix.rows);
    memcpy(matrix.values, from->values, filled * sizeof *matrix.values);
    sn_sparse_keep(&matrix, s->kept);
    return sn_factor_create(&matrix, "modes", &s->factor);
}

static sn_result list_columns(const compressor *c, sn_arena *scratch, support *s)
{
    const sn_sparse_columns *q = &c->problem->constraints;
    const size_t count = (size_t)q->column_count;
    double *all = SN_NEW(scratch, double, c->size *count);
    s->column_count = q->column_count + c->done_count;
    const size_t columns = (size_t)s->column_count;
    s->columns = SN_NEW(scratch, double, s->count *columns);
    s->solved = SN_NEW(scratch, double, s->count *columns);
    s->schur = SN_NEW(scratch, double, columns *columns);
    s->values = SN_NEW(scratch, double, columns);
    s->right = SN_NEW(scratch, double, columns);
    s->part = SN_NEW(scratch, double, columns);
    s->pull = SN_NEW(scratch, double, s->count);
    s->tangent = SN_NEW(scratch, double, s->count);
    s->to = SN_NEW(scratch, double, s->count);
    if (!all || !s->columns || !s->solved || !s->schur || !s->values || !s->right || !s->part || !s->pull ||
        !s->tangent || !s->to) {
        return SN_ERROR_MEMORY;
    }
    sn_columns_expand(q, (int)c->size, all);
    for (size_t j = 0; j < columns; ++j) {
        const double *from = j < count ? all + j * c->size : column(c, (int)(j - count));
        for (size_t i = 0; i < c->size; ++i) {
            if (s->kept[i] >= 0) {
                s->columns[j * s->count + (size_t)s->kept[i]] = from[i];
            }
        }
    }
    memcpy(s->solved, s->columns, s->count * columns * sizeof *s->solved);
    return SN_OK;
}

/* Eigenpairs of the Schur complement: few vertices may leave rows that depend on each other. */
static sn_result factor_schur(support *s)
{
    const int columns = s->column_count, rows = (int)s->count;
    const sn_result result = columns > 0 ? sn_factor_solve(s->factor, columns, s->solved) : SN_OK;
    if (result != SN_OK || columns == 0) {
        return result;
    }
    sn_dense_gram(s->columns, s->solved, rows, columns, s->schur);
    return sn_symmetric_eigen(columns, s->schur, s->values);
}

/* x <- the factor's inverse of x, on the complement of the columns. */
static sn_result solve_projected(const support *s, double *x)
{
    const size_t columns = (size_t)s->column_count;
    const sn_result result = sn_factor_solve(s->factor, 1, x);
    memset(s->right, 0, columns * sizeof *s->right);
    for (size_t j = 0; j < columns; ++j) {
        s->part[j] = dot(s->count, s->columns + j * s->count, x);
    }
    for (size_t e = 0; e < columns; ++e) {
        const double *vector = s->schur + e * columns;
        const bool is_used = s->values[e] > DEPENDENT * s->values[columns - 1];
        const double share = is_used ? dot(columns, vector, s->part) / s->values[e] : 0;
        for (size_t i = 0; i < columns; ++i) {
            s->right[i] -= share * vector[i];
        }
    }
    if (columns > 0) {
        sn_tall_product(s->count, columns, s->solved, 1, 1, s->right, columns, x);
    }
    return result;
}

/* x on the support <- argmin 1/2 x^T (H + 1) x + mu sum sign(z) m^1/2 x, exactly orthogonal, with 1 along the tangent,
 * on the sphere again. The 1 draws towards the tangent, which is where x has come from. */
static sn_result solve_support(const compressor *c, const support *s)
{
    for (size_t i = 0; i < c->size; ++i) {
        if (s->kept[i] >= 0) {
            s->tangent[s->kept[i]] = c->x[i];
        }
    }
    memcpy(s->to, s->tangent, s->count * sizeof *s->to);
    sn_result result = solve_projected(s, s->to);
    const double share =
        (1 - dot(s->count, s->tangent, s->pull)) / dot(s->count, s->tangent, s->to); /* of it, beside the pull */
    for (size_t i = 0; i < s->count; ++i) {
        s->to[i] = share * s->to[i] + s->pull[i];
    }
    const double norm = sqrt(dot(s->count, s->to, s->to));
    for (size_t i = 0; i < c->size; ++i) {
        c->x[i] = s->kept[i] >= 0 ? s->to[s->kept[i]] / norm : 0;
    }
    return result == SN_OK && !(norm > 0) ? sn_fail(SN_ERROR_NUMERIC, "%s: a localised mode vanishes", c->problem->name)
                                          : result;
}

/* Where the signs of z alone would draw x. */
static sn_result find_pull(const compressor *c, const support *s)
{
    for (size_t i = 0; i < c->size; ++i) {
        if (s->kept[i] >= 0) {
            s->pull[s->kept[i]] = -copysign(c->penalty * c->sqrt_mass[i], c->z[i]);
        }
    }
    return solve_projected(s, s->pull);
}

/* What is zero in z becomes zero in x, and the constraint stays exact. */
static sn_result polish(compressor *c)
{
    sn_arena scratch = {0};
    support s = {.kept = SN_NEW(&scratch, int32_t, c->size)};
    sn_result result = s.kept ? SN_OK : SN_ERROR_MEMORY;
    for (size_t i = 0; i < c->size && result == SN_OK; ++i) {
        s.kept[i] = c->z[i] != 0 ? (int32_t)s.count++ : -1;
        c->x[i] = s.kept[i] >= 0 ? c->x[i] : 0;
    }
    if (result == SN_OK && (int)s.count <= c->problem->constraints.column_count + c->done_count + 1) {
        result = sn_fail(SN_ERROR_ARGUMENT,
                         "%s: localised mode %d would lie on %zu vertices, too few for the constraint: less sparsity",
                         c->problem->name, c->done_count, s.count);
    }
    result = result == SN_OK ? factor_support(c, &scratch, &s) : result;
    result = result == SN_OK ? list_columns(c, &scratch, &s) : result;
    result = result == SN_OK ? factor_schur(&s) : result;
    result = result == SN_OK ? find_pull(c, &s) : result;
    for (int i = 0; i < POLISH_COUNT && result == SN_OK; ++i) {
        result = solve_support(c, &s);
    }
    sn_factor_destroy(&s.factor);
    sn_arena_finish(&scratch);
    return result;
}

/* ---- all modes ---- */

/* Vertices at which the smooth modes' projector X X^T has its most independent columns. */
static sn_result choose_centres(const double *smooth, size_t size, int count, sn_arena *scratch, int32_t *centres)
{
    double *left = SN_NEW(scratch, double, size), *basis = SN_NEW(scratch, double, size *(size_t)count);
    if (!left || !basis) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < size; ++i) {
        for (size_t j = 0; j < (size_t)count; ++j) {
            left[i] += smooth[j * size + i] * smooth[j * size + i];
        }
    }
    for (int k = 0; k < count; ++k) { /* pivoted Cholesky, of which only the pivots are kept */
        size_t best = 0;
        for (size_t i = 1; i < size; ++i) {
            best = left[i] > left[best] ? i : best;
        }
        centres[k] = (int32_t)best;
        double *row = basis + (size_t)k * size;
        const double pivot = sqrt(left[best]);
        for (size_t i = 0; i < size; ++i) {
            double sum = 0;
            for (size_t j = 0; j < (size_t)count; ++j) {
                sum += smooth[j * size + i] * smooth[j * size + best];
            }
            for (size_t j = 0; j < (size_t)k; ++j) {
                sum -= basis[j * size + i] * basis[j * size + best];
            }
            row[i] = sum / pivot;
            left[i] -= row[i] * row[i];
        }
        left[best] = 0;
    }
    return SN_OK;
}

static sn_result find_mode(compressor *c, const double *smooth, int count, size_t centre)
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
    result = result == SN_OK ? polish(c) : result;
    if (result == SN_OK) {
        double *found = c->found + (size_t)c->done_count * c->size;
        memcpy(found, c->x, c->size * sizeof *found);
        result = sn_projection_apply(&c->op, 1, found, c->solved + (size_t)c->done_count * c->size);
        c->done_count++;
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

/* Ascending in energy. */
static void write_sorted(const compressor *c, int count, int32_t *order, sn_modes *modes)
{
    for (int i = 0; i < count; ++i) {
        const double energy = energy_of(c->problem, column(c, i));
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
        sn_mode_write(c->problem, c->found + (size_t)order[i] * c->size, modes, i);
    }
}

static sn_result begin(const sn_mode_problem *p, double sparsity, const sn_modes *modes, sn_arena *scratch,
                       compressor *c)
{
    const size_t size = p->unknowns.count, count = (size_t)modes->mode_count;
    double *sqrt_mass = SN_NEW(scratch, double, size), total = 0;
    *c = (compressor){.problem = p,
                      .size = size,
                      .sqrt_mass = sqrt_mass,
                      .found = SN_NEW(scratch, double, size *count),
                      .solved = SN_NEW(scratch, double, size *(count + 1)),
                      .schur = SN_NEW(scratch, double, (count + 1) * (count + 1)),
                      .x = SN_NEW(scratch, double, size),
                      .z = SN_NEW(scratch, double, size),
                      .u = SN_NEW(scratch, double, size),
                      .tangent = SN_NEW(scratch, double, size),
                      .to = SN_NEW(scratch, double, size),
                      .products = SN_NEW(scratch, double, count + 1)};
    if (!sqrt_mass || !c->found || !c->solved || !c->schur || !c->x || !c->z || !c->u || !c->tangent || !c->to ||
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

/* x = M^1/2 w of the smooth modes (size x count), column by column. */
static sn_result take_smooth(const sn_mode_problem *p, const sn_modes *modes, sn_arena *scratch, double **smooth)
{
    const size_t size = p->unknowns.count, count = (size_t)modes->mode_count;
    *smooth = SN_NEW(scratch, double, size *count);
    for (size_t k = 0; *smooth && k < size * count; ++k) {
        const size_t i = k % size, v = (size_t)p->unknowns.vertices[i];
        (*smooth)[k] = sqrt(p->unknowns.mass[i]) * modes->weights[v * count + k / size];
    }
    return *smooth ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result localise(const sn_mode_problem *p, double sparsity, sn_arena *scratch, sn_modes *modes)
{
    const int count = modes->mode_count;
    compressor c = {0};
    double *smooth = NULL;
    int32_t *centres = SN_NEW(scratch, int32_t, count), *order = SN_NEW(scratch, int32_t, count);
    sn_result result = centres && order ? begin(p, sparsity, modes, scratch, &c) : SN_ERROR_MEMORY;
    result = result == SN_OK ? take_smooth(p, modes, scratch, &smooth) : result;
    result = result == SN_OK ? choose_centres(smooth, c.size, count, scratch, centres) : result;
    sn_projected_problem shifted = {.size = (int)c.size, .constraints = p->constraints};
    for (int j = 0; j < p->matrix.size && result == SN_OK; ++j) { /* H + rho, for now */
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
