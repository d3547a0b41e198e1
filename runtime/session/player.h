/* SPDX-License-Identifier: MIT */
/* The interactive player: one character of a world in a window. Keys: player_keys.h.
 *
 * Time. World and motion advance by the same wall-clock seconds. If a frame took longer than the world's step limit can
 * simulate, the excess is dropped. When a clip loops (see loop.h), the world steps exactly to the last pose and
 * continues from the first. A different motion starts with the flesh at rest. */
#ifndef SN_RUNTIME_SESSION_PLAYER_H
#define SN_RUNTIME_SESSION_PLAYER_H

#include "runtime/camera/stage.h"
#include "runtime/session/motion.h"
#include "runtime/view/solid.h"
#include "runtime/window/window.h"
#include "sinew/author.h"
#include "sinew/world.h"

typedef struct sn_player sn_player;

typedef struct sn_player_desc {
    sn_window *window; /* created with the device, whose extensions it needs; must outlive the player. Null: no window;
                          the caller steps and draws the player (playable.h) */
    sn_gpu_device *device; /* must outlive the player */
    int size[2];           /* picture size in pixels when there is no window */
    sn_stage_view view;
    sn_backdrop backdrop;
    float background[3]; /* of SN_BACKDROP_PLAIN: linear */
    double time_step;
    int worker_count;             /* threads of the world */
    bool is_on_device;            /* simulate bodies on the GPU */
    bool is_single_precision;     /* coupled bodies on the GPU use single precision */
    sn_recorder *recorder;        /* of the world, or null; must outlive the player */
    int frame_limit;              /* drawn frames until the player stops; 0: no limit */
    bool (*is_ready)(void *user); /* polled every frame; true stops the player; or null */
    void *ready_user;
} sn_player_desc;

typedef struct sn_player_character {
    const sn_model *model;    /* must outlive its display */
    const char *name;         /* path, for title and messages, and where edited parts are saved */
    const sn_cook_desc *cook; /* how the file `name` was cooked; null: it is a model */
    sn_motion motion;         /* first motion */
    sn_body_desc body;        /* body parameters; the player sets the model */
    const uint8_t *locks;     /* coupled bodies: (bone_count) SN_LOCK_... flags; null: lock all bones */
    bool is_flesh_drawn;      /* coupled bodies: draw the flesh instead of the skin of the bones */
    const sn_solid *solids;   /* (solid_count) static obstacles, at most SN_SOLID_LIMIT; must outlive the display */
    int solid_count;
} sn_player_character;

sn_result sn_player_create(const sn_player_desc *desc, sn_player **player);
/* Call before destroying the window and the device. Accepts null. */
void sn_player_destroy(sn_player **player);

/* Replaces the current character. After an error there is no character. */
sn_result sn_player_set_character(sn_player *player, const sn_player_character *character);
/* As sn_player_set_character, but if `next` fails, the error is logged and `previous` is displayed again. *is_next:
 * `next` is displayed. */
sn_result sn_player_try_character(sn_player *player, const sn_player_character *next,
                                  const sn_player_character *previous, bool *is_next);

typedef enum sn_player_exit_reason {
    SN_PLAYER_EXIT_CLOSED,
    SN_PLAYER_EXIT_FILE_DROPPED,
    SN_PLAYER_EXIT_READY
} sn_player_exit_reason;

/* Runs until the window is closed, frame_limit frames are drawn, a file is dropped on the window
 * (sn_window_dropped_path) or is_ready returns true. A frame allocates nothing; key commands may. */
sn_result sn_player_run(sn_player *player, sn_player_exit_reason *end);

/* Displays a message in the title and over the picture for some seconds. */
void sn_player_show_message(sn_player *player, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef struct sn_player_report {
    int frame_count;              /* drawn frames */
    double seconds;               /* running time */
    double solver_ms, drawing_ms; /* mean per frame; GPU time where the device has timestamps */
    int recovery_count;
    int grab_count; /* times that the pointer grabbed flesh */
} sn_player_report;
sn_player_report sn_player_get_report(const sn_player *player);

#endif
