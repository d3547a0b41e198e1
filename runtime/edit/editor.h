/* SPDX-License-Identifier: MIT */
/* Edits the handles of a coupled body while it is simulated. Independent of window and Vulkan: the caller supplies
 * pointer and camera.
 *
 * Pointer input has two modes. In pose mode (default), a dragged handle follows the pointer in the screen plane through
 * it, or, with a modifier, rotates about the view direction. When released, it returns to its previous locks. In edit
 * mode, the pointer creates handles with the current tool and moves handles in the rest pose. Weights are then computed
 * in the background; the body keeps its old weights until they are ready. If they cannot be computed, the edit is
 * reverted and the reason is reported.
 *
 * The position of a joint is determined by its parent. Dragging a joint pulls the flesh there, and the chain above
 * follows. */
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

/* Pointer coordinates are those of window.h: window heights, right and down from the center. */
typedef struct sn_edit_view {
    sn_camera camera;
    double unit; /* size of an overlay unit, in window heights */
} sn_edit_view;

/* The model must outlive the editor; the body must be coupled and of that model. Models with other handles are owned by
 * the editor. Errors: SN_ERROR_UNSUPPORTED (more than SN_EDIT_HANDLE_LIMIT bones), SN_ERROR_MEMORY. */
sn_result sn_editor_create(const sn_model *model, sn_body_id body, sn_editor **editor);
/* Call after destroying the body, which may use one of the editor's models. Accepts null. */
void sn_editor_destroy(sn_editor **editor);

/* ---- the pointer ---- */

/* Pointer motion without a button: highlights the handle under the pointer. */
void sn_editor_hover(sn_editor *editor, const sn_edit_view *view, const double pointer[2]);
/* True if the press is consumed; then pass the following drags and the release too. */
bool sn_editor_press(sn_editor *editor, const sn_edit_view *view, const double pointer[2], bool is_rotating);
void sn_editor_drag(sn_editor *editor, const sn_edit_view *view, const double pointer[2]);
void sn_editor_release(sn_editor *editor, const sn_edit_view *view, const double pointer[2]);

/* ---- commands ---- */

void sn_editor_set_tool(sn_editor *editor, sn_edit_tool tool);
sn_edit_tool sn_editor_tool(const sn_editor *editor);
/* Turning edit mode off discards an open loop. */
void sn_editor_set_editing(sn_editor *editor, bool is_editing);
bool sn_editor_is_editing(const sn_editor *editor);
/* Closes the open loop; false: it has fewer than three vertices. */
bool sn_editor_close_loop(sn_editor *editor);
/* Toggles locks of the selected handle's scalars: if any is free, all are locked at their current values; else all are
 * freed. */
void sn_editor_toggle_locks(sn_editor *editor, unsigned locks);
/* Frees all scalars of all handles. */
void sn_editor_free_all(sn_editor *editor);
/* Dragged handles return to their motion. */
void sn_editor_clear_targets(sn_editor *editor);
/* Compliance of the selected handle; negative: the body's compliance applies, or no handle is selected. */
double sn_editor_compliance(const sn_editor *editor);
void sn_editor_set_compliance(sn_editor *editor, double compliance);
/* Removes the selected handle. */
void sn_editor_remove(sn_editor *editor);
/* Reverts the last edit, or removes the last vertex of an open loop. */
void sn_editor_undo(sn_editor *editor);

/* ---- every frame ---- */

/* Adopts computed weights. If the body got a new model, returns it, else null. The caller must release everything that
 * refers to the previous model before the next update. Motions of the previous model do not apply to the new one;
 * locked bones keep their transforms. */
const sn_model *sn_editor_update(sn_editor *editor);
/* Overrides the motion's bones (count, of the body's model) with the dragged ones. */
void sn_editor_pose(const sn_editor *editor, sn_mat3x4 *bones, int count);
/* Writes overlay markers of all handles, at most `limit`; returns their number. */
int sn_editor_add_markers(const sn_editor *editor, sn_render_marker *markers, int limit);
/* The file bytes of the current edited model; null if it was not edited. */
const sn_blob *sn_editor_blob(const sn_editor *editor);

/* The message since the last call, or null; valid until the next call. */
const char *sn_editor_message(sn_editor *editor);

/* Binds the editor to a recreated body, at rest and of the editor's model. Dragged handles are reset. */
void sn_editor_rebind(sn_editor *editor, sn_body_id body);
/* The model of the body, as last set by the editor. */
const sn_model *sn_editor_model(const sn_editor *editor);

/* ---- inspection, for tests ---- */

const sn_edit_handles *sn_editor_handles(const sn_editor *editor);
int sn_editor_selected(const sn_editor *editor); /* -1: none */
/* The weights of the last edit are still being computed. */
bool sn_editor_is_computing_weights(const sn_editor *editor);
double sn_editor_weight_seconds(const sn_editor *editor); /* duration of the last weight computation */
/* Current world position of a handle; for bones also of the other end. `end` may be null. */
void sn_editor_handle_position(const sn_editor *editor, int handle, double start[3], double end[3]);

#endif
