/* SPDX-License-Identifier: MIT */
/* Where a world lies in the headset's space: turned about y, moved and scaled. */
#ifndef SN_RUNTIME_XR_PLACE_H
#define SN_RUNTIME_XR_PLACE_H

typedef struct sn_xr_pose {
    double orientation[4]; /* unit quaternion xyzw */
    double position[3];
} sn_xr_pose;

typedef struct sn_xr_place {
    double anchor[3];   /* of the world */
    double position[3]; /* where that is in the headset's space, metres */
    double yaw;         /* by which the world is turned there about y, radians: +z towards +x */
    double metres;      /* a unit of the world, > 0 */
} sn_xr_place;

/* From the headset's space to the world. */
sn_xr_pose sn_xr_to_world(const sn_xr_place *place, const sn_xr_pose *pose);
/* A point of a pose's own frame: the pose's units. */
void sn_xr_pose_apply(const sn_xr_pose *pose, const double point[3], double result[3]);
/* And back. */
void sn_xr_pose_invert(const sn_xr_pose *pose, const double point[3], double result[3]);

/* How far what looks along -z is turned about y: +z towards +x, as yaw above; 0 where it looks straight up or down. */
double sn_xr_yaw(const sn_xr_pose *pose);

#endif
