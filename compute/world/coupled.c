/* SPDX-License-Identifier: MIT */
/* The solver table of coupled bodies on the device. Operations of every step run on the device only. */
#include <math.h>
#include <string.h>

#include "compute/world/coupled_body.h"

/* ---- data shared by bodies ---- */

static sn_result shared_create(const sn_model *model, const sn_solver_desc *desc, void *place, void **result)
{
    sn_gpu_place *p = place;
    *result = NULL;
    sn_gpu_place_shared *s = sn_alloc(1, sizeof *s);
    if (!s) {
        return SN_ERROR_MEMORY;
    }
    *s = (sn_gpu_place_shared){.common = {.work = &p->work, .desc = *desc}, .place = p};
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
    sn_gpu_place_shared *s = *result;
    sn_gpu_place_release_rig(s->place, s->rig);
    sn_free(s, 1, sizeof *s);
    *result = NULL;
}

/* ---- bodies ---- */

static void remove_there(sn_gpu_place *place, int index)
{
    sn_gpu_embedded_remove_body(place->drawn[SN_SOLVER_COUPLED], index);
    sn_gpu_coupled_remove_body(place->coupled, index);
}

static void body_destroy(void **body)
{
    sn_gpu_place_coupled *b = *body;
    *body = NULL;
    if (b->base.index >= 0) {
        remove_there(b->base.place, b->base.index);
    }
    sn_coupled_body_destroy(&b->edited);
    sn_coupled_free_bones(&b->table);
    sn_free(b->table.positions, (size_t)b->shared->common.bones->model->counts.vertex_count, 3 * sizeof(double));
    sn_free(b, 1, sizeof *b);
}

static sn_result allocate(sn_gpu_place_coupled *b)
{
    const sn_model *model = b->shared->common.bones->model;
    b->table.positions = sn_alloc((size_t)model->counts.vertex_count, 3 * sizeof(double));
    const sn_result result = sn_coupled_allocate_bones(model->counts.bone_count, &b->table);
    return b->table.positions ? result : SN_ERROR_MEMORY;
}

/* Vertex shaders read the bone matrices of the coupled solver. */
static sn_result set_drawn(const sn_gpu_place_shared *s, int index)
{
    sn_gpu_place *place = s->place;
    const sn_gpu_embedded_desc desc = {.bone_count = s->common.bones->model->counts.bone_count,
                                       .bones = 12 * sn_gpu_coupled_first_matrix(place->coupled, index)};
    const sn_result result = sn_gpu_place_watch_matrices(place);
    return result == SN_OK ? sn_gpu_embedded_set_body(place->drawn[SN_SOLVER_COUPLED], index, &desc) : result;
}

/* Adds a body to the device with the settings of `s`. */
static sn_result add_there(const sn_gpu_place_shared *s, int *index)
{
    sn_gpu_place *place = s->place;
    const sn_coupled_settings settings = sn_coupled_settings_of(&s->common);
    sn_result result = sn_gpu_coupled_add_body(place->coupled, place->rigs[s->rig].index, &settings, index);
    if (result != SN_OK) {
        return result;
    }
    result = set_drawn(s, *index);
    if (result == SN_OK) {
        result = sn_gpu_place_make_room(place);
    }
    if (result != SN_OK) {
        remove_there(place, *index);
    }
    return result;
}

static sn_result add(sn_gpu_place_coupled *b, const double *pose)
{
    int index = 0;
    sn_result result = add_there(b->shared, &index);
    b->base.index = result == SN_OK ? index : -1;
    if (result == SN_OK && sn_gpu_place_borrow(b)) {
        sn_coupled_table.body_reset(&b->table, pose);
        result = sn_gpu_place_give_back(b);
    }
    return result;
}

static sn_result body_create(const void *from, const double *pose, void **body)
{
    const sn_gpu_place_shared *s = from;
    sn_gpu_place_coupled *b = sn_alloc(1, sizeof *b);
    *body = b;
    if (!b) {
        return SN_ERROR_MEMORY;
    }
    *b = (sn_gpu_place_coupled){.base = {.place = s->place,
                                         .solver = SN_SOLVER_COUPLED,
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

/* Replaces the device body by the new one at `index` and uploads the CPU state to it. */
static sn_result move_to(sn_gpu_place_coupled *b, const sn_gpu_place_shared *s, int index)
{
    const int surface = sn_gpu_embedded_surface(b->base.place->drawn[SN_SOLVER_COUPLED], b->base.index);
    remove_there(b->base.place, b->base.index);
    b->base.index = index;
    b->base.recovery_count = 0;
    b->base.first_call = b->base.place->call_count;
    b->shared = s;
    sn_result result = sn_gpu_place_send_edits(b, b->table.body);
    if (result == SN_OK) {
        result = sn_gpu_place_give_back(b);
    }
    return result == SN_OK ? sn_gpu_embedded_set_surface(b->base.place->drawn[SN_SOLVER_COUPLED], index, surface)
                           : result;
}

/* Another Poisson's ratio needs other constraints: the CPU table creates a new body for it. */
static sn_result exchange_flesh(sn_gpu_place_coupled *b, const sn_gpu_place_shared *s)
{
    int index = 0;
    sn_coupled_body *own = b->edited;
    sn_result result = own ? SN_OK : sn_gpu_place_make_own(b, &own);
    if (result == SN_OK) {
        result = sn_gpu_place_borrow_as(b, own);
    }
    if (result == SN_OK) {
        result = add_there(s, &index);
    }
    if (result == SN_OK) {
        result = sn_coupled_table.body_share(&b->table, &s->common);
        if (result != SN_OK) {
            remove_there(b->base.place, index);
        }
        own = b->table.body; /* a new body, on success */
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
    sn_gpu_place_coupled *b = body;
    const sn_gpu_place_shared *s = to;
    bool is_held = false;
    if (s->rig != b->shared->rig) {
        return exchange_flesh(b, s);
    }
    const sn_coupled_settings settings = sn_coupled_settings_of(&s->common);
    const sn_result result = sn_gpu_coupled_set_settings(sn_gpu_place_solver_of(b), b->base.index, &settings);
    if (result != SN_OK) {
        return result;
    }
    b->shared = s;
    b->table.shared = &s->common;
    for (int g = 0; g < SN_GRAB_LIMIT; ++g) {
        is_held |= b->table.grabs[g].is_held;
    }
    if (is_held && sn_gpu_place_borrow(b)) { /* apply the new grab stiffness */
        const sn_xpbd_skin skin = sn_coupled_skin(&b->table);
        sn_xpbd_skin_keep_hold(&skin);
        sn_gpu_place_give_back(b);
    }
    return sn_gpu_place_make_room(b->base.place);
}

/* Uses a CPU body of its own, since the shared one still has the old rig. */
static sn_result body_set_rig(void *body, const void *to, const int32_t *from)
{
    sn_gpu_place_coupled *b = body;
    const sn_gpu_place_shared *s = to;
    sn_coupled_body *own = b->edited;
    sn_result result = own ? SN_OK : sn_gpu_place_make_own(b, &own);
    if (result == SN_OK) {
        result = sn_gpu_place_borrow_as(b, own);
    }
    if (result == SN_OK) {
        result = sn_coupled_table.body_set_rig(&b->table, &s->common, from);
    }
    if (result == SN_OK) {
        b->shared = s;
        b->base.bone_count = b->table.bone_count;
        b->base.mode_count = s->common.bones->model->counts.mode_count;
        result = sn_gpu_coupled_set_rig(sn_gpu_place_solver_of(b), b->base.index, sn_gpu_place_rig_of(b)->index, from);
    }
    if (result == SN_OK) {
        result = set_drawn(s, b->base.index);
    }
    if (result == SN_OK) {
        result = sn_gpu_place_give_back(b);
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
    sn_gpu_place_coupled *b = body;
    sn_gpu_coupled_set_wind(sn_gpu_place_solver_of(b), b->base.index, surroundings->wind, b->shared->common.desc.mass);
    for (int bone = 0; bone < b->table.bone_count; ++bone) {
        if (b->table.locks[bone]) {
            sn_gpu_coupled_set_target(sn_gpu_place_solver_of(b), b->base.index, bone, pose + 12 * (size_t)bone);
        }
    }
    sn_gpu_xpbd_set_surroundings(sn_gpu_place_flesh_of(b), b->base.index, surroundings);
    return !sn_gpu_place_take_status(&b->base);
}

static void body_bones(const void *body, double fraction, float *matrices)
{
    const sn_gpu_place_coupled *b = body;
    const sn_result result =
        sn_gpu_coupled_transforms(sn_gpu_place_solver_of(b), b->base.index, b->table.now, b->table.before);
    if (result == SN_OK) {
        sn_coupled_table.body_bones(&b->table, fraction, matrices);
    }
}

static void body_flesh(const void *body, double *positions)
{
    const sn_gpu_place_coupled *b = body;
    sn_coupled_body *twin = sn_gpu_place_twin_of(b);
    if (sn_gpu_coupled_get(sn_gpu_place_solver_of(b), b->base.index, twin, NULL) == SN_OK) {
        sn_xpbd_body_positions(sn_coupled_body_flesh(twin), positions);
    }
}

/* Downloads the body to the CPU; null on failure. */
static sn_coupled_body *read_back(const sn_gpu_place_coupled *b, sn_gpu_xpbd_reading *reading)
{
    sn_coupled_body *twin = sn_gpu_place_twin_of(b);
    const sn_coupled_settings settings = sn_coupled_settings_of(&b->shared->common);
    sn_result result = sn_coupled_body_set_settings(twin, &settings);
    if (result == SN_OK) {
        result = sn_gpu_coupled_get(sn_gpu_place_solver_of(b), b->base.index, twin, reading);
    }
    return result == SN_OK ? twin : NULL;
}

static void body_motion(const void *body, sn_body_motion *motion)
{
    const sn_gpu_place_coupled *b = body;
    sn_gpu_xpbd_reading reading = {.recovery_count = 0};
    sn_coupled_body *twin = read_back(b, &reading);
    if (twin) {
        sn_xpbd_measure_motion(sn_coupled_body_flesh(twin), b->shared->common.desc.mass, motion);
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
    const sn_gpu_place_coupled *b = body;
    memset(impulse, 0, 6 * sizeof *impulse);
    sn_gpu_coupled_impulse(sn_gpu_place_solver_of(b), b->base.index, bone, impulse);
    for (int i = 0; i < 6; ++i) {
        impulse[i] *= b->shared->common.desc.mass;
    }
}

/* ---- locks ---- */

static void body_locks(void *body, int bone, unsigned locks)
{
    sn_gpu_place_coupled *b = body;
    b->table.locks[bone] = (uint8_t)locks;
    for (int k = 0; k < b->table.bone_count; ++k) {
        sn_gpu_coupled_set_locks(sn_gpu_place_solver_of(b), b->base.index, k, sn_coupled_locks_of(&b->table, k));
    }
}

static void body_compliance(void *body, int bone, double compliance)
{
    sn_gpu_place_coupled *b = body;
    b->table.compliances[bone] = compliance >= 0 && isfinite(compliance) ? compliance : -1;
    sn_gpu_coupled_set_compliance(sn_gpu_place_solver_of(b), b->base.index, bone, b->table.compliances[bone]);
}

const sn_solver_table sn_gpu_coupled_table = {.shared_create = shared_create,
                                              .shared_destroy = shared_destroy,
                                              .body_create = body_create,
                                              .body_destroy = body_destroy,
                                              .body_share = body_share,
                                              .body_step = body_step,
                                              .body_impulse = sn_gpu_place_impulse,
                                              .body_reset = sn_gpu_place_reset,
                                              .body_teleport = sn_gpu_place_teleport,
                                              .body_bone_impulse = sn_gpu_place_bone_impulse,
                                              .body_grab = sn_gpu_place_grab,
                                              .body_drag = sn_gpu_place_drag,
                                              .body_release = sn_gpu_place_release,
                                              .body_bones = body_bones,
                                              .body_locks = body_locks,
                                              .body_compliance = body_compliance,
                                              .body_lock_impulse = body_lock_impulse,
                                              .body_flesh = body_flesh,
                                              .body_motion = body_motion,
                                              .body_tear = sn_gpu_place_tear,
                                              .body_mend = sn_gpu_place_mend,
                                              .body_add_spring = sn_gpu_place_add_spring,
                                              .body_remove_spring = sn_gpu_place_remove_spring,
                                              .body_set_rig = body_set_rig};
