/* SPDX-License-Identifier: MIT */
#include "tools/sim/replay.h"

#include <inttypes.h>
#include <stdio.h>

#include "compute/core/open.h"
#include "compute/world/world.h"
#include "tools/command/json.h"
#include "tools/command/median.h"
#include "tools/command/record_file.h"

typedef struct replay {
    sn_arena arena;
    sn_gpu_device *device;
    sn_gpu *gpu;
    sn_model *model; /* the model on the command line, or null */
    sn_replay *replay;
    double *milliseconds; /* (frame_count) */
    int frame_count, recovery_count;
    uint64_t hash;
} replay;

static sn_result open_device(const sn_sim_arguments *a, replay *r)
{
    const sn_gpu_device_desc desc = {.name = a->device};
    SN_TRY(sn_gpu_device_create(&desc, &r->device));
    SN_TRY(sn_gpu_create_on(r->device, 1, &r->gpu));
    r->gpu->is_single_precision = a->parameters.is_single_precision;
    return SN_OK;
}

static sn_result open_replay(const sn_sim_arguments *a, replay *r)
{
    const char *model_path = a->operands.count > 0 ? a->operands.items[0] : NULL;
    sn_replay_desc desc = {0};
    sn_result result = sn_sim_is_on_device(a) ? open_device(a, r) : SN_OK;
    result = result || !model_path ? result : sn_model_file_read(model_path, &r->arena, &r->model);
    const sn_model *const models[1] = {r->model};
    result = result ? result : sn_replay_file_read(a->replay, models, &r->arena, &desc);
    if (result == SN_OK) {
        desc.world.worker_count = a->parameters.threads < 64 ? a->parameters.threads : 64;
        desc.world.backend = r->gpu ? sn_gpu_backend(r->gpu) : NULL;
        result = sn_replay_create(&desc, &r->replay);
    }
    if (result == SN_OK && r->model) {
        result = sn_replay_check_model(r->replay, a->replay, model_path, r->model);
    }
    return result;
}

static sn_result run(const sn_sim_arguments *a, replay *r)
{
    const int steps = sn_replay_step_count(r->replay);
    const int frames = a->frames > 0 && a->frames < steps ? a->frames : steps;
    sn_replay_report report;
    sn_result result = SN_OK;
    r->milliseconds = SN_NEW(&r->arena, double, frames);
    if (!r->milliseconds) {
        return SN_ERROR_MEMORY;
    }
    while (result == SN_OK && r->frame_count < frames) {
        result = sn_replay_step(r->replay, &report);
        r->milliseconds[r->frame_count++] = 1e3 * report.world.solver_seconds;
        r->recovery_count += report.world.recovery_count;
        r->hash = report.hash;
    }
    return result;
}

static void print_result(const sn_sim_arguments *a, const replay *r)
{
    const int difference = sn_replay_first_difference(r->replay);
    const double median = sn_median(r->milliseconds, r->frame_count);
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, r->hash);
    if (a->is_json) {
        sn_print_json(json_pack("{s:s,s:s,s:i,s:o,s:o,s:i,s:s,s:o}", "note", sn_replay_note(r->replay), "version",
                                sn_replay_version(r->replay), "frames", r->frame_count, "seconds",
                                sn_json_real(sn_replay_seconds(r->replay)), "ms_median", sn_json_real(median),
                                "recoveries", r->recovery_count, "hash", hash, "first_difference",
                                difference < 0 ? json_null() : json_integer(difference)));
    } else {
        printf("%s: %d steps, %.3f ms a step (median), %d recoveries; hash %s%s\n", sn_replay_note(r->replay),
               r->frame_count, median, r->recovery_count, hash,
               difference >= 0 ? ""
               : r->gpu        ? ", each as it was recorded, but for modes, which stay on the device"
                               : ", each as it was recorded");
    }
}

int sn_sim_replay(const sn_sim_arguments *a)
{
    replay r = {0};
    sn_result result = open_replay(a, &r);
    result = result ? result : run(a, &r);
    if (result == SN_OK) {
        print_result(a, &r);
    }
    const bool is_same = result == SN_OK && sn_replay_first_difference(r.replay) < 0;
    sn_replay_destroy(&r.replay);
    sn_gpu_destroy(&r.gpu);
    sn_gpu_device_destroy(&r.device);
    sn_model_release(r.model);
    sn_arena_finish(&r.arena);
    return is_same ? SN_EXIT_OK : SN_EXIT_FAILED;
}
