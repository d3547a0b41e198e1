/* SPDX-License-Identifier: MIT */
/* Shapes of overlay markers, for C and GLSL. */
#ifndef SN_SHADERS_SHARED_OVERLAY_H
#define SN_SHADERS_SHARED_OVERLAY_H

#define SN_MARKER_LINE 0   /* from `from` to `to`, with round caps; size: half width */
#define SN_MARKER_DASHES 1 /* a dashed line */
#define SN_MARKER_BONE 2   /* an octahedron in profile: thick near `from`, a tip at `to`; size: half width */
#define SN_MARKER_DISC 3   /* at `from`, as all below; size: half height */
#define SN_MARKER_SQUARE 4
#define SN_MARKER_X 5 /* a badge: a letter in the edge color on the fill color */
#define SN_MARKER_Y 6
#define SN_MARKER_Z 7
#define SN_MARKER_ROTATION 8 /* a circular arrow */
#define SN_MARKER_LOCK 9     /* a padlock */
#define SN_MARKER_STRETCH 10 /* a double arrow */
#define SN_MARKER_PANEL 11   /* a text background from its left to its right end; size: half height */
#define SN_MARKER_SHAPE_COUNT 12
/* Flag of lines and panels, drawn in front of everything: `from` and `to` are units right of and below the image's
 * upper left corner, or its lower left corner if from.z is 1. */
#define SN_MARKER_ON_SCREEN 256

#endif
