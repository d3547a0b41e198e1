/* SPDX-License-Identifier: MIT */
/* As many fused multiplications and additions of floats as the device does at best: chains that do not wait for each
 * other, with nothing in memory but what they end at. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders/shared/peak.h"

layout(local_size_x = SN_PEAK_GROUP_SIZE) in;
layout(set = 0, binding = 0, std430) writeonly buffer sn_result_buffer { float results[]; };
layout(set = 0, binding = 1, std430) readonly buffer sn_factor_buffer { float factors[]; };

void main()
{
    const float factor = factors[0], term = factors[1]; // that no compiler knows
    const vec4 first = vec4(gl_LocalInvocationIndex);
    vec4 a = first, b = first + 1, c = first + 2, d = first + 3; // no array: drivers may put one in memory
    for (uint round = 0; round < SN_PEAK_ROUNDS; ++round) {
        a = fma(a, vec4(factor), vec4(term));
        b = fma(b, vec4(factor), vec4(term));
        c = fma(c, vec4(factor), vec4(term));
        d = fma(d, vec4(factor), vec4(term));
    }
    const vec4 sum = a + b + c + d;
    if (sum.x + sum.y + sum.z + sum.w == 1) { // never
        results[gl_LocalInvocationIndex] = sum.x;
    }
}
