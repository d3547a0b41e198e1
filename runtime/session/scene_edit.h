/* SPDX-License-Identifier: MIT */
/* Editors of a scene's coupled bodies: one a body, made when it is first selected; that one's handles are seen. */
#ifndef SN_RUNTIME_SESSION_SCENE_EDIT_H
#define SN_RUNTIME_SESSION_SCENE_EDIT_H

#include "runtime/edit/editor.h"
#include "runtime/input/playback.h"
#include "runtime/window/window.h"
#include "scenes/script/scene.h"

/* Zero it, start it. */
typedef struct sn_scene_edit {
    sn_scene *scene;
    sn_editor **editors; /* (body_count) null: not selected yet, or not coupled */
    int body_count, selected;
    bool are_handles_hidden, is_pointer_held;
    double pointer[2];
    sn_render_mark *marks; /* (mark_limit) */
    int mark_limit;
} sn_scene_edit;

/* The first coupled body is selected. The scene must outlive it, and have no other hand. */
sn_result sn_scene_edit_start(sn_scene_edit *edit, sn_scene *scene);
/* The scene begins again, with its own rigs: those of the editors go. Accepts a zeroed one. */
sn_result sn_scene_edit_finish(sn_scene_edit *edit);

/* Of the selected body; null: it is not coupled. */
sn_editor *sn_scene_edit_editor(const sn_scene_edit *edit);
/* Its handles are seen from now on; nothing happens to a body that is not coupled. */
sn_result sn_scene_edit_select(sn_scene_edit *edit, int body);
/* Another one, `direction` 1 or -1 from the selected. */
sn_result sn_scene_edit_select_next(sn_scene_edit *edit, int direction);
/* After the scene began again: new bodies, of the same models. */
sn_result sn_scene_edit_restart(sn_scene_edit *edit);
/* Takes what came from the background, and looks for what the scene has changed; tells the title. Models that bodies
 * had before the call go at the next one. */
sn_result sn_scene_edit_update(sn_scene_edit *edit, sn_title *title);
/* Where nothing is held: what is under the pointer stands out. Else the drag goes on, wherever the camera has gone. */
void sn_scene_edit_point(sn_scene_edit *edit, const sn_edit_view *view, const double pointer[2]);
/* Whether the editor meant the event. */
bool sn_scene_edit_event(sn_scene_edit *edit, const sn_edit_view *view, const sn_window_event *event);
void sn_scene_edit_mark(const sn_scene_edit *edit, sn_mark_list *list);

#endif
