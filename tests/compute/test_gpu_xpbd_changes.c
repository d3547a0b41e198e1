/* SPDX-License-Identifier: MIT */
/* What changes between steps of position-based bodies on the device, as on the CPU: edits, sleep, explosions; and
 * what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/gpu_xpbd_bodies.h"

/* Between two steps: a constraint more of each kind, some removed, elements too, pins that come, change and go. */
static void test_edits(void **state)
{
    sn_gpu_device *device = *state;
    fixture f = open_fixture(device, NULL, sn_xpbd_bar(4, 2, 2, 0.1));
    sn_xpbd_settings settings = falling();
    settings.sweep_count = 2;
    twins t = add_twins(&f, &settings), other = add_twins(&f, &settings);
    int32_t numbers[60];
    pin_twins(f.xpbd, &t, 0, INFINITY);
    for (int step = 0; step < 60; ++step) {
        const int32_t *v = f.shape.elements + 4 * (step * 7 % f.shape.desc.element_count);
        const sn_xpbd_constraint_type kind = (sn_xpbd_constraint_type)(step % 3);
        const sn_xpbd_constraint added = {
            kind, {v[0], v[1], v[2], v[3]}, kind == SN_XPBD_BENDING ? 1e-2 : 1e3, false, 0};
        assert_int_equal(sn_xpbd_model_add(f.model, &added, &numbers[step]), SN_OK);
        if (step % 4 == 3) {
            sn_xpbd_model_remove(f.model, (sn_xpbd_constraint_type)((step - 3) % 3), numbers[step - 3]);
            sn_xpbd_model_remove_element(f.model, step);
        }
        if (step % 8 == 7) { /* what went four steps ago comes back, as a new one */
            sn_xpbd_element again = {.lambda = f.shape.lambda[step - 4], .mu = f.shape.mu[step - 4]};
            int32_t element;
            memcpy(again.vertices, f.shape.elements + 4 * (step - 4), sizeof again.vertices);
            assert_int_equal(sn_xpbd_model_add_element(f.model, &again, &element), SN_OK);
        }
        assert_int_equal(sn_gpu_xpbd_update_model(f.xpbd, f.index), SN_OK);
        if (step % 10 == 2 && step < 40) {
            pin_twins(f.xpbd, &t, step, step % 20 == 2 ? 500 : INFINITY); /* where the device has it */
            pin_twins(f.xpbd, &t, step + 1, 20);
        } else if (step % 10 == 6 && step < 40) {
            pin_twins(f.xpbd, &t, step - 4, 50);
            unpin_twins(f.xpbd, &t, step - 3);
        }
        step_device(device, f.xpbd);
        const sn_xpbd_report report = sn_xpbd_body_step(t.cpu, NULL), beside = sn_xpbd_body_step(other.cpu, NULL);
        assert_twins(device, f.xpbd, &t, &report);
        assert_twins(device, f.xpbd, &other, &beside);
    }
    destroy_twins(&t);
    destroy_twins(&other);
    close_fixture(&f);
}

static void test_sleep(void **state)
{
    sn_gpu_device *device = *state;
    fixture f = open_fixture(device, NULL, sn_xpbd_bar(3, 2, 2, 0.1));
    sn_xpbd_settings settings = falling();
    settings.damping = 8;
    settings.is_rigid_damped = true;
    settings.sleep_speed = 0.08;
    twins t = add_twins(&f, &settings);
    sn_collider floor = make_collider(SN_COLLIDER_PLANE, 0.5, 0, -0.01, 0);
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = &floor};
    const double push[3] = {0, 2, 0};
    int woken = 0;
    bool was_asleep = false;
    for (int step = 0; step < 400 && woken < 4; ++step) {
        const bool is_asleep = step_twins(device, f.xpbd, &t, &surroundings).is_asleep;
        if (was_asleep && is_asleep) { /* another reason to wake each time */
            if (woken == 0) {
                push_twins(f.xpbd, &t, 2, push);
            } else if (woken == 1) {
                floor.transform[7] = floor.transform_before[7] = -0.05;
            } else if (woken == 2) {
                sn_xpbd_model_remove_element(f.model, 0);
                assert_int_equal(sn_gpu_xpbd_update_model(f.xpbd, f.index), SN_OK);
            } else {
                pin_twins(f.xpbd, &t, 1, 100);
            }
            assert_false(step_twins(device, f.xpbd, &t, &surroundings).is_asleep);
            ++woken;
        }
        was_asleep = is_asleep;
    }
    assert_int_equal(woken, 4);
    destroy_twins(&t);
    close_fixture(&f);
}

/* Numbers that are not finite, and pins that jump by many lengths: back to rest inside the shader, counted. */
static void check_explosions(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc)
{
    fixture f = open_fixture(device, desc, sn_xpbd_bar(3, 2, 2, 0.1));
    const sn_xpbd_settings settings = falling();
    const double bad[] = {NAN, INFINITY, 1e30};
    for (int i = 0; i < 6; ++i) {
        twins t = add_twins(&f, &settings);
        const double to[3] = {0.5, 0.25, -0.125};
        sn_gpu_xpbd_reading reading;
        if (i % 2) {
            pin_twins(f.xpbd, &t, 0, INFINITY);
            pin_twins(f.xpbd, &t, 4, 1e3);
            move_twins(f.xpbd, &t, 0, to);
        }
        set_velocities(f.xpbd, &t, bad[i / 2], 0, 0);
        assert_true(step_twins(device, f.xpbd, &t, NULL).is_recovered);
        for (int step = 0; step < 3; ++step) {
            assert_false(step_twins(device, f.xpbd, &t, NULL).is_recovered);
        }
        assert_int_equal(sn_gpu_xpbd_download(f.xpbd, t.gpu, NULL, &reading), SN_OK);
        assert_int_equal(reading.recovery_count, 1);
        sn_gpu_xpbd_remove_body(f.xpbd, t.gpu);
        destroy_twins(&t);
    }
    twins t = add_twins(&f, &settings);
    uint64_t seed = 3;
    pin_twins(f.xpbd, &t, 0, INFINITY);
    pin_twins(f.xpbd, &t, 20, INFINITY);
    for (int step = 0; step < steps_of(desc, 60); ++step) {
        for (int i = 0; i < 2; ++i) {
            const double to[3] = {5 * sn_random_unit(&seed), 5 * sn_random_unit(&seed), 5 * sn_random_unit(&seed)};
            move_twins(f.xpbd, &t, 20 * i, to);
        }
        step_twins(device, f.xpbd, &t, NULL);
    }
    destroy_twins(&t);
    close_fixture(&f);
}

static void test_what_is_refused(void **state)
{
    sn_gpu_device *device = *state;
    fixture f = open_fixture(device, NULL, sn_xpbd_bar(1, 1, 1, 0.1));
    sn_xpbd_settings settings = falling();
    int body = -1;
    sn_test_logged.is_quiet = true;
    settings.is_double = true;
    assert_int_equal(sn_gpu_xpbd_add_body(f.xpbd, f.index, &settings, &body), SN_ERROR_UNSUPPORTED);
    settings = falling();
    settings.time_step = NAN;
    assert_int_equal(sn_gpu_xpbd_add_body(f.xpbd, f.index, &settings, &body), SN_ERROR_ARGUMENT);
    settings = falling();
    assert_int_equal(sn_gpu_xpbd_add_body(f.xpbd, f.index, &settings, &body), SN_OK);
    assert_int_equal(sn_gpu_xpbd_pin(f.xpbd, body, 0, -1), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_test_logged.error_count, 3);
    close_fixture(&f);
}

static void test_explosions(void **state)
{
    both_ways(*state, check_explosions);
}

int test_gpu_xpbd_changes(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_edits),
        SN_TEST_SHARED_GPU(test_sleep),
        SN_TEST_SHARED_GPU(test_explosions),
        SN_TEST_SHARED_GPU(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, make_ball, destroy_ball);
}
