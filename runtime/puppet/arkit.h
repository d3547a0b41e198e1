/* SPDX-License-Identifier: MIT */
/* Derives from ARKit's blend shapes: VRM expressions, for characters that lack ARKit's shapes (table in arkit.c), and
 * eye rotations. */
#ifndef SN_RUNTIME_PUPPET_ARKIT_H
#define SN_RUNTIME_PUPPET_ARKIT_H

#include "runtime/puppet/tracking.h"

#define SN_ARKIT_PRESET_COUNT 16

/* Preset name such as "aa"; static text. */
const char *sn_arkit_preset_name(int index);
/* weights: in the order of sn_arkit_name. presets: each clamped to [0, 1]. */
void sn_arkit_presets(const double weights[SN_ARKIT_COUNT], double presets[SN_ARKIT_PRESET_COUNT]);

/* Rotations (xyzw) of the left and the right eye relative to the head; a full weight is SN_EYE_ANGLE_LIMIT radians. */
#define SN_EYE_ANGLE_LIMIT 0.5
void sn_arkit_eyes(const double weights[SN_ARKIT_COUNT], double rotations[2][4]);

/* Swaps left and right. Bit i of *known and weights[i] belong to sn_arkit_name(i). */
void sn_arkit_mirror(uint64_t *known, double weights[SN_ARKIT_COUNT]);

#endif
