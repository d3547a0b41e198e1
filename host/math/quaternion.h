/* SPDX-License-Identifier: MIT */
/* Rotations as unit quaternions xyzw in double, and as row-major 3 x 3 matrices. No transcendental functions, hence
 * bit-identical everywhere. */
#ifndef SN_HOST_MATH_QUATERNION_H
#define SN_HOST_MATH_QUATERNION_H

void sn_quaternion_normalize(double *q);
/* First b, then a; result may alias either. */
void sn_quaternion_multiply(const double *a, const double *b, double *result);
void sn_quaternion_conjugate(const double *q, double *result);
void sn_quaternion_to_matrix(const double *q, double *matrix);
/* Quaternion of a rotation matrix. */
void sn_quaternion_from_matrix(const double *matrix, double *q);
/* Quaternion of a rotation vector by the Cayley transform: correct to third order, and injective below half a turn. */
void sn_quaternion_from_vector(const double *vector, double *q);
void sn_quaternion_to_vector(const double *q, double *vector);
/* Interpolates along the shorter arc by normalised linear interpolation. */
void sn_quaternion_blend(const double *from, const double *to, double fraction, double *result);
/* The rotation R of A = R S, S symmetric, iterated from the initial guess in q (Müller et al. 2016). */
void sn_quaternion_polar(const double *a, double *q);
/* The same, with S = R^T A (3 x 3), symmetric up to rounding. */
void sn_quaternion_split(const double *a, double *q, double *s);
/* The rotation about z nearest to a. */
void sn_quaternion_polar_z(const double *a, double *q);

#endif
