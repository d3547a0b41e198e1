/* SPDX-License-Identifier: MIT */
/* Reads Wavefront .obj ("Object Files and Material Library Files", Wavefront Technologies, 1992): v, vt, vn, f, usemtl
 * and mtllib; other statements are ignored. The file is read in one pass; faces may refer only to preceding elements,
 * so that an error can name its line. A vertex is a distinct triple v/vt/vn of one material, in the order of first use;
 * unused elements are dropped. Normals are kept if every corner of a material has one. Departures: colors after a
 * position (x y z r g b [a], as in MeshLab and Blender) are sRGB. If the file has texture coordinates and none of its
 * libraries is found, a picture NAME_tex.png or NAME_texture.png beside NAME.obj (or NAME.png, if NAME ends so) is the
 * base color. Memory: at most 64 times the file's size plus textures and 128 KiB. */
#include "author/io/surface/obj_material.h"
#include "author/io/surface/surface_scene.h"

#include <string.h>

#define NONE UINT32_MAX /* the corner has no vt or vn */

/* Indices in the file, 0-based, or NONE. */
typedef struct corner {
    uint32_t position, uv, normal;
} corner;

typedef struct primitive {
    int32_t material; /* index into names; -1: none */
    int32_t first_vertex, vertex_count, first_triangle, triangle_count, filled_count;
    bool has_uvs, lacks_normals;
} primitive;

typedef struct reader {
    const sn_source *source;
    sn_text text;
    sn_arena *arena;
    double origin[3];                      /* origin of positions */
    sn_list positions, uvs, normals;       /* of float[3], float[2], float[3] */
    sn_list colors;                        /* of float[4], parallel to positions; empty: none so far */
    sn_list corners;                       /* of corner, of the current face */
    sn_list face_positions, face_vertices; /* of int32_t, corners of the current face */
    sn_key_table vertices;                 /* keys: primitive, position, uv, normal */
    sn_polygons polygons;                  /* indices into `vertices` */
    sn_list primitives;                    /* of primitive */
    sn_key_table primitive_materials;      /* keys: material + 1 of each primitive */
    sn_name_table names;                   /* names of materials */
    sn_list libraries;                     /* of sn_token, file names */
    sn_token material;                     /* most recent usemtl */
    int64_t primitive;                     /* primitive of `material`, -1: not known yet */
} reader;

/* ---- vertices ---- */

static sn_result add_color(reader *r, const double *numbers, int count)
{
    const size_t needed_count = r->positions.count; /* including the current position */
    const size_t old = r->colors.count;
    float *color = sn_list_add(&r->colors, sizeof(float[4]), needed_count - old);
    if (!color) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < (needed_count - old) * 4; i++) {
        color[i] = SN_NO_COLOR;
    }
    color += (needed_count - old - 1) * 4;
    for (int k = 0; k < count; k++) {
        color[k] = numbers[k] > 0 ? (float)numbers[k] : 0;
    }
    return SN_OK;
}

/* x y z [w], or x y z r g b [a]; w, the weight of rational curves, is ignored. */
static sn_result read_position(reader *r)
{
    double values[7];
    int count = 0;
    const sn_result result = sn_obj_numbers(&r->text, "position", 7, values, &count);
    if (result != SN_OK) {
        return result;
    }
    if (count < 3 || count == 5) {
        return sn_text_fail(&r->text, "a position has %d numbers instead of 3, 4, 6 or 7", count);
    }
    float *position = sn_list_add(&r->positions, sizeof(float[3]), 1);
    if (!position) {
        return SN_ERROR_MEMORY;
    }
    for (int d = 0; d < 3; d++) {
        position[d] = (float)(values[d] - r->origin[d]);
    }
    return count >= 6 || r->colors.count > 0 ? add_color(r, values + 3, count >= 6 ? count - 3 : 0) : SN_OK;
}

/* u [v [w]]; v points up in the file. */
static sn_result read_uv(reader *r)
{
    double values[3] = {0};
    int count = 0;
    const sn_result result = sn_obj_numbers(&r->text, "texture coordinate", 3, values, &count);
    if (result != SN_OK) {
        return result;
    }
    if (count == 0) {
        return sn_text_fail(&r->text, "a texture coordinate has no numbers");
    }
    float *uv = sn_list_add(&r->uvs, sizeof(float[2]), 1);
    if (!uv) {
        return SN_ERROR_MEMORY;
    }
    uv[0] = (float)values[0];
    uv[1] = 1 - (float)values[1];
    return SN_OK;
}

static sn_result read_normal(reader *r)
{
    double values[3];
    int count = 0;
    const sn_result result = sn_obj_numbers(&r->text, "normal", 3, values, &count);
    if (result != SN_OK) {
        return result;
    }
    if (count != 3) {
        return sn_text_fail(&r->text, "a normal has %d numbers instead of 3", count);
    }
    float *normal = sn_list_add(&r->normals, sizeof(float[3]), 1);
    if (!normal) {
        return SN_ERROR_MEMORY;
    }
    for (int d = 0; d < 3; d++) {
        normal[d] = (float)values[d];
    }
    return SN_OK;
}

/* ---- faces ---- */

/* Reads an integer; returns false, without moving the cursor, if there is none. Overflow saturates. */
static bool read_integer(sn_text *text, int64_t *value)
{
    const uint8_t *at = text->bytes + text->offset;
    const bool is_negative = *at == '-';
    at += is_negative || *at == '+';
    const uint8_t *first = at;
    int64_t sum = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        sum = sum < INT32_MAX ? sum * 10 + (*at - '0') : INT32_MAX; /* above the number of lines of any file */
    }
    if (at == first) {
        return false;
    }
    *value = is_negative ? -sum : sum;
    text->offset = (size_t)(at - text->bytes);
    return true;
}

/* 1 is the first element, -1 the most recent one. */
static sn_result read_index(reader *r, const char *what, size_t count, bool is_optional, uint32_t *index)
{
    int64_t value = 0;
    if (!read_integer(&r->text, &value)) {
        *index = NONE;
        return is_optional ? SN_OK : sn_text_fail(&r->text, "a corner of a face does not begin with a number");
    }
    const int64_t from_0 = value > 0 ? value - 1 : value + (int64_t)count;
    if (value == 0 || from_0 < 0 || from_0 >= (int64_t)count) {
        return sn_text_fail(&r->text, "a face refers to %s %lld, but there are only %zu", what, (long long)value,
                            count);
    }
    *index = (uint32_t)from_0;
    return SN_OK;
}

static bool skip_slash(sn_text *text)
{
    const bool is_slash = text->bytes[text->offset] == '/';
    text->offset += is_slash;
    return is_slash;
}

/* v, v/t, v//n or v/t/n; the number after a slash may be missing. */
static sn_result read_corner(reader *r, corner *c)
{
    c->uv = c->normal = NONE;
    SN_TRY(read_index(r, "position", r->positions.count, false, &c->position));
    if (skip_slash(&r->text)) {
        SN_TRY(read_index(r, "texture coordinate", r->uvs.count, true, &c->uv));
        if (skip_slash(&r->text)) {
            SN_TRY(read_index(r, "normal", r->normals.count, true, &c->normal));
        }
    }
    if (!sn_obj_at_word_end(&r->text)) {
        char printable[32];
        const sn_token rest = sn_obj_word(&r->text);
        return sn_text_fail(&r->text, "a corner of a face contains the unexpected text '%s'",
                            sn_text_printable(rest.text, rest.size, printable, sizeof printable));
    }
    return SN_OK;
}

/* Finds the primitive of the current material; it is created at its first face. */
static bool find_primitive(reader *r)
{
    if (r->primitive >= 0) {
        return true;
    }
    const int64_t material = r->material.size > 0 ? sn_name_add(&r->names, r->material) : -1;
    if (r->material.size > 0 && material < 0) {
        return false;
    }
    const sn_key key = {.words = {(uint32_t)(material + 1)}};
    r->primitive = sn_key_add(&r->primitive_materials, key);
    if (r->primitive == (int64_t)r->primitives.count) {
        primitive *added = SN_LIST_ADD(&r->primitives, primitive, 1);
        if (!added) {
            return false;
        }
        added->material = (int32_t)material;
    }
    return r->primitive >= 0;
}

static bool add_vertex(reader *r, corner c, size_t i)
{
    const sn_key key = {.words = {(uint32_t)r->primitive, c.position, c.uv, c.normal}};
    const int64_t vertex = sn_key_add(&r->vertices, key);
    primitive *p = (primitive *)r->primitives.items + r->primitive;
    p->has_uvs |= c.uv != NONE;
    p->lacks_normals |= c.normal == NONE;
    ((int32_t *)r->face_positions.items)[i] = (int32_t)c.position;
    ((int32_t *)r->face_vertices.items)[i] = (int32_t)vertex;
    return vertex >= 0;
}

static sn_result add_face(reader *r)
{
    const size_t count = r->corners.count;
    r->face_positions.count = r->face_vertices.count = 0;
    if (count < 3) {
        r->polygons.skipped_count++;
        return SN_OK;
    }
    if (!find_primitive(r) || !SN_LIST_ADD(&r->face_positions, int32_t, count) ||
        !SN_LIST_ADD(&r->face_vertices, int32_t, count)) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        if (!add_vertex(r, ((const corner *)r->corners.items)[i], i)) {
            return SN_ERROR_MEMORY;
        }
    }
    primitive *p = (primitive *)r->primitives.items + r->primitive;
    p->triangle_count += (int32_t)(count - 2);
    return sn_polygons_add(&r->polygons, r->positions.items, r->face_positions.items, r->face_vertices.items, count);
}

static sn_result read_face(reader *r)
{
    r->corners.count = 0;
    while (sn_obj_find_word(&r->text)) {
        corner *c = SN_LIST_ADD(&r->corners, corner, 1);
        const sn_result result = c ? read_corner(r, c) : SN_ERROR_MEMORY;
        if (result != SN_OK) {
            return result;
        }
    }
    return add_face(r);
}

/* ---- statements ---- */

static sn_result read_library_name(reader *r)
{
    const sn_token name = sn_obj_rest(&r->text);
    sn_token *added = name.size > 0 ? SN_LIST_ADD(&r->libraries, sn_token, 1) : NULL;
    if (!added) {
        return name.size > 0 ? SN_ERROR_MEMORY : SN_OK;
    }
    *added = name;
    return SN_OK;
}

static sn_result read_statement(reader *r, sn_token keyword)
{
    const char first = keyword.size > 0 ? keyword.text[0] : 0;
    if (keyword.size == 1 && (first == 'v' || first == 'f')) {
        return first == 'v' ? read_position(r) : read_face(r);
    }
    if (keyword.size == 2 && first == 'v' && (keyword.text[1] == 't' || keyword.text[1] == 'n')) {
        return keyword.text[1] == 't' ? read_uv(r) : read_normal(r);
    }
    if (sn_token_is(keyword, "usemtl")) {
        r->material = sn_obj_rest(&r->text);
        r->primitive = -1;
        return SN_OK;
    }
    return sn_token_is(keyword, "mtllib") ? read_library_name(r) : SN_OK;
}

/* Scans positions ahead until the box is close to the origin, usually after the second. */
static sn_result find_origin(reader *r)
{
    sn_text text = r->text;
    sn_extent extent = sn_extent_empty();
    sn_result result = SN_OK;
    for (bool is_distant = true; is_distant && result == SN_OK && sn_text_remaining(&text) > 0;
         sn_text_skip_line(&text)) {
        double values[7];
        int count = 0;
        if (sn_token_is(sn_obj_word(&text), "v")) {
            result = sn_obj_numbers(&text, "position", 7, values, &count);
            is_distant = count < 3 || sn_extent_add(&extent, values);
        }
    }
    sn_extent_origin(&extent, r->origin);
    return result;
}

static sn_result read_statements(reader *r)
{
    SN_TRY(find_origin(r));
    while (sn_text_remaining(&r->text) > 0) {
        SN_TRY(read_statement(r, sn_obj_word(&r->text)));
        sn_text_skip_line(&r->text);
    }
    return sn_polygons_finish(&r->polygons, &r->text);
}

/* Arrays with the vertices of all primitives, concatenated. */

typedef struct arrays {
    float *positions, *normals, *uvs, *colors;
    int32_t *triangles, *file_vertices;
} arrays;

static bool allocate(reader *r, bool is_needed, size_t width, float **array)
{
    *array = is_needed ? SN_NEW(r->arena, float, r->vertices.keys.count *width) : NULL;
    return *array || !is_needed;
}

static bool allocate_arrays(reader *r, arrays *a)
{
    const primitive *primitives = r->primitives.items;
    bool has_uvs = false;
    bool has_normals = false;
    for (size_t i = 0; i < r->primitives.count; i++) {
        has_uvs |= primitives[i].has_uvs;
        has_normals |= !primitives[i].lacks_normals;
    }
    a->triangles = SN_NEW(r->arena, int32_t, r->polygons.triangles.count * 3);
    a->file_vertices = a->triangles ? SN_NEW(r->arena, int32_t, r->vertices.keys.count) : NULL;
    return a->file_vertices && allocate(r, true, 3, &a->positions) && allocate(r, has_normals, 3, &a->normals) &&
           allocate(r, has_uvs, 2, &a->uvs) && allocate(r, r->colors.count > 0, 4, &a->colors);
}

static void copy_floats(float *to, const sn_list *from, uint32_t index, size_t width)
{
    if (to && index != NONE) {
        memcpy(to, (const float *)from->items + index * width, width * sizeof(float));
    }
}

static void fill_vertex(const reader *r, const arrays *a, sn_key key, size_t at)
{
    a->file_vertices[at] = (int32_t)key.words[1];
    copy_floats(a->positions + at * 3, &r->positions, key.words[1], 3);
    copy_floats(a->uvs ? a->uvs + at * 2 : NULL, &r->uvs, key.words[2], 2);
    copy_floats(a->normals ? a->normals + at * 3 : NULL, &r->normals, key.words[3], 3);
    copy_floats(a->colors ? a->colors + at * 4 : NULL, &r->colors, key.words[1], 4);
}

/* Numbers the vertices of each primitive from 0, in local_indices (vertex_count), and copies them. */
static void number_vertices(reader *r, const arrays *a, int32_t *local_indices)
{
    primitive *primitives = r->primitives.items;
    const sn_key *keys = r->vertices.keys.items;
    for (size_t i = 0; i < r->vertices.keys.count; i++) {
        local_indices[i] = primitives[keys[i].words[0]].vertex_count++;
    }
    for (size_t i = 1; i < r->primitives.count; i++) {
        primitives[i].first_vertex = primitives[i - 1].first_vertex + primitives[i - 1].vertex_count;
        primitives[i].first_triangle = primitives[i - 1].first_triangle + primitives[i - 1].triangle_count;
    }
    for (size_t i = 0; i < r->vertices.keys.count; i++) {
        fill_vertex(r, a, keys[i], (size_t)primitives[keys[i].words[0]].first_vertex + (size_t)local_indices[i]);
    }
}

static void fill_triangles(reader *r, const arrays *a, const int32_t *local_indices)
{
    primitive *primitives = r->primitives.items;
    const sn_key *keys = r->vertices.keys.items;
    const int32_t *from = r->polygons.triangles.items;
    for (size_t i = 0; i < r->polygons.triangles.count; i++, from += 3) {
        primitive *p = &primitives[keys[from[0]].words[0]];
        int32_t *to = a->triangles + ((size_t)p->first_triangle + (size_t)p->filled_count++) * 3;
        for (int k = 0; k < 3; k++) {
            to[k] = local_indices[from[k]];
        }
    }
}

static void link_primitive(const primitive *p, const arrays *a, sn_scene_primitive *out)
{
    const size_t first = (size_t)p->first_vertex;
    out->vertex_count = p->vertex_count;
    out->triangle_count = p->triangle_count;
    out->material = p->material;
    out->file_vertices = a->file_vertices + first;
    out->positions = a->positions + first * 3;
    out->normals = a->normals && !p->lacks_normals ? a->normals + first * 3 : NULL;
    out->uvs[0] = p->has_uvs ? a->uvs + first * 2 : NULL;
    out->colors = a->colors ? a->colors + first * 4 : NULL;
    out->triangles = a->triangles + (size_t)p->first_triangle * 3;
}

static sn_result build_primitives(reader *r, sn_scene_file *scene)
{
    arrays a = {0};
    const size_t vertex_count = r->vertices.keys.count;
    int32_t *local_indices = allocate_arrays(r, &a) ? sn_alloc(vertex_count, sizeof(int32_t)) : NULL;
    if (!local_indices ||
        sn_surface_scene_create(r->source, (int)r->primitives.count, r->origin, r->arena, scene) != SN_OK) {
        sn_free(local_indices, vertex_count, sizeof(int32_t));
        return SN_ERROR_MEMORY;
    }
    if (r->colors.count > 0) {
        sn_colors_normalize(r->colors.items, r->colors.count);
    }
    if (r->normals.count > 0) {
        sn_normals_normalize(r->normals.items, r->normals.count);
    }
    number_vertices(r, &a, local_indices);
    fill_triangles(r, &a, local_indices);
    for (size_t i = 0; i < r->primitives.count; i++) {
        link_primitive((const primitive *)r->primitives.items + i, &a, &scene->primitives[i]);
    }
    scene->file_vertex_count = (int)r->positions.count;
    sn_free(local_indices, vertex_count, sizeof(int32_t));
    return SN_OK;
}

/* ---- materials ---- */

/* Stores all names in one block, since small allocations are padded to 64 bytes. */
static sn_result name_materials(reader *r, sn_scene_file *scene)
{
    const sn_token *names = r->names.names.items;
    size_t bytes = 0;
    for (size_t i = 0; i < r->names.names.count; i++) {
        bytes += names[i].size + 1;
    }
    scene->material_count = (int)r->names.names.count;
    scene->materials = SN_NEW(r->arena, sn_scene_material, scene->material_count);
    char *text = scene->materials ? SN_NEW(r->arena, char, bytes) : NULL;
    for (size_t i = 0; text && i < r->names.names.count; i++) {
        memcpy(text, names[i].text, names[i].size);
        scene->materials[i] = sn_obj_default_material(text);
        text += names[i].size + 1;
    }
    return text ? SN_OK : SN_ERROR_MEMORY;
}

/* Assigns the texture to all materials; adds a material if there is none. */
static sn_result apply_sibling_picture(reader *r, int32_t texture, sn_scene_file *scene)
{
    if (scene->material_count == 0) {
        scene->materials = SN_NEW(r->arena, sn_scene_material, 1);
        if (!scene->materials) {
            return SN_ERROR_MEMORY;
        }
        scene->materials[scene->material_count++] = sn_obj_default_material(scene->nodes[0].name);
    }
    for (int i = 0; i < scene->primitive_count; i++) {
        scene->primitives[i].material = scene->primitives[i].material < 0 ? 0 : scene->primitives[i].material;
    }
    for (int i = 0; i < scene->material_count; i++) {
        scene->materials[i].values.textures[SN_TEXTURE_BASE_COLOR] = texture;
    }
    sn_log(SN_LOG_WARNING, "%s: no material library was found; the picture of the same name is used as the base color",
           r->source->name);
    return SN_OK;
}

static sn_result read_materials(reader *r, sn_obj_materials *m, sn_scene_file *scene)
{
    const sn_token *libraries = r->libraries.items;
    sn_result result = name_materials(r, scene);
    m->materials = scene->materials;
    for (size_t i = 0; i < r->libraries.count && result == SN_OK; i++) {
        result = sn_obj_read_library(m, libraries[i]);
    }
    int32_t texture = -1;
    if (result == SN_OK && !m->has_library && r->uvs.count > 0) {
        result = sn_obj_read_sibling_picture(m, &texture);
    }
    if (result == SN_OK && texture >= 0) {
        result = apply_sibling_picture(r, texture, scene);
    }
    if (result == SN_OK && m->textures.count > 0) {
        scene->texture_count = (int)m->textures.count;
        scene->textures = sn_list_copy(&m->textures, sizeof(sn_scene_texture), r->arena);
        result = scene->textures ? SN_OK : SN_ERROR_MEMORY;
    }
    return result;
}

static sn_result finish_scene(reader *r, sn_scene_file *scene)
{
    sn_obj_materials m = {.source = r->source, .arena = r->arena, .names = &r->names};
    sn_result result = build_primitives(r, scene);
    if (result == SN_OK) {
        result = read_materials(r, &m, scene);
    }
    sn_obj_materials_finish(&m);
    return result;
}

static void finish_reader(reader *r)
{
    sn_list *lists[] = {&r->positions,      &r->uvs,           &r->normals,    &r->colors,    &r->corners,
                        &r->face_positions, &r->face_vertices, &r->primitives, &r->libraries, &r->polygons.triangles};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        sn_list_finish(lists[i]);
    }
    sn_key_table_finish(&r->vertices);
    sn_key_table_finish(&r->primitive_materials);
    sn_name_table_finish(&r->names);
}

sn_result sn_obj_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene)
{
    SN_ASSERT(source && arena && scene);
    reader r = {.source = source, .text = sn_text_begin(source, 0), .arena = arena, .primitive = -1};
    sn_result result = read_statements(&r);
    if (result == SN_OK) {
        result = finish_scene(&r, scene);
    }
    finish_reader(&r);
    return result;
}
