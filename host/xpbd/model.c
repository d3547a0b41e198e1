/* SPDX-License-Identifier: MIT */
/* A model from its description: checked, in Morton order, in batches. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/math/vec3.h"
#include "host/mesh/colouring.h"
#include "host/xpbd/solver.h"
#include "host/xpbd/strips.h"

#define LEAST_RATIO 1e-6 /* lambda / mu of tets: a constraint of no stiffness is one of very little */

/* ---- order ---- */

typedef struct morton {
    uint64_t code;
    int32_t index;
} morton;

static int by_code(const void *left, const void *right)
{
    const morton *a = left, *b = right;
    return a->code != b->code ? (a->code > b->code) - (a->code < b->code)
                              : (a->index > b->index) - (a->index < b->index);
}

/* Bits of a number of 21, three apart. */
static uint64_t spread(uint64_t x)
{
    x = (x | x << 32) & UINT64_C(0x1f00000000ffff);
    x = (x | x << 16) & UINT64_C(0x1f0000ff0000ff);
    x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (x | x << 2) & UINT64_C(0x1249249249249249);
}

/* Points along the curve through their box: order (count), which point comes when. */
static sn_result sort_along_curve(const double *points, int count, int32_t *order)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0;
    morton *codes = sn_alloc((size_t)count, sizeof *codes);
    if (!codes) {
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
        codes[i].index = i;
        for (int d = 0; d < 3; ++d) {
            const double at = size > 0 ? (points[3 * (size_t)i + (size_t)d] - low[d]) / size : 0;
            codes[i].code |= spread((uint64_t)(at * 2097151)) << d;
        }
    }
    qsort(codes, (size_t)count, sizeof *codes, by_code);
    for (int i = 0; i < count; ++i) {
        order[i] = codes[i].index;
    }
    sn_free(codes, (size_t)count, sizeof *codes);
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
    const sn_result result = sort_along_curve(desc->positions, model->vertex_count, model->order);
    for (int row = 0; row < model->vertex_count && result == SN_OK; ++row) {
        const int32_t vertex = model->order[row];
        model->rows[vertex] = row;
        for (int d = 0; d < 3; ++d) {
            model->rest[4 * row + d] = (float)(desc->positions[3 * (size_t)vertex + (size_t)d] - model->centre[d]);
        }
    }
    return result;
}

/* ---- checks ---- */

static bool are_vertices_sound(const int32_t *vertices, int count, int vertex_count)
{
    for (int a = 0; a < count; ++a) {
        if (vertices[a] < 0 || vertices[a] >= vertex_count) {
            return false;
        }
        for (int b = 0; b < a; ++b) {
            if (vertices[a] == vertices[b]) {
                return false;
            }
        }
    }
    return true;
}

static sn_result check_vertices(const sn_xpbd_desc *desc)
{
    for (int v = 0; v < desc->vertex_count; ++v) {
        const double *x = desc->positions + 3 * (size_t)v;
        const double mass = desc->masses ? desc->masses[v] : 0;
        if (!(fabs(x[0]) + fabs(x[1]) + fabs(x[2]) < 1e18)) {
            return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: vertex %d: its place is not finite, or beyond 1e18",
                                  v);
        }
        if (!(mass >= 0 && mass < 1e30)) {
            return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: vertex %d: a mass of %g", v, mass);
        }
        if (desc->element_corners == 3 && desc->element_count > 0 && x[2] != 0) {
            return sn_fail_within(SN_ERROR_ARGUMENT,
                                  "xpbd model: vertex %d: triangles lie in the plane z = 0, not at %g", v, x[2]);
        }
    }
    return SN_OK;
}

sn_result sn_xpbd_check_element(const sn_xpbd_model *model, int element, const sn_xpbd_element *of)
{
    const int corners = model->dimension + 1;
    if (!are_vertices_sound(of->vertices, corners, model->vertex_count)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: element %d: a vertex out of range, or twice", element);
    }
    if (!(of->mu > 0 && of->mu < INFINITY && of->lambda < INFINITY)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: element %d: lambda %g, mu %g: out of range", element,
                              of->lambda, of->mu);
    }
    const double least = corners == 3 ? -of->mu : model->is_polar ? -2 * of->mu / 3 : 0;
    if (corners == 4 && !model->is_polar ? !(of->lambda >= 0) : !(of->lambda > least)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: element %d: lambda %g is not above %g", element,
                              of->lambda, least);
    }
    return SN_OK;
}

/* ---- batches ---- */

/* By colours, each in the constraints' own order: order (count). */
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

/* Dm^-1 (corners - 1 squared, row-major) of an element's rest places, in double from the float places that are kept;
 * returns area or volume. */
static double element_inverse(const sn_xpbd_model *model, const int32_t *rows, int corners, double *inverse)
{
    double e[3][3] = {{0}};
    const float *base = model->rest + 4 * (size_t)rows[corners - 1];
    for (int k = 0; k < corners - 1; ++k) {
        for (int d = 0; d < 3; ++d) {
            e[k][d] = (double)model->rest[4 * (size_t)rows[k] + (size_t)d] - (double)base[d];
        }
    }
    if (corners == 3) {
        const double twice = e[0][0] * e[1][1] - e[0][1] * e[1][0];
        inverse[0] = e[1][1] / twice, inverse[1] = -e[1][0] / twice;
        inverse[2] = -e[0][1] / twice, inverse[3] = e[0][0] / twice;
        return twice / 2;
    }
    double cross[3];
    sn_cross3(e[1], e[2], cross);
    const double six = sn_dot3(e[0], cross);
    for (int k = 0; k < 3; ++k) {
        sn_cross3(e[(k + 1) % 3], e[(k + 2) % 3], inverse + 3 * k);
        for (int d = 0; d < 3; ++d) {
            inverse[3 * k + d] /= six;
        }
    }
    return six / 6;
}

static bool are_finite(const float *values, int count)
{
    float sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += 0 * values[i];
    }
    return sum == 0;
}

static void element_rows(const sn_xpbd_model *model, const int32_t *vertices, int corners, int32_t *rows)
{
    for (int k = 0; k < corners; ++k) {
        rows[k] = model->rows[vertices[k]];
    }
}

/* Its rows, and its size, which must be positive. */
static sn_result place_element(const sn_xpbd_model *model, int element, const int32_t *vertices, int32_t *rows,
                               double *size)
{
    const int corners = model->dimension + 1;
    double inverse[9];
    element_rows(model, vertices, corners, rows);
    /* tets are positive by their first corner, the constraint has its base at the last: mirrored */
    *size =
        corners == 4 ? -element_inverse(model, rows, corners, inverse) : element_inverse(model, rows, corners, inverse);
    return *size > 0 ? SN_OK
                     : sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: element %d: %s %g, not positive", element,
                                      corners == 4 ? "volume" : "area", *size);
}

/* rows in any order, values to suit it: what is measured does not depend on it. */
static sn_result pack_rows(const sn_xpbd_model *model, int element, const sn_xpbd_element *of, const int32_t *rows,
                           float *values)
{
    const int corners = model->dimension + 1, entries = model->dimension * model->dimension;
    double inverse[9];
    const double size = fabs(element_inverse(model, rows, corners, inverse));
    const double hydrostatic = model->is_legacy  ? of->lambda
                               : corners == 3    ? of->lambda + of->mu
                               : model->is_polar ? of->lambda + 2 * of->mu / 3
                                                 : of->lambda;
    for (int i = 0; i < entries; ++i) {
        values[i] = (float)inverse[i];
    }
    values[entries] = (float)(1 / (fmax(hydrostatic, LEAST_RATIO * of->mu) * size));
    values[entries + 1] = (float)(1 / ((model->is_polar ? 2 : 1) * of->mu * size));
    return are_finite(values, entries + 2)
               ? SN_OK
               : sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: element %d: too thin or too soft for floats", element);
}

sn_result sn_xpbd_pack_element(const sn_xpbd_model *model, int element, const sn_xpbd_element *of, int32_t *rows,
                               float *values, double *size)
{
    const sn_result result = place_element(model, element, of->vertices, rows, size);
    return result == SN_OK ? pack_rows(model, element, of, rows, values) : result;
}

static sn_xpbd_element element_of(const sn_xpbd_desc *desc, int element)
{
    const int corners = desc->element_corners;
    sn_xpbd_element of = {.lambda = desc->lambda[element], .mu = desc->mu[element]};
    memcpy(of.vertices, desc->elements + (size_t)corners * (size_t)element, (size_t)corners * sizeof *of.vertices);
    return of;
}

/* Rows, and its share of the masses. */
static sn_result place_described(sn_xpbd_model *model, const sn_xpbd_desc *desc, int element, int32_t *rows)
{
    const int corners = desc->element_corners;
    double size = 0;
    const sn_result result =
        place_element(model, element, desc->elements + (size_t)corners * (size_t)element, rows, &size);
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

/* In strips, unless colours are wanted. */
static sn_result batch_elements(sn_xpbd_model *model, const sn_xpbd_desc *desc, const int32_t *order, int32_t *rows,
                                sn_arena *scratch)
{
    sn_xpbd_batches *b = &model->elements;
    const size_t count = (size_t)desc->element_count, corners = (size_t)b->corner_count;
    float *values = SN_NEW(scratch, float, (size_t)b->value_count *count);
    int32_t *sequence = SN_NEW(scratch, int32_t, count), *lengths = SN_NEW(scratch, int32_t, count);
    sn_result result = values && sequence && lengths ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK && !desc->is_coloured) {
        result = sn_strips_find(desc->element_count, b->corner_count, model->vertex_count, rows, sequence, lengths);
    }
    for (size_t i = 0; i < count && result == SN_OK; ++i) {
        const sn_xpbd_element of = element_of(desc, order[i]);
        result = pack_rows(model, order[i], &of, rows + corners * i, values + (size_t)b->value_count * i);
    }
    if (result != SN_OK) {
        return result;
    }
    return desc->is_coloured ? build_batches(desc, desc->element_count, rows, values, b)
                             : sn_batches_build(b, desc->element_count, rows, values, sequence, lengths);
}

static sn_result build_elements(sn_xpbd_model *model, const sn_xpbd_desc *desc)
{
    const int corners = desc->element_corners, value_count = (corners - 1) * (corners - 1) + 2;
    const size_t count = (size_t)desc->element_count;
    sn_arena scratch = {0};
    int32_t *order = SN_NEW(&scratch, int32_t, count), *rows = SN_NEW(&scratch, int32_t, (size_t)corners * count);
    model->element_numbers = sn_alloc(count, sizeof *model->element_numbers);
    model->element_room = desc->element_count;
    sn_result result = order && rows && model->element_numbers ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < desc->element_count && result == SN_OK; ++i) {
        const sn_xpbd_element of = element_of(desc, i);
        result = sn_xpbd_check_element(model, i, &of);
        if (result == SN_OK && !(desc->density[i] >= 0 && desc->density[i] < INFINITY)) {
            result = sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: element %d: a density of %g", i, desc->density[i]);
        }
    }
    if (result == SN_OK) {
        result = order_elements(desc, order);
    }
    for (size_t i = 0; i < count && result == SN_OK; ++i) {
        model->element_numbers[order[i]] = (int32_t)i;
        result = place_described(model, desc, order[i], rows + (size_t)corners * i);
    }
    if (result == SN_OK) {
        sn_batches_init(&model->elements, corners, value_count, model->vertex_count);
        result = batch_elements(model, desc, order, rows, &scratch);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* ---- constraints ---- */

static sn_result check_constraint(const sn_xpbd_model *model, const sn_xpbd_constraint *c)
{
    if ((unsigned)c->kind >= SN_XPBD_KIND_COUNT) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd constraint: there is no kind %d", (int)c->kind);
    }
    if (!are_vertices_sound(c->vertices, sn_xpbd_corner_counts[c->kind], model->vertex_count)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd constraint: a vertex of %d %d %d %d out of range, or twice",
                              c->vertices[0], c->vertices[1], c->vertices[2], c->vertices[3]);
    }
    if (!(c->stiffness > 0) || (c->has_rest && !isfinite(c->rest))) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd constraint: stiffness %g, rest %g: out of range", c->stiffness,
                              c->rest);
    }
    return SN_OK;
}

static void rest_edge(const sn_xpbd_model *model, int32_t from, int32_t to, float *edge)
{
    for (size_t d = 0; d < 3; ++d) {
        edge[d] = model->rest[4 * (size_t)to + d] - model->rest[4 * (size_t)from + d];
    }
}

static void pack_distance(const sn_xpbd_model *model, const sn_xpbd_constraint *c, const int32_t *rows, float *values)
{
    rest_edge(model, rows[0], rows[1], values);
    /* as the recipe measures it, so that rest is exact */
    const float square = values[0] * values[0] + values[1] * values[1] + values[2] * values[2];
    values[3] = c->has_rest ? (float)c->rest : sqrtf(square);
}

static sn_result pack_volume(const sn_xpbd_model *model, int32_t *rows, float *values, double *size)
{
    double inverse[9];
    *size = -element_inverse(model, rows, 4, inverse);
    for (int i = 0; i < 9; ++i) {
        values[i] = (float)inverse[i];
    }
    return *size > 0 ? SN_OK
                     : sn_fail_within(SN_ERROR_ARGUMENT, "xpbd constraint: a volume of %g, not positive", *size);
}

sn_result sn_xpbd_pack(const sn_xpbd_model *model, const sn_xpbd_constraint *c, int32_t *rows, float *values)
{
    sn_result result = check_constraint(model, c);
    if (result != SN_OK) {
        return result;
    }
    const int last = sn_xpbd_value_counts[c->kind] - 1;
    double size = 1;
    element_rows(model, c->vertices, sn_xpbd_corner_counts[c->kind], rows);
    if (c->kind == SN_XPBD_DISTANCE) {
        pack_distance(model, c, rows, values);
    } else if (c->kind == SN_XPBD_BENDING) {
        rest_edge(model, rows[0], rows[1], values);
        rest_edge(model, rows[0], rows[2], values + 3);
        rest_edge(model, rows[0], rows[3], values + 6);
        sn_xpbd_rest_bend(values, values + 9);
        if (c->has_rest) {
            values[9] = (float)cos(c->rest);
            values[10] = (float)sin(c->rest);
        }
    } else {
        result = pack_volume(model, rows, values, &size);
    }
    values[last] = (float)(1 / (c->stiffness * size));
    if (result == SN_OK && !are_finite(values, last + 1)) {
        result = sn_fail_within(SN_ERROR_ARGUMENT, "xpbd constraint: too thin or too soft for floats");
    }
    return result;
}

static sn_result build_constraints(sn_xpbd_model *model, const sn_xpbd_desc *desc, sn_xpbd_kind kind)
{
    const int corners = sn_xpbd_corner_counts[kind], value_count = sn_xpbd_value_counts[kind];
    const size_t most = (size_t)desc->constraint_count;
    sn_arena scratch = {0};
    int32_t *rows = SN_NEW(&scratch, int32_t, (size_t)corners * most);
    float *values = SN_NEW(&scratch, float, (size_t)value_count *most);
    sn_result result = rows && values ? SN_OK : SN_ERROR_MEMORY;
    int count = 0;
    sn_batches_init(&model->kinds[kind], corners, value_count, model->vertex_count);
    for (int i = 0; i < desc->constraint_count && result == SN_OK; ++i) {
        if (desc->constraints[i].kind == kind) {
            result = sn_xpbd_pack(model, &desc->constraints[i], rows + corners * count, values + value_count * count);
            ++count;
        }
    }
    if (result == SN_OK) {
        result = build_batches(desc, count, rows, values, &model->kinds[kind]);
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
            return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: vertex %d: a mass of %g", model->order[row],
                                  (double)*mass);
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
    for (sn_xpbd_kind kind = 0; kind < SN_XPBD_KIND_COUNT && result == SN_OK; ++kind) {
        result = build_constraints(model, desc, kind);
    }
    for (int i = 0; i < desc->constraint_count && result == SN_OK; ++i) {
        result = check_constraint(model, &desc->constraints[i]); /* kinds that there are not */
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
    sn_xpbd_model *made = sn_alloc(1, sizeof *made);
    if (!made) {
        return SN_ERROR_MEMORY;
    }
    sn_xpbd_desc sound = *desc;
    sound.element_corners = desc->element_count > 0 ? desc->element_corners : 4;
    made->vertex_count = desc->vertex_count;
    made->row_count = (desc->vertex_count + SN_BATCH) / SN_BATCH * SN_BATCH; /* the spare one is among them */
    made->dimension = sound.element_corners - 1;
    made->is_legacy = desc->is_legacy;
    for (int i = 0; i < desc->element_count; ++i) {
        made->is_polar |= sound.element_corners == 4 && !desc->is_legacy && desc->lambda[i] < 0;
    }
    made->element_count = desc->element_count;
    const sn_result result = build(made, &sound);
    if (result != SN_OK) {
        sn_xpbd_model_destroy(&made);
        return result;
    }
    *model = made;
    return SN_OK;
}

void sn_xpbd_model_destroy(sn_xpbd_model **model)
{
    if (*model) {
        sn_batches_finish(&(*model)->elements);
        for (int kind = 0; kind < SN_XPBD_KIND_COUNT; ++kind) {
            sn_batches_finish(&(*model)->kinds[kind]);
        }
        sn_free((*model)->element_numbers, (size_t)(*model)->element_room, sizeof *(*model)->element_numbers);
        sn_arena_finish(&(*model)->arena);
        sn_free(*model, 1, sizeof **model);
        *model = NULL;
    }
}

static int count_taken(const sn_xpbd_batches *b)
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
                             .element_count = count_taken(&model->elements),
                             .batch_count = model->elements.batch_count};
    for (int kind = 0; kind < SN_XPBD_KIND_COUNT; ++kind) {
        counts.constraint_count += count_taken(&model->kinds[kind]);
    }
    return counts;
}

double sn_xpbd_model_mass(const sn_xpbd_model *model, int vertex)
{
    SN_ASSERT(vertex >= 0 && vertex < model->vertex_count);
    return (double)model->rest[4 * (size_t)model->rows[vertex] + 3];
}
