/* SPDX-License-Identifier: MIT */
#include "tools/simulation/loop_jump.h"

#include <math.h>

bool sn_loop_jump_is_due(const sn_simulation *s, int frame)
{
    if (s->motion.live) {
        return s->motion.live->has_jumped;
    }
    const double step = s->parameters->time_step, period = sn_motion_seconds(&s->motion, step);
    const bool may_jump = s->loop.type != SN_LOOP_CONTINUOUS && frame > 0;
    return may_jump && fmod(frame * step, period) <
                           fmod((frame - 1) * step, period); /* the same times as those at which clips are sampled */
}

void sn_loop_jump_transform(const sn_loop *loop, double jump[12])
{
    for (int i = 0; i < 12; ++i) {
        jump[i] = (double)loop->jump.m[i / 4][i % 4];
    }
}

void sn_loop_jump_apply(sn_simulation *s)
{
    double jump[12];
    if (s->loop.type == SN_LOOP_TELEPORT) {
        sn_loop_jump_transform(&s->loop, jump);
        sn_reduced_body_teleport(s->body, jump);
    } else {
        sn_reduced_body_reset(s->body, s->pose);
    }
}
