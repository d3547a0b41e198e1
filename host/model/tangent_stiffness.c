/* SPDX-License-Identifier: MIT */
#include "host/model/tangent_stiffness.h"

#include <math.h>

double sn_model_cluster_stiffness(const sn_model *model, int cluster)
{
    const size_t columns = 4 * (size_t)model->counts.bone_count;
    double trace = 0;
    for (size_t k = 0; k < 3; ++k) {
        const double *row = model->cluster_bone + (3 * (size_t)cluster + k) * columns;
        for (size_t column = k; column < columns; column += 4) {
            trace += row[column];
        }
    }
    return trace / sn_model_rest_trace(model);
}

void sn_model_tangent_diagonal(const sn_model *model, double *diagonal)
{
    const size_t q = (size_t)model->counts.coordinate_count;
    const double kappa = model->strain_limit_stiffness, axes = sn_model_is_flat(model) ? 2 : 3;
    const double skew = (axes - 1) / (2 * axes);
    for (size_t i = 0; i < q; ++i) {
        diagonal[i] = (1 + kappa) * model->coordinate_stiffness[i];
    }
    for (int c = 0; c < model->counts.cluster_count; ++c) {
        const double own = sn_model_cluster_stiffness(model, c);
        const double factor = own > 0 ? (skew + kappa - model->cluster_lame[c] / (axes * own)) / own : 0;
        const double *s = model->cluster_coordinate + 3 * (size_t)c * q;
        for (size_t i = 0; i < 3 * q; ++i) {
            diagonal[i % q] -= factor * s[i] * s[i];
        }
    }
    for (size_t i = 0; i < q; ++i) {
        diagonal[i] = fmax(diagonal[i], 0);
    }
}
