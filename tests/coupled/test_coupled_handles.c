/* SPDX-License-Identifier: MIT */
/* Kinds of handles in motion: locks hold to the digit, joints stay together, a chain follows its tip, affine handles
 * squash and stretch, cages carry what they enclose, and a plane is a plane in 2D and in 3D. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/coupled/coupled_test.h"

#define LIMIT 4096
static double x[3 * LIMIT], y[3 * LIMIT];

static void step(sn_coupled_body *body, int count)
{
    for (int i = 0; i < count; ++i) {
        assert_false(sn_coupled_body_step(body, NULL).is_recovered);
    }
}

static double apart(const double *a, const double *b, int count)
{
    double largest = 0;
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

/* Locked scalars are where their targets are after every step, whatever the others do; free ones go elsewhere. */
static void test_locks_hold(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        sn_coupled_scene scene = sn_coupled_mixed(2 + i % 2);
        sn_coupled_settings settings = sn_default_coupled_settings();
        settings.xpbd.is_double = i < 2;
        settings.xpbd.gravity[1] = -3;
        settings.xpbd.damping = 2;
        sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
        sn_coupled_body_set_locks(body, 0, SN_LOCK_ALL);
        sn_coupled_body_set_locks(body, 1, SN_LOCK_ROTATION | SN_LOCK_STRETCH);
        sn_coupled_body_set_locks(body, 2, SN_LOCK_Y);
        sn_coupled_body_set_locks(body, 4, SN_LOCK_ROTATION);
        double free_moved = 0;
        for (int frame = 0; frame < 60; ++frame) {
            double targets[6][12], found[6 * 12];
            for (int k = 0; k < 6; ++k) {
                const double axis[3] = {i % 2 ? 0.2 * sin(0.1 * frame) : 0, 0, 0.3 * sin(0.08 * frame + k)};
                const double move[3] = {0.1 * sin(0.07 * frame), 0.002 * frame, i % 2 ? 0.05 * sin(0.2 * frame) : 0};
                sn_coupled_aim(scene.handles[k].pivot, axis, move, targets[k]);
                sn_coupled_body_set_target(body, k, targets[k]);
            }
            step(body, 1);
            sn_coupled_body_transforms(body, found);
            assert_true(apart(found, targets[0], 12) < 1e-12);
            for (int e = 0; e < 9; ++e) {
                const int at = 4 * (e / 3) + e % 3;
                assert_true(fabs(found[12 + at] - targets[1][at]) < 1e-12);
                assert_true(fabs(found[48 + at] - targets[4][at]) < 1e-12);
            }
            assert_true(fabs(found[24 + 7] - 0.002 * frame) < 1e-12); /* it does not turn */
            free_moved = fmax(free_moved, fabs(found[24 + 3] - 0.1 * sin(0.07 * frame)));
        }
        assert_true(free_moved > 1e-3);
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
}

/* Rotation locked about one axis alone: the handle turns about the others, and not about this one. */
static void test_partial_rotation(void **state)
{
    (void)state;
    sn_coupled_scene scene = sn_coupled_row(sn_xpbd_bar(10, 3, 3, 0.1), 2, SN_HANDLE_RIGID);
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.gravity[1] = -5;
    sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
    sn_coupled_body_set_locks(body, 0, SN_LOCK_TRANSLATION | SN_LOCK_ROTATION_X);
    double found[24], fallen = 0;
    for (int frame = 0; frame < 30; ++frame) {
        step(body, 1);
        sn_coupled_body_transforms(body, found);
        fallen = fmax(fallen, fabs(found[4]));
        assert_true(fabs(found[6]) < 0.02 && fabs(found[9]) < 0.02); /* y and z axes do not turn into each other */
    }
    assert_true(fallen > 0.1);
    sn_coupled_body_destroy(&body);
    sn_coupled_scene_finish(&scene);
}

/* A chain of joints of which every second one branches, root locked or free. */
static sn_coupled_scene tree_scene(int dimension)
{
    sn_coupled_scene scene =
        sn_coupled_row(dimension == 2 ? sn_xpbd_sheet(30, 4, 0.05) : sn_xpbd_bar(20, 3, 3, 0.08), 6, SN_HANDLE_RIGID);
    for (int k = 0; k < 6; ++k) {
        scene.handles[k].parent = (k - 1) / (k == 3 ? 2 : 1); /* 3 hangs on 1 */
        scene.handles[k].parent = k == 0 ? -1 : scene.handles[k].parent;
    }
    sn_coupled_rig_destroy(&scene.rig);
    sn_coupled_scene_rig(&scene);
    return scene;
}

static void check_joints(const sn_coupled_scene *scene, const sn_coupled_body *body)
{
    double found[12 * 6];
    sn_coupled_body_transforms(body, found);
    for (int k = 1; k < 6; ++k) { /* the parent takes the pivot where the joint does */
        const double *pivot = scene->handles[k].pivot;
        for (int d = 0; d < 3; ++d) {
            const double *own = found + 12 * k + 4 * d, *above = found + 12 * scene->handles[k].parent + 4 * d;
            assert_true(fabs(sn_dot3(own, pivot) + own[3] - sn_dot3(above, pivot) - above[3]) < 1e-12);
        }
    }
}

/* Roots driven or free; the tip dragged, inverse kinematics through physics: it gets there, and where it is dragged out
 * of reach the chain stretches towards it and stays together. */
static void test_joints(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        sn_coupled_scene scene = tree_scene(2 + i % 2);
        sn_coupled_settings settings = sn_default_coupled_settings();
        settings.xpbd.damping = 4;
        sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
        const double *tip = scene.handles[5].pivot;
        sn_coupled_body_set_locks(body, 5, SN_LOCK_TRANSLATION);
        sn_coupled_body_set_locks(body, 0, i < 2 ? SN_LOCK_TRANSLATION : 0);
        double target[12];
        const double still[3] = {0}, near[3] = {-0.1, 0.3, 0}, far[3] = {0, 9, 0};
        for (int frame = 1; frame <= 90; ++frame) {
            const double move[3] = {near[0] * fmin(frame / 60.0, 1), near[1] * fmin(frame / 60.0, 1), 0};
            sn_coupled_aim(tip, still, move, target);
            sn_coupled_body_set_target(body, 5, target);
            step(body, 1);
            check_joints(&scene, body);
            const double off =
                sn_distance3(body->handles[5].position, (double[3]){tip[0] + move[0], tip[1] + move[1], tip[2]});
            assert_true(off < 2e-3);
        }
        for (int frame = 1; frame <= 150; ++frame) {
            const double share = fmin(frame / 90.0, 1);
            const double move[3] = {near[0] + share * (far[0] - near[0]), near[1] + share * (far[1] - near[1]), 0};
            sn_coupled_aim(tip, still, move, target);
            sn_coupled_body_set_target(body, 5, target);
            step(body, 1);
            check_joints(&scene, body);
        }
        const double reach = sn_distance3(body->handles[5].position, body->handles[0].position);
        const double length = sn_distance3(tip, scene.handles[0].pivot);
        print_message("%dD, root %s: reach %.3f of %.3f\n", 2 + i % 2, i < 2 ? "locked" : "free", reach, length);
        if (i < 2) {
            assert_true(sn_distance3(body->handles[0].position, scene.handles[0].pivot) < 1e-12);
            assert_true(reach > 0.9 * length && body->handles[5].position[1] > 0.8 * length);
        } else {
            const double wanted[3] = {tip[0], tip[1] + 9, tip[2]};
            assert_true(sn_distance3(body->handles[5].position, wanted) < 0.02);
        }
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
}

/* Length of a column of the linear part. */
static double column(const double *m, int e)
{
    return sqrt(m[e] * m[e] + m[4 + e] * m[4 + e] + m[8 + e] * m[8 + e]);
}

/* One affine handle over all, its stretch locked to .7 of the height and its rest free: the flesh squashes, about keeps
 * its volume's sign, and turns with an impulse. Free again, it comes back. */
static void test_affine(void **state)
{
    (void)state;
    for (int dimension = 2; dimension < 4; ++dimension) {
        sn_coupled_scene scene = sn_coupled_row(dimension == 2 ? sn_xpbd_sheet(10, 8, 0.1) : sn_xpbd_bar(6, 5, 4, 0.15),
                                                1, SN_HANDLE_AFFINE);
        sn_coupled_settings settings = sn_default_coupled_settings();
        settings.xpbd.damping = 4;
        sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
        double found[12];
        sn_coupled_body_set_locks(body, 0, SN_LOCK_STRETCH);
        for (int frame = 1; frame <= 120; ++frame) {
            const double share = fmin(frame / 60.0, 1);
            const double squashed[12] = {1 + 0.2 * share, 0, 0, 0, 0, 1 - 0.3 * share, 0, 0, 0, 0, 1, 0};
            sn_coupled_body_set_target(body, 0, squashed);
            if (frame == 5) {
                const double kick[3] = {0, 10, 0};
                sn_xpbd_body_apply_impulse(body->flesh, 0, kick);
            }
            step(body, 1);
        }
        sn_coupled_body_transforms(body, found);
        const double sheared = found[0] * found[1] + found[4] * found[5] + found[8] * found[9];
        const double along = column(found, 0), across = column(found, 1);
        print_message("%dD: stretches %.4f and %.4f, turned by %.3f\n", dimension, along, across, found[4]);
        assert_true(fabs(along - 1.2) < 1e-6 && fabs(across - 0.7) < 1e-6 && fabs(sheared) < 1e-6);
        assert_true(fabs(found[4]) > 1e-3);
        sn_xpbd_body_positions(body->flesh, x);
        sn_coupled_body_rig_positions(body, y);
        const double height = apart(x, y, 3 * scene.shape.desc.vertex_count);
        print_message("flesh and rig apart by %.3f\n", height);
        assert_true(height < 0.2); /* the flesh is squashed, too */
        sn_coupled_body_set_locks(body, 0, 0);
        step(body, 240);
        sn_coupled_body_transforms(body, found);
        assert_true(fabs(column(found, 0) - 1) < 0.02 && fabs(column(found, 1) - 1) < 0.02);
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
}

/* A box as a cage with multilinear weights, that reproduce places: corners moved by an affine map move all by it. */
static void test_cage(void **state)
{
    (void)state;
    for (int dimension = 2; dimension < 4; ++dimension) {
        const int corners = dimension == 2 ? 4 : 8;
        sn_coupled_scene scene = sn_coupled_row(dimension == 2 ? sn_xpbd_sheet(10, 8, 0.1) : sn_xpbd_bar(5, 4, 4, 0.2),
                                                corners, SN_HANDLE_TRANSLATION);
        const double *last = scene.shape.positions + 3 * (scene.shape.desc.vertex_count - 1);
        for (int k = 0; k < corners; ++k) {
            for (int d = 0; d < dimension; ++d) {
                scene.handles[k].pivot[d] = (k >> d & 1) * last[d];
            }
            for (int v = 0; v < scene.shape.desc.vertex_count; ++v) {
                double weight = 1;
                for (int d = 0; d < dimension; ++d) {
                    const double share = scene.shape.positions[3 * v + d] / last[d];
                    weight *= k >> d & 1 ? share : 1 - share;
                }
                scene.weights[v * corners + k] = weight;
            }
        }
        sn_coupled_rig_destroy(&scene.rig);
        sn_coupled_scene_rig(&scene);
        sn_coupled_settings settings = sn_default_coupled_settings();
        settings.xpbd.damping = 4;
        settings.xpbd.is_rigid_damped = true;
        sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
        const double map[12] = {1.1, 0.2, 0, 0.3, -0.1, 0.9, 0, 0.1, 0, 0, 1, 0};
        for (int k = 0; k < corners; ++k) {
            sn_coupled_body_set_locks(body, k, SN_LOCK_ALL);
            assert_int_equal(sn_coupled_body_locks(body, k),
                             dimension == 2 ? SN_LOCK_X | SN_LOCK_Y : SN_LOCK_TRANSLATION);
        }
        for (int frame = 0; frame < 120; ++frame) {
            for (int k = 0; k < corners; ++k) {
                sn_coupled_body_set_target(body, k, map);
            }
            step(body, 1);
        }
        sn_coupled_body_rig_positions(body, y);
        for (int v = 0; v < scene.shape.desc.vertex_count; ++v) {
            const double *at = scene.shape.positions + 3 * v;
            for (int d = 0; d < 3; ++d) {
                assert_true(fabs(y[3 * v + d] - sn_dot3(map + 4 * d, at) - map[4 * d + 3]) < 1e-6);
            }
        }
        sn_xpbd_body_positions(body->flesh, x);
        assert_true(apart(x, y, 3 * scene.shape.desc.vertex_count) < 0.05);
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
}

/* The same masses at the same places of a plane, once as triangles and once as points in space without elements: one
 * coupling moves both alike. */
static void test_plane_in_space(void **state)
{
    (void)state;
    sn_coupled_scene flat = sn_coupled_mixed(2), space = flat;
    const int count = flat.shape.desc.vertex_count;
    static double masses[LIMIT], transforms[2][12 * 8];
    for (int v = 0; v < count; ++v) {
        masses[v] = sn_xpbd_model_mass(flat.model, v);
    }
    space.shape.desc.element_count = 0;
    space.shape.desc.masses = masses;
    space.model = sn_xpbd_shape_model(&space.shape);
    sn_coupled_scene_rig(&space);
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.is_double = true;
    for (int side = 0; side < 2; ++side) {
        const sn_coupled_scene *scene = side ? &space : &flat;
        sn_coupled_body *body = sn_coupled_test_body(scene, &settings);
        sn_coupled_bend(&flat, body, 0.02, 0.3);
        sn_coupled_fit_free_handles(body);
        for (int k = 0; k < 6; k += 2) {
            const double axis[3] = {0, 0, 0.5}, move[3] = {0.05, 0.02, 0};
            double target[12];
            sn_coupled_body_set_locks(body, k, SN_LOCK_ALL);
            sn_coupled_aim(scene->handles[k].pivot, axis, move, target);
            sn_coupled_body_set_target(body, k, target);
        }
        sn_coupled_prepare(body);
        for (int substep = 0; substep < 15; ++substep) {
            sn_coupled_couple(body, substep);
        }
        sn_xpbd_body_positions(body->flesh, side ? y : x);
        sn_coupled_body_transforms(body, transforms[side]);
        sn_coupled_body_destroy(&body);
    }
    print_message("apart by %.1e, handles by %.1e\n", apart(x, y, 3 * count), apart(transforms[0], transforms[1], 72));
    assert_true(apart(x, y, 3 * count) < 1e-7 && apart(transforms[0], transforms[1], 72) < 1e-7);
    sn_coupled_rig_destroy(&space.rig);
    sn_xpbd_model_destroy(&space.model);
    sn_coupled_scene_finish(&flat);
}

int test_coupled_handles(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_locks_hold), cmocka_unit_test(test_partial_rotation),
                                       cmocka_unit_test(test_joints),     cmocka_unit_test(test_affine),
                                       cmocka_unit_test(test_cage),       cmocka_unit_test(test_plane_in_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
