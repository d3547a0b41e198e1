/* SPDX-License-Identifier: MIT */
/* Spring bones in a model's file: kept, absent where there are none, and every index and number checked. */
#include <math.h>
#include <string.h>

#include "tests/model/model_test.h"

static const sn_spring_joint sound_joints[2] = {
    {.parent = -1, .center = 0, .link_count = 2, .stiffness = 1, .drag = 0.5F, .tail = {1, 0, 0}},
    {.parent = 0, .center = -1, .first_link = 1, .link_count = 1, .head = {1, 0, 0}, .tail = {2, 0, 0}}};
static const sn_spring_solid sound_solids[2] = {
    {.shape = SN_COLLIDER_CAPSULE, .is_inside = 1, .radius = 1, .end = {0, 1, 0}},
    {.shape = SN_COLLIDER_PLANE, .end = {0, 1, 0}}};

/* What is written and loaded; a case spoils one thing. */
typedef struct springs {
    sn_spring_joint joints[2];
    sn_spring_solid solids[2];
    int32_t links[2], bones[1];
} springs;

static sn_model with_springs(const sn_model *model, const springs *s)
{
    sn_model with = *model;
    with.spring_joint_count = with.spring_solid_count = with.spring_link_count = 2;
    with.soft_spring_count = 1;
    with.spring_joints = s->joints;
    with.spring_solids = s->solids;
    with.spring_links = s->links;
    with.spring_bones = s->bones;
    return with;
}

static springs sound(void)
{
    springs s = {.links = {0, 1}, .bones = {1}};
    memcpy(s.joints, sound_joints, sizeof s.joints);
    memcpy(s.solids, sound_solids, sizeof s.solids);
    return s;
}

static void kept(void **state)
{
    (void)state;
    sn_cook_context cooking;
    sn_model *model = NULL, *loaded = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    cook_bar(&cooking);
    assert_int_equal(sn_model_load(cooking.bytes, cooking.size, &model), SN_OK);
    assert_int_equal(sn_model_spring_count(model), 0);
    const springs s = sound();
    const sn_model with = with_springs(model, &s);
    assert_int_equal(sn_model_write(&with, &cooking.arena, &bytes, &size), SN_OK);
    assert_true(size > cooking.size);
    assert_int_equal(sn_model_load(bytes, size, &loaded), SN_OK);
    assert_int_equal(sn_model_spring_count(loaded), 2);
    assert_int_equal(sn_model_spring_collider_count(loaded), 2);
    assert_memory_equal(loaded->spring_joints, s.joints, sizeof s.joints);
    assert_memory_equal(loaded->spring_solids, s.solids, sizeof s.solids);
    const sn_model_spring told = sn_model_get_spring(loaded, 1);
    assert_true(told.parent == 0 && told.center == -1 && told.collider_count == 1 && told.tail[0] == 2);
    sn_model_release(loaded);
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
}

static void spoil(springs *s, int what)
{
    int32_t *const integers[] = {
        &s->joints[1].bone,       &s->joints[1].parent, &s->joints[1].center, &s->joints[1].first_link,
        &s->joints[1].link_count, &s->solids[0].bone,   &s->solids[0].shape,  &s->solids[0].is_inside,
        &s->solids[1].is_inside,  &s->links[1],         &s->bones[0]};
    const int32_t high[] = {1, 1, 1, 2, 2, 1, SN_COLLIDER_BOX, 2, 1, 2, 2},
                  low[] = {-1, -2, -2, -1, -1, -1, -1, -1, -1, -1, -2};
    float *const numbers[] = {&s->joints[0].stiffness,  &s->joints[0].drag,        &s->joints[0].hit_radius,
                              &s->joints[0].gravity[1], &s->joints[0].head[2],     &s->joints[0].tail[0],
                              &s->solids[0].radius,     &s->solids[0].location[1], &s->solids[0].end[2],
                              &s->solids[1].end[1]};
    const float wrong[] = {-1, 1.5F, -1, INFINITY, 1e10F, 0, -1, NAN, -INFINITY, 2};
    if (what < 22) {
        *integers[what / 2] = what % 2 ? low[what / 2] : high[what / 2];
    } else {
        *numbers[(what - 22) / 2] = what % 2 ? NAN : wrong[(what - 22) / 2];
    }
}

static void damaged(void **state)
{
    (void)state;
    sn_cook_context cooking;
    sn_model *model = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    cook_bar(&cooking);
    assert_int_equal(sn_model_load(cooking.bytes, cooking.size, &model), SN_OK);
    for (int what = 0; what < 42; ++what) {
        springs s = sound();
        spoil(&s, what);
        const sn_model with = with_springs(model, &s);
        assert_int_equal(sn_model_write(&with, &cooking.arena, &bytes, &size), SN_OK);
        expect_refused(bytes, size, SN_ERROR_FORMAT);
    }
    const double counts[] = {-1, 0.5, 4097, NAN, INFINITY};
    for (int i = 0; i < 20; ++i) {
        const springs s = sound();
        sn_model with = with_springs(model, &s);
        double *const all[] = {&with.spring_joint_count, &with.spring_solid_count, &with.spring_link_count,
                               &with.soft_spring_count};
        *all[i / 5] = i / 5 == 2 && i % 5 == 2 ? 65537 : counts[i % 5];
        assert_int_equal(sn_model_write(&with, &cooking.arena, &bytes, &size), SN_OK);
        if (i != 16) { /* half a loose bone is none of anyone's business */
            expect_refused(bytes, size, SN_ERROR_FORMAT);
        }
    }
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
}

int test_model_springs(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kept), cmocka_unit_test(damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
