/* SPDX-License-Identifier: MIT */
/* Simulation parameters: defaults, command-line options and their compatibility. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "author/import/motion_file.h"
#include "tools/simulation/simulation.h"

static const char *const layered_modes[SN_LAYERED_MODE_COUNT] = {
    [SN_LAYERED_UNORDERED] = "unordered", [SN_LAYERED_LAYERS] = "layers"};

/* Returns SN_LAYERED_MODE_COUNT for an unknown mode. */
static sn_layered_mode layered_mode_of(const sn_simulation_parameters *p)
{
    int mode = 0;
    while (mode < SN_LAYERED_MODE_COUNT && strcmp(p->layered_mode, layered_modes[mode]) != 0) {
        ++mode;
    }
    return (sn_layered_mode)mode;
}

bool sn_simulation_is_flesh_rendered(const sn_simulation_parameters *p)
{
    return p->is_flesh_drawn || p->is_layered;
}

sn_simulation_parameters sn_simulation_default_parameters(void)
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
                                      .poisson = body.poisson,
                                      .spring_wind_area = body.spring_wind_area,
                                      .layered_mode = layered_modes[body.layered_mode],
                                      .consolidating = body.consolidation_sweep_count};
}

void sn_simulation_options(sn_simulation_parameters *p, sn_option options[SN_SIMULATION_OPTION_LIMIT])
{
    const sn_option rows[] = {
        {"--motion", SN_OPTION_STRING, &p->motion, 0, 0, "F|clip:NAME|...",
         p->plays_first_clip ? "motion: .npy" SN_MOTION_FILES(" ") ", hop, jump, ... [first clip]"
                             : "motion: .npy" SN_MOTION_FILES(" ") ", hop, jump, ... [rest pose]",
         SN_GROUP_INPUT, true},
        {"--dt", SN_OPTION_REAL, &p->time_step, 1e-9, 1e3, "S", "time step in seconds [1/60]", SN_GROUP_SIMULATION,
         false},
        {"--gravity", SN_OPTION_VECTOR, p->gravity, 0, 0, "X,Y,Z", "acceleration in model units per second^2 [0,0,0]",
         SN_GROUP_SIMULATION, true},
        {"--damping", SN_OPTION_REAL, &p->damping, 0, 1e6, "D", "decay rate of the secondary motion in 1/s [0]",
         SN_GROUP_SIMULATION, true},
        {"--stiffness", SN_OPTION_REAL, &p->stiffness, 0, 1e9, "S", "factor on the cooked Young's modulus [1]",
         SN_GROUP_SIMULATION, true},
        {"--amount", SN_OPTION_REAL, &p->amount, 0, 1e3, "A", "factor on the displayed secondary displacement [1]",
         SN_GROUP_RENDERING, false},
        {"--iterations", SN_OPTION_INT, &p->iterations, 1, 1e6, "N", "maximum number of local-global iterations [30]",
         SN_GROUP_SIMULATION, false},
        {"--tolerance", SN_OPTION_REAL, &p->tolerance, 0, 1, "T",
         "stop below this change, as a fraction of the diagonal [1e-6]", SN_GROUP_SIMULATION, false},
        {"--budget", SN_OPTION_REAL, &p->budget, 0, 1e9, "US",
         "time limit for the iterations of a step, in microseconds; 0: none [0]", SN_GROUP_ADVANCED, false},
        {"--modes-used", SN_OPTION_INT, &p->modes_used, 1, 1000, "N",
         "level of detail: use only the first N modes [all]", SN_GROUP_SIMULATION, false},
        {"--cluster-level", SN_OPTION_INT, &p->cluster_level, 0, 100, "L",
         "level of detail of the rotation clusters; 0 is the finest [0]", SN_GROUP_SIMULATION, false},
        {"--neo-hookean", SN_OPTION_FLAG, &p->is_neo_hookean, 0, 0, NULL,
         "use a stable Neo-Hookean material; not for flat bodies", SN_GROUP_SIMULATION, false},
        {"--gravity-rest", SN_OPTION_FLAG, &p->has_gravity_at_rest, 0, 0, NULL, "let gravity act in the bind pose, too",
         SN_GROUP_SIMULATION, false},
        {"--no-bone-colliders", SN_OPTION_FLAG, &p->is_without_bone_colliders, 0, 0, NULL,
         "ignore the colliders on the model's bones", SN_GROUP_SIMULATION, false},
        {"--springbones", SN_OPTION_STRING, &p->springbones, 0, 0, "MODE",
         "VRM spring bones: run, suppress (leave them to the flesh), ignore [run]", SN_GROUP_SIMULATION, false},
        {"--spring-area", SN_OPTION_REAL, &p->spring_wind_area, 0, 1e6, "A",
         "wind area of spring bones in m^2/kg; 0: no wind on them [1]", SN_GROUP_ADVANCED, false},
        {"--double", SN_OPTION_FLAG, &p->is_double, 0, 0, NULL, "use the double-precision reference solver",
         SN_GROUP_ADVANCED, false},
        {"--backend", SN_OPTION_STRING, &p->backend, 0, 0, "cpu|gpu",
         "where the simulation runs; gpu uses single precision [cpu]", SN_GROUP_SIMULATION, true},
        {"--single", SN_OPTION_FLAG, &p->is_single_precision, 0, 0, NULL,
         "single precision for coupled or layered bodies with --backend gpu", SN_GROUP_ADVANCED, false},
        {"--threads", SN_OPTION_INT, &p->threads, 1, 1024, "N", "number of threads; does not change the result [1]",
         SN_GROUP_ADVANCED, false},
        {"--wind", SN_OPTION_VECTOR, p->wind, 0, 0, "X,Y,Z", "air velocity in model units per second [0,0,0]",
         SN_GROUP_SIMULATION, false},
        {"--collider", SN_OPTION_LIST, &p->solids, 0, 0, "SURFACE",
         "solid obstacle: a surface file in the input's coordinates; up to 8", SN_GROUP_INPUT, false},
        {"--collider-cells", SN_OPTION_INT, &p->solid_cells, 2, 256, "N",
         "cells of an obstacle's distance grid along its longest side [96]", SN_GROUP_ADVANCED, false},
        {"--coupled", SN_OPTION_FLAG, &p->is_coupled, 0, 0, NULL,
         "two-way coupling: flesh also moves the bones that --free names", SN_GROUP_SIMULATION, false},
        {"--layered", SN_OPTION_FLAG, &p->is_layered, 0, 0, NULL,
         "layered strain-based flesh on bones; default for cook --layered models", SN_GROUP_SIMULATION, false},
        {"--substeps", SN_OPTION_INT, &p->substeps, 0, 1000, "N",
         "coupled, layered: substeps of a step; 0: chosen from the stiffness [15]", SN_GROUP_SIMULATION, false},
        {"--sweeps", SN_OPTION_INT, &p->sweeps, 1, 1000, "N", "coupled, layered: constraint sweeps of a substep [1]",
         SN_GROUP_SIMULATION, false},
        {"--rigid-damping", SN_OPTION_FLAG, &p->is_rigid_damped, 0, 0, NULL,
         "coupled, layered: --damping also damps rigid motion", SN_GROUP_SIMULATION, false},
        {"--flesh", SN_OPTION_FLAG, &p->is_flesh_drawn, 0, 0, NULL,
         "coupled: render the simulated flesh instead of the skinned surface", SN_GROUP_RENDERING, false},
        {"--free", SN_OPTION_LIST, &p->freed, 0, 0, "BONE[,BONE]|all",
         "coupled: bones that the simulation moves [none]", SN_GROUP_SIMULATION, false},
        {"--lock", SN_OPTION_LIST, &p->locked, 0, 0, "BONE:xyzrs",
         "coupled: drive a bone's position axes (xyz), rotation (r), stretch (s)", SN_GROUP_SIMULATION, false},
        {"--compliance", SN_OPTION_REAL, &p->compliance, 0, 1e6, "C",
         "coupled: compliance of flesh on bones in s^2; 1e-2 is very soft [0]", SN_GROUP_SIMULATION, false},
        {"--poisson", SN_OPTION_REAL, &p->poisson, -1, 0.49, "R",
         "coupled: Poisson's ratio of the flesh; -1: as cooked [0.4]", SN_GROUP_SIMULATION, false},
        {"--layered-mode", SN_OPTION_STRING, &p->layered_mode, 0, 0, "MODE",
         "layered: sweep order, unordered or layers as in the paper [unordered]", SN_GROUP_ADVANCED, false},
        {"--consolidating", SN_OPTION_INT, &p->consolidating, 0, 1000, "N",
         "layered, layers: sweeps in which finished layers weigh 10 times more [6]", SN_GROUP_ADVANCED, false},
        {0},
    };
    static_assert(sizeof rows / sizeof rows[0] <= SN_SIMULATION_OPTION_LIMIT, "raise the limit");
    memcpy(options, rows, sizeof rows);
}

/* Bits: the solvers that support an option. */
enum { OF_REDUCED = 1, OF_COUPLED = 2, OF_LAYERED = 4 };

static int solver_of(const sn_simulation_parameters *p)
{
    return p->is_layered ? OF_LAYERED : p->is_coupled ? OF_COUPLED : OF_REDUCED;
}

/* Returns the first option that the user set and that none of `solvers` supports (0 matches every set option), or null.
 * *knowing: the solvers that support it. */
static const char *find_unsupported(const sn_simulation_parameters *p, int solvers, int *supporting_solvers)
{
    const sn_simulation_parameters default_values = sn_simulation_default_parameters();
    const struct {
        const char *option;
        int solvers;
        bool is_set;
    } options[] = {{"--modes-used", OF_REDUCED, p->modes_used > 0},
                   {"--cluster-level", OF_REDUCED, p->cluster_level > 0},
                   {"--neo-hookean", OF_REDUCED, p->is_neo_hookean},
                   {"--gravity-rest", OF_REDUCED, p->has_gravity_at_rest},
                   {"--no-bone-colliders", OF_REDUCED, p->is_without_bone_colliders},
                   {"--springbones", OF_REDUCED | OF_LAYERED, p->springbones != NULL},
                   {"--spring-area", OF_REDUCED | OF_LAYERED, p->spring_wind_area != default_values.spring_wind_area},
                   {"--iterations", OF_REDUCED, p->iterations != default_values.iterations},
                   {"--tolerance", OF_REDUCED, p->tolerance != default_values.tolerance},
                   {"--budget", OF_REDUCED, p->budget > 0},
                   {"--amount", OF_REDUCED, p->amount != default_values.amount},
                   {"--free", OF_COUPLED, p->freed.count > 0},
                   {"--lock", OF_COUPLED, p->locked.count > 0},
                   {"--compliance", OF_COUPLED, p->compliance != default_values.compliance},
                   {"--poisson", OF_COUPLED, p->poisson != default_values.poisson},
                   {"--rigid-damping", OF_COUPLED | OF_LAYERED, p->is_rigid_damped},
                   {"--substeps", OF_COUPLED | OF_LAYERED, p->substeps != default_values.substeps},
                   {"--sweeps", OF_COUPLED | OF_LAYERED, p->sweeps != default_values.sweeps},
                   {"--flesh", OF_COUPLED | OF_LAYERED, p->is_flesh_drawn},
                   {"--layered-mode", OF_LAYERED, strcmp(p->layered_mode, default_values.layered_mode) != 0},
                   {"--consolidating", OF_LAYERED, p->consolidating != default_values.consolidating}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i) {
        if (options[i].is_set && !(options[i].solvers & solvers)) {
            *supporting_solvers = options[i].solvers;
            return options[i].option;
        }
    }
    return NULL;
}

const char *sn_simulation_unsupported_option(const sn_simulation_parameters *p)
{
    int supporting_solvers;
    return find_unsupported(p, solver_of(p), &supporting_solvers);
}

static bool is_on_gpu(const sn_simulation_parameters *p)
{
    return p->backend && strcmp(p->backend, "gpu") == 0;
}

int sn_simulation_check_backend(const sn_simulation_parameters *p)
{
    if (p->backend && !is_on_gpu(p) && strcmp(p->backend, "cpu") != 0) {
        fprintf(stderr, "sinew: --backend %s: not a valid value (cpu|gpu)\n", p->backend);
        return SN_EXIT_USAGE;
    }
    if (p->is_single_precision && !is_on_gpu(p)) {
        fprintf(stderr, "sinew: --single: needs --backend gpu\n");
        return SN_EXIT_USAGE;
    }
    return SN_CONTINUE;
}

static const char *unsupported_reason(const sn_simulation_parameters *p, int supporting_solvers)
{
    return p->is_coupled                      ? "not with --coupled"
           : p->is_layered                    ? "not with --layered"
           : supporting_solvers == OF_COUPLED ? "needs --coupled"
           : supporting_solvers == OF_LAYERED ? "needs --layered"
                                              : "needs --coupled or --layered";
}

sn_result sn_simulation_choose_solver(const char *model_path, const sn_model *model, sn_simulation_parameters *p)
{
    const bool is_requested = p->is_layered;
    int supporting_solvers = 0;
    p->is_layered = is_requested || (!p->is_coupled && sn_model_is_layered(model) && sn_model_mode_count(model) == 0);
    const char *unsupported = find_unsupported(p, solver_of(p), &supporting_solvers);
    if (p->is_layered && !is_requested && unsupported) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %s: not supported by layered bodies, for which the model was cooked",
                       model_path, unsupported);
    }
    return unsupported ? sn_fail(SN_ERROR_ARGUMENT, "%s: %s: %s", model_path, unsupported,
                                 unsupported_reason(p, supporting_solvers))
                       : SN_OK;
}

/* Checks that one solver is selected and supports the options. */
static int check_solver(const sn_simulation_parameters *p)
{
    if (p->is_layered && p->is_coupled) {
        fprintf(stderr, "sinew: --coupled or --layered, not both\n");
        return SN_EXIT_USAGE;
    }
    const int solver = solver_of(p);
    int supporting_solvers = 0; /* without --coupled or --layered, the model may select layered bodies */
    const char *unsupported =
        find_unsupported(p, solver == OF_REDUCED ? OF_REDUCED | OF_LAYERED : solver, &supporting_solvers);
    if (unsupported) {
        fprintf(stderr, "sinew: %s: %s\n", unsupported, unsupported_reason(p, supporting_solvers));
        return SN_EXIT_USAGE;
    }
    if (layered_mode_of(p) == SN_LAYERED_MODE_COUNT) {
        fprintf(stderr, "sinew: --layered-mode %s: not a valid value (unordered|layers)\n", p->layered_mode);
        return SN_EXIT_USAGE;
    }
    return SN_CONTINUE;
}

int sn_simulation_check_parameters(const sn_simulation_parameters *p)
{
    const int status = sn_simulation_check_backend(p);
    if (status != SN_CONTINUE) {
        return status;
    }
    if (p->is_single_precision && !p->is_coupled && !p->is_layered) {
        fprintf(stderr, "sinew: --single: needs --coupled or --layered\n");
        return SN_EXIT_USAGE;
    }
    if (p->springbones && strcmp(p->springbones, "run") != 0 && strcmp(p->springbones, "suppress") != 0 &&
        strcmp(p->springbones, "ignore") != 0) {
        fprintf(stderr, "sinew: --springbones %s: not a valid value (run|suppress|ignore)\n", p->springbones);
        return SN_EXIT_USAGE;
    }
    if (p->solids.count > SN_SOLID_LIMIT) {
        fprintf(stderr, "sinew: --collider %s: more than %d\n", p->solids.items[SN_SOLID_LIMIT], SN_SOLID_LIMIT);
        return SN_EXIT_USAGE;
    }
    return check_solver(p);
}

const char *sn_simulation_changed_option(const sn_simulation_parameters *p)
{
    const sn_simulation_parameters d = sn_simulation_default_parameters();
    const struct {
        const char *option;
        bool is_changed;
    } all[] = {{"--motion", p->motion != NULL},
               {"--dt", p->time_step != d.time_step},
               {"--gravity", memcmp(p->gravity, d.gravity, sizeof d.gravity) != 0},
               {"--wind", memcmp(p->wind, d.wind, sizeof d.wind) != 0},
               {"--damping", p->damping != d.damping},
               {"--stiffness", p->stiffness != d.stiffness},
               {"--double", p->is_double},
               {"--collider", p->solids.count > 0},
               {"--collider-cells", p->solid_cells != d.solid_cells},
               {"--coupled", p->is_coupled},
               {"--layered", p->is_layered}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        if (all[i].is_changed) {
            return all[i].option;
        }
    }
    int supporting_solvers;
    return find_unsupported(p, 0, &supporting_solvers);
}

sn_solver_desc sn_simulation_solver_desc(const sn_simulation_parameters *p)
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
                            .has_gravity_at_rest = p->has_gravity_at_rest,
                            .mass = 1,
                            .substep_count = p->substeps,
                            .sweep_count = p->sweeps,
                            .poisson = p->poisson,
                            .compliance = p->compliance,
                            .is_rigid_damped = p->is_rigid_damped,
                            .layered_mode = layered_mode_of(p),
                            .consolidation_sweep_count = p->consolidating,
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
    desc.has_gravity_at_rest = p->has_gravity_at_rest;
    desc.is_without_springs = p->springbones && strcmp(p->springbones, "run") != 0;
    desc.spring_wind_area = p->spring_wind_area;
    desc.tolerance = p->tolerance;
    desc.budget_seconds = 1e-6 * p->budget;
    desc.solver = p->is_layered ? SN_SOLVER_LAYERED : p->is_coupled ? SN_SOLVER_COUPLED : SN_SOLVER_REDUCED;
    desc.substep_count = p->substeps;
    desc.sweep_count = p->sweeps;
    desc.compliance = p->compliance;
    desc.poisson = p->poisson;
    desc.is_rigid_damped = p->is_rigid_damped;
    desc.layered_mode = layered_mode_of(p);
    desc.consolidation_sweep_count = p->consolidating;
    return desc;
}
