/* SPDX-License-Identifier: MIT */
/* Models shared by bodies of one cooked model. */
#include <math.h>
#include <string.h>

#include "host/base/arena.h"
#include "host/layered/table.h"
#include "host/model/model.h"

#define LEAST_STIFFNESS 1e-3 /* factor of the model's stiffness; constraints need a positive one */

static double *to_double(sn_arena *arena, const float *from, size_t count)
{
    double *to = SN_NEW(arena, double, count);
    for (size_t i = 0; i < count && to; ++i) {
        to[i] = (double)from[i];
    }
    return to;
}

static sn_result make_kind(sn_layered_kind *kind, bool is_coloured)
{
    const sn_model *m = kind->model;
    const size_t vertices = (size_t)m->counts.vertex_count, tets = (size_t)m->counts.tet_count;
    const bool is_framed = m->strain_kind == SN_STRAIN_FRAMES;
    sn_arena arena = {0};
    const sn_layered_desc desc = {.vertex_count = m->counts.vertex_count,
                                  .positions = to_double(&arena, m->rest_positions, 3 * vertices),
                                  .masses = to_double(&arena, m->vertex_mass, vertices),
                                  .tet_count = m->counts.tet_count,
                                  .tets = m->tets,
                                  .stiffness = to_double(&arena, m->strain_stiffness, SN_STRAIN_STIFFNESS_COUNT * tets),
                                  .frames = is_framed ? to_double(&arena, m->strain_frames, 9 * tets) : NULL,
                                  .bone_count = m->counts.bone_count,
                                  .bones = m->strain_bones,
                                  .weights = m->rig_weights,
                                  .mode = kind->mode,
                                  .is_coloured = is_coloured};
    const bool is_ok = desc.positions && desc.masses && desc.stiffness && (desc.frames || !is_framed);
    const sn_result result = is_ok ? sn_layered_model_create(&desc, &kind->layered) : SN_ERROR_MEMORY;
    sn_arena_finish(&arena);
    return result;
}

sn_result sn_layered_kind_acquire(sn_layered_work *work, const sn_model *model, sn_layered_mode mode,
                                  sn_layered_kind **kind)
{
    for (sn_layered_kind *k = work->kinds; k; k = k->next) {
        if (k->model == model && k->mode == mode) {
            ++k->user_count;
            *kind = k;
            return SN_OK;
        }
    }
    sn_layered_kind *made = sn_alloc(1, sizeof *made);
    *kind = made;
    if (!made) {
        return SN_ERROR_MEMORY;
    }
    *made = (sn_layered_kind){.model = model, .mode = mode, .user_count = 1, .next = work->kinds};
    const sn_result result = make_kind(made, work->is_coloured);
    if (result != SN_OK) {
        sn_free(made, 1, sizeof *made);
        *kind = NULL;
        return result;
    }
    work->kinds = made;
    return SN_OK;
}

void sn_layered_kind_release(sn_layered_work *work, sn_layered_kind *kind)
{
    if (--kind->user_count > 0) {
        return;
    }
    sn_layered_kind **at = &work->kinds;
    while (*at != kind) {
        at = &(*at)->next;
    }
    *at = kind->next;
    sn_layered_model_destroy(&kind->layered);
    sn_free(kind, 1, sizeof *kind);
}

sn_layered_settings sn_layered_settings_of(const sn_layered_shared *shared)
{
    const sn_solver_desc *d = &shared->desc;
    sn_layered_settings s = sn_default_layered_settings();
    s.time_step = d->time_step;
    s.sweep_count = d->sweep_count;
    s.consolidating_count = d->consolidating_count;
    /* the solver keeps the model's mass: for mass factor m it divides forces, impulses, wind and grabs by m */
    s.stiffness = fmax(d->stiffness, LEAST_STIFFNESS) / d->mass;
    s.damping = d->damping;
    s.is_rigid_damped = d->is_rigid_damped;
    s.sleep_speed = d->sleep_speed * shared->kind->model->diagonal;
    s.is_double = d->is_double;
    memcpy(s.gravity, d->gravity, sizeof s.gravity);
    s.substep_count = d->substep_count;
    if (shared->kind->mode == SN_LAYERED_UNORDERED && d->substep_count > 0) { /* fewer would jitter */
        const int least = sn_layered_substeps_for(shared->kind->layered, s.time_step, s.stiffness);
        s.substep_count = least > d->substep_count ? least : d->substep_count;
    }
    return s;
}
