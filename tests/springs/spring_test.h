/* SPDX-License-Identifier: MIT */
/* A chain of spring bones as VRM's reference has it and as a model does, on one root that a test moves. */
#ifndef SN_TESTS_SPRINGS_SPRING_TEST_H
#define SN_TESTS_SPRINGS_SPRING_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host/math/affine.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"
#include "host/springs/springs.h"
#include "tools/bench/spring_reference.h"

#define CHAIN_LIMIT 64
#define SOLID_LIMIT 4

/* Node 0 is the root; joint i is node i + 1, its tail node i + 2. Node and bone have the same number. */
typedef struct chain {
    sn_scene_file scene;
    sn_scene_node nodes[CHAIN_LIMIT + 2];
    sn_spring_link links[CHAIN_LIMIT];
    sn_spring_group group;
    sn_spring_collider colliders[SOLID_LIMIT];
    int32_t named[SOLID_LIMIT];
    sn_model model;
    sn_spring_joint joints[CHAIN_LIMIT];
    sn_spring_solid solids[SOLID_LIMIT];
    int32_t bones[CHAIN_LIMIT + 2];
    double rest[CHAIN_LIMIT + 2][3];
    sn_arena arena;
    sn_vrm_springs *reference;
    sn_springs *springs;
} chain;

/* Joints one after the other, each `way` on from the one before, as `values` have it; scale: model units a metre. */
static inline void chain_build(chain *c, int joint_count, const double *way, const sn_spring_link *values, double scale)
{
    *c = (chain){.scene = {.node_count = joint_count + 2, .spring_link_count = joint_count, .spring_count = 1}};
    c->scene.nodes = c->nodes;
    c->scene.spring_links = c->links;
    c->scene.springs = &c->group;
    c->scene.colliders = c->colliders;
    c->scene.spring_colliders = c->named;
    c->group.center = -1;
    c->model = (sn_model){.counts = {.bone_count = joint_count + 2}, .scale = scale, .diagonal = scale};
    c->model.spring_joint_count = joint_count;
    c->model.spring_joints = c->joints;
    c->model.spring_solids = c->solids;
    c->model.spring_links = c->named;
    c->model.spring_bones = c->bones;
    for (int i = 0; i < joint_count + 2; ++i) {
        c->nodes[i] = (sn_scene_node){.name = "", .parent = i - 1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
        c->bones[i] = i > joint_count ? joint_count - 1 : i - 1;
        for (int d = 0; d < 3; ++d) {
            c->nodes[i].translation[d] = i > 1 ? way[d] : 0;
            c->rest[i][d] = i > 1 ? (i - 1) * way[d] : 0;
        }
    }
    for (int i = 0; i < joint_count; ++i) {
        c->links[i] = *values;
        c->links[i].node = i + 1;
        c->links[i].tail = i + 2;
        c->links[i].group = 0;
        sn_spring_joint *j = &c->joints[i];
        *j = (sn_spring_joint){.bone = i + 1,
                               .parent = i - 1,
                               .center = -1,
                               .stiffness = (float)values->stiffness,
                               .drag = (float)values->drag,
                               .hit_radius = (float)(values->hit_radius * scale)};
        for (int d = 0; d < 3; ++d) {
            j->gravity[d] = (float)values->gravity[d];
            j->head[d] = (float)(scale * c->rest[i + 1][d]);
            j->tail[d] = (float)(scale * c->rest[i + 2][d]);
        }
    }
}

/* On the root, for all joints. */
static inline void chain_add_solid(chain *c, const sn_spring_collider *solid)
{
    const int index = c->scene.collider_count++;
    c->colliders[index] = *solid;
    c->named[index] = index;
    c->group.collider_count = c->scene.spring_collider_count = c->scene.collider_count;
    c->model.spring_solid_count = c->model.spring_link_count = c->scene.collider_count;
    sn_spring_solid *s = &c->solids[index];
    *s = (sn_spring_solid){.bone = solid->node,
                           .shape = (int32_t)solid->shape,
                           .is_inside = solid->is_inside,
                           .radius = (float)(solid->radius * c->model.scale)};
    for (int d = 0; d < 3; ++d) {
        const double end = solid->shape == SN_COLLIDER_CAPSULE ? solid->tail[d] : solid->offset[d];
        s->location[d] = (float)(c->model.scale * solid->offset[d]);
        s->end[d] = (float)(solid->shape == SN_COLLIDER_PLANE ? solid->normal[d] : c->model.scale * end);
    }
    for (int i = 0; i < c->scene.spring_link_count; ++i) {
        c->joints[i].link_count = c->scene.collider_count;
    }
}

static inline void chain_open(chain *c, double time_step)
{
    assert_int_equal(sn_vrm_springs_create(&c->scene, &c->arena, &c->reference), SN_OK);
    assert_int_equal(sn_springs_create(&c->model, time_step, &c->springs), SN_OK);
    assert_non_null(c->springs);
}

static inline void chain_close(chain *c)
{
    sn_springs_destroy(&c->springs);
    sn_arena_finish(&c->arena);
}

/* A turn about an axis, then a shift: metres. */
typedef struct motion {
    double axis[3], angle, shift[3];
} motion;

static inline void motion_rotation(const motion *m, double *q)
{
    double axis[3] = {m->axis[0], m->axis[1], m->axis[2]};
    sn_normalize3(axis, (const double[3]){0, 1, 0});
    for (int d = 0; d < 3; ++d) {
        q[d] = sin(m->angle / 2) * axis[d];
    }
    q[3] = cos(m->angle / 2);
}

/* The pose of all bones, as the root goes. */
static inline void chain_pose(const chain *c, const motion *m, double *pose)
{
    double q[4], turn[9];
    motion_rotation(m, q);
    sn_quaternion_to_matrix(q, turn);
    for (int b = 0; b < c->model.counts.bone_count; ++b) {
        for (int i = 0; i < 12; ++i) {
            pose[12 * b + i] = i % 4 < 3 ? turn[3 * (i / 4) + i % 4] : c->model.scale * m->shift[i / 4];
        }
    }
}

/* A step of either to where the root is; posed has our pose. */
static inline void chain_step(chain *c, const motion *m, double reference_seconds, double *posed)
{
    double pose[12 * (CHAIN_LIMIT + 2)];
    sn_vrm_node *root = sn_vrm_springs_nodes(c->reference);
    chain_pose(c, m, pose);
    assert_true(sn_springs_step(c->springs, pose, NULL, posed));
    if (reference_seconds > 0) {
        motion_rotation(m, root->rotation);
        memcpy(root->translation, m->shift, sizeof m->shift);
        sn_vrm_springs_update(c->reference, reference_seconds);
    }
}

/* Of joint i: ours, in metres. */
static inline void chain_tail(const chain *c, int joint, const double *posed, double *tail)
{
    double location[3];
    for (int d = 0; d < 3; ++d) {
        location[d] = (double)c->joints[joint].tail[d];
    }
    sn_affine_apply(posed + 12 * (joint + 1), location, tail);
    for (int d = 0; d < 3; ++d) {
        tail[d] /= c->model.scale;
    }
}

/* The largest distance between our tails and the reference's. */
static inline double chain_difference(const chain *c, const double *posed)
{
    double largest = 0;
    for (int i = 0; i < c->scene.spring_link_count; ++i) {
        double ours[3], theirs[3];
        chain_tail(c, i, posed, ours);
        sn_vrm_springs_tail(c->reference, i, theirs);
        largest = fmax(largest, sn_distance3(ours, theirs));
    }
    return largest;
}

#endif
