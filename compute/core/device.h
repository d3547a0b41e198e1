/* SPDX-License-Identifier: MIT */
/* A Vulkan 1.3 device with one queue for graphics, compute and transfer. Needs synchronization2, timeline semaphores
 * and dynamic rendering; runs on software Vulkan (no descriptor indexing). A device and the objects created from it
 * belong to one thread at a time. */
#ifndef SN_COMPUTE_CORE_DEVICE_H
#define SN_COMPUTE_CORE_DEVICE_H

#include <vulkan/vulkan.h>

#include "host/base/base.h"

typedef struct sn_gpu_device {
    bool is_adopted; /* instance, device and queue belong to the program */
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice handle;
    VkQueue queue;
    uint32_t queue_family;
    uint64_t timestamp_mask; /* valid bits of the queue's timestamps; 0: unsupported */
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    VkPhysicalDeviceFeatures features; /* the enabled ones */
    VkSemaphore timeline;              /* every submission signals the next value */
    uint64_t submitted;                /* the last submission's value */
    uint64_t image_count;              /* number of images created */
    VkCommandPool command_pool;
    struct sn_gpu_command *commands; /* a list; see commands.c */
    struct sn_gpu_shared *shared;    /* a list; see shared.c */
    struct sn_gpu_block *blocks;     /* a list; see arena.c */
    VkDebugUtilsMessengerEXT messenger;
    PFN_vkSetDebugUtilsObjectNameEXT set_name; /* null without the extension */
    bool is_lost;                 /* a call returned VK_ERROR_DEVICE_LOST; all submissions fail from then on */
    bool loses_next_submission;   /* for tests: the next submission returns VK_ERROR_DEVICE_LOST */
    int validation_message_count; /* warnings and errors of the validation layer */
} sn_gpu_device;

/* Waits until the device is idle, before objects are destroyed. Does not report a lost device. */
void sn_gpu_device_wait(sn_gpu_device *device);

bool sn_gpu_device_is_software(const sn_gpu_device *device);

/* Sets the debug name of a Vulkan object; `handle` is the object, cast. */
void sn_gpu_name(sn_gpu_device *device, VkObjectType type, uint64_t handle, const char *name);

/* Reports a failed Vulkan call: logs `what` and the name of the code, and returns the matching sn_result. */
sn_result sn_gpu_fail(VkResult code, const char *what);
/* Evaluates a Vulkan call. On failure sets the local `result`, logs `what` and jumps to the local label `done`. */
#define SN_VK_OF(what, call)                                                                                           \
    do {                                                                                                               \
        const VkResult vk_code = (call);                                                                               \
        if (vk_code < 0) {                                                                                             \
            result = sn_gpu_fail(vk_code, what);                                                                       \
            goto done;                                                                                                 \
        }                                                                                                              \
    } while (0)
/* As SN_VK_OF; `what` is the text of the call. */
#define SN_VK(call) SN_VK_OF(#call, call)

#endif
