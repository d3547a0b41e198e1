/* SPDX-License-Identifier: MIT */
#include "tools/play/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compute/world/world.h"
#include "host/model/model.h"
#include "host/platform/platform.h"
#include "runtime/input/interrupt.h"
#include "runtime/session/scene_player.h"
#include "runtime/view/scene_view.h"
#include "tools/command/args.h"
#include "tools/command/json.h"
#include "tools/command/median.h"
#include "tools/command/overwrite.h"
#include "tools/command/record_file.h"
#include "tools/play/frames.h"
#include "tools/play/overlays.h"
#include "tools/play/play_device.h"
#include "tools/scene_json/scene_json.h"

#define FRAMES_IN_FLIGHT 2

typedef struct play {
    const sn_play_arguments *arguments;
    sn_arena arena;
    const char *name; /* script of the scene */
    sn_scene *scene;
    sn_play_device play_device;
    sn_gpu *gpu; /* GPU solver context, or null */
    sn_renderer *renderer;
    sn_scene_view *view;
    sn_frames frames;
    sn_record_file record;
    double *step_ms, *draw_ms; /* (frames) */
    sn_marker_list markers;    /* with --show-handles */
    uint8_t *locks;            /* (lock_capacity) scratch */
    int lock_capacity;
    double start, cook_seconds;
    int recovery_count;
    sn_player_report report;
} play;

int sn_list_scenes(bool is_json)
{
    json_t *scenes = json_array();
    for (int i = 0; i < sn_scene_demo_count(); ++i) {
        const sn_scene_script *script = sn_scene_demo(i);
        if (is_json) {
            json_array_append_new(scenes, json_pack("{s:s,s:s}", "name", script->name, "says", script->description));
        } else {
            printf("%-18s %s\n", script->name, script->description);
        }
    }
    if (is_json) {
        sn_print_json(json_pack("{s:O}", "scenes", scenes));
    }
    json_decref(scenes);
    return SN_EXIT_OK;
}

/* Also refuses to overwrite the files of the characters. */
static sn_result check_record(const sn_play_arguments *a, const sn_scene_script *script)
{
    for (int i = 0; i < script->character_count; ++i) {
        const sn_scene_character *c = &script->characters[i];
        const char *const files[] = {c->path, c->cook.rig_path};
        SN_TRY(sn_check_overwrite(a->record, files, sizeof files / sizeof files[0]));
        SN_TRY(sn_check_overwrite(a->record, c->cook.clip_paths, c->cook.clip_count));
    }
    return SN_OK;
}

static sn_result open_scene(play *p, const char *text)
{
    const sn_scene_script *script = NULL;
    sn_world_desc world = sn_default_world_desc();
    const double start = sn_now();
    world.worker_count = p->arguments->parameters.threads < 64 ? p->arguments->parameters.threads : 64;
    world.backend = p->gpu ? sn_gpu_backend(p->gpu) : NULL;
    world.recorder = p->record.recorder;
    p->name = text;
    sn_result result = sn_scene_open(text, &p->arena, &script);
    result = result ? result : check_record(p->arguments, script);
    result = result ? result : sn_scene_start(text, script, &world, &p->scene);
    p->cook_seconds += sn_now() - start;
    return result;
}

/* ---- pictures ---- */

static sn_result open_pictures(play *p)
{
    const sn_play_arguments *a = p->arguments;
    sn_renderer_desc desc = sn_default_renderer_desc();
    sn_result result = sn_scene_view_create(p->scene, p->name, &p->view);
    p->step_ms = SN_NEW(&p->arena, double, a->frames);
    p->draw_ms = SN_NEW(&p->arena, double, a->frames);
    if (result == SN_OK && (!p->step_ms || !p->draw_ms)) {
        result = SN_ERROR_MEMORY;
    }
    if (result == SN_OK) {
        desc.width = a->size[0];
        desc.height = a->size[1];
        desc.matrix_limit = sn_scene_view_matrix_count(p->view);
        result = sn_renderer_create(p->play_device.device, &desc, &p->renderer);
    }
    result = result ? result : sn_scene_view_upload(p->view, p->renderer);
    return result ? result : sn_frames_open(a->out, a->sheet, a->frames, a->size, false, &p->arena, &p->frames);
}

/* Reserves handles of all bodies, including those that events add. */
static sn_result reserve_marker(play *p)
{
    int markers = 0, bones = 0;
    for (int i = 0; i < sn_scene_body_count(p->scene); ++i) {
        const sn_model *model = sn_body_model(sn_scene_body_at(p->scene, i));
        markers += sn_marker_model_count(model);
        bones = sn_model_bone_count(model) > bones ? sn_model_bone_count(model) : bones;
    }
    if (markers > p->markers.limit) {
        p->markers.markers = SN_NEW(&p->arena, sn_render_marker, markers);
        p->markers.limit = p->markers.markers ? markers : 0;
    }
    if (bones > p->lock_capacity) {
        p->locks = SN_NEW(&p->arena, uint8_t, bones);
        p->lock_capacity = p->locks ? bones : 0;
    }
    return markers <= p->markers.limit && bones <= p->lock_capacity ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result mark_handles(play *p, sn_render_scene *scene)
{
    const sn_result result = reserve_marker(p);
    p->markers.count = 0;
    for (int i = 0; i < sn_scene_body_count(p->scene) && result == SN_OK; ++i) {
        const sn_body_id body = sn_scene_body_at(p->scene, i);
        const sn_model *model = sn_body_model(body);
        const bool is_coupled = sn_scene_parameters(p->scene, i).solver == SN_SOLVER_COUPLED;
        for (int bone = 0; bone < sn_model_bone_count(model) && is_coupled; ++bone) {
            p->locks[bone] = (uint8_t)sn_body_locks(body, bone);
        }
        p->markers.visible_depth = SN_HANDLE_VISIBLE_DEPTH * (float)model->diagonal;
        sn_marker_add_model(&p->markers, model, sn_body_output(body).matrices[0].m[0], is_coupled ? p->locks : NULL);
    }
    scene->overlay = sn_overlays_get(&p->markers, p->arguments->size[1]);
    return result;
}

static sn_result draw_frame(play *p, int frame)
{
    const sn_orbit orbit = sn_scene_view_orbit(p->view);
    const double preferred_aspect = 16.0 / 9, aspect = (double)p->arguments->size[0] / p->arguments->size[1];
    sn_render_scene scene;
    const sn_scene_report report = sn_scene_step(p->scene);
    p->step_ms[frame] = 1e3 * report.world.solver_seconds;
    p->recovery_count += report.world.recovery_count;
    sn_result result = sn_scene_view_update(p->view);
    if (result != SN_OK) {
        return result;
    }
    sn_scene_view_fill(p->view, &orbit, preferred_aspect > aspect ? preferred_aspect / aspect : 1, &scene);
    if (p->arguments->has_handles) {
        result = mark_handles(p, &scene);
    }
    return result ? result : sn_renderer_draw(p->renderer, &scene);
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
    SN_TRY(open_pictures(p));
    for (int frame = 0; sn_frames_has_next(frame, p->arguments->frames); ++frame) {
        SN_TRY(draw_frame(p, frame));
        if (frame > 0) {
            SN_TRY(write_frame(p));
        }
    }
    SN_TRY(write_frame(p));
    return sn_frames_finish(&p->frames);
}

/* ---- the window ---- */

static const char *next_scene(const char *name, int direction)
{
    const int count = sn_scene_demo_count();
    int index = direction > 0 ? -1 : count;
    for (int i = 0; i < count; ++i) {
        index = strcmp(sn_scene_demo(i)->name, name) == 0 ? i : index;
    }
    return sn_scene_demo((index + direction + count) % count)->name;
}

static sn_result play_in_window(play *p)
{
    sn_scene_exit_reason end = SN_SCENE_EXIT_NEXT;
    while (end != SN_SCENE_EXIT_CLOSED) {
        const sn_scene_player_desc desc = {.window = p->play_device.window,
                                           .device = p->play_device.device,
                                           .scene = p->scene,
                                           .name = p->name,
                                           .frame_limit = p->arguments->frames};
        SN_TRY(sn_scene_player_run(&desc, &end, &p->report));
        if (end != SN_SCENE_EXIT_CLOSED) {
            sn_scene_destroy(&p->scene);
            SN_TRY(open_scene(p, next_scene(p->name, end == SN_SCENE_EXIT_NEXT ? 1 : -1)));
        }
    }
    return SN_OK;
}

/* ---- the headset ---- */

static sn_result play_in_headset(play *p)
{
    const sn_play_arguments *a = p->arguments;
    sn_playable *playable = NULL;
    int size[2];
    sn_result result = sn_headset_start(p->play_device.headset, p->play_device.device, size);
    result = result ? result : sn_playable_create_scene(p->scene, p->name, p->play_device.device, size, &playable);
    result = result ? result : sn_headset_play(p->play_device.headset, playable, a->xr_height, a->frames, &p->report);
    sn_playable_destroy(&playable);
    return result;
}

/* ---- the verb ---- */

static void print_result(play *p, int validation_message_count)
{
    const sn_play_arguments *a = p->arguments;
    const bool is_headless = a->is_headless;
    const int frames = is_headless ? p->frames.written_count : p->report.frame_count;
    const double step = is_headless ? sn_median(p->step_ms, frames) : p->report.solver_ms;
    const double draw = is_headless ? sn_median(p->draw_ms, frames) : p->report.drawing_ms;
    const double total = sn_now() - p->start;
    const char *device = p->play_device.device->properties.deviceName;
    if (a->is_json) {
        sn_print_json(json_pack("{s:s,s:i,s:i,s:i,s:s,s:{s:o,s:o},s:o,s:o,s:i,s:i}", "scene", p->name, "frames", frames,
                                "width", a->size[0], "height", a->size[1], "device", device, "seconds", "cook",
                                sn_json_real(p->cook_seconds), "total", sn_json_real(total),
                                is_headless ? "step_ms_median" : "solver_ms_mean", sn_json_real(step),
                                is_headless ? "draw_ms_median" : "draw_ms_mean", sn_json_real(draw), "recoveries",
                                is_headless ? p->recovery_count : p->report.recovery_count, "validation_messages",
                                validation_message_count));
    } else if (is_headless) {
        printf("%s: %d frames of %d x %d in %.2f s by %s; %.3f ms a step, %.3f ms a drawing (medians)\n", a->out,
               frames, a->size[0], a->size[1], total, device, step, draw);
    }
}

int sn_play_scene(const sn_play_arguments *a)
{
    play p = {.arguments = a, .start = sn_now()};
    sn_result result = sn_play_device_init(&p.play_device, a);
    result = result ? result : sn_play_device_create_gpu(&p.play_device, a, FRAMES_IN_FLIGHT, &p.gpu);
    if (a->record) {
        sn_interrupt_install();
    }
    result = result ? result : sn_record_file_open(a->record, a->scene, &p.record);
    result = result ? result : open_scene(&p, a->scene);
    result = result ? result : (a->is_headless ? draw_pictures : a->is_xr ? play_in_headset : play_in_window)(&p);
    sn_scene_view_destroy(&p.view);
    sn_renderer_destroy(&p.renderer);
    sn_headset_stop(p.play_device.headset);
    const bool is_run = result == SN_OK;
    const int message_count = sn_play_device_message_count(&p.play_device);
    if (result == SN_OK) {
        print_result(&p, message_count);
    }
    result = result ? result : sn_check_message_count(message_count);
    sn_scene_destroy(&p.scene);
    const sn_result recorded = sn_record_file_close(&p.record, is_run);
    result = result ? result : recorded;
    sn_gpu_destroy(&p.gpu);
    sn_play_device_finish(&p.play_device);
    sn_arena_finish(&p.arena);
    return result == SN_OK ? SN_EXIT_OK : SN_EXIT_FAILED;
}
