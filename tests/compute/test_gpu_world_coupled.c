/* SPDX-License-Identifier: MIT */
/* Coupled bodies beside reduced ones in a world on the device: against a world on threads, by the same calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/gpu_world.h"

#define TOLERANCE 2e-6 /* of matrices, which are about 1 */

static void set_locks(const twins *t, int index, int bone, unsigned locks)
{
    sn_body_set_locks(t->hosts[index], bone, locks);
    sn_body_set_locks(t->guests[index], bone, locks);
    assert_int_equal(sn_body_locks(t->guests[index], bone), locks);
}

static void set_desc(const twins *t, int index, const sn_body_desc *desc)
{
    assert_int_equal(sn_body_set_desc(t->hosts[index], desc), SN_OK);
    assert_int_equal(sn_body_set_desc(t->guests[index], desc), SN_OK);
}

/* A reduced body, and two coupled ones whose first bone alone is driven; another is all free. */
static twins make_mixed(sn_gpu_device *device)
{
    twins t = twins_make(device, 2);
    twins_add(&t, twin_models[1]);
    for (int i = 1; i < 4; ++i) {
        const sn_model *model = twin_models[i == 2 ? 2 : 0];
        const sn_body_desc desc = twins_coupled_desc(model);
        twins_put(&t, t.count++, &desc);
        for (int bone = i < 3; bone < sn_model_bone_count(model); ++bone) {
            set_locks(&t, i, bone, 0);
        }
    }
    return t;
}

static double largest_difference(const float *a, const float *b, int count)
{
    double most = 0;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
    }
    return most;
}

/* What is drawn, and what is read back; the flesh. */
static void expect_same(const twins *t, const char *what)
{
    float matrices[12 * TWIN_MATRICES];
    static double flesh[2][3 * 1000];
    double most = 0, moved = 0;
    for (int i = 1; i < t->count; ++i) {
        const int vertices = sn_model_vertex_count(sn_body_model(t->hosts[i]));
        const sn_body_matrices host = sn_body_output(t->hosts[i]), guest = sn_body_output(t->guests[i]);
        const float *expected = &host.matrices[0].m[0][0], *got = &guest.matrices[0].m[0][0];
        assert_int_equal(guest.bone_count, host.bone_count);
        assert_int_equal(guest.mode_count, 0);
        twins_read(t, i, matrices);
        most = fmax(most, largest_difference(got, expected, 12 * host.bone_count));
        most = fmax(most, largest_difference(matrices, expected, 12 * host.bone_count));
        const int modes = sn_body_gpu_output(t->guests[i]).mode_count;
        assert_int_equal(modes, sn_model_mode_count(sn_body_model(t->hosts[i])));
        for (int k = 12 * host.bone_count; k < 12 * (host.bone_count + modes); ++k) {
            assert_true(matrices[k] == 0);
        }
        sn_body_tet_positions(t->hosts[i], flesh[0], vertices);
        sn_body_tet_positions(t->guests[i], flesh[1], vertices);
        for (int v = 0; v < 3 * vertices; ++v) {
            most = fmax(most, fabs(flesh[0][v] - flesh[1][v]));
            moved = fmax(moved, fabs(flesh[0][v] - (double)sn_body_model(t->hosts[i])->rest_positions[v]));
        }
    }
    print_message("%s: %.1e\n", what, most);
    assert_true(most < TOLERANCE && moved > 0.01);
}

/* Bone 0 of those that are driven; all of the reduced one. */
static void pose(twins *t, double seconds)
{
    if (t->count > 0) {
        twins_pose(t, 0, seconds);
    }
    for (int i = 1; i < 3 && i < t->count; ++i) {
        const double angle = 0.5 * sin(5 * seconds + i);
        const float c = (float)cos(angle), s = (float)sin(angle);
        const sn_mat3x4 m = {{{c, -s, 0, (float)(0.1 * sin(7 * seconds))}, {s, c, 0, (float)i}, {0, 0, 1, 0}}};
        sn_body_set_bone_pose(t->hosts[i], 0, &m);
        sn_body_set_bone_pose(t->guests[i], 0, &m);
    }
}

static void run(twins *t, double rate, int first, int last)
{
    for (int frame = first; frame < last; ++frame) {
        pose(t, frame / rate);
        twins_step(t, 1 / rate, frame % 3 != 0);
    }
}

static void test_agrees_at_any_rate(void **state)
{
    twins t = make_mixed(*state);
    run(&t, 60, 0, 5);
    expect_same(&t, "60 Hz");
    run(&t, 144, 12, 19);
    expect_same(&t, "144 Hz");
    run(&t, 25, 4, 6);
    expect_same(&t, "25 Hz");
    twins_finish(&t);
}

static void push(const twins *t, int index)
{
    const double impulse[3] = {0.02, 0.05, -0.03}, point[3] = {2, 0.4, 0};
    sn_body_apply_impulse(t->hosts[index], point, impulse);
    sn_body_apply_impulse(t->guests[index], point, impulse);
    sn_body_apply_bone_impulse(t->hosts[index], 1, impulse);
    sn_body_apply_bone_impulse(t->guests[index], 1, impulse);
}

static void test_parameters_and_impulses(void **state)
{
    twins t = make_mixed(*state);
    sn_body_desc desc = twins_coupled_desc(twin_models[0]);
    run(&t, 60, 0, 3);
    desc.mass = 2.5;
    desc.stiffness = 0.3;
    desc.substep_count = 0;
    desc.is_constraint_locked_only = true;
    set_desc(&t, 1, &desc);
    push(&t, 1);
    push(&t, 3);
    run(&t, 60, 3, 6);
    expect_same(&t, "mass, stiffness, substeps, impulses");
    double given[2][6];
    sn_body_lock_impulse(t.hosts[2], 0, given[0]);
    sn_body_lock_impulse(t.guests[2], 0, given[1]);
    for (int i = 0; i < 6; ++i) {
        assert_true(fabs(given[0][i] - given[1][i]) < 1e-9 * (1 + fabs(given[0][i])));
    }
    set_locks(&t, 2, 2, SN_LOCK_ROTATION); /* stays as it is */
    set_locks(&t, 1, 0, 0);
    run(&t, 60, 6, 9);
    expect_same(&t, "other locks");
    twins_finish(&t);
}

/* Energy and momenta of all, and who sleeps: one that comes to rest, on both, and wakes when it is pushed. */
static void test_motion_and_sleep(void **state)
{
    twins t = make_mixed(*state);
    sn_body_desc desc = twins_coupled_desc(twin_models[0]);
    int frame = 0;
    desc.damping = 60;
    desc.is_rigid_damped = true;
    desc.gravity[1] = 0;
    desc.mass = 3;
    desc.sleep_speed = 0.05;
    set_desc(&t, 3, &desc);
    for (int round = 0; round < 2; ++round) {
        push(&t, 3);
        for (int until = frame + 3; frame < until; ++frame) {
            run(&t, 60, frame, frame + 1);
        }
        assert_false(sn_body_get_motion(t.hosts[3]).is_asleep || sn_body_get_motion(t.guests[3]).is_asleep);
        for (int until = frame + 50; frame < until; ++frame) {
            run(&t, 60, frame, frame + 1);
        }
        assert_true(sn_body_get_motion(t.hosts[3]).is_asleep && sn_body_get_motion(t.guests[3]).is_asleep);
        for (int b = 1; b < 3; ++b) {
            const sn_body_motion host = sn_body_get_motion(t.hosts[b]), guest = sn_body_get_motion(t.guests[b]);
            print_message("kinetic %g %g, elastic %g %g, momentum %g %g\n", host.kinetic, guest.kinetic, host.elastic,
                          guest.elastic, host.momentum[1], guest.momentum[1]);
            assert_true(fabs(host.kinetic - guest.kinetic) <= 1e-3 * host.kinetic);
            assert_true(fabs(host.elastic - guest.elastic) <= 1e-3 * host.elastic);
            assert_true(fabs(host.momentum[1] - guest.momentum[1]) <= 1e-3 * fabs(host.momentum[1]));
        }
    }
    twins_finish(&t);
}

static void test_teleport_and_reset(void **state)
{
    const sn_mat3x4 move = {{{0, 0, 1, 3}, {0, 1, 0, -2}, {-1, 0, 0, 1}}};
    twins t = make_mixed(*state);
    run(&t, 60, 0, 3);
    sn_body_teleport(t.hosts[3], &move);
    sn_body_teleport(t.guests[3], &move);
    sn_body_reset(t.hosts[2]);
    sn_body_reset(t.guests[2]);
    twins_step(&t, 0, true); /* nothing but what is drawn */
    expect_same(&t, "at once");
    run(&t, 60, 3, 6);
    expect_same(&t, "and later");
    twins_remove(&t, 1);
    const sn_body_desc desc = twins_coupled_desc(twin_models[0]);
    twins_put(&t, 1, &desc);
    run(&t, 60, 6, 8);
    expect_same(&t, "a new body in an old one's place");
    twins_finish(&t);
}

/* A floor below those that fall, and a ball that moves through the flesh. */
static void test_colliders(void **state)
{
    twins t = make_mixed(*state);
    sn_collider_desc floor = sn_default_collider_desc(), ball = sn_default_collider_desc();
    sn_collider_id id, balls[2];
    floor.transform = (sn_mat3x4){{{1, 0, 0, 0}, {0, 1, 0, -0.02F}, {0, 0, 1, 0}}};
    ball.shape = SN_COLLIDER_SPHERE;
    ball.radius = 0.2;
    assert_int_equal(sn_collider_create(t.host, &floor, &id), SN_OK);
    assert_int_equal(sn_collider_create(t.guest, &floor, &id), SN_OK);
    assert_int_equal(sn_collider_create(t.host, &ball, &balls[0]), SN_OK);
    assert_int_equal(sn_collider_create(t.guest, &ball, &balls[1]), SN_OK);
    for (int frame = 0; frame < 8; ++frame) {
        const sn_mat3x4 place = {{{1, 0, 0, 1}, {0, 1, 0, 1 - 0.1F * (float)frame}, {0, 0, 1, 0.2F}}};
        sn_collider_set_transform(balls[0], &place);
        sn_collider_set_transform(balls[1], &place);
        run(&t, 40, frame, frame + 1);
    }
    expect_same(&t, "colliders");
    twins_finish(&t);
}

/* A hand pulls what it holds, which is dragged before each step. */
static void test_grabs(void **state)
{
    const sn_grab_desc desc = sn_default_grab_desc();
    const double point[3] = {1.9, 0.2, 0.2};
    twins t = make_mixed(*state);
    run(&t, 60, 0, 2);
    const int a = sn_body_grab(t.hosts[3], point, &desc), b = sn_body_grab(t.guests[3], point, &desc);
    assert_true(a == 0 && b == 0);
    for (int frame = 2; frame < 8; ++frame) {
        const double target[3] = {1.9, 0.2 + 0.05 * frame, 0.3};
        sn_body_drag(t.hosts[3], a, target);
        sn_body_drag(t.guests[3], b, target);
        run(&t, 60, frame, frame + 1);
    }
    expect_same(&t, "grabbed");
    sn_body_release(t.hosts[3], a);
    sn_body_release(t.guests[3], b);
    run(&t, 60, 8, 10);
    expect_same(&t, "let go");
    twins_finish(&t);
}

/* No reduced body beside it, and none at all at first, but a floor. */
static void test_alone(void **state)
{
    const sn_body_desc desc = twins_coupled_desc(twin_models[2]);
    twins t = twins_make(*state, 2);
    sn_collider_desc floor = sn_default_collider_desc();
    sn_collider_id id;
    floor.transform = (sn_mat3x4){{{1, 0, 0, 0}, {0, 1, 0, -0.02F}, {0, 0, 1, 0}}};
    assert_int_equal(sn_collider_create(t.host, &floor, &id), SN_OK);
    assert_int_equal(sn_collider_create(t.guest, &floor, &id), SN_OK);
    run(&t, 60, 0, 2);
    t.count = 3;
    twins_put(&t, 1, &desc);
    twins_put(&t, 2, &desc);
    twins_put(&t, 0, &desc);
    set_locks(&t, 2, 3, 0);
    run(&t, 60, 2, 5);
    expect_same(&t, "none but coupled ones");
    twins_finish(&t);
}

/* Two bones in place of three, and more modes. */
static void test_other_rig(void **state)
{
    static const int cells[3] = {8, 2, 2};
    sn_cook_context cooking;
    sn_model *model = sn_test_cook_bar(&cooking, cells, 2, 7);
    twins t = make_mixed(*state);
    run(&t, 60, 0, 3);
    assert_int_equal(sn_body_set_model(t.hosts[3], model), SN_OK);
    assert_int_equal(sn_body_set_model(t.guests[3], model), SN_OK);
    push(&t, 3);
    run(&t, 60, 3, 6);
    expect_same(&t, "another rig");
    twins_finish(&t);
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
}

/* Of bodies of a mass, that are flung against it, and beside one that feels none. */
static void test_wind(void **state)
{
    twins t = make_mixed(*state);
    for (int i = 1; i < 3; ++i) {
        sn_body_desc desc = twins_coupled_desc(twin_models[i == 2 ? 2 : 0]);
        desc.wind[0] = 6;
        desc.wind[2] = i == 2 ? -500 : 4; /* the second one's is stronger than it takes up */
        desc.mass = i == 2 ? 0.01 : 1;
        set_desc(&t, i, &desc);
    }
    push(&t, 1);
    run(&t, 60, 0, 4);
    expect_same(&t, "wind");
    sn_body_desc desc = twins_coupled_desc(twin_models[0]);
    set_desc(&t, 1, &desc);
    run(&t, 60, 4, 6);
    expect_same(&t, "calm");
    twins_finish(&t);
}

static void tear(const twins *t, int index, double x)
{
    const double point[3] = {x, 0.2, 0.2};
    const int torn = sn_body_tear(t->hosts[index], point, 0.3);
    assert_true(torn > 0);
    assert_int_equal(sn_body_tear(t->guests[index], point, 0.3), torn);
}

static int tie(const twins *t, int index, int first, int second, double length, double stiffness)
{
    const int spring = sn_body_add_spring(t->hosts[index], first, second, length, stiffness);
    assert_true(spring >= 0);
    assert_int_equal(sn_body_add_spring(t->guests[index], first, second, length, stiffness), spring);
    return spring;
}

static void mend(const twins *t, int index)
{
    assert_int_equal(sn_body_repair(t->hosts[index]), SN_OK);
    assert_int_equal(sn_body_repair(t->guests[index]), SN_OK);
}

/* One body alone, while it is pushed and held; another of its model stays whole. */
static void test_tears_and_springs(void **state)
{
    twins t = make_mixed(*state);
    sn_body_desc desc = twins_coupled_desc(twin_models[0]);
    run(&t, 60, 0, 2);
    mend(&t, 3); /* nothing to mend */
    tear(&t, 3, 0.6);
    run(&t, 60, 2, 4);
    expect_same(&t, "torn");
    const int spring = tie(&t, 3, 0, 40, -1, 300);
    tie(&t, 1, 3, 30, 0.1, INFINITY);
    tear(&t, 3, 0.4);
    push(&t, 3);
    run(&t, 60, 4, 6);
    expect_same(&t, "torn and tied");
    sn_body_remove_spring(t.hosts[3], spring);
    sn_body_remove_spring(t.guests[3], spring);
    mend(&t, 3);
    desc.mass = 3; /* springs pull it less */
    set_desc(&t, 1, &desc);
    run(&t, 60, 6, 8);
    expect_same(&t, "mended");
    sn_body_reset(t.hosts[3]);
    sn_body_reset(t.guests[3]);
    twins_remove(&t, 1);
    twins_put(&t, 1, &desc); /* whole */
    tear(&t, 1, 0.5);
    run(&t, 60, 8, 10);
    expect_same(&t, "others");
    twins_finish(&t);
}

/* Flesh that has other constraints from then on, of one that is torn, too. */
static void test_other_ratio(void **state)
{
    const double point[3] = {1.9, 0.2, 0.2}, target[3] = {1.9, 0.7, 0.3};
    const sn_grab_desc grab = sn_default_grab_desc();
    twins t = make_mixed(*state);
    sn_body_desc desc = twins_coupled_desc(twin_models[0]);
    run(&t, 60, 0, 2);
    tear(&t, 3, 0.4);
    tie(&t, 3, 0, 40, -1, 300);
    const int a = sn_body_grab(t.hosts[3], point, &grab), b = sn_body_grab(t.guests[3], point, &grab);
    assert_true(a == 0 && b == 0);
    desc.poisson = 0.1;
    set_desc(&t, 1, &desc);
    desc.poisson = -0.4;
    desc.wind[2] = 5;
    set_desc(&t, 3, &desc);
    twins_step(&t, 0, true);
    expect_same(&t, "as they were");
    for (int frame = 2; frame < 6; ++frame) {
        sn_body_drag(t.hosts[3], a, target);
        sn_body_drag(t.guests[3], b, target);
        run(&t, 60, frame, frame + 1);
        if (frame == 4) {
            expect_same(&t, "other Poisson's ratios");
            desc.poisson = 0.4;
            set_desc(&t, 3, &desc);
            mend(&t, 3);
        }
    }
    expect_same(&t, "and back");
    twins_finish(&t);
}

int test_gpu_world_coupled(void)
{
    const struct CMUnitTest tests[] = {SN_TEST_SHARED_GPU(test_agrees_at_any_rate),
                                       SN_TEST_SHARED_GPU(test_parameters_and_impulses),
                                       SN_TEST_SHARED_GPU(test_motion_and_sleep),
                                       SN_TEST_SHARED_GPU(test_teleport_and_reset),
                                       SN_TEST_SHARED_GPU(test_colliders),
                                       SN_TEST_SHARED_GPU(test_grabs),
                                       SN_TEST_SHARED_GPU(test_alone),
                                       SN_TEST_SHARED_GPU(test_other_rig),
                                       SN_TEST_SHARED_GPU(test_wind),
                                       SN_TEST_SHARED_GPU(test_tears_and_springs),
                                       SN_TEST_SHARED_GPU(test_other_ratio)};
    return cmocka_run_group_tests(tests, twin_cook_models, twin_release_models);
}
