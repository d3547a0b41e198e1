/* SPDX-License-Identifier: MIT */
/* The octopus: coral above, cream below, with suckers and spots. */
#include "author/characters/characters.h"
#include "author/characters/figure.h"
#include "author/characters/octopus_motion.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"

#define CORAL 0xFF8A70
#define CORAL_LIGHT 0xFFB79A
#define CORAL_DARK 0xE25660
#define CREAM 0xFFF0DA
#define BLUSH 0xFF5F78
#define SUCKER 0xF58D86
#define BERRY 0x7C2F45

#define PI 3.14159265358979323846
#define AT(x, y, z) ((const double[3]){(x), (y), (z)})
#define RINGS 14 /* shape pieces per arm */
#define SAMPLES 70
#define ARM_LENGTH 0.66
#define ARM_START 0.11 /* metres from the vertical axis */
/* The head's bag is softer than the muscular arms; at the arms' stiffness it would hardly move. */
#define MANTLE_STIFFNESS 0.11

/* A precomputed sample of an arm's center curve in a vertical plane: down from the body, along the ground, with the tip
 * curled up. */
typedef struct arm_sample {
    double point[3], ventral[3]; /* side with the suckers, unit */
    double thickness, suckers;   /* suckers: number of pairs from the root to here */
} arm_sample;

typedef struct octopus {
    sn_shape shape;
    sn_rig rig;
    double stiffness[SN_RIG_BONES];
    arm_sample arms[SN_OCTOPUS_ARMS][SAMPLES + 1];
} octopus;

static void sample_arm(octopus *o, int arm)
{
    /* degrees above the horizon, and radius in metres, along the arm from 0 to 1 */
    static const double slopes[][2] = {{0, -52}, {0.2, -42}, {0.42, -4}, {0.6, 6}, {0.76, 48}, {0.9, 128}, {1, 195}};
    static const double radii[][2] = {{0, 0.1}, {0.22, 0.078}, {0.5, 0.056}, {0.75, 0.042}, {1, 0.027}};
    arm_sample *samples = o->arms[arm];
    double out = ARM_START, up = 0, min_height = 1, suckers = 0;
    for (int i = 0; i <= SAMPLES; ++i) {
        const double along = (double)i / SAMPLES, length = ARM_LENGTH * (1 + 0.05 * sin(2.6 * arm));
        const double slope = sn_motion_curve(slopes, 7, along) * PI / 180, radius = sn_motion_curve(radii, 5, along);
        const double direction = sn_octopus_direction(arm) + 0.22 * (arm % 2 ? 1 : -1) * along * along;
        const double sideways[2] = {sin(direction), cos(direction)};
        samples[i] = (arm_sample){{out * sideways[0], up, out * sideways[1]},
                                  {sin(slope) * sideways[0], -cos(slope), sin(slope) * sideways[1]},
                                  radius,
                                  suckers};
        min_height = fmin(min_height, up - radius);
        out += length / SAMPLES * cos(slope);
        up += length / SAMPLES * sin(slope);
        suckers += length / SAMPLES / (0.78 * radius);
    }
    for (int i = 0; i <= SAMPLES; ++i) {
        samples[i].point[1] -= min_height + 0.004;
    }
}

static void build_shape(octopus *o)
{
    sn_shape *s = &o->shape;
    sn_shape_add_ball(s, AT(0, 0.685, -0.03), AT(0.31, 0.29, 0.30), NULL, 0);
    sn_shape_add_ball(s, AT(0, 0.74, -0.12), AT(0.22, 0.22, 0.24), NULL, 0.1);
    sn_shape_add_ball(s, AT(0, 0.44, 0.03), AT(0.225, 0.18, 0.2), NULL, 0.12);
    sn_shape_add_ball(s, AT(0, 0.27, 0), AT(0.18, 0.13, 0.18), NULL, 0.08);
    sn_shape_add_ball(s, AT(0.14, 0.515, 0.13), AT(0.125, 0.12, 0.1), NULL, 0.05); /* eye sockets */
    sn_shape_mirror_last(s);
    for (int arm = 0; arm < SN_OCTOPUS_ARMS; ++arm) {
        for (int i = 0; i < RINGS; ++i) {
            const arm_sample *a = &o->arms[arm][i * SAMPLES / RINGS], *b = &o->arms[arm][(i + 1) * SAMPLES / RINGS];
            sn_shape_add_limb(s, a->point, b->point, a->thickness, b->thickness, i == 0 ? 0.06 : 0.015);
        }
    }
    sn_shape_add_ball(s, AT(0, -20, 0), AT(20, 20, 20), NULL, 0.02);
    sn_shape_cut_last(s);
}

static const char *const arm_names[SN_OCTOPUS_ARMS][SN_OCTOPUS_JOINTS] = {
#define ARM(n)                                                                                                         \
    {                                                                                                                  \
        "arm" #n "1", "arm" #n "2", "arm" #n "3", "arm" #n "4"                                                         \
    }
    ARM(A), ARM(B), ARM(C), ARM(D), ARM(E), ARM(F), ARM(G), ARM(H)};

static int add_bone(sn_rig *rig, const char *name, int parent, const double head[3], const double tail[3],
                    const double radii[2], int region)
{
    sn_rig_bone bone = {.name = name, .parent = parent, .radii = {radii[0], radii[1]}, .region = region};
    memcpy(bone.head, head, sizeof bone.head);
    memcpy(bone.tail, tail, sizeof bone.tail);
    return sn_rig_add(rig, &bone);
}

static void build_rig(octopus *o)
{
    sn_rig *r = &o->rig;
    const int root = add_bone(r, "root", -1, AT(0, 0, 0), AT(0, 0.2, 0), AT(0, 0, 0), 0);
    const int body = add_bone(r, "body", root, AT(0, 0.24, 0), AT(0, 0.36, 0), AT(0.17, 0.18, 0), 0);
    const int head = add_bone(r, "head", body, AT(0, 0.40, 0), AT(0, 0.52, 0), AT(0.19, 0.23, 0), 0);
    const int mantle = add_bone(r, "mantle", head, AT(0, 0.64, -0.03), AT(0, 0.70, -0.03), AT(0.28, 0.29, 0), 0);
    r->bones[mantle].is_soft_bone = true;
    add_bone(r, "LeftEye", head, AT(0.142, 0.51, 0.165), AT(0.142, 0.51, 0.25), AT(0, 0, 0), 0);
    add_bone(r, "RightEye", head, AT(-0.142, 0.51, 0.165), AT(-0.142, 0.51, 0.25), AT(0, 0, 0), 0);
    for (int bone = 0; bone < SN_RIG_BONES; ++bone) {
        o->stiffness[bone] = bone == head || bone == mantle ? MANTLE_STIFFNESS : 1;
    }
    for (int arm = 0; arm < SN_OCTOPUS_ARMS; ++arm) {
        int parent = body;
        for (int joint = 0; joint < SN_OCTOPUS_JOINTS; ++joint) {
            const arm_sample *a = &o->arms[arm][joint * SAMPLES / SN_OCTOPUS_JOINTS];
            const arm_sample *b = &o->arms[arm][(joint + 1) * SAMPLES / SN_OCTOPUS_JOINTS];
            parent = add_bone(r, arm_names[arm][joint], parent, a->point, b->point, AT(a->thickness, b->thickness, 0),
                              1 + arm);
            r->bones[parent].is_soft_bone = true;
        }
    }
}

/* Finds the nearest sample of all arms, and the lateral distance from its center curve in metres. */
static const arm_sample *find_sample(const octopus *o, const double p[3], double *along, double *suckers,
                                     double *lateral_offset)
{
    const arm_sample *nearest = NULL;
    double best = 1e9;
    for (int arm = 0; arm < SN_OCTOPUS_ARMS; ++arm) {
        for (int i = 0; i < SAMPLES; ++i) {
            const arm_sample *at = &o->arms[arm][i];
            double offset[3], axis[3], t, side[3];
            sn_subtract3(p, at->point, offset);
            sn_subtract3(at[1].point, at->point, axis);
            t = fmin(fmax(sn_dot3(offset, axis) / sn_dot3(axis, axis), 0), 1);
            for (int d = 0; d < 3; ++d) {
                offset[d] -= t * axis[d];
            }
            const double distance = sn_dot3(offset, offset);
            if (distance < best) {
                best = distance;
                nearest = at;
                *along = (i + t) / SAMPLES;
                *suckers = at->suckers + t * (at[1].suckers - at->suckers);
                sn_cross3(axis, at->ventral, side);
                *lateral_offset = sn_dot3(offset, side) / sn_length3(axis);
            }
        }
    }
    return nearest;
}

static void paint_arms(const octopus *o, const double p[3], const double n[3], double color[3])
{
    double along = 0, suckers = 0, lateral_offset = 0;
    const arm_sample *at = find_sample(o, p, &along, &suckers, &lateral_offset);
    const double below = sn_dot3(n, at->ventral), arm_radius = at->thickness;
    sn_paint_over(color, CORAL_DARK, 0.5 * sn_paint_step(0.3, 1.0, along));
    const double pale = sn_paint_step(0.1, 0.3, below) * sn_paint_step(0.1, 0.25, along);
    sn_paint_over(color, CREAM, pale);
    /* two rows of suckers: rings with a pale center */
    const double cell = (suckers - floor(suckers) - 0.5) * 0.78 * arm_radius,
                 row = fabs(lateral_offset) - 0.4 * arm_radius;
    const double ring = hypot(cell, row) / arm_radius, visibility = pale * sn_paint_step(1.0, 0.97, along);
    sn_paint_over(color, SUCKER, 0.85 * visibility * sn_paint_step(0.36, 0.3, ring));
    sn_paint_over(color, CREAM, visibility * sn_paint_step(0.2, 0.14, ring));
}

static void paint_face(const double p[3], double color[3])
{
    const double x = fabs(p[0]), front = sn_paint_step(0.05, 0.12, p[2]);
    sn_paint_over(color, BLUSH,
                  0.5 * front *
                      sn_paint_spot((double[3]){x, p[1], p[2]}, AT(0.175, 0.405, 0.14), AT(0.05, 0.034, 0.12), 1.1));
    const double line = 0.4 + 3.6 * p[0] * p[0];
    const double mouth = front * sn_paint_step(line + 0.002, line - 0.002, p[1]) *
                         sn_paint_spot((double[3]){p[0], p[1], 0}, AT(0, 0.408, 0), AT(0.054, 0.052, 1), 0.1);
    sn_paint_over(color, BERRY, mouth);
    sn_paint_over(color, 0xE9657A,
                  mouth * sn_paint_spot((double[3]){p[0], p[1], 0}, AT(0, 0.366, 0), AT(0.03, 0.018, 1), 0.2));
}

/* Paints round spots, given by their direction from the mantle's center and their radius in radians. */
static void paint_mantle(const double p[3], double color[3])
{
    static const double spots[][4] = {{0.4, 0.75, 0.5, 0.19},    {-0.25, 0.9, 0.3, 0.14}, {-0.65, 0.55, 0.45, 0.15},
                                      {0.95, 0.25, 0.1, 0.16},   {0.55, 0.6, -0.4, 0.17}, {-0.35, 0.65, -0.5, 0.2},
                                      {-0.95, 0.05, -0.1, 0.17}, {0.05, 0.15, -1, 0.19},  {-0.65, -0.2, -0.65, 0.15},
                                      {0.75, -0.1, -0.6, 0.14},  {0.1, 0.4, 0.9, 0.085},  {0.62, 0.2, 0.75, 0.085},
                                      {-0.42, 0.2, 0.88, 0.1},   {0.72, 0.48, 0.42, 0.07}};
    double from[3];
    sn_subtract3(p, AT(0, 0.69, -0.04), from);
    sn_normalize3(from, from);
    for (size_t i = 0; i < sizeof spots / sizeof *spots && p[1] > 0.5; ++i) {
        double to[3] = {spots[i][0], spots[i][1], spots[i][2]};
        sn_normalize3(to, from);
        const double angle = acos(fmin(fmax(sn_dot3(from, to), -1), 1)), radius = spots[i][3];
        sn_paint_over(color, 0xFFD3B4, 0.85 * sn_paint_step(radius + 0.015, radius - 0.015, angle));
    }
}

static void paint(const void *user, const double p[3], const double n[3], double color[3])
{
    const octopus *o = user;
    sn_paint_over(color, CORAL, 1);
    sn_paint_over(color, CORAL_LIGHT, 0.5 * sn_paint_step(0.62, 0.95, p[1]));
    sn_paint_over(color, CORAL_DARK, 0.35 * sn_paint_step(0.42, 0.2, p[1]));
    if (p[1] < 0.3 && hypot(p[0], p[2]) > 0.12) {
        paint_arms(o, p, n, color);
    }
    paint_face(p, color);
    paint_mantle(p, color);
    const double openness = sn_paint_openness(&o->shape, p, n, 0.12);
    sn_paint_over(color, 0x8A2A52, 0.42 * (1 - openness));
}

static void paint_eye(double angle, const double around[2], double color[3])
{
    const double degrees = angle * 57.29577951308232;
    const double x = degrees * around[0], y = degrees * around[1];
    sn_paint_over(color, 0xFFFCF6, 1);
    sn_paint_over(color, 0xF2DCDC, sn_paint_step(10, 60, y) * 0.7);
    const double iris = sn_paint_step(52, 50, degrees);
    sn_paint_over(color, 0x0F3B4A, iris);
    sn_paint_over(color, 0x3FC1B0, 0.95 * iris * sn_paint_step(12, -46, y) * sn_paint_step(50, 40, degrees));
    sn_paint_over(color, 0x10141F, sn_paint_step(33, 30, degrees));
    sn_paint_over(color, 0xFFFFFF, sn_paint_step(16.5, 14, hypot(x + 19, y - 22)));
    sn_paint_over(color, 0xFFFFFF, 0.85 * sn_paint_step(7.5, 5.5, hypot(x - 18, y + 21)));
}

static const sn_motion motions[] = {
    {"idle", 4.0, sn_octopus_idle}, {"swim", 1.6, sn_octopus_swim}, {"wave", 2.4, sn_octopus_wave}};

sn_result sn_octopus_build(sn_arena *arena, sn_scene_file *scene)
{
    static const double region_density[1 + SN_OCTOPUS_ARMS] = {1.3, 1, 1, 1, 1, 1, 1, 1, 1};
    octopus *o = SN_NEW(arena, octopus, 1);
    if (!o) {
        return SN_ERROR_MEMORY;
    }
    for (int arm = 0; arm < SN_OCTOPUS_ARMS; ++arm) {
        sample_arm(o, arm);
    }
    build_shape(o);
    build_rig(o);
    const int left = sn_rig_find(&o->rig, "LeftEye"), right = sn_rig_find(&o->rig, "RightEye");
    const sn_figure figure = {.shape = &o->shape,
                              .cell = 0.0215,
                              .weight_rounds = 10,
                              .rig = &o->rig,
                              .region_density = region_density,
                              .bone_stiffness = o->stiffness,
                              .paint = paint,
                              .user = o,
                              .eyes = {{left, {0.142, 0.51, 0.165}, {0.094, 0.106, 0.088}, 18, 3},
                                       {right, {-0.142, 0.51, 0.165}, {0.094, 0.106, 0.088}, -2, 3}},
                              .paint_eye = paint_eye,
                              .roughness = 0.42F,
                              .motions = motions,
                              .motion_count = 3};
    return sn_figure_build(&figure, arena, scene);
}
