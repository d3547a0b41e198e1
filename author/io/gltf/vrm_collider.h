/* SPDX-License-Identifier: MIT */
/* Private to the glTF reader: colliders of VRM spring bones. */
#ifndef SN_AUTHOR_IO_GLTF_VRM_COLLIDER_H
#define SN_AUTHOR_IO_GLTF_VRM_COLLIDER_H

#include "author/io/gltf/gltf_reader.h"

/* colliderGroups of either version: group i has members starts[i] .. starts[i + 1] - 1, indices into scene->colliders.
 */
typedef struct sn_vrm_groups {
    int count;
    int capacity; /* capacity of members */
    int32_t *starts, *members;
} sn_vrm_groups;

/* Reads the colliders of VRMC_springBone, or of VRM 0.x's secondaryAnimation, into the scene. Colliders without a node
 * or shape, with a negative radius or an invalid value, and those beyond 65536, are ignored with one warning. A shape
 * in VRMC_springBone_extended_collider replaces the collider's own shape. */
void sn_vrm_read_colliders(sn_gltf *g, const sn_json *springs, bool is_new, sn_vrm_groups *groups);

/* Adds a spring with the members of its "colliderGroups" to scene->springs, which must have capacity. Invalid group
 * indices are ignored with the same warning. */
void sn_vrm_add_spring(sn_gltf *g, const sn_json *spring, const sn_vrm_groups *groups);

/* Reads "hitRadius" of a joint or a group of bones; 0 if absent or negative, or, with that warning, not a number. */
double sn_vrm_read_hit_radius(sn_gltf *g, const sn_json *at);

/* In vrm_link.c: reads the parameters of the scene's spring links; the springs and the nodes' springs must be set.
 * `list` has the springs or groups of bones. Invalid values are ignored or replaced by VRM's default, with one warning.
 */
void sn_vrm_read_links(sn_gltf *g, const sn_json *list, bool is_new);

#endif
