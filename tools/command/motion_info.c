/* SPDX-License-Identifier: MIT */
#include "tools/command/motion_info.h"

#include <stdio.h>
#include <string.h>

#include "author/import/character_bones.h"
#include "author/import/motion_file.h"
#include "author/import/motion_skeleton.h"
#include "author/import/names.h"
#include "author/retarget/humanoid.h"

#define MISSING_BYTES 400

/* File names may contain any bytes; JSON strings are UTF-8. */
static json_t *name_json(const char *name)
{
    char text[SN_NAME_BYTES];
    snprintf(text, sizeof text, "%.*s", SN_NAME_BYTES - 1, name);
    sn_name_make_printable(text);
    return json_string(text);
}

static json_t *clip_json(const char *name, double seconds, int frames)
{
    return json_pack("{s:o,s:f,s:i}", "name", name_json(name), "seconds", seconds, "frames", frames);
}

/* The common members of a motion's JSON; takes ownership of clips. */
static sn_result describe(const sn_rig_skeleton *skeleton, bool is_capture, sn_arena *arena, json_t *clips,
                          json_t **json)
{
    int32_t of_role[SN_HUMANOID_COUNT];
    char missing[MISSING_BYTES];
    const sn_result result = sn_humanoid_find_roles(skeleton, is_capture, arena, of_role);
    if (result != SN_OK) {
        json_decref(clips);
        return result;
    }
    json_t *names = json_array(), *roles = json_object();
    for (int j = 0; j < skeleton->joint_count; ++j) {
        json_array_append_new(names, name_json(skeleton->names[j]));
    }
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        if (of_role[bone] >= 0) {
            json_object_set_new(roles, sn_humanoid_name(bone), json_integer(of_role[bone]));
        }
    }
    sn_humanoid_missing(of_role, missing, sizeof missing);
    *json = json_pack("{s:i,s:i,s:i,s:i,s:i,s:o,s:o,s:s,s:o,s:i}", "vertices", 0, "tets", 0, "bones",
                      skeleton->joint_count, "modes", 0, "clusters", 0, "bone_names", names, "roles", roles, "missing",
                      missing, "clips", clips, "version", 0);
    return *json ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_bvh_info(const char *path, sn_arena *arena, json_t **json)
{
    sn_source source;
    sn_bvh_file file;
    sn_rig_skeleton skeleton;
    sn_result result = sn_source_read(path, arena, &source);
    result = result ? result : sn_bvh_read(&source, arena, &file);
    result = result ? result : sn_bvh_skeleton(&file, path, arena, &skeleton);
    const char *name = result == SN_OK ? sn_file_stem(arena, path) : NULL;
    if (!name) {
        return result ? result : SN_ERROR_MEMORY;
    }
    json_t *clips = json_array();
    json_array_append_new(clips, clip_json(name, file.frame_seconds * (file.frame_count - 1), file.frame_count));
    return describe(&skeleton, true, arena, clips, json);
}

bool sn_is_motion_scene(const sn_scene_file *scene)
{
    for (int32_t node = 0; node < scene->node_count; ++node) {
        if (sn_node_has_triangles(scene, node)) {
            return false;
        }
    }
    return scene->clip_count > 0;
}

/* Maximum number of keys of a channel. */
static int count_keys(const sn_scene_file *scene, const sn_scene_clip *clip)
{
    int most = 0;
    for (int i = clip->first_channel; i < clip->first_channel + clip->channel_count; ++i) {
        most = scene->channels[i].key_count > most ? scene->channels[i].key_count : most;
    }
    return most;
}

/* Uses the names that models use. */
static sn_result list_clips(const sn_scene_file *scene, const char *path, sn_arena *arena, json_t **list)
{
    json_t *clips = json_array();
    for (int i = 0; i < scene->clip_count; ++i) {
        const sn_scene_clip *clip = &scene->clips[i];
        const char *name = NULL;
        const sn_result result = sn_motion_clip_name(scene, i, path, arena, &name);
        if (result != SN_OK) {
            json_decref(clips);
            return result;
        }
        json_array_append_new(clips, clip_json(name, clip->seconds, count_keys(scene, clip)));
    }
    *list = clips;
    return SN_OK;
}

sn_result sn_motion_scene_info(const sn_scene_file *scene, const char *path, sn_arena *arena, json_t **json)
{
    sn_scene_pose pose;
    sn_rig_skeleton skeleton;
    sn_result result = sn_scene_pose_init(scene, arena, &pose);
    result = result ? result : sn_scene_skeleton(&pose, path, arena, &skeleton);
    if (result != SN_OK) {
        return result;
    }
    json_t *clips = NULL;
    result = list_clips(scene, path, arena, &clips);
    if (result != SN_OK) {
        return result;
    }
    json_t *expressions = json_array();
    for (int i = 0; i < scene->expression_track_count; ++i) {
        json_array_append_new(expressions, name_json(scene->expression_tracks[i].name));
    }
    result = describe(&skeleton, false, arena, clips, json);
    if (result == SN_OK) {
        json_object_set(*json, "expressions", expressions);
    }
    json_decref(expressions);
    return result;
}

static const char *role_of(const json_t *roles, size_t joint)
{
    const char *role;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)roles, role, value)
    {
        if (json_integer_value(value) == (json_int_t)joint) {
            return role;
        }
    }
    return NULL;
}

void sn_print_motion_info(const json_t *json)
{
    const json_t *roles = json_object_get(json, "roles");
    const char *missing = json_string_value(json_object_get(json, "missing"));
    size_t index;
    json_t *name;
    printf(" a motion of %lld joints, ", (long long)json_integer_value(json_object_get(json, "bones")));
    printf("%s%s\n", missing[0] ? "no humanoid: it has no " : "a humanoid", missing);
    json_array_foreach(json_object_get(json, "bone_names"), index, name)
    {
        const char *role = role_of(roles, index);
        printf("  joint %s%s%s\n", json_string_value(name), role ? ": " : "", role ? role : "");
    }
}
