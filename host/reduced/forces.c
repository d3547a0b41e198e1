/* SPDX-License-Identifier: MIT */
/* External forces through the model's surface samples: wind, impulses. */
#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "host/reduced/solver.h"

#define AIR_DENSITY 1.2 /* kg/m^3 */
#define DRAG_COEFFICIENT 1.0
#define MAX_WIND_SPEED 100.0    /* diagonals per second relative to the skin; the force stops growing there */
#define MAX_WIND_COMPONENT 1e18 /* clamp, so that products of floats stay finite */

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

/* Movement of the rig and, at the samples, of the flesh in the last step, and rest normals rotated by the rig's linear
 * part. The rotation of the skin by the flesh is neglected. */
static void gather_movement(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    const sn_sample_skin *skin = &solver->sample_skin;
    sn_sample_scratch *s = &body->samples;
    const double zero[3] = {0};
    float *difference = body->f32.coordinates; /* unused before the iterations */
    for (int i = 0; i < 3 * solver->column_count; ++i) {
        body->motion[i] = body->rig[i] - body->rig_before[i];
    }
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        difference[i] = (float)(body->coordinates[i] - body->coordinates_before[i]);
    }
    solver->kernels->flesh_offset(&solver->sample_rows, solver->coordinate_count, difference, s->flesh_offset);
    sn_samples_rig_to_float(body->rig, solver->model->counts.bone_count, body->rig + 9, s->rig);
    solver->kernels->transform_points(skin, skin->normals, s->rig, s->normals);
    sn_samples_rig_to_float(body->motion, solver->model->counts.bone_count, zero, s->rig);
    solver->kernels->transform_points(
        skin, sn_samples_rest_positions(solver->model, skin, body->weights_before, s->rest), s->rig, s->positions);
}

/* Cheap sufficient test that stable_fraction returns 1. With x = A^-1 f at the samples, areas a, speeds v and forces p
 * = c v |v| a along the normals n, f . A^-1 f = sum p n . x <= c v_max sum a |v| |n . x|,   sum a (n . x)^2 <= sum a
 * r^2,   r a bound on |x|: the fraction is 1 if h f . A^-1 f >= c v_max sum a r^2. A factor of 2 covers rounding. */
static bool is_surely_stable(sn_reduced_body *body, const sn_wind_parameters *wind, const double *force)
{
    const sn_reduced_solver *solver = body->solver;
    double *moved = body->local64, work = 0, max_speed = 0; /* unused before the iterations */
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        moved[i] = solver->inverse_system[i / 3] * force[i];
        work += moved[i] * force[i];
    }
    const double max_offset =
        solver->response.max_displacement_factor * sn_reduced_displacement_bound(solver->model, moved);
    sn_f32x8 max_speeds = {0};
    for (int b = 0; b < solver->sample_rows.block_count; ++b) {
        const sn_f32x8 speed = body->samples.speeds[b];
        max_speeds = sn_select8(speed > max_speeds, speed, max_speeds);
    }
    for (int i = 0; i < SN_LANES; ++i) {
        max_speed = fmax(max_speed, (double)max_speeds[i]);
    }
    return work * solver->desc.time_step >=
           2 * (double)wind->half_drag * max_speed * solver->sample_area * max_offset * max_offset;
}

/* Fraction of the force that a step can apply stably. With the full force, very light flesh would move faster than the
 * air and oscillate. Area-weighted, its movement is limited to that of the air. */
static double stable_fraction(sn_reduced_body *body, const sn_wind_parameters *wind, const double *force)
{
    const sn_reduced_solver *solver = body->solver;
    const sn_model *model = solver->model;
    float *moved = body->f32.coordinates; /* unused before the iterations */
    double allowed = 0, used = 0;
    if (is_surely_stable(body, wind, force)) {
        return 1;
    }
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        moved[i] = (float)(solver->inverse_system[i / 3] * force[i]);
    }
    solver->kernels->flesh_offset(&solver->sample_rows, solver->coordinate_count, moved, body->samples.flesh_offset);
    for (int sample = 0; sample < model->counts.sample_count; ++sample) {
        double normal[3], flesh_offset[3];
        sn_sample_get(body->samples.normals, sample, normal);
        sn_sample_get(body->samples.flesh_offset, sample, flesh_offset);
        const double area = (double)model->sample_areas[sample], along = sn_dot3(normal, flesh_offset);
        const double speed = (double)body->samples.speeds[sample / SN_LANES][sample % SN_LANES];
        allowed += area * speed * solver->desc.time_step * fabs(along);
        used += area * along * along;
    }
    return used > allowed ? allowed / used : 1;
}

/* Pressure 1/2 rho C v_n |v_n| along the normal, with v_n the air's velocity relative to the skin. It pushes on the
 * windward side and pulls on the lee side, half of a bluff body's drag each, and damps the skin's own motion. */
void sn_reduced_add_wind(sn_reduced_body *body, const double *velocity)
{
    const sn_reduced_solver *solver = body->solver;
    double *force = body->z64; /* unused before the iterations */
    float *generalized = body->f32.local;
    sn_wind_parameters wind = {.inverse_time_step = (float)(1 / solver->desc.time_step),
                               .max_speed = (float)(MAX_WIND_SPEED * solver->model->diagonal),
                               .half_drag = (float)(0.25 * AIR_DENSITY * DRAG_COEFFICIENT)};
    for (int d = 0; d < 3; ++d) {
        wind.velocity[d] = (float)fmin(fmax(velocity[d], -MAX_WIND_COMPONENT), MAX_WIND_COMPONENT);
    }
    gather_movement(body);
    solver->kernels->wind_forces(&solver->sample_skin, &wind, &body->samples);
    solver->kernels->generalized_forces(&solver->sample_rows, solver->coordinate_count, body->samples.forces,
                                        generalized);
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        force[i] = (double)generalized[i];
    }
    const double fraction = stable_fraction(body, &wind, force);
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        body->inertia[i] += fraction * force[i];
    }
}

/* Since V^T M V = 1, the impulse is the change of dZ/dt. The next step applies it. */
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

/* The impulse acts on the skin, weighted by the bone's fraction of its area. An impulse on all flesh, by rig weight and
 * mass, would be orthogonal to complementary modes and have no effect. */
void sn_reduced_body_apply_bone_impulse(sn_reduced_body *body, int bone, const double *impulse)
{
    const sn_model *model = body->solver->model;
    double area = 0;
    SN_ASSERT(bone >= 0 && bone < model->counts.bone_count);
    for (int sample = 0; sample < model->counts.sample_count; ++sample) {
        area += sn_model_bone_area(model, sample, bone);
    }
    for (int sample = 0; sample < model->counts.sample_count && area > 0; ++sample) {
        const double fraction = sn_model_bone_area(model, sample, bone) / area;
        const double part[3] = {fraction * impulse[0], fraction * impulse[1], fraction * impulse[2]};
        if (fraction > 0 && 0 * (part[0] + part[1] + part[2]) == 0) {
            add_force(model, sample, part, body->velocity_change);
        }
    }
}
