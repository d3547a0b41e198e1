/* SPDX-License-Identifier: MIT */
#include "tools/play/arguments.h"

#include <stdio.h>
#include <string.h>

#include "author/import/motion_file.h"
#include "author/io/image/png.h"
#include "tools/command/added_motion.h"
#include "tools/command/overwrite.h"
#include "tools/scene_json/scene_json.h"

#define OPTION_LIMIT 40

bool sn_play_is_on_device(const sn_play_arguments *a)
{
    return a->parameters.backend && strcmp(a->parameters.backend, "gpu") == 0;
}

/* ---- what goes together ---- */

static const char *verb_of(const sn_play_arguments *a)
{
    return a->live ? a->live->name : "play";
}

/* A recording says by itself all that is told by options. */
static int check_replay(const sn_play_arguments *a)
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

/* A scene says by itself what a character is told by options. */
static int check_operand(const sn_play_arguments *a)
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

/* It goes with --json, and with nothing else. */
static int check_list(const sn_play_arguments *a)
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
    return SN_CONTINUE;
}

static int check_headless(const sn_play_arguments *a)
{
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
    return SN_CONTINUE;
}

static int check_arguments(const sn_play_arguments *a)
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
    const int status = check_headless(a);
    if (status != SN_CONTINUE) {
        return status;
    }
    if (!sn_check_clips(&a->clips, a->rig)) {
        return SN_EXIT_USAGE;
    }
    if (sn_play_is_on_device(a) && a->parameters.is_double) {
        fprintf(stderr, "sinew: %s: --double: not with --backend gpu\n", verb_of(a));
        return SN_EXIT_USAGE;
    }
    return (a->scene || a->replay ? sn_check_backend : sn_check_simulation_parameters)(&a->parameters);
}

/* All of them; of a list or a replay those that it takes. */
static int check(const sn_play_arguments *a)
{
    if (a->is_list) {
        return check_list(a);
    }
    const int status = a->replay ? check_replay(a) : check_operand(a);
    return status == SN_CONTINUE ? check_arguments(a) : status;
}

/* ---- options ---- */

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

/* All rows of play, ended by a null name. */
static void list_options(sn_play_arguments *a, sn_option options[OPTION_LIMIT])
{
    const sn_option rows[] = {
        {"--headless", SN_OPTION_FLAG, &a->is_headless, 0, 0, NULL,
         "no window: pictures, and nothing else; needs --out and --frames"},
        {"--xr", SN_OPTION_FLAG, &a->is_xr, 0, 0, NULL,
         "in a headset, by OpenXR: as large as life, and hands push and pull its flesh"},
        {"--xr-height", SN_OPTION_REAL, &a->xr_height, 0.01, 100, "M", "there, how tall it stands, in metres"},
        {"--frames", SN_OPTION_INT, &a->frames, 1, 1e7, "N", "pictures; of a window, until it closes"},
        {"--size", SN_OPTION_SIZE, a->size, 1, SN_IMAGE_LIMIT, "WxH",
         "of a picture, or the window, in pixels (1280x720)"},
        {"--out", SN_OPTION_STRING, &a->out, 0, 0, "DIR", "where frame-0000.png and on are written"},
        {"--sheet", SN_OPTION_STRING, &a->sheet, 0, 0, "F.png",
         "with --headless: eight of the frames in one picture, below what F.png holds"},
        {"--show-handles", SN_OPTION_FLAG, &a->has_handles, 0, 0, NULL, "with --headless: draw the handles, too"},
        {"--show-mesh", SN_OPTION_FLAG, &a->has_mesh, 0, 0, NULL, "with --headless: and the mesh that is simulated"},
        {"--device", SN_OPTION_STRING, &a->device, 0, 0, "NAME|cpu", "part of the device's name (the best there is)"},
        {"--validate", SN_OPTION_FLAG, &a->is_validated, 0, 0, NULL, "check every Vulkan call; any message fails"},
        {"--rig", SN_OPTION_STRING, &a->rig, 0, 0, "RIG.json", "cook IN with this rig"},
        {"--clip", SN_OPTION_LIST, &a->clips, 0, 0, "CLIP.json" SN_MOTION_FILES("|F"),
         "and this animation; may be repeated"},
        {"--flat", SN_OPTION_FLAG, &a->is_flat, 0, 0, NULL, "cook IN, which lies in a plane z = const, as a 2D body"},
        {"--scene", SN_OPTION_STRING, &a->scene, 0, 0, "NAME|F.json", "a scene that the player brings, or a file's"},
        {"--list", SN_OPTION_FLAG, &a->is_list, 0, 0, NULL, "the scenes that it brings"},
        {"--record", SN_OPTION_STRING, &a->record, 0, 0, "F", "record what is done to the world, to the bit"},
        {"--replay", SN_OPTION_STRING, &a->replay, 0, 0, "F", "do it again, and say where it differs"},
        {"--full-space", SN_OPTION_LATER_FLAG, NULL, 0, 0, NULL, "the unreduced reference, which sim has"},
        {"--json", SN_OPTION_FLAG, &a->is_json, 0, 0, NULL, "a JSON object on stdout"},
        {0},
    };
    SN_ASSERT(sizeof rows <= OPTION_LIMIT * sizeof *options);
    memcpy(options, rows, sizeof rows);
}

#define INPUT_LIMIT (4 + 2 * SN_LIST_LIMIT)

/* Files that are read, null among them, and names that are no files; returns how many. */
static int list_inputs(const sn_play_arguments *a, const char *inputs[INPUT_LIMIT])
{
    const sn_string_list *const lists[] = {&a->clips, &a->parameters.solids};
    int count = 0;
    inputs[count++] = a->operands.count > 0 ? a->operands.items[0] : NULL;
    inputs[count++] = a->scene && sn_is_scene_file(a->scene) ? a->scene : NULL;
    inputs[count++] = a->rig;
    inputs[count++] = a->parameters.motion;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i) {
        for (int k = 0; k < lists[i]->count; ++k) {
            inputs[count++] = lists[i]->items[k];
        }
    }
    return count;
}

static int check_live(const sn_play_arguments *a)
{
    const char *inputs[INPUT_LIMIT];
    return a->live->check(a->live->user, inputs, list_inputs(a, inputs));
}

int sn_play_arguments_parse(const sn_play_live *live, int argument_count, char **arguments, sn_play_arguments *a)
{
    sn_option options[OPTION_LIMIT], chosen[OPTION_LIMIT], shared[SN_SIMULATION_OPTION_LIMIT];
    *a = (sn_play_arguments){.parameters = sn_default_simulation_parameters(), .size = {1280, 720}, .live = live};
    a->parameters.is_first_clip_played = !live;
    a->parameters.is_gusty = true;
    sn_simulation_options(&a->parameters, shared);
    list_options(a, options);
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
        .operands = &a->operands,
        .most_operands = 1};
    int status = sn_parse_arguments(&verb, argument_count, arguments);
    status = status == SN_CONTINUE ? check(a) : status;
    return status == SN_CONTINUE && live ? check_live(a) : status;
}

/* ---- what is written ---- */

sn_result sn_play_check_record(const sn_play_arguments *a)
{
    const char *inputs[INPUT_LIMIT];
    return sn_refuse_overwrite(a->record, inputs, list_inputs(a, inputs));
}
