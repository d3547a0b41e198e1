/* SPDX-License-Identifier: MIT */
/* Soft bodies of the bar, colliders that meet them, and how far their flesh is off. Include it after cmocka.h. */
#ifndef SN_TESTS_WORLD_SOFT_BODIES_H
#define SN_TESTS_WORLD_SOFT_BODIES_H

#include "tests/world/world_test.h"

static inline sn_body_desc soft(double gravity)
{
    sn_body_desc desc = sn_default_body_desc();
    desc.model = model;
    desc.stiffness = 0.3;
    desc.damping = 2;
    desc.gravity[1] = -gravity;
    desc.has_gravity_at_rest = true;
    return desc;
}

static inline sn_body_id make_body(sn_world_id world, double gravity)
{
    const sn_body_desc desc = soft(gravity);
    sn_body_id body;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    return body;
}

static inline sn_mat3x4 at(double x, double y, double z)
{
    return (sn_mat3x4){{{1, 0, 0, (float)x}, {0, 1, 0, (float)y}, {0, 0, 1, (float)z}}};
}

static inline sn_collider_id make_collider(sn_world_id world, sn_collider_shape shape, double x, double y, double z)
{
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider_id collider;
    desc.shape = shape;
    desc.radius = 0.1;
    desc.transform = at(x, y, z);
    assert_int_equal(sn_collider_create(world, &desc, &collider), SN_OK);
    assert_true(sn_collider_is_valid(collider));
    return collider;
}

static inline void move(sn_collider_id collider, double x, double y, double z)
{
    const sn_mat3x4 transform = at(x, y, z);
    assert_int_equal(sn_collider_set_transform(collider, &transform), SN_OK);
}

/* The translations of the modes, summed: how far the flesh is off, more or less. */
static inline void sum_modes(sn_body_id body, double *sum)
{
    const sn_body_matrices out = sn_body_output(body);
    memset(sum, 0, 12 * sizeof *sum);
    for (int j = out.bone_count; j < out.bone_count + out.mode_count; ++j) {
        for (int k = 0; k < 12; ++k) {
            sum[k] += (double)out.matrices[j].m[k / 4][k % 4];
        }
    }
}

static inline double size_of_modes(sn_body_id body)
{
    double sum[12], size = 0;
    sum_modes(body, sum);
    for (int k = 0; k < 12; ++k) {
        size = fmax(size, fabs(sum[k]));
    }
    return size;
}

#endif
