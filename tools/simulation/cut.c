/* SPDX-License-Identifier: MIT */
#include "tools/simulation/cut.h"

#include <math.h>

bool sn_cut_is_due(const sn_simulation *s, int frame)
{
    const double period = sn_motion_seconds(&s->motion, s->parameters->time_step);
    const double slack = 1e-9; /* of a period, as where clips are sampled */
    const double now = frame * s->parameters->time_step / period, before = now - s->parameters->time_step / period;
    return s->loop.kind != SN_LOOP_FLOWS && frame > 0 && floor(now + slack) > floor(before + slack);
}

void sn_cut_jump(const sn_loop *loop, double jump[12])
{
    for (int i = 0; i < 12; ++i) {
        jump[i] = (double)loop->jump.m[i / 4][i % 4];
    }
}

void sn_cut_take(sn_simulation *s)
{
    double jump[12];
    if (s->loop.kind == SN_LOOP_TELEPORTS) {
        sn_cut_jump(&s->loop, jump);
        sn_reduced_body_teleport(s->body, jump);
    } else {
        sn_reduced_body_reset(s->body, s->pose);
    }
}
