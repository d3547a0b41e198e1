/* SPDX-License-Identifier: MIT */
/* WebP: what libwebp itself writes, truncations at every byte, seeded mutations, what is no picture or more than one.
 */
#include "author/io/image/webp.h"

#include "tests/io/gltf_test.h"

#include <webp/encode.h>

#define WIDTH 21
#define HEIGHT 18

static void paint(uint8_t pixels[HEIGHT * WIDTH * 4])
{
    for (int i = 0; i < HEIGHT * WIDTH; ++i) {
        const uint8_t pixel[4] = {(uint8_t)(11 * (i % WIDTH)), (uint8_t)(13 * (i / WIDTH)), (uint8_t)(i % 7 * 30),
                                  (uint8_t)(i % 3 == 0 ? 255 : 80)};
        memcpy(pixels + 4 * i, pixel, sizeof pixel);
    }
}

static sn_source as_source(const uint8_t *file, size_t size)
{
    return (sn_source){.name = "memory", .bytes = file, .size = size};
}

static void lossless_is_exact(void **state)
{
    (void)state;
    uint8_t pixels[HEIGHT * WIDTH * 4], *file = NULL;
    int width = 0, height = 0;
    paint(pixels);
    const size_t size = WebPEncodeLosslessRGBA(pixels, WIDTH, HEIGHT, 4 * WIDTH, &file);
    const sn_source source = as_source(file, size);
    sn_arena arena = {0};
    sn_image image;
    assert_true(sn_is_webp(file, size));
    assert_int_equal(sn_webp_size(&source, &width, &height), SN_OK);
    assert_true(width == WIDTH && height == HEIGHT);
    assert_int_equal(sn_webp_read(&source, &arena, &image), SN_OK);
    assert_true(image.width == WIDTH && image.height == HEIGHT);
    assert_memory_equal(image.pixels, pixels, sizeof pixels);
    sn_arena_finish(&arena);
    WebPFree(file);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Even in one colour; alpha is kept. */
static void lossy_is_near(void **state)
{
    (void)state;
    uint8_t pixels[HEIGHT * WIDTH * 4], *file = NULL;
    for (int i = 0; i < HEIGHT * WIDTH; ++i) {
        memcpy(pixels + 4 * i, (const uint8_t[4]){200, 120, 40, i < WIDTH * HEIGHT / 2 ? 255 : 0}, 4);
    }
    const size_t size = WebPEncodeRGBA(pixels, WIDTH, HEIGHT, 4 * WIDTH, 90, &file);
    const sn_source source = as_source(file, size);
    sn_arena arena = {0};
    sn_image image;
    assert_int_equal(sn_webp_read(&source, &arena, &image), SN_OK);
    for (int i = 0; i < WIDTH * (HEIGHT / 2 - 1); ++i) {
        assert_in_range(image.pixels[4 * i], 190, 210);
        assert_in_range(image.pixels[4 * i + 2], 30, 50);
        assert_int_equal(image.pixels[4 * i + 3], 255);
    }
    assert_int_equal(image.pixels[4 * WIDTH * HEIGHT - 1], 0);
    sn_arena_finish(&arena);
    WebPFree(file);
}

static void expect_failure(const uint8_t *file, size_t size, sn_result expected)
{
    uint8_t *copy = malloc(size + (size == 0)); /* its own block: reads behind the end are seen */
    assert_non_null(copy);
    memcpy(copy, file, size);
    const sn_source source = as_source(copy, size);
    sn_arena arena = {0};
    sn_image image;
    begin_log();
    assert_int_equal(sn_webp_read(&source, &arena, &image), expected);
    assert_one_error("memory: ");
    sn_arena_finish(&arena);
    free(copy);
}

static void what_is_cut_is_refused(void **state)
{
    (void)state;
    uint8_t pixels[HEIGHT * WIDTH * 4], *files[2] = {NULL, NULL};
    paint(pixels);
    const size_t sizes[2] = {WebPEncodeLosslessRGBA(pixels, WIDTH, HEIGHT, 4 * WIDTH, &files[0]),
                             WebPEncodeRGBA(pixels, WIDTH, HEIGHT, 4 * WIDTH, 60, &files[1])};
    for (int k = 0; k < 2; ++k) {
        for (size_t size = 0; size + 2 < sizes[k]; ++size) { /* without the last byte, which may be padding */
            expect_failure(files[k], size, SN_ERROR_FORMAT);
        }
        WebPFree(files[k]);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* An extended header, and a chunk that does not matter. */
static void expect_unsupported(int flags, int width, int height, const char *message)
{
    bytes file = {0};
    put_text(&file, "RIFF");
    put_int(&file, 22 + 14, 4);
    put_text(&file, "WEBPVP8X");
    put_int(&file, 10, 4);
    put_int(&file, (uint64_t)flags, 4);
    put_int(&file, (uint64_t)width - 1, 3);
    put_int(&file, (uint64_t)height - 1, 3);
    put_text(&file, "ANIM");
    put_int(&file, 6, 4);
    put_int(&file, 0, 6);
    expect_failure(file.data, file.size, SN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(logged.last, message));
}

static void what_moves_or_is_too_large_is_refused(void **state)
{
    (void)state;
    enum { ANIMATED = 2 };
    expect_unsupported(ANIMATED, WIDTH, HEIGHT, "animations are not supported");
    expect_unsupported(ANIMATED, 16385, 1, "16385 x 1 pixels are too many");
    expect_unsupported(ANIMATED, 16384, 16384, "16384 x 16384 pixels are too many");
}

/* By the extension, or, as some write it, without. */
static void textures_of_gltf(void **state)
{
    (void)state;
    static const char *const sources[] = {"'extensions':{'EXT_texture_webp':{'source':0}}", "'source':0"};
    uint8_t pixels[HEIGHT * WIDTH * 4], *file = NULL;
    paint(pixels);
    const size_t size = WebPEncodeLosslessRGBA(pixels, WIDTH, HEIGHT, 4 * WIDTH, &file);
    for (int i = 0; i < 2; ++i) {
        char document[1024];
        bytes binary = {0};
        sn_arena arena = {0};
        sn_scene_file scene;
        put(&binary, file, size);
        snprintf(document, sizeof document,
                 "{'asset':{'version':'2.0'},'extensionsUsed':['EXT_texture_webp'],'buffers':[{'byteLength':%zu}],"
                 "'bufferViews':[{'buffer':0,'byteLength':%zu}],"
                 "'images':[{'bufferView':0,'mimeType':'image/webp'}],'textures':[{%s}],"
                 "'materials':[{'pbrMetallicRoughness':{'baseColorTexture':{'index':0}}}]}",
                 size, size, sources[i]);
        read_document(document, &binary, &arena, &scene);
        assert_int_equal(logged.warnings, 0);
        assert_int_equal(scene.texture_count, 1);
        assert_memory_equal(scene.textures[0].pixels, pixels, sizeof pixels);
        sn_arena_finish(&arena);
    }
    WebPFree(file);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void mutations_do_no_harm(void **state)
{
    (void)state;
    uint8_t pixels[HEIGHT * WIDTH * 4], *file = NULL;
    uint32_t seed = 1;
    paint(pixels);
    const size_t size = WebPEncodeLosslessRGBA(pixels, WIDTH, HEIGHT, 4 * WIDTH, &file);
    for (int i = 0; i < 2000; ++i) {
        seed = 1664525 * seed + 1013904223;
        const size_t at = seed / 16 % size;
        const uint8_t before = file[at];
        const sn_source source = as_source(file, size);
        sn_arena arena = {0};
        sn_image image;
        file[at] ^= (uint8_t)(1U << (seed >> 29));
        begin_log();
        if (sn_webp_read(&source, &arena, &image) != SN_OK) {
            assert_one_error("memory: ");
        }
        sn_arena_finish(&arena);
        file[at] = before;
    }
    WebPFree(file);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_webp(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lossless_is_exact),      cmocka_unit_test(lossy_is_near),
        cmocka_unit_test(what_is_cut_is_refused), cmocka_unit_test(what_moves_or_is_too_large_is_refused),
        cmocka_unit_test(textures_of_gltf),       cmocka_unit_test(mutations_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
