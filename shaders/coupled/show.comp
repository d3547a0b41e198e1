/* SPDX-License-Identifier: MIT */
/* Matrices for the vertex shader: handles interpolated between the last two steps, one workgroup per body. The
 * implementation of the blend in host/coupled/table.c: pivots linearly, rotations along the shorter arc, stretch
 * separately. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders/xpbd/body.glsl"

#include "shaders/coupled/rig.glsl"
#include "shaders/coupled/quaternion.glsl"

layout(set = 1, binding = SN_COUPLED_MATRICES, std430) writeonly buffer sn_matrix_buffer { float matrices[]; };

struct transform34 {
    matrix3 linear;
    real3 position;
};

transform34 output_transform(uint at)
{
    return transform34(matrix3(real3(state_at(at), state_at(at + 1), state_at(at + 2)),
                               real3(state_at(at + 4), state_at(at + 5), state_at(at + 6)),
                               real3(state_at(at + 8), state_at(at + 9), state_at(at + 10))),
                       real3(state_at(at + 3), state_at(at + 7), state_at(at + 11)));
}

/* R^T A */
matrix3 stretch_of(matrix3 linear, matrix3 r)
{
    const matrix3 inverse_rotation = transposed(r), columns = transposed(linear);
    matrix3 stretch;
    stretch.x =
        real3(dot_of(inverse_rotation.x, columns.x), dot_of(inverse_rotation.x, columns.y),
        dot_of(inverse_rotation.x, columns.z));
    stretch.y =
        real3(dot_of(inverse_rotation.y, columns.x), dot_of(inverse_rotation.y, columns.y),
        dot_of(inverse_rotation.y, columns.z));
    stretch.z =
        real3(dot_of(inverse_rotation.z, columns.x), dot_of(inverse_rotation.z, columns.y),
        dot_of(inverse_rotation.z, columns.z));
    return stretch;
}

real3 product_row(real3 row, matrix3 m)
{
    precise const real3 sum = row.x * m.x + row.y * m.y + row.z * m.z;
    return sum;
}

real3 between(real3 from, real3 to, real amount)
{
    precise const real3 mean = from + amount * (to - from);
    return mean;
}

transform34 blend_transforms(transform34 from, transform34 to, real3 pivot, real amount)
{
    const real4 rotation_from = polar(from.linear, IDENTITY_ROTATION), rotation_to = polar(to.linear, rotation_from);
    const matrix3 s = stretch_of(from.linear, matrix_of(rotation_from)),
        t = stretch_of(to.linear, matrix_of(rotation_to));
    const matrix3 r = matrix_of(blended(rotation_from, rotation_to, amount));
    const matrix3 stretch = matrix3(between(s.x, t.x, amount), between(s.y, t.y, amount), between(s.z, t.z, amount));
    const matrix3 linear = matrix3(product_row(r.x, stretch), product_row(r.y, stretch), product_row(r.z, stretch));
    precise const real3 first = multiply(from.linear, pivot) + from.position,
        last = multiply(to.linear, pivot) + to.position;
    precise real3 position = between(first, last, amount);
    const matrix3 columns = transposed(linear);
    position -= columns.x * pivot.x;
    position -= columns.y * pivot.y;
    position -= columns.z * pivot.z;
    return transform34(linear, position);
}

void write_row(uint at, real3 row, real position)
{
    matrices[at] = float(row.x);
    matrices[at + 1] = float(row.y);
    matrices[at + 2] = float(row.z);
    matrices[at + 3] = float(position);
}

void write_handle(uint k)
{
    const uint before = at_output() + 24 * k, to = own.matrix + 12 * k;
    transform34 now = output_transform(before + 12);
    bool has_moved = false;
    for (uint i = 0; i < 12; ++i) {
        has_moved = state_at(before + i) != state_at(before + 12 + i) ? true : has_moved;
    }
    if (fraction < 1 && has_moved) {
        precise const real3 pivot = pivot_of(k) + triple(rig.centre);
        now = blend_transforms(output_transform(before), now, pivot, real(fraction));
    }
    write_row(to, now.linear.x, now.position.x);
    write_row(to + 4, now.linear.y, now.position.y);
    write_row(to + 8, now.linear.z, now.position.z);
}

void main()
{
    own = coupled_records[first_coupled + gl_WorkGroupID.x];
    rig = rigs[own.rig];
    dimension = (own.flags & SN_COUPLED_FLAT) != 0 ? 2 : 3;
    basis = rig.basis_count;
    const bool is_used = (own.flags & SN_COUPLED_USED) != 0;
    for (uint k = gl_LocalInvocationID.x; is_used && k < rig.handle_count; k += SN_XPBD_GROUP_SIZE) {
        write_handle(k);
    }
    for (uint i = gl_LocalInvocationID.x; is_used && i < 12 * own.empty_count; i += SN_XPBD_GROUP_SIZE) {
        matrices[own.matrix + 12 * rig.handle_count + i] = 0;
    }
}
