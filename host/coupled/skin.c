/* SPDX-License-Identifier: MIT */
/* The skin of a coupled body for impulses and grabs. Its surface follows the bones. */
#include <math.h>

#include "host/coupled/table.h"

sn_xpbd_skin sn_coupled_skin(sn_coupled_table_body *b)
{
    const sn_coupled_shared *s = b->shared;
    return (sn_xpbd_skin){.model = s->bones->model,
                          .flesh = sn_coupled_body_flesh(b->body),
                          .bones = b->now,
                          .mass = s->desc.mass,
                          .stiffness = fmax(s->desc.stiffness, 1e-3) * s->bones->flesh->stiffness,
                          .time_step = s->desc.time_step,
                          .grabs = b->grabs};
}
