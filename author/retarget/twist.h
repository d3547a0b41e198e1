/* SPDX-License-Identifier: MIT */
/* Rotations along a chain of two bones, as a limb can have them. */
#ifndef SN_AUTHOR_RETARGET_TWIST_H
#define SN_AUTHOR_RETARGET_TWIST_H

/* The part of a rotation about a unit axis: of rotation = swing twist. A half turn across the axis has none. */
void sn_rig_twist(const double *rotation, const double *axis, double *twist);
/* The angle of such a part, -pi .. pi, radians. */
double sn_rig_twist_angle(const double *twist, const double *axis);

/* By an angle, radians, about a unit axis. */
void sn_rig_about(const double *axis, double angle, double *rotation);

/* A wrist does not twist: the forearm does. What the hand's local rotation twists about the forearm's axis beyond
 * `most` is given to the forearm's, which itself twists no further than `most_upper`; what is beyond that is lost.
 * Below both limits the hand's rotation in the world is what it was. Radians; axis: unit, the forearm's. */
void sn_rig_limit_twist(double *upper, double *lower, const double *axis, double most, double most_upper);

#endif
