/* SPDX-License-Identifier: MIT */
/* Textures, samplers and images. Only images that a material uses are decoded, since avatars contain thumbnails and
 * maps of unsupported shaders. Textures of one image share its pixels. */
#include "author/io/gltf/gltf_reader.h"
#include "author/io/image/jpeg.h"
#include "author/io/image/webp.h"
#include "author/io/text.h"

#include <stdio.h>
#include <string.h>

#define NOT_READ (-2)
#define LOCATION_CHARS 32

enum { FILTER_NEAREST = 9728, WRAP_REPEAT = 10497, WRAP_CLAMP = 33071, WRAP_MIRROR = 33648 };

void sn_gltf_begin_textures(sn_gltf *g)
{
    const sn_json textures = sn_json_get(&g->root, "textures"), images = sn_json_get(&g->root, "images");
    const int image_count = sn_json_count(&images);
    g->gltf_texture_count = sn_json_count(&textures);
    g->textures = SN_GLTF_NEW(g, &g->scratch, &textures, int32_t, g->gltf_texture_count);
    g->pictures = SN_GLTF_NEW(g, &g->scratch, &images, sn_image, image_count);
    g->is_attempted = SN_GLTF_NEW(g, &g->scratch, &images, bool, image_count);
    g->scene->textures = SN_GLTF_NEW(g, g->arena, &textures, sn_scene_texture, g->gltf_texture_count);
    for (int i = 0; i < g->gltf_texture_count && sn_gltf_ok(g); ++i) {
        g->textures[i] = NOT_READ;
    }
}

static sn_texture_wrap read_wrap(const sn_json *sampler, const char *key)
{
    switch (sn_json_integer(sampler, key, WRAP_REPEAT, 0, INT32_MAX)) {
    case WRAP_REPEAT:
        return SN_WRAP_REPEAT;
    case WRAP_CLAMP:
        return SN_WRAP_CLAMP;
    case WRAP_MIRROR:
        return SN_WRAP_MIRROR;
    default:
        sn_json_fail(sampler, SN_ERROR_FORMAT, "%s must be 10497, 33071 or 33648", key);
        return SN_WRAP_REPEAT;
    }
}

static void read_sampler(sn_gltf *g, const sn_json *at, sn_scene_texture *texture)
{
    const sn_json samplers = sn_json_get(&g->root, "samplers");
    const int32_t index = sn_json_index(at, "sampler", sn_json_count(&samplers));
    if (index >= 0 && sn_gltf_ok(g)) {
        const sn_json sampler = sn_json_entry(&samplers, (size_t)index);
        texture->wrap_u = read_wrap(&sampler, "wrapS");
        texture->wrap_v = read_wrap(&sampler, "wrapT");
        texture->is_nearest = sn_json_integer(&sampler, "magFilter", 0, 0, INT32_MAX) == FILTER_NEAREST;
    }
}

/* A damaged or oversized image only causes a warning, once per document. */
static void ignore_picture(sn_gltf *g, sn_result result, const char *line)
{
    if (result == SN_ERROR_MEMORY) {
        sn_json_set_result(&g->reader, sn_fail(result, "%s", line));
    } else if (result != SN_OK && !(g->reader.warned & SN_GLTF_WARNED_PICTURE)) {
        g->reader.warned |= SN_GLTF_WARNED_PICTURE;
        sn_log(SN_LOG_WARNING, "%s; its textures are ignored", line);
    }
}

static bool read_uri(sn_gltf *g, const sn_json *at, const char *text, sn_gltf_bytes *bytes)
{
    sn_captured_log captured = {0}, *outer = sn_capture_log(&captured);
    const bool is_read = sn_gltf_read_uri(g, at, text, bytes);
    const sn_result result = g->reader.result;
    sn_capture_log(outer);
    g->reader.result = SN_OK;
    ignore_picture(g, result, captured.line);
    return is_read;
}

/* Returns false on failure, and if the image is not available. */
static bool find_bytes(sn_gltf *g, const sn_json *at, sn_gltf_bytes *bytes)
{
    const sn_json uri = sn_json_get(at, "uri");
    const char *text = sn_json_text(at, "uri", NULL);
    const int32_t view = sn_json_index(at, "bufferView", g->view_count);
    if (!sn_gltf_ok(g)) {
        return false;
    }
    if ((view >= 0) == (text != NULL)) {
        sn_json_fail(at, SN_ERROR_FORMAT, "must have one of uri and bufferView, not %s", text ? "both" : "neither");
        return false;
    }
    if (text) {
        return !sn_gltf_is_picture_missing(g, &uri, text) && sn_gltf_ok(g) && read_uri(g, &uri, text, bytes);
    }
    *bytes = g->views[view];
    return true;
}

typedef enum image_type { PICTURE_OTHER, PICTURE_PNG, PICTURE_JPEG, PICTURE_WEBP } image_type;

static image_type find_image_type(const sn_gltf_bytes *bytes)
{
    static const uint8_t png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'}, jpeg[] = {0xff, 0xd8, 0xff};
    return bytes->size >= sizeof png && memcmp(bytes->bytes, png, sizeof png) == 0      ? PICTURE_PNG
           : bytes->size >= sizeof jpeg && memcmp(bytes->bytes, jpeg, sizeof jpeg) == 0 ? PICTURE_JPEG
           : sn_is_webp(bytes->bytes, bytes->size)                                      ? PICTURE_WEBP
                                                                                        : PICTURE_OTHER;
}

static size_t load_big_endian(const uint8_t *bytes)
{
    return (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
}

/* Charges an image to the limit before it is decoded. */
static sn_result check_budget(sn_gltf *g, image_type type, const sn_source *source)
{
    size_t width = 0, height = 0, bytes = 0;
    if (type != PICTURE_PNG) {
        int size[2] = {0, 0};
        const sn_result result =
            type == PICTURE_JPEG ? sn_jpeg_size(source, &size[0], &size[1]) : sn_webp_size(source, &size[0], &size[1]);
        if (result != SN_OK) {
            return result;
        }
        width = (size_t)size[0];
        height = (size_t)size[1];
    } else if (source->size >= 24) { /* signature, length, "IHDR"; the decoder rejects shorter data */
        width = load_big_endian(source->bytes + 16);
        height = load_big_endian(source->bytes + 20);
    }
    const size_t left = SN_GLTF_PICTURE_BYTES - g->picture_bytes;
    if (__builtin_mul_overflow(4 * width, height, &bytes) || __builtin_add_overflow(bytes, source->size, &bytes) ||
        bytes > left) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: %zu x %zu pixels are too many; all images together would exceed %zu MiB", source->name,
                       width, height, SN_GLTF_PICTURE_BYTES >> 20);
    }
    g->picture_bytes += bytes;
    return SN_OK;
}

static void decode_picture(sn_gltf *g, image_type type, const sn_source *source, sn_image *picture)
{
    sn_captured_log captured = {0}, *outer = sn_capture_log(&captured);
    sn_result result = check_budget(g, type, source);
    if (result == SN_OK) {
        result = type == PICTURE_PNG    ? sn_png_read(source, g->arena, picture)
                 : type == PICTURE_JPEG ? sn_jpeg_read(source, g->arena, picture)
                                        : sn_webp_read(source, g->arena, picture);
    }
    sn_capture_log(outer);
    ignore_picture(g, result, captured.line);
}

/* Leaves the picture without pixels if it cannot be read. */
static void read_picture(sn_gltf *g, const sn_json *at, size_t index, sn_image *picture)
{
    sn_gltf_bytes bytes = {0};
    if (!find_bytes(g, at, &bytes)) {
        return;
    }
    const image_type type = find_image_type(&bytes);
    if (type == PICTURE_OTHER) {
        sn_json_warn(at, SN_GLTF_WARNED_PICTURE, "is neither PNG nor JPEG nor WebP; its textures are ignored");
        return;
    }
    const size_t name_size = strlen(g->source->name) + LOCATION_CHARS;
    char *name = SN_GLTF_NEW(g, &g->scratch, at, char, name_size);
    if (!name) {
        return;
    }
    snprintf(name, name_size, "%s: images[%zu]", g->source->name, index);
    const sn_source source = {.name = name, .bytes = bytes.bytes, .size = bytes.size};
    decode_picture(g, type, &source, picture);
}

/* The image index of a texture: its source, or that of EXT_texture_webp; -1: none. */
static int32_t find_image(const sn_json *at, int count)
{
    const sn_json extensions = sn_json_get(at, "extensions"), webp = sn_json_get(&extensions, "EXT_texture_webp");
    const int32_t own = sn_json_index(at, "source", count);
    return own < 0 ? sn_json_index(&webp, "source", count) : own;
}

/* Returns -1 if the texture is ignored. */
static int32_t read_texture(sn_gltf *g, const sn_json *at)
{
    const sn_json images = sn_json_get(&g->root, "images");
    sn_scene_texture texture = {0};
    const int32_t source = find_image(at, sn_json_count(&images));
    read_sampler(g, at, &texture);
    if (!sn_gltf_ok(g)) {
        return -1;
    }
    const char *required = source < 0 ? sn_gltf_required_picture(g, at) : NULL;
    if (required) {
        sn_json_fail(
            at, SN_ERROR_UNSUPPORTED,
            "requires %s and has no PNG, JPEG or WebP image; convert the file's images to one of these formats",
            required);
        return -1;
    }
    if (source < 0) {
        sn_json_warn(at, SN_GLTF_WARNED_PICTURE, "has no PNG, JPEG or WebP image; it is ignored");
        return -1;
    }
    sn_image *picture = &g->pictures[source];
    if (!g->is_attempted[source]) {
        g->is_attempted[source] = true;
        const sn_json image = sn_json_entry(&images, (size_t)source);
        read_picture(g, &image, (size_t)source, picture);
    }
    if (!sn_gltf_ok(g) || !picture->pixels) {
        return -1;
    }
    texture.width = picture->width;
    texture.height = picture->height;
    texture.pixels = picture->pixels;
    g->scene->textures[g->scene->texture_count] = texture;
    return g->scene->texture_count++;
}

int32_t sn_gltf_texture(sn_gltf *g, const sn_json *info)
{
    return sn_json_require(info, "index") ? sn_gltf_texture_member(g, info, "index") : -1;
}

int32_t sn_gltf_texture_member(sn_gltf *g, const sn_json *object, const char *key)
{
    const sn_json list = sn_json_get(&g->root, "textures");
    const int32_t index = sn_json_index(object, key, g->gltf_texture_count);
    if (!sn_gltf_ok(g) || index < 0) {
        return -1;
    }
    if (g->textures[index] == NOT_READ) {
        const sn_json at = sn_json_entry(&list, (size_t)index);
        g->textures[index] = read_texture(g, &at);
    }
    return g->textures[index];
}
