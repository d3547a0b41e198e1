/* SPDX-License-Identifier: MIT */
/* Editors of a scene's coupled bodies: one per body, created when the body is first selected. Only the selected body's
 * handles are visible. */
#ifndef SN_RUNTIME_SESSION_SCENE_EDIT_H
#define SN_RUNTIME_SESSION_SCENE_EDIT_H

#include "runtime/edit/editor.h"
#include "runtime/input/playback.h"
#include "runtime/window/window.h"
#include "scenes/script/scene.h"

/* Zero it, then call sn_scene_edit_start. */
typedef struct sn_scene_edit {
    sn_scene *scene;
    sn_editor **editors; /* (body_count) null: not yet selected, or not coupled */
    int body_count, selected;
    bool are_handles_hidden, is_pointer_captured;
    double pointer[2];
    sn_render_marker *markers; /* (marker_limit) */
    int marker_limit;
} sn_scene_edit;

/* Selects the first coupled body. The scene must outlive the editors and have no other pose callback. */
sn_result sn_scene_edit_start(sn_scene_edit *edit, sn_scene *scene);
/* Destroys the editors; if rigs were edited, the scene restarts with its own rigs. Accepts a zeroed struct. */
sn_result sn_scene_edit_finish(sn_scene_edit *edit);

/* Editor of the selected body; null if none is selected. */
sn_editor *sn_scene_edit_editor(const sn_scene_edit *edit);
/* Selects a body and displays its handles; ignored if the body is not coupled. */
sn_result sn_scene_edit_select(sn_scene_edit *edit, int body);
/* Selects the next (direction 1) or previous (-1) coupled body. */
sn_result sn_scene_edit_select_next(sn_scene_edit *edit, int direction);
/* Call after a restart of the scene: rebinds the editors to the new bodies. */
sn_result sn_scene_edit_restart(sn_scene_edit *edit);
/* Adopts results of background work and changes of the scene, and reports them in the title. Models that bodies had
 * before the call stay valid until the next call. */
sn_result sn_scene_edit_update(sn_scene_edit *edit, sn_title *title);
/* Highlights the handle under the pointer, or continues a drag after the camera moved. */
void sn_scene_edit_move_pointer(sn_scene_edit *edit, const sn_edit_view *view, const double pointer[2]);
/* True if the event was consumed. */
bool sn_scene_edit_event(sn_scene_edit *edit, const sn_edit_view *view, const sn_window_event *event);
void sn_scene_edit_add_markers(const sn_scene_edit *edit, sn_marker_list *list);

#endif
