/* SPDX-License-Identifier: MIT */
/* sinew info: describes the contents of a file. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "author/cook/springs/soft_bones.h"
#include "author/import/motion_file.h"
#include "author/import/read_character.h"
#include "author/io/drawing/drawing.h"
#include "author/io/tets/tet_file.h"
#include "host/layered/solver.h"
#include "host/math/vec3.h"
#include "host/model/model.h"
#include "tools/command/args.h"
#include "tools/command/json.h"
#include "tools/command/model_file.h"
#include "tools/command/motion_info.h"
#include "tools/command/verbs.h"

typedef const char *name_function(const sn_model *model, int index);

static json_t *names_json(const sn_model *model, int count, name_function *name)
{
    json_t *names = json_array();
    for (int i = 0; i < count; ++i) {
        json_array_append_new(names, json_string(name(model, i)));
    }
    return names;
}

static json_t *levels_json(const sn_model *model)
{
    json_t *levels = json_array();
    for (int i = 0; i < sn_model_cluster_level_count(model); ++i) {
        json_array_append_new(levels, json_integer(sn_model_level_cluster_count(model, i)));
    }
    return levels;
}

static json_t *colliders_json(const sn_model *model)
{
    json_t *list = json_array();
    for (int i = 0; i < sn_model_bone_collider_count(model); ++i) {
        const sn_model_bone_collider c = sn_model_get_bone_collider(model, i);
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:f,s:f,s:f,s:[f,f,f],s:i}", "bone", sn_model_bone_name(model, c.bone), "shape",
                            c.shape, "radius", (double)c.radius, "half_height", (double)c.half_height, "friction",
                            (double)c.friction, "place", (double)c.transform.m[0][3], (double)c.transform.m[1][3],
                            (double)c.transform.m[2][3], "samples", c.sample_count));
    }
    return list;
}

static json_t *springs_json(const sn_model *model)
{
    json_t *list = json_array();
    for (int i = 0; i < sn_model_spring_count(model); ++i) {
        const sn_model_spring j = sn_model_get_spring(model, i);
        const double direction[3] = {(double)(j.tail[0] - j.head[0]), (double)(j.tail[1] - j.head[1]),
                                     (double)(j.tail[2] - j.head[2])};
        json_array_append_new(
            list, json_pack("{s:s,s:i,s:f,s:f,s:f,s:[f,f,f],s:f,s:i}", "bone", sn_model_bone_name(model, j.bone),
                            "parent", j.parent, "length", sn_length3(direction), "stiffness", (double)j.stiffness,
                            "drag", (double)j.drag, "gravity", (double)j.gravity[0], (double)j.gravity[1],
                            (double)j.gravity[2], "hit_radius", (double)j.hit_radius, "colliders", j.collider_count));
    }
    return list;
}

/* Data for layered bodies; null if there is none or memory is exhausted. */
static json_t *layered_json(const sn_model *model, sn_arena *arena)
{
    const int n = sn_model_vertex_count(model), t = sn_model_tet_count(model);
    bool *is_carried = SN_NEW(arena, bool, n);
    int32_t *layers = SN_NEW(arena, int32_t, t);
    int carried = 0;
    if (!sn_model_is_layered(model) || !is_carried || !layers) {
        return json_null();
    }
    for (int v = 0; v < n; ++v) {
        is_carried[v] = model->strain_attached_bones[v] >= 0;
        carried += is_carried[v];
    }
    return json_pack("{s:i,s:i,s:b}", "carried", carried, "layers",
                     sn_layered_find_layers(n, t, model->tets, is_carried, layers), "fibres",
                     model->strain_type == SN_STRAIN_FRAMES);
}

static json_t *model_json(const sn_model *model, sn_arena *arena)
{
    json_t *clips = json_array();
    for (int i = 0; i < sn_model_clip_count(model); ++i) {
        json_array_append_new(clips, json_pack("{s:s,s:f,s:b}", "name", sn_model_clip_name(model, i), "seconds",
                                               sn_model_clip_seconds(model, i), "generated",
                                               i < (int)model->generated_clip_count));
    }
    json_t *types = json_array();
    for (int i = 0; i < sn_model_bone_count(model); ++i) {
        json_array_append_new(types, json_string(sn_model_is_bone_translation_only(model, i) ? "translation"
                                                 : sn_model_is_bone_stretchable(model, i)    ? "stretched"
                                                                                             : "affine"));
    }
    return json_pack("{s:i,s:i,s:b,s:i,s:o,s:o,s:i,s:i,s:o,s:o,s:o,s:o,s:o,s:o,s:i,s:i,s:o,s:i}", "vertices",
                     sn_model_vertex_count(model), "tets", sn_model_tet_count(model), "flat", sn_model_is_flat(model),
                     "bones", sn_model_bone_count(model), "bone_names",
                     names_json(model, sn_model_bone_count(model), sn_model_bone_name), "bone_kinds", types, "modes",
                     sn_model_mode_count(model), "clusters", sn_model_cluster_count(model), "cluster_levels",
                     levels_json(model), "clips", clips, "morphs",
                     names_json(model, sn_model_morph_count(model), sn_model_morph_name), "expressions",
                     names_json(model, sn_model_expression_count(model), sn_model_expression_name), "colliders",
                     colliders_json(model), "springs", springs_json(model), "spring_colliders",
                     sn_model_spring_collider_count(model), "loose_springs", (int)model->soft_spring_count, "layered",
                     layered_json(model, arena), "version", SN_MODEL_VERSION);
}

static sn_result describe_model(const char *path, sn_arena *arena, json_t **json)
{
    sn_model *model = NULL;
    SN_TRY(sn_model_file_read(path, arena, &model));
    *json = model_json(model, arena);
    sn_model_release(model);
    return SN_OK;
}

static sn_result describe_tets(const char *path, sn_arena *arena, json_t **json)
{
    sn_tet_mesh mesh;
    SN_TRY(sn_tet_file_read(path, arena, &mesh));
    SN_TRY(sn_tet_mesh_validate(&mesh, path, arena, NULL));
    *json = json_pack("{s:i,s:i,s:i,s:i,s:i,s:[],s:i}", "vertices", mesh.vertex_count, "tets", mesh.tet_count, "bones",
                      0, "modes", 0, "clusters", 0, "clips", "version", 0);
    return SN_OK;
}

/* Bones with secondary motion, and bones that look like candidates but were rejected. */
static json_t *loose_json(const sn_character *character, const sn_sidecar *sidecar)
{
    json_t *list = json_array();
    for (int bone = 0; bone < character->bone_count; ++bone) {
        const char *reason =
            sn_soft_bone_state_text(sn_soft_bone_classify(character, sidecar, SN_SOFT_BONES_AUTO, bone));
        if (reason) {
            json_array_append_new(list, json_pack("{s:s,s:s}", "bone", character->bone_names[bone], "why", reason));
        }
    }
    return list;
}

static json_t *character_json(const sn_character *c, const sn_sidecar *sidecar)
{
    json_t *clips = json_array();
    for (int i = 0; i < c->clip_count; ++i) {
        const sn_character_clip *clip = &c->clips[i];
        json_array_append_new(
            clips, json_pack("{s:s,s:f}", "name", clip->name, "seconds", (clip->frame_count - 1) / clip->frame_rate));
    }
    return json_pack("{s:i,s:i,s:i,s:i,s:i,s:i,s:o,s:o,s:i}", "vertices", c->vertex_count, "triangles",
                     c->triangle_count, "tets", 0, "bones", c->bone_count, "modes", 0, "clusters", 0, "clips", clips,
                     "loose", loose_json(c, sidecar), "version", 0);
}

static sn_result describe_drawing(const char *path, sn_arena *arena, json_t **json)
{
    sn_sidecar sidecar;
    sn_character character;
    const sn_result result = sn_character_read(path, arena, &sidecar, &character);
    *json = result == SN_OK ? character_json(&character, &sidecar) : NULL;
    return result;
}

/* Describes a character file or a motion file. */
static sn_result describe_scene(const char *path, sn_arena *arena, json_t **json)
{
    sn_sidecar sidecar;
    sn_character character;
    sn_scene_file *scene = SN_NEW(arena, sn_scene_file, 1);
    sn_result result = scene ? sn_scene_file_read(path, arena, scene) : SN_ERROR_MEMORY;
    if (result == SN_OK && sn_is_motion_scene(scene)) {
        return sn_motion_scene_info(scene, path, arena, json);
    }
    result = result ? result : sn_character_from_scene(scene, path, arena, &sidecar, &character);
    *json = result == SN_OK ? character_json(&character, &sidecar) : NULL;
    return result;
}

/* Input files have no Sinew version: 0. */
static sn_result describe_input(const char *path, sn_arena *arena, json_t **json)
{
    return sn_is_tet_file(path)       ? describe_tets(path, arena, json)
           : sn_is_bvh_file(path)     ? sn_bvh_info(path, arena, json)
           : sn_is_drawing_file(path) ? describe_drawing(path, arena, json)
                                      : describe_scene(path, arena, json);
}

static void print_counts(const json_t *json)
{
    const char *const keys[] = {"vertices", "tets", "bones", "modes", "clusters"};
    const bool is_flat = json_is_true(json_object_get(json, "flat"));
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        printf(" %lld %s%s", (long long)json_integer_value(json_object_get(json, keys[i])),
               i == 1 && is_flat ? "triangles" : keys[i], i < 4 ? "," : "\n");
    }
}

/* Describes bones and the objects attached to them. */
static void print_bones(json_t *json)
{
    size_t index;
    json_t *name, *loose, *collider, *spring;
    json_array_foreach(json_object_get(json, "bone_kinds"), index, name)
    {
        const char *bone = json_string_value(json_array_get(json_object_get(json, "bone_names"), index));
        const char *kind = json_string_value(name);
        printf("  bone %s%s%s\n", bone, strcmp(kind, "affine") == 0 ? "" : ": ",
               strcmp(kind, "affine") == 0 ? "" : kind);
    }
    json_array_foreach(json_object_get(json, "loose"), index, loose)
    {
        printf("  bone %s: %s\n", json_string_value(json_object_get(loose, "bone")),
               json_string_value(json_object_get(loose, "why")));
    }
    json_array_foreach(json_object_get(json, "colliders"), index, collider)
    {
        printf("  collider on %s: %s, radius %g, sensed by %lld samples\n",
               json_string_value(json_object_get(collider, "bone")),
               json_string_value(json_object_get(collider, "shape")),
               json_real_value(json_object_get(collider, "radius")),
               (long long)json_integer_value(json_object_get(collider, "samples")));
    }
    json_array_foreach(json_object_get(json, "springs"), index, spring)
    {
        printf("  spring on %s: length %.3g, stiffness %g, drag %g, %lld colliders\n",
               json_string_value(json_object_get(spring, "bone")), json_real_value(json_object_get(spring, "length")),
               json_real_value(json_object_get(spring, "stiffness")), json_real_value(json_object_get(spring, "drag")),
               (long long)json_integer_value(json_object_get(spring, "colliders")));
    }
}

static void print_text(const char *path, json_t *json)
{
    size_t index;
    json_t *clip, *name, *level;
    printf("%s:", path);
    (json_object_get(json, "roles") ? sn_print_motion_info : print_counts)(json);
    print_bones(json);
    const json_t *layered = json_object_get(json, "layered");
    if (json_is_object(layered)) {
        printf("  layered: %lld vertices attached to bones, %lld layers of tets around them%s\n",
               (long long)json_integer_value(json_object_get(layered, "carried")),
               (long long)json_integer_value(json_object_get(layered, "layers")),
               json_is_true(json_object_get(layered, "fibres")) ? ", flesh has fibres" : "");
    }
    json_array_foreach(json_object_get(json, "cluster_levels"), index, level)
    {
        if (index > 0) {
            printf("  level of detail %zu: %lld clusters\n", index, (long long)json_integer_value(level));
        }
    }
    json_array_foreach(json_object_get(json, "clips"), index, clip)
    {
        const json_t *frames = json_object_get(clip, "frames");
        printf("  clip %s: %.3f s", json_string_value(json_object_get(clip, "name")),
               json_real_value(json_object_get(clip, "seconds")));
        if (frames) {
            printf(", %lld frames", (long long)json_integer_value(frames));
        }
        printf("%s\n", json_is_true(json_object_get(clip, "generated")) ? ", generated" : "");
    }
    json_array_foreach(json_object_get(json, "morphs"), index, name)
    {
        printf("  morph target %s\n", json_string_value(name));
    }
    json_array_foreach(json_object_get(json, "expressions"), index, name)
    {
        printf("  expression %s\n", json_string_value(name));
    }
}

int sn_verb_info(int argument_count, char **arguments)
{
    bool is_json = false;
    sn_string_list operands = {0};
    const sn_option options[] = {{"--json", SN_OPTION_FLAG, &is_json, 0, 0, NULL,
                                  "print the description as JSON on stdout", SN_GROUP_OUTPUT, true},
                                 {0}};
    const sn_verb verb = {.usage = "info FILE [--json]",
                          .summary = "Describes a .sinew model, or a character or motion file that cook reads.",
                          .examples = {"info avatar.sinew", "info avatar.vrm", "info walk.bvh --json"},
                          .options = options,
                          .operands = &operands,
                          .min_operands = 1,
                          .max_operands = 1};
    const int status = sn_parse_arguments(&verb, argument_count, arguments);
    if (status != SN_CONTINUE) {
        return status;
    }
    sn_arena arena = {0};
    json_t *json = NULL;
    const char *path = operands.items[0];
    const sn_result result =
        sn_is_model_file(path) ? describe_model(path, &arena, &json) : describe_input(path, &arena, &json);
    if (result == SN_OK && is_json) {
        sn_print_json(json_incref(json));
    } else if (result == SN_OK) {
        print_text(path, json);
    }
    json_decref(json);
    sn_arena_finish(&arena);
    return result == SN_OK ? SN_EXIT_OK : SN_EXIT_FAILED;
}
