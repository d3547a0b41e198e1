/* SPDX-License-Identifier: MIT */
/* Loads files that are dropped on the player's window, on a background thread. Models of `sinew cook` are opened; every
 * other supported file is cooked first. */
#ifndef SN_RUNTIME_SESSION_DROPPED_H
#define SN_RUNTIME_SESSION_DROPPED_H

#include "sinew/author.h"
#include "sinew/world.h"

typedef struct sn_dropped {
    char path[4096];
    sn_blob cooked; /* the model's bytes if the file was cooked, else empty */
    sn_model *model;
} sn_dropped;

/* Accepts a zeroed struct; zeroes it. */
void sn_dropped_release(sn_dropped *dropped);

typedef struct sn_dropping sn_dropping;

/* Starts to load a file. `solver` is what characters are cooked for; drawings are always cooked for coupled bodies.
 * Errors: SN_ERROR_MEMORY. */
sn_result sn_dropping_begin(const char *path, sn_body_solver solver, sn_dropping **dropping);
/* True when loading has finished. Accepts null. Has the signature of sn_player_desc.is_ready. */
bool sn_dropping_is_done(void *dropping);
/* Waits for the thread and returns the model. If loading failed, the error is already logged. */
sn_result sn_dropping_take(sn_dropping **dropping, sn_dropped *dropped);
/* Stops loading and frees everything. Accepts null. */
void sn_dropping_cancel(sn_dropping **dropping);

#endif
