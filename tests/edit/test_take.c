/* SPDX-License-Identifier: MIT */
/* Recordings: rows at a fixed rate whatever the frames', and the files that they become. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/io/npy.h"
#include "runtime/edit/bone_recording.h"

#define ROW (1.0 / 60)

/* Two bones that move by 1 and 2 a second along x. */
static void bones_at(double seconds, sn_mat3x4 bones[2])
{
    for (int b = 0; b < 2; ++b) {
        bones[b] = (sn_mat3x4){{{1, 0, 0, (float)((b + 1) * seconds)}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    }
}

static void add_frames(sn_bone_recording *recording, double frame_seconds, int count)
{
    sn_mat3x4 bones[2];
    for (int frame = 0; frame < count; ++frame) {
        bones_at(frame * frame_seconds, bones);
        assert_int_equal(sn_bone_recording_add(recording, frame == 0 ? 0.3 : frame_seconds, bones), SN_OK);
    }
}

/* At 30, 60, 100 frames a second, and at one that drops to 3: the same rows. */
static void rows_do_not_depend_on_frames(void **state)
{
    (void)state;
    static const double frame_seconds[] = {1.0 / 30, ROW, 0.01, 1.0 / 3};
    for (int i = 0; i < 4; ++i) {
        sn_bone_recording recording = {0};
        assert_int_equal(sn_bone_recording_start(&recording, 2, ROW), SN_OK);
        add_frames(&recording, frame_seconds[i], (int)(20 / frame_seconds[i]) + 2); /* more than there was room for */
        assert_true(recording.row_count > 1200);
        for (size_t row = 0; row < recording.row_count; ++row) {
            for (size_t b = 0; b < 2; ++b) {
                const double expected = (double)(b + 1) * (double)row * ROW;
                assert_true(fabs(recording.rows[(2 * row + b) * 12 + 3] - expected) < 1e-4);
            }
        }
        sn_bone_recording_finish(&recording);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void read_back(const char *path, sn_arena *arena, sn_npy *rows)
{
    sn_source source;
    assert_int_equal(sn_source_read(path, arena, &source), SN_OK);
    assert_int_equal(sn_npy_read(&source, arena, rows), SN_OK);
}

/* In the units of the file that was cooked; a second take does not overwrite the first. */
static void files_are_what_motion_takes(void **state)
{
    (void)state;
    char folder[] = "/tmp/sn-take-XXXXXX", model_path[64], expected[80], written[4096];
    assert_non_null(mkdtemp(folder));
    snprintf(model_path, sizeof model_path, "%s/some.body.sinew", folder);
    const sn_model model = {.scale = 0.5, .origin_x = 3, .origin_y = -1, .origin_z = 2};
    uint8_t bytes[] = "model";
    const sn_blob blob = {bytes, sizeof bytes};
    for (int take_number = 1; take_number <= 2; ++take_number) {
        sn_arena arena = {0};
        sn_bone_recording recording = {0};
        sn_npy rows;
        assert_int_equal(sn_bone_recording_start(&recording, 2, ROW), SN_OK);
        add_frames(&recording, ROW, 31);
        assert_int_equal(
            sn_bone_recording_write(&recording, model_path, &model, take_number == 2 ? &blob : NULL, written), SN_OK);
        snprintf(expected, sizeof expected, "%s/some.body-take-%d.npy", folder, take_number);
        assert_string_equal(written, expected);
        read_back(written, &arena, &rows);
        assert_true(rows.dimension_count == 4 && rows.shape[0] == 31 && rows.shape[1] == 2);
        assert_true(rows.shape[2] == 3 && rows.shape[3] == 4);
        /* .5 of the model's units are 1 of the file's */
        assert_true(fabs(rows.values[(2 * 30 + 1) * 12 + 3] - 2 * 2 * 30 * ROW) < 1e-4);
        assert_true(fabs(rows.values[(2 * 30 + 1) * 12 + 7]) < 1e-6);
        unlink(written);
        snprintf(expected, sizeof expected, "%s/some.body-take-%d.sinew", folder, take_number);
        assert_int_equal(unlink(expected) == 0, take_number == 2);
        if (take_number == 1) { /* its name stays taken */
            FILE *file = fopen(written, "w");
            assert_non_null(file);
            fclose(file);
        }
        sn_bone_recording_finish(&recording);
        sn_arena_finish(&arena);
    }
    snprintf(expected, sizeof expected, "%s/some.body-take-1.npy", folder);
    unlink(expected);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_take(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_do_not_depend_on_frames),
                                       cmocka_unit_test(files_are_what_motion_takes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
