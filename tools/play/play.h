/* SPDX-License-Identifier: MIT */
/* `sinew play` for characters, extensible by verbs that supply the motion themselves. */
#ifndef SN_TOOLS_PLAY_PLAY_H
#define SN_TOOLS_PLAY_PLAY_H

#include <jansson.h>

#include "tools/simulation/simulation.h"

/* Callbacks of a verb, called in this order until one fails. The callbacks print their own messages. */
typedef struct sn_play_live {
    const char *name, *usage, *summary, *details; /* as in sn_verb */
    const char *examples[SN_EXAMPLE_COUNT];
    const sn_option *options; /* additional options, ended by a null name */
    void *user;
    /* Checks the arguments before anything is opened: SN_CONTINUE, or an exit code. inputs (count): files that play
     * reads; entries may be null or not be files. */
    int (*check)(void *user, const char *const *inputs, int count);
    /* Called when the model is loaded and has the motion of parameters->motion; sets parameters->live. */
    sn_result (*open)(void *user, const sn_model *model, const char *path, bool is_headless,
                      sn_simulation_parameters *parameters);
    /* Called after the last frame. */
    sn_result (*finish)(void *user);
    void (*report)(void *user, json_t *report); /* adds members to the JSON report */
    void (*close)(void *user);                  /* called before the model is released, also after a failure */
} sn_play_live;

/* Returns an exit code. live is null for `play` itself. */
int sn_play_characters(const sn_play_live *live, int argument_count, char **arguments);

#endif
