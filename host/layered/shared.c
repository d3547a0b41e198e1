/* SPDX-License-Identifier: MIT */
/* Models shared by bodies of one cooked model. */
#include <math.h>
#include <string.h>

#include "host/base/arena.h"
#include "host/layered/table.h"
#include "host/model/model.h"

#define MIN_STIFFNESS 1e-3 /* factor of the model's stiffness; constraints need a positive one */

static double *to_double(sn_arena *arena, const float *from, size_t count)
{
    double *to = SN_NEW(arena, double, count);
    for (size_t i = 0; i < count && to; ++i) {
        to[i] = (double)from[i];
    }
    return to;
}

static sn_result create_model(sn_layered_shared_model *shared_model, bool is_coloured)
{
    const sn_model *m = shared_model->model;
    const size_t vertices = (size_t)m->counts.vertex_count, tets = (size_t)m->counts.tet_count;
    const bool is_framed = m->strain_type == SN_STRAIN_FRAMES;
    sn_arena arena = {0};
    const sn_layered_desc desc = {.vertex_count = m->counts.vertex_count,
                                  .positions = to_double(&arena, m->rest_positions, 3 * vertices),
                                  .masses = to_double(&arena, m->vertex_mass, vertices),
                                  .tet_count = m->counts.tet_count,
                                  .tets = m->tets,
                                  .stiffness = to_double(&arena, m->strain_stiffness, SN_STRAIN_STIFFNESS_COUNT * tets),
                                  .frames = is_framed ? to_double(&arena, m->strain_frames, 9 * tets) : NULL,
                                  .bone_count = m->counts.bone_count,
                                  .bones = m->strain_attached_bones,
                                  .weights = m->rig_weights,
                                  .mode = shared_model->mode,
                                  .is_coloured = is_coloured};
    const bool is_ok = desc.positions && desc.masses && desc.stiffness && (desc.frames || !is_framed);
    const sn_result result = is_ok ? sn_layered_model_create(&desc, &shared_model->layered) : SN_ERROR_MEMORY;
    sn_arena_finish(&arena);
    return result;
}

sn_result sn_layered_shared_model_acquire(sn_layered_shared_data *work, const sn_model *model, sn_layered_mode mode,
                                          sn_layered_shared_model **shared_model)
{
    for (sn_layered_shared_model *k = work->models; k; k = k->next) {
        if (k->model == model && k->mode == mode) {
            ++k->user_count;
            *shared_model = k;
            return SN_OK;
        }
    }
    sn_layered_shared_model *created = sn_alloc(1, sizeof *created);
    *shared_model = created;
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    *created = (sn_layered_shared_model){.model = model, .mode = mode, .user_count = 1, .next = work->models};
    const sn_result result = create_model(created, work->is_coloured);
    if (result != SN_OK) {
        sn_free(created, 1, sizeof *created);
        *shared_model = NULL;
        return result;
    }
    work->models = created;
    return SN_OK;
}

void sn_layered_shared_model_release(sn_layered_shared_data *work, sn_layered_shared_model *shared_model)
{
    if (--shared_model->user_count > 0) {
        return;
    }
    sn_layered_shared_model **at = &work->models;
    while (*at != shared_model) {
        at = &(*at)->next;
    }
    *at = shared_model->next;
    sn_layered_model_destroy(&shared_model->layered);
    sn_free(shared_model, 1, sizeof *shared_model);
}

sn_layered_settings sn_layered_settings_from_shared(const sn_layered_shared *shared)
{
    const sn_solver_desc *d = &shared->desc;
    sn_layered_settings s = sn_default_layered_settings();
    s.time_step = d->time_step;
    s.sweep_count = d->sweep_count;
    s.consolidation_sweep_count = d->consolidation_sweep_count;
    /* the solver keeps the model's mass: for mass factor m it divides forces, impulses, wind and grabs by m */
    s.stiffness = fmax(d->stiffness, MIN_STIFFNESS) / d->mass;
    s.damping = d->damping;
    s.is_rigid_damped = d->is_rigid_damped;
    s.sleep_speed = d->sleep_speed * shared->shared_model->model->diagonal;
    s.is_double = d->is_double;
    memcpy(s.gravity, d->gravity, sizeof s.gravity);
    s.substep_count = d->substep_count;
    if (shared->shared_model->mode == SN_LAYERED_UNORDERED && d->substep_count > 0) { /* fewer would jitter */
        const int min_count = sn_layered_required_substeps(shared->shared_model->layered, s.time_step, s.stiffness);
        s.substep_count = min_count > d->substep_count ? min_count : d->substep_count;
    }
    return s;
}
