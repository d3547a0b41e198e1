/* SPDX-License-Identifier: MIT */
/* VRMC_node_constraint: what is read, and how bones turn with others. */
#include <math.h>
#include <string.h>

#include "author/import/bone_constraints.h"
#include "host/math/affine.h"
#include "host/math/quaternion.h"
#include "tests/io/gltf_test.h"

#define NODE(constraint) "{'extensions':{'VRMC_node_constraint':{'specVersion':'1.0','constraint':{" constraint "}}}}"

static void constraints_are_read(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file s;
    bytes file = {0};
    put_quoted(&file, "{'asset':{'version':'2.0'},'nodes':[{}," NODE("'roll':{'source':0,'rollAxis':'Y'}") "," NODE(
                          "'aim':{'source':0,'aimAxis':'NegativeZ','weight':0.25}") "," NODE("'rotation':{'source':1,'"
                                                                                             "weight':1}") "]}");
    read_bytes(&file, &arena, &s);
    assert_int_equal(logged.warnings, 0);
    assert_int_equal(s.constraint_count, 3);
    const sn_scene_constraint *c = s.constraints;
    assert_true(c[0].node == 1 && c[0].source == 0 && c[0].type == SN_CONSTRAINT_ROLL && c[0].axis == 1);
    assert_true(c[0].weight == 1);
    assert_true(c[1].type == SN_CONSTRAINT_AIM && c[1].axis == 5 && c[1].weight == 0.25);
    assert_true(c[2].node == 3 && c[2].source == 1 && c[2].type == SN_CONSTRAINT_ROTATION);
    sn_arena_finish(&arena);
}

/* The file is read without them. */
static void invalid_constraints_are_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *node, *message;
    } cases[] = {{NODE("'roll':{'source':0,'rollAxis':'W'}"), "'W' is no axis"},
                 {NODE("'roll':{'source':0}"), "'' is no axis"},
                 {NODE("'aim':{'rollAxis':'X','aimAxis':'PositiveX'}"), "it has no source"},
                 {NODE("'rotation':{'source':1}"), "it has no source, or itself"},
                 {NODE("'rotation':{'source':7}"), "7"},
                 {NODE("'rotation':{'source':0,'weight':1.5}"), "its weight is 1.5"},
                 {NODE("'rotation':{'source':0,'weight':'a'}"), "weight"},
                 {NODE("'twist':{}"), "has no roll, aim or rotation"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_arena arena = {0};
        sn_scene_file s;
        bytes file = {0};
        put_quoted(&file, "{'asset':{'version':'2.0'},'nodes':[{},");
        put_quoted(&file, cases[i].node);
        put_quoted(&file, "]}");
        read_bytes(&file, &arena, &s);
        assert_int_equal(s.constraint_count, 0);
        assert_int_equal(logged.warnings, 1);
        assert_non_null(strstr(logged.last, cases[i].message));
        assert_non_null(strstr(logged.last, "the constraint is ignored"));
        sn_arena_finish(&arena);
    }
}

/* ---- an arm: 0 upper arm, 1 lower arm, 2 twist, 3 hand, 4 on the twist ---- */

enum { BONES = 5 };
static const int32_t parents[BONES] = {-1, 0, 1, 1, 2};

static void set_rotation(double x, double y, double z, double degrees, double *q)
{
    const double half = degrees * 0.00872664625997164788, length = sqrt(x * x + y * y + z * z);
    const double values[4] = {sin(half) * x / length, sin(half) * y / length, sin(half) * z / length, cos(half)};
    memcpy(q, values, sizeof values);
}

typedef struct arm {
    sn_arena arena;
    sn_scene_node nodes[BONES];
    sn_bone bones[BONES];
    int32_t node_bones[BONES], bone_parents[BONES];
    double bind[12 * BONES], transforms[12 * BONES];
    sn_scene_file scene;
    sn_scene_pose pose;
    sn_character character;
} arm;

/* Local rotations at rest, and in the pose that `transforms` then has. */
static void make_arm(arm *a, const double rest[BONES][4], const double posed[BONES][4],
                     const sn_scene_constraint *constraints, int count)
{
    *a = (arm){0};
    for (int b = 0; b < BONES; ++b) {
        sn_scene_node *n = &a->nodes[b];
        double matrix[9];
        n->parent = parents[b];
        n->mesh = n->skin = -1;
        n->translation[0] = b == 0 ? 0 : 0.3;
        memcpy(n->rotation, rest[b], sizeof n->rotation);
        n->scale[0] = n->scale[1] = n->scale[2] = 1;
        sn_quaternion_to_matrix(rest[b], matrix);
        for (int k = 0; k < 3; ++k) {
            memcpy(n->local + 4 * k, matrix + 3 * k, 3 * sizeof *matrix);
            n->local[4 * k + 3] = n->translation[k];
        }
        a->bones[b].node = a->node_bones[b] = b;
        a->bone_parents[b] = parents[b];
    }
    a->scene = (sn_scene_file){.node_count = BONES,
                               .nodes = a->nodes,
                               .constraint_count = count,
                               .constraints = (sn_scene_constraint *)constraints};
    assert_int_equal(sn_scene_pose_init(&a->scene, &a->arena, &a->pose), SN_OK);
    for (int b = 0; b < BONES; ++b) {
        memcpy(a->bones[b].bind, a->pose.world + 12 * b, sizeof a->bones[b].bind);
        memcpy(a->bind + 12 * b, a->pose.world + 12 * b, sizeof a->bones[b].bind);
    }
    a->character = (sn_character){.bone_count = BONES, .bone_parents = a->bone_parents, .bone_bind = a->bind};
    const sn_bone_list list = {
        .scene = &a->scene, .pose = &a->pose, .bones = a->bones, .count = BONES, .node_bones = a->node_bones};
    assert_int_equal(sn_bone_constraints_build(&a->scene, &a->pose, &list, &a->arena, &a->character), SN_OK);
    for (int b = 0; b < BONES; ++b) {
        double *parts = a->pose.parts + 10 * b;
        memcpy(parts, a->nodes[b].translation, 3 * sizeof(double));
        memcpy(parts + 3, posed[b], 4 * sizeof(double));
        memcpy(parts + 7, a->nodes[b].scale, 3 * sizeof(double));
    }
    sn_scene_pose_update_world(&a->pose);
    for (int b = 0; b < BONES; ++b) {
        double inverse[12];
        assert_true(sn_affine_invert(a->bind + 12 * b, inverse));
        sn_affine_multiply(a->pose.world + 12 * b, inverse, a->transforms + 12 * b);
    }
}

/* A bone's world transform. */
static void world_of(const arm *a, int bone, double *world)
{
    sn_affine_multiply(a->transforms + 12 * bone, a->bind + 12 * bone, world);
}

static void local_of(const arm *a, int bone, double *rotation)
{
    double parent[12], world[12], inverse[12], local[12], matrix[9];
    world_of(a, bone, world);
    world_of(a, parents[bone], parent);
    assert_true(sn_affine_invert(parent, inverse));
    sn_affine_multiply(inverse, world, local);
    for (int k = 0; k < 9; ++k) {
        matrix[k] = local[4 * (k / 3) + k % 3];
    }
    sn_quaternion_from_matrix(matrix, rotation);
}

static double angle_between(const double *a, const double *b)
{
    double inverse[4], turn[4];
    sn_quaternion_conjugate(a, inverse);
    sn_quaternion_multiply(inverse, b, turn);
    return 2 * atan2(sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]), fabs(turn[3])) *
           57.29577951308232;
}

static void make_rest(double rest[BONES][4])
{
    set_rotation(0.3, 1, -0.5, 70, rest[0]);
    set_rotation(1, 0.2, 0.1, -35, rest[1]);
    set_rotation(0, 0, 1, 0, rest[2]);
    set_rotation(0, 1, 1, 0, rest[3]);
    set_rotation(0, 1, 1, 20, rest[4]);
}

/* Half of the hand's twist, none of its bend; what the bone carries follows rigidly. */
static void a_forearm_twists_with_the_hand(void **state)
{
    (void)state;
    const sn_scene_constraint roll = {.node = 2, .source = 3, .type = SN_CONSTRAINT_ROLL, .axis = 0, .weight = 0.5};
    double rest[BONES][4], posed[BONES][4], twist[4], bend[4], expected[4], found[4], before[12], after[12];
    arm a;
    make_rest(rest);
    for (int bent = 0; bent < 2; ++bent) {
        memcpy(posed, rest, sizeof posed);
        set_rotation(1, 1, 1, 50, posed[0]);
        set_rotation(1, 0, 0, 80, twist);
        set_rotation(0, 1, 0.4, bent ? 40 : 0, bend);
        sn_quaternion_multiply(bend, twist, posed[3]);
        make_arm(&a, rest, posed, &roll, 1);
        double carried[12], inverse[12];
        world_of(&a, 2, before);
        world_of(&a, 4, carried);
        assert_true(sn_affine_invert(before, inverse));
        sn_affine_multiply(inverse, carried, before);
        sn_bone_constraints_apply(&a.character, a.transforms);
        local_of(&a, 2, found);
        set_rotation(1, 0, 0, 40, expected);
        assert_true(angle_between(found, expected) < 1e-6);
        world_of(&a, 2, after);
        world_of(&a, 4, carried);
        assert_true(sn_affine_invert(after, inverse));
        sn_affine_multiply(inverse, carried, after);
        for (int k = 0; k < 12; ++k) {
            assert_true(fabs(before[k] - after[k]) < 1e-9);
        }
        local_of(&a, 3, found); /* the hand itself stays */
        assert_true(angle_between(found, posed[3]) < 1e-6);
        sn_arena_finish(&a.arena);
    }
}

static void a_bone_turns_as_another(void **state)
{
    (void)state;
    const sn_scene_constraint turn = {.node = 2, .source = 3, .type = SN_CONSTRAINT_ROTATION, .weight = 1};
    double rest[BONES][4], posed[BONES][4], delta[4], expected[4], found[4];
    arm a;
    make_rest(rest);
    set_rotation(0, 0.5, 1, 25, rest[2]);
    set_rotation(1, 0.5, 1, -65, rest[3]);
    memcpy(posed, rest, sizeof posed);
    set_rotation(0.2, 1, 0.6, 100, delta);
    sn_quaternion_multiply(rest[3], delta, posed[3]);
    sn_quaternion_multiply(rest[2], delta, expected);
    make_arm(&a, rest, posed, &turn, 1);
    sn_bone_constraints_apply(&a.character, a.transforms);
    local_of(&a, 2, found);
    assert_true(angle_between(found, expected) < 1e-6);
    sn_arena_finish(&a.arena);
}

static void a_bone_points_at_another(void **state)
{
    (void)state;
    const sn_scene_constraint aim = {.node = 4, .source = 3, .type = SN_CONSTRAINT_AIM, .axis = 4, .weight = 1};
    double rest[BONES][4], posed[BONES][4], world[12], target[12], line[3], product = 0, length = 0;
    arm a;
    make_rest(rest);
    memcpy(posed, rest, sizeof posed);
    set_rotation(0, 0, 1, 60, posed[2]);
    make_arm(&a, rest, posed, &aim, 1);
    sn_bone_constraints_apply(&a.character, a.transforms);
    world_of(&a, 4, world);
    world_of(&a, 3, target);
    for (int d = 0; d < 3; ++d) {
        line[d] = target[4 * d + 3] - world[4 * d + 3];
        product -= line[d] * world[4 * d + 1]; /* -y */
        length += line[d] * line[d];
    }
    assert_true(fabs(product / sqrt(length) - 1) < 1e-9);
    sn_arena_finish(&a.arena);
}

/* 4 follows 2, which follows 3; the file has them the other way round. Two that follow each other are left out. */
static void dependencies_come_first(void **state)
{
    (void)state;
    const sn_scene_constraint list[] = {
        {.node = 4, .source = 2, .type = SN_CONSTRAINT_ROTATION, .weight = 1},
        {.node = 2, .source = 3, .type = SN_CONSTRAINT_ROTATION, .weight = 1},
        {.node = 3, .source = 2, .type = SN_CONSTRAINT_ROTATION, .weight = 1},
    };
    double rest[BONES][4], posed[BONES][4], found[4];
    arm a;
    for (int b = 0; b < BONES; ++b) {
        set_rotation(1, 0, 0, 0, rest[b]);
    }
    memcpy(posed, rest, sizeof posed);
    set_rotation(1, 2, 3, 44, posed[3]);
    make_arm(&a, rest, posed, list, 2);
    assert_int_equal(a.character.constraint_count, 2);
    sn_bone_constraints_apply(&a.character, a.transforms);
    for (int b = 2; b < BONES; ++b) {
        local_of(&a, b, found);
        assert_true(angle_between(found, posed[3]) < 1e-6);
    }
    sn_arena_finish(&a.arena);
    make_arm(&a, rest, posed, list + 1, 2);
    assert_int_equal(a.character.constraint_count, 0);
    sn_arena_finish(&a.arena);
}

int test_vrm_constraints(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraints_are_read),           cmocka_unit_test(invalid_constraints_are_left_out),
        cmocka_unit_test(a_forearm_twists_with_the_hand), cmocka_unit_test(a_bone_turns_as_another),
        cmocka_unit_test(a_bone_points_at_another),       cmocka_unit_test(dependencies_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
