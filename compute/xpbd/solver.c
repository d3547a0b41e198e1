/* SPDX-License-Identifier: MIT */
/* Buffers and pipelines, made and enlarged. */
#include "compute/xpbd/solver.h"
#include "compute/core/shared.h"

static const uint32_t step_shader[] =
#include "shaders/xpbd/step.comp.inc"
    ;
static const uint32_t single_shader[] =
#include "shaders/xpbd/step_single.comp.inc"
    ;

_Static_assert(sizeof(struct sn_xpbd_run) == 20, "as the shader reads it");
_Static_assert(sizeof(struct sn_xpbd_record) == 192, "as the shader reads it");
_Static_assert(sizeof(struct sn_xpbd_pin_record) == 64, "as the shader reads it");
_Static_assert(sizeof(struct sn_xpbd_impulse_record) == 32, "as the shader reads it");
_Static_assert(sizeof(struct sn_xpbd_collider_head) == 24, "as the shader reads it");
_Static_assert(sizeof(struct sn_xpbd_collider_record) == 248, "as the shader reads it");
_Static_assert(sizeof(struct sn_xpbd_status) == 48, "as the shader writes it");
_Static_assert(SN_XPBD_BLOCK == SN_BATCH, "as the CPU sums");

#define SHARED_BYTES 31744 /* of 32 KiB: more would leave the device too few bodies at a time */
#define SUM_BYTES 1024     /* of shared memory, besides */
#define ROW_STEP 64        /* similar models share a pipeline */

static const sn_gpu_buffer_desc buffer_descs[SN_XPBD_BINDING_COUNT] = {
    [SN_XPBD_RUNS] = {"xpbd runs", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_CORNERS] = {"xpbd corners", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_VALUES] = {"xpbd values", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_RESTS] = {"xpbd rest places", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_RECORDS] = {"xpbd records", SN_GPU_MEMORY_STREAM},
    [SN_XPBD_PINS] = {"xpbd pins", SN_GPU_MEMORY_STREAM},
    [SN_XPBD_IMPULSES] = {"xpbd impulses", SN_GPU_MEMORY_STREAM},
    [SN_XPBD_COLLIDERS] = {"xpbd colliders", SN_GPU_MEMORY_STREAM},
    [SN_XPBD_DISPLACEMENTS] = {"xpbd displacements", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_PREDICTED] = {"xpbd predictions", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_VELOCITIES] = {"xpbd velocities", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_KEPT] = {"xpbd sums and multipliers", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_STATUSES] = {"xpbd statuses", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_HEADS] = {"xpbd lists of colliders", SN_GPU_MEMORY_STREAM},
    [SN_XPBD_GRIDS] = {"xpbd grids", SN_GPU_MEMORY_DEVICE},
};

sn_gpu_xpbd_desc sn_default_gpu_xpbd_desc(void)
{
    return (sn_gpu_xpbd_desc){.recording_limit = 4};
}

static sn_result init(sn_gpu_xpbd *x)
{
    sn_result result = sn_gpu_share_set_layout(x->device, SN_XPBD_BINDING_COUNT, &x->set_layout);
    if (result == SN_OK) {
        const VkDescriptorSetLayout sets[] = {x->set_layout, x->coupling ? x->coupling->set_layout : VK_NULL_HANDLE};
        result = sn_gpu_share_layout(x->device, "xpbd", sets, x->coupling ? 2 : 1, sizeof(sn_gpu_xpbd_constants),
                                     &x->layout);
    }
    for (int i = 0; i < SN_XPBD_BINDING_COUNT && result == SN_OK; ++i) {
        result = sn_gpu_xpbd_enlarge(x, i, 0);
    }
    return result;
}

sn_result sn_gpu_xpbd_create(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc, sn_gpu_xpbd **xpbd)
{
    return sn_gpu_xpbd_create_coupled(device, desc, NULL, xpbd);
}

sn_result sn_gpu_xpbd_create_coupled(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc,
                                     const sn_gpu_xpbd_coupling *coupling, sn_gpu_xpbd **xpbd)
{
    SN_ASSERT(desc->recording_limit >= 1 && desc->dispatch_sweeps >= 0 && desc->shared_bytes >= 0);
    *xpbd = NULL;
    sn_gpu_xpbd *x = sn_alloc(1, sizeof *x);
    if (!x) {
        return SN_ERROR_MEMORY;
    }
    x->device = device;
    x->desc = *desc;
    x->desc.is_single |= !device->features.shaderFloat64;
    x->coupling = coupling;
    const sn_result result = init(x);
    if (result != SN_OK) {
        sn_gpu_xpbd_destroy(&x);
    }
    *xpbd = x;
    return result;
}

static void free_all(sn_gpu_xpbd *x)
{
    for (int i = 0; i < x->body_count; ++i) {
        sn_free(x->bodies[i].pins, (size_t)x->bodies[i].pin_room, sizeof *x->bodies[i].pins);
        sn_free(x->bodies[i].impulses, (size_t)x->bodies[i].impulse_room, sizeof *x->bodies[i].impulses);
    }
    for (int i = 0; i < x->model_count; ++i) {
        sn_free(x->models[i].run_counts, x->models[i].run_room, sizeof *x->models[i].run_counts);
    }
    sn_gpu_xpbd_free_colliders(x);
    sn_gpu_grids_finish(&x->grids);
    sn_free(x->bodies, (size_t)x->body_room, sizeof *x->bodies);
    sn_free(x->models, (size_t)x->model_room, sizeof *x->models);
    sn_free(x, 1, sizeof *x);
}

void sn_gpu_xpbd_destroy(sn_gpu_xpbd **xpbd)
{
    sn_gpu_xpbd *x = *xpbd;
    *xpbd = NULL;
    if (!x) {
        return;
    }
    sn_gpu_device_wait(x->device);
    sn_gpu_set_destroy(x->device, &x->set);
    for (int i = 0; i < SN_XPBD_BINDING_COUNT; ++i) {
        sn_gpu_buffer_destroy(x->device, &x->buffers[i]);
    }
    free_all(x);
}

sn_result sn_gpu_xpbd_enlarge(sn_gpu_xpbd *x, int binding, VkDeviceSize size)
{
    return sn_gpu_buffer_set_enlarge(x->device, &buffer_descs[binding], size, &x->buffers[binding], &x->set);
}

sn_result sn_gpu_xpbd_make_room(sn_gpu_xpbd *x, int binding, uint32_t count, size_t item_bytes, uint32_t *room)
{
    const VkDeviceSize recordings = (VkDeviceSize)x->desc.recording_limit;
    sn_result result = sn_gpu_xpbd_enlarge(x, binding, recordings * count * item_bytes);
    if (result == SN_OK) {
        *room = (uint32_t)(x->buffers[binding].size / (recordings * item_bytes));
        result = sn_gpu_xpbd_bind(x);
    }
    return result;
}

sn_result sn_gpu_xpbd_bind(sn_gpu_xpbd *x)
{
    return sn_gpu_buffer_set_bind(x->device, "xpbd", x->set_layout, x->buffers, SN_XPBD_BINDING_COUNT, &x->set);
}

sn_result sn_gpu_xpbd_add_grid(sn_gpu_xpbd *x, const sn_grid *grid)
{
    const int binding = SN_XPBD_GRIDS;
    sn_gpu_xpbd_forget_grid(x, grid);
    const sn_result result =
        sn_gpu_grids_add(x->device, &x->grids, grid, &buffer_descs[binding], &x->buffers[binding], &x->set);
    return result == SN_OK ? sn_gpu_xpbd_bind(x) : result;
}

/* ---- pipelines ---- */

bool sn_gpu_xpbd_is_shared(const sn_gpu_xpbd *x, int row_count)
{
    const size_t asked = x->desc.shared_bytes > 0 ? (size_t)x->desc.shared_bytes : SHARED_BYTES;
    const size_t has = x->device->properties.limits.maxComputeSharedMemorySize - SUM_BYTES;
    const size_t most = asked < has ? asked : has;
    const size_t rounded = ((size_t)row_count + ROW_STEP - 1) / ROW_STEP * ROW_STEP;
    return x->desc.split != SN_GPU_XPBD_SPLIT_ALL && rounded * SN_XPBD_ROW_BYTES <= most;
}

/* Whether the coupling's scratch has room beside so many rows. */
static bool is_work_shared(const sn_gpu_xpbd *x, uint32_t rows)
{
    const size_t most = x->device->properties.limits.maxComputeSharedMemorySize - SUM_BYTES;
    const size_t number = x->desc.is_single ? sizeof(float) : sizeof(double);
    return rows * SN_XPBD_ROW_BYTES + x->work_count * number <= most;
}

/* What a coupling has a part in. */
static bool is_of_coupling(uint32_t phase)
{
    return phase == SN_XPBD_WHOLE || phase == SN_XPBD_START || phase == SN_XPBD_COUPLE || phase == SN_XPBD_FINISH;
}

static sn_gpu_shader shader_of(const sn_gpu_xpbd *x, bool is_coupled)
{
    const sn_gpu_shader in_double = SN_GPU_SHADER(step_shader), single = SN_GPU_SHADER(single_shader);
    if (is_coupled) {
        return x->desc.is_single ? x->coupling->single : x->coupling->shader;
    }
    return x->desc.is_single ? single : in_double;
}

static sn_result create_pipeline(sn_gpu_xpbd *x, uint32_t phase, bool is_shared, VkPipeline *pipeline)
{
    static const char *const names[SN_XPBD_PHASE_COUNT] = {
        "xpbd step",     "xpbd start",   "xpbd move",  "xpbd predict", "xpbd colour", "xpbd tail",  "xpbd pull",
        "xpbd velocity", "xpbd measure", "xpbd rigid", "xpbd damp",    "xpbd finish", "xpbd couple"};
    const uint32_t rows = is_shared ? x->shared_rows : 1, has_room = is_work_shared(x, rows);
    const uint32_t constants[] = {phase, is_shared, rows, x->recipes, has_room ? x->work_count : 1, has_room};
    const bool is_coupled = x->coupling && is_of_coupling(phase);
    return sn_gpu_share_compute(x->device, names[phase], x->layout, shader_of(x, is_coupled), constants,
                                is_coupled ? 6 : 4, pipeline);
}

/* Those that solve constraints, have contacts, or couple: they are to know more. */
static void drop_pipelines(sn_gpu_xpbd *x)
{
    static const uint32_t phases[] = {SN_XPBD_WHOLE,    SN_XPBD_COLOUR, SN_XPBD_TAIL,  SN_XPBD_PREDICT,
                                      SN_XPBD_VELOCITY, SN_XPBD_COUPLE, SN_XPBD_FINISH};
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; ++i) {
        x->pipelines[phases[i]] = VK_NULL_HANDLE;
    }
    x->shared_pipeline = VK_NULL_HANDLE;
}

/* A body that takes no workgroup of its own needs all parts; compiling takes its time. */
static bool is_needed(const sn_gpu_xpbd *x, uint32_t phase)
{
    if (x->coupling && phase == SN_XPBD_FINISH) {
        return true;
    }
    if (!x->has_others || (phase == SN_XPBD_COUPLE && !x->coupling)) {
        return false;
    }
    return x->desc.split != (phase == SN_XPBD_WHOLE ? SN_GPU_XPBD_SPLIT_ALL : SN_GPU_XPBD_SPLIT_NONE);
}

static sn_result create_missing(sn_gpu_xpbd *x)
{
    sn_result result = SN_OK;
    if (x->has_shared && !x->shared_pipeline) {
        result = create_pipeline(x, SN_XPBD_WHOLE, true, &x->shared_pipeline);
    }
    for (uint32_t phase = 0; phase < SN_XPBD_PHASE_COUNT && result == SN_OK; ++phase) {
        if (!x->pipelines[phase] && is_needed(x, phase)) {
            result = create_pipeline(x, phase, false, &x->pipelines[phase]);
        }
    }
    return result;
}

sn_result sn_gpu_xpbd_build(sn_gpu_xpbd *x, int row_count, uint32_t recipes)
{
    const bool is_shared = sn_gpu_xpbd_is_shared(x, row_count);
    const uint32_t rows = ((uint32_t)row_count + ROW_STEP - 1) / ROW_STEP * ROW_STEP;
    const uint32_t work_count = x->coupling ? x->coupling->work_count : 0;
    x->has_shared |= is_shared;
    x->has_others |= !is_shared;
    if (recipes & ~x->recipes || (is_shared && rows > x->shared_rows) || work_count > x->work_count) {
        x->recipes |= recipes;
        x->work_count = work_count;
        x->shared_rows = is_shared && rows > x->shared_rows ? rows : x->shared_rows;
        drop_pipelines(x);
    }
    return create_missing(x);
}

sn_result sn_gpu_xpbd_build_parts(sn_gpu_xpbd *x)
{
    x->has_others = true;
    return create_missing(x);
}
