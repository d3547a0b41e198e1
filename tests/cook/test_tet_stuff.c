/* SPDX-License-Identifier: MIT */
/* What flesh of a tet mesh is made of: numbers of every tet, and the words of a sidecar beside the mesh's file. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "tests/support/bar.h"
#include "tests/support/log.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

#define MESH SN_BINARY_DIR "/tet_stuff.mesh"
#define SIDECAR SN_BINARY_DIR "/tet_stuff.sinew.json"
#define RIG SN_BINARY_DIR "/tet_stuff.rig.json"
enum { NX = 8, NY = 2, NZ = 2, TET_COUNT = 6 * NX * NY * NZ };

static sn_cook_desc bar_desc(void)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = 4;
    desc.cluster_count = 8;
    return desc;
}

static sn_result cook_bar(sn_cook_context *k, const sn_cook_desc *desc)
{
    *k = (sn_cook_context){.path = NULL};
    k->mesh = sn_test_bar(&k->arena, NX, NY, NZ, 0.25);
    begin_log();
    const sn_result result = sn_cook_context_run(k, "bar", desc);
    sn_set_log(NULL, NULL);
    return result;
}

static void numbers_of_every_tet(void **state)
{
    (void)state;
    double stiffness[TET_COUNT], density[TET_COUNT], poisson[TET_COUNT];
    sn_cook_desc desc = bar_desc();
    for (int t = 0; t < TET_COUNT; ++t) {
        stiffness[t] = exp(sin(t));
        density[t] = 1 + t % 5;
        poisson[t] = 0.45 * (t % 7) / 6;
    }
    desc.tet_stiffness = (sn_cook_values){stiffness, TET_COUNT, "s.npy"};
    desc.tet_density = (sn_cook_values){density, TET_COUNT, NULL};
    desc.tet_poisson = (sn_cook_values){poisson, TET_COUNT, "p.npy"};
    sn_cook_context k;
    assert_int_equal(cook_bar(&k, &desc), SN_OK);
    sn_model *model = NULL;
    assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK);
    double mass = 0, made_mass = 0;
    for (int t = 0; t < TET_COUNT; ++t) {
        const double mu = 1e4 * stiffness[t] / (1 + poisson[t]);
        assert_near((double)model->tet_stiffness[t], mu, 1e-6 * mu);
        assert_near(k.tet_lame[t] * 1e4, mu * poisson[t] / (1 - 2 * poisson[t]), 1e-9 * mu);
        mass += 1e3 * density[t] * k.volumes[t];
    }
    for (int v = 0; v < k.mesh.vertex_count; ++v) {
        made_mass += (double)model->vertex_mass[v];
    }
    assert_near(made_mass, mass, 1e-5 * mass);
    assert_true(k.reduced.volume_bound > 0);
    sn_model_release(model);
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Weights are flat in what is stiff, and change in what is soft. */
static void modes_know_the_tets(void **state)
{
    (void)state;
    double stiffness[TET_COUNT];
    sn_cook_desc desc = bar_desc();
    desc.leak = SN_LEAK_ALL;
    for (int t = 0; t < TET_COUNT; ++t) {
        stiffness[t] = t / 6 % NX < NX / 2 ? 1000 : 1;
    }
    desc.tet_stiffness = (sn_cook_values){stiffness, TET_COUNT, NULL};
    sn_cook_context k;
    assert_int_equal(cook_bar(&k, &desc), SN_OK);
    const double *w = k.modes.weights; /* the second weight, along the bar */
    const int modes = k.modes.mode_count;
    const double stiff = w[(NX / 2) * modes + 1] - w[1], soft = w[NX * modes + 1] - w[(NX / 2) * modes + 1];
    assert_true(fabs(stiff) < 0.01 * fabs(soft));
    sn_cook_context_finish(&k);
}

static void wrong_numbers_are_refused(void **state)
{
    (void)state;
    double values[TET_COUNT];
    const struct {
        double value;
        size_t count;
        bool is_poisson;
        const char *says;
    } cases[] = {{1, TET_COUNT - 1, false, "191 entries for the 192 tets of bar"},
                 {NAN, TET_COUNT, false, "entry 7 is nan, outside 1e-06 to 1e+06"},
                 {0, TET_COUNT, false, "entry 7 is 0, outside"},
                 {-1, TET_COUNT, true, "entry 7 is -1, outside 0 to 0.45"},
                 {0.5, TET_COUNT, true, "entry 7 is 0.5, outside 0 to 0.45"}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        for (int t = 0; t < TET_COUNT; ++t) {
            values[t] = t == 7 ? cases[c].value : 0.25;
        }
        sn_cook_desc desc = bar_desc();
        *(cases[c].is_poisson ? &desc.tet_poisson : &desc.tet_density) =
            (sn_cook_values){values, cases[c].count, "v.npy"};
        sn_cook_context k;
        assert_int_equal(cook_bar(&k, &desc), SN_ERROR_ARGUMENT);
        assert_one_error(cases[c].says);
        assert_non_null(strstr(logged.last_error, "v.npy: "));
        sn_cook_context_finish(&k);
    }
}

/* ---- a sidecar beside a tet mesh ---- */

/* The bar as a file, and a rig of two bones: weights go from 1 to 0 along it. */
static void write_bar(void)
{
    sn_arena arena = {0};
    const sn_tet_mesh mesh = sn_test_bar(&arena, NX, NY, NZ, 0.25);
    FILE *file = fopen(MESH, "w"), *rig = fopen(RIG, "w");
    assert_true(file && rig);
    fprintf(file, "MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n", mesh.vertex_count);
    fputs("{\"rig_type\": \"volume\", \"pI\": [-1, -1], \"lengths\": [1, 1], \"p0\": "
          "[[[1,0,0],[0,1,0],[0,0,1],[0,0,0]], [[1,0,0],[0,1,0],[0,0,1],[0,0,0]]], \"V\": [",
          rig);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        const double *x = mesh.positions + 3 * v;
        fprintf(file, "%g %g %g 0\n", x[0], x[1], x[2]);
        fprintf(rig, "%s[%g, %g, %g]", v ? ", " : "", x[0], x[1], x[2]);
    }
    fprintf(file, "Tetrahedra\n%d\n", mesh.tet_count);
    fputs("], \"F\": [", rig);
    for (int t = 0; t < mesh.tet_count; ++t) {
        const int32_t *c = mesh.tets + 4 * t;
        fprintf(file, "%d %d %d %d 0\n", c[0] + 1, c[1] + 1, c[2] + 1, c[3] + 1);
        fprintf(rig, "%s[%d, %d, %d, %d]", t ? ", " : "", c[0], c[1], c[2], c[3]);
    }
    fputs("End\n", file);
    fputs("], \"W\": [", rig);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        const double share = mesh.positions[3 * v] / (0.25 * NX);
        fprintf(rig, "%s[%.17g, %.17g]", v ? ", " : "", 1 - share, share);
    }
    fputs("]}\n", rig);
    assert_int_equal(fclose(file) + fclose(rig), 0);
    sn_arena_finish(&arena);
}

static void cook_file(sn_cook_context *k, sn_cook_desc *desc, const char *sidecar)
{
    FILE *file = fopen(SIDECAR, "w");
    assert_non_null(file);
    fputs(sidecar, file);
    assert_int_equal(fclose(file), 0);
    *desc = bar_desc();
    desc->mode_count = 0;
    desc->cluster_count = 0;
    desc->rig_path = RIG;
    *k = (sn_cook_context){.path = NULL};
    begin_log();
    assert_int_equal(sn_cook_context_run(k, MESH, desc), SN_OK);
    sn_set_log(NULL, NULL);
    assert_int_equal(unlink(SIDECAR), 0);
}

/* Bones of a rig file have numbers for names. */
static void a_sidecar_speaks_of_bones(void **state)
{
    (void)state;
    sn_cook_context plain, k;
    sn_cook_desc desc;
    write_bar();
    cook_file(&plain, &desc, "{}");
    cook_file(&k, &desc,
              "{\"modes\": 3, \"clusters\": 7, \"bones\": {\"bone 0\": {\"stiffness\": 4, \"density\": 3, \"leak\": 1},"
              " \"bone 1\": {\"leak\": 0.25, \"poisson\": 0.3}}}");
    assert_int_equal(logged.warnings, 0);
    assert_int_equal(k.modes.mode_count, 3);
    assert_int_equal(plain.modes.mode_count, 16);
    for (int v = 0; v < k.mesh.vertex_count; ++v) {
        const double weight = k.rig_weights[2 * v];
        assert_near(k.leak[v], weight + 0.25 * (1 - weight), 1e-12);
    }
    for (int t = 0; t < k.mesh.tet_count; ++t) {
        double weight = 0;
        for (int corner = 0; corner < 4; ++corner) {
            weight += 0.25 * k.rig_weights[2 * k.mesh.tets[4 * t + corner]];
        }
        const double nu = 0.3 * (1 - weight);
        assert_near(k.tet_stiffness[t], (1 + 3 * weight) / (1 + nu), 1e-12);
        assert_near(k.tet_density[t], 1 + 2 * weight, 1e-12);
    }
    sn_cook_context_finish(&plain);
    sn_cook_context_finish(&k);
}

/* Where momentum leaks nowhere but at one end, a jolt moves that end alone. */
static void a_region_leaks(void **state)
{
    (void)state;
    sn_cook_context k;
    sn_cook_desc desc;
    write_bar();
    cook_file(&k, &desc, "{\"leak\": \"none\", \"bones\": {\"bone 1\": {\"leak\": 0}}}");
    for (int v = 0; v < k.mesh.vertex_count; ++v) {
        assert_near(k.leak[v], k.rig_weights[2 * v], 1e-12);
    }
    sn_cook_context_finish(&k);
    cook_file(&k, &desc, "{\"leak\": \"all\", \"bones\": {\"bone 1\": {\"leak\": 1}}}");
    for (int v = 0; v < k.mesh.vertex_count; ++v) {
        assert_true(k.leak[v] == 0);
    }
    sn_cook_context_finish(&k);
}

static void a_sidecar_has_handles(void **state)
{
    (void)state;
    sn_cook_context k;
    sn_cook_desc desc = bar_desc();
    write_bar();
    FILE *file = fopen(SIDECAR, "w");
    assert_non_null(file);
    fputs("{\"handles\": [{\"name\": \"near\", \"point\": [0, 0.25, 0.25]}, {\"name\": \"far\", \"point\": [2, 0.25, "
          "0.25]}],"
          " \"bones\": {\"far\": {\"leak\": 0.5}}}",
          file);
    assert_int_equal(fclose(file), 0);
    k = (sn_cook_context){.path = NULL};
    begin_log();
    assert_int_equal(sn_cook_context_run(&k, MESH, &desc), SN_OK);
    sn_set_log(NULL, NULL);
    assert_int_equal(unlink(SIDECAR), 0);
    assert_int_equal(logged.warnings, 0);
    assert_int_equal(k.bone_count, 2);
    assert_string_equal(k.bone_names[1], "far");
    assert_near(k.leak[NX + (NX + 1) * (1 + NY + 1)], 0.5, 1e-9); /* where far is */
    sn_cook_context_finish(&k);
}

static void a_sidecar_pins_and_names_wrongly(void **state)
{
    (void)state;
    sn_cook_context k;
    sn_cook_desc desc;
    write_bar();
    cook_file(&k, &desc, "{\"pin\": [\"bone 1\"], \"bones\": {\"tail\": {\"stiffness\": 2}}}");
    assert_one_warning("tet_stuff.sinew.json: bones: no bone is called 'tail'");
    assert_int_equal(k.report.pin_count, (NX / 2 + 1) * (NY + 1) * (NZ + 1));
    sn_cook_context_finish(&k);
    cook_file(&k, &desc, "{\"rigid\": [\"Hat\"]}");
    assert_one_warning("rigid: no part is called 'Hat'");
    sn_cook_context_finish(&k);
    cook_file(&k, &desc, "{\"materials\": {\"Skin\": {\"leak\": 1}}}");
    assert_one_warning("materials: no material is called 'Skin'");
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_tet_stuff(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_of_every_tet),
                                       cmocka_unit_test(modes_know_the_tets),
                                       cmocka_unit_test(wrong_numbers_are_refused),
                                       cmocka_unit_test(a_sidecar_speaks_of_bones),
                                       cmocka_unit_test(a_region_leaks),
                                       cmocka_unit_test(a_sidecar_has_handles),
                                       cmocka_unit_test(a_sidecar_pins_and_names_wrongly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
