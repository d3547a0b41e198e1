/* SPDX-License-Identifier: MIT */
#include "runtime/app/player_keys.h"

#include <math.h>
#include <stddef.h>

#include "runtime/window/window.h"

static const struct {
    int key;
    sn_player_action action;
    sn_player_parameter parameter;
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
};

static const char *const help[] = {
    "left drag    pull flesh; beside it, turn the camera",
    "middle drag  turn the camera          Space  pause",
    "right drag   move it                  .      one step",
    "wheel        nearer, farther          R      start again, at rest",
    "F, Home      the first view           [ ]    previous, next motion",
    "1 2          stiffness down, up       M      secondary motion off, on",
    "3 4          damping                  F1     this help",
    "5 6          gravity                  Esc    quit",
    "7 8          amount                   9 0    wind",
    "E            next expression, none    drop a .sinew file to play it",
};

static const struct {
    const char *name;
    double least, most;
    bool has_zero;
} parameters[SN_PLAYER_PARAMETER_COUNT] = {
    [SN_PLAYER_STIFFNESS] = {"stiffness", 1.0 / 64, 64, false},
    [SN_PLAYER_DAMPING] = {"damping", 0.25, 64, true},
    [SN_PLAYER_GRAVITY] = {"gravity", 0.25, 64, true},
    [SN_PLAYER_AMOUNT] = {"amount", 0.25, 8, true},
    [SN_PLAYER_WIND] = {"wind", 1, 128, true},
};

sn_player_command sn_player_key(int key, bool is_repeated)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        if (keys[i].key == key && (!is_repeated || keys[i].is_repeating)) {
            return (sn_player_command){keys[i].action, keys[i].parameter};
        }
    }
    return (sn_player_command){SN_PLAYER_NOTHING, 0};
}

const char *sn_player_help(int line)
{
    return line >= 0 && line < (int)(sizeof help / sizeof help[0]) ? help[line] : NULL;
}

const char *sn_player_parameter_name(sn_player_parameter parameter)
{
    return parameters[parameter].name;
}

double sn_player_change(sn_player_parameter parameter, double value, bool is_increase)
{
    const double least = parameters[parameter].least, most = parameters[parameter].most;
    if (!is_increase && value < 1.001 * least) {
        return parameters[parameter].has_zero ? 0 : least;
    }
    if (is_increase && value < least) {
        return least;
    }
    /* on the ladder of powers, so that up and down lead back to where they began */
    const double rung = 2 * log2(value) + (is_increase ? 1 : -1);
    return fmin(fmax(exp2(fabs(rung - round(rung)) < 1e-6 ? round(rung) / 2 : rung / 2), least), most);
}
