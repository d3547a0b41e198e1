/* SPDX-License-Identifier: MIT */
/* Cooking from arrays: tets, a surface that the mesher fills, a textured drawing with weights of its own; other handles
 * for what was cooked; and one line for what is wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/model/model.h"
#include "sinew/author.h"
#include "tests/support/bar.h"
#include "tests/support/log.h"

static int start(void **state)
{
    (void)state;
    begin_log();
    return 0;
}

static int finish(void **state)
{
    (void)state;
    sn_set_log(NULL, NULL);
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

static const double corners[24] = {0, 0, 0, 2, 0, 0, 0, 1, 0, 2, 1, 0, 0, 0, 1, 2, 0, 1, 0, 1, 1, 2, 1, 1};
static const int32_t sides[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                  2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

static sn_cook_mesh_input box(void)
{
    return (sn_cook_mesh_input){
        .name = "box", .vertex_count = 8, .positions = corners, .triangle_count = 12, .triangles = sides};
}

static const sn_cook_handle ends[2] = {
    {.shape = SN_HANDLE_SHAPE_POINT, .name = "left", .parent = -1, .start = {0, 0.5, 0.5}},
    {.shape = SN_HANDLE_SHAPE_POINT, .name = "right", .parent = 0, .start = {2, 0.5, 0.5}, .is_stretchable = true}};
static const sn_cook_handles two = {.name = "ends", .count = 2, .handles = ends};

static sn_cook_desc desc_of(const sn_cook_handles *handles)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.units = SN_UNITS_KEEP;
    desc.is_coupled = true;
    desc.handles = handles;
    return desc;
}

static void a_surface_is_filled(void **state)
{
    (void)state;
    const sn_cook_mesh_input input = box();
    const sn_cook_desc desc = desc_of(&two);
    sn_cook_report report;
    sn_blob blob;
    sn_model *model = NULL;
    assert_int_equal(sn_cook_mesh(&input, &desc, &blob, &report), SN_OK);
    assert_true(report.vertex_count > 100 && report.bone_count == 2 && report.mode_count == 0);
    assert_int_equal(sn_model_load(blob.bytes, blob.size, &model), SN_OK);
    assert_string_equal(sn_model_bone_name(model, 1), "right");
    assert_true(sn_model_bone_parent(model, 1) == 0 && sn_model_bone_parent(model, 0) == -1);
    assert_true(sn_model_is_bone_stretchable(model, 1) && !sn_model_is_bone_stretchable(model, 0));
    double pivot[3];
    sn_model_bone_pivot(model, 1, pivot);
    assert_true(pivot[0] == 2 && pivot[1] == 0.5 && pivot[2] == 0.5);
    sn_model_release(model);
    sn_blob_release(&blob);
}

/* A picture on a solid is lit, and blended only where one sees through it. */
static void a_textured_solid_is_lit(void **state)
{
    (void)state;
    static const double uvs[16] = {0};
    static const uint8_t pixels[2][4] = {{200, 100, 50, 255}, {200, 100, 50, 254}};
    static const sn_alpha_mode modes[2] = {SN_ALPHA_OPAQUE, SN_ALPHA_BLEND};
    const sn_cook_desc desc = desc_of(&two);
    for (int i = 0; i < 2; ++i) {
        sn_cook_mesh_input input = box();
        sn_blob blob;
        sn_model *model = NULL;
        input.uvs = uvs;
        input.texture_width = input.texture_height = 1;
        input.texture = pixels[i];
        assert_int_equal(sn_cook_mesh(&input, &desc, &blob, NULL), SN_OK);
        assert_int_equal(sn_model_load(blob.bytes, blob.size, &model), SN_OK);
        assert_true(model->counts.material_count > 0);
        assert_true(!model->materials[0].is_unlit && model->materials[0].alpha_mode == (int32_t)modes[i]);
        sn_model_release(model);
        sn_blob_release(&blob);
    }
}

/* The same numbers in units of their own: pivots go along. */
static void units_are_the_models(void **state)
{
    (void)state;
    const sn_cook_mesh_input input = box();
    sn_cook_desc desc = desc_of(&two);
    sn_blob blob;
    sn_model *model = NULL;
    desc.units = SN_UNITS_UNIT;
    assert_int_equal(sn_cook_mesh(&input, &desc, &blob, NULL), SN_OK);
    assert_int_equal(sn_model_load(blob.bytes, blob.size, &model), SN_OK);
    double left[3], right[3];
    sn_model_bone_pivot(model, 0, left);
    sn_model_bone_pivot(model, 1, right);
    assert_true(fabs(right[0] - left[0] - 2 * model->scale) < 1e-6 && fabs(right[1] - left[1]) < 1e-6);
    assert_true(fabs(left[0] - (0 - model->origin_x) * model->scale) < 1e-6);
    sn_model_release(model);
    sn_blob_release(&blob);
}

/* A square of two textured triangles with given weights, which are drawn as they are. */
static void a_drawing_keeps_its_weights(void **state)
{
    (void)state;
    static const double square[12] = {0, 0, 3, 1, 0, 3, 1, 1, 3, 0, 1, 3}, uvs[8] = {0, 1, 1, 1, 1, 0, 0, 0};
    static const int32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    static const uint8_t pixels[16] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 9, 9, 0};
    static const double weights[8] = {1, 0, 0, 2, 0.5, 0.5, 3, 1};
    const sn_cook_handle points[2] = {{.shape = SN_HANDLE_SHAPE_POINT, .name = "a", .parent = -1, .start = {0, 0, 3}},
                                      {.shape = SN_HANDLE_SHAPE_CAGE, .name = "b", .parent = -1, .start = {1, 0, 3}}};
    const sn_cook_handles handles = {.count = 2, .handles = points};
    const sn_cook_mesh_input input = {.name = "square",
                                      .vertex_count = 4,
                                      .positions = square,
                                      .triangle_count = 2,
                                      .triangles = triangles,
                                      .uvs = uvs,
                                      .texture_width = 2,
                                      .texture_height = 2,
                                      .texture = pixels,
                                      .weights = weights};
    sn_cook_desc desc = desc_of(&handles);
    sn_blob blob;
    sn_model *model = NULL;
    desc.is_flat = true;
    assert_int_equal(sn_cook_mesh(&input, &desc, &blob, NULL), SN_OK);
    assert_int_equal(sn_model_load(blob.bytes, blob.size, &model), SN_OK);
    assert_true(sn_model_is_flat(model) && sn_model_is_bone_translation_only(model, 1));
    assert_true(model->counts.texture_count == 1 && memcmp(model->texture_pixels, pixels, sizeof pixels) == 0);
    assert_true(model->materials[0].is_unlit && model->materials[0].alpha_mode == SN_ALPHA_BLEND);
    for (int v = 0; v < model->counts.vertex_count; ++v) {
        const float *x = model->rest_positions + 3 * v;
        int from = 0;
        while (square[3 * from] != (double)x[0] || square[3 * from + 1] != (double)x[1]) {
            ++from;
        }
        const double share = weights[2 * from] / (weights[2 * from] + weights[2 * from + 1]);
        assert_true(fabs((double)model->rig_weights[2 * v] - share) < 1e-6);
    }
    double pivot[3];
    sn_model_bone_pivot(model, 1, pivot);
    assert_true(fabs(pivot[0] - 1) < 1e-6 && fabs(pivot[1]) < 1e-6);
    sn_model_release(model);
    sn_blob_release(&blob);
}

/* Its own handles again are its own weights again, in tets and on the surface; loose bones go with the modes. */
static void the_same_rig_is_the_same(void **state)
{
    (void)state;
    const sn_cook_mesh_input input = box();
    const sn_cook_desc desc = desc_of(&two);
    const sn_cook_rig_desc again = {.handles = two};
    sn_blob blobs[2];
    sn_model *models[2];
    assert_int_equal(sn_cook_mesh(&input, &desc, &blobs[0], NULL), SN_OK);
    assert_int_equal(sn_model_load(blobs[0].bytes, blobs[0].size, &models[0]), SN_OK);
    models[0]->is_posed = 1;
    assert_int_equal(sn_cook_rig(models[0], &again, &blobs[1]), SN_OK);
    assert_int_equal(sn_model_load(blobs[1].bytes, blobs[1].size, &models[1]), SN_OK);
    const sn_model *a = models[0], *b = models[1];
    assert_memory_equal(&a->counts, &b->counts, sizeof a->counts);
    assert_true(b->is_posed == 0);
    for (int i = 0; i < 2 * a->counts.vertex_count; ++i) {
        assert_true(fabsf(a->rig_weights[i] - b->rig_weights[i]) < 2e-3F);
    }
    for (int i = 0; i < a->counts.influence_count; ++i) {
        assert_int_equal(a->influences[i].bone, b->influences[i].bone);
        assert_true(fabsf(a->influences[i].weight - b->influences[i].weight) < 2e-3F);
    }
    assert_string_equal(sn_model_bone_name(b, 1), "right");
    for (int i = 0; i < 2; ++i) {
        sn_model_release(models[i]);
        sn_blob_release(&blobs[i]);
    }
}

static void expect_refused(const sn_cook_mesh_input *input, const sn_cook_desc *desc, const char *part)
{
    sn_blob blob;
    begin_log();
    assert_int_not_equal(sn_cook_mesh(input, desc, &blob, NULL), SN_OK);
    assert_one_error(part);
    assert_null(blob.bytes);
}

static void what_is_wrong_has_a_line(void **state)
{
    (void)state;
    double positions[24], weights[16] = {0};
    int32_t triangles[36];
    memcpy(positions, corners, sizeof positions);
    memcpy(triangles, sides, sizeof triangles);
    sn_cook_desc desc = desc_of(&two);
    sn_cook_mesh_input input = box();
    input.positions = positions;
    input.triangles = triangles;
    positions[5] = NAN;
    expect_refused(&input, &desc, "box: vertex 1: position is not finite");
    positions[5] = 0;
    triangles[4] = 8;
    expect_refused(&input, &desc, "box: triangle 1: vertex 8 does not exist; there are 8");
    triangles[4] = 3;
    input.weights = weights;
    expect_refused(&input, &desc, "box: weights of vertex 0");
    desc.handles = NULL;
    expect_refused(&input, &desc, "box: weights need handles");
    input.weights = NULL;
    input.triangle_count = 0;
    expect_refused(&input, &desc, "box: it has no vertices or no triangle");
    input.triangle_count = 12;
    desc.rig_path = "rig.json";
    expect_refused(&input, &desc, "a body made of arrays cannot use files");
    /* closed cages: one with a hole */
    sn_cook_handle cage[8];
    for (int v = 0; v < 8; ++v) {
        cage[v] = (sn_cook_handle){.shape = SN_HANDLE_SHAPE_CAGE, .parent = -1};
        for (int d = 0; d < 3; ++d) {
            cage[v].start[d] = 1.5 * corners[3 * v + d] - 0.25;
        }
    }
    sn_cook_handles handles = {.name = "cage", .count = 8, .handles = cage, .triangle_count = 11, .triangles = sides};
    desc = desc_of(&handles);
    expect_refused(&input, &desc, "cage: triangles: the edge from");
    handles.triangle_count = 12;
    cage[3].parent = 0;
    expect_refused(&input, &desc, "cage: handles[3]: parent 0 must be another point or bone");
    cage[3].parent = -1;
    cage[7].start[0] = -3; /* inside out: faces cross */
    expect_refused(&input, &desc, "cage: ");
}

/* A closed cage around the box: its corners are translations. */
static void a_cage_moves_what_is_inside(void **state)
{
    (void)state;
    sn_cook_handle cage[8];
    for (int v = 0; v < 8; ++v) {
        cage[v] = (sn_cook_handle){.shape = SN_HANDLE_SHAPE_CAGE, .parent = -1};
        for (int d = 0; d < 3; ++d) {
            cage[v].start[d] = 1.5 * corners[3 * v + d] - 0.25 * (d == 0 ? 2 : 1);
        }
    }
    const sn_cook_handles handles = {
        .name = "cage", .count = 8, .handles = cage, .triangle_count = 12, .triangles = sides};
    const sn_cook_mesh_input input = box();
    const sn_cook_desc desc = desc_of(&handles);
    sn_blob blob;
    sn_model *model = NULL;
    assert_int_equal(sn_cook_mesh(&input, &desc, &blob, NULL), SN_OK);
    assert_int_equal(sn_model_load(blob.bytes, blob.size, &model), SN_OK);
    assert_string_equal(sn_model_bone_name(model, 3), "bone 3");
    for (int v = 0; v < model->counts.vertex_count; ++v) {
        double sum = 0;
        for (int b = 0; b < 8; ++b) {
            sum += (double)model->rig_weights[8 * v + b];
        }
        assert_true(fabs(sum - 1) < 1e-5);
    }
    sn_model_release(model);
    sn_blob_release(&blob);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int test_cook_mesh(void)
{
    const struct CMUnitTest tests[] = {TEST(a_surface_is_filled),        TEST(a_textured_solid_is_lit),
                                       TEST(units_are_the_models),       TEST(a_drawing_keeps_its_weights),
                                       TEST(the_same_rig_is_the_same),   TEST(what_is_wrong_has_a_line),
                                       TEST(a_cage_moves_what_is_inside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
