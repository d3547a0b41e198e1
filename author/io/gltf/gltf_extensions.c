/* SPDX-License-Identifier: MIT */
/* Classifies the extensions of a document: supported, irrelevant to vertices and motion, or unknown. A required unknown
 * extension is an error. Registry: https://github.com/KhronosGroup/glTF/tree/main/extensions */
#include "author/io/gltf/gltf_reader.h"
#include "author/io/text.h"

#include <string.h>

#define MAX_WARNINGS 20
#define MAX_PRINTABLE_CHARS 64

/* Supported, or safe to ignore because this library provides the same. */
static const char *const supported_extensions[] = {"EXT_mesh_gpu_instancing",
                                                   "EXT_meshopt_compression",
                                                   "EXT_texture_webp",
                                                   "KHR_draco_mesh_compression",
                                                   "KHR_mesh_quantization",
                                                   "KHR_materials_clearcoat",
                                                   "KHR_materials_emissive_strength",
                                                   "KHR_materials_pbrSpecularGlossiness",
                                                   "KHR_materials_sheen",
                                                   "KHR_materials_transmission",
                                                   "KHR_materials_unlit",
                                                   "KHR_node_visibility",
                                                   "KHR_texture_transform",
                                                   "VRM",
                                                   "VRMC_vrm",
                                                   "VRMC_vrm_animation",
                                                   "VRMC_materials_mtoon",
                                                   "VRMC_springBone",
                                                   "VRMC_springBone_extended_collider",
                                                   "VRMC_node_constraint"};

/* Image formats that are not supported. A texture may have a fallback image; without one, a required extension is an
 * error. */
static const char *const image_extensions[] = {"EXT_texture_avif", "KHR_texture_basisu", "MSFT_texture_dds"};

/* Prefixes of extensions that do not affect bodies: materials, lights, audio, metadata, interaction. */
static const char *const harmless_prefixes[] = {"ADOBE_materials_",
                                                "AGI_",
                                                "CESIUM_primitive_outline",
                                                "EXT_instance_features",
                                                "EXT_lights_",
                                                "EXT_materials_",
                                                "EXT_mesh_features",
                                                "EXT_mesh_manifold",
                                                "EXT_structural_metadata",
                                                "FB_geometry_metadata",
                                                "GODOT_single_root",
                                                "KHR_animation_pointer",
                                                "KHR_audio_",
                                                "KHR_implicit_shapes",
                                                "KHR_interactivity",
                                                "KHR_lights_",
                                                "KHR_materials_",
                                                "KHR_node_hoverability",
                                                "KHR_node_selectability",
                                                "KHR_physics_rigid_bodies",
                                                "KHR_techniques_webgl",
                                                "KHR_xmp",
                                                "MSFT_lod",
                                                "MSFT_packing_",
                                                "NV_materials_"};

#define IS_IN(list, name) is_in((list), sizeof(list) / sizeof *(list), (name))

static bool is_in(const char *const *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(name, list[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_harmless(const char *name)
{
    for (size_t i = 0; i < sizeof harmless_prefixes / sizeof *harmless_prefixes; ++i) {
        if (strncmp(name, harmless_prefixes[i], strlen(harmless_prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Reports an extension that is not supported. */
static void check_extension(const sn_json *entry, bool is_required, const char *name, int *warning_count)
{
    char printable[MAX_PRINTABLE_CHARS];
    if (IS_IN(supported_extensions, name) || IS_IN(image_extensions, name)) {
        return;
    }
    sn_text_printable(name, strlen(name), printable, sizeof printable);
    if (is_required && !is_harmless(name)) {
        sn_json_fail(entry, SN_ERROR_UNSUPPORTED, "the extension %s is not supported", printable);
    } else if (!is_required && (*warning_count)++ < MAX_WARNINGS) {
        sn_log(SN_LOG_WARNING, "%s: extensionsUsed: the extension %s is ignored", entry->reader->name, printable);
    }
}

static void check_list(sn_gltf *g, const char *key, bool is_required)
{
    const sn_json list = sn_json_get(&g->root, key);
    const int count = sn_json_count(&list);
    int warning_count = 0;
    for (int i = 0; i < count && sn_gltf_ok(g); ++i) {
        const sn_json entry = sn_json_entry(&list, (size_t)i);
        const char *name = json_string_value(entry.value);
        if (!name) {
            sn_json_fail(&entry, SN_ERROR_FORMAT, "is not a string");
        } else {
            check_extension(&entry, is_required, name, &warning_count);
        }
    }
}

void sn_gltf_check_extensions(sn_gltf *g)
{
    check_list(g, "extensionsRequired", true);
    if (sn_gltf_ok(g)) {
        check_list(g, "extensionsUsed", false);
    }
}

static bool is_required(const sn_gltf *g, const char *name)
{
    const json_t *list = json_object_get(g->root.value, "extensionsRequired");
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const char *entry = json_string_value(json_array_get(list, i));
        if (entry && strcmp(entry, name) == 0) {
            return true;
        }
    }
    return false;
}

const char *sn_gltf_required_picture(const sn_gltf *g, const sn_json *texture)
{
    const json_t *extensions = json_object_get(texture->value, "extensions");
    for (size_t i = 0; i < sizeof image_extensions / sizeof *image_extensions; ++i) {
        if (json_object_get(extensions, image_extensions[i]) && is_required(g, image_extensions[i])) {
            return image_extensions[i];
        }
    }
    return NULL;
}
