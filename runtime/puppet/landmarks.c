/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/landmarks.h"

#include <math.h>
#include <string.h>

#include "author/retarget/body.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"
#include "runtime/puppet/landmarks_person.h"

#define LONGEST_STEP 0.25
#define LEAST_LENGTH 1e-6

void sn_landmark_above(const sn_landmark_person *p, int bone, double world[4])
{
    int above = sn_humanoid_parent(bone);
    while (above >= 0 && !sn_tracking_has(p->moment, above)) {
        above = sn_humanoid_parent(above);
    }
    const double identity[4] = {0, 0, 0, 1};
    memcpy(world, above >= 0 ? p->world[above] : identity, sizeof identity);
}

void sn_landmark_turn(sn_landmark_person *p, int bone, const double world[4], double confidence)
{
    double above[4], local[4];
    sn_landmark_above(p, bone, above);
    sn_quaternion_conjugate(above, above);
    sn_quaternion_multiply(above, world, local);
    if (sn_tracking_rotate(p->moment, bone, local, confidence)) {
        memcpy(p->world[bone], world, sizeof p->world[bone]);
    }
}

double sn_landmark_sees(const sn_landmark_person *p, int count, const int *points)
{
    double least = 1;
    for (int i = 0; i < count; ++i) {
        least = fmin(least, p->visibility[points[i]]);
    }
    return least;
}

bool sn_landmark_way(const double from[3], const double to[3], double way[3])
{
    sn_subtract3(to, from, way);
    const double length = sn_length3(way);
    for (int d = 0; d < 3 && length > LEAST_LENGTH; ++d) {
        way[d] /= length;
    }
    return length > LEAST_LENGTH;
}

/* Converts MediaPipe's axes (x right, y down, z away) to the person's (left, up, forward). Mirroring swaps left and
 * right. */
static void take_point(const double *point, bool is_mirrored, double *out)
{
    out[0] = is_mirrored ? -point[0] : point[0];
    out[1] = -point[1];
    out[2] = -point[2];
}

/* Index of the corresponding landmark on the other side. */
static int across(int point)
{
    static const int face[11] = {0, 4, 5, 6, 1, 2, 3, 8, 7, 10, 9};
    return point < 11 ? face[point] : ((point - 11) ^ 1) + 11;
}

static void take_pose(sn_landmark_person *p, const sn_landmarks *l)
{
    for (int i = 0; i < SN_POSE_COUNT; ++i) {
        const double *from = l->pose[l->mirrored ? across(i) : i];
        const double gate = p->solver->seen[i] ? SN_VISIBILITY_LOST : SN_VISIBILITY_GAINED;
        p->solver->seen[i] = l->has_pose && from[3] >= gate;
        p->visibility[i] = p->solver->seen[i] ? from[3] : 0;
        take_point(from, l->mirrored, p->points[i]);
    }
}

static void take_image(sn_landmark_person *p, const sn_landmarks *l)
{
    p->has_image = l->has_pose && l->has_image;
    for (int i = 0; i < SN_POSE_COUNT; ++i) {
        const double *from = l->image[l->mirrored ? across(i) : i];
        p->image[i][0] = l->mirrored ? -from[0] : from[0];
        p->image[i][1] = -from[1];
    }
}

static void take_hands(sn_landmark_person *p, const sn_landmarks *l)
{
    for (int side = 0; side < 2; ++side) {
        const int from = l->mirrored ? 1 - side : side;
        p->has_hand[side] = l->has_hand[from];
        for (int i = 0; i < SN_HAND_COUNT; ++i) {
            take_point(l->hands[from][i], l->mirrored, p->hands[side][i]);
        }
    }
}

/* Converts the landmarks. Stored twists belong to one side, so they are reset when mirroring is toggled. */
static void begin(sn_landmark_person *p, const sn_landmarks *l)
{
    sn_landmark_solver *s = p->solver;
    if (s->is_mirrored != l->mirrored) {
        memset(s, 0, sizeof *s);
        s->is_mirrored = l->mirrored;
    }
    p->seconds = s->has_before ? fmin(fmax(l->seconds - s->seconds, 0), LONGEST_STEP) : 0;
    s->seconds = l->seconds;
    take_pose(p, l);
    take_image(p, l);
    take_hands(p, l);
}

static void middle(const sn_landmark_person *p, int left, double point[3])
{
    for (int d = 0; d < 3; ++d) {
        point[d] = (p->points[left][d] + p->points[left + 1][d]) / 2;
    }
}

/* Rotates the first bone halfway to `world` and the second bone fully. */
static void turn_two(sn_landmark_person *p, int first, int second, const double world[4], double confidence)
{
    double above[4], half[4];
    sn_landmark_above(p, first, above);
    sn_quaternion_blend(above, world, 0.5, half);
    sn_landmark_turn(p, first, half, confidence);
    sn_landmark_turn(p, second, world, confidence);
}

/* If hips or shoulders are not visible, the spine is assumed to be vertical. */
static void turn_torso(sn_landmark_person *p)
{
    const double hips_seen = sn_landmark_sees(p, 2, (const int[]){SN_POSE_HIP, SN_POSE_HIP + 1});
    const double shoulders_seen = sn_landmark_sees(p, 2, (const int[]){SN_POSE_SHOULDER, SN_POSE_SHOULDER + 1});
    double hips[3], shoulders[3], up[3], left[3], world[4];
    middle(p, SN_POSE_HIP, hips);
    middle(p, SN_POSE_SHOULDER, shoulders);
    if (!(hips_seen > 0 && shoulders_seen > 0 && sn_landmark_way(hips, shoulders, up))) {
        memcpy(up, (const double[3]){0, 1, 0}, sizeof up);
    }
    if (hips_seen > 0 && sn_landmark_way(p->points[SN_POSE_HIP + 1], p->points[SN_POSE_HIP], left)) {
        sn_rig_axes(left, up, world);
        sn_landmark_turn(p, SN_HUMANOID_HIPS, world, hips_seen);
    }
    if (shoulders_seen > 0 && sn_landmark_way(p->points[SN_POSE_SHOULDER + 1], p->points[SN_POSE_SHOULDER], left)) {
        sn_rig_axes(left, up, world);
        turn_two(p, SN_HUMANOID_SPINE, SN_HUMANOID_CHEST, world, shoulders_seen);
    }
}

/* Extracts the rotation of the face matrix, ignoring its scale. */
static bool face_rotation(const sn_landmarks *l, double world[4])
{
    double left[3], up[3], ahead[3];
    const double origin[3] = {0};
    if (!l->has_face || !sn_landmark_way(origin, l->face, left) || !sn_landmark_way(origin, l->face + 4, up)) {
        return false;
    }
    sn_cross3(left, up, ahead);
    sn_rig_axes(left, up, world);
    if (l->mirrored) { /* reflection in x reverses rotations about y and z */
        world[1] = -world[1];
        world[2] = -world[2];
    }
    return sn_length3(ahead) > LEAST_LENGTH && sn_dot3(ahead, l->face + 8) > 0;
}

static double head_rotation(const sn_landmark_person *p, double world[4])
{
    const double seen = sn_landmark_sees(p, 3, (const int[]){SN_POSE_NOSE, SN_POSE_EAR, SN_POSE_EAR + 1});
    const double nod[4] = {-sin(SN_NOSE_DROP / 2), 0, 0, cos(SN_NOSE_DROP / 2)};
    double left[3], ahead[3], up[3], ears[3];
    middle(p, SN_POSE_EAR, ears);
    if (!(seen > 0) || !sn_landmark_way(p->points[SN_POSE_EAR + 1], p->points[SN_POSE_EAR], left) ||
        !sn_landmark_way(ears, p->points[SN_POSE_NOSE], ahead)) {
        return 0;
    }
    sn_cross3(ahead, left, up);
    if (!(sn_length3(up) > 1e-3)) {
        return 0;
    }
    sn_rig_axes(left, up, world);
    sn_quaternion_multiply(world, nod, world);
    return seen;
}

static void turn_head(sn_landmark_person *p, const sn_landmarks *l)
{
    double world[4];
    const double seen = face_rotation(l, world) ? 1 : head_rotation(p, world);
    if (seen > 0) {
        turn_two(p, SN_HUMANOID_NECK, SN_HUMANOID_HEAD, world, seen);
    }
}

void sn_landmarks_solve(sn_landmark_solver *solver, const sn_landmarks *landmarks, sn_tracking *moment)
{
    sn_landmark_person person = {.solver = solver, .moment = moment};
    moment->seconds = landmarks->seconds;
    moment->tracked = 0;
    moment->has_hips = false;
    begin(&person, landmarks);
    turn_torso(&person);
    turn_head(&person, landmarks);
    for (int side = 0; side < 2; ++side) {
        sn_landmark_turn_arm(&person, side);
        sn_landmark_turn_leg(&person, side);
    }
    sn_landmark_place_hips(&person);
    solver->has_before = true;
}
