/* SPDX-License-Identifier: MIT */
/* Names and weights of morph targets, and VRM expressions: what is read, what is left out, what is refused. */
#include "tests/io/gltf_test.h"

/* Two nodes draw one mesh of one triangle with two targets; EXTRAS, WEIGHTS and EXTENSIONS are to be replaced. */
static const char whole[] =
    "{'asset':{'version':'2.0'},EXTENSIONS'nodes':[{'mesh':0},{'mesh':0,WEIGHTS'name':'b'},{'name':'c'}],"
    "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'targets':[{'POSITION':0},{}]PRIMITIVE}],EXTRAS"
    "'weights':[0.25,0.5]}],'accessors':[{'componentType':5126,'count':3,'type':'VEC3'}]}";

typedef struct replacements {
    const char *extensions, *weights, *primitive, *extras;
} replacements;

static void make_document(const replacements *r, char *document, size_t size)
{
    const struct {
        const char *mark, *text;
    } marks[] = {
        {"EXTENSIONS", r->extensions}, {"WEIGHTS", r->weights}, {"PRIMITIVE", r->primitive}, {"EXTRAS", r->extras}};
    const char *at = whole;
    size_t length = 0;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; ++i) {
        const char *mark = strstr(at, marks[i].mark);
        length += (size_t)snprintf(document + length, size - length, "%.*s%s", (int)(mark - at), at,
                                   marks[i].text ? marks[i].text : "");
        at = mark + strlen(marks[i].mark);
    }
    snprintf(document + length, size - length, "%s", at);
}

static void read_whole(const replacements *r, sn_arena *arena, sn_scene_file *scene)
{
    char document[4096];
    make_document(r, document, sizeof document);
    read_document(document, NULL, arena, scene);
}

static void expect_names(const replacements *r, const char *first, const char *second)
{
    sn_arena arena = {0};
    sn_scene_file s;
    read_whole(r, &arena, &s);
    assert_int_equal(logged.warnings, 0);
    assert_int_equal(s.meshes[0].morph_count, 2);
    if (!first) {
        assert_null(s.meshes[0].morph_names);
    } else {
        assert_string_equal(s.meshes[0].morph_names[0], first);
        assert_string_equal(s.meshes[0].morph_names[1], second);
    }
    sn_arena_finish(&arena);
}

/* Of the mesh, else of its first primitive; what is something else is none of ours. */
static void test_names(void **state)
{
    (void)state;
    expect_names(&(replacements){0}, NULL, NULL);
    expect_names(&(replacements){.extras = "'extras':{'targetNames':['A','B']},"}, "A", "B");
    expect_names(&(replacements){.primitive = ",'extras':{'targetNames':['C','']}"}, "C", "");
    expect_names(&(replacements){.extras = "'extras':{'targetNames':['A','B']},",
                                 .primitive = ",'extras':{'targetNames':['C','D']}"},
                 "A", "B");
    expect_names(&(replacements){.extras = "'extras':{'targetNames':['A',7]},"}, "A", "");
    expect_names(&(replacements){.extras = "'extras':{'targetNames':['A']},"}, NULL, NULL);
    expect_names(&(replacements){.extras = "'extras':{'targetNames':'A'},"}, NULL, NULL);
    expect_names(&(replacements){.extras = "'extras':['targetNames'],"}, NULL, NULL);
}

static void test_weights(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file s;
    read_whole(&(replacements){.weights = "'weights':[1,-1],"}, &arena, &s);
    assert_true(s.meshes[0].morph_weights[0] == 0.25F && s.meshes[0].morph_weights[1] == 0.5F);
    assert_null(s.nodes[0].morph_weights);
    assert_true(s.nodes[1].morph_weights[0] == 1 && s.nodes[1].morph_weights[1] == -1);
    sn_arena_finish(&arena);
}

#define OLD(groups) "'extensions':{'VRM':{'blendShapeMaster':{'blendShapeGroups':[" groups "]}}},"
#define NEW(expressions) "'extensions':{'VRMC_vrm':{'expressions':{" expressions "}}},"

static void expect_bind(const sn_scene_file *s, int expression, int bind, const sn_scene_expression_bind *expected)
{
    assert_true(bind < s->expressions[expression].definition.bind_count);
    const sn_scene_expression_bind *found =
        &s->expression_binds[s->expressions[expression].definition.first_bind + bind];
    assert_int_equal(found->node, expected->node);
    assert_int_equal(found->mesh, expected->mesh);
    assert_int_equal(found->morph, expected->morph);
    assert_true(found->weight == expected->weight);
}

/* Names of presets are mapped, weights are percent, binds name meshes. */
static void test_old_expressions(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file s;
    read_whole(
        &(replacements){.extensions = OLD("{'name':'Joy','presetName':'joy','binds':[{'mesh':0,'index':1,'weight':50},"
                                          "{'mesh':0,'index':0,'weight':100}]},{'name':'Cat','presetName':'unknown',"
                                          "'isBinary':true,'binds':[]},{'name':'Blink_L','presetName':'blink_l'}")},
        &arena, &s);
    assert_int_equal(logged.warnings, 0);
    assert_int_equal(s.expression_count, 3);
    assert_string_equal(s.expressions[0].name, "happy");
    assert_string_equal(s.expressions[1].name, "Cat");
    assert_string_equal(s.expressions[2].name, "blinkLeft");
    assert_true(s.expressions[1].definition.is_binary && !s.expressions[0].definition.is_binary);
    assert_int_equal(s.expressions[0].definition.bind_count, 2);
    expect_bind(&s, 0, 0, &(sn_scene_expression_bind){-1, 0, 1, 0.5F});
    expect_bind(&s, 0, 1, &(sn_scene_expression_bind){-1, 0, 0, 1});
    sn_arena_finish(&arena);
}

/* What an expression suppresses; a group never suppresses itself. */
static void test_overrides(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file s;
    read_whole(&(replacements){.extensions = NEW("'preset':{'blink':{'overrideBlink':'block','overrideMouth':'none'},"
                                                 "'happy':{'overrideBlink':'blend','overrideLookAt':'block'},'ee':{},"
                                                 "'lookUp':{'overrideMouth':'blend','overrideBlink':'strange'}},"
                                                 "'custom':{'Smug':{'overrideMouth':'block'}}")},
               &arena, &s);
    static const sn_expression expected[] = {
        {.blocked_groups = SN_EXPRESSION_LOOK, .blended_groups = SN_EXPRESSION_BLINK}, /* happy */
        {.group = SN_EXPRESSION_MOUTH},                                                /* ee */
        {.group = SN_EXPRESSION_BLINK},                                                /* blink */
        {.group = SN_EXPRESSION_LOOK, .blended_groups = SN_EXPRESSION_MOUTH},          /* lookUp */
        {.blocked_groups = SN_EXPRESSION_MOUTH}};                                      /* Smug */
    assert_int_equal(s.expression_count, 5);
    for (int i = 0; i < 5; ++i) {
        assert_memory_equal(&s.expressions[i].definition, &expected[i], sizeof expected[i]);
    }
    sn_arena_finish(&arena);
}

/* Presets come first, in their own order; binds name nodes. */
static void test_new_expressions(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file s;
    read_whole(&(replacements){.extensions = NEW(
                                   "'custom':{'wave':{'morphTargetBinds':[{'node':1,'index':0,'weight':0.75}]}},"
                                   "'preset':{'aa':{'isBinary':true},'happy':{'morphTargetBinds':[{'node':0,'index':1,"
                                   "'weight':1}]},'strange':{}}")},
               &arena, &s);
    assert_int_equal(logged.warnings, 0);
    assert_int_equal(s.expression_count, 3);
    assert_string_equal(s.expressions[0].name, "happy");
    assert_string_equal(s.expressions[1].name, "aa");
    assert_string_equal(s.expressions[2].name, "wave");
    assert_true(s.expressions[1].definition.is_binary && s.expressions[1].definition.bind_count == 0);
    expect_bind(&s, 0, 0, &(sn_scene_expression_bind){0, -1, 1, 1});
    expect_bind(&s, 2, 0, &(sn_scene_expression_bind){1, -1, 0, 0.75F});
    sn_arena_finish(&arena);
}

#define TRACKS(expressions) "'extensions':{'VRMC_vrm_animation':{'expressions':{" expressions "}}},"

/* Of a .vrma: which nodes have values of expressions. */
static void test_expression_tracks(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file s;
    read_whole(
        &(replacements){.extensions = TRACKS("'custom':{'wave':{'node':0},'none':{}},'preset':{'happy':{'node':2}}")},
        &arena, &s);
    assert_int_equal(logged.warnings, 0);
    assert_int_equal(s.expression_track_count, 2);
    assert_string_equal(s.expression_tracks[0].name, "happy");
    assert_int_equal(s.expression_tracks[0].node, 2);
    assert_string_equal(s.expression_tracks[1].name, "wave");
    assert_int_equal(s.expression_tracks[1].node, 0);
    assert_int_equal(s.expression_count, 0);
    sn_arena_finish(&arena);
}

/* Binds that name nothing are left out, with one warning. */
static void test_binds_of_nothing(void **state)
{
    (void)state;
    static const char *const extensions[] = {
        OLD("{'name':'x','binds':[{'mesh':-1,'index':0},{'mesh':1,'index':0},{'mesh':0,'index':2},{'mesh':0,'index':-1}"
            ","
            "{'mesh':0},{'mesh':0,'index':1}]}"),
        NEW("'preset':{'sad':{'morphTargetBinds':[{'node':2,'index':0},{'node':9,'index':0},{'node':0,'index':2},"
            "{'index':0},{'node':0,'index':-1},{'node':0,'index':1}]}}")};
    for (int i = 0; i < 2; ++i) {
        sn_arena arena = {0};
        sn_scene_file s;
        read_whole(&(replacements){.extensions = extensions[i]}, &arena, &s);
        assert_int_equal(logged.warnings, 1);
        assert_true(s.expression_count == 1 && s.expressions[0].definition.bind_count == 1 &&
                    s.expression_bind_count == 1);
        assert_true(s.expression_binds[0].morph == 1 && s.expression_binds[0].weight == 1);
        sn_arena_finish(&arena);
    }
}

/* Points are left out, and with them what a clip does to their targets; the rest of the clip stays. */
static void test_targets_of_points(void **state)
{
    (void)state;
    static const char document[] =
        "{'asset':{'version':'2.0'},'nodes':[{'mesh':0,'weights':[1]},{'mesh':1}],"
        "'meshes':[{'weights':[1],'primitives':[{'mode':0,'attributes':{'POSITION':0},'targets':[{'POSITION':0}]}]},"
        "{'primitives':[{'attributes':{'POSITION':0}}]}],"
        "'accessors':[{'componentType':5126,'count':3,'type':'VEC3'},{'componentType':5126,'count':1,'type':'SCALAR'},"
        "{'componentType':5126,'count':1,'type':'VEC3'}],"
        "'animations':[{'samplers':[{'input':1,'output':1},{'input':1,'output':2}],'channels':["
        "{'sampler':0,'target':{'node':0,'path':'weights'}},{'sampler':1,'target':{'node':1,'path':'scale'}}]}]}";
    sn_arena arena = {0};
    sn_scene_file s;
    read_document(document, NULL, &arena, &s);
    assert_int_equal(s.channel_count, 1);
    assert_int_equal(s.clips[0].channel_count, 1);
    assert_int_equal(s.channels[0].path, SN_PATH_SCALE);
    sn_arena_finish(&arena);
}

static void test_messages(void **state)
{
    (void)state;
    static const struct {
        replacements with;
        const char *message;
    } cases[] = {
        {{.weights = "'weights':[1],"}, "nodes[1].weights: has 1 entries instead of 2"},
        {{.weights = "'weights':1,"}, "nodes[1].weights: is not an array"},
        {{.weights = "'weights':[1,'x'],"}, "nodes[1].weights[1]: is not a number"},
        {{.extensions = OLD("7")}, "blendShapeGroups[0]: is not an object"},
        {{.extensions = OLD("{'binds':{}}")}, "blendShapeGroups[0].binds: is not an array"},
        {{.extensions = OLD("{'binds':[{'index':'x'}]}")}, "blendShapeGroups[0].binds[0].index: is not an integer"},
        {{.extensions = OLD("{'name':7}")}, "blendShapeGroups[0].name: is not a string"},
        {{.extensions = NEW("'preset':7")}, "extensions.VRMC_vrm.expressions.preset: is not an object"},
        {{.extensions = NEW("'custom':{'a':{'morphTargetBinds':[{'node':0,'index':0,'weight':1e60}]}}")},
         "expressions.custom[0].morphTargetBinds[0].weight: is too large"},
        {{.extensions = TRACKS("'preset':7")}, "extensions.VRMC_vrm_animation.expressions.preset: is not an object"},
        {{.extensions = TRACKS("'preset':{'sad':7}")}, "VRMC_vrm_animation.expressions.preset[0]: is not an object"},
        {{.extensions = TRACKS("'custom':{'sad':{'node':3}}")},
         "expressions.custom[0].node: refers to entry 3, but there are only 3"},
        {{.extensions = NEW("'preset':{'sad':{'isBinary':1}}")}, "preset.sad.isBinary: is neither true nor false"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char document[4096];
        make_document(&cases[i].with, document, sizeof document);
        check_document_failure(document, NULL, SN_ERROR_FORMAT, cases[i].message);
    }
}

/* A small file can ask for many. */
static void test_too_many_binds(void **state)
{
    (void)state;
    static char document[200000];
    sn_arena arena = {0};
    sn_scene_file scene;
    size_t length = (size_t)snprintf(document, sizeof document,
                                     "{\"asset\":{\"version\":\"2.0\"},\"extensions\":{\"VRM\":{\"blendShapeMaster\":"
                                     "{\"blendShapeGroups\":[{\"binds\":[0");
    for (int i = 1; i < 70000; ++i) {
        memcpy(document + length, ",0", 2);
        length += 2;
    }
    length += (size_t)snprintf(document + length, sizeof document - length, "]}]}}}}");
    const sn_source source = {.name = "many", .bytes = (const uint8_t *)document, .size = length};
    begin_log();
    assert_int_equal(sn_gltf_read(&source, &arena, &scene), SN_ERROR_UNSUPPORTED);
    assert_one_error("many: extensions.VRM.blendShapeMaster.blendShapeGroups: 70000 binds of morph targets; at most");
    sn_arena_finish(&arena);
}

int test_gltf_morphs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_old_expressions),
        cmocka_unit_test(test_new_expressions),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_expression_tracks),
        cmocka_unit_test(test_binds_of_nothing),
        cmocka_unit_test(test_targets_of_points),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_too_many_binds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
