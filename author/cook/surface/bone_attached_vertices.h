/* SPDX-License-Identifier: MIT */
/* Finds the tet vertices that are rigidly attached to bones in layered bodies (Cai and Lin, "Skeleton-driven dynamics
 * modeling for computer-aided muscular rehabilitation"): the vertices of the tets that a bone runs through, unless
 * another bone runs through one of their tets, too. Departures from the paper, whose skeletons have one bone per limb,
 * while characters have parallel twist bones and bones outside of their flesh:
 * - A tet counts for a bone only if the bone's weight in it is at least half of the largest weight of any bone.
 * - The paper releases the vertices where two bones meet. Here, tets whose corners would be attached to two bones are
 *   released as well, and all vertices closer to a joint than 0.9 of the limb's radius, but at most 0.3 of the length
 *   of either bone, so that each bone keeps its central part.
 * - A bone whose lines miss its flesh gets one tet of it. A connected piece of the body without any attached vertex
 *   gets one tet, attached to the bone that moves most of it. */
#ifndef SN_AUTHOR_COOK_SURFACE_BONE_ATTACHED_VERTICES_H
#define SN_AUTHOR_COOK_SURFACE_BONE_ATTACHED_VERTICES_H

#include "author/cook/colliders/bone_lines.h"

/* bones (vertex_count): the bone that each vertex is attached to, or -1. Errors: SN_ERROR_ARGUMENT if no bone has a
 * line, as with cages only. */
sn_result sn_bone_attached_vertices_find(sn_cook_context *cook, const sn_bone_lines *lines, int32_t *bones);

#endif
