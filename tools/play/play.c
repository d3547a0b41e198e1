/* SPDX-License-Identifier: MIT */
/* sinew play: simulates and draws a character, in a window or to pictures. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "author/cook/motion_file.h"
#include "host/base/clock.h"
#include "runtime/app/dropped.h"
#include "runtime/app/player.h"
#include "sinew/author.h"
#include "tools/command/added_motion.h"
#include "tools/command/args.h"
#include "tools/command/json.h"
#include "tools/command/median.h"
#include "tools/command/model_file.h"
#include "tools/command/overwrite.h"
#include "tools/command/record_file.h"
#include "tools/command/verbs.h"
#include "tools/play/headset.h"
#include "tools/play/pictures.h"
#include "tools/play/play.h"
#include "tools/play/replay.h"
#include "tools/play/scene.h"
#include "tools/play/world_run.h"

#define OPTION_LIMIT 40

typedef struct play_arguments {
    sn_string_list operands, clips;
    sn_simulation_parameters parameters;
    const char *rig, *out, *sheet, *device, *scene, *record, *replay;
    int frames, size[2];
    double xr_height; /* metres, or 0 */
    bool is_headless, is_xr, is_validated, is_flat, is_list, is_json, has_handles, has_mesh;
    const sn_play_live *live; /* of another verb, or null */
} play_arguments;

/* A character in the window, with what stands around it. */
typedef struct shown {
    sn_dropped dropped; /* the first was not */
    sn_solid solids[SN_SOLID_LIMIT];
    sn_player_character character;
} shown;

typedef struct play {
    play_arguments *arguments;
    sn_arena arena;
    sn_blob cooked; /* the model's bytes, where it was cooked here */
    sn_model *model;
    sn_gpu_device *device;
    double start, cook_seconds;
    sn_pictures pictures; /* without a window */
    sn_record_file record;
    int validation_message_count;
    /* with a window */
    sn_window *window;
    sn_headset *headset; /* or with one */
    sn_player *player;
    shown shows[2];        /* what is shown, and what was dropped to be shown in its place */
    int show;              /* the one that is */
    sn_dropping *dropping; /* on its way, or null */
    sn_player_report report;
} play;

static bool is_on_device(const play_arguments *a)
{
    return a->parameters.backend && strcmp(a->parameters.backend, "gpu") == 0;
}

static sn_result cook(play *p, const char *path)
{
    const play_arguments *a = p->arguments;
    sn_cook_desc desc = sn_default_cook_desc();
    desc.rig_path = a->rig;
    desc.is_flat = a->is_flat;
    desc.is_coupled = a->parameters.is_coupled;
    desc.is_layered = a->parameters.is_layered;
    desc.clip_paths = a->clips.items;
    desc.clip_count = a->clips.count;
    const double start = sn_now();
    const sn_result result = sn_cook(path, &desc, &p->cooked, NULL);
    p->cook_seconds = sn_now() - start;
    return result == SN_OK ? sn_model_load_named(path, p->cooked.bytes, p->cooked.size, &p->model) : result;
}

static sn_result read_model(play *p, const char *path)
{
    const play_arguments *a = p->arguments;
    if (!sn_is_model_file(path)) {
        return cook(p, path);
    }
    if (a->rig || a->clips.count > 0 || a->is_flat) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: is cooked already: --rig, --clip and --flat are for files that are not",
                       path);
    }
    return sn_model_file_read(path, &p->arena, &p->model);
}

static sn_result open_model(play *p)
{
    const char *path = p->arguments->operands.items[0];
    sn_result result = read_model(p, path);
    if (result == SN_OK && p->model->counts.part_count == 0) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: has no surface to draw", path);
    }
    if (result == SN_OK) {
        result = sn_choose_solver(path, p->model, &p->arguments->parameters);
    }
    const play_arguments *a = p->arguments;
    result = result ? result : sn_motion_file_add(a->parameters.motion, path, &p->arena, p->model);
    return result || !a->live ? result
                              : a->live->open(a->live->user, p->model, path, a->is_headless, &p->arguments->parameters);
}

/* Before anything that takes long: a device for the window, where there is one. */
static sn_result open_device(play *p)
{
    const play_arguments *a = p->arguments;
    sn_gpu_device_desc desc = {.name = a->device, .is_validated = a->is_validated};
    if (a->is_xr) {
        const sn_result result = sn_headset_open(&desc, &p->headset);
        if (result != SN_OK) {
            return result;
        }
    } else if (!a->is_headless) {
        const sn_result result = sn_window_open("sinew", a->size[0], a->size[1], &p->window);
        if (result != SN_OK) {
            return result;
        }
        desc.instance_extensions = sn_window_extensions(&desc.instance_extension_count);
    }
    return sn_gpu_device_create(&desc, &p->device);
}

static sn_result draw_pictures(play *p)
{
    const play_arguments *a = p->arguments;
    const sn_pictures_desc desc = {.device = p->device,
                                   .model = p->model,
                                   .name = a->operands.items[0],
                                   .parameters = &a->parameters,
                                   .out = a->out,
                                   .sheet = a->sheet,
                                   .frame_count = a->frames,
                                   .size = {a->size[0], a->size[1]},
                                   .is_on_device = is_on_device(a),
                                   .has_handles = a->has_handles,
                                   .has_mesh = a->has_mesh};
    const sn_result result = sn_pictures_draw(&p->pictures, &desc, &p->arena);
    sn_pictures_close(&p->pictures);
    return result;
}

/* ---- the window ---- */

static bool is_drop_done(void *user)
{
    const play *p = user;
    return sn_dropping_is_done(p->dropping);
}

static sn_result open_solids(play *p, shown *s)
{
    s->character.solids = s->solids;
    return sn_simulation_open_solids(&p->arguments->parameters, s->character.model, &p->arena, s->solids,
                                     &s->character.solid_count);
}

static void close_shown(shown *s)
{
    while (s->character.solid_count > 0) {
        sn_solid_close(&s->solids[--s->character.solid_count]);
    }
    sn_dropped_release(&s->dropped);
}

/* size: of the picture, where there is no window. */
static sn_result open_player(play *p, const int size[2])
{
    const play_arguments *a = p->arguments;
    const sn_player_desc desc = {.window = p->window,
                                 .device = p->device,
                                 .size = {size[0], size[1]},
                                 .time_step = a->parameters.time_step,
                                 .worker_count = a->parameters.threads < 64 ? a->parameters.threads : 64,
                                 .is_on_device = is_on_device(a),
                                 .is_single = a->parameters.is_single,
                                 .recorder = p->record.recorder,
                                 .frame_limit = a->frames,
                                 .is_ready = is_drop_done,
                                 .ready_user = p};
    shown *first = &p->shows[0];
    first->character = (sn_player_character){.model = p->model,
                                             .name = a->operands.items[0],
                                             .body = sn_simulation_body_desc(&a->parameters),
                                             .is_flesh_drawn = sn_is_flesh_drawn(&a->parameters)};
    sn_player_character *c = &first->character;
    uint8_t *locks = SN_NEW(&p->arena, uint8_t, p->model->counts.bone_count);
    sn_result result = locks ? sn_check_detail(&a->parameters, c->name, p->model) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_coupled_locks(&a->parameters, c->name, p->model, locks);
        c->locks = locks;
    }
    if (result == SN_OK) {
        result = sn_simulation_open_motion(&a->parameters, c->name, p->model, &p->arena, &c->motion);
    }
    if (result == SN_OK) {
        result = open_solids(p, first);
    }
    if (result == SN_OK) {
        result = sn_player_create(&desc, &p->player);
    }
    return result == SN_OK ? sn_player_show(p->player, c) : result;
}

/* In place of the one that was dropped before, if that is not there yet. */
static void begin_drop(play *p)
{
    const char *path = sn_window_dropped_path(p->window), *slash = strrchr(path, '/');
    sn_dropping_cancel(&p->dropping);
    const sn_result result =
        sn_dropping_begin(path, sn_simulation_body_desc(&p->arguments->parameters).solver, &p->dropping);
    sn_player_tell(p->player, result == SN_OK ? "%s ..." : "%s cannot be played: see the terminal",
                   slash ? slash + 1 : path);
}

/* With solids that are made for it. */
static sn_result take_drop(play *p, shown *next)
{
    const sn_result result = sn_dropping_take(&p->dropping, &next->dropped);
    if (result != SN_OK) {
        return result;
    }
    const sn_model *model = next->dropped.model;
    const bool has_clips = model->counts.clip_count > 0 && !sn_model_is_posed_only(model);
    sn_body_desc body = sn_simulation_body_desc(&p->arguments->parameters);
    if (model->counts.mode_count == 0 || (body.solver == SN_SOLVER_LAYERED && !sn_model_is_layered(model))) {
        body.solver = sn_model_is_layered(model)      ? SN_SOLVER_LAYERED /* it can do nothing else */
                      : model->counts.mode_count == 0 ? SN_SOLVER_COUPLED
                                                      : SN_SOLVER_REDUCED;
    }
    next->character = (sn_player_character){
        .model = model,
        .name = next->dropped.path,
        .motion = {.model = model, .clip = has_clips ? 0 : -1, .is_hop = !has_clips},
        .body = body,
        .is_flesh_drawn = body.solver == SN_SOLVER_LAYERED ||
                          (body.solver == SN_SOLVER_COUPLED && sn_is_flesh_drawn(&p->arguments->parameters))};
    return open_solids(p, next);
}

/* A file that cannot be played has its line, and the character before it plays on. */
static sn_result play_dropped(play *p)
{
    shown *before = &p->shows[p->show], *next = &p->shows[1 - p->show];
    bool is_next = false;
    sn_result result = SN_OK;
    if (take_drop(p, next) == SN_OK) {
        result = sn_player_try(p->player, &next->character, &before->character, &is_next);
    }
    close_shown(is_next ? before : next);
    if (is_next) {
        p->show = 1 - p->show;
        sn_log_subject(next->character.name);
    } else {
        sn_player_tell(p->player, "this file cannot be played: see the terminal");
    }
    return result;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static sn_result open_record(play *p)
{
    const play_arguments *a = p->arguments;
    const char *path = a->operands.items[0];
    const sn_result result = a->record ? sn_refuse_overwrite(a->record, &path, 1) : SN_OK;
    return result ? result : sn_record_file_open(a->record, name_of(path), &p->record);
}

static sn_result play_in_window(play *p)
{
    sn_player_end end = SN_PLAYER_READY;
    sn_result result = open_record(p);
    result = result ? result : open_player(p, p->arguments->size);
    while (result == SN_OK && end != SN_PLAYER_CLOSED) {
        result = sn_player_run(p->player, &end);
        if (result == SN_OK && end == SN_PLAYER_READY) {
            result = play_dropped(p);
        } else if (result == SN_OK && end == SN_PLAYER_FILE_DROPPED) {
            begin_drop(p);
        }
    }
    if (p->player) {
        p->report = sn_player_get_report(p->player);
    }
    return result;
}

/* ---- the headset ---- */

static sn_result play_in_headset(play *p)
{
    const play_arguments *a = p->arguments;
    sn_show *show = NULL;
    int size[2];
    sn_result result = sn_headset_start(p->headset, p->device, size);
    result = result ? result : open_record(p);
    result = result ? result : open_player(p, size);
    result = result ? result : sn_show_create_character(p->player, &show);
    result = result ? result : sn_headset_play(p->headset, show, a->xr_height, a->frames, &p->report);
    sn_show_destroy(&show);
    return result;
}

/* ---- all of them ---- */

static void print_json(const play *p, json_t *report)
{
    if (p->arguments->live) {
        p->arguments->live->report(p->arguments->live->user, report);
    }
    sn_print_json(report);
}

/* What a window or a headset showed; nobody watches --json's. */
static void print_report(play *p)
{
    const sn_player_report *r = &p->report;
    if (p->arguments->is_json) {
        print_json(p, json_pack("{s:i,s:s,s:{s:o,s:o},s:o,s:o,s:i,s:i}", "frames", r->frame_count, "device",
                                p->device->properties.deviceName, "seconds", "cook", sn_json_real(p->cook_seconds),
                                "total", sn_json_real(sn_now() - p->start), "solver_ms_mean",
                                sn_json_real(r->solver_ms), "draw_ms_mean", sn_json_real(r->drawing_ms), "recoveries",
                                r->recovery_count, "validation_messages", p->validation_message_count));
    }
}

static void print_result(play *p)
{
    const play_arguments *a = p->arguments;
    const double step = sn_median(p->pictures.step_ms, a->frames), draw = sn_median(p->pictures.draw_ms, a->frames);
    const double total = sn_now() - p->start;
    const char *device = p->device->properties.deviceName;
    if (!a->is_json) {
        printf("%s: %d frames of %d x %d in %.2f s by %s; %.3f ms a step, %.3f ms a drawing (medians)\n", a->out,
               a->frames, a->size[0], a->size[1], total, device, step, draw);
        return;
    }
    print_json(p, json_pack("{s:i,s:i,s:i,s:s,s:{s:o,s:o},s:o,s:o,s:i}", "frames", a->frames, "width", a->size[0],
                            "height", a->size[1], "device", device, "seconds", "cook", sn_json_real(p->cook_seconds),
                            "total", sn_json_real(total), "step_ms_median", sn_json_real(step), "draw_ms_median",
                            sn_json_real(draw), "validation_messages", p->validation_message_count));
}

static void close_drawing(play *p, bool is_run, sn_result *result)
{
    sn_player_destroy(&p->player);
    sn_headset_stop(p->headset);
    const sn_result recorded = sn_record_file_close(&p->record, is_run);
    *result = *result ? *result : recorded;
    sn_log_subject(p->arguments->operands.items[0]);
    sn_dropping_cancel(&p->dropping);
    close_shown(&p->shows[0]);
    close_shown(&p->shows[1]);
    p->validation_message_count = p->device ? p->device->validation_message_count : 0;
}

/* In a world, step by step; then the pictures are of what was recorded. */
static sn_result record_run(play *p)
{
    const play_arguments *a = p->arguments;
    sn_gpu *gpu = NULL;
    sn_result result = is_on_device(a) ? sn_gpu_create_on(p->device, 1, &gpu) : SN_OK;
    if (gpu) {
        gpu->is_single = a->parameters.is_single;
    }
    result = result ? result : open_record(p);
    const sn_world_run_desc desc = {.model = p->model,
                                    .name = a->operands.items[0],
                                    .parameters = &a->parameters,
                                    .backend = gpu ? sn_gpu_backend(gpu) : NULL,
                                    .recorder = p->record.recorder,
                                    .frame_count = a->frames,
                                    .size = {a->size[0], a->size[1]}};
    result = result ? result : sn_world_run(&desc, &p->arena);
    sn_gpu_destroy(&gpu);
    return result;
}

static int run_replay(const play_arguments *a, const char *recording, const char *model)
{
    const sn_play_replay_arguments replay = {.replay = recording,
                                             .model = model,
                                             .out = a->out,
                                             .sheet = a->sheet,
                                             .device = a->device,
                                             .frames = a->frames,
                                             .width = a->size[0],
                                             .height = a->size[1],
                                             .threads = a->parameters.threads,
                                             .is_on_device = is_on_device(a),
                                             .is_single = a->parameters.is_single,
                                             .is_headless = a->is_headless,
                                             .is_validated = a->is_validated,
                                             .is_json = a->is_json};
    return sn_play_replay(&replay);
}

static int run(play_arguments *a)
{
    play p = {.arguments = a, .start = sn_now()};
    sn_result result = open_device(&p);
    if (result == SN_OK) {
        result = open_model(&p);
    }
    if (result == SN_OK) {
        result = a->is_xr          ? play_in_headset(&p)
                 : !a->is_headless ? play_in_window(&p)
                 : a->record       ? record_run(&p)
                                   : draw_pictures(&p);
    }
    if (result == SN_OK && a->live) {
        result = a->live->finish(a->live->user);
    }
    close_drawing(&p, result == SN_OK, &result);
    if (result == SN_OK && a->is_headless && !a->record) {
        print_result(&p);
    } else if (result == SN_OK && !a->is_headless) {
        print_report(&p);
    }
    if (result == SN_OK && p.validation_message_count > 0) {
        result = sn_fail(SN_ERROR_UNSUPPORTED, "play: --validate: %d messages of the validation layer",
                         p.validation_message_count);
    }
    sn_gpu_device_destroy(&p.device);
    sn_headset_close(&p.headset);
    sn_window_close(&p.window);
    if (a->live) {
        a->live->close(a->live->user);
    }
    sn_model_release(p.model);
    sn_blob_release(&p.cooked);
    sn_arena_finish(&p.arena);
    if (result == SN_OK && a->is_headless && a->record) {
        return run_replay(a, a->record, NULL);
    }
    return result == SN_OK ? SN_EXIT_OK : SN_EXIT_FAILED;
}

/* A recording says by itself all that is told by options. */
static int check_replay(const play_arguments *a)
{
    const char *given = a->scene             ? "--scene"
                        : a->record          ? "--record"
                        : a->rig             ? "--rig"
                        : a->clips.count > 0 ? "--clip"
                        : a->is_flat         ? "--flat"
                        : a->has_mesh        ? "--show-mesh"
                        : a->has_handles     ? "--show-handles"
                                             : sn_changed_simulation_parameter(&a->parameters);
    if (given) {
        fprintf(stderr, "sinew: play: %s: not with --replay\n", given);
        return SN_EXIT_USAGE;
    }
    return SN_CONTINUE;
}

static const char *verb_of(const play_arguments *a)
{
    return a->live ? a->live->name : "play";
}

/* A scene says by itself what a character is told by options. */
static int check_operand(const play_arguments *a)
{
    const char *given = a->rig                  ? "--rig"
                        : a->clips.count > 0    ? "--clip"
                        : a->is_flat            ? "--flat"
                        : a->has_mesh           ? "--show-mesh"
                        : a->operands.count > 0 ? a->operands.items[0]
                                                : sn_changed_simulation_parameter(&a->parameters);
    if (a->record && a->is_headless && (a->has_mesh || a->has_handles || a->parameters.is_double)) {
        fprintf(stderr, "sinew: play: %s: not with --record\n",
                a->has_mesh      ? "--show-mesh"
                : a->has_handles ? "--show-handles"
                                 : "--double");
        return SN_EXIT_USAGE;
    }
    if (!a->scene && a->operands.count == 0) {
        fprintf(stderr, "sinew: %s: too few arguments: a model%s\n", verb_of(a),
                a->live ? " or a file" : ", a file or --scene NAME");
        return SN_EXIT_USAGE;
    }
    if (a->scene && given) {
        fprintf(stderr, "sinew: play: %s: not with --scene\n", given);
        return SN_EXIT_USAGE;
    }
    return SN_CONTINUE;
}

static int run_scene(const play_arguments *a)
{
    const sn_play_scene_arguments scene = {.scene = a->scene,
                                           .record = a->record,
                                           .out = a->out,
                                           .sheet = a->sheet,
                                           .device = a->device,
                                           .frames = a->frames,
                                           .width = a->size[0],
                                           .height = a->size[1],
                                           .threads = a->parameters.threads,
                                           .is_on_device = is_on_device(a),
                                           .is_single = a->parameters.is_single,
                                           .xr_height = a->xr_height,
                                           .is_headless = a->is_headless,
                                           .is_xr = a->is_xr,
                                           .is_validated = a->is_validated,
                                           .is_json = a->is_json,
                                           .has_handles = a->has_handles};
    return sn_play_scene(&scene);
}

/* With --json or without, and with nothing else. */
static int list_scenes(const play_arguments *a)
{
    const char *given = a->operands.count > 0 ? a->operands.items[0]
                        : a->scene            ? "--scene"
                        : a->is_headless      ? "--headless"
                        : a->out              ? "--out"
                                              : NULL;
    if (given) {
        fprintf(stderr, "sinew: play: %s: not with --list\n", given);
        return SN_EXIT_USAGE;
    }
    return sn_list_scenes(a->is_json);
}

static int check_arguments(const play_arguments *a)
{
    const char *other = a->is_headless ? "--headless" : a->device ? "--device" : a->replay ? "--replay" : NULL;
    if (a->is_xr && other) {
        fprintf(stderr, "sinew: %s: %s: not with --xr%s\n", verb_of(a), other,
                a->device && !a->is_headless ? ": the headset's runtime chooses" : "");
        return SN_EXIT_USAGE;
    }
    if (a->xr_height > 0 && !a->is_xr) {
        fprintf(stderr, "sinew: %s: --xr-height needs --xr\n", verb_of(a));
        return SN_EXIT_USAGE;
    }
    if (!a->is_headless && (a->out || a->sheet || a->parameters.is_double)) {
        fprintf(stderr, "sinew: %s: %s needs --headless\n", verb_of(a),
                a->out     ? "--out"
                : a->sheet ? "--sheet"
                           : "--double");
        return SN_EXIT_USAGE;
    }
    if (!a->is_headless && (a->has_handles || a->has_mesh)) {
        fprintf(stderr, "sinew: %s: %s needs --headless: the window has keys for it\n", verb_of(a),
                a->has_handles ? "--show-handles" : "--show-mesh");
        return SN_EXIT_USAGE;
    }
    if (a->is_headless && ((a->frames < 1 && !a->replay) || !a->out)) {
        fprintf(stderr, "sinew: %s: %s is missing\n", verb_of(a), a->out ? "--frames N" : "--out DIR");
        return SN_EXIT_USAGE;
    }
    if (!sn_check_clips(&a->clips, a->rig)) {
        return SN_EXIT_USAGE;
    }
    if (is_on_device(a) && a->parameters.is_double) {
        fprintf(stderr, "sinew: %s: --double: not with --backend gpu\n", verb_of(a));
        return SN_EXIT_USAGE;
    }
    return (a->scene || a->replay ? sn_check_backend : sn_check_simulation_parameters)(&a->parameters);
}

/* The rows of play that are of characters, then those of the verb. */
static void choose_options(const sn_option *rows, const sn_play_live *live, sn_option *chosen)
{
    static const char *const of_scenes[] = {"--scene", "--list", "--record", "--replay", "--xr", "--xr-height"};
    int count = 0;
    for (; rows->name; ++rows) {
        bool is_of_scenes = false;
        for (size_t i = 0; i < sizeof of_scenes / sizeof of_scenes[0]; ++i) {
            is_of_scenes = is_of_scenes || strcmp(rows->name, of_scenes[i]) == 0;
        }
        if (!live || !is_of_scenes) {
            chosen[count++] = *rows;
        }
    }
    for (const sn_option *row = live ? live->options : rows; row->name; ++row) {
        SN_ASSERT(count < OPTION_LIMIT - 1);
        chosen[count++] = *row;
    }
    chosen[count] = (sn_option){0};
}

int sn_play_characters(const sn_play_live *live, int argument_count, char **arguments)
{
    play_arguments a = {.parameters = sn_default_simulation_parameters(), .size = {1280, 720}, .live = live};
    sn_option chosen[OPTION_LIMIT];
    sn_option shared[SN_SIMULATION_OPTION_LIMIT];
    a.parameters.is_first_clip_played = !live;
    a.parameters.is_gusty = true;
    sn_simulation_options(&a.parameters, shared);
    const sn_option options[] = {
        {"--headless", SN_OPTION_FLAG, &a.is_headless, 0, 0, NULL,
         "no window: pictures, and nothing else; needs --out and --frames"},
        {"--xr", SN_OPTION_FLAG, &a.is_xr, 0, 0, NULL,
         "in a headset, by OpenXR: as large as life, and hands push and pull its flesh"},
        {"--xr-height", SN_OPTION_REAL, &a.xr_height, 0.01, 100, "M", "there, how tall it stands, in metres"},
        {"--frames", SN_OPTION_INT, &a.frames, 1, 1e7, "N", "pictures; of a window, until it closes"},
        {"--size", SN_OPTION_SIZE, a.size, 1, SN_IMAGE_LIMIT, "WxH",
         "of a picture, or the window, in pixels (1280x720)"},
        {"--out", SN_OPTION_STRING, &a.out, 0, 0, "DIR", "where frame-0000.png and on are written"},
        {"--sheet", SN_OPTION_STRING, &a.sheet, 0, 0, "F.png",
         "with --headless: eight of the frames in one picture, below what F.png holds"},
        {"--show-handles", SN_OPTION_FLAG, &a.has_handles, 0, 0, NULL, "with --headless: draw the handles, too"},
        {"--show-mesh", SN_OPTION_FLAG, &a.has_mesh, 0, 0, NULL, "with --headless: and the mesh that is simulated"},
        {"--device", SN_OPTION_STRING, &a.device, 0, 0, "NAME|cpu", "part of the device's name (the best there is)"},
        {"--validate", SN_OPTION_FLAG, &a.is_validated, 0, 0, NULL, "check every Vulkan call; any message fails"},
        {"--rig", SN_OPTION_STRING, &a.rig, 0, 0, "RIG.json", "cook IN with this rig"},
        {"--clip", SN_OPTION_LIST, &a.clips, 0, 0, "CLIP.json" SN_MOTION_FILES("|F"),
         "and this animation; may be repeated"},
        {"--flat", SN_OPTION_FLAG, &a.is_flat, 0, 0, NULL, "cook IN, which lies in a plane z = const, as a 2D body"},
        {"--scene", SN_OPTION_STRING, &a.scene, 0, 0, "NAME|F.json", "a scene that the player brings, or a file's"},
        {"--list", SN_OPTION_FLAG, &a.is_list, 0, 0, NULL, "the scenes that it brings"},
        {"--record", SN_OPTION_STRING, &a.record, 0, 0, "F", "record what is done to the world, to the bit"},
        {"--replay", SN_OPTION_STRING, &a.replay, 0, 0, "F", "do it again, and say where it differs"},
        {"--full-space", SN_OPTION_LATER_FLAG, NULL, 0, 0, NULL, "the unreduced reference, which sim has"},
        {"--json", SN_OPTION_FLAG, &a.is_json, 0, 0, NULL, "a JSON object on stdout"},
        {0},
    };
    choose_options(options, live, chosen);
    const sn_verb verb = {
        .usage =
            live ? live->usage : "play MODEL.sinew|IN|--scene NAME [--headless --frames N --out DIR | --xr] [options]",
        .says = live
                    ? live->says
                    : "Simulates and draws a character, in a window (F1 lists its keys), to pictures or in a headset;\n"
                      "IN is cooked first, with cook's defaults.",
        .options = chosen,
        .shared_options = shared,
        .operands = &a.operands,
        .most_operands = 1};
    int status = sn_parse_arguments(&verb, argument_count, arguments);
    if (status == SN_CONTINUE && a.is_list) {
        return list_scenes(&a);
    }
    if (status == SN_CONTINUE) {
        status = a.replay ? check_replay(&a) : check_operand(&a);
    }
    if (status == SN_CONTINUE) {
        status = check_arguments(&a);
    }
    if (status == SN_CONTINUE && live) {
        status = live->check(live->user);
    }
    if (status != SN_CONTINUE) {
        return status;
    }
    if (a.replay) {
        return run_replay(&a, a.replay, a.operands.count > 0 ? a.operands.items[0] : NULL);
    }
    return a.scene ? run_scene(&a) : run(&a);
}

int sn_verb_play(int argument_count, char **arguments)
{
    return sn_play_characters(NULL, argument_count, arguments);
}
