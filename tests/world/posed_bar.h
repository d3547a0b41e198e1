/* SPDX-License-Identifier: MIT */
/* A bar that is posed all the time, and what its output differs by. Include it after cmocka.h. */
#ifndef SN_TESTS_WORLD_POSED_BAR_H
#define SN_TESTS_WORLD_POSED_BAR_H

#include "tests/world/world_test.h"

/* A triangle wave: no libm in what must give the same bits. */
static inline float wave(double seconds, double period)
{
    const double phase = seconds / period - (double)(int64_t)(seconds / period);
    return (float)(phase < 0.5 ? 4 * phase - 1 : 3 - 4 * phase);
}

static inline void pose_at(double seconds, sn_mat3x4 *bones)
{
    for (int b = 0; b < BONES; ++b) {
        const float shear = 0.15F * (float)(b + 1) * wave(seconds, 0.7), lift = 0.1F * wave(seconds, 0.5);
        bones[b] = (sn_mat3x4){{{1, -shear, 0, 0}, {shear, 1, 0, lift}, {0, 0, 1, 0.05F * shear}}};
    }
}

static inline sn_body_id make_body(sn_world_id world, double stiffness)
{
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    desc.model = model;
    desc.stiffness = stiffness;
    desc.gravity[1] = -2;
    desc.has_gravity_at_rest = true;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    return body;
}

/* Largest difference of the modes' matrices. */
static inline double difference(const float *a, const sn_body_matrices *b)
{
    double largest = 0;
    for (int i = 12 * b->bone_count; i < 12 * (b->bone_count + b->mode_count); ++i) {
        largest = fmax(largest, fabs((double)a[i] - (double)(&b->matrices[0].m[0][0])[i]));
    }
    return largest;
}

static inline void copy_output(sn_body_id body, float *copy)
{
    const sn_body_matrices out = sn_body_output(body);
    memcpy(copy, out.matrices, (size_t)(out.bone_count + out.mode_count) * sizeof(sn_mat3x4));
}

static inline double size_of_modes(sn_body_id body)
{
    float zero[12 * 16] = {0};
    const sn_body_matrices out = sn_body_output(body);
    return difference(zero, &out);
}

#endif
