/* SPDX-License-Identifier: MIT */
#include "host/coupled/scalars.h"

#include <string.h>

/* Regularisation of diagonals: relative to the entry, for handles that move the flesh in the same way (kept small,
 * since it loses momentum); and relative to the trace, for handles that affect no vertex. */
#define LEAST_SHARE 1e-11
#define LEAST_OF_ALL 1e-13

void sn_coupled_subtract_product(const sn_coupled_body *body, const double *gram, const double *y, double *result)
{
    body->kernels->subtract_product(body->rig->basis_count, body->rig->dimension, gram, &body->rows, y, result);
}

/* [e_axis]x A. */
static inline void generate_turn(const double *linear, int dimension, int axis, double *n)
{
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    for (int e = 0; e < dimension; ++e) {
        n[dimension * a + e] = -linear[3 * b + e];
        n[dimension * b + e] = linear[3 * a + e];
        if (dimension == 3) {
            n[dimension * axis + e] = 0;
        }
    }
}

/* R E, with E's entries (i, j) and (j, i) one. */
static void generate_stretch(const sn_coupled_handle_state *handle, int dimension, int entry, double *n)
{
    double turn[9];
    int i, j;
    sn_coupled_entry(dimension, entry, &i, &j);
    sn_quaternion_to_matrix(handle->turn, turn);
    for (int d = 0; d < dimension; ++d) {
        for (int e = 0; e < dimension; ++e) {
            n[dimension * d + e] = e == j ? turn[3 * d + i] : e == i ? turn[3 * d + j] : 0;
        }
    }
}

void sn_coupled_generate(const sn_coupled_body *body, const sn_coupled_system *system, double *generators)
{
    const int dimension = body->rig->dimension;
    for (int s = 0; s < system->scalar_count; ++s) {
        const sn_coupled_scalar *scalar = &system->scalars[s];
        const sn_coupled_handle_state *handle = &body->handles[scalar->handle];
        double *n = generators + dimension * dimension * s;
        if (scalar->number >= 3) {
            generate_stretch(handle, dimension, scalar->number - 3, n);
        } else if (dimension == 3) {
            generate_turn(handle->linear, 3, scalar->number, n);
        } else {
            generate_turn(handle->linear, 2, 2, n);
        }
    }
}

/* N_s S' of scalar s against the columns of another handle: (dimension^2). */
static inline void multiply_reduced(const sn_coupled_system *system, int dimension, const double *n, int own, int other,
                                    double *product)
{
    const int columns = dimension * system->kept_count;
    for (int d = 0; d < dimension; ++d) {
        const double *reduced = system->of_axis[d]->reduced + columns * (dimension * own) + dimension * other;
        for (int f = 0; f < dimension; ++f) {
            double sum = n[dimension * d] * reduced[f];
            for (int e = 1; e < dimension; ++e) {
                sum += n[dimension * d + e] * reduced[columns * e + f];
            }
            product[dimension * d + f] = sum;
        }
    }
}

static inline double dot(int count, const double *a, const double *b)
{
    double sum = a[0] * b[0];
    for (int i = 1; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static inline void assemble(sn_coupled_body *body, const sn_coupled_system *system, int dimension)
{
    const int square = dimension * dimension;
    for (int s = 0; s < system->scalar_count; ++s) {
        const double *own = body->generators + square * s;
        const int kept = system->scalars[s].kept;
        bool is_linked = false;
        double product[9] = {0};
        for (int t = 0, last = -1; t <= s; ++t) {
            if (system->scalars[t].kept != last) {
                last = system->scalars[t].kept;
                is_linked = sn_coupled_are_linked(system, kept, last);
                if (is_linked) {
                    multiply_reduced(system, dimension, own, kept, last, product);
                }
            }
            if (is_linked) {
                body->matrix[sn_tiles_at(&system->tiles, s, t)] = dot(square, product, body->generators + square * t);
            }
        }
    }
}

static void assemble_turns(sn_coupled_body *body, const sn_coupled_system *system)
{
    const int room = SN_TILE * system->group_count;
    for (int j = 0; j < system->kept_count; ++j) {
        for (int i = 0; i < 9; ++i) {
            body->linear[room * i + j] = body->handles[system->kept[j]].linear[i];
        }
    }
    body->kernels->couple_turns(system, body->linear, body->matrix);
}

static inline void assemble_right(sn_coupled_body *body, const sn_coupled_system *system, int dimension)
{
    const int columns = dimension * system->kept_count;
    for (int s = 0; s < system->scalar_count; ++s) {
        const double *own = body->generators + dimension * dimension * s;
        double right = 0;
        for (int d = 0; d < dimension; ++d) {
            right +=
                dot(dimension, own + dimension * d, body->missing + columns * d + dimension * system->scalars[s].kept);
        }
        body->matrix[sn_tiles_at(&system->tiles, system->tiles.count, s)] = right;
    }
}

/* The free functions against the scalars, N S_QF, and against each other. Their right-hand side is 0, since
 * `reduced_residual` is already reduced. */
static inline void assemble_border(sn_coupled_body *body, const sn_coupled_system *system, int dimension)
{
    const sn_coupled_tiles *tiles = &system->tiles;
    int row = system->scalar_count;
    for (int d = 0; d < dimension && system->border_count > 0; ++d) {
        const sn_coupled_elimination *e = system->of_axis[d];
        for (int f = 0; f < e->free_count; ++f, ++row) {
            for (int s = 0; s < system->scalar_count; ++s) {
                const double *own = body->generators + dimension * (dimension * s + d);
                const double *border = e->border + e->free_count * dimension * system->scalars[s].kept + f;
                double sum = own[0] * border[0];
                for (int i = 1; i < dimension; ++i) {
                    sum += own[i] * border[e->free_count * i];
                }
                body->matrix[sn_tiles_at(tiles, row, s)] = sum;
            }
            for (int g = 0; g <= f; ++g) {
                body->matrix[sn_tiles_at(tiles, row, row - f + g)] = e->corner[e->free_count * f + g];
            }
        }
    }
}

static inline void assemble_all(sn_coupled_body *body, const sn_coupled_system *system, int dimension)
{
    if (system->is_turning) {
        assemble_turns(body, system);
    } else {
        body->kernels->clear(&system->tiles, body->matrix);
        assemble(body, system, dimension);
    }
    assemble_right(body, system, dimension);
    assemble_border(body, system, dimension);
}

void sn_coupled_assemble(sn_coupled_body *body, const sn_coupled_system *system)
{
    if (body->rig->dimension == 2) {
        assemble_all(body, system, 2);
    } else {
        assemble_all(body, system, 3);
    }
}

void sn_coupled_reduce(const sn_coupled_rig *rig, const sn_coupled_elimination *e, const sn_coupled_system *system,
                       const double *residual, double *found, double *missing)
{
    const size_t count = (size_t)e->free_count, columns = (size_t)(rig->dimension * system->kept_count);
    memset(found, 0, count * sizeof *found);
    for (size_t i = 0; i < count; ++i) {
        const double by = residual[e->free[i]], *row = e->inverse + count * i;
        for (size_t j = 0; j < count; ++j) {
            found[j] += by * row[j];
        }
    }
    for (size_t q = 0; q < columns; ++q) {
        double sum = residual[system->columns[q]];
        for (size_t i = 0; i < count; ++i) {
            sum -= e->carried[count * q + i] * residual[e->free[i]];
        }
        missing[q] = sum;
    }
}

void sn_coupled_restore(const sn_coupled_rig *rig, const sn_coupled_elimination *e, const sn_coupled_system *system,
                        const double *changed, double *found)
{
    const size_t count = (size_t)e->free_count, columns = (size_t)(rig->dimension * system->kept_count);
    for (size_t q = 0; q < columns; ++q) {
        for (size_t i = 0; i < count; ++i) {
            found[i] -= e->carried[count * q + i] * changed[q];
        }
    }
}

void sn_coupled_follow(const sn_coupled_body *body, const sn_coupled_system *system, const double *changes,
                       double *missing)
{
    const int dimension = body->rig->dimension, columns = dimension * system->kept_count;
    for (int first = 0, last = 0; first < dimension;
         first = last) { /* axes that share a matrix are processed together */
        const sn_coupled_elimination *e = system->of_axis[first];
        while (last < dimension && system->of_axis[last] == e) {
            ++last;
        }
        body->kernels->subtract_product(columns, last - first, e->reduced, &e->rows, changes + columns * first,
                                        missing + columns * first);
    }
    for (int d = 0; d < dimension && system->border_count > 0; ++d) {
        const sn_coupled_elimination *e = system->of_axis[d];
        for (int f = 0; f < e->free_count; ++f) {
            double sum = 0;
            for (int q = 0; q < columns; ++q) {
                sum += e->border[e->free_count * q + f] * changes[columns * d + q];
            }
            for (int q = 0; q < columns; ++q) {
                missing[columns * d + q] += e->carried[e->free_count * q + f] * sum;
            }
        }
    }
}

double sn_coupled_lift(int count, size_t stride, double *matrix)
{
    double trace = 0;
    for (size_t i = 0; i < (size_t)count; ++i) {
        trace += matrix[(stride + 1) * i];
    }
    for (size_t i = 0; i < (size_t)count; ++i) {
        double *entry = &matrix[(stride + 1) * i];
        *entry += LEAST_SHARE * *entry + LEAST_OF_ALL * trace;
    }
    return trace;
}

bool sn_coupled_solve(sn_coupled_body *body, const sn_coupled_system *system)
{
    sn_coupled_lift(system->scalar_count, sn_tiles_stride(&system->tiles), body->matrix);
    return body->kernels->solve(&system->tiles, body->matrix, body->right);
}
