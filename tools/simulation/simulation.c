/* SPDX-License-Identifier: MIT */
#include "tools/simulation/simulation.h"

#include <string.h>

#include "host/platform/platform.h"
#include "runtime/session/wind_gust.h"
#include "tools/simulation/loop_jump.h"

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

/* Matches "all", one bone name that may contain commas, or a comma-separated list. */
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

sn_result sn_simulation_coupled_locks(const sn_simulation_parameters *p, const char *model_path, const sn_model *model,
                                      uint8_t *locks)
{
    memset(locks, SN_LOCK_ALL, (size_t)model->counts.bone_count);
    for (int i = 0; i < p->freed.count; ++i) {
        SN_TRY(free_bones(p->freed.items[i], model_path, model, locks));
    }
    for (int i = 0; i < p->locked.count; ++i) {
        SN_TRY(lock_bone(p->locked.items[i], model_path, model, locks));
    }
    return SN_OK;
}

/* ---- a body ---- */

sn_result sn_simulation_open_motion(const sn_simulation_parameters *p, const char *model_path, const sn_model *model,
                                    sn_arena *arena, sn_motion *motion)
{
    const sn_result result = sn_motion_open(p->live ? NULL : p->motion, model_path, model, arena, motion);
    motion->live = p->live;
    if (result == SN_OK && !p->live && !p->motion && p->plays_first_clip) {
        motion->is_hop = model->counts.clip_count == 0 || sn_model_has_rest_pose_only(model);
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

/* Spring bones were replaced by flesh when the model was cooked, or kept. */
static sn_result check_springs(const sn_simulation_parameters *p, const char *model_path, const sn_model *model)
{
    const bool is_run = p->springbones && strcmp(p->springbones, "run") == 0;
    const bool is_suppressed = p->springbones && strcmp(p->springbones, "suppress") == 0;
    const char *cause = !p->springbones ? NULL
                        : is_run && sn_model_spring_count(model) == 0
                            ? "it has none that run: cook a VRM with --springbones run"
                        : is_suppressed && model->soft_spring_count == 0
                            ? "its flesh has none to swing: cook a VRM with --springbones suppress"
                        : !is_run && !is_suppressed && model->soft_spring_count > 0
                            ? "its flesh swings them: cook it with --springbones run or ignore"
                            : NULL;
    return cause ? sn_fail(SN_ERROR_ARGUMENT, "%s: --springbones %s: %s", model_path, p->springbones, cause) : SN_OK;
}

sn_result sn_simulation_check_detail(const sn_simulation_parameters *p, const char *model_path, const sn_model *model)
{
    const int modes = sn_model_mode_count(model), coarsest = sn_model_cluster_level_count(model) - 1;
    if (p->is_layered && !sn_model_is_layered(model)) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: it was not cooked for layered bodies: cook --layered does",
                       model_path);
    }
    if (modes == 0 && !p->is_coupled && !p->is_layered) {
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
    return check_springs(p, model_path, model);
}

static sn_result open_reduced(sn_simulation *s)
{
    const sn_solver_desc solver = sn_simulation_solver_desc(s->parameters);
    const sn_reduced_desc desc = sn_reduced_desc_from_solver(&solver);
    SN_TRY(sn_reduced_solver_create(s->model, &desc, &s->solver));
    SN_TRY(sn_reduced_body_create(s->solver, s->pose, &s->body));
    sn_reduced_body_set_morphs(s->body, s->morphs);
    sn_reduced_body_reset(s->body, s->pose);
    return SN_OK;
}

static sn_result open_coupled(sn_simulation *s, const char *model_path, sn_arena *arena)
{
    const sn_solver_desc desc = sn_simulation_solver_desc(s->parameters);
    uint8_t *locks = SN_NEW(arena, uint8_t, s->model->counts.bone_count);
    const sn_result result =
        locks ? sn_simulation_coupled_locks(s->parameters, model_path, s->model, locks) : SN_ERROR_MEMORY;
    s->coupled.device.is_single_precision = s->parameters->is_single_precision;
    return result == SN_OK ? sn_coupled_run_open(&s->coupled, s->device, s->model, &desc, locks, s->pose) : result;
}

static sn_result open_layered(sn_simulation *s)
{
    const sn_solver_desc desc = sn_simulation_solver_desc(s->parameters);
    s->layered.device.is_single_precision = s->parameters->is_single_precision;
    return sn_layered_run_open(&s->layered, s->device, s->model, &desc, s->pose);
}

/* On a device, rendering reads the flesh from device memory. */
static sn_result open_flesh(sn_simulation *s, sn_arena *arena)
{
    const bool is_layered = s->parameters->is_layered;
    const sn_device_run *device = is_layered ? &s->layered.device : &s->coupled.device;
    const sn_result result = sn_embedded_surface_open(&s->flesh, s->model, arena);
    return result == SN_OK && device->gpu
               ? sn_device_run_embed(device, is_layered ? s->layered.body : s->coupled.body, s->flesh.embedding)
               : result;
}

/* Also applies the first pose, in which the springs are at rest. */
static sn_result open_springs(sn_simulation *s)
{
    const bool swings = !sn_simulation_body_desc(s->parameters).is_without_springs && !s->parameters->is_coupled;
    const sn_result result = swings ? sn_springs_create(s->model, s->parameters->time_step, &s->springs) : SN_OK;
    sn_simulation_pose(s, 0, s->pose, s->morphs);
    sn_springs_reset(s->springs, s->pose);
    sn_springs_interpolate(s->springs, 1, s->pose, s->pose);
    return result;
}

sn_result sn_simulation_open(sn_simulation *s, const sn_model *model, const char *model_path,
                             const sn_simulation_parameters *parameters, sn_arena *arena)
{
    s->model = model;
    s->parameters = parameters;
    sn_result result = sn_simulation_check_detail(parameters, model_path, model);
    if (result == SN_OK) {
        result = sn_simulation_open_motion(parameters, model_path, model, arena, &s->motion);
    }
    if (result != SN_OK) {
        return result;
    }
    /* clips shorter than a step jump in every step anyway */
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
    result = open_springs(s);
    if (result != SN_OK) {
        return result;
    }
    result = parameters->is_layered   ? open_layered(s)
             : parameters->is_coupled ? open_coupled(s, model_path, arena)
                                      : open_reduced(s);
    return result == SN_OK && sn_simulation_is_flesh_rendered(parameters) ? open_flesh(s, arena) : result;
}

void sn_simulation_close(sn_simulation *s)
{
    sn_reduced_body_destroy(&s->body);
    sn_reduced_solver_destroy(&s->solver);
    sn_coupled_run_close(&s->coupled);
    sn_layered_run_close(&s->layered);
    sn_embedded_surface_close(&s->flesh);
    sn_springs_destroy(&s->springs);
    while (s->solid_count > 0) {
        sn_solid_close(&s->solids[--s->solid_count]);
    }
}

sn_result sn_simulation_add_floor(sn_simulation *s, double height)
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

void sn_simulation_move(sn_simulation *s, int frame)
{
    double jump[12];
    sn_simulation_pose(s, frame, s->pose, s->morphs);
    if (s->springs && sn_loop_jump_is_due(s, frame)) {
        if (s->loop.type == SN_LOOP_TELEPORT) {
            sn_loop_jump_transform(&s->loop, jump);
            sn_springs_teleport(s->springs, jump);
        } else {
            sn_springs_reset(s->springs, s->pose);
        }
    }
    const sn_surroundings surroundings = sn_simulation_surroundings(s, frame);
    const sn_spring_step_input with = {.is_without_own_colliders = s->parameters->is_without_bone_colliders,
                                       .surroundings = &surroundings,
                                       .area = s->parameters->spring_wind_area};
    sn_springs_step(s->springs, s->pose, &with, s->pose);
}

sn_surroundings sn_simulation_surroundings(const sn_simulation *s, int frame)
{
    const sn_simulation_parameters *p = s->parameters;
    const double gust = p->is_gusty ? sn_wind_gust(frame * p->time_step) : 1;
    return (sn_surroundings){.collider_count = s->collider_count,
                             .colliders = s->colliders,
                             .wind = {gust * p->wind[0], gust * p->wind[1], gust * p->wind[2]}};
}

void sn_simulation_tets(const sn_simulation *s, double *flesh, double *rig)
{
    if (s->parameters->is_layered) {
        sn_layered_run_flesh(&s->layered, flesh);
        sn_layered_rig_positions(s->model, s->pose, rig);
    } else {
        sn_coupled_run_positions(&s->coupled, flesh, rig);
    }
}

void sn_simulation_update_flesh(sn_simulation *s)
{
    if (s->flesh.embedding) {
        sn_simulation_tets(s, s->flesh.positions, s->flesh.rig);
        sn_embedded_surface_update(&s->flesh, s->bones);
    }
}

static sn_simulation_report step_layered(sn_simulation *s, int frame, const sn_surroundings *surroundings)
{
    const double start = sn_now();
    if (sn_loop_jump_is_due(s, frame)) {
        sn_layered_run_apply_loop_jump(&s->layered, &s->loop, s->pose);
    }
    bool is_valid = true;
    sn_layered_run_step(&s->layered, s->pose, surroundings, &is_valid);
    s->milliseconds = 1e3 * (sn_now() - start);
    sn_simulation_update_flesh(s);
    return (sn_simulation_report){.iteration_count = s->layered.sweep_count, .is_recovered = !is_valid};
}

sn_simulation_report sn_simulation_step(sn_simulation *s, int frame)
{
    const double start = sn_now();
    sn_simulation_move(s, frame);
    const sn_surroundings surroundings = sn_simulation_surroundings(s, frame);
    if (s->parameters->is_coupled) {
        bool is_valid = true;
        sn_coupled_run_step(&s->coupled, s->pose, &surroundings, &is_valid);
        sn_coupled_run_read(&s->coupled, s->bones, &is_valid);
        s->milliseconds = 1e3 * (sn_now() - start);
        sn_simulation_update_flesh(s);
        return (sn_simulation_report){.iteration_count = s->coupled.sweep_count, .is_recovered = !is_valid};
    }
    if (s->parameters->is_layered) {
        return step_layered(s, frame, &surroundings);
    }
    sn_reduced_body_set_morphs(s->body, s->morphs);
    if (sn_loop_jump_is_due(s, frame)) {
        sn_loop_jump_apply(s);
    }
    const sn_reduced_report report = sn_reduced_body_step(s->body, s->pose, &surroundings);
    s->milliseconds = 1e3 * (sn_now() - start);
    sn_reduced_body_mode_transforms(s->body, s->parameters->amount, s->modes);
    return (sn_simulation_report){.iteration_count = report.iteration_count,
                                  .change = report.change,
                                  .is_over_budget = report.is_over_budget,
                                  .is_recovered = report.is_recovered};
}
