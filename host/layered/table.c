/* SPDX-License-Identifier: MIT */
/* The layered solver's function table for worlds. */
#include "host/layered/table.h"

#include <math.h>
#include <string.h>

#include "host/layered/solver.h"
#include "host/model/model.h"

/* ---- shared data ---- */

static sn_result work_create(int count, void **work)
{
    (void)count; /* bodies have their own scratch */
    *work = sn_alloc(1, sizeof(sn_layered_work));
    return *work ? SN_OK : SN_ERROR_MEMORY;
}

static void work_destroy(void **work)
{
    sn_free(*work, 1, sizeof(sn_layered_work));
    *work = NULL;
}

static sn_result shared_create(const sn_model *model, const sn_solver_desc *desc, void *work, void **shared)
{
    sn_layered_shared *made = sn_alloc(1, sizeof *made);
    *shared = made;
    if (!made) {
        return SN_ERROR_MEMORY;
    }
    *made = (sn_layered_shared){.work = work, .desc = *desc};
    const sn_result result = sn_layered_kind_acquire(work, model, desc->layered_mode, &made->kind);
    if (result != SN_OK) {
        sn_free(made, 1, sizeof *made);
        *shared = NULL;
    }
    return result;
}

static void shared_destroy(void **shared)
{
    sn_layered_shared *s = *shared;
    sn_layered_kind_release(s->work, s->kind);
    sn_free(s, 1, sizeof *s);
    *shared = NULL;
}

/* ---- bodies ---- */

sn_xpbd_skin sn_layered_skin(sn_layered_table_body *b)
{
    const sn_layered_shared *s = b->shared;
    return (sn_xpbd_skin){.model = s->kind->model,
                          .flesh = b->body->flesh,
                          .bones = b->body->pose_now,
                          .is_flesh_drawn = true,
                          .mass = s->desc.mass,
                          .stiffness = fmax(s->desc.stiffness, 1e-3) * sn_xpbd_whole_stiffness(s->kind->model),
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
    const sn_layered_settings settings = sn_layered_settings_of(s);
    sn_layered_table_body *b = sn_alloc(1, sizeof *b);
    *body = b;
    if (!b) {
        return SN_ERROR_MEMORY;
    }
    b->shared = s;
    const sn_result result = sn_layered_body_create(s->kind->layered, &settings, pose, &b->body);
    if (result != SN_OK) {
        body_destroy(body);
    }
    return result;
}

/* Another mode has its own order of the tets, so a new body takes over the state. */
static sn_result replace(sn_layered_table_body *b, const sn_layered_shared *shared)
{
    const size_t count = (size_t)shared->kind->model->counts.vertex_count;
    const sn_layered_settings settings = sn_layered_settings_of(shared);
    double *numbers = sn_alloc(count, 3 * sizeof(double));
    sn_layered_body *made = NULL;
    sn_result result =
        numbers ? sn_layered_body_create(shared->kind->layered, &settings, b->body->pose_now, &made) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        sn_xpbd_body_positions(b->body->flesh, numbers);
        sn_xpbd_body_set_positions(made->flesh, numbers);
        sn_xpbd_body_velocities(b->body->flesh, numbers);
        sn_xpbd_body_set_velocities(made->flesh, numbers);
        memcpy(made->pose_before, b->body->pose_before,
               12 * (size_t)made->model->bone_count * sizeof *made->pose_before);
        sn_layered_body_destroy(&b->body);
        b->body = made;
        b->shared = shared;
    }
    sn_free(numbers, count, 3 * sizeof(double));
    return result;
}

static sn_result body_share(void *body, const void *shared)
{
    sn_layered_table_body *b = body;
    const sn_layered_shared *s = shared;
    const sn_layered_settings settings = sn_layered_settings_of(s);
    const sn_result result =
        s->kind == b->shared->kind ? sn_layered_body_set_settings(b->body, &settings) : replace(b, s);
    if (result == SN_OK) {
        b->shared = s;
        const sn_xpbd_skin skin = sn_layered_skin(b);
        sn_xpbd_skin_keep_hold(&skin);
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
    sn_xpbd_skin_pull(&skin);
    const sn_layered_report report = sn_layered_body_step(b->body, pose, surroundings);
    b->is_asleep = report.is_asleep;
    return !report.is_recovered && !report.is_refused;
}

static void body_reset(void *body, const double *pose)
{
    sn_layered_table_body *b = body;
    const sn_xpbd_skin skin = sn_layered_skin(b);
    for (int g = 0; g < SN_GRAB_LIMIT; ++g) {
        sn_xpbd_skin_let_go(&skin, g);
    }
    sn_layered_body_reset(b->body, pose);
}

static void body_teleport(void *body, const double *transform)
{
    sn_layered_table_body *b = body;
    sn_layered_body_teleport(b->body, transform);
    sn_xpbd_grabs_move(b->grabs, transform);
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
    sn_xpbd_skin_let_go(&skin, grab);
}

/* The rig between the last two steps, in phase with the flesh. */
static void body_bones(const void *body, double fraction, float *matrices)
{
    const sn_layered_body *b = ((const sn_layered_table_body *)body)->body;
    sn_layered_bones_between(b->model, b->pose_before, b->pose_now, fraction, matrices);
}

static void body_flesh(const void *body, double *positions)
{
    sn_layered_body_positions(((const sn_layered_table_body *)body)->body, positions);
}

static void body_motion(const void *body, sn_body_motion *motion)
{
    const sn_layered_table_body *b = body;
    sn_xpbd_measure_motion(b->body->flesh, b->shared->desc.mass, motion);
    motion->is_asleep = b->is_asleep;
}

static void body_pushed(const void *body, uint32_t collider_key, double *impulse)
{
    const sn_layered_table_body *b = body;
    sn_xpbd_body_pushed(b->body->flesh, collider_key, b->shared->desc.mass, impulse);
}

const sn_solver_table sn_layered_table = {.work_create = work_create,
                                          .work_destroy = work_destroy,
                                          .shared_create = shared_create,
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
                                          .body_motion = body_motion,
                                          .body_pushed = body_pushed};
