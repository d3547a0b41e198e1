/* SPDX-License-Identifier: MIT */
/* Private header of this folder; the only one that includes OpenXR's headers. */
#ifndef SN_RUNTIME_XR_PRIVATE_H
#define SN_RUNTIME_XR_PRIVATE_H

#include <vulkan/vulkan.h>

#define XR_USE_GRAPHICS_API_VULKAN
#include <openxr/openxr.h>
#include <openxr/openxr_platform.h>

#include "compute/core/open.h"
#include "runtime/xr/xr.h"

#define SN_XR_IMAGE_LIMIT 8

/* All functions of an instance that are used. */
#define SN_XR_FUNCTIONS(X)                                                                                             \
    X(xrAcquireSwapchainImage)                                                                                         \
    X(xrApplyHapticFeedback)                                                                                           \
    X(xrAttachSessionActionSets)                                                                                       \
    X(xrBeginFrame)                                                                                                    \
    X(xrBeginSession)                                                                                                  \
    X(xrCreateAction)                                                                                                  \
    X(xrCreateActionSet)                                                                                               \
    X(xrCreateActionSpace)                                                                                             \
    X(xrCreateReferenceSpace)                                                                                          \
    X(xrCreateSession)                                                                                                 \
    X(xrCreateSwapchain)                                                                                               \
    X(xrCreateVulkanDeviceKHR)                                                                                         \
    X(xrCreateVulkanInstanceKHR)                                                                                       \
    X(xrDestroyActionSet)                                                                                              \
    X(xrDestroyInstance)                                                                                               \
    X(xrDestroySession)                                                                                                \
    X(xrDestroySpace)                                                                                                  \
    X(xrDestroySwapchain)                                                                                              \
    X(xrEndFrame)                                                                                                      \
    X(xrEndSession)                                                                                                    \
    X(xrEnumerateEnvironmentBlendModes)                                                                                \
    X(xrEnumerateReferenceSpaces)                                                                                      \
    X(xrEnumerateSwapchainFormats)                                                                                     \
    X(xrEnumerateSwapchainImages)                                                                                      \
    X(xrEnumerateViewConfigurationViews)                                                                               \
    X(xrGetActionStateBoolean)                                                                                         \
    X(xrGetActionStateFloat)                                                                                           \
    X(xrGetSystem)                                                                                                     \
    X(xrGetVulkanGraphicsDevice2KHR)                                                                                   \
    X(xrGetVulkanGraphicsRequirements2KHR)                                                                             \
    X(xrLocateSpace)                                                                                                   \
    X(xrLocateViews)                                                                                                   \
    X(xrPollEvent)                                                                                                     \
    X(xrReleaseSwapchainImage)                                                                                         \
    X(xrRequestExitSession)                                                                                            \
    X(xrResultToString)                                                                                                \
    X(xrStringToPath)                                                                                                  \
    X(xrSuggestInteractionProfileBindings)                                                                             \
    X(xrSyncActions)                                                                                                   \
    X(xrWaitFrame)                                                                                                     \
    X(xrWaitSwapchainImage)

typedef struct sn_xr_functions {
#define SN_XR_MEMBER(name) PFN_##name name;
    SN_XR_FUNCTIONS(SN_XR_MEMBER)
#undef SN_XR_MEMBER
} sn_xr_functions;

/* Swapchain of an eye. */
typedef struct sn_xr_eye {
    XrSwapchain swapchain;
    sn_gpu_image images[SN_XR_IMAGE_LIMIT]; /* (image_count) */
    uint32_t image_count;
    uint32_t image;   /* acquired image */
    bool is_acquired; /* acquired, but the runtime may still read it unless is_free */
    bool is_free;
} sn_xr_eye;

typedef enum sn_xr_button { SN_XR_RESET, SN_XR_RECENTRE, SN_XR_BUTTON_COUNT } sn_xr_button;

typedef struct sn_xr_input {
    XrActionSet set;
    XrAction grip, aim, trigger, haptic, buttons[SN_XR_BUTTON_COUNT];
    XrPath paths[SN_XR_HAND_COUNT];
    XrSpace grips[SN_XR_HAND_COUNT], aims[SN_XR_HAND_COUNT];
} sn_xr_input;

struct sn_xr {
    void *library;
    PFN_xrGetInstanceProcAddr get;
    sn_xr_functions call;
    XrInstance instance;
    XrSystemId system;
    sn_gpu_device_factory factory;
    sn_gpu_device *device;
    XrSession session;
    XrSpace space, head;
    XrReferenceSpaceType space_type;
    double floor; /* height of the floor in `space` */
    XrEnvironmentBlendMode blend_mode;
    sn_xr_eye eyes[SN_XR_EYE_COUNT];
    int32_t width, height;
    double eye_ms[SN_XR_EYE_COUNT]; /* GPU time of the frame before the last */
    sn_xr_input input;
    sn_xr_hand hands[SN_XR_HAND_COUNT];
    bool is_running, is_ended, is_frame_begun, is_recentred;
    XrTime time,
        last_display_time; /* predicted display time of the current frame; of the last displayed frame (0: none) */
};

/* Logs a failed call; returns SN_ERROR_UNSUPPORTED or SN_ERROR_MEMORY. */
sn_result sn_xr_fail(const sn_xr *xr, XrResult code, const char *what);
/* Calls a function of the local `xr`; on failure sets the local `result`, logs the error and jumps to `done`.
 * XR_SESSION_LOSS_PENDING is not a failure here; it is reported by an event. */
#define SN_XR(name, ...)                                                                                               \
    do {                                                                                                               \
        const XrResult xr_code = xr->call.name(__VA_ARGS__);                                                           \
        if (XR_FAILED(xr_code)) {                                                                                      \
            result = sn_xr_fail(xr, xr_code, #name);                                                                   \
            goto done;                                                                                                 \
        }                                                                                                              \
    } while (0)

/* Initializes xr->maker (vulkan.c). */
void sn_xr_set_maker(sn_xr *xr);
/* The eyes' swapchains (images.c). */
sn_result sn_xr_images_init(sn_xr *xr);
void sn_xr_images_finish(sn_xr *xr);
/* Actions of both hands (input.c); the instance's paths are freed with the instance. */
sn_result sn_xr_input_init(sn_xr *xr);
void sn_xr_input_finish(sn_xr *xr);
/* Reads hands and buttons at the frame's time. */
sn_result sn_xr_input_read(sn_xr *xr, sn_xr_frame *frame);
/* Pose of a space at the frame's time; if *is_known is false, `pose` is unchanged. */
sn_result sn_xr_locate(sn_xr *xr, XrSpace space, sn_xr_pose *pose, bool *is_known);
sn_xr_pose sn_xr_convert_pose(const sn_xr *xr, const XrPosef *pose);

#endif
