/* SPDX-License-Identifier: MIT */
/* The parameters of a simulation: their defaults, their options, and what of them goes together. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "author/import/motion_file.h"
#include "tools/simulation/simulation.h"

static const char *const layered_modes[SN_LAYERED_MODE_COUNT] = {
    [SN_LAYERED_UNORDERED] = "unordered", [SN_LAYERED_LAYERS] = "layers"};

/* SN_LAYERED_MODE_COUNT: no such mode. */
static sn_layered_mode layered_mode_of(const sn_simulation_parameters *p)
{
    int mode = 0;
    while (mode < SN_LAYERED_MODE_COUNT && strcmp(p->layered_mode, layered_modes[mode]) != 0) {
        ++mode;
    }
    return (sn_layered_mode)mode;
}

bool sn_is_flesh_drawn(const sn_simulation_parameters *p)
{
    return p->is_flesh_drawn || p->is_layered;
}

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
                                      .poisson = body.poisson,
                                      .spring_wind_area = body.spring_wind_area,
                                      .layered_mode = layered_modes[body.layered_mode],
                                      .consolidating = body.consolidation_sweep_count};
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
        {"--springbones", SN_OPTION_STRING, &p->springbones, 0, 0, "run|suppress|ignore",
         "a VRM's spring bones: by its own numbers (run, where the model has them); flesh swings in their place, as "
         "the model was cooked; as posed"},
        {"--spring-area", SN_OPTION_REAL, &p->spring_wind_area, 0, 1e6, "A",
         "of spring bones: how much of them the wind meets, m^2/kg (1); 0: no wind moves them"},
        {"--double", SN_OPTION_FLAG, &p->is_double, 0, 0, NULL, "the double-precision reference"},
        {"--backend", SN_OPTION_STRING, &p->backend, 0, 0, "cpu|gpu", "what steps (cpu); gpu: in float"},
        {"--single", SN_OPTION_FLAG, &p->is_single_precision, 0, 0, NULL,
         "coupled or layered bodies with --backend gpu: no doubles, which many devices are slow at"},
        {"--threads", SN_OPTION_INT, &p->threads, 1, 1024, "N",
         "one body uses one thread; the result never depends on it"},
        {"--wind", SN_OPTION_VECTOR, p->wind, 0, 0, "X,Y,Z", "velocity of the air in model units a second (0)"},
        {"--collider", SN_OPTION_LIST, &p->solids, 0, 0, "SURFACE",
         "a solid that flesh meets: any surface file, in IN's coordinates; up to 8"},
        {"--collider-cells", SN_OPTION_INT, &p->solid_cells, 2, 256, "N",
         "of its grid of distances, along its longest side (96)"},
        {"--coupled", SN_OPTION_FLAG, &p->is_coupled, 0, 0, NULL,
         "two-way: position-based flesh moves what of the rig is free; any model, or one of cook --coupled"},
        {"--layered", SN_OPTION_FLAG, &p->is_layered, 0, 0, NULL,
         "position-based flesh on bones that carry it, with fibres; a model of cook --layered, for which it is said"},
        {"--substeps", SN_OPTION_INT, &p->substeps, 0, 1000, "N",
         "with either: of a step (15); 0: as many as the flesh's stiffness takes"},
        {"--sweeps", SN_OPTION_INT, &p->sweeps, 1, 1000, "N", "with either: over all constraints, of a substep (1)"},
        {"--rigid-damping", SN_OPTION_FLAG, &p->is_rigid_damped, 0, 0, NULL,
         "with either: --damping is of all motion, not of the flesh's own"},
        {"--flesh", SN_OPTION_FLAG, &p->is_flesh_drawn, 0, 0, NULL,
         "with --coupled: the flesh itself is drawn, which moves finer than the skin of the bones"},
        {"--free", SN_OPTION_LIST, &p->freed, 0, 0, "BONE[,BONE]|all",
         "with --coupled: bones that physics moves; the motion drives the others"},
        {"--lock", SN_OPTION_LIST, &p->locked, 0, 0, "BONE:xyzrs",
         "with --coupled: what the motion drives of a bone: axes of its place, rotation, stretch"},
        {"--compliance", SN_OPTION_REAL, &p->compliance, 0, 1e6, "C",
         "with --coupled: how softly flesh follows its bones, s^2: 1e-4 a little, 1e-2 a lot (0)"},
        {"--poisson", SN_OPTION_REAL, &p->poisson, -1, 0.49, "R",
         "with --coupled: Poisson's ratio of the flesh, below 0, too (0.4); -1: as cooked"},
        {"--layered-mode", SN_OPTION_STRING, &p->layered_mode, 0, 0, "unordered|layers",
         "with --layered: how tets are swept (unordered); layers: the paper's way, from the bones outwards"},
        {"--consolidating", SN_OPTION_INT, &p->consolidating, 0, 1000, "N",
         "with --layered-mode layers: the first N sweeps make finished layers ten times heavier (6)"},
        {0},
    };
    static_assert(sizeof rows / sizeof rows[0] <= SN_SIMULATION_OPTION_LIMIT, "raise the limit");
    memcpy(options, rows, sizeof rows);
}

/* Solvers that know an option. */
enum { OF_REDUCED = 1, OF_COUPLED = 2, OF_LAYERED = 4 };

static int solver_of(const sn_simulation_parameters *p)
{
    return p->is_layered ? OF_LAYERED : p->is_coupled ? OF_COUPLED : OF_REDUCED;
}

/* The first option that is said and that none of the solvers (0: there are none) knows, or null; *knowing: who does. */
static const char *find_absent(const sn_simulation_parameters *p, int solvers, int *knowing)
{
    const sn_simulation_parameters unsaid = sn_default_simulation_parameters();
    const struct {
        const char *option;
        int solvers;
        bool is_said;
    } options[] = {{"--modes-used", OF_REDUCED, p->modes_used > 0},
                   {"--cluster-level", OF_REDUCED, p->cluster_level > 0},
                   {"--neo-hookean", OF_REDUCED, p->is_neo_hookean},
                   {"--no-bone-colliders", OF_REDUCED, p->is_without_bone_colliders},
                   {"--springbones", OF_REDUCED | OF_LAYERED, p->springbones != NULL},
                   {"--spring-area", OF_REDUCED | OF_LAYERED, p->spring_wind_area != unsaid.spring_wind_area},
                   {"--iterations", OF_REDUCED, p->iterations != unsaid.iterations},
                   {"--tolerance", OF_REDUCED, p->tolerance != unsaid.tolerance},
                   {"--budget", OF_REDUCED, p->budget > 0},
                   {"--amount", OF_REDUCED, p->amount != unsaid.amount},
                   {"--free", OF_COUPLED, p->freed.count > 0},
                   {"--lock", OF_COUPLED, p->locked.count > 0},
                   {"--compliance", OF_COUPLED, p->compliance != unsaid.compliance},
                   {"--poisson", OF_COUPLED, p->poisson != unsaid.poisson},
                   {"--rigid-damping", OF_COUPLED | OF_LAYERED, p->is_rigid_damped},
                   {"--substeps", OF_COUPLED | OF_LAYERED, p->substeps != unsaid.substeps},
                   {"--sweeps", OF_COUPLED | OF_LAYERED, p->sweeps != unsaid.sweeps},
                   {"--flesh", OF_COUPLED | OF_LAYERED, p->is_flesh_drawn},
                   {"--layered-mode", OF_LAYERED, strcmp(p->layered_mode, unsaid.layered_mode) != 0},
                   {"--consolidating", OF_LAYERED, p->consolidating != unsaid.consolidating}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i) {
        if (options[i].is_said && !(options[i].solvers & solvers)) {
            *knowing = options[i].solvers;
            return options[i].option;
        }
    }
    return NULL;
}

const char *sn_absent_in_solver(const sn_simulation_parameters *p)
{
    int knowing;
    return find_absent(p, solver_of(p), &knowing);
}

static bool is_on_gpu(const sn_simulation_parameters *p)
{
    return p->backend && strcmp(p->backend, "gpu") == 0;
}

int sn_check_backend(const sn_simulation_parameters *p)
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

static const char *why_absent(const sn_simulation_parameters *p, int knowing)
{
    return p->is_coupled           ? "not with --coupled"
           : p->is_layered         ? "not with --layered"
           : knowing == OF_COUPLED ? "needs --coupled"
           : knowing == OF_LAYERED ? "needs --layered"
                                   : "needs --coupled or --layered";
}

sn_result sn_choose_solver(const char *model_path, const sn_model *model, sn_simulation_parameters *p)
{
    const bool is_told = p->is_layered;
    int knowing = 0;
    p->is_layered = is_told || (!p->is_coupled && sn_model_is_layered(model) && sn_model_mode_count(model) == 0);
    const char *absent = find_absent(p, solver_of(p), &knowing);
    if (p->is_layered && !is_told && absent) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %s: not of layered bodies, which it was cooked for", model_path, absent);
    }
    return absent ? sn_fail(SN_ERROR_ARGUMENT, "%s: %s: %s", model_path, absent, why_absent(p, knowing)) : SN_OK;
}

/* What flesh is stepped by, and whether it knows what it is told. */
static int check_solver(const sn_simulation_parameters *p)
{
    if (p->is_layered && p->is_coupled) {
        fprintf(stderr, "sinew: --coupled or --layered, not both\n");
        return SN_EXIT_USAGE;
    }
    const int solver = solver_of(p);
    int knowing = 0; /* without a flag, the model may choose layered bodies */
    const char *absent = find_absent(p, solver == OF_REDUCED ? OF_REDUCED | OF_LAYERED : solver, &knowing);
    if (absent) {
        fprintf(stderr, "sinew: %s: %s\n", absent, why_absent(p, knowing));
        return SN_EXIT_USAGE;
    }
    if (layered_mode_of(p) == SN_LAYERED_MODE_COUNT) {
        fprintf(stderr, "sinew: --layered-mode %s: not a valid value (unordered|layers)\n", p->layered_mode);
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
    int knowing;
    return find_absent(p, 0, &knowing);
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
