/* SPDX-License-Identifier: MIT */
/* Interaction with chains: impulses and grabs.
 *
 * A grab determines the position of a joint's tail. The joints above it follow by FABRIK (Aristidou and Lasenby 2011,
 * "FABRIK: A fast, iterative solver for the Inverse Kinematics problem"): passes from the target up and from the root
 * down, each joint at its length from the last one, starting at the positions after the swing. The grabbed point thus
 * comes to rest at the target, or as near as the chain's length allows, and continues with the target's velocity when
 * it is released. All grabs are solved in the same passes: where chains join, the joint starts at the mean of the
 * requested positions (the paper's sub-bases); a joint that is itself grabbed uses its own target. Targets arrive once
 * per frame, and are smoothed per step: half of the distance in 1/60 s. */
#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/skin/skin.h"
#include "host/springs/swing.h"

#define PASSES 16
#define PARENT_FRACTION 0.5 /* fraction of a joint's length: nearer to the head, the parent joint is grabbed */

/* ---- the skin ---- */

static int32_t joint_of(const sn_model *m, int32_t influence)
{
    return m->spring_bones[m->influences[influence].bone];
}

/* Finds the joint with the largest weight at a vertex, and the total weight of all joints. */
static void find_dominant_joint(const sn_model *m, size_t vertex, sn_spring_skin_point *location)
{
    double max_value = 0;
    for (int32_t i = m->influence_starts[vertex]; i < m->influence_starts[vertex + 1]; ++i) {
        double own = 0;
        for (int32_t k = m->influence_starts[vertex]; k < m->influence_starts[vertex + 1]; ++k) {
            own += joint_of(m, k) == joint_of(m, i) ? (double)m->influences[k].weight : 0;
        }
        if (joint_of(m, i) >= 0) {
            location->ratio += (double)m->influences[i].weight;
            location->joint = own > max_value ? joint_of(m, i) : location->joint;
            max_value = fmax(max_value, own);
        }
    }
}

sn_spring_skin_point sn_springs_find_skin_point(const sn_springs *s, const double *posed, const double *point)
{
    const sn_model *m = s->model;
    sn_surface skin = sn_model_surface(m);
    sn_spring_skin_point location = {.joint = -1};
    double nearest = INFINITY;
    int best = -1;
    skin.mode_count = 0;
    for (int sample = 0; sample < m->counts.sample_count; ++sample) {
        double at[3];
        sn_skin_vertex(&skin, m->sample_vertices[sample], posed, NULL, NULL, at, NULL, NULL);
        const double distance = sn_distance3(at, point);
        if (distance < nearest) {
            nearest = distance;
            best = sample;
            memcpy(location.position, at, sizeof at);
        }
    }
    if (best >= 0) {
        find_dominant_joint(m, (size_t)m->sample_vertices[best], &location);
    }
    return location;
}

void sn_springs_compute_masses(sn_springs *s)
{
    const sn_model *m = s->model;
    const size_t bones = (size_t)m->counts.bone_count;
    for (size_t v = 0; v < (size_t)m->counts.vertex_count; ++v) {
        for (size_t b = 0; b < bones; ++b) {
            if (m->spring_bones[b] >= 0) {
                s->masses[m->spring_bones[b]] += (double)m->vertex_mass[v] * (double)m->rig_weights[v * bones + b];
            }
        }
    }
}

double sn_springs_mass(const sn_springs *s, int joint)
{
    return s->masses[joint];
}

/* ---- impulses ---- */

double sn_springs_nearest_fraction(const sn_springs *s, int joint, const double *posed, const double *point)
{
    const sn_spring_joint *j = &s->model->spring_joints[joint];
    double endpoints[2][3];
    for (int d = 0; d < 3; ++d) {
        const double *row = posed + 12 * (size_t)j->bone + 4 * d;
        endpoints[0][d] = endpoints[1][d] = row[3];
        for (int k = 0; k < 3; ++k) {
            endpoints[0][d] += row[k] * (double)j->head[k];
            endpoints[1][d] += row[k] * (double)j->tail[k];
        }
    }
    return sn_segment_nearest(point, endpoints[0], endpoints[1]);
}

void sn_springs_apply_impulse(sn_springs *s, int joint, double ratio, const double *impulse)
{
    const int lane = s->slots[joint] % SN_SPRING_LANES;
    sn_spring_block *b = &s->blocks[s->slots[joint] / SN_SPRING_LANES];
    const double mass = s->masses[joint];
    double along[3], displacement[3];
    for (int d = 0; d < 3; ++d) {
        along[d] = (double)b->now[d][lane] - (double)b->location[d][lane];
        displacement[d] = mass > 0 ? 3 * ratio * s->substep / mass * impulse[d] : 0;
    }
    sn_normalize3(along, (const double[3]){0, 1, 0});
    const double along_component = sn_dot3(displacement, along);
    for (int d = 0; d < 3; ++d) {
        displacement[d] -= along_component * along[d];
    }
    const double length = sn_length3(displacement),
                 limited = length > s->max_displacement ? s->max_displacement / length : 1;
    for (int d = 0; d < 3 && 0 * length == 0; ++d) {
        b->before[d][lane] -= (float)(limited * displacement[d]);
    }
}

/* ---- grabs ---- */

int sn_springs_grab(sn_springs *s, int joint, const double *posed, const double *point)
{
    const sn_spring_joint *joints = s->model->spring_joints;
    double inverse[12];
    int free_slot = 0;
    while (free_slot < SN_GRAB_LIMIT && s->grabs[free_slot].is_active) {
        ++free_slot;
    }
    if (joints[joint].parent >= 0 && sn_springs_nearest_fraction(s, joint, posed, point) < PARENT_FRACTION) {
        joint = joints[joint].parent;
    }
    if (free_slot == SN_GRAB_LIMIT || !sn_affine_invert(posed + 12 * (size_t)joints[joint].bone, inverse)) {
        return -1;
    }
    sn_spring_grab *grab = &s->grabs[free_slot];
    *grab = (sn_spring_grab){.joint = joint};
    sn_affine_apply(inverse, point, grab->location);
    if (0 * (grab->location[0] + grab->location[1] + grab->location[2]) != 0) {
        return -1;
    }
    grab->is_active = true;
    memcpy(grab->target, point, sizeof grab->target);
    memcpy(grab->at, point, sizeof grab->at);
    return free_slot;
}

void sn_springs_drag(sn_springs *s, int grab, const double *target)
{
    if (0 * (target[0] + target[1] + target[2]) == 0) {
        memcpy(s->grabs[grab].target, target, sizeof s->grabs[grab].target);
    }
}

void sn_springs_release(sn_springs *s, int grab)
{
    s->grabs[grab].is_active = false;
}

void sn_springs_release_all(sn_springs *s)
{
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        s->grabs[i].is_active = false;
    }
}

void sn_springs_restart_grabs(sn_springs *s, const double *pose)
{
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        double rotated[12], at[3];
        if (s->grabs[i].is_active) {
            sn_springs_rotated_bone(s, s->grabs[i].joint, pose, rotated);
            sn_affine_apply(rotated, s->grabs[i].location, at);
            if (0 * (at[0] + at[1] + at[2]) == 0) { /* otherwise the pose was invalid */
                memcpy(s->grabs[i].at, at, sizeof at);
            }
        }
    }
}

void sn_springs_transform_grabs(sn_springs *s, const double *transform)
{
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        double target[3], at[3];
        memcpy(target, s->grabs[i].target, sizeof target);
        memcpy(at, s->grabs[i].at, sizeof at);
        sn_affine_apply(transform, target, s->grabs[i].target);
        sn_affine_apply(transform, at, s->grabs[i].at);
    }
}

/* ---- chains that follow grabs ---- */

/* Computes the target of the grabbed joint's tail, with the joint's last rotation. */
static void find_target(const sn_springs *s, sn_spring_grab *grab, const double *pose)
{
    const sn_spring_joint *j = &s->model->spring_joints[grab->joint];
    const sn_spring_block *b = &s->blocks[s->slots[grab->joint] / SN_SPRING_LANES];
    const int lane = s->slots[grab->joint] % SN_SPRING_LANES;
    double offset[3];
    for (int d = 0; d < 3; ++d) {
        const double *row = pose + 12 * (size_t)j->bone + 4 * d;
        offset[d] = 0;
        for (int k = 0; k < 3; ++k) {
            offset[d] += row[k] * (grab->location[k] - (double)j->tail[k]);
        }
    }
    for (int d = 0; d < 3; ++d) {
        grab->tail_targets[d] = grab->at[d] - s->anchor[d];
        for (int k = 0; k < 3; ++k) {
            grab->tail_targets[d] -= (double)b->rotation[3 * d + k][lane] * offset[k];
        }
    }
}

/* Finds the grabbed joints and their ancestors, sorted from the root, and the positions of their tails. Returns their
 * number. */
static int find_grabbed_chain(sn_springs *s)
{
    const int joint_count = (int)s->model->spring_joint_count;
    int count = 0;
    memset(s->is_constrained, 0, (size_t)joint_count * sizeof *s->is_constrained);
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        int32_t joint = s->grabs[i].is_active ? s->grabs[i].joint : -1;
        for (; joint >= 0 && !s->is_constrained[joint]; joint = s->model->spring_joints[joint].parent) {
            s->is_constrained[joint] = true;
        }
    }
    for (int32_t joint = 0; joint < joint_count; ++joint) { /* parents are before children */
        const sn_spring_block *b = &s->blocks[s->slots[joint] / SN_SPRING_LANES];
        if (!s->is_constrained[joint]) {
            continue;
        }
        s->path[count++] = joint;
        for (int d = 0; d < 3; ++d) {
            s->tail_targets[3 * joint + d] = (double)b->now[d][s->slots[joint] % SN_SPRING_LANES];
        }
    }
    return count;
}

static bool is_active(const sn_springs *s, int32_t joint)
{
    bool is_any = false;
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        is_any |= s->grabs[i].is_active && s->grabs[i].joint == joint;
    }
    return is_any;
}

static double length_of(const sn_springs *s, int32_t joint)
{
    const sn_spring_block *b = &s->blocks[s->slots[joint] / SN_SPRING_LANES];
    double along[3];
    for (int d = 0; d < 3; ++d) {
        along[d] = (double)b->along[d][s->slots[joint] % SN_SPRING_LANES];
    }
    return sn_length3(along);
}

/* Moves a point radially to a distance from another point. */
static void move_to_distance(const double *from, double length, double *point)
{
    double displacement[3];
    sn_subtract3(point, from, displacement);
    sn_normalize3(displacement, (const double[3]){0, 1, 0});
    for (int d = 0; d < 3; ++d) {
        point[d] = from[d] + length * displacement[d];
    }
}

/* Moves the smoothed target, at most at SN_SPRING_MAX_SPEED. */
static void follow_target(const sn_springs *s, sn_spring_grab *grab)
{
    const double ratio = 1 - exp2(-s->substep * SN_SPRING_VRM_RATE);
    double displacement[3];
    sn_subtract3(grab->target, grab->at, displacement);
    const double length = ratio * sn_length3(displacement),
                 limited = length > s->max_displacement ? s->max_displacement / length : 1;
    for (int d = 0; d < 3; ++d) {
        grab->at[d] += limited * ratio * displacement[d];
    }
}

/* Requests a position for a joint's tail. */
static void request_tail(sn_springs *s, int32_t joint, const double *location)
{
    double *requests = s->requests + 4 * joint;
    for (int d = 0; d < 3; ++d) {
        requests[d] += location[d];
    }
    ++requests[3];
}

/* Sets a joint's tail to the mean of the requested positions, and clears the requests. */
static void apply_requests(sn_springs *s, int32_t joint)
{
    double *requests = s->requests + 4 * joint;
    for (int d = 0; d < 3; ++d) {
        s->tail_targets[3 * joint + d] = requests[d] / requests[3];
    }
    memset(requests, 0, 4 * sizeof *requests);
}

/* Pass from the grabbed joints up; a joint that is not grabbed gets the position its children request. */
static void pass_up(sn_springs *s, int count)
{
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        if (s->grabs[i].is_active) {
            request_tail(s, s->grabs[i].joint, s->grabs[i].tail_targets);
        }
    }
    for (int i = count - 1; i >= 0; --i) {
        const int32_t joint = s->path[i], parent = s->model->spring_joints[joint].parent;
        double head[3];
        apply_requests(s, joint);
        if (parent >= 0 && !is_active(s, parent)) {
            memcpy(head, s->tail_targets + 3 * parent, sizeof head);
            move_to_distance(s->tail_targets + 3 * joint, length_of(s, joint), head);
            request_tail(s, parent, head);
        }
    }
}

/* Pass from the roots down, which restores the lengths. */
static void pass_down(sn_springs *s, int count)
{
    for (int i = 0; i < count; ++i) {
        const int32_t joint = s->path[i], parent = s->model->spring_joints[joint].parent;
        const sn_spring_block *b = &s->blocks[s->slots[joint] / SN_SPRING_LANES];
        double head[3];
        for (int d = 0; d < 3; ++d) {
            head[d] =
                parent >= 0 ? s->tail_targets[3 * parent + d] : (double)b->head[d][s->slots[joint] % SN_SPRING_LANES];
        }
        move_to_distance(head, length_of(s, joint), s->tail_targets + 3 * joint);
    }
}

bool sn_springs_update_grabs(sn_springs *s, const double *pose)
{
    bool is_any = false;
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        if (s->grabs[i].is_active) {
            follow_target(s, &s->grabs[i]);
            find_target(s, &s->grabs[i], pose);
            is_any = true;
        }
    }
    return is_any;
}

void sn_springs_solve_grabs(sn_springs *s)
{
    const int count = find_grabbed_chain(s);
    for (int pass = 0; pass < PASSES; ++pass) {
        pass_up(s, count);
        pass_down(s, count);
    }
}

void sn_springs_pull_tail(const sn_springs *s, sn_spring_block *b, int lane)
{
    const int32_t joint = b->joints[lane];
    double head[3], tail[3];
    for (int d = 0; d < 3; ++d) {
        head[d] = (double)b->location[d][lane];
        tail[d] = s->is_constrained[joint] ? s->tail_targets[3 * joint + d] : (double)b->now[d][lane];
    }
    move_to_distance(head, length_of(s, joint), tail);
    for (int d = 0; d < 3; ++d) {
        b->now[d][lane] = (float)tail[d];
    }
}
