/* SPDX-License-Identifier: MIT */
/* Matrices of embedded flesh, interpolated between the last two steps: the implementation of sn_embedding_matrices and
 * host/world/embedded_flesh.c. One invocation per node. The mean gradient of positions is computed as 1 plus that of
 * displacements, to preserve the precision of small strains. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders/xpbd/body.glsl"

#include "shaders/shared/embedded.h"

layout(set = 1, binding = SN_EMBEDDED_TABLES, std430) readonly buffer sn_table_buffer
{
    uint tables[];
};
layout(set = 1, binding = SN_EMBEDDED_NUMBERS, std430) readonly buffer sn_number_buffer
{
    float numbers[];
};
layout(set = 1, binding = SN_EMBEDDED_RECORDS, std430) readonly buffer sn_embedded_buffer
{
    sn_embedded_record embedded_records[];
};
layout(set = 1, binding = SN_EMBEDDED_BONES, std430) readonly buffer sn_bone_buffer
{
    float bones[];
};
layout(set = 1, binding = SN_EMBEDDED_ROWS, std430) readonly buffer sn_row_buffer
{
    vec4 rows_before[];
};
layout(set = 1, binding = SN_EMBEDDED_STATUSES, std430) readonly buffer sn_status_before_buffer
{
    sn_xpbd_status statuses_before[];
};
layout(set = 1, binding = SN_EMBEDDED_MATRICES, std430) writeonly buffer sn_matrix_buffer
{
    float matrices[];
};

sn_embedded_record own;
float amount;

bool has_embedded_flag(uint flag)
{
    return (own.flags & flag) != 0;
}

vec3 interpolated_displacement(uint row)
{
    const vec3 now = displacements[own.row + row].xyz;
    return amount < 1 ? mix(rows_before[own.row + row].xyz, now, amount) : now;
}

real3 interpolated_origin()
{
    const real3 now = triple(statuses[own.body].origin);
    if (!(amount < 1)) {
        return now;
    }
    const real3 before = triple(statuses_before[own.body].origin);
    return before + real(amount) * (now - before);
}

vec3 number_vector(uint at)
{
    return vec3(numbers[at], numbers[at + 1], numbers[at + 2]);
}

void write_row(uint at, vec3 row, float position)
{
    matrices[at] = row.x;
    matrices[at + 1] = row.y;
    matrices[at + 2] = row.z;
    matrices[at + 3] = position;
}

void write_node(uint node)
{
    const uint row = tables[own.nodes + node], to = own.matrix + 12 * (own.bone_count + node);
    const vec3 u = interpolated_displacement(row), rest = number_vector(own.rest_positions + 3 * node);
    vec3 x = vec3(1, 0, 0), y = vec3(0, 1, 0), z = vec3(0, 0, 1);
    for (uint i = tables[own.starts + node]; i < tables[own.starts + node + 1]; ++i) {
        const vec3 across = interpolated_displacement(tables[own.neighbours + i]) - u,
            gradient = number_vector(own.gradients + 3 * i);
        x += across.x * gradient;
        y += across.y * gradient;
        z += across.z * gradient;
    }
    const real3 position = interpolated_origin() + real3(rests[own.rest + row].xyz) + real3(u);
    const vec3 from = vec3(position - real(0.5) * real3(vec3(dot(x, rest), dot(y, rest), dot(z, rest))));
    write_row(to, 0.5 * x, from.x);
    write_row(to + 4, 0.5 * y, from.y);
    write_row(to + 8, 0.5 * z, from.z);
}

void write_bones()
{
    for (uint i = gl_LocalInvocationID.x; i < 12 * own.bone_count; i += SN_XPBD_GROUP_SIZE) {
        const float number = bones[own.bones + i];
        if (has_embedded_flag(SN_EMBEDDED_WRITE_BONES)) {
            matrices[own.bone_matrices + i] = number;
        }
        if (has_embedded_flag(SN_EMBEDDED_WRITE_NODES)) {
            matrices[own.matrix + i] = number;
        }
    }
    const uint empty = has_embedded_flag(SN_EMBEDDED_WRITE_BONES) ? 12 * own.empty_count : 0;
    for (uint i = gl_LocalInvocationID.x; i < empty; i += SN_XPBD_GROUP_SIZE) {
        matrices[own.bone_matrices + 12 * own.bone_count + i] = 0;
    }
}

void main()
{
    own = embedded_records[first_record + gl_WorkGroupID.y];
    const bool skips_interpolation =
        has_embedded_flag(SN_EMBEDDED_NOT_INTERPOLATED) || statuses[own.body].is_recovered != 0;
    amount = skips_interpolation ? 1 : fraction;
    if (gl_WorkGroupID.x == 0) {
        write_bones();
    }
    if (has_embedded_flag(SN_EMBEDDED_WRITE_NODES) && gl_GlobalInvocationID.x < own.node_count) {
        write_node(gl_GlobalInvocationID.x);
    }
}
