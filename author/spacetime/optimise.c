/* SPDX-License-Identifier: MIT */
/* Spacetime projective dynamics (the paper's 3.3). The local step projects all elements of all samples; the global step
 * solves for positions and velocities of all keys. If requested, the durations are then optimised and the process
 * repeats. The method does not guarantee descent, so a step that increases the objective is halved. */
#include <math.h>
#include <string.h>

#include "author/spacetime/contact.h"
#include "author/spacetime/timing.h"
#include "author/sparse/sparse.h"
#include "host/platform/platform.h"

#define HALVING_LIMIT 6
#define RETIMING_LIMIT 60
#define CONVERGED_CHANGE 0.001 /* relative change of durations */

sn_spacetime_desc sn_default_spacetime_desc(void)
{
    return (sn_spacetime_desc){.regularisation = 0.1, .iteration_limit = 30, .tolerance = 0.01, .memory_limit = 16e9};
}

typedef struct optimiser {
    sn_spacetime_problem problem;
    sn_spacetime_solver solver;
    sn_spacetime_contacts contacts;
    sn_spacetime_report *report;
    double *step;  /* (3 x function_count x vertex_count) */
    double *start; /* (function_count x vertex_count x 3) */
    double objective;
} optimiser;

static size_t unknown_count(const optimiser *o)
{
    return (size_t)o->problem.trajectory.function_count * (size_t)o->problem.elastic.vertex_count;
}

/* q = start + share * step */
static void move_along_step(optimiser *o, double fraction)
{
    const size_t size = unknown_count(o);
    for (size_t i = 0; i < 3 * size; ++i) {
        o->problem.q[i] = o->start[i] + fraction * o->step[i % 3 * size + i / 3];
    }
}

/* Applies the step, halved until it reduces the objective. */
static void take_step(optimiser *o)
{
    double fraction = 1;
    memcpy(o->start, o->problem.q, 3 * unknown_count(o) * sizeof *o->start);
    for (int halving = 0; halving <= HALVING_LIMIT; ++halving, fraction /= 2) {
        move_along_step(o, fraction);
        const double new_objective = sn_spacetime_evaluate(&o->problem);
        if (new_objective < o->objective || o->problem.desc->is_full_step) {
            o->objective = new_objective;
            return;
        }
    }
    memcpy(o->problem.q, o->start, 3 * unknown_count(o) * sizeof *o->start);
    sn_spacetime_evaluate(&o->problem);
}

static void record_objective(optimiser *o)
{
    o->report->objectives[o->report->objective_count++] = o->objective;
}

static sn_result iterate(optimiser *o)
{
    const double start = sn_now();
    sn_spacetime_gradient(&o->problem, o->step);
    for (size_t i = 0; i < 3 * unknown_count(o); ++i) {
        o->step[i] = -o->step[i];
    }
    SN_TRY(sn_spacetime_solver_solve(&o->solver, 3, o->step));
    SN_TRY(sn_spacetime_contacts_constrain(&o->contacts, &o->solver, o->step));
    take_step(o);
    ++o->report->iteration_count;
    record_objective(o);
    o->report->iteration_seconds += sn_now() - start;
    return SN_OK;
}

/* Iterates until the objective changes little or the iteration limit is reached. */
static sn_result optimise_shapes(optimiser *o)
{
    const sn_spacetime_desc *desc = o->problem.desc;
    while (o->report->iteration_count < desc->iteration_limit) {
        const double previous = o->objective;
        const sn_result result = iterate(o);
        if (result != SN_OK) {
            return result;
        }
        if (!isfinite(o->objective)) {
            return sn_fail_within(SN_ERROR_NUMERIC, "the motion is not finite after %d iterations",
                                  o->report->iteration_count);
        }
        if (fabs(previous - o->objective) <= desc->tolerance * o->report->objective_first) {
            break;
        }
    }
    return SN_OK;
}

static sn_result prepare(optimiser *o)
{
    const double start = sn_now();
    const sn_result result = sn_spacetime_solver_prepare(&o->problem, &o->solver);
    sn_spacetime_contacts_invalidate(&o->contacts);
    o->report->precompute_seconds += sn_now() - start;
    return result;
}

static sn_result optimise_times(optimiser *o)
{
    double change = 1;
    for (int round = 0; round < RETIMING_LIMIT && change > CONVERGED_CHANGE; ++round) {
        SN_TRY(sn_spacetime_retime(&o->problem, &o->objective, &change));
        if (change > 0) {
            SN_TRY(prepare(o));
            SN_TRY(optimise_shapes(o));
        }
    }
    return SN_OK;
}

static sn_result allocate(optimiser *o, sn_arena *arena, sn_arena *scratch)
{
    const size_t size = 3 * unknown_count(o);
    o->step = SN_NEW(scratch, double, size);
    o->start = SN_NEW(scratch, double, size);
    o->report->objectives = SN_NEW(arena, double, (size_t)o->problem.desc->iteration_limit + 1);
    return o->step && o->start && o->report->objectives ? SN_OK : SN_ERROR_MEMORY;
}

/* Reports the keys around the first sample whose forces are not finite. */
static sn_result report_bad_keys(const optimiser *o)
{
    int sample = 0;
    while (sample + 1 < o->problem.trajectory.sample_count && isfinite(o->problem.objectives[sample])) {
        ++sample;
    }
    const int key = o->problem.trajectory.intervals[sample];
    return sn_fail_within(SN_ERROR_NUMERIC,
                          "the forces between keys[%d] and keys[%d] are not finite; the keys are too far apart", key,
                          key + 1);
}

static sn_result run(optimiser *o)
{
    o->objective = sn_spacetime_evaluate(&o->problem);
    o->report->objective_first = o->objective;
    o->report->sample_count = o->problem.trajectory.sample_count;
    record_objective(o);
    if (!isfinite(o->objective)) {
        return report_bad_keys(o);
    }
    sn_result result = prepare(o);
    if (result == SN_OK) {
        result = optimise_shapes(o);
    }
    if (result == SN_OK && o->problem.desc->timing != SN_SPACETIME_TIMES_FIXED) {
        result = optimise_times(o);
    }
    o->report->method = o->solver.method;
    o->report->objective_last = o->objective;
    o->report->contact_count = sn_spacetime_contacts_active_count(&o->contacts);
    o->report->iteration_seconds /= o->report->iteration_count > 0 ? o->report->iteration_count : 1;
    return result;
}

static void write_motion(const optimiser *o, sn_spacetime_motion *motion)
{
    const sn_spacetime_trajectory *t = &o->problem.trajectory;
    const size_t width = 3 * (size_t)motion->vertex_count;
    for (int key = 0; key < t->key_count; ++key) {
        memcpy(motion->positions + (size_t)key * width, o->problem.q + (size_t)t->position_functions[key] * width,
               width * sizeof(double));
        memcpy(motion->velocities + (size_t)key * width, o->problem.q + (size_t)t->velocity_functions[key] * width,
               width * sizeof(double));
    }
    memcpy(motion->durations, t->durations, (size_t)(t->key_count - 1) * sizeof(double));
}

sn_result sn_spacetime_optimise(const sn_spacetime_input *input, const sn_spacetime_desc *desc, sn_arena *arena,
                                sn_spacetime_motion *motion, sn_spacetime_report *report)
{
    sn_arena scratch = {0};
    const double start = sn_now();
    *report = (sn_spacetime_report){0};
    optimiser o = {.report = report};
    sn_result result = sn_dense_reserve_memory();
    result = result ? result : sn_spacetime_initial_motion(input, arena, motion);
    if (result == SN_OK) {
        result = sn_spacetime_problem_build(input, desc, &scratch, &o.problem);
    }
    if (result == SN_OK) {
        result = allocate(&o, arena, &scratch);
    }
    if (result == SN_OK) {
        result = sn_spacetime_contacts_init(&o.problem, &scratch, &o.contacts);
    }
    report->precompute_seconds = sn_now() - start;
    if (result == SN_OK) {
        result = run(&o);
    }
    if (result == SN_OK) {
        write_motion(&o, motion);
    }
    sn_spacetime_contacts_finish(&o.contacts);
    sn_spacetime_solver_finish(&o.solver);
    sn_arena_finish(&scratch);
    return result;
}
