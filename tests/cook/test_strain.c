/* SPDX-License-Identifier: MIT */
/* Stiffnesses and frames of layered bodies: from Young's modulus and Poisson's ratio, and what a sidecar or the desc
 * says of fibres. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "tests/support/flesh.h"
#include "tests/support/log.h"

#define MESH SN_BINARY_DIR "/strain.mesh"
#define SIDECAR SN_BINARY_DIR "/strain.sinew.json"

#define assert_near(a, b) assert_true(fabs((double)(a) - (b)) <= 1e-5 * fabs(b))

static sn_cook_desc layered_desc(void)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.is_layered = true;
    desc.units = SN_UNITS_KEEP;
    return desc;
}

/* bone_count > 1: a bone at either end. */
static sn_result cook(sn_cook_context *k, const sn_cook_desc *desc, int bone_count)
{
    *k = (sn_cook_context){.path = NULL};
    k->mesh = sn_test_bar(&k->arena, 8, 2, 2, 0.25);
    if (bone_count > 1) {
        sn_test_rig(k, bone_count, 2);
    }
    begin_log();
    const sn_result result = sn_cook_context_run(k, "bar", desc);
    sn_set_log(NULL, NULL);
    return result;
}

static sn_model *load(const sn_cook_context *k)
{
    sn_model *model = NULL;
    assert_int_equal(sn_model_load(k->bytes, k->size, &model), SN_OK);
    return model;
}

static const float *stiffness_of(const sn_model *model, int tet)
{
    return model->strain_stiffness + SN_STRAIN_STIFFNESS_COUNT * tet;
}

static void test_moduli(void **state)
{
    (void)state;
    const double poissons[] = {0.3, 0, -1, 0.45};
    for (int i = 0; i < 4; ++i) {
        sn_cook_desc desc = layered_desc();
        desc.young = 5e4;
        desc.poisson = poissons[i];
        sn_cook_context k;
        assert_int_equal(cook(&k, &desc, 1), SN_OK);
        sn_model *model = load(&k);
        const double nu = poissons[i] < 0 ? 0.4 : poissons[i], mu = 5e4 / (2 * (1 + nu));
        const double lambda = 2 * mu * nu / (1 - 2 * nu);
        assert_true(model->young == 5e4 && !k.report.has_fibres && !sn_model_is_flat(model));
        for (int t = 0; t < model->counts.tet_count; ++t) {
            for (int j = 0; j < 3; ++j) {
                assert_near(stiffness_of(model, t)[SN_STRAIN_STRETCH + j], 2 * mu);
                assert_near(stiffness_of(model, t)[SN_STRAIN_SHEAR + j], mu);
            }
            assert_near(stiffness_of(model, t)[SN_STRAIN_VOLUME], fmax(lambda, mu));
        }
        sn_model_release(model);
        sn_cook_context_finish(&k);
    }
}

/* Ten times as stiff along x, which is where the body's one bone goes; a curve turns that. */
static void test_fibres(void **state)
{
    (void)state;
    const double points[6] = {1, 0.25, -0.5, 1, 0.25, 1};
    const sn_cook_curve curve = {.point_count = 2, .points = points, .influence_radius = 0.3, .normal = {0, 1, 0}};
    sn_cook_fibres fibres = {.stretch = {10, 1, 0.5}, .shear = {0, 3, 2}};
    for (int curves = 0; curves < 2; ++curves) {
        sn_cook_desc desc = layered_desc();
        fibres.curve_count = curves;
        fibres.curves = &curve;
        desc.fibres = &fibres;
        desc.young = 1e4;
        desc.poisson = 0.25;
        sn_cook_context k;
        assert_int_equal(cook(&k, &desc, 1), SN_OK);
        sn_model *model = load(&k);
        assert_true(model->strain_type == SN_STRAIN_FRAMES && k.report.has_fibres && k.report.curve_count == curves);
        const double expected[7] = {8e4, 8e3, 4e3, 4e3, 12e3, 8e3, 4e3};
        for (int t = 0; t < model->counts.tet_count; ++t) {
            const float *r = model->strain_frames + 9 * t;
            assert_true(fabsf(r[curves == 1 ? 6 : 0]) > 0.999F); /* axis 1: x, or z */
            for (int j = 0; j < 7; ++j) {
                assert_near(stiffness_of(model, t)[j], expected[j]);
            }
        }
        sn_model_release(model);
        sn_cook_context_finish(&k);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* All shear stiffer: volume is no softer, lest tets stay inside out. */
static void test_volume_is_no_softer_than_shear(void **state)
{
    (void)state;
    const sn_cook_fibres fibres = {.shear = {9, 8, 7}};
    sn_cook_desc desc = layered_desc();
    desc.fibres = &fibres;
    desc.young = 2.5e4;
    desc.poisson = 0.25;
    sn_cook_context k;
    assert_int_equal(cook(&k, &desc, 1), SN_OK);
    sn_model *model = load(&k);
    assert_near(stiffness_of(model, 0)[SN_STRAIN_VOLUME], 7e4);
    sn_model_release(model);
    sn_cook_context_finish(&k);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void write_mesh(void)
{
    sn_arena arena = {0};
    const sn_tet_mesh mesh = sn_test_bar(&arena, 8, 2, 2, 0.25);
    FILE *file = fopen(MESH, "w");
    assert_non_null(file);
    fprintf(file, "MeshVersionFormatted 1\nDimension 3\nVertices\n%d\n", mesh.vertex_count);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        fprintf(file, "%g %g %g 0\n", mesh.positions[3 * v], mesh.positions[3 * v + 1], mesh.positions[3 * v + 2]);
    }
    fprintf(file, "Tetrahedra\n%d\n", mesh.tet_count);
    for (int t = 0; t < mesh.tet_count; ++t) {
        fprintf(file, "%d %d %d %d 0\n", mesh.tets[4 * t] + 1, mesh.tets[4 * t + 1] + 1, mesh.tets[4 * t + 2] + 1,
                mesh.tets[4 * t + 3] + 1);
    }
    fprintf(file, "End\n");
    fclose(file);
    sn_arena_finish(&arena);
}

static sn_result cook_file(sn_cook_context *k, const char *sidecar)
{
    static sn_cook_desc desc;
    desc = layered_desc();
    desc.young = 1e4;
    desc.poisson = 0.25;
    write_text(SIDECAR, sidecar);
    *k = (sn_cook_context){.path = NULL};
    begin_log();
    const sn_result result = sn_cook_context_run(k, MESH, &desc);
    sn_set_log(NULL, NULL);
    return result;
}

#define HANDLES                                                                                                        \
    "\"handles\":[{\"name\":\"left\",\"bone\":[[0.2,0.25,0.25],[0.9,0.25,0.25]]},"                                     \
    "{\"name\":\"right\",\"bone\":[[1.1,0.25,0.25],[1.8,0.25,0.25]]}]"

static void test_a_sidecar_says_it(void **state)
{
    (void)state;
    write_mesh();
    sn_cook_context k;
    assert_int_equal(cook_file(&k, "{" HANDLES ",\"fibres\":{\"stretch\":[2,1,1],\"curves\":[{\"points\":"
                                   "[[0,0,0.25],[0,0.5,0.25]]}]},\"bones\":{\"right\":{\"stretch\":[5,1,1],"
                                   "\"stiffness\":3}}}"),
                     SN_OK);
    sn_model *model = load(&k);
    assert_int_equal(k.report.curve_count, 1);
    float least = INFINITY, most = 0;
    for (int t = 0; t < model->counts.tet_count; ++t) {
        const float *own = stiffness_of(model, t);
        least = fminf(least, own[0]);
        most = fmaxf(most, own[0]);
        assert_true(own[1] >= 7.9e3F && own[1] <= 24.1e3F);
        assert_true(fabsf(model->strain_frames[9 * t + 3]) > 0.999F); /* along y */
    }
    assert_near(least, 2 * 8e3);
    assert_near(most, 2 * 5 * 3 * 8e3);
    sn_model_release(model);
    sn_cook_context_finish(&k);
    unlink(SIDECAR);
    unlink(MESH);
}

/* Each is one line that names the file and the place. */
static void test_wrong_curves_are_named(void **state)
{
    (void)state;
    const char *const texts[][2] = {
        {"{\"curves\":[{\"points\":[[0,0,0],[1,0,0]],\"weights\":[1,0]}]}",
         "fibres.curves[0].weights: must be above 0"},
        {"{\"curves\":[{\"points\":[[0,0,0],[1,0,0]],\"knots\":[0,1,0,1]}]}", "fibres.curves[0].knots: must ascend"},
        {"{\"curves\":[{\"points\":[[0,0,0],[1,0,0]],\"degree\":2}]}",
         "fibres.curves[0].points: must be more than the degree"},
        {"{\"curves\":[{\"points\":[[0,0,0],[1,0,0]]},{\"points\":[[0,9,0],[1,9,0]]}]}",
         "fibres.curves[1]: its distance from the body is 8.5"},
    };
    write_mesh();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        char sidecar[512];
        sn_cook_context k;
        snprintf(sidecar, sizeof sidecar, "{\"fibres\":%s}", texts[i][0]);
        assert_int_equal(cook_file(&k, sidecar), SN_ERROR_ARGUMENT);
        assert_int_equal(logged.errors, 1);
        assert_non_null(strstr(logged.last_error, SIDECAR));
        assert_non_null(strstr(logged.last_error, texts[i][1]));
        sn_cook_context_finish(&k);
    }
    unlink(SIDECAR);
    unlink(MESH);
    /* and of programs */
    const double points[6] = {0, 0, 0, 1, 0, NAN};
    const sn_cook_curve curve = {.point_count = 2, .points = points};
    const sn_cook_fibres wrong[] = {{.name = "f", .curve_count = 1, .curves = &curve},
                                    {.name = "f", .stretch = {-1}},
                                    {.name = "f", .curve_count = -1}};
    for (int i = 0; i < 3; ++i) {
        sn_cook_desc desc = layered_desc();
        sn_cook_context k;
        desc.fibres = &wrong[i];
        assert_int_equal(cook(&k, &desc, 1), SN_ERROR_ARGUMENT);
        assert_non_null(strstr(logged.last_error, "f: fibres."));
        sn_cook_context_finish(&k);
    }
}

int test_strain(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moduli),
        cmocka_unit_test(test_fibres),
        cmocka_unit_test(test_volume_is_no_softer_than_shear),
        cmocka_unit_test(test_a_sidecar_says_it),
        cmocka_unit_test(test_wrong_curves_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
