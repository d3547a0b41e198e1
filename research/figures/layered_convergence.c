/* SPDX-License-Identifier: MIT */
/* Figure 6 of the layered paper: few iterations layer by layer against many in no order, on a leg that jumps. */
#include <math.h>
#include <stdio.h>

#include "host/math/vec3.h"
#include "research/figures/jump.h"

#define COUNT_LIMIT 7
#define TEN 2 /* in the list of iterations */
#define FIFTY 4
#define DRAWN 4
#define DRAWN_MOST 0.02 /* m: the strongest colour of an error */

typedef enum line { ALONG_CURVE, BY_COLOURS, LAYERS_ALONE, LAYERS_2, LAYERS_4, LAYERS_10, LAYERS_30, LINE_COUNT } line;

static const struct {
    const char *label;
    sn_jump_solve solve;
} lines[LINE_COUNT] = {{"no order: along a curve", {SN_LAYERED_UNORDERED, false, 1, 0, 0, 1}},
                       {"no order: by colours", {SN_LAYERED_UNORDERED, true, 1, 0, 0, 1}},
                       {"layers alone", {SN_LAYERED_LAYERS, false, 1, 0, 0, 1}},
                       {"masses x 2", {SN_LAYERED_LAYERS, false, 1, 0, 0, 2}},
                       {"x 4", {SN_LAYERED_LAYERS, false, 1, 0, 0, 4}},
                       {"x 10 (the paper)", {SN_LAYERED_LAYERS, false, 1, 0, 0, 10}},
                       {"x 30", {SN_LAYERED_LAYERS, false, 1, 0, 0, 30}}};

typedef struct convergence {
    int count;
    double counts[COUNT_LIMIT], errors[LINE_COUNT][COUNT_LIMIT]; /* mm */
    double small_steps[COUNT_LIMIT]; /* as many substeps of one sweep, against 20 sweeps in each */
    int heavy_count;
    double heavy[COUNT_LIMIT], of_heavy[COUNT_LIMIT]; /* ten sweeps, by how many are heavy */
    sn_picture pictures[DRAWN];
} convergence;

static double distance(const sn_jump *j, const double *exact)
{
    return 1e3 * sn_limb_distance(&j->limb, j->places, exact, SN_JUMP_FRAMES);
}

static sn_result measure(const sn_jump *j, const sn_jump_solve *solve, double *error)
{
    const sn_result result = sn_jump_play(j, solve, j->places);
    *error = distance(j, j->exact);
    return result;
}

static sn_result measure_small_steps(const sn_jump *j, int substeps, double *exact, double *error)
{
    sn_result result = sn_jump_play(j, &(sn_jump_solve){SN_LAYERED_UNORDERED, false, substeps, 20, 0, 1}, exact);
    if (result == SN_OK) {
        result = sn_jump_play(j, &(sn_jump_solve){SN_LAYERED_UNORDERED, false, substeps, 1, 0, 1}, j->places);
        *error = distance(j, exact);
    }
    return result;
}

/* Coloured by how far it is from many sweeps. */
static sn_result draw(const sn_jump *j, const char *caption, sn_arena *arena, sn_picture *picture)
{
    const double *end = sn_jump_end(j, j->places), *exact = sn_jump_end(j, j->exact);
    double *values = SN_NEW(arena, double, j->limb.mesh.vertex_count);
    for (int v = 0; v < j->limb.mesh.vertex_count && values; ++v) {
        values[v] = sn_distance3(end + 3 * v, exact + 3 * v) / DRAWN_MOST;
    }
    const sn_limb_view view = {.yaw = 1.3,
                               .pitch = 0.1,
                               .radius = 0.47,
                               .middle = {0, 0.25, 0},
                               .width = 220,
                               .height = 320,
                               .values = values};
    const sn_result result = values ? sn_limb_picture(&j->limb, end, &view, arena, picture) : SN_ERROR_MEMORY;
    snprintf(picture->caption, sizeof picture->caption, "%s", caption);
    return result;
}

static sn_result converge(const sn_figures *f, const sn_jump *j, sn_arena *arena, convergence *c)
{
    static const int counts[COUNT_LIMIT] = {2, 5, 10, 20, 50, 100, 200};
    double *exact = SN_NEW(arena, double, 3 * (size_t)SN_JUMP_FRAMES * (size_t)j->limb.mesh.vertex_count);
    sn_result result = exact ? SN_OK : SN_ERROR_MEMORY;
    *c = (convergence){.count = f->is_quick ? 5 : COUNT_LIMIT, .heavy_count = f->is_quick ? 3 : 6};
    for (int i = 0; i < c->count && result == SN_OK; ++i) {
        c->counts[i] = counts[i];
        for (int k = 0; k < LINE_COUNT && result == SN_OK; ++k) {
            sn_jump_solve solve = lines[k].solve;
            solve.sweeps = counts[i];
            solve.consolidating = solve.factor > 1 ? (6 * counts[i] + 5) / 10 : 0;
            result = measure(j, &solve, &c->errors[k][i]);
            if (result == SN_OK && k == ALONG_CURVE && (i == TEN || i == FIFTY)) {
                result = draw(j, i == TEN ? "no order, 10" : "no order, 50", arena, &c->pictures[i == FIFTY]);
            } else if (result == SN_OK && i == TEN && (k == LAYERS_ALONE || k == LAYERS_10)) {
                result = draw(j, k == LAYERS_10 ? "layers, 10, masses x 10" : "layers alone, 10", arena,
                              &c->pictures[k == LAYERS_10 ? 3 : 2]);
            }
        }
        c->small_steps[i] = NAN;
        if (result == SN_OK && i <= FIFTY) {
            result = measure_small_steps(j, counts[i], exact, &c->small_steps[i]);
        }
    }
    for (int i = 0; i < c->heavy_count && result == SN_OK; ++i) {
        const sn_jump_solve solve = {SN_LAYERED_LAYERS, false, 1, 10, 2 * i, 10};
        c->heavy[i] = 2 * i;
        result = measure(j, &solve, &c->of_heavy[i]);
    }
    return result;
}

static sn_result plot(sn_figures *f, const convergence *c)
{
    char path[SN_FIGURE_PATH];
    sn_plot panels[2] = {{.title = "A third of a second of a jump",
                          .x_label = "iterations a step of 1/30 s",
                          .y_label = "mm from many iterations",
                          .is_x_log = true,
                          .is_y_log = true},
                         {.title = "Ten iterations in layers, masses x 10",
                          .x_label = "consolidating iterations",
                          .y_label = "mm from many iterations",
                          .has_zero = true}};
    for (int k = 0; k < LINE_COUNT; ++k) {
        panels[0].series[k] = (sn_plot_series){lines[k].label, c->counts, c->errors[k], c->count, SN_PLOT_CURVE, 1 + k};
    }
    panels[0].series[LINE_COUNT] =
        (sn_plot_series){"small steps", c->counts, c->small_steps, c->count, SN_PLOT_CURVE, 8};
    panels[0].series_count = LINE_COUNT + 1;
    panels[1].series[0] = (sn_plot_series){NULL, c->heavy, c->of_heavy, c->heavy_count, SN_PLOT_CURVE, 6};
    panels[1].series_count = 1;
    const sn_result result = sn_figure_plot(f, "layered-convergence", "Error of a jump against iterations", panels, 2);
    if (result != SN_OK) {
        return result;
    }
    sn_figure_show(f, "layered-convergence-shapes", "The leg after ten steps, orange where it is 2 cm off", path);
    return sn_pictures_write(path, c->pictures, DRAWN, DRAWN);
}

/* Iterations along a curve that come as near, between the measured ones. */
static double worth(const convergence *c, double error)
{
    const double *errors = c->errors[ALONG_CURVE];
    for (int i = 1; i < c->count; ++i) {
        if (error > errors[i]) {
            const double share = log(fmax(errors[i - 1] / error, 1)) / log(errors[i - 1] / errors[i]);
            return c->counts[i - 1] * pow(c->counts[i] / c->counts[i - 1], share);
        }
    }
    return c->counts[c->count - 1];
}

static void say(sn_figures *f, const sn_jump *j, int exact_sweeps, const convergence *c)
{
    const int late = c->count > 5 ? 5 : FIFTY;
    int best = 0;
    for (int i = 1; i < c->heavy_count; ++i) {
        best = c->of_heavy[i] < c->of_heavy[best] ? i : best;
    }
    sn_figure_say(f,
                  "**Paper.** A jumping leg of 24387 tets: 10 unordered iterations are far from convergence, 50 are\n"
                  "satisfactory, and 10 in layers, the first 6 of which consolidate, converge as well as those 50.");
    sn_figure_say(f,
                  "**Here.** A leg of ours of %d tets, of 1 MPa, in steps of 1/30 s; errors are the root of the mean\n"
                  "square over free vertices and %d steps, from %d iterations. In no order, along a curve through\n"
                  "the body, 10 iterations are %.1f mm off and 50 are %.2f; by colours, which is nearer to chance,\n"
                  "%.1f and %.2f. In layers 10 are %.1f mm off: as good as %.0f along the curve, %s\n"
                  "as 50; and going by colours %s. The order alone %s (%.1f mm); the masses %s, as with\n"
                  "2 iterations (%.1f mm against %.1f). They also bias what is converged to: with\n"
                  "%.0f iterations, six in ten of them heavy, %.1f mm are left, in no order %.2f. Ten iterations are\n"
                  "best with %.0f heavy ones (%.1f mm).",
                  j->limb.mesh.tet_count, SN_JUMP_FRAMES, exact_sweeps, c->errors[ALONG_CURVE][TEN],
                  c->errors[ALONG_CURVE][FIFTY], c->errors[BY_COLOURS][TEN], c->errors[BY_COLOURS][FIFTY],
                  c->errors[LAYERS_10][TEN], worth(c, c->errors[LAYERS_10][TEN]),
                  c->errors[LAYERS_10][TEN] > c->errors[ALONG_CURVE][FIFTY] ? "but not as good" : "so as good",
                  c->errors[BY_COLOURS][TEN] < 1.1 * c->errors[LAYERS_10][TEN] ? "does as well" : "does not do as well",
                  c->errors[LAYERS_ALONE][TEN] < c->errors[ALONG_CURVE][TEN] ? "helps" : "does not help",
                  c->errors[LAYERS_ALONE][TEN], c->errors[LAYERS_10][0] < c->errors[ALONG_CURVE][0] ? "do" : "do not",
                  c->errors[LAYERS_10][0], c->errors[ALONG_CURVE][0], c->counts[late], c->errors[LAYERS_10][late],
                  c->errors[ALONG_CURVE][late], c->heavy[best], c->of_heavy[best]);
    sn_figure_say(f,
                  "Instead of more iterations a step can have substeps of one iteration each, which is the default\n"
                  "here: 10 of them are %.1f mm from what the same substeps converge to, and 50 are %.2f, with no\n"
                  "mass changed.",
                  c->small_steps[TEN], c->small_steps[FIFTY]);
}

sn_result sn_figure_layered_convergence(sn_figures *f)
{
    const int exact_sweeps = f->is_quick ? 100 : 1000;
    sn_arena arena = {0};
    sn_jump j;
    convergence c;
    sn_result result = sn_jump_make(f->is_quick ? 4 : 12, f->is_quick ? 10 : 28, exact_sweeps, &arena, &j);
    if (result == SN_OK) {
        result = converge(f, &j, &arena, &c);
    }
    if (result == SN_OK) {
        result = plot(f, &c);
        say(f, &j, exact_sweeps, &c);
    }
    sn_arena_finish(&arena);
    return result;
}
