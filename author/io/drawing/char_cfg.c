/* SPDX-License-Identifier: MIT */
/* Reads char_cfg.yaml of Animated Drawings: `skeleton`, a list of joints with `name`, `loc` (x and y) and `parent` (a
 * name, or null). Other members are skipped. libyaml is used as an event parser, so that aliases cannot expand. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "author/io/rig/rig_handles.h"
#include "author/io/text.h"

#define JOINT_LIMIT SN_RIG_HANDLE_LIMIT
#define MAX_DEPTH 64
#define MAX_NAME 160

typedef struct joint {
    const char *name, *parent; /* null: missing, or null */
    double location[2];
    int coordinate_count;
    size_t line;
} joint;

typedef struct reader {
    const char *file;
    yaml_parser_t parser;
    yaml_event_t event;
    bool has_event;
    sn_arena *arena;
    joint *joints; /* (JOINT_LIMIT) */
    int count;
    bool has_skeleton;
} reader;

static sn_result fail_at(const reader *r, size_t line, const char *cause)
{
    return sn_fail(SN_ERROR_FORMAT, "%s: line %zu: %s", r->file, line, cause);
}

static sn_result fail(const reader *r, const char *cause)
{
    return fail_at(r, r->event.start_mark.line + 1, cause);
}

static sn_result next(reader *r)
{
    if (r->has_event) {
        yaml_event_delete(&r->event);
    }
    r->has_event = yaml_parser_parse(&r->parser, &r->event) != 0;
    if (!r->has_event) {
        const char *cause = r->parser.problem ? r->parser.problem : "not YAML";
        memset(&r->event, 0, sizeof r->event);
        return fail_at(r, r->parser.problem_mark.line + 1, cause);
    }
    return r->event.type == YAML_ALIAS_EVENT ? fail(r, "aliases are not supported") : SN_OK;
}

/* Skips the value that begins with the current event. */
static sn_result skip_value(reader *r)
{
    int depth = 0;
    for (;;) {
        const yaml_event_type_t type = r->event.type;
        depth += type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT;
        depth -= type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_END_EVENT;
        if (depth > MAX_DEPTH) {
            return fail(r, "the nesting is too deep");
        }
        const sn_result result = next(r);
        if (result != SN_OK || depth == 0) {
            return result;
        }
    }
}

static bool is_key(const reader *r, const char *name)
{
    return r->event.type == YAML_SCALAR_EVENT && strcmp((const char *)r->event.data.scalar.value, name) == 0;
}

/* Reads a scalar; null for YAML's null. */
static sn_result read_text(reader *r, const char **text)
{
    if (r->event.type != YAML_SCALAR_EVENT) {
        return fail(r, "a name is expected");
    }
    const char *value = (const char *)r->event.data.scalar.value;
    const size_t size = r->event.data.scalar.length;
    const bool is_plain = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (is_plain && (size == 0 || strcmp(value, "null") == 0 || strcmp(value, "~") == 0)) {
        *text = NULL;
        return next(r);
    }
    if (size == 0 || size > MAX_NAME || strlen(value) != size) {
        return fail(r, "a name must have 1 to 160 bytes");
    }
    char *copy = SN_NEW(r->arena, char, size + 1);
    if (!copy) {
        return SN_ERROR_MEMORY;
    }
    *text = memcpy(copy, value, size);
    return next(r);
}

static sn_result read_location(reader *r, joint *j)
{
    if (r->event.type != YAML_SEQUENCE_START_EVENT) {
        return fail(r, "loc: must be two numbers");
    }
    SN_TRY(next(r));
    for (; r->event.type != YAML_SEQUENCE_END_EVENT; ++j->coordinate_count) {
        if (r->event.type != YAML_SCALAR_EVENT || j->coordinate_count == 2) {
            return fail(r, "loc: must be two numbers");
        }
        /* sn_text_double does not depend on the locale */
        const sn_source number = {r->file, r->event.data.scalar.value, r->event.data.scalar.length};
        sn_text text = sn_text_begin(&number, 0);
        text.line = r->event.start_mark.line + 1;
        SN_TRY(sn_text_double(&text, "loc", &j->location[j->coordinate_count]));
        SN_TRY(sn_text_line_end(&text));
        SN_TRY(next(r));
    }
    if (j->coordinate_count != 2) {
        return fail(r, "loc: must be two numbers");
    }
    return next(r);
}

static sn_result read_joint(reader *r)
{
    if (r->event.type != YAML_MAPPING_START_EVENT) {
        return fail(r, "skeleton: must be a list of joints");
    }
    if (r->count == JOINT_LIMIT) {
        return fail(r, "skeleton: more than 1024 joints");
    }
    joint *j = &r->joints[r->count++];
    j->line = r->event.start_mark.line + 1;
    sn_result result = next(r);
    while (result == SN_OK && r->event.type != YAML_MAPPING_END_EVENT) {
        const bool is_name = is_key(r, "name"), is_parent = is_key(r, "parent"), is_location = is_key(r, "loc");
        result = is_name || is_parent || is_location ? next(r) : skip_value(r);
        if (result != SN_OK) {
            return result;
        }
        if (is_location) {
            result = j->coordinate_count > 0 ? fail(r, "loc: defined twice") : read_location(r, j);
        } else if (is_name || is_parent) {
            result = read_text(r, is_name ? &j->name : &j->parent);
        } else {
            result = skip_value(r);
        }
    }
    if (result == SN_OK && (!j->name || j->coordinate_count == 0)) {
        return fail_at(r, j->line, "a joint must have a name and a loc");
    }
    return result == SN_OK ? next(r) : result;
}

static sn_result read_skeleton(reader *r)
{
    if (r->event.type != YAML_SEQUENCE_START_EVENT || r->has_skeleton) {
        return fail(r, r->has_skeleton ? "skeleton: defined twice" : "skeleton: must be a list of joints");
    }
    r->has_skeleton = true;
    SN_TRY(next(r));
    while (r->event.type != YAML_SEQUENCE_END_EVENT) {
        SN_TRY(read_joint(r));
    }
    return next(r);
}

static sn_result read_document(reader *r)
{
    sn_result result = next(r); /* stream start */
    result = result == SN_OK ? next(r) : result;
    result = result == SN_OK ? next(r) : result; /* document start */
    if (result == SN_OK && r->event.type != YAML_MAPPING_START_EVENT) {
        return fail(r, "must be a mapping with a skeleton");
    }
    result = result == SN_OK ? next(r) : result;
    while (result == SN_OK && r->event.type != YAML_MAPPING_END_EVENT) {
        const bool is_skeleton = is_key(r, "skeleton");
        result = is_skeleton ? next(r) : skip_value(r);
        if (result == SN_OK) {
            result = is_skeleton ? read_skeleton(r) : skip_value(r);
        }
    }
    if (result == SN_OK && r->count == 0) {
        return fail_at(r, 1, "skeleton: the list has no joints");
    }
    return result;
}

static int32_t find_joint(const reader *r, const char *name)
{
    for (int32_t i = 0; i < r->count; ++i) {
        if (strcmp(r->joints[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static sn_result link_joints(const reader *r, sn_rig_joint *joints)
{
    for (int i = 0; i < r->count; ++i) {
        const joint *from = &r->joints[i];
        const int32_t parent = from->parent ? find_joint(r, from->parent) : -1;
        if (from->parent && parent < 0) {
            return fail_at(r, from->line, "the joint's parent does not exist");
        }
        joints[i] =
            (sn_rig_joint){.name = from->name, .parent = parent, .head = {from->location[0], from->location[1]}};
    }
    for (int32_t i = 0; i < r->count; ++i) {
        int32_t at = i;
        for (int steps = 0; at >= 0; ++steps) {
            if (steps > r->count) {
                return fail_at(r, r->joints[i].line, "the joint's parents form a cycle");
            }
            at = joints[at].parent;
        }
    }
    return SN_OK;
}

sn_result sn_char_cfg_read(const sn_source *source, sn_arena *arena, sn_rig_handles *handles)
{
    reader r = {.file = source->name, .arena = arena, .joints = SN_NEW(arena, joint, JOINT_LIMIT)};
    if (!r.joints || !yaml_parser_initialize(&r.parser)) {
        return SN_ERROR_MEMORY;
    }
    yaml_parser_set_input_string(&r.parser, source->bytes, source->size);
    sn_result result = read_document(&r);
    if (r.has_event) {
        yaml_event_delete(&r.event);
    }
    yaml_parser_delete(&r.parser);
    sn_rig_joint *joints = SN_NEW(arena, sn_rig_joint, r.count);
    if (result == SN_OK) {
        result = joints ? link_joints(&r, joints) : SN_ERROR_MEMORY;
    }
    return result == SN_OK ? sn_rig_joints_to_handles(source->name, joints, r.count, arena, handles, NULL) : result;
}
