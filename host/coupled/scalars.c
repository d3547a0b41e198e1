/* SPDX-License-Identifier: MIT */
#include "host/coupled/scalars.h"

#include <string.h>

/* Regularisation of diagonals: relative to the entry, for handles that move the flesh in the same way (kept small,
 * since it loses momentum); and relative to the trace, for handles that affect no vertex. */
#define OWN_REGULARIZATION 1e-11
#define TRACE_REGULARIZATION 1e-13

void sn_coupled_subtract_product(const sn_coupled_body *body, const double *gram, const double *y, double *result)
{
    body->kernels->subtract_product(body->rig->basis_count, body->rig->dimension, gram, &body->rows, y, result);
}

/* [e_axis]x A. */
static inline void generate_rotation(const double *linear, int dimension, int axis, double *n)
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
    double rotation[9];
    int i, j;
    sn_coupled_symmetric_entry(dimension, entry, &i, &j);
    sn_quaternion_to_matrix(handle->rotation, rotation);
    for (int d = 0; d < dimension; ++d) {
        for (int e = 0; e < dimension; ++e) {
            n[dimension * d + e] = e == j ? rotation[3 * d + i] : e == i ? rotation[3 * d + j] : 0;
        }
    }
}

void sn_coupled_compute_generators(const sn_coupled_body *body, const sn_coupled_system *system, double *generators)
{
    const int dimension = body->rig->dimension;
    for (int s = 0; s < system->scalar_count; ++s) {
        const sn_coupled_scalar *scalar = &system->scalars[s];
        const sn_coupled_handle_state *handle = &body->handles[scalar->handle];
        double *n = generators + dimension * dimension * s;
        if (scalar->number >= 3) {
            generate_stretch(handle, dimension, scalar->number - 3, n);
        } else if (dimension == 3) {
            generate_rotation(handle->linear, 3, scalar->number, n);
        } else {
            generate_rotation(handle->linear, 2, 2, n);
        }
    }
}

/* N_s S' of scalar s against the columns of another handle: (dimension^2). */
static inline void multiply_reduced(const sn_coupled_system *system, int dimension, const double *n, int own, int other,
                                    double *product)
{
    const int columns = dimension * system->solved_count;
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
        const int solved = system->scalars[s].solved;
        bool is_linked = false;
        double product[9] = {0};
        for (int t = 0, last = -1; t <= s; ++t) {
            if (system->scalars[t].solved != last) {
                last = system->scalars[t].solved;
                is_linked = sn_coupled_are_linked(system, solved, last);
                if (is_linked) {
                    multiply_reduced(system, dimension, own, solved, last, product);
                }
            }
            if (is_linked) {
                body->matrix[sn_tiles_at(&system->tiles, s, t)] = dot(square, product, body->generators + square * t);
            }
        }
    }
}

static void assemble_rotations(sn_coupled_body *body, const sn_coupled_system *system)
{
    const int lane_stride = SN_TILE * system->group_count;
    for (int j = 0; j < system->solved_count; ++j) {
        for (int i = 0; i < 9; ++i) {
            body->linear[lane_stride * i + j] = body->handles[system->solved[j]].linear[i];
        }
    }
    body->kernels->couple_rotations(system, body->linear, body->matrix);
}

static inline void assemble_right(sn_coupled_body *body, const sn_coupled_system *system, int dimension)
{
    const int columns = dimension * system->solved_count;
    for (int s = 0; s < system->scalar_count; ++s) {
        const double *own = body->generators + dimension * dimension * s;
        double right = 0;
        for (int d = 0; d < dimension; ++d) {
            right += dot(dimension, own + dimension * d,
                         body->reduced_residual + columns * d + dimension * system->scalars[s].solved);
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
                const double *border = e->border + e->free_count * dimension * system->scalars[s].solved + f;
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
    if (system->is_rotation_only) {
        assemble_rotations(body, system);
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
                       const double *residual, double *free_solution, double *reduced_residual)
{
    const size_t count = (size_t)e->free_count, columns = (size_t)(rig->dimension * system->solved_count);
    memset(free_solution, 0, count * sizeof *free_solution);
    for (size_t i = 0; i < count; ++i) {
        const double factor = residual[e->free[i]], *row = e->inverse + count * i;
        for (size_t j = 0; j < count; ++j) {
            free_solution[j] += factor * row[j];
        }
    }
    for (size_t q = 0; q < columns; ++q) {
        double sum = residual[system->columns[q]];
        for (size_t i = 0; i < count; ++i) {
            sum -= e->transfer[count * q + i] * residual[e->free[i]];
        }
        reduced_residual[q] = sum;
    }
}

void sn_coupled_back_substitute(const sn_coupled_rig *rig, const sn_coupled_elimination *e,
                                const sn_coupled_system *system, const double *changed, double *free_solution)
{
    const size_t count = (size_t)e->free_count, columns = (size_t)(rig->dimension * system->solved_count);
    for (size_t q = 0; q < columns; ++q) {
        for (size_t i = 0; i < count; ++i) {
            free_solution[i] -= e->transfer[count * q + i] * changed[q];
        }
    }
}

void sn_coupled_update_residual(const sn_coupled_body *body, const sn_coupled_system *system, const double *changes,
                                double *reduced_residual)
{
    const int dimension = body->rig->dimension, columns = dimension * system->solved_count;
    for (int first = 0, last = 0; first < dimension;
         first = last) { /* axes that share a matrix are processed together */
        const sn_coupled_elimination *e = system->of_axis[first];
        while (last < dimension && system->of_axis[last] == e) {
            ++last;
        }
        body->kernels->subtract_product(columns, last - first, e->reduced, &e->rows, changes + columns * first,
                                        reduced_residual + columns * first);
    }
    for (int d = 0; d < dimension && system->border_count > 0; ++d) {
        const sn_coupled_elimination *e = system->of_axis[d];
        for (int f = 0; f < e->free_count; ++f) {
            double sum = 0;
            for (int q = 0; q < columns; ++q) {
                sum += e->border[e->free_count * q + f] * changes[columns * d + q];
            }
            for (int q = 0; q < columns; ++q) {
                reduced_residual[columns * d + q] += e->transfer[e->free_count * q + f] * sum;
            }
        }
    }
}

double sn_coupled_regularize(int count, size_t stride, double *matrix)
{
    double trace = 0;
    for (size_t i = 0; i < (size_t)count; ++i) {
        trace += matrix[(stride + 1) * i];
    }
    for (size_t i = 0; i < (size_t)count; ++i) {
        double *entry = &matrix[(stride + 1) * i];
        *entry += OWN_REGULARIZATION * *entry + TRACE_REGULARIZATION * trace;
    }
    return trace;
}

bool sn_coupled_solve(sn_coupled_body *body, const sn_coupled_system *system)
{
    sn_coupled_regularize(system->scalar_count, sn_tiles_stride(&system->tiles), body->matrix);
    return body->kernels->solve(&system->tiles, body->matrix, body->right);
}
