/* SPDX-License-Identifier: MIT */
#include "author/modes/reduced/added_modes.h"

#include <math.h>

#include "author/modes/eigen/tall_skinny_gemm.h"

#define MIN_SQUARE 1e-10 /* relative to the squared norm of all columns; below is rounding */

/* Projects the columns onto the complement of the modes. */
static sn_result project_out_modes(const sn_mode_problem *p, const sn_modes *modes, sn_arena *scratch,
                                   const sn_added_columns *r)
{
    const size_t size = p->unknowns.count, mode_count = (size_t)modes->mode_count;
    double *products = SN_NEW(scratch, double, SN_TALL_SKINNY_BATCH * r->count);
    double *basis = SN_NEW(scratch, double, size *mode_count);
    if (!products || !basis) {
        return SN_ERROR_MEMORY;
    }
    sn_modes_to_unknowns(p, modes, basis);
    for (int pass = 0; pass < 2; ++pass) { /* twice, to limit rounding errors */
        sn_tall_skinny_project_out(size, mode_count, basis, r->count, products, r->values);
    }
    return SN_OK;
}

void sn_modes_to_unknowns(const sn_mode_problem *p, const sn_modes *modes, double *x)
{
    for (size_t i = 0; i < p->unknowns.count; ++i) {
        const size_t v = (size_t)p->unknowns.vertices[i];
        const double root = sqrt(p->unknowns.mass[i]);
        for (size_t j = 0; j < (size_t)modes->mode_count; ++j) {
            x[j * p->unknowns.count + i] = root * modes->weights[v * (size_t)modes->mode_count + j];
        }
    }
}

/* Number of significant principal directions, given their squares in ascending order. */
static int count_significant(const sn_added_columns *r, const double *squares, int max_count)
{
    double unexplained = 0;
    int count = 0;
    for (size_t i = 0; i < r->count; ++i) {
        unexplained += fmax(0, squares[i]);
    }
    while (count < max_count && unexplained > r->max_unexplained * r->square &&
           squares[r->count - 1 - (size_t)count] > MIN_SQUARE * r->square) {
        unexplained -= squares[r->count - 1 - (size_t)count++];
    }
    return count;
}

/* directions (size x *count): orthonormal principal directions, the largest first. */
static sn_result find_directions(const sn_added_columns *r, size_t height, sn_arena *scratch, double **directions,
                                 int *count)
{
    const int size = (int)height, columns = (int)r->count;
    double *gram = SN_NEW(scratch, double, r->count * r->count), *squares = SN_NEW(scratch, double, r->count);
    if (!gram || !squares) {
        return SN_ERROR_MEMORY;
    }
    sn_dense_gram(r->values, r->values, size, columns, gram);
    const sn_result result = sn_symmetric_eigen(columns, gram, squares);
    *count = result == SN_OK ? count_significant(r, squares, r->max_count) : 0;
    *directions = SN_NEW(scratch, double, height *(size_t)*count);
    if (result != SN_OK || !*directions) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    for (int i = 0; i < *count; ++i) {
        double *to = *directions + (size_t)i * height;
        const int from = columns - 1 - i;
        sn_dense_product(r->values, size, columns, gram + (size_t)from * r->count, 1, to);
        const double length = sqrt(sn_dense_dot(height, to, to));
        for (size_t k = 0; k < height; ++k) {
            to[k] /= length;
        }
    }
    return SN_OK;
}

/* Rayleigh-Ritz: sorted (size x count) spans the directions, energies (count) ascending. */
static sn_result sort_by_energy(const sn_mode_problem *p, const double *directions, int count, sn_arena *scratch,
                                double *energies, double *sorted)
{
    const size_t size = p->unknowns.count;
    double *gram = SN_NEW(scratch, double, (size_t)count *(size_t)count);
    if (!gram) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < (size_t)count; ++i) { /* `sorted` temporarily holds K times the directions */
        sn_sparse_multiply(&p->matrix, directions + i * size, sorted + i * size);
    }
    sn_dense_gram(directions, sorted, (int)size, count, gram);
    const sn_result result = sn_symmetric_eigen(count, gram, energies);
    sn_dense_product(directions, (int)size, count, gram, count, sorted);
    for (int i = 0; i < count; ++i) {
        energies[i] = fmax(0, (energies[i] - 1) / p->unit);
    }
    return result;
}

static void copy_mode(const sn_modes *from, size_t mode, int vertex_count, const sn_modes *to, size_t at)
{
    for (size_t v = 0; v < (size_t)vertex_count; ++v) {
        to->weights[v * (size_t)to->mode_count + at] = from->weights[v * (size_t)from->mode_count + mode];
    }
    to->eigenvalues[at] = from->eigenvalues[mode];
    if (to->is_target) {
        to->is_target[at] = from->is_target && from->is_target[mode];
    }
}

static sn_result merge(const sn_mode_problem *p, const double *columns, const double *energies, int count,
                       bool is_target, sn_arena *arena, sn_modes *modes)
{
    const size_t previous_count = (size_t)modes->mode_count, all = previous_count + (size_t)count;
    const bool has_targets = is_target || modes->is_target;
    const sn_modes merged = {.mode_count = (int)all,
                             .eigenvalues = SN_NEW(arena, double, all),
                             .weights = SN_NEW(arena, double, (size_t)p->vertex_count *all),
                             .is_target = has_targets ? SN_NEW(arena, bool, all) : NULL,
                             .hessian = modes->hessian};
    if (!merged.eigenvalues || !merged.weights || (has_targets && !merged.is_target)) {
        return SN_ERROR_MEMORY;
    }
    for (size_t at = 0, mode = 0, added = 0; at < all; ++at) {
        if (mode < previous_count && (added == (size_t)count || modes->eigenvalues[mode] <= energies[added])) {
            copy_mode(modes, mode++, p->vertex_count, &merged, at);
        } else {
            merged.eigenvalues[at] = energies[added];
            if (has_targets) {
                merged.is_target[at] = is_target;
            }
            sn_mode_write(p, columns + added++ * p->unknowns.count, &merged, (int)at);
        }
    }
    *modes = merged;
    return SN_OK;
}

sn_result sn_modes_add_columns(const sn_mode_problem *p, const sn_added_columns *added, sn_arena *scratch,
                               sn_arena *arena, sn_modes *modes)
{
    double *directions = NULL, *energies = SN_NEW(scratch, double, added->max_count);
    int count = 0;
    sn_result result = energies ? project_out_modes(p, modes, scratch, added) : SN_ERROR_MEMORY;
    result = result == SN_OK ? find_directions(added, p->unknowns.count, scratch, &directions, &count) : result;
    if (result != SN_OK || count == 0) {
        return result;
    }
    double *sorted = SN_NEW(scratch, double, p->unknowns.count *(size_t)count);
    result = sorted ? sort_by_energy(p, directions, count, scratch, energies, sorted) : SN_ERROR_MEMORY;
    const double energy_scale = result == SN_OK && energies[0] > 0 ? fmax(1, added->min_energy / energies[0]) : 1;
    for (int i = 0; i < count; ++i) {
        energies[i] *= energy_scale;
    }
    return result == SN_OK ? merge(p, sorted, energies, count, added->is_target, arena, modes) : result;
}
