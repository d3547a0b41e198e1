/* SPDX-License-Identifier: MIT */
/* What of coupled bodies the pose drives, through the public API: locks, targets, free bones, joints, other rigs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/coupled_bar.h"

static void locked_bones_are_the_pose(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), down);
    const sn_mat3x4 pose[2] = {identity, turned(0.4, 0.1)};
    assert_int_equal(sn_body_locks(body, 1), SN_LOCK_ALL);
    run(world, 5);
    assert_true(difference(sn_body_output(body).matrices, &identity) < 1e-6);
    sn_body_set_pose(body, pose, 2);
    run(world, 2);
    assert_true(difference(&sn_body_output(body).matrices[0], &pose[0]) < 1e-6);
    assert_true(difference(&sn_body_output(body).matrices[1], &pose[1]) < 1e-6);
    assert_int_equal(sn_body_output(body).mode_count, 0);
    sn_world_destroy(world);
}

static void a_free_body_falls(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), down);
    free_all(body);
    run(world, 30);
    double place[2][3];
    bone_place(body, 0, place[0]);
    bone_place(body, 1, place[1]);
    /* x += h v after v += h g, in substeps of a 900th */
    const double fallen = 0.5 * 10 * 0.5 * (0.5 + STEP / 15);
    assert_true(fabs(place[0][1] - (0.25 - fallen)) < 1e-4 && fabs(place[1][1] - (0.25 - fallen)) < 1e-4);
    assert_true(fabs(place[0][0]) < 1e-4 && fabs(place[1][0] - LENGTH) < 1e-4);
    double flesh[3 * 9 * 3 * 3]; /* of the same step */
    assert_int_equal(sn_model_vertex_count(sn_body_model(body)), 81);
    sn_body_tet_positions(body, flesh, 81);
    for (int v = 0; v < 81; ++v) {
        assert_true(fabs(flesh[3 * v + 1] - (0.25 * (v / 9 % 3) - fallen)) < 1e-4);
    }
    sn_world_destroy(world);
}

/* The head is moved sideways; the tail is free, and comes along after. */
static void what_is_free_follows(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    const sn_body_desc desc = damped_desc(cook_ends(), 4);
    sn_body_id body = create_body(world, &desc);
    sn_body_set_locks(body, 1, 0);
    double place[3], early = 0;
    for (int i = 1; i <= 300; ++i) {
        const sn_mat3x4 pose = turned(0, 0.5 * fmin(i / 30.0, 1));
        sn_body_set_bone_pose(body, 0, &pose);
        run(world, 1);
        bone_place(body, 0, place);
        assert_true(fabs(place[1] - (0.25 + 0.5 * fmin(i / 30.0, 1))) < 1e-5);
        bone_place(body, 1, place);
        early = i == 7 ? place[1] - 0.25 : early;
    }
    assert_true(early < 0.06); /* the head is at .1 then */
    assert_true(fabs(place[1] - 0.75) < 0.02 && fabs(place[0] - LENGTH) < 0.02);
    sn_world_destroy(world);
}

/* Held at its head, at rest under its weight: the locks give m g t. */
static void locks_bear_the_weight(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_desc desc = coupled_desc(cook_ends());
    desc.damping = 8;
    desc.stiffness = 10;
    memcpy(desc.gravity, down, sizeof down);
    sn_body_id body = create_body(world, &desc);
    sn_body_set_locks(body, 1, 0);
    run(world, 600);
    double impulse[6], sum = 0;
    for (int i = 0; i < 60; ++i) {
        run(world, 1);
        for (int bone = 0; bone < 2; ++bone) {
            sn_body_lock_impulse(body, bone, impulse);
            sum += impulse[1];
        }
    }
    const double weight = 1000 * LENGTH * 0.25 * 10;
    assert_true(fabs(sum / weight - 1) < 0.05);
    sn_world_destroy(world);
}

/* What is locked while it moves stays there, not where the pose was. */
static void locks_take_hold_where_bones_are(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), down);
    double before[3], after[3];
    free_all(body);
    run(world, 20);
    sn_body_set_locks(body, 0, SN_LOCK_TRANSLATION);
    run(world, 2);
    bone_place(body, 0, before);
    assert_true(before[1] < -0.2);
    assert_int_equal(sn_body_locks(body, 0), SN_LOCK_TRANSLATION);
    run(world, 20);
    bone_place(body, 0, after);
    for (int d = 0; d < 3; ++d) {
        assert_true(fabs(after[d] - before[d]) < 1e-4);
    }
    sn_world_destroy(world);
}

static void axes_lock_one_by_one(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), (const double[]){3, 0, 0});
    double place[3];
    sn_body_set_locks(body, 0, SN_LOCK_Y | SN_LOCK_Z);
    sn_body_set_locks(body, 1, SN_LOCK_Y | SN_LOCK_Z);
    run(world, 30);
    for (int bone = 0; bone < 2; ++bone) {
        bone_place(body, bone, place);
        assert_true(fabs(place[1] - 0.25) < 1e-5 && fabs(place[2] - 0.25) < 1e-5);
        assert_true(fabs(place[0] - (bone * LENGTH + 0.5 * 3 * 0.5 * (0.5 + STEP / 15))) < 1e-2);
    }
    sn_world_destroy(world);
}

/* A chain of two bones, held at its root: the joint is carried, and both swing down. */
static void joints_are_carried(void **state)
{
    (void)state;
    const sn_cook_handle chain[2] = {{.shape = SN_HANDLE_SHAPE_BONE,
                                      .name = "upper",
                                      .parent = -1,
                                      .start = {0, 0.25, 0.25},
                                      .end = {LENGTH / 2, 0.25, 0.25}},
                                     {.shape = SN_HANDLE_SHAPE_BONE,
                                      .name = "lower",
                                      .parent = 0,
                                      .start = {LENGTH / 2, 0.25, 0.25},
                                      .end = {LENGTH, 0.25, 0.25}}};
    const sn_model *model = cook_bar(chain, 2);
    assert_int_equal(sn_model_bone_parent(model, 1), 0);
    assert_int_equal(sn_model_bone_parent(model, 0), -1);
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, model, down);
    sn_body_set_locks(body, 0, SN_LOCK_TRANSLATION);
    sn_body_set_locks(body, 1, 0);
    run(world, 25);
    double root[3], joint[3], carried[3];
    const sn_mat3x4 *upper = &sn_body_output(body).matrices[0];
    bone_place(body, 0, root);
    bone_place(body, 1, joint);
    const double at[3] = {LENGTH / 2, 0.25, 0.25};
    for (int d = 0; d < 3; ++d) {
        const float *m = upper->m[d];
        carried[d] = (double)m[0] * at[0] + (double)m[1] * at[1] + (double)m[2] * at[2] + (double)m[3];
        assert_true(fabs(carried[d] - joint[d]) < 1e-5);
    }
    assert_true(fabs(root[0]) < 1e-5 && fabs(root[1] - 0.25) < 1e-5);
    assert_true(joint[1] < 0.1);
    sn_world_destroy(world);
}

static const sn_model *cook_other(const sn_model *model, const sn_cook_handle *handles, int count)
{
    const sn_cook_rig_desc desc = {.handles = {.name = "edit", .count = count, .handles = handles}};
    sn_blob blob;
    assert_int_equal(sn_cook_rig(model, &desc, &blob), SN_OK);
    return keep(blob);
}

static void a_rig_is_exchanged_live(void **state)
{
    (void)state;
    const sn_model *model = cook_ends();
    const sn_cook_handle three[3] = {point("middle", LENGTH / 2, 0.25, 0.25), point("tail", LENGTH, 0.25, 0.25),
                                     point("head", 0, 0.25, 0.25)};
    const sn_model *other = cook_other(model, three, 3);
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, model, down);
    sn_body_set_locks(body, 1, 0);
    run(world, 12);
    double head[3], tail[3], now[3];
    bone_place(body, 0, head);
    bone_place(body, 1, tail);
    assert_true(tail[1] < 0.2);
    assert_int_equal(sn_body_set_model(body, other), SN_OK);
    assert_ptr_equal(sn_body_model(body), other);
    assert_int_equal(sn_body_locks(body, 0), 0);
    assert_int_equal(sn_body_locks(body, 1), 0);
    assert_int_equal(sn_body_locks(body, 2), SN_LOCK_ALL);
    bone_place(body, 2, now);
    assert_true(fabs(now[1] - head[1]) < 1e-4);
    bone_place(body, 1, now);
    assert_true(fabs(now[1] - tail[1]) < 0.03); /* fitted to the same flesh with one handle more */
    bone_place(body, 0, now);
    assert_true(now[1] < 0.25 && now[1] > tail[1]);
    run(world, 30);
    bone_place(body, 2, now);
    assert_true(fabs(now[1] - 0.25) < 1e-5);
    sn_world_destroy(world);
}

static void other_tets_are_refused(void **state)
{
    (void)state;
    const sn_model *model = cook_ends();
    const sn_cook_handle one[1] = {point("all", 1, 0.25, 0.25)};
    sn_cook_handles list = {.count = 1, .handles = one};
    sn_cook_desc desc = cook_desc(&list);
    sn_blob blob;
    desc.density = 500;
    assert_int_equal(cook_tets(&desc, &blob), SN_OK);
    const sn_model *other = keep(blob);
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, model, none);
    begin_log();
    assert_int_equal(sn_body_set_model(body, other), SN_ERROR_ARGUMENT);
    assert_int_equal(logged.errors, 1);
    assert_ptr_equal(sn_body_model(body), model);
    run(world, 2);
    sn_world_destroy(world);
}

int test_coupled_locks(void)
{
    const struct CMUnitTest tests[] = {COUPLED_TEST(locked_bones_are_the_pose),
                                       COUPLED_TEST(a_free_body_falls),
                                       COUPLED_TEST(what_is_free_follows),
                                       COUPLED_TEST(locks_bear_the_weight),
                                       COUPLED_TEST(locks_take_hold_where_bones_are),
                                       COUPLED_TEST(axes_lock_one_by_one),
                                       COUPLED_TEST(joints_are_carried),
                                       COUPLED_TEST(a_rig_is_exchanged_live),
                                       COUPLED_TEST(other_tets_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
