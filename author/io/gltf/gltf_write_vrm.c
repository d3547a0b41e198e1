/* SPDX-License-Identifier: MIT */
/* Writes VRMC_vrm_animation: the nodes of humanoid bones, and of expression weights. */
#include <string.h>

#include "author/io/gltf/gltf_writer.h"

void sn_gltf_write_vrm_animation(sn_gltf_writer *w)
{
    const sn_scene_file *scene = w->scene;
    if (scene->vrm_version != 2 || scene->mesh_count > 0) {
        return;
    }
    json_t *bones = json_object(), *preset = json_object(), *custom = json_object();
    for (int i = 0; i < scene->humanoid_bone_count; ++i) {
        json_object_set_new(bones, scene->humanoid_bones[i].bone,
                            json_pack("{s:i}", "node", (int)scene->humanoid_bones[i].node));
    }
    for (int i = 0; i < scene->expression_track_count; ++i) {
        const sn_scene_expression_track *track = &scene->expression_tracks[i];
        const char *name = sn_vrm_preset_name(track->name);
        const bool is_preset = name && strcmp(name, track->name) == 0;
        json_object_set_new(is_preset ? preset : custom, track->name, json_pack("{s:i}", "node", (int)track->node));
    }
    json_object_set_new(w->root, "extensions",
                        json_pack("{s:{s:s,s:{s:o},s:{s:o,s:o}}}", "VRMC_vrm_animation", "specVersion", "1.0",
                                  "humanoid", "humanBones", bones, "expressions", "preset", preset, "custom", custom));
    sn_gltf_use_extension(w, "VRMC_vrm_animation");
}
