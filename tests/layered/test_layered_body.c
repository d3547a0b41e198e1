/* SPDX-License-Identifier: MIT */
/* Layered bodies: rest, rigid motion, what bones carry, teleports, momentum, the same bits everywhere, no allocation,
 * wrong input. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host/base/hash.h"
#include "host/base/random.h"
#include "host/layered/solver.h"
#include "host/math/quaternion.h"
#include "tests/layered/layered_test.h"
#include "tests/support/count_allocations.h"
#include "tests/support/log.h"

static const sn_layered_mode modes[] = {SN_LAYERED_UNORDERED, SN_LAYERED_LAYERS};

static void test_rest_stays(void **state)
{
    (void)state;
    double pose[24];
    sn_leg_pose(0, 0, 0, pose);
    for (int round = 0; round < 8; ++round) {
        sn_test_leg leg = sn_test_leg_make(4, 10);
        leg.desc.mode = modes[round % 2];
        sn_layered_model *model = sn_leg_model(&leg);
        sn_layered_settings settings = sn_default_layered_settings();
        settings.time_step = 1e-3 * pow(10, round / 2); /* up to a second */
        settings.substep_count = 1;
        settings.sweep_count = 5;
        sn_layered_body *body = sn_leg_body(model, &settings);
        double *places = sn_leg_places(&leg);
        for (int i = 0; i < 5; ++i) {
            sn_layered_body_step(body, pose, NULL);
        }
        sn_layered_body_positions(body, places);
        for (int i = 0; i < 3 * leg.desc.vertex_count; ++i) {
            assert_true(fabs(places[i] - leg.positions[i]) < 1e-7); /* floats of the places */
        }
        sn_layered_body_destroy(&body);
        sn_layered_model_destroy(&model);
        sn_arena_finish(&leg.arena);
    }
}

static void turn_pose(const double *from, double *pose)
{
    const double axis[3] = {0.4, -0.7, 0.9};
    double q[4], r[9], transform[12] = {0, 0, 0, 3, 0, 0, 0, -2, 0, 0, 0, 5};
    sn_quaternion_from_vector(axis, q);
    sn_quaternion_to_matrix(q, r);
    for (int i = 0; i < 9; ++i) {
        transform[4 * (i / 3) + i % 3] = r[i];
    }
    for (int bone = 0; bone < 2; ++bone) {
        sn_affine_multiply(transform, from + 12 * bone, pose + 12 * bone);
    }
}

/* A body that is reset to a pose that is turned and shifted is its rest shape there, and stays. */
static void test_rigid_poses_are_rest(void **state)
{
    (void)state;
    double still[24], pose[24];
    sn_leg_pose(0, 0, 0, still);
    turn_pose(still, pose);
    for (int round = 0; round < 2; ++round) {
        sn_test_leg leg = sn_test_leg_make(4, 10);
        leg.desc.mode = modes[round];
        sn_leg_material(&leg, 1e5, 0.4, 10);
        sn_layered_model *model = sn_leg_model(&leg);
        const sn_layered_settings settings = sn_default_layered_settings();
        sn_layered_body *body = sn_leg_body(model, &settings);
        double *places = sn_leg_places(&leg);
        sn_layered_body_reset(body, pose);
        for (int i = 0; i < 10; ++i) {
            assert_false(sn_layered_body_step(body, pose, NULL).is_recovered);
        }
        sn_layered_body_positions(body, places);
        for (int v = 0; v < leg.desc.vertex_count; ++v) {
            double expected[3];
            sn_affine_apply(pose, leg.positions + 3 * v, expected);
            assert_true(sn_distance3(places + 3 * v, expected) < 2e-6);
        }
        sn_layered_body_destroy(&body);
        sn_layered_model_destroy(&model);
        sn_arena_finish(&leg.arena);
    }
}

/* Bones carry their vertices where their poses are: also half way between two, where a bone has turned by half. */
static void test_bones_carry_exactly(void **state)
{
    (void)state;
    sn_test_leg leg = sn_test_leg_make(4, 10);
    sn_layered_model *model = sn_leg_model(&leg);
    sn_layered_settings settings = sn_default_layered_settings();
    settings.substep_count = 2;
    sn_layered_body *body = sn_leg_body(model, &settings);
    double pose[24], half[12], expected[3], place[3], *places = sn_leg_places(&leg);
    sn_leg_pose(0, 0.5, 0, pose);
    sn_layered_body_step(body, pose, NULL);
    sn_layered_body_positions(body, places);
    int attached = 0;
    for (int v = 0; v < leg.desc.vertex_count; ++v) {
        if (leg.bones[v] >= 0) {
            sn_affine_apply(pose + 12 * leg.bones[v], leg.positions + 3 * v, expected);
            assert_true(sn_distance3(places + 3 * v, expected) < 1e-7);
            ++attached;
        }
    }
    assert_int_equal(attached, sn_layered_model_counts(model).attached_vertex_count);
    assert_true(attached > 20);
    const double *pivot = model->pivots + 3; /* half a turn about it, and half of its way */
    sn_blend_apply(&body->blends[1], 0.5, half);
    const double c = cos(0.25), s = sin(0.25), moved[12] = {1, 0, 0, 0, 0, c, -s, 0, 0, s, c, 0};
    for (int i = 0; i < 12; ++i) {
        assert_true(i % 4 == 3 || fabs(half[i] - moved[i]) < 1e-9);
    }
    sn_affine_apply(half, pivot, place);
    sn_affine_apply(pose + 12, pivot, expected);
    for (int d = 0; d < 3; ++d) {
        assert_true(fabs(place[d] - (pivot[d] + expected[d]) / 2) < 1e-12);
    }
    sn_layered_body_destroy(&body);
    sn_layered_model_destroy(&model);
    sn_arena_finish(&leg.arena);
}

static void shake(sn_layered_body *body, int steps, bool is_turned)
{
    double pose[24], turned[24];
    for (int i = 0; i < steps; ++i) {
        sn_leg_pose(0.1 * sin(0.3 * i), 0.8 * sin(0.2 * i), 0.4 * sin(0.1 * i), pose);
        turn_pose(pose, turned);
        assert_false(sn_layered_body_step(body, is_turned ? turned : pose, NULL).is_recovered);
    }
}

/* One that is teleported half way moves as one that began there. */
static void test_teleports_are_not_felt(void **state)
{
    (void)state;
    sn_test_leg leg = sn_test_leg_make(4, 10);
    sn_layered_model *model = sn_leg_model(&leg);
    sn_layered_settings settings = sn_default_layered_settings();
    settings.is_double = true;
    sn_layered_body *one = sn_leg_body(model, &settings), *other = sn_leg_body(model, &settings);
    double pose[24], turned[24], *places[2] = {sn_leg_places(&leg), sn_leg_places(&leg)};
    sn_leg_pose(0, 0, 0, pose);
    turn_pose(pose, turned);
    shake(one, 10, false);
    sn_layered_body_teleport(one, turned);
    shake(one, 10, true);
    sn_layered_body_reset(other, turned);
    shake(other, 10, true);
    shake(other, 10, true);
    sn_layered_body_positions(one, places[0]);
    sn_layered_body_positions(other, places[1]);
    assert_true(sn_leg_distance(&leg, places[0], places[1]) < 1e-8);
    sn_layered_body_destroy(&one);
    sn_layered_body_destroy(&other);
    sn_layered_model_destroy(&model);
    sn_arena_finish(&leg.arena);
}

/* Small steps conserve both momenta of what nothing holds; the paper's heavy layers do not. */
static void test_free_bodies_keep_their_momenta(void **state)
{
    (void)state;
    double drift[2] = {0};
    for (int round = 0; round < 2; ++round) {
        sn_test_leg leg = sn_test_leg_make(4, 10);
        if (round == 0) {
            sn_leg_set_free(&leg);
        }
        leg.desc.mode = round == 0 ? SN_LAYERED_UNORDERED : SN_LAYERED_LAYERS;
        sn_layered_model *model = sn_leg_model(&leg);
        sn_layered_settings settings = sn_default_layered_settings();
        settings.is_double = true;
        settings.sweep_count = round == 0 ? 1 : 10;
        settings.substep_count = round == 0 ? 15 : 1;
        sn_layered_body *body = sn_leg_body(model, &settings);
        double pose[24], *velocities = sn_leg_places(&leg);
        uint64_t seed = 3;
        sn_leg_pose(0, 0, 0, pose);
        for (int v = 0; v < model->attached_vertex_count; ++v) { /* the layers are there, but nothing holds them */
            sn_xpbd_body_unpin(body->flesh, model->attached[model->attached_vertex_count - 1 - v].vertex);
        }
        ((sn_layered_model *)body->model)->attached_vertex_count = 0;
        for (int i = 0; i < 3 * leg.desc.vertex_count; ++i) {
            velocities[i] = 2 * sn_random_unit(&seed) - 1;
        }
        sn_xpbd_body_set_velocities(body->flesh, velocities);
        const sn_xpbd_energy before = sn_xpbd_body_energy(body->flesh);
        for (int i = 0; i < 60; ++i) {
            sn_layered_body_step(body, pose, NULL);
        }
        const sn_xpbd_energy after = sn_xpbd_body_energy(body->flesh);
        drift[round] = sn_distance3(before.momentum, after.momentum);
        if (round == 0) {
            /* which steps of time keep but for their length */
            assert_true(sn_distance3(before.angular_momentum, after.angular_momentum) <
                        0.01 * sn_length3(before.angular_momentum));
        }
        sn_layered_body_destroy(&body);
        sn_layered_model_destroy(&model);
        sn_arena_finish(&leg.arena);
    }
    print_message("drift of momentum: small steps %.1e, heavy layers %.1e\n", drift[0], drift[1]);
    assert_true(drift[0] < 1e-6);
    assert_true(drift[1] > 1e-3);
}

/* Two legs side by side, a quarter of a tet apart, each with bones of its own: drawn apart, both stay at rest. */
static void test_unconnected_flesh_does_not_feel_the_other(void **state)
{
    (void)state;
    for (int round = 0; round < 2; ++round) {
        sn_test_leg leg = sn_test_leg_make(4, 10);
        const size_t vertices = (size_t)leg.desc.vertex_count, tets = (size_t)leg.desc.tet_count;
        double *positions = SN_NEW(&leg.arena, double, 6 * vertices),
               *masses = SN_NEW(&leg.arena, double, 2 * vertices);
        double *stiffness = SN_NEW(&leg.arena, double, 14 * tets), *places = SN_NEW(&leg.arena, double, 6 * vertices);
        int32_t *both = SN_NEW(&leg.arena, int32_t, 8 * tets), *bones = SN_NEW(&leg.arena, int32_t, 2 * vertices);
        for (size_t i = 0; i < 6 * vertices; ++i) {
            const double beside = i >= 3 * vertices && i % 3 == 0 ? 2.125 * SN_LEG_RADIUS : 0;
            positions[i] = leg.positions[i % (3 * vertices)] + beside;
        }
        for (size_t v = 0; v < 2 * vertices; ++v) {
            masses[v] = leg.masses[v % vertices];
            bones[v] = leg.bones[v % vertices] < 0 ? -1 : v < vertices ? 0 : 1;
        }
        for (size_t i = 0; i < 8 * tets; ++i) {
            both[i] = leg.tets[i % (4 * tets)] + (i < 4 * tets ? 0 : (int32_t)vertices);
        }
        for (size_t i = 0; i < 14 * tets; ++i) {
            stiffness[i] = leg.stiffness[i % (7 * tets)];
        }
        const sn_layered_desc desc = {.vertex_count = (int)(2 * vertices),
                                      .positions = positions,
                                      .masses = masses,
                                      .tet_count = (int)(2 * tets),
                                      .tets = both,
                                      .stiffness = stiffness,
                                      .bone_count = 2,
                                      .bones = bones,
                                      .mode = modes[round]};
        sn_layered_model *model = NULL;
        assert_int_equal(sn_layered_model_create(&desc, &model), SN_OK);
        sn_layered_settings settings = sn_default_layered_settings();
        settings.damping = 6;
        sn_layered_body *body = sn_leg_body(model, &settings);
        double pose[24];
        for (int i = 0; i < 30; ++i) {
            sn_leg_pose(0, 0, 0, pose);
            pose[15] = 0.5 * (i + 1) / 30;
            assert_false(sn_layered_body_step(body, pose, NULL).is_recovered);
        }
        for (int i = 0; i < 60; ++i) {
            sn_layered_body_step(body, pose, NULL);
        }
        sn_layered_body_positions(body, places);
        for (size_t v = 0; v < 2 * vertices; ++v) {
            double expected[3];
            sn_affine_apply(pose + (v < vertices ? 0 : 12), positions + 3 * v, expected);
            assert_true(sn_distance3(places + 3 * v, expected) < 1e-4);
        }
        sn_layered_body_destroy(&body);
        sn_layered_model_destroy(&model);
        sn_arena_finish(&leg.arena);
    }
}

/* What the caller holds stays where it is, also where layers are made heavier. */
static void test_hard_pins_hold_in_layers(void **state)
{
    (void)state;
    sn_test_leg leg = sn_test_leg_make(4, 10);
    leg.desc.mode = SN_LAYERED_LAYERS;
    sn_layered_model *model = sn_leg_model(&leg);
    sn_layered_settings settings = sn_default_layered_settings();
    settings.substep_count = 1;
    settings.sweep_count = 10;
    settings.gravity[1] = -9.81;
    sn_layered_body *body = sn_leg_body(model, &settings);
    double pose[24], *places = sn_leg_places(&leg);
    int held = 0;
    while (leg.bones[held] >= 0) {
        ++held;
    }
    assert_int_equal(sn_xpbd_body_pin(body->flesh, held, INFINITY), SN_OK);
    for (int i = 0; i < 10; ++i) {
        sn_leg_pose(0.01 * i, 0, 0, pose);
        assert_false(sn_layered_body_step(body, pose, NULL).is_recovered);
    }
    sn_layered_body_positions(body, places);
    assert_true(sn_distance3(places + 3 * held, leg.positions + 3 * held) < 1e-7);
    sn_layered_body_destroy(&body);
    sn_layered_model_destroy(&model);
    sn_arena_finish(&leg.arena);
}

static uint64_t hash_run(const sn_layered_model *model, sn_test_leg *leg, sn_xpbd_instructions instructions)
{
    double *places = sn_leg_places(leg);
    sn_layered_settings settings = sn_default_layered_settings();
    settings.instructions = instructions;
    settings.sweep_count = leg->desc.mode == SN_LAYERED_UNORDERED ? 1 : 4;
    settings.substep_count = leg->desc.mode == SN_LAYERED_UNORDERED ? 6 : 1;
    settings.consolidation_sweep_count = 2;
    settings.damping = 2;
    settings.gravity[1] = -9.81;
    sn_layered_body *body = sn_leg_body(model, &settings);
    shake(body, 12, false);
    sn_layered_body_positions(body, places);
    sn_layered_body_destroy(&body);
    return sn_hash(SN_HASH_SEED, places, 3 * sizeof *places * (size_t)leg->desc.vertex_count);
}

static void test_instruction_sets_agree(void **state)
{
    (void)state;
    for (int round = 0; round < 2; ++round) {
        sn_test_leg leg = sn_test_leg_make(4, 10);
        leg.desc.mode = modes[round];
        sn_layered_model *model = sn_leg_model(&leg);
        const uint64_t expected = hash_run(model, &leg, SN_XPBD_SCALAR);
        for (sn_xpbd_instructions i = SN_XPBD_BASELINE; i <= SN_XPBD_AVX512; ++i) {
            assert_true(hash_run(model, &leg, i) == expected);
        }
        sn_layered_model_destroy(&model);
        sn_arena_finish(&leg.arena);
    }
}

static void test_steps_allocate_nothing(void **state)
{
    (void)state;
    for (int round = 0; round < 2; ++round) {
        sn_test_leg leg = sn_test_leg_make(4, 10);
        leg.desc.mode = modes[round];
        sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
        sn_layered_model *model = sn_leg_model(&leg);
        sn_layered_settings settings = sn_default_layered_settings();
        settings.sweep_count = 2;
        sn_layered_body *body = sn_leg_body(model, &settings);
        shake(body, 1, false);
        allocation_count = 0;
        shake(body, 5, false);
        assert_int_equal(allocation_count, 0);
        sn_layered_body_destroy(&body);
        sn_layered_model_destroy(&model);
        sn_set_allocator(NULL, NULL, NULL);
        sn_arena_finish(&leg.arena);
    }
}

/* A pose that is none is refused, a state that is none is reset to the pose. */
static void test_wrong_numbers_are_survived(void **state)
{
    (void)state;
    sn_test_leg leg = sn_test_leg_make(4, 10);
    sn_layered_model *model = sn_leg_model(&leg);
    const sn_layered_settings settings = sn_default_layered_settings();
    sn_layered_body *body = sn_leg_body(model, &settings);
    double pose[24], *places = sn_leg_places(&leg), *velocities = sn_leg_places(&leg);
    shake(body, 5, false);
    sn_leg_pose(0, 0.3, 0, pose);
    pose[17] = NAN;
    assert_true(sn_layered_body_step(body, pose, NULL).is_refused);
    sn_layered_body_positions(body, places);
    for (int i = 0; i < 3 * leg.desc.vertex_count; ++i) {
        assert_true(isfinite(places[i]));
    }
    sn_leg_pose(0, 0.3, 0, pose);
    velocities[3 * (leg.desc.vertex_count / 2)] = velocities[0] = NAN;
    sn_xpbd_body_set_velocities(body->flesh, velocities);
    assert_true(sn_layered_body_step(body, pose, NULL).is_recovered);
    for (int i = 0; i < 30; ++i) {
        assert_false(sn_layered_body_step(body, pose, NULL).is_recovered);
    }
    sn_layered_body_positions(body, places);
    int inverted = 0;
    assert_true(sn_leg_joint_volume(&leg, places, 1, &inverted) > 0.9);
    assert_int_equal(inverted, 0);
    sn_layered_body_destroy(&body);
    sn_layered_model_destroy(&model);
    sn_arena_finish(&leg.arena);
}

/* Damping leaves alone what goes along with a bone, however fast. */
static void test_damping_drags_nothing_behind(void **state)
{
    (void)state;
    double behind[2];
    for (int round = 0; round < 2; ++round) {
        sn_test_leg leg = sn_test_leg_make(4, 10);
        sn_layered_model *model = sn_leg_model(&leg);
        sn_layered_settings settings = sn_default_layered_settings();
        settings.damping = 30;
        settings.is_rigid_damped = round == 1;
        sn_layered_body *body = sn_leg_body(model, &settings);
        double pose[24], *places = sn_leg_places(&leg);
        for (int i = 0; i < 60; ++i) { /* at 1.2 m/s */
            sn_leg_pose(0.02 * i, 0, 0, pose);
            sn_layered_body_step(body, pose, NULL);
        }
        sn_layered_body_positions(body, places);
        for (int v = 0; v < leg.desc.vertex_count; ++v) {
            places[3 * v + 1] -= pose[7];
        }
        behind[round] = sn_leg_distance(&leg, places, leg.positions);
        sn_layered_body_destroy(&body);
        sn_layered_model_destroy(&model);
        sn_arena_finish(&leg.arena);
    }
    assert_true(behind[0] < 1e-5);
    assert_true(behind[1] > 1e-4);
}

/* What sleeps is woken by its pose. */
static void test_bodies_sleep(void **state)
{
    (void)state;
    sn_test_leg leg = sn_test_leg_make(4, 6);
    sn_layered_model *model = sn_leg_model(&leg);
    sn_layered_settings settings = sn_default_layered_settings();
    settings.damping = 20;
    settings.is_rigid_damped = true;
    settings.sleep_speed = 1e-2;
    sn_layered_body *body = sn_leg_body(model, &settings);
    double pose[24];
    sn_leg_pose(0, 0.4, 0, pose);
    int steps = 0;
    while (!sn_layered_body_step(body, pose, NULL).is_asleep && steps < 300) {
        ++steps;
    }
    assert_true(steps > 30 && steps < 300);
    sn_leg_pose(0, 0.41, 0, pose);
    assert_false(sn_layered_body_step(body, pose, NULL).is_asleep);
    sn_layered_body_destroy(&body);
    sn_layered_model_destroy(&model);
    sn_arena_finish(&leg.arena);
}

static void refuse(const sn_test_leg *leg, const char *says)
{
    sn_layered_model *model = NULL;
    begin_log();
    assert_int_equal(sn_layered_model_create(&leg->desc, &model), SN_ERROR_ARGUMENT);
    assert_null(model);
    assert_one_error(says);
    sn_set_log(NULL, NULL);
}

/* Lines have the caller's numbers, though tets that bones carry whole are no flesh; these are looked at, too. */
static void test_refusals_name_the_callers_tets(void **state)
{
    (void)state;
    sn_test_leg leg = sn_test_leg_make(6, 10);
    const int last = leg.desc.tet_count - 1;
    char says[64];
    leg.stiffness[7 * last + 2] = -1;
    snprintf(says, sizeof says, "element %d: stiffness 2 is -1", last);
    for (int k = 0; k < 4; ++k) { /* the first tet is carried whole */
        leg.bones[leg.tets[k]] = 0;
    }
    refuse(&leg, says);
    leg.stiffness[7 * last + 2] = 1;
    const int32_t swapped = leg.tets[0];
    leg.tets[0] = leg.tets[1];
    leg.tets[1] = swapped;
    refuse(&leg, "tet 0: volume -");
    sn_arena_finish(&leg.arena);
}

static void test_refusals(void **state)
{
    (void)state;
    sn_test_leg leg = sn_test_leg_make(4, 4);
    leg.bones[3] = 2;
    refuse(&leg, "vertex 3: bone 2 does not exist; there are 2 bones");
    leg.bones[3] = -1;
    leg.masses[5] = 0;
    refuse(&leg, "vertex 5: mass 0");
    sn_leg_weigh(&leg);
    leg.tets[9] = 999;
    refuse(&leg, "tet 2: vertex 999 does not exist");
    leg.tets[9] = leg.tets[8];
    refuse(&leg, "tet 2: vertex ");
    leg.tets[9] = 0;
    leg.desc.tet_count = 0;
    refuse(&leg, "0 tets");
    sn_arena_finish(&leg.arena);
    leg = sn_test_leg_make(4, 4);
    sn_layered_model *model = sn_leg_model(&leg);
    sn_layered_settings settings = sn_default_layered_settings();
    sn_layered_body *body = NULL;
    settings.stiffness = 0;
    begin_log();
    assert_int_equal(sn_layered_body_create(model, &settings, NULL, &body), SN_ERROR_ARGUMENT);
    assert_one_error("a setting is not finite or out of its range");
    sn_set_log(NULL, NULL);
    sn_layered_model_destroy(&model);
    sn_arena_finish(&leg.arena);
}

int test_layered_body(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rest_stays),
                                       cmocka_unit_test(test_rigid_poses_are_rest),
                                       cmocka_unit_test(test_bones_carry_exactly),
                                       cmocka_unit_test(test_teleports_are_not_felt),
                                       cmocka_unit_test(test_free_bodies_keep_their_momenta),
                                       cmocka_unit_test(test_unconnected_flesh_does_not_feel_the_other),
                                       cmocka_unit_test(test_hard_pins_hold_in_layers),
                                       cmocka_unit_test(test_instruction_sets_agree),
                                       cmocka_unit_test(test_steps_allocate_nothing),
                                       cmocka_unit_test(test_wrong_numbers_are_survived),
                                       cmocka_unit_test(test_damping_drags_nothing_behind),
                                       cmocka_unit_test(test_bodies_sleep),
                                       cmocka_unit_test(test_refusals_name_the_callers_tets),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
