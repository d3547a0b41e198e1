/* SPDX-License-Identifier: MIT */
/* Tears and repairs flesh and adds springs: edits of a body's own copy of the shared tets. */
#include <math.h>
#include <string.h>

#include "host/coupled/table.h"
#include "host/math/vec3.h"
#include "host/xpbd/solver.h"

/* Reads the rows of an element; false if it was removed. */
static bool rows_of(const sn_xpbd_model *model, int32_t element, int32_t *rows)
{
    return sn_xpbd_model_has_element(model, element) &&
           sn_batches_vertices(&model->elements, model->element_numbers[element], rows);
}

static double middle_distance(const sn_xpbd_body *flesh, const int32_t *rows, int count, const double *point)
{
    double middle[3] = {0}, place[3];
    for (int k = 0; k < count; ++k) {
        sn_xpbd_get_place(flesh, rows[k], place);
        for (int d = 0; d < 3; ++d) {
            middle[d] += place[d] / count;
        }
    }
    return sn_distance3(middle, point);
}

/* Whether an element is the last one of a vertex. Such elements are kept, since a vertex without any would fall freely.
 * element_counts (vertex_count): elements per vertex. */
static bool is_spared(const int32_t *held, const int32_t *rows, int count)
{
    bool is_last = false;
    for (int k = 0; k < count; ++k) {
        is_last |= held[rows[k]] == 1;
    }
    return is_last;
}

static int tear_with(sn_xpbd_body *flesh, sn_xpbd_model *model, const double *point, double radius, int32_t *held)
{
    const int count = model->dimension + 1;
    int torn = 0;
    int32_t rows[4];
    for (int32_t e = 0; e < model->element_count; ++e) {
        for (int k = 0; rows_of(model, e, rows) && k < count; ++k) {
            ++held[rows[k]];
        }
    }
    for (int32_t e = 0; e < model->element_count; ++e) {
        if (!rows_of(model, e, rows) || !(middle_distance(flesh, rows, count, point) < radius) ||
            is_spared(held, rows, count)) {
            continue;
        }
        for (int k = 0; k < count; ++k) {
            --held[rows[k]];
        }
        sn_xpbd_model_remove_element(model, e);
        ++torn;
    }
    return torn;
}

int sn_coupled_tear(sn_table_body *b, const double *point, double radius)
{
    sn_xpbd_body *flesh = sn_coupled_body_flesh(b->body);
    sn_xpbd_model *model = NULL;
    int32_t *held = sn_alloc((size_t)flesh->model->vertex_count, sizeof *held);
    int torn = -1;
    if (held && sn_xpbd_body_own_model(flesh, &model) == SN_OK) {
        torn = tear_with(flesh, model, point, radius, held);
    }
    sn_free(held, (size_t)flesh->model->vertex_count, sizeof *held);
    return torn;
}

sn_result sn_coupled_mend(sn_table_body *b)
{
    sn_xpbd_model *model = sn_coupled_body_flesh(b->body)->own_model;
    return model ? sn_xpbd_model_restore_elements(model, b->shared->bones->flesh->model) : SN_OK;
}

int sn_coupled_add_spring(sn_table_body *b, const int32_t *vertices, double length, double stiffness)
{
    sn_xpbd_body *flesh = sn_coupled_body_flesh(b->body);
    sn_xpbd_constraint spring = {.kind = SN_XPBD_DISTANCE, .stiffness = stiffness, .has_rest = true, .rest = length};
    sn_xpbd_model *model = NULL;
    int32_t number = -1;
    memcpy(spring.vertices, vertices, 2 * sizeof *vertices);
    if (length < 0) {
        double places[2][3];
        for (int k = 0; k < 2; ++k) {
            sn_xpbd_get_place(flesh, flesh->model->rows[vertices[k]], places[k]);
        }
        spring.rest = sn_distance3(places[0], places[1]);
    }
    const bool is_made =
        sn_xpbd_body_own_model(flesh, &model) == SN_OK && sn_xpbd_model_add(model, &spring, &number) == SN_OK;
    return is_made ? number : -1;
}

void sn_coupled_remove_spring(sn_table_body *b, int spring)
{
    sn_xpbd_model *model = sn_coupled_body_flesh(b->body)->own_model;
    int32_t rows[2];
    if (model && sn_batches_vertices(&model->kinds[SN_XPBD_DISTANCE], spring, rows)) {
        sn_xpbd_model_remove(model, SN_XPBD_DISTANCE, spring);
    }
}

sn_result sn_coupled_keep_edits(const sn_xpbd_body *from, sn_xpbd_body *to)
{
    sn_xpbd_model *model = NULL;
    if (!from->own_model) {
        return SN_OK;
    }
    const sn_result result = sn_xpbd_body_own_model(to, &model);
    return result == SN_OK ? sn_xpbd_model_repeat_edits(from->own_model, model) : result;
}
