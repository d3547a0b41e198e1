/* SPDX-License-Identifier: MIT */
/* PNG: every colour type and depth as libpng itself writes them, round trips, truncations at every byte, seeded
 * mutations, headers that announce more than the file holds, memory that runs out. */
#include "author/io/image/png.h"

#include <png.h>

#include "tests/fuzz/png_checksums.h"
#include "tests/io/io_test.h"

#define WIDTH 13
#define HEIGHT 11
#define SIGNATURE_AND_LENGTH 16 /* bytes in front of IHDR's data */

/* One way to write the test picture. */
typedef struct layout {
    int color_type, depth;
    bool is_interlaced, has_transparency; /* tRNS */
    int filters;
} layout;

static sn_result read_png(const sn_source *source, sn_arena *arena)
{
    sn_image image;
    const sn_result result = sn_png_read(source, arena, &image);
    if (result == SN_OK) {
        assert_true(image.width > 0 && image.height > 0);
        assert_non_null(image.pixels);
    }
    return result;
}

static int channel_count(int color_type)
{
    return color_type == PNG_COLOR_TYPE_GRAY || color_type == PNG_COLOR_TYPE_PALETTE ? 1
           : color_type == PNG_COLOR_TYPE_GRAY_ALPHA                                 ? 2
           : color_type == PNG_COLOR_TYPE_RGB                                        ? 3
                                                                                     : 4;
}

static unsigned sample(const layout *l, int x, int y, int channel)
{
    const unsigned most = l->depth == 16 ? 65535 : (1u << l->depth) - 1;
    const unsigned value = (unsigned)(x * 7919 + y * 104729 + channel * 1299709) * 2654435761u;
    return value >> 13 & most;
}

static png_color palette_color(unsigned i)
{
    return (png_color){(png_byte)(i * 37 + 5), (png_byte)(i * 91 + 7), (png_byte)(255 - i)};
}

/* Half of the palette has an alpha. */
static unsigned palette_alpha(const layout *l, unsigned i)
{
    return l->has_transparency && i < (1u << l->depth) / 2 ? i * 11 & 255 : 255;
}

static unsigned to_8_bits(const layout *l, unsigned value)
{
    return l->depth == 16 ? (value * 255 + 32767) / 65535 : value * 255 / ((1u << l->depth) - 1);
}

/* tRNS of grey and RGB names one colour: that of the picture's first pixel. */
static bool is_key(const layout *l, int x, int y)
{
    bool is_equal = l->has_transparency;
    for (int c = 0; c < channel_count(l->color_type); ++c) {
        is_equal = is_equal && sample(l, x, y, c) == sample(l, 0, 0, c);
    }
    return is_equal;
}

static void expected_pixel(const layout *l, int x, int y, unsigned pixel[4])
{
    const unsigned first = sample(l, x, y, 0);
    if (l->color_type == PNG_COLOR_TYPE_PALETTE) {
        const png_color color = palette_color(first);
        memcpy(pixel, (unsigned[4]){color.red, color.green, color.blue, palette_alpha(l, first)}, 4 * sizeof *pixel);
        return;
    }
    const bool is_grey = !(l->color_type & PNG_COLOR_MASK_COLOR), has_alpha = l->color_type & PNG_COLOR_MASK_ALPHA;
    for (int c = 0; c < 3; ++c) {
        pixel[c] = to_8_bits(l, sample(l, x, y, is_grey ? 0 : c));
    }
    pixel[3] = has_alpha ? to_8_bits(l, sample(l, x, y, is_grey ? 1 : 3)) : is_key(l, x, y) ? 0 : 255;
}

static void put_bytes(png_structp png, png_bytep data, size_t size)
{
    put(png_get_io_ptr(png), data, size);
}

static void no_flush(png_structp png)
{
    (void)png;
}

static void build_row(const layout *l, int y, uint8_t *row)
{
    const int channels = channel_count(l->color_type);
    memset(row, 0, WIDTH * 8);
    for (int i = 0; i < WIDTH * channels; ++i) {
        const unsigned value = sample(l, i / channels, y, i % channels);
        if (l->depth == 16) {
            row[2 * i] = (uint8_t)(value >> 8);
            row[2 * i + 1] = (uint8_t)value;
        } else {
            row[i * l->depth / 8] |= (uint8_t)(value << (8 - l->depth - i * l->depth % 8));
        }
    }
}

static void set_transparency(const layout *l, png_structp png, png_infop info)
{
    png_byte alphas[256];
    const int count = 1 << l->depth;
    for (int i = 0; i < 256; ++i) {
        alphas[i] = (png_byte)palette_alpha(l, (unsigned)i);
    }
    png_color_16 key = {.gray = (png_uint_16)sample(l, 0, 0, 0),
                        .red = (png_uint_16)sample(l, 0, 0, 0),
                        .green = (png_uint_16)sample(l, 0, 0, 1),
                        .blue = (png_uint_16)sample(l, 0, 0, 2)};
    if (l->color_type == PNG_COLOR_TYPE_PALETTE) {
        png_set_tRNS(png, info, alphas, count / 2, NULL);
    } else {
        png_set_tRNS(png, info, NULL, 0, &key);
    }
}

static void set_palette(const layout *l, png_structp png, png_infop info)
{
    png_color colors[256];
    for (unsigned i = 0; i < 256; ++i) {
        colors[i] = palette_color(i);
    }
    png_set_PLTE(png, info, colors, 1 << l->depth);
}

/* The test picture in this layout; gAMA and text are there to be left alone. */
static void build_png(const layout *l, bytes *file)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    assert_non_null(png);
    png_infop info = png_create_info_struct(png);
    assert_non_null(info);
    file->size = 0;
    png_set_write_fn(png, file, put_bytes, no_flush);
    png_set_IHDR(png, info, WIDTH, HEIGHT, l->depth, l->color_type,
                 l->is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_gAMA_fixed(png, info, 100000);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, l->filters);
    if (l->color_type == PNG_COLOR_TYPE_PALETTE) {
        set_palette(l, png, info);
    }
    if (l->has_transparency) {
        set_transparency(l, png, info);
    }
    png_write_info(png, info);
    const int pass_count = png_set_interlace_handling(png);
    for (int i = 0; i < pass_count * HEIGHT; ++i) {
        uint8_t row[WIDTH * 8];
        build_row(l, i % HEIGHT, row);
        png_write_row(png, row);
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
}

static void check_layout(const layout *l)
{
    bytes file = {0};
    sn_arena arena = {0};
    sn_image image = {0};
    build_png(l, &file);
    const sn_source source = source_of(&file);
    begin_log();
    if (sn_png_read(&source, &arena, &image) != SN_OK) {
        fail_msg("type %d, %d bits: %s", l->color_type, l->depth, logged.last);
    }
    assert_int_equal(image.width, WIDTH);
    assert_int_equal(image.height, HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; ++i) {
        unsigned expected[4];
        expected_pixel(l, i % WIDTH, i / WIDTH, expected);
        for (int c = 0; c < 4; ++c) {
            if (image.pixels[4 * i + c] != expected[c]) {
                fail_msg("type %d, %d bits, interlaced %d, tRNS %d: pixel %d, channel %d: %u, expected %u",
                         l->color_type, l->depth, l->is_interlaced, l->has_transparency, i, c,
                         (unsigned)image.pixels[4 * i + c], expected[c]);
            }
        }
    }
    assert_int_equal(logged.errors + logged.warnings, 0);
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_layouts(void **state)
{
    (void)state;
    static const int types[][2] = {
        {PNG_COLOR_TYPE_GRAY, 1},        {PNG_COLOR_TYPE_GRAY, 2},      {PNG_COLOR_TYPE_GRAY, 4},
        {PNG_COLOR_TYPE_GRAY, 8},        {PNG_COLOR_TYPE_GRAY, 16},     {PNG_COLOR_TYPE_PALETTE, 1},
        {PNG_COLOR_TYPE_PALETTE, 2},     {PNG_COLOR_TYPE_PALETTE, 4},   {PNG_COLOR_TYPE_PALETTE, 8},
        {PNG_COLOR_TYPE_RGB, 8},         {PNG_COLOR_TYPE_RGB, 16},      {PNG_COLOR_TYPE_GRAY_ALPHA, 8},
        {PNG_COLOR_TYPE_GRAY_ALPHA, 16}, {PNG_COLOR_TYPE_RGB_ALPHA, 8}, {PNG_COLOR_TYPE_RGB_ALPHA, 16},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        for (int variant = 0; variant < 4; ++variant) {
            const bool has_transparency = variant & 2 && !(types[i][0] & PNG_COLOR_MASK_ALPHA);
            check_layout(&(layout){types[i][0], types[i][1], variant & 1, has_transparency, PNG_ALL_FILTERS});
        }
    }
}

/* A cut file is refused wherever it is cut, even when all of its pixels are there. */
static void test_truncations(void **state)
{
    (void)state;
    bytes file = {0};
    build_png(&(layout){PNG_COLOR_TYPE_PALETTE, 4, true, true, PNG_NO_FILTERS}, &file);
    for (size_t size = 0; size < file.size; ++size) {
        sn_arena arena = {0};
        const sn_source source = {.name = "cut", .bytes = file.data, .size = size};
        begin_log();
        assert_int_equal(read_png(&source, &arena), SN_ERROR_FORMAT);
        assert_one_error("cut: ");
        sn_arena_finish(&arena);
    }
}

static sn_result read_mended(const sn_source *source, sn_arena *arena)
{
    png_fix_checksums((uint8_t *)(uintptr_t)source->bytes, source->size);
    return read_png(source, arena);
}

static void test_mutations(void **state)
{
    (void)state;
    static const layout layouts[] = {{PNG_COLOR_TYPE_GRAY, 1, false, true, PNG_NO_FILTERS},
                                     {PNG_COLOR_TYPE_PALETTE, 2, false, true, PNG_NO_FILTERS},
                                     {PNG_COLOR_TYPE_RGB, 16, false, true, PNG_ALL_FILTERS},
                                     {PNG_COLOR_TYPE_RGB_ALPHA, 8, true, false, PNG_ALL_FILTERS}};
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; ++i) {
        bytes file = {0};
        build_png(&layouts[i], &file);
        mutate(&file, 71 + i, 300, read_png);
        mutate(&file, 81 + i, 700, read_mended);
        fail_each_allocation(&file, read_png);
    }
}

/* Refused before any memory is asked for. */
static void check_header(uint32_t width, uint32_t height, sn_result expected, const char *message)
{
    bytes file = {0};
    sn_arena arena = {0};
    build_png(&(layout){PNG_COLOR_TYPE_RGB, 8, false, false, PNG_NO_FILTERS}, &file);
    png_store(file.data + SIGNATURE_AND_LENGTH, width);
    png_store(file.data + SIGNATURE_AND_LENGTH + 4, height);
    png_fix_checksums(file.data, file.size);
    const sn_source source = source_of(&file);
    begin_log();
    assert_int_equal(read_png(&source, &arena), expected);
    assert_one_error("memory: ");
    if (!strstr(logged.last, message)) {
        fail_msg("%u x %u: %s", width, height, logged.last);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
    sn_arena_finish(&arena);
}

static void test_headers(void **state)
{
    (void)state;
    check_header(SN_IMAGE_LIMIT + 1, 1, SN_ERROR_UNSUPPORTED, "at most 16384 per side");
    check_header(1, SN_IMAGE_LIMIT + 1, SN_ERROR_UNSUPPORTED, "at most 16384 per side");
    check_header(0x7fffffff, 0x7fffffff, SN_ERROR_UNSUPPORTED, "too many");
    check_header(SN_IMAGE_LIMIT, SN_IMAGE_LIMIT, SN_ERROR_FORMAT, "cannot be in a file of");
    check_header(0, 1, SN_ERROR_FORMAT, "IHDR");
    check_header(0x80000000, 1, SN_ERROR_FORMAT, "byte 33: PNG unsigned integer out of range");
}

static void test_shared_bad_file(void **state)
{
    (void)state;
    const char *path = SN_SHARED_DATA "/bad/derived/png_huge_size.png";
    skip_without(path);
    sn_arena arena = {0};
    sn_source source;
    assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
    begin_log();
    assert_int_not_equal(read_png(&source, &arena), SN_OK);
    assert_one_error("png_huge_size.png");
    sn_arena_finish(&arena);
}

static void make_path(char path[4096])
{
    snprintf(path, 4096, "%s/test_png.%ld.png", SN_BINARY_DIR, (long)getpid());
}

static void check_round_trip(int width, int height, bool is_opaque, bool is_noise)
{
    char path[4096];
    sn_arena arena = {0};
    sn_source source;
    sn_image read;
    uint64_t seed = 5;
    const size_t size = 4 * (size_t)width * (size_t)height;
    uint8_t *pixels = SN_NEW(&arena, uint8_t, size);
    assert_non_null(pixels);
    for (size_t i = 0; i < size; ++i) {
        pixels[i] = (uint8_t)(is_noise ? next_random(&seed) : i / 64);
    }
    make_path(path);
    begin_log();
    assert_int_equal(sn_png_write(path, &(sn_image){width, height, pixels}, is_opaque), SN_OK);
    assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
    assert_int_equal(sn_png_read(&source, &arena, &read), SN_OK);
    assert_int_equal(read.width, width);
    assert_int_equal(read.height, height);
    for (size_t i = 0; i < size; ++i) {
        assert_int_equal(read.pixels[i], is_opaque && i % 4 == 3 ? 255 : pixels[i]);
    }
    assert_int_equal(source.bytes[SIGNATURE_AND_LENGTH + 9], is_opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA);
    assert_memory_equal(source.bytes + 37, "sRGB", 4);
    assert_int_equal(unlink(path), 0);
    sn_arena_finish(&arena);
}

static void test_round_trips(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; ++variant) {
        const bool is_opaque = variant & 1, is_noise = variant & 2;
        check_round_trip(1, 1, is_opaque, is_noise);
        check_round_trip(1, 257, is_opaque, is_noise);
        check_round_trip(SN_IMAGE_LIMIT, 3, is_opaque, is_noise);
        check_round_trip(321, 123, is_opaque, is_noise);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_write_errors(void **state)
{
    (void)state;
    uint8_t pixel[4] = {1, 2, 3, 4};
    const sn_image image = {1, 1, pixel};
    begin_log();
    assert_int_equal(sn_png_write(SN_BINARY_DIR "/no/such.png", &image, true), SN_ERROR_FILE);
    assert_one_error("/no/such.png");
    char path[4096];
    make_path(path);
    for (int count = 0; count < 3; ++count) {
        int left = count;
        begin_log();
        sn_set_allocator(failing_alloc, failing_free, &left);
        const sn_result result = sn_png_write(path, &image, false);
        sn_set_allocator(NULL, NULL, NULL);
        assert_true(result == SN_OK || result == SN_ERROR_MEMORY);
        assert_int_equal(logged.errors, result == SN_OK ? 0 : 1);
        assert_int_equal(access(path, F_OK) == 0, result == SN_OK);
    }
    unlink(path);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_png(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),      cmocka_unit_test(test_truncations),     cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_headers),      cmocka_unit_test(test_shared_bad_file), cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_write_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
