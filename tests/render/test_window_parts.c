/* SPDX-License-Identifier: MIT */
/* The parts of the flesh in the player's panel, under a display of its own, validation on: a click on the skin selects
 * one, a slider changes it while the body plays, and it can be undone and compared. Skips (77) where there is no Xvfb.
 * With SN_TEST_PICTURES=folder what is seen is written there, of the model SN_TEST_MODEL, where that is given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/platform/platform.h"
#include "tests/render/panelled.h"

#define WIDTH 900
#define HEIGHT 640
#define PANEL_LEFT (WIDTH - 330 - 12)
#define WAIT_SECONDS 120.0

static panelled open_mascot(void)
{
    const char *path = getenv("SN_TEST_MODEL");
    panelled p = open_panelled(path ? path : SN_BINARY_DIR "/characters/mascot.sinew", WIDTH, HEIGHT, NULL);
    assert_non_null(p.player->parts.editor);
    play(&p, 2);
    type(&p, GLFW_KEY_TAB, 0);
    play(&p, 3);
    return p;
}

static void click(panelled *p, const double at[2])
{
    const double x = at[0], y = at[1];
    p->pointer.on_pointer(p->pointer.handle, x, y);
    play(p, 1);
    p->pointer.on_button(p->pointer.handle, GLFW_MOUSE_BUTTON_LEFT, GLFW_PRESS, 0);
    play(p, 1);
    p->pointer.on_button(p->pointer.handle, GLFW_MOUSE_BUTTON_LEFT, GLFW_RELEASE, 0);
    play(p, 1);
}

static const char *selected_name(const panelled *p)
{
    const sn_player_parts *parts = &p->player->parts;
    return parts->selected >= 0 ? sn_part_editor_name(parts->editor, parts->selected) : "";
}

/* Pixel of the part's tet vertex that is nearest to the camera, at rest. */
static void find_part(const panelled *p, const char *name, double at[2])
{
    const sn_model *model = p->player->model;
    const sn_camera camera = sn_player_get_camera(p->player);
    double nearest = 1e30;
    for (int v = 0; v < model->counts.vertex_count; ++v) {
        const float *x = model->rest_positions + 3 * (size_t)v;
        const double point[3] = {(double)x[0], (double)x[1], (double)x[2]};
        double projected[2];
        const double depth = sn_pick_project(&camera, point, projected);
        if (depth < nearest && strcmp(sn_model_get_flesh_part(model, model->vertex_flesh_parts[v]).name, name) == 0) {
            nearest = depth;
            at[0] = 0.5 * WIDTH + projected[0] * HEIGHT;
            at[1] = (0.5 + projected[1]) * HEIGHT;
        }
    }
    assert_true(nearest < 1e30);
}

static void select_by_click(panelled *p, const char *name)
{
    double at[2];
    find_part(p, name, at);
    click(p, at);
    assert_string_equal(selected_name(p), name);
}

static void wait_until_idle(panelled *p)
{
    const double start = sn_now();
    while (sn_part_editor_is_busy(p->player->parts.editor)) {
        assert_true(sn_now() - start < WAIT_SECONDS);
        play(p, 1);
    }
    play(p, 1);
}

static void a_click_selects_a_part(void **state)
{
    (void)state;
    panelled p = open_mascot();
    keep_picture(&p, "parts");
    p.player->parts.selected = -1;
    uint8_t *bare = copy_pixels(&p);
    click(&p, (const double[]){5, 5}); /* beside the body */
    assert_int_equal(p.player->parts.selected, -1);
    select_by_click(&p, "belly");
    keep_picture(&p, "parts-selected");
    assert_true(count_differences(&p, bare, p.pixels, 0, PANEL_LEFT) > 100); /* it is marked */
    p.player->parts.highlight_end = 0;
    play(&p, 1);
    assert_true(count_differences(&p, bare, p.pixels, 0, PANEL_LEFT) < 20);
    double cheeks[2];
    find_part(&p, "cheeks", cheeks);
    drag(&p, cheeks[0], cheeks[1], cheeks[0] + 60); /* pulls the flesh, selects nothing */
    assert_string_equal(selected_name(&p), "belly");
    free(bare);
    close_panelled(&p);
}

/* The pointer goes over the panel below the list, line by line, until a slider changes the part. */
static void move_a_slider(panelled *p)
{
    const sn_part_editor *editor = p->player->parts.editor;
    for (int y = 415; y < HEIGHT - 40 && !sn_part_editor_has_changes(editor); y += 9) {
        drag(p, PANEL_LEFT + 120, y, PANEL_LEFT + 60);
    }
    assert_true(sn_part_editor_has_changes(editor));
}

static void a_part_is_changed_while_it_plays(void **state)
{
    (void)state;
    panelled p = open_mascot();
    sn_player *player = p.player;
    const sn_model *loaded = player->model;
    select_by_click(&p, "belly");
    move_a_slider(&p);
    wait_until_idle(&p);
    keep_picture(&p, "parts-changed");
    const sn_model *edited = player->model;
    assert_ptr_not_equal(edited, loaded);
    assert_ptr_equal(sn_body_model(player->body), edited);
    assert_ptr_equal(player->motion.model, edited);
    type(&p, 'v', 'v');
    play(&p, 1);
    assert_ptr_equal(sn_body_model(player->body), loaded);
    type(&p, 'v', 'v');
    play(&p, 1);
    assert_ptr_equal(sn_body_model(player->body), edited);
    while (sn_part_editor_has_changes(player->parts.editor)) {
        type(&p, 'u', 'u');
    }
    wait_until_idle(&p);
    assert_ptr_equal(player->model, loaded);
    close_panelled(&p);
}

int test_window_parts(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_click_selects_a_part),
        cmocka_unit_test(a_part_is_changed_while_it_plays),
    };
    return SN_TEST_RUN_UNDER_DISPLAY(tests);
}
