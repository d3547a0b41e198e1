/* SPDX-License-Identifier: MIT */
/* The editor under a scripted pointer: posing, locks, placing handles while the body moves, and all that can be wrong
 * with an edit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/edit/edit_test.h"

/* ---- posing ---- */

static void a_dragged_handle_follows(bool is_flat)
{
    sn_edit_fixture f = is_flat ? open_sheet() : open_bar();
    const int last = sn_editor_handles(f.editor)->count - 1;
    sn_editor_free_all(f.editor);
    run(&f, 2);
    assert_false(press(&f, over(&f, 0.4, 0.6, 0))); /* beside everything */
    assert_true(press(&f, over(&f, 0.8 + 0.005, 0, 0)));
    assert_int_equal(sn_editor_selected(f.editor), last);
    for (int i = 1; i <= 30; ++i) {
        drag(&f, over(&f, 0.8 + 0.005, 0.01 * i, 0));
        run(&f, 1);
    }
    run(&f, 1);                                   /* what is shown lies between the last two steps */
    check_near(place_of(&f, last, 0), 0.8, 2e-3); /* it did not jump to the pointer */
    check_near(place_of(&f, last, 1), 0.3, 2e-3);
    check_near(place_of(&f, last, 2), 0, 2e-3);
    assert_int_equal(sn_body_locks(f.body, last), is_flat ? SN_LOCK_X | SN_LOCK_Y : SN_LOCK_TRANSLATION);
    run(&f, 60);
    assert_true(fabs(place_of(&f, 0, 1)) > 0.02 && fabs(place_of(&f, 0, 1)) < 0.6); /* the rest answers */
    release(&f, over(&f, 0.805, 0.3, 0));
    assert_int_equal(sn_body_locks(f.body, last), 0);
    assert_int_equal(f.recovery_count, 0);
    assert_true(is_sane(&f, 5));
    close_editor(&f);
}

static void dragged_handles_follow(void **state)
{
    (void)state;
    a_dragged_handle_follows(true);
    a_dragged_handle_follows(false);
}

/* What is locked stays where it is let go; what is free in it does not. */
static void locks_hold_scalars(void **state)
{
    (void)state;
    sn_edit_fixture f = open_sheet();
    run(&f, 1);
    assert_true(press(&f, over(&f, 0.8, 0, 0)));
    drag(&f, over(&f, 0.9, 0.2, 0));
    run(&f, 30);
    release(&f, over(&f, 0.9, 0.2, 0));
    run(&f, 60);
    check_near(place_of(&f, 2, 0), 0.9, 2e-3); /* all bones begin locked */
    check_near(place_of(&f, 2, 1), 0.2, 2e-3);
    sn_editor_toggle_locks(f.editor, SN_LOCK_Y);
    assert_false(sn_body_locks(f.body, 2) & SN_LOCK_Y);
    run(&f, 120);
    check_near(place_of(&f, 2, 0), 0.9, 2e-3);
    assert_true(fabs(place_of(&f, 2, 1)) < 0.15); /* back towards the others */
    sn_editor_toggle_locks(f.editor, SN_LOCK_ROTATION);
    sn_editor_toggle_locks(f.editor, SN_LOCK_X);
    assert_int_equal(sn_body_locks(f.body, 2) & (SN_LOCK_X | SN_LOCK_Y | SN_LOCK_ROTATION_Z), 0);
    sn_editor_toggle_locks(f.editor, SN_LOCK_ALL);
    assert_int_equal(sn_body_locks(f.body, 2), SN_LOCK_X | SN_LOCK_Y | SN_LOCK_ROTATION_Z);
    sn_editor_toggle_locks(f.editor, SN_LOCK_ALL);
    assert_int_equal(sn_body_locks(f.body, 2), 0);
    sn_editor_toggle_locks(f.editor, SN_LOCK_Z); /* which it has not */
    assert_int_equal(sn_body_locks(f.body, 2), 0);
    assert_non_null(sn_editor_message(f.editor));
    assert_null(sn_editor_message(f.editor));
    close_editor(&f);
}

/* A lock while it is dragged holds after. */
static void a_lock_may_come_during_a_drag(void **state)
{
    (void)state;
    sn_edit_fixture f = open_sheet();
    sn_editor_free_all(f.editor);
    press(&f, over(&f, -0.8, 0, 0));
    drag(&f, over(&f, -0.8, 0.25, 0));
    run(&f, 30);
    sn_editor_toggle_locks(f.editor, SN_LOCK_ALL);
    release(&f, over(&f, -0.8, 0.25, 0));
    run(&f, 60);
    check_near(place_of(&f, 0, 1), 0.25, 3e-3);
    sn_editor_clear_targets(f.editor);
    run(&f, 60);
    check_near(place_of(&f, 0, 1), 0, 3e-3); /* where the motion has it */
    close_editor(&f);
}

static void a_modifier_turns(bool is_flat)
{
    sn_edit_fixture f = is_flat ? open_sheet() : open_bar();
    const int last = sn_editor_handles(f.editor)->count - 1;
    run(&f, 1);
    assert_true(sn_editor_press(f.editor, &f.view, over(&f, 0.81, 0, 0), true));
    for (int i = 1; i <= 30; ++i) { /* a quarter of a right angle, counter-clockwise */
        const double angle = 0.3927 * i / 30;
        drag(&f, over(&f, 0.8 + 0.2 * cos(angle), 0.2 * sin(angle), 0));
        run(&f, 1);
    }
    run(&f, 5);
    const sn_body_matrices output = sn_body_output(f.body);
    check_near((double)output.matrices[last].m[1][0], sin(0.3927), 5e-3);
    check_near((double)output.matrices[last].m[0][0], cos(0.3927), 5e-3);
    check_near(place_of(&f, last, 0), 0.8, 2e-3);
    check_near(place_of(&f, last, 1), 0, 2e-3);
    release(&f, over(&f, 1, 0, 0));
    close_editor(&f);
}

static void handles_turn(void **state)
{
    (void)state;
    a_modifier_turns(true);
    a_modifier_turns(false);
}

/* ---- edits ---- */

/* Surface vertex of the drawn body. */
static void surface(const sn_edit_fixture *f, int vertex, double result[3])
{
    const sn_model *m = body_model(f);
    const sn_body_matrices output = sn_body_output(f->body);
    memset(result, 0, 3 * sizeof *result);
    for (int i = m->influence_starts[vertex]; i < m->influence_starts[vertex + 1]; ++i) {
        const sn_influence *in = &m->influences[i];
        for (int d = 0; d < 3; ++d) {
            const float *row = output.matrices[in->bone].m[d], *x = m->surface_positions + 3 * vertex;
            result[d] += (double)(in->weight * (row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3]));
        }
    }
}

/* A handle is placed while the body swings: it is there within a short time, in the middle of the flesh, and what is
 * drawn does not jump. */
static void a_point_is_placed_while_it_moves(bool is_flat)
{
    sn_edit_fixture f = is_flat ? open_sheet() : open_bar();
    const int count = sn_editor_handles(f.editor)->count;
    const int vertex = body_model(&f)->counts.surface_vertex_count / 2;
    double before[3], after[3];
    press(&f, over(&f, 0.8, 0, 0));
    drag(&f, over(&f, 0.75, 0.2, 0));
    run(&f, 20);
    sn_editor_set_editing(f.editor, true);
    assert_false(click(&f, 0.3, 0.05)); /* no tool */
    sn_editor_set_tool(f.editor, SN_EDIT_POINT);
    assert_true(click(&f, 0.3, 0.05));
    assert_int_equal(sn_editor_handles(f.editor)->count, count + 1);
    assert_int_equal(sn_editor_selected(f.editor), count);
    assert_true(sn_editor_is_computing_weights(f.editor));
    check_near(place_of(&f, count, 0), 0.3, 0.02); /* where it was clicked */
    check_near(place_of(&f, count, 1), 0.05, 0.02);
    check_near(place_of(&f, count, 2), 0, 0.05); /* halfway through */
    for (int i = 0; i < 1000 && sn_editor_is_computing_weights(f.editor); ++i) {
        surface(&f, vertex, before);
        if (sn_editor_update(f.editor)) {
            surface(&f, vertex, after);
            for (int d = 0; d < 3; ++d) {
                check_near(after[d], before[d], 0.02);
            }
        }
        run(&f, 1);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    assert_int_equal(sn_model_bone_count(body_model(&f)), count + 1);
    assert_true(sn_editor_weight_seconds(f.editor) > 0);
    assert_int_equal(sn_body_locks(f.body, count), 0); /* it is free */
    assert_int_not_equal(sn_body_locks(f.body, 0), 0); /* these are as they were */
    run(&f, 60);
    sn_editor_set_editing(f.editor, false);
    const double start[2] = {place_of(&f, count, 0), place_of(&f, count, 1)};
    assert_true(press(&f, over(&f, start[0], start[1], 0)));
    drag(&f, over(&f, start[0], start[1] + 0.1, 0));
    run(&f, 30);
    check_near(place_of(&f, count, 1), start[1] + 0.1, 3e-3);
    assert_int_equal(f.recovery_count, 0);
    assert_int_equal(logged.errors + logged.warnings, 0);
    close_editor(&f);
}

static void points_are_placed(void **state)
{
    (void)state;
    a_point_is_placed_while_it_moves(true);
    a_point_is_placed_while_it_moves(false);
}

/* Moved at rest, removed, taken back. */
static void handles_are_moved_and_removed(void **state)
{
    (void)state;
    sn_edit_fixture f = open_sheet();
    sn_editor_set_editing(f.editor, true);
    assert_true(click(&f, 0, 0)); /* selects alone */
    assert_false(sn_editor_is_computing_weights(f.editor));
    assert_true(press(&f, over(&f, 0, 0, 0)));
    drag(&f, over(&f, 0.2, 0.1, 0));
    drag(&f, over(&f, 0.3, 0.15, 0));
    release(&f, over(&f, 0.3, 0.15, 0));
    wait_for_weights(&f);
    double pivot[3];
    sn_model_bone_pivot(body_model(&f), 1, pivot);
    check_near(pivot[0], 0.3, 1e-3);
    check_near(pivot[1], 0.15, 1e-3);
    sn_editor_remove(f.editor);
    wait_for_weights(&f);
    assert_int_equal(sn_model_bone_count(body_model(&f)), 2);
    assert_string_equal(sn_model_bone_name(body_model(&f), 1), "right");
    sn_editor_undo(f.editor);
    sn_editor_undo(f.editor);
    wait_for_weights(&f);
    assert_int_equal(sn_model_bone_count(body_model(&f)), 3);
    sn_model_bone_pivot(body_model(&f), 1, pivot);
    check_near(pivot[0], 0, 1e-6);
    sn_editor_undo(f.editor); /* nothing is left */
    assert_false(sn_editor_is_computing_weights(f.editor));
    assert_int_equal(logged.errors + logged.warnings, 0);
    close_editor(&f);
}

/* Of many edits in a row only the last is weighed, and those before leave no word. */
static void newer_edits_take_the_place_of_older_ones(void **state)
{
    (void)state;
    sn_edit_fixture f = open_sheet();
    sn_editor_set_editing(f.editor, true);
    sn_editor_set_tool(f.editor, SN_EDIT_POINT);
    for (int i = 0; i < 12; ++i) {
        assert_true(click(&f, -0.7 + 0.12 * i, i % 2 ? 0.15 : -0.15));
        if (i % 4 == 3) {
            run(&f, 1);
        }
    }
    sn_editor_undo(f.editor);
    wait_for_weights(&f);
    assert_int_equal(sn_model_bone_count(body_model(&f)), 3 + 11);
    assert_int_equal(logged.errors + logged.warnings, 0);
    run(&f, 30);
    assert_int_equal(f.recovery_count, 0);
    close_editor(&f);
}

/* A chain: the second bone begins at the first one's end, which carries it. Dragging it pulls the flesh there. */
static void bones_are_drawn_as_chains(bool is_flat)
{
    sn_edit_fixture f = is_flat ? open_sheet() : open_bar();
    const int count = sn_editor_handles(f.editor)->count;
    sn_editor_set_editing(f.editor, true);
    sn_editor_set_tool(f.editor, SN_EDIT_BONE);
    assert_true(click(&f, -0.5, 0.1)); /* no drag, no bone */
    assert_int_equal(sn_editor_handles(f.editor)->count, count);
    for (int i = 0; i < 2; ++i) {
        assert_true(press(&f, over(&f, -0.5 + 0.45 * i, 0.1, 0)));
        drag(&f, over(&f, -0.2 + 0.45 * i, 0.1, 0));
        release(&f, over(&f, -0.05 + 0.45 * i, 0.1, 0));
    }
    const sn_edit_handles *handles = sn_editor_handles(f.editor);
    assert_int_equal(handles->count, count + 2);
    assert_int_equal(handles->items[count].parent, -1);
    assert_int_equal(handles->items[count + 1].parent, count);
    wait_for_weights(&f);
    assert_int_equal(logged.errors + logged.warnings, 0);
    assert_int_equal(sn_model_bone_parent(body_model(&f), count + 1), count);
    sn_editor_set_editing(f.editor, false);
    run(&f, 5);
    const double x = place_of(&f, count + 1, 0), y = place_of(&f, count + 1, 1);
    assert_true(press(&f, over(&f, x, y, 0)));
    for (int i = 0; i < 60; ++i) {
        drag(&f, over(&f, x, y + 0.2, 0));
        run(&f, 1);
    }
    assert_true(place_of(&f, count + 1, 1) > y + 0.03);
    release(&f, over(&f, x, y + 0.2, 0));
    assert_int_equal(f.recovery_count, 0);
    close_editor(&f);
}

static void chains_are_drawn(void **state)
{
    (void)state;
    bones_are_drawn_as_chains(true);
    bones_are_drawn_as_chains(false);
}

/* ---- what is wrong with an edit ---- */

/* The edit is taken back, one line says why, and so do the news; the body goes on. */
static void expect_refusal(sn_edit_fixture *f, int count, const char *says)
{
    wait_for_weights(f);
    assert_int_equal(logged.errors, ++f->refusal_count); /* counted on: the log is the other thread's, too */
    assert_non_null(strstr(logged.last_error, says));
    assert_int_equal(logged.warnings, 0);
    assert_int_equal(sn_editor_handles(f->editor)->count, count);
    const char *news = sn_editor_message(f->editor);
    assert_non_null(news);
    assert_non_null(strstr(news, says));
    run(f, 10);
    assert_true(is_sane(f, 5));
    assert_int_equal(f->recovery_count, 0);
}

static void bad_edits_are_taken_back(void **state)
{
    (void)state;
    sn_edit_fixture f = open_sheet();
    sn_editor_set_editing(f.editor, true);
    sn_editor_set_tool(f.editor, SN_EDIT_POINT);
    assert_false(click(&f, 0.5, 0.7)); /* beside the body there is nothing to place it in */
    assert_int_equal(sn_editor_handles(f.editor)->count, 3);
    press(&f, over(&f, 0, 0, 0)); /* moved out of the body */
    drag(&f, over(&f, 0, 1, 0));
    release(&f, over(&f, 0, 1, 0));
    expect_refusal(&f, 3, "outside");
    click(&f, 0.4, 0.1);
    wait_for_weights(&f);
    press(&f, over(&f, 0.4, 0.1, 0)); /* on top of another */
    drag(&f, over(&f, 0.5, 0, 0));
    release(&f, over(&f, 0.8, 0, 0));
    expect_refusal(&f, 4, "nearest vertex");
    sn_editor_set_tool(f.editor, SN_EDIT_CAGE);
    click(&f, -0.5, -0.2); /* a bow tie */
    click(&f, 0.5, 0.2);
    click(&f, 0.5, -0.2);
    click(&f, -0.5, 0.2);
    assert_true(sn_editor_close_loop(f.editor));
    expect_refusal(&f, 4, "cross");
    /* good ones and a bad one in a row: the good ones stay */
    sn_editor_set_tool(f.editor, SN_EDIT_POINT);
    click(&f, -0.4, 0.1);
    press(&f, over(&f, 0, 0, 0));
    drag(&f, over(&f, 0, 0.9, 0));
    release(&f, over(&f, 0, 1, 0));
    expect_refusal(&f, 5, "outside");
    assert_int_equal(sn_model_bone_count(body_model(&f)), 5);
    close_editor(&f);
}

static void the_last_handle_stays(void **state)
{
    (void)state;
    const sn_cook_handle only = point("only", 0, 0);
    sn_edit_fixture f = {0};
    cook_sheet(&only, 1, &f);
    open_editor(&f);
    sn_editor_remove(f.editor); /* none is selected */
    click(&f, 0, 0);
    sn_editor_remove(f.editor);
    assert_int_equal(sn_editor_handles(f.editor)->count, 1);
    assert_false(sn_editor_is_computing_weights(f.editor));
    close_editor(&f);
}

/* Closed while weights are computed: nothing is lost, nothing is waited for. */
static void it_may_end_at_any_time(void **state)
{
    (void)state;
    for (int i = 0; i < 8; ++i) {
        sn_edit_fixture f = i % 2 ? open_sheet() : open_bar();
        sn_editor_set_editing(f.editor, true);
        sn_editor_set_tool(f.editor, i < 4 ? SN_EDIT_POINT : SN_EDIT_BONE);
        press(&f, over(&f, 0.3, 0.1, 0));
        drag(&f, over(&f, -0.3, 0.1, 0));
        if (i % 4 < 2) {
            release(&f, over(&f, -0.3, 0.1, 0));
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000 * i}, NULL);
        close_editor(&f);
    }
}

/* ---- marks ---- */

static void every_handle_has_its_marks(void **state)
{
    (void)state;
    static sn_render_marker marks[400];
    sn_edit_fixture f = open_sheet();
    sn_editor_free_all(f.editor);
    const int plain = sn_editor_add_markers(f.editor, marks, 400);
    assert_int_equal(plain, 3); /* an icon each */
    for (int i = 0; i < 3; ++i) {
        check_near((double)marks[i].from[0], 0.8 * (i - 1), 1e-3);
        assert_int_equal(marks[i].shape, SN_MARKER_DISC);
    }
    click(&f, 0, 0);
    assert_int_equal(sn_editor_add_markers(f.editor, marks, 400), plain + 1); /* a ring around it */
    sn_editor_toggle_locks(f.editor, SN_LOCK_X);
    assert_int_equal(sn_editor_add_markers(f.editor, marks, 400), plain + 2); /* a badge */
    sn_editor_toggle_locks(f.editor, SN_LOCK_ROTATION);
    assert_int_equal(sn_editor_add_markers(f.editor, marks, 400), plain + 3);
    sn_editor_toggle_locks(f.editor, SN_LOCK_ALL);
    assert_int_equal(sn_editor_add_markers(f.editor, marks, 400), plain + 2); /* a padlock for all of them */
    sn_editor_hover(f.editor, &f.view, over(&f, 0.8, 0, 0));
    const int count = sn_editor_add_markers(f.editor, marks, 400);
    assert_true(marks[count - 1].size > marks[0].size);             /* larger under the pointer */
    assert_int_equal(sn_editor_add_markers(f.editor, marks, 2), 2); /* what fits */
    close_editor(&f);
}

int test_editor(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dragged_handles_follow),
        cmocka_unit_test(locks_hold_scalars),
        cmocka_unit_test(a_lock_may_come_during_a_drag),
        cmocka_unit_test(handles_turn),
        cmocka_unit_test(points_are_placed),
        cmocka_unit_test(handles_are_moved_and_removed),
        cmocka_unit_test(newer_edits_take_the_place_of_older_ones),
        cmocka_unit_test(chains_are_drawn),
        cmocka_unit_test(bad_edits_are_taken_back),
        cmocka_unit_test(the_last_handle_stays),
        cmocka_unit_test(it_may_end_at_any_time),
        cmocka_unit_test(every_handle_has_its_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
