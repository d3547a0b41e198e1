/* SPDX-License-Identifier: MIT */
/* The bar of world_test.h as it would be cooked for layered bodies: its end that is low in x is the first bone's, the
 * other the last one's, and flesh is in between. Include host/model/model.h and world_test.h before it. */
#ifndef SN_TESTS_WORLD_LAYERED_BAR_H
#define SN_TESTS_WORLD_LAYERED_BAR_H

#include <stdlib.h>
#include <string.h>

static sn_model layered_bar;

static inline int load_layered(void **state)
{
    load(state);
    const int32_t vertices = model->counts.vertex_count, tets = model->counts.tet_count;
    int32_t *bones = calloc((size_t)vertices, sizeof *bones);
    float *stiffness = calloc((size_t)tets, SN_STRAIN_STIFFNESS_COUNT * sizeof *stiffness);
    assert_true(bones && stiffness);
    for (int32_t v = 0; v < vertices; ++v) {
        const float x = model->rest_positions[3 * v];
        bones[v] = x < -0.45F ? 0 : x > 0.45F ? BONES - 1 : -1;
    }
    for (int32_t t = 0; t < tets; ++t) {
        const float mu = model->tet_stiffness[t] / 2;
        const float all[SN_STRAIN_STIFFNESS_COUNT] = {2 * mu, 2 * mu, 2 * mu, mu, mu, mu, 4 * mu};
        memcpy(stiffness + SN_STRAIN_STIFFNESS_COUNT * t, all, sizeof all);
    }
    layered_bar = *model;
    layered_bar.strain_type = SN_STRAIN_GLOBAL;
    layered_bar.strain_attached_bones = bones;
    layered_bar.strain_stiffness = stiffness;
    return 0;
}

static inline int unload_layered(void **state)
{
    free((void *)(uintptr_t)layered_bar.strain_attached_bones);
    free((void *)(uintptr_t)layered_bar.strain_stiffness);
    return unload(state);
}

static inline sn_body_desc layered_desc(double gravity)
{
    sn_body_desc desc = sn_default_body_desc();
    desc.model = &layered_bar;
    desc.solver = SN_SOLVER_LAYERED;
    desc.gravity[1] = -gravity;
    desc.damping = 6;
    return desc;
}

static inline sn_body_id make_layered(sn_world_id world, double gravity)
{
    const sn_body_desc desc = layered_desc(gravity);
    sn_body_id body;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    return body;
}

#endif
