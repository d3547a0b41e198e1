/* SPDX-License-Identifier: MIT */
/* Private to the glTF reader: what its files share while one document is read. */
#ifndef SN_AUTHOR_IO_GLTF_GLTF_READER_H
#define SN_AUTHOR_IO_GLTF_GLTF_READER_H

#include "author/io/gltf/gltf_json.h"
#include "author/io/image/png.h"
#include "author/io/scene_file.h"

/* What may be decoded, pictures apart: this many times the bytes read, and this much besides. A short file can name the
 * same bytes many times over, so that there is no natural bound. */
#define SN_GLTF_FACTOR 64
#define SN_GLTF_SLACK ((size_t)64 << 20)
/* All pictures together: RGBA and encoded bytes. */
#define SN_GLTF_PICTURE_BYTES ((size_t)1 << 30)

/* What has been warned of, once a document. */
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

/* The file's numbers. */
typedef enum sn_gltf_component {
    SN_GLTF_I8 = 5120,
    SN_GLTF_U8 = 5121,
    SN_GLTF_I16 = 5122,
    SN_GLTF_U16 = 5123,
    SN_GLTF_U32 = 5125,
    SN_GLTF_F32 = 5126
} sn_gltf_component;

/* A buffer or a buffer view; borrowed. */
typedef struct sn_gltf_bytes {
    const uint8_t *bytes;
    size_t size;
    size_t stride; /* 0: elements are packed */
} sn_gltf_bytes;

/* Elements inside a view: every one is within its bytes. */
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
    sn_gltf_elements sparse_indices, sparse_values; /* checked while they are decoded */
} sn_gltf_accessor;

typedef struct sn_gltf_file sn_gltf_file; /* a file beside the source that has been read */

typedef struct sn_gltf {
    const sn_source *source;
    sn_arena *arena;  /* for what the scene keeps */
    sn_arena scratch; /* goes when the document is read */
    sn_scene_file *scene;
    sn_json_reader reader;
    sn_json root;
    size_t input_bytes;   /* the source and the buffers in other files */
    size_t decoded_bytes; /* counted against SN_GLTF_FACTOR */
    size_t file_bytes;    /* of files beside the source */
    size_t picture_bytes; /* counted against SN_GLTF_PICTURE_BYTES */
    sn_gltf_file *files;
    sn_gltf_bytes bin; /* the second chunk of a .glb */
    int buffer_count, view_count, accessor_count;
    sn_gltf_bytes *buffers, *views;
    sn_gltf_accessor *accessors;
    int gltf_texture_count;
    int32_t *textures;        /* (gltf_texture_count) of the scene; -1: left out, -2: not yet met */
    sn_image *pictures;       /* (image count), without pixels until they are met, and where they cannot be read */
    bool *is_tried;           /* (image count) they are met */
    int32_t *mesh_joints;     /* (mesh_count) the largest joint with a weight, or -1 */
    int32_t *mesh_primitives; /* (mesh_count) the primitive that has it, as in the file */
} sn_gltf;

static inline bool sn_gltf_ok(const sn_gltf *g)
{
    return g->reader.result == SN_OK;
}

/* gltf_reader.c: zero-filled; null when memory or what the document may use of it is out, which is a failure at `at`.
 */
void *sn_gltf_alloc(sn_gltf *g, sn_arena *arena, const sn_json *at, size_t count, size_t element_size);
#define SN_GLTF_NEW(g, arena, at, type, count)                                                                         \
    ((type *)sn_gltf_alloc((g), (arena), (at), (size_t)(count), sizeof(type)))
/* A copy of member "name" for the scene; empty when absent, null on failure. */
const char *sn_gltf_name(sn_gltf *g, const sn_json *object);
/* The same of any text of the document. */
const char *sn_gltf_copy_text(sn_gltf *g, const sn_json *at, const char *text);

/* gltf_extensions.c: fails where an extension is required that might change more than the look. */
void sn_gltf_check_extensions(sn_gltf *g);
/* The name of an extension that the document requires and this texture has, for a picture that is not read; or null. */
const char *sn_gltf_required_picture(const sn_gltf *g, const sn_json *texture);

/* gltf_uri.c: the bytes of a data: URI or of a file beside the source. */
bool sn_gltf_read_uri(sn_gltf *g, const sn_json *at, const char *uri, sn_gltf_bytes *bytes);
/* Whether the URI names a file that is not there or may not be reached, which for a picture is a warning: false on
 * failure, too. */
bool sn_gltf_lacks_picture(sn_gltf *g, const sn_json *at, const char *uri);

/* gltf_buffer.c: all bounds checked. */
void sn_gltf_read_buffers(sn_gltf *g);
/* Members "buffer", "byteOffset" and "byteLength"; empty on failure. */
sn_gltf_bytes sn_gltf_read_range(sn_gltf *g, const sn_json *at);

/* The extension by which views are coded; a buffer that is a fallback stands for what these decode to. */
#define SN_GLTF_MESHOPT "EXT_meshopt_compression"

/* gltf_meshopt.c: whether a buffer view is coded. */
bool sn_gltf_is_coded(const sn_json *view);
/* The `size` bytes of a coded view; none on failure. */
void sn_gltf_decode_view(sn_gltf *g, const sn_json *view, size_t size, sn_gltf_bytes *bytes);

/* gltf_accessor.c: views and accessors, all bounds checked. */
void sn_gltf_read_accessors(sn_gltf *g);

/* What an accessor has of its own while decoded values are laid under it. */
typedef struct sn_gltf_laid {
    int32_t accessor;
    sn_gltf_elements elements;
} sn_gltf_laid;

/* A primitive that is decoded; zeroed: none. */
typedef struct sn_gltf_draco {
    int triangle_count;
    uint32_t vertex_count;
    int32_t *triangles; /* (triangle_count x 3), for the scene; below vertex_count */
    int count;
    sn_gltf_laid *kept; /* (count) */
} sn_gltf_draco;

/* gltf_draco.c: whether the primitive is there only as Draco has coded it. */
bool sn_gltf_is_draco(const sn_gltf *g, const sn_json *primitive);
/* Between the two its accessors have the values that are decoded; end is called on failure too. */
void sn_gltf_begin_draco(sn_gltf *g, const sn_json *primitive, sn_gltf_draco *draco);
void sn_gltf_end_draco(sn_gltf *g, const sn_gltf_draco *draco);

typedef enum sn_gltf_integers {
    SN_GLTF_FLOATS_ONLY,
    SN_GLTF_NORMALIZED,   /* 8 and 16 bits, normalized */
    SN_GLTF_ANY_INTEGERS, /* 8 and 16 bits, normalized or not, as KHR_mesh_quantization has them */
    SN_GLTF_INTEGERS_ONLY /* unsigned, not normalized */
} sn_gltf_integers;

/* What may stand at a place. */
typedef struct sn_gltf_format {
    unsigned types; /* bits of sn_gltf_type */
    sn_gltf_integers integers;
    const char *what; /* "VEC3 of floats" */
} sn_gltf_format;

/* The accessor that a member names; null when absent or on failure. A count of -1: any. */
const sn_gltf_accessor *sn_gltf_find(sn_gltf *g, const sn_json *object, const char *key, const sn_gltf_format *format,
                                     int count);
int sn_gltf_width(const sn_gltf_accessor *accessor);
/* Element i goes to out + i stride. A value that is not finite is a failure. */
bool sn_gltf_decode(const sn_json *at, const sn_gltf_accessor *accessor, float *out, size_t stride);
/* As sn_gltf_decode; a value that is `limit` or more is a failure that names `what`. */
bool sn_gltf_decode_integers(const sn_json *at, const sn_gltf_accessor *accessor, uint32_t limit, const char *what,
                             int32_t *out, size_t stride);

/* gltf_node.c */
void sn_gltf_read_nodes(sn_gltf *g); /* and scenes */
void sn_gltf_read_skins(sn_gltf *g); /* behind meshes */
/* gltf_instances.c: behind all else, which names nodes by number */
void sn_gltf_read_instances(sn_gltf *g);
/* Translation, rotation and scale as one. */
void sn_gltf_compose(const sn_scene_node *node, double local[12]);
/* Makes a rotation's length 1. */
bool sn_gltf_unit(const sn_json *at, double rotation[4]);

/* gltf_mesh.c */
void sn_gltf_read_meshes(sn_gltf *g);
/* Member "weights": of `count` morph targets, all 0 when absent; null on failure. */
float *sn_gltf_read_morph_weights(sn_gltf *g, const sn_json *object, int count);
/* gltf_skin.c: the joints and weights of a primitive with positions; all or nothing. */
bool sn_gltf_read_influences(sn_gltf *g, const sn_json *attributes, sn_scene_primitive *primitive);
/* gltf_texture.c: the texture of the scene that a textureInfo names; -1: none. */
void sn_gltf_begin_textures(sn_gltf *g);
int32_t sn_gltf_texture(sn_gltf *g, const sn_json *info);
/* gltf_material.c */
void sn_gltf_read_materials(sn_gltf *g);
/* gltf_animation.c: behind nodes and meshes */
void sn_gltf_read_animations(sn_gltf *g);
/* vrm.c */
void sn_vrm_read(sn_gltf *g);
/* vrm_expression.c: `vrm` is the extension VRMC_vrm, or VRM. */
void sn_vrm_read_expressions(sn_gltf *g, const sn_json *vrm, bool is_old);
/* `animation` is the extension VRMC_vrm_animation. */
void sn_vrm_read_expression_tracks(sn_gltf *g, const sn_json *animation);
/* vrm_spring.c: behind the humanoid's bones */
void sn_vrm_read_springs(sn_gltf *g);
/* Whether VRM 0.x says that the material is toon or unlit. */
bool sn_vrm_is_unlit(const sn_gltf *g, size_t material);

#endif
