/* SPDX-License-Identifier: MIT */
/* Minimizes sum_j w_j^T K w_j / 2, K = L M^-1 L, with every row in the simplex and the rows of pinned vertices fixed:
 * equation 2 under 3 to 6. The paper replaces the sum constraint by a final normalization; here it is exact. The paper
 * uses a general solver; this is the alternating direction method (Boyd et al. 2011, sections 3.4.3 and 5.2) in
 * Douglas-Rachford form, where one array v stores the iterate and the multiplier:
 *   z = projection of the rows of v to the simplex
 *   w = the minimizer of sum_j w_j^T K w_j / 2 + |w - (2 z - v)|^2_D / 2
 *   v = v + 1.6 (w - z)
 * K + D is factored once, in float. Each solve corrects w by its own residual in double, so rounding does not
 * accumulate. D is diagonal: M times a penalty proportional to distance^-4 to the pins, which matches how K scales with
 * wavelength; a uniform penalty needs two to three times the iterations. The result is the projection of w; the
 * projection of v has kinks. Rows of v always sum to one, so the last column needs no solve. */
#include "author/weights/bounded_biharmonic.h"

#include <math.h>
#include <string.h>

#include "author/weights/bilaplacian.h"
#include "author/weights/pin_distances.h"

#define RELAXATION 1.6
#define PENALTY 10.0        /* times s^-4, with s^2 = distance^2 + (NEAREST * mean distance)^2 */
#define DISTANCE_OFFSET 0.1 /* lower values slow convergence between the handles, higher values near them */
#define MAX_ITERATIONS 60   /* 8 to 20 are usual */
#define ENERGY_CHANGE                                                                                                  \
    5e-4 /* relative energy change of an iteration at which the solver stops; the remaining error is about ten times   \
            larger */
#define MAX_VIOLATION 3e-3 /* root mean square violation at which the solver stops */
#define MIN_FLOAT_SIZE                                                                                                 \
    1000 /* free vertices; smaller systems use double, which also keeps mirrored meshes exactly symmetric */
#define MAX_ROUNDING 1e-2       /* max. relative error of a float solution, which the next solve corrects */
#define NEGLIGIBLE_ENERGY 1e-12 /* fraction of the initial energy that counts as rounding error */

typedef struct solver {
    const sn_bounded_biharmonic_input *in;
    sn_simplices mesh;
    sn_symmetric_rows laplacian;
    sn_handle_pins pins;
    size_t width;    /* handle count */
    double *weights; /* (vertex_count x width) w, projected after each iteration */
    double *state;   /* (vertex_count x width) v */
    double *shifts; /* (vertex_count) amount that the simplex projection subtracts from the positive entries of a row of
                       v */
    double *distances;   /* (vertex_count) to the pins */
    double *penalties;   /* (vertex_count) D */
    int32_t *free_index; /* (vertex_count) -1: pinned */
    sn_sparse system;    /* (K + D) / unit over the free vertices */
    double unit;         /* largest entry of the system, so that all entries fit into float */
    sn_factor *factor;
    double *curvature; /* (vertex_count x width) M^-1 L w */
    double *block;     /* (free vertices x (width - 1)) */
    double first_energy, energy, change;
    double violation;
    int iteration_count;
} solver;

/* Returns the shift t for which max(row - t, 0) sums to one. Entries that become zero are excluded from the mean until
 * all remaining ones stay positive (Michelot 1986). */
static double simplex_shift(const double *row, size_t width)
{
    double shift = -INFINITY, previous;
    do {
        double sum = 0, count = 0;
        previous = shift;
        for (size_t j = 0; j < width; ++j) {
            const bool is_positive = row[j] > previous;
            sum += is_positive ? row[j] : 0;
            count += is_positive;
        }
        shift = (sum - 1) / count;
    } while (shift > previous);
    return shift;
}

/* ---- setup ---- */

static bool start_solver(solver *s, sn_arena *arena)
{
    const size_t n = (size_t)s->mesh.vertex_count;
    s->state = sn_arena_alloc(arena, n, s->width * sizeof(double));
    s->curvature = sn_arena_alloc(arena, n, s->width * sizeof(double));
    s->block = sn_arena_alloc(arena, (size_t)s->pins.free_count, s->width * sizeof(double));
    s->shifts = SN_NEW(arena, double, n);
    s->distances = SN_NEW(arena, double, n);
    s->penalties = SN_NEW(arena, double, n);
    s->free_index = SN_NEW(arena, int32_t, n);
    return s->state && s->curvature && s->block && s->shifts && s->distances && s->penalties && s->free_index;
}

static void set_penalties(const solver *s)
{
    double mass = 0, moment = 0;
    int32_t free_count = 0;
    for (int v = 0; v < s->mesh.vertex_count; ++v) {
        s->free_index[v] = s->pins.is_pinned[v] ? -1 : free_count++;
        mass += s->pins.is_pinned[v] ? 0 : s->mesh.mass[v];
        moment += s->mesh.mass[v] * s->distances[v];
    }
    const double offset = DISTANCE_OFFSET * moment / mass;
    for (int v = 0; v < s->mesh.vertex_count; ++v) {
        const double square = s->distances[v] * s->distances[v] + offset * offset;
        s->penalties[v] = PENALTY * s->mesh.mass[v] / (square * square);
    }
}

static void set_unit(solver *s)
{
    const int32_t count = s->system.column_starts[s->system.size];
    s->unit = 0;
    for (int32_t i = 0; i < count; ++i) {
        s->unit = fmax(s->unit, s->system.values[i]);
    }
    for (int32_t i = 0; i < count; ++i) {
        s->system.values[i] /= s->unit;
    }
}

static double measure_energy(const solver *s)
{
    return sn_bilaplacian_energy(&s->laplacian, s->mesh.mass, s->in->handles.count, s->weights, s->curvature);
}

static sn_result prepare(solver *s, sn_arena *arena)
{
    if (!start_solver(s, arena)) {
        return SN_ERROR_MEMORY;
    }
    sn_result result =
        sn_pin_distances(&s->mesh, &s->laplacian, s->pins.is_pinned, s->in->handles.count, s->distances, s->weights);
    if (result == SN_OK) {
        memcpy(s->state, s->weights, (size_t)s->mesh.vertex_count * s->width * sizeof(double));
        set_penalties(s);
        result = sn_bilaplacian_build(&s->laplacian, s->mesh.mass, s->free_index, s->penalties, arena, &s->system);
    }
    if (result != SN_OK) {
        return result;
    }
    set_unit(s);
    s->first_energy = measure_energy(s);
    return s->pins.free_count < MIN_FLOAT_SIZE ? sn_factor_create(&s->system, "weights", &s->factor)
                                               : sn_factor_create_f32(&s->system, "weights", &s->factor);
}

/* ---- iteration ---- */

static double projected_state(const solver *s, size_t v, size_t j)
{
    return fmax(s->state[v * s->width + j] - s->shifts[v], 0);
}

/* (D (2 z - v - w) - K w) / unit for the free vertices. */
static void fill_residuals(const solver *s)
{
    const size_t last = s->width - 1;
    double *row = s->block; /* a row of K w has one more column, which overwrites the start of the next row before that
                               is filled */
    for (size_t v = 0; v < (size_t)s->mesh.vertex_count; ++v) {
        if (s->free_index[v] < 0) {
            continue;
        }
        sn_bilaplacian_row(&s->laplacian, (int)v, (int)s->width, s->curvature, row);
        for (size_t j = 0; j < last; ++j) {
            const size_t i = v * s->width + j;
            const double pull = s->penalties[v] * (2 * projected_state(s, v, j) - s->state[i] - s->weights[i]);
            row[j] = (pull - row[j]) / s->unit;
        }
        row += last;
    }
}

/* w += block; the last column is set so that rows sum to one. */
static void move_weights(const solver *s)
{
    const size_t last = s->width - 1;
    const double *change = s->block;
    for (size_t v = 0; v < (size_t)s->mesh.vertex_count; ++v) {
        double *row = s->weights + v * s->width, remaining = 1;
        if (s->free_index[v] < 0) {
            continue;
        }
        for (size_t j = 0; j < last; ++j) {
            row[j] += change[j];
            remaining -= row[j];
        }
        row[last] = remaining;
        change += last;
    }
}

static double square_of_block(const solver *s)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)s->pins.free_count * (s->width - 1); ++i) {
        sum += s->block[i] * s->block[i];
    }
    return sum;
}

/* Moves w to the minimizer. */
static sn_result solve_weights(const solver *s)
{
    fill_residuals(s);
    SN_TRY(sn_factor_solve_rows(s->factor, (int)s->width - 1, s->block));
    move_weights(s);
    return SN_OK;
}

/* The first minimizer. In float, a second solve measures the error; if it is too large, the system is factored in
 * double. */
static sn_result solve_first(solver *s)
{
    sn_result result = solve_weights(s);
    if (result != SN_OK || !sn_factor_is_f32(s->factor)) {
        return result;
    }
    const double change2 = square_of_block(s);
    measure_energy(s);
    result = solve_weights(s);
    if (result == SN_OK && square_of_block(s) > MAX_ROUNDING * MAX_ROUNDING * change2) {
        sn_factor_destroy(&s->factor);
        result = sn_factor_create(&s->system, "weights", &s->factor);
        measure_energy(s);
        result = result == SN_OK ? solve_weights(s) : result;
    }
    return result;
}

/* Updates a row of v and projects the row of w. Returns the squared distance of the projection. */
static double finish_row(const solver *s, size_t v, double relaxation)
{
    double *row = s->weights + v * s->width, *state = s->state + v * s->width, square = 0;
    for (size_t j = 0; j < s->width; ++j) {
        state[j] += relaxation * (row[j] - projected_state(s, v, j));
    }
    const double shift = simplex_shift(row, s->width);
    for (size_t j = 0; j < s->width; ++j) {
        const double previous = row[j];
        row[j] = fmin(fmax(previous - shift, 0), 1);
        square += (row[j] - previous) * (row[j] - previous);
    }
    return square;
}

static sn_result iterate(solver *s)
{
    for (size_t v = 0; v < (size_t)s->mesh.vertex_count; ++v) {
        s->shifts[v] = simplex_shift(s->state + v * s->width, s->width);
    }
    const sn_result result = s->iteration_count == 0 ? solve_first(s) : solve_weights(s);
    if (result != SN_OK) {
        return result;
    }
    /* the first state is piecewise constant; over-relaxation would leave 0.6 of its steps */
    const double relaxation = s->iteration_count == 0 ? 1 : RELAXATION, previous = s->energy;
    double square = 0, mass = 0;
    for (size_t v = 0; v < (size_t)s->mesh.vertex_count; ++v) {
        if (s->free_index[v] >= 0) {
            square += s->mesh.mass[v] * finish_row(s, v, relaxation);
            mass += s->mesh.mass[v];
        }
    }
    s->iteration_count++;
    s->violation = sqrt(square / mass);
    s->energy = measure_energy(s);
    s->change = fabs(s->energy - previous);
    return SN_OK;
}

static bool is_done(const solver *s)
{
    const bool is_converged = s->change <= ENERGY_CHANGE * s->energy + NEGLIGIBLE_ENERGY * s->first_energy;
    return s->iteration_count > 0 &&
           ((is_converged && s->violation <= MAX_VIOLATION) || s->iteration_count == MAX_ITERATIONS);
}

static sn_result check_cancelled(const sn_bounded_biharmonic_input *in)
{
    return in->is_cancelled && in->is_cancelled(in->cancel_user)
               ? sn_fail(SN_ERROR_CANCELLED, "%s: cancelled while computing weights", in->name)
               : SN_OK;
}

static sn_result solve_free(solver *s, sn_arena *arena)
{
    sn_result result = check_cancelled(s->in);
    if (result == SN_OK) {
        result = prepare(s, arena);
    }
    while (result == SN_OK && !is_done(s)) {
        result = check_cancelled(s->in);
        result = result == SN_OK ? iterate(s) : result;
    }
    sn_factor_destroy(&s->factor);
    if (result == SN_OK && !(s->energy < INFINITY)) {
        result = sn_fail(SN_ERROR_NUMERIC, "%s: the weights are not finite", s->in->name);
    }
    return result;
}

static sn_result run(solver *s, sn_arena *arena)
{
    const sn_bounded_biharmonic_input *in = s->in;
    SN_TRY(sn_simplices_build(in->tets, in->triangles, in->name, arena, &s->mesh));
    SN_TRY(sn_simplices_laplacian(&s->mesh, arena, &s->laplacian));
    SN_TRY(sn_handle_pins_find(&s->mesh, &s->laplacian, &in->handles, in->name, arena, s->weights, &s->pins));
    if (s->pins.free_count > 0) {
        SN_TRY(solve_free(s, arena));
    }
    return SN_OK;
}

sn_result sn_bounded_biharmonic(const sn_bounded_biharmonic_input *input, double *weights,
                                sn_bounded_biharmonic_report *report)
{
    sn_arena arena = {0};
    solver s = {.in = input, .weights = weights, .width = input->handles.count > 0 ? (size_t)input->handles.count : 0};
    const sn_result result = run(&s, &arena);
    *report = (sn_bounded_biharmonic_report){.iteration_count = s.iteration_count,
                                             .pinned_count = s.mesh.vertex_count - s.pins.free_count,
                                             .component_count = s.pins.unreached_count,
                                             .energy = s.energy,
                                             .violation = s.violation};
    sn_arena_finish(&arena);
    return result;
}
