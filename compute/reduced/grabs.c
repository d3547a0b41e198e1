/* SPDX-License-Identifier: MIT */
/* Grabs of bodies on the device: springs as in host/reduced/grabs.c. They reach the device with the next recording. The
 * grabbed sample is found on the CPU, in the state after the last step. */
#include <math.h>
#include <string.h>

#include "compute/reduced/private.h"
#include "host/reduced/solver.h"

#define MAX_DISTANCE 1e6 /* in diagonals; beyond, the force is at its limit anyway */

static const sn_model *host_data_of(const sn_gpu_reduced *r, const sn_gpu_reduced_body *body)
{
    return &sn_gpu_reduced_model_of(r, body)->retained;
}

/* Z_n (coordinate_count x 3) of the last recording's level of detail, with later resets and rotations applied. */
static sn_result read_coordinates(sn_gpu_reduced *r, int index, double *coordinates)
{
    const sn_gpu_reduced_body *body = sn_gpu_reduced_find(r, index);
    const size_t count = r->models[body->previous_model].coordinate_count;
    sn_gpu_reduced_reading reading = {.coordinates = coordinates};
    if (body->record.flags & SN_REDUCED_RESET) {
        memset(coordinates, 0, 3 * count * sizeof *coordinates);
        return SN_OK;
    }
    const sn_result result = sn_gpu_reduced_read(r, index, &reading);
    for (size_t i = 0; i < count; ++i, coordinates += 3) {
        const double z[3] = {coordinates[0], coordinates[1], coordinates[2]};
        for (size_t d = 0; d < 3; ++d) {
            coordinates[d] =
                body->rotation[3 * d] * z[0] + body->rotation[3 * d + 1] * z[1] + body->rotation[3 * d + 2] * z[2];
        }
    }
    return result;
}

/* -1 if there is none, or the device is lost. */
static int nearest_sample(sn_gpu_reduced *r, int index, const double *point, double *position)
{
    const sn_gpu_reduced_body *body = sn_gpu_reduced_find(r, index);
    const sn_model *now = host_data_of(r, body), *before = &r->models[body->previous_model].retained;
    const int bones = before->counts.bone_count;
    int sample = -1;
    sn_arena arena = {0};
    double *coordinates = SN_NEW(&arena, double, 3 * before->counts.coordinate_count);
    double *rig = SN_NEW(&arena, double, 12 * bones);
    float *compliance = SN_NEW(&arena, float, before->counts.sample_count);
    if (coordinates && rig && compliance && read_coordinates(r, index, coordinates) == SN_OK) {
        sn_contacts_compute_compliance(now, body->time_step, body->stiffness, compliance);
        sn_reduced_rig_from_pose(body->previous_pose, bones, rig);
        const sn_sample_search search = {before, rig, coordinates, body->previous_weights, compliance};
        sample = sn_nearest_sample(&search, point, position);
    }
    sn_arena_finish(&arena);
    return sample;
}

int sn_gpu_reduced_grab(sn_gpu_reduced *r, int index, const double *point, const sn_grab_desc *desc)
{
    sn_gpu_reduced_body *body = sn_gpu_reduced_find(r, index);
    double position[3] = {0};
    if (!isfinite(point[0]) || !isfinite(point[1]) || !isfinite(point[2]) ||
        sn_gpu_reduced_reserve_impulse(r) != SN_OK || sn_gpu_reduced_allocate_contacts(r, body) != SN_OK) {
        return -1;
    }
    const int sample = nearest_sample(r, index, point, position);
    const int grab = sn_grabs_begin(body->grabs, sample, position, point, desc);
    r->grab_count += grab >= 0;
    sn_gpu_reduced_update_grabs(r, body);
    return grab;
}

void sn_gpu_reduced_drag(sn_gpu_reduced *r, int body, int grab, const double *target)
{
    sn_grabs_drag(sn_gpu_reduced_find(r, body)->grabs, grab, target);
}

static uint32_t count_grabs(const sn_gpu_reduced_body *body)
{
    uint32_t count = 0;
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        count += body->grabs[i].is_active;
    }
    return count;
}

void sn_gpu_reduced_release(sn_gpu_reduced *r, int index, int grab)
{
    sn_gpu_reduced_body *body = sn_gpu_reduced_find(r, index);
    r->grab_count -= count_grabs(body);
    sn_grabs_release(body->grabs, grab);
    r->grab_count += count_grabs(body);
}

void sn_gpu_reduced_drop_grabs(sn_gpu_reduced *r, sn_gpu_reduced_body *body)
{
    r->grab_count -= count_grabs(body);
    memset(body->grabs, 0, sizeof body->grabs);
}

void sn_gpu_reduced_update_grabs(const sn_gpu_reduced *r, sn_gpu_reduced_body *body)
{
    if (count_grabs(body) > 0) {
        body->max_static_response = sn_grabs_max_response(host_data_of(r, body), body->stiffness);
    }
}

/* The layout is in shaders/shared/reduced.h. */
static void write_grab(const sn_model *retained, const sn_gpu_reduced_body *body, const sn_grab *grab, float *rows)
{
    const sn_grab_spring spring = sn_grab_spring_at(retained, body->stiffness, body->time_step, grab);
    const double total_stiffness = spring.stiffness + spring.step_stiffness,
                 square = sn_reduced_unit(retained) * sn_reduced_unit(retained);
    double offset[3], max_offset = 0;
    for (int d = 0; d < 3; ++d) {
        offset[d] = grab->target[d] + grab->offset[d] - body->pose[4 * d + 3];
        max_offset = fmax(max_offset, fabs(offset[d]));
    }
    const double scale = fmin(MAX_DISTANCE * retained->diagonal / max_offset, 1); /* 1 at distance 0 */
    rows[0] = (float)grab->sample;
    rows[1] = (float)(square / total_stiffness);
    rows[2] = (float)(grab->desc.strength * retained->diagonal / (body->max_static_response * square));
    rows[3] = (float)(spring.stiffness / total_stiffness);
    for (int d = 0; d < 3; ++d) {
        rows[4 + d] = (float)(scale * offset[d]);
    }
    rows[7] = 0;
}

uint32_t sn_gpu_reduced_write_grabs(const sn_gpu_reduced *r, const sn_gpu_reduced_body *body, float *rows)
{
    uint32_t count = 0;
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        if (body->grabs[i].is_active) {
            write_grab(host_data_of(r, body), body, &body->grabs[i], rows + (size_t)4 * SN_REDUCED_GRAB_ROWS * count++);
        }
    }
    return count;
}
