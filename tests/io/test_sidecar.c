/* SPDX-License-Identifier: MIT */
/* The sidecar: what it says, what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/io/rig/sidecar_write.h"
#include "tests/support/log.h"

static sn_result read_text(const char *text, sn_arena *arena, sn_sidecar *sidecar)
{
    const sn_source source = {"cat.sinew.json", (const uint8_t *)text, strlen(text)};
    begin_log();
    const sn_result result = sn_sidecar_read(&source, arena, sidecar);
    sn_set_log(NULL, NULL);
    return result;
}

static void test_everything(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_sidecar s;
    assert_int_equal(read_text("{\"rigid\":[\"Hat\"],\"soft\":[\"Cape\",\"Tail\"],\"show\":[\"Sword\"],\"hide\":[],"
                               "\"pin\":[\"hips\",\"Sole\"],\"leak\":\"all\",\"morphs\":\"visual\","
                               "\"complementary\":\"coordinates\","
                               "\"modes\":24,\"target_modes\":0,\"target_shake\":0.5,\"clusters\":150,\"materials\":{"
                               "\"Skin\":{\"stiffness\":2}},"
                               "\"bones\":{\"head\":{\"stiffness\":5,\"density\":0.5,\"poisson\":0,\"leak\":0.25}},"
                               "\"poisson\":0.45,\"colour\":1}",
                               &arena, &s),
                     SN_OK);
    assert_true(sn_name_is_listed(&s.rigid, "Hat") && !sn_name_is_listed(&s.rigid, "hat"));
    assert_int_equal(s.soft.count, 2);
    assert_int_equal(s.hide.count, 0);
    assert_true(s.pin.count == 2 && sn_name_is_listed(&s.pin, "Sole"));
    assert_int_equal(s.leak, SN_LEAK_ALL);
    assert_int_equal(s.morphs, SN_MORPHS_VISUAL);
    assert_int_equal(s.complementary, SN_COMPLEMENTARY_COORDINATES);
    assert_int_equal(s.mode_count, 24);
    assert_int_equal(s.cluster_count, 150);
    assert_true(s.has_target_modes && s.target_mode_count == 0);
    assert_true(s.has_target_inertia_gain && s.target_inertia_gain == 0.5);
    assert_string_equal(s.materials[0].name, "Skin");
    assert_true(s.materials[0].stiffness == 2 && s.materials[0].density == 1);
    assert_true(s.bones[0].stiffness == 5 && s.bones[0].density == 0.5);
    assert_true(s.poisson == 0.45 && s.bones[0].poisson == 0 && s.materials[0].poisson < 0);
    assert_true(s.bones[0].leak == 0.25 && s.materials[0].leak < 0);
    assert_int_equal(logged.warnings, 1); /* colour */
    sn_arena_finish(&arena);
}

static void test_colliders(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_sidecar s;
    assert_int_equal(read_text("{\"colliders\":[{\"bone\":\"head\",\"shape\":\"sphere\",\"offset\":[0,0.5,-1],"
                               "\"radius\":0.25,\"friction\":0.1,\"flesh\":[\"hair\",\"bow\"],\"colour\":1},"
                               "{\"bone\":\"arm\",\"shape\":\"capsule\",\"radius\":1,\"tail\":[0,2,0]},"
                               "{\"bone\":\"hips\",\"shape\":\"plane\",\"normal\":[0,3,0]}]}",
                               &arena, &s),
                     SN_OK);
    assert_int_equal(s.collider_count, 3);
    const sn_cook_collider *c = s.colliders;
    assert_string_equal(c[0].bone, "head");
    assert_true(c[0].shape == SN_COLLIDER_SPHERE && c[0].radius == 0.25 && c[0].friction == 0.1);
    assert_true(c[0].offset[1] == 0.5 && c[0].offset[2] == -1 && c[0].flesh_count == 2);
    assert_string_equal(c[0].flesh[1], "bow");
    assert_true(c[1].shape == SN_COLLIDER_CAPSULE && c[1].tail[1] == 2 && c[1].flesh_count == 0);
    assert_true(c[2].shape == SN_COLLIDER_PLANE && c[2].normal[1] == 3);
    assert_int_equal(logged.warnings, 1); /* colour */
    sn_arena_finish(&arena);
}

static void test_fibres(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_sidecar s;
    assert_int_equal(
        read_text("{\"fibres\":{\"stretch\":[10,1,0.5],\"colour\":1,\"curves\":[{\"points\":[[0,1,2],[3,4,5],"
                  "[6,7,8]],\"weights\":[1,2,1],\"normal\":[0,0,1],\"reach\":0.5},{\"points\":[[0,0,0],"
                  "[1,0,0]],\"degree\":1,\"knots\":[0,0,1,1],\"colour\":1}]},\"bones\":{\"arm\":"
                  "{\"stretch\":[2,1,1],\"shear\":[3,4,5]}}}",
                  &arena, &s),
        SN_OK);
    const sn_cook_fibres *f = &s.fibres;
    assert_true(s.has_fibres && f->stretch[0] == 10 && f->stretch[2] == 0.5 && f->shear[0] == 0);
    assert_int_equal(f->curve_count, 2);
    assert_string_equal(f->name, "cat.sinew.json");
    const sn_cook_curve *c = f->curves;
    assert_true(c[0].degree == 2 && c[0].point_count == 3 && c[0].points[5] == 5 && c[0].weights[1] == 2);
    assert_true(!c[0].knots && c[0].normal[2] == 1 && c[0].influence_radius == 0.5);
    assert_true(c[1].degree == 1 && c[1].knots[2] == 1 && !c[1].weights && c[1].influence_radius == 0);
    assert_true(s.bones[0].stretch[0] == 2 && s.bones[0].shear[2] == 5 && s.bones[0].stiffness == 1);
    assert_int_equal(logged.warnings, 2); /* colours */
    assert_int_equal(read_text("{\"materials\":{\"a\":{}}}", &arena, &s), SN_OK);
    assert_true(!s.has_fibres && s.materials[0].stretch[1] == 1 && s.materials[0].shear[1] == 1);
    sn_arena_finish(&arena);
}

static void test_parts(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_sidecar s;
    assert_int_equal(
        read_text("{\"character\":\"jelly\",\"parts\":{\"Helmet\":\"rigid\",\"belly\":{\"amplitude\":0.02,"
                  "\"frequency\":3,\"settle\":0.5,\"core\":0.25,\"colour\":1},\"Wrap\":{\"kind\":\"cloth\"}}}",
                  &arena, &s),
        SN_OK);
    assert_int_equal(logged.warnings, 1); /* colour */
    assert_non_null(strstr(logged.last, "cat.sinew.json: parts.belly.colour: unknown key, ignored"));
    assert_int_equal(s.style, SN_STYLE_JELLY);
    assert_int_equal(s.part_count, 3);
    assert_string_equal(s.parts[0].name, "Helmet");
    assert_string_equal(s.parts[0].kind, "rigid");
    assert_true(s.parts[0].amplitude < 0 && s.parts[0].core_depth < 0 && s.parts[0].frequency == 0);
    assert_null(s.parts[1].kind);
    assert_true(s.parts[1].amplitude == 0.02 && s.parts[1].frequency == 3 && s.parts[1].settling_time == 0.5);
    assert_true(s.parts[1].core_depth == 0.25);
    assert_string_equal(s.parts[2].kind, "cloth");
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"{\"character\":\"toon\"}", "cat.sinew.json: character: must be \"realistic\", \"cartoon\" or \"jelly\""},
        {"{\"parts\":[]}", "cat.sinew.json: parts: must be an object"},
        {"{\"parts\":{\"belly\":1}}", "cat.sinew.json: parts.belly: must be the name of a kind or an object"},
        {"{\"parts\":{\"belly\":{\"kind\":1}}}", "parts.belly.kind: must be \"rigid\", \"soft\" or the name"},
        {"{\"parts\":{\"belly\":{\"amplitude\":2}}}", "parts.belly.amplitude: must be a number from 0 to 0.5"},
        {"{\"parts\":{\"belly\":{\"amplitude\":\"2\"}}}", "parts.belly.amplitude: must be a number from 0 to 0.5"},
        {"{\"parts\":{\"belly\":{\"frequency\":0}}}", "parts.belly.frequency: must be a number from 0.05 to 100"},
        {"{\"parts\":{\"belly\":{\"settle\":-1}}}", "parts.belly.settle: must be a number from 0.01 to 60"},
        {"{\"parts\":{\"belly\":{\"core\":1.5}}}", "parts.belly.core: must be a number from 0 to 1"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(read_text(cases[i].text, &arena, &s), SN_ERROR_FORMAT);
        assert_one_error(cases[i].error);
    }
    sn_arena_finish(&arena);
}

static void test_choices(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_sidecar s;
    assert_int_equal(read_text("{}", &arena, &s), SN_OK);
    assert_false(s.is_floating);
    assert_false(s.has_target_modes || s.has_target_inertia_gain);
    assert_int_equal(s.morphs, SN_MORPHS_AUTO);
    assert_int_equal(read_text("{\"morphs\":\"dynamic\"}", &arena, &s), SN_OK);
    assert_int_equal(s.morphs, SN_MORPHS_DYNAMIC);
    assert_int_equal(s.complementary, SN_COMPLEMENTARY_AUTO);
    assert_int_equal(read_text("{\"complementary\":\"weights\"}", &arena, &s), SN_OK);
    assert_int_equal(s.complementary, SN_COMPLEMENTARY_WEIGHTS);
    assert_int_equal(read_text("{\"floor\":true}", &arena, &s), SN_OK);
    assert_false(s.is_floating);
    assert_int_equal(read_text("{\"floor\":false}", &arena, &s), SN_OK);
    assert_true(s.is_floating && !s.is_without_generated_clips);
    assert_int_equal(read_text("{\"generated_clips\":true}", &arena, &s), SN_OK);
    assert_false(s.is_without_generated_clips);
    assert_int_equal(read_text("{\"generated_clips\":false}", &arena, &s), SN_OK);
    assert_true(s.is_without_generated_clips && !s.is_floating);
    sn_arena_finish(&arena);
}

/* Texts, and what their one error says. */
static void refuse_all(const char *const (*texts)[2], size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        sn_arena arena = {0};
        sn_sidecar s;
        assert_int_equal(read_text(texts[i][0], &arena, &s), SN_ERROR_FORMAT);
        assert_one_error(texts[i][1]);
        sn_arena_finish(&arena);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    const char *const texts[][2] = {
        {"", "line 1"},
        {"[]", "object"},
        {"{\"rigid\":\"Hat\"}", "rigid: must be a list"},
        {"{\"rigid\":[1]}", "rigid[0]"},
        {"{\"pin\":\"Sole\"}", "pin: must be a list"},
        {"{\"leak\":\"some\"}", "leak: must be \"auto\", \"none\" or \"all\""},
        {"{\"leak\":false}", "leak: must be"},
        {"{\"morphs\":\"moved\"}", "morphs: must be \"dynamic\" or \"visual\""},
        {"{\"morphs\":true}", "morphs: must be"},
        {"{\"target_modes\":-1}", "target_modes: must be an integer from 0 to 96"},
        {"{\"target_modes\":97}", "target_modes: must be an integer from 0 to 96"},
        {"{\"target_modes\":2.5}", "target_modes: must be an integer"},
        {"{\"target_shake\":-0.1}", "target_shake: must be a number from 0 to 10"},
        {"{\"target_shake\":11}", "target_shake: must be a number"},
        {"{\"target_shake\":\"much\"}", "target_shake: must be a number"},
        {"{\"complementary\":\"auto\"}", "complementary: must be \"weights\" or \"coordinates\""},
        {"{\"complementary\":1}", "complementary: must be"},
        {"{\"poisson\":0.5}", "json: poisson: must be a number from 0 to 0.45"},
        {"{\"bones\":{\"a\":{\"poisson\":-1}}}", "bones.a.poisson: must be"},
        {"{\"bones\":{\"a\":{\"leak\":1.5}}}", "bones.a.leak: must be a number from 0 to 1"},
        {"{\"materials\":{\"a\":{\"leak\":\"none\"}}}", "materials.a.leak: must be"},
        {"{\"colliders\":{}}", "colliders: must be a list of objects"},
        {"{\"colliders\":[3]}", "colliders[0]: must be an object"},
        {"{\"colliders\":[{\"shape\":\"sphere\"}]}", "colliders[0].bone: is missing"},
        {"{\"colliders\":[{\"bone\":\"head\"}]}", "colliders[0].shape: is missing"},
        {"{\"colliders\":[{\"shape\":\"box\"}]}", "colliders[0].shape: must be \"plane\", "},
        {"{\"colliders\":[{\"radius\":-1}]}", "colliders[0].radius: must be a number from 0"},
        {"{\"colliders\":[{\"friction\":\"much\"}]}", "colliders[0].friction: must be a number from 0"},
        {"{\"colliders\":[{\"offset\":[0,1]}]}", "colliders[0].offset: must be three numbers"},
        {"{\"colliders\":[{\"tail\":[0,1,1e10]}]}", "colliders[0].tail: must be three numbers"},
        {"{\"colliders\":[{\"flesh\":[]}]}", "colliders[0].flesh: must be a list of at least one name"},
        {"{\"colliders\":[{\"flesh\":[1]}]}", "colliders[0].flesh: must be a name"},
        {"{\"colliders\":[{\"bone\":\"a\",\"shape\":\"plane\"}]}",
         "colliders[0].normal: the normal of a plane must not be 0"},
        {"{\"modes\":0}", "modes: must be"},
        {"{\"modes\":1e3}", "modes: must be"},
        {"{\"bones\":{\"a\":{\"stiffness\":-1}}}", "bones.a.stiffness"},
        {"{\"bones\":{\"a\":{\"stiffness\":\"x\"}}}", "bones.a.stiffness"},
        {"{\"bones\":{\"a\":3}}", "bones.a: must be an object"},
        {"{\"materials\":[]}", "materials: must be an object"},
        {"{\"floor\":3}", "floor: must be true or false"},
        {"{\"floor\":null}", "floor: must be true or false"},
        {"{\"generated_clips\":1}", "generated_clips: must be true or false"},
        {"{\"rigid\":[], \"rigid\":[]}", "line 1"},
    };
    refuse_all(texts, sizeof texts / sizeof texts[0]);
}

static void test_refused_fibres(void **state)
{
    (void)state;
    const char *const texts[][2] = {
        {"{\"fibres\":[]}", "fibres: must be an object"},
        {"{\"fibres\":{\"stretch\":[1,1]}}", "fibres.stretch: must be three numbers from 1e-6"},
        {"{\"fibres\":{\"shear\":[1,0,1]}}", "fibres.shear: must be three numbers"},
        {"{\"bones\":{\"a\":{\"shear\":2}}}", "bones.a.shear: must be three numbers"},
        {"{\"materials\":{\"a\":{\"stretch\":[1,1,1e7]}}}", "materials.a.stretch: must be three numbers"},
        {"{\"fibres\":{\"curves\":{}}}", "fibres.curves: must be a list"},
        {"{\"fibres\":{\"curves\":[1]}}", "fibres.curves[0]: must be an object"},
        {"{\"fibres\":{\"curves\":[{}]}}", "fibres.curves[0].points: is missing"},
        {"{\"fibres\":{\"curves\":[{\"points\":[[0,0,0]]}]}}", "fibres.curves[0].points: must be a list of 2"},
        {"{\"fibres\":{\"curves\":[{\"points\":[[0,0,0],[0,1]]}]}}", "fibres.curves[0].points[1]: must be three"},
        {"{\"fibres\":{\"curves\":[{\"points\":[[0,0,0],[0,0,1e9]]}]}}", "fibres.curves[0].points[1]: must be three"},
        {"{\"fibres\":{\"curves\":[{\"points\":[[0,0,0],[0,0,1]],\"weights\":[1]}]}}",
         "fibres.curves[0].weights: must have as many entries"},
        {"{\"fibres\":{\"curves\":[{\"points\":[[0,0,0],[0,0,1]],\"knots\":[0,1,2]}]}}",
         "fibres.curves[0].knots: must have (number of points)"},
        {"{\"fibres\":{\"curves\":[{\"knots\":[\"a\"]}]}}", "fibres.curves[0].knots: must be a list of numbers"},
        {"{\"fibres\":{\"curves\":[{\"weights\":3}]}}", "fibres.curves[0].weights: must be a list of numbers"},
        {"{\"fibres\":{\"curves\":[{\"degree\":8}]}}", "fibres.curves[0].degree: must be an integer"},
        {"{\"fibres\":{\"curves\":[{\"degree\":1.5}]}}", "fibres.curves[0].degree: must be an integer"},
        {"{\"fibres\":{\"curves\":[{\"reach\":0}]}}", "fibres.curves[0].reach: must be a number above 0"},
        {"{\"fibres\":{\"curves\":[{\"normal\":[0]}]}}", "fibres.curves[0].normal: must be three"},
    };
    refuse_all(texts, sizeof texts / sizeof texts[0]);
}

static char *read_back(const char *path, sn_arena *arena)
{
    sn_source source;
    assert_int_equal(sn_source_read(path, arena, &source), SN_OK);
    char *text = SN_NEW(arena, char, source.size + 1);
    assert_non_null(text);
    return memcpy(text, source.bytes, source.size);
}

/* What is not set stays; an amplitude replaces a frequency; numbers are as a person would write them. */
static void test_written_parts(void **state)
{
    (void)state;
    static const char before[] =
        "{\"modes\": 12, \"parts\": {\"Hat\": \"rigid\", \"belly\": {\"frequency\": 3, \"core\": 0.25}}}";
    static const char after[] = "{\n"
                                "  \"modes\": 12,\n"
                                "  \"parts\": {\n"
                                "    \"Hat\": {\n"
                                "      \"kind\": \"rigid\",\n"
                                "      \"settle\": 0.7\n"
                                "    },\n"
                                "    \"belly\": {\n"
                                "      \"core\": 0.25,\n"
                                "      \"amplitude\": 0.03\n"
                                "    },\n"
                                "    \"tail\": {\n"
                                "      \"kind\": \"soft\",\n"
                                "      \"frequency\": 2.5\n"
                                "    }\n"
                                "  }\n"
                                "}\n";
    const sn_named_part parts[] = {
        {.name = "belly", .amplitude = 0.0300001},
        {.name = "tail", .kind = "soft", .amplitude = -1, .frequency = 2.5},
        {.name = "Hat", .amplitude = -1, .settling_time = 0.7},
    };
    char folder[] = "/tmp/sn_sidecar_XXXXXX", character[64], sidecar[64], written[128];
    sn_arena arena = {0};
    sn_sidecar read;
    assert_non_null(mkdtemp(folder));
    snprintf(character, sizeof character, "%s/cat.glb", folder);
    snprintf(sidecar, sizeof sidecar, "%s/cat.sinew.json", folder);
    assert_int_equal(sn_file_write(sidecar, before, strlen(before)), SN_OK);
    assert_int_equal(sn_sidecar_write_parts(character, parts, 3, written, sizeof written), SN_OK);
    assert_string_equal(written, sidecar);
    assert_string_equal(read_back(sidecar, &arena), after);
    assert_int_equal(sn_sidecar_find(character, &arena, &read), SN_OK);
    assert_true(read.part_count == 3 && read.mode_count == 12);
    /* a file that is not understood stays as it is */
    assert_int_equal(sn_file_write(sidecar, "{\"parts\": 3}", 12), SN_OK);
    begin_log();
    assert_int_equal(sn_sidecar_write_parts(character, parts, 1, written, sizeof written), SN_ERROR_FORMAT);
    assert_one_error("is not a JSON object");
    sn_set_log(NULL, NULL);
    assert_string_equal(read_back(sidecar, &arena), "{\"parts\": 3}");
    assert_int_equal(remove(sidecar), 0);
    /* the first settings make the file */
    assert_int_equal(sn_sidecar_write_parts(character, parts, 1, written, sizeof written), SN_OK);
    assert_int_equal(sn_sidecar_find(character, &arena, &read), SN_OK);
    assert_true(read.part_count == 1 && read.parts[0].amplitude == 0.03);
    assert_int_equal(remove(sidecar), 0);
    assert_int_equal(rmdir(folder), 0);
    sn_arena_finish(&arena);
}

int test_sidecar(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_everything),     cmocka_unit_test(test_colliders),
                                       cmocka_unit_test(test_fibres),         cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_choices),        cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_refused_fibres), cmocka_unit_test(test_written_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
