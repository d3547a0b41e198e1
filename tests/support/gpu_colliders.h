/* SPDX-License-Identifier: MIT */
/* Colliders around the bars of gpu_reduced.h. Include it after cmocka.h. */
#ifndef SN_TESTS_SUPPORT_GPU_COLLIDERS_H
#define SN_TESTS_SUPPORT_GPU_COLLIDERS_H

#include "tests/support/gpu_reduced.h"

static inline sn_collider collider_at(sn_collider_shape shape, double x, double y, double z)
{
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider c;
    desc.shape = shape;
    desc.radius = shape == SN_COLLIDER_BOX ? 0.02 : 0.2;
    desc.half_height = 0.15;
    desc.half_extents[0] = 0.3;
    desc.half_extents[1] = 0.1;
    desc.half_extents[2] = 0.2;
    desc.friction = 0.6;
    assert_int_equal(sn_collider_init(&desc, &c), SN_OK);
    c.transform[3] = x;
    c.transform[7] = y;
    c.transform[11] = z;
    memcpy(c.transform_before, c.transform, sizeof c.transform);
    return c;
}

/* About z, and by a translation. */
static inline void move_collider(sn_collider *c, double angle, double x, double y)
{
    const double turn[12] = {cos(angle), -sin(angle), 0, 0, sin(angle), cos(angle), 0, 0, 0, 0, 1, 0};
    double turned[12];
    memcpy(c->transform_before, c->transform, sizeof c->transform);
    sn_affine_multiply(turn, c->transform, turned);
    for (int i = 0; i < 12; ++i) {
        c->transform[i] = i % 4 == 3 ? c->transform[i] : turned[i];
    }
    c->transform[3] += x;
    c->transform[7] += y;
}

static inline double lowest(const sn_model *model)
{
    double least = INFINITY;
    for (int v = 0; v < model->counts.surface_vertex_count; ++v) {
        least = fmin(least, (double)model->surface_positions[3 * v + 1]);
    }
    return least;
}

/* A floor, and what comes in from the sides. */
static inline int place_colliders(const sn_model *model, const double *offset, sn_collider colliders[4])
{
    const double x = offset ? offset[0] : 0, y = (offset ? offset[1] : 0) + lowest(model), z = offset ? offset[2] : 0;
    colliders[0] = collider_at(SN_COLLIDER_PLANE, x, y - 0.005, z);
    colliders[1] = collider_at(SN_COLLIDER_SPHERE, x + 0.3, y - 0.17, z);
    colliders[2] = collider_at(SN_COLLIDER_CAPSULE, x - 0.3, y - 0.18, z + 0.05);
    colliders[3] = collider_at(SN_COLLIDER_BOX, x, y - 0.1, z);
    return 4;
}

#endif
