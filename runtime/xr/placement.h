/* SPDX-License-Identifier: MIT */
/* Placement of a world in the headset's space: rotation about y, translation and scale. */
#ifndef SN_RUNTIME_XR_PLACEMENT_H
#define SN_RUNTIME_XR_PLACEMENT_H

typedef struct sn_xr_pose {
    double orientation[4]; /* unit quaternion xyzw */
    double position[3];
} sn_xr_pose;

typedef struct sn_xr_placement {
    double anchor[3];       /* reference point in the world */
    double position[3];     /* of the anchor in the headset's space, metres */
    double yaw;             /* rotation of the world about y, radians: +z towards +x */
    double metres_per_unit; /* metres per world unit, > 0 */
} sn_xr_placement;

/* Converts a pose from the headset's space to the world. */
sn_xr_pose sn_xr_to_world(const sn_xr_placement *placement, const sn_xr_pose *pose);
/* Transforms a point from the pose's local frame. */
void sn_xr_pose_apply(const sn_xr_pose *pose, const double point[3], double result[3]);
/* Transforms a point to the pose's local frame. */
void sn_xr_pose_invert(const sn_xr_pose *pose, const double point[3], double result[3]);

/* Rotation about y of a pose that looks along its -z: +z towards +x, like sn_xr_placement.yaw; 0 if it looks straight
 * up or down. */
double sn_xr_yaw(const sn_xr_pose *pose);

#endif
