/* SPDX-License-Identifier: MIT */
/* Overlay markers of handles. */
#ifndef SN_RUNTIME_EDIT_MARKERS_H
#define SN_RUNTIME_EDIT_MARKERS_H

#include "runtime/edit/handles.h"
#include "runtime/render/overlay.h"

#define SN_HANDLE_VISIBLE_DEPTH                                                                                        \
    0.2F                          /* fraction of the diagonal: a handle within this depth in flesh counts as visible */
#define SN_HANDLE_MARKER_LIMIT 16 /* maximum markers of one handle */
#define SN_HIDDEN_ALPHA 0.35F     /* opacity of markers behind the body */

/* A list of markers; those beyond the limit are dropped. */
typedef struct sn_marker_list {
    sn_render_marker *markers; /* (limit) */
    int count, limit;
    float visible_depth; /* set on all added markers; see sn_render_marker */
} sn_marker_list;

void sn_marker_add(sn_marker_list *list, const sn_render_marker *marker);

/* Display state of a handle. */
typedef struct sn_handle_style {
    double start[3], end[3]; /* world */
    unsigned locks;          /* locked scalars */
    unsigned scalars;        /* existing scalars */
    bool is_selected, is_hovered;
    bool is_end_hovered; /* for a bone */
    bool is_pending;     /* its weights are pending */
} sn_handle_style;

/* Adds lines between handles; add them before the handles. Edge: of a loop. Link: from parent to child. */
void sn_marker_add_edge(sn_marker_list *list, const double from[3], const double to[3], bool is_pending);
void sn_marker_add_link(sn_marker_list *list, const double from[3], const double to[3]);
void sn_marker_add_handle(sn_marker_list *list, sn_handle_shape shape, const sn_handle_style *style);

/* Adds markers of all handles of a model, none selected, at its bones (bone_count x 12). locks: (bone_count), or null
 * if bones have no locks. */
void sn_marker_add_model(sn_marker_list *list, const sn_model *model, const float *bones, const uint8_t *locks);

/* Maximum number of markers that sn_marker_add_model adds. */
int sn_marker_model_count(const sn_model *model);

/* The SN_LOCK_* scalars that a bone has. */
unsigned sn_bone_scalars(const sn_model *model, int bone);

#endif
