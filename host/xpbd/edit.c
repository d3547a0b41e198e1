/* SPDX-License-Identifier: MIT */
/* Edits models while bodies exist: adds and removes constraints and elements, and makes a body's own copy of a shared
 * model. An added constraint uses a free lane of a batch without its vertices; a removed one is replaced by its batch's
 * last lane. Nothing else moves, so the order of the sweep is kept. */
#include <string.h>

#include "host/xpbd/pack.h"

/* ---- constraints ---- */

sn_result sn_xpbd_model_add(sn_xpbd_model *model, const sn_xpbd_constraint *constraint, int32_t *number)
{
    int32_t rows[4];
    float values[SN_XPBD_VALUE_LIMIT];
    sn_result result = sn_xpbd_pack_constraint(model, constraint, rows, values);
    if (result == SN_OK) {
        result = sn_batches_add(&model->constraints_by_type[constraint->type], rows, values, number);
    }
    ++model->revision;
    return result;
}

void sn_xpbd_model_remove(sn_xpbd_model *model, sn_xpbd_constraint_type type, int32_t number)
{
    SN_ASSERT((unsigned)type < SN_XPBD_TYPE_COUNT);
    sn_batches_remove(&model->constraints_by_type[type], number);
    ++model->revision;
}

/* ---- elements ---- */

static bool reserve_elements(sn_xpbd_model *model, int count)
{
    if (count <= model->element_capacity) {
        return true;
    }
    const size_t size = sizeof *model->element_numbers;
    const int capacity = count > 2 * model->element_capacity ? count : 2 * model->element_capacity;
    int32_t *numbers = sn_alloc((size_t)capacity, size);
    if (!numbers) {
        return false;
    }
    if (model->element_count > 0) {
        memcpy(numbers, model->element_numbers, (size_t)model->element_count * size);
    }
    sn_free(model->element_numbers, (size_t)model->element_capacity, size);
    model->element_numbers = numbers;
    model->element_capacity = capacity;
    return true;
}

sn_result sn_xpbd_model_add_element(sn_xpbd_model *model, const sn_xpbd_element *of, int32_t *element)
{
    int32_t rows[4], number = 0;
    float values[SN_XPBD_VALUE_LIMIT];
    double size = 0;
    SN_TRY(model->elements.corner_count > 0 && !model->is_strain
               ? sn_xpbd_check_element(model, model->element_count, of)
               : sn_fail_within(SN_ERROR_ARGUMENT,
                                "xpbd model: elements cannot be added to a model without constraint pairs"));
    SN_TRY(sn_xpbd_pack_element(model, model->element_count, of, rows, values, &size));
    if (!reserve_elements(model, model->element_count + 1)) {
        return SN_ERROR_MEMORY;
    }
    SN_TRY(sn_batches_add(&model->elements, rows, values, &number));
    *element = model->element_count++;
    model->element_numbers[*element] = number;
    ++model->revision;
    return SN_OK;
}

bool sn_xpbd_model_has_element(const sn_xpbd_model *model, int32_t element)
{
    SN_ASSERT(element >= 0 && element < model->element_count);
    return model->element_numbers[element] >= 0;
}

void sn_xpbd_model_remove_element(sn_xpbd_model *model, int32_t element)
{
    SN_ASSERT(sn_xpbd_model_has_element(model, element));
    sn_batches_remove(&model->elements, model->element_numbers[element]);
    model->element_numbers[element] = -1;
    ++model->revision;
}

sn_result sn_xpbd_model_restore_element(sn_xpbd_model *model, const sn_xpbd_model *from, int32_t element)
{
    const sn_xpbd_batches *b = &from->elements;
    const int slot = b->slots[from->element_numbers[element]], batch = slot / SN_BATCH, lane = slot % SN_BATCH;
    int32_t rows[4], number = 0;
    float values[SN_XPBD_VALUE_LIMIT];
    SN_ASSERT(!sn_xpbd_model_has_element(model, element));
    sn_batches_vertices(b, from->element_numbers[element], rows);
    for (int i = 0; i < b->value_count; ++i) {
        values[i] = b->values[((size_t)batch * (size_t)b->value_count + (size_t)i) * SN_BATCH + (size_t)lane];
    }
    SN_TRY(sn_batches_add(&model->elements, rows, values, &number));
    model->element_numbers[element] = number;
    ++model->revision;
    return SN_OK;
}

/* ---- copies ---- */

static void *copy(sn_arena *arena, const void *from, size_t count, size_t size)
{
    void *to = sn_arena_alloc(arena, count, size);
    return to && count > 0 ? memcpy(to, from, count * size) : to;
}

static sn_result copy_parts(const sn_xpbd_model *from, sn_xpbd_model *to)
{
    const size_t vertices = (size_t)from->vertex_count, elements = (size_t)from->element_count;
    to->order = copy(&to->arena, from->order, vertices, sizeof *from->order);
    to->rows = copy(&to->arena, from->rows, vertices, sizeof *from->rows);
    to->rest = copy(&to->arena, from->rest, 4 * (size_t)from->row_count, sizeof *from->rest);
    to->group_starts = copy(&to->arena, from->group_starts, from->group_count > 0 ? (size_t)from->group_count + 1 : 0,
                            sizeof *from->group_starts);
    to->element_numbers = sn_alloc(elements, sizeof *from->element_numbers);
    to->element_capacity = to->element_numbers ? from->element_count : 0;
    if (!to->order || !to->rows || !to->rest || !to->group_starts || !to->element_numbers) {
        return SN_ERROR_MEMORY;
    }
    if (elements > 0) {
        memcpy(to->element_numbers, from->element_numbers, elements * sizeof *from->element_numbers);
    }
    SN_TRY(sn_batches_copy(&from->elements, &to->elements));
    for (int type = 0; type < SN_XPBD_TYPE_COUNT; ++type) {
        SN_TRY(sn_batches_copy(&from->constraints_by_type[type], &to->constraints_by_type[type]));
    }
    return SN_OK;
}

sn_result sn_xpbd_model_copy(const sn_xpbd_model *from, sn_xpbd_model **model)
{
    *model = sn_alloc(1, sizeof **model);
    if (!*model) {
        return SN_ERROR_MEMORY;
    }
    **model = (sn_xpbd_model){.vertex_count = from->vertex_count,
                              .row_count = from->row_count,
                              .dimension = from->dimension,
                              .is_legacy = from->is_legacy,
                              .is_polar = from->is_polar,
                              .is_strain = from->is_strain,
                              .is_framed = from->is_framed,
                              .group_count = from->group_count,
                              .diagonal = from->diagonal,
                              .element_count = from->element_count,
                              .revision = from->revision};
    memcpy((*model)->centre, from->centre, sizeof from->centre);
    const sn_result result = copy_parts(from, *model);
    if (result != SN_OK) {
        sn_xpbd_model_destroy(model);
    }
    return result;
}

sn_result sn_xpbd_model_apply_edits(const sn_xpbd_model *from, sn_xpbd_model *model)
{
    SN_ASSERT(from->vertex_count == model->vertex_count && model->element_count <= from->element_count);
    for (int32_t element = 0; element < model->element_count; ++element) {
        if (sn_xpbd_model_has_element(model, element) && !sn_xpbd_model_has_element(from, element)) {
            sn_xpbd_model_remove_element(model, element);
        }
    }
    for (int type = 0; type < SN_XPBD_TYPE_COUNT; ++type) {
        sn_xpbd_batches copied;
        if (sn_batches_copy(&from->constraints_by_type[type], &copied) != SN_OK) {
            return SN_ERROR_MEMORY;
        }
        sn_batches_finish(&model->constraints_by_type[type]);
        model->constraints_by_type[type] = copied;
    }
    ++model->revision;
    return SN_OK;
}

sn_result sn_xpbd_model_restore_elements(sn_xpbd_model *model, const sn_xpbd_model *from)
{
    const size_t count = (size_t)from->element_count;
    sn_xpbd_batches copied;
    SN_ASSERT(model->vertex_count == from->vertex_count && model->element_count == from->element_count);
    if (sn_batches_copy(&from->elements, &copied) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    sn_batches_finish(&model->elements);
    model->elements = copied;
    if (count > 0) {
        memcpy(model->element_numbers, from->element_numbers, count * sizeof *from->element_numbers);
    }
    ++model->revision;
    return SN_OK;
}

sn_result sn_xpbd_body_editable_model(sn_xpbd_body *body, sn_xpbd_model **model)
{
    sn_result result = SN_OK;
    if (!body->own_model) {
        result = sn_xpbd_model_copy(body->model, &body->own_model);
    }
    if (result == SN_OK) {
        body->model = body->own_model;
        body->still_seconds = 0;
    }
    *model = body->own_model;
    return result;
}
