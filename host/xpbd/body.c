/* SPDX-License-Identifier: MIT */
/* Creates, sets, pins, moves and reads a body's state. */
#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/xpbd/solver.h"

sn_xpbd_settings sn_default_xpbd_settings(void)
{
    return (sn_xpbd_settings){.time_step = 1.0 / 60,
                              .substep_count = 15,
                              .sweep_count = 1,
                              .stiffness = 1,
                              .constraint_stiffness = 1,
                              .instructions = SN_XPBD_AVX512};
}

bool sn_xpbd_are_settings_valid(const sn_xpbd_settings *s)
{
    const double sum = s->gravity[0] + s->gravity[1] + s->gravity[2] + s->damping + s->sleep_speed;
    return s->time_step > 0 && isfinite(s->time_step) && s->substep_count >= 1 && s->sweep_count >= 1 &&
           s->stiffness > 0 && isfinite(s->stiffness) && s->constraint_stiffness > 0 &&
           isfinite(s->constraint_stiffness) && s->damping >= 0 && s->sleep_speed >= 0 && isfinite(sum);
}

static const sn_xpbd_kernels *choose_kernels(const sn_xpbd_settings *s)
{
    if (s->is_double) {
        return &sn_xpbd_kernels_f64;
    }
#if defined(__x86_64__)
    if (s->instructions >= SN_XPBD_AVX512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
        return &sn_xpbd_kernels_avx512;
    }
    if (s->instructions >= SN_XPBD_AVX2 && __builtin_cpu_supports("avx2")) {
        return &sn_xpbd_kernels_avx2;
    }
#endif
    return s->instructions == SN_XPBD_SCALAR ? &sn_xpbd_kernels_scalar : &sn_xpbd_kernels_baseline;
}

sn_result sn_xpbd_body_set_settings(sn_xpbd_body *body, const sn_xpbd_settings *settings)
{
    if (!sn_xpbd_are_settings_valid(settings)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd body: a setting is not finite or out of its range");
    }
    SN_ASSERT(settings->is_double == body->settings.is_double);
    body->settings = *settings;
    body->kernels = choose_kernels(settings);
    body->substep = settings->time_step / settings->substep_count;
    body->velocity_retention = exp(-settings->damping * body->substep);
    body->still_seconds = 0;
    return SN_OK;
}

static sn_result allocate(sn_xpbd_body *body)
{
    const size_t numbers = 4 * (size_t)body->model->row_count;
    body->state.row_count = body->model->row_count;
    body->state.displacements = sn_alloc(numbers, body->real_size);
    body->state.predicted = sn_alloc(numbers, body->real_size);
    body->state.velocities = sn_alloc(numbers, body->real_size);
    body->pin_of_row = sn_alloc((size_t)body->model->vertex_count, sizeof *body->pin_of_row);
    return body->state.displacements && body->state.predicted && body->state.velocities && body->pin_of_row
               ? SN_OK
               : SN_ERROR_MEMORY;
}

/* An exactly pinned row has inverse mass and mass 0. */
static void set_mass(sn_xpbd_body *body, int row, bool is_pinned)
{
    const double mass = is_pinned ? 0 : (double)body->model->rest[4 * (size_t)row + 3];
    sn_xpbd_set_real(body, body->state.displacements, 4 * (size_t)row + 3, mass > 0 ? 1 / mass : 0);
    sn_xpbd_set_real(body, body->state.velocities, 4 * (size_t)row + 3, mass);
}

sn_result sn_xpbd_body_create(const sn_xpbd_model *model, const sn_xpbd_settings *settings, sn_xpbd_body **body)
{
    *body = NULL;
    sn_xpbd_body *created = sn_alloc(1, sizeof *created);
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    created->model = model;
    created->settings.is_double = settings->is_double;
    created->real_size = settings->is_double ? sizeof(double) : sizeof(float);
    sn_result result = sn_xpbd_body_set_settings(created, settings);
    if (result == SN_OK) {
        result = allocate(created);
    }
    if (result != SN_OK) {
        sn_xpbd_body_destroy(&created);
        return result;
    }
    memcpy(created->origin, model->centre, sizeof created->origin);
    for (int row = 0; row < model->vertex_count; ++row) {
        created->pin_of_row[row] = -1;
        set_mass(created, row, false);
    }
    *body = created;
    return SN_OK;
}

void sn_xpbd_body_destroy(sn_xpbd_body **body)
{
    sn_xpbd_body *b = *body;
    if (!b) {
        return;
    }
    const size_t numbers = 4 * (size_t)b->model->row_count;
    sn_free(b->state.displacements, numbers, b->real_size);
    sn_free(b->state.predicted, numbers, b->real_size);
    sn_free(b->state.velocities, numbers, b->real_size);
    sn_free(b->pin_of_row, (size_t)b->model->vertex_count, sizeof *b->pin_of_row);
    sn_free(b->pins, (size_t)b->pin_capacity, sizeof *b->pins);
    sn_free(b->elements.values, b->elements.count, b->real_size);
    for (int type = 0; type < SN_XPBD_TYPE_COUNT; ++type) {
        sn_free(b->constraints_by_type[type].values, b->constraints_by_type[type].count, b->real_size);
    }
    sn_xpbd_model_destroy(&b->own_model);
    sn_free(b, 1, sizeof *b);
    *body = NULL;
}

static int row_of(const sn_xpbd_body *body, int vertex)
{
    SN_ASSERT(vertex >= 0 && vertex < body->model->vertex_count);
    return body->model->rows[vertex];
}

static void read_row(const sn_xpbd_body *body, const void *array, int row, double *xyz)
{
    for (size_t d = 0; d < 3; ++d) {
        xyz[d] = sn_xpbd_get_real(body, array, 4 * (size_t)row + d);
    }
}

static void write_row(const sn_xpbd_body *body, void *array, int row, const double *xyz)
{
    for (size_t d = 0; d < 3; ++d) {
        sn_xpbd_set_real(body, array, 4 * (size_t)row + d, xyz[d]);
    }
}

static void rest_of(const sn_xpbd_body *body, int row, double *xyz)
{
    for (size_t d = 0; d < 3; ++d) {
        xyz[d] = (double)body->model->rest[4 * (size_t)row + d];
    }
}

void sn_xpbd_get_position(const sn_xpbd_body *body, int row, double *location)
{
    double rest[3], displacement[3];
    rest_of(body, row, rest);
    read_row(body, body->state.displacements, row, displacement);
    for (int d = 0; d < 3; ++d) {
        location[d] = rest[d] + displacement[d] + body->origin[d];
    }
}

void sn_xpbd_set_position(sn_xpbd_body *body, int row, const double *location)
{
    double rest[3], displacement[3];
    rest_of(body, row, rest);
    for (int d = 0; d < 3; ++d) {
        displacement[d] = location[d] - body->origin[d] - rest[d];
    }
    write_row(body, body->state.displacements, row, displacement);
}

static void shift_origin(sn_xpbd_body *body, const double *shift)
{
    if (!isfinite(sn_length3(shift))) {
        return;
    }
    for (int row = 0; row < body->model->vertex_count; ++row) {
        double displacement[3];
        read_row(body, body->state.displacements, row, displacement);
        sn_subtract3(displacement, shift, displacement);
        write_row(body, body->state.displacements, row, displacement);
    }
    for (int d = 0; d < 3; ++d) {
        body->origin[d] += shift[d];
    }
}

void sn_xpbd_recenter_origin(sn_xpbd_body *body)
{
    const int count = body->model->vertex_count;
    double mean[3] = {0}, max_displacement, max_velocity;
    body->kernels->extent(&body->state, &max_displacement, &max_velocity);
    if (2 * max_displacement < body->model->diagonal) { /* then no row has moved far, and neither has their mean */
        return;
    }
    for (int first = 0; first < count; first += SN_BATCH) { /* block sums, as devices compute them */
        double sum[3] = {0};
        for (int row = first; row < count && row < first + SN_BATCH; ++row) {
            for (size_t d = 0; d < 3; ++d) {
                sum[d] += sn_xpbd_get_real(body, body->state.displacements, 4 * (size_t)row + d);
            }
        }
        for (int d = 0; d < 3; ++d) {
            mean[d] += sum[d] / count;
        }
    }
    if (sn_length3(mean) > body->model->diagonal) {
        shift_origin(body, mean);
    }
}

/* ---- pins ---- */

static bool reserve_pins(sn_xpbd_body *body)
{
    if (body->pin_count < body->pin_capacity) {
        return true;
    }
    const int capacity = body->pin_capacity > 0 ? 2 * body->pin_capacity : 16;
    sn_xpbd_pin *pins = sn_alloc((size_t)capacity, sizeof *pins);
    if (!pins) {
        return false;
    }
    if (body->pin_count > 0) {
        memcpy(pins, body->pins, (size_t)body->pin_count * sizeof *pins);
    }
    sn_free(body->pins, (size_t)body->pin_capacity, sizeof *pins);
    body->pins = pins;
    body->pin_capacity = capacity;
    return true;
}

sn_result sn_xpbd_body_pin(sn_xpbd_body *body, int vertex, double stiffness)
{
    const int row = row_of(body, vertex);
    if (!(stiffness > 0)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "xpbd body: vertex %d: pin stiffness %g is not positive", vertex,
                              stiffness);
    }
    if (body->pin_of_row[row] < 0) {
        if (!reserve_pins(body)) {
            return SN_ERROR_MEMORY;
        }
        sn_xpbd_pin *pin = &body->pins[body->pin_count];
        *pin = (sn_xpbd_pin){.row = row};
        double rest[3];
        rest_of(body, row, rest);
        sn_xpbd_get_position(body, row, pin->target);
        sn_subtract3(pin->target, rest, pin->target);
        memcpy(pin->target_before, pin->target, sizeof pin->target);
        body->pin_of_row[row] = body->pin_count++;
    }
    body->pins[body->pin_of_row[row]].stiffness = stiffness;
    ++body->pin_edits;
    set_mass(body, row, isinf(stiffness));
    body->still_seconds = 0;
    return SN_OK;
}

void sn_xpbd_body_unpin(sn_xpbd_body *body, int vertex)
{
    const int row = row_of(body, vertex), location = body->pin_of_row[row];
    if (location < 0) {
        return;
    }
    body->pins[location] = body->pins[--body->pin_count];
    body->pin_of_row[body->pins[location].row] = location;
    body->pin_of_row[row] = -1;
    ++body->pin_edits;
    set_mass(body, row, false);
    body->still_seconds = 0;
}

void sn_xpbd_body_move_pin(sn_xpbd_body *body, int vertex, const double *position)
{
    const int row = row_of(body, vertex);
    SN_ASSERT(body->pin_of_row[row] >= 0);
    sn_xpbd_pin *pin = &body->pins[body->pin_of_row[row]];
    double rest[3], target[3];
    rest_of(body, row, rest);
    sn_subtract3(position, rest, target);
    target[2] = body->model->dimension == 2 ? pin->target[2] : target[2];
    if (isfinite(target[0] + target[1] + target[2]) && memcmp(target, pin->target, sizeof target) != 0) {
        memcpy(pin->target, target, sizeof target);
        body->still_seconds = 0;
    }
}

/* ---- reading and setting ---- */

void sn_xpbd_body_positions(const sn_xpbd_body *body, double *positions)
{
    for (int row = 0; row < body->model->vertex_count; ++row) {
        sn_xpbd_get_position(body, row, positions + 3 * (size_t)body->model->order[row]);
    }
}

void sn_xpbd_body_velocities(const sn_xpbd_body *body, double *velocities)
{
    for (int row = 0; row < body->model->vertex_count; ++row) {
        read_row(body, body->state.velocities, row, velocities + 3 * (size_t)body->model->order[row]);
    }
}

static bool is_pinned(const sn_xpbd_body *body, int row)
{
    return !(sn_xpbd_get_real(body, body->state.displacements, 4 * (size_t)row + 3) > 0);
}

void sn_xpbd_body_set_positions(sn_xpbd_body *body, const double *positions)
{
    const int mid_row = body->model->vertex_count / 2;
    double from[3], shift[3];
    sn_xpbd_get_position(body, mid_row, from);
    sn_subtract3(positions + 3 * (size_t)body->model->order[mid_row], from, shift);
    if (sn_length3(shift) > body->model->diagonal) {
        shift_origin(body, shift);
    }
    for (int row = 0; row < body->model->vertex_count; ++row) {
        if (!is_pinned(body, row)) {
            sn_xpbd_set_position(body, row, positions + 3 * (size_t)body->model->order[row]);
        }
    }
    body->still_seconds = 0;
}

void sn_xpbd_body_set_velocities(sn_xpbd_body *body, const double *velocities)
{
    for (int row = 0; row < body->model->vertex_count; ++row) {
        if (!is_pinned(body, row)) {
            write_row(body, body->state.velocities, row, velocities + 3 * (size_t)body->model->order[row]);
        }
    }
    body->still_seconds = 0;
}

void sn_xpbd_body_apply_impulse(sn_xpbd_body *body, int vertex, const double *impulse)
{
    const int row = row_of(body, vertex);
    const double per_mass = sn_xpbd_get_real(body, body->state.displacements, 4 * (size_t)row + 3);
    double velocity[3];
    read_row(body, body->state.velocities, row, velocity);
    for (int d = 0; d < body->model->dimension; ++d) {
        velocity[d] += per_mass * impulse[d];
    }
    if (isfinite(velocity[0] + velocity[1] + velocity[2])) {
        write_row(body, body->state.velocities, row, velocity);
        body->still_seconds = 0;
    }
}

void sn_xpbd_body_reset(sn_xpbd_body *body)
{
    const double zero[3] = {0};
    for (int d = 0; d < 3; ++d) {
        body->origin[d] = body->pin_count > 0 ? 0 : body->model->centre[d];
    }
    for (int i = 0; i < body->pin_count; ++i) {
        for (int d = 0; d < 3; ++d) {
            body->origin[d] += body->pins[i].target[d] / body->pin_count;
        }
    }
    for (int row = 0; row < body->model->vertex_count; ++row) {
        double pinned[3] = {0};
        if (is_pinned(body, row)) {
            sn_subtract3(body->pins[body->pin_of_row[row]].target, body->origin, pinned);
        }
        write_row(body, body->state.displacements, row, pinned);
        write_row(body, body->state.velocities, row, zero);
    }
    for (int row = body->model->vertex_count; row < body->model->row_count;
         ++row) { /* spare and padding rows enter sums, too */
        write_row(body, body->state.displacements, row, zero);
        write_row(body, body->state.velocities, row, zero);
    }
    for (int i = 0; i < body->pin_count; ++i) {
        memcpy(body->pins[i].target_before, body->pins[i].target, sizeof body->pins[i].target);
    }
    body->still_seconds = 0;
}

/* Applies a rigid transform to a pin's target. */
static void transform_target(const sn_xpbd_body *body, const double *transform, int row, double *target)
{
    double rest[3], from[3], to[3];
    rest_of(body, row, rest);
    for (int d = 0; d < 3; ++d) {
        from[d] = rest[d] + target[d];
    }
    sn_affine_apply(transform, from, to);
    sn_subtract3(to, rest, target);
}

void sn_xpbd_body_teleport(sn_xpbd_body *body, const double *transform)
{
    double rotation[12];
    memcpy(rotation, transform, sizeof rotation);
    rotation[3] = rotation[7] = rotation[11] = 0;
    double before[3], after[3];
    memcpy(before, body->origin, sizeof before);
    sn_affine_apply(transform, before, after);
    for (int row = 0; row < body->model->vertex_count; ++row) {
        double location[3], to[3], velocity[3], rotated[3];
        memcpy(body->origin, before, sizeof before);
        sn_xpbd_get_position(body, row, location);
        sn_affine_apply(transform, location, to);
        memcpy(body->origin, after, sizeof after);
        sn_xpbd_set_position(body, row, to);
        read_row(body, body->state.velocities, row, velocity);
        sn_affine_apply(rotation, velocity, rotated);
        write_row(body, body->state.velocities, row, rotated);
    }
    for (int i = 0; i < body->pin_count; ++i) {
        transform_target(body, transform, body->pins[i].row, body->pins[i].target);
        transform_target(body, transform, body->pins[i].row, body->pins[i].target_before);
    }
    body->still_seconds = 0;
}
