/* SPDX-License-Identifier: MIT */
/* The comparison of golden pictures: what two rasterisers may differ by passes, what a person would call another
 * picture does not. The picture is like those of the player: a ball on a ground, its shadow, a soft background. */
#include "tests/support/image_compare.h"

#include "tests/io/io_test.h"

#define WIDTH 320
#define HEIGHT 180

typedef struct scene {
    double x, y;      /* of the ball's centre, pixels */
    double darkness;  /* of the shadow, 0..1 */
    double ball[3];   /* sRGB */
    double contrast;  /* 1, or more for a ball on black */
    int noise;        /* largest, in steps of 1/255 */
    bool is_smoothed; /* 16 samples a pixel, or one */
} scene;

static const scene reference = {160, 90, 0.45, {0.85, 0.45, 0.3}, 1, 0, true};

/* Colour at a point of the picture. */
static void shade(const scene *s, double x, double y, double color[3])
{
    const double dx = x - s->x, dy = y - s->y, radius = 45;
    const bool is_ground = y > 110;
    double light = is_ground ? 0.62 + 0.1 * (y - 110) / 70 : 0.72 + 0.1 * y / 110;
    const double sx = (x - 190) / 40, sy = (y - 140) / 12;
    light *= is_ground && sx * sx + sy * sy < 1 ? 1 - s->darkness : 1;
    light = s->contrast > 1 ? 0 : light;
    for (int c = 0; c < 3; ++c) {
        color[c] = light;
        if (dx * dx + dy * dy < radius * radius) {
            color[c] = s->contrast > 1 ? 1 : s->ball[c] * (0.75 - 0.25 * (dx + dy) / radius);
        }
    }
}

static uint8_t *draw(const scene *s)
{
    uint8_t *pixels = calloc(WIDTH * HEIGHT, 4);
    uint64_t seed = 9;
    assert_non_null(pixels);
    const int samples = s->is_smoothed ? 4 : 1;
    for (int i = 0; i < WIDTH * HEIGHT; ++i) {
        double sum[3] = {0};
        for (int k = 0; k < samples * samples; ++k) {
            double color[3];
            shade(s, i % WIDTH + (k % samples + 0.5) / samples, i / WIDTH + (k / samples + 0.5) / samples, color);
            for (int c = 0; c < 3; ++c) {
                sum[c] += color[c] / (samples * samples);
            }
        }
        for (int c = 0; c < 3; ++c) {
            const int noise = s->noise ? (int)(next_random(&seed) % (2 * (unsigned)s->noise + 1)) - s->noise : 0;
            const double value = 255 * sum[c] + 0.5 + noise;
            pixels[4 * i + c] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
        pixels[4 * i + 3] = 255;
    }
    return pixels;
}

static void expect(const char *name, const scene *from, uint8_t *pixels, bool is_same)
{
    uint8_t *base = draw(from);
    const image_difference d = image_compare(base, pixels, WIDTH, HEIGHT);
    print_message("%-28s mean %6.3f, 99.5%% %6.2f, worst %6.2f\n", name, d.mean, d.percentile, d.worst);
    free(base);
    free(pixels);
    assert_int_equal(image_is_same(&d, &image_same), is_same);
}

static void test_identical(void **state)
{
    (void)state;
    uint8_t *a = draw(&reference), *b = draw(&reference);
    const image_difference d = image_compare(a, b, WIDTH, HEIGHT);
    assert_true(d.mean == 0 && d.percentile == 0 && d.worst == 0);
    b[3] = 0; /* alpha */
    assert_true(image_compare(a, b, WIDTH, HEIGHT).worst == 0);
    free(a);
    free(b);
}

static void test_small_differences_pass(void **state)
{
    (void)state;
    scene s = reference;
    s.noise = 2;
    expect("noise of 2/255", &reference, draw(&s), true);
    s = reference;
    s.x += 0.5;
    expect("half a pixel", &reference, draw(&s), true);
    s = reference;
    s.is_smoothed = false;
    expect("one sample a pixel", &reference, draw(&s), true);
    scene sharp = reference;
    sharp.contrast = 2;
    s = sharp;
    s.x += 0.35;
    s.y += 0.35;
    expect("half a pixel, black to white", &sharp, draw(&s), true);
}

static void test_changes_fail(void **state)
{
    (void)state;
    scene s = reference;
    s.darkness = 0; /* 2 to 3% of the picture */
    expect("no shadow", &reference, draw(&s), false);
    s = reference;
    s.darkness = 0.3;
    expect("a paler shadow", &reference, draw(&s), false);
    s = reference;
    s.x += 3;
    expect("3 pixels", &reference, draw(&s), false);
    s = reference;
    s.ball[0] += 0.06;
    expect("another colour", &reference, draw(&s), false);
}

static void test_swapped_channels_fail(void **state)
{
    (void)state;
    uint8_t *pixels = draw(&reference);
    for (int i = 0; i < WIDTH * HEIGHT; ++i) {
        const uint8_t red = pixels[4 * i];
        pixels[4 * i] = pixels[4 * i + 2];
        pixels[4 * i + 2] = red;
    }
    expect("red and blue swapped", &reference, pixels, false);
}

static void test_flipped_fails(void **state)
{
    (void)state;
    uint8_t *pixels = draw(&reference), row[4 * WIDTH];
    for (size_t y = 0; y < HEIGHT / 2; ++y) {
        uint8_t *top = pixels + sizeof row * y, *bottom = pixels + sizeof row * (HEIGHT - 1 - y);
        memcpy(row, top, sizeof row);
        memcpy(top, bottom, sizeof row);
        memcpy(bottom, row, sizeof row);
    }
    expect("upside down", &reference, pixels, false);
}

static void test_brighter_fails(void **state)
{
    (void)state;
    uint8_t *pixels = draw(&reference);
    for (int i = 0; i < 4 * WIDTH * HEIGHT; ++i) {
        pixels[i] = (uint8_t)(pixels[i] > 250 ? 255 : pixels[i] + 5);
    }
    expect("brighter by 5/255", &reference, pixels, false);
}

int test_image_compare(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identical),     cmocka_unit_test(test_small_differences_pass),
        cmocka_unit_test(test_changes_fail),  cmocka_unit_test(test_swapped_channels_fail),
        cmocka_unit_test(test_flipped_fails), cmocka_unit_test(test_brighter_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
