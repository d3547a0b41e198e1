/* SPDX-License-Identifier: MIT */
/* Two bars of flesh, and colliders that they meet. */
#ifndef SN_TESTS_REDUCED_CONTACT_FLESH_H
#define SN_TESTS_REDUCED_CONTACT_FLESH_H

#include "tests/support/flesh.h"

#define SN_TEST_FRICTION 0.5

static sn_cook_context cookings[2];
static sn_model *bar;  /* its soft bottom has fewer samples than contacts there may be */
static sn_model *wide; /* every sample is one of many, and two planes touch more than there may be */
static sn_grid *grid;  /* of the tests that make one */

static inline int cook(void **state)
{
    (void)state;
    const int bar_cells[3] = {12, 4, 3}, wide_cells[3] = {16, 4, 8};
    bar = sn_test_cook_bar(&cookings[0], bar_cells, 1, 8);
    wide = sn_test_cook_bar(&cookings[1], wide_cells, 3, 10);
    return 0;
}

static inline int finish(void **state)
{
    (void)state;
    sn_grid_destroy(&grid);
    sn_model_release(bar);
    sn_model_release(wide);
    sn_cook_context_finish(&cookings[0]);
    sn_cook_context_finish(&cookings[1]);
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

static inline sn_reduced_desc desc_with(double stiffness, double gravity)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.stiffness = stiffness;
    desc.gravity[1] = -gravity;
    return desc;
}

/* A collider that does not turn, at a place. */
static inline sn_collider collider_at(sn_collider_shape shape, double radius, const double *place)
{
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider c;
    desc.shape = shape;
    desc.radius = radius;
    desc.friction = SN_TEST_FRICTION;
    assert_int_equal(sn_collider_init(&desc, &c), SN_OK);
    for (int d = 0; d < 3; ++d) {
        c.transform[4 * d + 3] = c.transform_before[4 * d + 3] = place[d];
    }
    return c;
}

static inline double lowest_at_rest(const sn_model *model)
{
    double lowest = INFINITY;
    for (int i = 0; i < model->counts.sample_count; ++i) {
        lowest = fmin(lowest, (double)model->surface_positions[3 * model->sample_vertices[i] + 1]);
    }
    return lowest;
}

static inline sn_collider floor_at(double height)
{
    const double place[3] = {0, height, 0};
    return collider_at(SN_COLLIDER_PLANE, 0, place);
}

static inline void move_collider(sn_collider *c, const double *by)
{
    memcpy(c->transform_before, c->transform, sizeof c->transform);
    for (int d = 0; d < 3; ++d) {
        c->transform[4 * d + 3] += by[d];
    }
}

static inline sn_reduced_report step(sn_flesh *f, const sn_collider *colliders, int count)
{
    const sn_surroundings surroundings = {.collider_count = count, .colliders = colliders};
    return sn_reduced_body_step(f->body, f->pose, &surroundings);
}

static inline double deepest(const sn_flesh *f, const sn_collider *c)
{
    double depth = 0;
    for (int i = 0; i < f->model->counts.sample_count; ++i) {
        double position[3], normal[3];
        sn_flesh_sample(f, i, position);
        depth = fmax(depth, -sn_collider_distance(c, position, normal));
    }
    return depth;
}

/* Forces push, and friction stays in its cone; returns how many do push. */
static inline int check_forces(const sn_flesh *f)
{
    int count = 0;
    for (int i = 0; i < f->body->contacts.count; ++i) {
        const sn_contact *c = &f->body->contacts.contacts[i];
        double normal[3], force[3], tangent[3];
        for (int d = 0; d < 3; ++d) {
            normal[d] = (double)c->normal[d];
            force[d] = (double)c->force[d];
        }
        const double press = sn_dot3(normal, force);
        for (int d = 0; d < 3; ++d) {
            tangent[d] = force[d] - press * normal[d];
        }
        assert_true(press >= -1e-6 * sn_length3(force));
        assert_true(sn_length3(tangent) <= (double)c->friction * press * (1 + 1e-4) + 1e-9);
        count += press > 0;
    }
    return count;
}

#endif
