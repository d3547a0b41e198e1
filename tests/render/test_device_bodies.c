/* SPDX-License-Identifier: MIT */
/* Bodies that step on the device, drawn from where their matrices lie: the pictures of a world on threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/world/inspect.h"
#include "runtime/render/renderer.h"
#include "runtime/view/draw_body.h"
#include "tests/support/gpu_world.h"
#include "tests/support/image_compare.h"

#define WIDTH 320
#define HEIGHT 180
#define PICTURE (4 * WIDTH * HEIGHT)
#define CROWD 5

/* Steps end in the same minimum, within a few millionths: hardly a pixel is another. */
static const image_limits hardly = {.mean = 0.01, .percentile = 0.5};

typedef struct stage {
    sn_renderer *renderer;
    sn_render_model *models[TWIN_MODELS];
    twins t;
} stage;

static stage make_stage(sn_gpu_device *device)
{
    stage s = {.t = twins_make(device, 2)};
    sn_renderer_desc desc = sn_default_renderer_desc();
    desc.width = WIDTH;
    desc.height = HEIGHT;
    desc.shadow_size = 512;
    desc.matrix_limit = 1; /* so that it must grow */
    assert_int_equal(sn_renderer_create(device, &desc, &s.renderer), SN_OK);
    for (int i = 0; i < TWIN_MODELS; ++i) {
        assert_int_equal(sn_render_model_create(s.renderer, twin_models[i], &s.models[i]), SN_OK);
    }
    return s;
}

static void finish_stage(stage *s)
{
    for (int i = 0; i < TWIN_MODELS; ++i) {
        sn_render_model_destroy(s->renderer, &s->models[i]);
    }
    sn_renderer_destroy(&s->renderer);
    twins_finish(&s->t);
}

static sn_render_scene look(const sn_render_body *bodies, int count)
{
    sn_render_scene scene = sn_default_render_scene();
    scene.camera.eye[0] = scene.camera.target[0] = scene.bounds_center[0] = 0.5F * (float)count;
    scene.camera.eye[2] = 2 + 1.8F * (float)count;
    scene.camera.target[1] = scene.bounds_center[1] = 0.2F;
    scene.bounds_radius = 0.6F * (float)count + 1;
    scene.ground_height = -0.5F;
    scene.bodies = bodies;
    scene.body_count = count;
    return scene;
}

static sn_render_model *model_of(const stage *s, int index)
{
    int model = 0;
    while (twin_models[model] != sn_body_model(s->t.hosts[index])) {
        ++model;
    }
    return s->models[model];
}

/* Uploads the bodies of the mask's bits as one of the worlds has them, and draws the rest on the device. */
static void draw_as(stage *s, unsigned uploaded, const sn_body_id *from, uint8_t *picture)
{
    sn_render_body bodies[TWIN_LIMIT];
    sn_render_scene scene = look(bodies, s->t.count);
    const uint8_t *pixels = NULL;
    for (int i = 0; i < s->t.count; ++i) {
        bodies[i] = (sn_render_body){.model = model_of(s, i)};
        if (uploaded >> i & 1) {
            const sn_body_matrices output = sn_body_output(from[i]);
            bodies[i].transforms = output.matrices[0].m[0];
            bodies[i].morphs = output.morphs;
        } else {
            sn_draw_body(s->t.guests[i], &bodies[i], &scene);
        }
    }
    assert_int_equal(sn_renderer_draw(s->renderer, &scene), SN_OK);
    assert_int_equal(sn_renderer_read(s->renderer, &pixels), SN_OK);
    memcpy(picture, pixels, PICTURE);
}

static void draw(stage *s, unsigned uploaded, uint8_t *picture)
{
    draw_as(s, uploaded, s->t.hosts, picture);
}

static void expect_alike(const uint8_t *a, const uint8_t *b)
{
    const image_difference difference = image_compare(a, b, WIDTH, HEIGHT);
    print_message("mean %.5f, 99.5th percentile %.3f, worst %.2f\n", difference.mean, difference.percentile,
                  difference.worst);
    assert_true(image_is_same(&difference, &hardly));
}

static void run(stage *s, int first, int last)
{
    for (int frame = first; frame < last; ++frame) {
        twins_pose_all(&s->t, frame / 60.0);
        if (frame == 0) {
            twins_reset_all(&s->t);
        }
        twins_step(&s->t, 1.0 / 60, frame % 2 == 0);
    }
}

static uint8_t pictures[4][PICTURE];

static void draws_what_a_world_on_threads_draws(void **state)
{
    stage s = make_stage(*state);
    for (int i = 0; i < CROWD; ++i) {
        twins_add(&s.t, twin_models[i % TWIN_MODELS]);
    }
    run(&s, 0, 20);
    draw(&s, ~0U, pictures[0]);
    draw(&s, 0, pictures[1]);
    draw(&s, 0x15, pictures[2]); /* some here, some there, in one picture */
    expect_alike(pictures[0], pictures[1]);
    expect_alike(pictures[0], pictures[2]);
    run(&s, 20, 24);
    draw(&s, 0, pictures[3]);
    const image_difference moved = image_compare(pictures[1], pictures[3], WIDTH, HEIGHT);
    assert_false(image_is_same(&moved, &hardly));
    draw(&s, ~0U, pictures[0]);
    expect_alike(pictures[0], pictures[3]);
    finish_stage(&s);
}

/* Coupled bodies whose first bone alone is driven, beside reduced ones: each kind has its buffer. */
static void draws_both_kinds_in_one_picture(void **state)
{
    stage s = make_stage(*state);
    for (int i = 0; i < CROWD; ++i) {
        const bool is_coupled = 0x16 >> i & 1;
        sn_body_desc desc = twin_desc(twin_models[i % TWIN_MODELS]);
        desc.solver = is_coupled ? SN_SOLVER_COUPLED : SN_SOLVER_REDUCED;
        twins_put(&s.t, s.t.count++, &desc);
        for (int bone = 1; is_coupled && bone < sn_model_bone_count(desc.model); ++bone) {
            sn_body_set_locks(s.t.hosts[i], bone, 0);
            sn_body_set_locks(s.t.guests[i], bone, 0);
        }
    }
    run(&s, 0, 20);
    draw(&s, 0, pictures[0]);
    float told[12], bone[12]; /* the last, which is free: drawing has not read it back */
    const int last = sn_model_bone_count(twin_models[2]) - 1;
    memcpy(told, sn_body_cached_output(s.t.guests[2]).matrices[last].m, sizeof told);
    memcpy(bone, sn_body_output(s.t.guests[2]).matrices[last].m, sizeof bone);
    assert_true(fabsf(told[7] - bone[7]) > 1e-3F);
    draw_as(&s, 0x16, s.t.guests, pictures[1]);
    assert_memory_equal(pictures[0], pictures[1], PICTURE);
    draw(&s, ~0U, pictures[2]);
    expect_alike(pictures[0], pictures[2]);
    finish_stage(&s);
}

/* New bodies make the world's buffer anew, while frames are drawn: each picture reads the one of its time. */
static void follows_a_buffer_that_grows(void **state)
{
    stage s = make_stage(*state);
    uint64_t version = 0;
    int change_count = 0;
    for (int i = 0; i < 12; ++i) {
        twins_add(&s.t, twin_models[i % TWIN_MODELS]);
        twins_pose(&s.t, i, i / 20.0);
        sn_body_reset(s.t.hosts[i]);
        sn_body_reset(s.t.guests[i]);
        run(&s, 3 * i, 3 * i + 3);
        const uint64_t now = sn_body_gpu_output(s.t.guests[0]).version;
        change_count += now != version;
        version = now;
        draw(&s, 0, pictures[1]);
        draw(&s, 0, pictures[2]); /* the other frame in flight */
        assert_memory_equal(pictures[1], pictures[2], PICTURE);
    }
    assert_true(change_count > 2);
    draw(&s, ~0U, pictures[0]);
    expect_alike(pictures[0], pictures[1]);
    finish_stage(&s);
}

#define GPU_TEST(function) cmocka_unit_test_setup_teardown(function, sn_test_gpu_set_up, sn_test_gpu_tear_down)

int test_device_bodies(void)
{
    const struct CMUnitTest tests[] = {
        GPU_TEST(draws_what_a_world_on_threads_draws),
        GPU_TEST(draws_both_kinds_in_one_picture),
        GPU_TEST(follows_a_buffer_that_grows),
    };
    return cmocka_run_group_tests(tests, twin_cook_models, twin_release_models);
}
