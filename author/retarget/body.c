/* SPDX-License-Identifier: MIT */
#include "author/retarget/body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/math/quaternion.h"
#include "host/math/vec3.h"

#define LEVEL_BACK                                                                                                     \
    0.5 /* cosine of the angle to the vertical, mean over frames: 0.2 to 0.3 for a fox, above 0.9 for people */
#define LONG_ARMS 0.8       /* arm length / leg length: 1.15 for a fox, 0.6 to 0.7 for people */
#define LOW_SHARE 0.05      /* quantile of ankle heights that counts as standing on the floor */
#define SAMPLE_LIMIT 400    /* max. frames examined for the reference pose */
#define SNAP_COSINE 0.9     /* directions closer than this to a coordinate axis snap to it */
#define MOST_FLAT_CHANGE .6 /* rad, max. difference between the measured foot slope and the one at rest */

/* ---- rotations ---- */

void sn_rig_rotate(const double *q, const double *v, double *result)
{
    double m[9];
    const double from[3] = {v[0], v[1], v[2]};
    sn_quaternion_to_matrix(q, m);
    for (int d = 0; d < 3; ++d) {
        result[d] = sn_dot3(m + 3 * d, from);
    }
}

void sn_rig_turn_to(const double *from, const double *to, double *turn)
{
    const double lengths = sn_length3(from) * sn_length3(to), cosine = lengths > 0 ? sn_dot3(from, to) / lengths : 1;
    turn[0] = turn[1] = turn[2] = 0;
    turn[3] = 1;
    if (!(lengths > 0)) {
        return;
    }
    if (cosine < -1 + 1e-9) { /* opposite directions: any half turn perpendicular to them */
        const double across[2][3] = {{-from[1], from[0], 0}, {0, -from[2], from[1]}};
        memcpy(turn, across[sn_length3(across[0]) > sn_length3(across[1]) ? 0 : 1], 3 * sizeof(double));
        turn[3] = 0;
    } else {
        sn_cross3(from, to, turn);
        turn[3] = lengths * (1 + cosine);
    }
    sn_quaternion_normalize(turn);
}

void sn_rig_axes(const double *left, const double *up, double *turn)
{
    double y[3], z[3], x[3], m[9];
    const double any[2][3] = {{1, 0, 0}, {0, 0, 1}};
    memcpy(y, up, sizeof y);
    sn_normalize3(y, (const double[3]){0, 1, 0});
    sn_cross3(left, y, z);
    if (sn_length3(z) < 1e-9 * (1 + sn_length3(left))) {
        sn_cross3(any[fabs(y[0]) > 0.9 ? 1 : 0], y, z);
    }
    sn_normalize3(z, any[1]);
    sn_cross3(y, z, x);
    for (int d = 0; d < 3; ++d) {
        m[3 * d] = x[d];
        m[3 * d + 1] = y[d];
        m[3 * d + 2] = z[d];
    }
    sn_quaternion_from_matrix(m, turn);
}

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
static sn_result make_chain(const sn_rig_skeleton *s, int32_t above, int32_t joint, bool has_last, sn_rig_chain *chain)
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
    if (!(b->turns = SN_NEW(arena, double, 4 * n)) || !(b->places = SN_NEW(arena, double, 3 * n)) ||
        sn_rig_tree_init(skeleton, arena, &b->tree) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = sn_humanoid_find_roles(skeleton, is_capture, arena, b->of_role);
    const int32_t hips = b->of_role[SN_HUMANOID_HIPS], head = b->of_role[SN_HUMANOID_HEAD];
    const int32_t chest = sn_rig_common(&b->tree, b->of_role[sn_humanoid_of(0, SN_PART_UPPER_ARM)],
                                        b->of_role[sn_humanoid_of(1, SN_PART_UPPER_ARM)]);
    if (result == SN_OK && sn_rig_is_above(&b->tree, hips, chest)) {
        result = make_chain(skeleton, hips, chest, true, &b->spine);
    }
    if (result == SN_OK && sn_rig_is_above(&b->tree, chest, head)) {
        result = make_chain(skeleton, chest, head, false, &b->neck);
    }
    return result;
}

/* ---- poses ---- */

/* The rotation of a linear part without its scale, by polar decomposition of the normalized columns. If the linear part
 * mirrors, all three axes are negated first; the factor cancels against a rest pose that mirrors alike. */
static void turn_of(const double *w, double *turn)
{
    double unit[9], across[3];
    const double x[3] = {w[0], w[1], w[2]}, y[3] = {w[4], w[5], w[6]}, z[3] = {w[8], w[9], w[10]};
    sn_cross3(x, y, across);
    const double sign = sn_dot3(across, z) < 0 ? -1 : 1;
    for (int k = 0; k < 3; ++k) {
        const double length = sqrt(w[k] * w[k] + w[4 + k] * w[4 + k] + w[8 + k] * w[8 + k]);
        for (int d = 0; d < 3; ++d) {
            unit[3 * d + k] = length > 0 ? sign * w[4 * d + k] / length : (d == k ? 1 : 0);
        }
    }
    sn_quaternion_from_matrix(unit, turn);
    sn_quaternion_polar(unit, turn);
}

void sn_rig_body_read(const sn_rig_body *b, const double *worlds, double *turns, double *places)
{
    for (size_t j = 0; j < (size_t)b->skeleton->joint_count; ++j) {
        turn_of(worlds + 12 * j, turns + 4 * j);
        for (size_t d = 0; d < 3; ++d) {
            places[3 * j + d] = worlds[12 * j + 4 * d + 3];
        }
    }
}

static const double *place_of(const sn_rig_body *b, const double *places, int side, int part)
{
    return places + 3 * (size_t)b->of_role[sn_humanoid_of(side, part)];
}

void sn_rig_body_middle(const sn_rig_body *b, const double *places, int part, double middle[3])
{
    const double *left = place_of(b, places, 0, part), *right = place_of(b, places, 1, part);
    for (int d = 0; d < 3; ++d) {
        middle[d] = (left[d] + right[d]) / 2;
    }
}

void sn_rig_body_left(const sn_rig_body *b, const double *places, bool has_shoulders, double left[3])
{
    const int parts[2] = {SN_PART_UPPER_LEG, SN_PART_UPPER_ARM};
    const double none[3] = {0};
    memset(left, 0, 3 * sizeof(double));
    for (int k = 0; k < 1 + has_shoulders; ++k) {
        double way[3];
        sn_subtract3(place_of(b, places, 0, parts[k]), place_of(b, places, 1, parts[k]), way);
        sn_normalize3(way, none);
        for (int d = 0; d < 3; ++d) {
            left[d] += way[d];
        }
    }
}

static void upwards(const sn_rig_body *b, const double *places, int low, int high, double way[3])
{
    double bottom[3];
    sn_rig_body_middle(b, places, high, way);
    sn_rig_body_middle(b, places, low, bottom);
    sn_subtract3(way, bottom, way);
    sn_normalize3(way, (const double[3]){0});
}

static double bone_length(const sn_rig_body *b, const double *places, int side, int part)
{
    return sn_distance3(place_of(b, places, side, part), place_of(b, places, side, part + 1));
}

/* Computes leg_length and standing_point in the reference pose. */
static void measure(sn_rig_body *b)
{
    const double y[3] = {0, 1, 0};
    double up[3], drop = 0;
    sn_rig_rotate(b->axes, y, up);
    b->leg = 0;
    sn_rig_body_middle(b, b->places, SN_PART_UPPER_LEG, b->stand);
    for (int side = 0; side < 2; ++side) {
        b->leg +=
            (bone_length(b, b->places, side, SN_PART_UPPER_LEG) + bone_length(b, b->places, side, SN_PART_LOWER_LEG)) /
            2;
        drop += (sn_dot3(b->stand, up) - sn_dot3(place_of(b, b->places, side, SN_PART_FOOT), up)) / 2;
    }
    for (int d = 0; d < 3; ++d) {
        b->stand[d] -= drop * up[d];
    }
}

void sn_rig_body_rest(sn_rig_body *b)
{
    double up[3], left[3];
    sn_rig_body_read(b, b->skeleton->rest, b->turns, b->places);
    upwards(b, b->places, SN_PART_FOOT, SN_PART_UPPER_ARM, up);
    sn_rig_body_left(b, b->places, true, left);
    snap(up);
    snap(left);
    sn_rig_axes(left, up, b->axes);
    measure(b);
}

/* Scores how upright a pose is along `up`: the sum of seven cosines, each 1 if upright. min_cosine is their minimum. */
static double standing(const sn_rig_body *b, const double *places, const double *up, double *least)
{
    double cosines[7], way[3], left[2][3], sum = 0;
    upwards(b, places, SN_PART_UPPER_LEG, SN_PART_UPPER_ARM, way);
    cosines[0] = sn_dot3(way, up);
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < 2; ++k) {
            sn_subtract3(place_of(b, places, side, SN_PART_UPPER_LEG + k),
                         place_of(b, places, side, SN_PART_UPPER_LEG + k + 1), way);
            sn_normalize3(way, (const double[3]){0});
            cosines[1 + 2 * side + k] = sn_dot3(way, up);
        }
    }
    sn_rig_body_left(b, places, false, left[0]);
    sn_rig_body_left(b, places, true, left[1]);
    sn_normalize3(left[1], (const double[3]){0});
    cosines[5] = sn_dot3(left[0], left[1]);
    cosines[6] = 1 - fabs(sn_dot3(left[0], up));
    *least = 1;
    for (int k = 0; k < 7; ++k) {
        sum += cosines[k];
        *least = fmin(*least, cosines[k]);
    }
    return sum;
}

/* Whether the rest pose is upright: legs below the arms, straight, and the sides symmetric. */
static bool stands_at_rest(sn_rig_body *b)
{
    double up[3], least;
    sn_rig_body_read(b, b->skeleton->rest, b->turns, b->places);
    upwards(b, b->places, SN_PART_FOOT, SN_PART_UPPER_ARM, up);
    standing(b, b->places, up, &least);
    return least > 0.7;
}

/* ---- motions ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The LOW_SHARE quantile; sorts the values. */
static double low_of(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[(int)(LOW_SHARE * (count - 1))];
}

typedef struct lows {
    double *ankles, *sides[2], *toes[2]; /* (frame_count) heights along up: the lower ankle, each ankle, toes */
} lows;

static bool has_toes(const sn_rig_body *b, int side)
{
    return b->of_role[sn_humanoid_of(side, SN_PART_TOES)] >= 0;
}

/* Records heights over the motion and the most upright frame. Overwrites the body's reference pose. */
static void scan(sn_rig_body *b, const double *worlds, int frame_count, const double *up, lows *l, double *best_places,
                 double *best_turns)
{
    const size_t n = (size_t)b->skeleton->joint_count;
    const int stride = frame_count / SAMPLE_LIMIT + 1;
    double best = -INFINITY, least;
    for (int f = 0; f < frame_count; ++f) {
        sn_rig_body_read(b, worlds + 12 * n * (size_t)f, b->turns, b->places);
        for (int side = 0; side < 2; ++side) {
            l->sides[side][f] = sn_dot3(place_of(b, b->places, side, SN_PART_FOOT), up);
            l->toes[side][f] =
                has_toes(b, side) ? sn_dot3(place_of(b, b->places, side, SN_PART_TOES), up) : l->sides[side][f];
        }
        l->ankles[f] = fmin(l->sides[0][f], l->sides[1][f]);
        const double score = f % stride == 0 ? standing(b, b->places, up, &least) : -INFINITY;
        if (score > best) {
            best = score;
            memcpy(best_places, b->places, 3 * n * sizeof(double));
            memcpy(best_turns, b->turns, 4 * n * sizeof(double));
        }
    }
}

/* The coordinate axis nearest to a direction. */
static void axis_of(const double *way, double axis[3])
{
    int nearest = 1;
    for (int d = 0; d < 3; ++d) {
        nearest = fabs(way[d]) > fabs(way[nearest]) ? d : nearest;
    }
    memset(axis, 0, 3 * sizeof(double));
    axis[nearest] = way[nearest] < 0 ? -1 : 1;
}

/* Finds the up axis. An upright rest pose determines it; the motion would be misleading if the person lies straight
 * throughout. Otherwise it is the mean direction from the feet to the arms over the frames. */
static void find_up(sn_rig_body *b, const double *worlds, int frame_count, bool stands, double up[3])
{
    const size_t n = (size_t)b->skeleton->joint_count;
    const int stride = frame_count / SAMPLE_LIMIT + 1;
    double sum[3] = {0}, way[3];
    if (stands) {
        sn_rig_body_read(b, b->skeleton->rest, b->turns, b->places);
        upwards(b, b->places, SN_PART_FOOT, SN_PART_UPPER_ARM, sum);
    }
    for (int f = 0; f < frame_count && !stands; f += stride) {
        sn_rig_body_read(b, worlds + 12 * n * (size_t)f, b->turns, b->places);
        upwards(b, b->places, SN_PART_FOOT, SN_PART_UPPER_ARM, way);
        for (int d = 0; d < 3; ++d) {
            sum[d] += way[d];
        }
    }
    axis_of(sum, up);
}

/* The slope of a foot in the current pose relative to up, in radians. */
static double pitch_of(const sn_rig_body *b, int side, const double *up)
{
    double way[3];
    sn_subtract3(place_of(b, b->places, side, SN_PART_FOOT), place_of(b, b->places, side, SN_PART_TOES), way);
    const double length = sn_length3(way);
    return length > 0 ? asin(fmin(fmax(sn_dot3(way, up) / length, -1), 1)) : 0;
}

/* Arm length / leg length, to the wrists and ankles, or else to the elbows and knees. */
static double arm_share(const sn_rig_body *b)
{
    double arms = 0, legs = 0;
    for (int side = 0; side < 2; ++side) {
        const bool has_hands =
            b->of_role[sn_humanoid_of(0, SN_PART_HAND)] >= 0 && b->of_role[sn_humanoid_of(1, SN_PART_HAND)] >= 0;
        for (int k = 0; k < 1 + has_hands; ++k) {
            arms += bone_length(b, b->places, side, SN_PART_UPPER_ARM + k);
            legs += bone_length(b, b->places, side, SN_PART_UPPER_LEG + k);
        }
    }
    return legs > 0 ? arms / legs : 0;
}

bool sn_rig_body_goes_on_fours(sn_rig_body *b, const double *worlds, int frame_count)
{
    const size_t n = (size_t)b->skeleton->joint_count;
    const int stride = frame_count / SAMPLE_LIMIT + 1;
    double up[3] = {0}, back[3] = {0}, way[3];
    int count = 0;
    for (int f = 0; f < frame_count; f += stride, ++count) { /* the mean direction of swinging legs is up */
        sn_rig_body_read(b, worlds + 12 * n * (size_t)f, b->turns, b->places);
        upwards(b, b->places, SN_PART_FOOT, SN_PART_UPPER_LEG, way);
        for (int d = 0; d < 3; ++d) {
            up[d] += way[d];
        }
        upwards(b, b->places, SN_PART_UPPER_LEG, SN_PART_UPPER_ARM, way);
        for (int d = 0; d < 3; ++d) {
            back[d] += way[d];
        }
    }
    const double length = sn_length3(up);
    return length > 0 && sn_dot3(back, up) < LEVEL_BACK * count * length && arm_share(b) > LONG_ARMS;
}

sn_result sn_rig_body_of_motion(sn_rig_body *b, const double *worlds, int frame_count, sn_arena *arena, double up[3])
{
    const size_t n = (size_t)b->skeleton->joint_count;
    const bool stands = stands_at_rest(b);
    double *heights = SN_NEW(arena, double, 5 * (size_t)frame_count);
    double *places = heights ? SN_NEW(arena, double, 7 * n) : NULL;
    if (!places) {
        return SN_ERROR_MEMORY;
    }
    const size_t f = (size_t)frame_count;
    lows l = {heights, {heights + f, heights + 2 * f}, {heights + 3 * f, heights + 4 * f}};
    double own_up[3], first[3], left[3];
    find_up(b, worlds, frame_count, stands, up);
    scan(b, worlds, frame_count, up, &l, places, places + 3 * n);
    sn_rig_body_read(b, worlds, b->turns, b->places);
    sn_rig_body_middle(b, b->places, SN_PART_UPPER_LEG, first);
    if (stands) {
        sn_rig_body_rest(b);
    } else {
        memcpy(b->places, places, 3 * n * sizeof(double));
        memcpy(b->turns, places + 3 * n, 4 * n * sizeof(double));
        sn_rig_body_left(b, b->places, true, left);
        sn_rig_axes(left, up, b->axes);
        measure(b);
    }
    sn_rig_rotate(b->axes, (const double[3]){0, 1, 0}, own_up);
    b->is_flat_known = true;
    b->is_leaning = !stands;
    for (int side = 0; side < 2; ++side) {
        b->flat_pitch[side] = 0;
        if (has_toes(b, side)) {
            const double length = bone_length(b, b->places, side, SN_PART_FOOT);
            const double drop = low_of(l.sides[side], frame_count) - low_of(l.toes[side], frame_count);
            const double pitch = asin(length > 0 ? fmin(fmax(drop / length, -1), 1) : 0);
            const double own = pitch_of(b, side, own_up);
            b->flat_pitch[side] = stands && fabs(pitch - own) > MOST_FLAT_CHANGE ? own : pitch;
        }
    }
    const double low = low_of(l.ankles, frame_count), height = sn_dot3(first, up);
    for (int d = 0; d < 3; ++d) {
        b->stand[d] = first[d] + (low - height) * up[d];
    }
    return SN_OK;
}
