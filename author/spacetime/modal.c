/* SPDX-License-Identifier: MIT */
/* Solves the spacetime system in the eigenmodes of the mesh. If the norm is the inverse mass, and with L Phi = M Phi
 * Lambda, Phi^T M Phi = 1, the system splits into one small system per mode: K_m = P0 + P2 / h_r^2 + lambda_m (P1 +
 * P1^T) + lambda_m^2 P2. This is exact if the same vertices are free in all functions. If a vertex is fixed in some
 * functions, dq = 0 there is a constraint C dq = 0 on the system in which it is free: with N^-1 from the modes, dq =
 * N^-1 (b - C^T (C N^-1 C^T)^-1 C N^-1 b). */
#include <math.h>
#include <string.h>

#include "author/spacetime/solver.h"
#include "host/math/cholesky.h"

struct sn_spacetime_modal {
    int vertex_count, function_count, mode_count;
    int fixed_vertex_count, constraint_count;
    int32_t *vertices;    /* (mode_count) vertices that are free in any function */
    int32_t *fixed;       /* (fixed_vertex_count) indices in `vertices` of those fixed in some function */
    int32_t *constraints; /* (constraint_count x 2) function, index in `fixed` */
    bool *is_free;        /* (function_count x vertex_count) */
    double *modes;        /* (mode_count x mode_count) Phi, column-major */
    double *eigenvalues;  /* (mode_count) */
    double *fixed_modes;  /* (fixed_vertex_count x mode_count) rows of Phi, column-major */
    double *inverses;     /* (mode_count x function_count x function_count): K_m^-1 */
    double *schur;        /* (constraint_count x constraint_count): Cholesky factor */
    sn_arena arena;
};

static bool is_free_anywhere(const sn_spacetime_system *s, int vertex)
{
    return s->norm[vertex] > 0;
}

static bool is_free_at(const sn_spacetime_system *s, int function, int vertex)
{
    return s->is_free[(size_t)function * (size_t)s->vertex_count + (size_t)vertex];
}

int sn_spacetime_modal_constraint_count(const sn_spacetime_system *s)
{
    int count = 0;
    for (int v = 0; v < s->vertex_count; ++v) {
        for (int j = 0; j < s->function_count && is_free_anywhere(s, v); ++j) {
            count += !is_free_at(s, j, v);
        }
    }
    return count;
}

static sn_result list_vertices(const sn_spacetime_system *s, sn_spacetime_modal *m)
{
    const size_t n = (size_t)s->vertex_count, constraints = (size_t)sn_spacetime_modal_constraint_count(s);
    m->vertices = SN_NEW(&m->arena, int32_t, n);
    m->fixed = SN_NEW(&m->arena, int32_t, n);
    m->constraints = SN_NEW(&m->arena, int32_t, 2 * constraints);
    m->is_free = SN_NEW(&m->arena, bool, n *(size_t)s->function_count);
    if (!m->vertices || !m->fixed || !m->constraints || !m->is_free) {
        return SN_ERROR_MEMORY;
    }
    memcpy(m->is_free, s->is_free, n * (size_t)s->function_count * sizeof *m->is_free);
    for (int v = 0; v < s->vertex_count; ++v) {
        bool is_fixed = false;
        for (int j = 0; j < s->function_count && is_free_anywhere(s, v); ++j) {
            if (!is_free_at(s, j, v)) {
                m->constraints[2 * m->constraint_count] = j;
                m->constraints[2 * m->constraint_count++ + 1] = m->fixed_vertex_count;
                is_fixed = true;
            }
        }
        if (is_fixed) {
            m->fixed[m->fixed_vertex_count++] = m->mode_count;
        }
        if (is_free_anywhere(s, v)) {
            m->vertices[m->mode_count++] = v;
        }
    }
    return SN_OK;
}

/* Computes the eigenvectors of M^-1/2 L M^-1/2 over the free vertices (lower triangle). The modes are these times
 * M^-1/2. */
static sn_result find_modes(const sn_spacetime_system *s, sn_spacetime_modal *m)
{
    const size_t count = (size_t)m->mode_count;
    int32_t *slots = SN_NEW(&m->arena, int32_t, s->vertex_count);
    m->modes = SN_NEW(&m->arena, double, count *count);
    m->eigenvalues = SN_NEW(&m->arena, double, count);
    if (!slots || !m->modes || !m->eigenvalues) {
        return SN_ERROR_MEMORY;
    }
    memset(slots, -1, (size_t)s->vertex_count * sizeof *slots);
    for (int i = 0; i < m->mode_count; ++i) {
        slots[m->vertices[i]] = i;
    }
    for (int column = 0; column < s->vertex_count; ++column) {
        for (int32_t i = s->stiffness->column_starts[column]; i < s->stiffness->column_starts[column + 1]; ++i) {
            const int row = s->stiffness->rows[i];
            if (slots[column] >= 0 && slots[row] >= 0) {
                m->modes[(size_t)slots[column] * count + (size_t)slots[row]] =
                    s->stiffness->values[i] / sqrt(s->mass[row] * s->mass[column]);
            }
        }
    }
    SN_TRY(sn_symmetric_eigen(m->mode_count, m->modes, m->eigenvalues));
    for (size_t i = 0; i < count * count; ++i) {
        m->modes[i] /= sqrt(s->mass[m->vertices[i % count]]);
    }
    return SN_OK;
}

static sn_result copy_fixed_modes(sn_spacetime_modal *m)
{
    const size_t fixed = (size_t)m->fixed_vertex_count, count = (size_t)m->mode_count;
    m->fixed_modes = SN_NEW(&m->arena, double, fixed *count);
    for (size_t i = 0; m->fixed_modes && i < fixed * count; ++i) {
        m->fixed_modes[i] = m->modes[i / fixed * count + (size_t)m->fixed[i % fixed]];
    }
    return m->fixed_modes ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_spacetime_modal_create(const sn_spacetime_system *system, sn_spacetime_modal **created)
{
    sn_spacetime_modal *m = sn_alloc(1, sizeof *m);
    sn_result result = SN_ERROR_MEMORY;
    if (m) {
        m->vertex_count = system->vertex_count;
        m->function_count = system->function_count;
        result = list_vertices(system, m);
    }
    if (result == SN_OK) {
        result = find_modes(system, m);
    }
    if (result == SN_OK) {
        result = copy_fixed_modes(m);
    }
    if (result == SN_OK) {
        const size_t square = (size_t)m->function_count * (size_t)m->function_count;
        m->inverses = SN_NEW(&m->arena, double, (size_t)m->mode_count *square);
        m->schur = SN_NEW(&m->arena, double, (size_t)m->constraint_count *(size_t)m->constraint_count);
        result = m->inverses && m->schur ? SN_OK : SN_ERROR_MEMORY;
    }
    if (result != SN_OK) {
        sn_spacetime_modal_destroy(&m);
    }
    *created = m;
    return result;
}

void sn_spacetime_modal_destroy(sn_spacetime_modal **modal)
{
    if (*modal) {
        sn_arena_finish(&(*modal)->arena);
        sn_free(*modal, 1, sizeof **modal);
        *modal = NULL;
    }
}

static sn_result invert_modes(sn_spacetime_modal *m, const sn_spacetime_system *s)
{
    const int count = m->function_count;
    const size_t square = (size_t)count * (size_t)count;
    sn_arena scratch = {0};
    double *k = SN_NEW(&scratch, double, square);
    sn_result result = k ? SN_OK : SN_ERROR_MEMORY;
    for (int mode = 0; mode < m->mode_count && result == SN_OK; ++mode) {
        const double lambda = m->eigenvalues[mode];
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j < count; ++j) {
                const size_t at = (size_t)(i * count + j), across = (size_t)(j * count + i);
                k[at] = s->p0[at] + lambda * (s->p1[at] + s->p1[across]) +
                        (s->regularisation + lambda * lambda) * s->p2[at];
            }
        }
        if (!sn_cholesky_factor(count, k)) {
            result = sn_fail_within(
                SN_ERROR_NUMERIC, "the spacetime system is not positive definite; use more samples, or regularisation");
        } else {
            sn_cholesky_invert(count, k, m->inverses + (size_t)mode * square);
        }
    }
    sn_arena_finish(&scratch);
    return result;
}

/* Computes products (held x held) of functions i and j: rows of Phi times K^-1_ij times rows of Phi. */
static void multiply_pair(const sn_spacetime_modal *m, int i, int j, double *scaled, double *products)
{
    const size_t fixed = (size_t)m->fixed_vertex_count, square = (size_t)m->function_count * (size_t)m->function_count;
    for (size_t k = 0; k < fixed * (size_t)m->mode_count; ++k) {
        scaled[k] = m->fixed_modes[k] * m->inverses[k / fixed * square + (size_t)(i * m->function_count + j)];
    }
    sn_dense_multiply(&(sn_gemm){.transpose_b = true,
                                 .m = m->fixed_vertex_count,
                                 .n = m->fixed_vertex_count,
                                 .k = m->mode_count,
                                 .alpha = 1,
                                 .a = scaled,
                                 .lda = m->fixed_vertex_count,
                                 .b = m->fixed_modes,
                                 .ldb = m->fixed_vertex_count,
                                 .c = products,
                                 .ldc = m->fixed_vertex_count});
}

static sn_result factor_constraints(sn_spacetime_modal *m)
{
    const size_t fixed = (size_t)m->fixed_vertex_count, count = (size_t)m->constraint_count;
    sn_arena scratch = {0};
    double *scaled = SN_NEW(&scratch, double, fixed *(size_t)m->mode_count);
    double *products = SN_NEW(&scratch, double, fixed *fixed);
    sn_result result = scaled && products ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < m->function_count && result == SN_OK; ++i) {
        for (int j = 0; j < m->function_count; ++j) {
            multiply_pair(m, i, j, scaled, products);
            for (size_t a = 0; a < count; ++a) {
                for (size_t b = 0; b < count && m->constraints[2 * a] == i; ++b) {
                    if (m->constraints[2 * b] == j) {
                        m->schur[b * count + a] =
                            products[(size_t)m->constraints[2 * b + 1] * fixed + (size_t)m->constraints[2 * a + 1]];
                    }
                }
            }
        }
    }
    if (result == SN_OK && !sn_dense_cholesky(m->constraint_count, m->schur)) {
        result = sn_fail_within(SN_ERROR_NUMERIC, "the fixed values of the spacetime system are not independent");
    }
    sn_arena_finish(&scratch);
    return result;
}

sn_result sn_spacetime_modal_factor(sn_spacetime_modal *modal, const sn_spacetime_system *system)
{
    const sn_result result = invert_modes(modal, system);
    return result == SN_OK && modal->constraint_count > 0 ? factor_constraints(modal) : result;
}

/* Solves one right-hand side in modal coordinates (function_count x mode_count) into x. */
static void solve_modes(const sn_spacetime_modal *m, const double *b, double *x)
{
    const size_t count = (size_t)m->function_count, modes = (size_t)m->mode_count;
    memset(x, 0, count * modes * sizeof *x);
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = 0; j < count; ++j) {
            for (size_t k = 0; k < modes; ++k) {
                x[i * modes + k] += m->inverses[(k * count + i) * count + j] * b[j * modes + k];
            }
        }
    }
}

/* Subtracts the constraint forces from b, given x = N^-1 b. The caller has to solve for x again. */
static void constrain(const sn_spacetime_modal *m, double *b, const double *x, double *fixed_values, double *forces)
{
    const size_t fixed = (size_t)m->fixed_vertex_count, modes = (size_t)m->mode_count;
    const sn_gemm rows = {.m = m->fixed_vertex_count,
                          .n = m->function_count,
                          .k = m->mode_count,
                          .alpha = 1,
                          .a = m->fixed_modes,
                          .lda = m->fixed_vertex_count,
                          .b = x,
                          .ldb = m->mode_count,
                          .c = fixed_values,
                          .ldc = m->fixed_vertex_count};
    sn_dense_multiply(&rows);
    for (int c = 0; c < m->constraint_count; ++c) {
        forces[c] = fixed_values[(size_t)m->constraints[2 * c] * fixed + (size_t)m->constraints[2 * c + 1]];
    }
    sn_dense_cholesky_solve(m->constraint_count, m->schur, 1, forces);
    memset(fixed_values, 0, fixed * (size_t)m->function_count * sizeof *fixed_values);
    for (int c = 0; c < m->constraint_count; ++c) {
        fixed_values[(size_t)m->constraints[2 * c] * fixed + (size_t)m->constraints[2 * c + 1]] = forces[c];
    }
    sn_dense_multiply(&(sn_gemm){.transpose_a = true,
                                 .m = (int)modes,
                                 .n = m->function_count,
                                 .k = m->fixed_vertex_count,
                                 .alpha = -1,
                                 .beta = 1,
                                 .a = m->fixed_modes,
                                 .lda = m->fixed_vertex_count,
                                 .b = fixed_values,
                                 .ldb = m->fixed_vertex_count,
                                 .c = b,
                                 .ldc = m->mode_count});
}

static void transform(const sn_spacetime_modal *m, bool is_inverse, int columns, const double *from, double *to)
{
    sn_dense_multiply(&(sn_gemm){.transpose_a = !is_inverse,
                                 .m = m->mode_count,
                                 .n = columns,
                                 .k = m->mode_count,
                                 .alpha = 1,
                                 .a = m->modes,
                                 .lda = m->mode_count,
                                 .b = from,
                                 .ldb = m->mode_count,
                                 .c = to,
                                 .ldc = m->mode_count});
}

sn_result sn_spacetime_modal_solve(const sn_spacetime_modal *m, int column_count, double *columns)
{
    const size_t n = (size_t)m->vertex_count, modes = (size_t)m->mode_count, count = (size_t)m->function_count;
    const size_t total_columns = (size_t)column_count * count;
    sn_arena scratch = {0};
    double *b = SN_NEW(&scratch, double, total_columns *modes), *x = SN_NEW(&scratch, double, total_columns *modes);
    double *fixed_values = SN_NEW(&scratch, double, (size_t)m->fixed_vertex_count *count);
    double *forces = SN_NEW(&scratch, double, m->constraint_count);
    if (!b || !x || !fixed_values || !forces) {
        sn_arena_finish(&scratch);
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < total_columns * modes; ++i) {
        const size_t v = (size_t)m->vertices[i % modes], column = i / modes;
        x[i] = m->is_free[column % count * n + v] ? columns[column * n + v] : 0;
    }
    memset(columns, 0, total_columns * n * sizeof *columns);
    if (modes > 0) {
        transform(m, false, (int)total_columns, x, b);
        for (size_t c = 0; c < (size_t)column_count; ++c) {
            solve_modes(m, b + c * count * modes, x + c * count * modes);
            if (m->constraint_count > 0) {
                constrain(m, b + c * count * modes, x + c * count * modes, fixed_values, forces);
                solve_modes(m, b + c * count * modes, x + c * count * modes);
            }
        }
        transform(m, true, (int)total_columns, x, b);
    }
    for (size_t i = 0; i < total_columns * modes; ++i) {
        const size_t v = (size_t)m->vertices[i % modes], column = i / modes;
        columns[column * n + v] = m->is_free[column % count * n + v] ? b[i] : 0;
    }
    sn_arena_finish(&scratch);
    return SN_OK;
}
