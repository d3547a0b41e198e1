/* SPDX-License-Identifier: MIT */
/* Converts joints to nodes with translation, rotation and scale. A joint becomes a child of its parent's node if its
 * relative motion is of that form, and otherwise of the root. If it is sheared even there, it becomes two nodes, U S
 * and V^T of its singular value decomposition, which represent any affine transform. Children compensate for the error
 * of their parent, which is at most the tolerance. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "author/bake/baker.h"
#include "author/bake/trs.h"
#include "host/math/affine.h"
#include "host/math/half.h"
#include "host/math/vec3.h"

#define MIN_TOLERANCE 1e-6 /* fraction of the diagonal; for rounding */
#define TRACK_WIDTH 10
#define NAME_CHARS 256

typedef struct skeleton {
    sn_baker *baker;
    double tolerance;
    double *world;  /* (joint_count x frame_count x 12) resulting world transforms */
    double *target; /* (frame_count x 12) target transforms of one joint */
    sn_trs *tracks; /* (frame_count) */
    sn_trs *inner;  /* (frame_count) */
} skeleton;

static double *world_of(const skeleton *s, int joint)
{
    return s->world + 12 * (size_t)joint * (size_t)s->baker->frame_count;
}

/* Returns how far the difference of two transforms (relative to bind) moves the joint's vertices. */
static double find_deviation(const sn_bake_joint *joint, const double *a, const double *b)
{
    double difference[12], square = 0, moved[3];
    for (int k = 0; k < 12; ++k) {
        difference[k] = a[k] - b[k];
        square += k % 4 < 3 ? difference[k] * difference[k] : 0;
    }
    sn_affine_apply(difference, joint->center, moved);
    return joint->radius < 0 ? 0 : sn_length3(moved) + sqrt(square) * joint->radius;
}

static void compose_under(const double *parent_world, const sn_trs *trs, double *world)
{
    double local[12];
    sn_trs_compose(trs, parent_world ? local : world);
    if (parent_world) {
        sn_affine_multiply(parent_world, local, world);
    }
}

/* Applied after the check whether a node can represent the motion. */
static void round_scale(const sn_baker *b, sn_trs *trs)
{
    for (int k = 0; k < 3 && b->desc.has_half_scales; ++k) {
        trs->scale[k] = (double)sn_float_from_half(sn_half_from_float((float)trs->scale[k]));
    }
}

/* Computes the tracks of a joint under a parent's node (-1: the root) and the resulting world transforms. Returns the
 * largest deviation from the target; INFINITY if the parent is singular in some frame. */
static double try_parent(skeleton *s, int joint, int parent, double *result_world)
{
    const sn_baker *b = s->baker;
    double unbind[12], max_deviation = 0;
    sn_affine_invert(b->joints[joint].bind, unbind);
    for (int f = 0; f < b->frame_count; ++f) {
        const double *target = s->target + 12 * (size_t)f, *parent_world = NULL;
        double inverse[12], local[12], composed[12], skin[12], target_skin[12];
        memcpy(local, target, sizeof local);
        if (parent >= 0) {
            parent_world = world_of(s, parent) + 12 * (size_t)f;
            if (!sn_affine_invert(parent_world, inverse)) {
                return INFINITY;
            }
            sn_affine_multiply(inverse, target, local);
        }
        sn_trs_from_affine(local, f > 0 ? &s->tracks[f - 1] : NULL, &s->tracks[f]);
        compose_under(parent_world, &s->tracks[f], composed);
        sn_affine_multiply(composed, unbind, skin);
        sn_affine_multiply(target, unbind, target_skin);
        max_deviation = fmax(max_deviation, find_deviation(&b->joints[joint], skin, target_skin));
        round_scale(b, &s->tracks[f]);
        compose_under(parent_world, &s->tracks[f], result_world + 12 * (size_t)f);
    }
    return max_deviation;
}

static sn_result add_node(skeleton *s, const char *name, int32_t parent, const sn_trs *tracks, const double *rest)
{
    sn_baker *b = s->baker;
    sn_bake_node *node = &b->nodes[b->node_count++];
    sn_trs trs;
    sn_trs_from_affine(rest, NULL, &trs);
    *node = (sn_bake_node){.name = name, .parent = parent};
    memcpy(node->rest, &trs, sizeof node->rest);
    if (tracks) {
        node->tracks = SN_NEW(&b->scratch, double, TRACK_WIDTH *(size_t)b->frame_count);
        if (!node->tracks) {
            return SN_ERROR_MEMORY;
        }
        memcpy(node->tracks, tracks, (size_t)b->frame_count * sizeof *tracks);
    }
    return SN_OK;
}

static sn_result add_single(skeleton *s, int joint, int parent)
{
    sn_baker *b = s->baker;
    double rest[12], inverse[12];
    memcpy(rest, b->joints[joint].bind, sizeof rest);
    if (parent >= 0 && sn_affine_invert(b->joints[parent].bind, inverse)) {
        sn_affine_multiply(inverse, b->joints[joint].bind, rest);
    }
    b->joint_nodes[joint] = b->node_count;
    return add_node(s, b->joints[joint].name, parent >= 0 ? b->joint_nodes[parent] : 0, s->tracks, rest);
}

static sn_result add_pair(skeleton *s, int joint)
{
    sn_baker *b = s->baker;
    double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, identity[12];
    char *name = SN_NEW(b->arena, char, NAME_CHARS);
    if (!name) {
        return SN_ERROR_MEMORY;
    }
    snprintf(name, NAME_CHARS, "%.200s (stretch)", b->joints[joint].name);
    for (int f = 0; f < b->frame_count; ++f) {
        double outer[12], inner[12];
        sn_trs_split(s->target + 12 * (size_t)f, axes, f > 0 ? &s->tracks[f - 1] : NULL,
                     f > 0 ? &s->inner[f - 1] : NULL, &s->tracks[f], &s->inner[f]);
        round_scale(b, &s->tracks[f]);
        sn_trs_compose(&s->tracks[f], outer);
        sn_trs_compose(&s->inner[f], inner);
        sn_affine_multiply(outer, inner, world_of(s, joint) + 12 * (size_t)f);
    }
    sn_result result = add_node(s, name, 0, s->tracks, b->joints[joint].bind);
    sn_affine_identity(identity);
    b->joint_nodes[joint] = b->node_count;
    return result == SN_OK ? add_node(s, b->joints[joint].name, b->node_count - 1, s->inner, identity) : result;
}

static sn_result add_joint(skeleton *s, int joint)
{
    const sn_baker *b = s->baker;
    const sn_bake_joint *j = &b->joints[joint];
    for (int f = 0; f < b->frame_count; ++f) {
        sn_affine_multiply(j->motion + 12 * (size_t)j->stride * (size_t)f, j->bind, s->target + 12 * (size_t)f);
    }
    if (j->parent >= 0 && try_parent(s, joint, j->parent, world_of(s, joint)) <= s->tolerance) {
        return add_single(s, joint, j->parent);
    }
    return try_parent(s, joint, -1, world_of(s, joint)) <= s->tolerance ? add_single(s, joint, -1) : add_pair(s, joint);
}

/* A parent may have a higher index than its children, and damaged files may contain cycles, which are broken at the
 * root. */
static sn_result add_joints(skeleton *s)
{
    sn_baker *b = s->baker;
    int32_t *chain = SN_NEW(&b->scratch, int32_t, b->joint_count);
    if (!chain) {
        return SN_ERROR_MEMORY;
    }
    for (int j = 0; j < b->joint_count; ++j) {
        b->joint_nodes[j] = -1;
    }
    for (int j = 0; j < b->joint_count; ++j) {
        int depth = 0;
        for (int32_t at = j; at >= 0 && b->joint_nodes[at] == -1; at = b->joints[at].parent) {
            b->joint_nodes[at] = -2;
            chain[depth++] = at;
        }
        while (depth > 0) {
            const int32_t joint = chain[--depth], parent = b->joints[joint].parent;
            b->joints[joint].parent = parent >= 0 && b->joint_nodes[parent] < 0 ? -1 : parent;
            SN_TRY(add_joint(s, joint));
        }
    }
    return SN_OK;
}

static void find_skin(const skeleton *s)
{
    const sn_baker *b = s->baker;
    for (int j = 0; j < b->joint_count; ++j) {
        double unbind[12];
        sn_affine_invert(b->joints[j].bind, unbind);
        for (int f = 0; f < b->frame_count; ++f) {
            const size_t at = 12 * ((size_t)j * (size_t)b->frame_count + (size_t)f);
            sn_affine_multiply(s->world + at, unbind, b->skin + at);
        }
    }
}

sn_result sn_baker_build_skeleton(sn_baker *b)
{
    const size_t frames = (size_t)b->frame_count, joints = (size_t)b->joint_count;
    skeleton s = {.baker = b,
                  .tolerance = fmax(b->desc.key_error / b->model->scale / 4, MIN_TOLERANCE * b->diagonal),
                  .world = sn_arena_alloc(&b->scratch, 12 * frames, joints * sizeof(double)),
                  .target = SN_NEW(&b->scratch, double, 12 * frames),
                  .tracks = SN_NEW(&b->scratch, sn_trs, frames),
                  .inner = SN_NEW(&b->scratch, sn_trs, frames)};
    b->nodes = SN_NEW(&b->scratch, sn_bake_node, 2 * joints + 1);
    b->joint_nodes = SN_NEW(&b->scratch, int32_t, joints);
    b->skin = sn_arena_alloc(&b->scratch, 12 * frames, joints * sizeof(double));
    if (!s.world || !s.target || !s.tracks || !s.inner || !b->nodes || !b->joint_nodes || !b->skin) {
        return SN_ERROR_MEMORY;
    }
    double identity[12];
    sn_affine_identity(identity);
    b->node_count = 0;
    SN_TRY(add_node(&s, "rig", -1, NULL, identity));
    SN_TRY(add_joints(&s));
    find_skin(&s);
    return SN_OK;
}
