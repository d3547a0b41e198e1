/* SPDX-License-Identifier: MIT */
/* Drawings to bodies: where they stand, what each triangle draws, whose rig they take; and odd pictures, which work or
 * say in one line why they do not. */
#include <math.h>

#include "author/cook/cook.h"
#include "author/import/drawing.h"
#include "tests/io/io_test.h"

enum { WIDTH = 300, HEIGHT = 400, BACK = 40, GAP = 2 };

static char folder[] = "/tmp/sinew-drawn-XXXXXX";
static char picture_path[300], rig_path[300];

static void write_picture(int width, int height, void (*paint)(int x, int y, uint8_t *pixel))
{
    uint8_t *data = calloc((size_t)width * (size_t)height, 4);
    assert_non_null(data);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            paint(x, y, data + 4 * ((size_t)y * (size_t)width + (size_t)x));
        }
    }
    const sn_image image = {width, height, data};
    assert_int_equal(sn_png_write(picture_path, &image, false), SN_OK);
    free(data);
}

static void write_rig(const char *text)
{
    assert_int_equal(sn_file_write(rig_path, text, strlen(text)), SN_OK);
}

/* Red and green legs below a blue body, a thin gap between them. */
static void paint_legs(int x, int y, uint8_t *pixel)
{
    const bool is_body = y >= 20 && y < 120 && x >= BACK && x < WIDTH - BACK;
    const bool is_leg = y >= 120 && y < HEIGHT - 20 && x >= BACK && x < WIDTH - BACK &&
                        (x < (WIDTH - GAP) / 2 || x >= (WIDTH + GAP) / 2);
    pixel[is_body ? 2 : x < WIDTH / 2 ? 0 : 1] = is_body || is_leg ? 255 : 0;
    pixel[3] = is_body || is_leg ? 255 : 0;
}

static sn_result cook(sn_cook_context *k, const char *rig, const sn_cook_desc *from)
{
    static sn_cook_desc desc;
    desc = from ? *from : sn_default_cook_desc();
    desc.rig_path = rig;
    *k = (sn_cook_context){.path = NULL};
    begin_log();
    return sn_cook_context_run(k, picture_path, &desc);
}

static void finish(sn_cook_context *k)
{
    sn_cook_context_finish(k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* ---- what is drawn ---- */

static void texel(const sn_scene_texture *t, double u, double v, double *color)
{
    const int x = (int)floor(u * t->width), y = (int)floor(v * t->height);
    assert_true(x >= 0 && y >= 0 && x < t->width && y < t->height);
    for (int k = 0; k < 4; ++k) {
        color[k] = t->pixels[4 * (y * t->width + x) + k];
    }
}

/* Barycentric coordinates of a place; false outside. */
static bool find_weights(const sn_character *c, const int32_t *v, double x, double y, double *w)
{
    const double *p[3] = {c->positions + 3 * v[0], c->positions + 3 * v[1], c->positions + 3 * v[2]};
    const double area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
    for (int k = 0; k < 3; ++k) {
        const double *a = p[(k + 1) % 3], *b = p[(k + 2) % 3];
        w[k] = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area;
    }
    return area > 0 && w[0] >= -1e-9 && w[1] >= -1e-9 && w[2] >= -1e-9;
}

/* Every pixel in every triangle: what the texture has there is the picture's own pixel or nothing, below the body
 * nothing of the other leg, and all that is opaque is drawn. */
static void triangles_draw_their_own_pixels(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_drawing_body body;
    static uint8_t drawn[WIDTH * HEIGHT];
    write_picture(WIDTH, HEIGHT, paint_legs);
    begin_log();
    assert_int_equal(sn_drawing_body_build(picture_path, NULL, 300, &arena, &body), SN_OK);
    assert_int_equal(logged.warnings, 0);
    const sn_character *c = &body.character;
    for (int t = 0; t < c->triangle_count; ++t) {
        const int32_t *v = c->triangles + 3 * t;
        int red = 0, green = 0, blue = 0;
        for (int i = 0; i < WIDTH * HEIGHT; ++i) {
            uint8_t expected[4] = {0};
            double w[3], uv[2] = {0, 0}, color[4];
            if (!find_weights(c, v, i % WIDTH + 0.5, HEIGHT - i / WIDTH - 0.5, w)) {
                continue;
            }
            for (int k = 0; k < 6; ++k) {
                uv[k % 2] += w[k / 2] * c->uvs[0][2 * v[k / 2] + k % 2];
            }
            texel(&c->textures[0], uv[0], uv[1], color);
            paint_legs(i % WIDTH, i / WIDTH, expected);
            for (int k = 0; k < 4; ++k) {
                assert_true(color[3] == 0 || color[k] == expected[k]);
            }
            drawn[i] |= color[3] > 0;
            red += color[3] > 0 && color[0] > 0;
            green += color[3] > 0 && color[1] > 0;
            blue += color[3] > 0 && color[2] > 0;
        }
        assert_true(red == 0 || green == 0 || blue > 0);
    }
    for (int i = 0; i < WIDTH * HEIGHT; ++i) {
        uint8_t pixel[4] = {0};
        paint_legs(i % WIDTH, i / WIDTH, pixel);
        assert_true(drawn[i] == (pixel[3] > 0));
    }
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* ---- rigs ---- */

#define LEGS_RIG                                                                                                       \
    "{\"handles\": [{\"name\": \"body\", \"bone\": [[150, 110], [150, 40]]},"                                          \
    "{\"name\": \"left\", \"parent\": \"body\", \"bone\": [[90, 150], [90, 360]]},"                                    \
    "{\"name\": \"right\", \"parent\": \"body\", \"bone\": [[210, 150], [210, 360]]}]}"

/* Handles are in the picture's pixels, y down; the body stands upright; weights stop at the gap. */
static void rigs_are_in_pixels(void **state)
{
    (void)state;
    sn_cook_context k;
    write_picture(WIDTH, HEIGHT, paint_legs);
    write_rig(LEGS_RIG);
    sn_cook_desc desc = sn_default_cook_desc();
    desc.units = SN_UNITS_KEEP;
    desc.drawing_vertex_count = 600;
    assert_int_equal(cook(&k, rig_path, &desc), SN_OK);
    assert_int_equal(logged.errors + logged.warnings, 0);
    assert_int_equal(k.bone_count, 3);
    assert_int_equal(k.bone_parents[0], -1);
    assert_int_equal(k.bone_parents[2], 0);
    assert_true(abs(k.mesh.vertex_count - 600) < 60);
    double low[3], high[3];
    sn_tet_mesh_box(&k.mesh, low, high);
    const double cell = 30;
    assert_true(fabs(low[0] - BACK) < cell && fabs(high[0] - (WIDTH - BACK)) < cell);
    assert_true(fabs(low[1] - 20) < cell && fabs(high[1] - (HEIGHT - 20)) < cell);
    for (int v = 0; v < k.mesh.vertex_count; ++v) {
        const double *x = k.mesh.positions + 3 * v, *w = k.rig_weights + 3 * v;
        assert_true(x[2] == 0);
        if (x[1] < HEIGHT - 250 && fabs(x[0] - 150) > 2 * cell) { /* deep in a leg */
            assert_true(w[x[0] < 150 ? 1 : 2] > 0.9);
        }
        if (x[1] > HEIGHT - 60) {
            assert_true(w[0] > 0.5);
        }
    }
    finish(&k);
}

static void bad_rigs_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *rig, *message;
    } cases[] = {
        {"{\"handles\": [{\"name\": \"a\", \"point\": [-500, 200]}]}", "handles[0] 'a'"},
        {"{\"handles\": [{\"name\": \"a\", \"point\": [150, 60]}, {\"name\": \"b\", \"point\": [150, 60]}]}",
         "handles[1] 'b'"},
        {"{\"handles\": [{\"name\": \"a\", \"bone\": [[150, 60], [150, 60]]},"
         "{\"name\": \"b\", \"point\": [150, 60]}]}",
         "'a'"},
        {"{\"V\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], \"F\": [[0, 1, 2]], \"W\": [[1], [1], [1]], \"pI\": [-1],"
         "\"p0\": [[[1,0,0,0],[0,1,0,0],[0,0,1,0]]], \"rig_type\": \"surface\"}",
         "needs handles"},
    };
    write_picture(WIDTH, HEIGHT, paint_legs);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sn_cook_context k;
        write_rig(cases[i].rig);
        assert_int_not_equal(cook(&k, rig_path, NULL), SN_OK);
        if (logged.errors != 1 || !strstr(logged.last, cases[i].message)) {
            fail_msg("%s: %d lines, the last: %s", cases[i].rig, logged.errors, logged.last);
        }
        finish(&k);
    }
}

/* ---- odd pictures ---- */

static void paint_nothing(int x, int y, uint8_t *pixel)
{
    (void)x;
    (void)y;
    (void)pixel;
}

static void paint_all(int x, int y, uint8_t *pixel)
{
    pixel[0] = (uint8_t)(x + y);
    pixel[3] = 255;
}

static void paint_pixel(int x, int y, uint8_t *pixel)
{
    pixel[3] = x == 7 && y == 3 ? 255 : 0;
}

static void paint_islands(int x, int y, uint8_t *pixel)
{
    pixel[3] = x % 20 < 12 && y % 16 < 10 ? 255 : 0;
}

static void paint_two(int x, int y, uint8_t *pixel)
{
    (void)y;
    pixel[3] = x < 40 || x >= 460 ? 255 : 0;
}

static void expect_model(int pieces, int warnings)
{
    sn_cook_context k;
    sn_model *model = NULL;
    assert_int_equal(cook(&k, NULL, NULL), SN_OK);
    assert_int_equal(logged.errors, 0);
    assert_int_equal(logged.warnings, warnings);
    assert_int_equal(k.report.component_count, pieces);
    assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK);
    assert_true(sn_model_is_flat(model));
    sn_model_release(model);
    finish(&k);
}

static void odd_pictures_work_or_say_why(void **state)
{
    (void)state;
    sn_cook_context k;
    write_picture(30, 20, paint_nothing);
    assert_int_equal(cook(&k, NULL, NULL), SN_ERROR_FORMAT);
    assert_one_error("picture.png: pixels: none is opaque");
    finish(&k);
    write_picture(200, 100, paint_all);
    expect_model(1, 1);
    write_picture(16, 16, paint_pixel);
    expect_model(1, 0);
    write_picture(1, 1, paint_all);
    expect_model(1, 1);
    write_picture(800, 400, paint_islands); /* 40 x 25 */
    expect_model(1, 0);
    write_picture(500, 60, paint_two);
    expect_model(2, 2); /* what is too far, and that it is in pieces */
    write_picture(8192, 64, paint_all);
    expect_model(1, 1);
}

static void same_picture_same_bytes(void **state)
{
    (void)state;
    sn_cook_context one, other;
    write_picture(WIDTH, HEIGHT, paint_legs);
    assert_int_equal(cook(&one, NULL, NULL), SN_OK);
    assert_int_equal(cook(&other, NULL, NULL), SN_OK);
    assert_true(one.size == other.size && memcmp(one.bytes, other.bytes, one.size) == 0);
    sn_cook_context_finish(&one);
    finish(&other);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(picture_path, sizeof picture_path, "%s/picture.png", folder);
    snprintf(rig_path, sizeof rig_path, "%s/rig.json", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(picture_path);
    unlink(rig_path);
    return rmdir(folder);
}

int test_drawn_body(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_draw_their_own_pixels),
        cmocka_unit_test(rigs_are_in_pixels),
        cmocka_unit_test(bad_rigs_are_refused),
        cmocka_unit_test(odd_pictures_work_or_say_why),
        cmocka_unit_test(same_picture_same_bytes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
