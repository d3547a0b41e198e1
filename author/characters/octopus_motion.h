/* SPDX-License-Identifier: MIT */
/* How the octopus moves: waves that run down its arms. */
#ifndef SN_AUTHOR_CHARACTERS_OCTOPUS_MOTION_H
#define SN_AUTHOR_CHARACTERS_OCTOPUS_MOTION_H

#include "author/characters/motion.h"

#define SN_OCTOPUS_ARMS 8
#define SN_OCTOPUS_JOINTS 4 /* bones an arm; arm a has bones first + 4 a .. first + 4 a + 3 */

/* Radians from +Z towards +X at which an arm leaves the head: none straight to the front, where the face is. */
double sn_octopus_direction(int arm);

void sn_octopus_idle(const sn_rig *rig, double phase, sn_motion_pose *pose);
void sn_octopus_swim(const sn_rig *rig, double phase, sn_motion_pose *pose);
void sn_octopus_wave(const sn_rig *rig, double phase, sn_motion_pose *pose);

#endif
