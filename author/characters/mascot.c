/* SPDX-License-Identifier: MIT */
/* The mascot: teal plush, cream belly and muzzle, coral inner ears. */
#include "author/characters/characters.h"
#include "author/characters/figure.h"
#include "author/characters/mascot_motion.h"

#include <math.h>

#include "host/math/vec3.h"

enum { REGION_BODY, REGION_HEAD, REGION_EAR_L, REGION_EAR_R, REGION_ARM_L, REGION_ARM_R, REGION_LEG_L, REGION_LEG_R };
static const double region_density[] = {1, 1.55, 0.9, 0.9, 0.8, 0.8, 0.8, 0.8};

#define TEAL 0x5FC4B6
#define TEAL_LIGHT 0x8FDDD0
#define TEAL_DARK 0x2F8F8C
#define CREAM 0xFFF0DA
#define CORAL 0xFF9A85
#define BERRY 0x7C2F45
#define INK 0x2B2A3A

#define AT(x, y, z) ((const double[3]){(x), (y), (z)})

static void add_face(sn_shape *s)
{
    sn_shape_add_ball(s, AT(0, 0.622, 0.205), AT(0.118, 0.08, 0.095), NULL, 0.05);  /* muzzle */
    sn_shape_add_ball(s, AT(0.15, 0.625, 0.13), AT(0.105, 0.095, 0.1), NULL, 0.06); /* cheek */
    sn_shape_mirror_last(s);
    sn_shape_add_ball(s, AT(0, 0.672, 0.292), AT(0.044, 0.032, 0.032), NULL, 0.025); /* nose */
}

static void add_ears(sn_shape *s)
{
    sn_shape_add_limb(s, AT(0.15, 0.885, -0.02), AT(0.30, 0.925, -0.02), 0.05, 0.048, 0.06);
    sn_shape_mirror_last(s);
    sn_shape_add_ball(s, AT(0.385, 0.845, -0.015), AT(0.085, 0.12, 0.05), (double[3]){0, 0, 0.62}, 0.06);
    sn_shape_mirror_last(s);
    sn_shape_add_ball(s, AT(0.438, 0.735, 0), AT(0.098, 0.15, 0.052), (double[3]){-0.1, 0, 0.22}, 0.06);
    sn_shape_mirror_last(s);
}

static void add_limbs(sn_shape *s)
{
    sn_shape_add_limb(s, AT(0.13, 0.475, 0), AT(0.238, 0.392, 0.02), 0.066, 0.06, 0.06);
    sn_shape_mirror_last(s);
    sn_shape_add_limb(s, AT(0.238, 0.392, 0.02), AT(0.318, 0.308, 0.055), 0.06, 0.056, 0.02);
    sn_shape_mirror_last(s);
    sn_shape_add_ball(s, AT(0.332, 0.293, 0.062), AT(0.062, 0.068, 0.062), NULL, 0.03);
    sn_shape_mirror_last(s);
    sn_shape_add_limb(s, AT(0.115, 0.21, 0), AT(0.122, 0.07, 0.01), 0.1, 0.085, 0.06);
    sn_shape_mirror_last(s);
    sn_shape_add_ball(s, AT(0.128, 0.045, 0.055), AT(0.09, 0.066, 0.125), (double[3]){0, 0.15, 0}, 0.04);
    sn_shape_mirror_last(s);
}

static void build_shape(sn_shape *s)
{
    sn_shape_add_ball(s, AT(0, 0.325, 0.005), AT(0.225, 0.205, 0.2), NULL, 0);
    sn_shape_add_ball(s, AT(0, 0.295, 0.085), AT(0.2, 0.168, 0.17), NULL, 0.08); /* belly */
    sn_shape_add_ball(s, AT(0, 0.47, 0), AT(0.155, 0.12, 0.14), NULL, 0.1);
    sn_shape_add_ball(s, AT(0, 0.715, 0), AT(0.285, 0.245, 0.245), NULL, 0.07);
    add_limbs(s);
    add_face(s);
    add_ears(s);
    sn_shape_add_limb(s, AT(0.005, 0.94, 0.02), AT(0.03, 0.995, 0.065), 0.05, 0.032, 0.05); /* tuft */
    sn_shape_add_limb(s, AT(-0.015, 0.94, 0.01), AT(-0.062, 0.97, 0.045), 0.045, 0.03, 0.045);
    sn_shape_add_limb(s, AT(0, 0.28, -0.17), AT(0, 0.31, -0.245), 0.07, 0.066, 0.05); /* tail */
    sn_shape_add_ball(s, AT(0, -20, 0), AT(20, 20, 20), NULL, 0.025);                 /* flat soles */
    sn_shape_cut_last(s);
}

static int add_bone(sn_rig *rig, const char *name, const char *parent, const double head[3], const double tail[3],
                    double radius, double end_radius, int region)
{
    sn_rig_bone bone = {.name = name, .parent = parent ? sn_rig_find(rig, parent) : -1, .region = region};
    for (int d = 0; d < 3; ++d) {
        bone.head[d] = head[d];
        bone.tail[d] = tail[d];
    }
    bone.radii[0] = radius;
    bone.radii[1] = end_radius;
    return sn_rig_add(rig, &bone);
}

static void mirror_bone(sn_rig *rig, const char *left, const char *right, const char *parent, int region)
{
    sn_rig_add_mirrored(rig, sn_rig_find(rig, left), right, sn_rig_find(rig, parent), region);
}

static void build_trunk(sn_rig *r)
{
    add_bone(r, "root", NULL, AT(0, 0, 0), AT(0, 0.2, 0), 0, 0, REGION_BODY);
    add_bone(r, "hips", "root", AT(0, 0.24, 0), AT(0, 0.32, 0.01), 0.19, 0.2, REGION_BODY);
    add_bone(r, "spine", "hips", AT(0, 0.34, 0), AT(0, 0.44, 0), 0.19, 0.16, REGION_BODY);
    add_bone(r, "chest", "spine", AT(0, 0.45, 0), AT(0, 0.51, 0), 0.15, 0.12, REGION_BODY);
    add_bone(r, "head", "chest", AT(0, 0.56, 0), AT(0, 0.74, 0), 0.1, 0.25, REGION_HEAD);
    add_bone(r, "LeftEye", "head", AT(0.118, 0.725, 0.172), AT(0.118, 0.725, 0.25), 0, 0, REGION_HEAD);
    mirror_bone(r, "LeftEye", "RightEye", "head", REGION_HEAD);
    add_bone(r, "tail", "hips", AT(0, 0.28, -0.18), AT(0, 0.31, -0.245), 0.06, 0.066, REGION_BODY);
}

static void build_limbs(sn_rig *r)
{
    add_bone(r, "earL1", "head", AT(0.20, 0.90, -0.02), AT(0.36, 0.90, -0.02), 0.05, 0.06, REGION_EAR_L);
    add_bone(r, "earL2", "earL1", AT(0.385, 0.86, -0.015), AT(0.465, 0.64, 0), 0.085, 0.08, REGION_EAR_L);
    mirror_bone(r, "earL1", "earR1", "head", REGION_EAR_R);
    mirror_bone(r, "earL2", "earR2", "earR1", REGION_EAR_R);
    add_bone(r, "armL1", "chest", AT(0.15, 0.46, 0), AT(0.233, 0.396, 0.02), 0.06, 0.06, REGION_ARM_L);
    add_bone(r, "armL2", "armL1", AT(0.238, 0.392, 0.02), AT(0.332, 0.293, 0.06), 0.06, 0.062, REGION_ARM_L);
    mirror_bone(r, "armL1", "armR1", "chest", REGION_ARM_R);
    mirror_bone(r, "armL2", "armR2", "armR1", REGION_ARM_R);
    add_bone(r, "legL1", "hips", AT(0.115, 0.205, 0), AT(0.118, 0.135, 0.012), 0.095, 0.09, REGION_LEG_L);
    add_bone(r, "legL2", "legL1", AT(0.118, 0.135, 0.014), AT(0.122, 0.075, 0.01), 0.09, 0.085, REGION_LEG_L);
    add_bone(r, "footL", "legL2", AT(0.122, 0.062, 0.008), AT(0.136, 0.045, 0.11), 0.072, 0.065, REGION_LEG_L);
    mirror_bone(r, "legL1", "legR1", "hips", REGION_LEG_R);
    mirror_bone(r, "legL2", "legR2", "legR1", REGION_LEG_R);
    mirror_bone(r, "footL", "footR", "legR2", REGION_LEG_R);
}

static void paint_face(const double p[3], double color[3])
{
    const double x = fabs(p[0]), front = sn_paint_step(0.1, 0.16, p[2]);
    sn_paint_over(color, CREAM, front * sn_paint_spot(p, AT(0, 0.605, 0.26), AT(0.125, 0.086, 0.16), 0.12));
    sn_paint_over(color, CORAL,
                  0.75 * sn_paint_spot((double[3]){x, p[1], p[2]}, AT(0.205, 0.64, 0.17), AT(0.06, 0.045, 0.09), 1.2));
    const double nose = sn_paint_spot(p, AT(0, 0.676, 0.312), AT(0.048, 0.031, 0.04), 0.1);
    /* open smile: an ellipse below a parabola */
    const double line = 0.603 + 3.8 * p[0] * p[0];
    const double mouth = front * sn_paint_step(line + 0.002, line - 0.002, p[1]) *
                         sn_paint_spot((double[3]){p[0], p[1], 0}, AT(0, 0.61, 0), AT(0.052, 0.05, 1), 0.09);
    const double tongue = sn_paint_spot((double[3]){p[0], p[1], 0}, AT(0, 0.566, 0), AT(0.03, 0.022, 1), 0.2);
    sn_paint_over(color, BERRY, mouth);
    sn_paint_over(color, 0xFF7F7F, mouth * tongue);
    sn_paint_over(color, 0x4A3550, nose);
    sn_paint_over(color, 0xB79BB8, 0.8 * nose * sn_paint_spot(p, AT(-0.012, 0.69, 0.32), AT(0.014, 0.009, 0.03), 0.8));
    const double brow = 0.862 - 7.0 * (x - 0.115) * (x - 0.12);
    sn_paint_over(color, TEAL_DARK,
                  0.9 * front * sn_paint_step(0.0085, 0.0055, fabs(p[1] - brow)) *
                      sn_paint_step(0.034, 0.028, fabs(x - 0.12)));
}

static void paint_ears(const double p[3], const double n[3], double color[3])
{
    const double x = fabs(p[0]);
    const double skull[3] = {p[0] / 0.285, (p[1] - 0.715) / 0.245, p[2] / 0.245};
    const double away = sn_paint_step(1.02, 1.2, sn_length3(skull)) * sn_paint_step(0.28, 0.33, x);
    const double droop = sn_paint_step(0.92, 0.60, p[1]);
    sn_paint_over(color, TEAL_DARK, 0.75 * away * droop * droop);
    const double spot =
        sn_paint_spot((double[3]){x - 0.16 * (0.74 - p[1]), p[1], 0}, AT(0.428, 0.75, 0), AT(0.062, 0.135, 1), 0.22);
    sn_paint_over(color, CORAL, away * spot * sn_paint_step(0.1, 0.5, n[2]));
}

static void paint_body(const double p[3], const double n[3], double color[3])
{
    const double x = fabs(p[0]);
    sn_paint_over(color, CREAM,
                  sn_paint_step(0.0, 0.25, n[2]) * sn_paint_step(0.06, 0.09, p[2]) *
                      sn_paint_spot((double[3]){p[0], p[1], 0}, AT(0, 0.325, 0), AT(0.15, 0.155, 1), 0.1));
    /* mittens, socks, a cream tail */
    sn_paint_over(color, TEAL_DARK,
                  0.75 * sn_paint_step(0.328, 0.32, p[1] - 0.5 * (x - 0.32)) * sn_paint_step(0.25, 0.262, x));
    sn_paint_over(color, TEAL_DARK, 0.75 * sn_paint_step(0.094, 0.086, p[1] + 0.12 * p[2]));
    for (int toe = -1; toe <= 1; ++toe) {
        const double at[3] = {0.148 + 0.046 * toe, 0.052, 0.172 - 0.012 * toe * toe};
        sn_paint_over(color, CREAM, sn_paint_spot((double[3]){x, p[1], p[2]}, at, AT(0.017, 0.022, 0.05), 0.2));
    }
    sn_paint_over(color, CREAM, sn_paint_step(-0.235, -0.275, p[2]));
    /* darker patches down the back */
    for (int i = 0; i < 3; ++i) {
        const double size = 0.045 - 0.007 * i, at[3] = {0, 0.53 - 0.085 * i - 0.01 * i * i, -0.18};
        sn_paint_over(color, TEAL_DARK, 0.6 * sn_paint_spot(p, at, AT(size * 1.2, size * 0.8, 0.12), 0.2));
    }
}

static void paint(const void *user, const double p[3], const double n[3], double color[3])
{
    const sn_shape *shape = user;
    sn_paint_over(color, TEAL, 1);
    sn_paint_over(color, TEAL_LIGHT, 0.7 * sn_paint_step(0.6, 0.98, p[1]) * sn_paint_step(-0.4, 0.9, n[1]));
    paint_body(p, n, color);
    if (p[1] > 0.5) {
        paint_ears(p, n, color);
        paint_face(p, color);
    }
    const double openness = sn_paint_openness(shape, p, n, 0.12);
    sn_paint_over(color, 0x1D4E63, 0.42 * (1 - openness));
}

static void paint_eye(double angle, const double around[2], double color[3])
{
    const double degrees = angle * 57.29577951308232;
    const double x = degrees * around[0], y = degrees * around[1];
    sn_paint_over(color, 0xFFFCF6, 1);
    sn_paint_over(color, 0xD9E4E8, sn_paint_step(10, 60, y) * 0.7);
    const double iris = sn_paint_step(56, 54, degrees);
    sn_paint_over(color, 0x3A2230, iris);
    sn_paint_over(color, 0xC4693F, 0.9 * iris * sn_paint_step(8, -50, y) * sn_paint_step(54, 42, degrees));
    sn_paint_over(color, 0x17121C, sn_paint_step(35, 32, degrees));
    sn_paint_over(color, 0xFFFFFF, sn_paint_step(16.5, 14, hypot(x + 20, y - 24)));
    sn_paint_over(color, 0xFFFFFF, 0.85 * sn_paint_step(7.5, 5.5, hypot(x - 20, y + 22)));
}

static const sn_motion motions[] = {{"idle", 3.0, sn_mascot_idle},
                                    {"walk", 0.8, sn_mascot_walk},
                                    {"jump", 1.6, sn_mascot_jump},
                                    {"shake", 2.0, sn_mascot_shake}};

sn_result sn_mascot_build(sn_arena *arena, sn_scene_file *scene)
{
    sn_shape shape = {.count = 0};
    sn_rig rig = {.count = 0};
    build_shape(&shape);
    build_trunk(&rig);
    build_limbs(&rig);
    const sn_figure figure = {
        .shape = &shape,
        .cell = 0.02,
        .weight_rounds = 16,
        .rig = &rig,
        .region_density = region_density,
        .paint = paint,
        .user = &shape,
        .eyes = {{sn_rig_find(&rig, "LeftEye"), {0.118, 0.725, 0.172}, {0.078, 0.1, 0.078}, 15, 3},
                 {sn_rig_find(&rig, "RightEye"), {-0.118, 0.725, 0.172}, {0.078, 0.1, 0.078}, -1, 3}},
        .paint_eye = paint_eye,
        .roughness = 0.62F,
        .motions = motions,
        .motion_count = 4};
    return sn_figure_build(&figure, arena, scene);
}
