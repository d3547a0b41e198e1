/* SPDX-License-Identifier: MIT */
/* What the loader asks first, the instance, the headset, and Vulkan made through it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/fake_xr/private.h"

fake_state fake;

XrResult fake_break(const char *format, ...)
{
    if (fake.told.broken_count++ == 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(fake.told.broken, sizeof fake.told.broken, format, arguments);
        va_end(arguments);
        fprintf(stderr, "fake headset: %s\n", fake.told.broken);
    }
    return XR_ERROR_VALIDATION_FAILURE;
}

/* ---- what it is told ---- */

static void poke(sn_fake_xr *told, int frame)
{
    const int phase = frame % 60;
    told->hands[1].pose.position[2] = -0.4F - 0.015F * (float)(phase < 30 ? phase : 60 - phase);
}

static int number_of(const char *words, const char *word)
{
    const char *found = strstr(words, word);
    return found ? atoi(found + strlen(word)) : 0;
}

static void take_words(const char *words)
{
    sn_fake_xr *told = &fake.told;
    told->is_headless = strstr(words, "headless") != NULL;
    told->is_plain = strstr(words, "plain") != NULL;
    told->has_no_stage = strstr(words, "local") != NULL;
    told->lose_at = number_of(words, "lose=");
    told->drop_at = number_of(words, "drop=");
    told->pending_at = number_of(words, "pending=");
    told->exit_at = number_of(words, "exit=");
    if (strstr(words, "poke")) {
        told->script = poke;
    }
}

static void reset(void)
{
    static const sn_fake_pose head = {{0, 0, 0, 1}, {0, 1.6F, 0}};
    fake = (fake_state){.told = {.width = 256, .height = 288, .rate = 90, .head = head}};
    fake.told.formats[0] = VK_FORMAT_B8G8R8A8_SRGB;
    fake.told.formats[1] = VK_FORMAT_R8G8B8A8_SRGB;
    for (int hand = 0; hand < SN_FAKE_HANDS; ++hand) {
        fake.told.hands[hand] =
            (sn_fake_hand){.is_tracked = true, .pose = {{0, 0, 0, 1}, {hand == 0 ? -0.25F : 0.15F, 1.2F, -0.4F}}};
    }
    take_words(getenv("SN_FAKE_XR") ? getenv("SN_FAKE_XR") : "");
}

__attribute__((visibility("default"))) sn_fake_xr *sn_fake_xr_start(void);
sn_fake_xr *sn_fake_xr_start(void)
{
    reset();
    return &fake.told;
}

__attribute__((constructor)) static void begin(void)
{
    reset();
}

/* ---- the loader ---- */

/* Of loader_interfaces.h, which Debian does not install. */
typedef struct negotiate_loader {
    uint32_t type, version;
    size_t size;
    uint32_t least_interface, most_interface;
    XrVersion least_api, most_api;
} negotiate_loader;

typedef struct negotiate_runtime {
    uint32_t type, version;
    size_t size;
    uint32_t interface;
    XrVersion api;
    PFN_xrGetInstanceProcAddr get;
} negotiate_runtime;

__attribute__((visibility("default"))) XrResult xrNegotiateLoaderRuntimeInterface(const negotiate_loader *loader,
                                                                                  negotiate_runtime *runtime);
XrResult xrNegotiateLoaderRuntimeInterface(const negotiate_loader *loader, negotiate_runtime *runtime)
{
    if (loader->most_interface < 1 || runtime->size != sizeof *runtime) {
        return XR_ERROR_INITIALIZATION_FAILED;
    }
    runtime->interface = 1;
    runtime->api = XR_MAKE_VERSION(1, 0, 20);
    runtime->get = fake_xrGetInstanceProcAddr;
    return XR_SUCCESS;
}

XrResult fake_xrGetInstanceProcAddr(XrInstance instance, const char *name, PFN_xrVoidFunction *function)
{
    (void)instance;
#define FAKE_FIND(known)                                                                                               \
    if (strcmp(name, #known) == 0) {                                                                                   \
        *function = (PFN_xrVoidFunction)fake_##known;                                                                  \
        return XR_SUCCESS;                                                                                             \
    }
    FAKE_FUNCTIONS(FAKE_FIND)
#undef FAKE_FIND
    *function = NULL;
    return XR_ERROR_FUNCTION_UNSUPPORTED;
}

XrResult fake_xrEnumerateInstanceExtensionProperties(const char *layer, uint32_t capacity, uint32_t *count,
                                                     XrExtensionProperties *properties)
{
    (void)layer;
    *count = fake.told.is_plain ? 0 : 1;
    if (capacity > 0 && *count > 0) {
        FAKE_RULE(properties[0].type == XR_TYPE_EXTENSION_PROPERTIES, "extension properties of another type");
        snprintf(properties[0].extensionName, sizeof properties[0].extensionName, "%s",
                 XR_KHR_VULKAN_ENABLE2_EXTENSION_NAME);
        properties[0].extensionVersion = XR_KHR_vulkan_enable2_SPEC_VERSION;
    }
    return XR_SUCCESS;
}

/* ---- the instance ---- */

XrResult fake_xrCreateInstance(const XrInstanceCreateInfo *info, XrInstance *instance)
{
    FAKE_RULE(info->type == XR_TYPE_INSTANCE_CREATE_INFO && !fake.is_instance, "a second instance");
    FAKE_RULE(info->applicationInfo.applicationName[0], "an application without a name");
    FAKE_RULE(info->enabledExtensionCount == 1 &&
                  strcmp(info->enabledExtensionNames[0], XR_KHR_VULKAN_ENABLE2_EXTENSION_NAME) == 0,
              "other extensions than there are");
    fake.is_instance = true;
    *instance = FAKE_INSTANCE;
    return XR_SUCCESS;
}

XrResult fake_xrDestroyInstance(XrInstance instance)
{
    FAKE_RULE(instance == FAKE_INSTANCE && fake.is_instance, "no such instance is destroyed");
    FAKE_RULE(fake.told.live_count == 0, "%d objects outlive the instance", fake.told.live_count);
    fake.is_instance = false;
    fake_finish_pictures();
    return XR_SUCCESS;
}

XrResult fake_xrResultToString(XrInstance instance, XrResult value, char text[XR_MAX_RESULT_STRING_SIZE])
{
    (void)instance;
    snprintf(text, XR_MAX_RESULT_STRING_SIZE, "XR_RESULT_%d", value);
    return XR_SUCCESS;
}

XrResult fake_xrGetSystem(XrInstance instance, const XrSystemGetInfo *info, XrSystemId *system)
{
    FAKE_RULE(instance == FAKE_INSTANCE && info->type == XR_TYPE_SYSTEM_GET_INFO &&
                  info->formFactor == XR_FORM_FACTOR_HEAD_MOUNTED_DISPLAY,
              "another system than a headset");
    *system = fake.told.is_headless ? XR_NULL_SYSTEM_ID : FAKE_SYSTEM;
    return fake.told.is_headless ? XR_ERROR_FORM_FACTOR_UNAVAILABLE : XR_SUCCESS;
}

XrResult fake_xrEnumerateViewConfigurationViews(XrInstance instance, XrSystemId system, XrViewConfigurationType type,
                                                uint32_t capacity, uint32_t *count, XrViewConfigurationView *views)
{
    (void)instance;
    FAKE_RULE(system == FAKE_SYSTEM && type == XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO, "not stereo");
    *count = SN_FAKE_EYES;
    for (uint32_t i = 0; i < capacity && i < SN_FAKE_EYES; ++i) {
        FAKE_RULE(views[i].type == XR_TYPE_VIEW_CONFIGURATION_VIEW, "views of another type");
        views[i].recommendedImageRectWidth = (uint32_t)fake.told.width;
        views[i].recommendedImageRectHeight = (uint32_t)fake.told.height;
        views[i].recommendedSwapchainSampleCount = 1;
    }
    return XR_SUCCESS;
}

XrResult fake_xrEnumerateEnvironmentBlendModes(XrInstance instance, XrSystemId system, XrViewConfigurationType type,
                                               uint32_t capacity, uint32_t *count, XrEnvironmentBlendMode *modes)
{
    (void)instance;
    FAKE_RULE(system == FAKE_SYSTEM && type == XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO, "not stereo");
    *count = 1;
    if (capacity > 0) {
        modes[0] = XR_ENVIRONMENT_BLEND_MODE_OPAQUE;
    }
    return XR_SUCCESS;
}

/* ---- Vulkan ---- */

XrResult fake_xrGetVulkanGraphicsRequirements2KHR(XrInstance instance, XrSystemId system,
                                                  XrGraphicsRequirementsVulkan2KHR *needed)
{
    (void)instance;
    FAKE_RULE(system == FAKE_SYSTEM && needed->type == XR_TYPE_GRAPHICS_REQUIREMENTS_VULKAN2_KHR,
              "requirements of another system");
    needed->minApiVersionSupported = XR_MAKE_VERSION(1, 0, 0);
    needed->maxApiVersionSupported = XR_MAKE_VERSION(1, 2, 0); /* as runtimes have it that know no newer one */
    fake.has_requirements = true;
    return XR_SUCCESS;
}

XrResult fake_xrCreateVulkanInstanceKHR(XrInstance instance, const XrVulkanInstanceCreateInfoKHR *info,
                                        VkInstance *vulkan, VkResult *code)
{
    (void)instance;
    FAKE_RULE(fake.has_requirements, "Vulkan is made before its requirements are known");
    FAKE_RULE(info->type == XR_TYPE_VULKAN_INSTANCE_CREATE_INFO_KHR && info->systemId == FAKE_SYSTEM &&
                  info->pfnGetInstanceProcAddr && info->vulkanCreateInfo,
              "Vulkan's instance is incomplete");
    *code = vkCreateInstance(info->vulkanCreateInfo, info->vulkanAllocator, vulkan);
    fake.vulkan = *vulkan;
    return XR_SUCCESS;
}

/* The first software device: what tests compare with is drawn on it, too. */
XrResult fake_xrGetVulkanGraphicsDevice2KHR(XrInstance instance, const XrVulkanGraphicsDeviceGetInfoKHR *info,
                                            VkPhysicalDevice *physical)
{
    VkPhysicalDevice all[16];
    uint32_t count = 16;
    (void)instance;
    FAKE_RULE(info->type == XR_TYPE_VULKAN_GRAPHICS_DEVICE_GET_INFO_KHR && info->systemId == FAKE_SYSTEM &&
                  info->vulkanInstance == fake.vulkan,
              "a device of another instance");
    if (vkEnumeratePhysicalDevices(fake.vulkan, &count, all) < 0 || count == 0) {
        return XR_ERROR_RUNTIME_FAILURE;
    }
    *physical = all[0];
    for (uint32_t i = count; i-- > 0;) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(all[i], &properties);
        *physical = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ? all[i] : *physical;
    }
    fake.physical = *physical;
    return XR_SUCCESS;
}

XrResult fake_xrCreateVulkanDeviceKHR(XrInstance instance, const XrVulkanDeviceCreateInfoKHR *info, VkDevice *device,
                                      VkResult *code)
{
    (void)instance;
    FAKE_RULE(info->type == XR_TYPE_VULKAN_DEVICE_CREATE_INFO_KHR && info->systemId == FAKE_SYSTEM &&
                  info->pfnGetInstanceProcAddr && info->vulkanPhysicalDevice == fake.physical,
              "another device than the headset's");
    *code = vkCreateDevice(fake.physical, info->vulkanCreateInfo, info->vulkanAllocator, device);
    fake.device = *device;
    return XR_SUCCESS;
}
