/* SPDX-License-Identifier: MIT */
/* Reads glTF 2.0 (Khronos Group 2021, ISO/IEC 12113:2022): the container, the asset requirements, and the reading
 * order.
 *
 * Memory: at most 64 bytes per byte of input plus 64 MiB are decoded, and 1 GiB of images. While the reader runs, its
 * JSON takes up to 80 bytes per byte in the worst case; base64 buffers and external buffers take their own size. */
#include <string.h>

#include "author/io/gltf/gltf_reader.h"
#include "author/io/json_load.h"
#include "author/io/text.h"

#define HEADER_BYTES 12
#define CHUNK_HEADER_BYTES 8
#define MAGIC 0x46546c67u
#define CHUNK_JSON 0x4e4f534au
#define CHUNK_BIN 0x004e4942u

static void fail_container(sn_gltf *g, size_t offset, const char *cause)
{
    sn_json_set_result(&g->reader, sn_fail(SN_ERROR_FORMAT, "%s: byte %zu: %s", g->source->name, offset, cause));
}

/* Removes null bytes at the end; some writers pad the JSON chunk with them. */
static sn_gltf_bytes without_padding(sn_gltf_bytes chunk)
{
    while (chunk.size > 0 && chunk.bytes[chunk.size - 1] == 0) {
        --chunk.size;
    }
    return chunk;
}

/* The first chunk is the document, a second one of type BIN the first buffer; other chunks are ignored. */
static void read_chunks(sn_gltf *g, size_t size, sn_gltf_bytes *text)
{
    const uint8_t *bytes = g->source->bytes;
    size_t at = HEADER_BYTES;
    for (int i = 0; at < size; ++i) {
        if (size - at < CHUNK_HEADER_BYTES || sn_load_u32(bytes + at) > size - at - CHUNK_HEADER_BYTES) {
            fail_container(g, at, "the chunk is longer than the file");
            return;
        }
        const uint32_t type = sn_load_u32(bytes + at + 4);
        const sn_gltf_bytes chunk = {.bytes = bytes + at + CHUNK_HEADER_BYTES, .size = sn_load_u32(bytes + at)};
        if ((i == 0) != (type == CHUNK_JSON)) {
            fail_container(g, at, i == 0 ? "the first chunk is not JSON" : "there is a second JSON chunk");
            return;
        }
        *text = i == 0 ? without_padding(chunk) : *text;
        g->bin = i == 1 && type == CHUNK_BIN ? chunk : g->bin;
        at += CHUNK_HEADER_BYTES + chunk.size;
    }
    if (!text->bytes) {
        fail_container(g, at, "there is no JSON chunk");
    }
}

static void read_binary(sn_gltf *g, sn_gltf_bytes *text)
{
    const sn_source *source = g->source;
    if (source->size < HEADER_BYTES) {
        fail_container(g, source->size, "the file ends inside its header");
        return;
    }
    const uint32_t version = sn_load_u32(source->bytes + 4);
    const size_t size = sn_load_u32(source->bytes + 8);
    if (version != 2) {
        sn_json_set_result(&g->reader, sn_fail(SN_ERROR_UNSUPPORTED,
                                               "%s: byte 4: version %u of the container is not supported; 2 is",
                                               source->name, version));
    } else if (size > source->size) {
        fail_container(g, 8, "the file is shorter than its header says");
    } else {
        if (size < source->size) {
            sn_json_warn(&g->root, SN_GLTF_WARNED_LENGTH, "%zu bytes after the end of the container are ignored",
                         source->size - size);
        }
        read_chunks(g, size, text);
    }
}

/* Finds the text of the JSON document. */
static void open_container(sn_gltf *g, sn_gltf_bytes *text)
{
    const sn_source *source = g->source;
    if (source->size >= 4 && sn_load_u32(source->bytes) == MAGIC) {
        read_binary(g, text);
        return;
    }
    if (source->size == 0) {
        fail_container(g, 0, "the file is empty");
        return;
    }
    *text = (sn_gltf_bytes){.bytes = source->bytes, .size = source->size};
}

/* Returns null on failure. */
static json_t *parse(sn_gltf *g, const sn_gltf_bytes *text)
{
    const sn_source source = {.name = g->source->name, .bytes = text->bytes, .size = text->size};
    json_t *root = NULL;
    const sn_result result = sn_json_load(&source, 0, &root);
    if (result != SN_OK) {
        sn_json_set_result(&g->reader, result);
    }
    return root;
}

/* Parses "2.0" as 2 and 0. */
static bool read_version(const sn_json *asset, const char *key, int version[2])
{
    const char *text = sn_json_text(asset, key, "");
    version[0] = version[1] = 0;
    for (int part = 0; part < 2; ++part) {
        const char *begin = text;
        for (; *text >= '0' && *text <= '9' && text - begin < 4; ++text) {
            version[part] = 10 * version[part] + *text - '0';
        }
        if (text == begin || *text != (part == 0 ? '.' : 0)) {
            const sn_json at = sn_json_get(asset, key);
            sn_json_fail(&at, SN_ERROR_FORMAT, "is not a version number");
            return false;
        }
        ++text;
    }
    return true;
}

static void check_asset(sn_gltf *g)
{
    int version[2];
    if (!sn_json_require(&g->root, "asset")) {
        return;
    }
    const sn_json asset = sn_json_get(&g->root, "asset");
    if (!sn_json_require(&asset, "version") || !read_version(&asset, "version", version)) {
        return;
    }
    if (version[0] != 2) {
        sn_json_fail(&asset, SN_ERROR_UNSUPPORTED, "glTF %d.%d is not supported; 2.0 is", version[0], version[1]);
    }
    if (sn_json_has(&asset, "minVersion") && read_version(&asset, "minVersion", version) &&
        (version[0] != 2 || version[1] != 0)) {
        sn_json_fail(&asset, SN_ERROR_UNSUPPORTED, "requires glTF %d.%d; only 2.0 is supported", version[0],
                     version[1]);
    }
}

static void read_document(sn_gltf *g)
{
    static void (*const steps[])(sn_gltf * g) = {
        check_asset,         sn_gltf_read_accessors,  sn_gltf_read_materials,  sn_gltf_read_meshes,
        sn_gltf_read_nodes,  sn_gltf_read_skins,      sn_gltf_read_animations, sn_vrm_read,
        sn_vrm_read_springs, sn_vrm_read_constraints, sn_gltf_read_instances,
    };
    steps[0](g);
    if (sn_gltf_ok(g)) {
        sn_gltf_check_extensions(g);
    }
    for (size_t i = 1; i < sizeof steps / sizeof steps[0] && sn_gltf_ok(g); ++i) {
        steps[i](g);
    }
}

sn_result sn_gltf_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene)
{
    SN_ASSERT(source && arena && scene);
    sn_scene_file read = {0};
    sn_gltf g = {
        .source = source, .arena = arena, .scene = &read, .input_bytes = source->size, .reader.name = source->name};
    sn_gltf_bytes text = {0};
    g.root = sn_json_root(&g.reader, NULL);
    open_container(&g, &text);
    json_t *root = sn_gltf_ok(&g) ? parse(&g, &text) : NULL;
    if (root) {
        g.root = sn_json_root(&g.reader, root);
        read_document(&g);
    }
    json_decref(root);
    sn_arena_finish(&g.scratch);
    if (sn_gltf_ok(&g)) {
        *scene = read;
    }
    return g.reader.result;
}
