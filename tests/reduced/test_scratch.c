/* SPDX-License-Identifier: MIT */
/* Bodies that share what their steps compute with: none leaves a trace in another's, in any order, on any threads. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/flesh.h"

#define ACTORS 6
#define FRAMES 40
#define MOST (3 * 4 * 8)

static sn_cook_context cookings[2];
static sn_model *models[2]; /* of different sizes in everything */

static int cook_models(void **state)
{
    (void)state;
    models[0] = sn_test_cook_bar(&cookings[0], (const int[]){12, 4, 3}, 2, 7);
    models[1] = sn_test_cook_bar(&cookings[1], (const int[]){7, 3, 2}, 1, 4);
    return 0;
}

static int release_models(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        sn_model_release(models[i]);
        sn_cook_context_finish(&cookings[i]);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
    return 0;
}

/* Bodies of either model, at every level of detail, in float and in double. */
static sn_flesh make_actor(int i, sn_reduced_scratch_pool *work)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.gravity[1] = -1;
    desc.mode_count = i / 2;
    desc.cluster_level = i % 3;
    desc.is_double = i == 4;
    desc.work = work;
    return sn_flesh_make(models[i % 2], &desc, NULL);
}

static void step_actor(sn_flesh *f, int i, int frame)
{
    const double angle = 0.5 * sin(0.3 * frame + i);
    double pose[12];
    sn_affine_identity(pose);
    pose[0] = pose[5] = cos(angle);
    pose[1] = -sin(angle);
    pose[4] = sin(angle);
    sn_flesh_set_pose(f, pose);
    const sn_surroundings surroundings = {.wind = {i % 2, 0, 0.5}};
    sn_reduced_body_step(f->body, f->pose, &surroundings);
}

/* Coordinates and energy at the end of a motion. */
typedef struct ending {
    double coordinates[MOST], energy;
} ending;

static ending end_of(const sn_flesh *f)
{
    ending e = {.energy = sn_flesh_energy(f)};
    const int count = 3 * sn_reduced_solver_coordinate_count(f->solver);
    assert_true(count <= MOST);
    memcpy(e.coordinates, sn_reduced_body_coordinates(f->body), (size_t)count * sizeof(double));
    return e;
}

static ending run_alone(int i)
{
    sn_flesh f = make_actor(i, NULL);
    for (int frame = 0; frame < FRAMES; ++frame) {
        step_actor(&f, i, frame);
    }
    const ending e = end_of(&f);
    sn_flesh_finish(&f);
    return e;
}

static void test_one_after_the_other(void **state)
{
    (void)state;
    sn_reduced_scratch_pool *work = NULL;
    sn_flesh actors[ACTORS];
    assert_int_equal(sn_reduced_scratch_pool_create(1, &work), SN_OK);
    for (int i = 0; i < ACTORS; ++i) {
        actors[i] = make_actor(i, work);
    }
    for (int frame = 0; frame < FRAMES; ++frame) {
        for (int i = 0; i < ACTORS; ++i) {
            step_actor(&actors[i], i, frame);
        }
        if (frame == FRAMES / 2) { /* a number that is not finite is its own body's affair */
            sn_flesh lost = make_actor(1, work);
            lost.body->coordinates[0] = NAN;
            step_actor(&lost, 1, 0);
            sn_flesh_finish(&lost);
        }
    }
    for (int i = 0; i < ACTORS; ++i) {
        const ending shared = end_of(&actors[i]), alone = run_alone(i);
        assert_memory_equal(&shared, &alone, sizeof shared);
        assert_true(alone.energy > 0);
    }
    for (int i = 0; i < ACTORS; ++i) {
        sn_flesh_finish(&actors[i]);
    }
    sn_reduced_scratch_pool_destroy(&work);
    sn_reduced_scratch_pool_destroy(&work); /* null is allowed */
}

typedef struct part {
    sn_flesh flesh;
    int index;
} part;

static void *play_part(void *user)
{
    part *p = user;
    for (int frame = 0; frame < FRAMES; ++frame) {
        step_actor(&p->flesh, p->index, frame);
    }
    return NULL;
}

/* More threads than there is scratch: they wait for each other. */
static void test_at_the_same_time(void **state)
{
    (void)state;
    for (int count = 1; count <= 3; ++count) {
        sn_reduced_scratch_pool *work = NULL;
        pthread_t threads[ACTORS];
        part parts[ACTORS];
        assert_int_equal(sn_reduced_scratch_pool_create(count, &work), SN_OK);
        for (int i = 0; i < ACTORS; ++i) {
            parts[i] = (part){make_actor(i, work), i};
        }
        for (int i = 0; i < ACTORS; ++i) {
            assert_int_equal(pthread_create(&threads[i], NULL, play_part, &parts[i]), 0);
        }
        for (int i = 0; i < ACTORS; ++i) {
            pthread_join(threads[i], NULL);
        }
        for (int i = 0; i < ACTORS; ++i) {
            const ending shared = end_of(&parts[i].flesh), alone = run_alone(i);
            assert_memory_equal(&shared, &alone, sizeof shared);
            sn_flesh_finish(&parts[i].flesh);
        }
        sn_reduced_scratch_pool_destroy(&work);
    }
}

static int allocations_left;

static void *failing_alloc(size_t bytes, size_t alignment, void *user)
{
    (void)user;
    return allocations_left-- > 0 ? aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment) : NULL;
}

static void plain_free(void *memory, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    free(memory);
}

/* Wherever memory runs out while a larger solver joins, what was there goes on. */
static void test_out_of_memory(void **state)
{
    (void)state;
    const ending expected = run_alone(1);
    sn_result result = SN_ERROR_MEMORY;
    for (int limit = 0; result != SN_OK; ++limit) {
        sn_reduced_scratch_pool *work = NULL;
        sn_reduced_solver *solver = NULL;
        assert_int_equal(sn_reduced_scratch_pool_create(2, &work), SN_OK);
        sn_flesh small = make_actor(1, work);
        sn_reduced_desc desc = sn_default_reduced_desc();
        desc.mode_count = 3;
        desc.cluster_level = 1;
        desc.work = work;
        allocations_left = limit;
        sn_set_allocator(failing_alloc, plain_free, NULL);
        result = sn_reduced_solver_create(models[0], &desc, &solver);
        sn_set_allocator(NULL, NULL, NULL);
        assert_true((result == SN_OK) == (solver != NULL) && limit < 1000);
        for (int frame = 0; frame < FRAMES; ++frame) {
            step_actor(&small, 1, frame);
        }
        const ending got = end_of(&small);
        assert_memory_equal(&got, &expected, sizeof got);
        sn_flesh_finish(&small);
        sn_reduced_solver_destroy(&solver);
        sn_reduced_scratch_pool_destroy(&work);
    }
}

int test_scratch(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_after_the_other),
        cmocka_unit_test(test_at_the_same_time),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, cook_models, release_models);
}
