/* SPDX-License-Identifier: MIT */
/* Transforms of 3 x 4 numbers, row-major, as poses have them. */
#ifndef SN_SCENES_SCRIPT_FRAME_H
#define SN_SCENES_SCRIPT_FRAME_H

#include "sinew/types.h"

typedef struct sn_frame {
    double m[3][4];
} sn_frame;

extern const sn_frame sn_frame_identity;

sn_frame sn_frame_of(const sn_mat3x4 *matrix);
sn_mat3x4 sn_frame_to(const sn_frame *affine);
/* a after b. */
sn_frame sn_frame_after(const sn_frame *a, const sn_frame *b);
/* Of one that is singular: the identity. */
sn_frame sn_frame_inverse(const sn_frame *a);
/* Turns by |axis| about it; then moves. */
sn_frame sn_frame_rigid(const double axis[3], const double translation[3]);
/* Stretches by 1 + stretch along the axes and turns about a pivot; then moves. */
sn_frame sn_frame_about(const double pivot[3], const double axis[3], const double stretch[3],
                        const double translation[3]);

#endif
