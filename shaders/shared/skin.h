/* SPDX-License-Identifier: MIT */
/* Layouts shared by C and GLSL. In C the weights are sn_influence, sn_mode_weight and sn_morph_delta of
 * host/skin/skin.h. */
#ifndef SN_SHADERS_SHARED_SKIN_H
#define SN_SHADERS_SHARED_SKIN_H

/* words (32 bits) of one rig influence: bone, weight (float), derivatives along tangent and bitangent (2 halves) */
#define SN_INFLUENCE_WORDS 3
/* words of one mode weight: weight (float), derivatives (2 halves) */
#define SN_MODE_WEIGHT_WORDS 2
/* words of one morph delta: target, offset (3 floats), derivatives of its coordinates (2 halves each) */
#define SN_MORPH_DELTA_WORDS 7
/* vec4 rows of one transform: a row-major 3 x 4 matrix */
#define SN_TRANSFORM_ROWS 3
/* floats per vertex that the capture shaders write: position, normal, tangent */
#define SN_CAPTURE_FLOATS 9
#define SN_CAPTURE_GROUP_SIZE 64
/* vec4 rows of one rest vertex, sn_gpu_vertex of compute/skin; position, normal and tangent come first, packed */
#define SN_VERTEX_ROWS 4

#endif
