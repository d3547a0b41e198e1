/* SPDX-License-Identifier: MIT */
/* The verbs of the command. Each takes the arguments after its name and returns the exit code. */
#ifndef SN_TOOLS_COMMAND_VERBS_H
#define SN_TOOLS_COMMAND_VERBS_H

#include <stdbool.h>

#include "sinew/types.h"

int sn_verb_cook(int argument_count, char **arguments);
int sn_verb_info(int argument_count, char **arguments);
int sn_verb_tune(int argument_count, char **arguments);
int sn_verb_sim(int argument_count, char **arguments);
int sn_verb_play(int argument_count, char **arguments);
int sn_verb_bake(int argument_count, char **arguments);
int sn_verb_puppet(int argument_count, char **arguments);
int sn_verb_fourier(int argument_count, char **arguments);
int sn_verb_spacetime(int argument_count, char **arguments);
int sn_verb_bench(int argument_count, char **arguments);
int sn_verb_characters(int argument_count, char **arguments);

#endif
