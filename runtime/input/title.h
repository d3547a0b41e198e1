/* SPDX-License-Identifier: MIT */
/* The window's title: what plays, how long it takes, and for some seconds what a key did. */
#ifndef SN_RUNTIME_INPUT_TITLE_H
#define SN_RUNTIME_INPUT_TITLE_H

#include <stdarg.h>
#include <stdbool.h>

typedef struct sn_title {
    double solver_seconds, drawing_ms; /* sums since the last update: add to these */
    int frame_count;
    double update_time, message_end;
    bool is_due; /* a message is new */
    char message[256], text[704];
} sn_title;

/* `now` is of sn_now. */
void sn_title_tell(sn_title *title, double now, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* The message, for as long as it is to be seen; else null. */
const char *sn_title_message(const sn_title *title, double now);

/* The new text, a few times a second and after a message; else null. Allocates nothing. */
const char *sn_title_update(sn_title *title, double now, const char *model, const char *motion, bool is_paused);

#endif
