/* SPDX-License-Identifier: MIT */
/* Common to all parts of a layered body's step: buffers, its model, and the bone transforms at a fraction of the step,
 * as in host/math/blend.c. The layouts are in shaders/shared/layered.h. */
#include "shaders/shared/layered.h"

layout(set = 1, binding = SN_LAYERED_MODELS, std430) readonly buffer sn_layered_model_buffer
{
    sn_layered_model_record layered_models[];
};
layout(set = 1, binding = SN_LAYERED_TABLES, std430) readonly buffer sn_table_buffer
{
    uint tables[];
};
layout(set = 1, binding = SN_LAYERED_NUMBERS, std430) readonly buffer sn_number_buffer
{
    stored numbers[];
};
layout(set = 1, binding = SN_LAYERED_TABLES, std430) readonly buffer sn_weight_buffer
{
    float weights[];
};
layout(set = 1, binding = SN_LAYERED_RECORDS, std430) readonly buffer sn_layered_buffer
{
    sn_layered_record layered_records[];
};
layout(set = 1, binding = SN_LAYERED_BONES, std430) readonly buffer sn_bone_buffer
{
    stored bones[];
};
layout(set = 1, binding = SN_LAYERED_WORK, std430) coherent buffer sn_work_buffer
{
    real work[];
};

sn_layered_record own;
sn_layered_model_record model;

void find_own()
{
    own = layered_records[first_coupled + body.body];
    model = layered_models[own.model];
}

real bone_number(uint bone, uint i)
{
    return to_real(bones[own.bones + SN_LAYERED_BONE_NUMBERS * bone + i]);
}

real3 bone_vector(uint bone, uint i)
{
    return real3(bone_number(bone, i), bone_number(bone, i + 1), bone_number(bone, i + 2));
}

real4 bone_rotation(uint bone, uint which)
{
    const uint at = SN_LAYERED_AT_ROTATIONS + 4 * which;
    return real4(bone_vector(bone, at), bone_number(bone, at + 3));
}

real3 number_vector(uint at)
{
    return real3(to_real(numbers[at]), to_real(numbers[at + 1]), to_real(numbers[at + 2]));
}

/* Rows of a linear part, and a translation. */
struct affine {
    real3 x, y, z, position;
};

real3 apply(affine m, real3 point)
{
    precise const real3 moved = real3(dot_of(m.x, point), dot_of(m.y, point), dot_of(m.z, point)) + m.position;
    return moved;
}

/* Transform of a bone at the end of the step. */
affine bone_end(uint bone)
{
    return affine(bone_vector(bone, 0), bone_vector(bone, 4), bone_vector(bone, 8),
                  real3(bone_number(bone, 3), bone_number(bone, 7), bone_number(bone, 11)));
}

real3 mean_of(real3 from, real3 to, real fraction)
{
    precise const real3 mean = from + fraction * (to - from);
    return mean;
}

real3 combined(real3 row, real3 a, real3 b, real3 c)
{
    precise const real3 sum = row.x * a + row.y * b + row.z * c;
    return sum;
}

real3 stretch_row(uint bone, uint row, real fraction)
{
    const uint at = SN_LAYERED_AT_STRETCHES + 3 * row;
    return mean_of(bone_vector(bone, at), bone_vector(bone, at + 9), fraction);
}

affine bone_at(uint bone, real fraction)
{
    if (fraction >= real(1.0) || bone_number(bone, SN_LAYERED_AT_STILL) != 0) {
        return bone_end(bone);
    }
    const matrix3 r = matrix_of(blended(bone_rotation(bone, 0), bone_rotation(bone, 1), fraction));
    const real3 s0 = stretch_row(bone, 0, fraction), s1 = stretch_row(bone, 1, fraction),
                s2 = stretch_row(bone, 2, fraction);
    const real3 pivot = number_vector(model.pivots + 3 * bone);
    affine m = affine(combined(r.x, s0, s1, s2), combined(r.y, s0, s1, s2), combined(r.z, s0, s1, s2), real3(0));
    precise real3 position =
        mean_of(bone_vector(bone, SN_LAYERED_AT_POSITIONS), bone_vector(bone, SN_LAYERED_AT_POSITIONS + 3), fraction);
    position -= real3(m.x.x, m.y.x, m.z.x) * pivot.x;
    position -= real3(m.x.y, m.y.y, m.z.y) * pivot.y;
    position -= real3(m.x.z, m.y.z, m.z.z) * pivot.z;
    m.position = position;
    return m;
}

// ---- the current substep ----

uint work_at(uint bone, uint i)
{
    return own.work + SN_LAYERED_WORK_NUMBERS * bone + i;
}

void store_vector(uint bone, uint i, real3 v)
{
    work[work_at(bone, i)] = v.x;
    work[work_at(bone, i + 1)] = v.y;
    work[work_at(bone, i + 2)] = v.z;
}

real3 load_vector(uint bone, uint i)
{
    return real3(work[work_at(bone, i)], work[work_at(bone, i + 1)], work[work_at(bone, i + 2)]);
}

affine bone_now(uint bone)
{
    return affine(load_vector(bone, 0), load_vector(bone, 3), load_vector(bone, 6), load_vector(bone, 9));
}
