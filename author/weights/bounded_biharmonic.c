/* SPDX-License-Identifier: MIT */
/* Minimises sum_j w_j^T K w_j / 2, K = L M^-1 L, over rows in the simplex, with the rows of pinned vertices given:
 * equation 2 under 3 to 6, whose sum the paper drops in favour of a division at the end. The paper leaves it to a
 * general solver; here it is the alternating direction method (Boyd et al. 2011, sections 3.4.3 and 5.2) in
 * Douglas-Rachford form, in which one array v holds the iterate and the multiplier:
 *   z = projection of the rows of v to the simplex
 *   w = the minimiser of sum_j w_j^T K w_j / 2 + |w - (2 z - v)|^2_D / 2
 *   v = v + 1.6 (w - z)
 * K + D is factored once, in float: w moves by what its own residual, in double, asks for, so that rounding does not
 * add up. D is diagonal: M times a penalty that falls with the fourth power of the distance to the pins, which is what
 * K does with the length of a wave. One penalty for all vertices needs two to three times the iterations. The result is
 * the projection of w: that of v has rough kinks, and many times the energy until the last iterations. Anderson
 * acceleration gained nothing here. Rows of v sum to one by themselves, so that the last column needs no solve. */
#include "author/weights/bounded_biharmonic.h"

#include <math.h>
#include <string.h>

#include "author/weights/bilaplacian.h"
#include "author/weights/pin_reach.h"

#define RELAXATION 1.6
#define PENALTY 10.0        /* times s^-4, with s^2 = distance^2 + (NEAREST mean distance)^2 */
#define NEAREST 0.1         /* lower lets waves between the handles converge slowly, higher those at them */
#define MOST_ITERATIONS 60  /* 8 to 20 are usual */
#define ENERGY_CHANGE 5e-4  /* of an iteration, relative, when it stops: the rest is some ten times that */
#define MOST_VIOLATION 3e-3 /* when it stops */
#define LEAST_FLOAT 1000   /* free vertices; fewer take no time in double, and mirrored meshes mirror weights exactly */
#define MOST_ROUNDING 1e-2 /* of a solution, where float is good enough: the next one corrects it */
#define VANISHED 1e-12     /* of what the energy would be with steps between the handles: rounding */

typedef struct solver {
    const sn_bounded_biharmonic_input *in;
    sn_simplices mesh;
    sn_symmetric_rows laplacian;
    sn_handle_pins pins;
    size_t width;        /* handle count */
    double *weights;     /* (vertex_count x width) w, then projected */
    double *state;       /* (vertex_count x width) v */
    double *shifts;      /* (vertex_count) what the projection takes off the entries of a row of v that stay positive */
    double *distances;   /* (vertex_count) to the pins */
    double *penalties;   /* (vertex_count) D */
    int32_t *free_index; /* (vertex_count) -1: pinned */
    sn_sparse system;    /* (K + D) / unit over the free vertices */
    double unit;         /* its largest entry, so that none leaves the range of float */
    sn_factor *factor;
    double *curvature; /* (vertex_count x width) M^-1 L w */
    double *block;     /* (free vertices x (width - 1)) */
    double first_energy, energy, change;
    double violation;
    int iteration_count;
} solver;

/* The shift t for which max(row - t, 0) sums to one: entries that fall to zero leave the mean until all that are left
 * stay positive (Michelot 1986). */
static double simplex_shift(const double *row, size_t width)
{
    double shift = -INFINITY, former;
    do {
        double sum = 0, count = 0;
        former = shift;
        for (size_t j = 0; j < width; ++j) {
            const bool is_left = row[j] > former;
            sum += is_left ? row[j] : 0;
            count += is_left;
        }
        shift = (sum - 1) / count;
    } while (shift > former);
    return shift;
}

/* ---- set-up ---- */

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
    const double nearest = NEAREST * moment / mass;
    for (int v = 0; v < s->mesh.vertex_count; ++v) {
        const double square = s->distances[v] * s->distances[v] + nearest * nearest;
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
        sn_pin_reach(&s->mesh, &s->laplacian, s->pins.is_pinned, s->in->handles.count, s->distances, s->weights);
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
    return s->pins.free_count < LEAST_FLOAT ? sn_factor_create(&s->system, "weights", &s->factor)
                                            : sn_factor_create_f32(&s->system, "weights", &s->factor);
}

/* ---- an iteration ---- */

static double projected(const solver *s, size_t v, size_t j)
{
    return fmax(s->state[v * s->width + j] - s->shifts[v], 0);
}

/* (D (2 z - v - w) - K w) / unit for the free vertices. */
static void fill_residuals(const solver *s)
{
    const size_t last = s->width - 1;
    double *row = s->block; /* a row of K w has one column more: the next row, not yet filled, starts there */
    for (size_t v = 0; v < (size_t)s->mesh.vertex_count; ++v) {
        if (s->free_index[v] < 0) {
            continue;
        }
        sn_bilaplacian_row(&s->laplacian, (int)v, (int)s->width, s->curvature, row);
        for (size_t j = 0; j < last; ++j) {
            const size_t i = v * s->width + j;
            const double pull = s->penalties[v] * (2 * projected(s, v, j) - s->state[i] - s->weights[i]);
            row[j] = (pull - row[j]) / s->unit;
        }
        row += last;
    }
}

/* w += the block; the last column takes what is left of one. */
static void move_weights(const solver *s)
{
    const size_t last = s->width - 1;
    const double *change = s->block;
    for (size_t v = 0; v < (size_t)s->mesh.vertex_count; ++v) {
        double *row = s->weights + v * s->width, rest = 1;
        if (s->free_index[v] < 0) {
            continue;
        }
        for (size_t j = 0; j < last; ++j) {
            row[j] += change[j];
            rest -= row[j];
        }
        row[last] = rest;
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

/* The minimiser, from where w is. */
static sn_result solve_weights(const solver *s)
{
    fill_residuals(s);
    const sn_result result = sn_factor_solve_rows(s->factor, (int)s->width - 1, s->block);
    if (result == SN_OK) {
        move_weights(s);
    }
    return result;
}

/* In float, the first minimiser is corrected at once, which tells what float is good for here. */
static sn_result solve_first(solver *s)
{
    sn_result result = solve_weights(s);
    if (result != SN_OK || !sn_factor_is_f32(s->factor)) {
        return result;
    }
    const double moved = square_of_block(s);
    measure_energy(s);
    result = solve_weights(s);
    if (result == SN_OK && square_of_block(s) > MOST_ROUNDING * MOST_ROUNDING * moved) {
        sn_factor_destroy(&s->factor);
        result = sn_factor_create(&s->system, "weights", &s->factor);
        measure_energy(s);
        result = result == SN_OK ? solve_weights(s) : result;
    }
    return result;
}

/* The next v; then w is projected. Returns the square of what the projection moves. */
static double finish_row(const solver *s, size_t v, double relaxation)
{
    double *row = s->weights + v * s->width, *state = s->state + v * s->width, square = 0;
    for (size_t j = 0; j < s->width; ++j) {
        state[j] += relaxation * (row[j] - projected(s, v, j));
    }
    const double shift = simplex_shift(row, s->width);
    for (size_t j = 0; j < s->width; ++j) {
        const double former = row[j];
        row[j] = fmin(fmax(former - shift, 0), 1);
        square += (row[j] - former) * (row[j] - former);
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
    /* the first state is all steps, of which over-relaxation would leave 0.6 */
    const double relaxation = s->iteration_count == 0 ? 1 : RELAXATION, former = s->energy;
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
    s->change = fabs(s->energy - former);
    return SN_OK;
}

static bool is_done(const solver *s)
{
    const bool is_still = s->change <= ENERGY_CHANGE * s->energy + VANISHED * s->first_energy;
    return s->iteration_count > 0 &&
           ((is_still && s->violation <= MOST_VIOLATION) || s->iteration_count == MOST_ITERATIONS);
}

static sn_result check_cancelled(const sn_bounded_biharmonic_input *in)
{
    return in->is_cancelled && in->is_cancelled(in->cancel_user)
               ? sn_fail(SN_ERROR_CANCELLED, "%s: cancelled before the weights were done", in->name)
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
    sn_result result = sn_simplices_build(in->tets, in->triangles, in->name, arena, &s->mesh);
    if (result == SN_OK) {
        result = sn_simplices_laplacian(&s->mesh, arena, &s->laplacian);
    }
    if (result == SN_OK) {
        result = sn_handle_pins_find(&s->mesh, &s->laplacian, &in->handles, in->name, arena, s->weights, &s->pins);
    }
    if (result == SN_OK && s->pins.free_count > 0) {
        result = solve_free(s, arena);
    }
    return result;
}

sn_result sn_bounded_biharmonic(const sn_bounded_biharmonic_input *input, double *weights,
                                sn_bounded_biharmonic_report *report)
{
    sn_arena arena = {0};
    solver s = {.in = input, .weights = weights, .width = input->handles.count > 0 ? (size_t)input->handles.count : 0};
    const sn_result result = run(&s, &arena);
    *report = (sn_bounded_biharmonic_report){.iteration_count = s.iteration_count,
                                             .pinned_count = s.mesh.vertex_count - s.pins.free_count,
                                             .component_count = s.pins.lone_count,
                                             .energy = s.energy,
                                             .violation = s.violation};
    sn_arena_finish(&arena);
    return result;
}
