/* SPDX-License-Identifier: MIT */
/* EXT_meshopt_compression: buffer views compressed by meshoptimizer. The decoded bytes count against the document's
 * memory limit; accessors use the decoded view like any other. */
#include "author/io/gltf/gltf_reader.h"

#include <string.h>

#include <meshoptimizer.h>

#define MAX_STRIDE 256

typedef enum compression_mode { ATTRIBUTES, TRIANGLES, INDICES, MODE_COUNT } compression_mode;
typedef enum compression_filter { NONE, OCTAHEDRAL, QUATERNION, EXPONENTIAL, FILTER_COUNT } compression_filter;

typedef struct compression {
    compression_mode mode;
    compression_filter filter;
    size_t count, stride;
    sn_gltf_bytes compressed;
} compression;

/* The index of a string member among `count` names; fails if it is none of them. */
static int read_choice(const sn_json *at, const char *key, const char *fallback, const char *const *names, int count)
{
    const char *text = sn_json_text(at, key, fallback);
    for (int i = 0; i < count; ++i) {
        if (strcmp(text, names[i]) == 0) {
            return i;
        }
    }
    sn_json_fail(at, SN_ERROR_FORMAT, "the %s is unknown", key);
    return 0;
}

/* Checks the preconditions of the decoders. */
static void check_strides(const sn_json *at, const compression *c)
{
    static const char *const names[FILTER_COUNT] = {"no filter", "the filter OCTAHEDRAL", "the filter QUATERNION",
                                                    "the filter EXPONENTIAL"};
    const bool is_attribute = c->mode == ATTRIBUTES;
    const bool is_even = c->stride % 4 == 0 && c->stride <= MAX_STRIDE;
    const bool fits_filter = c->filter == OCTAHEDRAL   ? c->stride == 4 || c->stride == 8
                             : c->filter == QUATERNION ? c->stride == 8
                                                       : true;
    if (!is_attribute && c->filter != NONE) {
        sn_json_fail(at, SN_ERROR_FORMAT, "indices cannot have a filter");
    } else if (is_attribute ? !is_even || !fits_filter : c->stride != 2 && c->stride != 4) {
        sn_json_fail(at, SN_ERROR_FORMAT, "the byteStride of %s cannot be %zu with %s",
                     is_attribute ? "attributes" : "indices", c->stride, names[c->filter]);
    } else if (c->mode == TRIANGLES && c->count % 3 != 0) {
        sn_json_fail(at, SN_ERROR_FORMAT, "%zu indices are not a multiple of 3", c->count);
    }
}

static bool read_compression(sn_gltf *g, const sn_json *at, size_t size, compression *c)
{
    static const char *const modes[MODE_COUNT] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
    static const char *const filters[FILTER_COUNT] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};
    *c = (compression){.mode = (compression_mode)read_choice(at, "mode", "", modes, MODE_COUNT),
                       .filter = (compression_filter)read_choice(at, "filter", "NONE", filters, FILTER_COUNT),
                       .count = (size_t)sn_json_integer(at, "count", 0, 1, INT32_MAX),
                       .stride = (size_t)sn_json_integer(at, "byteStride", 0, 1, MAX_STRIDE)};
    c->compressed = sn_gltf_read_range(g, at);
    if (sn_gltf_ok(g)) {
        check_strides(at, c);
    }
    if (sn_gltf_ok(g) && c->count * c->stride != size) {
        sn_json_fail(at, SN_ERROR_FORMAT, "%zu elements of %zu bytes do not match the view's %zu bytes", c->count,
                     c->stride, size);
    }
    return sn_gltf_ok(g);
}

static int decode(const compression *c, void *decoded)
{
    switch (c->mode) {
    case TRIANGLES:
        return meshopt_decodeIndexBuffer(decoded, c->count, c->stride, c->compressed.bytes, c->compressed.size);
    case INDICES:
        return meshopt_decodeIndexSequence(decoded, c->count, c->stride, c->compressed.bytes, c->compressed.size);
    default:
        return meshopt_decodeVertexBuffer(decoded, c->count, c->stride, c->compressed.bytes, c->compressed.size);
    }
}

static void unfilter(const compression *c, void *decoded)
{
    if (c->filter == OCTAHEDRAL) {
        meshopt_decodeFilterOct(decoded, c->count, c->stride);
    } else if (c->filter == QUATERNION) {
        meshopt_decodeFilterQuat(decoded, c->count, c->stride);
    } else if (c->filter == EXPONENTIAL) {
        meshopt_decodeFilterExp(decoded, c->count, c->stride);
    }
}

bool sn_gltf_is_compressed(const sn_json *view)
{
    const sn_json extensions = sn_json_get(view, "extensions");
    return sn_json_has(&extensions, SN_GLTF_MESHOPT);
}

void sn_gltf_decode_view(sn_gltf *g, const sn_json *view, size_t size, sn_gltf_bytes *bytes)
{
    const sn_json extensions = sn_json_get(view, "extensions"), at = sn_json_get(&extensions, SN_GLTF_MESHOPT);
    compression c;
    if (!read_compression(g, &at, size, &c)) {
        return;
    }
    uint8_t *decoded = SN_GLTF_NEW(g, &g->scratch, &at, uint8_t, size);
    if (!decoded) {
        return;
    }
    if (decode(&c, decoded) != 0) {
        sn_json_fail(&at, SN_ERROR_FORMAT, "the %zu bytes of compressed data are damaged or of a newer version",
                     c.compressed.size);
        return;
    }
    unfilter(&c, decoded);
    bytes->bytes = decoded;
    bytes->size = size;
}
