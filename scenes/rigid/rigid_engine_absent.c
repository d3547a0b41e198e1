/* SPDX-License-Identifier: MIT */
/* Stub for builds without a rigid-body engine (SN_ODE=OFF). Creation fails, so the other functions are never called. */
#include "scenes/rigid/rigid_engine.h"

const bool sn_rigid_engine_is_available = false;

sn_result sn_rigid_engine_create(double step, int body_limit, sn_rigid_engine **engine)
{
    (void)step;
    (void)body_limit;
    *engine = NULL;
    return SN_ERROR_UNSUPPORTED;
}

void sn_rigid_engine_destroy(sn_rigid_engine **engine)
{
    *engine = NULL;
}

int sn_rigid_engine_add(sn_rigid_engine *engine, const sn_rigid_body_desc *engine_body)
{
    (void)engine;
    (void)engine_body;
    return -1;
}

void sn_rigid_engine_drive(sn_rigid_engine *engine, int engine_body, const sn_frame *from, const sn_frame *to)
{
    (void)engine;
    (void)engine_body;
    (void)from;
    (void)to;
}

void sn_rigid_engine_set_presence(sn_rigid_engine *engine, int engine_body, bool is_present)
{
    (void)engine;
    (void)engine_body;
    (void)is_present;
}

void sn_rigid_engine_set_friction(sn_rigid_engine *engine, int engine_body, double friction)
{
    (void)engine;
    (void)engine_body;
    (void)friction;
}

void sn_rigid_engine_set_gravity(sn_rigid_engine *engine, int engine_body, const double gravity[3])
{
    (void)engine;
    (void)engine_body;
    (void)gravity;
}

void sn_rigid_engine_push(sn_rigid_engine *engine, int engine_body, const double *point, const double impulse[3])
{
    (void)engine;
    (void)engine_body;
    (void)point;
    (void)impulse;
}

int sn_rigid_engine_step(sn_rigid_engine *engine)
{
    (void)engine;
    return 0;
}

sn_frame sn_rigid_engine_frame(const sn_rigid_engine *engine, int engine_body, double fraction)
{
    (void)engine;
    (void)engine_body;
    (void)fraction;
    return sn_frame_identity;
}

void sn_rigid_engine_velocity(const sn_rigid_engine *engine, int engine_body, double velocity[3], double angular[3])
{
    (void)engine;
    (void)engine_body;
    for (int d = 0; d < 3; ++d) {
        velocity[d] = angular[d] = 0;
    }
}

int sn_rigid_engine_contacts(const sn_rigid_engine *engine, const sn_rigid_contact **contacts)
{
    (void)engine;
    *contacts = NULL;
    return 0;
}
