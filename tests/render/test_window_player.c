/* SPDX-License-Identifier: MIT */
/* The player in its window, under a display of its own, validation on: keys, the mouse, dropped files; it allocates
 * nothing a frame. Skips (77) where there is no Xvfb. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compute/core/open.h"
#include "runtime/session/player.h"
#include "sinew/author.h"
#include "tests/support/bar.h"
#include "tests/support/count_allocations.h"
#include "tests/support/render_window.h"

typedef struct played {
    sn_window *window;
    sn_gpu_device *device;
    sn_player *player;
    sn_arena arena;
    sn_model *model;
} played;

/* It has no surface, and is not seen: the player does not mind. */
static sn_model *load_bar(sn_arena *arena)
{
    static const char path[] = SN_SOURCE_DIR "/tests/golden/bar.sinew";
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = SN_NEW(arena, uint8_t, 1 << 22);
    sn_model *model = NULL;
    assert_true(file && bytes);
    const size_t size = fread(bytes, 1, 1 << 22, file);
    fclose(file);
    assert_int_equal(sn_model_load(bytes, size, &model), SN_OK);
    return model;
}

static sn_player_character bar_of(const played *p)
{
    return (sn_player_character){.model = p->model,
                                 .name = "folder/bar.sinew",
                                 .motion = {.model = p->model, .clip = -1, .is_hop = true},
                                 .body = sn_default_body_desc()};
}

static void show_bar(played *p)
{
    const sn_player_character character = bar_of(p);
    assert_int_equal(sn_player_set_character(p->player, &character), SN_OK);
}

static int ready_after; /* so many questions; 0: never */

static bool is_ready(void *user)
{
    int *left = user;
    *left -= *left > 1;
    return *left == 1;
}

static played open_player(int frame_limit, bool is_on_device)
{
    played p = {0};
    sn_set_log(keep_log, NULL);
    log_line_count = 0;
    p.model = load_bar(&p.arena);
    assert_int_equal(sn_window_open("player", 120, 80, &p.window), SN_OK);
    p.device = open_device(p.window);
    const sn_player_desc desc = {.window = p.window,
                                 .device = p.device,
                                 .time_step = 1.0 / 60,
                                 .worker_count = 1,
                                 .is_on_device = is_on_device,
                                 .frame_limit = frame_limit,
                                 .is_ready = is_ready,
                                 .ready_user = &ready_after};
    assert_int_equal(sn_player_create(&desc, &p.player), SN_OK);
    show_bar(&p);
    return p;
}

static void close_player(played *p)
{
    sn_player_destroy(&p->player);
    assert_int_equal(p->device->validation_message_count, 0);
    sn_gpu_device_destroy(&p->device);
    sn_window_close(&p->window);
    sn_model_release(p->model);
    sn_arena_finish(&p->arena);
    assert_int_equal(log_line_count, 0);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void the_player_allocates_nothing_a_frame(void **state)
{
    (void)state;
    int counts[2];
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    for (int i = 0; i < 2; ++i) {
        sn_player_exit_reason end;
        played p = open_player(i ? 25 : 5, false);
        allocation_count = 0;
        assert_int_equal(sn_player_run(p.player, &end), SN_OK);
        counts[i] = allocation_count;
        assert_int_equal(end, SN_PLAYER_EXIT_CLOSED);
        assert_int_equal(sn_player_get_report(p.player).frame_count, i ? 25 : 5);
        close_player(&p);
    }
    sn_set_allocator(NULL, NULL, NULL);
    assert_int_equal(counts[0], counts[1]);
}

static void obeys_keys(bool is_on_device)
{
    sn_player_exit_reason end;
    played p = open_player(0, is_on_device);
    GLFWwindow *handle = sn_window_handle(p.window);
    const GLFWkeyfun on_key = glfwSetKeyCallback(handle, NULL);
    const GLFWcharfun on_character = glfwSetCharCallback(handle, NULL);
    const char *const typed = " .m12345678890[]r.m]f1.q";
    for (const char *c = typed; *c; ++c) {
        on_character(handle, (unsigned)*c);
    }
    press(handle, on_key, on_character, GLFW_KEY_F1, 0, GLFW_PRESS);
    press(handle, on_key, on_character, GLFW_KEY_ESCAPE, 0, GLFW_PRESS);
    assert_int_equal(sn_player_run(p.player, &end), SN_OK);
    assert_int_equal(end, SN_PLAYER_EXIT_CLOSED);
    assert_true(sn_player_get_report(p.player).frame_count <= 1);
    assert_int_equal(sn_player_get_report(p.player).recovery_count, 0);
    close_player(&p);
}

/* The bar is in the middle of the window: there the left button takes hold of it, in the corner it turns the camera. */
static void the_mouse_pulls_flesh(void **state)
{
    (void)state;
    static const double places[][2] = {{60, 40}, {1, 1}};
    for (int i = 0; i < 2; ++i) {
        sn_player_exit_reason end;
        played p = open_player(10, false);
        const mouse m = take_mouse(p.window);
        m.on_pointer(m.handle, places[i][0], places[i][1]);
        m.on_button(m.handle, GLFW_MOUSE_BUTTON_LEFT, GLFW_PRESS, 0);
        m.on_pointer(m.handle, places[i][0], places[i][1] + 15);
        assert_int_equal(sn_player_run(p.player, &end), SN_OK);
        assert_int_equal(sn_player_get_report(p.player).grab_count, 1 - i);
        assert_int_equal(sn_player_get_report(p.player).recovery_count, 0);
        m.on_button(m.handle, GLFW_MOUSE_BUTTON_LEFT, GLFW_RELEASE, 0); /* never looked at */
        close_player(&p);
    }
}

static sn_blob cook_layered(sn_arena *arena)
{
    sn_blob blob;
    sn_cook_desc desc = sn_default_cook_desc();
    const sn_tet_mesh mesh = sn_test_bar(arena, 12, 6, 6, 0.125);
    const sn_cook_mesh_input input = {.name = "bar",
                                      .vertex_count = mesh.vertex_count,
                                      .positions = mesh.positions,
                                      .tet_count = mesh.tet_count,
                                      .tets = mesh.tets};
    desc.is_layered = true;
    assert_int_equal(sn_cook_mesh(&input, &desc, &blob, NULL), SN_OK);
    return blob;
}

/* A layered body's, which is drawn, and what a pointer meets; M shows the skin in its place, and back. */
static void flesh_itself_is_drawn_and_pulled(void **state)
{
    (void)state;
    sn_player_exit_reason end;
    sn_model *model;
    played p = open_player(8, false);
    const mouse m = take_mouse(p.window);
    const GLFWcharfun on_character = glfwSetCharCallback(m.handle, NULL);
    sn_blob blob = cook_layered(&p.arena);
    assert_int_equal(sn_model_load(blob.bytes, blob.size, &model), SN_OK);
    sn_player_character character = bar_of(&p);
    character.model = character.motion.model = model;
    character.body.solver = SN_SOLVER_LAYERED;
    character.is_flesh_drawn = true;
    assert_int_equal(sn_player_set_character(p.player, &character), SN_OK);
    on_character(m.handle, 'm');
    on_character(m.handle, 'm');
    m.on_pointer(m.handle, 60, 40);
    m.on_button(m.handle, GLFW_MOUSE_BUTTON_LEFT, GLFW_PRESS, 0);
    m.on_pointer(m.handle, 60, 55);
    assert_int_equal(sn_player_run(p.player, &end), SN_OK);
    assert_int_equal(sn_player_get_report(p.player).frame_count, 8);
    assert_int_equal(sn_player_get_report(p.player).grab_count, 1);
    assert_int_equal(sn_player_get_report(p.player).recovery_count, 0);
    sn_player_destroy(&p.player);
    sn_model_release(model);
    sn_blob_release(&blob);
    close_player(&p);
}

static void the_player_obeys_keys(void **state)
{
    (void)state;
    obeys_keys(false);
    obeys_keys(true);
}

static void takes_drops(bool is_on_device)
{
    sn_player_exit_reason end;
    played p = open_player(8, is_on_device);
    const GLFWdropfun on_drop = glfwSetDropCallback(sn_window_handle(p.window), NULL);
    const char *path = "b.sinew";
    on_drop(sn_window_handle(p.window), 1, &path);
    assert_int_equal(sn_player_run(p.player, &end), SN_OK);
    assert_int_equal(end, SN_PLAYER_EXIT_FILE_DROPPED);
    assert_string_equal(sn_window_dropped_path(p.window), "b.sinew");
    ready_after = 4; /* it is on its way, and the one before plays on */
    assert_int_equal(sn_player_run(p.player, &end), SN_OK);
    assert_int_equal(end, SN_PLAYER_EXIT_READY);
    assert_true(sn_player_get_report(p.player).frame_count < 8);
    ready_after = 0;
    show_bar(&p); /* in place of the one before */
    assert_int_equal(sn_player_run(p.player, &end), SN_OK);
    assert_int_equal(end, SN_PLAYER_EXIT_CLOSED);
    assert_int_equal(sn_player_get_report(p.player).frame_count, 8);
    close_player(&p);
}

static void a_dropped_model_ends_the_run(void **state)
{
    (void)state;
    takes_drops(false);
    takes_drops(true);
}

static void tries(bool is_on_device)
{
    sn_player_exit_reason end;
    bool is_next = true;
    played p = open_player(4, is_on_device);
    const sn_player_character before = bar_of(&p);
    sn_player_character next = before;
    next.name = "folder/other.sinew";
    next.body.stiffness = -1;
    assert_int_equal(sn_player_try_character(p.player, &next, &before, &is_next), SN_OK);
    assert_false(is_next);
    assert_int_equal(log_line_count, 1);
    log_line_count = 0;
    next.body = before.body;
    assert_int_equal(sn_player_try_character(p.player, &next, &before, &is_next), SN_OK);
    assert_true(is_next);
    assert_int_equal(sn_player_run(p.player, &end), SN_OK);
    assert_int_equal(sn_player_get_report(p.player).frame_count, 4);
    close_player(&p);
}

static void what_cannot_be_shown_leaves_the_one_before(void **state)
{
    (void)state;
    tries(false);
    tries(true);
}

int test_window_player(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_player_allocates_nothing_a_frame),
        cmocka_unit_test(the_player_obeys_keys),
        cmocka_unit_test(the_mouse_pulls_flesh),
        cmocka_unit_test(flesh_itself_is_drawn_and_pulled),
        cmocka_unit_test(a_dropped_model_ends_the_run),
        cmocka_unit_test(what_cannot_be_shown_leaves_the_one_before),
    };
    return SN_TEST_RUN_UNDER_DISPLAY(tests);
}
