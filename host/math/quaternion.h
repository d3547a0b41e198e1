/* SPDX-License-Identifier: MIT */
/* Rotations as unit quaternions xyzw in double, and as row-major 3 x 3 matrices. No transcendentals: the same bits
 * everywhere. */
#ifndef SN_HOST_MATH_QUATERNION_H
#define SN_HOST_MATH_QUATERNION_H

void sn_quaternion_normalize(double *q);
/* First b, then a; result may alias either. */
void sn_quaternion_multiply(const double *a, const double *b, double *result);
void sn_quaternion_conjugate(const double *q, double *result);
void sn_quaternion_to_matrix(const double *q, double *matrix);
/* Of a rotation. */
void sn_quaternion_from_matrix(const double *matrix, double *q);
/* A rotation vector, as the Cayley transform takes it: right to third order, and one to one below half a turn. */
void sn_quaternion_from_vector(const double *vector, double *q);
void sn_quaternion_to_vector(const double *q, double *vector);
/* The shorter way, at `fraction` of it, by normalised linear interpolation. */
void sn_quaternion_blend(const double *from, const double *to, double fraction, double *result);
/* The rotation R of A = R S, S symmetric, from the one in q on (Müller et al. 2016). */
void sn_quaternion_polar(const double *a, double *q);
/* The same, and S = R^T A (3 x 3), which is symmetric but for rounding. */
void sn_quaternion_split(const double *a, double *q, double *s);
/* The rotation about z that is nearest to a. */
void sn_quaternion_polar_z(const double *a, double *q);

#endif
