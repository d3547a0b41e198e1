/* SPDX-License-Identifier: MIT */
/* A leg along y: a round bar of cubes, each cut into six tets, on two bones that meet at its middle, the origin. Metres
 * and kilograms; flesh of one material. Bones carry the vertices around the axis, but for those around the joint. */
#ifndef SN_TESTS_SUPPORT_LEG_H
#define SN_TESTS_SUPPORT_LEG_H

#include <math.h>
#include <string.h>

#include "host/layered/layered.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "tests/support/bar.h"

#define SN_LEG_LENGTH 0.84
#define SN_LEG_RADIUS 0.08
#define SN_LEG_DENSITY 1000.0

typedef struct sn_test_leg {
    sn_arena arena;
    sn_layered_desc desc;
    double *positions, *masses, *stiffness; /* = the desc's */
    int32_t *tets, *bones;
} sn_test_leg;

/* A square's point to the disc around it: circles of squares. */
static inline void sn_leg_round(double *x, double *z)
{
    const double most = fmax(fabs(*x), fabs(*z)), length = sqrt(*x * *x + *z * *z);
    const double factor = length > 0 ? most / length : 0;
    *x *= factor;
    *z *= factor;
}

static inline double sn_leg_volume(const double *positions, const int32_t *tet)
{
    double e[3][3], cross[3];
    for (int k = 0; k < 3; ++k) {
        sn_subtract3(positions + 3 * tet[k + 1], positions + 3 * tet[0], e[k]);
    }
    sn_cross3(e[1], e[2], cross);
    return sn_dot3(e[0], cross) / 6;
}

/* Stretch along the three axes, the same but for the first's factor; shear; volume. */
static inline void sn_leg_material(sn_test_leg *leg, double young, double poisson, double fibre)
{
    const double mu = young / (2 * (1 + poisson)), lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    const double all[7] = {2 * mu * fibre, 2 * mu, 2 * mu, mu, mu, mu, lambda};
    for (int i = 0; i < 7 * leg->desc.tet_count; ++i) {
        leg->stiffness[i] = all[i % 7];
    }
}

static inline void sn_leg_weigh(sn_test_leg *leg)
{
    memset(leg->masses, 0, (size_t)leg->desc.vertex_count * sizeof *leg->masses);
    for (int i = 0; i < 4 * leg->desc.tet_count; ++i) {
        leg->masses[leg->tets[i]] += SN_LEG_DENSITY * sn_leg_volume(leg->positions, leg->tets + i / 4 * 4) / 4;
    }
}

/* Cubes across (even) and along. Young's modulus 1e5, Poisson's ratio .4. */
static inline sn_test_leg sn_test_leg_make(int across, int along)
{
    sn_test_leg leg = {0};
    sn_tet_mesh mesh = sn_test_bar(&leg.arena, across, along, across, 1);
    leg.positions = mesh.positions;
    leg.tets = mesh.tets;
    leg.masses = SN_NEW(&leg.arena, double, mesh.vertex_count);
    leg.stiffness = SN_NEW(&leg.arena, double, 7 * mesh.tet_count);
    leg.bones = SN_NEW(&leg.arena, int32_t, mesh.vertex_count);
    SN_ASSERT(leg.masses && leg.stiffness && leg.bones);
    leg.desc = (sn_layered_desc){.vertex_count = mesh.vertex_count,
                                 .positions = leg.positions,
                                 .masses = leg.masses,
                                 .tet_count = mesh.tet_count,
                                 .tets = leg.tets,
                                 .stiffness = leg.stiffness,
                                 .bone_count = 2,
                                 .bones = leg.bones};
    for (int v = 0; v < mesh.vertex_count; ++v) {
        double *x = leg.positions + 3 * v;
        x[0] = 2 * SN_LEG_RADIUS * (x[0] / across - 0.5);
        x[1] = SN_LEG_LENGTH * (x[1] / along - 0.5);
        x[2] = 2 * SN_LEG_RADIUS * (x[2] / across - 0.5);
        sn_leg_round(&x[0], &x[2]);
        const double out = sqrt(x[0] * x[0] + x[2] * x[2]);
        const bool is_bound = out < 2.02 * SN_LEG_RADIUS / across && fabs(x[1]) > 0.9 * SN_LEG_RADIUS;
        leg.bones[v] = !is_bound ? -1 : x[1] > 0 ? 0 : 1;
    }
    sn_leg_weigh(&leg);
    sn_leg_material(&leg, 1e5, 0.4, 1);
    return leg;
}

/* Poses (2 x 12): the upper bone lifted, the lower one bent about x and twisted about y on top. */
static inline void sn_leg_pose(double lift, double bend, double twist, double *pose)
{
    const double c = cos(bend), s = sin(bend), ct = cos(twist), st = sin(twist);
    const double bent[12] = {1, 0, 0, 0, 0, c, -s, lift, 0, s, c, 0};
    const double twisted[12] = {ct, 0, st, 0, 0, 1, 0, 0, -st, 0, ct, 0};
    sn_affine_identity(pose);
    pose[7] = lift;
    sn_affine_multiply(bent, twisted, pose + 12);
}

/* Volume of what lies within `reach` of the joint along the rest leg, over its rest volume. */
static inline double sn_leg_joint_volume(const sn_test_leg *leg, const double *positions, double reach, int *inverted)
{
    double now = 0, rest = 0;
    for (int t = 0; t < leg->desc.tet_count; ++t) {
        const int32_t *tet = leg->tets + 4 * t;
        double middle = 0;
        for (int k = 0; k < 4; ++k) {
            middle += leg->positions[3 * tet[k] + 1] / 4;
        }
        const double volume = sn_leg_volume(positions, tet);
        if (inverted) {
            *inverted += volume <= 0;
        }
        if (fabs(middle) < reach) {
            now += volume;
            rest += sn_leg_volume(leg->positions, tet);
        }
    }
    return now / rest;
}

#endif
