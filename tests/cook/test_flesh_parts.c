/* SPDX-License-Identifier: MIT */
/* Parts of characters that are built here, with skeletons of several conventions and languages, and of files. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/cook/parts/parts.h"
#include "author/cook/stages/stages.h"
#include "author/cook/surface/surface.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/mesh/embedding.h"
#include "tests/support/log.h"

#define PI 3.14159265358979323846
#define MAX_PIECES 40
enum { RINGS = 10, SECTORS = 14, JOINTS = 21, TET_VERTICES = 4000 };

/* ---- a character from ellipsoids and boxes ---- */

typedef struct body {
    sn_cook_context cook;
    sn_cook_desc desc;
    sn_flesh_parts parts;
    sn_character_part list[MAX_PIECES];
    sn_scene_material materials[MAX_PIECES];
    int vertex_capacity, triangle_capacity;
} body;

static void start_body(body *b, int bone_count)
{
    sn_arena *arena = &b->cook.arena;
    memset(b, 0, sizeof *b);
    b->desc = sn_default_cook_desc();
    b->desc.method = SN_COOK_METHOD_COMPLEMENTARY; /* anchored flesh would find the parts itself */
    b->desc.tet_vertex_count = TET_VERTICES;
    b->vertex_capacity = MAX_PIECES * RINGS * SECTORS;
    b->triangle_capacity = 2 * b->vertex_capacity;
    b->cook.path = "person.glb";
    b->cook.desc = &b->desc;
    b->cook.report.young = 1e4;
    b->cook.has_character = true;
    sn_character *c = &b->cook.character;
    const size_t n = (size_t)b->vertex_capacity, bones = (size_t)bone_count;
    c->name = b->cook.path;
    c->parts = b->list;
    c->materials = b->materials;
    c->positions = SN_NEW(arena, double, 3 * n);
    c->normals = SN_NEW(arena, double, 3 * n);
    c->uvs[0] = SN_NEW(arena, double, 2 * n);
    c->uvs[1] = SN_NEW(arena, double, 2 * n);
    c->triangles = SN_NEW(arena, int32_t, 3 * (size_t)b->triangle_capacity);
    c->influence_starts = SN_NEW(arena, int32_t, n + 1);
    c->influence_bones = SN_NEW(arena, int32_t, n);
    c->influence_weights = SN_NEW(arena, double, n);
    c->is_rigid = SN_NEW(arena, bool, n);
    c->bone_count = bone_count;
    c->bone_names = SN_NEW(arena, const char *, bones);
    c->bone_parents = SN_NEW(arena, int32_t, bones);
    c->bone_bind = SN_NEW(arena, double, 12 * bones);
    c->is_soft_bone = SN_NEW(arena, bool, bones);
    c->springs = SN_NEW(arena, sn_character_spring, bones);
    c->facing = 1;
}

static void set_bone(body *b, int bone, const char *name, int parent, const double *joint)
{
    sn_character *c = &b->cook.character;
    c->bone_names[bone] = name;
    c->bone_parents[bone] = parent;
    sn_affine_identity(c->bone_bind + 12 * bone);
    for (int d = 0; d < 3; ++d) {
        c->bone_bind[12 * bone + 4 * d + 3] = joint[d];
    }
}

/* A closed surface: an ellipsoid, or with a large exponent a box. */
static sn_character_part *add_piece(body *b, const char *name, int bone, const double centre[3], const double radii[3],
                                    double exponent)
{
    sn_character *c = &b->cook.character;
    const int first = c->vertex_count;
    assert_true(c->part_count < MAX_PIECES);
    for (int i = 0; i < RINGS * SECTORS; ++i) {
        const double polar = PI * (i / SECTORS) / (RINGS - 1), turn = 2 * PI * (i % SECTORS) / SECTORS;
        const double unit[3] = {sin(polar) * cos(turn), cos(polar), sin(polar) * sin(turn)};
        for (int d = 0; d < 3; ++d) {
            c->positions[3 * (first + i) + d] =
                centre[d] + radii[d] * copysign(pow(fabs(unit[d]), 1 / exponent), fabs(unit[d]) < 1e-12 ? 0 : unit[d]);
        }
        c->normals[3 * (first + i) + 1] = 1;
        c->influence_starts[first + i] = first + i;
        c->influence_bones[first + i] = bone;
        c->influence_weights[first + i] = 1;
    }
    c->vertex_count += RINGS * SECTORS;
    c->influence_starts[c->vertex_count] = c->vertex_count;
    sn_character_part *part = &c->parts[c->part_count];
    b->materials[c->part_count] = (sn_scene_material){.name = "plain", .values = sn_default_material()};
    b->materials[c->part_count].values.metallic = 0;
    *part = (sn_character_part){.name = name,
                                .first_triangle = c->triangle_count,
                                .first_vertex = first,
                                .vertex_count = RINGS * SECTORS,
                                .material = c->part_count,
                                .only_bone = bone,
                                .is_skinned = true,
                                .piece_count = 1};
    for (int i = 0; i < (RINGS - 1) * SECTORS; ++i) {
        const int32_t next = i % SECTORS == SECTORS - 1 ? i + 1 - SECTORS : i + 1;
        const int32_t quad[6] = {i, next, i + SECTORS, next, next + SECTORS, i + SECTORS};
        for (int k = 0; k < 6; ++k) {
            c->triangles[3 * c->triangle_count + k] = first + quad[k];
        }
        c->triangle_count += 2;
    }
    part->triangle_count = c->triangle_count - part->first_triangle;
    c->material_count = ++c->part_count;
    return part;
}

/* An ellipsoid around the line between two joints. */
static void add_limb(body *b, int bone, const double *start, const double *end, double radius)
{
    double centre[3], radii[3];
    for (int d = 0; d < 3; ++d) {
        centre[d] = 0.5 * (start[d] + end[d]);
        radii[d] = fmax(radius, 0.6 * fabs(end[d] - start[d]));
    }
    add_piece(b, "Body", bone, centre, radii, 1);
}

static void find_parts(body *b)
{
    assert_int_equal(sn_cook_context_read(&b->cook), SN_OK);
    assert_int_equal(sn_cook_context_build_mesh(&b->cook), SN_OK);
    assert_int_equal(sn_cook_context_compute_weights(&b->cook), SN_OK);
    assert_int_equal(sn_flesh_parts_find(&b->cook, &b->parts), SN_OK);
}

static const sn_flesh_part *part_named(const body *b, const char *name)
{
    const int index = sn_flesh_parts_find_name(&b->parts, name);
    if (index < 0) {
        char text[2000];
        sn_flesh_parts_describe(&b->parts, text, sizeof text);
        fail_msg("no part '%s': %s", name, text);
        return NULL;
    }
    return &b->parts.list[index];
}

/* The mean position of a part's flesh along an axis. */
static double mean_of(const body *b, const char *name, const double axis[3])
{
    const int index = sn_flesh_parts_find_name(&b->parts, name);
    double sum = 0;
    int count = 0;
    for (int v = 0; v < b->cook.mesh.vertex_count; ++v) {
        if (b->parts.of_vertex[v] == index) {
            sum += sn_dot3(b->cook.mesh.positions + 3 * v, axis);
            ++count;
        }
    }
    assert_true(count > 0);
    return sum / count;
}

static double core_fraction(const body *b, const char *name)
{
    const int index = sn_flesh_parts_find_name(&b->parts, name);
    int core = 0, count = 0;
    for (int v = 0; v < b->cook.mesh.vertex_count; ++v) {
        count += b->parts.of_vertex[v] == index;
        core += b->parts.of_vertex[v] == index && sn_flesh_is_core(&b->parts, v);
    }
    return count > 0 ? (double)core / count : 0;
}

static void assert_soft(const body *b, const char *name)
{
    const sn_flesh_part *part = part_named(b, name);
    if (part->is_rigid || !(part->amplitude > 0) || !(part->max_frequency > part->min_frequency) ||
        !(part->settling_time > 0) || !(part->core_depth < 1)) {
        fail_msg("%s does not move: %s", name, part->reason);
    }
}

static void assert_rigid(const body *b, const char *name)
{
    const sn_flesh_part *part = part_named(b, name);
    if (!part->is_rigid || part->amplitude != 0) {
        fail_msg("%s moves", name);
    }
}

/* ---- a person ---- */

enum { HIPS, SPINE, CHEST, NECK, HEAD, ARM = 5, LEG = 13 }; /* arm: shoulder, upper, fore, hand, left and right */

static const double joints[JOINTS][3] = {
    {0, 1, 0},      {0, 1.1, 0},   {0, 1.25, 0},    {0, 1.45, 0},    {0, 1.52, 0},    {.05, 1.42, 0}, {.18, 1.42, 0},
    {.45, 1.42, 0}, {.7, 1.42, 0}, {-.05, 1.42, 0}, {-.18, 1.42, 0}, {-.45, 1.42, 0}, {-.7, 1.42, 0}, {.1, .93, 0},
    {.1, .5, .01},  {.1, .1, 0},   {.1, .03, .12},  {-.1, .93, 0},   {-.1, .5, .01},  {-.1, .1, 0},   {-.1, .03, .12}};
static const int parents[JOINTS] = {-1, 0, 1, 2, 3, 2, 5, 6, 7, 2, 9, 10, 11, 0, 13, 14, 15, 0, 17, 18, 19};

static const char *const conventions[][JOINTS] = {
    {"J_Bip_C_Hips",     "J_Bip_C_Spine",    "J_Bip_C_UpperChest", "J_Bip_C_Neck",     "J_Bip_C_Head",
     "J_Bip_L_Shoulder", "J_Bip_L_UpperArm", "J_Bip_L_LowerArm",   "J_Bip_L_Hand",     "J_Bip_R_Shoulder",
     "J_Bip_R_UpperArm", "J_Bip_R_LowerArm", "J_Bip_R_Hand",       "J_Bip_L_UpperLeg", "J_Bip_L_LowerLeg",
     "J_Bip_L_Foot",     "J_Bip_L_ToeBase",  "J_Bip_R_UpperLeg",   "J_Bip_R_LowerLeg", "J_Bip_R_Foot",
     "J_Bip_R_ToeBase"},
    {"mixamorig:Hips",        "mixamorig:Spine",         "mixamorig:Spine1",   "mixamorig:Neck",
     "mixamorig:Head",        "mixamorig:LeftShoulder",  "mixamorig:LeftArm",  "mixamorig:LeftForeArm",
     "mixamorig:LeftHand",    "mixamorig:RightShoulder", "mixamorig:RightArm", "mixamorig:RightForeArm",
     "mixamorig:RightHand",   "mixamorig:LeftUpLeg",     "mixamorig:LeftLeg",  "mixamorig:LeftFoot",
     "mixamorig:LeftToeBase", "mixamorig:RightUpLeg",    "mixamorig:RightLeg", "mixamorig:RightFoot",
     "mixamorig:RightToeBase"},
    {"pelvis",     "spine_01", "spine_02",   "neck_01",    "head",       "clavicle_l", "upperarm_l",
     "lowerarm_l", "hand_l",   "clavicle_r", "upperarm_r", "lowerarm_r", "hand_r",     "thigh_l",
     "calf_l",     "foot_l",   "ball_l",     "thigh_r",    "calf_r",     "foot_r",     "ball_r"},
    {"DEF-spine",       "DEF-spine.001", "DEF-spine.002", "DEF-spine.004",  "DEF-spine.006",   "DEF-shoulder.L",
     "DEF-upper_arm.L", "DEF-forearm.L", "DEF-hand.L",    "DEF-shoulder.R", "DEF-upper_arm.R", "DEF-forearm.R",
     "DEF-hand.R",      "DEF-thigh.L",   "DEF-shin.L",    "DEF-foot.L",     "DEF-toe.L",       "DEF-thigh.R",
     "DEF-shin.R",      "DEF-foot.R",    "DEF-toe.R"},
    {"Bip01 Pelvis",     "Bip01 Spine",     "Bip01 Spine1", "Bip01 Neck",       "Bip01 Head",       "Bip01 L Clavicle",
     "Bip01 L UpperArm", "Bip01 L Forearm", "Bip01 L Hand", "Bip01 R Clavicle", "Bip01 R UpperArm", "Bip01 R Forearm",
     "Bip01 R Hand",     "Bip01 L Thigh",   "Bip01 L Calf", "Bip01 L Foot",     "Bip01 L Toe0",     "Bip01 R Thigh",
     "Bip01 R Calf",     "Bip01 R Foot",    "Bip01 R Toe0"},
    {"下半身", "上半身", "上半身2", "首",     "頭",     "左肩",     "左腕", "左ひじ", "左手首", "右肩",    "右腕",
     "右ひじ", "右手首", "左足",    "左ひざ", "左足首", "左つま先", "右足", "右ひざ", "右足首", "右つま先"},
    {"Becken",
     "Rücken",
     "Brustkorb",
     "Hals",
     "Kopf",
     "Schulter links",
     "Oberarm links",
     "Unterarm links",
     "Hand links",
     "Schulter rechts",
     "Oberarm rechts",
     "Unterarm rechts",
     "Hand rechts",
     "Oberschenkel links",
     "Unterschenkel links",
     "Fuß links",
     "Zehen links",
     "Oberschenkel rechts",
     "Unterschenkel rechts",
     "Fuß rechts",
     "Zehen rechts"},
    {"", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", ""}};

/* As wide as a person; `head` is the head's radius. */
static void add_person(body *b, const char *const *names, double head)
{
    static const double chest_top[3] = {0, 1.42, 0};
    for (int j = 0; j < JOINTS; ++j) {
        set_bone(b, j, names[j], parents[j], joints[j]);
    }
    add_piece(b, "Body", HIPS, (double[3]){0, .98, 0}, (double[3]){.19, .16, .14}, 1);
    add_piece(b, "Body", SPINE, (double[3]){0, 1.17, .02}, (double[3]){.18, .15, .15}, 1);
    add_piece(b, "Body", CHEST, (double[3]){0, .5 * (1.25 + chest_top[1]), .01}, (double[3]){.2, .18, .14}, 1);
    add_limb(b, NECK, joints[NECK], joints[HEAD], .06);
    add_piece(b, "Body", HEAD, (double[3]){0, 1.52 + .85 * head, .02}, (double[3]){head, head, head}, 1);
    for (int side = 0; side < 2; ++side) {
        const int arm = ARM + 4 * side, leg = LEG + 4 * side;
        add_limb(b, arm, joints[arm], joints[arm + 1], .07);
        add_limb(b, arm + 1, joints[arm + 1], joints[arm + 2], .06);
        add_limb(b, arm + 2, joints[arm + 2], joints[arm + 3], .05);
        add_piece(b, "Body", arm + 3, (double[3]){side ? -.78 : .78, 1.42, 0}, (double[3]){.1, .03, .05}, 1);
        add_limb(b, leg, joints[leg], joints[leg + 1], .09);
        add_limb(b, leg + 1, joints[leg + 1], joints[leg + 2], .07);
        add_limb(b, leg + 2, joints[leg + 2], joints[leg + 3], .06);
        add_piece(b, "Body", leg + 3, (double[3]){side ? -.1 : .1, .03, .15}, (double[3]){.05, .04, .08}, 1);
    }
}

static const double along_x[3] = {1, 0, 0}, along_y[3] = {0, 1, 0}, along_z[3] = {0, 0, 1};

/* Turns the character about the vertical axis. */
static void turn_body(body *b, double angle)
{
    sn_character *c = &b->cook.character;
    for (int i = 0; i < c->vertex_count + c->bone_count; ++i) {
        const int stride = i < c->vertex_count ? 1 : 4;
        double *x = i < c->vertex_count ? c->positions + 3 * i : c->bone_bind + 12 * (i - c->vertex_count) + 3;
        const double left = x[0], front = x[2 * stride];
        x[0] = cos(angle) * left + sin(angle) * front;
        x[2 * stride] = cos(angle) * front - sin(angle) * left;
    }
}

static void people_of_all_conventions(void **state)
{
    (void)state;
    static const char *const soft[] = {"belly", "chest",      "buttocks", "back", "thighs",
                                       "shins", "upper arms", "forearms", "neck"};
    static const char *const rigid[] = {"head", "hands", "feet"};
    for (size_t i = 0; i < sizeof conventions / sizeof conventions[0]; ++i) {
        static body b;
        const double angle = (double)i;
        const double front[3] = {sin(angle), 0, cos(angle)};
        start_body(&b, JOINTS);
        add_person(&b, conventions[i], .13);
        turn_body(&b, angle);
        find_parts(&b);
        for (size_t k = 0; k < sizeof soft / sizeof soft[0]; ++k) {
            assert_soft(&b, soft[k]);
        }
        for (size_t k = 0; k < sizeof rigid / sizeof rigid[0]; ++k) {
            assert_rigid(&b, rigid[k]);
        }
        assert_true(mean_of(&b, "belly", front) > 0.02 + mean_of(&b, "buttocks", front));
        assert_true(mean_of(&b, "chest", front) > 0.02 + mean_of(&b, "back", front));
        assert_true(mean_of(&b, "chest", along_y) > 0.05 + mean_of(&b, "belly", along_y));
        assert_true(mean_of(&b, "back", along_y) > 0.05 + mean_of(&b, "buttocks", along_y));
        assert_true(part_named(&b, "belly")->amplitude > 2 * part_named(&b, "shins")->amplitude);
        assert_int_equal(sn_flesh_parts_find_name(&b.parts, "cheeks"), -1);
        sn_cook_context_finish(&b.cook);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Depths are 0 at bones and 1 on the skin; cores have no holes along a bone. */
static void depths(void **state)
{
    (void)state;
    static body b;
    start_body(&b, JOINTS);
    add_person(&b, conventions[0], .13);
    find_parts(&b);
    const sn_cook_context *k = &b.cook;
    int skin_count = 0, outside_count = 0;
    double mass = 0;
    for (int i = 0; i < 3 * k->boundary_count; ++i) {
        const int v = k->boundary[i];
        outside_count += b.parts.depth[v] == 1;
        ++skin_count;
    }
    assert_true(outside_count > 0.8 * skin_count);
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        assert_true(b.parts.depth[v] >= 0 && b.parts.depth[v] <= 1);
        assert_in_range(b.parts.of_vertex[v], 0, b.parts.count - 1);
        mass += k->mass[v];
    }
    static const char *const limbs[] = {"thighs", "shins", "upper arms", "forearms"};
    for (size_t i = 0; i < sizeof limbs / sizeof limbs[0]; ++i) {
        assert_true(core_fraction(&b, limbs[i]) >= 0.15 && core_fraction(&b, limbs[i]) < 0.6);
    }
    for (int p = 0; p < b.parts.count; ++p) {
        mass -= b.parts.list[p].mass;
        assert_true(b.parts.list[p].is_rigid || b.parts.list[p].thickness > 0);
    }
    assert_true(fabs(mass) < 1e-9);
    sn_flesh_parts again; /* the same bits */
    assert_int_equal(sn_flesh_parts_find(&b.cook, &again), SN_OK);
    assert_int_equal(again.count, b.parts.count);
    assert_memory_equal(again.of_vertex, b.parts.of_vertex, (size_t)k->mesh.vertex_count * sizeof(int32_t));
    assert_memory_equal(again.depth, b.parts.depth, (size_t)k->mesh.vertex_count * sizeof(double));
    double points[9 * 3];
    int32_t tets[9];
    double weights[9 * 4];
    for (int i = 0; i < 9; ++i) {
        for (int d = 0; d < 3; ++d) {
            const double x = joints[LEG][d] + (i + 1) / 10.0 * (joints[LEG + 1][d] - joints[LEG][d]);
            points[3 * i + d] = (x - k->origin[d]) * k->scale;
        }
    }
    assert_int_equal(sn_tet_locate(&k->mesh, k->boundary, k->boundary_count, points, 9, tets, weights), SN_OK);
    for (int i = 0; i < 36; ++i) {
        const int v = k->mesh.tets[4 * tets[i / 4] + i % 4];
        const double weight = k->rig_weights[v * k->bone_count + LEG];
        assert_true(weight < 0.3 || sn_flesh_is_core(&b.parts, v));
    }
    sn_cook_context_finish(&b.cook);
}

/* Metal on skin, a sheet on the chest, a strap, named cloth and armour, all on single bones. */
static void accessories(void **state)
{
    (void)state;
    static body b;
    start_body(&b, JOINTS);
    add_person(&b, conventions[1], .13);
    add_piece(&b, "Object_7", CHEST, (double[3]){0, 1.1, -.25}, (double[3]){.22, .3, .012}, 6);
    add_piece(&b, "Object_8", CHEST, (double[3]){0, 1.2, .165}, (double[3]){.02, .22, .012}, 6);
    sn_character_part *metal =
        add_piece(&b, "Object_9", SPINE, (double[3]){0, 1.15, .15}, (double[3]){.12, .08, .08}, 1);
    b.materials[metal->material].values.metallic = 1;
    b.materials[metal->material].values.roughness = 0.3F;
    add_piece(&b, "Left_Shoulder_Armor", ARM + 1, (double[3]){.25, 1.47, 0}, (double[3]){.1, .07, .1}, 1);
    find_parts(&b);
    assert_soft(&b, "Object_7");
    assert_int_equal(part_named(&b, "Object_7")->kind, SN_FLESH_CLOTH);
    assert_string_equal(part_named(&b, "Object_7")->reason, "sheet");
    assert_true(core_fraction(&b, "Object_7") > 0 && core_fraction(&b, "Object_7") < 0.7);
    const int sheet = sn_flesh_parts_find_name(&b.parts, "Object_7");
    for (int v = 0; v < b.cook.mesh.vertex_count; ++v) { /* it hangs from its upper edge */
        const double y = b.cook.mesh.positions[3 * v + 1] / b.cook.scale + b.cook.origin[1];
        assert_true(b.parts.of_vertex[v] != sheet || y > 1.1 || !sn_flesh_is_core(&b.parts, v));
    }
    assert_rigid(&b, "Object_9");
    assert_string_equal(part_named(&b, "Object_9")->reason, "metal");
    assert_rigid(&b, "Left_Shoulder_Armor");
    assert_string_equal(part_named(&b, "Left_Shoulder_Armor")->reason, "name");
    assert_rigid(&b, "Object_8");
    assert_int_equal(part_named(&b, "Object_8")->kind, SN_FLESH_STRAP);
    assert_soft(&b, "belly");
    sn_cook_context_finish(&b.cook);
}

/* Ears and hair on the head: alive on bones of their own, rigid where spring bones move them. A very large head has
 * cheeks. */
static void heads(void **state)
{
    (void)state;
    for (int has_springs = 0; has_springs < 2; ++has_springs) {
        static body b;
        start_body(&b, JOINTS + 4);
        add_person(&b, conventions[2], .55);
        set_bone(&b, JOINTS, "ear_L", HEAD, (double[3]){.3, 2.2, 0});
        set_bone(&b, JOINTS + 1, "ear_R", HEAD, (double[3]){-.3, 2.2, 0});
        set_bone(&b, JOINTS + 2, "FrontHair_01", HEAD, (double[3]){0, 2.2, .4});
        set_bone(&b, JOINTS + 3, "unknown", HEAD, (double[3]){0, 1.9, .45});
        add_piece(&b, "Body", JOINTS, (double[3]){.35, 2.45, 0}, (double[3]){.1, .3, .06}, 1);
        add_piece(&b, "Body", JOINTS + 1, (double[3]){-.35, 2.45, 0}, (double[3]){.1, .3, .06}, 1);
        add_piece(&b, "Body", JOINTS + 2, (double[3]){0, 2.1, .45}, (double[3]){.08, .2, .06}, 1);
        add_piece(&b, "Body", JOINTS + 3, (double[3]){0, 1.9, .45}, (double[3]){.08, .08, .12}, 1);
        add_piece(&b, "Hair", HEAD, (double[3]){0, 1.6, -.5}, (double[3]){.3, .7, .1}, 1);
        b.cook.character.springs[JOINTS + 2].is_spring = has_springs;
        find_parts(&b);
        assert_soft(&b, "ear_L");
        assert_soft(&b, "ear_R");
        assert_true(mean_of(&b, "ear_L", along_x) > 0.05);
        assert_soft(&b, "cheeks");
        assert_true(mean_of(&b, "cheeks", along_z) > mean_of(&b, "head", along_z));
        assert_true(mean_of(&b, "cheeks", along_y) < mean_of(&b, "head", along_y));
        assert_soft(&b, "Hair"); /* without bones, it hangs on the head */
        assert_int_equal(part_named(&b, "Hair")->kind, SN_FLESH_HAIR);
        assert_true(core_fraction(&b, "Hair") > 0 && core_fraction(&b, "Hair") < 0.5);
        assert_rigid(&b, "face");
        assert_rigid(&b, "head");
        if (has_springs) {
            assert_rigid(&b, "FrontHair_01");
            assert_string_equal(part_named(&b, "FrontHair_01")->reason, "spring bone");
        } else {
            assert_soft(&b, "FrontHair_01");
            assert_int_equal(part_named(&b, "FrontHair_01")->kind, SN_FLESH_HAIR);
        }
        sn_cook_context_finish(&b.cook);
    }
}

/* The belly of a quadruped is below its spine. */
static void quadruped(void **state)
{
    (void)state;
    static const char *const names[] = {"Root",        "Pelvis",      "Spine1",     "Neck",        "Head",
                                        "FrontLeg1_L", "FrontLeg2_L", "FrontPaw_L", "FrontLeg1_R", "FrontLeg2_R",
                                        "FrontPaw_R",  "BackLeg1_L",  "BackLeg2_L", "BackPaw_L",   "BackLeg1_R",
                                        "BackLeg2_R",  "BackPaw_R",   "Tail1",      "Tail2"};
    static const int above[] = {-1, 0, 1, 2, 3, 2, 5, 6, 2, 8, 9, 1, 11, 12, 1, 14, 15, 1, 17};
    static const double at[][3] = {{0, 0, 0},        {0, .6, -.4},     {0, .6, 0},       {0, .65, .45},
                                   {0, .8, .65},     {.12, .5, .35},   {.12, .25, .35},  {.12, .05, .35},
                                   {-.12, .5, .35},  {-.12, .25, .35}, {-.12, .05, .35}, {.12, .5, -.4},
                                   {.12, .25, -.4},  {.12, .05, -.4},  {-.12, .5, -.4},  {-.12, .25, -.4},
                                   {-.12, .05, -.4}, {0, .6, -.6},     {0, .55, -.8}};
    static body b;
    start_body(&b, 19);
    for (int j = 0; j < 19; ++j) {
        set_bone(&b, j, names[j], above[j], at[j]);
    }
    add_piece(&b, "Body", 1, (double[3]){0, .52, -.25}, (double[3]){.2, .2, .35}, 1);
    add_piece(&b, "Body", 2, (double[3]){0, .52, .15}, (double[3]){.2, .2, .35}, 1);
    add_limb(&b, 3, at[3], at[4], .1);
    add_piece(&b, "Body", 4, (double[3]){0, .85, .72}, (double[3]){.11, .11, .16}, 1);
    for (int leg = 5; leg < 17; leg += 3) {
        add_limb(&b, leg, at[leg], at[leg + 1], .08);
        add_limb(&b, leg + 1, at[leg + 1], at[leg + 2], .06);
        add_piece(&b, "Body", leg + 2, (double[3]){at[leg + 2][0], .04, at[leg + 2][2] + .03},
                  (double[3]){.05, .04, .08}, 1);
    }
    add_limb(&b, 17, at[17], at[18], .06);
    add_piece(&b, "Body", 18, (double[3]){0, .53, -.9}, (double[3]){.06, .06, .15}, 1);
    find_parts(&b);
    assert_soft(&b, "belly");
    assert_soft(&b, "tail");
    assert_soft(&b, "thighs");
    assert_soft(&b, "shins");
    assert_rigid(&b, "head");
    assert_rigid(&b, "hands"); /* paws */
    const int upper = sn_flesh_parts_find_name(&b.parts, "back");
    assert_true(upper >= 0);
    assert_true(mean_of(&b, "belly", along_y) < mean_of(&b, "back", along_y) - 0.02);
    sn_cook_context_finish(&b.cook);
}

/* Names that say nothing: one part, with a core along all of its bones. */
static void unknown_creature(void **state)
{
    (void)state;
    static body b;
    start_body(&b, 4);
    for (int j = 0; j < 4; ++j) {
        set_bone(&b, j, "xq", j - 1, (double[3]){0, 0, .5 * j});
        add_piece(&b, "Body", j, (double[3]){0, 0, .5 * j + .25}, (double[3]){.15, .25, .35}, 1);
    }
    find_parts(&b);
    assert_int_equal(b.parts.count, 1);
    assert_soft(&b, "flesh");
    assert_true(core_fraction(&b, "flesh") >= 0.05);
    sn_cook_context_finish(&b.cook);

    start_body(&b, 1); /* a head alone would not move at all */
    set_bone(&b, 0, "head", -1, (double[3]){0, 0, 0});
    add_piece(&b, "Body", 0, (double[3]){0, .5, 0}, (double[3]){.5, .5, .5}, 1);
    find_parts(&b);
    assert_soft(&b, "head");
    assert_true(core_fraction(&b, "head") > 0);
    sn_cook_context_finish(&b.cook);
}

/* By part, kind, bone, mesh; and the presets of kinds of characters. */
static void sidecar(void **state)
{
    (void)state;
    static body b;
    sn_named_part parts[] = {
        {.name = "belly", .amplitude = 0.03, .frequency = 3, .settling_time = 0.9, .core_depth = .2},
        {.name = "mixamorig:LeftHand", .kind = "soft", .amplitude = -1, .core_depth = -1},
        {.name = "Crate", .kind = "rigid", .amplitude = -1, .core_depth = -1},
        {.name = "thighs", .kind = "rigid", .amplitude = -1, .core_depth = -1},
        {.name = "head", .amplitude = 0.01, .core_depth = -1},
        {.name = "wheel", .amplitude = 0.01, .core_depth = -1}};
    start_body(&b, JOINTS);
    add_person(&b, conventions[1], .13);
    add_piece(&b, "Crate", SPINE, (double[3]){0, 1.15, .15}, (double[3]){.12, .08, .08}, 1);
    b.cook.sidecar = (sn_sidecar){.path = "person.sinew.json", .parts = parts, .part_count = 6};
    begin_log();
    find_parts(&b);
    assert_one_warning("person.sinew.json: parts: no part, bone, mesh or material is called 'wheel'");
    sn_set_log(NULL, NULL);
    const sn_flesh_part *belly = part_named(&b, "belly");
    assert_true(belly->amplitude == 0.03 && belly->has_user_frequency && belly->frequency == 3);
    assert_true(belly->settling_time == 0.9 && belly->core_depth == 0.2 && belly->min_frequency == 3);
    assert_true(belly->max_frequency == 3);
    assert_rigid(&b, "Crate");
    assert_string_equal(part_named(&b, "Crate")->reason, "sidecar");
    assert_rigid(&b, "thighs");
    assert_soft(&b, "mixamorig:LeftHand");
    assert_rigid(&b, "hands"); /* the right one */
    assert_soft(&b, "head");
    const double chest = part_named(&b, "chest")->amplitude;
    char text[1000];
    sn_flesh_parts_describe(&b.parts, text, sizeof text);
    assert_non_null(strstr(text, "belly 3.0 Hz, 3.0%, settles 0.9 s"));
    assert_non_null(strstr(text, "Crate rigid (sidecar)"));
    sn_flesh_parts_describe(&b.parts, text, 8);
    assert_int_equal(strlen(text), 7);
    sn_cook_context_finish(&b.cook);

    start_body(&b, JOINTS);
    add_person(&b, conventions[1], .13);
    b.cook.sidecar = (sn_sidecar){.style = SN_STYLE_REALISTIC};
    find_parts(&b);
    assert_true(part_named(&b, "chest")->amplitude < 0.9 * chest);
    sn_cook_context_finish(&b.cook);

    parts[0].name = "neck"; /* a kind, and a bone of this convention */
    start_body(&b, JOINTS);
    add_person(&b, conventions[2], .13);
    b.cook.character.bone_names[CHEST] = "neck";
    b.cook.sidecar = (sn_sidecar){.path = "person.sinew.json", .parts = parts, .part_count = 1};
    find_parts(&b);
    assert_true(part_named(&b, "neck")->amplitude == 0.03 && part_named(&b, "chest")->amplitude < 0.03);
    assert_int_equal(part_named(&b, "chest")->kind, SN_FLESH_CHEST);
    sn_cook_context_finish(&b.cook);

    parts[0].name = "belly";
    parts[0].kind = "jelly beans";
    start_body(&b, JOINTS);
    add_person(&b, conventions[1], .13);
    b.cook.sidecar = (sn_sidecar){.path = "person.sinew.json", .parts = parts, .part_count = 1};
    begin_log();
    assert_int_equal(sn_cook_context_read(&b.cook), SN_ERROR_ARGUMENT);
    assert_one_error("person.sinew.json: parts.belly: 'jelly beans' is no kind of part; use one of rigid, soft, ");
    sn_set_log(NULL, NULL);
    sn_cook_context_finish(&b.cook);
}

static void words(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        sn_flesh_kind kind;
        int side;
    } cases[] = {{"lThigh", SN_FLESH_THIGHS, 0},
                 {"R_UPPERARM", SN_FLESH_UPPER_ARMS, 1},
                 {"Bip001 L Calf", SN_FLESH_SHINS, 0},
                 {"ear.R.001", SN_FLESH_EAR, 1},
                 {"earring_L", SN_FLESH_HARD, 0},
                 {"forearm", SN_FLESH_FOREARMS, -1},
                 {"LegArmor", SN_FLESH_HARD, -1},
                 {"Armature", SN_FLESH_GENERIC, -1},
                 {"eyebrow_left", SN_FLESH_FACE, 0},
                 {"hip_cloth_2", SN_FLESH_CLOTH, -1},
                 {"ponytail", SN_FLESH_HAIR, -1},
                 {"J_Sec_L_Bust1", SN_FLESH_BREASTS, 0},
                 {"J_Sec_L_SkirtFront0_01", SN_FLESH_CLOTH, 0},
                 {"眉毛", SN_FLESH_FACE, -1},
                 {"左おっぱい", SN_FLESH_BREASTS, 0},
                 {"スカート_0_1", SN_FLESH_CLOTH, -1},
                 {"右手首", SN_FLESH_HANDS, 1},
                 {"左腕捩", SN_FLESH_UPPER_ARMS, 0},
                 {"尾巴1", SN_FLESH_TAIL, -1},
                 {"머리카락", SN_FLESH_HAIR, -1},
                 {"오른발목", SN_FLESH_FEET, 1},
                 {"Épaule_gauche", SN_FLESH_SHOULDERS, 0},
                 {"Oberschenkel.L", SN_FLESH_THIGHS, 0},
                 {"Gesäß", SN_FLESH_BUTTOCKS, -1},
                 {"muslo_izquierdo", SN_FLESH_THIGHS, 0},
                 {"Bone.001", SN_FLESH_GENERIC, -1},
                 {"drawing", SN_FLESH_GENERIC, -1},
                 {"detail_2", SN_FLESH_GENERIC, -1},
                 {"fronthair01", SN_FLESH_HAIR, -1},
                 {"", SN_FLESH_GENERIC, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sn_flesh_name name = sn_flesh_kind_of_name(cases[i].name);
        if (name.kind != cases[i].kind || name.side != cases[i].side) {
            fail_msg("%s: %s, side %d", cases[i].name, sn_flesh_preset_of(name.kind)->name, name.side);
        }
    }
    assert_true(sn_flesh_kind_of_name("左足ＩＫ").is_helper && sn_flesh_kind_of_name("kneeIK.l").is_helper);
    assert_int_equal(sn_flesh_kind_of_object("Knight_Helmet"), SN_FLESH_HARD);
    assert_int_equal(sn_flesh_kind_of_object("Knight_Cape"), SN_FLESH_CLOTH);
    assert_int_equal(sn_flesh_kind_of_object("Knight_Head"), SN_FLESH_GENERIC);
    assert_int_equal(sn_flesh_kind_of_object("N00_002_01_Tops_01_CLOTH"), SN_FLESH_GENERIC); /* may fit tightly */
    assert_int_equal(sn_flesh_kind_of_object("N00_000_Hair_00_HAIR"), SN_FLESH_HAIR);
    assert_int_equal(sn_flesh_kind_of_object("Footman_Body"), SN_FLESH_GENERIC);
    for (int kind = 0; kind < SN_FLESH_KIND_COUNT; ++kind) {
        const sn_flesh_preset *preset = sn_flesh_preset_of((sn_flesh_kind)kind);
        assert_non_null(preset->name);
        assert_int_equal(sn_flesh_kind_find(preset->name), kind);
        assert_true(preset->is_rigid ? preset->core_depth == 1
                                     : preset->amplitude > 0 && preset->max_frequency > preset->min_frequency);
    }
}

/* ---- files ---- */

static bool read_file(body *b, const char *path, bool is_softened)
{
    memset(b, 0, sizeof *b);
    if (access(path, R_OK) != 0) {
        print_message("%s is absent\n", path);
        return false;
    }
    b->desc = sn_default_cook_desc();
    b->desc.method = SN_COOK_METHOD_COMPLEMENTARY; /* anchored flesh would find the parts itself */
    b->cook.path = path;
    b->cook.desc = &b->desc;
    b->cook.report.young = 1e4;
    assert_int_equal(sn_cook_context_read(&b->cook), SN_OK);
    if (is_softened) {
        assert_int_equal(sn_flesh_soften_cloth(&b->cook), 1);
    }
    assert_int_equal(sn_cook_context_build_mesh(&b->cook), SN_OK);
    assert_int_equal(sn_cook_context_compute_weights(&b->cook), SN_OK);
    assert_int_equal(sn_flesh_parts_find(&b->cook, &b->parts), SN_OK);
    return true;
}

static void files(void **state)
{
    (void)state;
    static body b;
    int missing_count = 0;
    if (read_file(&b, SN_SHARED_DATA "/rigged/CesiumMan.glb", false)) {
        static const char *const soft[] = {"belly", "chest", "buttocks", "thighs", "shins", "upper arms", "forearms"};
        for (size_t i = 0; i < sizeof soft / sizeof soft[0]; ++i) {
            assert_soft(&b, soft[i]);
        }
        assert_rigid(&b, "head"); /* with its helmet */
        assert_rigid(&b, "hands");
        assert_rigid(&b, "feet");
        assert_true(mean_of(&b, "belly", along_x) > mean_of(&b, "buttocks", along_x)); /* it faces +X */
        assert_true(core_fraction(&b, "forearms") >= 0.15 && core_fraction(&b, "shins") >= 0.15);
        sn_cook_context_finish(&b.cook);
    } else {
        ++missing_count;
    }
    if (read_file(&b, SN_SHARED_DATA "/rigged/Fox.glb", false)) {
        assert_soft(&b, "belly");
        assert_soft(&b, "tail");
        assert_rigid(&b, "head");
        assert_true(mean_of(&b, "belly", along_y) < mean_of(&b, "back", along_y));
        assert_true(core_fraction(&b, "forearms") >= 0.15 && core_fraction(&b, "shins") >= 0.15);
        sn_cook_context_finish(&b.cook);
    } else {
        ++missing_count;
    }
    if (read_file(&b, SN_SHARED_DATA "/rigged/KayKit_Knight.glb", true)) {
        assert_soft(&b, "belly");
        assert_soft(&b, "Knight_Cape");
        assert_int_equal(part_named(&b, "Knight_Cape")->kind, SN_FLESH_CLOTH);
        assert_rigid(&b, "Knight_Helmet");
        assert_rigid(&b, "hands");
        assert_true(core_fraction(&b, "Knight_Cape") > 0 && core_fraction(&b, "Knight_Cape") < 0.5);
        sn_cook_context_finish(&b.cook);
    } else {
        ++missing_count;
    }
    if (read_file(&b, SN_SHARED_DATA "/rigged/Godette_vrm_v4.vrm", false)) {
        assert_soft(&b, "belly");
        assert_soft(&b, "thighs");
        assert_rigid(&b, "HairBall_L");
        assert_string_equal(part_named(&b, "HairBall_L")->reason, "spring bone");
        assert_rigid(&b, "Backpack");
        assert_rigid(&b, "head");
        assert_true(mean_of(&b, "belly", along_z) < mean_of(&b, "buttocks", along_z)); /* VRM 0.x faces -Z */
        sn_cook_context_finish(&b.cook);
    } else {
        ++missing_count;
    }
    assert_int_equal(sn_allocated_bytes(), 0);
    if (missing_count > 0) {
        skip();
    }
}

int test_flesh_parts(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(people_of_all_conventions),
        cmocka_unit_test(depths),
        cmocka_unit_test(accessories),
        cmocka_unit_test(heads),
        cmocka_unit_test(quadruped),
        cmocka_unit_test(unknown_creature),
        cmocka_unit_test(sidecar),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
