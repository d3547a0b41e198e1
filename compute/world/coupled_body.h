/* SPDX-License-Identifier: MIT */
/* Coupled bodies of a device world: declarations shared by the files that fill their solver table. */
#ifndef SN_COMPUTE_WORLD_COUPLED_BODY_H
#define SN_COMPUTE_WORLD_COUPLED_BODY_H

#include "compute/coupled/private.h"
#include "compute/world/world.h"
#include "host/xpbd/solver.h"

typedef struct sn_gpu_world_coupled_shared {
    sn_coupled_shared common;
    sn_gpu_world *world;
    int rig; /* index in the world */
} sn_gpu_world_coupled_shared;

typedef struct sn_gpu_world_coupled_body {
    sn_gpu_world_body base;
    const sn_gpu_world_coupled_shared *shared;
    sn_coupled_body *edited;     /* the body's own CPU body if its flesh was torn or tied; else null */
    sn_coupled_table_body table; /* CPU table; its body is set only while an operation runs on the CPU */
} sn_gpu_world_coupled_body;

static inline sn_gpu_coupled *sn_gpu_world_coupled_of(const sn_gpu_world_coupled_body *b)
{
    return b->base.world->coupled;
}

static inline sn_gpu_xpbd *sn_gpu_world_flesh_of(const sn_gpu_world_coupled_body *b)
{
    return sn_gpu_coupled_flesh(sn_gpu_world_coupled_of(b));
}

static inline const sn_gpu_world_rig *sn_gpu_world_rig_of(const sn_gpu_world_coupled_body *b)
{
    return &b->base.world->rigs[b->shared->rig];
}

/* The CPU body to download to: the rig's, or its own. */
static inline sn_coupled_body *sn_gpu_world_cpu_body_of(const sn_gpu_world_coupled_body *b)
{
    return b->edited ? b->edited : sn_gpu_world_rig_of(b)->cpu_body;
}

/* ---- between the device and the CPU: coupled_readback.c ---- */

/* Downloads the body's state to a CPU body and sets b->table.body to it until the state is uploaded again. Waits for
 * the device. A failure (a lost device) is logged, and the body is unchanged. */
sn_result sn_gpu_world_download_to(sn_gpu_world_coupled_body *b, sn_coupled_body *cpu_body);
bool sn_gpu_world_download(sn_gpu_world_coupled_body *b);
sn_result sn_gpu_world_upload(sn_gpu_world_coupled_body *b);
/* Creates a CPU body for this body only. */
sn_result sn_gpu_world_create_cpu_body(const sn_gpu_world_coupled_body *b, sn_coupled_body **own_body);
/* Uploads the tears and ties of a CPU body. */
sn_result sn_gpu_world_upload_edits(const sn_gpu_world_coupled_body *b, sn_coupled_body *own_body);

/* ---- rare operations of the solver table: coupled_changes.c ---- */

void sn_gpu_world_coupled_reset(void *body, const double *pose);
void sn_gpu_world_coupled_teleport(void *body, const double *transform);
void sn_gpu_world_coupled_apply_impulse(void *body, const double *point, const double *impulse);
void sn_gpu_world_coupled_apply_bone_impulse(void *body, int bone, const double *impulse);
int sn_gpu_world_coupled_grab(void *body, const double *point, const sn_grab_desc *desc);
void sn_gpu_world_coupled_drag(void *body, int grab, const double *target);
void sn_gpu_world_coupled_release(void *body, int grab);
int sn_gpu_world_coupled_tear(void *body, const double *point, double radius);
sn_result sn_gpu_world_coupled_repair(void *body);
int sn_gpu_world_coupled_add_spring(void *body, const int32_t *vertices, double length, double stiffness);
void sn_gpu_world_coupled_remove_spring(void *body, int spring);

#endif
