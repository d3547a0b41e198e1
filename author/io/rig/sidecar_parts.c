/* SPDX-License-Identifier: MIT */
#include "author/io/rig/sidecar_parts.h"

#include <string.h>

static const char *copy_text(sn_arena *arena, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = SN_NEW(arena, char, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static sn_result read_number(const char *file, const char *name, const char *key, const json_t *value,
                             const double range[2], double *number)
{
    *number = json_is_number(value) ? json_number_value(value) : range[0] - 1;
    return *number >= range[0] && *number <= range[1]
               ? SN_OK
               : sn_fail(SN_ERROR_FORMAT, "%s: parts.%s.%s: must be a number from %g to %g", file, name, key, range[0],
                         range[1]);
}

static sn_result read_kind(const char *file, const char *name, const char *key, const json_t *value, sn_arena *arena,
                           sn_named_part *part)
{
    const char *text = json_string_value(value);
    if (!text) {
        return sn_fail(SN_ERROR_FORMAT, "%s: parts.%s%s: must be \"rigid\", \"soft\" or the name of a kind of part",
                       file, name, key);
    }
    part->kind = copy_text(arena, text);
    return part->kind ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result read_part(const char *file, const char *name, json_t *value, sn_arena *arena, sn_named_part *part)
{
    static const double amplitudes[2] = {0, SN_MAX_PART_AMPLITUDE}, depths[2] = {0, 1};
    static const double frequencies[2] = {SN_MIN_PART_FREQUENCY, SN_MAX_PART_FREQUENCY};
    static const double times[2] = {SN_MIN_SETTLING_TIME, SN_MAX_SETTLING_TIME};
    *part = (sn_named_part){.name = copy_text(arena, name), .amplitude = -1, .core_depth = -1};
    if (!part->name) {
        return SN_ERROR_MEMORY;
    }
    if (json_is_string(value)) {
        return read_kind(file, name, "", value, arena, part);
    }
    if (!json_is_object(value)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: parts.%s: must be the name of a kind or an object", file, name);
    }
    const char *key = NULL;
    json_t *entry = NULL;
    sn_result result = SN_OK;
    json_object_foreach(value, key, entry)
    {
        if (result != SN_OK) {
            break;
        }
        if (strcmp(key, "kind") == 0) {
            result = read_kind(file, name, ".kind", entry, arena, part);
        } else if (strcmp(key, "amplitude") == 0) {
            result = read_number(file, name, key, entry, amplitudes, &part->amplitude);
        } else if (strcmp(key, "frequency") == 0) {
            result = read_number(file, name, key, entry, frequencies, &part->frequency);
        } else if (strcmp(key, "settle") == 0) {
            result = read_number(file, name, key, entry, times, &part->settling_time);
        } else if (strcmp(key, "core") == 0) {
            result = read_number(file, name, key, entry, depths, &part->core_depth);
        } else {
            sn_log(SN_LOG_WARNING, "%s: parts.%s.%s: unknown key, ignored", file, name, key);
        }
    }
    return result;
}

sn_result sn_sidecar_read_parts(const char *file, json_t *value, sn_arena *arena, sn_named_part **parts, int *count)
{
    if (!json_is_object(value)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: parts: must be an object", file);
    }
    *parts = SN_NEW(arena, sn_named_part, json_object_size(value));
    sn_result result = *parts ? SN_OK : SN_ERROR_MEMORY;
    const char *name = NULL;
    json_t *entry = NULL;
    json_object_foreach(value, name, entry)
    {
        if (result == SN_OK) {
            result = read_part(file, name, entry, arena, &(*parts)[(*count)++]);
        }
    }
    return result;
}

sn_result sn_sidecar_read_style(const char *file, const json_t *value, sn_character_style *style)
{
    static const char *const names[SN_STYLE_COUNT] = {NULL, "realistic", "cartoon", "jelly"};
    const char *text = json_string_value(value);
    for (int i = 1; text && i < SN_STYLE_COUNT; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *style = (sn_character_style)i;
            return SN_OK;
        }
    }
    return sn_fail(SN_ERROR_FORMAT, "%s: character: must be \"realistic\", \"cartoon\" or \"jelly\"", file);
}
