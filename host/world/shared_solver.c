/* SPDX-License-Identifier: MIT */
/* Body parameters, and solver data shared by bodies with equal parameters. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "host/world/store.h"

#define MAX_POISSON 0.49

static const char *name_of(const sn_body_desc *desc)
{
    return desc->name ? desc->name : "body";
}

typedef struct range {
    const char *what;
    double value, min_value, max_value;
} range;

/* Reports the first value that is out of its range or NaN. */
static sn_result check_ranges(const char *name, const range *ranges, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const range *r = &ranges[i];
        if (!(r->value >= r->min_value && r->value <= r->max_value)) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: %s %g: out of range (%g to %g)", name, r->what, r->value,
                           r->min_value, r->max_value);
        }
    }
    return SN_OK;
}

static sn_result check_coupled(const sn_world *w, const sn_body_desc *desc)
{
    const range ranges[] = {{"substeps", desc->substep_count, 0, 1000},
                            {"sweeps", desc->sweep_count, 1, 1000},
                            {"Poisson's ratio", desc->poisson, -HUGE_VAL, MAX_POISSON},
                            {"compliance", desc->compliance, 0, 1e6},
                            {"mass", desc->mass, 1e-6, 1e6},
                            {"sleep speed", desc->sleep_speed, 0, 1e6}};
    if (!w->tables[SN_SOLVER_COUPLED]) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: the world's backend does not support coupled bodies", name_of(desc));
    }
    return check_ranges(name_of(desc), ranges, sizeof ranges / sizeof ranges[0]);
}

static sn_result check_layered(const sn_world *w, const sn_body_desc *desc)
{
    const range ranges[] = {{"substeps", desc->substep_count, 0, 1000},
                            {"sweeps", desc->sweep_count, 1, 1000},
                            {"mode", desc->layered_mode, 0, SN_LAYERED_MODE_COUNT - 1},
                            {"consolidating sweeps", desc->consolidation_sweep_count, 0, 1000},
                            {"mass", desc->mass, 1e-6, 1e6},
                            {"sleep speed", desc->sleep_speed, 0, 1e6}};
    if (!w->tables[SN_SOLVER_LAYERED]) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: the world's backend does not support layered bodies", name_of(desc));
    }
    if (!sn_model_is_layered(desc->model)) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: the model was not cooked for layered bodies", name_of(desc));
    }
    return check_ranges(name_of(desc), ranges, sizeof ranges / sizeof ranges[0]);
}

static sn_result check_reduced(const sn_body_desc *desc)
{
    if (sn_model_mode_count(desc->model) == 0) {
        return sn_fail(
            SN_ERROR_UNSUPPORTED,
            "%s: the model was cooked for coupled or layered bodies and has no modes, which a reduced body needs",
            name_of(desc));
    }
    if (desc->is_neo_hookean && sn_model_is_flat(desc->model)) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: Neo-Hookean flesh is not supported for flat bodies", name_of(desc));
    }
    return SN_OK;
}

static sn_result check_numbers(const sn_body_desc *desc)
{
    double gravity = 0, wind = 0;
    for (int d = 0; d < 3; ++d) {
        gravity += fabs(desc->gravity[d]);
        wind += fabs(desc->wind[d]);
    }
    const range ranges[] = {{"stiffness", desc->stiffness, 0, 1e9},
                            {"damping", desc->damping, 0, 1e6},
                            {"amount", desc->amount, 0, 1e3},
                            {"tolerance", desc->tolerance, 0, 1},
                            {"budget", desc->budget_seconds, 0, 1e3},
                            {"gravity", gravity, 0, 1e9},
                            {"wind", wind, 0, 1e9},
                            {"spring area", desc->spring_wind_area, 0, 1e6},
                            {"iterations", desc->iteration_limit, 1, INT_MAX},
                            {"modes", desc->mode_count, 0, INT_MAX},
                            {"cluster level", desc->cluster_level, 0, INT_MAX}};
    return check_ranges(name_of(desc), ranges, sizeof ranges / sizeof ranges[0]);
}

sn_result sn_check_body_desc(const sn_world *w, const sn_body_desc *desc)
{
    if (!desc->model) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: no model", name_of(desc));
    }
    const sn_result result = check_numbers(desc);
    if (result != SN_OK) {
        return result;
    }
    if (desc->solver == SN_SOLVER_COUPLED) {
        return check_coupled(w, desc);
    }
    if (desc->solver == SN_SOLVER_LAYERED) {
        return check_layered(w, desc);
    }
    if (desc->solver != SN_SOLVER_REDUCED) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: solver %d does not exist", name_of(desc), (int)desc->solver);
    }
    return check_reduced(desc);
}

int sn_level_mode_count(const sn_body_desc *desc)
{
    return desc->solver == SN_SOLVER_REDUCED ? sn_model_level_mode_count(desc->model, desc->mode_count) : 0;
}

/* Copies only the parameters that the body's solver reads, so that equivalent levels of detail compare equal. */
static sn_solver_desc solver_desc(const sn_world *w, const sn_body_desc *desc)
{
    const int coarsest = sn_model_cluster_level_count(desc->model) - 1, used = sn_level_mode_count(desc);
    sn_solver_desc of = {.time_step = w->desc.time_step,
                         .stiffness = desc->stiffness,
                         .damping = desc->damping,
                         .gravity = {desc->gravity[0], desc->gravity[1], desc->gravity[2]}};
    if (desc->solver == SN_SOLVER_REDUCED) {
        of.tolerance = desc->tolerance;
        of.iteration_limit = desc->iteration_limit;
        of.budget_seconds = desc->budget_seconds;
        of.mode_count = used < sn_model_mode_count(desc->model) ? used : 0;
        of.cluster_level = desc->cluster_level < coarsest ? desc->cluster_level : coarsest;
        of.is_neo_hookean = desc->is_neo_hookean;
        of.is_without_bone_colliders = desc->is_without_bone_colliders;
        of.has_gravity_at_rest = desc->has_gravity_at_rest;
        return of;
    }
    of.substep_count = desc->substep_count;
    of.sweep_count = desc->sweep_count;
    of.mass = desc->mass;
    of.sleep_speed = desc->sleep_speed;
    of.is_rigid_damped = desc->is_rigid_damped;
    if (desc->solver == SN_SOLVER_COUPLED) {
        of.poisson = desc->poisson;
        of.compliance = desc->compliance;
        of.is_constraint_locked_only = desc->is_constraint_locked_only;
    } else {
        of.layered_mode = desc->layered_mode;
        of.consolidation_sweep_count = desc->consolidation_sweep_count;
    }
    return of;
}

static bool is_same_desc(const sn_solver_desc *a, const sn_solver_desc *b)
{
    return a->time_step == b->time_step && a->stiffness == b->stiffness && a->damping == b->damping &&
           memcmp(a->gravity, b->gravity, sizeof a->gravity) == 0 && a->tolerance == b->tolerance &&
           a->iteration_limit == b->iteration_limit && a->budget_seconds == b->budget_seconds &&
           a->mode_count == b->mode_count && a->cluster_level == b->cluster_level &&
           a->is_neo_hookean == b->is_neo_hookean && a->is_without_bone_colliders == b->is_without_bone_colliders &&
           a->has_gravity_at_rest == b->has_gravity_at_rest && a->substep_count == b->substep_count &&
           a->sweep_count == b->sweep_count && a->mass == b->mass && a->poisson == b->poisson &&
           a->compliance == b->compliance && a->sleep_speed == b->sleep_speed &&
           a->is_constraint_locked_only == b->is_constraint_locked_only && a->is_rigid_damped == b->is_rigid_damped &&
           a->layered_mode == b->layered_mode && a->consolidation_sweep_count == b->consolidation_sweep_count;
}

/* Creates a table's scratch data for the first body that needs it. A backend's world has its own. */
static sn_result prepare_scratch(sn_world *w, sn_body_solver solver)
{
    return w->scratch[solver] || w->backend_world
               ? SN_OK
               : w->tables[solver]->scratch_create(w->worker_count, &w->scratch[solver]);
}

sn_result sn_world_acquire_solver(sn_world *w, const sn_body_desc *desc, sn_shared_solver **result)
{
    const sn_solver_desc requested = solver_desc(w, desc);
    const sn_solver_table *table = w->tables[desc->solver];
    for (sn_shared_solver *s = w->solvers; s; s = s->next) {
        if (s->table == table && s->model == desc->model && is_same_desc(&s->desc, &requested)) {
            ++s->body_count;
            *result = s;
            return SN_OK;
        }
    }
    sn_shared_solver *created = sn_alloc(1, sizeof *created);
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    *created = (sn_shared_solver){
        .table = table, .model = desc->model, .desc = requested, .body_count = 1, .next = w->solvers};
    sn_result code = prepare_scratch(w, desc->solver);
    if (code == SN_OK) {
        code = table->shared_create(desc->model, &requested,
                                    w->backend_world ? w->backend_world : w->scratch[desc->solver], &created->shared);
    }
    if (code != SN_OK) {
        sn_free(created, 1, sizeof *created);
        return code;
    }
    w->solvers = created;
    *result = created;
    return SN_OK;
}

static void free_solver(sn_shared_solver *solver)
{
    solver->table->shared_destroy(&solver->shared);
    sn_free(solver, 1, sizeof *solver);
}

static void remove_unused(sn_world *w, sn_shared_solver *solver)
{
    sn_shared_solver **at = &w->solvers;
    if (solver->body_count > 0 || solver->is_prepared) {
        return;
    }
    while (*at != solver) {
        at = &(*at)->next;
    }
    *at = solver->next;
    free_solver(solver);
}

void sn_world_release_solver(sn_world *w, sn_shared_solver *solver)
{
    if (solver) {
        --solver->body_count;
        remove_unused(w, solver);
    }
}

void sn_world_free_unused_solvers(sn_world *w)
{
    for (sn_shared_solver *s = w->solvers, *next; s; s = next) {
        next = s->next;
        s->is_prepared = false;
        remove_unused(w, s);
    }
}

sn_result sn_world_prepare(sn_world_id world_id, const sn_body_desc *desc)
{
    sn_world *w = sn_world_try_get(world_id);
    sn_shared_solver *solver = NULL;
    SN_ASSERT(w);
    SN_TRY(sn_check_body_desc(w, desc));
    SN_TRY(sn_world_acquire_solver(w, desc, &solver));
    solver->is_prepared = true;
    sn_world_release_solver(w, solver);
    return SN_OK;
}

void sn_world_release_prepared(sn_world_id world_id, const sn_model *model)
{
    sn_world *w = sn_world_try_get(world_id);
    SN_ASSERT(w);
    for (sn_shared_solver *s = w->solvers, *next; s; s = next) {
        next = s->next;
        if (s->model == model) {
            s->is_prepared = false;
            remove_unused(w, s);
        }
    }
}

void sn_world_free_solvers(sn_world *w)
{
    while (w->solvers) {
        sn_shared_solver *const first = w->solvers;
        w->solvers = first->next;
        free_solver(first);
    }
}
