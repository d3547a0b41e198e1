/* SPDX-License-Identifier: MIT */
/* What imgui_face.cpp has for ui.c: Dear ImGui's context, its input and its drawing, in C. */
#ifndef SN_RUNTIME_UI_IMGUI_FACE_H
#define SN_RUNTIME_UI_IMGUI_FACE_H

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
    VkDescriptorPool pool; /* of one set of a combined image sampler */
    VkRenderPass pass;     /* with one colour attachment, sRGB */
    float scale;           /* of the display */
    int frame_count;       /* under way */
} sn_imgui_desc;

/* False where memory or the device fails. */
bool sn_imgui_create(const sn_imgui_desc *desc);
/* Records the upload of its font; once it is done, the second. */
bool sn_imgui_upload(VkCommandBuffer commands);
void sn_imgui_uploaded(void);
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
/* Whether a frame has ended, of a picture of that size: else there is nothing to draw. */
bool sn_imgui_fits(int width, int height);
void sn_imgui_draw(VkCommandBuffer commands);

/* A button is held or not; a key was typed, and counts in a frame. */
void sn_imgui_hold(int button, bool is_down);
void sn_imgui_scroll(float notches);
void sn_imgui_type(sn_imgui_key key);
void sn_imgui_write(unsigned character);
/* There, in pixels, it is the panel's. */
bool sn_imgui_wants_pointer(const float pointer[2]);
/* As of the last frame. */
bool sn_imgui_wants_text(void);
bool sn_imgui_has_choice(void); /* a widget is seen to be chosen by the keyboard */

#ifdef __cplusplus
}
#endif
#endif
