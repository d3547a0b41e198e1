/* SPDX-License-Identifier: MIT */
/* Bodies that are put elsewhere, put to rest, or recover. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/world/posed_bar.h"

/* Two bodies with one history; one is turned and moved in the middle, and its poses with it: the flesh differs by the
 * turn alone. */
static void test_teleport_is_exact(void **state)
{
    (void)state;
    const sn_mat3x4 move = {{{0, 0, 1, 30}, {0, 1, 0, -7}, {-1, 0, 0, 5}}};
    const sn_world_id world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id stays, moves;
    desc.model = model;
    desc.stiffness = 0.3;
    assert_int_equal(sn_body_create(world, &desc, &stays), SN_OK);
    assert_int_equal(sn_body_create(world, &desc, &moves), SN_OK);
    for (int frame = 0; frame < 60; ++frame) {
        sn_mat3x4 bones[BONES], moved[BONES];
        pose_at(frame / 60.0, bones);
        for (int b = 0; b < BONES; ++b) {
            for (int d = 0; d < 3; ++d) {
                for (int k = 0; k < 4; ++k) {
                    moved[b].m[d][k] = k == 3 ? move.m[d][3] : 0;
                    for (int j = 0; j < 3; ++j) {
                        moved[b].m[d][k] += move.m[d][j] * bones[b].m[j][k];
                    }
                }
            }
        }
        if (frame == 30) {
            sn_body_teleport(moves, &move);
        }
        sn_body_set_pose(stays, bones, BONES);
        sn_body_set_pose(moves, frame < 30 ? bones : moved, BONES);
        sn_world_step(world, 1.0 / 60);
    }
    const sn_body_matrices a = sn_body_output(stays), b = sn_body_output(moves);
    for (int j = 0; j < a.mode_count; ++j) {
        const sn_mat3x4 *from = &a.matrices[BONES + j], *to = &b.matrices[BONES + j];
        for (int k = 0; k < 4; ++k) {
            assert_true(fabsf(to->m[0][k] - from->m[2][k]) < 1e-5F && fabsf(to->m[1][k] - from->m[1][k]) < 1e-5F &&
                        fabsf(to->m[2][k] + from->m[0][k]) < 1e-5F);
        }
    }
    assert_true(size_of_modes(stays) > 1e-3);
    sn_world_destroy(world);
}

/* Nowhere at all, between two steps: what is drawn does not jump. */
static void test_teleport_between_steps(void **state)
{
    (void)state;
    const sn_mat3x4 nowhere = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 0.3);
    float before[12 * 16];
    for (int frame = 0; frame < 7; ++frame) {
        sn_world_step(world, 0.8 / 60);
    }
    copy_output(body, before);
    sn_body_teleport(body, &nowhere);
    const sn_body_matrices after = sn_body_output(body);
    assert_true(difference(before, &after) < 1e-7);
    sn_world_destroy(world);
}

static void test_reset_rests(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    desc.model = model;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    const sn_mat3x4 far = {{{1, 0, 0, 3}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    sn_body_set_rigid_pose(body, &far);
    sn_body_reset(body); /* without it, the jump would kick */
    for (int i = 0; i < 30; ++i) {
        sn_world_step(world, 1.0 / 60);
        assert_true(size_of_modes(body) < 1e-5);
    }
    const sn_mat3x4 back = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    sn_body_set_rigid_pose(body, &back);
    sn_world_step(world, 1.0 / 60);
    sn_world_step(world, 1.0 / 60);
    assert_true(size_of_modes(body) > 1e-2);
    sn_body_reset(body);
    assert_true(size_of_modes(body) == 0);
    sn_world_destroy(world);
}

static void test_recovers(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 1), other = make_body(world, 1);
    sn_mat3x4 bones[BONES];
    pose_at(0.1, bones);
    sn_body_set_pose(body, bones, BONES);
    sn_world_step(world, 1.0 / 60);
    bones[1].m[2][2] = NAN;
    sn_body_set_pose(body, bones, BONES);
    logged.warnings = 0;
    assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 1);
    assert_int_equal(logged.warnings, 1);
    assert_true(isfinite(sn_body_output(body).matrices[1].m[2][2]));
    assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 0);
    const sn_mat3x4 beyond = {{{1e18F, 0, 0, 1e25F}, {0, -1e18F, 0, 0}, {0, 0, 1e18F, 1e30F}}};
    sn_body_set_rigid_pose(body, &beyond);
    logged.warnings = 0;
    assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 1);
    assert_int_equal(logged.warnings, 1);
    pose_at(0, bones);
    sn_body_set_pose(body, bones, BONES);
    sn_body_reset(body);
    for (int i = 0; i < 10; ++i) {
        assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 0);
    }
    assert_true(isfinite(size_of_modes(body)) && isfinite(size_of_modes(other)));
    sn_world_destroy(world);
}

int test_world_resets(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_teleport_between_steps),
        cmocka_unit_test(test_teleport_is_exact),
        cmocka_unit_test(test_reset_rests),
        cmocka_unit_test(test_recovers),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
