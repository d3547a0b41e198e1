/* SPDX-License-Identifier: MIT */
#include "bindings/godot/source/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void multiply_transforms(const float a[12], const float b[12], float result[12])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            result[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
        result[9 + i] = a[3 * i] * b[9] + a[3 * i + 1] * b[10] + a[3 * i + 2] * b[11] + a[9 + i];
    }
}

void to_mat3x4(const float transform[12], sn_mat3x4 *result)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            result->m[i][j] = transform[3 * i + j];
        }
        result->m[i][3] = transform[9 + i];
    }
}

/* ---- life ---- */

static void *create(void)
{
    return calloc(1, sizeof(model_instance));
}

void release_shared_model(shared_model *shared)
{
    if (shared && --shared->user_count == 0) {
        sn_model_release(shared->model);
        free(shared->bytes);
        free(shared);
    }
}

static void destroy(void *self)
{
    model_instance *instance = self;
    release_shared_model(instance->shared);
    free(instance);
}

static void load_bytes(void *self, const void *const *arguments, void *result)
{
    model_instance *instance = self;
    const int64_t size = packed_size(TYPE(PACKED_BYTE_ARRAY), arguments[0]);
    const void *bytes = packed_elements(TYPE(PACKED_BYTE_ARRAY), arguments[0]);
    shared_model *shared = calloc(1, sizeof *shared);
    bool *is_loaded = result;
    *is_loaded = false;
    if (shared) {
        shared->user_count = 1;
        shared->bytes = malloc(size > 0 ? (size_t)size : 1); /* aligned to 8 */
        if (shared->bytes && size > 0) {
            memcpy(shared->bytes, bytes, (size_t)size);
        }
        *is_loaded = shared->bytes && sn_model_load(shared->bytes, (size_t)size, &shared->model) == SN_OK;
        if (*is_loaded) {
            release_shared_model(instance->shared);
            instance->shared = shared;
        } else {
            free(shared->bytes);
            free(shared);
        }
    }
}

static const sn_model *model_of(void *self)
{
    const model_instance *instance = self;
    return instance->shared ? instance->shared->model : NULL;
}

static void is_loaded(void *self, const void *const *arguments, void *result)
{
    (void)arguments;
    *(bool *)result = model_of(self) != NULL;
}

/* ---- numbers and names ---- */

#define GET_COUNT(name, call)                                                                                          \
    static void name(void *self, const void *const *arguments, void *result)                                           \
    {                                                                                                                  \
        const sn_model *model = model_of(self);                                                                        \
        (void)arguments;                                                                                               \
        *(int64_t *)result = model ? call(model) : 0;                                                                  \
    }
#define GET_NAME(name, call)                                                                                           \
    static void name(void *self, const void *const *arguments, void *result)                                           \
    {                                                                                                                  \
        const sn_model *model = model_of(self);                                                                        \
        set_string(result, model ? call(model, (int)*(const int64_t *)arguments[0]) : NULL);                           \
    }
#define GET_NUMBER(name, value)                                                                                        \
    static void name(void *self, const void *const *arguments, void *result)                                           \
    {                                                                                                                  \
        const sn_model *model = model_of(self);                                                                        \
        (void)arguments;                                                                                               \
        *(double *)result = model ? (value) : 0;                                                                       \
    }

GET_COUNT(get_bone_count, sn_model_bone_count)
GET_COUNT(get_mode_count, sn_model_mode_count)
GET_COUNT(get_morph_count, sn_model_morph_count)
GET_COUNT(get_clip_count, sn_model_clip_count)
GET_COUNT(get_level_count, sn_model_cluster_level_count)
GET_NAME(get_bone_name, sn_model_bone_name)
GET_NAME(get_morph_name, sn_model_morph_name)
GET_NAME(get_clip_name, sn_model_clip_name)
GET_NUMBER(get_mass, sn_model_mass(model))
GET_NUMBER(get_scale, sn_model_scale(model))
GET_NUMBER(get_diagonal, sn_model_surface(model).diagonal)

static bool has_bone(const sn_model *model, int64_t bone)
{
    return model && bone >= 0 && bone < sn_model_bone_count(model);
}

static void get_bone_parent(void *self, const void *const *arguments, void *result)
{
    const sn_model *model = model_of(self);
    const int64_t bone = *(const int64_t *)arguments[0];
    *(int64_t *)result = has_bone(model, bone) ? sn_model_bone_parent(model, (int)bone) : -1;
}

static void set_vector(const double *value, float *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = (float)value[d];
    }
}

static void get_bone_pivot(void *self, const void *const *arguments, void *result)
{
    const sn_model *model = model_of(self);
    const int64_t bone = *(const int64_t *)arguments[0];
    double pivot[3] = {0, 0, 0};
    if (has_bone(model, bone)) {
        sn_model_bone_pivot(model, (int)bone, pivot);
    }
    set_vector(pivot, result);
}

static void get_origin(void *self, const void *const *arguments, void *result)
{
    const sn_model *model = model_of(self);
    double origin[3] = {0, 0, 0};
    (void)arguments;
    if (model) {
        sn_model_origin(model, origin);
    }
    set_vector(origin, result);
}

/* ---- the surface ---- */

static void transform_vector(const float transform[12], const float *v, bool is_point, float *result)
{
    for (int i = 0; i < 3; ++i) {
        result[i] = transform[3 * i] * v[0] + transform[3 * i + 1] * v[1] + transform[3 * i + 2] * v[2] +
                    (is_point ? transform[9 + i] : 0);
    }
}

static void normalize(float *v)
{
    const float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int d = 0; d < 3 && length > 0; ++d) {
        v[d] /= length;
    }
}

static void cross(const float *a, const float *b, float *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
    }
}

/* find_vertices(positions, normals, uvs, to_model): the vertex of the model for each vertex of a mesh, or -1. Normals
 * and texture coordinates may be empty. */
static void find_vertices(void *self, const void *const *arguments, void *result)
{
    const sn_model *model = model_of(self);
    const int64_t count = packed_size(TYPE(PACKED_VECTOR3_ARRAY), arguments[0]);
    const float *positions = packed_elements(TYPE(PACKED_VECTOR3_ARRAY), arguments[0]);
    const float *normals = packed_elements(TYPE(PACKED_VECTOR3_ARRAY), arguments[1]);
    const float *uvs = packed_elements(TYPE(PACKED_VECTOR2_ARRAY), arguments[2]);
    const float *to_model = arguments[3];
    int32_t *vertices = model && count < INT32_MAX ? packed_resize(TYPE(PACKED_INT32_ARRAY), result, count) : NULL;
    float *moved = vertices ? malloc(6 * (size_t)count * sizeof *moved) : NULL;
    if (!vertices) {
        return;
    }
    for (int64_t v = 0; v < count; ++v) {
        vertices[v] = -1;
    }
    if (!moved) {
        return;
    }
    if (packed_size(TYPE(PACKED_VECTOR3_ARRAY), arguments[1]) != count) {
        normals = NULL;
    }
    if (packed_size(TYPE(PACKED_VECTOR2_ARRAY), arguments[2]) != count) {
        uvs = NULL;
    }
    for (int64_t v = 0; v < count; ++v) {
        transform_vector(to_model, positions + 3 * v, true, moved + 3 * v);
        if (normals) { /* the transform keeps angles */
            transform_vector(to_model, normals + 3 * v, false, moved + 3 * (count + v));
            normalize(moved + 3 * (count + v));
        }
    }
    const sn_surface surface = sn_model_surface(model);
    const sn_mesh_vertices mesh = {
        .count = (int)count, .positions = moved, .normals = normals ? moved + 3 * count : NULL, .uvs = uvs};
    sn_surface_find_vertices(&surface, &mesh, vertices);
    free(moved);
}

static float half_to_float(uint16_t half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const float size = exponent == 0    ? ldexpf((float)fraction, -24)
                       : exponent == 31 ? 0
                                        : ldexpf((float)(1024 + fraction), exponent - 25);
    return half & 0x8000 ? -size : size;
}

/* pack_surface(vertices, tangents, to_model): three texels a vertex and one a mode, of four floats each, for
 * flesh.gdshaderinc: the rest position in diagonals and 1, or 0 if the vertex is not in the model; the mesh's tangent
 * and bitangent in the model; of each mode its weight and the weight's derivatives along these two, per diagonal.
 * tangents: four floats a vertex as in Mesh.ARRAY_TANGENT, or empty. */
static void pack_surface(void *self, const void *const *arguments, void *result)
{
    const sn_model *model = model_of(self);
    const int64_t count = packed_size(TYPE(PACKED_INT32_ARRAY), arguments[0]);
    const int32_t *vertices = packed_elements(TYPE(PACKED_INT32_ARRAY), arguments[0]);
    const float *tangents = packed_elements(TYPE(PACKED_FLOAT32_ARRAY), arguments[1]);
    const float *to_model = arguments[2];
    if (!model || count == 0) {
        return;
    }
    const sn_surface surface = sn_model_surface(model);
    const size_t stride = 4 * (size_t)(surface.mode_count + 3);
    float *texels = packed_resize(TYPE(PACKED_BYTE_ARRAY), result, count * (int64_t)(stride * sizeof *texels));
    if (!texels) {
        return;
    }
    if (packed_size(TYPE(PACKED_FLOAT32_ARRAY), arguments[1]) != 4 * count) {
        tangents = NULL;
    }
    memset(texels, 0, (size_t)count * stride * sizeof *texels);
    for (int64_t i = 0; i < count; ++i) {
        const int32_t v = vertices[i];
        float *texel = texels + (size_t)i * stride, *tangent = texel + 4, *bitangent = texel + 8, turn[2] = {1, 0};
        if (v < 0 || v >= surface.vertex_count) {
            continue;
        }
        const float *own_tangent = surface.tangents + 4 * (size_t)v, *normal = surface.normals + 3 * (size_t)v;
        float own_bitangent[3];
        cross(normal, own_tangent, own_bitangent);
        for (int d = 0; d < 3; ++d) {
            texel[d] = surface.positions[3 * (size_t)v + (size_t)d] / (float)surface.diagonal;
            tangent[d] = own_tangent[d];
            bitangent[d] = own_bitangent[d];
        }
        texel[3] = 1;
        if (tangents) { /* the mesh's tangent is (turn[0], turn[1]) in the plane of the model's */
            float other[3], length;
            transform_vector(to_model, tangents + 4 * i, false, other);
            turn[0] = other[0] * own_tangent[0] + other[1] * own_tangent[1] + other[2] * own_tangent[2];
            turn[1] = other[0] * own_bitangent[0] + other[1] * own_bitangent[1] + other[2] * own_bitangent[2];
            length = hypotf(turn[0], turn[1]);
            turn[0] = length > 0 ? turn[0] / length : 1;
            turn[1] = length > 0 ? turn[1] / length : 0;
            for (int d = 0; d < 3; ++d) {
                tangent[d] = turn[0] * own_tangent[d] + turn[1] * own_bitangent[d];
                bitangent[d] = turn[0] * own_bitangent[d] - turn[1] * own_tangent[d];
            }
        }
        for (int j = 0; j < surface.mode_count; ++j) {
            const sn_mode_weight *weight = &surface.mode_weights[(size_t)v * (size_t)surface.mode_count + (size_t)j];
            /* of the model's bitangent w n x t, here along n x t */
            const float along = half_to_float(weight->derivatives[0]);
            const float across = half_to_float(weight->derivatives[1]) * own_tangent[3];
            float *mode = texel + 4 * (size_t)(3 + j);
            mode[0] = weight->weight;
            mode[1] = turn[0] * along + turn[1] * across;
            mode[2] = turn[0] * across - turn[1] * along;
        }
    }
}

#define BONE_ARGUMENT                                                                                                  \
    {                                                                                                                  \
        .name = "bone", .type = TYPE(INT)                                                                              \
    }
#define INDEX_ARGUMENT                                                                                                 \
    {                                                                                                                  \
        .name = "index", .type = TYPE(INT)                                                                             \
    }

static const godot_method methods[] = {
    {.name = "load_bytes",
     .function = load_bytes,
     .result = TYPE(BOOL),
     .argument_count = 1,
     .arguments = {{.name = "bytes", .type = TYPE(PACKED_BYTE_ARRAY)}}},
    {.name = "is_loaded", .function = is_loaded, .result = TYPE(BOOL)},
    {.name = "get_bone_count", .function = get_bone_count, .result = TYPE(INT)},
    {.name = "get_mode_count", .function = get_mode_count, .result = TYPE(INT)},
    {.name = "get_morph_count", .function = get_morph_count, .result = TYPE(INT)},
    {.name = "get_clip_count", .function = get_clip_count, .result = TYPE(INT)},
    {.name = "get_level_count", .function = get_level_count, .result = TYPE(INT)},
    {.name = "get_bone_name",
     .function = get_bone_name,
     .result = TYPE(STRING),
     .argument_count = 1,
     .arguments = {BONE_ARGUMENT}},
    {.name = "get_morph_name",
     .function = get_morph_name,
     .result = TYPE(STRING),
     .argument_count = 1,
     .arguments = {INDEX_ARGUMENT}},
    {.name = "get_clip_name",
     .function = get_clip_name,
     .result = TYPE(STRING),
     .argument_count = 1,
     .arguments = {INDEX_ARGUMENT}},
    {.name = "get_bone_parent",
     .function = get_bone_parent,
     .result = TYPE(INT),
     .argument_count = 1,
     .arguments = {BONE_ARGUMENT}},
    {.name = "get_bone_pivot",
     .function = get_bone_pivot,
     .result = TYPE(VECTOR3),
     .argument_count = 1,
     .arguments = {BONE_ARGUMENT}},
    {.name = "get_mass", .function = get_mass, .result = TYPE(FLOAT)},
    {.name = "get_scale", .function = get_scale, .result = TYPE(FLOAT)},
    {.name = "get_diagonal", .function = get_diagonal, .result = TYPE(FLOAT)},
    {.name = "get_origin", .function = get_origin, .result = TYPE(VECTOR3)},
    {.name = "find_vertices",
     .function = find_vertices,
     .result = TYPE(PACKED_INT32_ARRAY),
     .argument_count = 4,
     .arguments = {{.name = "positions", .type = TYPE(PACKED_VECTOR3_ARRAY)},
                   {.name = "normals", .type = TYPE(PACKED_VECTOR3_ARRAY)},
                   {.name = "uvs", .type = TYPE(PACKED_VECTOR2_ARRAY)},
                   {.name = "to_model", .type = TYPE(TRANSFORM3D)}}},
    {.name = "pack_surface",
     .function = pack_surface,
     .result = TYPE(PACKED_BYTE_ARRAY),
     .argument_count = 3,
     .arguments = {{.name = "vertices", .type = TYPE(PACKED_INT32_ARRAY)},
                   {.name = "tangents", .type = TYPE(PACKED_FLOAT32_ARRAY)},
                   {.name = "to_model", .type = TYPE(TRANSFORM3D)}}},
};

const godot_class model_class = {.name = "SinewModel",
                                 .parent = "Resource",
                                 .create = create,
                                 .destroy = destroy,
                                 .methods = methods,
                                 .method_count = COUNT_OF(methods)};
