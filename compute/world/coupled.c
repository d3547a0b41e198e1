/* SPDX-License-Identifier: MIT */
/* The solver table of coupled bodies on the device. Operations of every step run on the device only. */
#include <math.h>
#include <string.h>

#include "compute/world/coupled_body.h"

/* ---- data shared by bodies ---- */

static sn_result shared_create(const sn_model *model, const sn_solver_desc *desc, void *world, void **result)
{
    sn_gpu_world *p = world;
    *result = NULL;
    sn_gpu_world_coupled_shared *s = sn_alloc(1, sizeof *s);
    if (!s) {
        return SN_ERROR_MEMORY;
    }
    *s = (sn_gpu_world_coupled_shared){.common = {.work = &p->work, .desc = *desc}, .world = p};
    const sn_result code = sn_gpu_world_acquire_rig(p, model, desc->poisson, &s->rig);
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
    sn_gpu_world_coupled_shared *s = *result;
    sn_gpu_world_release_rig(s->world, s->rig);
    sn_free(s, 1, sizeof *s);
    *result = NULL;
}

/* ---- bodies ---- */

static void remove_from_device(sn_gpu_world *world, int index)
{
    sn_gpu_embedded_remove_body(world->embedded[SN_SOLVER_COUPLED], index);
    sn_gpu_coupled_remove_body(world->coupled, index);
}

static void body_destroy(void **body)
{
    sn_gpu_world_coupled_body *b = *body;
    *body = NULL;
    if (b->base.index >= 0) {
        remove_from_device(b->base.world, b->base.index);
    }
    sn_coupled_body_destroy(&b->edited);
    sn_coupled_free_bones(&b->table);
    sn_free(b->table.positions, (size_t)b->shared->common.bones->model->counts.vertex_count, 3 * sizeof(double));
    sn_free(b, 1, sizeof *b);
}

static sn_result allocate(sn_gpu_world_coupled_body *b)
{
    const sn_model *model = b->shared->common.bones->model;
    b->table.positions = sn_alloc((size_t)model->counts.vertex_count, 3 * sizeof(double));
    const sn_result result = sn_coupled_allocate_bones(model->counts.bone_count, &b->table);
    return b->table.positions ? result : SN_ERROR_MEMORY;
}

/* Vertex shaders read the bone matrices of the coupled solver. */
static sn_result set_embedded(const sn_gpu_world_coupled_shared *s, int index)
{
    sn_gpu_world *world = s->world;
    const sn_gpu_embedded_desc desc = {.bone_count = s->common.bones->model->counts.bone_count,
                                       .bones = 12 * sn_gpu_coupled_first_matrix(world->coupled, index)};
    SN_TRY(sn_gpu_world_update_matrix_versions(world));
    return sn_gpu_embedded_set_body(world->embedded[SN_SOLVER_COUPLED], index, &desc);
}

/* Adds a body to the device with the settings of `s`. */
static sn_result add_to_device(const sn_gpu_world_coupled_shared *s, int *index)
{
    sn_gpu_world *world = s->world;
    const sn_coupled_settings settings = sn_coupled_settings_from_shared(&s->common);
    sn_result result = sn_gpu_coupled_add_body(world->coupled, world->rigs[s->rig].index, &settings, index);
    if (result != SN_OK) {
        return result;
    }
    result = set_embedded(s, *index);
    if (result == SN_OK) {
        result = sn_gpu_world_reserve(world);
    }
    if (result != SN_OK) {
        remove_from_device(world, *index);
    }
    return result;
}

static sn_result add_with_pose(sn_gpu_world_coupled_body *b, const double *pose)
{
    int index = 0;
    sn_result result = add_to_device(b->shared, &index);
    b->base.index = result == SN_OK ? index : -1;
    if (result == SN_OK && sn_gpu_world_download(b)) {
        sn_coupled_table.body_reset(&b->table, pose);
        result = sn_gpu_world_upload(b);
    }
    return result;
}

static sn_result body_create(const void *source, const double *pose, void **body)
{
    const sn_gpu_world_coupled_shared *s = source;
    sn_gpu_world_coupled_body *b = sn_alloc(1, sizeof *b);
    *body = b;
    if (!b) {
        return SN_ERROR_MEMORY;
    }
    *b = (sn_gpu_world_coupled_body){.base = {.world = s->world,
                                              .solver = SN_SOLVER_COUPLED,
                                              .index = -1,
                                              .bone_count = s->common.bones->model->counts.bone_count,
                                              .mode_count = s->common.bones->model->counts.mode_count,
                                              .first_call = s->world->call_count},
                                     .shared = s,
                                     .table = {.shared = &s->common}};
    sn_result result = allocate(b);
    if (result == SN_OK) {
        result = add_with_pose(b, pose);
    }
    if (result != SN_OK) {
        body_destroy(body);
    }
    return result;
}

/* Replaces the device body by the new one at `index` and uploads the CPU state to it. */
static sn_result move_to_slot(sn_gpu_world_coupled_body *b, const sn_gpu_world_coupled_shared *s, int index)
{
    const int surface = sn_gpu_embedded_surface(b->base.world->embedded[SN_SOLVER_COUPLED], b->base.index);
    remove_from_device(b->base.world, b->base.index);
    b->base.index = index;
    b->base.recovery_count = 0;
    b->base.first_call = b->base.world->call_count;
    b->shared = s;
    SN_TRY(sn_gpu_world_upload_edits(b, b->table.body));
    SN_TRY(sn_gpu_world_upload(b));
    return sn_gpu_embedded_set_surface(b->base.world->embedded[SN_SOLVER_COUPLED], index, surface);
}

/* Another Poisson's ratio needs other constraints: the CPU table creates a new body for it. */
static sn_result replace_flesh(sn_gpu_world_coupled_body *b, const sn_gpu_world_coupled_shared *s)
{
    int index = 0;
    sn_coupled_body *own_body = b->edited;
    sn_result result = own_body ? SN_OK : sn_gpu_world_create_cpu_body(b, &own_body);
    if (result == SN_OK) {
        result = sn_gpu_world_download_to(b, own_body);
    }
    if (result == SN_OK) {
        result = add_to_device(s, &index);
    }
    if (result == SN_OK) {
        result = sn_coupled_table.body_set_shared(&b->table, &s->common);
        if (result != SN_OK) {
            remove_from_device(b->base.world, index);
        }
        own_body = b->table.body; /* a new body, on success */
    }
    if (result == SN_OK) {
        result = move_to_slot(b, s, index);
    }
    b->table.body = b->edited = NULL;
    if (own_body && sn_coupled_body_flesh(own_body)->own_model) {
        b->edited = own_body;
    } else {
        sn_coupled_body_destroy(&own_body);
    }
    return result;
}

static sn_result body_set_shared(void *body, const void *to)
{
    sn_gpu_world_coupled_body *b = body;
    const sn_gpu_world_coupled_shared *s = to;
    bool is_active = false;
    if (s->rig != b->shared->rig) {
        return replace_flesh(b, s);
    }
    const sn_coupled_settings settings = sn_coupled_settings_from_shared(&s->common);
    const sn_result result = sn_gpu_coupled_set_settings(sn_gpu_world_coupled_of(b), b->base.index, &settings);
    if (result != SN_OK) {
        return result;
    }
    b->shared = s;
    b->table.shared = &s->common;
    for (int g = 0; g < SN_GRAB_LIMIT; ++g) {
        is_active |= b->table.grabs[g].is_active;
    }
    if (is_active && sn_gpu_world_download(b)) { /* apply the new grab stiffness */
        const sn_xpbd_skin skin = sn_coupled_skin(&b->table);
        sn_xpbd_skin_update_pins(&skin);
        sn_gpu_world_upload(b);
    }
    return sn_gpu_world_reserve(b->base.world);
}

/* Uses a CPU body of its own, since the shared one still has the old rig. */
static sn_result body_set_rig(void *body, const void *to, const int32_t *source)
{
    sn_gpu_world_coupled_body *b = body;
    const sn_gpu_world_coupled_shared *s = to;
    sn_coupled_body *own_body = b->edited;
    sn_result result = own_body ? SN_OK : sn_gpu_world_create_cpu_body(b, &own_body);
    if (result == SN_OK) {
        result = sn_gpu_world_download_to(b, own_body);
    }
    if (result == SN_OK) {
        result = sn_coupled_table.body_set_rig(&b->table, &s->common, source);
    }
    if (result == SN_OK) {
        b->shared = s;
        b->base.bone_count = b->table.bone_count;
        b->base.mode_count = s->common.bones->model->counts.mode_count;
        result =
            sn_gpu_coupled_set_rig(sn_gpu_world_coupled_of(b), b->base.index, sn_gpu_world_rig_of(b)->index, source);
    }
    if (result == SN_OK) {
        result = set_embedded(s, b->base.index);
    }
    if (result == SN_OK) {
        result = sn_gpu_world_upload(b);
    }
    b->table.body = NULL;
    if (own_body != b->edited) {
        sn_coupled_body_destroy(&own_body);
    }
    return result;
}

/* ---- steps ---- */

static bool body_step(void *body, const double *pose, const sn_surroundings *surroundings)
{
    sn_gpu_world_coupled_body *b = body;
    sn_gpu_coupled_set_wind(sn_gpu_world_coupled_of(b), b->base.index, surroundings->wind, b->shared->common.desc.mass);
    for (int bone = 0; bone < b->table.bone_count; ++bone) {
        if (b->table.locks[bone]) {
            sn_gpu_coupled_set_target(sn_gpu_world_coupled_of(b), b->base.index, bone, pose + 12 * (size_t)bone);
        }
    }
    sn_gpu_xpbd_set_surroundings(sn_gpu_world_flesh_of(b), b->base.index, surroundings);
    return !sn_gpu_world_read_status(&b->base);
}

static void body_bones(const void *body, double fraction, float *matrices)
{
    const sn_gpu_world_coupled_body *b = body;
    const sn_result result =
        sn_gpu_coupled_transforms(sn_gpu_world_coupled_of(b), b->base.index, b->table.now, b->table.before);
    if (result == SN_OK) {
        sn_coupled_table.body_bones(&b->table, fraction, matrices);
    }
}

static void body_tet_positions(const void *body, double *positions)
{
    const sn_gpu_world_coupled_body *b = body;
    sn_coupled_body *cpu_body = sn_gpu_world_cpu_body_of(b);
    if (sn_gpu_coupled_download(sn_gpu_world_coupled_of(b), b->base.index, cpu_body, NULL) == SN_OK) {
        sn_xpbd_body_positions(sn_coupled_body_flesh(cpu_body), positions);
    }
}

/* Downloads the body to the CPU; null on failure. */
static sn_coupled_body *download_cpu_body(const sn_gpu_world_coupled_body *b, sn_gpu_xpbd_reading *reading)
{
    sn_coupled_body *cpu_body = sn_gpu_world_cpu_body_of(b);
    const sn_coupled_settings settings = sn_coupled_settings_from_shared(&b->shared->common);
    sn_result result = sn_coupled_body_set_settings(cpu_body, &settings);
    if (result == SN_OK) {
        result = sn_gpu_coupled_download(sn_gpu_world_coupled_of(b), b->base.index, cpu_body, reading);
    }
    return result == SN_OK ? cpu_body : NULL;
}

static void body_motion(const void *body, sn_body_motion *motion)
{
    const sn_gpu_world_coupled_body *b = body;
    sn_gpu_xpbd_reading reading = {.recovery_count = 0};
    sn_coupled_body *cpu_body = download_cpu_body(b, &reading);
    if (cpu_body) {
        sn_xpbd_measure_motion(sn_coupled_body_flesh(cpu_body), b->shared->common.desc.mass, motion);
        motion->is_asleep = reading.report.is_asleep;
    }
}

sn_coupled_body *sn_gpu_world_read_coupled(void *body, int *recovery_count)
{
    sn_gpu_xpbd_reading reading = {.recovery_count = 0};
    sn_coupled_body *cpu_body = download_cpu_body(body, &reading);
    *recovery_count = reading.recovery_count;
    return cpu_body;
}

static void body_lock_impulse(const void *body, int bone, double *impulse)
{
    const sn_gpu_world_coupled_body *b = body;
    memset(impulse, 0, 6 * sizeof *impulse);
    sn_gpu_coupled_impulse(sn_gpu_world_coupled_of(b), b->base.index, bone, impulse);
    for (int i = 0; i < 6; ++i) {
        impulse[i] *= b->shared->common.desc.mass;
    }
}

/* ---- locks ---- */

static void body_locks(void *body, int bone, unsigned locks)
{
    sn_gpu_world_coupled_body *b = body;
    b->table.locks[bone] = (uint8_t)locks;
    for (int k = 0; k < b->table.bone_count; ++k) {
        sn_gpu_coupled_set_locks(sn_gpu_world_coupled_of(b), b->base.index, k,
                                 sn_coupled_effective_locks(&b->table, k));
    }
}

static void body_compliance(void *body, int bone, double compliance)
{
    sn_gpu_world_coupled_body *b = body;
    b->table.compliances[bone] = compliance >= 0 && isfinite(compliance) ? compliance : -1;
    sn_gpu_coupled_set_compliance(sn_gpu_world_coupled_of(b), b->base.index, bone, b->table.compliances[bone]);
}

const sn_solver_table sn_gpu_coupled_table = {.shared_create = shared_create,
                                              .shared_destroy = shared_destroy,
                                              .body_create = body_create,
                                              .body_destroy = body_destroy,
                                              .body_set_shared = body_set_shared,
                                              .body_step = body_step,
                                              .body_impulse = sn_gpu_world_coupled_apply_impulse,
                                              .body_reset = sn_gpu_world_coupled_reset,
                                              .body_teleport = sn_gpu_world_coupled_teleport,
                                              .body_bone_impulse = sn_gpu_world_coupled_apply_bone_impulse,
                                              .body_grab = sn_gpu_world_coupled_grab,
                                              .body_drag = sn_gpu_world_coupled_drag,
                                              .body_release = sn_gpu_world_coupled_release,
                                              .body_bones = body_bones,
                                              .body_locks = body_locks,
                                              .body_compliance = body_compliance,
                                              .body_lock_impulse = body_lock_impulse,
                                              .body_tet_positions = body_tet_positions,
                                              .body_motion = body_motion,
                                              .body_tear = sn_gpu_world_coupled_tear,
                                              .body_repair = sn_gpu_world_coupled_repair,
                                              .body_add_spring = sn_gpu_world_coupled_add_spring,
                                              .body_remove_spring = sn_gpu_world_coupled_remove_spring,
                                              .body_set_rig = body_set_rig};
