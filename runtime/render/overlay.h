/* SPDX-License-Identifier: MIT */
/* What is drawn over a picture: lines and icons, of a constant size on the screen, smooth at their edges, faded where a
 * body hides them. No Vulkan: who makes marks need not know how they are drawn. */
#ifndef SN_RUNTIME_RENDER_OVERLAY_H
#define SN_RUNTIME_RENDER_OVERLAY_H

#include <stdint.h>

#include "shaders/shared/overlay.h"

/* sRGB, alpha not multiplied in: red in the lowest byte. */
#define SN_MARK_COLOR(r, g, b, a) ((uint32_t)(r) | (uint32_t)(g) << 8 | (uint32_t)(b) << 16 | (uint32_t)(a) << 24)

/* An instance of the shader's: all words of 32 bits. */
typedef struct sn_render_mark {
    float from[3]; /* world */
    float size;    /* units, see the shapes */
    float to[3];   /* of lines and bones, world */
    float
        reach; /* so far behind a surface, in the world's unit, it is not yet hidden: what marks the middle of flesh */
    float offset[2]; /* units right and down of where its place is seen */
    uint32_t shape;  /* SN_MARK_* */
    uint32_t fill;   /* SN_MARK_COLOR */
    uint32_t edge;   /* around the fill, a unit and a half wide */
} sn_render_mark;

typedef struct sn_render_overlay {
    const sn_render_mark *marks; /* (mark_count) each is drawn over those before it */
    int mark_count;
    float scale;        /* pixels a unit, > 0 */
    float hidden_alpha; /* what is left of a mark behind a body, 0 .. 1 */
} sn_render_overlay;

#endif
