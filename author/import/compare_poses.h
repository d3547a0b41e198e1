/* SPDX-License-Identifier: MIT */
/* Compares poses of a bone with a tolerance for the rounding of exporters. */
#ifndef SN_AUTHOR_IMPORT_COMPARE_POSES_H
#define SN_AUTHOR_IMPORT_COMPARE_POSES_H

#include "author/import/character.h"

/* The diagonal of the box of the character's vertices. */
double sn_pose_diagonal(const sn_character *character);
/* Whether a and b (12, affine, relative to the bone's bind transform) differ by more than 1e-3 rad, or at the joint by
 * more than 1e-3 of the diagonal. */
bool sn_poses_differ(const double *a, const double *b, const double *bind, double diagonal);

#endif
