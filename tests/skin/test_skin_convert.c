/* SPDX-License-Identifier: MIT */
/* Poses and outputs in the space of an engine: turned, mirrored, scaled and moved. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/math/affine.h"
#include "sinew/surface.h"
#include "tests/world/posed_bar.h"

/* From engines to the file. */
static const sn_mat3x4 spaces[] = {
    {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}},
    {{{-1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}},
    {{{0.01F, 0, 0, 0.3F}, {0, 0, 0.01F, -2}, {0, 0.01F, 0, 0.5F}}},
    {{{1.2F, 1.6F, 0, 1}, {-1.6F, 1.2F, 0, 2}, {0, 0, 2, 3}}},
};

static void to_double(const sn_mat3x4 *m, double *result)
{
    for (int k = 0; k < 12; ++k) {
        result[k] = (double)m->m[k / 4][k % 4];
    }
}

/* From an engine to model units, and back. */
static void find_maps(const sn_mat3x4 *space, double *to_model, double *to_engine)
{
    double file[12], origin[3], scale = sn_model_scale(model);
    sn_model_origin(model, origin);
    const double model_of_file[12] = {scale, 0, 0,     -scale * origin[0], 0, scale, 0, -scale * origin[1],
                                      0,     0, scale, -scale * origin[2]};
    to_double(space, file);
    sn_affine_multiply(model_of_file, file, to_model);
    assert_true(sn_affine_invert(to_model, to_engine));
}

/* The engine's bones are its own images of the pose, about bind transforms of their own. */
static void a_pose_is_converted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; ++i) {
        sn_mat3x4 pose[BONES], world[BONES], inverse_binds[BONES], bones[BONES];
        double to_model[12], to_engine[12];
        pose_at(0.4, pose);
        find_maps(&spaces[i], to_model, to_engine);
        for (int b = 0; b < BONES; ++b) {
            const double bind[12] = {0, -1, 0, 0.1 * b, 1, 0, 0, 0.2, 0, 0, 1, -0.1};
            double inverse[12], moved[12], posed[12];
            to_double(&pose[b], posed);
            sn_affine_multiply(to_engine, posed, moved);
            sn_affine_multiply(moved, to_model, posed);
            sn_affine_multiply(posed, bind, moved);
            assert_true(sn_affine_invert(bind, inverse));
            for (int k = 0; k < 12; ++k) {
                world[b].m[k / 4][k % 4] = (float)moved[k];
                inverse_binds[b].m[k / 4][k % 4] = (float)inverse[k];
            }
        }
        assert_int_equal(sn_model_convert_pose(model, &spaces[i], world, inverse_binds, bones, BONES), SN_OK);
        for (int k = 0; k < 12 * BONES; ++k) {
            assert_true(fabs((double)(&bones[0].m[0][0])[k] - (double)(&pose[0].m[0][0])[k]) < 2e-5);
        }
    }
}

/* The engine's skinning of its own mesh is the image of the model's. */
static void an_output_is_converted(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 0.3);
    for (int frame = 0; frame < 40; ++frame) {
        sn_mat3x4 bones[BONES];
        pose_at(frame / 60.0, bones);
        sn_body_set_pose(body, bones, BONES);
        sn_world_step(world, 1.0 / 60);
    }
    const sn_surface surface = sn_model_surface(model);
    const sn_body_matrices output = sn_body_output(body);
    const size_t count = (size_t)(output.bone_count + output.mode_count);
    float *skin = malloc(3 * (size_t)surface.vertex_count * sizeof *skin);
    sn_mat3x4 *matrices = malloc(count * sizeof *matrices);
    assert_non_null(skin);
    assert_non_null(matrices);
    assert_true(size_of_modes(body) > 0.01);
    assert_int_equal(sn_surface_skin(&surface, &output, skin, NULL, NULL), SN_OK);
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; ++i) {
        double to_model[12], to_engine[12];
        find_maps(&spaces[i], to_model, to_engine);
        const double unit =
            sqrt(to_engine[0] * to_engine[0] + to_engine[4] * to_engine[4] + to_engine[8] * to_engine[8]);
        assert_int_equal(sn_model_convert_output(model, &spaces[i], &output, matrices), SN_OK);
        for (int v = 0; v < surface.vertex_count; ++v) {
            double rest[3], own[3], posed[3], expected[3], moved[3] = {0, 0, 0}, matrix[12], image[3];
            for (int d = 0; d < 3; ++d) {
                rest[d] = (double)surface.positions[3 * v + d];
                posed[d] = (double)skin[3 * v + d];
            }
            sn_affine_apply(to_engine, rest, own);
            sn_affine_apply(to_engine, posed, expected);
            for (int32_t k = surface.influence_starts[v]; k < surface.influence_starts[v + 1]; ++k) {
                to_double(&matrices[surface.influences[k].bone], matrix);
                sn_affine_apply(matrix, own, image);
                for (int d = 0; d < 3; ++d) {
                    moved[d] += (double)surface.influences[k].weight * image[d];
                }
            }
            for (int j = 0; j < output.mode_count; ++j) {
                to_double(&matrices[output.bone_count + j], matrix);
                sn_affine_apply(matrix, own, image);
                for (int d = 0; d < 3; ++d) {
                    moved[d] += (double)surface.mode_weights[v * surface.mode_count + j].weight * image[d];
                }
            }
            for (int d = 0; d < 3; ++d) {
                assert_true(fabs(moved[d] - expected[d]) < 2e-5 * unit);
            }
        }
    }
    free(matrices);
    free(skin);
    sn_world_destroy(world);
}

static void other_spaces_are_refused(void **state)
{
    (void)state;
    static const sn_mat3x4 wrong[] = {{{{0}}},
                                      {{{1, 0.1F, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}},
                                      {{{1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 1, 0}}},
                                      {{{1, 0, 0, NAN}, {0, 1, 0, 0}, {0, 0, 1, 0}}}};
    sn_mat3x4 pose[BONES];
    pose_at(0, pose);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        assert_int_equal(sn_model_convert_pose(model, &wrong[i], pose, pose, pose, BONES), SN_ERROR_ARGUMENT);
    }
    assert_int_equal(sn_model_convert_pose(model, &spaces[0], pose, pose, pose, BONES + 1), SN_ERROR_ARGUMENT);
}

int test_skin_convert(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_pose_is_converted), cmocka_unit_test(an_output_is_converted),
                                       cmocka_unit_test(other_spaces_are_refused)};
    return cmocka_run_group_tests(tests, load, unload);
}
