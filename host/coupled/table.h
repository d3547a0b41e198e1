/* SPDX-License-Identifier: MIT */
/* Internal declarations of the coupled solver's function table for worlds. */
#ifndef SN_HOST_COUPLED_TABLE_H
#define SN_HOST_COUPLED_TABLE_H

#include "host/coupled/coupled.h"
#include "host/solver/solver.h"
#include "host/xpbd/skin.h"

/* The flesh of a model's tets at one Poisson's ratio, shared by rigs on the same tets. */
typedef struct sn_coupled_shared_flesh {
    uint64_t key; /* hash of its input data */
    double poisson;
    sn_xpbd_model *model;
    double mass, diagonal;
    double stiffness; /* N/m: stiffness of the whole body, the scale of grab stiffness */
    int user_count;
    struct sn_coupled_shared_flesh *next;
} sn_coupled_shared_flesh;

/* A model's bones on its flesh, shared by bodies. */
typedef struct sn_coupled_shared_rig {
    const sn_model *model;
    sn_coupled_shared_flesh *flesh;
    sn_coupled_rig *rig;
    int user_count;
    struct sn_coupled_shared_rig *next;
} sn_coupled_shared_rig;

/* Data shared by all bodies of a world, whatever their parameters. */
typedef struct sn_coupled_shared_data {
    sn_coupled_shared_flesh *fleshes;
    sn_coupled_shared_rig *bones;
} sn_coupled_shared_data;

/* Finds or creates the bones and counts a user. */
sn_result sn_coupled_shared_rig_acquire(sn_coupled_shared_data *work, const sn_model *model, double poisson,
                                        sn_coupled_shared_rig **bones);
void sn_coupled_shared_rig_release(sn_coupled_shared_data *work, sn_coupled_shared_rig *bones);

typedef struct sn_coupled_shared {
    sn_coupled_shared_data *work;
    sn_coupled_shared_rig *bones;
    sn_solver_desc desc;
} sn_coupled_shared;

typedef struct sn_coupled_table_body {
    const sn_coupled_shared *shared;
    sn_coupled_body *body;
    int bone_count;
    uint8_t *locks;       /* (bone_count) */
    double *compliances;  /* (bone_count) negative: that of the description */
    double *before, *now; /* (bone_count x 12) after the last two steps */
    double *positions;    /* (vertex_count x 3) used by resets */
    sn_xpbd_grab grabs[SN_GRAB_LIMIT];
    bool is_asleep; /* in the last step */
} sn_coupled_table_body;

/* ---- shared with other tables of coupled bodies ---- */

sn_coupled_settings sn_coupled_settings_from_shared(const sn_coupled_shared *shared);
/* The locks that the solver uses for a bone; sets those of all bones. */
unsigned sn_coupled_effective_locks(const sn_coupled_table_body *body, int bone);
void sn_coupled_apply_locks(sn_coupled_table_body *body);
/* Sets targets from a pose (bone_count x 12): of the locked bones; or locks all bones and sets all targets. */
void sn_coupled_apply_targets(sn_coupled_table_body *body, const double *pose);
void sn_coupled_lock_all(sn_coupled_table_body *body, const double *pose);
/* matrices (bone_count x 12), interpolated between `before` and `now`. */
void sn_coupled_interpolate_bones(const sn_coupled_table_body *body, double fraction, float *matrices);
/* Allocates per-bone arrays with all bones locked. After a failure, call sn_coupled_free_bones. */
sn_result sn_coupled_allocate_bones(int bone_count, sn_coupled_table_body *body);
void sn_coupled_free_bones(sn_coupled_table_body *body);

/* The visible skin, for impulses and grabs. */
sn_xpbd_skin sn_coupled_skin(sn_coupled_table_body *body);

/* ---- edits of the flesh ---- */

/* As sn_body_tear and its companions. */
int sn_coupled_tear(sn_coupled_table_body *body, const double *point, double radius);
sn_result sn_coupled_restore_elements(sn_coupled_table_body *body);
int sn_coupled_add_spring(sn_coupled_table_body *body, const int32_t *vertices, double length, double stiffness);
void sn_coupled_remove_spring(sn_coupled_table_body *body, int spring);
/* Copies the edits of one flesh to another on the same tets. */
sn_result sn_coupled_copy_edits(const sn_xpbd_body *from, sn_xpbd_body *to);

#endif
