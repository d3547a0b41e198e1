/* SPDX-License-Identifier: MIT */
/* Colliders on the bones of a cooked model, felt by its samples on one side of a plane. */
#ifndef SN_TESTS_SUPPORT_BONE_COLLIDERS_H
#define SN_TESTS_SUPPORT_BONE_COLLIDERS_H

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "host/contact/bone_collider.h"

static inline sn_bone_collider sn_test_ball_on_bone(int bone, double radius, const double *place)
{
    sn_bone_collider c = {.bone = bone, .shape = SN_COLLIDER_SPHERE, .radius = (float)radius, .friction = 0.5F};
    for (int d = 0; d < 3; ++d) {
        c.transform[5 * d] = 1;
        c.transform[4 * d + 3] = (float)place[d];
    }
    return c;
}

/* A plane across z, solid on the side of lower z. */
static inline sn_bone_collider sn_test_wall_on_bone(int bone, double z)
{
    return (sn_bone_collider){
        .bone = bone, .shape = SN_COLLIDER_PLANE, .transform = {1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, (float)z}};
}

/* The model with these colliders, which samples at x >= `from` feel. Free its sample_clearances. */
static inline sn_model sn_test_with_bone_colliders(const sn_model *model, const sn_bone_collider *colliders, int count,
                                                   double from)
{
    const size_t samples = (size_t)model->counts.sample_count, n = (size_t)count;
    float *clearances = malloc(samples * n * sizeof *clearances);
    sn_model changed = *model;
    for (size_t i = 0; clearances && i < samples * n; ++i) {
        const float *x = model->surface_positions + 3 * (size_t)model->sample_vertices[i / n];
        const double place[3] = {(double)x[0], (double)x[1], (double)x[2]};
        sn_collider bound;
        sn_bone_collider_bind(&colliders[i % n], &bound);
        const double distance = sn_collider_distance(&bound, place, NULL);
        clearances[i] = place[0] >= from ? (float)fmin(distance, 0) : -FLT_MAX;
    }
    changed.bone_collider_count = clearances ? count : 0;
    changed.bone_colliders = colliders;
    changed.sample_clearances = clearances;
    return changed;
}

#endif
