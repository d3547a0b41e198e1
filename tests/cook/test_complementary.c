/* SPDX-License-Identifier: MIT */
/* The constraint on coordinates: J^T M D u = 0 of whatever they say, of all levels of detail, of bones, of
 * what is only translated, pinned, flat; that nothing but what it takes is lost; and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/modes/constraint/rig_rows.h"
#include "host/reduced/view.h"
#include "sinew/world.h"
#include "tests/support/flesh.h"
#include "tests/support/log.h"

#define ROUNDING 1e-9 /* of u = B T: what the condition of B leaves of a double's digits, with any kernels of BLAS */

static const int cells[3] = {12, 4, 3};

static int setup(void **state)
{
    (void)state;
    begin_log();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    sn_set_log(NULL, NULL);
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

static sn_cook_desc describe(int mode_count)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.complementary = SN_COMPLEMENTARY_COORDINATES;
    desc.mode_count = mode_count;
    desc.cluster_count = 20;
    return desc;
}

static void finish(sn_cook_context *k, sn_model *model)
{
    sn_model_release(model);
    sn_cook_context_finish(k);
}

/* ---- what is checked ---- */

/* u (vertex_count) of random coordinates, on one axis. map: mode_from_coordinate, for modes of largest value 1. */
static double *random_displacement(const sn_cook_context *k, const double *map, int coordinate_count)
{
    const size_t modes = (size_t)k->modes.mode_count, q = (size_t)coordinate_count;
    double *transforms = calloc(4 * modes, sizeof *transforms);
    double *u = calloc((size_t)k->mesh.vertex_count, sizeof *u);
    assert_true(transforms && u);
    for (size_t i = 0; i < q; ++i) {
        const double z = (double)rand() / RAND_MAX - 0.5;
        for (size_t c = 0; c < 4 * modes; ++c) {
            transforms[c] += map[c * q + i] * z;
        }
    }
    for (size_t j = 0; j < modes; ++j) {
        double largest = 0;
        for (size_t v = 0; v < (size_t)k->mesh.vertex_count; ++v) {
            largest = fmax(largest, fabs(k->modes.weights[v * modes + j]));
        }
        for (size_t v = 0; v < (size_t)k->mesh.vertex_count; ++v) {
            const double *x = k->mesh.positions + 3 * v, *t = transforms + 4 * j;
            u[v] += k->modes.weights[v * modes + j] / largest * (t[0] * x[0] + t[1] * x[1] + t[2] * x[2] + t[3]);
        }
    }
    free(transforms);
    return u;
}

/* The largest |sum_v m D j u| of a column j of J, over the same sum of absolute values. */
static double violation(const sn_cook_context *k, const double *u)
{
    const size_t bones = (size_t)k->bone_count;
    double worst = 0;
    for (size_t column = 0; column < 4 * bones; ++column) {
        const bool is_linear = column % 4 < 3;
        double sum = 0, whole = 0;
        for (size_t v = 0; v < (size_t)k->mesh.vertex_count; ++v) {
            const double weight = k->rig_weights[v * bones + column / 4];
            const double x = is_linear ? k->mesh.positions[3 * v + column % 4] : 1;
            const double part = k->mass[v] * k->leak[v] * weight * x * u[v];
            sum += part;
            whole += fabs(part);
        }
        const bool is_asked = !(is_linear && k->is_translated && k->is_translated[column / 4]);
        worst = whole > 0 && is_asked ? fmax(worst, fabs(sum) / whole) : worst;
    }
    return worst;
}

static void expect_complementary(const sn_cook_context *k, const sn_model *model)
{
    for (int i = 0; i < 5; ++i) {
        double *u = random_displacement(k, model->mode_from_coordinate, model->counts.coordinate_count);
        assert_true(violation(k, u) < ROUNDING);
        free(u);
    }
}

/* All levels of detail down to the least; below it, that one. */
static void expect_complementary_levels(const sn_cook_context *k, const sn_model *model)
{
    const int all = model->counts.mode_count, least = model->counts.min_mode_count;
    int before = model->counts.coordinate_count + 1;
    for (int modes = all; modes >= 1; --modes) {
        sn_arena arena = {0};
        sn_reduced_view view;
        assert_int_equal(sn_reduced_view_build(model, modes, 0, &arena, &view), SN_OK);
        const sn_model *m = &view.model;
        assert_int_equal(view.mode_count, modes > least ? modes : least);
        assert_true(modes >= least ? m->counts.coordinate_count < before : m->counts.coordinate_count == before);
        assert_true(m->counts.coordinate_count > 0);
        expect_complementary(k, m);
        before = m->counts.coordinate_count;
        for (int c = 4 * view.mode_count * before; c < 4 * all * before; ++c) {
            assert_true(m->mode_from_coordinate[c] == 0);
        }
        sn_arena_finish(&arena);
    }
    int left = -1;
    if (least > 1) {
        assert_int_equal(sn_reduced_count_coordinates(model, least - 1, &left), SN_OK);
        assert_int_equal(left, 0);
    }
}

/* ---- bodies ---- */

static void test_bones(void **state)
{
    (void)state;
    static const sn_cook_leak leaks[] = {SN_LEAK_NONE, SN_LEAK_AUTO, SN_LEAK_ALL};
    for (int bones = 1; bones <= 4; ++bones) {
        for (int leak = 0; leak < 3; ++leak) {
            sn_cook_context k;
            sn_cook_desc desc = describe(8);
            desc.leak = leaks[leak];
            sn_model *model = sn_test_cook_bar_as(&k, cells, bones, &desc);
            /* weights that are linear between bones: x is a sum of g_b, and of g_b x */
            const int rank = leak == 2 ? 0 : 4 * bones - (bones > 1 ? 1 : 0);
            assert_true(leak == 1 || k.report.constrained_coordinate_count == rank);
            assert_int_equal(k.report.constrained_coordinate_count, k.coordinate_constraint.row_count);
            assert_int_equal(k.report.coordinate_count + k.report.constrained_coordinate_count, 4 * 8);
            assert_true(leak < 2 || model->counts.min_mode_count == 1);
            expect_complementary_levels(&k, model);
            finish(&k, model);
        }
    }
}

static void test_flat_body(void **state)
{
    (void)state;
    sn_cook_context k = {.path = NULL};
    sn_model *model = NULL;
    sn_cook_desc desc = describe(6);
    desc.leak = SN_LEAK_NONE;
    k.mesh = sn_test_sheet(&k.arena, 12, 6, 0.25, 0.5);
    sn_test_rig(&k, 3, 3);
    assert_int_equal(sn_cook_context_run(&k, "sheet", &desc), SN_OK);
    assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK);
    assert_int_equal(k.report.constrained_coordinate_count, 3 * 3 - 1);
    assert_int_equal(k.report.coordinate_count, 3 * 6 - 8);
    expect_complementary_levels(&k, model);
    finish(&k, model);
}

/* Of a cage's vertices J has the weights alone. */
static void test_cage(void **state)
{
    (void)state;
    static const int32_t starts[7] = {0, 4, 8, 12, 16, 20, 24};
    static const int32_t corners[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    sn_cook_handle points[8];
    for (int i = 0; i < 8; ++i) {
        points[i] = (sn_cook_handle){
            .shape = SN_HANDLE_SHAPE_CAGE, .parent = -1, .start = {i & 1 ? 4 : -1, i & 2 ? 2 : -1, i & 4 ? 1.75 : -1}};
    }
    const sn_cook_handles handles = {
        .count = 8, .handles = points, .face_count = 6, .face_starts = starts, .face_corners = corners};
    sn_cook_context k;
    sn_cook_desc desc = describe(6);
    desc.leak = SN_LEAK_NONE;
    desc.handles = &handles;
    sn_model *model = sn_test_cook_bar_as(&k, cells, 1, &desc);
    assert_true(k.bone_count == 8 && k.is_translated && k.is_translated[0]);
    assert_true(k.report.constrained_coordinate_count == k.coordinate_constraint.row_count &&
                k.coordinate_constraint.row_count <= 8);
    expect_complementary_levels(&k, model);
    finish(&k, model);
}

/* Pins and rows of a user's own stay on the weights. */
static void test_pins_and_rows(void **state)
{
    (void)state;
    double rows[13 * 5 * 4];
    const int32_t pins[3] = {0, 13, 26};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        rows[i] = sin((double)i);
    }
    sn_cook_context k;
    sn_cook_desc desc = describe(8);
    desc.rows = rows;
    desc.row_count = 1;
    desc.row_length = 13 * 5 * 4;
    desc.pins = pins;
    desc.pin_count = 3;
    sn_model *model = sn_test_cook_bar_as(&k, cells, 3, &desc);
    assert_int_equal(k.constraint.row_count, 1);
    for (size_t j = 0; j < 8; ++j) {
        double sum = 0;
        for (size_t v = 0; v < desc.row_length; ++v) {
            sum += rows[v] * k.modes.weights[8 * v + j] * (v % 13 == 0 && v < 39 ? 0 : 1);
        }
        assert_true(fabs(sum) < 1e-9);
        assert_true(k.modes.weights[8 * 13 + j] == 0);
    }
    assert_true(k.report.constrained_coordinate_count > 0);
    expect_complementary_levels(&k, model);
    finish(&k, model);
}

/* Localised modes are no other to it. */
static void test_localised_modes(void **state)
{
    (void)state;
    sn_cook_context k;
    sn_cook_desc desc = describe(8);
    desc.sparsity = 3;
    sn_model *model = sn_test_cook_bar_as(&k, cells, 2, &desc);
    assert_true(k.report.constrained_coordinate_count > 0);
    expect_complementary_levels(&k, model);
    finish(&k, model);
}

/* Bones of equal weights are one. */
static void test_equal_bones(void **state)
{
    (void)state;
    sn_cook_context k = {.path = NULL};
    sn_model *model = NULL;
    sn_cook_desc desc = describe(6);
    desc.leak = SN_LEAK_NONE;
    k.mesh = sn_test_bar(&k.arena, cells[0], cells[1], cells[2], 0.25);
    sn_test_rig(&k, 4, 3);
    for (int i = 0; i < 4 * k.mesh.vertex_count; ++i) {
        k.rig.weights[i] = 0.25;
    }
    assert_int_equal(sn_cook_context_run(&k, "bar", &desc), SN_OK);
    assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK);
    assert_int_equal(k.report.constrained_coordinate_count, 4);
    expect_complementary_levels(&k, model);
    finish(&k, model);
}

/* ---- motion ---- */

/* A body that is driven, pushed and grabbed stays complementary, in float, at any level, and through changes of it. */
static void test_motion(void **state)
{
    (void)state;
    sn_cook_context k;
    const sn_cook_desc cook_desc = describe(9);
    sn_model *model = sn_test_cook_bar_as(&k, cells, 3, &cook_desc);
    const int n = k.mesh.vertex_count, least = model->counts.min_mode_count;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.gravity[1] = -2;
    sn_flesh f[3];
    for (int i = 0; i < 3; ++i) {
        desc.mode_count = i == 0 ? 0 : i == 1 ? 6 : 1;
        f[i] = sn_flesh_make(model, &desc, NULL);
    }
    assert_int_equal(sn_reduced_solver_mode_count(f[2].solver), least);
    double *u = malloc(3 * (size_t)n * sizeof *u), *axis = malloc((size_t)n * sizeof *axis), transforms[12 * 9];
    assert_true(u && axis && least > 1 && least < 6);
    const double impulse[3] = {0, 3, 1}, tip[3] = {0.4, 0.1, 0};
    double seen = 0;
    for (int frame = 0; frame < 60; ++frame) {
        const double angle = 0.3 * sin(0.3 * frame);
        double pose[36];
        for (int b = 0; b < 3; ++b) {
            sn_affine_identity(pose + 12 * b);
            pose[12 * b] = pose[12 * b + 5] = cos(angle * b);
            pose[12 * b + 1] = -sin(angle * b);
            pose[12 * b + 4] = sin(angle * b);
        }
        if (frame % 10 == 9) {
            sn_reduced_body_apply_impulse(f[0].body, tip, impulse);
        }
        sn_reduced_body_set_solver(f[0].body, f[frame / 7 % 3].solver);
        sn_reduced_body_step(f[0].body, pose, NULL);
        sn_reduced_body_mode_transforms(f[0].body, 1, transforms);
        memset(u, 0, 3 * (size_t)n * sizeof *u);
        sn_skin_add(model->mode_weights, 9, transforms, model->rest_positions, n, u);
        for (int d = 0; d < 3; ++d) {
            for (int v = 0; v < n; ++v) {
                axis[v] = u[3 * v + d];
                seen = fmax(seen, fabs(axis[v]));
            }
            assert_true(d == 2 || violation(&k, axis) < 1e-5); /* across the motion there is next to nothing */
        }
    }
    assert_true(seen > 0.01);
    sn_reduced_body_set_solver(f[0].body, f[0].solver);
    for (int i = 2; i >= 0; --i) {
        sn_flesh_finish(&f[i]);
    }
    free(u);
    free(axis);
    finish(&k, model);
}

/* A world draws as many modes as the level takes. */
static void test_world_says_what_is_used(void **state)
{
    (void)state;
    sn_cook_context k;
    const sn_cook_desc cook_desc = describe(9);
    sn_model *model = sn_test_cook_bar_as(&k, cells, 3, &cook_desc);
    const int least = model->counts.min_mode_count, asked[4] = {0, 1, 7, 99}, used[4] = {9, least, 7, 9};
    sn_world_desc world_desc = sn_default_world_desc();
    sn_body_desc desc = sn_default_body_desc();
    sn_world_id world;
    sn_body_id body;
    desc.model = model;
    assert_true(least > 1);
    assert_int_equal(sn_world_create(&world_desc, &world), SN_OK);
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(sn_body_set_detail(body, asked[i], 0), SN_OK);
        sn_world_step(world, 1.0 / 60);
        assert_int_equal(sn_body_output(body).mode_count, used[i]);
        assert_int_equal(sn_model_level_mode_count(model, asked[i]), used[i]);
    }
    sn_world_destroy(world);
    finish(&k, model);
}

/* ---- how many, and what is refused ---- */

static void test_automatic_count(void **state)
{
    (void)state;
    for (int bones = 1; bones <= 4; ++bones) {
        sn_cook_context k;
        sn_cook_desc desc = describe(0);
        desc.leak = SN_LEAK_NONE;
        sn_model *model = sn_test_cook_bar_as(&k, cells, bones, &desc);
        assert_int_equal(k.report.mode_count, 16 + (k.report.constrained_coordinate_count + 3) / 4);
        assert_true(k.report.coordinate_count >= 4 * 16 && k.report.coordinate_count < 4 * 17);
        finish(&k, model);
    }
}

/* Tets with one handle have coordinates, with more handles weights. */
static void test_automatic_constraint(void **state)
{
    (void)state;
    for (int bones = 1; bones <= 2; ++bones) {
        sn_cook_context k;
        sn_cook_desc desc = describe(0);
        desc.complementary = SN_COMPLEMENTARY_AUTO;
        sn_model *model = sn_test_cook_bar_as(&k, cells, bones, &desc);
        assert_int_equal(k.report.mode_count, 16);
        assert_true(bones == 1 ? k.report.constrained_coordinate_count > 0 : k.constraint.row_count > 0);
        assert_int_equal(k.report.constrained_coordinate_count > 0, k.constraint.row_count == 0);
        finish(&k, model);
    }
}

static void expect_refused(sn_cook_context *k, const sn_cook_desc *desc, const char *says)
{
    begin_log();
    assert_int_equal(sn_cook_context_run(k, "bar", desc), SN_ERROR_ARGUMENT);
    assert_one_error("bar: ");
    assert_one_error(says);
    finish(k, NULL);
}

static void test_too_few_modes(void **state)
{
    (void)state;
    for (int modes = 1; modes <= 3; ++modes) {
        sn_cook_context k = {.path = NULL};
        sn_cook_desc desc = describe(modes);
        desc.leak = SN_LEAK_NONE;
        k.mesh = sn_test_bar(&k.arena, cells[0], cells[1], cells[2], 0.25);
        sn_test_rig(&k, 3, 3);
        if (modes == 3) { /* 12 coordinates less 11 */
            assert_int_equal(sn_cook_context_run(&k, "bar", &desc), SN_OK);
            assert_int_equal(k.report.coordinate_count, 1);
            finish(&k, NULL);
        } else {
            expect_refused(&k, &desc, "the rig's constraint takes 11");
        }
    }
    /* in the plane a mode has three */
    sn_cook_context k = {.path = NULL};
    sn_cook_desc desc = describe(3);
    desc.leak = SN_LEAK_NONE;
    k.mesh = sn_test_sheet(&k.arena, 12, 6, 0.25, 0.5);
    sn_test_rig(&k, 4, 3);
    expect_refused(&k, &desc, "3 modes have 9 coordinates, and the rig's constraint takes 11");
}

int test_complementary(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bones, setup, teardown),
        cmocka_unit_test_setup_teardown(test_flat_body, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cage, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pins_and_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_localised_modes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_equal_bones, setup, teardown),
        cmocka_unit_test_setup_teardown(test_motion, setup, teardown),
        cmocka_unit_test_setup_teardown(test_world_says_what_is_used, setup, teardown),
        cmocka_unit_test_setup_teardown(test_automatic_count, setup, teardown),
        cmocka_unit_test_setup_teardown(test_automatic_constraint, setup, teardown),
        cmocka_unit_test_setup_teardown(test_too_few_modes, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
