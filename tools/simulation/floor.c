/* SPDX-License-Identifier: MIT */
#include "tools/simulation/floor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/skin/skin.h"

#define MAX_FLOOR_DISTANCE 1e4 /* in diagonals; beyond this height single precision is too coarse */

static bool is_word(const char *option)
{
    return !option || strcmp(option, "auto") == 0 || strcmp(option, "none") == 0;
}

int sn_check_floor(const char *option)
{
    char *end = NULL;
    if (!is_word(option) && (!isfinite(strtod(option, &end)) || end == option || *end)) {
        fprintf(stderr, "sinew: --floor %s: not a valid value (auto|none|Y)\n", option);
        return SN_EXIT_USAGE;
    }
    return SN_CONTINUE;
}

/* Lowest point of the surface under the rig alone, over at most one period of the motion. */
static double find_lowest(sn_simulation *body, int frames, double *positions)
{
    sn_surface surface = sn_model_surface(body->model);
    const double step = body->parameters->time_step;
    const double period = body->motion.poses ? frames : ceil(sn_motion_seconds(&body->motion, 1) / step) + 1;
    double lowest = INFINITY;
    surface.mode_count = 0;
    for (int frame = 0; frame < frames && frame < period; ++frame) {
        sn_simulation_pose(body, frame, body->pose, body->morphs);
        sn_skin_surface(&surface, body->pose, NULL, body->morphs, positions, NULL, NULL);
        for (int v = 0; v < surface.vertex_count; ++v) {
            lowest = fmin(lowest, positions[3 * v + 1]);
        }
    }
    return lowest;
}

static sn_result find_height(const char *option, const char *model_path, bool allow_auto, int frames,
                             sn_simulation *simulation, double *height)
{
    const sn_model *model = simulation->model;
    *height = -INFINITY;
    if (option && strcmp(option, "none") == 0) {
        return SN_OK;
    }
    if (option && strcmp(option, "auto") != 0) {
        *height = (strtod(option, NULL) - model->origin_y) * model->scale;
        return fabs(*height) <= MAX_FLOOR_DISTANCE * model->diagonal
                   ? SN_OK
                   : sn_fail(SN_ERROR_ARGUMENT, "--floor %s: more than %g times the size of %s away", option,
                             MAX_FLOOR_DISTANCE, model_path);
    }
    if (model->has_floor == 0 || !allow_auto) {
        return SN_OK;
    }
    sn_arena arena = {0};
    double *positions = SN_NEW(&arena, double, 3 * (size_t)model->counts.surface_vertex_count);
    if (positions) {
        *height = find_lowest(simulation, frames, positions);
    }
    sn_arena_finish(&arena);
    return positions ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_floor_add(const char *option, const char *model_path, bool allow_auto, int frames,
                       sn_simulation *simulation, double *height)
{
    const sn_result result = find_height(option, model_path, allow_auto, frames, simulation, height);
    return result == SN_OK && isfinite(*height) ? sn_simulation_add_floor(simulation, *height) : result;
}
