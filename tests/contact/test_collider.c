/* SPDX-License-Identifier: MIT */
/* Colliders: distances against closed forms and a blind search, normals as their gradient, rigid motions, refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/contact/collider.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "tests/support/log.h"

static const double unit[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/* The same numbers each time, in [-1, 1]. */
static double noise(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

static void noise3(uint32_t *seed, double size, double *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = size * noise(seed);
    }
}

/* A rotation by an angle about an axis (Rodrigues), and a translation. */
static void turn_about(const double *axis, double angle, const double *shift, double *m)
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

static void random_motion(uint32_t *seed, double *m)
{
    double axis[3], shift[3];
    noise3(seed, 1, axis);
    noise3(seed, 2, shift);
    turn_about(axis, 3.14 * noise(seed), shift, m);
}

static void set_transform(sn_collider *c, const double *m)
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

static sn_collider placed(int shape, const double *m)
{
    sn_collider c = shapes[shape];
    set_transform(&c, m);
    return c;
}

/* A lattice whose distances jump from node to node, by far more than the way. */
static sn_grid *jagged_grid(void)
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

/* ---- distance ---- */

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

/* ---- motion ---- */

static void test_movement(void **state)
{
    (void)state;
    uint32_t seed = 4;
    for (int i = 0; i < 100; ++i) {
        sn_collider c = placed(i % SHAPE_COUNT, unit);
        double local[3], before[3], now[3], expected[3], movement[3];
        random_motion(&seed, c.transform_before);
        random_motion(&seed, c.transform);
        noise3(&seed, 1, local);
        sn_affine_apply(c.transform_before, local, before);
        sn_affine_apply(c.transform, local, now);
        sn_subtract3(now, before, expected);
        sn_collider_movement(&c, now, movement);
        assert_true(sn_distance3(movement, expected) < 1e-12);
    }
}

/* How far from a rotation: of the products of its columns, and from determinant 1. */
static double rotation_error(const double *m)
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

static void check_blend(const double *from, const double *to)
{
    for (int k = 0; k <= 16; ++k) {
        const double fraction = k / 16.0;
        double blend[12];
        sn_collider_blend(from, to, fraction, blend);
        assert_true(rotation_error(blend) < 1e-9);
        for (int d = 0; d < 3; ++d) {
            const double shift = from[4 * d + 3] + fraction * (to[4 * d + 3] - from[4 * d + 3]);
            assert_true(fabs(blend[4 * d + 3] - shift) < 1e-12);
        }
        for (int i = 0; i < 12 && k % 16 == 0; ++i) {
            assert_true(fabs(blend[i] - (k ? to[i] : from[i])) < 1e-9);
        }
    }
}

static void test_blend_stays_a_rotation(void **state)
{
    (void)state;
    uint32_t seed = 5;
    double from[12], to[12];
    for (int i = 0; i < 100; ++i) {
        random_motion(&seed, from);
        random_motion(&seed, to);
        check_blend(from, to);
    }
    /* half turns: their middle is no rotation at all before it is made one */
    const double halves[4][3] = {{-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}, {1, 1, 1}};
    for (int i = 0; i < 4; ++i) {
        memcpy(to, unit, sizeof to);
        for (int d = 0; d < 3; ++d) {
            to[5 * d] = halves[i][d];
        }
        check_blend(unit, to);
        check_blend(to, unit);
        random_motion(&seed, from);
        double turned[12];
        sn_affine_multiply(from, to, turned);
        check_blend(from, turned);
    }
    for (int i = 0; i < 20; ++i) {
        double axis[3], shift[3];
        noise3(&seed, 1, axis);
        noise3(&seed, 1, shift);
        turn_about(axis, 3.141592653589793 + (i % 2 ? 1e-7 * noise(&seed) : 0), shift, to);
        check_blend(unit, to);
    }
}

/* Small turns are shared evenly. */
static void test_blend_halves_a_turn(void **state)
{
    (void)state;
    uint32_t seed = 6;
    const double still[3] = {0, 0, 0};
    for (int i = 0; i < 20; ++i) {
        double axis[3], to[12], half[12], blend[12];
        noise3(&seed, 1, axis);
        turn_about(axis, 0.2, still, to);
        turn_about(axis, 0.1, still, half);
        sn_collider_blend(unit, to, 0.5, blend);
        for (int k = 0; k < 12; ++k) {
            assert_true(fabs(blend[k] - half[k]) < 6e-3); /* second order in the angle */
        }
    }
}

/* ---- what is near ---- */

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
    const bool may_reach = sn_collider_may_reach(c, centre, radius);
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
    assert_true(sn_collider_is_near(&shapes[1], nowhere, 1, 0) && sn_collider_may_reach(&shapes[1], nowhere, 1));
    sn_grid_destroy(&grid);
}

/* ---- descriptions ---- */

static sn_collider_desc sound_desc(void)
{
    sn_collider_desc desc = sn_default_collider_desc();
    desc.shape = SN_COLLIDER_BOX;
    desc.radius = desc.half_height = desc.friction = 1;
    desc.half_extents[0] = desc.half_extents[1] = desc.half_extents[2] = 1;
    return desc;
}

static void refuse(const sn_collider_desc *desc)
{
    sn_collider c;
    begin_log();
    assert_int_equal(sn_collider_init(desc, &c), SN_ERROR_ARGUMENT);
    sn_set_log(NULL, NULL);
    assert_true(logged.errors == 1 && logged.lines == 1);
}

static void test_numbers_are_checked(void **state)
{
    (void)state;
    const double bad[] = {-1e-9, -INFINITY, INFINITY, NAN, 1e300};
    for (int field = 0; field < 6; ++field) {
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
            sn_collider_desc desc = sound_desc();
            double *fields[] = {&desc.radius,          &desc.half_height,     &desc.friction,
                                &desc.half_extents[0], &desc.half_extents[1], &desc.half_extents[2]};
            *fields[field] = bad[i];
            refuse(&desc);
        }
    }
    sn_collider_desc desc = sound_desc();
    const int no_shapes[] = {-1, SN_COLLIDER_SHAPE_COUNT, 1000};
    for (int i = 0; i < 3; ++i) {
        desc.shape = (sn_collider_shape)no_shapes[i];
        refuse(&desc);
    }
    sn_collider c;
    desc = sound_desc();
    assert_int_equal(sn_collider_init(&desc, &c), SN_OK);
    desc = sn_default_collider_desc(); /* zero sizes are sound */
    assert_int_equal(sn_collider_init(&desc, &c), SN_OK);
    assert_true(c.shape == SN_COLLIDER_PLANE && c.friction == 0.5);
    assert_memory_equal(c.transform, unit, sizeof unit);
    assert_memory_equal(c.transform_before, unit, sizeof unit);
}

static void test_transforms_are_checked(void **state)
{
    (void)state;
    const sn_mat3x4 bad[] = {
        {{{-1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}},   {{{0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 1, 0}}},    /* mirrors */
        {{{-1, 0, 0, 0}, {0, -1, 0, 0}, {0, 0, -1, 0}}}, {{{1, 0.1F, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}, /* a shear */
        {{{1, 0, 0, 0}, {0, 1.1F, 0, 0}, {0, 0, 1, 0}}}, {{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}}},
        {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 0}}},    {{{0}}},
        {{{1, 0, 0, NAN}, {0, 1, 0, 0}, {0, 0, 1, 0}}},  {{{1, 0, 0, 0}, {0, 1, 0, INFINITY}, {0, 0, 1, 0}}},
        {{{1, 0, 0, 0}, {0, NAN, 0, 0}, {0, 0, 1, 0}}},  {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, INFINITY, 0}}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        sn_collider_desc desc = sound_desc();
        double kept[12];
        desc.transform = bad[i];
        refuse(&desc);
        memcpy(kept, unit, sizeof kept);
        assert_false(sn_collider_take_transform(&bad[i], kept));
        assert_memory_equal(kept, unit, sizeof unit);
    }
}

/* What float leaves of a rotation is put right; what moves it is kept. */
static void test_float_rotations_are_taken(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int i = 0; i < 100; ++i) {
        double exact[12], taken[12];
        sn_mat3x4 narrow;
        random_motion(&seed, exact);
        for (int k = 0; k < 12; ++k) {
            narrow.m[k / 4][k % 4] = (float)exact[k];
        }
        assert_true(sn_collider_take_transform(&narrow, taken));
        assert_true(rotation_error(taken) < 1e-14);
        for (int k = 0; k < 12; ++k) {
            assert_true(fabs(taken[k] - exact[k]) < 1e-6);
            assert_true(k % 4 != 3 || taken[k] == (double)narrow.m[k / 4][3]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance_in_closed_form),     cmocka_unit_test(test_distance_against_a_search),
        cmocka_unit_test(test_normal_is_the_gradient),      cmocka_unit_test(test_normal_on_the_medial_axes),
        cmocka_unit_test(test_distance_moves_along),        cmocka_unit_test(test_movement),
        cmocka_unit_test(test_blend_stays_a_rotation),      cmocka_unit_test(test_blend_halves_a_turn),
        cmocka_unit_test(test_what_is_far_is_out_of_reach), cmocka_unit_test(test_numbers_are_checked),
        cmocka_unit_test(test_transforms_are_checked),      cmocka_unit_test(test_float_rotations_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
