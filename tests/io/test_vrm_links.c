/* SPDX-License-Identifier: MIT */
/* The numbers of spring bones of VRM 0.x and 1.0: which nodes swing as whose tails, with what, and what is mended. */
#include <math.h>

#include "tests/io/gltf_test.h"

/* Chains 0 1 2 3 6 and 0 4 5. */
#define NODES "'nodes':[{'children':[1,4]},{'children':[2]},{'children':[3]},{'children':[6]},{'children':[5]},{},{}],"
#define NEW "'VRMC_springBone':{'springs':["
#define OLD "'VRM':{'secondaryAnimation':{'boneGroups':["

static void read_extensions(const char *extensions, sn_arena *arena, sn_scene_file *s)
{
    bytes file = {0};
    put_quoted(&file, "{'asset':{'version':'2.0'}," NODES "'extensions':{");
    put_quoted(&file, extensions);
    put_quoted(&file, "}}");
    read_bytes(&file, arena, s);
}

static void check_link(const sn_scene_file *s, int index, int node, int tail, int group)
{
    assert_true(index < s->spring_link_count);
    assert_int_equal(s->spring_links[index].node, node);
    assert_int_equal(s->spring_links[index].tail, tail);
    assert_int_equal(s->spring_links[index].group, group);
}

/* A joint swings as the next one's tail, which may be farther down; the last is a tail alone. */
static void links_of_version_1(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file s;
    read_extensions(NEW
                    "{'center':0,'joints':[{'node':1,'stiffness':2,'dragForce':0.25,'hitRadius':0.1,"
                    "'gravityPower':3,'gravityDir':[0,0,-1]},{'node':3},{'node':6}]},"
                    "{'joints':[{'node':4},{'node':5}]},{'joints':[{'node':1},{'node':2}]},{'joints':[{'node':2}]}]}",
                    &arena, &s);
    assert_int_equal(logged.warnings, 0);
    assert_int_equal(s.spring_link_count, 3);
    check_link(&s, 0, 1, 3, 0);
    check_link(&s, 1, 3, 6, 0);
    check_link(&s, 2, 4, 5, 1);
    const sn_spring_link *l = s.spring_links;
    assert_true(l->stiffness == 2 && l->drag == 0.25 && l->hit_radius == 0.1);
    assert_true(l->gravity[0] == 0 && l->gravity[1] == 0 && l->gravity[2] == -3);
    assert_true(l[1].stiffness == 1 && l[1].drag == 0.5 && l[1].hit_radius == 0 && l[1].gravity[1] == 0);
    assert_int_equal(s.springs[0].center, 0);
    assert_int_equal(s.springs[1].center, -1);
    sn_arena_finish(&arena);
}

/* Every node on a root swings, as its first child's; a humanoid's bones do not. Gravity is left-handed, as offsets of
 * colliders are. */
static void links_of_version_0(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file s;
    read_extensions("'VRM':{'humanoid':{'humanBones':[{'bone':'head','node':5}]},'secondaryAnimation':{'boneGroups':["
                    "{'bones':[2],'stiffiness':4,'dragForce':0.1,'hitRadius':0.02,'gravityPower':2,"
                    "'gravityDir':{'x':1,'y':0,'z':0.5},'center':-1},{'bones':[4]}]}}",
                    &arena, &s);
    assert_int_equal(logged.warnings, 0);
    assert_int_equal(s.spring_link_count, 4);
    check_link(&s, 0, 2, 3, 0);
    check_link(&s, 1, 3, 6, 0);
    check_link(&s, 2, 4, 5, 1);
    check_link(&s, 3, 6, -1, 0);
    const sn_spring_link *l = s.spring_links;
    assert_true(l[3].stiffness == 4 && l[3].drag == 0.1 && l[3].hit_radius == 0.02);
    assert_true(l[3].gravity[0] == 2 && l[3].gravity[1] == 0 && l[3].gravity[2] == -1);
    assert_true(l[2].stiffness == 1 && l[2].drag == 0.4 && l[2].gravity[1] == 0);
    assert_int_equal(s.springs[0].center, -1);
    sn_arena_finish(&arena);
}

static void inside_is_read(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file s;
    read_extensions("'VRMC_springBone':{'colliders':[{'node':1,'shape':{'sphere':{'offset':[9999,0,0]}},'extensions':"
                    "{'VRMC_springBone_extended_collider':{'shape':{'sphere':{'radius':1,'inside':true}}}}},"
                    "{'node':1,'shape':{'capsule':{'radius':2,'tail':[0,1,0]}}}],"
                    "'colliderGroups':[{'colliders':[0,1]}],"
                    "'springs':[{'joints':[{'node':2},{'node':3}],'colliderGroups':[0]}]}",
                    &arena, &s);
    assert_int_equal(logged.warnings, 0);
    assert_int_equal(s.collider_count, 2);
    assert_true(s.colliders[0].is_inside && s.colliders[0].radius == 1 && s.colliders[0].offset[0] == 0);
    assert_true(!s.colliders[1].is_inside);
    sn_arena_finish(&arena);
}

/* The avatar is there, and its other numbers: one warning. */
static void mended(void **state)
{
    (void)state;
    static const struct {
        const char *extensions, *warning;
        double stiffness, drag;
    } cases[] = {
        {NEW "{'joints':[{'node':1,'stiffness':'x'},{'node':2}]}]}",
         "joints[0].stiffness: is not a number; VRM's default is used", 1, 0.5},
        {NEW "{'joints':[{'node':1,'stiffness':-2},{'node':2}]}]}", "joints[0].stiffness: is out of range", 0, 0.5},
        {NEW "{'joints':[{'node':1,'dragForce':7,'stiffness':3},{'node':2}]}]}", "joints[0].dragForce: is out of range",
         3, 1},
        {NEW "{'joints':[{'node':1,'gravityDir':[1,2]},{'node':2}]}]}",
         "joints[0].gravityDir: has 2 entries instead of 3; the spring has no gravity", 1, 0.5},
        {NEW "{'center':9,'joints':[{'node':1},{'node':2}]}]}",
         "springs[0].center: refers to entry 9, but there are only 7; the world is used as its center", 1, 0.5},
        {OLD "{'bones':[6],'gravityDir':7}]}}", "gravityDir: is not an object; the spring has no gravity", 1, 0.4},
        {OLD "{'bones':[6],'stiffiness':1e99}]}}", "stiffiness: is too large: 1e+99; VRM's default is used", 1, 0.4},
        {NEW "{'joints':[{'node':1},{'node':2},{'node':4}]}]}",
         "joints[2]: is not a descendant of the previous joint, which is therefore not simulated", 1, 0.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_arena arena = {0};
        sn_scene_file s;
        read_extensions(cases[i].extensions, &arena, &s);
        if (logged.lines != 1 || logged.warnings != 1 || !strstr(logged.last, cases[i].warning)) {
            fail_msg("case %zu: %d warnings, the last: %s", i, logged.warnings, logged.last);
        }
        assert_int_equal(s.spring_link_count, 1);
        assert_true(s.spring_links[0].stiffness == cases[i].stiffness && s.spring_links[0].drag == cases[i].drag);
        for (int d = 0; d < 3; ++d) {
            assert_true(s.spring_links[0].gravity[d] == 0);
        }
        sn_arena_finish(&arena);
    }
}

static void real_avatars(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int count, inside;
    } cases[] = {{"Godette_vrm_v4.vrm", 16, 0},
                 {"vrm1_example.vrm", 0, 0},
                 {"springbone/inside-collider.gltf", 4, 1},
                 {"springbone/plane-collider.gltf", 4, 0}};
    skip_without(SN_SHARED_DATA "/rigged");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char path[512];
        sn_arena arena = {0};
        sn_scene_file s;
        int inside = 0;
        snprintf(path, sizeof path, "%s/rigged/%s", SN_SHARED_DATA, cases[i].file);
        assert_int_equal(sn_scene_file_read(path, &arena, &s), SN_OK);
        assert_int_equal(s.spring_link_count, cases[i].count);
        for (int c = 0; c < s.collider_count; ++c) {
            inside += s.colliders[c].is_inside;
        }
        assert_int_equal(inside, cases[i].inside);
        sn_arena_finish(&arena);
    }
}

int test_vrm_links(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_of_version_1), cmocka_unit_test(links_of_version_0),
        cmocka_unit_test(inside_is_read),     cmocka_unit_test(mended),
        cmocka_unit_test(real_avatars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
