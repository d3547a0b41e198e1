/* SPDX-License-Identifier: MIT */
#include "runtime/input/playback.h"

#include "host/platform/platform.h"

#define HELP_LIMIT 64 /* lines */
#define MARGIN 18.0F  /* units */

__attribute__((format(printf, 2, 3))) static void show_message(sn_title *title, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_title_set_message(title, sn_now(), format, arguments);
    va_end(arguments);
}

bool sn_playback_execute(sn_playback *playback, sn_title *title, sn_player_action action)
{
    switch (action) {
    case SN_PLAYER_QUIT:
        playback->is_quit_requested = true;
        return true;
    case SN_PLAYER_HELP:
        playback->is_help_visible = !playback->is_help_visible;
        show_message(title, "%s", playback->is_help_visible ? "F1: hide keys" : "F1: keys");
        return true;
    case SN_PLAYER_PAUSE:
        playback->is_paused = !playback->is_paused;
        show_message(title, "%s", playback->is_paused ? "paused" : "playing");
        return true;
    case SN_PLAYER_STEP:
        playback->is_paused = playback->is_step_due = true;
        return true;
    default:
        return false;
    }
}

double sn_playback_seconds(sn_playback *playback, double passed, double time_step)
{
    const double seconds = playback->is_step_due ? time_step : playback->is_paused ? 0 : passed;
    playback->is_step_due = false;
    return seconds;
}

void sn_playback_add_markers(const sn_playback *playback, const sn_title *title, sn_marker_list *list)
{
    const char *lines[HELP_LIMIT], *message = sn_title_message(title, sn_now());
    int count = 0;
    while (playback->is_help_visible && count < HELP_LIMIT && sn_player_help_line(count)) {
        lines[count] = sn_player_help_line(count);
        ++count;
    }
    if (count > 0) {
        sn_marker_add_lines(list, lines, count, (sn_text_position){MARGIN, MARGIN, false});
    }
    if (message && *message) {
        sn_marker_add_lines(list, &message, 1, (sn_text_position){MARGIN, MARGIN + SN_TEXT_HEIGHT, true});
    }
}
