/* SPDX-License-Identifier: MIT */
/* A VRM that is written is a VRM: bones, expressions, toon materials, and a licence, which for 0.x is converted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/io/gltf/gltf_write.h"
#include "tests/io/gltf_test.h"

/* A node that draws a triangle with a morph target, and a chain of bones. */
#define BODY                                                                                                           \
    "\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],"                                      \
    "\"nodes\":[{\"mesh\":0,\"name\":\"Body\"},{\"name\":\"Hips\",\"children\":[2]},"                                  \
    "{\"name\":\"Tail\",\"children\":[3],\"translation\":[0,1,0]},"                                                    \
    "{\"name\":\"Tip\",\"children\":[4],\"translation\":[0,1,0]},{\"name\":\"End\",\"translation\":[0,1,0]}],"         \
    "\"meshes\":[{\"primitives\":[{"                                                                                   \
    "\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":1}],\"material\":0}]}],"                               \
    "\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[0,0,0]},"           \
    "{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[0,0,0]}],"

static const char old_avatar[] =
    "{" BODY "\"materials\":[{\"name\":\"Skin\"}],\"extensionsUsed\":[\"VRM\"],\"extensions\":{\"VRM\":{"
    "\"meta\":{\"title\":\"Cat\",\"author\":\"Ann\",\"version\":\"2\",\"allowedUserName\":\"Everyone\","
    "\"violentUssageName\":\"Disallow\",\"sexualUssageName\":\"Disallow\",\"commercialUssageName\":\"Allow\","
    "\"licenseName\":\"CC_BY_NC\",\"texture\":3},"
    "\"firstPerson\":{\"firstPersonBone\":1,\"firstPersonBoneOffset\":{\"x\":0,\"y\":0.1,\"z\":0.2},"
    "\"lookAtTypeName\":\"BlendShape\",\"lookAtVerticalUp\":{\"xRange\":60,\"yRange\":1}},"
    "\"humanoid\":{\"humanBones\":[{\"bone\":\"hips\",\"node\":1}]},\"blendShapeMaster\":{\"blendShapeGroups\":["
    "{\"name\":\"Joy\",\"presetName\":\"joy\",\"isBinary\":true,\"binds\":[{\"mesh\":0,\"index\":0,\"weight\":50}]},"
    "{\"name\":\"Purr\",\"presetName\":\"unknown\",\"binds\":[{\"mesh\":0,\"index\":0,\"weight\":100}]}]},"
    "\"materialProperties\":[{\"shader\":\"VRM/MToon\",\"floatProperties\":{\"_OutlineWidthMode\":1,"
    "\"_OutlineWidth\":1,\"_BlendMode\":2},\"vectorProperties\":{\"_ShadeColor\":[1,0,0,1]},"
    "\"textureProperties\":{}}]}}}";

static const char new_avatar[] =
    "{" BODY "\"materials\":[{\"name\":\"Skin\",\"alphaMode\":\"BLEND\",\"extensions\":{\"VRMC_materials_mtoon\":{"
    "\"specVersion\":\"1.0\",\"transparentWithZWrite\":true,\"renderQueueOffsetNumber\":3,"
    "\"outlineWidthMode\":\"worldCoordinates\",\"outlineWidthFactor\":0.01}}}],"
    "\"extensionsUsed\":[\"VRMC_vrm\",\"VRMC_materials_mtoon\",\"VRMC_springBone\","
    "\"VRMC_springBone_extended_collider\"],\"extensions\":{\"VRMC_springBone\":{\"specVersion\":\"1.0\","
    "\"colliders\":[{\"node\":1,\"shape\":{\"sphere\":{\"offset\":[0,1,2],\"radius\":0.5}}},"
    "{\"node\":1,\"shape\":{\"sphere\":{}},\"extensions\":{\"VRMC_springBone_extended_collider\":{"
    "\"specVersion\":\"1.0\",\"shape\":{\"capsule\":{\"offset\":[1,0,0],\"tail\":[2,0,0],\"radius\":0.25,"
    "\"inside\":true}}}}}],\"colliderGroups\":[{\"colliders\":[0,1]}],\"springs\":[{\"center\":1,\"joints\":["
    "{\"node\":2,\"hitRadius\":0.5,\"stiffness\":2,\"gravityPower\":3,\"gravityDir\":[0,0,1],\"dragForce\":0.25},"
    "{\"node\":3,\"hitRadius\":0.25,\"stiffness\":4,\"dragForce\":0.5},{\"node\":4}],\"colliderGroups\":[0]}]},"
    "\"VRMC_vrm\":{\"specVersion\":\"1.0\","
    "\"meta\":{\"name\":\"Cat\",\"authors\":[\"Ann\"],\"licenseUrl\":\"https://vrm.dev/licenses/1.0/\","
    "\"thumbnailImage\":0},\"lookAt\":{\"type\":\"bone\"},\"humanoid\":{\"humanBones\":{\"hips\":{\"node\":1}}},"
    "\"expressions\":{\"preset\":{\"happy\":{\"isBinary\":true,\"overrideBlink\":\"blend\",\"overrideMouth\":\"block\","
    "\"morphTargetBinds\":[{\"node\":0,\"index\":0,"
    "\"weight\":0.5}]}},\"custom\":{\"Purr\":{\"morphTargetBinds\":[{\"node\":0,\"index\":0,\"weight\":1}]}}}}}}";

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("'%s' is not in '%s'", part, text);
    }
}

/* Binds of 0.x name a mesh; as a bake does, they are made binds of the node that draws it. */
static void write_and_read(const char *document, sn_arena *arena, sn_scene_file *before, sn_scene_file *after)
{
    char folder[] = "/tmp/sn_vrm_XXXXXX", path[64];
    read_document(document, NULL, arena, before);
    assert_int_equal(logged.warnings, 0);
    before->vrm_version = 2;
    for (int i = 0; i < before->expression_bind_count; ++i) {
        before->expression_binds[i].node = 0;
    }
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/cat.vrm", folder);
    assert_int_equal(sn_gltf_write(path, before), SN_OK);
    sn_source source;
    assert_int_equal(sn_source_read(path, arena, &source), SN_OK);
    assert_int_equal(sn_gltf_read(&source, arena, after), SN_OK);
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void check_avatar(const char *document, const char *const *parts)
{
    sn_arena arena = {0};
    sn_scene_file before, after;
    write_and_read(document, &arena, &before, &after);
    assert_int_equal(after.vrm_version, 2);
    assert_string_equal(after.vrm, before.vrm);
    for (int i = 0; parts[i]; ++i) {
        assert_has(after.vrm, parts[i]);
    }
    assert_true(after.humanoid_bone_count == 1 && after.humanoid_bones[0].node == 1);
    assert_int_equal(after.expression_count, 2);
    assert_string_equal(after.expressions[0].name, "happy");
    assert_string_equal(after.expressions[1].name, "Purr");
    assert_true(after.expressions[0].definition.is_binary && after.expression_binds[0].weight == 0.5F);
    assert_memory_equal(&after.expressions[0].definition, &before.expressions[0].definition,
                        sizeof after.expressions[0].definition);
    assert_true(after.expression_binds[1].node == 0 && after.expression_binds[1].morph == 0);
    assert_string_equal(after.materials[0].name, "Skin");
    assert_memory_equal(&after.materials[0].toon, &before.materials[0].toon, sizeof after.materials[0].toon);
    assert_true(after.materials[0].toon.is_toon && after.materials[0].toon.outline_width == 0.01F);
    sn_arena_finish(&arena);
}

static void version_0_becomes_1(void **state)
{
    (void)state;
    static const char *const parts[] = {"\"name\":\"Cat\"",
                                        "\"authors\":[\"Ann\"]",
                                        "\"avatarPermission\":\"everyone\"",
                                        "\"allowExcessivelyViolentUsage\":false",
                                        "\"commercialUsage\":\"personalNonProfit\"", /* excluded by the licence */
                                        "\"allowRedistribution\":true",
                                        "\"modification\":\"allowModificationRedistribution\"",
                                        "licenses/by-nc/4.0/",
                                        "\"type\":\"expression\"",
                                        "\"offsetFromHeadBone\":[0.0,0.1",
                                        "\"rangeMapVerticalUp\":{\"inputMaxValue\":60.0,\"outputScale\":1.0}",
                                        NULL};
    check_avatar(old_avatar, parts);
}

static void version_1_stays(void **state)
{
    (void)state;
    static const char *const parts[] = {"\"name\":\"Cat\"", "\"licenseUrl\":\"https://vrm.dev/licenses/1.0/\"",
                                        "\"lookAt\":{\"type\":\"bone\"}", NULL};
    sn_arena arena = {0};
    sn_scene_file s;
    check_avatar(new_avatar, parts);
    read_document(new_avatar, NULL, &arena, &s);
    assert_null(strstr(s.vrm, "thumbnailImage")); /* its picture is not kept */
    sn_arena_finish(&arena);
}

/* Chains with their colliders. */
static void springs_stay(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file before, after;
    write_and_read(new_avatar, &arena, &before, &after);
    assert_true(before.spring_count == 1 && before.spring_link_count == 2 && before.collider_count == 2);
    assert_true(after.spring_count == 1 && after.spring_link_count == 2 && after.collider_count == 2);
    assert_true(after.springs[0].center == 1 && after.springs[0].collider_count == 2);
    for (int i = 0; i < 2; ++i) {
        const sn_spring_link *a = &before.spring_links[i], *b = &after.spring_links[i];
        const sn_spring_collider *c = &before.colliders[i], *d = &after.colliders[i];
        assert_true(a->node == b->node && a->tail == b->tail && a->stiffness == b->stiffness && a->drag == b->drag);
        assert_true(a->hit_radius == b->hit_radius && a->gravity[2] == b->gravity[2]);
        assert_true(c->node == d->node && c->shape == d->shape && c->radius == d->radius);
        assert_true(c->is_inside == d->is_inside && c->offset[0] == d->offset[0] && c->tail[0] == d->tail[0]);
        assert_int_equal(after.spring_colliders[i], i);
    }
    assert_true(after.colliders[1].is_inside && after.spring_links[0].gravity[2] == 3);
    sn_arena_finish(&arena);
}

static void a_damaged_licence_is_refused(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file s;
    read_document(new_avatar, NULL, &arena, &s);
    s.vrm = "{";
    begin_log();
    assert_int_equal(sn_gltf_write("/tmp/sn_vrm_damaged.vrm", &s), SN_ERROR_FORMAT);
    assert_one_error("the licence of the VRM is damaged");
    sn_set_log(NULL, NULL);
    assert_int_equal(access("/tmp/sn_vrm_damaged.vrm", F_OK), -1);
    sn_arena_finish(&arena);
}

int test_vrm_write(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(version_0_becomes_1), cmocka_unit_test(version_1_stays),
                                       cmocka_unit_test(springs_stay), cmocka_unit_test(a_damaged_licence_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
