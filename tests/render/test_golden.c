/* SPDX-License-Identifier: MIT */
/* Golden pictures, compared as an eye would (tests/support/image_compare.h): every kind of material, and a deformed
 * surface. SN_GOLDEN_UPDATE=1 writes them anew: look at them before you keep them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "author/io/image/png.h"
#include "tests/support/image_compare.h"
#include "tests/support/render_fixture.h"
#include "tests/support/torus.h"

#define WIDTH 320
#define HEIGHT 180

static void expect_golden(fixture *f, const sn_render_scene *scene, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/golden/%s.png", SN_SOURCE_DIR, name);
    sn_image drawn = {WIDTH, HEIGHT, SN_NEW(&f->arena, uint8_t, 4 * WIDTH * HEIGHT)}, golden;
    memcpy(drawn.pixels, draw(f, scene, name), (size_t)4 * WIDTH * HEIGHT);
    if (getenv("SN_GOLDEN_UPDATE")) {
        assert_int_equal(sn_png_write(path, &drawn, true), SN_OK);
        return;
    }
    sn_source source;
    assert_int_equal(sn_source_read(path, &f->arena, &source), SN_OK);
    assert_int_equal(sn_png_read(&source, &f->arena, &golden), SN_OK);
    assert_int_equal(golden.width, WIDTH);
    assert_int_equal(golden.height, HEIGHT);
    const image_difference difference = image_compare(drawn.pixels, golden.pixels, WIDTH, HEIGHT);
    print_message("%s: mean %.3f, 99.5th percentile %.2f, worst %.2f\n", name, difference.mean, difference.percentile,
                  difference.worst);
    const bool is_same = image_is_same(&difference, &image_same);
    if (!is_same) {
        assert_int_equal(sn_png_write(SN_BINARY_DIR "/golden-failed.png", &drawn, true), SN_OK);
        print_message("what was drawn: %s\n", SN_BINARY_DIR "/golden-failed.png");
    }
    assert_true(is_same);
}

static void materials(void **state)
{
    (void)state;
    fixture f = open_fixture(WIDTH, HEIGHT);
    add_sheet(&f);
    const sn_render_scene scene = make_scene(&f);
    expect_golden(&f, &scene, "materials");
    close_fixture(&f);
}

/* Bones bend a torus and modes ripple it: a shading error of the deformed normals shows at once. */
static void deformed(void **state)
{
    (void)state;
    fixture f = open_fixture(WIDTH, HEIGHT);
    sn_torus torus = sn_torus_make(&f.arena, 96, 48, 4, 3);
    sn_material clay = sn_test_material(0.62F, 0.4F, 0.3F);
    const sn_part whole = {.triangle_count = torus.mesh.triangle_count};
    torus.model.counts.part_count = torus.model.counts.material_count = 1;
    torus.model.parts = &whole;
    torus.model.materials = &clay;
    add_model(&f, &torus.model, 1, 0, 0, 0, 0);
    double pose[84];
    sn_torus_pose(&torus, 0.12, pose, pose + 48);
    float *transforms = SN_NEW(&f.arena, float, 84);
    for (int i = 0; i < 84; ++i) {
        const bool is_bone = i < 48;
        transforms[i] = (float)(3 * pose[i]) + (is_bone && i % 12 == 7 ? 0.9F : 0);
    }
    f.bodies[0].transforms = transforms;
    const sn_render_scene scene = make_scene(&f);
    expect_golden(&f, &scene, "deformed");
    close_fixture(&f);
}

int test_golden(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(materials), cmocka_unit_test(deformed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
