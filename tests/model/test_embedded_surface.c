/* SPDX-License-Identifier: MIT */
/* A surface in its tets, by hand: at rest, under affine and quadratic fields, with morph targets, beside tets and on
 * bones; and what is no mesh. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/base/random.h"
#include "host/math/vec3.h"
#include "host/model/embedding.h"
#include "host/skin/skin.h"
#include "tests/support/bar.h"
#include "tests/support/log.h"

#define POINTS 300
#define BONE_POINT 7 /* of these, one that lies in no tet and hangs on a bone */

typedef struct places {
    sn_arena arena;
    sn_model model;
    sn_embedding *embedding;
    double *flesh;    /* (vertex_count x 3) */
    double *matrices; /* (1 + nodes) x 12 */
    double positions[3 * POINTS], normals[3 * POINTS], tangents[3 * POINTS];
} places;

static float *narrow(sn_arena *arena, const double *values, size_t count)
{
    float *result = SN_NEW(arena, float, count);
    assert_non_null(result);
    for (size_t i = 0; i < count; ++i) {
        result[i] = (float)values[i];
    }
    return result;
}

/* Random points of random tets, some pushed out of them by up to `beside`, with random frames. */
static void scatter(places *p, const sn_tet_mesh *mesh, double beside)
{
    float *positions = SN_NEW(&p->arena, float, 3 * POINTS), *normals = SN_NEW(&p->arena, float, 3 * POINTS);
    float *tangents = SN_NEW(&p->arena, float, 4 * POINTS), *barycentric = SN_NEW(&p->arena, float, 4 * POINTS);
    int32_t *tets = SN_NEW(&p->arena, int32_t, POINTS), *starts = SN_NEW(&p->arena, int32_t, POINTS + 1);
    sn_influence *influences = SN_NEW(&p->arena, sn_influence, POINTS);
    uint64_t seed = 3;
    assert_true(positions && normals && tangents && barycentric && tets && starts && influences);
    for (size_t v = 0; v < POINTS; ++v) {
        double b[4], sum = 0, n[3], t[3];
        tets[v] = (int32_t)(sn_random_unit(&seed) * mesh->tet_count);
        for (size_t k = 0; k < 4; ++k) {
            b[k] = mesh->is_flat && k == 3 ? 0 : v % 5 == 0 && k > 1 ? 0 : sn_random_unit(&seed);
            sum += b[k];
        }
        for (size_t k = 0; k < 4; ++k) {
            barycentric[4 * v + k] = (float)(b[k] / sum);
        }
        if (v % 10 == 0) { /* counts for nothing, as it is no coordinate in a tet */
            barycentric[4 * v + 3] = -0.1F;
        }
        for (size_t d = 0; d < 3; ++d) {
            double at = v % 3 == 0 && !(mesh->is_flat && d == 2) ? beside * (sn_random_unit(&seed) - 0.5) : 0;
            for (size_t k = 0; k < 4; ++k) {
                at += b[k] / sum * mesh->positions[3 * (size_t)mesh->tets[4 * (size_t)tets[v] + k] + d];
            }
            positions[3 * v + d] = (float)at;
            n[d] = mesh->is_flat ? (d == 2) : sn_random_unit(&seed) - 0.5;
            t[d] = mesh->is_flat && d == 2 ? 0 : sn_random_unit(&seed) - 0.5;
        }
        const double away[3] = {0, 0, 1};
        sn_normalize3(n, away);
        const double along = sn_dot3(n, t);
        for (size_t d = 0; d < 3; ++d) {
            t[d] -= along * n[d];
        }
        sn_normalize3(t, away);
        for (size_t d = 0; d < 3; ++d) {
            normals[3 * v + d] = (float)n[d];
            tangents[4 * v + d] = (float)t[d];
        }
        tangents[4 * v + 3] = v % 2 ? 1 : -1;
        starts[v + 1] = (int32_t)v + 1;
        influences[v] = (sn_influence){.bone = 0, .weight = 1};
    }
    tets[BONE_POINT] = -1;
    memset(barycentric + 4 * BONE_POINT, 0, 4 * sizeof *barycentric);
    p->model.surface_positions = positions;
    p->model.surface_normals = normals;
    p->model.surface_tangents = tangents;
    p->model.surface_tets = tets;
    p->model.surface_barycentric = barycentric;
    p->model.influence_starts = starts;
    p->model.influences = influences;
    p->model.counts.surface_vertex_count = p->model.counts.influence_count = POINTS;
}

/* Of a mesh; the bone stays at rest. */
static void open_places(places *p, const sn_tet_mesh *mesh, double beside)
{
    const size_t n = (size_t)mesh->vertex_count;
    p->model = (sn_model){.counts = {.vertex_count = mesh->vertex_count, .tet_count = mesh->tet_count, .bone_count = 1},
                          .diagonal = 1,
                          .is_flat = mesh->is_flat,
                          .rest_positions = narrow(&p->arena, mesh->positions, 3 * n),
                          .tets = mesh->tets};
    scatter(p, mesh, beside);
    assert_int_equal(sn_embedding_create(&p->model, &p->embedding), SN_OK);
    p->flesh = SN_NEW(&p->arena, double, 3 * n);
    p->matrices = SN_NEW(&p->arena, double, 12 * (1 + (size_t)sn_embedding_matrix_count(p->embedding)));
    assert_true(p->flesh && p->matrices);
    memcpy(p->flesh, mesh->positions, 3 * n * sizeof *p->flesh);
    p->matrices[0] = p->matrices[5] = p->matrices[10] = 1;
}

static void close_places(places *p)
{
    sn_embedding_destroy(&p->embedding);
    sn_arena_finish(&p->arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void draw(places *p, const float *morphs)
{
    const size_t count = 12 * (size_t)sn_embedding_matrix_count(p->embedding);
    const sn_surface surface = sn_embedding_surface(p->embedding);
    float *matrices = SN_NEW(&p->arena, float, count);
    assert_non_null(matrices);
    sn_embedding_matrices(p->embedding, p->flesh, matrices);
    for (size_t i = 0; i < count; ++i) {
        p->matrices[12 + i] = (double)matrices[i];
    }
    sn_skin_surface(&surface, p->matrices, NULL, morphs, p->positions, p->normals, p->tangents);
}

static double rest_of(const places *p, int vertex, int d)
{
    return (double)p->model.surface_positions[3 * vertex + d];
}

static void at_rest_it_is_the_surface(void **state)
{
    (void)state;
    places p = {0};
    const sn_tet_mesh bar = sn_test_bar(&p.arena, 5, 3, 2, 0.2);
    open_places(&p, &bar, 0.3);
    draw(&p, NULL);
    const sn_surface surface = sn_embedding_surface(p.embedding);
    assert_int_equal(surface.mode_count, 0);
    for (int v = 0; v < POINTS; ++v) {
        double sum = 0;
        assert_in_range(surface.influence_starts[v + 1] - surface.influence_starts[v], 1, 4);
        for (int i = surface.influence_starts[v]; i < surface.influence_starts[v + 1]; ++i) {
            assert_true(surface.influences[i].weight > 0);
            assert_in_range(surface.influences[i].bone, v == BONE_POINT ? 0 : 1,
                            v == BONE_POINT ? 0 : sn_embedding_matrix_count(p.embedding));
            sum += (double)surface.influences[i].weight;
        }
        assert_true(fabs(sum - 1) < 1e-6);
        for (int d = 0; d < 3; ++d) {
            assert_true(fabs(p.positions[3 * v + d] - rest_of(&p, v, d)) < 1e-6);
            assert_true(fabs(p.normals[3 * v + d] - (double)surface.normals[3 * v + d]) < 1e-6);
            assert_true(fabs(p.tangents[3 * v + d] - (double)surface.tangents[4 * v + d]) < 1e-6);
        }
    }
    close_places(&p);
}

/* A shear, stretched, that mirrors nothing. */
static const double affine[12] = {1.1, 0.6, -0.2, 3, 0.1, 0.8, 0.3, -2, -0.4, 0.2, 1.3, 1};

static void apply(const double *m, const double *x, double w, double *to)
{
    for (int d = 0; d < 3; ++d) {
        to[d] = m[4 * d] * x[0] + m[4 * d + 1] * x[1] + m[4 * d + 2] * x[2] + w * m[4 * d + 3];
    }
}

/* The normal of a surface that the linear part takes along: cofactors times the normal. */
static void turn_normal(const double *m, const float *normal, double *to)
{
    const double rows[3][3] = {{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}, up[3] = {0, 0, 1};
    for (int d = 0; d < 3; ++d) {
        double cofactors[3];
        sn_cross3(rows[(d + 1) % 3], rows[(d + 2) % 3], cofactors);
        to[d] = cofactors[0] * (double)normal[0] + cofactors[1] * (double)normal[1] + cofactors[2] * (double)normal[2];
    }
    sn_normalize3(to, up);
}

/* Wherever vertices lie; and with a morph target that moves them all. */
static void an_affine_field_is_reproduced(void **state)
{
    (void)state;
    places p = {0};
    const float weight = 0.5F;
    const sn_tet_mesh bar = sn_test_bar(&p.arena, 5, 3, 2, 0.2);
    int32_t starts[POINTS + 1];
    sn_morph_delta deltas[POINTS];
    for (int v = 0; v <= POINTS; ++v) {
        starts[v] = v;
        deltas[v < POINTS ? v : 0] = (sn_morph_delta){.morph = 0, .offset = {0.2F, -0.1F, 0.4F}};
    }
    open_places(&p, &bar, 0.3);
    sn_embedding_destroy(&p.embedding);
    p.model.counts.morph_count = 1;
    p.model.counts.morph_delta_count = POINTS;
    p.model.morph_starts = starts;
    p.model.morph_deltas = deltas;
    assert_int_equal(sn_embedding_create(&p.model, &p.embedding), SN_OK);
    for (int v = 0; v < bar.vertex_count; ++v) {
        apply(affine, bar.positions + 3 * v, 1, p.flesh + 3 * v);
    }
    memcpy(p.matrices, affine, sizeof affine);
    draw(&p, &weight);
    for (int v = 0; v < POINTS; ++v) {
        double x[3], there[3], normal[3];
        for (int d = 0; d < 3; ++d) {
            x[d] = rest_of(&p, v, d) + 0.5 * (double)deltas[v].offset[d];
        }
        apply(affine, x, 1, there);
        turn_normal(affine, p.model.surface_normals + 3 * v, normal);
        for (int d = 0; d < 3; ++d) {
            assert_true(fabs(p.positions[3 * v + d] - there[d]) < 3e-6);
            assert_true(fabs(p.normals[3 * v + d] - normal[d]) < 1e-5);
        }
    }
    close_places(&p);
}

/* x = X + a bend: x_d + k_d . (squares and products) */
static void bend(const double *x, double *to, double *gradient)
{
    to[0] = x[0] + 0.5 * x[1] * x[1] - 0.3 * x[0] * x[2];
    to[1] = x[1] - 0.4 * x[0] * x[0];
    to[2] = x[2] + 0.6 * x[0] * x[1];
    const double rows[12] = {1 - 0.3 * x[2], x[1], -0.3 * x[0], 0, -0.8 * x[0], 1, 0, 0, 0.6 * x[1], 0.6 * x[0], 1, 0};
    memcpy(gradient, rows, sizeof rows);
}

/* In the middle of a mesh that looks the same from all of its nodes their gradients are exact: so are positions, which
 * linear interpolation would miss by hundredths, and normals, which would jump from tet to tet. */
static void a_quadratic_field_is_reproduced_inside(void **state)
{
    (void)state;
    places p = {0};
    int inside = 0;
    double linear_worst = 0;
    const sn_tet_mesh bar = sn_test_bar(&p.arena, 5, 5, 5, 0.2);
    open_places(&p, &bar, 0);
    for (int v = 0; v < bar.vertex_count; ++v) {
        double unused[12];
        bend(bar.positions + 3 * v, p.flesh + 3 * v, unused);
    }
    draw(&p, NULL);
    for (int v = 0; v < POINTS; ++v) {
        const double x[3] = {rest_of(&p, v, 0), rest_of(&p, v, 1), rest_of(&p, v, 2)};
        double there[3], gradient[12], normal[3], linear[3] = {0};
        bool is_inside = v != BONE_POINT;
        for (int d = 0; d < 3; ++d) {
            is_inside = is_inside && x[d] > 0.2 && x[d] < 0.8;
        }
        if (!is_inside) {
            continue;
        }
        ++inside;
        bend(x, there, gradient);
        turn_normal(gradient, p.model.surface_normals + 3 * v, normal);
        for (int k = 0; k < 4; ++k) {
            const int32_t corner = bar.tets[4 * p.model.surface_tets[v] + k];
            for (int d = 0; d < 3; ++d) {
                linear[d] += (double)p.model.surface_barycentric[4 * v + k] * p.flesh[3 * corner + d];
            }
        }
        for (int d = 0; d < 3; ++d) {
            assert_true(fabs(p.positions[3 * v + d] - there[d]) < 2e-6);
            assert_true(fabs(p.normals[3 * v + d] - normal[d]) < 1e-5);
            linear_worst = fmax(linear_worst, fabs(linear[d] - there[d]));
        }
    }
    assert_true(inside > 30 && linear_worst > 2e-3);
    close_places(&p);
}

static void flat_bodies_keep_their_faces(void **state)
{
    (void)state;
    places p = {0};
    const double in_plane[12] = {1.2, 0.5, 0, 1, -0.3, 0.9, 0, 2, 0, 0, 1, 0};
    const sn_tet_mesh sheet = sn_test_sheet(&p.arena, 6, 4, 0.25, 0);
    for (int t = 0; t < sheet.tet_count; ++t) {
        sheet.tets[4 * t + 3] = sheet.tets[4 * t + 2];
    }
    open_places(&p, &sheet, 0.2);
    for (int v = 0; v < sheet.vertex_count; ++v) {
        apply(in_plane, sheet.positions + 3 * v, 1, p.flesh + 3 * v);
    }
    draw(&p, NULL);
    for (int v = 0; v < POINTS; ++v) {
        const double x[3] = {rest_of(&p, v, 0), rest_of(&p, v, 1), rest_of(&p, v, 2)};
        double there[3];
        apply(v == BONE_POINT ? p.matrices : in_plane, x, 1, there);
        for (int d = 0; d < 3; ++d) {
            assert_true(fabs(p.positions[3 * v + d] - there[d]) < 2e-6);
            assert_true(fabs(p.normals[3 * v + d] - (d == 2)) < 1e-6);
        }
    }
    close_places(&p);
}

static void what_lies_in_no_tet_follows_its_bone(void **state)
{
    (void)state;
    places p = {0};
    const sn_tet_mesh bar = sn_test_bar(&p.arena, 3, 3, 3, 0.2);
    open_places(&p, &bar, 0);
    memcpy(p.matrices, affine, sizeof affine);
    draw(&p, NULL);
    for (int v = 0; v < POINTS; ++v) {
        const double x[3] = {rest_of(&p, v, 0), rest_of(&p, v, 1), rest_of(&p, v, 2)};
        double there[3];
        apply(affine, x, 1, there);
        for (int d = 0; d < 3; ++d) {
            assert_true(fabs(p.positions[3 * v + d] - (v == BONE_POINT ? there[d] : x[d])) < 2e-6);
        }
    }
    close_places(&p);
}

static void tets_without_volume_are_refused(void **state)
{
    (void)state;
    places p = {0};
    const sn_tet_mesh bar = sn_test_bar(&p.arena, 2, 2, 2, 0.2);
    open_places(&p, &bar, 0);
    sn_embedding_destroy(&p.embedding);
    float *flat = narrow(&p.arena, bar.positions, 3 * (size_t)bar.vertex_count);
    for (int v = 0; v < bar.vertex_count; ++v) {
        flat[3 * v + 1] = 0;
    }
    p.model.rest_positions = flat;
    begin_log();
    assert_int_equal(sn_embedding_create(&p.model, &p.embedding), SN_ERROR_FORMAT);
    assert_one_error("no volume");
    sn_set_log(NULL, NULL);
    assert_null(p.embedding);
    close_places(&p);
}

int test_embedded_surface(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest_it_is_the_surface),
        cmocka_unit_test(an_affine_field_is_reproduced),
        cmocka_unit_test(a_quadratic_field_is_reproduced_inside),
        cmocka_unit_test(flat_bodies_keep_their_faces),
        cmocka_unit_test(what_lies_in_no_tet_follows_its_bone),
        cmocka_unit_test(tets_without_volume_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
