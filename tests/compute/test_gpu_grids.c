/* SPDX-License-Identifier: MIT */
/* Grids of signed distances as colliders of bodies that step on the device: against a world on threads, by the same
 * calls. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/gpu_world.h"

/* Whole counts that are multiples of nothing. */
#define NODES_X 19
#define NODES_Y 14
#define NODES_Z 17

typedef double field_function(const double *at);

static double ball_field(const double *at)
{
    return sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]) - 0.3;
}

/* Waves about y = -.05, which the lattice's sides cut off. */
static double bump_field(const double *at)
{
    return 0.9 * (at[1] + 0.05 - 0.03 * sin(12 * at[0]) * cos(9 * at[2]));
}

static sn_grid *make_grid(field_function *field, double spacing)
{
    static float distances[NODES_X * NODES_Y * NODES_Z];
    sn_grid_desc desc = {.counts = {NODES_X, NODES_Y, NODES_Z}, .spacing = spacing, .distances = distances};
    sn_grid *grid = NULL;
    for (int d = 0; d < 3; ++d) {
        desc.origin[d] = -0.5 * spacing * (desc.counts[d] - 1);
    }
    for (int i = 0; i < NODES_X * NODES_Y * NODES_Z; ++i) {
        const double at[3] = {desc.origin[0] + spacing * (i % NODES_X),
                              desc.origin[1] + spacing * (i / NODES_X % NODES_Y),
                              desc.origin[2] + spacing * (i / NODES_X / NODES_Y)};
        distances[i] = (float)field(at);
    }
    assert_int_equal(sn_grid_create(&desc, &grid), SN_OK);
    return grid;
}

static sn_mat3x4 placed(double x, double y, double z, double angle)
{
    const float c = (float)cos(angle), s = (float)sin(angle);
    return (sn_mat3x4){{{c, 0, s, (float)x}, {0, 1, 0, (float)y}, {-s, 0, c, (float)z}}};
}

typedef struct pair {
    sn_collider_id host, guest;
} pair;

static pair add_grid(const twins *t, const sn_grid *grid, sn_mat3x4 transform)
{
    sn_collider_desc desc = sn_default_collider_desc();
    pair made;
    desc.shape = SN_COLLIDER_GRID;
    desc.grid = grid;
    desc.transform = transform;
    assert_int_equal(sn_collider_create(t->host, &desc, &made.host), SN_OK);
    assert_int_equal(sn_collider_create(t->guest, &desc, &made.guest), SN_OK);
    return made;
}

static void move(const pair *p, sn_mat3x4 transform)
{
    assert_int_equal(sn_collider_set_transform(p->host, &transform), SN_OK);
    assert_int_equal(sn_collider_set_transform(p->guest, &transform), SN_OK);
}

/* What a body draws with a grid in its way, or without. */
static void draw_with(sn_gpu_device *device, const sn_grid *grid, float *matrices)
{
    twins t = twins_make_crowd(device, 1);
    if (grid) {
        add_grid(&t, grid, placed(0.5, -0.25, 0, 0.3));
    }
    for (int i = 0; i < 12; ++i) {
        twins_step(&t, 1 / 60.0, true);
    }
    twins_read(&t, 0, matrices);
    twins_finish(&t);
}

static void test_grids_are_felt(void **state)
{
    float with[12 * TWIN_MATRICES] = {0}, without[12 * TWIN_MATRICES] = {0}, apart = 0, size = 0;
    sn_grid *ball = make_grid(ball_field, 0.05);
    draw_with(*state, ball, with);
    draw_with(*state, NULL, without);
    for (int i = 12 * sn_model_bone_count(twin_models[0]); i < 12 * TWIN_MATRICES; ++i) {
        apart = fmaxf(apart, fabsf(with[i] - without[i]));
        size = fmaxf(size, fabsf(without[i]));
    }
    print_message("a grid moves flesh by %g, of %g\n", (double)apart, (double)size);
    assert_true(apart > 0.1F * size);
    sn_grid_destroy(&ball);
}

/* Two grids, one of them twice, moved and turned, and a plane; bodies inside of the lattices' boxes and out of them. */
static void test_agrees(void **state)
{
    sn_grid *ball = make_grid(ball_field, 0.05), *bumps = make_grid(bump_field, 0.11);
    twins t = twins_make_crowd(*state, 4);
    const pair first = add_grid(&t, ball, placed(0.4, -0.35, 0, 0)),
               second = add_grid(&t, ball, placed(2.5, 0.3, 0, 1));
    add_grid(&t, bumps, placed(1.3, -0.2, 0.1, 0.4));
    twins_run(&t, 1, 12);
    twins_expect_same(&t, "on grids", 2e-4);
    sn_collider_desc plane = sn_default_collider_desc();
    sn_collider_id id;
    plane.transform.m[1][3] = -0.4F;
    assert_int_equal(sn_collider_create(t.host, &plane, &id), SN_OK);
    assert_int_equal(sn_collider_create(t.guest, &plane, &id), SN_OK);
    for (int i = 12; i < 24; ++i) {
        move(&first, placed(0.4 + 0.01 * i, -0.35 + 0.01 * i, 0.003 * i, 0.05 * i));
        move(&second, placed(2.5, 0.3 - 0.01 * i, 0, 1 + 0.1 * i));
        twins_run(&t, i, i + 1);
    }
    twins_expect_same(&t, "on grids that move", 2e-4);
    twins_finish(&t);
    sn_grid_destroy(&ball);
    sn_grid_destroy(&bumps);
}

/* Grids come and go beside bodies that step: one with the content of another, one where another was. */
static void test_grids_come_and_go(void **state)
{
    twins t = twins_make_crowd(*state, 1);
    twins_run(&t, 1, 3);
    for (int i = 0; i < 4; ++i) {
        sn_grid *grid = make_grid(i % 2 ? bump_field : ball_field, 0.05);
        sn_grid *twin = make_grid(ball_field, 0.05);
        const pair one = add_grid(&t, grid, placed(0.4, -0.3, 0, 0)),
                   other = add_grid(&t, twin, placed(0.9, 0.3, 0, 0));
        twins_run(&t, 3 + 5 * i, 8 + 5 * i);
        twins_expect_same(&t, "with grids that came", 2e-4);
        sn_collider_destroy(one.host);
        sn_collider_destroy(one.guest);
        sn_collider_destroy(other.host);
        sn_collider_destroy(other.guest);
        sn_grid_destroy(&grid);
        sn_grid_destroy(&twin);
    }
    twins_finish(&t);
}

/* Alone or in a crowd, the same bits. */
static void test_same_bits(void **state)
{
    float first[12 * TWIN_MATRICES], again[12 * TWIN_MATRICES];
    sn_grid *ball = make_grid(ball_field, 0.05);
    for (int pass = 0; pass < 3; ++pass) {
        twins t = twins_make_crowd(*state, pass == 2 ? 4 : 1);
        add_grid(&t, ball, placed(0.4, -0.35, 0, 0));
        twins_run(&t, 1, 10);
        twins_read(&t, 0, pass == 0 ? first : again);
        const sn_body_gpu_matrices at = sn_body_gpu_output(t.guests[0]);
        if (pass > 0) {
            assert_memory_equal(again, first, 48 * (size_t)(at.bone_count + at.mode_count));
        }
        twins_finish(&t);
    }
    sn_grid_destroy(&ball);
}

/* A coupled body that comes after the grid, which the solver of such bodies then has to get from the others. */
static void test_coupled_bodies_come_later(void **state)
{
    float matrices[12 * TWIN_MATRICES];
    double most = 0;
    sn_grid *ball = make_grid(ball_field, 0.05);
    twins t = twins_make_crowd(*state, 1);
    add_grid(&t, ball, placed(1.3, -0.25, 0, 0.3));
    twins_step(&t, 1 / 60.0, true);
    const sn_body_desc desc = twins_coupled_desc(twin_models[0]);
    twins_put(&t, t.count++, &desc);
    twins_pose_all(&t, 0);
    twins_reset_all(&t);
    for (int bone = 0; bone < sn_model_bone_count(twin_models[0]); ++bone) {
        sn_body_set_locks(t.hosts[1], bone, 0);
        sn_body_set_locks(t.guests[1], bone, 0);
    }
    for (int frame = 0; frame < 20; ++frame) {
        twins_step(&t, 1 / 60.0, true);
    }
    twins_read(&t, 1, matrices);
    const sn_body_matrices host = sn_body_output(t.hosts[1]);
    for (int i = 0; i < 12 * host.bone_count; ++i) {
        const double expected = (double)host.matrices[i / 12].m[i % 12 / 4][i % 4];
        most = fmax(most, fabs((double)matrices[i] - expected));
    }
    print_message("a coupled body on a ball differs by %g\n", most);
    assert_true(most < 2e-5 && fabsf(host.matrices[0].m[1][3]) > 0.01F);
    twins_finish(&t);
    sn_grid_destroy(&ball);
}

int test_gpu_grids(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_grids_are_felt),
        SN_TEST_SHARED_GPU(test_agrees),
        SN_TEST_SHARED_GPU(test_grids_come_and_go),
        SN_TEST_SHARED_GPU(test_same_bits),
        SN_TEST_SHARED_GPU(test_coupled_bodies_come_later),
    };
    return cmocka_run_group_tests(tests, twin_cook_models, twin_release_models);
}
