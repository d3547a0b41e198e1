/* SPDX-License-Identifier: MIT */
/* What must be true of any picture of the renderer, validation on. With SN_TEST_PICTURES=folder the material sheet is
 * drawn at 1280 x 720 as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/render_fixture.h"

static void draws_a_material_sheet(void **state)
{
    (void)state;
    const bool is_shown = getenv("SN_TEST_PICTURES") != NULL;
    for (int pass = 0; pass < (is_shown ? 2 : 1); ++pass) {
        fixture f = open_fixture(pass ? 1280 : 320, pass ? 720 : 180);
        add_sheet(&f);
        const sn_render_scene scene = make_scene(&f);
        const uint8_t *pixels = draw(&f, &scene, pass ? "sheet" : "sheet_small");
        const uint8_t *corner = pixel_at(&f, pixels, 0, 0);
        for (int d = 0; d < 3; ++d) {
            assert_true(abs(corner[d] - sRGB_of(scene.background[d])) <= 10);
        }
        for (int i = 0; pass && i < 4; ++i) {
            draw(&f, &scene, "sheet");
            print_message("%.1f ms\n", sn_renderer_frame_ms(f.renderer));
        }
        close_fixture(&f);
    }
}

static void unlit_is_shown_as_authored(void **state)
{
    (void)state;
    fixture f = open_fixture(320, 180);
    add(&f, SN_TEST_SPHERE, unlit(1, 1, 1), 0.5F, 0, -0.8F, 0, 0);
    add(&f, SN_TEST_SPHERE, unlit(0.2140F, 0.2140F, 0.2140F), 0.5F, 0, 0.8F, 0, 0);
    const sn_render_scene scene = make_plain_scene(&f);
    const uint8_t *pixels = draw(&f, &scene, "unlit");
    const uint8_t *white = pixel_at(&f, pixels, 0.5 - 0.4 * 9 / 16, 0.5);
    const uint8_t *grey = pixel_at(&f, pixels, 0.5 + 0.4 * 9 / 16, 0.5);
    for (int d = 0; d < 3; ++d) {
        assert_int_equal(white[d], 255);
        assert_in_range(grey[d], 127, 129);
    }
    assert_int_equal(white[3], 255);
    close_fixture(&f);
}

static void mirrored_bodies_give_mirrored_pictures(void **state)
{
    (void)state;
    fixture f = open_fixture(320, 180);
    add(&f, SN_TEST_SPHERE, unlit(1, 0, 0), 0.5F, 0, -0.8F, 0.25F, 0);
    const sn_render_scene left = make_plain_scene(&f);
    uint8_t *kept = malloc((size_t)f.width * (size_t)f.height * 4);
    assert_non_null(kept);
    memcpy(kept, draw(&f, &left, "left"), (size_t)f.width * (size_t)f.height * 4);
    remove_bodies(&f);
    add(&f, SN_TEST_SPHERE, unlit(1, 0, 0), 0.5F, 0, 0.8F, 0.25F, 0);
    const sn_render_scene right = make_plain_scene(&f);
    const uint8_t *pixels = draw(&f, &right, "right");
    assert_true(pixel_at(&f, kept, 0.25, 0.4)[1] == 0 && pixel_at(&f, kept, 0.25, 0.8)[1] > 100); /* up is up */
    int different = 0; /* along the edge: the pattern of the samples is not symmetric */
    for (int y = 0; y < f.height; ++y) {
        for (int x = 0; x < f.width; ++x) {
            different += abs(kept[4 * (y * f.width + x)] - pixels[4 * (y * f.width + f.width - 1 - x)]) > 2;
        }
    }
    assert_true(different < 300);
    free(kept);
    close_fixture(&f);
}

/* The same body with its x negated at rest: winding and handedness turn round with it. */
static const sn_model *mirrored_twin(fixture *f, const sn_model *model)
{
    sn_model *twin = SN_NEW(&f->arena, sn_model, 1);
    const int n = model->counts.surface_vertex_count, triangle_count = model->counts.surface_triangle_count;
    float *positions = SN_NEW(&f->arena, float, 3 * n), *normals = SN_NEW(&f->arena, float, 3 * n);
    float *tangents = SN_NEW(&f->arena, float, 4 * n);
    int32_t *triangles = SN_NEW(&f->arena, int32_t, 3 * triangle_count);
    assert_true(twin && positions && normals && tangents && triangles);
    for (int i = 0; i < 4 * n; ++i) {
        tangents[i] = model->surface_tangents[i] * (i % 4 == 0 || i % 4 == 3 ? -1.0F : 1.0F);
    }
    for (int i = 0; i < 3 * n; ++i) {
        positions[i] = model->surface_positions[i] * (i % 3 == 0 ? -1.0F : 1.0F);
        normals[i] = model->surface_normals[i] * (i % 3 == 0 ? -1.0F : 1.0F);
    }
    for (int i = 0; i < 3 * triangle_count; ++i) {
        triangles[i] = model->surface_triangles[i - i % 3 + 2 - i % 3];
    }
    *twin = *model;
    twin->surface_positions = positions;
    twin->surface_normals = normals;
    twin->surface_tangents = tangents;
    twin->surface_triangles = triangles;
    return twin;
}

/* Bones that mirror a body draw what its mirrored twin draws: from outside, bumps as bumps, one-sided or not. */
static void bones_may_mirror(void **state)
{
    (void)state;
    fixture f = open_fixture(160, 90);
    const size_t size = (size_t)f.width * (size_t)f.height * 4;
    uint8_t *expected = malloc(size);
    assert_non_null(expected);
    for (int i = 0; i < 6; ++i) {
        sn_material bumps = sn_test_material(0.62F, 0.2F, 0.15F);
        bumps.textures[SN_TEXTURE_NORMAL] = SN_TEST_BUMPS;
        bumps.roughness = 0.35F;
        bumps.is_double_sided = i % 2;
        bumps.alpha_mode = i / 2;
        bumps.base_color[3] = 0.9F;
        const sn_model *model =
            sn_test_render_model(&f.arena, i < 4 ? SN_TEST_TORUS : SN_TEST_SPHERE, 64, 32, 3, 1, bumps);
        add_model(&f, mirrored_twin(&f, model), 0.8F, 0, 0.3F, 0, 0);
        sn_render_scene scene = make_plain_scene(&f);
        memcpy(expected, draw(&f, &scene, "twin"), size);
        remove_bodies(&f);
        add_model(&f, model, 0.8F, 0, 0.3F, 0, 0);
        for (int b = 0; b < 3; ++b) {
            ((float *)f.bodies[0].transforms)[12 * b] *= -1;
        }
        scene = make_plain_scene(&f);
        const uint8_t *pixels = draw(&f, &scene, "mirrored");
        int different = 0;
        for (size_t p = 0; p < size; ++p) {
            different += abs(expected[p] - pixels[p]) > 2;
        }
        print_message("%d of %zu differ\n", different, size);
        assert_true(different <= 8);
        remove_bodies(&f);
    }
    free(expected);
    close_fixture(&f);
}

static void ground_is_darker_in_shadow(void **state)
{
    (void)state;
    fixture f = open_fixture(320, 180);
    add(&f, SN_TEST_SPHERE, sn_test_material(0.7F, 0.7F, 0.7F), 0.5F, 0, 0, 1.2F, 0);
    sn_render_scene scene = make_scene(&f);
    scene.light_direction[0] = 1;
    scene.light_direction[1] = -1;
    scene.light_direction[2] = 0;
    scene.bounds_radius = 1.6F;
    const uint8_t *pixels = draw(&f, &scene, "ground");
    /* the shadow falls to the right; what is below the body is lit, but for what the body takes of the sky */
    const uint8_t *shadow = pixel_at(&f, pixels, 0.71, 0.72), *lit = pixel_at(&f, pixels, 0.29, 0.72);
    print_message("shadow %d lit %d\n", shadow[1], lit[1]);
    assert_true(shadow[1] + 25 < lit[1]);
    scene.light_size = 0;
    pixels = draw(&f, &scene, "ground_hard");
    shadow = pixel_at(&f, pixels, 0.71, 0.72);
    assert_true(shadow[1] + 25 < lit[1]);
    close_fixture(&f);
}

/* Neither acne nor a ragged terminator, even on a coarse mesh: shadows change nothing on a sphere alone. */
static void a_convex_body_does_not_shadow_itself(void **state)
{
    (void)state;
    fixture f = open_fixture(320, 320);
    const sn_material clay = sn_test_material(0.7F, 0.7F, 0.7F);
    add_model(&f, sn_test_render_model(&f.arena, SN_TEST_SPHERE, 24, 12, 1, 0, clay), 0.8F, 0, 0, 0, 0);
    const size_t size = (size_t)f.width * (size_t)f.height * 4;
    uint8_t *unshadowed = malloc(size);
    assert_non_null(unshadowed);
    for (int i = 0; i < 3; ++i) {
        sn_render_scene scene = make_plain_scene(&f);
        scene.bounds_radius = 0.9F;
        scene.light_size = (const float[]){0.01F, 0.1F, 0.3F}[i];
        scene.light_direction[0] = (const float[]){1, 0.5F, -2}[i];
        scene.bounds_center[0] = 100; /* where nothing casts a shadow on the body */
        memcpy(unshadowed, draw(&f, &scene, "unshadowed"), size);
        scene.bounds_center[0] = 0;
        const uint8_t *pixels = draw(&f, &scene, "convex");
        int worst = 0;
        for (size_t p = 0; p < size; ++p) {
            worst = abs(pixels[p] - unshadowed[p]) > worst ? abs(pixels[p] - unshadowed[p]) : worst;
        }
        print_message("light %g: %d\n", (double)scene.light_size, worst);
        assert_true(worst <= 6);
    }
    free(unshadowed);
    close_fixture(&f);
}

static void holes_of_a_mask_show_what_is_behind(void **state)
{
    (void)state;
    fixture f = open_fixture(320, 180);
    sn_material material = mask();
    add(&f, SN_TEST_SHEET, material, 0.8F, 0, 0, 0, 0);
    const sn_render_scene scene = make_plain_scene(&f);
    /* the sheet has 2 x 2 holes; it spans 0.1 to 0.9 of the height */
    const uint8_t *pixels = draw(&f, &scene, "mask");
    const uint8_t *hole = pixel_at(&f, pixels, 0.5 - 0.2 * 9 / 16, 0.3), *rib = pixel_at(&f, pixels, 0.5, 0.5);
    assert_true(abs(hole[0] - sRGB_of(scene.background[0])) < 16 && abs(hole[2] - sRGB_of(scene.background[2])) < 16);
    assert_true(rib[0] > rib[2] + 50);
    close_fixture(&f);
}

static void blends_over_what_is_behind(void **state)
{
    (void)state;
    fixture f = open_fixture(320, 180);
    sn_material red = unlit(1, 0, 0), green = unlit(0, 1, 0);
    red.alpha_mode = green.alpha_mode = SN_ALPHA_BLEND;
    red.base_color[3] = green.base_color[3] = 0.5F;
    add(&f, SN_TEST_SPHERE, green, 0.5F, 0, 0, 0, 2); /* given first, in front */
    add(&f, SN_TEST_SPHERE, red, 0.5F, 0, 0, 0, 0);
    add(&f, SN_TEST_SPHERE, unlit(1, 1, 1), 0.5F, 0, 0, 0, -2);
    const sn_render_scene scene = make_plain_scene(&f);
    const uint8_t *middle = pixel_at(&f, draw(&f, &scene, "blend"), 0.5, 0.5);
    /* white, half red, half green: 0.5 (1, 1, 1) + 0.5 (1, 0, 0) = (1, .5, .5), then (.5, .75, .25) */
    const float expected[3] = {0.5F, 0.75F, 0.25F};
    for (int d = 0; d < 3; ++d) {
        assert_true(abs(middle[d] - sRGB_of(expected[d])) <= 2);
    }
    close_fixture(&f);
}

/* Without a studio there is no ground. A plain background has exactly its colour; a transparent one has none, and what
 * is half transparent there keeps its premultiplied colour and its alpha. */
static void draws_no_studio(void **state)
{
    (void)state;
    fixture f = open_fixture(320, 180);
    sn_material glass = unlit(1, 1, 1);
    glass.alpha_mode = SN_ALPHA_BLEND;
    glass.base_color[3] = 0.5F;
    add(&f, SN_TEST_SHEET, glass, 0.5F, 0, 0.5F, 0, 0);
    add(&f, SN_TEST_SPHERE, unlit(1, 0, 0), 0.5F, 0, -0.8F, 0, 0);
    sn_render_scene scene = make_plain_scene(&f);
    scene.has_ground = true;
    sn_render_set_backdrop(&scene, SN_BACKDROP_PLAIN, (const float[]){0, 1, 0.2140F});
    const uint8_t *pixels = draw(&f, &scene, "plain");
    static const double corners[][2] = {{0.01, 0.01}, {0.99, 0.99}, {0.5, 0.9}};
    for (int i = 0; i < 3; ++i) {
        const uint8_t *at = pixel_at(&f, pixels, corners[i][0], corners[i][1]);
        assert_true(at[0] == 0 && at[1] == 255 && at[2] >= 127 && at[2] <= 129 && at[3] == 255);
    }
    sn_render_set_backdrop(&scene, SN_BACKDROP_NONE, NULL);
    pixels = draw(&f, &scene, "transparent");
    for (int i = 0; i < 3; ++i) {
        const uint8_t *at = pixel_at(&f, pixels, corners[i][0], corners[i][1]);
        assert_true(at[0] == 0 && at[1] == 0 && at[2] == 0 && at[3] == 0);
    }
    const uint8_t *solid = pixel_at(&f, pixels, 0.5 - 0.4 * 9 / 16, 0.5);
    const uint8_t *thin = pixel_at(&f, pixels, 0.5 + 0.25 * 9 / 16, 0.5);
    assert_true(solid[0] == 255 && solid[1] == 0 && solid[2] == 0 && solid[3] == 255);
    assert_in_range(thin[3], 127, 128);
    assert_in_range(thin[0], sRGB_of(0.5F) - 1, sRGB_of(0.5F) + 1);
    close_fixture(&f);
}

/* Two sheets that cross: what is opaque of a blended material hides what is behind it, on both sides. */
static void opaque_blends_hide_each_other(void **state)
{
    (void)state;
    fixture f = open_fixture(320, 180);
    sn_material red = unlit(1, 0, 0), green = unlit(0, 1, 0);
    red.alpha_mode = green.alpha_mode = SN_ALPHA_BLEND;
    red.is_double_sided = green.is_double_sided = 1;
    add(&f, SN_TEST_SHEET, red, 0.5F, 0.7F, 0, 0, 0);
    add(&f, SN_TEST_SHEET, green, 0.5F, -0.7F, 0, 0, 0);
    const sn_render_scene scene = make_plain_scene(&f);
    const uint8_t *pixels = draw(&f, &scene, "blend-crossed");
    const uint8_t *left = pixel_at(&f, pixels, 0.42, 0.5), *right = pixel_at(&f, pixels, 0.58, 0.5);
    assert_true((left[0] == 255 && left[1] == 0) || (left[0] == 0 && left[1] == 255));
    assert_true(left[0] == right[1] && left[1] == right[0]);
    close_fixture(&f);
}

/* A toon material on the first material of a model. */
static const sn_model *toon_model(fixture *f, sn_test_shape shape, sn_material material, const sn_toon_material *toon)
{
    sn_model *model = sn_test_render_model(&f->arena, shape, 64, 32, 3, 1, material);
    sn_toon_material *toons = SN_NEW(&f->arena, sn_toon_material, model->counts.material_count);
    assert_non_null(toons);
    toons[0] = *toon;
    model->toons = toons;
    model->toon_count = model->counts.material_count;
    return model;
}

static sn_toon_material toon(float r, float g, float b)
{
    sn_toon_material toon = {.is_toon = 1,
                             .shade_color = {r, g, b},
                             .shading_toony = 0.95F,
                             .rim_fresnel_power = 5,
                             .rim_lighting_mix = 1,
                             .render_order = 3000};
    for (int i = 0; i < SN_TOON_TEXTURE_USE_COUNT; ++i) {
        toon.textures[i] = -1;
    }
    return toon;
}

static void assert_color(const uint8_t *pixel, float r, float g, float b)
{
    const float expected[3] = {r, g, b};
    for (int d = 0; d < 3; ++d) {
        assert_in_range(pixel[d] + 3, sRGB_of(expected[d]), sRGB_of(expected[d]) + 6);
    }
}

/* Light from the left: the lit side has the base colour, the other the shade colour, and vertex colours do not count.
 */
static void toon_has_two_tones(void **state)
{
    (void)state;
    fixture f = open_fixture(320, 180);
    const sn_toon_material two_tones = toon(0.2F, 0, 0.3F);
    sn_model *model = (sn_model *)toon_model(&f, SN_TEST_SPHERE, unlit(1, 0.5F, 0.25F), &two_tones);
    uint16_t *colors = SN_NEW(&f.arena, uint16_t, 4 * (size_t)model->counts.surface_vertex_count);
    assert_non_null(colors);
    model->surface_colors = colors; /* all black */
    add_model(&f, model, 0.8F, 0, 0, 0, 0);
    sn_render_scene scene = make_plain_scene(&f);
    memcpy(scene.light_direction, (const float[3]){1, 0, -0.2F}, sizeof scene.light_direction);
    const uint8_t *pixels = draw(&f, &scene, "toon");
    assert_color(pixel_at(&f, pixels, 0.42, 0.5), 1, 0.5F, 0.25F);
    assert_color(pixel_at(&f, pixels, 0.66, 0.5), 0.2F, 0, 0.3F);
    close_fixture(&f);
}

static int count_color(const fixture *f, const uint8_t *pixels, int r, int g, int b)
{
    int count = 0;
    for (int i = 0; i < f->width * f->height; ++i) {
        const uint8_t *p = pixels + 4 * i;
        count += abs(p[0] - r) < 4 && abs(p[1] - g) < 4 && abs(p[2] - b) < 4;
    }
    return count;
}

/* A ring of the outline's colour around the sphere: in model units it grows with the body, on the screen it does not.
 */
static void toon_has_outlines(void **state)
{
    (void)state;
    int areas[2][2];
    for (int mode = 0; mode < 2; ++mode) {
        for (int size = 0; size < 2; ++size) {
            fixture f = open_fixture(640, 360);
            sn_toon_material outlined = toon(1, 1, 1);
            outlined.outline = mode == 0 ? SN_OUTLINE_WORLD : SN_OUTLINE_SCREEN;
            outlined.outline_width = mode == 0 ? 0.04F : 0.02F;
            outlined.outline_color[2] = 1;
            add_model(&f, toon_model(&f, SN_TEST_SPHERE, unlit(1, 1, 1), &outlined), size == 0 ? 0.35F : 0.7F, 0, 0, 0,
                      0);
            const sn_render_scene scene = make_plain_scene(&f);
            areas[mode][size] = count_color(&f, draw(&f, &scene, "toon-outline"), 0, 0, 255);
            close_fixture(&f);
        }
    }
    /* rings of radius r and width 0.04 m (in world units, as the transform scales positions alone) or 0.02 of 360
     * pixels */
    const double pi = 3.14159265358979;
    for (int size = 0; size < 2; ++size) {
        const double radius = (size == 0 ? 0.35 : 0.7) * 180;
        assert_true(fabs(areas[1][size] / (2 * pi * radius * 7.2) - 1) < 0.2);
        assert_true(fabs(areas[0][size] / (2 * pi * radius * 7.2) - 1) < 0.2);
    }
}

/* Emission and a rim light are added; a texture scrolls with time. */
static void toon_glows_and_moves(void **state)
{
    (void)state;
    fixture f = open_fixture(320, 180);
    sn_toon_material glowing = toon(0, 0, 0), moving = toon(1, 1, 1);
    sn_material dark = unlit(0, 0, 0), checker = unlit(1, 1, 1);
    dark.emissive[1] = 0.5F;
    glowing.rim_color[0] = 1;
    glowing.rim_fresnel_power = 0; /* everywhere */
    checker.textures[SN_TEXTURE_BASE_COLOR] = moving.textures[SN_TOON_TEXTURE_SHADE] = SN_TEST_CHECKER;
    moving.uv_scroll[0] = 0.25F; /* the checker has four columns */
    add_model(&f, toon_model(&f, SN_TEST_SPHERE, dark, &glowing), 0.4F, 0, -0.9F, 0, 0);
    add_model(&f, toon_model(&f, SN_TEST_SHEET, checker, &moving), 0.4F, 0, 0.9F, 0, 0);
    sn_render_scene scene = make_plain_scene(&f);
    uint8_t before[3];
    const uint8_t *pixels = draw(&f, &scene, "toon-moving");
    assert_color(pixel_at(&f, pixels, 0.5 - 0.45 * 9 / 16, 0.5), 1, 0.5F, 0);
    memcpy(before, pixel_at(&f, pixels, 0.5 + 0.48 * 9 / 16, 0.52), 3);
    scene.seconds = 2;
    assert_true(abs(pixel_at(&f, draw(&f, &scene, "toon-moving"), 0.5 + 0.48 * 9 / 16, 0.52)[0] - before[0]) < 4);
    scene.seconds = 1;
    assert_true(abs(pixel_at(&f, draw(&f, &scene, "toon-moving"), 0.5 + 0.48 * 9 / 16, 0.52)[0] - before[0]) > 60);
    close_fixture(&f);
}

static void a_frame_read_late_is_the_same_frame(void **state)
{
    (void)state;
    fixture f = open_fixture(160, 90);
    add(&f, SN_TEST_TORUS, sn_test_material(0.8F, 0.5F, 0.2F), 0.7F, 0, 0, 0.3F, 0);
    enum { FRAME_COUNT = 5 };
    const size_t size = (size_t)f.width * (size_t)f.height * 4;
    uint8_t *alone = malloc(FRAME_COUNT * size);
    assert_non_null(alone);
    sn_render_scene scenes[FRAME_COUNT];
    float *poses[FRAME_COUNT];
    sn_render_body bodies[FRAME_COUNT];
    for (int i = 0; i < FRAME_COUNT; ++i) {
        poses[i] = SN_NEW(&f.arena, float, 4 * 12);
        memcpy(poses[i], f.bodies[0].transforms, 4 * 12 * sizeof(float));
        for (int b = 0; b < 3; ++b) {
            poses[i][12 * b + 3] += 0.2F * (float)i;
        }
        bodies[i] = (sn_render_body){.model = f.models[0], .transforms = poses[i]};
        scenes[i] = make_scene(&f);
        scenes[i].bodies = &bodies[i];
        memcpy(alone + (size_t)i * size, draw(&f, &scenes[i], "late"), size);
    }
    assert_memory_not_equal(alone, alone + size, size);
    assert_int_equal(sn_renderer_draw(f.renderer, &scenes[0]), SN_OK);
    for (int i = 0; i < FRAME_COUNT; ++i) {
        const uint8_t *pixels;
        if (i + 1 < FRAME_COUNT) {
            assert_int_equal(sn_renderer_draw(f.renderer, &scenes[i + 1]), SN_OK);
        }
        assert_int_equal(sn_renderer_read(f.renderer, &pixels), SN_OK);
        assert_memory_equal(pixels, alone + (size_t)i * size, size);
    }
    free(alone);
    close_fixture(&f);
}

/* A body at a lower level of detail: modes that are zero are not blended, and the picture is the same. */
static void unused_modes_may_be_left_out(void **state)
{
    (void)state;
    fixture f = open_fixture(160, 90);
    sn_model *model = sn_test_render_model(&f.arena, SN_TEST_TORUS, 32, 16, 3, 5, sn_test_material(0.8F, 0.5F, 0.2F));
    const size_t weight_count = 5 * (size_t)model->counts.surface_vertex_count;
    sn_mode_weight *weights = SN_NEW(&f.arena, sn_mode_weight, weight_count);
    uint8_t *all = malloc(160 * 90 * 4), *rest = malloc(160 * 90 * 4);
    assert_true(weights && all && rest);
    for (size_t i = 0; i < weight_count; ++i) { /* each vertex has its own */
        weights[i] = (sn_mode_weight){.weight = 0.15F * sinf((float)i), .derivatives = {0x2c00, 0xac00}};
    }
    model->surface_modes = weights;
    add_model(&f, model, 0.7F, 0, 0, 0.7F, 0);
    float *transforms = SN_NEW(&f.arena, float, 8 * 12);
    assert_non_null(transforms);
    memcpy(transforms, f.bodies[0].transforms, 3 * 12 * sizeof(float));
    f.bodies[0].transforms = transforms;
    const sn_render_scene scene = make_scene(&f);
    memcpy(rest, draw(&f, &scene, "detail-none"), 160 * 90 * 4);
    transforms[12 * 3 + 3] = transforms[12 * 4 + 7] = 0.9F;
    memcpy(all, draw(&f, &scene, "detail-all"), 160 * 90 * 4);
    assert_memory_not_equal(all, rest, 160 * 90 * 4);
    f.bodies[0].mode_count = 2;
    assert_memory_equal(draw(&f, &scene, "detail-two"), all, 160 * 90 * 4);
    f.bodies[0].mode_count = 1;
    assert_memory_not_equal(draw(&f, &scene, "detail-one"), all, 160 * 90 * 4);
    free(all);
    free(rest);
    close_fixture(&f);
}

/* A target that moves every vertex to the right by a unit. */
static sn_model *add_shift(sn_arena *arena, sn_model *model)
{
    const int n = model->counts.surface_vertex_count;
    int32_t *starts = SN_NEW(arena, int32_t, n + 1);
    sn_morph_delta *deltas = SN_NEW(arena, sn_morph_delta, n);
    SN_ASSERT(starts && deltas);
    for (int v = 0; v < n; ++v) {
        deltas[v] = (sn_morph_delta){.morph = 1, .offset = {1, 0, 0}};
        starts[v + 1] = v + 1;
    }
    model->counts.morph_count = 2;
    model->counts.morph_delta_count = n;
    model->morph_starts = starts;
    model->morph_deltas = deltas;
    return model;
}

/* Each body has weights of its own: it is drawn where its transforms would have taken it, shadow and all. */
static void morph_targets_move_the_picture(void **state)
{
    (void)state;
    fixture f = open_fixture(160, 90);
    const sn_material clay = sn_test_material(0.8F, 0.5F, 0.2F), grass = sn_test_material(0.2F, 0.6F, 0.2F);
    sn_model *plain = sn_test_render_model(&f.arena, SN_TEST_SPHERE, 24, 12, 2, 1, clay);
    const size_t size = (size_t)f.width * (size_t)f.height * 4;
    uint8_t *still = SN_NEW(&f.arena, uint8_t, size), *moved = SN_NEW(&f.arena, uint8_t, size);
    float weights[2][2] = {{5, 0}, {5, 0}}; /* nothing hangs on the first */
    add_model(&f, add_shift(&f.arena, sn_test_render_model(&f.arena, SN_TEST_SPHERE, 24, 12, 2, 1, clay)), 0.4F, 0, -1,
              0.5F, 0);
    add_model(&f, add_shift(&f.arena, sn_test_render_model(&f.arena, SN_TEST_SPHERE, 24, 12, 2, 1, grass)), 0.4F, 0, 1,
              0.5F, 0);
    add_model(&f, plain, 0.4F, 0, 0, 1.2F, -1);
    f.bodies[0].morphs = weights[0];
    f.bodies[1].morphs = weights[1];
    sn_render_scene scene = make_scene(&f);
    memcpy(still, draw(&f, &scene, "morph-still"), size);
    weights[1][1] = 2;
    memcpy(moved, draw(&f, &scene, "morph-moved"), size);
    assert_memory_not_equal(still, moved, size);
    weights[1][1] = 0;
    for (int b = 0; b < 2; ++b) {
        ((float *)(uintptr_t)f.bodies[1].transforms)[12 * b + 3] += 2 * 0.4F;
    }
    const uint8_t *carried = draw(&f, &scene, "morph-carried");
    int different = 0;
    for (size_t i = 0; i < size; ++i) {
        different += abs(carried[i] - moved[i]) > 2;
    }
    assert_true(different < 40); /* rounding at edges */
    close_fixture(&f);
}

static void drawing_allocates_nothing_after_the_first_frame(void **state)
{
    (void)state;
    fixture f = open_fixture(37, 23);
    add_sheet(&f);
    const sn_render_scene scene = make_scene(&f);
    draw(&f, &scene, "ragged");
    draw(&f, &scene, "ragged");
    const size_t before = sn_allocated_bytes();
    for (int i = 0; i < 4; ++i) {
        draw(&f, &scene, "ragged");
        assert_int_equal(sn_allocated_bytes(), before);
    }
    close_fixture(&f);
}

static void draws_one_pixel_and_nothing_at_all(void **state)
{
    (void)state;
    fixture f = open_fixture(1, 1);
    sn_render_scene scene = make_scene(&f);
    const uint8_t *pixels = draw(&f, &scene, "nothing");
    assert_true(abs(pixels[0] - sRGB_of(scene.background[0])) <= 20);
    add(&f, SN_TEST_SPHERE, unlit(1, 1, 1), 5, 0, 0, 0, 0);
    scene = make_scene(&f);
    assert_int_equal(draw(&f, &scene, "pixel")[1], 255);
    close_fixture(&f);
}

static void draws_many_bones_and_modes(void **state)
{
    (void)state;
    fixture f = open_fixture(160, 90);
    const sn_model *model =
        sn_test_render_model(&f.arena, SN_TEST_SPHERE, 40, 20, 300, 70, unlit(0.2140F, 1.0F, 0.2140F));
    add_model(&f, model, 0.25F, 0, 0, 0, 0);
    /* modes carry weight: 70 of them move the body by 0.6 m */
    float *modes = (float *)f.bodies[0].transforms + 12 * 300;
    for (int m = 0; m < 70; ++m) {
        modes[12 * m + 3] = 0.6F / 70;
    }
    const sn_render_scene scene = make_plain_scene(&f);
    const uint8_t *pixels = draw(&f, &scene, "many");
    assert_int_equal(pixel_at(&f, pixels, 0.5 + 0.3 * 9 / 16, 0.5)[1], 255);
    assert_true(pixel_at(&f, pixels, 0.5 - 0.1 * 9 / 16, 0.5)[1] < 255);
    close_fixture(&f);
}

static void refuses_sizes_with_one_line(void **state)
{
    (void)state;
    fixture f = open_fixture(8, 8);
    const size_t before = sn_allocated_bytes();
    const sn_renderer_desc good = sn_default_renderer_desc();
    sn_renderer_desc bad[5] = {good, good, good, good, good};
    static const char *const named[5] = {"width", "height", "shadow_size", "width", "matrix_limit"};
    bad[0].width = 0;
    bad[1].height = 1 << 20;
    bad[2].shadow_size = -5;
    bad[3].width = 16385;
    bad[4].matrix_limit = 0;
    for (int i = 0; i < 5; ++i) {
        sn_renderer *renderer = f.renderer;
        log_line_count = 0;
        assert_int_equal(sn_renderer_create(f.device, &bad[i], &renderer), SN_ERROR_ARGUMENT);
        assert_null(renderer);
        assert_int_equal(log_line_count, 1);
        assert_non_null(strstr(log_line, named[i]));
    }
    assert_int_equal(sn_allocated_bytes(), before);
    log_line_count = 0;
    close_fixture(&f);
}

static int allocations_left;

static void *alloc_some(size_t bytes, size_t alignment, void *user)
{
    (void)user;
    return allocations_left-- > 0 ? aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment) : NULL;
}

static void free_all(void *memory, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    free(memory);
}

/* Creation fails at each of its allocations in turn. */
static void creation_that_fails_leaves_nothing(void **state)
{
    (void)state;
    fixture f = open_fixture(8, 8);
    const sn_renderer_desc desc = {.width = 16, .height = 16, .shadow_size = 16, .matrix_limit = 1};
    const sn_model *model = sn_test_render_model(&f.arena, SN_TEST_SPHERE, 4, 3, 2, 1, mask());
    size_t before = 0;
    sn_result result = SN_ERROR_MEMORY;
    for (int i = 0; i < 2; ++i) { /* the device retains what it grows */
        sn_renderer *renderer = NULL;
        sn_render_model *render_model = NULL;
        assert_int_equal(sn_renderer_create(f.device, &desc, &renderer), SN_OK);
        assert_int_equal(sn_render_model_create(renderer, model, &render_model), SN_OK);
        sn_render_model_destroy(renderer, &render_model);
        sn_renderer_destroy(&renderer);
        assert_true(i == 0 || sn_allocated_bytes() == before);
        before = sn_allocated_bytes();
    }
    sn_set_allocator(alloc_some, free_all, NULL);
    for (int count = 0; result; ++count) {
        sn_renderer *renderer = f.renderer;
        sn_render_model *render_model = NULL;
        log_line_count = 0;
        allocations_left = count;
        result = sn_renderer_create(f.device, &desc, &renderer);
        assert_true((result == SN_OK) == (renderer != NULL));
        result = result ? result : sn_render_model_create(renderer, model, &render_model);
        assert_true((result == SN_OK) == (render_model != NULL));
        assert_true(result == SN_OK || result == SN_ERROR_MEMORY);
        assert_int_equal(log_line_count, result ? 1 : 0);
        if (renderer) {
            sn_render_model_destroy(renderer, &render_model);
        }
        sn_renderer_destroy(&renderer);
        assert_int_equal(sn_allocated_bytes(), before);
    }
    sn_set_allocator(NULL, NULL, NULL);
    log_line_count = 0;
    close_fixture(&f);
}

int test_renderer(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_a_material_sheet),
        cmocka_unit_test(unlit_is_shown_as_authored),
        cmocka_unit_test(mirrored_bodies_give_mirrored_pictures),
        cmocka_unit_test(bones_may_mirror),
        cmocka_unit_test(ground_is_darker_in_shadow),
        cmocka_unit_test(a_convex_body_does_not_shadow_itself),
        cmocka_unit_test(holes_of_a_mask_show_what_is_behind),
        cmocka_unit_test(blends_over_what_is_behind),
        cmocka_unit_test(draws_no_studio),
        cmocka_unit_test(opaque_blends_hide_each_other),
        cmocka_unit_test(toon_has_two_tones),
        cmocka_unit_test(toon_has_outlines),
        cmocka_unit_test(toon_glows_and_moves),
        cmocka_unit_test(a_frame_read_late_is_the_same_frame),
        cmocka_unit_test(morph_targets_move_the_picture),
        cmocka_unit_test(drawing_allocates_nothing_after_the_first_frame),
        cmocka_unit_test(draws_one_pixel_and_nothing_at_all),
        cmocka_unit_test(draws_many_bones_and_modes),
        cmocka_unit_test(unused_modes_may_be_left_out),
        cmocka_unit_test(refuses_sizes_with_one_line),
        cmocka_unit_test(creation_that_fails_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
