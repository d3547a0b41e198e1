/* SPDX-License-Identifier: MIT */
/* Builds the system's temporal part and selects a solver. */
#include "author/spacetime/solver.h"

#include "author/spacetime/residual.h"

/* Limits from benchmarks on prisms (docs/benchmarks/spacetime.csv). The modal solver needs a dense eigenproblem whose
 * cost does not depend on the keys; the cost of a sparse factor grows with the cube of their number. The sparse solver
 * is faster for few functions, the modal solver for many, and if durations change, since the modes can be reused.
 * Values fixed in only some functions are additional constraints in the modal solver, but not unknowns in the sparse
 * solver. */
#define MODAL_FUNCTION_COUNT 6
#define MODAL_VERTEX_LIMIT 3000
#define MODAL_CONSTRAINT_LIMIT 2400
#define MODAL_VALUE_LIMIT 1e7 /* max. size of the modes' inverses: mode count times squared function count */

const char *sn_spacetime_method_name(sn_spacetime_method method)
{
    static const char *const names[] = {"best", "modal", "sparse", "rational"};
    return names[method];
}

static void add_outer(int count, const int32_t *functions, double w, const double *a, const double *b, double *gram)
{
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            gram[functions[i] * count + functions[j]] += w * a[i] * b[j];
        }
    }
}

sn_result sn_spacetime_system_build(const sn_spacetime_problem *p, sn_arena *arena, sn_spacetime_system *system)
{
    const int count = p->trajectory.function_count;
    const size_t square = (size_t)count * (size_t)count;
    const double h = p->desc->regularisation;
    *system = (sn_spacetime_system){.vertex_count = p->elastic.vertex_count,
                                    .function_count = count,
                                    .mass = p->elastic.mass,
                                    .norm = p->norm,
                                    .stiffness = &p->stiffness,
                                    .is_free = p->is_free,
                                    .p0 = SN_NEW(arena, double, square),
                                    .p1 = SN_NEW(arena, double, square),
                                    .p2 = SN_NEW(arena, double, square),
                                    .regularisation = h > 0 ? 1 / (h * h) : 0,
                                    .memory_limit = p->desc->memory_limit};
    if (!system->p0 || !system->p1 || !system->p2) {
        return SN_ERROR_MEMORY;
    }
    for (int s = 0; s < p->trajectory.sample_count; ++s) {
        int32_t functions[4];
        double inertial[4];
        const sn_spacetime_span span = sn_spacetime_trajectory_span(&p->trajectory, s, functions);
        const double w = sn_spacetime_trajectory_weight(&p->trajectory, s);
        for (int k = 0; k < 4; ++k) {
            inertial[k] = span.acceleration[k] + p->input->damping * span.velocity[k];
        }
        add_outer(count, functions, w, inertial, inertial, system->p0);
        add_outer(count, functions, w, inertial, span.position, system->p1);
        add_outer(count, functions, w, span.position, span.position, system->p2);
    }
    return SN_OK;
}

/* Returns whether the system has the structure that the modal and rational solvers need. */
static bool is_structured(const sn_spacetime_problem *p)
{
    const size_t n = (size_t)p->elastic.vertex_count;
    /* Without regularisation, the systems of rigid modes are singular. */
    if (p->desc->norm != SN_SPACETIME_INVERSE_MASS || !(p->desc->regularisation > 0)) {
        return false;
    }
    for (size_t v = 0; v < n && p->desc->has_reactions; ++v) {
        bool is_free = false;
        for (size_t j = 0; j < (size_t)p->trajectory.function_count; ++j) {
            is_free = is_free || p->is_free[j * n + v];
        }
        if (!is_free) {
            return false;
        }
    }
    return true;
}

static sn_spacetime_method choose(const sn_spacetime_problem *p, const sn_spacetime_system *system)
{
    int free_count = 0;
    for (int v = 0; v < system->vertex_count; ++v) {
        free_count += system->norm[v] > 0;
    }
    if (p->desc->method == SN_SPACETIME_SPARSE || !is_structured(p)) {
        return SN_SPACETIME_SPARSE;
    }
    const double values = (double)free_count * system->function_count * system->function_count;
    const bool is_modal_faster =
        (system->function_count >= MODAL_FUNCTION_COUNT || p->desc->timing != SN_SPACETIME_TIMES_FIXED) &&
        free_count <= MODAL_VERTEX_LIMIT && values <= MODAL_VALUE_LIMIT &&
        sn_spacetime_modal_constraint_count(system) <= MODAL_CONSTRAINT_LIMIT;
    const bool is_modal =
        p->desc->method == SN_SPACETIME_MODAL || (p->desc->method == SN_SPACETIME_BEST && is_modal_faster);
    const bool is_fixed = p->desc->timing == SN_SPACETIME_TIMES_FIXED;
    if (p->desc->method != SN_SPACETIME_MODAL && (is_fixed || !is_modal) && sn_spacetime_rational_is_possible(system)) {
        return SN_SPACETIME_RATIONAL;
    }
    return is_modal ? SN_SPACETIME_MODAL : SN_SPACETIME_SPARSE;
}

static sn_result prepare_modal(const sn_spacetime_system *system, sn_spacetime_solver *solver)
{
    SN_TRY(solver->modal ? SN_OK : sn_spacetime_modal_create(system, &solver->modal));
    return sn_spacetime_modal_factor(solver->modal, system);
}

static sn_result prepare_sparse(const sn_spacetime_system *system, sn_spacetime_solver *solver)
{
    sn_spacetime_sparse_destroy(&solver->sparse);
    return sn_spacetime_sparse_create(system, &solver->sparse);
}

static sn_result prepare_rational(const sn_spacetime_system *system, sn_spacetime_solver *solver)
{
    sn_spacetime_rational_destroy(&solver->rational);
    return sn_spacetime_rational_create(system, &solver->rational);
}

/* Falls back to the sparse solver if a very stiff body makes the others too inaccurate. */
static sn_result prepare(const sn_spacetime_system *system, sn_spacetime_solver *solver)
{
    sn_result result = SN_ERROR_NUMERIC;
    if (solver->method == SN_SPACETIME_MODAL) {
        result = prepare_modal(system, solver);
    } else if (solver->method == SN_SPACETIME_RATIONAL) {
        result = prepare_rational(system, solver);
    }
    if (result == SN_ERROR_NUMERIC) {
        sn_spacetime_modal_destroy(&solver->modal);
        sn_spacetime_rational_destroy(&solver->rational);
        solver->method = SN_SPACETIME_SPARSE;
        result = prepare_sparse(system, solver);
    }
    return result;
}

sn_result sn_spacetime_solver_prepare(const sn_spacetime_problem *problem, sn_spacetime_solver *solver)
{
    sn_arena scratch = {0};
    sn_spacetime_system system;
    sn_result result = sn_spacetime_system_build(problem, &scratch, &system);
    if (result == SN_OK) {
        solver->method = choose(problem, &system);
    }
    if (result == SN_OK) {
        sn_captured_log deferred_log = {0}, *const previous_log = sn_capture_log(&deferred_log);
        result = prepare(&system, solver);
        sn_capture_log(previous_log);
        if (result == SN_ERROR_NUMERIC) {
            sn_fail_within(
                result,
                "the spacetime system is too ill-conditioned; use a softer or denser material, or more samples");
        } else if (result != SN_OK && deferred_log.is_captured) {
            sn_log(deferred_log.level, "%s", deferred_log.line);
        }
    }
    sn_arena_finish(&scratch);
    return result;
}

sn_result sn_spacetime_solver_solve(const sn_spacetime_solver *solver, int column_count, double *columns)
{
    switch (solver->method) {
    case SN_SPACETIME_MODAL:
        return sn_spacetime_modal_solve(solver->modal, column_count, columns);
    case SN_SPACETIME_RATIONAL:
        return sn_spacetime_rational_solve(solver->rational, column_count, columns);
    default:
        return sn_spacetime_sparse_solve(solver->sparse, column_count, columns);
    }
}

void sn_spacetime_solver_finish(sn_spacetime_solver *solver)
{
    sn_spacetime_sparse_destroy(&solver->sparse);
    sn_spacetime_modal_destroy(&solver->modal);
    sn_spacetime_rational_destroy(&solver->rational);
}
