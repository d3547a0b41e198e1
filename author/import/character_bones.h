/* SPDX-License-Identifier: MIT */
/* Selects the nodes of a scene that become bones, and computes their bind transforms. */
#ifndef SN_AUTHOR_IMPORT_CHARACTER_BONES_H
#define SN_AUTHOR_IMPORT_CHARACTER_BONES_H

#include "author/import/character.h"

/* Tables of (bones x bones) and (tet vertices x bones) are dense; at this limit they take a few GB. */
#define SN_BONE_LIMIT 1024

/* A node has several bones where skins disagree about its bind transform. */
typedef struct sn_bone {
    int32_t node; /* -1: the world */
    double bind[12];
} sn_bone;

typedef struct sn_bone_list {
    const sn_scene_file *scene;
    sn_scene_pose *pose; /* the pose in which unskinned meshes bind */
    sn_bone *bones;      /* capacity: all joints of all skins, all nodes and the world; the caller refuses more than
                            SN_BONE_LIMIT */
    int count;
    double size;             /* diagonal of the skeleton at rest */
    bool *is_moving;         /* (node_count) a clip animates the node */
    int32_t *node_bones;     /* (node_count) first bone of the node, or -1 */
    int32_t **joint_bones;   /* (skin_count) of (joint_count): bone of each joint */
    double *mesh_to_bind;    /* (skin_count x 12) from the mesh of a skin to the bind pose */
    int32_t *fallback_bones; /* (skin_count) bone of vertices without weights */
} sn_bone_list;

/* Chooses the bones: the joints of all skins that are drawn. Without any, the joints of the file's skins and its
 * humanoid bones that meshes are attached to; if these are several bones of a VRM, also the humanoid bones that motions
 * require. Without any of those, one handle, or one bone a mesh where clips move meshes relative to each other. */
sn_result sn_bone_list_build(const sn_scene_file *scene, sn_scene_pose *pose, const char *name, sn_arena *arena,
                             sn_bone_list *list);
/* Returns the bone of an unskinned mesh at this node, and the mesh's bind transform. It is the nearest node at or above
 * this one that is a bone, or that a clip animates; the latter is added as a bone. */
int32_t sn_bone_of_mesh_node(sn_bone_list *list, int32_t node, double *mesh_to_bind);
/* Returns the nearest bone at or above a node, or -1, and the node's bind transform. */
int32_t sn_bone_above_node(const sn_bone_list *list, int32_t node, double *to_bind);
/* Whether the node is in the scene and has triangles. */
bool sn_node_has_triangles(const sn_scene_file *scene, int32_t node);

#endif
