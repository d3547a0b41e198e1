/* SPDX-License-Identifier: MIT */
#include "runtime/input/player_keys.h"

#include <math.h>
#include <stddef.h>

#include "host/math/vec3.h"
#include "runtime/window/window.h"

#define LOG2_SQRT_2 0.5
#define LOG2_SQRT_10 1.66096404744368117394

static const struct {
    int key;
    sn_player_action action;
    unsigned argument; /* the parameter, or the SN_LOCK_* flags */
    bool is_repeating;
} keys[] = {
    {SN_KEY_ESCAPE, SN_PLAYER_QUIT, 0, false},
    {SN_KEY_F1, SN_PLAYER_HELP, 0, false},
    {' ', SN_PLAYER_PAUSE, 0, false},
    {'.', SN_PLAYER_STEP, 0, true},
    {'r', SN_PLAYER_RESET, 0, false},
    {'f', SN_PLAYER_VIEW, 0, false},
    {SN_KEY_HOME, SN_PLAYER_VIEW, 0, false},
    {'[', SN_PLAYER_PREVIOUS_CLIP, 0, false},
    {']', SN_PLAYER_NEXT_CLIP, 0, false},
    {'m', SN_PLAYER_SECONDARY, 0, false},
    {'v', SN_PLAYER_COMPARE, 0, false},
    {'e', SN_PLAYER_EXPRESSION, 0, false},
    {'1', SN_PLAYER_DECREASE, SN_PLAYER_STIFFNESS, true},
    {'2', SN_PLAYER_INCREASE, SN_PLAYER_STIFFNESS, true},
    {'3', SN_PLAYER_DECREASE, SN_PLAYER_DAMPING, true},
    {'4', SN_PLAYER_INCREASE, SN_PLAYER_DAMPING, true},
    {'5', SN_PLAYER_DECREASE, SN_PLAYER_GRAVITY, true},
    {'6', SN_PLAYER_INCREASE, SN_PLAYER_GRAVITY, true},
    {'7', SN_PLAYER_DECREASE, SN_PLAYER_AMOUNT, true},
    {'8', SN_PLAYER_INCREASE, SN_PLAYER_AMOUNT, true},
    {'9', SN_PLAYER_DECREASE, SN_PLAYER_WIND, true},
    {'0', SN_PLAYER_INCREASE, SN_PLAYER_WIND, true},
    {'-', SN_PLAYER_DECREASE, SN_PLAYER_POISSON, true},
    {'=', SN_PLAYER_INCREASE, SN_PLAYER_POISSON, true},
    {';', SN_PLAYER_DECREASE, SN_PLAYER_COMPLIANCE, true},
    {'\'', SN_PLAYER_INCREASE, SN_PLAYER_COMPLIANCE, true},
    {',', SN_PLAYER_DECREASE, SN_PLAYER_SUBSTEPS, true},
    {'/', SN_PLAYER_INCREASE, SN_PLAYER_SUBSTEPS, true},
    {'w', SN_PLAYER_DECREASE, SN_PLAYER_MASS, true},
    {'q', SN_PLAYER_INCREASE, SN_PLAYER_MASS, true},
    {'a', SN_PLAYER_DECREASE, SN_PLAYER_BONE_COMPLIANCE, true},
    {'s', SN_PLAYER_INCREASE, SN_PLAYER_BONE_COMPLIANCE, true},
    {'j', SN_PLAYER_FLOOR, 0, false},
    {'n', SN_PLAYER_NEXT_BODY, 0, false},
    {SN_KEY_TAB, SN_PLAYER_PANEL, 0, false},
    {'i', SN_PLAYER_EDIT, 0, false},
    {'p', SN_PLAYER_TOOL_POINT, 0, false},
    {'b', SN_PLAYER_TOOL_BONE, 0, false},
    {'c', SN_PLAYER_TOOL_CAGE, 0, false},
    {SN_KEY_ENTER, SN_PLAYER_CLOSE_CAGE, 0, false},
    {SN_KEY_DELETE, SN_PLAYER_REMOVE, 0, false},
    {'u', SN_PLAYER_UNDO, 0, true},
    {'x', SN_PLAYER_LOCK, SN_LOCK_X, false},
    {'y', SN_PLAYER_LOCK, SN_LOCK_Y, false},
    {'z', SN_PLAYER_LOCK, SN_LOCK_Z, false},
    {'t', SN_PLAYER_LOCK, SN_LOCK_ROTATION, false},
    {'l', SN_PLAYER_LOCK, SN_LOCK_ALL, false},
    {'k', SN_PLAYER_FREE_ALL, 0, false},
    {'o', SN_PLAYER_RECORD, 0, false},
    {'h', SN_PLAYER_SHOW_HANDLES, 0, false},
    {'g', SN_PLAYER_SHOW_MESH, 0, false},
};

static const char *const help[] = {
    "left drag    pull flesh; elsewhere, rotate the camera",
    "middle drag  rotate the camera        Space  pause",
    "right drag   pan the camera           .      one step",
    "wheel        zoom                     R      restart at rest",
    "F, Home      reset the view           [ ]    previous, next motion or scene",
    "1 2          stiffness down, up       M      secondary motion off, on",
    "3 4          damping                  5 6    gravity",
    "7 8          amount                   9 0    wind",
    "J            floor off, on            E      next expression, none",
    "N            show the handles of the next body (or click a body)",
    "G            simulation mesh          H      show or hide handles",
    "Tab          settings panel           Esc    quit",
    "click        select a part of the flesh, if the panel is shown",
    "V            parts as cooked          U      undo a change of a part",
    "F1           this help",
    "drop a character or drawing on the window to play it",
    "",
    "coupled bodies: drag a handle to move it, with Shift to rotate it",
    "X Y Z        lock its position        T      lock its rotation",
    "L            lock or release it       K      release all handles",
    "- =          Poisson's ratio          W Q    mass down, up",
    "; '          compliance               A S    compliance of the handle",
    ", /          substeps                 O      record bones, stop",
    "I            edit handles at rest     P B C  add points, bones, cages",
    "Enter        close the cage           Del U  remove the handle, undo",
};

static const struct {
    const char *name;
    double min_value, max_value;
    bool has_zero;
    double log2_step, step; /* of one key press: either a log2 step or an absolute step */
} parameters[SN_PLAYER_PARAMETER_COUNT] = {
    [SN_PLAYER_STIFFNESS] = {"stiffness", 1.0 / 64, 64, false, LOG2_SQRT_2, 0},
    [SN_PLAYER_DAMPING] = {"damping", 0.25, 64, true, LOG2_SQRT_2, 0},
    [SN_PLAYER_GRAVITY] = {"gravity", 0.25, 64, true, LOG2_SQRT_2, 0},
    [SN_PLAYER_AMOUNT] = {"amount", 0.25, 8, true, LOG2_SQRT_2, 0},
    [SN_PLAYER_WIND] = {"wind", 1, 128, true, LOG2_SQRT_2, 0},
    [SN_PLAYER_POISSON] = {"Poisson's ratio", -0.8, 0.48, false, 0, 0.04},
    [SN_PLAYER_COMPLIANCE] = {"compliance", 1e-6, 1, true, LOG2_SQRT_10, 0},
    [SN_PLAYER_MASS] = {"mass", 1.0 / 64, 64, false, LOG2_SQRT_2, 0},
    [SN_PLAYER_BONE_COMPLIANCE] = {"compliance of the handle", 1e-6, 1, true, LOG2_SQRT_10, 0},
    [SN_PLAYER_SUBSTEPS] = {"substeps", 1, 60, false, 0, 1},
};

sn_player_command sn_player_key_command(int key, bool is_repeated)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        if (keys[i].key == key && (!is_repeated || keys[i].is_repeating)) {
            const bool is_lock = keys[i].action == SN_PLAYER_LOCK;
            return (sn_player_command){.action = keys[i].action,
                                       .parameter = is_lock ? 0 : (sn_player_parameter)keys[i].argument,
                                       .locks = is_lock ? keys[i].argument : 0};
        }
    }
    return (sn_player_command){SN_PLAYER_NOTHING, 0, 0};
}

const char *sn_player_help_line(int line)
{
    return line >= 0 && line < (int)(sizeof help / sizeof help[0]) ? help[line] : NULL;
}

const char *sn_player_parameter_name(sn_player_parameter parameter)
{
    return parameters[parameter].name;
}

const char *sn_player_parameter_solver(sn_player_parameter parameter)
{
    return parameter == SN_PLAYER_AMOUNT ? "reduced" : "coupled";
}

double sn_player_step_parameter(sn_player_parameter parameter, double value, bool is_increase)
{
    const double min_value = parameters[parameter].min_value, max_value = parameters[parameter].max_value;
    const double step = parameters[parameter].step;
    if (step > 0) {
        return fmin(fmax(step * (round(value / step) + (is_increase ? 1 : -1)), min_value), max_value);
    }
    if (!is_increase && value < 1.001 * min_value) {
        return parameters[parameter].has_zero ? 0 : min_value;
    }
    if (is_increase && value < min_value) {
        return min_value;
    }
    /* snapped to integer powers, so that pressing up and down returns to the same value */
    const double log2_step = parameters[parameter].log2_step, level = log2(value) / log2_step + (is_increase ? 1 : -1);
    return fmin(fmax(exp2((fabs(level - round(level)) < 1e-6 ? round(level) : level) * log2_step), min_value),
                max_value);
}

static bool has_parameter(sn_player_parameter parameter, sn_body_solver solver)
{
    const bool is_flesh_parameter = parameter == SN_PLAYER_SUBSTEPS || parameter == SN_PLAYER_MASS;
    return parameter == SN_PLAYER_AMOUNT   ? solver == SN_SOLVER_REDUCED
           : parameter < SN_PLAYER_POISSON ? true
           : is_flesh_parameter            ? solver != SN_SOLVER_REDUCED
                                           : solver == SN_SOLVER_COUPLED;
}

bool sn_player_step_desc_parameter(sn_player_parameter parameter, bool is_increase, const double directions[2][3],
                                   sn_body_desc *desc, double *value)
{
    double lengths[2] = {sn_length3(desc->gravity), sn_length3(desc->wind)}, substeps = desc->substep_count;
    double *const vectors[2] = {desc->gravity, desc->wind};
    double *const values[SN_PLAYER_PARAMETER_COUNT] = {[SN_PLAYER_STIFFNESS] = &desc->stiffness,
                                                       [SN_PLAYER_DAMPING] = &desc->damping,
                                                       [SN_PLAYER_GRAVITY] = &lengths[0],
                                                       [SN_PLAYER_AMOUNT] = &desc->amount,
                                                       [SN_PLAYER_WIND] = &lengths[1],
                                                       [SN_PLAYER_POISSON] = &desc->poisson,
                                                       [SN_PLAYER_COMPLIANCE] = &desc->compliance,
                                                       [SN_PLAYER_SUBSTEPS] = &substeps,
                                                       [SN_PLAYER_MASS] = &desc->mass};
    if (!values[parameter] || !has_parameter(parameter, desc->solver)) {
        return false;
    }
    if (desc->poisson <= -1 && parameter == SN_PLAYER_POISSON) { /* as cooked: start from the default */
        desc->poisson = sn_default_body_desc().poisson;
    }
    if (desc->substep_count == 0 && parameter == SN_PLAYER_SUBSTEPS) { /* automatic: start from the default */
        substeps = sn_default_body_desc().substep_count;
    }
    const double previous[2] = {lengths[0], lengths[1]};
    *value = *values[parameter] = sn_player_step_parameter(parameter, *values[parameter], is_increase);
    for (int i = 0; i < 2; ++i) {
        for (int d = 0; d < 3; ++d) {
            vectors[i][d] = lengths[i] * (previous[i] > 0 ? vectors[i][d] / previous[i] : directions[i][d]);
        }
    }
    desc->substep_count = (int)substeps;
    return true;
}
