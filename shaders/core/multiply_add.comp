/* SPDX-License-Identifier: MIT */
/* Measures the peak rate of fused multiply-adds: independent chains without memory accesses. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders/shared/peak.h"

layout(local_size_x = SN_PEAK_GROUP_SIZE) in;
layout(set = 0, binding = 0, std430) writeonly buffer sn_result_buffer { float results[]; };
layout(set = 0, binding = 1, std430) readonly buffer sn_factor_buffer { float factors[]; };

void main()
{
    const float factor = factors[0], term = factors[1]; // unknown to the compiler
    const vec4 first = vec4(gl_LocalInvocationIndex);
    vec4 a = first, b = first + 1, c = first + 2, d = first + 3; // no array, which drivers may put into memory
    for (uint round = 0; round < SN_PEAK_ROUNDS; ++round) {
        a = fma(a, vec4(factor), vec4(term));
        b = fma(b, vec4(factor), vec4(term));
        c = fma(c, vec4(factor), vec4(term));
        d = fma(d, vec4(factor), vec4(term));
    }
    const vec4 sum = a + b + c + d;
    if (sum.x + sum.y + sum.z + sum.w == 1) { // never true
        results[gl_LocalInvocationIndex] = sum.x;
    }
}
