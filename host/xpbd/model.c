/* SPDX-License-Identifier: MIT */
/* Builds a model from its description: checks it, sorts it along a Morton curve, and forms batches. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "host/mesh/colouring.h"
#include "host/mesh/morton.h"
#include "host/xpbd/pack.h"
#include "host/xpbd/strips.h"

/* ---- order ---- */

/* Sorts points along the curve through their bounding box; order (count): indices of the points in that order. */
static sn_result sort_along_curve(const double *points, int count, int32_t *order)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0;
    sn_morton_key *keys = sn_alloc((size_t)count, sizeof *keys);
    if (!keys) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * (size_t)count; ++i) {
        low[i % 3] = fmin(low[i % 3], points[i]);
        high[i % 3] = fmax(high[i % 3], points[i]);
    }
    for (int d = 0; d < 3; ++d) {
        size = fmax(size, high[d] - low[d]);
    }
    for (int i = 0; i < count; ++i) {
        double at[3];
        for (int d = 0; d < 3; ++d) {
            at[d] = size > 0 ? (points[3 * (size_t)i + (size_t)d] - low[d]) / size : 0;
        }
        keys[i] = (sn_morton_key){sn_morton_code(at), i};
    }
    sn_morton_sort(keys, (size_t)count);
    for (int i = 0; i < count; ++i) {
        order[i] = keys[i].index;
    }
    sn_free(keys, (size_t)count, sizeof *keys);
    return SN_OK;
}

static sn_result order_vertices(sn_xpbd_model *model, const sn_xpbd_desc *desc)
{
    model->order = SN_NEW(&model->arena, int32_t, model->vertex_count);
    model->rows = SN_NEW(&model->arena, int32_t, model->vertex_count);
    model->rest = SN_NEW(&model->arena, float, 4 * (size_t)model->row_count);
    if (!model->order || !model->rows || !model->rest) {
        return SN_ERROR_MEMORY;
    }
    SN_TRY(sort_along_curve(desc->positions, model->vertex_count, model->order));
    for (int row = 0; row < model->vertex_count; ++row) {
        const int32_t vertex = model->order[row];
        model->rows[vertex] = row;
        for (int d = 0; d < 3; ++d) {
            model->rest[4 * row + d] = (float)(desc->positions[3 * (size_t)vertex + (size_t)d] - model->centre[d]);
        }
    }
    return SN_OK;
}

/* ---- checks ---- */

static sn_result check_vertices(const sn_xpbd_desc *desc)
{
    for (int v = 0; v < desc->vertex_count; ++v) {
        const double *x = desc->positions + 3 * (size_t)v;
        const double mass = desc->masses ? desc->masses[v] : 0;
        if (!(fabs(x[0]) + fabs(x[1]) + fabs(x[2]) < 1e18)) {
            return sn_fail_within(SN_ERROR_ARGUMENT,
                                  "xpbd model: vertex %d: its position is not finite or exceeds 1e18", v);
        }
        if (!(mass >= 0 && mass < 1e30)) {
            return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: vertex %d: mass %g is out of range", v, mass);
        }
        if (desc->element_corners == 3 && desc->element_count > 0 && x[2] != 0) {
            return sn_fail_within(SN_ERROR_ARGUMENT,
                                  "xpbd model: vertex %d: triangles lie in the plane z = 0, not at %g", v, x[2]);
        }
    }
    return SN_OK;
}

/* ---- batches ---- */

/* Sorts constraints by colour, each colour in the original order; order (count). */
static sn_result sort_by_colour(const sn_xpbd_batches *b, int count, const int32_t *rows, int32_t *order)
{
    sn_arena scratch = {0};
    sn_colouring colouring;
    int32_t *colours = SN_NEW(&scratch, int32_t, (size_t)count), *starts = NULL;
    sn_result result = colours ? sn_colouring_init(&colouring, b->spare, 0) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_colouring_add_all(&colouring, rows, b->corner_count, count, colours);
        starts = SN_NEW(&scratch, int32_t, (size_t)colouring.colour_count + 2);
        if (result == SN_OK && starts) {
            sn_colours_sort(colours, count, colouring.colour_count, starts, order);
        }
        sn_colouring_finish(&colouring);
    }
    sn_arena_finish(&scratch);
    return result == SN_OK && !starts ? SN_ERROR_MEMORY : result;
}

static sn_result build_batches(const sn_xpbd_desc *desc, int count, const int32_t *rows, const float *values,
                               sn_xpbd_batches *b)
{
    const bool is_sorted = desc->is_coloured && count > 0;
    int32_t *order = is_sorted ? sn_alloc((size_t)count, sizeof *order) : NULL;
    sn_result result = is_sorted && !order ? SN_ERROR_MEMORY : SN_OK;
    if (order) {
        result = sort_by_colour(b, count, rows, order);
    }
    if (result == SN_OK) {
        result = sn_batches_build(b, count, rows, values, order, NULL);
    }
    sn_free(order, (size_t)count, sizeof *order);
    return result;
}

/* ---- elements ---- */

static sn_xpbd_element element_of(const sn_xpbd_desc *desc, int element)
{
    const int corners = desc->element_corners;
    const bool is_pair = !desc->strain_stiffness; /* else lambda and mu are ignored */
    sn_xpbd_element of = {.lambda = is_pair ? desc->lambda[element] : 0, .mu = is_pair ? desc->mu[element] : 1};
    memcpy(of.vertices, desc->elements + (size_t)corners * (size_t)element, (size_t)corners * sizeof *of.vertices);
    return of;
}

/* Finds an element's rows and adds its mass to its vertices. */
static sn_result locate_described(sn_xpbd_model *model, const sn_xpbd_desc *desc, int element, int32_t *rows)
{
    const int corners = desc->element_corners;
    double size = 0;
    const sn_result result =
        sn_xpbd_measure_element(model, element, desc->elements + (size_t)corners * (size_t)element, rows, &size);
    for (int k = 0; k < corners && result == SN_OK; ++k) {
        model->rest[4 * (size_t)rows[k] + 3] += (float)(desc->density[element] * size / corners);
    }
    return result;
}

static sn_result order_elements(const sn_xpbd_desc *desc, int32_t *order)
{
    const size_t corners = (size_t)desc->element_corners, count = (size_t)desc->element_count;
    double *centres = sn_alloc(count, 3 * sizeof *centres);
    if (!centres) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * corners * count; ++i) {
        const size_t element = i / (3 * corners), vertex = (size_t)desc->elements[i / 3];
        centres[3 * element + i % 3] += desc->positions[3 * vertex + i % 3] / (double)corners;
    }
    const sn_result result = sort_along_curve(centres, desc->element_count, order);
    sn_free(centres, count, 3 * sizeof *centres);
    return result;
}

static sn_result pack_described(const sn_xpbd_model *model, const sn_xpbd_desc *desc, int element, const int32_t *rows,
                                float *values)
{
    const sn_xpbd_element of = element_of(desc, element);
    const double *axes = desc->frames ? desc->frames + 9 * (size_t)element : NULL;
    return model->is_strain
               ? sn_xpbd_pack_strain(model, element, desc->strain_stiffness + STRAIN_COUNT * (size_t)element, axes,
                                     rows, values)
               : sn_xpbd_pack_rows(model, element, &of, rows, values);
}

/* Batches group by group, each along the curve or by colours. order (count): the caller's indices along the curve. */
static sn_result batch_groups(sn_xpbd_model *model, const sn_xpbd_desc *desc, const int32_t *order, const int32_t *rows,
                              const float *values, sn_arena *scratch)
{
    const int count = desc->element_count;
    int32_t *groups = SN_NEW(scratch, int32_t, (size_t)count), *sequence = SN_NEW(scratch, int32_t, (size_t)count);
    int32_t *curve_order = SN_NEW(scratch, int32_t, (size_t)count); /* positions along the curve */
    if (!groups || !sequence || !curve_order) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        curve_order[i] = i;
    }
    const sn_result result =
        desc->is_coloured && count > 0 ? sort_by_colour(&model->elements, count, rows, curve_order) : SN_OK;
    for (int i = 0; i < count; ++i) {
        groups[i] = desc->groups[order[curve_order[i]]];
        model->group_count = groups[i] >= model->group_count ? groups[i] + 1 : model->group_count;
    }
    int32_t *starts = SN_NEW(scratch, int32_t, (size_t)model->group_count + 2);
    model->group_starts = SN_NEW(&model->arena, int32_t, (size_t)model->group_count + 1);
    if (result != SN_OK || !starts || !model->group_starts) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    sn_colours_sort(groups, count, model->group_count, starts, sequence);
    for (int i = 0; i < count; ++i) {
        sequence[i] = curve_order[sequence[i]];
    }
    for (int i = 0; i < count; ++i) { /* groups by position along the curve */
        groups[i] = desc->groups[order[i]];
    }
    return sn_batches_build_groups(&model->elements, count, rows, values, sequence, groups, model->group_count,
                                   model->group_starts);
}

/* Uses strips unless colours or groups are requested. */
static sn_result batch_elements(sn_xpbd_model *model, const sn_xpbd_desc *desc, const int32_t *order, int32_t *rows,
                                sn_arena *scratch)
{
    sn_xpbd_batches *b = &model->elements;
    const size_t count = (size_t)desc->element_count, corners = (size_t)b->corner_count;
    float *values = SN_NEW(scratch, float, (size_t)b->value_count *count);
    int32_t *sequence = SN_NEW(scratch, int32_t, count), *lengths = SN_NEW(scratch, int32_t, count);
    sn_result result = values && sequence && lengths ? SN_OK : SN_ERROR_MEMORY;
    const bool uses_strips = !desc->is_coloured && !desc->groups;
    if (result == SN_OK && uses_strips) {
        result = sn_strips_find(desc->element_count, b->corner_count, model->vertex_count, rows, sequence, lengths);
    }
    for (size_t i = 0; i < count && result == SN_OK; ++i) {
        result = pack_described(model, desc, order[i], rows + corners * i, values + (size_t)b->value_count * i);
    }
    if (result != SN_OK) {
        return result;
    }
    if (desc->groups) {
        return batch_groups(model, desc, order, rows, values, scratch);
    }
    return desc->is_coloured ? build_batches(desc, desc->element_count, rows, values, b)
                             : sn_batches_build(b, desc->element_count, rows, values, sequence, lengths);
}

static sn_result build_elements(sn_xpbd_model *model, const sn_xpbd_desc *desc)
{
    const int corners = desc->element_corners, of_pair = (corners - 1) * (corners - 1) + 2;
    const int value_count = !model->is_strain ? of_pair : model->is_framed ? STRAIN_FRAME_VALUES : STRAIN_VALUES;
    const size_t count = (size_t)desc->element_count;
    sn_arena scratch = {0};
    int32_t *order = SN_NEW(&scratch, int32_t, count), *rows = SN_NEW(&scratch, int32_t, (size_t)corners * count);
    model->element_numbers = sn_alloc(count, sizeof *model->element_numbers);
    model->element_capacity = desc->element_count;
    sn_result result = order && rows && model->element_numbers ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < desc->element_count && result == SN_OK; ++i) {
        const sn_xpbd_element of = element_of(desc, i);
        result = sn_xpbd_check_element(model, i, &of);
        if (result == SN_OK && desc->groups && (desc->groups[i] < 0 || desc->groups[i] >= desc->element_count)) {
            result = sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: element %d: group %d does not exist", i,
                                    desc->groups[i]);
        }
        if (result == SN_OK && !(desc->density[i] >= 0 && desc->density[i] < INFINITY)) {
            result = sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: element %d: density %g is out of range", i,
                                    desc->density[i]);
        }
    }
    if (result == SN_OK) {
        result = order_elements(desc, order);
    }
    for (size_t i = 0; i < count && result == SN_OK; ++i) {
        model->element_numbers[order[i]] = (int32_t)i;
        result = locate_described(model, desc, order[i], rows + (size_t)corners * i);
    }
    if (result == SN_OK) {
        sn_batches_init(&model->elements, corners, value_count, model->vertex_count);
        result = batch_elements(model, desc, order, rows, &scratch);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* ---- constraints ---- */

static sn_result build_constraints(sn_xpbd_model *model, const sn_xpbd_desc *desc, sn_xpbd_constraint_type type)
{
    const int corners = sn_xpbd_corner_counts[type], value_count = sn_xpbd_value_counts[type];
    const size_t max_count = (size_t)desc->constraint_count;
    sn_arena scratch = {0};
    int32_t *rows = SN_NEW(&scratch, int32_t, (size_t)corners * max_count);
    float *values = SN_NEW(&scratch, float, (size_t)value_count *max_count);
    sn_result result = rows && values ? SN_OK : SN_ERROR_MEMORY;
    int count = 0;
    sn_batches_init(&model->constraints_by_type[type], corners, value_count, model->vertex_count);
    for (int i = 0; i < desc->constraint_count && result == SN_OK; ++i) {
        if (desc->constraints[i].type == type) {
            result = sn_xpbd_pack_constraint(model, &desc->constraints[i], rows + corners * count,
                                             values + value_count * count);
            ++count;
        }
    }
    if (result == SN_OK) {
        result = build_batches(desc, count, rows, values, &model->constraints_by_type[type]);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* ---- the model ---- */

static sn_result check_masses(sn_xpbd_model *model, const sn_xpbd_desc *desc)
{
    for (int row = 0; row < model->vertex_count; ++row) {
        float *mass = &model->rest[4 * (size_t)row + 3];
        *mass += desc->masses ? (float)desc->masses[model->order[row]] : 0;
        if (!(*mass >= FLT_MIN && 1 / *mass <= FLT_MAX)) {
            return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: vertex %d: mass %g is out of range",
                                  model->order[row], (double)*mass);
        }
    }
    return SN_OK;
}

static void measure_box(sn_xpbd_model *model, const sn_xpbd_desc *desc)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * (size_t)desc->vertex_count; ++i) {
        low[i % 3] = fmin(low[i % 3], desc->positions[i]);
        high[i % 3] = fmax(high[i % 3], desc->positions[i]);
    }
    model->diagonal = sn_distance3(low, high);
    for (int d = 0; d < 3; ++d) {
        model->centre[d] = (low[d] + high[d]) / 2;
    }
}

static sn_result build(sn_xpbd_model *model, const sn_xpbd_desc *desc)
{
    sn_result result = check_vertices(desc);
    if (result == SN_OK) {
        measure_box(model, desc);
        result = order_vertices(model, desc);
    }
    if (result == SN_OK) {
        result = build_elements(model, desc);
    }
    if (result == SN_OK) {
        result = check_masses(model, desc);
    }
    for (sn_xpbd_constraint_type type = 0; type < SN_XPBD_TYPE_COUNT && result == SN_OK; ++type) {
        result = build_constraints(model, desc, type);
    }
    for (int i = 0; i < desc->constraint_count && result == SN_OK; ++i) {
        result = sn_xpbd_check_constraint(model, &desc->constraints[i]); /* reports constraints of an unknown type */
    }
    return result;
}

sn_result sn_xpbd_model_create(const sn_xpbd_desc *desc, sn_xpbd_model **model)
{
    *model = NULL;
    if (desc->vertex_count < 1 || desc->vertex_count > INT32_MAX / 4 - 2 * SN_BATCH || desc->element_count < 0 ||
        desc->constraint_count < 0 ||
        (desc->element_count > 0 && desc->element_corners != 3 && desc->element_corners != 4)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: %d vertices, %d elements of %d corners, %d constraints",
                              desc->vertex_count, desc->element_count, desc->element_corners, desc->constraint_count);
    }
    sn_xpbd_model *created = sn_alloc(1, sizeof *created);
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    sn_xpbd_desc normalized = *desc;
    normalized.element_corners = desc->element_count > 0 ? desc->element_corners : 4;
    created->vertex_count = desc->vertex_count;
    created->row_count = (desc->vertex_count + SN_BATCH) / SN_BATCH * SN_BATCH; /* includes the spare row */
    created->dimension = normalized.element_corners - 1;
    created->is_legacy = desc->is_legacy;
    created->is_strain = normalized.element_corners == 4 && desc->strain_stiffness;
    created->is_framed = created->is_strain && desc->frames;
    for (int i = 0; i < desc->element_count; ++i) {
        created->is_polar |=
            normalized.element_corners == 4 && !desc->is_legacy && !created->is_strain && desc->lambda[i] < 0;
    }
    created->element_count = desc->element_count;
    const sn_result result = build(created, &normalized);
    if (result != SN_OK) {
        sn_xpbd_model_destroy(&created);
        return result;
    }
    *model = created;
    return SN_OK;
}

void sn_xpbd_model_destroy(sn_xpbd_model **model)
{
    if (*model) {
        sn_batches_finish(&(*model)->elements);
        for (int type = 0; type < SN_XPBD_TYPE_COUNT; ++type) {
            sn_batches_finish(&(*model)->constraints_by_type[type]);
        }
        sn_free((*model)->element_numbers, (size_t)(*model)->element_capacity, sizeof *(*model)->element_numbers);
        sn_arena_finish(&(*model)->arena);
        sn_free(*model, 1, sizeof **model);
        *model = NULL;
    }
}

static int count_used(const sn_xpbd_batches *b)
{
    int count = 0;
    for (int i = 0; i < b->batch_count; ++i) {
        count += b->fill[i];
    }
    return count;
}

sn_xpbd_counts sn_xpbd_model_counts(const sn_xpbd_model *model)
{
    sn_xpbd_counts counts = {.vertex_count = model->vertex_count,
                             .element_count = count_used(&model->elements),
                             .batch_count = model->elements.batch_count};
    for (int type = 0; type < SN_XPBD_TYPE_COUNT; ++type) {
        counts.constraint_count += count_used(&model->constraints_by_type[type]);
    }
    return counts;
}

double sn_xpbd_model_mass(const sn_xpbd_model *model, int vertex)
{
    SN_ASSERT(vertex >= 0 && vertex < model->vertex_count);
    return (double)model->rest[4 * (size_t)model->rows[vertex] + 3];
}
