/* SPDX-License-Identifier: MIT */
#include "tools/play/window.h"

#include <string.h>

static bool is_drop_done(void *user)
{
    const sn_play_session *p = user;
    return sn_file_loader_is_done(p->dropping);
}

static sn_result open_solids(sn_play_session *p, sn_play_character *s)
{
    s->character.solids = s->solids;
    return sn_simulation_open_solids(&p->arguments->parameters, s->character.model, &p->arena, s->solids,
                                     &s->character.solid_count);
}

static void close_character(sn_play_character *s)
{
    while (s->character.solid_count > 0) {
        sn_solid_close(&s->solids[--s->character.solid_count]);
    }
    sn_loaded_file_release(&s->dropped);
}

/* size: of the pictures, if there is no window. */
static sn_result open_player(sn_play_session *p, const int size[2])
{
    const sn_play_arguments *a = p->arguments;
    const sn_player_desc desc = {.window = p->play_device->window,
                                 .device = p->play_device->device,
                                 .size = {size[0], size[1]},
                                 .view = a->view,
                                 .backdrop = a->backdrop,
                                 .background = {a->background[0], a->background[1], a->background[2]},
                                 .time_step = a->parameters.time_step,
                                 .worker_count = a->parameters.threads < 64 ? a->parameters.threads : 64,
                                 .is_on_device = sn_play_is_on_device(a),
                                 .is_single_precision = a->parameters.is_single_precision,
                                 .recorder = p->recorder,
                                 .frame_limit = a->frames,
                                 .is_ready = is_drop_done,
                                 .ready_user = p};
    sn_play_character *first = &p->play_characters[0];
    first->character = (sn_player_character){.model = p->model,
                                             .name = a->operands.items[0],
                                             .cook = p->cook,
                                             .body = sn_simulation_body_desc(&a->parameters),
                                             .is_flesh_drawn = sn_simulation_is_flesh_rendered(&a->parameters)};
    sn_player_character *c = &first->character;
    uint8_t *locks = SN_NEW(&p->arena, uint8_t, p->model->counts.bone_count);
    sn_result result = locks ? sn_simulation_check_detail(&a->parameters, c->name, p->model) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_simulation_coupled_locks(&a->parameters, c->name, p->model, locks);
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
    return result == SN_OK ? sn_player_set_character(p->player, c) : result;
}

/* Replaces a pending dropped file. */
static void begin_drop(sn_play_session *p)
{
    const char *path = sn_window_dropped_path(p->play_device->window), *slash = strrchr(path, '/');
    sn_file_loader_cancel(&p->dropping);
    const sn_result result =
        sn_file_loader_start(path, sn_simulation_body_desc(&p->arguments->parameters).solver, &p->dropping);
    sn_player_show_message(p->player, result == SN_OK ? "%s ..." : "%s cannot be played: see the terminal",
                           slash ? slash + 1 : path);
}

/* Opens the character with its own obstacles. */
static sn_result load_dropped_file(sn_play_session *p, sn_play_character *next)
{
    const sn_result result = sn_file_loader_finish(&p->dropping, &next->dropped);
    if (result != SN_OK) {
        return result;
    }
    const sn_model *model = next->dropped.model;
    const bool has_clips = model->counts.clip_count > 0 && !sn_model_has_rest_pose_only(model);
    sn_body_desc body = sn_simulation_body_desc(&p->arguments->parameters);
    if (model->counts.mode_count == 0 || (body.solver == SN_SOLVER_LAYERED && !sn_model_is_layered(model))) {
        body.solver = sn_model_is_layered(model)      ? SN_SOLVER_LAYERED /* the only solver that the model supports */
                      : model->counts.mode_count == 0 ? SN_SOLVER_COUPLED
                                                      : SN_SOLVER_REDUCED;
    }
    next->character =
        (sn_player_character){.model = model,
                              .name = next->dropped.path,
                              .cook = next->dropped.cooked.bytes ? &next->dropped.cook : NULL,
                              .motion = {.model = model, .clip = has_clips ? 0 : -1, .is_hop = !has_clips},
                              .body = body,
                              .is_flesh_drawn = body.solver == SN_SOLVER_LAYERED ||
                                                (body.solver == SN_SOLVER_COUPLED &&
                                                 sn_simulation_is_flesh_rendered(&p->arguments->parameters))};
    return open_solids(p, next);
}

/* Reports a file that cannot be played; the current character keeps playing. */
static sn_result play_dropped(sn_play_session *p)
{
    sn_play_character *before = &p->play_characters[p->playable], *next = &p->play_characters[1 - p->playable];
    bool is_next = false;
    sn_result result = SN_OK;
    if (load_dropped_file(p, next) == SN_OK) {
        result = sn_player_try_character(p->player, &next->character, &before->character, &is_next);
    }
    close_character(is_next ? before : next);
    if (is_next) {
        p->playable = 1 - p->playable;
        sn_log_subject(next->character.name);
    } else {
        sn_player_show_message(p->player, "this file cannot be played: see the terminal");
    }
    return result;
}

/* ---- playing ---- */

sn_result sn_play_in_window(sn_play_session *p)
{
    sn_player_exit_reason end = SN_PLAYER_EXIT_READY;
    sn_result result = open_player(p, p->arguments->size);
    while (result == SN_OK && end != SN_PLAYER_EXIT_CLOSED) {
        result = sn_player_run(p->player, &end);
        if (result == SN_OK && end == SN_PLAYER_EXIT_READY) {
            result = play_dropped(p);
        } else if (result == SN_OK && end == SN_PLAYER_EXIT_FILE_DROPPED) {
            begin_drop(p);
        }
    }
    if (p->player) {
        p->report = sn_player_get_report(p->player);
    }
    return result;
}

sn_result sn_play_in_headset(sn_play_session *p)
{
    const sn_play_arguments *a = p->arguments;
    sn_playable *playable = NULL;
    int size[2];
    sn_result result = sn_headset_start(p->play_device->headset, p->play_device->device, size);
    result = result ? result : open_player(p, size);
    result = result ? result : sn_playable_create_character(p->player, &playable);
    result = result ? result : sn_headset_play(p->play_device->headset, playable, a->xr_height, a->frames, &p->report);
    sn_playable_destroy(&playable);
    return result;
}

void sn_play_session_stop(sn_play_session *p)
{
    sn_player_destroy(&p->player);
    if (p->play_device) {
        sn_headset_stop(p->play_device->headset);
    }
}

void sn_play_session_finish(sn_play_session *p)
{
    sn_file_loader_cancel(&p->dropping);
    close_character(&p->play_characters[0]);
    close_character(&p->play_characters[1]);
    sn_arena_finish(&p->arena);
}
