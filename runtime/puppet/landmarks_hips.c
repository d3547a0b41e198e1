/* SPDX-License-Identifier: MIT */
/* Position of the hips. MediaPipe's metric landmarks have their origin between the hips, so the height is the distance
 * down to the lowest visible foot; a foot then stays on the floor when knees bend. The lateral position is taken from
 * the picture and scaled to metres by the person's size in the picture: seen from the front, shoulders, hips and legs
 * have the same proportions in both (weak perspective). Depth is not estimated, because it would be derived from that
 * size alone, which is too noisy. */
#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "runtime/puppet/landmarks_person.h"

#define MIN_LENGTH 1e-6
#define ANKLE_FRACTION 0.09     /* height of the ankle above the sole, as a fraction of the leg's length */
#define DEFAULT_LEG_LENGTH 0.85 /* assumed leg length before legs have been visible, metres */
/* Range of the picture's height at the person's distance, metres: from a face that fills it to a distant person. */
#define MIN_PICTURE 0.3
#define MAX_PICTURE 20.0

/* the size changes slowly, when the person approaches */
static const sn_one_euro picture_filter = {.cutoff = 0.5, .beta = 1, .speed_cutoff = 1};

/* Measures a leg's length, and the depth of the lowest point of its foot below the hips; false if it is not visible. */
static bool measure_leg(const sn_landmark_person *p, int side, double *length, double *lowest)
{
    const int points[] = {SN_POSE_HIP + side, SN_POSE_KNEE + side, SN_POSE_ANKLE + side};
    const int sole[] = {SN_POSE_HEEL + side, SN_POSE_TOE + side};
    const double hips = (p->points[SN_POSE_HIP][1] + p->points[SN_POSE_HIP + 1][1]) / 2;
    if (!(sn_landmark_min_visibility(p, 3, points) > 0)) {
        return false;
    }
    *length = sn_distance3(p->points[points[0]], p->points[points[1]]) +
              sn_distance3(p->points[points[1]], p->points[points[2]]);
    *lowest = hips - p->points[points[2]][1];
    if (sn_landmark_min_visibility(p, 2, sole) > 0) {
        *lowest = fmax(*lowest, hips - fmin(p->points[sole[0]][1], p->points[sole[1]][1]));
    } else {
        *lowest += ANKLE_FRACTION * *length;
    }
    return *length > MIN_LENGTH;
}

/* Height of the hips above the lowest foot. Without visible legs: of a standing person. Returns whether legs are
 * visible. */
static bool measure_height(sn_landmark_person *p, double *height)
{
    sn_landmark_solver *s = p->solver;
    double length = 0, lowest = 0;
    int count = 0;
    for (int side = 0; side < 2; ++side) {
        double own_length, leg_lowest;
        if (measure_leg(p, side, &own_length, &leg_lowest)) {
            lowest = count > 0 ? fmax(lowest, leg_lowest) : leg_lowest;
            length += own_length;
            ++count;
        }
    }
    if (count > 0) {
        s->leg_length = length / count;
    }
    *height =
        count > 0 ? fmax(lowest, 0) : (1 + ANKLE_FRACTION) * (s->leg_length > 0 ? s->leg_length : DEFAULT_LEG_LENGTH);
    return count > 0;
}

/* Height of the picture at the person's distance, metres; 0: unknown. */
static double measure_picture(const sn_landmark_person *p)
{
    static const int points[] = {SN_POSE_SHOULDER, SN_POSE_SHOULDER + 1, SN_POSE_HIP,   SN_POSE_HIP + 1,
                                 SN_POSE_KNEE,     SN_POSE_KNEE + 1,     SN_POSE_ANKLE, SN_POSE_ANKLE + 1};
    const int count = sizeof points / sizeof *points;
    double metres[2] = {0}, heights[2] = {0}, covariance = 0, variance = 0;
    int visible_count = 0;
    for (int i = 0; i < count; ++i) {
        for (int d = 0; d < 2 && p->visibility[points[i]] > 0; ++d) {
            metres[d] += p->points[points[i]][d];
            heights[d] += p->image[points[i]][d];
            visible_count += d;
        }
    }
    for (int i = 0; i < count; ++i) {
        for (int d = 0; d < 2 && p->visibility[points[i]] > 0; ++d) {
            const double height = p->image[points[i]][d] - heights[d] / visible_count;
            covariance += (p->points[points[i]][d] - metres[d] / visible_count) * height;
            variance += height * height;
        }
    }
    const double size = variance > 0 ? covariance / variance : 0; /* least squares */
    return size >= MIN_PICTURE && size <= MAX_PICTURE ? size : 0;
}

/* Updates the hips' lateral position (from the picture's center to the left) in the solver; false: unknown. */
static bool measure_lateral(sn_landmark_person *p)
{
    sn_landmark_solver *s = p->solver;
    double size = p->has_image ? measure_picture(p) : 0;
    if (!(size > 0)) {
        return false;
    }
    sn_one_euro_filter(&picture_filter, p->seconds, 1, &s->picture, &size);
    s->lateral_position = size * (p->image[SN_POSE_HIP][0] + p->image[SN_POSE_HIP + 1][0]) / 2;
    return true;
}

void sn_landmark_solve_hips(sn_landmark_person *p)
{
    sn_tracking *m = p->tracking_frame;
    double height;
    if (!sn_tracking_has(m, SN_HUMANOID_HIPS)) {
        return;
    }
    const bool has_height = measure_height(p, &height), has_lateral = measure_lateral(p);
    m->has_hips = has_height || has_lateral;
    if (m->has_hips) {
        memcpy(m->hips, (const double[3]){p->solver->lateral_position, height, 0}, sizeof m->hips);
        m->hips_height = p->solver->leg_length > 0 ? p->solver->leg_length : DEFAULT_LEG_LENGTH;
    }
}
