/* SPDX-License-Identifier: MIT */
/* Private to the glTF reader: state shared by its files while a document is read. */
#ifndef SN_AUTHOR_IO_GLTF_GLTF_READER_H
#define SN_AUTHOR_IO_GLTF_GLTF_READER_H

#include "author/io/gltf/gltf_json.h"
#include "author/io/image/png.h"
#include "author/io/scene_file.h"

/* Memory limit without images: this factor of the bytes read, plus the slack. It is needed since a short file can refer
 * to the same bytes many times. */
#define SN_GLTF_FACTOR 64
#define SN_GLTF_SLACK ((size_t)64 << 20)
/* Limit for all images together: RGBA pixels and encoded bytes. */
#define SN_GLTF_PICTURE_BYTES ((size_t)1 << 30)

/* Warnings that are logged once per document. */
enum {
    SN_GLTF_WARNED_ROTATION = 1 << 0,
    SN_GLTF_WARNED_MODE = 1 << 1,
    SN_GLTF_WARNED_UV_SET = 1 << 2,
    SN_GLTF_WARNED_PICTURE = 1 << 3,
    SN_GLTF_WARNED_BONE = 1 << 4,
    SN_GLTF_WARNED_LENGTH = 1 << 5,
    SN_GLTF_WARNED_EXPRESSION = 1 << 6,
    SN_GLTF_WARNED_INSTANCES = 1 << 7,
    SN_GLTF_WARNED_POINTER = 1 << 8,
    SN_GLTF_WARNED_COLLIDER = 1 << 9,
    SN_GLTF_WARNED_SPRING = 1 << 10,
    SN_GLTF_WARNED_POSITIONS = 1 << 11,
    SN_GLTF_WARNED_STRIDE = 1 << 12,
    SN_GLTF_WARNED_ATTRIBUTE = 1 << 13,
    SN_GLTF_WARNED_WEIGHT = 1 << 14,
    SN_GLTF_WARNED_CHANNEL = 1 << 15,
    SN_GLTF_WARNED_KEY = 1 << 16,
    SN_GLTF_WARNED_CONSTRAINT = 1 << 17,
    SN_GLTF_WARNED_TRANSMISSION = 1 << 18,
    SN_GLTF_WARNED_COAT = 1 << 19,
    SN_GLTF_WARNED_SHEEN = 1 << 20,
};

typedef enum sn_gltf_type {
    SN_GLTF_SCALAR,
    SN_GLTF_VEC2,
    SN_GLTF_VEC3,
    SN_GLTF_VEC4,
    SN_GLTF_MAT2,
    SN_GLTF_MAT3,
    SN_GLTF_MAT4,
    SN_GLTF_TYPE_COUNT
} sn_gltf_type;

/* Values of componentType in the file. */
typedef enum sn_gltf_component {
    SN_GLTF_I8 = 5120,
    SN_GLTF_U8 = 5121,
    SN_GLTF_I16 = 5122,
    SN_GLTF_U16 = 5123,
    SN_GLTF_U32 = 5125,
    SN_GLTF_F32 = 5126
} sn_gltf_component;

/* A buffer or a buffer view; does not own its bytes. */
typedef struct sn_gltf_bytes {
    const uint8_t *bytes;
    size_t size;
    size_t stride; /* 0: tightly packed */
} sn_gltf_bytes;

/* Elements of a view; all are within its bounds. */
typedef struct sn_gltf_elements {
    const uint8_t *bytes; /* null: zeros */
    size_t stride;
} sn_gltf_elements;

typedef struct sn_gltf_accessor {
    sn_gltf_type type;
    sn_gltf_component component;
    bool is_normalized;
    int count, sparse_count;
    sn_gltf_elements elements;
    sn_gltf_component sparse_component;
    sn_gltf_elements sparse_indices, sparse_values; /* validated when they are decoded */
} sn_gltf_accessor;

typedef struct sn_gltf_file sn_gltf_file; /* a loaded external file */

/* An image that a drawn material uses. */
typedef struct sn_gltf_picture_source {
    bool is_needed, is_attempted; /* is_attempted: to decode it */
    sn_gltf_bytes bytes;          /* of the encoded image; null: not available */
    int type;                     /* of image_type in gltf_texture.c */
    size_t width, height;
    int halvings;        /* so that all pictures together fit */
    const uint8_t *kept; /* copy of the bytes for the scene, or null */
} sn_gltf_picture_source;

typedef struct sn_gltf {
    const sn_source *source;
    sn_arena *arena;  /* for data of the scene */
    sn_arena scratch; /* freed when the document has been read */
    sn_scene_file *scene;
    sn_json_reader reader;
    sn_json root;
    size_t input_bytes;   /* size of the source and external buffers */
    size_t decoded_bytes; /* limited by SN_GLTF_FACTOR */
    size_t file_bytes;    /* size of external files */
    sn_gltf_file *files;
    sn_gltf_bytes bin; /* binary chunk of a .glb */
    int buffer_count, view_count, accessor_count;
    sn_gltf_bytes *buffers, *views;
    sn_gltf_accessor *accessors;
    int gltf_texture_count;
    int32_t *textures;  /* (gltf_texture_count) texture of the scene; -1: ignored, -2: not read yet */
    size_t kept_bytes;  /* of encoded pictures, at most the input's */
    sn_image *pictures; /* (image count), without pixels until read, or if unreadable */
    sn_gltf_picture_source *picture_sources; /* (image count) */
    int image_count;
    bool has_textures;        /* the material at hand is drawn; the textures of others are not read */
    bool is_planning;         /* textures are only marked as needed; they are read when all are known */
    int32_t *mesh_max_joints; /* (mesh_count) largest joint index with a weight, or -1 */
    int32_t *mesh_primitives; /* (mesh_count) index of the primitive with that joint */
} sn_gltf;

static inline bool sn_gltf_ok(const sn_gltf *g)
{
    return g->reader.result == SN_OK;
}

/* In gltf_reader.c: zeroed memory; null, with a failure at `at`, if memory or the document's limit is exhausted. */
void *sn_gltf_alloc(sn_gltf *g, sn_arena *arena, const sn_json *at, size_t count, size_t element_size);
#define SN_GLTF_NEW(g, arena, at, type, count)                                                                         \
    ((type *)sn_gltf_alloc((g), (arena), (at), (size_t)(count), sizeof(type)))
/* A copy of member "name" for the scene; empty if absent, null on failure. */
const char *sn_gltf_name(sn_gltf *g, const sn_json *object);
/* The same for any string of the document. */
const char *sn_gltf_copy_text(sn_gltf *g, const sn_json *at, const char *text);

/* In gltf_reader.c: between begin and end, which must not allocate, failures become a warning with the given outcome,
 * once per document and bit `warned`. end returns false if there was a failure. */
typedef struct sn_gltf_attempt {
    sn_captured_log captured, *outer_log;
} sn_gltf_attempt;
void sn_gltf_begin_attempt(sn_gltf_attempt *attempt);
bool sn_gltf_end_attempt(sn_gltf *g, const sn_gltf_attempt *attempt, uint32_t warned, const char *outcome);

/* In gltf_extensions.c: fails if a required extension may affect vertices or motion. */
void sn_gltf_check_extensions(sn_gltf *g);
/* The name of an unsupported image extension that the texture has and the document requires, or null. */
const char *sn_gltf_required_picture(const sn_gltf *g, const sn_json *texture);

/* In gltf_uri.c: the bytes of a data: URI or of an external file. */
bool sn_gltf_read_uri(sn_gltf *g, const sn_json *at, const char *uri, sn_gltf_bytes *bytes);
/* Whether the URI of an image refers to a file that is missing or not allowed, with a warning; false also on failure.
 */
bool sn_gltf_is_picture_missing(sn_gltf *g, const sn_json *at, const char *uri);

/* In gltf_buffer.c, with all bounds checked. */
void sn_gltf_read_buffers(sn_gltf *g);
/* Reads members "buffer", "byteOffset" and "byteLength"; empty on failure. */
sn_gltf_bytes sn_gltf_read_range(sn_gltf *g, const sn_json *at);

/* The extension of compressed views; a fallback buffer has no data of its own. */
#define SN_GLTF_MESHOPT "EXT_meshopt_compression"

/* In gltf_meshopt.c: whether a buffer view is compressed. */
bool sn_gltf_is_compressed(const sn_json *view);
/* Decodes a compressed view of `size` bytes; empty on failure. */
void sn_gltf_decode_view(sn_gltf *g, const sn_json *view, size_t size, sn_gltf_bytes *bytes);

/* In gltf_accessor.c: reads views and accessors, with all bounds checked. */
void sn_gltf_read_accessors(sn_gltf *g);

/* The original elements of an accessor that is redirected to decoded values. */
typedef struct sn_gltf_saved_elements {
    int32_t accessor;
    sn_gltf_elements elements;
} sn_gltf_saved_elements;

/* A decoded primitive; zeroed: none. */
typedef struct sn_gltf_draco {
    int triangle_count;
    uint32_t vertex_count;
    int32_t *triangles; /* (triangle_count x 3), for the scene, each below vertex_count */
    int count;
    sn_gltf_saved_elements *saved; /* (count) */
} sn_gltf_draco;

/* In gltf_draco.c: whether the primitive has only Draco data. */
bool sn_gltf_is_draco(const sn_gltf *g, const sn_json *primitive);
/* Between begin and end, the primitive's accessors have the decoded values. Call end also on failure. */
void sn_gltf_begin_draco(sn_gltf *g, const sn_json *primitive, sn_gltf_draco *draco);
void sn_gltf_end_draco(sn_gltf *g, const sn_gltf_draco *draco);

typedef enum sn_gltf_integers {
    SN_GLTF_FLOATS_ONLY,
    SN_GLTF_NORMALIZED,   /* or normalized 8 and 16 bits */
    SN_GLTF_ANY_INTEGERS, /* or 8 and 16 bits, normalized or not (KHR_mesh_quantization) */
    SN_GLTF_INTEGERS_ONLY /* unsigned, not normalized */
} sn_gltf_integers;

/* The accessor types that a member allows. */
typedef struct sn_gltf_format {
    unsigned types; /* bits of sn_gltf_type */
    sn_gltf_integers integers;
    const char *what; /* for messages: "VEC3 of floats" */
} sn_gltf_format;

/* The accessor of a member; null if absent or on failure. A count of -1 allows any count. */
const sn_gltf_accessor *sn_gltf_find_accessor(sn_gltf *g, const sn_json *object, const char *key,
                                              const sn_gltf_format *format, int count);
int sn_gltf_width(const sn_gltf_accessor *accessor);
/* Writes element i at out + i stride. Fails if a value is not finite. */
bool sn_gltf_decode(const sn_json *at, const sn_gltf_accessor *accessor, float *out, size_t stride);
/* Likewise for integers. Fails if a value is `limit` or more; `what` names the items in the message. */
bool sn_gltf_decode_integers(const sn_json *at, const sn_gltf_accessor *accessor, uint32_t limit, const char *what,
                             int32_t *out, size_t stride);

/* In gltf_node.c. */
void sn_gltf_read_nodes(sn_gltf *g); /* nodes and scenes */
void sn_gltf_read_skins(sn_gltf *g); /* after meshes */
/* In gltf_instances.c; call it last, since it appends nodes. */
void sn_gltf_read_instances(sn_gltf *g);
/* Composes translation, rotation and scale. */
void sn_gltf_compose(const sn_scene_node *node, double local[12]);
/* Normalizes a quaternion; fails if its length is 0. */
bool sn_gltf_normalize_rotation(const sn_json *at, double rotation[4]);

/* In gltf_mesh.c. */
void sn_gltf_read_meshes(sn_gltf *g);
/* Reads member "weights" of `count` morph targets; all 0 if absent, null on failure. */
float *sn_gltf_read_morph_weights(sn_gltf *g, const sn_json *object, int count);
/* In gltf_skin.c: reads the joints and weights of a primitive whose positions are set. */
bool sn_gltf_read_influences(sn_gltf *g, const sn_json *attributes, sn_scene_primitive *primitive);
/* In gltf_texture.c: the scene's texture for a textureInfo; -1: none. */
void sn_gltf_begin_textures(sn_gltf *g);
/* Ends planning: reduces the largest pictures until those that are needed fit into SN_GLTF_PICTURE_BYTES. */
void sn_gltf_plan_pictures(sn_gltf *g);
int32_t sn_gltf_texture(sn_gltf *g, const sn_json *info);
/* The same for a member that is the index of a texture. */
int32_t sn_gltf_texture_member(sn_gltf *g, const sn_json *object, const char *key);
/* In gltf_material.c. */
void sn_gltf_read_materials(sn_gltf *g);
/* In gltf_animation.c; after nodes and meshes. */
void sn_gltf_read_animations(sn_gltf *g);
/* In vrm.c. */
void sn_vrm_read(sn_gltf *g);
/* In vrm_expression.c: `vrm` is the extension VRMC_vrm, or VRM where is_old. */
void sn_vrm_read_expressions(sn_gltf *g, const sn_json *vrm, bool is_old);
/* `animation` is the extension VRMC_vrm_animation. */
void sn_vrm_read_expression_tracks(sn_gltf *g, const sn_json *animation);
/* In vrm_spring.c; after the humanoid bones. */
void sn_vrm_read_springs(sn_gltf *g);
/* In vrm_constraint.c; after the nodes. */
void sn_vrm_read_constraints(sn_gltf *g);
/* Whether a material of VRM 0.x is toon or unlit. */
bool sn_vrm_is_unlit(const sn_gltf *g, size_t material);
/* In vrm_meta.c: stores meta and lookAt of VRM 1.0, or of 0.x as those of 1.0. */
void sn_vrm_read_meta(sn_gltf *g, const sn_json *vrm, bool is_old);
/* In vrm_toon.c: reads MToon 1.0 from a material's extensions, or MToon 0.x from the properties of VRM 0.x. */
void sn_vrm_read_toon(sn_gltf *g, const sn_json *extensions, size_t index, sn_scene_material *material);

#endif
