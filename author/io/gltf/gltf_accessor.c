/* SPDX-License-Identifier: MIT */
/* Buffer views and accessors. Bounds are checked when an accessor is read, values when it is decoded. */
#include "author/io/gltf/gltf_reader.h"
#include "author/io/text.h"

#include <math.h>
#include <string.h>

#define MAX_WIDTH 16
#define MIN_STRIDE 4
#define MAX_STRIDE 252

static const struct {
    const char *name;
    size_t columns, rows;
} types[SN_GLTF_TYPE_COUNT] = {{"SCALAR", 1, 1}, {"VEC2", 1, 2}, {"VEC3", 1, 3}, {"VEC4", 1, 4},
                               {"MAT2", 2, 2},   {"MAT3", 3, 3}, {"MAT4", 4, 4}};

static size_t component_bytes(sn_gltf_component component)
{
    return component == SN_GLTF_I8 || component == SN_GLTF_U8     ? 1
           : component == SN_GLTF_I16 || component == SN_GLTF_U16 ? 2
                                                                  : 4;
}

/* Matrix columns are aligned to 4 bytes. */
static size_t element_bytes(sn_gltf_type type, sn_gltf_component component)
{
    const size_t column = types[type].rows * component_bytes(component);
    return types[type].columns == 1 ? column : types[type].columns * ((column + 3) / 4 * 4);
}

int sn_gltf_width(const sn_gltf_accessor *accessor)
{
    return (int)(types[accessor->type].columns * types[accessor->type].rows);
}

static void read_view(sn_gltf *g, const sn_json *at, sn_gltf_bytes *view)
{
    if (sn_gltf_is_compressed(at)) {
        const int64_t size = sn_json_integer(at, "byteLength", 0, 1, INT64_MAX);
        if (sn_json_require(at, "byteLength") && sn_gltf_ok(g)) {
            sn_gltf_decode_view(g, at, (size_t)size, view);
        }
    } else {
        *view = sn_gltf_read_range(g, at);
    }
    const sn_json stride = sn_json_get(at, "byteStride");
    if (json_is_integer(stride.value) && json_integer_value(stride.value) == 0) {
        sn_json_warn(&stride, SN_GLTF_WARNED_STRIDE, "is 0; the elements are read without gaps");
        return;
    }
    view->stride = (size_t)sn_json_integer(at, "byteStride", 0, MIN_STRIDE, MAX_STRIDE);
}

static void read_views(sn_gltf *g)
{
    const sn_json list = sn_json_get(&g->root, "bufferViews");
    g->view_count = sn_json_count(&list);
    g->views = SN_GLTF_NEW(g, &g->scratch, &list, sn_gltf_bytes, g->view_count);
    for (int i = 0; i < g->view_count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        read_view(g, &at, &g->views[i]);
    }
}

/* `count` elements of `size` bytes in the object's buffer view; empty if it has none. */
static sn_gltf_elements read_elements(sn_gltf *g, const sn_json *at, size_t count, size_t size)
{
    const int32_t index = sn_json_index(at, "bufferView", g->view_count);
    const size_t offset = (size_t)sn_json_integer(at, "byteOffset", 0, 0, INT64_MAX);
    if (!sn_gltf_ok(g) || index < 0) {
        return (sn_gltf_elements){0};
    }
    const sn_gltf_bytes view = g->views[index];
    const size_t stride = view.stride > 0 ? view.stride : size;
    size_t end = 0;
    const bool is_overflow = __builtin_mul_overflow(stride, count - 1, &end) ||
                             __builtin_add_overflow(end, size, &end) || __builtin_add_overflow(end, offset, &end);
    if (stride < size) {
        sn_json_fail(at, SN_ERROR_FORMAT, "elements of %zu bytes have a stride of only %zu bytes in bufferView %d",
                     size, stride, index);
        return (sn_gltf_elements){0};
    }
    if (is_overflow || end > view.size) {
        sn_json_fail(at, SN_ERROR_FORMAT,
                     "%zu elements of %zu bytes at byte offset %zu exceed bufferView %d of %zu bytes", count, size,
                     offset, index, view.size);
        return (sn_gltf_elements){0};
    }
    return (sn_gltf_elements){.bytes = view.bytes + offset, .stride = stride};
}

static sn_gltf_component read_component(const sn_json *at)
{
    const int64_t value = sn_json_require(at, "componentType")
                              ? sn_json_integer(at, "componentType", SN_GLTF_F32, SN_GLTF_I8, SN_GLTF_F32)
                              : SN_GLTF_F32;
    if (value == 5124) {
        sn_json_fail(at, SN_ERROR_FORMAT, "componentType 5124 does not exist");
        return SN_GLTF_F32;
    }
    return (sn_gltf_component)value;
}

static sn_gltf_type read_type(const sn_json *at)
{
    const char *name = sn_json_require(at, "type") ? sn_json_text(at, "type", "") : "";
    for (int type = 0; type < SN_GLTF_TYPE_COUNT; ++type) {
        if (strcmp(name, types[type].name) == 0) {
            return (sn_gltf_type)type;
        }
    }
    sn_json_fail(at, SN_ERROR_FORMAT, "the type must be SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3 or MAT4");
    return SN_GLTF_SCALAR;
}

static void read_sparse(sn_gltf *g, const sn_json *accessor, sn_gltf_accessor *a)
{
    const sn_json sparse = sn_json_get(accessor, "sparse");
    const sn_json indices = sn_json_get(&sparse, "indices"), values = sn_json_get(&sparse, "values");
    if (!sparse.value || !sn_json_require(&sparse, "count") || !sn_json_require(&indices, "bufferView") ||
        !sn_json_require(&values, "bufferView")) {
        return;
    }
    a->sparse_count = (int)sn_json_integer(&sparse, "count", 0, 1, a->count);
    a->sparse_component = read_component(&indices);
    if (sn_gltf_ok(g) && a->sparse_component != SN_GLTF_U8 && a->sparse_component != SN_GLTF_U16 &&
        a->sparse_component != SN_GLTF_U32) {
        sn_json_fail(&indices, SN_ERROR_FORMAT, "the indices must be unsigned integers");
    }
    if (sn_gltf_ok(g)) {
        const size_t count = (size_t)a->sparse_count;
        a->sparse_indices = read_elements(g, &indices, count, component_bytes(a->sparse_component));
        a->sparse_values = read_elements(g, &values, count, element_bytes(a->type, a->component));
    }
}

static void read_accessor(sn_gltf *g, const sn_json *at, sn_gltf_accessor *a)
{
    if (!sn_json_require(at, "count")) {
        return;
    }
    a->count = (int)sn_json_integer(at, "count", 0, 1, INT32_MAX);
    a->type = read_type(at);
    a->component = read_component(at);
    a->is_normalized = sn_json_flag(at, "normalized", false);
    if (a->is_normalized && component_bytes(a->component) == 4) {
        sn_json_fail(at, SN_ERROR_FORMAT, "32-bit values cannot be normalized");
    }
    if (sn_gltf_ok(g)) {
        a->elements = read_elements(g, at, (size_t)a->count, element_bytes(a->type, a->component));
        read_sparse(g, at, a);
    }
}

void sn_gltf_read_accessors(sn_gltf *g)
{
    sn_gltf_read_buffers(g);
    if (sn_gltf_ok(g)) {
        read_views(g);
    }
    if (!sn_gltf_ok(g)) {
        return;
    }
    const sn_json list = sn_json_get(&g->root, "accessors");
    g->accessor_count = sn_json_count(&list);
    g->accessors = SN_GLTF_NEW(g, &g->scratch, &list, sn_gltf_accessor, g->accessor_count);
    for (int i = 0; i < g->accessor_count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        read_accessor(g, &at, &g->accessors[i]);
    }
}

static bool accepts(const sn_gltf_format *format, const sn_gltf_accessor *a)
{
    const bool is_float = a->component == SN_GLTF_F32;
    const bool is_unsigned = a->component == SN_GLTF_U8 || a->component == SN_GLTF_U16 || a->component == SN_GLTF_U32;
    if (!(format->types >> a->type & 1)) {
        return false;
    }
    switch (format->integers) {
    case SN_GLTF_FLOATS_ONLY:
        return is_float;
    case SN_GLTF_NORMALIZED:
        return is_float || a->is_normalized;
    case SN_GLTF_ANY_INTEGERS:
        return a->component != SN_GLTF_U32;
    case SN_GLTF_INTEGERS_ONLY:
        return is_unsigned && !a->is_normalized;
    }
    return false;
}

const sn_gltf_accessor *sn_gltf_find_accessor(sn_gltf *g, const sn_json *object, const char *key,
                                              const sn_gltf_format *format, int count)
{
    const int32_t index = sn_json_index(object, key, g->accessor_count);
    if (!sn_gltf_ok(g) || index < 0) {
        return NULL;
    }
    const sn_json at = sn_json_get(object, key);
    const sn_gltf_accessor *a = &g->accessors[index];
    if (!accepts(format, a)) {
        sn_json_fail(&at, SN_ERROR_FORMAT, "accessor %d has %s of type %d%s instead of %s", index, types[a->type].name,
                     (int)a->component, a->is_normalized ? ", normalized," : "", format->what);
        return NULL;
    }
    if (count >= 0 && a->count != count) {
        sn_json_fail(&at, SN_ERROR_FORMAT, "accessor %d has %d elements instead of %d", index, a->count, count);
        return NULL;
    }
    return a;
}

static uint32_t load_unsigned(sn_gltf_component component, const uint8_t *bytes)
{
    return component == SN_GLTF_U8    ? bytes[0]
           : component == SN_GLTF_U16 ? (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8
                                      : sn_load_u32(bytes);
}

static float load_float(const sn_gltf_accessor *a, const uint8_t *bytes)
{
    const bool is_normalized = a->is_normalized;
    float value = 0;
    if (a->component == SN_GLTF_F32) {
        const uint32_t bits = sn_load_u32(bytes);
        memcpy(&value, &bits, sizeof value);
    } else if (a->component == SN_GLTF_I8) {
        value = (float)(int8_t)bytes[0];
        value = is_normalized ? fmaxf(value / 127, -1) : value;
    } else if (a->component == SN_GLTF_I16) {
        value = (float)(int16_t)load_unsigned(SN_GLTF_U16, bytes);
        value = is_normalized ? fmaxf(value / 32767, -1) : value;
    } else {
        const float max_value = a->component == SN_GLTF_U8 ? 255 : 65535;
        value = (float)load_unsigned(a->component, bytes);
        value = is_normalized ? value / max_value : value;
    }
    return value;
}

/* The destination of decoded elements. */
typedef struct decode_target {
    const sn_json *at;
    const sn_gltf_accessor *accessor;
    float *floats; /* or integers */
    int32_t *integers;
    size_t stride;
    uint32_t limit;
    const char *what;
} decode_target;

static bool store_floats(const decode_target *s, size_t i, const uint8_t *bytes)
{
    const sn_gltf_accessor *a = s->accessor;
    const size_t width = (size_t)sn_gltf_width(a), size = component_bytes(a->component);
    for (size_t k = 0; k < width; ++k) {
        const float value = load_float(a, bytes + k * size);
        s->floats[i * s->stride + k] = value;
        if (!isfinite(value)) {
            sn_json_fail(s->at, SN_ERROR_FORMAT, "element %zu is not finite", i);
            return false;
        }
    }
    return true;
}

static bool store_integers(const decode_target *s, size_t i, const uint8_t *bytes)
{
    const sn_gltf_accessor *a = s->accessor;
    const size_t width = (size_t)sn_gltf_width(a), size = component_bytes(a->component);
    for (size_t k = 0; k < width; ++k) {
        const uint32_t value = load_unsigned(a->component, bytes + k * size);
        if (value >= s->limit) {
            sn_json_fail(s->at, SN_ERROR_FORMAT, "element %zu is %u, but there are only %u %s", i, value, s->limit,
                         s->what);
            return false;
        }
        s->integers[i * s->stride + k] = (int32_t)value;
    }
    return true;
}

/* Decodes the dense elements, or zeros, then overwrites them with the sparse ones. Returns false if one is malformed.
 */
static bool decode(const decode_target *s, bool (*put)(const decode_target *s, size_t i, const uint8_t *bytes))
{
    static const uint8_t zeros[4 * MAX_WIDTH];
    const sn_gltf_accessor *a = s->accessor;
    for (size_t i = 0; i < (size_t)a->count; ++i) {
        if (!put(s, i, a->elements.bytes ? a->elements.bytes + i * a->elements.stride : zeros)) {
            return false;
        }
    }
    int64_t last = -1;
    for (size_t k = 0; k < (size_t)a->sparse_count; ++k) {
        const uint32_t i = load_unsigned(a->sparse_component, a->sparse_indices.bytes + k * a->sparse_indices.stride);
        if (i <= last || i >= (uint32_t)a->count) {
            sn_json_fail(s->at, SN_ERROR_FORMAT, "sparse index %zu is %u; it must be above %lld and below %d", k, i,
                         (long long)last, a->count);
            return false;
        }
        last = i;
        if (!put(s, i, a->sparse_values.bytes + k * a->sparse_values.stride)) {
            return false;
        }
    }
    return true;
}

bool sn_gltf_decode(const sn_json *at, const sn_gltf_accessor *accessor, float *out, size_t stride)
{
    const decode_target s = {.at = at, .accessor = accessor, .floats = out, .stride = stride};
    SN_ASSERT(types[accessor->type].columns == 1 || accessor->component == SN_GLTF_F32); /* no column padding */
    return decode(&s, store_floats);
}

bool sn_gltf_decode_integers(const sn_json *at, const sn_gltf_accessor *accessor, uint32_t limit, const char *what,
                             int32_t *out, size_t stride)
{
    const decode_target s = {
        .at = at, .accessor = accessor, .integers = out, .stride = stride, .limit = limit, .what = what};
    SN_ASSERT(limit <= (uint32_t)INT32_MAX + 1 && accessor->component != SN_GLTF_F32);
    return decode(&s, store_integers);
}
