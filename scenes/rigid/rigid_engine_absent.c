/* SPDX-License-Identifier: MIT */
/* Stub for builds without a rigid-body engine (SN_ODE=OFF). Creation fails, so the other functions are never called. */
#include "scenes/rigid/rigid_engine.h"

const bool sn_rigid_engine_is_there = false;

sn_result sn_rigid_engine_create(double step, int thing_limit, sn_rigid_engine **engine)
{
    (void)step;
    (void)thing_limit;
    *engine = NULL;
    return SN_ERROR_UNSUPPORTED;
}

void sn_rigid_engine_destroy(sn_rigid_engine **engine)
{
    *engine = NULL;
}

int sn_rigid_engine_add(sn_rigid_engine *engine, const sn_rigid_thing *thing)
{
    (void)engine;
    (void)thing;
    return -1;
}

void sn_rigid_engine_drive(sn_rigid_engine *engine, int thing, const sn_frame *from, const sn_frame *to)
{
    (void)engine;
    (void)thing;
    (void)from;
    (void)to;
}

void sn_rigid_engine_set_presence(sn_rigid_engine *engine, int thing, bool is_present)
{
    (void)engine;
    (void)thing;
    (void)is_present;
}

void sn_rigid_engine_set_friction(sn_rigid_engine *engine, int thing, double friction)
{
    (void)engine;
    (void)thing;
    (void)friction;
}

void sn_rigid_engine_set_gravity(sn_rigid_engine *engine, int thing, const double gravity[3])
{
    (void)engine;
    (void)thing;
    (void)gravity;
}

void sn_rigid_engine_push(sn_rigid_engine *engine, int thing, const double *point, const double impulse[3])
{
    (void)engine;
    (void)thing;
    (void)point;
    (void)impulse;
}

int sn_rigid_engine_step(sn_rigid_engine *engine)
{
    (void)engine;
    return 0;
}

sn_frame sn_rigid_engine_frame(const sn_rigid_engine *engine, int thing, double share)
{
    (void)engine;
    (void)thing;
    (void)share;
    return sn_frame_identity;
}

void sn_rigid_engine_velocity(const sn_rigid_engine *engine, int thing, double velocity[3], double angular[3])
{
    (void)engine;
    (void)thing;
    for (int d = 0; d < 3; ++d) {
        velocity[d] = angular[d] = 0;
    }
}

int sn_rigid_engine_touches(const sn_rigid_engine *engine, const sn_rigid_touch **touches)
{
    (void)engine;
    *touches = NULL;
    return 0;
}
