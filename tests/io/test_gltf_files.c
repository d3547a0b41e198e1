/* SPDX-License-Identifier: MIT */
/* glTF and VRM: the real models against their counts, three packings of one model, and broken files. */
#include "tests/io/gltf_test.h"

#include <math.h>

static void read_file(const char *file, sn_arena *arena, sn_scene_file *scene)
{
    char path[4096];
    sn_arena scratch = {0};
    sn_source source;
    snprintf(path, sizeof path, "%s/%s", SN_SHARED_DATA, file);
    begin_log();
    assert_int_equal(sn_source_read(path, &scratch, &source), SN_OK);
    if (sn_gltf_read(&source, arena, scene) != SN_OK) {
        fail_msg("%s", logged.last);
    }
    sn_arena_finish(&scratch);
}

typedef struct counts {
    const char *file;
    int vertices, triangles, joints, clips, morphs, bones, vrm_version, textures;
} counts;

static counts count(const sn_scene_file *s)
{
    counts c = {.clips = s->clip_count,
                .bones = s->humanoid_bone_count,
                .vrm_version = s->vrm_version,
                .textures = s->texture_count};
    for (int i = 0; i < s->primitive_count; ++i) {
        c.vertices += s->primitives[i].vertex_count;
        c.triangles += s->primitives[i].triangle_count;
    }
    for (int i = 0; i < s->skin_count; ++i) {
        c.joints = s->skins[i].joint_count > c.joints ? s->skins[i].joint_count : c.joints;
    }
    for (int i = 0; i < s->mesh_count; ++i) {
        c.morphs += s->meshes[i].morph_count;
    }
    return c;
}

static void test_counts(void **state)
{
    (void)state;
    static const counts files[] = {
        {"CesiumMan.glb", 3273, 4672, 19, 1, 0, 0, 0, 1},
        {"RiggedSimple.glb", 96, 188, 2, 1, 0, 0, 0, 0},
        {"RiggedSimple_external/RiggedSimple.gltf", 96, 188, 2, 1, 0, 0, 0, 0},
        {"RiggedSimple_embedded.gltf", 96, 188, 2, 1, 0, 0, 0, 0},
        {"AnimatedMorphCube.glb", 24, 12, 0, 1, 2, 0, 0, 0},
        {"MorphStressTest.gltf", 1528, 2412, 0, 3, 8, 0, 0, 3},
        {"Fox.glb", 1728, 576, 24, 3, 0, 0, 0, 1},
        {"SimpleSkin.gltf", 10, 8, 2, 1, 0, 0, 0, 0},
        {"KayKit_Knight.glb", 7024, 6952, 41, 76, 0, 0, 0, 1},
        {"VRMC_vrm_expressions_isBinary_Overrides.vrm", 16, 8, 0, 0, 0, 22, 2, 3},
        {"VRMC_materials_mtoon_UV_Animation_Test.vrm", 12, 6, 0, 0, 0, 53, 2, 3},
        {"humanoid_test.vrma", 0, 0, 0, 1, 0, 51, 2, 0},
        {"springbone/inside-collider.gltf", 126, 160, 0, 0, 0, 0, 0, 0},
        {"springbone/sphere-collider.gltf", 126, 160, 0, 0, 0, 0, 0, 0},
        {"springbone/plane-collider.gltf", 67, 82, 0, 0, 0, 0, 0, 0},
        {"Godette_vrm_v4.vrm", 8067, 3439, 68, 0, 15, 45, 1, 4},
        {"vrm1_example.vrm", 4828, 1612, 54, 0, 0, 53, 2, 0},
        {"vrm0_sphere.vrm", 1984, 960, 22, 0, 0, 22, 1, 0},
        {"vrm1_skinned_mesh_parent.vrm", 6, 2, 18, 0, 0, 17, 2, 0},
        {"vrm0_skin_scale_shape_key.vrm", 3, 1, 17, 0, 1, 17, 1, 0},
        {"vrm1_no_mesh.vrm", 0, 0, 54, 0, 0, 53, 2, 0},
    };
    skip_without(SN_SHARED_DATA "/rigged");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        char path[512];
        sn_arena arena = {0};
        sn_scene_file s;
        snprintf(path, sizeof path, "rigged/%s", files[i].file);
        read_file(path, &arena, &s);
        counts found = count(&s);
        found.file = files[i].file;
        if (memcmp(&found, &files[i], sizeof found) != 0) {
            fail_msg("%s: %d v, %d t, %d joints, %d clips, %d morphs, %d bones, VRM %d, %d textures", files[i].file,
                     found.vertices, found.triangles, found.joints, found.clips, found.morphs, found.bones,
                     found.vrm_version, found.textures);
        }
        assert_int_equal(logged.warnings, 0);
        sn_arena_finish(&arena);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void assert_same(const void *a, const void *b, size_t size)
{
    assert_true((a != NULL) == (b != NULL));
    if (a) {
        assert_memory_equal(a, b, size);
    }
}

static void assert_same_scene(const sn_scene_file *a, const sn_scene_file *b)
{
    const sn_scene_primitive *p = a->primitives, *q = b->primitives;
    const size_t n = (size_t)p->vertex_count * sizeof(float);
    assert_true(a->node_count == b->node_count && a->channel_count == b->channel_count);
    assert_true(p->vertex_count == q->vertex_count && p->influence_count == q->influence_count);
    assert_same(p->positions, q->positions, 3 * n);
    assert_same(p->normals, q->normals, 3 * n);
    assert_same(p->joints, q->joints, (size_t)p->influence_count * n);
    assert_same(p->weights, q->weights, (size_t)p->influence_count * n);
    assert_same(p->triangles, q->triangles, 3 * (size_t)p->triangle_count * sizeof(int32_t));
    assert_same(a->skins[0].inverse_bind, b->skins[0].inverse_bind, 24 * sizeof(double));
    for (int i = 0; i < a->node_count; ++i) {
        assert_string_equal(a->nodes[i].name, b->nodes[i].name);
        for (int k = 0; k < 12; ++k) { /* the .glb has the last digit of some numbers differently */
            assert_true(fabs(a->nodes[i].local[k] - b->nodes[i].local[k]) <= 1e-15);
        }
    }
    for (int i = 0; i < a->channel_count; ++i) {
        const sn_scene_channel *c = &a->channels[i], *d = &b->channels[i];
        assert_true(c->node == d->node && c->path == d->path && c->key_count == d->key_count);
        assert_same(c->times, d->times, (size_t)c->key_count * sizeof(float));
        assert_same(c->values, d->values, (size_t)(c->key_count * c->width) * sizeof(float));
    }
    assert_memory_equal(&a->materials[0].values, &b->materials[0].values, sizeof(sn_material));
}

/* .glb, .gltf with a .bin, .gltf with a data: URI. */
static void test_packings_agree(void **state)
{
    (void)state;
    skip_without(SN_SHARED_DATA "/rigged");
    sn_arena arena = {0};
    sn_scene_file binary, external, embedded;
    read_file("rigged/RiggedSimple.glb", &arena, &binary);
    read_file("rigged/RiggedSimple_external/RiggedSimple.gltf", &arena, &external);
    read_file("rigged/RiggedSimple_embedded.gltf", &arena, &embedded);
    assert_same_scene(&binary, &external);
    assert_same_scene(&binary, &embedded);
    sn_arena_finish(&arena);
}

static void test_avatar(void **state)
{
    (void)state;
    skip_without(SN_SHARED_DATA "/rigged");
    sn_arena arena = {0};
    sn_scene_file s;
    read_file("rigged/Godette_vrm_v4.vrm", &arena, &s);
    const sn_scene_mesh *body = &s.meshes[1];
    assert_true(body->primitive_count == 3);
    /* Its three primitives name the same vertices. */
    assert_ptr_equal(s.primitives[body->first_primitive].joints, s.primitives[body->first_primitive + 2].joints);
    for (int i = 0; i < s.humanoid_bone_count; ++i) {
        assert_null(strstr(s.humanoid_bones[i].bone, "ThumbIntermediate"));
    }
    assert_string_equal(s.materials[1].name, "Body");
    assert_true(s.materials[1].values.is_unlit && s.materials[1].values.textures[SN_TEXTURE_BASE_COLOR] >= 0);
    assert_true(s.materials[2].values.alpha_mode == SN_ALPHA_BLEND && s.materials[2].values.is_double_sided);
    sn_arena_finish(&arena);
}

/* A message of null: the file can be read, for the reason beside it. */
static const struct {
    const char *file;
    const char *message;
} bad_files[] = {
    {"gltf/assimp_IndexOutOfRange/IndexOutOfRange.gltf", "indices: element 0 is 255, but there are only 24 vertices"},
    {"gltf/assimp_MissingBin/BoxTextured.gltf", "buffers[0].uri: cannot open 'BoxTextured0.bin'"},
    {"gltf/assimp_RecursiveNodes/RecursiveNodes.gltf", "nodes[0]: the node is its own ancestor"},
    {"gltf/assimp_IncorrectVertexArrays/Cube.gltf", "bufferViews[2]: bytes 504 to 504 + 432"},
    {"gltf/assimp_wrongTypes/badArray.gltf", "meshes[0].primitives: is not an array"},
    {"gltf/assimp_wrongTypes/badNumber.gltf", "materials[0].normalTexture.index: is missing"},
    {"gltf/assimp_wrongTypes/badObject.gltf", "materials[0].pbrMetallicRoughness: is not an object"},
    {"gltf/assimp_wrongTypes/badUint.gltf", "baseColorTexture.index: refers to entry -1, but there are only 1"},
    {"gltf/assimp_TestNoRootNode/NoScene.gltf", "scene: refers to entry 0, but there are only 0"},
    {"gltf/assimp_TestNoRootNode/SceneWithoutNodes.gltf", NULL}, /* a scene may be empty */
    {"gltf/assimp_issue_3269/texcoord_crash.gltf", NULL},        /* TEXCOORD_1 stands in for TEXCOORD_0 */
    {"gltf/BoxWithInfinites.glb", "attributes.POSITION: element 0 is not finite"},
    {"gltf/integer-out-of-bounds.gltf", "buffers[0].uri: cannot open 'simpleTriangle.bin'"},
    {"gltf/invalid-buffer-index.gltf", "buffers[0].uri: cannot open 'simpleTriangle.bin'"},
    {"gltf/invalid-primitive-indices.gltf", "bufferViews[0].buffer: refers to entry 0, but there are only 0"},
    {"gltf/issue-492.glb", NULL}, /* a skin without inverseBindMatrices is allowed */
    {"gltf/BadBasisU.gltf", "line 1, column 53"},
    {"gltf/skin-invalid.gltf", "accessors[3]: 2 elements of 64 bytes at byte offset 68 exceed bufferView 0"},
    {"gltf/animation-invalid.gltf", "bufferViews[0].byteLength: is 0"},
    {"gltf/mesh-invalid-primitive.gltf", "meshes[0].primitives[0].attributes: is missing"},
    {"gltf/mesh-invalid-morph-target.gltf", "meshes[0].primitives[0].attributes: is missing"},
    {"gltf/scene-invalid-cycle.gltf", "nodes[0]: the node is its own ancestor"},
    {"gltf/scene-invalid-child-oob.gltf", "nodes[4].children[0]: refers to entry 7, but there are only 7"},
    {"gltf/buffer-invalid-short-size.glb", "buffers[0]: byteLength is 24, but there are 12 bytes"},
    {"gltf/validator_glb_chunk_too_big.glb", "byte 12: the chunk is longer than the file"},
    {"gltf/validator_glb_empty_file.glb", "byte 0: the file is empty"},
    {"gltf/validator_glb_invalid_magic.glb", "line 1, column 1"},
    {"gltf/validator_glb_length_mismatch.glb", "byte 8: the file is shorter than its header says"},
    {"gltf/validator_glb_no_header.glb", "line 1, column 1"},
    {"gltf/validator_glb_only_header.glb", "byte 12: there is no JSON chunk"},
    {"gltf/validator_glb_truncated_chunk_data.glb", "byte 8: the file is shorter than its header says"},
    {"gltf/validator_glb_zero_length.glb", "byte 12: there is no JSON chunk"},
    {"gltf/validator_json_invalid_syntax.gltf", "line 1, column 2"},
    {"gltf/validator_json_bom.gltf", NULL}, /* a byte order mark harms nobody, and editors leave it */
    {"gltf/validator_json_empty_file.gltf", "byte 0: the file is empty"},
    {"gltf/validator_skin_ibm_invalid_count.gltf", "skins[0].inverseBindMatrices: the matrix is not affine"},
    {"gltf/validator_skin_unresolved_joint.gltf", "skins[0].joints[0]: refers to entry 0, but there are only 0"},
    {"gltf/validator_skin_empty_joints_array.gltf", "skins[0].joints: is empty"},
    {"gltf/validator_skin_data_invalid_ibm.gltf", "buffers[0].uri: cannot open"},
    {"gltf/validator_node_node_loop.gltf", "nodes[0]: the node is its own ancestor"},
    {"gltf/validator_node_infinite_transform.gltf", "line 8, column 21: real number overflow"},
    {"gltf/validator_node_unresolved_child_node.gltf", "nodes[0].children[0]: refers to entry 1, but there are only 1"},
    {"gltf/validator_mesh_data_index_buffer_oob.gltf", "buffers[0].uri: cannot open"},
    {"gltf/validator_mesh_data_joints_weights_complex.gltf", "buffers[0].uri: cannot open"},
    {"gltf/validator_mesh_accessor_unequal_count.gltf", "COLOR_0: accessor 1 has 4 elements instead of 3"},
    {"gltf/validator_mesh_morph_unequal_targets_count.gltf", "meshes[0].primitives[1].targets: has 1 entries"},
    {"gltf/validator_animation_sampler_output_count_invalid.gltf", "output: 2 values for 1 keys instead of 1"},
    {"gltf/validator_animation_data_invalid_input_values.gltf", "buffers[0].uri: cannot open"},
    {"gltf/validator_animation_unresolved_channel_target.gltf", "target.node: refers to entry 0, but there are only 0"},
    {"gltf/validator_accessor_unresolved_bufferviews.gltf",
     "accessors[0].bufferView: refers to entry 0, but there are only 0"},
    {"gltf/validator_accessor_data_invalid_elements_float.gltf", "buffers[0].uri: cannot open"},
    {"gltf/validator_buffer_invalid_uri_data.gltf", "buffers[0].uri: the data: URI has an empty parameter"},
    {"gltf/validator_asset_1_0_version.gltf", "asset: glTF 1.0 is not supported"},
    {"derived/vrm_truncated.vrm", "byte 8: the file is shorter than its header says"},
    {"derived/json_deep_nesting.gltf", "maximum parsing depth reached"},
};

static void test_bad_files(void **state)
{
    (void)state;
    skip_without(SN_SHARED_DATA "/bad");
    for (size_t i = 0; i < sizeof bad_files / sizeof bad_files[0]; ++i) {
        char path[4096];
        sn_arena arena = {0};
        sn_source source;
        sn_scene_file s;
        snprintf(path, sizeof path, "%s/bad/%s", SN_SHARED_DATA, bad_files[i].file);
        begin_log();
        assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
        const sn_result result = sn_gltf_read(&source, &arena, &s);
        if ((result == SN_OK) != !bad_files[i].message) {
            fail_msg("%s: %s: %s", bad_files[i].file, sn_result_name(result), logged.last);
        }
        if (bad_files[i].message) {
            assert_one_error(bad_files[i].file);
            if (!strstr(logged.last, bad_files[i].message)) {
                fail_msg("'%s' lacks '%s'", logged.last, bad_files[i].message);
            }
        }
        sn_arena_finish(&arena);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* By the extension, in any case. */
static void test_dispatch(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file s;
    begin_log();
    assert_int_equal(sn_scene_file_read("no/such.glb/file.txt", &arena, &s), SN_ERROR_UNSUPPORTED);
    assert_one_error("no/such.glb/file.txt: cannot read: the file extension is none of");
    begin_log();
    assert_int_equal(sn_scene_file_read("no/such.GLB", &arena, &s), SN_ERROR_FILE);
    assert_one_error("no/such.GLB");
    begin_log();
    assert_int_equal(sn_scene_file_read(SN_SOURCE_DIR "/tests/fuzz/corpus/gltf/vrm1.vrm", &arena, &s), SN_OK);
    assert_int_equal(s.vrm_version, 2);
    sn_arena_finish(&arena);
}

int test_gltf_files(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),    cmocka_unit_test(test_packings_agree), cmocka_unit_test(test_avatar),
        cmocka_unit_test(test_bad_files), cmocka_unit_test(test_dispatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
