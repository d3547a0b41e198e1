/* SPDX-License-Identifier: MIT */
/* Selection of the device and its features. */
#include "compute/core/open.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "compute/core/arena.h"
#include "compute/core/commands.h"
#include "compute/core/shared.h"

enum { SN_PHYSICAL_LIMIT = 16, SN_FAMILY_LIMIT = 32 };

/* The chain of features, used for both the query and the device creation. */
typedef struct feature_chain {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
} feature_chain;

static void link_features(feature_chain *chain)
{
    chain->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    chain->core.pNext = &chain->v12;
    chain->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    chain->v12.pNext = &chain->v13;
    chain->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
}

/* The first queue family with graphics and compute (which implies transfer); UINT32_MAX when there is none. */
static uint32_t find_queue_family(VkPhysicalDevice physical, VkQueueFamilyProperties *family)
{
    VkQueueFamilyProperties families[SN_FAMILY_LIMIT];
    uint32_t count = SN_FAMILY_LIMIT;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    const VkQueueFlags needed = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    for (uint32_t i = 0; i < count; ++i) {
        if ((families[i].queueFlags & needed) == needed) {
            *family = families[i];
            return i;
        }
    }
    return UINT32_MAX;
}

static bool is_usable(VkPhysicalDevice physical, const VkPhysicalDeviceProperties *properties)
{
    if (properties->apiVersion < VK_API_VERSION_1_3) { /* later features must not be queried */
        return false;
    }
    feature_chain has = {0};
    VkQueueFamilyProperties family;
    link_features(&has);
    vkGetPhysicalDeviceFeatures2(physical, &has.core);
    return has.v12.timelineSemaphore && has.v13.synchronization2 && has.v13.dynamicRendering &&
           find_queue_family(physical, &family) != UINT32_MAX;
}

static bool contains_ignoring_case(const char *text, const char *part)
{
    const size_t length = strlen(part);
    for (; strlen(text) >= length; ++text) {
        if (strncasecmp(text, part, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool matches_name(const VkPhysicalDeviceProperties *properties, const char *name)
{
    if (name && strcasecmp(name, "cpu") == 0) {
        return properties->deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    }
    return !name || contains_ignoring_case(properties->deviceName, name);
}

/* Lower is better. */
static int device_rank(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return 1;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return 3;
    default:
        return 4;
    }
}

static sn_result fail_to_choose(const char *name, const VkPhysicalDevice *physicals, uint32_t count)
{
    char list[700] = "";
    size_t length = 0;
    for (uint32_t i = 0; i < count && length < sizeof list; ++i) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(physicals[i], &properties);
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s%s", i > 0 ? ", " : "",
                                   properties.deviceName, is_usable(physicals[i], &properties) ? "" : " (unsupported)");
    }
    if (name) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "no Vulkan 1.3 device matches '%s'; available: %s", name, list);
    }
    return sn_fail(
        SN_ERROR_UNSUPPORTED,
        "no device has Vulkan 1.3, timeline semaphores, synchronization2 and dynamic rendering; available: %s", list);
}

static sn_result choose_physical(sn_gpu_device *device, const char *name)
{
    VkPhysicalDevice physicals[SN_PHYSICAL_LIMIT];
    uint32_t count = SN_PHYSICAL_LIMIT;
    const VkResult code = vkEnumeratePhysicalDevices(device->instance, &count, physicals);
    if (code < 0) {
        return sn_gpu_fail(code, "vkEnumeratePhysicalDevices");
    }
    for (uint32_t i = 0; i < count; ++i) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(physicals[i], &properties);
        const bool is_better =
            !device->physical || device_rank(properties.deviceType) < device_rank(device->properties.deviceType);
        if (is_better && matches_name(&properties, name) && is_usable(physicals[i], &properties)) {
            device->physical = physicals[i];
            device->properties = properties;
        }
    }
    return device->physical ? SN_OK : fail_to_choose(name, physicals, count);
}

/* The device that the factory selects. */
static sn_result use_factory_device(sn_gpu_device *device, const sn_gpu_device_factory *factory)
{
    const sn_result result = factory->choose_physical(device->instance, &device->physical, factory->user);
    if (result != SN_OK) {
        return result;
    }
    vkGetPhysicalDeviceProperties(device->physical, &device->properties);
    return is_usable(device->physical, &device->properties) ? SN_OK : fail_to_choose(NULL, &device->physical, 1);
}

/* On these devices a buffer descriptor contains the size, and every access is checked in any case. */
static bool has_free_bounds_checks(VkPhysicalDevice physical)
{
    enum { AMD = 0x1002, INTEL = 0x8086 };
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical, &properties);
    return properties.vendorID == AMD || properties.vendorID == INTEL;
}

/* The features of device.h, and those that every Vulkan 1.3 device has and SPIR-V 1.6 needs enabled, for `discard` and
 * for workgroup sizes given by constants. */
static feature_chain choose_features(VkPhysicalDevice physical, bool has_no_doubles)
{
    feature_chain has = {0};
    link_features(&has);
    vkGetPhysicalDeviceFeatures2(physical, &has.core);
    return (feature_chain){
        .core.features = {.robustBufferAccess =
                              has.core.features.robustBufferAccess && has_free_bounds_checks(physical),
                          .vertexPipelineStoresAndAtomics = has.core.features.vertexPipelineStoresAndAtomics,
                          .samplerAnisotropy = has.core.features.samplerAnisotropy,
                          .shaderFloat64 = has.core.features.shaderFloat64 && !has_no_doubles},
        .v12 = {.timelineSemaphore = VK_TRUE},
        .v13 = {.synchronization2 = VK_TRUE,
                .dynamicRendering = VK_TRUE,
                .maintenance4 = has.v13.maintenance4,
                .shaderTerminateInvocation = has.v13.shaderTerminateInvocation,
                .shaderDemoteToHelperInvocation = has.v13.shaderDemoteToHelperInvocation}};
}

static sn_result create_device_handle(sn_gpu_device *device, const sn_gpu_device_factory *factory,
                                      const VkDeviceCreateInfo *info)
{
    if (factory) {
        return factory->create_device(device->physical, info, &device->handle, factory->user);
    }
    const VkResult code = vkCreateDevice(device->physical, info, NULL, &device->handle);
    return code < 0 ? sn_gpu_fail(code, device->properties.deviceName) : SN_OK;
}

static bool has_device_extension(VkPhysicalDevice physical, const char *name)
{
    uint32_t count = 0;
    if (vkEnumerateDeviceExtensionProperties(physical, NULL, &count, NULL) < 0 || count == 0) {
        return false;
    }
    const uint32_t capacity = count;
    VkExtensionProperties *extensions = sn_alloc(capacity, sizeof *extensions);
    bool is_found = false;
    if (extensions && vkEnumerateDeviceExtensionProperties(physical, NULL, &count, extensions) >= 0) {
        for (uint32_t i = 0; i < count && !is_found; ++i) {
            is_found = strcmp(extensions[i].extensionName, name) == 0;
        }
    }
    sn_free(extensions, capacity, sizeof *extensions);
    return is_found;
}

static sn_result create_handle(sn_gpu_device *device, const sn_gpu_device_desc *desc)
{
    const bool has_window = desc->instance_extension_count > 0;
    feature_chain chain = choose_features(device->physical, desc->has_no_doubles);
    link_features(&chain);
    device->features = chain.core.features;
    VkQueueFamilyProperties family = {0};
    device->queue_family = find_queue_family(device->physical, &family);
    device->timestamp_mask =
        family.timestampValidBits < 64 ? (UINT64_C(1) << family.timestampValidBits) - 1 : UINT64_MAX;
    vkGetPhysicalDeviceMemoryProperties(device->physical, &device->memory);
    const float priority = 1;
    const char *extensions[2];
    uint32_t extension_count = 0;
    if (has_window) {
        extensions[extension_count++] = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
    }
    if (has_device_extension(device->physical, "VK_KHR_portability_subset")) { /* must be enabled where it exists */
        extensions[extension_count++] = "VK_KHR_portability_subset";
    }
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = device->queue_family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &chain.core,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = extension_count,
                                     .ppEnabledExtensionNames = extensions};
    const sn_result result = create_device_handle(device, desc->factory, &info);
    if (result != SN_OK) {
        return result;
    }
    vkGetDeviceQueue(device->handle, device->queue_family, 0, &device->queue);
    return SN_OK;
}

static sn_result init_device(sn_gpu_device *device, const sn_gpu_device_desc *desc)
{
    SN_TRY(sn_gpu_instance_init(device, desc));
    SN_TRY(desc->factory ? use_factory_device(device, desc->factory) : choose_physical(device, desc->name));
    SN_TRY(create_handle(device, desc));
    sn_gpu_name(device, VK_OBJECT_TYPE_DEVICE, (uint64_t)device->handle, "device");
    sn_gpu_name(device, VK_OBJECT_TYPE_QUEUE, (uint64_t)device->queue, "queue");
    return sn_gpu_commands_init(device);
}

sn_result sn_gpu_device_create(const sn_gpu_device_desc *desc, sn_gpu_device **device)
{
    SN_ASSERT(desc && device && desc->instance_extension_count >= 0);
    *device = sn_alloc(1, sizeof **device);
    if (!*device) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result = init_device(*device, desc);
    if (result != SN_OK) {
        sn_gpu_device_destroy(device);
    }
    return result;
}

/* The struct is freed last: messages of vkDestroyInstance still increment its counter. */
void sn_gpu_device_destroy(sn_gpu_device **device)
{
    sn_gpu_device *d = *device;
    *device = NULL;
    if (!d) {
        return;
    }
    if (d->handle) {
        sn_gpu_device_wait(d);
        sn_gpu_shared_finish(d);
        sn_gpu_commands_finish(d);
        sn_gpu_memory_finish(d);
    }
    if (!d->is_adopted) {
        vkDestroyDevice(d->handle, NULL);
        sn_gpu_instance_finish(d);
    }
    sn_free(d, 1, sizeof *d);
}
