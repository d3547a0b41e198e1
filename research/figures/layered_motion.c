/* SPDX-License-Identifier: MIT */
/* Figures 9 and 10 of the layered paper: a character whose skeleton follows recorded motion; its flesh does the rest.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/math/vec3.h"
#include "host/mesh/tet_mesh.h"
#include "host/model/model.h"
#include "research/figures/film.h"

#define SHOTS 4
#define CLIP_COUNT 2

#define MAN "rigged/CesiumMan.glb"

/* A recording of the data, and the mascot's own clip that stands in for it. */
static const struct {
    const char *file, *own, *says;
    double seconds[SHOTS];
} clips[CLIP_COUNT] = {{"mocap/cmu1_jumping_jacks.bvh", "jump", "jumping jacks", {0.8, 1.2, 1.6, 2.0}},
                       {"mocap/fair1_dab.bvh", "walk", "a dab", {1.0, 2.0, 3.0, 4.0}}};

typedef struct flesh {
    int tet_count, frame_count;
    double farthest; /* from where the bones' weights would have it, of the diagonal, mean over steps of the largest */
    int inverted;    /* most in a step */
} flesh;

static int count_inverted(const sn_model *model, double *places, int32_t *tets)
{
    const sn_tet_mesh mesh = {.vertex_count = model->counts.vertex_count,
                              .tet_count = model->counts.tet_count,
                              .positions = places,
                              .tets = tets};
    int count = 0;
    memcpy(tets, model->tets, 4 * (size_t)mesh.tet_count * sizeof *tets);
    for (int t = 0; t < mesh.tet_count; ++t) {
        count += sn_tet_volume(&mesh, t) <= 0;
    }
    return count;
}

static void measure(sn_scene *scene, void *user)
{
    flesh *f = user;
    const sn_body_id body = sn_scene_body_at(scene, 0);
    const sn_model *model = sn_body_model(body);
    const size_t n = (size_t)model->counts.vertex_count;
    sn_arena scratch = {0};
    double *places = SN_NEW(&scratch, double, 3 * n), *rig = SN_NEW(&scratch, double, 3 * n), largest = 0;
    int32_t *tets = SN_NEW(&scratch, int32_t, 4 * (size_t)model->counts.tet_count);
    f->tet_count = model->counts.tet_count;
    if (places && rig && tets) {
        sn_body_tet_positions(body, places, (int)n);
        sn_film_positions(body, NULL, rig, &scratch);
        for (size_t v = 0; v < n; ++v) {
            largest = fmax(largest, sn_distance3(places + 3 * v, rig + 3 * v));
        }
        const int inverted = count_inverted(model, places, tets);
        f->inverted = inverted > f->inverted ? inverted : f->inverted;
        f->farthest += largest / model->diagonal;
        ++f->frame_count;
    }
    sn_arena_finish(&scratch);
}

/* The data's man on a recording, or the mascot on a clip of its own. */
static sn_result cook(const sn_figures *f, int index, char *path, char clip[64], bool *is_recorded)
{
    char recording[SN_FIGURE_PATH];
    const char *const paths[1] = {recording};
    sn_cook_desc desc = sn_default_cook_desc();
    sn_model *model = NULL;
    desc.is_layered = true;
    snprintf(recording, sizeof recording, "%s/" MAN, f->data);
    *is_recorded = !f->is_quick && access(recording, R_OK) == 0;
    snprintf(recording, sizeof recording, "%s/%s", f->data, clips[index].file);
    *is_recorded = *is_recorded && access(recording, R_OK) == 0;
    if (*is_recorded) {
        desc.clip_paths = paths;
        desc.clip_count = 1;
    }
    sn_result result = sn_film_cook(f, *is_recorded ? MAN : NULL, &desc, path);
    if (result == SN_OK) {
        result = sn_model_open(path, &model);
    }
    if (result == SN_OK) { /* the last clip is the one that was added */
        snprintf(clip, 64, "%s",
                 *is_recorded ? sn_model_clip_name(model, sn_model_clip_count(model) - 1) : clips[index].own);
    }
    sn_model_release(model);
    return result;
}

static sn_result shoot(const sn_figures *f, int index, const char *model, const char *clip, bool is_man,
                       sn_arena *arena, sn_picture *pictures, flesh *measured, sn_film_report *report)
{
    static const double quick[SHOTS] = {0.05, 0.1, 0.15, 0.2};
    const double height = is_man ? 1.5 : 1;
    sn_scene_character character = sn_default_scene_character();
    sn_scene_body body = sn_default_scene_body();
    character.name = "mascot";
    character.path = model;
    body.desc.solver = SN_SOLVER_LAYERED;
    body.desc.gravity[1] = -9.81;
    body.clip = clip;
    sn_scene_script script = {.name = "motion",
                              .seconds = 5,
                              .characters = &character,
                              .character_count = 1,
                              .bodies = &body,
                              .body_count = 1,
                              .has_floor = true,
                              .floor_friction = 0.5,
                              .camera = {.is_set = true,
                                         .target = {0, 0.5 * height, 0},
                                         .distance = 2.4 * height,
                                         .yaw = is_man ? 1.2 : 0.3,
                                         .pitch = 0.1}};
    const sn_film film = {.name = "motion",
                          .script = &script,
                          .seconds = f->is_quick ? quick : clips[index].seconds,
                          .shot_count = SHOTS,
                          .width = f->is_quick ? 64 : 220,
                          .height = f->is_quick ? 64 : 240,
                          .after_step = measure,
                          .user = measured};
    SN_TRY(sn_film_shoot(&film, arena, pictures, report));
    for (int i = 0; i < SHOTS; ++i) {
        snprintf(pictures[i].caption, sizeof pictures->caption, "%.2f s", film.seconds[i]);
    }
    return SN_OK;
}

sn_result sn_figure_layered_motion(sn_figures *f)
{
    sn_arena arena = {0};
    sn_picture pictures[CLIP_COUNT * SHOTS];
    char path[SN_FIGURE_PATH], clip[64];
    flesh measured[CLIP_COUNT] = {{.frame_count = 0}};
    sn_film_report reports[CLIP_COUNT];
    bool is_recorded[CLIP_COUNT];
    const int clip_count = f->is_quick ? 1 : CLIP_COUNT;
    sn_result result = SN_OK;
    for (int i = 0; i < clip_count && result == SN_OK; ++i) {
        result = cook(f, i, path, clip, &is_recorded[i]);
        if (result == SN_OK) {
            result = shoot(f, i, path, clip, is_recorded[i], &arena, pictures + SHOTS * i, &measured[i], &reports[i]);
        }
        remove(path);
    }
    if (result == SN_OK) {
        sn_figure_show(f, "layered-motion", "Flesh on skeletons that follow recorded motion", path);
        result = sn_pictures_write(path, pictures, clip_count * SHOTS, SHOTS);
        sn_figure_say(
            f, "**Paper.** A fat man and a kicking man follow recorded motion (120, 30 or 25 Hz, matched to the\n"
               "character in an editor), with large motions and secondary ones, robustly.");
        sn_figure_say(
            f, "**Here.** Cooked for layered bodies (`sinew cook --layered`), under their weight, at 60 steps a\n"
               "second:");
        fprintf(f->text, "\n| body | motion | tets | flesh from where the rig's weights have it | inverted | put back "
                         "|\n| --- | --- | --- | --- | --- | --- |\n");
        for (int i = 0; i < clip_count; ++i) {
            fprintf(f->text, "| %s | %s | %d | %.3f | %d | %d |\n", is_recorded[i] ? "a man" : "the mascot",
                    is_recorded[i] ? clips[i].says : clips[i].own, measured[i].tet_count,
                    measured[i].farthest / fmax(1, measured[i].frame_count), measured[i].inverted,
                    reports[i].recovery_count);
        }
        sn_figure_say(f,
                      "The fourth column is the farthest vertex of a step over the diagonal, mean of all steps; the\n"
                      "fifth the most tets of a step that are inside out, at creases, for flesh has no contact with\n"
                      "itself; the last counts steps after which a body had to be put back to its rig.");
    }
    sn_arena_finish(&arena);
    return result;
}
