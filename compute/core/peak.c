/* SPDX-License-Identifier: MIT */
#include "compute/core/peak.h"

#include "compute/core/commands.h"
#include "compute/core/memory.h"
#include "compute/core/pipeline.h"
#include "compute/core/timer.h"
#include "shaders/shared/peak.h"

static const uint32_t multiply_add_shader[] =
#include "shaders/core/multiply_add.comp.inc"
    ;
static const uint32_t copy_shader[] =
#include "shaders/core/copy.comp.inc"
    ;

#define COPY_BYTES ((VkDeviceSize)256 << 20)
#define SOFTWARE_COPY_BYTES ((VkDeviceSize)64 << 20)
#define COPY_RUNS 20
#define FIRST_GROUPS 16
#define MAX_GROUPS 65535          /* every device supports this many */
#define MIN_DISPATCH_SECONDS 0.02 /* duration at which dispatch latency is negligible */

#define BINDING_COUNT 2
static const VkDescriptorType types[BINDING_COUNT] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                      VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};

typedef struct probe {
    sn_gpu_device *device;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline multiply_add, copy;
    sn_gpu_buffer to, from;
    sn_gpu_set set;
    sn_gpu_timer timer;
} probe;

static VkDeviceSize copy_bytes(const probe *p)
{
    const VkDeviceSize requested = sn_gpu_device_is_software(p->device) ? SOFTWARE_COPY_BYTES : COPY_BYTES;
    const VkDeviceSize limit = p->device->properties.limits.maxStorageBufferRange / 4096 * 4096;
    return requested < limit ? requested : limit;
}

static sn_result create_pipelines(probe *p)
{
    sn_gpu_device *device = p->device;
    sn_result result =
        sn_gpu_set_layout_create(device, "peak", VK_SHADER_STAGE_COMPUTE_BIT, types, BINDING_COUNT, &p->set_layout);
    if (result == SN_OK) {
        result = sn_gpu_pipeline_layout_create(device, "peak", VK_SHADER_STAGE_COMPUTE_BIT, &p->set_layout, 1, 0,
                                               &p->layout);
    }
    if (result == SN_OK) {
        result = sn_gpu_compute_create(device, "multiply-add", p->layout, SN_GPU_SHADER(multiply_add_shader), NULL, 0,
                                       &p->multiply_add);
    }
    return result == SN_OK
               ? sn_gpu_compute_create(device, "copy", p->layout, SN_GPU_SHADER(copy_shader), NULL, 0, &p->copy)
               : result;
}

static sn_result create(probe *p)
{
    const VkDeviceSize size = copy_bytes(p);
    SN_TRY(create_pipelines(p));
    SN_TRY(sn_gpu_buffer_create(p->device, "peak to", size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SN_GPU_MEMORY_DEVICE,
                                &p->to));
    SN_TRY(sn_gpu_buffer_create(p->device, "peak from", size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SN_GPU_MEMORY_DEVICE,
                                &p->from));
    const float factors[4] = {0.999999f, 1e-6f, 0, 0};
    SN_TRY(sn_gpu_upload_buffer(p->device, &p->from, factors, sizeof factors));
    const sn_gpu_binding bindings[BINDING_COUNT] = {{.buffer = p->to.handle}, {.buffer = p->from.handle}};
    SN_TRY(sn_gpu_set_create(p->device, "peak", p->set_layout, types, bindings, BINDING_COUNT, &p->set));
    return sn_gpu_timer_create(p->device, "peak", 1, &p->timer);
}

static void destroy(probe *p)
{
    VkDevice device = p->device->handle;
    sn_gpu_timer_destroy(p->device, &p->timer);
    sn_gpu_set_destroy(p->device, &p->set);
    sn_gpu_buffer_destroy(p->device, &p->from);
    sn_gpu_buffer_destroy(p->device, &p->to);
    vkDestroyPipeline(device, p->copy, NULL);
    vkDestroyPipeline(device, p->multiply_add, NULL);
    vkDestroyPipelineLayout(device, p->layout, NULL);
    vkDestroyDescriptorSetLayout(device, p->set_layout, NULL);
}

/* Dispatches `groups` workgroups `repeats` times. */
static sn_result run(probe *p, VkPipeline pipeline, uint32_t groups, int repeats, double *seconds)
{
    VkCommandBuffer commands = VK_NULL_HANDLE;
    uint64_t value = 0;
    sn_result result = sn_gpu_begin(p->device, &commands);
    if (result != SN_OK) {
        return result;
    }
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, p->layout, 0, 1, &p->set.handle, 0, NULL);
    sn_gpu_timer_begin(&p->timer, commands, 0);
    for (int i = 0; i < repeats; ++i) {
        vkCmdDispatch(commands, groups, 1, 1);
        sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_SHADER_WRITE);
    }
    sn_gpu_timer_end(&p->timer, commands, 0);
    result = sn_gpu_submit(p->device, commands, &value);
    if (result == SN_OK) {
        result = sn_gpu_wait(p->device, value);
    }
    return result == SN_OK ? sn_gpu_timer_read(p->device, &p->timer, 0, seconds) : result;
}

/* The best throughput over growing group counts, up to one where latency is negligible. */
static sn_result measure_flops(probe *p, double *flops)
{
    const double of_group = 2.0 * SN_PEAK_GROUP_SIZE * SN_PEAK_CHAINS * SN_PEAK_ROUNDS;
    double seconds = 0;
    sn_result result = run(p, p->multiply_add, 1, 1, &seconds); /* the first dispatch may compile */
    seconds = 0;
    for (uint32_t groups = FIRST_GROUPS; groups <= MAX_GROUPS && result == SN_OK && seconds < MIN_DISPATCH_SECONDS;
         groups *= 2) {
        for (int attempt = 0; attempt < 3 && result == SN_OK; ++attempt) {
            result = run(p, p->multiply_add, groups, 1, &seconds);
            *flops = seconds > 0 && groups * of_group / seconds > *flops ? groups * of_group / seconds : *flops;
        }
    }
    return result;
}

static sn_result measure_bandwidth(probe *p, double *bandwidth)
{
    const VkDeviceSize vectors = copy_bytes(p) / 16;
    const uint32_t groups = (uint32_t)(vectors / SN_PEAK_GROUP_SIZE);
    const uint32_t limit = p->device->properties.limits.maxComputeWorkGroupCount[0];
    const uint32_t count = groups < limit ? groups : limit;
    const double bytes = 2.0 * 16 * SN_PEAK_GROUP_SIZE * count * COPY_RUNS;
    double seconds = 0;
    sn_result result = run(p, p->copy, count, 1, &seconds);
    for (int attempt = 0; attempt < 3 && result == SN_OK; ++attempt) {
        result = run(p, p->copy, count, COPY_RUNS, &seconds);
        *bandwidth = seconds > 0 && bytes / seconds > *bandwidth ? bytes / seconds : *bandwidth;
    }
    return result;
}

sn_result sn_gpu_measure_peak(sn_gpu_device *device, sn_gpu_peak *peak)
{
    probe p = {.device = device};
    *peak = (sn_gpu_peak){.flops = 0};
    sn_result result = create(&p);
    if (result == SN_OK && p.timer.queries) {
        result = measure_flops(&p, &peak->flops);
        if (result == SN_OK) {
            result = measure_bandwidth(&p, &peak->bandwidth);
        }
    }
    destroy(&p);
    return result;
}
