/* SPDX-License-Identifier: MIT */
/* sinew bake: exports a motion to glTF, USD or JSON. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "author/io/gltf/gltf_write.h"
#include "author/io/usd/usd_write.h"
#include "tools/bake/json.h"
#include "tools/bake/recording.h"
#include "tools/bake/scene_recording.h"
#include "tools/command/added_motion.h"
#include "tools/command/args.h"
#include "tools/command/json.h"
#include "tools/command/model_file.h"
#include "tools/command/overwrite.h"
#include "tools/command/verbs.h"
#include "tools/scene_json/scene_json.h"
#include "tools/simulation/floor.h"

#define DEFAULT_TARGETS 16
#define DEFAULT_KEY_ERROR 1e-4 /* diagonals */
#define CLIP_CHARS 1024

typedef struct bake_arguments {
    sn_string_list operands;
    sn_simulation_parameters parameters;
    sn_recording_desc recording;
    const char *output, *clip;
    const char *scene;   /* scene file or built-in scene, or null */
    int body;            /* index of the scene's body; -1: not set */
    int targets, joints; /* -1: not set */
    int influences;
    double key_error;   /* -1: not set */
    bool has_all_clips; /* --clip all */
    bool is_json;
} bake_arguments;

typedef enum output_type { FILE_GLTF, FILE_USD, FILE_JSON, FILE_UNKNOWN } output_type;

static output_type output_type_of(const char *path)
{
    const bool is_gltf =
        sn_has_extension(path, ".glb") || sn_has_extension(path, ".gltf") || sn_has_extension(path, ".vrm");
    return is_gltf                           ? FILE_GLTF
           : sn_has_extension(path, ".usda") ? FILE_USD
           : sn_has_extension(path, ".json") ? FILE_JSON
                                             : FILE_UNKNOWN;
}

static const char *source_of(const bake_arguments *a)
{
    return a->scene ? a->scene : a->operands.items[0];
}

/* Adds the other members of the report. */
typedef struct outcome {
    sn_bake_report report;
    sn_bake_errors errors;
    double bytes;
} outcome;

static sn_bake_desc describe(const bake_arguments *a, const sn_recording *recording)
{
    const sn_model *model = recording->motion.model;
    sn_bake_desc desc = {.influence_limit = a->influences,
                         .clip_name = recording->clip_name,
                         .is_vrm = sn_has_extension(a->output, ".vrm"),
                         .has_springs = sn_simulation_body_desc(&a->parameters).is_without_springs,
                         .has_one_mesh = output_type_of(a->output) == FILE_USD,
                         .has_half_scales = output_type_of(a->output) == FILE_USD};
    desc.key_error = a->key_error >= 0 ? a->key_error : DEFAULT_KEY_ERROR * model->diagonal;
    if (recording->motion.modes || recording->motion.surface) {
        desc.form = a->joints >= 0 ? SN_BAKE_JOINTS : SN_BAKE_TARGETS;
        desc.count = a->joints >= 0 ? a->joints : a->targets >= 0 ? a->targets : DEFAULT_TARGETS;
    }
    return desc;
}

/* Reads the written file back and measures its error; a .usda has the same numbers as the scene in memory. */
static sn_result write_scene(const bake_arguments *a, const sn_recording *recording, sn_arena *arena, outcome *out)
{
    const sn_bake_desc desc = describe(a, recording);
    sn_scene_file scene, read;
    if (desc.is_vrm && recording->motion.model->vrm_version == 0) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: was not cooked from a VRM, so it has no licence, which a .vrm needs; write a .glb",
                       source_of(a));
    }
    sn_result result = sn_bake_build(&recording->motion, &desc, arena, &scene, &out->report);
    if (result == SN_OK && output_type_of(a->output) == FILE_USD) {
        result = sn_usd_write(a->output, &scene, recording->motion.frame_rate);
        return result == SN_OK ? sn_bake_measure(&recording->motion, &scene, a->output, &out->errors) : result;
    }
    if (result == SN_OK) {
        result = sn_gltf_write(a->output, &scene);
    }
    if (result == SN_OK) {
        result = sn_scene_file_read(a->output, arena, &read);
    }
    return result == SN_OK ? sn_bake_measure(&recording->motion, &read, a->output, &out->errors) : result;
}

/* A .json has only the rig's motion, without the motion of the modes. */
static sn_result write_json(const bake_arguments *a, const sn_recording *recording, outcome *out)
{
    const sn_result result = sn_bake_rig_error(&recording->motion, &out->report.rig_error);
    out->errors.at_frames = out->errors.between = out->report.rig_error;
    out->report.joint_count = recording->motion.model->counts.bone_count;
    return result == SN_OK ? sn_bake_json_write(a->output, source_of(a), recording) : result;
}

static void print_outcome(const bake_arguments *a, const sn_recording *recording, const outcome *out)
{
    const sn_bake_report *r = &out->report;
    const int frames = recording->motion.frame_count, clip_count = recording->motion.clip_count;
    char rate[64];
    if (a->has_all_clips) {
        snprintf(rate, sizeof rate, "of %d clips", clip_count);
    } else {
        snprintf(rate, sizeof rate, "%.4g a second", recording->motion.frame_rate);
    }
    if (!a->is_json) {
        printf("%s: %d frames, %s, %.1f KiB; %d joints, %d targets, %d keys of %d; off by %.2g of the "
               "diagonal at most, %.2g between frames (the rig alone: %.2g)\n",
               a->output, frames, rate, out->bytes / 1024, r->joint_count, r->target_count, r->key_count,
               r->frame_key_count, out->errors.at_frames, out->errors.between, r->rig_error);
        return;
    }
    json_t *json = json_pack("{s:o,s:o,s:o,s:o,s:i,s:o,s:i,s:i,s:i,s:i,s:i}", "bytes", sn_json_real(out->bytes),
                             "error", sn_json_real(out->errors.at_frames), "error_between",
                             sn_json_real(out->errors.between), "rig_error", sn_json_real(r->rig_error), "frames",
                             frames, "fps", a->has_all_clips ? json_null() : sn_json_real(recording->motion.frame_rate),
                             "joints", r->joint_count, "targets", r->target_count, "keys", r->key_count, "frame_keys",
                             r->frame_key_count, "recoveries", recording->recoveries);
    for (int i = 0; i < clip_count; ++i) {
        const sn_bake_clip *clip = &recording->motion.clips[i];
        json_t *list = json_object_get(json, "clips");
        if (!list) {
            json_object_set_new(json, "clips", list = json_array());
        }
        json_array_append_new(list, json_pack("{s:s,s:i,s:o}", "name", clip->name, "frames", clip->frame_count, "fps",
                                              sn_json_real(clip->frame_rate)));
    }
    if (a->recording.is_loop) {
        json_object_set_new(json, "periods", json_integer(recording->period_count));
        json_object_set_new(json, "period_difference", sn_json_real(recording->difference));
    }
    sn_print_json(json);
}

static sn_result write_file(const bake_arguments *a, const sn_recording *recording, sn_arena *arena)
{
    outcome out = {0};
    struct stat status;
    SN_TRY(output_type_of(a->output) == FILE_JSON ? write_json(a, recording, &out)
                                                  : write_scene(a, recording, arena, &out));
    out.bytes = stat(a->output, &status) == 0 ? (double)status.st_size : 0;
    print_outcome(a, recording, &out);
    return SN_OK;
}

/* Checks --loop once the model has selected the solver. */
static sn_result check_loop(const bake_arguments *a)
{
    return a->parameters.is_layered && a->recording.is_loop
               ? sn_fail(SN_ERROR_ARGUMENT,
                         "%s: --loop: not supported by layered bodies, whose motion may not become periodic",
                         source_of(a))
               : SN_OK;
}

static sn_result bake_model(bake_arguments *a, sn_arena *arena)
{
    sn_model *model = NULL;
    sn_recording recording;
    sn_recording_desc desc = a->recording;
    desc.model_path = source_of(a);
    sn_result result = sn_model_file_read(desc.model_path, arena, &model);
    if (result == SN_OK) {
        result = sn_simulation_choose_solver(desc.model_path, model, &a->parameters);
    }
    if (result == SN_OK) {
        result = check_loop(a);
    }
    if (result == SN_OK) {
        result = sn_motion_file_add(a->parameters.motion, desc.model_path, arena, model);
    }
    if (result == SN_OK) {
        result = (a->has_all_clips ? sn_recording_run_all : sn_recording_run)(&desc, model, &a->parameters, arena,
                                                                              &recording);
    }
    if (result == SN_OK) {
        result = write_file(a, &recording, arena);
    }
    sn_model_release(model);
    return result;
}

static sn_result bake_scene(const bake_arguments *a, sn_arena *arena)
{
    sn_scene_recording scene = {0};
    sn_recording recording;
    const sn_scene_recording_desc desc = {.scene = a->scene,
                                          .body = a->body >= 0 ? a->body : 0,
                                          .fps = a->recording.fps,
                                          .seconds = a->recording.seconds,
                                          .threads = a->parameters.threads};
    sn_result result = sn_scene_recording_open(&scene, &desc, arena);
    if (result == SN_OK && scene.body.is_coupled && !sn_body_embedding(scene.body.id) &&
        (a->targets >= 0 || a->joints >= 0)) {
        result = sn_fail(SN_ERROR_ARGUMENT, "%s: %s: body %d is coupled: its bones are all that moves its surface",
                         desc.scene, a->targets >= 0 ? "--targets" : "--joints", desc.body);
    }
    if (result == SN_OK) {
        result = sn_scene_recording_run(&scene, arena, &recording);
    }
    if (result == SN_OK) {
        result = write_file(a, &recording, arena);
    }
    sn_scene_recording_close(&scene);
    return result;
}

static sn_result bake(bake_arguments *a)
{
    const char *const inputs[] = {source_of(a), a->parameters.motion};
    sn_arena arena = {0};
    sn_result result = sn_check_overwrite(a->output, inputs, 2);
    if (result == SN_OK) {
        result = a->scene ? bake_scene(a, &arena) : bake_model(a, &arena);
    }
    sn_arena_finish(&arena);
    return result;
}

static int check_form(const bake_arguments *a)
{
    const bool is_json_file = output_type_of(a->output) == FILE_JSON;
    if (a->targets >= 0 && a->joints >= 0) {
        fprintf(stderr, "sinew: bake: --targets or --joints, not both\n");
        return SN_EXIT_USAGE;
    }
    if ((a->targets >= 0 || a->joints >= 0) && (a->recording.is_rig_only || is_json_file)) {
        fprintf(stderr, "sinew: bake: %s: not with %s\n", a->targets >= 0 ? "--targets" : "--joints",
                is_json_file ? "a .json, which has only the rig's motion" : "--rig-only");
        return SN_EXIT_USAGE;
    }
    if (a->has_all_clips && output_type_of(a->output) != FILE_GLTF) {
        fprintf(stderr, "sinew: bake: --clip all: not with -o %s, which has one clip; use .glb or .gltf\n", a->output);
        return SN_EXIT_USAGE;
    }
    const bool has_form = a->targets >= 0 || a->joints >= 0;
    if (a->parameters.is_coupled && ((has_form && !a->parameters.is_flesh_drawn) || a->recording.is_loop)) {
        fprintf(stderr, "sinew: bake: %s: not with --coupled, whose bones %s\n",
                a->recording.is_loop ? "--loop"
                : a->targets >= 0    ? "--targets"
                                     : "--joints",
                a->recording.is_loop ? "need not come back" : "are all that moves the surface");
        return SN_EXIT_USAGE;
    }
    if (a->influences % 4 != 0) {
        fprintf(stderr, "sinew: bake: --influences %d: not a multiple of 4\n", a->influences);
        return SN_EXIT_USAGE;
    }
    return SN_CONTINUE;
}

/* Refuses options that the scene determines. */
static int check_source(const bake_arguments *a)
{
    const char *conflict = a->operands.count > 0      ? a->operands.items[0]
                           : a->clip                  ? "--clip"
                           : a->recording.is_loop     ? "--loop"
                           : a->recording.is_rig_only ? "--rig-only"
                           : a->recording.floor       ? "--floor"
                                                      : sn_simulation_changed_option(&a->parameters);
    if (a->scene && conflict) {
        fprintf(stderr, "sinew: bake: %s: not with a scene\n", conflict);
        return SN_EXIT_USAGE;
    }
    if (!a->scene && a->operands.count == 0) {
        fprintf(stderr, "sinew: bake: too few arguments: a model, a scene file or --scene NAME\n");
        return SN_EXIT_USAGE;
    }
    if (!a->scene && a->body >= 0) {
        fprintf(stderr, "sinew: bake: --body needs a scene\n");
        return SN_EXIT_USAGE;
    }
    return SN_CONTINUE;
}

static int check_arguments(const bake_arguments *a)
{
    const int source_status = check_source(a);
    if (source_status != SN_CONTINUE) {
        return source_status;
    }
    if (!a->output) {
        fprintf(stderr, "sinew: bake: -o OUT.glb is missing\n");
        return SN_EXIT_USAGE;
    }
    if (output_type_of(a->output) == FILE_UNKNOWN) {
        fprintf(stderr, "sinew: bake: -o %s: not a .glb, .gltf, .vrm, .usda or .json\n", a->output);
        return SN_EXIT_USAGE;
    }
    if (a->clip && a->parameters.motion) {
        fprintf(stderr, "sinew: bake: --clip or --motion, not both\n");
        return SN_EXIT_USAGE;
    }
    const int status = sn_simulation_check_parameters(&a->parameters);
    if (status != SN_CONTINUE) {
        return status;
    }
    if (a->parameters.backend && strcmp(a->parameters.backend, "gpu") == 0) {
        fprintf(stderr, "sinew: bake: --backend gpu: not in this version\n");
        return SN_EXIT_FAILED;
    }
    const int floor_status = sn_check_floor(a->recording.floor);
    return floor_status == SN_CONTINUE ? check_form(a) : floor_status;
}

int sn_verb_bake(int argument_count, char **arguments)
{
    char motion[CLIP_CHARS];
    bake_arguments a = {
        .parameters = sn_simulation_default_parameters(), .body = -1, .targets = -1, .joints = -1, .key_error = -1};
    a.parameters.plays_first_clip = true;
    sn_option shared[SN_SIMULATION_OPTION_LIMIT];
    sn_simulation_options(&a.parameters, shared);
    const sn_option options[] = {
        {"-o", SN_OPTION_STRING, &a.output, 0, 0, "OUT",
         ".glb, .gltf, .vrm, .usda, or .json (the rig's transforms only)", SN_GROUP_OUTPUT, true},
        {"--clip", SN_OPTION_STRING, &a.clip, 0, 0, "NAME|all",
         "clip to bake, as --motion clip:NAME; all: every clip (.glb, .gltf, .vrm)", SN_GROUP_INPUT, true},
        {"--scene", SN_OPTION_STRING, &a.scene, 0, 0, "NAME", "bake a built-in scene instead of a model",
         SN_GROUP_INPUT, false},
        {"--body", SN_OPTION_INT, &a.body, 0, 1e6, "N", "index of the scene's body, copies counted [0]", SN_GROUP_INPUT,
         false},
        {"--targets", SN_OPTION_INT, &a.targets, 0, SN_BAKE_TARGET_LIMIT, "N",
         "write the secondary motion as N morph targets [16]", SN_GROUP_OUTPUT, true},
        {"--joints", SN_OPTION_INT, &a.joints, 0, SN_BAKE_JOINT_LIMIT, "N",
         "write it as N additional joints with uniform scale instead [none]", SN_GROUP_OUTPUT, true},
        {"--rig-only", SN_OPTION_FLAG, &a.recording.is_rig_only, 0, 0, NULL,
         "write the rig's motion without simulation", SN_GROUP_OUTPUT, false},
        {"--influences", SN_OPTION_INT, &a.influences, 4, SN_BAKE_INFLUENCE_LIMIT, "N",
         "maximum joints of a vertex, a multiple of 4 [rig's own; --joints: 4]", SN_GROUP_OUTPUT, false},
        {"--key-error", SN_OPTION_REAL, &a.key_error, 0, 1e6, "E",
         "surface error allowed by key removal, model units [1e-4 of the diagonal]", SN_GROUP_OUTPUT, false},
        {"--fps", SN_OPTION_REAL, &a.recording.fps, 1e-3, 1e4, "R",
         "frames per second, sampled from steps of at most --dt [the clip's rate]", SN_GROUP_OUTPUT, true},
        {"--seconds", SN_OPTION_REAL, &a.recording.seconds, 1e-6, 1e6, "S", "length in seconds [the motion's length]",
         SN_GROUP_OUTPUT, false},
        {"--loop", SN_OPTION_FLAG, &a.recording.is_loop, 0, 0, NULL,
         "make a seamless loop: run until periodic, then blend two periods", SN_GROUP_OUTPUT, false},
        {"--floor", SN_OPTION_STRING, &a.recording.floor, 0, 0, "auto|none|Y", SN_FLOOR_HELP, SN_GROUP_SIMULATION,
         false},
        {"--json", SN_OPTION_FLAG, &a.is_json, 0, 0, NULL, "print the report as JSON on stdout", SN_GROUP_OUTPUT,
         false},
        {0},
    };
    const sn_verb verb = {.usage = "bake MODEL.sinew|SCENE.json -o OUT.glb [options]",
                          .summary = "Exports a simulated animation to a file for other programs.",
                          .details = "Of a scene, one body is exported; only -o, --body, --fps, --seconds, --threads "
                                     "and the options of\nthe output format apply.",
                          .examples = {"bake avatar.sinew --clip walk -o walk.glb",
                                       "bake avatar.sinew --clip walk --joints 24 -o walk.glb",
                                       "bake avatar.sinew --clip idle --loop -o idle.usda"},
                          .options = options,
                          .shared_options = shared,
                          .operands = &a.operands,
                          .max_operands = 1};
    int status = sn_parse_arguments(&verb, argument_count, arguments);
    if (status == SN_CONTINUE && !a.scene && a.operands.count > 0 && sn_is_scene_file(a.operands.items[0])) {
        a.scene = a.operands.items[0];
        a.operands.count = 0;
    }
    if (status == SN_CONTINUE) {
        a.has_all_clips = a.clip && strcmp(a.clip, "all") == 0;
        status = check_arguments(&a);
    }
    if (status == SN_CONTINUE && a.clip && !a.has_all_clips) {
        if (snprintf(motion, sizeof motion, "clip:%s", a.clip) >= (int)sizeof motion) {
            fprintf(stderr, "sinew: %s: no clip is called '%.40s...'\n", a.operands.items[0], a.clip);
            return SN_EXIT_FAILED;
        }
        a.parameters.motion = motion;
    }
    return status != SN_CONTINUE ? status : bake(&a) == SN_OK ? SN_EXIT_OK : SN_EXIT_FAILED;
}
