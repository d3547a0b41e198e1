/* SPDX-License-Identifier: MIT */
/* Extensions beside those of meshes' bytes: instances, hidden nodes, pictures that are not read, and which names a file
 * may require. */
#include "tests/io/gltf_test.h"

#define BEGIN "{'asset':{'version':'2.0'},"
#define BUFFER                                                                                                         \
    "'buffers':[{'byteLength':136}],'bufferViews':[{'buffer':0,'byteLength':36},"                                      \
    "{'buffer':0,'byteOffset':36,'byteLength':24},{'buffer':0,'byteOffset':60,'byteLength':16},"                       \
    "{'buffer':0,'byteOffset':76,'byteLength':24},{'buffer':0,'byteOffset':100,'byteLength':36}],'accessors':["        \
    "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"                                                   \
    "{'bufferView':1,'componentType':5126,'count':2,'type':'VEC3'},"                                                   \
    "{'bufferView':2,'componentType':5122,'normalized':true,'count':2,'type':'VEC4'},"                                 \
    "{'bufferView':3,'componentType':5126,'count':2,'type':'VEC3'},"                                                   \
    "{'bufferView':4,'componentType':5126,'count':3,'type':'VEC3'},"                                                   \
    "{'componentType':5126,'count':2147483647,'type':'VEC3'}],"
#define MESH "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]"
#define INSTANCES(ATTRIBUTES) "'extensions':{'EXT_mesh_gpu_instancing':{'attributes':{" ATTRIBUTES "}}}"

static void put_binary(bytes *binary)
{
    put_floats(binary, 9, (const float[]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    put_floats(binary, 6, (const float[]){1, 2, 3, 4, 5, 6});
    put(binary, "\0\0\0\0\0\0\377\177\377\177\0\0\0\0\0\0", 16); /* none, and a half turn about x */
    put_floats(binary, 6, (const float[]){1, 1, 1, 2, 3, -4});
    put_floats(binary, 9, (const float[9]){0});
}

static void instances_are_nodes(void **state)
{
    (void)state;
    bytes binary = {0};
    sn_arena arena = {0};
    sn_scene_file scene;
    put_binary(&binary);
    read_document(BEGIN BUFFER MESH
                  ",'scenes':[{'nodes':[0]}],'nodes':[{'name':'tree','mesh':0,'children':[1],"
                  "'translation':[10,0,0]," INSTANCES(
                      "'TRANSLATION':1,'ROTATION':2,'SCALE':3,'_ID':0") "},{'mesh':0},"
                                                                        "{'mesh':0," INSTANCES(
                                                                            "'SCALE':3") "}],'animations':[{'samplers':"
                                                                                         "[],'channels':[]}]}",
                  &binary, &arena, &scene);
    assert_int_equal(scene.node_count, 7);
    assert_int_equal(scene.nodes[0].mesh, -1);
    assert_int_equal(scene.nodes[1].mesh, 0);
    for (int i = 3; i < 7; ++i) {
        const sn_scene_node *node = &scene.nodes[i];
        assert_int_equal(node->parent, i < 5 ? 0 : 2);
        assert_int_equal(node->mesh, 0);
        assert_int_equal(node->skin, -1);
        assert_int_equal(node->is_in_scene, i < 5);
    }
    static const double turned[12] = {2, 0, 0, 4, 0, -3, 0, 5, 0, 0, 4, 6},
                        scaled[12] = {2, 0, 0, 0, 0, 3, 0, 0, 0, 0, -4, 0};
    assert_string_equal(scene.nodes[3].name, "tree");
    assert_true(scene.nodes[3].local[3] == 1 && scene.nodes[3].local[0] == 1);
    for (int k = 0; k < 12; ++k) {
        assert_float_equal(scene.nodes[4].local[k], turned[k], 1e-6);
        assert_float_equal(scene.nodes[6].local[k], scaled[k], 0);
    }
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void wrong_instances_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *attributes, *message;
    } cases[] = {
        {"'TRANSLATION':1,'SCALE':4", "attributes.SCALE: accessor 4 has 3 elements instead of 2"},
        {"'TRANSLATION':2", "attributes.TRANSLATION: accessor 2 has VEC4 of type 5122"},
        {"'TRANSLATION':6", "attributes.TRANSLATION: refers to entry 6, but there are only 6"},
        {"'ROTATION':1", "attributes.ROTATION: accessor 1 has VEC3"},
        {"'TRANSLATION':5", "the decoded data would exceed 64 times the file's size"},
    };
    bytes binary = {0};
    put_binary(&binary);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char document[2048];
        snprintf(document, sizeof document, "%s%s%s'nodes':[{'mesh':0,%s%s}}}}]}", BEGIN, BUFFER, MESH ",",
                 "'extensions':{'EXT_mesh_gpu_instancing':{'attributes':{", cases[i].attributes);
        check_document_failure(document, &binary, SN_ERROR_FORMAT, cases[i].message);
    }
}

/* A skin or targets: drawn once, and said. */
static void others_are_drawn_once(void **state)
{
    (void)state;
    bytes binary = {0};
    sn_arena arena = {0};
    sn_scene_file scene;
    put_binary(&binary);
    read_document(BEGIN BUFFER MESH ",'skins':[{'joints':[0]}],'nodes':[{'mesh':0,'skin':0," INSTANCES(
                      "'TRANSLATION':1") "},{" INSTANCES("'TRANSLATION':1") "}]}",
                  &binary, &arena, &scene);
    assert_int_equal(scene.node_count, 2);
    assert_int_equal(scene.nodes[0].mesh, 0);
    assert_int_equal(logged.warnings, 1);
    assert_non_null(
        strstr(logged.last, "nodes[0].extensions.EXT_mesh_gpu_instancing: instances of a mesh with a skin or morph"));
    sn_arena_finish(&arena);
}

/* With all below it, in a scene and without scenes. */
static void hidden_nodes_are_not_drawn(void **state)
{
    (void)state;
    static const char *const scenes[] = {"", "'scenes':[{'nodes':[0,3,4]}],"};
    for (int i = 0; i < 2; ++i) {
        char document[2048];
        bytes binary = {0};
        sn_arena arena = {0};
        sn_scene_file scene;
        put_binary(&binary);
        snprintf(document, sizeof document,
                 "%s%s%s,%s'nodes':[{'mesh':0,'children':[1]},"
                 "{'mesh':0,'children':[2],'extensions':{'KHR_node_visibility':{'visible':false}}},"
                 "{'mesh':0,'extensions':{'KHR_node_visibility':{'visible':true}}},"
                 "{'mesh':0,'extensions':{'KHR_node_visibility':{}}},"
                 "{'mesh':0,'extensions':{'KHR_node_visibility':{'visible':false}}}]}",
                 BEGIN, BUFFER, MESH, scenes[i]);
        read_document(document, &binary, &arena, &scene);
        static const bool expected[] = {true, false, false, true, false};
        for (int k = 0; k < 5; ++k) {
            assert_int_equal(scene.nodes[k].is_in_scene, expected[k]);
        }
        sn_arena_finish(&arena);
    }
    check_document_failure(BEGIN "'nodes':[{'extensions':{'KHR_node_visibility':{'visible':0}}}]}", NULL,
                           SN_ERROR_FORMAT,
                           "nodes[0].extensions.KHR_node_visibility.visible: is neither true nor false");
}

#define TEXTURED(REQUIRED, TEXTURE)                                                                                    \
    BEGIN "'extensionsUsed':['KHR_texture_basisu','EXT_texture_avif'],'extensionsRequired':[" REQUIRED "],"            \
          "'images':[{'mimeType':'image/ktx2','uri':'data:image/ktx2;base64,q0tUWCAyMLsNChoK'}],"                      \
          "'textures':[" TEXTURE "],'materials':[{'pbrMetallicRoughness':{'baseColorFactor':[0.5,0.25,0,1],"           \
          "'baseColorTexture':{'index':0}},'emissiveTexture':{'index':0}}]}"

/* The surface has its factor, and the file is told of once; where it insists, it is told what to do. */
static void pictures_of_other_kinds_are_left_out(void **state)
{
    (void)state;
    static const char *const documents[] = {
        TEXTURED("", "{'extensions':{'KHR_texture_basisu':{'source':0}}}"),
        TEXTURED("", "{'extensions':{'EXT_texture_avif':{'source':0}}}"),
        TEXTURED("'KHR_texture_basisu'", "{'source':0}"),
        TEXTURED("'KHR_texture_basisu'", "{'source':0,'extensions':{'KHR_texture_basisu':{'source':0}}}"),
        TEXTURED("'EXT_texture_avif'", "{'extensions':{'KHR_texture_basisu':{'source':0}}}")};
    for (size_t i = 0; i < sizeof documents / sizeof *documents; ++i) {
        sn_arena arena = {0};
        sn_scene_file scene;
        read_document(documents[i], NULL, &arena, &scene);
        assert_int_equal(logged.warnings, 1);
        assert_int_equal(scene.materials[0].values.textures[SN_TEXTURE_BASE_COLOR], -1);
        assert_float_equal(scene.materials[0].values.base_color[1], 0.25, 0);
        sn_arena_finish(&arena);
    }
    check_document_failure(TEXTURED("'KHR_texture_basisu'", "{'extensions':{'KHR_texture_basisu':{'source':0}}}"), NULL,
                           SN_ERROR_UNSUPPORTED,
                           "textures[0]: requires KHR_texture_basisu and has no PNG, JPEG or WebP image");
}

/* What is of surfaces, lights and notes may be required; what may be of shapes may not. */
static void required_names_are_judged(void **state)
{
    (void)state;
    static const char *const harmless[] = {
        "KHR_materials_clearcoat", "KHR_materials_transmission", "KHR_materials_variants", "KHR_lights_punctual",
        "KHR_xmp_json_ld",         "KHR_animation_pointer",      "EXT_mesh_features",      "EXT_lights_image_based",
        "KHR_materials_of_later",  "EXT_texture_webp",           "KHR_node_visibility",    "EXT_mesh_gpu_instancing"};
    static const char *const others[] = {"EXT_mesh_gpu_instancin",
                                         "EXT_mesh_gpu_instancing2",
                                         "KHR_meshes",
                                         "KHR_gaussian_splatting",
                                         "KHR_materials",
                                         ""};
    char document[256], message[128];
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; ++i) {
        sn_arena arena = {0};
        sn_scene_file scene;
        snprintf(document, sizeof document, BEGIN "'extensionsRequired':['%s']}", harmless[i]);
        read_document(document, NULL, &arena, &scene);
        assert_int_equal(logged.warnings, 0);
        sn_arena_finish(&arena);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        snprintf(document, sizeof document, BEGIN "'extensionsRequired':['%s']}", others[i]);
        snprintf(message, sizeof message, "extensionsRequired[0]: the extension %s is not supported", others[i]);
        check_document_failure(document, NULL, SN_ERROR_UNSUPPORTED, message);
    }
}

static void pointers_are_left_out(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file scene;
    read_document(BEGIN "'nodes':[{}],'animations':[{'samplers':[{'input':0,'output':0}],'channels':[{'sampler':0,"
                        "'target':{'path':'pointer','extensions':{'KHR_animation_pointer':{'pointer':'/a'}}}},"
                        "{'sampler':0,'target':{'node':0,'path':'pointer',"
                        "'extensions':{'KHR_animation_pointer':{'pointer':'/b'}}}}]}]}",
                  NULL, &arena, &scene);
    assert_int_equal(scene.channel_count, 0);
    assert_int_equal(logged.warnings, 1);
    sn_arena_finish(&arena);
}

/* Diffuse is the base colour; a file that describes a surface both ways is taken by the word of now. */
static void specular_and_glossiness_are_understood(void **state)
{
    (void)state;
#define OLD                                                                                                            \
    "'extensions':{'KHR_materials_pbrSpecularGlossiness':{'diffuseFactor':[0.5,0.25,0.125,0.75],"                      \
    "'glossinessFactor':0.75}}"
    sn_arena arena = {0};
    sn_scene_file scene;
    read_document(BEGIN "'materials':[{" OLD "},{'pbrMetallicRoughness':{'metallicFactor':0.5}," OLD "}]}", NULL,
                  &arena, &scene);
    const sn_material *old = &scene.materials[0].values, *both = &scene.materials[1].values;
    assert_true(old->base_color[0] == 0.5F && old->base_color[3] == 0.75F);
    assert_true(old->metallic == 0 && old->roughness == 0.25F);
    assert_true(both->base_color[0] == 1 && both->metallic == 0.5F && both->roughness == 1);
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* An opaque cornea would hide the iris. A coat makes a surface shine; sheen makes it lighter. Each is said once. */
static void layers_are_approximated(void **state)
{
    (void)state;
#define LAYER(name, members) "{'extensions':{'KHR_materials_" name "':{" members "}}}"
    sn_arena arena = {0};
    sn_scene_file scene;
    read_document(
        BEGIN "'materials':[" LAYER("transmission", "'transmissionFactor':1") "," LAYER(
            "clearcoat",
            "'clearcoatFactor'"
            ":1") "," LAYER("sheen",
                            "'sheenColorFactor':[0.5,0,0]") ","
                                                            "{'pbrMetallicRoughness':{'baseColorFactor':[0,0,0,1]},'"
                                                            "extensions':{'KHR_"
                                                            "materials_sheen':"
                                                            "{'sheenColorFactor':[1,0,0]}}}," LAYER(
                                                                "transmission",
                                                                "'transmissionFacto"
                                                                "r':0") "," LAYER("clearcoat",
                                                                                  "'clearcoatFactor':1,'"
                                                                                  "clearcoatRoughness':1") "]}",
        NULL, &arena, &scene);
    const sn_scene_material *m = scene.materials;
    assert_int_equal(m[0].values.alpha_mode, SN_ALPHA_BLEND);
    assert_true(m[0].values.base_color[3] > 0.05F && m[0].values.base_color[3] < 0.2F);
    assert_true(m[1].values.roughness > 0.2F && m[1].values.roughness < 0.6F);
    assert_true(m[2].values.base_color[0] == 1);
    assert_true(m[3].values.base_color[0] > 0.1F && m[3].values.base_color[1] == 0);
    assert_int_equal(m[4].values.alpha_mode, SN_ALPHA_OPAQUE);
    assert_true(m[5].values.roughness == 1);
    assert_int_equal(logged.warnings, 3);
    sn_arena_finish(&arena);
    read_document(BEGIN "'textures':[{}],'materials':[" LAYER(
                      "transmission", "'transmissionFactor':1,'transmissionTexture':{'index':0}") "]}",
                  NULL, &arena, &scene);
    assert_int_equal(scene.materials[0].values.alpha_mode, SN_ALPHA_OPAQUE);
    assert_int_equal(logged.warnings, 1);
    sn_arena_finish(&arena);
}

int test_gltf_extensions(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instances_are_nodes),
        cmocka_unit_test(wrong_instances_are_refused),
        cmocka_unit_test(others_are_drawn_once),
        cmocka_unit_test(hidden_nodes_are_not_drawn),
        cmocka_unit_test(pictures_of_other_kinds_are_left_out),
        cmocka_unit_test(required_names_are_judged),
        cmocka_unit_test(pointers_are_left_out),
        cmocka_unit_test(specular_and_glossiness_are_understood),
        cmocka_unit_test(layers_are_approximated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
