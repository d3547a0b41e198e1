/* SPDX-License-Identifier: MIT */
/* Rotations of directions, as unit quaternions xyzw. */
#ifndef SN_AUTHOR_RETARGET_ROTATIONS_H
#define SN_AUTHOR_RETARGET_ROTATIONS_H

/* Rotates a vector by a quaternion. */
void sn_rig_rotate(const double *rotation, const double *vector, double *result);
/* The smallest rotation from one direction to another; identity if either has zero length. */
void sn_rig_rotate_to(const double *from, const double *to, double *rotation);
/* The rotation from x, y, z to left, up and left x up; left is made orthogonal to up. */
void sn_rig_axes(const double *left, const double *up, double *rotation);

#endif
