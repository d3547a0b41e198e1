/* SPDX-License-Identifier: MIT */
/* Colliders of every shape, and random numbers and motions for them. Include it after cmocka.h. */
#ifndef SN_TESTS_CONTACT_COLLIDER_TEST_H
#define SN_TESTS_CONTACT_COLLIDER_TEST_H

#include "host/contact/collider.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "tests/support/log.h"

static const double unit[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/* The same numbers each time, in [-1, 1]. */
static inline double noise(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

static inline void noise3(uint32_t *seed, double size, double *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = size * noise(seed);
    }
}

/* A rotation by an angle about an axis (Rodrigues), and a translation. */
static inline void turn_about(const double *axis, double angle, const double *shift, double *m)
{
    double a[3] = {axis[0], axis[1], axis[2]};
    sn_normalize3(a, axis);
    const double c = cos(angle), s = sin(angle);
    const double cross[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < 3; ++k) {
            m[4 * d + k] = (d == k ? c : 0) + s * cross[3 * d + k] + (1 - c) * a[d] * a[k];
        }
        m[4 * d + 3] = shift[d];
    }
}

static inline void random_motion(uint32_t *seed, double *m)
{
    double axis[3], shift[3];
    noise3(seed, 1, axis);
    noise3(seed, 2, shift);
    turn_about(axis, 3.14 * noise(seed), shift, m);
}

static inline void set_transform(sn_collider *c, const double *m)
{
    memcpy(c->transform, m, sizeof c->transform);
    memcpy(c->transform_before, m, sizeof c->transform_before);
}

static const sn_collider shapes[] = {
    {.shape = SN_COLLIDER_PLANE},
    {.shape = SN_COLLIDER_SPHERE, .radius = 0.7},
    {.shape = SN_COLLIDER_CAPSULE, .radius = 0.4, .half_height = 0.9},
    {.shape = SN_COLLIDER_BOX, .half_extents = {0.5, 0.8, 0.3}},
    {.shape = SN_COLLIDER_BOX, .half_extents = {0.5, 0.8, 0.3}, .radius = 0.2},
    {.shape = SN_COLLIDER_BOX, .radius = 0.6}, /* a sphere */
};
enum { SHAPE_COUNT = sizeof shapes / sizeof shapes[0] };

static inline sn_collider placed(int shape, const double *m)
{
    sn_collider c = shapes[shape];
    set_transform(&c, m);
    return c;
}

/* A lattice whose distances jump from node to node, by far more than the way. */
static inline sn_grid *jagged_grid(void)
{
    float distances[5 * 6 * 4];
    uint32_t seed = 3;
    sn_grid *grid = NULL;
    for (int i = 0; i < 5 * 6 * 4; ++i) {
        distances[i] = (float)(2 * noise(&seed));
    }
    const sn_grid_desc desc = {
        .counts = {5, 6, 4}, .origin = {-0.4, 0.3, -0.5}, .spacing = 0.3, .distances = distances};
    assert_int_equal(sn_grid_create(&desc, &grid), SN_OK);
    return grid;
}

/* How far from a rotation: of the products of its columns, and from determinant 1. */
static inline double rotation_error(const double *m)
{
    double error = 0, columns[3][3], third[3];
    for (int k = 0; k < 3; ++k) {
        for (int d = 0; d < 3; ++d) {
            columns[k][d] = m[4 * d + k];
        }
    }
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            error = fmax(error, fabs(sn_dot3(columns[a], columns[b]) - (a == b)));
        }
    }
    sn_cross3(columns[0], columns[1], third);
    return fmax(error, fabs(sn_dot3(third, columns[2]) - 1));
}

#endif
