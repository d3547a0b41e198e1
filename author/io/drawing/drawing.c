/* SPDX-License-Identifier: MIT */
#include "author/io/drawing/drawing.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "author/io/image/halve.h"
#include "author/io/image/jpeg.h"
#include "author/io/json_load.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool has_end(const char *path, const char *end)
{
    const char *base = base_name(path);
    const size_t size = strlen(base), end_size = strlen(end);
    return size >= end_size && strcasecmp(base + size - end_size, end) == 0;
}

static bool is_yaml(const char *path)
{
    return has_end(path, ".yaml") || has_end(path, ".yml");
}

static bool is_jpeg(const char *path)
{
    return has_end(path, ".jpg") || has_end(path, ".jpeg");
}

bool sn_is_drawing_file(const char *path)
{
    return has_end(path, ".png") || is_jpeg(path) || is_yaml(path) || has_end(path, "_ske.json");
}

bool sn_is_handles_file(const char *path)
{
    return has_end(path, ".tgf") || is_yaml(path);
}

sn_result sn_handles_file_read(const char *path, sn_arena *arena, sn_rig_handles *handles)
{
    sn_source source;
    const sn_result result = sn_source_read(path, arena, &source);
    if (result != SN_OK) {
        return result;
    }
    return is_yaml(path) ? sn_char_cfg_read(&source, arena, handles) : sn_tgf_read(&source, arena, handles);
}

/* The path of a file in the folder of another path. */
static char *sibling_path(sn_arena *arena, const char *path, const char *name)
{
    const size_t folder = (size_t)(base_name(path) - path), size = folder + strlen(name) + 1;
    char *result = SN_NEW(arena, char, size);
    if (result) {
        snprintf(result, size, "%.*s%s", (int)folder, path, name);
    }
    return result;
}

/* ---- pictures ---- */

static sn_result read_image(const char *path, sn_arena *arena, sn_image *image)
{
    sn_arena scratch = {0};
    sn_source source;
    sn_result result = sn_source_read(path, &scratch, &source);
    if (result == SN_OK) {
        result = is_jpeg(path) ? sn_jpeg_read(&source, arena, image) : sn_png_read(&source, arena, image);
    }
    sn_arena_finish(&scratch);
    return result;
}

static sn_result apply_mask(const char *mask_path, const char *path, sn_image *image)
{
    sn_arena scratch = {0};
    sn_image mask;
    sn_result result = read_image(mask_path, &scratch, &mask);
    if (result == SN_OK && (mask.width != image->width || mask.height != image->height)) {
        result = sn_fail(SN_ERROR_FORMAT, "%s: header: %d x %d pixels, but %s has %d x %d", mask_path, mask.width,
                         mask.height, path, image->width, image->height);
    }
    const size_t count = (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < count && result == SN_OK; ++i) {
        const uint8_t *m = mask.pixels + 4 * i;
        const int brightness = (m[0] + m[1] + m[2] + 1) / 3;
        image->pixels[4 * i + 3] = (uint8_t)((brightness * m[3] + 127) / 255);
    }
    sn_arena_finish(&scratch);
    return result;
}

static void shrink(sn_drawing *drawing)
{
    drawing->pixel_size = 1;
    drawing->height = drawing->image.height;
    while (drawing->image.width > SN_DRAWING_SIDE_LIMIT || drawing->image.height > SN_DRAWING_SIDE_LIMIT) {
        sn_image_halve(&drawing->image);
        drawing->pixel_size *= 2;
    }
}

static sn_result read_picture(const char *path, const char *mask_path, sn_arena *arena, sn_drawing *drawing)
{
    sn_result result = read_image(path, arena, &drawing->image);
    if (result == SN_OK && !mask_path && strcasecmp(base_name(path), "texture.png") == 0) {
        char *mask = sibling_path(arena, path, "mask.png");
        if (!mask) {
            return SN_ERROR_MEMORY;
        }
        mask_path = access(mask, F_OK) == 0 ? mask : NULL;
    }
    if (result == SN_OK && mask_path) {
        result = apply_mask(mask_path, path, &drawing->image);
    }
    shrink(drawing);
    return result;
}

/* ---- skeletons with pictures ---- */

static sn_result read_char_cfg(const char *path, const char *mask_path, sn_arena *arena, sn_arena *pixel_arena,
                               sn_drawing *drawing)
{
    char *texture = sibling_path(arena, path, "texture.png");
    SN_TRY(texture ? read_picture(texture, mask_path, pixel_arena, drawing) : SN_ERROR_MEMORY);
    return sn_handles_file_read(path, arena, &drawing->handles);
}

/* The path of the atlas's picture, which is in the same folder. */
static sn_result find_atlas_picture(const sn_source *atlas, sn_arena *arena, char **path)
{
    json_t *root = NULL;
    sn_result result = sn_json_load(atlas, 0, &root);
    if (result != SN_OK) {
        return result;
    }
    const char *name = json_string_value(json_object_get(root, "imagePath"));
    if (!name || !*name || strchr(name, '/') || strchr(name, '\\')) {
        result =
            sn_fail(SN_ERROR_FORMAT, "%s: imagePath: must be the name of a picture in the same folder", atlas->name);
    } else {
        *path = sibling_path(arena, atlas->name, name);
        result = *path ? SN_OK : SN_ERROR_MEMORY;
    }
    json_decref(root);
    return result;
}

static sn_result read_dragonbones(const char *path, const char *mask_path, sn_arena *arena, sn_arena *pixel_arena,
                                  sn_drawing *drawing)
{
    const size_t size = strlen(path), end = sizeof "_ske.json" - 1;
    char *atlas_path = SN_NEW(arena, char, size + 1), *picture_path = NULL;
    sn_source skeleton, atlas;
    sn_image pixels;
    if (!atlas_path) {
        return SN_ERROR_MEMORY;
    }
    if (mask_path) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: a mask can only be used with a picture, but %s is a skeleton with pictures", mask_path,
                       path);
    }
    snprintf(atlas_path, size + 1, "%.*s_tex.json", (int)(size - end), path);
    SN_TRY(sn_source_read(path, pixel_arena, &skeleton));
    SN_TRY(sn_source_read(atlas_path, pixel_arena, &atlas));
    SN_TRY(find_atlas_picture(&atlas, arena, &picture_path));
    SN_TRY(read_image(picture_path, pixel_arena, &pixels));
    return sn_dragonbones_read(&skeleton, &atlas, &pixels, arena, pixel_arena, drawing);
}

sn_result sn_drawing_read(const char *path, const char *mask_path, sn_arena *arena, sn_arena *pixel_arena,
                          sn_drawing *drawing)
{
    *drawing = (sn_drawing){.pixel_size = 1};
    if (is_yaml(path)) {
        return read_char_cfg(path, mask_path, arena, pixel_arena, drawing);
    }
    return has_end(path, "_ske.json") ? read_dragonbones(path, mask_path, arena, pixel_arena, drawing)
                                      : read_picture(path, mask_path, pixel_arena, drawing);
}
