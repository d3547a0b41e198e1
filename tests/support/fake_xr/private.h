/* SPDX-License-Identifier: MIT */
#ifndef SN_TESTS_SUPPORT_FAKE_XR_PRIVATE_H
#define SN_TESTS_SUPPORT_FAKE_XR_PRIVATE_H

#include <vulkan/vulkan.h>

#define XR_EXTENSION_PROTOTYPES
#define XR_USE_GRAPHICS_API_VULKAN
#include <openxr/openxr.h>
#include <openxr/openxr_platform.h>

#include "tests/support/fake_xr/fake.h"

#define FAKE_IMAGES 3
#define FAKE_SPACES 16
#define FAKE_ACTIONS 16
#define FAKE_PATHS 256
#define FAKE_EVENTS 16

/* Breaking a rule. */
XrResult fake_break(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define FAKE_RULE(condition, ...)                                                                                      \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            return fake_break(__VA_ARGS__);                                                                            \
        }                                                                                                              \
    } while (0)

typedef struct fake_swapchain {
    bool is_used, is_acquired, is_waited, is_released; /* the last: since the frame began */
    VkFormat format;
    int width, height;
    VkImage images[FAKE_IMAGES];
    VkDeviceMemory memories[FAKE_IMAGES];
    uint32_t next, image; /* the acquired one, or the last that was released */
} fake_swapchain;

typedef struct fake_space {
    bool is_used;
    XrReferenceSpaceType type; /* or */
    XrAction action;
    int hand;
} fake_space;

typedef struct fake_action {
    XrActionType type;
    char name[XR_MAX_ACTION_NAME_SIZE];
    bool was_pressed, is_pressed;
} fake_action;

typedef struct fake_state {
    sn_fake_xr told;
    bool is_instance, is_lost, is_dropped, has_requirements;
    /* Vulkan's */
    VkInstance vulkan;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkBuffer buffer; /* for pictures */
    VkDeviceMemory memory;
    void *mapped;
    /* the session */
    bool is_session, is_running, is_exiting;
    XrSessionState state;
    XrSessionState events[FAKE_EVENTS];
    int event_count;
    bool is_pending_told, is_recentre_due;
    int frame, frame_begun; /* ended ones; those before the session began last */
    bool is_waited, is_begun;
    XrTime time;
    fake_swapchain swapchains[SN_FAKE_EYES];
    fake_space spaces[FAKE_SPACES];
    /* input */
    bool is_set, is_attached, is_synced;
    fake_action actions[FAKE_ACTIONS];
    int action_count, suggestion_count;
    char paths[FAKE_PATHS][XR_MAX_PATH_LENGTH];
    int path_count;
} fake_state;
extern fake_state fake;

/* Handles: a number beyond a base, so that kinds cannot be mistaken for each other. */
#define FAKE_INSTANCE ((XrInstance)(uintptr_t)0x1000)
#define FAKE_SESSION ((XrSession)(uintptr_t)0x2000)
#define FAKE_SWAPCHAIN(i) ((XrSwapchain)(uintptr_t)(0x3000 + 16 * (uintptr_t)(i)))
#define FAKE_SPACE(i) ((XrSpace)(uintptr_t)(0x4000 + 16 * (uintptr_t)(i)))
#define FAKE_SET ((XrActionSet)(uintptr_t)0x5000)
#define FAKE_ACTION(i) ((XrAction)(uintptr_t)(0x6000 + 16 * (uintptr_t)(i)))
#define FAKE_SYSTEM 7

/* XR_SUCCESS, or what calls of a session return now. */
XrResult fake_check_session(XrSession session);
void fake_queue_state(XrSessionState state);
/* Where an eye (0, 1) or the head (-1) is, and its field of view. */
XrPosef fake_eye_pose(int eye);
XrFovf fake_eye_fov(int eye);
fake_swapchain *fake_find_swapchain(XrSwapchain swapchain);
fake_action *fake_find_action(XrAction action);
/* 0, 1, or -1 for XR_NULL_PATH and all other paths. */
int fake_hand_of(XrPath path);
/* The images of the frame that ends, to told.pixels. */
void fake_take_pictures(void);
void fake_finish_pictures(void);

#define FAKE_FUNCTIONS(X)                                                                                              \
    X(xrAcquireSwapchainImage)                                                                                         \
    X(xrApplyHapticFeedback)                                                                                           \
    X(xrAttachSessionActionSets)                                                                                       \
    X(xrBeginFrame)                                                                                                    \
    X(xrBeginSession)                                                                                                  \
    X(xrCreateAction)                                                                                                  \
    X(xrCreateActionSet)                                                                                               \
    X(xrCreateActionSpace)                                                                                             \
    X(xrCreateInstance)                                                                                                \
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
    X(xrEnumerateInstanceExtensionProperties)                                                                          \
    X(xrEnumerateReferenceSpaces)                                                                                      \
    X(xrEnumerateSwapchainFormats)                                                                                     \
    X(xrEnumerateSwapchainImages)                                                                                      \
    X(xrEnumerateViewConfigurationViews)                                                                               \
    X(xrGetActionStateBoolean)                                                                                         \
    X(xrGetActionStateFloat)                                                                                           \
    X(xrGetInstanceProcAddr)                                                                                           \
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

/* Each is fake_<name>, of the same type as OpenXR's own. */
#define FAKE_DECLARE(name) __typeof__(name) fake_##name;
FAKE_FUNCTIONS(FAKE_DECLARE)
#undef FAKE_DECLARE

#endif
