/* SPDX-License-Identifier: MIT */
/* Random hands at the editor, seeded: whatever they do, nothing crashes, handles and bones stay one list, the body
 * stays finite, and comes to rest when it is let go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "host/base/random.h"
#include "tests/edit/edit_test.h"

#define EVENT_COUNT 800

static double between(uint64_t *seed, double least, double most)
{
    return least + (most - least) * sn_random_unit(seed);
}

static int one_of(uint64_t *seed, int count)
{
    return (int)(sn_random_unit(seed) * count);
}

/* Mostly over the body, now and then far from it, rarely no place at all. */
static void random_place(uint64_t *seed, double place[2])
{
    const double width = one_of(seed, 8) == 0 ? 3 : 0.4;
    place[0] = between(seed, -width, width);
    place[1] = between(seed, -width / 3, width / 3);
    if (one_of(seed, 60) == 0) {
        place[one_of(seed, 2)] = one_of(seed, 2) ? NAN : 1e30;
    }
}

static void random_command(sn_edit_fixture *f, uint64_t *seed)
{
    static const unsigned locks[] = {SN_LOCK_X, SN_LOCK_Y, SN_LOCK_Z, SN_LOCK_ROTATION, SN_LOCK_ALL};
    static sn_render_marker marks[3000];
    switch (one_of(seed, 12)) {
    case 0:
        sn_editor_set_editing(f->editor, !sn_editor_is_editing(f->editor));
        break;
    case 1:
    case 2:
        sn_editor_set_tool(f->editor, (sn_edit_tool)one_of(seed, SN_EDIT_TOOL_COUNT));
        break;
    case 3:
    case 4:
        sn_editor_toggle_locks(f->editor, locks[one_of(seed, 5)]);
        break;
    case 5:
        sn_editor_free_all(f->editor);
        break;
    case 6:
        sn_editor_remove(f->editor);
        break;
    case 7:
        sn_editor_undo(f->editor);
        break;
    case 8:
        sn_editor_close_loop(f->editor);
        break;
    case 9:
        sn_editor_clear_targets(f->editor);
        break;
    case 10: /* from elsewhere */
        f->view.camera.eye[0] = (float)between(seed, -2, 2);
        f->view.camera.eye[1] = (float)between(seed, -1, 1);
        break;
    default:
        assert_true(sn_editor_add_markers(f->editor, marks, 3000) <= 3000);
        sn_editor_message(f->editor);
        break;
    }
}

static void random_event(sn_edit_fixture *f, uint64_t *seed)
{
    double place[2];
    random_place(seed, place);
    switch (one_of(seed, 8)) {
    case 0:
        sn_editor_press(f->editor, &f->view, place, one_of(seed, 4) == 0);
        break;
    case 1:
    case 2:
    case 3:
        sn_editor_drag(f->editor, &f->view, place);
        break;
    case 4:
        sn_editor_release(f->editor, &f->view, place);
        break;
    case 5:
        sn_editor_hover(f->editor, &f->view, place);
        break;
    default:
        random_command(f, seed);
        break;
    }
    run(f, one_of(seed, 4));
}

static void check(const sn_edit_fixture *f)
{
    const sn_edit_handles *handles = sn_editor_handles(f->editor);
    assert_true(handles->count >= 1 && handles->count <= SN_EDIT_HANDLE_LIMIT);
    assert_true(sn_editor_selected(f->editor) < handles->count);
    for (int i = 0; i < handles->count; ++i) {
        assert_true(handles->items[i].parent < handles->count && handles->items[i].parent != i);
        assert_int_equal(sn_edit_handles_find(handles, handles->items[i].name), i);
    }
    assert_true(is_sane(f, 1e3));
}

static void hands_are_random(bool is_flat)
{
    const sn_cook_handle handles[] = {point("left", -0.8, 0), point("right", 0.8, 0)};
    for (uint64_t start = 1; start <= 4; ++start) {
        uint64_t seed = start;
        sn_edit_fixture f = {0};
        if (is_flat) {
            cook_sheet(handles, 2, &f);
        } else {
            cook_bar(handles, 2, &f);
        }
        open_editor(&f);
        for (int i = 0; i < EVENT_COUNT; ++i) {
            random_event(&f, &seed);
            check(&f);
        }
        sn_editor_set_editing(f.editor, false);
        wait_for_weights(&f);
        assert_int_equal(sn_editor_handles(f.editor)->count, sn_model_bone_count(body_model(&f)));
        sn_editor_free_all(f.editor);
        run(&f, 300);
        check(&f);
        print_message("seed %d: %d handles, %d lines, %d recoveries\n", (int)start, sn_editor_handles(f.editor)->count,
                      logged.errors + logged.warnings, f.recovery_count);
        close_editor(&f);
    }
}

static void a_flat_body_survives_random_hands(void **state)
{
    (void)state;
    hands_are_random(true);
}

static void a_solid_body_survives_random_hands(void **state)
{
    (void)state;
    hands_are_random(false);
}

int test_editor_fuzz(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_flat_body_survives_random_hands),
                                       cmocka_unit_test(a_solid_body_survives_random_hands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
