/* SPDX-License-Identifier: MIT */
/* Creates devices, or adopts existing ones. */
#ifndef SN_COMPUTE_CORE_OPEN_H
#define SN_COMPUTE_CORE_OPEN_H

#include "compute/core/device.h"

/* Callbacks that create the instance and the device instead of Vulkan's functions. An OpenXR runtime chooses the device
 * and adds its extensions. A callback logs one line when it fails. */
typedef struct sn_gpu_device_factory {
    sn_result (*create_instance)(const VkInstanceCreateInfo *info, VkInstance *instance, void *user);
    sn_result (*choose_physical)(VkInstance instance, VkPhysicalDevice *physical, void *user);
    sn_result (*create_device)(VkPhysicalDevice physical, const VkDeviceCreateInfo *info, VkDevice *device, void *user);
    void *user;
} sn_gpu_device_factory;

typedef struct sn_gpu_device_desc {
    const sn_gpu_device_factory *factory; /* used during the call only; null: Vulkan creates, `name` selects */
    const char *name; /* null: the best device (discrete, integrated, virtual, software); "cpu": software; else a part
                         of the device's name, ignoring case */
    bool has_no_doubles; /* leave shaderFloat64 disabled */
    bool is_validated;   /* enable core and synchronization validation: messages are logged as warnings and counted, and
                            new host-visible buffers are filled with NaNs */
    const char *const
        *instance_extensions; /* (instance_extension_count) of a window system; if any, VK_KHR_swapchain is enabled */
    int instance_extension_count;
} sn_gpu_device_desc;

/* Errors (one line each): SN_ERROR_UNSUPPORTED (no Vulkan, no matching device - the line lists those present -, no
 * validation layer), SN_ERROR_MEMORY. */
sn_result sn_gpu_device_create(const sn_gpu_device_desc *desc, sn_gpu_device **device);
/* The program's own Vulkan device, for compute and transfer; include/sinew/vulkan.h lists the requirements. */
typedef struct sn_gpu_adoption {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice handle;
    VkQueue queue;
    uint32_t queue_family;
    const void *enabled_features; /* a pNext chain */
} sn_gpu_adoption;
/* Errors (one line each): SN_ERROR_ARGUMENT (a null handle, an invalid queue family), SN_ERROR_UNSUPPORTED (a required
 * feature is missing or was not enabled), SN_ERROR_MEMORY. */
sn_result sn_gpu_device_adopt(const sn_gpu_adoption *adoption, sn_gpu_device **device);
/* Waits until the device is idle. Nulls the pointer; accepts null. An adopted Vulkan device is not destroyed. */
void sn_gpu_device_destroy(sn_gpu_device **device);

/* The instance and its messenger; called by open.c. */
sn_result sn_gpu_instance_init(sn_gpu_device *device, const sn_gpu_device_desc *desc);
void sn_gpu_instance_finish(sn_gpu_device *device);

#endif
