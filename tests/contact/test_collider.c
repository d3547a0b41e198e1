/* SPDX-License-Identifier: MIT */
/* Colliders: rigid motions, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/contact/collider_test.h"

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
        assert_false(sn_collider_read_transform(&bad[i], kept));
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
        assert_true(sn_collider_read_transform(&narrow, taken));
        assert_true(rotation_error(taken) < 1e-14);
        for (int k = 0; k < 12; ++k) {
            assert_true(fabs(taken[k] - exact[k]) < 1e-6);
            assert_true(k % 4 != 3 || taken[k] == (double)narrow.m[k / 4][3]);
        }
    }
}

int test_collider(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_movement),
        cmocka_unit_test(test_blend_stays_a_rotation),
        cmocka_unit_test(test_blend_halves_a_turn),
        cmocka_unit_test(test_numbers_are_checked),
        cmocka_unit_test(test_transforms_are_checked),
        cmocka_unit_test(test_float_rotations_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
