/* SPDX-License-Identifier: MIT */
/* Coupled bodies of a world on a device: what the files of their table share. */
#ifndef SN_COMPUTE_WORLD_COUPLED_BODY_H
#define SN_COMPUTE_WORLD_COUPLED_BODY_H

#include "compute/coupled/private.h"
#include "compute/world/world.h"
#include "host/xpbd/solver.h"

typedef struct sn_gpu_place_shared {
    sn_coupled_shared common;
    sn_gpu_place *place;
    int rig; /* the place's number */
} sn_gpu_place_shared;

typedef struct sn_gpu_place_coupled {
    sn_gpu_place_body base;
    const sn_gpu_place_shared *shared;
    sn_coupled_body *edited; /* of the CPU, whose flesh was torn or tied apart; or null */
    sn_table_body table;     /* as the CPU's; its body is borrowed while something is done to it */
} sn_gpu_place_coupled;

static inline sn_gpu_coupled *sn_gpu_place_solver_of(const sn_gpu_place_coupled *b)
{
    return b->base.place->coupled;
}

static inline sn_gpu_xpbd *sn_gpu_place_flesh_of(const sn_gpu_place_coupled *b)
{
    return sn_gpu_coupled_flesh(sn_gpu_place_solver_of(b));
}

static inline const sn_gpu_place_rig *sn_gpu_place_rig_of(const sn_gpu_place_coupled *b)
{
    return &b->base.place->rigs[b->shared->rig];
}

/* The body of the CPU that takes its state: the rig's, or its own. */
static inline sn_coupled_body *sn_gpu_place_twin_of(const sn_gpu_place_coupled *b)
{
    return b->edited ? b->edited : sn_gpu_place_rig_of(b)->twin;
}

/* ---- between the device and the CPU: coupled_loan.c ---- */

/* The body's state as a body of the CPU, in its table, which it is until it is given back. Waits for the device. A
 * failure, a lost device's, has its line, and nothing is done to the body. */
sn_result sn_gpu_place_borrow_as(sn_gpu_place_coupled *b, sn_coupled_body *twin);
bool sn_gpu_place_borrow(sn_gpu_place_coupled *b);
sn_result sn_gpu_place_give_back(sn_gpu_place_coupled *b);
/* A body of the CPU for this one alone. */
sn_result sn_gpu_place_make_own(const sn_gpu_place_coupled *b, sn_coupled_body **own);
/* What was torn or tied of a body of the CPU, to the device. */
sn_result sn_gpu_place_send_edits(const sn_gpu_place_coupled *b, sn_coupled_body *own);

/* ---- functions of the table that are rare: coupled_changes.c ---- */

void sn_gpu_place_reset(void *body, const double *pose);
void sn_gpu_place_teleport(void *body, const double *transform);
void sn_gpu_place_impulse(void *body, const double *point, const double *impulse);
void sn_gpu_place_bone_impulse(void *body, int bone, const double *impulse);
int sn_gpu_place_grab(void *body, const double *point, const sn_grab_desc *desc);
void sn_gpu_place_drag(void *body, int grab, const double *target);
void sn_gpu_place_release(void *body, int grab);
int sn_gpu_place_tear(void *body, const double *point, double radius);
sn_result sn_gpu_place_mend(void *body);
int sn_gpu_place_add_spring(void *body, const int32_t *vertices, double length, double stiffness);
void sn_gpu_place_remove_spring(void *body, int spring);

#endif
