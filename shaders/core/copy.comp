/* SPDX-License-Identifier: MIT */
/* Copies a buffer, 16 bytes per invocation. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders/shared/peak.h"

layout(local_size_x = SN_PEAK_GROUP_SIZE) in;
layout(set = 0, binding = 0, std430) writeonly buffer sn_target_buffer { vec4 target[]; };
layout(set = 0, binding = 1, std430) readonly buffer sn_source_buffer { vec4 source[]; };

void main()
{
    target[gl_GlobalInvocationID.x] = source[gl_GlobalInvocationID.x];
}
