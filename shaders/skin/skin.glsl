/* SPDX-License-Identifier: MIT */
/* Morph targets, rig skinning and mode projection, position = sum_b g_b P_b X' + sum_j w_j T_j X', with the normal and
 * tangent of the whole deformation: the implementation of sn_skin_surface in host/skin, which has the formulas.
 *
 * Before including it, declare readonly buffers of set 0 with `vec4 transforms[]` (row-major 3 x 4 matrices, the bones
 * of a body, then its modes) and `float morph_weights[]`. */
#include "shaders/shared/skin.h"

layout(set = 1, binding = 0, std430) readonly buffer sn_starts_buffer { uint influence_starts[]; };
layout(set = 1, binding = 1, std430) readonly buffer sn_influence_buffer { uint influences[]; };
layout(set = 1, binding = 2, std430) readonly buffer sn_mode_weight_buffer { uvec2 mode_weights[]; };
layout(set = 1, binding = 3, std430) readonly buffer sn_morph_starts_buffer { uint morph_starts[]; };
layout(set = 1, binding = 4, std430) readonly buffer sn_morph_delta_buffer { uint morph_deltas[]; };

struct sn_skin_input {
    uint vertex;          // index in the surface
    uint first_transform; // of the body, in matrices
    uint bone_count;
    uint mode_count, mode_stride; // modes in use, and mode weights stored per vertex
    uint first_morph, morph_count; // weights of the body
    float diagonal;                // of the model: unit of derivatives
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

/* A vertex at rest and its tangent frame, which morph targets may skew. */
struct sn_rest {
    vec3 position, tangent, bitangent;
};

vec3 sn_morph_offset(uint word)
{
    return uintBitsToFloat(uvec3(morph_deltas[word + 1], morph_deltas[word + 2], morph_deltas[word + 3]));
}

vec3 sn_rest_position(sn_skin_input v)
{
    vec3 position = v.position;
    if (v.morph_count > 0) {
        for (uint i = morph_starts[v.vertex]; i < morph_starts[v.vertex + 1]; ++i) {
            const uint word = i * SN_MORPH_DELTA_WORDS;
            const float weight = morph_weights[v.first_morph + morph_deltas[word]];
            if (weight != 0) { // most are 0
                position += weight * sn_morph_offset(word);
            }
        }
    }
    return position;
}

sn_rest sn_rest_frame(sn_skin_input v)
{
    sn_rest rest = sn_rest(v.position, v.tangent.xyz, v.tangent.w * cross(v.normal, v.tangent.xyz));
    if (v.morph_count > 0) {
        for (uint i = morph_starts[v.vertex]; i < morph_starts[v.vertex + 1]; ++i) {
            const uint word = i * SN_MORPH_DELTA_WORDS;
            const float weight = morph_weights[v.first_morph + morph_deltas[word]];
            if (weight != 0) {
                const vec2 x = unpackHalf2x16(morph_deltas[word + 4]), y = unpackHalf2x16(morph_deltas[word + 5]);
                const vec2 z = unpackHalf2x16(morph_deltas[word + 6]);
                rest.position += weight * sn_morph_offset(word);
                rest.tangent += weight * vec3(x.x, y.x, z.x);
                rest.bitangent += weight * vec3(x.y, y.y, z.y);
            }
        }
    }
    return rest;
}

/* The position only, for depth passes. */
vec3 sn_skin_position(sn_skin_input v)
{
    sn_matrix blended = sn_zero;
    for (uint i = influence_starts[v.vertex]; i < influence_starts[v.vertex + 1]; ++i) {
        const uint word = i * SN_INFLUENCE_WORDS;
        sn_add(blended, uintBitsToFloat(influences[word + 1]), v.first_transform + influences[word]);
    }
    for (uint j = 0; j < v.mode_count; ++j) {
        const uvec2 packed_weight = mode_weights[v.vertex * v.mode_stride + j];
        sn_add(blended, uintBitsToFloat(packed_weight.x), v.first_transform + v.bone_count + j);
    }
    return sn_apply(blended, vec4(sn_rest_position(v), 1));
}

sn_skinned sn_skin(sn_skin_input v)
{
    const sn_rest rest = sn_rest_frame(v);
    const vec4 x = vec4(rest.position, 1);
    sn_matrix blended = sn_zero, along_t = sn_zero, along_b = sn_zero;
    vec2 rig_sum = vec2(0); // sum of the rig weights' derivatives, nearly 0
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
        const uvec2 packed_weight = mode_weights[v.vertex * v.mode_stride + j];
        const uint transform = v.first_transform + v.bone_count + j;
        const vec2 derivatives = unpackHalf2x16(packed_weight.y);
        sn_add(blended, uintBitsToFloat(packed_weight.x), transform);
        sn_add(along_t, derivatives.x, transform);
        sn_add(along_b, derivatives.y, transform);
    }
    const vec3 jt = sn_apply(blended, vec4(rest.tangent, 0)) +
                    (sn_apply(along_t, x) - rig_sum.x * rig_position) / v.diagonal;
    const vec3 jb =
        sn_apply(blended, vec4(rest.bitangent, 0)) + (sn_apply(along_b, x) - rig_sum.y * rig_position) / v.diagonal;
    sn_skinned result;
    result.position = sn_apply(blended, x);
    vec3 normal = v.tangent.w * cross(jt, jb);
    // A surface that is crushed to a line uses the normal of its linear part.
    if (dot(normal, normal) < 1e-12 * dot(jt, jt) * dot(jb, jb) || dot(normal, normal) == 0) {
        normal = sn_apply(blended, vec4(v.normal, 0));
    }
    result.normal = normalize(dot(normal, normal) > 0 ? normal : v.normal);
    const vec3 tangent = jt - result.normal * dot(result.normal, jt);
    result.tangent = normalize(dot(tangent, tangent) > 0 ? tangent : v.tangent.xyz);
    return result;
}
