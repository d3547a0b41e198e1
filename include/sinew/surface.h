/* SPDX-License-Identifier: MIT */
/* The drawn surface of a model: vertices with the weights of bones and modes, morph targets, materials and textures. To
 * draw it in your renderer, upload it once per model, and the result of sn_body_output (or sn_body_gpu_output) once per
 * body and frame.
 *
 * Positions. For a vertex with rest position X, and a body with morph weights a, bones P and modes T:
 *     X' = X + sum_m a_m offset_m
 *     x  = (sum_b g_b P_b + sum_j w_j T_j) X'
 * This is linear blend skinning. Modes are additional matrices with weights of their own in the same sum (Benchekroun
 * et al. 2023, section 4: the projection in the vertex shader).
 *
 * Normals. Most renderers use the inverse transpose of the blended linear part B = sum g A + sum w L. This ignores that
 * weights vary over the surface, which contributes much of the rotation of the flesh's normals. The exact normal, for
 * the tangent t, the bitangent b = t.w n x t, the derivatives dg/dt below and the model's diagonal D, is t.w (J t x J
 * b), normalised, with
 *     J t = B (t + sum a_m doffset_m/dt) + (sum_b dg_b/dt (P_b X' - q) + sum_j dw_j/dt T_j X') / D,   q = sum_b g_b P_b
 *     X'
 * and J b likewise. tests/skin compares it with finite differences; shaders/skin/skin.glsl is the GLSL of `sinew play`.
 */
#ifndef SINEW_SURFACE_H
#define SINEW_SURFACE_H

#include "sinew/model.h"
#include "sinew/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A bone's weight at a vertex. derivatives: d weight / d tangent and d weight / d bitangent, per unit of the model's
 * diagonal, as IEEE half floats. They can be nonzero where the weight is 0. */
typedef struct sn_influence {
    int32_t bone;
    float weight;
    uint16_t derivatives[2];
} sn_influence;

/* A mode's weight at a vertex, which may be negative; derivatives as above. */
typedef struct sn_mode_weight {
    float weight;
    uint16_t derivatives[2];
} sn_mode_weight;

/* The offset of a morph target at a vertex, at weight 1. derivatives: of the offset along tangent and bitangent, one
 * pair per coordinate, as half floats. */
typedef struct sn_morph_delta {
    int32_t morph;
    float offset[3];
    uint16_t derivatives[3][2];
} sn_morph_delta;

typedef enum sn_alpha_mode { SN_ALPHA_OPAQUE, SN_ALPHA_MASK, SN_ALPHA_BLEND, SN_ALPHA_MODE_COUNT } sn_alpha_mode;

typedef enum sn_texture_use {
    SN_TEXTURE_BASE_COLOR,         /* sRGB */
    SN_TEXTURE_METALLIC_ROUGHNESS, /* roughness in green, metallic in blue */
    SN_TEXTURE_NORMAL,
    SN_TEXTURE_OCCLUSION, /* in red */
    SN_TEXTURE_EMISSIVE,  /* sRGB */
    SN_TEXTURE_USE_COUNT
} sn_texture_use;

/* Metallic-roughness material with glTF's meanings; colours are linear. */
typedef struct sn_material {
    float base_color[4], emissive[3];
    float metallic, roughness, normal_scale, occlusion_strength, alpha_cutoff;
    int32_t alpha_mode; /* of sn_alpha_mode */
    int32_t is_double_sided, is_unlit;
    int32_t textures[SN_TEXTURE_USE_COUNT]; /* index of a texture, or -1 */
    int32_t uv_sets[SN_TEXTURE_USE_COUNT];  /* 0 or 1 */
} sn_material;

typedef enum sn_toon_texture_use {
    SN_TOON_TEXTURE_SHADE,         /* sRGB */
    SN_TOON_TEXTURE_SHADING_SHIFT, /* in red */
    SN_TOON_TEXTURE_MATCAP,        /* sRGB */
    SN_TOON_TEXTURE_RIM,           /* sRGB */
    SN_TOON_TEXTURE_OUTLINE_WIDTH, /* in green */
    SN_TOON_TEXTURE_UV_ANIMATION,  /* mask, in blue */
    SN_TOON_TEXTURE_USE_COUNT
} sn_toon_texture_use;

/* Render orders of blended materials whose file gives none; the second writes depth. Those of Unity. */
#define SN_ORDER_BLEND 3000
#define SN_ORDER_BLEND_DEPTH 2501

typedef enum sn_toon_outline { SN_OUTLINE_NONE, SN_OUTLINE_WORLD, SN_OUTLINE_SCREEN, SN_OUTLINE_COUNT } sn_toon_outline;

/* VRM's toon shader MToon, with the meanings of VRMC_materials_mtoon 1.0, in addition to the base colour, the normal
 * map, emission and alpha of the material. Colours are linear. Textures use the UV set of the base colour. MToon
 * ignores vertex colours. */
typedef struct sn_toon_material {
    int32_t is_toon;                             /* 0: not a toon material; nothing else is defined */
    int32_t outline;                             /* of sn_toon_outline */
    int32_t writes_depth;                        /* although it is blended */
    int32_t render_order;                        /* blended parts with a smaller one are drawn first, at any distance */
    int32_t textures[SN_TOON_TEXTURE_USE_COUNT]; /* index of a texture, or -1 */
    float shade_color[3], shading_shift, shading_shift_scale, shading_toony;
    float matcap[3], rim_color[3], rim_fresnel_power, rim_lift, rim_lighting_mix;
    float outline_width; /* model units, or a fraction of the picture's height */
    float outline_color[3], outline_lighting_mix;
    float uv_scroll[2], uv_rotation; /* per second; radians per second */
} sn_toon_material;

/* A range of triangles that share a material. */
typedef struct sn_part {
    int32_t first_triangle, triangle_count, material;
} sn_part;

typedef enum sn_texture_wrap { SN_WRAP_REPEAT, SN_WRAP_CLAMP, SN_WRAP_MIRROR, SN_WRAP_COUNT } sn_texture_wrap;

typedef struct sn_texture {
    int32_t width, height;
    int32_t first_byte;     /* offset in texture_pixels */
    int32_t wrap_u, wrap_v; /* of sn_texture_wrap */
    int32_t is_nearest;     /* nearest-neighbour sampling */
} sn_texture;

/* The arrays belong to the model, are immutable, and live as long as it. Units are model units (sn_model_scale). */
typedef struct sn_surface {
    int vertex_count, triangle_count, mode_count, morph_count, part_count, material_count, texture_count;
    double diagonal;                 /* of the rest bounding box; the unit of length of derivatives */
    const float *positions;          /* (vertex_count x 3) rest positions: bind pose, no morph targets */
    const float *normals;            /* (vertex_count x 3) unit */
    const float *tangents;           /* (vertex_count x 4) unit; w = +-1: bitangent = w n x t */
    const float *uvs;                /* (vertex_count x 4) two sets, v down */
    const uint16_t *colors;          /* (vertex_count x 4) linear, unorm */
    const int32_t *triangles;        /* (triangle_count x 3) counter-clockwise from outside */
    const int32_t *influence_starts; /* (vertex_count + 1) */
    const sn_influence
        *influences; /* of vertex v: starts[v] to starts[v + 1], bones ascending, any number, sum of weights 1 */
    const sn_mode_weight *mode_weights; /* (vertex_count x mode_count) */
    const int32_t *morph_starts;        /* (vertex_count + 1); undefined if morph_count is 0 */
    const sn_morph_delta *morph_deltas; /* of vertex v: starts[v] to starts[v + 1] */
    const sn_part *parts;               /* (part_count) ranges that cover all triangles in order */
    const sn_material *materials;       /* (material_count) */
    const sn_toon_material *toons;      /* (material_count), or null */
    const sn_texture *textures;         /* (texture_count) */
    const uint8_t *texture_pixels;      /* RGBA8, rows from the top */
} sn_surface;

/* The model's drawn surface. */
SN_API sn_surface sn_model_surface(const sn_model *model);

/* The bounding box of the rest positions, without morph targets. Zero if there are no vertices. */
SN_API void sn_surface_bounds(const sn_surface *surface, float low[3], float high[3]);

/* The `limit` (>= 1) bones with the largest weights at a vertex, for pipelines with a fixed number: bones (limit) and
 * weights (limit), descending, rescaled to a sum of 1. Unused entries are bone 0 with weight 0. vertex must be in
 * range. */
SN_API void sn_surface_strongest_bones(const sn_surface *surface, int vertex, int limit, int32_t *bones,
                                       float *weights);

/* Skins the surface on the CPU with the output of a body of the same model, in a world without a backend: positions,
 * normals and tangents, each (vertex_count x 3); normals and tangents have unit length and may be null. Computes in
 * double on one thread, as a reference for shaders and for tools. Error: SN_ERROR_MEMORY. */
SN_API sn_result sn_surface_skin(const sn_surface *surface, const sn_body_matrices *output, float *positions,
                                 float *normals, float *tangents);

/* Converts the output of a body for a mesh in an engine's own space: matrices (bone_count + mode_count), with which x =
 * (sum_b g_b P_b + sum_j w_j T_j) X' holds for positions X' and x of the engine. to_file as in sn_model_convert_pose.
 * matrices may be the output's. Error: SN_ERROR_ARGUMENT (to_file is no similarity). */
SN_API sn_result sn_model_convert_output(const sn_model *model, const sn_mat3x4 *to_file,
                                         const sn_body_matrices *output, sn_mat3x4 *matrices);

/* A point of the surface that carries an object, such as a brooch, a lamp or a decal. */
typedef struct sn_socket {
    int triangle;         /* -1: none */
    float barycentric[3]; /* of the triangle's corners, sum 1 */
} sn_socket;

/* The point of the surface at rest, without morph targets, that is nearest to a point in model units. Visits all
 * triangles. triangle is -1 if there are none, or the point is not finite. */
SN_API sn_socket sn_surface_nearest_socket(const sn_surface *surface, const float point[3]);
/* The rigid transform from the rest pose to the pose drawn, of what is fixed to a socket (in range) of the surface: it
 * moves the socket's rest position to its skinned position, and turns with the triangle there. An object that is placed
 * on the bind pose by a matrix M is drawn by transform * M. Identity in the bind pose. Output of a body of the same
 * model in a world without a backend, or sn_body_embedded_output with the embedding's surface. A triangle of no area
 * does not turn. Allocates nothing. */
SN_API void sn_surface_socket_transform(const sn_surface *surface, const sn_body_matrices *output,
                                        const sn_socket *socket, sn_mat3x4 *transform);

/* ---- the surface's vertices in another program ---- */

/* A mesh that another program loaded from the file of which the model was cooked: as a whole or a part of it, with its
 * vertices split, joined, quantised or in another order. */
typedef struct sn_mesh_vertices {
    int count;
    const float *positions; /* (count x 3) model units, at rest as in sn_surface */
    const float *normals;   /* (count x 3) unit; or null */
    const float *uvs;       /* (count x 2) the first set, v down; or null */
} sn_mesh_vertices;

/* Finds the surface's vertex for each vertex of a mesh: vertices (count), -1 where none is within 1e-4 diagonals. Of
 * several at one position it is that with the nearest texture coordinates and normal. A renderer that has loaded the
 * file itself can then give its own vertices the weights of the modes. Error: SN_ERROR_MEMORY. */
SN_API sn_result sn_surface_find_vertices(const sn_surface *surface, const sn_mesh_vertices *mesh, int32_t *vertices);

/* ---- surfaces embedded in tets ----
 *
 * For bodies that move the tets' vertices (sn_body_set_embedding). Each vertex of the surface follows its tet, through
 * one matrix per corner of the tet:
 *     M_i = [F_i / 2 | x_i - F_i X_i / 2],   x = sum_i b_i M_i X'',   X'' = 2 X' - sum_i b_i X_i,
 * where F_i is the deformation gradient at corner i (the mean of the tets around it), x_i the corner's position, X_i
 * its rest position, b_i the barycentric coordinates, X' as above, and X'' the position stored in sn_embedding_surface.
 * This is Phong deformation (D. James 2020, "Phong Deformation: A Better C0 Interpolant for Embedded Deformation"): it
 * bends smoothly over tets that are coarser than the surface, with continuous normals. Vertices outside of all tets
 * (eyes, glasses, swords) follow their bones. The result is drawn by the same shader: the influences refer to the bones
 * first, then to the tets' vertices, and there are no modes. */

/* Embeds a model's surface in its tets; takes a few milliseconds once per model. Immutable, and shared by bodies,
 * worlds and threads. The model must outlive it. Errors: SN_ERROR_FORMAT (the model is damaged), SN_ERROR_MEMORY. */
SN_API sn_result sn_embedding_create(const sn_model *model, sn_embedding **embedding);
/* Call it after the bodies that use the embedding are destroyed. Accepts null. */
SN_API void sn_embedding_destroy(sn_embedding **embedding);
/* The surface to draw instead of sn_model_surface, with the matrices of sn_body_embedded_output. Its positions and
 * morph target offsets differ from the model's: for vertices in tets, X'' as above, and offsets twice as long. At most
 * four matrices move such a vertex. Its arrays live as long as the embedding and the model. */
SN_API sn_surface sn_embedding_surface(const sn_embedding *embedding);
/* Number of matrices of tet vertices, which follow those of the model's bones. */
SN_API int sn_embedding_matrix_count(const sn_embedding *embedding);

#ifdef __cplusplus
}
#endif
#endif
