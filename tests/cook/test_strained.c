/* SPDX-License-Identifier: MIT */
/* Flesh of a rig that stretches its bones rests in the rig's pose. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/cook/materials/rig_stretch.h"
#include "author/import/read_character.h"
#include "tests/support/log.h"

#define MASCOT SN_BINARY_DIR "/characters/mascot.glb"

static void what_is_strained(void **state)
{
    (void)state;
    const double c = cos(2), s = sin(2);
    const struct {
        double m[12];
        bool is_strained;
    } cases[] = {{{c, -s, 0, 3, s, c, 0, 4, 0, 0, 1, 5}, false},
                 {{1.05, 0, 0, 0, 0, 0.97, 0, 0, 0, 0, 1, 0}, false},
                 {{1, 0, 0, 0, 0, 1.15, 0, 0, 0, 0, 1, 0}, true},
                 {{0.8, 0, 0, 0, 0, 0.8, 0, 0, 0, 0, 0.8, 0}, true},
                 {{c, -s, 0.3 * c, 0, s, c, 0.3 * s, 0, 0, 0, 1, 0}, true},
                 {{0}, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double transforms[4 * 12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0,
                                     1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        double weights[4] = {1, 0, 0.75, 0.25};
        memcpy(transforms + 36, cases[i].m, sizeof cases[i].m); /* bone 1 in the second frame */
        sn_character_clip clip = {.name = "clip", .frame_count = 2, .frame_rate = 60, .transforms = transforms};
        sn_cook_context k = {
            .has_character = true, .bone_count = 2, .clip_count = 1, .clips = &clip, .rig_weights = weights};
        k.mesh.vertex_count = 2;
        assert_true(sn_rig_stretch_detect(&k) == cases[i].is_strained);
        k.has_rig = true; /* of a rig file: as the paper has it */
        assert_false(sn_rig_stretch_detect(&k));
        k.has_rig = false;
        weights[3] = 0; /* no flesh of its own */
        assert_false(sn_rig_stretch_detect(&k));
    }
}

static void its_model_is_posed(void **state)
{
    (void)state;
    for (int is_squashed = 0; is_squashed < 2; ++is_squashed) {
        sn_cook_context k = {.path = NULL};
        sn_model *model = NULL;
        sn_cook_desc desc = sn_default_cook_desc();
        desc.young = 1e4;
        desc.method = SN_COOK_METHOD_COMPLEMENTARY;
        desc.mode_count = 6;
        desc.cluster_count = 20;
        desc.tet_vertex_count = 2000;
        assert_int_equal(sn_character_read(MASCOT, &k.arena, &k.sidecar, &k.character), SN_OK);
        k.has_character = true;
        for (int b = 0; b < k.character.bone_count && is_squashed; ++b) {
            for (int i = 4; i < 8; ++i) {
                k.character.clips[0].transforms[12 * (size_t)b + (size_t)i] *= 0.7;
            }
        }
        assert_int_equal(sn_cook_context_run(&k, MASCOT, &desc), SN_OK);
        assert_int_equal(k.report.soft_bone_count, 0);
        assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK);
        assert_int_equal(model->is_posed, is_squashed);
        sn_model_release(model);
        sn_cook_context_finish(&k);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_strained(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_strained), cmocka_unit_test(its_model_is_posed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
