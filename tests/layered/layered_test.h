/* SPDX-License-Identifier: MIT */
/* Layered bodies for tests. Include it after cmocka.h. */
#ifndef SN_TESTS_LAYERED_LAYERED_TEST_H
#define SN_TESTS_LAYERED_LAYERED_TEST_H

#include "tests/support/leg.h"

static inline sn_layered_model *sn_leg_model(const sn_test_leg *leg)
{
    sn_layered_model *model = NULL;
    assert_int_equal(sn_layered_model_create(&leg->desc, &model), SN_OK);
    return model;
}

static inline sn_layered_body *sn_leg_body(const sn_layered_model *model, const sn_layered_settings *settings)
{
    sn_layered_body *body = NULL;
    assert_int_equal(sn_layered_body_create(model, settings, NULL, &body), SN_OK);
    return body;
}

/* The leg without bones. */
static inline void sn_leg_set_free(sn_test_leg *leg)
{
    for (int v = 0; v < leg->desc.vertex_count; ++v) {
        leg->bones[v] = -1;
    }
}

static inline double *sn_leg_places(sn_test_leg *leg)
{
    double *places = SN_NEW(&leg->arena, double, 3 * leg->desc.vertex_count);
    assert_non_null(places);
    return places;
}

/* Root of the mean square distance of vertices that no bone carries. */
static inline double sn_leg_distance(const sn_test_leg *leg, const double *a, const double *b)
{
    double sum = 0;
    int count = 0;
    for (int v = 0; v < leg->desc.vertex_count; ++v) {
        const double distance = sn_distance3(a + 3 * v, b + 3 * v);
        sum += leg->bones[v] < 0 ? distance * distance : 0;
        count += leg->bones[v] < 0;
    }
    return sqrt(sum / count);
}

#endif
