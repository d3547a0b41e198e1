/* SPDX-License-Identifier: MIT */
/* The section of the panel for the parts of a character's flesh. */
#include <stdio.h>

#include "runtime/panel/panel.h"

#define VISIBLE_ROWS 7

typedef struct part_row {
    const sn_part_editor *editor;
    char text[128];
} part_row;

static const char *name_row(int part, void *user)
{
    part_row *row = user;
    const sn_part_editor *e = row->editor;
    if (sn_part_editor_get(e, part, SN_PART_RIGID) > 0) {
        snprintf(row->text, sizeof row->text, "%s: rigid", sn_part_editor_name(e, part));
    } else {
        snprintf(row->text, sizeof row->text, "%s: %.2g %%, %.2g Hz, %.2g s", sn_part_editor_name(e, part),
                 100 * sn_part_editor_reached(e, part, SN_PART_AMPLITUDE),
                 sn_part_editor_reached(e, part, SN_PART_FREQUENCY),
                 sn_part_editor_reached(e, part, SN_PART_SETTLING_TIME));
    }
    return row->text;
}

/* Presets of the whole character: factors of the motion that was cooked. */
static void show_presets(sn_ui *ui, sn_part_editor *e)
{
    static const struct {
        const char *name, *tooltip;
        double factor;
    } presets[] = {{"Realistic", "60 % of the cooked motion", 0.6},
                   {"Cartoon", "1.4 times the cooked motion", 1.4},
                   {"Jelly", "2.2 times the cooked motion", 2.2}};
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; ++i) {
        if (sn_ui_button(ui, presets[i].name, presets[i].tooltip, i > 0)) {
            sn_part_editor_scale(e, presets[i].factor);
        }
    }
}

static void show_values(sn_ui *ui, sn_part_editor *e, int part)
{
    static const struct {
        sn_part_value value;
        double scale; /* from the value to the slider */
        sn_ui_number number;
    } sliders[] = {
        {SN_PART_AMPLITUDE,
         100,
         {"Amplitude",
          "How far the skin moves in a walk, in per cent of the character's height. A part that would "
          "tear or fold stops earlier.",
          "%.2f %%", 0.1, 15, true}},
        {SN_PART_FREQUENCY,
         1,
         {"Frequency", "How fast the part swings. It follows the amplitude, and the reverse.", "%.2f Hz", 0.5, 20,
          true}},
        {SN_PART_SETTLING_TIME, 1, {"Settles in", "Time until a swing has faded to 2 %.", "%.2f s", 0.05, 5, true}}};
    bool is_rigid = sn_part_editor_get(e, part, SN_PART_RIGID) > 0;
    for (size_t i = 0; i < sizeof sliders / sizeof sliders[0] && !is_rigid; ++i) {
        double value = sliders[i].scale * sn_part_editor_get(e, part, sliders[i].value);
        if (value > 0 && sn_ui_slider(ui, &sliders[i].number, &value)) {
            sn_part_editor_set(e, part, sliders[i].value, value / sliders[i].scale);
        }
    }
    if (sn_ui_checkbox(ui, "Rigid", "The part moves with its bones only. Takes effect when it is saved.", &is_rigid)) {
        sn_part_editor_set(e, part, SN_PART_RIGID, is_rigid);
    }
}

static void show_buttons(sn_ui *ui, sn_part_editor *e)
{
    bool is_comparing = sn_part_editor_is_comparing(e);
    if (sn_ui_button(ui, "Undo", "U", false)) {
        sn_part_editor_undo(e);
    }
    if (sn_ui_button(ui, "Redo", NULL, true)) {
        sn_part_editor_redo(e);
    }
    if (sn_ui_button(ui, "As cooked", "all parts back to their cooked values", true)) {
        sn_part_editor_reset(e);
    }
    if (sn_ui_button(ui, "Save", "to the character's .sinew.json, and to the model", true)) {
        sn_part_editor_save(e);
    }
    if (sn_ui_checkbox(ui, "Show the flesh as cooked", "V compares it with the changed flesh", &is_comparing)) {
        sn_part_editor_compare(e, is_comparing);
    }
}

bool sn_panel_parts(const sn_panel *panel, sn_part_editor *e, int *selected)
{
    part_row row = {.editor = e};
    if (!sn_ui_section(panel->ui, "Parts", true)) {
        return false;
    }
    show_presets(panel->ui, e);
    const int count = sn_part_editor_count(e);
    const bool is_changed = sn_ui_list(panel->ui, "##parts", name_row, &row, count, VISIBLE_ROWS, selected);
    if (*selected >= 0 && *selected < count) {
        show_values(panel->ui, e, *selected);
    }
    show_buttons(panel->ui, e);
    sn_ui_value(panel->ui, "State", "%s",
                sn_part_editor_is_busy(e)       ? "working ..."
                : sn_part_editor_has_changes(e) ? "changed"
                                                : "as cooked");
    return is_changed;
}
