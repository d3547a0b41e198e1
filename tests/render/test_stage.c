/* SPDX-License-Identifier: MIT */
/* The stage: every vertex of every frame stays inside the picture, near and far planes included; the camera stands for
 * a motion on the spot and follows one that travels, without jumps; long animals are seen from the side. */
#include "runtime/camera/stage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/math/affine.h"
#include "runtime/camera/portrait.h"

#define POINT_COUNT 1000

typedef struct walk {
    double speed, turn, bounce; /* units a frame, radians a frame, units */
} walk;

static float points[POINT_COUNT][3], ones[POINT_COUNT];
static const walk still = {0}, run = {0.2, 0.02, 0.3}, wave = {0, 0.5, 0.1}, fast = {3, 0, 0};

/* A box of these sizes on the ground. */
static sn_model box_model(double x, double y, double z)
{
    for (int i = 0; i < POINT_COUNT; ++i) {
        points[i][0] = (float)(x * (i % 10 / 9.0 - 0.5));
        points[i][1] = (float)(y * (i / 10 % 10 / 9.0));
        points[i][2] = (float)(z * (i / 100 / 9.0 - 0.5));
        ones[i] = 1;
    }
    return (sn_model){
        .counts = {.vertex_count = POINT_COUNT, .bone_count = 1}, .rest_positions = points[0], .rig_weights = ones};
}

static void walk_pose(int frame, double *pose, float *morphs, void *user)
{
    (void)morphs;
    const walk *w = user;
    const double angle = w->turn * frame, s = sin(angle), c = cos(angle);
    const double radius = w->turn != 0 ? w->speed / w->turn : 0;
    const double at[3] = {w->turn != 0 ? radius * (1 - c) : 0, w->bounce * fabs(sin(0.3 * frame)),
                          w->turn != 0 ? radius * s : w->speed * frame};
    memcpy(pose, (double[12]){c, 0, s, at[0], 0, 1, 0, at[1], -s, 0, c, at[2]}, 12 * sizeof(double));
}

static sn_stage plan(const sn_model *model, const walk *w, int frames, int width, int height)
{
    walk copy = *w;
    sn_stage stage;
    const sn_stage_desc desc = {.model = model,
                                .name = "walk",
                                .pose = walk_pose,
                                .pose_user = &copy,
                                .frame_count = frames,
                                .seconds_per_frame = 1.0 / 60,
                                .width = width,
                                .height = height};
    assert_int_equal(sn_stage_plan(&desc, &stage), SN_OK);
    assert_int_equal(sn_allocated_bytes(), 0);
    return stage;
}

/* The largest |x| or |y| of the picture, 1 at its border; depth must be between near and far. */
static double reach_of_frame(const sn_stage *stage, const walk *w, int frame, double aspect)
{
    double pose[12], largest = 0;
    sn_render_scene scene;
    walk copy = *w;
    walk_pose(frame, pose, NULL, &copy);
    sn_stage_scene(stage, frame, &scene);
    const sn_camera *c = &scene.camera;
    double away[3], length = 0;
    for (int d = 0; d < 3; ++d) {
        away[d] = c->target[d] - c->eye[d];
        length += away[d] * away[d];
    }
    for (int d = 0; d < 3; ++d) {
        away[d] /= sqrt(length);
    }
    const double flat = hypot(away[0], away[2]), right[3] = {-away[2] / flat, 0, away[0] / flat};
    const double up[3] = {-right[2] * away[1], right[2] * away[0] - right[0] * away[2], right[0] * away[1]};
    for (int i = 0; i < POINT_COUNT; ++i) {
        const double rest[3] = {points[i][0], points[i][1], points[i][2]};
        double at[3], x = 0, y = 0, depth = 0;
        sn_affine_apply(pose, rest, at);
        for (int d = 0; d < 3; ++d) {
            x += right[d] * (at[d] - c->eye[d]);
            y += up[d] * (at[d] - c->eye[d]);
            depth += away[d] * (at[d] - c->eye[d]);
        }
        assert_true(depth > c->near_distance && depth < c->far_distance);
        assert_true(at[1] >= scene.ground_height - 1e-6);
        const double half = depth * tan(c->vertical_angle / 2);
        largest = fmax(largest, fmax(fabs(x) / (half * aspect), fabs(y) / half));
    }
    return largest;
}

static void check_inside(const sn_model *model, const walk *w, int frames, int width, int height)
{
    const sn_stage stage = plan(model, w, frames, width, height);
    double largest = 0;
    for (int frame = 0; frame < frames; ++frame) {
        largest = fmax(largest, reach_of_frame(&stage, w, frame, (double)width / height));
    }
    if (largest > 0.93 || largest < 0.85) {
        fail_msg("%d x %d, speed %g: the picture is filled to %g", width, height, w->speed, largest);
    }
}

static void test_nothing_is_clipped(void **state)
{
    (void)state;
    static const double boxes[][3] = {{1, 1, 1}, {0.3, 2, 0.4}, {4, 1, 0.5}, {0.5, 1, 4}, {1e3, 1e3, 1e3}};
    for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; ++i) {
        const sn_model model = box_model(boxes[i][0], boxes[i][1], boxes[i][2]);
        for (int size = 0; size < 3; ++size) {
            const int width = size == 1 ? 48 : 640, height = size == 2 ? 48 : 360;
            check_inside(&model, &still, 1, width, height);
            check_inside(&model, &still, 2, width, height);
            check_inside(&model, &wave, 200, width, height);
            check_inside(&model, &run, 300, width, height);
            check_inside(&model, &run, 2000, width, height);
            check_inside(&model, &fast, 200, width, height);
        }
    }
}

/* A ground or a sky that stays rigid, of a file that brings one: the camera sees the character as without it. */
static void test_scenery_is_not_looked_for(void **state)
{
    (void)state;
    enum { FLESH = 900 };
    static sn_influence influences[POINT_COUNT];
    static int32_t starts[POINT_COUNT + 1], tets[POINT_COUNT];
    sn_model model = box_model(1, 2, 1);
    for (int i = 0; i < POINT_COUNT; ++i) {
        influences[i] = (sn_influence){.bone = 0, .weight = 1};
        starts[i + 1] = i + 1;
        tets[i] = i < FLESH ? 0 : -1;
    }
    model.surface_positions = points[0];
    model.influence_starts = starts;
    model.influences = influences;
    model.surface_tets = tets;
    model.counts.influence_count = POINT_COUNT;
    model.counts.surface_vertex_count = FLESH;
    const sn_stage alone = plan(&model, &wave, 100, 64, 48);
    model.counts.surface_vertex_count = POINT_COUNT;
    const sn_stage near = plan(&model, &wave, 100, 64, 48);
    for (int i = FLESH; i < POINT_COUNT; ++i) {
        points[i][0] *= 100;
        points[i][1] = -3;
        points[i][2] = 50;
    }
    const sn_stage far = plan(&model, &wave, 100, 64, 48);
    assert_true(far.distance == alone.distance && far.radius == alone.radius &&
                far.ground_height == alone.ground_height);
    assert_true(near.distance > alone.distance); /* what is near, a sword, is looked for */
}

static void test_view(void **state)
{
    (void)state;
    const sn_model person = box_model(1, 2, 0.5);
    assert_true(fabs(plan(&person, &still, 1, 64, 48).yaw - 35 * 3.14159265358979 / 180) < 1e-9);
    const sn_model horse = box_model(0.5, 1.5, 2);
    assert_true(fabs(plan(&horse, &still, 1, 64, 48).yaw - 60 * 3.14159265358979 / 180) < 1e-9);
    const sn_stage stage = plan(&person, &still, 1, 64, 48);
    sn_render_scene scene;
    sn_stage_scene(&stage, 0, &scene);
    assert_true(scene.camera.eye[0] > 0 && scene.camera.eye[2] > 0 && scene.camera.eye[1] > scene.camera.target[1]);
    assert_true(scene.light_direction[1] < 0 && scene.light_direction[2] < 0);
    assert_true(fabs((double)scene.ground_height) < 1e-9);
}

/* The camera stands on the side that the view names, whichever way the model faces. */
static void test_named_views(void **state)
{
    (void)state;
    static const double sides[][2] = {[SN_VIEW_FRONT] = {0, 1}, [SN_VIEW_SIDE] = {1, 0}, [SN_VIEW_BACK] = {0, -1}};
    for (sn_stage_view view = SN_VIEW_FRONT; view <= SN_VIEW_BACK; ++view) {
        for (int facing = -1; facing <= 1; facing += 2) {
            sn_model model = box_model(1, 2, 0.5);
            model.facing = facing;
            walk w = still;
            sn_stage stage;
            const sn_stage_desc desc = {&model, "still", walk_pose, &w, 1, 1.0 / 60, 64, 48, view};
            assert_int_equal(sn_stage_plan(&desc, &stage), SN_OK);
            sn_render_scene scene;
            sn_stage_scene(&stage, 0, &scene);
            const double x = (double)(scene.camera.eye[0] - scene.camera.target[0]);
            const double z = (double)(scene.camera.eye[2] - scene.camera.target[2]);
            assert_true(fabs(x / hypot(x, z) - facing * sides[view][0]) < 1e-5);
            assert_true(fabs(z / hypot(x, z) - facing * sides[view][1]) < 1e-5);
        }
    }
}

/* Bones of a body 1 wide and 2 tall: the second one has what is above 1.5, with horns 3 wide. */
static sn_model horned_model(float *weights, const char *names)
{
    static int32_t parents[] = {-1, 0};
    static float pivots[] = {0, 0, 0, 0, 1.5F, 0};
    sn_model model = box_model(1, 2, 0.5);
    for (int v = 0; v < POINT_COUNT; ++v) {
        const bool is_head = points[v][1] > 1.5F;
        points[v][0] *= is_head ? 3 : 1;
        weights[2 * v] = is_head ? 0 : 1;
        weights[2 * v + 1] = is_head ? 1 : 0;
    }
    model.counts.bone_count = 2;
    model.rig_weights = weights;
    model.bone_parents = parents;
    model.bone_pivots = pivots;
    model.bone_names = (char *)(uintptr_t)names;
    return model;
}

/* Chooses the head with its horns and what is close below; without a head's bone the middle of the top. */
static void test_portrait_chooses_the_head(void **state)
{
    (void)state;
    static const char *const names[] = {"a\0J_Bip_C_Head", "a\0bip01 HEAD", "a\0forehead", "a\0neck"};
    static float weights[2 * POINT_COUNT];
    int vertices[POINT_COUNT];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        const sn_model model = horned_model(weights, names[i]);
        for (int v = 0; v < POINT_COUNT; ++v) {
            vertices[v] = v;
        }
        const int count = sn_portrait_choose(&model, points[0], vertices, POINT_COUNT);
        double low = INFINITY, reach = 0;
        for (int k = 0; k < count; ++k) {
            low = fmin(low, (double)points[vertices[k]][1]);
            reach = fmax(reach, fabs((double)points[vertices[k]][0]));
            assert_true(k == 0 || vertices[k] > vertices[k - 1]);
        }
        assert_true(low > 1.2 && low < 1.4);
        assert_true(i < 2 ? reach > 1.49 : reach < 0.5);
    }
}

static double eye_step(const sn_stage *stage, int frame)
{
    sn_render_scene a, b;
    sn_stage_scene(stage, frame, &a);
    sn_stage_scene(stage, frame + 1, &b);
    return hypot((double)(b.camera.eye[0] - a.camera.eye[0]), (double)(b.camera.eye[2] - a.camera.eye[2]));
}

static void test_following(void **state)
{
    (void)state;
    const sn_model model = box_model(1, 1, 1);
    const sn_stage standing = plan(&model, &wave, 300, 64, 48), following = plan(&model, &fast, 300, 64, 48);
    for (int frame = 0; frame < 299; ++frame) {
        assert_true(eye_step(&standing, frame) == 0);
        assert_true(fabs(eye_step(&following, frame) - 3) < 1e-3);
    }
}

static void test_lost_motion_fails(void **state)
{
    (void)state;
    const sn_model model = box_model(1, 1, 1);
    sn_stage stage;
    for (int i = 0; i < 2; ++i) {
        walk w = {.speed = i == 0 ? 1e30 : NAN};
        const sn_stage_desc desc = {&model, "lost", walk_pose, &w, 3, 1.0 / 60, 64, 48, SN_VIEW_AUTOMATIC};
        assert_int_equal(sn_stage_plan(&desc, &stage), SN_ERROR_ARGUMENT);
        assert_int_equal(sn_allocated_bytes(), 0);
    }
}

int test_stage(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_clipped),
        cmocka_unit_test(test_scenery_is_not_looked_for),
        cmocka_unit_test(test_view),
        cmocka_unit_test(test_named_views),
        cmocka_unit_test(test_portrait_chooses_the_head),
        cmocka_unit_test(test_following),
        cmocka_unit_test(test_lost_motion_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
