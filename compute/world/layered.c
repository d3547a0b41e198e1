/* SPDX-License-Identifier: MIT */
/* The solver table of layered bodies on the device. Operations of every step run on the device only. For rare
 * operations and queries, the state is downloaded to a CPU body and uploaded again. */
#include <string.h>

#include "compute/world/layered_body.h"
#include "host/model/model.h"
#include "host/xpbd/solver.h"

/* ---- data shared by bodies ---- */

static sn_result shared_create(const sn_model *model, const sn_solver_desc *desc, void *place, void **result)
{
    sn_gpu_place *p = place;
    *result = NULL;
    sn_gpu_place_layer_shared *s = sn_alloc(1, sizeof *s);
    if (!s) {
        return SN_ERROR_MEMORY;
    }
    *s = (sn_gpu_place_layer_shared){.common = {.work = &p->layered_work, .desc = *desc}, .place = p};
    const sn_result code = sn_gpu_place_acquire_kind(p, model, desc->layered_mode, &s->kind);
    if (code != SN_OK) {
        sn_free(s, 1, sizeof *s);
        return code;
    }
    s->common.kind = p->kinds[s->kind].kind;
    *result = s;
    return SN_OK;
}

static void shared_destroy(void **result)
{
    sn_gpu_place_layer_shared *s = *result;
    sn_gpu_place_release_kind(s->place, s->kind);
    sn_free(s, 1, sizeof *s);
    *result = NULL;
}

/* ---- between the device and the CPU ---- */

/* Downloads the body's state to a CPU body and sets b->table.body to it until the state is uploaded again. Waits for
 * the device. A failure (a lost device) is logged, and the body is unchanged. */
static sn_result borrow_as(sn_gpu_place_layered *b, sn_layered_body *twin, sn_gpu_xpbd_reading *reading)
{
    const sn_layered_settings settings = sn_layered_settings_of(&b->shared->common);
    sn_result result = sn_layered_body_set_settings(twin, &settings);
    if (result == SN_OK) {
        result = sn_gpu_layered_get(sn_gpu_place_layers_of(b), b->base.index, twin, reading);
    }
    b->table.body = result == SN_OK ? twin : NULL;
    return result;
}

static bool borrow(sn_gpu_place_layered *b)
{
    return borrow_as(b, sn_gpu_place_kind_of(b)->twin, NULL) == SN_OK;
}

static sn_result give_back(sn_gpu_place_layered *b)
{
    const sn_result result = sn_gpu_layered_put(sn_gpu_place_layers_of(b), b->base.index, b->table.body);
    sn_gpu_embedded_snap(b->base.place->drawn[SN_SOLVER_LAYERED], b->base.index);
    b->table.body = NULL;
    return result;
}

/* ---- bodies ---- */

static void remove_there(sn_gpu_place *place, int index)
{
    sn_gpu_embedded_remove_body(place->drawn[SN_SOLVER_LAYERED], index);
    sn_gpu_layered_remove_body(place->layered, index);
}

static void body_destroy(void **body)
{
    sn_gpu_place_layered *b = *body;
    *body = NULL;
    if (b->base.index >= 0) {
        remove_there(b->base.place, b->base.index);
    }
    sn_free(b, 1, sizeof *b);
}

/* Adds a body to the device with the settings of `s`. */
static sn_result add_there(const sn_gpu_place_layer_shared *s, const double *pose, int *index)
{
    sn_gpu_place *place = s->place;
    const sn_model_counts *c = &s->common.kind->model->counts;
    const sn_layered_settings settings = sn_layered_settings_of(&s->common);
    const sn_gpu_embedded_desc desc = {.bone_count = c->bone_count, .empty_count = c->mode_count, .is_plain = true};
    sn_result result = sn_gpu_layered_add_body(place->layered, place->kinds[s->kind].index, &settings, pose, index);
    if (result != SN_OK) {
        return result;
    }
    result = sn_gpu_embedded_set_body(place->drawn[SN_SOLVER_LAYERED], *index, &desc);
    if (result == SN_OK) {
        result = sn_gpu_place_watch_matrices(place);
    }
    if (result == SN_OK) {
        result = sn_gpu_place_make_room(place);
    }
    if (result != SN_OK) {
        remove_there(place, *index);
    }
    return result;
}

static sn_result body_create(const void *from, const double *pose, void **body)
{
    const sn_gpu_place_layer_shared *s = from;
    const sn_model_counts *c = &s->common.kind->model->counts;
    sn_gpu_place_layered *b = sn_alloc(1, sizeof *b);
    *body = b;
    if (!b) {
        return SN_ERROR_MEMORY;
    }
    *b = (sn_gpu_place_layered){.base = {.place = s->place,
                                         .solver = SN_SOLVER_LAYERED,
                                         .index = -1,
                                         .bone_count = c->bone_count,
                                         .mode_count = c->mode_count,
                                         .first_call = s->place->call_count},
                                .shared = s,
                                .table = {.shared = &s->common}};
    int index = 0;
    const sn_result result = add_there(s, pose, &index);
    if (result != SN_OK) {
        body_destroy(body);
        return result;
    }
    b->base.index = index;
    return SN_OK;
}

/* Another mode needs other constraints: the CPU table creates a new body for it, which is uploaded. */
static sn_result exchange(sn_gpu_place_layered *b, const sn_gpu_place_layer_shared *s)
{
    sn_gpu_embedded *drawn = b->base.place->drawn[SN_SOLVER_LAYERED];
    const sn_layered_settings settings = sn_layered_settings_of(&b->shared->common);
    sn_layered_body *own = NULL;
    int index = 0;
    sn_result result = sn_layered_body_create(b->shared->common.kind->layered, &settings, NULL, &own);
    if (result == SN_OK) {
        result = borrow_as(b, own, NULL);
    }
    if (result == SN_OK) {
        result = add_there(s, own->pose_now, &index);
    }
    if (result == SN_OK) {
        result = sn_layered_table.body_share(&b->table, &s->common);
        own = b->table.body; /* a new body, on success */
        if (result != SN_OK) {
            remove_there(b->base.place, index);
        }
    }
    if (result == SN_OK) {
        const int surface = sn_gpu_embedded_surface(drawn, b->base.index);
        remove_there(b->base.place, b->base.index);
        b->base.index = index;
        b->base.recovery_count = 0;
        b->base.first_call = b->base.place->call_count;
        b->shared = s;
        result = give_back(b);
        result = result ? result : sn_gpu_embedded_set_surface(drawn, index, surface);
        result = result ? result : sn_gpu_place_watch_matrices(b->base.place);
    }
    b->table.body = NULL;
    sn_layered_body_destroy(&own);
    return result;
}

static sn_result body_share(void *body, const void *to)
{
    sn_gpu_place_layered *b = body;
    const sn_gpu_place_layer_shared *s = to;
    bool is_held = false;
    if (s->kind != b->shared->kind) {
        return exchange(b, s);
    }
    for (int g = 0; g < SN_GRAB_LIMIT; ++g) {
        is_held |= b->table.grabs[g].is_held;
    }
    if (is_held) { /* apply the new grab stiffness */
        sn_result result = borrow(b) ? sn_layered_table.body_share(&b->table, &s->common) : SN_ERROR_UNSUPPORTED;
        b->shared = result == SN_OK ? s : b->shared;
        result = result == SN_OK ? give_back(b) : result;
        return result == SN_OK ? sn_gpu_place_make_room(b->base.place) : result;
    }
    const sn_layered_settings settings = sn_layered_settings_of(&s->common);
    const sn_result result = sn_gpu_layered_set_settings(sn_gpu_place_layers_of(b), b->base.index, &settings);
    if (result != SN_OK) {
        return result;
    }
    b->shared = s;
    b->table.shared = &s->common;
    return sn_gpu_place_make_room(b->base.place);
}

/* ---- steps ---- */

static bool body_step(void *body, const double *pose, const sn_surroundings *surroundings)
{
    sn_gpu_place_layered *b = body;
    sn_gpu_layered *l = sn_gpu_place_layers_of(b);
    sn_gpu_layered_set_wind(l, b->base.index, surroundings->wind, b->shared->common.desc.mass);
    sn_gpu_xpbd_set_surroundings(sn_gpu_layered_flesh(l), b->base.index, surroundings);
    const bool is_refused = !sn_gpu_layered_set_pose(l, b->base.index, pose);
    return !sn_gpu_place_take_status(&b->base) && !is_refused;
}

void sn_gpu_place_write_bones(sn_gpu_place *place, double fraction)
{
    sn_gpu_embedded *drawn = place->drawn[SN_SOLVER_LAYERED];
    for (int i = 0; i < place->layered->body_count; ++i) {
        if (place->layered->bodies[i].is_used) {
            sn_gpu_layered_bones(place->layered, i, fraction, sn_gpu_embedded_bones(drawn, i));
        }
    }
}

static void body_bones(const void *body, double fraction, float *matrices)
{
    const sn_gpu_place_layered *b = body;
    sn_gpu_layered_bones(sn_gpu_place_layers_of(b), b->base.index, fraction, matrices);
}

/* ---- impulses, grabs and motion ---- */

static void body_reset(void *body, const double *pose)
{
    sn_gpu_place_layered *b = body;
    if (borrow(b)) {
        sn_layered_table.body_reset(&b->table, pose);
        give_back(b);
    }
}

static void body_teleport(void *body, const double *transform)
{
    sn_gpu_place_layered *b = body;
    if (borrow(b)) {
        sn_layered_table.body_teleport(&b->table, transform);
        give_back(b);
    }
}

static void body_impulse(void *body, const double *point, const double *impulse)
{
    sn_gpu_place_layered *b = body;
    if (borrow(b)) {
        sn_layered_table.body_impulse(&b->table, point, impulse);
        give_back(b);
    }
}

static void body_bone_impulse(void *body, int bone, const double *impulse)
{
    sn_gpu_place_layered *b = body;
    if (borrow(b)) {
        sn_layered_table.body_bone_impulse(&b->table, bone, impulse);
        give_back(b);
    }
}

static int body_grab(void *body, const double *point, const sn_grab_desc *desc)
{
    sn_gpu_place_layered *b = body;
    if (!borrow(b)) {
        return -1;
    }
    const int grab = sn_layered_table.body_grab(&b->table, point, desc);
    return give_back(b) == SN_OK ? grab : -1;
}

/* The pull is computed here from the current flesh positions, and is constant until the next call. */
static void body_drag(void *body, int grab, const double *target)
{
    sn_gpu_place_layered *b = body;
    sn_xpbd_grabs_drag(b->table.grabs, grab, target);
    if (b->table.grabs[grab].is_held && borrow(b)) {
        const sn_xpbd_skin skin = sn_layered_skin(&b->table);
        sn_xpbd_skin_pull(&skin);
        give_back(b);
    }
}

static void body_release(void *body, int grab)
{
    sn_gpu_place_layered *b = body;
    if (b->table.grabs[grab].is_held && borrow(b)) {
        sn_layered_table.body_release(&b->table, grab);
        give_back(b);
    }
}

/* ---- queries ---- */

static void body_flesh(const void *body, double *positions)
{
    sn_gpu_place_layered *b = (sn_gpu_place_layered *)body; /* the body's state is unchanged */
    if (borrow(b)) {
        sn_layered_body_positions(b->table.body, positions);
    }
    b->table.body = NULL;
}

static void body_motion(const void *body, sn_body_motion *motion)
{
    sn_gpu_place_layered *b = (sn_gpu_place_layered *)body;
    sn_gpu_xpbd_reading reading = {.recovery_count = 0};
    if (borrow_as(b, sn_gpu_place_kind_of(b)->twin, &reading) == SN_OK) {
        sn_layered_table.body_motion(&b->table, motion);
        motion->is_asleep = reading.report.is_asleep;
    }
    b->table.body = NULL;
}

int sn_gpu_place_layered_sweeps(const void *body)
{
    const sn_gpu_place_layered *b = body;
    const sn_xpbd_settings *s =
        &sn_gpu_xpbd_find(sn_gpu_layered_flesh(sn_gpu_place_layers_of(b)), b->base.index)->settings;
    return s->substep_count * s->sweep_count;
}

int sn_gpu_place_layered_recoveries(const void *body)
{
    const sn_gpu_place_layered *b = body;
    sn_gpu_xpbd_reading reading = {.recovery_count = 0};
    sn_gpu_layered_get(sn_gpu_place_layers_of(b), b->base.index, NULL, &reading);
    return reading.recovery_count;
}

const sn_solver_table sn_gpu_layered_table = {.shared_create = shared_create,
                                              .shared_destroy = shared_destroy,
                                              .body_create = body_create,
                                              .body_destroy = body_destroy,
                                              .body_share = body_share,
                                              .body_step = body_step,
                                              .body_impulse = body_impulse,
                                              .body_reset = body_reset,
                                              .body_teleport = body_teleport,
                                              .body_bone_impulse = body_bone_impulse,
                                              .body_grab = body_grab,
                                              .body_drag = body_drag,
                                              .body_release = body_release,
                                              .body_bones = body_bones,
                                              .body_flesh = body_flesh,
                                              .body_motion = body_motion};
