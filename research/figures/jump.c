/* SPDX-License-Identifier: MIT */
#include "research/figures/jump.h"

#include <math.h>

#define YOUNG 1e6

/* Squats and takes off. */
static void move(int frame, void *user, double *pose)
{
    (void)user;
    const double at = frame / SN_JUMP_RATE;
    sn_limb_pose(0.3 * sin(3 * at), 0.3 * (1 - cos(6 * at)), 0, pose);
}

sn_result sn_jump_play(const sn_jump *jump, const sn_jump_solve *solve, double *places)
{
    sn_limb limb = jump->limb;
    sn_layered_settings settings = sn_default_layered_settings();
    limb.desc.mode = solve->mode;
    limb.desc.is_coloured = solve->is_coloured;
    settings.time_step = 1 / SN_JUMP_RATE;
    settings.substep_count = solve->substeps;
    settings.sweep_count = solve->sweeps;
    settings.consolidation_sweep_count = solve->consolidating;
    settings.consolidating_factor = solve->factor;
    settings.gravity[1] = -9.81;
    return sn_limb_play(&limb, &settings,
                        &(sn_limb_run){.frame_count = SN_JUMP_FRAMES, .move = move, .places = places});
}

sn_result sn_jump_make(int across, int along, int exact_sweeps, sn_arena *arena, sn_jump *jump)
{
    *jump = (sn_jump){.exact = NULL};
    sn_result result = sn_limb_leg(across, along, arena, &jump->limb);
    if (result != SN_OK) {
        return result;
    }
    const size_t size = 3 * (size_t)SN_JUMP_FRAMES * (size_t)jump->limb.mesh.vertex_count;
    jump->exact = SN_NEW(arena, double, size);
    jump->places = SN_NEW(arena, double, size);
    if (!jump->exact || !jump->places) {
        return SN_ERROR_MEMORY;
    }
    sn_limb_material(&jump->limb, YOUNG, 0.4, NULL);
    return sn_jump_play(jump, &(sn_jump_solve){SN_LAYERED_UNORDERED, false, 1, exact_sweeps, 0, 1}, jump->exact);
}

double *sn_jump_end(const sn_jump *jump, double *places)
{
    return places + 3 * (size_t)(SN_JUMP_FRAMES - 1) * (size_t)jump->limb.mesh.vertex_count;
}
