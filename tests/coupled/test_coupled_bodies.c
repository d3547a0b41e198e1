/* SPDX-License-Identifier: MIT */
/* Bodies: the same bits for every instruction set and any number of workers, float near double, any order of vertices;
 * no allocation in a step; reset, teleport, sleep, recovery, other rigs, bad input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/math/affine.h"
#include "tests/coupled/coupled_test.h"
#include "tests/support/count_allocations.h"

#define GOLDEN_HASH UINT64_C(0xa5385dc2ae454cac)
#define LIMIT 4096
static double x[3 * LIMIT], y[3 * LIMIT];

static sn_coupled_settings lively(void)
{
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.gravity[1] = -2;
    settings.xpbd.damping = 2;
    return settings;
}

/* Handles of a mixed rig, driven about. */
static void drive(const sn_coupled_scene *scene, sn_coupled_body *body, int frame)
{
    for (int k = 0; k < scene->handle_count; ++k) {
        const double axis[3] = {0, 0, 0.4 * sin(0.15 * frame)}, move[3] = {0.1 * sin(0.1 * frame), 0.05, 0};
        double target[12];
        sn_coupled_aim(scene->handles[k].pivot, axis, move, target);
        sn_coupled_body_set_target(body, k, target);
    }
}

static sn_coupled_body *lively_body(const sn_coupled_scene *scene, const sn_coupled_settings *settings)
{
    sn_coupled_body *body = sn_coupled_test_body(scene, settings);
    sn_coupled_body_set_locks(body, 0, SN_LOCK_ALL);
    sn_coupled_body_set_locks(body, 1, SN_LOCK_ROTATION);
    sn_coupled_body_set_locks(body, 5, SN_LOCK_Y);
    sn_coupled_body_set_compliance(body, 1, 1e-5);
    return body;
}

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

static double apart(const double *a, const double *b, int count)
{
    double largest = 0;
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

static void run(const sn_coupled_scene *scene, sn_coupled_body *body, int first, int last)
{
    for (int frame = first; frame < last; ++frame) {
        drive(scene, body, frame);
        assert_false(sn_coupled_body_step(body, NULL).is_recovered);
    }
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

/* A teleported body goes on as it would have. */
static void test_teleport(void **state)
{
    (void)state;
    for (int dimension = 2; dimension < 4; ++dimension) {
        sn_coupled_scene scene = sn_coupled_mixed(dimension);
        scene.handles[2].kind = SN_HANDLE_RIGID; /* a translation alone cannot turn */
        sn_coupled_rig_destroy(&scene.rig);
        sn_coupled_scene_rig(&scene);
        const int count = scene.shape.desc.vertex_count;
        sn_coupled_settings settings = lively();
        settings.xpbd.is_double = true;
        settings.xpbd.gravity[1] = 0;
        sn_coupled_body *stays = lively_body(&scene, &settings), *goes = lively_body(&scene, &settings);
        sn_coupled_body_set_locks(stays, 5, 0); /* an axis of the world */
        sn_coupled_body_set_locks(goes, 5, 0);
        run(&scene, stays, 0, 20);
        run(&scene, goes, 0, 20);
        const double axis[3] = {dimension == 3 ? 0.4 : 0, 0, 1.2}, move[3] = {5, -3, dimension == 3 ? 2 : 0};
        const double nowhere[3] = {0};
        double transform[12];
        sn_coupled_aim(nowhere, axis, move, transform);
        sn_coupled_body_teleport(goes, transform);
        for (int i = 0; i < 20; ++i) {
            sn_coupled_body_step(stays, NULL);
            sn_coupled_body_step(goes, NULL);
        }
        sn_xpbd_body_positions(stays->flesh, x);
        sn_xpbd_body_positions(goes->flesh, y);
        double largest = 0;
        for (int v = 0; v < count; ++v) {
            double there[3];
            sn_affine_apply(transform, x + 3 * v, there);
            largest = fmax(largest, sn_distance3(there, y + 3 * v));
        }
        print_message("%dD: teleported apart by %.1e\n", dimension, largest);
        assert_true(largest < 1e-6);
        sn_coupled_body_destroy(&stays);
        sn_coupled_body_destroy(&goes);
        sn_coupled_scene_finish(&scene);
    }
}

static void test_reset(void **state)
{
    (void)state;
    sn_coupled_scene scene = sn_coupled_mixed(3);
    const sn_coupled_settings settings = lively();
    sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
    run(&scene, body, 0, 20); /* nothing is locked: it falls */
    sn_coupled_body_reset(body);
    double found[12 * 6];
    const double still[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    sn_coupled_body_transforms(body, found);
    sn_xpbd_body_positions(body->flesh, x);
    assert_true(apart(x, scene.shape.positions, 3 * scene.shape.desc.vertex_count) < 1e-6);
    for (int k = 0; k < 6; ++k) {
        assert_true(apart(found + 12 * k, still, 12) < 1e-12);
    }
    /* with a handle turned and moved, all goes there */
    const double axis[3] = {0.3, 0, 2}, move[3] = {4, 1, 0};
    double target[12];
    sn_coupled_aim(scene.handles[0].pivot, axis, move, target);
    sn_coupled_body_set_locks(body, 0, SN_LOCK_ALL);
    sn_coupled_body_set_target(body, 0, target);
    sn_coupled_body_reset(body);
    sn_coupled_body_transforms(body, found);
    sn_xpbd_body_positions(body->flesh, x);
    for (int v = 0; v < scene.shape.desc.vertex_count; ++v) {
        double there[3];
        sn_affine_apply(target, scene.shape.positions + 3 * v, there);
        assert_true(sn_distance3(there, x + 3 * v) < 1e-5);
    }
    for (int k = 0; k < 6; ++k) {
        assert_true(k == 2 || apart(found + 12 * k, target, 12) < 1e-9); /* 2 does not turn */
    }
    sn_coupled_body_destroy(&body);
    sn_coupled_scene_finish(&scene);
}

/* It sleeps when still, and every lock, target and compliance wakes it. */
static void test_sleep(void **state)
{
    (void)state;
    sn_coupled_scene scene = sn_coupled_mixed(2);
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.damping = 8;
    settings.xpbd.is_rigid_damped = true;
    settings.xpbd.sleep_speed = 0.02;
    sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
    for (int wake = 0; wake < 5; ++wake) {
        const double axis[3] = {0}, move[3] = {0.02 * wake, 0, 0}, *pivot = scene.handles[0].pivot;
        double target[12];
        sn_coupled_aim(pivot, axis, move, target);
        if (wake == 1) {
            sn_coupled_body_set_locks(body, 0, SN_LOCK_ALL);
        } else if (wake == 4) {
            sn_coupled_body_set_compliance(body, 0, 1e-4);
        } else if (wake > 0) {
            sn_coupled_body_set_target(body, 0, target);
        }
        assert_false(sn_coupled_body_step(body, NULL).is_asleep);
        bool is_asleep = false;
        for (int frame = 0; frame < 600 && !is_asleep; ++frame) {
            if (wake == 2) {
                sn_coupled_body_set_target(body, 0, target); /* the same again does not keep it awake */
            }
            is_asleep = sn_coupled_body_step(body, NULL).is_asleep;
        }
        assert_true(is_asleep);
    }
    sn_coupled_body_destroy(&body);
    sn_coupled_scene_finish(&scene);
}

/* Not a number, or flung away: back at rest where the targets are, and counted; then it moves as ever. */
static void test_recovery(void **state)
{
    (void)state;
    sn_coupled_scene scene = sn_coupled_mixed(3);
    const sn_coupled_settings settings = lively();
    sn_coupled_body *body = lively_body(&scene, &settings);
    run(&scene, body, 0, 10);
    for (int i = 0; i < 2; ++i) {
        const double speeds[3] = {i ? 1e9 : NAN, 0, 0};
        for (int v = 0; v < scene.shape.desc.vertex_count; ++v) {
            memcpy(x + 3 * v, speeds, sizeof speeds);
        }
        sn_xpbd_body_set_velocities(body->flesh, x);
        assert_true(sn_coupled_body_step(body, NULL).is_recovered);
        run(&scene, body, 11, 20);
        sn_xpbd_body_positions(body->flesh, x);
        for (int v = 0; v < scene.shape.desc.vertex_count; ++v) {
            assert_true(sn_distance3(x + 3 * v, scene.shape.positions + 3 * v) < 1);
        }
    }
    sn_coupled_body_destroy(&body);
    sn_coupled_scene_finish(&scene);
}

/* Handles added, kept and dropped while the body moves: the flesh does not notice, kept handles stay where they are. */
static void test_set_rig(void **state)
{
    (void)state;
    for (int dimension = 2; dimension < 4; ++dimension) {
        sn_coupled_scene scene = sn_coupled_mixed(dimension), other = {0};
        const int count = scene.shape.desc.vertex_count;
        static const int32_t from[5] = {3, -1, 0, 1, -1};
        other = scene;
        other.handle_count = 5;
        other.handles = SN_NEW(&scene.shape.arena, sn_coupled_handle, 5);
        other.weights = SN_NEW(&scene.shape.arena, double, 5 * count);
        for (int k = 0; k < 5; ++k) {
            other.handles[k] = scene.handles[from[k] < 0 ? (k == 1 ? 4 : 5) : from[k]];
            other.handles[k].parent = -1;
        }
        sn_coupled_bells(&other, 0.5);
        sn_coupled_scene_rig(&other);
        const sn_coupled_settings settings = lively();
        sn_coupled_body *body = lively_body(&scene, &settings);
        double before[12 * 6], after[12 * 5];
        run(&scene, body, 0, 30);
        sn_coupled_body_transforms(body, before);
        sn_xpbd_body_positions(body->flesh, x);
        assert_int_equal(sn_coupled_body_set_rig(body, other.rig, from), SN_OK);
        sn_xpbd_body_positions(body->flesh, y);
        assert_memory_equal(x, y, 3 * sizeof(double) * (size_t)count);
        sn_coupled_body_transforms(body, after);
        assert_int_equal(sn_coupled_body_locks(body, 2), sn_coupled_possible_locks(other.rig, 2));
        assert_int_equal(sn_coupled_body_locks(body, 1), 0);
        assert_true(apart(after + 24, before, 12) < 1e-12); /* all of it is locked */
        sn_coupled_body_rig_positions(body, y);
        const double off = apart(x, y, 3 * count);
        print_message("%dD: new rig apart from the flesh by %.3f\n", dimension, off);
        assert_true(off < 0.1);
        for (int frame = 0; frame < 60; ++frame) {
            assert_false(sn_coupled_body_step(body, NULL).is_recovered);
        }
        sn_coupled_body_transforms(body, after);
        assert_true(apart(after + 24, before, 12) < 1e-12); /* and its target stays */
        sn_coupled_rig_destroy(&scene.rig);
        scene.rig = other.rig;
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

static char line[512];

static void keep_line(sn_log_level level, const char *text, void *user)
{
    (void)level, (void)user;
    snprintf(line, sizeof line, "%s", text);
}

static void refuse(const sn_coupled_scene *scene, const char *says)
{
    const sn_coupled_rig_desc desc = {scene->model, scene->handle_count, scene->handles, scene->weights};
    sn_coupled_rig *rig = NULL;
    line[0] = 0;
    assert_int_equal(sn_coupled_rig_create(&desc, &rig), SN_ERROR_ARGUMENT);
    assert_null(rig);
    assert_non_null(strstr(line, says));
}

static void test_bad_input(void **state)
{
    (void)state;
    sn_coupled_scene scene = sn_coupled_mixed(2);
    const sn_coupled_handle handle = scene.handles[4];
    const double weight = scene.weights[7];
    sn_set_log(keep_line, NULL);
    scene.handles[3].parent = 5;
    refuse(&scene, "handle 3: its parents go round in a circle");
    scene.handles[3].parent = -1;
    scene.handles[4].parent = 9;
    refuse(&scene, "handle 4: parent 9");
    scene.handles[4] = handle;
    scene.handles[4].pivot[1] = NAN;
    refuse(&scene, "handle 4: its place");
    scene.handles[4] = handle;
    scene.weights[7] = INFINITY;
    refuse(&scene, "vertex 1");
    scene.weights[7] = weight + 0.1;
    refuse(&scene, "vertex 1: its weights sum to 1.1");
    scene.weights[7] = weight;
    scene.handle_count = 0;
    refuse(&scene, "0 handles");
    scene.handle_count = 6;

    sn_coupled_settings settings = lively();
    sn_coupled_body *body = NULL;
    settings.compliance = -1;
    assert_int_equal(sn_coupled_body_create(scene.rig, &settings, &body), SN_ERROR_ARGUMENT);
    settings = lively();
    body = lively_body(&scene, &settings);
    run(&scene, body, 0, 5);
    for (int i = 0; i < 3; ++i) { /* targets that are none: the last ones stay */
        const double wrong[3] = {NAN, INFINITY, 1e30}, axis[3] = {0}, move[3] = {wrong[i], 0, 0};
        double target[12];
        sn_coupled_aim(scene.handles[0].pivot, axis, move, target);
        sn_coupled_body_set_target(body, 0, target);
        assert_false(sn_coupled_body_step(body, NULL).is_recovered);
        assert_true(fabs(body->handles[0].place[0]) < 10);
    }
    sn_coupled_body_destroy(&body);
    sn_set_log(NULL, NULL);
    sn_coupled_scene_finish(&scene);
}

/* A handle that no vertex feels, two at one place, one beside the body, all on one: a warning, and motion all the same.
 */
static void test_useless_handles(void **state)
{
    (void)state;
    for (int dimension = 2; dimension < 4; ++dimension) {
        sn_coupled_scene scene = sn_coupled_mixed(dimension);
        for (int v = 0; v < scene.shape.desc.vertex_count; ++v) {
            double *row = scene.weights + 6 * v;
            row[3] += row[5]; /* 5, a joint, is felt by none; 0 and 3 are the same */
            row[5] = 0;
            row[0] = row[3] = 0.5 * (row[0] + row[3]);
        }
        scene.handles[3] = scene.handles[0];
        scene.handles[2].pivot[0] = -30;
        sn_coupled_rig_destroy(&scene.rig);
        sn_set_log(keep_line, NULL);
        sn_coupled_scene_rig(&scene);
        assert_string_equal(line, "coupled rig: handle 5: no vertex feels it");
        scene.handles[5].name = "stump";
        for (int v = 0; v < scene.shape.desc.vertex_count; ++v) {
            scene.weights[6 * v + 1] += scene.weights[6 * v + 2];
            scene.weights[6 * v + 2] = 0;
        }
        scene.handles[2].name = "tip";
        sn_coupled_rig_destroy(&scene.rig);
        sn_coupled_scene_rig(&scene);
        assert_string_equal(line, "coupled rig: handle tip: no vertex feels it (nor 1 more)");
        sn_set_log(NULL, NULL);
        const sn_coupled_settings settings = lively();
        sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
        for (int locked = -1; locked < 6; ++locked) {
            sn_coupled_body_set_locks(body, locked < 0 ? 0 : locked, locked < 0 ? 0 : SN_LOCK_ALL);
            run(&scene, body, 0, 30);
            double found[72];
            sn_coupled_body_transforms(body, found);
            for (int i = 0; i < 72; ++i) {
                assert_true(fabs(found[i]) < 100);
            }
            sn_xpbd_body_positions(body->flesh, x);
            for (int i = 0; i < 3 * scene.shape.desc.vertex_count; ++i) {
                assert_true(fabs(x[i]) < 20);
            }
        }
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_instruction_sets_agree),
                                       cmocka_unit_test(test_threads_agree),
                                       cmocka_unit_test(test_float_is_near_double),
                                       cmocka_unit_test(test_order_does_not_matter),
                                       cmocka_unit_test(test_teleport),
                                       cmocka_unit_test(test_reset),
                                       cmocka_unit_test(test_sleep),
                                       cmocka_unit_test(test_recovery),
                                       cmocka_unit_test(test_set_rig),
                                       cmocka_unit_test(test_bad_input),
                                       cmocka_unit_test(test_useless_handles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
