/* SPDX-License-Identifier: MIT */
#include "author/io/rig/sidecar_fibres.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_LENGTH 1e9

typedef struct reader {
    const char *file;
    size_t index;
    sn_arena *arena;
} reader;

static sn_result fail(const reader *r, const char *member, const char *what)
{
    return sn_fail(SN_ERROR_FORMAT, "%s: fibres.curves[%zu]%s%s: %s", r->file, r->index, *member ? "." : "", member,
                   what);
}

/* Reads `count` numbers below 1e9; returns false for anything else. */
static bool read_numbers(const json_t *value, size_t count, double *numbers)
{
    bool is_valid = json_is_array(value) && json_array_size(value) == count;
    for (size_t i = 0; i < count && is_valid; ++i) {
        const json_t *entry = json_array_get(value, i);
        numbers[i] = json_number_value(entry);
        is_valid = json_is_number(entry) && fabs(numbers[i]) < MAX_LENGTH;
    }
    return is_valid;
}

sn_result sn_sidecar_read_factors(const char *file, const char *path, const json_t *value, double *factors)
{
    bool is_valid = read_numbers(value, 3, factors);
    for (int i = 0; i < 3 && is_valid; ++i) {
        is_valid = factors[i] >= SN_MIN_FACTOR && factors[i] <= SN_MAX_FACTOR;
    }
    return is_valid ? SN_OK : sn_fail(SN_ERROR_FORMAT, "%s: %s: must be three numbers from 1e-6 to 1e6", file, path);
}

static sn_result read_points(const reader *r, const json_t *value, sn_cook_curve *c)
{
    const size_t count = json_array_size(value);
    if (!json_is_array(value) || count < 2 || count > SN_CURVE_POINT_LIMIT) {
        return fail(r, "points", "must be a list of 2 to 1024 points");
    }
    double *points = SN_NEW(r->arena, double, 3 * count);
    for (size_t i = 0; points && i < count; ++i) {
        if (!read_numbers(json_array_get(value, i), 3, points + 3 * i)) {
            char member[48];
            snprintf(member, sizeof member, "points[%zu]", i);
            return fail(r, member, "must be three numbers below 1e9");
        }
    }
    c->points = points;
    c->point_count = (int)count;
    return points ? SN_OK : SN_ERROR_MEMORY;
}

/* Reads a list of numbers of any length. */
static sn_result read_list(const reader *r, const char *member, const json_t *value, const double **list)
{
    const size_t count = json_array_size(value);
    double *numbers = SN_NEW(r->arena, double, count);
    if (!numbers) {
        return SN_ERROR_MEMORY;
    }
    *list = numbers;
    return read_numbers(value, count, numbers) ? SN_OK : fail(r, member, "must be a list of numbers below 1e9");
}

static sn_result read_member(const reader *r, const char *key, const json_t *value, sn_cook_curve *c)
{
    if (strcmp(key, "points") == 0) {
        return read_points(r, value, c);
    }
    if (strcmp(key, "weights") == 0) {
        return read_list(r, key, value, &c->weights);
    }
    if (strcmp(key, "knots") == 0) {
        return read_list(r, key, value, &c->knots);
    }
    if (strcmp(key, "normal") == 0) {
        return read_numbers(value, 3, c->normal) ? SN_OK : fail(r, key, "must be three numbers below 1e9");
    }
    if (strcmp(key, "degree") == 0) {
        const json_int_t degree = json_integer_value(value);
        c->degree = degree >= 1 && degree <= 7 ? (int)degree : 0;
        return c->degree ? SN_OK : fail(r, key, "must be an integer from 1 to 7");
    }
    if (strcmp(key, "reach") == 0) {
        c->influence_radius = json_is_number(value) ? json_number_value(value) : -1;
        return c->influence_radius > 0 && c->influence_radius < MAX_LENGTH
                   ? SN_OK
                   : fail(r, key, "must be a number above 0 and below 1e9");
    }
    sn_log(SN_LOG_WARNING, "%s: fibres.curves[%zu].%s: unknown key, ignored", r->file, r->index, key);
    return SN_OK;
}

/* Checks the list lengths, and sets the default degree. */
static sn_result check_counts(const reader *r, const json_t *value, sn_cook_curve *c)
{
    if (!c->points) {
        return fail(r, "points", "is missing");
    }
    c->degree = c->degree > 0 ? c->degree : c->point_count > 3 ? 3 : c->point_count - 1;
    if (c->weights && json_array_size(json_object_get(value, "weights")) != (size_t)c->point_count) {
        return fail(r, "weights", "must have as many entries as points");
    }
    if (c->knots && json_array_size(json_object_get(value, "knots")) != (size_t)(c->point_count + c->degree + 1)) {
        return fail(r, "knots",
                    "must have (number of points) + degree + 1 entries; the default degree is 3, or less for fewer "
                    "than 4 points");
    }
    return SN_OK;
}

static sn_result read_curve(const reader *r, const json_t *value, sn_cook_curve *c)
{
    const char *key = NULL;
    json_t *entry = NULL;
    sn_result result = json_is_object(value) ? SN_OK : fail(r, "", "must be an object");
    json_object_foreach((json_t *)(uintptr_t)value, key, entry)
    {
        result = result == SN_OK ? read_member(r, key, entry, c) : result;
    }
    return result == SN_OK ? check_counts(r, value, c) : result;
}

static sn_result read_curves(const char *file, const json_t *value, sn_arena *arena, sn_cook_fibres *fibres)
{
    const size_t count = json_array_size(value);
    if (!json_is_array(value) || count > SN_CURVE_LIMIT) {
        return sn_fail(SN_ERROR_FORMAT, "%s: fibres.curves: must be a list of up to %d objects", file, SN_CURVE_LIMIT);
    }
    sn_cook_curve *curves = SN_NEW(arena, sn_cook_curve, count);
    sn_result result = curves ? SN_OK : SN_ERROR_MEMORY;
    for (size_t i = 0; i < count && result == SN_OK; ++i) {
        const reader r = {file, i, arena};
        result = read_curve(&r, json_array_get(value, i), &curves[i]);
    }
    fibres->curves = curves;
    fibres->curve_count = result == SN_OK ? (int)count : 0;
    return result;
}

sn_result sn_sidecar_read_fibres(const char *file, const json_t *value, sn_arena *arena, sn_cook_fibres *fibres)
{
    const char *key = NULL;
    json_t *entry = NULL;
    sn_result result = json_is_object(value) ? SN_OK : sn_fail(SN_ERROR_FORMAT, "%s: fibres: must be an object", file);
    *fibres = (sn_cook_fibres){.name = file};
    json_object_foreach((json_t *)(uintptr_t)value, key, entry)
    {
        if (result != SN_OK) {
            break;
        }
        if (strcmp(key, "stretch") == 0) {
            result = sn_sidecar_read_factors(file, "fibres.stretch", entry, fibres->stretch);
        } else if (strcmp(key, "shear") == 0) {
            result = sn_sidecar_read_factors(file, "fibres.shear", entry, fibres->shear);
        } else if (strcmp(key, "curves") == 0) {
            result = read_curves(file, entry, arena, fibres);
        } else {
            sn_log(SN_LOG_WARNING, "%s: fibres.%s: unknown key, ignored", file, key);
        }
    }
    return result;
}
