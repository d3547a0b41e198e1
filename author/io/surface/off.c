/* SPDX-License-Identifier: MIT */
/* Reads the Object File Format of Geomview (Geomview manual, "OFF Files"): OFF with any of the prefixes ST, C and N, in
 * ASCII. Face colors are ignored, since surfaces have colors at vertices; so are additional values of a vertex. The
 * keyword may be missing, or directly followed by the vertex count, as in ModelNet. Departures: 4OFF, nOFF and BINARY
 * are rejected; v of texture coordinates points up, as in .obj. Memory: at most 64 times the file's size plus 128 KiB.
 */
#include "author/io/surface/surface_scene.h"

#include <string.h>

#define MIN_VERTEX_BYTES 6 /* "0 0 0\n" */
#define MIN_FACE_BYTES 2   /* "0\n" */

typedef struct reader {
    sn_text text;
    sn_arena *arena;
    bool has_uvs, has_colors, has_normals;
    int64_t face_count;
    sn_scene_primitive mesh;
    double *double_positions; /* (vertex_count x 3) unmodified positions */
    double origin[3];         /* origin of the mesh's positions */
    sn_list corners;          /* of int32_t, of the current face */
    sn_polygons polygons;
} reader;

/* Removes `prefix` from the keyword, if present. */
static bool remove_prefix(sn_token *keyword, const char *prefix)
{
    const size_t size = strlen(prefix);
    if (keyword->size < size || memcmp(keyword->text, prefix, size) != 0) {
        return false;
    }
    keyword->text += size;
    keyword->size -= size;
    return true;
}

static bool is_count(sn_token token)
{
    size_t digits = 0;
    while (digits < token.size && token.text[digits] >= '0' && token.text[digits] <= '9') {
        ++digits;
    }
    return digits > 0 && digits == token.size;
}

/* Leaves the cursor after the keyword, since a count may follow without a space. */
static sn_result read_keyword(reader *r)
{
    sn_token keyword = sn_text_peek(&r->text);
    r->has_uvs = remove_prefix(&keyword, "ST");
    r->has_colors = remove_prefix(&keyword, "C");
    r->has_normals = remove_prefix(&keyword, "N");
    const bool has_keyword = remove_prefix(&keyword, "OFF");
    const bool has_prefix = r->has_uvs || r->has_colors || r->has_normals;
    const bool is_valid = has_keyword ? keyword.size == 0 || is_count(keyword) : !has_prefix && is_count(keyword);
    if (!is_valid) {
        return sn_text_fail(&r->text, "the file does not begin with OFF or a variant such as COFF, NOFF or STOFF");
    }
    r->text.offset = (size_t)((const uint8_t *)keyword.text - r->text.bytes);
    if (sn_token_is(sn_text_peek(&r->text), "BINARY")) {
        return sn_text_fail(&r->text, "binary OFF is not supported");
    }
    return SN_OK;
}

static sn_result read_count(reader *r, const char *what, size_t item_bytes, int64_t *count)
{
    SN_TRY(sn_text_integer(&r->text, what, count));
    return sn_text_check_count(&r->text, what, *count, item_bytes);
}

/* The third count, of edges, is ignored, since it is often wrong or missing. */
static sn_result read_counts(reader *r)
{
    int64_t vertex_count = 0;
    sn_result result = read_count(r, "vertex count", MIN_VERTEX_BYTES, &vertex_count);
    if (result == SN_OK) {
        result = read_count(r, "face count", MIN_FACE_BYTES, &r->face_count);
    }
    r->mesh.vertex_count = (int)vertex_count;
    sn_text_skip_line(&r->text);
    return result;
}

static bool allocate(reader *r, bool is_needed, size_t width, float **array)
{
    *array = is_needed ? SN_NEW(r->arena, float, (size_t)r->mesh.vertex_count *width) : NULL;
    return *array || !is_needed;
}

static sn_result allocate_vertices(reader *r)
{
    const bool done = allocate(r, true, 3, &r->mesh.positions) && allocate(r, r->has_normals, 3, &r->mesh.normals) &&
                      allocate(r, r->has_colors, 4, &r->mesh.colors) && allocate(r, r->has_uvs, 2, &r->mesh.uvs[0]);
    r->double_positions = done ? SN_NEW(r->arena, double, (size_t)r->mesh.vertex_count * 3) : NULL;
    return r->double_positions ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result read_floats(reader *r, const char *what, int count, float *values)
{
    for (int k = 0; k < count; k++) {
        SN_TRY(sn_text_float(&r->text, what, &values[k]));
    }
    return SN_OK;
}

/* The number of words up to the end of the line. */
static int count_words(const reader *r)
{
    sn_text ahead = r->text;
    int count = 0;
    while (sn_text_peek(&ahead).size > 0 && ahead.line == r->text.line) {
        sn_text_next(&ahead);
        count++;
    }
    return count;
}

/* Reads three or four numbers. */
static sn_result read_color(reader *r, int count, float color[4])
{
    count = count >= 4 ? 4 : 3;
    const sn_result result = read_floats(r, "color", count, color);
    for (int k = 0; k < 4; k++) {
        color[k] = k == count ? SN_NO_COLOR : color[k] > 0 ? color[k] : 0;
    }
    return result;
}

/* Reads one line; its length determines how many numbers the color has. */
static sn_result read_vertex(reader *r, size_t i)
{
    sn_text_peek(&r->text);
    const int other_count = 3 + (r->has_normals ? 3 : 0) + (r->has_uvs ? 2 : 0);
    const int count = count_words(r);
    if (count < other_count + (r->has_colors ? 3 : 0)) {
        return sn_text_fail(&r->text, "a vertex has only %d numbers, too few for its format", count);
    }
    sn_result result = SN_OK;
    for (size_t d = 0; d < 3 && result == SN_OK; d++) {
        result = sn_text_in_range(&r->text, "coordinate", &r->double_positions[i * 3 + d]);
    }
    if (result == SN_OK && r->has_normals) {
        result = read_floats(r, "normal", 3, r->mesh.normals + i * 3);
    }
    if (result == SN_OK && r->has_colors) {
        result = read_color(r, count - other_count, r->mesh.colors + i * 4);
    }
    if (result == SN_OK && r->has_uvs) {
        float *uv = r->mesh.uvs[0] + i * 2;
        result = read_floats(r, "texture coordinate", 2, uv);
        uv[1] = 1 - uv[1];
    }
    sn_text_skip_line(&r->text);
    return result;
}

static sn_result read_vertices(reader *r)
{
    SN_TRY(allocate_vertices(r));
    for (int i = 0; i < r->mesh.vertex_count; i++) {
        SN_TRY(read_vertex(r, (size_t)i));
    }
    sn_positions_to_float(r->double_positions, (size_t)r->mesh.vertex_count, r->origin, r->mesh.positions);
    if (r->has_normals) {
        sn_normals_normalize(r->mesh.normals, (size_t)r->mesh.vertex_count);
    }
    if (r->has_colors) {
        sn_colors_normalize(r->mesh.colors, (size_t)r->mesh.vertex_count);
    }
    return SN_OK;
}

static sn_result read_corner(reader *r, int32_t *corner)
{
    int64_t value = 0;
    const sn_result result = sn_text_integer(&r->text, "vertex of a face", &value);
    if (result == SN_OK && (value < 0 || value >= r->mesh.vertex_count)) {
        return sn_text_fail(&r->text, "a face refers to vertex %lld; vertices are numbered 0 to %d", (long long)value,
                            r->mesh.vertex_count - 1);
    }
    *corner = (int32_t)value;
    return result;
}

static sn_result read_face(reader *r)
{
    int64_t count = 0;
    sn_result result = read_count(r, "corner count", 2, &count);
    if (result != SN_OK) {
        return result;
    }
    r->corners.count = 0;
    int32_t *corners = SN_LIST_ADD(&r->corners, int32_t, count);
    if (!corners) {
        return SN_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < count && result == SN_OK; i++) {
        result = read_corner(r, &corners[i]);
    }
    sn_text_skip_line(&r->text);
    return result == SN_OK ? sn_polygons_add(&r->polygons, r->mesh.positions, corners, corners, (size_t)count) : result;
}

static sn_result read_all(reader *r)
{
    SN_TRY(read_keyword(r));
    SN_TRY(read_counts(r));
    SN_TRY(read_vertices(r));
    for (int64_t i = 0; i < r->face_count; i++) {
        SN_TRY(read_face(r));
    }
    return sn_polygons_finish(&r->polygons, &r->text);
}

sn_result sn_off_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene)
{
    SN_ASSERT(source && arena && scene);
    reader r = {.text = sn_text_begin(source, '#'), .arena = arena};
    sn_result result = read_all(&r);
    if (result == SN_OK) {
        result = sn_surface_scene_from_mesh(source, &r.mesh, &r.polygons, r.origin, arena, scene);
    }
    sn_list_finish(&r.corners);
    sn_list_finish(&r.polygons.triangles);
    return result;
}
