/* SPDX-License-Identifier: MIT */
/* Converts a world's parameters to solver settings. */
#include <math.h>
#include <string.h>

#include "host/coupled/table.h"
#include "host/model/model.h"

#define MIN_SUBSTEPS 15 /* per 1/60 s, if the number is chosen by the flesh */
#define MAX_SUBSTEPS 60
#define SUBSTEP_LIMIT 1000 /* per step, of any duration */
#define MIN_STIFFNESS 1e-6 /* factor of the model's stiffness; compliances need a positive one */

/* 0: as many as the flesh needs, within limits for real time. */
static int substeps_of(const sn_coupled_shared *shared)
{
    const sn_solver_desc *d = &shared->desc;
    const double frame_count = fmax(60 * d->time_step, 1.0 / MIN_SUBSTEPS);
    if (d->substep_count > 0) {
        return d->substep_count;
    }
    const double requested =
        sn_xpbd_required_substeps(shared->bones->flesh->model, d->time_step, d->stiffness / d->mass);
    const double bounded = fmin(fmax(requested, MIN_SUBSTEPS * frame_count), MAX_SUBSTEPS * frame_count);
    return (int)ceil(fmin(bounded, SUBSTEP_LIMIT));
}

sn_coupled_settings sn_coupled_settings_from_shared(const sn_coupled_shared *shared)
{
    const sn_solver_desc *d = &shared->desc;
    sn_coupled_settings s = sn_default_coupled_settings();
    s.xpbd.time_step = d->time_step;
    s.xpbd.substep_count = substeps_of(shared);
    s.xpbd.sweep_count = d->sweep_count;
    /* the solver keeps the model's mass: for mass factor m it divides forces, springs, impulses, wind and grabs by m */
    s.xpbd.stiffness = fmax(d->stiffness, MIN_STIFFNESS) / d->mass;
    s.xpbd.constraint_stiffness = 1 / d->mass;
    s.xpbd.damping = d->damping;
    s.xpbd.sleep_speed = d->sleep_speed * shared->bones->model->diagonal;
    s.xpbd.is_double = d->is_double;
    memcpy(s.xpbd.gravity, d->gravity, sizeof s.xpbd.gravity);
    s.xpbd.is_rigid_damped = d->is_rigid_damped;
    s.is_constraint_locked_only = d->is_constraint_locked_only;
    s.compliance = d->compliance;
    return s;
}
