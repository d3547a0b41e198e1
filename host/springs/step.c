/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/springs/swing.h"

#define SETTLING 16  /* iterations without inertia in which contacts come to rest */
#define AT_ONCE 1e6F /* factor on stiffness and gravity that moves tails directly to their rest direction */

#define AIR_DENSITY 1.2 /* kg/m^3 */
#define DRAG_COEFFICIENT 1.0
#define FASTEST_WIND 100.0 /* diagonals/s: the force does not grow beyond this speed */

/* Saves the pose for centers and substeps. */
static void keep_pose(sn_springs *s, const double *pose)
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
    if (s->has_sprung_solids) {
        sn_springs_aim(s, 1, 1, pose);
    }
    sn_springs_place_solids(s, pose);
}

/* Applies grabs (if any) and then the world's colliders to a block whose heads are set. */
static void correct(const sn_springs *s, sn_spring_block *b, bool has_wanted)
{
    bool is_any = false;
    for (int lane = 0; lane < SN_SPRING_LANES && b->joints[lane] >= 0; ++lane) {
        double way[3];
        if (has_wanted) {
            sn_springs_pull(s, b, lane);
        }
        if (!sn_springs_push_out(s, b, lane) && !has_wanted) {
            continue;
        }
        for (int d = 0; d < 3; ++d) {
            way[d] = (double)b->now[d][lane] - (double)b->place[d][lane];
        }
        sn_normalize3(way, (const double[3]){0, 1, 0});
        for (int d = 0; d < 3; ++d) {
            b->aim[d][lane] = 0;
            for (int k = 0; k < 3; ++k) {
                b->aim[d][lane] += b->parent_turn[3 * k + d][lane] * (float)way[k];
            }
        }
        is_any = true;
    }
    if (is_any) {
        s->kernels->turn(b);
    }
}

static void swing(sn_springs *s, bool has_colliders, const sn_spring_air *air, float keep, float kick)
{
    for (int i = 0; i < s->block_count; ++i) {
        sn_spring_block *b = &s->blocks[i];
        const int contacts = b->contact_count;
        sn_springs_gather(s, b);
        b->contact_count = has_colliders ? contacts : 0;
        s->kernels->swing(b, s->contacts, s->solids, air, keep, kick);
        b->contact_count = contacts;
        if (s->near_count > 0) {
            correct(s, b, false);
        }
    }
}

/* Constrains grabbed chains after the swing, from parents to children. */
static void hold(sn_springs *s)
{
    sn_springs_find_wanted(s);
    for (int i = 0; i < s->block_count; ++i) {
        sn_spring_block *b = &s->blocks[i];
        sn_springs_gather(s, b);
        s->kernels->turn(b);
        correct(s, b, true);
    }
}

/* Transforms a direction to the bone's frame: by the inverse of the linear part, up to a factor. */
static void to_bone(const double *m, const double *way, float *result)
{
    double own[3], square = 0;
    for (int d = 0; d < 3; ++d) {
        const int d1 = (d + 1) % 3, d2 = (d + 2) % 3;
        own[d] = 0;
        for (int k = 0; k < 3; ++k) {
            const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            own[d] += (m[4 * k1 + d1] * m[4 * k2 + d2] - m[4 * k1 + d2] * m[4 * k2 + d1]) * way[k];
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
static bool take_aims(sn_springs *s, const double *pose)
{
    float sum = 0;
    bool are_unit = true;
    for (int i = 0; i < s->block_count; ++i) {
        const sn_spring_block *b = &s->blocks[i];
        for (int lane = 0; lane < SN_SPRING_LANES && b->joints[lane] >= 0; ++lane) {
            const size_t joint = (size_t)b->joints[lane];
            const double way[3] = {(double)b->aim[0][lane], (double)b->aim[1][lane], (double)b->aim[2][lane]};
            float *aim = s->aims[1] + 3 * joint;
            are_unit &= fabs(way[0] * way[0] + way[1] * way[1] + way[2] * way[2] - 1) < 1e-2;
            to_bone(pose + 12 * (size_t)s->model->spring_joints[joint].bone, way, aim);
            for (int d = 0; d < 3; ++d) {
                sum += 0 * (b->now[d][lane] + aim[d]);
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
                s->aims[0][3 * b->joints[lane] + d] = s->aims[1][3 * b->joints[lane] + d] = along;
                const float tail = b->head[d][lane] + b->along[d][lane];
                b->now[d][lane] = b->before[d][lane] = b->goal[d][lane] = b->goal_before[d][lane] = tail;
            }
        }
    }
}

/* Computes the rest state in a pose, regardless of the blend weights. */
static void rest(sn_springs *s, const double *pose)
{
    double anchor[3];
    s->near_count = 0;
    sn_springs_place(s, pose, anchor);
    straighten(s);
    update_solids(s, pose, anchor);
    swing(s, false, NULL, 0, AT_ONCE);
    s->is_lost = !take_aims(s, pose);
    if (s->contact_count > 0) {
        update_solids(s, pose, anchor);
        for (int i = 0; i < SETTLING; ++i) {
            swing(s, true, NULL, 0, 1);
        }
        s->is_lost = !take_aims(s, pose);
    }
    for (int i = 0; i < s->block_count; ++i) {
        memcpy(s->blocks[i].before, s->blocks[i].now, sizeof s->blocks[i].now);
        memcpy(s->blocks[i].goal_before, s->blocks[i].goal, sizeof s->blocks[i].goal);
    }
    memcpy(s->aims[0], s->aims[1], 3 * (size_t)s->model->spring_joint_count * sizeof(float));
    keep_pose(s, pose);
    sn_springs_take_again(s, pose);
}

void sn_springs_reset(sn_springs *s, const double *pose)
{
    if (s) {
        sn_springs_release_all(s);
        rest(s, pose);
        s->shares[0] = s->shares[1] = s->is_on ? 1 : 0;
    }
}

void sn_springs_turn_on(sn_springs *s, const double *pose, bool is_on)
{
    if (s && is_on && !sn_springs_are_on(s)) { /* poses were not received while switched off */
        rest(s, pose);
    }
    if (s) {
        s->is_on = is_on;
    }
}

bool sn_springs_are_on(const sn_springs *s)
{
    return s && (s->is_on || s->shares[0] > 0 || s->shares[1] > 0);
}

/* Smoothstep: starts and ends at zero speed. */
static double ease(double share)
{
    return share * share * (3 - 2 * share);
}

/* Returns false if springs have no visible effect. */
static bool move_share(sn_springs *s)
{
    const double way = s->substep * s->substep_count / SN_SPRING_FADE;
    s->shares[0] = s->shares[1];
    s->shares[1] = s->is_on ? fmin(s->shares[1] + way, 1) : fmax(s->shares[1] - way, 0);
    return s->shares[0] > 0 || s->shares[1] > 0;
}

/* Returns null without wind. */
static const sn_spring_air *find_air(const sn_springs *s, const sn_spring_step *with, sn_spring_air *air)
{
    const double *wind = with->surroundings ? with->surroundings->wind : NULL;
    const double speed = wind && with->area > 0 ? sn_length3(wind) : 0, h = s->substep;
    const double felt = fmin(FASTEST_WIND * s->model->diagonal / speed, 1);
    if (!(speed > 0)) {
        return NULL;
    }
    air->drag = (float)(0.5 * AIR_DENSITY * DRAG_COEFFICIENT * with->area /
                        (s->model->scale * SN_SPRING_RATE * SN_SPRING_RATE * h * h));
    for (int d = 0; d < 3; ++d) {
        air->way[d] = (float)(felt * h * wind[d]);
    }
    return air;
}

static void step(sn_springs *s, const double *pose, const sn_spring_step *with)
{
    sn_spring_air air;
    const sn_spring_air *felt = find_air(s, with, &air);
    for (int i = 1; i <= s->substep_count; ++i) {
        const double *at = pose_between(s, pose, 1.0 / (s->substep_count - i + 1)); /* of the remaining distance */
        double anchor[3];
        sn_springs_place(s, at, anchor);
        sn_springs_carry(s, at, anchor);
        update_solids(s, at, anchor);
        sn_springs_find_near(s, with->surroundings);
        const bool is_held = sn_springs_follow_hands(s, at);
        swing(s, !with->is_without_own_colliders, felt, 1, 1);
        if (is_held) {
            hold(s);
        }
        keep_pose(s, at);
    }
    s->near_count = 0;
}

/* Computes the pose for directions at a fraction and blend weight; preserves the step's own rotations. */
static void draw(sn_springs *s, double fraction, double share, const double *pose, double *posed)
{
    for (int i = 0; i < s->block_count; ++i) {
        memcpy(s->stepped[i].turn, s->blocks[i].turn, sizeof s->blocks[i].turn);
        memcpy(s->stepped[i].place, s->blocks[i].place, sizeof s->blocks[i].place);
    }
    sn_springs_aim(s, fraction, ease(share), pose);
    sn_springs_pose(s, pose, posed);
    for (int i = 0; i < s->block_count; ++i) {
        memcpy(s->blocks[i].turn, s->stepped[i].turn, sizeof s->blocks[i].turn);
        memcpy(s->blocks[i].place, s->stepped[i].place, sizeof s->blocks[i].place);
    }
}

bool sn_springs_step(sn_springs *s, const double *pose, const sn_spring_step *with, double *posed)
{
    const sn_spring_step alone = {0};
    if (!s) {
        return true;
    }
    if (!move_share(s)) {
        memmove(posed, pose, 12 * (size_t)s->model->counts.bone_count * sizeof *pose);
        return true;
    }
    if (s->is_lost) {
        rest(s, pose);
    }
    step(s, pose, with ? with : &alone);
    memcpy(s->aims[0], s->aims[1], 3 * (size_t)s->model->spring_joint_count * sizeof(float));
    const bool is_sound = take_aims(s, pose);
    if (!is_sound) {
        rest(s, pose);
    }
    if (s->shares[1] < 1) {
        draw(s, 1, s->shares[1], pose, posed);
    } else {
        sn_springs_pose(s, pose, posed);
    }
    return is_sound;
}

void sn_springs_show(sn_springs *s, double fraction, const double *pose, double *posed)
{
    double anchor[3];
    if (!s) {
        return;
    }
    const double stepped[3] = {s->anchor[0], s->anchor[1], s->anchor[2]};
    sn_springs_place(s, pose, anchor);
    memcpy(s->anchor, anchor, sizeof s->anchor);
    draw(s, fraction, s->shares[0] + fraction * (s->shares[1] - s->shares[0]), pose, posed);
    memcpy(s->anchor, stepped, sizeof s->anchor); /* tails are relative to it */
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
    sn_springs_move_grabs(s, transform);
    sn_affine_apply(transform, s->anchor, anchor);
    memcpy(s->anchor, anchor, sizeof anchor);
    for (int i = 0; i < s->block_count; ++i) {
        sn_spring_block *b = &s->blocks[i];
        sn_spring_lanes *const tails[] = SN_SPRING_KEPT(b);
        for (int k = 0; k < SN_SPRING_KEPT_COUNT * SN_SPRING_LANES; ++k) {
            sn_spring_lanes *tail = tails[k / SN_SPRING_LANES];
            const int lane = k % SN_SPRING_LANES;
            const double x[3] = {(double)tail[0][lane], (double)tail[1][lane], (double)tail[2][lane]};
            for (int d = 0; d < 3; ++d) {
                const double *row = transform + 4 * d;
                tail[d][lane] = (float)(row[0] * x[0] + row[1] * x[1] + row[2] * x[2]);
            }
        }
    }
}
