/* SPDX-License-Identifier: MIT */
/* Rig skinning plus mode projection, position = sum_b g_b P_b X + sum_j w_j T_j X, and the normal and tangent under the
 * whole deformation: the twin of sn_skin_surface in host/skin, which has the formulas.
 *
 * Include it after `layout(set = 0, binding = 1, std430) readonly buffer` has given `vec4 transforms[]`: row-major 3 x 4
 * matrices, the bones of a body, then its modes. */
#include "shaders/shared/skin.h"

layout(set = 1, binding = 0, std430) readonly buffer sn_starts_buffer { uint influence_starts[]; };
layout(set = 1, binding = 1, std430) readonly buffer sn_influence_buffer { uint influences[]; };
layout(set = 1, binding = 2, std430) readonly buffer sn_mode_weight_buffer { uvec2 mode_weights[]; };

struct sn_skin_input {
    uint vertex;          // in the surface
    uint first_transform; // of the body, in matrices
    uint bone_count, mode_count;
    float diagonal; // of the model: what derivatives are measured in
    vec3 position, normal;
    vec4 tangent; // w: handedness
};

struct sn_skinned {
    vec3 position, normal, tangent;
};

struct sn_matrix {
    vec4 rows[3];
};

vec3 sn_apply(sn_matrix m, vec4 v)
{
    return vec3(dot(m.rows[0], v), dot(m.rows[1], v), dot(m.rows[2], v));
}

void sn_add(inout sn_matrix sum, float weight, uint transform)
{
    const uint row = transform * SN_TRANSFORM_ROWS;
    sum.rows[0] += weight * transforms[row];
    sum.rows[1] += weight * transforms[row + 1];
    sum.rows[2] += weight * transforms[row + 2];
}

const sn_matrix sn_zero = sn_matrix(vec4[3](vec4(0), vec4(0), vec4(0)));

/* The position alone: for depth. */
vec3 sn_skin_position(sn_skin_input v)
{
    sn_matrix blended = sn_zero;
    for (uint i = influence_starts[v.vertex]; i < influence_starts[v.vertex + 1]; ++i) {
        const uint word = i * SN_INFLUENCE_WORDS;
        sn_add(blended, uintBitsToFloat(influences[word + 1]), v.first_transform + influences[word]);
    }
    for (uint j = 0; j < v.mode_count; ++j) {
        const uvec2 packed_weight = mode_weights[v.vertex * v.mode_count + j];
        sn_add(blended, uintBitsToFloat(packed_weight.x), v.first_transform + v.bone_count + j);
    }
    return sn_apply(blended, vec4(v.position, 1));
}

sn_skinned sn_skin(sn_skin_input v)
{
    const vec4 x = vec4(v.position, 1);
    sn_matrix blended = sn_zero, along_t = sn_zero, along_b = sn_zero;
    vec2 rig_sum = vec2(0); // of the rig weights' derivatives: nearly zero
    for (uint i = influence_starts[v.vertex]; i < influence_starts[v.vertex + 1]; ++i) {
        const uint word = i * SN_INFLUENCE_WORDS, transform = v.first_transform + influences[word];
        const vec2 derivatives = unpackHalf2x16(influences[word + 2]);
        sn_add(blended, uintBitsToFloat(influences[word + 1]), transform);
        sn_add(along_t, derivatives.x, transform);
        sn_add(along_b, derivatives.y, transform);
        rig_sum += derivatives;
    }
    const vec3 rig_position = sn_apply(blended, x);
    for (uint j = 0; j < v.mode_count; ++j) {
        const uvec2 packed_weight = mode_weights[v.vertex * v.mode_count + j];
        const uint transform = v.first_transform + v.bone_count + j;
        const vec2 derivatives = unpackHalf2x16(packed_weight.y);
        sn_add(blended, uintBitsToFloat(packed_weight.x), transform);
        sn_add(along_t, derivatives.x, transform);
        sn_add(along_b, derivatives.y, transform);
    }
    const vec3 bitangent = v.tangent.w * cross(v.normal, v.tangent.xyz);
    const vec3 jt = sn_apply(blended, vec4(v.tangent.xyz, 0)) +
                    (sn_apply(along_t, x) - rig_sum.x * rig_position) / v.diagonal;
    const vec3 jb =
        sn_apply(blended, vec4(bitangent, 0)) + (sn_apply(along_b, x) - rig_sum.y * rig_position) / v.diagonal;
    sn_skinned result;
    result.position = sn_apply(blended, x);
    vec3 normal = v.tangent.w * cross(jt, jb);
    // a surface that is crushed to a line keeps the normal that its linear part gives
    if (dot(normal, normal) < 1e-12 * dot(jt, jt) * dot(jb, jb) || dot(normal, normal) == 0) {
        normal = sn_apply(blended, vec4(v.normal, 0));
    }
    result.normal = normalize(dot(normal, normal) > 0 ? normal : v.normal);
    const vec3 tangent = jt - result.normal * dot(result.normal, jt);
    result.tangent = normalize(dot(tangent, tangent) > 0 ? tangent : v.tangent.xyz);
    return result;
}
