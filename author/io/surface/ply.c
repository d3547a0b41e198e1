/* SPDX-License-Identifier: MIT */
/* Reads Stanford .ply (Turk, "The PLY Polygon File Format", 1994), ASCII and binary of both byte orders: positions,
 * normals, texture coordinates and colors of vertices, vertex_indices of faces, and vertex_indices of tristrips, in
 * which -1 starts a new strip. Other elements and properties are skipped by their type. Vertices keep their order,
 * including unused ones. Colors of integer types are sRGB, those of float types linear; v points up in the file.
 * Departure: vertices must precede faces, so that an error can name its location. Memory: at most 64 times the file's
 * size plus 128 KiB. */
#include "author/io/surface/ply_header.h"
#include "author/io/surface/surface_scene.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MIN_VALUE_BYTES 2 /* in ASCII: a digit and white space */

typedef struct reader {
    sn_text text;
    sn_arena *arena;
    sn_ply_header header;
    sn_scene_primitive mesh;
    double *double_positions; /* (vertex_count x 3) unmodified positions */
    double origin[3];         /* origin of the mesh's positions */
    sn_list corners;          /* of int32_t, of the current list */
    sn_polygons polygons;
} reader;

/* ---- values ---- */

static uint64_t load_bits(const uint8_t *bytes, size_t size, bool is_big_endian)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) {
        bits |= (uint64_t)bytes[i] << 8 * (is_big_endian ? size - 1 - i : i);
    }
    return bits;
}

static double value_of_bits(uint64_t bits, sn_ply_type type)
{
    const uint32_t low = (uint32_t)bits;
    float single;
    double value;
    switch (type) {
    case SN_PLY_INT8:
        return (int8_t)low;
    case SN_PLY_INT16:
        return (int16_t)low;
    case SN_PLY_INT32:
        return (int32_t)low;
    case SN_PLY_FLOAT32:
        memcpy(&single, &low, sizeof single);
        return (double)single;
    case SN_PLY_FLOAT64:
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        return (double)low;
    }
}

static sn_result read_value(reader *r, sn_ply_type type, const char *what, double *value)
{
    if (!r->header.is_binary) {
        return sn_text_double(&r->text, what, value);
    }
    const uint8_t *bytes = r->text.bytes + r->text.offset;
    SN_TRY(sn_text_skip_bytes(&r->text, what, sn_ply_types[type].bytes));
    *value = value_of_bits(load_bits(bytes, sn_ply_types[type].bytes, r->header.is_big_endian), type);
    return SN_OK;
}

/* Unused ASCII values are not parsed; they may be "nan", for example. */
static sn_result skip_values(reader *r, sn_ply_type type, int64_t count)
{
    if (r->header.is_binary) {
        return sn_text_skip_bytes(&r->text, "values of a property", (size_t)count * sn_ply_types[type].bytes);
    }
    sn_token token;
    for (int64_t i = 0; i < count; i++) {
        SN_TRY(sn_text_token(&r->text, "value of a property", &token));
    }
    return SN_OK;
}

/* Reads the length of a list, bounded by the remaining file. */
static sn_result read_list_count(reader *r, const sn_ply_property *p, int64_t *count)
{
    double value = 0;
    const sn_result result = read_value(r, p->count_type, "count of a list", &value);
    if (result != SN_OK) {
        return result;
    }
    if (value != floor(value) || fabs(value) > (double)UINT32_MAX) {
        return sn_text_fail(&r->text, "the length of a list is %g; it must be an unsigned integer", value);
    }
    *count = (int64_t)value;
    return sn_text_check_count(&r->text, "count of a list", *count,
                               r->header.is_binary ? sn_ply_types[p->type].bytes : MIN_VALUE_BYTES);
}

static sn_result skip_property(reader *r, const sn_ply_property *p)
{
    int64_t count = 1;
    SN_TRY(p->is_list ? read_list_count(r, p, &count) : SN_OK);
    return skip_values(r, p->type, count);
}

/* ---- vertices ---- */

static bool allocate(reader *r, bool is_needed, size_t width, float **array)
{
    *array = is_needed ? SN_NEW(r->arena, float, (size_t)r->mesh.vertex_count *width) : NULL;
    return *array || !is_needed;
}

static sn_result allocate_vertices(reader *r, const sn_ply_element *e)
{
    const bool has_normals = r->header.has[SN_PLY_NX] && r->header.has[SN_PLY_NY] && r->header.has[SN_PLY_NZ];
    const bool has_colors = r->header.has[SN_PLY_RED] && r->header.has[SN_PLY_GREEN] && r->header.has[SN_PLY_BLUE];
    r->mesh.vertex_count = (int)e->count;
    const bool done = allocate(r, true, 3, &r->mesh.positions) && allocate(r, has_normals, 3, &r->mesh.normals) &&
                      allocate(r, r->header.has[SN_PLY_U] && r->header.has[SN_PLY_V], 2, &r->mesh.uvs[0]) &&
                      allocate(r, has_colors, 4, &r->mesh.colors);
    r->double_positions = done ? SN_NEW(r->arena, double, (size_t)r->mesh.vertex_count * 3) : NULL;
    return r->double_positions ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result read_vertex_value(reader *r, const sn_ply_property *p, double *value)
{
    double number = 0;
    const sn_result result = read_value(r, p->type, "value of a vertex", &number);
    if (result == SN_OK && !(fabs(number) <= (double)FLT_MAX)) {
        return sn_text_fail(&r->text, "a value of a vertex is not a finite float");
    }
    if (p->role >= SN_PLY_RED && p->role <= SN_PLY_ALPHA) {
        number = sn_ply_types[p->type].full_intensity > 0 ? number / sn_ply_types[p->type].full_intensity : number;
        number = number < 0 ? 0 : number > 1 ? 1 : number;
    }
    *value = number;
    return result;
}

static void copy_floats(float *to, const double *from, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        to[k] = (float)from[k];
    }
}

static void store_vertex(reader *r, const double *values, size_t i)
{
    sn_scene_primitive *mesh = &r->mesh;
    memcpy(r->double_positions + i * 3, values + SN_PLY_X, sizeof(double[3]));
    if (mesh->normals) {
        copy_floats(mesh->normals + i * 3, values + SN_PLY_NX, 3);
    }
    if (mesh->uvs[0]) {
        mesh->uvs[0][i * 2] = (float)values[SN_PLY_U];
        mesh->uvs[0][i * 2 + 1] = 1 - (float)values[SN_PLY_V];
    }
    if (mesh->colors) {
        copy_floats(mesh->colors + i * 4, values + SN_PLY_RED, 4);
    }
}

static sn_result read_vertex(reader *r, const sn_ply_element *e, size_t i)
{
    const sn_ply_property *properties = (const sn_ply_property *)r->header.properties.items + e->first_property;
    double values[SN_PLY_ROLE_COUNT];
    values[SN_PLY_ALPHA] = 1;
    for (size_t k = 0; k < e->property_count; k++) {
        const sn_ply_property *p = &properties[k];
        const sn_result result =
            p->role < SN_PLY_INDICES ? read_vertex_value(r, p, &values[p->role]) : skip_property(r, p);
        if (result != SN_OK) {
            return result;
        }
    }
    store_vertex(r, values, i);
    return SN_OK;
}

static sn_result read_vertices(reader *r, const sn_ply_element *e)
{
    SN_TRY(allocate_vertices(r, e));
    for (int64_t i = 0; i < e->count; i++) {
        SN_TRY(read_vertex(r, e, (size_t)i));
    }
    sn_positions_to_float(r->double_positions, (size_t)e->count, r->origin, r->mesh.positions);
    if (r->mesh.normals) {
        sn_normals_normalize(r->mesh.normals, (size_t)e->count);
    }
    if (r->mesh.colors && r->header.has_srgb) {
        sn_colors_linearize(r->mesh.colors, (size_t)e->count);
    }
    return SN_OK;
}

/* ---- faces and strips ---- */

static sn_result read_corner(reader *r, const sn_ply_property *p, int first, int32_t *corner)
{
    double value = 0;
    const sn_result result = read_value(r, p->type, "vertex of a face", &value);
    if (result == SN_OK && !(value >= first && value < r->mesh.vertex_count && value == floor(value))) {
        return sn_text_fail(&r->text, "a face refers to vertex %g; vertices are numbered 0 to %d", value,
                            r->mesh.vertex_count - 1);
    }
    *corner = result == SN_OK ? (int32_t)value : 0;
    return result;
}

/* Adds the triangles of strips, with alternating orientation. Degenerate triangles, which join strips, are dropped. */
static sn_result add_strip(reader *r, const int32_t *strip, size_t count)
{
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        if (strip[i] < 0) {
            first = i + 1;
        } else if (i >= first + 2) {
            const size_t odd = (i - first) % 2;
            const int32_t triangle[3] = {strip[i - 2 + odd], strip[i - 1 - odd], strip[i]};
            const bool is_join = triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0];
            SN_TRY(is_join ? SN_OK : sn_polygons_add(&r->polygons, r->mesh.positions, triangle, triangle, 3));
        }
    }
    return SN_OK;
}

static sn_result read_corners(reader *r, const sn_ply_property *p, sn_ply_element_type type_of_element)
{
    int64_t count = 0;
    sn_result result = read_list_count(r, p, &count);
    if (result != SN_OK) {
        return result;
    }
    r->corners.count = 0;
    int32_t *corners = SN_LIST_ADD(&r->corners, int32_t, count);
    if (!corners) {
        return SN_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < count && result == SN_OK; i++) {
        result = read_corner(r, p, type_of_element == SN_PLY_STRIPS ? -1 : 0, &corners[i]);
    }
    if (result != SN_OK || type_of_element == SN_PLY_STRIPS) {
        return result == SN_OK ? add_strip(r, corners, (size_t)count) : result;
    }
    return sn_polygons_add(&r->polygons, r->mesh.positions, corners, corners, (size_t)count);
}

static sn_result read_row(reader *r, const sn_ply_element *e)
{
    const sn_ply_property *properties = (const sn_ply_property *)r->header.properties.items + e->first_property;
    for (size_t k = 0; k < e->property_count; k++) {
        const sn_ply_property *p = &properties[k];
        SN_TRY(p->role == SN_PLY_INDICES ? read_corners(r, p, e->type_of_element) : skip_property(r, p));
    }
    return SN_OK;
}

/* The minimum size of a row of an element in bytes. */
static size_t row_bytes(const reader *r, const sn_ply_element *e)
{
    const sn_ply_property *properties = (const sn_ply_property *)r->header.properties.items + e->first_property;
    size_t bytes = 0;
    for (size_t k = 0; k < e->property_count; k++) {
        const sn_ply_type type = properties[k].is_list ? properties[k].count_type : properties[k].type;
        bytes += r->header.is_binary ? sn_ply_types[type].bytes : MIN_VALUE_BYTES;
    }
    return bytes;
}

static sn_result read_rows(reader *r, const sn_ply_element *e)
{
    const size_t bytes = row_bytes(r, e);
    if (bytes == 0) { /* rows without properties take no space */
        return SN_OK;
    }
    r->text.item_offset = r->text.offset;
    r->text.item_line = r->text.line;
    SN_TRY(sn_text_check_count(&r->text, "count of an element", e->count, bytes));
    if (e->type_of_element == SN_PLY_VERTEX) {
        return read_vertices(r, e);
    }
    for (int64_t i = 0; i < e->count; i++) {
        SN_TRY(read_row(r, e));
    }
    return SN_OK;
}

static sn_result read_all(reader *r)
{
    sn_result result = sn_ply_read_header(&r->text, &r->header);
    r->text.is_binary = result == SN_OK && r->header.is_binary;
    for (size_t i = 0; i < r->header.elements.count && result == SN_OK; i++) {
        result = read_rows(r, (const sn_ply_element *)r->header.elements.items + i);
    }
    return result == SN_OK ? sn_polygons_finish(&r->polygons, &r->text) : result;
}

sn_result sn_ply_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene)
{
    SN_ASSERT(source && arena && scene);
    reader r = {.text = sn_text_begin(source, 0), .arena = arena};
    sn_result result = read_all(&r);
    if (result == SN_OK) {
        result = sn_surface_scene_from_mesh(source, &r.mesh, &r.polygons, r.origin, arena, scene);
    }
    sn_ply_header_finish(&r.header);
    sn_list_finish(&r.corners);
    sn_list_finish(&r.polygons.triangles);
    return result;
}
