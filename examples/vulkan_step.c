/* SPDX-License-Identifier: MIT */
/* Simulates a crowd of hopping bodies with different phases for two seconds on the program's own Vulkan device, without
 * a window. Prints the largest entry of the last body's mode matrices, copied from the buffer that a vertex shader
 * would read. */
#include <stdio.h>
#include <string.h>

#include "sinew/sinew.h"
#include "sinew/vulkan.h"

#define BODIES 30
#define FRAMES_IN_FLIGHT 2

/* Vulkan objects are not destroyed before the program ends. */
typedef struct program {
    VkInstance instance;
    VkPhysicalDevice physical;
    uint32_t family;
    VkDevice device;
    VkQueue queue;
    VkCommandBuffer commands[FRAMES_IN_FLIGHT];
    VkFence fences[FRAMES_IN_FLIGHT];
    VkCommandPool pool;
    VkBuffer copy; /* copy of one body's matrices */
    VkDeviceMemory memory;
    const float *mapped;
} program;

static void print_line(sn_log_level level, const char *message, void *user)
{
    fprintf(user, "%s: %s\n", level == SN_LOG_ERROR ? "error" : "note", message);
}

static int find_family(program *p)
{
    VkQueueFamilyProperties families[32];
    uint32_t count = 32;
    vkGetPhysicalDeviceQueueFamilyProperties(p->physical, &count, families);
    const VkQueueFlags needed = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    while (p->family < count && (families[p->family].queueFlags & needed) != needed) {
        ++p->family;
    }
    return p->family < count;
}

/* Creates an instance and a device that meet the requirements of sinew/vulkan.h. `chain` is also passed to
 * sn_gpu_create. */
static int create_device(program *p, VkPhysicalDeviceVulkan12Features *chain)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                           .pApplicationInfo = &application};
    const float priority = 1;
    uint32_t count = 1;
    if (vkCreateInstance(&instance, NULL, &p->instance) ||
        vkEnumeratePhysicalDevices(p->instance, &count, &p->physical) < 0 || count == 0 || !find_family(p)) {
        return 0;
    }
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = p->family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = chain,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue};
    if (vkCreateDevice(p->physical, &device, NULL, &p->device)) {
        return 0;
    }
    vkGetDeviceQueue(p->device, p->family, 0, &p->queue);
    return 1;
}

static int create_frames(program *p)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                          .queueFamilyIndex = p->family};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                                     .flags = VK_FENCE_CREATE_SIGNALED_BIT};
    int failed = vkCreateCommandPool(p->device, &pool, NULL, &p->pool) != VK_SUCCESS;
    const VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = p->pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = FRAMES_IN_FLIGHT};
    failed = failed || vkAllocateCommandBuffers(p->device, &commands, p->commands) != VK_SUCCESS;
    for (int i = 0; i < FRAMES_IN_FLIGHT && !failed; ++i) {
        failed = vkCreateFence(p->device, &fence, NULL, &p->fences[i]) != VK_SUCCESS;
    }
    return !failed;
}

static int create_copy(program *p, VkDeviceSize size)
{
    const VkMemoryPropertyFlags flags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkBufferCreateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements needs;
    VkPhysicalDeviceMemoryProperties memory;
    void *mapped = NULL;
    if (vkCreateBuffer(p->device, &buffer, NULL, &p->copy)) {
        return 0;
    }
    vkGetBufferMemoryRequirements(p->device, p->copy, &needs);
    vkGetPhysicalDeviceMemoryProperties(p->physical, &memory);
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size};
    while (!(needs.memoryTypeBits >> info.memoryTypeIndex & 1) ||
           (memory.memoryTypes[info.memoryTypeIndex].propertyFlags & flags) != flags) {
        ++info.memoryTypeIndex; /* Vulkan guarantees that one exists */
    }
    if (vkAllocateMemory(p->device, &info, NULL, &p->memory) || vkBindBufferMemory(p->device, p->copy, p->memory, 0) ||
        vkMapMemory(p->device, p->memory, 0, VK_WHOLE_SIZE, 0, &mapped)) {
        return 0;
    }
    p->mapped = mapped;
    return 1;
}

/* Stands for a game's draw calls. A copy is not a shader read, so it needs barriers of its own: after the writes of
 * these steps, and before the writes of the next ones. */
static void use_matrices(const program *p, VkCommandBuffer commands, const sn_body_gpu_matrices *from)
{
    const VkBufferCopy region = {.srcOffset = from->offset,
                                 .size = from->stride * (VkDeviceSize)(from->bone_count + from->mode_count)};
    VkMemoryBarrier2 barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                .srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_COPY_BIT,
                                .srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT,
                                .dstStageMask = VK_PIPELINE_STAGE_2_COPY_BIT,
                                .dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT};
    const VkDependencyInfo dependency = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &barrier};
    vkCmdPipelineBarrier2(commands, &dependency);
    vkCmdCopyBuffer(commands, from->buffer, p->copy, 1, &region);
    barrier.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
    barrier.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    barrier.dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_HOST_BIT;
    barrier.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
    vkCmdPipelineBarrier2(commands, &dependency);
}

static int draw_frame(program *p, sn_world_id world, sn_body_id last, int frame)
{
    const VkCommandBuffer commands = p->commands[frame % FRAMES_IN_FLIGHT];
    const VkFence fence = p->fences[frame % FRAMES_IN_FLIGHT];
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    const VkCommandBufferSubmitInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                              .commandBuffer = commands};
    const VkSubmitInfo2 submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2, .commandBufferInfoCount = 1, .pCommandBufferInfos = &buffer};
    /* wait for the frame before the last FRAMES_IN_FLIGHT, as sn_gpu_record_step requires */
    if (vkWaitForFences(p->device, 1, &fence, VK_TRUE, UINT64_MAX) || vkResetFences(p->device, 1, &fence) ||
        vkBeginCommandBuffer(commands, &begin)) {
        return 0;
    }
    sn_gpu_record_step(world, 1.0 / 60, commands);
    const sn_body_gpu_matrices output = sn_body_gpu_output(last);
    use_matrices(p, commands, &output);
    return !vkEndCommandBuffer(commands) && !vkQueueSubmit2(p->queue, 1, &submit, fence);
}

static int run(program *p, sn_world_id world, const sn_body_id *bodies)
{
    for (int frame = 0; frame < 120; ++frame) {
        for (int i = 0; i < BODIES; ++i) {
            const float t = (float)((frame + i) % 60) / 60;
            const sn_mat3x4 hop = {{{1, 0, 0, (float)i}, {0, 1, 0, t * (1 - t)}, {0, 0, 1, 0}}};
            sn_body_set_rigid_pose(bodies[i], &hop);
            if (frame == 0) {
                sn_body_reset(bodies[i]); /* starts at rest in this pose */
            }
        }
        if (!draw_frame(p, world, bodies[BODIES - 1], frame)) {
            return 0;
        }
    }
    return vkQueueWaitIdle(p->queue) == VK_SUCCESS;
}

static void print_max_entry(const program *p, const sn_body_gpu_matrices *output)
{
    float max_entry = 0;
    for (int i = 12 * output->bone_count; i < 12 * (output->bone_count + output->mode_count); ++i) {
        max_entry = p->mapped[i] > max_entry ? p->mapped[i] : -p->mapped[i] > max_entry ? -p->mapped[i] : max_entry;
    }
    printf("%d bodies, %d modes, largest entry %.4f\n", BODIES, output->mode_count, (double)max_entry);
}

/* Creates the world and its crowd on the program's device. */
static int create_crowd(const sn_gpu *gpu, const sn_model *model, sn_world_id *world, sn_body_id *bodies)
{
    sn_world_desc world_desc = sn_default_world_desc();
    sn_body_desc body_desc = sn_default_body_desc();
    world_desc.backend = sn_gpu_backend(gpu);
    body_desc.model = model;
    int failed = sn_world_create(&world_desc, world) != SN_OK;
    for (int i = 0; i < BODIES && !failed; ++i) {
        failed = sn_body_create(*world, &body_desc, &bodies[i]) != SN_OK;
    }
    return !failed;
}

static void destroy(program *p)
{
    for (int i = 0; i < FRAMES_IN_FLIGHT; ++i) {
        vkDestroyFence(p->device, p->fences[i], NULL);
    }
    vkDestroyCommandPool(p->device, p->pool, NULL);
    vkDestroyBuffer(p->device, p->copy, NULL);
    vkFreeMemory(p->device, p->memory, NULL);
    vkDestroyDevice(p->device, NULL);
    vkDestroyInstance(p->instance, NULL);
}

int main(int argc, char **argv)
{
    VkPhysicalDeviceVulkan13Features v13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                            .synchronization2 = VK_TRUE,
                                            .maintenance4 = VK_TRUE};
    VkPhysicalDeviceVulkan12Features v12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &v13, .timelineSemaphore = VK_TRUE};
    program p = {.family = 0};
    sn_model *model;
    sn_gpu *gpu;
    sn_world_id world;
    sn_body_id bodies[BODIES];

    sn_set_log(print_line, stderr);
    if (!create_device(&p, &v12)) {
        fprintf(stderr, "skipped: no Vulkan device\n");
        return 77;
    }
    sn_gpu_desc desc = sn_default_gpu_desc();
    desc.instance = p.instance;
    desc.physical_device = p.physical;
    desc.device = p.device;
    desc.queue = p.queue;
    desc.queue_family = p.family;
    desc.enabled_features = &v12;
    desc.frames_in_flight = FRAMES_IN_FLIGHT;
    if (sn_model_open(argc > 1 ? argv[1] : "avatar.sinew", &model) || sn_gpu_create(&desc, &gpu) ||
        !create_crowd(gpu, model, &world, bodies)) {
        return 1;
    }
    const sn_body_gpu_matrices output = sn_body_gpu_output(bodies[BODIES - 1]);
    if (!create_frames(&p) || !create_copy(&p, output.stride * (VkDeviceSize)(output.bone_count + output.mode_count)) ||
        !run(&p, world, bodies)) {
        return 1;
    }
    print_max_entry(&p, &output);
    sn_world_destroy(world); /* and its bodies */
    sn_gpu_destroy(&gpu);
    sn_model_release(model);
    destroy(&p);
    return 0;
}
