/* SPDX-License-Identifier: MIT */
/* What is drawn of a model: its surface with the weights of bones and modes, morph targets, materials and pictures. To
 * draw it in a renderer of yours, upload this once per model, and what sn_body_output (or sn_body_gpu_output) gives of
 * each body in each frame.
 *
 * Positions. Of a vertex at X at rest, with a the body's morph weights, P its bones and T its modes:
 *     X' = X + sum_m a_m offset_m
 *     x  = (sum_b g_b P_b + sum_j w_j T_j) X'
 * which is linear blend skinning whose matrices are blended before one of them is applied, bones and modes alike. Modes
 * are more matrices under weights of their own, and belong into the same sum. (Benchekroun et al. 2023, section 4: the
 * projection in the vertex shader.)
 *
 * Normals. What most renderers do, the inverse transpose of the blended linear part B = sum g A + sum w L, leaves out
 * that weights vary over the surface, which is much of how flesh turns it: exact are, for the tangent t and the
 * bitangent b = t.w n x t, with dg/dt the derivatives below and D the model's diagonal,
 *     J t = B (t + sum a_m doffset_m/dt) + (sum_b dg_b/dt (P_b X' - q) + sum_j dw_j/dt T_j X') / D,   q = sum_b g_b P_b
 * X' the same with b, and the normal is t.w (J t x J b), to unit length. tests/skin has it against finite differences;
 * the GLSL of `sinew play` is shaders/skin/skin.glsl. */
#ifndef SINEW_SURFACE_H
#define SINEW_SURFACE_H

#include "sinew/model.h"
#include "sinew/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A bone's weight at a vertex. derivatives: of the weight along tangent and bitangent, for a unit of the model's
 * diagonal, as IEEE half floats; where the weight itself is 0, the bone bends the surface there all the same. */
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

/* What a morph target does to a vertex at weight 1. derivatives: of the offset along tangent and bitangent, a pair a
 * coordinate, as halves. */
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

/* Metallic-roughness, with glTF's meanings; colours are linear. */
typedef struct sn_material {
    float base_color[4], emissive[3];
    float metallic, roughness, normal_scale, occlusion_strength, alpha_cutoff;
    int32_t alpha_mode; /* of sn_alpha_mode */
    int32_t is_double_sided, is_unlit;
    int32_t textures[SN_TEXTURE_USE_COUNT]; /* or -1 */
    int32_t uv_sets[SN_TEXTURE_USE_COUNT];  /* 0 or 1 */
} sn_material;

/* Triangles of one material. */
typedef struct sn_part {
    int32_t first_triangle, triangle_count, material;
} sn_part;

typedef enum sn_texture_wrap { SN_WRAP_REPEAT, SN_WRAP_CLAMP, SN_WRAP_MIRROR, SN_WRAP_COUNT } sn_texture_wrap;

typedef struct sn_texture {
    int32_t width, height;
    int32_t first_byte;     /* in texture_pixels */
    int32_t wrap_u, wrap_v; /* of sn_texture_wrap */
    int32_t is_nearest;     /* no filter between pixels */
} sn_texture;

/* Arrays are the model's: they do not change, and live as long as it. Units are the model's (sn_model_scale). */
typedef struct sn_surface {
    int vertex_count, triangle_count, mode_count, morph_count, part_count, material_count, texture_count;
    double diagonal;                    /* of the rest bounding box: what derivatives are measured in */
    const float *positions;             /* (vertex_count x 3) at rest: the bind pose, no morph target */
    const float *normals;               /* (vertex_count x 3) unit */
    const float *tangents;              /* (vertex_count x 4) unit; w = +-1: bitangent = w n x t */
    const float *uvs;                   /* (vertex_count x 4) two sets, v down */
    const uint16_t *colors;             /* (vertex_count x 4) linear, unorm */
    const int32_t *triangles;           /* (triangle_count x 3) counter-clockwise from outside */
    const int32_t *influence_starts;    /* (vertex_count + 1) */
    const sn_influence *influences;     /* of vertex v: from starts[v] up to starts[v + 1], bones ascending, weights of
                                           sum 1, any number */
    const sn_mode_weight *mode_weights; /* (vertex_count x mode_count) */
    const int32_t *morph_starts;        /* (vertex_count + 1); of no meaning without any */
    const sn_morph_delta *morph_deltas; /* of vertex v: from starts[v] up to starts[v + 1] */
    const sn_part *parts;               /* (part_count), of all triangles, in their order */
    const sn_material *materials;       /* (material_count) */
    const sn_texture *textures;         /* (texture_count) */
    const uint8_t *texture_pixels;      /* RGBA8, rows from the top */
} sn_surface;

SN_API sn_surface sn_model_surface(const sn_model *model);

/* The box of its rest positions, without morph targets; of no vertices: zero. */
SN_API void sn_surface_bounds(const sn_surface *surface, float low[3], float high[3]);

/* A vertex's `limit` (>= 1) strongest bones, for pipelines with room for so many: bones (limit) and weights (limit),
 * descending, scaled to a sum of 1; where it has fewer, bone 0 at weight 0 follows. vertex must be in range. */
SN_API void sn_surface_strongest(const sn_surface *surface, int vertex, int limit, int32_t *bones, float *weights);

/* The surface as it is drawn with a body's output (of the same model, in a world without a backend): positions, normals
 * and tangents (vertex_count x 3), the last two of unit length, and null where they are not wanted. On one thread, in
 * double: the reference of what a shader does, and for tools and pictures. SN_ERROR_MEMORY. */
SN_API sn_result sn_surface_skin(const sn_surface *surface, const sn_body_matrices *output, float *positions,
                                 float *normals, float *tangents);

/* ---- flesh that is drawn itself ----
 *
 * A surface in its tets: where flesh is positions of the tets' vertices (sn_body_set_embedding), each vertex of the
 * surface follows the tet that it lies in, as one matrix at each of the tet's corners moves it,
 *     M_i = [F_i / 2 | x_i - F_i X_i / 2],   x = sum_i b_i M_i X'',   X'' = 2 X' - sum_i b_i X_i,
 * with F_i the deformation gradient at corner i (the mean of the tets around it), x_i where that is, X_i where it
 * rests, b_i the barycentric coordinates, X' as above and X'' the place, doubled from the tet, that
 * sn_embedding_surface has: Phong deformation (D. James 2020, "Phong Deformation: A Better C0 Interpolant for Embedded
 * Deformation"), which bends smoothly over tets that are coarser than the surface, and gives normals that do not jump
 * between them. What lies in no tet (eyes, glasses, swords) follows its bones. So flesh is drawn by what draws bones:
 * this surface's influences are of matrices that are bones first, then tets' vertices, and it has no modes. */

/* Computed once a model, in some milliseconds, and immutable: bodies, worlds and threads share it. The model must
 * outlive it. SN_ERROR_FORMAT (the model is damaged), SN_ERROR_MEMORY. */
SN_API sn_result sn_embedding_create(const sn_model *model, sn_embedding **embedding);
/* After the bodies that use it. Accepts null. */
SN_API void sn_embedding_destroy(sn_embedding **embedding);
/* In place of sn_model_surface, with the matrices of sn_body_embedded_output. Positions and the offsets of morph
 * targets are not those of the model: of what the tets carry, offsets are twice as long, for the matrices' halves. At
 * most four matrices move such a vertex. Its arrays live as long as embedding and model. */
SN_API sn_surface sn_embedding_surface(const sn_embedding *embedding);
/* Matrices of tets' vertices, those that the surface's tets have; they follow the model's bones. */
SN_API int sn_embedding_matrix_count(const sn_embedding *embedding);

#ifdef __cplusplus
}
#endif
#endif
