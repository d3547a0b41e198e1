/* SPDX-License-Identifier: MIT */
/* Half floats, normals, tangents, derivatives of weights, and the deformed frame against numerical differentiation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "host/math/vec3.h"
#include "host/skin/skin.h"
#include "tests/support/bar.h"
#include "tests/support/torus.h"

#define DEGREES 57.29577951308232

static void test_half_round_trip(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        const uint16_t half = (uint16_t)bits;
        if ((half & 0x7c00) == 0x7c00) {
            continue; /* infinities and NaN */
        }
        const float value = sn_float_from_half(half);
        assert_int_equal(sn_half_from_float(value), half);
        const float next = sn_float_from_half((uint16_t)(half + 1));
        if (isfinite(next) && (half & 0x7fff) != 0x7fff) {
            const float middle = 0.5F * (value + next); /* a tie goes to the even one */
            assert_int_equal(sn_half_from_float(middle), half & 1 ? half + 1 : half);
        }
    }
    assert_int_equal(sn_half_from_float(1e9F), 0x7bff);
    assert_int_equal(sn_half_from_float(-INFINITY), 0xfbff);
    assert_int_equal(sn_half_from_float(NAN), 0);
}

static double angle_between(const double *a, const double *b)
{
    double normal[3];
    sn_cross3(a, b, normal);
    return DEGREES * atan2(sn_length3(normal), sn_dot3(a, b));
}

static void test_torus_normals_and_tangents(void **state)
{
    (void)state;
    sn_arena arena = {0};
    const sn_torus torus = sn_torus_make(&arena, 64, 32, 1, 1);
    for (size_t v = 0; v < (size_t)torus.mesh.vertex_count; ++v) {
        const double *x = torus.mesh.positions + 3 * v, *n = torus.normals + 3 * v, *t = torus.tangents + 4 * v;
        const double reach = hypot(x[0], x[2]);
        const double exact[3] = {x[0] * (1 - SN_TORUS_RADIUS / reach), x[1], x[2] * (1 - SN_TORUS_RADIUS / reach)};
        assert_true(angle_between(n, exact) < 0.5);
        assert_true(fabs(sn_dot3(n, t)) < 1e-12 && fabs(sn_length3(t) - 1) < 1e-12 && fabs(t[3]) == 1);
    }
    sn_arena_finish(&arena);
}

/* A sheet in a slanted plane, cut in two along a seam whose vertices are there twice. */
static void make_sheet(double *positions, double *uvs, int32_t *triangles)
{
    for (int v = 0; v < 8; ++v) {
        const int column = v % 4, row = v / 4; /* columns 1 and 2 are the same place */
        const double x = column < 2 ? column : column - 1, y = row;
        positions[3 * v] = x;
        positions[3 * v + 1] = 0.5 * x + y;
        positions[3 * v + 2] = -0.25 * x;
        uvs[2 * v] = column < 2 ? x : 5 - x; /* the second half is mirrored */
        uvs[2 * v + 1] = 1 - y;
    }
    static const int32_t corners[12] = {0, 1, 4, 4, 1, 5, 2, 3, 6, 6, 3, 7};
    memcpy(triangles, corners, sizeof corners);
}

/* Mirrored halves leave both zeros in the middle, where they meet: that is one place. */
static void test_both_zeros_are_one_place(void **state)
{
    (void)state;
    const double positions[15] = {0.0, 1, 2, -0.0, 1, 2, 0.0, 1, 2, -0.0, 1, 2, -0.0, 1, 3};
    const sn_tri_mesh mesh = {5, 0, positions, NULL};
    int32_t groups[5];
    int group_count = 0;
    assert_int_equal(sn_tri_groups(&mesh, NULL, groups, &group_count), SN_OK);
    assert_int_equal(group_count, 2);
    assert_true(groups[0] == groups[1] && groups[1] == groups[2] && groups[2] == groups[3] && groups[3] != groups[4]);
}

static void test_linear_fields_are_exact_across_a_seam(void **state)
{
    (void)state;
    double positions[24], uvs[16], normals[24], tangents[32], fields[16], derivatives[32];
    int32_t triangles[12], groups[8];
    int group_count = 0;
    make_sheet(positions, uvs, triangles);
    const sn_tri_mesh mesh = {8, 4, positions, triangles};
    sn_tri_normals(&mesh, normals);
    sn_tri_tangents(&mesh, normals, uvs, tangents);
    assert_int_equal(sn_tri_groups(&mesh, normals, groups, &group_count), SN_OK);
    assert_int_equal(group_count, 6);
    assert_int_equal(groups[1], groups[2]);
    const double slopes[2][3] = {{2, -1, 3}, {0.5, 4, 1}};
    for (int v = 0; v < 8; ++v) {
        fields[2 * v] = sn_dot3(slopes[0], positions + 3 * v);
        fields[2 * v + 1] = sn_dot3(slopes[1], positions + 3 * v);
    }
    assert_int_equal(sn_tri_derivatives(&mesh, groups, group_count, normals, tangents, fields, 2, derivatives), SN_OK);
    for (int v = 0; v < 8; ++v) {
        const double *t = tangents + 4 * v;
        const bool is_mirrored = v % 4 >= 2;
        assert_true(t[3] == (is_mirrored ? -1 : 1));
        assert_true((t[0] > 0) == !is_mirrored); /* along growing u */
        double bitangent[3];
        sn_cross3(normals + 3 * v, t, bitangent);
        for (int f = 0; f < 2; ++f) {
            assert_true(fabs(derivatives[4 * v + 2 * f] - sn_dot3(slopes[f], t)) < 1e-12);
            assert_true(fabs(derivatives[4 * v + 2 * f + 1] - t[3] * sn_dot3(slopes[f], bitangent)) < 1e-12);
        }
    }
}

/* What morph targets do to a place that is `step` along tangent or bitangent from a vertex. */
static void add_morphs(const sn_torus *torus, int v, int side, double step, double *x)
{
    const sn_model *m = &torus->model;
    for (int i = torus->morph_count > 0 ? m->morph_starts[v] : 0; torus->morph_count > 0 && i < m->morph_starts[v + 1];
         ++i) {
        const sn_morph_delta *delta = &m->morph_deltas[i];
        for (int d = 0; d < 3; ++d) {
            x[d] += (double)torus->morphs[delta->morph] *
                    ((double)delta->offset[d] + step * (double)sn_float_from_half(delta->derivatives[d][side]));
        }
    }
}

/* Where a place goes when it moves by `step` along tangent or bitangent, by the stored derivatives. */
static void displaced(const sn_torus *torus, int v, int side, double step, const double *bones, const double *modes,
                      double *result)
{
    const sn_model *m = &torus->model;
    const float *t = m->surface_tangents + 4 * v, *n = m->surface_normals + 3 * v, *rest = m->surface_positions + 3 * v;
    const double tangent[3] = {(double)t[0], (double)t[1], (double)t[2]};
    const double normal[3] = {(double)n[0], (double)n[1], (double)n[2]};
    double bitangent[3], at[3], x[3], blended[12] = {0}, sum = 0;
    sn_cross3(normal, tangent, bitangent);
    for (int d = 0; d < 3; ++d) {
        at[d] = (double)rest[d];
        x[d] = (double)rest[d] + step * (side == 0 ? tangent[d] : (double)t[3] * bitangent[d]);
    }
    add_morphs(torus, v, side, 0, at);
    add_morphs(torus, v, side, step, x);
    for (int i = m->influence_starts[v]; i < m->influence_starts[v + 1]; ++i) {
        const double slope = (double)sn_float_from_half(m->influences[i].derivatives[side]);
        const double weight = (double)m->influences[i].weight + step * slope / m->diagonal;
        sum += step * slope / m->diagonal;
        for (int k = 0; k < 12; ++k) {
            blended[k] += weight * bones[12 * m->influences[i].bone + k];
        }
    }
    double rig[3] = {0}; /* weights that stay a partition of one: the rest of the sum goes where the rig went */
    for (int d = 0; d < 3; ++d) {
        for (int i = m->influence_starts[v]; i < m->influence_starts[v + 1]; ++i) {
            const double *row = bones + 12 * m->influences[i].bone + 4 * d;
            rig[d] += (double)m->influences[i].weight * (row[0] * at[0] + row[1] * at[1] + row[2] * at[2] + row[3]);
        }
    }
    for (int j = 0; j < torus->mode_count; ++j) {
        const sn_mode_weight *w = &m->surface_modes[v * torus->mode_count + j];
        const double weight = (double)w->weight + step * (double)sn_float_from_half(w->derivatives[side]) / m->diagonal;
        for (int k = 0; k < 12; ++k) {
            blended[k] += weight * modes[12 * j + k];
        }
    }
    for (int d = 0; d < 3; ++d) {
        const double *row = blended + 4 * d;
        result[d] = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3] - sum * rig[d];
    }
}

/* The formulas: with the stored derivatives the frame is the numerical derivative's. */
static void expect_derivative(int morph_count)
{
    sn_arena arena = {0};
    sn_torus torus = sn_torus_make(&arena, 24, 11, 5, 7);
    if (morph_count > 0) {
        sn_torus_add_morphs(&torus, &arena, morph_count);
        assert_true(torus.model.counts.morph_delta_count < 24 * 11 * morph_count / 2); /* sparse */
    }
    const int n = torus.mesh.vertex_count;
    double bones[60], modes[84];
    sn_torus_pose(&torus, 0.3, bones, modes);
    double *positions = SN_NEW(&arena, double, 3 * n), *normals = SN_NEW(&arena, double, 3 * n);
    double *tangents = SN_NEW(&arena, double, 3 * n);
    sn_skin_surface(&torus.skin, bones, modes, torus.morphs, positions, normals, tangents);
    for (int v = 0; v < n; ++v) {
        double ahead[2][3], behind[2][3], j[2][3], normal[3];
        for (int side = 0; side < 2; ++side) {
            displaced(&torus, v, side, 1e-5, bones, modes, ahead[side]);
            displaced(&torus, v, side, -1e-5, bones, modes, behind[side]);
            sn_subtract3(ahead[side], behind[side], j[side]);
        }
        sn_cross3(j[0], j[1], normal);
        for (int d = 0; d < 3; ++d) {
            normal[d] *= torus.tangents[4 * v + 3];
        }
        assert_true(angle_between(normal, normals + 3 * v) < 1e-5 * DEGREES);
        assert_true(fabs(sn_dot3(normals + 3 * v, tangents + 3 * v)) < 1e-9);
        assert_true(sn_dot3(j[0], tangents + 3 * v) > 0);
    }
    sn_arena_finish(&arena);
}

static void test_frame_is_the_derivative(void **state)
{
    (void)state;
    expect_derivative(0);
    expect_derivative(6);
}

/* Largest angle in degrees between the skinned normals and those of the exact deformation, by central differences of
 * the closed form; naive: of normals that ignore how weights vary. */
static double normal_error(int rings, int segments, int morph_count, double *naive)
{
    sn_arena arena = {0};
    sn_torus torus = sn_torus_make(&arena, rings, segments, 4, 6);
    if (morph_count > 0) {
        sn_torus_add_morphs(&torus, &arena, morph_count);
    }
    const int n = torus.mesh.vertex_count;
    double bones[48], modes[72], worst = 0;
    sn_torus_pose(&torus, 0.06, bones, modes);
    double *positions = SN_NEW(&arena, double, 3 * n), *normals = SN_NEW(&arena, double, 3 * n);
    double *flat = SN_NEW(&arena, double, 3 * n);
    sn_skin_surface(&torus.skin, bones, modes, torus.morphs, positions, normals, NULL);
    sn_surface blind = torus.skin;
    sn_influence *influences = SN_NEW(&arena, sn_influence, n * 4);
    sn_mode_weight *mode_weights = SN_NEW(&arena, sn_mode_weight, n * 6);
    for (int i = 0; i < n * 6; ++i) {
        mode_weights[i].weight = torus.model.surface_modes[i].weight;
        if (i < n * 4) {
            influences[i] = (sn_influence){.bone = i % 4, .weight = torus.model.influences[i].weight};
        }
    }
    blind.influences = influences;
    blind.mode_weights = mode_weights;
    sn_skin_surface(&blind, bones, modes, torus.morphs, positions, flat, NULL);
    *naive = 0;
    for (int v = 0; v < n; ++v) {
        const double *x = torus.mesh.positions + 3 * v, *t = torus.tangents + 4 * v;
        const double reach = hypot(x[0], x[2]);
        double normal[3] = {x[0] * (1 - SN_TORUS_RADIUS / reach), x[1], x[2] * (1 - SN_TORUS_RADIUS / reach)};
        double directions[2][3] = {{t[0], t[1], t[2]}, {0, 0, 0}}, j[2][3], exact[3];
        sn_normalize3(normal, normal);
        const double along = sn_dot3(directions[0], normal);
        for (int d = 0; d < 3; ++d) {
            directions[0][d] -= along * normal[d];
        }
        sn_cross3(normal, directions[0], directions[1]);
        for (int side = 0; side < 2; ++side) {
            double ahead[3], behind[3], from[3], to[3];
            for (int d = 0; d < 3; ++d) {
                from[d] = x[d] - 1e-5 * directions[side][d];
                to[d] = x[d] + 1e-5 * directions[side][d];
            }
            sn_torus_deform(&torus, bones, modes, to, ahead);
            sn_torus_deform(&torus, bones, modes, from, behind);
            sn_subtract3(ahead, behind, j[side]);
        }
        sn_cross3(j[0], j[1], exact);
        worst = fmax(worst, angle_between(exact, normals + 3 * v));
        *naive = fmax(*naive, angle_between(exact, flat + 3 * v));
    }
    sn_arena_finish(&arena);
    return worst;
}

static void test_normals_converge_to_the_exact_ones(void **state)
{
    (void)state;
    for (int morph_count = 0; morph_count <= 5; morph_count += 5) {
        double naive = 0;
        const double coarse = normal_error(48, 24, morph_count, &naive);
        const double fine = normal_error(192, 96, morph_count, &naive);
        print_message("%d morph targets: normal error %.2f degrees at 48 x 24, %.3f at 192 x 96; without the weights' "
                      "derivatives %.1f\n",
                      morph_count, coarse, fine, naive);
        assert_true(fine < (morph_count > 0 ? 0.5 : 0.2) && fine < coarse / 8); /* second order */
        assert_true(naive > 10);
    }
}

static void test_a_far_translation_keeps_normals(void **state)
{
    (void)state;
    sn_arena arena = {0};
    const sn_torus torus = sn_torus_make(&arena, 24, 11, 5, 2);
    const int n = torus.mesh.vertex_count;
    double bones[60] = {0}, modes[24] = {0};
    for (int b = 0; b < 5; ++b) {
        for (int d = 0; d < 3; ++d) {
            bones[12 * b + 5 * d] = 1;
            bones[12 * b + 4 * d + 3] = 1000.0 * (d + 1);
        }
    }
    double *positions = SN_NEW(&arena, double, 3 * n), *normals = SN_NEW(&arena, double, 3 * n);
    double *tangents = SN_NEW(&arena, double, 3 * n);
    sn_skin_surface(&torus.skin, bones, modes, torus.morphs, positions, normals, tangents);
    for (int v = 0; v < n; ++v) {
        assert_true(angle_between(normals + 3 * v, torus.normals + 3 * v) < 1e-3);
        assert_true(angle_between(tangents + 3 * v, torus.tangents + 4 * v) < 1e-3);
    }
    sn_arena_finish(&arena);
}

/* A cooked bar, its modes set to something: skinned normals against those of the deformed triangles. */
static void test_cooked_surface(void **state)
{
    (void)state;
    sn_cook_context cooking = {.path = NULL};
    cooking.mesh = sn_test_bar(&cooking.arena, 12, 4, 4, 0.25);
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = 5;
    desc.cluster_count = 10;
    assert_int_equal(sn_cook_context_run(&cooking, "bar", &desc), SN_OK);
    sn_model *model = NULL;
    assert_int_equal(sn_model_load(cooking.bytes, cooking.size, &model), SN_OK);
    const sn_model_counts *c = &model->counts;
    const int n = c->surface_vertex_count;
    assert_int_equal(n, 13 * 5 * 5 - 11 * 3 * 3);
    assert_int_equal(c->surface_triangle_count, c->triangle_count);
    assert_int_equal(c->part_count, 1);
    double bones[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, modes[60];
    for (int i = 0; i < 60; ++i) {
        modes[i] = 0.1 * sin(7.3 * i);
    }
    double *positions = SN_NEW(&cooking.arena, double, 3 * n), *normals = SN_NEW(&cooking.arena, double, 3 * n);
    double *expected = SN_NEW(&cooking.arena, double, 3 * n);
    const sn_surface skin = sn_model_surface(model);
    sn_skin_surface(&skin, bones, modes, NULL, positions, normals, NULL);
    const sn_tri_mesh deformed = {n, c->surface_triangle_count, positions, model->surface_triangles};
    sn_tri_normals(&deformed, expected);
    double mean = 0, moved = 0;
    int flat_count = 0;
    for (int v = 0; v < n; ++v) {
        const float *rest = model->surface_normals + 3 * v;
        const double rest_normal[3] = {(double)rest[0], (double)rest[1], (double)rest[2]};
        if (fabs(rest_normal[0]) + fabs(rest_normal[1]) + fabs(rest_normal[2]) < 1.001) { /* not on an edge */
            mean += angle_between(normals + 3 * v, expected + 3 * v);
            moved += angle_between(normals + 3 * v, rest_normal);
            ++flat_count;
        }
    }
    print_message("mean angle to the deformed triangles' normals: %.2f degrees, to the rest's %.1f\n",
                  mean / flat_count, moved / flat_count);
    assert_true(flat_count > 100 && mean < 0.1 * moved);
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
}

int test_skin(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_round_trip),
        cmocka_unit_test(test_torus_normals_and_tangents),
        cmocka_unit_test(test_both_zeros_are_one_place),
        cmocka_unit_test(test_linear_fields_are_exact_across_a_seam),
        cmocka_unit_test(test_frame_is_the_derivative),
        cmocka_unit_test(test_normals_converge_to_the_exact_ones),
        cmocka_unit_test(test_a_far_translation_keeps_normals),
        cmocka_unit_test(test_cooked_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
