/* SPDX-License-Identifier: MIT */
/* Expressions from the names of morph targets, in the spellings of several exporters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/import/named_expressions.h"

/* The binds of an expression, or null. */
static const sn_expression_bind *find(const sn_character *c, const char *name, int *count)
{
    for (int e = 0; e < c->expression_count; ++e) {
        if (strcmp(c->expressions[e].name, name) == 0) {
            *count = c->expressions[e].definition.bind_count;
            return c->expression_binds + c->expressions[e].definition.first_bind;
        }
    }
    *count = 0;
    return NULL;
}

static void test_spellings(void **state)
{
    (void)state;
    static const struct {
        const char *morph, *expression;
    } cases[] = {{"jawOpen", "jawOpen"},
                 {"Jaw_Open", "jawOpen"},
                 {"Eye_Blink_L", "eyeBlinkLeft"},
                 {"eyeBlink_R", "eyeBlinkRight"},
                 {"blendShape1.mouthSmileLeft", "mouthSmileLeft"},
                 {"vrc.v_aa", "aa"},
                 {"vrc.blink_left", "blinkLeft"},
                 {"A", "aa"},
                 {"Fcl_ALL_Joy", "happy"},
                 {"Fcl_EYE_Close_R", "blinkRight"},
                 {"Brow_Raise_Inner_L", "browInnerUp"},
                 {"Eye_L_Look_R", "eyeLookInLeft"},
                 {"Mouth_L", "mouthLeft"},
                 {"\xe3\x81\x82", "aa"},
                 {"smile", NULL},
                 {"", NULL},
                 {"l", NULL},
                 {"_L", NULL},
                 {"jawOpen.", NULL},
                 {"a name of more than sixty characters that ends with the words jaw open", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_arena arena = {0};
        sn_character_morph morph = {.name = cases[i].morph};
        sn_character c = {.morph_count = 1, .morphs = &morph};
        assert_int_equal(sn_character_name_expressions(&arena, &c), SN_OK);
        if (c.expression_count != (cases[i].expression != NULL) ||
            (cases[i].expression && strcmp(c.expressions[0].name, cases[i].expression) != 0)) {
            fail_msg("%s: %s", cases[i].morph, c.expression_count ? c.expressions[0].name : "none");
        }
        sn_arena_finish(&arena);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* One name drives every mesh that has it; expressions of the file stay as they are. */
static void test_meshes(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_character_morph morphs[] = {{.name = "jawOpen"}, {.name = "joy"}, {.name = "Jaw_Open"}, {.name = "happy"}};
    sn_character_expression own = {"happy", {.bind_count = 1}};
    sn_expression_bind own_bind = {1, 0.5F};
    sn_character c = {.morph_count = 4,
                      .morphs = morphs,
                      .expression_count = 1,
                      .expressions = &own,
                      .expression_bind_count = 1,
                      .expression_binds = &own_bind};
    int count;
    assert_int_equal(sn_character_name_expressions(&arena, &c), SN_OK);
    assert_int_equal(c.expression_count, 2);
    const sn_expression_bind *binds = find(&c, "happy", &count);
    assert_true(count == 1 && binds[0].morph == 1 && binds[0].weight == 0.5F);
    binds = find(&c, "jawOpen", &count);
    assert_true(count == 2 && binds[0].morph == 0 && binds[1].morph == 2 && binds[1].weight == 1);
    sn_arena_finish(&arena);
}

int test_named_expressions(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
