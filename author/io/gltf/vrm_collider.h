/* SPDX-License-Identifier: MIT */
/* Private to the glTF reader: what VRM's spring bones bump into. */
#ifndef SN_AUTHOR_IO_GLTF_VRM_COLLIDER_H
#define SN_AUTHOR_IO_GLTF_VRM_COLLIDER_H

#include "author/io/gltf/gltf_reader.h"

/* colliderGroups of either version: group i has the members from starts[i] up to starts[i + 1], of scene->colliders. */
typedef struct sn_vrm_groups {
    int count;
    int room; /* of members */
    int32_t *starts, *members;
} sn_vrm_groups;

/* Failures of what is read between the two, which allocates nothing, are a warning of bit `warned`: once a document,
 * with its outcome. end: false where it failed. */
typedef struct sn_vrm_attempt {
    sn_kept_log said, *former;
} sn_vrm_attempt;
void sn_vrm_begin_attempt(sn_vrm_attempt *attempt);
bool sn_vrm_end_attempt(sn_gltf *g, const sn_vrm_attempt *attempt, uint32_t warned, const char *outcome);

/* Of VRMC_springBone, or of VRM 0.x's secondaryAnimation. Fills the scene's colliders. What has no node, no shape, a
 * negative radius, or a value that is none is left out with one warning, what is beyond 65536 too; a plane,
 * sphere or capsule of VRMC_springBone_extended_collider is read in place of the collider's own shape. */
void sn_vrm_read_colliders(sn_gltf *g, const sn_json *springs, bool is_new, sn_vrm_groups *groups);

/* A spring of the list, with the members of the groups that it names ("colliderGroups"): to scene->springs, which has
 * room for it. Names of no group are left out likewise. */
void sn_vrm_add_spring(sn_gltf *g, const sn_json *spring, const sn_vrm_groups *groups);

/* "hitRadius" of a joint or of a group of bones; 0 where it is absent, negative or, with that warning, no number. */
double sn_vrm_hit_radius(sn_gltf *g, const sn_json *at);

/* vrm_link.c: what numbers the scene's links have, which springs and the nodes' springs are there for. `springs` is as
 * above, `list` its springs or groups of bones. What no one can mean is left out, or takes VRM's default, with one
 * warning. */
void sn_vrm_read_links(sn_gltf *g, const sn_json *list, bool is_new);

#endif
