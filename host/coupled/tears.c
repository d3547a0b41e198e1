/* SPDX-License-Identifier: MIT */
/* Tears and repairs flesh and adds springs: edits of a body's own copy of the shared tets. */
#include <math.h>
#include <string.h>

#include "host/coupled/table.h"
#include "host/math/vec3.h"
#include "host/xpbd/solver.h"

/* Reads the rows of an element; false if it was removed. */
static bool get_rows(const sn_xpbd_model *model, int32_t element, int32_t *rows)
{
    return sn_xpbd_model_has_element(model, element) &&
           sn_batches_vertices(&model->elements, model->element_numbers[element], rows);
}

static double center_distance(const sn_xpbd_body *flesh, const int32_t *rows, int count, const double *point)
{
    double center[3] = {0}, position[3];
    for (int k = 0; k < count; ++k) {
        sn_xpbd_get_position(flesh, rows[k], position);
        for (int d = 0; d < 3; ++d) {
            center[d] += position[d] / count;
        }
    }
    return sn_distance3(center, point);
}

/* Whether an element is the last one of a vertex. Such elements are kept, since a vertex without any would fall freely.
 * element_counts (vertex_count): elements per vertex. */
static bool is_last_element(const int32_t *element_counts, const int32_t *rows, int count)
{
    bool has_last = false;
    for (int k = 0; k < count; ++k) {
        has_last |= element_counts[rows[k]] == 1;
    }
    return has_last;
}

static int remove_elements(sn_xpbd_body *flesh, sn_xpbd_model *model, const double *point, double radius,
                           int32_t *element_counts)
{
    const int count = model->dimension + 1;
    int removed = 0;
    int32_t rows[4];
    for (int32_t e = 0; e < model->element_count; ++e) {
        for (int k = 0; get_rows(model, e, rows) && k < count; ++k) {
            ++element_counts[rows[k]];
        }
    }
    for (int32_t e = 0; e < model->element_count; ++e) {
        if (!get_rows(model, e, rows) || !(center_distance(flesh, rows, count, point) < radius) ||
            is_last_element(element_counts, rows, count)) {
            continue;
        }
        for (int k = 0; k < count; ++k) {
            --element_counts[rows[k]];
        }
        sn_xpbd_model_remove_element(model, e);
        ++removed;
    }
    return removed;
}

int sn_coupled_tear(sn_coupled_table_body *b, const double *point, double radius)
{
    sn_xpbd_body *flesh = sn_coupled_body_flesh(b->body);
    sn_xpbd_model *model = NULL;
    int32_t *element_counts = sn_alloc((size_t)flesh->model->vertex_count, sizeof *element_counts);
    int removed = -1;
    if (element_counts && sn_xpbd_body_editable_model(flesh, &model) == SN_OK) {
        removed = remove_elements(flesh, model, point, radius, element_counts);
    }
    sn_free(element_counts, (size_t)flesh->model->vertex_count, sizeof *element_counts);
    return removed;
}

sn_result sn_coupled_restore_elements(sn_coupled_table_body *b)
{
    sn_xpbd_model *model = sn_coupled_body_flesh(b->body)->own_model;
    return model ? sn_xpbd_model_restore_elements(model, b->shared->bones->flesh->model) : SN_OK;
}

int sn_coupled_add_spring(sn_coupled_table_body *b, const int32_t *vertices, double length, double stiffness)
{
    sn_xpbd_body *flesh = sn_coupled_body_flesh(b->body);
    sn_xpbd_constraint spring = {.type = SN_XPBD_DISTANCE, .stiffness = stiffness, .has_rest = true, .rest = length};
    sn_xpbd_model *model = NULL;
    int32_t number = -1;
    memcpy(spring.vertices, vertices, 2 * sizeof *vertices);
    if (length < 0) {
        double positions[2][3];
        for (int k = 0; k < 2; ++k) {
            sn_xpbd_get_position(flesh, flesh->model->rows[vertices[k]], positions[k]);
        }
        spring.rest = sn_distance3(positions[0], positions[1]);
    }
    const bool is_added =
        sn_xpbd_body_editable_model(flesh, &model) == SN_OK && sn_xpbd_model_add(model, &spring, &number) == SN_OK;
    return is_added ? number : -1;
}

void sn_coupled_remove_spring(sn_coupled_table_body *b, int spring)
{
    sn_xpbd_model *model = sn_coupled_body_flesh(b->body)->own_model;
    int32_t rows[2];
    if (model && sn_batches_vertices(&model->constraints_by_type[SN_XPBD_DISTANCE], spring, rows)) {
        sn_xpbd_model_remove(model, SN_XPBD_DISTANCE, spring);
    }
}

sn_result sn_coupled_copy_edits(const sn_xpbd_body *from, sn_xpbd_body *to)
{
    sn_xpbd_model *model = NULL;
    if (!from->own_model) {
        return SN_OK;
    }
    SN_TRY(sn_xpbd_body_editable_model(to, &model));
    return sn_xpbd_model_apply_edits(from->own_model, model);
}
