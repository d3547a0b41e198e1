/* SPDX-License-Identifier: MIT */
/* What include/sinew/surface.h gives: the surface skinned by a body's output, a vertex's strongest bones, where the
 * model is in its file's coordinates. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "host/skin/skin.h"
#include "tests/support/bar.h"
#include "tests/support/torus.h"

#define BONES 5
#define MODES 7
#define MORPHS 3

typedef struct fixture {
    sn_arena arena;
    sn_torus torus;
    size_t n;
    sn_mat3x4 matrices[BONES + MODES];
    double bones[12 * BONES], modes[12 * MODES]; /* the same */
    float *positions, *normals, *tangents;
    double *exact_positions, *exact_normals, *exact_tangents;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.n = 0};
    f.torus = sn_torus_make(&f.arena, 24, 11, BONES, MODES);
    sn_torus_add_morphs(&f.torus, &f.arena, MORPHS);
    f.n = (size_t)f.torus.mesh.vertex_count;
    sn_torus_pose(&f.torus, 0.3, f.bones, f.modes);
    for (size_t i = 0; i < 12 * (BONES + MODES); ++i) {
        double *exact = i < 12 * BONES ? f.bones + i : f.modes + (i - 12 * BONES);
        *exact = (double)(float)*exact;
        f.matrices[i / 12].m[i % 12 / 4][i % 4] = (float)*exact;
    }
    f.positions = SN_NEW(&f.arena, float, 3 * f.n);
    f.normals = SN_NEW(&f.arena, float, 3 * f.n);
    f.tangents = SN_NEW(&f.arena, float, 3 * f.n);
    f.exact_positions = SN_NEW(&f.arena, double, 3 * f.n);
    f.exact_normals = SN_NEW(&f.arena, double, 3 * f.n);
    f.exact_tangents = SN_NEW(&f.arena, double, 3 * f.n);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    sn_arena_finish(&f->arena);
    return 0;
}

static sn_body_matrices output_of(const fixture *f)
{
    return (sn_body_matrices){.matrices = f->matrices,
                              .bone_count = BONES,
                              .mode_count = MODES,
                              .morphs = f->torus.morphs,
                              .morph_count = MORPHS};
}

static double largest_difference(const float *values, const double *exact, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; ++i) {
        largest = fmax(largest, fabs((double)values[i] - exact[i]));
    }
    return largest;
}

/* The reference in double, rounded once. */
static void test_skinned(void **state)
{
    fixture *f = *state;
    const sn_surface surface = sn_model_surface(&f->torus.model);
    const sn_body_matrices output = output_of(f);
    assert_int_equal(sn_surface_skin(&surface, &output, f->positions, f->normals, f->tangents), SN_OK);
    sn_skin_surface(&surface, f->bones, f->modes, f->torus.morphs, f->exact_positions, f->exact_normals,
                    f->exact_tangents);
    assert_true(largest_difference(f->positions, f->exact_positions, 3 * f->n) < 1e-6);
    assert_true(largest_difference(f->normals, f->exact_normals, 3 * f->n) < 1e-6);
    assert_true(largest_difference(f->tangents, f->exact_tangents, 3 * f->n) < 1e-6);

    float *alone = SN_NEW(&f->arena, float, 3 * f->n);
    assert_int_equal(sn_surface_skin(&surface, &output, alone, NULL, NULL), SN_OK);
    for (size_t i = 0; i < 3 * f->n; ++i) { /* the matrix is blended in another function: to rounding */
        assert_true(fabsf(alone[i] - f->positions[i]) < 1e-6F);
    }
}

/* Of a level of detail: what is beyond its modes moves nothing, whatever lies there. */
static void test_fewer_modes(void **state)
{
    fixture *f = *state;
    const sn_surface surface = sn_model_surface(&f->torus.model);
    sn_body_matrices output = output_of(f);
    output.mode_count = 3;
    for (int i = 12 * 3; i < 12 * MODES; ++i) {
        f->modes[i] = 0;
    }
    assert_int_equal(sn_surface_skin(&surface, &output, f->positions, f->normals, NULL), SN_OK);
    sn_skin_surface(&surface, f->bones, f->modes, f->torus.morphs, f->exact_positions, f->exact_normals, NULL);
    assert_true(largest_difference(f->positions, f->exact_positions, 3 * f->n) < 1e-6);
    assert_true(largest_difference(f->normals, f->exact_normals, 3 * f->n) < 1e-6);
}

static void test_strongest(void **state)
{
    (void)state;
    const sn_influence influences[] = {{0, 0.1F, {0}}, {2, 0.3F, {0}}, {3, 0, {0}}, {5, 0.3F, {0}},
                                       {7, 0.2F, {0}}, {9, 0.1F, {0}}, {4, 1, {0}}};
    const int32_t starts[] = {0, 6, 7};
    const sn_surface surface = {.vertex_count = 2, .influences = influences, .influence_starts = starts};
    int32_t bones[8];
    float weights[8];
    sn_surface_strongest_bones(&surface, 0, 3, bones, weights);
    assert_int_equal(bones[0], 2); /* equal ones in the order of bones */
    assert_int_equal(bones[1], 5);
    assert_int_equal(bones[2], 7);
    assert_true(fabsf(weights[0] - 0.375F) < 1e-6F && weights[0] == weights[1] && fabsf(weights[2] - 0.25F) < 1e-6F);

    sn_surface_strongest_bones(&surface, 0, 8, bones, weights);
    const int32_t all[8] = {2, 5, 7, 0, 9, 0, 0, 0};
    const float shares[8] = {0.3F, 0.3F, 0.2F, 0.1F, 0.1F, 0, 0, 0};
    for (int k = 0; k < 8; ++k) {
        assert_int_equal(bones[k], all[k]);
        assert_true(fabsf(weights[k] - shares[k]) < 1e-6F);
    }
    sn_surface_strongest_bones(&surface, 1, 1, bones, weights);
    assert_int_equal(bones[0], 4);
    assert_true(weights[0] == 1);
}

static void test_placement(void **state)
{
    (void)state;
    sn_cook_context cooking = {.path = NULL};
    cooking.mesh = sn_test_bar(&cooking.arena, 6, 2, 2, 0.5);
    const size_t n = 3 * (size_t)cooking.mesh.vertex_count;
    double *file = SN_NEW(&cooking.arena, double, n), origin[3];
    for (size_t i = 0; i < n; ++i) {
        file[i] = cooking.mesh.positions[i] += 3 + (double)(i % 3); /* away from the origin */
    }
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = 4;
    desc.cluster_count = 5;
    desc.size = 2;
    assert_int_equal(sn_cook_context_run(&cooking, "bar", &desc), SN_OK);
    sn_model *model = NULL;
    assert_int_equal(sn_model_load(cooking.bytes, cooking.size, &model), SN_OK);
    assert_true(fabs(sn_model_surface(model).diagonal - 2) < 1e-6);
    const sn_surface surface = sn_model_surface(model);
    float low[3], high[3];
    double square = 0;
    sn_surface_bounds(&surface, low, high);
    for (int d = 0; d < 3; ++d) {
        square += (double)(high[d] - low[d]) * (double)(high[d] - low[d]);
    }
    assert_true(fabs(sqrt(square) - 2) < 1e-5);
    assert_true(sn_model_scale(model) > 0 && fabs(sn_model_scale(model) - 1) > 0.1);
    sn_model_origin(model, origin);
    for (size_t i = 0; i < n; ++i) {
        const double placed = (file[i] - origin[i % 3]) * sn_model_scale(model);
        assert_true(fabs(placed - (double)model->rest_positions[i]) < 1e-6);
    }
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
}

int test_surface(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_skinned, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fewer_modes, set_up, tear_down),
        cmocka_unit_test(test_strongest),
        cmocka_unit_test(test_placement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
