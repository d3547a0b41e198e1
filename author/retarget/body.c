/* SPDX-License-Identifier: MIT */
#include "author/retarget/body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/math/quaternion.h"
#include "host/math/vec3.h"

#define MAX_BACK_COSINE                                                                                                \
    0.5 /* cosine of the angle to the vertical, mean over frames: 0.2 to 0.3 for a fox, above 0.9 for people */
#define MIN_ARM_RATIO 0.8  /* arm length / leg length: 1.15 for a fox, 0.6 to 0.7 for people */
#define LOW_QUANTILE 0.05  /* quantile of ankle heights that counts as standing on the floor */
#define SAMPLE_LIMIT 400   /* max. frames examined for the reference pose */
#define SNAP_COSINE 0.9    /* directions closer than this to a coordinate axis snap to it */
#define MAX_FLAT_CHANGE .6 /* rad, max. difference between the measured foot slope and the one at rest */

/* ---- axes ---- */

/* Replaces v by the nearest coordinate axis, of either sign, if it is close to one. */
static void snap(double *v)
{
    const double length = sn_length3(v);
    for (int d = 0; d < 3; ++d) {
        if (length > 0 && fabs(v[d]) > SNAP_COSINE * length) {
            const double sign = v[d] > 0 ? 1 : -1;
            memset(v, 0, 3 * sizeof(double));
            v[d] = sign;
            return;
        }
    }
}

/* ---- structure ---- */

/* Lists the joints below `above` down to `joint`, with the last one only if has_last. */
static sn_result build_chain(const sn_rig_skeleton *s, int32_t above, int32_t joint, bool has_last, sn_rig_chain *chain)
{
    int32_t reversed[SN_RIG_CHAIN_LIMIT];
    chain->count = 0;
    for (int32_t at = has_last || joint < 0 ? joint : s->parents[joint]; at >= 0 && at != above; at = s->parents[at]) {
        if (chain->count == SN_RIG_CHAIN_LIMIT) {
            return sn_fail(SN_ERROR_UNSUPPORTED, "%s: more than %d joints between '%s' and '%s'", s->name,
                           SN_RIG_CHAIN_LIMIT, above >= 0 ? s->names[above] : "", s->names[joint]);
        }
        reversed[chain->count++] = at;
    }
    for (int k = 0; k < chain->count; ++k) {
        chain->joints[k] = reversed[chain->count - 1 - k];
    }
    return SN_OK;
}

sn_result sn_rig_body_init(const sn_rig_skeleton *skeleton, bool is_capture, sn_arena *arena, sn_rig_body *b)
{
    const size_t n = (size_t)skeleton->joint_count;
    *b = (sn_rig_body){.skeleton = skeleton};
    if (!(b->joint_rotations = SN_NEW(arena, double, 4 * n)) || !(b->positions = SN_NEW(arena, double, 3 * n)) ||
        sn_rig_tree_init(skeleton, arena, &b->tree) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    SN_TRY(sn_humanoid_find_roles(skeleton, is_capture, arena, b->of_role));
    const int32_t hips = b->of_role[SN_HUMANOID_HIPS], head = b->of_role[SN_HUMANOID_HEAD];
    const int32_t chest = sn_rig_common_ancestor(&b->tree, b->of_role[sn_humanoid_bone_index(0, SN_PART_UPPER_ARM)],
                                                 b->of_role[sn_humanoid_bone_index(1, SN_PART_UPPER_ARM)]);
    if (sn_rig_is_above(&b->tree, hips, chest)) {
        SN_TRY(build_chain(skeleton, hips, chest, true, &b->spine));
    }
    if (sn_rig_is_above(&b->tree, chest, head)) {
        SN_TRY(build_chain(skeleton, chest, head, false, &b->neck));
    }
    return SN_OK;
}

/* ---- poses ---- */

/* The rotation of a linear part without its scale, by polar decomposition of the normalized columns. If the linear part
 * mirrors, all three axes are negated first; the factor cancels against a rest pose that mirrors alike. */
static void rotation_of(const double *w, double *rotation)
{
    double unit[9], normal[3];
    const double x[3] = {w[0], w[1], w[2]}, y[3] = {w[4], w[5], w[6]}, z[3] = {w[8], w[9], w[10]};
    sn_cross3(x, y, normal);
    const double sign = sn_dot3(normal, z) < 0 ? -1 : 1;
    for (int k = 0; k < 3; ++k) {
        const double length = sqrt(w[k] * w[k] + w[4 + k] * w[4 + k] + w[8 + k] * w[8 + k]);
        for (int d = 0; d < 3; ++d) {
            unit[3 * d + k] = length > 0 ? sign * w[4 * d + k] / length : (d == k ? 1 : 0);
        }
    }
    sn_quaternion_from_matrix(unit, rotation);
    sn_quaternion_polar(unit, rotation);
}

void sn_rig_body_read(const sn_rig_body *b, const double *worlds, double *joint_rotations, double *positions)
{
    for (size_t j = 0; j < (size_t)b->skeleton->joint_count; ++j) {
        rotation_of(worlds + 12 * j, joint_rotations + 4 * j);
        for (size_t d = 0; d < 3; ++d) {
            positions[3 * j + d] = worlds[12 * j + 4 * d + 3];
        }
    }
}

static const double *position_of(const sn_rig_body *b, const double *positions, int side, int part)
{
    return positions + 3 * (size_t)b->of_role[sn_humanoid_bone_index(side, part)];
}

void sn_rig_body_midpoint(const sn_rig_body *b, const double *positions, int part, double midpoint[3])
{
    const double *left = position_of(b, positions, 0, part), *right = position_of(b, positions, 1, part);
    for (int d = 0; d < 3; ++d) {
        midpoint[d] = (left[d] + right[d]) / 2;
    }
}

void sn_rig_body_left(const sn_rig_body *b, const double *positions, bool has_shoulders, double left[3])
{
    const int parts[2] = {SN_PART_UPPER_LEG, SN_PART_UPPER_ARM};
    const double none[3] = {0};
    memset(left, 0, 3 * sizeof(double));
    for (int k = 0; k < 1 + has_shoulders; ++k) {
        double direction[3];
        sn_subtract3(position_of(b, positions, 0, parts[k]), position_of(b, positions, 1, parts[k]), direction);
        sn_normalize3(direction, none);
        for (int d = 0; d < 3; ++d) {
            left[d] += direction[d];
        }
    }
}

static void up_direction(const sn_rig_body *b, const double *positions, int floor_height, int high, double direction[3])
{
    double bottom[3];
    sn_rig_body_midpoint(b, positions, high, direction);
    sn_rig_body_midpoint(b, positions, floor_height, bottom);
    sn_subtract3(direction, bottom, direction);
    sn_normalize3(direction, (const double[3]){0});
}

static double bone_length(const sn_rig_body *b, const double *positions, int side, int part)
{
    return sn_distance3(position_of(b, positions, side, part), position_of(b, positions, side, part + 1));
}

/* Computes leg_length and standing_point in the reference pose. */
static void measure(sn_rig_body *b)
{
    const double y[3] = {0, 1, 0};
    double up[3], height_above = 0;
    sn_rig_rotate(b->axes, y, up);
    b->leg_length = 0;
    sn_rig_body_midpoint(b, b->positions, SN_PART_UPPER_LEG, b->standing_point);
    for (int side = 0; side < 2; ++side) {
        b->leg_length += (bone_length(b, b->positions, side, SN_PART_UPPER_LEG) +
                          bone_length(b, b->positions, side, SN_PART_LOWER_LEG)) /
                         2;
        height_above +=
            (sn_dot3(b->standing_point, up) - sn_dot3(position_of(b, b->positions, side, SN_PART_FOOT), up)) / 2;
    }
    for (int d = 0; d < 3; ++d) {
        b->standing_point[d] -= height_above * up[d];
    }
}

void sn_rig_body_rest(sn_rig_body *b)
{
    double up[3], left[3];
    sn_rig_body_read(b, b->skeleton->rest, b->joint_rotations, b->positions);
    up_direction(b, b->positions, SN_PART_FOOT, SN_PART_UPPER_ARM, up);
    sn_rig_body_left(b, b->positions, true, left);
    snap(up);
    snap(left);
    sn_rig_axes(left, up, b->axes);
    measure(b);
}

/* Scores how upright a pose is along `up`: the sum of seven cosines, each 1 if upright. min_cosine is their minimum. */
static double score_upright(const sn_rig_body *b, const double *positions, const double *up, double *min_cosine)
{
    double cosines[7], direction[3], left[2][3], sum = 0;
    up_direction(b, positions, SN_PART_UPPER_LEG, SN_PART_UPPER_ARM, direction);
    cosines[0] = sn_dot3(direction, up);
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < 2; ++k) {
            sn_subtract3(position_of(b, positions, side, SN_PART_UPPER_LEG + k),
                         position_of(b, positions, side, SN_PART_UPPER_LEG + k + 1), direction);
            sn_normalize3(direction, (const double[3]){0});
            cosines[1 + 2 * side + k] = sn_dot3(direction, up);
        }
    }
    sn_rig_body_left(b, positions, false, left[0]);
    sn_rig_body_left(b, positions, true, left[1]);
    sn_normalize3(left[1], (const double[3]){0});
    cosines[5] = sn_dot3(left[0], left[1]);
    cosines[6] = 1 - fabs(sn_dot3(left[0], up));
    *min_cosine = 1;
    for (int k = 0; k < 7; ++k) {
        sum += cosines[k];
        *min_cosine = fmin(*min_cosine, cosines[k]);
    }
    return sum;
}

/* Whether the rest pose is upright: legs below the arms, straight, and the sides symmetric. */
static bool is_upright_at_rest(sn_rig_body *b)
{
    double up[3], min_cosine;
    sn_rig_body_read(b, b->skeleton->rest, b->joint_rotations, b->positions);
    up_direction(b, b->positions, SN_PART_FOOT, SN_PART_UPPER_ARM, up);
    score_upright(b, b->positions, up, &min_cosine);
    return min_cosine > 0.7;
}

/* ---- motions ---- */

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The LOW_QUANTILE quantile; sorts the values. */
static double low_quantile(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return values[(int)(LOW_QUANTILE * (count - 1))];
}

typedef struct height_lists {
    double *ankles, *sides[2], *toes[2]; /* (frame_count) heights along up: the lower ankle, each ankle, toes */
} height_lists;

static bool has_toes(const sn_rig_body *b, int side)
{
    return b->of_role[sn_humanoid_bone_index(side, SN_PART_TOES)] >= 0;
}

/* Records heights over the motion and the most upright frame. Overwrites the body's reference pose. */
static void scan_heights(sn_rig_body *b, const double *worlds, int frame_count, const double *up, height_lists *l,
                         double *best_positions, double *best_rotations)
{
    const size_t n = (size_t)b->skeleton->joint_count;
    const int stride = frame_count / SAMPLE_LIMIT + 1;
    double best = -INFINITY, min_cosine;
    for (int f = 0; f < frame_count; ++f) {
        sn_rig_body_read(b, worlds + 12 * n * (size_t)f, b->joint_rotations, b->positions);
        for (int side = 0; side < 2; ++side) {
            l->sides[side][f] = sn_dot3(position_of(b, b->positions, side, SN_PART_FOOT), up);
            l->toes[side][f] =
                has_toes(b, side) ? sn_dot3(position_of(b, b->positions, side, SN_PART_TOES), up) : l->sides[side][f];
        }
        l->ankles[f] = fmin(l->sides[0][f], l->sides[1][f]);
        const double score = f % stride == 0 ? score_upright(b, b->positions, up, &min_cosine) : -INFINITY;
        if (score > best) {
            best = score;
            memcpy(best_positions, b->positions, 3 * n * sizeof(double));
            memcpy(best_rotations, b->joint_rotations, 4 * n * sizeof(double));
        }
    }
}

/* The coordinate axis nearest to a direction. */
static void nearest_axis(const double *direction, double axis[3])
{
    int nearest = 1;
    for (int d = 0; d < 3; ++d) {
        nearest = fabs(direction[d]) > fabs(direction[nearest]) ? d : nearest;
    }
    memset(axis, 0, 3 * sizeof(double));
    axis[nearest] = direction[nearest] < 0 ? -1 : 1;
}

/* Finds the up axis. An upright rest pose determines it; the motion would be misleading if the person lies straight
 * throughout. Otherwise it is the mean direction from the feet to the arms over the frames. */
static void find_up(sn_rig_body *b, const double *worlds, int frame_count, bool is_upright, double up[3])
{
    const size_t n = (size_t)b->skeleton->joint_count;
    const int stride = frame_count / SAMPLE_LIMIT + 1;
    double sum[3] = {0}, direction[3];
    if (is_upright) {
        sn_rig_body_read(b, b->skeleton->rest, b->joint_rotations, b->positions);
        up_direction(b, b->positions, SN_PART_FOOT, SN_PART_UPPER_ARM, sum);
    }
    for (int f = 0; f < frame_count && !is_upright; f += stride) {
        sn_rig_body_read(b, worlds + 12 * n * (size_t)f, b->joint_rotations, b->positions);
        up_direction(b, b->positions, SN_PART_FOOT, SN_PART_UPPER_ARM, direction);
        for (int d = 0; d < 3; ++d) {
            sum[d] += direction[d];
        }
    }
    nearest_axis(sum, up);
}

/* The slope of a foot in the current pose relative to up, in radians. */
static double pitch_of(const sn_rig_body *b, int side, const double *up)
{
    double direction[3];
    sn_subtract3(position_of(b, b->positions, side, SN_PART_FOOT), position_of(b, b->positions, side, SN_PART_TOES),
                 direction);
    const double length = sn_length3(direction);
    return length > 0 ? asin(fmin(fmax(sn_dot3(direction, up) / length, -1), 1)) : 0;
}

/* Arm length / leg length, to the wrists and ankles, or else to the elbows and knees. */
static double arm_ratio(const sn_rig_body *b)
{
    double arms = 0, legs = 0;
    for (int side = 0; side < 2; ++side) {
        const bool has_hands = b->of_role[sn_humanoid_bone_index(0, SN_PART_HAND)] >= 0 &&
                               b->of_role[sn_humanoid_bone_index(1, SN_PART_HAND)] >= 0;
        for (int k = 0; k < 1 + has_hands; ++k) {
            arms += bone_length(b, b->positions, side, SN_PART_UPPER_ARM + k);
            legs += bone_length(b, b->positions, side, SN_PART_UPPER_LEG + k);
        }
    }
    return legs > 0 ? arms / legs : 0;
}

bool sn_rig_body_is_quadruped(sn_rig_body *b, const double *worlds, int frame_count)
{
    const size_t n = (size_t)b->skeleton->joint_count;
    const int stride = frame_count / SAMPLE_LIMIT + 1;
    double up[3] = {0}, back[3] = {0}, direction[3];
    int count = 0;
    for (int f = 0; f < frame_count; f += stride, ++count) { /* the mean direction of swinging legs is up */
        sn_rig_body_read(b, worlds + 12 * n * (size_t)f, b->joint_rotations, b->positions);
        up_direction(b, b->positions, SN_PART_FOOT, SN_PART_UPPER_LEG, direction);
        for (int d = 0; d < 3; ++d) {
            up[d] += direction[d];
        }
        up_direction(b, b->positions, SN_PART_UPPER_LEG, SN_PART_UPPER_ARM, direction);
        for (int d = 0; d < 3; ++d) {
            back[d] += direction[d];
        }
    }
    const double length = sn_length3(up);
    return length > 0 && sn_dot3(back, up) < MAX_BACK_COSINE * count * length && arm_ratio(b) > MIN_ARM_RATIO;
}

sn_result sn_rig_body_of_motion(sn_rig_body *b, const double *worlds, int frame_count, sn_arena *arena, double up[3])
{
    const size_t n = (size_t)b->skeleton->joint_count;
    const bool is_upright = is_upright_at_rest(b);
    double *heights = SN_NEW(arena, double, 5 * (size_t)frame_count);
    double *positions = heights ? SN_NEW(arena, double, 7 * n) : NULL;
    if (!positions) {
        return SN_ERROR_MEMORY;
    }
    const size_t f = (size_t)frame_count;
    height_lists l = {heights, {heights + f, heights + 2 * f}, {heights + 3 * f, heights + 4 * f}};
    double body_up[3], first[3], left[3];
    find_up(b, worlds, frame_count, is_upright, up);
    scan_heights(b, worlds, frame_count, up, &l, positions, positions + 3 * n);
    sn_rig_body_read(b, worlds, b->joint_rotations, b->positions);
    sn_rig_body_midpoint(b, b->positions, SN_PART_UPPER_LEG, first);
    if (is_upright) {
        sn_rig_body_rest(b);
    } else {
        memcpy(b->positions, positions, 3 * n * sizeof(double));
        memcpy(b->joint_rotations, positions + 3 * n, 4 * n * sizeof(double));
        sn_rig_body_left(b, b->positions, true, left);
        sn_rig_axes(left, up, b->axes);
        measure(b);
    }
    sn_rig_rotate(b->axes, (const double[3]){0, 1, 0}, body_up);
    b->has_flat_foot_pitch = true;
    b->is_motion_frame = !is_upright;
    for (int side = 0; side < 2; ++side) {
        b->flat_foot_pitch[side] = 0;
        if (has_toes(b, side)) {
            const double length = bone_length(b, b->positions, side, SN_PART_FOOT);
            const double height_above =
                low_quantile(l.sides[side], frame_count) - low_quantile(l.toes[side], frame_count);
            const double pitch = asin(length > 0 ? fmin(fmax(height_above / length, -1), 1) : 0);
            const double own = pitch_of(b, side, body_up);
            b->flat_foot_pitch[side] = is_upright && fabs(pitch - own) > MAX_FLAT_CHANGE ? own : pitch;
        }
    }
    const double floor_height = low_quantile(l.ankles, frame_count), height = sn_dot3(first, up);
    for (int d = 0; d < 3; ++d) {
        b->standing_point[d] = first[d] + (floor_height - height) * up[d];
    }
    return SN_OK;
}
