/* SPDX-License-Identifier: MIT */
/* The table of functions that a world asks of a solver, filled by the coupled solver on the device. What happens in
 * each step is told to the device alone. What is rare, and what looks at the flesh, is done to a body of the CPU by the
 * CPU's table: it takes the state from the device, and gives it back. */
#include <math.h>
#include <string.h>

#include "compute/coupled/solver.h"
#include "compute/world/world.h"
#include "host/xpbd/solver.h"

typedef struct shared {
    sn_coupled_shared common;
    sn_gpu_place *place;
    int rig; /* the place's number */
} shared;

typedef struct coupled_body {
    sn_gpu_place_body base;
    const shared *shared;
    sn_coupled_body *edited; /* of the CPU, whose flesh was torn or tied apart; or null */
    sn_table_body table;     /* as the CPU's; its body is borrowed while something is done to it */
} coupled_body;

static sn_gpu_coupled *solver_of(const coupled_body *b)
{
    return b->base.place->coupled;
}

static sn_gpu_xpbd *flesh_of(const coupled_body *b)
{
    return sn_gpu_coupled_flesh(solver_of(b));
}

static const sn_gpu_place_rig *rig_of(const coupled_body *b)
{
    return &b->base.place->rigs[b->shared->rig];
}

/* The body of the CPU that takes its state: the rig's, or its own. */
static sn_coupled_body *twin_of(const coupled_body *b)
{
    return b->edited ? b->edited : rig_of(b)->twin;
}

/* ---- what bodies share ---- */

static sn_result shared_create(const sn_model *model, const sn_solver_desc *desc, void *place, void **result)
{
    sn_gpu_place *p = place;
    *result = NULL;
    shared *s = sn_alloc(1, sizeof *s);
    if (!s) {
        return SN_ERROR_MEMORY;
    }
    *s = (shared){.common = {.work = &p->work, .desc = *desc}, .place = p};
    const sn_result code = sn_gpu_place_acquire_rig(p, model, desc->poisson, &s->rig);
    if (code != SN_OK) {
        sn_free(s, 1, sizeof *s);
        return code;
    }
    s->common.bones = p->rigs[s->rig].bones;
    *result = s;
    return SN_OK;
}

static void shared_destroy(void **result)
{
    shared *s = *result;
    sn_gpu_place_release_rig(s->place, s->rig);
    sn_free(s, 1, sizeof *s);
    *result = NULL;
}

/* ---- between the device and the CPU ---- */

/* Waits for the device. A failure, a lost device's, has its line, and nothing is done to the body. */
static sn_result borrow_as(coupled_body *b, sn_coupled_body *twin)
{
    const sn_coupled_settings settings = sn_coupled_settings_of(&b->shared->common);
    sn_result result = sn_coupled_body_set_settings(twin, &settings);
    if (result == SN_OK) {
        result = sn_gpu_coupled_get(solver_of(b), b->base.index, twin, NULL);
    }
    if (result == SN_OK) {
        result = sn_gpu_coupled_transforms(solver_of(b), b->base.index, b->table.now, b->table.before);
    }
    b->table.body = result == SN_OK ? twin : NULL;
    return result;
}

static bool borrow(coupled_body *b)
{
    return borrow_as(b, twin_of(b)) == SN_OK;
}

static sn_result give_back(coupled_body *b)
{
    const sn_result result = sn_gpu_coupled_put(solver_of(b), b->base.index, b->table.body);
    if (result == SN_OK) {
        sn_gpu_coupled_put_shown(solver_of(b), b->base.index, b->table.now, b->table.before);
    }
    b->table.body = NULL;
    return result;
}

/* ---- bodies ---- */

static void body_destroy(void **body)
{
    coupled_body *b = *body;
    *body = NULL;
    if (b->base.index >= 0) {
        sn_gpu_coupled_remove_body(solver_of(b), b->base.index);
    }
    sn_coupled_body_destroy(&b->edited);
    sn_coupled_free_bones(&b->table);
    sn_free(b->table.positions, (size_t)b->shared->common.bones->model->counts.vertex_count, 3 * sizeof(double));
    sn_free(b, 1, sizeof *b);
}

static sn_result allocate(coupled_body *b)
{
    const sn_model *model = b->shared->common.bones->model;
    b->table.positions = sn_alloc((size_t)model->counts.vertex_count, 3 * sizeof(double));
    const sn_result result = sn_coupled_allocate_bones(model->counts.bone_count, &b->table);
    return b->table.positions ? result : SN_ERROR_MEMORY;
}

/* One more on the device, as the parameters have it. */
static sn_result add_there(const shared *s, int *index)
{
    sn_gpu_place *place = s->place;
    const sn_coupled_settings settings = sn_coupled_settings_of(&s->common);
    sn_result result = sn_gpu_coupled_add_body(place->coupled, place->rigs[s->rig].index, &settings, index);
    sn_gpu_place_watch_matrices(place);
    if (result != SN_OK) {
        return result;
    }
    result = sn_gpu_place_make_room(place);
    if (result != SN_OK) {
        sn_gpu_coupled_remove_body(place->coupled, *index);
    }
    return result;
}

static sn_result add(coupled_body *b, const double *pose)
{
    int index = 0;
    sn_result result = add_there(b->shared, &index);
    b->base.index = result == SN_OK ? index : -1;
    if (result == SN_OK && borrow(b)) {
        sn_coupled_table.body_reset(&b->table, pose);
        result = give_back(b);
    }
    return result;
}

static sn_result body_create(const void *from, const double *pose, void **body)
{
    const shared *s = from;
    coupled_body *b = sn_alloc(1, sizeof *b);
    *body = b;
    if (!b) {
        return SN_ERROR_MEMORY;
    }
    *b = (coupled_body){.base = {.place = s->place,
                                 .is_coupled = true,
                                 .index = -1,
                                 .bone_count = s->common.bones->model->counts.bone_count,
                                 .mode_count = s->common.bones->model->counts.mode_count,
                                 .first_call = s->place->call_count},
                        .shared = s,
                        .table = {.shared = &s->common}};
    sn_result result = allocate(b);
    if (result == SN_OK) {
        result = add(b, pose);
    }
    if (result != SN_OK) {
        body_destroy(body);
    }
    return result;
}

/* A body of the CPU for this one alone. */
static sn_result make_own(const coupled_body *b, sn_coupled_body **own)
{
    const sn_coupled_settings settings = sn_coupled_settings_of(&b->shared->common);
    return sn_coupled_body_create(rig_of(b)->bones->rig, &settings, own);
}

static sn_result send_edits(const coupled_body *b, sn_coupled_body *own)
{
    const sn_xpbd_model *edited = sn_coupled_body_flesh(own)->own_model;
    return edited ? sn_gpu_coupled_edit_flesh(solver_of(b), b->base.index, edited) : SN_OK;
}

/* The place on the device that waits for it takes the body's, as the CPU's has become. */
static sn_result move_to(coupled_body *b, const shared *s, int index)
{
    sn_gpu_coupled_remove_body(solver_of(b), b->base.index);
    b->base.index = index;
    b->base.recovery_count = 0;
    b->base.first_call = b->base.place->call_count;
    b->shared = s;
    const sn_result result = send_edits(b, b->table.body);
    return result == SN_OK ? give_back(b) : result;
}

/* Flesh of another Poisson's ratio has constraints of its own: the CPU's table makes a new body of it. */
static sn_result exchange_flesh(coupled_body *b, const shared *s)
{
    int index = 0;
    sn_coupled_body *own = b->edited;
    sn_result result = own ? SN_OK : make_own(b, &own);
    if (result == SN_OK) {
        result = borrow_as(b, own);
    }
    if (result == SN_OK) {
        result = add_there(s, &index);
    }
    if (result == SN_OK) {
        result = sn_coupled_table.body_share(&b->table, &s->common);
        if (result != SN_OK) {
            sn_gpu_coupled_remove_body(solver_of(b), index);
        }
        own = b->table.body; /* another, where that went well */
    }
    if (result == SN_OK) {
        result = move_to(b, s, index);
    }
    b->table.body = b->edited = NULL;
    if (own && sn_coupled_body_flesh(own)->own_model) {
        b->edited = own;
    } else {
        sn_coupled_body_destroy(&own);
    }
    return result;
}

static sn_result body_share(void *body, const void *to)
{
    coupled_body *b = body;
    const shared *s = to;
    bool is_held = false;
    if (s->rig != b->shared->rig) {
        return exchange_flesh(b, s);
    }
    const sn_coupled_settings settings = sn_coupled_settings_of(&s->common);
    const sn_result result = sn_gpu_coupled_set_settings(solver_of(b), b->base.index, &settings);
    if (result != SN_OK) {
        return result;
    }
    b->shared = s;
    b->table.shared = &s->common;
    for (int g = 0; g < SN_GRAB_LIMIT; ++g) {
        is_held |= b->table.grabs[g].is_held;
    }
    if (is_held && borrow(b)) { /* as firmly as the new parameters have it */
        sn_coupled_keep_hold(&b->table);
        give_back(b);
    }
    return sn_gpu_place_make_room(b->base.place);
}

/* Through a body of its own, for the rig's twin has the old rig. */
static sn_result body_set_rig(void *body, const void *to, const int32_t *from)
{
    coupled_body *b = body;
    const shared *s = to;
    sn_coupled_body *own = b->edited;
    sn_result result = own ? SN_OK : make_own(b, &own);
    if (result == SN_OK) {
        result = borrow_as(b, own);
    }
    if (result == SN_OK) {
        result = sn_coupled_table.body_set_rig(&b->table, &s->common, from);
    }
    if (result == SN_OK) {
        b->shared = s;
        b->base.bone_count = b->table.bone_count;
        b->base.mode_count = s->common.bones->model->counts.mode_count;
        result = sn_gpu_coupled_set_rig(solver_of(b), b->base.index, rig_of(b)->index, from);
        sn_gpu_place_watch_matrices(b->base.place);
    }
    if (result == SN_OK) {
        result = give_back(b);
    }
    b->table.body = NULL;
    if (own != b->edited) {
        sn_coupled_body_destroy(&own);
    }
    return result;
}

/* ---- steps ---- */

static bool body_step(void *body, const double *pose, const sn_surroundings *surroundings)
{
    coupled_body *b = body;
    sn_gpu_coupled_set_wind(solver_of(b), b->base.index, surroundings->wind, b->shared->common.desc.mass);
    for (int bone = 0; bone < b->table.bone_count; ++bone) {
        if (b->table.locks[bone]) {
            sn_gpu_coupled_set_target(solver_of(b), b->base.index, bone, pose + 12 * (size_t)bone);
        }
    }
    sn_gpu_xpbd_set_surroundings(flesh_of(b), b->base.index, surroundings);
    return !sn_gpu_place_take_status(&b->base);
}

static void body_bones(const void *body, double fraction, float *matrices)
{
    const coupled_body *b = body;
    const sn_result result = sn_gpu_coupled_transforms(solver_of(b), b->base.index, b->table.now, b->table.before);
    if (result == SN_OK) {
        sn_coupled_table.body_bones(&b->table, fraction, matrices);
    }
}

static void body_flesh(const void *body, double *positions)
{
    const coupled_body *b = body;
    sn_coupled_body *twin = twin_of(b);
    if (sn_gpu_coupled_get(solver_of(b), b->base.index, twin, NULL) == SN_OK) {
        sn_xpbd_body_positions(sn_coupled_body_flesh(twin), positions);
    }
}

/* The body as one of the CPU, or null. */
static sn_coupled_body *read_back(const coupled_body *b, sn_gpu_xpbd_reading *reading)
{
    sn_coupled_body *twin = twin_of(b);
    const sn_coupled_settings settings = sn_coupled_settings_of(&b->shared->common);
    sn_result result = sn_coupled_body_set_settings(twin, &settings);
    if (result == SN_OK) {
        result = sn_gpu_coupled_get(solver_of(b), b->base.index, twin, reading);
    }
    return result == SN_OK ? twin : NULL;
}

static void body_motion(const void *body, sn_body_motion *motion)
{
    const coupled_body *b = body;
    sn_gpu_xpbd_reading reading = {.recovery_count = 0};
    sn_coupled_body *twin = read_back(b, &reading);
    if (twin) {
        sn_coupled_motion_of(sn_coupled_body_flesh(twin), b->shared->common.desc.mass, motion);
        motion->is_asleep = reading.report.is_asleep;
    }
}

sn_coupled_body *sn_gpu_place_read_coupled(void *body, int *recovery_count)
{
    sn_gpu_xpbd_reading reading = {.recovery_count = 0};
    sn_coupled_body *twin = read_back(body, &reading);
    *recovery_count = reading.recovery_count;
    return twin;
}

static void body_lock_impulse(const void *body, int bone, double *impulse)
{
    const coupled_body *b = body;
    memset(impulse, 0, 6 * sizeof *impulse);
    sn_gpu_coupled_impulse(solver_of(b), b->base.index, bone, impulse);
    for (int i = 0; i < 6; ++i) {
        impulse[i] *= b->shared->common.desc.mass;
    }
}

/* ---- locks ---- */

static void body_locks(void *body, int bone, unsigned locks)
{
    coupled_body *b = body;
    b->table.locks[bone] = (uint8_t)locks;
    for (int k = 0; k < b->table.bone_count; ++k) {
        sn_gpu_coupled_set_locks(solver_of(b), b->base.index, k, sn_coupled_locks_of(&b->table, k));
    }
}

static void body_compliance(void *body, int bone, double compliance)
{
    coupled_body *b = body;
    b->table.compliances[bone] = compliance >= 0 && isfinite(compliance) ? compliance : -1;
    sn_gpu_coupled_set_compliance(solver_of(b), b->base.index, bone, b->table.compliances[bone]);
}

/* ---- what is rare ---- */

static void body_reset(void *body, const double *pose)
{
    coupled_body *b = body;
    if (borrow(b)) {
        sn_coupled_table.body_reset(&b->table, pose);
        give_back(b);
    }
}

static void body_teleport(void *body, const double *transform)
{
    coupled_body *b = body;
    if (borrow(b)) {
        sn_coupled_table.body_teleport(&b->table, transform);
        give_back(b);
    }
}

static void body_impulse(void *body, const double *point, const double *impulse)
{
    coupled_body *b = body;
    if (borrow(b)) {
        sn_coupled_impulse(&b->table, point, impulse);
        give_back(b);
    }
}

static void body_bone_impulse(void *body, int bone, const double *impulse)
{
    coupled_body *b = body;
    if (borrow(b)) {
        sn_coupled_bone_impulse(&b->table, bone, impulse);
        give_back(b);
    }
}

/* ---- grabs ---- */

static int body_grab(void *body, const double *point, const sn_grab_desc *desc)
{
    coupled_body *b = body;
    if (!borrow(b)) {
        return -1;
    }
    const int grab = sn_coupled_grab_at(&b->table, point, desc);
    return give_back(b) == SN_OK ? grab : -1;
}

/* The pull is found here, from where the flesh is now, and stays until the next time. */
static void body_drag(void *body, int grab, const double *target)
{
    coupled_body *b = body;
    sn_coupled_drag(&b->table, grab, target);
    if (!b->table.grabs[grab].is_held || !borrow(b)) {
        return;
    }
    const sn_xpbd_body *flesh = sn_coupled_body_flesh(b->table.body);
    sn_coupled_pull(&b->table);
    for (int i = 0; i < flesh->pin_count; ++i) {
        const sn_xpbd_pin *pin = &flesh->pins[i];
        double place[3]; /* targets are counted from rest */
        for (int d = 0; d < 3; ++d) {
            place[d] = pin->target[d] + (double)flesh->model->rest[4 * pin->row + d];
        }
        sn_gpu_xpbd_move_pin(flesh_of(b), b->base.index, flesh->model->order[pin->row], place);
    }
    b->table.body = NULL;
}

static void body_release(void *body, int grab)
{
    coupled_body *b = body;
    if (b->table.grabs[grab].is_held && borrow(b)) {
        sn_coupled_let_go(&b->table, grab);
        give_back(b);
    }
}

/* ---- flesh that changes ---- */

/* The first edit makes the body one of the CPU that is its own from then on, for the flesh's copy is that one's. */
static bool begin_edit(coupled_body *b)
{
    if (!b->edited && make_own(b, &b->edited) != SN_OK) {
        return false;
    }
    return borrow(b);
}

static sn_result end_edit(coupled_body *b)
{
    b->table.body = NULL; /* its state is as it was */
    return send_edits(b, b->edited);
}

static int body_tear(void *body, const double *point, double radius)
{
    coupled_body *b = body;
    if (!begin_edit(b)) {
        return -1;
    }
    const int torn = sn_coupled_tear(&b->table, point, radius);
    return end_edit(b) == SN_OK ? torn : -1;
}

static sn_result body_mend(void *body)
{
    coupled_body *b = body;
    if (!b->edited) {
        return SN_OK;
    }
    sn_result result = begin_edit(b) ? sn_coupled_mend(&b->table) : SN_ERROR_UNSUPPORTED;
    return result == SN_OK ? end_edit(b) : result;
}

static int body_add_spring(void *body, const int32_t *vertices, double length, double stiffness)
{
    coupled_body *b = body;
    if (!begin_edit(b)) {
        return -1;
    }
    const int spring = sn_coupled_add_spring(&b->table, vertices, length, stiffness);
    return end_edit(b) == SN_OK ? spring : -1;
}

static void body_remove_spring(void *body, int spring)
{
    coupled_body *b = body;
    if (b->edited && begin_edit(b)) {
        sn_coupled_remove_spring(&b->table, spring);
        end_edit(b);
    }
}

const sn_solver_table sn_gpu_coupled_table = {.shared_create = shared_create,
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
                                              .body_locks = body_locks,
                                              .body_compliance = body_compliance,
                                              .body_lock_impulse = body_lock_impulse,
                                              .body_flesh = body_flesh,
                                              .body_motion = body_motion,
                                              .body_tear = body_tear,
                                              .body_mend = body_mend,
                                              .body_add_spring = body_add_spring,
                                              .body_remove_spring = body_remove_spring,
                                              .body_set_rig = body_set_rig};
