/* SPDX-License-Identifier: MIT */
/* Converts cooked models for the coupling: tets with Lame parameters, handles with weights. */
#include <math.h>
#include <string.h>

#include "host/base/hash.h"
#include "host/coupled/table.h"
#include "host/model/model.h"

#define MIN_STIFFNESS 1e-4 /* of the mean: minimum for tets with a small fill fraction */

/* ---- flesh ---- */

static uint64_t hash_flesh(const sn_model *m, double poisson)
{
    const size_t n = (size_t)m->counts.vertex_count, t = (size_t)m->counts.tet_count;
    const struct {
        const void *bytes;
        size_t size;
    } parts[] = {{m->rest_positions, 3 * n * sizeof(float)},
                 {m->tets, 4 * t * sizeof(int32_t)},
                 {m->vertex_mass, n * sizeof(float)},
                 {m->tet_stiffness, t * sizeof(float)},
                 {m->tet_lame, t * sizeof(float)}};
    uint64_t hash = sn_hash(SN_HASH_SEED, &poisson, sizeof poisson);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        const uint64_t part[2] = {sn_hash(SN_HASH_SEED, parts[i].bytes, parts[i].size), parts[i].size};
        hash = sn_hash(hash, part, sizeof part);
    }
    return hash;
}

/* The cooked Poisson's ratio, from ARAP's mu = E / (1 + nu) and lambda = mu nu / (1 - 2 nu). */
static double cooked_poisson(const sn_model *m, size_t t)
{
    const double mu = (double)m->tet_stiffness[t], lambda = (double)m->tet_lame[t];
    return mu + 2 * lambda > 0 ? lambda / (mu + 2 * lambda) : 0;
}

/* Lame's mu is half of ARAP's. In the plane lambda is that of plane stress, so that a sheet contracts by nu, too. */
static void find_lame(const sn_model *m, size_t t, double poisson, double min_young, double *lambda, double *mu)
{
    const double cooked = cooked_poisson(m, t), nu = poisson > -1 ? poisson : cooked;
    const double young = fmax((double)m->tet_stiffness[t] * (1 + cooked), min_young);
    *mu = young / (2 * (1 + nu));
    *lambda = young * nu / ((1 + nu) * (sn_model_is_flat(m) ? 1 - nu : 1 - 2 * nu));
}

/* Fills a description with arrays from the arena. */
static sn_result describe(const sn_model *m, double poisson, sn_arena *arena, sn_xpbd_desc *desc)
{
    const size_t n = (size_t)m->counts.vertex_count, t = (size_t)m->counts.tet_count;
    const size_t corners = sn_model_is_flat(m) ? 3 : 4;
    double *positions = SN_NEW(arena, double, 3 * n), *masses = SN_NEW(arena, double, n);
    double *lambda = SN_NEW(arena, double, t), *mu = SN_NEW(arena, double, t), mean = 0;
    int32_t *elements = SN_NEW(arena, int32_t, corners * t);
    const double *zeros = SN_NEW(arena, double, t);
    if (!positions || !masses || !lambda || !mu || !elements || !zeros) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        positions[i] = (double)m->rest_positions[i];
    }
    for (size_t v = 0; v < n; ++v) {
        masses[v] = (double)m->vertex_mass[v];
    }
    for (size_t i = 0; i < t; ++i) {
        mean += (double)m->tet_stiffness[i] / (double)t;
    }
    for (size_t i = 0; i < t; ++i) {
        find_lame(m, i, poisson, MIN_STIFFNESS * mean, &lambda[i], &mu[i]);
        memcpy(elements + corners * i, m->tets + 4 * i, corners * sizeof *elements);
    }
    *desc = (sn_xpbd_desc){.vertex_count = (int)n,
                           .positions = positions,
                           .element_count = (int)t,
                           .element_corners = (int)corners,
                           .elements = elements,
                           .lambda = lambda,
                           .mu = mu,
                           .density = zeros, /* the mass is in `masses` */
                           .masses = masses};
    return SN_OK;
}

static sn_result create_flesh(const sn_model *m, sn_coupled_shared_flesh *flesh)
{
    sn_arena arena = {0};
    sn_xpbd_desc desc;
    sn_result result = describe(m, flesh->poisson, &arena, &desc);
    if (result == SN_OK) {
        result = sn_xpbd_model_create(&desc, &flesh->model);
    }
    for (int v = 0; v < m->counts.vertex_count && result == SN_OK; ++v) {
        flesh->mass += desc.masses[v];
    }
    flesh->diagonal = m->diagonal;
    flesh->stiffness = sn_xpbd_reference_stiffness(m);
    sn_arena_finish(&arena);
    return result;
}

static sn_result acquire_flesh(sn_coupled_shared_data *work, const sn_model *model, double poisson,
                               sn_coupled_shared_flesh **flesh)
{
    const uint64_t key = hash_flesh(model, poisson);
    for (sn_coupled_shared_flesh *f = work->fleshes; f; f = f->next) {
        if (f->key == key) {
            ++f->user_count;
            *flesh = f;
            return SN_OK;
        }
    }
    sn_coupled_shared_flesh *created = sn_alloc(1, sizeof *created);
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    *created = (sn_coupled_shared_flesh){.key = key, .poisson = poisson, .user_count = 1, .next = work->fleshes};
    const sn_result result = create_flesh(model, created);
    if (result != SN_OK) {
        sn_free(created, 1, sizeof *created);
        return result;
    }
    *flesh = work->fleshes = created;
    return SN_OK;
}

static void release_flesh(sn_coupled_shared_data *work, sn_coupled_shared_flesh *flesh)
{
    sn_coupled_shared_flesh **at = &work->fleshes;
    if (--flesh->user_count > 0) {
        return;
    }
    while (*at != flesh) {
        at = &(*at)->next;
    }
    *at = flesh->next;
    sn_xpbd_model_destroy(&flesh->model);
    sn_free(flesh, 1, sizeof *flesh);
}

/* ---- bones ---- */

static sn_result create_rig(const sn_model *m, sn_coupled_shared_rig *bones)
{
    static const sn_handle_type types[SN_BONE_TYPE_COUNT] = {[SN_BONE_AFFINE] = SN_HANDLE_RIGID,
                                                             [SN_BONE_TRANSLATION] = SN_HANDLE_TRANSLATION,
                                                             [SN_BONE_STRETCHABLE] = SN_HANDLE_AFFINE};
    const size_t b = (size_t)m->counts.bone_count, n = (size_t)m->counts.vertex_count;
    sn_arena arena = {0};
    sn_coupled_handle *handles = SN_NEW(&arena, sn_coupled_handle, b);
    double *weights = handles ? SN_NEW(&arena, double, n *b) : NULL;
    sn_result result = weights ? SN_OK : SN_ERROR_MEMORY;
    for (size_t i = 0; i < b && result == SN_OK; ++i) {
        handles[i].name = sn_model_bone_name(m, (int)i);
        handles[i].type = types[m->bone_types[i]];
        handles[i].parent = m->bone_types[i] == SN_BONE_TRANSLATION ? -1 : m->bone_parents[i];
        sn_model_bone_pivot(m, (int)i, handles[i].pivot);
    }
    for (size_t i = 0; i < n * b && result == SN_OK; ++i) {
        weights[i] = (double)m->rig_weights[i];
    }
    const sn_coupled_rig_desc desc = {bones->flesh->model, (int)b, handles, weights};
    if (result == SN_OK) {
        result = sn_coupled_rig_create(&desc, &bones->rig);
    }
    sn_arena_finish(&arena);
    return result;
}

sn_result sn_coupled_shared_rig_acquire(sn_coupled_shared_data *work, const sn_model *model, double poisson,
                                        sn_coupled_shared_rig **bones)
{
    const double requested = poisson > -1 ? poisson : -1;
    for (sn_coupled_shared_rig *b = work->bones; b; b = b->next) {
        if (b->model == model && b->flesh->poisson == requested) {
            ++b->user_count;
            *bones = b;
            return SN_OK;
        }
    }
    sn_coupled_shared_rig *created = sn_alloc(1, sizeof *created);
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    *created = (sn_coupled_shared_rig){.model = model, .user_count = 1, .next = work->bones};
    sn_result result = acquire_flesh(work, model, requested, &created->flesh);
    if (result == SN_OK) {
        result = create_rig(model, created);
        if (result != SN_OK) {
            release_flesh(work, created->flesh);
        }
    }
    if (result != SN_OK) {
        sn_free(created, 1, sizeof *created);
        return result;
    }
    *bones = work->bones = created;
    return SN_OK;
}

void sn_coupled_shared_rig_release(sn_coupled_shared_data *work, sn_coupled_shared_rig *bones)
{
    sn_coupled_shared_rig **at = &work->bones;
    if (--bones->user_count > 0) {
        return;
    }
    while (*at != bones) {
        at = &(*at)->next;
    }
    *at = bones->next;
    sn_coupled_rig_destroy(&bones->rig);
    release_flesh(work, bones->flesh);
    sn_free(bones, 1, sizeof *bones);
}
