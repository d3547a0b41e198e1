/* SPDX-License-Identifier: MIT */
/* VRM expressions (0.x: blend shape groups) that move morph targets, and the nodes of a .vrma that animate them. Binds
 * that refer to no morph target of the file are ignored with a warning, since avatars are often edited after their
 * expressions are made. */
#include "author/io/gltf/gltf_reader.h"

#include <string.h>
#include <strings.h>

/* Limit for all expressions. A bind of a mesh counts once for each node that draws it. */
#define MAX_BINDS 65536
#define MAX_TRACKS 4096

/* Presets of VRM 1.0 with their names in 0.x, and the group to which they belong. */
static const struct {
    const char *name, *old;
    uint8_t group;
} presets[] = {
    {"happy", "joy", 0},
    {"angry", "angry", 0},
    {"sad", "sorrow", 0},
    {"relaxed", "fun", 0},
    {"surprised", NULL, 0},
    {"neutral", "neutral", 0},
    {"aa", "a", SN_EXPRESSION_MOUTH},
    {"ih", "i", SN_EXPRESSION_MOUTH},
    {"ou", "u", SN_EXPRESSION_MOUTH},
    {"ee", "e", SN_EXPRESSION_MOUTH},
    {"oh", "o", SN_EXPRESSION_MOUTH},
    {"blink", "blink", SN_EXPRESSION_BLINK},
    {"blinkLeft", "blink_l", SN_EXPRESSION_BLINK},
    {"blinkRight", "blink_r", SN_EXPRESSION_BLINK},
    {"lookUp", "lookup", SN_EXPRESSION_LOOK},
    {"lookDown", "lookdown", SN_EXPRESSION_LOOK},
    {"lookLeft", "lookleft", SN_EXPRESSION_LOOK},
    {"lookRight", "lookright", SN_EXPRESSION_LOOK},
};
#define PRESET_COUNT (sizeof presets / sizeof presets[0])

const char *const sn_vrm_override_names[SN_EXPRESSION_GROUP_COUNT] = {"overrideBlink", "overrideLookAt",
                                                                      "overrideMouth"};

/* Returns -1 if there is none. */
static int find_preset(const char *name)
{
    for (size_t i = 0; i < PRESET_COUNT; ++i) {
        if (strcasecmp(name, presets[i].name) == 0 || (presets[i].old && strcasecmp(name, presets[i].old) == 0)) {
            return (int)i;
        }
    }
    return -1;
}

static void allocate_expressions(sn_gltf *g, const sn_json *at, size_t expression_count, size_t bind_count)
{
    if (bind_count > MAX_BINDS) {
        sn_json_fail(at, SN_ERROR_UNSUPPORTED, "%zu binds of morph targets; at most %d are supported", bind_count,
                     MAX_BINDS);
        return;
    }
    g->scene->expressions = SN_GLTF_NEW(g, g->arena, at, sn_scene_expression, expression_count);
    g->scene->expression_binds = SN_GLTF_NEW(g, g->arena, at, sn_scene_expression_bind, bind_count);
}

/* Reads "none", "block" or "blend" of each group. A group does not suppress itself. */
static void read_overrides(const sn_json *at, sn_expression *e)
{
    for (int i = 0; i < SN_EXPRESSION_GROUP_COUNT; ++i) {
        const char *kind = sn_json_text(at, sn_vrm_override_names[i], "none");
        const uint8_t group = (uint8_t)(1 << i);
        e->blocked_groups |= strcmp(kind, "block") == 0 && group != e->group ? group : 0;
        e->blended_groups |= strcmp(kind, "blend") == 0 && group != e->group ? group : 0;
    }
}

static void begin_expression(sn_gltf *g, const sn_json *at, const char *name)
{
    sn_scene_file *scene = g->scene;
    sn_scene_expression *to = &scene->expressions[scene->expression_count++];
    const int preset = find_preset(name);
    *to = (sn_scene_expression){.name = sn_gltf_copy_text(g, at, name),
                                .definition = {.first_bind = scene->expression_bind_count,
                                               .is_binary = sn_json_flag(at, "isBinary", false),
                                               .group = preset < 0 ? 0 : presets[preset].group}};
    read_overrides(at, &to->definition);
}

static void add_bind(sn_gltf *g, const sn_json *at, sn_scene_expression_bind bind, int64_t morph)
{
    sn_scene_file *scene = g->scene;
    const int32_t mesh = bind.node >= 0 ? scene->nodes[bind.node].mesh : bind.mesh;
    if (sn_gltf_ok(g) && (mesh < 0 || morph < 0 || morph >= scene->meshes[mesh].morph_count)) {
        sn_json_warn(at, SN_GLTF_WARNED_EXPRESSION, "refers to no morph target and is ignored");
    } else if (sn_gltf_ok(g)) {
        bind.morph = (int32_t)morph;
        scene->expression_binds[scene->expression_bind_count++] = bind;
        scene->expressions[scene->expression_count - 1].definition.bind_count++;
    }
}

/* An index below `count`, or -1. */
static int32_t lenient_index(const sn_json *at, const char *key, int count)
{
    const int64_t index = sn_json_integer(at, key, -1, INT32_MIN, INT32_MAX);
    return index >= 0 && index < count ? (int32_t)index : -1;
}

/* 1.0: {"morphTargetBinds": [{"node": 1, "index": 2, "weight": 1}, ...], "isBinary": false}; 0.x: {"presetName": "a",
 * "name": "A", "binds": [{"mesh": 0, "index": 2, "weight": 100}, ...]}. */
static void read_expression(sn_gltf *g, const sn_json *at, const char *name, bool is_old)
{
    const sn_json binds = sn_json_get(at, is_old ? "binds" : "morphTargetBinds");
    const int count = sn_json_count(&binds);
    begin_expression(g, at, name);
    for (int i = 0; i < count && sn_gltf_ok(g); ++i) {
        const sn_json bind = sn_json_entry(&binds, (size_t)i);
        const int64_t morph = sn_json_integer(&bind, "index", -1, INT32_MIN, INT32_MAX);
        const double full_weight = is_old ? 100 : 1;
        add_bind(
            g, &bind,
            (sn_scene_expression_bind){.node = is_old ? -1 : lenient_index(&bind, "node", g->scene->node_count),
                                       .mesh = is_old ? lenient_index(&bind, "mesh", g->scene->mesh_count) : -1,
                                       .weight = (float)(sn_json_number(&bind, "weight", full_weight) / full_weight)},
            morph);
    }
}

static size_t count_binds(json_t *expressions)
{
    size_t count = 0;
    for (void *i = json_object_iter(expressions); i; i = json_object_iter_next(expressions, i)) {
        count += json_array_size(json_object_get(json_object_iter_value(i), "morphTargetBinds"));
    }
    return count;
}

/* Since the names come from the file, messages have indices instead. */
static void read_custom(sn_gltf *g, const sn_json *list, json_t *expressions)
{
    size_t index = 0;
    for (void *i = json_object_iter(expressions); i && sn_gltf_ok(g); i = json_object_iter_next(expressions, i)) {
        const sn_json at = {
            .reader = list->reader, .parent = list, .index = index++, .value = json_object_iter_value(i)};
        read_expression(g, &at, json_object_iter_key(i), false);
    }
}

/* {"preset": {"happy": {...}, ...}, "custom": {...}}: presets in the order of the table, then custom ones. */
static void read_version_1(sn_gltf *g, const sn_json *vrm)
{
    const sn_json list = sn_json_get(vrm, "expressions");
    const sn_json preset = sn_json_get(&list, "preset"), custom = sn_json_get(&list, "custom");
    json_t *named = json_object_get(list.value, "preset"), *others = json_object_get(list.value, "custom");
    allocate_expressions(g, &list, PRESET_COUNT + json_object_size(others), count_binds(named) + count_binds(others));
    for (size_t i = 0; i < PRESET_COUNT && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_get(&preset, presets[i].name);
        if (at.value) {
            read_expression(g, &at, presets[i].name, false);
        }
    }
    read_custom(g, &custom, others);
}

/* The VRM 1.0 name of the preset, or the group's own name. */
static const char *name_of_group(const sn_json *at)
{
    const char *preset = sn_json_text(at, "presetName", "");
    for (size_t i = 0; i < PRESET_COUNT; ++i) {
        if (presets[i].old && strcmp(preset, presets[i].old) == 0) {
            return presets[i].name;
        }
    }
    return sn_json_text(at, "name", "");
}

static void read_version_0(sn_gltf *g, const sn_json *vrm)
{
    const sn_json master = sn_json_get(vrm, "blendShapeMaster");
    const sn_json groups = sn_json_get(&master, "blendShapeGroups");
    const int count = sn_json_count(&groups);
    size_t bind_count = 0;
    for (int i = 0; i < count; ++i) {
        const sn_json group = sn_json_entry(&groups, (size_t)i);
        bind_count += json_array_size(json_object_get(group.value, "binds"));
    }
    allocate_expressions(g, &groups, (size_t)count, bind_count);
    for (int i = 0; i < count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&groups, (size_t)i);
        read_expression(g, &at, name_of_group(&at), true);
    }
}

void sn_vrm_read_expressions(sn_gltf *g, const sn_json *vrm, bool is_old)
{
    (is_old ? read_version_0 : read_version_1)(g, vrm);
}

/* {"happy": {"node": 51}, ...} */
static void read_tracks(sn_gltf *g, const sn_json *list)
{
    json_t *named = json_object_get(list->parent->value, list->key);
    size_t index = 0;
    if (named && !json_is_object(named)) {
        sn_json_fail(list, SN_ERROR_FORMAT, "is not an object");
    }
    for (void *i = json_object_iter(named); i && sn_gltf_ok(g); i = json_object_iter_next(named, i)) {
        const sn_json at = {
            .reader = list->reader, .parent = list, .index = index++, .value = json_object_iter_value(i)};
        const int32_t node = sn_json_index(&at, "node", g->scene->node_count);
        if (node >= 0 && sn_gltf_ok(g)) {
            g->scene->expression_tracks[g->scene->expression_track_count++] =
                (sn_scene_expression_track){sn_gltf_copy_text(g, &at, json_object_iter_key(i)), node};
        }
    }
}

void sn_vrm_read_expression_tracks(sn_gltf *g, const sn_json *animation)
{
    const sn_json list = sn_json_get(animation, "expressions");
    const sn_json preset = sn_json_get(&list, "preset"), custom = sn_json_get(&list, "custom");
    const size_t count = json_object_size(preset.value) + json_object_size(custom.value);
    if (count > MAX_TRACKS) {
        sn_json_fail(&list, SN_ERROR_UNSUPPORTED, "%zu expressions; at most %d are supported", count, MAX_TRACKS);
        return;
    }
    g->scene->expression_tracks = SN_GLTF_NEW(g, g->arena, &list, sn_scene_expression_track, count);
    if (g->scene->expression_tracks) {
        read_tracks(g, &preset);
        read_tracks(g, &custom);
    }
}

bool sn_vrm_expressions_match(const char *a, const char *b)
{
    const int preset = find_preset(a);
    return strcmp(a, b) == 0 || (preset >= 0 && preset == find_preset(b));
}

const char *sn_vrm_preset_name(const char *name)
{
    const int preset = find_preset(name);
    return preset < 0 ? NULL : presets[preset].name;
}
