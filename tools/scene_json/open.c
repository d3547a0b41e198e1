/* SPDX-License-Identifier: MIT */
/* Opens scenes by name or from a file, including the files that they refer to. */
#include <string.h>

#include "author/import/character.h"
#include "author/import/motion_file.h"
#include "author/io/scene_file.h"
#include "tools/command/added_motion.h"
#include "tools/command/log.h"
#include "tools/command/model_file.h"
#include "tools/scene_json/scene_json.h"

bool sn_is_scene_file(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".json") == 0;
}

static sn_result read_motion(const char *path, sn_arena *arena, sn_scene_body *body)
{
    sn_npy array;
    const sn_result result = sn_pose_array_read(path, 0, arena, &array);
    if (result != SN_OK) {
        return result;
    }
    sn_mat3x4 *poses = SN_NEW(arena, sn_mat3x4, array.count / 12);
    for (size_t i = 0; poses && i < array.count; ++i) {
        poses[i / 12].m[i % 12 / 4][i % 4] = (float)array.values[i];
    }
    body->poses = poses;
    body->pose_count = (int)array.shape[0];
    body->pose_bone_count = (int)array.shape[1];
    return poses ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result read_surface(const char *path, sn_arena *arena, sn_scene_collider *collider)
{
    sn_scene_file file;
    sn_character *character = SN_NEW(arena, sn_character, 1);
    SN_TRY(character ? sn_scene_file_read(path, arena, &file) : SN_ERROR_MEMORY);
    SN_TRY(sn_character_build(&file, path, arena, character));
    collider->positions = character->positions;
    collider->triangles = character->triangles;
    collider->vertex_count = character->vertex_count;
    collider->triangle_count = character->triangle_count;
    return SN_OK;
}

/* Motion files of a script's bodies, stored until their models are loaded. */
typedef struct motions {
    const sn_scene_script *script;
    const sn_scene_files *files;
    sn_arena *arena;
    sn_motion_limit limit; /* bound for all motions of the scene */
} motions;

static bool is_added(const sn_motion_source *added, int count, const char *path)
{
    bool is_found = false;
    for (int i = 0; i < count && !is_found; ++i) {
        is_found = strcmp(added[i].path, path) == 0;
    }
    return is_found;
}

/* Adds each motion file as a clip named by its path, which the bodies refer to. */
static sn_result add_motions(int character, sn_model *model, void *user)
{
    motions *m = user;
    const sn_scene_character *c = &m->script->characters[character];
    const char *name = c->path ? c->path : c->name ? c->name : m->script->name;
    sn_motion_source *added = SN_NEW(m->arena, sn_motion_source, m->script->body_count);
    int count = 0;
    if (!added) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < m->script->body_count; ++i) {
        const char *path = m->files->motions[i];
        const bool is_its = path && m->script->bodies[i].character == character && sn_is_motion_file(path);
        if (is_its && sn_model_find_clip(model, path) < 0 && !is_added(added, count, path)) {
            added[count++] = (sn_motion_source){path, path};
        }
    }
    return sn_motion_clips_add(added, count, name, &m->limit, m->arena, model);
}

static sn_result load_motion(const sn_scene_files *files, int index, sn_arena *arena, sn_scene_body *body)
{
    const char *path = files->motions[index];
    if (!path || !sn_is_motion_file(path)) {
        return path ? read_motion(path, arena, body) : SN_OK;
    }
    body->clip = path;
    return SN_OK;
}

/* Adds the motions to a script in the arena. */
static sn_result read_files(const sn_scene_files *files, sn_arena *arena, sn_scene_script *script)
{
    for (int i = 0; i < script->body_count; ++i) {
        SN_TRY(load_motion(files, i, arena, (sn_scene_body *)(uintptr_t)&script->bodies[i]));
    }
    for (int i = 0; i < script->collider_count; ++i) {
        if (files->surfaces[i]) {
            SN_TRY(read_surface(files->surfaces[i], arena, (sn_scene_collider *)(uintptr_t)&script->colliders[i]));
        }
    }
    return SN_OK;
}

sn_result sn_scene_open(const char *text, sn_arena *arena, const sn_scene_script **script)
{
    sn_source source;
    *script = sn_is_scene_file(text) ? NULL : sn_scene_find_demo(text);
    if (*script) {
        return SN_OK;
    }
    if (!sn_is_scene_file(text)) {
        return sn_fail(SN_ERROR_ARGUMENT, "--scene %s: no scene has that name (--list lists them)", text);
    }
    sn_scene_script *own = SN_NEW(arena, sn_scene_script, 1);
    sn_scene_files *files = own ? SN_NEW(arena, sn_scene_files, 1) : NULL;
    motions *m = files ? SN_NEW(arena, motions, 1) : NULL;
    sn_result result = m ? sn_source_read(text, arena, &source) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_scene_json_read(&source, arena, own, files);
    }
    if (result == SN_OK) {
        *m = (motions){own, files, arena, SN_MOTION_LIMIT};
        own->prepare = add_motions;
        own->prepare_user = m;
        result = read_files(files, arena, own);
    }
    *script = own;
    return result;
}

sn_result sn_scene_start(const char *name, const sn_scene_script *script, const sn_world_desc *world, sn_scene **scene)
{
    sn_scene_error error = {""};
    const sn_result result = sn_scene_create(script, world, scene, &error);
    return result != SN_OK && error.text[0] ? sn_fail(result, "%s: %s", name, error.text) : result;
}

sn_scene_report sn_scene_step(sn_scene *scene)
{
    sn_log_errors_as_warnings(true);
    const sn_scene_report report = sn_scene_advance(scene, sn_scene_time_step(scene));
    sn_log_errors_as_warnings(false);
    return report;
}
