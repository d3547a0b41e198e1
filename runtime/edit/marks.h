/* SPDX-License-Identifier: MIT */
/* How handles look: what the overlay draws of them. */
#ifndef SN_RUNTIME_EDIT_MARKS_H
#define SN_RUNTIME_EDIT_MARKS_H

#include "runtime/edit/handles.h"
#include "runtime/render/overlay.h"

#define SN_HANDLE_REACH 0.2F  /* of the diagonal: so deep in flesh, a handle is not hidden */
#define SN_HANDLE_MARKS 16    /* of one, at most */
#define SN_HIDDEN_ALPHA 0.35F /* of what is behind the body */

/* Marks that do not fit are left out. */
typedef struct sn_mark_list {
    sn_render_mark *marks; /* (limit) */
    int count, limit;
    float reach; /* see sn_render_mark: handles are in the middle of flesh */
} sn_mark_list;

void sn_mark_add(sn_mark_list *list, const sn_render_mark *mark);

/* Of a handle, now. */
typedef struct sn_handle_look {
    double start[3], end[3]; /* world */
    unsigned locks;          /* what of it is locked */
    unsigned scalars;        /* what it has */
    bool is_selected, is_hovered;
    bool is_end_hovered; /* of a bone */
    bool is_ahead;       /* its weights are not there yet */
} sn_handle_look;

/* Lines between handles, to be drawn before them: a loop's edge, what a parent carries. */
void sn_mark_edge(sn_mark_list *list, const double from[3], const double to[3], bool is_ahead);
void sn_mark_link(sn_mark_list *list, const double from[3], const double to[3]);
void sn_mark_handle(sn_mark_list *list, sn_handle_shape shape, const sn_handle_look *look);

/* All of a model's handles, none of them selected, as its bones (bone_count x 12) have them; locks (bone_count), or
 * null where bones have none. */
void sn_mark_model(sn_mark_list *list, const sn_model *model, const float *bones, const uint8_t *locks);

/* How many marks that makes at most. */
int sn_model_mark_count(const sn_model *model);

/* The scalars that a bone has: SN_LOCK_*. */
unsigned sn_bone_scalars(const sn_model *model, int bone);

#endif
