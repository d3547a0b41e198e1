/* SPDX-License-Identifier: MIT */
/* What the end of a step mends: handles that are turned against their flesh, however that lies in the world; flesh that
 * is wound up together with its rig; and what an impulse out of the plane would do to flat flesh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/coupled/coupled_test.h"

#define LIMIT 1024
static double places[3 * LIMIT];

static void about(const double *axis, double angle, double *rotation)
{
    for (int d = 0; d < 3; ++d) {
        rotation[d] = axis[d] * sin(angle / 2);
    }
    rotation[3] = cos(angle / 2);
}

static double angle_between(const double *a, const double *b)
{
    const double cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    return 2 * acos(fmin(fabs(cosine), 1));
}

/* Flesh and handles, by a rotation and a shift. */
static void move(const sn_coupled_scene *scene, sn_coupled_body *body, const double *rotation, const double *shift)
{
    double transform[12], r[9];
    sn_quaternion_to_matrix(rotation, r);
    for (int i = 0; i < 12; ++i) {
        transform[i] = i % 4 < 3 ? r[3 * (i / 4) + i % 4] : shift[i / 4];
    }
    sn_coupled_body_teleport(body, transform);
    assert_true(scene->shape.desc.vertex_count <= LIMIT);
}

/* The flesh's rotation is found all around the circle, and a handle that is turned against it takes it up. */
static void test_turned_handles_come_back(void **state)
{
    (void)state;
    const double z[3] = {0, 0, 1}, slanted[3] = {0.48, 0.6, 0.64}, shift[3] = {0.3, -2, 0};
    for (int i = 0; i < 48; ++i) {
        const int dimension = 2 + i % 2;
        sn_coupled_scene scene = sn_coupled_mixed(dimension);
        const sn_coupled_settings settings = sn_default_coupled_settings();
        sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
        double rotation[4], found[4], moved[3];
        about(dimension == 2 ? z : slanted, 0.262 * (i / 2), rotation); /* fifteen degrees */
        move(&scene, body, rotation, shift);
        sn_coupled_flesh_motion(body, found, moved);
        assert_true(angle_between(found, rotation) < 0.05 &&
                    sn_distance3(moved, shift) < 0.05); /* in space, half a turn
                                                        from rest, slowly */
        for (int k = 0; k < scene.handle_count; ++k) {
            double wrong[4];
            if (body->rig->rotation_column[k] < 0 || body->rig->handles[k].type == SN_HANDLE_AFFINE) {
                continue;
            }
            about(z, 2 + 0.02 * i, wrong);
            sn_quaternion_multiply(wrong, body->handles[k].rotation, body->handles[k].rotation);
            sn_coupled_compose(&body->handles[k]);
            sn_coupled_resolve_flips(body, k);
            assert_true(angle_between(body->handles[k].rotation, rotation) < 0.05);
        }
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
}

static double least_growth(const sn_coupled_scene *scene, const sn_coupled_body *body)
{
    double least = INFINITY;
    sn_xpbd_body_positions(body->flesh, places);
    for (int e = 0; e < scene->shape.desc.element_count; ++e) {
        const int32_t *c = scene->shape.desc.elements + 4 * (size_t)e;
        double edges[2][3][3], cross[3], size[2];
        for (int side = 0; side < 2; ++side) {
            const double *x = side ? scene->shape.positions : places;
            for (int k = 0; k < 3; ++k) {
                sn_subtract3(x + 3 * (size_t)c[k + 1], x + 3 * (size_t)c[0], edges[side][k]);
            }
            sn_cross3(edges[side][1], edges[side][2], cross);
            size[side] = sn_dot3(edges[side][0], cross);
        }
        least = fmin(least, size[0] / size[1]);
    }
    return least;
}

/* A bar whose ends are held, and its middle half a turn about it: wrung to a point on both sides, rig and flesh alike.
 * It goes back to rest, and again after twice as many rounds; not so where its middle is held like that, too. */
static void test_wrung_bar_goes_back(void **state)
{
    (void)state;
    sn_coupled_scene scene = sn_coupled_row(sn_xpbd_bar(13, 4, 3, 0.08), 3, SN_HANDLE_RIGID);
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.time_step = 1e-4; /* flesh stays as it is put */
    const double half_turn[3] = {3.14159265, 0, 0}, nowhere[3] = {0}, along[3] = {1, 0, 0};
    const int due = SN_COUPLED_CHECK_BATCHES * SN_COUPLED_MAX_ROUNDS;
    for (int is_held = 0; is_held < 2; ++is_held) {
        sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
        double target[12];
        sn_coupled_aim(scene.handles[1].pivot, half_turn, nowhere, target);
        sn_coupled_body_set_locks(body, 0, SN_LOCK_ALL);
        sn_coupled_body_set_locks(body, 2, SN_LOCK_ALL);
        sn_coupled_body_set_locks(body, 1, is_held ? SN_LOCK_ALL : 0);
        sn_coupled_body_set_target(body, 1, target);
        for (int frame = 1; frame <= 3 * due; ++frame) {
            about(along, half_turn[0], body->handles[1].rotation);
            sn_coupled_compose(&body->handles[1]);
            sn_coupled_body_rig_positions(body, places);
            sn_xpbd_body_set_positions(body->flesh, places);
            assert_true(least_growth(&scene, body) < 0.02);
            const bool is_back = sn_coupled_body_step(body, NULL).is_recovered;
            assert_true(is_back == (!is_held && (frame == due || frame == 2 * due)));
            assert_true(!is_back || least_growth(&scene, body) > 0.99);
        }
        sn_coupled_body_destroy(&body);
    }
    sn_coupled_scene_finish(&scene);
}

/* Flesh alone that is inside out is drawn back by the rig: the body stays where it is held. */
static void test_rig_mends_flesh(void **state)
{
    (void)state;
    sn_coupled_scene scene = sn_coupled_row(sn_xpbd_bar(13, 4, 3, 0.08), 3, SN_HANDLE_RIGID);
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.damping = 4;
    sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
    for (int k = 0; k < 3; ++k) {
        sn_coupled_body_set_locks(body, k, SN_LOCK_ALL);
    }
    for (int v = 0; v < scene.shape.desc.vertex_count; ++v) {
        const double *x = scene.shape.positions + 3 * v;
        memcpy(places + 3 * v, x, 3 * sizeof *x);
        places[3 * v + 1] = x[0] > 0.3 && x[0] < 0.6 ? 0.24 - x[1] : x[1];
    }
    sn_xpbd_body_set_positions(body->flesh, places);
    assert_true(least_growth(&scene, body) < 0);
    for (int frame = 0; frame < 300; ++frame) {
        assert_false(sn_coupled_body_step(body, NULL).is_recovered);
    }
    assert_true(least_growth(&scene, body) > 0.9);
    sn_coupled_body_destroy(&body);
    sn_coupled_scene_finish(&scene);
}

/* An impulse moves flat flesh in its plane, and nothing of it out of that. */
static void test_plane_keeps_impulses(void **state)
{
    (void)state;
    sn_coupled_scene scene = sn_coupled_mixed(2);
    const sn_coupled_settings settings = sn_default_coupled_settings();
    sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
    const double push[3] = {0.01, 0.02, 5};
    double x = 0;
    sn_xpbd_body_apply_impulse(body->flesh, 60, push);
    for (int frame = 0; frame < 10; ++frame) {
        sn_coupled_body_step(body, NULL);
    }
    sn_xpbd_body_positions(body->flesh, places);
    for (int v = 0; v < scene.shape.desc.vertex_count; ++v) {
        assert_true(places[3 * v + 2] == 0);
        x = fmax(x, fabs(places[3 * v] - scene.shape.positions[3 * v]));
    }
    assert_true(x > 1e-6);
    sn_coupled_body_destroy(&body);
    sn_coupled_scene_finish(&scene);
}

int test_coupled_heal(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turned_handles_come_back), cmocka_unit_test(test_wrung_bar_goes_back),
        cmocka_unit_test(test_rig_mends_flesh), cmocka_unit_test(test_plane_keeps_impulses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
