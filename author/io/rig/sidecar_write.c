/* SPDX-License-Identifier: MIT */
#include "author/io/rig/sidecar_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "author/io/json_load.h"

#define DUMP_FLAGS (JSON_INDENT(2) | JSON_REAL_PRECISION(15)) /* 15 digits: 0.03 stays 0.03 */

/* Rounded to four digits, since a slider's further digits mean nothing. */
static int set_number(json_t *part, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", value);
    return json_object_set_new(part, key, json_real(strtod(text, NULL)));
}

/* The object of a part; the name of a kind in its place becomes its member "kind". */
static json_t *object_of(json_t *parts, const char *name)
{
    json_t *part = json_object_get(parts, name);
    if (json_is_object(part)) {
        return part;
    }
    json_t *object = json_object();
    if (json_is_string(part)) {
        json_object_set(object, "kind", part);
    }
    return json_object_set_new(parts, name, object) == 0 ? object : NULL;
}

static int set_part(json_t *parts, const sn_named_part *from)
{
    json_t *part = object_of(parts, from->name);
    int status = part ? 0 : -1;
    if (part && from->kind) {
        status |= json_object_set_new(part, "kind", json_string(from->kind));
    }
    if (part && from->amplitude >= 0) {
        status |= set_number(part, "amplitude", from->amplitude);
        json_object_del(part, "frequency");
    }
    if (part && from->frequency > 0) {
        status |= set_number(part, "frequency", from->frequency);
        json_object_del(part, "amplitude");
    }
    if (part && from->settling_time > 0) {
        status |= set_number(part, "settle", from->settling_time);
    }
    return status;
}

static sn_result load(const char *path, sn_arena *arena, json_t **root)
{
    sn_source source;
    if (access(path, F_OK) != 0) {
        *root = json_object();
        return *root ? SN_OK : SN_ERROR_MEMORY;
    }
    SN_TRY(sn_source_read(path, arena, &source));
    SN_TRY(sn_json_load(&source, JSON_REJECT_DUPLICATES, root));
    const json_t *parts = json_object_get(*root, "parts");
    return json_is_object(*root) && (!parts || json_is_object(parts))
               ? SN_OK
               : sn_fail(SN_ERROR_FORMAT, "%s: it, or its member \"parts\", is not a JSON object; it stays as it is",
                         path);
}

static sn_result change(json_t *root, const sn_named_part *from, int count)
{
    json_t *parts = json_object_get(root, "parts");
    int status = parts ? 0 : json_object_set_new(root, "parts", parts = json_object());
    for (int i = 0; i < count && status == 0; ++i) {
        status = set_part(parts, &from[i]);
    }
    return status == 0 ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result write_text(const char *path, const json_t *root)
{
    char *text = json_dumps(root, DUMP_FLAGS);
    const size_t length = text ? strlen(text) : 0;
    if (!text) {
        return SN_ERROR_MEMORY;
    }
    text[length] = '\n'; /* in place of the terminator */
    const sn_result result = sn_file_write(path, text, length + 1);
    free(text);
    return result;
}

sn_result sn_sidecar_write_parts(const char *path, const sn_named_part *parts, int part_count, char *written,
                                 size_t size)
{
    sn_arena arena = {0};
    json_t *root = NULL;
    const char *name = sn_sidecar_path(path, &arena);
    sn_result result = name ? load(name, &arena, &root) : SN_ERROR_MEMORY;
    result = result ? result : change(root, parts, part_count);
    result = result ? result : write_text(name, root);
    snprintf(written, size, "%s", name ? name : "");
    json_decref(root);
    sn_arena_finish(&arena);
    return result;
}
