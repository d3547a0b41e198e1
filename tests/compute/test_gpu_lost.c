/* SPDX-License-Identifier: MIT */
/* A device that is lost: its worlds step on on the CPU, like one whose bodies were reset at that time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/gpu_world.h"
#include "tests/support/log.h"

#define STEP (1 / 60.0)
#define VERTICES 400

enum { REDUCED, COUPLED, LAYERED, BODY_COUNT };

static sn_model layered_model;
static sn_arena arena;

static int set_up(void **state)
{
    twin_cook_models(state);
    const sn_model *model = twin_models[0];
    const int n = model->counts.vertex_count, t = model->counts.tet_count;
    int32_t *bones = SN_NEW(&arena, int32_t, n);
    float *stiffness = SN_NEW(&arena, float, SN_STRAIN_STIFFNESS_COUNT *t);
    assert_true(bones && stiffness && n <= VERTICES);
    for (int v = 0; v < n; ++v) {
        bones[v] = model->rest_positions[3 * v] < -0.2F ? 0 : -1;
    }
    for (int i = 0; i < SN_STRAIN_STIFFNESS_COUNT * t; ++i) {
        const float mu = model->tet_stiffness[i / SN_STRAIN_STIFFNESS_COUNT] / 2;
        stiffness[i] = (i % SN_STRAIN_STIFFNESS_COUNT < 3 ? 2 : i % SN_STRAIN_STIFFNESS_COUNT < 6 ? 1 : 4) * mu;
    }
    layered_model = *model;
    layered_model.strain_type = SN_STRAIN_GLOBAL;
    layered_model.strain_attached_bones = bones;
    layered_model.strain_stiffness = stiffness;
    return 0;
}

static int tear_down(void **state)
{
    sn_arena_finish(&arena);
    return twin_release_models(state);
}

/* One body of each solver; the coupled one is drawn as its flesh, and its last bones are free. */
static twins make_all(sn_gpu_device *device, const sn_embedding *embedding)
{
    twins t = twins_make(device, 2);
    sn_body_desc layered = twins_coupled_desc(&layered_model);
    const sn_body_desc reduced = twin_desc(twin_models[1]), coupled = twins_coupled_desc(twin_models[0]);
    layered.solver = SN_SOLVER_LAYERED;
    twins_put(&t, REDUCED, &reduced);
    twins_put(&t, COUPLED, &coupled);
    twins_put(&t, LAYERED, &layered);
    for (int bone = 1; bone < 3; ++bone) {
        sn_body_set_locks(t.hosts[COUPLED], bone, 0);
        sn_body_set_locks(t.guests[COUPLED], bone, 0);
    }
    assert_int_equal(sn_body_set_embedding(t.hosts[COUPLED], embedding), SN_OK);
    assert_int_equal(sn_body_set_embedding(t.guests[COUPLED], embedding), SN_OK);
    t.count = BODY_COUNT;
    return t;
}

static void run(twins *t, int first, int last)
{
    for (int frame = first; frame < last; ++frame) {
        twins_pose_all(t, frame * STEP);
        twins_step(t, STEP, false);
    }
}

static double apart(const sn_body_matrices *a, const sn_body_matrices *b)
{
    const float *x = a->matrices->m[0], *y = b->matrices->m[0];
    double most = 0;
    assert_int_equal(a->bone_count, b->bone_count);
    assert_int_equal(a->mode_count, b->mode_count);
    for (int i = 0; i < 12 * (a->bone_count + a->mode_count); ++i) {
        most = fmax(most, fabs((double)x[i] - (double)y[i]));
    }
    return most;
}

/* But for rounding: a new body has its flesh at another origin than one that has moved. */
static void expect_same(const twins *t)
{
    static double flesh[2][3 * VERTICES];
    double most = 0;
    for (int i = 0; i < BODY_COUNT; ++i) {
        const sn_body_matrices host = sn_body_output(t->hosts[i]), guest = sn_body_output(t->guests[i]);
        most = fmax(most, apart(&host, &guest));
        for (int side = 0; side < 2 && i != REDUCED; ++side) {
            const sn_body_id body = side ? t->guests[i] : t->hosts[i];
            sn_body_tet_positions(body, flesh[side], sn_model_vertex_count(sn_body_model(body)));
        }
        for (int v = 0; v < 3 * VERTICES; ++v) {
            most = fmax(most, fabs(flesh[0][v] - flesh[1][v]));
        }
    }
    const sn_body_matrices host = sn_body_embedded_output(t->hosts[COUPLED]),
                           guest = sn_body_embedded_output(t->guests[COUPLED]);
    most = fmax(most, apart(&host, &guest));
    print_message("apart by %.1e\n", most);
    assert_true(most < 1e-4);
}

static void lose(sn_gpu_device *device, bool is_between_calls)
{
    sn_embedding *embedding;
    assert_int_equal(sn_embedding_create(twin_models[0], &embedding), SN_OK);
    twins t = make_all(device, embedding);
    run(&t, 0, 3);
    twins_pose_all(&t, 3 * STEP);
    begin_log();
    device->loses_next_submission = true;
    if (is_between_calls) {
        const double point[3] = {0, 0, 0}, impulse[3] = {0, 1, 0};
        sn_body_apply_impulse(t.guests[COUPLED], point, impulse); /* reads the state back */
        assert_true(device->is_lost);
        logged.errors = 0;
    }
    const sn_world_report report = sn_world_step(t.guest, STEP);
    assert_int_equal(report.step_count, 1);
    assert_one_warning("the device is lost");
    assert_int_equal(logged.errors, is_between_calls ? 0 : 1);
    sn_world_step(t.host, STEP);
    if (is_between_calls) { /* it knew before the step */
        sn_world_destroy(t.host);
        sn_world_destroy(t.guest);
    } else {
        twins_reset_all(&t);
        expect_same(&t);
        run(&t, 4, 20);
        expect_same(&t);
        assert_null(sn_body_gpu_output(t.guests[COUPLED]).buffer);
        assert_null(sn_body_gpu_embedded_output(t.guests[COUPLED]).buffer);
        VkCommandBuffer commands = (VkCommandBuffer)(uintptr_t)device; /* not used */
        assert_int_equal(sn_gpu_record_step(t.guest, STEP, commands).step_count, 1);
        sn_world_step(t.host, STEP);
        expect_same(&t);
        sn_world_destroy(t.host);
        sn_world_destroy(t.guest);
    }
    assert_int_equal(logged.warnings, 1);
    assert_int_equal(logged.errors, is_between_calls ? 0 : 1);
    sn_set_log(sn_test_receive, &sn_test_logged);
    sn_gpu_destroy(&t.gpu);
    sn_embedding_destroy(&embedding);
}

static void test_a_submission_is_lost(void **state)
{
    lose(*state, false);
}

static void test_it_is_lost_between_calls(void **state)
{
    lose(*state, true);
}

int test_gpu_lost(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_submission_is_lost, sn_test_gpu_set_up, sn_test_gpu_tear_down),
        cmocka_unit_test_setup_teardown(test_it_is_lost_between_calls, sn_test_gpu_set_up, sn_test_gpu_tear_down),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
