/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/landmarks.h"

#include <math.h>
#include <string.h>

#include "author/retarget/body.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"
#include "runtime/puppet/landmarks_person.h"

#define MAX_STEP 0.25
#define MIN_LENGTH 1e-6

void sn_landmark_parent_rotation(const sn_landmark_person *p, int bone, double world[4])
{
    int parent = sn_humanoid_parent(bone);
    while (parent >= 0 && !sn_tracking_has(p->tracking_frame, parent)) {
        parent = sn_humanoid_parent(parent);
    }
    const double identity[4] = {0, 0, 0, 1};
    memcpy(world, parent >= 0 ? p->world[parent] : identity, sizeof identity);
}

void sn_landmark_set_bone(sn_landmark_person *p, int bone, const double world[4], double confidence)
{
    double parent[4], local[4];
    sn_landmark_parent_rotation(p, bone, parent);
    sn_quaternion_conjugate(parent, parent);
    sn_quaternion_multiply(parent, world, local);
    if (sn_tracking_set_rotation(p->tracking_frame, bone, local, confidence)) {
        memcpy(p->world[bone], world, sizeof p->world[bone]);
    }
}

double sn_landmark_min_visibility(const sn_landmark_person *p, int count, const int *points)
{
    double min_visibility = 1;
    for (int i = 0; i < count; ++i) {
        min_visibility = fmin(min_visibility, p->visibility[points[i]]);
    }
    return min_visibility;
}

bool sn_landmark_direction(const double from[3], const double to[3], double direction[3])
{
    sn_subtract3(to, from, direction);
    const double length = sn_length3(direction);
    for (int d = 0; d < 3 && length > MIN_LENGTH; ++d) {
        direction[d] /= length;
    }
    return length > MIN_LENGTH;
}

/* Converts MediaPipe's axes (x right, y down, z away) to the person's (left, up, forward). Mirroring swaps left and
 * right. */
static void convert_point(const double *point, bool is_mirrored, double *out)
{
    out[0] = is_mirrored ? -point[0] : point[0];
    out[1] = -point[1];
    out[2] = -point[2];
}

/* Index of the corresponding landmark on the other side. */
static int mirror_index(int point)
{
    static const int face[11] = {0, 4, 5, 6, 1, 2, 3, 8, 7, 10, 9};
    return point < 11 ? face[point] : ((point - 11) ^ 1) + 11;
}

static void convert_pose(sn_landmark_person *p, const sn_landmarks *l)
{
    for (int i = 0; i < SN_POSE_COUNT; ++i) {
        const double *from = l->pose[l->mirrored ? mirror_index(i) : i];
        const double gate = p->solver->is_visible[i] ? SN_VISIBILITY_LOST : SN_VISIBILITY_GAINED;
        p->solver->is_visible[i] = l->has_pose && from[3] >= gate;
        p->visibility[i] = p->solver->is_visible[i] ? from[3] : 0;
        convert_point(from, l->mirrored, p->points[i]);
    }
}

static void convert_image(sn_landmark_person *p, const sn_landmarks *l)
{
    p->has_image = l->has_pose && l->has_image;
    for (int i = 0; i < SN_POSE_COUNT; ++i) {
        const double *from = l->image[l->mirrored ? mirror_index(i) : i];
        p->image[i][0] = l->mirrored ? -from[0] : from[0];
        p->image[i][1] = -from[1];
    }
}

static void convert_hands(sn_landmark_person *p, const sn_landmarks *l)
{
    for (int side = 0; side < 2; ++side) {
        const int from = l->mirrored ? 1 - side : side;
        p->has_hand[side] = l->has_hand[from];
        for (int i = 0; i < SN_HAND_COUNT; ++i) {
            convert_point(l->hands[from][i], l->mirrored, p->hands[side][i]);
        }
    }
}

/* Converts the landmarks. Stored twists belong to one side, so they are reset when mirroring is toggled. */
static void begin_frame(sn_landmark_person *p, const sn_landmarks *l)
{
    sn_landmark_solver *s = p->solver;
    if (s->is_mirrored != l->mirrored) {
        memset(s, 0, sizeof *s);
        s->is_mirrored = l->mirrored;
    }
    p->seconds = s->has_before ? fmin(fmax(l->seconds - s->seconds, 0), MAX_STEP) : 0;
    s->seconds = l->seconds;
    convert_pose(p, l);
    convert_image(p, l);
    convert_hands(p, l);
}

static void midpoint(const sn_landmark_person *p, int left, double point[3])
{
    for (int d = 0; d < 3; ++d) {
        point[d] = (p->points[left][d] + p->points[left + 1][d]) / 2;
    }
}

/* Rotates the first bone halfway to `world` and the second bone fully. */
static void set_bone_pair(sn_landmark_person *p, int first, int second, const double world[4], double confidence)
{
    double parent[4], half_world[4];
    sn_landmark_parent_rotation(p, first, parent);
    sn_quaternion_blend(parent, world, 0.5, half_world);
    sn_landmark_set_bone(p, first, half_world, confidence);
    sn_landmark_set_bone(p, second, world, confidence);
}

/* If hips or shoulders are not visible, the spine is assumed to be vertical. */
static void solve_torso(sn_landmark_person *p)
{
    const double hips_visibility = sn_landmark_min_visibility(p, 2, (const int[]){SN_POSE_HIP, SN_POSE_HIP + 1});
    const double shoulders_visibility =
        sn_landmark_min_visibility(p, 2, (const int[]){SN_POSE_SHOULDER, SN_POSE_SHOULDER + 1});
    double hips[3], shoulders[3], up[3], left[3], world[4];
    midpoint(p, SN_POSE_HIP, hips);
    midpoint(p, SN_POSE_SHOULDER, shoulders);
    if (!(hips_visibility > 0 && shoulders_visibility > 0 && sn_landmark_direction(hips, shoulders, up))) {
        memcpy(up, (const double[3]){0, 1, 0}, sizeof up);
    }
    if (hips_visibility > 0 && sn_landmark_direction(p->points[SN_POSE_HIP + 1], p->points[SN_POSE_HIP], left)) {
        sn_rig_axes(left, up, world);
        sn_landmark_set_bone(p, SN_HUMANOID_HIPS, world, hips_visibility);
    }
    if (shoulders_visibility > 0 &&
        sn_landmark_direction(p->points[SN_POSE_SHOULDER + 1], p->points[SN_POSE_SHOULDER], left)) {
        sn_rig_axes(left, up, world);
        set_bone_pair(p, SN_HUMANOID_SPINE, SN_HUMANOID_CHEST, world, shoulders_visibility);
    }
}

/* Extracts the rotation of the face matrix, ignoring its scale. */
static bool face_rotation(const sn_landmarks *l, double world[4])
{
    double left[3], up[3], forward[3];
    const double origin[3] = {0};
    if (!l->has_face || !sn_landmark_direction(origin, l->face, left) ||
        !sn_landmark_direction(origin, l->face + 4, up)) {
        return false;
    }
    sn_cross3(left, up, forward);
    sn_rig_axes(left, up, world);
    if (l->mirrored) { /* reflection in x reverses rotations about y and z */
        world[1] = -world[1];
        world[2] = -world[2];
    }
    return sn_length3(forward) > MIN_LENGTH && sn_dot3(forward, l->face + 8) > 0;
}

static double head_rotation(const sn_landmark_person *p, double world[4])
{
    const double is_visible =
        sn_landmark_min_visibility(p, 3, (const int[]){SN_POSE_NOSE, SN_POSE_EAR, SN_POSE_EAR + 1});
    const double nose_rotation[4] = {-sin(SN_NOSE_ANGLE / 2), 0, 0, cos(SN_NOSE_ANGLE / 2)};
    double left[3], forward[3], up[3], ears[3];
    midpoint(p, SN_POSE_EAR, ears);
    if (!(is_visible > 0) || !sn_landmark_direction(p->points[SN_POSE_EAR + 1], p->points[SN_POSE_EAR], left) ||
        !sn_landmark_direction(ears, p->points[SN_POSE_NOSE], forward)) {
        return 0;
    }
    sn_cross3(forward, left, up);
    if (!(sn_length3(up) > 1e-3)) {
        return 0;
    }
    sn_rig_axes(left, up, world);
    sn_quaternion_multiply(world, nose_rotation, world);
    return is_visible;
}

static void solve_head(sn_landmark_person *p, const sn_landmarks *l)
{
    double world[4];
    const double is_visible = face_rotation(l, world) ? 1 : head_rotation(p, world);
    if (is_visible > 0) {
        set_bone_pair(p, SN_HUMANOID_NECK, SN_HUMANOID_HEAD, world, is_visible);
    }
}

void sn_landmarks_solve(sn_landmark_solver *solver, const sn_landmarks *landmarks, sn_tracking *tracking_frame)
{
    sn_landmark_person person = {.solver = solver, .tracking_frame = tracking_frame};
    tracking_frame->seconds = landmarks->seconds;
    tracking_frame->tracked = 0;
    tracking_frame->has_hips = false;
    begin_frame(&person, landmarks);
    solve_torso(&person);
    solve_head(&person, landmarks);
    for (int side = 0; side < 2; ++side) {
        sn_landmark_solve_arm(&person, side);
        sn_landmark_solve_leg(&person, side);
    }
    sn_landmark_solve_hips(&person);
    solver->has_before = true;
}
