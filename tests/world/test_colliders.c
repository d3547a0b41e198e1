/* SPDX-License-Identifier: MIT */
/* Colliders of a world: ids, motion through the steps of a call, refusals, grids, threads, memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/io/source.h"
#include "host/base/hash.h"
#include "host/model/model.h"
#include "host/world/store.h"
#include "tests/support/count_allocations.h"
#include "tests/world/soft_bodies.h"

static void test_ids(void **state)
{
    (void)state;
    const sn_collider_id none = {0, 0, 0};
    assert_false(sn_collider_is_valid(none));
    sn_collider_destroy(none);
    const sn_world_id world = make_world(1);
    const sn_collider_id a = make_collider(world, SN_COLLIDER_PLANE, 0, -9, 0);
    const sn_collider_id b = make_collider(world, SN_COLLIDER_SPHERE, 0, -9, 0);
    sn_collider_destroy(a);
    assert_false(sn_collider_is_valid(a));
    assert_true(sn_collider_is_valid(b));
    const sn_collider_id c = make_collider(world, SN_COLLIDER_BOX, 0, -9, 0); /* in the place of a */
    assert_true(c.index1 == a.index1 && c.generation != a.generation);
    assert_true(!sn_collider_is_valid(a) && sn_collider_is_valid(b) && sn_collider_is_valid(c));
    sn_world_destroy(world);
    assert_false(sn_collider_is_valid(b) || sn_collider_is_valid(c));
    const sn_world_id next = make_world(1); /* in the place of the first */
    const sn_collider_id d = make_collider(next, SN_COLLIDER_PLANE, 0, -9, 0);
    const sn_collider_id e = make_collider(next, SN_COLLIDER_PLANE, 0, -9, 0);
    assert_true(d.world0 == c.world0 && d.index1 == c.index1 && e.index1 == b.index1);
    assert_false(sn_collider_is_valid(a) || sn_collider_is_valid(b) || sn_collider_is_valid(c));
    sn_world_destroy(next);
}

/* Many, that come and go while a body steps; only the one that is near matters. */
static void test_many(void **state)
{
    (void)state;
    sn_collider_id far[200];
    float few[12 * (BONES + MODES)] = {0};
    for (int run = 0; run < 2; ++run) {
        const sn_world_id world = make_world(1);
        const sn_body_id body = make_body(world, 5);
        for (int i = 0; i < 200 && run; ++i) {
            far[i] = make_collider(world, (sn_collider_shape)(1 + i % 3), 20 + i, 0, 0);
            sn_world_step(world, i % 10 ? 0 : 1.0 / 60);
        }
        for (int i = 0; i < 200 && run; i += 2) {
            sn_collider_destroy(far[i]);
        }
        for (int i = 0; i < 200 && run; ++i) {
            assert_true(sn_collider_is_valid(far[i]) == (i % 2 == 1));
        }
        for (int i = 0; i < 20 && !run; ++i) {
            sn_world_step(world, 1.0 / 60);
        }
        const sn_collider_id ground = make_collider(world, SN_COLLIDER_PLANE, 0, -0.125, 0);
        assert_true(!run || ground.index1 == far[0].index1);
        for (int i = 0; i < 60; ++i) {
            sn_world_step(world, 1.0 / 60);
        }
        const void *out = sn_body_output(body).matrices;
        if (run == 0) {
            memcpy(few, out, sizeof few);
        }
        assert_memory_equal(out, few, sizeof few);
        sn_world_destroy(world);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider_id collider = {7, 7, 7};
    begin_log();
    desc.friction = NAN;
    assert_int_equal(sn_collider_create(world, &desc, &collider), SN_ERROR_ARGUMENT);
    assert_true(collider.index1 == 0 && logged.errors == 1);
    desc = sn_default_collider_desc();
    desc.transform.m[0][1] = 0.5F;
    assert_int_equal(sn_collider_create(world, &desc, &collider), SN_ERROR_ARGUMENT);
    assert_true(collider.index1 == 0 && logged.errors == 2);
    sn_body_desc body = soft(0);
    sn_body_id id;
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e300};
    for (int i = 0; i < 12; ++i) {
        memset(body.wind, 0, sizeof body.wind);
        body.wind[i % 3] = bad[i / 3];
        begin_log();
        assert_int_equal(sn_body_create(world, &body, &id), SN_ERROR_ARGUMENT);
        assert_true(id.index1 == 0 && logged.errors == 1);
    }
    sn_world_destroy(world);
}

/* A refused transform leaves the collider where it is. */
static void test_refused_transforms_change_nothing(void **state)
{
    (void)state;
    float kept[12 * (BONES + MODES)] = {0};
    for (int run = 0; run < 2; ++run) {
        const sn_world_id world = make_world(1);
        const sn_body_id body = make_body(world, 5);
        const sn_collider_id ground = make_collider(world, SN_COLLIDER_PLANE, 0, -0.125, 0);
        for (int i = 0; i < 30; ++i) {
            sn_mat3x4 mirror = at(0, 5, 0);
            mirror.m[1][1] = i % 2 ? -1 : NAN;
            begin_log();
            assert_true(!run || sn_collider_set_transform(ground, &mirror) == SN_ERROR_ARGUMENT);
            assert_int_equal(logged.errors, run);
            sn_world_step(world, 1.0 / 60);
        }
        if (run == 0) {
            memcpy(kept, sn_body_output(body).matrices, sizeof kept);
        }
        assert_memory_equal(sn_body_output(body).matrices, kept, sizeof kept);
        sn_world_destroy(world);
    }
}

/* Each step starts where the one before has ended, were there calls without a step in between or not. */
static void test_steps_join(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_collider_id far = make_collider(world, SN_COLLIDER_PLANE, 0, -5, 0);
    const sn_collider_id ball = make_collider(world, SN_COLLIDER_SPHERE, 0, 3, 0);
    const sn_world *w = sn_world_try_get(world);
    const double seconds[] = {1.0 / 144, 1.0 / 50, 1.0 / 20, 1.0 / 10};
    double last = 0, now = 0;
    sn_collider_destroy(far);
    for (int frame = 0; frame < 200; ++frame) {
        now += 0.7 * seconds[frame / 50]; /* at a speed of .7 */
        move(ball, now, 3, 0);
        const sn_world_report report = sn_world_step(world, seconds[frame / 50]);
        assert_true(w->used_count == 1);
        for (int i = 0; i < report.step_count; ++i) {
            const double pace = w->moving[i].transform[3] - w->moving[i].transform_before[3];
            assert_true(w->moving[i].transform_before[3] == last);
            assert_true(report.dropped_seconds > 0 || frame == 150 || fabs(pace - 0.7 / 60) < 1e-5);
            last = w->moving[i].transform[3];
        }
        assert_true(last <= now + 1e-5);
    }
    sn_world_destroy(world);
}

/* Before and after a call of four steps, a ball is a long way off; in between it passes the end of the bar. */
static void test_fast_colliders_are_met_on_their_way(void **state)
{
    (void)state;
    for (int run = 0; run < 2; ++run) { /* past it, and along beside it */
        const sn_world_id world = make_world(1);
        const sn_body_id body = make_body(world, 0);
        const sn_collider_id ball = make_collider(world, SN_COLLIDER_SPHERE, 0.47, 0.17, run ? 5 : 2);
        assert_int_equal(sn_world_step(world, 1.0 / 60).step_count, 1);
        assert_true(size_of_modes(body) < 1e-6);
        move(ball, 0.47, 0.17, run ? 9 : -1.8); /* halfway from 2 is .1 */
        assert_int_equal(sn_world_step(world, 4.0 / 60).step_count, 4);
        assert_true(run ? size_of_modes(body) < 1e-6 : size_of_modes(body) > 1e-4);
        sn_world_destroy(world);
    }
}

/* Flesh sags onto ground that then slides: how far along it has been taken, at a frame rate. */
static double drag_at(double rate, double friction)
{
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 5);
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider_id ground;
    double before[12], after[12], square = 0;
    desc.friction = friction;
    desc.transform = at(0, -0.12, 0);
    assert_int_equal(sn_collider_create(world, &desc, &ground), SN_OK);
    for (int frame = 0; frame <= 2 * rate; ++frame) {
        if (frame > rate) {
            move(ground, 0.1 * (frame - rate) / rate, -0.12, 0);
        }
        sn_world_step(world, 1 / rate);
        if (frame <= rate) {
            sum_modes(body, before);
        }
    }
    sum_modes(body, after);
    for (int k = 0; k < 12; ++k) {
        square += (after[k] - before[k]) * (after[k] - before[k]);
    }
    sn_world_destroy(world);
    return sqrt(square);
}

/* The ground moves as far in a step, whether or not calls in between have taken none. */
static void test_friction_at_any_frame_rate(void **state)
{
    (void)state;
    const double at_60 = drag_at(60, 0.05), more = drag_at(60, 0.5), rates[] = {30, 90, 144, 240};
    assert_true(at_60 > 1e-4 && more > 1.5 * at_60);
    for (int i = 0; i < 4; ++i) {
        const double dragged = drag_at(rates[i], 0.5);
        print_message("dragged at %g Hz: %.4f, at 60 %.4f\n", rates[i], dragged, more);
        assert_true(fabs(dragged - more) < 0.05 * more);
    }
}

/* A slab, as a box and as a grid, that comes up from below. */
static void test_grids_push_as_boxes_do(void **state)
{
    (void)state;
    float distances[9 * 9 * 9];
    const sn_grid_desc desc = {.counts = {9, 9, 9}, .origin = {-1, -1, -1}, .spacing = 0.25, .distances = distances};
    sn_grid *grid = NULL;
    for (int i = 0; i < 9 * 9 * 9; ++i) {
        distances[i] = (float)(0.25 * (i / 9 % 9) - 1.25); /* up to y = .25 */
    }
    assert_int_equal(sn_grid_create(&desc, &grid), SN_OK);
    const sn_world_id worlds[2] = {make_world(1), make_world(1)};
    const sn_body_id bodies[2] = {make_body(worlds[0], 0), make_body(worlds[1], 0)};
    double sums[2][12];
    for (int k = 0; k < 2; ++k) {
        sn_collider_desc shape = sn_default_collider_desc();
        sn_collider_id collider;
        shape.shape = k ? SN_COLLIDER_BOX : SN_COLLIDER_GRID;
        shape.grid = grid;
        shape.half_extents[0] = shape.half_extents[2] = 1;
        shape.half_extents[1] = 0.625;
        for (int frame = 0; frame < 60; ++frame) {
            shape.transform = at(0, -0.4 + 0.001 * frame, 0);
            shape.transform.m[1][3] -= k ? 0.375F : 0; /* from -1 to .25 */
            assert_int_equal(frame == 0 ? sn_collider_create(worlds[k], &shape, &collider)
                                        : sn_collider_set_transform(collider, &shape.transform),
                             SN_OK);
            sn_world_step(worlds[k], 1.0 / 60);
        }
        sum_modes(bodies[k], sums[k]);
    }
    assert_true(size_of_modes(bodies[0]) > 1e-3);
    for (int i = 0; i < 12; ++i) {
        assert_true(fabs(sums[0][i] - sums[1][i]) < 1e-4);
    }
    sn_world_destroy(worlds[0]);
    sn_world_destroy(worlds[1]);
    sn_grid_destroy(&grid);
}

static sn_world_id crowd(int workers, sn_body_id *bodies, sn_collider_id *colliders)
{
    const sn_world_id world = make_world(workers);
    for (int i = 0; i < 9; ++i) {
        sn_body_desc desc = soft(3);
        desc.wind[0] = i % 3;
        desc.wind[2] = i % 2;
        desc.stiffness = 0.3 + 0.1 * (i % 4);
        assert_int_equal(sn_body_create(world, &desc, &bodies[i]), SN_OK);
    }
    colliders[0] = make_collider(world, SN_COLLIDER_PLANE, 0, -0.12, 0);
    colliders[1] = make_collider(world, SN_COLLIDER_SPHERE, 0.4, 0, 0.4);
    colliders[2] = make_collider(world, SN_COLLIDER_CAPSULE, 0, 0, 0.4);
    return world;
}

static void step_crowd(sn_world_id world, int frame, const sn_collider_id *colliders)
{
    move(colliders[1], 0.4, 0, 0.4 - 0.004 * frame);
    move(colliders[2], 0.01 * frame - 0.4, 0, 0.2);
    sn_world_step(world, 1.0 / 72);
}

static void test_same_bits_for_any_number_of_workers(void **state)
{
    (void)state;
    uint64_t first = 0;
    for (int workers = 1; workers <= 4; ++workers) {
        sn_body_id bodies[9];
        sn_collider_id colliders[3];
        const sn_world_id world = crowd(workers, bodies, colliders);
        uint64_t hash = SN_HASH_SEED;
        for (int frame = 0; frame < 60; ++frame) {
            step_crowd(world, frame, colliders);
        }
        for (int i = 0; i < 9; ++i) {
            assert_true(size_of_modes(bodies[i]) > 1e-3);
            hash = sn_hash(hash, sn_body_output(bodies[i]).matrices, (BONES + MODES) / 2 * 2 * sizeof(sn_mat3x4));
        }
        first = workers == 1 ? hash : first;
        assert_true(hash == first);
        sn_world_destroy(world);
    }
}

static void test_step_allocates_nothing(void **state)
{
    (void)state;
    sn_body_id bodies[9];
    sn_collider_id colliders[3];
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    const sn_world_id world = crowd(3, bodies, colliders);
    const sn_grab_desc desc = sn_default_grab_desc();
    assert_int_equal(sn_body_grab(bodies[0], (const double[]){0.4, 0.1, 0}, &desc), 0);
    sn_body_drag(bodies[0], 0, (const double[]){0.4, 0.3, 0});
    sn_world_step(world, 1.0 / 60);
    const int before = allocation_count;
    assert_true(before > 0);
    for (int frame = 0; frame < 60; ++frame) {
        step_crowd(world, frame, colliders);
    }
    assert_int_equal(allocation_count, before);
    sn_world_destroy(world);
    sn_set_allocator(NULL, NULL, NULL);
}

int test_colliders(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_refused_transforms_change_nothing),
        cmocka_unit_test(test_steps_join),
        cmocka_unit_test(test_fast_colliders_are_met_on_their_way),
        cmocka_unit_test(test_friction_at_any_frame_rate),
        cmocka_unit_test(test_grids_push_as_boxes_do),
        cmocka_unit_test(test_same_bits_for_any_number_of_workers),
        cmocka_unit_test(test_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
