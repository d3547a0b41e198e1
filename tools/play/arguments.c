/* SPDX-License-Identifier: MIT */
#include "tools/play/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "author/import/motion_file.h"
#include "author/io/image/png.h"
#include "host/math/srgb.h"
#include "tools/command/added_motion.h"
#include "tools/command/overwrite.h"
#include "tools/scene_json/scene_json.h"

#define OPTION_LIMIT 40

bool sn_play_is_on_device(const sn_play_arguments *a)
{
    return a->parameters.backend && strcmp(a->parameters.backend, "gpu") == 0;
}

/* ---- compatibility of options ---- */

static const char *verb_of(const sn_play_arguments *a)
{
    return a->live ? a->live->name : "play";
}

/* Refuses options that the recording determines. */
static int check_replay(const sn_play_arguments *a)
{
    const char *conflict = a->scene             ? "--scene"
                           : a->record          ? "--record"
                           : a->rig             ? "--rig"
                           : a->clips.count > 0 ? "--clip"
                           : a->is_flat         ? "--flat"
                           : a->view_name       ? "--view"
                           : a->backdrop_name   ? "--background"
                           : a->has_mesh        ? "--show-mesh"
                           : a->has_handles     ? "--show-handles"
                                                : sn_simulation_changed_option(&a->parameters);
    if (conflict) {
        fprintf(stderr, "sinew: play: %s: not with --replay\n", conflict);
        return SN_EXIT_USAGE;
    }
    return SN_CONTINUE;
}

/* Refuses options that the scene determines, and checks that there is one input. */
static int check_operand(const sn_play_arguments *a)
{
    const char *conflict = a->rig                  ? "--rig"
                           : a->clips.count > 0    ? "--clip"
                           : a->is_flat            ? "--flat"
                           : a->has_mesh           ? "--show-mesh"
                           : a->view_name          ? "--view"
                           : a->backdrop_name      ? "--background"
                           : a->operands.count > 0 ? a->operands.items[0]
                                                   : sn_simulation_changed_option(&a->parameters);
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
    if (a->scene && conflict) {
        fprintf(stderr, "sinew: play: %s: not with --scene\n", conflict);
        return SN_EXIT_USAGE;
    }
    return SN_CONTINUE;
}

/* --list accepts only --json. */
static int check_list(const sn_play_arguments *a)
{
    const char *conflict = a->operands.count > 0 ? a->operands.items[0]
                           : a->scene            ? "--scene"
                           : a->is_headless      ? "--headless"
                           : a->out              ? "--out"
                                                 : NULL;
    if (conflict) {
        fprintf(stderr, "sinew: play: %s: not with --list\n", conflict);
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
    const char *conflict = a->scene                  ? "--scene"
                           : a->record               ? "--record"
                           : a->replay               ? "--replay"
                           : sn_play_is_on_device(a) ? "--backend gpu"
                                                     : NULL;
    if (a->every > 1 && (!a->is_headless || conflict)) {
        fprintf(stderr, "sinew: %s: --every: %s%s\n", verb_of(a), a->is_headless ? "not with " : "needs --headless",
                a->is_headless ? conflict : "");
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
    const char *other = a->is_headless     ? "--headless"
                        : a->device        ? "--device"
                        : a->replay        ? "--replay"
                        : a->view_name     ? "--view"
                        : a->backdrop_name ? "--background"
                                           : NULL;
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
    return (a->scene || a->replay ? sn_simulation_check_backend : sn_simulation_check_parameters)(&a->parameters);
}

/* Reads --view and --background. */
static int read_look(sn_play_arguments *a)
{
    static const char *const views[SN_VIEW_COUNT] = {
        [SN_VIEW_FRONT] = "front", [SN_VIEW_SIDE] = "side", [SN_VIEW_BACK] = "back", [SN_VIEW_PORTRAIT] = "portrait"};
    const char *color = a->backdrop_name;
    bool is_view = !a->view_name;
    for (int i = 1; i < SN_VIEW_COUNT && a->view_name; ++i) {
        if (strcmp(a->view_name, views[i]) == 0) {
            a->view = (sn_stage_view)i;
            is_view = true;
        }
    }
    if (!is_view) {
        fprintf(stderr, "sinew: %s: --view %s: not front, side, back or portrait\n", verb_of(a), a->view_name);
        return SN_EXIT_USAGE;
    }
    if (color && strcmp(color, "transparent") == 0 && a->is_headless) {
        a->backdrop = SN_BACKDROP_NONE;
    } else if (color && strlen(color) == 6 && strspn(color, "0123456789abcdefABCDEF") == 6) {
        a->backdrop = SN_BACKDROP_PLAIN;
        for (int d = 0; d < 3; ++d) {
            const char digits[3] = {color[2 * d], color[2 * d + 1], 0};
            a->background[d] = (float)sn_srgb_to_linear((double)strtoul(digits, NULL, 16) / 255);
        }
    } else if (color) {
        fprintf(stderr, "sinew: %s: --background %s: not six hexadecimal digits%s\n", verb_of(a), color,
                a->is_headless ? " or transparent" : ", and transparent needs --headless");
        return SN_EXIT_USAGE;
    }
    return SN_CONTINUE;
}

/* Checks all arguments; --list and --replay accept only some. */
static int check(const sn_play_arguments *a)
{
    if (a->is_list) {
        return check_list(a);
    }
    const int status = a->replay ? check_replay(a) : check_operand(a);
    return status == SN_CONTINUE ? check_arguments(a) : status;
}

/* ---- options ---- */

/* Combines play's options for characters with those of the verb. */
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
            chosen[count] = *rows;
            chosen[count++].is_common &= !live;
        }
    }
    for (const sn_option *row = live ? live->options : rows; row->name; ++row) {
        SN_ASSERT(count < OPTION_LIMIT - 1);
        chosen[count++] = *row;
    }
    chosen[count] = (sn_option){0};
}

/* All options of play, ended by a null name. */
static void list_options(sn_play_arguments *a, sn_option options[OPTION_LIMIT])
{
    const sn_option rows[] = {
        {"--headless", SN_OPTION_FLAG, &a->is_headless, 0, 0, NULL,
         "render pictures without a window; needs --out and --frames", SN_GROUP_OUTPUT, true},
        {"--xr", SN_OPTION_FLAG, &a->is_xr, 0, 0, NULL, "render in an OpenXR headset; hands push and pull the flesh",
         SN_GROUP_OUTPUT, false},
        {"--xr-height", SN_OPTION_REAL, &a->xr_height, 0.01, 100, "M",
         "height of the character in the headset, in metres [its own]", SN_GROUP_RENDERING, false},
        {"--frames", SN_OPTION_INT, &a->frames, 1, 1e7, "N", "number of pictures, or of frames until the window closes",
         SN_GROUP_OUTPUT, true},
        {"--every", SN_OPTION_INT, &a->every, 1, 100, "N", "headless: steps from one picture to the next [1]",
         SN_GROUP_OUTPUT, false},
        {"--size", SN_OPTION_SIZE, a->size, 1, SN_IMAGE_LIMIT, "WxH",
         "size of the pictures or the window in pixels [1280x720]", SN_GROUP_RENDERING, true},
        {"--view", SN_OPTION_STRING, &a->view_name, 0, 0, "NAME", "front, side, back or portrait [three quarters]",
         SN_GROUP_RENDERING, false},
        {"--background", SN_OPTION_STRING, &a->backdrop_name, 0, 0, "COLOR",
         "six digits (00ff00), or with --headless: transparent [a studio]", SN_GROUP_RENDERING, false},
        {"--out", SN_OPTION_STRING, &a->out, 0, 0, "DIR", "folder for the pictures frame-0000.png, frame-0001.png, ...",
         SN_GROUP_OUTPUT, true},
        {"--sheet", SN_OPTION_STRING, &a->sheet, 0, 0, "F.png",
         "headless: append a contact sheet of 8 frames below the picture in F.png", SN_GROUP_OUTPUT, false},
        {"--show-handles", SN_OPTION_FLAG, &a->has_handles, 0, 0, NULL, "headless: draw the handles",
         SN_GROUP_RENDERING, false},
        {"--show-mesh", SN_OPTION_FLAG, &a->has_mesh, 0, 0, NULL, "headless: draw the simulation mesh",
         SN_GROUP_RENDERING, false},
        {"--device", SN_OPTION_STRING, &a->device, 0, 0, "NAME|cpu",
         "Vulkan device whose name contains NAME [automatic]", SN_GROUP_RENDERING, false},
        {"--validate", SN_OPTION_FLAG, &a->is_validated, 0, 0, NULL, "enable Vulkan validation; any message fails",
         SN_GROUP_ADVANCED, false},
        {"--rig", SN_OPTION_STRING, &a->rig, 0, 0, "RIG.json", "cook IN with this rig", SN_GROUP_INPUT, false},
        {"--clip", SN_OPTION_LIST, &a->clips, 0, 0, "F",
         "cook IN with a clip: .json" SN_MOTION_FILES(" ") "; repeatable", SN_GROUP_INPUT, false},
        {"--flat", SN_OPTION_FLAG, &a->is_flat, 0, 0, NULL, "cook IN, which lies in a plane z = const, as a 2D body",
         SN_GROUP_INPUT, false},
        {"--scene", SN_OPTION_STRING, &a->scene, 0, 0, "NAME|F.json", "play a built-in scene or a scene file",
         SN_GROUP_INPUT, true},
        {"--list", SN_OPTION_FLAG, &a->is_list, 0, 0, NULL, "list the built-in scenes", SN_GROUP_OUTPUT, false},
        {"--record", SN_OPTION_STRING, &a->record, 0, 0, "F", "record all calls of the world, for an exact replay",
         SN_GROUP_OUTPUT, false},
        {"--replay", SN_OPTION_STRING, &a->replay, 0, 0, "F", "replay a recording and report the first difference",
         SN_GROUP_INPUT, false},
        {"--full-space", SN_OPTION_LATER_FLAG, NULL, 0, 0, NULL, "the unreduced reference; use sim --full-space",
         SN_GROUP_ADVANCED, false},
        {"--json", SN_OPTION_FLAG, &a->is_json, 0, 0, NULL, "print the report as JSON on stdout", SN_GROUP_OUTPUT,
         false},
        {0},
    };
    SN_ASSERT(sizeof rows <= OPTION_LIMIT * sizeof *options);
    memcpy(options, rows, sizeof rows);
}

#define INPUT_LIMIT (4 + 2 * SN_LIST_LIMIT)

/* Lists the input files, with null entries and names that are not files; returns the count. */
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
    *a = (sn_play_arguments){
        .parameters = sn_simulation_default_parameters(), .size = {1280, 720}, .every = 1, .live = live};
    a->parameters.plays_first_clip = !live;
    a->parameters.is_gusty = true;
    sn_simulation_options(&a->parameters, shared);
    list_options(a, options);
    choose_options(options, live, chosen);
    sn_verb verb = {
        .usage = "play MODEL.sinew|IN|--scene NAME [--headless --frames N --out DIR | --xr] [options]",
        .summary = "Simulates and renders a character in a window (F1 lists the keys), to pictures or in a headset.",
        .details = "IN is cooked first, with the defaults of cook.",
        .examples = {"play avatar.sinew", "play avatar.vrm --motion dance.bvh",
                     "play --scene octopus --headless --frames 60 --out pictures"},
        .options = chosen,
        .shared_options = shared,
        .operands = &a->operands,
        .max_operands = 1};
    if (live) {
        verb.usage = live->usage;
        verb.summary = live->summary;
        verb.details = live->details;
        memcpy(verb.examples, live->examples, sizeof verb.examples);
    }
    int status = sn_parse_arguments(&verb, argument_count, arguments);
    status = status == SN_CONTINUE ? check(a) : status;
    status = status == SN_CONTINUE ? read_look(a) : status;
    return status == SN_CONTINUE && live ? check_live(a) : status;
}

/* ---- output ---- */

sn_result sn_play_check_record(const sn_play_arguments *a)
{
    const char *inputs[INPUT_LIMIT];
    return sn_check_overwrite(a->record, inputs, list_inputs(a, inputs));
}
