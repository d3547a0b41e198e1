/* SPDX-License-Identifier: MIT */
/* Writes VRMC_vrm (humanoid bones, expressions, meta, lookAt) and VRMC_vrm_animation. */
#include <string.h>

#include "author/io/gltf/gltf_writer.h"

static json_t *build_humanoid(const sn_scene_file *scene)
{
    json_t *bones = json_object();
    for (int i = 0; i < scene->humanoid_bone_count; ++i) {
        json_object_set_new(bones, scene->humanoid_bones[i].bone,
                            json_pack("{s:i}", "node", (int)scene->humanoid_bones[i].node));
    }
    return json_pack("{s:o}", "humanBones", bones);
}

/* Presets have a list of their own. */
static json_t *build_expressions(const sn_scene_file *scene)
{
    json_t *preset = json_object(), *custom = json_object();
    for (int i = 0; i < scene->expression_count; ++i) {
        const sn_scene_expression *from = &scene->expressions[i];
        const char *name = sn_vrm_preset_name(from->name);
        json_t *binds = json_array();
        for (int k = from->first_bind; k < from->first_bind + from->bind_count; ++k) {
            const sn_scene_expression_bind *bind = &scene->expression_binds[k];
            json_array_append_new(binds, json_pack("{s:i,s:i,s:f}", "node", (int)bind->node, "index", (int)bind->morph,
                                                   "weight", (double)bind->weight));
        }
        json_object_set_new(name && strcmp(name, from->name) == 0 ? preset : custom, from->name,
                            json_pack("{s:b,s:o}", "isBinary", from->is_binary, "morphTargetBinds", binds));
    }
    return json_pack("{s:o,s:o}", "preset", preset, "custom", custom);
}

static void write_avatar(sn_gltf_writer *w)
{
    json_t *vrm = json_loads(w->scene->vrm, 0, NULL);
    if (!json_is_object(vrm)) {
        w->result =
            sn_fail(SN_ERROR_FORMAT, "%s: the licence of the VRM is damaged; cook the character again", w->path);
        json_decref(vrm);
        return;
    }
    json_object_set_new(vrm, "specVersion", json_string("1.0"));
    json_object_set_new(vrm, "humanoid", build_humanoid(w->scene));
    json_object_set_new(vrm, "expressions", build_expressions(w->scene));
    json_object_set_new(w->root, "extensions", json_pack("{s:o}", "VRMC_vrm", vrm));
    sn_gltf_use_extension(w, "VRMC_vrm");
}

static void write_animation(sn_gltf_writer *w)
{
    const sn_scene_file *scene = w->scene;
    json_t *preset = json_object(), *custom = json_object();
    for (int i = 0; i < scene->expression_track_count; ++i) {
        const sn_scene_expression_track *track = &scene->expression_tracks[i];
        const char *name = sn_vrm_preset_name(track->name);
        const bool is_preset = name && strcmp(name, track->name) == 0;
        json_object_set_new(is_preset ? preset : custom, track->name, json_pack("{s:i}", "node", (int)track->node));
    }
    json_object_set_new(w->root, "extensions",
                        json_pack("{s:{s:s,s:o,s:{s:o,s:o}}}", "VRMC_vrm_animation", "specVersion", "1.0", "humanoid",
                                  build_humanoid(scene), "expressions", "preset", preset, "custom", custom));
    sn_gltf_use_extension(w, "VRMC_vrm_animation");
}

void sn_gltf_write_vrm(sn_gltf_writer *w)
{
    if (w->scene->vrm_version == 2 && w->scene->mesh_count == 0) {
        write_animation(w);
    } else if (w->scene->vrm_version == 2 && w->scene->vrm) {
        write_avatar(w);
    }
}
