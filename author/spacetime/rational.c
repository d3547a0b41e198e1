/* SPDX-License-Identifier: MIT */
/* Solves the spacetime system by the roots of its temporal part. If the norm is the inverse mass and the same vertices
 * are free in all functions, N = K(M^-1 L) with the quadratic K(l) = P0 + P2 / h_r^2 + l (P1 + P1^T) + l^2 P2. K has as
 * many pairs of complex conjugate roots l_j as functions and K^-1 = 2 Re sum_j u_j y_j^T / (l - l_j). So N^-1 b = 2 Re
 * sum_j u_j (L - l_j M)^-1 y_j^T b, where (L - l M)^-1 = (L M^-1 L - 2 Re(l) L + |l|^2 M)^-1 (L - conj(l) M) M^-1 needs
 * only real factors of the size of one function. These factors square the condition number, and the roots of cycles
 * with equal intervals nearly coincide, so roots and factors are checked before use. Iterative refinement does not
 * improve the accuracy. */
#include <math.h>
#include <string.h>

#include "author/spacetime/roots.h"
#include "author/spacetime/solver.h"

#define FACTOR_ERROR 1e-6 /* max. residual relative to the right-hand side */

struct sn_spacetime_rational {
    int vertex_count, function_count, active_count;
    int32_t *functions;                 /* (active_count) functions with any free vertex */
    bool *is_free;                      /* (vertex_count) */
    double *mass;                       /* (vertex_count) */
    sn_sparse stiffness;                /* L */
    sn_spacetime_polynomial polynomial; /* K */
    sn_spacetime_root *roots;           /* (active_count) */
    sn_spacetime_sparse **factors;      /* (active_count) */
    sn_arena arena;
};

static bool is_active(const sn_spacetime_system *s, int function)
{
    const bool *is_free = s->is_free + (size_t)function * (size_t)s->vertex_count;
    for (int v = 0; v < s->vertex_count; ++v) {
        if (is_free[v]) {
            return true;
        }
    }
    return false;
}

bool sn_spacetime_rational_is_possible(const sn_spacetime_system *s)
{
    for (int j = 0; j < s->function_count; ++j) {
        const bool *is_free = s->is_free + (size_t)j * (size_t)s->vertex_count;
        const bool is_used = is_active(s, j);
        for (int v = 0; v < s->vertex_count && is_used; ++v) {
            if (is_free[v] != (s->norm[v] > 0)) {
                return false;
            }
        }
    }
    return s->regularisation > 0;
}

static sn_result copy_system(const sn_spacetime_system *s, sn_spacetime_rational *r)
{
    const size_t n = (size_t)s->vertex_count, count = (size_t)s->function_count;
    r->vertex_count = s->vertex_count;
    r->function_count = s->function_count;
    r->functions = SN_NEW(&r->arena, int32_t, count);
    r->is_free = SN_NEW(&r->arena, bool, n);
    r->mass = SN_NEW(&r->arena, double, n);
    if (!r->functions || !r->is_free || !r->mass || sn_sparse_copy(s->stiffness, &r->arena, &r->stiffness) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    for (int j = 0; j < s->function_count; ++j) {
        if (is_active(s, j)) {
            r->functions[r->active_count++] = j;
        }
    }
    memcpy(r->mass, s->mass, n * sizeof *r->mass);
    for (size_t v = 0; v < n; ++v) {
        r->is_free[v] = s->norm[v] > 0;
    }
    const size_t active = (size_t)r->active_count, square = active * active;
    r->polynomial.constant = SN_NEW(&r->arena, double, square);
    r->polynomial.linear = SN_NEW(&r->arena, double, square);
    r->polynomial.square = SN_NEW(&r->arena, double, square);
    r->polynomial.count = r->active_count;
    r->roots = SN_NEW(&r->arena, sn_spacetime_root, active);
    r->factors = SN_NEW(&r->arena, sn_spacetime_sparse *, active);
    for (size_t i = 0; r->polynomial.constant && r->polynomial.linear && r->polynomial.square && i < square; ++i) {
        const size_t a = (size_t)r->functions[i / active], b = (size_t)r->functions[i % active];
        r->polynomial.constant[i] = s->p0[a * count + b] + s->regularisation * s->p2[a * count + b];
        r->polynomial.linear[i] = s->p1[a * count + b] + s->p1[b * count + a];
        r->polynomial.square[i] = s->p2[a * count + b];
    }
    for (size_t j = 0; r->roots && j < active; ++j) {
        r->roots[j].shape = SN_NEW(&r->arena, double, 2 * active);
        r->roots[j].dual = SN_NEW(&r->arena, double, 2 * active);
        if (!r->roots[j].shape || !r->roots[j].dual) {
            return SN_ERROR_MEMORY;
        }
    }
    return r->polynomial.constant && r->polynomial.linear && r->polynomial.square && r->roots && r->factors
               ? SN_OK
               : SN_ERROR_MEMORY;
}

/* Checks the accuracy of a factor. For very stiff bodies, the contribution of the mass is lost to rounding. */
static sn_result check_factor(const sn_spacetime_rational *r, int j)
{
    const size_t n = (size_t)r->vertex_count;
    const double real = r->roots[j].real, imaginary = r->roots[j].imaginary;
    sn_arena scratch = {0};
    double *x = SN_NEW(&scratch, double, n), *stiff = SN_NEW(&scratch, double, n);
    double *scaled = SN_NEW(&scratch, double, n), *square = SN_NEW(&scratch, double, n), max_mass = 0;
    sn_result result = x && stiff && scaled && square ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        memcpy(x, r->mass, n * sizeof *x);
        result = sn_spacetime_sparse_solve(r->factors[j], 1, x);
    }
    if (result == SN_OK) {
        sn_sparse_multiply(&r->stiffness, x, stiff);
        for (size_t v = 0; v < n; ++v) {
            scaled[v] = r->is_free[v] ? stiff[v] / r->mass[v] : 0;
            max_mass = fmax(max_mass, r->mass[v]);
        }
        bool is_solved = true;
        sn_sparse_multiply(&r->stiffness, scaled, square);
        for (size_t v = 0; v < n; ++v) {
            const double own = (real * real + imaginary * imaginary) * r->mass[v] * x[v];
            const double residual = r->mass[v] - (square[v] - 2 * real * stiff[v] + own);
            is_solved = is_solved && (!r->is_free[v] || fabs(residual) < FACTOR_ERROR * max_mass);
        }
        if (!is_solved) {
            result =
                sn_fail_within(SN_ERROR_NUMERIC, "the spacetime system is too ill-conditioned for the rational solver");
        }
    }
    sn_arena_finish(&scratch);
    return result;
}

/* Checks the memory limit using the first factor; all factors have the same pattern. */
static sn_result check_memory(const sn_spacetime_system *s, const sn_spacetime_rational *r)
{
    const double bytes = r->active_count * sn_spacetime_sparse_bytes(r->factors[0]);
    if (!(s->memory_limit > 0) || bytes <= s->memory_limit) {
        return SN_OK;
    }
    return sn_fail_within(SN_ERROR_UNSUPPORTED,
                          "%d vertices and %d temporal functions need %.3g GB of factors, which exceeds the limit of "
                          "%.3g GB; use fewer vertices or keys",
                          s->vertex_count, r->active_count, 1e-9 * bytes, 1e-9 * s->memory_limit);
}

/* L M^-1 L - 2 Re(l) L + |l|^2 M is the system of a single function with these three numbers as its Gram matrices. */
static sn_result factor_roots(const sn_spacetime_system *s, sn_spacetime_rational *r)
{
    sn_result result = SN_OK;
    for (int j = 0; j < r->active_count && result == SN_OK; ++j) {
        const sn_spacetime_root *at = &r->roots[j];
        double p0 = at->real * at->real + at->imaginary * at->imaginary, p1 = -at->real, p2 = 1;
        const sn_spacetime_system one = {.vertex_count = s->vertex_count,
                                         .function_count = 1,
                                         .mass = s->mass,
                                         .norm = s->norm,
                                         .stiffness = s->stiffness,
                                         .is_free = r->is_free,
                                         .p0 = &p0,
                                         .p1 = &p1,
                                         .p2 = &p2};
        result = sn_spacetime_sparse_create(&one, &r->factors[j]);
        result = result == SN_OK && j == 0 ? check_memory(s, r) : result;
        result = result == SN_OK ? check_factor(r, j) : result;
    }
    return result;
}

sn_result sn_spacetime_rational_create(const sn_spacetime_system *system, sn_spacetime_rational **created)
{
    sn_spacetime_rational *r = sn_alloc(1, sizeof *r);
    sn_result result = r ? copy_system(system, r) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_spacetime_roots_find(&r->polynomial, r->roots);
    }
    if (result == SN_OK) {
        result = factor_roots(system, r);
    }
    if (result != SN_OK) {
        sn_spacetime_rational_destroy(&r);
    }
    *created = r;
    return result;
}

void sn_spacetime_rational_destroy(sn_spacetime_rational **rational)
{
    if (*rational) {
        for (int j = 0; (*rational)->factors && j < (*rational)->active_count; ++j) {
            sn_spacetime_sparse_destroy(&(*rational)->factors[j]);
        }
        sn_arena_finish(&(*rational)->arena);
        sn_free(*rational, 1, sizeof **rational);
        *rational = NULL;
    }
}

/* Right-hand sides b and solutions x; 0 at fixed vertices. */
typedef struct work {
    int column_count;
    double *b, *x;            /* (column_count x active_count x vertex_count) */
    double *pair;             /* (2 x column_count x vertex_count) real parts, then imaginary parts */
    double *scaled, *product; /* (vertex_count) */
} work;

/* Computes (L - conj(l) M) M^-1 y^T b of all columns into `pair`. */
static void compute_pair(const sn_spacetime_rational *r, const sn_spacetime_root *at, work *w)
{
    const size_t n = (size_t)r->vertex_count, active = (size_t)r->active_count, half = (size_t)w->column_count * n;
    memset(w->pair, 0, 2 * half * sizeof *w->pair);
    for (size_t c = 0; c < (size_t)w->column_count; ++c) {
        double *real = w->pair + c * n, *imaginary = real + half;
        for (size_t i = 0; i < active; ++i) {
            const double *from = w->b + (c * active + i) * n, y[2] = {at->dual[2 * i], at->dual[2 * i + 1]};
            for (size_t v = 0; v < n; ++v) {
                real[v] += y[0] * from[v];
                imaginary[v] += y[1] * from[v];
            }
        }
        double *const parts[2] = {real, imaginary};
        for (int part = 0; part < 2; ++part) { /* L M^-1 of both parts, since the combination below needs both */
            for (size_t v = 0; v < n; ++v) {
                w->scaled[v] = r->is_free[v] ? parts[part][v] / r->mass[v] : 0;
            }
            sn_sparse_multiply(&r->stiffness, w->scaled, w->product + (size_t)part * n);
        }
        for (size_t v = 0; v < n; ++v) {
            const double old[2] = {real[v], imaginary[v]};
            real[v] = w->product[v] - at->real * old[0] - at->imaginary * old[1];
            imaginary[v] = w->product[n + v] - at->real * old[1] + at->imaginary * old[0];
        }
    }
}

/* x += N^-1 b */
static sn_result add_solution(const sn_spacetime_rational *r, work *w)
{
    const size_t n = (size_t)r->vertex_count, active = (size_t)r->active_count, half = (size_t)w->column_count * n;
    for (size_t j = 0; j < active; ++j) {
        const sn_spacetime_root *at = &r->roots[j];
        compute_pair(r, at, w);
        SN_TRY(sn_spacetime_sparse_solve(r->factors[j], 2 * w->column_count, w->pair));
        for (size_t k = 0; k < (size_t)w->column_count * active; ++k) {
            const double u[2] = {2 * at->shape[2 * (k % active)], 2 * at->shape[2 * (k % active) + 1]};
            const double *real = w->pair + k / active * n, *imaginary = real + half;
            double *x = w->x + k * n;
            for (size_t v = 0; v < n; ++v) {
                x[v] += u[0] * real[v] - u[1] * imaginary[v];
            }
        }
    }
    return SN_OK;
}

/* Copies between columns of all functions and of the active ones. */
static void copy_active(const sn_spacetime_rational *r, int column_count, bool is_scatter, double *columns,
                        double *active)
{
    const size_t n = (size_t)r->vertex_count, count = (size_t)r->active_count;
    for (size_t k = 0; k < (size_t)column_count * count; ++k) {
        double *to = columns + (k / count * (size_t)r->function_count + (size_t)r->functions[k % count]) * n;
        for (size_t v = 0; v < n; ++v) {
            if (is_scatter) {
                to[v] = r->is_free[v] ? active[k * n + v] : 0;
            } else {
                active[k * n + v] = r->is_free[v] ? to[v] : 0;
            }
        }
    }
}

sn_result sn_spacetime_rational_solve(const sn_spacetime_rational *r, int column_count, double *columns)
{
    const size_t n = (size_t)r->vertex_count, size = (size_t)column_count * (size_t)r->active_count * n;
    sn_arena scratch = {0};
    work w = {.column_count = column_count,
              .b = SN_NEW(&scratch, double, size),
              .x = SN_NEW(&scratch, double, size),
              .pair = SN_NEW(&scratch, double, 2 * (size_t)column_count * n),
              .scaled = SN_NEW(&scratch, double, n),
              .product = SN_NEW(&scratch, double, 2 * n)};
    sn_result result = w.b && w.x && w.pair && w.scaled && w.product ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        copy_active(r, column_count, false, columns, w.b);
        result = add_solution(r, &w);
    }
    if (result == SN_OK) {
        memset(columns, 0, (size_t)column_count * (size_t)r->function_count * n * sizeof *columns);
        copy_active(r, column_count, true, columns, w.x);
    }
    sn_arena_finish(&scratch);
    return result;
}
