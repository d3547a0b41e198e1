/* SPDX-License-Identifier: MIT */
#include "runtime/input/title.h"

#include <stddef.h>
#include <stdio.h>

#define UPDATE_SECONDS 0.25
#define MESSAGE_SECONDS 4.0

void sn_title_set_message(sn_title *title, double now, const char *format, va_list arguments)
{
    vsnprintf(title->message, sizeof title->message, format, arguments);
    title->message_end = now + MESSAGE_SECONDS;
    title->has_new_message = true;
}

const char *sn_title_message(const sn_title *title, double now)
{
    return now < title->message_end ? title->message : NULL;
}

const char *sn_title_update(sn_title *title, double now, const char *model, const char *motion, bool is_paused)
{
    const double seconds = now - title->update_time, count = title->frame_count > 0 ? title->frame_count : 1;
    const bool is_first = title->update_time <= 0, has_message = now < title->message_end;
    if (seconds < UPDATE_SECONDS && !title->has_new_message) {
        return NULL;
    }
    snprintf(title->text, sizeof title->text, "%s - %s - solver %.2f ms, GPU %.1f ms, %.0f fps%s%s%s", model, motion,
             1e3 * title->solver_seconds / count, title->drawing_ms / count,
             is_first ? 0 : title->frame_count / seconds, is_paused ? " - paused" : "", has_message ? " - " : "",
             has_message ? title->message : "");
    title->update_time = now;
    title->has_new_message = false;
    title->solver_seconds = title->drawing_ms = 0;
    title->frame_count = 0;
    return title->text;
}
