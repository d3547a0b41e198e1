/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/soft_chain_factors.h"

#include <math.h>
#include <string.h>

#include "author/cook/materials/stiffness_search.h"
#include "author/cook/springs/soft_chains.h"
#include "author/cook/stages/stages.h"

#define MIN_FACTOR 1e-2
#define MAX_FACTOR 1e6
#define FIRST_FACTOR 100.0
#define MAX_RUNS 10
#define TOLERANCE 0.05 /* relative to the bound */
#define FINAL_STEP 1.5 /* factor of the last rounds, in which other chains have changed */
#define FINAL_RUN_COUNT 4
/* Fractions of the diagonal: of a tip in any motion (as in preset.c), and of all but tips in most motions (twice
 * preset.c's). */
#define MAX_DISPLACEMENT 0.10
#define MAX_MOVED 0.06
#define MAX_STRETCH 2.0      /* edge length ratio, as in preset.c */
#define MIN_MISS (-4.0)      /* log error of flesh that does not move */
#define MIN_CHAIN_WEIGHT 0.1 /* weight from which a vertex belongs to its strongest chain */

/* ---- trial parts ---- */

/* The strongest chain of each vertex, or -1. */
static int32_t *assign_vertices(sn_cook_context *cook)
{
    const size_t count = (size_t)cook->chains.count;
    int32_t *of_vertex = SN_NEW(&cook->arena, int32_t, cook->mesh.vertex_count);
    for (size_t v = 0; of_vertex && v < (size_t)cook->mesh.vertex_count; ++v) {
        double max_weight = MIN_CHAIN_WEIGHT;
        of_vertex[v] = -1;
        for (size_t c = 0; c < count; ++c) {
            const double weight = cook->chains.chain_weights[v * count + c];
            of_vertex[v] = weight > max_weight ? (int32_t)c : of_vertex[v];
            max_weight = fmax(max_weight, weight);
        }
    }
    return of_vertex;
}

static sn_result prepare(sn_cook_context *cook, sn_trial_parts *parts)
{
    bool *is_rotated = SN_NEW(&cook->arena, bool, cook->bone_count);
    for (int c = 0; c < cook->chains.count && is_rotated; ++c) {
        if (cook->chains.list[c].parent_bone >= 0) {
            is_rotated[cook->chains.list[c].parent_bone] = true;
        }
    }
    *parts = (sn_trial_parts){.count = cook->chains.count,
                              .of_vertex = assign_vertices(cook),
                              .is_rotated = is_rotated,
                              .clip = -1,
                              .measured = SN_NEW(&cook->arena, sn_trial_part, cook->chains.count)};
    return parts->of_vertex && is_rotated && parts->measured ? SN_OK : SN_ERROR_MEMORY;
}

static double log_error_of(const sn_trial_part *measured, const sn_trial_part *limits)
{
    const double ratio = fmax(measured->displacement / limits->displacement, measured->moved / limits->moved);
    return fmax(log(fmax(ratio, (measured->stretch - 1) / (limits->stretch - 1))), MIN_MISS);
}

sn_result sn_soft_chains_measure_fixed(sn_cook_context *cook)
{
    sn_trial_parts parts;
    sn_trial_report report;
    SN_TRY(prepare(cook, &parts));
    SN_TRY(sn_cook_context_build_reduced(cook));
    SN_TRY(sn_cook_context_run_trial(cook, &parts, &report));
    for (int c = 0; c < cook->chains.count; ++c) {
        const sn_trial_part *fixed = &parts.measured[c];
        cook->chains.list[c].limits = (sn_trial_part){.displacement = fmax(MAX_DISPLACEMENT, fixed->displacement),
                                                      .moved = fmax(MAX_MOVED, fixed->moved),
                                                      .stretch = fmax(MAX_STRETCH, fixed->stretch)};
    }
    return SN_OK;
}

/* ---- the search ---- */

typedef struct chain_search {
    sn_stiffness_search search; /* over the logarithm of the factor */
    double log_error, best;     /* log error of the last run; the softest factor in bounds, INFINITY: none yet */
    bool is_done;
} chain_search;

typedef struct factor_search {
    sn_cook_context *cook;
    sn_trial_parts parts;
    double *stiffness, *lame; /* (tet_count) at a factor of 1 */
    chain_search *searches;   /* (chain count) */
} factor_search;

static sn_result init(factor_search *b)
{
    sn_cook_context *cook = b->cook;
    const size_t tets = (size_t)cook->mesh.tet_count;
    b->stiffness = SN_NEW(&cook->arena, double, tets);
    b->lame = SN_NEW(&cook->arena, double, tets);
    b->searches = SN_NEW(&cook->arena, chain_search, cook->chains.count);
    if (!b->stiffness || !b->lame || !b->searches) {
        return SN_ERROR_MEMORY;
    }
    memcpy(b->stiffness, cook->tet_stiffness, tets * sizeof *b->stiffness);
    memcpy(b->lame, cook->tet_lame, tets * sizeof *b->lame);
    for (int c = 0; c < cook->chains.count; ++c) {
        b->searches[c].best = cook->chains.list[c].has_user_stiffness ? 0 : INFINITY;
        b->searches[c].is_done = cook->chains.list[c].has_user_stiffness;
        b->searches[c].search.last.stiffness = cook->chains.list[c].has_user_stiffness ? 0 : log(FIRST_FACTOR);
    }
    return prepare(cook, &b->parts);
}

/* Runs a trial with the current factors and stores each chain's error. */
static sn_result run_all(factor_search *b)
{
    sn_cook_context *cook = b->cook;
    sn_trial_report report;
    sn_soft_chains_apply_factors(cook, b->stiffness, b->lame);
    SN_TRY(sn_cook_context_build_reduced(cook));
    SN_TRY(sn_cook_context_run_trial(cook, &b->parts, &report));
    for (int c = 0; c < cook->chains.count; ++c) {
        b->searches[c].log_error = log_error_of(&b->parts.measured[c], &cook->chains.list[c].limits);
    }
    return SN_OK;
}

static void set_factors(const factor_search *b, bool is_last)
{
    sn_soft_chains *chains = &b->cook->chains;
    for (int c = 0; c < chains->count; ++c) {
        const chain_search *s = &b->searches[c];
        const double factor = is_last ? s->best : s->search.last.stiffness;
        chains->list[c].factor = isfinite(factor) ? exp(factor) : MAX_FACTOR;
    }
}

/* Chooses the next factor of a chain that is still searched. */
static void choose_next(chain_search *s)
{
    const double factor = s->search.last.stiffness, next = sn_stiffness_search_next(&s->search, s->log_error);
    const double clamped = fmin(fmax(next, log(MIN_FACTOR)), log(MAX_FACTOR));
    if (s->log_error <= TOLERANCE) {
        s->best = fmin(s->best, factor);
    }
    s->is_done = fabs(s->log_error) < TOLERANCE || clamped == factor;
    if (!s->is_done) {
        sn_stiffness_search_continue(&s->search, clamped);
    }
}

static sn_result search(factor_search *b)
{
    const int count = b->cook->chains.count;
    bool is_any_active = true;
    sn_result result = SN_OK;
    for (int i = 0; i < MAX_RUNS && is_any_active && result == SN_OK; ++i) {
        set_factors(b, false);
        result = run_all(b);
        is_any_active = false;
        for (int c = 0; c < count && result == SN_OK; ++c) {
            if (!b->searches[c].is_done) {
                choose_next(&b->searches[c]);
                is_any_active = is_any_active || !b->searches[c].is_done;
            }
        }
    }
    return result;
}

/* Runs all chains together with their final factors, and stiffens those that are out of bounds. */
static sn_result finalise(factor_search *b)
{
    sn_soft_chains *chains = &b->cook->chains;
    bool is_any_unstable = true;
    sn_result result = SN_OK;
    for (int i = 0; i < FINAL_RUN_COUNT && is_any_unstable && result == SN_OK; ++i) {
        set_factors(b, true);
        result = run_all(b);
        is_any_unstable = false;
        for (int c = 0; c < chains->count && result == SN_OK; ++c) {
            chain_search *s = &b->searches[c];
            const bool is_unstable = s->log_error > 2 * TOLERANCE && !chains->list[c].has_user_stiffness;
            chains->list[c].is_unstable = is_unstable;
            is_any_unstable = is_any_unstable || is_unstable;
            s->best += is_unstable ? log(FINAL_STEP) : 0;
        }
    }
    return result;
}

sn_result sn_soft_chains_choose_factors(sn_cook_context *cook)
{
    factor_search b = {.cook = cook};
    sn_result result = init(&b);
    result = result == SN_OK ? search(&b) : result;
    result = result == SN_OK ? finalise(&b) : result;
    bool is_any_unstable = false;
    for (int c = 0; c < cook->chains.count && result == SN_OK; ++c) {
        cook->chains.list[c].is_unstable |= cook->chains.list[c].factor > MAX_FACTOR;
        is_any_unstable = is_any_unstable || cook->chains.list[c].is_unstable;
    }
    if (is_any_unstable) { /* the modes are rebuilt without the unstable chains */
        memcpy(cook->tet_stiffness, b.stiffness, (size_t)cook->mesh.tet_count * sizeof *b.stiffness);
        memcpy(cook->tet_lame, b.lame, (size_t)cook->mesh.tet_count * sizeof *b.lame);
    }
    return result;
}
