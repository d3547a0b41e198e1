/* SPDX-License-Identifier: MIT */
/* The render pass of a panel, drawn over the picture, and the events that the panel consumes. */
#include "runtime/ui/ui.h"

#include "compute/core/commands.h"
#include "runtime/ui/imgui_wrapper.h"

enum { FRAME_COUNT = 2 };

struct sn_ui {
    sn_gpu_device *device;
    sn_window *window;
    VkDescriptorPool pool;
    VkRenderPass pass;
    VkFramebuffer target_framebuffer; /* of one picture, recreated when the picture changes */
    uint64_t framebuffer_image;       /* number of that picture */
    int size[2];                      /* of the picture in the last frame */
    bool is_ready;
    unsigned held_buttons; /* buttons pressed on the panel, one bit per sn_window_button */
};

/* ---- lifetime ---- */

static sn_result create_pass(sn_ui *ui)
{
    const VkAttachmentDescription picture = {.format = VK_FORMAT_R8G8B8A8_SRGB,
                                             .samples = VK_SAMPLE_COUNT_1_BIT,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                             .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                             .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                             .initialLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                             .finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .colorAttachmentCount = 1,
                                          .pColorAttachments = &reference};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = 1,
                                         .pAttachments = &picture,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass};
    sn_result result = SN_OK;
    SN_VK_OF("panel", vkCreateRenderPass(ui->device->handle, &info, NULL, &ui->pass));
    sn_gpu_name(ui->device, VK_OBJECT_TYPE_RENDER_PASS, (uint64_t)ui->pass, "panel");
done:
    return result;
}

static sn_result create_pool(sn_ui *ui)
{
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
                                             .maxSets = 1,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    sn_result result = SN_OK;
    SN_VK_OF("panel", vkCreateDescriptorPool(ui->device->handle, &info, NULL, &ui->pool));
    sn_gpu_name(ui->device, VK_OBJECT_TYPE_DESCRIPTOR_POOL, (uint64_t)ui->pool, "panel");
done:
    return result;
}

static sn_result upload(const sn_ui *ui)
{
    VkCommandBuffer commands;
    uint64_t submission = 0;
    sn_result result = sn_gpu_begin(ui->device, &commands);
    if (result != SN_OK) {
        return result;
    }
    const bool is_recorded = sn_imgui_upload(commands);
    result = sn_gpu_submit(ui->device, commands, &submission);
    result = result ? result : sn_gpu_wait(ui->device, submission);
    sn_imgui_finish_upload();
    return result || is_recorded ? result : sn_fail(SN_ERROR_MEMORY, "panel: out of device memory for the font");
}

static sn_result create_context(sn_ui *ui)
{
    const sn_imgui_desc desc = {.instance = ui->device->instance,
                                .physical = ui->device->physical,
                                .device = ui->device->handle,
                                .queue = ui->device->queue,
                                .queue_family = ui->device->queue_family,
                                .pool = ui->pool,
                                .pass = ui->pass,
                                .scale = sn_window_scale(ui->window),
                                .frame_count = FRAME_COUNT};
    const bool is_created = sn_imgui_create(&desc);
    ui->is_ready = true;
    return is_created ? upload(ui) : sn_fail(SN_ERROR_MEMORY, "panel: out of device memory");
}

sn_result sn_ui_create(sn_gpu_device *device, sn_window *window, sn_ui **result_ui)
{
    sn_ui *ui = sn_alloc(1, sizeof *ui);
    *result_ui = ui;
    if (!ui) {
        return SN_ERROR_MEMORY;
    }
    ui->device = device;
    ui->window = window;
    sn_result result = create_pass(ui);
    result = result ? result : create_pool(ui);
    result = result ? result : create_context(ui);
    if (result != SN_OK) {
        sn_ui_destroy(result_ui);
    }
    return result;
}

void sn_ui_destroy(sn_ui **ui)
{
    sn_ui *u = *ui;
    *ui = NULL;
    if (!u) {
        return;
    }
    sn_gpu_device_wait(u->device);
    if (u->is_ready) {
        sn_imgui_destroy();
    }
    vkDestroyFramebuffer(u->device->handle, u->target_framebuffer, NULL);
    vkDestroyDescriptorPool(u->device->handle, u->pool, NULL);
    vkDestroyRenderPass(u->device->handle, u->pass, NULL);
    sn_free(u, 1, sizeof *u);
}

/* ---- events ---- */

/* The panel takes arrow keys always, other keys only while a widget has the focus. */
static bool take_key(const sn_window_event *event)
{
    static const struct {
        int key;
        sn_imgui_key of;
        bool is_always_taken;
    } keys[] = {{SN_KEY_LEFT, SN_IMGUI_LEFT, true},
                {SN_KEY_RIGHT, SN_IMGUI_RIGHT, true},
                {SN_KEY_UP, SN_IMGUI_UP, true},
                {SN_KEY_DOWN, SN_IMGUI_DOWN, true},
                {' ', SN_IMGUI_SPACE, false},
                {SN_KEY_ENTER, SN_IMGUI_ENTER, false},
                {SN_KEY_ESCAPE, SN_IMGUI_ESCAPE, false},
                {SN_KEY_DELETE, SN_IMGUI_ERASE, false}};
    const bool wants_text = sn_imgui_wants_text();
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        if (keys[i].key == event->key && (keys[i].is_always_taken || wants_text || sn_imgui_has_focus())) {
            sn_imgui_press_key(keys[i].of);
            return true;
        }
    }
    if (wants_text && event->key < SN_KEY_ESCAPE) {
        sn_imgui_add_character((unsigned)event->key);
    }
    return wants_text && event->key != SN_KEY_TAB && event->key != SN_KEY_F1;
}

/* Pointer position in pixels of the picture. */
static void find_pointer(const sn_ui *ui, float pointer[2])
{
    double position[2];
    sn_window_pointer(ui->window, position);
    pointer[0] = (float)(position[0] * ui->size[1] + 0.5 * ui->size[0]);
    pointer[1] = (float)((position[1] + 0.5) * ui->size[1]);
}

bool sn_ui_event(sn_ui *ui, const sn_window_event *event)
{
    float pointer[2];
    find_pointer(ui, pointer);
    const bool is_over = sn_imgui_wants_pointer(pointer);
    switch (event->type) {
    case SN_WINDOW_KEY:
        return take_key(event);
    case SN_WINDOW_PRESS:
        if (is_over) {
            sn_imgui_set_button((int)event->button, true);
            ui->held_buttons |= 1U << event->button;
        }
        return is_over;
    case SN_WINDOW_DRAG:
        return ui->held_buttons >> event->button & 1;
    case SN_WINDOW_RELEASE: {
        const bool was_held = ui->held_buttons >> event->button & 1;
        sn_imgui_set_button((int)event->button, false);
        ui->held_buttons &= ~(1U << event->button);
        return was_held;
    }
    case SN_WINDOW_SCROLL:
        if (is_over) {
            sn_imgui_scroll((float)event->y);
        }
        return is_over;
    default:
        return false;
    }
}

/* ---- a frame ---- */

void sn_ui_begin(sn_ui *ui, const int size[2], double seconds)
{
    float pointer[2];
    ui->size[0] = size[0];
    ui->size[1] = size[1];
    find_pointer(ui, pointer);
    sn_imgui_begin((float)size[0], (float)size[1], (float)seconds, pointer, sn_window_is_control_held(ui->window));
}

void sn_ui_end(sn_ui *ui)
{
    (void)ui;
    sn_imgui_end();
}

/* Recreates the framebuffer for a new picture. Pending frames may still use the old one, so it waits for the device. */
static sn_result update_framebuffer(sn_ui *ui, const sn_gpu_image *picture)
{
    const VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                          .renderPass = ui->pass,
                                          .attachmentCount = 1,
                                          .pAttachments = &picture->view,
                                          .width = picture->desc.width,
                                          .height = picture->desc.height,
                                          .layers = 1};
    sn_result result = SN_OK;
    if (ui->target_framebuffer && ui->framebuffer_image == picture->number) {
        return SN_OK;
    }
    if (ui->target_framebuffer) {
        sn_gpu_device_wait(ui->device);
        vkDestroyFramebuffer(ui->device->handle, ui->target_framebuffer, NULL);
        ui->target_framebuffer = VK_NULL_HANDLE;
    }
    SN_VK_OF("panel", vkCreateFramebuffer(ui->device->handle, &info, NULL, &ui->target_framebuffer));
    ui->framebuffer_image = picture->number;
    sn_gpu_name(ui->device, VK_OBJECT_TYPE_FRAMEBUFFER, (uint64_t)ui->target_framebuffer, "panel");
done:
    return result;
}

void sn_ui_paint(VkCommandBuffer commands, const sn_gpu_image *picture, void *user)
{
    sn_ui *ui = user;
    if (!sn_imgui_fits((int)picture->desc.width, (int)picture->desc.height) ||
        update_framebuffer(ui, picture) != SN_OK) {
        return; /* errors are already logged */
    }
    const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                         .renderPass = ui->pass,
                                         .framebuffer = ui->target_framebuffer,
                                         .renderArea = {.extent = {picture->desc.width, picture->desc.height}}};
    sn_gpu_barrier_image(commands, picture, SN_GPU_TRANSFER_READ, SN_GPU_COLOR_WRITE);
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    sn_imgui_draw(commands);
    vkCmdEndRenderPass(commands);
    sn_gpu_barrier_image(commands, picture, SN_GPU_COLOR_WRITE, SN_GPU_TRANSFER_READ);
}
