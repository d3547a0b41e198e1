/* SPDX-License-Identifier: MIT */
#include "host/reduced/scratch.h"

#include <string.h>

#include "host/platform/platform.h"
#include "host/reduced/solver.h"

/* Maximal sizes over all solvers. */
typedef struct extent {
    int coordinate_count; /* padded */
    int column_count, pair_count, group_count, sample_block_count, anderson_count;
} extent;

/* The pointers in `arrays` are copied to the body that acquires the scratch. */
struct sn_reduced_scratch {
    sn_reduced_body arrays;
    sn_arena arena;
    const sn_reduced_solver *last_user; /* the last solver that used it */
    bool is_in_use;
    const void *thread; /* the last user, whose core probably still has it in its cache */
};

struct sn_reduced_scratch_pool {
    sn_mutex mutex;
    sn_condition is_returned;
    int count;
    sn_reduced_scratch *scratches; /* (count) */
    extent extent;
};

sn_result sn_reduced_scratch_pool_create(int count, sn_reduced_scratch_pool **work)
{
    SN_ASSERT(count >= 1);
    sn_reduced_scratch_pool *created = sn_alloc(1, sizeof *created);
    *work = NULL;
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    created->scratches = sn_alloc((size_t)count, sizeof *created->scratches);
    if (!created->scratches) {
        sn_free(created, 1, sizeof *created);
        return SN_ERROR_MEMORY;
    }
    created->count = count;
    sn_mutex_init(&created->mutex);
    sn_condition_init(&created->is_returned);
    *work = created;
    return SN_OK;
}

void sn_reduced_scratch_pool_destroy(sn_reduced_scratch_pool **work)
{
    sn_reduced_scratch_pool *w = *work;
    if (w) {
        for (int i = 0; i < w->count; ++i) {
            sn_arena_finish(&w->scratches[i].arena);
        }
        sn_condition_finish(&w->is_returned);
        sn_mutex_finish(&w->mutex);
        sn_free(w->scratches, (size_t)w->count, sizeof *w->scratches);
        sn_free(w, 1, sizeof *w);
        *work = NULL;
    }
}

/* ---- capacity ---- */

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

static extent extent_with(const extent *e, const sn_reduced_solver *solver)
{
    const sn_model_counts *c = &solver->source->counts; /* at every level of detail */
    const int anderson = solver->has_volume ? SN_ANDERSON_VOLUME_COUNT : SN_ANDERSON_COUNT;
    return (extent){.coordinate_count =
                        max_int(e->coordinate_count, (c->coordinate_count + SN_GROUP - 1) / SN_GROUP * SN_GROUP),
                    .column_count = max_int(e->column_count, solver->column_count),
                    .pair_count = max_int(e->pair_count, solver->pair_count),
                    .group_count = max_int(e->group_count, (c->cluster_count + SN_GROUP - 1) / SN_GROUP),
                    .sample_block_count = max_int(e->sample_block_count, solver->sample_rows.block_count),
                    .anderson_count = max_int(e->anderson_count, anderson)};
}

static bool allocate_f32(const extent *e, sn_arena *arena, sn_iteration_f32 *it)
{
    const int z = 3 * e->coordinate_count, p = 3 * e->column_count;
    return (it->predicted = SN_NEW(arena, float, z)) && (it->inertia = SN_NEW(arena, float, z)) &&
           (it->start_offset = SN_NEW(arena, float, z)) && (it->difference = SN_NEW(arena, float, z)) &&
           (it->coordinates = SN_NEW(arena, float, z)) && (it->local = SN_NEW(arena, float, z)) &&
           (it->image = SN_NEW(arena, float, z)) && (it->residual = SN_NEW(arena, float, z)) &&
           (it->accepted_image = SN_NEW(arena, float, z)) && (it->accepted_residual = SN_NEW(arena, float, z)) &&
           (it->image_changes = SN_NEW(arena, float, e->anderson_count *z)) &&
           (it->residual_changes = SN_NEW(arena, float, e->anderson_count *z)) && (it->rig = SN_NEW(arena, float, p)) &&
           (it->motion = SN_NEW(arena, float, p)) && (it->strain = SN_NEW(arena, float, p)) &&
           (it->morph_motion = SN_NEW(arena, float, 9 * e->pair_count)) &&
           (it->lanes = SN_NEW(arena, float, SN_LANES *z)) &&
           (it->rig_gradient = SN_NEW(arena, float, 11 * SN_GROUP * e->group_count));
}

static sn_result allocate_arrays(const extent *e, sn_arena *arena, sn_reduced_body *a)
{
    const int z = 3 * e->coordinate_count, p = 3 * e->column_count;
    const bool is_ok = (a->motion = SN_NEW(arena, double, p)) &&
                       (a->morph_motion = SN_NEW(arena, double, 9 * e->pair_count)) &&
                       (a->inertia = SN_NEW(arena, double, z)) && (a->predicted64 = SN_NEW(arena, double, z)) &&
                       (a->rig_gradient64 = SN_NEW(arena, double, 11 * SN_GROUP * e->group_count)) &&
                       (a->lanes64 = SN_NEW(arena, double, SN_LANES *z)) && (a->z64 = SN_NEW(arena, double, z)) &&
                       (a->local64 = SN_NEW(arena, double, z)) && (a->accepted64 = SN_NEW(arena, double, z)) &&
                       allocate_f32(e, arena, &a->f32);
    if (!is_ok || sn_samples_allocate(e->sample_block_count, e->column_count / 4, e->coordinate_count, arena,
                                      &a->samples) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    return sn_contacts_allocate(arena, e->coordinate_count, &a->contacts);
}

/* Reallocates all blocks. If that fails, each block is still at least as large as before. */
static sn_result enlarge(sn_reduced_scratch_pool *work, const extent *required)
{
    for (int i = 0; i < work->count; ++i) {
        sn_reduced_scratch replacement = {.last_user = NULL};
        if (allocate_arrays(required, &replacement.arena, &replacement.arrays) != SN_OK) {
            sn_arena_finish(&replacement.arena);
            return SN_ERROR_MEMORY; /* the blocks already replaced are larger than needed */
        }
        sn_arena_finish(&work->scratches[i].arena);
        work->scratches[i] = replacement;
    }
    work->extent = *required;
    return SN_OK;
}

sn_result sn_reduced_scratch_pool_fit(sn_reduced_scratch_pool *work, const sn_reduced_solver *solver)
{
    const extent required = extent_with(&work->extent, solver);
    for (int i = 0; i < work->count; ++i) {
        work->scratches[i].last_user = NULL; /* a destroyed solver may have had the same address */
    }
    return memcmp(&required, &work->extent, sizeof required) != 0 ? enlarge(work, &required) : SN_OK;
}

/* ---- acquire and release ---- */

static _Thread_local char this_thread; /* its address identifies the thread */

/* Prefers the block that the calling thread used last; null: all are in use. */
static sn_reduced_scratch *find_free(sn_reduced_scratch_pool *work)
{
    sn_reduced_scratch *best = NULL;
    for (int i = 0; i < work->count; ++i) {
        sn_reduced_scratch *s = &work->scratches[i];
        if (!s->is_in_use && s->last_user && s->thread == &this_thread) {
            return s;
        }
        best = !s->is_in_use && (!best || (best->last_user && !s->last_user)) ? s : best;
    }
    return best;
}

static sn_reduced_scratch *acquire(sn_reduced_scratch_pool *work)
{
    sn_mutex_lock(&work->mutex);
    sn_reduced_scratch *s = find_free(work);
    while (!s) {
        sn_condition_wait(&work->is_returned, &work->mutex);
        s = find_free(work);
    }
    s->is_in_use = true;
    s->thread = &this_thread;
    sn_mutex_unlock(&work->mutex);
    return s;
}

/* Kernels rely on zeros beyond a solver's sizes; another solver may have written there. */
static void clear(const sn_reduced_solver *solver, sn_reduced_body *a)
{
    const size_t z = 3 * (size_t)solver->padded_count, groups = (size_t)solver->clusters64.group_count;
    const size_t samples = 3 * (size_t)solver->sample_rows.block_count;
    memset(a->f32.predicted, 0, z * sizeof *a->f32.predicted);
    memset(a->f32.start_offset, 0, z * sizeof *a->f32.start_offset);
    memset(a->f32.inertia, 0, z * sizeof *a->f32.inertia);
    memset(a->f32.difference, 0, z * sizeof *a->f32.difference);
    memset(a->f32.rig_gradient, 0, 11 * SN_GROUP * groups * sizeof *a->f32.rig_gradient);
    memset(a->rig_gradient64, 0, 11 * SN_GROUP * groups * sizeof *a->rig_gradient64);
    memset(a->samples.flesh_offset, 0, samples * sizeof *a->samples.flesh_offset);
    memset(a->samples.forces, 0, samples * sizeof *a->samples.forces);
    memset(a->samples.normals, 0, samples * sizeof *a->samples.normals);
    memset(a->samples.positions, 0, samples * sizeof *a->samples.positions);
    memset(a->samples.columns, 0, z * sizeof *a->samples.columns);
}

void sn_reduced_scratch_acquire(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    sn_reduced_scratch *s = acquire(solver->work);
    const sn_reduced_body *a = &s->arrays;
    if (s->last_user != solver) {
        clear(solver, &s->arrays);
        s->last_user = solver;
    }
    body->scratch = s;
    body->motion = a->motion;
    body->morph_motion = a->morph_motion;
    body->inertia = a->inertia;
    body->predicted64 = a->predicted64;
    body->samples = a->samples;
    body->contacts = a->contacts;
    body->rig_gradient64 = a->rig_gradient64;
    body->lanes64 = a->lanes64;
    body->z64 = a->z64;
    body->local64 = a->local64;
    body->accepted64 = a->accepted64;
    body->f32 = a->f32;
    body->f32.size = 3 * solver->padded_count;
    body->f32.column_limit = solver->has_volume ? SN_ANDERSON_VOLUME_COUNT : SN_ANDERSON_COUNT;
}

void sn_reduced_scratch_release(sn_reduced_body *body)
{
    sn_reduced_scratch_pool *work = body->solver->work;
    body->scratch->arrays.contacts = body->contacts; /* their count */
    sn_mutex_lock(&work->mutex);
    body->scratch->is_in_use = false;
    sn_condition_signal(&work->is_returned);
    sn_mutex_unlock(&work->mutex);
    body->scratch = NULL;
}
