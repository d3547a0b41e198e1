/* SPDX-License-Identifier: MIT */
/* Internal state of the editor. */
#ifndef SN_RUNTIME_EDIT_EDITOR_STATE_H
#define SN_RUNTIME_EDIT_EDITOR_STATE_H

#include <math.h>

#include "runtime/edit/editor.h"
#include "runtime/edit/flesh_point.h"
#include "runtime/edit/weight_worker.h"

#define SN_EDIT_HISTORY 16
#define SN_EDIT_ICON_RADIUS 12   /* units: pick radius of an icon */
#define SN_EDIT_SHAFT_DISTANCE 6 /* units: pick distance of a line */

typedef enum sn_edit_action {
    SN_EDIT_ACTION_NONE,
    SN_EDIT_ACTION_PRESS, /* pressed on a handle in edit mode, not yet moved */
    SN_EDIT_ACTION_MOVE,  /* moves a handle at rest */
    SN_EDIT_ACTION_DRAW,  /* draws a bone */
    SN_EDIT_ACTION_DRAG,  /* drags a handle's position */
    SN_EDIT_ACTION_ROTATE,
    SN_EDIT_ACTION_PULL, /* pulls flesh at a joint */
    SN_EDIT_ACTION_CLICK /* a drag has no effect */
} sn_edit_action;

/* A handle, or the far end of a bone. */
typedef struct sn_edit_hit {
    int handle; /* -1: none */
    bool is_end;
} sn_edit_hit;

/* A model built from edited handles. */
typedef struct sn_edit_model {
    sn_blob blob;
    sn_model *model;
} sn_edit_model;

struct sn_editor {
    const sn_model *model;          /* of the body */
    sn_edit_model edited_models[2]; /* the current edited model, then the previous one */
    sn_body_id body;
    sn_posed_surface surface;
    sn_weight_worker *worker;
    bool is_computing_weights;
    bool is_reverting; /* the pending computation restores the handles before a failed edit */
    double weight_seconds;

    sn_edit_handles handles;                           /* as edited by the user */
    sn_edit_handles requested;                         /* of the last weight request */
    sn_edit_handles model_handles;                     /* of the current model, in the order of its bones */
    uint32_t edit_count;                               /* number of edits so far */
    int bones[SN_EDIT_HANDLE_LIMIT];                   /* bone of each handle; -1: not in the model yet */
    bool is_pending[SN_EDIT_HANDLE_LIMIT];             /* the model has the handle elsewhere, or not at all */
    double world_position[SN_EDIT_HANDLE_LIMIT][2][3]; /* world position of such a handle: start and end */
    bool has_target[SN_EDIT_HANDLE_LIMIT];             /* per bone of the model */
    double targets[SN_EDIT_HANDLE_LIMIT][12];          /* transforms of dragged or locked bones */
    double compliances[SN_EDIT_HANDLE_LIMIT];          /* set by the user; negative: the body's */
    sn_edit_handles history[SN_EDIT_HISTORY];          /* ring buffer */
    int history_first, history_count;

    bool is_editing;
    sn_edit_tool tool;
    int selected;
    sn_edit_hit hovered;
    sn_flesh_point loop[SN_EDIT_HANDLE_LIMIT]; /* vertices of the open loop */
    int loop_count;

    sn_edit_action action;
    bool is_end_dragged;
    double pressed[2];
    double offset[2]; /* from the pointer to the dragged point */
    double depth;     /* of the dragged point, in front of the camera */
    int bone;         /* that is posed */
    unsigned locks_before;
    double rotation_start_angle; /* angle of the pointer around the handle at the start */
    double rotation_base[12];    /* the bone's transform at the start */
    double rotation_center[3];   /* position of its pivot */
    int grab;
    sn_flesh_point new_bone[2]; /* its ends */
    int new_bone_parent;

    char message[256];
    bool has_message;
};

void sn_editor_set_message(sn_editor *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- editor_hit.c ---- */

/* The handle under the pointer. */
sn_edit_hit sn_editor_pick(const sn_editor *e, const sn_edit_view *view, const double pointer[2]);
/* Converts the pointer to a point in the flesh. False: there is no flesh under the pointer; the point is then at
 * `depth`. */
bool sn_editor_find_point(sn_editor *e, const sn_edit_view *view, const double pointer[2], double depth,
                          sn_flesh_point *point);
/* Screen distance between two points, and from a point to a line segment. */
static inline double sn_editor_distance(const double a[2], const double b[2])
{
    return hypot(a[0] - b[0], a[1] - b[1]);
}
double sn_editor_shaft_distance(const double pointer[2], const double a[2], const double b[2]);

/* ---- editor_tools.c: edit mode ---- */

/* Handles a press that hit no handle; false: the tool cannot be used there. */
bool sn_editor_use_tool(sn_editor *e, const sn_edit_view *view, const double pointer[2]);
/* Starts to draw a bone at the end of another, which becomes its parent. */
void sn_editor_continue_bone(sn_editor *e, const sn_edit_view *view, int parent);
void sn_editor_finish_bone(sn_editor *e, const sn_edit_view *view);
/* Moves the selected handle to the pointer. */
void sn_editor_move_handle(sn_editor *e, const sn_edit_view *view, const double pointer[2]);

/* ---- editor_edits.c ---- */

/* Call before changing the handles (saves the history), and after (requests weights). */
void sn_editor_begin_edit(sn_editor *e);
void sn_editor_end_edit(sn_editor *e);
/* Restores the handles before the last edit. False: the history is empty, and the model's handles are restored. */
bool sn_editor_revert(sn_editor *e);
/* Ends the current drag, keeping its result. */
void sn_editor_end_drag(sn_editor *e);

/* ---- editor_models.c, editor_positions.c ---- */

void sn_edit_model_release(sn_edit_model *edited_models);
/* Updates the mapping from handles to the model's bones. */
void sn_editor_update_bone_map(sn_editor *e);
/* Current transform of a bone of the body's model. */
void sn_editor_bone_transform(const sn_editor *e, int bone, double transform[12]);

#endif
