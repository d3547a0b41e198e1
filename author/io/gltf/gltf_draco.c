/* SPDX-License-Identifier: MIT */
/* KHR_draco_mesh_compression: compressed triangles and attributes of a primitive. While the primitive is read, its
 * accessors point to the decoded values. Attributes that are not compressed, and morph targets, which never are, keep
 * their own data. */
#include "author/io/gltf/draco.h"
#include "author/io/gltf/gltf_reader.h"

#include <string.h>

#define EXTENSION "KHR_draco_mesh_compression"
#define MODE_STRIP 5
/* Upper bounds of the decoder's working memory: per face 100 bytes of connectivity, and 40 for each set of seams; and
 * the attributes. */
#define WORK_BYTES ((size_t)1 << 30)
#define FACE_BYTES 128
#define SEAM_BYTES 48

static bool has_bytes(const sn_gltf *g, const sn_json *object, const char *key)
{
    const int32_t index = sn_json_index(object, key, g->accessor_count);
    return index >= 0 && g->accessors[index].elements.bytes;
}

/* Whether the file also has the uncompressed data, which are exact and preferred. */
static bool has_fallback(const sn_gltf *g, const sn_json *at)
{
    const sn_json attributes = sn_json_get(at, "attributes");
    return has_bytes(g, &attributes, "POSITION") && (!sn_json_has(at, "indices") || has_bytes(g, at, "indices"));
}

bool sn_gltf_is_draco(const sn_gltf *g, const sn_json *at)
{
    const sn_json extensions = sn_json_get(at, "extensions");
    return sn_json_has(&extensions, EXTENSION) && !has_fallback(g, at);
}

#ifdef SN_DRACO

/* State of decoding a primitive. */
typedef struct decoding {
    const sn_json *primitive, *at; /* the primitive and its extension */
    sn_gltf_bytes encoded;
    sn_draco *mesh;
    sn_gltf_draco *out;
} decoding;

/* Compares the triangle count with the indices. A strip has two more corners than triangles; its degenerate triangles
 * are not encoded. */
static void check_faces(sn_gltf *g, const decoding *d, const sn_draco_header *header)
{
    static const sn_gltf_format format = {1 << SN_GLTF_SCALAR, SN_GLTF_INTEGERS_ONLY, "SCALAR of unsigned integers"};
    const sn_gltf_accessor *indices = sn_gltf_find_accessor(g, d->primitive, "indices", &format, -1);
    const sn_json mode = sn_json_get(d->primitive, "mode");
    const bool is_strip = json_integer_value(mode.value) == MODE_STRIP;
    const uint64_t corners = 3 * (uint64_t)header->face_count;
    if (!indices || !sn_gltf_ok(g)) {
        return;
    }
    if (is_strip ? (uint64_t)header->face_count + 2 > (uint64_t)indices->count : corners != (uint64_t)indices->count) {
        sn_json_fail(d->at, SN_ERROR_FORMAT, "the data have %u triangles, which do not match the %d indices%s",
                     header->face_count, indices->count, is_strip ? " of a strip" : "");
    }
}

/* Checks the counts of the header before anything is allocated. */
static void check_header(sn_gltf *g, const decoding *d, sn_draco_header *header)
{
    char cause[SN_DRACO_CAUSE_CHARS];
    const char *failure = sn_draco_header_read(d->encoded.bytes, d->encoded.size, header, cause);
    if (failure) {
        sn_json_fail(d->at, SN_ERROR_FORMAT, "%s", failure);
        return;
    }
    if (header->face_count == 0) {
        sn_json_fail(d->at, SN_ERROR_FORMAT, "the data have no triangles");
        return;
    }
    check_faces(g, d, header);
    const uint64_t face_bytes = FACE_BYTES + SEAM_BYTES * (uint64_t)header->seam_set_count;
    if (sn_gltf_ok(g) &&
        (header->face_count > WORK_BYTES / face_bytes || header->vertex_count > WORK_BYTES / FACE_BYTES)) {
        sn_json_fail(d->at, SN_ERROR_UNSUPPORTED, "decoding %u triangles of %u vertices would take more than %zu MiB",
                     header->face_count, header->vertex_count, WORK_BYTES >> 20);
    }
}

static void copy_faces(sn_gltf *g, const decoding *d)
{
    const uint32_t points = sn_draco_point_count(d->mesh);
    const size_t count = sn_draco_face_count(d->mesh);
    uint32_t *corners = SN_GLTF_NEW(g, g->arena, d->at, uint32_t, 3 * count);
    if (!corners) {
        return;
    }
    sn_draco_copy_faces(d->mesh, corners);
    for (size_t i = 0; i < 3 * count; ++i) {
        if (corners[i] >= points) {
            sn_json_fail(d->at, SN_ERROR_FORMAT, "triangle %zu refers to vertex %u, but there are only %u", i / 3,
                         corners[i], points);
            return;
        }
    }
    d->out->triangles = (int32_t *)corners;
    d->out->triangle_count = (int)count;
    d->out->vertex_count = points;
}

static const struct {
    const char *name;
    size_t size;
    int64_t min, max;            /* range of an integer type */
    sn_gltf_component component; /* 0: not a glTF type */
} type_info[] = {[SN_DRACO_OTHER] = {"64-bit or boolean values", 0, 0, 0, 0},
                 [SN_DRACO_I8] = {"signed bytes", 1, INT8_MIN, INT8_MAX, SN_GLTF_I8},
                 [SN_DRACO_U8] = {"unsigned bytes", 1, 0, UINT8_MAX, SN_GLTF_U8},
                 [SN_DRACO_I16] = {"signed 16-bit integers", 2, INT16_MIN, INT16_MAX, SN_GLTF_I16},
                 [SN_DRACO_U16] = {"unsigned 16-bit integers", 2, 0, UINT16_MAX, SN_GLTF_U16},
                 [SN_DRACO_I32] = {"signed 32-bit integers", 4, INT32_MIN, INT32_MAX, 0},
                 [SN_DRACO_U32] = {"unsigned 32-bit integers", 4, 0, UINT32_MAX, SN_GLTF_U32},
                 [SN_DRACO_F32] = {"floats", 4, 0, 0, SN_GLTF_F32}};

static sn_draco_type type_of(sn_gltf_component component)
{
    for (int type = SN_DRACO_I8; type <= SN_DRACO_F32; ++type) {
        if (type_info[type].component == component) {
            return (sn_draco_type)type;
        }
    }
    return SN_DRACO_OTHER;
}

/* Loads a little-endian integer. */
static int64_t load_integer(sn_draco_type type, const uint8_t *bytes)
{
    uint64_t value = 0;
    for (size_t k = 0; k < type_info[type].size; ++k) {
        value |= (uint64_t)bytes[k] << (8 * k);
    }
    return (int64_t)value > type_info[type].max ? (int64_t)value - ((int64_t)1 << (8 * type_info[type].size))
                                                : (int64_t)value;
}

/* Converts integers to the accessor's type; encoders change the width of joint indices, for example. */
static bool convert(const sn_json *key, const uint8_t *from, sn_draco_type encoded, uint8_t *to,
                    sn_draco_type accessor_type, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const int64_t value = load_integer(encoded, from + i * type_info[encoded].size);
        if (value < type_info[accessor_type].min || value > type_info[accessor_type].max) {
            sn_json_fail(key, SN_ERROR_FORMAT, "the decoded value %lld does not fit the accessor's %s",
                         (long long)value, type_info[accessor_type].name);
            return false;
        }
        for (size_t k = 0; k < type_info[accessor_type].size; ++k) {
            to[i * type_info[accessor_type].size + k] = (uint8_t)((uint64_t)value >> (8 * k));
        }
    }
    return true;
}

static bool fits(const decoding *d, const sn_json *key, const sn_draco_attribute *encoded, const sn_gltf_accessor *a)
{
    const sn_draco_type accessor_type = type_of(a->component);
    const uint32_t points = sn_draco_point_count(d->mesh);
    if ((uint32_t)a->count != points) {
        sn_json_fail(key, SN_ERROR_FORMAT, "the data have %u vertices, but the accessor has %d", points, a->count);
    } else if (encoded->width != sn_gltf_width(a)) {
        sn_json_fail(key, SN_ERROR_FORMAT, "the data have %d components per vertex, but the accessor has %d",
                     encoded->width, sn_gltf_width(a));
    } else if (encoded->type == SN_DRACO_OTHER || (encoded->type == SN_DRACO_F32) != (accessor_type == SN_DRACO_F32)) {
        sn_json_fail(key, SN_ERROR_FORMAT, "the data are %s, but the accessor has %s", type_info[encoded->type].name,
                     type_info[accessor_type].name);
    } else {
        return true;
    }
    return false;
}

/* The values of the encoded attribute `id`, converted to the type of the accessor `a`; null on failure. */
static uint8_t *convert_values(sn_gltf *g, const decoding *d, const sn_json *key, uint32_t id,
                               const sn_gltf_accessor *a)
{
    sn_draco_attribute encoded;
    if (!sn_draco_find(d->mesh, id, &encoded)) {
        sn_json_fail(key, SN_ERROR_FORMAT, "the data have no attribute %u", id);
        return NULL;
    }
    if (!fits(d, key, &encoded, a)) {
        return NULL;
    }
    const sn_draco_type accessor_type = type_of(a->component);
    const size_t count = (size_t)a->count * (size_t)encoded.width;
    uint8_t *from = SN_GLTF_NEW(g, &g->scratch, key, uint8_t, count * type_info[encoded.type].size);
    uint8_t *to = encoded.type == accessor_type
                      ? from
                      : SN_GLTF_NEW(g, &g->scratch, key, uint8_t, count * type_info[accessor_type].size);
    if (!from || !to) {
        return NULL;
    }
    if (!sn_draco_copy_values(d->mesh, id, from)) {
        sn_json_fail(key, SN_ERROR_FORMAT, "the values in the data are damaged");
        return NULL;
    }
    return from == to || convert(key, from, encoded.type, to, accessor_type, count) ? to : NULL;
}

/* Redirects the accessor of one attribute to its decoded values. */
static void redirect_accessor(sn_gltf *g, const decoding *d, const sn_json *ids, const char *name)
{
    const sn_json attributes = sn_json_get(d->primitive, "attributes"), key = sn_json_get(ids, name);
    const int32_t index = sn_json_index(&attributes, name, g->accessor_count);
    const int64_t id = sn_json_integer(ids, name, 0, 0, UINT32_MAX);
    if (!sn_gltf_ok(g)) {
        return;
    }
    if (index < 0) {
        sn_json_fail(&key, SN_ERROR_FORMAT, "is not among the attributes of the primitive");
        return;
    }
    sn_gltf_accessor *a = &g->accessors[index];
    uint8_t *values = convert_values(g, d, &key, (uint32_t)id, a);
    if (values) {
        d->out->saved[d->out->count++] = (sn_gltf_saved_elements){.accessor = index, .elements = a->elements};
        a->elements = (sn_gltf_elements){.bytes = values,
                                         .stride = (size_t)sn_gltf_width(a) * type_info[type_of(a->component)].size};
    }
}

/* Decodes the attributes. POSITION is required, since the triangles refer to the encoded points. */
static void redirect_accessors(sn_gltf *g, const decoding *d)
{
    const sn_json ids = sn_json_get(d->at, "attributes");
    if (!sn_json_require(d->at, "attributes") || !sn_json_require(&ids, "POSITION")) {
        return;
    }
    const char *name = NULL;
    json_t *value = NULL;
    d->out->saved = SN_GLTF_NEW(g, &g->scratch, &ids, sn_gltf_saved_elements, json_object_size(ids.value));
    json_object_foreach((json_t *)(uintptr_t)ids.value, name, value)
    {
        if (sn_gltf_ok(g)) {
            redirect_accessor(g, d, &ids, name);
        }
    }
}

void sn_gltf_begin_draco(sn_gltf *g, const sn_json *at, sn_gltf_draco *draco)
{
    char cause[SN_DRACO_CAUSE_CHARS];
    sn_draco_header header;
    const sn_json extensions = sn_json_get(at, "extensions"), extension = sn_json_get(&extensions, EXTENSION);
    const int32_t view =
        sn_json_require(&extension, "bufferView") ? sn_json_index(&extension, "bufferView", g->view_count) : -1;
    decoding d = {.primitive = at, .at = &extension, .out = draco};
    *draco = (sn_gltf_draco){0};
    if (!sn_gltf_ok(g)) {
        return;
    }
    d.encoded = g->views[view];
    check_header(g, &d, &header);
    if (!sn_gltf_ok(g)) {
        return;
    }
    d.mesh = sn_draco_decode(d.encoded.bytes, d.encoded.size, header.is_edgebreaker, WORK_BYTES, cause);
    if (!d.mesh) {
        sn_json_fail(&extension, cause[0] ? SN_ERROR_FORMAT : SN_ERROR_MEMORY, "%s",
                     cause[0] ? cause : "out of memory");
        return;
    }
    copy_faces(g, &d);
    if (sn_gltf_ok(g)) {
        redirect_accessors(g, &d);
    }
    sn_draco_destroy(d.mesh);
}

#else

void sn_gltf_begin_draco(sn_gltf *g, const sn_json *at, sn_gltf_draco *draco)
{
    (void)g;
    const sn_json extensions = sn_json_get(at, "extensions");
    *draco = (sn_gltf_draco){0};
    sn_json_fail(&extensions, SN_ERROR_UNSUPPORTED, EXTENSION " is not supported by this build (SN_DRACO=OFF)");
}

#endif

/* In reverse order, so that an accessor used by several attributes gets its original elements back. */
void sn_gltf_end_draco(sn_gltf *g, const sn_gltf_draco *draco)
{
    for (int i = draco->count - 1; i >= 0; --i) {
        g->accessors[draco->saved[i].accessor].elements = draco->saved[i].elements;
    }
}
