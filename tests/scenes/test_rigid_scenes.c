/* SPDX-License-Identifier: MIT */
/* Scenes with rigid bodies: how they fall, are hit and driven, at any frame rate; their flesh; the bowling alley. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sinew/record.h"
#include "tests/support/outline_bar.h"

#define STEP (1.0 / 60)
#define HALF 0.1 /* of a box's edge */
#define G 9.81

/* A script with one character, a box, and room for what a test adds. */
typedef struct boxes {
    sn_scene_character character;
    sn_scene_rigid rigids[3];
    sn_scene_body bodies[3];
    sn_scene_script script;
} boxes;

static void make_boxes(int count, boxes *b)
{
    *b = (boxes){.character = sn_default_scene_character()};
    b->character.shape =
        (sn_scene_shape){.type = SN_SHAPE_BOX, .edge_length = HALF, .half_extents = {HALF, HALF, HALF}};
    b->character.cook.young = 2e3;
    b->character.cook.mode_count = 4;
    b->character.cook.cluster_count = 6;
    for (int i = 0; i < 3; ++i) {
        b->rigids[i] = sn_default_scene_rigid();
        b->bodies[i] = sn_default_scene_body();
        b->bodies[i].rigid = &b->rigids[i];
        b->bodies[i].translation.at[0].constant = i;
        b->bodies[i].translation.at[1].constant = HALF;
        b->bodies[i].damping.constant = 2;
    }
    b->script = (sn_scene_script){.name = "boxes",
                                  .seconds = 10,
                                  .characters = &b->character,
                                  .character_count = 1,
                                  .bodies = b->bodies,
                                  .body_count = count,
                                  .has_floor = true,
                                  .floor_friction = 0.5};
    b->script.gravity.at[1].constant = -G;
}

static double place_of(const sn_scene *scene, int body, int axis)
{
    return (double)sn_body_output(sn_scene_body_at(scene, body)).matrices[0].m[axis][3];
}

static void near(const char *says, double value, double expected, double tolerance)
{
    print_message("%s: %.9g of %.9g\n", says, value, expected);
    assert_true(fabs(value - expected) <= tolerance);
}

static void go_on(sn_scene *scene, double seconds, int rate)
{
    for (int i = 0; i < (int)(seconds * rate + 0.5); ++i) {
        assert_int_equal(sn_scene_advance(scene, 1.0 / rate).world.recovery_count, 0);
    }
}

/* ---- what moves them ---- */

static void gravity_and_impulses_move_them(void **state)
{
    (void)state;
    static boxes b;
    make_boxes(2, &b);
    const sn_scene_impulse impulse = {.body = 0,
                                      .copy = -1,
                                      .seconds = 0.5,
                                      .bone = NULL,
                                      .point = {0, 10 + HALF, 0},
                                      .impulse = {{{.constant = 6}}}};
    const sn_scene_event event = {.seconds = 0.5,
                                  .body = 1,
                                  .copy = -1,
                                  .collider = -1,
                                  .parameters = SN_SCENE_GRAVITY,
                                  .desc = sn_default_body_desc()};
    for (int i = 0; i < 2; ++i) {
        b.rigids[i].mass = 3;
        b.rigids[i].velocity.at[1].constant = 5;
        b.bodies[i].translation.at[1].constant = 10;
    }
    b.rigids[1].mass = 0;
    b.script.impulses = &impulse;
    b.script.impulse_count = 1;
    b.script.events = &event;
    b.script.event_count = 1;
    sn_scene *scene = sn_test_create_scene(&b.script);
    near("mass of its flesh", sn_model_mass(sn_body_model(sn_scene_body_at(scene, 0))), 8e3 * pow(HALF, 3), 1e-4);
    go_on(scene, 0.5, 60);
    near("rises", place_of(scene, 0, 1), 10 + 2.5 - G / 8, 1e-5);
    go_on(scene, 0.5, 60);
    near("rises on", place_of(scene, 0, 1), 10 + 5 - G / 2, 1e-3);
    near("is hit", place_of(scene, 0, 0), 1, 1e-3);
    near("weightless", place_of(scene, 1, 1), 10 + 2.5 - G / 8 + 0.5 * (5 - G / 2), 0.02);
    sn_scene_destroy(&scene);
}

static void a_blow_at_the_bone_does_not_turn(void **state)
{
    (void)state;
    static boxes b;
    make_boxes(1, &b);
    const sn_cook_handle middle = {.name = "middle", .parent = -1};
    const sn_cook_handles rig = {.name = "box", .count = 1, .handles = &middle};
    const sn_scene_impulse impulse = {
        .copy = -1, .seconds = 0, .period = 0.25, .bone = "middle", .impulse = {{{.constant = 2}}}};
    b.character.cook.handles = &rig;
    b.rigids[0].mass = 4;
    b.script.gravity.at[1].constant = 0;
    b.script.impulses = &impulse;
    b.script.impulse_count = 1;
    b.bodies[0].translation.at[1].constant = 1;
    sn_scene *scene = sn_test_create_scene(&b.script);
    go_on(scene, 0.5, 60);
    near("hit twice", place_of(scene, 0, 0), 0.5 * 0.5 + 0.5 * 0.25, 1e-5);
    near("not turned", (double)sn_body_output(sn_scene_body_at(scene, 0)).matrices[0].m[0][0], 1, 1e-6);
    sn_scene_destroy(&scene);
}

static void what_is_kinematic_pushes(void **state)
{
    (void)state;
    static boxes b;
    make_boxes(2, &b);
    b.rigids[0].is_kinematic = true;
    b.bodies[0].translation.at[0].expression = "t";
    b.rigids[1].mass = 0.5;
    sn_scene *scene = sn_test_create_scene(&b.script);
    go_on(scene, 1.5, 60);
    near("pusher", place_of(scene, 0, 0), 1.5, 1e-5);
    near("pushed", place_of(scene, 1, 0), 1.5 + 2 * HALF, 0.01);
    near("on the floor", place_of(scene, 1, 1), HALF, 0.002);
    sn_scene_destroy(&scene);
}

/* ---- time ---- */

/* Boxes that fall on each other, a wall that moves, and an impulse in between two frames. */
static void make_mess(boxes *b, sn_scene_collider *wall, sn_scene_impulse *impulse)
{
    make_boxes(3, b);
    for (int i = 0; i < 3; ++i) {
        b->bodies[i].translation.at[0].constant = 0.05 * i;
        b->bodies[i].translation.at[1].constant = 0.2 + 0.3 * i;
        b->bodies[i].rotation.at[2].constant = 0.3 * i;
        b->rigids[i].angular_velocity.at[0].constant = i;
        b->rigids[i].restitution = 0.3;
        b->rigids[i].mass = 1;
    }
    *wall = (sn_scene_collider){.desc = sn_default_collider_desc()};
    wall->desc.shape = SN_COLLIDER_BOX;
    for (int d = 0; d < 3; ++d) {
        wall->desc.half_extents[d] = d == 0 ? 0.05 : 0.5;
    }
    wall->translation.at[0].expression = "-1 + 0.8*sin(2*t)";
    *impulse = (sn_scene_impulse){.body = 1,
                                  .copy = -1,
                                  .seconds = 0.123,
                                  .point = {0, 0.5, 0.05},
                                  .impulse = {{{.constant = 3}, {0}, {.constant = 4}}}};
    b->script.colliders = wall;
    b->script.collider_count = 1;
    b->script.impulses = impulse;
    b->script.impulse_count = 1;
}

static void they_move_the_same_at_any_frame_rate(void **state)
{
    (void)state;
    static boxes b;
    sn_scene_collider wall;
    sn_scene_impulse impulse;
    const int rates[] = {60, 30, 72, 144, 7, 1};
    sn_mat3x4 places[2][3][3];
    make_mess(&b, &wall, &impulse);
    for (size_t k = 0; k < sizeof rates / sizeof rates[0]; ++k) {
        sn_scene *scene = sn_test_create_scene(&b.script);
        for (int second = 0; second < 3; ++second) {
            go_on(scene, 1, rates[k]);
            for (int i = 0; i < 3; ++i) {
                places[k > 0][second][i] = sn_body_output(sn_scene_body_at(scene, i)).matrices[0];
            }
        }
        assert_memory_equal(places[0], places[k > 0], sizeof places[0]); /* frames end with steps here: the same bits */
        sn_scene_destroy(&scene);
    }
    assert_true(fabs((double)places[0][0][1].m[2][3]) > 0.1); /* it was hit */
}

/* In between steps: as it was at the next rate. */
static void places_between_steps_lie_between(void **state)
{
    (void)state;
    static boxes b;
    make_boxes(1, &b);
    b.bodies[0].translation.at[1].constant = 5;
    b.rigids[0].velocity.at[0].constant = 1;
    b.rigids[0].angular_velocity.at[2].constant = 2;
    sn_scene *scene = sn_test_create_scene(&b.script);
    for (int i = 1; i <= 100; ++i) {
        sn_scene_advance(scene, 1.0 / 217);
        const double t = i / 217.0;
        assert_true(fabs(place_of(scene, 0, 0) - t) < 1e-5);
        assert_true(fabs(place_of(scene, 0, 1) - (5 - G / 2 * t * t)) < 2e-5);
        assert_true(fabs(atan2((double)sn_body_output(sn_scene_body_at(scene, 0)).matrices[0].m[1][0],
                               (double)sn_body_output(sn_scene_body_at(scene, 0)).matrices[0].m[0][0]) -
                         2 * t) < 1e-4);
    }
    sn_scene_destroy(&scene);
}

/* ---- recordings ---- */

typedef struct bytes {
    uint8_t *data;
    size_t count, room;
} bytes;

static bool write_bytes(const void *data, size_t size, void *user)
{
    bytes *b = user;
    if (b->count + size > b->room) {
        b->room = 2 * (b->count + size);
        b->data = realloc(b->data, b->room);
        assert_non_null(b->data);
    }
    memcpy(b->data + b->count, data, size);
    b->count += size;
    return true;
}

static void recordings_need_no_engine(void **state)
{
    (void)state;
    static boxes b;
    sn_scene_collider wall;
    sn_scene_impulse impulse;
    bytes all = {0};
    const sn_recorder_desc desc = {.write = write_bytes, .user = &all};
    sn_recorder *recorder = NULL;
    sn_scene *scene = NULL;
    sn_scene_error error;
    sn_world_desc world = sn_default_world_desc();
    make_mess(&b, &wall, &impulse);
    b.rigids[0].dents = 0.01;
    assert_int_equal(sn_recorder_create(&desc, &recorder), SN_OK);
    world.recorder = recorder;
    assert_int_equal(sn_scene_create(&b.script, &world, &scene, &error), SN_OK);
    go_on(scene, 1, 60);
    sn_mat3x4 place = sn_body_output(sn_scene_body_at(scene, 1)).matrices[0];
    assert_int_equal(sn_recorder_finish(recorder), SN_OK);
    sn_scene_destroy(&scene);
    sn_recorder_destroy(&recorder);

    const sn_replay_desc replay_desc = {.bytes = all.data, .size = all.count, .world = sn_default_world_desc()};
    sn_replay *replay = NULL;
    sn_replay_report report = {0};
    assert_int_equal(sn_replay_create(&replay_desc, &replay), SN_OK);
    for (int i = 0; i < sn_replay_step_count(replay); ++i) {
        assert_int_equal(sn_replay_step(replay, &report), SN_OK);
    }
    assert_int_equal(sn_replay_first_difference(replay), -1);
    assert_memory_equal(sn_body_output(sn_replay_body(replay, 2)).matrices, &place, sizeof place);
    sn_replay_destroy(&replay);
    free(all.data);
}

/* ---- flesh ---- */

/* How far modes move a body's flesh, about. */
static double quiver_of(const sn_scene *scene, int body)
{
    const sn_body_matrices output = sn_body_output(sn_scene_body_at(scene, body));
    double sum = 0;
    for (int k = 0; k < 12 * output.mode_count; ++k) {
        sum += fabs((double)output.matrices[output.bone_count + k / 12].m[k % 12 / 4][k % 4]);
    }
    return sum;
}

static void flesh_quivers_and_rests(void **state)
{
    (void)state;
    static boxes b;
    for (int dents = 0; dents < 2; ++dents) {
        make_boxes(1, &b);
        b.bodies[0].translation.at[1].constant = 0.5;
        b.rigids[0].angular_velocity.at[2].constant = 1;
        b.rigids[0].dents = 0.02 * dents;
        sn_scene *scene = sn_test_create_scene(&b.script);
        double most = 0, at_first = 0;
        for (int i = 0; i < 60; ++i) {
            sn_scene_advance(scene, STEP);
            most = fmax(most, quiver_of(scene, 0));
            at_first = i == 10 ? most : at_first;
        }
        go_on(scene, 5, 60);
        const double rest = quiver_of(scene, 0); /* its weight is part of its rest shape */
        go_on(scene, 1, 60);
        print_message("falls %g, lands %g, rests %g, then %g\n", at_first, most, rest, quiver_of(scene, 0));
        assert_true(most > 1.5 * at_first && rest < 0.01 * most && quiver_of(scene, 0) < 0.01 * most);
        sn_scene_destroy(&scene);
    }
}

/* ---- the alley ---- */

static void bowling_goes_as_bowling_goes(void **state)
{
    (void)state;
    const sn_scene_script *script = sn_scene_find_demo("bowling");
    const int pins = script->bodies[0].count;
    sn_scene *scene = sn_test_create_scene(script);
    double lowest = INFINITY, most = 0, fastest = 0;
    int fallen = 0;
    for (int frame = 0; frame < 300; ++frame) {
        const double before = place_of(scene, pins, 2);
        assert_int_equal(sn_scene_advance(scene, STEP).world.recovery_count, 0);
        fastest = fmax(fastest, fabs(place_of(scene, pins, 2) - before) / STEP);
        lowest = fmin(lowest, place_of(scene, pins, 1));
        for (int i = 0; i < pins; ++i) {
            const sn_mat3x4 pin = sn_body_output(sn_scene_body_at(scene, i)).matrices[0];
            const sn_scene_rigid *rigid = script->bodies[0].rigid;
            const double ball[3] = {place_of(scene, pins, 0), place_of(scene, pins, 1), place_of(scene, pins, 2)};
            most = fmax(most, quiver_of(scene, i));
            for (int k = 1; k < rigid->solid_count; ++k) { /* balls and a neck: their middles are on the pin's axis */
                const double up = rigid->solids[k].translation[1], r = rigid->solids[k].radius;
                double square = 0;
                for (int d = 0; d < 3; ++d) {
                    const double x = (double)pin.m[d][1] * up + (double)pin.m[d][3];
                    square += (x - ball[d]) * (x - ball[d]);
                    lowest = d == 1 ? fmin(lowest, x - r + 0.108) : lowest;
                }
                assert_true(sqrt(square) > 0.108 + r - 0.02); /* the ball is not within a pin */
            }
            fallen += frame == 299 && (double)pin.m[1][1] < 0.5;
        }
    }
    print_message("%d of %d pins fallen, %.1f mm into the floor, ball at %.2f m/s, flesh by %.3f\n", fallen, pins,
                  1e3 * (0.108 - lowest), fastest, most);
    assert_true(fallen >= 7 && lowest > 0.108 - 0.008 && fastest < 6.6 && most > 0.1);
    sn_scene_destroy(&scene);
}

/* ---- what cannot be ---- */

static void expect_refused(const sn_scene_script *script, const char *says)
{
    const sn_world_desc world = sn_default_world_desc();
    sn_scene_error error = {""};
    sn_scene *scene = NULL;
    assert_true(sn_scene_create(script, &world, &scene, &error) != SN_OK);
    assert_null(scene);
    print_message("%s\n", error.text);
    assert_non_null(strstr(error.text, says));
}

static void scripts_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static boxes b;
    static const sn_scene_solid flat = {.type = SN_SOLID_CYLINDER, .radius = 1},
                                plane = {.type = SN_SOLID_PLANE, .radius = 1},
                                nowhere = {.type = SN_SOLID_SPHERE, .radius = 1, .translation = {NAN, 0, 0}};
    const sn_scene_solid *const bad[] = {&flat, &plane, &nowhere};
    const char *const says[] = {"half_height", "must be a sphere", "translation"};
    for (size_t i = 0; i < 3; ++i) {
        make_boxes(1, &b);
        b.rigids[0].solids = bad[i];
        b.rigids[0].solid_count = 1;
        expect_refused(&b.script, says[i]);
    }
    const double wrong[] = {-1, NAN, INFINITY};
    for (size_t i = 0; i < 3; ++i) {
        make_boxes(1, &b);
        b.rigids[0].mass = wrong[i];
        expect_refused(&b.script, "bodies[0].rigid.mass");
        b.rigids[0].mass = 0;
        b.rigids[0].friction = wrong[i];
        expect_refused(&b.script, "bodies[0].rigid.friction");
        b.rigids[0].friction = 0;
        b.rigids[0].restitution = wrong[i];
        expect_refused(&b.script, "bodies[0].rigid.restitution");
        b.rigids[0].restitution = 0;
        b.rigids[0].velocity.at[1].constant = NAN;
        expect_refused(&b.script, "bodies[0].rigid.velocity[1]");
    }
    make_boxes(1, &b);
    b.bodies[0].translation.at[2].constant = 1e300;
    expect_refused(&b.script, "bodies[0].translation");
    make_boxes(1, &b);
    b.rigids[0].velocity.at[2].constant = 1e300;
    expect_refused(&b.script, "bodies[0].rigid.velocity");
    make_boxes(1, &b);
    b.rigids[0].angular_velocity.at[2].constant = 1e300;
    expect_refused(&b.script, "bodies[0].rigid.angular_velocity");
    make_boxes(1, &b);
    b.bodies[0].desc.solver = SN_SOLVER_COUPLED;
    expect_refused(&b.script, "coupled");
    make_boxes(1, &b);
    b.character = sn_test_outline_bar();
    expect_refused(&b.script, "flat");
}

int test_rigid_scenes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gravity_and_impulses_move_them),
        cmocka_unit_test(a_blow_at_the_bone_does_not_turn),
        cmocka_unit_test(what_is_kinematic_pushes),
        cmocka_unit_test(they_move_the_same_at_any_frame_rate),
        cmocka_unit_test(places_between_steps_lie_between),
        cmocka_unit_test(recordings_need_no_engine),
        cmocka_unit_test(flesh_quivers_and_rests),
        cmocka_unit_test(bowling_goes_as_bowling_goes),
        cmocka_unit_test(scripts_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
