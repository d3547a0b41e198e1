/* SPDX-License-Identifier: MIT */
/* A scene as one character: bones, bind pose, clips, rigid parts. The scene is made here: a body on two joints whose
 * rest pose is not its bind pose, an eye, two swords in a hand, a mirrored node. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/import/character.h"
#include "author/import/rigid_parts.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

enum { ROOT, HIP, HAND, EYE, BODY, SWORD, AXE, MIRROR, NODE_COUNT };

typedef struct fixture {
    sn_scene_file scene;
    sn_scene_node nodes[NODE_COUNT];
    sn_scene_mesh meshes[4];
    sn_scene_primitive primitives[4];
    sn_scene_skin skin;
    int32_t joints[3];
    double inverse_bind[36];
    sn_scene_clip clip;
    sn_scene_channel channels[2];
    sn_arena arena;
} fixture;

static const float box_corners[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                        {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const int32_t box_triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                          2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

/* Boxes around centres; box i is bound to joints[i], or half and half to two where it is -1. */
static sn_scene_primitive make_boxes(sn_arena *arena, const float (*centers)[3], const float *sizes, int count,
                                     const int32_t *joints)
{
    sn_scene_primitive p = {.vertex_count = 8 * count, .triangle_count = 12 * count, .material = -1};
    p.positions = SN_NEW(arena, float, 24 * count);
    p.triangles = SN_NEW(arena, int32_t, 36 * count);
    p.joints = SN_NEW(arena, int32_t, 32 * count);
    p.weights = SN_NEW(arena, float, 32 * count);
    p.influence_count = joints ? 4 : 0;
    for (int v = 0; v < 8 * count; ++v) {
        for (int d = 0; d < 3; ++d) {
            p.positions[3 * v + d] = centers[v / 8][d] + sizes[v / 8] * box_corners[v % 8][d];
        }
        const int32_t joint = joints ? joints[v / 8] : 0;
        p.joints[4 * v] = joint < 0 ? 0 : joint;
        p.joints[4 * v + 1] = 1;
        p.weights[4 * v] = joint < 0 ? 0.5F : 1;
        p.weights[4 * v + 1] = joint < 0 ? 0.5F : 0;
    }
    for (int i = 0; i < 36 * count; ++i) {
        p.triangles[i] = 8 * (i / 36) + box_triangles[i % 36];
    }
    return p;
}

static void set_node(fixture *f, int node, const char *name, int parent, double x, double y, double z)
{
    sn_scene_node *n = &f->nodes[node];
    *n = (sn_scene_node){.name = name,
                         .parent = parent,
                         .mesh = -1,
                         .skin = -1,
                         .translation = {x, y, z},
                         .rotation = {0, 0, 0, 1},
                         .scale = {1, 1, 1},
                         .is_in_scene = true};
    sn_affine_identity(n->local);
    n->local[3] = x;
    n->local[7] = y;
    n->local[11] = z;
}

static void open_fixture(fixture *f)
{
    *f = (fixture){.scene = {.node_count = 0}};
    set_node(f, ROOT, "root", -1, 10, 0, 0);
    set_node(f, HIP, "hip", ROOT, 0, 1, 0);
    set_node(f, HAND, "hand", HIP, 3, 0, 0); /* it binds at 2 */
    set_node(f, EYE, "LeftEye", HIP, 0, 1, 0);
    set_node(f, BODY, "Body", -1, 0, 0, 0);
    set_node(f, SWORD, "Sword", HAND, 0, 0.5, 0);
    set_node(f, AXE, "Axe", HAND, 0, 0.6, 0);
    set_node(f, MIRROR, "Charm", HAND, 0, -3, 0);
    f->nodes[MIRROR].scale[0] = f->nodes[MIRROR].local[0] = -1;
    const float body[5][3] = {{0, 1, 0}, {2, 1, 0}, {0, 2, 1}, {2, 2, 0}, {2, 0, 0}}, at[1][3] = {{0, 0, 0}};
    const float sizes[5] = {0.8F, 0.5F, 0.3F, 0.1F, 0.1F};
    const float small = 0.2F;
    const int32_t of_box[5] = {-1, 1, 2, 1, 1};
    f->primitives[0] = make_boxes(&f->arena, body, sizes, 5, of_box);
    f->primitives[0].triangle_count -= 2; /* the last box is open */
    f->primitives[1] = f->primitives[2] = f->primitives[3] = make_boxes(&f->arena, at, &small, 1, NULL);
    for (int i = 0; i < 4; ++i) {
        f->meshes[i] = (sn_scene_mesh){.name = "mesh", .first_primitive = i, .primitive_count = 1};
    }
    const int drawn[4] = {BODY, SWORD, AXE, MIRROR};
    for (int i = 0; i < 4; ++i) {
        f->nodes[drawn[i]].mesh = i;
    }
    f->nodes[BODY].skin = 0;
    const double bind[3][3] = {{0, 1, 0}, {2, 1, 0}, {0, 2, 1}};
    for (int j = 0; j < 3; ++j) {
        f->joints[j] = HIP + j;
        sn_affine_identity(f->inverse_bind + 12 * j);
        for (int d = 0; d < 3; ++d) {
            f->inverse_bind[12 * j + 4 * d + 3] = -bind[j][d];
        }
    }
    f->skin = (sn_scene_skin){3, f->joints, f->inverse_bind};
    static float times[2] = {0.5F, 1.5F}, moves[6] = {3, 0, 0, 3, 2, 0}, turns[8] = {0, 0, 0, 1, 0, 0, 1, 0};
    f->channels[0] = (sn_scene_channel){HAND, SN_PATH_TRANSLATION, SN_KEYS_LINEAR, 2, 3, times, moves};
    f->channels[1] = (sn_scene_channel){ROOT, SN_PATH_ROTATION, SN_KEYS_STEP, 2, 4, times, turns};
    f->clip = (sn_scene_clip){"wave", 0, 2, 1.5};
    f->scene = (sn_scene_file){.node_count = NODE_COUNT,
                               .mesh_count = 4,
                               .primitive_count = 4,
                               .skin_count = 1,
                               .clip_count = 1,
                               .channel_count = 2,
                               .nodes = f->nodes,
                               .meshes = f->meshes,
                               .primitives = f->primitives,
                               .skins = &f->skin,
                               .clips = &f->clip,
                               .channels = f->channels};
}

static void build(fixture *f, sn_character *character)
{
    assert_int_equal(sn_character_build(&f->scene, "test", &f->arena, character), SN_OK);
}

static void expect_point(const double *point, double x, double y, double z)
{
    const double expected[3] = {x, y, z};
    assert_true(sn_distance3(point, expected) < 1e-6);
}

static void test_bind_pose(void **state)
{
    (void)state;
    fixture f;
    sn_character c;
    open_fixture(&f);
    build(&f, &c);
    assert_int_equal(c.bone_count, 3);
    assert_string_equal(c.bone_names[1], "hand");
    assert_int_equal(c.bone_parents[1], 0);
    assert_int_equal(c.bone_parents[0], -1);
    /* the topmost joint rests where it binds, which moves the skin by 10 along x; the hand binds at 2, not at its 3 */
    expect_point((double[]){c.bone_bind[3], c.bone_bind[7], c.bone_bind[11]}, 10, 1, 0);
    expect_point((double[]){c.bone_bind[15], c.bone_bind[19], c.bone_bind[23]}, 12, 1, 0);
    expect_point(c.positions, 9.2, 0.2, -0.8);
    /* the sword goes with the bind pose's hand */
    const sn_character_part *sword = &c.parts[1];
    assert_string_equal(sword->name, "Sword");
    assert_int_equal(sword->only_bone, 1);
    assert_false(sword->is_skinned);
    expect_point(c.positions + 3 * sword->first_vertex, 11.8, 1.3, -0.2);
    sn_arena_finish(&f.arena);
}

/* Whatever the bind pose: vertex = sum w world inverse_bind x, as glTF says. */
static void test_clip_moves_vertices_as_gltf_says(void **state)
{
    (void)state;
    fixture f;
    sn_character c;
    sn_scene_pose pose;
    open_fixture(&f);
    build(&f, &c);
    assert_int_equal(sn_scene_pose_init(&f.scene, &f.arena, &pose), SN_OK);
    assert_int_equal(c.clips[0].frame_count, 91);
    for (int frame = 0; frame < 91; frame += 9) {
        sn_scene_pose_clip(&pose, 0, frame / 60.0);
        const double *transforms = c.clips[0].transforms + (size_t)frame * 36;
        for (int v = 0; v < 24; ++v) {
            double expected[3] = {0}, skinned[3] = {0}, m[12], moved[3];
            const float *x = f.primitives[0].positions + 3 * v;
            int corner = 0; /* vertices are in the order of their first use */
            while (sn_distance3(c.positions + 3 * corner, (double[]){(double)x[0] + 10, (double)x[1], (double)x[2]}) >
                   1e-6) {
                ++corner;
            }
            for (int i = 0; i < 4; ++i) {
                const int joint = f.primitives[0].joints[4 * v + i];
                sn_affine_multiply(pose.world + 12 * f.joints[joint], f.inverse_bind + 12 * joint, m);
                sn_affine_apply(m, (double[]){(double)x[0], (double)x[1], (double)x[2]}, moved);
                for (int d = 0; d < 3; ++d) {
                    expected[d] += (double)f.primitives[0].weights[4 * v + i] * moved[d];
                }
            }
            for (int32_t i = c.influence_starts[corner]; i < c.influence_starts[corner + 1]; ++i) {
                sn_affine_apply(transforms + 12 * c.influence_bones[i], c.positions + 3 * corner, moved);
                for (int d = 0; d < 3; ++d) {
                    skinned[d] += c.influence_weights[i] * moved[d];
                }
            }
            assert_true(sn_distance3(expected, skinned) < 1e-9);
        }
    }
    /* linear between its keys; a step holds until the next */
    sn_scene_pose_clip(&pose, 0, 1.0);
    expect_point((double[]){pose.world[12 * HAND + 3], pose.world[12 * HAND + 7], pose.world[12 * HAND + 11]}, 13, 2,
                 0);
    sn_scene_pose_clip(&pose, 0, 1.6); /* half a turn about z */
    expect_point((double[]){pose.world[12 * HAND + 3], pose.world[12 * HAND + 7], pose.world[12 * HAND + 11]}, 7, -3,
                 0);
    sn_arena_finish(&f.arena);
}

static double signed_volume(const sn_character *c, const sn_character_part *part)
{
    double volume = 0;
    for (int t = part->first_triangle; t < part->first_triangle + part->triangle_count; ++t) {
        const int32_t *v = c->triangles + 3 * t;
        double normal[3];
        sn_cross3(c->positions + 3 * v[1], c->positions + 3 * v[2], normal);
        volume += sn_dot3(c->positions + 3 * v[0], normal) / 6;
    }
    return volume;
}

/* Without clips the pose that the nodes rest in is one, unless it is the bind pose. */
static void test_rest_pose_without_clips(void **state)
{
    (void)state;
    for (int rests_bound = 0; rests_bound < 2; ++rests_bound) {
        fixture f;
        sn_character c;
        open_fixture(&f);
        f.scene.clip_count = 0;
        f.nodes[HAND].translation[0] = f.nodes[HAND].local[3] = rests_bound ? 2.0005 : 3;
        f.nodes[EYE].translation[2] = f.nodes[EYE].local[11] = rests_bound;
        build(&f, &c);
        assert_int_equal(c.clip_count, rests_bound ? 0 : 1);
        if (!rests_bound) {
            assert_string_equal(c.clips[0].name, "pose");
            assert_int_equal(c.clips[0].frame_count, 1);
            double moved[3];
            for (int bone = 0; bone < 3; ++bone) { /* the hand and the eye are off by 1 */
                sn_affine_apply(c.clips[0].transforms + 12 * bone, (double[]){1, 2, 3}, moved);
                expect_point(moved, bone == 1 ? 2 : 1, 2, bone == 2 ? 2 : 3);
            }
        }
        sn_arena_finish(&f.arena);
    }
}

static void test_mirrored_node_stays_outside_out(void **state)
{
    (void)state;
    fixture f;
    sn_character c;
    open_fixture(&f);
    build(&f, &c);
    for (int p = 1; p < 4; ++p) {
        assert_true(fabs(signed_volume(&c, &c.parts[p]) - 0.064) < 1e-6);
    }
    for (int v = 0; v < c.vertex_count; ++v) {
        assert_true(fabs(sn_length3(c.normals + 3 * v) - 1) < 1e-9);
    }
    sn_arena_finish(&f.arena);
}

static void test_rigid_parts(void **state)
{
    (void)state;
    fixture f;
    sn_character c;
    sn_sidecar sidecar = {.mode_count = 0};
    open_fixture(&f);
    build(&f, &c);
    assert_int_equal(sn_character_find_rigid_parts(&c, &sidecar), SN_OK);
    assert_int_equal(c.parts[0].piece_count, 5);
    assert_int_equal(c.parts[0].rigid_piece_count, 2);         /* the eye, and the small closed box */
    assert_true(c.parts[1].is_hidden && c.parts[2].is_hidden); /* two at one hand */
    assert_true(!c.parts[3].is_hidden && c.parts[3].rigid_piece_count == 1);
    const char *axe[] = {"Axe"}, *body[] = {"Body"}, *charm[] = {"Charm"};
    sidecar.show = (sn_name_list){axe, 1};
    sidecar.rigid = (sn_name_list){body, 1};
    sidecar.soft = (sn_name_list){charm, 1};
    build(&f, &c);
    assert_int_equal(sn_character_find_rigid_parts(&c, &sidecar), SN_OK);
    assert_true(c.parts[1].is_hidden && !c.parts[2].is_hidden);
    assert_int_equal(c.parts[0].rigid_piece_count, 5);
    assert_int_equal(c.parts[3].rigid_piece_count, 0);
    sn_arena_finish(&f.arena);
}

/* Things that overlap are alternatives at a hand, or at a bone at the end of its chain that moves no skin and is no
 * head; elsewhere they are a head's hair and eyes. */
static void test_what_is_an_alternative(void **state)
{
    (void)state;
    static const struct {
        const char *bone;
        bool moves_skin, is_hidden;
    } cases[] = {{"RightHand", true, true},   {"Bone.7", true, false},   {"Head", true, false},
                 {"Bone.7", false, true},     {"handslot", false, true}, {"mixamorig:Head", false, false},
                 {"weapon_r.001", true, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        fixture f;
        sn_character c;
        const sn_sidecar sidecar = {.mode_count = 0};
        open_fixture(&f);
        f.nodes[HAND].name = cases[i].bone;
        for (int k = 0; k < 4 * f.primitives[0].vertex_count && !cases[i].moves_skin; ++k) {
            f.primitives[0].joints[k] = f.primitives[0].joints[k] == 1 ? 0 : f.primitives[0].joints[k];
        }
        build(&f, &c);
        assert_int_equal(sn_character_find_rigid_parts(&c, &sidecar), SN_OK);
        assert_int_equal(c.parts[1].is_hidden, cases[i].is_hidden);
        assert_int_equal(c.parts[2].is_hidden, cases[i].is_hidden);
        sn_arena_finish(&f.arena);
    }
}

/* A sky around it does not make a character's boxes small. */
static void test_scenery_says_nothing_of_size(void **state)
{
    (void)state;
    fixture f;
    sn_character c;
    const sn_sidecar sidecar = {.mode_count = 0};
    open_fixture(&f);
    f.nodes[MIRROR].parent = -1;
    for (int d = 0; d < 3; ++d) {
        f.nodes[MIRROR].scale[d] = f.nodes[MIRROR].local[5 * d] = 1000;
    }
    build(&f, &c);
    assert_int_equal(sn_character_find_rigid_parts(&c, &sidecar), SN_OK);
    assert_int_equal(c.parts[0].piece_count, 5);
    assert_int_equal(c.parts[0].rigid_piece_count, 2);
    assert_true(!c.parts[3].is_hidden && c.parts[3].rigid_piece_count == 1);
    sn_arena_finish(&f.arena);
}

/* What the hand alone moves, two boxes more, is in the axe, once that is drawn and large; not in one that is flesh. */
static void test_what_hangs_on_a_bone_covers_it(void **state)
{
    (void)state;
    const char *axe[] = {"Axe"};
    for (int soft = 0; soft < 2; ++soft) {
        fixture f;
        sn_character c;
        const sn_sidecar sidecar = {.show = {axe, 1}, .soft = {axe, soft}};
        open_fixture(&f);
        for (int d = 0; d < 3; ++d) {
            f.nodes[AXE].scale[d] = f.nodes[AXE].local[5 * d] = 10;
        }
        build(&f, &c);
        assert_int_equal(sn_character_find_rigid_parts(&c, &sidecar), SN_OK);
        assert_int_equal(c.parts[0].rigid_piece_count, soft ? 2 : 4);
        assert_int_equal(c.parts[2].rigid_piece_count, soft ? 0 : 1);
        sn_arena_finish(&f.arena);
    }
}

/* Sword and axe, both drawn, have the same upper half of a box in theirs: that is no more than half of it. */
static void test_what_two_things_cover_counts_once(void **state)
{
    (void)state;
    const char *shown[] = {"Sword", "Axe"};
    const int nodes[2] = {SWORD, AXE};
    fixture f;
    sn_character c;
    const sn_sidecar sidecar = {.show = {shown, 2}};
    open_fixture(&f);
    for (int i = 0; i < 6; ++i) {
        sn_scene_node *node = &f.nodes[nodes[i / 3]];
        node->scale[i % 3] = node->local[5 * (i % 3)] = 3;
    }
    build(&f, &c);
    assert_int_equal(sn_character_find_rigid_parts(&c, &sidecar), SN_OK);
    assert_true(!c.parts[1].is_hidden && !c.parts[2].is_hidden);
    assert_int_equal(c.parts[0].rigid_piece_count, 2);
    sn_arena_finish(&f.arena);
}

/* Without a skin: one handle; with clips that move meshes apart: a bone each; nothing is rigid. */
static void test_without_skin(void **state)
{
    (void)state;
    fixture f;
    sn_character c;
    const sn_sidecar sidecar = {.mode_count = 0};
    open_fixture(&f);
    f.scene.skin_count = f.scene.clip_count = f.scene.channel_count = 0;
    f.nodes[BODY].skin = -1;
    build(&f, &c);
    assert_int_equal(c.bone_count, 1);
    assert_int_equal(sn_character_find_rigid_parts(&c, &sidecar), SN_OK);
    for (int p = 0; p < c.part_count; ++p) {
        assert_true(c.parts[p].rigid_piece_count == 0 && !c.parts[p].is_hidden);
    }
    f.scene.clip_count = 1;
    f.scene.channel_count = 2;
    build(&f, &c);
    assert_int_equal(c.bone_count, 4);
    sn_arena_finish(&f.arena);
}

static void test_nothing_to_draw(void **state)
{
    (void)state;
    fixture f;
    sn_character c;
    open_fixture(&f);
    for (int node = 0; node < NODE_COUNT; ++node) {
        f.nodes[node].is_in_scene = false;
    }
    assert_int_equal(sn_character_build(&f.scene, "test", &f.arena, &c), SN_ERROR_FORMAT);
    sn_arena_finish(&f.arena);
}

/* Small files that ask for much: refused before memory or time goes. */
static void test_limits(void **state)
{
    (void)state;
    enum { CHAIN = 5000 };
    fixture f;
    sn_character c;
    open_fixture(&f);
    sn_scene_node *chain = SN_NEW(&f.arena, sn_scene_node, CHAIN);
    for (int i = 0; i < CHAIN; ++i) {
        chain[i] = f.nodes[AXE];
        chain[i].parent = i - 1;
    }
    const sn_scene_file deep = {.node_count = CHAIN,
                                .mesh_count = 4,
                                .primitive_count = 4,
                                .nodes = chain,
                                .meshes = f.meshes,
                                .primitives = f.primitives};
    assert_int_equal(sn_character_build(&deep, "deep", &f.arena, &c), SN_ERROR_UNSUPPORTED);
    f.clip.seconds = 3000; /* 180001 frames of 130 bones are 2.09 GiB */
    sn_scene_file apart = f.scene;
    apart.skin_count = 0;
    apart.nodes = chain;
    for (int i = 0; i < CHAIN; ++i) {
        chain[i].parent = -1;
    }
    apart.node_count = 130;
    assert_int_equal(sn_character_build(&apart, "long", &f.arena, &c), SN_ERROR_UNSUPPORTED);
    f.clip.seconds = 1;
    assert_int_equal(sn_character_build(&apart, "short", &f.arena, &c), SN_OK);
    assert_int_equal(c.bone_count, 130);
    apart.node_count = CHAIN;
    assert_int_equal(sn_character_build(&apart, "many bones", &f.arena, &c), SN_ERROR_UNSUPPORTED);
    f.skin.joint_count = 1025;
    assert_int_equal(sn_character_build(&f.scene, "many joints", &f.arena, &c), SN_ERROR_UNSUPPORTED);
    sn_arena_finish(&f.arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* A plane without a normal has no place, but its bone: a cook tells of it. */
static void test_colliders(void **state)
{
    (void)state;
    fixture f;
    sn_character c;
    open_fixture(&f);
    sn_spring_collider colliders[] = {{.node = HAND, .shape = SN_COLLIDER_PLANE},
                                      {.node = HAND, .shape = SN_COLLIDER_PLANE, .normal = {0, 2, 0}},
                                      {.node = HIP, .shape = SN_COLLIDER_SPHERE, .radius = 0.5}};
    f.scene.colliders = colliders;
    f.scene.collider_count = 3;
    assert_int_equal(sn_character_build(&f.scene, "colliders", &f.arena, &c), SN_OK);
    assert_int_equal(c.collider_count, 3);
    assert_true(c.colliders[0].is_flat && !c.colliders[1].is_flat && !c.colliders[2].is_flat);
    assert_true(c.colliders[0].bone >= 0 && c.colliders[0].bone == c.colliders[1].bone);
    assert_true(c.colliders[2].bone >= 0 && c.colliders[2].bone != c.colliders[0].bone);
    sn_arena_finish(&f.arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_character(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bind_pose),
        cmocka_unit_test(test_clip_moves_vertices_as_gltf_says),
        cmocka_unit_test(test_rest_pose_without_clips),
        cmocka_unit_test(test_mirrored_node_stays_outside_out),
        cmocka_unit_test(test_rigid_parts),
        cmocka_unit_test(test_what_is_an_alternative),
        cmocka_unit_test(test_scenery_says_nothing_of_size),
        cmocka_unit_test(test_what_hangs_on_a_bone_covers_it),
        cmocka_unit_test(test_what_two_things_cover_counts_once),
        cmocka_unit_test(test_without_skin),
        cmocka_unit_test(test_nothing_to_draw),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_colliders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
