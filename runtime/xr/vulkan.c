/* SPDX-License-Identifier: MIT */
/* Vulkan instance and device created by the OpenXR runtime: XR_KHR_vulkan_enable2. */
#include "compute/core/open.h"
#include "runtime/xr/private.h"

/* Checks both result codes, the runtime's first. */
static sn_result check(const sn_xr *xr, XrResult code, VkResult vulkan_code, const char *what)
{
    return XR_FAILED(code) ? sn_xr_fail(xr, code, what) : vulkan_code < 0 ? sn_gpu_fail(vulkan_code, what) : SN_OK;
}

static sn_result check_version(const sn_xr *xr)
{
    XrGraphicsRequirementsVulkan2KHR needed = {.type = XR_TYPE_GRAPHICS_REQUIREMENTS_VULKAN2_KHR};
    sn_result result = SN_OK;
    SN_XR(xrGetVulkanGraphicsRequirements2KHR, xr->instance, xr->system, &needed);
    if (needed.minApiVersionSupported >
        XR_MAKE_VERSION(1, 3, 0)) { /* maxApiVersionSupported is only the tested version */
        result = sn_fail(SN_ERROR_UNSUPPORTED, "xr: the OpenXR runtime requires Vulkan %u.%u; this program uses 1.3",
                         (unsigned)XR_VERSION_MAJOR(needed.minApiVersionSupported),
                         (unsigned)XR_VERSION_MINOR(needed.minApiVersionSupported));
    }
done:
    return result;
}

static sn_result create_instance(const VkInstanceCreateInfo *info, VkInstance *instance, void *user)
{
    const sn_xr *xr = user;
    VkResult vulkan_code = VK_SUCCESS;
    const XrVulkanInstanceCreateInfoKHR create = {.type = XR_TYPE_VULKAN_INSTANCE_CREATE_INFO_KHR,
                                                  .systemId = xr->system,
                                                  .pfnGetInstanceProcAddr = vkGetInstanceProcAddr,
                                                  .vulkanCreateInfo = info};
    const sn_result result = check_version(xr);
    if (result != SN_OK) {
        return result;
    }
    const XrResult code = xr->call.xrCreateVulkanInstanceKHR(xr->instance, &create, instance, &vulkan_code);
    return check(xr, code, vulkan_code, "xrCreateVulkanInstanceKHR");
}

static sn_result choose_physical(VkInstance instance, VkPhysicalDevice *physical, void *user)
{
    const sn_xr *xr = user;
    const XrVulkanGraphicsDeviceGetInfoKHR info = {
        .type = XR_TYPE_VULKAN_GRAPHICS_DEVICE_GET_INFO_KHR, .systemId = xr->system, .vulkanInstance = instance};
    const XrResult code = xr->call.xrGetVulkanGraphicsDevice2KHR(xr->instance, &info, physical);
    return check(xr, code, VK_SUCCESS, "xrGetVulkanGraphicsDevice2KHR");
}

static sn_result create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info, VkDevice *device, void *user)
{
    const sn_xr *xr = user;
    VkResult vulkan_code = VK_SUCCESS;
    const XrVulkanDeviceCreateInfoKHR create = {.type = XR_TYPE_VULKAN_DEVICE_CREATE_INFO_KHR,
                                                .systemId = xr->system,
                                                .pfnGetInstanceProcAddr = vkGetInstanceProcAddr,
                                                .vulkanPhysicalDevice = physical,
                                                .vulkanCreateInfo = info};
    const XrResult code = xr->call.xrCreateVulkanDeviceKHR(xr->instance, &create, device, &vulkan_code);
    return check(xr, code, vulkan_code, "xrCreateVulkanDeviceKHR");
}

void sn_xr_set_maker(sn_xr *xr)
{
    xr->factory = (sn_gpu_device_factory){create_instance, choose_physical, create_device, xr};
}
