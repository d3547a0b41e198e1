/* SPDX-License-Identifier: MIT */
/* Distances against closed forms and a blind search, normals as their gradient, what is out of reach. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/contact/collider_test.h"

static void test_distance_in_closed_form(void **state)
{
    (void)state;
    const double s = sqrt(0.5), t = sqrt(1.0 / 3);
    const struct {
        int shape;
        double point[3], distance, normal[3];
    } cases[] = {
        {0, {3, 2, -1}, 2, {0, 1, 0}},
        {0, {3, -2, -1}, -2, {0, 1, 0}},
        {1, {0, 2, 0}, 1.3, {0, 1, 0}},
        {1, {-0.2, 0, 0}, -0.5, {-1, 0, 0}},
        {1, {0, 1, -1}, sqrt(2) - 0.7, {0, s, -s}},
        {2, {1, 0.5, 0}, 0.6, {1, 0, 0}},
        {2, {0, 0, -0.1}, -0.3, {0, 0, -1}},
        {2, {0, -2, 0}, 0.7, {0, -1, 0}},
        {2, {0, 1.9, 1}, sqrt(2) - 0.4, {0, s, s}},
        {3, {0, 0, 1}, 0.7, {0, 0, 1}},
        {3, {1.5, 1.8, 0}, sqrt(2), {s, s, 0}},
        {3, {-1.5, -1.8, 1.3}, sqrt(3), {-t, -t, t}},
        {3, {0.45, 0, 0}, -0.05, {1, 0, 0}},
        {3, {0, -0.7, 0.1}, -0.1, {0, -1, 0}},
        {4, {0, 0, 1}, 0.5, {0, 0, 1}},
        {4, {1.5, 1.8, 0}, sqrt(2) - 0.2, {s, s, 0}},
        {4, {0.6, 0, 0}, -0.1, {1, 0, 0}},
        {4, {0.45, 0, 0}, -0.25, {1, 0, 0}},
        {5, {0, 0, 2}, 1.4, {0, 0, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sn_collider c = placed(cases[i].shape, unit);
        double normal[3];
        assert_true(fabs(sn_collider_distance(&c, cases[i].point, normal) - cases[i].distance) < 1e-14);
        assert_true(sn_distance3(normal, cases[i].normal) < 1e-14);
    }
}

/* Nearest to the point in a box of half extents `core`, by steps along the axes that shrink: knows no formula. With
 * side >= 0, on that face alone. */
static double search_box(const double *core, const double *point, int side)
{
    double at[3] = {0, 0, 0};
    const int fixed = side >= 0 ? side / 2 : -1;
    if (fixed >= 0) {
        at[fixed] = side % 2 ? core[fixed] : -core[fixed];
    }
    double best = sn_distance3(at, point);
    for (double step = 2; step > 1e-12; step *= 0.5) {
        for (int k = 0; k < 24; ++k) {
            const int axis = k / 2 % 3;
            double next[3] = {at[0], at[1], at[2]};
            next[axis] = fmin(fmax(at[axis] + (k % 2 ? step : -step), -core[axis]), core[axis]);
            if (axis != fixed && sn_distance3(next, point) < best) {
                best = sn_distance3(next, point);
                memcpy(at, next, sizeof at);
            }
        }
    }
    return best;
}

/* Every shape but the plane is a box, a segment or a point, made thicker by the radius. */
static double search_distance(const sn_collider *c, const double *point)
{
    double core[3] = {0, c->half_height, 0}, nearest = INFINITY;
    bool is_inside = c->shape == SN_COLLIDER_BOX;
    memcpy(core, c->shape == SN_COLLIDER_BOX ? c->half_extents : core, sizeof core);
    for (int d = 0; d < 3; ++d) {
        is_inside &= fabs(point[d]) < core[d];
    }
    if (!is_inside) {
        return search_box(core, point, -1) - c->radius;
    }
    for (int side = 0; side < 6; ++side) {
        nearest = fmin(nearest, search_box(core, point, side));
    }
    return -nearest - c->radius;
}

static void test_distance_against_a_search(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int shape = 1; shape < SHAPE_COUNT; ++shape) {
        const sn_collider c = placed(shape, unit);
        int inside_count = 0;
        for (int i = 0; i < 300; ++i) {
            double point[3], normal[3];
            noise3(&seed, i % 3 ? 1.6 : 0.5, point);
            const double distance = sn_collider_distance(&c, point, normal);
            assert_true(fabs(distance - search_distance(&c, point)) < 1e-8);
            inside_count += distance < 0;
        }
        assert_in_range(inside_count, 20, 280);
    }
}

static void test_normal_is_the_gradient(void **state)
{
    (void)state;
    const double step = 1e-6;
    uint32_t seed = 2;
    for (int shape = 0; shape < SHAPE_COUNT; ++shape) {
        int skipped = 0;
        for (int i = 0; i < 400; ++i) {
            double m[12], point[3], normal[3], unused[3], gradient[3], curvature = 0;
            random_motion(&seed, m);
            const sn_collider c = placed(shape, m);
            noise3(&seed, 1.2, gradient);
            sn_affine_apply(m, gradient, point);
            const double distance = sn_collider_distance(&c, point, normal);
            for (int d = 0; d < 3; ++d) {
                double ahead[3], behind[3];
                memcpy(ahead, point, sizeof ahead);
                memcpy(behind, point, sizeof behind);
                ahead[d] += step;
                behind[d] -= step;
                const double a = sn_collider_distance(&c, ahead, unused), b = sn_collider_distance(&c, behind, unused);
                gradient[d] = (a - b) / (2 * step);
                curvature = fmax(curvature, fabs(a + b - 2 * distance) / step);
            }
            assert_true(fabs(sn_length3(normal) - 1) < 1e-12);
            if (curvature > 1e-3) { /* a medial axis: the gradient has a step there */
                ++skipped;
            } else {
                assert_true(sn_distance3(normal, gradient) < 1e-4);
            }
        }
        assert_true(skipped < 8);
    }
}

/* Where no direction is the nearest, there is one nevertheless. */
static void test_normal_on_the_medial_axes(void **state)
{
    (void)state;
    const double points[][3] = {{0, 0, 0},       {0, 0.5, 0},        {0, 0.9, 0},
                                {0.5, 0.8, 0.3}, {-0.5, -0.8, -0.3}, {0.5, 0, 0.3}};
    for (int shape = 0; shape < SHAPE_COUNT; ++shape) {
        const sn_collider c = placed(shape, unit);
        for (size_t i = 0; i < sizeof points / sizeof points[0]; ++i) {
            double normal[3];
            assert_true(isfinite(sn_collider_distance(&c, points[i], normal)));
            assert_true(fabs(sn_length3(normal) - 1) < 1e-12);
        }
    }
}

static void test_distance_moves_along(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (int shape = 0; shape < SHAPE_COUNT; ++shape) {
        for (int i = 0; i < 100; ++i) {
            double m[12], local[3], point[3], normal[3], local_normal[3], turned[3];
            random_motion(&seed, m);
            noise3(&seed, 1.5, local);
            sn_affine_apply(m, local, point);
            const sn_collider still = placed(shape, unit), moved = placed(shape, m);
            const double expected = sn_collider_distance(&still, local, local_normal);
            assert_true(fabs(sn_collider_distance(&moved, point, normal) - expected) < 1e-12);
            for (int d = 0; d < 3; ++d) {
                turned[d] = sn_dot3(m + 4 * d, local_normal);
            }
            assert_true(sn_distance3(turned, normal) < 1e-9);
        }
    }
}

static void random_in_ball(uint32_t *seed, const double *centre, double radius, double *point)
{
    do {
        noise3(seed, 1, point);
    } while (sn_length3(point) > 1);
    for (int d = 0; d < 3; ++d) {
        point[d] = centre[d] + radius * point[d];
    }
}

/* What is called far has no point within reach, at any moment of its way; and much is called far. */
static void check_near(const sn_collider *c, uint32_t *seed, int *far_count)
{
    const double radius = 0.6 * (1 + noise(seed)), reach = 0.3 * (1 + noise(seed));
    double centre[3];
    noise3(seed, 4, centre);
    const bool is_near = sn_collider_is_near(c, centre, radius, reach);
    const bool may_reach = sn_collider_may_touch(c, centre, radius);
    *far_count += !is_near + !may_reach;
    for (int i = 0; i < 200; ++i) {
        double point[3];
        sn_collider on_its_way = *c;
        random_in_ball(seed, centre, radius, point);
        assert_true(is_near || sn_collider_distance(c, point, NULL) > reach);
        sn_collider_blend(c->transform_before, c->transform, 0.5 * (1 + noise(seed)), on_its_way.transform);
        assert_true(may_reach || sn_collider_distance(&on_its_way, point, NULL) > 0);
    }
}

static void test_what_is_far_is_out_of_reach(void **state)
{
    (void)state;
    sn_grid *grid = jagged_grid();
    uint32_t seed = 9;
    for (int shape = 0; shape <= SHAPE_COUNT; ++shape) {
        const sn_collider jagged = {.shape = SN_COLLIDER_GRID, .grid = grid};
        int far_count = 0;
        for (int trial = 0; trial < 200; ++trial) {
            sn_collider c = shape < SHAPE_COUNT ? shapes[shape] : jagged;
            random_motion(&seed, c.transform_before);
            random_motion(&seed, c.transform);
            check_near(&c, &seed, &far_count);
        }
        assert_true(far_count > 60);
    }
    const double nowhere[3] = {NAN, 0, 0};
    assert_true(sn_collider_is_near(&shapes[1], nowhere, 1, 0) && sn_collider_may_touch(&shapes[1], nowhere, 1));
    sn_grid_destroy(&grid);
}

int test_collider_distance(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance_in_closed_form), cmocka_unit_test(test_distance_against_a_search),
        cmocka_unit_test(test_normal_is_the_gradient),  cmocka_unit_test(test_normal_on_the_medial_axes),
        cmocka_unit_test(test_distance_moves_along),    cmocka_unit_test(test_what_is_far_is_out_of_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
