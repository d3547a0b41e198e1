/* SPDX-License-Identifier: MIT */
/* Spring bones of VRM 0.x and 1.0: which nodes swing, and what is refused. */
#include "tests/io/gltf_test.h"

/* Chains 0 1 2 3 6 and 0 4 5. */
#define NODES "'nodes':[{'children':[1,4]},{'children':[2]},{'children':[3]},{'children':[6]},{'children':[5]},{},{}],"

static void put_document(bytes *file, const char *extensions)
{
    put_quoted(file, "{'asset':{'version':'2.0'}," NODES "'extensions':{");
    put_quoted(file, extensions);
    put_quoted(file, "}}");
}

static void springs_of_both(void **state)
{
    (void)state;
    static const struct {
        const char *extensions;
        bool is_spring[7];
    } cases[] = {
        /* what hangs on one swings with it; bones that are not there are left out */
        {"'VRM':{'secondaryAnimation':{'boneGroups':[{'stiffiness':2,'bones':[2,-1]}]}}", {0, 0, 1, 1, 0, 0, 1}},
        {"'VRM':{'secondaryAnimation':{'boneGroups':[{'bones':[4]},{'bones':[3]}]}}", {0, 0, 0, 1, 1, 1, 1}},
        {"'VRMC_springBone':{'springs':[{'joints':[{'node':2},{'node':3}]},{'joints':[]},{'joints':[{'node':5}]}]}",
         {0, 0, 1, 1, 0, 1, 1}},
        /* a humanoid's bones have motions, and what hangs on them has theirs */
        {"'VRM':{'humanoid':{'humanBones':[{'bone':'head','node':3}]},"
         "'secondaryAnimation':{'boneGroups':[{'bones':[1]}]}}",
         {0, 1, 1, 0, 0, 0, 0}},
        /* the new ones win; none, and no list of them */
        {"'VRMC_springBone':{'springs':[{'joints':[{'node':6}]}]},"
         "'VRM':{'secondaryAnimation':{'boneGroups':[{'bones':[1]}]}}",
         {0, 0, 0, 0, 0, 0, 1}},
        {"'VRM':{'secondaryAnimation':{}}", {0}},
        {"'VRMC_springBone':{}", {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        bytes file = {0};
        sn_arena arena = {0};
        sn_scene_file s;
        put_document(&file, cases[i].extensions);
        read_bytes(&file, &arena, &s);
        for (int node = 0; node < 7; ++node) {
            if (s.nodes[node].is_spring != cases[i].is_spring[node]) {
                fail_msg("case %zu, node %d: %d", i, node, s.nodes[node].is_spring);
            }
        }
        sn_arena_finish(&arena);
    }
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *extensions, *message;
    } cases[] = {
        {"'VRM':{'secondaryAnimation':{'boneGroups':[{'bones':[7]}]}}",
         "extensions.VRM.secondaryAnimation.boneGroups[0].bones[0]: names entry 7 of 7"},
        {"'VRM':{'secondaryAnimation':{'boneGroups':[{'bones':['tail']}]}}",
         "extensions.VRM.secondaryAnimation.boneGroups[0].bones[0]: "},
        {"'VRM':{'secondaryAnimation':{'boneGroups':7}}",
         "extensions.VRM.secondaryAnimation.boneGroups: is not an array"},
        {"'VRMC_springBone':{'springs':[{'joints':[{'node':1},{'node':9}]}]}",
         "extensions.VRMC_springBone.springs[0].joints[1].node: names entry 9 of 7"},
        {"'VRMC_springBone':{'springs':[{'joints':{}}]}",
         "extensions.VRMC_springBone.springs[0].joints: is not an array"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        bytes file = {0};
        sn_arena arena = {0};
        sn_scene_file s;
        put_document(&file, cases[i].extensions);
        const sn_source source = source_of(&file);
        begin_log();
        assert_int_equal(sn_gltf_read(&source, &arena, &s), SN_ERROR_FORMAT);
        assert_one_error(cases[i].message);
        sn_arena_finish(&arena);
    }
}

static void real_avatars(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int count;
    } cases[] = {{"Godette_vrm_v4.vrm", 16}, {"vrm1_example.vrm", 0}, {"springbone/sphere-collider.gltf", 5}};
    skip_without(SN_SHARED_DATA "/rigged");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char path[512];
        sn_arena arena = {0};
        sn_scene_file s;
        int count = 0;
        snprintf(path, sizeof path, "%s/rigged/%s", SN_SHARED_DATA, cases[i].file);
        assert_int_equal(sn_scene_file_read(path, &arena, &s), SN_OK);
        for (int node = 0; node < s.node_count; ++node) {
            count += s.nodes[node].is_spring;
        }
        assert_int_equal(count, cases[i].count);
        sn_arena_finish(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(springs_of_both), cmocka_unit_test(refused),
                                       cmocka_unit_test(real_avatars)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
