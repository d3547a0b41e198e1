/* SPDX-License-Identifier: MIT */
/* Figure 23: a face that a camera tracks: values of ARKit's blend shapes move an avatar's expressions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "author/io/motion/arkit_csv.h"
#include "host/model/model.h"
#include "research/figures/film.h"

#define FIRST_FRAME 300
#define FRAME_LIMIT 240
#define RATE 60.0
#define SHOTS 4

/* Which blend shapes of the recording make which expression, with what gain. */
static const struct {
    const char *expression, *shapes[2]; /* their mean */
    double gain;
} mapping[] = {{"aa", {"jawOpen", "jawOpen"}, 1.6},
               {"happy", {"mouthSmileLeft", "mouthSmileRight"}, 1.2},
               {"angry", {"browDownLeft", "browDownRight"}, 1.0},
               {"blink", {"eyeBlinkLeft", "eyeBlinkRight"}, 1.0},
               {"ou", {"mouthFunnel", "mouthPucker"}, 1.0}};

#define MAPPED_COUNT ((int)(sizeof mapping / sizeof mapping[0]))

typedef struct face {
    sn_arena arena;
    sn_arkit_csv recording;
    int frame_count, frame;        /* from FIRST_FRAME on; none where the file is not there */
    double largest, largest_still; /* how far flesh goes: with expressions, without */
    bool is_still;
} face;

static void read_recording(const char *path, face *f)
{
    sn_source source;
    if (access(path, R_OK) == 0 && sn_source_read(path, &f->arena, &source) == SN_OK &&
        sn_arkit_csv_read(&source, &f->arena, &f->recording) == SN_OK && f->recording.row_count > FIRST_FRAME) {
        const int rows = f->recording.row_count - FIRST_FRAME;
        f->frame_count = rows < FRAME_LIMIT ? rows : FRAME_LIMIT;
    }
}

static double shape_of(const float *row, const char *name)
{
    return (double)row[sn_arkit_find(name, strlen(name))];
}

static void express(sn_scene *scene, void *user)
{
    face *f = user;
    for (int i = 0; i < sn_scene_body_count(scene); ++i) {
        const sn_body_id body = sn_scene_body_at(scene, i);
        const sn_model *model = sn_body_model(body);
        const int count = model->counts.morph_count;
        float weights[256] = {0};
        const int last = f->frame < f->frame_count ? f->frame : f->frame_count - 1;
        const float *row = f->recording.values + (size_t)(FIRST_FRAME + last) * SN_ARKIT_COLUMNS;
        for (int e = 0; e < sn_model_expression_count(model) && count <= 256 && !f->is_still; ++e) {
            for (int k = 0; k < MAPPED_COUNT; ++k) {
                if (strcmp(sn_model_expression_name(model, e), mapping[k].expression) == 0) {
                    const double value = mapping[k].gain * 0.5 *
                                         (shape_of(row, mapping[k].shapes[0]) + shape_of(row, mapping[k].shapes[1]));
                    sn_model_add_expression(model, e, (float)fmin(fmax(value, 0), 1), weights, count);
                }
            }
        }
        if (count <= 256) {
            sn_body_set_morphs(body, weights, count);
        }
    }
    ++f->frame;
}

static void measure(sn_scene *scene, void *user)
{
    face *f = user;
    const sn_body_id body = sn_scene_body_at(scene, 0);
    const int n = sn_body_model(body)->counts.vertex_count;
    sn_arena scratch = {0};
    double *whole = SN_NEW(&scratch, double, 3 * n), *rig = SN_NEW(&scratch, double, 3 * n);
    double *largest = f->is_still ? &f->largest_still : &f->largest;
    if (whole && rig) {
        sn_film_positions(body, whole, rig, &scratch);
        for (int i = 0; i < 3 * n; ++i) {
            *largest = fmax(*largest, fabs(whole[i] - rig[i]));
        }
    }
    sn_arena_finish(&scratch);
}

static sn_result shoot(sn_figures *figures, face *f, const char *model)
{
    static const double shots[SHOTS] = {0.6, 1.4, 2.2, 3.0};
    sn_scene_character character = sn_default_scene_character();
    sn_scene_body body = sn_default_scene_body();
    /* The recording has no turns of the head. */
    static const sn_scene_drive nods[] = {
        {.bone = "head_Armature",
         .rotation = {
             {{.expression = "0.12*sin(5*t)"}, {.expression = "0.3*sin(3*t)"}, {.expression = "0.1*sin(4*t)"}}}}};
    sn_scene_script script = {.name = "face", .seconds = 3.2};
    sn_picture pictures[SHOTS];
    char path[SN_FIGURE_PATH];
    character.name = "face";
    character.path = model;
    body.drives = nods;
    body.drive_count = 1;
    script.characters = &character;
    script.character_count = 1;
    script.bodies = &body;
    script.body_count = 1;
    script.camera =
        (sn_scene_camera){.is_set = true, .target = {0, 1.12, 0}, .distance = 1.7, .yaw = 3.4, .pitch = 0.05};
    sn_film film = {.name = "face",
                    .script = &script,
                    .seconds = shots,
                    .shot_count = 0,
                    .width = 260,
                    .height = 240,
                    .before_step = express,
                    .after_step = measure,
                    .user = f};
    sn_film_report report;
    f->is_still = true;
    sn_result result = sn_film_shoot(&film, &f->arena, pictures, &report);
    f->is_still = false;
    f->frame = 0;
    film.shot_count = SHOTS;
    if (result == SN_OK) {
        result = sn_film_shoot(&film, &f->arena, pictures, &report);
    }
    for (int i = 0; i < SHOTS && result == SN_OK; ++i) {
        snprintf(pictures[i].caption, sizeof pictures[i].caption, "%.1f s", shots[i]);
    }
    if (result == SN_OK) {
        sn_figure_show(figures, "face", "A recorded face moves an avatar's", path);
        result = sn_pictures_write(path, pictures, SHOTS, SHOTS);
        sn_figure_say(
            figures,
            "**Here.** An avatar (VRM, 68 bones, 48 modes and 8 for its morph targets) with five expressions that a "
            "recording of\n"
            "ARKit's blend shapes moves, 60 values a second as the tracker gave them, while its head turns (by a "
            "formula: the\n"
            "recording holds no turns). Flesh moves by up to %.4f of the diagonal, %.4f with a still face:\n"
            "turns shake it, and %s than that. A step takes %.2f ms.",
            f->largest, f->largest_still,
            f->largest > 1.1 * f->largest_still ? "expressions more" : "expressions hardly more", report.step_ms);
    }
    return result;
}

sn_result sn_figure_face(sn_figures *figures)
{
    char model[SN_FIGURE_PATH] = "", path[SN_FIGURE_PATH];
    face *f = calloc(1, sizeof *f);
    sn_result result = f ? sn_film_model(figures, "rigged/Godette_vrm_v4.vrm", 48, model) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        snprintf(path, sizeof path, "%s/puppet/arkit_fearful_161.csv", figures->data);
        read_recording(path, f);
        sn_figure_say(
            figures,
            "**Paper.** A tracked face (mediapipe) moves an avatar, which gets secondary motion in real time.");
        if (model[0] && f->frame_count > 0) {
            result = shoot(figures, f, model);
        } else {
            sn_figure_say(figures, "**Here.** Not drawn: the avatar and the recording are not here.");
        }
    }
    if (model[0]) {
        remove(model);
    }
    if (f) {
        sn_arena_finish(&f->arena);
    }
    free(f);
    return result;
}
