/* SPDX-License-Identifier: MIT */
/* The bar with spring bones, and how far bones of bodies are apart. Include it after cmocka.h. */
#ifndef SN_TESTS_WORLD_SPRUNG_BAR_H
#define SN_TESTS_WORLD_SPRUNG_BAR_H

#include "host/model/model.h"
#include "tests/world/posed_bar.h"

static sn_model sprung; /* the bar, whose last two bones swing, above a ball on the first */
static sn_spring_joint joints[2];
static sn_spring_solid solid;
static const int32_t links[1];
static int32_t swung_by[BONES];

static inline void make_sprung(void)
{
    sprung = *model;
    for (int i = 0; i < 2; ++i) {
        const float *head = model->bone_pivots + 3 * (BONES - 2 + i);
        joints[i] = (sn_spring_joint){
            .bone = BONES - 2 + i, .parent = i - 1, .center = -1, .link_count = 1, .stiffness = 2, .drag = 0.2F};
        joints[i].gravity[1] = -0.5F;
        for (int d = 0; d < 3; ++d) {
            joints[i].head[d] = head[d];
            joints[i].tail[d] = head[d] + (d == 0 ? 0.2F : 0);
        }
    }
    for (int b = 0; b < BONES; ++b) {
        swung_by[b] = b - (BONES - 2) < 0 ? -1 : b - (BONES - 2);
    }
    solid = (sn_spring_solid){.shape = SN_COLLIDER_SPHERE, .radius = 0.1F, .location = {0.3F, -0.3F, 0}};
    sprung.spring_joint_count = 2;
    sprung.spring_joints = joints;
    sprung.spring_solid_count = sprung.spring_link_count = 1;
    sprung.spring_solids = &solid;
    sprung.spring_links = links;
    sprung.spring_bones = swung_by;
}

static inline int load_sprung(void **state)
{
    const int result = load(state);
    make_sprung();
    return result;
}

static inline sn_body_id make(sn_world_id world, bool is_without)
{
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    desc.model = &sprung;
    desc.is_without_springs = is_without;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    return body;
}

static inline void pose(sn_body_id body, double seconds)
{
    sn_mat3x4 bones[BONES];
    pose_at(seconds, bones);
    sn_body_set_pose(body, bones, BONES);
}

/* The largest difference of the bones' matrices. */
static inline double apart(const float *a, const float *b)
{
    double largest = 0;
    for (int i = 0; i < 12 * BONES; ++i) {
        largest = fmax(largest, fabs((double)a[i] - (double)b[i]));
    }
    return largest;
}

static inline double bones_apart(sn_body_id body, sn_body_id other)
{
    float a[12 * (BONES + MODES)], b[12 * (BONES + MODES)];
    copy_output(body, a);
    copy_output(other, b);
    return apart(a, b);
}

#endif
