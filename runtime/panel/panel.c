/* SPDX-License-Identifier: MIT */
#include "runtime/panel/panel.h"

#include <math.h>
#include <string.h>

#include "compute/world/world.h"
#include "host/math/vec3.h"
#include "host/platform/platform.h"
#include "host/world/inspect.h"

#define SAMPLE_LIMIT 400 /* maximum vertices that the displacement statistic samples */

/* ---- lifetime, events ---- */

sn_result sn_panel_toggle(sn_panel *panel, sn_gpu_device *device, sn_window *window, sn_swapchain *swapchain)
{
    const sn_result result = panel->ui ? SN_OK : sn_ui_create(device, window, &panel->ui);
    if (result == SN_OK) {
        panel->is_visible = !panel->is_visible;
        panel->previous = sn_now();
        sn_swapchain_set_painter(swapchain, NULL, NULL);
    }
    if (panel->is_visible) {
        sn_swapchain_set_painter(swapchain, sn_ui_paint, panel->ui);
    }
    return result;
}

void sn_panel_finish(sn_panel *panel)
{
    sn_ui_destroy(&panel->ui);
}

bool sn_panel_event(const sn_panel *panel, const sn_window_event *event)
{
    return panel->is_visible && sn_ui_event(panel->ui, event);
}

void sn_panel_record(sn_panel *panel, double solver_seconds, int recovery_count)
{
    panel->step_ms[panel->oldest] = (float)(1e3 * solver_seconds);
    panel->oldest = (panel->oldest + 1) % SN_PANEL_HISTORY;
    panel->recovery_count += recovery_count;
}

bool sn_panel_begin(sn_panel *panel, sn_window *window, const char *title)
{
    int size[2];
    sn_window_size(window, size);
    if (!panel->is_visible || size[0] == 0 || size[1] == 0) {
        return false;
    }
    const double now = sn_now();
    sn_ui_begin(panel->ui, size, now - panel->previous);
    panel->previous = now;
    sn_ui_panel_begin(panel->ui, title);
    return true;
}

int sn_panel_width(const sn_panel *panel, const int size[2])
{
    const int width = panel->is_visible ? sn_ui_panel_width(panel->ui) : 0;
    return 2 * width <= size[0] ? width : 0;
}

void sn_panel_end(const sn_panel *panel)
{
    sn_ui_panel_end(panel->ui);
    sn_ui_end(panel->ui);
}

/* ---- parameters ---- */

static const sn_ui_number numbers[SN_PLAYER_PARAMETER_COUNT] = {
    [SN_PLAYER_AMOUNT] = {"Amount", "Strength of the secondary motion: 0 shows the rig only, 1 the simulated motion.",
                          "%.2f x", 0, 3, false},
    [SN_PLAYER_STIFFNESS] = {"Stiffness", "Factor on the cooked stiffness. Softer flesh swings farther and slower.",
                             "%.3g x", 1.0 / 64, 64, true},
    [SN_PLAYER_DAMPING] = {"Damping", "How fast swings fade: at 2 /s they shrink to about 1/3 within a second.",
                           "%.2f /s", 0, 20, false},
    [SN_PLAYER_GRAVITY] = {"Gravity",
                           "Gravity on the flesh, in model units per second squared. With default units, "
                           "the character's diagonal is 1 unit.",
                           "%.2f u/s\xc2\xb2", 0, 20, false},
    [SN_PLAYER_WIND] = {"Wind", "Wind speed in model units per second; it comes in gusts.", "%.2f u/s", 0, 20, false},
    [SN_PLAYER_COMPLIANCE] = {"Looseness",
                              "How loosely flesh follows its bones (compliance): 0 not at all, 0.001 "
                              "visibly, 0.01 a lot.",
                              "%.2g s\xc2\xb2", 0, 0.1, true},
    [SN_PLAYER_MASS] = {"Mass", "Factor on the cooked mass.", "%.3g x", 1.0 / 64, 64, true},
    [SN_PLAYER_POISSON] = {"Poisson's ratio",
                           "How much flesh thins when stretched: 0 not at all, 0.48 almost keeps its volume.", "%.2f",
                           -0.8, 0.48, false},
    [SN_PLAYER_SUBSTEPS] = {"Substeps", "Solver steps per time step. 0: chosen from the stiffness.", "%d", 0, 60,
                            false}};

static const sn_player_parameter main_parameters[SN_SOLVER_COUNT][5] = {
    [SN_SOLVER_REDUCED] = {SN_PLAYER_AMOUNT, SN_PLAYER_STIFFNESS, SN_PLAYER_DAMPING, SN_PLAYER_GRAVITY, SN_PLAYER_WIND},
    [SN_SOLVER_COUPLED] = {SN_PLAYER_STIFFNESS, SN_PLAYER_DAMPING, SN_PLAYER_GRAVITY, SN_PLAYER_WIND,
                           SN_PLAYER_COMPLIANCE},
    [SN_SOLVER_LAYERED] = {SN_PLAYER_STIFFNESS, SN_PLAYER_DAMPING, SN_PLAYER_GRAVITY, SN_PLAYER_WIND, SN_PLAYER_MASS}};

static double *value_pointer(sn_body_desc *desc, sn_player_parameter parameter)
{
    double *const values[SN_PLAYER_PARAMETER_COUNT] = {
        [SN_PLAYER_AMOUNT] = &desc->amount,         [SN_PLAYER_STIFFNESS] = &desc->stiffness,
        [SN_PLAYER_DAMPING] = &desc->damping,       [SN_PLAYER_POISSON] = &desc->poisson,
        [SN_PLAYER_COMPLIANCE] = &desc->compliance, [SN_PLAYER_MASS] = &desc->mass};
    return values[parameter];
}

/* Slider of a vector's length; its direction, or `direction` if it is 0, is kept. */
static bool length_slider(sn_ui *ui, sn_player_parameter parameter, const double direction[3], double vector[3])
{
    const double previous = sn_length3(vector);
    double length = previous;
    if (!sn_ui_slider(ui, &numbers[parameter], &length)) {
        return false;
    }
    for (int d = 0; d < 3; ++d) {
        vector[d] = fmax(length, 0) * (previous > 0 ? vector[d] / previous : direction[d]);
    }
    return true;
}

/* Typed numbers may be below the valid range, so the value is clamped. */
static bool number_slider(sn_ui *ui, sn_player_parameter parameter, const sn_panel_body *body, sn_body_desc *desc)
{
    if (parameter == SN_PLAYER_GRAVITY || parameter == SN_PLAYER_WIND) {
        const bool is_gravity = parameter == SN_PLAYER_GRAVITY;
        return length_slider(ui, parameter, body->directions[is_gravity ? 0 : 1],
                             is_gravity ? desc->gravity : desc->wind);
    }
    double *value = value_pointer(desc, parameter);
    const bool is_changed = sn_ui_slider(ui, &numbers[parameter], value);
    *value = is_changed && parameter != SN_PLAYER_POISSON ? fmax(*value, 0) : *value;
    return is_changed;
}

static unsigned presets(sn_ui *ui, const sn_panel_body *body, sn_body_desc *desc)
{
    static const struct {
        const char *name, *tooltip;
        double stiffness, damping;
    } materials[] = {{"Jelly", "soft, swings for long", 0.25, 0.5},
                     {"Flesh", "cooked stiffness, comes to rest", 1, 2},
                     {"Firm", "stiff, short fast swings", 4, 6}};
    const unsigned stiffness_and_damping = 1U << SN_PLAYER_STIFFNESS | 1U << SN_PLAYER_DAMPING;
    unsigned changed = 0;
    if (sn_ui_button(ui, "Initial", "all parameters back to their initial values", false)) {
        *desc = body->start;
        changed = (2 * SN_PANEL_OTHER - 1) & ~(1U << SN_PLAYER_BONE_COMPLIANCE);
    }
    if (desc->solver == SN_SOLVER_REDUCED && sn_model_flesh_part_count(body->model) > 0) {
        return changed; /* its parts have presets of their own */
    }
    for (size_t i = 0; i < sizeof materials / sizeof materials[0]; ++i) {
        if (sn_ui_button(ui, materials[i].name, materials[i].tooltip, true)) {
            desc->stiffness = materials[i].stiffness;
            desc->damping = materials[i].damping;
            changed = stiffness_and_damping;
        }
    }
    return changed;
}

unsigned sn_panel_main_parameters(const sn_panel *panel, const sn_panel_body *body, sn_body_desc *desc)
{
    unsigned changed = presets(panel->ui, body, desc);
    for (int i = 0; i < 5; ++i) {
        const sn_player_parameter parameter = main_parameters[desc->solver][i];
        if (number_slider(panel->ui, parameter, body, desc)) {
            changed |= 1U << parameter;
        }
    }
    return changed;
}

static bool reduced_parameters(sn_ui *ui, const sn_panel_body *body, sn_body_desc *desc)
{
    const int modes = sn_model_mode_count(body->model), levels = sn_model_cluster_level_count(body->model);
    const sn_ui_number all[] = {
        {"Modes used", "Number of skinning eigenmodes to simulate; fewer are faster.", "%d", 1, modes, false},
        {"Cluster level", "0 is the finest; coarser levels are faster.", "%d", 0, levels - 1, false},
        {"Iterations", "Maximum per time step.", "%d", 1, 100, false},
        {"Tolerance", "A step ends when an iteration moves nothing by more than this fraction of the size.", "%.1e",
         1e-7, 1e-2, true}};
    bool has_bone_colliders = !desc->is_without_bone_colliders;
    int used = desc->mode_count > 0 && desc->mode_count < modes ? desc->mode_count : modes;
    bool is_changed = sn_ui_int_slider(ui, &all[0], &used);
    desc->mode_count = used >= modes || used < 1 ? 0 : used;
    if (levels > 1) {
        is_changed |= sn_ui_int_slider(ui, &all[1], &desc->cluster_level);
    }
    is_changed |= sn_ui_int_slider(ui, &all[2], &desc->iteration_limit);
    is_changed |= sn_ui_slider(ui, &all[3], &desc->tolerance);
    if (!sn_model_is_flat(body->model)) {
        is_changed |= sn_ui_checkbox(ui, "Keeps its volume (Neo-Hookean)",
                                     "Keeps the volume under large stretch; slower.", &desc->is_neo_hookean);
    }
    is_changed |= sn_ui_checkbox(ui, "Colliders on bones", "Use the colliders of the model, such as a VRM's.",
                                 &has_bone_colliders);
    desc->is_without_bone_colliders = !has_bone_colliders;
    return is_changed;
}

static const char *name_mode(int mode, void *user)
{
    (void)user;
    return mode == SN_LAYERED_LAYERS ? "layers" : "unordered";
}

static bool flesh_parameters(sn_ui *ui, sn_body_desc *desc)
{
    static const sn_ui_number sweeps = {"Sweeps", "Constraint sweeps per substep.", "%d", 1, 30, false};
    static const sn_ui_number sleep = {
        "Sleeps below", "Speed below which the body sleeps, in diagonals per second; 0: never.", "%.3f /s", 0, 0.1,
        false};
    bool is_changed = sn_ui_int_slider(ui, &sweeps, &desc->sweep_count);
    is_changed |= sn_ui_slider(ui, &sleep, &desc->sleep_speed);
    is_changed |=
        sn_ui_checkbox(ui, "Damps all motion", "Also damp rigid motion of the whole body.", &desc->is_rigid_damped);
    if (desc->solver == SN_SOLVER_COUPLED) {
        is_changed |= sn_ui_checkbox(ui, "Complementary to locked bones only", "Otherwise to all bones.",
                                     &desc->is_constraint_locked_only);
    } else {
        int mode = (int)desc->layered_mode;
        is_changed |= sn_ui_combo(ui, "Sweep order", "Unordered (default), or from the bones outwards as in the paper.",
                                  name_mode, NULL, SN_LAYERED_MODE_COUNT, &mode);
        desc->layered_mode = (sn_layered_mode)mode;
    }
    desc->sweep_count = desc->sweep_count < 1 ? 1 : desc->sweep_count;
    desc->sleep_speed = fmax(desc->sleep_speed, 0);
    return is_changed;
}

unsigned sn_panel_other_parameters(const sn_panel *panel, const sn_panel_body *body, sn_body_desc *desc)
{
    unsigned changed = 0;
    if (!sn_ui_section(panel->ui, "Advanced", false)) {
        return 0;
    }
    if (desc->solver == SN_SOLVER_REDUCED) {
        return !body->is_scene_body && reduced_parameters(panel->ui, body, desc) ? SN_PANEL_OTHER : 0;
    }
    changed |=
        sn_ui_int_slider(panel->ui, &numbers[SN_PLAYER_SUBSTEPS], &desc->substep_count) ? 1U << SN_PLAYER_SUBSTEPS : 0;
    desc->substep_count = desc->substep_count < 0 ? 0 : desc->substep_count;
    if (desc->solver == SN_SOLVER_COUPLED) {
        changed |= number_slider(panel->ui, SN_PLAYER_MASS, body, desc) ? 1U << SN_PLAYER_MASS : 0;
        changed |= number_slider(panel->ui, SN_PLAYER_POISSON, body, desc) ? 1U << SN_PLAYER_POISSON : 0;
    }
    return changed | (!body->is_scene_body && flesh_parameters(panel->ui, desc) ? SN_PANEL_OTHER : 0);
}

/* ---- statistics ---- */

/* Maximum displacement by modes over the sampled vertices, as a fraction of the diagonal. */
static double displacement(const sn_model *model, const sn_body_matrices *output)
{
    const size_t count = (size_t)model->counts.surface_vertex_count, modes = (size_t)model->counts.mode_count;
    const size_t step = count / SAMPLE_LIMIT + 1;
    double max_length = 0;
    for (size_t v = 0; v < count; v += step) {
        const float *x = model->surface_positions + 3 * v;
        double moved[3] = {0};
        for (size_t j = 0; j < (size_t)output->mode_count; ++j) {
            const double weight = (double)model->surface_modes[v * modes + j].weight;
            const sn_mat3x4 *t = &output->matrices[(size_t)output->bone_count + j];
            for (int d = 0; d < 3; ++d) {
                moved[d] += weight * (double)(t->m[d][0] * x[0] + t->m[d][1] * x[1] + t->m[d][2] * x[2] + t->m[d][3]);
            }
        }
        max_length = fmax(max_length, sn_length3(moved));
    }
    return max_length / model->diagonal;
}

static void show_body(sn_ui *ui, sn_body_id body)
{
    const sn_solver_table *table = sn_body_inspect(body).table;
    if (table == &sn_reduced_table) {
        const sn_body_step_stats stats = sn_body_last_step_stats(body);
        const sn_body_matrices output = sn_body_output(body);
        sn_ui_value(ui, "Iterations", "%d%s", stats.iteration_count, stats.is_converged ? "" : ", not converged");
        sn_ui_value(ui, "Displacement", "%.2f %% of its size", 100 * displacement(sn_body_model(body), &output));
    } else if (table == &sn_coupled_table || table == &sn_layered_table) {
        sn_ui_value(ui, "Asleep", "%s", sn_body_get_motion(body).is_asleep ? "yes" : "no");
    }
}

void sn_panel_statistics(const sn_panel *panel, sn_body_id body, const char *device_name, double frames_per_second)
{
    float max_ms = 0.01F, total_ms = 0;
    if (!sn_ui_section(panel->ui, "Statistics", true)) {
        return;
    }
    for (int i = 0; i < SN_PANEL_HISTORY; ++i) {
        max_ms = fmaxf(max_ms, panel->step_ms[i]);
        total_ms += i < 30 ? panel->step_ms[(panel->oldest + SN_PANEL_HISTORY - 1 - i) % SN_PANEL_HISTORY] : 0;
    }
    sn_ui_value(panel->ui, "Solver", "%.3f ms per frame", (double)total_ms / 30);
    sn_ui_plot(panel->ui, "##solver", panel->step_ms, SN_PANEL_HISTORY, panel->oldest, 1.1F * max_ms);
    sn_ui_value(panel->ui, "Frames", "%.0f per second", frames_per_second);
    if (body.index1) {
        show_body(panel->ui, body);
    }
    sn_ui_value(panel->ui, "Recoveries", "%d", panel->recovery_count);
    sn_ui_value(panel->ui, "Steps on", "%s", device_name);
}
