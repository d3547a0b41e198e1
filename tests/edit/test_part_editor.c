/* SPDX-License-Identifier: MIT */
/* Editing the parts of a character's flesh: values, undo, comparing, and what is saved. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/io/rig/sidecar.h"
#include "host/model/model.h"
#include "host/platform/platform.h"
#include "runtime/edit/part_editor.h"
#include "tests/support/log.h"

#define MASCOT SN_BINARY_DIR "/characters/mascot.glb"
#define WAIT_SECONDS 120.0

/* A copy of the mascot in a folder of its own, and its model. */
typedef struct edited {
    char folder[32], character[64], model_path[64], sidecar[64];
    sn_cook_desc cook;
    sn_blob blob;
    sn_model *model;
} edited;

static edited mascot;

static int set_up(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_source source;
    strcpy(mascot.folder, "/tmp/sn_parts_XXXXXX");
    assert_non_null(mkdtemp(mascot.folder));
    snprintf(mascot.character, sizeof mascot.character, "%s/cat.glb", mascot.folder);
    snprintf(mascot.model_path, sizeof mascot.model_path, "%s/cat.sinew", mascot.folder);
    snprintf(mascot.sidecar, sizeof mascot.sidecar, "%s/cat.sinew.json", mascot.folder);
    assert_int_equal(sn_source_read(MASCOT, &arena, &source), SN_OK);
    assert_int_equal(sn_file_write(mascot.character, source.bytes, source.size), SN_OK);
    sn_arena_finish(&arena);
    mascot.cook = sn_default_cook_desc();
    mascot.cook.tet_vertex_count = 2500;
    mascot.cook.worker_count = 1;
    assert_int_equal(sn_cook(mascot.character, &mascot.cook, &mascot.blob, NULL), SN_OK);
    assert_int_equal(sn_model_load(mascot.blob.bytes, mascot.blob.size, &mascot.model), SN_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sn_model_release(mascot.model);
    sn_blob_release(&mascot.blob);
    remove(mascot.sidecar);
    remove(mascot.model_path);
    assert_int_equal(remove(mascot.character), 0);
    assert_int_equal(rmdir(mascot.folder), 0);
    assert_int_equal(sn_allocated_bytes(), 0);
    return 0;
}

static sn_part_editor *open_editor(const char *path, const sn_cook_desc *cook)
{
    const sn_part_editor_desc desc = {.model = mascot.model, .path = path, .cook = cook};
    sn_part_editor *editor = NULL;
    assert_int_equal(sn_part_editor_create(&desc, &editor), SN_OK);
    assert_non_null(editor);
    return editor;
}

static int find(const sn_part_editor *editor, const char *name)
{
    for (int i = 0; i < sn_part_editor_count(editor); ++i) {
        if (strcmp(sn_part_editor_name(editor, i), name) == 0) {
            return i;
        }
    }
    fail_msg("no part %s", name);
    return -1;
}

/* Frames until all work is done; the last message is copied. */
static const sn_model *wait_for(sn_part_editor *editor, char *message, size_t size)
{
    const double start = sn_now();
    const sn_model *model = sn_part_editor_update(editor);
    while (sn_part_editor_is_busy(editor)) {
        assert_true(sn_now() - start < WAIT_SECONDS);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        model = sn_part_editor_update(editor);
    }
    const char *text = sn_part_editor_message(editor);
    snprintf(message, size, "%s", text ? text : "");
    return model;
}

static double amplitude_in(const sn_model *model, int part)
{
    return (double)sn_model_get_flesh_part(model, part).amplitude;
}

static void values_are_tuned_and_undone(void **state)
{
    (void)state;
    char message[256];
    sn_part_editor *editor = open_editor(mascot.character, &mascot.cook);
    const int belly = find(editor, "belly"), tail = find(editor, "tail");
    const double loaded = amplitude_in(mascot.model, belly);
    assert_ptr_equal(wait_for(editor, message, sizeof message), mascot.model);
    assert_false(sn_part_editor_undo(editor));
    assert_false(sn_part_editor_has_changes(editor));
    sn_part_editor_set(editor, belly, SN_PART_AMPLITUDE, 0.6 * loaded);
    sn_part_editor_set(editor, belly, SN_PART_AMPLITUDE, 0.5 * loaded); /* joins the change before */
    sn_part_editor_set(editor, tail, SN_PART_SETTLING_TIME, 1.5);
    const sn_model *tuned = wait_for(editor, message, sizeof message);
    assert_ptr_not_equal(tuned, mascot.model);
    assert_true(fabs(amplitude_in(tuned, belly) / loaded - 0.5) < 0.1);
    assert_true(sn_part_editor_get(editor, belly, SN_PART_AMPLITUDE) == 0.5 * loaded);
    assert_true(sn_part_editor_reached(editor, belly, SN_PART_AMPLITUDE) == amplitude_in(tuned, belly));
    assert_true(fabs((double)sn_model_get_flesh_part(tuned, tail).settling_time - 1.5) < 1e-6);
    sn_part_editor_compare(editor, true);
    assert_ptr_equal(sn_part_editor_update(editor), mascot.model);
    sn_part_editor_compare(editor, false);
    assert_ptr_equal(sn_part_editor_update(editor), tuned);
    assert_true(sn_part_editor_undo(editor) && sn_part_editor_undo(editor) && !sn_part_editor_undo(editor));
    assert_ptr_equal(wait_for(editor, message, sizeof message), mascot.model);
    assert_true(sn_part_editor_redo(editor));
    tuned = wait_for(editor, message, sizeof message);
    assert_true(fabs(amplitude_in(tuned, belly) / loaded - 0.5) < 0.1);
    assert_true((double)sn_model_get_flesh_part(tuned, tail).settling_time < 1);
    sn_part_editor_reset(editor);
    assert_ptr_equal(wait_for(editor, message, sizeof message), mascot.model);
    assert_string_equal(message, "");
    sn_part_editor_set(editor, belly, SN_PART_FREQUENCY, 1e9); /* clamped, and never waited for */
    assert_true(sn_part_editor_get(editor, belly, SN_PART_FREQUENCY) == SN_MAX_PART_FREQUENCY);
    sn_part_editor_update(editor);
    sn_part_editor_destroy(&editor);
}

/* The history holds the newest changes. */
static void old_changes_are_forgotten(void **state)
{
    (void)state;
    sn_part_editor *editor = open_editor(mascot.character, &mascot.cook);
    int count = 0;
    for (int i = 0; i < 200; ++i) {
        sn_part_editor_scale(editor, 1 + 0.001 * i);
    }
    while (sn_part_editor_undo(editor)) {
        ++count;
    }
    assert_true(count >= 32 && count < 200);
    sn_part_editor_destroy(&editor);
}

static void a_model_is_saved(void **state)
{
    (void)state;
    char message[256];
    sn_arena arena = {0};
    sn_sidecar sidecar;
    sn_model *saved = NULL;
    assert_int_equal(sn_file_write(mascot.model_path, mascot.blob.bytes, mascot.blob.size), SN_OK);
    sn_part_editor *editor = open_editor(mascot.model_path, NULL);
    const int belly = find(editor, "belly");
    sn_part_editor_save(editor);
    wait_for(editor, message, sizeof message);
    assert_string_equal(message, "nothing has changed");
    sn_part_editor_set(editor, belly, SN_PART_FREQUENCY, 5);
    sn_part_editor_set(editor, find(editor, "tail"), SN_PART_RIGID, 1);
    sn_part_editor_save(editor);
    wait_for(editor, message, sizeof message);
    assert_string_equal(message, "saved; 'tail' changes when the character is cooked again");
    assert_int_equal(sn_model_open(mascot.model_path, &saved), SN_OK);
    assert_true(fabs((double)sn_model_get_flesh_part(saved, belly).frequency - 5) < 0.3);
    assert_int_equal(sn_sidecar_find(mascot.model_path, &arena, &sidecar), SN_OK);
    assert_int_equal(sidecar.part_count, 2);
    sn_model_release(saved);
    sn_arena_finish(&arena);
    sn_part_editor_destroy(&editor);
    assert_int_equal(remove(mascot.sidecar), 0);
    /* a folder that cannot be written to */
    editor = open_editor("/nonexistent/cat.glb", &mascot.cook);
    sn_part_editor_set(editor, belly, SN_PART_FREQUENCY, 5);
    begin_log();
    sn_part_editor_save(editor);
    wait_for(editor, message, sizeof message);
    sn_set_log(NULL, NULL);
    assert_string_equal(message, "not saved: see the terminal");
    sn_part_editor_destroy(&editor);
}

/* What is saved to the sidecar is what the next cook makes. */
static void a_rigid_part_is_cooked(void **state)
{
    (void)state;
    char message[256];
    sn_part_editor *editor = open_editor(mascot.character, &mascot.cook);
    const int belly = find(editor, "belly"), tail = find(editor, "tail");
    const double wanted = 0.6 * amplitude_in(mascot.model, belly);
    sn_part_editor_set(editor, tail, SN_PART_RIGID, 1);
    sn_part_editor_set(editor, belly, SN_PART_AMPLITUDE, wanted);
    sn_part_editor_save(editor);
    const sn_model *cooked = wait_for(editor, message, sizeof message);
    assert_string_equal(message, "saved and cooked");
    assert_false(sn_part_editor_has_changes(editor));
    assert_true(sn_model_get_flesh_part(cooked, find(editor, "tail")).frequency == 0);
    assert_true(fabs(amplitude_in(cooked, find(editor, "belly")) / wanted - 1) < 0.15);
    sn_part_editor_destroy(&editor);
    assert_int_equal(remove(mascot.sidecar), 0);
}

static void a_point_is_of_its_part(void **state)
{
    (void)state;
    sn_part_editor *editor = open_editor(mascot.character, &mascot.cook);
    int found[2] = {0};
    for (int v = 0; v < mascot.model->counts.vertex_count; v += 23) {
        const float *x = mascot.model->rest_positions + 3 * (size_t)v;
        const double point[3] = {(double)x[0], (double)x[1], (double)x[2]};
        ++found[sn_part_editor_find(editor, point) == mascot.model->vertex_flesh_parts[v]];
    }
    assert_true(found[1] > 50 && found[1] > 20 * found[0]); /* flesh that touches has vertices at the same place */
    sn_part_editor_destroy(&editor);
}

int test_part_editor(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_tuned_and_undone),
                                       cmocka_unit_test(old_changes_are_forgotten), cmocka_unit_test(a_model_is_saved),
                                       cmocka_unit_test(a_rigid_part_is_cooked),
                                       cmocka_unit_test(a_point_is_of_its_part)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
