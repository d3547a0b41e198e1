/* SPDX-License-Identifier: MIT */
/* Pipelines, created on demand. */
#include "compute/core/shared.h"
#include "compute/xpbd/private.h"

static const uint32_t step_shader[] =
#include "shaders/xpbd/step.comp.inc"
    ;
static const uint32_t single_shader[] =
#include "shaders/xpbd/step_single.comp.inc"
    ;

#define SHARED_BYTES 32768 /* more would let too few bodies run at a time */
#define ROW_STEP 64        /* rounding lets similar models share a pipeline */
#define WORK_STEP 64

static size_t number_bytes(const sn_gpu_xpbd *x)
{
    return x->desc.is_single_precision ? sizeof(float) : sizeof(double);
}

/* Shared memory besides rows: the sums, and the coupling's array of scratch, which has one number where scratch is in
 * device memory. */
static size_t fixed_bytes(const sn_gpu_xpbd *x)
{
    return (2u * SN_XPBD_GROUP_SIZE + (x->coupling ? 1u : 0u)) * number_bytes(x);
}

/* Rows that fit into shared memory, a multiple of ROW_STEP. */
static uint32_t max_rows(const sn_gpu_xpbd *x)
{
    const size_t device_bytes = x->device->properties.limits.maxComputeSharedMemorySize;
    const size_t requested = x->desc.shared_bytes > 0 ? (size_t)x->desc.shared_bytes : SHARED_BYTES - fixed_bytes(x);
    const size_t limit = device_bytes - fixed_bytes(x), size = requested < limit ? requested : limit;
    return (uint32_t)(size / SN_XPBD_ROW_BYTES / ROW_STEP * ROW_STEP);
}

bool sn_gpu_xpbd_is_shared(const sn_gpu_xpbd *x, int row_count)
{
    return x->desc.split != SN_GPU_XPBD_SPLIT_ALL && (uint32_t)row_count <= max_rows(x);
}

/* Scratch numbers of the coupling that fit into shared memory besides `rows` rows. */
static uint32_t max_work(const sn_gpu_xpbd *x, uint32_t rows)
{
    const size_t limit = x->device->properties.limits.maxComputeSharedMemorySize;
    const size_t used_bytes = fixed_bytes(x) + rows * SN_XPBD_ROW_BYTES;
    return used_bytes < limit ? (uint32_t)((limit - used_bytes) / number_bytes(x)) : 0;
}

static sn_gpu_shader shader_of(const sn_gpu_xpbd *x, bool is_coupled)
{
    const sn_gpu_shader in_double = SN_GPU_SHADER(step_shader), single = SN_GPU_SHADER(single_shader);
    if (is_coupled) {
        return x->desc.is_single_precision ? x->coupling->single : x->coupling->shader;
    }
    return x->desc.is_single_precision ? single : in_double;
}

/* The constraint types that affect a phase, so that models which differ otherwise share its pipeline. */
static uint32_t recipes_of(const sn_gpu_xpbd *x, uint32_t phase)
{
    const uint32_t grids = 1u << SN_XPBD_HAS_GRIDS;
    switch (phase) {
    case SN_XPBD_ALL:
        return x->recipes;
    case SN_XPBD_COLOUR:
    case SN_XPBD_SMALL_RUNS:
        return x->recipes & ~grids;
    case SN_XPBD_PREDICT:
    case SN_XPBD_VELOCITY:
        return x->recipes & grids;
    default:
        return 0;
    }
}

/* Scratch numbers of the coupling in shared memory; 0: scratch is in device memory. On software Vulkan all that fit,
 * since compilation is slow there. */
static uint32_t work_of(const sn_gpu_xpbd *x, uint32_t phase, uint32_t rows)
{
    const uint32_t limit = max_work(x, rows);
    if (phase == SN_XPBD_START || x->work_count == 0 || x->work_count > limit) {
        return 0;
    }
    return sn_gpu_device_is_software(x->device) ? limit
                                                : sn_gpu_shared_capacity(x->device, x->work_count, WORK_STEP, limit);
}

static sn_result create_pipeline(sn_gpu_xpbd *x, uint32_t phase, bool is_shared, VkPipeline *pipeline)
{
    static const char *const names[SN_XPBD_PHASE_COUNT] = {
        "xpbd step",       "xpbd start",     "xpbd move",     "xpbd predict", "xpbd colour",
        "xpbd small runs", "xpbd soft pins", "xpbd velocity", "xpbd measure", "xpbd rigid",
        "xpbd damp",       "xpbd finish",    "xpbd couple"};
    const uint32_t rows = is_shared ? x->shared_rows : 1, work = work_of(x, phase, rows);
    const uint32_t constants[] = {phase, is_shared, rows, recipes_of(x, phase), work > 0 ? work : 1, work > 0};
    const bool is_coupled = sn_gpu_xpbd_has_coupling_phase(x, phase);
    return sn_gpu_shared_compute_pipeline(x->device, names[phase], x->layout, shader_of(x, is_coupled), constants,
                                          is_coupled ? 6 : 4, pipeline);
}

/* Drops the pipelines that depend on constraint types, grids or scratch size. */
static void drop_pipelines(sn_gpu_xpbd *x)
{
    static const uint32_t phases[] = {SN_XPBD_ALL,      SN_XPBD_COLOUR, SN_XPBD_SMALL_RUNS, SN_XPBD_PREDICT,
                                      SN_XPBD_VELOCITY, SN_XPBD_COUPLE, SN_XPBD_FINISH};
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; ++i) {
        x->pipelines[phases[i]] = VK_NULL_HANDLE;
    }
    x->shared_pipeline = VK_NULL_HANDLE;
}

/* Only bodies that are split over dispatches need all phases; compilation is slow. */
static bool is_needed(const sn_gpu_xpbd *x, uint32_t phase)
{
    if (x->coupling && x->coupling->has_separate_finish && phase == SN_XPBD_FINISH) {
        return true;
    }
    if (!x->has_unshared || (phase == SN_XPBD_COUPLE && !sn_gpu_xpbd_has_coupling_phase(x, phase))) {
        return false;
    }
    return x->desc.split != (phase == SN_XPBD_ALL ? SN_GPU_XPBD_SPLIT_ALL : SN_GPU_XPBD_SPLIT_NONE);
}

static sn_result create_missing(sn_gpu_xpbd *x)
{
    if (x->has_shared && !x->shared_pipeline) {
        SN_TRY(create_pipeline(x, SN_XPBD_ALL, true, &x->shared_pipeline));
    }
    for (uint32_t phase = 0; phase < SN_XPBD_PHASE_COUNT; ++phase) {
        if (!x->pipelines[phase] && is_needed(x, phase)) {
            SN_TRY(create_pipeline(x, phase, false, &x->pipelines[phase]));
        }
    }
    return SN_OK;
}

sn_result sn_gpu_xpbd_create_pipelines(sn_gpu_xpbd *x, int row_count, uint32_t recipes)
{
    const bool is_shared = sn_gpu_xpbd_is_shared(x, row_count);
    const uint32_t rows = is_shared ? sn_gpu_shared_capacity(x->device, (uint32_t)row_count, ROW_STEP, max_rows(x)) : 0;
    const uint32_t work_count = x->coupling ? x->coupling->work_count : 0;
    x->has_shared |= is_shared;
    x->has_unshared |= !is_shared;
    if (recipes & ~x->recipes || (is_shared && rows > x->shared_rows) || work_count > x->work_count) {
        x->recipes |= recipes;
        x->work_count = work_count;
        x->shared_rows = is_shared && rows > x->shared_rows ? rows : x->shared_rows;
        drop_pipelines(x);
    }
    return create_missing(x);
}

sn_result sn_gpu_xpbd_create_split_pipelines(sn_gpu_xpbd *x)
{
    x->has_unshared = true;
    return create_missing(x);
}
