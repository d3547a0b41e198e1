/* SPDX-License-Identifier: MIT */
/* What layered flesh is worth: moduli along fibres and across them, recovery from any start, few sweeps against many,
 * volume at joints against linear blend and dual quaternion skinning. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/base/random.h"
#include "host/layered/solver.h"
#include "host/math/quaternion.h"
#include "tests/layered/layered_test.h"

/* ---- fibres ---- */

/* The bar that measures: it is held at one end, and drawn by its weight. */
typedef struct load {
    const double *axes;
    double young, poisson, fibre;
    sn_layered_mode mode;
    int substeps, sweeps;
    double shear; /* times the isotropic one */
} load;

#define CELL 0.01

/* Young's modulus from load and displacement, rho g L^2 / (2 d), d the way of the free end (kPa). */
static double measure_young(const load *by)
{
    sn_test_leg bar = {0};
    const int nx = 36, ny = 4;
    const double length = CELL * nx, gravity = 1e-4 * by->young;
    sn_tet_mesh mesh = sn_test_bar(&bar.arena, nx, ny, ny, CELL);
    double *masses = SN_NEW(&bar.arena, double, mesh.vertex_count), pose[24], way = 0;
    double *frames = SN_NEW(&bar.arena, double, 9 * mesh.tet_count);
    bar = (sn_test_leg){.arena = bar.arena, .positions = mesh.positions, .tets = mesh.tets, .masses = masses};
    bar.stiffness = SN_NEW(&bar.arena, double, 7 * mesh.tet_count);
    bar.bones = SN_NEW(&bar.arena, int32_t, mesh.vertex_count);
    for (int i = 0; i < 9 * mesh.tet_count; ++i) {
        frames[i] = by->axes[i % 9];
    }
    bar.desc = (sn_layered_desc){.vertex_count = mesh.vertex_count,
                                 .positions = mesh.positions,
                                 .masses = masses,
                                 .tet_count = mesh.tet_count,
                                 .tets = mesh.tets,
                                 .stiffness = bar.stiffness,
                                 .frames = frames,
                                 .bone_count = 2,
                                 .bones = bar.bones,
                                 .mode = by->mode};
    for (int v = 0; v < mesh.vertex_count; ++v) {
        bar.bones[v] = mesh.positions[3 * v] < 0.1 * CELL ? 0 : -1;
    }
    sn_leg_weigh(&bar);
    sn_leg_material(&bar, by->young, by->poisson, by->fibre);
    for (int i = 0; i < 7 * mesh.tet_count; ++i) {
        bar.stiffness[i] *= i % 7 > 2 && i % 7 < 6 ? by->shear : 1;
    }
    sn_layered_model *model = sn_leg_model(&bar);
    sn_layered_settings settings = sn_default_layered_settings();
    settings.substep_count = by->substeps;
    settings.sweep_count = by->sweeps;
    settings.damping = 40;
    settings.is_rigid_damped = true;
    settings.gravity[0] = gravity;
    sn_layered_body *body = sn_leg_body(model, &settings);
    double *places = sn_leg_places(&bar);
    sn_leg_pose(0, 0, 0, pose);
    for (int i = 0; i < 60; ++i) {
        assert_false(sn_layered_body_step(body, pose, NULL).is_recovered);
    }
    sn_layered_body_positions(body, places);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        const double x = mesh.positions[3 * v];
        way += x > length - 0.1 * CELL ? (places[3 * v] - x) / ((ny + 1) * (ny + 1)) : 0;
    }
    sn_layered_body_destroy(&body);
    sn_layered_model_destroy(&model);
    sn_arena_finish(&bar.arena);
    return SN_LEG_DENSITY * gravity * length * length / (2 * way) / 1e3;
}

static const double along[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* A load moves flesh by what its modulus says, in every mode. */
static void test_moduli_hold_their_load(void **state)
{
    (void)state;
    const load loads[] = {{along, 28e3, 0, 1, SN_LAYERED_UNORDERED, 0, 1, 1},
                          {along, 1e5, 0, 1, SN_LAYERED_UNORDERED, 0, 1, 1},
                          {along, 28e3, 0, 1, SN_LAYERED_LAYERS, 0, 1, 1}};
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; ++i) {
        const double young = measure_young(&loads[i]);
        print_message("mode %d: %.2f of %.0f kPa\n", (int)loads[i].mode, young, loads[i].young / 1e3);
        assert_true(fabs(young / (loads[i].young / 1e3) - 1) < 0.08);
    }
}

/* By hand, of a long bar: 208, 32.5 and 30 kPa; ends that are held add some. */
static void test_fibres_stiffen_their_direction(void **state)
{
    (void)state;
    const double r = sqrt(0.5);
    const double across[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    const double slanted[9] = {r, -r, 0, r, r, 0, 0, 0, 1};
    const double *const axes[3] = {along, across, slanted};
    double young[3];
    for (int i = 0; i < 3; ++i) { /* E = 28, nu = .4 (kPa) with tenfold stiffness along an axis */
        const load by = {axes[i], 28e3, 0.4, 10, SN_LAYERED_UNORDERED, 0, 1, 1};
        young[i] = measure_young(&by);
    }
    print_message("along %.0f, across %.1f, slanted %.1f kPa\n", young[0], young[1], young[2]);
    assert_true(young[0] > 190 && young[0] < 215);
    assert_true(young[1] > 30.5 && young[1] < 35);
    assert_true(young[2] > 28 && young[2] < 33);
    /* shear alone, ten times: 75.7 by hand; as many substeps as stretch asks for would leave 61 of it */
    const load by = {slanted, 28e3, 0.4, 1, SN_LAYERED_UNORDERED, 0, 1, 10};
    const double sheared = measure_young(&by);
    print_message("slanted, with tenfold shear: %.1f kPa\n", sheared);
    assert_true(fabs(sheared / 75.7 - 1) < 0.08);
}

/* ---- any start ---- */

/* What flesh of lambda >= mu does from a start; returns how far it is from rest. */
static double recover(const sn_test_leg *leg, const sn_layered_model *model, const double *start, double *places)
{
    sn_layered_settings settings = sn_default_layered_settings();
    double pose[24];
    int inverted = 0;
    settings.damping = 6;
    settings.is_rigid_damped = true;
    sn_layered_body *body = sn_leg_body(model, &settings);
    sn_leg_pose(0, 0, 0, pose);
    sn_layered_body_set_positions(body, start);
    for (int i = 0; i < 80; ++i) {
        assert_false(sn_layered_body_step(body, pose, NULL).is_recovered);
    }
    sn_layered_body_positions(body, places);
    sn_leg_joint_volume(leg, places, 1, &inverted);
    sn_layered_body_destroy(&body);
    return inverted > 0 ? INFINITY : sn_leg_distance(leg, places, leg->positions);
}

static void test_recovers_from_any_start(void **state)
{
    (void)state;
    static const char *const names[] = {"random", "flat", "mirrored", "collapsed"};
    sn_test_leg leg = sn_test_leg_make(4, 10);
    double *start = sn_leg_places(&leg), *places = sn_leg_places(&leg);
    for (int round = 0; round < 4; ++round) {
        uint64_t seed = 5;
        sn_layered_model *model = sn_leg_model(&leg);
        for (int i = 0; i < 3 * leg.desc.vertex_count; ++i) {
            const double x = leg.positions[i], noise = 2 * sn_random_unit(&seed) - 1;
            const double starts[4] = {0.4 * noise, i % 3 == 2 ? 0 : x, i % 3 == 2 ? -x : x, 1e-3 * noise};
            start[i] = starts[round % 4];
        }
        const double distance = recover(&leg, model, start, places);
        print_message("%s: %.2e m from rest\n", names[round % 4], distance);
        assert_true(distance < 1e-3);
        sn_layered_model_destroy(&model);
    }
    sn_arena_finish(&leg.arena);
}

/* ---- few sweeps against many ---- */

#define FRAMES 5

/* The leg's jump with its knee bent; places (FRAMES x vertex_count x 3). */
static void jump(sn_test_leg *leg, sn_layered_mode mode, int substeps, int sweeps, int consolidating, double *places)
{
    leg->desc.mode = mode;
    sn_layered_model *model = sn_leg_model(leg);
    sn_layered_settings settings = sn_default_layered_settings();
    settings.time_step = 1.0 / 30;
    settings.substep_count = substeps;
    settings.sweep_count = sweeps;
    settings.consolidation_sweep_count = consolidating;
    settings.gravity[1] = -9.81;
    sn_layered_body *body = sn_leg_body(model, &settings);
    for (int f = 0; f < FRAMES; ++f) {
        double pose[24];
        sn_leg_pose(0.3 * sin(0.1 * (f + 1)), 0.6 * (1 - cos(0.2 * (f + 1))), 0, pose);
        assert_false(sn_layered_body_step(body, pose, NULL).is_recovered);
        sn_layered_body_positions(body, places + 3 * (size_t)f * (size_t)leg->desc.vertex_count);
    }
    sn_layered_body_destroy(&body);
    sn_layered_model_destroy(&model);
}

static double jump_error(const sn_test_leg *leg, const double *a, const double *b)
{
    double sum = 0;
    for (size_t f = 0; f < FRAMES; ++f) {
        const size_t at = 3 * f * (size_t)leg->desc.vertex_count;
        const double one = sn_leg_distance(leg, a + at, b + at);
        sum += one * one / FRAMES;
    }
    return sqrt(sum);
}

/* Layers with heavy masses are worth several times their sweeps, order alone nothing; small steps beat as many sweeps.
 */
static void test_few_sweeps_are_worth_many(void **state)
{
    (void)state;
    sn_test_leg leg = sn_test_leg_make(12, 28);
    double *exact = SN_NEW(&leg.arena, double, 3 * FRAMES * leg.desc.vertex_count);
    double *fine = SN_NEW(&leg.arena, double, 3 * FRAMES * leg.desc.vertex_count);
    double *places = SN_NEW(&leg.arena, double, 3 * FRAMES * leg.desc.vertex_count);
    sn_leg_material(&leg, 1e6, 0.4, 1);
    jump(&leg, SN_LAYERED_UNORDERED, 1, 200, 0, exact);
    jump(&leg, SN_LAYERED_UNORDERED, 10, 20, 0, fine);
    double errors[5];
    static const struct {
        const char *name;
        sn_layered_mode mode;
        int substeps, sweeps, consolidating;
    } runs[] = {{"unordered, 10", SN_LAYERED_UNORDERED, 1, 10, 0},
                {"unordered, 50", SN_LAYERED_UNORDERED, 1, 50, 0},
                {"layers, 10, 6 heavy", SN_LAYERED_LAYERS, 1, 10, 6},
                {"layers, 10", SN_LAYERED_LAYERS, 1, 10, 0},
                {"small steps", SN_LAYERED_UNORDERED, 10, 1, 0}};
    for (int i = 0; i < 5; ++i) {
        jump(&leg, runs[i].mode, runs[i].substeps, runs[i].sweeps, runs[i].consolidating, places);
        errors[i] = jump_error(&leg, places, i < 4 ? exact : fine);
        print_message("%s: %.2f mm\n", runs[i].name, 1e3 * errors[i]);
    }
    assert_true(errors[2] < 0.75 * errors[0]);
    assert_true(errors[3] > errors[0]);
    assert_true(errors[4] < 0.75 * errors[0]);
    sn_arena_finish(&leg.arena);
}

/* ---- joints ---- */

/* Weight of the upper bone, falling over the joint. */
static double upper_weight(double y)
{
    const double at = fmin(fmax(0.5 + y / (2.5 * SN_LEG_RADIUS), 0), 1);
    return at * at * (3 - 2 * at);
}

/* The skinned leg: transforms blended linearly, or as dual quaternions (which turn about the joint, the origin, here:
 * their dual parts vanish). */
static void skin_leg(const sn_test_leg *leg, const double *pose, bool is_dual, double *places)
{
    double turns[2][4], linear[9];
    for (int bone = 0; bone < 2; ++bone) {
        for (int i = 0; i < 9; ++i) {
            linear[i] = pose[12 * bone + 4 * (i / 3) + i % 3];
        }
        sn_quaternion_from_matrix(linear, turns[bone]);
    }
    for (int v = 0; v < leg->desc.vertex_count; ++v) {
        const double *x = leg->positions + 3 * v, weight = upper_weight(x[1]);
        double blended[12] = {0}, q[4];
        for (int i = 0; i < 12; ++i) {
            blended[i] = weight * pose[i] + (1 - weight) * pose[12 + i];
        }
        if (is_dual) {
            sn_quaternion_blend(turns[1], turns[0], weight, q);
            sn_quaternion_to_matrix(q, linear);
            for (int i = 0; i < 9; ++i) {
                blended[4 * (i / 3) + i % 3] = linear[i];
            }
        }
        sn_affine_apply(blended, x, places + 3 * v);
    }
}

static void test_joints_keep_their_volume(void **state)
{
    (void)state;
    static const double bends[3] = {90, 140, 0}, twists[3] = {0, 0, 179.9};
    static const double least[3] = {0.90, 0.88, 0.88};
    sn_test_leg leg = sn_test_leg_make(6, 16);
    double *places = sn_leg_places(&leg);
    for (int round = 0; round < 3; ++round) {
        sn_layered_model *model = sn_leg_model(&leg);
        sn_layered_settings settings = sn_default_layered_settings();
        settings.damping = 6;
        settings.is_rigid_damped = true;
        sn_layered_body *body = sn_leg_body(model, &settings);
        double pose[24], ratios[3];
        for (int i = 0; i < 45; ++i) {
            const double way = fmin(1, (i + 1) / 30.0) * 3.14159265358979 / 180;
            sn_leg_pose(0, bends[round] * way, twists[round] * way, pose);
            assert_false(sn_layered_body_step(body, pose, NULL).is_recovered);
        }
        sn_layered_body_positions(body, places);
        ratios[0] = sn_leg_joint_volume(&leg, places, 2 * SN_LEG_RADIUS, NULL);
        for (int dual = 0; dual < 2; ++dual) {
            skin_leg(&leg, pose, dual, places);
            ratios[1 + dual] = sn_leg_joint_volume(&leg, places, 2 * SN_LEG_RADIUS, NULL);
        }
        print_message("bend %.0f, twist %.0f: volume %.3f, linear blend %.3f, dual quaternions %.3f\n", bends[round],
                      twists[round], ratios[0], ratios[1], ratios[2]);
        assert_true(ratios[0] > least[round]);
        assert_true(ratios[0] > ratios[1] + 0.02);
        sn_layered_body_destroy(&body);
        sn_layered_model_destroy(&model);
    }
    sn_arena_finish(&leg.arena);
}

/* Held bent, flesh comes to rest: the rule of substeps. */
static void test_held_bends_do_not_jitter(void **state)
{
    (void)state;
    sn_test_leg leg = sn_test_leg_make(4, 12);
    double *before = sn_leg_places(&leg), *after = sn_leg_places(&leg), pose[24];
    for (int round = 0; round < 2; ++round) {
        sn_leg_material(&leg, 3e5, 0.4, round == 0 ? 1 : 10);
        sn_layered_model *model = sn_leg_model(&leg);
        sn_layered_settings settings = sn_default_layered_settings();
        settings.damping = 6;
        settings.is_rigid_damped = true;
        sn_layered_body *body = sn_leg_body(model, &settings);
        assert_true(sn_layered_required_substeps(model, 1.0 / 60, 1) > 15);
        for (int i = 0; i < 90; ++i) {
            sn_leg_pose(0, fmin(1, (i + 1) / 30.0) * 1.57, 0, pose);
            sn_layered_body_positions(body, before);
            sn_layered_body_step(body, pose, NULL);
        }
        sn_layered_body_positions(body, after);
        assert_true(sn_leg_distance(&leg, before, after) < 2e-5);
        sn_layered_body_destroy(&body);
        sn_layered_model_destroy(&model);
    }
    sn_arena_finish(&leg.arena);
}

int test_layered_physics(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moduli_hold_their_load),   cmocka_unit_test(test_fibres_stiffen_their_direction),
        cmocka_unit_test(test_recovers_from_any_start),  cmocka_unit_test(test_few_sweeps_are_worth_many),
        cmocka_unit_test(test_joints_keep_their_volume), cmocka_unit_test(test_held_bends_do_not_jitter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
