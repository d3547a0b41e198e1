/* SPDX-License-Identifier: MIT */
#include "author/import/bone_constraints.h"

#include <string.h>

#include "author/retarget/rotations.h"
#include "host/math/affine.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"

static const double identity[4] = {0, 0, 0, 1};

/* The world rotation of a bone and its origin, which may be null. */
static void find_world(const sn_character *c, const double *transforms, int32_t bone, double *rotation, double *origin)
{
    double world[12], linear[9];
    sn_affine_multiply(transforms + 12 * (size_t)bone, c->bone_bind + 12 * (size_t)bone, world);
    for (int k = 0; k < 9; ++k) {
        linear[k] = world[4 * (k / 3) + k % 3];
    }
    sn_quaternion_from_matrix(linear, rotation); /* a guess, where the bone is scaled */
    sn_quaternion_polar(linear, rotation);
    for (int d = 0; d < 3 && origin; ++d) {
        origin[d] = world[4 * d + 3];
    }
}

static void find_parent(const sn_character *c, const double *transforms, int32_t bone, double *rotation)
{
    memcpy(rotation, identity, sizeof identity);
    if (c->bone_parents[bone] >= 0) {
        find_world(c, transforms, c->bone_parents[bone], rotation, NULL);
    }
}

/* a^-1 b */
static void divide(const double *a, const double *b, double *result)
{
    double inverse[4];
    sn_quaternion_conjugate(a, inverse);
    sn_quaternion_multiply(inverse, b, result);
}

static void find_local(const sn_character *c, const double *transforms, int32_t bone, double *rotation)
{
    double parent[4], world[4];
    find_parent(c, transforms, bone, parent);
    find_world(c, transforms, bone, world, NULL);
    divide(parent, world, rotation);
}

/* ---- solve ---- */

/* The rotation of the source about the axis of the bone: what remains of it without its swing. */
static void solve_roll(const sn_bone_constraint *k, const double *source, double *target)
{
    double delta[4], turn[4], axis[3] = {0, 0, 0}, moved[3];
    sn_quaternion_conjugate(k->source_rest, turn);
    sn_quaternion_multiply(source, turn, delta); /* in the parents' axes */
    sn_quaternion_multiply(delta, k->rest, turn);
    divide(k->rest, turn, delta); /* in the bone's */
    axis[k->axis] = 1;
    sn_rig_rotate(delta, axis, moved);
    sn_rig_rotate_to(moved, axis, turn);
    sn_quaternion_multiply(turn, delta, turn);
    sn_quaternion_multiply(k->rest, turn, target);
}

static void solve_rotation(const sn_bone_constraint *k, const double *source, double *target)
{
    double delta[4];
    divide(k->source_rest, source, delta);
    sn_quaternion_multiply(k->rest, delta, target);
}

static void solve_aim(const sn_bone_constraint *k, const double *parent, const double *line, double *target)
{
    double axis[3] = {0, 0, 0}, world[4], turn[4];
    axis[k->axis % 3] = k->axis < 3 ? 1 : -1;
    sn_quaternion_multiply(parent, k->rest, world);
    sn_rig_rotate(world, axis, axis);
    sn_rig_rotate_to(axis, line, turn);
    sn_quaternion_multiply(turn, world, turn);
    divide(parent, turn, target);
}

static bool is_at_or_below(const sn_character *c, int32_t bone, int32_t ancestor)
{
    while (bone >= 0 && bone != ancestor) {
        bone = c->bone_parents[bone];
    }
    return bone >= 0;
}

/* Turns a bone to a new world rotation about its origin, with all that are below it. */
static void turn_bone(const sn_character *c, int32_t bone, const double *to, double *transforms)
{
    double from[4], turn[4], matrix[9], motion[12], origin[3], moved[12];
    find_world(c, transforms, bone, from, origin);
    sn_quaternion_conjugate(from, from);
    sn_quaternion_multiply(to, from, turn);
    sn_quaternion_to_matrix(turn, matrix);
    for (int i = 0; i < 3; ++i) {
        memcpy(motion + 4 * i, matrix + 3 * i, 3 * sizeof *matrix);
        motion[4 * i + 3] = origin[i] - sn_dot3(matrix + 3 * i, origin);
    }
    for (int32_t b = 0; b < c->bone_count; ++b) {
        if (is_at_or_below(c, b, bone)) {
            sn_affine_multiply(motion, transforms + 12 * (size_t)b, moved);
            memcpy(transforms + 12 * (size_t)b, moved, sizeof moved);
        }
    }
}

void sn_bone_constraints_apply(const sn_character *c, double *transforms)
{
    for (int i = 0; i < c->constraint_count; ++i) {
        const sn_bone_constraint *k = &c->constraints[i];
        double parent[4], source[4], target[4], origin[3], other[3], line[3];
        find_parent(c, transforms, k->bone, parent);
        if (k->type == SN_CONSTRAINT_AIM) {
            find_world(c, transforms, k->bone, target, origin);
            find_world(c, transforms, k->source, source, other);
            sn_subtract3(other, origin, line);
            solve_aim(k, parent, line, target);
        } else {
            find_local(c, transforms, k->source, source);
            (k->type == SN_CONSTRAINT_ROLL ? solve_roll : solve_rotation)(k, source, target);
        }
        sn_scene_blend_rotations(k->rest, target, k->weight, target);
        sn_quaternion_multiply(parent, target, target);
        turn_bone(c, k->bone, target, transforms);
    }
}

/* ---- build ---- */

/* Whether a constraint moves what another one reads. */
static bool is_before(const sn_character *c, const sn_bone_constraint *first, const sn_bone_constraint *second)
{
    return first != second && (is_at_or_below(c, second->source, first->bone) ||
                               (first->bone != second->bone && is_at_or_below(c, second->bone, first->bone)));
}

/* Orders constraints by their dependencies; those of a cycle are left out. */
static void sort_constraints(sn_character *c, int count)
{
    for (int done = 0; done < count; ++done) {
        int next = done;
        for (bool is_free = false; next < count && !is_free; next += !is_free) {
            is_free = true;
            for (int i = done; i < count && is_free; ++i) {
                is_free = !is_before(c, &c->constraints[i], &c->constraints[next]);
            }
        }
        if (next == count) {
            return;
        }
        const sn_bone_constraint found = c->constraints[next];
        c->constraints[next] = c->constraints[done];
        c->constraints[done] = found;
        c->constraint_count = done + 1;
    }
}

sn_result sn_bone_constraints_build(const sn_scene_file *scene, sn_scene_pose *pose, const sn_bone_list *bones,
                                    sn_arena *arena, sn_character *c)
{
    if (scene->constraint_count == 0) {
        return SN_OK;
    }
    double *rest = SN_NEW(arena, double, 12 * (size_t)c->bone_count), inverse[12];
    c->constraints = SN_NEW(arena, sn_bone_constraint, c->bone_count);
    if (!rest || !c->constraints) {
        return SN_ERROR_MEMORY;
    }
    sn_scene_pose_rest(pose);
    for (size_t b = 0; b < (size_t)c->bone_count; ++b) {
        const int32_t node = bones->bones[b].node;
        sn_affine_identity(rest + 12 * b);
        if (node >= 0 && sn_affine_invert(bones->bones[b].bind, inverse)) {
            sn_affine_multiply(pose->world + 12 * (size_t)node, inverse, rest + 12 * b);
        }
    }
    int count = 0;
    for (int32_t b = 0; b < c->bone_count; ++b) {
        for (int i = 0; i < scene->constraint_count; ++i) {
            const sn_scene_constraint *from = &scene->constraints[i];
            const int32_t source = bones->node_bones[from->source];
            if (from->node == bones->bones[b].node && source >= 0) {
                sn_bone_constraint *k = &c->constraints[count++];
                *k = (sn_bone_constraint){
                    .bone = b, .source = source, .type = from->type, .axis = from->axis, .weight = from->weight};
                find_local(c, rest, b, k->rest);
                find_local(c, rest, source, k->source_rest);
            }
        }
    }
    sort_constraints(c, count);
    return SN_OK;
}
