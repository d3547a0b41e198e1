/* SPDX-License-Identifier: MIT */
/* The cooked character in memory, and its binary form.
 *
 * One list of counts, one of scalars and one of arrays define the struct, the layout, the checks and the writer. The
 * file consists of a header, counts (int32), scalars (double) and arrays, each aligned to 64 bytes, in the order of the
 * lists; everything is little-endian. The counts determine the layout, so that a model is the file plus pointers.
 *
 * Coordinates. The solver's basis V (vertex_count x coordinate_count) spans the same space as the skinning eigenmodes
 * Bc = [w_j x, w_j y, w_j z, w_j], but diagonalises mass and stiffness at once: V^T M V = 1, V^T L V = diag(lambda).
 * Hence the matrix of the global step, M / h^2 + s L, is diagonal for every time step and stiffness, and no
 * factorisation is needed. (The paper proposes a basis that is orthonormal in the system matrix of one chosen h.)
 * Positions = V Z + Jc P; the shader's mode transforms are T = mode_from_coordinate Z. Mode weights are scaled to a
 * maximum of 1, and their transforms to match.
 *
 * If the rig's constraint applies to coordinates instead of modes (author/modes/reduced/reduced_split.c), V spans the
 * part of Bc's span that satisfies it, and N the remainder: Bc = V coordinate_from_mode + N constrained_from_mode, N^T
 * M N = 1, N^T M V = 0.
 *
 * Levels of detail. Modes are sorted, so that the first ones span a smaller space, whose coordinates a solver derives
 * from coordinate_from_mode and constrained_from_mode (host/reduced/view.c). Each cluster of a coarser level is a union
 * of clusters of the level before. All data of a cluster are sums over its tets, so those of a union are sums over its
 * clusters.
 *
 * The surface is what is drawn: its own vertices, with the weights of the rig and of the modes, and the weights'
 * derivatives along tangent and bitangent, from which the deformed normals follow (host/skin). Morph targets move its
 * rest positions; the weights belong to the positions without them.
 *
 * The tet mesh is what is simulated. A few displacement fields d_f approximate the morph targets: the rig moves a
 * vertex to sum_b g_b (P_b x + A_b sum_f c_f d_f), with A_b the linear part of P_b and c = morph_field_weights weights.
 * A pair is a field under one of the bones that move it: three columns h_b d_f^x, h_b d_f^y, h_b d_f^z next to those of
 * Jc, whose rows of the rig's vector are c_f times columns 0 .. 2 of P_b. h_b = g_b, except for the first pair of a
 * field, which also carries the weights of all bones without a pair. */
#ifndef SN_HOST_MODEL_MODEL_H
#define SN_HOST_MODEL_MODEL_H

#include "host/base/arena.h"
#include "host/model/expression.h"
#include "host/model/humanoid_bone.h"
#include "host/skin/skin.h"
#include "sinew/model.h"
#include "sinew/surface.h"
#include "sinew/world.h"

#define SN_MODEL_COUNTS(X)                                                                                             \
    X(vertex_count)                                                                                                    \
    X(tet_count)                                                                                                       \
    X(triangle_count)                                                                                                  \
    X(surface_vertex_count)                                                                                            \
    X(surface_triangle_count)                                                                                          \
    X(influence_count)                                                                                                 \
    X(sample_count)                                                                                                    \
    X(part_count)                                                                                                      \
    X(material_count)                                                                                                  \
    X(texture_count)                                                                                                   \
    X(texture_bytes)                                                                                                   \
    X(bone_count)                                                                                                      \
    X(mode_count)                                                                                                      \
    X(cluster_count)                                                                                                   \
    X(coordinate_count)                                                                                                \
    X(constrained_coordinate_count)                                                                                    \
    X(min_mode_count) /* min number of first modes that leaves an unconstrained coordinate */                          \
    X(coarse_level_count)                                                                                              \
    X(clip_count)                                                                                                      \
    X(clip_frame_total)                                                                                                \
    X(clip_name_bytes)                                                                                                 \
    X(morph_count)                                                                                                     \
    X(morph_delta_count)                                                                                               \
    X(morph_name_bytes)                                                                                                \
    X(morph_track_count)                                                                                               \
    X(expression_count)                                                                                                \
    X(expression_bind_count)                                                                                           \
    X(expression_name_bytes)                                                                                           \
    X(bone_name_bytes)                                                                                                 \
    X(cage_edge_count)                                                                                                 \
    X(cage_face_count)                                                                                                 \
    X(cage_corner_count)                                                                                               \
    X(morph_field_count)                                                                                               \
    X(morph_pair_count)

typedef enum sn_bone_type {
    SN_BONE_AFFINE,
    SN_BONE_TRANSLATION, /* cage vertex: modes are complementary to its translation only */
    SN_BONE_STRETCHABLE, /* affine; coupled bodies may stretch it, not only move and rotate it */
    SN_BONE_TYPE_COUNT
} sn_bone_type;

typedef struct sn_expression_bind {
    int32_t morph;
    float weight; /* at value 1 */
} sn_expression_bind;

/* The file from which a texture came, in encoded_texture_data; byte_count 0: not kept. */
typedef struct sn_encoded_texture {
    int32_t first_byte, byte_count;
} sn_encoded_texture;

/* A displacement field under a bone. */
typedef struct sn_morph_pair {
    int32_t field, bone;
} sn_morph_pair;

#define SN_BONE_COLLIDER_LIMIT 128

/* Strain data for layered bodies (host/layered). */
typedef enum sn_strain_type {
    SN_STRAIN_NONE,
    SN_STRAIN_GLOBAL, /* stretch and shear along the model's axes */
    SN_STRAIN_FRAMES, /* stretch and shear along the axes of one frame per tet */
    SN_STRAIN_TYPE_COUNT
} sn_strain_type;

/* Stiffnesses of a tet: stretch along three axes, shear between them, and volume. */
enum {
    SN_STRAIN_STRETCH,    /* 1, 2, 3 */
    SN_STRAIN_SHEAR = 3,  /* 12, 13, 23 */
    SN_STRAIN_VOLUME = 6, /* at least the min shear: strain alone does not resist inversion */
    SN_STRAIN_STIFFNESS_COUNT
};

#define SN_SURFACE_NAME_LIMIT (1 << 22)
#define SN_VRM_LIMIT (1 << 20)
#define SN_ENCODED_TEXTURE_LIMIT (1 << 30)
#define SN_FLESH_PART_LIMIT 4096
#define SN_FLESH_PART_NAME_LIMIT (1 << 20)

/* A part of anchored flesh (belly, thighs, an ear), as it was tuned. Amplitudes are fractions of the height. */
typedef struct sn_flesh_part_record {
    float frequency;                    /* lowest frequency, Hz; 0: rigid, and so are the other values */
    float min_frequency, max_frequency; /* Hz, the range that tuning may choose from */
    float amplitude;                    /* measured displacement of the skin in a walk */
    float max_amplitude;                /* largest displacement that tuning accepts in any motion */
    float settling_time;                /* s, to 2% */
} sn_flesh_part_record;

/* A solid on a bone that keeps out this body's own flesh; sample_clearances selects the affected samples. */
typedef struct sn_bone_collider {
    int32_t bone, shape; /* plane, sphere or capsule of sn_collider_shape */
    float radius, half_height, friction;
    float transform[12]; /* rigid: shape to model, at bind */
} sn_bone_collider;

#define SN_SPRING_JOINT_LIMIT 4096
#define SN_SPRING_SOLID_LIMIT 256
#define SN_SPRING_LINK_LIMIT 65536

/* A spring bone (host/springs): a segment from head to tail that rotates about its head. Positions are in model units,
 * at bind. Stiffness, gravity and drag are VRM's parameters in the file's units; `scale` converts them. */
typedef struct sn_spring_joint {
    int32_t bone;                   /* the bone that it rotates, or the nearest ancestor that is one */
    int32_t parent;                 /* index of an earlier joint, or -1 */
    int32_t center;                 /* bone whose frame is the frame of inertia, or -1: the world */
    int32_t first_link, link_count; /* its colliders: range of spring_links */
    float stiffness, drag;          /* >= 0; 0 .. 1 */
    float hit_radius;               /* model units */
    float gravity[3];               /* gravityPower gravityDir */
    float head[3], tail[3];
} sn_spring_joint;

/* A collider of spring bones that moves with its bone. */
typedef struct sn_spring_solid {
    int32_t bone, shape; /* plane, sphere or capsule of sn_collider_shape */
    int32_t is_inside;   /* 1: a sphere or capsule that keeps tails inside instead of outside */
    float radius;
    float location[3],
        end[3]; /* centre, capsule's first end or point of a plane; capsule's second end, or plane's unit normal */
} sn_spring_solid;

/* model units = (input - origin) * scale; density in kg/m^3, young in Pa, total_stiffness = sum mu_t V_t. volume_bound:
 * the min b with sum_c cluster_lame / m_c^2 |S_B Z|^2 <= b Z^T diag(coordinate_stiffness) Z for every Z, where m_c =
 * sum mu_t V_t of the cluster; 0 if Poisson's ratio is 0 everywhere. With strain limits, the operator L of
 * coordinate_stiffness, stiffness_cross and stiffness_bone is ((1 + v) L + (kappa - v) sum_c G_c^T G_c / m_c) / (1 +
 * kappa), with G_c u = F_c and v = min(kappa, 3): the limits act on F_c / m_c, and v on what varies in a cluster. */
#define SN_MODEL_SCALARS(X)                                                                                            \
    X(scale)                                                                                                           \
    X(origin_x)                                                                                                        \
    X(origin_y)                                                                                                        \
    X(origin_z)                                                                                                        \
    X(diagonal) /* of the rest bounding box, in model units */                                                         \
    X(facing)   /* 1: faces +Z, -1: faces -Z */                                                                        \
    X(height)   /* y extent, in model units */                                                                         \
    X(young)                                                                                                           \
    X(density)                                                                                                         \
    X(total_mass)                                                                                                      \
    X(has_floor) /* 1: needs a floor; 0: floats */                                                                     \
    X(is_flat)   /* 1: in the plane z = 0; its tets are triangles that repeat the third corner */                      \
    X(total_stiffness)                                                                                                 \
    X(volume_bound)                                                                                                    \
    X(is_posed)            /* 1: flesh is at rest in the rig's pose, 0: in the bind pose */                            \
    X(has_roles)           /* 1: the file defines humanoid bones */                                                    \
    X(bone_collider_count) /* of sn_bone_collider */                                                                   \
    X(strain_type)         /* of sn_strain_type */                                                                     \
    X(spring_joint_count)                                                                                              \
    X(spring_solid_count)                                                                                              \
    X(spring_link_count)                                                                                               \
    X(soft_spring_count)      /* spring bones with simulated flesh instead of joints */                                \
    X(strain_limit_stiffness) /* kappa, stiffness of the clusters' strain limits over the flesh's own; 0: no limits */ \
    X(generated_clip_count)   /* number of first clips that the cook generated */                                      \
    X(flesh_part_count)       /* of sn_flesh_part_record */                                                            \
    X(flesh_part_name_bytes)                                                                                           \
    X(toon_count) /* of sn_toon_material: 0, or the material count */                                                  \
    X(material_name_bytes)                                                                                             \
    X(part_name_bytes)                                                                                                 \
    X(vrm_version) /* of the file: 0 no VRM, 1: 0.x, 2: 1.0 */                                                         \
    X(vrm_bytes)                                                                                                       \
    X(encoded_texture_bytes) /* Files may omit trailing zeros from is_posed on */

/* A model for coupled bodies alone has no modes, coordinates, clusters or morph fields.
 *
 * Flat bodies (host/mesh/flat_mesh.h): modes have no column z, so that one has six parameters in the plane, and the
 * component of a cluster's deformation gradient normal to the plane comes from the rig alone. It counts SN_FLAT_DEPTH
 * times in the energy, hence in S_J and stiffness_bone: the best-fitting 3D rotation of an inverted cluster then stays
 * in the plane, unless the cluster is stretched as much in both directions. With a factor of 1, a cluster could flip to
 * its back side. */
#define SN_FLAT_DEPTH 4

/* One in each octant around the sample, or the sample's own vertex. */
#define SN_SAMPLE_EXTREMES 8

/* X(name, type, rows, columns) */
#define SN_MODEL_ARRAYS(X)                                                                                             \
    X(rest_positions, float, c->vertex_count, 3)                                                                       \
    X(tets, int32_t, c->tet_count, 4)                                                                                  \
    X(tet_clusters, int32_t, c->cluster_count > 0 ? c->tet_count : 0, 1)                                               \
    X(tet_stiffness, float, c->tet_count, 1) /* mu in Pa, of ARAP: E / (1 + nu), twice Lame's mu */                    \
    X(tet_lame, float, c->tet_count, 1)      /* Lame's lambda in Pa: E nu / ((1 + nu) (1 - 2 nu)) */                   \
    X(vertex_mass, float, c->vertex_count, 1)                                                                          \
    X(leak, float, c->vertex_count, 1)          /* momentum leak D */                                                  \
    X(triangles, int32_t, c->triangle_count, 3) /* the boundary, facing outwards */                                    \
    X(surface_positions, float, c->surface_vertex_count, 3)                                                            \
    X(surface_normals, float, c->surface_vertex_count, 3)                                                              \
    X(surface_tangents, float, c->surface_vertex_count, 4)  /* w = +-1: bitangent = w n x t */                         \
    X(surface_uvs, float, c->surface_vertex_count, 4)       /* two sets, v down */                                     \
    X(surface_colors, uint16_t, c->surface_vertex_count, 4) /* linear, unorm */                                        \
    X(surface_triangles, int32_t, c->surface_triangle_count, 3)                                                        \
    X(surface_tets, int32_t, c->surface_vertex_count, 1)      /* tet that contains the vertex; -1: bones only */       \
    X(surface_barycentric, float, c->surface_vertex_count, 4) /* >= 0; zeros for -1 */                                 \
    X(influence_starts, int32_t, (int64_t)c->surface_vertex_count + 1, 1)                                              \
    X(influences, sn_influence, c->influence_count, 1) /* of vertex v: starts[v] to starts[v + 1] */                   \
    X(surface_modes, sn_mode_weight, c->surface_vertex_count, c->mode_count)                                           \
    X(sample_vertices, int32_t, c->sample_count, 1) /* surface vertices for contact and wind, coarse to fine */        \
    X(sample_areas, float, c->sample_count, 1)      /* surface area of each, model units squared */                    \
    X(sample_normals, float, c->sample_count, 3)    /* unit; of a flat body, in the plane */                           \
    X(sample_coordinate, float, c->sample_count, c->coordinate_count) /* their rows of V */                            \
    X(sample_extremes, int32_t, c->sample_count, SN_SAMPLE_EXTREMES)  /* protruding vertices of each sample's area */  \
    X(extreme_coordinate, float, (int64_t)SN_SAMPLE_EXTREMES * c->sample_count, c->coordinate_count)                   \
    X(parts, sn_part, c->part_count, 1)                                                                                \
    X(materials, sn_material, c->material_count, 1)                                                                    \
    X(textures, sn_texture, c->texture_count, 1)                                                                       \
    X(texture_pixels, uint8_t, c->texture_bytes, 1) /* RGBA8, rows from the top */                                     \
    X(rig_weights, float, c->vertex_count, c->bone_count)                                                              \
    X(bone_parents, int32_t, c->bone_count, 1)                                                                         \
    X(bone_bind, float, c->bone_count, 12)   /* row-major rest world transforms in model units */                      \
    X(bone_types, int32_t, c->bone_count, 1) /* of sn_bone_type */                                                     \
    X(bone_pivots, float, c->bone_count, 3)  /* rest position of the centre of rotation */                             \
    X(bone_names, char, c->bone_name_bytes, 1)                                                                         \
    X(bone_tails, float, c->bone_count, 4)        /* tail, or the pivot; radius as a handle, or 0 */                   \
    X(cage_edges, int32_t, c->cage_edge_count, 2) /* pairs of cage vertices (bones): loops around flat bodies */       \
    X(cage_face_starts, int32_t, c->cage_face_count > 0 ? (int64_t)c->cage_face_count + 1 : 0, 1)                      \
    X(cage_corners, int32_t, c->cage_corner_count, 1) /* cage vertices (bones) of the faces, consistently oriented */  \
    X(mode_eigenvalues, double, c->mode_count, 1)                                                                      \
    X(mode_weights, float, c->vertex_count, c->mode_count)                                                             \
    X(mode_from_coordinate, double, (int64_t)4 * c->mode_count, c->coordinate_count)                                   \
    X(coordinate_from_mode, double, c->coordinate_count, (int64_t)4 * c->mode_count)              /* V^T M Bc */       \
    X(constrained_from_mode, double, c->constrained_coordinate_count, (int64_t)4 * c->mode_count) /* N^T M Bc */       \
    X(coordinate_stiffness, double, c->coordinate_count, 1) /* lambda, ascending */                                    \
    X(coordinate_bounds, double, c->coordinate_count, 1)    /* b_i: no vertex moves by more than |(b_i dZ_i)| */       \
    X(coordinate_mass, double, c->coordinate_count, 1)      /* V^T M 1: effect of a uniform acceleration */            \
    X(coordinate_tangent_stiffness, double, c->coordinate_count, 1) /* of small vibrations: see tangent_stiffness.h */ \
    X(coordinate_decay, double, c->coordinate_count, 1) /* sigma in 1/s: free motion decays as exp(-sigma t); 0: by    \
                                                            the body's damping alone */                                \
    X(cluster_coordinate, double, (int64_t)3 * c->cluster_count, c->coordinate_count)  /* S_B */                       \
    X(cluster_bone, double, (int64_t)3 * c->cluster_count, (int64_t)4 * c->bone_count) /* S_J */                       \
    X(cluster_lame, double, c->cluster_count, 1) /* sum lambda_t V_t, lambda = E nu / ((1 + nu) (1 - 2 nu)) */         \
    X(cluster_strain_limits, double, c->cluster_count, 1) /* e: principal stretches beyond 1 +- e are resisted */      \
    X(coarse_cluster_counts, int32_t, c->coarse_level_count, 1) /* of levels 1 and up, descending */                   \
    X(coarse_clusters, int32_t, c->coarse_level_count,                                                                 \
      c->cluster_count) /* per cluster, its cluster of the coarser level */                                            \
    X(mass_cross, double, c->coordinate_count, (int64_t)4 * c->bone_count)      /* V^T M Jc */                         \
    X(stiffness_cross, double, c->coordinate_count, (int64_t)4 * c->bone_count) /* V^T L Jc */                         \
    X(mass_bone, double, c->mode_count > 0 ? (int64_t)4 * c->bone_count : 0,                                           \
      (int64_t)4 * c->bone_count) /* Jc^T M Jc */                                                                      \
    X(stiffness_bone, double, c->mode_count > 0 ? (int64_t)4 * c->bone_count : 0, (int64_t)4 * c->bone_count)          \
    X(clip_frame_counts, int32_t, c->clip_count, 1)                                                                    \
    X(clip_frame_rates, double, c->clip_count, 1)                               /* frames/s */                         \
    X(clip_transforms, float, c->clip_frame_total, (int64_t)12 * c->bone_count) /* relative to bind, model units */    \
    X(clip_names, char, c->clip_name_bytes, 1) /* null-terminated, packed, like all names */                           \
    X(morph_starts, int32_t, c->morph_count > 0 ? (int64_t)c->surface_vertex_count + 1 : 0, 1)                         \
    X(morph_deltas, sn_morph_delta, c->morph_delta_count, 1) /* of vertex v: starts[v] to starts[v + 1] */             \
    X(morph_default_weights, float, c->morph_count, 1)       /* default weights */                                     \
    X(morph_names, char, c->morph_name_bytes, 1)                                                                       \
    X(morph_tracks, int32_t, c->morph_track_count, 1)                /* morph targets that any clip animates */        \
    X(clip_morphs, float, c->clip_frame_total, c->morph_track_count) /* their weights */                               \
    X(expressions, sn_expression, c->expression_count, 1)                                                              \
    X(expression_binds, sn_expression_bind, c->expression_bind_count, 1)                                               \
    X(expression_names, char, c->expression_name_bytes, 1)                                                             \
    X(morph_fields, float, c->vertex_count, (int64_t)3 * c->morph_field_count) /* d_f: x, y, z of each field */        \
    X(morph_field_weights, double, c->morph_field_count, c->morph_count)                                               \
    X(morph_pairs, sn_morph_pair, c->morph_pair_count, 1)                         /* sorted by field */                \
    X(morph_cross, double, c->coordinate_count, (int64_t)3 * c->morph_pair_count) /* V^T M E, E the pairs' columns */  \
    X(morph_mass, double, (int64_t)3 * c->morph_pair_count,                                                            \
      (int64_t)4 * c->bone_count + (int64_t)3 * c->morph_pair_count)     /* E^T M Jc, then E^T M E */                  \
    X(bone_roles, int32_t, model->has_roles == 1 ? c->bone_count : 0, 1) /* of sn_humanoid_bone, or -1 */              \
    X(bone_colliders, sn_bone_collider, sn_model_valid_bone_collider_count(model), 1)                                  \
    X(sample_clearances, float, sn_model_valid_bone_collider_count(model) > 0 ? c->sample_count : 0,                   \
      sn_model_valid_bone_collider_count(                                                                              \
          model)) /* min distance of a sample to the collider's surface, negative inside; -FLT_MAX: not affected */    \
    X(strain_attached_bones, int32_t, model->strain_type > 0 ? c->vertex_count : 0,                                    \
      1) /* bone to which it is attached; -1: free */                                                                  \
    X(strain_stiffness, float, model->strain_type > 0 ? c->tet_count : 0, SN_STRAIN_STIFFNESS_COUNT) /* Pa */          \
    X(strain_frames, float, model->strain_type == SN_STRAIN_FRAMES ? c->tet_count : 0,                                 \
      9) /* R = [r1 r2 r3] by columns, row-major, local to global, det R = 1 */                                        \
    X(spring_joints, sn_spring_joint, sn_model_valid_count(model->spring_joint_count, SN_SPRING_JOINT_LIMIT), 1)       \
    X(spring_solids, sn_spring_solid, sn_model_valid_count(model->spring_solid_count, SN_SPRING_SOLID_LIMIT), 1)       \
    X(spring_links, int32_t, sn_model_valid_count(model->spring_link_count, SN_SPRING_LINK_LIMIT),                     \
      1) /* indices of solids */                                                                                       \
    X(spring_bones, int32_t, model->spring_joint_count > 0 ? c->bone_count : 0,                                        \
      1) /* joint that rotates the bone, or -1 */                                                                      \
    X(flesh_parts, sn_flesh_part_record, sn_model_valid_count(model->flesh_part_count, SN_FLESH_PART_LIMIT), 1)        \
    X(flesh_part_names, char, sn_model_valid_count(model->flesh_part_name_bytes, SN_FLESH_PART_NAME_LIMIT), 1)         \
    X(vertex_flesh_parts, int32_t, model->flesh_part_count > 0 ? c->vertex_count : 0, 1) /* index of a part */         \
    X(toons, sn_toon_material, model->toon_count > 0 ? c->material_count : 0, 1)                                       \
    X(material_names, char, sn_model_valid_count(model->material_name_bytes, SN_SURFACE_NAME_LIMIT), 1)                \
    X(part_names, char, sn_model_valid_count(model->part_name_bytes, SN_SURFACE_NAME_LIMIT), 1) /* of their meshes */  \
    X(vrm, char, sn_model_valid_count(model->vrm_bytes, SN_VRM_LIMIT), 1) /* JSON text: meta and lookAt of VRM 1.0 */  \
    X(encoded_textures, sn_encoded_texture, model->encoded_texture_bytes > 0 ? c->texture_count : 0, 1)                \
    X(encoded_texture_data, uint8_t, sn_model_valid_count(model->encoded_texture_bytes, SN_ENCODED_TEXTURE_LIMIT),     \
      1) /* JPEG and WebP files */

typedef struct sn_model_counts {
#define SN_COUNT(name) int32_t name;
    SN_MODEL_COUNTS(SN_COUNT)
#undef SN_COUNT
} sn_model_counts;

struct sn_model {
    sn_model_counts counts;
#define SN_SCALAR(name) double name;
    SN_MODEL_SCALARS(SN_SCALAR)
#undef SN_SCALAR
#define SN_ARRAY(name, type, rows, columns) const type *name; /* (rows x columns), row-major */
    SN_MODEL_ARRAYS(SN_ARRAY)
#undef SN_ARRAY
    void *file_bytes; /* read by sn_model_open, or null */
    size_t file_size;
};

/* Returns 0 for an invalid count, which loading rejects. */
static inline int sn_model_valid_count(double count, int limit)
{
    return count > 0 && count <= limit ? (int)count : 0;
}

static inline int sn_model_valid_bone_collider_count(const sn_model *model)
{
    return sn_model_valid_count(model->bone_collider_count, SN_BONE_COLLIDER_LIMIT);
}

/* Names of a material, and of the mesh of a part, in the source file; or empty names. */
const char *sn_model_material_name(const sn_model *model, int material);
const char *sn_model_part_name(const sn_model *model, int part);

/* By file name extension, or by the first bytes. False if the file cannot be read. */
bool sn_is_model_file(const char *path);

/* sn_model_load with a file name for messages. */
sn_result sn_model_load_named(const char *name, const void *bytes, size_t size, sn_model **model);

/* Writes the model's binary form into the arena. The same model gives the same bytes. */
sn_result sn_model_write(const sn_model *model, sn_arena *arena, uint8_t **bytes, size_t *size);

/* Whether no mode moves this vertex of the surface. */
bool sn_model_is_vertex_rigid(const sn_model *model, size_t vertex);

/* Area of a sample times the weight of a bone, model units squared. */
double sn_model_bone_area(const sn_model *model, int sample, int bone);

/* c: the weights of the morph fields for weights (morph_count) of the morph targets. */
void sn_model_morph_fields(const sn_model *model, const float *weights, double *fields);
/* The pairs' rows (3 pair_count x 3) of the rig's vector in a pose (bone_count x 12; null: bind), for given field
 * weights. */
void sn_morph_pair_rows(const sn_morph_pair *pairs, int pair_count, const double *pose, const double *fields,
                        double *rows);

/* The trace of a cluster's deformation gradient at rest, divided by its stiffness m_c = sum mu_t V_t. */
static inline double sn_model_rest_trace(const sn_model *model)
{
    return sn_model_is_flat(model) ? 2 + SN_FLAT_DEPTH : 3;
}

/* First frame of a clip in clip_transforms. */
int sn_model_clip_start(const sn_model *model, int clip);
/* Index of the clip with this name, or -1. */
int sn_model_find_clip(const sn_model *model, const char *name);
/* Samples a clip at a time, looped, linearly interpolated; pose is (bone_count x 12). */
void sn_model_sample_clip(const sn_model *model, int clip, double seconds, double *pose);
/* Whether the only clip is a single frame: the rest pose of a file that does not rest in the bind pose. */
bool sn_model_has_rest_pose_only(const sn_model *model);
/* That pose, or the bind pose; pose is (bone_count x 12). */
void sn_model_rest_pose(const sn_model *model, double *pose);
/* A default motion for models without clips (or with a rest pose only, which is kept): three hops in two seconds, 5% of
 * the diagonal high, with a rotation of 20 degrees to either side about the vertical axis. A flat body leans by half
 * the angle in its plane. */
#define SN_HOP_SECONDS 2.0
void sn_model_hop(const sn_model *model, double seconds, double *pose);

#endif
