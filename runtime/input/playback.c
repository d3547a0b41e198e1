/* SPDX-License-Identifier: MIT */
#include "runtime/input/playback.h"

#include "host/base/clock.h"

#define HELP_LIMIT 64 /* lines */
#define MARGIN 18.0F  /* units */

__attribute__((format(printf, 2, 3))) static void tell(sn_title *title, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_title_tell(title, sn_now(), format, arguments);
    va_end(arguments);
}

bool sn_playback_obey(sn_playback *playback, sn_title *title, sn_player_action action)
{
    switch (action) {
    case SN_PLAYER_QUIT:
        playback->is_quitting = true;
        return true;
    case SN_PLAYER_HELP:
        playback->is_help_shown = !playback->is_help_shown;
        tell(title, "%s", playback->is_help_shown ? "F1: hide keys" : "F1: keys");
        return true;
    case SN_PLAYER_PAUSE:
        playback->is_paused = !playback->is_paused;
        tell(title, "%s", playback->is_paused ? "paused" : "playing");
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

void sn_playback_mark(const sn_playback *playback, const sn_title *title, sn_mark_list *list)
{
    const char *lines[HELP_LIMIT], *message = sn_title_message(title, sn_now());
    int count = 0;
    while (playback->is_help_shown && count < HELP_LIMIT && sn_player_help(count)) {
        lines[count] = sn_player_help(count);
        ++count;
    }
    if (count > 0) {
        sn_mark_lines(list, lines, count, (sn_text_place){MARGIN, MARGIN, false});
    }
    if (message && *message) {
        sn_mark_lines(list, &message, 1, (sn_text_place){MARGIN, MARGIN + SN_TEXT_HEIGHT, true});
    }
}
