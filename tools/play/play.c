/* SPDX-License-Identifier: MIT */
/* sinew play: simulates and renders a character in a window or to pictures. */
#include "tools/play/play.h"

#include <string.h>

#include "author/import/motion_file.h"
#include "host/platform/platform.h"
#include "runtime/input/interrupt.h"
#include "sinew/author.h"
#include "tools/command/added_motion.h"
#include "tools/command/median.h"
#include "tools/command/model_file.h"
#include "tools/command/record_file.h"
#include "tools/command/verbs.h"
#include "tools/play/pictures.h"
#include "tools/play/replay.h"
#include "tools/play/report.h"
#include "tools/play/scene.h"
#include "tools/play/window.h"
#include "tools/play/world_run.h"

typedef struct play {
    sn_play_arguments *arguments;
    sn_arena arena;
    sn_blob cooked;    /* bytes of a model that was cooked in this process */
    sn_cook_desc cook; /* how it was cooked */
    sn_model *model;
    sn_play_device play_device;
    double start, cook_seconds;
    sn_record_file record;
    int recorded_count;      /* frame count without a window */
    sn_pictures pictures;    /* without a window */
    sn_play_session session; /* with a window or headset */
} play;

/* ---- the model ---- */

static sn_result cook(play *p, const char *path)
{
    const sn_play_arguments *a = p->arguments;
    p->cook = sn_default_cook_desc();
    p->cook.rig_path = a->rig;
    p->cook.is_flat = a->is_flat;
    p->cook.is_coupled = a->parameters.is_coupled;
    p->cook.is_layered = a->parameters.is_layered;
    p->cook.clip_paths = a->clips.items;
    p->cook.clip_count = a->clips.count;
    const double start = sn_now();
    const sn_result result = sn_cook(path, &p->cook, &p->cooked, NULL);
    p->cook_seconds = sn_now() - start;
    return result == SN_OK ? sn_model_load_named(path, p->cooked.bytes, p->cooked.size, &p->model) : result;
}

static sn_result read_model(play *p, const char *path)
{
    const sn_play_arguments *a = p->arguments;
    if (!sn_is_model_file(path)) {
        return cook(p, path);
    }
    if (a->rig || a->clips.count > 0 || a->is_flat) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: is already cooked; --rig, --clip and --flat apply only to other files",
                       path);
    }
    return sn_model_file_read(path, &p->arena, &p->model);
}

static sn_result open_model(play *p)
{
    const char *path = p->arguments->operands.items[0];
    sn_result result = read_model(p, path);
    if (result == SN_OK && p->model->counts.part_count == 0) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: has no surface to render", path);
    }
    if (result == SN_OK) {
        result = sn_simulation_choose_solver(path, p->model, &p->arguments->parameters);
    }
    const sn_play_arguments *a = p->arguments;
    result = result ? result : sn_motion_file_add(a->parameters.motion, path, &p->arena, p->model);
    return result || !a->live ? result
                              : a->live->open(a->live->user, p->model, path, a->is_headless, &p->arguments->parameters);
}

/* ---- playing ---- */

static sn_result draw_pictures(play *p)
{
    const sn_play_arguments *a = p->arguments;
    const sn_pictures_desc desc = {.device = p->play_device.device,
                                   .model = p->model,
                                   .name = a->operands.items[0],
                                   .parameters = &a->parameters,
                                   .out = a->out,
                                   .sheet = a->sheet,
                                   .frame_count = a->frames,
                                   .every = a->every,
                                   .size = {a->size[0], a->size[1]},
                                   .view = a->view,
                                   .backdrop = a->backdrop,
                                   .background = a->background,
                                   .is_on_device = sn_play_is_on_device(a),
                                   .has_handles = a->has_handles,
                                   .has_mesh = a->has_mesh};
    const sn_result result = sn_pictures_render(&p->pictures, &desc, &p->arena);
    sn_pictures_close(&p->pictures);
    return result;
}

/* Records a world run, then renders pictures of the recording. */
static sn_result record_run(play *p)
{
    const sn_play_arguments *a = p->arguments;
    sn_gpu *gpu = NULL;
    sn_result result = sn_play_device_create_gpu(&p->play_device, a, 1, &gpu);
    const sn_world_run_desc desc = {.model = p->model,
                                    .name = a->operands.items[0],
                                    .parameters = &a->parameters,
                                    .backend = gpu ? sn_gpu_backend(gpu) : NULL,
                                    .recorder = p->record.recorder,
                                    .frame_count = a->frames,
                                    .size = {a->size[0], a->size[1]},
                                    .run_count = &p->recorded_count};
    result = result ? result : sn_world_run(&desc, &p->arena);
    sn_gpu_destroy(&gpu);
    return result;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static sn_result play_model(play *p)
{
    const sn_play_arguments *a = p->arguments;
    p->session.arguments = a;
    p->session.play_device = &p->play_device;
    p->session.model = p->model;
    p->session.cook = p->cooked.bytes ? &p->cook : NULL;
    if (a->record) {
        sn_interrupt_install();
    }
    const sn_result result = sn_record_file_open(a->record, name_of(a->operands.items[0]), &p->record);
    p->session.recorder = p->record.recorder;
    if (result != SN_OK) {
        return result;
    }
    return a->is_xr          ? sn_play_in_headset(&p->session)
           : !a->is_headless ? sn_play_in_window(&p->session)
           : a->record       ? record_run(p)
                             : draw_pictures(p);
}

static void report(const play *p, int message_count)
{
    const sn_play_arguments *a = p->arguments;
    const sn_player_report *player_report = &p->session.report;
    const bool is_headless = a->is_headless;
    const int rendered_count = p->pictures.frames.written_count;
    const sn_play_result result = {
        .device = p->play_device.device->properties.deviceName,
        .cook_seconds = p->cook_seconds,
        .total_seconds = sn_now() - p->start,
        .solver_ms = is_headless ? sn_median(p->pictures.step_ms, rendered_count) : player_report->solver_ms,
        .drawing_ms = is_headless ? sn_median(p->pictures.draw_ms, rendered_count) : player_report->drawing_ms,
        .frame_count = is_headless ? rendered_count : player_report->frame_count,
        .recovery_count = player_report->recovery_count,
        .validation_message_count = message_count};
    sn_play_report(a, &result);
}

/* Completes the recording before its world and models are destroyed. */
static sn_result stop(play *p, sn_result result)
{
    sn_play_session_stop(&p->session);
    const sn_result recorded = sn_record_file_close(&p->record, result == SN_OK);
    sn_log_subject(p->arguments->operands.items[0]);
    sn_play_session_finish(&p->session);
    return result ? result : recorded;
}

static void finish(play *p)
{
    const sn_play_live *live = p->arguments->live;
    sn_play_device_finish(&p->play_device);
    if (live) {
        live->close(live->user);
    }
    sn_model_release(p->model);
    sn_blob_release(&p->cooked);
    sn_arena_finish(&p->arena);
}

static int run(sn_play_arguments *a)
{
    play p = {.arguments = a, .start = sn_now()};
    bool is_replayed = a->is_headless && a->record; /* the replay then prints the report */
    sn_result result = sn_play_device_init(&p.play_device, a);
    result = result ? result : open_model(&p);
    result = result ? result : play_model(&p);
    if (result == SN_OK && a->live) {
        result = a->live->finish(a->live->user);
    }
    result = stop(&p, result);
    if (p.recorded_count < a->frames) { /* ended by a signal: the recording is complete, and is not drawn */
        is_replayed = false;
    }
    const int message_count = sn_play_device_message_count(&p.play_device);
    if (result == SN_OK && !is_replayed) {
        report(&p, message_count);
    }
    result = result ? result : sn_check_message_count(message_count);
    finish(&p);
    if (result == SN_OK && is_replayed) {
        return sn_play_replay(a, a->record, NULL);
    }
    return result == SN_OK ? SN_EXIT_OK : SN_EXIT_FAILED;
}

int sn_play_characters(const sn_play_live *live, int argument_count, char **arguments)
{
    sn_play_arguments a;
    const int status = sn_play_arguments_parse(live, argument_count, arguments, &a);
    if (status != SN_CONTINUE) {
        return status;
    }
    if (a.is_list) {
        return sn_list_scenes(a.is_json);
    }
    if (a.replay) {
        return sn_play_replay(&a, a.replay, a.operands.count > 0 ? a.operands.items[0] : NULL);
    }
    if (sn_play_check_record(&a) != SN_OK) {
        return SN_EXIT_FAILED;
    }
    return a.scene ? sn_play_scene(&a) : run(&a);
}

int sn_verb_play(int argument_count, char **arguments)
{
    return sn_play_characters(NULL, argument_count, arguments);
}
