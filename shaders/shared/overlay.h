/* SPDX-License-Identifier: MIT */
/* Shapes of the overlay's marks, in C and GLSL. */
#ifndef SN_SHADERS_SHARED_OVERLAY_H
#define SN_SHADERS_SHARED_OVERLAY_H

#define SN_MARK_LINE 0   /* from `from` to `to`, with round ends; size: half its width */
#define SN_MARK_DASHES 1 /* the same, interrupted */
#define SN_MARK_BONE 2   /* an octahedron seen from the side: thick near `from`, a tip at `to`; size: half its width */
#define SN_MARK_DISC 3   /* at `from`, like all below; size: half its height */
#define SN_MARK_SQUARE 4
#define SN_MARK_X 5 /* a badge: a letter of the edge's colour on the fill's */
#define SN_MARK_Y 6
#define SN_MARK_Z 7
#define SN_MARK_TURN 8     /* an arrow that turns */
#define SN_MARK_LOCK 9     /* a padlock */
#define SN_MARK_STRETCH 10 /* an arrow to both sides */
#define SN_MARK_PANEL 11   /* a plate behind text, from its left to its right; size: half its height */
#define SN_MARK_SHAPE_COUNT 12
/* Of lines and panels: `from` and `to` are units right and down of the picture's upper left corner, or, where from's z
 * is 1, of its lower left one; in front of everything */
#define SN_MARK_ON_SCREEN 256

#endif
