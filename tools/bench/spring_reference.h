/* SPDX-License-Identifier: MIT */
/* VRM's spring bones as published: VRMC_springBone 1.0 ("SpringBone Algorithm"), its extended colliders (planes,
 * spheres and capsules that keep tails in), and VRM 0.x's, which has other names for the same. In double, a frame at a
 * time, joint by joint, straight from the text: what host/springs is measured against. Everything is in the file's
 * units. */
#ifndef SN_TOOLS_BENCH_SPRING_REFERENCE_H
#define SN_TOOLS_BENCH_SPRING_REFERENCE_H

#include "author/io/scene_file.h"

typedef struct sn_vrm_springs sn_vrm_springs;

/* Of a node, against its parent. */
typedef struct sn_vrm_node {
    double translation[3], rotation[4] /* x y z w, unit */, scale[3];
} sn_vrm_node;

/* The scene's nodes, links, springs and colliders, at rest; they are borrowed. Nodes have no matrices of their own.
 * SN_ERROR_MEMORY. All of it lives in the arena. */
sn_result sn_vrm_springs_create(const sn_scene_file *scene, sn_arena *arena, sn_vrm_springs **springs);
/* (node_count): move what does not swing before an update. */
sn_vrm_node *sn_vrm_springs_nodes(sn_vrm_springs *springs);
/* A frame of so many seconds: turns the nodes that swing. */
void sn_vrm_springs_update(sn_vrm_springs *springs, double seconds);
/* World transform of a node (12, row-major). */
void sn_vrm_springs_world(const sn_vrm_springs *springs, int32_t node, double *world);
/* The tail of the scene's link. */
void sn_vrm_springs_tail(const sn_vrm_springs *springs, int link, double *tail);

#endif
