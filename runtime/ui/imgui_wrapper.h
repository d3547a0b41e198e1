/* SPDX-License-Identifier: MIT */
/* C interface of imgui_wrapper.cpp for ui.c: Dear ImGui's context, input and drawing. */
#ifndef SN_RUNTIME_UI_IMGUI_WRAPPER_H
#define SN_RUNTIME_UI_IMGUI_WRAPPER_H

#include <stdbool.h>
#include <vulkan/vulkan.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_imgui_desc {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t queue_family;
    VkDescriptorPool pool; /* for one combined image sampler set */
    VkRenderPass pass;     /* with one color attachment, sRGB */
    float scale;           /* of the display */
    int frame_count;       /* frames in flight */
} sn_imgui_desc;

/* False if memory or the device fails. */
bool sn_imgui_create(const sn_imgui_desc *desc);
/* Records the upload of the font. Call sn_imgui_finish_upload when the commands have completed. */
bool sn_imgui_upload(VkCommandBuffer commands);
void sn_imgui_finish_upload(void);
void sn_imgui_destroy(void);

typedef enum sn_imgui_key {
    SN_IMGUI_LEFT,
    SN_IMGUI_RIGHT,
    SN_IMGUI_UP,
    SN_IMGUI_DOWN,
    SN_IMGUI_SPACE,
    SN_IMGUI_ENTER,
    SN_IMGUI_ESCAPE,
    SN_IMGUI_ERASE,
    SN_IMGUI_KEY_COUNT
} sn_imgui_key;

void sn_imgui_begin(float width, float height, float seconds, const float pointer[2], bool is_control_held);
void sn_imgui_end(void);
/* True if the last frame was built for a picture of this size; otherwise draw nothing. */
bool sn_imgui_fits(int width, int height);
void sn_imgui_draw(VkCommandBuffer commands);

/* Input: button state, wheel, a key of sn_imgui_key, a character. */
void sn_imgui_set_button(int button, bool is_down);
void sn_imgui_scroll(float notches);
void sn_imgui_press_key(sn_imgui_key key);
void sn_imgui_add_character(unsigned character);
/* True if a pointer position in pixels belongs to the panel. */
bool sn_imgui_wants_pointer(const float pointer[2]);
/* A text field has the focus, as of the last frame. */
bool sn_imgui_wants_text(void);
bool sn_imgui_has_focus(void); /* the keyboard focus is visible */

#ifdef __cplusplus
}
#endif
#endif
