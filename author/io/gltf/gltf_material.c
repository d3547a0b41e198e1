/* SPDX-License-Identifier: MIT */
/* Materials: metallic-roughness with KHR_materials_unlit, KHR_materials_emissive_strength, KHR_texture_transform,
 * KHR_materials_pbrSpecularGlossiness and VRM's toon shader (vrm_toon.c). Transmission, clear coats and sheen are
 * approximated. */
#include "author/io/gltf/gltf_reader.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Chosen, not measured. */
#define GLASS_ALPHA 0.1F  /* of a surface that transmits all light: its highlights stay visible */
#define COAT_SHARE 0.6F   /* of a clear coat in the roughness of base and coat together */
#define SHEEN_SHARE 0.16F /* of sheen in the base colour */

/* A number clamped to [0, 1], since exporters exceed the range by rounding. */
static float read_unit(const sn_json *object, const char *key, double fallback)
{
    return (float)fmin(fmax(sn_json_number(object, key, fallback), 0), 1);
}

static void read_colors(const sn_json *at, const char *key, int count, float *color)
{
    double values[4];
    if (sn_json_numbers(at, key, count, values)) {
        for (int k = 0; k < count; ++k) {
            color[k] = (float)fmin(fmax(values[k], 0), 1);
        }
    }
}

/* KHR_texture_transform: scale, then rotation, then offset. The rotation is counter-clockwise on the texture, with v
 * pointing down. This matches the extension's sample image; its GLSL snippet has the opposite sign. */
static void read_transform(const sn_json *transform, float m[6])
{
    double offset[2] = {0, 0}, scale[2] = {1, 1};
    sn_json_numbers(transform, "offset", 2, offset);
    sn_json_numbers(transform, "scale", 2, scale);
    const double angle = sn_json_number(transform, "rotation", 0);
    const double c = cos(angle), s = sin(angle);
    const double values[6] = {c * scale[0], s * scale[1], offset[0], -s * scale[0], c * scale[1], offset[1]};
    for (int k = 0; k < 6; ++k) {
        m[k] = (float)values[k];
    }
}

/* Returns the textureInfo, for its other members. */
static sn_json read_texture(sn_gltf *g, const sn_json *parent, const char *key, sn_texture_use use,
                            sn_scene_material *material)
{
    const sn_json info = sn_json_get(parent, key);
    if (!info.value || !sn_gltf_ok(g)) {
        return info;
    }
    const sn_json extensions = sn_json_get(&info, "extensions");
    const sn_json transform = sn_json_get(&extensions, "KHR_texture_transform");
    int64_t set = sn_json_integer(&info, "texCoord", 0, 0, INT32_MAX);
    if (transform.value) {
        set = sn_json_integer(&transform, "texCoord", set, 0, INT32_MAX);
        read_transform(&transform, material->uv_transforms[use]);
    }
    if (set > 1) {
        sn_json_warn(&info, SN_GLTF_WARNED_UV_SET, "texture coordinate set %lld is not supported; set 0 is used",
                     (long long)set);
        set = 0;
    }
    material->values.textures[use] = sn_gltf_texture(g, &info);
    material->values.uv_sets[use] = (int32_t)set;
    return info;
}

static void read_alpha(const sn_json *at, sn_material *values)
{
    static const char *const modes[SN_ALPHA_MODE_COUNT] = {"OPAQUE", "MASK", "BLEND"};
    const char *name = sn_json_text(at, "alphaMode", modes[0]);
    values->alpha_mode = -1;
    for (int32_t mode = 0; mode < SN_ALPHA_MODE_COUNT; ++mode) {
        values->alpha_mode = strcmp(name, modes[mode]) == 0 ? mode : values->alpha_mode;
    }
    if (values->alpha_mode < 0) {
        sn_json_fail(at, SN_ERROR_FORMAT, "the alphaMode must be OPAQUE, MASK or BLEND");
    }
    values->alpha_cutoff = (float)fmax(sn_json_number(at, "alphaCutoff", 0.5), 0);
}

static void read_emissive(sn_gltf *g, const sn_json *at, const sn_json *extensions, sn_scene_material *material)
{
    const sn_json strength = sn_json_get(extensions, "KHR_materials_emissive_strength");
    read_colors(at, "emissiveFactor", 3, material->values.emissive);
    for (int k = 0; k < 3; ++k) { /* finite, since both factors are within the range of a float and one is at most 1 */
        material->values.emissive[k] *= (float)fmax(sn_json_number(&strength, "emissiveStrength", 1), 0);
    }
    read_texture(g, at, "emissiveTexture", SN_TEXTURE_EMISSIVE, material);
}

static void read_metallic_roughness(sn_gltf *g, const sn_json *at, sn_scene_material *material)
{
    const sn_json pbr = sn_json_get(at, "pbrMetallicRoughness");
    read_colors(&pbr, "baseColorFactor", 4, material->values.base_color);
    material->values.metallic = read_unit(&pbr, "metallicFactor", 1);
    material->values.roughness = read_unit(&pbr, "roughnessFactor", 1);
    read_texture(g, &pbr, "baseColorTexture", SN_TEXTURE_BASE_COLOR, material);
    read_texture(g, &pbr, "metallicRoughnessTexture", SN_TEXTURE_METALLIC_ROUGHNESS, material);
}

/* The deprecated specular-glossiness model, for files without metallic-roughness: diffuse becomes the base color of a
 * non-metal. Specular color is ignored. */
static void read_specular_glossiness(sn_gltf *g, const sn_json *at, sn_scene_material *material)
{
    read_colors(at, "diffuseFactor", 4, material->values.base_color);
    material->values.metallic = 0;
    material->values.roughness = 1 - read_unit(at, "glossinessFactor", 1);
    read_texture(g, at, "diffuseTexture", SN_TEXTURE_BASE_COLOR, material);
}

/* Replaces layers that the renderer does not have by an alpha, a roughness and a base colour. */
static void approximate_layers(const sn_json *extensions, sn_material *values)
{
    const sn_json transmission = sn_json_get(extensions, "KHR_materials_transmission");
    const float transmitted = read_unit(&transmission, "transmissionFactor", 0);
    if (sn_json_has(&transmission, "transmissionTexture")) {
        sn_json_warn(&transmission, SN_GLTF_WARNED_TRANSMISSION,
                     "a texture of the transmission is not supported; the surface is drawn opaque");
    } else if (transmitted > 0) {
        values->alpha_mode = values->alpha_mode == SN_ALPHA_OPAQUE ? SN_ALPHA_BLEND : values->alpha_mode;
        values->base_color[3] *= 1 - transmitted * (1 - GLASS_ALPHA);
        sn_json_warn(&transmission, SN_GLTF_WARNED_TRANSMISSION,
                     "transmission is drawn as an alpha of %g, without refraction", (double)values->base_color[3]);
    }
    const sn_json coat = sn_json_get(extensions, "KHR_materials_clearcoat");
    const float coated = read_unit(&coat, "clearcoatFactor", 0), smooth = read_unit(&coat, "clearcoatRoughness", 0);
    if (coated > 0 && smooth < values->roughness) {
        values->roughness += COAT_SHARE * coated * (smooth - values->roughness);
        sn_json_warn(&coat, SN_GLTF_WARNED_COAT, "a clear coat is drawn as a roughness of %g",
                     (double)values->roughness);
    }
    const sn_json sheen = sn_json_get(extensions, "KHR_materials_sheen");
    float color[3] = {0, 0, 0};
    read_colors(&sheen, "sheenColorFactor", 3, color);
    for (int k = 0; k < 3; ++k) {
        values->base_color[k] += SHEEN_SHARE * color[k] * (1 - values->base_color[k]);
    }
    if (color[0] + color[1] + color[2] > 0) {
        sn_json_warn(&sheen, SN_GLTF_WARNED_SHEEN, "sheen is drawn as a lighter base colour");
    }
}

static void begin_material(sn_scene_material *material)
{
    static const float identity[6] = {1, 0, 0, 0, 1, 0};
    material->values = (sn_material){.base_color = {1, 1, 1, 1}};
    for (int use = 0; use < SN_TEXTURE_USE_COUNT; ++use) {
        material->values.textures[use] = -1;
        memcpy(material->uv_transforms[use], identity, sizeof identity);
    }
}

static void read_material(sn_gltf *g, const sn_json *at, size_t index, sn_scene_material *material)
{
    sn_material *values = &material->values;
    begin_material(material);
    material->name = sn_gltf_name(g, at);
    const sn_json extensions = sn_json_get(at, "extensions");
    const sn_json specular = sn_json_get(&extensions, "KHR_materials_pbrSpecularGlossiness");
    if (specular.value && !sn_json_has(at, "pbrMetallicRoughness")) {
        read_specular_glossiness(g, &specular, material);
    } else {
        read_metallic_roughness(g, at, material);
    }
    const sn_json normal = read_texture(g, at, "normalTexture", SN_TEXTURE_NORMAL, material);
    values->normal_scale = (float)sn_json_number(&normal, "scale", 1);
    const sn_json occlusion = read_texture(g, at, "occlusionTexture", SN_TEXTURE_OCCLUSION, material);
    values->occlusion_strength = read_unit(&occlusion, "strength", 1);
    read_emissive(g, at, &extensions, material);
    read_alpha(at, values);
    approximate_layers(&extensions, values);
    values->is_double_sided = sn_json_flag(at, "doubleSided", false);
    sn_vrm_read_toon(g, &extensions, index, material);
    values->is_unlit =
        material->toon.is_toon || sn_json_has(&extensions, "KHR_materials_unlit") || sn_vrm_is_unlit(g, index);
}

/* Whether a primitive of any mesh has each material; all, if no primitive has one. Primitives are checked later. */
static void find_drawn_materials(sn_gltf *g, bool *is_drawn, int count)
{
    const json_t *meshes = json_object_get(g->root.value, "meshes"), *mesh = NULL, *primitive = NULL;
    size_t i = 0, k = 0;
    bool is_any_drawn = false;
    json_array_foreach(meshes, i, mesh)
    {
        json_array_foreach(json_object_get(mesh, "primitives"), k, primitive)
        {
            const json_t *material = json_object_get(primitive, "material");
            const json_int_t index = json_is_integer(material) ? json_integer_value(material) : -1;
            if (index >= 0 && index < count) {
                is_drawn[index] = is_any_drawn = true;
            }
        }
    }
    for (int m = 0; m < count && !is_any_drawn; ++m) {
        is_drawn[m] = true;
    }
}

/* Twice: first to find the pictures that drawn materials need, then to read them. */
void sn_gltf_read_materials(sn_gltf *g)
{
    sn_scene_file *scene = g->scene;
    const sn_json list = sn_json_get(&g->root, "materials");
    sn_gltf_begin_textures(g);
    scene->material_count = sn_json_count(&list);
    scene->materials = SN_GLTF_NEW(g, g->arena, &list, sn_scene_material, scene->material_count);
    bool *is_drawn = SN_GLTF_NEW(g, &g->scratch, &list, bool, scene->material_count);
    if (!sn_gltf_ok(g)) {
        return;
    }
    find_drawn_materials(g, is_drawn, scene->material_count);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < scene->material_count && sn_gltf_ok(g); ++i) {
            const sn_json at = sn_json_entry(&list, (size_t)i);
            g->has_textures = is_drawn[i];
            read_material(g, &at, (size_t)i, &scene->materials[i]);
        }
        if (pass == 0 && sn_gltf_ok(g)) {
            sn_gltf_plan_pictures(g);
        }
    }
}
