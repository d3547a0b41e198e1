/* SPDX-License-Identifier: MIT */
#version 460
/* The cells of positions in a grid. */
#extension GL_GOOGLE_include_directive : require

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer sn_position_buffer { vec4 positions[]; };
layout(set = 0, binding = 1, std430) readonly buffer sn_grid_buffer { vec4 grids[]; };
layout(push_constant) uniform constants { uint count; };

float dot_of(vec3 a, vec3 b)
{
    return dot(a, b);
}

#define REAL float
#define REAL3 vec3
#define REAL4 vec4
#include "shaders/contact/distance.glsl"

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    if (i < count) {
        positions[i].xyz = vec3(grid_cell(positions[i].xyz, uvec3(grids[0].xyz)));
    }
}
