/* SPDX-License-Identifier: MIT */
#include "compute/core/timer.h"
#include "compute/core/commands.h"

sn_result sn_gpu_timer_create(sn_gpu_device *device, const char *name, uint32_t span_count, sn_gpu_timer *timer)
{
    sn_result result = SN_OK;
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                        .queryCount = 2 * span_count};
    *timer = (sn_gpu_timer){0};
    if (device->timestamp_mask != 0) {
        SN_VK_OF(name, vkCreateQueryPool(device->handle, &info, NULL, &timer->queries));
        sn_gpu_name(device, VK_OBJECT_TYPE_QUERY_POOL, (uint64_t)timer->queries, name);
    }
done:
    return result;
}

void sn_gpu_timer_destroy(sn_gpu_device *device, sn_gpu_timer *timer)
{
    vkDestroyQueryPool(device->handle, timer->queries, NULL);
    *timer = (sn_gpu_timer){0};
}

void sn_gpu_timer_begin(const sn_gpu_timer *timer, VkCommandBuffer commands, uint32_t span)
{
    if (timer->queries) {
        vkCmdResetQueryPool(commands, timer->queries, 2 * span, 2);
        vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, timer->queries, 2 * span);
    }
}

void sn_gpu_timer_end(const sn_gpu_timer *timer, VkCommandBuffer commands, uint32_t span)
{
    if (timer->queries) {
        vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, timer->queries, 2 * span + 1);
    }
}

sn_result sn_gpu_timer_reset(sn_gpu_device *device, const sn_gpu_timer *timer, uint32_t span_count)
{
    VkCommandBuffer commands = VK_NULL_HANDLE;
    uint64_t value = 0;
    if (!timer->queries) {
        return SN_OK;
    }
    SN_TRY(sn_gpu_begin(device, &commands));
    vkCmdResetQueryPool(commands, timer->queries, 0, 2 * span_count);
    SN_TRY(sn_gpu_submit(device, commands, &value));
    return sn_gpu_wait(device, value);
}

/* Counters of fewer than 64 bits wrap around, on some devices every minute. */
static double seconds_between(const sn_gpu_device *device, const uint64_t ticks[2])
{
    return 1e-9 * (double)((ticks[1] - ticks[0]) & device->timestamp_mask) *
           (double)device->properties.limits.timestampPeriod;
}

sn_result sn_gpu_timer_read(sn_gpu_device *device, const sn_gpu_timer *timer, uint32_t span, double *seconds)
{
    sn_result result = SN_OK;
    uint64_t ticks[2] = {0, 0};
    if (timer->queries) {
        SN_VK(vkGetQueryPoolResults(device->handle, timer->queries, 2 * span, 2, sizeof ticks, ticks, sizeof ticks[0],
                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    }
done:
    *seconds = result == SN_OK ? seconds_between(device, ticks) : 0;
    return result;
}

bool sn_gpu_timer_try_read(sn_gpu_device *device, const sn_gpu_timer *timer, uint32_t span, uint64_t *start_ticks,
                           double *seconds)
{
    uint64_t ticks[2] = {0, 0};
    if (!timer->queries || vkGetQueryPoolResults(device->handle, timer->queries, 2 * span, 2, sizeof ticks, ticks,
                                                 sizeof ticks[0], VK_QUERY_RESULT_64_BIT) != VK_SUCCESS) {
        return false;
    }
    *start_ticks = ticks[0];
    *seconds = seconds_between(device, ticks);
    return true;
}
