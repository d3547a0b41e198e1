/* SPDX-License-Identifier: MIT */
/* Lifetime and states of the session. */
#include "runtime/xr/private.h"

/* ---- lifetime ---- */

static sn_result create_session(sn_xr *xr)
{
    const XrGraphicsBindingVulkan2KHR binding = {.type = XR_TYPE_GRAPHICS_BINDING_VULKAN2_KHR,
                                                 .instance = xr->device->instance,
                                                 .physicalDevice = xr->device->physical,
                                                 .device = xr->device->handle,
                                                 .queueFamilyIndex = xr->device->queue_family,
                                                 .queueIndex = 0};
    const XrSessionCreateInfo info = {.type = XR_TYPE_SESSION_CREATE_INFO, .next = &binding, .systemId = xr->system};
    sn_result result = SN_OK;
    SN_XR(xrCreateSession, xr->instance, &info, &xr->session);
done:
    return result;
}

/* Prefers the stage space, which has a floor. Otherwise the floor is assumed SN_XR_EYE_HEIGHT below the head's initial
 * position. */
static sn_result choose_space(sn_xr *xr)
{
    XrReferenceSpaceType types[16];
    uint32_t count = 0;
    sn_result result = SN_OK;
    SN_XR(xrEnumerateReferenceSpaces, xr->session, 16, &count, types);
    xr->space_type = XR_REFERENCE_SPACE_TYPE_LOCAL;
    xr->floor = -SN_XR_EYE_HEIGHT;
    for (uint32_t i = 0; i < count; ++i) {
        if (types[i] == XR_REFERENCE_SPACE_TYPE_STAGE) {
            xr->space_type = types[i];
            xr->floor = 0;
        }
    }
done:
    return result;
}

static sn_result create_spaces(sn_xr *xr)
{
    XrReferenceSpaceCreateInfo info = {.type = XR_TYPE_REFERENCE_SPACE_CREATE_INFO,
                                       .poseInReferenceSpace.orientation.w = 1};
    sn_result result = choose_space(xr);
    if (result != SN_OK) {
        return result;
    }
    info.referenceSpaceType = xr->space_type;
    SN_XR(xrCreateReferenceSpace, xr->session, &info, &xr->space);
    info.referenceSpaceType = XR_REFERENCE_SPACE_TYPE_VIEW;
    SN_XR(xrCreateReferenceSpace, xr->session, &info, &xr->head);
done:
    return result;
}

/* The runtime's preferred blend mode. */
static sn_result choose_blend_mode(sn_xr *xr)
{
    XrEnvironmentBlendMode modes[8];
    uint32_t count = 0;
    sn_result result = SN_OK;
    SN_XR(xrEnumerateEnvironmentBlendModes, xr->instance, xr->system, XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO, 8,
          &count, modes);
    xr->blend_mode = count > 0 ? modes[0] : XR_ENVIRONMENT_BLEND_MODE_OPAQUE;
done:
    return result;
}

sn_result sn_xr_start(sn_xr *xr, sn_gpu_device *device)
{
    xr->device = device;
    SN_TRY(create_session(xr));
    SN_TRY(choose_blend_mode(xr));
    SN_TRY(create_spaces(xr));
    SN_TRY(sn_xr_images_init(xr));
    return sn_xr_input_init(xr);
}

void sn_xr_stop(sn_xr *xr)
{
    if (!xr || !xr->session) {
        return;
    }
    sn_gpu_device_wait(xr->device);
    sn_xr_input_finish(xr);
    sn_xr_images_finish(xr);
    if (xr->head) {
        xr->call.xrDestroySpace(xr->head);
    }
    if (xr->space) {
        xr->call.xrDestroySpace(xr->space);
    }
    xr->call.xrDestroySession(xr->session);
    xr->session = XR_NULL_HANDLE;
    xr->space = xr->head = XR_NULL_HANDLE;
}

/* ---- states ---- */

static sn_result begin_session(sn_xr *xr)
{
    const XrSessionBeginInfo info = {.type = XR_TYPE_SESSION_BEGIN_INFO,
                                     .primaryViewConfigurationType = XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO};
    sn_result result = SN_OK;
    SN_XR(xrBeginSession, xr->session, &info);
    xr->is_running = true;
    xr->last_display_time = 0;
done:
    return result;
}

static sn_result end_session(sn_xr *xr)
{
    sn_result result = SN_OK;
    xr->is_running = false;
    SN_XR(xrEndSession, xr->session);
done:
    return result;
}

static sn_result fail_session_lost(void)
{
    return sn_fail(SN_ERROR_UNSUPPORTED, "xr: the OpenXR session ended or the headset was lost");
}

static sn_result change_state(sn_xr *xr, XrSessionState state)
{
    switch (state) {
    case XR_SESSION_STATE_READY:
        return begin_session(xr);
    case XR_SESSION_STATE_STOPPING:
        return end_session(xr);
    case XR_SESSION_STATE_EXITING:
        xr->is_ended = true;
        return SN_OK;
    case XR_SESSION_STATE_LOSS_PENDING:
        return fail_session_lost();
    default: /* synchronized, visible: each frame tells whether it must be drawn */
        return SN_OK;
    }
}

static sn_result handle_event(sn_xr *xr, const XrEventDataBuffer *event)
{
    const void *data = event;
    switch (event->type) {
    case XR_TYPE_EVENT_DATA_SESSION_STATE_CHANGED:
        return change_state(xr, ((const XrEventDataSessionStateChanged *)data)->state);
    case XR_TYPE_EVENT_DATA_INSTANCE_LOSS_PENDING:
        return fail_session_lost();
    case XR_TYPE_EVENT_DATA_REFERENCE_SPACE_CHANGE_PENDING:
        xr->is_recentred = true;
        return SN_OK;
    default: /* a changed refresh rate is visible in the frame times */
        return SN_OK;
    }
}

sn_result sn_xr_poll(sn_xr *xr)
{
    sn_result result = SN_OK;
    while (result == SN_OK) {
        XrEventDataBuffer event = {.type = XR_TYPE_EVENT_DATA_BUFFER};
        const XrResult code = xr->call.xrPollEvent(xr->instance, &event);
        if (code == XR_EVENT_UNAVAILABLE) {
            break;
        }
        result = XR_FAILED(code) ? sn_xr_fail(xr, code, "xrPollEvent") : handle_event(xr, &event);
    }
    return result;
}

bool sn_xr_is_running(const sn_xr *xr)
{
    return xr->is_running;
}

bool sn_xr_is_ended(const sn_xr *xr)
{
    return xr->is_ended;
}

sn_result sn_xr_request_end(sn_xr *xr)
{
    sn_result result = SN_OK;
    SN_XR(xrRequestExitSession, xr->session);
done:
    return result;
}
