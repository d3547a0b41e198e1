/* SPDX-License-Identifier: MIT */
/* JPEG: what libjpeg itself writes in each layout, truncations at every byte, seeded mutations, headers that announce
 * more than the file holds, memory that runs out. */
#include "author/io/image/jpeg.h"

#include "tests/io/io_test.h"

#include <jpeglib.h>

#define WIDTH 21
#define HEIGHT 18

/* One way to write the test picture. */
typedef struct layout {
    int components; /* 1, 3 or 4 */
    int chroma;     /* luma samples a chroma sample, in each direction */
    bool is_progressive, is_arithmetic;
    int restart; /* blocks; 0: none */
    const jpeg_scan_info *scans;
    int scan_count;
} layout;

static uint8_t sample(int x, int y, int channel)
{
    return (uint8_t)(40 + 5 * x + 2 * y + 20 * channel);
}

static void set_layout(struct jpeg_compress_struct *jpeg, const layout *l)
{
    jpeg->image_width = WIDTH;
    jpeg->image_height = HEIGHT;
    jpeg->input_components = l->components;
    jpeg->in_color_space = l->components == 1 ? JCS_GRAYSCALE : l->components == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, 98, TRUE);
    if (l->components == 3) {
        jpeg->comp_info[0].h_samp_factor = jpeg->comp_info[0].v_samp_factor = l->chroma;
    }
    if (l->is_progressive) {
        jpeg_simple_progression(jpeg);
    }
    if (l->scans) {
        jpeg->scan_info = l->scans;
        jpeg->num_scans = l->scan_count;
    }
    jpeg->arith_code = l->is_arithmetic;
    jpeg->restart_interval = (unsigned)l->restart;
}

/* libjpeg's own memory writer gives a block of malloc. */
static uint8_t *build(const layout *l, unsigned long *size)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    uint8_t *file = NULL;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &file, size);
    set_layout(&jpeg, l);
    jpeg_start_compress(&jpeg, TRUE);
    for (int y = 0; y < HEIGHT; ++y) {
        uint8_t row[4 * WIDTH], *rows = row;
        for (int i = 0; i < WIDTH * l->components; ++i) {
            row[i] = sample(i / l->components, y, i % l->components);
        }
        jpeg_write_scanlines(&jpeg, &rows, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    return file;
}

static void build_jpeg(const layout *l, bytes *file)
{
    unsigned long size = 0;
    uint8_t *data = build(l, &size);
    assert_non_null(data);
    file->size = 0;
    put(file, data, size);
    free(data);
}

static const layout plain = {.components = 3, .chroma = 1};
static const layout layouts[] = {{.components = 1},
                                 {.components = 3, .chroma = 1},
                                 {.components = 3, .chroma = 2},
                                 {.components = 3, .chroma = 2, .restart = 1},
                                 {.components = 3, .chroma = 2, .is_progressive = true},
                                 {.components = 1, .is_progressive = true}};
#define LAYOUT_COUNT (sizeof layouts / sizeof layouts[0])

static sn_result read_jpeg(const sn_source *source, sn_arena *arena)
{
    sn_image image;
    const sn_result result = sn_jpeg_read(source, arena, &image);
    if (result == SN_OK) {
        assert_true(image.width > 0 && image.width <= SN_IMAGE_LIMIT);
        assert_true(image.height > 0 && image.height <= SN_IMAGE_LIMIT);
        assert_int_equal(image.pixels[4 * image.width * image.height - 1], 255);
    }
    return result;
}

static void test_layouts(void **state)
{
    (void)state;
    for (size_t i = 0; i < LAYOUT_COUNT; ++i) {
        bytes file = {0};
        sn_arena arena = {0};
        sn_image image;
        int width = 0, height = 0;
        build_jpeg(&layouts[i], &file);
        const sn_source source = source_of(&file);
        begin_log();
        assert_int_equal(sn_jpeg_size(&source, &width, &height), SN_OK);
        assert_int_equal(sn_jpeg_read(&source, &arena, &image), SN_OK);
        assert_true(width == WIDTH && height == HEIGHT && image.width == WIDTH && image.height == HEIGHT);
        for (int p = 0; p < WIDTH * HEIGHT; ++p) {
            for (int c = 0; c < 3; ++c) {
                const int expected = sample(p % WIDTH, p / WIDTH, layouts[i].components == 1 ? 0 : c);
                assert_true(abs(image.pixels[4 * p + c] - expected) <= 6);
            }
            assert_int_equal(image.pixels[4 * p + 3], 255);
        }
        assert_int_equal(logged.errors + logged.warnings, 0);
        sn_arena_finish(&arena);
    }
}

static void check_failure(const bytes *file, size_t size, sn_result expected, const char *message)
{
    sn_arena arena = {0};
    const sn_source source = {.name = "cut", .bytes = file->data, .size = size};
    begin_log();
    assert_int_equal(read_jpeg(&source, &arena), expected);
    assert_one_error("cut: ");
    if (!strstr(logged.last, message)) {
        fail_msg("'%s' lacks '%s'", logged.last, message);
    }
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_truncations(void **state)
{
    (void)state;
    for (size_t i = 0; i < LAYOUT_COUNT; ++i) {
        bytes file = {0};
        build_jpeg(&layouts[i], &file);
        for (size_t size = 0; size < file.size; ++size) {
            check_failure(&file, size, SN_ERROR_FORMAT, "cut: byte ");
        }
    }
}

/* The end marker is there, but pixels are missing. */
static void test_early_end(void **state)
{
    (void)state;
    bytes file = {0};
    build_jpeg(&plain, &file);
    file.data[file.size - 40] = 0xff;
    file.data[file.size - 39] = 0xd9;
    check_failure(&file, file.size, SN_ERROR_FORMAT, "the image data end too early");
}

static void test_mutations(void **state)
{
    (void)state;
    for (size_t i = 0; i < LAYOUT_COUNT; ++i) {
        bytes file = {0};
        build_jpeg(&layouts[i], &file);
        mutate(&file, 91 + i, 1000, read_jpeg);
        fail_each_allocation(&file, read_jpeg);
    }
}

/* Height and width stand 5 bytes behind the marker of the frame header. */
static void set_size(bytes *file, unsigned width, unsigned height)
{
    for (size_t i = 0; i + 9 < file->size; ++i) {
        if (file->data[i] == 0xff && file->data[i + 1] == 0xc0) {
            const uint8_t size[] = {(uint8_t)(height >> 8), (uint8_t)height, (uint8_t)(width >> 8), (uint8_t)width};
            memcpy(file->data + i + 5, size, sizeof size);
            return;
        }
    }
    fail_msg("no frame header");
}

static void test_headers(void **state)
{
    (void)state;
    static const struct {
        unsigned width, height;
        sn_result result;
        const char *message;
    } cases[] = {{SN_IMAGE_LIMIT + 1, 1, SN_ERROR_UNSUPPORTED, "at most 16384 per side"},
                 {1, SN_IMAGE_LIMIT + 1, SN_ERROR_UNSUPPORTED, "at most 16384 per side"},
                 {65535, 65535, SN_ERROR_FORMAT, "Maximum supported image dimension"},
                 {SN_IMAGE_LIMIT, SN_IMAGE_LIMIT, SN_ERROR_FORMAT, "cannot be in a file of"},
                 {0, 1, SN_ERROR_FORMAT, "Empty JPEG image"},
                 {1, 0, SN_ERROR_FORMAT, "Empty JPEG image"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        bytes file = {0};
        build_jpeg(&plain, &file);
        set_size(&file, cases[i].width, cases[i].height);
        check_failure(&file, file.size, cases[i].result, cases[i].message);
    }
}

static void test_unsupported(void **state)
{
    (void)state;
    bytes file = {0};
    build_jpeg(&(layout){.components = 4}, &file);
    check_failure(&file, file.size, SN_ERROR_UNSUPPORTED, "three-component");
    build_jpeg(&(layout){.components = 3, .chroma = 1, .is_arithmetic = true}, &file);
    check_failure(&file, file.size, SN_ERROR_UNSUPPORTED, "arithmetic coding");
}

/* Every coefficient of every component in a scan of its own, and each refined once: 379 scans. */
static void test_scan_limit(void **state)
{
    (void)state;
    static jpeg_scan_info scans[400];
    int count = 0;
    scans[count++] = (jpeg_scan_info){3, {0, 1, 2}, 0, 0, 0, 0};
    for (int refinement = 0; refinement < 2; ++refinement) {
        for (int k = 0; k < 3 * 63; ++k) {
            const int coefficient = 1 + k / 3;
            scans[count++] = (jpeg_scan_info){1, {k % 3}, coefficient, coefficient, refinement, 1 - refinement};
        }
    }
    unsigned long size = 0;
    sn_arena arena = {0};
    uint8_t *data = build(&(layout){.components = 3, .chroma = 1, .scans = scans, .scan_count = count}, &size);
    const sn_source source = {.name = "scans", .bytes = data, .size = size};
    begin_log();
    assert_int_equal(read_jpeg(&source, &arena), SN_ERROR_FORMAT);
    assert_one_error("scans: byte ");
    assert_non_null(strstr(logged.last, "too many scans"));
    sn_arena_finish(&arena);
    free(data);
}

static void test_shared_bad_file(void **state)
{
    (void)state;
    const char *path = SN_SHARED_DATA "/bad/derived/jpeg_truncated.jpg";
    skip_without(path);
    sn_arena arena = {0};
    sn_source source;
    assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
    begin_log();
    assert_int_equal(read_jpeg(&source, &arena), SN_ERROR_FORMAT);
    assert_one_error("jpeg_truncated.jpg");
    sn_arena_finish(&arena);
}

int test_jpeg(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),    cmocka_unit_test(test_truncations),     cmocka_unit_test(test_early_end),
        cmocka_unit_test(test_mutations),  cmocka_unit_test(test_headers),         cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_scan_limit), cmocka_unit_test(test_shared_bad_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
