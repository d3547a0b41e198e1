/* SPDX-License-Identifier: MIT */
/* A run that is ended from outside, by SIGINT, SIGTERM or SIGHUP, finishes its frame and keeps what it has written of
 * itself. */
#ifndef SN_RUNTIME_WINDOW_INTERRUPT_H
#define SN_RUNTIME_WINDOW_INTERRUPT_H

#include <stdbool.h>

/* From now on the first of these signals is asked for by sn_interrupt_is_asked, and the next of its kind ends the
 * program at once, as without this. Those that the program was started to ignore stay ignored. */
void sn_interrupt_catch(void);
/* Whether there was one. The loops of frames, without a window and of windows (sn_window_is_closing), end then. */
bool sn_interrupt_is_asked(void);

#endif
