/* SPDX-License-Identifier: MIT */
/* Pairs of position-based bodies that fall, on devices of their own, and the colliders that they meet. Include it after
 * cmocka.h. */
#ifndef SN_TESTS_SUPPORT_GPU_XPBD_BODIES_H
#define SN_TESTS_SUPPORT_GPU_XPBD_BODIES_H

#include "host/math/affine.h"
#include "tests/support/gpu_xpbd.h"

static inline sn_xpbd_settings falling(void)
{
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -9.8;
    settings.substep_count = 6;
    settings.damping = 1;
    return settings;
}

static inline sn_xpbd_model *coloured_model(sn_xpbd_shape *shape)
{
    shape->desc.is_coloured = true;
    return sn_xpbd_shape_model(shape);
}

/* A shape and its model, on a device of its own: bodies come in pairs. */
typedef struct fixture {
    sn_gpu_xpbd *xpbd;
    sn_xpbd_shape shape;
    sn_xpbd_model *model;
    int index;
} fixture;

static inline fixture open_fixture(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc, sn_xpbd_shape shape)
{
    fixture f = {.xpbd = create_xpbd(device, desc), .shape = shape};
    f.model = coloured_model(&f.shape);
    f.index = add_xpbd_model(f.xpbd, f.model);
    return f;
}

static inline twins add_twins(const fixture *f, const sn_xpbd_settings *settings)
{
    return create_twins(f->xpbd, f->model, f->index, settings);
}

static inline void close_fixture(fixture *f)
{
    sn_gpu_xpbd_destroy(&f->xpbd);
    sn_xpbd_model_destroy(&f->model);
    sn_arena_finish(&f->shape.arena);
}

/* Both sides, one step. */
static inline sn_xpbd_report step_twins(sn_gpu_device *device, sn_gpu_xpbd *xpbd, const twins *t,
                                        const sn_surroundings *s)
{
    assert_int_equal(sn_gpu_xpbd_set_surroundings(xpbd, t->gpu, s), SN_OK);
    step_device(device, xpbd);
    const sn_xpbd_report report = sn_xpbd_body_step(t->cpu, s);
    assert_twins(device, xpbd, t, &report);
    return report;
}

static inline void set_velocities(sn_gpu_xpbd *xpbd, const twins *t, double x, double y, double z)
{
    const size_t count = 3 * (size_t)t->cpu->model->vertex_count;
    const double speed[3] = {x, y, z};
    double *velocities = sn_alloc(count, sizeof *velocities);
    assert_non_null(velocities);
    for (size_t i = 0; i < count; ++i) {
        velocities[i] = speed[i % 3];
    }
    sn_xpbd_body_set_velocities(t->cpu, velocities);
    sn_free(velocities, count, sizeof *velocities);
    assert_int_equal(sn_gpu_xpbd_upload(xpbd, t->gpu, t->cpu), SN_OK);
}

/* Parts are many dispatches: fewer steps will do. */
static inline int steps_of(const sn_gpu_xpbd_desc *desc, int steps)
{
    return desc->split == SN_GPU_XPBD_SPLIT_ALL ? steps / 5 : steps;
}

/* In one workgroup, and in parts. */
static inline void both_ways(sn_gpu_device *device, void (*check)(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc))
{
    sn_gpu_xpbd_desc desc = sn_default_gpu_xpbd_desc();
    check(device, &desc);
    desc.split = SN_GPU_XPBD_SPLIT_ALL;
    check(device, &desc);
}

static sn_grid *ball; /* of all grid colliders */

static inline int make_ball(void **state)
{
    enum { X = 7, Y = 8, Z = 9 };
    float distances[X * Y * Z];
    const sn_grid_desc desc = {
        .counts = {X, Y, Z}, .origin = {-0.18, -0.21, -0.24}, .spacing = 0.06, .distances = distances};
    (void)state;
    for (int i = 0; i < X * Y * Z; ++i) {
        const double at[3] = {-0.18 + 0.06 * (i % X), -0.21 + 0.06 * (i / X % Y), -0.24 + 0.06 * (i / (X * Y))};
        distances[i] = (float)(sn_length3(at) - 0.19); /* its box cuts it off */
    }
    return sn_grid_create(&desc, &ball) == SN_OK ? 0 : -1;
}

static inline int destroy_ball(void **state)
{
    (void)state;
    sn_test_gpu_close();
    sn_grid_destroy(&ball);
    return 0;
}

static inline sn_collider make_collider(sn_collider_shape shape, double friction, double x, double y, double z)
{
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider collider;
    desc.shape = shape;
    desc.friction = friction;
    desc.radius = shape == SN_COLLIDER_BOX ? 0.02 : 0.15;
    desc.half_height = 0.2;
    desc.half_extents[0] = desc.half_extents[1] = desc.half_extents[2] = 0.15;
    desc.grid = ball;
    assert_int_equal(sn_collider_init(&desc, &collider), SN_OK);
    const double to[3] = {x, y, z};
    for (int d = 0; d < 3; ++d) {
        collider.transform[4 * d + 3] = collider.transform_before[4 * d + 3] = to[d];
    }
    return collider;
}

#endif
