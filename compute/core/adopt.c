/* SPDX-License-Identifier: MIT */
/* Adopts a Vulkan device created by the program. Vulkan cannot report which features a device was created with, so the
 * program passes them; everything else that can be queried is checked. */
#include "compute/core/commands.h"
#include "compute/core/open.h"

enum { SN_FAMILY_LIMIT = 32 };

typedef struct needed_features {
    VkBool32 timeline, synchronization, maintenance;
    VkPhysicalDeviceFeatures core; /* if the chain contains VkPhysicalDeviceFeatures2 */
} needed_features;

/* Accepts the structs of Vulkan 1.2 and 1.3 and those of the individual features. */
static needed_features find_features(const void *chain)
{
    needed_features enabled = {0};
    for (const VkBaseInStructure *s = chain; s; s = s->pNext) {
        const void *item = s;
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
            enabled.timeline |= ((const VkPhysicalDeviceVulkan12Features *)item)->timelineSemaphore;
        } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES) {
            enabled.synchronization |= ((const VkPhysicalDeviceVulkan13Features *)item)->synchronization2;
            enabled.maintenance |= ((const VkPhysicalDeviceVulkan13Features *)item)->maintenance4;
        } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES) {
            enabled.timeline |= ((const VkPhysicalDeviceTimelineSemaphoreFeatures *)item)->timelineSemaphore;
        } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES) {
            enabled.synchronization |= ((const VkPhysicalDeviceSynchronization2Features *)item)->synchronization2;
        } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES) {
            enabled.maintenance |= ((const VkPhysicalDeviceMaintenance4Features *)item)->maintenance4;
        } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) {
            enabled.core = ((const VkPhysicalDeviceFeatures2 *)item)->features;
        }
    }
    return enabled;
}

static sn_result check_handles(const sn_gpu_adoption *a)
{
    const char *absent = !a->instance ? "instance" : !a->physical ? "physical device" : !a->handle ? "device" : "queue";
    if (!a->instance || !a->physical || !a->handle || !a->queue) {
        return sn_fail(SN_ERROR_ARGUMENT, "Vulkan device: the %s is null", absent);
    }
    return SN_OK;
}

static sn_result check_version(const sn_gpu_device *device)
{
    const uint32_t version = device->properties.apiVersion;
    if (version < VK_API_VERSION_1_3) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: supports Vulkan %u.%u; 1.3 is required",
                       device->properties.deviceName, VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
    }
    if (!vkGetDeviceProcAddr(device->handle, "vkCmdPipelineBarrier2")) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: the VkInstance was created with an apiVersion below 1.3",
                       device->properties.deviceName);
    }
    return SN_OK;
}

static sn_result check_features(sn_gpu_device *device, const void *chain)
{
    const needed_features has = find_features(chain);
    device->features = has.core;
    if (!has.timeline || !has.synchronization || !has.maintenance) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: the VkDevice was created without%s%s%s",
                       device->properties.deviceName, has.timeline ? "" : " timelineSemaphore",
                       has.synchronization ? "" : " synchronization2", has.maintenance ? "" : " maintenance4");
    }
    return SN_OK;
}

static sn_result set_queue_family(sn_gpu_device *device, uint32_t index)
{
    VkQueueFamilyProperties families[SN_FAMILY_LIMIT];
    uint32_t count = SN_FAMILY_LIMIT;
    vkGetPhysicalDeviceQueueFamilyProperties(device->physical, &count, families);
    const VkQueueFlags needed = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    if (index >= count) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: queue family %u does not exist; the device has %u",
                       device->properties.deviceName, index, count);
    }
    if ((families[index].queueFlags & needed) != needed) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: queue family %u does not support both graphics and compute",
                       device->properties.deviceName, index);
    }
    const uint32_t bits = families[index].timestampValidBits;
    device->queue_family = index;
    device->timestamp_mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    return SN_OK;
}

static sn_result adopt(sn_gpu_device *device, const sn_gpu_adoption *a)
{
    vkGetPhysicalDeviceProperties(a->physical, &device->properties);
    vkGetPhysicalDeviceMemoryProperties(a->physical, &device->memory);
    device->is_adopted = true;
    device->instance = a->instance;
    device->physical = a->physical;
    device->handle = a->handle;
    device->queue = a->queue;
    /* null where the instance was made without VK_EXT_debug_utils */
    device->set_name =
        (PFN_vkSetDebugUtilsObjectNameEXT)vkGetInstanceProcAddr(a->instance, "vkSetDebugUtilsObjectNameEXT");
    SN_TRY(check_version(device));
    SN_TRY(check_features(device, a->enabled_features));
    return set_queue_family(device, a->queue_family);
}

sn_result sn_gpu_device_adopt(const sn_gpu_adoption *adoption, sn_gpu_device **device)
{
    *device = NULL;
    sn_result result = check_handles(adoption);
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_device *d = sn_alloc(1, sizeof *d);
    if (!d) {
        return SN_ERROR_MEMORY;
    }
    result = adopt(d, adoption);
    if (result != SN_OK) { /* no Vulkan object exists yet: no need to wait */
        sn_free(d, 1, sizeof *d);
        return result;
    }
    result = sn_gpu_commands_init(d);
    if (result != SN_OK) {
        sn_gpu_device_destroy(&d);
    }
    *device = d;
    return result;
}
