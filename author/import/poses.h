/* SPDX-License-Identifier: MIT */
/* Whether two poses of a bone differ by more than exporters round. */
#ifndef SN_AUTHOR_IMPORT_POSES_H
#define SN_AUTHOR_IMPORT_POSES_H

#include "author/import/character.h"

/* Of the box around the character's vertices. */
double sn_pose_diagonal(const sn_character *character);
/* a, b (12): affine, relative to the bone's bind transform. By 1e-3 radians, or where the joint is by as much of the
 * diagonal. */
bool sn_poses_differ(const double *a, const double *b, const double *bind, double diagonal);

#endif
