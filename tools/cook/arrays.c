/* SPDX-License-Identifier: MIT */
#include "tools/cook/arrays.h"

#include <math.h>

#include "author/io/npy.h"

static sn_result read_array(const char *path, int dimension_count, sn_arena *arena, sn_npy *array)
{
    sn_source source;
    const sn_result result = sn_source_read(path, arena, &source);
    if (result != SN_OK) {
        return result;
    }
    const sn_result read = sn_npy_read(&source, arena, array);
    if (read == SN_OK && array->dimension_count != dimension_count) {
        return sn_fail(SN_ERROR_FORMAT, "%s: has %d dimensions instead of %d", path, array->dimension_count,
                       dimension_count);
    }
    return read;
}

static sn_result read_labels(const char *path, sn_arena *arena, sn_cook_desc *desc)
{
    sn_npy array;
    const sn_result result = read_array(path, 1, arena, &array);
    if (result != SN_OK) {
        return result;
    }
    int32_t *labels = SN_NEW(arena, int32_t, array.count);
    if (!labels) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < array.count; ++i) {
        const double value = array.values[i];
        if (!(value >= 0 && value < 1e9) || value != (double)(int32_t)value) {
            return sn_fail(SN_ERROR_FORMAT, "%s: entry %zu: %g is no cluster label", path, i, value);
        }
        labels[i] = (int32_t)value;
    }
    desc->labels = labels;
    desc->label_count = array.count;
    desc->labels_name = path;
    return SN_OK;
}

static sn_result read_values(const char *path, sn_arena *arena, sn_cook_values *values)
{
    sn_npy array;
    SN_TRY(read_array(path, 1, arena, &array));
    *values = (sn_cook_values){array.values, array.count, path};
    return SN_OK;
}

static sn_result read_rows(const char *path, sn_arena *arena, sn_cook_desc *desc)
{
    sn_npy array;
    SN_TRY(read_array(path, 2, arena, &array));
    desc->rows = array.values;
    desc->row_count = array.shape[0];
    desc->row_length = array.shape[1];
    desc->rows_name = path;
    return SN_OK;
}

/* Detects lists of only 0 and 1, which are most likely masks of the wrong type and length. */
static bool is_ambiguous(const sn_npy *array)
{
    bool is_mask = array->count > 1;
    for (size_t i = 0; i < array->count; ++i) {
        is_mask &= array->values[i] == 0 || array->values[i] == 1;
    }
    return is_mask;
}

static sn_result list_pins(const char *path, const sn_npy *array, sn_arena *arena, sn_cook_desc *desc)
{
    if (is_ambiguous(array)) {
        return sn_fail(
            SN_ERROR_FORMAT,
            "%s: %zu integers, all 0 or 1: vertices, or a mask? A mask is of bool or float, an entry a vertex", path,
            array->count);
    }
    int32_t *pins = SN_NEW(arena, int32_t, array->count);
    if (!pins) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < array->count; ++i) {
        if (!(fabs(array->values[i]) < 2e9)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: entry %zu: %g is no vertex", path, i, array->values[i]);
        }
        pins[i] = (int32_t)array->values[i];
    }
    desc->pins = pins;
    desc->pin_count = array->count;
    return SN_OK;
}

static sn_result mask_pins(const char *path, const sn_npy *array, sn_arena *arena, sn_cook_desc *desc)
{
    uint8_t *mask = SN_NEW(arena, uint8_t, array->count);
    if (!mask) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < array->count; ++i) {
        if (array->values[i] != 0 && array->values[i] != 1) {
            return sn_fail(SN_ERROR_FORMAT, "%s: entry %zu is %g, neither 0 (free) nor 1 (pinned)", path, i,
                           array->values[i]);
        }
        mask[i] = array->values[i] != 0;
    }
    desc->pin_mask = mask;
    desc->pin_mask_count = array->count;
    return SN_OK;
}

/* Integers are a list of vertices, as from numpy.nonzero; all other types are a mask. */
static sn_result read_pins(const char *path, sn_arena *arena, sn_cook_desc *desc)
{
    sn_npy array;
    const sn_result result = read_array(path, 1, arena, &array);
    if (result != SN_OK) {
        return result;
    }
    desc->pin_name = path;
    return array.is_integer ? list_pins(path, &array, arena, desc) : mask_pins(path, &array, arena, desc);
}

sn_result sn_cook_arrays_read(const sn_cook_array_paths *paths, sn_arena *arena, sn_cook_desc *desc)
{
    sn_cook_values leak = {.values = desc->leak_values, .count = desc->leak_count, .name = desc->leak_name};
    sn_result result = SN_OK;
    if (paths->rows) {
        result = read_rows(paths->rows, arena, desc);
    }
    if (result == SN_OK && paths->pins) {
        result = read_pins(paths->pins, arena, desc);
    }
    if (result == SN_OK && paths->labels) {
        result = read_labels(paths->labels, arena, desc);
    }
    const struct {
        const char *path;
        sn_cook_values *values;
    } lists[] = {{paths->leak, &leak},
                 {paths->tet_stiffness, &desc->tet_stiffness},
                 {paths->tet_density, &desc->tet_density},
                 {paths->tet_poisson, &desc->tet_poisson}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0] && result == SN_OK; ++i) {
        result = lists[i].path ? read_values(lists[i].path, arena, lists[i].values) : SN_OK;
    }
    desc->leak_values = leak.values;
    desc->leak_count = leak.count;
    desc->leak_name = leak.name;
    return result;
}
