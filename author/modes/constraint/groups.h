/* SPDX-License-Identifier: MIT */
/* Private to author/modes: bones that the constraint takes as one. */
#ifndef SN_AUTHOR_MODES_CONSTRAINT_GROUPS_H
#define SN_AUTHOR_MODES_CONSTRAINT_GROUPS_H

#include "host/base/arena.h"

/* groups (bone_count): the group of each bone, numbered from 0 in the order of their first bones, or -1 if the bone
 * moves nothing. At most `most` groups: while there are more, the one of the least mass joins the one that it shares
 * most with. vertex_mass (vertex_count) is what a vertex counts for, rig_weights (vertex_count x bone_count). */
sn_result sn_bone_groups_build(int vertex_count, int bone_count, const double *vertex_mass, const double *rig_weights,
                               int most, int32_t *groups, int *group_count);

#endif
