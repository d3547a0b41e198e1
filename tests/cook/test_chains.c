/* SPDX-License-Identifier: MIT */
/* Chains of loose bones of real characters: each has a stiffness of its own, and the body has what it has without. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/cook/springs/soft_bones.h"
#include "author/cook/stages/stages.h"
#include "author/import/read_character.h"
#include "tests/support/log.h"

#define MASCOT SN_BINARY_DIR "/characters/mascot.glb"

static sn_cook_desc quick(void)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.cluster_count = 60;
    desc.tet_vertex_count = 4000;
    desc.method = SN_COOK_METHOD_COMPLEMENTARY;
    return desc;
}

/* With the file's bones of such names marked as loose; prefix null: none. */
static sn_result cook(sn_cook_context *k, const char *path, const sn_cook_desc *desc, const char *prefix)
{
    *k = (sn_cook_context){.path = NULL};
    assert_int_equal(sn_character_read(path, &k->arena, &k->sidecar, &k->character), SN_OK);
    k->has_character = true;
    for (int b = 0; b < k->character.bone_count && prefix; ++b) {
        k->character.is_soft_bone[b] = strncmp(k->character.bone_names[b], prefix, strlen(prefix)) == 0;
    }
    begin_log();
    const sn_result result = sn_cook_context_run(k, path, desc);
    sn_set_log(NULL, NULL);
    return result;
}

static const char *shared(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/rigged/%s", SN_SHARED_DATA, name);
    if (access(path, R_OK) != 0) {
        print_message("no %s\n", path);
        skip();
    }
    return path;
}

/* What a trial, which turns what the last chain hangs on, shows of the chains' flesh, and, last, of what none moves. */
static sn_trial_part *try_parts(sn_cook_context *k)
{
    const size_t count = (size_t)k->chains.count;
    int32_t *of_vertex = SN_NEW(&k->arena, int32_t, k->mesh.vertex_count);
    bool *is_rotated = SN_NEW(&k->arena, bool, k->bone_count);
    sn_trial_part *measured = SN_NEW(&k->arena, sn_trial_part, count + 1);
    assert_true(of_vertex && is_rotated && measured);
    for (size_t v = 0; v < (size_t)k->mesh.vertex_count; ++v) {
        double all = 0;
        of_vertex[v] = -1;
        for (size_t c = 0; c < count; ++c) {
            all += k->chains.chain_weights[v * count + c];
            of_vertex[v] = k->chains.chain_weights[v * count + c] > 0.1 ? (int32_t)c : of_vertex[v];
        }
        of_vertex[v] = all < 0.02 ? (int32_t)count : of_vertex[v];
    }
    is_rotated[k->chains.list[count - 1].parent_bone] = true;
    const sn_trial_parts parts = {
        .count = (int)count + 1, .of_vertex = of_vertex, .is_rotated = is_rotated, .measured = measured};
    sn_trial_report report;
    assert_int_equal(sn_cook_context_run_trial(k, &parts, &report), SN_OK);
    return measured;
}

/* Bones that the file calls loose, on a body whose stiffness they once raised two thousandfold. */
static void a_tail_leaves_the_body_soft(void **state)
{
    (void)state;
    char path[1024];
    sn_cook_context held, k;
    const sn_cook_desc desc = quick();
    shared(path, sizeof path, "Fox.glb");
    assert_int_equal(cook(&held, path, &desc, NULL), SN_OK);
    assert_int_equal(cook(&k, path, &desc, "b_Tail"), SN_OK);
    assert_int_equal(held.chains.count, 0);
    assert_int_equal(k.report.soft_bone_count, 3);
    assert_int_equal(k.chains.count, 1);
    assert_string_equal(k.bone_names[k.chains.list[0].root], "b_Tail01_012");
    assert_string_equal(k.bone_names[k.chains.list[0].parent_bone], "b_Hip_01");
    assert_true(fabs(k.report.young - held.report.young) <= 1e-9 * held.report.young);
    assert_true(k.chains.list[0].factor > 100);
    const sn_trial_part *measured = try_parts(&k);
    print_message("tail %.2g times as stiff: %.3f, body %.3f and %.2f\n", k.chains.list[0].factor,
                  measured[0].displacement, measured[1].displacement, measured[1].stretch);
    assert_true(measured[0].displacement > 0.03 && measured[0].displacement < 0.105 && measured[0].moved < 0.065);
    assert_true(measured[1].displacement > 0.03 && measured[1].displacement < 0.105);
    sn_cook_context_finish(&held);
    sn_cook_context_finish(&k);
}

/* Buns that hang on little, strands that hang on more, a ribbon: all swing, none is torn, and nor is the face. */
static void hair_of_an_avatar(void **state)
{
    (void)state;
    char path[1024];
    sn_cook_context k;
    sn_cook_desc desc = quick();
    desc.soft_bones = SN_SOFT_BONES_SPRINGS;
    desc.tet_vertex_count = 0;
    assert_int_equal(cook(&k, shared(path, sizeof path, "Godette_vrm_v4.vrm"), &desc, NULL), SN_OK);
    assert_int_equal(k.chains.count, 8);
    double least = INFINITY, most = 0;
    const sn_trial_part *measured = try_parts(&k);
    for (int c = 0; c < 8; ++c) {
        const sn_soft_chain *chain = &k.chains.list[c];
        least = fmin(least, chain->factor);
        most = fmax(most, chain->factor);
        print_message("%-20s %8.3g times as stiff: %.3f, stretch %.2f\n", k.bone_names[chain->root], chain->factor,
                      measured[c].displacement, measured[c].stretch);
        assert_true(measured[c].displacement > 0.015 && measured[c].displacement < 0.105 && measured[c].moved < 0.066);
        assert_true(measured[c].stretch < 2.25);
    }
    print_message("body: %.3f, stretch %.2f\n", measured[8].displacement, measured[8].stretch);
    assert_true(most > 100 * least);
    assert_true(measured[8].stretch < 2.25);
    sn_cook_context_finish(&k);
}

/* What someone has set stays as it is beside what is chosen. */
static void a_given_chain_keeps_its_stiffness(void **state)
{
    (void)state;
    sn_cook_context k;
    const sn_cook_desc desc = quick();
    sn_named_tet_material stuff = {.name = "earL1", .stiffness = 30, .density = 1, .poisson = -1, .leak = -1};
    k = (sn_cook_context){.path = NULL};
    assert_int_equal(sn_character_read(MASCOT, &k.arena, &k.sidecar, &k.character), SN_OK);
    k.has_character = true;
    k.sidecar.bones = &stuff;
    k.sidecar.bone_count = 1;
    for (int b = 0; b < k.character.bone_count; ++b) {
        k.character.is_soft_bone[b] = strncmp(k.character.bone_names[b], "ear", 3) == 0;
    }
    begin_log();
    assert_int_equal(sn_cook_context_run(&k, MASCOT, &desc), SN_OK);
    sn_set_log(NULL, NULL);
    assert_int_equal(k.chains.count, 2);
    for (int c = 0; c < 2; ++c) {
        const bool has_user_stiffness = strcmp(k.bone_names[k.chains.list[c].root], "earL1") == 0;
        assert_true(k.chains.list[c].has_user_stiffness == has_user_stiffness);
        assert_true((k.chains.list[c].factor == 1) == has_user_stiffness);
    }
    k.sidecar.bone_count = 0;
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* The octopus's arms and mantle are painted: they go together as their maker meant them to. */
static void painted_chains_are_left_alone(void **state)
{
    (void)state;
    sn_cook_context k;
    const sn_cook_desc desc = quick();
    assert_int_equal(cook(&k, SN_BINARY_DIR "/characters/octopus.glb", &desc, "arm"), SN_OK);
    assert_int_equal(k.report.soft_bone_count, 32);
    assert_int_equal(k.chains.count, 0);
    assert_true(k.report.mode_count <= 16);
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_chains(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tail_leaves_the_body_soft), cmocka_unit_test(hair_of_an_avatar),
        cmocka_unit_test(a_given_chain_keeps_its_stiffness), cmocka_unit_test(painted_chains_are_left_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
