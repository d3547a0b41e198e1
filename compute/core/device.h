/* SPDX-License-Identifier: MIT */
/* A Vulkan 1.3 device with one queue that draws, computes and copies; everything else of this folder hangs on it.
 * Needs synchronization2, timeline semaphores, dynamic rendering; runs on software Vulkan (no descriptor indexing).
 * A device and what is made from it belong to one thread at a time. */
#ifndef SN_COMPUTE_CORE_DEVICE_H
#define SN_COMPUTE_CORE_DEVICE_H

#include <vulkan/vulkan.h>

#include "host/base/base.h"

typedef struct sn_gpu_device {
    bool is_adopted; /* instance, device and queue are somebody else's */
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice handle;
    VkQueue queue;
    uint32_t queue_family;
    uint64_t timestamp_mask; /* the bits that the queue's timestamps have; 0 where it writes none */
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    VkPhysicalDeviceFeatures features; /* those that are enabled */
    VkSemaphore timeline;              /* every submission signals the next value */
    uint64_t submitted;                /* the last submission's value */
    uint64_t image_count;              /* made so far */
    VkCommandPool command_pool;
    struct sn_gpu_command *commands; /* a list; see commands.c */
    struct sn_gpu_shared *shared;    /* a list; see shared.c */
    VkDebugUtilsMessengerEXT messenger;
    PFN_vkSetDebugUtilsObjectNameEXT set_name; /* null without the extension */
    int validation_message_count;              /* warnings and errors of the validation layer */
} sn_gpu_device;

/* Waits for all that was submitted, for what is about to be destroyed; logs nothing: a lost device runs nothing. */
void sn_gpu_device_wait(sn_gpu_device *device);

bool sn_gpu_device_is_software(const sn_gpu_device *device);

/* Gives a Vulkan object its debug name; `handle` is the object, cast. */
void sn_gpu_name(sn_gpu_device *device, VkObjectType type, uint64_t handle, const char *name);

/* The one way to report a failed Vulkan call: logs `what` and the code's name, returns the matching result. */
sn_result sn_gpu_fail(VkResult code, const char *what);
/* Evaluates a Vulkan call into the local `result`; when it failed, logs `what` and goes to the local label `done`. */
#define SN_VK_OF(what, call)                                                                                           \
    do {                                                                                                               \
        const VkResult vk_code = (call);                                                                               \
        if (vk_code < 0) {                                                                                             \
            result = sn_gpu_fail(vk_code, what);                                                                       \
            goto done;                                                                                                 \
        }                                                                                                              \
    } while (0)
/* The same, for a call that no named object is to blame for. */
#define SN_VK(call) SN_VK_OF(#call, call)

#endif
