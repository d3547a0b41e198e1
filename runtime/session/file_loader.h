/* SPDX-License-Identifier: MIT */
/* Loads files that are dropped on the player's window, on a background thread. Models of `sinew cook` are opened; every
 * other supported file is cooked first. */
#ifndef SN_RUNTIME_SESSION_FILE_LOADER_H
#define SN_RUNTIME_SESSION_FILE_LOADER_H

#include "sinew/author.h"
#include "sinew/world.h"

typedef struct sn_loaded_file {
    char path[4096];
    sn_blob cooked;    /* the model's bytes if the file was cooked, else empty */
    sn_cook_desc cook; /* how it was cooked */
    sn_model *model;
} sn_loaded_file;

/* Accepts a zeroed struct; zeroes it. */
void sn_loaded_file_release(sn_loaded_file *loaded_file);

typedef struct sn_file_loader sn_file_loader;

/* Starts to load a file. `solver` is what characters are cooked for; drawings are always cooked for coupled bodies.
 * Errors: SN_ERROR_MEMORY. */
sn_result sn_file_loader_start(const char *path, sn_body_solver solver, sn_file_loader **loader);
/* True when loading has finished. Accepts null. Has the signature of sn_player_desc.is_ready. */
bool sn_file_loader_is_done(void *loader);
/* Waits for the thread and returns the model. If loading failed, the error is already logged. */
sn_result sn_file_loader_finish(sn_file_loader **loader, sn_loaded_file *loaded_file);
/* Stops loading and frees everything. Accepts null. */
void sn_file_loader_cancel(sn_file_loader **loader);

#endif
