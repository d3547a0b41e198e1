/* SPDX-License-Identifier: MIT */
/* How the mascot moves. Its feet are placed on the ground; hips, spine and head lead, ears and belly are left to the
 * flesh. */
#ifndef SN_AUTHOR_CHARACTERS_MASCOT_MOTION_H
#define SN_AUTHOR_CHARACTERS_MASCOT_MOTION_H

#include "author/characters/motion.h"

void sn_mascot_idle(const sn_rig *rig, double phase, sn_motion_pose *pose);
void sn_mascot_walk(const sn_rig *rig, double phase, sn_motion_pose *pose);
void sn_mascot_jump(const sn_rig *rig, double phase, sn_motion_pose *pose);
void sn_mascot_shake(const sn_rig *rig, double phase, sn_motion_pose *pose);

#endif
