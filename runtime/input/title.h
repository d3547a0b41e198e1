/* SPDX-License-Identifier: MIT */
/* The window's title: model, motion, timings, and for some seconds the last message. */
#ifndef SN_RUNTIME_INPUT_TITLE_H
#define SN_RUNTIME_INPUT_TITLE_H

#include <stdarg.h>
#include <stdbool.h>

typedef struct sn_title {
    double solver_seconds, drawing_ms; /* accumulated since the last update; the caller adds to them */
    int frame_count;
    double update_time, message_end;
    bool has_new_message; /* there is a new message */
    char message[256], text[704];
} sn_title;

/* Sets the message. `now` is a time of sn_now. */
void sn_title_set_message(sn_title *title, double now, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* The message while it is displayed; else null. */
const char *sn_title_message(const sn_title *title, double now);

/* The new title text every 0.25 s and after a message; else null. Allocates nothing. */
const char *sn_title_update(sn_title *title, double now, const char *model, const char *motion, bool is_paused);

#endif
