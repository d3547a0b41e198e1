/* SPDX-License-Identifier: MIT */
/* Marks over a picture: where they are, how large, what hides them. Pictures are unlit, so that colours are exact. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "host/math/srgb.h"
#include "runtime/edit/text.h"
#include "tests/support/render_fixture.h"

#define WIDTH 320
#define HEIGHT 180
#define RED SN_MARKER_COLOR(255, 0, 0, 255)
#define WHITE SN_MARKER_COLOR(255, 255, 255, 255)

/* The plain scene on black: 1 m is 90 pixels at the origin. */
static sn_render_scene black_scene(const fixture *f, const sn_render_marker *markers, int marker_count)
{
    sn_render_scene scene = make_plain_scene(f);
    memset(scene.background, 0, sizeof scene.background);
    scene.overlay =
        (sn_render_overlay){.markers = markers, .marker_count = marker_count, .scale = 1, .hidden_alpha = 0.3F};
    return scene;
}

static double light(uint8_t value)
{
    return sn_srgb_to_linear(value / 255.0);
}

/* What is lit, in whole pixels of one colour, and its middle. */
typedef struct area {
    double size, x, y, least_x, most_x;
} area;

static area area_of(const uint8_t *pixels, int channel)
{
    area a = {.least_x = WIDTH};
    for (int y = 0; y < HEIGHT; ++y) {
        for (int x = 0; x < WIDTH; ++x) {
            const double value = light(pixels[4 * (y * WIDTH + x) + channel]);
            a.size += value;
            a.x += value * (x + 0.5);
            a.y += value * (y + 0.5);
            a.least_x = value > 0.01 ? fmin(a.least_x, x) : a.least_x;
            a.most_x = value > 0.01 ? fmax(a.most_x, x) : a.most_x;
        }
    }
    a.x /= fmax(a.size, 1e-9);
    a.y /= fmax(a.size, 1e-9);
    return a;
}

/* A disc has its area and its place to a fraction of a pixel, from near and from far, wherever it lies between pixels.
 */
static void a_disc_keeps_its_size(void **state)
{
    (void)state;
    fixture f = open_fixture(WIDTH, HEIGHT);
    const double pi = 3.14159265358979;
    for (int i = 0; i < 6; ++i) {
        const float radius = 4.0F + (float)i, z = (float)(i % 3) * 2.5F, x = 0.05F * (float)i;
        const sn_render_marker mark = {
            .from = {x, 0.31F, z}, .size = radius, .offset = {3, -2}, .shape = SN_MARKER_DISC, .fill = RED};
        const sn_render_scene scene = black_scene(&f, &mark, 1);
        const area a = area_of(draw(&f, &scene, "disc"), 0);
        const double pixels_a_metre = 90 * 10 / (10 - (double)z);
        print_message("radius %g: area %.2f of %.2f\n", (double)radius, a.size, pi * (double)(radius * radius));
        assert_true(fabs(a.size / (pi * (double)(radius * radius)) - 1) < 0.03);
        assert_true(fabs(a.x - (160 + (double)x * pixels_a_metre + 3)) < 0.1);
        assert_true(fabs(a.y - (90 - 0.31 * pixels_a_metre - 2)) < 0.1);
    }
    close_fixture(&f);
}

static void a_line_ends_where_it_should(void **state)
{
    (void)state;
    fixture f = open_fixture(WIDTH, HEIGHT);
    const sn_render_marker lines[] = {
        {.from = {-1, 0.2F, 0}, .to = {1, 0.5F, 0}, .size = 1, .shape = SN_MARKER_LINE, .fill = RED},
        /* from behind the camera, which looks along -z from z = 10, to the middle */
        {.from = {0, 0.5F, 20}, .to = {0, 0, 0}, .size = 1, .shape = SN_MARKER_LINE, .fill = RED},
        {.from = {0, 0.5F, 20}, .to = {0, 0, 11}, .size = 1, .shape = SN_MARKER_LINE, .fill = RED},
        {.from = {-1, 0.2F, 0}, .to = {1, 0.5F, 0}, .size = 1, .shape = SN_MARKER_DASHES, .fill = RED},
    };
    area areas[4];
    for (int i = 0; i < 4; ++i) {
        const sn_render_scene scene = black_scene(&f, &lines[i], 1);
        areas[i] = area_of(draw(&f, &scene, "line"), 0);
    }
    const double length = sqrt(180.0 * 180 + 27.0 * 27);
    assert_true(fabs(areas[0].size - 2 * length) < 0.03 * 2 * length);
    assert_true(areas[0].least_x >= 68 && areas[0].least_x <= 69 && areas[0].most_x >= 250 && areas[0].most_x <= 251);
    assert_true(fabs(areas[0].y - (90 - 0.35 * 90)) < 0.2);
    assert_true(areas[1].size > 100 && fabs(areas[1].x - 160) < 0.1); /* up and out of the picture */
    assert_true(areas[2].size == 0);
    assert_true(fabs(areas[3].size / areas[0].size - 0.5) < 0.05); /* dashes are half of it */
    close_fixture(&f);
}

/* A white sphere of radius 1 at the origin; marks before, in, and behind it. */
static void bodies_fade_what_they_hide(void **state)
{
    (void)state;
    fixture f = open_fixture(WIDTH, HEIGHT);
    add(&f, SN_TEST_SPHERE, unlit(0, 1, 0), 0.5F, 0, 0, 0, 0);
    static const struct {
        float z, visible_depth;
        bool is_seen;
    } cases[] = {{0.6F, 0, true}, {0, 0, false}, {-1, 0, false}, {0, 0.4F, false}, {0, 0.6F, true}, {-1, 1.6F, true}};
    for (int i = 0; i < 6; ++i) {
        const sn_render_marker mark = {.from = {0, 0, cases[i].z},
                                       .visible_depth = cases[i].visible_depth,
                                       .size = 8,
                                       .shape = SN_MARKER_DISC,
                                       .fill = RED};
        const sn_render_scene scene = black_scene(&f, &mark, 1);
        const uint8_t *middle = pixel_at(&f, draw(&f, &scene, "hidden"), 0.5, 0.5);
        assert_int_equal(middle[0], cases[i].is_seen ? 255 : sRGB_of(0.3F));
        assert_int_equal(middle[1], cases[i].is_seen ? 0 : sRGB_of(0.7F));
    }
    close_fixture(&f);
}

/* Every shape is within its size and not empty, in the colours that it was given. */
static void every_shape_is_drawn(void **state)
{
    (void)state;
    fixture f = open_fixture(WIDTH, HEIGHT);
    for (uint32_t shape = 0; shape < SN_MARKER_PANEL; ++shape) {
        const sn_render_marker mark = {.from = {0, 0, 0},
                                       .to = {0.5F, 0, 0},
                                       .size = 10,
                                       .shape = shape,
                                       .fill = RED,
                                       .edge = SN_MARKER_COLOR(0, 0, 255, 255)};
        const sn_render_scene scene = black_scene(&f, &mark, 1);
        const uint8_t *pixels = draw(&f, &scene, "shape");
        const area red = area_of(pixels, 0), green = area_of(pixels, 1), blue = area_of(pixels, 2);
        const double right = shape <= SN_MARKER_DASHES ? 45 + 12 : shape == SN_MARKER_BONE ? 45 + 2 : 12;
        assert_true(red.size > 100 && blue.size > 30 && green.size == 0);
        assert_true(red.least_x >= 160 - 12 && red.most_x <= 160 + right);
    }
    close_fixture(&f);
}

/* Where it is on the screen, whatever the camera sees: from the upper left corner, or from the lower left one. */
static void text_is_on_the_screen(void **state)
{
    (void)state;
    fixture f = open_fixture(WIDTH, HEIGHT);
    add(&f, SN_TEST_SPHERE, unlit(0, 1, 0), 0.5F, 0, 0, 0, 0);
    for (int i = 0; i < 4; ++i) {
        const bool is_from_below = i % 2, is_panel = i / 2;
        const sn_render_marker mark = {.from = {20, is_from_below ? -30 : 30, is_from_below},
                                       .to = {60, is_from_below ? -30 : 30, 0},
                                       .size = 4,
                                       .shape = (is_panel ? SN_MARKER_PANEL : SN_MARKER_LINE) | SN_MARKER_ON_SCREEN,
                                       .fill = RED};
        const sn_render_scene scene = black_scene(&f, &mark, 1);
        const area red = area_of(draw(&f, &scene, "on screen"), 0);
        const double ends = is_panel ? 0 : 4;
        assert_true(fabs(red.y - (is_from_below ? HEIGHT - 30 : 30)) < 0.6 && fabs(red.x - 40) < 0.6);
        assert_true(fabs(red.least_x - (20 - ends)) <= 1 && fabs(red.most_x - (60 + ends)) <= 1);
    }
    close_fixture(&f);
}

/* Every character that a keyboard types has strokes, within its cell, and no two look alike. */
static void letters_are_told_apart(void **state)
{
    (void)state;
    static sn_render_marker markers[128][64];
    int counts[128] = {0};
    for (int c = '!'; c <= '~'; ++c) {
        sn_marker_list list = {.markers = markers[c], .limit = 64};
        sn_marker_add_text(&list, (const char[]){(char)c, 0}, (sn_text_position){10, 20, false}, RED);
        counts[c] = list.count;
        assert_true(list.count > 0 && list.count < 64);
        for (int i = 0; i < list.count; ++i) {
            const sn_render_marker *m = &markers[c][i];
            assert_true(m->from[0] >= 10 && m->to[0] <= 10 + sn_text_width("x") && m->from[1] >= 20);
            assert_true(m->to[1] < 20 + SN_TEXT_HEIGHT);
        }
        for (int other = '!'; other < c; ++other) {
            assert_true(counts[other] != counts[c] ||
                        memcmp(markers[other], markers[c], (size_t)counts[c] * sizeof markers[c][0]) != 0);
        }
    }
    sn_marker_list list = {.markers = markers[0], .limit = 64};
    sn_marker_add_text(&list, " ", (sn_text_position){0, 0, false}, RED);
    assert_int_equal(list.count, 0);
    sn_marker_add_text(&list, "\xc3", (sn_text_position){0, 0, false}, RED);
    assert_int_equal(list.count, 4);
}

/* No marks: nothing changes. Many: a frame makes room. */
static void any_number_of_marks(void **state)
{
    (void)state;
    fixture f = open_fixture(WIDTH, HEIGHT);
    const size_t size = (size_t)4 * WIDTH * HEIGHT;
    const int counts[] = {0, 1, 5000, 3, 0};
    sn_render_marker *markers = SN_NEW(&f.arena, sn_render_marker, 5000);
    uint8_t *empty = SN_NEW(&f.arena, uint8_t, size);
    assert_true(markers && empty);
    add(&f, SN_TEST_SPHERE, unlit(0, 1, 0), 0.5F, 0, 0, 0, 0);
    for (int i = 0; i < 5000; ++i) {
        markers[i] =
            (sn_render_marker){.from = {0, 0.01F * (float)i, 1}, .size = 3, .shape = SN_MARKER_SQUARE, .fill = WHITE};
    }
    for (int i = 0; i < 5; ++i) {
        const sn_render_scene scene = black_scene(&f, markers, counts[i]);
        const uint8_t *pixels = draw(&f, &scene, "marks");
        if (i == 0) {
            memcpy(empty, pixels, size);
        }
        assert_int_equal(memcmp(empty, pixels, size) == 0, counts[i] == 0);
    }
    close_fixture(&f);
}

int test_overlay(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disc_keeps_its_size),      cmocka_unit_test(a_line_ends_where_it_should),
        cmocka_unit_test(bodies_fade_what_they_hide), cmocka_unit_test(every_shape_is_drawn),
        cmocka_unit_test(text_is_on_the_screen),      cmocka_unit_test(letters_are_told_apart),
        cmocka_unit_test(any_number_of_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
