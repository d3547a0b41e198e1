/* SPDX-License-Identifier: MIT */
/* Spring bones of VRM 0.x and 1.0: which nodes swing, what they bump into, and what is refused. */
#include <math.h>

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
         "extensions.VRM.secondaryAnimation.boneGroups[0].bones[0]: refers to entry 7, but there are only 7"},
        {"'VRM':{'secondaryAnimation':{'boneGroups':[{'bones':['tail']}]}}",
         "extensions.VRM.secondaryAnimation.boneGroups[0].bones[0]: "},
        {"'VRM':{'secondaryAnimation':{'boneGroups':7}}",
         "extensions.VRM.secondaryAnimation.boneGroups: is not an array"},
        {"'VRMC_springBone':{'springs':[{'joints':[{'node':1},{'node':9}]}]}",
         "extensions.VRMC_springBone.springs[0].joints[1].node: refers to entry 9, but there are only 7"},
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

/* ---- colliders ---- */

static void check_place(const double *found, double x, double y, double z)
{
    assert_true(fabs(found[0] - x) < 1e-12 && fabs(found[1] - y) < 1e-12 && fabs(found[2] - z) < 1e-12);
}

static void read_extensions(const char *extensions, sn_arena *arena, sn_scene_file *s)
{
    bytes file = {0};
    put_document(&file, extensions);
    read_bytes(&file, arena, s);
}

static void check_spring(const sn_scene_file *s, int node, int count, int first)
{
    assert_true(s->nodes[node].is_spring);
    const sn_spring_group *spring = &s->springs[s->nodes[node].spring];
    assert_int_equal(spring->collider_count, count);
    assert_true(count == 0 || s->spring_colliders[spring->first_collider] == first);
}

/* Offsets of 0.x are left-handed. */
static void colliders_of_version_0(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file s;
    read_extensions("'VRM':{'secondaryAnimation':{'colliderGroups':["
                    "{'node':0,'colliders':[{'offset':{'x':1,'y':2,'z':3},'radius':0.5},{'radius':0}]},"
                    "{'node':4,'colliders':[{'offset':{'z':-1},'radius':2}]},{'node':1,'colliders':[]}],"
                    "'boneGroups':[{'bones':[2],'hitRadius':0.02,'colliderGroups':[1,0]},"
                    "{'bones':[5],'colliderGroups':[2]}]}}",
                    &arena, &s);
    assert_int_equal(s.collider_count, 3);
    assert_int_equal(s.colliders[0].node, 0);
    assert_int_equal(s.colliders[0].shape, SN_COLLIDER_SPHERE);
    check_place(s.colliders[0].offset, 1, 2, -3);
    check_place(s.colliders[2].offset, 0, 0, 1);
    assert_true(s.colliders[0].radius == 0.5 && s.colliders[1].radius == 0 && s.colliders[2].radius == 2);
    assert_int_equal(s.colliders[2].node, 4);
    check_spring(&s, 2, 3, 2); /* and what hangs on it */
    check_spring(&s, 6, 3, 2);
    check_spring(&s, 5, 0, 0);
    assert_true(s.nodes[6].hit_radius == 0.02 && s.nodes[5].hit_radius == 0);
    assert_int_equal(logged.warnings, 0);
    sn_arena_finish(&arena);
}

static void colliders_of_version_1(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file s;
    read_extensions("'VRMC_springBone':{'colliders':["
                    "{'node':1,'shape':{'sphere':{'offset':[1,2,3],'radius':0.5}}},"
                    "{'node':4,'shape':{'capsule':{'offset':[0,1,0],'radius':0.1,'tail':[0,3,0]}}},"
                    "{'node':0,'shape':{'sphere':{'offset':[0,-1000,0],'radius':1000}},"
                    "'extensions':{'VRMC_springBone_extended_collider':{'specVersion':'1.0',"
                    "'shape':{'plane':{'offset':[0,0.5,0],'normal':[0,1,0]}}}}}],"
                    "'colliderGroups':[{'colliders':[2,0]},{'name':'arm','colliders':[1]}],"
                    "'springs':[{'joints':[{'node':2,'hitRadius':0.1},{'node':3}],'colliderGroups':[0,1]},"
                    "{'joints':[{'node':5}]}]}",
                    &arena, &s);
    assert_int_equal(s.collider_count, 3);
    assert_int_equal(s.colliders[0].shape, SN_COLLIDER_SPHERE);
    check_place(s.colliders[0].offset, 1, 2, 3);
    assert_int_equal(s.colliders[1].shape, SN_COLLIDER_CAPSULE);
    check_place(s.colliders[1].offset, 0, 1, 0);
    check_place(s.colliders[1].tail, 0, 3, 0);
    assert_true(s.colliders[1].radius == 0.1);
    assert_int_equal(s.colliders[2].shape, SN_COLLIDER_PLANE);
    check_place(s.colliders[2].offset, 0, 0.5, 0);
    check_place(s.colliders[2].normal, 0, 1, 0);
    check_spring(&s, 2, 3, 2);
    check_spring(&s, 3, 3, 2);
    check_spring(&s, 5, 0, 0);
    assert_true(s.nodes[2].hit_radius == 0.1 && s.nodes[3].hit_radius == 0);
    assert_int_equal(logged.warnings, 0);
    sn_arena_finish(&arena);
}

/* One warning of a kind, and the others are there. */
static void colliders_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *extensions, *warning;
        int count;
    } cases[] = {
        {"'VRMC_springBone':{'colliders':[{'node':1,'shape':{'sphere':{'radius':-1}}},"
         "{'node':1,'shape':{'sphere':{'radius':1}}}],",
         "colliders[0]: its radius is negative; the collider is ignored", 1},
        {"'VRMC_springBone':{'colliders':[{'shape':{'sphere':{'radius':1}}},{'node':1,'shape':{}},"
         "{'node':1,'shape':{'sphere':{'radius':1}}}],",
         "colliders[0]: it has no node; the collider is ignored", 1},
        {"'VRMC_springBone':{'colliders':[{'node':1,'shape':{'box':{}}}],",
         "colliders[0]: it has no shape; the collider is ignored", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char extensions[1024];
        sn_arena arena = {0};
        sn_scene_file s;
        snprintf(extensions, sizeof extensions,
                 "%s'colliderGroups':[{'colliders':[0]}],'springs':[{'joints':[{'node':2}],'colliderGroups':[0]}]}",
                 cases[i].extensions);
        read_extensions(extensions, &arena, &s);
        assert_int_equal(logged.warnings, 1);
        assert_non_null(strstr(logged.last, cases[i].warning));
        assert_int_equal(s.collider_count, cases[i].count);
        check_spring(&s, 2, 0, 0);
        sn_arena_finish(&arena);
    }
    sn_arena arena = {0};
    sn_scene_file s;
    read_extensions("'VRM':{'secondaryAnimation':{'colliderGroups':[{'node':-1,'colliders':[{'radius':1}]},"
                    "{'node':0,'colliders':[{'radius':-2},{'radius':1}]}],"
                    "'boneGroups':[{'bones':[2],'colliderGroups':[0,1]}]}}",
                    &arena, &s);
    assert_int_equal(logged.warnings, 1);
    assert_int_equal(s.collider_count, 1);
    check_spring(&s, 2, 1, 0);
    sn_arena_finish(&arena);
}

#define OLD "'VRM':{'secondaryAnimation':{'colliderGroups':"
#define OLD_AT "extensions.VRM.secondaryAnimation."
#define NEW "'VRMC_springBone':{'colliders':[{'node':1,'shape':{'sphere':{'radius':1}}},"
#define NEW_END "],'colliderGroups':[{'colliders':[1,0]}],'springs':[{'joints':[{'node':2}],'colliderGroups':[0]}]}"
#define NEW_AT "extensions.VRMC_springBone."
static const struct {
    const char *extensions, *warning;
    int count;
} damages[] = {
    {OLD "[{'node':7,'colliders':[{'radius':1}]},{'node':0,'colliders':[{'radius':2}]}],"
         "'boneGroups':[{'bones':[2],'colliderGroups':[0,1]}]}}",
     OLD_AT "colliderGroups[0].node: refers to entry 7, but there are only 7; its colliders are ignored", 1},
    {OLD "[{'node':-2,'colliders':[{'radius':1}]},{'node':0,'colliders':[{'radius':2}]}],"
         "'boneGroups':[{'bones':[2],'colliderGroups':[0,1]}]}}",
     OLD_AT "colliderGroups[0]: it has no node; the collider is ignored", 1},
    {OLD "[{'node':0,'colliders':[{'radius':1e99},{'radius':1}]}],"
         "'boneGroups':[{'bones':[2],'colliderGroups':[0]}]}}",
     OLD_AT "colliderGroups[0].colliders[0].radius: is too large: 1e+99; the collider is ignored", 1},
    {OLD "[{'node':0,'colliders':[{'offset':[1,2,3]},{'radius':1}]}],"
         "'boneGroups':[{'bones':[2],'colliderGroups':[0]}]}}",
     OLD_AT "colliderGroups[0].colliders[0].offset: is not an object; the collider is ignored", 1},
    {OLD "[{'node':0,'colliders':[{'radius':1}]}],'boneGroups':[{'bones':[2],'colliderGroups':[-1,0,1]}]}}",
     OLD_AT "boneGroups[0].colliderGroups[0]: refers to entry -1, but there are only 1; the collider is ignored", 1},
    {OLD "[{'node':0,'colliders':[{'radius':1}]}],'boneGroups':[{'bones':[2],'colliderGroups':7}]}}",
     OLD_AT "boneGroups[0].colliderGroups: is not an array; its colliders are ignored", 0},
    {OLD "[7,{'node':0,'colliders':{}},{'node':0,'colliders':[7,{'radius':1}]}],"
         "'boneGroups':[{'bones':[2],'colliderGroups':[0,1,2]}]}}",
     OLD_AT "colliderGroups[0]: is not an object; its colliders are ignored", 1},
    {OLD "7,'boneGroups':[{'bones':[2]}]}}", OLD_AT "colliderGroups: is not an array; its colliders are ignored", 0},
    {OLD "[{'node':0,'colliders':[{'radius':1}]}],"
         "'boneGroups':[{'bones':[2],'hitRadius':'big','colliderGroups':[0]}]}}",
     OLD_AT "boneGroups[0].hitRadius: is not a number; it is ignored", 1},
    {NEW "{'node':9,'shape':{'sphere':{}}}" NEW_END,
     NEW_AT "colliders[1].node: refers to entry 9, but there are only 7; the collider is ignored", 1},
    {NEW "{'node':1,'shape':{'sphere':{'offset':[1,2]}}}" NEW_END,
     NEW_AT "colliders[1].shape.sphere.offset: has 2 entries instead of 3; the collider is ignored", 1},
    {NEW "{'node':1,'shape':{'sphere':{'radius':'big'}}}" NEW_END,
     NEW_AT "colliders[1].shape.sphere.radius: is not a number; the collider is ignored", 1},
    {NEW "{'node':1,'shape':{'sphere':{'inside':1}}}" NEW_END,
     NEW_AT "colliders[1].shape.sphere.inside: is neither true nor false; the collider is ignored", 1},
    {NEW "7" NEW_END, NEW_AT "colliders[1]: is not an object; the collider is ignored", 1},
    {"'VRMC_springBone':{'colliders':7,'colliderGroups':[{'colliders':[0]}],"
     "'springs':[{'joints':[{'node':2}],'colliderGroups':[0]}]}",
     NEW_AT "colliders: is not an array; its colliders are ignored", 0},
    {"'VRMC_springBone':{'colliders':[{'node':1,'shape':{'sphere':{}}}],'colliderGroups':[{'colliders':[1,-1,0]}],"
     "'springs':[{'joints':[{'node':2,'hitRadius':[]}],'colliderGroups':[2,0]}]}",
     NEW_AT "colliderGroups[0].colliders[0]: refers to entry 1, but there are only 1; the collider is ignored", 1},
};

/* Whatever is wrong with colliders, the avatar is there, its springs are, and so are the other colliders: one warning.
 */
static void damaged_colliders(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; ++i) {
        sn_arena arena = {0};
        sn_scene_file s;
        read_extensions(damages[i].extensions, &arena, &s);
        if (logged.lines != 1 || logged.warnings != 1 || !strstr(logged.last, damages[i].warning)) {
            fail_msg("case %zu: %d warnings, the last: %s", i, logged.warnings, logged.last);
        }
        check_spring(&s, 2, damages[i].count, 0);
        assert_true(s.nodes[6].is_spring && s.nodes[2].hit_radius == 0);
        sn_arena_finish(&arena);
    }
}

/* 65536 are read, of a list, of a group and of all springs, in either version. */
static void colliders_have_a_limit(void **state)
{
    (void)state;
    enum { MOST = 65536, ROOM = 1 << 22 };
    static const char *const begins[] = {"'VRM':{'secondaryAnimation':{'colliderGroups':[{'node':0,'colliders':[",
                                         "'VRMC_springBone':{'colliders':["};
    static const char *const ones[] = {"{'radius':1}", "{'node':0,'shape':{'sphere':{}}}"};
    static const char *const ends[] = {
        "]}],'boneGroups':[{'bones':[2],'colliderGroups':[0]},{'bones':[5],'colliderGroups':[0]}]}}",
        "],'colliderGroups':[{'colliders':[0,65536,65535]}],'springs':[{'joints':[{'node':2}],'colliderGroups':[0]},"
        "{'joints':[{'node':5}],'colliderGroups':[0]}]}"};
    for (int version = 0; version < 2; ++version) {
        char *text = sn_alloc(ROOM, 1);
        sn_arena arena = {0};
        sn_scene_file s;
        int length = snprintf(text, ROOM, "{'asset':{'version':'2.0'}," NODES "'extensions':{%s", begins[version]);
        for (int i = 0; i <= MOST; ++i) {
            length += snprintf(text + length, (size_t)(ROOM - length), "%s%s", i > 0 ? "," : "", ones[version]);
        }
        length += snprintf(text + length, (size_t)(ROOM - length), "%s}}", ends[version]);
        assert_true(length < ROOM);
        for (char *at = strchr(text, '\''); at; at = strchr(at, '\'')) {
            *at = '"';
        }
        const sn_source source = {.name = "many.gltf", .bytes = (const uint8_t *)text, .size = (size_t)length};
        begin_log();
        assert_int_equal(sn_gltf_read(&source, &arena, &s), SN_OK);
        assert_one_warning("there are more than 65536 colliders; the others are ignored");
        assert_int_equal(s.collider_count, MOST);
        check_spring(&s, 2, version == 0 ? MOST : 2, 0);
        check_spring(&s, 5, version == 0 ? 0 : 2, 0);
        sn_arena_finish(&arena);
        sn_free(text, ROOM, 1);
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

int test_vrm_springs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_of_both),        cmocka_unit_test(refused),
        cmocka_unit_test(colliders_of_version_0), cmocka_unit_test(colliders_of_version_1),
        cmocka_unit_test(colliders_left_out),     cmocka_unit_test(damaged_colliders),
        cmocka_unit_test(colliders_have_a_limit), cmocka_unit_test(real_avatars)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
