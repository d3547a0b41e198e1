/* SPDX-License-Identifier: MIT */
/* Meshes: vertices, triangles and morph targets of their primitives. Consecutive primitives with the same accessors
 * share arrays, as exporters of avatars often write many primitives with one set of vertices. */
#include "author/io/gltf/gltf_reader.h"

#include <string.h>

enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 };

#define VEC(n) (1u << (SN_GLTF_VEC##n))

static bool decode_optional(sn_gltf *g, const sn_json *at, const sn_gltf_accessor *accessor, float *out, size_t stride)
{
    sn_gltf_attempt attempt;
    sn_gltf_begin_attempt(&attempt);
    sn_gltf_decode(at, accessor, out, stride);
    return sn_gltf_end_attempt(g, &attempt, SN_GLTF_WARNED_ATTRIBUTE, "the attribute is ignored");
}

/* Reads (count x width) values; null if absent or on failure. Vertices can do without an optional attribute: it is
 * ignored, with a warning, if one of its values is not finite. */
static float *read_values(sn_gltf *g, const sn_json *attributes, const char *key, const sn_gltf_format *format,
                          int count, bool is_optional)
{
    const sn_gltf_accessor *accessor = sn_gltf_find_accessor(g, attributes, key, format, count);
    if (!accessor) {
        return NULL;
    }
    const sn_json at = sn_json_get(attributes, key);
    const size_t width = (size_t)sn_gltf_width(accessor);
    float *values = SN_GLTF_NEW(g, g->arena, &at, float, width *(size_t)count);
    if (!values) {
        return NULL;
    }
    return (is_optional ? decode_optional(g, &at, accessor, values, width)
                        : sn_gltf_decode(&at, accessor, values, width))
               ? values
               : NULL;
}

static float *read_attribute(sn_gltf *g, const sn_json *attributes, const char *key, const sn_gltf_format *format,
                             int count)
{
    return read_values(g, attributes, key, format, count, false);
}

static float *read_optional(sn_gltf *g, const sn_json *attributes, const char *key, const sn_gltf_format *format,
                            int count)
{
    return read_values(g, attributes, key, format, count, true);
}

/* Converts RGB to RGBA. */
static float *read_colors(sn_gltf *g, const sn_json *attributes, int count)
{
    static const sn_gltf_format format = {VEC(3) | VEC(4), SN_GLTF_NORMALIZED,
                                          "VEC3 or VEC4 of floats or normalized integers"};
    const sn_gltf_accessor *accessor = sn_gltf_find_accessor(g, attributes, "COLOR_0", &format, count);
    if (!accessor) {
        return NULL;
    }
    const sn_json at = sn_json_get(attributes, "COLOR_0");
    float *colors = SN_GLTF_NEW(g, g->arena, &at, float, 4 * (size_t)count);
    for (size_t i = 0; colors && i < (size_t)count; ++i) {
        colors[4 * i + 3] = 1;
    }
    return colors && decode_optional(g, &at, accessor, colors, 4) ? colors : NULL;
}

/* Reads the attributes of enum sn_painted_quantity; values out of range are errors. */
static void read_painted_quantities(sn_gltf *g, const sn_json *attributes, sn_scene_primitive *p)
{
    static const sn_gltf_format format = {1u << SN_GLTF_SCALAR, SN_GLTF_NORMALIZED,
                                          "SCALAR of floats or normalized integers"};
    static const float ranges[SN_PAINTED_COUNT][2] = {
        [SN_PAINTED_STIFFNESS] = {1e-6F, 1e6F}, [SN_PAINTED_DENSITY] = {1e-6F, 1e6F}, [SN_PAINTED_LEAK] = {0, 1}};
    for (int i = 0; i < SN_PAINTED_COUNT && sn_gltf_ok(g); ++i) {
        const char *key = sn_painted_quantity_name((sn_painted_quantity)i);
        p->paint[i] = read_attribute(g, attributes, key, &format, p->vertex_count);
        for (int v = 0; p->paint[i] && v < p->vertex_count && sn_gltf_ok(g); ++v) {
            const float value = p->paint[i][v];
            if (!(value >= ranges[i][0] && value <= ranges[i][1])) {
                const sn_json at = sn_json_get(attributes, key);
                sn_json_fail(&at, SN_ERROR_FORMAT, "vertex %d has the value %g; it must be from %g to %g", v,
                             (double)value, (double)ranges[i][0], (double)ranges[i][1]);
            }
        }
    }
}

static void read_vertices(sn_gltf *g, const sn_json *attributes, sn_scene_primitive *p)
{
    static const sn_gltf_format positions = {VEC(3), SN_GLTF_ANY_INTEGERS, "VEC3 of floats"};
    static const sn_gltf_format normals = {VEC(3), SN_GLTF_NORMALIZED, "VEC3 of floats"};
    static const sn_gltf_format tangents = {VEC(4), SN_GLTF_NORMALIZED, "VEC4 of floats"};
    static const sn_gltf_format uvs = {VEC(2), SN_GLTF_ANY_INTEGERS, "VEC2 of floats"};
    const sn_gltf_accessor *first = sn_gltf_find_accessor(g, attributes, "POSITION", &positions, -1);
    if (!first) {
        return;
    }
    const int count = p->vertex_count = first->count;
    p->positions = read_attribute(g, attributes, "POSITION", &positions, count);
    p->normals = read_optional(g, attributes, "NORMAL", &normals, count);
    p->is_flat = !p->normals;
    p->tangents = read_optional(g, attributes, "TANGENT", &tangents, count);
    p->uvs[0] = read_optional(g, attributes, "TEXCOORD_0", &uvs, count);
    p->uvs[1] = read_optional(g, attributes, "TEXCOORD_1", &uvs, count);
    p->colors = read_colors(g, attributes, count);
    read_painted_quantities(g, attributes, p);
    if (sn_gltf_ok(g) && p->uvs[1] && !p->uvs[0]) {
        sn_json_warn(attributes, SN_GLTF_WARNED_ATTRIBUTE, "has TEXCOORD_1 without TEXCOORD_0, and uses it for both");
        p->uvs[0] = p->uvs[1];
    }
    if (sn_gltf_ok(g)) {
        sn_gltf_read_influences(g, attributes, p);
    }
}

static void read_morphs(sn_gltf *g, const sn_json *targets, int morph_count, sn_scene_primitive *p)
{
    static const sn_gltf_format format = {VEC(3), SN_GLTF_ANY_INTEGERS, "VEC3 of floats"};
    const int count = sn_json_count(targets);
    if (sn_gltf_ok(g) && count != morph_count) {
        sn_json_fail(targets, SN_ERROR_FORMAT, "has %d entries, but another primitive of the mesh has %d", count,
                     morph_count);
    }
    if (!sn_gltf_ok(g) || count == 0) {
        return;
    }
    p->morph_positions = SN_GLTF_NEW(g, g->arena, targets, float *, count);
    p->morph_normals = SN_GLTF_NEW(g, g->arena, targets, float *, count);
    for (int m = 0; m < count && sn_gltf_ok(g); ++m) {
        const sn_json target = sn_json_entry(targets, (size_t)m);
        p->morph_positions[m] = read_attribute(g, &target, "POSITION", &format, p->vertex_count);
        p->morph_normals[m] = read_attribute(g, &target, "NORMAL", &format, p->vertex_count);
    }
}

/* The corners in file order: the indices, or consecutive vertices. */
static int32_t *read_corners(sn_gltf *g, const sn_json *at, int vertex_count, int *count)
{
    static const sn_gltf_format format = {1 << SN_GLTF_SCALAR, SN_GLTF_INTEGERS_ONLY, "SCALAR of unsigned integers"};
    const sn_json indices = sn_json_get(at, "indices");
    const sn_gltf_accessor *accessor = sn_gltf_find_accessor(g, at, "indices", &format, -1);
    if (!sn_gltf_ok(g)) {
        return NULL;
    }
    *count = accessor ? accessor->count : vertex_count;
    int32_t *corners = SN_GLTF_NEW(g, g->arena, &indices, int32_t, *count);
    if (!corners) {
        return NULL;
    }
    if (accessor) {
        const bool is_valid =
            sn_gltf_decode_integers(&indices, accessor, (uint32_t)vertex_count, "vertices", corners, 1);
        return is_valid ? corners : NULL;
    }
    for (int32_t i = 0; i < *count; ++i) {
        corners[i] = i;
    }
    return corners;
}

/* Removes degenerate triangles, which join strips. */
static int remove_degenerate(int32_t *triangles, int count)
{
    int retained_count = 0;
    for (int i = 0; i < count; ++i) {
        const int32_t *t = triangles + 3 * (size_t)i;
        if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) {
            memmove(triangles + 3 * (size_t)retained_count++, t, 3 * sizeof *t);
        }
    }
    return retained_count;
}

/* glTF 3.7.2.1: every second triangle of a strip is flipped; triangles of a fan have the first vertex last. */
static void to_triangles(int mode, const int32_t *corners, int triangle_count, int32_t *triangles)
{
    for (int32_t i = 0; i < triangle_count; ++i) {
        const int32_t odd = i & 1;
        int32_t *out = triangles + 3 * (size_t)i;
        out[0] = mode == MODE_STRIP ? corners[i] : corners[i + 1];
        out[1] = mode == MODE_STRIP ? corners[i + 1 + odd] : corners[i + 2];
        out[2] = mode == MODE_STRIP ? corners[i + 2 - odd] : corners[0];
    }
}

static void read_triangles(sn_gltf *g, const sn_json *at, int mode, const sn_gltf_draco *draco, sn_scene_primitive *p)
{
    int count = 0;
    if (draco->triangles) { /* also for strips: Draco stores triangles only */
        if (draco->vertex_count != (uint32_t)p->vertex_count) {
            sn_json_fail(at, SN_ERROR_FORMAT, "the Draco data have %u vertices, but POSITION has %d",
                         draco->vertex_count, p->vertex_count);
            return;
        }
        p->triangle_count = draco->triangle_count;
        p->triangles = draco->triangles;
        return;
    }
    int32_t *corners = read_corners(g, at, p->vertex_count, &count);
    if (!corners) {
        return;
    }
    if (count < 3 || (mode == MODE_TRIANGLES && count % 3 != 0)) {
        sn_json_fail(at, SN_ERROR_FORMAT, "%d vertices do not form triangles", count);
        return;
    }
    p->triangle_count = mode == MODE_TRIANGLES ? count / 3 : count - 2;
    p->triangles = corners;
    if (mode != MODE_TRIANGLES) {
        p->triangles = SN_GLTF_NEW(g, g->arena, at, int32_t, 3 * (size_t)p->triangle_count);
        if (p->triangles) {
            to_triangles(mode, corners, p->triangle_count, p->triangles);
        }
    }
    if (sn_gltf_ok(g)) {
        p->triangle_count = remove_degenerate(p->triangles, p->triangle_count);
    }
}

/* State of reading a mesh. */
typedef struct mesh_state {
    int32_t index;
    sn_scene_mesh *mesh;
    const json_t *last; /* the previous primitive, or null */
} mesh_state;

static void record_max_joint(sn_gltf *g, const mesh_state *s, int32_t primitive, const sn_scene_primitive *p)
{
    const size_t count = (size_t)p->vertex_count * (size_t)p->influence_count;
    for (size_t i = 0; i < count; ++i) {
        if (p->joints[i] > g->mesh_max_joints[s->index]) {
            g->mesh_max_joints[s->index] = p->joints[i];
            g->mesh_primitives[s->index] = primitive;
        }
    }
}

/* Whether two primitives have the same Draco data. Accessors of compressed vertices have no bytes of their own, so
 * equal accessors may have different data. */
static bool has_same_coding(const json_t *a, const json_t *b)
{
    const json_t *codings[] = {json_object_get(a, "extensions"), json_object_get(b, "extensions")};
    for (int i = 0; i < 2; ++i) {
        codings[i] = json_object_get(codings[i], "KHR_draco_mesh_compression");
    }
    return codings[0] == codings[1] || json_equal(codings[0], codings[1]);
}

/* Shares the arrays of the previous primitive if both have the same accessors. */
static void read_or_share(sn_gltf *g, const sn_json *at, int32_t number, const mesh_state *s, sn_scene_primitive *p)
{
    const sn_json attributes = sn_json_get(at, "attributes"), targets = sn_json_get(at, "targets");
    const bool is_shared = s->last && attributes.value &&
                           json_equal(attributes.value, json_object_get(s->last, "attributes")) &&
                           has_same_coding(at->value, s->last);
    if (!sn_json_require(at, "attributes")) {
        return;
    }
    if (is_shared) {
        *p = p[-1];
        p->triangle_count = 0;
    } else {
        read_vertices(g, &attributes, p);
        if (sn_gltf_ok(g)) {
            record_max_joint(g, s, number, p);
        }
    }
    const bool has_shared_morphs =
        is_shared && targets.value && json_equal(targets.value, json_object_get(s->last, "targets"));
    if (!has_shared_morphs && sn_gltf_ok(g)) {
        p->morph_positions = p->morph_normals = NULL;
        read_morphs(g, &targets, s->mesh->morph_count, p);
    }
}

static void read_primitive(sn_gltf *g, const sn_json *at, int32_t number, mesh_state *s)
{
    const int mode = (int)sn_json_integer(at, "mode", MODE_TRIANGLES, 0, MODE_FAN);
    sn_scene_primitive *p = &g->scene->primitives[g->scene->primitive_count];
    if (!sn_gltf_ok(g)) {
        return;
    }
    if (mode < MODE_TRIANGLES) {
        sn_json_warn(at, SN_GLTF_WARNED_MODE, "points and lines are ignored");
        return;
    }
    const sn_json attributes = sn_json_get(at, "attributes");
    if (sn_json_require(at, "attributes") && !sn_json_has(&attributes, "POSITION")) { /* glTF 3.7.2.1: is not drawn */
        sn_json_warn(at, SN_GLTF_WARNED_POSITIONS, "has no POSITION; it is ignored");
        return;
    }
    if (!s->last) {
        const sn_json targets = sn_json_get(at, "targets");
        s->mesh->morph_count = sn_json_count(&targets);
    }
    sn_gltf_draco draco = {0};
    if (sn_gltf_is_draco(g, at)) {
        sn_gltf_begin_draco(g, at, &draco);
    }
    if (sn_gltf_ok(g)) {
        read_or_share(g, at, number, s, p);
    }
    p->material = sn_json_index(at, "material", g->scene->material_count);
    if (sn_gltf_ok(g)) {
        read_triangles(g, at, mode, &draco, p);
    }
    sn_gltf_end_draco(g, &draco);
    if (sn_gltf_ok(g)) {
        s->last = at->value;
        s->mesh->primitive_count++;
        g->scene->primitive_count++;
    }
}

float *sn_gltf_read_morph_weights(sn_gltf *g, const sn_json *object, int count)
{
    const sn_json at = sn_json_get(object, "weights");
    double *values = SN_GLTF_NEW(g, &g->scratch, &at, double, count);
    float *weights = SN_GLTF_NEW(g, g->arena, &at, float, count);
    if (values && weights && at.value && sn_json_numbers(object, "weights", count, values)) {
        for (int m = 0; m < count; ++m) {
            weights[m] = (float)values[m];
        }
    }
    return sn_gltf_ok(g) ? weights : NULL;
}

/* glTF has no names of morph targets; exporters store them in the extras of the mesh or of its first primitive. Other
 * content is ignored. */
static void read_morph_names(sn_gltf *g, const sn_json *at, sn_scene_mesh *mesh)
{
    const sn_json list = sn_json_get(at, "primitives");
    const json_t *first = json_array_get(list.value, 0);
    const json_t *extras[] = {json_object_get(at->value, "extras"), json_object_get(first, "extras")};
    const json_t *names = json_object_get(extras[0], "targetNames");
    names = json_is_array(names) ? names : json_object_get(extras[1], "targetNames");
    if (mesh->morph_count == 0 || json_array_size(names) != (size_t)mesh->morph_count) {
        return;
    }
    mesh->morph_names = SN_GLTF_NEW(g, g->arena, at, const char *, mesh->morph_count);
    for (int m = 0; m < mesh->morph_count && sn_gltf_ok(g); ++m) {
        const char *name = json_string_value(json_array_get(names, (size_t)m));
        mesh->morph_names[m] = sn_gltf_copy_text(g, at, name ? name : "");
    }
}

static void read_mesh(sn_gltf *g, const sn_json *at, int32_t index)
{
    sn_scene_mesh *mesh = &g->scene->meshes[index];
    const sn_json list = sn_json_get(at, "primitives");
    const int count = sn_json_require(at, "primitives") ? sn_json_count(&list) : 0;
    mesh_state state = {.index = index, .mesh = mesh};
    mesh->name = sn_gltf_name(g, at);
    mesh->first_primitive = g->scene->primitive_count;
    g->mesh_max_joints[index] = g->mesh_primitives[index] = -1;
    for (int i = 0; i < count && sn_gltf_ok(g); ++i) {
        const sn_json primitive = sn_json_entry(&list, (size_t)i);
        read_primitive(g, &primitive, i, &state);
    }
    if (sn_gltf_ok(g) && mesh->primitive_count > 0) { /* without primitives, there are no targets */
        mesh->morph_weights = sn_gltf_read_morph_weights(g, at, mesh->morph_count);
        read_morph_names(g, at, mesh);
    }
}

static size_t count_primitives(const sn_json *meshes)
{
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(meshes->value); ++i) {
        count += json_array_size(json_object_get(json_array_get(meshes->value, i), "primitives"));
    }
    return count;
}

void sn_gltf_read_meshes(sn_gltf *g)
{
    sn_scene_file *scene = g->scene;
    const sn_json list = sn_json_get(&g->root, "meshes");
    scene->mesh_count = sn_json_count(&list);
    scene->meshes = SN_GLTF_NEW(g, g->arena, &list, sn_scene_mesh, scene->mesh_count);
    scene->primitives = SN_GLTF_NEW(g, g->arena, &list, sn_scene_primitive, count_primitives(&list));
    g->mesh_max_joints = SN_GLTF_NEW(g, &g->scratch, &list, int32_t, scene->mesh_count);
    g->mesh_primitives = SN_GLTF_NEW(g, &g->scratch, &list, int32_t, scene->mesh_count);
    for (int i = 0; i < scene->mesh_count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        read_mesh(g, &at, i);
    }
}
