/* SPDX-License-Identifier: MIT */
/* Inside of the player: shared by its files alone. */
#ifndef SN_RUNTIME_SESSION_PLAYER_STATE_H
#define SN_RUNTIME_SESSION_PLAYER_STATE_H

#include "compute/world/world.h"
#include "host/model/embedding.h"
#include "runtime/camera/orbit.h"
#include "runtime/edit/editor.h"
#include "runtime/edit/mesh_lines.h"
#include "runtime/edit/take.h"
#include "runtime/input/hold.h"
#include "runtime/input/playback.h"
#include "runtime/panel/panel.h"
#include "runtime/session/loop.h"
#include "runtime/session/player.h"
#include "runtime/window/swapchain.h"

/* Handles, and what is drawn over the picture. */
typedef struct sn_player_edit {
    sn_editor *editor; /* of a coupled body, else null */
    bool are_handles_hidden, is_mesh_shown;
    bool is_pointer_held; /* by the editor */
    double pointer[2];
    sn_mesh_lines mesh;    /* made when it is first shown */
    sn_render_mark *marks; /* (mark_limit) */
    int mark_limit;
    sn_take take;
    sn_blob take_blob; /* of the editor's model that it is of; empty: the one that was given */
    char path[4096];   /* of the model, for what is written beside it */
} sn_player_edit;

struct sn_player {
    sn_player_desc desc;
    sn_renderer *renderer;
    sn_swapchain *swapchain;
    sn_gpu *gpu; /* that the world steps on, or null */
    sn_world_id world;
    /* of the character */
    const sn_model *model;
    char name[128];
    sn_motion given, motion; /* the one that the caller gave; the one that plays */
    int motion_index;        /* 0: the given one, then clips, then the hop, without what is there already */
    sn_body_desc start_desc; /* as the character was given */
    sn_body_desc body_desc;  /* the amount as it is when secondary motion is on */
    double gravity_direction[3], wind_direction[3];
    double wind_seconds; /* that the wind has blown */
    sn_body_id body;
    sn_collider_id floor;
    bool is_flesh_drawn;
    sn_embedding *embedding; /* of the model, where its flesh is drawn */
    sn_render_model *render_model;
    sn_collider_id solids[SN_SOLID_LIMIT]; /* (solid_count) */
    sn_render_model *solid_models[SN_SOLID_LIMIT];
    sn_collider solid_shapes[SN_SOLID_LIMIT];
    int solid_count;
    sn_hold hold;
    sn_player_edit edit;
    double *pose;              /* (bone_count x 12) */
    sn_mat3x4 *matrices;       /* (bone_count) */
    float *morphs;             /* (morph_count) */
    float *expression_weights; /* (expression_count) on top of the motion's morph weights */
    int expression;            /* that the key has chosen, or -1 */
    sn_loop loop;
    double motion_seconds, time; /* into the motion; below its length where it loops */
    bool is_looping, is_floor_off;
    sn_playback playback;
    bool is_secondary_off, is_file_dropped;
    sn_stage stage;
    double stage_aspect; /* width over height, for which it was planned */
    sn_orbit orbit;
    sn_title title;
    sn_panel panel;
    double frames_per_second; /* of the last quarter of a second */
    sn_player_report report;
    double solver_seconds, drawing_ms; /* sums */
};

/* ---- the motion (player_motion.c) ---- */

/* From its start, at rest, on a stage of its own. */
sn_result sn_player_play_motion(sn_player *player, const sn_motion *motion);
/* Among those that the user goes through. */
int sn_player_index_of(const sn_player *player, const sn_motion *motion);
/* For the title. */
const char *sn_player_motion_name(const sn_player *player);
/* The motion, and the world with it. */
void sn_player_advance(sn_player *player, double seconds);
/* To the start of the motion, at rest. */
void sn_player_restart(sn_player *player);
/* The floor that is drawn is one that flesh meets, unless it is off. */
sn_result sn_player_lay_floor(sn_player *player);
/* To the next of the motions, or with -1 the one before. */
sn_result sn_player_change_motion(sn_player *player, int direction);
/* Those that there are, and their names; the one that plays from now on. */
int sn_player_motion_count(const sn_player *player);
const char *sn_player_motion_name_at(const sn_player *player, int index);
sn_result sn_player_select_motion(sn_player *player, int index);
/* To a time of the motion, at rest. */
void sn_player_seek(sn_player *player, double seconds);
/* The body's parameters, as the user and the gust have them. */
sn_result sn_player_apply_desc(sn_player *player);

/* ---- what is shown besides (player_view.c) ---- */

#define SN_STAGE_FRAME_SECONDS (1.0 / 60) /* of a motion that moves */
/* From a picture of the stage to the next. */
double sn_player_stage_frame_seconds(const sn_player *player);
/* The scene as it is now, without bodies. */
void sn_player_set_scene(const sn_player *player, const int size[2], sn_render_scene *scene);
#define SN_PLAYER_BODY_LIMIT (SN_SOLID_LIMIT + 1)
/* The same with the character and its solids, which bodies (SN_PLAYER_BODY_LIMIT) then hold. */
void sn_player_fill(const sn_player *player, const int size[2], sn_render_body *bodies, sn_render_scene *scene);
/* The camera as it is now. */
sn_camera sn_player_look(const sn_player *player);

/* ---- what depends on the model (player_poses.c) ---- */

sn_result sn_player_allocate_poses(sn_player *player);
void sn_player_free_poses(sn_player *player);
/* What is drawn of the model, with the textures of another's (or null): its skin, or its flesh, which the body then
 * shows. */
sn_result sn_player_upload(sn_player *player, const sn_render_model *like);
/* What is drawn from now on: the flesh, or the skin of the bones. */
sn_result sn_player_show_flesh(sn_player *player, bool is_flesh_drawn);
/* Another model of the same flesh, whose bones have no motion: everything that was made for the one before goes. */
sn_result sn_player_take_rig(sn_player *player, const sn_model *model);

/* ---- the user (player_input.c) ---- */

sn_result sn_player_handle_events(sn_player *player);
/* What a key, or a button of the panel, asks for. */
sn_result sn_player_obey(sn_player *player, sn_player_command command);

/* ---- the panel of settings (player_panel.c) ---- */

/* Of this frame, where it is shown. */
sn_result sn_player_show_panel(sn_player *player);

/* ---- handles (player_edit.c) ---- */

sn_result sn_player_edit_start(sn_player *player, const char *path);
/* After the body. */
void sn_player_edit_finish(sn_player *player);
/* What has come from the background. */
sn_result sn_player_edit_update(sn_player *player);
/* The matrices as the motion has them: what was dragged takes its place. */
void sn_player_edit_pose(sn_player *player);
void sn_player_edit_record(sn_player *player, double seconds);
void sn_player_edit_draw(sn_player *player, sn_render_scene *scene);
/* Whether it was meant by the event. */
bool sn_player_edit_event(sn_player *player, const sn_window_event *event);
/* Those of handles and meshes. */
sn_result sn_player_edit_obey(sn_player *player, sn_player_command command);
/* A press on the selected handle's, from the body's on. */
void sn_player_bone_compliance(sn_editor *editor, bool is_increase, double of_body);
/* A command of handles, and what it says to the title; false: it is none of these. */
bool sn_player_obey_editor(sn_editor *editor, sn_title *title, sn_player_command command);

#endif
