/* SPDX-License-Identifier: MIT */
/* Animations of the octopus: waves along its arms. */
#ifndef SN_AUTHOR_CHARACTERS_OCTOPUS_MOTION_H
#define SN_AUTHOR_CHARACTERS_OCTOPUS_MOTION_H

#include "author/characters/motion.h"

#define SN_OCTOPUS_ARMS 8
#define SN_OCTOPUS_JOINTS 4 /* bones per arm; arm a has bones first + 4 a to first + 4 a + 3 */

/* Returns the direction of an arm at the head, in radians from +Z towards +X. No arm points straight to the front,
 * where the face is. */
double sn_octopus_direction(int arm);

void sn_octopus_idle(const sn_rig *rig, double phase, sn_motion_pose *pose);
void sn_octopus_swim(const sn_rig *rig, double phase, sn_motion_pose *pose);
void sn_octopus_wave(const sn_rig *rig, double phase, sn_motion_pose *pose);

#endif
