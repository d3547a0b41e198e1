/* SPDX-License-Identifier: MIT */
/* Figures 22 and 24: a rigged character in its clips, and with joints as a camera's tracker finds them: at 30 Hz, with
 * an error. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/model/model.h"
#include "research/figures/film.h"

#define CLIP_LIMIT 3
#define SHOTS 2
#define RATE 30
#define NOISE 0.012 /* radians of a joint, standard deviation */

/* How far the flesh of the scene's last body goes. */
static void measure(sn_scene *scene, void *user)
{
    double *largest = user;
    const sn_body_id body = sn_scene_body_at(scene, sn_scene_body_count(scene) - 1);
    const int n = sn_body_model(body)->counts.vertex_count;
    sn_arena scratch = {0};
    double *whole = SN_NEW(&scratch, double, 3 * n), *rig = SN_NEW(&scratch, double, 3 * n);
    if (whole && rig) {
        sn_film_positions(body, whole, rig, &scratch);
        for (int v = 0; v < n; ++v) {
            const double size = hypot(hypot(whole[3 * v] - rig[3 * v], whole[3 * v + 1] - rig[3 * v + 1]),
                                      whole[3 * v + 2] - rig[3 * v + 2]);
            *largest = fmax(*largest, size);
        }
    }
    sn_arena_finish(&scratch);
}

/* The rig alone on the left, with its flesh on the right. */
static void set_pair(sn_scene_script *script, double height, const sn_scene_character *character,
                     sn_scene_body bodies[2])
{
    for (int i = 0; i < 2; ++i) {
        bodies[i] = sn_default_scene_body();
        bodies[i].amount.constant = i;
        bodies[i].translation.at[0].constant = (i == 0 ? -0.5 : 0.5) * height;
    }
    script->characters = character;
    script->character_count = 1;
    script->bodies = bodies;
    script->body_count = 2;
    script->has_floor = true;
    script->floor_friction = 0.5;
    script->camera = (sn_scene_camera){
        .is_set = true, .target = {0, 0.48 * height, 0}, .distance = 3.1 * height, .yaw = 0.15, .pitch = 0.12};
}

typedef struct clip_shots {
    const char *clip;
    double seconds[SHOTS];
} clip_shots;

sn_result sn_figure_character(sn_figures *f)
{
    static const clip_shots clips[CLIP_LIMIT] = {{"walk", {1.0, 1.2}}, {"jump", {0.65, 1.1}}, {"shake", {0.8, 1.0}}};
    sn_arena arena = {0};
    sn_picture pictures[SHOTS * CLIP_LIMIT];
    sn_scene_body bodies[2];
    sn_scene_script script = {.name = "character", .seconds = 2};
    char model[SN_FIGURE_PATH], path[SN_FIGURE_PATH];
    const int clip_count = f->is_quick ? 1 : CLIP_LIMIT;
    double largest[CLIP_LIMIT] = {0}, step_ms = 0;
    sn_result result = sn_film_model(f, NULL, 32, model);
    sn_scene_character character = sn_default_scene_character();
    character.name = "mascot";
    character.path = model;
    set_pair(&script, 1, &character, bodies);
    for (int i = 0; i < clip_count && result == SN_OK; ++i) {
        sn_film_report report;
        const double quick[SHOTS] = {0.05, 0.1};
        const sn_film film = {.name = "character",
                              .script = &script,
                              .seconds = f->is_quick ? quick : clips[i].seconds,
                              .shot_count = SHOTS,
                              .width = f->is_quick ? 96 : 400,
                              .height = f->is_quick ? 64 : 240,
                              .after_step = measure,
                              .user = &largest[i]};
        bodies[0].clip = bodies[1].clip = clips[i].clip;
        result = sn_film_shoot(&film, &arena, pictures + SHOTS * i, &report);
        for (int k = 0; k < SHOTS && result == SN_OK; ++k) {
            snprintf(pictures[SHOTS * i + k].caption, sizeof pictures->caption, "%s, %.2f s: rig, with flesh",
                     clips[i].clip, film.seconds[k]);
        }
        step_ms = fmax(step_ms, report.step_ms / 2);
    }
    remove(model);
    if (result == SN_OK) {
        sn_figure_show(f, "character", "The rig's clips alone, and with flesh", path);
        result = sn_pictures_write(path, pictures, SHOTS * clip_count, SHOTS);
        sn_figure_say(f, "**Paper.** A character of Mixamo: animators browse through clips and see secondary motion at "
                         "once.");
        sn_figure_say(
            f,
            "**Here.** A character of ours (22 bones, 32 modes), cooked once; a clip of another name is all "
            "that changes. Its ears,\n"
            "belly and tail move by up to %.3f of the diagonal when it walks, %.3f when it jumps, %.3f when it "
            "shakes its head;\n"
            "a step takes %.2f ms at most.",
            largest[0], largest[1], largest[2], step_ms);
    }
    sn_arena_finish(&arena);
    return result;
}

/* ---- tracked ---- */

/* Of a normal distribution, as near as four dice make it; the same for the same number. */
static double dice(unsigned *seed)
{
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
        *seed = *seed * 1664525U + 1013904223U;
        sum += (*seed >> 8) / 16777216.0 - 0.5;
    }
    return sum * sqrt(3.0);
}

/* P R(about the pivot), R a small rotation with errors of NOISE about each axis. */
static void shake(sn_mat3x4 *pose, const double *pivot, unsigned *seed)
{
    const double r[3] = {NOISE * dice(seed), NOISE * dice(seed), NOISE * dice(seed)};
    const double turn[3][3] = {{1, -r[2], r[1]}, {r[2], 1, -r[0]}, {-r[1], r[0], 1}};
    sn_mat3x4 shaken = *pose;
    for (int i = 0; i < 3; ++i) {
        double moved = 0;
        for (int k = 0; k < 3; ++k) {
            double sum = 0;
            for (int j = 0; j < 3; ++j) {
                sum += (double)pose->m[i][j] * turn[j][k];
            }
            shaken.m[i][k] = (float)sum;
            moved += ((double)pose->m[i][k] - sum) * pivot[k];
        }
        shaken.m[i][3] = (float)((double)pose->m[i][3] + moved);
    }
    *pose = shaken;
}

typedef struct tracked {
    int frame, frame_limit, vertex_count;
    double *whole, *rig; /* (frame_limit x vertex_count x 3) */
} tracked;

static void keep(sn_scene *scene, void *user)
{
    tracked *t = user;
    sn_arena scratch = {0};
    const size_t at = 3 * (size_t)t->vertex_count * (size_t)t->frame;
    if (t->frame < t->frame_limit) {
        sn_film_positions(sn_scene_body_at(scene, 1), t->whole + at, t->rig + at, &scratch);
    }
    ++t->frame;
    sn_arena_finish(&scratch);
}

static double difference(const tracked *a, const tracked *b, bool is_whole)
{
    double sum = 0;
    const size_t size = 3 * (size_t)a->vertex_count * (size_t)a->frame_limit;
    for (size_t i = 0; i < size; ++i) {
        const double by = is_whole ? a->whole[i] - b->whole[i] : a->rig[i] - b->rig[i];
        sum += by * by;
    }
    return sqrt(3 * sum / (double)size);
}

static sn_result allocate(sn_arena *arena, int vertex_count, int frame_limit, tracked *t)
{
    const size_t size = 3 * (size_t)vertex_count * (size_t)frame_limit;
    *t = (tracked){.frame_limit = frame_limit,
                   .vertex_count = vertex_count,
                   .whole = SN_NEW(arena, double, size),
                   .rig = SN_NEW(arena, double, size)};
    return t->whole && t->rig ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result sample(const sn_model *model, int clip, int count, bool is_shaken, sn_arena *arena, sn_mat3x4 **poses)
{
    const int bones = sn_model_bone_count(model);
    unsigned seed = 1;
    *poses = SN_NEW(arena, sn_mat3x4, count * bones);
    for (int i = 0; i < count && *poses; ++i) {
        sn_model_clip_pose(model, clip, (double)i / RATE, *poses + i * bones, bones);
        for (int b = 0; b < bones && is_shaken; ++b) {
            double pivot[3];
            sn_model_bone_pivot(model, b, pivot);
            shake(*poses + i * bones + b, pivot, &seed);
        }
    }
    return *poses ? SN_OK : SN_ERROR_MEMORY;
}

typedef struct tracking {
    sn_arena arena;
    sn_model *model;
    tracked runs[2]; /* with the clip's own joints, with the tracker's */
    sn_picture pictures[SHOTS];
    sn_film_report report;
} tracking;

static sn_result track(sn_figures *f, const char *path, double height, tracking *t)
{
    static const double shots[SHOTS] = {0.7, 1.0}, quick[SHOTS] = {0.05, 0.1};
    sn_scene_character character = sn_default_scene_character();
    sn_scene_script script = {.name = "tracked", .seconds = f->is_quick ? 0.1 : 2};
    sn_scene_body bodies[2];
    sn_mat3x4 *poses = NULL;
    sn_result result = sn_model_open(path, &t->model);
    const int clip = result == SN_OK && sn_model_clip_count(t->model) > 1 ? 1 : 0; /* the mascot's walk */
    const int frames = (int)(60 * script.seconds), pose_count = (int)(RATE * script.seconds) + 2;
    character.name = "tracked";
    character.path = path;
    set_pair(&script, height, &character, bodies);
    for (int run = 0; run < 2 && result == SN_OK; ++run) {
        const sn_film film = {.name = "tracked",
                              .script = &script,
                              .seconds = f->is_quick ? quick : shots,
                              .shot_count = run == 1 ? SHOTS : 0,
                              .width = f->is_quick ? 96 : 400,
                              .height = f->is_quick ? 64 : 240,
                              .after_step = keep,
                              .user = &t->runs[run]};
        result = allocate(&t->arena, t->model->counts.vertex_count,
                          run == 1 ? (int)(60 * film.seconds[SHOTS - 1] + 0.5) : frames, &t->runs[run]);
        if (result == SN_OK) {
            result = sample(t->model, clip, pose_count, run == 1, &t->arena, &poses);
        }
        for (int i = 0; i < 2; ++i) {
            bodies[i].poses = poses;
            bodies[i].pose_count = pose_count;
            bodies[i].pose_bone_count = sn_model_bone_count(t->model);
            bodies[i].pose_rate = RATE;
        }
        if (result == SN_OK) {
            result = sn_film_shoot(&film, &t->arena, t->pictures, &t->report);
        }
        for (int i = 0; i < SHOTS && run == 1 && result == SN_OK; ++i) {
            snprintf(t->pictures[i].caption, sizeof t->pictures->caption, "%.1f s: rig, with flesh", film.seconds[i]);
        }
    }
    return result;
}

sn_result sn_figure_tracked(sn_figures *f)
{
    tracking t = {.model = NULL};
    char model[SN_FIGURE_PATH], path[SN_FIGURE_PATH];
    bool is_data = true;
    sn_result result = sn_film_model(f, "rigged/CesiumMan.glb", 32, model);
    if (result == SN_OK && !model[0]) {
        is_data = false;
        result = sn_film_model(f, NULL, 32, model);
    }
    if (result == SN_OK) {
        result = track(f, model, is_data ? 1.5 : 1, &t);
    }
    remove(model);
    if (result == SN_OK) {
        sn_figure_show(f, "tracked", "Joints at 30 Hz with errors: the rig alone, and with flesh", path);
        result = sn_pictures_write(path, t.pictures, SHOTS, SHOTS);
        t.runs[0].frame_limit = t.runs[1].frame_limit; /* as much of both */
        sn_figure_say(f, "**Paper.** Skeletons that a camera tracks (mediapipe) get secondary motion in real time; "
                         "quality is the tracker's.");
        sn_figure_say(f,
                      "**Here.** Without a tracker: the walk of %s, sampled at 30 Hz, every joint\n"
                      "off by .7 degrees at random in each sample. That moves the rig's vertices by %.4f of the "
                      "diagonal (root of the mean square), "
                      "and those with flesh by\n"
                      "%.4f: flesh %s what a tracker gets wrong. A step takes %.2f ms.",
                      is_data ? "a character of glTF's samples (19 bones)" : "the mascot",
                      difference(&t.runs[0], &t.runs[1], false), difference(&t.runs[0], &t.runs[1], true),
                      difference(&t.runs[0], &t.runs[1], true) > 1.05 * difference(&t.runs[0], &t.runs[1], false)
                          ? "amplifies"
                          : "does not amplify",
                      t.report.step_ms / 2);
    }
    sn_model_release(t.model);
    sn_arena_finish(&t.arena);
    return result;
}
