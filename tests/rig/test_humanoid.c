/* SPDX-License-Identifier: MIT */
/* Which bones joints are: by the names of several programs, and by the shape alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "author/retarget/humanoid.h"
#include "tests/support/rig_people.h"

/* A body's joints: parents as in the list, places do not matter. An empty name: this program has no such joint. */
#define LIST_SIZE 22
static const int32_t list_parents[LIST_SIZE] = {-1, 0,  1,  2, 3,  4,  3,  6, 7,  8,  3,
                                                10, 11, 12, 0, 14, 15, 16, 0, 18, 19, 20};
static const char *const list_bones[LIST_SIZE] = {"hips",
                                                  NULL,
                                                  NULL,
                                                  NULL,
                                                  "neck",
                                                  "head",
                                                  "leftShoulder",
                                                  "leftUpperArm",
                                                  "leftLowerArm",
                                                  "leftHand",
                                                  "rightShoulder",
                                                  "rightUpperArm",
                                                  "rightLowerArm",
                                                  "rightHand",
                                                  "leftUpperLeg",
                                                  "leftLowerLeg",
                                                  "leftFoot",
                                                  "leftToes",
                                                  "rightUpperLeg",
                                                  "rightLowerLeg",
                                                  "rightFoot",
                                                  "rightToes"};

static const char *const rigs[][LIST_SIZE] = {
    {"mixamorig:Hips",         "mixamorig:Spine",       "mixamorig:Spine1",        "mixamorig:Spine2",
     "mixamorig:Neck",         "mixamorig:Head",        "mixamorig:LeftShoulder",  "mixamorig:LeftArm",
     "mixamorig:LeftForeArm",  "mixamorig:LeftHand",    "mixamorig:RightShoulder", "mixamorig:RightArm",
     "mixamorig:RightForeArm", "mixamorig:RightHand",   "mixamorig:LeftUpLeg",     "mixamorig:LeftLeg",
     "mixamorig:LeftFoot",     "mixamorig:LeftToeBase", "mixamorig:RightUpLeg",    "mixamorig:RightLeg",
     "mixamorig:RightFoot",    "mixamorig:RightToeBase"},
    {"DEF-hips",       "DEF-spine",       "DEF-spine.001", "DEF-chest",  "DEF-neck",       "DEF-head",
     "DEF-shoulder.L", "DEF-upper_arm.L", "DEF-forearm.L", "DEF-hand.L", "DEF-shoulder.R", "DEF-upper_arm.R",
     "DEF-forearm.R",  "DEF-hand.R",      "DEF-thigh.L",   "DEF-shin.L", "DEF-foot.L",     "DEF-toe.L",
     "DEF-thigh.R",    "DEF-shin.R",      "DEF-foot.R",    "DEF-toe.R"},
    {"Hips",         "LowerBack", "Spine",       "Spine1",      "Neck",          "Head",
     "LeftShoulder", "LeftArm",   "LeftForeArm", "LeftHand",    "RightShoulder", "RightArm",
     "RightForeArm", "RightHand", "LeftUpLeg",   "LeftLeg",     "LeftFoot",      "LeftToeBase",
     "RightUpLeg",   "RightLeg",  "RightFoot",   "RightToeBase"},
    {"Hips",      "lowerback", "Chest",       "Chest2",        "Neck",       "Head",       "LeftCollar", "LeftShoulder",
     "LeftElbow", "LeftWrist", "RightCollar", "RightShoulder", "RightElbow", "RightWrist", "LeftHip",    "LeftKnee",
     "LeftAnkle", "LeftToe",   "RightHip",    "RightKnee",     "RightAnkle", "RightToe"},
    {"Bip001 Pelvis",     "Bip001 Spine",      "Bip001 Spine1",     "Bip001 Spine2",    "Bip001 Neck",
     "Bip001 Head",       "Bip001 L Clavicle", "Bip001 L UpperArm", "Bip001 L Forearm", "Bip001 L Hand",
     "Bip001 R Clavicle", "Bip001 R UpperArm", "Bip001 R Forearm",  "Bip001 R Hand",    "Bip001 L Thigh",
     "Bip001 L Calf",     "Bip001 L Foot",     "Bip001 L Toe0",     "Bip001 R Thigh",   "Bip001 R Calf",
     "Bip001 R Foot",     "Bip001 R Toe0"},
    {"pelvis",     "spine_01", "spine_02",   "spine_03",   "neck_01",    "head",   "clavicle_l", "upperarm_l",
     "lowerarm_l", "hand_l",   "clavicle_r", "upperarm_r", "lowerarm_r", "hand_r", "thigh_l",    "calf_l",
     "foot_l",     "ball_l",   "thigh_r",    "calf_r",     "foot_r",     "ball_r"},
    {"hips",       "spine",   "",           "chest",      "",           "head",    "",           "upperarm.l",
     "lowerarm.l", "wrist.l", "",           "upperarm.r", "lowerarm.r", "wrist.r", "upperleg.l", "lowerleg.l",
     "foot.l",     "toes.l",  "upperleg.r", "lowerleg.r", "foot.r",     "toes.r"},
    {"J_Bip_C_Hips",     "J_Bip_C_Spine",    "J_Bip_C_Chest",    "J_Bip_C_UpperChest", "J_Bip_C_Neck",
     "J_Bip_C_Head",     "J_Bip_L_Shoulder", "J_Bip_L_UpperArm", "J_Bip_L_LowerArm",   "J_Bip_L_Hand",
     "J_Bip_R_Shoulder", "J_Bip_R_UpperArm", "J_Bip_R_LowerArm", "J_Bip_R_Hand",       "J_Bip_L_UpperLeg",
     "J_Bip_L_LowerLeg", "J_Bip_L_Foot",     "J_Bip_L_ToeBase",  "J_Bip_R_UpperLeg",   "J_Bip_R_LowerLeg",
     "J_Bip_R_Foot",     "J_Bip_R_ToeBase"},
    {"hip",          "abdomenLower", "abdomenUpper", "chestUpper", "neckLower",    "head",  "lCollar",    "lShldrBend",
     "lForearmBend", "lHand",        "rCollar",      "rShldrBend", "rForearmBend", "rHand", "lThighBend", "lShin",
     "lFoot",        "lToe",         "rThighBend",   "rShin",      "rFoot",        "rToe"},
    {"hip",    "abdomen",  "",      "chest",  "neck",  "head",  "lCollar", "lShldr", "lForeArm", "lHand", "rCollar",
     "rShldr", "rForeArm", "rHand", "lThigh", "lShin", "lFoot", "lToe",    "rThigh", "rShin",    "rFoot", "rToe"},
    {"Skeleton_torso_joint_1",
     "Skeleton_torso_joint_2",
     "",
     "torso_joint_3",
     "Skeleton_neck_joint_1",
     "Skeleton_neck_joint_2",
     "",
     "Skeleton_arm_joint_L__4_",
     "Skeleton_arm_joint_L__3_",
     "Skeleton_arm_joint_L__2_",
     "",
     "Skeleton_arm_joint_R",
     "Skeleton_arm_joint_R__2_",
     "Skeleton_arm_joint_R__3_",
     "leg_joint_L_1",
     "leg_joint_L_2",
     "leg_joint_L_3",
     "leg_joint_L_5",
     "leg_joint_R_1",
     "leg_joint_R_2",
     "leg_joint_R_3",
     "leg_joint_R_5"},
    {"hips",  "spine", "", "chest", "",      "head",  "", "armL1", "armL2", "",      "",
     "armR1", "armR2", "", "legL1", "legL2", "footL", "", "legR1", "legR2", "footR", ""},
};

static void names_of_many_programs(void **state)
{
    (void)state;
    for (size_t rig = 0; rig < sizeof rigs / sizeof *rigs; ++rig) {
        double rest[12 * LIST_SIZE] = {0};
        int32_t roles[LIST_SIZE];
        sn_arena arena = {0};
        const sn_rig_skeleton skeleton = {"rig", LIST_SIZE, rigs[rig], list_parents, rest, NULL};
        assert_int_equal(sn_humanoid_guess(&skeleton, false, &arena, roles), SN_OK);
        for (int j = 0; j < LIST_SIZE; ++j) {
            const bool is_there = rigs[rig][j][0] && list_bones[j];
            const char *found = roles[j] >= 0 ? sn_humanoid_name(roles[j]) : "none";
            if (strcmp(found, is_there ? list_bones[j] : "none") != 0) {
                fail_msg("rig %zu: '%s' is taken for %s", rig, rigs[rig][j], found);
            }
        }
        sn_arena_finish(&arena);
    }
}

/* What moves a leg, or only hangs on it, is no leg; fingers are those of their hands, palms none. */
static void others_are_left_out(void **state)
{
    (void)state;
    static const char *const names[] = {"root",           "IK-foot.l", "kneeIK.l",  "hips",           "LHipJoint",
                                        "thigh.l",        "shin.l",    "foot.l",    "control-heel.l", "thigh_twist.l",
                                        "thigh.r",        "arm.l",     "forearm.l", "hand.l",         "LeftInHandIndex",
                                        "LeftHandIndex1", "LThumb",    "lhand"};
    static const int32_t parents[] = {-1, 0, 0, 0, 3, 4, 5, 6, 7, 5, 3, 3, 11, 12, 13, 14, 13, 13};
    static const char *const bones[] = {"none",
                                        "none",
                                        "none",
                                        "hips",
                                        "none",
                                        "leftUpperLeg",
                                        "leftLowerLeg",
                                        "leftFoot",
                                        "none",
                                        "none",
                                        "rightUpperLeg",
                                        "leftUpperArm",
                                        "leftLowerArm",
                                        "leftHand",
                                        "none",
                                        "leftIndexProximal",
                                        "leftThumbMetacarpal",
                                        "none"};
    enum { COUNT = sizeof parents / sizeof *parents };
    double rest[12 * COUNT] = {0};
    int32_t roles[COUNT];
    sn_arena arena = {0};
    const sn_rig_skeleton skeleton = {"rig", COUNT, names, parents, rest, NULL};
    assert_int_equal(sn_humanoid_guess(&skeleton, false, &arena, roles), SN_OK);
    for (int j = 0; j < COUNT; ++j) {
        assert_string_equal(roles[j] >= 0 ? sn_humanoid_name(roles[j]) : "none", bones[j]);
    }
    sn_arena_finish(&arena);
}

/* Turned about the vertical any way: left is where its toes have it. */
static void shapes_without_names(void **state)
{
    (void)state;
    for (int turn = 0; turn < 8; ++turn) {
        people p;
        sn_arena arena = {0};
        make_person(&p, &(person){.arm_angle = .7});
        for (int j = 0; j < p.count; ++j) {
            p.names[j] = "";
        }
        turn_person(&p, 1, turn * .7853981633974483);
        const sn_rig_skeleton skeleton = skeleton_of(&p);
        int32_t roles[PERSON_JOINTS];
        assert_int_equal(sn_humanoid_guess(&skeleton, false, &arena, roles), SN_OK);
        for (int j = 0; j < p.count; ++j) {
            const int wanted = person_role(j);
            const bool is_chain =
                wanted == SN_HUMANOID_SPINE || wanted == SN_HUMANOID_CHEST || wanted == SN_HUMANOID_NECK;
            assert_int_equal(roles[j], is_chain ? -1 : wanted);
        }
        sn_arena_finish(&arena);
    }
}

/* Legs, hands and fingers by name, arms by where they are; but not where sides differ. */
static void shapes_complete_names(void **state)
{
    (void)state;
    for (int differs = 0; differs < 2; ++differs) {
        people p;
        sn_arena arena = {0};
        int32_t roles[PERSON_JOINTS];
        make_person(&p, &(person){.arm_angle = .7});
        p.names[7] = p.names[8] = "flipper";
        p.names[9] = "leftPaw";
        for (int j = 14; j < p.count && differs; ++j) {
            p.names[j] = person_names[j < 18 ? j + 4 : j - 4];
        }
        const sn_rig_skeleton skeleton = skeleton_of(&p);
        assert_int_equal(sn_humanoid_guess(&skeleton, false, &arena, roles), SN_OK);
        for (int j = 6; j < p.count; ++j) {
            if (!differs) {
                assert_int_equal(roles[j], person_role(j));
            } else if (j >= 7 && j <= 9) {
                assert_int_equal(roles[j], -1);
            }
        }
        sn_arena_finish(&arena);
    }
}

/* On all fours, with a human's names: whichever way it looks. A capture's rest may be no pose, so names hold. */
static void forelegs_are_no_arms(void **state)
{
    (void)state;
    for (int turn = 0; turn < 8; ++turn) {
        people p;
        sn_arena arena = {0};
        int32_t roles[PERSON_JOINTS];
        make_person(&p, &(person){.arm_angle = 1.5});
        for (int j = 1; j < 14; ++j) { /* the back level, forelegs down to the ground */
            double *rest = p.rest + 12 * j;
            const double height = rest[7];
            const double low = j == 9 || j == 13 ? .1 : .5;
            rest[11] = j < 6 ? height - 1 : .45;
            rest[7] = j < 6 || j % 4 == 2 || j % 4 == 3 ? 1 : low;
        }
        turn_person(&p, 1, turn * .7853981633974483);
        const sn_rig_skeleton skeleton = skeleton_of(&p);
        assert_int_equal(sn_humanoid_guess(&skeleton, false, &arena, roles), SN_OK);
        for (int j = 0; j < p.count; ++j) {
            assert_int_equal(roles[j], -1);
        }
        assert_int_equal(sn_humanoid_guess(&skeleton, true, &arena, roles), SN_OK);
        assert_int_equal(roles[7], sn_humanoid_bone_index(0, SN_PART_UPPER_ARM));
        sn_arena_finish(&arena);
    }
}

/* As many joints as a reader lets through: hair on the head, in strands or all in one. */
static void shapes_of_many_joints(void **state)
{
    (void)state;
    enum { COUNT = 4096 };
    static const char *names[COUNT];
    static int32_t parents[COUNT], roles[COUNT];
    static double rest[12 * COUNT];
    for (int strand = 16; strand <= COUNT; strand *= 256) {
        people p;
        sn_arena arena = {0};
        make_person(&p, &(person){.arm_angle = .7});
        memcpy(parents, p.parents, sizeof p.parents);
        memcpy(rest, p.rest, sizeof p.rest);
        for (int j = 0; j < COUNT; ++j) {
            names[j] = "";
            if (j >= p.count) {
                parents[j] = (j - p.count) % strand == 0 ? 5 : j - 1;
                memcpy(rest + 12 * j, rest + 12 * parents[j], 12 * sizeof *rest);
                rest[12 * j + 7] += 1e-5;
            }
        }
        const sn_rig_skeleton skeleton = {"hairy", COUNT, names, parents, rest, NULL};
        assert_int_equal(sn_humanoid_guess(&skeleton, false, &arena, roles), SN_OK);
        for (int j = 6; j < p.count; ++j) {
            assert_int_equal(roles[j], person_role(j));
        }
        assert_int_equal(roles[0], SN_HUMANOID_HIPS);
        sn_arena_finish(&arena);
    }
}

/* Eight arms are no legs. */
static void a_star_is_no_humanoid(void **state)
{
    (void)state;
    enum { ARMS = 8, COUNT = 2 + 4 * ARMS };
    const char *names[COUNT];
    int32_t parents[COUNT], roles[COUNT];
    double rest[12 * COUNT] = {0};
    sn_arena arena = {0};
    for (int j = 0; j < COUNT; ++j) {
        const double angle = (j - 2) / 4 * 6.283185307179586 / ARMS;
        const int k = (j - 2) % 4;
        names[j] = "";
        parents[j] = j == 0 ? -1 : j == 1 || k == 0 ? 0 : j - 1;
        rest[12 * j + 3] = j < 2 ? 0 : (1 + k) * cos(angle);
        rest[12 * j + 7] = j == 0 ? 3 : j == 1 ? 5 : 2.5 - .6 * k;
        rest[12 * j + 11] = j < 2 ? 0 : (1 + k) * sin(angle);
    }
    const sn_rig_skeleton skeleton = {"star", COUNT, names, parents, rest, NULL};
    assert_int_equal(sn_humanoid_guess(&skeleton, false, &arena, roles), SN_OK);
    for (int j = 0; j < COUNT; ++j) {
        assert_int_equal(roles[j], -1);
    }
    sn_arena_finish(&arena);
}

static void bones_have_vrms_names(void **state)
{
    (void)state;
    assert_string_equal(sn_humanoid_name(sn_humanoid_bone_index(1, SN_PART_THUMB + 1)), "rightThumbProximal");
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        assert_int_equal(sn_humanoid_find(sn_humanoid_name(bone)), bone);
    }
    assert_int_equal(sn_humanoid_find("tail"), -1);
}

int test_humanoid(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_many_programs), cmocka_unit_test(others_are_left_out),
        cmocka_unit_test(shapes_without_names),   cmocka_unit_test(a_star_is_no_humanoid),
        cmocka_unit_test(bones_have_vrms_names),  cmocka_unit_test(shapes_complete_names),
        cmocka_unit_test(forelegs_are_no_arms),   cmocka_unit_test(shapes_of_many_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
