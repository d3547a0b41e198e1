/* SPDX-License-Identifier: MIT */
/* The layered solver's function table for worlds. */
#include "host/layered/table.h"

#include <math.h>
#include <string.h>

#include "host/layered/solver.h"
#include "host/model/model.h"

/* ---- shared data ---- */

static sn_result scratch_create(int count, void **work)
{
    (void)count; /* bodies have their own scratch */
    *work = sn_alloc(1, sizeof(sn_layered_shared_data));
    return *work ? SN_OK : SN_ERROR_MEMORY;
}

static void scratch_destroy(void **work)
{
    sn_free(*work, 1, sizeof(sn_layered_shared_data));
    *work = NULL;
}

static sn_result shared_create(const sn_model *model, const sn_solver_desc *desc, void *work, void **shared)
{
    sn_layered_shared *created = sn_alloc(1, sizeof *created);
    *shared = created;
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    *created = (sn_layered_shared){.work = work, .desc = *desc};
    const sn_result result = sn_layered_shared_model_acquire(work, model, desc->layered_mode, &created->shared_model);
    if (result != SN_OK) {
        sn_free(created, 1, sizeof *created);
        *shared = NULL;
    }
    return result;
}

static void shared_destroy(void **shared)
{
    sn_layered_shared *s = *shared;
    sn_layered_shared_model_release(s->work, s->shared_model);
    sn_free(s, 1, sizeof *s);
    *shared = NULL;
}

/* ---- bodies ---- */

sn_xpbd_skin sn_layered_skin(sn_layered_table_body *b)
{
    const sn_layered_shared *s = b->shared;
    return (sn_xpbd_skin){.model = s->shared_model->model,
                          .flesh = b->body->flesh,
                          .bones = b->body->pose_now,
                          .follows_tets = true,
                          .mass = s->desc.mass,
                          .stiffness =
                              fmax(s->desc.stiffness, 1e-3) * sn_xpbd_reference_stiffness(s->shared_model->model),
                          .time_step = s->desc.time_step,
                          .grabs = b->grabs};
}

static void body_destroy(void **body)
{
    sn_layered_table_body *b = *body;
    if (b) {
        sn_layered_body_destroy(&b->body);
        sn_free(b, 1, sizeof *b);
    }
    *body = NULL;
}

static sn_result body_create(const void *shared, const double *pose, void **body)
{
    const sn_layered_shared *s = shared;
    const sn_layered_settings settings = sn_layered_settings_from_shared(s);
    sn_layered_table_body *b = sn_alloc(1, sizeof *b);
    *body = b;
    if (!b) {
        return SN_ERROR_MEMORY;
    }
    b->shared = s;
    const sn_result result = sn_layered_body_create(s->shared_model->layered, &settings, pose, &b->body);
    if (result != SN_OK) {
        body_destroy(body);
    }
    return result;
}

/* Another mode has its own order of the tets, so a new body takes over the state. */
static sn_result replace(sn_layered_table_body *b, const sn_layered_shared *shared)
{
    const size_t count = (size_t)shared->shared_model->model->counts.vertex_count;
    const sn_layered_settings settings = sn_layered_settings_from_shared(shared);
    double *numbers = sn_alloc(count, 3 * sizeof(double));
    sn_layered_body *created = NULL;
    sn_result result =
        numbers ? sn_layered_body_create(shared->shared_model->layered, &settings, b->body->pose_now, &created)
                : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        sn_xpbd_body_positions(b->body->flesh, numbers);
        sn_xpbd_body_set_positions(created->flesh, numbers);
        sn_xpbd_body_velocities(b->body->flesh, numbers);
        sn_xpbd_body_set_velocities(created->flesh, numbers);
        memcpy(created->pose_before, b->body->pose_before,
               12 * (size_t)created->model->bone_count * sizeof *created->pose_before);
        sn_layered_body_destroy(&b->body);
        b->body = created;
        b->shared = shared;
    }
    sn_free(numbers, count, 3 * sizeof(double));
    return result;
}

static sn_result body_set_shared(void *body, const void *shared)
{
    sn_layered_table_body *b = body;
    const sn_layered_shared *s = shared;
    const sn_layered_settings settings = sn_layered_settings_from_shared(s);
    const sn_result result =
        s->shared_model == b->shared->shared_model ? sn_layered_body_set_settings(b->body, &settings) : replace(b, s);
    if (result == SN_OK) {
        b->shared = s;
        const sn_xpbd_skin skin = sn_layered_skin(b);
        sn_xpbd_skin_update_pins(&skin);
    }
    return result;
}

static bool body_step(void *body, const double *pose, const sn_surroundings *surroundings)
{
    sn_layered_table_body *b = body;
    const sn_xpbd_skin skin = sn_layered_skin(b);
    const double *wind = surroundings->wind;
    if (wind[0] != 0 || wind[1] != 0 || wind[2] != 0) {
        sn_xpbd_skin_wind(&skin, wind);
    }
    sn_xpbd_skin_move_pins(&skin);
    const sn_layered_report report = sn_layered_body_step(b->body, pose, surroundings);
    b->is_asleep = report.is_asleep;
    return !report.is_recovered && !report.is_refused;
}

static void body_reset(void *body, const double *pose)
{
    sn_layered_table_body *b = body;
    const sn_xpbd_skin skin = sn_layered_skin(b);
    for (int g = 0; g < SN_GRAB_LIMIT; ++g) {
        sn_xpbd_skin_release(&skin, g);
    }
    sn_layered_body_reset(b->body, pose);
}

static void body_teleport(void *body, const double *transform)
{
    sn_layered_table_body *b = body;
    sn_layered_body_teleport(b->body, transform);
    sn_xpbd_grabs_transform(b->grabs, transform);
}

/* ---- impulses, grabs and measurements ---- */

static void body_impulse(void *body, const double *point, const double *impulse)
{
    const sn_xpbd_skin skin = sn_layered_skin(body);
    sn_xpbd_skin_impulse(&skin, point, impulse);
}

static void body_bone_impulse(void *body, int bone, const double *impulse)
{
    const sn_xpbd_skin skin = sn_layered_skin(body);
    sn_xpbd_skin_bone_impulse(&skin, bone, impulse);
}

static int body_grab(void *body, const double *point, const sn_grab_desc *desc)
{
    const sn_xpbd_skin skin = sn_layered_skin(body);
    return sn_xpbd_skin_grab(&skin, point, desc);
}

static void body_drag(void *body, int grab, const double *target)
{
    sn_xpbd_grabs_drag(((sn_layered_table_body *)body)->grabs, grab, target);
}

static void body_release(void *body, int grab)
{
    const sn_xpbd_skin skin = sn_layered_skin(body);
    sn_xpbd_skin_release(&skin, grab);
}

/* The rig between the last two steps, in phase with the flesh. */
static void body_bones(const void *body, double fraction, float *matrices)
{
    const sn_layered_body *b = ((const sn_layered_table_body *)body)->body;
    sn_layered_interpolate_bones(b->model, b->pose_before, b->pose_now, fraction, matrices);
}

static void body_tet_positions(const void *body, double *positions)
{
    sn_layered_body_positions(((const sn_layered_table_body *)body)->body, positions);
}

static void body_motion(const void *body, sn_body_motion *motion)
{
    const sn_layered_table_body *b = body;
    sn_xpbd_measure_motion(b->body->flesh, b->shared->desc.mass, motion);
    motion->is_asleep = b->is_asleep;
}

static void body_collider_impulse(const void *body, uint32_t collider_key, double *impulse)
{
    const sn_layered_table_body *b = body;
    sn_xpbd_body_collider_impulse(b->body->flesh, collider_key, b->shared->desc.mass, impulse);
}

const sn_solver_table sn_layered_table = {.scratch_create = scratch_create,
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
                                          .body_tet_positions = body_tet_positions,
                                          .body_motion = body_motion,
                                          .body_collider_impulse = body_collider_impulse};
