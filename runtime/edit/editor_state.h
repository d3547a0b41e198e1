/* SPDX-License-Identifier: MIT */
/* Inside of the editor: shared by its files alone. */
#ifndef SN_RUNTIME_EDIT_EDITOR_STATE_H
#define SN_RUNTIME_EDIT_EDITOR_STATE_H

#include <math.h>

#include "runtime/edit/editor.h"
#include "runtime/edit/place.h"
#include "runtime/edit/weigher.h"

#define SN_EDIT_HISTORY 16
#define SN_EDIT_ICON_REACH 12 /* units: of the pointer around an icon */
#define SN_EDIT_SHAFT_REACH 6 /* units: around a line between two */

typedef enum sn_edit_action {
    SN_EDIT_IDLE,
    SN_EDIT_PRESSES, /* on a handle at rest, and has not moved yet */
    SN_EDIT_MOVES,   /* a handle at rest */
    SN_EDIT_DRAWS,   /* a bone */
    SN_EDIT_DRAGS,   /* a handle's place */
    SN_EDIT_TURNS,
    SN_EDIT_PULLS, /* flesh at a joint */
    SN_EDIT_CLICKS /* nothing that a drag could change */
} sn_edit_action;

/* A handle, or the far end of a bone. */
typedef struct sn_edit_hit {
    int handle; /* -1: nothing */
    bool is_end;
} sn_edit_hit;

/* A model that the editor brought. */
typedef struct sn_edit_model {
    sn_blob blob;
    sn_model *model;
} sn_edit_model;

struct sn_editor {
    const sn_model *model; /* the body's */
    sn_edit_model made[2]; /* the body's, if it is one of these, first; then the one before */
    sn_body_id body;
    sn_drawn drawn;
    sn_edit_weigher *weigher;
    bool is_weighing;
    bool is_taken_back; /* what is weighed is what was there before an edit that failed */
    double weigh_seconds;

    sn_edit_handles handles;                  /* as the user has them */
    sn_edit_handles asked;                    /* when weights were asked for last */
    sn_edit_handles good;                     /* the model's, in the order of its bones */
    uint32_t edit_count;                      /* that there ever were */
    int bones[SN_EDIT_HANDLE_LIMIT];          /* of handles in the model; -1: not there yet */
    bool is_ahead[SN_EDIT_HANDLE_LIMIT];      /* the model has it elsewhere, or not at all */
    double seen[SN_EDIT_HANDLE_LIMIT][2][3];  /* then where it was seen when it was placed: start and end */
    bool has_target[SN_EDIT_HANDLE_LIMIT];    /* of the model's bones */
    double targets[SN_EDIT_HANDLE_LIMIT][12]; /* */
    double compliances[SN_EDIT_HANDLE_LIMIT]; /* as they were set; negative: the body's */
    sn_edit_handles history[SN_EDIT_HISTORY]; /* a ring */
    int history_first, history_count;

    bool is_editing;
    sn_edit_tool tool;
    int selected;
    sn_edit_hit hovered;
    sn_edit_place loop[SN_EDIT_HANDLE_LIMIT]; /* the open one */
    int loop_count;

    sn_edit_action action;
    bool is_end_held;
    double pressed[2];
    double offset[2]; /* from the pointer to what is held */
    double depth;     /* of what is held, in front of the camera */
    int bone;         /* that is posed */
    unsigned locks_before;
    double turn_from;     /* angle of the pointer around the handle */
    double turn_base[12]; /* the bone's transform when it began */
    double turn_place[3]; /* of its pivot */
    int grab;
    sn_edit_place drawn_bone[2]; /* its ends */
    int drawn_parent;

    char news[256];
    bool has_news;
};

void sn_editor_tell(sn_editor *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- editor_hit.c ---- */

/* The handle under the pointer. */
sn_edit_hit sn_editor_hit(const sn_editor *e, const sn_edit_view *view, const double pointer[2]);
/* Whether there is flesh under the pointer; the place is then in it, else beside it, as deep as asked. */
bool sn_editor_find_place(sn_editor *e, const sn_edit_view *view, const double pointer[2], double depth,
                          sn_edit_place *place);
/* On the screen: between points, and from one to the line between two. */
static inline double sn_editor_distance(const double a[2], const double b[2])
{
    return hypot(a[0] - b[0], a[1] - b[1]);
}
double sn_editor_shaft_distance(const double pointer[2], const double a[2], const double b[2]);

/* ---- editor_tools.c: handles at rest ---- */

/* A press where no handle is: whether there is something that the tool can be used on. */
bool sn_editor_use_tool(sn_editor *e, const sn_edit_view *view, const double pointer[2]);
/* A bone that begins where another ends is carried by it. */
void sn_editor_continue_bone(sn_editor *e, const sn_edit_view *view, int parent);
void sn_editor_finish_bone(sn_editor *e, const sn_edit_view *view);
/* The selected one, to the pointer. */
void sn_editor_move_handle(sn_editor *e, const sn_edit_view *view, const double pointer[2]);

/* ---- editor_edits.c ---- */

/* Before the handles are changed; and after: weights are asked for. */
void sn_editor_begin_edit(sn_editor *e);
void sn_editor_end_edit(sn_editor *e);
/* To the handles before the last edit; false: nobody remembers them, so it is the model's. */
bool sn_editor_take_back(sn_editor *e);
/* Ends a drag as it is. */
void sn_editor_let_go(sn_editor *e);

/* ---- editor_models.c, editor_places.c ---- */

void sn_edit_model_release(sn_edit_model *made);
/* Where the handles are in the model. */
void sn_editor_resolve(sn_editor *e);
/* Of a bone of the body's model. */
void sn_editor_transform(const sn_editor *e, int bone, double transform[12]);

#endif
