/* SPDX-License-Identifier: MIT */
/* Dual-quaternion blending (Kavan, Collins, Žára and O'Sullivan 2008, "Geometric skinning with approximate dual
 * quaternion blending"), in double, for comparison with linear blend skinning. */
#ifndef SN_HOST_SKIN_DUAL_QUATERNION_H
#define SN_HOST_SKIN_DUAL_QUATERNION_H

typedef struct sn_dual_quaternion {
    double real[4], dual[4]; /* x y z w */
} sn_dual_quaternion;

/* The motion x -> R x + translation. */
sn_dual_quaternion sn_dual_quaternion_make(const double *rotation, const double *translation);
/* sum += weight q, with q's sign chosen to match the sum; start with zeros. */
void sn_dual_quaternion_add(double weight, const sn_dual_quaternion *q, sn_dual_quaternion *sum);
/* Applies the normalised motion of a sum to a point; result must not alias it. */
void sn_dual_quaternion_apply(const sn_dual_quaternion *sum, const double *point, double *result);

#endif
