/* SPDX-License-Identifier: MIT */
/* Reads Wavefront .mtl ("Object Files and Material Library Files", Wavefront Technologies, 1992, with the later Pr and
 * Pm) as metallic-roughness. Kd and Ke are linear, as in Blender and obj2gltf; map_Kd is sRGB. The Blinn-Phong exponent
 * Ns becomes the roughness (2 / (Ns + 2))^(1/4), which gives the same highlight width (Walter et al., "Microfacet
 * models for refraction", 2007, section 5.2); Pr takes precedence. Ks, Ka, other maps and the options of map_Kd except
 * -clamp are ignored. */
#include "author/io/surface/obj_material.h"
#include "author/io/image/png.h"
#include "author/io/surface/surface_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_ROUGHNESS 0.8F
#define PNG_SIGNATURE "\x89PNG\r\n\x1a\n"

sn_scene_material sn_obj_default_material(const char *name)
{
    sn_scene_material material = {.name = name,
                                  .values = {.base_color = {1, 1, 1, 1},
                                             .roughness = DEFAULT_ROUGHNESS,
                                             .normal_scale = 1,
                                             .occlusion_strength = 1,
                                             .alpha_cutoff = 0.5F,
                                             .alpha_mode = SN_ALPHA_OPAQUE}};
    for (int use = 0; use < SN_TEXTURE_USE_COUNT; use++) {
        material.values.textures[use] = -1;
        material.uv_transforms[use][0] = material.uv_transforms[use][4] = 1;
    }
    return material;
}

/* ---- pictures ---- */

static void warn(const sn_obj_materials *m, sn_token name, const char *cause)
{
    char printable[256];
    sn_log(SN_LOG_WARNING, "%s: '%s' %s; it is ignored", m->source->name,
           sn_text_printable(name.text, name.size, printable, sizeof printable), cause);
}

static sn_result decode_picture(sn_obj_materials *m, const sn_source *file)
{
    sn_image image;
    const sn_result result = sn_png_read(file, m->arena, &image);
    if (result != SN_OK) {
        return result;
    }
    sn_scene_texture *texture = SN_LIST_ADD(&m->textures, sn_scene_texture, 1);
    if (!texture) {
        return SN_ERROR_MEMORY;
    }
    const sn_texture_wrap wrap = m->is_clamped ? SN_WRAP_CLAMP : SN_WRAP_REPEAT;
    *texture = (sn_scene_texture){
        .width = image.width, .height = image.height, .pixels = image.pixels, .wrap_u = wrap, .wrap_v = wrap};
    return SN_OK;
}

/* Adds the texture of an existing file; warns if it is not a PNG. */
static sn_result read_picture(sn_obj_materials *m, sn_token path, int32_t *texture)
{
    sn_arena scratch = {0}; /* for the bytes of this file */
    sn_source file;
    sn_result result = sn_source_read(path.text, &scratch, &file);
    const size_t signature_size = sizeof PNG_SIGNATURE - 1;
    if (result == SN_OK && (file.size < signature_size || memcmp(file.bytes, PNG_SIGNATURE, signature_size) != 0)) {
        warn(m, path, "is not a PNG");
    } else if (result == SN_OK) {
        result = decode_picture(m, &file);
        *texture = (int32_t)m->textures.count - 1;
    }
    sn_arena_finish(&scratch);
    return result;
}

/* Likewise, but each file is read once. */
static sn_result read_path(sn_obj_materials *m, sn_token path, int32_t *texture)
{
    const int64_t known = sn_name_find(&m->paths, path);
    if (known >= 0) {
        *texture = ((const int32_t *)m->path_textures.items)[known];
        return SN_OK;
    }
    const sn_token stored_name = {.text = sn_copy_text(&m->scratch, path), .size = path.size};
    int32_t *added = stored_name.text && sn_name_add(&m->paths, stored_name) >= 0
                         ? SN_LIST_ADD(&m->path_textures, int32_t, 1)
                         : NULL;
    if (!added) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result = read_picture(m, stored_name, texture);
    *added = *texture;
    return result;
}

/* The texture of a picture in the folder of the .obj; -1, with a warning unless it is optional, if it is missing. */
static sn_result find_picture(sn_obj_materials *m, sn_token name, bool is_optional, int32_t *texture)
{
    char path[SN_OBJ_PATH_BYTES];
    *texture = -1;
    const bool is_sibling = sn_obj_sibling_path(m->source, name, path);
    if (is_sibling && sn_obj_is_file(path)) {
        return read_path(m, (sn_token){.text = path, .size = strlen(path)}, texture);
    }
    if (!is_optional) {
        warn(m, name, is_sibling ? "is missing" : "is not a path inside the folder of this file");
    }
    return SN_OK;
}

static bool ends_with(sn_token text, const char *ending)
{
    const size_t size = strlen(ending);
    return text.size >= size && memcmp(text.text + text.size - size, ending, size) == 0;
}

/* NAME.png could be a preview, so only names that end in "_tex" or "_texture" are used as textures. */
sn_result sn_obj_read_sibling_picture(sn_obj_materials *m, int32_t *texture)
{
    static const char *const endings[] = {"_tex", "_texture"};
    const sn_token stem = sn_source_stem(m->source);
    bool is_named = false;
    sn_result result = SN_OK;
    *texture = -1;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i) {
        is_named |= ends_with(stem, endings[i]);
    }
    for (size_t i = 0; i < (is_named ? 1 : sizeof endings / sizeof endings[0]) && *texture < 0; ++i) {
        char name[SN_OBJ_PATH_BYTES];
        const int size =
            snprintf(name, sizeof name, "%.*s%s.png", (int)stem.size, stem.text, is_named ? "" : endings[i]);
        if (result == SN_OK && size < (int)sizeof name) {
            result = find_picture(m, (sn_token){.text = name, .size = (size_t)size}, true, texture);
        }
    }
    return result;
}

/* ---- statements ---- */

static sn_material *current(sn_obj_materials *m)
{
    return &m->materials[m->current].values;
}

/* Three numbers, or one for all components; spectral curves and XYZ colors are ignored. */
static sn_result read_color(sn_text *text, const char *what, float color[3])
{
    double values[3];
    int count = 0;
    if (!sn_obj_find_word(text) || text->bytes[text->offset] == 's' || text->bytes[text->offset] == 'x') {
        return SN_OK;
    }
    SN_TRY(sn_obj_numbers(text, what, 3, values, &count));
    for (int k = 0; k < 3; k++) {
        const float value = (float)values[count == 3 ? k : 0];
        color[k] = value > 0 ? value : 0;
    }
    return SN_OK;
}

/* A number clamped to 0..limit; an option before it, as in `d -halo 0.5`, is skipped. */
static sn_result read_value(sn_text *text, const char *what, float limit, float *value)
{
    double numbers[1];
    int count = 0;
    if (sn_obj_find_word(text) && sn_text_remaining(text) > 1 && memcmp(text->bytes + text->offset, "-h", 2) == 0) {
        sn_obj_word(text);
    }
    SN_TRY(sn_obj_numbers(text, what, 1, numbers, &count));
    if (count == 1) {
        const float number = (float)numbers[0];
        *value = number < 0 ? 0 : number > limit ? limit : number;
    }
    return SN_OK;
}

static void set_alpha(sn_obj_materials *m, float alpha)
{
    current(m)->base_color[3] = alpha;
    current(m)->alpha_mode = alpha < 1 ? SN_ALPHA_BLEND : SN_ALPHA_OPAQUE;
}

static sn_result read_dissolve(sn_obj_materials *m, sn_text *text, bool is_transparency)
{
    float value = is_transparency ? 0 : 1;
    const sn_result result = read_value(text, "opacity", 1, &value);
    if (result != SN_OK) {
        return result;
    }
    if (!is_transparency) {
        m->has_dissolve = true;
        set_alpha(m, value);
    } else if (!m->has_dissolve) {
        /* MeshLab writes Tr 1 for opaque materials, and invisible materials do not occur */
        set_alpha(m, value < 1 ? 1 - value : 1);
    }
    return SN_OK;
}

static sn_result read_shininess(sn_obj_materials *m, sn_text *text)
{
    float exponent = 0;
    const sn_result result = read_value(text, "Ns", 1e6F, &exponent);
    if (!m->has_roughness) {
        current(m)->roughness = powf(2 / (exponent + 2), 0.25F);
    }
    return result;
}

/* Skips the next word if it consists of characters of numbers. */
static bool skip_number(sn_text *text)
{
    sn_text ahead = *text;
    const sn_token word = sn_obj_word(&ahead);
    for (size_t i = 0; i < word.size; i++) {
        if (word.text[i] == 0 || !strchr("0123456789+-.eE", word.text[i])) {
            return false;
        }
    }
    *text = ahead;
    return word.size > 0;
}

/* Skips an option of a map with its arguments: up to three numbers for -o, -s and -t. */
static void skip_option(sn_obj_materials *m, sn_text *text)
{
    const sn_token option = sn_obj_word(text);
    if (sn_token_is(option, "-clamp")) {
        m->is_clamped = sn_token_is(sn_obj_word(text), "on");
        return;
    }
    if (sn_token_is(option, "-o") || sn_token_is(option, "-s") || sn_token_is(option, "-t")) {
        for (int i = 0; i < 3 && skip_number(text); i++) {
        }
        return;
    }
    sn_obj_word(text);
    if (sn_token_is(option, "-mm")) {
        sn_obj_word(text);
    }
}

static sn_result read_map(sn_obj_materials *m, sn_text *text)
{
    m->is_clamped = false;
    while (sn_obj_find_word(text) && text->bytes[text->offset] == '-') {
        skip_option(m, text);
    }
    const sn_token name = sn_obj_rest(text);
    if (name.size == 0) {
        return SN_OK;
    }
    return find_picture(m, name, false, &current(m)->textures[SN_TEXTURE_BASE_COLOR]);
}

static sn_result read_statement(sn_obj_materials *m, sn_text *text, sn_token keyword)
{
    if (sn_token_is(keyword, "newmtl")) {
        m->current = sn_name_find(m->names, sn_obj_rest(text));
        m->has_dissolve = m->has_roughness = false;
        return SN_OK;
    }
    if (m->current < 0) {
        return SN_OK;
    }
    sn_material *values = current(m);
    if (sn_token_is(keyword, "Kd")) {
        return read_color(text, "Kd", values->base_color);
    }
    if (sn_token_is(keyword, "Ke")) {
        return read_color(text, "Ke", values->emissive);
    }
    if (sn_token_is(keyword, "d") || sn_token_is(keyword, "Tr")) {
        return read_dissolve(m, text, keyword.size == 2);
    }
    if (sn_token_is(keyword, "Ns")) {
        return read_shininess(m, text);
    }
    if (sn_token_is(keyword, "Pr")) {
        m->has_roughness = true;
        return read_value(text, "Pr", 1, &values->roughness);
    }
    if (sn_token_is(keyword, "Pm")) {
        return read_value(text, "Pm", 1, &values->metallic);
    }
    return sn_token_is(keyword, "map_Kd") ? read_map(m, text) : SN_OK;
}

sn_result sn_obj_parse_library(sn_obj_materials *m, const sn_source *file)
{
    sn_text text = sn_text_begin(file, 0);
    sn_result result = SN_OK;
    m->has_library = true;
    m->current = -1;
    while (result == SN_OK && sn_text_remaining(&text) > 0) {
        result = read_statement(m, &text, sn_obj_word(&text));
        sn_text_skip_line(&text);
    }
    return result;
}

static sn_result read_file(sn_obj_materials *m, const char *path)
{
    sn_arena scratch = {0};
    sn_source file;
    sn_result result = sn_source_read(path, &scratch, &file);
    result = result ? result : sn_obj_parse_library(m, &file);
    sn_arena_finish(&scratch);
    return result;
}

/* Returns whether the file exists; each file is read once. */
static bool read_one_library(sn_obj_materials *m, sn_token name, sn_result *result)
{
    char path[SN_OBJ_PATH_BYTES];
    if (!sn_obj_sibling_path(m->source, name, path) || !sn_obj_is_file(path)) {
        return false;
    }
    const sn_token token = {.text = path, .size = strlen(path)};
    if (sn_name_find(&m->read, token) < 0) {
        const sn_token stored_name = {.text = sn_copy_text(&m->scratch, token), .size = token.size};
        *result = stored_name.text && sn_name_add(&m->read, stored_name) >= 0 ? read_file(m, stored_name.text)
                                                                              : SN_ERROR_MEMORY;
    }
    return true;
}

sn_result sn_obj_read_library(sn_obj_materials *m, sn_token names)
{
    sn_result result = SN_OK;
    if (read_one_library(m, names, &result)) {
        return result;
    }
    const sn_source line = {.name = "", .bytes = (const uint8_t *)names.text, .size = names.size};
    sn_text text = sn_text_begin(&line, 0);
    bool is_missing = false;
    for (sn_token name = sn_text_next(&text); name.size > 0 && result == SN_OK; name = sn_text_next(&text)) {
        is_missing |= !read_one_library(m, name, &result);
    }
    if (result == SN_OK && is_missing && !m->warned_library) {
        m->warned_library = true;
        warn(m, names, "is missing");
    }
    return result;
}

void sn_obj_materials_finish(sn_obj_materials *m)
{
    sn_list_finish(&m->textures);
    sn_list_finish(&m->path_textures);
    sn_name_table_finish(&m->paths);
    sn_name_table_finish(&m->read);
    sn_arena_finish(&m->scratch);
}
