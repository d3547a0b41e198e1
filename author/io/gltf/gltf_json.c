/* SPDX-License-Identifier: MIT */
#include "author/io/gltf/gltf_json.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 16                         /* max. depth of the paths in messages */
#define MAX_EXACT_INTEGER 9007199254740992.0 /* 2^53 */

sn_json sn_json_root(sn_json_reader *reader, const json_t *value)
{
    return (sn_json){.reader = reader, .value = value};
}

void sn_json_path(const sn_json *at, char path[SN_JSON_PATH_CHARS])
{
    const sn_json *chain[MAX_DEPTH];
    int depth = 0, length = 0;
    for (const sn_json *location = at; location->parent && depth < MAX_DEPTH; location = location->parent) {
        chain[depth++] = location;
    }
    snprintf(path, SN_JSON_PATH_CHARS, "document");
    while (depth-- > 0 && length < SN_JSON_PATH_CHARS) {
        const size_t space = (size_t)(SN_JSON_PATH_CHARS - length);
        length += chain[depth]->key ? snprintf(path + length, space, length > 0 ? ".%s" : "%s", chain[depth]->key)
                                    : snprintf(path + length, space, "[%zu]", chain[depth]->index);
    }
}

sn_result sn_json_fail(const sn_json *at, sn_result code, const char *format, ...)
{
    if (!sn_json_failed(at)) {
        char path[SN_JSON_PATH_CHARS], cause[512];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(cause, sizeof cause, format, arguments);
        va_end(arguments);
        sn_json_path(at, path);
        at->reader->result = sn_fail(code, "%s: %s: %s", at->reader->name, path, cause);
    }
    return code;
}

void sn_json_set_result(sn_json_reader *reader, sn_result result)
{
    SN_ASSERT(reader->result == SN_OK);
    reader->result = result;
}

void sn_json_warn(const sn_json *at, uint32_t what, const char *format, ...)
{
    if (!(at->reader->warned & what)) {
        char path[SN_JSON_PATH_CHARS], cause[512];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(cause, sizeof cause, format, arguments);
        va_end(arguments);
        sn_json_path(at, path);
        at->reader->warned |= what;
        sn_log(SN_LOG_WARNING, "%s: %s: %s", at->reader->name, path, cause);
    }
}

sn_json sn_json_get(const sn_json *object, const char *key)
{
    if (object->value && !json_is_object(object->value)) {
        sn_json_fail(object, SN_ERROR_FORMAT, "is not an object");
    }
    /* json_object_get returns null for other types */
    return (sn_json){
        .reader = object->reader, .parent = object, .key = key, .value = json_object_get(object->value, key)};
}

sn_json sn_json_entry(const sn_json *array, size_t index)
{
    return (sn_json){
        .reader = array->reader, .parent = array, .index = index, .value = json_array_get(array->value, index)};
}

int sn_json_count(const sn_json *array)
{
    if (array->value && !json_is_array(array->value)) {
        sn_json_fail(array, SN_ERROR_FORMAT, "is not an array");
    }
    const size_t count = json_array_size(array->value);
    if (count > INT32_MAX) {
        sn_json_fail(array, SN_ERROR_UNSUPPORTED, "has too many entries: %zu", count);
        return 0;
    }
    return (int)count;
}

bool sn_json_has(const sn_json *object, const char *key)
{
    return sn_json_get(object, key).value;
}

void sn_json_check_keys(const sn_json *object, const char *const *names)
{
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach((json_t *)(uintptr_t)object->value, key, value)
    {
        int known = 0;
        while (names[known] && strcmp(names[known], key) != 0) {
            ++known;
        }
        if (!names[known]) {
            const sn_json at = {.reader = object->reader, .parent = object, .key = key, .value = value};
            sn_json_fail(&at, SN_ERROR_FORMAT, "is an unknown key");
            return;
        }
    }
}

bool sn_json_require(const sn_json *object, const char *key)
{
    const sn_json at = sn_json_get(object, key);
    if (!at.value) {
        sn_json_fail(&at, SN_ERROR_FORMAT, "is missing");
    }
    return at.value;
}

static int64_t to_integer(const sn_json *at, int64_t fallback, int64_t min_value, int64_t max_value)
{
    int64_t value = json_integer_value(at->value);
    if (!at->value) {
        return fallback;
    }
    if (json_is_real(at->value)) {
        const double real = json_real_value(at->value);
        if (fabs(real) > MAX_EXACT_INTEGER || real != floor(real)) {
            sn_json_fail(at, SN_ERROR_FORMAT, "is not an integer: %g", real);
            return fallback;
        }
        value = (int64_t)real;
    } else if (!json_is_integer(at->value)) {
        sn_json_fail(at, SN_ERROR_FORMAT, "is not an integer");
        return fallback;
    }
    if (value < min_value && max_value == INT64_MAX) {
        sn_json_fail(at, SN_ERROR_FORMAT, "is %lld; it must be at least %lld", (long long)value, (long long)min_value);
        return fallback;
    }
    if (value < min_value || value > max_value) {
        sn_json_fail(at, SN_ERROR_FORMAT, "is %lld; it must be from %lld to %lld", (long long)value,
                     (long long)min_value, (long long)max_value);
        return fallback;
    }
    return value;
}

int64_t sn_json_integer(const sn_json *object, const char *key, int64_t fallback, int64_t min_value, int64_t max_value)
{
    const sn_json at = sn_json_get(object, key);
    return to_integer(&at, fallback, min_value, max_value);
}

static int32_t to_index(const sn_json *at, int count)
{
    const int64_t index = to_integer(at, -1, INT64_MIN, INT64_MAX);
    if (at->value && (index < 0 || index >= count)) {
        sn_json_fail(at, SN_ERROR_FORMAT, "refers to entry %lld, but there are only %d", (long long)index, count);
        return -1;
    }
    return (int32_t)index;
}

int32_t sn_json_index(const sn_json *object, const char *key, int count)
{
    const sn_json at = sn_json_get(object, key);
    return to_index(&at, count);
}

int32_t sn_json_entry_index(const sn_json *array, size_t index, int count)
{
    const sn_json at = sn_json_entry(array, index);
    return to_index(&at, count);
}

static double to_number(const sn_json *at, double fallback)
{
    const double value = json_number_value(at->value);
    if (!at->value) {
        return fallback;
    }
    if (!json_is_number(at->value)) {
        sn_json_fail(at, SN_ERROR_FORMAT, "is not a number");
        return fallback;
    }
    if (!(fabs(value) <= FLT_MAX)) {
        sn_json_fail(at, SN_ERROR_FORMAT, "is too large: %g", value);
        return fallback;
    }
    return value;
}

double sn_json_number(const sn_json *object, const char *key, double fallback)
{
    const sn_json at = sn_json_get(object, key);
    return to_number(&at, fallback);
}

double sn_json_entry_number(const sn_json *array, size_t index, double fallback)
{
    const sn_json at = sn_json_entry(array, index);
    return to_number(&at, fallback);
}

bool sn_json_flag(const sn_json *object, const char *key, bool fallback)
{
    const sn_json at = sn_json_get(object, key);
    if (at.value && !json_is_boolean(at.value)) {
        sn_json_fail(&at, SN_ERROR_FORMAT, "is neither true nor false");
    }
    return json_is_boolean(at.value) ? json_is_true(at.value) : fallback;
}

const char *sn_json_text(const sn_json *object, const char *key, const char *fallback)
{
    const sn_json at = sn_json_get(object, key);
    if (at.value && !json_is_string(at.value)) {
        sn_json_fail(&at, SN_ERROR_FORMAT, "is not a string");
    }
    return json_is_string(at.value) ? json_string_value(at.value) : fallback;
}

bool sn_json_numbers(const sn_json *object, const char *key, int count, double *out)
{
    const sn_json array = sn_json_get(object, key);
    const int entry_count = sn_json_count(&array);
    if (!json_is_array(array.value)) {
        return false;
    }
    if (entry_count != count) {
        sn_json_fail(&array, SN_ERROR_FORMAT, "has %d entries instead of %d", entry_count, count);
        return false;
    }
    for (int i = 0; i < count; ++i) {
        const sn_json entry = sn_json_entry(&array, (size_t)i);
        out[i] = to_number(&entry, out[i]);
    }
    return !sn_json_failed(object);
}
