/* SPDX-License-Identifier: MIT */
/* Dual-quaternion blending (Kavan, Collins, Žára and O'Sullivan 2008, "Geometric skinning with approximate dual
 * quaternion blending"), in double: what linear blend skinning is compared with. */
#ifndef SN_HOST_SKIN_DUAL_QUATERNION_H
#define SN_HOST_SKIN_DUAL_QUATERNION_H

typedef struct sn_dual_quaternion {
    double real[4], dual[4]; /* x y z w */
} sn_dual_quaternion;

/* x -> R x + translation. */
sn_dual_quaternion sn_dual_quaternion_make(const double *rotation, const double *translation);
/* sum += weight q, with the sign of q on the side of what is there; a zeroed sum is empty. */
void sn_dual_quaternion_add(double weight, const sn_dual_quaternion *q, sn_dual_quaternion *sum);
/* The motion of a sum, normalised, on a point; result may not alias it. */
void sn_dual_quaternion_apply(const sn_dual_quaternion *sum, const double *point, double *result);

#endif
