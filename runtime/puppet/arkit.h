/* SPDX-License-Identifier: MIT */
/* What else ARKit's blend shapes say: VRM's expressions, for characters that have these and not ARKit's, as sums of
 * weights by the table in arkit.c; and where the eyes look. */
#ifndef SN_RUNTIME_PUPPET_ARKIT_H
#define SN_RUNTIME_PUPPET_ARKIT_H

#include "runtime/puppet/tracking.h"

#define SN_ARKIT_PRESET_COUNT 16

/* "aa"; static text */
const char *sn_arkit_preset_name(int index);
/* weights: of sn_arkit_name; presets: each within 0 .. 1 */
void sn_arkit_presets(const double weights[SN_ARKIT_COUNT], double presets[SN_ARKIT_PRESET_COUNT]);

/* Rotations of the left and the right eye against the head, xyzw; a full weight is SN_EYE_REACH radians. */
#define SN_EYE_REACH 0.5
void sn_arkit_eyes(const double weights[SN_ARKIT_COUNT], double rotations[2][4]);

/* Changes left with right; bit i of *known and weights[i] are of sn_arkit_name(i). */
void sn_arkit_mirror(uint64_t *known, double weights[SN_ARKIT_COUNT]);

#endif
