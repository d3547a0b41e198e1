/* SPDX-License-Identifier: MIT */
/* Queries of a device, Vulkan error reports and debug names. */
#include "compute/core/device.h"

static const char *code_name(VkResult code)
{
#define SN_CODE(name)                                                                                                  \
    case name:                                                                                                         \
        return #name
    switch (code) {
        SN_CODE(VK_ERROR_OUT_OF_HOST_MEMORY);
        SN_CODE(VK_ERROR_OUT_OF_DEVICE_MEMORY);
        SN_CODE(VK_ERROR_INITIALIZATION_FAILED);
        SN_CODE(VK_ERROR_DEVICE_LOST);
        SN_CODE(VK_ERROR_MEMORY_MAP_FAILED);
        SN_CODE(VK_ERROR_LAYER_NOT_PRESENT);
        SN_CODE(VK_ERROR_EXTENSION_NOT_PRESENT);
        SN_CODE(VK_ERROR_FEATURE_NOT_PRESENT);
        SN_CODE(VK_ERROR_INCOMPATIBLE_DRIVER);
        SN_CODE(VK_ERROR_TOO_MANY_OBJECTS);
        SN_CODE(VK_ERROR_FORMAT_NOT_SUPPORTED);
        SN_CODE(VK_ERROR_FRAGMENTED_POOL);
        SN_CODE(VK_ERROR_OUT_OF_POOL_MEMORY);
        SN_CODE(VK_ERROR_SURFACE_LOST_KHR);
        SN_CODE(VK_ERROR_NATIVE_WINDOW_IN_USE_KHR);
        SN_CODE(VK_ERROR_OUT_OF_DATE_KHR);
        SN_CODE(VK_ERROR_VALIDATION_FAILED_EXT);
    default:
        return NULL;
    }
#undef SN_CODE
}

sn_result sn_gpu_fail(VkResult code, const char *what)
{
    const bool is_memory = code == VK_ERROR_OUT_OF_HOST_MEMORY || code == VK_ERROR_OUT_OF_DEVICE_MEMORY ||
                           code == VK_ERROR_OUT_OF_POOL_MEMORY;
    const sn_result result = is_memory ? SN_ERROR_MEMORY : SN_ERROR_UNSUPPORTED;
    const char *name = code_name(code);
    return name ? sn_fail(result, "Vulkan: %s: %s", what, name) : sn_fail(result, "Vulkan: %s: code %d", what, code);
}

void sn_gpu_name(sn_gpu_device *device, VkObjectType type, uint64_t handle, const char *name)
{
    if (device->set_name && name) {
        const VkDebugUtilsObjectNameInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                                    .objectType = type,
                                                    .objectHandle = handle,
                                                    .pObjectName = name};
        device->set_name(device->handle, &info); /* a failure to set a debug name is harmless */
    }
}

void sn_gpu_device_wait(sn_gpu_device *device)
{
    vkDeviceWaitIdle(device->handle);
}

bool sn_gpu_device_is_software(const sn_gpu_device *device)
{
    return device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}
