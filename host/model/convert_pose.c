/* SPDX-License-Identifier: MIT */
/* Poses and outputs in the axes and units of an engine. */
#include <math.h>

#include "host/base/base.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "sinew/surface.h"

#define SIMILARITY_TOLERANCE 1e-4

static void to_double(const sn_mat3x4 *m, double *result)
{
    for (int k = 0; k < 12; ++k) {
        result[k] = (double)m->m[k / 4][k % 4];
    }
}

static void to_float(const double *m, sn_mat3x4 *result)
{
    for (int k = 0; k < 12; ++k) {
        result->m[k / 4][k % 4] = (float)m[k];
    }
}

/* From the engine's space to model units, and back. */
static sn_result find_maps(const sn_model *model, const sn_mat3x4 *to_file, double *to_model, double *to_engine)
{
    double origin[3], columns[3][3], error = 0;
    bool is_finite = true;
    to_double(to_file, to_model);
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < 3; ++k) {
            columns[k][d] = to_model[4 * d + k];
        }
    }
    const double square = sn_dot3(columns[0], columns[0]);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            error = fmax(error, fabs(sn_dot3(columns[i], columns[j]) - (i == j ? square : 0)));
        }
        is_finite = is_finite && isfinite(to_model[4 * i + 3]);
    }
    if (!is_finite || !(square > 0) || !(error <= SIMILARITY_TOLERANCE * square)) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "to_file is no similarity: a rotation, a mirror image, one scale and a translation");
    }
    sn_model_origin(model, origin);
    for (int k = 0; k < 12; ++k) {
        to_model[k] = sn_model_scale(model) * (to_model[k] - (k % 4 == 3 ? origin[k / 4] : 0));
    }
    return sn_affine_invert(to_model, to_engine) ? SN_OK : sn_fail(SN_ERROR_ARGUMENT, "to_file has no inverse");
}

sn_result sn_model_convert_pose(const sn_model *model, const sn_mat3x4 *to_file, const sn_mat3x4 *world,
                                const sn_mat3x4 *inverse_binds, sn_mat3x4 *bones, int count)
{
    double to_model[12], to_engine[12];
    if (count != sn_model_bone_count(model)) {
        return sn_fail(SN_ERROR_ARGUMENT, "the pose has %d bones, but the model has %d", count,
                       sn_model_bone_count(model));
    }
    SN_TRY(find_maps(model, to_file, to_model, to_engine));
    for (int b = 0; b < count; ++b) {
        double posed[12], bind[12], moved[12];
        to_double(&world[b], posed);
        to_double(&inverse_binds[b], bind);
        sn_affine_multiply(posed, bind, moved);
        sn_affine_multiply(to_model, moved, posed);
        sn_affine_multiply(posed, to_engine, moved);
        to_float(moved, &bones[b]);
    }
    return SN_OK;
}

/* Bones map points to points. Modes map points to displacements, which have no origin. */
sn_result sn_model_convert_output(const sn_model *model, const sn_mat3x4 *to_file, const sn_body_matrices *output,
                                  sn_mat3x4 *matrices)
{
    double to_model[12], to_engine[12];
    SN_TRY(find_maps(model, to_file, to_model, to_engine));
    for (int i = 0; i < output->bone_count + output->mode_count; ++i) {
        double matrix[12], moved[12];
        if (i == output->bone_count) {
            to_engine[3] = to_engine[7] = to_engine[11] = 0;
        }
        to_double(&output->matrices[i], matrix);
        sn_affine_multiply(matrix, to_model, moved);
        sn_affine_multiply(to_engine, moved, matrix);
        to_float(matrix, &matrices[i]);
    }
    return SN_OK;
}
