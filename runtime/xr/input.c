/* SPDX-License-Identifier: MIT */
/* Hands: poses, triggers, two buttons, and vibration. */
#include <stdio.h>
#include <string.h>

#include "runtime/xr/private.h"

/* Input paths of a controller type below /user/hand/..., or null. */
typedef struct controller {
    const char *profile, *trigger, *buttons[SN_XR_BUTTON_COUNT];
    bool is_split_by_hand; /* the first button is on the right controller only, the second on the left; else both are on
                              both */
} controller;

static const controller controllers[] = {
    {"khr/simple_controller", "input/select/click", {"input/menu/click", NULL}, false},
    {"oculus/touch_controller", "input/trigger/value", {"input/a/click", "input/x/click"}, true},
    {"valve/index_controller", "input/trigger/value", {"input/a/click", "input/b/click"}, false},
    {"htc/vive_controller", "input/trigger/value", {"input/menu/click", "input/trackpad/click"}, false},
    {"microsoft/motion_controller", "input/trigger/value", {"input/menu/click", "input/trackpad/click"}, false},
};

#define BINDING_LIMIT 16

typedef struct bindings {
    XrActionSuggestedBinding all[BINDING_LIMIT];
    uint32_t count;
} bindings;

static const char *const hand_names[SN_XR_HAND_COUNT] = {"/user/hand/left", "/user/hand/right"};

static sn_result add(const sn_xr *xr, XrAction action, int hand, const char *part, bindings *b)
{
    char path[96];
    sn_result result = SN_OK;
    SN_ASSERT(b->count < BINDING_LIMIT);
    snprintf(path, sizeof path, "%s/%s", hand_names[hand], part);
    b->all[b->count].action = action;
    SN_XR(xrStringToPath, xr->instance, path, &b->all[b->count].binding);
    ++b->count;
done:
    return result;
}

static sn_result add_hand(const sn_xr *xr, const controller *c, int hand, bindings *b)
{
    const sn_xr_input *input = &xr->input;
    sn_result result = add(xr, input->grip, hand, "input/grip/pose", b);
    result = result ? result : add(xr, input->aim, hand, "input/aim/pose", b);
    result = result ? result : add(xr, input->trigger, hand, c->trigger, b);
    result = result ? result : add(xr, input->haptic, hand, "output/haptic", b);
    for (int i = 0; i < SN_XR_BUTTON_COUNT && !result; ++i) {
        const bool is_present = c->buttons[i] && (!c->is_split_by_hand || hand == (i == SN_XR_RESET));
        result = is_present ? add(xr, input->buttons[i], hand, c->buttons[i], b) : SN_OK;
    }
    return result;
}

static sn_result suggest(const sn_xr *xr, const controller *c)
{
    char profile[96];
    bindings b = {.count = 0};
    XrInteractionProfileSuggestedBinding suggestion = {.type = XR_TYPE_INTERACTION_PROFILE_SUGGESTED_BINDING};
    sn_result result = add_hand(xr, c, 0, &b);
    result = result ? result : add_hand(xr, c, 1, &b);
    if (result != SN_OK) {
        return result;
    }
    snprintf(profile, sizeof profile, "/interaction_profiles/%s", c->profile);
    SN_XR(xrStringToPath, xr->instance, profile, &suggestion.interactionProfile);
    suggestion.suggestedBindings = b.all;
    suggestion.countSuggestedBindings = b.count;
    const XrResult code = xr->call.xrSuggestInteractionProfileBindings(xr->instance, &suggestion);
    /* a runtime may not know every controller type */
    result = XR_FAILED(code) && code != XR_ERROR_PATH_UNSUPPORTED
                 ? sn_xr_fail(xr, code, "xrSuggestInteractionProfileBindings")
                 : SN_OK;
done:
    return result;
}

static sn_result create_action(const sn_xr *xr, const char *name, const char *display_name, XrActionType type,
                               XrAction *action)
{
    XrActionCreateInfo info = {.type = XR_TYPE_ACTION_CREATE_INFO,
                               .actionType = type,
                               .countSubactionPaths = SN_XR_HAND_COUNT,
                               .subactionPaths = xr->input.paths};
    sn_result result = SN_OK;
    snprintf(info.actionName, sizeof info.actionName, "%s", name);
    snprintf(info.localizedActionName, sizeof info.localizedActionName, "%s", display_name);
    SN_XR(xrCreateAction, xr->input.set, &info, action);
done:
    return result;
}

static sn_result create_actions(sn_xr *xr)
{
    const XrActionSetCreateInfo info = {
        .type = XR_TYPE_ACTION_SET_CREATE_INFO, .actionSetName = "play", .localizedActionSetName = "Play"};
    sn_xr_input *input = &xr->input;
    sn_result result = SN_OK;
    for (int hand = 0; hand < SN_XR_HAND_COUNT; ++hand) {
        SN_XR(xrStringToPath, xr->instance, hand_names[hand], &input->paths[hand]);
    }
    SN_XR(xrCreateActionSet, xr->instance, &info, &input->set);
    result = create_action(xr, "hand", "Hand", XR_ACTION_TYPE_POSE_INPUT, &input->grip);
    result = result ? result : create_action(xr, "point", "Point", XR_ACTION_TYPE_POSE_INPUT, &input->aim);
    result = result ? result : create_action(xr, "take", "Grab", XR_ACTION_TYPE_FLOAT_INPUT, &input->trigger);
    result = result ? result : create_action(xr, "shake", "Vibrate", XR_ACTION_TYPE_VIBRATION_OUTPUT, &input->haptic);
    result = result ? result
                    : create_action(xr, "reset", "Restart", XR_ACTION_TYPE_BOOLEAN_INPUT, &input->buttons[SN_XR_RESET]);
    result = result ? result
                    : create_action(xr, "recentre", "Recenter", XR_ACTION_TYPE_BOOLEAN_INPUT,
                                    &input->buttons[SN_XR_RECENTRE]);
done:
    return result;
}

static sn_result create_spaces(sn_xr *xr)
{
    sn_xr_input *input = &xr->input;
    sn_result result = SN_OK;
    for (int hand = 0; hand < SN_XR_HAND_COUNT; ++hand) {
        XrActionSpaceCreateInfo info = {.type = XR_TYPE_ACTION_SPACE_CREATE_INFO,
                                        .subactionPath = input->paths[hand],
                                        .poseInActionSpace.orientation.w = 1};
        info.action = input->grip;
        SN_XR(xrCreateActionSpace, xr->session, &info, &input->grips[hand]);
        info.action = input->aim;
        SN_XR(xrCreateActionSpace, xr->session, &info, &input->aims[hand]);
    }
done:
    return result;
}

sn_result sn_xr_input_init(sn_xr *xr)
{
    const XrSessionActionSetsAttachInfo info = {
        .type = XR_TYPE_SESSION_ACTION_SETS_ATTACH_INFO, .countActionSets = 1, .actionSets = &xr->input.set};
    sn_result result = create_actions(xr);
    for (size_t i = 0; i < sizeof controllers / sizeof controllers[0] && !result; ++i) {
        result = suggest(xr, &controllers[i]);
    }
    result = result ? result : create_spaces(xr);
    if (result != SN_OK) {
        return result;
    }
    SN_XR(xrAttachSessionActionSets, xr->session, &info);
done:
    return result;
}

void sn_xr_input_finish(sn_xr *xr)
{
    sn_xr_input *input = &xr->input;
    for (int hand = 0; hand < SN_XR_HAND_COUNT; ++hand) {
        if (input->grips[hand]) {
            xr->call.xrDestroySpace(input->grips[hand]);
        }
        if (input->aims[hand]) {
            xr->call.xrDestroySpace(input->aims[hand]);
        }
    }
    if (input->set) {
        xr->call.xrDestroyActionSet(input->set); /* also destroys its actions */
    }
    *input = (sn_xr_input){0};
}

/* ---- a frame ---- */

static sn_result read_hand(sn_xr *xr, int hand)
{
    const XrActionStateGetInfo info = {
        .type = XR_TYPE_ACTION_STATE_GET_INFO, .action = xr->input.trigger, .subactionPath = xr->input.paths[hand]};
    XrActionStateFloat trigger = {.type = XR_TYPE_ACTION_STATE_FLOAT};
    sn_xr_hand *h = &xr->hands[hand];
    bool has_aim = false;
    sn_result result = sn_xr_locate(xr, xr->input.grips[hand], &h->grip, &h->is_tracked);
    result = result ? result : sn_xr_locate(xr, xr->input.aims[hand], &h->aim, &has_aim);
    if (result != SN_OK) {
        return result;
    }
    h->aim = has_aim ? h->aim : h->grip;
    SN_XR(xrGetActionStateFloat, xr->session, &info, &trigger);
    h->trigger = trigger.isActive ? (double)trigger.currentState : 0;
done:
    return result;
}

static sn_result read_button(sn_xr *xr, sn_xr_button button, bool *is_pressed)
{
    const XrActionStateGetInfo info = {.type = XR_TYPE_ACTION_STATE_GET_INFO, .action = xr->input.buttons[button]};
    XrActionStateBoolean state = {.type = XR_TYPE_ACTION_STATE_BOOLEAN};
    sn_result result = SN_OK;
    SN_XR(xrGetActionStateBoolean, xr->session, &info, &state);
    *is_pressed = *is_pressed || (state.isActive && state.changedSinceLastSync && state.currentState);
done:
    return result;
}

sn_result sn_xr_input_read(sn_xr *xr, sn_xr_frame *frame)
{
    const XrActiveActionSet active = {.actionSet = xr->input.set};
    const XrActionsSyncInfo info = {
        .type = XR_TYPE_ACTIONS_SYNC_INFO, .countActiveActionSets = 1, .activeActionSets = &active};
    sn_result result = SN_OK;
    SN_XR(xrSyncActions, xr->session, &info); /* without focus all actions are inactive and hands untracked */
    for (int hand = 0; hand < SN_XR_HAND_COUNT && !result; ++hand) {
        result = read_hand(xr, hand);
    }
    result = result ? result : read_button(xr, SN_XR_RESET, &frame->is_reset);
    result = result ? result : read_button(xr, SN_XR_RECENTRE, &frame->is_recentred);
    memcpy(frame->hands, xr->hands, sizeof frame->hands);
done:
    return result;
}

sn_result sn_xr_vibrate(sn_xr *xr, int hand, double strength, double seconds)
{
    const XrHapticActionInfo info = {
        .type = XR_TYPE_HAPTIC_ACTION_INFO, .action = xr->input.haptic, .subactionPath = xr->input.paths[hand]};
    const XrHapticVibration vibration = {.type = XR_TYPE_HAPTIC_VIBRATION,
                                         .amplitude = (float)strength,
                                         .duration = (XrDuration)(1e9 * seconds),
                                         .frequency = XR_FREQUENCY_UNSPECIFIED};
    sn_result result = SN_OK;
    SN_XR(xrApplyHapticFeedback, xr->session, &info, (const XrHapticBaseHeader *)&vibration);
done:
    return result;
}
