/* SPDX-License-Identifier: MIT */
/* The binary chunk. Every accessor has its own tightly packed buffer view, aligned to four bytes; positions and times
 * have bounds, as the format requires. */
#include <math.h>
#include <string.h>

#include "author/io/gltf/gltf_writer.h"

#define FIRST_BLOCK ((size_t)1 << 16)

bool sn_gltf_writer_ok(const sn_gltf_writer *w)
{
    return w->result == SN_OK;
}

void sn_gltf_put_bytes(sn_gltf_writer *w, const void *bytes, size_t size)
{
    if (!sn_gltf_writer_ok(w)) {
        return;
    }
    if (w->capacity - w->size < size + 4) {
        const size_t capacity = 2 * w->capacity + size + FIRST_BLOCK;
        uint8_t *grown = SN_NEW(&w->arena, uint8_t, capacity);
        if (!grown) {
            w->result = SN_ERROR_MEMORY;
            return;
        }
        if (w->size > 0) {
            memcpy(grown, w->bytes, w->size);
        }
        w->bytes = grown;
        w->capacity = capacity;
    }
    memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
}

void sn_gltf_align(sn_gltf_writer *w, uint8_t filler)
{
    while (sn_gltf_writer_ok(w) && w->size % 4 != 0) {
        sn_gltf_put_bytes(w, &filler, 1);
    }
}

void sn_gltf_put_u32(sn_gltf_writer *w, uint64_t value)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    sn_gltf_put_bytes(w, bytes, sizeof bytes);
}

json_int_t sn_gltf_append(sn_gltf_writer *w, const char *key, json_t *value)
{
    json_t *list = json_object_get(w->root, key);
    if (!list) {
        list = json_array();
        json_object_set_new(w->root, key, list);
    }
    json_array_append_new(list, value);
    return (json_int_t)json_array_size(list) - 1;
}

void sn_gltf_set_integer(json_t *object, const char *key, json_int_t value)
{
    json_object_set_new(object, key, json_integer(value));
}

void sn_gltf_set_name(json_t *object, const char *name)
{
    if (name && name[0]) {
        json_object_set_new(object, "name", json_string(name));
    }
}

json_t *sn_gltf_reals(const double *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; ++i) {
        json_array_append_new(list, json_real(values[i]));
    }
    return list;
}

json_t *sn_gltf_floats(const float *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; ++i) {
        json_array_append_new(list, json_real((double)values[i]));
    }
    return list;
}

json_int_t sn_gltf_open_view(sn_gltf_writer *w, int target)
{
    sn_gltf_align(w, 0);
    json_t *view = json_pack("{s:i,s:I}", "buffer", 0, "byteOffset", (json_int_t)w->size);
    if (target != SN_GLTF_TARGET_NONE) {
        sn_gltf_set_integer(view, "target", target);
    }
    return sn_gltf_append(w, "bufferViews", view);
}

void sn_gltf_close_view(sn_gltf_writer *w, json_int_t view)
{
    json_t *at = json_array_get(json_object_get(w->root, "bufferViews"), (size_t)view);
    const json_int_t start = json_integer_value(json_object_get(at, "byteOffset"));
    sn_gltf_set_integer(at, "byteLength", (json_int_t)w->size - start);
}

static json_t *new_accessor(json_int_t view, int component, const char *type, int count)
{
    return json_pack("{s:I,s:i,s:i,s:s}", "bufferView", view, "componentType", component, "count", count, "type", type);
}

static void set_bounds(json_t *accessor, const float *values, int count, int width)
{
    float low[16], high[16];
    for (int k = 0; k < width; ++k) {
        low[k] = high[k] = values[k];
    }
    for (int i = 1; i < count; ++i) {
        for (int k = 0; k < width; ++k) {
            low[k] = fminf(low[k], values[(size_t)i * (size_t)width + (size_t)k]);
            high[k] = fmaxf(high[k], values[(size_t)i * (size_t)width + (size_t)k]);
        }
    }
    json_object_set_new(accessor, "min", sn_gltf_floats(low, width));
    json_object_set_new(accessor, "max", sn_gltf_floats(high, width));
}

static void put_values(sn_gltf_writer *w, const float *values, int count)
{
    for (int k = 0; k < count; ++k) {
        uint32_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        sn_gltf_put_u32(w, bits);
    }
}

static bool is_moved(const float *offset)
{
    return offset[0] != 0 || offset[1] != 0 || offset[2] != 0;
}

json_int_t sn_gltf_put_floats(sn_gltf_writer *w, const float *values, int count, int width, int stride, int target)
{
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    const json_int_t view = sn_gltf_open_view(w, target);
    for (int i = 0; i < count; ++i) {
        put_values(w, values + (size_t)i * (size_t)stride, width);
    }
    sn_gltf_close_view(w, view);
    return sn_gltf_append(w, "accessors", new_accessor(view, SN_GLTF_F32, width == 16 ? "MAT4" : types[width], count));
}

void sn_gltf_set_last_bounds(sn_gltf_writer *w, const float *values, int count, int width)
{
    json_t *list = json_object_get(w->root, "accessors");
    set_bounds(json_array_get(list, json_array_size(list) - 1), values, count, width);
}

json_int_t sn_gltf_put_integers(sn_gltf_writer *w, const int32_t *values, int count, int width, int stride,
                                int component)
{
    const size_t bytes = component == SN_GLTF_U8 ? 1 : component == SN_GLTF_U16 ? 2 : 4;
    const json_int_t view = sn_gltf_open_view(w, width == 1 ? SN_GLTF_TARGET_INDICES : SN_GLTF_TARGET_VERTICES);
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < width; ++k) {
            const uint32_t value = (uint32_t)values[(size_t)i * (size_t)stride + (size_t)k];
            const uint8_t little[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                                       (uint8_t)(value >> 24)};
            sn_gltf_put_bytes(w, little, bytes);
        }
    }
    sn_gltf_close_view(w, view);
    return sn_gltf_append(w, "accessors", new_accessor(view, component, width == 1 ? "SCALAR" : "VEC4", count));
}

/* Stores the indices and offsets of nonzero vertices in views of their own. */
static json_t *put_sparse(sn_gltf_writer *w, const float *values, int count, int sparse_count)
{
    const json_int_t indices = sn_gltf_open_view(w, SN_GLTF_TARGET_NONE);
    for (int i = 0; i < count; ++i) {
        if (is_moved(values + 3 * (size_t)i)) {
            sn_gltf_put_u32(w, (uint64_t)i);
        }
    }
    sn_gltf_close_view(w, indices);
    const json_int_t offsets = sn_gltf_open_view(w, SN_GLTF_TARGET_NONE);
    for (int i = 0; i < count; ++i) {
        if (is_moved(values + 3 * (size_t)i)) {
            put_values(w, values + 3 * (size_t)i, 3);
        }
    }
    sn_gltf_close_view(w, offsets);
    return json_pack("{s:i,s:{s:I,s:i},s:{s:I}}", "count", sparse_count, "indices", "bufferView", indices,
                     "componentType", SN_GLTF_U32, "values", "bufferView", offsets);
}

json_int_t sn_gltf_put_offsets(sn_gltf_writer *w, const float *values, int count)
{
    int moved = 0;
    for (int i = 0; i < count; ++i) {
        moved += is_moved(values + 3 * (size_t)i);
    }
    json_int_t index;
    if (moved > count / 2) {
        index = sn_gltf_put_floats(w, values, count, 3, 3, SN_GLTF_TARGET_VERTICES);
    } else { /* without a view, an accessor is zero */
        json_t *accessor = json_pack("{s:i,s:i,s:s}", "componentType", SN_GLTF_F32, "count", count, "type", "VEC3");
        if (moved > 0) {
            json_object_set_new(accessor, "sparse", put_sparse(w, values, count, moved));
        }
        index = sn_gltf_append(w, "accessors", accessor);
    }
    sn_gltf_set_last_bounds(w, values, count, 3);
    return index;
}

void sn_gltf_use_extension(sn_gltf_writer *w, const char *name)
{
    for (size_t i = 0; i < json_array_size(w->extensions); ++i) {
        if (strcmp(json_string_value(json_array_get(w->extensions, i)), name) == 0) {
            return;
        }
    }
    json_array_append_new(w->extensions, json_string(name));
}
