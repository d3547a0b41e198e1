/* SPDX-License-Identifier: MIT */
/* Stable Neo-Hookean flesh, used instead of rotations: the implementation of host/reduced/kernels/neo_hookean.inc,
 * operation by operation, which has the formulas. Matrices are float[9], row-major. */

#define MAX_VOLUME_CHANGE 1     // maximum of |J - 1|
#define MAX_SQUARED_STRETCH 18 // of |a|^2; beyond, the volume change is limited

/* Cofactors of b, row by row. */
void sn_cofactors(float b[9], out float c[9])
{
    precise const float cofactors[9] =
        float[9](b[4] * b[8] - b[5] * b[7], b[5] * b[6] - b[3] * b[8], b[3] * b[7] - b[4] * b[6],
                 b[2] * b[7] - b[1] * b[8], b[0] * b[8] - b[2] * b[6], b[1] * b[6] - b[0] * b[7],
                 b[1] * b[5] - b[2] * b[4], b[2] * b[3] - b[0] * b[5], b[0] * b[4] - b[1] * b[3]);
    c = cofactors;
}

/* J - 1 is `trace` + `higher_order`; cofactors are those of a, less the identity. */
void sn_limit_volume(float b[9], float strain, float trace, inout float higher_order, inout float cofactors[9])
{
    precise const float ratio = MAX_SQUARED_STRETCH / strain, complement = 1 - ratio,
        reduction = complement * complement;
    precise const float volume = 1 + (trace + higher_order), slope = -4 * ratio * complement / strain * volume;
    precise const float limited = higher_order - reduction * volume;
    higher_order = limited;
    for (int i = 0; i < 9; ++i) {
        const float rest = i % 4 == 0 ? 1 : 0;
        precise const float cofactor = cofactors[i] + (slope * (b[i] + rest) - reduction * (cofactors[i] + rest));
        cofactors[i] = cofactor;
    }
}

/* Computes T - 1 from the cluster's volume data `material`. Returns m (1/2 |a|^2 - tr a) - psi, up to a constant. */
float sn_neo_hookean_response(vec4 material, float f[9], out float rotation_delta[9])
{
    precise const float inverse = material.z, mass = material.w, k = material.x * mass + 0.5;
    precise float b[9], cofactors[9], square = 0;
    float c[9];
    for (int i = 0; i < 9; ++i) {
        b[i] = i % 4 == 0 ? f[i] * inverse - 1 : f[i] * inverse;
        square += b[i] * b[i];
    }
    sn_cofactors(b, c);
    precise const float trace = b[0] + b[4] + b[8], strain = square + (2 * trace + 3);
    precise float higher_order = (c[0] + c[4] + c[8]) + (b[0] * c[0] + b[1] * c[1] + b[2] * c[2]);
    for (int i = 0; i < 9; ++i) {
        cofactors[i] = i % 4 == 0 ? c[i] + (trace - b[i]) : c[i] - b[i % 3 * 3 + i / 3];
    }
    if (strain > MAX_SQUARED_STRETCH) {
        sn_limit_volume(b, strain, trace, higher_order, cofactors);
    }
    precise const float volume_change = trace + higher_order;
    const float clamped = volume_change > MAX_VOLUME_CHANGE ? MAX_VOLUME_CHANGE : volume_change < -MAX_VOLUME_CHANGE ?
        -MAX_VOLUME_CHANGE : volume_change;
    precise const float pressure = k * clamped, pressure_term = 0.5 - pressure;
    for (int i = 0; i < 9; ++i) {
        precise const float linear_term = 0.5 * b[i] + pressure_term * cofactors[i];
        precise const float entry = i % 4 == 0 ? linear_term - pressure : linear_term;
        rotation_delta[i] = entry;
    }
    precise const float energy = mass *
        (0.25 * square + 0.5 * (higher_order - pressure * (volume_change + volume_change - clamped)));
    return energy;
}
