/* SPDX-License-Identifier: MIT */
/* Morph targets from a scene to a model: two nodes draw one box, the second turned, scaled and with weights of its own.
 * The first target shears, so that normals under it are known; the second lifts some vertices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/io/gltf/gltf_write.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

#define PATH SN_BINARY_DIR "/morphs.glb"
#define SIDE 4
#define FACE_VERTICES ((SIDE + 1) * (SIDE + 1))
#define VERTICES (6 * FACE_VERTICES)
#define TRIANGLES (12 * SIDE * SIDE)

/* Of the second node: a quarter turn about z, twice the size. */
static const double place[12] = {0, -2, 0, 5, 2, 0, 0, 0, 0, 0, 2, 0};
static const double shear = 0.5;

static float positions[3 * VERTICES], normals[3 * VERTICES], sheared[3 * VERTICES], lifted[3 * VERTICES];
static float *offsets[3] = {sheared, lifted, NULL}, *no_normals[3];
static float rest_weights[3] = {0.5F, 0, 0}, own_weights[3] = {0, 0.25F, 0};
static int32_t triangles[3 * TRIANGLES];
static const char *names[3] = {"lean", "", "none"};
static float times[3] = {0, 0.5F, 1}, ramp[9] = {0, 0, 0, 1, 0.5F, 0, 0, 1, 0};
static float splines[27] = {[3] = 0, [6] = 2, [12] = 1, [15] = -1, [21] = 0.5F};
static sn_scene_node nodes[2];
static sn_scene_mesh mesh = {"box", 0, 1, 3, rest_weights, names};
static sn_scene_primitive primitive;
static sn_scene_clip clips[2] = {{"line", 0, 1, 1}, {"others", 1, 2, 1}};
static sn_scene_channel channels[3] = {{0, SN_PATH_WEIGHTS, SN_KEYS_LINEAR, 3, 3, times, ramp},
                                       {0, SN_PATH_WEIGHTS, SN_KEYS_STEP, 3, 3, times, ramp},
                                       {1, SN_PATH_WEIGHTS, SN_KEYS_CUBIC, 3, 3, times, splines}};
static sn_scene_expression expressions[3] = {{"happy", {0, 1, .blocked_groups = SN_EXPRESSION_BLINK}},
                                             {"nothing", {1, 0, .is_binary = 0}},
                                             {"both", {1, 2, .is_binary = 1}}};
static sn_scene_expression_bind binds[3] = {{-1, 0, 1, 0.5F}, {1, -1, 0, 1}, {0, -1, 2, 0.25F}};

/* One side of the box [-1, 1]^3: axis `face / 2`, its low or high end. */
static void add_face(int face)
{
    const int axis = face / 2, right = (axis + 1) % 3, up = (axis + 2) % 3, sign = face % 2 ? 1 : -1;
    for (int i = 0; i < FACE_VERTICES; ++i) {
        float *x = positions + 3 * (face * FACE_VERTICES + i);
        x[axis] = (float)sign;
        x[right] = (float)(2.0 * (i % (SIDE + 1)) / SIDE - 1);
        x[up] = (float)(2.0 * (i / (SIDE + 1)) / SIDE - 1);
        normals[3 * (face * FACE_VERTICES + i) + axis] = (float)sign;
    }
    for (int i = 0; i < SIDE * SIDE; ++i) {
        const int32_t a = face * FACE_VERTICES + i / SIDE * (SIDE + 1) + i % SIDE, b = a + 1, c = a + SIDE + 1;
        const int32_t corners[6] = {a, sign > 0 ? b : c,     sign > 0 ? c : b,
                                    b, sign > 0 ? c + 1 : c, sign > 0 ? c : c + 1};
        memcpy(triangles + 6 * (face * SIDE * SIDE + i), corners, sizeof corners);
    }
}

static sn_scene_file make_scene(void)
{
    for (int face = 0; face < 6; ++face) {
        add_face(face);
    }
    for (int v = 0; v < VERTICES; ++v) {
        sheared[3 * v] = (float)shear * positions[3 * v + 1];
        lifted[3 * v + 1] = positions[3 * v + 1] > 0.9F ? 0.5F : 0;
    }
    primitive = (sn_scene_primitive){.vertex_count = VERTICES,
                                     .triangle_count = TRIANGLES,
                                     .positions = positions,
                                     .normals = normals,
                                     .triangles = triangles,
                                     .material = -1,
                                     .morph_positions = offsets,
                                     .morph_normals = no_normals};
    for (int i = 0; i < 2; ++i) {
        nodes[i] = (sn_scene_node){.name = i ? "right" : "left",
                                   .parent = -1,
                                   .skin = -1,
                                   .rotation = {0, 0, 0, 1},
                                   .scale = {1, 1, 1},
                                   .has_matrix = true,
                                   .is_in_scene = true};
        sn_affine_identity(nodes[i].local);
    }
    memcpy(nodes[1].local, place, sizeof place);
    nodes[1].morph_weights = own_weights;
    return (sn_scene_file){.node_count = 2,
                           .mesh_count = 1,
                           .primitive_count = 1,
                           .clip_count = 2,
                           .channel_count = 3,
                           .expression_count = 3,
                           .expression_bind_count = 3,
                           .nodes = nodes,
                           .meshes = &mesh,
                           .primitives = &primitive,
                           .clips = clips,
                           .channels = channels,
                           .expressions = expressions,
                           .expression_binds = binds};
}

typedef struct fixture {
    sn_blob blob;
    sn_model *model;
} fixture;

static int cook(void **state)
{
    static fixture f;
    const sn_scene_file scene = make_scene();
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = 4;
    desc.cluster_count = 10;
    assert_int_equal(sn_gltf_write(PATH, &scene), SN_OK);
    assert_int_equal(sn_cook(PATH, &desc, &f.blob, NULL), SN_OK);
    assert_int_equal(sn_model_load(f.blob.bytes, f.blob.size, &f.model), SN_OK);
    unlink(PATH);
    *state = &f;
    return 0;
}

static int discard(void **state)
{
    fixture *f = *state;
    sn_model_release(f->model);
    sn_blob_release(&f->blob);
    return 0;
}

static void expect_weights(const float *weights, const double expected[6])
{
    for (int m = 0; m < 6; ++m) {
        if (!(fabs((double)weights[m] - expected[m]) < 1e-5)) {
            fail_msg("target %d has %g instead of %g", m, (double)weights[m], expected[m]);
        }
    }
}

static void test_targets_of_each_node(void **state)
{
    const sn_model *model = ((const fixture *)*state)->model;
    static const char *const expected[6] = {"lean", "morph 1", "none", "lean", "morph 4", "none"};
    float weights[6];
    assert_int_equal(sn_model_morph_count(model), 6);
    for (int m = 0; m < 6; ++m) {
        assert_string_equal(sn_model_morph_name(model, m), expected[m]);
    }
    sn_model_default_morphs(model, weights, 6);
    expect_weights(weights, (const double[6]){0.5, 0, 0, 0, 0.25, 0});
    /* sparse: of the upper side and what borders it, whatever lies elsewhere */
    int count = 0;
    for (int i = 0; i < model->counts.morph_delta_count; ++i) {
        count += model->morph_deltas[i].morph == 1;
        assert_true(model->morph_deltas[i].morph % 3 != 2);
    }
    assert_true(count >= FACE_VERTICES && count < VERTICES / 2);
}

/* Linear and by steps as they are, splines by Hermite's formula; what a clip leaves alone rests. */
static void test_clips(void **state)
{
    const sn_model *model = ((const fixture *)*state)->model;
    float weights[6];
    sn_model_clip_morphs(model, 0, 0.25, weights, 6);
    expect_weights(weights, (const double[6]){0.5, 0.25, 0, 0, 0.25, 0});
    sn_model_clip_morphs(model, 0, 0.75, weights, 6);
    expect_weights(weights, (const double[6]){0.5, 0.75, 0, 0, 0.25, 0});
    for (int frame = 0; frame < 60; ++frame) {
        const double seconds = frame / 60.0, s = 2 * seconds - floor(2 * seconds);
        const int key = frame / 30;
        const double from = key ? 1 : 0, to = key ? 0.5 : 1, out = key ? -1 : 2;
        const double value = (2 * s * s * s - 3 * s * s + 1) * from + 0.5 * (s * s * s - 2 * s * s + s) * out +
                             (3 * s * s - 2 * s * s * s) * to;
        sn_model_clip_morphs(model, 1, seconds, weights, 6);
        expect_weights(weights, (const double[6]){key ? 1 : 0, key ? 0.5 : 0, 0, value, 0, 0});
    }
}

/* The vertex of the scene's box that lies at a place of the model, or -1; node 1 is to the right. */
static int find_vertex(const sn_model *model, const float *at, const double *normal, int *node)
{
    for (*node = 0; *node < 2; ++*node) {
        for (int v = 0; v < VERTICES; ++v) {
            const double x[3] = {(double)positions[3 * v], (double)positions[3 * v + 1], (double)positions[3 * v + 2]};
            const double n[3] = {(double)normals[3 * v], (double)normals[3 * v + 1], (double)normals[3 * v + 2]};
            double moved[3], turned[3] = {n[0], n[1], n[2]};
            sn_affine_apply(nodes[*node].local, x, moved);
            if (*node == 1) {
                memcpy(turned, (const double[]){-n[1], n[0], n[2]}, sizeof turned);
            }
            moved[0] = (moved[0] - model->origin_x) * model->scale - (double)at[0];
            moved[1] = (moved[1] - model->origin_y) * model->scale - (double)at[1];
            moved[2] = (moved[2] - model->origin_z) * model->scale - (double)at[2];
            if (sn_length3(moved) < 1e-5 && sn_dot3(turned, normal) > 0.99) {
                return v;
            }
        }
    }
    return -1;
}

/* Positions and normals of both boxes, sheared: d = (s y, 0, 0), so that n' ~ (n_x, n_y - s n_x, n_z). */
static void test_surface_under_targets(void **state)
{
    const sn_model *model = ((const fixture *)*state)->model;
    const sn_surface skin = sn_model_surface(model);
    const float weights[6] = {1, 0, 0, 2, 0, 0};
    const double bone[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    sn_arena arena = {0};
    const double *modes = SN_NEW(&arena, double, 12 * model->counts.mode_count);
    double *moved = SN_NEW(&arena, double, 3 * skin.vertex_count);
    double *turned = SN_NEW(&arena, double, 3 * skin.vertex_count);
    assert_int_equal(skin.vertex_count, 2 * VERTICES);
    assert_int_equal(model->counts.bone_count, 1);
    sn_skin_surface(&skin, bone, modes, weights, moved, turned, NULL);
    for (int i = 0; i < skin.vertex_count; ++i) {
        const float *rest = skin.positions + 3 * i, *n = skin.normals + 3 * i;
        const double normal[3] = {(double)n[0], (double)n[1], (double)n[2]};
        int node = 0;
        const int v = find_vertex(model, rest, normal, &node);
        assert_true(v >= 0);
        const double s = shear * (node ? 2 : 1), offset = s * (double)positions[3 * v + 1] * model->scale;
        double expected[3] = {(double)rest[0], (double)rest[1], (double)rest[2]}, direction[3];
        const double box[3] = {(double)normals[3 * v], (double)normals[3 * v + 1], (double)normals[3 * v + 2]};
        const double tilted[3] = {box[0], box[1] - s * box[0], box[2]};
        expected[node ? 1 : 0] += node ? 2 * offset : offset;
        memcpy(direction, tilted, sizeof direction);
        if (node == 1) {
            memcpy(direction, (const double[]){-tilted[1], tilted[0], tilted[2]}, sizeof direction);
        }
        sn_normalize3(direction, normal);
        assert_true(sn_distance3(expected, moved + 3 * i) < 1e-5);
        assert_true(sn_distance3(direction, turned + 3 * i) < 1e-3); /* derivatives are halves */
    }
    sn_arena_finish(&arena);
}

/* A bind of a mesh counts for every node that draws it; what moves nothing is left out. */
static void test_expressions(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_character c;
    const sn_scene_file scene = make_scene();
    assert_int_equal(sn_character_build(&scene, "test", &arena, &c), SN_OK);
    assert_int_equal(c.expression_count, 2);
    assert_string_equal(c.expressions[0].name, "happy");
    assert_string_equal(c.expressions[1].name, "both");
    assert_true(!c.expressions[0].definition.is_binary && c.expressions[1].definition.is_binary);
    assert_true(c.expressions[0].definition.blocked_groups == SN_EXPRESSION_BLINK);
    const sn_expression_bind expected[4] = {{1, 0.5F}, {4, 0.5F}, {3, 1}, {2, 0.25F}};
    assert_int_equal(c.expression_bind_count, 4);
    assert_memory_equal(c.expression_binds, expected, sizeof expected);
    assert_true(c.expressions[0].definition.first_bind == 0 && c.expressions[0].definition.bind_count == 2);
    assert_true(c.expressions[1].definition.first_bind == 2 && c.expressions[1].definition.bind_count == 2);
    sn_arena_finish(&arena);
}

/* Small files that ask for much. */
static void test_limits(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_character c;
    sn_scene_file scene = make_scene();
    mesh.morph_count = 2049; /* of two nodes */
    assert_int_equal(sn_character_build(&scene, "many", &arena, &c), SN_ERROR_UNSUPPORTED);
    mesh.morph_count = 3;
    splines[12] = splines[15] = 3.4e38F; /* beyond that in between */
    assert_int_equal(sn_character_build(&scene, "steep", &arena, &c), SN_ERROR_FORMAT);
    splines[12] = 1;
    splines[15] = -1;
    assert_int_equal(sn_character_build(&scene, "good", &arena, &c), SN_OK);
    sn_arena_finish(&arena);
    assert_true(sn_allocated_bytes() > 0); /* the model */
}

int test_morphs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets_of_each_node),
        cmocka_unit_test(test_clips),
        cmocka_unit_test(test_surface_under_targets),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, cook, discard);
}
