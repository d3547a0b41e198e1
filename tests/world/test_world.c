/* SPDX-License-Identifier: MIT */
/* Worlds: ids, models, refusals, parameters, threads, golden bits. The model is a committed one: a bar of three bones
 * (SN_GOLDEN_UPDATE=1 cooks it anew). */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "host/base/hash.h"
#include "host/base/jobs.h"
#include "host/world/store.h"
#include "tests/support/count_allocations.h"
#include "tests/support/flesh.h"
#include "tests/world/posed_bar.h"

/* Of gcc and clang, -O0 to -O3, any instruction set, any number of workers. */
#define GOLDEN_HASH UINT64_C(0x795f6092e64d9f8b)

/* Weights that go over from bone to bone along the bar. */
static void write_model(void)
{
    sn_cook_context cooking = {.path = NULL};
    cooking.mesh = sn_test_bar(&cooking.arena, 8, 2, 2, 0.125);
    sn_test_rig(&cooking, BONES, 1);
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = 4;
    desc.cluster_count = 10;
    assert_int_equal(sn_cook_context_run(&cooking, "bar", &desc), SN_OK);
    assert_int_equal(sn_file_write(MODEL_PATH, cooking.bytes, cooking.size), SN_OK);
    sn_cook_context_finish(&cooking);
}

static int load_or_cook(void **state)
{
    if (getenv("SN_GOLDEN_UPDATE")) {
        write_model();
    }
    return load(state);
}

static void test_ids(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id none = {0, 0, 0};
    assert_false(sn_body_is_valid(none));
    const sn_body_id a = make_body(world, 1), b = make_body(world, 1);
    assert_true(sn_body_is_valid(a) && sn_body_is_valid(b) && sn_body_model(a) == model);
    sn_body_destroy(a);
    assert_false(sn_body_is_valid(a));
    const sn_body_id c = make_body(world, 1); /* in the place of a, with another generation */
    assert_int_equal(c.index1, a.index1);
    assert_false(sn_body_is_valid(a));
    assert_true(sn_body_is_valid(b) && sn_body_is_valid(c));
    sn_world_destroy(world);
    assert_false(sn_body_is_valid(b));
    const sn_world_id next = make_world(1);
    assert_false(sn_body_is_valid(b));                               /* in a new world at the old one's place */
    const sn_body_id d = make_body(next, 1), e = make_body(next, 1); /* at the places of c and b */
    assert_true(d.index1 == c.index1 && e.index1 == b.index1 && d.world0 == c.world0);
    assert_true(sn_body_is_valid(d) && sn_body_is_valid(e));
    assert_false(sn_body_is_valid(b) || sn_body_is_valid(c) || sn_body_is_valid(a));
    sn_world_destroy(next);
    sn_world_destroy((sn_world_id){0, 0});
    sn_body_destroy(none);
}

/* A 16-bit counter would be round after 65,536 of them. */
static void test_ids_do_not_come_back(void **state)
{
    (void)state;
    enum { COUNT = 70000 };
    const sn_collider_desc desc = sn_default_collider_desc();
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 1), kept = make_body(world, 1);
    sn_collider_id collider;
    assert_int_equal(sn_collider_create(world, &desc, &collider), SN_OK);
    sn_collider_destroy(collider);
    sn_body_destroy(body);
    const size_t bytes = sn_allocated_bytes();
    for (int i = 0; i < COUNT; ++i) {
        sn_collider_id other;
        assert_int_equal(sn_collider_create(world, &desc, &other), SN_OK);
        assert_false(sn_collider_is_valid(collider));
        sn_collider_destroy(other);
    }
    for (int i = 0; i < COUNT; ++i) {
        const sn_body_id other = make_body(world, 1);
        assert_false(sn_body_is_valid(body));
        sn_body_destroy(other);
    }
    assert_int_equal(sn_allocated_bytes(), bytes);
    assert_true(sn_body_is_valid(kept));
    for (int i = 0; i < COUNT; ++i) {
        sn_world_destroy(make_world(1));
    }
    assert_int_equal(sn_allocated_bytes(), bytes);
    sn_world_destroy(world);
    for (int i = 0; i < COUNT; ++i) {
        const sn_world_id next = make_world(1);
        assert_true(next.index1 != world.index1 || next.generation != world.generation);
        assert_false(sn_body_is_valid(kept) || sn_collider_is_valid(collider));
        sn_world_destroy(next);
    }
}

static void test_worn_slots_are_retired(void **state)
{
    (void)state;
    const sn_collider_desc desc = sn_default_collider_desc();
    const sn_world_id world = make_world(1);
    const sn_body_id first = make_body(world, 1);
    sn_collider_id colliders[3];
    sn_world *w = sn_world_try_get(world);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(sn_collider_create(world, &desc, &colliders[i]), SN_OK);
        sn_collider_destroy(colliders[i]);
        w->colliders[0].generation = i == 0 ? SN_LAST_GENERATION - 1 : w->colliders[0].generation;
    }
    assert_true(colliders[1].index1 == 1 && colliders[1].generation == SN_LAST_GENERATION);
    assert_true(colliders[2].index1 == 2 && colliders[2].generation == colliders[0].generation);
    sn_body_destroy(first);
    w->slots[0]->generation = SN_LAST_GENERATION - 1;
    const sn_body_id last = make_body(world, 1);
    sn_body_destroy(last);
    const sn_body_id next = make_body(world, 1);
    assert_true(last.index1 == 1 && last.generation == SN_LAST_GENERATION && next.index1 == 2);
    assert_false(sn_body_is_valid(first) || sn_body_is_valid(last));
    sn_world_destroy(world);
    const sn_world_id other = make_world(1); /* not at the place of the first */
    const sn_body_id body = make_body(other, 1);
    assert_true(other.index1 != world.index1);
    assert_false(sn_body_is_valid(first) || sn_body_is_valid(last) || sn_body_is_valid(next));
    sn_body_destroy(body);
    sn_world_destroy(other);
}

static void test_model_from_a_path(void **state)
{
    (void)state;
    sn_model *opened = NULL;
    assert_int_equal(sn_model_open(MODEL_PATH, &opened), SN_OK);
    assert_int_equal(sn_model_bone_count(opened), BONES);
    sn_model_release(opened);
    assert_int_equal(sn_model_open(SN_SOURCE_DIR "/absent.sinew", &opened), SN_ERROR_FILE);
    assert_null(opened);
    assert_int_equal(sn_model_open(SN_SOURCE_DIR "/README.md", &opened), SN_ERROR_FORMAT);
    assert_int_equal(sn_model_open(SN_SOURCE_DIR, &opened), SN_ERROR_FORMAT);
    sn_model_release(NULL);
}

/* Whoever writes the file while it is open cannot harm the model. */
static void test_file_is_truncated_while_open(void **state)
{
    (void)state;
    char path[] = "/tmp/sn-open-XXXXXX";
    static uint8_t bytes[1 << 20];
    sn_model *opened = NULL;
    const int file = mkstemp(path), from = open(MODEL_PATH, O_RDONLY | O_CLOEXEC);
    const ssize_t size = read(from, bytes, sizeof bytes);
    assert_true(file >= 0 && size > 4096 && size < (ssize_t)sizeof bytes);
    assert_int_equal(write(file, bytes, (size_t)size), size);
    assert_int_equal(sn_model_open(path, &opened), SN_OK);
    assert_int_equal(ftruncate(file, 0), 0);
    const sn_world_id world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    sn_mat3x4 bones[BONES];
    desc.model = opened;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    for (int frame = 0; frame < 10; ++frame) {
        pose_at(frame / 60.0, bones);
        sn_body_set_pose(body, bones, BONES);
        assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 0);
    }
    assert_true(size_of_modes(body) > 1e-4);
    sn_world_destroy(world);
    sn_model_release(opened);
    close(file);
    close(from);
    unlink(path);
}

/* Refused before anything is allocated. */
static void test_huge_file_is_refused(void **state)
{
    (void)state;
    char path[] = "/tmp/sn-open-XXXXXX";
    sn_model *opened = NULL;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    if (ftruncate(file, INT64_C(5) << 30) != 0) { /* a hole */
        print_message("no files of 5 GiB here\n");
    } else {
        begin_log();
        assert_int_equal(sn_model_open(path, &opened), SN_ERROR_UNSUPPORTED);
        assert_one_error("larger than 4 GiB");
    }
    close(file);
    unlink(path);
}

static void test_refusals(void **state)
{
    (void)state;
    sn_world_desc bad = sn_default_world_desc();
    sn_world_id world;
    bad.time_step = 0;
    assert_int_equal(sn_world_create(&bad, &world), SN_ERROR_ARGUMENT);
    bad = sn_default_world_desc();
    bad.worker_count = 65;
    assert_int_equal(sn_world_create(&bad, &world), SN_ERROR_ARGUMENT);
    world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_ERROR_ARGUMENT); /* no model */
    desc.model = model;
    desc.damping = NAN;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_ERROR_ARGUMENT);
    assert_int_equal(body.index1, 0);
    sn_world_destroy(world);
}

static void test_parameters_change_in_flight(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 1), same = make_body(world, 1);
    sn_body_desc desc = sn_default_body_desc();
    desc.model = model;
    desc.stiffness = 1e4;
    desc.damping = 5;
    for (int i = 0; i < 60; ++i) {
        if (i == 20) {
            assert_int_equal(sn_body_set_desc(body, &desc), SN_OK);
        }
        sn_world_step(world, 1.0 / 60);
    }
    assert_true(size_of_modes(body) < 0.1 * size_of_modes(same)); /* stiff, and without gravity */
    desc.amount = 0;
    assert_int_equal(sn_body_set_desc(same, &desc), SN_OK);
    sn_world_step(world, 1.0 / 60);
    assert_true(size_of_modes(same) == 0);
    desc.tolerance = 2;
    assert_int_equal(sn_body_set_desc(same, &desc), SN_ERROR_ARGUMENT);
    sn_world_destroy(world);
}

static uint64_t run_crowd(const sn_world_desc *desc, int body_count)
{
    sn_world_id world;
    sn_body_id bodies[16];
    uint64_t hash = SN_HASH_SEED;
    assert_int_equal(sn_world_create(desc, &world), SN_OK);
    for (int i = 0; i < body_count; ++i) {
        bodies[i] = make_body(world, 0.2 + 0.3 * (i % 4));
    }
    size_t allocated = 0;
    for (int frame = 0; frame < 90; ++frame) {
        for (int i = 0; i < body_count; ++i) {
            sn_mat3x4 bones[BONES];
            pose_at(frame / 72.0 + 0.1 * i, bones);
            sn_body_set_pose(bodies[i], bones, BONES);
        }
        sn_world_step(world, 1.0 / 72);
        allocated = frame == 5 ? sn_peak_allocated_bytes() : allocated;
    }
    assert_int_equal(sn_peak_allocated_bytes(), allocated);
    for (int i = 0; i < body_count; ++i) {
        const sn_body_matrices out = sn_body_output(bodies[i]);
        hash = sn_hash(hash, out.matrices, (size_t)(out.bone_count + out.mode_count) / 2 * 2 * sizeof(sn_mat3x4));
    }
    sn_world_destroy(world);
    return hash;
}

static void test_golden_bits_for_any_number_of_workers(void **state)
{
    (void)state;
    sn_world_desc desc = sn_default_world_desc();
    for (int workers = 1; workers <= 4; ++workers) {
        desc.worker_count = workers;
        const uint64_t hash = run_crowd(&desc, 11);
        print_message("%d workers: %016llx\n", workers, (unsigned long long)hash);
        assert_true(hash == GOLDEN_HASH);
    }
}

static int own_calls;

/* Backwards and one at a time: another order than the world's own. */
static void run_backwards(int count, int grain, sn_task_function *task, void *task_user, void *user)
{
    assert_ptr_equal(user, &own_calls);
    ++own_calls;
    for (int first = (count - 1) / grain * grain; first >= 0; first -= grain) {
        task(first, first + grain < count ? first + grain : count, 0, task_user);
    }
}

static void test_own_task_system(void **state)
{
    (void)state;
    sn_world_desc desc = sn_default_world_desc();
    desc.run_tasks = run_backwards;
    desc.run_tasks_user = &own_calls;
    assert_true(run_crowd(&desc, 11) == GOLDEN_HASH);
    assert_int_equal(own_calls, 90);
}

static void test_step_allocates_nothing(void **state)
{
    (void)state;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    const sn_world_id world = make_world(3);
    sn_body_id bodies[5];
    for (int i = 0; i < 5; ++i) {
        bodies[i] = make_body(world, 1);
    }
    sn_world_step(world, 1.0 / 60);
    const int before = allocation_count;
    for (int frame = 0; frame < 200; ++frame) {
        sn_mat3x4 bones[BONES];
        pose_at(frame / 90.0, bones);
        sn_body_set_pose(bodies[frame % 5], bones, BONES);
        sn_world_step(world, 1.0 / 90);
    }
    assert_int_equal(allocation_count, before);
    sn_world_destroy(world);
    sn_set_allocator(NULL, NULL, NULL);
}

int test_world(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_ids_do_not_come_back),
        cmocka_unit_test(test_worn_slots_are_retired),
        cmocka_unit_test(test_model_from_a_path),
        cmocka_unit_test(test_file_is_truncated_while_open),
        cmocka_unit_test(test_huge_file_is_refused),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_parameters_change_in_flight),
        cmocka_unit_test(test_golden_bits_for_any_number_of_workers),
        cmocka_unit_test(test_own_task_system),
        cmocka_unit_test(test_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, load_or_cook, unload);
}
