/* SPDX-License-Identifier: MIT */
/* Paths, actions and hands. */
#include <stdio.h>
#include <string.h>

#include "tests/support/fake_xr/private.h"

XrResult fake_xrStringToPath(XrInstance instance, const char *text, XrPath *path)
{
    FAKE_RULE(instance == FAKE_INSTANCE && text[0] == '/', "no path: %s", text);
    for (int i = 0; i < fake.path_count; ++i) {
        if (strcmp(fake.paths[i], text) == 0) {
            *path = (XrPath)i + 1;
            return XR_SUCCESS;
        }
    }
    FAKE_RULE(fake.path_count < FAKE_PATHS, "too many paths");
    snprintf(fake.paths[fake.path_count], sizeof fake.paths[0], "%s", text);
    *path = (XrPath)++fake.path_count;
    return XR_SUCCESS;
}

static const char *text_of(XrPath path)
{
    return path > 0 && path <= (XrPath)fake.path_count ? fake.paths[path - 1] : "";
}

int fake_hand_of(XrPath path)
{
    return strcmp(text_of(path), "/user/hand/left") == 0 ? 0 : strcmp(text_of(path), "/user/hand/right") == 0 ? 1 : -1;
}

fake_action *fake_find_action(XrAction action)
{
    for (int i = 0; i < fake.action_count; ++i) {
        if (action == FAKE_ACTION(i)) {
            return &fake.actions[i];
        }
    }
    return NULL;
}

XrResult fake_xrCreateActionSet(XrInstance instance, const XrActionSetCreateInfo *info, XrActionSet *set)
{
    FAKE_RULE(instance == FAKE_INSTANCE && info->type == XR_TYPE_ACTION_SET_CREATE_INFO && info->actionSetName[0] &&
                  info->localizedActionSetName[0] && !fake.is_set,
              "an action set without a name, or a second one");
    fake.is_set = true;
    ++fake.told.live_count;
    *set = FAKE_SET;
    return XR_SUCCESS;
}

XrResult fake_xrDestroyActionSet(XrActionSet set)
{
    FAKE_RULE(set == FAKE_SET && fake.is_set, "no such action set is destroyed");
    fake.is_set = fake.is_attached = false;
    fake.action_count = 0;
    --fake.told.live_count;
    return XR_SUCCESS;
}

XrResult fake_xrCreateAction(XrActionSet set, const XrActionCreateInfo *info, XrAction *action)
{
    FAKE_RULE(set == FAKE_SET && fake.is_set && !fake.is_attached, "an action of no set, or of an attached one");
    FAKE_RULE(info->type == XR_TYPE_ACTION_CREATE_INFO && info->actionName[0] && info->localizedActionName[0],
              "an action without a name");
    FAKE_RULE(info->countSubactionPaths == 2 && fake_hand_of(info->subactionPaths[0]) == 0 &&
                  fake_hand_of(info->subactionPaths[1]) == 1,
              "an action of other than two hands");
    FAKE_RULE(fake.action_count < FAKE_ACTIONS, "too many actions");
    fake_action *made = &fake.actions[fake.action_count];
    *made = (fake_action){.type = info->actionType};
    snprintf(made->name, sizeof made->name, "%s", info->actionName);
    *action = FAKE_ACTION(fake.action_count++);
    return XR_SUCCESS;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), rest = strlen(end);
    return length >= rest && strcmp(text + length - rest, end) == 0;
}

/* Poses are bound to poses, what shakes to haptics. */
static XrResult check_binding(const XrActionSuggestedBinding *binding)
{
    const fake_action *action = fake_find_action(binding->action);
    const char *path = text_of(binding->binding);
    FAKE_RULE(action && (strncmp(path, "/user/hand/left/", 16) == 0 || strncmp(path, "/user/hand/right/", 17) == 0),
              "no action, or no hand's path: %s", path);
    FAKE_RULE((action->type == XR_ACTION_TYPE_POSE_INPUT) == ends_with(path, "/pose") &&
                  (action->type == XR_ACTION_TYPE_VIBRATION_OUTPUT) == ends_with(path, "/output/haptic"),
              "%s is bound to %s", action->name, path);
    return XR_SUCCESS;
}

XrResult fake_xrSuggestInteractionProfileBindings(XrInstance instance,
                                                  const XrInteractionProfileSuggestedBinding *suggestion)
{
    FAKE_RULE(instance == FAKE_INSTANCE && suggestion->type == XR_TYPE_INTERACTION_PROFILE_SUGGESTED_BINDING &&
                  strncmp(text_of(suggestion->interactionProfile), "/interaction_profiles/", 22) == 0,
              "bindings of no profile");
    FAKE_RULE(!fake.is_attached, "bindings after the actions are attached");
    for (uint32_t i = 0; i < suggestion->countSuggestedBindings; ++i) {
        const XrResult result = check_binding(&suggestion->suggestedBindings[i]);
        if (XR_FAILED(result)) {
            return result;
        }
    }
    ++fake.suggestion_count;
    /* one that this runtime does not know */
    return ends_with(text_of(suggestion->interactionProfile), "motion_controller") ? XR_ERROR_PATH_UNSUPPORTED
                                                                                   : XR_SUCCESS;
}

XrResult fake_xrAttachSessionActionSets(XrSession session, const XrSessionActionSetsAttachInfo *info)
{
    const XrResult checked = fake_check_session(session);
    FAKE_RULE(info->type == XR_TYPE_SESSION_ACTION_SETS_ATTACH_INFO && info->countActionSets == 1 &&
                  info->actionSets[0] == FAKE_SET && !fake.is_attached,
              "another set is attached, or twice");
    FAKE_RULE(fake.suggestion_count > 0, "actions are attached that are bound to nothing");
    fake.is_attached = true;
    return checked;
}

static bool is_button_held(const fake_action *action)
{
    bool is_held = false;
    for (int hand = 0; hand < SN_FAKE_HANDS; ++hand) {
        const sn_fake_hand *h = &fake.told.hands[hand];
        is_held = is_held || (strcmp(action->name, "reset") == 0 ? h->is_reset : h->is_recentre);
    }
    return is_held;
}

XrResult fake_xrSyncActions(XrSession session, const XrActionsSyncInfo *info)
{
    const XrResult checked = fake_check_session(session);
    if (XR_FAILED(checked)) {
        return checked;
    }
    FAKE_RULE(info->type == XR_TYPE_ACTIONS_SYNC_INFO && info->countActiveActionSets == 1 &&
                  info->activeActionSets[0].actionSet == FAKE_SET && fake.is_attached,
              "actions that are not attached are synchronized");
    fake.is_synced = fake.state == XR_SESSION_STATE_FOCUSED;
    for (int i = 0; i < fake.action_count; ++i) {
        fake_action *action = &fake.actions[i];
        action->was_pressed = action->is_pressed;
        action->is_pressed = fake.is_synced && action->type == XR_ACTION_TYPE_BOOLEAN_INPUT && is_button_held(action);
    }
    return fake.is_synced ? XR_SUCCESS : XR_SESSION_NOT_FOCUSED;
}

XrResult fake_xrGetActionStateFloat(XrSession session, const XrActionStateGetInfo *info, XrActionStateFloat *state)
{
    const XrResult checked = fake_check_session(session);
    const fake_action *action = fake_find_action(info->action);
    FAKE_RULE(info->type == XR_TYPE_ACTION_STATE_GET_INFO && state->type == XR_TYPE_ACTION_STATE_FLOAT && action &&
                  action->type == XR_ACTION_TYPE_FLOAT_INPUT && fake_hand_of(info->subactionPath) >= 0,
              "the state of no trigger");
    state->isActive = fake.is_synced;
    state->currentState = fake.is_synced ? fake.told.hands[fake_hand_of(info->subactionPath)].trigger : 0;
    return checked;
}

XrResult fake_xrGetActionStateBoolean(XrSession session, const XrActionStateGetInfo *info, XrActionStateBoolean *state)
{
    const XrResult checked = fake_check_session(session);
    const fake_action *action = fake_find_action(info->action);
    FAKE_RULE(info->type == XR_TYPE_ACTION_STATE_GET_INFO && state->type == XR_TYPE_ACTION_STATE_BOOLEAN && action &&
                  action->type == XR_ACTION_TYPE_BOOLEAN_INPUT,
              "the state of no button");
    state->isActive = fake.is_synced;
    state->currentState = action->is_pressed;
    state->changedSinceLastSync = action->is_pressed != action->was_pressed;
    return checked;
}

XrResult fake_xrApplyHapticFeedback(XrSession session, const XrHapticActionInfo *info,
                                    const XrHapticBaseHeader *feedback)
{
    const XrResult checked = fake_check_session(session);
    const fake_action *action = fake_find_action(info->action);
    const XrHapticVibration *vibration = (const XrHapticVibration *)feedback;
    const int hand = fake_hand_of(info->subactionPath);
    FAKE_RULE(info->type == XR_TYPE_HAPTIC_ACTION_INFO && action && action->type == XR_ACTION_TYPE_VIBRATION_OUTPUT &&
                  hand >= 0 && vibration->type == XR_TYPE_HAPTIC_VIBRATION,
              "nothing that shakes");
    FAKE_RULE(vibration->amplitude >= 0 && vibration->amplitude <= 1 && vibration->duration > 0, "an amplitude of %g",
              (double)vibration->amplitude);
    ++fake.told.shake_count[hand];
    fake.told.shake_most[hand] =
        vibration->amplitude > fake.told.shake_most[hand] ? vibration->amplitude : fake.told.shake_most[hand];
    return checked;
}
