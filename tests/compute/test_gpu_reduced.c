/* SPDX-License-Identifier: MIT */
/* The reduced solver on the device: against the CPU's, and against itself. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/gpu_reduced.h"

/* ---- against the CPU ---- */

static void test_agrees_with_the_cpu(void **state)
{
    sn_solver_desc desc = default_desc();
    expect_agreement(*state, 0, desc, swing, 100);
    expect_agreement(*state, 1, desc, swing, 100);
    desc.gravity[1] = -9.81;
    desc.damping = 1.5;
    desc.stiffness = 2.5;
    expect_agreement(*state, 2, desc, swing, 100);
    expect_agreement(*state, 3, desc, swing, 100);
    expect_agreement(*state, 4, desc, swing, 50);
}

/* Flesh that keeps its volume and is so stiff that it hardly strains: the difference of traces, and small turns, keep
 * float's digits, and the guard does not take their rounding for a rise. */
static void test_small_strains_keep_their_digits(void **state)
{
    for (int index = 4; index < FIXTURE_COUNT; ++index) {
        const sn_model *model = fixtures[index].model;
        const int size = 3 * model->counts.coordinate_count;
        double pose[12 * BONE_LIMIT] = {0}, worst = 0, moved = 0;
        sn_solver_desc desc = default_desc();
        body_result result;
        desc.stiffness = 100;
        desc.tolerance = 1e-8;
        desc.iteration_limit = 200;
        sn_gpu_reduced *reduced = create(*state, NULL);
        const int body = add(reduced, index, &desc, NULL);
        reference twin = create_reference(model, &desc, NULL);
        for (int frame = 0; frame < 20; ++frame) {
            for (int b = 0; b < model->counts.bone_count; ++b) {
                sn_affine_identity(pose + 12 * b);
                pose[12 * b + 7] = 0.05 * sin(0.4 * frame);
            }
            sn_gpu_reduced_set_pose(reduced, body, pose);
            run(*state, reduced, true, 1);
            read_body(reduced, body, &result);
            sn_reduced_body_step(twin.body, pose, NULL);
            const double *expected = sn_reduced_body_coordinates(twin.body);
            for (int i = 0; i < size; ++i) {
                worst = fmax(worst, fabs(result.coordinates[i] - expected[i]));
            }
            moved = fmax(moved, largest(expected, size));
        }
        print_message("volume and small strains: %.1e of %.1e\n", worst, moved);
        assert_true(worst <= 3e-3 * moved && moved > 0);
        destroy_reference(&twin);
        sn_gpu_reduced_destroy(&reduced);
    }
}

/* Goes through its mirror image: every cluster passes a plane, and turns inside out. */
static void mirror(const sn_model *model, int frame, int variant, double *pose)
{
    swing(model, frame, variant, pose);
    for (int b = 0; b < model->counts.bone_count; ++b) {
        for (int d = 0; d < 3; ++d) {
            pose[12 * b + 4 * d + 2] *= fmax(-1, 1 - 0.125 * frame);
        }
    }
}

static void test_flattened_and_mirrored_rigs(void **state)
{
    sn_solver_desc desc = default_desc();
    desc.damping = 5;
    expect_agreement(*state, 0, desc, mirror, 12);
}

/* To a tolerance the device takes as many iterations as the CPU's float path, both accelerated, and fewer than plain.
 */
static void expect_pace(sn_gpu_device *device, int index, double most)
{
    const sn_model *model = fixtures[index].model;
    sn_solver_desc desc = default_desc();
    sn_gpu_reduced_desc plain = sn_default_gpu_reduced_desc();
    sn_reduced_desc d = sn_default_reduced_desc();
    sn_reduced_solver *solver = NULL;
    sn_reduced_body *body = NULL;
    double pose[12 * BONE_LIMIT], sums[3] = {0};
    int apart = 0;
    body_result result;
    desc.tolerance = d.tolerance = 1e-4;
    desc.iteration_limit = d.iteration_limit = 100;
    plain.is_unaccelerated = true;
    swing(model, 0, 0, pose);
    sn_gpu_reduced *reduced[2] = {create(device, NULL), create(device, &plain)};
    assert_int_equal(add(reduced[0], index, &desc, pose), add(reduced[1], index, &desc, pose));
    assert_int_equal(sn_reduced_solver_create(model, &d, &solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(solver, pose, &body), SN_OK);
    for (int frame = 0; frame < 40; ++frame) {
        int counts[2];
        swing(model, frame, 0, pose);
        for (int i = 0; i < 2; ++i) {
            sn_gpu_reduced_set_pose(reduced[i], 0, pose);
            run(device, reduced[i], true, 1);
            counts[i] = read_body(reduced[i], 0, &result)->reading.iteration_count;
            sums[i] += counts[i];
        }
        const int expected = sn_reduced_body_step(body, pose, NULL).iteration_count;
        apart = abs(counts[0] - expected) > apart ? abs(counts[0] - expected) : apart;
        sums[2] += expected;
    }
    print_message("to 1e-4: %.2f iterations, %.2f on the CPU, at most %d apart; %.2f plain\n", sums[0] / 40,
                  sums[2] / 40, apart, sums[1] / 40);
    assert_true(apart <= 1 && fabs(sums[0] - sums[2]) <= 0.02 * sums[2]);
    assert_true(sums[0] <= most * sums[1]);
    sn_reduced_body_destroy(&body);
    sn_reduced_solver_destroy(&solver);
    sn_gpu_reduced_destroy(&reduced[0]);
    sn_gpu_reduced_destroy(&reduced[1]);
}

static void test_takes_as_many_iterations_as_the_cpu(void **state)
{
    for (int i = 0; i < FIXTURE_COUNT; ++i) {
        expect_pace(*state, i, i == 4 ? 0.5 : 0.9);
    }
}

/* Velocities far below float's rounding of positions over the step are kept. */
static void test_tiny_steps(void **state)
{
    const sn_model *model = fixtures[0].model;
    sn_solver_desc desc = default_desc();
    double pose[12];
    body_result result;
    desc.time_step = 1e-5;
    desc.gravity[1] = -9.81;
    sn_affine_identity(pose);
    sn_gpu_reduced *reduced = create(*state, NULL);
    const int body = add(reduced, 0, &desc, NULL);
    reference twin = create_reference(model, &desc, NULL);
    for (int frame = 0; frame < 200; ++frame) {
        run(*state, reduced, true, 1);
        sn_reduced_body_step(twin.body, pose, NULL);
    }
    read_body(reduced, body, &result);
    const int size = 3 * model->counts.coordinate_count;
    const double *expected = sn_reduced_body_coordinates(twin.body);
    const double scale = largest(expected, size);
    for (int i = 0; i < size; ++i) {
        assert_true(fabs(result.coordinates[i] - expected[i]) < 1e-4 * scale);
    }
    destroy_reference(&twin);
    sn_gpu_reduced_destroy(&reduced);
}

static void test_a_still_rig_far_away(void **state)
{
    double pose[12 * BONE_LIMIT];
    body_result result;
    const sn_solver_desc desc = default_desc();
    sn_gpu_reduced *reduced = create(*state, NULL);
    for (int i = 0; i < FIXTURE_COUNT; ++i) {
        for (int b = 0; b < BONE_LIMIT; ++b) {
            const double turned[12] = {0, -1, 0, 500, 1, 0, 0, -200, 0, 0, 1, 300};
            memcpy(pose + 12 * b, turned, sizeof turned);
        }
        assert_int_equal(add(reduced, i, &desc, pose), i);
    }
    for (int frame = 0; frame < 30; ++frame) {
        run(*state, reduced, true, 1);
    }
    for (int i = 0; i < FIXTURE_COUNT; ++i) {
        const int bones = fixtures[i].model->counts.bone_count;
        read_body(reduced, i, &result);
        assert_true((double)result.matrices[3] == 500 && (double)result.matrices[11] == 300);
        for (int k = 0; k < 12 * fixtures[i].model->counts.mode_count; ++k) {
            assert_true(fabs((double)result.matrices[12 * bones + k]) < 2e-5);
        }
    }
    sn_gpu_reduced_destroy(&reduced);
}

/* ---- against itself ---- */

enum { VARIANTS = 7, FRAMES = 6 };

/* Bodies i have the model, the material and the motion of i % VARIANTS; results (VARIANTS), of the last of each. */
static void run_crowd(sn_gpu_device *device, const sn_gpu_reduced_desc *desc, int first, int count,
                      body_result *results)
{
    double pose[12 * BONE_LIMIT];
    sn_solver_desc solver = default_desc();
    solver.iteration_limit = 10;
    sn_gpu_reduced *reduced = create(device, desc);
    for (int i = 0; i < count; ++i) {
        const int variant = (first + i) % VARIANTS;
        swing(fixtures[variant % FIXTURE_COUNT].model, 0, variant, pose);
        solver.is_neo_hookean = variant % 2 == 0;
        assert_int_equal(add(reduced, variant % FIXTURE_COUNT, &solver, pose), i);
    }
    for (int frame = 0; frame < FRAMES; ++frame) {
        for (int i = 0; i < count; ++i) {
            const int variant = (first + i) % VARIANTS;
            swing(fixtures[variant % FIXTURE_COUNT].model, frame, variant, pose);
            sn_gpu_reduced_set_pose(reduced, i, pose);
        }
        run(device, reduced, true, 0.75);
    }
    for (int i = count > VARIANTS ? count - VARIANTS : 0; i < count; ++i) {
        read_body(reduced, i, &results[(first + i) % VARIANTS]);
    }
    sn_gpu_reduced_destroy(&reduced);
}

static void test_a_body_does_not_see_the_others(void **state)
{
    static body_result alone[VARIANTS], together[VARIANTS], again[VARIANTS], many[VARIANTS];
    for (int variant = 0; variant < VARIANTS; ++variant) {
        run_crowd(*state, NULL, variant, 1, alone);
    }
    run_crowd(*state, NULL, 0, VARIANTS, together);
    run_crowd(*state, NULL, 0, VARIANTS, again);
    run_crowd(*state, NULL, 0, 300, many);
    for (int variant = 0; variant < VARIANTS; ++variant) {
        assert_same_bits(&alone[variant], &together[variant]);
        assert_same_bits(&alone[variant], &again[variant]);
        assert_same_bits(&alone[variant], &many[variant]);
    }
}

/* How the work is cut up changes nothing. */
static void test_split_and_spilled_steps(void **state)
{
    static body_result whole[VARIANTS], cut[VARIANTS];
    sn_gpu_reduced_desc desc = sn_default_gpu_reduced_desc();
    run_crowd(*state, NULL, 0, VARIANTS, whole);
    desc.dispatch_iterations = 7;
    desc.shared_bytes = 9200; /* gradients spill, and most rotations, too */
    run_crowd(*state, &desc, 0, VARIANTS, cut);
    for (int variant = 0; variant < VARIANTS; ++variant) {
        assert_same_bits(&whole[variant], &cut[variant]);
    }
}

/* More loop iterations than software Vulkan runs in one dispatch. */
static void test_many_iterations(void **state)
{
    static body_result results[2];
    double pose[12];
    sn_solver_desc solver = default_desc();
    sn_gpu_reduced_desc desc = sn_default_gpu_reduced_desc();
    solver.tolerance = 0;
    solver.iteration_limit = 900;
    for (int i = 0; i < 2; ++i) {
        desc.dispatch_iterations = 40 * i;
        sn_gpu_reduced *reduced = create(*state, &desc);
        const int body = add(reduced, 2, &solver, NULL);
        swing(fixtures[2].model, 1, 0, pose);
        sn_gpu_reduced_set_pose(reduced, body, pose);
        run(*state, reduced, true, 1);
        assert_int_equal(read_body(reduced, body, &results[i])->reading.iteration_count, 900);
        sn_gpu_reduced_destroy(&reduced);
    }
    assert_same_bits(&results[0], &results[1]);
}

/* ---- output, places ---- */

static void test_output_between_steps(void **state)
{
    const sn_model *model = fixtures[1].model;
    const int bones = model->counts.bone_count, modes = model->counts.mode_count;
    const sn_solver_desc desc = default_desc();
    double pose[12 * BONE_LIMIT];
    body_result drawn[4];
    sn_gpu_reduced *reduced = create(*state, NULL);
    const int body = add(reduced, 1, &desc, NULL);
    for (int frame = 0; frame < 5; ++frame) {
        swing(model, frame, 0, pose);
        sn_gpu_reduced_set_pose(reduced, body, pose);
        run(*state, reduced, true, frame == 4 ? 0 : 1);
        read_body(reduced, body, &drawn[frame == 4]);
    }
    swing(model, 5, 0, pose);
    sn_gpu_reduced_set_pose(reduced, body, pose);
    sn_gpu_reduced_set_amount(reduced, body, 2);
    run(*state, reduced, false, 0.25);
    read_body(reduced, body, &drawn[2]);
    run(*state, reduced, false, 1);
    read_body(reduced, body, &drawn[3]);
    for (int i = 0; i < 12 * bones; ++i) {
        assert_true(drawn[2].matrices[i] == (float)pose[i]);
    }
    for (int i = 12 * bones; i < 12 * (bones + modes); ++i) {
        const double before = (double)drawn[0].matrices[i], now = (double)drawn[3].matrices[i] / 2;
        assert_true(fabs((double)drawn[1].matrices[i] - before) < 1e-6); /* fraction 0 was the step before */
        assert_true(fabs((double)drawn[2].matrices[i] / 2 - (0.75 * before + 0.25 * now)) < 1e-6);
    }
    assert_memory_equal(drawn[1].coordinates, drawn[3].coordinates, sizeof drawn[1].coordinates);
    sn_gpu_reduced_destroy(&reduced);
}

/* The second body is the first, turned and moved in the middle of its way; the third was there from the start. */
static void expect_teleport(sn_gpu_device *device, const double *transform, double tolerance)
{
    const sn_model *model = fixtures[3].model;
    const sn_solver_desc desc = default_desc();
    const int size = 3 * model->counts.coordinate_count, bones = model->counts.bone_count;
    double pose[12 * BONE_LIMIT], moved[12 * BONE_LIMIT];
    body_result results[3];
    sn_gpu_reduced *reduced = create(device, NULL);
    for (int frame = 0; frame < 40; ++frame) {
        swing(model, frame, 0, pose);
        for (int b = 0; b < bones; ++b) {
            sn_affine_multiply(transform, pose + 12 * b, moved + 12 * b);
        }
        for (int body = 0; body < 3; ++body) {
            const double *its_pose = body == 2 || (body == 1 && frame >= 20) ? moved : pose;
            if (frame == 0) {
                assert_int_equal(add(reduced, 3, &desc, its_pose), body);
            } else if (frame == 20 && body == 1) {
                sn_gpu_reduced_teleport(reduced, body, transform);
            }
            sn_gpu_reduced_set_pose(reduced, body, its_pose);
        }
        run(device, reduced, true, 1);
    }
    for (int body = 0; body < 3; ++body) {
        read_body(reduced, body, &results[body]);
    }
    assert_true(largest(results[0].coordinates, size) > 0.005);
    for (int i = 0; i < size; ++i) {
        const double *row = transform + 4 * (i % 3), *z = results[0].coordinates + i / 3 * 3;
        const double expected = row[0] * z[0] + row[1] * z[1] + row[2] * z[2];
        assert_true(fabs(results[1].coordinates[i] - expected) <= tolerance);
        assert_true(fabs(results[2].coordinates[i] - expected) <= tolerance);
    }
    sn_gpu_reduced_destroy(&reduced);
}

static void test_teleport(void **state)
{
    const double turned[12] = {0.36, 0.48, -0.8, 3, -0.8, 0.6, 0, -2, 0.48, 0.64, 0.6, 7};
    const double far_away[12] = {1, 0, 0, 512, 0, 1, 0, -256, 0, 0, 1, 1024};
    expect_teleport(*state, turned, 1e-5);
    expect_teleport(*state, far_away, 1e-5);
}

static void test_reset_and_reuse(void **state)
{
    const sn_model *model = fixtures[1].model;
    const sn_solver_desc desc = default_desc();
    double pose[12 * BONE_LIMIT], later[12 * BONE_LIMIT];
    body_result results[3];
    sn_gpu_reduced *reduced = create(*state, NULL);
    const int reset = add(reduced, 1, &desc, NULL), removed = add(reduced, 1, &desc, NULL);
    for (int frame = 0; frame < 10; ++frame) {
        swing(model, frame, 0, pose);
        sn_gpu_reduced_set_pose(reduced, reset, pose);
        sn_gpu_reduced_set_pose(reduced, removed, pose);
        run(*state, reduced, true, 1);
    }
    swing(model, 10, 3, pose);
    sn_gpu_reduced_reset(reduced, reset, pose);
    sn_gpu_reduced_remove_body(reduced, removed);
    const int reused = add(reduced, 1, &desc, pose), fresh = add(reduced, 1, &desc, pose);
    assert_int_equal(reused, removed);
    run(*state, reduced, false, 1);
    assert_true(largest(read_body(reduced, reset, &results[0])->coordinates, 3 * COORDINATE_LIMIT) == 0);
    for (int frame = 11; frame < 16; ++frame) {
        swing(model, frame, 3, later);
        sn_gpu_reduced_set_pose(reduced, reset, later);
        sn_gpu_reduced_set_pose(reduced, reused, later);
        sn_gpu_reduced_set_pose(reduced, fresh, later);
        run(*state, reduced, true, 1);
    }
    read_body(reduced, reset, &results[0]);
    assert_true(largest(results[0].coordinates, 3 * COORDINATE_LIMIT) > 0);
    assert_same_bits(&results[0], read_body(reduced, reused, &results[1]));
    assert_same_bits(&results[0], read_body(reduced, fresh, &results[2]));
    sn_gpu_reduced_destroy(&reduced);
}

int test_gpu_reduced(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_agrees_with_the_cpu),
        SN_TEST_SHARED_GPU(test_small_strains_keep_their_digits),
        SN_TEST_SHARED_GPU(test_flattened_and_mirrored_rigs),
        SN_TEST_SHARED_GPU(test_takes_as_many_iterations_as_the_cpu),
        SN_TEST_SHARED_GPU(test_tiny_steps),
        SN_TEST_SHARED_GPU(test_a_still_rig_far_away),
        SN_TEST_SHARED_GPU(test_a_body_does_not_see_the_others),
        SN_TEST_SHARED_GPU(test_split_and_spilled_steps),
        SN_TEST_SHARED_GPU(test_many_iterations),
        SN_TEST_SHARED_GPU(test_output_between_steps),
        SN_TEST_SHARED_GPU(test_teleport),
        SN_TEST_SHARED_GPU(test_reset_and_reuse),
    };
    return cmocka_run_group_tests(tests, cook_all, release_all);
}
