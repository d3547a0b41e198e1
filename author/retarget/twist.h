/* SPDX-License-Identifier: MIT */
/* Distributes twist along a chain of two bones. */
#ifndef SN_AUTHOR_RETARGET_TWIST_H
#define SN_AUTHOR_RETARGET_TWIST_H

/* The part of a rotation (swing times twist) about a unit axis; identity for a half turn perpendicular to the axis. */
void sn_rig_twist(const double *rotation, const double *axis, double *twist);
/* The angle of a twist in radians, -pi .. pi. */
double sn_rig_twist_angle(const double *twist, const double *axis);

/* The rotation by an angle (rad) about a unit axis. */
void sn_rig_axis_rotation(const double *axis, double angle, double *rotation);

/* Moves excess twist of a hand to its forearm, since a wrist cannot twist. Twist of the hand's local rotation about the
 * forearm's unit axis beyond `max_twist` goes to the forearm, whose twist is limited to `max_upper_twist`; twist beyond
 * both limits is discarded. Within both limits, the hand's world rotation is unchanged. Angles in radians. */
void sn_rig_limit_twist(double *upper, double *lower, const double *axis, double max_twist, double max_upper_twist);

#endif
