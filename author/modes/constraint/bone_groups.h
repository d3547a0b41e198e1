/* SPDX-License-Identifier: MIT */
/* Private to author/modes: groups of bones for the constraint. */
#ifndef SN_AUTHOR_MODES_CONSTRAINT_BONE_GROUPS_H
#define SN_AUTHOR_MODES_CONSTRAINT_BONE_GROUPS_H

#include "host/base/arena.h"

/* Fills groups (bone_count): the group of each bone, numbered from 0 in the order of their first bones, or -1 if the
 * bone moves nothing. While there are more than `max_groups` groups, the one with the least mass is merged into the one
 * that it overlaps most. vertex_mass (vertex_count): weight of each vertex; rig_weights (vertex_count x bone_count). */
sn_result sn_bone_groups_build(int vertex_count, int bone_count, const double *vertex_mass, const double *rig_weights,
                               int max_groups, int32_t *groups, int *group_count);

#endif
