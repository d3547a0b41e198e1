/* SPDX-License-Identifier: MIT */
/* What a compliance means: flesh swings about a handle that has moved away at 1 / sqrt(compliance) radians a second,
 * whatever the body's size and mass, how much of it the handle weighs, how many handles share it, where their pivots
 * are, and how many substeps there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/coupled/coupled_test.h"

#define LIMIT 8192
#define PI 3.141592653589793
#define COMPLIANCE 4e-3 /* s^2: two and a half swings a second */
#define FRAMES 40
#define REGULARITY 0.05 /* as by default */

typedef struct variant {
    double scale, density;
    int handle_count; /* 0: a mixed rig */
    double pivot;     /* moved by so many lengths of the body */
    int substeps;
} variant;

static const variant variants[] = {
    {1, 1, 1, 0, 15},   {0.1, 1, 1, 0, 15}, {10, 1, 1, 0, 15}, {1, 1000, 1, 0, 15},
    {1, 1, 1, 0.7, 15}, {1, 1, 3, 0, 15},   {1, 1, 7, 0, 15},  {1, 1, 7, 0.5, 15},
    {1, 1, 0, 0, 15},   {1, 1, 3, 0, 30},   {1, 1, 3, 0, 90},  {20, 50, 0, 0.2, 60},
};

static sn_coupled_scene make_scene(const variant *v, int dimension, double softness)
{
    sn_xpbd_shape shape =
        dimension == 2 ? sn_xpbd_sheet(23, 7, 0.05 * v->scale) : sn_xpbd_bar(13, 4, 3, 0.08 * v->scale);
    for (int i = 0; i < shape.desc.element_count; ++i) { /* as fast as a body of any size: E / (density size^2) */
        const double factor = v->density * v->scale * v->scale * softness;
        shape.mu[i] *= factor;
        shape.lambda[i] *= factor;
        shape.density[i] = v->density;
    }
    sn_coupled_scene scene = sn_coupled_row(shape, v->handle_count > 0 ? v->handle_count : 6, SN_HANDLE_RIGID);
    if (v->handle_count == 0) {
        scene.handles[1].type = SN_HANDLE_AFFINE;
        scene.handles[2].type = SN_HANDLE_TRANSLATION;
        scene.handles[4].parent = 3;
        scene.handles[5].parent = 4;
    }
    for (int k = 0; k < scene.handle_count; ++k) {
        scene.handles[k].pivot[0] += v->pivot * v->scale * (k % 2 ? 1 : -1);
        scene.handles[k].pivot[1] += v->pivot * v->scale;
    }
    sn_coupled_rig_destroy(&scene.rig);
    sn_coupled_scene_rig(&scene);
    return scene;
}

static sn_coupled_body *make_body(const sn_coupled_scene *scene, int substeps, double regularity)
{
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.substep_count = substeps;
    settings.compliance = COMPLIANCE;
    settings.regularity = regularity;
    sn_coupled_body *body = sn_coupled_test_body(scene, &settings);
    for (int k = 0; k < scene->handle_count; ++k) {
        const unsigned joint = SN_LOCK_ROTATION | SN_LOCK_STRETCH;
        sn_coupled_body_set_locks(body, k, scene->handles[k].parent >= 0 ? joint : SN_LOCK_ALL);
    }
    return body;
}

/* Where flesh is between a motion's begin and end: sum m w x . motion over sum m w motion^2. shares: of the vertices'
 * masses. */
static double project_on(const sn_coupled_scene *scene, const sn_coupled_body *body, const double *shares,
                         const double *motion)
{
    static double x[3 * LIMIT];
    double along = 0, square = 0;
    sn_xpbd_body_positions(body->flesh, x);
    for (int v = 0; v < scene->shape.desc.vertex_count; ++v) {
        const double m = sn_xpbd_model_mass(scene->model, v) * (shares ? shares[v] : 1);
        double moved[3];
        sn_subtract3(x + 3 * v, scene->shape.positions + 3 * v, moved);
        along += m * sn_dot3(moved, motion + 3 * v);
        square += m * sn_dot3(motion + 3 * v, motion + 3 * v);
    }
    return along / square;
}

/* Seconds from one passing of the middle, upwards, to the next, from the first frames' of a motion that jumps to its
 * end within the first; frames: (FRAMES). */
static double period_of(const double *frames)
{
    double crossings[2];
    int count = 0;
    for (int i = 1; i < FRAMES && count < 2; ++i) {
        if (frames[i - 1] < 1 && frames[i] >= 1) {
            crossings[count++] = (i - 1 + (1 - frames[i - 1]) / (frames[i] - frames[i - 1])) / 60;
        }
    }
    assert_int_equal(count, 2);
    return crossings[1] - crossings[0];
}

/* All handles jump by a rigid motion, which the flesh swings about as a whole. */
static double swing(const variant *v, int dimension, const double *axis, const double *move)
{
    static double motion[3 * LIMIT], frames[FRAMES];
    static const double nowhere[3] = {0};
    double transform[12];
    sn_coupled_scene scene = make_scene(v, dimension, 1);
    sn_coupled_body *body = make_body(&scene, v->substeps, REGULARITY);
    const double by[3] = {move[0] * v->scale, move[1] * v->scale, move[2] * v->scale};
    sn_coupled_aim(nowhere, axis, by, transform);
    for (int i = 0; i < scene.shape.desc.vertex_count; ++i) {
        double there[3];
        const double *x = scene.shape.positions + 3 * i;
        for (int d = 0; d < 3; ++d) {
            there[d] = transform[4 * d + 3] + sn_dot3(transform + 4 * d, x);
        }
        sn_subtract3(there, x, motion + 3 * i);
    }
    for (int k = 0; k < scene.handle_count; ++k) {
        sn_coupled_body_set_target(body, k, transform);
    }
    for (int i = 0; i < FRAMES; ++i) {
        assert_false(sn_coupled_body_step(body, NULL).is_recovered);
        frames[i] = project_on(&scene, body, NULL, motion);
    }
    sn_coupled_body_destroy(&body);
    sn_coupled_scene_finish(&scene);
    return period_of(frames);
}

static void test_flesh_swings_alike(void **state)
{
    (void)state;
    const double expected = 2 * PI * sqrt(COMPLIANCE), axes[2][3] = {{0, 0, 0.02}, {0}},
                 moves[2][3] = {{0}, {0.03, 0.02, 0}};
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; ++i) {
        for (int motion = 0; motion < 4; ++motion) {
            const double period = swing(&variants[i], 2 + motion % 2, axes[motion / 2], moves[motion / 2]);
            if (fabs(period / expected - 1) > 0.01) {
                fail_msg("variant %zu, %dD, %s: a period of %.4f s instead of %.4f", i, 2 + motion % 2,
                         motion < 2 ? "turned" : "moved", period, expected);
            }
        }
    }
}

/* Flesh without stiffness, of which a handle has so many per cent for itself, swings alone. */
static void test_small_handles_are_as_soft_as_large_ones(void **state)
{
    (void)state;
    static double motion[3 * LIMIT], shares[LIMIT], frames[FRAMES];
    const double expected = 2 * PI * sqrt(COMPLIANCE), still[3] = {0}, parts[] = {0.05, 0.3, 0.9};
    for (int i = 0; i < 6; ++i) {
        const variant v = {1, 1, 2, 0, 15};
        const double move[3] = {0, 0.02, 0};
        double transform[12];
        sn_coupled_scene scene = make_scene(&v, 2 + i % 2, 1e-6);
        const double *last = scene.shape.positions + 3 * (scene.shape.desc.vertex_count - 1);
        for (int vertex = 0; vertex < scene.shape.desc.vertex_count; ++vertex) {
            const bool is_its = scene.shape.positions[3 * vertex] <= parts[i / 2] * last[0];
            scene.weights[2 * vertex] = shares[vertex] = is_its;
            scene.weights[2 * vertex + 1] = !is_its;
            memcpy(motion + 3 * vertex, move, sizeof move);
        }
        sn_coupled_rig_destroy(&scene.rig);
        sn_coupled_scene_rig(&scene);
        sn_coupled_body *body = make_body(&scene, 15, REGULARITY);
        sn_coupled_aim(scene.handles[0].pivot, still, move, transform);
        sn_coupled_body_set_target(body, 0, transform);
        for (int frame = 0; frame < FRAMES; ++frame) {
            assert_false(sn_coupled_body_step(body, NULL).is_recovered);
            frames[frame] = project_on(&scene, body, shares, motion);
        }
        const double period = period_of(frames);
        print_message("%dD, %2.0f%% of the body: a period of %.4f s instead of %.4f\n", 2 + i % 2, 100 * parts[i / 2],
                      period, expected);
        assert_true(fabs(period / expected - 1) < 0.01);
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
}

/* One of several whose weights overlap moves: what it takes along swings at the same rate. */
static void test_overlapping_handles(void **state)
{
    (void)state;
    static double motion[3 * LIMIT], frames[FRAMES];
    const double expected = 2 * PI * sqrt(COMPLIANCE), still[3] = {0}, move[3] = {0, 0.02, 0};
    for (int i = 0; i < 4; ++i) {
        const variant v = {1, 1, 3 + 3 * (i / 2), 0.2, 15};
        double transform[12];
        sn_coupled_scene scene = make_scene(&v, 2 + i % 2, 1e-6);
        sn_coupled_body *body = make_body(&scene, 15, 0);
        for (int vertex = 0; vertex < scene.shape.desc.vertex_count; ++vertex) {
            for (int d = 0; d < 3; ++d) {
                motion[3 * vertex + d] = scene.weights[scene.handle_count * vertex + 1] * move[d];
            }
        }
        sn_coupled_aim(scene.handles[1].pivot, still, move, transform);
        sn_coupled_body_set_target(body, 1, transform);
        for (int frame = 0; frame < FRAMES; ++frame) {
            assert_false(sn_coupled_body_step(body, NULL).is_recovered);
            frames[frame] = project_on(&scene, body, NULL, motion);
        }
        const double period = period_of(frames);
        print_message("%dD, one of %d handles: a period of %.4f s instead of %.4f\n", 2 + i % 2, scene.handle_count,
                      period, expected);
        assert_true(fabs(period / expected - 1) < 0.01);
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
}

/* A handle's own compliance is its own: its flesh swings at its own rate, its neighbour's at another. */
static void test_handles_have_their_own(void **state)
{
    (void)state;
    static double motion[3 * LIMIT], shares[2][LIMIT], frames[2][FRAMES];
    const variant v = {1, 1, 2, 0, 15};
    const double move[3] = {0, 0.02, 0}, still[3] = {0};
    sn_coupled_scene scene = make_scene(&v, 2, 1e-6);
    const double *last = scene.shape.positions + 3 * (scene.shape.desc.vertex_count - 1);
    for (int vertex = 0; vertex < scene.shape.desc.vertex_count; ++vertex) {
        for (int k = 0; k < 2; ++k) {
            shares[k][vertex] = (scene.shape.positions[3 * vertex] <= 0.4 * last[0]) == (k == 0);
            scene.weights[2 * vertex + k] = shares[k][vertex];
        }
        memcpy(motion + 3 * vertex, move, sizeof move);
    }
    sn_coupled_rig_destroy(&scene.rig);
    sn_coupled_scene_rig(&scene);
    sn_coupled_body *body = make_body(&scene, 15, REGULARITY);
    sn_coupled_body_set_compliance(body, 1, COMPLIANCE / 4);
    for (int k = 0; k < 2; ++k) {
        double transform[12];
        sn_coupled_aim(scene.handles[k].pivot, still, move, transform);
        sn_coupled_body_set_target(body, k, transform);
    }
    for (int frame = 0; frame < FRAMES; ++frame) {
        assert_false(sn_coupled_body_step(body, NULL).is_recovered);
        for (int k = 0; k < 2; ++k) {
            frames[k][frame] = project_on(&scene, body, shares[k], motion);
        }
    }
    const double expected = 2 * PI * sqrt(COMPLIANCE), slow = period_of(frames[0]), fast = period_of(frames[1]);
    print_message("periods of %.4f and %.4f s instead of %.4f and %.4f\n", slow, fast, expected, expected / 2);
    assert_true(fabs(slow / expected - 1) < 0.01 && fabs(2 * fast / expected - 1) < 0.02);
    sn_coupled_body_destroy(&body);
    sn_coupled_scene_finish(&scene);
}

int test_coupled_compliance(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flesh_swings_alike), cmocka_unit_test(test_small_handles_are_as_soft_as_large_ones),
        cmocka_unit_test(test_overlapping_handles), cmocka_unit_test(test_handles_have_their_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
