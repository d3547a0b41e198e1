/* SPDX-License-Identifier: MIT */
/* The player's parts that need no window: keys, parameters, the orbiting camera, motions, where clips begin again. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/io/source.h"
#include "host/math/vec3.h"
#include "runtime/app/hold.h"
#include "runtime/app/loop.h"
#include "runtime/app/motion.h"
#include "runtime/app/orbit.h"
#include "runtime/app/player_keys.h"
#include "runtime/render/private.h"
#include "runtime/window/window.h"

#define PI 3.14159265358979323846

static void check_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) {
        fail_msg("%.9g is not %.9g", a, b);
    }
}

/* ---- keys ---- */

static void keys_do_what_the_help_says(void **state)
{
    (void)state;
    static const struct {
        int key;
        sn_player_action action;
    } expected[] = {{SN_KEY_ESCAPE, SN_PLAYER_QUIT},
                    {SN_KEY_F1, SN_PLAYER_HELP},
                    {' ', SN_PLAYER_PAUSE},
                    {'.', SN_PLAYER_STEP},
                    {'r', SN_PLAYER_RESET},
                    {'f', SN_PLAYER_VIEW},
                    {SN_KEY_HOME, SN_PLAYER_VIEW},
                    {'[', SN_PLAYER_PREVIOUS_CLIP},
                    {']', SN_PLAYER_NEXT_CLIP},
                    {'m', SN_PLAYER_SECONDARY},
                    {'e', SN_PLAYER_EXPRESSION},
                    {'v', SN_PLAYER_NOTHING},
                    {'j', SN_PLAYER_FLOOR},
                    {'n', SN_PLAYER_NEXT_BODY},
                    {0, SN_PLAYER_NOTHING},
                    {0x20ac, SN_PLAYER_NOTHING},
                    {SN_KEY_TAB, SN_PLAYER_EDIT},
                    {'p', SN_PLAYER_TOOL_POINT},
                    {'b', SN_PLAYER_TOOL_BONE},
                    {'c', SN_PLAYER_TOOL_CAGE},
                    {SN_KEY_ENTER, SN_PLAYER_CLOSE_CAGE},
                    {'k', SN_PLAYER_FREE_ALL},
                    {SN_KEY_DELETE, SN_PLAYER_REMOVE},
                    {'o', SN_PLAYER_RECORD},
                    {'g', SN_PLAYER_SHOW_MESH}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
        assert_int_equal(sn_player_key(expected[i].key, false).action, expected[i].action);
        const bool is_repeating = expected[i].action == SN_PLAYER_STEP;
        assert_int_equal(sn_player_key(expected[i].key, true).action,
                         is_repeating ? expected[i].action : SN_PLAYER_NOTHING);
    }
    for (int i = 0; i < 2 * SN_PLAYER_PARAMETER_COUNT; ++i) {
        const sn_player_command command = sn_player_key("1234567890-=;',/wqas"[i], i % 3 == 0);
        assert_int_equal(command.action, i % 2 ? SN_PLAYER_INCREASE : SN_PLAYER_DECREASE);
        assert_true((int)command.parameter == i / 2);
    }
    static const struct {
        int key;
        unsigned locks;
    } locks[] = {{'x', SN_LOCK_X}, {'y', SN_LOCK_Y}, {'z', SN_LOCK_Z}, {'t', SN_LOCK_ROTATION}, {'l', SN_LOCK_ALL}};
    for (int i = 0; i < 5; ++i) {
        const sn_player_command command = sn_player_key(locks[i].key, false);
        assert_true(command.action == SN_PLAYER_LOCK && command.locks == locks[i].locks);
    }
    int count = 0;
    while (sn_player_help(count)) {
        ++count;
    }
    assert_true(count > 0 && !sn_player_help(-1));
}

static double press_often(sn_player_parameter parameter, double value, int count, bool is_increase)
{
    for (int k = 0; k < count; ++k) {
        value = sn_player_change(parameter, value, is_increase);
    }
    return value;
}

static void check_ladder(sn_player_parameter parameter)
{
    double value = press_often(parameter, 1, 5, true);
    check_near(value, exp2(2.5), 1e-12);
    value = press_often(parameter, value, 5, false);
    assert_true(value == 1); /* back to the bit */
    value = press_often(parameter, value, 100, false);
    assert_true(parameter == SN_PLAYER_STIFFNESS ? value > 0 : value == 0);
    const double least = sn_player_change(parameter, value, true);
    assert_true(least > 0 && sn_player_change(parameter, least, true) > least);
    value = press_often(parameter, value, 100, true);
    assert_true(value <= 64 && sn_player_change(parameter, value, true) == value);
    assert_true(sn_player_change(parameter, 1e9, true) == value); /* given on the command line */
    check_near(sn_player_change(parameter, 0.7, true), 0.7 * sqrt(2), 1e-12);
}

static void parameters_climb_a_ladder(void **state)
{
    (void)state;
    check_ladder(SN_PLAYER_STIFFNESS);
    check_ladder(SN_PLAYER_DAMPING);
    check_ladder(SN_PLAYER_GRAVITY);
    check_ladder(SN_PLAYER_AMOUNT);
}

/* What is left to the body goes on from the default, and only where it is what is changed. */
static void coupled_parameters_begin_where_the_body_is(void **state)
{
    (void)state;
    static const double directions[2][3] = {{0, -1, 0}, {1, 0, 0}};
    sn_body_desc desc = sn_default_body_desc();
    double value = 0;
    desc.solver = SN_SOLVER_COUPLED;
    desc.substep_count = 0;
    desc.poisson = -0.3;
    assert_true(sn_player_change_desc(SN_PLAYER_GRAVITY, true, directions, &desc, &value));
    assert_true(desc.substep_count == 0 && desc.poisson == -0.3);
    assert_true(sn_player_change_desc(SN_PLAYER_SUBSTEPS, true, directions, &desc, &value));
    assert_int_equal(desc.substep_count, sn_default_body_desc().substep_count + 1);
    assert_true(sn_player_change_desc(SN_PLAYER_POISSON, false, directions, &desc, &value));
    assert_true(value < -0.3 && value > -0.4);
    value = press_often(SN_PLAYER_POISSON, value, 100, false);
    assert_true(value > -1); /* -1 would be the cooked one */
    assert_false(sn_player_change_desc(SN_PLAYER_AMOUNT, true, directions, &desc, &value));
    assert_string_equal(sn_player_parameter_solver(SN_PLAYER_AMOUNT), "reduced");
    desc.solver = SN_SOLVER_REDUCED;
    assert_true(sn_player_change_desc(SN_PLAYER_AMOUNT, true, directions, &desc, &value));
    assert_false(sn_player_change_desc(SN_PLAYER_MASS, true, directions, &desc, &value));
    assert_string_equal(sn_player_parameter_solver(SN_PLAYER_MASS), "coupled");
}

/* ---- the camera ---- */

static sn_stage make_stage(void)
{
    return (sn_stage){.frame_count = 1, .key_count = 1, .center = {1, 2, 3}, .distance = 4, .radius = 1, .yaw = 0.6};
}

static sn_camera look(const sn_orbit *orbit, const sn_stage *stage, double widening)
{
    sn_render_scene scene;
    sn_stage_scene(stage, 0, &scene);
    sn_orbit_apply(orbit, stage, widening, &scene.camera);
    return scene.camera;
}

static double eye_distance(const sn_camera *camera)
{
    return hypot(hypot((double)(camera->eye[0] - camera->target[0]), (double)(camera->eye[1] - camera->target[1])),
                 (double)(camera->eye[2] - camera->target[2]));
}

static void the_orbit_begins_at_the_stage(void **state)
{
    (void)state;
    const sn_stage stage = make_stage();
    const sn_orbit orbit = sn_orbit_start(&stage);
    sn_render_scene scene;
    sn_stage_scene(&stage, 0, &scene);
    const sn_camera camera = look(&orbit, &stage, 1);
    for (int d = 0; d < 3; ++d) {
        check_near((double)camera.eye[d], (double)scene.camera.eye[d], 1e-5);
        check_near((double)camera.target[d], (double)scene.camera.target[d], 0);
    }
    assert_true(camera.near_distance > 0 && (double)camera.near_distance < 0.1 * stage.distance); /* a collider's way */
    const sn_camera wide = look(&orbit, &stage, 2);
    check_near(eye_distance(&wide), 8, 1e-5);
}

static void drags_turn_and_notches_zoom(void **state)
{
    (void)state;
    const sn_stage stage = make_stage();
    sn_orbit orbit = sn_orbit_start(&stage);
    sn_orbit_turn(&orbit, -0.5, 0); /* to the left: the eye goes right */
    check_near(orbit.yaw, 0.6 + PI / 2, 1e-12);
    sn_orbit_turn(&orbit, 0, 100);
    sn_camera camera = look(&orbit, &stage, 1);
    assert_true(camera.eye[1] > camera.target[1] + 3.9F);
    check_near(eye_distance(&camera), 4, 1e-5);
    sn_orbit_turn(&orbit, 0, -100);
    camera = look(&orbit, &stage, 1);
    assert_true(camera.eye[1] < camera.target[1] - 3.9F);
    sn_orbit_zoom(&orbit, 3);
    camera = look(&orbit, &stage, 1);
    check_near(eye_distance(&camera), 4 * 0.729, 1e-4);
    sn_orbit_zoom(&orbit, 1e6);
    camera = look(&orbit, &stage, 1);
    assert_true(camera.near_distance > 0 && (double)camera.near_distance < eye_distance(&camera));
    sn_orbit_zoom(&orbit, -1e6);
    camera = look(&orbit, &stage, 1);
    assert_true((double)camera.far_distance > eye_distance(&camera) + stage.radius);
}

/* What lies in the target's plane stays under the pointer: a height of the window is a height of the view. */
static void panning_follows_the_pointer(void **state)
{
    (void)state;
    const sn_stage stage = make_stage();
    sn_orbit orbit = sn_orbit_start(&stage);
    orbit.pitch = 0;
    const sn_camera before = look(&orbit, &stage, 1);
    sn_orbit_move(&orbit, &stage, 0.25, -0.5);
    const sn_camera after = look(&orbit, &stage, 1);
    const double height = 8 * tan(sn_stage_vertical_angle() / 2);
    check_near((double)(after.target[1] - before.target[1]), -0.5 * height, 1e-5);
    check_near((double)(after.target[0] - before.target[0]), -0.25 * height * cos(0.6), 1e-5);
    check_near((double)(after.target[2] - before.target[2]), 0.25 * height * sin(0.6), 1e-5);
    check_near(eye_distance(&after), 4, 1e-5);
}

/* ---- motions ---- */

enum { FRAME_COUNT = 9, BONE_COUNT = 2 };

static float clip_frames[FRAME_COUNT][BONE_COUNT][12], binds[BONE_COUNT][12];
static const int32_t frame_counts[1] = {FRAME_COUNT};
static const double frame_rates[1] = {30};

/* The root walks and turns by these in every frame, the other bone swings about it; at the end it is off by `offset`.
 */
static sn_model make_clip(double speed, double turn, double swing, double offset)
{
    for (int f = 0; f < FRAME_COUNT; ++f) {
        for (int b = 0; b < BONE_COUNT; ++b) {
            const double phase = 2 * PI * f / (FRAME_COUNT - 1), angle = turn * f + (b ? swing * sin(phase) : 0);
            const float c = (float)cos(angle), s = (float)sin(angle);
            const float x = (float)(speed * f), y = (float)(b && f == FRAME_COUNT - 1 ? offset : 0);
            memcpy(clip_frames[f][b], (float[12]){c, 0, s, x, 0, 1, 0, y, -s, 0, c, 0}, sizeof clip_frames[f][b]);
        }
    }
    for (int b = 0; b < BONE_COUNT; ++b) {
        memcpy(binds[b], (float[12]){1, 0, 0, 0, 0, 1, 0, (float)(b * 0.5), 0, 0, 1, 0}, sizeof binds[b]);
    }
    return (sn_model){.counts = {.bone_count = BONE_COUNT, .clip_count = 1, .clip_frame_total = FRAME_COUNT},
                      .diagonal = 1,
                      .bone_bind = binds[0],
                      .clip_frame_counts = frame_counts,
                      .clip_frame_rates = frame_rates,
                      .clip_transforms = clip_frames[0][0]};
}

static void a_clip_that_closes_flows_on(void **state)
{
    (void)state;
    sn_model model = make_clip(0, 0, 0.3, 0);
    assert_int_equal(sn_loop_plan(&model, 0).kind, SN_LOOP_FLOWS);
    model = make_clip(0, 0, 0, 0); /* nothing moves */
    assert_int_equal(sn_loop_plan(&model, 0).kind, SN_LOOP_FLOWS);
    model = make_clip(0, 2 * PI / FRAME_COUNT, 0, 0); /* a turn whose last frame is left out */
    assert_int_equal(sn_loop_plan(&model, 0).kind, SN_LOOP_FLOWS);
}

static void a_clip_that_walks_away_is_moved_back(void **state)
{
    (void)state;
    const sn_model model = make_clip(0.2, 0.1, 0.3, 0);
    const sn_loop loop = sn_loop_plan(&model, 0);
    assert_int_equal(loop.kind, SN_LOOP_TELEPORTS);
    for (int b = 0; b < BONE_COUNT; ++b) { /* jump * last = first */
        const float *last = clip_frames[FRAME_COUNT - 1][b], *first = clip_frames[0][b];
        for (int i = 0; i < 12; ++i) {
            double sum = i % 4 == 3 ? (double)loop.jump.m[i / 4][3] : 0;
            for (int k = 0; k < 3; ++k) {
                sum += (double)loop.jump.m[i / 4][k] * (double)last[4 * k + i % 4];
            }
            check_near(sum, (double)first[i], 1e-5);
        }
    }
}

static void a_clip_that_ends_in_another_pose_starts_at_rest(void **state)
{
    (void)state;
    sn_model model = make_clip(0.2, 0.1, 0.1, 0);
    for (int f = 0; f < FRAME_COUNT; ++f) { /* the other bone sinks, a little in each frame */
        clip_frames[f][1][7] = -0.3F * (float)f;
    }
    assert_int_equal(sn_loop_plan(&model, 0).kind, SN_LOOP_RESETS);
    model = make_clip(0.2, 0, 0, 0);
    for (int f = 0; f < FRAME_COUNT; ++f) { /* grows: no rigid jump */
        clip_frames[f][0][0] = 1 + 0.1F * (float)f;
    }
    assert_int_equal(sn_loop_plan(&model, 0).kind, SN_LOOP_RESETS);
    clip_frames[FRAME_COUNT - 1][0][0] = clip_frames[FRAME_COUNT - 1][0][8] = 0; /* and no singular one */
    clip_frames[FRAME_COUNT - 1][0][2] = 0;
    assert_int_equal(sn_loop_plan(&model, 0).kind, SN_LOOP_RESETS);
}

static void weights_that_jump_back_start_at_rest_where_they_are_felt(void **state)
{
    (void)state;
    static const int32_t track = 0;
    float weights[FRAME_COUNT];
    sn_model model = make_clip(0, 0, 0.3, 0);
    model.counts.morph_track_count = model.counts.morph_count = 1;
    model.morph_tracks = &track;
    model.clip_morphs = weights;
    for (int f = 0; f < FRAME_COUNT; ++f) {
        weights[f] = 0.1F * (float)f;
    }
    assert_int_equal(sn_loop_plan(&model, 0).kind, SN_LOOP_FLOWS); /* drawn alone */
    model.counts.morph_pair_count = 1;
    assert_int_equal(sn_loop_plan(&model, 0).kind, SN_LOOP_RESETS);
    weights[FRAME_COUNT - 1] = 0.05F;
    assert_int_equal(sn_loop_plan(&model, 0).kind, SN_LOOP_FLOWS);
}

/* Away where a second begins and ends, there in its middle, within a tenth of a second each, and still bones. */
static void an_expression_comes_and_goes(void **state)
{
    (void)state;
    static const sn_expression expressions[2] = {{0, 1, 0}, {1, 1, 0}};
    static const sn_expression_bind binds_of_it[2] = {{0, 1}, {1, 0.5F}};
    static const float rest[2] = {0.25F, 0};
    sn_model model = make_clip(0.2, 0, 0, 0);
    model.counts.morph_count = model.counts.expression_count = model.counts.expression_bind_count = 2;
    model.expressions = expressions;
    model.expression_binds = binds_of_it;
    model.morph_rest = rest;
    const sn_motion motion = {.model = &model, .clip = -1, .has_expression = true, .expression = 1};
    const struct {
        double seconds, weight;
    } expected[] = {{0, 0}, {0.2, 0}, {0.3, 0.25}, {0.5, 0.5}, {0.7, 0.5}, {0.8, 0.25}, {1, 0}, {1.3, 0.25}};
    assert_true(fabs(sn_motion_seconds(&motion, 0.1) - 1) < 1e-12);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
        float weights[2];
        double pose[12 * BONE_COUNT];
        sn_motion_morphs(&motion, expected[i].seconds, weights);
        check_near((double)weights[0], 0.25, 1e-6);
        check_near((double)weights[1], expected[i].weight, 1e-6);
        sn_motion_pose(&motion, 3, expected[i].seconds, pose);
        assert_true(pose[0] == 1 && pose[3] == 0 && pose[12] == 1);
    }
}

static void arrays_are_linear_between_rows_and_hold(void **state)
{
    (void)state;
    const sn_model model = {.counts.bone_count = 1};
    double poses[3][12] = {{0}}, pose[12];
    for (int i = 0; i < 36; ++i) {
        poses[i / 12][i % 12] = i / 12 * i / 12;
    }
    const sn_motion motion = {.model = &model, .poses = poses[0], .frame_count = 3, .clip = -1};
    check_near(sn_motion_seconds(&motion, 0.1), 0.2, 1e-12);
    static const double times[] = {0, 0.025, 0.1, 0.175, 0.2, 1e9};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i) {
        sn_motion_pose_at(&motion, 0.1, times[i], pose);
        const double at = fmin(times[i] / 0.1, 2);
        const int row = at < 2 ? (int)(at + 1e-9) : 1;
        for (int k = 0; k < 12; ++k) {
            check_near(pose[k], poses[row][k] + (at - row) * (poses[row + 1][k] - poses[row][k]), 1e-6);
        }
    }
}

static void the_hop_closes(void **state)
{
    (void)state;
    const sn_model model = {.counts.bone_count = 1, .diagonal = 1};
    const sn_motion hop = {.model = &model, .clip = -1, .is_hop = true}, rest = {.model = &model, .clip = -1};
    double first[12], last[12];
    const double seconds = sn_motion_seconds(&hop, 1);
    sn_motion_pose_at(&hop, 1, 0, first);
    sn_motion_pose_at(&hop, 1, nextafter(seconds, 0), last);
    for (int i = 0; i < 12; ++i) {
        check_near(first[i], last[i], 1e-9);
    }
    check_near(sn_motion_seconds(&rest, 1), 0, 0);
}

/* ---- the pointer ---- */

/* Where a point is in the picture, in heights right and down of its middle, by what the shaders are given. */
static void project(const sn_camera *camera, const double *point, double *place)
{
    const sn_renderer_desc desc = {.width = 320, .height = 180, .shadow_size = 64};
    sn_render_scene scene = sn_default_render_scene();
    sn_frame_constants constants;
    double clip[4];
    scene.camera = *camera;
    sn_render_frame_constants(&scene, &desc, &constants);
    for (int row = 0; row < 4; ++row) {
        clip[row] = (double)constants.view_projection[12 + row];
        for (int d = 0; d < 3; ++d) {
            clip[row] += (double)constants.view_projection[4 * d + row] * point[d];
        }
    }
    place[0] = 0.5 * clip[0] / clip[3] * 320 / 180;
    place[1] = 0.5 * clip[1] / clip[3];
}

static void rays_go_where_the_picture_says(void **state)
{
    (void)state;
    const sn_stage stage = make_stage();
    sn_orbit orbit = sn_orbit_start(&stage);
    for (int i = 0; i < 50; ++i) {
        sn_orbit_turn(&orbit, 0.37, 0.11 * (i % 5 - 2));
        const sn_camera camera = look(&orbit, &stage, 1);
        const double point[3] = {1 + 0.4 * sin(i), 2 + 0.3 * cos(2 * i), 3 + 0.5 * sin(3 * i)};
        double place[2], found[3];
        project(&camera, point, place);
        const sn_ray ray = sn_pick_ray(&camera, place[0], place[1]);
        sn_pick_at_depth(&camera, &ray, sn_pick_depth(&camera, point), found);
        check_near(sn_length3(ray.direction), 1, 1e-12);
        check_near(sn_distance3(found, point), 0, 1e-4);
    }
}

static void rays_meet_the_first_triangle(void **state)
{
    (void)state;
    const double positions[] = {-1, -1, -2, 1, -1, -2, 0, 1, -2, -1, -1, -5, 1, -1, -5, 0, 1, -5};
    const int32_t triangles[] = {3, 4, 5, 0, 2, 1}; /* of either side */
    sn_ray ray = {{0, 0, 0}, {0, 0, -1}};
    check_near(sn_pick_triangles(positions, triangles, 2, &ray), 2, 1e-12);
    ray.origin[2] = -3;
    check_near(sn_pick_triangles(positions, triangles, 2, &ray), 2, 1e-12);
    ray.direction[2] = 1;
    check_near(sn_pick_triangles(positions, triangles, 2, &ray), 1, 1e-12);
    ray.origin[0] = 0.9;
    assert_true(sn_pick_triangles(positions, triangles, 2, &ray) == INFINITY);
    ray = (sn_ray){{0, 0, -2}, {1, 0, 0}}; /* in a triangle's plane */
    assert_true(sn_pick_triangles(positions, triangles, 2, &ray) > 0);
}

typedef struct held {
    sn_arena arena;
    sn_model *model;
    sn_world_id world;
    sn_body_id body;
    sn_hold hold;
    sn_camera camera;
} held;

static held open_held(void)
{
    held h = {.camera = {.eye = {0.3F, 0.2F, 3}, .target = {0.1F, 0, 0}, .vertical_angle = 0.6F}};
    sn_source source;
    sn_body_desc desc = sn_default_body_desc();
    const sn_world_desc world = sn_default_world_desc();
    assert_int_equal(sn_source_read(SN_SOURCE_DIR "/tests/golden/bar.sinew", &h.arena, &source), SN_OK);
    assert_int_equal(sn_model_load(source.bytes, source.size, &h.model), SN_OK);
    assert_int_equal(sn_world_create(&world, &h.world), SN_OK);
    desc.model = h.model;
    desc.damping = 2;
    assert_int_equal(sn_body_create(h.world, &desc, &h.body), SN_OK);
    assert_int_equal(sn_hold_start(&h.hold, h.model), SN_OK);
    return h;
}

static void close_held(held *h)
{
    sn_hold_finish(&h->hold);
    sn_world_destroy(h->world);
    sn_model_release(h->model);
    sn_arena_finish(&h->arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* How far the bar's surface bulges up. */
static double highest(held *h)
{
    const sn_body_matrices out = sn_body_output(h->body);
    const sn_skin_mesh mesh = sn_model_skin(h->model);
    double pose[12 * 8], modes[12 * 8], high = -INFINITY;
    double *positions = malloc(3 * (size_t)mesh.vertex_count * sizeof *positions);
    assert_true(positions && out.bone_count <= 8 && out.mode_count <= 8);
    for (int i = 0; i < 12 * out.bone_count; ++i) {
        pose[i] = (double)out.matrices[i / 12].m[i % 12 / 4][i % 4];
    }
    for (int i = 0; i < 12 * out.mode_count; ++i) {
        modes[i] = (double)out.matrices[out.bone_count + i / 12].m[i % 12 / 4][i % 4];
    }
    sn_skin_surface(&mesh, pose, modes, out.morphs, positions, NULL, NULL);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        high = fmax(high, positions[3 * v + 1]);
    }
    free(positions);
    return high;
}

static void the_pointer_pulls_flesh(void **state)
{
    (void)state;
    held h = open_held();
    const double end[3] = {0.45, 0.1, 0.118}, beside[2] = {0.7, 0.4};
    double pointer[2];
    project(&h.camera, end, pointer);
    assert_false(sn_hold_take(&h.hold, h.body, &h.camera, beside, NULL, 0));
    assert_true(sn_hold_take(&h.hold, h.body, &h.camera, pointer, NULL, 0));
    check_near(h.hold.depth, sn_pick_depth(&h.camera, end), 0.01);
    const double rest = highest(&h);
    h.hold.pointer[1] -= 0.05; /* up */
    for (int i = 0; i < 60; ++i) {
        sn_hold_pull(&h.hold, h.body, &h.camera);
        sn_world_step(h.world, 1.0 / 60);
    }
    const double height = 0.05 * 2 * tan(0.3) * h.hold.depth, lifted = highest(&h) - rest;
    assert_true(lifted > 0.4 * height && lifted < 1.2 * height);
    sn_hold_let_go(&h.hold, h.body);
    sn_hold_pull(&h.hold, h.body, &h.camera); /* nothing is held */
    for (int i = 0; i < 600; ++i) {
        sn_world_step(h.world, 1.0 / 60);
    }
    check_near(highest(&h), rest, 1e-4);
    close_held(&h);
}

static void what_a_solid_hides_is_not_taken(void **state)
{
    (void)state;
    held h = open_held();
    const double end[3] = {0.45, 0.1, 0.118};
    double pointer[2];
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider ball;
    desc.shape = SN_COLLIDER_SPHERE;
    desc.radius = 0.2;
    desc.transform.m[0][3] = 0.4F;
    desc.transform.m[1][3] = 0.1F;
    desc.transform.m[2][3] = 1;
    assert_int_equal(sn_collider_init(&desc, &ball), SN_OK);
    project(&h.camera, end, pointer);
    assert_false(sn_hold_take(&h.hold, h.body, &h.camera, pointer, &ball, 1));
    ball.transform[11] = -1; /* behind */
    assert_true(sn_hold_take(&h.hold, h.body, &h.camera, pointer, &ball, 1));
    assert_true(sn_hold_take(&h.hold, h.body, &h.camera, pointer, &ball, 1)); /* again: the other hand let go */
    assert_int_equal(h.hold.grab, 0);
    close_held(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_do_what_the_help_says),
        cmocka_unit_test(coupled_parameters_begin_where_the_body_is),
        cmocka_unit_test(parameters_climb_a_ladder),
        cmocka_unit_test(the_orbit_begins_at_the_stage),
        cmocka_unit_test(drags_turn_and_notches_zoom),
        cmocka_unit_test(panning_follows_the_pointer),
        cmocka_unit_test(a_clip_that_closes_flows_on),
        cmocka_unit_test(a_clip_that_walks_away_is_moved_back),
        cmocka_unit_test(a_clip_that_ends_in_another_pose_starts_at_rest),
        cmocka_unit_test(weights_that_jump_back_start_at_rest_where_they_are_felt),
        cmocka_unit_test(an_expression_comes_and_goes),
        cmocka_unit_test(arrays_are_linear_between_rows_and_hold),
        cmocka_unit_test(the_hop_closes),
        cmocka_unit_test(rays_go_where_the_picture_says),
        cmocka_unit_test(rays_meet_the_first_triangle),
        cmocka_unit_test(the_pointer_pulls_flesh),
        cmocka_unit_test(what_a_solid_hides_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
