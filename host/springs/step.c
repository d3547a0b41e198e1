/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/springs/swing.h"

#define SETTLING_ITERATIONS 16 /* iterations without inertia in which contacts come to rest */
#define IMMEDIATE 1e6F         /* factor on stiffness and gravity that moves tails directly to their rest direction */

#define AIR_DENSITY 1.2 /* kg/m^3 */
#define DRAG_COEFFICIENT 1.0
#define MAX_WIND 100.0 /* diagonals/s: the force does not grow beyond this speed */

/* Saves the pose for centers and substeps. */
static void save_pose(sn_springs *s, const double *pose)
{
    for (int i = 0; i < s->used_count && (s->has_centers || s->substep_count > 1); ++i) {
        const size_t bone = (size_t)s->used_bones[i];
        memcpy(s->pose_last + 12 * bone, pose + 12 * bone, 12 * sizeof *pose);
    }
}

/* Interpolates from the last pose to `pose`. */
static const double *pose_between(sn_springs *s, const double *pose, double fraction)
{
    if (fraction >= 1) {
        return pose;
    }
    for (int i = 0; i < s->used_count; ++i) {
        for (size_t k = 12 * (size_t)s->used_bones[i]; k < 12 * (size_t)s->used_bones[i] + 12; ++k) {
            s->pose_between[k] = s->pose_last[k] + fraction * (pose[k] - s->pose_last[k]);
        }
    }
    return s->pose_between;
}

/* Computes the solids' positions. Heads must be set, and rotations are computed if solids need them. */
static void update_solids(sn_springs *s, const double *pose, const double *anchor)
{
    memcpy(s->anchor, anchor, sizeof s->anchor);
    if (s->has_simulated_solids) {
        sn_springs_update_rotations(s, 1, 1, pose);
    }
    sn_springs_update_solids(s, pose);
}

/* Applies grabs (if any) and then the world's colliders to a block whose heads are set. */
static void apply_constraints(const sn_springs *s, sn_spring_block *b, bool has_targets)
{
    bool is_any = false;
    for (int lane = 0; lane < SN_SPRING_LANES && b->joints[lane] >= 0; ++lane) {
        double displacement[3];
        if (has_targets) {
            sn_springs_pull_tail(s, b, lane);
        }
        if (!sn_springs_push_out(s, b, lane) && !has_targets) {
            continue;
        }
        for (int d = 0; d < 3; ++d) {
            displacement[d] = (double)b->now[d][lane] - (double)b->location[d][lane];
        }
        sn_normalize3(displacement, (const double[3]){0, 1, 0});
        for (int d = 0; d < 3; ++d) {
            b->parent_direction[d][lane] = 0;
            for (int k = 0; k < 3; ++k) {
                b->parent_direction[d][lane] += b->parent_rotation[3 * k + d][lane] * (float)displacement[k];
            }
        }
        is_any = true;
    }
    if (is_any) {
        s->kernels->rotation(b);
    }
}

static void swing(sn_springs *s, bool has_colliders, const sn_spring_air *air, float inertia_factor, float force_factor)
{
    for (int i = 0; i < s->block_count; ++i) {
        sn_spring_block *b = &s->blocks[i];
        const int contacts = b->contact_count;
        sn_springs_gather_parents(s, b);
        b->contact_count = has_colliders ? contacts : 0;
        s->kernels->swing(b, s->contacts, s->solids, air, inertia_factor, force_factor);
        b->contact_count = contacts;
        if (s->nearby_count > 0) {
            apply_constraints(s, b, false);
        }
    }
}

/* Constrains grabbed chains after the swing, from parents to children. */
static void constrain_grabbed(sn_springs *s)
{
    sn_springs_solve_grabs(s);
    for (int i = 0; i < s->block_count; ++i) {
        sn_spring_block *b = &s->blocks[i];
        sn_springs_gather_parents(s, b);
        s->kernels->rotation(b);
        apply_constraints(s, b, true);
    }
}

/* Transforms a direction to the bone's frame: by the inverse of the linear part, up to a factor. */
static void to_bone(const double *m, const double *displacement, float *result)
{
    double own[3], square = 0;
    for (int d = 0; d < 3; ++d) {
        const int d1 = (d + 1) % 3, d2 = (d + 2) % 3;
        own[d] = 0;
        for (int k = 0; k < 3; ++k) {
            const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            own[d] += (m[4 * k1 + d1] * m[4 * k2 + d2] - m[4 * k1 + d2] * m[4 * k2 + d1]) * displacement[k];
        }
        square += own[d] * own[d];
    }
    const double determinant =
        m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);
    for (int d = 0; d < 3 && square > 0; ++d) { /* a bone with zero volume keeps its last value */
        result[d] = (float)(own[d] / (determinant < 0 ? -sqrt(square) : sqrt(square)));
    }
}

/* Stores the directions in the bones' frames. Returns false if one is not finite or has no length, because numbers
 * exceeded the range of floats. */
static bool store_directions(sn_springs *s, const double *pose)
{
    float sum = 0;
    bool are_unit = true;
    for (int i = 0; i < s->block_count; ++i) {
        const sn_spring_block *b = &s->blocks[i];
        for (int lane = 0; lane < SN_SPRING_LANES && b->joints[lane] >= 0; ++lane) {
            const size_t joint = (size_t)b->joints[lane];
            const double displacement[3] = {(double)b->parent_direction[0][lane], (double)b->parent_direction[1][lane],
                                            (double)b->parent_direction[2][lane]};
            float *parent_direction = s->bone_directions[1] + 3 * joint;
            are_unit &= fabs(displacement[0] * displacement[0] + displacement[1] * displacement[1] +
                             displacement[2] * displacement[2] - 1) < 1e-2;
            to_bone(pose + 12 * (size_t)s->model->spring_joints[joint].bone, displacement, parent_direction);
            for (int d = 0; d < 3; ++d) {
                sum += 0 * (b->now[d][lane] + parent_direction[d]);
            }
        }
    }
    return sum == 0 && are_unit;
}

/* Resets all joints to the pose, without history. */
static void straighten(sn_springs *s)
{
    for (int i = 0; i < s->block_count; ++i) {
        sn_spring_block *b = &s->blocks[i];
        for (int lane = 0; lane < SN_SPRING_LANES && b->joints[lane] >= 0; ++lane) {
            const sn_spring_joint *j = &s->model->spring_joints[b->joints[lane]];
            for (int d = 0; d < 3; ++d) {
                const float along = j->tail[d] - j->head[d];
                s->bone_directions[0][3 * b->joints[lane] + d] = s->bone_directions[1][3 * b->joints[lane] + d] = along;
                const float tail = b->head[d][lane] + b->along[d][lane];
                b->now[d][lane] = b->before[d][lane] = b->rest_tail[d][lane] = b->rest_tail_before[d][lane] = tail;
            }
        }
    }
}

/* Computes the rest state in a pose, regardless of the blend weights. */
static void reset_to_rest(sn_springs *s, const double *pose)
{
    double anchor[3];
    s->nearby_count = 0;
    sn_springs_update_heads(s, pose, anchor);
    straighten(s);
    update_solids(s, pose, anchor);
    swing(s, false, NULL, 0, IMMEDIATE);
    s->is_invalid = !store_directions(s, pose);
    if (s->contact_count > 0) {
        update_solids(s, pose, anchor);
        for (int i = 0; i < SETTLING_ITERATIONS; ++i) {
            swing(s, true, NULL, 0, 1);
        }
        s->is_invalid = !store_directions(s, pose);
    }
    for (int i = 0; i < s->block_count; ++i) {
        memcpy(s->blocks[i].before, s->blocks[i].now, sizeof s->blocks[i].now);
        memcpy(s->blocks[i].rest_tail_before, s->blocks[i].rest_tail, sizeof s->blocks[i].rest_tail);
    }
    memcpy(s->bone_directions[0], s->bone_directions[1], 3 * (size_t)s->model->spring_joint_count * sizeof(float));
    save_pose(s, pose);
    sn_springs_restart_grabs(s, pose);
}

void sn_springs_reset(sn_springs *s, const double *pose)
{
    if (s) {
        sn_springs_release_all(s);
        reset_to_rest(s, pose);
        s->blend_weights[0] = s->blend_weights[1] = s->is_on ? 1 : 0;
    }
}

void sn_springs_set_enabled(sn_springs *s, const double *pose, bool is_on)
{
    if (s && is_on && !sn_springs_are_active(s)) { /* poses were not received while switched off */
        reset_to_rest(s, pose);
    }
    if (s) {
        s->is_on = is_on;
    }
}

bool sn_springs_are_active(const sn_springs *s)
{
    return s && (s->is_on || s->blend_weights[0] > 0 || s->blend_weights[1] > 0);
}

/* Smoothstep: starts and ends at zero speed. */
static double smooth_weight(double blend_weight)
{
    return blend_weight * blend_weight * (3 - 2 * blend_weight);
}

/* Returns false if springs have no visible effect. */
static bool update_blend(sn_springs *s)
{
    const double displacement = s->substep * s->substep_count / SN_SPRING_BLEND_SECONDS;
    s->blend_weights[0] = s->blend_weights[1];
    s->blend_weights[1] =
        s->is_on ? fmin(s->blend_weights[1] + displacement, 1) : fmax(s->blend_weights[1] - displacement, 0);
    return s->blend_weights[0] > 0 || s->blend_weights[1] > 0;
}

/* Returns null without wind. */
static const sn_spring_air *compute_air(const sn_springs *s, const sn_spring_step_input *input, sn_spring_air *air)
{
    const double *wind = input->surroundings ? input->surroundings->wind : NULL;
    const double speed = wind && input->area > 0 ? sn_length3(wind) : 0, h = s->substep;
    const double effective = fmin(MAX_WIND * s->model->diagonal / speed, 1);
    if (!(speed > 0)) {
        return NULL;
    }
    air->drag = (float)(0.5 * AIR_DENSITY * DRAG_COEFFICIENT * input->area /
                        (s->model->scale * SN_SPRING_VRM_RATE * SN_SPRING_VRM_RATE * h * h));
    for (int d = 0; d < 3; ++d) {
        air->displacement[d] = (float)(effective * h * wind[d]);
    }
    return air;
}

static void step(sn_springs *s, const double *pose, const sn_spring_step_input *input)
{
    sn_spring_air air;
    const sn_spring_air *effective = compute_air(s, input, &air);
    for (int i = 1; i <= s->substep_count; ++i) {
        const double *at = pose_between(s, pose, 1.0 / (s->substep_count - i + 1)); /* of the remaining distance */
        double anchor[3];
        sn_springs_update_heads(s, at, anchor);
        sn_springs_move_tails(s, at, anchor);
        update_solids(s, at, anchor);
        sn_springs_find_nearby_colliders(s, input->surroundings);
        const bool has_grabs = sn_springs_update_grabs(s, at);
        swing(s, !input->is_without_own_colliders, effective, 1, 1);
        if (has_grabs) {
            constrain_grabbed(s);
        }
        save_pose(s, at);
    }
    s->nearby_count = 0;
}

/* Computes the pose for directions at a fraction and blend weight; preserves the step's own rotations. */
static void interpolate_pose(sn_springs *s, double fraction, double blend_weight, const double *pose, double *posed)
{
    for (int i = 0; i < s->block_count; ++i) {
        memcpy(s->step_rotations[i].rotation, s->blocks[i].rotation, sizeof s->blocks[i].rotation);
        memcpy(s->step_rotations[i].location, s->blocks[i].location, sizeof s->blocks[i].location);
    }
    sn_springs_update_rotations(s, fraction, smooth_weight(blend_weight), pose);
    sn_springs_pose(s, pose, posed);
    for (int i = 0; i < s->block_count; ++i) {
        memcpy(s->blocks[i].rotation, s->step_rotations[i].rotation, sizeof s->blocks[i].rotation);
        memcpy(s->blocks[i].location, s->step_rotations[i].location, sizeof s->blocks[i].location);
    }
}

bool sn_springs_step(sn_springs *s, const double *pose, const sn_spring_step_input *input, double *posed)
{
    const sn_spring_step_input no_input = {0};
    if (!s) {
        return true;
    }
    if (!update_blend(s)) {
        memmove(posed, pose, 12 * (size_t)s->model->counts.bone_count * sizeof *pose);
        return true;
    }
    if (s->is_invalid) {
        reset_to_rest(s, pose);
    }
    step(s, pose, input ? input : &no_input);
    memcpy(s->bone_directions[0], s->bone_directions[1], 3 * (size_t)s->model->spring_joint_count * sizeof(float));
    const bool is_valid = store_directions(s, pose);
    if (!is_valid) {
        reset_to_rest(s, pose);
    }
    if (s->blend_weights[1] < 1) {
        interpolate_pose(s, 1, s->blend_weights[1], pose, posed);
    } else {
        sn_springs_pose(s, pose, posed);
    }
    return is_valid;
}

void sn_springs_interpolate(sn_springs *s, double fraction, const double *pose, double *posed)
{
    double anchor[3];
    if (!s) {
        return;
    }
    const double step_rotations[3] = {s->anchor[0], s->anchor[1], s->anchor[2]};
    sn_springs_update_heads(s, pose, anchor);
    memcpy(s->anchor, anchor, sizeof s->anchor);
    interpolate_pose(s, fraction, s->blend_weights[0] + fraction * (s->blend_weights[1] - s->blend_weights[0]), pose,
                     posed);
    memcpy(s->anchor, step_rotations, sizeof s->anchor); /* tails are relative to it */
}

/* Rotates what a step left of a lane, and the next one reads. */
static void teleport_lane(sn_spring_block *b, int lane, const double *transform)
{
    sn_spring_lanes *const vectors[] = {b->now,  b->before, b->rest_tail, b->rest_tail_before,
                                        b->head, b->along,  b->location,  b->parent_direction};
    double half[9];
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) {
        sn_spring_lanes *vector = vectors[i];
        const double x[3] = {(double)vector[0][lane], (double)vector[1][lane], (double)vector[2][lane]};
        for (int d = 0; d < 3; ++d) {
            const double *row = transform + 4 * d;
            vector[d][lane] = (float)(row[0] * x[0] + row[1] * x[1] + row[2] * x[2]);
        }
    }
    for (int i = 0; i < 9; ++i) { /* rotation <- Q rotation Q^T */
        half[i] = 0;
        for (int k = 0; k < 3; ++k) {
            half[i] += transform[4 * (i / 3) + k] * (double)b->rotation[3 * k + i % 3][lane];
        }
    }
    for (int i = 0; i < 9; ++i) {
        double sum = 0;
        for (int k = 0; k < 3; ++k) {
            sum += half[i / 3 * 3 + k] * transform[4 * (i % 3) + k];
        }
        b->rotation[i][lane] = (float)sum;
    }
}

void sn_springs_teleport(sn_springs *s, const double *transform)
{
    double anchor[3];
    if (!s) {
        return;
    }
    for (int i = 0; i < s->used_count; ++i) {
        double *pose = s->pose_last + 12 * (size_t)s->used_bones[i], from[12];
        memcpy(from, pose, sizeof from);
        sn_affine_multiply(transform, from, pose);
    }
    sn_springs_transform_grabs(s, transform);
    sn_affine_apply(transform, s->anchor, anchor);
    memcpy(s->anchor, anchor, sizeof anchor);
    for (int i = 0; i < s->block_count; ++i) {
        for (int lane = 0; lane < SN_SPRING_LANES; ++lane) {
            teleport_lane(&s->blocks[i], lane, transform);
        }
    }
}

static void visit_spring_grabs(sn_springs *s, sn_state_visitor *visitor)
{
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        sn_spring_grab *grab = &s->grabs[i];
        sn_state_visit(visitor, &grab->is_active, sizeof grab->is_active);
        sn_state_visit(visitor, &grab->joint, sizeof grab->joint);
        sn_state_visit(visitor, grab->location, sizeof grab->location);
        sn_state_visit(visitor, grab->target, sizeof grab->target);
        sn_state_visit(visitor, grab->at, sizeof grab->at);
        sn_state_visit(visitor, grab->tail_targets, sizeof grab->tail_targets);
        if (grab->joint < 0 || grab->joint >= sn_model_spring_count(s->model)) {
            grab->is_active = false;
        }
    }
}

void sn_springs_visit_state(sn_springs *s, sn_state_visitor *visitor)
{
    if (!s) {
        return;
    }
    const size_t directions = 3 * (size_t)s->model->spring_joint_count * sizeof(float);
    for (int i = 0; i < s->block_count; ++i) {
        sn_spring_block *b = &s->blocks[i];
        sn_spring_lanes *const vectors[] = {b->now,  b->before, b->rest_tail, b->rest_tail_before,
                                            b->head, b->along,  b->location};
        for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) {
            sn_state_visit(visitor, vectors[k], 3 * sizeof *vectors[k]);
        }
        sn_state_visit(visitor, b->rotation, sizeof b->rotation);
    }
    sn_state_visit(visitor, s->anchor, sizeof s->anchor);
    sn_state_visit(visitor, s->pose_last, 12 * (size_t)s->model->counts.bone_count * sizeof *s->pose_last);
    sn_state_visit(visitor, s->bone_directions[0], directions);
    sn_state_visit(visitor, s->bone_directions[1], directions);
    sn_state_visit(visitor, s->blend_weights, sizeof s->blend_weights);
    sn_state_visit(visitor, &s->is_on, sizeof s->is_on);
    sn_state_visit(visitor, &s->is_invalid, sizeof s->is_invalid);
    visit_spring_grabs(s, visitor);
}
