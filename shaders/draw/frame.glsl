/* SPDX-License-Identifier: MIT */
/* Set 0 and the push constants: what every shader of a frame may read. */
#include "shaders/shared/draw.h"

layout(set = 0, binding = SN_FRAME_CONSTANTS, std140) uniform sn_frame_buffer { sn_frame_constants frame; };

layout(push_constant) uniform sn_body_constants
{
    uint first_transform, bone_count, mode_count;
    uint first_morph, morph_count;
    float diagonal;
    float orientation; // -1 where bones mirror: what was wound one way is wound the other
    uint mode_stride;
} body;
