/* SPDX-License-Identifier: MIT */
/* What a game can hand a world that is wrong, one test each: refused with one line, or defined, counted, and over in
 * the next step. What a file can have wrong: tests/cli/test_bad_list.sh. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "author/io/source.h"
#include "host/model/model.h"
#include "tests/world/world_test.h"

static const double bad_numbers[] = {NAN, INFINITY, -INFINITY, -1, 1e300};
#define BAD_COUNT 5

static sn_world_id make_world_of(double time_step)
{
    sn_world_desc desc = sn_default_world_desc();
    sn_world_id world;
    desc.time_step = time_step;
    assert_int_equal(sn_world_create(&desc, &world), SN_OK);
    return world;
}

static sn_body_desc soft(void)
{
    sn_body_desc desc = sn_default_body_desc();
    desc.model = model;
    desc.gravity[1] = -9.81;
    return desc;
}

static sn_body_id make_body(sn_world_id world)
{
    const sn_body_desc desc = soft();
    sn_body_id body;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    return body;
}

static void expect_finite(sn_body_id body)
{
    const sn_body_matrices out = sn_body_output(body);
    for (int i = 0; i < 12 * (out.bone_count + out.mode_count); ++i) {
        assert_true(fabsf(out.matrices[i / 12].m[i % 12 / 4][i % 4]) < 100);
    }
}

/* ---- worlds and bodies ---- */

static void test_time_steps(void **state)
{
    (void)state;
    const double bad[] = {0, -1, NAN, INFINITY, -INFINITY, 1e300}, odd[] = {1, 1e5, 1e-9};
    for (int i = 0; i < 6; ++i) {
        sn_world_desc desc = sn_default_world_desc();
        sn_world_id world = {1, 1};
        desc.time_step = bad[i];
        begin_log();
        assert_int_equal(sn_world_create(&desc, &world), SN_ERROR_ARGUMENT);
        assert_int_equal(logged.errors, 1);
        assert_int_equal(world.index1, 0);
    }
    for (int i = 0; i < 3; ++i) {
        const sn_world_id world = make_world_of(odd[i]);
        const sn_body_id body = make_body(world);
        for (int step = 0; step < 20; ++step) {
            const sn_mat3x4 pose = {{{1, 0, 0, 0.1F * (float)(step % 3)}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
            sn_body_set_rigid_pose(body, &pose);
            const sn_world_report report = sn_world_step(world, odd[i]);
            assert_int_equal(report.step_count, 1);
            assert_true(report.recovery_count == 0 || odd[i] < 1e-6); /* 1e8 diagonals a second are too fast */
            expect_finite(body);
        }
        sn_world_destroy(world);
    }
}

static void test_seconds(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY, -1, 0};
    const sn_world_id world = make_world_of(1.0 / 60);
    const sn_body_id body = make_body(world);
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(sn_world_step(world, bad[i]).step_count, 0);
    }
    const sn_world_report report = sn_world_step(world, 1e9);
    assert_int_equal(report.step_count, 4);
    assert_true(report.dropped_seconds > 9e8);
    expect_finite(body);
    sn_world_destroy(world);
}

static void test_body_descs(void **state)
{
    (void)state;
    const sn_world_id world = make_world_of(1.0 / 60);
    const sn_body_id body = make_body(world);
    sn_body_desc desc = soft();
    double *const numbers[] = {&desc.stiffness,      &desc.damping,    &desc.amount,     &desc.tolerance,
                               &desc.budget_seconds, &desc.gravity[0], &desc.gravity[1], &desc.gravity[2],
                               &desc.wind[0],        &desc.wind[2]};
    for (int field = 0; field < 10; ++field) {
        for (int i = 0; i < BAD_COUNT; ++i) {
            const double sound = *numbers[field];
            if (field >= 5 && bad_numbers[i] == -1) {
                continue; /* gravity and wind may be so */
            }
            *numbers[field] = bad_numbers[i];
            begin_log();
            assert_int_equal(sn_body_set_desc(body, &desc), SN_ERROR_ARGUMENT);
            assert_int_equal(logged.errors, 1);
            *numbers[field] = sound;
        }
    }
    desc.iteration_limit = 0;
    assert_int_equal(sn_body_set_desc(body, &desc), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_step(world, 0.1).recovery_count, 0);
    expect_finite(body);
    sn_world_destroy(world);
}

/* ---- poses ---- */

static void refuse_pose(sn_world_id world)
{
    begin_log();
    assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 1);
    assert_int_equal(logged.warnings, 1);
    assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 0);
}

static void test_poses(void **state)
{
    (void)state;
    const sn_world_id world = make_world_of(1.0 / 60);
    const sn_body_id body = make_body(world);
    for (int i = 0; i < 12 * BONES * 3; ++i) {
        sn_mat3x4 bones[BONES];
        for (int b = 0; b < BONES; ++b) {
            bones[b] = (sn_mat3x4){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
        }
        bones[i / 12 % BONES].m[i / 4 % 3][i % 4] = (float)bad_numbers[i / 12 / BONES];
        sn_body_set_pose(body, bones, BONES);
        refuse_pose(world);
        sn_body_set_rigid_pose(body, &bones[i / 12 % BONES]);
        refuse_pose(world);
        sn_body_teleport(body, &bones[i / 12 % BONES]);
        refuse_pose(world);
        expect_finite(body);
    }
    /* what is no rotation, or nothing at all, is a pose */
    const sn_mat3x4 nothing = {{{0}}}, flat = {{{2, 2, 2, 0}, {2, 2, 2, 0}, {2, 2, 2, 0}}};
    sn_body_set_rigid_pose(body, &nothing);
    sn_world_step(world, 1.0 / 60);
    sn_body_set_rigid_pose(body, &flat);
    for (int i = 0; i < 60; ++i) {
        sn_world_step(world, 1.0 / 60);
        expect_finite(body);
    }
    sn_world_destroy(world);
}

/* Reduced and coupled bodies. What is near enough is exact, and back again. */
static void test_teleports_too_far(void **state)
{
    (void)state;
    const sn_world_id world = make_world_of(1.0 / 60);
    for (int i = 0; i < 2; ++i) {
        sn_body_desc desc = sn_default_body_desc();
        sn_body_id body;
        sn_mat3x4 there = {{{1, 0, 0, 0}, {0, 1, 0, 1000}, {0, 0, 1, 0}}};
        desc.model = model;
        desc.solver = i == 0 ? SN_SOLVER_REDUCED : SN_SOLVER_COUPLED;
        assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
        sn_world_step(world, 1.0 / 60);
        sn_body_teleport(body, &there);
        assert_true(fabs((double)sn_body_output(body).matrices[0].m[1][3] - 1000) < 1e-3);
        for (int power = 7; power <= 31; power += 4) {
            there.m[1][3] = (float)pow(10, power);
            sn_body_teleport(body, &there);
            refuse_pose(world);
            assert_true(fabs((double)sn_body_output(body).matrices[0].m[1][3] - 1000) < 1e-3);
        }
        there.m[1][3] = -1000;
        sn_body_teleport(body, &there);
        assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 0);
        assert_true(fabs((double)sn_body_output(body).matrices[0].m[1][3]) < 1e-3);
        sn_body_destroy(body);
    }
    sn_world_destroy(world);
}

/* ---- what acts on flesh ---- */

static void test_forces(void **state)
{
    (void)state;
    const sn_world_id world = make_world_of(1.0 / 60);
    const sn_body_id body = make_body(world);
    const double sound[3] = {0.1, 0, 0};
    const sn_grab_desc grab_desc = sn_default_grab_desc();
    const int grab = sn_body_grab(body, sound, &grab_desc);
    assert_int_equal(grab, 0);
    for (int i = 0; i < 9; ++i) {
        double broken[3] = {0.1, 0.2, 0.3};
        broken[i % 3] = bad_numbers[i / 3];
        sn_body_apply_impulse(body, broken, sound);
        sn_body_apply_impulse(body, sound, broken);
        sn_body_apply_bone_impulse(body, i % BONES, broken);
        sn_body_drag(body, grab, broken);
        assert_int_equal(sn_body_grab(body, broken, &grab_desc), -1);
        assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 0);
        expect_finite(body);
    }
    sn_body_drag(body, grab, (const double[]){1e300, -1e300, 1e300}); /* far, but a place */
    for (int i = 0; i < 30; ++i) {
        assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 0);
        expect_finite(body);
    }
    sn_body_release(body, grab);
    /* more than anything can bear: back to the rig's pose, counted once */
    sn_body_apply_impulse(body, sound, (const double[]){1e30, 0, 0});
    begin_log();
    assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 1);
    assert_int_equal(logged.warnings, 1);
    assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 0);
    expect_finite(body);
    sn_world_destroy(world);
}

static void test_colliders(void **state)
{
    (void)state;
    const sn_world_id world = make_world_of(1.0 / 60);
    const sn_body_id body = make_body(world);
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider_id collider;
    for (int i = 0; i < 12 * 3; ++i) {
        desc = sn_default_collider_desc();
        desc.transform.m[i / 4 % 3][i % 4] = (float)bad_numbers[i / 12];
        begin_log();
        assert_int_equal(sn_collider_create(world, &desc, &collider), SN_ERROR_ARGUMENT);
        assert_int_equal(logged.errors, 1);
        assert_false(sn_collider_is_valid(collider));
    }
    desc = sn_default_collider_desc();
    desc.shape = SN_COLLIDER_GRID;
    assert_int_equal(sn_collider_create(world, &desc, &collider), SN_ERROR_ARGUMENT);
    float distances[8] = {-1, -1, -1, -1, -1, -1, -1, NAN};
    sn_grid_desc grid_desc = {.counts = {2, 2, 2}, .spacing = 1, .distances = distances};
    sn_grid *grid = NULL;
    assert_int_equal(sn_grid_create(&grid_desc, &grid), SN_ERROR_ARGUMENT);
    distances[7] = -1;
    grid_desc.spacing = 0;
    assert_int_equal(sn_grid_create(&grid_desc, &grid), SN_ERROR_ARGUMENT);
    grid_desc.spacing = 1;
    grid_desc.counts[1] = 1;
    assert_int_equal(sn_grid_create(&grid_desc, &grid), SN_ERROR_ARGUMENT);
    grid_desc.counts[1] = 2;
    grid_desc.origin[0] = grid_desc.origin[1] = grid_desc.origin[2] = -0.5;
    assert_int_equal(sn_grid_create(&grid_desc, &grid), SN_OK); /* solid throughout, around the body */
    desc.grid = grid;
    assert_int_equal(sn_collider_create(world, &desc, &collider), SN_OK);
    for (int i = 0; i < 60; ++i) {
        assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 0);
        expect_finite(body);
    }
    sn_world_destroy(world);
    sn_grid_destroy(&grid);
}

int test_world_bad_input(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_steps), cmocka_unit_test(test_seconds),           cmocka_unit_test(test_body_descs),
        cmocka_unit_test(test_poses),      cmocka_unit_test(test_teleports_too_far), cmocka_unit_test(test_forces),
        cmocka_unit_test(test_colliders),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
