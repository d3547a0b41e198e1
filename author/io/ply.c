/* SPDX-License-Identifier: MIT */
/* Stanford .ply (Turk, "The PLY Polygon File Format", 1994), ASCII and binary of both byte orders: positions, normals,
 * texture coordinates and colours of vertices, vertex_indices of faces, and the vertex_indices of tristrips, where -1
 * begins a new strip. Every other element and property is skipped by its type. Vertices keep their order and stay where
 * no face uses them. Colours of integer types are sRGB, those of float types linear; v grows upwards in the file.
 * Departure: the vertices must stand before the faces, as every writer has it, so that an error can name its place.
 * Memory: at most 64 times the file and 128 KiB (measured by tests/io/test_surface_memory.c). */
#include "author/io/polygons.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MIN_VALUE_BYTES 2 /* in ASCII: a digit and white space */

typedef enum scalar { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, SCALAR_COUNT } scalar;

static const struct {
    const char *name, *other_name;
    size_t bytes;
    double largest; /* the full colour; 0: a float */
} scalars[SCALAR_COUNT] = {
    {"char", "int8", 1, INT8_MAX},       {"uchar", "uint8", 1, UINT8_MAX}, {"short", "int16", 2, INT16_MAX},
    {"ushort", "uint16", 2, UINT16_MAX}, {"int", "int32", 4, INT32_MAX},   {"uint", "uint32", 4, UINT32_MAX},
    {"float", "float32", 4, 0},          {"double", "float64", 8, 0},
};

/* What a property of a vertex means. */
typedef enum role { X, Y, Z, NX, NY, NZ, U, V, RED, GREEN, BLUE, ALPHA, INDICES, NO_ROLE, ROLE_COUNT = NO_ROLE } role;

static const struct {
    const char *name;
    role role;
} role_names[] = {
    {"x", X},
    {"y", Y},
    {"z", Z},
    {"nx", NX},
    {"ny", NY},
    {"nz", NZ},
    {"s", U},
    {"t", V},
    {"u", U},
    {"v", V},
    {"texture_u", U},
    {"texture_v", V},
    {"red", RED},
    {"green", GREEN},
    {"blue", BLUE},
    {"alpha", ALPHA},
    {"vertex_index", INDICES},
    {"vertex_indices", INDICES},
};

typedef struct property {
    scalar type, count_type;
    bool is_list;
    role role;
} property;

typedef enum element_kind { OTHER, VERTEX, FACE, STRIPS } element_kind;

typedef struct element {
    element_kind kind;
    int64_t count;
    size_t first_property, property_count;
} element;

typedef struct reader {
    sn_text text;
    sn_arena *arena;
    bool has_format, is_binary, is_big_endian;
    sn_list elements;     /* of element */
    sn_list properties;   /* of property */
    bool has[ROLE_COUNT]; /* of the vertices */
    bool has_srgb;
    sn_scene_primitive mesh;
    double *places;   /* (vertex_count x 3) positions as they are */
    double origin[3]; /* of the mesh's positions */
    sn_list corners;  /* of int32_t, of one list */
    sn_polygons polygons;
} reader;

/* Header */

static sn_result read_format(reader *r)
{
    const sn_token token = sn_text_next(&r->text);
    r->is_big_endian = sn_token_is(token, "binary_big_endian");
    r->is_binary = r->is_big_endian || sn_token_is(token, "binary_little_endian");
    if (!r->is_binary && !sn_token_is(token, "ascii")) {
        return sn_text_fail(&r->text, "the format is none of ascii, binary_little_endian, binary_big_endian");
    }
    r->has_format = true;
    return sn_text_expect(&r->text, "1.0");
}

static bool has_vertices(const reader *r)
{
    const element *elements = r->elements.items;
    for (size_t i = 0; i < r->elements.count; i++) {
        if (elements[i].kind == VERTEX) {
            return true;
        }
    }
    return false;
}

static sn_result read_element(reader *r)
{
    sn_token name;
    element added = {.kind = OTHER, .first_property = r->properties.count};
    sn_result result = sn_text_token(&r->text, "name of an element", &name);
    if (result != SN_OK) {
        return result;
    }
    added.kind = sn_token_is(name, "vertex")      ? VERTEX
                 : sn_token_is(name, "face")      ? FACE
                 : sn_token_is(name, "tristrips") ? STRIPS
                                                  : OTHER;
    if ((added.kind == VERTEX) == has_vertices(r) && added.kind != OTHER) {
        return sn_text_fail(&r->text, added.kind == VERTEX ? "a second element vertex" : "faces stand before vertices");
    }
    result = sn_text_integer(&r->text, "count of an element", &added.count);
    if (result == SN_OK) { /* more precisely when the element begins */
        result = sn_text_check_count(&r->text, "count of an element", added.count, 1);
    }
    element *place = result == SN_OK ? SN_LIST_ADD(&r->elements, element, 1) : NULL;
    if (!place) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    *place = added;
    return SN_OK;
}

static sn_result read_type(reader *r, scalar *type)
{
    sn_token token;
    const sn_result result = sn_text_token(&r->text, "type of a property", &token);
    if (result != SN_OK) {
        return result;
    }
    for (int i = 0; i < SCALAR_COUNT; i++) {
        if (sn_token_is(token, scalars[i].name) || sn_token_is(token, scalars[i].other_name)) {
            *type = (scalar)i;
            return SN_OK;
        }
    }
    char shown[40];
    return sn_text_fail(&r->text, "'%s' is not a type", sn_text_printable(token.text, token.size, shown, sizeof shown));
}

static role find_role(sn_token name, element_kind kind, bool is_list)
{
    const bool has_roles = is_list ? kind == FACE || kind == STRIPS : kind == VERTEX;
    for (size_t i = 0; has_roles && i < sizeof role_names / sizeof role_names[0]; i++) {
        if (sn_token_is(name, role_names[i].name) && (role_names[i].role == INDICES) == is_list) {
            return role_names[i].role;
        }
    }
    return NO_ROLE;
}

static sn_result read_property_types(reader *r, property *p)
{
    p->is_list = sn_token_is(sn_text_peek(&r->text), "list");
    if (!p->is_list) {
        return read_type(r, &p->type);
    }
    sn_text_next(&r->text);
    sn_result result = read_type(r, &p->count_type);
    if (result == SN_OK && scalars[p->count_type].largest == 0) {
        return sn_text_fail(&r->text, "a list cannot be counted in floats");
    }
    return result == SN_OK ? read_type(r, &p->type) : result;
}

static sn_result read_property(reader *r)
{
    sn_token name;
    if (r->elements.count == 0) {
        return sn_text_fail(&r->text, "a property stands before the first element");
    }
    element *owner = (element *)r->elements.items + r->elements.count - 1;
    property *p = SN_LIST_ADD(&r->properties, property, 1);
    sn_result result = p ? read_property_types(r, p) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_text_token(&r->text, "name of a property", &name);
    }
    if (result != SN_OK) {
        return result;
    }
    p->role = find_role(name, owner->kind, p->is_list);
    owner->property_count++;
    if (p->role < INDICES) {
        r->has[p->role] = true;
        r->has_srgb |= p->role >= RED && p->role <= BLUE && scalars[p->type].largest > 0;
    }
    return SN_OK;
}

static sn_result read_header_line(reader *r, sn_token keyword)
{
    if (sn_token_is(keyword, "comment") || sn_token_is(keyword, "obj_info")) {
        sn_text_skip_line(&r->text);
        return SN_OK;
    }
    sn_result result = SN_OK;
    if (sn_token_is(keyword, "format")) {
        result = read_format(r);
    } else if (sn_token_is(keyword, "element")) {
        result = read_element(r);
    } else if (sn_token_is(keyword, "property")) {
        result = read_property(r);
    } else {
        char shown[40];
        return sn_text_fail(&r->text, "'%s' is not a keyword of the header",
                            sn_text_printable(keyword.text, keyword.size, shown, sizeof shown));
    }
    return result == SN_OK ? sn_text_line_end(&r->text) : result;
}

static sn_result check_header(reader *r)
{
    if (!r->has_format) {
        return sn_text_fail(&r->text, "the header has no format");
    }
    if (!has_vertices(r) || !r->has[X] || !r->has[Y] || !r->has[Z]) {
        return sn_text_fail(&r->text, "the file has no vertices with x, y and z");
    }
    return SN_OK;
}

static sn_result read_header(reader *r)
{
    sn_token keyword = {0};
    sn_result result = sn_text_expect(&r->text, "ply");
    while (result == SN_OK) {
        result = sn_text_token(&r->text, "end_header", &keyword);
        if (result == SN_OK && sn_token_is(keyword, "end_header")) {
            break;
        }
        result = result == SN_OK ? read_header_line(r, keyword) : result;
    }
    if (result == SN_OK) {
        result = sn_text_line_end(&r->text);
    }
    return result == SN_OK ? check_header(r) : result;
}

/* Values */

static uint64_t load_bits(const uint8_t *bytes, size_t size, bool is_big_endian)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) {
        bits |= (uint64_t)bytes[i] << 8 * (is_big_endian ? size - 1 - i : i);
    }
    return bits;
}

static double value_of_bits(uint64_t bits, scalar type)
{
    const uint32_t low = (uint32_t)bits;
    float single;
    double value;
    switch (type) {
    case INT8:
        return (int8_t)low;
    case INT16:
        return (int16_t)low;
    case INT32:
        return (int32_t)low;
    case FLOAT32:
        memcpy(&single, &low, sizeof single);
        return (double)single;
    case FLOAT64:
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        return (double)low;
    }
}

static sn_result read_value(reader *r, scalar type, const char *what, double *value)
{
    if (!r->is_binary) {
        return sn_text_double(&r->text, what, value);
    }
    const uint8_t *bytes = r->text.bytes + r->text.offset;
    const sn_result result = sn_text_skip_bytes(&r->text, what, scalars[type].bytes);
    if (result == SN_OK) {
        *value = value_of_bits(load_bits(bytes, scalars[type].bytes, r->is_big_endian), type);
    }
    return result;
}

/* ASCII values that nobody uses may be anything, such as "nan". */
static sn_result skip_values(reader *r, scalar type, int64_t count)
{
    if (r->is_binary) {
        return sn_text_skip_bytes(&r->text, "values of a property", (size_t)count * scalars[type].bytes);
    }
    sn_token token;
    sn_result result = SN_OK;
    for (int64_t i = 0; i < count && result == SN_OK; i++) {
        result = sn_text_token(&r->text, "value of a property", &token);
    }
    return result;
}

/* The count of a list, which the rest of the file can hold. */
static sn_result read_list_count(reader *r, const property *p, int64_t *count)
{
    double value = 0;
    const sn_result result = read_value(r, p->count_type, "count of a list", &value);
    if (result != SN_OK) {
        return result;
    }
    if (value != floor(value) || fabs(value) > (double)UINT32_MAX) {
        return sn_text_fail(&r->text, "the count of a list is %g", value);
    }
    *count = (int64_t)value;
    return sn_text_check_count(&r->text, "count of a list", *count,
                               r->is_binary ? scalars[p->type].bytes : MIN_VALUE_BYTES);
}

static sn_result skip_property(reader *r, const property *p)
{
    int64_t count = 1;
    const sn_result result = p->is_list ? read_list_count(r, p, &count) : SN_OK;
    return result == SN_OK ? skip_values(r, p->type, count) : result;
}

/* Vertices */

static bool allocate(reader *r, bool is_wanted, size_t width, float **array)
{
    *array = is_wanted ? SN_NEW(r->arena, float, (size_t)r->mesh.vertex_count *width) : NULL;
    return *array || !is_wanted;
}

static sn_result allocate_vertices(reader *r, const element *e)
{
    const bool has_normals = r->has[NX] && r->has[NY] && r->has[NZ];
    const bool has_colors = r->has[RED] && r->has[GREEN] && r->has[BLUE];
    r->mesh.vertex_count = (int)e->count;
    const bool done = allocate(r, true, 3, &r->mesh.positions) && allocate(r, has_normals, 3, &r->mesh.normals) &&
                      allocate(r, r->has[U] && r->has[V], 2, &r->mesh.uvs[0]) &&
                      allocate(r, has_colors, 4, &r->mesh.colors);
    r->places = done ? SN_NEW(r->arena, double, (size_t)r->mesh.vertex_count * 3) : NULL;
    return r->places ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result read_vertex_value(reader *r, const property *p, double *value)
{
    double number = 0;
    const sn_result result = read_value(r, p->type, "value of a vertex", &number);
    if (result == SN_OK && !(fabs(number) <= (double)FLT_MAX)) {
        return sn_text_fail(&r->text, "a value of a vertex is not a finite float");
    }
    if (p->role >= RED && p->role <= ALPHA) {
        number = scalars[p->type].largest > 0 ? number / scalars[p->type].largest : number;
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
    memcpy(r->places + i * 3, values + X, sizeof(double[3]));
    if (mesh->normals) {
        copy_floats(mesh->normals + i * 3, values + NX, 3);
    }
    if (mesh->uvs[0]) {
        mesh->uvs[0][i * 2] = (float)values[U];
        mesh->uvs[0][i * 2 + 1] = 1 - (float)values[V];
    }
    if (mesh->colors) {
        copy_floats(mesh->colors + i * 4, values + RED, 4);
    }
}

static sn_result read_vertex(reader *r, const element *e, size_t i)
{
    const property *properties = (const property *)r->properties.items + e->first_property;
    double values[ROLE_COUNT];
    values[ALPHA] = 1;
    for (size_t k = 0; k < e->property_count; k++) {
        const property *p = &properties[k];
        const sn_result result = p->role < INDICES ? read_vertex_value(r, p, &values[p->role]) : skip_property(r, p);
        if (result != SN_OK) {
            return result;
        }
    }
    store_vertex(r, values, i);
    return SN_OK;
}

static sn_result read_vertices(reader *r, const element *e)
{
    sn_result result = allocate_vertices(r, e);
    for (int64_t i = 0; i < e->count && result == SN_OK; i++) {
        result = read_vertex(r, e, (size_t)i);
    }
    if (result == SN_OK) {
        sn_positions_narrow(r->places, (size_t)e->count, r->origin, r->mesh.positions);
    }
    if (result == SN_OK && r->mesh.normals) {
        sn_normals_normalise(r->mesh.normals, (size_t)e->count);
    }
    if (result == SN_OK && r->mesh.colors && r->has_srgb) {
        sn_colors_linearise(r->mesh.colors, (size_t)e->count);
    }
    return result;
}

/* Faces and strips */

static sn_result read_corner(reader *r, const property *p, int first, int32_t *corner)
{
    double value = 0;
    const sn_result result = read_value(r, p->type, "vertex of a face", &value);
    if (result == SN_OK && !(value >= first && value < r->mesh.vertex_count && value == floor(value))) {
        return sn_text_fail(&r->text, "a face names the vertex %g, outside 0..%d", value, r->mesh.vertex_count - 1);
    }
    *corner = result == SN_OK ? (int32_t)value : 0;
    return result;
}

/* Triangles of a strip turn in turns; one with two equal corners only joins two strips. */
static sn_result add_strip(reader *r, const int32_t *strip, size_t count)
{
    sn_result result = SN_OK;
    size_t first = 0;
    for (size_t i = 0; i < count && result == SN_OK; i++) {
        if (strip[i] < 0) {
            first = i + 1;
        } else if (i >= first + 2) {
            const size_t odd = (i - first) % 2;
            const int32_t triangle[3] = {strip[i - 2 + odd], strip[i - 1 - odd], strip[i]};
            const bool is_join = triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0];
            result = is_join ? SN_OK : sn_polygons_add(&r->polygons, r->mesh.positions, triangle, triangle, 3);
        }
    }
    return result;
}

static sn_result read_corners(reader *r, const property *p, element_kind kind)
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
        result = read_corner(r, p, kind == STRIPS ? -1 : 0, &corners[i]);
    }
    if (result != SN_OK || kind == STRIPS) {
        return result == SN_OK ? add_strip(r, corners, (size_t)count) : result;
    }
    return sn_polygons_add(&r->polygons, r->mesh.positions, corners, corners, (size_t)count);
}

static sn_result read_row(reader *r, const element *e)
{
    const property *properties = (const property *)r->properties.items + e->first_property;
    sn_result result = SN_OK;
    for (size_t k = 0; k < e->property_count && result == SN_OK; k++) {
        const property *p = &properties[k];
        result = p->role == INDICES ? read_corners(r, p, e->kind) : skip_property(r, p);
    }
    return result;
}

/* The bytes that a row of an element takes at least. */
static size_t row_bytes(const reader *r, const element *e)
{
    const property *properties = (const property *)r->properties.items + e->first_property;
    size_t bytes = 0;
    for (size_t k = 0; k < e->property_count; k++) {
        const scalar type = properties[k].is_list ? properties[k].count_type : properties[k].type;
        bytes += r->is_binary ? scalars[type].bytes : MIN_VALUE_BYTES;
    }
    return bytes;
}

static sn_result read_rows(reader *r, const element *e)
{
    const size_t bytes = row_bytes(r, e);
    if (bytes == 0) { /* rows without properties are not there */
        return SN_OK;
    }
    r->text.item_offset = r->text.offset;
    r->text.item_line = r->text.line;
    sn_result result = sn_text_check_count(&r->text, "count of an element", e->count, bytes);
    if (result == SN_OK && e->kind == VERTEX) {
        return read_vertices(r, e);
    }
    for (int64_t i = 0; i < e->count && result == SN_OK; i++) {
        result = read_row(r, e);
    }
    return result;
}

static sn_result read_all(reader *r)
{
    sn_result result = read_header(r);
    r->text.is_binary = result == SN_OK && r->is_binary;
    for (size_t i = 0; i < r->elements.count && result == SN_OK; i++) {
        result = read_rows(r, (const element *)r->elements.items + i);
    }
    return result == SN_OK ? sn_polygons_check(&r->polygons, &r->text) : result;
}

sn_result sn_ply_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene)
{
    SN_ASSERT(source && arena && scene);
    reader r = {.text = sn_text_begin(source, 0), .arena = arena};
    sn_result result = read_all(&r);
    if (result == SN_OK) {
        result = sn_plain_mesh(source, &r.mesh, &r.polygons, r.origin, arena, scene);
    }
    sn_list_finish(&r.elements);
    sn_list_finish(&r.properties);
    sn_list_finish(&r.corners);
    sn_list_finish(&r.polygons.triangles);
    return result;
}
