/* SPDX-License-Identifier: MIT */
/* Packs a model's constraints for the device, in consecutive runs whose constraints share no vertex.
 *
 * Constraint j is in run 1 + the largest run of the earlier constraints, in the CPU's order, that share a vertex with
 * it. Constraints that share a vertex thus keep their order, and the sweep its result. The runs of a coloured model are
 * its colours. */
#include <string.h>

#include "compute/xpbd/private.h"
#include "host/mesh/colouring.h"
#include "host/xpbd/strain.h"

#define VERTEX_LIMIT 400000 /* limited by an invocation's loops over blocks */

/* A packed model in host memory. */
typedef struct packed_model {
    sn_arena arena;
    struct sn_xpbd_run *runs;
    uint32_t *corners;
    float *values;
    uint32_t run_count, corner_count, value_count, multiplier_words;
} packed_model;

static size_t count_constraints(const sn_xpbd_batches *b)
{
    size_t count = 0;
    for (int batch = 0; batch < b->batch_count; ++batch) {
        count += (size_t)b->fill[batch];
    }
    return count;
}

/* Begins of groups of batches. The first level of a group follows all levels of the earlier groups. */
typedef struct batch_groups {
    const int32_t *starts; /* (count + 1) */
    int count;
} batch_groups;

/* slots (count): SN_BATCH batch + lane, in the order of the sweep; levels (count), from 0; groups (count) of the
 * levels. Returns the number of levels. */
static int find_levels(const sn_xpbd_batches *b, const batch_groups *of, int32_t *last, int32_t *slots, int32_t *levels,
                       int32_t *groups)
{
    int level_count = 0, next = 0, group = 0, floor = 0;
    for (int batch = 0; batch < b->batch_count; ++batch) {
        while (group + 1 < of->count && batch == of->starts[group + 1]) {
            ++group;
            floor = level_count;
        }
        const int32_t *corners = b->corners + (size_t)batch * (size_t)b->corner_count * SN_BATCH;
        for (int lane = 0; lane < b->fill[batch]; ++lane) {
            int32_t level = floor;
            for (int k = 0; k < b->corner_count; ++k) {
                const int32_t before = last[corners[SN_BATCH * k + lane] / 4];
                level = before > level ? before : level;
            }
            for (int k = 0; k < b->corner_count; ++k) {
                last[corners[SN_BATCH * k + lane] / 4] = level + 1;
            }
            level_count = level >= level_count ? level + 1 : level_count;
            groups[level] = group;
            slots[next] = SN_BATCH * batch + lane;
            levels[next++] = level;
        }
    }
    return level_count;
}

static void pack_run(const sn_xpbd_batches *b, const int32_t *slots, const int32_t *order, packed_model *p,
                     struct sn_xpbd_run *run)
{
    uint32_t *corners = p->corners + run->corner;
    float *values = p->values + run->value;
    for (uint32_t i = 0; i < run->count; ++i) {
        const int slot = slots[order[i]], batch = slot / SN_BATCH, lane = slot % SN_BATCH;
        const int32_t *from = b->corners + (size_t)batch * (size_t)b->corner_count * SN_BATCH + lane;
        const float *numbers = b->values + (size_t)batch * (size_t)b->value_count * SN_BATCH + lane;
        for (int k = 0; k < b->corner_count; ++k) {
            corners[(size_t)k * run->count + i] = (uint32_t)from[SN_BATCH * k] / 4;
        }
        for (int k = 0; k < b->value_count; ++k) {
            values[(size_t)k * run->count + i] = numbers[SN_BATCH * k];
        }
    }
}

static uint32_t multipliers_of(uint32_t recipe)
{
    return recipe >= SN_XPBD_RUN_STRAIN ? STRAIN_COUNT : recipe >= SN_XPBD_RUN_TET ? 2 : 1;
}

static sn_result pack_batches(const sn_xpbd_model *model, const sn_xpbd_batches *b, uint32_t recipe, packed_model *p)
{
    const size_t count = count_constraints(b);
    const bool is_grouped = b == &model->elements && model->group_count > 0;
    const batch_groups of = {.starts = is_grouped ? model->group_starts : NULL,
                             .count = is_grouped ? model->group_count : 0};
    sn_arena scratch = {0};
    int32_t *last = SN_NEW(&scratch, int32_t, (size_t)model->row_count), *slots = SN_NEW(&scratch, int32_t, count);
    int32_t *levels = SN_NEW(&scratch, int32_t, count), *order = SN_NEW(&scratch, int32_t, count), *starts = NULL;
    int32_t *groups = SN_NEW(&scratch, int32_t, count);
    int level_count = 0;
    if (last && slots && levels && order && groups) {
        level_count = find_levels(b, &of, last, slots, levels, groups);
        starts = SN_NEW(&scratch, int32_t, (size_t)level_count + 2);
    }
    if (!starts) {
        sn_arena_finish(&scratch);
        return SN_ERROR_MEMORY;
    }
    sn_colours_sort(levels, (int)count, level_count, starts, order);
    for (int level = 0; level < level_count; ++level) {
        struct sn_xpbd_run *run = &p->runs[p->run_count++];
        *run = (struct sn_xpbd_run){.recipe = recipe,
                                    .count = (uint32_t)(starts[level + 1] - starts[level]),
                                    .corner = p->corner_count,
                                    .value = p->value_count,
                                    .multiplier = p->multiplier_words,
                                    .group = (uint32_t)groups[level]};
        pack_run(b, slots, order + starts[level], p, run);
        p->corner_count += run->count * (uint32_t)b->corner_count;
        p->value_count += run->count * (uint32_t)b->value_count;
        p->multiplier_words += run->count * multipliers_of(recipe);
    }
    sn_arena_finish(&scratch);
    return SN_OK;
}

static uint32_t recipe_of_elements(const sn_xpbd_model *model)
{
    if (model->dimension == 2) {
        return model->is_legacy ? SN_XPBD_RUN_TRIANGLE_LEGACY : SN_XPBD_RUN_TRIANGLE;
    }
    if (model->is_strain) {
        return model->is_framed ? SN_XPBD_RUN_STRAIN_ALIGNED : SN_XPBD_RUN_STRAIN;
    }
    return model->is_legacy ? SN_XPBD_RUN_TET_LEGACY : model->is_polar ? SN_XPBD_RUN_TET_POLAR : SN_XPBD_RUN_TET;
}

/* In the order of the CPU's sweep: constraint types, then elements. */
static sn_result pack(const sn_xpbd_model *model, packed_model *p)
{
    static const uint32_t recipes[SN_XPBD_TYPE_COUNT] = {
        [SN_XPBD_DISTANCE] = SN_XPBD_RUN_DISTANCE,
        [SN_XPBD_BENDING] = SN_XPBD_RUN_BENDING,
        [SN_XPBD_VOLUME] = SN_XPBD_RUN_VOLUME,
    };
    size_t constraints = 0, corners = 0, values = 0;
    for (int type = 0; type <= SN_XPBD_TYPE_COUNT; ++type) {
        const sn_xpbd_batches *b = type < SN_XPBD_TYPE_COUNT ? &model->constraints_by_type[type] : &model->elements;
        const size_t count = count_constraints(b);
        constraints += count;
        corners += count * (size_t)b->corner_count;
        values += count * (size_t)b->value_count;
    }
    p->runs = SN_NEW(&p->arena, struct sn_xpbd_run, constraints); /* upper bound */
    p->corners = SN_NEW(&p->arena, uint32_t, corners);
    p->values = SN_NEW(&p->arena, float, values);
    if (!p->runs || !p->corners || !p->values) {
        return SN_ERROR_MEMORY;
    }
    for (int type = 0; type < SN_XPBD_TYPE_COUNT; ++type) {
        SN_TRY(pack_batches(model, &model->constraints_by_type[type], recipes[type], p));
    }
    return pack_batches(model, &model->elements, recipe_of_elements(model), p);
}

/* Uploads items to their range if they fit, else to a new range at the end. */
static sn_result upload(sn_gpu_xpbd *x, int binding, const void *items, uint32_t count, size_t item_bytes,
                        sn_gpu_xpbd_range *range, uint32_t *used)
{
    sn_gpu_xpbd_range required = *range;
    if (count > required.capacity) {
        required.first = *used;
        required.capacity = range->capacity > 0 ? 2 * count : count; /* a range that is edited will grow again */
        const sn_result result =
            sn_gpu_xpbd_enlarge(x, binding, (required.first + (VkDeviceSize)required.capacity) * item_bytes);
        if (result != SN_OK) {
            return result;
        }
        *used = required.first + required.capacity;
        *range = required;
    }
    return sn_gpu_upload_range(x->device, &x->buffers[binding], required.first * item_bytes, items, count * item_bytes);
}

static sn_result store_counts(sn_gpu_xpbd_model *m, const packed_model *p)
{
    if (p->run_count > m->run_capacity) {
        uint32_t *counts = sn_alloc(p->run_count, sizeof *counts);
        if (!counts) {
            return SN_ERROR_MEMORY;
        }
        sn_free(m->run_counts, m->run_capacity, sizeof *counts);
        m->run_counts = counts;
        m->run_capacity = p->run_count;
    }
    m->run_count = p->run_count;
    m->multiplier_words = p->multiplier_words;
    m->rounds = 0;
    for (uint32_t run = 0; run < p->run_count; ++run) {
        m->run_counts[run] = p->runs[run].count;
        m->rounds += (p->runs[run].count + SN_XPBD_GROUP_SIZE - 1) / SN_XPBD_GROUP_SIZE;
    }
    return SN_OK;
}

static uint32_t recipes_of(const packed_model *p)
{
    uint32_t recipes = 0;
    for (uint32_t run = 0; run < p->run_count; ++run) {
        const uint32_t recipe = p->runs[run].recipe;
        recipes |= recipe >= SN_XPBD_RUN_STRAIN ? SN_XPBD_STRAIN_RECIPES : UINT32_C(1) << recipe;
    }
    return recipes;
}

static sn_result upload_constraints(sn_gpu_xpbd *x, sn_gpu_xpbd_model *m)
{
    packed_model p = {.arena = {0}};
    sn_result result = pack(m->model, &p);
    if (result == SN_OK) {
        result = sn_gpu_xpbd_create_pipelines(x, m->model->row_count, recipes_of(&p));
    }
    sn_gpu_device_wait(x->device); /* recordings in flight read the buffers */
    if (result == SN_OK) {
        result = upload(x, SN_XPBD_CORNERS, p.corners, p.corner_count, sizeof(uint32_t), &m->corners, &x->used_corners);
    }
    if (result == SN_OK) {
        result = upload(x, SN_XPBD_VALUES, p.values, p.value_count, sizeof(float), &m->values, &x->used_values);
    }
    for (uint32_t run = 0; run < p.run_count; ++run) {
        p.runs[run].corner += m->corners.first;
        p.runs[run].value += m->values.first;
    }
    if (result == SN_OK) {
        result = upload(x, SN_XPBD_RUNS, p.runs, p.run_count, sizeof *p.runs, &m->runs, &x->used_runs);
    }
    if (result == SN_OK) {
        result = store_counts(m, &p);
    }
    sn_arena_finish(&p.arena);
    return result;
}

static sn_result upload_rest(sn_gpu_xpbd *x, sn_gpu_xpbd_model *m)
{
    sn_gpu_xpbd_range range = {0};
    const sn_result result = upload(x, SN_XPBD_RESTS, m->model->rest, (uint32_t)m->model->row_count, SN_XPBD_ROW_BYTES,
                                    &range, &x->used_rests);
    m->rest = range.first;
    return result;
}

sn_result sn_gpu_xpbd_add_model(sn_gpu_xpbd *x, const sn_xpbd_model *model, int *index)
{
    if (model->vertex_count > VERTEX_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "xpbd model: %d vertices; the device supports at most %d",
                       model->vertex_count, VERTEX_LIMIT);
    }
    sn_gpu_xpbd_model *grown = sn_grow(x->models, x->model_count, &x->model_capacity, sizeof *x->models);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    x->models = grown;
    sn_gpu_xpbd_model *m = &x->models[x->model_count];
    *m = (sn_gpu_xpbd_model){.model = model};
    sn_result result = upload_rest(x, m);
    if (result == SN_OK) {
        result = upload_constraints(x, m);
    }
    if (result == SN_OK) {
        result = sn_gpu_xpbd_bind(x);
    }
    if (result != SN_OK) {
        sn_free(m->run_counts, m->run_capacity, sizeof *m->run_counts);
        return result;
    }
    *index = x->model_count++;
    return SN_OK;
}

static sn_result update_body_model(sn_gpu_xpbd *x, const sn_gpu_xpbd_model *m, sn_gpu_xpbd_body *body)
{
    body->record.run = m->runs.first;
    body->record.run_count = m->run_count;
    body->record.flags |= SN_XPBD_WAKE;
    return sn_gpu_xpbd_reserve_scratch(x, body);
}

sn_result sn_gpu_xpbd_update_model(sn_gpu_xpbd *x, int model)
{
    SN_ASSERT(model >= 0 && model < x->model_count);
    sn_gpu_xpbd_model *m = &x->models[model];
    SN_TRY(upload_constraints(x, m));
    for (int i = 0; i < x->body_count; ++i) {
        sn_gpu_xpbd_body *body = &x->bodies[i];
        if (body->is_used && sn_gpu_xpbd_model_of(x, body) == m) {
            SN_TRY(update_body_model(x, m, body));
        }
    }
    return sn_gpu_xpbd_bind(x);
}

/* A free slot of an edited copy, or a new one. */
static sn_result find_edited_slot(sn_gpu_xpbd *x, int *index)
{
    for (*index = 0; *index < x->model_count; ++*index) {
        if (!x->models[*index].model) {
            return SN_OK;
        }
    }
    sn_gpu_xpbd_model *grown = sn_grow(x->models, x->model_count, &x->model_capacity, sizeof *x->models);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    x->models = grown;
    x->models[x->model_count++] = (sn_gpu_xpbd_model){.model = NULL};
    return SN_OK;
}

sn_result sn_gpu_xpbd_edit_body(sn_gpu_xpbd *x, int index, const sn_xpbd_model *edited)
{
    sn_gpu_xpbd_body *body = sn_gpu_xpbd_find(x, index);
    int slot = body->edited;
    SN_ASSERT(edited->row_count == (int)body->record.row_count);
    sn_result result = slot >= 0 ? SN_OK : find_edited_slot(x, &slot);
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_xpbd_model *m = &x->models[slot];
    m->model = edited;
    result = upload_constraints(x, m);
    if (result == SN_OK) {
        body->edited = slot;
        result = update_body_model(x, m, body);
    } else if (body->edited < 0) {
        m->model = NULL;
    }
    return result == SN_OK ? sn_gpu_xpbd_bind(x) : result;
}
