/* SPDX-License-Identifier: MIT */
#include "tools/bench/believable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "author/characters/characters.h"
#include "author/io/gltf/gltf_write.h"
#include "host/math/affine.h"
#include "runtime/session/loop.h"
#include "sinew/author.h"
#include "tools/bench/flesh.h"
#include "tools/command/json.h"
#include "tools/command/model_file.h"

#define STEP_HERTZ 60
#define MAX_CLIP_SECONDS 4
#define MIN_CLIP_SECONDS 2 /* shorter clips that loop are repeated */
#define REST_SECONDS 3
#define FULL_FRAMES 40
#define MOTION_LIMIT 32
#define EARTH_GRAVITY 9.81
#define MIN_METRES 0.1 /* characters whose height in the file is not between these have unknown units */
#define MAX_METRES 10.0
#define MANY_MODES 48

/* ---- the goals ---- */

typedef enum motion_type {
    MOTION_GENTLE, /* a walk, an idle; else the first clip; without clips the hop */
    MOTION_CLIP,   /* another clip */
    MOTION_TEST,   /* a test motion of the root */
    MOTION_REST,   /* at rest under gravity */
    MOTION_TYPE_COUNT
} motion_type;

static const char *const type_names[MOTION_TYPE_COUNT] = {"gentle", "clip", "test", "rest"};

#define ANY_MOTION 0xfu
#define MOVING (1u << MOTION_GENTLE | 1u << MOTION_CLIP | 1u << MOTION_TEST)
#define GENTLE (1u << MOTION_GENTLE)
#define NO_LIMIT HUGE_VAL

/* The figures in the order of sn_flesh_figure, and their goals. */
static const struct figure {
    const char *key, *heading;
    int width, decimals;
    double low, high; /* the goal */
    unsigned motions; /* bits of motion_type that the goal applies to */
} figures[SN_FLESH_FIGURE_COUNT] = {
    [SN_FLESH_P90] = {"p90", "p90", 6, 2, 0.8, 2.5, GENTLE},
    [SN_FLESH_SKIN_P90] = {"skin_p90", "skin", 6, 2, 0, NO_LIMIT, 0},
    [SN_FLESH_MAX] = {"max", "max", 6, 2, 0, 8, MOVING},
    [SN_FLESH_LOOSE_MAX] = {"loose_max", "loose", 6, 2, 0, 20, MOVING},
    [SN_FLESH_HAND_MAX] = {"hand_max", "hand", 6, 2, 0, 0.1, MOVING},
    [SN_FLESH_FOOT_MAX] = {"foot_max", "foot", 6, 2, 0, 0.1, MOVING},
    [SN_FLESH_HEAD_MAX] = {"head_max", "head", 6, 2, 0, 0.1, MOVING},
    [SN_FLESH_STRETCH] = {"stretch", "stretch", 7, 2, 0, 1.6, ANY_MOTION},
    [SN_FLESH_INVERTED] = {"inverted_frames", "invert", 6, 0, 0, 0, ANY_MOTION},
    [SN_FLESH_AFTER_HALF] = {"after_half_second", "0.5 s", 6, 2, 0, 1, ANY_MOTION},
    [SN_FLESH_AFTER_TWO] = {"after_two_seconds", "2 s", 6, 2, 0, 0.1, ANY_MOTION},
    [SN_FLESH_SAG] = {"sag", "sag", 6, 2, 0, 0.3, ANY_MOTION},
    [SN_FLESH_STEP_MS] = {"step_ms", "ms", 6, 3, 0, 0.05, ANY_MOTION},
    [SN_FLESH_ITERATIONS] = {"iterations", "iter", 5, 1, 0, NO_LIMIT, 0},
    [SN_FLESH_FULL_ERROR] = {"full_error", "error", 6, 2, 0, 0.3, ANY_MOTION},
    [SN_FLESH_FULL_CORRELATION] = {"full_correlation", "corr", 6, 2, -1, NO_LIMIT, 0},
};
#define FULL_ERROR_OF_MANY_MODES 0.2
#define TIMED_BONES 70 /* the goal of a step's time applies to at most so many bones */

typedef struct motion_result {
    char motion[64];
    motion_type type;
    sn_flesh_report report;
} motion_result;

typedef struct character {
    const char *path;
    sn_arena arena;
    sn_blob cooked;
    sn_model *model;
    double height;
    char failure[1024]; /* empty: none */
    motion_result results[MOTION_LIMIT];
    int result_count;
} character;

typedef struct tally {
    int met[SN_FLESH_FIGURE_COUNT], of[SN_FLESH_FIGURE_COUNT];
} tally;

static bool applies(const character *c, const motion_result *r, int figure)
{
    const bool is_slow = figure == SN_FLESH_STEP_MS && c->model->counts.bone_count > TIMED_BONES;
    return (figures[figure].motions >> r->type & 1) && !isnan(r->report.figures[figure]) && !is_slow;
}

static bool is_met(const character *c, const motion_result *r, int figure)
{
    const bool has_many_modes = c->model->counts.mode_count >= MANY_MODES;
    const double value = r->report.figures[figure];
    const double high =
        figure == SN_FLESH_FULL_ERROR && has_many_modes ? FULL_ERROR_OF_MANY_MODES : figures[figure].high;
    return value >= figures[figure].low && value <= high;
}

static void count_goals(const character *c, tally *t)
{
    for (int i = 0; i < c->result_count; ++i) {
        for (int f = 0; f < SN_FLESH_FIGURE_COUNT; ++f) {
            if (applies(c, &c->results[i], f)) {
                ++t->of[f];
                t->met[f] += is_met(c, &c->results[i], f);
            }
        }
    }
}

/* ---- characters ---- */

static sn_result write_built_in(sn_result (*build)(sn_arena *arena, sn_scene_file *scene), const char *path)
{
    sn_arena arena = {0};
    sn_scene_file scene;
    sn_result result = build(&arena, &scene);
    result = result ? result : sn_gltf_write(path, &scene);
    sn_arena_finish(&arena);
    return result;
}

static sn_result load(character *c)
{
    if (sn_is_model_file(c->path)) {
        return sn_model_file_read(c->path, &c->arena, &c->model);
    }
    const sn_cook_desc desc = sn_default_cook_desc();
    SN_TRY(sn_cook(c->path, &desc, &c->cooked, NULL));
    return sn_model_load_named(c->path, c->cooked.bytes, c->cooked.size, &c->model);
}

/* ---- motions ---- */

typedef struct motion_list {
    sn_flesh_desc items[MOTION_LIMIT];
    motion_type types[MOTION_LIMIT];
    char names[MOTION_LIMIT][64];
    int count;
} motion_list;

static sn_flesh_desc *add_motion(const character *c, motion_list *list, motion_type type, double seconds,
                                 const char *format, const char *name)
{
    sn_flesh_desc *d = &list->items[list->count];
    *d = (sn_flesh_desc){.name = c->path,
                         .motion = {.model = c->model, .clip = -1},
                         .frame_count = (int)(seconds * STEP_HERTZ + 0.5),
                         .height = c->height,
                         .stop = -1};
    list->types[list->count] = type;
    snprintf(list->names[list->count++], sizeof *list->names, format, name);
    return d;
}

/* One pass of a clip, without the jump at its end; clips that end where they begin are repeated. */
static void add_clip(const character *c, motion_list *list, int clip, motion_type type)
{
    const double length = sn_model_clip_seconds(c->model, clip);
    const bool is_continuous = sn_loop_plan(c->model, clip).type == SN_LOOP_CONTINUOUS;
    const double seconds = is_continuous ? fmax(length, MIN_CLIP_SECONDS) : length - 1.0 / STEP_HERTZ;
    sn_flesh_desc *d =
        add_motion(c, list, type, fmin(seconds, MAX_CLIP_SECONDS), "%s", sn_model_clip_name(c->model, clip));
    d->motion.clip = clip;
}

static void list_clips(const character *c, int other_count, motion_list *list)
{
    static const char *const words[] = {"walk", "idle", "run"};
    const sn_model *m = c->model;
    bool *is_used = calloc((size_t)m->counts.clip_count + 1, sizeof *is_used);
    for (int clip = 0; clip < m->counts.clip_count && is_used; ++clip) {
        is_used[clip] = sn_model_clip_seconds(m, clip) * STEP_HERTZ < 5; /* a pose */
    }
    for (int w = 0; w < 3 && is_used; ++w) {
        const int clip = sn_model_find_clip_of(m, words[w]);
        if (clip >= 0 && !is_used[clip]) {
            add_clip(c, list, clip, w < 2 ? MOTION_GENTLE : MOTION_CLIP);
            is_used[clip] = true;
        }
    }
    for (int clip = 0; clip < m->counts.clip_count && other_count > 0 && is_used; ++clip) {
        if (!is_used[clip]) {
            add_clip(c, list, clip, list->count > 0 ? MOTION_CLIP : MOTION_GENTLE);
            --other_count;
        }
    }
    free(is_used);
}

/* Earth's gravity in model units. A file whose character is not between MIN_METRES and MAX_METRES high has other units
 * than metres; that character is taken to be one metre high. */
static double gravity_of(const character *c)
{
    const double metres = c->height / sn_model_scale(c->model);
    return EARTH_GRAVITY * (metres >= MIN_METRES && metres <= MAX_METRES ? sn_model_scale(c->model) : c->height);
}

static void list_motions(const character *c, const sn_believable_desc *desc, double *pose, motion_list *list)
{
    list_clips(c, desc->clip_count, list);
    if (list->count == 0) {
        add_motion(c, list, MOTION_GENTLE, SN_HOP_SECONDS, "%s", "hop")->motion.is_hop = true;
    }
    list->items[0].full_frame_count = desc->compares_full_space ? FULL_FRAMES : 0;
    for (int i = 0; i <= SN_ROOT_MOTION_COUNT; ++i) {
        const sn_root_motion_type type =
            i < SN_ROOT_MOTION_COUNT ? (sn_root_motion_type)i : SN_ROOT_MOTION_TURN; /* the last turns in gravity */
        sn_root_motion root;
        sn_root_motion_init(c->model, type, pose, &root);
        sn_flesh_desc *d = add_motion(c, list, MOTION_TEST, sn_root_motion_seconds(&root),
                                      i < SN_ROOT_MOTION_COUNT ? "%s" : "%s in gravity", sn_root_motion_name(type));
        d->motion.is_root_motion = true;
        d->motion.root = root;
        d->gravity[1] = i < SN_ROOT_MOTION_COUNT ? 0 : -gravity_of(c);
        d->stop = type == SN_ROOT_MOTION_DASH ? SN_ROOT_MOTION_DASH_END : -1;
        d->full_frame_count = desc->compares_full_space && type == SN_ROOT_MOTION_JUMP ? 2 * FULL_FRAMES : 0;
    }
    sn_flesh_desc *rest = add_motion(c, list, MOTION_REST, REST_SECONDS, "%s", "rest in gravity");
    rest->is_rest = true;
    rest->gravity[1] = -gravity_of(c);
    rest->motion.poses = pose;
    rest->motion.frame_count = 1;
}

/* ---- measuring ---- */

/* The bind pose, if it is upright. */
static void set_rest(const sn_model *model, double *pose)
{
    if (sn_model_upright_pose(model, pose)) {
        for (int bone = 0; bone < model->counts.bone_count; ++bone) {
            sn_affine_identity(pose + 12 * (size_t)bone);
        }
    }
}

static sn_result measure(character *c, const sn_believable_desc *desc)
{
    sn_result result = load(c);
    double *pose = result == SN_OK ? SN_NEW(&c->arena, double, 12 * (size_t)c->model->counts.bone_count) : NULL;
    motion_list *list = SN_NEW(&c->arena, motion_list, 1);
    if (!pose || !list) {
        return result ? result : SN_ERROR_MEMORY;
    }
    double centre[3];
    sn_model_upright_pose(c->model, pose);
    c->height = sn_model_pose_height(c->model, pose, centre);
    if (!(c->height > 0)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: has no height", c->path);
    }
    list_motions(c, desc, pose, list);
    set_rest(c->model, pose); /* the pose of the last motion */
    for (int i = 0; i < list->count && result == SN_OK; ++i) {
        sn_flesh_report *report = &c->results[c->result_count].report;
        result = sn_flesh_measure(&list->items[i], &c->arena, report);
        if (result == SN_OK) {
            c->results[c->result_count].type = list->types[i];
            snprintf(c->results[c->result_count++].motion, sizeof c->results->motion, "%s", list->names[i]);
        }
    }
    return result;
}

/* ---- output ---- */

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Writes "met", or the figures that miss their goals, to text (size). */
static void judge(const character *c, const motion_result *r, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int f = 0; f < SN_FLESH_FIGURE_COUNT; ++f) {
        if (applies(c, r, f) && !is_met(c, r, f) && used < size) {
            const bool is_low = r->report.figures[f] < figures[f].low;
            used += (size_t)snprintf(text + used, size - used, "%s%s%s", used ? ", " : "", figures[f].heading,
                                     is_low ? " low" : "");
        }
    }
    if (used == 0) {
        snprintf(text, size, "met");
    }
}

static void print_bones(const character *c, const motion_result *r)
{
    for (int b = 0; b < c->model->counts.bone_count; ++b) {
        const sn_flesh_bone *bone = &r->report.bones[b];
        if (bone->mass > 0 || bone->max > 0) {
            printf("    %-24s %-5s mass %4.1f%%  p90 %6.2f  max %6.2f\n", sn_model_bone_name(c->model, b),
                   sn_bone_region_name(bone->part), 100 * bone->mass, bone->p90, bone->max);
        }
    }
}

static void print_character(const character *c, bool lists_bones)
{
    printf("\n%s", file_name(c->path));
    if (c->model) {
        printf(": height %.4g, %d bones, %d modes, %d tets", c->height / sn_model_scale(c->model),
               c->model->counts.bone_count, c->model->counts.mode_count, c->model->counts.tet_count);
    }
    printf("%s%s\n", c->failure[0] ? "; failed: " : "", c->failure);
    for (int i = 0; i < c->result_count; ++i) {
        const motion_result *r = &c->results[i];
        char judgement[256];
        judge(c, r, judgement, sizeof judgement);
        printf("  %-18.18s", r->motion);
        for (int f = 0; f < SN_FLESH_FIGURE_COUNT; ++f) {
            const double value = r->report.figures[f];
            if (isnan(value)) {
                printf(" %*s", figures[f].width, "-");
            } else {
                printf(" %*.*f", figures[f].width, figures[f].decimals, value);
            }
        }
        printf("  %-16.16s  %s\n", sn_model_bone_name(c->model, r->report.max_bone), judgement);
        if (lists_bones) {
            print_bones(c, r);
        }
    }
}

static void print_headings(void)
{
    printf("Per cent of the height, except stretch (ratio), invert (frames), ms, iter, error and corr (full space).\n");
    printf("  %-18s", "motion");
    for (int f = 0; f < SN_FLESH_FIGURE_COUNT; ++f) {
        printf(" %*s", figures[f].width, figures[f].heading);
    }
    printf("  %-16s  %s\n", "max at", "verdict");
}

static void print_tally(const tally *t)
{
    int met = 0, of = 0;
    for (int f = 0; f < SN_FLESH_FIGURE_COUNT; ++f) {
        met += t->met[f];
        of += t->of[f];
    }
    printf("\ngoals met: %d of %d (", met, of);
    const char *separator = "";
    for (int f = 0; f < SN_FLESH_FIGURE_COUNT; ++f) {
        if (t->of[f] > 0) {
            printf("%s%s %d/%d", separator, figures[f].heading, t->met[f], t->of[f]);
            separator = ", ";
        }
    }
    printf(")\n");
}

static json_t *result_json(const character *c, const motion_result *r)
{
    const sn_flesh_report *report = &r->report;
    json_t *entry = json_pack("{s:s,s:s,s:i,s:i,s:s,s:s}", "name", r->motion, "type", type_names[r->type], "frames",
                              report->frame_count, "recoveries", report->recovery_count, "max_bone",
                              sn_model_bone_name(c->model, report->max_bone), "stretch_bone",
                              sn_model_bone_name(c->model, report->stretch_bone));
    json_t *bones = json_array(), *missed = json_array();
    for (int f = 0; f < SN_FLESH_FIGURE_COUNT; ++f) {
        json_object_set_new(entry, figures[f].key, sn_json_real(report->figures[f]));
        if (applies(c, r, f) && !is_met(c, r, f)) {
            json_array_append_new(missed, json_string(figures[f].key));
        }
    }
    for (int b = 0; b < c->model->counts.bone_count; ++b) {
        const sn_flesh_bone *bone = &report->bones[b];
        json_array_append_new(bones, json_pack("{s:s,s:s,s:f,s:f,s:f}", "name", sn_model_bone_name(c->model, b), "part",
                                               sn_bone_region_name(bone->part), "mass", bone->mass, "p90", bone->p90,
                                               "max", bone->max));
    }
    json_object_set_new(entry, "missed", missed);
    json_object_set_new(entry, "bones", bones);
    return entry;
}

static json_t *character_json(const character *c)
{
    json_t *motions = json_array();
    for (int i = 0; i < c->result_count; ++i) {
        json_array_append_new(motions, result_json(c, &c->results[i]));
    }
    json_t *entry = json_pack("{s:s,s:o}", "file", c->path, "motions", motions);
    if (c->failure[0]) {
        json_object_set_new(entry, "failure", json_string(c->failure));
    }
    if (c->model) {
        json_object_set_new(entry, "height", sn_json_real(c->height / sn_model_scale(c->model)));
        json_object_set_new(entry, "bone_count", json_integer(c->model->counts.bone_count));
        json_object_set_new(entry, "mode_count", json_integer(c->model->counts.mode_count));
        json_object_set_new(entry, "tet_count", json_integer(c->model->counts.tet_count));
    }
    return entry;
}

static json_t *goals_json(const tally *t)
{
    json_t *goals = json_array();
    for (int f = 0; f < SN_FLESH_FIGURE_COUNT; ++f) {
        if (figures[f].motions != 0) {
            json_array_append_new(goals,
                                  json_pack("{s:s,s:f,s:f,s:i,s:i}", "figure", figures[f].key, "low", figures[f].low,
                                            "high", figures[f].high, "met", t->met[f], "of", t->of[f]));
        }
    }
    return goals;
}

/* ---- the bench ---- */

typedef struct bench {
    const sn_believable_desc *desc;
    tally tally;
    json_t *characters; /* with --json */
    int measured_count;
    sn_result first_failure;
    char failure[1024]; /* message of it */
} bench;

/* The character is printed as soon as it is measured. */
static void run_character(bench *b, const char *path)
{
    character *c = calloc(1, sizeof *c);
    if (!c) {
        b->first_failure = sn_fail(SN_ERROR_MEMORY, "%s: out of memory", path);
        return;
    }
    c->path = path;
    sn_captured_log log = {0};
    sn_captured_log *outer = sn_capture_log(&log);
    const char *subject = sn_log_subject(path);
    const sn_result result = measure(c, b->desc);
    sn_log_subject(subject);
    sn_capture_log(outer);
    if (result == SN_OK) {
        ++b->measured_count;
    } else {
        snprintf(c->failure, sizeof c->failure, "%s", log.is_captured ? log.line : sn_result_name(result));
        if (b->first_failure == SN_OK) {
            b->first_failure = result;
            snprintf(b->failure, sizeof b->failure, "%s", c->failure);
        }
    }
    count_goals(c, &b->tally);
    if (b->desc->is_json) {
        json_array_append_new(b->characters, character_json(c));
    } else {
        print_character(c, b->desc->lists_bones);
        fflush(stdout);
    }
    sn_model_release(c->model);
    sn_blob_release(&c->cooked);
    sn_arena_finish(&c->arena);
    free(c);
}

static void run_built_in(bench *b)
{
    static const struct {
        const char *name;
        sn_result (*build)(sn_arena *arena, sn_scene_file *scene);
    } built_in[] = {{"mascot.glb", sn_mascot_build}, {"octopus.glb", sn_octopus_build}};
    const char *temporary = getenv("TMPDIR");
    char folder[4000], path[4096];
    snprintf(folder, sizeof folder, "%s/sinew-believable-XXXXXX", temporary && temporary[0] ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        b->first_failure = sn_fail(SN_ERROR_FILE, "%s: cannot create this folder", folder);
        return;
    }
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, built_in[i].name);
        const sn_result result = write_built_in(built_in[i].build, path);
        if (result == SN_OK) {
            run_character(b, path);
        }
        b->first_failure = b->first_failure ? b->first_failure : result;
        unlink(path);
    }
    rmdir(folder);
}

sn_result sn_bench_believable(const sn_believable_desc *desc)
{
    bench b = {.desc = desc, .characters = desc->is_json ? json_array() : NULL};
    if (!desc->is_json) {
        print_headings();
    }
    for (int i = desc->first_path; i < desc->paths->count; ++i) {
        run_character(&b, desc->paths->items[i]);
    }
    if (desc->paths->count <= desc->first_path) {
        run_built_in(&b);
    }
    if (b.measured_count == 0) {
        json_decref(b.characters);
        return b.failure[0] ? sn_fail(b.first_failure, "%s", b.failure) : b.first_failure;
    }
    if (desc->is_json) {
        sn_print_json(json_pack("{s:o,s:o}", "characters", b.characters, "goals", goals_json(&b.tally)));
    } else {
        print_tally(&b.tally);
    }
    return SN_OK;
}
