/* SPDX-License-Identifier: MIT */
/* Graceful end of a run by SIGINT, SIGTERM or SIGHUP: the current frame is finished and all output is completed. */
#ifndef SN_RUNTIME_INPUT_INTERRUPT_H
#define SN_RUNTIME_INPUT_INTERRUPT_H

#include <stdbool.h>

/* Installs the handlers for the whole program. The first signal is reported by sn_interrupt_is_requested; the next of
 * its kind ends the program at once. Signals that the program was started to ignore stay ignored. Verbs that keep
 * output of a run call this. */
void sn_interrupt_install(void);
/* True after a signal. The frame loops of all frontends poll it, with `done` of `count` frames finished (0: no limit),
 * and then stop. Logs a note the first time. */
bool sn_interrupt_is_requested(int done, int count);

#endif
