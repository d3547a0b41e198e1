/* SPDX-License-Identifier: MIT */
/* Which nodes of a scene are bones, and where they are in the bind pose. */
#ifndef SN_AUTHOR_IMPORT_CHARACTER_BONES_H
#define SN_AUTHOR_IMPORT_CHARACTER_BONES_H

#include "author/import/character.h"

/* Tables of bones by bones, and of tet vertices by bones, are dense: with this many they take a few gigabytes. */
#define SN_BONE_LIMIT 1024

/* A node may be several bones, where skins disagree about its bind transform. */
typedef struct sn_bone {
    int32_t node; /* -1: the world */
    double bind[12];
} sn_bone;

typedef struct sn_bone_list {
    const sn_scene_file *scene;
    sn_scene_pose *pose; /* that in which things bind */
    sn_bone *bones;      /* room for every joint of every skin and every node, and the world; whoever builds a
                            character refuses more than SN_BONE_LIMIT */
    int count;
    double size;          /* of the skeleton at rest */
    bool *is_moving;      /* (node_count) by a clip */
    int32_t *of_node;     /* (node_count) the node's first bone, or -1 */
    int32_t **of_joint;   /* (skin_count) of (joint_count): the bone of each joint */
    double *mesh_to_bind; /* (skin_count x 12): from a skin's mesh coordinates to the bind pose */
    int32_t *fallback;    /* (skin_count) the bone of vertices without weights */
} sn_bone_list;

/* Bones of all skins that are drawn; without any, the joints of the file's skins and its humanoid bones, as far as
 * meshes hang on them, and where these are several of a VRM's, those of a humanoid that motions need; without any of
 * those, one handle, or a bone for each mesh where clips move meshes apart. */
sn_result sn_bone_list_build(const sn_scene_file *scene, sn_scene_pose *pose, const char *name, sn_arena *arena,
                             sn_bone_list *list);
/* The bone that an unskinned mesh at this node moves with, and the mesh's place in the bind pose: the nearest node at
 * or above its own that is a bone or that a clip moves, which then becomes one. */
int32_t sn_bone_of_mesh_node(sn_bone_list *list, int32_t node, double *mesh_to_bind);
/* The nearest bone at or above a node, or -1, and the node's place in the bind pose. */
int32_t sn_bone_above_node(const sn_bone_list *list, int32_t node, double *place);
/* Whether the node is drawn: in the scene, with triangles. */
bool sn_node_is_drawn(const sn_scene_file *scene, int32_t node);

#endif
