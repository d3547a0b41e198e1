/* SPDX-License-Identifier: MIT */
/* Frames along a curve without rotation about it (Wang, Juettler, Zheng, Liu 2008, "Computation of rotation minimizing
 * frames", table I: double reflection, of fourth order in the distance of the points). */
#ifndef SN_AUTHOR_FRAMES_ROTATION_MINIMISING_H
#define SN_AUTHOR_FRAMES_ROTATION_MINIMISING_H

/* points (count x 3), unit tangents (count x 3), frames (count x 9), row-major with columns t, r, t x r. The first r is
 * `normal` (3) projected orthogonally to the first tangent; if that is zero, the projected Y or Z axis. count >= 1. */
void sn_frames_minimise_rotation(int count, const double *points, const double *tangents, const double *normal,
                                 double *frames);

#endif
