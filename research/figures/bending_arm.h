/* SPDX-License-Identifier: MIT */
/* An arm that bends: a closed tube along x with a joint in its middle, and where its skin truly is at any angle. Its
 * axis becomes a circle's arc about the joint, and cross-sections stay as they are, across the axis: a beam in pure
 * bending, which keeps its volume. Linear blend skinning pinches it, dual quaternions bulge. Tests bend it, and the
 * figures; these have other limbs of it as well, which turn about their axis in place of bending, or swell. */
#ifndef SN_RESEARCH_FIGURES_BENDING_ARM_H
#define SN_RESEARCH_FIGURES_BENDING_ARM_H

#include <math.h>
#include <string.h>

#include "author/bake/shapes.h"

#define ARM_RINGS 49
#define ARM_SIDES 24
#define ARM_VERTICES (ARM_RINGS * ARM_SIDES + 2)
#define ARM_TRIANGLES (2 * ARM_SIDES * ARM_RINGS)
#define ARM_HALF 1.0 /* length to either side of the joint */
#define ARM_PI 3.14159265358979323846

typedef struct arm_shape {
    double bend;     /* radians, about z */
    double twist;    /* radians, about x; one of both is 0 */
    double blend;    /* weights change, and the axis bends, as far to either side of the joint */
    double swelling; /* of the upper half's radius, at its middle, when it is bent */
} arm_shape;

typedef struct bending_arm {
    sn_scene_file scene; /* clip 0 bends it, or turns it, in a second */
    arm_shape shape;
    sn_scene_node nodes[3];
    sn_scene_mesh mesh;
    sn_scene_primitive primitive;
    sn_scene_skin skin;
    sn_scene_clip clip;
    sn_scene_channel channel;
    float positions[3 * ARM_VERTICES], weights[4 * ARM_VERTICES], times[2], rotations[8];
    int32_t joints[4 * ARM_VERTICES], triangles[3 * ARM_TRIANGLES], skin_joints[2];
    double inverse_bind[24];
} bending_arm;

static inline double arm_radius(double x)
{
    return 0.22 - 0.05 * x + 0.02 * cos(5 * x);
}

/* 0 behind the joint, 1 beyond it. */
static inline double arm_share(const bending_arm *a, double x)
{
    return fmin(fmax((x + a->shape.blend) / (2 * a->shape.blend), 0), 1);
}

static inline void arm_rest(bending_arm *a)
{
    for (int v = 0; v < ARM_VERTICES; ++v) {
        const int ring = v / ARM_SIDES;
        const double turn = 2 * ARM_PI * (v % ARM_SIDES) / ARM_SIDES;
        double x = ARM_HALF * (2.0 * ring / (ARM_RINGS - 1) - 1), r = arm_radius(x);
        if (v >= ARM_RINGS * ARM_SIDES) { /* the middles of the caps */
            x = v == ARM_RINGS * ARM_SIDES ? -ARM_HALF - 0.1 : ARM_HALF + 0.1;
            r = 0;
        }
        a->positions[3 * v] = (float)x;
        a->positions[3 * v + 1] = (float)(r * cos(turn));
        a->positions[3 * v + 2] = (float)(r * sin(turn));
        const double s = arm_share(a, x);
        a->weights[4 * v + 1] = (float)(s * s * (3 - 2 * s));
        a->weights[4 * v] = 1 - a->weights[4 * v + 1];
        a->joints[4 * v + 1] = 1;
    }
}

static inline void arm_faces(bending_arm *a)
{
    int at = 0;
    for (int ring = 0; ring + 1 < ARM_RINGS; ++ring) {
        for (int k = 0; k < ARM_SIDES; ++k) {
            const int32_t p = ring * ARM_SIDES + k, q = ring * ARM_SIDES + (k + 1) % ARM_SIDES;
            const int32_t corners[6] = {p, q, p + ARM_SIDES, q, q + ARM_SIDES, p + ARM_SIDES};
            memcpy(a->triangles + 3 * at, corners, sizeof corners);
            at += 2;
        }
    }
    for (int k = 0; k < ARM_SIDES; ++k) {
        const int32_t last = (ARM_RINGS - 1) * ARM_SIDES, next = (k + 1) % ARM_SIDES;
        const int32_t corners[6] = {ARM_RINGS * ARM_SIDES, next, k, ARM_RINGS * ARM_SIDES + 1, last + k, last + next};
        memcpy(a->triangles + 3 * at, corners, sizeof corners);
        at += 2;
    }
}

static inline void arm_node(sn_scene_node *node, const char *name, int32_t parent)
{
    *node = (sn_scene_node){.name = name,
                            .parent = parent,
                            .mesh = -1,
                            .skin = -1,
                            .rotation = {0, 0, 0, 1},
                            .scale = {1, 1, 1},
                            .local = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
                            .is_in_scene = true};
}

/* In place: what it holds points into it. */
static inline void make_arm(const arm_shape *shape, bending_arm *a)
{
    memset(a, 0, sizeof *a);
    a->shape = *shape;
    arm_rest(a);
    arm_faces(a);
    arm_node(&a->nodes[0], "upper", -1);
    arm_node(&a->nodes[1], "fore", 0);
    arm_node(&a->nodes[2], "skin", -1);
    a->nodes[2].mesh = a->nodes[2].skin = 0;
    for (int i = 0; i < 2; ++i) {
        a->skin_joints[i] = i;
        memcpy(a->inverse_bind + 12 * i, a->nodes[0].local, sizeof a->nodes[0].local);
    }
    a->times[1] = 1;
    a->rotations[3] = 1;
    a->rotations[4] = (float)sin(shape->twist / 2);
    a->rotations[6] = (float)sin(shape->bend / 2);
    a->rotations[7] = (float)cos((shape->bend + shape->twist) / 2);
    a->primitive = (sn_scene_primitive){.vertex_count = ARM_VERTICES,
                                        .triangle_count = ARM_TRIANGLES,
                                        .positions = a->positions,
                                        .influence_count = 4,
                                        .joints = a->joints,
                                        .weights = a->weights,
                                        .triangles = a->triangles,
                                        .material = -1};
    a->mesh = (sn_scene_mesh){.name = "arm", .primitive_count = 1};
    a->skin = (sn_scene_skin){.joint_count = 2, .joints = a->skin_joints, .inverse_bind = a->inverse_bind};
    a->channel = (sn_scene_channel){
        .node = 1, .path = SN_PATH_ROTATION, .key_count = 2, .width = 4, .times = a->times, .values = a->rotations};
    a->clip = (sn_scene_clip){.name = "bend", .channel_count = 1, .seconds = 1};
    a->scene = (sn_scene_file){.node_count = 3,
                               .mesh_count = 1,
                               .primitive_count = 1,
                               .skin_count = 1,
                               .clip_count = 1,
                               .channel_count = 1,
                               .nodes = a->nodes,
                               .meshes = &a->mesh,
                               .primitives = &a->primitive,
                               .skins = &a->skin,
                               .clips = &a->clip,
                               .channels = &a->channel};
}

static inline void make_bending_arm(double angle, bending_arm *a)
{
    make_arm(&(arm_shape){.bend = angle, .blend = 0.4}, a);
}

/* Where the skin is at a fraction of the angle, and swollen by a fraction: (ARM_VERTICES x 3). The axis turns by it
 * within `blend` of the joint, between straight parts that lie where the rig's bones lie. */
static inline void place_arm(const bending_arm *a, double fraction, double swollen, double *places)
{
    const double angle = fraction * a->shape.bend, blend = a->shape.blend;
    for (int v = 0; v < ARM_VERTICES; ++v) {
        const double x = (double)a->positions[3 * v], s = arm_share(a, x), turn = s * angle;
        const double from_middle = (x + 0.5 * ARM_HALF) / (0.35 * ARM_HALF), spin = s * fraction * a->shape.twist;
        const double size = 1 + swollen * a->shape.swelling * exp(-from_middle * from_middle);
        const double around[2] = {size * (double)a->positions[3 * v + 1], size * (double)a->positions[3 * v + 2]};
        const double y = cos(spin) * around[0] - sin(spin) * around[1];
        /* the arc touches both bones at the same distance from the joint: radius tan(angle / 2) */
        const double radius = fabs(angle) > 1e-9 ? 2 * blend / angle : 1e9;
        const double touch = fabs(angle) > 1e-9 ? radius * tan(angle / 2) : blend;
        double axis[2] = {-touch + radius * sin(turn), radius * (1 - cos(turn))};
        if (fabs(angle) <= 1e-9) {
            axis[0] = fmin(fmax(x, -blend), blend);
            axis[1] = 0;
        }
        const double beyond = x - fmin(fmax(x, -blend), blend);
        places[3 * v] = axis[0] + beyond * cos(turn) - y * sin(turn);
        places[3 * v + 1] = axis[1] + beyond * sin(turn) + y * cos(turn);
        places[3 * v + 2] = sin(spin) * around[0] + cos(spin) * around[1];
    }
}

/* Swelling goes with the angle. */
static inline void bend_arm(const bending_arm *a, double fraction, double *places)
{
    place_arm(a, fraction, fraction, places);
}

#endif
