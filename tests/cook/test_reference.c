/* SPDX-License-Identifier: MIT */
/* The whole path against the reference runs of the method's original implementation: same mesh, weights, labels and
 * motion; eigenvalues, and converged positions in double (1e-5 of the height) and float (1e-4). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "host/reduced/reduced.h"
#include "host/skin/skin.h"

#define FRAME_COUNT 30

typedef struct reference {
    const char *folder;
    int vertex_count, tet_count, bone_count;
} reference;

static const reference references[2] = {{"elephant_affine", 7842, 29011, 1}, {"dolphin_skel3", 7380, 27576, 3}};

static void *read_raw(sn_arena *arena, const reference *r, const char *name, size_t bytes)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/reference/%s/%s", SN_SHARED_DATA, r->folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    void *data = sn_arena_alloc(arena, bytes, 1);
    assert_non_null(data);
    const size_t read = fread(data, 1, bytes, file);
    fclose(file);
    assert_int_equal(read, bytes);
    return data;
}

/* Column-major (rows x columns) to row-major. */
static double *transposed(sn_arena *arena, const double *from, int rows, int columns)
{
    double *to = SN_NEW(arena, double, (size_t)rows *(size_t)columns);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            to[(size_t)i * (size_t)columns + (size_t)j] = from[(size_t)j * (size_t)rows + (size_t)i];
        }
    }
    return to;
}

/* The reference's volume rig, handed to the cook in memory. */
static void cook_reference(const reference *r, sn_cook_context *k, sn_cook_desc *desc)
{
    const size_t n = (size_t)r->vertex_count, b = (size_t)r->bone_count;
    double *v = read_raw(&k->arena, r, "V.f64", n * 24);
    if (!v) {
        skip();
    }
    k->mesh = (sn_tet_mesh){r->vertex_count, r->tet_count, transposed(&k->arena, v, r->vertex_count, 3),
                            read_raw(&k->arena, r, "T_rowmajor.i32", (size_t)r->tet_count * 16), false};
    double *weights = read_raw(&k->arena, r, "Wrig.f64", n * b * 8);
    k->rig = (sn_rig_file){.is_volume = true,
                           .vertex_count = r->vertex_count,
                           .bone_count = r->bone_count,
                           .positions = k->mesh.positions,
                           .weights = transposed(&k->arena, weights, r->vertex_count, r->bone_count),
                           .parents = SN_NEW(&k->arena, int32_t, b),
                           .bind = SN_NEW(&k->arena, double, 12 * b)};
    for (size_t i = 0; i < b; ++i) {
        k->rig.parents[i] = -1;
    }
    k->has_rig = true;
    *desc = sn_default_cook_desc();
    desc->units = SN_UNITS_KEEP;
    desc->complementary = SN_COMPLEMENTARY_WEIGHTS;
    desc->labels = read_raw(&k->arena, r, "labels.i32", (size_t)r->tet_count * 4);
    desc->label_count = (size_t)r->tet_count;
    assert_int_equal(sn_cook_context_run(k, r->folder, desc), SN_OK);
}

static void read_pose(const reference *r, const double *p, int frame, double *pose)
{
    const int b = r->bone_count;
    const double *row = p + (size_t)frame * 12 * (size_t)b;
    for (int bone = 0; bone < b; ++bone) {
        for (int i = 0; i < 12; ++i) {
            pose[12 * bone + i] = row[(i / 4) * 4 * b + 4 * bone + i % 4];
        }
    }
}

/* Largest distance to the reference's converged positions over all frames. */
static double run(const reference *r, sn_cook_context *k, const sn_model *model, const sn_reduced_desc *desc)
{
    const size_t n = (size_t)r->vertex_count;
    const double *p = read_raw(&k->arena, r, "P.f64", (size_t)12 * (size_t)r->bone_count * FRAME_COUNT * 8);
    const float *expected = read_raw(&k->arena, r, "dblconv_X.f32", 3 * n * FRAME_COUNT * 4);
    double *positions = SN_NEW(&k->arena, double, 3 * n);
    double pose[12 * 3], modes[12 * 16], worst = 0;
    sn_reduced_solver *solver = NULL;
    sn_reduced_body *body = NULL;
    assert_int_equal(sn_reduced_solver_create(model, desc, &solver), SN_OK);
    read_pose(r, p, 0, pose);
    assert_int_equal(sn_reduced_body_create(solver, pose, &body), SN_OK);
    for (int frame = 0; frame < FRAME_COUNT; ++frame) {
        read_pose(r, p, frame, pose);
        sn_reduced_body_step(body, pose, NULL);
        sn_reduced_body_mode_transforms(body, 1, modes);
        memset(positions, 0, 3 * n * sizeof(double));
        sn_skin_add(model->rig_weights, r->bone_count, pose, model->rest_positions, (int)n, positions);
        sn_skin_add(model->mode_weights, 16, modes, model->rest_positions, (int)n, positions);
        for (size_t i = 0; i < 3 * n; ++i) {
            const double reference_value = (double)expected[(size_t)frame * 3 * n + i % 3 * n + i / 3];
            worst = fmax(worst, fabs(positions[i] - reference_value));
        }
    }
    sn_reduced_body_destroy(&body);
    sn_reduced_solver_destroy(&solver);
    return worst;
}

static void check_reference(const reference *r)
{
    sn_cook_context k = {.path = NULL};
    sn_cook_desc cook;
    cook_reference(r, &k, &cook);
    const double *eigenvalues = read_raw(&k.arena, r, "E.f64", 16 * 8);
    for (int i = 0; i < 16; ++i) {
        assert_true(fabs(k.modes.eigenvalues[i] - eigenvalues[i]) < 1e-6 * eigenvalues[i]);
    }
    sn_model *model = NULL;
    assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK);
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.time_step = 0.01;
    desc.is_double = true;
    desc.iteration_limit = 2000;
    desc.tolerance = 1e-12;
    assert_true(run(r, &k, model, &desc) < 1e-5);
    desc.is_double = false;
    desc.iteration_limit = 100;
    desc.tolerance = 1e-7;
    assert_true(run(r, &k, model, &desc) < 1e-4);
    desc.iteration_limit = 30;
    desc.tolerance = 0;
    assert_true(run(r, &k, model, &desc) < 1e-4);
    sn_model_release(model);
    sn_cook_context_finish(&k);
}

static void test_elephant_with_an_affine_handle(void **state)
{
    (void)state;
    check_reference(&references[0]);
}

static void test_dolphin_with_three_bones(void **state)
{
    (void)state;
    check_reference(&references[1]);
}

/* Surface rig to tet vertices: match by position, harmonic fill of the weights as they are, rows to one last. */
static void test_weights_of_a_surface_rig(void **state)
{
    (void)state;
    sn_cook_context k = {.path = NULL};
    const double *expected = read_raw(&k.arena, &references[1], "Wrig.f64", (size_t)7380 * 3 * 8);
    if (!expected) {
        skip();
    }
    sn_cook_desc desc = sn_default_cook_desc();
    desc.rig_path = SN_SHARED_DATA "/tet/dolphin/rigs/skeleton_rig/skeleton_rig.json";
    assert_int_equal(sn_cook_context_run(&k, SN_SHARED_DATA "/tet/dolphin/dolphin.msh", &desc), SN_OK);
    assert_int_equal(k.mesh.vertex_count, 7380);
    for (int v = 0; v < 7380; ++v) {
        for (int b = 0; b < 3; ++b) {
            assert_true(fabs(k.rig_weights[3 * v + b] - expected[b * 7380 + v]) < 1e-6);
        }
    }
    sn_cook_context_finish(&k);
}

/* First eigenvalues as the method's authors' code has them, of models scaled to a height of 1. */
static void test_published_eigenvalues(void **state)
{
    (void)state;
    static const struct {
        const char *mesh, *rig; /* or null */
        sn_cook_leak leak;
        int count;
        double eigenvalues[4];
        double digits; /* half of the last one, and the authors' shift of 1e-8 */
    } cases[] = {
        {"cd_fish/cd_fish.msh",
         "cd_fish/rigs/skeleton_rig/skeleton_rig.json",
         SN_LEAK_AUTO,
         4,
         {9.735185, 9.778574, 32.5404, 32.609744},
         6e-7},
        {"elephant/elephant.msh", NULL, SN_LEAK_AUTO, 4, {36.203268, 43.860276, 49.645271, 62.25565}, 6e-7},
        {"elephant/elephant.msh", NULL, SN_LEAK_NONE, 2, {50.4, 65}, 0.05},
        {"elephant/elephant.msh", NULL, SN_LEAK_ALL, 2, {0, 4.07}, 0.005},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char mesh[1024], rig[1024];
        sn_cook_context k = {.path = NULL};
        sn_cook_desc desc = sn_default_cook_desc();
        snprintf(mesh, sizeof mesh, "%s/tet/%s", SN_SHARED_DATA, cases[i].mesh);
        snprintf(rig, sizeof rig, "%s/tet/%s", SN_SHARED_DATA, cases[i].rig ? cases[i].rig : "");
        desc.rig_path = cases[i].rig ? rig : NULL;
        desc.leak = cases[i].leak;
        desc.complementary = SN_COMPLEMENTARY_WEIGHTS;
        FILE *file = fopen(mesh, "rb");
        if (!file) {
            skip();
        }
        fclose(file);
        assert_int_equal(sn_cook_context_run(&k, mesh, &desc), SN_OK);
        double low = INFINITY, high = -INFINITY;
        for (int v = 0; v < k.mesh.vertex_count; ++v) {
            low = fmin(low, k.mesh.positions[3 * v + 1]);
            high = fmax(high, k.mesh.positions[3 * v + 1]);
        }
        for (int e = 0; e < cases[i].count; ++e) {
            const double found = k.modes.eigenvalues[e] * (high - low) * (high - low);
            print_message("%s: %.6f\n", cases[i].mesh, found);
            assert_true(fabs(found - cases[i].eigenvalues[e]) <= cases[i].digits);
        }
        sn_cook_context_finish(&k);
    }
}

int test_reference(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elephant_with_an_affine_handle),
        cmocka_unit_test(test_dolphin_with_three_bones),
        cmocka_unit_test(test_weights_of_a_surface_rig),
        cmocka_unit_test(test_published_eigenvalues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
