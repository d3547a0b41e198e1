/* SPDX-License-Identifier: MIT */
/* sinew bench: measured medians, with the limit of the machine and published figures of other implementations. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "author/cook/cook.h"
#include "author/io/tets/tet_file.h"
#include "host/base/hash.h"
#include "host/platform/platform.h"
#include "host/reduced/reduced.h"
#include "tools/bench/believable.h"
#include "tools/bench/coupled.h"
#include "tools/bench/crowd.h"
#include "tools/bench/fourier.h"
#include "tools/bench/layered.h"
#include "tools/bench/mesh.h"
#include "tools/bench/peak.h"
#include "tools/bench/reduced.h"
#include "tools/bench/rigged_modes.h"
#include "tools/bench/skin.h"
#include "tools/bench/spacetime.h"
#include "tools/bench/springs.h"
#include "tools/bench/weights.h"
#include "tools/bench/xpbd.h"
#include "tools/command/args.h"
#include "tools/command/json.h"
#include "tools/command/median.h"
#include "tools/command/peak_memory.h"
#include "tools/command/verbs.h"

#define REPEAT_COUNT 7
#define STEP_COUNT 120
#define DEFAULT_THREADS 2
#define DEFAULT_CLIPS 2
#define LARGE_FINENESS 3.9 /* 350,000 vertices */

typedef struct bench_arguments {
    const char *path, *rig, *backend; /* or null */
    int threads;
} bench_arguments;

static bool is_on_device(const bench_arguments *a)
{
    return a->backend && strcmp(a->backend, "gpu") == 0;
}

/* Loads the file's mesh, or generates the built-in one. */
static sn_result cook_once(const char *path, double fineness, sn_cook_context *cooking, sn_cook_desc *desc)
{
    if (!path) {
        const sn_result result = sn_bench_mesh(fineness, &cooking->arena, &cooking->mesh);
        if (result != SN_OK) {
            return result;
        }
    }
    return sn_cook_context_run(cooking, path ? path : "built-in mesh", desc);
}

static const char *const peers[SN_COOK_STAGE_COUNT] = {
    [SN_COOK_MODES] = "authors' code: 0.6 to 1.4 s (elephant, constraint + modes), 13.2 s (octopus, 9 bones)",
    [SN_COOK_CLUSTERS] = "authors' code: 5.5 s (elephant)",
    [SN_COOK_PRECOMPUTE] = "authors' code: 2.6 s (elephant)"};

typedef struct cook_times {
    double seconds[SN_COOK_STAGE_COUNT + 1][REPEAT_COUNT]; /* the last stage of a complete cook */
    int repeat_count, vertex_count, bone_count;
    double peak_memory_mb;
    uint64_t hash;
} cook_times;

static sn_result time_cooks(const bench_arguments *a, double fineness, cook_times *times)
{
    for (int repeat = 0; repeat < times->repeat_count; ++repeat) {
        sn_cook_context cooking = {0};
        sn_cook_desc desc = sn_default_cook_desc();
        desc.rig_path = a->rig;
        const sn_result result = cook_once(a->path, fineness, &cooking, &desc);
        for (int stage = 0; stage < SN_COOK_STAGE_COUNT && result == SN_OK; ++stage) {
            times->seconds[stage][repeat] = cooking.report.seconds[stage];
            times->seconds[SN_COOK_STAGE_COUNT][repeat] += cooking.report.seconds[stage];
        }
        times->vertex_count = cooking.report.vertex_count;
        times->bone_count = cooking.report.bone_count;
        times->hash = result == SN_OK ? sn_hash(SN_HASH_SEED, cooking.bytes, cooking.size) : 0;
        sn_cook_context_finish(&cooking);
        if (result != SN_OK) {
            return result;
        }
    }
    times->peak_memory_mb = sn_peak_memory_mb();
    return SN_OK;
}

static void add_stage(const cook_times *times, int stage, const char *peer, sn_bench_table *table)
{
    char label[64];
    snprintf(label, sizeof label, "%d vertices, %d bone%s, 16 modes", times->vertex_count, times->bone_count,
             times->bone_count == 1 ? "" : "s");
    const bool is_total = stage == SN_COOK_STAGE_COUNT;
    sn_bench_case *row = sn_bench_add(table, label, is_total ? "whole cook" : sn_cook_stage_name((sn_cook_stage)stage));
    double seconds[REPEAT_COUNT];
    memcpy(seconds, times->seconds[stage], sizeof seconds);
    row->median_ms = 1e3 * sn_median(seconds, times->repeat_count);
    row->throughput = times->vertex_count / (1e-3 * row->median_ms);
    row->throughput_unit = "vertices/s";
    row->hash = times->hash;
    row->peak_memory_mb = is_total ? times->peak_memory_mb : 0;
    row->peer = peer;
}

static sn_result bench_modes(const bench_arguments *a, sn_bench_table *table)
{
    cook_times times = {.repeat_count = REPEAT_COUNT}, large = {.repeat_count = 1};
    SN_TRY(time_cooks(a, 1, &times));
    for (int stage = 0; stage <= SN_COOK_STAGE_COUNT; ++stage) {
        add_stage(&times, stage, stage < SN_COOK_STAGE_COUNT ? peers[stage] : NULL, table);
    }
    if (!a->path) {
        SN_TRY(time_cooks(a, LARGE_FINENESS, &large));
    }
    if (!a->path) {
        add_stage(&large, SN_COOK_MODES, "paper: 14.1 s at 294 thousand, all cores of an i9-12900HK", table);
        add_stage(&large, SN_COOK_STAGE_COUNT, NULL, table);
        SN_TRY(sn_bench_rigged_modes(table));
    }
    return SN_OK;
}

static sn_result run_steps(const sn_model *model, const sn_reduced_desc *desc, const sn_surroundings *surroundings,
                           sn_bench_case *row)
{
    sn_reduced_solver *solver = NULL;
    sn_reduced_body *body = NULL;
    double *pose = sn_alloc((size_t)model->counts.bone_count, 12 * sizeof(double));
    sn_result result = pose ? sn_reduced_solver_create(model, desc, &solver) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        sn_bench_pose(0, model->counts.bone_count, pose);
        result = sn_reduced_body_create(solver, pose, &body);
    }
    double ms[STEP_COUNT], iterations = 0;
    for (int frame = 0; frame < STEP_COUNT && result == SN_OK; ++frame) {
        sn_bench_pose(frame, model->counts.bone_count, pose);
        const double start = sn_now();
        iterations += sn_reduced_body_step(body, pose, surroundings).iteration_count;
        ms[frame] = 1e3 * (sn_now() - start);
    }
    if (result == SN_OK) {
        row->iterations = iterations / STEP_COUNT;
        row->median_ms = sn_median(ms, STEP_COUNT);
        row->throughput = 1e3 / row->median_ms;
        row->throughput_unit = "steps/s";
        row->limit_ms = 1e3 * row->iterations * sn_bench_iteration_flops(model) / sn_bench_peak_flops();
        row->hash = sn_hash(SN_HASH_SEED, sn_reduced_body_coordinates(body),
                            sizeof(double) * 3 * (size_t)model->counts.coordinate_count);
    }
    sn_reduced_body_destroy(&body);
    sn_reduced_solver_destroy(&solver);
    sn_free(pose, (size_t)model->counts.bone_count, 12 * sizeof(double));
    return result;
}

/* Collisions: wind, and a floor through the center, which the lower half of the body touches or approaches as it
 * swings. */
static sn_result bench_surroundings(const sn_model *model, const char *label, sn_bench_table *table)
{
    const sn_collider_desc plane = sn_default_collider_desc();
    sn_collider floor;
    sn_result result = sn_collider_init(&plane, &floor);
    const sn_surroundings surroundings[2] = {{.collider_count = 1, .colliders = &floor},
                                             {.wind = {0.3 * model->diagonal, 0, 0}}};
    const char *const names[2] = {"step on a floor, to 1e-4 of the diagonal, float",
                                  "step in wind, to 1e-4 of the diagonal, float"};
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.time_step = 0.01;
    desc.tolerance = 1e-4;
    floor.transform[7] = floor.transform_before[7] = -0.2 * model->diagonal;
    for (int i = 0; i < 2 && result == SN_OK; ++i) {
        result = run_steps(model, &desc, &surroundings[i], sn_bench_add(table, label, names[i]));
    }
    return result;
}

static sn_result bench_steps_of(const sn_model *model, sn_bench_table *table)
{
    char label[64];
    snprintf(label, sizeof label, "%d modes, %d clusters", model->counts.mode_count, model->counts.cluster_count);
    const struct {
        const char *what;
        double tolerance;
        sn_instructions instructions;
        bool is_unaccelerated, is_double;
        const char *peer;
    } runs[] = {
        {"step, 30 plain iterations, float", 0, SN_INSTRUCTIONS_BEST, true, false,
         "authors' code: 3.1 ms (elephant, 16/100, 30 iterations)"},
        {"step, 30 plain iterations, float, AVX2", 0, SN_INSTRUCTIONS_AVX2, true, false, NULL},
        {"step, 30 plain iterations, float, baseline", 0, SN_INSTRUCTIONS_BASELINE, true, false, NULL},
        {"step, 30 plain iterations, double", 0, SN_INSTRUCTIONS_BEST, true, true, NULL},
        {"step, plain to 1e-4 of the diagonal, float", 1e-4, SN_INSTRUCTIONS_BEST, true, false, NULL},
        {"step, plain to 1e-5 of the diagonal, float", 1e-5, SN_INSTRUCTIONS_BEST, true, false, NULL},
        {"step, to 1e-4 of the diagonal, float", 1e-4, SN_INSTRUCTIONS_BEST, false, false,
         "authors' code: about .8 ms"},
        {"step, to 1e-5 of the diagonal, float", 1e-5, SN_INSTRUCTIONS_BEST, false, false, "authors' code: 3.1 ms"},
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; ++i) {
        sn_reduced_desc desc = sn_default_reduced_desc();
        desc.time_step = 0.01;
        desc.tolerance = runs[i].tolerance;
        desc.is_double = runs[i].is_double;
        desc.is_unaccelerated = runs[i].is_unaccelerated;
        desc.instructions = runs[i].instructions;
        sn_bench_case *row = sn_bench_add(table, label, runs[i].what);
        row->peer = runs[i].peer;
        SN_TRY(run_steps(model, &desc, NULL, row));
    }
    return bench_surroundings(model, label, table);
}

static sn_result cook_model(const bench_arguments *a, sn_cook_context *cooking, sn_model **model)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.rig_path = a->rig;
    SN_TRY(cook_once(a->path, 1, cooking, &desc));
    return sn_model_load(cooking->bytes, cooking->size, model);
}

static sn_result bench_bodies_of(sn_model *model, sn_bench_table *table)
{
    sn_bench_device on;
    sn_result result = sn_bench_device_open(&on);
    if (result == SN_OK) {
        result = sn_bench_reduced_on_device(&on, &model, 1, table);
    }
    sn_bench_device_close(&on);
    return result;
}

/* Steps or skins the file's model, or one that is cooked for it. */
static sn_result bench_model(const bench_arguments *a, bool is_reduced, bool is_skin, sn_bench_table *table)
{
    sn_cook_context cooking = {0};
    sn_model *model = NULL;
    sn_result result =
        a->path && sn_is_model_file(a->path) ? sn_model_open(a->path, &model) : cook_model(a, &cooking, &model);
    if (result == SN_OK && is_reduced) {
        result = is_on_device(a) ? bench_bodies_of(model, table) : bench_steps_of(model, table);
    }
    if (result == SN_OK && is_skin) {
        result = sn_bench_skin(model, a->backend, table);
    }
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
    return result;
}

/* Crowds of a mesh of about 5,000 tets and of one with 100,000, or of the user's mesh. */
static sn_result bench_xpbd_on_device(const char *path, sn_bench_table *table)
{
    sn_arena arena = {0};
    sn_tet_mesh small, large;
    sn_result result = path ? sn_tet_file_read(path, &arena, &small) : sn_bench_mesh(0.5, &arena, &small);
    if (result == SN_OK && !path) {
        result = sn_bench_mesh(1.36, &arena, &large);
    }
    if (result == SN_OK) {
        result = sn_bench_xpbd_on_device(&small, path ? NULL : &large, table);
    }
    sn_arena_finish(&arena);
    return result;
}

/* Position-based bodies of the same meshes. */
static sn_result bench_xpbd(const char *path, sn_bench_table *table)
{
    sn_arena arena = {0};
    sn_tet_mesh mesh;
    sn_result result = path ? sn_tet_file_read(path, &arena, &mesh) : sn_bench_mesh(1, &arena, &mesh);
    if (result == SN_OK) {
        result = sn_bench_xpbd(&mesh, table);
    }
    sn_arena_finish(&arena);
    return result;
}

static void print_json(const sn_bench_table *table)
{
    json_t *cases = json_array();
    for (int i = 0; i < table->count; ++i) {
        const sn_bench_case *c = &table->cases[i];
        char hash[24];
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)c->hash);
        json_t *entry = json_pack("{s:s,s:f,s:f,s:s,s:f,s:f,s:s,s:f,s:s*}", "name", c->name, "median_ms", c->median_ms,
                                  "throughput", c->throughput, "throughput_unit", c->throughput_unit, "limit",
                                  c->limit_ms, "limit_fraction", c->median_ms > 0 ? c->limit_ms / c->median_ms : 0,
                                  "hash", hash, "iterations", c->iterations, "peer", c->peer);
        if (c->frame_fraction > 0) {
            json_object_set_new(entry, "frame_fraction", json_real(c->frame_fraction));
        }
        if (c->flops_fraction > 0) {
            json_object_set_new(entry, "flops_fraction", json_real(c->flops_fraction));
        }
        if (c->bandwidth_fraction > 0) {
            json_object_set_new(entry, "bandwidth_fraction", json_real(c->bandwidth_fraction));
        }
        if (c->objective > 0) {
            json_object_set_new(entry, "objective", json_real(c->objective));
        }
        if (c->peak_memory_mb > 0) {
            json_object_set_new(entry, "peak_memory_mb", json_real(c->peak_memory_mb));
        }
        json_array_append_new(cases, entry);
    }
    sn_print_json(json_pack("{s:o}", "cases", cases));
}

static void print_table(const sn_bench_table *table)
{
    printf("%-96s %10s %6s %9s  %s\n", "case", "median ms", "iter", "of limit", "peer");
    for (int i = 0; i < table->count; ++i) {
        const sn_bench_case *c = &table->cases[i];
        char fraction[16] = "-";
        if (c->limit_ms > 0) {
            snprintf(fraction, sizeof fraction, "%.0f%%", 100 * c->limit_ms / c->median_ms);
        }
        printf("%-96s %10.3f %6.1f %9s  %s", c->name, c->median_ms, c->iterations, fraction, c->peer ? c->peer : "");
        if (c->frame_fraction > 0) {
            printf("%.2f of a frame at 60 Hz, %.4g %s", c->frame_fraction, c->throughput, c->throughput_unit);
        } else if (c->throughput > 0) {
            printf("%s%.4g %s", c->peer ? "; " : "", c->throughput, c->throughput_unit);
        }
        if (c->flops_fraction > 0) {
            printf("; %.2g%% of peak flops", 100 * c->flops_fraction);
        }
        if (c->bandwidth_fraction > 0) {
            printf("; %.2g%% of peak bandwidth", 100 * c->bandwidth_fraction);
        }
        if (c->objective > 0) {
            printf("; objective %.6g", c->objective);
        }
        if (c->peak_memory_mb > 0) {
            printf("; peak memory %.0f MB", c->peak_memory_mb);
        }
        printf("\n");
    }
}

static sn_result run_reduced(const bench_arguments *a, sn_bench_table *table)
{
    return bench_model(a, true, false, table);
}

static sn_result run_skin(const bench_arguments *a, sn_bench_table *table)
{
    return bench_model(a, false, true, table);
}

static sn_result run_weights(const bench_arguments *a, sn_bench_table *table)
{
    (void)a;
    return sn_bench_weights(table);
}

static sn_result run_crowd(const bench_arguments *a, sn_bench_table *table)
{
    return is_on_device(a) ? sn_bench_crowd_on_device(table) : sn_bench_crowd(a->threads, table);
}

static sn_result run_xpbd(const bench_arguments *a, sn_bench_table *table)
{
    return is_on_device(a) ? bench_xpbd_on_device(a->path, table) : bench_xpbd(a->path, table);
}

static sn_result run_coupled(const bench_arguments *a, sn_bench_table *table)
{
    return is_on_device(a) ? sn_bench_coupled_on_device(table) : sn_bench_coupled(a->threads, table);
}

static sn_result run_layered(const bench_arguments *a, sn_bench_table *table)
{
    return is_on_device(a) ? sn_bench_layered_on_device(table) : sn_bench_layered(table);
}

static sn_result run_springs(const bench_arguments *a, sn_bench_table *table)
{
    return sn_bench_springs(a->threads, table);
}

static sn_result run_fourier(const bench_arguments *a, sn_bench_table *table)
{
    (void)a;
    return sn_bench_fourier(table);
}

static sn_result run_spacetime(const bench_arguments *a, sn_bench_table *table)
{
    return sn_bench_spacetime(a->threads, table);
}

/* Not one of the benches of `all`: it has a table of its own. */
#define BELIEVABLE "believable"

static const struct bench {
    const char *name;
    sn_result (*run)(const bench_arguments *arguments, sn_bench_table *table);
    bool is_for_devices; /* runs also with --backend gpu */
    bool is_of_mesh;     /* accepts the user's mesh */
} benches[] = {
    {"modes", bench_modes, false, true},    {"reduced", run_reduced, true, true},
    {"skin", run_skin, true, true},         {"weights", run_weights, false, false},
    {"crowd", run_crowd, true, false},      {"xpbd", run_xpbd, true, true},
    {"coupled", run_coupled, true, false},  {"layered", run_layered, true, false},
    {"fourier", run_fourier, false, false}, {"spacetime", run_spacetime, false, false},
    {"springs", run_springs, false, false},
};
#define BENCH_COUNT (int)(sizeof benches / sizeof benches[0])
#define NAMES_SIZE 256

/* Writes the benchmark names to names (NAMES_SIZE). */
static void list_names(bool is_for_devices, const char *separator, char *names)
{
    size_t used = 0;
    for (int i = 0; i < BENCH_COUNT; ++i) {
        if (benches[i].is_for_devices || !is_for_devices) {
            used +=
                (size_t)snprintf(names + used, NAMES_SIZE - used, "%s%s", used > 0 ? separator : "", benches[i].name);
        }
    }
}

/* Returns SN_EXIT_USAGE after one line on stderr if no benchmark has that name, or none of that name runs on the
 * device. */
static int check_name(const char *name, bool is_for_devices)
{
    bool is_known = strcmp(name, "all") == 0;
    for (int i = 0; i < BENCH_COUNT; ++i) {
        const bool is_named = strcmp(name, benches[i].name) == 0;
        if ((is_named || strcmp(name, "all") == 0) && (benches[i].is_for_devices || !is_for_devices)) {
            return SN_CONTINUE;
        }
        is_known = is_known || is_named;
    }
    char names[NAMES_SIZE];
    list_names(is_for_devices, ", ", names);
    fprintf(stderr, "sinew: bench %s: %s; use one of: %s, all%s\n", name,
            is_known ? "does not run with --backend gpu" : "there is no such benchmark", names,
            is_for_devices ? "" : ", " BELIEVABLE);
    return SN_EXIT_USAGE;
}

/* Runs the benchmark of that name, or all of them; check_name has accepted the name. */
static int run_benches(const char *name, const bench_arguments *a, sn_bench_table *table)
{
    sn_result result = SN_OK;
    for (int i = 0; i < BENCH_COUNT && result == SN_OK; ++i) {
        const bool is_selected = strcmp(name, "all") == 0 || strcmp(name, benches[i].name) == 0;
        if (is_selected && (benches[i].is_for_devices || !is_on_device(a))) {
            result = benches[i].run(a, table);
        }
    }
    return result == SN_OK ? SN_EXIT_OK : SN_EXIT_FAILED;
}

/* Returns the reason why the benchmark does not accept the arguments, or null. */
static const char *refusal(const char *name, const bench_arguments *a)
{
    const bool is_cooked = strcmp(name, "reduced") == 0 || strcmp(name, "skin") == 0;
    for (int i = 0; i < BENCH_COUNT && a->path; ++i) {
        if (strcmp(name, benches[i].name) == 0 && !benches[i].is_of_mesh) {
            return "measures meshes of its own";
        }
    }
    if (a->path && sn_is_model_file(a->path)) {
        return !is_cooked ? "takes no model (reduced and skin do)" : a->rig ? "takes no --rig for a model" : NULL;
    }
    const bool is_rigged = a->path && (is_cooked || strcmp(name, "modes") == 0 || strcmp(name, "all") == 0);
    return a->rig && !is_rigged ? "takes no --rig (modes, reduced, skin and all of a mesh do)" : NULL;
}

/* Refuses options of the other benches, then measures the characters. */
static int run_believable(const bench_arguments *a, const sn_believable_desc *desc)
{
    const char *conflict = a->rig                          ? "--rig"
                           : a->backend                    ? "--backend"
                           : a->threads != DEFAULT_THREADS ? "--threads"
                                                           : NULL;
    if (conflict) {
        fprintf(stderr, "sinew: bench " BELIEVABLE ": %s: does not apply\n", conflict);
        return SN_EXIT_USAGE;
    }
    return sn_bench_believable(desc) == SN_OK ? SN_EXIT_OK : SN_EXIT_FAILED;
}

int sn_verb_bench(int argument_count, char **arguments)
{
    bool is_json = false;
    bench_arguments a = {.threads = DEFAULT_THREADS};
    sn_string_list operands = {0};
    sn_believable_desc believable = {.paths = &operands, .first_path = 1, .clip_count = DEFAULT_CLIPS};
    const sn_option options[] = {
        {"--json", SN_OPTION_FLAG, &is_json, 0, 0, NULL, "print the results as JSON on stdout", SN_GROUP_OUTPUT, true},
        {"--threads", SN_OPTION_INT, &a.threads, 1, 1024, "N",
         "threads of the parallel cases of crowd, coupled and spacetime [2]", SN_GROUP_ADVANCED, true},
        {"--rig", SN_OPTION_STRING, &a.rig, 0, 0, "RIG.json",
         "rig of the mesh, for modes, reduced, skin and all [one affine handle]", SN_GROUP_INPUT, true},
        {"--backend", SN_OPTION_STRING, &a.backend, 0, 0, "cpu|gpu", "where the benchmark runs [cpu; skin: both]",
         SN_GROUP_SIMULATION, true},
        {"--full-space", SN_OPTION_FLAG, &believable.compares_full_space, 0, 0, NULL,
         "believable: compare with the full space; slow", SN_GROUP_SIMULATION, true},
        {"--clips", SN_OPTION_INT, &believable.clip_count, 0, 16, "N",
         "believable: clips besides the walk, the idle and the run [2]", SN_GROUP_INPUT, true},
        {"--bones", SN_OPTION_FLAG, &believable.lists_bones, 0, 0, NULL, "believable: list the figures of each bone",
         SN_GROUP_OUTPUT, true},
        {0},
    };
    char names[NAMES_SIZE], summary[NAMES_SIZE + 64];
    list_names(false, ", ", names);
    snprintf(summary, sizeof summary, "Measures %s.", names);
    const sn_verb verb = {
        .usage = "bench NAME|all [MESH|MODEL.sinew] | believable [CHARACTER...] [options]",
        .summary = summary,
        .details =
            "A mesh replaces the built-in one for benchmarks that take meshes; reduced and skin also take models.\nThe "
            "column `of limit` is the fraction of the measured peak of the machine, where that is known.\n" BELIEVABLE
            " measures the flesh of characters [mascot and octopus]; it is not part of all.",
        .examples = {"bench all --json", "bench reduced avatar.sinew", "bench believable avatar.vrm"},
        .options = options,
        .operands = &operands,
        .min_operands = 1,
        .max_operands = SN_LIST_LIMIT};
    const int status = sn_parse_arguments(&verb, argument_count, arguments);
    if (status != SN_CONTINUE) {
        return status;
    }
    believable.is_json = is_json;
    if (strcmp(operands.items[0], BELIEVABLE) == 0) {
        return run_believable(&a, &believable);
    }
    if (believable.compares_full_space || believable.lists_bones || believable.clip_count != DEFAULT_CLIPS) {
        fprintf(stderr, "sinew: bench %s: --full-space, --bones and --clips apply to " BELIEVABLE " only\n",
                operands.items[0]);
        return SN_EXIT_USAGE;
    }
    if (operands.count > 2) {
        fprintf(stderr, "sinew: bench %s: too many arguments: %s\n", operands.items[0], operands.items[2]);
        return SN_EXIT_USAGE;
    }
    if (a.backend && !is_on_device(&a) && strcmp(a.backend, "cpu") != 0) {
        fprintf(stderr, "sinew: --backend %s: not a valid value (cpu|gpu)\n", a.backend);
        return SN_EXIT_USAGE;
    }
    const int name_status = check_name(operands.items[0], is_on_device(&a));
    if (name_status != SN_CONTINUE) {
        return name_status;
    }
    a.path = operands.count > 1 ? operands.items[1] : NULL;
    sn_log_subject(a.path ? a.path : a.rig);
    const char *reason = refusal(operands.items[0], &a);
    if (reason) {
        fprintf(stderr, "sinew: bench: %s: %s %s\n", a.path ? a.path : a.rig, operands.items[0], reason);
        return SN_EXIT_USAGE;
    }
    static sn_bench_table table;
    const int code = run_benches(operands.items[0], &a, &table);
    if (code == SN_EXIT_OK) {
        (is_json ? print_json : print_table)(&table);
    }
    return code;
}
