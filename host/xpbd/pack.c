/* SPDX-License-Identifier: MIT */
/* Checks elements and constraints and packs their rows and values for the batches. */
#include <math.h>

#include "host/math/rotation.h"
#include "host/math/vec3.h"
#include "host/xpbd/pack.h"

#define MIN_RATIO 1e-6 /* minimal lambda / mu of tets, which replaces a stiffness of 0 */

static bool are_vertices_valid(const int32_t *vertices, int count, int vertex_count)
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

/* Dm^-1 (corners - 1 squared, row-major) of an element's rest positions, in double from the stored floats; returns area
 * or volume. */
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

/* ---- elements ---- */

sn_result sn_xpbd_check_element(const sn_xpbd_model *model, int element, const sn_xpbd_element *of)
{
    const int corners = model->dimension + 1;
    if (!are_vertices_valid(of->vertices, corners, model->vertex_count)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: element %d: a vertex is out of range or repeated",
                              element);
    }
    if (!(of->mu > 0 && of->mu < INFINITY && of->lambda < INFINITY)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: element %d: lambda %g or mu %g is out of range", element,
                              of->lambda, of->mu);
    }
    const double min_lambda = corners == 3 ? -of->mu : model->is_polar ? -2 * of->mu / 3 : 0;
    if (corners == 4 && !model->is_polar ? !(of->lambda >= 0) : !(of->lambda > min_lambda)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: element %d: lambda %g is not above %g", element,
                              of->lambda, min_lambda);
    }
    return SN_OK;
}

sn_result sn_xpbd_measure_element(const sn_xpbd_model *model, int element, const int32_t *vertices, int32_t *rows,
                                  double *size)
{
    const int corners = model->dimension + 1;
    double inverse[9];
    element_rows(model, vertices, corners, rows);
    /* a tet's orientation refers to its first corner, the constraint's base is the last: the sign flips */
    *size =
        corners == 4 ? -element_inverse(model, rows, corners, inverse) : element_inverse(model, rows, corners, inverse);
    return *size > 0 ? SN_OK
                     : sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: element %d: %s %g is not positive", element,
                                      corners == 4 ? "volume" : "area", *size);
}

sn_result sn_xpbd_pack_rows(const sn_xpbd_model *model, int element, const sn_xpbd_element *of, const int32_t *rows,
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
    values[entries] = (float)(1 / (fmax(hydrostatic, MIN_RATIO * of->mu) * size));
    values[entries + 1] = (float)(1 / ((model->is_polar ? 2 : 1) * of->mu * size));
    return are_finite(values, entries + 2)
               ? SN_OK
               : sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: element %d: too thin or too soft for float precision",
                                element);
}

sn_result sn_xpbd_check_strain(int element, const double *stiffness, const double *axes, double *max_stiffness)
{
    *max_stiffness = 0;
    for (int i = 0; i < STRAIN_COUNT; ++i) {
        if (!(stiffness[i] >= 0 && stiffness[i] < INFINITY)) {
            return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: element %d: stiffness %d is %g", element, i,
                                  stiffness[i]);
        }
        *max_stiffness = fmax(*max_stiffness, stiffness[i]);
    }
    if (!(*max_stiffness > 0)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: element %d: all its stiffnesses are 0", element);
    }
    return !axes || sn_is_rotation3(axes)
               ? SN_OK
               : sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: element %d: its axes are not a rotation matrix",
                                element);
}

sn_result sn_xpbd_pack_strain(const sn_xpbd_model *model, int element, const double *stiffness, const double *axes,
                              const int32_t *rows, float *values)
{
    double inverse[9], max_stiffness;
    const sn_result result = sn_xpbd_check_strain(element, stiffness, axes, &max_stiffness);
    if (result != SN_OK) {
        return result;
    }
    const double size = fabs(element_inverse(model, rows, 4, inverse));
    for (int i = 0; i < 9; ++i) {
        const double *row = inverse + i / 3 * 3;
        const double rotated = axes ? row[0] * axes[i % 3] + row[1] * axes[3 + i % 3] + row[2] * axes[6 + i % 3] : 0;
        values[i] = (float)(axes ? rotated : inverse[i]);
        if (axes) {
            values[STRAIN_VALUES + i] = (float)axes[i];
        }
    }
    for (int i = 0; i < STRAIN_COUNT; ++i) {
        values[9 + i] = (float)(1 / (fmax(stiffness[i], MIN_RATIO * max_stiffness) * size));
    }
    return are_finite(values, STRAIN_VALUES)
               ? SN_OK
               : sn_fail_within(SN_ERROR_ARGUMENT, "xpbd model: element %d: too thin or too soft for float precision",
                                element);
}

sn_result sn_xpbd_pack_element(const sn_xpbd_model *model, int element, const sn_xpbd_element *of, int32_t *rows,
                               float *values, double *size)
{
    SN_TRY(sn_xpbd_measure_element(model, element, of->vertices, rows, size));
    return sn_xpbd_pack_rows(model, element, of, rows, values);
}

/* ---- constraints ---- */

sn_result sn_xpbd_check_constraint(const sn_xpbd_model *model, const sn_xpbd_constraint *c)
{
    if ((unsigned)c->type >= SN_XPBD_TYPE_COUNT) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd constraint: unknown type %d", (int)c->type);
    }
    if (!are_vertices_valid(c->vertices, sn_xpbd_corner_counts[c->type], model->vertex_count)) {
        return sn_fail_within(SN_ERROR_ARGUMENT,
                              "xpbd constraint: vertices %d %d %d %d: one is out of range or repeated", c->vertices[0],
                              c->vertices[1], c->vertices[2], c->vertices[3]);
    }
    if (!(c->stiffness > 0) || (c->has_rest && !isfinite(c->rest))) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd constraint: stiffness %g or rest %g is out of range",
                              c->stiffness, c->rest);
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
    /* computed as in the recipe, so that rest is exact */
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
    return *size > 0 ? SN_OK : sn_fail_within(SN_ERROR_ARGUMENT, "xpbd constraint: volume %g is not positive", *size);
}

sn_result sn_xpbd_pack_constraint(const sn_xpbd_model *model, const sn_xpbd_constraint *c, int32_t *rows, float *values)
{
    sn_result result = sn_xpbd_check_constraint(model, c);
    if (result != SN_OK) {
        return result;
    }
    const int last = sn_xpbd_value_counts[c->type] - 1;
    double size = 1;
    element_rows(model, c->vertices, sn_xpbd_corner_counts[c->type], rows);
    if (c->type == SN_XPBD_DISTANCE) {
        pack_distance(model, c, rows, values);
    } else if (c->type == SN_XPBD_BENDING) {
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
        result = sn_fail_within(SN_ERROR_ARGUMENT, "xpbd constraint: too thin or too soft for float precision");
    }
    return result;
}
