/* SPDX-License-Identifier: MIT */
/* Reference implementation of VRM spring bones: VRMC_springBone 1.0 ("SpringBone Algorithm"), its extended colliders
 * (planes, and spheres and capsules that keep tails inside), and VRM 0.x with its different names. Double precision,
 * one frame at a time, joint by joint, directly from the specification; host/springs is tested against it. All lengths
 * are in the file's units. */
#ifndef SN_TOOLS_BENCH_SPRING_REFERENCE_H
#define SN_TOOLS_BENCH_SPRING_REFERENCE_H

#include "author/io/scene_file.h"

typedef struct sn_vrm_springs sn_vrm_springs;

/* Transform of a node relative to its parent. */
typedef struct sn_vrm_node {
    double translation[3], rotation[4] /* x y z w, unit */, scale[3];
} sn_vrm_node;

/* Opens the scene's nodes, links, springs and colliders at rest; the scene must outlive it. Nodes must not have
 * matrices. Everything lives in the arena. SN_ERROR_MEMORY. */
sn_result sn_vrm_springs_create(const sn_scene_file *scene, sn_arena *arena, sn_vrm_springs **springs);
/* The nodes (node_count); set those that the springs do not rotate before an update. */
sn_vrm_node *sn_vrm_springs_nodes(sn_vrm_springs *springs);
/* Steps one frame of the given seconds and rotates the nodes of the springs. */
void sn_vrm_springs_update(sn_vrm_springs *springs, double seconds);
/* World transform of a node (12, row-major). */
void sn_vrm_springs_world(const sn_vrm_springs *springs, int32_t node, double *world);
/* Tail position of a link of the scene. */
void sn_vrm_springs_tail(const sn_vrm_springs *springs, int link, double *tail);

#endif
