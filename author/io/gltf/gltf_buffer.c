/* SPDX-License-Identifier: MIT */
/* Buffers (the binary chunk, external files, base64 text) and ranges of their bytes. */
#include "author/io/gltf/gltf_reader.h"

static bool is_placeholder(const sn_json *buffer)
{
    const sn_json extensions = sn_json_get(buffer, "extensions"), at = sn_json_get(&extensions, SN_GLTF_MESHOPT);
    return sn_json_flag(&at, "fallback", false);
}

static void read_buffer(sn_gltf *g, const sn_json *at, bool is_first, sn_gltf_bytes *buffer)
{
    const sn_json uri = sn_json_get(at, "uri");
    const char *text = sn_json_text(at, "uri", NULL);
    if (!sn_json_require(at, "byteLength")) {
        return;
    }
    const int64_t size = sn_json_integer(at, "byteLength", 0, 1, INT64_MAX);
    if (!text && !(is_first && g->bin.bytes) && is_placeholder(at)) {
        return; /* its views are compressed and stored in other buffers */
    }
    const size_t old_file_bytes = g->file_bytes;
    sn_gltf_bytes bytes_found = g->bin;
    if (!sn_gltf_ok(g) || (text && !sn_gltf_read_uri(g, &uri, text, &bytes_found))) {
        return;
    }
    g->input_bytes += g->file_bytes - old_file_bytes;
    if (!text && !(is_first && g->bin.bytes)) {
        sn_json_fail(at, SN_ERROR_FORMAT, "has no uri, and is not the binary chunk of a .glb");
    } else if ((uint64_t)size > bytes_found.size) {
        sn_json_fail(at, SN_ERROR_FORMAT, "byteLength is %lld, but there are %zu bytes", (long long)size,
                     bytes_found.size);
    } else {
        *buffer = (sn_gltf_bytes){.bytes = bytes_found.bytes, .size = (size_t)size};
    }
}

void sn_gltf_read_buffers(sn_gltf *g)
{
    const sn_json list = sn_json_get(&g->root, "buffers");
    g->buffer_count = sn_json_count(&list);
    g->buffers = SN_GLTF_NEW(g, &g->scratch, &list, sn_gltf_bytes, g->buffer_count);
    for (int i = 0; i < g->buffer_count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        read_buffer(g, &at, i == 0, &g->buffers[i]);
    }
}

sn_gltf_bytes sn_gltf_read_range(sn_gltf *g, const sn_json *at)
{
    if (!sn_json_require(at, "buffer") || !sn_json_require(at, "byteLength")) {
        return (sn_gltf_bytes){0};
    }
    const int32_t buffer = sn_json_index(at, "buffer", g->buffer_count);
    const int64_t offset = sn_json_integer(at, "byteOffset", 0, 0, INT64_MAX);
    const int64_t size = sn_json_integer(at, "byteLength", 0, 1, INT64_MAX);
    if (!sn_gltf_ok(g)) {
        return (sn_gltf_bytes){0};
    }
    const sn_gltf_bytes all_bytes = g->buffers[buffer];
    if ((uint64_t)offset > all_bytes.size || (uint64_t)size > all_bytes.size - (size_t)offset) {
        sn_json_fail(at, SN_ERROR_FORMAT, "bytes %lld to %lld + %lld are outside of buffer %d of %zu bytes",
                     (long long)offset, (long long)offset, (long long)size, buffer, all_bytes.size);
        return (sn_gltf_bytes){0};
    }
    return (sn_gltf_bytes){.bytes = all_bytes.bytes + offset, .size = (size_t)size};
}
