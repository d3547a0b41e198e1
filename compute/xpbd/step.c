/* SPDX-License-Identifier: MIT */
/* Recordings: writes the input of each body to this recording's part of the stream buffers, and records the dispatches.
 */
#include <math.h>
#include <string.h>

#include "compute/core/commands.h"
#include "compute/xpbd/private.h"

#define COLOUR_SIZE 256      /* minimum number of constraints for which a run gets its own dispatch */
#define SMALL_RUN_LIMIT 8192 /* maximum number of runs in one dispatch */
#define DISPATCH_ROUNDS 3.0  /* cost of a dispatch, in iterations of a workgroup */

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

typedef struct recording {
    sn_gpu_xpbd *x;
    VkCommandBuffer commands;
    struct sn_xpbd_record *records; /* in its part of the stream buffers */
    struct sn_xpbd_pin_record *pins;
    struct sn_xpbd_impulse_record *impulses;
    uint32_t part, record_count, pin_count, impulse_count;
    uint32_t sweeps; /* per dispatch of whole bodies */
    sn_gpu_xpbd_constants constants;
} recording;

/* ---- records ---- */

static void write_pins(sn_gpu_xpbd_body *body, recording *r)
{
    body->record.pin = r->pin_count;
    body->record.pin_count = (uint32_t)body->pin_count;
    for (int i = 0; i < body->pin_count; ++i) {
        sn_xpbd_pin *pin = &body->pins[i];
        struct sn_xpbd_pin_record *record = &r->pins[r->pin_count++];
        *record = (struct sn_xpbd_pin_record){
            .stiffness = pin->stiffness, .row = (uint32_t)pin->row, .is_hard = isinf(pin->stiffness) ? 1U : 0U};
        memcpy(record->target, pin->target, sizeof record->target);
        memcpy(record->before, pin->target_before, sizeof record->before);
        memcpy(pin->target_before, pin->target, sizeof pin->target_before);
    }
}

static void write_body(sn_gpu_xpbd_body *body, recording *r)
{
    const sn_gpu_xpbd_colliders *list = body->list >= 0 ? &r->x->lists[body->list] : NULL;
    struct sn_xpbd_record *record = &body->record;
    write_pins(body, r);
    record->impulse = r->impulse_count;
    record->impulse_count = (uint32_t)body->impulse_count;
    for (int i = 0; i < body->impulse_count; ++i) {
        r->impulses[r->impulse_count++] = body->impulses[i];
    }
    record->collider = list ? list->first : 0;
    record->collider_count = list ? (uint32_t)list->count : 0;
    r->records[r->record_count++] = *record;
    record->flags &= ~(uint32_t)(SN_XPBD_ADDED | SN_XPBD_RESET | SN_XPBD_PINS_CHANGED | SN_XPBD_WAKE);
    r->x->impulse_count -= (uint32_t)body->impulse_count;
    body->impulse_count = 0;
    body->is_unstepped = false;
}

static recording begin(sn_gpu_xpbd *x, VkCommandBuffer commands)
{
    const uint32_t part = (uint32_t)(x->recording_count++ % (uint64_t)x->desc.recording_limit);
    recording r = {.x = x,
                   .commands = commands,
                   .part = part,
                   .constants = {.first_record = part * x->record_capacity,
                                 .first_pin = part * x->pin_capacity,
                                 .first_impulse = part * x->impulse_capacity,
                                 .first_head = part * x->head_capacity,
                                 .first_collider = part * x->collider_capacity,
                                 .first_coupled = x->coupling ? x->coupling->first_record : 0}};
    r.records = (struct sn_xpbd_record *)x->buffers[SN_XPBD_RECORDS].mapped + r.constants.first_record;
    r.pins = (struct sn_xpbd_pin_record *)x->buffers[SN_XPBD_PINS].mapped + r.constants.first_pin;
    r.impulses = (struct sn_xpbd_impulse_record *)x->buffers[SN_XPBD_IMPULSES].mapped + r.constants.first_impulse;
    sn_gpu_xpbd_write_colliders(
        x, (struct sn_xpbd_collider_head *)x->buffers[SN_XPBD_HEADS].mapped + r.constants.first_head,
        (struct sn_xpbd_collider_record *)x->buffers[SN_XPBD_COLLIDERS].mapped + r.constants.first_collider);
    return r;
}

/* ---- dispatches ---- */

static void dispatch(recording *r, VkPipeline pipeline, uint32_t group_count)
{
    sn_gpu_barrier(r->commands, SN_GPU_SHADER_WRITE, SN_GPU_SHADER_WRITE);
    vkCmdBindPipeline(r->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdPushConstants(r->commands, r->x->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof r->constants, &r->constants);
    vkCmdDispatch(r->commands, group_count, 1, 1);
    ++r->x->dispatch_count;
}

static uint32_t unit_count(const sn_gpu_xpbd_body *body)
{
    return (uint32_t)body->settings.substep_count * (uint32_t)body->settings.sweep_count;
}

/* Upper bounds on the loop iterations of one invocation: per sweep including the other parts of its substep, and once
 * per step. */
static void count_loops(const sn_gpu_xpbd *x, const sn_gpu_xpbd_body *body, uint32_t *each, uint32_t *once)
{
    const sn_gpu_xpbd_model *m = sn_gpu_xpbd_model_of(x, body);
    const uint32_t row_count = (uint32_t)m->model->row_count, blocks = row_count / SN_XPBD_BLOCK;
    const uint32_t rows = divide_up(row_count, SN_XPBD_GROUP_SIZE), sums = divide_up(blocks, SN_XPBD_GROUP_SIZE) * 24;
    const uint32_t pins = (uint32_t)body->pin_count,
                   colliders = body->list >= 0 ? (uint32_t)x->lists[body->list].count : 0;
    *each = m->run_count + m->rounds + rows * (4 + 8 * colliders) + 2 * (colliders + rows) + sums + blocks +
            20 * divide_up(pins, SN_XPBD_GROUP_SIZE) + body->coupling_loops + 32;
    *once = 8 * rows + sums + blocks + 2 * pins + 4 * divide_up(pins, SN_XPBD_GROUP_SIZE) +
            (uint32_t)body->impulse_count + 2 * SN_XPBD_GROUP_SIZE + body->coupling_loops + 32;
}

/* Whether a step exceeds the loop limit of a dispatch if all colliders are near. */
static bool is_too_long(const sn_gpu_xpbd *x, const sn_gpu_xpbd_body *body)
{
    uint32_t each = 0, once = 0;
    count_loops(x, body, &each, &once);
    return each + once >= (sn_gpu_device_is_software(x->device) ? SN_GPU_SOFTWARE_LOOPS : SN_GPU_MAX_LOOPS);
}

/* Whether the body must be split over dispatches, independent of the others and of its size. */
static bool must_split(const sn_gpu_xpbd *x, const sn_gpu_xpbd_body *body)
{
    return x->desc.split != SN_GPU_XPBD_SPLIT_NONE && x->pipelines[SN_XPBD_FINISH] && is_too_long(x, body);
}

/* Creates the pipelines for split bodies. If that fails, which is logged, such bodies are not split. */
static void prepare_parts(sn_gpu_xpbd *x)
{
    bool is_any = false;
    for (int i = 0; i < x->body_count; ++i) {
        is_any |= x->bodies[i].is_used && is_too_long(x, &x->bodies[i]);
    }
    if (is_any && x->desc.split != SN_GPU_XPBD_SPLIT_NONE) {
        sn_gpu_xpbd_create_split_pipelines(x);
    }
}

/* Loop iterations of the longest step, if its body is awake. */
static uint64_t step_loops(const sn_gpu_xpbd *x)
{
    uint64_t loops = 1;
    for (int i = 0; i < x->body_count; ++i) {
        uint32_t each = 0, once = 0;
        if (x->bodies[i].is_used) {
            count_loops(x, &x->bodies[i], &each, &once);
            const uint64_t all = (uint64_t)unit_count(&x->bodies[i]) * each + once;
            loops = all > loops ? all : loops;
        }
    }
    return loops;
}

/* Sweeps per dispatch of whole bodies. */
static uint32_t dispatch_sweeps(const sn_gpu_xpbd *x)
{
    uint32_t min_sweeps = x->desc.dispatch_sweeps > 0 ? (uint32_t)x->desc.dispatch_sweeps : UINT32_MAX;
    for (int i = 0; i < x->body_count; ++i) {
        uint32_t each = 0, once = 0;
        if (x->bodies[i].is_used && !must_split(x, &x->bodies[i])) {
            count_loops(x, &x->bodies[i], &each, &once);
            const uint32_t limit = sn_gpu_pace_loops(&x->pace, (uint32_t)x->body_count);
            const uint32_t fits = once + each < limit ? (limit - once) / each : 1;
            min_sweeps = fits < min_sweeps ? fits : min_sweeps;
        }
    }
    return min_sweeps;
}

/* Steps the bodies [first, first + count) of the records, one workgroup each. */
static void step_unsplit(recording *r, VkPipeline pipeline, uint32_t first, uint32_t count, uint32_t units)
{
    r->constants.record = first;
    for (uint32_t unit = 0; unit < units && count > 0; unit = r->constants.last_unit) {
        r->constants.first_unit = unit;
        r->constants.last_unit = units - unit < r->sweeps ? units : unit + r->sweeps;
        dispatch(r, pipeline, count);
    }
    if (r->x->coupling && r->x->coupling->has_separate_finish && count > 0) {
        r->constants.first_unit = 0;
        r->constants.last_unit = UINT32_MAX;
        dispatch(r, r->x->pipelines[SN_XPBD_FINISH], count);
    }
}

/* ---- split bodies ---- */

static void part(recording *r, uint32_t phase, uint32_t item_count)
{
    dispatch(r, r->x->pipelines[phase], divide_up(item_count, SN_XPBD_GROUP_SIZE));
}

/* A dispatch for each large run; runs in between share one. */
static void solve_parts(recording *r, const sn_gpu_xpbd_model *m)
{
    sn_gpu_xpbd_constants *c = &r->constants;
    for (uint32_t run = 0; run < m->run_count; run = c->last_run) {
        c->first_run = run;
        c->last_run = run + 1;
        if (m->run_counts[run] >= COLOUR_SIZE) {
            part(r, SN_XPBD_COLOUR, m->run_counts[run]);
            continue;
        }
        while (c->last_run < m->run_count && c->last_run - run < SMALL_RUN_LIMIT &&
               m->run_counts[c->last_run] < COLOUR_SIZE) {
            ++c->last_run;
        }
        part(r, SN_XPBD_SMALL_RUNS, 1);
    }
}

static void step_parts(recording *r, const sn_gpu_xpbd_body *body, uint32_t record)
{
    const sn_gpu_xpbd_model *m = sn_gpu_xpbd_model_of(r->x, body);
    const uint32_t rows = (uint32_t)m->model->row_count, units = unit_count(body), flags = body->record.flags;
    const uint32_t sweeps = (uint32_t)body->settings.sweep_count, pins = body->pin_count > 0;
    sn_gpu_xpbd_constants *c = &r->constants;
    c->record = record;
    c->first_unit = 0;
    c->last_unit = 1;
    part(r, SN_XPBD_START, 1);
    for (uint32_t unit = 0; unit < units; ++unit) {
        const bool is_first = unit % sweeps == 0, is_last = unit % sweeps == sweeps - 1;
        c->first_unit = unit;
        c->last_unit = unit + 1;
        if (is_first && (pins || sn_gpu_xpbd_has_coupling_phase(r->x, SN_XPBD_MOVE))) {
            part(r, SN_XPBD_MOVE, 1);
        }
        if (is_first) {
            part(r, SN_XPBD_PREDICT, rows);
        }
        solve_parts(r, m);
        if (pins) {
            part(r, SN_XPBD_SOFT_PINS, 1);
        }
        if (is_last && sn_gpu_xpbd_has_coupling_phase(r->x, SN_XPBD_COUPLE)) {
            part(r, SN_XPBD_COUPLE, 1);
        }
        if (is_last) {
            part(r, SN_XPBD_VELOCITY, rows);
        }
        if (is_last && flags & SN_XPBD_RIGID_UNDAMPED) {
            part(r, SN_XPBD_MEASURE, rows / SN_XPBD_BLOCK);
        }
        if (is_last && flags & SN_XPBD_DAMPED) {
            part(r, SN_XPBD_RIGID, 1);
            part(r, SN_XPBD_DAMP, rows);
        }
    }
    part(r, SN_XPBD_FINISH, 1);
}

/* ---- the step ---- */

static bool is_shared(const sn_gpu_xpbd *x, const sn_gpu_xpbd_body *body)
{
    return sn_gpu_xpbd_is_shared(x, sn_gpu_xpbd_model_of(x, body)->model->row_count) && !must_split(x, body);
}

/* Whether large bodies are split: dispatches run one after the other, workgroups in parallel; the cheaper way wins. */
static bool are_split(const sn_gpu_xpbd *x)
{
    double dispatches = 0, rounds = 0;
    bool has_split = false;
    for (int i = 0; i < x->body_count; ++i) {
        const sn_gpu_xpbd_body *body = &x->bodies[i];
        if (body->is_used && !is_shared(x, body)) {
            const sn_gpu_xpbd_model *m = sn_gpu_xpbd_model_of(x, body);
            has_split |= must_split(x, body);
            dispatches += (double)m->run_count * unit_count(body);
            rounds = fmax(rounds, (double)m->rounds * unit_count(body));
        }
    }
    const bool is_better = has_split || DISPATCH_ROUNDS * dispatches < rounds;
    return x->desc.split == SN_GPU_XPBD_SPLIT_ALL || (x->desc.split == SN_GPU_XPBD_SPLIT_FEW && is_better);
}

/* Writes the records of bodies in shared memory, or of the others. Returns their maximum sweep count. */
static uint32_t write_bodies(recording *r, bool of_shared)
{
    uint32_t limit = 0;
    for (int i = 0; i < r->x->body_count; ++i) {
        sn_gpu_xpbd_body *body = &r->x->bodies[i];
        if (body->is_used && is_shared(r->x, body) == of_shared) {
            limit = unit_count(body) > limit ? unit_count(body) : limit;
            write_body(body, r);
        }
    }
    return limit;
}

static void step_all_parts(recording *r, uint32_t record)
{
    for (int i = 0; i < r->x->body_count; ++i) {
        if (r->x->bodies[i].is_used && !is_shared(r->x, &r->x->bodies[i])) {
            step_parts(r, &r->x->bodies[i], record++);
        }
    }
}

void sn_gpu_xpbd_record_step(sn_gpu_xpbd *x, VkCommandBuffer commands)
{
    prepare_parts(x);
    recording r = begin(x, commands);
    r.sweeps = dispatch_sweeps(x);
    const bool is_split = are_split(x);
    const uint32_t shared_units = write_bodies(&r, true), shared_count = r.record_count;
    const uint32_t other_units = write_bodies(&r, false), other_count = r.record_count - shared_count;
    x->dispatch_count = 0;
    if (r.record_count == 0) {
        return;
    }
    const VkDescriptorSet sets[] = {x->set.handle, x->coupling ? x->coupling->set : VK_NULL_HANDLE};
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, x->layout, 0, x->coupling ? 2 : 1, sets, 0, NULL);
    sn_gpu_pace_begin(&x->pace, commands, r.part);
    step_unsplit(&r, x->shared_pipeline, 0, shared_count, shared_units);
    if (is_split) {
        step_all_parts(&r, shared_count);
    } else {
        step_unsplit(&r, x->pipelines[SN_XPBD_ALL], shared_count, other_count, other_units);
    }
    sn_gpu_pace_end(&x->pace, commands, r.part, step_loops(x), r.record_count);
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_SHADER_READ);
}

int sn_gpu_xpbd_dispatch_count(const sn_gpu_xpbd *x)
{
    return x->dispatch_count;
}
