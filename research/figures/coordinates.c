/* SPDX-License-Identifier: MIT */
/* The rig's constraint on the weights of modes, as the paper has it, and on the coordinates (cook --complementary
 * coordinates), against the full space: bodies of one bone, and of rigs in their own clips. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "research/figures/runs.h"

#define BODY_LIMIT 4
#define POINT_LIMIT 5

static const int mode_counts[POINT_LIMIT] = {8, 16, 32, 64, 128};
static const sn_cook_complementary ways[2] = {SN_COMPLEMENTARY_WEIGHTS, SN_COMPLEMENTARY_COORDINATES};

/* A tet mesh with its rig of the data. */
typedef struct rigged_body {
    const char *name, *clip, *says;
} rigged_body;
static const rigged_body rigged_bodies[BODY_LIMIT - 1] = {{"dolphin", "swim", "the dolphin"},
                                                          {"mantaray", "swim", "the manta ray"},
                                                          {"cartoon_octopus", "float", "the octopus"}};

typedef struct curve {
    int count;
    double modes[POINT_LIMIT], errors[POINT_LIMIT];
} curve;

typedef struct body {
    char says[64];
    int bone_count, vertex_count;
    curve curves[2]; /* by ways */
} body;

typedef struct comparison {
    sn_arena arena;
    sn_run_desc desc;
    int most_modes, cluster_count;
    body bodies[BODY_LIMIT];
    int body_count;
} comparison;

/* Errors of one way over modes; the first way runs the full space, too. */
static sn_result measure_way(const comparison *c, const sn_run_base *base, sn_arena *arena, sn_run *full, curve *errors)
{
    sn_result result = SN_OK;
    for (int i = 0; i < POINT_LIMIT && mode_counts[i] <= c->most_modes && result == SN_OK; ++i) {
        sn_arena scratch = {0};
        sn_variant variant;
        sn_run run;
        if (4 * mode_counts[i] <= base->cooking.coordinate_constraint.row_count) {
            continue; /* nothing would be left */
        }
        result = sn_variant_make(base, mode_counts[i], 0, &variant);
        if (result == SN_OK && full->frame_count == 0) {
            result = sn_run_full(variant.model, &c->desc, arena, full);
        }
        if (result == SN_OK) {
            result = sn_run_reduced(variant.model, &c->desc, &scratch, &run);
        }
        if (result == SN_OK) {
            errors->modes[errors->count] = mode_counts[i];
            errors->errors[errors->count++] = sn_run_error(variant.model, &run, full, c->desc.frame_count);
        }
        sn_variant_finish(&variant);
        sn_arena_finish(&scratch);
    }
    return result;
}

/* Of a mesh with one handle, or, where that is null, of the files that the desc names. */
static sn_result measure_body(comparison *c, const sn_tet_mesh *mesh, const char *path, const sn_cook_desc *desc)
{
    sn_arena arena = {0};
    sn_run full = {0};
    body *b = &c->bodies[c->body_count++];
    sn_result result = SN_OK;
    for (int way = 0; way < 2 && result == SN_OK; ++way) {
        sn_run_base base = {.desc = *desc};
        base.desc.complementary = ways[way];
        base.desc.mode_count = c->most_modes;
        base.desc.cluster_count = c->cluster_count;
        if (mesh) {
            base.cooking.mesh = *mesh;
        }
        result = sn_cook_context_run(&base.cooking, path, &base.desc);
        b->bone_count = base.cooking.bone_count;
        b->vertex_count = base.cooking.mesh.vertex_count;
        if (result == SN_OK) {
            result = measure_way(c, &base, &arena, &full, &b->curves[way]);
        }
        sn_cook_context_finish(&base.cooking);
    }
    sn_arena_finish(&arena);
    return result;
}

static sn_result measure_handle(sn_figures *f, comparison *c)
{
    sn_tet_mesh mesh;
    const sn_cook_desc desc = sn_default_cook_desc();
    SN_TRY(sn_figure_body(f, &c->arena, &mesh, c->bodies[c->body_count].says));
    return measure_body(c, &mesh, "figure", &desc);
}

/* Nothing where the data is not there. */
static sn_result measure_rigged(sn_figures *f, comparison *c, const rigged_body *rigged)
{
    char path[SN_FIGURE_PATH], rig[SN_FIGURE_PATH], clip[SN_FIGURE_PATH];
    const char *const clips[1] = {clip};
    sn_cook_desc desc = sn_default_cook_desc();
    snprintf(path, sizeof path, "%s/tet/%s/%s.msh", f->data, rigged->name, rigged->name);
    snprintf(rig, sizeof rig, "%s/tet/%s/rigs/skeleton_rig/skeleton_rig.json", f->data, rigged->name);
    snprintf(clip, sizeof clip, "%s/tet/%s/rigs/skeleton_rig/anim/%s.json", f->data, rigged->name, rigged->clip);
    if (f->is_quick || access(path, R_OK) != 0) {
        return SN_OK;
    }
    snprintf(c->bodies[c->body_count].says, sizeof c->bodies->says, "%s", rigged->says);
    desc.rig_path = rig;
    desc.clip_paths = clips;
    desc.clip_count = 1;
    return measure_body(c, NULL, path, &desc);
}

static sn_result plot(sn_figures *f, const comparison *c)
{
    char titles[BODY_LIMIT][96];
    sn_plot panels[BODY_LIMIT];
    for (int i = 0; i < c->body_count; ++i) {
        const body *b = &c->bodies[i];
        const curve *weights = &b->curves[0], *coordinates = &b->curves[1];
        snprintf(titles[i], sizeof titles[i], "%c%s: %d bone%s", b->says[0] - 'a' + 'A', b->says + 1, b->bone_count,
                 b->bone_count > 1 ? "s" : "");
        panels[i] =
            (sn_plot){.title = titles[i],
                      .x_label = "modes",
                      .y_label = "error, of the displacement",
                      .is_x_log = true,
                      .has_zero = true,
                      .series_count = 2,
                      .series = {{"on weights", weights->modes, weights->errors, weights->count, SN_PLOT_CURVE, 4},
                                 {"on coordinates", coordinates->modes, coordinates->errors, coordinates->count,
                                  SN_PLOT_CURVE, 5}}};
    }
    return sn_figure_plot(f, "coordinates", "Error against modes, by what the constraint is on", panels, c->body_count);
}

/* Errors with as many modes, the least and the most that figures name. */
static void list_errors(const body *b, char *text, size_t size)
{
    const curve *weights = &b->curves[0], *coordinates = &b->curves[1];
    const int last = weights->count - 1, first = last > 0 ? 1 : 0, late = coordinates->count - 1;
    const int early = late - (last - first);
    snprintf(text, size,
             "%s (%d vertices, %d bone%s) %.2f with %.0f modes and %.2f with %.0f, on coordinates %.2f and %.2f",
             b->says, b->vertex_count, b->bone_count, b->bone_count > 1 ? "s" : "", weights->errors[first],
             weights->modes[first], weights->errors[last], weights->modes[last], coordinates->errors[early],
             coordinates->errors[late]);
}

static void say(sn_figures *f, const comparison *c)
{
    char all[BODY_LIMIT * 192] = "", one[192];
    for (int i = 0; i < c->body_count; ++i) {
        list_errors(&c->bodies[i], one, sizeof one);
        strncat(all, one, sizeof all - strlen(all) - 1);
        strncat(all, i + 1 < c->body_count ? ";\n" : ".", sizeof all - strlen(all) - 1);
    }
    sn_figure_say(f, "**Paper.** The constraint is on the weights, so that a step need not know of it.");
    sn_figure_say(
        f,
        "**Here.** It can be on the coordinates, and a step still need not know of it (`sinew cook --complementary\n"
        "coordinates`): the basis spans what of the modes satisfies J^T M D B Z = 0, which says the same of all three\n"
        "columns of Z and takes 4 of their rows a bone. Over %.2g s, with %d clusters, the mass-weighted L2 error\n"
        "against the full space is of\n%s",
        c->desc.frame_count * c->desc.time_step, c->cluster_count, all);
}

sn_result sn_figure_coordinates(sn_figures *f)
{
    comparison c = {
        .desc = {.frame_count = f->is_quick ? 3 : 30, .time_step = 1.0 / 60, .tolerance = 1e-6, .iteration_limit = 500},
        .most_modes = f->is_quick ? 16 : 128,
        .cluster_count = f->is_quick ? 30 : 3000};
    sn_result result = measure_handle(f, &c);
    for (int i = 0; i < BODY_LIMIT - 1 && result == SN_OK; ++i) {
        result = measure_rigged(f, &c, &rigged_bodies[i]);
    }
    if (result == SN_OK) {
        result = plot(f, &c);
    }
    if (result == SN_OK) {
        say(f, &c);
    }
    sn_arena_finish(&c.arena);
    return result;
}
