/* SPDX-License-Identifier: MIT */
/* Colliders on bones: what feels them rests on their surface, wherever the body goes; what does not, and bodies without
 * any, are as if there were none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/reduced/contact_flesh.h"
#include "tests/support/bone_colliders.h"
#include "tests/support/count_allocations.h"

#define NOWHERE (-1e9) /* as a plane: every sample is beyond */

static double clearance(const sn_model *model, int sample)
{
    return (double)model->sample_clearances[sample];
}

/* How much deeper samples that feel the first collider are than they may be, and how near the nearest is to where they
 * may. */
static double deepest_felt(const sn_flesh *f, double *nearest)
{
    const sn_bone_collider *own = &f->model->bone_colliders[0];
    sn_collider c;
    double depth = -INFINITY;
    sn_bone_collider_pose(own, f->pose + 12 * own->bone, f->pose + 12 * own->bone, &c);
    for (int i = 0; i < f->model->counts.sample_count; ++i) {
        double position[3];
        sn_flesh_sample(f, i, position);
        const double over = clearance(f->model, i) - sn_collider_distance(&c, position, NULL);
        depth = clearance(f->model, i) > NOWHERE ? fmax(depth, over) : depth;
    }
    *nearest = -depth;
    return fmax(depth, 0);
}

/* A ball a little below an end of the bar, on its only bone. */
static sn_bone_collider ball_below(const sn_model *model)
{
    const double radius = 0.2, place[3] = {0.4, lowest_at_rest(model) - radius - 0.005, 0};
    return sn_test_ball_on_bone(0, radius, place);
}

static void sags_onto_a_ball(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        sn_reduced_desc desc = desc_with(0.2, 9.81);
        desc.is_double = i % 2;
        desc.damping = 4;
        desc.time_step = i / 2 ? 1.0 / 60 : 1.0 / 30;
        const sn_bone_collider ball = ball_below(bar);
        sn_model model = sn_test_with_bone_colliders(bar, &ball, 1, NOWHERE);
        sn_flesh f = sn_flesh_make(&model, &desc, NULL);
        desc.is_without_bone_colliders = true;
        sn_flesh loose = sn_flesh_make(&model, &desc, NULL);
        double nearest = 0, fallen = 0;
        for (int frame = 0; frame < 150; ++frame) {
            double unused;
            assert_false(step(&f, NULL, 0).is_recovered);
            assert_true(deepest_felt(&f, &nearest) < 1e-3);
            check_forces(&f);
            step(&loose, NULL, 0);
            fallen = fmax(fallen, deepest_felt(&loose, &unused));
        }
        assert_true(fallen > 0.01);
        assert_true(fabs(nearest) < 1e-3 && check_forces(&f) > 0);
        sn_flesh_finish(&f);
        sn_flesh_finish(&loose);
        free((void *)(uintptr_t)model.sample_clearances);
    }
}

/* Which cannot tell a bone's from a world's, but by the vertices that a sample stands for. */
static void as_a_ball_of_the_world(void **state)
{
    (void)state;
    const sn_bone_collider ball = ball_below(bar);
    int32_t *own = malloc(SN_SAMPLE_EXTREMES * (size_t)bar->counts.sample_count * sizeof *own);
    assert_non_null(own);
    for (int i = 0; i < SN_SAMPLE_EXTREMES * bar->counts.sample_count; ++i) {
        own[i] = bar->sample_vertices[i / SN_SAMPLE_EXTREMES];
    }
    sn_model model = sn_test_with_bone_colliders(bar, &ball, 1, NOWHERE), plain = *bar;
    plain.sample_extremes = own;
    sn_reduced_desc desc = desc_with(0.2, 9.81);
    desc.tolerance = 1e-8;
    desc.iteration_limit = 100;
    sn_flesh f = sn_flesh_make(&model, &desc, NULL), twin = sn_flesh_make(&plain, &desc, NULL);
    sn_collider c;
    sn_bone_collider_bind(&ball, &c);
    int pushing = 0;
    for (int frame = 0; frame < 60; ++frame) {
        step(&f, NULL, 0);
        step(&twin, &c, 1);
        pushing += check_forces(&f) > 0;
        for (int i = 0; i < bar->counts.sample_count; ++i) {
            double position[3], expected[3];
            sn_flesh_sample(&f, i, position);
            sn_flesh_sample(&twin, i, expected);
            assert_true(sn_distance3(position, expected) < 2e-5);
        }
    }
    assert_true(pushing > 30);
    sn_flesh_finish(&f);
    sn_flesh_finish(&twin);
    free(own);
    free((void *)(uintptr_t)model.sample_clearances);
}

static void run(const sn_model *model, const sn_reduced_desc *desc, double *coordinates)
{
    sn_flesh f = sn_flesh_make(model, desc, NULL);
    const sn_collider ground = floor_at(lowest_at_rest(model) - 0.02);
    for (int frame = 0; frame < 40; ++frame) {
        step(&f, &ground, 1);
    }
    memcpy(coordinates, f.body->coordinates, 3 * (size_t)model->counts.coordinate_count * sizeof *coordinates);
    sn_flesh_finish(&f);
}

/* To the bit: left out, felt by nothing, and none at all; and with whatever instructions. */
static void as_without(void **state)
{
    (void)state;
    const sn_bone_collider ball = ball_below(bar);
    sn_model felt = sn_test_with_bone_colliders(bar, &ball, 1, NOWHERE);
    sn_model unfelt = sn_test_with_bone_colliders(bar, &ball, 1, 1e9);
    const size_t bytes = 3 * (size_t)bar->counts.coordinate_count * sizeof(double);
    double expected[256], found[256];
    sn_reduced_desc desc = desc_with(0.2, 9.81);
    assert_in_range(bytes, 1, sizeof found);
    run(bar, &desc, expected);
    run(&unfelt, &desc, found);
    assert_memory_equal(found, expected, bytes);
    desc.is_without_bone_colliders = true;
    run(&felt, &desc, found);
    assert_memory_equal(found, expected, bytes);
    desc.is_without_bone_colliders = false;
    run(&felt, &desc, expected);
    assert_true(memcmp(found, expected, bytes) != 0);
    for (int instructions = SN_INSTRUCTIONS_BASELINE; instructions <= SN_INSTRUCTIONS_BEST; ++instructions) {
        desc.instructions = (sn_instructions)instructions;
        run(&felt, &desc, found);
        assert_memory_equal(found, expected, bytes);
    }
    free((void *)(uintptr_t)felt.sample_clearances);
    free((void *)(uintptr_t)unfelt.sample_clearances);
}

/* One that the bar lies in at rest stirs nothing; nor does carrying it about. */
static void rest_is_rest(void **state)
{
    (void)state;
    const double place[3] = {0.1, 0, 0};
    const sn_bone_collider ball = sn_test_ball_on_bone(0, 0.3, place);
    sn_model model = sn_test_with_bone_colliders(bar, &ball, 1, NOWHERE);
    sn_reduced_desc desc = desc_with(1, 0);
    sn_flesh f = sn_flesh_make(&model, &desc, NULL);
    for (int frame = 0; frame < 60; ++frame) {
        step(&f, NULL, 0);
        assert_true(sn_flesh_displacement(&f) < 1e-5);
    }
    sn_flesh_finish(&f);
    free((void *)(uintptr_t)model.sample_clearances);
}

/* Every sample lies behind several at rest: they would take all contacts there are, but the floor below finds its own.
 */
static void leave_room_for_a_floor(void **state)
{
    (void)state;
    enum { OWN_COUNT = 3 };
    sn_bone_collider own[OWN_COUNT];
    const double low = lowest_at_rest(wide);
    for (int i = 0; i < OWN_COUNT; ++i) {
        own[i] = sn_test_wall_on_bone(0, 2 + 0.1 * i);
    }
    sn_model model = sn_test_with_bone_colliders(wide, own, OWN_COUNT, NOWHERE);
    sn_reduced_desc desc = desc_with(0.2, 0.3);
    desc.damping = 4;
    sn_flesh f = sn_flesh_make(&model, &desc, NULL);
    const sn_collider ground = floor_at(low - 0.0003);
    int most_own = 0, most_pressed = 0;
    double depth = 0;
    for (int frame = 0; frame < 60; ++frame) {
        assert_false(step(&f, &ground, 1).is_recovered);
        int own_count = 0, pressed = 0;
        for (int i = 0; i < f.body->contacts.count; ++i) {
            const sn_contact *c = &f.body->contacts.contacts[i];
            own_count += c->collider < OWN_COUNT;
            pressed += c->collider == OWN_COUNT && c->force[1] > 0;
        }
        most_own = own_count > most_own ? own_count : most_own;
        most_pressed = pressed > most_pressed ? pressed : most_pressed;
        depth = fmax(depth, deepest(&f, &ground));
    }
    print_message("%d of them at most, %d forces of the floor, %.1e deep\n", most_own, most_pressed, depth);
    assert_in_range(most_own, SN_CONTACT_LIMIT / 2, 3 * SN_CONTACT_LIMIT / 4);
    assert_true(most_pressed > 10 && depth < 2e-4);
    sn_flesh_finish(&f);
    free((void *)(uintptr_t)model.sample_clearances);
}

/* The bar swings to and fro: `world` (12, rigid) is in front of all that it does. */
static sn_flesh swing(const sn_model *model, sn_reduced_desc desc, const double *world, double *largest, double *places)
{
    const double gravity[3] = {0, -9.81, 0};
    for (int d = 0; d < 3; ++d) {
        desc.gravity[d] = sn_dot3(world + 4 * d, gravity);
    }
    sn_flesh f = sn_flesh_make(model, &desc, world);
    for (int frame = 1; frame <= 60; ++frame) {
        const double a = 0.3 * sin(0.15 * frame);
        const double turn[12] = {cos(a), -sin(a), 0, 0, sin(a), cos(a), 0, 0.2 * a, 0, 0, 1, 0};
        double pose[12], nearest;
        sn_affine_multiply(world, turn, pose);
        sn_flesh_set_pose(&f, pose);
        step(&f, NULL, 0);
        *largest = fmax(*largest, deepest_felt(&f, &nearest));
    }
    for (int i = 0; i < model->counts.sample_count; ++i) {
        sn_flesh_sample(&f, i, places + 3 * i);
    }
    return f;
}

static void anywhere_alike(void **state)
{
    (void)state;
    const sn_bone_collider ball = ball_below(bar);
    sn_model model = sn_test_with_bone_colliders(bar, &ball, 1, NOWHERE);
    const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const double world[12] = {0, 0, 1, 3, 1, 0, 0, -2, 0, 1, 0, 5}; /* a third of a turn about the diagonal */
    double *here = calloc(3 * (size_t)model.counts.sample_count, sizeof *here), here_depth = 0;
    double *there = calloc(3 * (size_t)model.counts.sample_count, sizeof *there), there_depth = 0;
    sn_reduced_desc desc = desc_with(0.2, 0);
    desc.tolerance = 1e-8;
    desc.iteration_limit = 100;
    assert_true(here && there);
    sn_flesh a = swing(&model, desc, identity, &here_depth, here);
    sn_flesh b = swing(&model, desc, world, &there_depth, there);
    assert_true(here_depth < 2e-3 && there_depth < 2e-3);
    assert_true(sn_flesh_displacement(&a) > 0.02);
    for (int i = 0; i < model.counts.sample_count; ++i) {
        double moved[3];
        sn_affine_apply(world, here + 3 * i, moved);
        assert_true(sn_distance3(moved, there + 3 * i) < 1e-4);
    }
    sn_flesh_finish(&a);
    sn_flesh_finish(&b);
    free(here);
    free(there);
    free((void *)(uintptr_t)model.sample_clearances);
}

/* A bone's ball comes up into flesh of the other bone, which gives way, softly: no deeper than its rig, and less deep.
 */
static void a_bone_comes_into_flesh(void **state)
{
    (void)state;
    const double place[3] = {-0.1, lowest_at_rest(wide) - 0.11, 0};
    const sn_bone_collider ball = sn_test_ball_on_bone(0, 0.1, place);
    sn_model model = sn_test_with_bone_colliders(wide, &ball, 1, 0);
    sn_reduced_desc desc = desc_with(0.2, 0);
    desc.damping = 4;
    sn_flesh f = sn_flesh_make(&model, &desc, NULL);
    double pushed = 0;
    for (int frame = 1; frame <= 120; ++frame) {
        const double way = fmin(frame / 60.0, 1);
        f.pose[3] = 0.15 * way;
        f.pose[7] = 0.03 * way;
        assert_false(step(&f, NULL, 0).is_recovered);
        check_forces(&f);
        assert_true(sn_flesh_displacement(&f) < 0.1);
    }
    for (int i = 0; i < model.counts.sample_count; ++i) {
        sn_collider c;
        double position[3], rig[3];
        sn_bone_collider_pose(&ball, f.pose, f.pose, &c);
        sn_flesh_sample(&f, i, position);
        sn_sample_rig_position(&model, (size_t)model.sample_vertices[i], f.body->rig, NULL, rig);
        const double by_rig = sn_collider_distance(&c, rig, NULL), now = sn_collider_distance(&c, position, NULL);
        if (clearance(&model, i) > NOWHERE) {
            assert_true(now > fmin(by_rig, clearance(&model, i)) - 1e-3);
            pushed = by_rig < clearance(&model, i) ? fmax(pushed, now - by_rig) : pushed;
        }
    }
    print_message("pushed out by %.4f\n", pushed);
    assert_true(pushed > 2e-3);
    sn_flesh_finish(&f);
    free((void *)(uintptr_t)model.sample_clearances);
}

static void moves_and_grows_with_its_bone(void **state)
{
    (void)state;
    const double before[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const double now[12] = {0, -2, 0, 1, 2, 0, 0, 2, 0, 0, 2, 3}; /* a quarter of a turn about z, twice as large */
    const sn_bone_collider capsule = {.shape = SN_COLLIDER_CAPSULE,
                                      .radius = 0.5F,
                                      .half_height = 1,
                                      .friction = 0.25F,
                                      .transform = {1, 0, 0, 3, 0, 1, 0, 0, 0, 0, 1, 0}};
    sn_collider c;
    sn_bone_collider_pose(&capsule, before, now, &c);
    assert_true(fabs(c.radius - 1) < 1e-12 && fabs(c.half_height - 2) < 1e-12 && c.friction == 0.25 && c.key == 0);
    const double middle[3] = {1, 8, 3}, end[3] = {-1, 8, 3}, beyond[3] = {-2.5, 8, 3}, beside[3] = {1, 8, 5};
    double normal[3], moved[3];
    assert_true(fabs(sn_collider_distance(&c, middle, NULL) + 1) < 1e-12);
    assert_true(fabs(sn_collider_distance(&c, end, NULL) + 1) < 1e-12);
    assert_true(fabs(sn_collider_distance(&c, beyond, normal) - 0.5) < 1e-12 && fabs(normal[0] + 1) < 1e-12);
    assert_true(fabs(sn_collider_distance(&c, beside, NULL) - 1) < 1e-12);
    sn_collider_movement(&c, middle, moved);
    assert_true(fabs(moved[0] + 2) < 1e-12 && fabs(moved[1] - 8) < 1e-12 && fabs(moved[2] - 3) < 1e-12);
}

/* What the frame's axes may fall together by: each flattens it along the axis z of its own or more, or leaves nothing.
 */
static void stays_whole_where_its_bone_is_squashed(void **state)
{
    (void)state;
    static const double bones[][12] = {
        {1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0},          /* y becomes z, and z nothing */
        {1, 0, 0, 0, 0, 0.5, 0.7, 0, 0, 0.3, 0.42, 0}, /* z comes to lie along y */
        {0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0},          /* both along x */
        {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1e-20, 0},      /* all but nothing is left of z */
        {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    };
    const double origin[3] = {0, 0, 0};
    const sn_bone_collider ball = sn_test_ball_on_bone(0, 1, origin);
    for (size_t i = 0; i < sizeof bones / sizeof bones[0]; ++i) {
        sn_collider c;
        sn_bone_collider_pose(&ball, bones[i], bones[i], &c);
        for (int j = 0; j < 9; ++j) {
            const double *a = c.transform + 4 * (j / 3), *b = c.transform + 4 * (j % 3);
            assert_true(fabs(sn_dot3(a, b) - (j / 3 == j % 3)) < 1e-12);
        }
    }
}

static void allocates_nothing(void **state)
{
    (void)state;
    const sn_bone_collider ball = ball_below(bar);
    sn_model model = sn_test_with_bone_colliders(bar, &ball, 1, NOWHERE);
    const sn_reduced_desc desc = desc_with(0.2, 9.81);
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    sn_flesh f = sn_flesh_make(&model, &desc, NULL);
    const int before = allocation_count;
    int pushing = 0;
    for (int frame = 0; frame < 30; ++frame) {
        step(&f, NULL, 0);
        pushing += check_forces(&f) > 0;
    }
    assert_true(pushing > 5);
    assert_int_equal(allocation_count, before);
    sn_flesh_finish(&f);
    sn_set_allocator(NULL, NULL, NULL);
    free((void *)(uintptr_t)model.sample_clearances);
}

int test_bone_colliders(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sags_onto_a_ball),
        cmocka_unit_test(as_a_ball_of_the_world),
        cmocka_unit_test(as_without),
        cmocka_unit_test(rest_is_rest),
        cmocka_unit_test(leave_room_for_a_floor),
        cmocka_unit_test(anywhere_alike),
        cmocka_unit_test(a_bone_comes_into_flesh),
        cmocka_unit_test(moves_and_grows_with_its_bone),
        cmocka_unit_test(stays_whole_where_its_bone_is_squashed),
        cmocka_unit_test(allocates_nothing),
    };
    return cmocka_run_group_tests(tests, cook, finish);
}
