/* SPDX-License-Identifier: MIT */
/* Animations of the mascot. Feet are placed on the ground; hips, spine and head are animated; ears and belly are
 * simulated. */
#ifndef SN_AUTHOR_CHARACTERS_MASCOT_MOTION_H
#define SN_AUTHOR_CHARACTERS_MASCOT_MOTION_H

#include "author/characters/motion.h"

void sn_mascot_idle(const sn_rig *rig, double phase, sn_motion_pose *pose);
void sn_mascot_walk(const sn_rig *rig, double phase, sn_motion_pose *pose);
void sn_mascot_jump(const sn_rig *rig, double phase, sn_motion_pose *pose);
void sn_mascot_shake(const sn_rig *rig, double phase, sn_motion_pose *pose);

#endif
