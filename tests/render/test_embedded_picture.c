/* SPDX-License-Identifier: MIT */
/* Flesh that moves as a bone does is drawn as its skin is: the same picture, shadows and normals included. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/mesh/embedding.h"
#include "tests/support/bar.h"
#include "tests/support/image_compare.h"
#include "tests/support/render_fixture.h"

#define WIDTH 160
#define HEIGHT 90

/* The model's surface in tets of a box around it. */
static sn_model put_in_tets(sn_arena *arena, const sn_model *from)
{
    sn_model model = *from;
    sn_tet_mesh box = sn_test_bar(arena, 4, 4, 4, 1);
    const size_t n = (size_t)from->counts.surface_vertex_count, corners = 3 * (size_t)box.vertex_count;
    double *points = SN_NEW(arena, double, 3 * n), *barycentric = SN_NEW(arena, double, 4 * n);
    float *rest = SN_NEW(arena, float, corners), *weights = SN_NEW(arena, float, 4 * n);
    int32_t *tets = SN_NEW(arena, int32_t, n), *neighbours = SN_NEW(arena, int32_t, 4 * box.tet_count), *boundary;
    int boundary_count;
    assert_true(points && barycentric && rest && weights && tets && neighbours);
    for (size_t i = 0; i < corners; ++i) {
        box.positions[i] -= 2;
        rest[i] = (float)box.positions[i];
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        points[i] = (double)from->surface_positions[i];
    }
    assert_int_equal(sn_tet_neighbours(&box, arena, neighbours), SN_OK);
    assert_int_equal(sn_tet_boundary(&box, neighbours, arena, &boundary, &boundary_count), SN_OK);
    assert_int_equal(sn_tet_locate(&box, boundary, boundary_count, points, (int)n, tets, barycentric), SN_OK);
    for (size_t i = 0; i < 4 * n; ++i) {
        weights[i] = (float)fmax(barycentric[i], 0);
    }
    model.counts.vertex_count = box.vertex_count;
    model.counts.tet_count = box.tet_count;
    model.rest_positions = rest;
    model.tets = box.tets;
    model.surface_tets = tets;
    model.surface_barycentric = weights;
    return model;
}

/* Matrices of the embedding for flesh that the body's first bone takes along; the bones themselves stay. */
static const float *follow(sn_arena *arena, const sn_embedding *embedding, const float *transforms)
{
    const sn_model *model = embedding->model;
    const size_t n = (size_t)model->counts.vertex_count, bones = (size_t)model->counts.bone_count;
    double *flesh = SN_NEW(arena, double, 3 * n);
    float *matrices = SN_NEW(arena, float, 12 * (bones + (size_t)sn_embedding_matrix_count(embedding)));
    assert_true(flesh && matrices);
    for (size_t i = 0; i < 3 * n; ++i) {
        const float *row = transforms + 4 * (i % 3), *x = model->rest_positions + i / 3 * 3;
        flesh[i] = (double)row[0] * (double)x[0] + (double)row[1] * (double)x[1] + (double)row[2] * (double)x[2] +
                   (double)row[3];
    }
    memcpy(matrices, transforms, 12 * bones * sizeof *matrices);
    sn_embedding_matrices(embedding, flesh, matrices + 12 * bones);
    return matrices;
}

static void flesh_is_drawn_as_the_skin_is(void **state)
{
    (void)state;
    fixture f = open_fixture(WIDTH, HEIGHT);
    sn_material material = sn_test_material(0.6F, 0.3F, 0.2F);
    uint8_t *skin = SN_NEW(&f.arena, uint8_t, 4 * WIDTH * HEIGHT);
    sn_embedding *embedding;
    assert_non_null(skin);
    material.textures[SN_TEXTURE_NORMAL] = SN_TEST_BUMPS;
    const sn_model model = put_in_tets(&f.arena, sn_test_render_model(&f.arena, SN_TEST_TORUS, 48, 24, 1, 0, material));
    add_model(&f, &model, 0.7F, 0.6F, 0.2F, 0.9F, 0);
    float *bone = (float *)f.bodies[0].transforms;
    bone[1] += 0.3F; /* a shear: normals are not the rotation's */
    const sn_render_scene scene = make_scene(&f);
    memcpy(skin, draw(&f, &scene, "skin"), 4 * WIDTH * HEIGHT);

    assert_int_equal(sn_embedding_create(&model, &embedding), SN_OK);
    sn_render_model_destroy(f.renderer, &f.models[0]);
    assert_int_equal(sn_render_model_create_embedded(f.renderer, embedding, NULL, &f.models[0]), SN_OK);
    f.bodies[0] = (sn_render_body){.model = f.models[0], .transforms = follow(&f.arena, embedding, bone)};
    const image_difference same = image_compare(skin, draw(&f, &scene, "flesh"), WIDTH, HEIGHT);
    if (same.worst > 0.5) {
        fail_msg("flesh and skin differ: mean %g, worst %g", same.mean, same.worst);
    }

    f.bodies[0].transforms = follow(&f.arena, embedding, (const float[12]){1, 0, 0, 1.5F, 0, 1, 0, 1, 0, 0, 1, 0});
    const image_difference other = image_compare(skin, draw(&f, &scene, "moved"), WIDTH, HEIGHT);
    assert_true(other.worst > 10);
    sn_embedding_destroy(&embedding);
    close_fixture(&f);
}

int test_embedded_picture(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(flesh_is_drawn_as_the_skin_is)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
