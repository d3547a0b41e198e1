/* SPDX-License-Identifier: MIT */
/* Hands in a world of the bar: they push it, feel it and pull it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runtime/edit/posed_surface.h"
#include "runtime/frontends/xr/hands.h"
#include "tests/support/count_allocations.h"
#include "tests/world/soft_bodies.h"

#define METRES 1.0
#define TOP 0.118 /* of the bar, which has a vertex there */
#define END 0.353 /* at this x */

typedef struct handled {
    sn_world_id world;
    sn_body_id body;
    sn_visible_bodies visible_bodies;
    sn_hands hands;
    sn_xr_hand where[SN_XR_HAND_COUNT];
} handled;

static void open_handled(handled *h)
{
    *h = (handled){.hands = {.metres_per_unit = METRES}};
    h->world = make_world(1);
    h->body = make_body(h->world, 0);
    h->visible_bodies = (sn_visible_bodies){h->world, &h->body, 1};
    for (int i = 0; i < SN_XR_HAND_COUNT; ++i) { /* they point downwards */
        h->where[i].grip = h->where[i].aim = (sn_xr_pose){{-sqrt(0.5), 0, 0, sqrt(0.5)}, {i == 0 ? -0.2 : 0.2, 0.6, 0}};
        h->where[i].is_tracked = true;
    }
}

static void close_handled(handled *h)
{
    sn_hands_release(&h->hands);
    sn_world_destroy(h->world);
}

static void put(handled *h, int hand, double x, double y, double z)
{
    const double place[3] = {x, y, z};
    memcpy(h->where[hand].grip.position, place, sizeof place);
    memcpy(h->where[hand].aim.position, place, sizeof place);
}

static void step(handled *h)
{
    assert_int_equal(sn_hands_move(&h->hands, &h->visible_bodies, h->where), SN_OK);
    sn_world_step(h->world, 1.0 / 60);
    sn_hands_read_impulses(&h->hands);
}

/* The mean height of the drawn skin within 0.15 of x. */
static double height_at(const handled *h, double x)
{
    sn_posed_surface drawn;
    double sum = 0;
    int count = 0;
    assert_int_equal(sn_posed_surface_start(&drawn, model), SN_OK);
    sn_posed_surface_update(&drawn, h->body);
    for (int v = 0; v < model->counts.surface_vertex_count; ++v) {
        if (fabs((double)model->surface_positions[3 * v] - x) < 0.15) {
            sum += drawn.positions[3 * v + 1];
            ++count;
        }
    }
    sn_posed_surface_finish(&drawn);
    assert_true(count > 0);
    return sum / count;
}

/* Down onto the right end, in so many steps; returns the most that the hand feels. */
static double press(handled *h, int steps, double depth)
{
    double most = 0;
    for (int i = 0; i <= steps; ++i) {
        put(h, 1, END, TOP + SN_HAND_RADIUS + 0.02 - (0.02 + depth) * i / steps, 0);
        step(h);
        most = fmax(most, h->hands.hands[1].impulse);
    }
    return most;
}

static void a_hand_pushes_and_feels(void **state)
{
    (void)state;
    handled h;
    open_handled(&h);
    put(&h, 1, END, 0.6, 0);
    step(&h);
    const double before = height_at(&h, END);
    assert_true(h.hands.hands[1].impulse == 0);
    const double slow = press(&h, 20, 0.06);
    assert_true(slow > 0 && h.hands.hands[0].impulse == 0);
    assert_true(height_at(&h, END) < before - 0.005);
    close_handled(&h);
    open_handled(&h);
    put(&h, 1, END, 0.6, 0);
    step(&h);
    const double fast = press(&h, 4, 0.06);
    assert_true(fast > 1.5 * slow); /* it is felt as it moves */
    close_handled(&h);
}

static void a_hand_that_is_lost_pushes_nothing(void **state)
{
    (void)state;
    handled h;
    open_handled(&h);
    put(&h, 1, END, 0.6, 0);
    step(&h);
    h.where[1].is_tracked = false;
    put(&h, 1, END, TOP, 0);
    for (int i = 0; i < 5; ++i) {
        step(&h);
        assert_true(h.hands.hands[1].impulse == 0);
    }
    /* nor one that is found on the other side: it was not in between */
    h.where[1].is_tracked = true;
    put(&h, 1, END, -0.6, 0);
    step(&h);
    assert_true(h.hands.hands[1].impulse == 0);
    /* nor one that leaps there */
    put(&h, 1, END, 0.6, 0);
    step(&h);
    assert_true(h.hands.hands[1].impulse == 0 && fabs(height_at(&h, END)) < 1e-4);
    close_handled(&h);
}

static void a_hand_takes_hold_and_pulls(void **state)
{
    (void)state;
    handled h;
    open_handled(&h);
    put(&h, 1, END, TOP + 0.07, 0); /* the hand's ball is above it */
    step(&h);
    const double before = height_at(&h, END);
    h.where[1].trigger = 1;
    step(&h);
    assert_true(sn_hands_are_grabbing(&h.hands) && h.hands.grab_count == 1);
    assert_true(fabs(height_at(&h, END) - before) < 1e-3); /* it holds before it pulls */
    for (int i = 1; i <= 30; ++i) {
        put(&h, 1, END, TOP + 0.07 + 0.01 * i, 0);
        step(&h);
    }
    const double pulled = height_at(&h, END);
    assert_true(pulled > before + 0.02);
    h.where[1].trigger = 0.5; /* not yet let go */
    step(&h);
    assert_true(sn_hands_are_grabbing(&h.hands));
    h.where[1].trigger = 0;
    for (int i = 0; i < 60; ++i) {
        step(&h);
    }
    assert_false(sn_hands_are_grabbing(&h.hands));
    assert_true(fabs(height_at(&h, END) - before) < 0.2 * (pulled - before));
    close_handled(&h);
}

/* From afar, along where it points; turned, it swings what it holds. */
static void a_hand_takes_what_it_points_at(void **state)
{
    (void)state;
    handled h;
    open_handled(&h);
    put(&h, 0, -0.4, 0.9, 0);
    h.where[0].trigger = 1;
    step(&h);
    assert_true(sn_hands_are_grabbing(&h.hands));
    const double before = height_at(&h, -0.4);
    for (int i = 1; i <= 20; ++i) {
        put(&h, 0, -0.4, 0.9 + 0.015 * i, 0);
        step(&h);
    }
    assert_true(height_at(&h, -0.4) > before + 0.02);
    close_handled(&h);
    open_handled(&h);
    put(&h, 0, -0.9, 0.9, 0); /* past its end */
    h.where[0].trigger = 1;
    step(&h);
    assert_false(sn_hands_are_grabbing(&h.hands));
    close_handled(&h);
}

static void both_hands_hold_at_a_time(void **state)
{
    (void)state;
    handled h;
    open_handled(&h);
    put(&h, 0, -END, TOP + 0.07, 0);
    put(&h, 1, END, TOP + 0.07, 0);
    h.where[0].trigger = h.where[1].trigger = 1;
    step(&h);
    assert_int_equal(h.hands.grab_count, 2);
    h.where[0].trigger = 0;
    step(&h);
    assert_true(!h.hands.hands[0].is_grabbing && h.hands.hands[1].is_grabbing);
    close_handled(&h);
}

static void moving_allocates_nothing(void **state)
{
    (void)state;
    handled h;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    open_handled(&h);
    put(&h, 1, END, TOP + 0.07, 0);
    h.where[1].trigger = 1;
    for (int i = 0; i < 3; ++i) {
        step(&h);
    }
    const int before = allocation_count;
    for (int i = 0; i < 10; ++i) {
        put(&h, 0, -END, TOP + 0.04 - 0.002 * i, 0);
        put(&h, 1, END, TOP + 0.07 + 0.01 * i, 0);
        h.where[0].is_tracked = i % 4 != 3;
        step(&h);
    }
    assert_int_equal(allocation_count, before);
    close_handled(&h);
    sn_set_allocator(NULL, NULL, NULL);
}

int test_hands(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_hand_pushes_and_feels, load, unload),
        cmocka_unit_test_setup_teardown(a_hand_that_is_lost_pushes_nothing, load, unload),
        cmocka_unit_test_setup_teardown(a_hand_takes_hold_and_pulls, load, unload),
        cmocka_unit_test_setup_teardown(a_hand_takes_what_it_points_at, load, unload),
        cmocka_unit_test_setup_teardown(both_hands_hold_at_a_time, load, unload),
        cmocka_unit_test_setup_teardown(moving_allocates_nothing, load, unload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
