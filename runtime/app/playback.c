/* SPDX-License-Identifier: MIT */
#include "runtime/app/playback.h"

#include "host/base/base.h"
#include "host/base/clock.h"

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
        for (int line = 0; sn_player_help(line); ++line) {
            sn_log(SN_LOG_INFO, "%s", sn_player_help(line));
        }
        tell(title, "the keys are listed in the terminal");
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
