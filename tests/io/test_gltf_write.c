/* SPDX-License-Identifier: MIT */
/* The glTF writer: a scene with everything that it can hold goes out and comes back, by the strict reader. */
#include "author/io/gltf/gltf_write.h"

#include <jansson.h>
#include <math.h>

#include "tests/io/io_test.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.3F, 0.7F, -2.5F};
static float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0};
static float tangents[] = {1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1, 0, 1, 0, 1};
static float uvs[] = {0, 0, 1, 0, 0, 1, 0.25F, 0.1F}, other_uvs[] = {0.5F, 0, 1, 0.5F, 0, 1, 0.75F, 0.2F};
static float colors[] = {1, 0, 0, 1, 0, 1, 0, 0.5F, 0, 0, 1, 1, 0.1F, 0.2F, 0.3F, 0.4F};
static float stiffnesses[] = {1, 2, 0.5F, 1e-6F}, leaks[] = {0, 1, 0.5F, 0};
static int32_t triangles[] = {0, 1, 2, 0, 2, 3};
/* two sets: eight a vertex; a joint above 255 is not in this skin, sets of bytes are */
static int32_t joints[] = {0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
                           0, 1, 2, 3, 4, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0};
static float weights[] = {0.5F,   0.5F,   0,     0,     0,     0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
                          0.125F, 0.125F, 0.25F, 0.25F, 0.25F, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
static float morph_a[] = {0.1F, 0, 0, 0, 0.1F, 0, 0, 0, 0.1F, 0, 0, 0}, morph_n[12] = {0, 0.5F};
static float morph_b[] = {0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0};
static float *morph_positions[] = {morph_a, morph_b}, *morph_normals[] = {morph_n, NULL};
static float morph_weights[] = {0.25F, 0.5F}, node_weights[] = {-1, 0.75F};
static float times[] = {0, 0.5F, 1.25F}, other_times[] = {0.1F, 0.2F};
static float moves[] = {0, 0, 0, 1, 2, 3, 0, 0, 0};
static float turns[] = {0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1};
static float scales[] = {1, 1, 1, 2, 2, 2};
static float spline[] = {0, 0, 0, 1, 1, 1, 0, 0, 0, 0.5F, 0, 0, 2, 2, 2, 0, 0.5F, 0};
static float shares[] = {0, 1, 1, 0, 0.5F, 0.5F};
static uint8_t pixels[16], clear_pixels[16];

static sn_scene_node nodes[8];
static sn_scene_material materials[3];
static int32_t skin_joints[] = {0, 1, 2, 3, 4};
static double inverse_bind[5 * 12];

static void fill_nodes(void)
{
    static const double matrix[12] = {0, -1, 0, 3, 1, 0, 0, 4, 0, 0, 2, 5};
    static const char *const names[] = {"root", "a", "b", "c", "\"quoted\" \xc3\xa9", "", "body", "plain"};
    static const int32_t parents[] = {4, 0, 1, 1, -1, 7, -1, -1}; /* parents may come later */
    for (int i = 0; i < COUNT(nodes); ++i) {
        nodes[i] = (sn_scene_node){
            .name = names[i], .parent = parents[i], .mesh = -1, .skin = -1, .is_in_scene = i != 5 && i != 7};
        nodes[i].rotation[3] = nodes[i].scale[0] = nodes[i].scale[1] = nodes[i].scale[2] = 1;
        nodes[i].local[0] = nodes[i].local[5] = nodes[i].local[10] = 1;
    }
    nodes[1].translation[0] = nodes[1].local[3] = 0.1;
    nodes[2].rotation[0] = nodes[2].rotation[3] = 0.70710678118654757; /* 90 degrees about x */
    nodes[3].scale[1] = nodes[3].local[5] = 3;
    nodes[4].is_soft_bone = true;
    nodes[5].has_matrix = true;
    memcpy(nodes[5].local, matrix, sizeof matrix);
    nodes[6].mesh = 0;
    nodes[6].skin = 0;
    nodes[6].morph_weights = node_weights;
    nodes[7].mesh = 1;
    for (int j = 0; j < COUNT(skin_joints); ++j) {
        inverse_bind[12 * j] = inverse_bind[12 * j + 5] = inverse_bind[12 * j + 10] = 1;
        inverse_bind[12 * j + 3] = -j;
    }
}

static void fill_materials(void)
{
    static const float identity[6] = {1, 0, 0, 0, 1, 0};
    for (int i = 0; i < COUNT(materials); ++i) {
        sn_material *v = &materials[i].values;
        materials[i].name = i == 0 ? "skin" : "";
        *v = (sn_material){.base_color = {0.25F, 0.5F, 0.75F, 1},
                           .metallic = 0.5F,
                           .roughness = 0.25F,
                           .normal_scale = 1,
                           .occlusion_strength = 1,
                           .alpha_cutoff = 0.5F,
                           .alpha_mode = i};
        for (int use = 0; use < SN_TEXTURE_USE_COUNT; ++use) {
            v->textures[use] = i == 0 ? use % 3 : -1;
            memcpy(materials[i].uv_transforms[use], identity, sizeof identity);
        }
    }
    sn_material *first = &materials[0].values;
    first->uv_sets[SN_TEXTURE_OCCLUSION] = 1;
    first->normal_scale = 0.5F;
    first->occlusion_strength = 0.75F;
    first->is_double_sided = true;
    first->emissive[0] = 3; /* needs an extension */
    first->emissive[1] = 1.5F;
    /* scale 2 and 3, a quarter turn, an offset */
    memcpy(materials[0].uv_transforms[SN_TEXTURE_BASE_COLOR], (float[6]){0, 3, 0.25F, -2, 0, 0.5F}, 6 * sizeof(float));
    materials[1].values.is_unlit = true;
    materials[1].values.alpha_cutoff = 0.3F;
}

static const char *morph_names[] = {"smile", "\xc3\xa9t\xc3\xa9"};
static sn_scene_mesh meshes[] = {{"body", 0, 2, 2, morph_weights, morph_names}, {"plain", 2, 1, 0, NULL, NULL}};
static sn_scene_primitive primitives[] = {{4,
                                           2,
                                           positions,
                                           normals,
                                           tangents,
                                           {uvs, other_uvs},
                                           colors,
                                           {stiffnesses, NULL, leaks},
                                           8,
                                           joints,
                                           weights,
                                           triangles,
                                           0,
                                           false,
                                           NULL,
                                           morph_positions,
                                           morph_normals},
                                          {4,
                                           1,
                                           positions,
                                           NULL,
                                           NULL,
                                           {uvs, NULL},
                                           NULL,
                                           {NULL},
                                           8,
                                           joints,
                                           weights,
                                           triangles,
                                           1,
                                           true,
                                           NULL,
                                           morph_positions,
                                           morph_normals},
                                          {3,
                                           1,
                                           positions,
                                           normals,
                                           NULL,
                                           {NULL, NULL},
                                           NULL,
                                           {NULL},
                                           0,
                                           NULL,
                                           NULL,
                                           triangles,
                                           -1,
                                           false,
                                           NULL,
                                           NULL,
                                           NULL}};
static sn_scene_skin skins[] = {{5, skin_joints, inverse_bind}};
static sn_scene_texture textures[] = {{2, 2, pixels, SN_WRAP_REPEAT, SN_WRAP_CLAMP, .is_nearest = false},
                                      {2, 2, pixels, SN_WRAP_MIRROR, SN_WRAP_REPEAT, .is_nearest = true},
                                      {4, 1, clear_pixels, SN_WRAP_CLAMP, SN_WRAP_CLAMP, .is_nearest = false}};
static sn_scene_clip clips[] = {{"walk", 0, 3, 1.25}, {"morph", 3, 2, 1.25}};
static sn_scene_channel channels[] = {{1, SN_PATH_TRANSLATION, SN_KEYS_LINEAR, 3, 3, times, moves},
                                      {2, SN_PATH_ROTATION, SN_KEYS_STEP, 3, 4, times, turns},
                                      {3, SN_PATH_SCALE, SN_KEYS_LINEAR, 2, 3, other_times, scales},
                                      {6, SN_PATH_WEIGHTS, SN_KEYS_LINEAR, 3, 2, times, shares},
                                      {0, SN_PATH_TRANSLATION, SN_KEYS_CUBIC, 2, 3, other_times, spline}};

static sn_scene_file make_scene(void)
{
    for (int i = 0; i < 16; ++i) {
        pixels[i] = i % 4 == 3 ? 255 : (uint8_t)(16 * i);
        clear_pixels[i] = (uint8_t)(15 * i + 1);
    }
    fill_nodes();
    fill_materials();
    return (sn_scene_file){.node_count = COUNT(nodes),
                           .mesh_count = COUNT(meshes),
                           .primitive_count = COUNT(primitives),
                           .skin_count = 1,
                           .material_count = COUNT(materials),
                           .texture_count = COUNT(textures),
                           .clip_count = COUNT(clips),
                           .channel_count = COUNT(channels),
                           .nodes = nodes,
                           .meshes = meshes,
                           .primitives = primitives,
                           .skins = skins,
                           .materials = materials,
                           .textures = textures,
                           .clips = clips,
                           .channels = channels};
}

static const char *output_path(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", SN_BINARY_DIR, name);
    return path;
}

static void check_floats(const float *a, const float *b, int count, const char *what)
{
    if ((a == NULL) != (b == NULL)) {
        fail_msg("%s: %s", what, a ? "lost" : "appeared");
    }
    for (int i = 0; a && i < count; ++i) {
        if (a[i] != b[i]) {
            fail_msg("%s %d: %g instead of %g", what, i, (double)b[i], (double)a[i]);
        }
    }
}

static void check_primitive(const sn_scene_primitive *a, const sn_scene_primitive *b, int morph_count)
{
    const int n = a->vertex_count;
    assert_int_equal(n, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_int_equal(a->influence_count, b->influence_count);
    assert_int_equal(a->material, b->material);
    assert_int_equal(a->is_flat, b->is_flat);
    check_floats(a->positions, b->positions, 3 * n, "position");
    check_floats(a->normals, b->normals, 3 * n, "normal");
    check_floats(a->tangents, b->tangents, 4 * n, "tangent");
    check_floats(a->uvs[0], b->uvs[0], 2 * n, "uv");
    check_floats(a->uvs[1], b->uvs[1], 2 * n, "second uv");
    check_floats(a->colors, b->colors, 4 * n, "color");
    for (int i = 0; i < SN_PAINTED_COUNT; ++i) {
        check_floats(a->paint[i], b->paint[i], n, sn_painted_quantity_name((sn_painted_quantity)i));
    }
    check_floats(a->weights, b->weights, a->influence_count * n, "weight");
    assert_memory_equal(a->triangles, b->triangles, 3 * (size_t)a->triangle_count * sizeof(int32_t));
    if (a->joints) {
        assert_memory_equal(a->joints, b->joints, (size_t)(a->influence_count * n) * sizeof(int32_t));
    }
    for (int m = 0; m < morph_count; ++m) {
        check_floats(a->morph_positions[m], b->morph_positions[m], 3 * n, "morph");
        check_floats(a->morph_normals[m], b->morph_normals[m], 3 * n, "morph normal");
    }
}

static void check_nodes(const sn_scene_file *a, const sn_scene_file *b)
{
    assert_int_equal(a->node_count, b->node_count);
    for (int i = 0; i < a->node_count; ++i) {
        const sn_scene_node *from = &a->nodes[i], *to = &b->nodes[i];
        check_floats(from->morph_weights, to->morph_weights, 2, "node's morph weight");
        assert_string_equal(from->name, to->name);
        assert_int_equal(from->parent, to->parent);
        assert_int_equal(from->mesh, to->mesh);
        assert_int_equal(from->skin, to->skin);
        assert_int_equal(from->has_matrix, to->has_matrix);
        assert_int_equal(from->is_in_scene, to->is_in_scene);
        assert_int_equal(from->is_soft_bone, to->is_soft_bone);
        if (from->has_matrix) {
            assert_memory_equal(from->local, to->local, sizeof from->local);
            continue;
        }
        for (int d = 0; d < 4; ++d) {
            assert_true(d == 3 || from->translation[d] == to->translation[d]);
            assert_true(d == 3 || from->scale[d] == to->scale[d]);
            assert_true(fabs(from->rotation[d] - to->rotation[d]) < 1e-15);
        }
    }
}

static void check_materials(const sn_scene_file *a, const sn_scene_file *b)
{
    assert_int_equal(a->material_count, b->material_count);
    for (int i = 0; i < a->material_count; ++i) {
        const sn_material *from = &a->materials[i].values, *to = &b->materials[i].values;
        assert_string_equal(a->materials[i].name, b->materials[i].name);
        check_floats(from->base_color, to->base_color, 4, "base color");
        for (int k = 0; k < 3; ++k) {
            assert_true(fabsf(from->emissive[k] - to->emissive[k]) < 1e-6F);
        }
        assert_true(from->metallic == to->metallic && from->roughness == to->roughness);
        assert_true(from->normal_scale == to->normal_scale && from->occlusion_strength == to->occlusion_strength);
        assert_int_equal(from->alpha_mode, to->alpha_mode);
        assert_true(from->alpha_mode != SN_ALPHA_MASK || from->alpha_cutoff == to->alpha_cutoff);
        assert_int_equal(from->is_double_sided, to->is_double_sided);
        assert_int_equal(from->is_unlit, to->is_unlit);
        for (int use = 0; use < SN_TEXTURE_USE_COUNT; ++use) {
            assert_int_equal(from->textures[use] < 0, to->textures[use] < 0);
            assert_int_equal(from->uv_sets[use], to->uv_sets[use]);
            for (int k = 0; k < 6; ++k) {
                assert_true(fabsf(a->materials[i].uv_transforms[use][k] - b->materials[i].uv_transforms[use][k]) <
                            1e-6F);
            }
            if (from->textures[use] >= 0) { /* the reader numbers textures as it meets them */
                const sn_scene_texture *t = &a->textures[from->textures[use]], *u = &b->textures[to->textures[use]];
                assert_true(t->width == u->width && t->height == u->height && t->is_nearest == u->is_nearest);
                assert_true(t->wrap_u == u->wrap_u && t->wrap_v == u->wrap_v);
                assert_memory_equal(t->pixels, u->pixels, 16);
            }
        }
    }
}

static void check_clips(const sn_scene_file *a, const sn_scene_file *b)
{
    assert_int_equal(a->clip_count, b->clip_count);
    assert_int_equal(a->channel_count, b->channel_count);
    for (int i = 0; i < a->clip_count; ++i) {
        assert_string_equal(a->clips[i].name, b->clips[i].name);
        assert_int_equal(a->clips[i].first_channel, b->clips[i].first_channel);
        assert_int_equal(a->clips[i].channel_count, b->clips[i].channel_count);
        assert_true(a->clips[i].seconds == b->clips[i].seconds);
    }
    for (int i = 0; i < a->channel_count; ++i) {
        const sn_scene_channel *from = &a->channels[i], *to = &b->channels[i];
        assert_int_equal(from->node, to->node);
        assert_int_equal(from->path, to->path);
        assert_int_equal(from->interpolation, to->interpolation);
        assert_int_equal(from->width, to->width);
        assert_int_equal(from->key_count, to->key_count);
        check_floats(from->times, to->times, from->key_count, "time");
        check_floats(from->values, to->values,
                     from->key_count * from->width * (from->interpolation == SN_KEYS_CUBIC ? 3 : 1), "value");
    }
}

static void check_round_trip(const char *name)
{
    const sn_scene_file scene = make_scene();
    const char *path = output_path(name);
    sn_arena arena = {0};
    sn_scene_file read;
    begin_log();
    assert_int_equal(sn_gltf_write(path, &scene), SN_OK);
    if (sn_scene_file_read(path, &arena, &read) != SN_OK) {
        fail_msg("%s", logged.last);
    }
    assert_int_equal(logged.errors + logged.warnings, 0);
    check_nodes(&scene, &read);
    check_materials(&scene, &read);
    check_clips(&scene, &read);
    assert_int_equal(read.mesh_count, scene.mesh_count);
    for (int i = 0; i < scene.mesh_count; ++i) {
        assert_string_equal(read.meshes[i].name, scene.meshes[i].name);
        assert_int_equal(read.meshes[i].morph_count, scene.meshes[i].morph_count);
        check_floats(scene.meshes[i].morph_weights, read.meshes[i].morph_count ? read.meshes[i].morph_weights : NULL,
                     scene.meshes[i].morph_count, "morph weight");
        for (int m = 0; m < scene.meshes[i].morph_count; ++m) {
            assert_string_equal(read.meshes[i].morph_names[m], scene.meshes[i].morph_names[m]);
        }
        for (int k = 0; k < scene.meshes[i].primitive_count; ++k) {
            const int at = scene.meshes[i].first_primitive + k;
            check_primitive(&scene.primitives[at], &read.primitives[at], scene.meshes[i].morph_count);
        }
    }
    assert_int_equal(read.skins[0].joint_count, 5);
    assert_memory_equal(read.skins[0].joints, skin_joints, sizeof skin_joints);
    assert_memory_equal(read.skins[0].inverse_bind, inverse_bind, sizeof inverse_bind);
    sn_arena_finish(&arena);
    remove(path);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* A target of few offsets goes sparse. */
static void test_round_trip(void **state)
{
    (void)state;
    check_round_trip("written.glb");
    check_round_trip("written.gltf");
}

/* A target that moves nothing takes no bytes: its accessor has no view. */
static void test_zero_target(void **state)
{
    (void)state;
    const char *const path = output_path("zero_target.gltf");
    float still[12] = {0}, *moved[] = {morph_a, still}, *turned[] = {still, still};
    sn_scene_file scene = make_scene(), read;
    sn_arena arena = {0};
    int without_bytes = 0;
    scene.primitives[0].morph_positions = moved;
    scene.primitives[0].morph_normals = turned;
    assert_int_equal(sn_gltf_write(path, &scene), SN_OK);
    json_t *document = json_load_file(path, 0, NULL), *accessor;
    size_t index;
    json_array_foreach(json_object_get(document, "accessors"), index, accessor)
    {
        without_bytes += !json_object_get(accessor, "bufferView") && !json_object_get(accessor, "sparse");
    }
    assert_int_equal(without_bytes, 3);
    json_decref(document);
    assert_int_equal(sn_scene_file_read(path, &arena, &read), SN_OK);
    check_primitive(&scene.primitives[0], &read.primitives[0], 2);
    scene.primitives[0].morph_positions = morph_positions;
    scene.primitives[0].morph_normals = morph_normals;
    sn_arena_finish(&arena);
    remove(path);
}

static void test_same_bytes(void **state)
{
    (void)state;
    const sn_scene_file scene = make_scene();
    sn_source sources[2];
    sn_arena arena = {0};
    for (int i = 0; i < 2; ++i) {
        const char *path = output_path("written_twice.glb");
        assert_int_equal(sn_gltf_write(path, &scene), SN_OK);
        assert_int_equal(sn_source_read(path, &arena, &sources[i]), SN_OK);
        remove(path);
    }
    assert_int_equal(sources[0].size, sources[1].size);
    assert_memory_equal(sources[0].bytes, sources[1].bytes, sources[0].size);
    sn_arena_finish(&arena);
}

static void test_no_folder(void **state)
{
    (void)state;
    const sn_scene_file scene = make_scene();
    begin_log();
    assert_int_equal(sn_gltf_write("/nowhere/at/all.glb", &scene), SN_ERROR_FILE);
    assert_one_error("/nowhere/at/all.glb");
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* One line that names what it is; the file of before stays. */
static void refuse_broken(const sn_scene_file *scene, float *number, const char *place)
{
    const char *const path = output_path("kept.glb");
    const float before = *number;
    sn_arena arena = {0};
    sn_source source;
    assert_int_equal(sn_file_write(path, "old", 3), SN_OK);
    *number = INFINITY;
    begin_log();
    assert_int_equal(sn_gltf_write(path, scene), SN_ERROR_NUMERIC);
    assert_one_error(path);
    assert_non_null(strstr(logged.last, place));
    *number = before;
    assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
    assert_int_equal(source.size, 3);
    sn_arena_finish(&arena);
    remove(path);
}

static void test_not_finite(void **state)
{
    (void)state;
    sn_scene_file scene = make_scene();
    sn_scene_mesh *mesh = scene.meshes;
    while (mesh->morph_count == 0) {
        ++mesh;
    }
    sn_scene_primitive *p = &scene.primitives[mesh->first_primitive];
    refuse_broken(&scene, &p->positions[5], "positions of vertex 1");
    refuse_broken(&scene, &p->morph_positions[0][7], "target 0: the offset of vertex 2");
    refuse_broken(&scene, &scene.channels[0].values[0], "clip '");
    const double scale = scene.nodes[1].scale[0];
    scene.nodes[1].scale[0] = 1e39; /* a double, but no float */
    begin_log();
    assert_int_equal(sn_gltf_write(output_path("kept.glb"), &scene), SN_ERROR_NUMERIC);
    assert_one_error("node '");
    scene.nodes[1].scale[0] = scale;
}

int test_gltf_write(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_zero_target),
                                       cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_no_folder),
                                       cmocka_unit_test(test_not_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
