/* SPDX-License-Identifier: MIT */
/* Set 0 and the push constants, available to all shaders of a frame. */
#include "shaders/shared/draw.h"

layout(set = 0, binding = SN_FRAME_CONSTANTS, std140) uniform sn_frame_buffer { sn_frame_constants frame; };

layout(push_constant) uniform sn_body_constants
{
    uint first_transform, bone_count, mode_count;
    uint first_morph, morph_count;
    float diagonal;
    float orientation; // -1 if bones mirror the body, which reverses the winding
    uint mode_stride;
} body;
