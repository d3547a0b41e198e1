/* SPDX-License-Identifier: MIT */
/* Displacement of the tet mesh's rig by morph targets: see model.h. */
#include "host/model/model.h"

void sn_model_morph_fields(const sn_model *model, const float *weights, double *fields)
{
    const double *field_weights = model->morph_field_weights;
    for (int f = 0; f < model->counts.morph_field_count; ++f) {
        fields[f] = 0;
        for (int m = 0; m < model->counts.morph_count; ++m) {
            fields[f] += *field_weights++ * (double)weights[m];
        }
    }
}

void sn_morph_pair_rows(const sn_morph_pair *pairs, int pair_count, const double *pose, const double *fields,
                        double *rows)
{
    for (int i = 0; i < pair_count; ++i) {
        const double weight = fields[pairs[i].field];
        for (int k = 0; k < 3; ++k) {
            for (int d = 0; d < 3; ++d, ++rows) {
                const double bind = k == d ? 1 : 0;
                *rows = weight * (pose ? pose[12 * (size_t)pairs[i].bone + (size_t)(4 * d + k)] : bind);
            }
        }
    }
}
