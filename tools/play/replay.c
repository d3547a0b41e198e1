/* SPDX-License-Identifier: MIT */
#include "tools/play/replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "compute/world/world.h"
#include "host/platform/platform.h"
#include "runtime/session/replay_player.h"
#include "runtime/view/replay_view.h"
#include "tools/command/args.h"
#include "tools/command/json.h"
#include "tools/command/median.h"
#include "tools/command/model_file.h"
#include "tools/command/record_file.h"
#include "tools/play/frames.h"
#include "tools/play/play_device.h"

#define FRAMES_IN_FLIGHT 2

typedef struct play {
    const sn_play_arguments *arguments;
    const char *recording;
    const char *model_path; /* model of the recording, or null */
    sn_arena arena;
    sn_model *model; /* loaded from that path */
    const sn_model *models[1];
    sn_replay_desc desc;
    sn_play_device play_device;
    sn_gpu *gpu; /* GPU solver context, or null */
    sn_renderer *renderer;
    sn_replay *replay; /* for pictures */
    sn_replay_view *view;
    sn_frames frames;
    int frame_count;
    double *step_ms, *draw_ms; /* (frame_count) */
    double start;
    uint64_t hash;
    int first_difference;
    sn_player_report report;
} play;

static sn_result read_recording(play *p)
{
    const sn_play_arguments *a = p->arguments;
    sn_result result = p->model_path ? sn_model_file_read(p->model_path, &p->arena, &p->model) : SN_OK;
    p->models[0] = p->model;
    result = result ? result : sn_replay_file_read(p->recording, p->models, &p->arena, &p->desc);
    if (result == SN_OK) {
        p->desc.world.worker_count = a->parameters.threads < 64 ? a->parameters.threads : 64;
        p->desc.world.backend = p->gpu ? sn_gpu_backend(p->gpu) : NULL;
        result = sn_replay_create(&p->desc, &p->replay);
    }
    if (result == SN_OK && p->model) {
        result = sn_replay_check_model(p->replay, p->recording, p->model_path, p->model);
    }
    return result;
}

/* ---- pictures ---- */

static sn_result open_pictures(play *p)
{
    const sn_play_arguments *a = p->arguments;
    const int steps = sn_replay_step_count(p->replay);
    sn_renderer_desc desc = sn_default_renderer_desc();
    p->frame_count = a->frames > 0 ? a->frames : steps;
    if (p->frame_count > steps || steps == 0) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: has only %d steps; use at most --frames %d", p->recording, steps, steps);
    }
    p->step_ms = SN_NEW(&p->arena, double, p->frame_count);
    p->draw_ms = SN_NEW(&p->arena, double, p->frame_count);
    if (!p->step_ms || !p->draw_ms) {
        return SN_ERROR_MEMORY;
    }
    desc.width = a->size[0];
    desc.height = a->size[1];
    desc.matrix_limit = 256;
    SN_TRY(sn_renderer_create(p->play_device.device, &desc, &p->renderer));
    return sn_frames_open(a->out, a->sheet, p->frame_count, a->size, false, &p->arena, &p->frames);
}

static sn_result draw_frame(play *p, int frame)
{
    const double preferred_aspect = 16.0 / 9, aspect = (double)p->arguments->size[0] / p->arguments->size[1];
    sn_replay_report report;
    sn_render_scene scene;
    sn_result result = sn_replay_step(p->replay, &report);
    p->step_ms[frame] = 1e3 * report.world.solver_seconds;
    p->report.recovery_count += report.world.recovery_count;
    p->hash = report.hash;
    if (result == SN_OK) {
        result = p->view ? sn_replay_view_update(p->view) : sn_replay_view_create(p->replay, p->renderer, &p->view);
    }
    if (result != SN_OK) {
        return result;
    }
    const sn_orbit orbit = sn_replay_view_orbit(p->view);
    sn_replay_view_fill(p->view, &orbit, fmax(preferred_aspect / aspect, 1), &scene);
    return sn_renderer_draw(p->renderer, &scene);
}

static sn_result write_frame(play *p)
{
    const uint8_t *pixels = NULL;
    SN_TRY(sn_renderer_read(p->renderer, &pixels));
    p->draw_ms[p->frames.written_count] = sn_renderer_frame_ms(p->renderer);
    return sn_frames_write(&p->frames, pixels);
}

/* Writes the previous frame while the device renders this one. */
static sn_result draw_pictures(play *p)
{
    sn_result result = open_pictures(p);
    for (int frame = 0; sn_frames_has_next(frame, p->frame_count) && result == SN_OK; ++frame) {
        result = draw_frame(p, frame);
        if (result == SN_OK && frame > 0) {
            result = write_frame(p);
        }
    }
    result = result ? result : write_frame(p);
    p->first_difference = sn_replay_first_difference(p->replay);
    p->report.frame_count = p->frames.written_count;
    if (result == SN_OK) {
        p->report.solver_ms = sn_median(p->step_ms, p->frames.written_count);
        p->report.drawing_ms = sn_median(p->draw_ms, p->frames.written_count);
        result = sn_frames_finish(&p->frames);
    }
    return result;
}

static sn_result play_in_window(play *p)
{
    const sn_replay_player_desc desc = {.window = p->play_device.window,
                                        .device = p->play_device.device,
                                        .replay = &p->desc,
                                        .frame_limit = p->arguments->frames};
    sn_replay_destroy(&p->replay); /* opened only to check the recording */
    return sn_replay_player_run(&desc, &p->first_difference, &p->report);
}

/* ---- both ---- */

static void print_result(const play *p, int validation_message_count)
{
    const sn_play_arguments *a = p->arguments;
    const double total = sn_now() - p->start;
    const char *device = p->play_device.device->properties.deviceName;
    char hash[24] = "";
    snprintf(hash, sizeof hash, "%016" PRIx64, p->hash);
    if (a->is_json) {
        json_t *difference = p->first_difference < 0 ? json_null() : json_integer(p->first_difference);
        json_t *state = a->is_headless ? json_string(hash) : json_null();
        sn_print_json(json_pack("{s:s,s:i,s:i,s:i,s:s,s:{s:o},s:o,s:o,s:i,s:o,s:o,s:i}", "replay", p->recording,
                                "frames", p->report.frame_count, "width", a->size[0], "height", a->size[1], "device",
                                device, "seconds", "total", sn_json_real(total),
                                a->is_headless ? "step_ms_median" : "solver_ms_mean", sn_json_real(p->report.solver_ms),
                                a->is_headless ? "draw_ms_median" : "draw_ms_mean", sn_json_real(p->report.drawing_ms),
                                "recoveries", p->report.recovery_count, "hash", state, "first_difference", difference,
                                "validation_messages", validation_message_count));
    } else if (a->is_headless) {
        printf("%s: %d frames of %d x %d in %.2f s by %s; %.3f ms a step, %.3f ms a drawing (medians); hash %s\n",
               a->out, p->report.frame_count, a->size[0], a->size[1], total, device, p->report.solver_ms,
               p->report.drawing_ms, hash);
    }
}

int sn_play_replay(const sn_play_arguments *a, const char *recording, const char *model_path)
{
    play p = {
        .arguments = a, .recording = recording, .model_path = model_path, .start = sn_now(), .first_difference = -1};
    sn_result result = sn_play_device_init(&p.play_device, a);
    result = result ? result : sn_play_device_create_gpu(&p.play_device, a, FRAMES_IN_FLIGHT, &p.gpu);
    result = result ? result : read_recording(&p);
    result = result ? result : (a->is_headless ? draw_pictures : play_in_window)(&p);
    sn_replay_view_destroy(&p.view);
    sn_replay_destroy(&p.replay);
    sn_renderer_destroy(&p.renderer);
    const int message_count = sn_play_device_message_count(&p.play_device);
    if (result == SN_OK) {
        print_result(&p, message_count);
    }
    result = result ? result : sn_check_message_count(message_count);
    sn_gpu_destroy(&p.gpu);
    sn_play_device_finish(&p.play_device);
    sn_model_release(p.model);
    sn_arena_finish(&p.arena);
    return result == SN_OK && p.first_difference < 0 ? SN_EXIT_OK : SN_EXIT_FAILED;
}
