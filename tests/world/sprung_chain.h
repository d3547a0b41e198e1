/* SPDX-License-Identifier: MIT */
/* The bar whose last two thirds are a chain of two joints. Include it after cmocka.h. */
#ifndef SN_TESTS_WORLD_SPRUNG_CHAIN_H
#define SN_TESTS_WORLD_SPRUNG_CHAIN_H

#include "tests/world/sprung_bar.h"

enum { SIZE = 12 * (BONES + MODES) };

static const double end[3] = {0.47, 0, 0}; /* of the bar, which the last bone carries */

/* The last two thirds of the bar, a joint each. */
static inline int load_chain(void **state)
{
    const int result = load_sprung(state);
    for (int i = 0; i < 2; ++i) {
        joints[i].head[0] = i == 0 ? -0.157F : 0.157F;
        joints[i].tail[0] = joints[i].head[0] + 0.314F;
    }
    return result;
}

/* Where a point of the bind pose is that a bone carries, as it is drawn. */
static inline void carried_by(sn_body_id body, int bone, const double *point, double *result)
{
    const sn_mat3x4 m = sn_body_output(body).matrices[bone];
    for (int d = 0; d < 3; ++d) {
        result[d] = (double)m.m[d][3];
        for (int k = 0; k < 3; ++k) {
            result[d] += (double)m.m[d][k] * point[k];
        }
    }
}

static inline void carried(sn_body_id body, const double *point, double *result)
{
    carried_by(body, BONES - 1, point, result);
}

static inline void let(sn_world_id world, double seconds)
{
    for (int i = 0; i < 60 * seconds; ++i) {
        assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 0);
    }
}

/* Level of detail. */
static inline void turn(sn_body_id body, bool is_off)
{
    sn_body_desc desc = sn_default_body_desc();
    desc.model = &sprung;
    desc.is_without_springs = is_off;
    assert_int_equal(sn_body_set_desc(body, &desc), SN_OK);
}

#endif
