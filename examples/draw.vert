/* SPDX-License-Identifier: MIT */
/* The smallest vertex shader that draws a body: bones and modes in one sum (include/sinew/surface.h). The attributes
 * come from sn_surface and sn_surface_strongest_bones, the matrices from sn_body_output or sn_body_gpu_output. Normals are
 * those of the blended linear part; shaders/skin/skin.glsl has the exact ones, and morph targets. */
#version 460

layout(location = 0) in vec3 rest_position;
layout(location = 1) in vec3 rest_normal;
layout(location = 2) in uvec4 bones; // sn_surface_strongest_bones with a limit of 4
layout(location = 3) in vec4 weights;

layout(location = 0) out vec3 normal;

layout(set = 0, binding = 0, std430) readonly buffer matrix_buffer { vec4 rows[]; };          // three per matrix
layout(set = 0, binding = 1, std430) readonly buffer weight_buffer { float mode_weights[]; }; // (vertices x modes)

layout(push_constant) uniform constants
{
    mat4 clip_from_world;
    uint first_row;  // index of the body's first matrix row; on a device offset / 16, with the whole buffer bound
    uint bone_count; // bone_count of the output
    uint mode_count; // mode_count of the output; less than the model's at a level of detail
    uint model_mode_count;
};

mat3x4 matrix(uint index)
{
    const uint row = first_row + 3 * index;
    return mat3x4(rows[row], rows[row + 1], rows[row + 2]);
}

void main()
{
    mat3x4 blended = mat3x4(0);
    for (uint i = 0; i < 4; ++i) {
        blended += weights[i] * matrix(bones[i]);
    }
    for (uint j = 0; j < mode_count; ++j) {
        blended += mode_weights[uint(gl_VertexIndex) * model_mode_count + j] * matrix(bone_count + j);
    }
    const vec3 x = blended[0].xyz, y = blended[1].xyz, z = blended[2].xyz; // rows of the blended linear part
    const mat3 cofactors = mat3(cross(y, z), cross(z, x), cross(x, y));
    normal = normalize(rest_normal * cofactors);
    gl_Position = clip_from_world * vec4(vec4(rest_position, 1) * blended, 1);
}
