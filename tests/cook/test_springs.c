/* SPDX-License-Identifier: MIT */
/* Spring bones: loose on demand where no clip moves them; body and face keep their modes and their stiffness. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/cook/springs/soft_bones.h"
#include "author/import/animated_springs.h"
#include "author/import/read_character.h"
#include "tests/support/log.h"

#define MASCOT SN_BINARY_DIR "/characters/mascot.glb"

static void turn(double *m, double angle, double shift)
{
    const double turned[12] = {cos(angle), -sin(angle), 0, shift, sin(angle), cos(angle), 0, 0, 0, 0, 1, 0};
    memcpy(m, turned, sizeof turned);
}

/* Bone 0 turns; 1 and 2 hang on it, and 2 turns on its own in the second clip by `own`; 3 is a root that stands. */
static void moved_by_clips(void **state)
{
    (void)state;
    enum { BONES = 4, FRAMES = 3 };
    static const struct {
        double own;
        bool is_moved;
    } cases[] = {{0, false}, {1e-5, false}, {0.01, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double transforms[2][FRAMES * BONES * 12], bind[BONES * 12];
        const int32_t parents[BONES] = {-1, 0, 0, -1};
        const double positions[6] = {0, 0, 0, 1, 1, 1};
        sn_character_spring springs[BONES] = {
            {true, NULL, 0, 0}, {true, NULL, 0, 0}, {true, NULL, 0, 0}, {true, NULL, 0, 0}};
        sn_character_clip clips[2];
        for (int clip = 0; clip < 2; ++clip) {
            clips[clip] = (sn_character_clip){.name = clip == 0 ? "one" : "two",
                                              .frame_count = FRAMES,
                                              .frame_rate = 60,
                                              .transforms = transforms[clip]};
            for (int f = 0; f < FRAMES; ++f) {
                double *frame = transforms[clip] + 12 * BONES * f;
                turn(frame, 0.3 * f, 0.1 * f);
                turn(frame + 12, 0.3 * f, 0.1 * f);
                turn(frame + 24, 0.3 * f + (clip == 1 ? cases[i].own * f : 0), 0.1 * f);
                turn(frame + 36, 0.7, 0);
            }
        }
        for (int b = 0; b < BONES; ++b) {
            turn(bind + 12 * b, 0, 0);
        }
        sn_character c = {.vertex_count = 2,
                          .bone_count = BONES,
                          .clip_count = 2,
                          .positions = (double *)positions,
                          .bone_parents = (int32_t *)parents,
                          .bone_bind = bind,
                          .springs = springs,
                          .clips = clips};
        sn_springs_find_animated(&c);
        assert_string_equal(springs[0].clip, "one");
        assert_null(springs[1].clip);
        assert_true(cases[i].is_moved == (springs[2].clip != NULL));
        assert_true(!springs[2].clip || strcmp(springs[2].clip, "two") == 0);
        assert_null(springs[3].clip);
    }
}

/* Part of unit mode `mode` of `of` that lies in the span of the modes of `in`; both are orthonormal in the mass. */
static double part_within(const sn_cook_context *in, const sn_cook_context *of, int mode)
{
    double part = 0;
    for (int j = 0; j < in->modes.mode_count; ++j) {
        double product = 0;
        for (int v = 0; v < in->mesh.vertex_count; ++v) {
            product += in->mass[v] * in->modes.weights[v * in->modes.mode_count + j] *
                       of->modes.weights[v * of->modes.mode_count + mode];
        }
        part += product * product;
    }
    return part;
}

/* The mascot with springs in its ears. */
static sn_result cook(sn_cook_context *k, const sn_cook_desc *desc, const char *spring, const char *denied)
{
    *k = (sn_cook_context){.path = NULL};
    assert_int_equal(sn_character_read(MASCOT, &k->arena, &k->sidecar, &k->character), SN_OK);
    k->has_character = true;
    k->sidecar.held = (sn_name_list){&denied, denied ? 1 : 0};
    for (int b = 0; b < k->character.bone_count; ++b) {
        k->character.springs[b].is_spring = strncmp(k->character.bone_names[b], spring, strlen(spring)) == 0;
    }
    sn_springs_find_animated(&k->character);
    begin_log();
    const sn_result result = sn_cook_context_run(k, MASCOT, desc);
    sn_set_log(NULL, NULL);
    k->sidecar.held = (sn_name_list){0};
    return result;
}

static sn_cook_desc quick(void)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = 8;
    desc.cluster_count = 20;
    desc.tet_vertex_count = 3000;
    desc.soft_bones = SN_SOFT_BONES_SPRINGS;
    desc.method = SN_COOK_METHOD_COMPLEMENTARY;
    return desc;
}

/* What springs move by a quarter is as light as the factor says, what none moves as it was. */
static void check_masses(const sn_cook_context *k, const sn_cook_context *held)
{
    int spring_count[2] = {0};
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        const double *chain_weights = k->chains.chain_weights + 2 * v;
        assert_true(k->mass[v] == held->mass[v]);
        for (int c = 0; c < 2; ++c) {
            const double lighter = 1 / sqrt(fmax(k->chains.list[c].factor, 1));
            const bool is_own = chain_weights[c] >= 0.25 && chain_weights[1 - c] == 0;
            spring_count[c] += is_own;
            assert_true(!is_own || fabs(k->model_mass[v] / k->mass[v] - lighter) <= 1e-9 * lighter);
        }
        assert_true(chain_weights[0] + chain_weights[1] > 1e-3 || fabs(k->model_mass[v] / k->mass[v] - 1) < 0.05);
    }
    assert_true(spring_count[0] > 20 && spring_count[1] > 20);
}

/* And as stiff. */
static void check_stiffness(const sn_cook_context *k, const sn_cook_context *held)
{
    int plain_count = 0;
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        double least[2] = {1, 1}, most[2] = {0, 0};
        for (int i = 0; i < 8; ++i) {
            const double share = k->chains.chain_weights[2 * k->mesh.tets[4 * t + i / 2] + i % 2];
            least[i % 2] = fmin(least[i % 2], share);
            most[i % 2] = fmax(most[i % 2], share);
        }
        const double ratio = k->tet_stiffness[t] / held->tet_stiffness[t];
        for (int c = 0; c < 2; ++c) {
            const double factor = k->chains.list[c].factor, stiffer = factor > 1 ? sqrt(factor) : factor;
            assert_true(!(least[c] >= 0.25 && most[1 - c] == 0) || fabs(ratio - stiffer) <= 1e-9 * stiffer);
        }
        assert_true(most[0] + most[1] > 1e-3 || fabs(ratio - 1) < 0.05);
        plain_count += most[0] + most[1] <= 1e-3;
    }
    assert_true(plain_count > 1000);
}

/* All modes of the body are there, as they were, and some beside. */
static void check_modes(const sn_cook_context *k, const sn_cook_context *held)
{
    assert_in_range(k->modes.mode_count, held->modes.mode_count + 1, held->modes.mode_count + 8);
    for (int j = 0; j < held->modes.mode_count; ++j) {
        assert_true(fabs(part_within(k, held, j) - 1) < 1e-9);
    }
    int within_count = 0;
    for (int j = 0; j < k->modes.mode_count; ++j) {
        const double part = part_within(held, k, j);
        assert_true(part < 1e-9 || fabs(part - 1) < 1e-9);
        within_count += part > 0.5;
        assert_true(j == 0 || k->modes.eigenvalues[j] >= k->modes.eigenvalues[j - 1]);
    }
    assert_int_equal(within_count, held->modes.mode_count);
}

static void stiffness_of_springs(void **state)
{
    (void)state;
    sn_cook_context held, k;
    sn_cook_desc desc = quick();
    desc.soft_bones = SN_SOFT_BONES_NONE;
    assert_int_equal(cook(&held, &desc, "ear", NULL), SN_OK);
    assert_int_equal(held.report.soft_bone_count, 0);
    assert_int_equal(held.chains.count, 0);
    desc.soft_bones = SN_SOFT_BONES_SPRINGS;
    assert_int_equal(cook(&k, &desc, "ear", NULL), SN_OK);
    assert_true(k.report.soft_bone_count > 0);
    assert_int_equal(k.chains.count, 2);
    check_masses(&k, &held);
    check_stiffness(&k, &held);
    check_modes(&k, &held);
    /* the ears set nothing of what is chosen for the body */
    print_message("%d bones, springs %.3g and %.3g times as stiff; body %.4g Pa, held %.4g Pa\n",
                  k.report.soft_bone_count, k.chains.list[0].factor, k.chains.list[1].factor, k.report.young,
                  held.report.young);
    assert_true(fabs(k.report.young - held.report.young) <= 1e-9 * held.report.young);
    sn_cook_context_finish(&k);

    desc.young = 1e4; /* what is given is given */
    assert_int_equal(cook(&k, &desc, "ear", NULL), SN_OK);
    assert_true(k.chains.list[0].factor == 1 && k.chains.list[1].factor == 1);
    for (int t = 0; t < k.mesh.tet_count; ++t) {
        assert_true(k.tet_stiffness[t] == held.tet_stiffness[t]);
    }
    sn_cook_context_finish(&k);
    sn_cook_context_finish(&held);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void reasons(void **state)
{
    (void)state;
    sn_cook_context k;
    sn_cook_desc desc = quick();
    desc.young = 1e4;
    assert_int_equal(cook(&k, &desc, "ear", "earL1"), SN_OK);
    for (int b = 0; b < k.bone_count; ++b) {
        const bool is_ear = strncmp(k.bone_names[b], "ear", 3) == 0, is_denied = strcmp(k.bone_names[b], "earL1") == 0;
        assert_int_equal(k.soft_bones[b], is_denied ? SN_SOFT_BONE_EXCLUDED
                                          : is_ear  ? SN_SOFT_BONE_SPRING
                                                    : SN_SOFT_BONE_FIXED);
        assert_true((sn_soft_bone_state_text(k.soft_bones[b]) != NULL) == is_ear);
    }
    sn_cook_context_finish(&k);
    /* without being asked for they are held */
    desc.soft_bones = SN_SOFT_BONES_AUTO;
    assert_int_equal(cook(&k, &desc, "ear", NULL), SN_OK);
    assert_int_equal(k.report.soft_bone_count, 0);
    assert_int_equal(k.chains.count, 0);
    for (int b = 0; b < k.bone_count; ++b) {
        const bool is_ear = strncmp(k.bone_names[b], "ear", 3) == 0;
        assert_int_equal(k.soft_bones[b], is_ear ? SN_SOFT_BONE_NOT_REQUESTED : SN_SOFT_BONE_FIXED);
    }
    sn_cook_context_finish(&k);
    desc.soft_bones = SN_SOFT_BONES_SPRINGS;
    /* springs everywhere: nothing else would hold the flesh */
    k = (sn_cook_context){.path = NULL};
    assert_int_equal(sn_character_read(MASCOT, &k.arena, &k.sidecar, &k.character), SN_OK);
    k.has_character = true;
    for (int b = 0; b < k.character.bone_count; ++b) {
        k.character.springs[b] = (sn_character_spring){.is_spring = true};
    }
    begin_log();
    assert_int_equal(sn_cook_context_run(&k, MASCOT, &desc), SN_OK);
    sn_set_log(NULL, NULL);
    assert_one_warning("spring bones are fixed, since no other bone moves flesh");
    assert_int_equal(k.report.soft_bone_count, 0);
    sn_cook_context_finish(&k);
}

int test_springs(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(moved_by_clips), cmocka_unit_test(stiffness_of_springs),
                                       cmocka_unit_test(reasons)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
