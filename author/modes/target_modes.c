/* SPDX-License-Identifier: MIT */
/* Load-dependent Ritz vectors (Wilson, Yuan and Dickens 1982, Dynamic analysis by direct superposition of Ritz vectors)
 * of morph targets, as weights of skinning modes. A target that comes pushes flesh by the inertia of its displacements
 * e: w = P M e on each axis, P being the constrained inverse of the modes' problem (modes.c), is how flesh gives way.
 * Eigenmodes of a whole body know next to nothing of that. What they leave of it is reduced to the principal directions
 * of all fields, and these to the stationary ones of w^T H w, by Rayleigh and Ritz. With a load that is not static, P
 * of H + s M with s from 30 to 3000 at a diagonal of 1, flesh did the same to a hundredth. */
#include "author/modes/target_modes.h"

#include <math.h>
#include <string.h>

#include "author/modes/problem.h"
#include "author/modes/projection.h"
#include "author/modes/tall.h"

#define WIDEST 6           /* right-hand sides of a solve */
#define LEFT_OUT 0.05      /* of the squares of all responses: what modes may leave */
#define LEAST_SQUARE 1e-10 /* of a response's own: rounding */

typedef struct responses {
    const sn_mode_problem *problem;
    size_t size, count; /* 3 to a field */
    double *values;     /* (size x count) in x = M^1/2 w */
    double *modes;      /* (size x mode_count) those that there are, orthonormal */
    size_t mode_count;
    double square; /* of all responses, before the modes were taken out */
} responses;

/* M^1/2 e, and M^1/2 w of the modes. */
static void gather(const sn_mode_problem *p, const double *fields, const sn_modes *modes, const responses *r)
{
    for (size_t i = 0; i < r->size; ++i) {
        const size_t v = (size_t)p->unknowns.vertices[i];
        const double root = sqrt(p->unknowns.mass[i]);
        for (size_t c = 0; c < r->count; ++c) {
            r->values[c * r->size + i] = root * fields[v * r->count + c];
        }
        for (size_t j = 0; j < r->mode_count; ++j) {
            r->modes[j * r->size + i] = root * modes->weights[v * r->mode_count + j];
        }
    }
}

static sn_result solve(sn_arena *scratch, const responses *r)
{
    sn_projected_problem problem = {.size = (int)r->size, .constraints = r->problem->constraints};
    sn_projection op;
    double *solved = SN_NEW(scratch, double, WIDEST * r->size);
    sn_result result =
        solved ? sn_factor_create(&r->problem->matrix, "target modes", &problem.factor) : SN_ERROR_MEMORY;
    result = result == SN_OK ? sn_projection_init(&problem, WIDEST, scratch, &op) : result;
    for (size_t c = 0; c < r->count && result == SN_OK; c += WIDEST) {
        const size_t width = r->count - c < WIDEST ? r->count - c : WIDEST;
        result = sn_projection_apply(&op, (int)width, r->values + c * r->size, solved);
        memcpy(r->values + c * r->size, solved, width * r->size * sizeof *solved);
    }
    sn_factor_destroy(&problem.factor);
    return result;
}

static double square_of(const double *x, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        sum += x[i] * x[i];
    }
    return sum;
}

/* Each field's response as long as the field is important; then what the modes leave of it. */
static sn_result leave_modes(const double *importance, sn_arena *scratch, responses *r)
{
    double *products = SN_NEW(scratch, double, SN_TALL_PROJECTED * r->count);
    if (!products) {
        return SN_ERROR_MEMORY;
    }
    for (size_t c = 0; c < r->count; c += 3) {
        double *columns = r->values + c * r->size;
        const double square = square_of(columns, 3 * r->size), wanted = importance[c / 3];
        for (size_t i = 0; i < 3 * r->size; ++i) {
            columns[i] *= square > 0 ? wanted / sqrt(square) : 0;
        }
        r->square += square > 0 ? wanted * wanted : 0;
    }
    for (int pass = 0; pass < 2; ++pass) { /* twice, for rounding */
        sn_tall_project_out(r->size, r->mode_count, r->modes, r->count, products, r->values);
    }
    return SN_OK;
}

/* How many of the principal directions, with squares ascending. */
static int count_main(const responses *r, const double *squares, int most)
{
    double left = 0;
    int count = 0;
    for (size_t i = 0; i < r->count; ++i) {
        left += fmax(0, squares[i]);
    }
    while (count < most && left > LEFT_OUT * r->square &&
           squares[r->count - 1 - (size_t)count] > LEAST_SQUARE * r->square) {
        left -= squares[r->count - 1 - (size_t)count++];
    }
    return count;
}

/* directions (size x *count): orthonormal, the longest of what is left first. */
static sn_result find_directions(const responses *r, int most, sn_arena *scratch, double **directions, int *count)
{
    const int size = (int)r->size, columns = (int)r->count;
    double *gram = SN_NEW(scratch, double, r->count * r->count), *squares = SN_NEW(scratch, double, r->count);
    if (!gram || !squares) {
        return SN_ERROR_MEMORY;
    }
    sn_dense_gram(r->values, r->values, size, columns, gram);
    const sn_result result = sn_symmetric_eigen(columns, gram, squares);
    *count = result == SN_OK ? count_main(r, squares, most) : 0;
    *directions = SN_NEW(scratch, double, r->size *(size_t)*count);
    if (result != SN_OK || !*directions) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    for (int i = 0; i < *count; ++i) {
        double *to = *directions + (size_t)i * r->size;
        const int from = columns - 1 - i;
        sn_dense_product(r->values, size, columns, gram + (size_t)from * r->count, 1, to);
        const double length = sqrt(square_of(to, r->size));
        for (size_t k = 0; k < r->size; ++k) {
            to[k] /= length;
        }
    }
    return SN_OK;
}

/* y = K x */
static void apply_matrix(const sn_sparse *k, const double *x, double *y)
{
    memset(y, 0, (size_t)k->size * sizeof *y);
    for (int j = 0; j < k->size; ++j) {
        for (int32_t at = k->column_starts[j]; at < k->column_starts[j + 1]; ++at) {
            const int i = k->rows[at];
            y[i] += k->values[at] * x[j];
            y[j] += i != j ? k->values[at] * x[i] : 0;
        }
    }
}

/* By energy: sorted (size x count) spans the directions, energies (count) ascending. */
static sn_result sort_by_energy(const responses *r, const double *directions, int count, sn_arena *scratch,
                                double *energies, double *sorted)
{
    double *gram = SN_NEW(scratch, double, (size_t)count *(size_t)count);
    if (!gram) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < (size_t)count; ++i) { /* `sorted` holds K times the directions, for now */
        apply_matrix(&r->problem->matrix, directions + i * r->size, sorted + i * r->size);
    }
    sn_dense_gram(directions, sorted, (int)r->size, count, gram);
    const sn_result result = sn_symmetric_eigen(count, gram, energies);
    sn_dense_product(directions, (int)r->size, count, gram, count, sorted);
    for (int i = 0; i < count; ++i) {
        energies[i] = fmax(0, (energies[i] - 1) / r->problem->unit);
    }
    return result;
}

static void copy_mode(const sn_modes *from, size_t mode, int vertex_count, const sn_modes *to, size_t at)
{
    for (size_t v = 0; v < (size_t)vertex_count; ++v) {
        to->weights[v * (size_t)to->mode_count + at] = from->weights[v * (size_t)from->mode_count + mode];
    }
    to->eigenvalues[at] = from->eigenvalues[mode];
    to->is_target[at] = from->is_target && from->is_target[mode];
}

static sn_result merge(const sn_mode_problem *p, const double *columns, const double *energies, int count,
                       sn_arena *arena, sn_modes *modes)
{
    const size_t before = (size_t)modes->mode_count, all = before + (size_t)count;
    const sn_modes merged = {.mode_count = (int)all,
                             .eigenvalues = SN_NEW(arena, double, all),
                             .weights = SN_NEW(arena, double, (size_t)p->vertex_count *all),
                             .is_target = SN_NEW(arena, bool, all),
                             .hessian = modes->hessian};
    if (!merged.eigenvalues || !merged.weights || !merged.is_target) {
        return SN_ERROR_MEMORY;
    }
    for (size_t at = 0, mode = 0, added = 0; at < all; ++at) {
        if (mode < before && (added == (size_t)count || modes->eigenvalues[mode] <= energies[added])) {
            copy_mode(modes, mode++, p->vertex_count, &merged, at);
        } else {
            merged.eigenvalues[at] = energies[added];
            merged.is_target[at] = true;
            sn_mode_write(p, columns + added++ * p->unknowns.count, &merged, (int)at);
        }
    }
    *modes = merged;
    return SN_OK;
}

static sn_result add(const sn_mode_problem *p, const sn_target_modes_input *in, sn_arena *scratch, sn_arena *arena,
                     sn_modes *modes)
{
    responses r = {.problem = p,
                   .size = p->unknowns.count,
                   .count = 3 * (size_t)in->field_count,
                   .mode_count = (size_t)modes->mode_count};
    double *directions = NULL, *energies = SN_NEW(scratch, double, in->most);
    int count = 0;
    r.values = SN_NEW(scratch, double, r.size *r.count);
    r.modes = SN_NEW(scratch, double, r.size *r.mode_count);
    if (!r.values || !r.modes || !energies) {
        return SN_ERROR_MEMORY;
    }
    gather(p, in->fields, modes, &r);
    sn_result result = solve(scratch, &r);
    result = result == SN_OK ? leave_modes(in->importance, scratch, &r) : result;
    result = result == SN_OK ? find_directions(&r, in->most, scratch, &directions, &count) : result;
    if (result != SN_OK || count == 0) {
        return result;
    }
    double *sorted = SN_NEW(scratch, double, r.size *(size_t)count);
    result = sorted ? sort_by_energy(&r, directions, count, scratch, energies, sorted) : SN_ERROR_MEMORY;
    return result == SN_OK ? merge(p, sorted, energies, count, arena, modes) : result;
}

sn_result sn_modes_add_targets(const sn_target_modes_input *in, const sn_constraint *constraint, sn_arena *arena,
                               sn_modes *modes)
{
    const sn_mode_elements e = {.mesh = in->mesh, .volumes = in->volumes, .hessian = &modes->hessian};
    sn_arena scratch = {0};
    sn_mode_problem problem = {0};
    sn_result result = sn_mode_problem_build(&e, in->mass, constraint, &scratch, &problem);
    if (result == SN_OK && in->most > 0 && in->field_count > 0) {
        result = add(&problem, in, &scratch, arena, modes);
    }
    sn_arena_finish(&scratch);
    return result;
}
