/* SPDX-License-Identifier: MIT */
#include "tools/sim/arguments.h"

#include <stdio.h>
#include <string.h>

#include "tools/simulation/floor.h"

bool sn_sim_is_on_device(const sn_sim_arguments *a)
{
    return a->parameters.backend && strcmp(a->parameters.backend, "gpu") == 0;
}

/* Returns the first wind, floor or collider option that is set, or null. */
static const char *find_surroundings(const sn_sim_arguments *a)
{
    const double *wind = a->parameters.wind;
    const bool is_windy = wind[0] != 0 || wind[1] != 0 || wind[2] != 0;
    const bool has_floor = a->floor && strcmp(a->floor, "auto") != 0 && strcmp(a->floor, "none") != 0;
    const bool has_solids = a->parameters.solids.count > 0;
    return is_windy ? "--wind" : has_floor ? "--floor" : has_solids ? "--collider" : NULL;
}

int sn_sim_check_device(const sn_sim_arguments *a)
{
    if (a->device && !sn_sim_is_on_device(a)) {
        fprintf(stderr, "sinew: sim: --device needs --backend gpu\n");
        return SN_EXIT_USAGE;
    }
    const char *unsupported = a->is_full_space ? "--full-space" : a->parameters.is_double ? "--double" : NULL;
    if (sn_sim_is_on_device(a) && unsupported) {
        fprintf(stderr, "sinew: sim: %s: not with --backend gpu\n", unsupported);
        return SN_EXIT_USAGE;
    }
    return SN_CONTINUE;
}

/* The full-space reference supports no wind, floor or colliders. */
static int check_full_space(const sn_sim_arguments *a)
{
    const char *surroundings = find_surroundings(a);
    if (a->is_full_space && a->parameters.is_neo_hookean) {
        fprintf(stderr, "sinew: sim: --neo-hookean: not with --full-space\n");
        return SN_EXIT_USAGE;
    }
    if (a->is_full_space && a->parameters.is_without_bone_colliders) {
        fprintf(stderr, "sinew: sim: --no-bone-colliders: not with --full-space, which has none\n");
        return SN_EXIT_USAGE;
    }
    if (a->is_full_space && a->parameters.budget > 0) {
        fprintf(stderr, "sinew: sim: --budget: not with --full-space\n");
        return SN_EXIT_USAGE;
    }
    if (a->is_full_space && surroundings) {
        fprintf(stderr, "sinew: sim: %s: not with --full-space\n", surroundings);
        return SN_EXIT_USAGE;
    }
    if (a->is_full_space && (a->parameters.modes_used > 0 || a->parameters.cluster_level > 0)) {
        fprintf(stderr, "sinew: sim: %s: not with --full-space\n",
                a->parameters.modes_used > 0 ? "--modes-used" : "--cluster-level");
        return SN_EXIT_USAGE;
    }
    if (a->is_full_space && (a->parameters.is_coupled || a->parameters.is_layered)) {
        fprintf(stderr, "sinew: sim: %s: not with --full-space\n",
                a->parameters.is_coupled ? "--coupled" : "--layered");
        return SN_EXIT_USAGE;
    }
    if (!a->is_full_space && (a->is_unconstrained || a->is_clustered)) {
        fprintf(stderr, "sinew: sim: %s needs --full-space\n",
                a->is_unconstrained ? "--unconstrained" : "--full-space-clusters");
        return SN_EXIT_USAGE;
    }
    return SN_CONTINUE;
}

int sn_sim_check_arguments(const sn_sim_arguments *a)
{
    if (a->operands.count == 0) {
        fprintf(stderr, "sinew: sim: too few arguments: a model, a scene file or --scene NAME\n");
        return SN_EXIT_USAGE;
    }
    if (a->frames < 1) {
        fprintf(stderr, "sinew: sim: --frames N is missing\n");
        return SN_EXIT_USAGE;
    }
    const int status = sn_simulation_check_parameters(&a->parameters);
    if (status != SN_CONTINUE) {
        return status;
    }
    const int floor_status = sn_check_floor(a->floor);
    if (floor_status != SN_CONTINUE) {
        return floor_status;
    }
    const int device_status = sn_sim_check_device(a);
    return device_status == SN_CONTINUE ? check_full_space(a) : device_status;
}

sn_result sn_sim_choose_solver(sn_sim_arguments *a, const sn_model *model)
{
    const char *path = a->operands.items[0];
    const sn_result result = sn_simulation_choose_solver(path, model, &a->parameters);
    return result == SN_OK && a->parameters.is_layered && a->is_full_space
               ? sn_fail(SN_ERROR_ARGUMENT,
                         "%s: --full-space: not supported by layered bodies, for which the model was cooked", path)
               : result;
}
