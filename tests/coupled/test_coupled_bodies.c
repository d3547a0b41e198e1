/* SPDX-License-Identifier: MIT */
/* Bodies: the same bits for every instruction set and any number of workers, float near double, any order of vertices;
 * no allocation in a step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/coupled/lively_bodies.h"
#include "tests/support/count_allocations.h"

#define GOLDEN_HASH UINT64_C(0xa5385dc2ae454cac)
static double x[3 * LIMIT], y[3 * LIMIT];

static uint64_t hash_run(const sn_coupled_scene *scene, sn_xpbd_instructions instructions)
{
    sn_coupled_settings settings = lively();
    settings.xpbd.instructions = instructions;
    sn_coupled_body *body = lively_body(scene, &settings);
    uint64_t hash = SN_HASH_SEED;
    for (int frame = 0; frame < 40; ++frame) {
        drive(scene, body, frame);
        assert_false(sn_coupled_body_step(body, NULL).is_recovered);
        hash = sn_coupled_hash(hash, body);
    }
    sn_coupled_body_destroy(&body);
    return hash;
}

static void test_instruction_sets_agree(void **state)
{
    (void)state;
    uint64_t both = SN_HASH_SEED;
    for (int dimension = 2; dimension < 4; ++dimension) {
        sn_coupled_scene scene = sn_coupled_mixed(dimension);
        const uint64_t expected = hash_run(&scene, SN_XPBD_SCALAR);
        assert_true(hash_run(&scene, SN_XPBD_BASELINE) == expected);
        assert_true(hash_run(&scene, SN_XPBD_AVX2) == expected);
        assert_true(hash_run(&scene, SN_XPBD_AVX512) == expected);
        both = sn_hash(both, &expected, sizeof expected);
        sn_coupled_scene_finish(&scene);
    }
    print_message("hash 0x%016llx\n", (unsigned long long)both);
    assert_true(both == GOLDEN_HASH);
}

/* Locks, targets and compliances change all the while; nothing is allocated after the first step. */
static void test_threads_agree(void **state)
{
    (void)state;
    enum { BODIES = 7 };
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    sn_coupled_scene scenes[2] = {sn_coupled_mixed(2), sn_coupled_mixed(3)};
    const sn_coupled_settings settings = lively();
    uint64_t expected = 0;
    for (int workers = 0; workers <= 8; workers = workers < 2 ? workers + 1 : 2 * workers) {
        sn_jobs *jobs = NULL;
        sn_coupled_body *bodies[BODIES];
        sn_coupled_report reports[BODIES];
        uint64_t hash = SN_HASH_SEED;
        if (workers > 0) {
            assert_int_equal(sn_jobs_create(workers, &jobs), SN_OK);
        }
        for (int i = 0; i < BODIES; ++i) {
            bodies[i] = lively_body(&scenes[i % 2], &settings);
        }
        sn_coupled_bodies_step(jobs, bodies, BODIES, NULL, reports);
        const size_t before = sn_allocated_bytes();
        allocation_count = 0;
        for (int frame = 0; frame < 25; ++frame) {
            for (int i = 0; i < BODIES; ++i) {
                drive(&scenes[i % 2], bodies[i], frame + i);
                sn_coupled_body_set_locks(bodies[i], 4, frame % 5 == 0 ? SN_LOCK_ROTATION : 0);
                sn_coupled_body_set_compliance(bodies[i], 0, 1e-6 * frame);
            }
            sn_coupled_bodies_step(jobs, bodies, BODIES, NULL, reports);
        }
        assert_int_equal(sn_allocated_bytes(), before);
        assert_int_equal(allocation_count, 0);
        for (int i = 0; i < BODIES; ++i) {
            assert_false(reports[i].is_recovered || reports[i].is_asleep);
            hash = sn_coupled_hash(hash, bodies[i]);
            sn_coupled_body_destroy(&bodies[i]);
        }
        expected = workers == 0 ? hash : expected;
        assert_true(hash == expected);
        sn_jobs_destroy(&jobs);
    }
    sn_coupled_scene_finish(&scenes[0]);
    sn_coupled_scene_finish(&scenes[1]);
    assert_int_equal(sn_allocated_bytes(), 0);
    sn_set_allocator(NULL, NULL, NULL);
}

static void test_float_is_near_double(void **state)
{
    (void)state;
    for (int dimension = 2; dimension < 4; ++dimension) {
        sn_coupled_scene scene = sn_coupled_mixed(dimension);
        double transforms[2][12 * 6];
        for (int is_double = 0; is_double < 2; ++is_double) {
            sn_coupled_settings settings = lively();
            settings.xpbd.is_double = is_double;
            sn_coupled_body *body = lively_body(&scene, &settings);
            run(&scene, body, 0, 60);
            sn_xpbd_body_positions(body->flesh, is_double ? x : y);
            sn_coupled_body_transforms(body, transforms[is_double]);
            sn_coupled_body_destroy(&body);
        }
        const double places = apart(x, y, 3 * scene.shape.desc.vertex_count);
        const double handles = apart(transforms[0], transforms[1], 72);
        print_message("%dD: float and double apart by %.1e, handles by %.1e\n", dimension, places, handles);
        assert_true(places < 5e-3 && handles < 5e-2); /* one at the tip of a thin bar turns freely about it */
        sn_coupled_scene_finish(&scene);
    }
}

/* Vertices, elements and handles in another order. */
static void test_order_does_not_matter(void **state)
{
    (void)state;
    for (int dimension = 2; dimension < 4; ++dimension) {
        sn_coupled_scene scene = sn_coupled_mixed(dimension), other = sn_coupled_mixed(dimension);
        const int count = scene.shape.desc.vertex_count, corners = scene.shape.desc.element_corners;
        const int elements = scene.shape.desc.element_count, handles = scene.handle_count;
        for (int v = 0; v < count; ++v) {
            memcpy(other.shape.positions + 3 * (count - 1 - v), scene.shape.positions + 3 * v, 3 * sizeof(double));
            for (int k = 0; k < handles; ++k) {
                other.weights[(count - 1 - v) * handles + handles - 1 - k] = scene.weights[v * handles + k];
            }
        }
        for (int i = 0; i < elements * corners; ++i) {
            other.shape.elements[i] = count - 1 - scene.shape.elements[i];
        }
        for (int k = 0; k < handles; ++k) {
            other.handles[handles - 1 - k] = scene.handles[k];
            other.handles[handles - 1 - k].parent =
                scene.handles[k].parent < 0 ? -1 : handles - 1 - scene.handles[k].parent;
        }
        sn_coupled_rig_destroy(&other.rig);
        sn_xpbd_model_destroy(&other.model);
        other.model = sn_xpbd_shape_model(&other.shape);
        sn_coupled_scene_rig(&other);
        sn_coupled_settings settings = lively();
        settings.xpbd.is_double = true;
        sn_coupled_body *one = sn_coupled_test_body(&scene, &settings), *two = sn_coupled_test_body(&other, &settings);
        sn_coupled_body_set_locks(one, 0, SN_LOCK_ALL);
        sn_coupled_body_set_locks(two, handles - 1, SN_LOCK_ALL);
        run(&scene, one, 0, 40);
        run(&other, two, 0, 40);
        sn_xpbd_body_positions(one->flesh, x);
        sn_xpbd_body_positions(two->flesh, y);
        double largest = 0;
        for (int v = 0; v < count; ++v) {
            largest = fmax(largest, apart(x + 3 * v, y + 3 * (count - 1 - v), 3));
        }
        print_message("%dD: other order apart by %.1e\n", dimension, largest);
        assert_true(largest < 1e-3); /* the sweep has another order, too */
        sn_coupled_body_destroy(&one);
        sn_coupled_body_destroy(&two);
        sn_coupled_scene_finish(&scene);
        sn_coupled_scene_finish(&other);
    }
}

int test_coupled_bodies(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instruction_sets_agree),
        cmocka_unit_test(test_threads_agree),
        cmocka_unit_test(test_float_is_near_double),
        cmocka_unit_test(test_order_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
