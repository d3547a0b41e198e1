/* SPDX-License-Identifier: MIT */
/* Bodies that are teleported, reset, put to sleep, given another rig, or recover. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/math/affine.h"
#include "tests/coupled/lively_bodies.h"

static double x[3 * LIMIT], y[3 * LIMIT];

/* A teleported body goes on as it would have. */
static void test_teleport(void **state)
{
    (void)state;
    for (int dimension = 2; dimension < 4; ++dimension) {
        sn_coupled_scene scene = sn_coupled_mixed(dimension);
        scene.handles[2].type = SN_HANDLE_RIGID; /* a translation alone cannot turn */
        sn_coupled_rig_destroy(&scene.rig);
        sn_coupled_scene_rig(&scene);
        const int count = scene.shape.desc.vertex_count;
        sn_coupled_settings settings = lively();
        settings.xpbd.is_double = true;
        settings.xpbd.gravity[1] = 0;
        sn_coupled_body *stays = lively_body(&scene, &settings), *goes = lively_body(&scene, &settings);
        sn_coupled_body_set_locks(stays, 5, 0); /* an axis of the world */
        sn_coupled_body_set_locks(goes, 5, 0);
        run(&scene, stays, 0, 20);
        run(&scene, goes, 0, 20);
        const double axis[3] = {dimension == 3 ? 0.4 : 0, 0, 1.2}, move[3] = {5, -3, dimension == 3 ? 2 : 0};
        const double nowhere[3] = {0};
        double transform[12];
        sn_coupled_aim(nowhere, axis, move, transform);
        sn_coupled_body_teleport(goes, transform);
        for (int i = 0; i < 20; ++i) {
            sn_coupled_body_step(stays, NULL);
            sn_coupled_body_step(goes, NULL);
        }
        sn_xpbd_body_positions(stays->flesh, x);
        sn_xpbd_body_positions(goes->flesh, y);
        double largest = 0;
        for (int v = 0; v < count; ++v) {
            double there[3];
            sn_affine_apply(transform, x + 3 * v, there);
            largest = fmax(largest, sn_distance3(there, y + 3 * v));
        }
        print_message("%dD: teleported apart by %.1e\n", dimension, largest);
        assert_true(largest < 1e-6);
        sn_coupled_body_destroy(&stays);
        sn_coupled_body_destroy(&goes);
        sn_coupled_scene_finish(&scene);
    }
}

static void test_reset(void **state)
{
    (void)state;
    sn_coupled_scene scene = sn_coupled_mixed(3);
    const sn_coupled_settings settings = lively();
    sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
    run(&scene, body, 0, 20); /* nothing is locked: it falls */
    sn_coupled_body_reset(body);
    double found[12 * 6];
    const double still[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    sn_coupled_body_transforms(body, found);
    sn_xpbd_body_positions(body->flesh, x);
    assert_true(apart(x, scene.shape.positions, 3 * scene.shape.desc.vertex_count) < 1e-6);
    for (int k = 0; k < 6; ++k) {
        assert_true(apart(found + 12 * k, still, 12) < 1e-12);
    }
    /* with a handle turned and moved, all goes there */
    const double axis[3] = {0.3, 0, 2}, move[3] = {4, 1, 0};
    double target[12];
    sn_coupled_aim(scene.handles[0].pivot, axis, move, target);
    sn_coupled_body_set_locks(body, 0, SN_LOCK_ALL);
    sn_coupled_body_set_target(body, 0, target);
    sn_coupled_body_reset(body);
    sn_coupled_body_transforms(body, found);
    sn_xpbd_body_positions(body->flesh, x);
    for (int v = 0; v < scene.shape.desc.vertex_count; ++v) {
        double there[3];
        sn_affine_apply(target, scene.shape.positions + 3 * v, there);
        assert_true(sn_distance3(there, x + 3 * v) < 1e-5);
    }
    for (int k = 0; k < 6; ++k) {
        assert_true(k == 2 || apart(found + 12 * k, target, 12) < 1e-9); /* 2 does not turn */
    }
    sn_coupled_body_destroy(&body);
    sn_coupled_scene_finish(&scene);
}

/* It sleeps when still, and every lock, target and compliance wakes it. */
static void test_sleep(void **state)
{
    (void)state;
    sn_coupled_scene scene = sn_coupled_mixed(2);
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.damping = 8;
    settings.xpbd.is_rigid_damped = true;
    settings.xpbd.sleep_speed = 0.02;
    sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
    for (int wake = 0; wake < 5; ++wake) {
        const double axis[3] = {0}, move[3] = {0.02 * wake, 0, 0}, *pivot = scene.handles[0].pivot;
        double target[12];
        sn_coupled_aim(pivot, axis, move, target);
        if (wake == 1) {
            sn_coupled_body_set_locks(body, 0, SN_LOCK_ALL);
        } else if (wake == 4) {
            sn_coupled_body_set_compliance(body, 0, 1e-4);
        } else if (wake > 0) {
            sn_coupled_body_set_target(body, 0, target);
        }
        assert_false(sn_coupled_body_step(body, NULL).is_asleep);
        bool is_asleep = false;
        for (int frame = 0; frame < 600 && !is_asleep; ++frame) {
            if (wake == 2) {
                sn_coupled_body_set_target(body, 0, target); /* the same again does not keep it awake */
            }
            is_asleep = sn_coupled_body_step(body, NULL).is_asleep;
        }
        assert_true(is_asleep);
    }
    sn_coupled_body_destroy(&body);
    sn_coupled_scene_finish(&scene);
}

/* Not a number, or flung away: back at rest where the targets are, and counted; then it moves as ever. */
static void test_recovery(void **state)
{
    (void)state;
    sn_coupled_scene scene = sn_coupled_mixed(3);
    const sn_coupled_settings settings = lively();
    sn_coupled_body *body = lively_body(&scene, &settings);
    run(&scene, body, 0, 10);
    for (int i = 0; i < 2; ++i) {
        const double speeds[3] = {i ? 1e9 : NAN, 0, 0};
        for (int v = 0; v < scene.shape.desc.vertex_count; ++v) {
            memcpy(x + 3 * v, speeds, sizeof speeds);
        }
        sn_xpbd_body_set_velocities(body->flesh, x);
        assert_true(sn_coupled_body_step(body, NULL).is_recovered);
        run(&scene, body, 11, 20);
        sn_xpbd_body_positions(body->flesh, x);
        for (int v = 0; v < scene.shape.desc.vertex_count; ++v) {
            assert_true(sn_distance3(x + 3 * v, scene.shape.positions + 3 * v) < 1);
        }
    }
    sn_coupled_body_destroy(&body);
    sn_coupled_scene_finish(&scene);
}

/* Handles added, kept and dropped while the body moves: the flesh does not notice, kept handles stay where they are. */
static void test_set_rig(void **state)
{
    (void)state;
    for (int dimension = 2; dimension < 4; ++dimension) {
        sn_coupled_scene scene = sn_coupled_mixed(dimension), other = {0};
        const int count = scene.shape.desc.vertex_count;
        static const int32_t from[5] = {3, -1, 0, 1, -1};
        other = scene;
        other.handle_count = 5;
        other.handles = SN_NEW(&scene.shape.arena, sn_coupled_handle, 5);
        other.weights = SN_NEW(&scene.shape.arena, double, 5 * count);
        for (int k = 0; k < 5; ++k) {
            other.handles[k] = scene.handles[from[k] < 0 ? (k == 1 ? 4 : 5) : from[k]];
            other.handles[k].parent = -1;
        }
        sn_coupled_bells(&other, 0.5);
        sn_coupled_scene_rig(&other);
        const sn_coupled_settings settings = lively();
        sn_coupled_body *body = lively_body(&scene, &settings);
        double before[12 * 6], after[12 * 5];
        run(&scene, body, 0, 30);
        sn_coupled_body_transforms(body, before);
        sn_xpbd_body_positions(body->flesh, x);
        assert_int_equal(sn_coupled_body_set_rig(body, other.rig, from), SN_OK);
        sn_xpbd_body_positions(body->flesh, y);
        assert_memory_equal(x, y, 3 * sizeof(double) * (size_t)count);
        sn_coupled_body_transforms(body, after);
        assert_int_equal(sn_coupled_body_locks(body, 2), sn_coupled_possible_locks(other.rig, 2));
        assert_int_equal(sn_coupled_body_locks(body, 1), 0);
        assert_true(apart(after + 24, before, 12) < 1e-12); /* all of it is locked */
        sn_coupled_body_rig_positions(body, y);
        const double off = apart(x, y, 3 * count);
        print_message("%dD: new rig apart from the flesh by %.3f\n", dimension, off);
        assert_true(off < 0.1);
        for (int frame = 0; frame < 60; ++frame) {
            assert_false(sn_coupled_body_step(body, NULL).is_recovered);
        }
        sn_coupled_body_transforms(body, after);
        assert_true(apart(after + 24, before, 12) < 1e-12); /* and its target stays */
        sn_coupled_rig_destroy(&scene.rig);
        scene.rig = other.rig;
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_coupled_states(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_teleport), cmocka_unit_test(test_reset),   cmocka_unit_test(test_sleep),
        cmocka_unit_test(test_recovery), cmocka_unit_test(test_set_rig),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
