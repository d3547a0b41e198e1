/* SPDX-License-Identifier: MIT */
#include "tools/simulation/simulation.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "author/cook/motion_file.h"
#include "host/base/clock.h"
#include "runtime/app/gust.h"
#include "tools/simulation/cut.h"

sn_simulation_parameters sn_default_simulation_parameters(void)
{
    const sn_reduced_desc defaults = sn_default_reduced_desc();
    const sn_body_desc body = sn_default_body_desc();
    return (sn_simulation_parameters){.time_step = defaults.time_step,
                                      .stiffness = defaults.stiffness,
                                      .amount = 1,
                                      .tolerance = defaults.tolerance,
                                      .iterations = defaults.iteration_limit,
                                      .threads = 1,
                                      .solid_cells = SN_SOLID_CELLS,
                                      .substeps = body.substep_count,
                                      .sweeps = body.sweep_count,
                                      .compliance = body.compliance,
                                      .poisson = body.poisson};
}

void sn_simulation_options(sn_simulation_parameters *p, sn_option options[SN_SIMULATION_OPTION_LIMIT])
{
    const sn_option rows[] = {
        {"--motion", SN_OPTION_STRING, &p->motion, 0, 0, "F.npy" SN_MOTION_FILES("|F") "|clip:NAME|expression:NAME|hop",
         p->is_first_clip_played ? "the rig's motion (the first clip, or hop)" : "the rig's motion (rest pose)"},
        {"--dt", SN_OPTION_REAL, &p->time_step, 1e-9, 1e3, "S", "time step in seconds (1/60)"},
        {"--gravity", SN_OPTION_VECTOR, p->gravity, 0, 0, "X,Y,Z", "acceleration in model units a second^2 (0)"},
        {"--damping", SN_OPTION_REAL, &p->damping, 0, 1e6, "D", "decay of the flesh's own velocity, 1/s (0)"},
        {"--stiffness", SN_OPTION_REAL, &p->stiffness, 0, 1e9, "S", "times the cooked Young's modulus (1)"},
        {"--amount", SN_OPTION_REAL, &p->amount, 0, 1e3, "A", "share of the displacement that is shown (1)"},
        {"--iterations", SN_OPTION_INT, &p->iterations, 1, 1e6, "N", "local-global iterations at most (30)"},
        {"--tolerance", SN_OPTION_REAL, &p->tolerance, 0, 1, "T",
         "stop below this change, fraction of the diagonal (1e-6)"},
        {"--budget", SN_OPTION_REAL, &p->budget, 0, 1e9, "US",
         "microseconds of a step: no iteration is begun beyond, and results depend on the machine (0: none)"},
        {"--modes-used", SN_OPTION_INT, &p->modes_used, 1, 1000, "N",
         "level of detail: the model's first N modes (all)"},
        {"--cluster-level", SN_OPTION_INT, &p->cluster_level, 0, 100, "L",
         "level of detail: of the model's levels of clusters (0, the finest)"},
        {"--neo-hookean", SN_OPTION_FLAG, &p->is_neo_hookean, 0, 0, NULL,
         "stable Neo-Hookean flesh: keeps its volume when stretched far; no flat bodies"},
        {"--no-bone-colliders", SN_OPTION_FLAG, &p->is_without_bone_colliders, 0, 0, NULL,
         "loose flesh does not feel the colliders on the model's bones"},
        {"--double", SN_OPTION_FLAG, &p->is_double, 0, 0, NULL, "the double-precision reference"},
        {"--backend", SN_OPTION_STRING, &p->backend, 0, 0, "cpu|gpu", "what steps (cpu); gpu: in float"},
        {"--single", SN_OPTION_FLAG, &p->is_single, 0, 0, NULL,
         "coupled bodies with --backend gpu: no doubles, which many devices are slow at"},
        {"--threads", SN_OPTION_INT, &p->threads, 1, 1024, "N",
         "one body uses one thread; the result never depends on it"},
        {"--wind", SN_OPTION_VECTOR, p->wind, 0, 0, "X,Y,Z", "velocity of the air in model units a second (0)"},
        {"--collider", SN_OPTION_LIST, &p->solids, 0, 0, "SURFACE",
         "a solid that flesh meets: any surface file, in IN's coordinates; up to 8"},
        {"--collider-cells", SN_OPTION_INT, &p->solid_cells, 2, 256, "N",
         "of its grid of distances, along its longest side (96)"},
        {"--coupled", SN_OPTION_FLAG, &p->is_coupled, 0, 0, NULL,
         "two-way: position-based flesh moves what of the rig is free; any model, or one of cook --coupled"},
        {"--free", SN_OPTION_LIST, &p->freed, 0, 0, "BONE[,BONE]|all",
         "with it: bones that physics moves; the motion drives the others"},
        {"--lock", SN_OPTION_LIST, &p->locked, 0, 0, "BONE:xyzrs",
         "with it: what the motion drives of a bone: axes of its place, rotation, stretch"},
        {"--substeps", SN_OPTION_INT, &p->substeps, 0, 1000, "N",
         "with it: of a step (15); 0: as many as the flesh's stiffness takes, up to 60 a sixtieth of a second"},
        {"--sweeps", SN_OPTION_INT, &p->sweeps, 1, 1000, "N", "with it: over all constraints, of a substep (1)"},
        {"--compliance", SN_OPTION_REAL, &p->compliance, 0, 1e6, "C",
         "with it: how softly flesh follows its bones, s^2: 1e-4 a little, 1e-2 a lot (0)"},
        {"--poisson", SN_OPTION_REAL, &p->poisson, -1, 0.49, "R",
         "with it: Poisson's ratio of the flesh, below 0, too (0.4); -1: as cooked"},
        {"--rigid-damping", SN_OPTION_FLAG, &p->is_rigid_damped, 0, 0, NULL,
         "with it: --damping is of all motion, not of the flesh's own"},
        {"--flesh", SN_OPTION_FLAG, &p->is_flesh_drawn, 0, 0, NULL,
         "with it: the flesh itself is drawn, which moves finer than the skin of the bones"},
        {0},
    };
    static_assert(sizeof rows / sizeof rows[0] <= SN_SIMULATION_OPTION_LIMIT, "raise the limit");
    memcpy(options, rows, sizeof rows);
}

int sn_check_backend(const sn_simulation_parameters *p)
{
    const bool is_gpu = p->backend && strcmp(p->backend, "gpu") == 0;
    if (p->backend && !is_gpu && strcmp(p->backend, "cpu") != 0) {
        fprintf(stderr, "sinew: --backend %s: not a valid value (cpu|gpu)\n", p->backend);
        return SN_EXIT_USAGE;
    }
    if (p->is_single && !is_gpu) {
        fprintf(stderr, "sinew: --single: needs --backend gpu\n");
        return SN_EXIT_USAGE;
    }
    return SN_CONTINUE;
}

int sn_check_simulation_parameters(const sn_simulation_parameters *p)
{
    const int status = sn_check_backend(p);
    if (status != SN_CONTINUE) {
        return status;
    }
    if (p->is_single && !p->is_coupled) {
        fprintf(stderr, "sinew: --single: needs --coupled\n");
        return SN_EXIT_USAGE;
    }
    if (p->solids.count > SN_SOLID_LIMIT) {
        fprintf(stderr, "sinew: --collider %s: more than %d\n", p->solids.items[SN_SOLID_LIMIT], SN_SOLID_LIMIT);
        return SN_EXIT_USAGE;
    }
    if (p->is_flesh_drawn && p->backend && strcmp(p->backend, "gpu") == 0) {
        fprintf(stderr, "sinew: --flesh: not with --backend gpu\n");
        return SN_EXIT_USAGE;
    }
    const char *absent = sn_absent_in_solver(p);
    if (absent) {
        fprintf(stderr, "sinew: %s: %s --coupled\n", absent, p->is_coupled ? "not with" : "needs");
        return SN_EXIT_USAGE;
    }
    return SN_CONTINUE;
}

const char *sn_changed_simulation_parameter(const sn_simulation_parameters *p)
{
    const sn_simulation_parameters d = sn_default_simulation_parameters();
    const struct {
        const char *option;
        bool is_changed;
    } all[] = {{"--motion", p->motion != NULL},
               {"--dt", p->time_step != d.time_step},
               {"--gravity", memcmp(p->gravity, d.gravity, sizeof d.gravity) != 0},
               {"--wind", memcmp(p->wind, d.wind, sizeof d.wind) != 0},
               {"--damping", p->damping != d.damping},
               {"--stiffness", p->stiffness != d.stiffness},
               {"--amount", p->amount != d.amount},
               {"--iterations", p->iterations != d.iterations},
               {"--tolerance", p->tolerance != d.tolerance},
               {"--budget", p->budget != d.budget},
               {"--modes-used", p->modes_used != d.modes_used},
               {"--cluster-level", p->cluster_level != d.cluster_level},
               {"--neo-hookean", p->is_neo_hookean},
               {"--no-bone-colliders", p->is_without_bone_colliders},
               {"--double", p->is_double},
               {"--collider", p->solids.count > 0},
               {"--collider-cells", p->solid_cells != d.solid_cells},
               {"--coupled", p->is_coupled}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        if (all[i].is_changed) {
            return all[i].option;
        }
    }
    return sn_absent_in_solver(p);
}

const char *sn_absent_in_solver(const sn_simulation_parameters *p)
{
    const sn_simulation_parameters unsaid = sn_default_simulation_parameters();
    if (p->is_coupled) {
        return p->modes_used > 0                    ? "--modes-used"
               : p->cluster_level > 0               ? "--cluster-level"
               : p->is_neo_hookean                  ? "--neo-hookean"
               : p->is_without_bone_colliders       ? "--no-bone-colliders"
               : p->iterations != unsaid.iterations ? "--iterations"
               : p->tolerance != unsaid.tolerance   ? "--tolerance"
               : p->budget > 0                      ? "--budget"
               : p->amount != unsaid.amount         ? "--amount"
                                                    : NULL;
    }
    return p->freed.count > 0                   ? "--free"
           : p->locked.count > 0                ? "--lock"
           : p->is_rigid_damped                 ? "--rigid-damping"
           : p->substeps != unsaid.substeps     ? "--substeps"
           : p->sweeps != unsaid.sweeps         ? "--sweeps"
           : p->compliance != unsaid.compliance ? "--compliance"
           : p->poisson != unsaid.poisson       ? "--poisson"
           : p->is_flesh_drawn                  ? "--flesh"
                                                : NULL;
}

/* ---- locks ---- */

static int find_bone(const sn_model *model, const char *name, size_t length)
{
    for (int b = 0; b < model->counts.bone_count; ++b) {
        const char *has = sn_model_bone_name(model, b);
        if (strlen(has) == length && strncmp(has, name, length) == 0) {
            return b;
        }
    }
    return -1;
}

static sn_result no_such_bone(const char *model_path, const char *option, const char *text)
{
    return sn_fail(SN_ERROR_ARGUMENT, "%s: %s %s: it has no such bone", model_path, option, text);
}

/* "all", one name, whatever is in it, or several between commas. */
static sn_result free_bones(const char *text, const char *model_path, const sn_model *model, uint8_t *locks)
{
    const int only = find_bone(model, text, strlen(text));
    if (only >= 0) {
        locks[only] = 0;
        return SN_OK;
    }
    if (strcmp(text, "all") == 0) {
        memset(locks, 0, (size_t)model->counts.bone_count);
        return SN_OK;
    }
    for (const char *at = text; at;) {
        const char *comma = strchr(at, ',');
        const int bone = find_bone(model, at, comma ? (size_t)(comma - at) : strlen(at));
        if (bone < 0) {
            return no_such_bone(model_path, "--free", text);
        }
        locks[bone] = 0;
        at = comma ? comma + 1 : NULL;
    }
    return SN_OK;
}

static sn_result lock_bone(const char *text, const char *model_path, const sn_model *model, uint8_t *locks)
{
    static const struct {
        char letter;
        uint8_t locks;
    } letters[] = {
        {'x', SN_LOCK_X}, {'y', SN_LOCK_Y}, {'z', SN_LOCK_Z}, {'r', SN_LOCK_ROTATION}, {'s', SN_LOCK_STRETCH}};
    const char *colon = strrchr(text, ':');
    const int bone = colon ? find_bone(model, text, (size_t)(colon - text)) : -1;
    unsigned locked = 0;
    if (bone < 0) {
        return no_such_bone(model_path, "--lock", text);
    }
    for (const char *at = colon + 1; *at; ++at) {
        size_t i = 0;
        while (i < sizeof letters / sizeof letters[0] && letters[i].letter != *at) {
            ++i;
        }
        if (i == sizeof letters / sizeof letters[0]) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: --lock %s: '%c' is none of x, y, z, r and s", model_path, text, *at);
        }
        locked |= letters[i].locks;
    }
    locks[bone] = (uint8_t)locked;
    return SN_OK;
}

sn_result sn_coupled_locks(const sn_simulation_parameters *p, const char *model_path, const sn_model *model,
                           uint8_t *locks)
{
    sn_result result = SN_OK;
    memset(locks, SN_LOCK_ALL, (size_t)model->counts.bone_count);
    for (int i = 0; i < p->freed.count && result == SN_OK; ++i) {
        result = free_bones(p->freed.items[i], model_path, model, locks);
    }
    for (int i = 0; i < p->locked.count && result == SN_OK; ++i) {
        result = lock_bone(p->locked.items[i], model_path, model, locks);
    }
    return result;
}

/* ---- a body ---- */

static sn_solver_desc solver_desc(const sn_simulation_parameters *p)
{
    return (sn_solver_desc){.time_step = p->time_step,
                            .stiffness = p->stiffness,
                            .damping = p->damping,
                            .gravity = {p->gravity[0], p->gravity[1], p->gravity[2]},
                            .tolerance = p->tolerance,
                            .iteration_limit = p->iterations,
                            .budget_seconds = 1e-6 * p->budget,
                            .mode_count = p->modes_used,
                            .cluster_level = p->cluster_level,
                            .is_neo_hookean = p->is_neo_hookean,
                            .is_without_bone_colliders = p->is_without_bone_colliders,
                            .mass = 1,
                            .substep_count = p->substeps,
                            .sweep_count = p->sweeps,
                            .poisson = p->poisson,
                            .compliance = p->compliance,
                            .is_rigid_damped = p->is_rigid_damped,
                            .is_double = p->is_double};
}

sn_body_desc sn_simulation_body_desc(const sn_simulation_parameters *p)
{
    sn_body_desc desc = sn_default_body_desc();
    desc.stiffness = p->stiffness;
    desc.damping = p->damping;
    memcpy(desc.gravity, p->gravity, sizeof desc.gravity);
    memcpy(desc.wind, p->wind, sizeof desc.wind);
    desc.amount = p->amount;
    desc.iteration_limit = p->iterations;
    desc.mode_count = p->modes_used;
    desc.cluster_level = p->cluster_level;
    desc.is_neo_hookean = p->is_neo_hookean;
    desc.is_without_bone_colliders = p->is_without_bone_colliders;
    desc.tolerance = p->tolerance;
    desc.budget_seconds = 1e-6 * p->budget;
    desc.solver = p->is_coupled ? SN_SOLVER_COUPLED : SN_SOLVER_REDUCED;
    desc.substep_count = p->substeps;
    desc.sweep_count = p->sweeps;
    desc.compliance = p->compliance;
    desc.poisson = p->poisson;
    desc.is_rigid_damped = p->is_rigid_damped;
    return desc;
}

sn_result sn_simulation_open_motion(const sn_simulation_parameters *p, const char *model_path, const sn_model *model,
                                    sn_arena *arena, sn_motion *motion)
{
    const sn_result result = sn_motion_open(p->motion, model_path, model, arena, motion);
    if (result == SN_OK && !p->motion && p->is_first_clip_played) {
        motion->is_hop = model->counts.clip_count == 0 || sn_model_is_posed_only(model);
        motion->clip = motion->is_hop ? -1 : 0;
    }
    return result;
}

sn_result sn_simulation_open_solids(const sn_simulation_parameters *p, const sn_model *model, sn_arena *arena,
                                    sn_solid *solids, int *solid_count)
{
    sn_result result = SN_OK;
    for (*solid_count = 0; *solid_count < p->solids.count && result == SN_OK; *solid_count += result == SN_OK) {
        result = sn_solid_open(p->solids.items[*solid_count], p->solid_cells, model, arena, &solids[*solid_count]);
    }
    return result;
}

sn_result sn_check_detail(const sn_simulation_parameters *p, const char *model_path, const sn_model *model)
{
    const int modes = sn_model_mode_count(model), coarsest = sn_model_cluster_level_count(model) - 1;
    if (modes == 0 && !p->is_coupled) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: it has no modes, as it was cooked for coupled bodies: use --coupled",
                       model_path);
    }
    if (p->modes_used > modes) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: --modes-used %d: it has %d modes", model_path, p->modes_used, modes);
    }
    if (p->cluster_level > coarsest) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: --cluster-level %d: its coarsest is %d", model_path, p->cluster_level,
                       coarsest);
    }
    return SN_OK;
}

static sn_result open_reduced(sn_simulation *s)
{
    const sn_solver_desc solver = solver_desc(s->parameters);
    const sn_reduced_desc desc = sn_reduced_desc_of(&solver);
    sn_result result = sn_reduced_solver_create(s->model, &desc, &s->solver);
    if (result == SN_OK) {
        result = sn_reduced_body_create(s->solver, s->pose, &s->body);
    }
    if (result == SN_OK) {
        sn_reduced_body_set_morphs(s->body, s->morphs);
        sn_reduced_body_reset(s->body, s->pose);
    }
    return result;
}

static sn_result open_coupled(sn_simulation *s, const char *model_path, sn_arena *arena)
{
    const sn_solver_desc desc = solver_desc(s->parameters);
    uint8_t *locks = SN_NEW(arena, uint8_t, s->model->counts.bone_count);
    const sn_result result = locks ? sn_coupled_locks(s->parameters, model_path, s->model, locks) : SN_ERROR_MEMORY;
    s->coupled.is_single = s->parameters->is_single;
    return result == SN_OK ? sn_coupled_run_open(&s->coupled, s->device, s->model, &desc, locks, s->pose) : result;
}

sn_result sn_simulation_open(sn_simulation *s, const sn_model *model, const char *model_path,
                             const sn_simulation_parameters *parameters, sn_arena *arena)
{
    s->model = model;
    s->parameters = parameters;
    sn_result result = sn_check_detail(parameters, model_path, model);
    if (result == SN_OK) {
        result = sn_simulation_open_motion(parameters, model_path, model, arena, &s->motion);
    }
    if (result != SN_OK) {
        return result;
    }
    /* what is shorter than a step jumps at every step anyway */
    const bool is_long = sn_motion_seconds(&s->motion, parameters->time_step) > parameters->time_step;
    if (s->motion.clip >= 0 && !s->motion.poses && !s->motion.is_hop && is_long) {
        s->loop = sn_loop_plan(model, s->motion.clip);
    }
    s->pose = SN_NEW(arena, double, 12 * (size_t)model->counts.bone_count);
    s->bones = parameters->is_coupled ? SN_NEW(arena, double, 12 * (size_t)model->counts.bone_count) : s->pose;
    s->modes = SN_NEW(arena, double, 12 * (size_t)model->counts.mode_count);
    s->morphs = SN_NEW(arena, float, model->counts.morph_count);
    if (!s->pose || !s->bones || !s->modes || !s->morphs) {
        return SN_ERROR_MEMORY;
    }
    result = sn_simulation_open_solids(parameters, model, arena, s->solids, &s->solid_count);
    for (int i = 0; i < s->solid_count; ++i) {
        s->colliders[s->collider_count++] = s->solids[i].collider;
    }
    if (result != SN_OK) {
        return result;
    }
    sn_simulation_pose(s, 0, s->pose, s->morphs);
    result = parameters->is_coupled ? open_coupled(s, model_path, arena) : open_reduced(s);
    return result == SN_OK && parameters->is_flesh_drawn ? sn_simulated_flesh_open(&s->flesh, model, arena) : result;
}

void sn_simulation_close(sn_simulation *s)
{
    sn_reduced_body_destroy(&s->body);
    sn_reduced_solver_destroy(&s->solver);
    sn_coupled_run_close(&s->coupled);
    sn_simulated_flesh_close(&s->flesh);
    while (s->solid_count > 0) {
        sn_solid_close(&s->solids[--s->solid_count]);
    }
}

sn_result sn_simulation_lay_floor(sn_simulation *s, double height)
{
    const sn_collider_desc desc = sn_default_collider_desc();
    sn_collider *floor = &s->colliders[s->collider_count];
    const sn_result result = sn_collider_init(&desc, floor);
    floor->transform[7] = floor->transform_before[7] = height;
    s->collider_count += result == SN_OK;
    return result;
}

void sn_simulation_pose(const sn_simulation *s, int frame, double *pose, float *morphs)
{
    const double seconds = frame * s->parameters->time_step;
    sn_motion_pose(&s->motion, frame, seconds, pose);
    sn_motion_morphs(&s->motion, seconds, morphs);
}

sn_surroundings sn_simulation_surroundings(const sn_simulation *s, int frame)
{
    const sn_simulation_parameters *p = s->parameters;
    const double gust = p->is_gusty ? sn_gust(frame * p->time_step) : 1;
    return (sn_surroundings){.collider_count = s->collider_count,
                             .colliders = s->colliders,
                             .wind = {gust * p->wind[0], gust * p->wind[1], gust * p->wind[2]}};
}

sn_simulation_report sn_simulation_step(sn_simulation *s, int frame)
{
    sn_simulation_pose(s, frame, s->pose, s->morphs);
    const sn_surroundings surroundings = sn_simulation_surroundings(s, frame);
    const double start = sn_now();
    if (s->parameters->is_coupled) {
        bool is_sound = true;
        sn_coupled_run_step(&s->coupled, s->pose, &surroundings, &is_sound);
        sn_coupled_run_read(&s->coupled, s->bones, &is_sound);
        s->milliseconds = 1e3 * (sn_now() - start);
        if (s->flesh.embedding) {
            sn_coupled_run_positions(&s->coupled, s->flesh.positions, s->flesh.rig);
            sn_simulated_flesh_update(&s->flesh, s->bones);
        }
        return (sn_simulation_report){.iteration_count = s->coupled.sweep_count, .is_recovered = !is_sound};
    }
    sn_reduced_body_set_morphs(s->body, s->morphs);
    if (sn_cut_is_due(s, frame)) {
        sn_cut_take(s);
    }
    const sn_reduced_report report = sn_reduced_body_step(s->body, s->pose, &surroundings);
    s->milliseconds = 1e3 * (sn_now() - start);
    sn_reduced_body_mode_transforms(s->body, s->parameters->amount, s->modes);
    return (sn_simulation_report){.iteration_count = report.iteration_count,
                                  .change = report.change,
                                  .is_over_budget = report.is_over_budget,
                                  .is_recovered = report.is_recovered};
}
