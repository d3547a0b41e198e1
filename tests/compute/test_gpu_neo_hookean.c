/* SPDX-License-Identifier: MIT */
/* Neo-Hookean flesh on the device: against the CPU's in float, near rest and far from it; in worlds beside flesh of
 * other materials; and what is refused. That nobody sees the others, and that each run gives the same bits, is in
 * test_gpu_reduced.c, whose crowds are of both materials. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/gpu_reduced.h"

static sn_solver_desc hookean_desc(void)
{
    sn_solver_desc desc = default_desc();
    desc.is_neo_hookean = true;
    return desc;
}

static void test_agrees_with_the_cpu(void **state)
{
    sn_solver_desc desc = hookean_desc();
    expect_agreement(*state, 0, desc, swing, 60);
    expect_agreement(*state, 1, desc, swing, 60);
    desc.gravity[1] = -9.81;
    desc.damping = 1.5;
    desc.stiffness = 2.5;
    expect_agreement(*state, 2, desc, swing, 40);
    expect_agreement(*state, 3, desc, swing, 40);
    expect_agreement(*state, 4, desc, swing, 60);
}

/* A body and its twin on the CPU, in float, by the same parameters. */
typedef struct pair {
    sn_gpu_reduced *reduced;
    int body;
    const sn_model *model;
    sn_reduced_solver *solver;
    sn_reduced_body *twin;
    body_result result;
} pair;

static sn_reduced_solver *make_solver(const sn_model *model, const sn_solver_desc *desc)
{
    const sn_reduced_desc d = sn_reduced_desc_from_solver(desc);
    sn_reduced_solver *solver = NULL;
    assert_int_equal(sn_reduced_solver_create(model, &d, &solver), SN_OK);
    return solver;
}

static void open_pair(sn_gpu_device *device, int index, const sn_solver_desc *desc, pair *p)
{
    *p = (pair){.model = fixtures[index].model};
    p->reduced = create(device, NULL);
    p->body = add(p->reduced, index, desc, NULL);
    p->solver = make_solver(p->model, desc);
    assert_int_equal(sn_reduced_body_create(p->solver, NULL, &p->twin), SN_OK);
}

static void close_pair(pair *p)
{
    sn_reduced_body_destroy(&p->twin);
    sn_reduced_solver_destroy(&p->solver);
    sn_gpu_reduced_destroy(&p->reduced);
}

/* Of the height, how far they are apart. */
static double step_pair(sn_gpu_device *device, pair *p, const double *pose, sn_reduced_report *report)
{
    double modes[12 * MODE_LIMIT];
    sn_gpu_reduced_set_pose(p->reduced, p->body, pose);
    run(device, p->reduced, true, 1);
    *report = sn_reduced_body_step(p->twin, pose, NULL);
    read_body(p->reduced, p->body, &p->result);
    sn_reduced_body_mode_transforms(p->twin, 1, modes);
    return distance_of(p->model, p->result.matrices, pose, modes);
}

static void test_takes_as_many_iterations_as_the_cpu(void **state)
{
    for (int index = 0; index < FIXTURE_COUNT - 1; ++index) {
        sn_solver_desc desc = hookean_desc();
        double pose[12 * BONE_LIMIT], sums[2] = {0};
        sn_reduced_report report;
        int apart = 0;
        pair p;
        desc.tolerance = 1e-4;
        desc.iteration_limit = 100;
        open_pair(*state, index, &desc, &p);
        for (int frame = 0; frame < 30; ++frame) {
            swing(p.model, frame, 0, pose);
            step_pair(*state, &p, pose, &report);
            const int count = p.result.reading.iteration_count;
            apart = abs(count - report.iteration_count) > apart ? abs(count - report.iteration_count) : apart;
            sums[0] += count;
            sums[1] += report.iteration_count;
        }
        print_message("to 1e-4: %.2f iterations, %.2f on the CPU, at most %d apart\n", sums[0] / 30, sums[1] / 30,
                      apart);
        assert_true(apart <= 1 && fabs(sums[0] - sums[1]) <= 0.02 * sums[1]);
        close_pair(&p);
    }
}

/* Turns and jumps by more than the body's length. */
static void jerk(const sn_model *model, int frame, double *pose)
{
    const double angle = frame / 5 % 2 ? 3 : 0, far = 1.5 * model->diagonal;
    for (int b = 0; b < model->counts.bone_count; ++b, pose += 12) {
        sn_affine_identity(pose);
        pose[0] = pose[5] = cos(angle);
        pose[1] = -sin(angle);
        pose[4] = sin(angle);
        pose[3] = frame / 7 % 2 ? far : 0;
        pose[7] = frame / 11 % 2 ? far : 0;
    }
}

/* Soft and jerked, clusters are strained beyond where their volume is tamed. The two follow each other until rounding
 * has grown, and neither is flung. */
static void test_soft_flesh_is_not_flung(void **state)
{
    static const int indices[] = {0, 4};
    for (int i = 0; i < 2; ++i) {
        sn_solver_desc desc = hookean_desc();
        double pose[12 * BONE_LIMIT], modes[12 * MODE_LIMIT], worst = 0, moved = 0;
        sn_reduced_report report;
        pair p;
        desc.stiffness = 0.2;
        open_pair(*state, indices[i], &desc, &p);
        for (int frame = 0; frame < 80; ++frame) {
            jerk(p.model, frame, pose);
            const double apart = step_pair(*state, &p, pose, &report);
            assert_false(report.is_recovered);
            worst = frame < 20 ? fmax(worst, apart) : worst;
            sn_reduced_body_mode_transforms(p.twin, 1, modes);
            moved = fmax(moved, largest(modes, 12 * p.model->counts.mode_count));
        }
        print_message("soft: %.1e of the height in twenty steps\n", worst);
        assert_true(worst <= 1e-4 && moved > 5);
        assert_int_equal(p.result.reading.recovery_count, 0);
        close_pair(&p);
    }
}

/* The state stays. */
static void test_material_changes_in_flight(void **state)
{
    for (int index = 0; index < 5; index += 4) {
        sn_solver_desc desc = default_desc();
        double pose[12 * BONE_LIMIT], worst = 0;
        sn_reduced_report report;
        pair p;
        desc.stiffness = 0.3;
        desc.tolerance = 1e-7;
        desc.iteration_limit = 400;
        open_pair(*state, index, &desc, &p);
        sn_reduced_solver *solvers[2] = {p.solver, NULL};
        desc.is_neo_hookean = true;
        solvers[1] = make_solver(p.model, &desc);
        for (int frame = 0; frame < 40; ++frame) {
            desc.is_neo_hookean = frame / 10 % 2 == 1;
            assert_int_equal(sn_gpu_reduced_set_parameters(p.reduced, p.body, &desc), SN_OK);
            sn_reduced_body_set_solver(p.twin, solvers[desc.is_neo_hookean]);
            swing(p.model, frame, 0, pose);
            worst = fmax(worst, step_pair(*state, &p, pose, &report));
        }
        print_message("materials that change: %.1e of the height\n", worst);
        assert_true(worst <= 2e-5);
        sn_reduced_solver_destroy(&solvers[1]);
        close_pair(&p);
    }
}

/* Flat bodies are none; and without acceleration there is no guard. */
static void test_refusals(void **state)
{
    const sn_solver_desc desc = hookean_desc();
    sn_gpu_reduced_desc plain = sn_default_gpu_reduced_desc();
    int index = -1;
    sn_gpu_reduced *reduced = create(*state, NULL);
    assert_int_equal(sn_gpu_reduced_add_body(reduced, FIXTURE_COUNT - 1, &desc, NULL, &index), SN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(sn_test_logged.last_error, "flat bodies"));
    sn_gpu_reduced_destroy(&reduced);
    plain.is_unaccelerated = true;
    reduced = create(*state, &plain);
    assert_int_equal(sn_gpu_reduced_add_body(reduced, 0, &desc, NULL, &index), SN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(sn_test_logged.last_error, "acceleration"));
    assert_int_equal(sn_test_logged.error_count, 2);
    sn_gpu_reduced_destroy(&reduced);
}

int test_gpu_neo_hookean(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_agrees_with_the_cpu),
        SN_TEST_SHARED_GPU(test_takes_as_many_iterations_as_the_cpu),
        SN_TEST_SHARED_GPU(test_soft_flesh_is_not_flung),
        SN_TEST_SHARED_GPU(test_material_changes_in_flight),
        SN_TEST_SHARED_GPU(test_refusals),
    };
    return cmocka_run_group_tests(tests, cook_all, release_all);
}
