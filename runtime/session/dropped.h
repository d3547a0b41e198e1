/* SPDX-License-Identifier: MIT */
/* Files that are dropped on the player's window become models in a thread of their own, while it plays on: those of
 * `sinew cook` are read, all else that it takes is cooked. */
#ifndef SN_RUNTIME_SESSION_DROPPED_H
#define SN_RUNTIME_SESSION_DROPPED_H

#include "sinew/author.h"
#include "sinew/world.h"

typedef struct sn_dropped {
    char path[4096];
    sn_blob cooked; /* the model's bytes, where it was cooked */
    sn_model *model;
} sn_dropped;

/* Accepts zeroes, and leaves them. */
void sn_dropped_release(sn_dropped *dropped);

typedef struct sn_dropping sn_dropping;

/* Begins with a file. solver: what characters are cooked for; drawings always are for coupled bodies. */
sn_result sn_dropping_begin(const char *path, sn_body_solver solver, sn_dropping **dropping);
/* Of a dropping, or null, as the player asks: whether there is something to take. */
bool sn_dropping_is_done(void *dropping);
/* Waits for it. What could not be made has had its line. */
sn_result sn_dropping_take(sn_dropping **dropping, sn_dropped *dropped);
/* Accepts null. */
void sn_dropping_cancel(sn_dropping **dropping);

#endif
