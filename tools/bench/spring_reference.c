/* SPDX-License-Identifier: MIT */
#include "tools/bench/spring_reference.h"

#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"

#define FREE_LENGTH 0.07 /* tail length where VRM 0.x defines none */

/* SpringBoneJointState of the specification. */
typedef struct joint_state {
    double previous[3], current[3]; /* tail position in the center's space, or in world space */
    double axis[3], length;         /* unit axis in the node's rest frame; in world space */
    sn_vrm_node rest;
} joint_state;

struct sn_vrm_springs {
    const sn_scene_file *scene;
    sn_vrm_node *nodes;
    joint_state *joints; /* (spring_link_count) */
    int *order;          /* order of the links, ancestors first */
};

static void compose(const sn_vrm_node *n, double *local)
{
    double rotation_matrix[9];
    sn_quaternion_to_matrix(n->rotation, rotation_matrix);
    for (int i = 0; i < 9; ++i) {
        local[4 * (i / 3) + i % 3] = rotation_matrix[i] * n->scale[i % 3];
    }
    for (int d = 0; d < 3; ++d) {
        local[4 * d + 3] = n->translation[d];
    }
}

void sn_vrm_springs_world(const sn_vrm_springs *s, int32_t node, double *world)
{
    double local[12], above[12];
    compose(&s->nodes[node], world);
    for (int32_t at = s->scene->nodes[node].parent; at >= 0; at = s->scene->nodes[at].parent) {
        memcpy(above, world, sizeof above);
        compose(&s->nodes[at], local);
        sn_affine_multiply(local, above, world);
    }
}

/* The world transform of a joint's node in its rest pose on its current parent. */
static void rest_world(const sn_vrm_springs *s, int link, double *world)
{
    const int32_t parent = s->scene->nodes[s->scene->spring_links[link].node].parent;
    double local[12], above[12];
    compose(&s->joints[link].rest, local);
    if (parent >= 0) {
        sn_vrm_springs_world(s, parent, above);
    } else {
        sn_affine_identity(above);
    }
    sn_affine_multiply(above, local, world);
}

static void read_position(const double *world, double *place)
{
    for (int d = 0; d < 3; ++d) {
        place[d] = world[4 * d + 3];
    }
}

static void center_world(const sn_vrm_springs *s, int link, double *world)
{
    const int32_t center = s->scene->springs[s->scene->spring_links[link].group].center;
    if (center >= 0) {
        sn_vrm_springs_world(s, center, world);
    } else {
        sn_affine_identity(world);
    }
}

static void to_center(const double *center, const double *place, double *result)
{
    double inverse[12];
    if (sn_affine_invert(center, inverse)) {
        sn_affine_apply(inverse, place, result);
    }
}

/* VRM 0.x: tail of a node without a child, extended from its position in its parent's frame. */
static void find_tail(const sn_vrm_springs *s, const sn_spring_link *link, const double *head, double *tail)
{
    static const double up[3] = {0, 1, 0};
    const int32_t parent = s->scene->nodes[link->node].parent;
    double world[12], along[3] = {head[0], head[1], head[2]};
    if (link->tail >= 0) {
        sn_vrm_springs_world(s, link->tail, world);
        read_position(world, tail);
        return;
    }
    if (parent >= 0) {
        sn_vrm_springs_world(s, parent, world);
        read_position(world, along);
        sn_subtract3(head, along, along);
    }
    sn_normalize3(along, up);
    for (int d = 0; d < 3; ++d) {
        tail[d] = head[d] + FREE_LENGTH * along[d];
    }
}

static void begin_joint(sn_vrm_springs *s, int link)
{
    static const double up[3] = {0, 1, 0};
    const sn_spring_link *l = &s->scene->spring_links[link];
    joint_state *j = &s->joints[link];
    double world[12], inverse[12], center[12], head[3], tail[3], local[3] = {0, FREE_LENGTH, 0};
    j->rest = s->nodes[l->node];
    sn_vrm_springs_world(s, l->node, world);
    read_position(world, head);
    find_tail(s, l, head, tail);
    if (sn_affine_invert(world, inverse)) {
        sn_affine_apply(inverse, tail, local);
    }
    memcpy(j->axis, local, sizeof local);
    sn_normalize3(j->axis, up);
    j->length = sn_distance3(head, tail);
    center_world(s, link, center);
    to_center(center, tail, j->current);
    memcpy(j->previous, j->current, sizeof j->current);
}

/* Stable insertion sort. */
static void sort(sn_vrm_springs *s)
{
    const sn_scene_file *scene = s->scene;
    for (int i = 0; i < scene->spring_link_count; ++i) {
        int at = i;
        const int depth = sn_scene_node_depth(scene, scene->spring_links[i].node);
        while (at > 0 && sn_scene_node_depth(scene, scene->spring_links[s->order[at - 1]].node) > depth) {
            s->order[at] = s->order[at - 1];
            --at;
        }
        s->order[at] = i;
    }
}

sn_result sn_vrm_springs_create(const sn_scene_file *scene, sn_arena *arena, sn_vrm_springs **springs)
{
    sn_vrm_springs *s = *springs = SN_NEW(arena, sn_vrm_springs, 1);
    if (!s) {
        return SN_ERROR_MEMORY;
    }
    s->scene = scene;
    s->nodes = SN_NEW(arena, sn_vrm_node, scene->node_count);
    s->joints = SN_NEW(arena, joint_state, scene->spring_link_count);
    s->order = SN_NEW(arena, int, scene->spring_link_count);
    if (!s->nodes || !s->joints || !s->order) {
        return SN_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < scene->node_count; ++i) {
        memcpy(s->nodes[i].translation, scene->nodes[i].translation, sizeof s->nodes[i].translation);
        memcpy(s->nodes[i].rotation, scene->nodes[i].rotation, sizeof s->nodes[i].rotation);
        memcpy(s->nodes[i].scale, scene->nodes[i].scale, sizeof s->nodes[i].scale);
    }
    sort(s);
    for (int i = 0; i < scene->spring_link_count; ++i) {
        begin_joint(s, i);
    }
    return SN_OK;
}

sn_vrm_node *sn_vrm_springs_nodes(sn_vrm_springs *s)
{
    return s->nodes;
}

void sn_vrm_springs_tail(const sn_vrm_springs *s, int link, double *tail)
{
    double center[12];
    center_world(s, link, center);
    sn_affine_apply(center, s->joints[link].current, tail);
}

/* ---- colliders: signed distance (negative inside) and push direction ---- */

static double meet_round(const sn_spring_collider *c, const double *world, const double *tail, double radius,
                         double *direction)
{
    double offset[3], end[3], delta[3], along[3];
    sn_affine_apply(world, c->offset, offset);
    sn_subtract3(tail, offset, delta);
    if (c->shape == SN_COLLIDER_CAPSULE) {
        sn_affine_apply(world, c->tail, end);
        sn_subtract3(end, offset, along);
        const double dot = sn_dot3(along, delta), square = sn_dot3(along, along);
        const double share = dot < 0 || square == 0 ? 0 : dot > square ? 1 : dot / square;
        for (int d = 0; d < 3; ++d) {
            delta[d] -= share * along[d];
        }
    }
    const double length = sn_length3(delta);
    for (int d = 0; d < 3; ++d) {
        direction[d] = (c->is_inside ? -1 : 1) * (length > 0 ? delta[d] / length : 0);
    }
    return c->is_inside ? c->radius - radius - length : length - c->radius - radius;
}

static double meet_plane(const sn_spring_collider *c, const double *world, const double *tail, double radius,
                         double *direction)
{
    double offset[3], delta[3], inverse[12];
    sn_affine_apply(world, c->offset, offset);
    sn_subtract3(tail, offset, delta);
    memcpy(direction, c->normal, 3 * sizeof *direction);
    if (sn_affine_invert(world, inverse)) { /* normal matrix: the inverse transposed */
        for (int d = 0; d < 3; ++d) {
            direction[d] = inverse[d] * c->normal[0] + inverse[4 + d] * c->normal[1] + inverse[8 + d] * c->normal[2];
        }
    }
    sn_normalize3(direction, c->normal);
    return sn_dot3(delta, direction) - radius;
}

static void constrain_length(const joint_state *j, const double *head, double *tail)
{
    double push_direction[3];
    sn_subtract3(tail, head, push_direction);
    sn_normalize3(push_direction, j->axis);
    for (int d = 0; d < 3; ++d) {
        tail[d] = head[d] + j->length * push_direction[d];
    }
}

static void collide(const sn_vrm_springs *s, int link, const double *head, double *tail)
{
    const sn_spring_link *l = &s->scene->spring_links[link];
    const sn_spring_group *group = &s->scene->springs[l->group];
    for (int i = 0; i < group->collider_count; ++i) {
        const sn_spring_collider *c = &s->scene->colliders[s->scene->spring_colliders[group->first_collider + i]];
        double world[12], direction[3];
        sn_vrm_springs_world(s, c->node, world);
        const double distance =
            (c->shape == SN_COLLIDER_PLANE ? meet_plane : meet_round)(c, world, tail, l->hit_radius, direction);
        if (distance < 0) {
            for (int d = 0; d < 3; ++d) {
                tail[d] -= distance * direction[d];
            }
            constrain_length(&s->joints[link], head, tail);
        }
    }
}

/* ---- a frame ---- */

/* Quaternion.fromToQuaternion. */
static void rotation_between(const double *from, const double *to, double *q)
{
    double axis[3];
    sn_cross3(from, to, axis);
    memcpy(q, axis, sizeof axis);
    q[3] = 1 + sn_dot3(from, to);
    if (q[3] < 1e-12) {
        const double other[3] = {fabs(from[0]) < 0.7, fabs(from[0]) >= 0.7, 0};
        sn_cross3(from, other, q);
        q[3] = 0;
    }
    sn_quaternion_normalize(q);
}

static void update_joint(sn_vrm_springs *s, int link, double seconds)
{
    const sn_spring_link *l = &s->scene->spring_links[link];
    joint_state *j = &s->joints[link];
    double rest[12], inverse[12], center[12], head[3], pull[3], now[3], before[3], next[3], to[3], rotation_matrix[4];
    rest_world(s, link, rest);
    read_position(rest, head);
    sn_affine_apply(rest, j->axis, pull);
    sn_subtract3(pull, head, pull);
    sn_normalize3(pull, j->axis);
    center_world(s, link, center);
    sn_affine_apply(center, j->current, now);
    sn_affine_apply(center, j->previous, before);
    for (int d = 0; d < 3; ++d) {
        const double inertia = (now[d] - before[d]) * (1 - l->drag);
        next[d] = now[d] + inertia + seconds * l->stiffness * pull[d] + seconds * l->gravity[d];
    }
    constrain_length(j, head, next);
    collide(s, link, head, next);
    memcpy(j->previous, j->current, sizeof j->current);
    to_center(center, next, j->current);
    if (sn_affine_invert(rest, inverse)) {
        sn_affine_apply(inverse, next, to);
        sn_normalize3(to, j->axis);
        rotation_between(j->axis, to, rotation_matrix);
        sn_quaternion_multiply(j->rest.rotation, rotation_matrix, s->nodes[l->node].rotation);
    }
}

void sn_vrm_springs_update(sn_vrm_springs *s, double seconds)
{
    for (int i = 0; i < s->scene->spring_link_count; ++i) {
        update_joint(s, s->order[i], seconds);
    }
}
