/* SPDX-License-Identifier: MIT */
/* Editing in the real window, under a display of its own, validation on: keys and a mouse that are scripted place,
 * drag, lock, remove and record handles of a coupled body. Skips (77) where there is no Xvfb. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "compute/core/open.h"
#include "runtime/session/player_state.h"
#include "tests/edit/edit_test.h"
#include "tests/support/count_allocations.h"
#include "tests/support/virtual_display.h"

#define WIDTH 240
#define HEIGHT 160

typedef struct sn_edit_window {
    sn_edit_fixture f; /* its model alone */
    sn_window *window;
    sn_gpu_device *device;
    sn_player *player;
    GLFWwindow *handle;
    GLFWkeyfun on_key;
    GLFWcharfun on_character;
    GLFWmousebuttonfun on_button;
    GLFWcursorposfun on_pointer;
    char folder[32], path[64];
} sn_edit_window;

static void show(sn_edit_window *w)
{
    sn_player_character character = {.model = w->f.model,
                                     .name = w->path,
                                     .motion = {.model = w->f.model, .clip = -1},
                                     .body = sn_default_body_desc()};
    character.body.solver = SN_SOLVER_COUPLED;
    character.body.damping = 1;
    assert_int_equal(sn_player_set_character(w->player, &character), SN_OK);
}

static sn_edit_window open_player(void)
{
    const sn_cook_handle handles[] = {point("left", -0.8, 0), point("right", 0.8, 0)};
    sn_edit_window w = {.folder = "/tmp/sn-edit-XXXXXX"};
    cook_sheet(handles, 2, &w.f);
    begin_log();
    assert_non_null(mkdtemp(w.folder));
    snprintf(w.path, sizeof w.path, "%s/sheet.sinew", w.folder);
    assert_int_equal(sn_window_open("editing", WIDTH, HEIGHT, &w.window), SN_OK);
    sn_gpu_device_desc device = {.name = getenv("SN_TEST_DEVICE"), .is_validated = true};
    device.instance_extensions = sn_window_extensions(&device.instance_extension_count);
    assert_int_equal(sn_gpu_device_create(&device, &w.device), SN_OK);
    const sn_player_desc desc = {
        .window = w.window, .device = w.device, .time_step = 1.0 / 60, .worker_count = 1, .frame_limit = 1};
    assert_int_equal(sn_player_create(&desc, &w.player), SN_OK);
    show(&w);
    w.handle = sn_window_handle(w.window);
    w.on_key = glfwSetKeyCallback(w.handle, NULL);
    w.on_character = glfwSetCharCallback(w.handle, NULL);
    w.on_button = glfwSetMouseButtonCallback(w.handle, NULL);
    w.on_pointer = glfwSetCursorPosCallback(w.handle, NULL); /* what the display's pointer does is no matter */
    return w;
}

static void close_player(sn_edit_window *w)
{
    sn_player_destroy(&w->player);
    assert_int_equal(w->device->validation_message_count, 0);
    sn_gpu_device_destroy(&w->device);
    sn_window_close(&w->window);
    sn_model_release(w->f.model);
    sn_blob_release(&w->f.blob);
    assert_int_equal(sn_allocated_bytes(), w->f.bytes_before);
    assert_int_equal(rmdir(w->folder), 0);
}

static void play(sn_edit_window *w, int frame_count)
{
    sn_player_exit_reason end;
    w->player->desc.frame_limit = w->player->report.frame_count + frame_count;
    assert_int_equal(sn_player_run(w->player, &end), SN_OK);
    assert_int_equal(end, SN_PLAYER_EXIT_CLOSED);
}

static void wait_for_editor(sn_edit_window *w)
{
    for (int i = 0; i < 500 && sn_editor_is_computing_weights(w->player->edit.editor); ++i) {
        play(w, 1);
    }
    assert_false(sn_editor_is_computing_weights(w->player->edit.editor));
    play(w, 1);
}

static void type(sn_edit_window *w, char character)
{
    w->on_character(w->handle, (unsigned)character);
}

static void press_key(sn_edit_window *w, int key)
{
    w->on_key(w->handle, key, 0, GLFW_PRESS, 0);
    w->on_key(w->handle, key, 0, GLFW_RELEASE, 0);
}

/* The pointer over a place of the world, as the player's camera sees it. */
static void point_at(sn_edit_window *w, double x, double y)
{
    const sn_camera camera = sn_player_get_camera(w->player);
    double place[2];
    sn_pick_project(&camera, (const double[]){x, y, 0}, place);
    w->on_pointer(w->handle, 0.5 * WIDTH + place[0] * HEIGHT, 0.5 * HEIGHT + place[1] * HEIGHT);
}

static void button(sn_edit_window *w, bool is_pressed, int modifiers)
{
    w->on_button(w->handle, GLFW_MOUSE_BUTTON_LEFT, is_pressed ? GLFW_PRESS : GLFW_RELEASE, modifiers);
}

static void click_at(sn_edit_window *w, double x, double y)
{
    point_at(w, x, y);
    button(w, true, 0);
    button(w, false, 0);
}

static double handle_at(const sn_edit_window *w, int handle, int axis)
{
    double start[3];
    sn_editor_handle_position(w->player->edit.editor, handle, start, NULL);
    return start[axis];
}

static void handles_are_placed_and_dragged(void **state)
{
    (void)state;
    sn_edit_window w = open_player();
    sn_editor *editor = w.player->edit.editor;
    assert_non_null(editor);
    play(&w, 2);
    type(&w, 'p');
    click_at(&w, 0.1, 0.05);
    play(&w, 1);
    assert_true(sn_editor_is_editing(editor));
    assert_int_equal(sn_editor_handles(editor)->count, 3);
    wait_for_editor(&w);
    assert_int_equal(w.player->model->counts.bone_count, 3);
    assert_ptr_equal(w.player->model, sn_body_model(w.player->body));
    check_near(handle_at(&w, 2, 0), 0.1, 0.03);
    type(&w, 'l'); /* it is selected */
    type(&w, 'i');
    play(&w, 1);
    assert_false(sn_editor_is_editing(editor));
    assert_int_equal(sn_body_locks(w.player->body, 2), SN_LOCK_X | SN_LOCK_Y | SN_LOCK_ROTATION_Z);
    const double y = handle_at(&w, 2, 1);
    point_at(&w, handle_at(&w, 2, 0), y);
    button(&w, true, 0);
    point_at(&w, handle_at(&w, 2, 0), y + 0.15);
    play(&w, 1);
    assert_true(w.player->edit.is_pointer_captured);
    assert_int_equal(sn_player_get_report(w.player).grab_count, 0); /* the handle, not the flesh */
    w.player->playback.is_paused = true;
    for (int i = 0; i < 30; ++i) {
        type(&w, '.');
        play(&w, 1);
    }
    check_near(handle_at(&w, 2, 1), y + 0.15, 0.01);
    button(&w, false, 0);
    type(&w, 'h'); /* hidden: the mouse has flesh again */
    point_at(&w, handle_at(&w, 2, 0), handle_at(&w, 2, 1));
    button(&w, true, 0);
    play(&w, 1);
    assert_int_equal(sn_player_get_report(w.player).grab_count, 1);
    button(&w, false, 0);
    play(&w, 1);
    assert_int_equal(sn_player_get_report(w.player).recovery_count, 0);
    assert_int_equal(logged.errors + logged.warnings, 0);
    close_player(&w);
}

/* Every key of the handles, in either way of using the pointer; a bad edit has its line, and the body goes on. */
static void every_key_may_be_pressed(void **state)
{
    (void)state;
    sn_edit_window w = open_player();
    const char *const typed = "xyztlkghgov-=;',/wqasjjnuupbccpbo";
    for (int pass = 0; pass < 3; ++pass) {
        for (const char *c = typed; *c; ++c) {
            type(&w, *c);
            if (*c == 'p' || *c == 'b') {
                click_at(&w, -0.3 + 0.2 * pass, 0);
            }
            play(&w, 1);
        }
        type(&w, 'i');
        press_key(&w, GLFW_KEY_ENTER);
        press_key(&w, GLFW_KEY_DELETE);
        wait_for_editor(&w);
    }
    play(&w, 5);
    assert_int_equal(sn_player_get_report(w.player).recovery_count, 0);
    int take_count = 0; /* o was pressed twice a pass */
    char path[96];
    for (int number = 1; number < 10; ++number) {
        snprintf(path, sizeof path, "%s/sheet-take-%d.npy", w.folder, number);
        take_count += unlink(path) == 0;
        snprintf(path, sizeof path, "%s/sheet-take-%d.sinew", w.folder, number);
        unlink(path);
    }
    assert_true(take_count >= 3);
    show(&w); /* another character: nothing of the first is left */
    play(&w, 3);
    close_player(&w);
}

/* As for other bodies: once it runs, a frame allocates nothing, with all handles and the mesh drawn. */
static void a_frame_allocates_nothing(void **state)
{
    (void)state;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    sn_edit_window w = open_player();
    type(&w, 'g');
    play(&w, 5);
    allocation_count = 0;
    play(&w, 20);
    assert_int_equal(allocation_count, 0);
    close_player(&w);
    sn_set_allocator(NULL, NULL, NULL);
}

int test_window_edit(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(handles_are_placed_and_dragged),
                                       cmocka_unit_test(every_key_may_be_pressed),
                                       cmocka_unit_test(a_frame_allocates_nothing)};
    return SN_TEST_RUN_UNDER_DISPLAY(tests);
}
