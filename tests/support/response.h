/* SPDX-License-Identifier: MIT */
/* Copies of models with strain limits and decay rates, the same for all clusters and coordinates. */
#ifndef SN_TESTS_SUPPORT_RESPONSE_H
#define SN_TESTS_SUPPORT_RESPONSE_H

#include "host/model/tangent_stiffness.h"

typedef struct sn_test_response {
    double strain_limit_stiffness, strain_limit, decay;
} sn_test_response;

/* Shares the other arrays of the model. */
static inline sn_model sn_test_respond(const sn_model *model, const sn_test_response *r, sn_arena *arena)
{
    const int clusters = model->counts.cluster_count, coordinates = model->counts.coordinate_count;
    double *limits = SN_NEW(arena, double, clusters), *decay = SN_NEW(arena, double, coordinates);
    double *tangent = SN_NEW(arena, double, coordinates);
    SN_ASSERT(limits && decay && tangent);
    sn_model copy = *model;
    for (int c = 0; c < clusters; ++c) {
        limits[c] = r->strain_limit;
    }
    for (int i = 0; i < coordinates; ++i) {
        decay[i] = r->decay;
    }
    copy.strain_limit_stiffness = r->strain_limit_stiffness;
    copy.cluster_strain_limits = limits;
    copy.coordinate_decay = decay;
    sn_model_tangent_diagonal(&copy, tangent);
    copy.coordinate_tangent_stiffness = tangent;
    return copy;
}

#endif
