/* SPDX-License-Identifier: MIT */
/* The panel of settings in the player's window, under a display of its own, validation on: it is drawn where it is, and
 * nowhere else; keys and the pointer change the body. Skips (77) where there is no Xvfb. With SN_TEST_PICTURES=folder
 * what is seen is written there, of the model SN_TEST_MODEL, where that is given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/render/panelled.h"
#include "tests/world/recorded.h"

#define WIDTH 480
#define HEIGHT 300

static panelled open_bar(sn_recorder *recorder)
{
    const char *path = getenv("SN_TEST_MODEL");
    return open_panelled(path ? path : SN_SOURCE_DIR "/tests/golden/bar.sinew", WIDTH, HEIGHT, recorder);
}

static void tab_shows_and_hides_it(void **state)
{
    (void)state;
    panelled p = open_bar(NULL);
    const int edge = WIDTH - 330 - 12;
    type(&p, '.', '.');
    play(&p, 3);
    assert_null(p.player->panel.ui);
    uint8_t *bare = copy_pixels(&p);
    keep_picture(&p, "panel-hidden");
    type(&p, GLFW_KEY_TAB, 0);
    play(&p, 4);
    assert_true(p.player->panel.is_visible);
    keep_picture(&p, "panel");
    assert_int_equal(count_differences(&p, bare, p.pixels, 0, edge), 0);
    assert_true(count_differences(&p, bare, p.pixels, edge, WIDTH) > 30000);
    type(&p, GLFW_KEY_TAB, 0);
    play(&p, 2);
    assert_int_equal(count_differences(&p, bare, p.pixels, 0, WIDTH), 0);
    free(bare);
    close_panelled(&p);
}

/* The first slider is the amount, for which the pointer looks: it goes over the panel, line by line. */
static void raise_amount(panelled *p)
{
    for (double y = 95; y < 200 && p->player->body_desc.amount <= 2; y += 9) {
        drag(p, WIDTH - 330, y, WIDTH - 330 + 130);
    }
    assert_true(p->player->body_desc.amount > 2 && p->player->body_desc.amount <= 3);
}

static void check_recording(const recording *r, int frames, double amount)
{
    sn_replay *replay;
    sn_replay_report report = {0};
    bool is_amount_there = false;
    assert_int_equal(open_replay(r, 2, &replay), SN_OK);
    assert_int_equal(sn_replay_step_count(replay), frames);
    while (!report.is_over) {
        assert_int_equal(sn_replay_step(replay, &report), SN_OK);
        const sn_body_id body = sn_replay_body_count(replay) > 0 ? sn_replay_body(replay, 1) : (sn_body_id){0};
        is_amount_there |= sn_body_is_valid(body) && sn_body_inspect(body).amount == amount;
    }
    assert_true(is_amount_there);
    assert_int_equal(sn_replay_first_difference(replay), -1);
    sn_replay_destroy(&replay);
}

/* What it changes is recorded, and done again; beside it, the pointer has the camera. */
static void the_pointer_changes_the_body(void **state)
{
    (void)state;
    recording r = {0};
    sn_recorder *recorder = begin_recording(&r, false);
    panelled p = open_bar(recorder);
    play(&p, 1);
    type(&p, GLFW_KEY_TAB, 0);
    play(&p, 2);
    const sn_orbit orbit = p.player->orbit;
    raise_amount(&p);
    assert_memory_equal(&orbit, &p.player->orbit, sizeof orbit);
    drag(&p, 30, 270, 90);
    assert_true(orbit.yaw != p.player->orbit.yaw);
    const double amount = p.player->body_desc.amount;
    const int frames = p.player->report.frame_count;
    sn_player_destroy(&p.player);
    end_recording(recorder);
    check_recording(&r, frames, amount);
    free(r.words);
    close_panelled(&p);
}

/* Two buttons pressed over it are both its, until each is let go. */
static void a_button_stays_the_panels(void **state)
{
    (void)state;
    panelled p = open_bar(NULL);
    play(&p, 1);
    type(&p, GLFW_KEY_TAB, 0);
    play(&p, 2);
    const sn_orbit orbit = p.player->orbit;
    p.pointer.on_pointer(p.pointer.handle, WIDTH - 60, 20);
    p.pointer.on_button(p.pointer.handle, GLFW_MOUSE_BUTTON_LEFT, GLFW_PRESS, 0);
    p.pointer.on_button(p.pointer.handle, GLFW_MOUSE_BUTTON_RIGHT, GLFW_PRESS, 0);
    p.pointer.on_button(p.pointer.handle, GLFW_MOUSE_BUTTON_RIGHT, GLFW_RELEASE, 0);
    play(&p, 1);
    p.pointer.on_pointer(p.pointer.handle, 60, 200);
    play(&p, 1);
    assert_memory_equal(&orbit, &p.player->orbit, sizeof orbit);
    p.pointer.on_button(p.pointer.handle, GLFW_MOUSE_BUTTON_LEFT, GLFW_RELEASE, 0);
    play(&p, 1);
    drag(&p, 30, 270, 90);
    assert_true(orbit.yaw != p.player->orbit.yaw);
    close_panelled(&p);
}

static void draw_bare(panelled *p)
{
    const sn_render_scene scene = sn_default_render_scene();
    const uint8_t *bytes = NULL;
    bool is_drawn = false;
    int size[2];
    assert_int_equal(sn_swapchain_draw(p->player->swapchain, p->player->renderer, &scene, &is_drawn), SN_OK);
    assert_true(is_drawn);
    assert_int_equal(sn_swapchain_read(p->player->swapchain, &bytes, size), SN_OK);
    memcpy(p->pixels, bytes, (size_t)4 * WIDTH * HEIGHT);
}

/* Shown in a window that had no size, or another one, when its frame began. */
static void pictures_of_another_size_have_none(void **state)
{
    (void)state;
    static const int sizes[2][2] = {{WIDTH - 20, HEIGHT}, {WIDTH, HEIGHT}};
    panelled p = open_bar(NULL);
    sn_panel *panel = &p.player->panel;
    play(&p, 1);
    draw_bare(&p);
    uint8_t *bare = copy_pixels(&p);
    assert_int_equal(sn_panel_toggle(panel, p.device, p.window, p.player->swapchain), SN_OK);
    draw_bare(&p);
    assert_int_equal(count_differences(&p, bare, p.pixels, 0, WIDTH), 0);
    for (int i = 0; i < 8; ++i) { /* a few frames, until its own size is known */
        const int *size = sizes[i / 4];
        sn_ui_begin(panel->ui, size, 0.02);
        sn_ui_panel_begin(panel->ui, "panel");
        for (int k = 0; k < 2; ++k) {
            const sn_ui_number number = {"", NULL, "%.2f", 0, 1, false};
            double value = 0;
            sn_ui_push(panel->ui, k);
            sn_ui_slider(panel->ui, &number, &value);
            sn_ui_pop(panel->ui);
        }
        sn_ui_panel_end(panel->ui);
        sn_ui_end(panel->ui);
        draw_bare(&p);
        assert_true(i >= 4 || count_differences(&p, bare, p.pixels, 0, WIDTH) == 0);
    }
    assert_true(count_differences(&p, bare, p.pixels, 0, WIDTH) > 0);
    free(bare);
    close_panelled(&p);
}

static void arrows_change_the_body(void **state)
{
    (void)state;
    panelled p = open_bar(NULL);
    play(&p, 2);
    type(&p, GLFW_KEY_TAB, 0);
    play(&p, 3);
    const double stiffness = p.player->body_desc.stiffness;
    const bool is_paused = p.player->playback.is_paused;
    for (int i = 0; i < 12 && p.player->body_desc.stiffness == stiffness; ++i) {
        type(&p, GLFW_KEY_DOWN, 0);
        type(&p, ' ', ' '); /* a button is pressed by it, a slider taken hold of, which arrows then move */
        play(&p, 1);
        type(&p, GLFW_KEY_RIGHT, 0);
        type(&p, GLFW_KEY_RIGHT, 0);
        type(&p, GLFW_KEY_ESCAPE, 0);
    }
    keep_picture(&p, "panel-keys");
    assert_true(p.player->body_desc.stiffness != stiffness || p.player->body_desc.amount != 1);
    assert_true(p.player->playback.is_paused == is_paused && !p.player->playback.is_quit_requested);
    type(&p, GLFW_KEY_TAB, 0);
    assert_false(p.player->panel.is_visible);
    close_panelled(&p);
}

int test_window_panel(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tab_shows_and_hides_it),
        cmocka_unit_test(the_pointer_changes_the_body),
        cmocka_unit_test(arrows_change_the_body),
        cmocka_unit_test(a_button_stays_the_panels),
        cmocka_unit_test(pictures_of_another_size_have_none),
    };
    return SN_TEST_RUN_UNDER_DISPLAY(tests);
}
