/* SPDX-License-Identifier: MIT */
/* Coupled bodies on a device without doubles: against worlds on threads, by the same calls, within what float's small
 * systems may part from double's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "compute/core/open.h"
#include "tests/support/gpu_world.h"

/* Of matrices, which are about 1, and of places, in diagonals, after a third of a second: of a body that is free; of
 * one whose handles are driven; of one that slides, whose friction takes hold or does not. */
#define FREE_TOLERANCE 1e-4
#define DRIVEN_TOLERANCE 1e-3
#define SLIDING_TOLERANCE 2e-2

/* One device for all tests, which has doubles, and may not use them. */
static int set_up(void **state)
{
    const sn_gpu_device_desc desc = {.name = getenv("SN_TEST_DEVICE"), .has_no_doubles = true, .is_validated = true};
    if (!sn_test_gpu_shared) {
        assert_int_equal(sn_gpu_device_create(&desc, &sn_test_gpu_shared), SN_OK);
    }
    assert_false(sn_test_gpu_shared->features.shaderFloat64);
    return sn_test_gpu_share(state);
}

static void free_bones(const twins *t, int index, int first)
{
    for (int bone = first; bone < sn_model_bone_count(sn_body_model(t->hosts[index])); ++bone) {
        sn_body_set_locks(t->hosts[index], bone, 0);
        sn_body_set_locks(t->guests[index], bone, 0);
    }
}

/* What is drawn, and the flesh. */
static void expect_near(const twins *t, double tolerance, const char *what)
{
    static double flesh[2][3 * 1000];
    double most = 0, moved = 0;
    for (int i = 0; i < t->count; ++i) {
        const sn_model *model = sn_body_model(t->hosts[i]);
        const int vertices = sn_model_vertex_count(model);
        const sn_body_matrices host = sn_body_output(t->hosts[i]), guest = sn_body_output(t->guests[i]);
        for (int k = 0; k < 12 * host.bone_count; ++k) {
            const sn_mat3x4 *a = &host.matrices[k / 12], *b = &guest.matrices[k / 12];
            most = fmax(most, fabs((double)a->m[k % 12 / 4][k % 4] - (double)b->m[k % 12 / 4][k % 4]));
        }
        sn_body_tet_positions(t->hosts[i], flesh[0], vertices);
        sn_body_tet_positions(t->guests[i], flesh[1], vertices);
        for (int v = 0; v < 3 * vertices; ++v) {
            most = fmax(most, fabs(flesh[0][v] - flesh[1][v]) / model->diagonal);
            moved = fmax(moved, fabs(flesh[0][v] - (double)model->rest_positions[v]));
        }
    }
    print_message("%s: %.1e\n", what, most);
    assert_true(most < tolerance && moved > 0.01);
}

/* Bone 0 of those that are driven. */
static void run(twins *t, int driven, int first, int last)
{
    for (int frame = first; frame < last; ++frame) {
        for (int i = 0; i < driven; ++i) {
            const double seconds = frame / 60.0, angle = 0.5 * sin(5 * seconds + i);
            const float c = (float)cos(angle), s = (float)sin(angle);
            const sn_mat3x4 m = {{{c, -s, 0, (float)(0.1 * sin(7 * seconds))}, {s, c, 0, (float)i}, {0, 0, 1, 0}}};
            sn_body_set_bone_pose(t->hosts[i], 0, &m);
            sn_body_set_bone_pose(t->guests[i], 0, &m);
        }
        twins_step(t, 1 / 60.0, frame % 3 != 0);
    }
}

static void lay_floor(const twins *t, float height)
{
    sn_collider_desc floor = sn_default_collider_desc();
    sn_collider_id id;
    floor.transform = (sn_mat3x4){{{1, 0, 0, 0}, {0, 1, 0, height}, {0, 0, 1, 0}}};
    assert_int_equal(sn_collider_create(t->host, &floor, &id), SN_OK);
    assert_int_equal(sn_collider_create(t->guest, &floor, &id), SN_OK);
}

/* Two that are driven at one end, in wind; later on a floor that they touch. */
static void test_driven(void **state)
{
    twins t = twins_make(*state, 2);
    for (t.count = 0; t.count < 2; ++t.count) {
        sn_body_desc desc = twins_coupled_desc(twin_models[2 * t.count]);
        desc.wind[2] = 4;
        desc.poisson = t.count == 1 ? -0.2 : 0.4;
        twins_put(&t, t.count, &desc);
        free_bones(&t, t.count, 1);
    }
    run(&t, 2, 0, 20);
    expect_near(&t, DRIVEN_TOLERANCE, "driven");
    for (int i = 0; i < 2; ++i) {
        sn_body_reset(t.hosts[i]);
        sn_body_reset(t.guests[i]);
    }
    lay_floor(&t, -0.02F);
    run(&t, 2, 20, 40);
    expect_near(&t, SLIDING_TOLERANCE, "on a floor");
    twins_finish(&t);
}

/* Two that nothing holds, which the wind takes along as they fall: of the same constraints as those that are driven, so
 * that software Vulkan compiles their kernel once. */
static void test_falls(void **state)
{
    twins t = twins_make(*state, 1);
    for (t.count = 0; t.count < 2; ++t.count) {
        sn_body_desc desc = twins_coupled_desc(twin_models[2 * t.count]);
        desc.wind[0] = 1;
        desc.wind[2] = 2;
        desc.poisson = t.count == 1 ? -0.2 : 0.4;
        twins_put(&t, t.count, &desc);
        free_bones(&t, t.count, 0);
    }
    run(&t, 0, 0, 24);
    expect_near(&t, FREE_TOLERANCE, "free");
    twins_finish(&t);
}

int test_gpu_single(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_driven, set_up, sn_test_gpu_unshare),
                                       cmocka_unit_test_setup_teardown(test_falls, set_up, sn_test_gpu_unshare)};
    return cmocka_run_group_tests(tests, twin_cook_models, twin_release_models);
}
