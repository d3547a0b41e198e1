/* SPDX-License-Identifier: MIT */
/* Clips of humanoids whose files have none: when they are added, and what becomes of a rest pose and of other clips. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "author/characters/characters.h"
#include "author/cook/cook.h"
#include "author/cook/stages/stages.h"
#include "author/import/character.h"
#include "tests/support/rig_people.h"

static people p;
static double shifted[12 * PERSON_JOINTS];
static sn_character_clip clip;

/* A person without a surface, after the clips were listed. */
static sn_cook_context person_context(const sn_cook_desc *desc)
{
    make_person(&p, &(person){0});
    return (sn_cook_context){.path = "person",
                             .desc = desc,
                             .character = {.bone_count = p.count},
                             .has_character = true,
                             .bone_count = p.count,
                             .bone_parents = p.parents,
                             .bone_bind = p.rest,
                             .bone_names = p.names,
                             .bone_roles = p.roles};
}

static void expect_clips(sn_cook_context *k, int clip_count, int generated_count)
{
    assert_int_equal(sn_cook_context_generate_clips(k), SN_OK);
    assert_int_equal(k->clip_count, clip_count);
    assert_int_equal(k->report.generated_clip_count, generated_count);
}

static void test_a_humanoid_without_clips_gets_some(void **state)
{
    (void)state;
    const sn_cook_desc desc = sn_default_cook_desc();
    sn_cook_context k = person_context(&desc);
    expect_clips(&k, 4, 4);
    assert_string_equal(k.clips[0].name, "idle");
    sn_cook_context_finish(&k);
}

static void test_they_can_be_turned_off(void **state)
{
    (void)state;
    sn_cook_desc desc = sn_default_cook_desc();
    sn_cook_context k = person_context(&desc);
    k.sidecar.is_without_generated_clips = true;
    expect_clips(&k, 0, 0);
    sn_cook_context_finish(&k);
    k = person_context(&desc);
    desc.has_generated_clips = false;
    expect_clips(&k, 0, 0);
    sn_cook_context_finish(&k);
}

/* Clips of the file and of other files, and rigs that replace the file's, leave the clips as they are. */
static void test_other_clips_are_unchanged(void **state)
{
    (void)state;
    sn_cook_desc desc = sn_default_cook_desc();
    sn_cook_context k = person_context(&desc);
    clip = (sn_character_clip){.name = "own", .frame_count = 2, .frame_rate = 60, .transforms = shifted};
    k.clips = k.character.clips = &clip;
    k.clip_count = k.character.clip_count = 1;
    expect_clips(&k, 1, 0);
    assert_ptr_equal(k.clips, &clip);
    sn_cook_context_finish(&k);
    k = person_context(&desc);
    clip.frame_count = 1; /* a motion file with one frame */
    desc.clip_count = 1;
    k.clips = &clip;
    k.clip_count = 1;
    expect_clips(&k, 1, 0);
    sn_cook_context_finish(&k);
    k = person_context(&desc);
    desc.clip_count = 0;
    k.has_rig = true;
    expect_clips(&k, 0, 0);
    sn_cook_context_finish(&k);
}

/* A clip of one frame is the rest pose of a file that is not in its bind pose: the motions start from it. */
static void test_a_rest_pose_is_the_base(void **state)
{
    (void)state;
    const sn_cook_desc desc = sn_default_cook_desc();
    sn_cook_context plain = person_context(&desc), k = person_context(&desc);
    clip = (sn_character_clip){.name = "pose", .frame_count = 1, .frame_rate = 60, .transforms = shifted};
    for (int b = 0; b < p.count; ++b) { /* 3 m to the left */
        sn_affine_identity(shifted + 12 * b);
        shifted[12 * b + 3] = 3;
    }
    k.clips = k.character.clips = &clip;
    k.clip_count = k.character.clip_count = 1;
    expect_clips(&k, 4, 4);
    expect_clips(&plain, 4, 4);
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 12 * p.count * k.clips[i].frame_count; ++j) {
            const double offset = j % 12 == 3 ? 3 : 0;
            assert_true(fabs(k.clips[i].transforms[j] - plain.clips[i].transforms[j] - offset) < 1e-9);
        }
    }
    sn_cook_context_finish(&k);
    sn_cook_context_finish(&plain);
}

/* The mascot without its own clips, from start to end. */
static void test_the_model_stores_them(void **state)
{
    (void)state;
    sn_cook_desc desc = sn_default_cook_desc();
    desc.tet_vertex_count = 1500;
    desc.mode_count = 4;
    desc.cluster_count = 10;
    sn_cook_context cooks[2] = {{0}};
    sn_arena arenas[2] = {{0}};
    for (int i = 0; i < 2; ++i) {
        sn_scene_file *scene = SN_NEW(&arenas[i], sn_scene_file, 1);
        assert_int_equal(sn_mascot_build(&arenas[i], scene), SN_OK);
        scene->clip_count = 0;
        assert_int_equal(sn_character_build(scene, "mascot", &arenas[i], &cooks[i].character), SN_OK);
        cooks[i].character.is_rigid = SN_NEW(&arenas[i], bool, cooks[i].character.vertex_count);
        cooks[i].has_character = true;
        assert_int_equal(sn_cook_context_run(&cooks[i], "mascot", &desc), SN_OK);
    }
    sn_model *model = NULL;
    assert_int_equal(sn_model_load_named("mascot", cooks[0].bytes, cooks[0].size, &model), SN_OK);
    assert_int_equal(model->counts.clip_count, 4);
    assert_int_equal((int)model->generated_clip_count, 4);
    assert_int_equal(sn_model_find_clip(model, "dance"), 3);
    assert_true(fabs(sn_model_clip_seconds(model, 1) - 1.1) < 1e-9);
    assert_int_equal(cooks[0].size, cooks[1].size);
    assert_memory_equal(cooks[0].bytes, cooks[1].bytes, cooks[0].size);
    const double invalid[] = {-1, 5, NAN};
    for (int i = 0; i < 3; ++i) {
        sn_model damaged = *model, *loaded = NULL;
        uint8_t *bytes = NULL;
        size_t size = 0;
        damaged.generated_clip_count = invalid[i];
        assert_int_equal(sn_model_write(&damaged, &arenas[0], &bytes, &size), SN_OK);
        assert_int_equal(sn_model_load_named("damaged", bytes, size, &loaded), SN_ERROR_FORMAT);
    }
    sn_model_release(model);
    for (int i = 0; i < 2; ++i) {
        sn_cook_context_finish(&cooks[i]);
        sn_arena_finish(&arenas[i]);
    }
}

int test_generated_clips(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_humanoid_without_clips_gets_some),
        cmocka_unit_test(test_they_can_be_turned_off),
        cmocka_unit_test(test_other_clips_are_unchanged),
        cmocka_unit_test(test_a_rest_pose_is_the_base),
        cmocka_unit_test(test_the_model_stores_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
