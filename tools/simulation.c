/* SPDX-License-Identifier: MIT */
#include "tools/simulation.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/clock.h"
#include "runtime/app/gust.h"

sn_simulation_parameters sn_default_simulation_parameters(void)
{
    const sn_reduced_desc defaults = sn_default_reduced_desc();
    return (sn_simulation_parameters){.time_step = defaults.time_step,
                                      .stiffness = defaults.stiffness,
                                      .amount = 1,
                                      .tolerance = defaults.tolerance,
                                      .iterations = defaults.iteration_limit,
                                      .threads = 1,
                                      .solid_cells = SN_SOLID_CELLS};
}

void sn_simulation_options(sn_simulation_parameters *p, sn_option options[SN_SIMULATION_OPTION_LIMIT])
{
    const sn_option rows[] = {
        {"--motion", SN_OPTION_STRING, &p->motion, 0, 0, "F.npy|clip:NAME|expression:NAME|hop",
         p->is_first_clip_played ? "the rig's motion (the first clip, or hop)" : "the rig's motion (rest pose)"},
        {"--dt", SN_OPTION_REAL, &p->time_step, 1e-9, 1e3, "S", "time step in seconds (1/60)"},
        {"--gravity", SN_OPTION_VECTOR, p->gravity, 0, 0, "X,Y,Z", "acceleration in model units a second^2 (0)"},
        {"--damping", SN_OPTION_REAL, &p->damping, 0, 1e6, "D", "decay of the flesh's own velocity, 1/s (0)"},
        {"--stiffness", SN_OPTION_REAL, &p->stiffness, 0, 1e9, "S", "times the cooked Young's modulus (1)"},
        {"--amount", SN_OPTION_REAL, &p->amount, 0, 1e3, "A", "share of the displacement that is shown (1)"},
        {"--iterations", SN_OPTION_INT, &p->iterations, 1, 1e6, "N", "local-global iterations at most (30)"},
        {"--tolerance", SN_OPTION_REAL, &p->tolerance, 0, 1, "T",
         "stop below this change, fraction of the diagonal (1e-6)"},
        {"--modes-used", SN_OPTION_INT, &p->modes_used, 1, 1000, "N",
         "level of detail: the model's first N modes (all)"},
        {"--cluster-level", SN_OPTION_INT, &p->cluster_level, 0, 100, "L",
         "level of detail: of the model's levels of clusters (0, the finest)"},
        {"--double", SN_OPTION_FLAG, &p->is_double, 0, 0, NULL, "the double-precision reference"},
        {"--backend", SN_OPTION_STRING, &p->backend, 0, 0, "cpu|gpu", "what steps (cpu); gpu: in float"},
        {"--threads", SN_OPTION_INT, &p->threads, 1, 1024, "N",
         "one body uses one thread; the result never depends on it"},
        {"--wind", SN_OPTION_VECTOR, p->wind, 0, 0, "X,Y,Z", "velocity of the air in model units a second (0)"},
        {"--collider", SN_OPTION_LIST, &p->solids, 0, 0, "SURFACE",
         "a solid that flesh meets: any surface file, in IN's coordinates; up to 8"},
        {"--collider-cells", SN_OPTION_INT, &p->solid_cells, 2, 256, "N",
         "of its grid of distances, along its longest side (96)"},
        {0},
    };
    static_assert(sizeof rows / sizeof rows[0] <= SN_SIMULATION_OPTION_LIMIT, "raise the limit");
    memcpy(options, rows, sizeof rows);
}

int sn_check_simulation_parameters(const sn_simulation_parameters *p)
{
    if (p->backend && strcmp(p->backend, "cpu") != 0 && strcmp(p->backend, "gpu") != 0) {
        fprintf(stderr, "sinew: --backend %s: not a valid value (cpu|gpu)\n", p->backend);
        return SN_EXIT_USAGE;
    }
    if (p->solids.count > SN_SOLID_LIMIT) {
        fprintf(stderr, "sinew: --collider %s: more than %d\n", p->solids.items[SN_SOLID_LIMIT], SN_SOLID_LIMIT);
        return SN_EXIT_USAGE;
    }
    return SN_CONTINUE;
}

static sn_reduced_desc solver_desc(const sn_simulation_parameters *p)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.time_step = p->time_step;
    desc.stiffness = p->stiffness;
    desc.damping = p->damping;
    memcpy(desc.gravity, p->gravity, sizeof desc.gravity);
    desc.iteration_limit = p->iterations;
    desc.tolerance = p->tolerance;
    desc.is_double = p->is_double;
    desc.mode_count = p->modes_used;
    desc.cluster_level = p->cluster_level;
    return desc;
}

sn_result sn_simulation_open_motion(const sn_simulation_parameters *p, const char *model_path, const sn_model *model,
                                    sn_arena *arena, sn_motion *motion)
{
    const sn_result result = sn_motion_open(p->motion, model_path, model, arena, motion);
    if (result == SN_OK && !p->motion && p->is_first_clip_played) {
        motion->clip = model->counts.clip_count > 0 ? 0 : -1;
        motion->is_hop = model->counts.clip_count == 0;
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
    if (p->modes_used > modes) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: --modes-used %d: it has %d modes", model_path, p->modes_used, modes);
    }
    if (p->cluster_level > coarsest) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: --cluster-level %d: its coarsest is %d", model_path, p->cluster_level,
                       coarsest);
    }
    return SN_OK;
}

sn_result sn_simulation_open(sn_simulation *s, const sn_model *model, const char *model_path,
                             const sn_simulation_parameters *parameters, sn_arena *arena)
{
    const sn_reduced_desc desc = solver_desc(parameters);
    s->model = model;
    s->parameters = parameters;
    sn_result result = sn_check_detail(parameters, model_path, model);
    if (result == SN_OK) {
        result = sn_simulation_open_motion(parameters, model_path, model, arena, &s->motion);
    }
    if (result != SN_OK) {
        return result;
    }
    s->pose = SN_NEW(arena, double, 12 * (size_t)model->counts.bone_count);
    s->modes = SN_NEW(arena, double, 12 * (size_t)model->counts.mode_count);
    s->morphs = SN_NEW(arena, float, model->counts.morph_count);
    if (!s->pose || !s->modes || !s->morphs) {
        return SN_ERROR_MEMORY;
    }
    result = sn_simulation_open_solids(parameters, model, arena, s->solids, &s->solid_count);
    for (int i = 0; i < s->solid_count; ++i) {
        s->colliders[s->collider_count++] = s->solids[i].collider;
    }
    if (result == SN_OK) {
        result = sn_reduced_solver_create(model, &desc, &s->solver);
    }
    if (result != SN_OK) {
        return result;
    }
    sn_simulation_pose(s, 0, s->pose, s->morphs);
    result = sn_reduced_body_create(s->solver, s->pose, &s->body);
    if (result == SN_OK) {
        sn_reduced_body_set_morphs(s->body, s->morphs);
        sn_reduced_body_reset(s->body, s->pose);
    }
    return result;
}

void sn_simulation_close(sn_simulation *s)
{
    sn_reduced_body_destroy(&s->body);
    sn_reduced_solver_destroy(&s->solver);
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

sn_reduced_report sn_simulation_step(sn_simulation *s, int frame)
{
    sn_simulation_pose(s, frame, s->pose, s->morphs);
    const sn_surroundings surroundings = sn_simulation_surroundings(s, frame);
    sn_reduced_body_set_morphs(s->body, s->morphs);
    const double start = sn_now();
    const sn_reduced_report report = sn_reduced_body_step(s->body, s->pose, &surroundings);
    s->milliseconds = 1e3 * (sn_now() - start);
    sn_reduced_body_mode_transforms(s->body, s->parameters->amount, s->modes);
    return report;
}
