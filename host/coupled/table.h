/* SPDX-License-Identifier: MIT */
/* Coupled bodies as a world sees them: inside of the solver's table. */
#ifndef SN_HOST_COUPLED_TABLE_H
#define SN_HOST_COUPLED_TABLE_H

#include "host/coupled/coupled.h"
#include "host/solver/solver.h"
#include "host/xpbd/skin.h"

/* The flesh of a model's tets at a Poisson's ratio: rigs on the same tets share it. */
typedef struct sn_coupled_flesh {
    uint64_t key; /* hash of what it was made of */
    double poisson;
    sn_xpbd_model *model;
    double mass, diagonal;
    double stiffness; /* N/m: of a body of its size, which grabs are measured by */
    int user_count;
    struct sn_coupled_flesh *next;
} sn_coupled_flesh;

/* A model's bones on its flesh: bodies share it. */
typedef struct sn_coupled_bones {
    const sn_model *model;
    sn_coupled_flesh *flesh;
    sn_coupled_rig *rig;
    int user_count;
    struct sn_coupled_bones *next;
} sn_coupled_bones;

/* What bodies of a world share, whatever else their parameters are. */
typedef struct sn_coupled_work {
    sn_coupled_flesh *fleshes;
    sn_coupled_bones *bones;
} sn_coupled_work;

/* Made where there is none yet; counts its user. */
sn_result sn_coupled_bones_acquire(sn_coupled_work *work, const sn_model *model, double poisson,
                                   sn_coupled_bones **bones);
void sn_coupled_bones_release(sn_coupled_work *work, sn_coupled_bones *bones);

typedef struct sn_coupled_shared {
    sn_coupled_work *work;
    sn_coupled_bones *bones;
    sn_solver_desc desc;
} sn_coupled_shared;

typedef struct sn_table_body {
    const sn_coupled_shared *shared;
    sn_coupled_body *body;
    int bone_count;
    uint8_t *locks;       /* (bone_count) */
    double *compliances;  /* (bone_count) negative: the desc's */
    double *before, *now; /* (bone_count x 12) after the last two steps */
    double *positions;    /* (vertex_count x 3) for resets */
    sn_xpbd_grab grabs[SN_GRAB_LIMIT];
    bool is_asleep; /* in the last step */
} sn_table_body;

/* ---- what other tables of coupled bodies need, too ---- */

sn_coupled_settings sn_coupled_settings_of(const sn_coupled_shared *shared);
/* What the solver is told of a bone's locks, and of all bones'. */
unsigned sn_coupled_locks_of(const sn_table_body *body, int bone);
void sn_coupled_give_locks(sn_table_body *body);
/* Of the bones that are locked, and of all, whatever is locked; pose (bone_count x 12). */
void sn_coupled_give_targets(sn_table_body *body, const double *pose);
void sn_coupled_lock_all(sn_table_body *body, const double *pose);
/* matrices (bone_count x 12), that fraction of the way from `before` to `now`. */
void sn_coupled_show(const sn_table_body *body, double fraction, float *matrices);
/* All locked. What a failure leaves is freed as the rest is. */
sn_result sn_coupled_allocate_bones(int bone_count, sn_table_body *body);
void sn_coupled_free_bones(sn_table_body *body);

/* Where it is drawn, to push and to hold. */
sn_xpbd_skin sn_coupled_skin(sn_table_body *body);

/* ---- flesh that changes while it lives ---- */

/* As sn_body_tear and on have them. */
int sn_coupled_tear(sn_table_body *body, const double *point, double radius);
sn_result sn_coupled_mend(sn_table_body *body);
int sn_coupled_add_spring(sn_table_body *body, const int32_t *vertices, double length, double stiffness);
void sn_coupled_remove_spring(sn_table_body *body, int spring);
/* What was edited of flesh, in other flesh on the same tets. */
sn_result sn_coupled_keep_edits(const sn_xpbd_body *from, sn_xpbd_body *to);

#endif
