/* SPDX-License-Identifier: MIT */
#include "compute/core/commands.h"

/* Marks a command buffer that is being recorded; the timeline never reaches this value. */
#define SN_RECORDING UINT64_MAX

struct sn_gpu_command {
    VkCommandBuffer handle;
    uint64_t value; /* of its submission: free once the timeline has reached it */
    struct sn_gpu_command *next;
};

sn_result sn_gpu_commands_init(sn_gpu_device *device)
{
    sn_result result = SN_OK;
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT |
                                                   VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                          .queueFamilyIndex = device->queue_family};
    SN_VK_OF("timeline", vkCreateSemaphore(device->handle, &semaphore, NULL, &device->timeline));
    sn_gpu_name(device, VK_OBJECT_TYPE_SEMAPHORE, (uint64_t)device->timeline, "timeline");
    SN_VK_OF("command pool", vkCreateCommandPool(device->handle, &pool, NULL, &device->command_pool));
    sn_gpu_name(device, VK_OBJECT_TYPE_COMMAND_POOL, (uint64_t)device->command_pool, "command pool");
done:
    return result; /* the device destroys partial objects */
}

/* Destroying the pool frees its command buffers. */
void sn_gpu_commands_finish(sn_gpu_device *device)
{
    while (device->commands) {
        struct sn_gpu_command *next = device->commands->next;
        sn_free(device->commands, 1, sizeof *device->commands);
        device->commands = next;
    }
    vkDestroyCommandPool(device->handle, device->command_pool, NULL);
    vkDestroySemaphore(device->handle, device->timeline, NULL);
}

static struct sn_gpu_command *find_command(sn_gpu_device *device, VkCommandBuffer commands)
{
    struct sn_gpu_command *command = device->commands;
    while (command && command->handle != commands) {
        command = command->next;
    }
    SN_ASSERT(command && command->value == SN_RECORDING);
    return command;
}

static sn_result add_command(sn_gpu_device *device, struct sn_gpu_command **command)
{
    sn_result result = SN_OK;
    struct sn_gpu_command *added = sn_alloc(1, sizeof *added);
    if (!added) {
        return SN_ERROR_MEMORY;
    }
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = device->command_pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                              .commandBufferCount = 1};
    SN_VK_OF("command buffer", vkAllocateCommandBuffers(device->handle, &info, &added->handle));
    sn_gpu_name(device, VK_OBJECT_TYPE_COMMAND_BUFFER, (uint64_t)added->handle, "commands");
    added->next = device->commands;
    device->commands = added;
    *command = added;
done:
    if (result != SN_OK) {
        sn_free(added, 1, sizeof *added);
    }
    return result;
}

static VkResult note_loss(sn_gpu_device *device, VkResult code)
{
    device->is_lost |= code == VK_ERROR_DEVICE_LOST;
    return code;
}

sn_result sn_gpu_begin(sn_gpu_device *device, VkCommandBuffer *commands)
{
    sn_result result = SN_OK;
    uint64_t reached = 0;
    *commands = VK_NULL_HANDLE;
    SN_VK_OF("vkGetSemaphoreCounterValue",
             note_loss(device, vkGetSemaphoreCounterValue(device->handle, device->timeline, &reached)));
    struct sn_gpu_command *command = device->commands;
    while (command && command->value > reached) {
        command = command->next;
    }
    if (!command) {
        result = add_command(device, &command);
        if (result != SN_OK) {
            return result;
        }
    }
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    SN_VK(vkBeginCommandBuffer(command->handle, &info));
    command->value = SN_RECORDING;
    *commands = command->handle;
done:
    return result;
}

sn_result sn_gpu_submit(sn_gpu_device *device, VkCommandBuffer commands, uint64_t *value)
{
    return sn_gpu_submit_between(device, commands, VK_NULL_HANDLE, VK_NULL_HANDLE, value);
}

static VkSemaphoreSubmitInfo at_all_commands(VkSemaphore semaphore, uint64_t value)
{
    return (VkSemaphoreSubmitInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                   .semaphore = semaphore,
                                   .value = value, /* ignored by a binary semaphore */
                                   .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
}

sn_result sn_gpu_submit_between(sn_gpu_device *device, VkCommandBuffer commands, VkSemaphore wait, VkSemaphore signal,
                                uint64_t *value)
{
    sn_result result = SN_OK;
    struct sn_gpu_command *command = find_command(device, commands);
    const VkCommandBufferSubmitInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                              .commandBuffer = commands};
    const VkSemaphoreSubmitInfo waits[] = {at_all_commands(wait, 0)};
    const VkSemaphoreSubmitInfo signals[] = {at_all_commands(device->timeline, device->submitted + 1),
                                             at_all_commands(signal, 0)};
    const VkSubmitInfo2 info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                                .commandBufferInfoCount = 1,
                                .pCommandBufferInfos = &buffer,
                                .waitSemaphoreInfoCount = wait != VK_NULL_HANDLE,
                                .pWaitSemaphoreInfos = waits,
                                .signalSemaphoreInfoCount = signal != VK_NULL_HANDLE ? 2 : 1,
                                .pSignalSemaphoreInfos = signals};
    command->value = 0; /* free at once, if the submission fails */
    SN_VK(vkEndCommandBuffer(commands));
    device->is_lost |= device->loses_next_submission;
    SN_VK_OF("vkQueueSubmit2", device->is_lost
                                   ? VK_ERROR_DEVICE_LOST
                                   : note_loss(device, vkQueueSubmit2(device->queue, 1, &info, VK_NULL_HANDLE)));
    command->value = ++device->submitted;
    if (value) {
        *value = command->value;
    }
done:
    return result;
}

/* A command buffer that is being recorded cannot begin again, so it is reset. A reset that keeps its memory cannot
 * fail. */
void sn_gpu_discard(sn_gpu_device *device, VkCommandBuffer commands)
{
    find_command(device, commands)->value = 0;
    vkResetCommandBuffer(commands, 0);
}

sn_result sn_gpu_wait(sn_gpu_device *device, uint64_t value)
{
    SN_ASSERT(value <= device->submitted); /* a larger value would never be signalled */
    sn_result result = SN_OK;
    const VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &device->timeline,
                                      .pValues = &value};
    SN_VK_OF("vkWaitSemaphores", note_loss(device, vkWaitSemaphores(device->handle, &info, UINT64_MAX)));
done:
    return result;
}

typedef struct access_info {
    VkPipelineStageFlags2 stages;
    VkAccessFlags2 reads, writes;
    VkImageLayout layout;
} access_info;

#define SN_SHADER_STAGES                                                                                               \
    (VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT |                                 \
     VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT)

/* SN_GPU_NONE waits for everything, since the earlier use is unknown. The presentation engine synchronises through
 * semaphores, which wait and signal at all commands. */
static const access_info accesses[SN_GPU_ACCESS_COUNT] = {
    [SN_GPU_NONE] = {VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0, VK_ACCESS_2_MEMORY_WRITE_BIT, VK_IMAGE_LAYOUT_UNDEFINED},
    [SN_GPU_TRANSFER_READ] = {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_READ_BIT, 0,
                              VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
    [SN_GPU_TRANSFER_WRITE] = {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, 0, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL},
    [SN_GPU_SHADER_READ] = {VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT | VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT |
                                SN_SHADER_STAGES,
                            VK_ACCESS_2_INDEX_READ_BIT | VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT |
                                VK_ACCESS_2_UNIFORM_READ_BIT | VK_ACCESS_2_SHADER_SAMPLED_READ_BIT |
                                VK_ACCESS_2_SHADER_STORAGE_READ_BIT,
                            0, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
    [SN_GPU_SHADER_WRITE] = {SN_SHADER_STAGES, VK_ACCESS_2_SHADER_STORAGE_READ_BIT,
                             VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, VK_IMAGE_LAYOUT_GENERAL},
    [SN_GPU_COLOR_WRITE] = {VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT,
                            VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
    [SN_GPU_DEPTH_WRITE] = {VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
                            VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT,
                            VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
                            VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL},
    [SN_GPU_HOST_READ] = {VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT, 0, VK_IMAGE_LAYOUT_GENERAL},
    [SN_GPU_PRESENT] = {VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0, 0, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR},
};

/* Only writes need to be made available; a write after a read needs an execution dependency only. */
void sn_gpu_barrier_mips(VkCommandBuffer commands, const sn_gpu_image *image, uint32_t first_mip, uint32_t mip_count,
                         sn_gpu_access before, sn_gpu_access after)
{
    SN_ASSERT(after != SN_GPU_NONE);
    const access_info *from = &accesses[before], *to = &accesses[after];
    const VkImageMemoryBarrier2 barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                           .srcStageMask = from->stages,
                                           .srcAccessMask = from->writes,
                                           .dstStageMask = to->stages,
                                           .dstAccessMask = to->reads | to->writes,
                                           .oldLayout = from->layout,
                                           .newLayout = to->layout,
                                           .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                           .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                           .image = image->handle,
                                           .subresourceRange = {image->desc.aspect, first_mip, mip_count, 0, 1}};
    const VkDependencyInfo dependency = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &barrier};
    vkCmdPipelineBarrier2(commands, &dependency);
}

void sn_gpu_barrier_image(VkCommandBuffer commands, const sn_gpu_image *image, sn_gpu_access before,
                          sn_gpu_access after)
{
    sn_gpu_barrier_mips(commands, image, 0, VK_REMAINING_MIP_LEVELS, before, after);
}

void sn_gpu_barrier(VkCommandBuffer commands, sn_gpu_access before, sn_gpu_access after)
{
    SN_ASSERT(after != SN_GPU_NONE);
    const access_info *from = &accesses[before], *to = &accesses[after];
    const VkMemoryBarrier2 barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                      .srcStageMask = from->stages,
                                      .srcAccessMask = from->writes,
                                      .dstStageMask = to->stages,
                                      .dstAccessMask = to->reads | to->writes};
    const VkDependencyInfo dependency = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &barrier};
    vkCmdPipelineBarrier2(commands, &dependency);
}

void sn_gpu_copy_image(VkCommandBuffer commands, const sn_gpu_image *from, const sn_gpu_image *to)
{
    const VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageCopy region = {
        .srcSubresource = layers, .dstSubresource = layers, .extent = {from->desc.width, from->desc.height, 1}};
    vkCmdCopyImage(commands, from->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to->handle,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
}

void sn_gpu_blit_image(VkCommandBuffer commands, const sn_gpu_image *from, const sn_gpu_image *to)
{
    const VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkOffset3D end = {(int32_t)from->desc.width, (int32_t)from->desc.height, 1};
    const VkImageBlit region = {
        .srcSubresource = layers, .srcOffsets = {{0}, end}, .dstSubresource = layers, .dstOffsets = {{0}, end}};
    vkCmdBlitImage(commands, from->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to->handle,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region, VK_FILTER_NEAREST);
}
