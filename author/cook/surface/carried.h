/* SPDX-License-Identifier: MIT */
/* Which tet vertices bones carry rigidly, in layered bodies (Cai and Lin, "Skeleton-driven dynamics modeling for
 * computer-aided muscular rehabilitation"): those of the tets that a bone runs through, unless another bone runs
 * through one of their tets, too.
 *
 * Departures. The paper's skeletons have one bone a limb; characters' have bones beside bones, for twist, and bones
 * that leave the flesh they move. So a tet counts as a bone's where the rig's weights give it half of what they give
 * any other bone. The paper releases the vertices that two bones meet, which is a handful; those of a tet whose corners
 * two bones would carry are released, too, and all that are nearer to a joint than .9 of the limb's radius there, but
 * never farther than a third of either bone, so that each keeps its middle. A bone whose lines miss its flesh holds a
 * tet of it, and so does a bone in every piece of the body that nothing else holds. */
#ifndef SN_AUTHOR_COOK_SURFACE_CARRIED_H
#define SN_AUTHOR_COOK_SURFACE_CARRIED_H

#include "author/cook/colliders/bone_lines.h"

/* bones (vertex_count): what carries each, or -1. Errors: SN_ERROR_ARGUMENT, with a line, where no bone can carry
 * anything, as of cages. */
sn_result sn_carried_find(sn_cooking *cooking, const sn_bone_lines *lines, int32_t *bones);

#endif
