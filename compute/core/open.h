/* SPDX-License-Identifier: MIT */
/* Devices are made here, or taken over from somebody else. */
#ifndef SN_COMPUTE_CORE_OPEN_H
#define SN_COMPUTE_CORE_OPEN_H

#include "compute/core/device.h"

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

/* The instance with its messenger; open.c calls these. */
sn_result sn_gpu_instance_init(sn_gpu_device *device, const sn_gpu_device_desc *desc);
void sn_gpu_instance_finish(sn_gpu_device *device);

#endif
