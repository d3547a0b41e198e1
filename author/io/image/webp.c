/* SPDX-License-Identifier: MIT */
/* Reads WebP with libwebp. */
#include "author/io/image/webp.h"

#include <string.h>

#include <webp/decode.h>

#define HEADER_BYTES 12
/* Limit, since the decoder allocates 4 bytes per pixel before it reads the data. */
#define MAX_PIXELS ((size_t)1 << 26)

bool sn_is_webp(const uint8_t *bytes, size_t size)
{
    return size >= HEADER_BYTES && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WEBP", 4) == 0;
}

sn_result sn_webp_size(const sn_source *source, int *width, int *height)
{
    SN_ASSERT(source && width && height);
    WebPBitstreamFeatures features;
    if (WebPGetFeatures(source->bytes, source->size, &features) != VP8_STATUS_OK) {
        return sn_fail(SN_ERROR_FORMAT, "%s: header: not a WebP image", source->name);
    }
    if (features.width > SN_IMAGE_LIMIT || features.height > SN_IMAGE_LIMIT ||
        (size_t)features.width * (size_t)features.height > MAX_PIXELS) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: header: %d x %d pixels are too many; at most %zu are supported",
                       source->name, features.width, features.height, MAX_PIXELS);
    }
    if (features.has_animation) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: header: animations are not supported", source->name);
    }
    *width = features.width;
    *height = features.height;
    return SN_OK;
}

sn_result sn_webp_read(const sn_source *source, sn_arena *arena, sn_image *image)
{
    SN_ASSERT(source && arena && image);
    int width = 0, height = 0;
    const sn_result result = sn_webp_size(source, &width, &height);
    if (result != SN_OK) {
        return result;
    }
    const size_t row = 4 * (size_t)width, size = row * (size_t)height;
    uint8_t *pixels = sn_arena_alloc(arena, (size_t)height, row);
    if (!pixels) {
        return SN_ERROR_MEMORY;
    }
    if (!WebPDecodeRGBAInto(source->bytes, source->size, pixels, size, (int)row)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: the WebP data are damaged or truncated", source->name);
    }
    *image = (sn_image){.width = width, .height = height, .pixels = pixels};
    return SN_OK;
}
