/* SPDX-License-Identifier: MIT */
/* Grab springs scale with the flesh: their stiffness is a multiple of its static stiffness at the sample, and their
 * damping follows from its mass there. Their force is limited to what would move the softest flesh by a fraction of the
 * diagonal, the same limit for the whole body, so that stiff regions move less. None of the three depends on the time
 * step. */
#include "host/reduced/grabs.h"

#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/reduced/solver.h"

#define MIN_FREQUENCY 0.5 /* Hz: flesh without stiffness counts as attached by a spring of this frequency */
#define MAX_EXTENSION 1e6 /* diagonals: clamp of the extension; the force has reached its limit long before */
#define PI 3.14159265358979323846

/* Static displacement of a sample for a force of 1. */
static double static_response(const sn_model *model, double stiffness, int sample)
{
    const size_t count = (size_t)model->counts.coordinate_count;
    const float *row = model->sample_coordinate + (size_t)sample * count;
    const double min_stiffness = (2 * PI * MIN_FREQUENCY) * (2 * PI * MIN_FREQUENCY);
    double sum = 0;
    for (size_t k = 0; k < count; ++k) {
        sum += (double)row[k] * (double)row[k] / fmax(min_stiffness, stiffness * model->coordinate_stiffness[k]);
    }
    return sum;
}

static double inverse_mass(const sn_model *model, int sample)
{
    const size_t count = (size_t)model->counts.coordinate_count;
    const float *row = model->sample_coordinate + (size_t)sample * count;
    double sum = 0;
    for (size_t k = 0; k < count; ++k) {
        sum += (double)row[k] * (double)row[k];
    }
    return sum;
}

sn_grab_spring sn_grab_spring_at(const sn_model *model, double stiffness, double time_step, const sn_grab *grab)
{
    const double response = static_response(model, stiffness, grab->sample);
    const double spring_stiffness = 1 / (grab->desc.softness * response);
    const double damping =
        2 * grab->desc.damping_ratio * sqrt((spring_stiffness + 1 / response) / inverse_mass(model, grab->sample));
    return (sn_grab_spring){spring_stiffness, damping / time_step};
}

/* Combines spring k and damper d into one spring K = k + d / h with a common target. */
static void add_grab(sn_reduced_body *body, const sn_grab *grab)
{
    const sn_reduced_solver *solver = body->solver;
    const sn_model *model = solver->model;
    const size_t vertex = (size_t)model->sample_vertices[grab->sample];
    const sn_grab_spring spring = sn_grab_spring_at(model, solver->desc.stiffness, solver->desc.time_step, grab);
    const double stiffness = spring.stiffness, step_stiffness = spring.step_stiffness,
                 total_stiffness = stiffness + step_stiffness;
    double rig[3], flesh_offset[3], before[3], flesh_offset_before[3];
    sn_sample_rig_position(model, vertex, body->rig_next, body->weights, rig);
    sn_sample_flesh_offset(model, grab->sample, body->predicted64, flesh_offset);
    sn_sample_rig_position(model, vertex, body->rig, body->weights_before, before);
    sn_sample_flesh_offset(model, grab->sample, body->coordinates, flesh_offset_before);
    sn_contact *contact = &body->contacts.contacts[body->contacts.count++];
    *contact = (sn_contact){
        .sample = grab->sample,
        .row = model->sample_coordinate + (size_t)grab->sample * (size_t)solver->coordinate_count,
        .is_grab = true,
        .compliance = (float)(solver->unit * solver->unit / total_stiffness),
        .max_force = (float)(grab->desc.strength * model->diagonal / (double)solver->response.max_static_response)};
    double slide[3], max_slide = 0;
    for (int d = 0; d < 3; ++d) {
        const double target = grab->target[d] + grab->offset[d], now = before[d] + flesh_offset_before[d];
        slide[d] =
            rig[d] + flesh_offset[d] - stiffness / total_stiffness * target - step_stiffness / total_stiffness * now;
        max_slide = fmax(max_slide, fabs(slide[d]));
    }
    const double scale = fmin(MAX_EXTENSION * model->diagonal / max_slide, 1);
    for (int d = 0; d < 3; ++d) {
        contact->slide[d] = (float)(max_slide > 0 ? scale * slide[d] : 0);
    }
}

void sn_grabs_add_contacts(sn_reduced_body *body)
{
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        if (body->grabs[i].is_active) {
            add_grab(body, &body->grabs[i]);
        }
    }
}

double sn_grabs_max_response(const sn_model *model, double stiffness)
{
    double max_static_response = 0;
    for (int sample = 0; sample < model->counts.sample_count; ++sample) {
        max_static_response = fmax(max_static_response, static_response(model, stiffness, sample));
    }
    return max_static_response;
}

/* ---- user operations ---- */

static bool is_finite3(const double *a)
{
    return 0 * (a[0] + a[1] + a[2]) == 0;
}

int sn_grabs_begin(sn_grab *grabs, int sample, const double *position, const double *point, const sn_grab_desc *desc)
{
    int slot = 0;
    while (slot < SN_GRAB_LIMIT && grabs[slot].is_active) {
        ++slot;
    }
    if (slot == SN_GRAB_LIMIT || sample < 0 || sn_distance3(position, point) > desc->max_distance) {
        return -1;
    }
    sn_grab *grab = &grabs[slot];
    *grab = (sn_grab){.is_active = true, .sample = sample, .desc = *desc};
    for (int d = 0; d < 3; ++d) {
        grab->target[d] = point[d];
        grab->offset[d] = position[d] - point[d];
    }
    return slot;
}

void sn_grabs_drag(sn_grab *grabs, int grab, const double *target)
{
    SN_ASSERT(grab >= 0 && grab < SN_GRAB_LIMIT);
    for (int d = 0; d < 3 && is_finite3(target); ++d) {
        grabs[grab].target[d] = target[d];
    }
}

void sn_grabs_release(sn_grab *grabs, int grab)
{
    SN_ASSERT(grab >= 0 && grab < SN_GRAB_LIMIT);
    grabs[grab].is_active = false;
}

void sn_grabs_transform(sn_grab *grabs, const double *transform)
{
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        double target[3], offset[3];
        memcpy(target, grabs[i].target, sizeof target);
        memcpy(offset, grabs[i].offset, sizeof offset);
        sn_affine_apply(transform, target, grabs[i].target);
        for (int d = 0; d < 3; ++d) {
            grabs[i].offset[d] =
                transform[4 * d] * offset[0] + transform[4 * d + 1] * offset[1] + transform[4 * d + 2] * offset[2];
        }
    }
}

int sn_reduced_body_grab(sn_reduced_body *body, const double *point, const sn_grab_desc *desc)
{
    const sn_reduced_solver *solver = body->solver;
    double position[3] = {0};
    const sn_sample_search search = {solver->model, body->rig, body->coordinates, body->weights_before,
                                     solver->response.compliance};
    const int sample = is_finite3(point) ? sn_nearest_sample(&search, point, position) : -1;
    return sn_grabs_begin(body->grabs, sample, position, point, desc);
}

void sn_reduced_body_drag(sn_reduced_body *body, int grab, const double *target)
{
    sn_grabs_drag(body->grabs, grab, target);
}

void sn_reduced_body_release(sn_reduced_body *body, int grab)
{
    sn_grabs_release(body->grabs, grab);
}
