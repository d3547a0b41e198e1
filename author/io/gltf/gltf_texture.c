/* SPDX-License-Identifier: MIT */
/* Textures, samplers and images. Only images that a drawn material uses are decoded, since avatars contain thumbnails
 * and maps of unsupported shaders. If all together are too large, the largest are reduced. Textures of one image share
 * its pixels. */
#include "author/io/gltf/gltf_reader.h"
#include "author/io/image/halve.h"
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
    g->image_count = sn_json_count(&images);
    g->gltf_texture_count = sn_json_count(&textures);
    g->textures = SN_GLTF_NEW(g, &g->scratch, &textures, int32_t, g->gltf_texture_count);
    g->pictures = SN_GLTF_NEW(g, &g->scratch, &images, sn_image, g->image_count);
    g->picture_sources = SN_GLTF_NEW(g, &g->scratch, &images, sn_gltf_picture_source, g->image_count);
    g->is_planning = true;
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

/* Reads the size from the header. A picture that alone exceeds the limit cannot be decoded. */
static sn_result read_size(const sn_source *source, sn_gltf_picture_source *picture)
{
    size_t bytes = 0;
    if (picture->type != PICTURE_PNG) {
        int size[2] = {0, 0};
        SN_TRY(picture->type == PICTURE_JPEG ? sn_jpeg_size(source, &size[0], &size[1])
                                             : sn_webp_size(source, &size[0], &size[1]));
        picture->width = (size_t)size[0];
        picture->height = (size_t)size[1];
    } else if (source->size >= 24) { /* signature, length, "IHDR"; the decoder rejects shorter data */
        picture->width = load_big_endian(source->bytes + 16);
        picture->height = load_big_endian(source->bytes + 20);
    }
    return !__builtin_mul_overflow(4 * picture->width, picture->height, &bytes) && bytes <= SN_GLTF_PICTURE_BYTES
               ? SN_OK
               : sn_fail(SN_ERROR_UNSUPPORTED, "%s: %zu x %zu pixels are too many; a picture may have %zu MiB",
                         source->name, picture->width, picture->height, SN_GLTF_PICTURE_BYTES >> 20);
}

/* A name for messages; null, with a failure, if memory is out. */
static const char *name_picture(sn_gltf *g, const sn_json *at, size_t index)
{
    const size_t size = strlen(g->source->name) + LOCATION_CHARS;
    char *name = SN_GLTF_NEW(g, &g->scratch, at, char, size);
    if (name) {
        snprintf(name, size, "%s: images[%zu]", g->source->name, index);
    }
    return name;
}

/* Finds the bytes, the type and the size of an image. Leaves it without bytes if it cannot be read. */
static void open_picture(sn_gltf *g, const sn_json *at, size_t index, sn_gltf_picture_source *picture)
{
    sn_gltf_bytes bytes = {0};
    if (!find_bytes(g, at, &bytes)) {
        return;
    }
    picture->type = (int)find_image_type(&bytes);
    if (picture->type == PICTURE_OTHER) {
        sn_json_warn(at, SN_GLTF_WARNED_PICTURE, "is neither PNG nor JPEG nor WebP; its textures are ignored");
        return;
    }
    const char *name = name_picture(g, at, index);
    if (!name) {
        return;
    }
    const sn_source source = {.name = name, .bytes = bytes.bytes, .size = bytes.size};
    sn_captured_log captured = {0}, *outer = sn_capture_log(&captured);
    const sn_result result = read_size(&source, picture);
    sn_capture_log(outer);
    ignore_picture(g, result, captured.line);
    picture->bytes = result == SN_OK ? bytes : (sn_gltf_bytes){0};
}

static sn_result decode(const sn_source *source, int type, sn_arena *arena, sn_image *picture)
{
    return type == PICTURE_PNG    ? sn_png_read(source, arena, picture)
           : type == PICTURE_JPEG ? sn_jpeg_read(source, arena, picture)
                                  : sn_webp_read(source, arena, picture);
}

/* Decodes an image and reduces it as planned. */
static sn_result decode_reduced(sn_gltf *g, const sn_source *source, const sn_gltf_picture_source *from,
                                sn_image *picture)
{
    sn_arena scratch = {0};
    sn_image whole = {0};
    sn_result result = decode(source, from->type, &scratch, &whole);
    for (int i = 0; i < from->halvings && result == SN_OK; ++i) {
        sn_image_halve(&whole);
    }
    const size_t bytes = (size_t)4 * (size_t)whole.width * (size_t)whole.height;
    uint8_t *pixels = result == SN_OK ? SN_NEW(g->arena, uint8_t, bytes) : NULL;
    if (pixels) {
        memcpy(pixels, whole.pixels, bytes);
        *picture = (sn_image){whole.width, whole.height, pixels};
    } else {
        result = result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    sn_arena_finish(&scratch);
    return result;
}

/* Copies the bytes of a JPEG or WebP for the scene: encoded again, they would be larger. */
static sn_result keep_bytes(sn_gltf *g, sn_gltf_picture_source *picture)
{
    const size_t size = picture->bytes.size;
    if (picture->type == PICTURE_PNG || picture->halvings > 0 || size > g->input_bytes - g->kept_bytes) {
        return SN_OK;
    }
    uint8_t *kept = SN_NEW(g->arena, uint8_t, size);
    if (!kept) {
        return SN_ERROR_MEMORY;
    }
    memcpy(kept, picture->bytes.bytes, size);
    picture->kept = kept;
    g->kept_bytes += size;
    return SN_OK;
}

/* Leaves the picture without pixels if it cannot be read. */
static void read_picture(sn_gltf *g, const sn_json *at, size_t index, sn_image *picture)
{
    sn_gltf_picture_source *from = &g->picture_sources[index];
    const char *name = from->bytes.bytes ? name_picture(g, at, index) : NULL;
    if (!name) {
        return;
    }
    const sn_source source = {.name = name, .bytes = from->bytes.bytes, .size = from->bytes.size};
    sn_captured_log captured = {0}, *outer = sn_capture_log(&captured);
    sn_result result =
        from->halvings > 0 ? decode_reduced(g, &source, from, picture) : decode(&source, from->type, g->arena, picture);
    result = result == SN_OK ? keep_bytes(g, from) : result;
    sn_capture_log(outer);
    ignore_picture(g, result, captured.line);
}

/* Bytes of a picture's pixels after so many halvings. */
static size_t reduced_bytes(const sn_gltf_picture_source *picture, int halvings)
{
    size_t width = picture->width, height = picture->height;
    for (int i = 0; i < halvings; ++i) {
        width = (width + 1) / 2;
        height = (height + 1) / 2;
    }
    return 4 * width * height;
}

/* Halves every picture until it has at most `cap` bytes. Returns the bytes of all. */
static size_t reduce_to(sn_gltf *g, size_t cap, int *reduced_count)
{
    size_t total = 0;
    *reduced_count = 0;
    for (int i = 0; i < g->image_count; ++i) {
        sn_gltf_picture_source *picture = &g->picture_sources[i];
        picture->halvings = 0;
        while (picture->bytes.bytes && reduced_bytes(picture, picture->halvings) > cap) {
            ++picture->halvings;
        }
        total += picture->bytes.bytes ? reduced_bytes(picture, picture->halvings) : 0;
        *reduced_count += picture->halvings > 0;
    }
    return total;
}

void sn_gltf_plan_pictures(sn_gltf *g)
{
    int count = 0;
    size_t cap = SN_GLTF_PICTURE_BYTES;
    const size_t whole = reduce_to(g, cap, &count);
    for (size_t total = whole; total > SN_GLTF_PICTURE_BYTES && cap > 4; total = reduce_to(g, cap, &count)) {
        cap /= 2;
    }
    if (count > 0) {
        sn_log(SN_LOG_WARNING, "%s: its pictures have %zu MiB; the %d largest are reduced, so that all have %zu MiB",
               g->source->name, whole >> 20, count, SN_GLTF_PICTURE_BYTES >> 20);
    }
    g->is_planning = false;
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
    sn_gltf_picture_source *from = &g->picture_sources[source];
    const sn_json image = sn_json_entry(&images, (size_t)source);
    if (g->is_planning) {
        if (!from->is_needed) {
            from->is_needed = true;
            open_picture(g, &image, (size_t)source, from);
        }
        return -1;
    }
    if (!from->is_attempted) {
        from->is_attempted = true;
        read_picture(g, &image, (size_t)source, picture);
    }
    if (!sn_gltf_ok(g) || !picture->pixels) {
        return -1;
    }
    texture.width = picture->width;
    texture.height = picture->height;
    texture.pixels = picture->pixels;
    texture.encoded = from->kept;
    texture.encoded_size = from->kept ? from->bytes.size : 0;
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
    if (!sn_gltf_ok(g) || index < 0 || !g->has_textures) {
        return -1;
    }
    if (g->textures[index] == NOT_READ) {
        const sn_json at = sn_json_entry(&list, (size_t)index);
        const int32_t texture = read_texture(g, &at);
        g->textures[index] = g->is_planning ? NOT_READ : texture;
        return texture;
    }
    return g->textures[index];
}
