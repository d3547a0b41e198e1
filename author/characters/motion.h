/* SPDX-License-Identifier: MIT */
/* Clips as functions of a phase from 0 to 1, sampled to keys. Periodic functions loop exactly, because the last key is
 * a copy of the first. */
#ifndef SN_AUTHOR_CHARACTERS_MOTION_H
#define SN_AUTHOR_CHARACTERS_MOTION_H

#include "author/characters/rig.h"

/* A pose relative to the rest pose; initially at rest. */
typedef struct sn_motion_pose {
    double rotations[SN_RIG_BONES][4];    /* quaternions x y z w, in the parent's axes */
    double translations[SN_RIG_BONES][3]; /* translations in metres, in the parent's axes */
} sn_motion_pose;

typedef void sn_motion_function(const sn_rig *rig, double phase, sn_motion_pose *pose);

typedef struct sn_motion {
    const char *name;
    double seconds; /* a multiple of 1/30 */
    sn_motion_function *pose;
} sn_motion;

/* Applies an additional rotation to a bone: about z, then x, then y, in degrees, in its parent's axes. */
void sn_motion_rotate(sn_motion_pose *pose, int bone, double x, double y, double z);
/* Computes the world position of a bone's head and the bone's world rotation. */
void sn_motion_world_transform(const sn_rig *rig, const sn_motion_pose *pose, int bone, double position[3],
                               double rotation[4]);
/* Two-bone inverse kinematics: rotates the upper and lower bone so that `end`, the child of the lower bone, reaches
 * `target` as nearly as possible, with the joint towards `pole`. `end` gets a world rotation of `pitch` degrees about x
 * and `yaw` degrees about y. */
void sn_motion_solve_ik(const sn_rig *rig, sn_motion_pose *pose, int end, const double target[3], const double pole[3],
                        double pitch, double yaw);

/* Returns sin(2 pi phase). */
double sn_motion_wave(double phase);
/* Evaluates a smooth curve through keys (time, value), with zero slope at the ends and no overshoot. */
double sn_motion_curve(const double (*keys)[2], int count, double time);

/* Writes clips and channels: 30 linear keys per second. Bones that stay at rest have no channel. Node i is bone i. */
sn_result sn_motion_write(const sn_rig *rig, const sn_motion *motions, int count, sn_arena *arena,
                          sn_scene_file *scene);

#endif
