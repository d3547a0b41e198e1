/* SPDX-License-Identifier: MIT */
/* Stable Neo-Hookean flesh, used instead of rotations: the implementation of host/reduced/kernels/neo_hookean.inc,
 * operation by operation, which has the formulas. Matrices are float[9], row-major. */

#define MOST_GROWN 1     // maximum of |J - 1|
#define MOST_STRAINED 18 // of |a|^2; beyond, the volume change is limited

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
void sn_tame_volume(float b[9], float strain, float trace, inout float higher, inout float cofactors[9])
{
    precise const float share = MOST_STRAINED / strain, left = 1 - share,
        less = left * left;
    precise const float volume = 1 + (trace + higher), slope = -4 * share * left / strain * volume;
    precise const float tamed = higher - less * volume;
    higher = tamed;
    for (int i = 0; i < 9; ++i) {
        const float rest = i % 4 == 0 ? 1 : 0;
        precise const float cofactor = cofactors[i] + (slope * (b[i] + rest) - less * (cofactors[i] + rest));
        cofactors[i] = cofactor;
    }
}

/* Computes T - 1 from the cluster's volume data `material`. Returns m (1/2 |a|^2 - tr a) - psi, up to a constant. */
float sn_resist(vec4 material, float f[9], out float turn[9])
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
    precise float higher = (c[0] + c[4] + c[8]) + (b[0] * c[0] + b[1] * c[1] + b[2] * c[2]);
    for (int i = 0; i < 9; ++i) {
        cofactors[i] = i % 4 == 0 ? c[i] + (trace - b[i]) : c[i] - b[i % 3 * 3 + i / 3];
    }
    if (strain > MOST_STRAINED) {
        sn_tame_volume(b, strain, trace, higher, cofactors);
    }
    precise const float grown = trace + higher;
    const float held = grown > MOST_GROWN ? MOST_GROWN : grown < -MOST_GROWN ?
        -MOST_GROWN : grown;
    precise const float pressure = k * held, pressed = 0.5 - pressure;
    for (int i = 0; i < 9; ++i) {
        precise const float pulled = 0.5 * b[i] + pressed * cofactors[i];
        precise const float entry = i % 4 == 0 ? pulled - pressure : pulled;
        turn[i] = entry;
    }
    precise const float energy = mass *
        (0.25 * square + 0.5 * (higher - pressure * (grown + grown - held)));
    return energy;
}
