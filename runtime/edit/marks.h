/* SPDX-License-Identifier: MIT */
/* Overlay markers of handles. */
#ifndef SN_RUNTIME_EDIT_MARKS_H
#define SN_RUNTIME_EDIT_MARKS_H

#include "runtime/edit/handles.h"
#include "runtime/render/overlay.h"

#define SN_HANDLE_REACH 0.2F  /* fraction of the diagonal: a handle within this depth in flesh counts as visible */
#define SN_HANDLE_MARKS 16    /* maximum markers of one handle */
#define SN_HIDDEN_ALPHA 0.35F /* opacity of markers behind the body */

/* A list of markers; those beyond the limit are dropped. */
typedef struct sn_mark_list {
    sn_render_mark *marks; /* (limit) */
    int count, limit;
    float reach; /* set on all added markers; see sn_render_mark */
} sn_mark_list;

void sn_mark_add(sn_mark_list *list, const sn_render_mark *mark);

/* Display state of a handle. */
typedef struct sn_handle_look {
    double start[3], end[3]; /* world */
    unsigned locks;          /* locked scalars */
    unsigned scalars;        /* existing scalars */
    bool is_selected, is_hovered;
    bool is_end_hovered; /* for a bone */
    bool is_ahead;       /* its weights are pending */
} sn_handle_look;

/* Adds lines between handles; add them before the handles. Edge: of a loop. Link: from parent to child. */
void sn_mark_edge(sn_mark_list *list, const double from[3], const double to[3], bool is_ahead);
void sn_mark_link(sn_mark_list *list, const double from[3], const double to[3]);
void sn_mark_handle(sn_mark_list *list, sn_handle_shape shape, const sn_handle_look *look);

/* Adds markers of all handles of a model, none selected, at its bones (bone_count x 12). locks: (bone_count), or null
 * if bones have no locks. */
void sn_mark_model(sn_mark_list *list, const sn_model *model, const float *bones, const uint8_t *locks);

/* Maximum number of markers that sn_mark_model adds. */
int sn_model_mark_count(const sn_model *model);

/* The SN_LOCK_* scalars that a bone has. */
unsigned sn_bone_scalars(const sn_model *model, int bone);

#endif
