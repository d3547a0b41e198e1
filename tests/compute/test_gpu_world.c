/* SPDX-License-Identifier: MIT */
/* Worlds whose bodies step on the device: against worlds on threads, by the same calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/count_allocations.h"
#include "tests/support/gpu_world.h"

/* Of the flesh's own size. Entries of matrices, not positions: modes may pull against each other. */
#define TOLERANCE 5e-5

static void expect_same(const twins *t, const char *what)
{
    twins_expect_same(t, what, TOLERANCE);
}

static void run(twins *t, double rate, int first, int last)
{
    for (int frame = first; frame < last; ++frame) {
        twins_pose_all(t, frame / rate);
        twins_step(t, 1 / rate, frame % 3 != 0);
    }
}

/* One world of each size goes through all rates, and begins each at rest. */
static void test_agrees_at_any_rate(void **state)
{
    static const int counts[] = {1, 7, 41};
    static const double rates[] = {30, 60, 144};
    for (int c = 0; c < 3; ++c) {
        twins t = twins_make_crowd(*state, counts[c]);
        for (int r = 0; r < 3; ++r) {
            char what[64];
            twins_pose_all(&t, 0);
            twins_reset_all(&t);
            run(&t, rates[r], 1, (int)(rates[r] / (c < 2 ? 2 : 8)));
            snprintf(what, sizeof what, "%d bodies, %g Hz", counts[c], rates[r]);
            expect_same(&t, what);
        }
        twins_finish(&t);
    }
}

/* More steps than a call may take: what is left is spread over the way, and the rest of the time is dropped. */
static void test_slow_calls_are_cut(void **state)
{
    twins t = twins_make_crowd(*state, 1);
    for (int frame = 1; frame < 8; ++frame) {
        twins_pose_all(&t, 0.1 * frame);
        twins_step(&t, 0.1, frame % 2 == 0);
    }
    expect_same(&t, "six steps due, four taken");
    twins_finish(&t);
}

static void test_teleport_and_reset(void **state)
{
    const sn_mat3x4 move = {{{0, 0, 1, 30}, {0, 1, 0, -7}, {-1, 0, 0, 5}}};
    twins t = twins_make_crowd(*state, 4);
    run(&t, 144, 1, 40);
    sn_body_teleport(t.hosts[1], &move);
    sn_body_teleport(t.guests[1], &move);
    twins_step(&t, 0, true); /* nothing but what is drawn */
    expect_same(&t, "after a teleport");
    for (int frame = 40; frame < 60; ++frame) { /* the others go on, this one rests where it is */
        twins_pose(&t, 0, frame / 144.0);
        twins_step(&t, 1 / 144.0, frame % 2 == 0);
    }
    expect_same(&t, "and some calls later");
    sn_body_reset(t.hosts[2]);
    sn_body_reset(t.guests[2]);
    twins_step(&t, 0, true);
    float matrices[12 * TWIN_MATRICES];
    twins_read(&t, 2, matrices);
    const sn_body_gpu_matrices at = sn_body_gpu_output(t.guests[2]);
    for (int i = 0; i < 12 * at.mode_count; ++i) {
        assert_true(matrices[12 * at.bone_count + i] == 0);
    }
    twins_pose(&t, 1, 1); /* back from afar */
    sn_body_reset(t.hosts[1]);
    sn_body_reset(t.guests[1]);
    run(&t, 60, 60, 70);
    expect_same(&t, "after a reset");
    twins_finish(&t);
}

static void test_parameters_change(void **state)
{
    twins t = twins_make_crowd(*state, 2);
    run(&t, 60, 1, 20);
    sn_body_desc desc = twin_desc(twin_models[0]);
    desc.stiffness = 5;
    desc.damping = 3;
    desc.gravity[0] = 1;
    desc.amount = 0.5;
    assert_int_equal(sn_body_set_desc(t.hosts[0], &desc), SN_OK);
    assert_int_equal(sn_body_set_desc(t.guests[0], &desc), SN_OK);
    run(&t, 60, 20, 40);
    expect_same(&t, "after other parameters");
    desc.stiffness = -1;
    assert_int_equal(sn_body_set_desc(t.guests[0], &desc), SN_ERROR_ARGUMENT);
    run(&t, 60, 40, 45);
    expect_same(&t, "and refused ones");
    twins_finish(&t);
}

static void test_places_are_used_again(void **state)
{
    twins t = twins_make_crowd(*state, 7);
    run(&t, 60, 1, 15);
    const VkDeviceSize place = sn_body_gpu_output(t.guests[3]).offset;
    const uint64_t version = sn_body_gpu_output(t.guests[3]).version;
    const sn_body_desc desc = twin_desc(twin_models[0]);
    twins_remove(&t, 3);
    twins_remove(&t, 5);
    assert_false(sn_body_is_valid(t.guests[3]));
    twins_put(&t, 3, &desc); /* at rest, where one has moved */
    assert_true(sn_body_gpu_output(t.guests[3]).offset == place && sn_body_gpu_output(t.guests[3]).version == version);
    const sn_body_desc other = twin_desc(twin_models[1]); /* no place of this model is free */
    twins_put(&t, 5, &other);
    twins_pose(&t, 3, 15 / 60.0);
    sn_body_reset(t.hosts[3]);
    sn_body_reset(t.guests[3]);
    run(&t, 60, 15, 35);
    expect_same(&t, "after others took the places");
    twins_finish(&t);
}

static sn_mat3x4 moved_by(double x, double y)
{
    return (sn_mat3x4){{{1, 0, 0, (float)x}, {0, 1, 0, (float)y}, {0, 0, 1, 0}}};
}

static sn_collider_desc sphere_at(double x, double y)
{
    sn_collider_desc desc = sn_default_collider_desc();
    desc.shape = SN_COLLIDER_SPHERE;
    desc.radius = 0.2;
    desc.transform = moved_by(x, y);
    return desc;
}

/* For both worlds; the host's, then the guest's. */
static void add_collider(const twins *t, const sn_collider_desc *desc, sn_collider_id ids[2])
{
    assert_int_equal(sn_collider_create(t->host, desc, &ids[0]), SN_OK);
    assert_int_equal(sn_collider_create(t->guest, desc, &ids[1]), SN_OK);
}

static void pass_sphere(twins *t, double rate, const sn_collider_id spheres[2])
{
    const int frames = (int)(rate / 4);
    for (int frame = 1; frame < frames; ++frame) {
        const sn_mat3x4 place = moved_by(1.4, 0.8 - 0.6 * frame / frames);
        sn_collider_set_transform(spheres[0], &place);
        sn_collider_set_transform(spheres[1], &place);
        if (frame % 8 == 0) {
            const sn_collider_desc more = sphere_at(0.3 * frame, 0.5);
            sn_collider_id ids[2];
            add_collider(t, &more, ids);
        }
        twins_pose_all(t, frame / rate);
        twins_step(t, 1 / rate, frame % 3 != 0);
    }
}

/* A floor, and a sphere that moves through the flesh, at calls of several steps and of none; more spheres in the middle
 * of it. */
static void test_colliders(void **state)
{
    static const double rates[] = {30, 144};
    twins t = twins_make_crowd(*state, 3);
    sn_collider_desc floor = sn_default_collider_desc();
    const sn_collider_desc sphere = sphere_at(1, 0.8);
    sn_collider_id floors[2], spheres[2];
    floor.transform = moved_by(0, -0.06);
    add_collider(&t, &floor, floors);
    add_collider(&t, &sphere, spheres);
    for (int r = 0; r < 2; ++r) {
        pass_sphere(&t, rates[r], spheres);
        twins_expect_same(&t, "colliders", 1e-4);
    }
    for (int i = 0; i < 2; ++i) {
        sn_collider_destroy(spheres[i]);
    }
    run(&t, 60, 20, 25);
    twins_expect_same(&t, "and one less", 1e-4);
    twins_finish(&t);
}

/* What colliders push is another than what they do not. */
static void test_colliders_are_felt(void **state)
{
    float with[12 * TWIN_MATRICES], without[12 * TWIN_MATRICES];
    twins t = twins_make_crowd(*state, 1);
    run(&t, 60, 1, 16);
    twins_read(&t, 0, without);
    twins_finish(&t);
    t = twins_make_crowd(*state, 1);
    const sn_collider_desc desc = sphere_at(0.2, 0.2);
    sn_collider_id id;
    assert_int_equal(sn_collider_create(t.guest, &desc, &id), SN_OK);
    run(&t, 60, 1, 16);
    twins_read(&t, 0, with);
    assert_memory_not_equal(with, without, sizeof(sn_mat3x4) * 8);
    double most = 0;
    for (int i = 36; i < 12 * 8; ++i) {
        most = fmax(most, fabs((double)with[i] - (double)without[i]));
    }
    assert_true(most > 1e-2);
    twins_finish(&t);
}

static void test_wind_and_impulses(void **state)
{
    const double impulse[3] = {0.01, 0.03, -0.02};
    twins t = twins_make_crowd(*state, 5);
    sn_body_desc desc = twin_desc(twin_models[1]);
    desc.wind[0] = 3;
    desc.wind[2] = -2;
    assert_int_equal(sn_body_set_desc(t.hosts[1], &desc), SN_OK);
    assert_int_equal(sn_body_set_desc(t.guests[1], &desc), SN_OK);
    for (int frame = 1; frame < 60; ++frame) {
        if (frame % 15 == 0) { /* between steps, some at once, and more than ever before */
            for (int i = 0; i < frame / 15; ++i) {
                const double point[3] = {2 + 0.1 * i, 0.1, 0.1};
                sn_body_apply_impulse(t.hosts[2], point, impulse);
                sn_body_apply_impulse(t.guests[2], point, impulse);
            }
        }
        twins_pose_all(&t, frame / 90.0);
        twins_step(&t, 1 / 90.0, frame % 2 == 0);
    }
    twins_expect_same(&t, "wind and impulses", 5e-4);
    twins_finish(&t);
}

/* Buffers that grow keep what bodies are in the middle of, and say so. */
static void test_growing_keeps_the_state(void **state)
{
    twins t = twins_make_crowd(*state, 2);
    uint64_t version = sn_body_gpu_output(t.guests[0]).version;
    int change_count = 0;
    for (int count = 3; count <= TWIN_LIMIT; ++count) {
        twins_step(&t, 1.0 / 60, count % 2 == 0);
        twins_add(&t, twin_models[count % TWIN_MODELS]);
        const sn_body_gpu_matrices at = sn_body_gpu_output(t.guests[0]);
        assert_int_equal(at.offset, 0);
        change_count += at.version != version;
        version = at.version;
    }
    assert_true(change_count > 0 && change_count < 10);
    twins_step(&t, 1.0 / 60, true);
    expect_same(&t, "one body more each call");
    twins_finish(&t);
}

/* A model that is gone leaves its address to another. */
static void test_models_are_known_by_content(void **state)
{
    twins t = twins_make(*state, 1);
    for (int i = 0; i < 6; ++i) {
        const sn_cook_context *cooking = &twin_cookings[i % 2];
        sn_model *loaded = NULL;
        assert_int_equal(sn_model_load(cooking->bytes, cooking->size, &loaded), SN_OK);
        twins_add(&t, loaded);
        for (int frame = 0; frame < 12; ++frame) {
            twins_pose_all(&t, frame / 60.0);
            twins_step(&t, 1.0 / 60, true);
        }
        expect_same(&t, "a model loaded anew");
        twins_remove(&t, 0);
        t.count = 0;
        sn_model_release(loaded);
    }
    twins_finish(&t);
}

/* Steps that the world submits, one call after the other, and steps in the program's commands are the same to the bit,
 * alone or in a crowd. */
static void test_same_bits(void **state)
{
    float first[12 * TWIN_MATRICES], again[12 * TWIN_MATRICES];
    for (int pass = 0; pass < 3; ++pass) {
        twins t = twins_make_crowd(*state, pass == 2 ? 5 : 1);
        for (int frame = 1; frame < 30; ++frame) {
            twins_pose_all(&t, frame / 72.0);
            twins_step(&t, 1 / 72.0, pass == 1);
        }
        twins_read(&t, 0, pass == 0 ? first : again);
        const size_t size =
            48 * (size_t)(sn_body_gpu_output(t.guests[0]).bone_count + sn_body_gpu_output(t.guests[0]).mode_count);
        if (pass > 0) {
            assert_memory_equal(again, first, size);
        }
        twins_finish(&t);
    }
}

/* As a program draws: a frame is recorded while the one before is under way. */
static void test_frames_overlap(void **state)
{
    float serial[12 * TWIN_MATRICES], overlapping[12 * TWIN_MATRICES];
    uint64_t values[2] = {0, 0};
    for (int pass = 0; pass < 2; ++pass) {
        twins t = twins_make_crowd(*state, 2);
        for (int frame = 1; frame < 40; ++frame) {
            VkCommandBuffer commands = VK_NULL_HANDLE;
            twins_pose_all(&t, frame / 30.0);
            assert_int_equal(sn_gpu_wait(t.device, values[pass ? frame % 2 : 1 - frame % 2]), SN_OK);
            assert_int_equal(sn_gpu_begin(t.device, &commands), SN_OK);
            assert_int_equal(sn_gpu_record_step(t.guest, 1 / 30.0, commands).step_count, 2);
            assert_int_equal(sn_gpu_submit(t.device, commands, &values[frame % 2]), SN_OK);
        }
        twins_read(&t, 1, pass ? overlapping : serial);
        if (pass) {
            const sn_body_gpu_matrices at = sn_body_gpu_output(t.guests[1]);
            assert_memory_equal(overlapping, serial, at.stride * (VkDeviceSize)(at.bone_count + at.mode_count));
        }
        twins_finish(&t);
    }
}

static void test_recoveries(void **state)
{
    twins t = twins_make_crowd(*state, 3);
    sn_mat3x4 bones[SN_TEST_BONE_LIMIT] = {{{{NAN}}}};
    sn_test_logged.is_quiet = true;
    run(&t, 60, 1, 10);
    sn_body_set_pose(t.guests[0], bones, sn_model_bone_count(twin_models[0]));
    assert_int_equal(twins_record(&t, 1.0 / 60).recovery_count, 1); /* a refused pose, at once */
    assert_int_equal(twins_record(&t, 1.0 / 60).recovery_count, 0);
    const sn_mat3x4 beyond = {{{1e18F, 0, 0, 1e25F}, {0, -1e18F, 0, 0}, {0, 0, 1e18F, 1e30F}}};
    sn_body_set_rigid_pose(t.guests[1], &beyond);
    int told[6];
    for (int i = 0; i < 6; ++i) { /* an explosion, once its call is known to be done */
        if (i == 1) {
            twins_pose(&t, 1, 0);
            sn_body_reset(t.guests[1]);
        }
        told[i] = i % 2 ? twins_record(&t, 1.0 / 60).recovery_count : sn_world_step(t.guest, 1.0 / 60).recovery_count;
    }
    assert_true(told[0] == 0 && told[1] == 0 && told[2] == 1 && told[3] + told[4] + told[5] == 0);
    /* who takes the place of one that has just exploded is not blamed */
    sn_body_set_rigid_pose(t.guests[1], &beyond);
    sn_world_step(t.guest, 1.0 / 60);
    const sn_body_desc desc = twin_desc(twin_models[1]);
    twins_remove(&t, 1);
    twins_put(&t, 1, &desc);
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(sn_world_step(t.guest, 1.0 / 60).recovery_count, 0);
    }
    sn_test_logged.is_quiet = false;
    twins_finish(&t);
}

static void test_step_allocates_nothing(void **state)
{
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    twins t = twins_make_crowd(*state, 2);
    const sn_collider_desc desc = sphere_at(0.2, 0.2);
    sn_collider_id sphere;
    assert_int_equal(sn_collider_create(t.guest, &desc, &sphere), SN_OK);
    int before = 0;
    for (int frame = 0; frame < 24; ++frame) {
        const sn_mat3x4 place = moved_by(0.1 * frame, 0.2);
        sn_collider_set_transform(sphere, &place);
        run(&t, 90, frame, frame + 1);
        before = frame == 6 ? allocation_count : before;
    }
    assert_int_equal(allocation_count, before);
    twins_finish(&t);
    sn_set_allocator(NULL, NULL, NULL);
}

int test_gpu_world(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_agrees_at_any_rate),
        SN_TEST_SHARED_GPU(test_slow_calls_are_cut),
        SN_TEST_SHARED_GPU(test_teleport_and_reset),
        SN_TEST_SHARED_GPU(test_parameters_change),
        SN_TEST_SHARED_GPU(test_places_are_used_again),
        SN_TEST_SHARED_GPU(test_colliders),
        SN_TEST_SHARED_GPU(test_colliders_are_felt),
        SN_TEST_SHARED_GPU(test_wind_and_impulses),
        SN_TEST_SHARED_GPU(test_growing_keeps_the_state),
        SN_TEST_SHARED_GPU(test_models_are_known_by_content),
        SN_TEST_SHARED_GPU(test_same_bits),
        SN_TEST_SHARED_GPU(test_frames_overlap),
        SN_TEST_SHARED_GPU(test_recoveries),
        SN_TEST_SHARED_GPU(test_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, twin_cook_models, twin_release_models);
}
