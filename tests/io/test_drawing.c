/* SPDX-License-Identifier: MIT */
/* Pictures of drawings and their masks; parents in rig JSON. */
#include <stdlib.h>

#include "tests/io/drawing_test.h"

static void parents_are_names_of_handles(void **state)
{
    (void)state;
    static const struct {
        const char *handles, *message;
    } cases[] = {
        {"{\"name\": \"a\", \"parent\": \"b\", \"point\": [1, 2]}, {\"name\": \"b\", \"bone\": [[0, 0], [1, 0]]}",
         NULL},
        {"{\"name\": \"a\", \"parent\": \"c\", \"point\": [1, 2]}",
         "handles[0].parent: must be the name of another point or bone"},
        {"{\"name\": \"a\", \"parent\": 3, \"point\": [1, 2]}",
         "handles[0].parent: must be the name of another point or bone"},
        {"{\"name\": \"a\", \"parent\": \"a\", \"point\": [1, 2]}",
         "handles[0].parent: must be the name of another point or bone"},
        {"{\"name\": \"a\", \"point\": [1]}", "handles[0].point: must be three numbers"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[512];
        snprintf(text, sizeof text, "{\"handles\": [%s]}", cases[i].handles);
        const sn_source source = source_text("rig.json", text);
        sn_arena arena = {0};
        sn_rig_file rig;
        begin_log();
        const sn_result result = sn_rig_read(&source, &arena, &rig);
        assert_int_equal(result, cases[i].message ? SN_ERROR_FORMAT : SN_OK);
        if (cases[i].message) {
            assert_one_error("rig.json");
            assert_non_null(strstr(logged.last, cases[i].message));
        } else {
            assert_int_equal(rig.handles.handles[0].parent, i == 0 ? 1 : -1);
            assert_true(rig.handles.handles[0].points[2] == 0);
        }
        sn_arena_finish(&arena);
    }
}

/* ---- files ---- */

static char folder[] = "/tmp/sinew-drawing-XXXXXX";

static const char *in_folder(const char *name)
{
    static char paths[4][256];
    static int next;
    next = (next + 1) % 4;
    snprintf(paths[next], sizeof paths[next], "%s/%s", folder, name);
    return paths[next];
}

static void write_picture(const char *name, int width, int height, uint8_t value, uint8_t alpha)
{
    uint8_t *data = malloc((size_t)(4 * width * height));
    assert_non_null(data);
    for (int i = 0; i < width * height; ++i) {
        memset(data + 4 * i, i % width < width / 2 ? value : 0, 3);
        data[4 * i + 3] = alpha;
    }
    const sn_image image = {width, height, data};
    assert_int_equal(sn_png_write(in_folder(name), &image, false), SN_OK);
    free(data);
}

static void masks_are_alpha(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_drawing d;
    assert_non_null(mkdtemp(folder));
    write_picture("texture.png", 8, 4, 200, 255);
    begin_log();
    assert_int_equal(sn_drawing_read(in_folder("texture.png"), NULL, &arena, &arena, &d), SN_OK);
    assert_int_equal(pixel(&d, 7, 0)[3], 255);
    write_picture("mask.png", 8, 4, 255, 255); /* found beside the texture */
    assert_int_equal(sn_drawing_read(in_folder("texture.png"), NULL, &arena, &arena, &d), SN_OK);
    assert_int_equal(pixel(&d, 0, 0)[3], 255);
    assert_int_equal(pixel(&d, 7, 0)[3], 0);
    assert_int_equal(pixel(&d, 0, 0)[0], 200);
    write_picture("other.png", 8, 5, 255, 255);
    begin_log();
    assert_int_equal(sn_drawing_read(in_folder("texture.png"), in_folder("other.png"), &arena, &arena, &d),
                     SN_ERROR_FORMAT);
    assert_one_error("other.png: header: 8 x 5 pixels, but ");
    write_picture("half.png", 8, 4, 255, 128);
    assert_int_equal(sn_drawing_read(in_folder("texture.png"), in_folder("half.png"), &arena, &arena, &d), SN_OK);
    assert_int_equal(pixel(&d, 0, 0)[3], 128);
    sn_arena_finish(&arena);
    unlink(in_folder("texture.png"));
    unlink(in_folder("mask.png"));
    unlink(in_folder("other.png"));
    unlink(in_folder("half.png"));
}

/* Larger pictures are halved, with their colours. */
static void wide_pictures_are_halved(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_drawing d;
    write_picture("wide.png", 8193, 3, 100, 255);
    begin_log();
    assert_int_equal(sn_drawing_read(in_folder("wide.png"), NULL, &arena, &arena, &d), SN_OK);
    assert_int_equal(d.image.width, 2049);
    assert_int_equal(d.image.height, 1);
    assert_true(d.pixel_size == 4 && d.height == 3);
    assert_int_equal(pixel(&d, 0, 0)[0], 100);
    assert_int_equal(pixel(&d, 2048, 0)[3], 255);
    sn_arena_finish(&arena);
    unlink(in_folder("wide.png"));
    assert_int_equal(rmdir(folder), 0);
}

int test_drawing(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_are_names_of_handles),
        cmocka_unit_test(masks_are_alpha),
        cmocka_unit_test(wide_pictures_are_halved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
