/* SPDX-License-Identifier: MIT */
/* A frame: predict its display time; as late as possible locate the eyes; draw and submit their pictures. */
#include <math.h>

#include "compute/core/commands.h"
#include "runtime/xr/private.h"

#define NEAR_DISTANCE 0.05 /* metres */
#define FAR_DISTANCE 200.0 /* metres */
#define IMAGE_WAIT 1e8     /* ns: maximum wait for a free image before the frame is skipped */

/* ---- poses ---- */

sn_xr_pose sn_xr_convert_pose(const sn_xr *xr, const XrPosef *pose)
{
    return (sn_xr_pose){{(double)pose->orientation.x, (double)pose->orientation.y, (double)pose->orientation.z,
                         (double)pose->orientation.w},
                        {(double)pose->position.x, (double)pose->position.y - xr->floor, (double)pose->position.z}};
}

sn_result sn_xr_locate(sn_xr *xr, XrSpace space, sn_xr_pose *pose, bool *is_known)
{
    const XrSpaceLocationFlags needed = XR_SPACE_LOCATION_POSITION_VALID_BIT | XR_SPACE_LOCATION_ORIENTATION_VALID_BIT;
    XrSpaceLocation location = {.type = XR_TYPE_SPACE_LOCATION};
    sn_result result = SN_OK;
    SN_XR(xrLocateSpace, space, xr->space, xr->time, &location);
    *is_known = (location.locationFlags & needed) == needed;
    if (*is_known) {
        *pose = sn_xr_convert_pose(xr, &location.pose);
    }
done:
    return result;
}

sn_result sn_xr_head(sn_xr *xr, sn_xr_pose *head, bool *is_known)
{
    return sn_xr_locate(xr, xr->head, head, is_known);
}

/* ---- time ---- */

sn_result sn_xr_begin_frame(sn_xr *xr, sn_xr_frame *frame)
{
    XrFrameState state = {.type = XR_TYPE_FRAME_STATE};
    sn_result result = SN_OK;
    *frame = (sn_xr_frame){0};
    SN_XR(xrWaitFrame, xr->session, NULL, &state);
    SN_XR(xrBeginFrame, xr->session, NULL);
    xr->is_frame_begun = true;
    xr->time = state.predictedDisplayTime;
    frame->time = 1e-9 * (double)xr->time;
    frame->is_displayed = state.shouldRender == XR_TRUE;
    if (frame->is_displayed) {
        frame->seconds = xr->last_display_time > 0 ? 1e-9 * (double)(xr->time - xr->last_display_time) : 0;
        xr->last_display_time = xr->time;
    } else {
        xr->last_display_time = 0;
    }
    frame->is_recentred = xr->is_recentred;
    xr->is_recentred = false;
    result = sn_xr_input_read(xr, frame);
done:
    return result;
}

static sn_result end_frame(sn_xr *xr, const XrCompositionLayerProjection *layer)
{
    const XrCompositionLayerBaseHeader *const layers[] = {(const XrCompositionLayerBaseHeader *)layer};
    const XrFrameEndInfo info = {.type = XR_TYPE_FRAME_END_INFO,
                                 .displayTime = xr->time,
                                 .environmentBlendMode = xr->blend_mode,
                                 .layerCount = layer ? 1 : 0,
                                 .layers = layer ? layers : NULL};
    sn_result result = SN_OK;
    xr->is_frame_begun = false;
    SN_XR(xrEndFrame, xr->session, &info);
done:
    return result;
}

sn_result sn_xr_skip(sn_xr *xr)
{
    SN_ASSERT(xr->is_frame_begun);
    return end_frame(xr, NULL);
}

/* ---- pictures ---- */

static sn_result locate_views(sn_xr *xr, XrView *views, bool *is_known)
{
    const XrViewStateFlags needed = XR_VIEW_STATE_POSITION_VALID_BIT | XR_VIEW_STATE_ORIENTATION_VALID_BIT;
    const XrViewLocateInfo info = {.type = XR_TYPE_VIEW_LOCATE_INFO,
                                   .viewConfigurationType = XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO,
                                   .displayTime = xr->time,
                                   .space = xr->space};
    XrViewState state = {.type = XR_TYPE_VIEW_STATE};
    uint32_t count = 0;
    sn_result result = SN_OK;
    for (int i = 0; i < SN_XR_EYE_COUNT; ++i) {
        views[i] = (XrView){.type = XR_TYPE_VIEW};
    }
    SN_XR(xrLocateViews, xr->session, &info, &state, SN_XR_EYE_COUNT, &count, views);
    *is_known = (state.viewStateFlags & needed) == needed && count == SN_XR_EYE_COUNT;
done:
    return result;
}

/* An image that is not free within the timeout stays acquired; the next call waits for it again. */
static sn_result acquire(sn_xr *xr, sn_xr_eye *eye, bool *is_free)
{
    const XrSwapchainImageWaitInfo info = {.type = XR_TYPE_SWAPCHAIN_IMAGE_WAIT_INFO,
                                           .timeout = (XrDuration)IMAGE_WAIT};
    sn_result result = SN_OK;
    *is_free = false;
    if (!eye->is_acquired) {
        SN_XR(xrAcquireSwapchainImage, eye->swapchain, NULL, &eye->image);
        eye->is_acquired = true;
    }
    const XrResult code = xr->call.xrWaitSwapchainImage(eye->swapchain, &info);
    *is_free = XR_SUCCEEDED(code) && code != XR_TIMEOUT_EXPIRED;
    result = XR_FAILED(code) ? sn_xr_fail(xr, code, "xrWaitSwapchainImage") : SN_OK;
done:
    return result;
}

/* Output callback of the renderer: copies its picture to the eye's image, which the runtime expects as a color
 * attachment. */
static void record(VkCommandBuffer commands, const sn_gpu_image *picture, void *user)
{
    const sn_xr_eye *eye = user;
    const sn_gpu_image *image = &eye->images[eye->image];
    sn_gpu_barrier_image(commands, image, SN_GPU_NONE, SN_GPU_TRANSFER_WRITE);
    sn_gpu_blit_image(commands, picture, image);
    sn_gpu_barrier_image(commands, image, SN_GPU_TRANSFER_WRITE, SN_GPU_COLOR_WRITE);
}

static void set_eye_camera(const sn_xr *xr, const XrView *view, const sn_xr_placement *placement, sn_eye *eye,
                           sn_camera *camera)
{
    const sn_xr_pose pose = sn_xr_convert_pose(xr, &view->pose), world = sn_xr_to_world(placement, &pose);
    *eye = (sn_eye){.left = tanf(view->fov.angleLeft),
                    .right = tanf(view->fov.angleRight),
                    .down = tanf(view->fov.angleDown),
                    .up = tanf(view->fov.angleUp)};
    for (int i = 0; i < 4; ++i) {
        eye->orientation[i] = (float)world.orientation[i];
    }
    for (int d = 0; d < 3; ++d) {
        camera->eye[d] = (float)world.position[d];
    }
    camera->near_distance = (float)(NEAR_DISTANCE / placement->metres_per_unit);
    camera->far_distance = (float)(FAR_DISTANCE / placement->metres_per_unit);
}

static sn_result draw_eye(sn_xr *xr, sn_renderer *renderer, const sn_render_scene *scene, sn_xr_eye *eye)
{
    const sn_render_output output = {.record = record, .user = eye};
    sn_result result = sn_renderer_draw_to(renderer, scene, &output);
    if (result != SN_OK) {
        return result;
    }
    SN_XR(xrReleaseSwapchainImage, eye->swapchain, NULL);
    eye->is_acquired = eye->is_free = false;
done:
    return result;
}

/* Waits for the images of both eyes; an image that is already free is kept for the next attempt. */
static sn_result acquire_both(sn_xr *xr, bool *are_free)
{
    sn_result result = SN_OK;
    *are_free = true;
    for (int i = 0; i < SN_XR_EYE_COUNT && result == SN_OK && *are_free; ++i) {
        if (!xr->eyes[i].is_free) {
            result = acquire(xr, &xr->eyes[i], &xr->eyes[i].is_free);
            *are_free = xr->eyes[i].is_free;
        }
    }
    return result;
}

sn_result sn_xr_draw(sn_xr *xr, sn_renderer *renderer, const sn_render_scene *source_scene,
                     const sn_xr_placement *placement, bool *is_drawn)
{
    XrView views[SN_XR_EYE_COUNT];
    XrCompositionLayerProjectionView pictures[SN_XR_EYE_COUNT];
    sn_render_scene scene = *source_scene;
    sn_eye eye;
    bool is_known = false;
    SN_ASSERT(xr->is_frame_begun);
    *is_drawn = false;
    sn_result result = acquire_both(xr, is_drawn);
    result = result || !*is_drawn
                 ? result
                 : locate_views(xr, views, &is_known); /* located as late as possible, for low latency */
    if (result != SN_OK || !*is_drawn || !is_known) {
        *is_drawn = false;
        return result ? result : end_frame(xr, NULL);
    }
    scene.eye = &eye;
    for (int i = 0; i < SN_XR_EYE_COUNT && result == SN_OK; ++i) {
        set_eye_camera(xr, &views[i], placement, &eye, &scene.camera);
        scene.reuses_shadows = i > 0;
        result = draw_eye(xr, renderer, &scene, &xr->eyes[i]);
        xr->eye_ms[i] =
            sn_renderer_frame_ms(renderer); /* of this eye's previous picture, for which the renderer waited */
        pictures[i] = (XrCompositionLayerProjectionView){
            .type = XR_TYPE_COMPOSITION_LAYER_PROJECTION_VIEW,
            .pose = views[i].pose,
            .fov = views[i].fov,
            .subImage = {.swapchain = xr->eyes[i].swapchain, .imageRect.extent = {xr->width, xr->height}}};
    }
    const XrCompositionLayerProjection layer = {.type = XR_TYPE_COMPOSITION_LAYER_PROJECTION,
                                                .space = xr->space,
                                                .viewCount = SN_XR_EYE_COUNT,
                                                .views = pictures};
    return result ? result : end_frame(xr, &layer);
}

double sn_xr_drawing_ms(const sn_xr *xr)
{
    return xr->eye_ms[0] + xr->eye_ms[1];
}
