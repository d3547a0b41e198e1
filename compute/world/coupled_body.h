/* SPDX-License-Identifier: MIT */
/* Coupled bodies of a device world: declarations shared by the files that fill their solver table. */
#ifndef SN_COMPUTE_WORLD_COUPLED_BODY_H
#define SN_COMPUTE_WORLD_COUPLED_BODY_H

#include "compute/coupled/private.h"
#include "compute/world/world.h"
#include "host/xpbd/solver.h"

typedef struct sn_gpu_place_shared {
    sn_coupled_shared common;
    sn_gpu_place *place;
    int rig; /* index in the world */
} sn_gpu_place_shared;

typedef struct sn_gpu_place_coupled {
    sn_gpu_place_body base;
    const sn_gpu_place_shared *shared;
    sn_coupled_body *edited; /* the body's own CPU body if its flesh was torn or tied; else null */
    sn_table_body table;     /* CPU table; its body is set only while an operation runs on the CPU */
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

/* The CPU body to download to: the rig's, or its own. */
static inline sn_coupled_body *sn_gpu_place_twin_of(const sn_gpu_place_coupled *b)
{
    return b->edited ? b->edited : sn_gpu_place_rig_of(b)->twin;
}

/* ---- between the device and the CPU: coupled_readback.c ---- */

/* Downloads the body's state to a CPU body and sets b->table.body to it until the state is uploaded again. Waits for
 * the device. A failure (a lost device) is logged, and the body is unchanged. */
sn_result sn_gpu_place_borrow_as(sn_gpu_place_coupled *b, sn_coupled_body *twin);
bool sn_gpu_place_borrow(sn_gpu_place_coupled *b);
sn_result sn_gpu_place_give_back(sn_gpu_place_coupled *b);
/* Creates a CPU body for this body only. */
sn_result sn_gpu_place_make_own(const sn_gpu_place_coupled *b, sn_coupled_body **own);
/* Uploads the tears and ties of a CPU body. */
sn_result sn_gpu_place_send_edits(const sn_gpu_place_coupled *b, sn_coupled_body *own);

/* ---- rare operations of the solver table: coupled_changes.c ---- */

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
