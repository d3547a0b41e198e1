/* SPDX-License-Identifier: MIT */
#include "host/reduced/scratch.h"

#include <pthread.h>
#include <string.h>

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
    const sn_reduced_solver *user; /* the last solver that used it */
    bool is_taken;
    pthread_t thread; /* the last user, whose core probably still has it in its cache */
};

struct sn_reduced_work {
    pthread_mutex_t mutex;
    pthread_cond_t is_returned;
    int count;
    sn_reduced_scratch *scratches; /* (count) */
    extent extent;
};

sn_result sn_reduced_work_create(int count, sn_reduced_work **work)
{
    SN_ASSERT(count >= 1);
    sn_reduced_work *made = sn_alloc(1, sizeof *made);
    *work = NULL;
    if (!made) {
        return SN_ERROR_MEMORY;
    }
    made->scratches = sn_alloc((size_t)count, sizeof *made->scratches);
    if (!made->scratches) {
        sn_free(made, 1, sizeof *made);
        return SN_ERROR_MEMORY;
    }
    made->count = count;
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->is_returned, NULL);
    *work = made;
    return SN_OK;
}

void sn_reduced_work_destroy(sn_reduced_work **work)
{
    sn_reduced_work *w = *work;
    if (w) {
        for (int i = 0; i < w->count; ++i) {
            sn_arena_finish(&w->scratches[i].arena);
        }
        pthread_cond_destroy(&w->is_returned);
        pthread_mutex_destroy(&w->mutex);
        sn_free(w->scratches, (size_t)w->count, sizeof *w->scratches);
        sn_free(w, 1, sizeof *w);
        *work = NULL;
    }
}

/* ---- capacity ---- */

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static extent extent_with(const extent *e, const sn_reduced_solver *solver)
{
    const sn_model_counts *c = &solver->source->counts; /* at every level of detail */
    const int anderson = solver->has_volume ? SN_ANDERSON_VOLUME_COUNT : SN_ANDERSON_COUNT;
    return (extent){.coordinate_count =
                        larger(e->coordinate_count, (c->coordinate_count + SN_GROUP - 1) / SN_GROUP * SN_GROUP),
                    .column_count = larger(e->column_count, solver->column_count),
                    .pair_count = larger(e->pair_count, solver->pair_count),
                    .group_count = larger(e->group_count, (c->cluster_count + SN_GROUP - 1) / SN_GROUP),
                    .sample_block_count = larger(e->sample_block_count, solver->sample_rows.block_count),
                    .anderson_count = larger(e->anderson_count, anderson)};
}

static bool allocate_f32(const extent *e, sn_arena *arena, sn_iteration_f32 *it)
{
    const int z = 3 * e->coordinate_count, p = 3 * e->column_count;
    return (it->predicted = SN_NEW(arena, float, z)) && (it->inertia = SN_NEW(arena, float, z)) &&
           (it->begun = SN_NEW(arena, float, z)) && (it->difference = SN_NEW(arena, float, z)) &&
           (it->coordinates = SN_NEW(arena, float, z)) && (it->local = SN_NEW(arena, float, z)) &&
           (it->image = SN_NEW(arena, float, z)) && (it->residual = SN_NEW(arena, float, z)) &&
           (it->image_kept = SN_NEW(arena, float, z)) && (it->residual_kept = SN_NEW(arena, float, z)) &&
           (it->image_changes = SN_NEW(arena, float, e->anderson_count *z)) &&
           (it->residual_changes = SN_NEW(arena, float, e->anderson_count *z)) && (it->rig = SN_NEW(arena, float, p)) &&
           (it->motion = SN_NEW(arena, float, p)) && (it->strain = SN_NEW(arena, float, p)) &&
           (it->morph_motion = SN_NEW(arena, float, 9 * e->pair_count)) &&
           (it->lanes = SN_NEW(arena, float, SN_LANES *z)) &&
           (it->rig_gradient = SN_NEW(arena, float, 9 * SN_GROUP * e->group_count));
}

static sn_result allocate_arrays(const extent *e, sn_arena *arena, sn_reduced_body *a)
{
    const int z = 3 * e->coordinate_count, p = 3 * e->column_count;
    const bool is_ok = (a->motion = SN_NEW(arena, double, p)) &&
                       (a->morph_motion = SN_NEW(arena, double, 9 * e->pair_count)) &&
                       (a->inertia = SN_NEW(arena, double, z)) && (a->predicted64 = SN_NEW(arena, double, z)) &&
                       (a->rig_gradient64 = SN_NEW(arena, double, 9 * SN_GROUP * e->group_count)) &&
                       (a->lanes64 = SN_NEW(arena, double, SN_LANES *z)) && (a->z64 = SN_NEW(arena, double, z)) &&
                       (a->local64 = SN_NEW(arena, double, z)) && (a->kept64 = SN_NEW(arena, double, z)) &&
                       allocate_f32(e, arena, &a->f32);
    if (!is_ok || sn_samples_allocate(e->sample_block_count, e->column_count / 4, e->coordinate_count, arena,
                                      &a->samples) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    return sn_contacts_allocate(arena, e->coordinate_count, &a->contacts);
}

/* Reallocates all blocks. If that fails, each block is still at least as large as before. */
static sn_result enlarge(sn_reduced_work *work, const extent *wanted)
{
    for (int i = 0; i < work->count; ++i) {
        sn_reduced_scratch larger_one = {.user = NULL};
        if (allocate_arrays(wanted, &larger_one.arena, &larger_one.arrays) != SN_OK) {
            sn_arena_finish(&larger_one.arena);
            return SN_ERROR_MEMORY; /* the blocks already replaced are larger than needed */
        }
        sn_arena_finish(&work->scratches[i].arena);
        work->scratches[i] = larger_one;
    }
    work->extent = *wanted;
    return SN_OK;
}

sn_result sn_reduced_work_fit(sn_reduced_work *work, const sn_reduced_solver *solver)
{
    const extent wanted = extent_with(&work->extent, solver);
    for (int i = 0; i < work->count; ++i) {
        work->scratches[i].user = NULL; /* a destroyed solver may have had the same address */
    }
    return memcmp(&wanted, &work->extent, sizeof wanted) != 0 ? enlarge(work, &wanted) : SN_OK;
}

/* ---- acquire and release ---- */

/* Prefers the block that the calling thread used last; null: all are in use. */
static sn_reduced_scratch *find_free(sn_reduced_work *work)
{
    sn_reduced_scratch *found = NULL;
    for (int i = 0; i < work->count; ++i) {
        sn_reduced_scratch *s = &work->scratches[i];
        if (!s->is_taken && s->user && pthread_equal(s->thread, pthread_self())) {
            return s;
        }
        found = !s->is_taken && (!found || (found->user && !s->user)) ? s : found;
    }
    return found;
}

static sn_reduced_scratch *take(sn_reduced_work *work)
{
    pthread_mutex_lock(&work->mutex);
    sn_reduced_scratch *s = find_free(work);
    while (!s) {
        pthread_cond_wait(&work->is_returned, &work->mutex);
        s = find_free(work);
    }
    s->is_taken = true;
    s->thread = pthread_self();
    pthread_mutex_unlock(&work->mutex);
    return s;
}

/* Kernels rely on zeros beyond a solver's sizes; another solver may have written there. */
static void clear(const sn_reduced_solver *solver, sn_reduced_body *a)
{
    const size_t z = 3 * (size_t)solver->padded_count, groups = (size_t)solver->clusters64.group_count;
    const size_t samples = 3 * (size_t)solver->sample_rows.block_count;
    memset(a->f32.predicted, 0, z * sizeof *a->f32.predicted);
    memset(a->f32.begun, 0, z * sizeof *a->f32.begun);
    memset(a->f32.inertia, 0, z * sizeof *a->f32.inertia);
    memset(a->f32.difference, 0, z * sizeof *a->f32.difference);
    memset(a->f32.rig_gradient, 0, 9 * SN_GROUP * groups * sizeof *a->f32.rig_gradient);
    memset(a->rig_gradient64, 0, 9 * SN_GROUP * groups * sizeof *a->rig_gradient64);
    memset(a->samples.flesh, 0, samples * sizeof *a->samples.flesh);
    memset(a->samples.forces, 0, samples * sizeof *a->samples.forces);
    memset(a->samples.normals, 0, samples * sizeof *a->samples.normals);
    memset(a->samples.places, 0, samples * sizeof *a->samples.places);
    memset(a->samples.columns, 0, z * sizeof *a->samples.columns);
}

void sn_reduced_scratch_borrow(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    sn_reduced_scratch *s = take(solver->work);
    const sn_reduced_body *a = &s->arrays;
    if (s->user != solver) {
        clear(solver, &s->arrays);
        s->user = solver;
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
    body->kept64 = a->kept64;
    body->f32 = a->f32;
    body->f32.size = 3 * solver->padded_count;
    body->f32.column_limit = solver->has_volume ? SN_ANDERSON_VOLUME_COUNT : SN_ANDERSON_COUNT;
}

void sn_reduced_scratch_return(sn_reduced_body *body)
{
    sn_reduced_work *work = body->solver->work;
    body->scratch->arrays.contacts = body->contacts; /* their count */
    pthread_mutex_lock(&work->mutex);
    body->scratch->is_taken = false;
    pthread_cond_signal(&work->is_returned);
    pthread_mutex_unlock(&work->mutex);
    body->scratch = NULL;
}
