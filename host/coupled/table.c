/* SPDX-License-Identifier: MIT */
/* The coupled solver's function table for worlds. */
#include "host/coupled/table.h"

#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/model/model.h"

/* ---- shared data ---- */

static sn_result scratch_create(int count, void **work)
{
    (void)count; /* bodies have their own scratch */
    *work = sn_alloc(1, sizeof(sn_coupled_shared_data));
    return *work ? SN_OK : SN_ERROR_MEMORY;
}

static void scratch_destroy(void **work)
{
    sn_free(*work, 1, sizeof(sn_coupled_shared_data));
    *work = NULL;
}

static sn_result shared_create(const sn_model *model, const sn_solver_desc *desc, void *work, void **shared)
{
    sn_coupled_shared *created = sn_alloc(1, sizeof *created);
    *shared = created;
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    *created = (sn_coupled_shared){.work = work, .desc = *desc};
    const sn_result result = sn_coupled_shared_rig_acquire(work, model, desc->poisson, &created->bones);
    if (result != SN_OK) {
        sn_free(created, 1, sizeof *created);
        *shared = NULL;
    }
    return result;
}

static void shared_destroy(void **shared)
{
    sn_coupled_shared *s = *shared;
    sn_coupled_shared_rig_release(s->work, s->bones);
    sn_free(s, 1, sizeof *s);
    *shared = NULL;
}

/* ---- parameters and state ---- */

static void body_locks(void *body, int bone, unsigned locks)
{
    sn_coupled_table_body *b = body;
    b->locks[bone] = (uint8_t)locks;
    sn_coupled_apply_locks(b);
}

static void body_compliance(void *body, int bone, double compliance)
{
    sn_coupled_table_body *b = body;
    b->compliances[bone] = compliance >= 0 && isfinite(compliance) ? compliance : -1;
    sn_coupled_body_set_compliance(b->body, bone, b->compliances[bone]);
}

static void body_lock_impulse(const void *body, int bone, double *impulse)
{
    const sn_coupled_table_body *b = body;
    sn_coupled_body_impulse(b->body, bone, impulse);
    for (int i = 0; i < 6; ++i) {
        impulse[i] *= b->shared->desc.mass;
    }
}

static void body_tet_positions(const void *body, double *positions)
{
    sn_xpbd_body_positions(sn_coupled_body_flesh(((const sn_coupled_table_body *)body)->body), positions);
}

static void body_motion(const void *body, sn_body_motion *motion)
{
    const sn_coupled_table_body *b = body;
    sn_xpbd_measure_motion(sn_coupled_body_flesh(b->body), b->shared->desc.mass, motion);
    motion->is_asleep = b->is_asleep;
}

static void body_collider_impulse(const void *body, uint32_t collider_key, double *impulse)
{
    const sn_coupled_table_body *b = body;
    sn_xpbd_body_collider_impulse(sn_coupled_body_flesh(b->body), collider_key, b->shared->desc.mass, impulse);
}

/* ---- bodies ---- */

sn_result sn_coupled_allocate_bones(int bone_count, sn_coupled_table_body *b)
{
    const size_t bones = (size_t)bone_count;
    b->bone_count = bone_count;
    b->locks = sn_alloc(bones, sizeof *b->locks);
    b->compliances = sn_alloc(bones, sizeof *b->compliances);
    b->before = sn_alloc(bones, 12 * sizeof(double));
    b->now = sn_alloc(bones, 12 * sizeof(double));
    if (!b->locks || !b->compliances || !b->before || !b->now) {
        return SN_ERROR_MEMORY;
    }
    for (int bone = 0; bone < bone_count; ++bone) {
        b->locks[bone] = SN_LOCK_ALL;
        b->compliances[bone] = -1;
    }
    return SN_OK;
}

void sn_coupled_free_bones(sn_coupled_table_body *b)
{
    const size_t bones = (size_t)b->bone_count;
    sn_free(b->locks, bones, sizeof *b->locks);
    sn_free(b->compliances, bones, sizeof *b->compliances);
    sn_free(b->before, bones, 12 * sizeof(double));
    sn_free(b->now, bones, 12 * sizeof(double));
}

static size_t vertex_count(const sn_coupled_table_body *b)
{
    return (size_t)b->shared->bones->model->counts.vertex_count;
}

static void body_destroy(void **body)
{
    sn_coupled_table_body *b = *body;
    if (b) {
        sn_coupled_body_destroy(&b->body);
        sn_coupled_free_bones(b);
        sn_free(b->positions, vertex_count(b), 3 * sizeof(double));
        sn_free(b, 1, sizeof *b);
    }
    *body = NULL;
}

static void read_bones(sn_coupled_table_body *b)
{
    sn_coupled_body_transforms(b->body, b->now);
    memcpy(b->before, b->now, 12 * (size_t)b->bone_count * sizeof(double));
}

/* Moves all bones to the pose, whatever is locked, and the flesh to its skinned position. */
static void body_reset(void *body, const double *pose)
{
    sn_coupled_table_body *b = body;
    const sn_xpbd_skin skin = sn_coupled_skin(b);
    for (int g = 0; g < SN_GRAB_LIMIT; ++g) {
        sn_xpbd_skin_release(&skin, g);
    }
    sn_coupled_lock_all(b, pose);
    sn_coupled_body_reset(b->body);
    sn_coupled_body_rig_positions(b->body, b->positions);
    sn_xpbd_body_set_positions(sn_coupled_body_flesh(b->body), b->positions);
    sn_coupled_apply_locks(b);
    read_bones(b);
}

static sn_result body_create(const void *shared, const double *pose, void **body)
{
    const sn_coupled_shared *s = shared;
    const sn_coupled_settings settings = sn_coupled_settings_from_shared(s);
    sn_coupled_table_body *b = sn_alloc(1, sizeof *b);
    *body = b;
    if (!b) {
        return SN_ERROR_MEMORY;
    }
    b->shared = s;
    b->positions = sn_alloc(vertex_count(b), 3 * sizeof(double));
    sn_result result = sn_coupled_allocate_bones(s->bones->model->counts.bone_count, b);
    if (result == SN_OK && !b->positions) {
        result = SN_ERROR_MEMORY;
    }
    if (result == SN_OK) {
        result = sn_coupled_body_create(s->bones->rig, &settings, &b->body);
    }
    if (result != SN_OK) {
        body_destroy(body);
        return result;
    }
    body_reset(b, pose);
    return SN_OK;
}

/* Flesh with another Poisson's ratio has its own constraints, so a new body takes over the state. */
static sn_result replace(sn_coupled_table_body *b, const sn_coupled_shared *shared)
{
    const sn_coupled_settings settings = sn_coupled_settings_from_shared(shared);
    sn_coupled_body *created = NULL;
    double *velocities = sn_alloc(vertex_count(b), 3 * sizeof(double));
    sn_result result = velocities ? sn_coupled_body_create(shared->bones->rig, &settings, &created) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_coupled_copy_edits(sn_coupled_body_flesh(b->body), sn_coupled_body_flesh(created));
    }
    if (result != SN_OK) {
        sn_coupled_body_destroy(&created);
        sn_free(velocities, vertex_count(b), 3 * sizeof(double));
        return result;
    }
    sn_xpbd_body_positions(sn_coupled_body_flesh(b->body), b->positions);
    sn_xpbd_body_velocities(sn_coupled_body_flesh(b->body), velocities);
    sn_coupled_body_destroy(&b->body);
    b->body = created;
    b->shared = shared;
    sn_coupled_lock_all(b, b->now); /* at their current pose */
    sn_coupled_body_reset(created);
    sn_xpbd_body_set_positions(sn_coupled_body_flesh(created), b->positions);
    sn_xpbd_body_set_velocities(sn_coupled_body_flesh(created), velocities);
    sn_free(velocities, vertex_count(b), 3 * sizeof(double));
    sn_coupled_apply_locks(b);
    for (int bone = 0; bone < b->bone_count; ++bone) {
        sn_coupled_body_set_compliance(created, bone, b->compliances[bone]);
    }
    const sn_xpbd_skin skin = sn_coupled_skin(b);
    sn_xpbd_skin_update_pins(&skin);
    return SN_OK;
}

static sn_result body_set_shared(void *body, const void *shared)
{
    sn_coupled_table_body *b = body;
    const sn_coupled_shared *s = shared;
    if (s->bones != b->shared->bones) {
        return replace(b, s);
    }
    const sn_coupled_settings settings = sn_coupled_settings_from_shared(s);
    SN_TRY(sn_coupled_body_set_settings(b->body, &settings));
    b->shared = s;
    const sn_xpbd_skin skin = sn_coupled_skin(b);
    sn_xpbd_skin_update_pins(&skin);
    return SN_OK;
}

static sn_result body_set_rig(void *body, const void *shared, const int32_t *from)
{
    sn_coupled_table_body *b = body;
    const sn_coupled_shared *s = shared;
    sn_coupled_table_body created = *b;
    created.shared = s;
    SN_ASSERT(s->bones->flesh == b->shared->bones->flesh);
    sn_result result = sn_coupled_allocate_bones(s->bones->model->counts.bone_count, &created);
    if (result == SN_OK) {
        result = sn_coupled_body_set_rig(b->body, s->bones->rig, from);
    }
    if (result != SN_OK) {
        sn_coupled_free_bones(&created);
        return result;
    }
    for (int bone = 0; bone < created.bone_count; ++bone) {
        created.locks[bone] = from[bone] >= 0 ? b->locks[from[bone]] : 0;
        created.compliances[bone] = from[bone] >= 0 ? b->compliances[from[bone]] : -1;
    }
    sn_coupled_free_bones(b);
    *b = created;
    sn_coupled_apply_locks(b);
    read_bones(b);
    return SN_OK;
}

static bool body_step(void *body, const double *pose, const sn_surroundings *surroundings)
{
    sn_coupled_table_body *b = body;
    const double *wind = surroundings->wind;
    const sn_xpbd_skin skin = sn_coupled_skin(b);
    sn_coupled_apply_targets(b, pose);
    if (wind[0] != 0 || wind[1] != 0 || wind[2] != 0) {
        sn_xpbd_skin_wind(&skin, wind);
    }
    sn_xpbd_skin_move_pins(&skin);
    memcpy(b->before, b->now, 12 * (size_t)b->bone_count * sizeof(double));
    const sn_coupled_report report = sn_coupled_body_step(b->body, surroundings);
    b->is_asleep = report.is_asleep;
    sn_coupled_body_transforms(b->body, b->now);
    if (report.is_recovered) {
        memcpy(b->before, b->now, 12 * (size_t)b->bone_count * sizeof(double));
    }
    return !report.is_recovered;
}

static void body_impulse(void *body, const double *point, const double *impulse)
{
    const sn_xpbd_skin skin = sn_coupled_skin(body);
    sn_xpbd_skin_impulse(&skin, point, impulse);
}

static void body_bone_impulse(void *body, int bone, const double *impulse)
{
    const sn_xpbd_skin skin = sn_coupled_skin(body);
    sn_xpbd_skin_bone_impulse(&skin, bone, impulse);
}

static int body_grab(void *body, const double *point, const sn_grab_desc *desc)
{
    const sn_xpbd_skin skin = sn_coupled_skin(body);
    return sn_xpbd_skin_grab(&skin, point, desc);
}

static void body_drag(void *body, int grab, const double *target)
{
    sn_xpbd_grabs_drag(((sn_coupled_table_body *)body)->grabs, grab, target);
}

static void body_release(void *body, int grab)
{
    const sn_xpbd_skin skin = sn_coupled_skin(body);
    sn_xpbd_skin_release(&skin, grab);
}

static int body_tear(void *body, const double *point, double radius)
{
    return sn_coupled_tear(body, point, radius);
}

static sn_result body_repair(void *body)
{
    return sn_coupled_restore_elements(body);
}

static int body_add_spring(void *body, const int32_t *vertices, double length, double stiffness)
{
    return sn_coupled_add_spring(body, vertices, length, stiffness);
}

static void body_remove_spring(void *body, int spring)
{
    sn_coupled_remove_spring(body, spring);
}

static void body_teleport(void *body, const double *transform)
{
    sn_coupled_table_body *b = body;
    sn_coupled_body_teleport(b->body, transform);
    for (size_t i = 0; i < (size_t)b->bone_count; ++i) {
        double moved[12];
        sn_affine_multiply(transform, b->before + 12 * i, moved);
        memcpy(b->before + 12 * i, moved, sizeof moved);
    }
    sn_coupled_body_transforms(b->body, b->now);
    sn_xpbd_grabs_transform(b->grabs, transform);
}

static void body_bones(const void *body, double fraction, float *matrices)
{
    sn_coupled_interpolate_bones(body, fraction, matrices);
}

const sn_solver_table sn_coupled_table = {.scratch_create = scratch_create,
                                          .scratch_destroy = scratch_destroy,
                                          .shared_create = shared_create,
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
                                          .body_locks = body_locks,
                                          .body_compliance = body_compliance,
                                          .body_lock_impulse = body_lock_impulse,
                                          .body_tet_positions = body_tet_positions,
                                          .body_motion = body_motion,
                                          .body_tear = body_tear,
                                          .body_repair = body_repair,
                                          .body_add_spring = body_add_spring,
                                          .body_remove_spring = body_remove_spring,
                                          .body_set_rig = body_set_rig,
                                          .body_collider_impulse = body_collider_impulse};
