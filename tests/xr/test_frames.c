/* SPDX-License-Identifier: MIT */
/* Frames of a headset, validation on: what both eyes see, when a frame is drawn and when not, and how a session ends.
 * The headset itself watches the order of all calls. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "compute/core/open.h"
#include "tests/support/count_allocations.h"
#include "tests/xr/fake_headset.h"

static const sn_xr_placement place = {
    .anchor = {0.1, 0.2, 0}, .position = {0.05, 0, -1.5}, .yaw = 0.3, .metres_per_unit = 1.25};

/* With a renderer of its own, and nothing in it. */
static fixture open_scene(const headset *h)
{
    fixture f = {.device = h->device, .width = fake->width, .height = fake->height};
    sn_renderer_desc desc = sn_default_renderer_desc();
    int size[2];
    sn_xr_size(h->xr, size);
    assert_true(size[0] == f.width && size[1] == f.height);
    desc.width = size[0];
    desc.height = size[1];
    desc.shadow_size = 256;
    desc.matrix_limit = 4;
    assert_int_equal(sn_renderer_create(h->device, &desc, &f.renderer), SN_OK);
    return f;
}

static void close_scene(fixture *f)
{
    remove_bodies(f);
    sn_renderer_destroy(&f->renderer);
    sn_arena_finish(&f->arena);
}

static sn_xr_frame run_frame(const headset *h, const fixture *f, const sn_render_scene *scene, bool *is_drawn)
{
    sn_xr_frame frame;
    *is_drawn = false;
    assert_int_equal(sn_xr_poll(h->xr), SN_OK);
    assert_true(sn_xr_is_running(h->xr));
    assert_int_equal(sn_xr_begin_frame(h->xr, &frame), SN_OK);
    if (frame.is_displayed) {
        assert_int_equal(sn_xr_draw(h->xr, f->renderer, scene, &place, is_drawn), SN_OK);
    } else {
        assert_int_equal(sn_xr_skip(h->xr), SN_OK);
    }
    return frame;
}

static void run_frames(const headset *h, const fixture *f, const sn_render_scene *scene, int count)
{
    bool is_drawn;
    for (int i = 0; i < count; ++i) {
        run_frame(h, f, scene, &is_drawn);
    }
    assert_true(is_drawn);
}

/* ---- pictures ---- */

/* What the headset says an eye is, for the renderer. */
static sn_eye eye_of(int i, sn_render_scene *scene)
{
    sn_xr_pose pose;
    for (int d = 0; d < 4; ++d) {
        pose.orientation[d] = (double)fake->eyes[i].orientation[d];
        pose.position[d % 3] = (double)fake->eyes[i].position[d % 3];
    }
    const sn_xr_pose world = sn_xr_to_world(&place, &pose);
    const float *t = fake->tangents[i];
    sn_eye eye = {.left = t[0], .right = t[1], .down = t[2], .up = t[3]};
    for (int d = 0; d < 4; ++d) {
        eye.orientation[d] = (float)world.orientation[d];
        scene->camera.eye[d % 3] = (float)world.position[d % 3];
    }
    scene->camera.near_distance = (float)(0.05 / place.metres_per_unit);
    scene->camera.far_distance = (float)(200 / place.metres_per_unit);
    return eye;
}

static sn_render_scene make_room(const fixture *f)
{
    sn_render_scene scene = make_scene(f);
    scene.bounds_radius = 1.5F;
    return scene;
}

/* Of BGRA and of RGBA images. */
static void eyes_see_what_the_renderer_draws(void **state)
{
    (void)state;
    for (int run = 0; run < 2; ++run) {
        start_fake(NULL);
        fake->formats[0] = run ? VK_FORMAT_R8G8B8A8_SRGB : VK_FORMAT_B8G8R8A8_SRGB;
        fake->formats[1] = run ? 0 : VK_FORMAT_R8G8B8A8_UNORM;
        fake->width = 96;
        fake->height = 112;
        fake->head.orientation[0] = -0.1987F; /* it looks down, turned to the left a little, and rolls */
        fake->head.orientation[1] = 0.0499F;
        fake->head.orientation[2] = 0.0749F;
        fake->head.orientation[3] = 0.97595F;
        headset h = open_headset();
        fixture f = open_scene(&h);
        add(&f, SN_TEST_SPHERE, sn_test_material(0.8F, 0.3F, 0.2F), 0.3F, 0, 0.1F, 0.5F, 0);
        add(&f, SN_TEST_TORUS, sn_test_material(0.2F, 0.4F, 0.8F), 0.3F, 0, 0.5F, 0.9F, -0.4F);
        sn_render_scene scene = make_room(&f);
        run_frames(&h, &f, &scene, 3);
        assert_int_equal(sn_renderer_resize(f.renderer, f.width, f.height), SN_OK); /* no frame waits any more */
        for (int i = 0; i < SN_FAKE_EYES; ++i) {
            const sn_eye eye = eye_of(i, &scene);
            scene.eye = &eye;
            const uint8_t *pixels = draw(&f, &scene, i == 0 ? "eye_left_expected" : "eye_right_expected");
            write_picture(i == 0 ? "eye_left" : "eye_right", fake->pixels[i], f.width, f.height);
            assert_memory_equal(pixels, fake->pixels[i], 4 * (size_t)f.width * (size_t)f.height);
        }
        assert_memory_not_equal(fake->pixels[0], fake->pixels[1], 4 * (size_t)f.width * (size_t)f.height);
        close_scene(&f);
        close_headset(&h, 0);
    }
}

/* The middle of what is bright in an eye's picture, in pixels. */
static void bright_spot(int eye, double spot[2])
{
    double sum = 0;
    spot[0] = spot[1] = 0;
    for (int i = 0; i < fake->width * fake->height; ++i) {
        const double light = fake->pixels[eye][4 * i] > 128;
        sum += light;
        spot[0] += light * (i % fake->width + 0.5);
        spot[1] += light * (i / fake->width + 0.5);
    }
    assert_true(sum > 4);
    spot[0] /= sum;
    spot[1] /= sum;
}

/* Where a point of the headset's space is in an eye's picture: by the headset's own numbers alone. */
static void expected_spot(int eye, const double point[3], double spot[2])
{
    const float *t = fake->tangents[eye];
    sn_xr_pose pose;
    double seen[3];
    for (int d = 0; d < 4; ++d) {
        pose.orientation[d] = (double)fake->eyes[eye].orientation[d];
        pose.position[d % 3] = (double)fake->eyes[eye].position[d % 3];
    }
    sn_xr_pose_invert(&pose, point, seen);
    const double x = seen[0] / -seen[2], y = seen[1] / -seen[2];
    spot[0] = fake->width * (x - (double)t[0]) / (double)(t[1] - t[0]);
    spot[1] = fake->height * ((double)t[3] - y) / (double)(t[3] - t[2]);
}

/* A small ball, near and far: both eyes see it where it is, and the near one more apart. */
static void parallax_is_of_the_distance(void **state)
{
    (void)state;
    static const double points[2][3] = {{0.05, 1.5, -0.6}, {0.3, 1.8, -2.5}};
    double apart[2];
    fake->width = fake->height = 160;
    headset h = open_headset();
    for (int i = 0; i < 2; ++i) {
        const sn_xr_pose pose = {{0, 0, 0, 1}, {points[i][0], points[i][1], points[i][2]}};
        const sn_xr_pose world = sn_xr_to_world(&place, &pose);
        fixture f = open_scene(&h);
        add(&f, SN_TEST_SPHERE, unlit(1, 1, 1), (float)(0.04 * -points[i][2] / place.metres_per_unit), 0,
            (float)world.position[0], (float)world.position[1], (float)world.position[2]);
        sn_render_scene scene = make_room(&f);
        double left[2], right[2], expected[2];
        scene.has_ground = false;
        memset(scene.background, 0, sizeof scene.background);
        run_frames(&h, &f, &scene, i == 0 ? 3 : 1);
        bright_spot(0, left);
        bright_spot(1, right);
        expected_spot(0, points[i], expected);
        assert_true(hypot(left[0] - expected[0], left[1] - expected[1]) < 0.6);
        const double shift = expected[0];
        expected_spot(1, points[i], expected);
        assert_true(hypot(right[0] - expected[0], right[1] - expected[1]) < 0.6);
        apart[i] = left[0] - right[0];
        assert_true(fabs(apart[i] - (shift - expected[0])) < 0.8);
        close_scene(&f);
    }
    assert_true(apart[0] > apart[1] + 4);
    close_headset(&h, 0);
}

/* An eye that looks as a camera does sees what it sees. */
static void an_eye_may_be_a_camera(void **state)
{
    (void)state;
    headset h = open_headset();
    fixture f = open_scene(&h);
    add(&f, SN_TEST_TORUS, sn_test_material(0.2F, 0.4F, 0.8F), 0.4F, 0, 0.2F, 0.1F, 0);
    sn_render_scene scene = make_plain_scene(&f);
    uint8_t *copy = malloc(4 * (size_t)f.width * (size_t)f.height);
    memset(scene.background, 0, sizeof scene.background);
    memcpy(copy, draw(&f, &scene, "as_camera"), 4 * (size_t)f.width * (size_t)f.height);
    const float up = tanf(scene.camera.vertical_angle / 2), right = up * (float)f.width / (float)f.height;
    const sn_eye eye = {.orientation = {0, 0, 0, 1}, .left = -right, .right = right, .down = -up, .up = up};
    scene.eye = &eye;
    const uint8_t *pixels = draw(&f, &scene, "as_eye");
    int other_count = 0, lit_count = 0;
    for (int i = 0; i < 4 * f.width * f.height; ++i) {
        other_count += abs(pixels[i] - copy[i]) > 2;
        lit_count += i % 4 < 3 && copy[i] > 16;
    }
    assert_true(lit_count > 1000 && other_count < 20);
    free(copy);
    close_scene(&f);
    close_headset(&h, 0);
}

/* ---- when ---- */

static void frames_are_drawn_when_they_are_seen(void **state)
{
    (void)state;
    fake->width = fake->height = 32;
    headset h = open_headset();
    fixture f = open_scene(&h);
    const sn_render_scene scene = make_room(&f);
    bool is_drawn;
    for (int i = 0; i < 2; ++i) { /* nothing is seen yet */
        run_frame(&h, &f, &scene, &is_drawn);
        assert_false(is_drawn);
    }
    sn_xr_frame frame = run_frame(&h, &f, &scene, &is_drawn);
    assert_true(is_drawn && frame.seconds == 0); /* time begins */
    frame = run_frame(&h, &f, &scene, &is_drawn);
    assert_true(is_drawn && fabs(frame.seconds - 1.0 / 90) < 1e-6);
    for (int i = 0; i < 2; ++i) { /* the display changes its rate */
        fake->rate = i == 0 ? 72 : 120;
        frame = run_frame(&h, &f, &scene, &is_drawn);
        assert_true(is_drawn && fabs(frame.seconds - 1 / fake->rate) < 1e-6);
    }
    fake->is_hidden = true;
    frame = run_frame(&h, &f, &scene, &is_drawn);
    assert_true(!is_drawn && !frame.is_displayed);
    fake->is_hidden = false;
    frame = run_frame(&h, &f, &scene, &is_drawn);
    assert_true(is_drawn && frame.seconds == 0); /* it stood meanwhile */
    fake->is_busy = true;                        /* twice: an image that was acquired is waited for again */
    run_frame(&h, &f, &scene, &is_drawn);
    assert_false(is_drawn);
    run_frame(&h, &f, &scene, &is_drawn);
    assert_false(is_drawn);
    fake->is_busy = false;
    frame = run_frame(&h, &f, &scene, &is_drawn);
    assert_true(is_drawn && fabs(frame.seconds - 1.0 / 120) < 1e-6);
    fake->is_lost_view = true;
    run_frame(&h, &f, &scene, &is_drawn);
    assert_false(is_drawn);
    fake->is_lost_view = false;
    fake->is_recentred = true;
    assert_true(run_frame(&h, &f, &scene, &is_drawn).is_recentred && is_drawn);
    assert_false(run_frame(&h, &f, &scene, &is_drawn).is_recentred);
    assert_int_equal(fake->drawn_count, 8);
    assert_int_equal(fake->empty_count, 6);
    close_scene(&f);
    close_headset(&h, 0);
}

static void frames_allocate_nothing(void **state)
{
    (void)state;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    fake->width = fake->height = 32;
    headset h = open_headset();
    fixture f = open_scene(&h);
    add(&f, SN_TEST_SPHERE, sn_test_material(0.8F, 0.3F, 0.2F), 0.3F, 0, 0.1F, 0.5F, 0);
    const sn_render_scene scene = make_room(&f);
    run_frames(&h, &f, &scene, 5);
    const int before = allocation_count;
    run_frames(&h, &f, &scene, 5);
    assert_int_equal(allocation_count, before);
    close_scene(&f);
    close_headset(&h, 0);
    sn_set_allocator(NULL, NULL, NULL);
}

/* ---- hands ---- */

static void hands_are_where_they_are(void **state)
{
    (void)state;
    fake->width = fake->height = 32;
    fake->has_no_stage = true; /* the floor is a seat's height below */
    headset h = open_headset();
    fixture f = open_scene(&h);
    const sn_render_scene scene = make_room(&f);
    bool is_drawn;
    sn_xr_frame frame = run_frame(&h, &f, &scene, &is_drawn);
    assert_false(frame.hands[0].is_tracked || frame.hands[1].is_tracked); /* without the focus */
    run_frames(&h, &f, &scene, 2);
    fake->hands[1].trigger = 0.75F;
    fake->hands[1].is_reset = true;
    frame = run_frame(&h, &f, &scene, &is_drawn);
    assert_true(frame.hands[1].is_tracked && frame.hands[1].trigger == 0.75 && frame.hands[0].trigger == 0);
    assert_true(frame.is_reset && !frame.is_recentred);
    for (int d = 0; d < 3; ++d) {
        const double there = (double)fake->hands[1].pose.position[d];
        assert_true(fabs(frame.hands[1].grip.position[d] - there) < 1e-6);
        assert_true(fabs(frame.hands[1].aim.position[d] - there) < 1e-6);
    }
    fake->hands[0].is_tracked = false;
    fake->hands[1].is_recentre = true;
    frame = run_frame(&h, &f, &scene, &is_drawn);
    assert_true(!frame.hands[0].is_tracked && !frame.is_reset && frame.is_recentred); /* once a press */
    assert_int_equal(sn_xr_vibrate(h.xr, 1, 0.5, 0.05), SN_OK);
    assert_true(fake->shake_count[1] == 1 && fake->shake_most[1] == 0.5F && fake->shake_count[0] == 0);
    close_scene(&f);
    close_headset(&h, 0);
}

/* ---- the end ---- */

static void the_user_ends_it(void **state)
{
    (void)state;
    fake->width = fake->height = 32;
    headset h = open_headset();
    fixture f = open_scene(&h);
    const sn_render_scene scene = make_room(&f);
    run_frames(&h, &f, &scene, 3);
    assert_int_equal(sn_xr_request_end(h.xr), SN_OK);
    for (int i = 0; i < 4 && !sn_xr_is_ended(h.xr); ++i) {
        assert_int_equal(sn_xr_poll(h.xr), SN_OK);
        assert_false(sn_xr_is_running(h.xr));
    }
    assert_true(sn_xr_is_ended(h.xr));
    close_scene(&f);
    close_headset(&h, 0);
}

/* Taken off and put on: another session's beginning, and time stood. */
static void it_may_be_taken_off(void **state)
{
    (void)state;
    fake->width = fake->height = 32;
    fake->doze_at = 4;
    headset h = open_headset();
    fixture f = open_scene(&h);
    const sn_render_scene scene = make_room(&f);
    bool is_drawn;
    run_frames(&h, &f, &scene, 4);
    for (int i = 0; i < 2; ++i) {
        assert_false(run_frame(&h, &f, &scene, &is_drawn).is_displayed);
    }
    const sn_xr_frame frame = run_frame(&h, &f, &scene, &is_drawn);
    assert_true(is_drawn && frame.seconds == 0);
    assert_int_equal(fake->begun_count, 2);
    close_scene(&f);
    close_headset(&h, 0);
}

/* Each has one line. */
static void a_loss_is_an_error(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        start_fake(NULL);
        fake->width = fake->height = 32;
        *(kind == 0 ? &fake->lose_at : kind == 1 ? &fake->drop_at : &fake->pending_at) = 4;
        headset h = open_headset();
        fixture f = open_scene(&h);
        const sn_render_scene scene = make_room(&f);
        sn_result result = SN_OK;
        for (int i = 0; i < 8 && result == SN_OK; ++i) {
            sn_xr_frame frame;
            bool is_drawn;
            result = sn_xr_poll(h.xr);
            result = result ? result : sn_xr_begin_frame(h.xr, &frame);
            result = result               ? result
                     : frame.is_displayed ? sn_xr_draw(h.xr, f.renderer, &scene, &place, &is_drawn)
                                          : sn_xr_skip(h.xr);
        }
        assert_int_equal(result, SN_ERROR_UNSUPPORTED);
        assert_non_null(strstr(log_line, "headset was lost"));
        close_scene(&f);
        close_headset(&h, 1);
    }
}

static void what_is_absent_is_named(void **state)
{
    (void)state;
    sn_xr *xr = NULL;
    setenv("XR_RUNTIME_JSON", SN_BINARY_DIR "/tests/no_such_file.json", 1);
    assert_int_equal(sn_xr_open(&xr), SN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(log_line, "no OpenXR runtime"));
    setenv("XR_RUNTIME_JSON", SN_BINARY_DIR "/tests/fake_xr.json", 1);
    fake->is_headless = true;
    assert_int_equal(sn_xr_open(&xr), SN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(log_line, "no headset"));
    fake->is_headless = false;
    fake->is_plain = true;
    assert_int_equal(sn_xr_open(&xr), SN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(log_line, "XR_KHR_vulkan_enable2"));
    assert_null(xr);
    assert_int_equal(log_line_count, 3);
    assert_int_equal(sn_allocated_bytes(), 0);
    sn_set_log(NULL, NULL);
}

static void other_images_are_refused(void **state)
{
    (void)state;
    headset h = {0};
    fake->formats[0] = VK_FORMAT_R16G16B16A16_SFLOAT;
    fake->formats[1] = 0;
    assert_int_equal(sn_xr_open(&h.xr), SN_OK);
    assert_int_equal(sn_gpu_device_create(&(sn_gpu_device_desc){.factory = sn_xr_gpu_device_factory(h.xr)}, &h.device),
                     SN_OK);
    assert_int_equal(sn_xr_start(h.xr, h.device), SN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(log_line, "sRGB"));
    close_headset(&h, 1);
}

int test_frames(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(eyes_see_what_the_renderer_draws, start_fake),
        cmocka_unit_test_setup(parallax_is_of_the_distance, start_fake),
        cmocka_unit_test_setup(an_eye_may_be_a_camera, start_fake),
        cmocka_unit_test_setup(frames_are_drawn_when_they_are_seen, start_fake),
        cmocka_unit_test_setup(frames_allocate_nothing, start_fake),
        cmocka_unit_test_setup(hands_are_where_they_are, start_fake),
        cmocka_unit_test_setup(the_user_ends_it, start_fake),
        cmocka_unit_test_setup(it_may_be_taken_off, start_fake),
        cmocka_unit_test_setup(a_loss_is_an_error, start_fake),
        cmocka_unit_test_setup(other_images_are_refused, start_fake),
        /* the loader keeps what it learnt of a runtime that made no instance: the last */
        cmocka_unit_test_setup(what_is_absent_is_named, start_fake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
