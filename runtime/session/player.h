/* SPDX-License-Identifier: MIT */
/* The interactive player: one character of a world in a window. Its keys: player_keys.h.
 *
 * Time. The seconds that pass are the world's and the motion's; of a frame that took longer than the world's steps can
 * catch up with, the rest is not simulated but left out. Where a clip begins again, see loop.h: the world steps exactly
 * to the last pose and goes on from the first. Another motion begins at rest. */
#ifndef SN_RUNTIME_SESSION_PLAYER_H
#define SN_RUNTIME_SESSION_PLAYER_H

#include "runtime/session/motion.h"
#include "runtime/view/solid.h"
#include "runtime/window/window.h"
#include "sinew/world.h"

typedef struct sn_player sn_player;

typedef struct sn_player_desc {
    sn_window *window;     /* with the device, made for its extensions: both must outlive the player. Null: none, and
                              whoever made the player steps and draws it (show.h) */
    sn_gpu_device *device; /* */
    int size[2];           /* of the picture, without a window */
    double time_step;
    int worker_count;             /* of the world */
    bool is_on_device;            /* bodies step on the device */
    bool is_single;               /* there: coupled ones without doubles */
    sn_recorder *recorder;        /* of the world, or null; must outlive the player */
    int frame_limit;              /* drawn frames until the player ends; 0: none */
    bool (*is_ready)(void *user); /* asked every frame; or null */
    void *ready_user;
} sn_player_desc;

typedef struct sn_player_character {
    const sn_model *model;  /* must outlive its show */
    const char *name;       /* for the title and messages */
    sn_motion motion;       /* to begin with */
    sn_body_desc body;      /* its parameters; the model is set here */
    const uint8_t *locks;   /* of a coupled body: (bone_count), SN_LOCK_...; null: all */
    bool is_flesh_drawn;    /* of a coupled body: not the skin of its bones */
    const sn_solid *solids; /* (solid_count), at most SN_SOLID_LIMIT, that stand around it; must outlive its show */
    int solid_count;
} sn_player_character;

sn_result sn_player_create(const sn_player_desc *desc, sn_player **player);
/* Before the window and the device. Accepts null. */
void sn_player_destroy(sn_player **player);

/* In place of the one before. After an error there is none. */
sn_result sn_player_show(sn_player *player, const sn_player_character *character);
/* sn_player_show of one that may not be fit to be shown: then it has had its line, and `before` is shown again. */
sn_result sn_player_try(sn_player *player, const sn_player_character *next, const sn_player_character *before,
                        bool *is_next);

typedef enum sn_player_end { SN_PLAYER_CLOSED, SN_PLAYER_FILE_DROPPED, SN_PLAYER_READY } sn_player_end;

/* Until the window is closed, all frames are drawn, a file is dropped on it (sn_window_dropped_path) or what it waits
 * for is ready. A frame allocates nothing; keys may. */
sn_result sn_player_run(sn_player *player, sn_player_end *end);

/* Shown in the title for some seconds. */
void sn_player_tell(sn_player *player, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef struct sn_player_report {
    int frame_count;              /* drawn */
    double seconds;               /* running */
    double solver_ms, drawing_ms; /* means a frame; of the device where it has a clock */
    int recovery_count;
    int grab_count; /* how often the pointer took hold of flesh */
} sn_player_report;
sn_player_report sn_player_get_report(const sn_player *player);

#endif
