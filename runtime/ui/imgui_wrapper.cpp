/* SPDX-License-Identifier: MIT */
/* C wrapper of Dear ImGui; the player's only C++ file. ImGui's colours are sRGB values, but the picture is an sRGB
 * attachment, which takes linear ones; they are converted once. */
#include "runtime/ui/imgui_wrapper.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include <backends/imgui_impl_vulkan.h>
#include <imgui.h>

extern "C" {
#include "runtime/ui/ui.h"
}

namespace
{

constexpr float font_size = 13, panel_width = 330, margin = 12;
constexpr float tooltip_delay = 0.5F; /* hover time before a tooltip appears */
bool is_failed;
bool is_button_down[3], is_just_pressed[3]; /* a press that ends before the next frame still counts in that frame */
/* Queue of typed keys. ImGui receives one per frame, with a frame in between if a key repeats. */
constexpr int key_limit = 32;
int keys[key_limit], key_count, last_key = -1;
ImVec2 panel_min, panel_max; /* panel rectangle of the last frame */
ImGuiID hovered_item;
float hover_seconds;

void note_failure(VkResult code)
{
    is_failed |= code < 0;
}

float srgb_to_linear(float c)
{
    return c <= 0.04045F ? c / 12.92F : powf((c + 0.055F) / 1.055F, 2.4F);
}

void set_style(float scale)
{
    ImGui::StyleColorsDark();
    ImGuiStyle &style = ImGui::GetStyle();
    style.WindowRounding = 6;
    style.FrameRounding = style.GrabRounding = 3;
    style.FramePadding = ImVec2(6, 4);
    style.ItemSpacing = ImVec2(8, 5);
    style.WindowBorderSize = 0;
    style.Colors[ImGuiCol_WindowBg] = ImVec4(0.09F, 0.10F, 0.12F, 0.99F);
    style.ScaleAllSizes(scale);
    for (ImVec4 &c : style.Colors) {
        c = ImVec4(srgb_to_linear(c.x), srgb_to_linear(c.y), srgb_to_linear(c.z), c.w);
    }
}

void map_keys(ImGuiIO &io)
{
    static const ImGuiKey of[SN_IMGUI_KEY_COUNT] = {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow,
                                                    ImGuiKey_DownArrow, ImGuiKey_Space,      ImGuiKey_Enter,
                                                    ImGuiKey_Escape,    ImGuiKey_Backspace};
    for (int i = 0; i < SN_IMGUI_KEY_COUNT; ++i) {
        io.KeyMap[of[i]] = i;
    }
}

void press_next_key(ImGuiIO &io)
{
    memset(io.KeysDown, 0, sizeof io.KeysDown);
    if (key_count == 0 || keys[0] == last_key) {
        last_key = -1;
        return;
    }
    last_key = keys[0];
    io.KeysDown[last_key] = true;
    memmove(keys, keys + 1, (size_t)--key_count * sizeof *keys);
}

void show_tooltip(const char *tooltip)
{
    if (!tooltip || !ImGui::IsItemHovered() || ImGui::IsItemActive()) {
        return;
    }
    const ImGuiID id = ImGui::GetID(tooltip);
    hover_seconds = id == hovered_item ? hover_seconds + ImGui::GetIO().DeltaTime : 0;
    hovered_item = id;
    if (hover_seconds >= tooltip_delay) {
        ImGui::BeginTooltip();
        ImGui::PushTextWrapPos(ImGui::GetFontSize() * 28);
        ImGui::TextUnformatted(tooltip);
        ImGui::PopTextWrapPos();
        ImGui::EndTooltip();
    }
}

/* Sets the width of the next widget; the remainder of the line is for its label. */
void set_width()
{
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * 12);
}

} // namespace

extern "C" {

bool sn_imgui_create(const sn_imgui_desc *desc)
{
    ImGui_ImplVulkan_InitInfo info = {};
    info.Instance = desc->instance;
    info.PhysicalDevice = desc->physical;
    info.Device = desc->device;
    info.QueueFamily = desc->queue_family;
    info.Queue = desc->queue;
    info.DescriptorPool = desc->pool;
    info.MinImageCount = info.ImageCount = (uint32_t)desc->frame_count;
    info.MSAASamples = VK_SAMPLE_COUNT_1_BIT;
    info.CheckVkResultFn = note_failure;
    is_failed = false;
    memset(is_button_down, 0, sizeof is_button_down);
    key_count = 0;
    panel_min = panel_max = ImVec2(0, 0);
    memset(is_just_pressed, 0, sizeof is_just_pressed);
    ImGui::CreateContext();
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    map_keys(io);
    ImFontConfig font;
    font.SizePixels = roundf(font_size * desc->scale);
    io.Fonts->AddFontDefault(&font);
    set_style(desc->scale);
    ImGui_ImplVulkan_Init(&info, desc->pass);
    return !is_failed;
}

bool sn_imgui_upload(VkCommandBuffer commands)
{
    ImGui_ImplVulkan_CreateFontsTexture(commands);
    return !is_failed;
}

void sn_imgui_finish_upload(void)
{
    ImGui_ImplVulkan_DestroyFontUploadObjects();
}

void sn_imgui_destroy(void)
{
    ImGui_ImplVulkan_Shutdown();
    ImGui::DestroyContext();
}

void sn_imgui_begin(float width, float height, float seconds, const float pointer[2], bool is_control_held)
{
    ImGuiIO &io = ImGui::GetIO();
    io.DisplaySize = ImVec2(width, height);
    io.DeltaTime = seconds > 1e-6F ? seconds : 1e-6F;
    io.MousePos = ImVec2(pointer[0], pointer[1]);
    io.KeyCtrl = is_control_held;
    press_next_key(io);
    for (int i = 0; i < 3; ++i) {
        io.MouseDown[i] = is_button_down[i] || is_just_pressed[i];
        is_just_pressed[i] = false;
    }
    ImGui_ImplVulkan_NewFrame();
    ImGui::NewFrame();
}

void sn_imgui_end(void)
{
    ImGui::Render();
}

bool sn_imgui_fits(int width, int height)
{
    const ImDrawData *draw_data = ImGui::GetDrawData();
    return draw_data && draw_data->DisplaySize.x == (float)width && draw_data->DisplaySize.y == (float)height;
}

void sn_imgui_draw(VkCommandBuffer commands)
{
    ImGui_ImplVulkan_RenderDrawData(ImGui::GetDrawData(), commands);
}

void sn_imgui_set_button(int button, bool is_down)
{
    const int index = button == SN_BUTTON_LEFT ? 0 : button == SN_BUTTON_RIGHT ? 1 : 2;
    is_button_down[index] = is_down;
    is_just_pressed[index] |= is_down;
}

void sn_imgui_scroll(float notches)
{
    ImGui::GetIO().MouseWheel += notches;
}

void sn_imgui_press_key(sn_imgui_key key)
{
    if (key_count < key_limit) {
        keys[key_count++] = key;
    }
}

void sn_imgui_add_character(unsigned character)
{
    ImGui::GetIO().AddInputCharacter(character);
}

/* Open lists may extend beyond the panel, and the pointer may have entered the panel since the last frame. */
bool sn_imgui_wants_pointer(const float pointer[2])
{
    return ImGui::GetIO().WantCaptureMouse || (pointer[0] >= panel_min.x && pointer[0] < panel_max.x &&
                                               pointer[1] >= panel_min.y && pointer[1] < panel_max.y);
}

bool sn_imgui_wants_text(void)
{
    return ImGui::GetIO().WantTextInput;
}

bool sn_imgui_has_focus(void)
{
    return ImGui::GetIO().NavVisible;
}

/* ---- ui.h ---- */

void sn_ui_panel_begin(sn_ui *, const char *title)
{
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const float scale = ImGui::GetFontSize() / font_size, edge = margin * scale;
    const float width = fminf(panel_width * scale, size.x - 2 * edge);
    ImGui::SetNextWindowPos(ImVec2(size.x - edge, edge), ImGuiCond_Always, ImVec2(1, 0));
    ImGui::SetNextWindowSizeConstraints(ImVec2(width, 0), ImVec2(width, fmaxf(size.y - 2 * edge, 1)));
    ImGui::Begin(title, nullptr,
                 ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                     ImGuiWindowFlags_AlwaysAutoResize);
}

void sn_ui_panel_end(sn_ui *)
{
    panel_min = ImGui::GetWindowPos();
    panel_max = ImVec2(panel_min.x + ImGui::GetWindowWidth(), panel_min.y + ImGui::GetWindowHeight());
    ImGui::End();
}

int sn_ui_panel_width(const sn_ui *)
{
    const float edge = ImGui::GetIO().DisplaySize.x - panel_max.x;
    return panel_max.x > panel_min.x ? (int)(panel_max.x - panel_min.x + 2 * edge) : 0;
}

void sn_ui_push(sn_ui *, int index)
{
    ImGui::PushID(index);
}

void sn_ui_pop(sn_ui *)
{
    ImGui::PopID();
}

bool sn_ui_slider(sn_ui *, const sn_ui_number *n, double *value)
{
    set_width();
    const bool is_changed = ImGui::SliderScalar(n->label, ImGuiDataType_Double, value, &n->min, &n->max, n->format,
                                                n->is_logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
    show_tooltip(n->tooltip);
    return is_changed;
}

bool sn_ui_int_slider(sn_ui *, const sn_ui_number *n, int *value)
{
    set_width();
    const bool is_changed = ImGui::SliderInt(n->label, value, (int)n->min, (int)n->max, n->format,
                                             n->is_logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
    show_tooltip(n->tooltip);
    return is_changed;
}

bool sn_ui_checkbox(sn_ui *, const char *label, const char *tooltip, bool *value)
{
    const bool is_changed = ImGui::Checkbox(label, value);
    show_tooltip(tooltip);
    return is_changed;
}

bool sn_ui_combo(sn_ui *, const char *label, const char *tooltip, sn_ui_item_name *names, void *user, int count,
                 int *index)
{
    bool is_changed = false;
    set_width();
    if (ImGui::BeginCombo(label, *index >= 0 && *index < count ? names(*index, user) : "")) {
        for (int i = 0; i < count; ++i) {
            ImGui::PushID(i);
            if (ImGui::Selectable(names(i, user), i == *index)) {
                is_changed = i != *index;
                *index = i;
            }
            ImGui::PopID();
        }
        ImGui::EndCombo();
    } else {
        show_tooltip(tooltip);
    }
    return is_changed;
}

bool sn_ui_list(sn_ui *, const char *label, sn_ui_item_name *names, void *user, int count, int row_count, int *index)
{
    bool is_changed = false;
    const int rows = count < row_count ? count : row_count;
    int *const scrolled_to =
        ImGui::GetStateStorage()->GetIntRef(ImGui::GetID(label), -1); /* the item scrolled to last */
    const ImVec2 size(-FLT_MIN, ImGui::GetTextLineHeightWithSpacing() * ((float)rows + 0.3F));
    if (ImGui::BeginListBox(label, size)) {
        for (int i = 0; i < count; ++i) {
            ImGui::PushID(i);
            if (ImGui::Selectable(names(i, user), i == *index)) {
                is_changed = i != *index;
                *index = i;
            }
            if (i == *index && i != *scrolled_to) {
                ImGui::SetScrollHereY();
                *scrolled_to = i;
            }
            ImGui::PopID();
        }
        ImGui::EndListBox();
    }
    return is_changed;
}

bool sn_ui_button(sn_ui *, const char *label, const char *tooltip, bool is_same_line)
{
    if (is_same_line) {
        ImGui::SameLine();
    }
    const bool is_pressed = ImGui::Button(label);
    show_tooltip(tooltip);
    return is_pressed;
}

bool sn_ui_section(sn_ui *, const char *label, bool is_initially_open)
{
    return ImGui::CollapsingHeader(label, is_initially_open ? ImGuiTreeNodeFlags_DefaultOpen : 0);
}

void sn_ui_value(sn_ui *, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    ImGui::TextUnformatted(name);
    ImGui::SameLine(ImGui::GetFontSize() * 12);
    ImGui::TextV(format, arguments);
    va_end(arguments);
}

void sn_ui_plot(sn_ui *, const char *label, const float *values, int count, int first, float max)
{
    ImGui::PlotLines(label, values, count, first, nullptr, 0, max,
                     ImVec2(ImGui::GetContentRegionAvail().x, ImGui::GetFontSize() * 4));
}
}
