/* SPDX-License-Identifier: MIT */
/* Position-based bodies of any kind on the device, as on the CPU: in flight, in crowds, large, of many colours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/gpu_xpbd_bodies.h"

/* Hundreds of diagonals in free flight, with the origin after it; then put elsewhere, and back to rest. */
static void test_flight(void **state)
{
    sn_gpu_device *device = *state;
    fixture f = open_fixture(device, NULL, sn_xpbd_bar(3, 2, 2, 0.1));
    const sn_xpbd_settings settings = falling();
    twins t = add_twins(&f, &settings);
    assert_int_equal(sn_gpu_xpbd_download(f.xpbd, t.gpu, t.read, NULL), SN_OK); /* before its first step */
    assert_true(compare_states(t.cpu, t.read, true) == 0);
    set_velocities(f.xpbd, &t, 90, 30, -20);
    for (int step = 0; step < 40; ++step) {
        step_twins(device, f.xpbd, &t, NULL);
    }
    assert_true(t.cpu->origin[0] > 30);
    const double turn[12] = {0, -1, 0, 5, 1, 0, 0, -7, 0, 0, 1, 1e3};
    assert_int_equal(sn_gpu_xpbd_download(f.xpbd, t.gpu, t.read, NULL), SN_OK);
    sn_xpbd_body_teleport(t.read, turn);
    sn_xpbd_body_teleport(t.cpu, turn);
    assert_int_equal(sn_gpu_xpbd_upload(f.xpbd, t.gpu, t.read), SN_OK);
    for (int step = 0; step < 5; ++step) {
        step_twins(device, f.xpbd, &t, NULL);
    }
    const double push[3] = {0, 40, 3}, to[3] = {2, 1, 0};
    sn_xpbd_body_reset(t.cpu);
    sn_gpu_xpbd_reset(f.xpbd, t.gpu);
    pin_twins(f.xpbd, &t, 3, 1e3);
    pin_twins(f.xpbd, &t, 9, INFINITY);
    move_twins(f.xpbd, &t, 3, to);
    push_twins(f.xpbd, &t, 7, push);
    push_twins(f.xpbd, &t, 7, push);
    for (int step = 0; step < 5; ++step) {
        step_twins(device, f.xpbd, &t, NULL);
    }
    sn_xpbd_body_reset(t.cpu); /* about the pin */
    sn_gpu_xpbd_reset(f.xpbd, t.gpu);
    assert_int_equal(sn_gpu_xpbd_download(f.xpbd, t.gpu, t.read, NULL), SN_OK);
    assert_true(compare_states(t.cpu, t.read, true) == 0);
    for (int step = 0; step < 3; ++step) {
        step_twins(device, f.xpbd, &t, NULL);
    }
    destroy_twins(&t);
    close_fixture(&f);
}

/* 1, 7 and 61 bodies of different sizes, one of them beyond shared memory as it is here: each steps as its twin, so
 * that none feels the others. */
static void test_crowds(void **state)
{
    sn_gpu_device *device = *state;
    const int counts[] = {1, 7, 61};
    sn_xpbd_shape shapes[4] = {sn_xpbd_bar(2, 2, 1, 0.1), sn_xpbd_sheet(9, 4, 0.1), sn_xpbd_cloth(3, 3, 0.1),
                               sn_xpbd_bar(6, 5, 4, 0.1)};
    sn_gpu_xpbd_desc desc = sn_default_gpu_xpbd_desc();
    desc.shared_bytes = 2048;
    sn_gpu_xpbd *xpbd = create_xpbd(device, &desc);
    sn_xpbd_model *models[4];
    for (int i = 0; i < 4; ++i) {
        models[i] = coloured_model(&shapes[i]);
        assert_int_equal(add_xpbd_model(xpbd, models[i]), i);
    }
    sn_collider floor = make_collider(SN_COLLIDER_PLANE, 0.4, 0, -0.1, 0);
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = &floor};
    for (int crowd = 0; crowd < 3; ++crowd) {
        twins t[61];
        for (int i = 0; i < counts[crowd]; ++i) {
            sn_xpbd_settings settings = falling();
            settings.substep_count = 3 + i % 4;
            settings.sweep_count = 1 + i % 2;
            t[i] = create_twins(xpbd, models[i % 4], i % 4, &settings);
            set_velocities(xpbd, &t[i], 0.1 * i, -1, 0);
            assert_int_equal(sn_gpu_xpbd_set_surroundings(xpbd, t[i].gpu, i % 3 ? &surroundings : NULL), SN_OK);
        }
        for (int step = 0; step < 6; ++step) {
            step_device(device, xpbd);
            for (int i = 0; i < counts[crowd]; ++i) {
                const sn_xpbd_report report = sn_xpbd_body_step(t[i].cpu, i % 3 ? &surroundings : NULL);
                assert_twins(device, xpbd, &t[i], &report);
            }
        }
        for (int i = 0; i < counts[crowd]; ++i) {
            sn_gpu_xpbd_remove_body(xpbd, t[i].gpu);
            destroy_twins(&t[i]);
        }
    }
    sn_gpu_xpbd_destroy(&xpbd);
    for (int i = 0; i < 4; ++i) {
        sn_xpbd_model_destroy(&models[i]);
        sn_arena_finish(&shapes[i].arena);
    }
}

/* More vertices than shared memory holds, on a floor: alone it takes a dispatch a colour, and small colours together.
 * More sweeps than software Vulkan loops through in one dispatch, of a small one. As many vertices as shared memory
 * holds. */
static void test_large_and_long(void **state)
{
    sn_gpu_device *device = *state;
    sn_xpbd_shape shapes[3] = {sn_xpbd_bar(24, 11, 11, 0.05), sn_xpbd_bar(3, 3, 3, 0.1), sn_xpbd_bar(12, 9, 14, 0.05)};
    const int sweep_counts[3] = {2, 400, 1};
    sn_collider floor = make_collider(SN_COLLIDER_PLANE, 0.4, 0, -0.01, 0);
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = &floor};
    for (int i = 0; i < 3; ++i) {
        sn_gpu_xpbd *xpbd = create_xpbd(device, NULL);
        sn_xpbd_model *model = coloured_model(&shapes[i]);
        sn_xpbd_settings settings = falling();
        settings.sweep_count = sweep_counts[i];
        twins t = create_twins(xpbd, model, add_xpbd_model(xpbd, model), &settings);
        pin_twins(xpbd, &t, 0, INFINITY);
        pin_twins(xpbd, &t, 5, 1e3);
        set_velocities(xpbd, &t, 1, -2, 0);
        for (int step = 0; step < 2; ++step) {
            assert_true(step_twins(device, xpbd, &t, &surroundings).contact_count > 0);
        }
        print_message("%d vertices: %d dispatches\n", shapes[i].desc.vertex_count, sn_gpu_xpbd_dispatch_count(xpbd));
        const int dispatches = sn_gpu_xpbd_dispatch_count(xpbd);
        assert_true(i == 0 ? dispatches > 100 : i == 1 ? dispatches > 1 : dispatches == 1);
        destroy_twins(&t);
        sn_gpu_xpbd_destroy(&xpbd);
        sn_xpbd_model_destroy(&model);
        sn_arena_finish(&shapes[i].arena);
    }
}

/* A hub with a hundred springs: as many colours. */
static void test_many_colours(void **state)
{
    enum { SPOKES = 100 };
    static double positions[3 * (SPOKES + 1)], masses[SPOKES + 1];
    static sn_xpbd_constraint springs[SPOKES];
    masses[0] = 1;
    for (int i = 1; i <= SPOKES; ++i) {
        masses[i] = 0.01;
        positions[3 * i] = cos(0.3 * i);
        positions[3 * i + 1] = sin(0.3 * i);
        positions[3 * i + 2] = 0.01 * i;
        springs[i - 1] = (sn_xpbd_constraint){SN_XPBD_DISTANCE, {0, i}, 40, false, 0};
    }
    const sn_xpbd_desc desc = {.vertex_count = SPOKES + 1,
                               .positions = positions,
                               .masses = masses,
                               .constraint_count = SPOKES,
                               .constraints = springs,
                               .is_coloured = true};
    sn_xpbd_model *model = NULL;
    assert_int_equal(sn_xpbd_model_create(&desc, &model), SN_OK);
    for (int i = 0; i < 2; ++i) {
        sn_gpu_xpbd_desc way = sn_default_gpu_xpbd_desc();
        way.split = i == 0 ? SN_GPU_XPBD_SPLIT_NONE : SN_GPU_XPBD_SPLIT_ALL;
        sn_gpu_xpbd *xpbd = create_xpbd(*state, &way);
        const sn_xpbd_settings settings = falling();
        twins t = create_twins(xpbd, model, add_xpbd_model(xpbd, model), &settings);
        const double to[3] = {0.3, 0.2, 0.1};
        pin_twins(xpbd, &t, 1, INFINITY);
        move_twins(xpbd, &t, 1, to);
        for (int step = 0; step < 5; ++step) {
            step_twins(*state, xpbd, &t, NULL);
        }
        destroy_twins(&t);
        sn_gpu_xpbd_destroy(&xpbd);
    }
    sn_xpbd_model_destroy(&model);
}

int test_gpu_xpbd_bodies(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_flight),
        SN_TEST_SHARED_GPU(test_crowds),
        SN_TEST_SHARED_GPU(test_large_and_long),
        SN_TEST_SHARED_GPU(test_many_colours),
    };
    return cmocka_run_group_tests(tests, make_ball, destroy_ball);
}
