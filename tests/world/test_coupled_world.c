/* SPDX-License-Identifier: MIT */
/* Coupled bodies in worlds, through the public API: time, teleport and reset, threads, memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/count_allocations.h"
#include "tests/support/coupled_bar.h"

static double determinant(const sn_mat3x4 *a)
{
    double m[3][3];
    for (int i = 0; i < 9; ++i) {
        m[i / 3][i % 3] = (double)a->m[i / 3][i % 3];
    }
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Between two steps bones stay rigid, also where they spin fast. */
static void in_between_bones_are_rigid(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), none);
    double last = 0;
    free_all(body);
    sn_body_set_locks(body, 0, SN_LOCK_ROTATION);
    for (int i = 1; i <= 3; ++i) {
        const sn_mat3x4 pose = turned(i, 0);
        sn_body_set_bone_pose(body, 0, &pose);
        run(world, 1);
    }
    const sn_mat3x4 last_pose = turned(4, 0);
    sn_body_set_bone_pose(body, 0, &last_pose);
    for (int i = 0; i < 4; ++i) {
        sn_world_step(world, i == 0 ? 1.2 * STEP : STEP / 5);
        const sn_mat3x4 *m = sn_body_output(body).matrices;
        assert_true(fabs(determinant(m) - 1) < 1e-5);
        const double angle = atan2((double)m->m[1][0], (double)m->m[0][0]);
        assert_true(i == 0 || fabs(angle - last) > 0.1);
        last = angle;
    }
    sn_world_destroy(world);
}

static void teleport_is_not_felt(void **state)
{
    (void)state;
    sn_world_id worlds[2] = {make_world(1), make_world(1)};
    const sn_model *model = cook_ends();
    sn_body_id bodies[2];
    const sn_mat3x4 jump = {{{0, 0, 1, 30}, {0, 1, 0, 5}, {-1, 0, 0, -7}}};
    for (int i = 0; i < 2; ++i) {
        bodies[i] = make_body(worlds[i], model, down);
        sn_body_set_locks(bodies[i], 1, 0);
        run(worlds[i], 8);
    }
    sn_body_teleport(bodies[1], &jump);
    double here[3], there[3];
    for (int i = 0; i < 30; ++i) {
        for (int k = 0; k < 2; ++k) {
            run(worlds[k], 1);
        }
        bone_place(bodies[0], 1, here);
        bone_place(bodies[1], 1, there);
        assert_true(fabs(there[0] - (here[2] + 30)) < 1e-3 && fabs(there[1] - (here[1] + 5)) < 1e-3 &&
                    fabs(there[2] - (-here[0] - 7)) < 1e-3);
    }
    sn_world_destroy(worlds[0]);
    sn_world_destroy(worlds[1]);
}

static void reset_is_the_pose_at_rest(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), none);
    const sn_mat3x4 pose = turned(0.7, 2);
    free_all(body);
    sn_body_set_rigid_pose(body, &pose);
    sn_body_reset(body);
    run(world, 30);
    assert_true(difference(&sn_body_output(body).matrices[0], &pose) < 1e-5);
    assert_true(difference(&sn_body_output(body).matrices[1], &pose) < 1e-5);
    sn_world_destroy(world);
}

#define CROWD 6

/* Bodies of both solvers in one world. */
static void run_crowd(int workers, const sn_model *coupled, const sn_model *reduced, sn_mat3x4 *result)
{
    sn_world_id world = make_world(workers);
    sn_body_id bodies[CROWD];
    sn_body_desc desc = sn_default_body_desc();
    desc.model = reduced;
    memcpy(desc.gravity, down, sizeof down);
    for (int i = 0; i < CROWD; ++i) {
        if (i % 3 == 2) {
            assert_int_equal(sn_body_create(world, &desc, &bodies[i]), SN_OK);
        } else {
            bodies[i] = make_body(world, i == 0 ? reduced : coupled, down);
            sn_body_set_locks(bodies[i], 1, 0);
        }
    }
    for (int step = 0; step < 40; ++step) {
        const sn_mat3x4 pose = turned(0.02 * step, 0.01 * step);
        for (int i = 0; i < CROWD; ++i) {
            sn_body_set_bone_pose(bodies[i], 0, &pose);
        }
        sn_world_step(world, 0.013);
    }
    for (int i = 0; i < CROWD; ++i) {
        const sn_body_matrices output = sn_body_output(bodies[i]);
        memcpy(result + 4 * i, output.matrices, 2 * sizeof *result);
        if (output.mode_count > 0) {
            memcpy(result + 4 * i + 2, output.matrices + 2, 2 * sizeof *result);
        }
    }
    sn_world_destroy(world);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    const sn_cook_handle ends[2] = {point("head", 0, 0.25, 0.25), point("tail", LENGTH, 0.25, 0.25)};
    const sn_cook_handles list = {.count = 2, .handles = ends};
    sn_cook_desc desc = cook_desc(&list);
    sn_blob blob;
    desc.is_coupled = false;
    desc.mode_count = 4;
    desc.cluster_count = 10;
    assert_int_equal(cook_tets(&desc, &blob), SN_OK);
    const sn_model *coupled = cook_ends(), *reduced = keep(blob);
    sn_mat3x4 one[4 * CROWD] = {0}, many[4 * CROWD] = {0};
    run_crowd(1, coupled, reduced, one);
    for (int workers = 2; workers <= 4; ++workers) {
        run_crowd(workers, coupled, reduced, many);
        assert_memory_equal(one, many, sizeof one);
    }
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    {
        sn_world_id world = make_world(1);
        sn_body_desc desc = coupled_desc(cook_ends());
        desc.wind[2] = 3;
        sn_body_id body = create_body(world, &desc);
        sn_body_set_locks(body, 1, SN_LOCK_Y);
        const double at[3] = {LENGTH, 0.5, 0.5}, to[3] = {LENGTH, 1.5, 0.5};
        const sn_grab_desc grab_desc = sn_default_grab_desc();
        const int grab = sn_body_grab(body, at, &grab_desc);
        run(world, 2);
        allocation_count = 0;
        for (int i = 0; i < 20; ++i) {
            const sn_mat3x4 pose = turned(0.05 * i, 0);
            sn_body_set_bone_pose(body, 0, &pose);
            sn_body_drag(body, grab, to);
            sn_body_set_locks(body, 1, i % 2 ? SN_LOCK_Y : SN_LOCK_X);
            sn_world_step(world, 0.02);
        }
        assert_int_equal(allocation_count, 0);
        sn_world_destroy(world);
    }
    while (model_count > 0) {
        sn_model_release(models[--model_count]);
        sn_blob_release(&blobs[model_count]);
    }
    sn_set_allocator(NULL, NULL, NULL);
}

int test_coupled_world(void)
{
    const struct CMUnitTest tests[] = {COUPLED_TEST(in_between_bones_are_rigid), COUPLED_TEST(teleport_is_not_felt),
                                       COUPLED_TEST(reset_is_the_pose_at_rest), COUPLED_TEST(threads_do_not_matter),
                                       COUPLED_TEST(a_step_allocates_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
