/* SPDX-License-Identifier: MIT */
/* glTF: one message for each thing that can be wrong in a document, its values and its URIs. */
#include "tests/io/gltf_test.h"

#include <math.h>

/* A triangle with everything, for messages: views at bytes 0, 36, 48, 96, 104, 112. */
static const char whole[] =
    "{'asset':{'version':'2.0'},'scene':0,'scenes':[{'nodes':[0]}],"
    "'nodes':[{'name':'a','children':[1],'translation':[1,2,3]},{'mesh':0,'skin':0,'rotation':[0,0,0,1]}],"
    "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':2},'indices':3,'material':0,"
    "'targets':[{'POSITION':0}]}],'weights':[1]}],'skins':[{'joints':[0,1]}],"
    "'materials':[{'name':'m','alphaMode':'BLEND','emissiveFactor':[0,0,0],'doubleSided':true}],"
    "'animations':[{'name':'go','channels':[{'sampler':0,'target':{'node':1,'path':'rotation'}}],"
    "'samplers':[{'input':4,'output':5,'interpolation':'STEP'}]}],"
    "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
    "{'bufferView':1,'componentType':5121,'count':3,'type':'VEC4'},"
    "{'bufferView':2,'componentType':5126,'count':3,'type':'VEC4'},"
    "{'bufferView':3,'componentType':5123,'count':3,'type':'SCALAR'},"
    "{'bufferView':4,'componentType':5126,'count':2,'type':'SCALAR'},"
    "{'bufferView':5,'componentType':5126,'count':2,'type':'VEC4'}],"
    "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':12},"
    "{'buffer':0,'byteOffset':48,'byteLength':48},{'buffer':0,'byteOffset':96,'byteLength':6},"
    "{'buffer':0,'byteOffset':104,'byteLength':8},{'buffer':0,'byteOffset':112,'byteLength':32}],"
    "'buffers':[{'byteLength':144}]}";

static void put_whole_binary(bytes *binary)
{
    put_floats(binary, 9, (const float[]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    put(binary, "\1\0\0\0\0\0\0\0\1\0\0\0", 12);
    put_floats(binary, 12, (const float[]){1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
    put(binary, "\0\0\1\0\2\0\0\0", 8);
    put_floats(binary, 2, (const float[]){0, 1});
    put_floats(binary, 8, (const float[]){0, 0, 0, 1, 1, 0, 0, 0});
}

typedef struct message_case {
    const char *old, *replacement, *message;
} message_case;

static void check_messages(const message_case *cases, size_t count)
{
    bytes binary = {0};
    put_whole_binary(&binary);
    for (size_t i = 0; i < count; ++i) {
        char document[4096];
        const char *at = strstr(whole, cases[i].old);
        assert_non_null(at);
        snprintf(document, sizeof document, "%.*s%s%s", (int)(at - whole), whole, cases[i].replacement,
                 at + strlen(cases[i].old));
        const bool is_supported = !strstr(cases[i].message, "supported");
        check_document_failure(document, &binary, is_supported ? SN_ERROR_FORMAT : SN_ERROR_UNSUPPORTED,
                               cases[i].message);
    }
}

static void test_document_messages(void **state)
{
    (void)state;
    static const message_case cases[] = {
        {"{'asset'", "[{'asset'", "line 1, column "},
        {"{'version':'2.0'}", "{}", "asset.version: is missing"},
        {"{'version':'2.0'}", "2", "asset: is not an object"},
        {"'asset'", "'a'", "asset: is missing"},
        {"'2.0'", "2.0", "asset.version: is not a"},
        {"'2.0'", "'2'", "asset.version: is not a version number"},
        {"'2.0'", "'2.0.1'", "asset.version: is not a version number"},
        {"'2.0'", "'1.0'", "asset: glTF 1.0 is not supported"},
        {"'2.0'", "'2.0','minVersion':'2.1'", "asset: requires glTF 2.1; only 2.0 is supported"},
        {"'scene':0", "'extensionsRequired':['EXT_of_nobody']",
         "extensionsRequired[0]: the extension EXT_of_nobody is not supported"},
        {"'scene':0", "'extensionsRequired':[0]", "extensionsRequired[0]: is not a string"},
        {"'scene':0", "'extensionsUsed':{}", "extensionsUsed: is not an array"},
        {"'scene':0", "'scene':1", "scene: refers to entry 1, but there are only 1"},
        {"{'nodes':[0]}", "{'nodes':[2]}", "scenes[0].nodes[0]: refers to entry 2, but there are only 2"},
        {"{'nodes':[0]}", "0", "scenes[0]: is not an object"},
        {"{'name':'a'", "{'name':1", "nodes[0].name: is not a string"},
        {"'children':[1]", "'children':[-1]", "nodes[0].children[0]: refers to entry -1, but there are only 2"},
        {"'children':[1]", "'children':[0.5]", "nodes[0].children[0]: is not an integer: 0.5"},
        {"'children':[1]", "'children':[1,1]", "nodes[0].children[1]: node 1 is already a child of node 0"},
        {"'children':[1]", "'children':[0]", "nodes[0]: the node is its own ancestor"},
        {"'mesh':0,'skin'", "'children':[0],'skin'", "nodes[0]: the node is its own ancestor"},
        {"'translation':[1,2,3]", "'translation':[1,2]", "nodes[0].translation: has 2 entries instead of 3"},
        {"'translation':[1,2,3]", "'translation':[1,2,1e40]", "nodes[0].translation[2]: is too large: 1e+40"},
        {"'translation':[1,2,3]", "'scale':[1,2,'x']", "nodes[0].scale[2]: is not a number"},
        {"'translation':[1,2,3]", "'scale':null", "nodes[0].scale: is not an array"},
        {"'rotation':[0,0,0,1]", "'rotation':[0,0,0,0]", "nodes[1].rotation: the rotation has length 0"},
        {"'rotation':[0,0,0,1]", "'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,2]",
         "nodes[1].matrix: the matrix is not affine"},
        {"'rotation':[0,0,0,1]", "'matrix':[1],'scale':[1,1,1]", "nodes[1]: has both a matrix and"},
        {"'mesh':0,", "'mesh':1,", "nodes[1].mesh: refers to entry 1, but there are only 1"},
        {"'skin':0", "'skin':1", "nodes[1].skin: refers to entry 1, but there are only 1"},
        {"'joints':[0,1]", "'joints':[0]",
         "nodes[1]: joint 1, which meshes[0].primitives[0] uses, does not exist: there are only 1 joints in skin 0"},
        {"'joints':[0,1]", "'joints':[]", "skins[0].joints: is empty"},
        {"'joints':[0,1]", "'joint':[]", "skins[0].joints: is missing"},
        {"'joints':[0,1]", "'joints':[0,2]", "skins[0].joints[1]: refers to entry 2, but there are only 2"},
        {"'joints':[0,1]", "'joints':[0,1],'inverseBindMatrices':0",
         "skins[0].inverseBindMatrices: accessor 0 has VEC3 of type 5126 instead of MAT4 of floats"},
        {"'BLEND'", "'blend'", "materials[0]: the alphaMode must be"},
        {"'doubleSided':true", "'doubleSided':1", "materials[0].doubleSided: is neither true nor false"},
        {"'doubleSided':true", "'normalTexture':{}", "materials[0].normalTexture.index: is missing"},
        {"'doubleSided':true", "'normalTexture':{'index':0}",
         "materials[0].normalTexture.index: refers to entry 0, but there are only 0"},
        {"'doubleSided':true", "'normalTexture':{'index':0,'scale':'x'}",
         "materials[0].normalTexture.index: refers to entry 0"},
        {"'emissiveFactor':[0,0,0]", "'emissiveFactor':[0,0,{}]", "materials[0].emissiveFactor[2]: is not a number"},
        {"'emissiveFactor':[0,0,0]", "'pbrMetallicRoughness':[]",
         "materials[0].pbrMetallicRoughness: is not an object"},
    };
    check_messages(cases, sizeof cases / sizeof cases[0]);
}

static void test_mesh_messages(void **state)
{
    (void)state;
    static const message_case cases[] = {
        {"'primitives':[{", "'primitives':{'x':{", "line 1, column "},
        {"'attributes'", "'attribute'", "meshes[0].primitives[0].attributes: is missing"},
        {"'JOINTS_0':1,", "", "meshes[0].primitives[0].attributes.JOINTS_0: is missing"},
        {",'WEIGHTS_0':2", "", "meshes[0].primitives[0].attributes.WEIGHTS_0: is missing"},
        {"'WEIGHTS_0':2", "'WEIGHTS_0':1", "WEIGHTS_0: accessor 1 has VEC4 of type 5121 instead of VEC4 of floats or"},
        {"'JOINTS_0':1", "'JOINTS_0':1,'NORMAL':6", "attributes.NORMAL: refers to entry 6, but there are only 6"},
        {"'JOINTS_0':1", "'JOINTS_0':2", "attributes.JOINTS_0: accessor 2 has VEC4 of type 5126 instead of"},
        {"'JOINTS_0':1", "'JOINTS_0':1,'COLOR_0':5", "attributes.COLOR_0: accessor 5 has 2 elements instead of 3"},
        {"'JOINTS_0':1", "'JOINTS_0':1,'_SINEW_LEAK':2",
         "attributes._SINEW_LEAK: accessor 2 has VEC4 of type 5126 instead"},
        {"'indices':3", "'indices':3,'mode':7", "meshes[0].primitives[0].mode: is 7; it must be from 0 to 6"},
        {"'indices':3", "'indices':0", "indices: accessor 0 has VEC3 of type 5126 instead of SCALAR of unsigned"},
        {"'material':0", "'material':1", "meshes[0].primitives[0].material: refers to entry 1, but there are only 1"},
        {"'targets':[{'POSITION':0}]", "'targets':[{'POSITION':5}]", "targets[0].POSITION: accessor 5 has VEC4"},
        {"'targets':[{'POSITION':0}]}", "'targets':[{'POSITION':0}]},{'attributes':{'POSITION':0}}",
         "meshes[0].primitives[1].targets: has 0 entries, but another primitive of the mesh has 1"},
        {"'weights':[1]", "'weights':[1,2]", "meshes[0].weights: has 2 entries instead of 1"},
        {"'count':3,'type':'VEC3'", "'count':0,'type':'VEC3'",
         "accessors[0].count: is 0; it must be from 1 to 2147483647"},
        {"'count':3,'type':'VEC3'", "'count':4,'type':'VEC3'",
         "accessors[0]: 4 elements of 12 bytes at byte offset 0 exceed bufferView 0 of 36 bytes"},
        {"'count':3,'type':'VEC3'", "'count':3,'type':'VEC3','byteOffset':9223372036854775807",
         "accessors[0]: 3 elements"},
        {"'count':3,'type':'VEC3'", "'count':3,'type':'VEC5'", "accessors[0]: the type must be"},
        {"'count':3,'type':'VEC3'", "'count':3,'type':'VEC3','normalized':true", "accessors[0]: 32-bit values"},
        {"'componentType':5126", "'componentType':5124", "accessors[0]: componentType 5124 does not exist"},
        {"'componentType':5126", "'componentType':1", "accessors[0].componentType: is 1; it must be from 5120 to 5126"},
        {"'bufferView':0", "'bufferView':6", "accessors[0].bufferView: refers to entry 6, but there are only 6"},
        {"'byteLength':36}", "'byteLength':36,'byteStride':4}",
         "accessors[0]: elements of 12 bytes have a stride of only 4 bytes"},
        {"'byteLength':36}", "'byteLength':36,'byteStride':3}",
         "bufferViews[0].byteStride: is 3; it must be from 4 to 252"},
        {"'byteLength':36}", "'byteLength':-1}", "bufferViews[0].byteLength: is -1; it must be at least 1"},
        {"'byteLength':36}", "'byteLength':145}",
         "bufferViews[0]: bytes 0 to 0 + 145 are outside of buffer 0 of 144 bytes"},
        {"'byteOffset':36", "'byteOffset':145", "bufferViews[1]: bytes 145 to 145 + 12 are outside of buffer 0"},
        {"'byteLength':144", "'byteLength':145", "buffers[0]: byteLength is 145, but there are 144 bytes"},
        {"'byteLength':144", "'byteLength':144,'uri':5", "buffers[0].uri: is not a string"},
        {"{'byteLength':144}", "{'byteLength':144},{'byteLength':1}", "buffers[1]: has no uri"},
    };
    check_messages(cases, sizeof cases / sizeof cases[0]);
}

static void test_sparse_and_animation_messages(void **state)
{
    (void)state;
#define SPARSE(count, component)                                                                                       \
    "'count':3,'type':'VEC3','sparse':{'count':" count ",'indices':{'bufferView':1,"                                   \
    "'componentType':" component "},'values':{'bufferView':2}}"
    static const message_case cases[] = {
        {"'count':3,'type':'VEC3'", SPARSE("4", "5121"), "accessors[0].sparse.count: is 4; it must be from 1 to 3"},
        {"'count':3,'type':'VEC3'", SPARSE("2", "5126"),
         "accessors[0].sparse.indices: the indices must be unsigned integers"},
        {"'count':3,'type':'VEC3'", SPARSE("3", "5121"),
         "POSITION: sparse index 1 is 0; it must be above 1 and below 3"},
        {"'count':3,'type':'VEC3'", "'count':3,'type':'VEC3','sparse':{'count':1}",
         "accessors[0].sparse.indices.bufferView: is missing"},
        {"'sampler':0", "'sampler':1", "animations[0].channels[0].sampler: refers to entry 1, but there are only 1"},
        {"'sampler':0,", "", "animations[0].channels[0].sampler: is missing"},
        {"'node':1,'path'", "'node':2,'path'",
         "animations[0].channels[0].target.node: refers to entry 2, but there are only 2"},
        {"'path':'rotation'", "'path':'turn'", "animations[0].channels[0].target: the path must be"},
        {"'path':'rotation'", "'path':'scale'", "output: accessor 5 has VEC4 of type 5126 instead of VEC3 of floats"},
        {"'path':'rotation'}}", "'path':'rotation'}},{'sampler':0,'target':{'node':1,'path':'rotation'}}",
         "animations[0].channels[1].target: node 1 has a second channel with the same path"},
        {"'STEP'", "'step'", "animations[0].samplers[0]: the interpolation must be"},
        {"'STEP'", "'CUBICSPLINE'", "animations[0].samplers[0].output: 2 values for 2 keys instead of 6"},
        {"'input':4", "'input':0", "samplers[0].input: accessor 0 has VEC3 of type 5126 instead of SCALAR of floats"},
        {"'input':4,", "", "animations[0].samplers[0].input: is missing"},
        {"'animations':[{", "'extensions':{'VRMC_vrm':{'humanoid':{'humanBones':{'hips':{'node':2}}}}},'animations':[{",
         "extensions.VRMC_vrm.humanoid.humanBones.hips.node: refers to entry 2, but there are only 2"},
        {"'animations':[{",
         "'extensions':{'VRM':{'humanoid':{'humanBones':[{'bone':'hips','node':9}]}}},'animations':[{",
         "extensions.VRM.humanoid.humanBones[0].node: refers to entry 9, but there are only 2"},
    };
#undef SPARSE
    check_messages(cases, sizeof cases / sizeof cases[0]);
}

/* The same document with four bytes of its buffer changed. */
static void test_value_messages(void **state)
{
    (void)state;
    static const struct {
        size_t offset;
        float value;
        const char *message;
    } cases[] = {
        {4, INFINITY, "meshes[0].primitives[0].attributes.POSITION: element 0 is not finite"},
        {16, NAN, "meshes[0].primitives[0].attributes.POSITION: element 1 is not finite"},
        {52, NAN, "meshes[0].primitives[0].attributes.WEIGHTS_0: element 0 is not finite"},
        {96, 1, "meshes[0].primitives[0].indices: element 1 is 16256, but there are only 3 vertices"},
        {124, 0, "animations[0].samplers[0].output: the rotation has length 0"},
    };
    bytes good = {0};
    sn_arena arena = {0};
    sn_scene_file s;
    put_whole_binary(&good);
    read_document(whole, &good, &arena, &s);
    assert_int_equal(logged.warnings, 0);
    assert_true(s.materials[0].values.alpha_mode == SN_ALPHA_BLEND && s.materials[0].values.is_double_sided);
    assert_string_equal(s.clips[0].name, "go");
    sn_arena_finish(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        bytes bad = good;
        memcpy(bad.data + cases[i].offset, &cases[i].value, 4);
        check_document_failure(whole, &bad, SN_ERROR_FORMAT, cases[i].message);
    }
}

/* Reads the document with a piece of text replaced and four bytes of its buffer changed. */
static void read_tolerated(const char *old, const char *replacement, size_t offset, float value, const char *warning,
                           sn_arena *arena, sn_scene_file *s)
{
    char document[4096];
    bytes binary = {0};
    const char *at = strstr(whole, old);
    assert_non_null(at);
    snprintf(document, sizeof document, "%.*s%s%s", (int)(at - whole), whole, replacement, at + strlen(old));
    put_whole_binary(&binary);
    memcpy(binary.data + offset, &value, 4);
    read_document(document, &binary, arena, s);
    if (logged.warnings != 1 || !strstr(logged.last, warning)) {
        fail_msg("%d warnings, '%s' instead of '%s'", logged.warnings, logged.last, warning);
    }
}

/* What exporters get wrong, and a character does not need. */
static void test_tolerated(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file s;
    read_tolerated("'JOINTS_0':1,'WEIGHTS_0':2", "'TANGENT':2", 52, NAN,
                   "attributes.TANGENT: element 0 is not finite; the attribute is ignored", &arena, &s);
    assert_true(!s.primitives[0].tangents && s.primitives[0].vertex_count == 3);
    sn_arena_finish(&arena);
    read_tolerated("'byteLength':36}", "'byteLength':36,'byteStride':0}", 0, 0,
                   "bufferViews[0].byteStride: is 0; the elements are read without gaps", &arena, &s);
    assert_float_equal(s.primitives[0].positions[3], 1, 0);
    sn_arena_finish(&arena);
    read_tolerated("'scene':0", "'scene':0", 48, -1, "attributes: weight 0 of vertex 0 is negative, -1; it counts as 0",
                   &arena, &s);
    assert_float_equal(s.primitives[0].weights[0], 0, 0);
    assert_float_equal(s.primitives[0].weights[4], 1, 0);
    sn_arena_finish(&arena);
    read_tolerated("'rotation':[0,0,0,1]", "'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]", 0, 0,
                   "target: node 1 has a matrix and cannot be animated; the channel is ignored", &arena, &s);
    assert_int_equal(s.clips[0].channel_count, 0);
    sn_arena_finish(&arena);
    read_tolerated("'node':1,'path':'rotation'", "'node':0,'path':'weights'", 0, 0,
                   "target: node 0 has no morph targets; the channel is ignored", &arena, &s);
    assert_int_equal(s.clips[0].channel_count, 0);
    sn_arena_finish(&arena);
    read_tolerated("'scene':0", "'scene':0", 108, 0,
                   "input: time 1 is 0, which is not after the previous time; the key is ignored", &arena, &s);
    assert_int_equal(s.channels[0].key_count, 1);
    sn_arena_finish(&arena);
    read_tolerated("'scene':0", "'scene':0", 104, -1, "input: time 0 is -1, which is negative; the key is ignored",
                   &arena, &s);
    assert_true(s.channels[0].key_count == 1 && s.channels[0].times[0] == 1 && s.channels[0].values[0] == 1);
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* What a short document may ask for. */
static void test_memory_bound(void **state)
{
    (void)state;
    check_document_failure("{'asset':{'version':'2.0'},'accessors':[{'componentType':5126,'count':2147483647,"
                           "'type':'VEC3'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]}",
                           NULL, SN_ERROR_FORMAT, "POSITION: the decoded data would exceed 64 times the file's size");
    check_document_failure("{'asset':{'version':'2.0'},'accessors':[{'componentType':5126,'count':3000000,"
                           "'type':'VEC3'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0,'NORMAL':0}}]}]}",
                           NULL, SN_ERROR_FORMAT, "NORMAL: the decoded data would exceed 64 times the file's size");
}

static void check_uri(const char *uri, sn_result expected, const char *message)
{
    char document[512];
    snprintf(document, sizeof document, "{'asset':{'version':'2.0'},'buffers':[{'byteLength':3,'uri':'%s'}]}", uri);
    check_document_failure(document, NULL, expected, message);
}

static void test_uri_messages(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"/etc/passwd", "is not a relative path"},
        {"%2Fetc/passwd", "is not a relative path"},
        {"../a.bin", "is outside of the folder"},
        {"a/%2e%2E/b.bin", "is outside of the folder"},
        {"..", "is outside of the folder"},
        {"a%5cb.bin", "is not a relative path"},
        {"file:///etc/passwd", "only data: URIs and relative paths are supported"},
        {"HTTP://example.com/a.bin", "only data: URIs and relative paths are supported"},
        {"C:/a.bin", "only data: URIs and relative paths are supported"},
        {"a%00.bin", "has a malformed escape"},
        {"a%4", "has a malformed escape"},
        {"a%g0", "has a malformed escape"},
        {"", "is empty"},
        {"./", "is empty"},
        {"data:,abc", "is not in base64"},
        {"data:;base64", "is not in base64"},
        {"data:a/b;;base64,AAAA", "has an empty parameter"},
        {"data:;base64,AAAAA", "the base64 text is truncated at 5 characters"},
        {"data:;base64,AA=", "the base64 text is truncated at 3 characters"},
        {"data:;base64,AA-A", "character 2 of the base64 text is invalid"},
        {"data:;base64,AAA", "byteLength is 3, but there are 2 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        check_uri(cases[i][0], SN_ERROR_FORMAT, cases[i][1]);
    }
    check_uri("no such%20file.bin", SN_ERROR_FILE, "buffers[0].uri: cannot open 'no such%20file.bin': No such file");
}

int test_gltf_messages(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_document_messages),
        cmocka_unit_test(test_mesh_messages),
        cmocka_unit_test(test_sparse_and_animation_messages),
        cmocka_unit_test(test_value_messages),
        cmocka_unit_test(test_tolerated),
        cmocka_unit_test(test_memory_bound),
        cmocka_unit_test(test_uri_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
