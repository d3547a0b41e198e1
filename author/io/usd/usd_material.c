/* SPDX-License-Identifier: MIT */
/* Writes materials as UsdPreviewSurface with textures in separate files. */
#include <stdio.h>
#include <string.h>

#include "author/io/image/png.h"
#include "author/io/image/webp.h"
#include "author/io/usd/usd_writer.h"

#define PATH_CHARS 4096

/* USD has no WebP. */
static bool is_jpeg(const sn_scene_texture *t)
{
    return t->encoded && !sn_is_webp(t->encoded, t->encoded_size);
}

/* Builds the path "DIR/OUT.texture0.png", or ".jpg", and returns the start of its file name. */
static bool name_picture(sn_usd_writer *w, int texture, char path[PATH_CHARS], const char **name)
{
    if (w->result != SN_OK) {
        return false;
    }
    const char *dot = strrchr(w->path, '.'), *slash = strrchr(w->path, '/');
    const int stem = (int)(dot - w->path);
    const char *type = is_jpeg(&w->scene->textures[texture]) ? "jpg" : "png";
    if (snprintf(path, PATH_CHARS, "%.*s.texture%d.%s", stem, w->path, texture, type) >= PATH_CHARS) {
        w->result = sn_fail(SN_ERROR_FILE, "%s: the path is too long", w->path);
        return false;
    }
    *name = slash ? path + (slash + 1 - w->path) : path;
    if (strpbrk(*name, "@\n")) {
        w->result =
            sn_fail(SN_ERROR_FILE, "%s: in USD, the name of a picture must not contain '@' or a line break", *name);
    }
    return w->result == SN_OK;
}

/* The first texture with the same pixels, whose file is shared. */
static int find_picture(const sn_scene_file *scene, int texture)
{
    int first = 0;
    while (scene->textures[first].pixels != scene->textures[texture].pixels) {
        ++first;
    }
    return first;
}

static bool has_alpha(const sn_scene_texture *t)
{
    for (size_t i = 0; i < (size_t)t->width * (size_t)t->height; ++i) {
        if (t->pixels[4 * i + 3] != 255) {
            return true;
        }
    }
    return false;
}

static void write_pictures(sn_usd_writer *w)
{
    char path[PATH_CHARS];
    const char *name;
    for (int i = 0; i < w->scene->texture_count && w->result == SN_OK; ++i) {
        const sn_scene_texture *t = &w->scene->textures[i];
        const sn_image image = {t->width, t->height, t->pixels};
        if (find_picture(w->scene, i) == i && name_picture(w, i, path, &name)) {
            w->result = is_jpeg(t) ? sn_file_write(path, t->encoded, t->encoded_size)
                                   : sn_png_write(path, &image, !has_alpha(t));
        }
    }
}

static const char *const use_names[SN_TEXTURE_USE_COUNT] = {"BaseColor", "MetallicRoughness", "Normal", "Occlusion",
                                                            "Emissive"};

/* scale and bias (4 each) are applied to the texels. */
static void put_texture(sn_usd_writer *w, const char *material, const sn_scene_material *m, sn_texture_use use,
                        const float *scale, const float *bias)
{
    static const char *const wraps[SN_WRAP_COUNT] = {"repeat", "clamp", "mirror"};
    const bool is_color = use == SN_TEXTURE_BASE_COLOR || use == SN_TEXTURE_EMISSIVE;
    const int texture = m->values.textures[use];
    char path[PATH_CHARS];
    const char *name;
    if (texture < 0 || !name_picture(w, find_picture(w->scene, texture), path, &name)) {
        return;
    }
    const sn_scene_texture *t = &w->scene->textures[texture];
    sn_usd_line(w, "def Shader \"%s\"", use_names[use]);
    sn_usd_open_brace(w);
    sn_usd_line(w, "uniform token info:id = \"UsdUVTexture\"");
    sn_usd_line(w, "asset inputs:file = @./%s@", name);
    sn_usd_line(w, "float2 inputs:st.connect = <%s/Reader%d.outputs:result>", material, m->values.uv_sets[use]);
    sn_usd_line(w, "token inputs:wrapS = \"%s\"", wraps[t->wrap_u]);
    sn_usd_line(w, "token inputs:wrapT = \"%s\"", wraps[t->wrap_v]);
    sn_usd_line(w, "token inputs:sourceColorSpace = \"%s\"", is_color ? "sRGB" : "raw");
    sn_usd_line(w, "float4 inputs:scale = (%.9g, %.9g, %.9g, %.9g)", (double)scale[0], (double)scale[1],
                (double)scale[2], (double)scale[3]);
    sn_usd_line(w, "float4 inputs:bias = (%.9g, %.9g, %.9g, %.9g)", (double)bias[0], (double)bias[1], (double)bias[2],
                (double)bias[3]);
    sn_usd_line(w, "float3 outputs:rgb");
    for (int k = 0; k < 4; ++k) {
        sn_usd_line(w, "float outputs:%c", "rgba"[k]);
    }
    sn_usd_close_brace(w);
}

static void put_reader(sn_usd_writer *w, int set)
{
    sn_usd_line(w, "def Shader \"Reader%d\"", set);
    sn_usd_open_brace(w);
    sn_usd_line(w, "uniform token info:id = \"UsdPrimvarReader_float2\"");
    sn_usd_line(w, "string inputs:varname = \"%s\"", set == 0 ? "st" : "st1");
    sn_usd_line(w, "float2 outputs:result");
    sn_usd_close_brace(w);
}

/* Writes a connection to the texture if there is one, else the value. */
static void put_color(sn_usd_writer *w, const char *material, const char *input, bool has_texture, sn_texture_use use,
                      const float *value)
{
    if (has_texture) {
        sn_usd_line(w, "color3f inputs:%s.connect = <%s/%s.outputs:rgb>", input, material, use_names[use]);
    } else {
        sn_usd_line(w, "color3f inputs:%s = (%.9g, %.9g, %.9g)", input, (double)value[0], (double)value[1],
                    (double)value[2]);
    }
}

static void put_real(sn_usd_writer *w, const char *material, const char *input, bool has_texture, sn_texture_use use,
                     char component, float value)
{
    if (has_texture) {
        sn_usd_line(w, "float inputs:%s.connect = <%s/%s.outputs:%c>", input, material, use_names[use], component);
    } else {
        sn_usd_line(w, "float inputs:%s = %.9g", input, (double)value);
    }
}

/* Writes the surface shader; unlit materials become emissive. */
static void put_surface(sn_usd_writer *w, const char *material, const sn_scene_material *m)
{
    static const float black[3] = {0, 0, 0};
    const sn_material *v = &m->values;
    bool has[SN_TEXTURE_USE_COUNT];
    for (int use = 0; use < SN_TEXTURE_USE_COUNT; ++use) {
        has[use] = v->textures[use] >= 0;
    }
    sn_usd_line(w, "def Shader \"Surface\"");
    sn_usd_open_brace(w);
    sn_usd_line(w, "uniform token info:id = \"UsdPreviewSurface\"");
    put_color(w, material, v->is_unlit ? "emissiveColor" : "diffuseColor", has[SN_TEXTURE_BASE_COLOR],
              SN_TEXTURE_BASE_COLOR, v->base_color);
    if (v->is_unlit) {
        put_color(w, material, "diffuseColor", false, SN_TEXTURE_BASE_COLOR, black);
    } else {
        put_color(w, material, "emissiveColor", has[SN_TEXTURE_EMISSIVE], SN_TEXTURE_EMISSIVE, v->emissive);
    }
    put_real(w, material, "metallic", has[SN_TEXTURE_METALLIC_ROUGHNESS], SN_TEXTURE_METALLIC_ROUGHNESS, 'b',
             v->metallic);
    put_real(w, material, "roughness", has[SN_TEXTURE_METALLIC_ROUGHNESS], SN_TEXTURE_METALLIC_ROUGHNESS, 'g',
             v->roughness);
    if (has[SN_TEXTURE_OCCLUSION]) {
        put_real(w, material, "occlusion", true, SN_TEXTURE_OCCLUSION, 'r', 1);
    }
    if (has[SN_TEXTURE_NORMAL]) {
        sn_usd_line(w, "normal3f inputs:normal.connect = <%s/%s.outputs:rgb>", material, use_names[SN_TEXTURE_NORMAL]);
    }
    if (v->alpha_mode != SN_ALPHA_OPAQUE) {
        put_real(w, material, "opacity", has[SN_TEXTURE_BASE_COLOR], SN_TEXTURE_BASE_COLOR, 'a', v->base_color[3]);
    }
    if (v->alpha_mode == SN_ALPHA_MASK) {
        sn_usd_line(w, "float inputs:opacityThreshold = %.9g", (double)v->alpha_cutoff);
    }
    sn_usd_line(w, "token outputs:surface");
    sn_usd_close_brace(w);
}

static void put_textures(sn_usd_writer *w, const char *material, const sn_scene_material *m)
{
    static const float none[4] = {0, 0, 0, 0}, normal_bias[4] = {-1, -1, -1, 0};
    const sn_material *v = &m->values;
    const float emissive[4] = {v->emissive[0], v->emissive[1], v->emissive[2], 1};
    const float metallic_roughness[4] = {1, v->roughness, v->metallic, 1}, one[4] = {1, 1, 1, 1};
    const float normal[4] = {2 * v->normal_scale, 2 * v->normal_scale, 2, 1};
    const float flat[4] = {normal_bias[0] * v->normal_scale, normal_bias[1] * v->normal_scale, normal_bias[2], 0};
    bool is_read[2] = {false, false};
    for (int use = 0; use < SN_TEXTURE_USE_COUNT; ++use) {
        is_read[v->uv_sets[use]] |= v->textures[use] >= 0;
    }
    for (int set = 0; set < 2; ++set) {
        if (is_read[set]) {
            put_reader(w, set);
        }
    }
    put_texture(w, material, m, SN_TEXTURE_BASE_COLOR, v->base_color, none);
    put_texture(w, material, m, SN_TEXTURE_METALLIC_ROUGHNESS, metallic_roughness, none);
    put_texture(w, material, m, SN_TEXTURE_NORMAL, normal, flat);
    put_texture(w, material, m, SN_TEXTURE_OCCLUSION, one, none);
    put_texture(w, material, m, SN_TEXTURE_EMISSIVE, emissive, none);
}

void sn_usd_write_materials(sn_usd_writer *w, const char *root)
{
    write_pictures(w);
    sn_usd_line(w, "def Scope \"Materials\"");
    sn_usd_open_brace(w);
    for (int i = 0; i < w->scene->material_count; ++i) {
        char material[128];
        snprintf(material, sizeof material, "/%s/Materials/Material_%d", root, i);
        sn_usd_line(w, "def Material \"Material_%d\"", i);
        sn_usd_open_brace(w);
        sn_usd_line(w, "token outputs:surface.connect = <%s/Surface.outputs:surface>", material);
        put_surface(w, material, &w->scene->materials[i]);
        put_textures(w, material, &w->scene->materials[i]);
        sn_usd_close_brace(w);
    }
    sn_usd_close_brace(w);
}
