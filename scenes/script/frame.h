/* SPDX-License-Identifier: MIT */
/* Affine transforms, 3 x 4, row-major, double precision. */
#ifndef SN_SCENES_SCRIPT_FRAME_H
#define SN_SCENES_SCRIPT_FRAME_H

#include "sinew/types.h"

typedef struct sn_frame {
    double m[3][4];
} sn_frame;

extern const sn_frame sn_frame_identity;

sn_frame sn_frame_from_matrix(const sn_mat3x4 *matrix);
sn_mat3x4 sn_frame_to_matrix(const sn_frame *affine);
/* The product a b: applies b first. */
sn_frame sn_frame_multiply(const sn_frame *a, const sn_frame *b);
/* The identity if `a` is singular. */
sn_frame sn_frame_inverse(const sn_frame *a);
/* Rotation by |axis| radians about `axis`, then translation. */
sn_frame sn_frame_rigid(const double axis[3], const double translation[3]);
/* About the pivot: scale by 1 + stretch along the axes, then rotation; then translation. */
sn_frame sn_frame_about_pivot(const double pivot[3], const double axis[3], const double stretch[3],
                              const double translation[3]);

#endif
