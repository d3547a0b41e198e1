/* SPDX-License-Identifier: MIT */
/* A run that is ended from outside, by SIGINT, SIGTERM or SIGHUP, finishes its frame and keeps what it has written of
 * itself. */
#ifndef SN_RUNTIME_INPUT_INTERRUPT_H
#define SN_RUNTIME_INPUT_INTERRUPT_H

#include <stdbool.h>

/* From now on the first of these signals is asked for by sn_interrupt_ends, and the next of its kind ends the program
 * at once, as without this. Those that the program was started to ignore stay ignored. For the whole program: the
 * verbs' to call, where something is kept of a run. */
void sn_interrupt_catch(void);
/* Whether there was one. The loops of frames, without a window, of windows and of headsets, end then, after `done`
 * frames of `count` (0: of any number); a note says so, the first time. */
bool sn_interrupt_ends(int done, int count);
/* What it ended is done with, and something else begins, which another signal ends. */
void sn_interrupt_forget(void);

#endif
