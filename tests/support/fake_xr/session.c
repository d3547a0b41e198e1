/* SPDX-License-Identifier: MIT */
/* The session: its states, its spaces, its frames. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/fake_xr/private.h"

XrResult fake_check_session(XrSession session)
{
    FAKE_RULE(session == FAKE_SESSION && fake.is_session, "a call of no session");
    return fake.is_dropped ? XR_ERROR_INSTANCE_LOST : fake.is_lost ? XR_ERROR_SESSION_LOST : XR_SUCCESS;
}
#define CHECK_SESSION()                                                                                                \
    do {                                                                                                               \
        const XrResult checked = fake_check_session(session);                                                          \
        if (XR_FAILED(checked)) {                                                                                      \
            return checked;                                                                                            \
        }                                                                                                              \
    } while (0)

void fake_queue_state(XrSessionState state)
{
    if (fake.event_count < FAKE_EVENTS) {
        fake.events[fake.event_count++] = state;
    }
}

XrResult fake_xrCreateSession(XrInstance instance, const XrSessionCreateInfo *info, XrSession *session)
{
    const XrGraphicsBindingVulkan2KHR *binding = info->next;
    FAKE_RULE(instance == FAKE_INSTANCE && info->type == XR_TYPE_SESSION_CREATE_INFO && info->systemId == FAKE_SYSTEM &&
                  !fake.is_session,
              "a session of another system");
    FAKE_RULE(fake.has_requirements && binding && binding->type == XR_TYPE_GRAPHICS_BINDING_VULKAN2_KHR &&
                  binding->instance == fake.vulkan && binding->physicalDevice == fake.physical &&
                  binding->device == fake.device,
              "a session without the headset's own device");
    vkGetDeviceQueue(fake.device, binding->queueFamilyIndex, binding->queueIndex, &fake.queue);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                          .queueFamilyIndex = binding->queueFamilyIndex};
    if (vkCreateCommandPool(fake.device, &pool, NULL, &fake.pool) < 0) {
        return XR_ERROR_RUNTIME_FAILURE;
    }
    fake.is_session = true;
    ++fake.told.live_count;
    fake_queue_state(XR_SESSION_STATE_IDLE);
    fake_queue_state(XR_SESSION_STATE_READY);
    *session = FAKE_SESSION;
    return XR_SUCCESS;
}

XrResult fake_xrDestroySession(XrSession session)
{
    FAKE_RULE(session == FAKE_SESSION && fake.is_session, "no such session is destroyed");
    fake_finish_pictures();
    vkDestroyCommandPool(fake.device, fake.pool, NULL);
    fake.is_session = fake.is_running = false;
    --fake.told.live_count;
    return XR_SUCCESS;
}

/* ---- states ---- */

static XrResult tell_state(XrEventDataBuffer *event)
{
    const XrEventDataSessionStateChanged changed = {
        .type = XR_TYPE_EVENT_DATA_SESSION_STATE_CHANGED, .session = FAKE_SESSION, .state = fake.events[0]};
    fake.state = fake.events[0];
    memmove(fake.events, fake.events + 1, sizeof fake.events - sizeof fake.events[0]);
    --fake.event_count;
    memcpy(event, &changed, sizeof changed);
    return XR_SUCCESS;
}

XrResult fake_xrPollEvent(XrInstance instance, XrEventDataBuffer *event)
{
    FAKE_RULE(instance == FAKE_INSTANCE && event->type == XR_TYPE_EVENT_DATA_BUFFER, "an event without a type");
    if (fake.is_dropped) {
        return XR_ERROR_INSTANCE_LOST;
    }
    if (fake.told.is_recentred) {
        const XrEventDataReferenceSpaceChangePending changed = {.type =
                                                                    XR_TYPE_EVENT_DATA_REFERENCE_SPACE_CHANGE_PENDING,
                                                                .session = FAKE_SESSION,
                                                                .referenceSpaceType = XR_REFERENCE_SPACE_TYPE_STAGE};
        fake.told.is_recentred = false;
        memcpy(event, &changed, sizeof changed);
        return XR_SUCCESS;
    }
    return fake.event_count > 0 ? tell_state(event) : XR_EVENT_UNAVAILABLE;
}

XrResult fake_xrBeginSession(XrSession session, const XrSessionBeginInfo *info)
{
    CHECK_SESSION();
    FAKE_RULE(info->type == XR_TYPE_SESSION_BEGIN_INFO &&
                  info->primaryViewConfigurationType == XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO,
              "a session that is not stereo begins");
    FAKE_RULE(fake.state == XR_SESSION_STATE_READY && !fake.is_running, "a session begins that is not ready");
    fake.is_running = true;
    fake.frame_begun = fake.frame;
    ++fake.told.begun_count;
    return XR_SUCCESS;
}

XrResult fake_xrEndSession(XrSession session)
{
    CHECK_SESSION();
    FAKE_RULE(fake.state == XR_SESSION_STATE_STOPPING && fake.is_running && !fake.is_begun,
              "a session ends that does not stop, or within a frame");
    fake.is_running = fake.is_waited = false;
    fake_queue_state(XR_SESSION_STATE_IDLE);
    fake_queue_state(fake.is_exiting ? XR_SESSION_STATE_EXITING : XR_SESSION_STATE_READY);
    return XR_SUCCESS;
}

XrResult fake_xrRequestExitSession(XrSession session)
{
    CHECK_SESSION();
    FAKE_RULE(fake.is_running, "the end of what does not run");
    if (!fake.is_exiting) {
        fake.is_exiting = true;
        fake_queue_state(XR_SESSION_STATE_VISIBLE);
        fake_queue_state(XR_SESSION_STATE_SYNCHRONIZED);
        fake_queue_state(XR_SESSION_STATE_STOPPING);
    }
    return XR_SUCCESS;
}

/* ---- spaces ---- */

XrResult fake_xrEnumerateReferenceSpaces(XrSession session, uint32_t capacity, uint32_t *count,
                                         XrReferenceSpaceType *types)
{
    static const XrReferenceSpaceType all[] = {XR_REFERENCE_SPACE_TYPE_VIEW, XR_REFERENCE_SPACE_TYPE_LOCAL,
                                               XR_REFERENCE_SPACE_TYPE_STAGE};
    CHECK_SESSION();
    *count = fake.told.has_no_stage ? 2 : 3;
    for (uint32_t i = 0; i < *count && i < capacity; ++i) {
        types[i] = all[i];
    }
    return XR_SUCCESS;
}

static XrResult make_space(fake_space space, XrSpace *handle)
{
    for (int i = 0; i < FAKE_SPACES; ++i) {
        if (!fake.spaces[i].is_used) {
            fake.spaces[i] = space;
            fake.spaces[i].is_used = true;
            ++fake.told.live_count;
            *handle = FAKE_SPACE(i);
            return XR_SUCCESS;
        }
    }
    return XR_ERROR_LIMIT_REACHED;
}

static fake_space *find_space(XrSpace handle)
{
    for (int i = 0; i < FAKE_SPACES; ++i) {
        if (fake.spaces[i].is_used && handle == FAKE_SPACE(i)) {
            return &fake.spaces[i];
        }
    }
    return NULL;
}

XrResult fake_xrCreateReferenceSpace(XrSession session, const XrReferenceSpaceCreateInfo *info, XrSpace *space)
{
    CHECK_SESSION();
    const XrQuaternionf q = info->poseInReferenceSpace.orientation;
    FAKE_RULE(info->type == XR_TYPE_REFERENCE_SPACE_CREATE_INFO &&
                  fabsf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1) < 1e-3F,
              "a space without an orientation");
    FAKE_RULE(info->referenceSpaceType != XR_REFERENCE_SPACE_TYPE_STAGE || !fake.told.has_no_stage,
              "there is no stage");
    return make_space((fake_space){.type = info->referenceSpaceType}, space);
}

XrResult fake_xrCreateActionSpace(XrSession session, const XrActionSpaceCreateInfo *info, XrSpace *space)
{
    CHECK_SESSION();
    const fake_action *action = fake_find_action(info->action);
    FAKE_RULE(info->type == XR_TYPE_ACTION_SPACE_CREATE_INFO && action && action->type == XR_ACTION_TYPE_POSE_INPUT &&
                  fake_hand_of(info->subactionPath) >= 0,
              "a space of no hand's pose");
    return make_space((fake_space){.action = info->action, .hand = fake_hand_of(info->subactionPath)}, space);
}

XrResult fake_xrDestroySpace(XrSpace handle)
{
    fake_space *space = find_space(handle);
    FAKE_RULE(space, "no such space is destroyed");
    space->is_used = false;
    --fake.told.live_count;
    return XR_SUCCESS;
}

static XrPosef pose_of(const sn_fake_pose *pose)
{
    const float *q = pose->orientation, *at = pose->position;
    return (XrPosef){{q[0], q[1], q[2], q[3]}, {at[0], at[1] - (fake.told.has_no_stage ? 1.6F : 0), at[2]}};
}

static void turn_about_y(XrPosef *pose, float degrees)
{
    const float s = sinf(degrees * 3.14159265F / 360), c = cosf(degrees * 3.14159265F / 360);
    const XrQuaternionf q = pose->orientation; /* q times a turn about its own y */
    pose->orientation = (XrQuaternionf){q.x * c - q.z * s, q.y * c + q.w * s, q.z * c + q.x * s, q.w * c - q.y * s};
}

XrPosef fake_eye_pose(int eye)
{
    const float side = eye < 0 ? 0 : eye == 0 ? -0.032F : 0.032F;
    XrPosef pose = pose_of(&fake.told.head);
    const XrQuaternionf q = pose.orientation; /* its x axis */
    pose.position.x += side * (1 - 2 * (q.y * q.y + q.z * q.z));
    pose.position.y += side * 2 * (q.x * q.y + q.w * q.z);
    pose.position.z += side * 2 * (q.x * q.z - q.w * q.y);
    if (eye == 1) {
        turn_about_y(&pose, -4);
    }
    return pose;
}

XrFovf fake_eye_fov(int eye)
{
    const float outer = 0.82F, inner = 0.7F;
    return (XrFovf){eye == 0 ? -outer : -inner, eye == 0 ? inner : outer, 0.75F, -0.85F};
}

XrResult fake_xrLocateSpace(XrSpace handle, XrSpace base, XrTime time, XrSpaceLocation *location)
{
    const fake_space *space = find_space(handle), *in = find_space(base);
    FAKE_RULE(space && in && !in->action && in->type != XR_REFERENCE_SPACE_TYPE_VIEW, "a place in no space");
    FAKE_RULE(location->type == XR_TYPE_SPACE_LOCATION && time == fake.time,
              "a place at another time than the frame's");
    if (fake.is_lost) {
        return XR_ERROR_SESSION_LOST;
    }
    const sn_fake_hand *hand = space->action ? &fake.told.hands[space->hand] : NULL;
    const bool is_known = hand ? hand->is_tracked && fake.is_synced : !fake.told.is_lost_view;
    location->locationFlags =
        is_known ? XR_SPACE_LOCATION_POSITION_VALID_BIT | XR_SPACE_LOCATION_ORIENTATION_VALID_BIT : 0;
    location->pose = hand ? pose_of(&hand->pose) : fake_eye_pose(-1);
    return XR_SUCCESS;
}

XrResult fake_xrLocateViews(XrSession session, const XrViewLocateInfo *info, XrViewState *state, uint32_t capacity,
                            uint32_t *count, XrView *views)
{
    CHECK_SESSION();
    FAKE_RULE(info->type == XR_TYPE_VIEW_LOCATE_INFO && state->type == XR_TYPE_VIEW_STATE && find_space(info->space) &&
                  info->viewConfigurationType == XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO,
              "views of no space");
    FAKE_RULE(fake.is_begun && info->displayTime == fake.time, "views at another time than the frame's");
    *count = SN_FAKE_EYES;
    state->viewStateFlags =
        fake.told.is_lost_view ? 0 : XR_VIEW_STATE_POSITION_VALID_BIT | XR_VIEW_STATE_ORIENTATION_VALID_BIT;
    for (uint32_t i = 0; i < capacity && i < SN_FAKE_EYES; ++i) {
        FAKE_RULE(views[i].type == XR_TYPE_VIEW, "views of another type");
        views[i].pose = fake_eye_pose((int)i);
        views[i].fov = fake_eye_fov((int)i);
    }
    return XR_SUCCESS;
}

/* ---- frames ---- */

/* What the test has planned for the frame that begins. */
static void follow_plan(int frame)
{
    sn_fake_xr *told = &fake.told;
    const int since = frame - fake.frame_begun;
    if (since == 2 || since == 3) {
        fake_queue_state(since == 2 ? XR_SESSION_STATE_VISIBLE : XR_SESSION_STATE_FOCUSED);
    }
    if (told->script) {
        told->script(told, frame);
    }
    if (frame == told->pending_at) {
        fake_queue_state(XR_SESSION_STATE_LOSS_PENDING);
    }
    if (frame == told->doze_at) {
        fake_queue_state(XR_SESSION_STATE_STOPPING);
    }
    if (frame == told->exit_at) {
        fake_xrRequestExitSession(FAKE_SESSION);
    }
}

XrResult fake_xrWaitFrame(XrSession session, const XrFrameWaitInfo *info, XrFrameState *state)
{
    CHECK_SESSION();
    FAKE_RULE((!info || info->type == XR_TYPE_FRAME_WAIT_INFO) && state->type == XR_TYPE_FRAME_STATE,
              "a frame of no type is waited for");
    FAKE_RULE(fake.is_running && !fake.is_waited && !fake.is_begun, "a frame is waited for within another");
    fake.is_waited = true;
    follow_plan(fake.frame + 1);
    const double period = 1e9 / fake.told.rate;
    fake.time = fake.time == 0 ? 1000000000 : fake.time + (XrTime)period;
    const bool is_visible = fake.state == XR_SESSION_STATE_VISIBLE || fake.state == XR_SESSION_STATE_FOCUSED;
    state->predictedDisplayTime = fake.time;
    state->predictedDisplayPeriod = (XrDuration)period;
    state->shouldRender = is_visible && !fake.told.is_hidden;
    return XR_SUCCESS;
}

XrResult fake_xrBeginFrame(XrSession session, const XrFrameBeginInfo *info)
{
    CHECK_SESSION();
    FAKE_RULE(!info || info->type == XR_TYPE_FRAME_BEGIN_INFO, "a frame of no type begins");
    FAKE_RULE(fake.is_waited && !fake.is_begun, "a frame begins that was not waited for");
    fake.is_waited = false;
    fake.is_begun = true;
    for (int i = 0; i < SN_FAKE_EYES; ++i) {
        fake.swapchains[i].is_released = false;
    }
    return XR_SUCCESS;
}

static bool is_same(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

static XrResult check_view(const XrCompositionLayerProjectionView *view, int eye)
{
    const XrPosef pose = fake_eye_pose(eye);
    const XrFovf fov = fake_eye_fov(eye);
    const fake_swapchain *swapchain = fake_find_swapchain(view->subImage.swapchain);
    const XrRect2Di rect = view->subImage.imageRect;
    FAKE_RULE(view->type == XR_TYPE_COMPOSITION_LAYER_PROJECTION_VIEW && swapchain == &fake.swapchains[eye] &&
                  swapchain->is_released && view->subImage.imageArrayIndex == 0,
              "eye %d has no image that was released in this frame", eye);
    FAKE_RULE(rect.offset.x == 0 && rect.offset.y == 0 && rect.extent.width == swapchain->width &&
                  rect.extent.height == swapchain->height,
              "eye %d has another rectangle than its image", eye);
    FAKE_RULE(is_same(&view->pose, &pose, sizeof pose) && is_same(&view->fov, &fov, sizeof fov),
              "eye %d was drawn from elsewhere than it is", eye);
    return XR_SUCCESS;
}

static XrResult check_layer(const XrFrameEndInfo *info)
{
    const XrCompositionLayerProjection *layer = (const XrCompositionLayerProjection *)info->layers[0];
    FAKE_RULE(info->layerCount == 1 && layer->type == XR_TYPE_COMPOSITION_LAYER_PROJECTION &&
                  layer->viewCount == SN_FAKE_EYES && find_space(layer->space),
              "not one projection of two views");
    FAKE_RULE(!fake.told.is_hidden, "a frame is drawn that nobody sees");
    for (int eye = 0; eye < SN_FAKE_EYES; ++eye) {
        const XrResult result = check_view(&layer->views[eye], eye);
        if (XR_FAILED(result)) {
            return result;
        }
    }
    return XR_SUCCESS;
}

static void lose(void)
{
    fake.is_lost = fake.is_lost || fake.frame == fake.told.lose_at;
    fake.is_dropped = fake.is_dropped || fake.frame == fake.told.drop_at;
}

XrResult fake_xrEndFrame(XrSession session, const XrFrameEndInfo *info)
{
    CHECK_SESSION();
    FAKE_RULE(info->type == XR_TYPE_FRAME_END_INFO && fake.is_begun, "a frame ends that has not begun");
    FAKE_RULE(info->displayTime == fake.time && info->environmentBlendMode == XR_ENVIRONMENT_BLEND_MODE_OPAQUE,
              "a frame ends for another time, or blended");
    ++fake.frame;
    fake.is_begun = false;
    lose();
    if (fake.is_lost || fake.is_dropped) {
        return fake_check_session(session);
    }
    if (info->layerCount > 0) {
        const XrResult result = check_layer(info);
        if (XR_FAILED(result)) {
            return result;
        }
        fake_take_pictures();
        ++fake.told.drawn_count;
    } else {
        ++fake.told.empty_count;
    }
    if (fake.frame == fake.frame_begun + 1) {
        fake_queue_state(XR_SESSION_STATE_SYNCHRONIZED);
    }
    return XR_SUCCESS;
}
