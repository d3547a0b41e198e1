/* SPDX-License-Identifier: MIT */
/* The Vulkan instance and the messages of the validation layer. */
#include <stdio.h>
#include <string.h>

#include "compute/core/open.h"

#define SN_VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"

enum { SN_EXTENSION_LIMIT = 16, SN_LAYER_LIMIT = 64 };

/* Loader messages (general type) concern other drivers and layers, so they are logged as information only. */
static VKAPI_ATTR VkBool32 VKAPI_CALL receive_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                      VkDebugUtilsMessageTypeFlagsEXT types,
                                                      const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)severity;
    sn_gpu_device *device = user;
    char line[960];
    snprintf(line, sizeof line, "%s", data->pMessage ? data->pMessage : "");
    for (char *c = line; *c; ++c) {
        if (*c == '\n' || *c == '\r') {
            *c = ' ';
        }
    }
    if (types & (VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT)) {
        ++device->validation_message_count;
        sn_log(SN_LOG_WARNING, "vulkan: %s", line);
    } else {
        sn_log(SN_LOG_INFO, "vulkan loader: %s", line);
    }
    return VK_FALSE;
}

static VkDebugUtilsMessengerCreateInfoEXT messenger_info(sn_gpu_device *device)
{
    return (VkDebugUtilsMessengerCreateInfoEXT){.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                                .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                                                                   VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                                                .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                                                               VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                                                               VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
                                                .pfnUserCallback = receive_message,
                                                .pUserData = device};
}

/* Searches the extensions of the loader and the drivers (layer null) or of one layer. */
static bool has_instance_extension(const char *layer, const char *name)
{
    uint32_t count = 0;
    if (vkEnumerateInstanceExtensionProperties(layer, &count, NULL) < 0 || count == 0) {
        return false;
    }
    const uint32_t capacity = count;
    VkExtensionProperties *extensions = sn_alloc(capacity, sizeof *extensions);
    bool is_found = false;
    if (extensions && vkEnumerateInstanceExtensionProperties(layer, &count, extensions) >= 0) {
        for (uint32_t i = 0; i < count && !is_found; ++i) {
            is_found = strcmp(extensions[i].extensionName, name) == 0;
        }
    }
    sn_free(extensions, capacity, sizeof *extensions);
    return is_found;
}

static bool has_layer(const char *name)
{
    VkLayerProperties layers[SN_LAYER_LIMIT];
    uint32_t count = SN_LAYER_LIMIT;
    if (vkEnumerateInstanceLayerProperties(&count, layers) < 0) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (strcmp(layers[i].layerName, name) == 0) {
            return true;
        }
    }
    return false;
}

static sn_result check_loader(const sn_gpu_device_desc *desc, bool has_debug_utils)
{
    uint32_t version = 0;
    if (vkEnumerateInstanceVersion(&version) < 0 || version < VK_API_VERSION_1_3) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "the Vulkan loader is older than 1.3");
    }
    if (desc->instance_extension_count > SN_EXTENSION_LIMIT - 3) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%d Vulkan instance extensions requested; the maximum is %d",
                       desc->instance_extension_count, SN_EXTENSION_LIMIT - 3);
    }
    if (desc->is_validated &&
        !(has_debug_utils && has_layer(SN_VALIDATION_LAYER) &&
          has_instance_extension(SN_VALIDATION_LAYER, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME))) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "no Vulkan validation layer: install the package vulkan-validationlayers");
    }
    return SN_OK;
}

static sn_result fail_without_driver(void)
{
    return sn_fail(SN_ERROR_UNSUPPORTED,
                   "no Vulkan driver: install that of the GPU, or the package mesa-vulkan-drivers for software Vulkan");
}

/* A messenger chained to VkInstanceCreateInfo receives the messages of vkCreateInstance and vkDestroyInstance. */
static sn_result create_instance(sn_gpu_device *device, const sn_gpu_device_desc *desc, bool has_debug_utils)
{
    const char *layer = SN_VALIDATION_LAYER;
    const char *extensions[SN_EXTENSION_LIMIT];
    uint32_t extension_count = 0;
    for (int i = 0; i < desc->instance_extension_count; ++i) {
        extensions[extension_count++] = desc->instance_extensions[i];
    }
    if (has_debug_utils) {
        extensions[extension_count++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    }
    const VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(device);
    const VkValidationFeatureEnableEXT enabled[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    const VkValidationFeaturesEXT validation = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                                .pNext = &messenger,
                                                .enabledValidationFeatureCount = 1,
                                                .pEnabledValidationFeatures = enabled};
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .pApplicationName = "sinew",
                                           .pEngineName = "sinew",
                                           .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application,
                                 .ppEnabledExtensionNames = extensions};
    /* Without it the loader hides devices that implement Vulkan on another interface. */
    if (has_instance_extension(NULL, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
        extensions[extension_count++] = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
        info.flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    }
    if (desc->is_validated) {
        extensions[extension_count++] = VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME;
        info.pNext = &validation;
        info.ppEnabledLayerNames = &layer;
        info.enabledLayerCount = 1;
    }
    info.enabledExtensionCount = extension_count;
    if (desc->factory) {
        return desc->factory->create_instance(&info, &device->instance, desc->factory->user);
    }
    const VkResult code = vkCreateInstance(&info, NULL, &device->instance);
    if (code == VK_ERROR_INCOMPATIBLE_DRIVER) {
        return fail_without_driver();
    }
    return code < 0 ? sn_gpu_fail(code, "vkCreateInstance") : SN_OK;
}

static sn_result create_messenger(sn_gpu_device *device)
{
    const PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(device->instance, "vkCreateDebugUtilsMessengerEXT");
    const VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(device);
    const VkResult code = create(device->instance, &info, NULL, &device->messenger);
    return code < 0 ? sn_gpu_fail(code, "vkCreateDebugUtilsMessengerEXT") : SN_OK;
}

static sn_result check_driver(const sn_gpu_device *device)
{
    uint32_t count = 0;
    const VkResult code = vkEnumeratePhysicalDevices(device->instance, &count, NULL);
    if (code == VK_ERROR_INITIALIZATION_FAILED || (code >= 0 && count == 0)) { /* older loaders return the error code */
        return fail_without_driver();
    }
    return code < 0 ? sn_gpu_fail(code, "vkEnumeratePhysicalDevices") : SN_OK;
}

sn_result sn_gpu_instance_init(sn_gpu_device *device, const sn_gpu_device_desc *desc)
{
    const bool has_debug_utils = has_instance_extension(NULL, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    SN_TRY(check_loader(desc, has_debug_utils));
    SN_TRY(create_instance(device, desc, has_debug_utils));
    if (has_debug_utils) {
        device->set_name =
            (PFN_vkSetDebugUtilsObjectNameEXT)vkGetInstanceProcAddr(device->instance, "vkSetDebugUtilsObjectNameEXT");
    }
    if (desc->is_validated) {
        SN_TRY(create_messenger(device));
    }
    return check_driver(device);
}

void sn_gpu_instance_finish(sn_gpu_device *device)
{
    if (device->messenger) {
        const PFN_vkDestroyDebugUtilsMessengerEXT destroy = (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
            device->instance, "vkDestroyDebugUtilsMessengerEXT");
        destroy(device->instance, device->messenger, NULL);
    }
    if (device->instance) {
        vkDestroyInstance(device->instance, NULL);
    }
}
