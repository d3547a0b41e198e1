/* SPDX-License-Identifier: MIT */
/* Editing a coupled body while it moves: what a pointer and some keys do to its handles. No window, no Vulkan: whoever
 * has a pointer and a camera drives it.
 *
 * Two ways to use the pointer. As a rule it poses: a handle that is dragged follows the pointer, in the screen's plane
 * through it, or, while a modifier is held, turns about the way that the camera looks; let go, it is again as locked or
 * free as it was. While editing, it places handles with the tool at hand, and moves them at rest; then weights are
 * computed in the background, and the body goes on with the old ones until they are done. Where they cannot be, the
 * edit is taken back, and says why.
 *
 * A joint, which its parent carries, has no place of its own to be driven: dragging it pulls the flesh there, and the
 * chain above follows. */
#ifndef SN_RUNTIME_EDIT_EDITOR_H
#define SN_RUNTIME_EDIT_EDITOR_H

#include "runtime/edit/handles.h"
#include "runtime/render/camera.h"
#include "runtime/render/overlay.h"

typedef struct sn_editor sn_editor;

typedef enum sn_edit_tool {
    SN_EDIT_SELECT,
    SN_EDIT_POINT,
    SN_EDIT_BONE,
    SN_EDIT_CAGE,
    SN_EDIT_TOOL_COUNT
} sn_edit_tool;

/* Pointers are as in window.h: heights of the window, right and down of its middle. */
typedef struct sn_edit_view {
    sn_camera camera;
    double unit; /* of marks, in heights of the window */
} sn_edit_view;

/* The model must outlive the editor, which brings its own of other handles; the body must be coupled, of that model.
 * SN_ERROR_UNSUPPORTED beyond SN_EDIT_HANDLE_LIMIT bones, SN_ERROR_MEMORY. */
sn_result sn_editor_create(const sn_model *model, sn_body_id body, sn_editor **editor);
/* After the body, which may be of one of the editor's models. Accepts null. */
void sn_editor_destroy(sn_editor **editor);

/* ---- the pointer ---- */

/* Where it is while no button is held: what is under it stands out. */
void sn_editor_point(sn_editor *editor, const sn_edit_view *view, const double pointer[2]);
/* Whether the press meant the editor; if so, drags and the release do, too. */
bool sn_editor_press(sn_editor *editor, const sn_edit_view *view, const double pointer[2], bool is_turning);
void sn_editor_drag(sn_editor *editor, const sn_edit_view *view, const double pointer[2]);
void sn_editor_release(sn_editor *editor, const sn_edit_view *view, const double pointer[2]);

/* ---- commands ---- */

void sn_editor_set_tool(sn_editor *editor, sn_edit_tool tool);
sn_edit_tool sn_editor_tool(const sn_editor *editor);
/* Off: an open loop is dropped. */
void sn_editor_set_editing(sn_editor *editor, bool is_editing);
bool sn_editor_is_editing(const sn_editor *editor);
/* Closes the open loop; false: there is none of three vertices. */
bool sn_editor_close_loop(sn_editor *editor);
/* Of the selected handle, where it has these scalars: locks them where they are if any is free, else frees all. */
void sn_editor_toggle_locks(sn_editor *editor, unsigned locks);
/* Of all handles, everything. */
void sn_editor_free_all(sn_editor *editor);
/* What was dragged to a place goes back to where the motion has it. */
void sn_editor_forget_targets(sn_editor *editor);
/* Of the selected handle: negative, the body's, also where none is selected. */
double sn_editor_compliance(const sn_editor *editor);
void sn_editor_set_compliance(sn_editor *editor, double compliance);
/* The selected handle. */
void sn_editor_remove(sn_editor *editor);
/* Of edits: of a loop's last vertex, while one is open. */
void sn_editor_undo(sn_editor *editor);

/* ---- every frame ---- */

/* Takes weights that are done; the body then has a new model, which is returned, and null otherwise. What the program
 * made for the model before, it gives up before the next update. Motions of that one's bones are of no use to the new
 * one: locked bones stay where they were. */
const sn_model *sn_editor_update(sn_editor *editor);
/* The bones (count, of the body's model) as the motion has them: puts in place what was dragged. */
void sn_editor_pose(const sn_editor *editor, sn_mat3x4 *bones, int count);
/* Marks of all handles, at most `limit`; returns their number. */
int sn_editor_marks(const sn_editor *editor, sn_render_mark *marks, int limit);
/* The file of the model that the handles make, if one was made: for whoever saves it. */
const sn_blob *sn_editor_blob(const sn_editor *editor);

/* What is to be told since it was asked last, or null: valid until the next call. */
const char *sn_editor_news(sn_editor *editor);

/* The same body anew, at rest: of the editor's model. What was dragged is forgotten. */
void sn_editor_rebind(sn_editor *editor, sn_body_id body);
/* That the body has, as far as the editor knows. */
const sn_model *sn_editor_model(const sn_editor *editor);

/* ---- for tests, and whoever wants to know ---- */

const sn_edit_handles *sn_editor_handles(const sn_editor *editor);
int sn_editor_selected(const sn_editor *editor); /* -1: none */
/* Weights of the last edit are not there yet. */
bool sn_editor_is_weighing(const sn_editor *editor);
double sn_editor_weigh_seconds(const sn_editor *editor); /* that the last ones took */
/* Where a handle is now, world; of a bone, its other end as well (null: not asked for). */
void sn_editor_place(const sn_editor *editor, int handle, double start[3], double end[3]);

#endif
