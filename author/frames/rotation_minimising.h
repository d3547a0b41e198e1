/* SPDX-License-Identifier: MIT */
/* Frames along a curve that do not turn about it (Wang, Juettler, Zheng, Liu 2008, "Computation of rotation minimizing
 * frames", table I: double reflection, of fourth order in the distance of the places). */
#ifndef SN_AUTHOR_FRAMES_ROTATION_MINIMISING_H
#define SN_AUTHOR_FRAMES_ROTATION_MINIMISING_H

/* points (count x 3), tangents (count x 3) unit, frames (count x 9), row-major with columns t, r, t x r: r starts as
 * what `normal` (3) is across the first tangent, or, where that is nothing, as what Y or Z is. count >= 1. */
void sn_frames_minimise_rotation(int count, const double *points, const double *tangents, const double *normal,
                                 double *frames);

#endif
