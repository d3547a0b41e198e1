/* SPDX-License-Identifier: MIT */
/* Bodies: added, removed, pinned, pushed. All changes reach the device with the next recording. */
#include <math.h>
#include <string.h>

#include "compute/xpbd/private.h"

/* ---- settings ---- */

sn_result sn_gpu_xpbd_reserve_scratch(sn_gpu_xpbd *x, sn_gpu_xpbd_body *body)
{
    const sn_gpu_xpbd_model *m = sn_gpu_xpbd_model_of(x, body);
    const uint32_t sums = (uint32_t)(m->model->row_count / SN_XPBD_BLOCK) * SN_XPBD_MOMENTS + SN_XPBD_RIGID_WORDS;
    const uint32_t pins = SN_XPBD_PIN_WORDS * (uint32_t)body->pin_count;
    const uint32_t required = sums + pins + (body->settings.sweep_count > 1 ? m->multiplier_words : 0);
    if (required <= body->scratch.capacity) {
        return SN_OK;
    }
    const uint32_t capacity =
        body->scratch.capacity > 0 ? required + required / 2 : required; /* the contents are not needed after a step */
    sn_result result =
        sn_gpu_xpbd_enlarge(x, SN_XPBD_SCRATCH, (x->used_scratch + (VkDeviceSize)capacity) * sizeof(uint32_t));
    if (result == SN_OK) {
        result = sn_gpu_xpbd_bind(x);
    }
    if (result == SN_OK) {
        body->scratch = (sn_gpu_xpbd_range){x->used_scratch, capacity};
        body->record.scratch = x->used_scratch;
        x->used_scratch += capacity;
    }
    return result;
}

static void write_settings(const sn_gpu_xpbd_model *m, const sn_xpbd_settings *s, struct sn_xpbd_record *record)
{
    const double h = s->time_step / s->substep_count;
    const bool is_flat = m->model->dimension == 2;
    record->step = s->time_step;
    record->substep = h;
    record->sleep_speed = s->sleep_speed;
    for (int d = 0; d < 3; ++d) {
        record->gravity_step[d] = is_flat && d == 2 ? 0 : (float)(h * s->gravity[d]);
    }
    record->substep_length = (float)h;
    record->inverse_substep_length = (float)(1 / h);
    record->inverse_h2 = (float)(1 / (h * h) / s->constraint_stiffness);
    record->element_inverse_h2 = (float)(1 / (h * h) / s->stiffness);
    record->damping_factor = (float)(1 - exp(-s->damping * h));
    record->substep_count = (uint32_t)s->substep_count;
    record->sweep_count = (uint32_t)s->sweep_count;
    record->flags &= ~(uint32_t)(SN_XPBD_DAMPED | SN_XPBD_RIGID_UNDAMPED);
    record->flags |= s->damping > 0 ? SN_XPBD_DAMPED : 0;
    record->flags |= s->damping > 0 && !s->is_rigid_damped ? SN_XPBD_RIGID_UNDAMPED : 0;
    record->flags |= SN_XPBD_WAKE | (is_flat ? SN_XPBD_FLAT : 0);
}

sn_result sn_gpu_xpbd_set_settings(sn_gpu_xpbd *x, int index, const sn_xpbd_settings *settings)
{
    sn_gpu_xpbd_body *body = sn_gpu_xpbd_find(x, index);
    if (!sn_xpbd_are_settings_valid(settings)) {
        return sn_fail(SN_ERROR_ARGUMENT, "xpbd body: a setting is not finite or out of its range");
    }
    if (settings->is_double) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "xpbd body: the device does not support double precision settings");
    }
    body->settings = *settings;
    write_settings(sn_gpu_xpbd_model_of(x, body), settings, &body->record);
    SN_TRY(sn_gpu_xpbd_reserve_scratch(x, body));
    return sn_gpu_xpbd_update_colliders(x, body);
}

/* ---- adding and removing ---- */

static int find_free_slot(const sn_gpu_xpbd *x, int model)
{
    int body = 0;
    while (body < x->body_count && (x->bodies[body].is_used || x->bodies[body].model != model)) {
        ++body;
    }
    return body;
}

static sn_result append_body(sn_gpu_xpbd *x, int model)
{
    const sn_xpbd_model *of = x->models[model].model;
    const uint32_t count = (uint32_t)x->body_count + 1;
    const VkDeviceSize row_bytes = (x->used_rows + (VkDeviceSize)of->row_count) * SN_XPBD_ROW_BYTES;
    if (count > x->device->properties.limits.maxComputeWorkGroupCount[0]) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "the device supports at most %d bodies", x->body_count);
    }
    sn_gpu_xpbd_body *grown = sn_grow(x->bodies, x->body_count, &x->body_capacity, sizeof *x->bodies);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    x->bodies = grown;
    sn_result result =
        sn_gpu_xpbd_reserve(x, SN_XPBD_RECORDS, count, sizeof(struct sn_xpbd_record), &x->record_capacity);
    for (int i = SN_XPBD_DISPLACEMENTS; i <= SN_XPBD_VELOCITIES && result == SN_OK; ++i) {
        result = sn_gpu_xpbd_enlarge(x, i, row_bytes);
    }
    if (result == SN_OK) {
        result = sn_gpu_xpbd_enlarge(x, SN_XPBD_STATUSES, count * sizeof(struct sn_xpbd_status));
    }
    if (result == SN_OK) {
        x->bodies[x->body_count] = (sn_gpu_xpbd_body){
            .model = model, .edited = -1, .record = {.body = count - 1, .row = x->used_rows}, .list = -1};
        x->used_rows += (uint32_t)of->row_count;
        ++x->body_count;
    }
    return result;
}

static void start_record(const sn_gpu_xpbd_model *m, sn_gpu_xpbd_body *body)
{
    const sn_xpbd_model *of = m->model;
    struct sn_xpbd_record *record = &body->record;
    *record = (struct sn_xpbd_record){.body = record->body,
                                      .row = record->row,
                                      .scratch = record->scratch,
                                      .rest = m->rest,
                                      .run = m->runs.first,
                                      .run_count = m->run_count,
                                      .row_count = (uint32_t)of->row_count,
                                      .vertex_count = (uint32_t)of->vertex_count,
                                      .diagonal = of->diagonal,
                                      .max_distance = SN_XPBD_MAX_DISTANCE * of->diagonal,
                                      .flags = SN_XPBD_ADDED | SN_XPBD_RESET | SN_XPBD_PINS_CHANGED};
    memcpy(record->origin, of->centre, sizeof record->origin);
    memcpy(record->centre, of->centre, sizeof record->centre);
}

sn_result sn_gpu_xpbd_add_body(sn_gpu_xpbd *x, int model, const sn_xpbd_settings *settings, int *index)
{
    SN_ASSERT(model >= 0 && model < x->model_count);
    const int slot = find_free_slot(x, model);
    sn_result result = slot < x->body_count ? SN_OK : append_body(x, model);
    if (result == SN_OK) {
        result = sn_gpu_xpbd_bind(x);
    }
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_xpbd_body *body = &x->bodies[slot];
    body->is_used = body->is_unstepped = true;
    body->collider_hash = 0;
    start_record(&x->models[model], body);
    result = sn_gpu_xpbd_set_settings(x, slot, settings);
    body->is_used = result == SN_OK;
    *index = slot;
    return result;
}

static void drop_impulses(sn_gpu_xpbd *x, sn_gpu_xpbd_body *body)
{
    x->impulse_count -= (uint32_t)body->impulse_count;
    body->impulse_count = 0;
}

void sn_gpu_xpbd_remove_body(sn_gpu_xpbd *x, int index)
{
    sn_gpu_xpbd_body *body = sn_gpu_xpbd_find(x, index);
    drop_impulses(x, body);
    x->pin_count -= (uint32_t)body->pin_count;
    body->pin_count = 0;
    sn_gpu_xpbd_release_colliders(x, body);
    if (body->edited >= 0) {
        x->models[body->edited].model = NULL;
        body->edited = -1;
    }
    body->is_used = false;
}

/* ---- pins ---- */

static int row_of(const sn_gpu_xpbd *x, const sn_gpu_xpbd_body *body, int vertex)
{
    const sn_xpbd_model *model = sn_gpu_xpbd_model_of(x, body)->model;
    SN_ASSERT(vertex >= 0 && vertex < model->vertex_count);
    return model->rows[vertex];
}

static sn_xpbd_pin *find_pin(const sn_gpu_xpbd_body *body, int row)
{
    for (int i = 0; i < body->pin_count; ++i) {
        if (body->pins[i].row == row) {
            return &body->pins[i];
        }
    }
    return NULL;
}

static double rest_of(const sn_gpu_xpbd *x, const sn_gpu_xpbd_body *body, int row, int d)
{
    return (double)sn_gpu_xpbd_model_of(x, body)->model->rest[4 * (size_t)row + (size_t)d];
}

/* Position of a vertex without a pin: at rest, or read from the device. */
static sn_result find_position(sn_gpu_xpbd *x, const sn_gpu_xpbd_body *body, int row, double *point)
{
    for (int d = 0; d < 3; ++d) {
        point[d] = rest_of(x, body, row, d) + body->record.origin[d];
    }
    return body->is_unstepped ? SN_OK : sn_gpu_xpbd_read_position(x, body, row, point);
}

/* Reserves space for one more pin. */
static sn_result reserve_pin(sn_gpu_xpbd *x, sn_gpu_xpbd_body *body)
{
    sn_xpbd_pin *grown = sn_grow(body->pins, body->pin_count, &body->pin_capacity, sizeof *grown);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    body->pins = grown;
    return sn_gpu_xpbd_reserve(x, SN_XPBD_PINS, x->pin_count + 1, sizeof(struct sn_xpbd_pin_record), &x->pin_capacity);
}

static sn_result append_pin(sn_gpu_xpbd *x, sn_gpu_xpbd_body *body, const sn_xpbd_pin *pin)
{
    if (body->pin_count >= SN_GPU_XPBD_PIN_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "xpbd body: the device supports at most %d pins", SN_GPU_XPBD_PIN_LIMIT);
    }
    sn_result result = reserve_pin(x, body);
    if (result != SN_OK) {
        return result;
    }
    body->pins[body->pin_count++] = *pin;
    result = sn_gpu_xpbd_reserve_scratch(x, body);
    body->pin_count -= result != SN_OK;
    x->pin_count += result == SN_OK;
    return result;
}

sn_result sn_gpu_xpbd_pin(sn_gpu_xpbd *x, int index, int vertex, double stiffness)
{
    sn_gpu_xpbd_body *body = sn_gpu_xpbd_find(x, index);
    const int row = row_of(x, body, vertex);
    if (!(stiffness > 0)) {
        return sn_fail(SN_ERROR_ARGUMENT, "xpbd body: a pin of vertex %d with stiffness %g", vertex, stiffness);
    }
    if (!find_pin(body, row)) {
        sn_xpbd_pin pin = {.row = row};
        double point[3];
        sn_result result = find_position(x, body, row, point);
        for (int d = 0; d < 3; ++d) {
            pin.target[d] = pin.target_before[d] = point[d] - rest_of(x, body, row, d);
        }
        if (result == SN_OK) {
            result = append_pin(x, body, &pin);
        }
        if (result != SN_OK) {
            return result;
        }
    }
    find_pin(body, row)->stiffness = stiffness;
    body->record.flags |= SN_XPBD_PINS_CHANGED | SN_XPBD_WAKE;
    return SN_OK;
}

void sn_gpu_xpbd_unpin(sn_gpu_xpbd *x, int index, int vertex)
{
    sn_gpu_xpbd_body *body = sn_gpu_xpbd_find(x, index);
    sn_xpbd_pin *pin = find_pin(body, row_of(x, body, vertex));
    if (pin) {
        *pin = body->pins[--body->pin_count];
        --x->pin_count;
        body->record.flags |= SN_XPBD_PINS_CHANGED | SN_XPBD_WAKE;
    }
}

void sn_gpu_xpbd_move_pin(sn_gpu_xpbd *x, int index, int vertex, const double *position)
{
    sn_gpu_xpbd_body *body = sn_gpu_xpbd_find(x, index);
    const int row = row_of(x, body, vertex);
    const bool is_flat = sn_gpu_xpbd_model_of(x, body)->model->dimension == 2;
    sn_xpbd_pin *pin = find_pin(body, row);
    double target[3];
    SN_ASSERT(pin);
    for (int d = 0; d < 3; ++d) {
        target[d] = is_flat && d == 2 ? pin->target[d] : position[d] - rest_of(x, body, row, d);
    }
    if (isfinite(target[0] + target[1] + target[2]) && memcmp(target, pin->target, sizeof target) != 0) {
        memcpy(pin->target, target, sizeof target);
        body->record.flags |= SN_XPBD_WAKE;
    }
}

sn_result sn_gpu_xpbd_set_pins(sn_gpu_xpbd *x, sn_gpu_xpbd_body *body, const sn_xpbd_pin *pins, int count)
{
    x->pin_count -= (uint32_t)body->pin_count;
    body->pin_count = 0;
    for (int i = 0; i < count; ++i) {
        SN_TRY(append_pin(x, body, &pins[i]));
    }
    return SN_OK;
}

/* ---- impulses ---- */

sn_result sn_gpu_xpbd_apply_impulse(sn_gpu_xpbd *x, int index, int vertex, const double *impulse)
{
    sn_gpu_xpbd_body *body = sn_gpu_xpbd_find(x, index);
    const int row = row_of(x, body, vertex);
    const sn_xpbd_pin *pin = find_pin(body, row);
    const bool is_flat = sn_gpu_xpbd_model_of(x, body)->model->dimension == 2;
    const double part[3] = {impulse[0], impulse[1], is_flat ? 0 : impulse[2]};
    if ((pin && isinf(pin->stiffness)) || !isfinite(part[0] + part[1] + part[2])) {
        return SN_OK;
    }
    if (body->impulse_count >= SN_GPU_XPBD_PIN_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "xpbd body: the device supports at most %d impulses per step",
                       SN_GPU_XPBD_PIN_LIMIT);
    }
    struct sn_xpbd_impulse_record *grown =
        sn_grow(body->impulses, body->impulse_count, &body->impulse_capacity, sizeof *grown);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    body->impulses = grown;
    const sn_result result =
        sn_gpu_xpbd_reserve(x, SN_XPBD_IMPULSES, x->impulse_count + 1, sizeof *grown, &x->impulse_capacity);
    if (result == SN_OK) {
        struct sn_xpbd_impulse_record *added = &body->impulses[body->impulse_count++];
        *added = (struct sn_xpbd_impulse_record){.row = (uint32_t)row};
        memcpy(added->impulse, part, sizeof added->impulse);
        ++x->impulse_count;
        body->record.flags |= SN_XPBD_WAKE;
    }
    return result;
}

void sn_gpu_xpbd_reset(sn_gpu_xpbd *x, int index)
{
    sn_gpu_xpbd_body *body = sn_gpu_xpbd_find(x, index);
    double *origin = body->record.origin;
    memcpy(origin, sn_gpu_xpbd_model_of(x, body)->model->centre, sizeof body->record.origin);
    for (int d = 0; d < 3 && body->pin_count > 0; ++d) {
        origin[d] = 0;
        for (int i = 0; i < body->pin_count; ++i) {
            origin[d] += body->pins[i].target[d] / body->pin_count;
        }
    }
    for (int i = 0; i < body->pin_count; ++i) {
        memcpy(body->pins[i].target_before, body->pins[i].target, sizeof body->pins[i].target);
    }
    drop_impulses(x, body);
    body->is_unstepped = true;
    body->record.flags |= SN_XPBD_RESET;
}

const sn_gpu_buffer *sn_gpu_xpbd_displacements(const sn_gpu_xpbd *x)
{
    return &x->buffers[SN_XPBD_DISPLACEMENTS];
}

const sn_gpu_buffer *sn_gpu_xpbd_statuses(const sn_gpu_xpbd *x)
{
    return &x->buffers[SN_XPBD_STATUSES];
}

uint32_t sn_gpu_xpbd_first_row(const sn_gpu_xpbd *x, int body)
{
    return sn_gpu_xpbd_find(x, body)->record.row;
}
