/* SPDX-License-Identifier: MIT */
/* On the device, too, a step ends with no more energy than where it began, whatever the rig, the material and the limit
 * on iterations: as the CPU's objective, in double, sees it. And in one dispatch or in many it has the same bits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/energy.h"
#include "tests/support/gpu_reduced.h"
#include "tests/support/poses.h"

enum { BODY_COUNT = 24, FRAMES = 60 };

typedef struct shaken {
    int index;
    double violence, pose[12 * BONE_LIMIT];
    const sn_model *model;
    sn_solver_desc desc;
    sn_reduced_solver *solver;
    sn_reduced_body *twin; /* as the body is before a step */
    body_result result;
    double corrections[SN_CORRECTION_COUNT * 3 * COORDINATE_LIMIT];
} shaken;

/* Each other one keeps its volume. */
static int model_of(int i)
{
    return i % 2 ? 4 : i / 2 % FIXTURE_COUNT;
}

/* Anything that a seed may give. */
static void make(shaken *s, int i, uint64_t *random)
{
    static const int limits[] = {1, 2, 5, 10, 15, 20};
    sn_reduced_desc twin = sn_default_reduced_desc();
    const int model = model_of(i);
    s->model = fixtures[model].model;
    s->desc = default_desc();
    s->desc.iteration_limit = limits[i / 2 % 6];
    s->desc.is_neo_hookean = model < FIXTURE_COUNT - 1 && sn_test_uniform(random, 0, 1) < 0.3;
    s->desc.stiffness = twin.stiffness = pow(10, sn_test_uniform(random, -3.5, 3.5));
    s->desc.time_step = twin.time_step = pow(10, sn_test_uniform(random, -2.5, 0));
    s->desc.gravity[1] = twin.gravity[1] = sn_test_uniform(random, 0, 1) < 0.5 ? -9.81 : 0;
    s->violence = pow(10, sn_test_uniform(random, -1, 0.5));
    twin.is_neo_hookean = s->desc.is_neo_hookean;
    for (int b = 0; b < s->model->counts.bone_count; ++b) {
        sn_affine_identity(s->pose + 12 * b);
    }
    assert_int_equal(sn_reduced_solver_create(s->model, &twin, &s->solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(s->solver, s->pose, &s->twin), SN_OK);
}

/* What the device remembers of its last steps: where the next one starts. */
static void follow_pulls(shaken *s)
{
    const int size = 3 * s->model->counts.coordinate_count;
    for (int k = 0; k < SN_CORRECTION_COUNT; ++k) {
        for (int i = 0; i < size; ++i) {
            s->twin->corrections.steps[k][i] = (float)(s->corrections[k * size + i] / s->solver->unit);
        }
    }
    s->twin->corrections.is_extrapolable = s->result.reading.is_extrapolable;
}

/* The twin's state from what was read before; the rig's is its own. */
static void follow(shaken *s)
{
    follow_pulls(s);
    for (int i = 0; i < 3 * s->model->counts.coordinate_count; ++i) {
        s->twin->coordinates[i] = s->result.coordinates[i];
        s->twin->coordinates_before[i] = s->result.coordinates[i] - s->result.velocity[i];
    }
}

static void read_shaken(sn_gpu_reduced *reduced, shaken *s)
{
    s->result = (body_result){.reading = {.coordinates = s->result.coordinates,
                                          .velocity = s->result.velocity,
                                          .matrices = s->result.matrices,
                                          .corrections = s->corrections}};
    assert_int_equal(sn_gpu_reduced_read(reduced, s->index, &s->result.reading), SN_OK);
}

/* Returns whether its iterations came to their end before they had converged. */
static bool check(sn_gpu_reduced *reduced, shaken *s)
{
    const int recovered = s->result.reading.recovery_count;
    const size_t rig_bytes = 12 * (size_t)s->model->counts.bone_count * sizeof(double);
    const double before = sn_test_first_energy(s->twin, s->pose);
    read_shaken(reduced, s);
    const double after = sn_test_step_energy(s->twin, s->pose, s->result.coordinates);
    const sn_gpu_reduced_reading *reading = &s->result.reading;
    const bool is_recovered = reading->recovery_count > recovered;
    assert_true(is_recovered || !sn_test_has_risen(s->solver, before, after));
    assert_true(reading->iteration_count <= s->desc.iteration_limit || reading->iteration_count <= 8);
    memcpy(s->twin->rig_before, s->twin->rig, rig_bytes);
    sn_reduced_rig_from_pose(s->pose, s->model->counts.bone_count, s->twin->rig);
    if (is_recovered) {
        memcpy(s->twin->rig_before, s->twin->rig, rig_bytes);
    }
    assert_false(reading->is_over_budget); /* it has none */
    return !reading->is_converged;
}

static void run_crowd(sn_gpu_device *device, int dispatch_iterations, body_result *results)
{
    static shaken crowd[BODY_COUNT];
    sn_gpu_reduced_desc desc = sn_default_gpu_reduced_desc();
    uint64_t random = 17;
    int unconverged = 0, steady = 0;
    desc.dispatch_iterations = dispatch_iterations;
    sn_gpu_reduced *reduced = create(device, &desc);
    for (int i = 0; i < BODY_COUNT; ++i) {
        crowd[i] = (shaken){.index = -1};
        make(&crowd[i], i, &random);
        crowd[i].index = add(reduced, model_of(i), &crowd[i].desc, crowd[i].pose);
    }
    for (int frame = 0; frame < FRAMES; ++frame) {
        for (int i = 0; i < BODY_COUNT; ++i) {
            for (int b = 0; b < crowd[i].model->counts.bone_count && frame % (2 + i % 6) == 0; ++b) {
                sn_test_shake(&random, crowd[i].violence, crowd[i].pose + 12 * b);
            }
            sn_gpu_reduced_set_pose(reduced, crowd[i].index, crowd[i].pose);
            follow(&crowd[i]);
            steady += crowd[i].twin->corrections.is_extrapolable;
        }
        run(device, reduced, true, 1);
        for (int i = 0; i < BODY_COUNT; ++i) {
            unconverged += check(reduced, &crowd[i]);
        }
    }
    print_message("%d steps of %d had not converged, %d started ahead\n", unconverged, BODY_COUNT * FRAMES, steady);
    assert_true(unconverged > BODY_COUNT * FRAMES / 4 && steady > BODY_COUNT * FRAMES / 20);
    for (int i = 0; i < BODY_COUNT; ++i) {
        results[i] = crowd[i].result;
        sn_reduced_body_destroy(&crowd[i].twin);
        sn_reduced_solver_destroy(&crowd[i].solver);
    }
    sn_gpu_reduced_destroy(&reduced);
}

static void test_energy_never_rises(void **state)
{
    static body_result whole[BODY_COUNT], cut[BODY_COUNT];
    run_crowd(*state, 0, whole);
    run_crowd(*state, 1, cut);
    for (int i = 0; i < BODY_COUNT; ++i) {
        assert_same_bits(&whole[i], &cut[i]);
    }
}

int test_gpu_energy(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_energy_never_rises),
    };
    return cmocka_run_group_tests(tests, cook_all, release_all);
}
