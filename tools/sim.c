/* SPDX-License-Identifier: MIT */
/* sinew sim: steps a model without a window. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "author/io/npy.h"
#include "host/base/clock.h"
#include "host/reduced/reduced.h"
#include "host/skin/skin.h"
#include "tools/args.h"
#include "tools/json.h"
#include "tools/measure.h"
#include "tools/model_file.h"
#include "tools/verbs.h"

typedef struct sim_arguments {
    sn_string_list operands;
    const char *motion, *dump, *backend;
    double time_step, gravity[3], damping, stiffness, amount, tolerance;
    int frames, iterations, threads;
    bool is_double, is_json;
} sim_arguments;

typedef struct simulation {
    const sim_arguments *arguments;
    const sn_model *model;
    sn_motion motion;
    sn_reduced_solver *solver;
    sn_reduced_body *body;
    sn_measure measure;
    double *pose, *modes;              /* (bone_count x 12), (mode_count x 12) */
    double *positions, *rig_positions; /* (vertex_count x 3), model units */
    double *milliseconds;              /* (frames) */
    /* with --dump: (frames x vertex_count x 3) in the input's units, (frames x 3) */
    double *all_positions, *all_rig_positions, *energies;
    double iterations_sum;
    int recoveries;
    sn_arena arena;
} simulation;

static sn_result allocate(simulation *s)
{
    const sn_model_counts *c = &s->model->counts;
    const size_t n = (size_t)c->vertex_count * 3, frames = (size_t)s->arguments->frames;
    const bool is_ok = (s->pose = SN_NEW(&s->arena, double, 12 * (size_t)c->bone_count)) &&
                       (s->modes = SN_NEW(&s->arena, double, 12 * (size_t)c->mode_count)) &&
                       (s->positions = SN_NEW(&s->arena, double, n)) &&
                       (s->rig_positions = SN_NEW(&s->arena, double, n)) &&
                       (s->milliseconds = SN_NEW(&s->arena, double, frames));
    if (!is_ok) {
        return SN_ERROR_MEMORY;
    }
    if (s->arguments->dump) {
        const bool is_dumped = (s->all_positions = sn_arena_alloc(&s->arena, frames, n * sizeof(double))) &&
                               (s->all_rig_positions = sn_arena_alloc(&s->arena, frames, n * sizeof(double))) &&
                               (s->energies = SN_NEW(&s->arena, double, 3 * frames));
        return is_dumped ? SN_OK : SN_ERROR_MEMORY;
    }
    return SN_OK;
}

static void to_input_units(const sn_model *model, const double *positions, double *result)
{
    const double origin[3] = {model->origin_x, model->origin_y, model->origin_z};
    for (size_t i = 0; i < 3 * (size_t)model->counts.vertex_count; ++i) {
        result[i] = positions[i] / model->scale + origin[i % 3];
    }
}

static void record(simulation *s, int frame)
{
    const size_t width = 3 * (size_t)s->model->counts.vertex_count;
    to_input_units(s->model, s->positions, s->all_positions + (size_t)frame * width);
    to_input_units(s->model, s->rig_positions, s->all_rig_positions + (size_t)frame * width);
    const sn_reduced_energy energy = sn_reduced_body_energy(s->body);
    double *row = s->energies + 3 * (size_t)frame;
    row[0] = energy.kinetic;
    row[1] = energy.elastic;
    row[2] = energy.kinetic + energy.elastic;
}

static void skin(simulation *s)
{
    const sn_model *m = s->model;
    const int n = m->counts.vertex_count;
    memset(s->rig_positions, 0, 3 * (size_t)n * sizeof(double));
    sn_skin_add(m->rig_weights, m->counts.bone_count, s->pose, m->rest_positions, n, s->rig_positions);
    memcpy(s->positions, s->rig_positions, 3 * (size_t)n * sizeof(double));
    sn_reduced_body_mode_transforms(s->body, s->arguments->amount, s->modes);
    sn_skin_add(m->mode_weights, m->counts.mode_count, s->modes, m->rest_positions, n, s->positions);
}

static void step(simulation *s, int frame)
{
    sn_motion_pose(&s->motion, frame, frame * s->arguments->time_step, s->pose);
    const double start = sn_now();
    const sn_reduced_report report = sn_reduced_body_step(s->body, s->pose);
    s->milliseconds[frame] = 1e3 * (sn_now() - start);
    s->iterations_sum += report.iteration_count;
    s->recoveries += report.is_recovered;
    skin(s);
    sn_measure_frame(s->model, s->positions, s->rig_positions, &s->measure);
    if (s->arguments->dump) {
        record(s, frame);
    }
}

/* The boundary's vertices, ascending: what is drawn of a tet mesh without a surface of its own. */
static sn_result write_surface(simulation *s, const char *folder)
{
    const size_t n = (size_t)s->model->counts.vertex_count, frames = (size_t)s->arguments->frames;
    bool *is_surface = SN_NEW(&s->arena, bool, n);
    double *surface = SN_NEW(&s->arena, double, frames *n * 3);
    if (!is_surface || !surface) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < 3 * s->model->counts.triangle_count; ++i) {
        is_surface[s->model->triangles[i]] = true;
    }
    size_t count = 0;
    for (size_t v = 0; v < frames * n; ++v) {
        if (is_surface[v % n]) {
            memcpy(surface + 3 * count++, s->all_positions + 3 * v, 3 * sizeof(double));
        }
    }
    return sn_array_write(folder, "surface", SN_NPY_F64, 3, (size_t[]){frames, count / frames, 3}, surface);
}

static sn_result dump(simulation *s, const char *folder)
{
    const size_t frames = (size_t)s->arguments->frames;
    const size_t shape[3] = {frames, (size_t)s->model->counts.vertex_count, 3};
    sn_result result = sn_array_write(folder, "positions", SN_NPY_F64, 3, shape, s->all_positions);
    if (result == SN_OK) {
        result = sn_array_write(folder, "rig_positions", SN_NPY_F64, 3, shape, s->all_rig_positions);
    }
    if (result == SN_OK) {
        result = sn_array_write(folder, "energy", SN_NPY_F64, 2, (size_t[]){frames, 3}, s->energies);
    }
    return result == SN_OK ? write_surface(s, folder) : result;
}

static sn_result run(simulation *s)
{
    const sim_arguments *a = s->arguments;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.time_step = a->time_step;
    desc.stiffness = a->stiffness;
    desc.damping = a->damping;
    memcpy(desc.gravity, a->gravity, sizeof desc.gravity);
    desc.iteration_limit = a->iterations;
    desc.tolerance = a->tolerance;
    desc.is_double = a->is_double;
    sn_result result = sn_motion_open(a->motion, a->operands.items[0], s->model, &s->arena, &s->motion);
    if (result == SN_OK) {
        result = allocate(s);
    }
    if (result == SN_OK) {
        result = sn_measure_init(s->model, &s->arena, &s->measure);
    }
    if (result == SN_OK) {
        result = sn_reduced_solver_create(s->model, &desc, &s->solver);
    }
    if (result == SN_OK) {
        sn_motion_pose(&s->motion, 0, 0, s->pose);
        result = sn_reduced_body_create(s->solver, s->pose, &s->body);
    }
    for (int frame = 0; frame < a->frames && result == SN_OK; ++frame) {
        step(s, frame);
    }
    return result == SN_OK && a->dump ? dump(s, a->dump) : result;
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void print_result(simulation *s)
{
    const int frames = s->arguments->frames;
    qsort(s->milliseconds, (size_t)frames, sizeof(double), by_value);
    const double median = s->milliseconds[frames / 2], iterations = s->iterations_sum / frames;
    const sn_measure *m = &s->measure;
    if (!s->arguments->is_json) {
        printf("%d frames, %.3f ms a step (median), %.1f iterations; edge stretch %.3f, longest inversion %d frames, "
               "displacement %.4f of the diagonal, %d recoveries\n",
               frames, median, iterations, m->edge_stretch_max, m->inverted_frames, m->displacement_max, s->recoveries);
        return;
    }
    sn_print_json(json_pack("{s:o,s:o,s:o,s:i,s:o,s:o,s:o,s:i}", "ms_median", sn_json_real(median), "iterations_mean",
                            sn_json_real(iterations), "edge_stretch_max", sn_json_real(m->edge_stretch_max),
                            "inverted_frames", m->inverted_frames, "ground_penetration_max",
                            sn_json_real(m->ground_penetration_max), "rigid_drift_max",
                            sn_json_real(m->rigid_drift_max), "displacement_max", sn_json_real(m->displacement_max),
                            "recoveries", s->recoveries));
}

static int check_arguments(const sim_arguments *a)
{
    if (a->frames < 1) {
        fprintf(stderr, "sinew: sim: --frames N is missing\n");
        return SN_EXIT_USAGE;
    }
    if (a->backend && strcmp(a->backend, "gpu") == 0) {
        fprintf(stderr, "sinew: --backend gpu: not in this version\n");
        return SN_EXIT_FAILED;
    }
    if (a->backend && strcmp(a->backend, "cpu") != 0) {
        fprintf(stderr, "sinew: --backend %s: not a valid value (cpu|gpu)\n", a->backend);
        return SN_EXIT_USAGE;
    }
    const char *dot = strrchr(a->operands.items[0], '.');
    if (dot && strcmp(dot, ".json") == 0) {
        fprintf(stderr, "sinew: %s: scene files: not in this version\n", a->operands.items[0]);
        return SN_EXIT_FAILED;
    }
    return SN_CONTINUE;
}

static int simulate(const sim_arguments *a)
{
    simulation s = {.arguments = a};
    sn_model *model = NULL;
    sn_result result = sn_model_file_read(a->operands.items[0], &s.arena, &model);
    s.model = model;
    if (result == SN_OK && a->dump) {
        result = sn_folder_make(a->dump);
    }
    if (result == SN_OK) {
        result = run(&s);
    }
    if (result == SN_OK) {
        print_result(&s);
    }
    sn_reduced_body_destroy(&s.body);
    sn_reduced_solver_destroy(&s.solver);
    sn_model_release(model);
    sn_arena_finish(&s.arena);
    return result == SN_OK ? SN_EXIT_OK : SN_EXIT_FAILED;
}

int sn_verb_sim(int argument_count, char **arguments)
{
    const sn_reduced_desc defaults = sn_default_reduced_desc();
    sim_arguments a = {.time_step = defaults.time_step,
                       .stiffness = defaults.stiffness,
                       .amount = 1,
                       .tolerance = defaults.tolerance,
                       .iterations = defaults.iteration_limit,
                       .threads = 1};
    const sn_option options[] = {
        {"--motion", SN_OPTION_STRING, &a.motion, 0, 0, "F.npy|clip:NAME", "the rig's motion (rest pose)"},
        {"--frames", SN_OPTION_INT, &a.frames, 1, 1e7, "N", "steps"},
        {"--dt", SN_OPTION_REAL, &a.time_step, 1e-9, 1e3, "S", "time step in seconds (1/60)"},
        {"--gravity", SN_OPTION_VECTOR, a.gravity, 0, 0, "X,Y,Z", "acceleration in model units a second^2 (0)"},
        {"--damping", SN_OPTION_REAL, &a.damping, 0, 1e6, "D", "decay of the flesh's own velocity, 1/s (0)"},
        {"--stiffness", SN_OPTION_REAL, &a.stiffness, 0, 1e9, "S", "times the cooked Young's modulus (1)"},
        {"--amount", SN_OPTION_REAL, &a.amount, 0, 1e3, "A", "share of the displacement that is shown (1)"},
        {"--iterations", SN_OPTION_INT, &a.iterations, 1, 1e6, "N", "local-global iterations at most (30)"},
        {"--tolerance", SN_OPTION_REAL, &a.tolerance, 0, 1, "T",
         "stop below this change, fraction of the diagonal (1e-6)"},
        {"--double", SN_OPTION_FLAG, &a.is_double, 0, 0, NULL, "the double-precision reference"},
        {"--backend", SN_OPTION_STRING, &a.backend, 0, 0, "cpu|gpu", "gpu is not in this version"},
        {"--threads", SN_OPTION_INT, &a.threads, 1, 1024, "N",
         "one body uses one thread; the result never depends on it"},
        {"--dump", SN_OPTION_STRING, &a.dump, 0, 0, "DIR", "positions, rig_positions, surface, energy as .npy"},
        {"--wind", SN_OPTION_LATER, NULL, 0, 0, "X,Y,Z", "wind"},
        {"--full-space", SN_OPTION_LATER_FLAG, NULL, 0, 0, NULL, "the unreduced reference"},
        {"--json", SN_OPTION_FLAG, &a.is_json, 0, 0, NULL, "a JSON object on stdout"},
        {0},
    };
    const sn_verb verb = {.usage = "sim MODEL.sinew --frames N [options]",
                          .says = "Steps a model and measures what it adds to the rig's own pose.",
                          .options = options,
                          .operands = &a.operands,
                          .least_operands = 1,
                          .most_operands = 1};
    int status = sn_parse_arguments(&verb, argument_count, arguments);
    if (status == SN_CONTINUE) {
        status = check_arguments(&a);
    }
    return status == SN_CONTINUE ? simulate(&a) : status;
}
