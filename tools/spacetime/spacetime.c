/* SPDX-License-Identifier: MIT */
/* sinew spacetime: exports an optimised motion between keyframes as blendshapes. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "author/bake/keys.h"
#include "author/io/gltf/gltf_write.h"
#include "author/io/usd/usd_write.h"
#include "author/spacetime/blendshapes.h"
#include "author/spacetime/prism.h"
#include "tools/command/args.h"
#include "tools/command/json.h"
#include "tools/command/overwrite.h"
#include "tools/command/verbs.h"
#include "tools/spacetime/sequence.h"

#define FULL_FRAME_RATE 60.0
#define KEY_ERROR 1e-4 /* error bound of linear keys, in diagonals */

typedef struct spacetime_arguments {
    sn_string_list operands;
    const char *output, *demo, *timing;
    int iterations, threads; /* -1: not set */
    double fps;
    bool is_json;
} spacetime_arguments;

static bool is_usd(const spacetime_arguments *a)
{
    return sn_has_extension(a->output, ".usda");
}

static double sum_durations(const sn_spacetime_motion *motion)
{
    double seconds = 0;
    for (int i = 0; i + 1 < motion->key_count; ++i) {
        seconds += motion->durations[i];
    }
    return seconds;
}

static sn_result open_demo(const spacetime_arguments *a, sn_arena *arena, sn_spacetime_file *sequence,
                           sn_spacetime_body *body)
{
    const bool is_twist = strcmp(a->demo, "twist") == 0;
    *body = (sn_spacetime_body){0};
    sequence->desc = sn_default_spacetime_desc();
    sn_result result =
        sn_spacetime_prism_build(is_twist ? SN_SPACETIME_TWIST : SN_SPACETIME_STRETCH, 1, arena, &body->input);
    body->surface = SN_NEW(arena, sn_spacetime_surface, 1);
    if (result == SN_OK && body->surface) {
        body->mesh = *body->input.mesh;
        result = sn_spacetime_surface_of_mesh(&body->mesh, arena, body->surface);
    }
    return body->surface ? result : SN_ERROR_MEMORY;
}

/* Lists every file that the sequence refers to except .npy paint, which cannot equal an output, and the sequence
 * itself. */
static sn_result check_output(const spacetime_arguments *a, const sn_spacetime_file *sequence)
{
    const char *const files[] = {a->operands.items[0], sequence->mesh, sequence->surface};
    SN_TRY(sn_check_overwrite(a->output, files, 3));
    for (int k = 0; k < sequence->key_count; ++k) {
        SN_TRY(sn_check_overwrite(a->output, &sequence->keys[k].shape, 1));
    }
    return SN_OK;
}

static sn_result open_sequence(const spacetime_arguments *a, sn_arena *arena, sn_spacetime_file *sequence,
                               sn_spacetime_body *body)
{
    if (a->demo) {
        return open_demo(a, arena, sequence, body);
    }
    sn_source source;
    SN_TRY(sn_source_read(a->operands.items[0], arena, &source));
    SN_TRY(sn_spacetime_file_read(&source, arena, sequence));
    SN_TRY(check_output(a, sequence));
    return sn_spacetime_file_open(sequence, source.name, arena, body);
}

static int find_name(const char *const *names, const char *name)
{
    int at = 0;
    while (names[at] && strcmp(names[at], name) != 0) {
        ++at;
    }
    return names[at] ? at : -1;
}

static const char *const timings[] = {"fixed", "total", "alike", "free", NULL};

static void apply_options(const spacetime_arguments *a, sn_spacetime_desc *desc)
{
    if (a->timing) {
        desc->timing = (sn_spacetime_timing)find_name(timings, a->timing);
    }
    if (a->iterations >= 0) {
        desc->iteration_limit = a->iterations;
    }
}

static sn_result write_motion(const spacetime_arguments *a, const sn_spacetime_body *body,
                              const sn_spacetime_motion *motion, sn_arena *arena, int *target_count)
{
    const sn_blendshape_desc desc = {.name = "spacetime", .source = body->source, .frame_rate = is_usd(a) ? a->fps : 0};
    sn_scene_file scene;
    double low[3], high[3];
    sn_result result = sn_blendshapes_build(motion, &body->mesh, body->surface, &desc, arena, &scene);
    if (result != SN_OK) {
        return result;
    }
    *target_count = scene.meshes[0].morph_count;
    if (!is_usd(a)) {
        return sn_gltf_write(a->output, &scene);
    }
    result = sn_keys_reduce(&scene, KEY_ERROR * sn_tet_mesh_box(&body->mesh, low, high), NULL, arena);
    return result == SN_OK ? sn_usd_write(a->output, &scene, a->fps) : result;
}

static void print_report(const spacetime_arguments *a, const sn_spacetime_body *body, const sn_spacetime_motion *motion,
                         const sn_spacetime_report *r, int target_count)
{
    struct stat status;
    const double seconds = sum_durations(motion), bytes = stat(a->output, &status) == 0 ? (double)status.st_size : 0;
    const double full = 12.0 * body->surface->vertex_count * ceil(seconds * FULL_FRAME_RATE + 1);
    if (!a->is_json) {
        printf("%s: %d vertices, %d tets, %d keys, %d samples, %.4g s; objective %.4g to %.4g in %d iterations of "
               "%.4g s after %.4g s; %d targets, %.1f KiB (one frame per 1/60 s: %.1f KiB)\n",
               a->output, body->mesh.vertex_count, body->mesh.tet_count, motion->key_count, r->sample_count, seconds,
               r->objective_first, r->objective_last, r->iteration_count, r->iteration_seconds, r->precompute_seconds,
               target_count, bytes / 1024, full / 1024);
        return;
    }
    json_t *durations = json_array();
    for (int i = 0; i + 1 < motion->key_count; ++i) {
        json_array_append_new(durations, sn_json_real(motion->durations[i]));
    }
    sn_print_json(json_pack(
        "{s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:{s:o,s:o},s:{s:o,s:o},s:o,s:o,s:o,s:o,s:s}", "vertices",
        body->mesh.vertex_count, "tets", body->mesh.tet_count, "surface_vertices", body->surface->vertex_count, "keys",
        motion->key_count, "samples", r->sample_count, "iterations", r->iteration_count, "contacts", r->contact_count,
        "targets", target_count, "seconds", "precompute", sn_json_real(r->precompute_seconds), "iteration",
        sn_json_real(r->iteration_seconds), "objective", "first", sn_json_real(r->objective_first), "last",
        sn_json_real(r->objective_last), "durations", durations, "bytes", sn_json_real(bytes), "full_frame_bytes",
        sn_json_real(full), "fit_error", sn_json_real(body->fit_error), "method", sn_spacetime_method_name(r->method)));
}

static sn_result run(const spacetime_arguments *a)
{
    sn_arena arena = {0};
    sn_spacetime_file sequence = {0};
    sn_spacetime_body body;
    sn_spacetime_motion motion;
    sn_spacetime_report report;
    sn_jobs *jobs = NULL;
    int target_count = 0;
    sn_result result = open_sequence(a, &arena, &sequence, &body);
    if (result == SN_OK) {
        result = sn_jobs_create(a->threads > 0 ? a->threads : 0, &jobs);
    }
    if (result == SN_OK) {
        sn_log_subject(a->demo ? a->demo : a->operands.items[0]);
        apply_options(a, &sequence.desc);
        sequence.desc.jobs = jobs;
        result = sn_spacetime_optimise(&body.input, &sequence.desc, &arena, &motion, &report);
    }
    if (result == SN_OK) {
        result = write_motion(a, &body, &motion, &arena, &target_count);
    }
    if (result == SN_OK) {
        print_report(a, &body, &motion, &report, target_count);
    }
    sn_log_subject(NULL);
    sn_jobs_destroy(&jobs);
    sn_arena_finish(&arena);
    return result;
}

static int refuse(const char *what, const char *reason)
{
    fprintf(stderr, "sinew: spacetime: %s: %s\n", what, reason);
    return SN_EXIT_USAGE;
}

static int check_arguments(const spacetime_arguments *a)
{
    if (!a->output) {
        return refuse("-o OUT.glb", "is missing");
    }
    if (!sn_has_extension(a->output, ".glb") && !sn_has_extension(a->output, ".gltf") && !is_usd(a)) {
        return refuse(a->output, "not a .glb, .gltf or .usda");
    }
    if (!a->demo && a->operands.count == 0) {
        return refuse("too few arguments", "a sequence file, or --demo stretch|twist");
    }
    if (a->demo && a->operands.count > 0) {
        return refuse(a->operands.items[0], "not with --demo");
    }
    if (a->demo && strcmp(a->demo, "stretch") != 0 && strcmp(a->demo, "twist") != 0) {
        return refuse(a->demo, "not a valid value of --demo (stretch|twist)");
    }
    if (a->timing && find_name(timings, a->timing) < 0) {
        return refuse(a->timing, "not a valid value of --timing (fixed|total|alike|free)");
    }
    return SN_CONTINUE;
}

int sn_verb_spacetime(int argument_count, char **arguments)
{
    spacetime_arguments a = {.iterations = -1, .threads = -1, .fps = 30};
    const sn_option options[] = {
        {"-o", SN_OPTION_STRING, &a.output, 0, 0, "OUT", "the file to write: .glb, .gltf or .usda (required)",
         SN_GROUP_OUTPUT, true},
        {"--demo", SN_OPTION_STRING, &a.demo, 0, 0, "stretch|twist", "run a built-in example instead of a file",
         SN_GROUP_INPUT, true},
        {"--timing", SN_OPTION_STRING, &a.timing, 0, 0, "TIMING",
         "durations: fixed, total (fixed sum), alike (equal), free [file or fixed]", SN_GROUP_SIMULATION, true},
        {"--iterations", SN_OPTION_INT, &a.iterations, 0, 10000, "N", "maximum number of iterations [file, else 30]",
         SN_GROUP_SIMULATION, true},
        {"--fps", SN_OPTION_REAL, &a.fps, 1, 1e3, "R", ".usda: samples of the weights per second [30]", SN_GROUP_OUTPUT,
         true},
        {"--threads", SN_OPTION_INT, &a.threads, 1, 64, "N", "number of threads [one per processor]", SN_GROUP_ADVANCED,
         true},
        {"--json", SN_OPTION_FLAG, &a.is_json, 0, 0, NULL, "print the report as JSON on stdout", SN_GROUP_OUTPUT, true},
        {0},
    };
    const sn_verb verb = {.usage = "spacetime SEQUENCE.json -o OUT.glb [options]",
                          .summary = "Optimises the motion between keyframes and exports it as blendshapes.",
                          .details =
                              "Shapes and velocities that the keys leave free are optimised over the whole time.",
                          .examples = {"spacetime jump.json -o jump.glb", "spacetime --demo stretch -o stretch.glb",
                                       "spacetime jump.json --timing total -o jump.usda"},
                          .options = options,
                          .operands = &a.operands,
                          .max_operands = 1};
    int status = sn_parse_arguments(&verb, argument_count, arguments);
    if (status == SN_CONTINUE) {
        status = check_arguments(&a);
    }
    return status != SN_CONTINUE ? status : run(&a) == SN_OK ? SN_EXIT_OK : SN_EXIT_FAILED;
}
