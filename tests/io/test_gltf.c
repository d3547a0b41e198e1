/* SPDX-License-Identifier: MIT */
/* glTF and VRM: small documents for each thing that is read, containers, files beside the source, and seeded mutations.
 */
#include "tests/io/gltf_test.h"

#include <math.h>
#include <sys/stat.h>

#define HALF_ROOT 0.70710678f

static void assert_floats(const float *values, int count, const float *expected)
{
    assert_non_null(values);
    for (int i = 0; i < count; ++i) {
        if (!(fabsf(values[i] - expected[i]) <= 1e-5f * (1 + fabsf(expected[i])))) {
            fail_msg("value %d is %g instead of %g", i, (double)values[i], (double)expected[i]);
        }
    }
}

static void assert_doubles(const double *values, int count, const double *expected)
{
    for (int i = 0; i < count; ++i) {
        if (!(fabs(values[i] - expected[i]) <= 1e-6)) {
            fail_msg("value %d is %g instead of %g", i, values[i], expected[i]);
        }
    }
}

static void assert_integers(const int32_t *values, int count, const int32_t *expected)
{
    assert_non_null(values);
    assert_memory_equal(values, expected, (size_t)count * sizeof *values);
}

/* Interleaved vertices, a strip, normalized weights, a sparse morph target without a base, a skin. */
static void test_skinned_seed(void **state)
{
    (void)state;
    bytes file = {0};
    sn_arena arena = {0};
    sn_scene_file s;
    load_seed("skin_animation_sparse.glb", &file);
    read_bytes(&file, &arena, &s);
    assert_int_equal(logged.warnings, 0);
    assert_true(s.node_count == 3 && s.mesh_count == 1 && s.primitive_count == 1 && s.skin_count == 1);
    const sn_scene_primitive *p = s.primitives;
    assert_true(p->vertex_count == 4 && p->triangle_count == 2 && p->influence_count == 4 && p->material == -1);
    assert_null(p->normals);
    assert_floats(p->positions, 12, (const float[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0});
    assert_integers(p->triangles, 6, (const int32_t[]){0, 1, 2, 1, 3, 2});
    assert_integers(p->joints, 16, (const int32_t[]){0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0});
    assert_floats(p->weights + 4, 8, (const float[]){1, 0, 0, 0, 0.5f, 0.5f, 0, 0});
    assert_int_equal(s.meshes[0].morph_count, 1);
    assert_floats(s.meshes[0].morph_weights, 1, (const float[]){0.25f});
    assert_floats(p->morph_positions[0], 12, (const float[]){0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2});
    assert_null(p->morph_normals[0]);
    assert_doubles(s.skins[0].inverse_bind + 12, 12, (const double[]){1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 1, 0});
    assert_integers(s.skins[0].joints, 2, (const int32_t[]){0, 1});
    assert_string_equal(s.nodes[1].name, "tip");
    assert_true(s.nodes[1].parent == 0 && s.nodes[0].parent == -1 && s.nodes[2].skin == 0 && s.nodes[1].mesh == -1);
    assert_true(s.nodes[1].is_in_scene && s.nodes[2].is_in_scene);
    sn_arena_finish(&arena);
}

/* Normalized rotations, a cubic spline, steps of weights. */
static void test_animation_seed(void **state)
{
    (void)state;
    bytes file = {0};
    sn_arena arena = {0};
    sn_scene_file s;
    load_seed("skin_animation_sparse.glb", &file);
    read_bytes(&file, &arena, &s);
    assert_true(s.clip_count == 1 && s.channel_count == 3 && s.clips[0].channel_count == 3);
    assert_string_equal(s.clips[0].name, "clip 0");
    assert_true(s.clips[0].seconds == 0.5);
    const sn_scene_channel *c = s.channels;
    assert_true(c[0].path == SN_PATH_ROTATION && c[0].interpolation == SN_KEYS_LINEAR && c[0].width == 4);
    assert_floats(c[0].values, 8, (const float[]){0, 0, 0, 1, 0, 0, HALF_ROOT, HALF_ROOT});
    assert_true(c[1].path == SN_PATH_TRANSLATION && c[1].interpolation == SN_KEYS_CUBIC && c[1].width == 3);
    assert_true(c[1].key_count == 2 && c[1].node == 1);
    assert_floats(c[1].values, 18, (const float[]){0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0});
    assert_true(c[2].path == SN_PATH_WEIGHTS && c[2].interpolation == SN_KEYS_STEP && c[2].width == 1);
    assert_floats(c[2].times, 2, (const float[]){0, 0.5f});
    sn_arena_finish(&arena);
}

/* data: URIs, normalized and unnormalized integers, a matrix node, shared vertices. */
static void test_data_uri_seed(void **state)
{
    (void)state;
    bytes file = {0};
    sn_arena arena = {0};
    sn_scene_file s;
    load_seed("data_uri.gltf", &file);
    read_bytes(&file, &arena, &s);
    assert_int_equal(logged.warnings, 1);
    assert_non_null(strstr(logged.last, "EXT_other"));
    const sn_scene_primitive *p = s.primitives;
    assert_true(s.primitive_count == 2 && p[0].vertex_count == 3 && p[1].triangle_count == 1);
    assert_ptr_equal(p[0].positions, p[1].positions);
    assert_floats(p->normals, 3, (const float[]){0, 0, 1});
    assert_floats(p->uvs[0], 6, (const float[]){0, 1, 1, 1, 0, 0});
    assert_null(p->uvs[1]);
    assert_floats(p->colors, 8, (const float[]){1, 0, 0, 1, 0, 1, 0, 1});
    assert_integers(p->triangles, 3, (const int32_t[]){0, 1, 2});
    assert_true(p[0].material == 0 && p[1].material == 1);
    assert_true(s.nodes[0].has_matrix && s.nodes[0].is_in_scene);
    assert_doubles(s.nodes[0].local, 12, (const double[]){1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7});
    sn_arena_finish(&arena);
}

static void test_materials_seed(void **state)
{
    (void)state;
    bytes file = {0};
    sn_arena arena = {0};
    sn_scene_file s;
    load_seed("data_uri.gltf", &file);
    read_bytes(&file, &arena, &s);
    assert_true(s.material_count == 2 && s.texture_count == 2);
    const sn_material *m = &s.materials[0].values, *unlit = &s.materials[1].values;
    assert_floats(m->base_color, 4, (const float[]){1, 0.5f, 0.25f, 1});
    assert_floats(m->emissive, 3, (const float[]){4, 2, 0});
    assert_floats(&m->metallic, 5, (const float[]){0.1f, 0.2f, 2, 0.5f, 0.25f});
    assert_true(m->alpha_mode == SN_ALPHA_MASK && m->is_double_sided && !m->is_unlit);
    assert_integers(m->textures, 5, (const int32_t[]){0, -1, 0, 0, 1});
    assert_integers(m->uv_sets, 5, (const int32_t[]){0, 0, 0, 0, 0});
    /* The extension's own example: the lower left quadrant, turned. */
    assert_floats(s.materials[0].uv_transforms[0], 6, (const float[]){0, 0.5f, 0, -0.5f, 0, 1});
    assert_floats(s.materials[0].uv_transforms[2], 6, (const float[]){1, 0, 0, 0, 1, 0});
    assert_true(unlit->is_unlit && unlit->alpha_mode == SN_ALPHA_OPAQUE && !unlit->is_double_sided);
    assert_floats(unlit->base_color, 4, (const float[]){1, 1, 1, 1});
    assert_floats(&unlit->metallic, 5, (const float[]){1, 1, 1, 1, 0.5f});
    const sn_scene_texture *t = s.textures;
    assert_true(t[0].width == 2 && t[0].height == 2 && t[0].pixels == t[1].pixels);
    assert_true(t[0].wrap_u == SN_WRAP_CLAMP && t[0].wrap_v == SN_WRAP_MIRROR && t[0].is_nearest);
    assert_true(t[1].wrap_u == SN_WRAP_REPEAT && t[1].wrap_v == SN_WRAP_REPEAT && !t[1].is_nearest);
    assert_memory_equal(t[0].pixels, "\xff\0\0\xff\0\xff\0\xff\0\0\xff\xff\xff\xff\xff\x80", 16);
    sn_arena_finish(&arena);
}

/* Thumbs of 0.x have the names of 1.0; toon is unlit; a JPEG in a buffer view; a fan. */
static void test_vrm_seeds(void **state)
{
    (void)state;
    static const char *const names[] = {"hips", "leftThumbMetacarpal", "leftThumbProximal", "leftThumbDistal"};
    for (int version = 0; version < 2; ++version) {
        bytes file = {0};
        sn_arena arena = {0};
        sn_scene_file s;
        load_seed(version == 0 ? "vrm0.vrm" : "vrm1.vrm", &file);
        read_bytes(&file, &arena, &s);
        assert_int_equal(logged.warnings, 0);
        assert_int_equal(s.vrm_version, version + 1);
        assert_int_equal(s.humanoid_bone_count, 4);
        for (int i = 0; i < 4; ++i) {
            assert_string_equal(s.humanoid_bones[i].bone, names[i]);
            assert_int_equal(s.humanoid_bones[i].node, i);
        }
        assert_true(s.materials[0].values.is_unlit && s.texture_count == 1 && s.textures[0].width == 2);
        assert_integers(s.primitives[0].triangles, 3, (const int32_t[]){1, 2, 0});
        sn_arena_finish(&arena);
    }
}

static void test_fan_and_strip(void **state)
{
    (void)state;
    static const int32_t strip[] = {0, 1, 2, 1, 3, 2, 2, 3, 4}, fan[] = {1, 2, 0, 2, 3, 0, 3, 4, 0};
    for (int mode = 5; mode <= 6; ++mode) {
        char document[512];
        sn_arena arena = {0};
        sn_scene_file s;
        snprintf(document, sizeof document,
                 "{'asset':{'version':'2.1','minVersion':'2.0'},'accessors':[{'componentType':5126,'count':5,"
                 "'type':'VEC3'}],'meshes':[{'primitives':[{'mode':%d,'attributes':{'POSITION':0}},"
                 "{'mode':0,'attributes':{'POSITION':0}},{'mode':1,'attributes':{}}]}]}",
                 mode);
        read_document(document, NULL, &arena, &s);
        assert_int_equal(logged.warnings, 1);
        assert_true(s.primitive_count == 1 && s.meshes[0].primitive_count == 1 && s.primitives[0].triangle_count == 3);
        assert_integers(s.primitives[0].triangles, 9, mode == 5 ? strip : fan);
        assert_floats(s.primitives[0].positions, 15, (const float[15]){0});
        sn_arena_finish(&arena);
    }
}

/* Strips that corners given twice join, and a triangle that is none. */
static void test_joined_strips(void **state)
{
    (void)state;
    static const uint8_t corners[2][9] = {{0, 1, 2, 2, 2, 3, 3, 4, 3}, {0, 1, 2, 2, 3, 3, 4, 5, 0}};
    static const int32_t strips[] = {0, 1, 2, 3, 5, 4}, list[] = {0, 1, 2};
    for (int mode = 4; mode <= 5; ++mode) {
        char document[768];
        bytes binary = {0};
        sn_arena arena = {0};
        sn_scene_file s;
        snprintf(document, sizeof document,
                 "{'asset':{'version':'2.0'},'buffers':[{'byteLength':9}],'bufferViews':[{'buffer':0,'byteLength':9}],"
                 "'accessors':[{'componentType':5126,'count':6,'type':'VEC3'},{'bufferView':0,'componentType':5121,"
                 "'count':%d,'type':'SCALAR'}],'meshes':[{'primitives':[{'mode':%d,'attributes':{'POSITION':0},"
                 "'indices':1}]}]}",
                 mode == 5 ? 8 : 9, mode);
        for (int i = 0; i < 9; ++i) {
            put_int(&binary, corners[mode - 4][i], 1);
        }
        read_document(document, &binary, &arena, &s);
        assert_int_equal(s.primitives[0].triangle_count, mode == 5 ? 2 : 1);
        assert_integers(s.primitives[0].triangles, 3 * s.primitives[0].triangle_count, mode == 5 ? strips : list);
        sn_arena_finish(&arena);
    }
}

/* Sparse values over dense ones; a dense array that is interleaved with nothing, 16 bytes apart. */
static void test_sparse_over_strided(void **state)
{
    (void)state;
    bytes binary = {0};
    sn_arena arena = {0};
    sn_scene_file s;
    put_floats(&binary, 12, (const float[]){1, 2, 3, NAN, 4, 5, 6, NAN, 7, 8, 9, NAN});
    put_int(&binary, 1, 4);
    put_floats(&binary, 3, (const float[]){-4, -5, -6});
    read_document("{'asset':{'version':'2.0'},'buffers':[{'byteLength':64}],'bufferViews':[{'buffer':0,'byteLength':48,"
                  "'byteStride':16},{'buffer':0,'byteOffset':48,'byteLength':16}],'accessors':[{'bufferView':0,"
                  "'componentType':5126,'count':3.0,'type':'VEC3','sparse':{'count':1,'indices':{'bufferView':1,"
                  "'componentType':5125},'values':{'bufferView':1,'byteOffset':4}}}],"
                  "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]}",
                  &binary, &arena, &s);
    assert_floats(s.primitives[0].positions, 9, (const float[]){1, 2, 3, -4, -5, -6, 7, 8, 9});
    sn_arena_finish(&arena);
}

/* i8 and i16 as KHR_mesh_quantization has them; the least value of a normalized one is -1 twice. */
static void test_integers(void **state)
{
    (void)state;
    bytes binary = {0};
    sn_arena arena = {0};
    sn_scene_file s;
    const int16_t positions[12] = {-300, 2, 32767, 0, 4, 5, 6, 0, 7, 8, 9, 0};
    const int8_t normals[12] = {-128, -127, 127, 0, 0, 0, 127, 0, 0, 0, 127, 0};
    const uint16_t colors[12] = {65535, 0, 0, 0, 0, 65535, 0, 32768, 0, 0, 65535, 65535};
    put(&binary, positions, sizeof positions);
    put(&binary, normals, sizeof normals);
    put(&binary, colors, sizeof colors);
    read_document(
        "{'asset':{'version':'2.0'},'extensionsRequired':['KHR_mesh_quantization'],'buffers':[{'byteLength':60}],"
        "'bufferViews':[{'buffer':0,'byteLength':24,'byteStride':8},{'buffer':0,'byteOffset':24,"
        "'byteLength':12,'byteStride':4},{'buffer':0,'byteOffset':36,'byteLength':24}],'accessors':["
        "{'bufferView':0,'componentType':5122,'count':3,'type':'VEC3'},"
        "{'bufferView':1,'componentType':5120,'count':3,'type':'VEC3','normalized':true},"
        "{'bufferView':2,'componentType':5123,'count':3,'type':'VEC4','normalized':true}],"
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'NORMAL':1,'COLOR_0':2}}]}]}",
        &binary, &arena, &s);
    assert_floats(s.primitives[0].positions, 4, (const float[]){-300, 2, 32767, 4});
    assert_floats(s.primitives[0].normals, 6, (const float[]){-1, -1, 1, 0, 0, 1});
    assert_floats(s.primitives[0].colors, 8, (const float[]){1, 0, 0, 0, 0, 1, 0, 32768.f / 65535});
    sn_arena_finish(&arena);
}

/* Two sets of influences, weights of any sum, junk joints where the weight is 0, a vertex without weights. */
static void test_influences(void **state)
{
    (void)state;
    bytes binary = {0};
    sn_arena arena = {0};
    sn_scene_file s;
    put(&binary,
        "\1\2\77\77"
        "\2\77\77\77"
        "\77\77\77\77"
        "\0\77\77\77"
        "\77\77\77\77"
        "\77\77\77\77",
        24);
    put_floats(&binary, 12, (const float[]){2, 1, 0, 0, 0.5f, 0, 0, 0, 0, 0, 0, 0});
    put_floats(&binary, 12, (const float[]){1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    read_document("{'asset':{'version':'2.0'},'buffers':[{'byteLength':120}],'bufferViews':[{'buffer':0,"
                  "'byteLength':120}],'accessors':[{'componentType':5126,'count':3,'type':'VEC3'},"
                  "{'bufferView':0,'componentType':5121,'count':3,'type':'VEC4'},"
                  "{'bufferView':0,'componentType':5121,'count':3,'type':'VEC4','byteOffset':12},"
                  "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC4','byteOffset':24},"
                  "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC4','byteOffset':72}],"
                  "'nodes':[{'mesh':0,'skin':0},{},{}],'skins':[{'joints':[0,1,2]}],"
                  "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':1,'JOINTS_1':2,'WEIGHTS_0':3,"
                  "'WEIGHTS_1':4}}]}]}",
                  &binary, &arena, &s);
    const sn_scene_primitive *p = s.primitives;
    assert_int_equal(p->influence_count, 8);
    assert_integers(p->joints, 16, (const int32_t[]){1, 2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0});
    assert_floats(p->weights, 8, (const float[]){0.5f, 0.25f, 0, 0, 0.25f, 0, 0, 0});
    assert_floats(p->weights + 8, 16, (const float[]){1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    sn_arena_finish(&arena);
}

/* Two skins, the second with matrices; nodes in any order, of which a scene has some. */
static void test_two_skins(void **state)
{
    (void)state;
    bytes binary = {0};
    sn_arena arena = {0};
    sn_scene_file s;
    put_floats(&binary, 16, (const float[]){1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 10, 11, 12, 1});
    read_document("{'asset':{'version':'2.0'},'scenes':[{'nodes':[0]},{'nodes':[2]}],'scene':1,'nodes':[{},"
                  "{'translation':[1,2,3],'rotation':[0,0,0.70710678,0.70710678],'scale':[2,3,4]},{'children':[1]}],"
                  "'skins':[{'joints':[2,1]},{'joints':[0],'inverseBindMatrices':0}],'buffers':[{'byteLength':64}],"
                  "'bufferViews':[{'buffer':0,'byteLength':64}],"
                  "'accessors':[{'bufferView':0,'componentType':5126,'count':1,'type':'MAT4'}]}",
                  &binary, &arena, &s);
    assert_true(s.skin_count == 2 && s.skins[0].joint_count == 2 && s.skins[1].joint_count == 1);
    assert_integers(s.skins[0].joints, 2, (const int32_t[]){2, 1});
    assert_doubles(s.skins[0].inverse_bind + 12, 12, (const double[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
    assert_doubles(s.skins[1].inverse_bind, 12, (const double[]){1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12});
    assert_true(s.nodes[1].parent == 2 && !s.nodes[0].is_in_scene && s.nodes[1].is_in_scene && s.nodes[2].is_in_scene);
    assert_doubles(s.nodes[1].local, 12, (const double[]){0, -3, 0, 1, 2, 0, 0, 2, 0, 0, 4, 3});
    assert_doubles(s.nodes[0].local, 12, (const double[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
    assert_string_equal(s.nodes[0].name, "");
    sn_arena_finish(&arena);
}

static void test_warnings(void **state)
{
    (void)state;
    static const struct {
        const char *document, *message;
    } cases[] = {
        {"{'asset':{'version':'2.0'},'extensionsUsed':['KHR_materials_volume','VRM']}", "KHR_materials_volume"},
        {"{'asset':{'version':'2.0'},'nodes':[{'rotation':[0,0,0,2]},{'rotation':[0,0,0,2]}]}",
         "nodes[0].rotation: the rotation has length 2"},
        {"{'asset':{'version':'2.0'},'images':[{'uri':'data:image/webp;base64,AAAA'}],'textures':[{'source':0}],"
         "'materials':[{'normalTexture':{'index':0}}]}",
         "images[0]: is neither PNG nor JPEG nor WebP"},
        {"{'asset':{'version':'2.0'},'images':[{'uri':'data:image/png;base64,iVBO!w=='}],'textures':[{'source':0}],"
         "'materials':[{'normalTexture':{'index':0}}]}",
         "images[0].uri: character 4 of the base64 text is invalid; its textures are ignored"},
        {"{'asset':{'version':'2.0'},'images':[{'uri':'data:image/png,%89PNG'}],'textures':[{'source':0}],"
         "'materials':[{'normalTexture':{'index':0}}]}",
         "images[0].uri: the data: URI is not in base64; its textures are ignored"},
        {"{'asset':{'version':'2.0'},'images':[{'uri':'no%20such.png'}],'textures':[{'source':0}],"
         "'materials':[{'normalTexture':{'index':0}}]}",
         "images[0].uri: 'no%20such.png': No such file or directory; its textures are ignored"},
        {"{'asset':{'version':'2.0'},'images':[{'uri':'../a.png'}],'textures':[{'source':0}],"
         "'materials':[{'normalTexture':{'index':0}}]}",
         "images[0].uri: '../a.png': is outside of the folder of the file; its"},
        {"{'asset':{'version':'2.0'},'images':[{'uri':'https://example.com/a.png'}],'textures':[{'source':0}],"
         "'materials':[{'normalTexture':{'index':0}}]}",
         "images[0].uri: 'https://example.com/a.png': only data: URIs and relative paths are supported"},
        {"{'asset':{'version':'2.0'},'textures':[{'extensions':{'KHR_texture_basisu':{'source':0}}}],"
         "'materials':[{'normalTexture':{'index':0}}]}",
         "textures[0]: has no PNG, JPEG or WebP"},
        {"{'asset':{'version':'2.0'},'images':[{'uri':'data:;base64,iVBORw0KGgoAAAANSUhEUgAAUAAAAEAACAYAAAA='}],"
         "'textures':[{'source':0},{'source':0}],'materials':[{'normalTexture':{'index':0},"
         "'emissiveTexture':{'index':1}}]}",
         "memory: images[0]: 20480 x 16384 pixels are too many; a picture may have 1024 MiB; its textures are"},
        {"{'asset':{'version':'2.0'},'images':[{'uri':'data:;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAACCAYAAAA='}],"
         "'textures':[{'source':0}],'materials':[{'normalTexture':{'index':0}}]}",
         "memory: images[0]: byte 29: the file ends too early; its textures are ignored"},
        {"{'asset':{'version':'2.0'},'images':[{'uri':'data:;base64,/9j/4AAQ'}],"
         "'textures':[{'source':0}],'materials':[{'normalTexture':{'index':0}}]}",
         "; its textures are ignored"},
        {"{'asset':{'version':'2.0'},'accessors':[{'componentType':5126,'count':3,'type':'VEC3'}],"
         "'meshes':[{'primitives':[{'attributes':{}},{'attributes':{'NORMAL':0}}]}],'nodes':[{'mesh':0}]}",
         "meshes[0].primitives[0]: has no POSITION; it is ignored"},
        {"{'asset':{'version':'2.0'},'extensions':{'VRM':{'humanoid':{'humanBones':[{'bone':'tail','node':0}]}}},"
         "'nodes':[{}]}",
         "humanBones[0]: the bone 'tail' is ignored"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sn_arena arena = {0};
        sn_scene_file s;
        read_document(cases[i].document, NULL, &arena, &s);
        assert_int_equal(logged.warnings, 1);
        if (!strstr(logged.last, cases[i].message)) {
            fail_msg("'%s' lacks '%s'", logged.last, cases[i].message);
        }
        assert_int_equal(s.texture_count, 0);
        sn_arena_finish(&arena);
    }
}

/* Spaces are what the format has; null bytes are what some writers write. */
static void test_null_padding(void **state)
{
    (void)state;
    bytes file = {0};
    sn_arena arena = {0};
    sn_scene_file s;
    put_glb(&file, "{'asset':{'version':'2.0'},'nodes':[{}]}   ", NULL);
    memset(file.data + file.size - 3, 0, 3);
    read_bytes(&file, &arena, &s);
    assert_true(logged.warnings == 0 && s.node_count == 1);
    sn_arena_finish(&arena);
}

/* Of a damaged picture 8192 x 8191 pixels count once, whatever shares it: four of them and 1 x 32730 would leave no
 * room for the last. */
static void test_damaged_picture_counts_once(void **state)
{
    (void)state;
    static const char document[] =
        "{'asset':{'version':'2.0'},'images':["
        "{'uri':'data:;base64,iVBORw0KGgoAAAANSUhEUgAAIAAAAB//CAYAAAA='},"
        "{'uri':'data:;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAH/aCAYAAAA='},"
        "{'uri':'data:;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
        "rkJggg=='}],"
        "'textures':[{'source':0},{'source':0},{'source':0},{'source':0},{'source':1},{'source':2}],'materials':["
        "{'emissiveTexture':{'index':0}},{'emissiveTexture':{'index':1}},{'emissiveTexture':{'index':2}},"
        "{'emissiveTexture':{'index':3}},{'emissiveTexture':{'index':4}},{'emissiveTexture':{'index':5}}]}";
    sn_arena arena = {0};
    sn_scene_file s;
    read_document(document, NULL, &arena, &s);
    assert_int_equal(s.texture_count, 1);
    assert_true(s.textures[0].width == 1 && s.textures[0].height == 1);
    assert_one_warning("images[0]: byte 29: the file ends too early; its textures are ignored");
    sn_arena_finish(&arena);
}

/* Of a third set of texture coordinates the first is used instead. */
static void test_third_uv_set(void **state)
{
    (void)state;
    bytes file = {0}, changed = {0};
    sn_arena arena = {0};
    sn_scene_file s;
    load_seed("data_uri.gltf", &file);
    char *set = strstr((char *)file.data, "\"texCoord\":0");
    assert_non_null(set);
    set[strlen("\"texCoord\":")] = '3';
    put(&changed, file.data, file.size);
    read_bytes(&changed, &arena, &s);
    assert_int_equal(logged.warnings, 2);
    assert_non_null(strstr(logged.last, "baseColorTexture: texture coordinate set 3 is not supported"));
    assert_int_equal(s.materials[0].values.uv_sets[0], 0);
    sn_arena_finish(&arena);
}

static void test_containers(void **state)
{
    (void)state;
    static const char document[] = "{'asset':{'version':'2.0'}}";
    bytes good = {0}, bad = {0};
    sn_arena arena = {0};
    sn_scene_file s;
    put_text(&bad, "\xef\xbb\xbf{\"asset\":{\"version\":\"2.0\"}}");
    read_bytes(&bad, &arena, &s);
    put_glb(&good, document, &bad);
    put_int(&good, 4, 4);
    put_text(&good, "XTRAdata");
    good.data[8] = (uint8_t)good.size;
    read_bytes(&good, &arena, &s);
    assert_int_equal(logged.warnings, 0);
    bad = good;
    put_text(&bad, "behind");
    read_bytes(&bad, &arena, &s);
    assert_non_null(strstr(logged.last, "memory: document: 6 bytes after the end of the container are ignored"));
    sn_arena_finish(&arena);
    bad = good;
    bad.data[4] = 1;
    check_failure(&bad, SN_ERROR_UNSUPPORTED, "memory: byte 4: version 1 of the container");
    bad = good;
    bad.data[8]++;
    check_failure(&bad, SN_ERROR_FORMAT, "memory: byte 8: the file is shorter than its header says");
    bad = good;
    bad.data[12] = 255;
    check_failure(&bad, SN_ERROR_FORMAT, "memory: byte 12: the chunk is longer than the file");
    bad = good;
    bad.data[16] = 'j';
    check_failure(&bad, SN_ERROR_FORMAT, "memory: byte 12: the first chunk is not JSON");
    bad = good;
    memcpy(bad.data + bad.size - 8, "JSON", 4);
    check_failure(&bad, SN_ERROR_FORMAT, "there is a second JSON chunk");
    bad = good;
    bad.size = 11;
    check_failure(&bad, SN_ERROR_FORMAT, "memory: byte 11: the file ends inside its header");
    bad.size = 0;
    check_failure(&bad, SN_ERROR_FORMAT, "memory: byte 0: the file is empty");
}

/* Base64 with and without padding, against a file whose name needs an escape; one file under two spellings. */
static void test_files_beside(void **state)
{
    (void)state;
    char folder[4096], path[8192];
    snprintf(folder, sizeof folder, "%s/test_gltf.%ld", SN_BINARY_DIR, (long)getpid());
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(path, sizeof path, "%s/a b.bin", folder);
    begin_log();
    assert_int_equal(sn_file_write(path, "\1\2\0\3\4\5\6", 7), SN_OK);
    char name[8192];
    snprintf(name, sizeof name, "%s/scene.gltf", folder);
    bytes text = {0};
    put_quoted(&text, "{'asset':{'version':'2.0'},'buffers':[{'byteLength':6,'uri':'a%20b.bin'},"
                      "{'byteLength':6,'uri':'.//a b.bin'},{'byteLength':7,'uri':'data:a/b;c=d;base64,AQIAAwQFBg=='},"
                      "{'byteLength':7,'uri':'data:;base64,AQIAAwQFBg'}],'bufferViews':[{'buffer':0,'byteLength':3},"
                      "{'buffer':1,'byteLength':3},{'buffer':2,'byteLength':3},{'buffer':3,'byteLength':3}],"
                      "'accessors':[{'componentType':5126,'count':3,'type':'VEC3'},"
                      "{'bufferView':0,'componentType':5121,'count':3,'type':'SCALAR'},"
                      "{'bufferView':1,'componentType':5121,'count':3,'type':'SCALAR'},"
                      "{'bufferView':2,'componentType':5121,'count':3,'type':'SCALAR'},"
                      "{'bufferView':3,'componentType':5121,'count':3,'type':'SCALAR'}],'meshes':[{'primitives':["
                      "{'attributes':{'POSITION':0},'indices':1},{'attributes':{'POSITION':0},'indices':2},"
                      "{'attributes':{'POSITION':0},'indices':3},{'attributes':{'POSITION':0},'indices':4}]}]}");
    const sn_source source = {.name = name, .bytes = text.data, .size = text.size};
    sn_arena arena = {0};
    sn_scene_file s;
    if (sn_gltf_read(&source, &arena, &s) != SN_OK) {
        fail_msg("%s", logged.last);
    }
    for (int i = 0; i < 4; ++i) {
        assert_integers(s.primitives[i].triangles, 3, (const int32_t[]){1, 2, 0});
    }
    sn_arena_finish(&arena);
    const char *slash = strrchr(folder, '/') + 1; /* the folder itself, from the one around it */
    snprintf(name, sizeof name, "%s/scene.gltf", SN_BINARY_DIR);
    text.size = 0;
    put_quoted(&text, "{'asset':{'version':'2.0'},'buffers':[{'byteLength':1,'uri':'");
    put_text(&text, slash);
    put_quoted(&text, "'}]}");
    const sn_source outer = {.name = name, .bytes = text.data, .size = text.size};
    begin_log();
    assert_int_equal(sn_gltf_read(&outer, &arena, &s), SN_ERROR_FILE);
    assert_one_error("/scene.gltf: buffers[0].uri: cannot open 'test_gltf.");
    sn_arena_finish(&arena);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static sn_result read_any(const sn_source *source, sn_arena *arena)
{
    sn_scene_file scene;
    return sn_gltf_read(source, arena, &scene);
}

static void test_mutations(void **state)
{
    (void)state;
    static const char *const seeds[] = {"skin_animation_sparse.glb", "data_uri.gltf", "vrm0.vrm"};
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; ++i) {
        bytes file = {0};
        load_seed(seeds[i], &file);
        mutate(&file, 61 + i, 2000, read_any);
        fail_each_allocation(&file, read_any);
    }
}

int test_gltf(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_skinned_seed),
        cmocka_unit_test(test_animation_seed),
        cmocka_unit_test(test_data_uri_seed),
        cmocka_unit_test(test_materials_seed),
        cmocka_unit_test(test_vrm_seeds),
        cmocka_unit_test(test_fan_and_strip),
        cmocka_unit_test(test_joined_strips),
        cmocka_unit_test(test_null_padding),
        cmocka_unit_test(test_sparse_over_strided),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_influences),
        cmocka_unit_test(test_two_skins),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_damaged_picture_counts_once),
        cmocka_unit_test(test_third_uv_set),
        cmocka_unit_test(test_containers),
        cmocka_unit_test(test_files_beside),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
