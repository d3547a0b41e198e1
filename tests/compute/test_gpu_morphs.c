/* SPDX-License-Identifier: MIT */
/* Flesh that feels morph targets, on the device: against a world on threads, by the same calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/gpu_world.h"
#include "tests/support/morph_model.h"

static sn_model morphed[TWIN_MODELS];

static int cook(void **state)
{
    twin_cook_models(state);
    for (int i = 0; i < TWIN_MODELS; ++i) {
        morphed[i] = sn_test_morph_model(&twin_cookings[i].arena, twin_models[i]);
    }
    return 0;
}

static void set_morphs(twins *t, int index, double seconds)
{
    float weights[SN_TEST_MORPHS];
    for (int m = 0; m < SN_TEST_MORPHS; ++m) {
        weights[m] = (float)(0.5 + 0.5 * sin((7 + 3 * m) * seconds + index));
    }
    sn_body_set_morphs(t->hosts[index], weights, SN_TEST_MORPHS);
    sn_body_set_morphs(t->guests[index], weights, SN_TEST_MORPHS);
}

/* Weights move all bodies; bones move all but the first. */
static void run(twins *t, double rate, int first, int last)
{
    for (int frame = first; frame < last; ++frame) {
        for (int i = 0; i < t->count; ++i) {
            set_morphs(t, i, frame / rate);
            if (i > 0) {
                twins_pose(t, i, frame / rate);
            }
        }
        twins_step(t, 1 / rate, frame % 3 != 0);
    }
}

static void expect_same(const twins *t, const char *what, double tolerance)
{
    const double distance = twins_distance(t);
    print_message("%s: %.1e of the flesh's own movement\n", what, distance);
    assert_true(distance < tolerance);
}

static twins make_crowd(sn_gpu_device *device, int count)
{
    twins t = twins_make(device, 2);
    for (int i = 0; i < count; ++i) {
        twins_add(&t, &morphed[i % TWIN_MODELS]);
    }
    return t;
}

static void test_agrees(void **state)
{
    static const double rates[] = {30, 60, 144};
    for (int r = 0; r < 3; ++r) {
        twins t = make_crowd(*state, 4);
        for (int i = 0; i < 4; ++i) { /* targets alone shake it: neither gravity nor bones */
            sn_body_desc desc = twin_desc(sn_body_model(t.hosts[i]));
            desc.gravity[1] = i == 0 ? 0 : -2;
            assert_int_equal(sn_body_set_desc(t.hosts[i], &desc), SN_OK);
            assert_int_equal(sn_body_set_desc(t.guests[i], &desc), SN_OK);
        }
        run(&t, rates[r], 1, (int)rates[r]);
        double size = 0;
        assert_true(twins_difference(&t, 0, &size) < 5e-5 * size && size > 1e-2);
        expect_same(&t, "morph targets", 5e-5);
        twins_finish(&t);
    }
}

/* With another level of detail, a teleport and a reset on the way. */
static void test_with_the_rest(void **state)
{
    const sn_mat3x4 move = {{{0, 0, 1, 3}, {0, 1, 0, -2}, {-1, 0, 0, 5}}};
    twins t = make_crowd(*state, 4);
    run(&t, 60, 1, 12);
    assert_int_equal(sn_body_set_detail(t.hosts[0], 3, 1), SN_OK);
    assert_int_equal(sn_body_set_detail(t.guests[0], 3, 1), SN_OK);
    sn_body_teleport(t.hosts[0], &move);
    sn_body_teleport(t.guests[0], &move);
    set_morphs(&t, 2, 3);
    sn_body_reset(t.hosts[2]);
    sn_body_reset(t.guests[2]);
    twins_step(&t, 0, true);
    expect_same(&t, "moved, changed and reset", 5e-5);
    run(&t, 60, 12, 25);
    expect_same(&t, "and some calls later", 5e-5);
    twins_finish(&t);
}

/* ---- what pushes flesh meets the surface as the targets have it ---- */

static void place_collider(const twins *t, const sn_collider_desc *desc)
{
    sn_collider_id id;
    assert_int_equal(sn_collider_create(t->host, desc, &id), SN_OK);
    assert_int_equal(sn_collider_create(t->guest, desc, &id), SN_OK);
}

/* A ceiling that the targets push the skin into, and a sphere below. */
static void place_colliders(const twins *t)
{
    sn_collider_desc ceiling = sn_default_collider_desc(), ball = sn_default_collider_desc();
    ceiling.transform = (sn_mat3x4){{{1, 0, 0, 0}, {0, -1, 0, 0.3F}, {0, 0, -1, 0}}};
    place_collider(t, &ceiling);
    ball.shape = SN_COLLIDER_SPHERE;
    ball.radius = 0.3F;
    ball.transform.m[0][3] = 0.5F;
    ball.transform.m[1][3] = -0.35F;
    place_collider(t, &ball);
}

static void set_wind(const twins *t, double strength)
{
    for (int i = 0; i < t->count; ++i) {
        sn_body_desc desc = twin_desc(sn_body_model(t->hosts[i]));
        desc.wind[0] = desc.wind[2] = strength;
        desc.wind[1] = 0.5 * strength;
        assert_int_equal(sn_body_set_desc(t->hosts[i], &desc), SN_OK);
        assert_int_equal(sn_body_set_desc(t->guests[i], &desc), SN_OK);
    }
}

static void hit(const twins *t, int index, double x, double y, double z)
{
    const double point[3] = {index + x, y, z}, impulse[3] = {0.02, 0.05, -0.03};
    sn_body_apply_impulse(t->hosts[index], point, impulse);
    sn_body_apply_impulse(t->guests[index], point, impulse);
}

/* The same grab of both. */
static int grab(const twins *t, int index, double x, double y, double z)
{
    const sn_grab_desc desc = sn_default_grab_desc();
    const double point[3] = {index + x, y, z};
    const int held = sn_body_grab(t->hosts[index], point, &desc);
    assert_true(held >= 0 && sn_body_grab(t->guests[index], point, &desc) == held);
    return held;
}

static void drag(const twins *t, int index, int held, double x, double y, double z)
{
    const double target[3] = {index + x, y, z};
    sn_body_drag(t->hosts[index], held, target);
    sn_body_drag(t->guests[index], held, target);
}

/* What the device's bodies draw in the end goes to matrices, so that runs can be compared. */
typedef struct drawn {
    float matrices[4][12 * TWIN_MATRICES];
} drawn;

static void finish(twins *t, drawn *result)
{
    memset(result, 0, sizeof *result);
    for (int i = 0; i < t->count; ++i) {
        twins_read(t, i, result->matrices[i]);
    }
    twins_finish(t);
}

static void touch(sn_gpu_device *device, drawn *result)
{
    twins t = make_crowd(device, 4);
    place_colliders(&t);
    run(&t, 60, 1, 18);
    expect_same(&t, "targets between colliders", 1e-4);
    finish(&t, result);
}

static void blow(sn_gpu_device *device, drawn *result)
{
    twins t = make_crowd(device, 3);
    set_wind(&t, 4);
    run(&t, 60, 1, 14);
    expect_same(&t, "targets in the wind", 5e-5);
    finish(&t, result);
}

/* Nearest samples are those of the surface as the last step left it; springs pull it where the targets have it. */
static void push(sn_gpu_device *device, drawn *result)
{
    twins t = make_crowd(device, 4);
    run(&t, 60, 1, 5);
    for (int i = 0; i < 4; ++i) {
        hit(&t, i, 0.4, 0.35, 0.1);
        hit(&t, i, 0.1 * i, -0.2, 0);
    }
    const int first = grab(&t, 0, 0.6, 0.3, 0.1), other = grab(&t, 1, 0.3, 0.4, 0.2);
    run(&t, 60, 5, 9);
    drag(&t, 0, first, 0.6, 0.6, 0.2);
    drag(&t, 1, other, 0.3, -0.2, 0.4);
    run(&t, 60, 9, 15);
    expect_same(&t, "targets, hit and held", 1e-4);
    finish(&t, result);
}

/* Twice: the same bits. */
static void expect_twice(void (*scenario)(sn_gpu_device *device, drawn *result), sn_gpu_device *device)
{
    static drawn first, second;
    scenario(device, &first);
    scenario(device, &second);
    assert_memory_equal(&first, &second, sizeof first);
}

static void test_contact(void **state)
{
    expect_twice(touch, *state);
}

static void test_wind(void **state)
{
    expect_twice(blow, *state);
}

static void test_pushes(void **state)
{
    expect_twice(push, *state);
}

/* Weights that are not finite put the body back, once; the solver is asked directly, for worlds refuse them. */
static void test_bad_weights(void **state)
{
    const float bad[SN_TEST_MORPHS] = {0, NAN, 0}, good[SN_TEST_MORPHS] = {1, 1, 1};
    const sn_gpu_reduced_desc desc = sn_default_gpu_reduced_desc();
    const sn_solver_desc solver = {.time_step = 1.0 / 60, .stiffness = 1, .iteration_limit = 30};
    sn_gpu_device *device = *state;
    sn_gpu_reduced *reduced = NULL;
    sn_gpu_reduced_reading reading = {0};
    int model = -1, body = -1;
    assert_int_equal(sn_gpu_reduced_create(device, &desc, &reduced), SN_OK);
    assert_int_equal(sn_gpu_reduced_add_model(reduced, &morphed[0], &model), SN_OK);
    assert_int_equal(sn_gpu_reduced_add_body(reduced, model, &solver, NULL, &body), SN_OK);
    for (int i = 0; i < 4; ++i) {
        sn_gpu_reduced_set_morphs(reduced, body, i == 1 ? bad : good);
        sn_gpu_reduced_set_pose(reduced, body, NULL);
        VkCommandBuffer commands = sn_test_gpu_begin(device);
        sn_gpu_reduced_record_step(reduced, commands, 1);
        sn_test_gpu_run(device, commands);
        assert_int_equal(sn_gpu_reduced_read(reduced, body, &reading), SN_OK);
        assert_int_equal(reading.recovery_count, i > 0);
    }
    sn_gpu_reduced_destroy(&reduced);
}

int test_gpu_morphs(void)
{
    const struct CMUnitTest tests[] = {SN_TEST_SHARED_GPU(test_agrees),  SN_TEST_SHARED_GPU(test_with_the_rest),
                                       SN_TEST_SHARED_GPU(test_contact), SN_TEST_SHARED_GPU(test_wind),
                                       SN_TEST_SHARED_GPU(test_pushes),  SN_TEST_SHARED_GPU(test_bad_weights)};
    return cmocka_run_group_tests(tests, cook, twin_release_models);
}
