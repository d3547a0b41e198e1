/* SPDX-License-Identifier: MIT */
/* Springs that know the flesh that they pull: their stiffness is a multiple of its own at the sample, their damping
 * that of its mass there, and their force at most what would move the softest flesh by a share of the diagonal: one
 * hand for the whole body, so that stiff places give way less. All three are independent of the time step. */
#include "host/reduced/grabs.h"

#include <math.h>

#include "host/math/vec3.h"
#include "host/reduced/solver.h"

#define LEAST_FREQUENCY 0.5 /* Hz: flesh that nothing holds counts as if a spring of this frequency held it */
#define FARTHEST 1e6        /* diagonals: more is the same pull, which is as strong as it can be */
#define PI 3.14159265358979323846

/* How far a force of 1 moves a sample in the end. */
static double held_response(const sn_reduced_solver *solver, int sample)
{
    const size_t count = (size_t)solver->coordinate_count;
    const float *row = solver->model->sample_coordinate + (size_t)sample * count;
    const double least = (2 * PI * LEAST_FREQUENCY) * (2 * PI * LEAST_FREQUENCY);
    double sum = 0;
    for (size_t k = 0; k < count; ++k) {
        const double stiffness = solver->desc.stiffness * solver->model->coordinate_stiffness[k];
        sum += (double)row[k] * (double)row[k] / fmax(least, stiffness);
    }
    return sum;
}

static double inverse_mass(const sn_reduced_solver *solver, int sample)
{
    const size_t count = (size_t)solver->coordinate_count;
    const float *row = solver->model->sample_coordinate + (size_t)sample * count;
    double sum = 0;
    for (size_t k = 0; k < count; ++k) {
        sum += (double)row[k] * (double)row[k];
    }
    return sum;
}

/* Spring k and damper d in one: K = k + d / h, to where both together pull. */
static void add_grab(sn_reduced_body *body, const sn_grab *grab)
{
    const sn_reduced_solver *solver = body->solver;
    const sn_model *model = solver->model;
    const size_t vertex = (size_t)model->sample_vertices[grab->sample];
    const double response = held_response(solver, grab->sample), stiffness = 1 / (grab->desc.softness * response);
    const double damping =
        2 * grab->desc.damping_ratio * sqrt((stiffness + 1 / response) / inverse_mass(solver, grab->sample));
    const double per_step = damping / solver->desc.time_step, both = stiffness + per_step;
    double rig[3], flesh[3], before[3], flesh_before[3];
    sn_sample_rig(model, vertex, body->rig_next, rig);
    sn_sample_flesh(model, grab->sample, body->predicted64, flesh);
    sn_sample_rig(model, vertex, body->rig, before);
    sn_sample_flesh(model, grab->sample, body->coordinates, flesh_before);
    sn_contact *contact = &body->contacts.contacts[body->contacts.count++];
    *contact =
        (sn_contact){.sample = grab->sample,
                     .row = model->sample_coordinate + (size_t)grab->sample * (size_t)solver->coordinate_count,
                     .is_grab = true,
                     .give = (float)(1 / both),
                     .strongest = (float)(grab->desc.strength * model->diagonal / (double)solver->response.softest)};
    double slide[3], farthest = 0;
    for (int d = 0; d < 3; ++d) {
        const double target = grab->target[d] + grab->offset[d], now = before[d] + flesh_before[d];
        slide[d] = rig[d] + flesh[d] - stiffness / both * target - per_step / both * now;
        farthest = fmax(farthest, fabs(slide[d]));
    }
    const double nearer = fmin(FARTHEST * model->diagonal / farthest, 1);
    for (int d = 0; d < 3; ++d) {
        contact->slide[d] = (float)(farthest > 0 ? nearer * slide[d] : 0);
    }
}

void sn_grabs_add(sn_reduced_body *body)
{
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        if (body->grabs[i].is_held) {
            add_grab(body, &body->grabs[i]);
        }
    }
}

double sn_grabs_softest(const sn_reduced_solver *solver)
{
    double softest = 0;
    for (int sample = 0; sample < solver->model->counts.sample_count; ++sample) {
        softest = fmax(softest, held_response(solver, sample));
    }
    return softest;
}

/* ---- what the user does ---- */

static bool is_finite3(const double *a)
{
    return 0 * (a[0] + a[1] + a[2]) == 0;
}

int sn_reduced_body_grab(sn_reduced_body *body, const double *point, const sn_grab_desc *desc)
{
    int free_place = 0;
    while (free_place < SN_GRAB_LIMIT && body->grabs[free_place].is_held) {
        ++free_place;
    }
    double position[3] = {0};
    const int sample = is_finite3(point) ? sn_reduced_nearest_sample(body, point, true, position) : -1;
    if (free_place == SN_GRAB_LIMIT || sample < 0 || sn_distance3(position, point) > desc->reach) {
        return -1;
    }
    sn_grab *grab = &body->grabs[free_place];
    *grab = (sn_grab){.is_held = true, .sample = sample, .desc = *desc};
    for (int d = 0; d < 3; ++d) {
        grab->target[d] = point[d];
        grab->offset[d] = position[d] - point[d];
    }
    return free_place;
}

void sn_reduced_body_drag(sn_reduced_body *body, int grab, const double *target)
{
    SN_ASSERT(grab >= 0 && grab < SN_GRAB_LIMIT);
    for (int d = 0; d < 3 && is_finite3(target); ++d) {
        body->grabs[grab].target[d] = target[d];
    }
}

void sn_reduced_body_release(sn_reduced_body *body, int grab)
{
    SN_ASSERT(grab >= 0 && grab < SN_GRAB_LIMIT);
    body->grabs[grab].is_held = false;
}
