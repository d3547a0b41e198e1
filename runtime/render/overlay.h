/* SPDX-License-Identifier: MIT */
/* Overlay markers: lines and icons of constant screen size, antialiased, faded where a body hides them. Independent of
 * Vulkan. */
#ifndef SN_RUNTIME_RENDER_OVERLAY_H
#define SN_RUNTIME_RENDER_OVERLAY_H

#include <stdint.h>

#include "shaders/shared/overlay.h"

/* sRGB with straight alpha; red in the lowest byte. */
#define SN_MARKER_COLOR(r, g, b, a) ((uint32_t)(r) | (uint32_t)(g) << 8 | (uint32_t)(b) << 16 | (uint32_t)(a) << 24)

/* Instance data of the shader; all words have 32 bits. */
typedef struct sn_render_marker {
    float from[3];       /* world */
    float size;          /* units; see the shapes */
    float to[3];         /* end point of lines and bones, world */
    float visible_depth; /* depth behind a surface, world units, up to which the marker counts as visible */
    float offset[2];     /* units right and down of the projected position */
    uint32_t shape;      /* SN_MARKER_* */
    uint32_t fill;       /* SN_MARKER_COLOR */
    uint32_t edge;       /* color of the outline, 1.5 units wide */
} sn_render_marker;

typedef struct sn_render_overlay {
    const sn_render_marker *markers; /* (marker_count) drawn in this order */
    int marker_count;
    float scale;        /* pixels per unit, > 0 */
    float hidden_alpha; /* opacity of markers behind a body, 0 to 1 */
} sn_render_overlay;

#endif
