/* SPDX-License-Identifier: MIT */
/* Reads STL, ASCII and binary (3D Systems, "StereoLithography Interface Specification", 1989). Bitwise equal corners
 * (-0 equals 0) become one vertex, in the order of first use; normals, colors and attribute bytes are ignored. A file
 * that begins with "solid" is still binary if its size is 84 + 50 n bytes for the n of its header, or if the header
 * contains a null byte. Departures: keywords in any case, any number of solids, polygonal facets, and additional bytes
 * after binary data are accepted. Memory: at most 64 times the file's size plus 128 KiB. */
#include "author/io/key_table.h"
#include "author/io/surface/surface_scene.h"

#include <math.h>
#include <string.h>

#define HEADER_BYTES 84
#define TRIANGLE_BYTES 50
#define NORMAL_BYTES 12
#define MAX_WORDS_BEFORE_LOOP 5 /* "normal", three numbers, "outer" */

typedef struct reader {
    sn_text text;
    sn_key_table vertices; /* keys: the bits of x, y, z */
    sn_list positions;     /* of float[3], of the current facet */
    sn_list corners, ids;  /* of int32_t, of the current facet: 0, 1, 2... and its vertices */
    sn_polygons polygons;
} reader;

/* The index of the vertex at a position; -1: out of memory. */
static int64_t add_vertex(reader *r, const float *position)
{
    sn_key key = {0};
    for (int k = 0; k < 3; k++) {
        const float value = position[k] + 0.0F; /* -0 becomes 0 */
        memcpy(&key.words[k], &value, sizeof value);
    }
    return sn_key_add(&r->vertices, key);
}

static sn_result add_facet(reader *r)
{
    const size_t count = r->positions.count;
    r->corners.count = r->ids.count = 0;
    int32_t *corners = SN_LIST_ADD(&r->corners, int32_t, count);
    int32_t *ids = corners ? SN_LIST_ADD(&r->ids, int32_t, count) : NULL;
    if (!ids) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count && count >= 3; i++) {
        const int64_t vertex = add_vertex(r, (const float *)r->positions.items + i * 3);
        if (vertex < 0) {
            return SN_ERROR_MEMORY;
        }
        corners[i] = (int32_t)i;
        ids[i] = (int32_t)vertex;
    }
    return sn_polygons_add(&r->polygons, r->positions.items, corners, ids, count);
}

/* ---- binary ---- */

static sn_result read_binary_triangle(reader *r, size_t offset)
{
    r->positions.count = 0;
    float *values = sn_list_add(&r->positions, sizeof(float[3]), 3);
    if (!values) {
        return SN_ERROR_MEMORY;
    }
    for (size_t k = 0; k < 9; k++) {
        r->text.item_offset = offset + NORMAL_BYTES + k * 4;
        const uint32_t bits = sn_load_u32(r->text.bytes + r->text.item_offset);
        memcpy(&values[k], &bits, sizeof bits);
        if (!isfinite(values[k])) {
            return sn_text_fail(&r->text, "a coordinate is not finite");
        }
    }
    return add_facet(r);
}

static sn_result read_binary(reader *r)
{
    r->text.is_binary = true;
    r->text.item_offset = HEADER_BYTES - 4;
    if (r->text.size < HEADER_BYTES) {
        return sn_text_fail(&r->text, "the file is not ASCII, and too short for the header of a binary file");
    }
    const size_t count = sn_load_u32(r->text.bytes + HEADER_BYTES - 4);
    const size_t left = r->text.size - HEADER_BYTES;
    if (count > left / TRIANGLE_BYTES) {
        return sn_text_fail(&r->text, "the triangle count is %zu, more than the rest of the file can hold", count);
    }
    if (left != count * TRIANGLE_BYTES) {
        sn_log(SN_LOG_WARNING, "%s: %zu bytes after the last triangle are ignored", r->text.name,
               left - count * TRIANGLE_BYTES);
    }
    sn_result result = SN_OK;
    for (size_t i = 0; i < count && result == SN_OK; i++) {
        result = read_binary_triangle(r, HEADER_BYTES + i * TRIANGLE_BYTES);
    }
    r->text.offset = r->text.size;
    return result;
}

/* ---- ASCII ---- */

/* Case-insensitive; `word` is lower-case. */
static bool is_word(sn_token token, const char *word)
{
    const size_t size = strlen(word);
    if (token.size != size) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        const char c = token.text[i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != word[i]) {
            return false;
        }
    }
    return true;
}

static sn_result fail_word(const reader *r, sn_token token, const char *expected)
{
    char printable[40];
    if (token.size == 0) {
        return sn_text_fail(&r->text, "the file ends before '%s'", expected);
    }
    return sn_text_fail(&r->text, "'%s' found where '%s' was expected",
                        sn_text_printable(token.text, token.size, printable, sizeof printable), expected);
}

static sn_result expect_word(reader *r, const char *word)
{
    const sn_token token = sn_text_next(&r->text);
    return is_word(token, word) ? SN_OK : fail_word(r, token, word);
}

/* Skips the normal, which may contain "nan". */
static sn_result find_loop(reader *r)
{
    sn_token token = {0};
    for (int i = 0; i < MAX_WORDS_BEFORE_LOOP; i++) {
        token = sn_text_next(&r->text);
        if (is_word(token, "outer")) {
            return expect_word(r, "loop");
        }
    }
    return fail_word(r, token, "outer");
}

static sn_result read_vertex(reader *r)
{
    float *position = sn_list_add(&r->positions, sizeof(float[3]), 1);
    if (!position) {
        return SN_ERROR_MEMORY;
    }
    for (int k = 0; k < 3; k++) {
        SN_TRY(sn_text_float(&r->text, "coordinate", &position[k]));
    }
    return SN_OK;
}

static sn_result read_facet(reader *r)
{
    sn_result result = find_loop(r);
    r->positions.count = 0;
    while (result == SN_OK) {
        const sn_token token = sn_text_next(&r->text);
        if (is_word(token, "endloop")) {
            break;
        }
        result = is_word(token, "vertex") ? read_vertex(r) : fail_word(r, token, "vertex");
    }
    if (result == SN_OK) {
        result = expect_word(r, "endfacet");
    }
    return result == SN_OK ? add_facet(r) : result;
}

/* The names after solid and endsolid may contain anything except line breaks. */
static sn_result read_ascii(reader *r)
{
    sn_result result = SN_OK;
    while (result == SN_OK) {
        const sn_token token = sn_text_next(&r->text);
        if (token.size == 0) {
            break;
        }
        if (is_word(token, "solid") || is_word(token, "endsolid")) {
            sn_text_skip_line(&r->text);
        } else {
            result = is_word(token, "facet") ? read_facet(r) : fail_word(r, token, "facet");
        }
    }
    return result;
}

static bool is_binary(const reader *r)
{
    if (r->text.size >= HEADER_BYTES) {
        const size_t count = sn_load_u32(r->text.bytes + HEADER_BYTES - 4);
        if (r->text.size == HEADER_BYTES + count * TRIANGLE_BYTES || memchr(r->text.bytes, 0, HEADER_BYTES)) {
            return true;
        }
    }
    sn_text ahead = r->text;
    return !is_word(sn_text_next(&ahead), "solid");
}

static sn_result copy_vertices(const reader *r, sn_arena *arena, sn_scene_primitive *mesh)
{
    const size_t count = r->vertices.keys.count;
    const sn_key *keys = r->vertices.keys.items;
    mesh->vertex_count = (int)count;
    mesh->positions = SN_NEW(arena, float, count * 3);
    for (size_t i = 0; mesh->positions && i < count; i++) {
        memcpy(mesh->positions + i * 3, keys[i].words, sizeof(float[3]));
    }
    return mesh->positions ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_stl_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene)
{
    SN_ASSERT(source && arena && scene);
    reader r = {.text = sn_text_begin(source, 0)};
    sn_scene_primitive mesh = {0};
    sn_result result = is_binary(&r) ? read_binary(&r) : read_ascii(&r);
    if (result == SN_OK) {
        result = sn_polygons_finish(&r.polygons, &r.text);
    }
    if (result == SN_OK) {
        result = copy_vertices(&r, arena, &mesh);
    }
    if (result == SN_OK) {
        result = sn_surface_scene_from_mesh(source, &mesh, &r.polygons, (const double[3]){0, 0, 0}, arena, scene);
    }
    sn_key_table_finish(&r.vertices);
    sn_list_finish(&r.positions);
    sn_list_finish(&r.corners);
    sn_list_finish(&r.ids);
    sn_list_finish(&r.polygons.triangles);
    return result;
}
