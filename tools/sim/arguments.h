/* SPDX-License-Identifier: MIT */
/* The arguments of sinew sim and their compatibility checks. */
#ifndef SN_TOOLS_SIM_ARGUMENTS_H
#define SN_TOOLS_SIM_ARGUMENTS_H

#include "tools/simulation/simulation.h"

typedef struct sn_sim_arguments {
    sn_string_list operands;
    sn_simulation_parameters parameters;
    const char *dump;
    const char *floor;  /* auto, none or a height; null: auto */
    const char *device; /* device name with --backend gpu, or null */
    const char *scene;  /* or null */
    const char *replay; /* or null */
    int frames;
    bool is_json;
    bool is_full_space, is_unconstrained, is_clustered;
} sn_sim_arguments;

bool sn_sim_is_on_device(const sn_sim_arguments *arguments);
/* Check the arguments for a model, or the device arguments that scenes also accept. Return SN_CONTINUE, or an exit code
 * after one line on stderr. */
int sn_sim_check_arguments(const sn_sim_arguments *arguments);
int sn_sim_check_device(const sn_sim_arguments *arguments);
/* Calls sn_simulation_choose_solver and checks that --full-space supports the body. SN_ERROR_ARGUMENT. */
sn_result sn_sim_choose_solver(sn_sim_arguments *arguments, const sn_model *model);

#endif
