/* SPDX-License-Identifier: MIT */
/* Cages under a scripted pointer: drawn, closed, taken apart; and what models keep of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/edit/edit_test.h"

static void a_cage_is_a_loop(void **state)
{
    (void)state;
    static const double corners[][2] = {{-0.6, -0.2}, {0.6, -0.2}, {0.6, 0.2}, {-0.6, 0.2}};
    sn_edit_fixture f = open_sheet();
    sn_editor_set_editing(f.editor, true);
    sn_editor_set_tool(f.editor, SN_EDIT_CAGE);
    assert_false(sn_editor_close_loop(f.editor));
    for (int i = 0; i < 4; ++i) {
        assert_true(click(&f, corners[i][0], corners[i][1]));
        assert_int_equal(sn_editor_handles(f.editor)->count, 3);
    }
    assert_true(click(&f, -0.9, 0.1)); /* one too many */
    sn_editor_undo(f.editor);
    assert_true(click(&f, corners[0][0], corners[0][1])); /* closes it */
    assert_int_equal(sn_editor_handles(f.editor)->count, 7);
    wait_for_weights(&f);
    assert_int_equal(logged.errors + logged.warnings, 0);
    assert_true(sn_model_is_bone_translation_only(body_model(&f), 6));
    for (int i = 3; i < 7; ++i) {
        assert_int_equal(sn_editor_handles(f.editor)->edges[i - 3][0], i);
        assert_int_equal(sn_editor_handles(f.editor)->edges[i - 3][1], i < 6 ? i + 1 : 3);
    }
    sn_editor_set_editing(f.editor, false);
    assert_true(press(&f, over(&f, 0.6, 0.2, 0)));
    drag(&f, over(&f, 0.65, 0.3, 0));
    run(&f, 30);
    check_near(place_of(&f, 5, 1), 0.3, 3e-3);
    release(&f, over(&f, 0.65, 0.3, 0));
    sn_editor_remove(f.editor); /* three are left of the loop */
    wait_for_weights(&f);
    assert_int_equal(sn_editor_handles(f.editor)->edge_count, 3);
    assert_int_equal(body_model(&f)->counts.cage_edge_count, 3);
    assert_int_equal(f.recovery_count, 0);
    close_editor(&f);
}

/* What the body's model tells whoever takes it up: the same handles. */
static void check_taken_up(const sn_edit_fixture *f)
{
    static sn_edit_handles taken;
    const sn_edit_handles *h = sn_editor_handles(f->editor);
    assert_int_equal(sn_edit_handles_from_model(&taken, body_model(f)), SN_OK);
    assert_int_equal(taken.count, h->count);
    for (int i = 0; i < h->count; ++i) {
        assert_int_equal(taken.items[i].shape, h->items[i].shape);
        assert_int_equal(taken.items[i].parent, h->items[i].parent);
        for (int d = 0; d < 3; ++d) {
            check_near(taken.items[i].start[d], h->items[i].start[d], 1e-6);
            check_near(taken.items[i].end[d], h->items[i].end[d], 1e-6);
        }
    }
    assert_int_equal(taken.edge_count, h->edge_count);
    assert_memory_equal(taken.edges, h->edges, (size_t)h->edge_count * sizeof h->edges[0]);
    assert_int_equal(taken.face_count, h->face_count);
    assert_memory_equal(taken.face_starts, h->face_starts, ((size_t)h->face_count + 1) * sizeof h->face_starts[0]);
    assert_memory_equal(taken.corners, h->corners, (size_t)h->face_starts[h->face_count] * sizeof h->corners[0]);
}

static void models_keep_bones_and_loops(void **state)
{
    (void)state;
    static const double corners[][2] = {{-0.9, -0.3}, {0.9, -0.3}, {0.9, 0.3}, {-0.9, 0.3}};
    sn_edit_fixture f = open_sheet();
    sn_editor_set_editing(f.editor, true);
    sn_editor_set_tool(f.editor, SN_EDIT_BONE);
    press(&f, over(&f, -0.5, 0.1, 0));
    release(&f, over(&f, -0.2, 0.1, 0));
    sn_editor_set_tool(f.editor, SN_EDIT_CAGE);
    for (int i = 0; i < 4; ++i) {
        click(&f, corners[i][0], corners[i][1]);
    }
    sn_editor_close_loop(f.editor);
    wait_for_weights(&f);
    assert_int_equal(logged.errors + logged.warnings, 0);
    check_taken_up(&f);
    click(&f, 0.5, 0.3); /* one more, on its upper edge */
    wait_for_weights(&f);
    const sn_edit_handles *h = sn_editor_handles(f.editor);
    assert_int_equal(h->count, 3 + 1 + 5);
    assert_int_equal(h->edge_count, 5);
    assert_int_equal(h->edges[2][1], 8);
    assert_int_equal(h->edges[4][0], 8);
    check_near(h->items[8].start[0], 0.5, 0.02);
    check_near(h->items[8].start[1], 0.3, 1e-6);
    assert_int_equal(logged.errors + logged.warnings, 0);
    check_taken_up(&f);
    close_editor(&f);
}

/* A box around a solid body; a click on a face is one more vertex; one that goes leaves a face. */
static void a_cage_is_closed(void **state)
{
    (void)state;
    sn_edit_fixture f = open_bar();
    sn_editor_set_editing(f.editor, true);
    sn_editor_set_tool(f.editor, SN_EDIT_CAGE);
    assert_false(click(&f, 0, 0.8)); /* beside the body */
    assert_true(click(&f, 0.3, 0));
    const sn_edit_handles *h = sn_editor_handles(f.editor);
    assert_int_equal(h->count, 2 + 8);
    assert_int_equal(h->face_count, 6);
    wait_for_weights(&f);
    assert_int_equal(logged.errors + logged.warnings, 0);
    check_taken_up(&f);
    assert_true(click(&f, 0.3, 0.05)); /* the face in front */
    assert_int_equal(h->count, 2 + 9);
    assert_int_equal(h->face_count, 5 + 4);
    assert_true(h->items[10].start[2] > 0.2);
    wait_for_weights(&f);
    assert_int_equal(logged.errors + logged.warnings, 0);
    check_taken_up(&f);
    run(&f, 20);
    sn_editor_remove(f.editor); /* it is selected */
    assert_int_equal(h->count, 2 + 8);
    assert_int_equal(h->face_count, 6);
    wait_for_weights(&f);
    assert_int_equal(logged.errors + logged.warnings, 0);
    check_taken_up(&f);
    assert_int_equal(f.recovery_count, 0);
    close_editor(&f);
}

/* Of a tetrahedron three vertices enclose nothing: they stand alone. */
static void cages_that_enclose_nothing_go(void **state)
{
    (void)state;
    static sn_edit_handles h;
    sn_edit_handles_add_box(&h, (const double[3]){0, 0, 0}, (const double[3]){1, 1, 1});
    int counts[9];
    for (int left = 8; left > 0; --left) {
        counts[left] = h.face_count;
        for (int f = 0; f < h.face_count; ++f) { /* each side has its other one */
            const int size = h.face_starts[f + 1] - h.face_starts[f];
            for (int i = 0; i < size; ++i) {
                const int a = h.corners[h.face_starts[f] + i], b = h.corners[h.face_starts[f] + (i + 1) % size];
                int found = 0;
                for (int g = 0; g < h.face_count; ++g) {
                    const int other = h.face_starts[g + 1] - h.face_starts[g];
                    for (int k = 0; k < other; ++k) {
                        found +=
                            h.corners[h.face_starts[g] + k] == b && h.corners[h.face_starts[g] + (k + 1) % other] == a;
                    }
                }
                assert_int_equal(found, 1);
            }
        }
        sn_edit_handles_remove(&h, left / 2);
    }
    assert_int_equal(counts[8], 6);
    assert_int_equal(counts[3], 0);
    assert_int_equal(h.count, 0);
}

int test_editor_cages(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cage_is_a_loop),
        cmocka_unit_test(models_keep_bones_and_loops),
        cmocka_unit_test(a_cage_is_closed),
        cmocka_unit_test(cages_that_enclose_nothing_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
