/* SPDX-License-Identifier: MIT */
/* Forces from outside, through the model's surface samples: wind, impulses. */
#include <math.h>
#include <string.h>

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
    const float *n = model->sample_normals + 3 * (size_t)sample;
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
    sn_samples_flesh(&solver->sample_rows, solver->coordinate_count, difference, body->samples.flesh);
}

/* The air's speed against the skin, along its normal, which is put in its lanes. */
static double wind_speed(const sn_reduced_body *body, int sample, const double *wind, sn_f32x8 *normals)
{
    const sn_model *model = body->solver->model;
    const double fastest = FASTEST_WIND * model->diagonal, per_second = 1 / body->solver->desc.time_step;
    double normal[3], rig[3], flesh[3];
    sample_normal(model, sample, body->rig, normal);
    sn_sample_rig(model, (size_t)model->sample_vertices[sample], body->motion, body->weights_before, rig);
    sn_sample_take(body->samples.flesh, sample, flesh);
    sn_sample_put(normals, sample, normal);
    const double speed = sn_dot3(wind, normal) - per_second * (sn_dot3(rig, normal) + sn_dot3(flesh, normal));
    return fmin(fmax(speed, -fastest), fastest);
}

/* What share of the force a step can take: with all of it, flesh that weighs next to nothing would be thrown faster
 * than the air moves, and back again. Weighed by area, its movement stays within the air's. */
static double bearable_share(sn_reduced_body *body, const double *force, const sn_f32x8 *normals)
{
    const sn_reduced_solver *solver = body->solver;
    const sn_model *model = solver->model;
    float *moved = body->f32.coordinates; /* not needed before the iterations */
    double allowed = 0, taken = 0;
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        moved[i] = (float)(solver->inverse_system[i / 3] * force[i]);
    }
    sn_samples_flesh(&solver->sample_rows, solver->coordinate_count, moved, body->samples.flesh);
    for (int sample = 0; sample < model->counts.sample_count; ++sample) {
        double normal[3], flesh[3];
        sn_sample_take(normals, sample, normal);
        sn_sample_take(body->samples.flesh, sample, flesh);
        const double area = (double)model->sample_areas[sample], along = sn_dot3(normal, flesh);
        allowed += area * fabs((double)body->samples.speeds[sample]) * solver->desc.time_step * fabs(along);
        taken += area * along * along;
    }
    return taken > allowed ? allowed / taken : 1;
}

/* Pressure 1/2 rho C v_n |v_n| along the normal, v_n the air's velocity against the skin: it pushes where it meets the
 * skin and pulls where it leaves, half of a bluff body's drag each, and damps what moves through it. */
void sn_reduced_add_wind(sn_reduced_body *body, const double *wind)
{
    const sn_reduced_solver *solver = body->solver;
    const sn_model *model = solver->model;
    sn_f32x8 *forces = body->samples.forces, *normals = body->samples.normals;
    double *force = body->z64; /* not needed before the iterations */
    gather_movement(body);
    for (int sample = 0; sample < model->counts.sample_count; ++sample) {
        const double speed = wind_speed(body, sample, wind, normals), area = (double)model->sample_areas[sample];
        const double pressed = 0.25 * AIR_DENSITY * DRAG_COEFFICIENT * speed * fabs(speed) * area;
        double pull[3];
        sn_sample_take(normals, sample, pull);
        for (int d = 0; d < 3; ++d) {
            pull[d] *= pressed;
        }
        sn_sample_put(forces, sample, pull);
        body->samples.speeds[sample] = (float)speed;
    }
    memset(force, 0, 3 * (size_t)solver->coordinate_count * sizeof *force);
    sn_samples_pull(&solver->sample_rows, solver->coordinate_count, forces, (sn_f32x8 *)(void *)body->f32.lanes, force);
    const double share = bearable_share(body, force, normals);
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        body->inertia[i] += share * force[i];
    }
}

/* V^T M V = 1: the impulse is the change of dZ/dt, which the next step takes. */
void sn_reduced_body_apply_impulse(sn_reduced_body *body, const double *point, const double *impulse)
{
    const double sum = 0 * (point[0] + point[1] + point[2] + impulse[0] + impulse[1] + impulse[2]);
    double position[3];
    const sn_sample_search search = {body->solver->model, body->rig, body->coordinates, body->weights_before, NULL};
    const int sample = sum == 0 ? sn_nearest_sample(&search, point, position) : -1;
    if (sample >= 0) {
        add_force(body->solver->model, sample, impulse, body->velocity_change);
    }
}

/* Through the skin, by the bone's share of its area: an impulse on all the flesh by rig weight and mass is just what
 * complementary modes cannot see. */
void sn_reduced_body_apply_bone_impulse(sn_reduced_body *body, int bone, const double *impulse)
{
    const sn_model *model = body->solver->model;
    double area = 0;
    SN_ASSERT(bone >= 0 && bone < model->counts.bone_count);
    for (int sample = 0; sample < model->counts.sample_count; ++sample) {
        area += sn_model_bone_area(model, sample, bone);
    }
    for (int sample = 0; sample < model->counts.sample_count && area > 0; ++sample) {
        const double share = sn_model_bone_area(model, sample, bone) / area;
        const double part[3] = {share * impulse[0], share * impulse[1], share * impulse[2]};
        if (share > 0 && 0 * (part[0] + part[1] + part[2]) == 0) {
            add_force(model, sample, part, body->velocity_change);
        }
    }
}
