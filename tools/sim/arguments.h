/* SPDX-License-Identifier: MIT */
/* What sinew sim is asked for, and what of it does not go together. */
#ifndef SN_TOOLS_SIM_ARGUMENTS_H
#define SN_TOOLS_SIM_ARGUMENTS_H

#include "tools/simulation/simulation.h"

typedef struct sn_sim_arguments {
    sn_string_list operands;
    sn_simulation_parameters parameters;
    const char *dump;
    const char *floor;  /* auto, none or a height; null: auto */
    const char *device; /* with --backend gpu, or null */
    const char *scene;  /* or null */
    const char *replay; /* or null */
    int frames;
    bool is_json;
    bool is_full_space, is_unconstrained, is_clustered;
} sn_sim_arguments;

bool sn_sim_is_on_device(const sn_sim_arguments *arguments);
/* SN_CONTINUE, or an exit code after one line on stderr: of a model; of what scenes take, too. */
int sn_sim_check_arguments(const sn_sim_arguments *arguments);
int sn_sim_check_device(const sn_sim_arguments *arguments);
/* Of the model that is simulated: sn_choose_solver, and that the reference steps such a body. SN_ERROR_ARGUMENT. */
sn_result sn_sim_choose_solver(sn_sim_arguments *arguments, const sn_model *model);

#endif
