/* SPDX-License-Identifier: MIT */
#include "tools/play/world_run.h"

#include "runtime/camera/stage.h"
#include "runtime/session/wind_gust.h"
#include "tools/play/frames.h"
#include "tools/simulation/loop_jump.h"

typedef struct world_run {
    const sn_world_run_desc *desc;
    sn_simulation simulation; /* used only for its motion */
    sn_world_id world;
    sn_body_id body;
    sn_embedding *embedding;
    sn_body_desc body_desc;
    sn_mat3x4 *matrices; /* (bone_count) */
} world_run;

static void stage_pose(int frame, double *pose, float *morphs, void *user)
{
    sn_simulation_pose(user, frame, pose, morphs);
}

static sn_result open_motion(world_run *r, sn_arena *arena)
{
    const sn_world_run_desc *d = r->desc;
    sn_simulation *s = &r->simulation;
    s->model = d->model;
    s->parameters = d->parameters;
    s->pose = SN_NEW(arena, double, 12 * (size_t)d->model->counts.bone_count);
    s->morphs = SN_NEW(arena, float, d->model->counts.morph_count);
    r->matrices = SN_NEW(arena, sn_mat3x4, d->model->counts.bone_count);
    if (!s->pose || !s->morphs || !r->matrices) {
        return SN_ERROR_MEMORY;
    }
    SN_TRY(sn_simulation_open_motion(d->parameters, d->name, d->model, arena, &s->motion));
    if (s->motion.clip >= 0 && sn_motion_seconds(&s->motion, d->parameters->time_step) > d->parameters->time_step) {
        s->loop = sn_loop_plan(d->model, s->motion.clip);
    }
    return SN_OK;
}

static sn_result place_colliders(world_run *r, sn_arena *arena)
{
    const sn_world_run_desc *d = r->desc;
    sn_simulation *s = &r->simulation;
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider_id id;
    sn_stage stage;
    const sn_stage_desc stage_desc = {.model = d->model,
                                      .name = d->parameters->motion ? d->parameters->motion : d->name,
                                      .pose = stage_pose,
                                      .pose_user = s,
                                      .frame_count = d->frame_count,
                                      .seconds_per_frame = d->parameters->time_step,
                                      .width = d->size[0],
                                      .height = d->size[1]};
    sn_result result = sn_stage_plan(&stage_desc, &stage);
    if (result == SN_OK) {
        desc.transform.m[1][3] = (float)stage.ground_height;
        result = sn_collider_create(r->world, &desc, &id);
    }
    desc = sn_default_collider_desc();
    desc.shape = SN_COLLIDER_GRID;
    result = result ? result : sn_simulation_open_solids(d->parameters, d->model, arena, s->solids, &s->solid_count);
    for (int i = 0; i < s->solid_count && result == SN_OK; ++i) {
        desc.grid = s->solids[i].grid;
        result = sn_collider_create(r->world, &desc, &id);
    }
    return result;
}

static void set_pose(world_run *r, int frame)
{
    sn_simulation *s = &r->simulation;
    const int bones = s->model->counts.bone_count;
    sn_simulation_pose(s, frame, s->pose, s->morphs);
    for (int i = 0; i < 12 * bones; ++i) {
        r->matrices[i / 12].m[i % 12 / 4][i % 4] = (float)s->pose[i];
    }
    sn_body_set_pose(r->body, r->matrices, bones);
    sn_body_set_morphs(r->body, s->morphs, s->model->counts.morph_count);
}

static sn_result place_body(world_run *r, sn_arena *arena)
{
    const sn_world_run_desc *d = r->desc;
    const int bones = d->model->counts.bone_count;
    uint8_t *locks = SN_NEW(arena, uint8_t, bones);
    r->body_desc = sn_simulation_body_desc(d->parameters);
    r->body_desc.model = d->model;
    r->body_desc.name = d->name;
    SN_TRY(locks ? sn_simulation_coupled_locks(d->parameters, d->name, d->model, locks) : SN_ERROR_MEMORY);
    SN_TRY(sn_body_create(r->world, &r->body_desc, &r->body));
    for (int b = 0; b < bones && d->parameters->is_coupled; ++b) {
        sn_body_set_locks(r->body, b, locks[b]);
    }
    if (sn_simulation_is_flesh_rendered(d->parameters)) {
        SN_TRY(sn_embedding_create(d->model, &r->embedding));
        SN_TRY(sn_body_set_embedding(r->body, r->embedding));
    }
    set_pose(r, 0);
    sn_body_reset(r->body);
    return SN_OK;
}

static sn_result step(world_run *r, int frame)
{
    const sn_simulation *s = &r->simulation;
    const sn_simulation_parameters *p = s->parameters;
    const double gust = p->is_gusty ? sn_wind_gust(frame * p->time_step) : 1;
    sn_body_desc desc = r->body_desc;
    set_pose(r, frame);
    if (!p->is_coupled && sn_loop_jump_is_due(s, frame)) {
        if (s->loop.type == SN_LOOP_TELEPORT) {
            sn_body_teleport(r->body, &s->loop.jump);
            set_pose(r, frame); /* sn_body_teleport moved the pose that was set */
        } else {
            sn_body_reset(r->body);
        }
    }
    for (int d = 0; d < 3; ++d) {
        desc.wind[d] *= gust;
    }
    const sn_result result = sn_body_set_desc(r->body, &desc);
    sn_world_step(r->world, p->time_step);
    return result;
}

sn_result sn_world_run(const sn_world_run_desc *d, sn_arena *arena)
{
    world_run r = {.desc = d};
    sn_world_desc desc = sn_default_world_desc();
    desc.time_step = d->parameters->time_step;
    desc.worker_count = d->parameters->threads < 64 ? d->parameters->threads : 64;
    desc.backend = d->backend;
    desc.recorder = d->recorder;
    sn_result result = sn_simulation_check_detail(d->parameters, d->name, d->model);
    result = result ? result : open_motion(&r, arena);
    result = result ? result : sn_world_create(&desc, &r.world);
    result = result ? result : place_colliders(&r, arena);
    result = result ? result : place_body(&r, arena);
    for (int frame = 0; sn_frames_has_next(frame, d->frame_count) && result == SN_OK; ++frame) {
        result = step(&r, frame);
        *d->run_count = frame + 1;
    }
    sn_world_destroy(r.world);
    sn_embedding_destroy(&r.embedding);
    while (r.simulation.solid_count > 0) {
        sn_solid_close(&r.simulation.solids[--r.simulation.solid_count]);
    }
    return result;
}
