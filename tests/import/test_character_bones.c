/* SPDX-License-Identifier: MIT */
/* Which nodes become bones, and that a character's clips take every vertex where glTF has it, whatever rests shrunk,
 * moves apart or binds in two ways. A hip, a hand on it, a ring on the hand; a body of one triangle that has two
 * skins' worth of joints, and a ring of one triangle. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/import/character.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

enum { HIP, HAND, RING, BODY, COAT, NODE_COUNT };

typedef struct fixture {
    sn_scene_file scene;
    sn_scene_node nodes[NODE_COUNT];
    sn_scene_mesh meshes[2];
    sn_scene_primitive primitives[2];
    sn_scene_skin skins[2];
    int32_t joints[2];
    double inverse_bind[2][24];
    sn_scene_clip clip;
    sn_scene_channel channels[2];
    sn_arena arena;
} fixture;

static float positions[9] = {0, 1, 0, 1, 0, 0, 2, 1, 1};
static int32_t triangle[3] = {0, 1, 2}, joints_of_vertices[12] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0};
static float weights[12] = {0.5F, 0.5F, 0, 0, 1, 0, 0, 0, 0.25F, 0.75F, 0, 0};
static float times[3] = {0, 0.5F, 1};

static void set_node(fixture *f, int node, const char *name, int parent, const double *translation, double scale)
{
    sn_scene_node *n = &f->nodes[node];
    *n = (sn_scene_node){
        .name = name, .parent = parent, .mesh = -1, .skin = -1, .rotation = {0, 0, 0, 1}, .is_in_scene = true};
    sn_affine_identity(n->local);
    for (int d = 0; d < 3; ++d) {
        n->translation[d] = n->local[4 * d + 3] = translation[d];
        n->scale[d] = n->local[5 * d] = scale;
    }
}

/* The skeleton stands at `far`; both skins bind where it rests. */
static void open_fixture(fixture *f, double far)
{
    *f = (fixture){.joints = {HIP, HAND}};
    set_node(f, HIP, "hip", -1, (double[]){far, 0, 0}, 1);
    set_node(f, HAND, "hand", HIP, (double[]){1, 0, 0}, 1);
    set_node(f, RING, "ring", HAND, (double[]){0.5, 0, 0}, 1);
    set_node(f, BODY, "body", -1, (double[]){0, 0, 0}, 1);
    set_node(f, COAT, "coat", -1, (double[]){0, 0, 0}, 1);
    for (int i = 0; i < 2; ++i) {
        f->primitives[i] =
            (sn_scene_primitive){.vertex_count = 3, .triangle_count = 1, .positions = positions, .triangles = triangle};
        f->meshes[i] = (sn_scene_mesh){.name = "mesh", .first_primitive = i, .primitive_count = 1};
        f->skins[i] = (sn_scene_skin){2, f->joints, f->inverse_bind[i]};
        for (int j = 0; j < 2; ++j) {
            sn_affine_identity(f->inverse_bind[i] + 12 * j);
            f->inverse_bind[i][12 * j + 3] = -far - j;
        }
    }
    f->primitives[0].influence_count = 4;
    f->primitives[0].joints = joints_of_vertices;
    f->primitives[0].weights = weights;
    f->nodes[RING].mesh = 1;
    f->nodes[BODY].mesh = f->nodes[COAT].mesh = 0;
    f->nodes[COAT].skin = 1;
    f->nodes[BODY].skin = 0;
    f->clip = (sn_scene_clip){"clip", 0, 0, 1};
    f->scene = (sn_scene_file){.node_count = NODE_COUNT,
                               .mesh_count = 2,
                               .primitive_count = 2,
                               .skin_count = 2,
                               .clip_count = 1,
                               .nodes = f->nodes,
                               .meshes = f->meshes,
                               .primitives = f->primitives,
                               .skins = f->skins,
                               .clips = &f->clip,
                               .channels = f->channels};
}

/* Keys at `times`. */
static void add_channel(fixture *f, int node, sn_scene_path path, float *values)
{
    f->channels[f->scene.channel_count++] =
        (sn_scene_channel){node, path, SN_KEYS_LINEAR, 3, path == SN_PATH_ROTATION ? 4 : 3, times, values};
    f->clip.channel_count = f->scene.channel_count;
}

/* Sum of w world inverse_bind x, or world x. */
static void place_vertex(const fixture *f, const sn_scene_pose *pose, int32_t node, int v, double *place)
{
    const sn_scene_node *n = &f->nodes[node];
    const double x[3] = {(double)positions[3 * v], (double)positions[3 * v + 1], (double)positions[3 * v + 2]};
    double m[12], moved[3];
    sn_affine_apply(pose->world + 12 * (size_t)node, x, place);
    for (int i = 0; n->skin >= 0 && i < 4; ++i) {
        const int joint = joints_of_vertices[4 * v + i];
        sn_affine_multiply(pose->world + 12 * (size_t)f->joints[joint], f->inverse_bind[n->skin] + 12 * joint, m);
        sn_affine_apply(m, x, moved);
        for (int d = 0; d < 3; ++d) {
            place[d] = (i > 0 ? place[d] : 0) + (double)weights[4 * v + i] * moved[d];
        }
    }
}

static void expect_vertex(const sn_character *c, int frame, int v, const double *expected)
{
    const double *transforms = c->clips[0].transforms + 12 * (size_t)frame * (size_t)c->bone_count;
    double skinned[3] = {0}, moved[3];
    for (int32_t i = c->influence_starts[v]; i < c->influence_starts[v + 1]; ++i) {
        sn_affine_apply(transforms + 12 * (size_t)c->influence_bones[i], c->positions + 3 * (size_t)v, moved);
        for (int d = 0; d < 3; ++d) {
            skinned[d] += c->influence_weights[i] * moved[d];
        }
    }
    assert_true(sn_distance3(expected, skinned) < 1e-9 * (1 + sn_length3(expected)));
}

/* Builds the character, which has so many bones, and compares all of its frames with glTF's words. */
static void expect_as_gltf_says(fixture *f, int bone_count)
{
    sn_character c;
    sn_scene_pose pose;
    assert_int_equal(sn_character_build(&f->scene, "test", &f->arena, &c), SN_OK);
    assert_int_equal(sn_scene_pose_init(&f->scene, &f->arena, &pose), SN_OK);
    assert_int_equal(c.bone_count, bone_count);
    for (int frame = 0; frame < c.clips[0].frame_count; frame += 10) {
        int vertex = 0;
        sn_scene_pose_clip(&pose, 0, frame / 60.0);
        for (int32_t node = 0; node < NODE_COUNT; ++node) {
            for (int v = 0; f->nodes[node].mesh >= 0 && v < 3; ++v) {
                double expected[3];
                place_vertex(f, &pose, node, v, expected);
                expect_vertex(&c, frame, vertex++, expected);
            }
        }
    }
    sn_arena_finish(&f->arena);
}

/* A ring that a clip turns on its hand is a bone; one that is keyed where it rests, as exporters do, is the hand's. */
static void test_what_moves_on_a_bone(void **state)
{
    (void)state;
    float turns[12] = {0, 0, 0, 1, 0, 0, 0.6F, 0.8F, 0, 0, 1, 0}, still[12] = {0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0, 1};
    float moves[9] = {1, 0, 0, 2, 0, 0, 1, 1, 0};
    for (int moving = 0; moving < 2; ++moving) {
        fixture f;
        open_fixture(&f, 0);
        add_channel(&f, HAND, SN_PATH_TRANSLATION, moves);
        add_channel(&f, RING, SN_PATH_ROTATION, moving ? turns : still);
        expect_as_gltf_says(&f, 2 + moving);
    }
}

/* The nearest node that moves, where a mesh hangs beside the skeleton. */
static void test_what_moves_beside_the_skeleton(void **state)
{
    (void)state;
    float turns[12] = {0, 0, 0, 1, 0, 0, 0.6F, 0.8F, 0, 0, 1, 0};
    fixture f;
    open_fixture(&f, 0);
    set_node(&f, COAT, "stand", -1, (double[]){0, 0, 3}, 2);
    f.nodes[RING].parent = COAT;
    add_channel(&f, RING, SN_PATH_ROTATION, turns);
    expect_as_gltf_says(&f, 3);
}

/* Without a skin, what is keyed at rest does not move meshes apart. */
static void test_meshes_that_do_not_move_apart(void **state)
{
    (void)state;
    float still[12] = {0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0, 1}, moves[9] = {0.5F, 0, 0, 2, 0, 0, 1, 1, 0};
    for (int moving = 0; moving < 2; ++moving) {
        fixture f;
        open_fixture(&f, 0);
        f.nodes[BODY].skin = f.nodes[COAT].skin = -1;
        f.scene.skin_count = 0;
        add_channel(&f, RING, SN_PATH_ROTATION, still);
        if (moving) {
            add_channel(&f, RING, SN_PATH_TRANSLATION, moves);
        }
        expect_as_gltf_says(&f, moving ? 3 : 1);
    }
}

/* What rests with a scale of 0 until a clip shows it: a ring, or the whole skeleton. */
static void test_what_rests_shrunk(void **state)
{
    (void)state;
    float shown[9] = {0, 0, 0, 1, 2, 1, 1, 1, 1};
    const int shrunk[2] = {RING, HIP};
    for (int i = 0; i < 2; ++i) {
        fixture f;
        open_fixture(&f, 0);
        sn_scene_node *node = &f.nodes[shrunk[i]];
        set_node(&f, shrunk[i], node->name, node->parent, node->translation, 0);
        f.nodes[RING].mesh = 1;
        add_channel(&f, shrunk[i], SN_PATH_SCALE, shown);
        expect_as_gltf_says(&f, i == 0 ? 3 : 2);
    }
}

/* A ring that is flat, as a shadow is: on the hand, or beside the skeleton, where the world alone can hold it. */
static void test_what_rests_flat(void **state)
{
    (void)state;
    float moves[9] = {1, 0, 0, 2, 0, 0, 1, 1, 0};
    for (int is_beside = 0; is_beside < 2; ++is_beside) {
        fixture f;
        open_fixture(&f, 0);
        f.nodes[RING].scale[2] = f.nodes[RING].local[10] = 0;
        f.nodes[RING].parent = is_beside ? -1 : HAND;
        add_channel(&f, HAND, SN_PATH_TRANSLATION, moves);
        expect_as_gltf_says(&f, 2 + is_beside);
    }
}

/* A ring of which nothing is to be seen, hidden by a scale of 0 along two axes or more; a clip turns it or does not. */
static void test_what_is_shrunk_for_good(void **state)
{
    (void)state;
    float turns[12] = {0, 0, 0, 1, 0, 0, 0.6F, 0.8F, 0, 0, 1, 0};
    for (int i = 0; i < 8; ++i) {
        fixture f;
        sn_character c;
        open_fixture(&f, 0);
        set_node(&f, RING, "ring", i & 1 ? HAND : -1, (double[]){0.5, 0, 0}, 0);
        f.nodes[RING].mesh = 1;
        f.nodes[RING].scale[1] = f.nodes[RING].local[5] = i & 2 ? 1 : 0;
        if (i & 4) {
            add_channel(&f, RING, SN_PATH_ROTATION, turns);
        }
        assert_int_equal(sn_character_build(&f.scene, "test", &f.arena, &c), SN_OK);
        assert_true(c.vertex_count == 6 && c.bone_count == 2);
        sn_arena_finish(&f.arena);
    }
}

/* The topmost joint may have a matrix of zeros, as long as it moves nothing. */
static void test_a_joint_without_a_matrix(void **state)
{
    (void)state;
    static int32_t hand_alone[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    float moves[9] = {1, 0, 0, 2, 0, 0, 1, 1, 0};
    fixture f;
    sn_character c;
    open_fixture(&f, 0);
    f.primitives[0].joints = hand_alone;
    f.nodes[COAT].mesh = -1;
    memset(f.inverse_bind[0], 0, 12 * sizeof(double));
    add_channel(&f, HAND, SN_PATH_TRANSLATION, moves);
    assert_int_equal(sn_character_build(&f.scene, "test", &f.arena, &c), SN_OK);
    expect_vertex(&c, 30, 3, (double[]){1, 1, 0}); /* behind the ring's */
    sn_arena_finish(&f.arena);
}

/* Two skins that turn a joint by two degrees are two bones, however far from the origin; by a float's rounding, one. */
static void test_two_binds_of_one_joint(void **state)
{
    (void)state;
    float moves[9] = {1, 0, 0, 2, 0, 0, 1, 1, 0};
    const double angles[2] = {0.035, 1e-7}, distances[3] = {0, 1000, 1e5};
    for (int i = 0; i < 6; ++i) {
        const double c = cos(angles[i % 2]), s = sin(angles[i % 2]), far = distances[i / 2], x = -far - 1;
        fixture f;
        open_fixture(&f, far);
        memcpy(f.inverse_bind[1] + 12, (double[]){c, -s, 0, c * x, s, c, 0, s * x, 0, 0, 1, 0}, 12 * sizeof(double));
        add_channel(&f, HAND, SN_PATH_TRANSLATION, moves);
        if (i % 2 == 0) {
            expect_as_gltf_says(&f, 3);
        } else {
            sn_character character;
            assert_int_equal(sn_character_build(&f.scene, "test", &f.arena, &character), SN_OK);
            assert_int_equal(character.bone_count, 2);
            sn_arena_finish(&f.arena);
        }
    }
}

/* A step at a frame's time is there in that frame, although neither is exact. */
static void test_a_step_at_a_frame(void **state)
{
    (void)state;
    static float steps[3] = {0, 0.7F, 0.76666665F}; /* 42 and 46 frames */
    float moves[9] = {1, 0, 0, 2, 0, 0, 1, 1, 0};
    fixture f;
    sn_character c;
    open_fixture(&f, 0);
    add_channel(&f, HAND, SN_PATH_TRANSLATION, moves);
    f.channels[0].interpolation = SN_KEYS_STEP;
    f.channels[0].times = steps;
    f.clip.seconds = (double)steps[2];
    assert_int_equal(sn_character_build(&f.scene, "test", &f.arena, &c), SN_OK);
    assert_int_equal(c.clips[0].frame_count, 47);
    assert_true(fabs(c.clips[0].transforms[12 * (41 * 2 + 1) + 3]) < 1e-9);
    assert_true(fabs(c.clips[0].transforms[12 * (42 * 2 + 1) + 3] - 1) < 1e-9);
    assert_true(fabs(c.clips[0].transforms[12 * (46 * 2 + 1) + 7] - 1) < 1e-9);
    sn_arena_finish(&f.arena);
}

/* Of a VRM whose meshes hang on its bones unskinned, motions need hips, legs and arms; but not of one that lacks some,
 * nor where one bone has all meshes. */
static void test_a_puppet(void **state)
{
    (void)state;
    enum { NODES = 15 };
    static const char *const bones[NODES] = {"hips",         "spine",         "leftUpperLeg",     "leftLowerLeg",
                                             "leftFoot",     "rightUpperLeg", "rightLowerLeg",    "rightFoot",
                                             "leftUpperArm", "leftLowerArm",  "rightUpperArm",    "rightLowerArm",
                                             "rightHand",    "head",          "leftIndexProximal"};
    static const int32_t parents[NODES] = {-1, 0, 0, 2, 3, 0, 5, 6, 1, 8, 1, 10, 11, 1, 9};
    static const struct {
        int mesh_nodes[2], humanoid_count, bone_count;
    } cases[] = {{{13, 3}, NODES, 13}, {{13, 3}, 11, 2}, {{13, 13}, NODES, 1}, {{13, 14}, NODES, 14}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_scene_node nodes[NODES];
        sn_scene_humanoid_bone humanoid[NODES];
        fixture f;
        sn_character c;
        open_fixture(&f, 0);
        for (int32_t n = 0; n < NODES; ++n) {
            nodes[n] = f.nodes[HIP];
            nodes[n].name = bones[n];
            nodes[n].parent = parents[n];
            humanoid[n] = (sn_scene_humanoid_bone){bones[n], n};
        }
        nodes[cases[i].mesh_nodes[0]].mesh = 0;
        nodes[cases[i].mesh_nodes[1]].mesh = 0;
        f.scene.nodes = nodes;
        f.scene.node_count = NODES;
        f.scene.skin_count = f.scene.clip_count = 0;
        f.scene.humanoid_bones = humanoid;
        f.scene.humanoid_bone_count = cases[i].humanoid_count;
        assert_int_equal(sn_character_build(&f.scene, "test", &f.arena, &c), SN_OK);
        assert_int_equal(c.bone_count, cases[i].bone_count);
        for (int32_t b = 0; b < c.bone_count && c.bone_count > 1; ++b) {
            assert_string_not_equal(c.bone_names[b], "rightHand");
        }
        sn_arena_finish(&f.arena);
    }
}

int test_character_bones(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_moves_on_a_bone),
        cmocka_unit_test(test_what_moves_beside_the_skeleton),
        cmocka_unit_test(test_meshes_that_do_not_move_apart),
        cmocka_unit_test(test_what_rests_shrunk),
        cmocka_unit_test(test_what_rests_flat),
        cmocka_unit_test(test_what_is_shrunk_for_good),
        cmocka_unit_test(test_a_joint_without_a_matrix),
        cmocka_unit_test(test_two_binds_of_one_joint),
        cmocka_unit_test(test_a_step_at_a_frame),
        cmocka_unit_test(test_a_puppet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
