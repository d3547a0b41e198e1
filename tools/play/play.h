/* SPDX-License-Identifier: MIT */
/* What `sinew play` does with a character, for a verb that moves it by itself. */
#ifndef SN_TOOLS_PLAY_PLAY_H
#define SN_TOOLS_PLAY_PLAY_H

#include <jansson.h>

#include "tools/simulation/simulation.h"

/* Called in this order, as far as nothing fails; messages are the callee's. */
typedef struct sn_play_live {
    const char *name, *usage, *says; /* of the verb */
    const sn_option *options;        /* more than play's of characters, ended by a null name */
    void *user;
    /* The arguments, before anything else is opened: SN_CONTINUE, or an exit code. inputs: (count) files that play
     * reads, null among them, and names that are no files. */
    int (*check)(void *user, const char *const *inputs, int count);
    /* The model is there, and has the motion that parameters->motion asks for: sets parameters->live. */
    sn_result (*open)(void *user, const sn_model *model, const char *path, bool is_headless,
                      sn_simulation_parameters *parameters);
    /* All is played. */
    sn_result (*finish)(void *user);
    void (*report)(void *user, json_t *report); /* adds to it */
    void (*close)(void *user);                  /* before the model goes; also after a failure */
} sn_play_live;

/* An exit code. live: null is `play` itself. */
int sn_play_characters(const sn_play_live *live, int argument_count, char **arguments);

#endif
