/* SPDX-License-Identifier: MIT */
/* sinew sim: simulates a model without a window. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "author/io/npy.h"
#include "author/weights/morph_columns.h"
#include "compute/core/open.h"
#include "host/math/affine.h"
#include "host/platform/platform.h"
#include "host/skin/skin.h"
#include "tools/command/added_motion.h"
#include "tools/command/args.h"
#include "tools/command/json.h"
#include "tools/command/median.h"
#include "tools/command/model_file.h"
#include "tools/command/verbs.h"
#include "tools/scene_json/scene_json.h"
#include "tools/sim/arguments.h"
#include "tools/sim/full_space.h"
#include "tools/sim/measure.h"
#include "tools/sim/point_set.h"
#include "tools/sim/replay.h"
#include "tools/sim/scene.h"
#include "tools/simulation/device_body.h"
#include "tools/simulation/floor.h"
#include "tools/simulation/loop_jump.h"
#include "tools/simulation/simulation.h"

typedef struct sim {
    const sn_sim_arguments *arguments;
    const sn_model *model;
    sn_simulation simulation;
    sn_full_space full;         /* with --full-space */
    sn_gpu_device *device;      /* with --backend gpu */
    sn_device_body device_body; /* device state of a reduced body */
    sn_measure measure;
    sn_point_set tets, surface;
    double *morph_columns; /* (vertex_count x 3 morph_pair_count) */
    double *morph_rows;    /* (3 morph_pair_count x 3) */
    double *morph_fields;  /* (morph_field_count) */
    double *milliseconds;  /* (frames) */
    double *energies;      /* with --dump: (frames x 3) */
    double *momenta;       /* with --dump, of coupled and layered bodies: (frames x 6) */
    double *handles;       /* with --dump, of coupled bodies: (frames x bone_count x 12), in the input's units */
    double iterations_sum;
    double change_max;     /* sum of the last iterations' changes over all steps */
    int over_budget_count; /* number of steps */
    int recoveries;
    sn_arena arena;
} sim;

static sn_result allocate(sim *s)
{
    const size_t frames = (size_t)s->arguments->frames;
    const int frame_count = s->arguments->frames;
    const bool is_dumped = s->arguments->dump != NULL;
    bool is_ok = sn_point_set_alloc(s->model->counts.vertex_count, frame_count, is_dumped ? SN_DUMP_BOTH : SN_DUMP_NONE,
                                    &s->arena, &s->tets) == SN_OK &&
                 sn_point_set_alloc(s->model->counts.surface_vertex_count, frame_count,
                                    is_dumped ? SN_DUMP_MOVED : SN_DUMP_NONE, &s->arena, &s->surface) == SN_OK &&
                 (s->milliseconds = SN_NEW(&s->arena, double, frames)) &&
                 (s->energies = SN_NEW(&s->arena, double, 3 * frames)) &&
                 (s->morph_rows = SN_NEW(&s->arena, double, 9 * s->model->counts.morph_pair_count)) &&
                 (s->morph_fields = SN_NEW(&s->arena, double, s->model->counts.morph_field_count));
    const sn_simulation_parameters *p = &s->arguments->parameters;
    if (is_ok && is_dumped && p->is_coupled) {
        s->handles = sn_arena_alloc(&s->arena, frames, 12 * (size_t)s->model->counts.bone_count * sizeof(double));
        is_ok = s->handles != NULL;
    }
    if (is_ok && is_dumped && (p->is_coupled || p->is_layered)) {
        s->momenta = SN_NEW(&s->arena, double, 6 * frames);
        is_ok = s->momenta != NULL;
    }
    return is_ok ? sn_morph_columns_from_model(s->model, &s->arena, &s->morph_columns) : SN_ERROR_MEMORY;
}

static void to_input_units(const sn_model *model, const double *positions, int count, double *result)
{
    const double origin[3] = {model->origin_x, model->origin_y, model->origin_z};
    for (size_t i = 0; i < 3 * (size_t)count; ++i) {
        result[i] = positions[i] / model->scale + origin[i % 3];
    }
}

static void record_points(const sim *s, int frame, const sn_point_set *points)
{
    const size_t first = 3 * (size_t)points->count * (size_t)frame;
    to_input_units(s->model, points->moved, points->count, points->all_moved + first);
    if (points->all_rig) {
        to_input_units(s->model, points->rig, points->count, points->all_rig + first);
    }
}

/* Converts x' = L (x - o) + o + t from model units to the input's units, relative to rest as motion files are. */
static void record_handles(const sim *s, int frame)
{
    const sn_model *m = s->model;
    const size_t bones = (size_t)m->counts.bone_count;
    const double back[3] = {-m->origin_x * m->scale, -m->origin_y * m->scale, -m->origin_z * m->scale};
    for (size_t b = 0; b < bones; ++b) {
        sn_affine_rescale(s->simulation.bones + 12 * b, back, 1 / m->scale,
                          s->handles + 12 * (bones * (size_t)frame + b));
    }
}

static void record(sim *s, int frame)
{
    record_points(s, frame, &s->tets);
    record_points(s, frame, &s->surface);
    double *row = s->energies + 3 * (size_t)frame;
    if (s->arguments->is_full_space) {
        const sn_fullspace_energy energy = sn_fullspace_body_energy(s->full.body);
        row[0] = energy.kinetic;
        row[1] = energy.elastic;
    } else if (s->arguments->parameters.is_layered) {
        const sn_body_motion motion = sn_layered_run_motion(&s->simulation.layered);
        row[0] = motion.kinetic;
        row[1] = motion.elastic;
        memcpy(s->momenta + 6 * (size_t)frame, motion.momentum, sizeof motion.momentum);
        memcpy(s->momenta + 6 * (size_t)frame + 3, motion.angular_momentum, sizeof motion.angular_momentum);
    } else if (s->arguments->parameters.is_coupled) {
        const sn_xpbd_energy energy = sn_coupled_run_energy(&s->simulation.coupled);
        row[0] = energy.kinetic;
        row[1] = energy.elastic;
        memcpy(s->momenta + 6 * (size_t)frame, energy.momentum, sizeof energy.momentum);
        memcpy(s->momenta + 6 * (size_t)frame + 3, energy.angular_momentum, sizeof energy.angular_momentum);
        record_handles(s, frame);
    } else {
        const sn_reduced_energy energy = sn_reduced_body_energy(s->simulation.body);
        row[0] = s->device ? sn_device_body_kinetic(&s->device_body) : energy.kinetic;
        row[1] = energy.elastic;
    }
    row[2] = row[0] + row[1];
}

/* Adds the displacement of the morph targets to the rig's tets. */
static void add_morphs(sim *s)
{
    const sn_model *m = s->model;
    const int pairs = m->counts.morph_pair_count;
    sn_model_morph_fields(m, s->simulation.morphs, s->morph_fields);
    sn_morph_pair_rows(m->morph_pairs, pairs, s->simulation.pose, s->morph_fields, s->morph_rows);
    sn_morph_columns_add(s->morph_columns, s->tets.count, pairs, s->morph_rows, s->tets.rig);
}

/* Compares simulated flesh with the rig; both are simulated for coupled bodies. The surface is skinned, or embedded in
 * the flesh, and compared with the posed surface. */
static void skin_flesh(sim *s)
{
    const sn_simulation *body = &s->simulation;
    sn_surface surface = sn_model_surface(s->model);
    surface.mode_count = 0;
    sn_simulation_tets(body, s->tets.moved, s->tets.rig);
    if (body->flesh.embedding) {
        sn_embedded_surface_positions(&body->flesh, body->morphs, s->surface.moved, NULL);
    } else {
        sn_skin_surface(&surface, body->bones, NULL, body->morphs, s->surface.moved, NULL, NULL);
    }
    sn_skin_surface(&surface, body->pose, NULL, body->morphs, s->surface.rig, NULL, NULL);
}

static void skin(sim *s)
{
    const sn_model *m = s->model;
    const sn_simulation *body = &s->simulation;
    const int n = s->tets.count;
    if (s->arguments->parameters.is_coupled || s->arguments->parameters.is_layered) {
        skin_flesh(s);
        return;
    }
    memset(s->tets.rig, 0, 3 * (size_t)n * sizeof(double));
    sn_skin_add(m->rig_weights, m->counts.bone_count, body->pose, m->rest_positions, n, s->tets.rig);
    add_morphs(s);
    memcpy(s->tets.moved, s->tets.rig, 3 * (size_t)n * sizeof(double));
    sn_skin_add(m->mode_weights, m->counts.mode_count, body->modes, m->rest_positions, n, s->tets.moved);
    sn_surface surface = sn_model_surface(m);
    sn_skin_surface(&surface, body->pose, body->modes, body->morphs, s->surface.moved, NULL, NULL);
    surface.mode_count = 0;
    sn_skin_surface(&surface, body->pose, NULL, body->morphs, s->surface.rig, NULL, NULL);
    if (s->arguments->is_full_space) {
        sn_full_space_add(&s->full, s->arguments->parameters.amount, s->tets.moved, s->surface.moved);
    }
}

static sn_result step_on_threads(sim *s, int frame)
{
    const sn_simulation_report report = sn_simulation_step(&s->simulation, frame);
    s->milliseconds[frame] = s->simulation.milliseconds;
    s->iterations_sum += report.iteration_count;
    s->change_max = fmax(s->change_max, report.change);
    s->over_budget_count += report.is_over_budget;
    s->recoveries += report.is_recovered;
    return SN_OK;
}

static sn_result step_coupled_on_device(sim *s, int frame)
{
    sn_simulation *body = &s->simulation;
    bool is_valid = true;
    sn_simulation_move(body, frame);
    const sn_surroundings surroundings = sn_simulation_surroundings(body, frame);
    const double start = sn_now();
    const sn_result result = sn_coupled_run_step(&body->coupled, body->pose, &surroundings, &is_valid);
    sn_gpu_device_wait(s->device);
    s->milliseconds[frame] = 1e3 * (sn_now() - start);
    s->iterations_sum += body->coupled.sweep_count;
    if (result != SN_OK || sn_coupled_run_read(&body->coupled, body->bones, &is_valid) != SN_OK) {
        return SN_ERROR_UNSUPPORTED;
    }
    sn_simulation_update_flesh(body);
    s->recoveries += !is_valid;
    return SN_OK;
}

static sn_result step_layered_on_device(sim *s, int frame)
{
    sn_simulation *body = &s->simulation;
    bool is_valid = true;
    sn_simulation_move(body, frame);
    const sn_surroundings surroundings = sn_simulation_surroundings(body, frame);
    if (sn_loop_jump_is_due(body, frame)) {
        sn_layered_run_apply_loop_jump(&body->layered, &body->loop, body->pose);
    }
    const double start = sn_now();
    const sn_result result = sn_layered_run_step(&body->layered, body->pose, &surroundings, &is_valid);
    sn_gpu_device_wait(s->device);
    s->milliseconds[frame] = 1e3 * (sn_now() - start);
    s->iterations_sum += body->layered.sweep_count;
    s->recoveries += !sn_layered_run_read(&body->layered);
    sn_simulation_update_flesh(body);
    return result;
}

/* Copies the device's state into the CPU body, which all measurements use. */
static sn_result step_on_device(sim *s, int frame)
{
    sn_simulation *body = &s->simulation;
    sn_reduced_report report = {0};
    sn_simulation_move(body, frame);
    const sn_surroundings surroundings = sn_simulation_surroundings(body, frame);
    const sn_rig_pose pose = {body->pose, body->morphs};
    if (sn_loop_jump_is_due(body, frame)) {
        sn_device_body_apply_loop_jump(&s->device_body, &body->loop, &pose);
    }
    const sn_result result = sn_device_body_step(&s->device_body, &pose, &surroundings, &report);
    s->milliseconds[frame] = s->device_body.milliseconds;
    s->iterations_sum += report.iteration_count;
    s->change_max = fmax(s->change_max, report.change);
    s->over_budget_count += report.is_over_budget;
    s->recoveries += report.is_recovered;
    sn_reduced_body_reset(body->body, body->pose);
    sn_reduced_body_set_coordinates(body->body, s->device_body.coordinates);
    sn_reduced_body_mode_transforms(body->body, s->arguments->parameters.amount, body->modes);
    return result;
}

/* The reduced body only provides the pose; it stays at rest with zero modes. */
static sn_result step_full(sim *s, int frame)
{
    sn_simulation_move(&s->simulation, frame);
    const sn_fullspace_report report = sn_full_space_step(&s->full, &s->simulation);
    s->milliseconds[frame] = s->full.milliseconds;
    s->iterations_sum += report.iteration_count;
    s->change_max = fmax(s->change_max, report.change);
    s->recoveries += report.is_recovered;
    return SN_OK;
}

static sn_result step(sim *s, int frame)
{
    const sn_sim_arguments *a = s->arguments;
    const bool is_coupled = a->parameters.is_coupled, is_layered = a->parameters.is_layered;
    const sn_result result = (a->is_full_space          ? step_full
                              : s->device && is_coupled ? step_coupled_on_device
                              : s->device && is_layered ? step_layered_on_device
                              : s->device               ? step_on_device
                                                        : step_on_threads)(s, frame);
    if (result != SN_OK) {
        return result;
    }
    skin(s);
    sn_measure_tets(s->model, s->tets.moved, s->tets.rig, &s->measure);
    sn_measure_surface(s->model, s->surface.moved, s->surface.rig,
                       &(sn_measure_rig){s->simulation.bones, s->simulation.morphs}, &s->measure);
    if (a->dump) {
        record(s, frame);
    }
    return SN_OK;
}

static sn_result write_points(const sim *s, const char *name, const double *points, int count)
{
    const size_t shape[3] = {(size_t)s->arguments->frames, (size_t)count, 3};
    return sn_array_write(s->arguments->dump, name, SN_NPY_F64, 3, shape, points);
}

static sn_result dump(const sim *s)
{
    SN_TRY(write_points(s, "positions", s->tets.all_moved, s->tets.count));
    SN_TRY(write_points(s, "rig_positions", s->tets.all_rig, s->tets.count));
    SN_TRY(write_points(s, "surface", s->surface.all_moved, s->surface.count));
    const size_t handles[4] = {(size_t)s->arguments->frames, (size_t)s->model->counts.bone_count, 3, 4};
    if (s->handles) {
        SN_TRY(sn_array_write(s->arguments->dump, "handles", SN_NPY_F64, 4, handles, s->handles));
    }
    if (s->momenta) {
        const size_t momenta[2] = {(size_t)s->arguments->frames, 6};
        SN_TRY(sn_array_write(s->arguments->dump, "momentum", SN_NPY_F64, 2, momenta, s->momenta));
    }
    const size_t shape[2] = {(size_t)s->arguments->frames, 3};
    return sn_array_write(s->arguments->dump, "energy", SN_NPY_F64, 2, shape, s->energies);
}

static sn_result open_full_space(sim *s)
{
    const sn_sim_arguments *a = s->arguments;
    const sn_simulation_parameters *p = &a->parameters;
    sn_fullspace_desc desc = {.time_step = p->time_step,
                              .stiffness = p->stiffness,
                              .damping = p->damping,
                              .iteration_limit = p->iterations,
                              .tolerance = p->tolerance,
                              .is_unconstrained = a->is_unconstrained,
                              .is_clustered = a->is_clustered};
    memcpy(desc.gravity, p->gravity, sizeof desc.gravity);
    return sn_full_space_open(&s->full, &s->simulation, a->operands.items[0], &desc, &s->arena);
}

static sn_result open_device(sim *s)
{
    const sn_gpu_device_desc desc = {.name = s->arguments->device};
    return sn_sim_is_on_device(s->arguments) ? sn_gpu_device_create(&desc, &s->device) : SN_OK;
}

static sn_result run(sim *s)
{
    const sn_sim_arguments *a = s->arguments;
    sn_result result = sn_simulation_check_detail(&a->parameters, a->operands.items[0], s->model);
    if (result == SN_OK) {
        result = open_device(s);
    }
    if (result == SN_OK) {
        s->simulation.device = a->parameters.is_coupled || a->parameters.is_layered ? s->device : NULL;
        result = sn_simulation_open(&s->simulation, s->model, a->operands.items[0], &a->parameters, &s->arena);
    }
    if (result == SN_OK && a->is_full_space) {
        result = open_full_space(s);
    }
    if (result == SN_OK && s->device && !s->simulation.device) {
        const sn_rig_pose start = {s->simulation.pose, s->simulation.morphs};
        result = sn_device_body_open(&s->device_body, s->device, s->model, &a->parameters, &start, &s->arena);
    }
    if (result == SN_OK) {
        result = allocate(s);
    }
    if (result == SN_OK) {
        result = sn_measure_init(s->model, &s->arena, &s->measure);
    }
    if (result == SN_OK) {
        s->measure.solids = s->simulation.colliders;
        s->measure.solid_count = s->simulation.solid_count;
        result = sn_floor_add(a->floor, a->operands.items[0], !a->is_full_space, a->frames, &s->simulation,
                              &s->measure.floor);
    }
    for (int frame = 0; frame < a->frames && result == SN_OK; ++frame) {
        result = step(s, frame);
    }
    return result == SN_OK && a->dump ? dump(s) : result;
}

static void print_result(sim *s)
{
    const int frames = s->arguments->frames;
    const double median = sn_median(s->milliseconds, frames), iterations = s->iterations_sum / frames;
    const sn_measure *m = &s->measure;
    if (!s->arguments->is_json) {
        printf("%d frames, %.3f ms a step (median), %.1f iterations; edge stretch %.3f, longest inversion %d frames, "
               "displacement %.4f of the diagonal, %d recoveries\n",
               frames, median, iterations, m->edge_stretch_max, m->inverted_frames, m->displacement_max, s->recoveries);
        if (s->over_budget_count > 0) {
            printf("%d steps ended by the budget; maximum remaining change %.2g of the diagonal\n",
                   s->over_budget_count, s->change_max);
        }
        return;
    }
    sn_print_json(json_pack("{s:o,s:o,s:o,s:i,s:o,s:i,s:o,s:o,s:o,s:o,s:i}", "ms_median", sn_json_real(median),
                            "iterations_mean", sn_json_real(iterations), "change_max", sn_json_real(s->change_max),
                            "over_budget", s->over_budget_count, "edge_stretch_max", sn_json_real(m->edge_stretch_max),
                            "inverted_frames", m->inverted_frames, "ground_penetration_max",
                            sn_json_real(m->ground_penetration_max), "collider_penetration_max",
                            sn_json_real(m->solid_penetration_max), "rigid_drift_max", sn_json_real(m->rigid_drift_max),
                            "displacement_max", sn_json_real(m->displacement_max), "recoveries", s->recoveries));
}

/* Refuses options that the scene determines, then simulates it. */
static int simulate_scene(const sn_sim_arguments *a)
{
    const char *conflict = a->scene && a->operands.count > 0 ? a->operands.items[0]
                           : a->floor                        ? "--floor"
                           : a->is_full_space                ? "--full-space"
                           : a->is_clustered                 ? "--full-space-clusters"
                           : a->is_unconstrained             ? "--unconstrained"
                                                             : sn_simulation_changed_option(&a->parameters);
    const sn_sim_scene_arguments scene = {.scene = a->scene ? a->scene : a->operands.items[0],
                                          .dump = a->dump,
                                          .device = a->device,
                                          .frames = a->frames,
                                          .threads = a->parameters.threads,
                                          .is_on_device = sn_sim_is_on_device(a),
                                          .is_single_precision = a->parameters.is_single_precision,
                                          .is_json = a->is_json};
    if (conflict) {
        fprintf(stderr, "sinew: sim: %s: not with a scene\n", conflict);
        return SN_EXIT_USAGE;
    }
    int status = sn_simulation_check_backend(&a->parameters);
    status = status == SN_CONTINUE ? sn_sim_check_device(a) : status;
    return status == SN_CONTINUE ? sn_sim_scene(&scene) : status;
}

/* Refuses options that the recording determines, then replays it. */
static int replay(const sn_sim_arguments *a)
{
    const char *conflict = a->scene              ? "--scene"
                           : a->floor            ? "--floor"
                           : a->is_full_space    ? "--full-space"
                           : a->is_clustered     ? "--full-space-clusters"
                           : a->is_unconstrained ? "--unconstrained"
                           : a->dump             ? "--dump"
                                                 : sn_simulation_changed_option(&a->parameters);
    if (conflict) {
        fprintf(stderr, "sinew: sim: %s: not with --replay\n", conflict);
        return SN_EXIT_USAGE;
    }
    int status = sn_simulation_check_backend(&a->parameters);
    status = status == SN_CONTINUE ? sn_sim_check_device(a) : status;
    return status == SN_CONTINUE ? sn_sim_replay(a) : status;
}

static int simulate(sn_sim_arguments *a)
{
    sim s = {.arguments = a};
    sn_model *model = NULL;
    sn_result result = sn_model_file_read(a->operands.items[0], &s.arena, &model);
    s.model = model;
    if (result == SN_OK) {
        result = sn_sim_choose_solver(a, model);
    }
    if (result == SN_OK) {
        result = sn_motion_file_add(a->parameters.motion, a->operands.items[0], &s.arena, model);
    }
    if (result == SN_OK && a->dump) {
        result = sn_folder_create(a->dump);
    }
    if (result == SN_OK) {
        result = run(&s);
    }
    if (result == SN_OK) {
        print_result(&s);
    }
    sn_device_body_close(&s.device_body);
    sn_full_space_close(&s.full);
    sn_simulation_close(&s.simulation);
    sn_gpu_device_destroy(&s.device);
    sn_model_release(model);
    sn_arena_finish(&s.arena);
    return result == SN_OK ? SN_EXIT_OK : SN_EXIT_FAILED;
}

int sn_verb_sim(int argument_count, char **arguments)
{
    sn_sim_arguments a = {.parameters = sn_simulation_default_parameters()};
    sn_option shared[SN_SIMULATION_OPTION_LIMIT];
    sn_simulation_options(&a.parameters, shared);
    const sn_option options[] = {
        {"--frames", SN_OPTION_INT, &a.frames, 1, 1e7, "N",
         "number of steps (required for a model) [a scene's whole length]", SN_GROUP_SIMULATION, true},
        {"--scene", SN_OPTION_STRING, &a.scene, 0, 0, "NAME", "simulate a built-in scene instead of a file",
         SN_GROUP_INPUT, true},
        {"--floor", SN_OPTION_STRING, &a.floor, 0, 0, "auto|none|Y", SN_FLOOR_HELP, SN_GROUP_SIMULATION, true},
        {"--full-space", SN_OPTION_FLAG, &a.is_full_space, 0, 0, NULL,
         "unreduced reference in double precision; slow, no wind, no floor", SN_GROUP_ADVANCED, false},
        {"--full-space-clusters", SN_OPTION_FLAG, &a.is_clustered, 0, 0, NULL,
         "with --full-space: one rotation per cluster instead of per tet", SN_GROUP_ADVANCED, false},
        {"--unconstrained", SN_OPTION_FLAG, &a.is_unconstrained, 0, 0, NULL,
         "with --full-space: without the rig orthogonality constraint", SN_GROUP_ADVANCED, false},
        {"--device", SN_OPTION_STRING, &a.device, 0, 0, "NAME|cpu",
         "with --backend gpu: device whose name contains NAME [automatic]", SN_GROUP_ADVANCED, false},
        {"--replay", SN_OPTION_STRING, &a.replay, 0, 0, "F",
         "replay a recording of play --record and report the first difference", SN_GROUP_INPUT, false},
        {"--dump", SN_OPTION_STRING, &a.dump, 0, 0, "DIR",
         "write positions, rig_positions, surface, energy as .npy files", SN_GROUP_OUTPUT, true},
        {"--json", SN_OPTION_FLAG, &a.is_json, 0, 0, NULL, "print the report as JSON on stdout", SN_GROUP_OUTPUT, true},
        {0},
    };
    const sn_verb verb = {
        .usage = "sim MODEL.sinew|SCENE.json --frames N [options]",
        .summary = "Simulates a model or a scene and measures the motion that it adds to the rig's pose.",
        .details = "Scenes take only --frames, --dump, --threads, --backend, --device and --json; all other "
                   "parameters\nare in the scene file. --dump adds handles (coupled) and momentum (coupled, layered).",
        .examples = {"sim avatar.sinew --motion clip:walk --frames 120 --json",
                     "sim avatar.sinew --motion hop --frames 60 --dump out", "sim scene.json --backend gpu"},
        .options = options,
        .shared_options = shared,
        .operands = &a.operands,
        .max_operands = 1};
    int status = sn_parse_arguments(&verb, argument_count, arguments);
    if (status == SN_CONTINUE && a.replay) {
        return replay(&a);
    }
    if (status == SN_CONTINUE && (a.scene || (a.operands.count > 0 && sn_is_scene_file(a.operands.items[0])))) {
        return simulate_scene(&a);
    }
    if (status == SN_CONTINUE) {
        status = sn_sim_check_arguments(&a);
    }
    return status == SN_CONTINUE ? simulate(&a) : status;
}
