/* SPDX-License-Identifier: MIT */
/* Worlds: a fixed time step with an accumulator, and interpolated poses. */
#include <math.h>
#include <string.h>

#include "host/platform/platform.h"
#include "host/world/backend.h"
#include "host/world/embedded_flesh.h"
#include "host/world/record.h"
#include "host/world/store.h"

sn_world_desc sn_default_world_desc(void)
{
    return (sn_world_desc){.time_step = 1.0 / 60, .step_limit = 4, .worker_count = 1};
}

static sn_result check_world_desc(const sn_world_desc *desc)
{
    if (!(desc->time_step > 0 && desc->time_step < 1e6) || desc->step_limit < 1 || desc->worker_count < 0 ||
        desc->worker_count > SN_WORKER_LIMIT) {
        return sn_fail(SN_ERROR_ARGUMENT, "world: time step %g s, step limit %d or %d workers is out of range",
                       desc->time_step, desc->step_limit, desc->worker_count);
    }
    return sn_recorder_check_world(desc->recorder, desc);
}

static void free_world(sn_world *w)
{
    sn_jobs_destroy(&w->jobs);
    sn_world_free_solvers(w);
    for (int i = 0; i < SN_SOLVER_COUNT; ++i) {
        if (w->scratch[i]) {
            w->tables[i]->scratch_destroy(&w->scratch[i]);
        }
    }
    sn_free(w->slots, (size_t)w->slot_capacity, sizeof *w->slots);
    sn_free(w->order, (size_t)w->slot_capacity, sizeof *w->order);
    sn_world_free_colliders(w);
    if (w->backend_world) { /* bodies and solvers are destroyed by now */
        w->desc.backend->backend_world_destroy(&w->backend_world);
    }
    sn_free(w, 1, sizeof *w);
}

static int count_workers(const sn_world *w)
{
    if (!w->desc.run_tasks) {
        return sn_jobs_worker_count(w->jobs);
    }
    return w->desc.worker_count > 0 ? w->desc.worker_count : (int)fmin(sn_processor_count(), SN_WORKER_LIMIT);
}

sn_result sn_world_choose_solvers(sn_world *w)
{
    w->tables[SN_SOLVER_REDUCED] = w->desc.backend ? w->desc.backend->table : &sn_reduced_table;
    w->tables[SN_SOLVER_COUPLED] = w->desc.backend ? w->desc.backend->coupled : &sn_coupled_table;
    w->tables[SN_SOLVER_LAYERED] = w->desc.backend ? w->desc.backend->layered : &sn_layered_table;
    if (w->desc.backend) {
        return w->desc.backend->backend_world_create(w->desc.backend, w->desc.step_limit, &w->backend_world);
    }
    const bool has_jobs = !w->desc.run_tasks && w->desc.worker_count != 1;
    const sn_result result = has_jobs ? sn_jobs_create(w->desc.worker_count, &w->jobs) : SN_OK;
    w->worker_count = count_workers(w);
    return result;
}

sn_result sn_world_create(const sn_world_desc *desc, sn_world_id *id)
{
    *id = (sn_world_id){0, 0};
    sn_result result = check_world_desc(desc);
    if (result != SN_OK) {
        return result;
    }
    sn_world *w = sn_alloc(1, sizeof *w);
    if (!w) {
        return SN_ERROR_MEMORY;
    }
    w->desc = *desc;
    w->display_fraction = 1;
    result = sn_world_choose_solvers(w);
    if (result == SN_OK && !sn_world_register(w, id)) {
        result = sn_fail(SN_ERROR_MEMORY, "world: %d worlds exist already; destroy one first", SN_WORLD_LIMIT);
    }
    if (result != SN_OK) {
        free_world(w);
        return result;
    }
    sn_recorder_begin_world(w->desc.recorder, w);
    return SN_OK;
}

void sn_world_destroy(sn_world_id id)
{
    if (id.index1 == 0) {
        return;
    }
    sn_world *w = sn_world_try_get(id);
    SN_ASSERT(w);
    uint32_t max_generation = w->min_generation;
    sn_recorder_end_world(w->desc.recorder);
    for (int i = 0; i < w->slot_count; ++i) {
        max_generation = w->slots[i]->generation > max_generation ? w->slots[i]->generation : max_generation;
    }
    for (int i = 0; i < w->collider_count; ++i) {
        max_generation = w->colliders[i].generation > max_generation ? w->colliders[i].generation : max_generation;
    }
    sn_world_unregister(id, max_generation);
    for (int i = 0; i < w->slot_count; ++i) {
        sn_body_slot_clear(w, w->slots[i]);
        sn_free(w->slots[i], 1, sizeof *w->slots[i]);
    }
    free_world(w);
}

/* ---- time ---- */

static void step_morphs(const sn_body_slot *slot, double fraction)
{
    for (int m = 0; m < slot->morph_count; ++m) {
        const double before = (double)slot->morphs_before[m];
        slot->morphs_step[m] = (float)(before + fraction * ((double)slot->morphs[m] - before));
    }
    if (slot->table->body_morphs && slot->morph_count > 0) {
        slot->table->body_morphs(slot->body, slot->morphs_step);
    }
}

static void step_body(const sn_world *w, sn_body_slot *slot, int step)
{
    const double fraction = sn_world_step_fraction(w, step);
    for (size_t i = 0; i < 12 * (size_t)slot->bone_count; ++i) {
        slot->pose_step[i] = slot->pose_before[i] + fraction * (slot->pose_now[i] - slot->pose_before[i]);
    }
    const sn_surroundings surroundings = {
        .collider_count = w->used_count,
        .colliders = w->used_count > 0 ? w->moving + (size_t)step * (size_t)w->used_count : NULL,
        .wind = {slot->desc.wind[0], slot->desc.wind[1], slot->desc.wind[2]}};
    slot->is_recovered |= !sn_body_slot_step_springs(slot, &surroundings);
    step_morphs(slot, fraction);
    slot->is_recovered |= !slot->table->body_step(slot->body, slot->pose_step, &surroundings);
}

static void finish_body(const sn_world *w, sn_body_slot *slot)
{
    memcpy(slot->pose_before, slot->pose_now, 12 * (size_t)slot->bone_count * sizeof(double));
    for (int m = 0; m < slot->morph_count; ++m) {
        slot->morphs_before[m] = slot->morphs[m];
    }
    sn_body_slot_output(w, slot);
}

/* All steps of one body in sequence, so that it stays in the processor's cache. */
static void step_range(int first, int last, int worker, void *user)
{
    const sn_world *w = user;
    (void)worker;
    for (int i = first; i < last; ++i) {
        sn_body_slot *slot = w->slots[w->order[i]];
        for (int step = 0; step < w->step_count; ++step) {
            const bool is_last = step == w->step_count - 1;
            if (is_last) {
                sn_body_slot_save_flesh_before(slot);
            }
            step_body(w, slot, step);
            if (is_last) {
                sn_body_slot_save_flesh_after(slot);
            }
        }
        finish_body(w, slot);
    }
}

/* Sorts bodies by solver, so that the solver's matrices stay in the cache. */
static void order_bodies(sn_world *w)
{
    int order_index = 0;
    for (sn_shared_solver *s = w->solvers; s; s = s->next) {
        s->next_index = order_index;
        order_index += s->body_count;
    }
    for (int i = 0; i < w->slot_count; ++i) {
        if (w->slots[i]->is_used) {
            w->order[w->slots[i]->solver->next_index++] = i;
        }
    }
    w->order_count = order_index;
    w->is_order_stale = false;
}

/* Step by step, because a device steps all bodies at once. */
static void step_on_backend(const sn_world *w)
{
    const sn_backend *backend = w->desc.backend;
    backend->begin(w->backend_world);
    for (int step = 0; step < w->step_count; ++step) {
        for (int i = 0; i < w->slot_count; ++i) {
            if (w->slots[i]->is_used) {
                step_body(w, w->slots[i], step);
            }
        }
        backend->record_step(w->backend_world);
    }
    for (int i = 0; i < w->slot_count; ++i) {
        if (w->slots[i]->is_used) {
            finish_body(w, w->slots[i]);
        }
    }
    backend->end(w->backend_world, sn_world_mode_fraction(w), w->display_fraction);
}

/* Bones and flesh are displayed up to one step late, because a call ends between two steps, of which the later one is
 * unknown. Calls of whole steps display the last step, without delay. The displayed time never decreases. */
static void update_display_fraction(sn_world *w)
{
    const double fraction = sn_world_mode_fraction(w), epsilon = 1e-6;
    const bool is_whole = fraction <= epsilon && w->start <= epsilon * w->desc.time_step;
    if (w->step_count == 0) {
        w->display_fraction = fmax(w->display_fraction, fraction);
    } else {
        w->display_fraction = is_whole ? 1 : fraction;
    }
}

/* Splits the accumulated time into whole steps and a remainder. Returns the dropped time. */
static double split_time(sn_world *w, double seconds)
{
    const double h = w->desc.time_step, total = w->leftover + seconds;
    /* rounding tolerance: 60 calls of 1/60 s must be 60 steps */
    double steps = floor(total / h * (1 + 1e-12) + 1e-9), dropped = 0;
    w->start = w->leftover;
    w->seconds = seconds;
    w->is_cut = steps > w->desc.step_limit;
    if (w->is_cut) {
        dropped = (steps - w->desc.step_limit) * h;
        steps = w->desc.step_limit;
    }
    w->step_count = (int)steps;
    w->leftover = fmin(fmax(total - dropped - steps * h, 0), h);
    update_display_fraction(w);
    return dropped;
}

/* Logs a recovery. A pose that is refused in consecutive steps is logged once. */
static void log_recovery(sn_body_slot *slot, int number)
{
    if (slot->is_recovered) {
        sn_log(SN_LOG_WARNING, "body %d: diverged or not finite; reset to its rig's pose", number);
    } else if (slot->has_refused_pose && !slot->is_refusal_logged) {
        sn_log(SN_LOG_WARNING, "body %d: the new pose is not finite, or too far away; the last one is kept", number);
    }
}

static int count_recoveries(const sn_world *w)
{
    int count = 0;
    for (int i = 0; i < w->slot_count; ++i) {
        sn_body_slot *slot = w->slots[i];
        if (slot->is_used) {
            log_recovery(slot, i + 1);
            count += slot->is_recovered || slot->has_refused_pose;
            slot->is_refusal_logged = slot->has_refused_pose;
            slot->is_recovered = slot->has_refused_pose = false;
        }
    }
    return count;
}

sn_world_report sn_world_step(sn_world_id id, double seconds)
{
    sn_world *w = sn_world_try_get(id);
    SN_ASSERT(w);
    sn_world_report report = {.dropped_seconds = split_time(w, seconds > 0 && isfinite(seconds) ? seconds : 0)};
    const double start = sn_now();
    report.step_count = w->step_count;
    sn_world_move_colliders(w);
    sn_world_leave_lost_backend(w);
    if (w->is_order_stale) {
        order_bodies(w);
    }
    if (w->backend_world) {
        step_on_backend(w);
        sn_world_leave_lost_backend(w);
    } else if (w->desc.run_tasks) {
        w->desc.run_tasks(w->order_count, 1, step_range, w, w->desc.run_tasks_user);
    } else {
        sn_parallel_for(w->jobs, w->order_count, 1, step_range, w);
    }
    report.solver_seconds = sn_now() - start;
    report.recovery_count = count_recoveries(w);
    sn_recorder_step(w->desc.recorder, seconds, &report);
    return report;
}

sn_world_report sn_world_record_step(sn_world_id id, double seconds)
{
    sn_world *w = sn_world_try_get(id);
    SN_ASSERT(w);
    w->is_submitted_by_program = true;
    const sn_world_report report = sn_world_step(id, seconds);
    w->is_submitted_by_program = false;
    return report;
}
