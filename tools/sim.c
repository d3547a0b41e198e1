/* SPDX-License-Identifier: MIT */
/* sinew sim: steps a model without a window. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "author/io/npy.h"
#include "host/skin/skin.h"
#include "tools/args.h"
#include "tools/json.h"
#include "tools/measure.h"
#include "tools/median.h"
#include "tools/model_file.h"
#include "tools/simulation.h"
#include "tools/verbs.h"

typedef struct sim_arguments {
    sn_string_list operands;
    sn_simulation_parameters parameters;
    const char *dump;
    int frames;
    bool is_json;
} sim_arguments;

typedef struct sim {
    const sim_arguments *arguments;
    const sn_model *model;
    sn_simulation simulation;
    sn_measure measure;
    double *positions, *rig_positions; /* (vertex_count x 3), model units */
    double *milliseconds;              /* (frames) */
    /* with --dump: (frames x vertex_count x 3) in the input's units, (frames x 3) */
    double *all_positions, *all_rig_positions, *energies;
    double iterations_sum;
    int recoveries;
    sn_arena arena;
} sim;

static sn_result allocate(sim *s)
{
    const size_t n = (size_t)s->model->counts.vertex_count * 3, frames = (size_t)s->arguments->frames;
    const bool is_ok = (s->positions = SN_NEW(&s->arena, double, n)) &&
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

static void record(sim *s, int frame)
{
    const size_t width = 3 * (size_t)s->model->counts.vertex_count;
    to_input_units(s->model, s->positions, s->all_positions + (size_t)frame * width);
    to_input_units(s->model, s->rig_positions, s->all_rig_positions + (size_t)frame * width);
    const sn_reduced_energy energy = sn_reduced_body_energy(s->simulation.body);
    double *row = s->energies + 3 * (size_t)frame;
    row[0] = energy.kinetic;
    row[1] = energy.elastic;
    row[2] = energy.kinetic + energy.elastic;
}

static void skin(sim *s)
{
    const sn_model *m = s->model;
    const int n = m->counts.vertex_count;
    memset(s->rig_positions, 0, 3 * (size_t)n * sizeof(double));
    sn_skin_add(m->rig_weights, m->counts.bone_count, s->simulation.pose, m->rest_positions, n, s->rig_positions);
    memcpy(s->positions, s->rig_positions, 3 * (size_t)n * sizeof(double));
    sn_skin_add(m->mode_weights, m->counts.mode_count, s->simulation.modes, m->rest_positions, n, s->positions);
}

static void step(sim *s, int frame)
{
    const sn_reduced_report report = sn_simulation_step(&s->simulation, frame);
    s->milliseconds[frame] = s->simulation.milliseconds;
    s->iterations_sum += report.iteration_count;
    s->recoveries += report.is_recovered;
    skin(s);
    sn_measure_frame(s->model, s->positions, s->rig_positions, &s->measure);
    if (s->arguments->dump) {
        record(s, frame);
    }
}

/* The boundary's vertices, ascending: what is drawn of a tet mesh without a surface of its own. */
static sn_result write_surface(sim *s, const char *folder)
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

static sn_result dump(sim *s, const char *folder)
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

static sn_result run(sim *s)
{
    const sim_arguments *a = s->arguments;
    sn_result result = sn_simulation_open(&s->simulation, s->model, a->operands.items[0], &a->parameters, &s->arena);
    if (result == SN_OK) {
        result = allocate(s);
    }
    if (result == SN_OK) {
        result = sn_measure_init(s->model, &s->arena, &s->measure);
    }
    for (int frame = 0; frame < a->frames && result == SN_OK; ++frame) {
        step(s, frame);
    }
    return result == SN_OK && a->dump ? dump(s, a->dump) : result;
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
    const int status = sn_check_simulation_parameters(&a->parameters);
    if (status != SN_CONTINUE) {
        return status;
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
    sim s = {.arguments = a};
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
    sn_simulation_close(&s.simulation);
    sn_model_release(model);
    sn_arena_finish(&s.arena);
    return result == SN_OK ? SN_EXIT_OK : SN_EXIT_FAILED;
}

int sn_verb_sim(int argument_count, char **arguments)
{
    sim_arguments a = {.parameters = sn_default_simulation_parameters()};
    sn_option shared[SN_SIMULATION_OPTION_LIMIT];
    sn_simulation_options(&a.parameters, shared);
    const sn_option options[] = {
        {"--frames", SN_OPTION_INT, &a.frames, 1, 1e7, "N", "steps"},
        {"--dump", SN_OPTION_STRING, &a.dump, 0, 0, "DIR", "positions, rig_positions, surface, energy as .npy"},
        {"--json", SN_OPTION_FLAG, &a.is_json, 0, 0, NULL, "a JSON object on stdout"},
        {0},
    };
    const sn_verb verb = {.usage = "sim MODEL.sinew --frames N [options]",
                          .says = "Steps a model and measures what it adds to the rig's own pose.",
                          .options = options,
                          .shared_options = shared,
                          .operands = &a.operands,
                          .least_operands = 1,
                          .most_operands = 1};
    int status = sn_parse_arguments(&verb, argument_count, arguments);
    if (status == SN_CONTINUE) {
        status = check_arguments(&a);
    }
    return status == SN_CONTINUE ? simulate(&a) : status;
}
