/* SPDX-License-Identifier: MIT */
/* What the user holds and hits of bodies that step on the device: grabs, impulses of bones. Against a world on threads,
 * by the same calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/gpu_world.h"

/* The same grab of both, or of neither. */
static int grab(twins *t, int index, double x, double y, double z, const sn_grab_desc *desc)
{
    const sn_grab_desc usual = sn_default_grab_desc();
    const double point[3] = {x, y, z};
    const int host = sn_body_grab(t->hosts[index], point, desc ? desc : &usual);
    assert_int_equal(sn_body_grab(t->guests[index], point, desc ? desc : &usual), host);
    return host;
}

static void drag(twins *t, int index, int held, double x, double y, double z)
{
    const double target[3] = {x, y, z};
    sn_body_drag(t->hosts[index], held, target);
    sn_body_drag(t->guests[index], held, target);
}

static void release(twins *t, int index, int held)
{
    sn_body_release(t->hosts[index], held);
    sn_body_release(t->guests[index], held);
}

static void add_floor(const twins *t, float height)
{
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider_id id;
    desc.transform.m[1][3] = height;
    assert_int_equal(sn_collider_create(t->host, &desc, &id), SN_OK);
    assert_int_equal(sn_collider_create(t->guest, &desc, &id), SN_OK);
}

static void test_held_flesh_follows(void **state)
{
    twins t = twins_make_crowd(*state, 4);
    twins_run(&t, 1, 10);
    const int first = grab(&t, 0, 0.9, 0.2, 0.1, NULL), second = grab(&t, 1, 1.2, 0.3, 0.2, NULL);
    const int third = grab(&t, 1, 1, -0.2, 0, NULL); /* two of one body */
    assert_true(first == 0 && second == 0 && third == 1);
    twins_run(&t, 10, 15);
    twins_expect_same(&t, "held where it is", 1e-4);
    for (int i = 0; i < 15; ++i) {
        drag(&t, 0, first, 0.9, 0.2 + 0.02 * i, 0.1 + 0.01 * i);
        drag(&t, 1, third, 1, -0.2 - 0.02 * i, 0.05);
        twins_run(&t, 15 + i, 16 + i);
    }
    twins_expect_same(&t, "dragged", 1e-4);
    drag(&t, 1, second, 1e30, -1e30, 0); /* as far as its strength goes */
    drag(&t, 1, third, NAN, 0, 0);       /* ignored */
    twins_run(&t, 30, 36);
    twins_expect_same(&t, "dragged beyond everything", 1e-4);
    release(&t, 0, first);
    release(&t, 1, second);
    twins_run(&t, 36, 44);
    twins_expect_same(&t, "released", 1e-4);
    twins_finish(&t);
}

/* A grab moves flesh by what a CPU's does, and that is much. */
static void test_a_grab_is_felt(void **state)
{
    double size[2] = {0, 0};
    for (int pass = 0; pass < 2; ++pass) {
        twins t = twins_make_crowd(*state, 1);
        if (pass == 1) {
            drag(&t, 0, grab(&t, 0, 0.9, 0.2, 0.1, NULL), 0.9, 0.5, 0.1);
        }
        for (int i = 0; i < 20; ++i) {
            twins_step(&t, 1 / 60.0, true);
        }
        assert_true(twins_difference(&t, 0, &size[pass]) < 1e-4 * size[pass]);
        twins_finish(&t);
    }
    assert_true(size[1] > 1.5 * size[0]);
}

static void test_limits(void **state)
{
    twins t = twins_make_crowd(*state, 2);
    sn_grab_desc near = sn_default_grab_desc();
    twins_run(&t, 1, 4);
    near.max_distance = 0.01;
    assert_int_equal(grab(&t, 0, 5, 5, 5, &near), -1);
    near.softness = -1;
    assert_int_equal(grab(&t, 0, 0, 0, 0, &near), -1);
    assert_int_equal(grab(&t, 0, NAN, 0, 0, NULL), -1);
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        assert_int_equal(grab(&t, 1, 1 + 0.2 * i, 0, 0, NULL), i);
    }
    assert_int_equal(grab(&t, 1, 1, 0, 0, NULL), -1);
    release(&t, 1, 2);
    assert_int_equal(grab(&t, 1, 1.4, 0.3, 0, NULL), 2);
    twins_run(&t, 4, 10);
    twins_expect_same(&t, "all that may be held", 1e-4);
    twins_finish(&t);
}

/* With contacts, other parameters, another level of detail, a teleport, a reset; before the first step, too. */
static void test_with_the_rest(void **state)
{
    const sn_mat3x4 move = {{{0, 0, 1, 3}, {0, 1, 0, 0}, {-1, 0, 0, 5}}};
    sn_grab_desc hard = {.max_distance = 10, .softness = 0.01, .damping_ratio = 0.5, .strength = 1};
    twins t = twins_make_crowd(*state, 4);
    add_floor(&t, -0.15F);
    const int held = grab(&t, 0, 0.5, 0.2, 0, &hard), other = grab(&t, 2, 2.5, 0.2, 0, NULL);
    drag(&t, 0, held, 0.5, -0.3, 0);
    twins_run(&t, 1, 12);
    twins_expect_same(&t, "pushed onto a floor", 2e-4);
    sn_body_desc desc = twin_desc(twin_models[0]);
    desc.stiffness = 2;
    desc.mode_count = 3;
    desc.cluster_level = 1;
    assert_int_equal(sn_body_set_desc(t.hosts[0], &desc), SN_OK);
    assert_int_equal(sn_body_set_desc(t.guests[0], &desc), SN_OK);
    twins_run(&t, 12, 20);
    twins_expect_same(&t, "with other parameters", 2e-4);
    sn_body_teleport(t.hosts[2], &move);
    sn_body_teleport(t.guests[2], &move);
    const int turned = grab(&t, 2, 3, 0, 5 - 2.6, NULL); /* before anything of it has reached the device */
    assert_true(other == 0 && turned == 1);
    sn_body_reset(t.hosts[0]);
    sn_body_reset(t.guests[0]);
    assert_int_equal(grab(&t, 0, 0.2, 0, 0, NULL), 0);
    for (int i = 0; i < 8; ++i) {
        twins_step(&t, 1 / 60.0, i % 2 == 0);
    }
    twins_expect_same(&t, "moved and reset", 2e-4);
    twins_finish(&t);
}

static void test_bone_impulses(void **state)
{
    const double up[3] = {0, 100, 25}, aside[3] = {15, 0, -60}, bad[3] = {0, INFINITY, 0}, point[3] = {1, 0, 0};
    twins t = twins_make_crowd(*state, 4);
    twins_run(&t, 1, 5);
    double quiet = 0, size = 0;
    twins_difference(&t, 1, &quiet);
    for (int i = 0; i < 4; ++i) {
        const int bone = sn_model_bone_count(sn_body_model(t.hosts[i])) - 1;
        sn_body_apply_bone_impulse(t.hosts[i], bone, up);
        sn_body_apply_bone_impulse(t.guests[i], bone, up);
    }
    sn_body_apply_bone_impulse(t.hosts[0], 1, aside); /* two bones, and a point between them */
    sn_body_apply_impulse(t.hosts[0], point, aside);
    sn_body_apply_bone_impulse(t.hosts[0], 0, aside);
    sn_body_apply_bone_impulse(t.hosts[0], 0, bad);
    sn_body_apply_bone_impulse(t.guests[0], 1, aside);
    sn_body_apply_impulse(t.guests[0], point, aside);
    sn_body_apply_bone_impulse(t.guests[0], 0, aside);
    sn_body_apply_bone_impulse(t.guests[0], 0, bad);
    twins_step(&t, 1 / 60.0, true);
    twins_difference(&t, 1, &size);
    assert_true(size > 1.5 * quiet);
    twins_expect_same(&t, "bones' impulses", 5e-5);
    twins_run(&t, 6, 15);
    twins_expect_same(&t, "and some calls later", 5e-5);
    twins_finish(&t);
}

/* Alone or in a crowd, the same bits. */
static void test_same_bits(void **state)
{
    const double impulse[3] = {0, 5, 1};
    float first[12 * TWIN_MATRICES], again[12 * TWIN_MATRICES];
    for (int pass = 0; pass < 3; ++pass) {
        twins t = twins_make_crowd(*state, pass == 2 ? 5 : 1);
        add_floor(&t, -0.2F);
        for (int i = t.count - 1; i >= 0; --i) {
            drag(&t, i, grab(&t, i, i + 0.9, 0.2, 0.1, NULL), i + 0.9, 0.4, 0.2);
            sn_body_apply_bone_impulse(t.guests[i], 0, impulse);
        }
        twins_run(&t, 1, 12);
        twins_read(&t, 0, pass == 0 ? first : again);
        const sn_body_gpu_matrices at = sn_body_gpu_output(t.guests[0]);
        if (pass > 0) {
            assert_memory_equal(again, first, 48 * (size_t)(at.bone_count + at.mode_count));
        }
        twins_finish(&t);
    }
}

int test_gpu_grabs(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_held_flesh_follows),
        SN_TEST_SHARED_GPU(test_a_grab_is_felt),
        SN_TEST_SHARED_GPU(test_limits),
        SN_TEST_SHARED_GPU(test_with_the_rest),
        SN_TEST_SHARED_GPU(test_bone_impulses),
        SN_TEST_SHARED_GPU(test_same_bits),
    };
    return cmocka_run_group_tests(tests, twin_cook_models, twin_release_models);
}
