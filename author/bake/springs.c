/* SPDX-License-Identifier: MIT */
/* The spring bones of a baked VRM: chains of joints and colliders of VRM 1.0, from the model's joints. */
#include <string.h>

#include "author/bake/baker.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

#define SAME_POINT 1e-4 /* of the diagonal: a tail at the head of another bone */

typedef struct springs {
    const sn_baker *baker;
    sn_scene_file *scene;
    bool *is_listed; /* (spring_joint_count) */
} springs;

static void to_file(const sn_model *m, const float *point, double *result)
{
    const double origin[3] = {m->origin_x, m->origin_y, m->origin_z};
    for (int d = 0; d < 3; ++d) {
        result[d] = (double)point[d] / m->scale + origin[d];
    }
}

/* A point of the model in the frame of a bone at bind. */
static void to_bone(const sn_baker *b, int bone, const float *point, double *result)
{
    double at[3], inverse[12];
    to_file(b->model, point, at);
    sn_affine_invert(b->joints[bone].bind, inverse);
    sn_affine_apply(inverse, at, result);
}

/* Directions of VRM 0.x turn with the root (scene.c). */
static void turn(const sn_model *m, const float *from, double *result)
{
    const double sign = m->vrm_version == 1 ? -1 : 1;
    result[0] = sign * (double)from[0];
    result[1] = (double)from[1];
    result[2] = sign * (double)from[2];
}

static bool is_same_point(const sn_model *m, const float *a, const float *b)
{
    const double x[3] = {(double)a[0], (double)a[1], (double)a[2]}, y[3] = {(double)b[0], (double)b[1], (double)b[2]};
    return sn_distance3(x, y) < SAME_POINT * m->diagonal;
}

/* Joints of nodes that are no bones move nothing that is drawn. */
static bool moves_bone(const sn_model *m, int joint)
{
    return m->spring_bones[m->spring_joints[joint].bone] == joint;
}

/* The joint that continues a chain at the tail of another, or -1. */
static int next_joint(const springs *s, int joint)
{
    const sn_model *m = s->baker->model;
    const sn_spring_joint *from = &m->spring_joints[joint];
    for (int k = joint + 1; k < (int)m->spring_joint_count; ++k) {
        const sn_spring_joint *to = &m->spring_joints[k];
        if (to->parent == joint && moves_bone(m, k) && !s->is_listed[k] && to->center == from->center &&
            to->first_link == from->first_link && to->link_count == from->link_count &&
            is_same_point(m, from->tail, to->head)) {
            return k;
        }
    }
    return -1;
}

/* The node of a bone below that begins at the tail, or -1. */
static int32_t node_at_tail(const sn_baker *b, const sn_spring_joint *joint)
{
    const sn_model *m = b->model;
    for (int bone = 0; bone < m->counts.bone_count; ++bone) {
        if (m->bone_parents[bone] == joint->bone && is_same_point(m, m->bone_pivots + 3 * (size_t)bone, joint->tail)) {
            return b->joint_nodes[bone];
        }
    }
    return -1;
}

/* A node at the tail of a chain's last joint; the scene has room for it. */
static int32_t add_end_node(const springs *s, const sn_spring_joint *joint)
{
    sn_scene_file *scene = s->scene;
    sn_scene_node *node = &scene->nodes[scene->node_count];
    *node = (sn_scene_node){.name = "end",
                            .parent = s->baker->joint_nodes[joint->bone],
                            .mesh = -1,
                            .skin = -1,
                            .is_in_scene = true,
                            .rotation = {0, 0, 0, 1},
                            .scale = {1, 1, 1}};
    to_bone(s->baker, joint->bone, joint->tail, node->translation);
    sn_affine_identity(node->local);
    for (int d = 0; d < 3; ++d) {
        node->local[4 * d + 3] = node->translation[d];
    }
    return scene->node_count++;
}

static void add_link(const springs *s, int index, int next)
{
    const sn_model *m = s->baker->model;
    const sn_spring_joint *joint = &m->spring_joints[index];
    sn_spring_link *link = &s->scene->spring_links[s->scene->spring_link_count++];
    int32_t tail = next >= 0 ? s->baker->joint_nodes[m->spring_joints[next].bone] : node_at_tail(s->baker, joint);
    tail = tail >= 0 ? tail : add_end_node(s, joint);
    *link = (sn_spring_link){.node = s->baker->joint_nodes[joint->bone],
                             .tail = tail,
                             .group = s->scene->spring_count - 1,
                             .stiffness = (double)joint->stiffness,
                             .drag = (double)joint->drag,
                             .hit_radius = (double)joint->hit_radius / m->scale};
    turn(m, joint->gravity, link->gravity);
}

/* The chain that begins at a joint, with the colliders of its first joint. */
static void add_chain(const springs *s, int joint)
{
    const sn_model *m = s->baker->model;
    const sn_spring_joint *first = &m->spring_joints[joint];
    sn_scene_file *scene = s->scene;
    scene->springs[scene->spring_count++] =
        (sn_spring_group){.first_collider = scene->spring_collider_count,
                          .collider_count = first->link_count,
                          .center = first->center >= 0 ? s->baker->joint_nodes[first->center] : -1};
    memcpy(scene->spring_colliders + scene->spring_collider_count, m->spring_links + first->first_link,
           (size_t)first->link_count * sizeof *scene->spring_colliders);
    scene->spring_collider_count += first->link_count;
    while (joint >= 0) {
        s->is_listed[joint] = true;
        const int next = next_joint(s, joint);
        add_link(s, joint, next);
        joint = next;
    }
}

static void add_collider(const springs *s, const sn_spring_solid *from)
{
    const sn_baker *b = s->baker;
    double inverse[12];
    sn_spring_collider *to = &s->scene->colliders[s->scene->collider_count++];
    *to = (sn_spring_collider){.node = b->joint_nodes[from->bone],
                               .shape = (sn_collider_shape)from->shape,
                               .radius = (double)from->radius / b->model->scale,
                               .is_inside = from->is_inside != 0};
    to_bone(b, from->bone, from->location, to->offset);
    if (to->shape == SN_COLLIDER_CAPSULE) {
        to_bone(b, from->bone, from->end, to->tail);
    }
    sn_affine_invert(b->joints[from->bone].bind, inverse);
    for (int d = 0; d < 3 && to->shape == SN_COLLIDER_PLANE; ++d) {
        to->normal[d] = inverse[4 * d] * (double)from->end[0] + inverse[4 * d + 1] * (double)from->end[1] +
                        inverse[4 * d + 2] * (double)from->end[2];
    }
}

bool sn_baker_add_springs(const sn_baker *baker, sn_scene_file *scene)
{
    const sn_model *m = baker->model;
    const int joint_count = (int)m->spring_joint_count, solid_count = (int)m->spring_solid_count;
    size_t link_count = 0;
    for (int i = 0; i < joint_count; ++i) {
        link_count += (size_t)m->spring_joints[i].link_count;
    }
    scene->springs = SN_NEW(baker->arena, sn_spring_group, joint_count);
    scene->spring_links = SN_NEW(baker->arena, sn_spring_link, joint_count);
    scene->spring_colliders = SN_NEW(baker->arena, int32_t, link_count);
    scene->colliders = SN_NEW(baker->arena, sn_spring_collider, solid_count);
    const springs s = {.baker = baker, .scene = scene, .is_listed = SN_NEW(baker->arena, bool, joint_count)};
    if (!scene->springs || !scene->spring_links || !scene->spring_colliders || !scene->colliders || !s.is_listed) {
        return false;
    }
    for (int i = 0; i < solid_count; ++i) {
        add_collider(&s, &m->spring_solids[i]);
    }
    for (int i = 0; i < joint_count; ++i) { /* parents come first */
        if (moves_bone(m, i) && !s.is_listed[i]) {
            add_chain(&s, i);
        }
    }
    return true;
}
