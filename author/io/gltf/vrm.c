/* SPDX-License-Identifier: MIT */
/* VRM 0.x (extension VRM) and 1.0 (VRMC_vrm, and VRMC_vrm_animation in .vrma files): the nodes of humanoid bones, with
 * VRM 1.0 names; and toon or unlit materials of 0.x. */
#include "author/io/gltf/gltf_reader.h"
#include "author/io/text.h"

#include <stdio.h>
#include <string.h>

#include "author/retarget/humanoid.h"

enum { VERSION_0 = 1, VERSION_1 = 2 };

/* The name of a bone in VRM 0.x, whose thumb joints are named differently. */
static const char *version_0_name(int bone, char text[32])
{
    static const char *const thumbs[3] = {"ThumbProximal", "ThumbIntermediate", "ThumbDistal"};
    for (int side = 0; side < 2; ++side) {
        const int joint = bone - sn_humanoid_bone_index(side, SN_PART_THUMB);
        if (joint >= 0 && joint < 3) {
            snprintf(text, 32, "%s%s", side == 0 ? "left" : "right", thumbs[joint]);
            return text;
        }
    }
    return sn_humanoid_name(bone);
}

static void add_bone(sn_gltf *g, int bone, int32_t node)
{
    g->scene->humanoid_bones[g->scene->humanoid_bone_count++] = (sn_scene_humanoid_bone){sn_humanoid_name(bone), node};
}

static bool begin_bones(sn_gltf *g, const sn_json *at, int version)
{
    g->scene->vrm_version = version;
    g->scene->humanoid_bones = SN_GLTF_NEW(g, g->arena, at, sn_scene_humanoid_bone, SN_HUMANOID_COUNT);
    return sn_gltf_ok(g);
}

/* {"hips": {"node": 3}, ...} */
static void read_version_1(sn_gltf *g, const sn_json *vrm)
{
    const sn_json humanoid = sn_json_get(vrm, "humanoid");
    const sn_json list = sn_json_get(&humanoid, "humanBones");
    if (!begin_bones(g, &list, VERSION_1)) {
        return;
    }
    for (int bone = 0; bone < SN_HUMANOID_COUNT && sn_gltf_ok(g); ++bone) {
        const sn_json at = sn_json_get(&list, sn_humanoid_name(bone));
        const int32_t node = sn_json_index(&at, "node", g->scene->node_count);
        if (node >= 0) {
            add_bone(g, bone, node);
        }
    }
}

static int find_version_0_bone(const char *name)
{
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        char text[32];
        if (strcmp(name, version_0_name(bone, text)) == 0) {
            return bone;
        }
    }
    return -1;
}

/* [{"bone": "hips", "node": 3}, ...]; old exporters write missing bones with node -1. */
static void read_version_0_bone(sn_gltf *g, const sn_json *at, bool is_known[])
{
    const char *name = sn_json_text(at, "bone", "");
    const int bone = find_version_0_bone(name);
    const int64_t node = sn_json_integer(at, "node", -1, -1, INT32_MAX);
    if (!sn_gltf_ok(g) || node < 0) {
        return;
    }
    if (bone < 0) {
        char printable[32];
        sn_json_warn(at, SN_GLTF_WARNED_BONE, "the bone '%s' is ignored; VRM has no bone of this name",
                     sn_text_printable(name, strlen(name), printable, sizeof printable));
    } else if (is_known[bone]) {
        sn_json_fail(at, SN_ERROR_FORMAT, "the bone %s is defined twice", name);
    } else if (sn_json_index(at, "node", g->scene->node_count) >= 0) {
        is_known[bone] = true;
        add_bone(g, bone, (int32_t)node);
    }
}

static void read_version_0(sn_gltf *g, const sn_json *vrm)
{
    const sn_json humanoid = sn_json_get(vrm, "humanoid");
    const sn_json list = sn_json_get(&humanoid, "humanBones");
    bool is_known[SN_HUMANOID_COUNT] = {false};
    if (!begin_bones(g, &list, VERSION_0)) {
        return;
    }
    const int count = sn_json_count(&list);
    for (int i = 0; i < count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        read_version_0_bone(g, &at, is_known);
    }
}

/* A file may have both versions; the newer one is used. */
void sn_vrm_read(sn_gltf *g)
{
    const sn_json extensions = sn_json_get(&g->root, "extensions");
    const sn_json new_vrm = sn_json_get(&extensions, "VRMC_vrm");
    const sn_json animation = sn_json_get(&extensions, "VRMC_vrm_animation");
    const sn_json old_vrm = sn_json_get(&extensions, "VRM");
    if (new_vrm.value || animation.value) {
        read_version_1(g, new_vrm.value ? &new_vrm : &animation);
    } else if (old_vrm.value) {
        read_version_0(g, &old_vrm);
    }
    if (sn_gltf_ok(g) && (new_vrm.value || old_vrm.value)) {
        sn_vrm_read_expressions(g, new_vrm.value ? &new_vrm : &old_vrm, !new_vrm.value);
        sn_vrm_read_meta(g, new_vrm.value ? &new_vrm : &old_vrm, !new_vrm.value);
    }
    if (sn_gltf_ok(g) && animation.value) {
        sn_vrm_read_expression_tracks(g, &animation);
    }
}

bool sn_vrm_is_unlit(const sn_gltf *g, size_t material)
{
    const sn_json extensions = sn_json_get(&g->root, "extensions");
    const sn_json vrm = sn_json_get(&extensions, "VRM");
    const sn_json list = sn_json_get(&vrm, "materialProperties");
    const sn_json properties = sn_json_entry(&list, material);
    const char *shader = sn_json_text(&properties, "shader", "");
    return strncmp(shader, "VRM/", 4) == 0;
}
