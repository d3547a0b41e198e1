/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/chain_factors.h"

#include <math.h>
#include <string.h>

#include "author/cook/materials/stiffness_search.h"
#include "author/cook/springs/chains.h"
#include "author/cook/stages/stages.h"

#define LEAST_FACTOR 1e-2
#define MOST_FACTOR 1e6
#define FIRST_FACTOR 100.0
#define RUN_COUNT 10
#define NEAR_ENOUGH 0.05 /* relative to the bound */
#define LATE_STEP 1.5    /* factor of the last rounds, in which other chains have changed */
#define LATE_RUNS 4
/* Fractions of the diagonal: of a tip in any motion (as in preset.c), and of all but tips in most motions (twice
 * preset.c's). */
#define MOST_DISPLACEMENT 0.10
#define MOST_MOVED 0.06
#define MOST_STRETCH 2.0  /* edge length ratio, as in preset.c */
#define LEAST_MISS (-4.0) /* log error of flesh that does not move */
#define OWN_SHARE 0.1     /* weight from which a vertex belongs to its strongest chain */

/* ---- trial parts ---- */

/* The strongest chain of each vertex, or -1. */
static int32_t *find_parts(sn_cooking *k)
{
    const size_t count = (size_t)k->chains.count;
    int32_t *of_vertex = SN_NEW(&k->arena, int32_t, k->mesh.vertex_count);
    for (size_t v = 0; of_vertex && v < (size_t)k->mesh.vertex_count; ++v) {
        double largest = OWN_SHARE;
        of_vertex[v] = -1;
        for (size_t c = 0; c < count; ++c) {
            const double share = k->chains.shares[v * count + c];
            of_vertex[v] = share > largest ? (int32_t)c : of_vertex[v];
            largest = fmax(largest, share);
        }
    }
    return of_vertex;
}

static sn_result prepare(sn_cooking *k, sn_trial_parts *parts)
{
    bool *is_turned = SN_NEW(&k->arena, bool, k->bone_count);
    for (int c = 0; c < k->chains.count && is_turned; ++c) {
        if (k->chains.list[c].holder >= 0) {
            is_turned[k->chains.list[c].holder] = true;
        }
    }
    *parts = (sn_trial_parts){.count = k->chains.count,
                              .of_vertex = find_parts(k),
                              .is_turned = is_turned,
                              .found = SN_NEW(&k->arena, sn_trial_part, k->chains.count)};
    return parts->of_vertex && is_turned && parts->found ? SN_OK : SN_ERROR_MEMORY;
}

static double miss_of(const sn_trial_part *found, const sn_trial_part *most)
{
    const double seen = fmax(found->displacement / most->displacement, found->moved / most->moved);
    return fmax(log(fmax(seen, (found->stretch - 1) / (most->stretch - 1))), LEAST_MISS);
}

sn_result sn_chains_see_held(sn_cooking *k)
{
    sn_trial_parts parts;
    sn_trial_report report;
    sn_result result = prepare(k, &parts);
    result = result == SN_OK ? sn_cooking_reduce(k) : result;
    result = result == SN_OK ? sn_cooking_try(k, &parts, &report) : result;
    for (int c = 0; c < k->chains.count && result == SN_OK; ++c) {
        const sn_trial_part *held = &parts.found[c];
        k->chains.list[c].most = (sn_trial_part){.displacement = fmax(MOST_DISPLACEMENT, held->displacement),
                                                 .moved = fmax(MOST_MOVED, held->moved),
                                                 .stretch = fmax(MOST_STRETCH, held->stretch)};
    }
    return result;
}

/* ---- the search ---- */

typedef struct chain_search {
    sn_stiffness_search search; /* over the logarithm of the factor */
    double miss, best;          /* log error of the last run; the softest factor in bounds, INFINITY: none yet */
    bool is_done;
} chain_search;

typedef struct balance {
    sn_cooking *k;
    sn_trial_parts parts;
    double *stiffness, *lame; /* (tet_count) at a factor of 1 */
    chain_search *searches;   /* (chain count) */
} balance;

static sn_result begin(balance *b)
{
    sn_cooking *k = b->k;
    const size_t tets = (size_t)k->mesh.tet_count;
    b->stiffness = SN_NEW(&k->arena, double, tets);
    b->lame = SN_NEW(&k->arena, double, tets);
    b->searches = SN_NEW(&k->arena, chain_search, k->chains.count);
    if (!b->stiffness || !b->lame || !b->searches) {
        return SN_ERROR_MEMORY;
    }
    memcpy(b->stiffness, k->tet_stiffness, tets * sizeof *b->stiffness);
    memcpy(b->lame, k->tet_lame, tets * sizeof *b->lame);
    for (int c = 0; c < k->chains.count; ++c) {
        b->searches[c].best = k->chains.list[c].is_given ? 0 : INFINITY;
        b->searches[c].is_done = k->chains.list[c].is_given;
        b->searches[c].search.last.stiffness = k->chains.list[c].is_given ? 0 : log(FIRST_FACTOR);
    }
    return prepare(k, &b->parts);
}

/* Runs a trial with the current factors and stores each chain's error. */
static sn_result run(balance *b)
{
    sn_cooking *k = b->k;
    sn_trial_report report;
    sn_chains_stiffen(k, b->stiffness, b->lame);
    sn_result result = sn_cooking_reduce(k);
    result = result == SN_OK ? sn_cooking_try(k, &b->parts, &report) : result;
    for (int c = 0; c < k->chains.count && result == SN_OK; ++c) {
        b->searches[c].miss = miss_of(&b->parts.found[c], &k->chains.list[c].most);
    }
    return result;
}

static void set_factors(const balance *b, bool is_last)
{
    sn_chains *chains = &b->k->chains;
    for (int c = 0; c < chains->count; ++c) {
        const chain_search *s = &b->searches[c];
        const double factor = is_last ? s->best : s->search.last.stiffness;
        chains->list[c].factor = isfinite(factor) ? exp(factor) : MOST_FACTOR;
    }
}

/* Chooses the next factor of a chain that is still searched. */
static void go_on(chain_search *s)
{
    const double factor = s->search.last.stiffness, next = sn_stiffness_search_next(&s->search, s->miss);
    const double within = fmin(fmax(next, log(LEAST_FACTOR)), log(MOST_FACTOR));
    if (s->miss <= NEAR_ENOUGH) {
        s->best = fmin(s->best, factor);
    }
    s->is_done = fabs(s->miss) < NEAR_ENOUGH || within == factor;
    if (!s->is_done) {
        sn_stiffness_search_go(&s->search, within);
    }
}

static sn_result search(balance *b)
{
    const int count = b->k->chains.count;
    bool is_any_left = true;
    sn_result result = SN_OK;
    for (int i = 0; i < RUN_COUNT && is_any_left && result == SN_OK; ++i) {
        set_factors(b, false);
        result = run(b);
        is_any_left = false;
        for (int c = 0; c < count && result == SN_OK; ++c) {
            if (!b->searches[c].is_done) {
                go_on(&b->searches[c]);
                is_any_left = is_any_left || !b->searches[c].is_done;
            }
        }
    }
    return result;
}

/* Runs all chains together with their final factors, and stiffens those that are out of bounds. */
static sn_result settle(balance *b)
{
    sn_chains *chains = &b->k->chains;
    bool is_any_wild = true;
    sn_result result = SN_OK;
    for (int i = 0; i < LATE_RUNS && is_any_wild && result == SN_OK; ++i) {
        set_factors(b, true);
        result = run(b);
        is_any_wild = false;
        for (int c = 0; c < chains->count && result == SN_OK; ++c) {
            chain_search *s = &b->searches[c];
            const bool is_wild = s->miss > 2 * NEAR_ENOUGH && !chains->list[c].is_given;
            chains->list[c].is_wild = is_wild;
            is_any_wild = is_any_wild || is_wild;
            s->best += is_wild ? log(LATE_STEP) : 0;
        }
    }
    return result;
}

sn_result sn_chains_choose_factors(sn_cooking *k)
{
    balance b = {.k = k};
    sn_result result = begin(&b);
    result = result == SN_OK ? search(&b) : result;
    result = result == SN_OK ? settle(&b) : result;
    bool is_any_wild = false;
    for (int c = 0; c < k->chains.count && result == SN_OK; ++c) {
        k->chains.list[c].is_wild |= k->chains.list[c].factor > MOST_FACTOR;
        is_any_wild = is_any_wild || k->chains.list[c].is_wild;
    }
    if (is_any_wild) { /* the modes are rebuilt without the unstable chains */
        memcpy(k->tet_stiffness, b.stiffness, (size_t)k->mesh.tet_count * sizeof *b.stiffness);
        memcpy(k->tet_lame, b.lame, (size_t)k->mesh.tet_count * sizeof *b.lame);
    }
    return result;
}
