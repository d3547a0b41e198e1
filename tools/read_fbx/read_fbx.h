/* SPDX-License-Identifier: MIT */
/* Private to sinew-read-fbx: what its files share while one FBX file becomes a scene. The process may crash or be ended
 * at any moment, and takes nothing along: what is checked here is what the answer must hold, not what the Open Asset
 * Import Library may do wrong. */
#ifndef SN_TOOLS_READ_FBX_H
#define SN_TOOLS_READ_FBX_H

#include <assimp/scene.h>

#include "author/io/gltf/gltf_write.h"

/* What an FBX node's transform is the product of, in this order (FBX SDK, "Computing transformation matrices"). The
 * geometric ones are of its meshes alone. */
typedef enum fbx_component {
    FBX_TRANSLATION,
    FBX_ROTATION_OFFSET,
    FBX_ROTATION_PIVOT,
    FBX_PRE_ROTATION,
    FBX_ROTATION,
    FBX_POST_ROTATION, /* its inverse */
    FBX_ROTATION_PIVOT_INVERSE,
    FBX_SCALING_OFFSET,
    FBX_SCALING_PIVOT,
    FBX_SCALING,
    FBX_SCALING_PIVOT_INVERSE,
    FBX_GEOMETRIC_TRANSLATION,
    FBX_GEOMETRIC_ROTATION,
    FBX_GEOMETRIC_SCALING,
    FBX_COMPONENT_COUNT,
    FBX_LOCAL_COUNT = FBX_GEOMETRIC_TRANSLATION /* those that children inherit */
} fbx_component;

typedef struct fbx_node {
    const struct aiNode *from;
    int32_t parent;                  /* -1: a root */
    double (*components)[12];        /* (FBX_COMPONENT_COUNT), or null: `local` is all there is */
    double local[12], geometric[12]; /* in the file's axes and units */
    /* Of what bones move: vertices are stored where the node rests, in the world, so that bones neither scale nor turn
     * them at rest, whatever unit the mesh is in. Else the identity. */
    double placing[12];
    int32_t scene_node, mesh_node; /* of the scene; mesh_node: what draws its meshes */
} fbx_node;

typedef struct fbx_reading {
    const struct aiScene *from;
    const char *path; /* of the FBX file: pictures may lie beside it */
    sn_arena arena;
    /* x'[i] = unit signs[i] x[axes[i]]: right-handed, Y up, metres */
    int axes[3];
    double signs[3], unit;
    bool is_mirrored; /* the file's axes are left-handed */
    int node_count;
    fbx_node *nodes;
    sn_scene_file scene;
    sn_gltf_picture *pictures; /* (scene.texture_count) */
} fbx_reading;

/* axes.c */
void fbx_axes_read(fbx_reading *r);
void fbx_turn_point(const fbx_reading *r, const double *from, float *to);
void fbx_turn_direction(const fbx_reading *r, const double *from, float *to); /* without the unit */
void fbx_turn_affine(const fbx_reading *r, const double *from, double *to);   /* another place */
void fbx_load_affine(const struct aiMatrix4x4 *from, double *to);
bool fbx_is_finite(const double *values, int count);

/* nodes.c: the scene's nodes, without meshes; SN_ERROR_FORMAT or SN_ERROR_MEMORY with a logged line, as all below. */
sn_result fbx_nodes_read(fbx_reading *r);
/* The first with that name; -1. */
int32_t fbx_node_find(const fbx_reading *r, const char *name, size_t size);

/* What stands behind the tag of a node of a chain or of its channel: -1 without one, FBX_COMPONENT_COUNT for one that
 * is none of the above. The stem is the name in front of it. */
int fbx_component_find(const char *name, size_t *stem_size);
void fbx_multiply_components(double (*components)[12], int first, int end, double *product);

/* meshes.c: meshes of nodes; skins.c: which bones move them. */
sn_result fbx_meshes_read(fbx_reading *r);
typedef struct fbx_influences {
    int32_t *first;  /* (vertex_count + 1) */
    int32_t *joints; /* (first[vertex_count]) of the skin, each vertex's in descending order of weight */
    float *weights;
} fbx_influences;
/* The skin of an FBX node's meshes, and its placing; the index in the scene, -1 where no mesh has bones. `influences`
 * (mesh count). */
sn_result fbx_skin_read(fbx_reading *r, fbx_node *node, int32_t *skin, fbx_influences *influences);
/* weld.c: of equal vertices one is left. */
sn_result fbx_weld(fbx_reading *r, sn_scene_primitive *primitive, int morph_count);

/* materials.c */
sn_result fbx_materials_read(fbx_reading *r);
/* clips.c, tracks.c */
sn_result fbx_clips_read(fbx_reading *r);

/* names.c: valid UTF-8 without control characters, in the arena; null when memory is out (logged). */
const char *fbx_name(fbx_reading *r, const struct aiString *name);

#endif
