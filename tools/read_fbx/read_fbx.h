/* SPDX-License-Identifier: MIT */
/* Private to sinew-read-fbx: shared state of the conversion of one FBX file. The process may crash or be killed at any
 * time without consequences. Checks here ensure a valid output; they do not guard against errors of the Open Asset
 * Import Library. */
#ifndef SN_TOOLS_READ_FBX_H
#define SN_TOOLS_READ_FBX_H

#include <assimp/scene.h>

#include "author/io/gltf/gltf_write.h"

/* The factors of an FBX node's transform, in order (FBX SDK, "Computing transformation matrices"). Geometric factors
 * apply to the node's meshes only. */
typedef enum fbx_component {
    FBX_TRANSLATION,
    FBX_ROTATION_OFFSET,
    FBX_ROTATION_PIVOT,
    FBX_PRE_ROTATION,
    FBX_ROTATION,
    FBX_POST_ROTATION, /* stored inverted */
    FBX_ROTATION_PIVOT_INVERSE,
    FBX_SCALING_OFFSET,
    FBX_SCALING_PIVOT,
    FBX_SCALING,
    FBX_SCALING_PIVOT_INVERSE,
    FBX_GEOMETRIC_TRANSLATION,
    FBX_GEOMETRIC_ROTATION,
    FBX_GEOMETRIC_SCALING,
    FBX_COMPONENT_COUNT,
    FBX_LOCAL_COUNT = FBX_GEOMETRIC_TRANSLATION /* components that children inherit */
} fbx_component;

typedef struct fbx_node {
    const struct aiNode *from;
    int32_t parent;                  /* -1: root */
    double (*components)[12];        /* (FBX_COMPONENT_COUNT), or null: the node has only `local` */
    double local[12], geometric[12]; /* in the file's axes and units */
    /* Mesh to stored vertices. Skinned vertices are stored in the world at rest, so that bones do not scale or rotate
     * them, whatever the mesh's unit; otherwise the identity. */
    double to_stored[12];
    int32_t scene_node, mesh_node; /* indices in the scene; mesh_node draws the meshes */
} fbx_node;

typedef struct fbx_reader {
    const struct aiScene *from;
    const char *path; /* path of the FBX file, to find pictures */
    sn_arena arena;
    /* x'[i] = unit signs[i] x[axes[i]]: right-handed, Y up, in m */
    int axes[3];
    double signs[3], unit;
    bool is_mirrored; /* the file's axes are left-handed */
    int node_count;
    fbx_node *nodes;
    sn_scene_file scene;
    sn_gltf_picture *pictures; /* (scene.texture_count) */
} fbx_reader;

/* In axes.c. */
void fbx_axes_read(fbx_reader *r);
void fbx_convert_point(const fbx_reader *r, const double *from, float *to);
void fbx_convert_direction(const fbx_reader *r, const double *from, float *to); /* without unit conversion */
void fbx_convert_affine(const fbx_reader *r, const double *from, double *to);   /* from and to must not overlap */
void fbx_load_affine(const struct aiMatrix4x4 *from, double *to);
bool fbx_is_finite(const double *values, int count);

/* In nodes.c: creates the scene's nodes, without meshes. Errors here and below: SN_ERROR_FORMAT or SN_ERROR_MEMORY,
 * logged. */
sn_result fbx_nodes_read(fbx_reader *r);
/* The first node with this name; -1: none. */
int32_t fbx_node_find(const fbx_reader *r, const char *name, size_t size);

/* The component in the name of a chain's node or channel: -1 without a tag, FBX_COMPONENT_COUNT for another component.
 * The stem is the name before the tag. */
int fbx_component_find(const char *name, size_t *stem_size);
void fbx_multiply_components(double (*components)[12], int first, int end, double *product);

/* In meshes.c: reads the meshes of nodes; skins.c reads their bones. */
sn_result fbx_meshes_read(fbx_reader *r);
typedef struct fbx_influences {
    int32_t *first;  /* (vertex_count + 1) */
    int32_t *joints; /* (first[vertex_count]) joints of the skin, by descending weight for each vertex */
    float *weights;
} fbx_influences;
/* Reads the skin of a node's meshes and sets node->to_stored. skin is an index in the scene; -1: no mesh has bones.
 * influences is (mesh count). */
sn_result fbx_skin_read(fbx_reader *r, fbx_node *node, int32_t *skin, fbx_influences *influences);
/* In weld.c: merges equal vertices. */
sn_result fbx_weld(fbx_reader *r, sn_scene_primitive *primitive, int morph_count);

/* In materials.c. */
sn_result fbx_materials_read(fbx_reader *r);
/* In clips.c and tracks.c. */
sn_result fbx_clips_read(fbx_reader *r);

/* In names.c: a valid UTF-8 copy without control characters, in the arena; null when memory is exhausted (logged). */
const char *fbx_name(fbx_reader *r, const struct aiString *name);

#endif
