/* SPDX-License-Identifier: MIT */
/* Position-based bodies among colliders, on the device as on the CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/gpu_xpbd_bodies.h"

/* Turns about z and slides, from where it is. */
static void move_collider(sn_collider *c, int step)
{
    const double angle = 0.05 * step, at[2] = {c->transform[3], c->transform[7]};
    memcpy(c->transform_before, c->transform, sizeof c->transform);
    c->transform[0] = c->transform[5] = cos(angle);
    c->transform[1] = -sin(angle);
    c->transform[4] = sin(angle);
    c->transform[3] = at[0] + 0.01;
    c->transform[7] = at[1] + 0.004;
}

/* Bars and sheets dropped on every shape, which turns and slides, over a floor; one begins inside. */
static void check_contacts(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc)
{
    sn_gpu_xpbd *xpbd = create_xpbd(device, desc);
    for (int i = 0; i < 10; ++i) {
        sn_xpbd_shape shape = i % 2 ? sn_xpbd_sheet(5, 3, 0.1) : sn_xpbd_bar(4, 2, 3, 0.1);
        sn_xpbd_model *model = coloured_model(&shape);
        sn_xpbd_settings settings = falling();
        settings.damping = i % 3;
        twins t = create_twins(xpbd, model, add_xpbd_model(xpbd, model), &settings);
        sn_collider colliders[2] = {
            make_collider(SN_COLLIDER_PLANE, 0.5, 0, -0.01 * steps_of(desc, 50), 0),
            make_collider((sn_collider_shape)(i / 2), 0.3, 0.2, i == 6 || i == 7 ? 0 : -0.2, 0.1)};
        const sn_surroundings surroundings = {.collider_count = 2, .colliders = colliders};
        int contacts = 0;
        set_velocities(xpbd, &t, 0, -2, 0);
        for (int step = 0; step < steps_of(desc, 30); ++step) {
            move_collider(&colliders[1], step);
            contacts += step_twins(device, xpbd, &t, &surroundings).contact_count;
        }
        print_message("shape %d: %d contacts\n", i / 2, contacts);
        assert_true(contacts > steps_of(desc, 20));
        settings.substep_count = 4; /* other places of colliders */
        assert_int_equal(sn_xpbd_body_set_settings(t.cpu, &settings), SN_OK);
        assert_int_equal(sn_gpu_xpbd_set_settings(xpbd, t.gpu, &settings), SN_OK);
        step_twins(device, xpbd, &t, &surroundings);
        step_twins(device, xpbd, &t, NULL);
        sn_gpu_xpbd_remove_body(xpbd, t.gpu);
        destroy_twins(&t);
        sn_xpbd_model_destroy(&model);
        sn_arena_finish(&shape.arena);
    }
    sn_gpu_xpbd_destroy(&xpbd);
}

/* What touches lies among what is far, and what moves among what stays; too many for a dispatch. */
static void check_many(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc, int count)
{
    static sn_collider many[2000];
    sn_gpu_xpbd *xpbd = create_xpbd(device, desc);
    sn_xpbd_shape shape = count > 1000 ? sn_xpbd_bar(6, 4, 5, 0.07) : sn_xpbd_bar(4, 2, 3, 0.1);
    sn_xpbd_model *model = coloured_model(&shape);
    const sn_xpbd_settings settings = falling();
    twins t = create_twins(xpbd, model, add_xpbd_model(xpbd, model), &settings);
    for (int i = 0; i < count; ++i) {
        many[i] = make_collider((sn_collider_shape)(i % 5), 0.4, 0.01 * i, i % 5 ? 2 + 0.01 * i : -3, 0.1);
    }
    for (int i = 0; i < 5; ++i) {
        many[i * (count - 1) / 4] = make_collider((sn_collider_shape)(4 - i), 0.3, 0.1 * i, i < 4 ? -0.13 : -0.02, 0.1);
    }
    const sn_surroundings surroundings = {.collider_count = count, .colliders = many};
    int contacts = 0;
    set_velocities(xpbd, &t, 0, -1, 0);
    for (int step = 0; step < 5; ++step) {
        contacts += step_twins(device, xpbd, &t, &surroundings).contact_count;
        for (int i = 0; i < 3; ++i) {
            many[i * (count - 1) / 4].transform_before[7] = many[i * (count - 1) / 4].transform[7];
            many[i * (count - 1) / 4].transform[7] += 0.006;
        }
    }
    print_message("%d colliders: %d contacts, %d dispatches\n", count, contacts, sn_gpu_xpbd_dispatch_count(xpbd));
    assert_true(contacts > 10);
    destroy_twins(&t);
    sn_gpu_xpbd_destroy(&xpbd);
    sn_xpbd_model_destroy(&model);
    sn_arena_finish(&shape.arena);
}

static void test_many_colliders(void **state)
{
    const sn_gpu_xpbd_desc parts = {.recording_limit = 2, .split = SN_GPU_XPBD_SPLIT_ALL};
    check_many(*state, NULL, 1);
    check_many(*state, NULL, 127);
    check_many(*state, NULL, 129);
    check_many(*state, &parts, 129);
    check_many(*state, NULL, 2000);
}

static void test_contacts(void **state)
{
    both_ways(*state, check_contacts);
}

int test_gpu_xpbd_contacts(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_contacts),
        SN_TEST_SHARED_GPU(test_many_colliders),
    };
    return cmocka_run_group_tests(tests, make_ball, destroy_ball);
}
