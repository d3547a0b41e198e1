/* SPDX-License-Identifier: MIT */
/* Doubles the first `count` words. */
#version 460

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer word_buffer { uint words[]; };
layout(push_constant) uniform push { uint count; };

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    if (i < count) {
        words[i] *= 2;
    }
}
