/* SPDX-License-Identifier: MIT */
/* Two-bone inverse kinematics. */
#ifndef SN_AUTHOR_MOTIONS_TWO_BONE_H
#define SN_AUTHOR_MOTIONS_TWO_BONE_H

/* Computes the vectors of two bones with these lengths from the start of the first to a point `line` away from it, or
 * as near as possible; the joint between them bends towards the unit vector `pole`. */
void sn_two_bone_solve(const double lengths[2], const double line[3], const double pole[3], double first[3],
                       double second[3]);

#endif
