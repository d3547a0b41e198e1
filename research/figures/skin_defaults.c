/* SPDX-License-Identifier: MIT */
/* Which material is the default: how far several limbs, of as many ways to move, are from the truth between shapes. */
#include <math.h>
#include <stdlib.h>

#include "research/figures/skin.h"

#define MATERIAL_COUNT 4
#define DURATION_COUNT 4

static const double durations[DURATION_COUNT] = {0.1, 0.4, 1, 5}; /* the third is a second */

static sn_fourier_material material_of(int index)
{
    sn_fourier_material material = sn_default_fourier_material();
    if (index == 1) {
        material.time = SN_FOURIER_SECOND;
    } else if (index == 2) {
        material = (sn_fourier_material){1, 40, 2000, 2, SN_FOURIER_MEMBRANE, SN_FOURIER_SECOND};
    } else if (index == 3) {
        material = (sn_fourier_material){.damping = 1};
    }
    return material;
}

/* Of all limbs, at quarters between shapes: the largest error over linear blend skinning's. */
typedef struct results {
    double errors[MATERIAL_COUNT][2][DURATION_COUNT];                                  /* one segment, and several */
    double of_limb[MATERIAL_COUNT][2][SN_KNOWN_COUNT];                                 /* at a second a segment */
    double rig[2][SN_KNOWN_COUNT], linear[2][SN_KNOWN_COUNT], dual[2][SN_KNOWN_COUNT]; /* in units of the arm's 2.2 */
} results;

static sn_result measure(sn_known_limb limb, int duration, int material, int is_long, results *to)
{
    bending_arm *arm = malloc(sizeof *arm);
    sn_arena arena = {0};
    sn_known_limb_run run;
    const int segments = is_long ? SN_KNOWN_SEGMENTS : 1;
    const sn_known_limb_desc desc = {.limb = limb,
                                     .segment_count = segments,
                                     .seconds = segments * durations[duration],
                                     .material = material_of(material)};
    if (!arm) {
        return SN_ERROR_MEMORY;
    }
    sn_known_limb_make(limb, arm);
    const sn_result result = sn_known_limb_run_make(&desc, arm, &arena, &run);
    if (result == SN_OK) {
        const double share = run.worst.fourier / run.worst.rig;
        to->errors[material][is_long][duration] = fmax(to->errors[material][is_long][duration], share);
        if (durations[duration] == 1) {
            to->of_limb[material][is_long][limb] = run.worst.fourier;
            to->rig[is_long][limb] = run.worst.rig;
            to->linear[is_long][limb] = run.worst.linear;
            to->dual[is_long][limb] = run.worst.dual;
        }
    }
    sn_arena_finish(&arena);
    free(arm);
    return result;
}

static sn_result measure_all(const sn_figures *f, results *to)
{
    sn_result result = SN_OK;
    for (int i = 0; i < SN_KNOWN_COUNT * DURATION_COUNT * MATERIAL_COUNT * 2 && result == SN_OK; ++i) {
        const int duration = i / SN_KNOWN_COUNT % DURATION_COUNT, material = i / SN_KNOWN_COUNT / DURATION_COUNT / 2;
        const bool is_timeless = material == 0 || material == 3; /* the same for any duration */
        if ((!is_timeless && !f->is_quick) || (durations[duration] == 1 && (material == 0 || !f->is_quick))) {
            result = measure((sn_known_limb)(i % SN_KNOWN_COUNT), duration, material,
                             i / SN_KNOWN_COUNT / DURATION_COUNT % 2, to);
        }
    }
    for (int i = 0; i < MATERIAL_COUNT * 2 * DURATION_COUNT; ++i) {
        double *at = &to->errors[i / DURATION_COUNT / 2][i / DURATION_COUNT % 2][i % DURATION_COUNT];
        *at = *at > 0 ? *at : to->errors[i / DURATION_COUNT / 2][i / DURATION_COUNT % 2][2];
    }
    return result;
}

static void print_table(sn_figures *f, const results *r)
{
    fprintf(f->text, "\n| limb, keys | LBS | dual quaternions | blended linearly | default | stiff | damping alone |\n"
                     "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < 2 * SN_KNOWN_COUNT; ++i) {
        const int k = i / SN_KNOWN_COUNT, limb = i % SN_KNOWN_COUNT;
        fprintf(f->text, "| %s, %d | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f |\n", sn_known_limb_names[limb],
                k ? SN_KNOWN_SEGMENTS + 1 : 2, r->rig[k][limb], r->dual[k][limb], r->linear[k][limb],
                r->of_limb[0][k][limb], r->of_limb[2][k][limb], r->of_limb[3][k][limb]);
    }
}

/* How far skin that arrives at a pose that stays swings beyond it, of the way there. */
static sn_result find_overshoot(const sn_fourier_material *material, double *overshoot)
{
    static const double lengths[2] = {1, 1};
    const sn_fourier_sequence_desc desc = {.material = *material, .segment_count = 2, .durations = lengths};
    sn_arena arena = {0};
    sn_fourier_sequence sequence;
    const sn_result result = sn_fourier_sequence_build(&desc, &arena, &sequence);
    *overshoot = 0;
    for (int k = 0; k <= 200 && result == SN_OK; ++k) {
        double weights[2];
        sn_fourier_sequence_weights(&sequence, 1 + k / 200.0, weights);
        *overshoot = fmax(*overshoot, weights[0] - 1);
    }
    sn_arena_finish(&arena);
    return result;
}

static sn_result draw(sn_figures *f, const results *r)
{
    static const char *const names[MATERIAL_COUNT] = {"the default", "its numbers, by seconds", "stiff, by seconds",
                                                      "damping alone"};
    sn_plot panels[2] = {{.title = "Two keys"}, {.title = "Five keys"}};
    for (int k = 0; k < 2; ++k) {
        panels[k].x_label = "seconds between keys";
        panels[k].y_label = "largest error over LBS'";
        panels[k].is_x_log = panels[k].has_zero = true;
        for (int m = 0; m < MATERIAL_COUNT; ++m) {
            panels[k].series[panels[k].series_count++] =
                (sn_plot_series){names[m], durations, r->errors[m][k], DURATION_COUNT, SN_PLOT_CURVE, m + 1};
        }
    }
    return sn_figure_plot(f, "skin-defaults", "Error of materials by the time between keys", panels, 2);
}

static void say(sn_figures *f, const results *r, const double *overshoots)
{
    const sn_fourier_material d = sn_default_fourier_material();
    sn_figure_say(f, "**Paper.** It says numbers for a strip of skin alone (above), and none for its characters.");
    sn_figure_say(
        f,
        "**Here.** Limbs of one tube whose true shapes are formulas: an elbow (100 degrees), a knee (120) with a calf\n"
        "that swells by .15, a wrist that turns by 120, and a cheek that fills by half and eases in and out, which no\n"
        "rig follows. In the table, the largest distance of a vertex at quarters between keys a second apart; the "
        "plot\n"
        "has the largest over linear blend skinning's from the key before, of all limbs.");
    sn_figure_say(
        f,
        "The default is a density of %g, a damping of %g, a stretch of %g and a bending of %g, with the time from key\n"
        "to key as unit (`\"time\": \"segment\"`): so it is the same from .1 to 5 s. Of what linear blend skinning is "
        "off\n"
        "by it leaves at most %.2g with two keys, %.2g with five. The same numbers by seconds leave %.2f with two keys "
        "5 s\n"
        "apart, where they are stiff, and %.2f with five .1 s apart, where mass outweighs them. A stiff skin (1, 40, "
        "2000, 2,\n"
        "by seconds) leaves %.2f with two keys. Damping alone suits two keys %s, but begins each segment at rest.",
        d.density, d.damping, d.stretch, d.bending, sn_figure_bound(r->errors[0][0][2], 2),
        sn_figure_bound(r->errors[0][1][2], 2), r->errors[1][0][3], r->errors[1][1][0], r->errors[2][0][2],
        r->errors[3][0][2] < 1.1 * r->errors[0][0][2] ? "as well" : "less");
    sn_figure_say(
        f,
        "It is a compromise: skin that arrives at a pose that stays swings beyond it by %.2f of the way (stiff: %.2f;\n"
        "a damping of 2 and a stretch of 10, which are nearer to the truth with five keys: %.2f). `\"joins\": "
        "\"rest\"` keeps\n"
        "it there.",
        overshoots[0], overshoots[1], overshoots[2]);
}

sn_result sn_figure_skin_defaults(sn_figures *f)
{
    const sn_fourier_material compared[3] = {
        material_of(0), material_of(2), {1, 2, 10, 0.002, SN_FOURIER_MEMBRANE, SN_FOURIER_SEGMENT}};
    double overshoots[3];
    results *r = calloc(1, sizeof *r);
    sn_result result = r ? measure_all(f, r) : SN_ERROR_MEMORY;
    for (int i = 0; i < 3 && result == SN_OK; ++i) {
        result = find_overshoot(&compared[i], &overshoots[i]);
    }
    if (result == SN_OK) {
        result = draw(f, r);
    }
    if (result == SN_OK) {
        print_table(f, r);
        say(f, r, overshoots);
    }
    free(r);
    return result;
}
