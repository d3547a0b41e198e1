/* SPDX-License-Identifier: MIT */
/* Clips as functions of a phase from 0 to 1, sampled to keys. What is periodic in the phase loops exactly: the last key
 * is the first one's copy. */
#ifndef SN_AUTHOR_CHARACTERS_MOTION_H
#define SN_AUTHOR_CHARACTERS_MOTION_H

#include "author/characters/rig.h"

/* Relative to the rest pose; everything of a fresh pose is at rest. */
typedef struct sn_motion_pose {
    double turns[SN_RIG_BONES][4]; /* x y z w, in the parent's axes */
    double moves[SN_RIG_BONES][3]; /* metres, in the parent's axes */
} sn_motion_pose;

typedef void sn_motion_function(const sn_rig *rig, double phase, sn_motion_pose *pose);

typedef struct sn_motion {
    const char *name;
    double seconds; /* a multiple of 1/30 */
    sn_motion_function *pose;
} sn_motion;

/* Turns a bone on top of what it has: by z, then x, then y, in degrees, in its parent's axes. */
void sn_motion_turn(sn_motion_pose *pose, int bone, double x, double y, double z);
/* Where the bone's head is, and how it is turned, in the world. */
void sn_motion_place(const sn_rig *rig, const sn_motion_pose *pose, int bone, double position[3], double turn[4]);
/* Bends upper and lower so that `end`, the child of lower, gets to `target` (as near as it can be), with the joint
 * towards `pole`; end itself is turned by `pitch` degrees about x in the world, and by `yaw` about y. */
void sn_motion_reach(const sn_rig *rig, sn_motion_pose *pose, int end, const double target[3], const double pole[3],
                     double pitch, double yaw);

/* Waves of the phase, in turns: sin(2 pi (phase + shift)). */
double sn_motion_wave(double phase);
/* Smooth curve through (times[i], values[i]) with level ends and no overshoot beyond what the neighbours ask for. */
double sn_motion_curve(const double (*keys)[2], int count, double time);

/* Fills clips and channels: 30 keys a second, linear; bones at rest throughout have no channel. Node i is bone i. */
sn_result sn_motion_publish(const sn_rig *rig, const sn_motion *motions, int count, sn_arena *arena,
                            sn_scene_file *scene);

#endif
