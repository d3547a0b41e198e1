/* SPDX-License-Identifier: MIT */
/* Stiffness of parts by frequency. The lowest frequency of a part with its core fixed is estimated from the response u
 * of all flesh to a uniform load, L u = M 1 with u = 0 on the anchors: over the part's mass, sum(m u) / sum(m u^2) is
 * close to the lowest eigenvalue of (L, M), and includes the support by neighbouring parts. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "author/cook/anchored/anchored.h"
#include "author/cook/parts/parts.h"
#include "author/cook/stages/stages.h"
#include "author/modes/reduced/added_modes.h"

#define PI 3.14159265358979323846
#define ROUNDS 3 /* of the estimate, since parts support each other */
#define MAX_TRIALS 4
#define MAX_USER_TRIALS 8            /* if an amplitude was asked for */
#define STRAIN_LIMIT_STIFFNESS 100.0 /* relative to the elastic stiffness */
#define STRAIN_LIMIT 0.12            /* strain at which flesh stiffens */
#define CONVERGENCE_LOG 3.912        /* -ln 0.02: settled is within 2% */
#define GAIN 0.6                     /* of a correction, in log stiffness over log amplitude; parts are coupled */
/* A part's measured amplitude, and one that a user asks for, is that of its skin; its target amplitude is that of all
 * its flesh, which moves less. */
#define AMPLITUDE_GAIN 1.5
#define AMPLITUDE_ERROR 0.1      /* that needs no correction */
#define MAX_AMPLITUDE 0.08       /* largest displacement of any vertex, fraction of the height */
#define MIN_FREQUENCY_FACTOR 0.5 /* strain limits stiffen within a cluster, so the elastic stiffness may be lower */
#define MAX_LOOSE_AMPLITUDE 0.2
#define MAX_STRETCH 2.0     /* of the edges of the tets' boundary, in any motion */
#define MIN_DEPTH 0.15      /* of tets, 0 on a bone and 1 on the skin, for their stiffness */
#define TIP_FRACTION 0.1    /* of a part's skin whose larger displacements do not count */
#define COUNTED_MOTIONS 0.5 /* fraction of the motions in which a part stays below its amplitude */

/* tet_stiffness and tet_lame: the user's values times the parts' factors, each over the mean. */
static void apply_factors(sn_cook_context *cook)
{
    const sn_flesh_parts *parts = cook->parts;
    double sum = 0, volume = 0;
    for (size_t t = 0; t < (size_t)cook->mesh.tet_count; ++t) {
        double log2_factor = 0;
        for (size_t k = 0; k < 4; ++k) {
            log2_factor += log2(cook->part_factors[parts->of_vertex[cook->mesh.tets[4 * t + k]]]) / 4;
        }
        cook->tet_stiffness[t] = cook->input_stiffness[t] * exp2(log2_factor);
        cook->tet_lame[t] = cook->input_lame[t] * exp2(log2_factor);
        sum += cook->volumes[t] * cook->tet_stiffness[t];
        volume += cook->volumes[t];
    }
    const double mean = sum / volume;
    for (int t = 0; t < cook->mesh.tet_count && cook->desc->young == 0; ++t) {
        cook->tet_stiffness[t] /= mean;
        cook->tet_lame[t] /= mean;
    }
    for (int p = 0; p < parts->count && cook->desc->young == 0; ++p) {
        cook->part_factors[p] /= mean;
    }
    cook->report.young *= cook->desc->young == 0 ? mean : 1;
}

/* Estimates the squared angular frequency of each part for young = density = 1; 0: the part has no free flesh. */
static sn_result estimate(sn_cook_context *cook, double *squares)
{
    const sn_flesh_parts *parts = cook->parts;
    sn_arena scratch = {0};
    sn_mode_problem p = {0};
    sn_sparse laplacian = {0};
    const sn_mode_elements e = {&cook->mesh, cook->gradients, cook->volumes, cook->tet_stiffness, &laplacian};
    const sn_constraint anchors = {.rows = SN_NEW(&scratch, double, 0), .is_pinned = cook->is_pinned};
    sn_result result = anchors.rows ? sn_laplacian_build(&cook->mesh, cook->gradients, cook->volumes,
                                                         cook->tet_stiffness, NULL, &scratch, &laplacian)
                                    : SN_ERROR_MEMORY;
    result = result == SN_OK ? sn_mode_problem_build(&e, cook->mass, &anchors, &scratch, &p) : result;
    double *x = SN_NEW(&scratch, double, p.unknowns.count), *sums = SN_NEW(&scratch, double, 2 * (size_t)parts->count);
    result = result == SN_OK && (!x || !sums) ? SN_ERROR_MEMORY : result;
    for (size_t i = 0; i < p.unknowns.count && result == SN_OK; ++i) {
        x[i] = sqrt(p.unknowns.mass[i]);
    }
    result = result == SN_OK ? sn_modes_solve_loads(&p, cook->mesh.positions, 1, &scratch, x) : result;
    for (size_t i = 0; i < p.unknowns.count && result == SN_OK; ++i) {
        double *sum = sums + 2 * parts->of_vertex[p.unknowns.vertices[i]];
        sum[0] += sqrt(p.unknowns.mass[i]) * x[i];
        sum[1] += x[i] * x[i];
    }
    for (int i = 0; i < parts->count && result == SN_OK; ++i) {
        squares[i] = sums[2 * i + 1] > 0 ? fmax(0, (sums[2 * i] / sums[2 * i + 1] - 1) / p.unit) : 0;
    }
    sn_arena_finish(&scratch);
    return result;
}

static double frequency_of(const sn_cook_context *cook, double square)
{
    return sqrt(square * cook->report.young / cook->desc->density) / (2 * PI);
}

sn_result sn_anchored_match_frequencies(sn_cook_context *cook, const double *targets, int rounds)
{
    const sn_flesh_parts *parts = cook->parts;
    double *squares = SN_NEW(&cook->arena, double, parts->count);
    sn_result result = squares ? SN_OK : SN_ERROR_MEMORY;
    for (int round = 0; round < rounds && result == SN_OK; ++round) {
        result = estimate(cook, squares);
        for (int p = 0; p < parts->count && result == SN_OK; ++p) {
            const double f = frequency_of(cook, squares[p]);
            cook->part_factors[p] *= f > 0 ? (targets[p] / f) * (targets[p] / f) : 1;
        }
        apply_factors(cook);
    }
    result = result == SN_OK ? estimate(cook, squares) : result;
    for (int p = 0; p < parts->count && result == SN_OK; ++p) {
        parts->list[p].frequency = frequency_of(cook, squares[p]);
    }
    return result;
}

sn_result sn_anchored_set_response(sn_cook_context *cook)
{
    const sn_flesh_parts *parts = cook->parts;
    const size_t n = (size_t)cook->mesh.vertex_count, t = (size_t)cook->mesh.tet_count;
    double *limits = SN_NEW(&cook->arena, double, t), *decay = SN_NEW(&cook->arena, double, n);
    for (size_t i = 0; limits && i < t; ++i) {
        limits[i] = STRAIN_LIMIT;
    }
    for (size_t v = 0; decay && v < n; ++v) {
        const double seconds = parts->list[parts->of_vertex[v]].settling_time;
        decay[v] = seconds > 0 ? CONVERGENCE_LOG / seconds : 0;
    }
    cook->strain_limit_stiffness = STRAIN_LIMIT_STIFFNESS;
    cook->tet_strain_limits = limits;
    cook->vertex_decay = decay;
    return limits && decay ? SN_OK : SN_ERROR_MEMORY;
}

/* Around a thin core, homogeneous flesh strains next to the core only. A shear stiffness in inverse proportion to the
 * distance from the bone spreads the strain evenly: the force through the cylinder around a bone is the same at all
 * radii. Bodies are alike, with tense muscle on the bone and fat below the skin. */
static void stiffen_depth(sn_cook_context *cook)
{
    const sn_flesh_parts *parts = cook->parts;
    for (size_t t = 0; t < (size_t)cook->mesh.tet_count; ++t) {
        double depth = 0;
        for (size_t k = 0; k < 4; ++k) {
            const int32_t v = cook->mesh.tets[4 * t + k];
            depth += fmax(parts->depth[v], fmin(parts->list[parts->of_vertex[v]].core_depth, 1)) / 4;
        }
        cook->input_stiffness[t] /= fmax(depth, MIN_DEPTH);
        cook->input_lame[t] /= fmax(depth, MIN_DEPTH);
    }
}

/* Largest displacement of a part's skin in any motion, fraction of the height. */
static double max_displacement(const sn_flesh_part *part)
{
    const bool is_loose =
        sn_flesh_is_appendage(part->kind) || part->kind == SN_FLESH_HAIR || part->kind == SN_FLESH_CLOTH;
    return is_loose ? MAX_LOOSE_AMPLITUDE : MAX_AMPLITUDE;
}

sn_result sn_anchored_set_stiffness(sn_cook_context *cook)
{
    const sn_flesh_parts *parts = cook->parts;
    const size_t t = (size_t)cook->mesh.tet_count;
    double *targets = SN_NEW(&cook->arena, double, parts->count);
    cook->part_factors = SN_NEW(&cook->arena, double, parts->count);
    cook->input_stiffness = SN_NEW(&cook->arena, double, t);
    cook->input_lame = SN_NEW(&cook->arena, double, t);
    if (!targets || !cook->part_factors || !cook->input_stiffness || !cook->input_lame) {
        return SN_ERROR_MEMORY;
    }
    memcpy(cook->input_stiffness, cook->tet_stiffness, t * sizeof *cook->input_stiffness);
    memcpy(cook->input_lame, cook->tet_lame, t * sizeof *cook->input_lame);
    stiffen_depth(cook);
    for (int p = 0; p < parts->count; ++p) {
        cook->part_factors[p] = 1;
        parts->list[p].max_amplitude = max_displacement(&parts->list[p]);
        targets[p] = sqrt(parts->list[p].min_frequency * parts->list[p].max_frequency);
    }
    if (cook->desc->young > 0) {
        return SN_OK;
    }
    SN_TRY(sn_anchored_match_frequencies(cook, targets, ROUNDS));
    return sn_anchored_set_response(cook);
}

static double amplitude_of(const sn_cook_context *cook, const sn_trial_part *measured)
{
    return measured->moved * cook->diagonal / cook->height;
}

/* The next frequency of a part, from its measured amplitude. */
static double correct_frequency(const sn_cook_context *cook, const sn_flesh_part *part, const sn_trial_part *measured,
                                bool *is_changed)
{
    const double per_height = cook->diagonal / cook->height;
    const double log_error = log(fmax(
        measured->moved * per_height / (AMPLITUDE_GAIN * part->target_amplitude),
        fmax(measured->displacement * per_height / part->max_amplitude, (measured->stretch - 1) / (MAX_STRETCH - 1))));
    const double requested = part->frequency * exp(fmin(fmax(0.5 * GAIN * log_error, -1), 1));
    const double frequency = fmin(fmax(requested, MIN_FREQUENCY_FACTOR * part->min_frequency), part->max_frequency);
    *is_changed = *is_changed || (fabs(log_error) > AMPLITUDE_ERROR && fabs(log(frequency / part->frequency)) > 0.02);
    return frequency;
}

static bool contains(const char *name, const char *word)
{
    const size_t length = strlen(word);
    for (; *name && strncasecmp(name, word, length) != 0; ++name) {
    }
    return *name != 0;
}

/* The clip in which amplitudes are measured: the first walk, else the first run, else -1: all clips. */
static int find_walk(const sn_cook_context *cook)
{
    static const char *const words[] = {"walk", "run"};
    for (size_t w = 0; w < sizeof words / sizeof words[0]; ++w) {
        for (int clip = 0; clip < cook->clip_count; ++clip) {
            if (cook->clips[clip].name && contains(cook->clips[clip].name, words[w])) {
                return clip;
            }
        }
    }
    return -1;
}

sn_result sn_anchored_correct_parts(sn_cook_context *cook, const bool *is_corrected, int max_trials)
{
    const sn_flesh_parts *parts = cook->parts;
    double *targets = SN_NEW(&cook->arena, double, parts->count);
    const sn_trial_parts measured = {.count = parts->count,
                                     .of_vertex = parts->of_vertex,
                                     .clip = find_walk(cook),
                                     .has_root_motions = true,
                                     .tip_fraction = TIP_FRACTION,
                                     .counted_motions = COUNTED_MOTIONS,
                                     .measured = SN_NEW(&cook->arena, sn_trial_part, parts->count)};
    bool is_changed = true;
    if (!targets || !measured.measured) {
        return SN_ERROR_MEMORY;
    }
    for (int p = 0; p < parts->count; ++p) {
        targets[p] = parts->list[p].frequency > 0 ? parts->list[p].frequency : 1;
    }
    for (int run = 0; run < max_trials && is_changed; ++run) {
        sn_trial_report report;
        is_changed = false;
        SN_TRY(sn_cook_context_run_trial(cook, &measured, &report));
        for (int p = 0; p < parts->count; ++p) {
            sn_flesh_part *part = &parts->list[p];
            part->amplitude = amplitude_of(cook, &measured.measured[p]);
            if (part->frequency > 0 && (!is_corrected || is_corrected[p])) {
                targets[p] = correct_frequency(cook, part, &measured.measured[p], &is_changed);
            }
        }
        if (is_changed) {
            SN_TRY(sn_anchored_match_frequencies(cook, targets, 1));
            SN_TRY(sn_cook_context_build_reduced(cook));
        }
    }
    return SN_OK;
}

void sn_anchored_set_target_amplitude(sn_flesh_part *part, double amplitude)
{
    part->target_amplitude = amplitude / AMPLITUDE_GAIN;
    part->min_frequency = SN_MIN_PART_FREQUENCY;
    part->max_frequency = SN_MAX_PART_FREQUENCY;
}

sn_result sn_anchored_tune(sn_cook_context *cook)
{
    int max_trials = MAX_TRIALS;
    for (int p = 0; p < cook->parts->count; ++p) {
        sn_flesh_part *part = &cook->parts->list[p];
        part->target_amplitude = part->amplitude;
        if (part->has_user_amplitude) {
            sn_anchored_set_target_amplitude(part, part->amplitude);
            max_trials = MAX_USER_TRIALS;
        }
    }
    cook->is_tuned = true;
    return cook->desc->young == 0 ? sn_anchored_correct_parts(cook, NULL, max_trials) : SN_OK;
}
