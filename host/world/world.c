/* SPDX-License-Identifier: MIT */
/* Bodies by id, a fixed time step with an accumulator, poses in between. Ids as in Box2D: an index and a generation;
 * the worlds are in one table of the process, so that a body's id alone finds it. */
#include "sinew/world.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "host/base/clock.h"
#include "host/base/jobs.h"
#include "host/solver/solver.h"

#define WORLD_LIMIT 128

/* What bodies of one model with the same parameters share. */
typedef struct shared_solver {
    const sn_model *model;
    sn_solver_desc desc;
    void *shared;
    int body_count;
    struct shared_solver *next;
} shared_solver;

typedef struct body_slot {
    uint16_t generation;
    bool is_used, has_refused_pose, is_recovered;
    sn_body_desc desc;
    shared_solver *solver;
    void *body;
    int bone_count, mode_count;
    double *pose_before, *pose_now, *pose_step; /* (bone_count x 12): at the last sn_world_step, since, of a step */
    float *matrices;                            /* ((bone_count + mode_count) x 12) */
} body_slot;

typedef struct world {
    sn_world_desc desc;
    sn_jobs *jobs;     /* null: one worker, or the user's threads */
    double leftover;   /* seconds since the last step */
    body_slot **slots; /* (slot_count) apart, so that growing moves none that is stepping */
    int slot_count, slot_room;
    shared_solver *solvers;
    /* of the step that is under way */
    int step_count;
    bool is_cut; /* time was dropped */
    double seconds, start;
    uint16_t generation_floor; /* of bodies: above those of all worlds that were in this place */
} world;

static struct {
    pthread_mutex_t mutex;
    world *worlds[WORLD_LIMIT];
    uint16_t generations[WORLD_LIMIT], body_generations[WORLD_LIMIT];
} table = {.mutex = PTHREAD_MUTEX_INITIALIZER};

sn_world_desc sn_default_world_desc(void)
{
    return (sn_world_desc){.time_step = 1.0 / 60, .step_limit = 4, .worker_count = 1};
}

sn_body_desc sn_default_body_desc(void)
{
    return (sn_body_desc){.stiffness = 1, .amount = 1, .iteration_limit = 30, .tolerance = 1e-5};
}

static sn_result check_world_desc(const sn_world_desc *desc)
{
    if (!(desc->time_step > 0 && desc->time_step < 1e6) || desc->step_limit < 1 || desc->worker_count < 0 ||
        desc->worker_count > SN_WORKER_LIMIT) {
        return sn_fail(SN_ERROR_ARGUMENT, "world: a time step of %g s, %d steps, %d workers: out of range",
                       desc->time_step, desc->step_limit, desc->worker_count);
    }
    return SN_OK;
}

static void free_world(world *w)
{
    sn_jobs_destroy(&w->jobs);
    sn_free(w->slots, (size_t)w->slot_room, sizeof *w->slots);
    sn_free(w, 1, sizeof *w);
}

/* Puts a world into the table; false where that is full. */
static bool enter_world(world *w, sn_world_id *id)
{
    pthread_mutex_lock(&table.mutex);
    int free_index = 0;
    while (free_index < WORLD_LIMIT && table.worlds[free_index]) {
        ++free_index;
    }
    if (free_index < WORLD_LIMIT) {
        table.worlds[free_index] = w;
        w->generation_floor = table.body_generations[free_index];
        *id = (sn_world_id){(uint16_t)(free_index + 1), ++table.generations[free_index]};
    }
    pthread_mutex_unlock(&table.mutex);
    return free_index < WORLD_LIMIT;
}

sn_result sn_world_create(const sn_world_desc *desc, sn_world_id *id)
{
    *id = (sn_world_id){0, 0};
    sn_result result = check_world_desc(desc);
    if (result != SN_OK) {
        return result;
    }
    world *w = sn_alloc(1, sizeof *w);
    if (!w) {
        return SN_ERROR_MEMORY;
    }
    w->desc = *desc;
    if (!desc->run_tasks && desc->worker_count != 1) {
        result = sn_jobs_create(desc->worker_count, &w->jobs);
    }
    if (result == SN_OK && !enter_world(w, id)) {
        result = sn_fail(SN_ERROR_MEMORY, "world: there are %d already", WORLD_LIMIT);
    }
    if (result != SN_OK) {
        free_world(w);
    }
    return result;
}

static world *find_world(sn_world_id id)
{
    world *w = NULL;
    pthread_mutex_lock(&table.mutex);
    if (id.index1 >= 1 && id.index1 <= WORLD_LIMIT && table.generations[id.index1 - 1] == id.generation) {
        w = table.worlds[id.index1 - 1];
    }
    pthread_mutex_unlock(&table.mutex);
    return w;
}

static world *world_of_body(sn_body_id id)
{
    world *w = NULL;
    pthread_mutex_lock(&table.mutex);
    if (id.world0 < WORLD_LIMIT) {
        w = table.worlds[id.world0];
    }
    pthread_mutex_unlock(&table.mutex);
    return w;
}

static body_slot *find_body(sn_body_id id)
{
    const world *w = id.index1 > 0 ? world_of_body(id) : NULL;
    body_slot *slot = w && id.index1 <= w->slot_count ? w->slots[id.index1 - 1] : NULL;
    return slot && slot->is_used && slot->generation == id.generation ? slot : NULL;
}

static body_slot *need_body(sn_body_id id)
{
    body_slot *slot = find_body(id);
    SN_ASSERT(slot);
    return slot;
}

bool sn_body_is_valid(sn_body_id body)
{
    return find_body(body) != NULL;
}

const sn_model *sn_body_model(sn_body_id body)
{
    return need_body(body)->desc.model;
}

/* ---- parameters ---- */

static bool is_within(double value, double most)
{
    return value >= 0 && value <= most;
}

static sn_result check_body_desc(const sn_body_desc *desc)
{
    double gravity = 0;
    for (int d = 0; d < 3; ++d) {
        gravity += fabs(desc->gravity[d]);
    }
    if (!desc->model) {
        return sn_fail(SN_ERROR_ARGUMENT, "body: it has no model");
    }
    if (!is_within(desc->stiffness, 1e9) || !is_within(desc->damping, 1e6) || !is_within(desc->amount, 1e3) ||
        !is_within(desc->tolerance, 1) || !(gravity < 1e9) || desc->iteration_limit < 1) {
        return sn_fail(
            SN_ERROR_ARGUMENT,
            "body: stiffness %g, damping %g, amount %g, tolerance %g, gravity %g, %d iterations: out of range",
            desc->stiffness, desc->damping, desc->amount, desc->tolerance, gravity, desc->iteration_limit);
    }
    return SN_OK;
}

static sn_solver_desc solver_desc(const world *w, const sn_body_desc *desc)
{
    return (sn_solver_desc){.time_step = w->desc.time_step,
                            .stiffness = desc->stiffness,
                            .damping = desc->damping,
                            .gravity = {desc->gravity[0], desc->gravity[1], desc->gravity[2]},
                            .tolerance = desc->tolerance,
                            .iteration_limit = desc->iteration_limit};
}

static bool is_same_desc(const sn_solver_desc *a, const sn_solver_desc *b)
{
    return a->time_step == b->time_step && a->stiffness == b->stiffness && a->damping == b->damping &&
           memcmp(a->gravity, b->gravity, sizeof a->gravity) == 0 && a->tolerance == b->tolerance &&
           a->iteration_limit == b->iteration_limit;
}

/* The solver for a model and parameters, made where there is none yet; counts its user. */
static sn_result acquire_solver(world *w, const sn_body_desc *desc, shared_solver **result)
{
    const sn_solver_desc wanted = solver_desc(w, desc);
    for (shared_solver *s = w->solvers; s; s = s->next) {
        if (s->model == desc->model && is_same_desc(&s->desc, &wanted)) {
            ++s->body_count;
            *result = s;
            return SN_OK;
        }
    }
    shared_solver *made = sn_alloc(1, sizeof *made);
    if (!made) {
        return SN_ERROR_MEMORY;
    }
    *made = (shared_solver){.model = desc->model, .desc = wanted, .body_count = 1, .next = w->solvers};
    const sn_result code = sn_reduced_table.shared_create(desc->model, &wanted, &made->shared);
    if (code != SN_OK) {
        sn_free(made, 1, sizeof *made);
        return code;
    }
    w->solvers = made;
    *result = made;
    return SN_OK;
}

static void release_solver(world *w, shared_solver *solver)
{
    if (!solver || --solver->body_count > 0) {
        return;
    }
    shared_solver **at = &w->solvers;
    while (*at != solver) {
        at = &(*at)->next;
    }
    *at = solver->next;
    sn_reduced_table.shared_destroy(&solver->shared);
    sn_free(solver, 1, sizeof *solver);
}

/* ---- bodies ---- */

static void write_output(body_slot *slot, double fraction)
{
    for (int i = 0; i < 12 * slot->bone_count; ++i) {
        slot->matrices[i] = (float)slot->pose_now[i];
    }
    sn_reduced_table.body_modes(slot->body, fraction, slot->desc.amount,
                                slot->matrices + 12 * (size_t)slot->bone_count);
}

static void set_identity(double *pose, int bone_count)
{
    for (int i = 0; i < 12 * bone_count; ++i) {
        pose[i] = i % 12 % 5 == 0 ? 1 : 0;
    }
}

static void empty_slot(world *w, body_slot *slot)
{
    const size_t bones = (size_t)slot->bone_count;
    if (slot->body) {
        sn_reduced_table.body_destroy(&slot->body);
    }
    release_solver(w, slot->solver);
    sn_free(slot->pose_before, bones, 12 * sizeof(double));
    sn_free(slot->pose_now, bones, 12 * sizeof(double));
    sn_free(slot->pose_step, bones, 12 * sizeof(double));
    sn_free(slot->matrices, bones + (size_t)slot->mode_count, 12 * sizeof(float));
    *slot = (body_slot){.generation = slot->generation};
}

static sn_result fill_slot(world *w, body_slot *slot, const sn_body_desc *desc)
{
    slot->desc = *desc;
    slot->bone_count = sn_model_bone_count(desc->model);
    slot->mode_count = sn_model_mode_count(desc->model);
    const size_t bones = (size_t)slot->bone_count;
    slot->pose_before = sn_alloc(bones, 12 * sizeof(double));
    slot->pose_now = sn_alloc(bones, 12 * sizeof(double));
    slot->pose_step = sn_alloc(bones, 12 * sizeof(double));
    slot->matrices = sn_alloc(bones + (size_t)slot->mode_count, 12 * sizeof(float));
    if (!slot->pose_before || !slot->pose_now || !slot->pose_step || !slot->matrices) {
        return SN_ERROR_MEMORY;
    }
    set_identity(slot->pose_before, slot->bone_count);
    set_identity(slot->pose_now, slot->bone_count);
    sn_result result = acquire_solver(w, desc, &slot->solver);
    if (result == SN_OK) {
        result = sn_reduced_table.body_create(slot->solver->shared, slot->pose_now, &slot->body);
    }
    if (result == SN_OK) {
        slot->is_used = true;
        write_output(slot, 1);
    }
    return result;
}

static sn_result grow_slots(world *w)
{
    const int room = 2 * w->slot_room + 16;
    body_slot **slots = sn_alloc((size_t)room, sizeof *slots);
    if (!slots) {
        return SN_ERROR_MEMORY;
    }
    if (w->slot_count > 0) {
        memcpy(slots, w->slots, (size_t)w->slot_count * sizeof *slots);
    }
    sn_free(w->slots, (size_t)w->slot_room, sizeof *w->slots);
    w->slots = slots;
    w->slot_room = room;
    return SN_OK;
}

/* A slot that is free, or a new one; its index. */
static sn_result find_slot(world *w, int *index)
{
    for (*index = 0; *index < w->slot_count; ++*index) {
        if (!w->slots[*index]->is_used) {
            return SN_OK;
        }
    }
    if (w->slot_count == w->slot_room && grow_slots(w) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    body_slot *slot = sn_alloc(1, sizeof *slot);
    if (!slot) {
        return SN_ERROR_MEMORY;
    }
    slot->generation = w->generation_floor;
    w->slots[w->slot_count++] = slot;
    return SN_OK;
}

sn_result sn_body_create(sn_world_id world_id, const sn_body_desc *desc, sn_body_id *body)
{
    *body = (sn_body_id){0, 0, 0};
    world *w = find_world(world_id);
    int index = 0;
    SN_ASSERT(w);
    sn_result result = check_body_desc(desc);
    if (result == SN_OK) {
        result = find_slot(w, &index);
    }
    if (result != SN_OK) {
        return result;
    }
    body_slot *slot = w->slots[index];
    result = fill_slot(w, slot, desc);
    if (result != SN_OK) {
        empty_slot(w, slot);
        return result;
    }
    *body = (sn_body_id){index + 1, (uint16_t)(world_id.index1 - 1), ++slot->generation};
    return SN_OK;
}

void sn_body_destroy(sn_body_id body)
{
    if (body.index1 != 0) {
        empty_slot(world_of_body(body), need_body(body));
    }
}

void sn_world_destroy(sn_world_id id)
{
    if (id.index1 == 0) {
        return;
    }
    world *w = find_world(id);
    SN_ASSERT(w);
    uint16_t most = w->generation_floor;
    for (int i = 0; i < w->slot_count; ++i) {
        most = w->slots[i]->generation > most ? w->slots[i]->generation : most;
    }
    pthread_mutex_lock(&table.mutex);
    table.worlds[id.index1 - 1] = NULL;
    table.body_generations[id.index1 - 1] = most;
    pthread_mutex_unlock(&table.mutex);
    for (int i = 0; i < w->slot_count; ++i) {
        empty_slot(w, w->slots[i]);
        sn_free(w->slots[i], 1, sizeof *w->slots[i]);
    }
    free_world(w);
}

sn_result sn_body_set_desc(sn_body_id id, const sn_body_desc *desc)
{
    body_slot *slot = need_body(id);
    world *w = world_of_body(id);
    shared_solver *solver = NULL;
    SN_ASSERT(desc->model == slot->desc.model);
    sn_result result = check_body_desc(desc);
    if (result == SN_OK) {
        result = acquire_solver(w, desc, &solver);
    }
    if (result != SN_OK) {
        return result;
    }
    sn_reduced_table.body_share(slot->body, solver->shared);
    release_solver(w, slot->solver);
    slot->solver = solver;
    slot->desc = *desc;
    return SN_OK;
}

/* ---- poses ---- */

static bool is_finite_matrix(const sn_mat3x4 *m)
{
    float sum = 0;
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < 4; ++k) {
            sum += 0 * m->m[d][k];
        }
    }
    return sum == 0;
}

static void copy_matrix(const sn_mat3x4 *m, double *result)
{
    for (int i = 0; i < 12; ++i) {
        result[i] = (double)m->m[i / 4][i % 4];
    }
}

void sn_body_set_pose(sn_body_id id, const sn_mat3x4 *bones, int count)
{
    body_slot *slot = need_body(id);
    bool is_finite = true;
    SN_ASSERT(count == slot->bone_count);
    for (int b = 0; b < count; ++b) {
        is_finite &= is_finite_matrix(&bones[b]);
    }
    for (int b = 0; b < count && is_finite; ++b) {
        copy_matrix(&bones[b], slot->pose_now + 12 * (size_t)b);
    }
    slot->has_refused_pose |= !is_finite;
}

void sn_body_set_rigid_pose(sn_body_id id, const sn_mat3x4 *transform)
{
    body_slot *slot = need_body(id);
    const bool is_finite = is_finite_matrix(transform);
    for (int b = 0; b < slot->bone_count && is_finite; ++b) {
        copy_matrix(transform, slot->pose_now + 12 * (size_t)b);
    }
    slot->has_refused_pose |= !is_finite;
}

void sn_body_reset(sn_body_id id)
{
    body_slot *slot = need_body(id);
    memcpy(slot->pose_before, slot->pose_now, 12 * (size_t)slot->bone_count * sizeof(double));
    sn_reduced_table.body_reset(slot->body, slot->pose_now);
    write_output(slot, 1);
}

/* pose <- transform pose */
static void move_pose(const double *m, int bone_count, double *pose)
{
    for (int b = 0; b < bone_count; ++b, pose += 12) {
        for (int k = 0; k < 4; ++k) {
            const double x = pose[k], y = pose[4 + k], z = pose[8 + k];
            for (int d = 0; d < 3; ++d) {
                pose[4 * d + k] = m[4 * d] * x + m[4 * d + 1] * y + m[4 * d + 2] * z + (k == 3 ? m[4 * d + 3] : 0);
            }
        }
    }
}

void sn_body_teleport(sn_body_id id, const sn_mat3x4 *transform)
{
    body_slot *slot = need_body(id);
    const world *w = world_of_body(id);
    double m[12];
    if (!is_finite_matrix(transform)) {
        slot->has_refused_pose = true;
        return;
    }
    copy_matrix(transform, m);
    move_pose(m, slot->bone_count, slot->pose_before);
    move_pose(m, slot->bone_count, slot->pose_now);
    sn_reduced_table.body_teleport(slot->body, m);
    write_output(slot, w->leftover / w->desc.time_step);
}

sn_body_matrices sn_body_output(sn_body_id id)
{
    const body_slot *slot = need_body(id);
    return (sn_body_matrices){(const sn_mat3x4 *)(const void *)slot->matrices, slot->bone_count, slot->mode_count};
}

/* ---- time ---- */

/* Where a step is between the last call's pose and the present one: 0 .. 1. Of a call whose steps were cut, the steps
 * are spread evenly. */
static double step_fraction(const world *w, int step)
{
    const double at = (step + 1) * w->desc.time_step - w->start;
    return w->is_cut ? (step + 1.0) / w->step_count : fmin(fmax(at / w->seconds, 0), 1);
}

static void step_body(const world *w, body_slot *slot)
{
    const size_t count = 12 * (size_t)slot->bone_count;
    slot->is_recovered = false;
    for (int step = 0; step < w->step_count; ++step) {
        const double fraction = step_fraction(w, step);
        for (size_t i = 0; i < count; ++i) {
            slot->pose_step[i] = slot->pose_before[i] + fraction * (slot->pose_now[i] - slot->pose_before[i]);
        }
        slot->is_recovered |= !sn_reduced_table.body_step(slot->body, slot->pose_step);
    }
    memcpy(slot->pose_before, slot->pose_now, count * sizeof(double));
    write_output(slot, w->leftover / w->desc.time_step);
}

static void step_range(int first, int last, int worker, void *user)
{
    const world *w = user;
    (void)worker;
    for (int i = first; i < last; ++i) {
        if (w->slots[i]->is_used) {
            step_body(w, w->slots[i]);
        }
    }
}

/* Splits the call's seconds into whole steps and what is left over. */
static double split_time(world *w, double seconds)
{
    const double h = w->desc.time_step, total = w->leftover + seconds;
    /* a hair of slack: sixty calls of a sixtieth are sixty steps */
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
    return dropped;
}

static int count_recoveries(const world *w)
{
    int count = 0;
    for (int i = 0; i < w->slot_count; ++i) {
        body_slot *slot = w->slots[i];
        if (slot->is_used && (slot->is_recovered || slot->has_refused_pose)) {
            sn_log(SN_LOG_WARNING, "body %d: %s", i + 1,
                   slot->is_recovered ? "it exploded, or a number was not finite: it went back to its rig's pose"
                                      : "its new pose is not finite: the last one stays");
            slot->is_recovered = slot->has_refused_pose = false;
            ++count;
        }
    }
    return count;
}

sn_world_report sn_world_step(sn_world_id id, double seconds)
{
    world *w = find_world(id);
    SN_ASSERT(w);
    sn_world_report report = {.dropped_seconds = split_time(w, seconds > 0 && isfinite(seconds) ? seconds : 0)};
    const double start = sn_now();
    report.step_count = w->step_count;
    if (w->desc.run_tasks) {
        w->desc.run_tasks(w->slot_count, 1, step_range, w, w->desc.run_tasks_user);
    } else {
        sn_parallel_for(w->jobs, w->slot_count, 1, step_range, w);
    }
    report.solver_seconds = sn_now() - start;
    report.recovery_count = count_recoveries(w);
    return report;
}
