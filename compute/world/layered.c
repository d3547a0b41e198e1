/* SPDX-License-Identifier: MIT */
/* The solver table of layered bodies on the device. Operations of every step run on the device only. For rare
 * operations and queries, the state is downloaded to a CPU body and uploaded again. */
#include <string.h>

#include "compute/world/layered_body.h"
#include "host/model/model.h"
#include "host/xpbd/solver.h"

/* ---- data shared by bodies ---- */

static sn_result shared_create(const sn_model *model, const sn_solver_desc *desc, void *world, void **result)
{
    sn_gpu_world *p = world;
    *result = NULL;
    sn_gpu_world_layered_shared *s = sn_alloc(1, sizeof *s);
    if (!s) {
        return SN_ERROR_MEMORY;
    }
    *s = (sn_gpu_world_layered_shared){.common = {.work = &p->layered_work, .desc = *desc}, .world = p};
    const sn_result code = sn_gpu_world_acquire_layered_model(p, model, desc->layered_mode, &s->shared_model);
    if (code != SN_OK) {
        sn_free(s, 1, sizeof *s);
        return code;
    }
    s->common.shared_model = p->layered_models[s->shared_model].shared_model;
    *result = s;
    return SN_OK;
}

static void shared_destroy(void **result)
{
    sn_gpu_world_layered_shared *s = *result;
    sn_gpu_world_release_layered_model(s->world, s->shared_model);
    sn_free(s, 1, sizeof *s);
    *result = NULL;
}

/* ---- between the device and the CPU ---- */

/* Downloads the body's state to a CPU body and sets b->table.body to it until the state is uploaded again. Waits for
 * the device. A failure (a lost device) is logged, and the body is unchanged. */
static sn_result download_to(sn_gpu_world_layered_body *b, sn_layered_body *cpu_body, sn_gpu_xpbd_reading *reading)
{
    const sn_layered_settings settings = sn_layered_settings_from_shared(&b->shared->common);
    sn_result result = sn_layered_body_set_settings(cpu_body, &settings);
    if (result == SN_OK) {
        result = sn_gpu_layered_download(sn_gpu_world_layered_of(b), b->base.index, cpu_body, reading);
    }
    b->table.body = result == SN_OK ? cpu_body : NULL;
    return result;
}

static bool download(sn_gpu_world_layered_body *b)
{
    return download_to(b, sn_gpu_world_layered_model_of(b)->cpu_body, NULL) == SN_OK;
}

static sn_result upload(sn_gpu_world_layered_body *b)
{
    const sn_result result = sn_gpu_layered_upload(sn_gpu_world_layered_of(b), b->base.index, b->table.body);
    sn_gpu_embedded_skip_interpolation(b->base.world->embedded[SN_SOLVER_LAYERED], b->base.index);
    b->table.body = NULL;
    return result;
}

/* ---- bodies ---- */

static void remove_from_device(sn_gpu_world *world, int index)
{
    sn_gpu_embedded_remove_body(world->embedded[SN_SOLVER_LAYERED], index);
    sn_gpu_layered_remove_body(world->layered, index);
}

static void body_destroy(void **body)
{
    sn_gpu_world_layered_body *b = *body;
    *body = NULL;
    if (b->base.index >= 0) {
        remove_from_device(b->base.world, b->base.index);
    }
    sn_free(b, 1, sizeof *b);
}

/* Adds a body to the device with the settings of `s`. */
static sn_result add_to_device(const sn_gpu_world_layered_shared *s, const double *pose, int *index)
{
    sn_gpu_world *world = s->world;
    const sn_model_counts *c = &s->common.shared_model->model->counts;
    const sn_layered_settings settings = sn_layered_settings_from_shared(&s->common);
    const sn_gpu_embedded_desc desc = {.bone_count = c->bone_count, .empty_count = c->mode_count, .writes_bones = true};
    sn_result result =
        sn_gpu_layered_add_body(world->layered, world->layered_models[s->shared_model].index, &settings, pose, index);
    if (result != SN_OK) {
        return result;
    }
    result = sn_gpu_embedded_set_body(world->embedded[SN_SOLVER_LAYERED], *index, &desc);
    if (result == SN_OK) {
        result = sn_gpu_world_update_matrix_versions(world);
    }
    if (result == SN_OK) {
        result = sn_gpu_world_reserve(world);
    }
    if (result != SN_OK) {
        remove_from_device(world, *index);
    }
    return result;
}

static sn_result body_create(const void *source, const double *pose, void **body)
{
    const sn_gpu_world_layered_shared *s = source;
    const sn_model_counts *c = &s->common.shared_model->model->counts;
    sn_gpu_world_layered_body *b = sn_alloc(1, sizeof *b);
    *body = b;
    if (!b) {
        return SN_ERROR_MEMORY;
    }
    *b = (sn_gpu_world_layered_body){.base = {.world = s->world,
                                              .solver = SN_SOLVER_LAYERED,
                                              .index = -1,
                                              .bone_count = c->bone_count,
                                              .mode_count = c->mode_count,
                                              .first_call = s->world->call_count},
                                     .shared = s,
                                     .table = {.shared = &s->common}};
    int index = 0;
    const sn_result result = add_to_device(s, pose, &index);
    if (result != SN_OK) {
        body_destroy(body);
        return result;
    }
    b->base.index = index;
    return SN_OK;
}

/* Another mode needs other constraints: the CPU table creates a new body for it, which is uploaded. */
static sn_result replace_body(sn_gpu_world_layered_body *b, const sn_gpu_world_layered_shared *s)
{
    sn_gpu_embedded *embedded = b->base.world->embedded[SN_SOLVER_LAYERED];
    const sn_layered_settings settings = sn_layered_settings_from_shared(&b->shared->common);
    sn_layered_body *own_body = NULL;
    int index = 0;
    sn_result result = sn_layered_body_create(b->shared->common.shared_model->layered, &settings, NULL, &own_body);
    if (result == SN_OK) {
        result = download_to(b, own_body, NULL);
    }
    if (result == SN_OK) {
        result = add_to_device(s, own_body->pose_now, &index);
    }
    if (result == SN_OK) {
        result = sn_layered_table.body_set_shared(&b->table, &s->common);
        own_body = b->table.body; /* a new body, on success */
        if (result != SN_OK) {
            remove_from_device(b->base.world, index);
        }
    }
    if (result == SN_OK) {
        const int surface = sn_gpu_embedded_surface(embedded, b->base.index);
        remove_from_device(b->base.world, b->base.index);
        b->base.index = index;
        b->base.recovery_count = 0;
        b->base.first_call = b->base.world->call_count;
        b->shared = s;
        result = upload(b);
        result = result ? result : sn_gpu_embedded_set_surface(embedded, index, surface);
        result = result ? result : sn_gpu_world_update_matrix_versions(b->base.world);
    }
    b->table.body = NULL;
    sn_layered_body_destroy(&own_body);
    return result;
}

static sn_result body_set_shared(void *body, const void *to)
{
    sn_gpu_world_layered_body *b = body;
    const sn_gpu_world_layered_shared *s = to;
    bool is_active = false;
    if (s->shared_model != b->shared->shared_model) {
        return replace_body(b, s);
    }
    for (int g = 0; g < SN_GRAB_LIMIT; ++g) {
        is_active |= b->table.grabs[g].is_active;
    }
    if (is_active) { /* apply the new grab stiffness */
        sn_result result = download(b) ? sn_layered_table.body_set_shared(&b->table, &s->common) : SN_ERROR_UNSUPPORTED;
        b->shared = result == SN_OK ? s : b->shared;
        result = result == SN_OK ? upload(b) : result;
        return result == SN_OK ? sn_gpu_world_reserve(b->base.world) : result;
    }
    const sn_layered_settings settings = sn_layered_settings_from_shared(&s->common);
    const sn_result result = sn_gpu_layered_set_settings(sn_gpu_world_layered_of(b), b->base.index, &settings);
    if (result != SN_OK) {
        return result;
    }
    b->shared = s;
    b->table.shared = &s->common;
    return sn_gpu_world_reserve(b->base.world);
}

/* ---- steps ---- */

static bool body_step(void *body, const double *pose, const sn_surroundings *surroundings)
{
    sn_gpu_world_layered_body *b = body;
    sn_gpu_layered *l = sn_gpu_world_layered_of(b);
    sn_gpu_layered_set_wind(l, b->base.index, surroundings->wind, b->shared->common.desc.mass);
    sn_gpu_xpbd_set_surroundings(sn_gpu_layered_flesh(l), b->base.index, surroundings);
    const bool is_rejected = !sn_gpu_layered_set_pose(l, b->base.index, pose);
    return !sn_gpu_world_read_status(&b->base) && !is_rejected;
}

void sn_gpu_world_write_bones(sn_gpu_world *world, double fraction)
{
    sn_gpu_embedded *embedded = world->embedded[SN_SOLVER_LAYERED];
    for (int i = 0; i < world->layered->body_count; ++i) {
        if (world->layered->bodies[i].is_used) {
            sn_gpu_layered_bones(world->layered, i, fraction, sn_gpu_embedded_bones(embedded, i));
        }
    }
}

static void body_bones(const void *body, double fraction, float *matrices)
{
    const sn_gpu_world_layered_body *b = body;
    sn_gpu_layered_bones(sn_gpu_world_layered_of(b), b->base.index, fraction, matrices);
}

/* ---- impulses, grabs and motion ---- */

static void body_reset(void *body, const double *pose)
{
    sn_gpu_world_layered_body *b = body;
    if (download(b)) {
        sn_layered_table.body_reset(&b->table, pose);
        upload(b);
    }
}

static void body_teleport(void *body, const double *transform)
{
    sn_gpu_world_layered_body *b = body;
    if (download(b)) {
        sn_layered_table.body_teleport(&b->table, transform);
        upload(b);
    }
}

static void body_impulse(void *body, const double *point, const double *impulse)
{
    sn_gpu_world_layered_body *b = body;
    if (download(b)) {
        sn_layered_table.body_impulse(&b->table, point, impulse);
        upload(b);
    }
}

static void body_bone_impulse(void *body, int bone, const double *impulse)
{
    sn_gpu_world_layered_body *b = body;
    if (download(b)) {
        sn_layered_table.body_bone_impulse(&b->table, bone, impulse);
        upload(b);
    }
}

static int body_grab(void *body, const double *point, const sn_grab_desc *desc)
{
    sn_gpu_world_layered_body *b = body;
    if (!download(b)) {
        return -1;
    }
    const int grab = sn_layered_table.body_grab(&b->table, point, desc);
    return upload(b) == SN_OK ? grab : -1;
}

/* The pull is computed here from the current flesh positions, and is constant until the next call. */
static void body_drag(void *body, int grab, const double *target)
{
    sn_gpu_world_layered_body *b = body;
    sn_xpbd_grabs_drag(b->table.grabs, grab, target);
    if (b->table.grabs[grab].is_active && download(b)) {
        const sn_xpbd_skin skin = sn_layered_skin(&b->table);
        sn_xpbd_skin_move_pins(&skin);
        upload(b);
    }
}

static void body_release(void *body, int grab)
{
    sn_gpu_world_layered_body *b = body;
    if (b->table.grabs[grab].is_active && download(b)) {
        sn_layered_table.body_release(&b->table, grab);
        upload(b);
    }
}

/* ---- queries ---- */

static void body_tet_positions(const void *body, double *positions)
{
    sn_gpu_world_layered_body *b = (sn_gpu_world_layered_body *)body; /* the body's state is unchanged */
    if (download(b)) {
        sn_layered_body_positions(b->table.body, positions);
    }
    b->table.body = NULL;
}

static void body_motion(const void *body, sn_body_motion *motion)
{
    sn_gpu_world_layered_body *b = (sn_gpu_world_layered_body *)body;
    sn_gpu_xpbd_reading reading = {.recovery_count = 0};
    if (download_to(b, sn_gpu_world_layered_model_of(b)->cpu_body, &reading) == SN_OK) {
        sn_layered_table.body_motion(&b->table, motion);
        motion->is_asleep = reading.report.is_asleep;
    }
    b->table.body = NULL;
}

int sn_gpu_world_layered_sweeps(const void *body)
{
    const sn_gpu_world_layered_body *b = body;
    const sn_xpbd_settings *s =
        &sn_gpu_xpbd_find(sn_gpu_layered_flesh(sn_gpu_world_layered_of(b)), b->base.index)->settings;
    return s->substep_count * s->sweep_count;
}

int sn_gpu_world_layered_recoveries(const void *body)
{
    const sn_gpu_world_layered_body *b = body;
    sn_gpu_xpbd_reading reading = {.recovery_count = 0};
    sn_gpu_layered_download(sn_gpu_world_layered_of(b), b->base.index, NULL, &reading);
    return reading.recovery_count;
}

const sn_solver_table sn_gpu_layered_table = {.shared_create = shared_create,
                                              .shared_destroy = shared_destroy,
                                              .body_create = body_create,
                                              .body_destroy = body_destroy,
                                              .body_set_shared = body_set_shared,
                                              .body_step = body_step,
                                              .body_impulse = body_impulse,
                                              .body_reset = body_reset,
                                              .body_teleport = body_teleport,
                                              .body_bone_impulse = body_bone_impulse,
                                              .body_grab = body_grab,
                                              .body_drag = body_drag,
                                              .body_release = body_release,
                                              .body_bones = body_bones,
                                              .body_tet_positions = body_tet_positions,
                                              .body_motion = body_motion};
