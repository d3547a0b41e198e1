/* SPDX-License-Identifier: MIT */
/* What is dropped on the player's window: drawings and characters are cooked aside, models read; what cannot be played
 * has one line, and what nobody waits for any more is stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "author/io/image/png.h"
#include "host/model/model.h"
#include "runtime/session/file_loader.h"
#include "tests/support/log.h"

#define DRAWING SN_BINARY_DIR "/dropped.png"
#define SURFACE SN_BINARY_DIR "/dropped.obj"
#define MODEL SN_SOURCE_DIR "/tests/golden/bar.sinew"

static int write_files(void **state)
{
    enum { SIDE = 80 };
    static uint8_t pixels[4 * SIDE * SIDE];
    (void)state;
    for (int i = 0; i < SIDE * SIDE; ++i) { /* a disc */
        const int x = i % SIDE - SIDE / 2, y = i / SIDE - SIDE / 2;
        pixels[4 * i] = 200;
        pixels[4 * i + 3] = x * x + y * y < 900 ? 255 : 0;
    }
    const sn_image image = {SIDE, SIDE, pixels};
    FILE *file = fopen(SURFACE, "w");
    if (!file || sn_png_write(DRAWING, &image, false) != SN_OK) {
        return -1;
    }
    fputs("v 1 1 1\nv -1 -1 1\nv -1 1 -1\nv 1 -1 -1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", file);
    fclose(file);
    begin_log();
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    sn_set_log(NULL, NULL);
    return remove(DRAWING) + remove(SURFACE);
}

static sn_result wait_for(const char *path, bool is_coupled, sn_loaded_file *dropped)
{
    sn_file_loader *dropping;
    begin_log();
    assert_false(sn_file_loader_is_done(NULL));
    assert_int_equal(sn_file_loader_start(path, is_coupled, &dropping), SN_OK);
    while (!sn_file_loader_is_done(dropping)) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    const sn_result result = sn_file_loader_finish(&dropping, dropped);
    assert_null(dropping);
    return result;
}

static void what_is_dropped_is_cooked(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        bool is_asked, is_flat, has_modes;
    } files[] = {{DRAWING, false, true, false},
                 {SURFACE, false, false, true},
                 {SURFACE, true, false, false},
                 {MODEL, false, false, true}};
    const size_t before = sn_allocated_bytes();
    sn_loaded_file dropped;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        assert_int_equal(wait_for(files[i].path, files[i].is_asked, &dropped), SN_OK);
        assert_string_equal(dropped.path, files[i].path);
        assert_int_equal(sn_model_is_flat(dropped.model), files[i].is_flat);
        assert_int_equal(sn_model_mode_count(dropped.model) > 0, files[i].has_modes);
        assert_true(dropped.model->counts.part_count > 0);
        sn_loaded_file_release(&dropped);
    }
    assert_int_equal(sn_allocated_bytes(), before);
}

static void what_cannot_be_played_has_a_line(void **state)
{
    (void)state;
    static const char *const paths[] = {SN_BINARY_DIR "/none.png", SN_SOURCE_DIR "/README.md",
                                        SN_BINARY_DIR "/none.sinew"};
    const size_t before = sn_allocated_bytes();
    for (int i = 0; i < 3; ++i) {
        sn_loaded_file dropped;
        assert_int_not_equal(wait_for(paths[i], false, &dropped), SN_OK);
        assert_one_error(paths[i]);
        assert_null(dropped.model);
    }
    assert_int_equal(sn_allocated_bytes(), before);
}

static void it_may_be_stopped(void **state)
{
    (void)state;
    const size_t before = sn_allocated_bytes();
    for (int milliseconds = 0; milliseconds < 40; milliseconds += 4) {
        sn_file_loader *dropping;
        assert_int_equal(sn_file_loader_start(SURFACE, false, &dropping), SN_OK);
        nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
        sn_file_loader_cancel(&dropping);
        assert_null(dropping);
    }
    assert_int_equal(sn_allocated_bytes(), before);
}

int test_dropped(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_dropped_is_cooked),
                                       cmocka_unit_test(what_cannot_be_played_has_a_line),
                                       cmocka_unit_test(it_may_be_stopped)};
    return cmocka_run_group_tests(tests, write_files, remove_files);
}
