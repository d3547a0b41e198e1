/* SPDX-License-Identifier: MIT */
/* A Vulkan 1.3 device with one queue that draws, computes and copies; everything else of this folder hangs on it.
 * Needs synchronization2, timeline semaphores, dynamic rendering; runs on software Vulkan (no descriptor indexing).
 * A device and what is made from it belong to one thread at a time. */
#ifndef SN_COMPUTE_CORE_DEVICE_H
#define SN_COMPUTE_CORE_DEVICE_H

#include <vulkan/vulkan.h>

#include "host/base/base.h"

/* Who makes instance and device in place of Vulkan's own calls, from what these are given: the runtime of a headset,
 * which chooses the device, and adds what it needs itself. Each logs one line where it fails. */
typedef struct sn_gpu_maker {
    sn_result (*create_instance)(const VkInstanceCreateInfo *info, VkInstance *instance, void *user);
    sn_result (*choose_physical)(VkInstance instance, VkPhysicalDevice *physical, void *user);
    sn_result (*create_device)(VkPhysicalDevice physical, const VkDeviceCreateInfo *info, VkDevice *device, void *user);
    void *user;
} sn_gpu_maker;

typedef struct sn_gpu_device_desc {
    const sn_gpu_maker *maker; /* used during the call alone; null: Vulkan itself, and `name` chooses */
    const char *name; /* null: the best there is (discrete, integrated, virtual, then software); "cpu": software; else
                         any part of the device's name, in any case */
    bool has_no_doubles; /* shaderFloat64 stays off, as on devices that have it not */
    bool is_validated;   /* core and synchronization validation: messages are logged as warnings and counted; and new
                            buffers begin as NaNs, where the host reaches them */
    const char *const *instance_extensions; /* (instance_extension_count) for a window system; with any, the device gets
                                               VK_KHR_swapchain */
    int instance_extension_count;
} sn_gpu_device_desc;

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

/* Errors (one line each): SN_ERROR_UNSUPPORTED (no Vulkan, no such device: the line names those there are; no
 * validation layer), SN_ERROR_MEMORY. */
sn_result sn_gpu_device_create(const sn_gpu_device_desc *desc, sn_gpu_device **device);
/* Somebody else's, for what computes and copies: include/sinew/vulkan.h says what is asked of it. */
typedef struct sn_gpu_adoption {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice handle;
    VkQueue queue;
    uint32_t queue_family;
    const void *enabled_features; /* a pNext chain */
} sn_gpu_adoption;
/* Errors (one line each): SN_ERROR_ARGUMENT (a handle is null, no such family), SN_ERROR_UNSUPPORTED (something that is
 * needed is absent, or was not enabled), SN_ERROR_MEMORY. */
sn_result sn_gpu_device_adopt(const sn_gpu_adoption *adoption, sn_gpu_device **device);
/* Waits for the device to be idle. Nulls the pointer; accepts null. An adopted device lives on. */
void sn_gpu_device_destroy(sn_gpu_device **device);

/* Destroys what is shared (shared.h); the device calls it. */
void sn_gpu_shared_finish(sn_gpu_device *device);
/* The instance with its messenger; the device calls these. */
sn_result sn_gpu_instance_init(sn_gpu_device *device, const sn_gpu_device_desc *desc);
void sn_gpu_instance_finish(sn_gpu_device *device);

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
