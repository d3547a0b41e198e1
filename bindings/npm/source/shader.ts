// SPDX-License-Identifier: MIT
// Adds the modes to a material's vertex shader: position = (bones' blend) X + sum_j w_j T_j X, where T_j are the
// matrices of a body's output and w_j the weights of the model's surface (surface.h). Every material works whose shader
// includes three.js's chunks skinning_vertex and skinnormal_vertex: the built-in ones and three-vrm's MToonMaterial.

import * as THREE from 'three';

/** Shared by the materials of one avatar. */
export interface FleshUniforms {
    sinewSurface: THREE.IUniform<THREE.DataTexture>;
    sinewMatrices: THREE.IUniform<THREE.DataTexture>;
    sinewModeCount: THREE.IUniform<number>;
    /** Texels of a vertex in sinewSurface. */
    sinewStride: THREE.IUniform<number>;
    sinewDiagonal: THREE.IUniform<number>;
}

// sinewSurface: for each vertex its tangent, then for each mode its weight and the weight's derivatives along tangent
// and bitangent, per diagonal. sinewMatrices: rows of three texels, each a row of a 3 x 4 matrix: for each mesh two
// matrices, from its space to model units and, for displacements, back; then the modes. Row counts are in
// sinewVertex.y: the first row of the mesh, and sinewFirstMode. The normal ignores that morph targets move X.
const declarations = /* glsl */ `
attribute vec3 sinewVertex; // vertex of the model's surface or -1, first row of the mesh, first row of the modes
uniform highp sampler2D sinewSurface;
uniform highp sampler2D sinewMatrices;
uniform int sinewModeCount;
uniform int sinewStride;
uniform float sinewDiagonal;

vec4 sinewBlend[3]; // sum_j w_j T_j
vec3 sinewAlongTangent, sinewAlongBitangent; // sum_j dw_j/dt T_j X
vec4 sinewTangent;

vec4 sinewRow(int matrix, int row) {
    return texelFetch(sinewMatrices, ivec2(row, matrix), 0);
}

vec3 sinewTransform(int matrix, vec4 v) {
    return vec3(dot(sinewRow(matrix, 0), v), dot(sinewRow(matrix, 1), v), dot(sinewRow(matrix, 2), v));
}

vec4 sinewTexel(int index) {
    int width = textureSize(sinewSurface, 0).x;
    return texelFetch(sinewSurface, ivec2(index % width, index / width), 0);
}

void sinewPrepare(vec3 position) {
    sinewBlend[0] = sinewBlend[1] = sinewBlend[2] = vec4(0.0);
    sinewAlongTangent = sinewAlongBitangent = vec3(0.0);
    if (sinewVertex.x < 0.0) {
        return;
    }
    int first = int(sinewVertex.x + 0.5) * sinewStride;
    vec4 rest = vec4(sinewTransform(int(sinewVertex.y + 0.5), vec4(position, 1.0)), 1.0);
    sinewTangent = sinewTexel(first);
    for (int mode = 0; mode < sinewModeCount; ++mode) {
        vec3 weight = sinewTexel(first + 1 + mode).xyz;
        int matrix = int(sinewVertex.z + 0.5) + mode;
        vec4 x = sinewRow(matrix, 0), y = sinewRow(matrix, 1), z = sinewRow(matrix, 2);
        vec3 moved = vec3(dot(x, rest), dot(y, rest), dot(z, rest));
        sinewBlend[0] += weight.x * x;
        sinewBlend[1] += weight.x * y;
        sinewBlend[2] += weight.x * z;
        sinewAlongTangent += weight.y * moved;
        sinewAlongBitangent += weight.z * moved;
    }
}

vec3 sinewApply(vec4 v) {
    return vec3(dot(sinewBlend[0], v), dot(sinewBlend[1], v), dot(sinewBlend[2], v));
}

vec3 sinewDisplacement(vec3 rest) {
    if (sinewVertex.x < 0.0) {
        return vec3(0.0);
    }
    int toModel = int(sinewVertex.y + 0.5);
    vec3 displacement = sinewApply(vec4(sinewTransform(toModel, vec4(rest, 1.0)), 1.0));
    return sinewTransform(toModel + 1, vec4(displacement, 0.0));
}

// The change of a normal: the cross product of the moved tangents with the modes, minus that without. rig: the bones'
// blend; to_mesh: from model units to the mesh at bind.
vec3 sinewNormalChange(mat3 rig, vec3 normal) {
    if (sinewVertex.x < 0.0) {
        return vec3(0.0);
    }
    int toModel = int(sinewVertex.y + 0.5);
    mat3 linear = transpose(mat3(sinewRow(toModel, 0).xyz, sinewRow(toModel, 1).xyz, sinewRow(toModel, 2).xyz));
    vec3 t = sinewTangent.xyz, b = sinewTangent.w * cross(normalize(linear * normal), t);
    mat3 toPosed = rig * inverse(linear);
    vec3 rigTangent = toPosed * t, rigBitangent = toPosed * b;
    vec3 tangent = rigTangent + sinewTransform(toModel + 1, vec4(sinewApply(vec4(t, 0.0)) +
        sinewAlongTangent / sinewDiagonal, 0.0));
    vec3 bitangent = rigBitangent + sinewTransform(toModel + 1, vec4(sinewApply(vec4(b, 0.0)) +
        sinewAlongBitangent / sinewDiagonal, 0.0));
    vec3 moved = cross(tangent, bitangent), still = cross(rigTangent, rigBitangent);
    float lengths = length(moved) * length(still);
    return lengths > 0.0 ? sinewTangent.w * (moved / length(moved) - still / length(still)) : vec3(0.0);
}
`;

const normalCode = /* glsl */ `
#include <skinnormal_vertex>
#ifdef USE_SKINNING
    objectNormal = normalize(objectNormal) + sinewNormalChange(mat3(skinMatrix), normal);
#else
    objectNormal = normalize(objectNormal) + sinewNormalChange(mat3(1.0), normal);
#endif
`;

const positionCode = /* glsl */ `
vec3 sinewMoved = sinewDisplacement(transformed);
#include <skinning_vertex>
transformed += sinewMoved;
`;

function edit(shader: string): string {
    return shader
        .replace(/void\s+main\s*\(\s*\)\s*\{/, (main) => `${declarations}\n${main}\n    sinewPrepare(position);`)
        .replace('#include <skinnormal_vertex>', normalCode)
        .replace('#include <skinning_vertex>', positionCode);
}

/** Patches the material in place. */
export function addModes(material: THREE.Material, uniforms: FleshUniforms): void {
    const { onBeforeCompile, customProgramCacheKey } = material;
    const key = customProgramCacheKey.call(material);
    material.onBeforeCompile = (parameters, renderer) => {
        onBeforeCompile.call(material, parameters, renderer);
        parameters.vertexShader = edit(parameters.vertexShader);
        Object.assign(parameters.uniforms, uniforms);
    };
    // Three's default key is the text of onBeforeCompile, which is the same function here for all materials.
    const isDefault = customProgramCacheKey === THREE.Material.prototype.customProgramCacheKey;
    material.customProgramCacheKey = () => `sinew,${isDefault ? key : customProgramCacheKey.call(material)}`;
    material.needsUpdate = true;
}
