/* SPDX-License-Identifier: MIT */
/* Internal state of the player. */
#ifndef SN_RUNTIME_SESSION_PLAYER_STATE_H
#define SN_RUNTIME_SESSION_PLAYER_STATE_H

#include "compute/world/world.h"
#include "host/model/embedding.h"
#include "runtime/camera/orbit.h"
#include "runtime/edit/bone_recording.h"
#include "runtime/edit/editor.h"
#include "runtime/edit/mesh_lines.h"
#include "runtime/edit/part_editor.h"
#include "runtime/input/grab_tool.h"
#include "runtime/input/playback.h"
#include "runtime/panel/panel.h"
#include "runtime/session/loop.h"
#include "runtime/session/player.h"
#include "runtime/window/swapchain.h"

/* Handle editing and overlays. */
typedef struct sn_player_edit {
    sn_editor *editor; /* for coupled bodies, else null */
    bool are_handles_hidden, is_mesh_visible;
    bool is_pointer_captured; /* by the editor */
    double pointer[2];
    sn_mesh_lines mesh;        /* built when first displayed */
    sn_render_marker *markers; /* (marker_limit) */
    int marker_limit;
    sn_bone_recording recording;
    sn_blob recording_blob; /* bytes of the edited model that is being recorded; empty: the original model */
    char path[4096];        /* of the model; recordings are written beside it */
} sn_player_edit;

/* Editing the parts of the flesh. */
typedef struct sn_player_parts {
    sn_part_editor *editor; /* for reduced bodies with parts, else null */
    int selected;           /* a part, or -1 */
    int pressed;            /* the part where the left button was pressed, or -1 */
    double moved;           /* by the pointer since then, window heights */
    double highlight_end;   /* time until which the selected part is marked */
} sn_player_parts;

struct sn_player {
    sn_player_desc desc;
    sn_renderer *renderer;
    sn_swapchain *swapchain;
    sn_gpu *gpu; /* the world's GPU backend, or null */
    sn_world_id world;
    /* per character */
    const sn_model *model;
    char name[128];
    sn_motion initial_motion, motion; /* the caller's motion; the playing motion */
    int motion_index;                 /* 0: the caller's motion, then clips, then the hop, without duplicates */
    sn_body_desc start_desc;          /* the caller's parameters */
    sn_body_desc body_desc;           /* current parameters; `amount` applies when secondary motion is on */
    double gravity_direction[3], wind_direction[3];
    double wind_seconds; /* time that the wind has blown */
    sn_body_id body;
    sn_collider_id floor;
    bool is_flesh_drawn;
    sn_embedding *embedding; /* of the model, if its flesh is drawn */
    sn_render_model *render_model;
    sn_collider_id solids[SN_SOLID_LIMIT]; /* (solid_count) */
    sn_render_model *solid_models[SN_SOLID_LIMIT];
    sn_collider solid_shapes[SN_SOLID_LIMIT];
    int solid_count;
    sn_grab_tool grab_tool;
    sn_player_edit edit;
    sn_player_parts parts;
    double *pose;              /* (bone_count x 12) */
    sn_mat3x4 *matrices;       /* (bone_count) */
    float *morphs;             /* (morph_count) */
    float *expression_weights; /* (expression_count) added to the motion's morph weights */
    int expression;            /* selected by key, or -1 */
    sn_loop loop;
    double motion_seconds, time; /* duration; current time, below the duration if the motion loops */
    bool is_looping, is_floor_off;
    sn_playback playback;
    bool is_secondary_off, is_file_dropped;
    sn_stage stage;
    double stage_aspect; /* width / height for which the stage was planned */
    sn_orbit orbit;
    sn_title title;
    sn_panel panel;
    double frames_per_second; /* over the last 0.25 s */
    sn_player_report report;
    double solver_seconds, drawing_ms; /* accumulated over all frames */
};

/* ---- the motion (player_motion.c) ---- */

/* Starts a motion from its beginning, with the flesh at rest, and plans its stage. */
sn_result sn_player_play_motion(sn_player *player, const sn_motion *motion);
/* Index of a motion in the list that the user can select from. */
int sn_player_index_of(const sn_player *player, const sn_motion *motion);
/* Name of the playing motion, for the title. */
const char *sn_player_motion_name(const sn_player *player);
/* Advances the motion and steps the world. */
void sn_player_advance(sn_player *player, double seconds);
/* Poses the body at the motion's current time. */
void sn_player_set_pose(sn_player *player);
/* Restarts the motion with the flesh at rest. */
void sn_player_restart(sn_player *player);
/* Creates the collider of the drawn ground, unless the floor is off. */
sn_result sn_player_update_floor(sn_player *player);
/* Selects the next motion, or the previous one with direction -1. */
sn_result sn_player_change_motion(sn_player *player, int direction);
/* The list of selectable motions. */
int sn_player_motion_count(const sn_player *player);
const char *sn_player_motion_name_at(const sn_player *player, int index);
sn_result sn_player_select_motion(sn_player *player, int index);
/* Jumps to a time of the motion, with the flesh at rest. */
void sn_player_seek(sn_player *player, double seconds);
/* Applies the body's parameters, with the wind scaled by the gust. */
sn_result sn_player_apply_desc(sn_player *player);

/* ---- scene and camera (player_view.c) ---- */

#define SN_STAGE_FRAME_SECONDS (1.0 / 60) /* for a motion that moves */
/* Seconds between two frames of the stage. */
double sn_player_stage_frame_seconds(const sn_player *player);
/* Fills the current scene without bodies. */
void sn_player_set_scene(const sn_player *player, const int size[2], sn_render_scene *scene);
#define SN_PLAYER_BODY_LIMIT (SN_SOLID_LIMIT + 1)
/* As sn_player_set_scene, with the character and its solids, written to bodies (SN_PLAYER_BODY_LIMIT). */
void sn_player_fill(const sn_player *player, const int size[2], sn_render_body *bodies, sn_render_scene *scene);
/* The current camera. */
sn_camera sn_player_get_camera(const sn_player *player);

/* ---- model data (player_poses.c) ---- */

sn_result sn_player_allocate_poses(sn_player *player);
void sn_player_free_poses(sn_player *player);
/* Creates the render model of the skin, or of the flesh with its embedding. Textures are shared with `texture_source`,
 * or null.
 */
sn_result sn_player_upload(sn_player *player, const sn_render_model *texture_source);
/* Switches between drawing the flesh and drawing the skin of the bones. */
sn_result sn_player_set_flesh_drawn(sn_player *player, bool is_flesh_drawn);
/* Replaces the model by one of the same flesh with other bones, which have no motion. Frees all data of the previous
 * model. */
sn_result sn_player_replace_model(sn_player *player, const sn_model *model);

/* ---- parts of the flesh (player_parts.c) ---- */

/* path, cook: as in sn_part_editor_desc. */
sn_result sn_player_parts_start(sn_player *player, const char *path, const sn_cook_desc *cook);
/* Frees the models that the editor made: call it after the body is destroyed. */
void sn_player_parts_finish(sn_player *player);
/* Adopts edited models. */
sn_result sn_player_parts_update(sn_player *player);
/* Events that select a part by a click on the skin; never consumes them. */
void sn_player_parts_event(sn_player *player, const sn_window_event *event);
/* Executes undo and comparing; false if there are no parts, or it is another command. */
bool sn_player_parts_execute(sn_player *player, sn_player_command command);
void sn_player_parts_select(sn_player *player, int part);
/* The part to mark, or -1. */
int sn_player_parts_highlighted(const sn_player *player);

/* ---- input (player_input.c) ---- */

sn_result sn_player_handle_events(sn_player *player);
/* Executes the command of a key or panel button. */
sn_result sn_player_execute(sn_player *player, sn_player_command command);

/* ---- settings panel (player_panel.c) ---- */

/* Builds the panel for this frame if it is visible. */
sn_result sn_player_build_panel(sn_player *player);

/* ---- handles (player_edit.c) ---- */

sn_result sn_player_edit_start(sn_player *player, const char *path);
/* Call after destroying the body. */
void sn_player_edit_finish(sn_player *player);
/* Adopts results of background work. */
sn_result sn_player_edit_update(sn_player *player);
/* Overrides the motion's bone matrices with the dragged ones. */
void sn_player_edit_pose(sn_player *player);
void sn_player_edit_record(sn_player *player, double seconds);
void sn_player_edit_draw(sn_player *player, sn_render_scene *scene);
/* Builds the mesh lines, if there are none. */
sn_result sn_player_edit_build_mesh(sn_player *player);
/* True if the event was consumed. */
bool sn_player_edit_event(sn_player *player, const sn_window_event *event);
/* Executes commands of handles and meshes. */
sn_result sn_player_edit_execute(sn_player *player, sn_player_command command);
/* Changes the selected handle's compliance by one key press, starting at the body's compliance. */
void sn_player_bone_compliance(sn_editor *editor, bool is_increase, double body_compliance);
/* Executes a handle command and reports it in the title; false if it is not a handle command. */
bool sn_player_execute_editor(sn_editor *editor, sn_title *title, sn_player_command command);

#endif
