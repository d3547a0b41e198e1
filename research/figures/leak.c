/* SPDX-License-Identifier: MIT */
/* The momentum leak D: what the flesh may take of a handle's momentum. The same jolt with D = 1 (nothing), D as it is
 * by default (the surface's share), and D a ramp along the body. */
#include <math.h>
#include <string.h>

#include "author/cook/cook.h"
#include "host/math/affine.h"
#include "host/reduced/reduced.h"
#include "research/figures/bodies.h"

#define KIND_COUNT 3
#define FRAME_LIMIT 90
#define DRAWN_FRAME 22
#define STEP (1.0 / 60)

typedef struct jolted {
    sn_arena arena;
    sn_cook_desc desc; /* the cooking borrows it */
    sn_cook_context cooking;
    sn_model *model;
    double displacements[FRAME_LIMIT]; /* the largest, of the diagonal */
    double *shape, *sizes;             /* at the drawn frame; how far each vertex has moved */
} jolted;

static const char *const names[KIND_COUNT] = {"D = 1: no leak", "D by diffusion, the default", "D from 1 to 0 along x"};

static sn_result cook(jolted *j, int kind, bool is_quick)
{
    sn_tet_mesh *mesh = &j->cooking.mesh;
    sn_result result =
        sn_bar_build(is_quick ? (const int[]){10, 3, 3} : (const int[]){20, 5, 5}, 0.05, &j->cooking.arena, mesh);
    double low[3], high[3];
    double *leak = result == SN_OK ? SN_NEW(&j->arena, double, mesh->vertex_count) : NULL;
    if (!leak) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    sn_tet_mesh_box(mesh, low, high);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        leak[v] = kind == 0 ? 1 : (high[0] - mesh->positions[3 * v]) / (high[0] - low[0]);
    }
    j->desc = sn_default_cook_desc();
    j->desc.complementary = SN_COMPLEMENTARY_WEIGHTS; /* as the paper has it */
    j->desc.mode_count = is_quick ? 6 : 16;
    if (kind != 1) {
        j->desc.leak = SN_LEAK_VALUES;
        j->desc.leak_values = leak;
        j->desc.leak_count = (size_t)mesh->vertex_count;
    }
    result = sn_cook_context_run(&j->cooking, "figure", &j->desc);
    return result == SN_OK ? sn_model_load(j->cooking.bytes, j->cooking.size, &j->model) : result;
}

/* Up by a quarter of the length within a fifth of a second, then still. */
static void pose_at(double t, double *pose)
{
    const double share = fmin(t / 0.2, 1);
    sn_affine_identity(pose);
    pose[7] = 0.25 * share * share * (3 - 2 * share);
}

static sn_result jolt(jolted *j, int frame_count)
{
    const int n = j->model->counts.vertex_count, drawn = frame_count > DRAWN_FRAME ? DRAWN_FRAME : frame_count - 1;
    const int mode_count = j->model->counts.mode_count;
    sn_reduced_desc desc = sn_default_reduced_desc();
    sn_reduced_solver *solver = NULL;
    sn_reduced_body *body = NULL;
    double *u = SN_NEW(&j->arena, double, 3 * n), *modes = SN_NEW(&j->arena, double, 12 * mode_count), pose[12];
    desc.time_step = STEP;
    desc.iteration_limit = 200;
    j->shape = SN_NEW(&j->arena, double, 3 * n);
    j->sizes = SN_NEW(&j->arena, double, n);
    sn_result result = u && modes && j->shape && j->sizes ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_reduced_solver_create(j->model, &desc, &solver);
    }
    if (result == SN_OK) {
        result = sn_reduced_body_create(solver, NULL, &body);
    }
    for (int frame = 0; frame < frame_count && result == SN_OK; ++frame) {
        pose_at((frame + 1) * STEP, pose);
        sn_reduced_body_step(body, pose, NULL);
        sn_reduced_body_mode_transforms(body, 1, modes);
        memset(u, 0, 3 * (size_t)n * sizeof *u);
        sn_skin_add(j->model->mode_weights, mode_count, modes, j->model->rest_positions, n, u);
        for (int v = 0; v < n; ++v) {
            const double size = sqrt(u[3 * v] * u[3 * v] + u[3 * v + 1] * u[3 * v + 1] + u[3 * v + 2] * u[3 * v + 2]);
            j->displacements[frame] = fmax(j->displacements[frame], size);
            j->sizes[v] = frame == drawn ? fmin(1, size / 0.1) : j->sizes[v];
        }
        for (int i = 0; i < 3 * n && frame == drawn; ++i) {
            j->shape[i] = j->cooking.mesh.positions[i] + u[i]; /* the handle does not turn: without its shift */
        }
    }
    sn_reduced_body_destroy(&body);
    sn_reduced_solver_destroy(&solver);
    return result;
}

static sn_result plot(sn_figures *f, const jolted *runs, int frame_count)
{
    double times[FRAME_LIMIT];
    char path[SN_FIGURE_PATH];
    sn_drawn_shape shapes[KIND_COUNT];
    sn_plot panel = {.title = "A jolt of the handle",
                     .x_label = "seconds",
                     .y_label = "largest displacement, of the diagonal",
                     .has_zero = true};
    for (int i = 0; i < frame_count; ++i) {
        times[i] = (i + 1) * STEP;
    }
    for (int k = 0; k < KIND_COUNT; ++k) {
        panel.series[panel.series_count++] =
            (sn_plot_series){names[k], times, runs[k].displacements, frame_count, SN_PLOT_LINE, 0};
        shapes[k] = (sn_drawn_shape){.caption = names[k],
                                     .positions = runs[k].shape,
                                     .triangles = runs[k].cooking.boundary,
                                     .triangle_count = runs[k].cooking.boundary_count,
                                     .values = runs[k].sizes};
    }
    const sn_result result = sn_figure_plot(f, "leak", "Displacement after a jolt, by leak", &panel, 1);
    if (result != SN_OK) {
        return result;
    }
    sn_figure_show(f, "leak-shapes", "The body after the jolt; orange has moved by a tenth of the diagonal or more",
                   path);
    return sn_drawing_write(path,
                            &(sn_drawn_view){.yaw = 0.3, .pitch = 0.2, .column_count = KIND_COUNT, .column_width = 280},
                            shapes, KIND_COUNT);
}

sn_result sn_figure_leak(sn_figures *f)
{
    const int frame_count = f->is_quick ? 10 : FRAME_LIMIT;
    jolted runs[KIND_COUNT] = {{.model = NULL}};
    double largest[KIND_COUNT] = {0};
    sn_result result = SN_OK;
    for (int k = 0; k < KIND_COUNT && result == SN_OK; ++k) {
        result = cook(&runs[k], k, f->is_quick);
        if (result == SN_OK) {
            result = jolt(&runs[k], frame_count);
        }
        for (int i = 0; i < frame_count; ++i) {
            largest[k] = fmax(largest[k], runs[k].displacements[i]);
        }
    }
    if (result == SN_OK) {
        result = plot(f, runs, frame_count);
        sn_figure_say(f, "**Paper.** The momentum leak decides where the rig's momentum enters the flesh; by default "
                         "at the surface,\n"
                         "for follow-through and anticipation; a user may paint another.");
        sn_figure_say(f,
                      "**Here.** One affine handle jolts a bar (%d vertices, 16 modes) upwards. Without leak nothing "
                      "moves (%.0e of\n"
                      "the diagonal: the handle's inertia is exactly what the constraint takes out). By default the "
                      "flesh lags and\n"
                      "swings by %.3f; with D falling along the bar its far end follows through by %.3f: as the paper "
                      "says, D is\n"
                      "where momentum enters.",
                      runs[0].model->counts.vertex_count, largest[0], largest[1], largest[2]);
    }
    for (int k = 0; k < KIND_COUNT; ++k) {
        sn_model_release(runs[k].model);
        sn_cook_context_finish(&runs[k].cooking);
        sn_arena_finish(&runs[k].arena);
    }
    return result;
}
