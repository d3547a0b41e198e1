/* SPDX-License-Identifier: MIT */
/* Forces from outside, through the model's surface samples: wind, impulses. */
#include <math.h>

#include "host/math/vec3.h"
#include "host/reduced/solver.h"

#define AIR_DENSITY 1.2 /* kg/m^3 */
#define DRAG_COEFFICIENT 1.0
#define FASTEST_WIND 100.0 /* diagonals a second against the skin: beyond, the force no longer grows */

static void add_force(const sn_model *model, int sample, const double *force, double *values)
{
    const size_t count = (size_t)model->counts.coordinate_count;
    const float *row = model->sample_coordinate + (size_t)sample * count;
    for (size_t i = 0; i < count; ++i) {
        for (size_t d = 0; d < 3; ++d) {
            values[3 * i + d] += (double)row[i] * force[d];
        }
    }
}

/* The rest normal turned by the rig's linear part: flesh's own tilt is left out. */
static void sample_normal(const sn_model *model, int sample, const double *rig, double *normal)
{
    const size_t v = (size_t)model->sample_vertices[sample];
    const float *n = model->surface_normals + 3 * v;
    const double rest[3] = {(double)n[0], (double)n[1], (double)n[2]};
    normal[0] = normal[1] = normal[2] = 0;
    for (int32_t i = model->influence_starts[v]; i < model->influence_starts[v + 1]; ++i) {
        const double *p = rig + 12 * (size_t)model->influences[i].bone;
        for (int d = 0; d < 3; ++d) {
            normal[d] +=
                (double)model->influences[i].weight * (p[d] * rest[0] + p[3 + d] * rest[1] + p[6 + d] * rest[2]);
        }
    }
    sn_normalize3(normal, rest);
}

/* What the rig and, at the samples, the flesh did in the last step: into motion and contacts.flesh. */
static void gather_movement(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    float *difference = body->f32.coordinates; /* not needed before the iterations */
    for (int i = 0; i < 3 * solver->column_count; ++i) {
        body->motion[i] = body->rig[i] - body->rig_before[i];
    }
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        difference[i] = (float)(body->coordinates[i] - body->coordinates_before[i]);
    }
    sn_samples_flesh(&solver->sample_rows, solver->coordinate_count, difference, body->contacts.flesh);
}

/* Pressure 1/2 rho C v_n |v_n| along the normal, v_n the air's velocity against the skin: it pushes where it meets the
 * skin and pulls where it leaves, half of a bluff body's drag each, and damps what moves through it. */
void sn_reduced_add_wind(sn_reduced_body *body, const double *wind)
{
    const sn_reduced_solver *solver = body->solver;
    const sn_model *model = solver->model;
    const double fastest = FASTEST_WIND * model->diagonal, per_second = 1 / solver->desc.time_step;
    sn_f32x8 *lanes = body->contacts.flesh; /* what the flesh did, then the forces */
    gather_movement(body);
    for (int sample = 0; sample < model->counts.sample_count; ++sample) {
        double normal[3], rig[3], flesh[3];
        sample_normal(model, sample, body->rig, normal);
        sn_sample_rig(model, (size_t)model->sample_vertices[sample], body->motion, rig);
        sn_sample_take(lanes, sample, flesh);
        const double relative = sn_dot3(wind, normal) - per_second * (sn_dot3(rig, normal) + sn_dot3(flesh, normal));
        const double speed = fmin(fmax(relative, -fastest), fastest);
        const double pressure = 0.25 * AIR_DENSITY * DRAG_COEFFICIENT * speed * fabs(speed);
        for (int d = 0; d < 3; ++d) {
            lanes[3 * (sample / SN_LANES) + d][sample % SN_LANES] =
                (float)(pressure * (double)model->sample_areas[sample] * normal[d]);
        }
    }
    sn_samples_pull(&solver->sample_rows, solver->coordinate_count, lanes, (sn_f32x8 *)(void *)body->f32.lanes,
                    body->inertia);
}

static int nearest_sample(const sn_reduced_body *body, const double *point)
{
    const sn_model *model = body->solver->model;
    double nearest = INFINITY;
    int best = -1;
    for (int sample = 0; sample < model->counts.sample_count; ++sample) {
        double rig[3], flesh[3];
        sn_sample_rig(model, (size_t)model->sample_vertices[sample], body->rig, rig);
        sn_sample_flesh(model, sample, body->coordinates, flesh);
        const double place[3] = {rig[0] + flesh[0], rig[1] + flesh[1], rig[2] + flesh[2]};
        const double distance = sn_distance3(place, point);
        best = distance < nearest ? sample : best;
        nearest = fmin(distance, nearest);
    }
    return best;
}

/* V^T M V = 1: the impulse is the change of dZ/dt, which the next step takes. */
void sn_reduced_body_apply_impulse(sn_reduced_body *body, const double *point, const double *impulse)
{
    const double sum = 0 * (point[0] + point[1] + point[2] + impulse[0] + impulse[1] + impulse[2]);
    const int sample = sum == 0 ? nearest_sample(body, point) : -1;
    if (sample >= 0) {
        add_force(body->solver->model, sample, impulse, body->velocity_change);
    }
}
