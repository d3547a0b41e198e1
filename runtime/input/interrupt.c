/* SPDX-License-Identifier: MIT */
#include "runtime/input/interrupt.h"

#include <signal.h>
#include <stddef.h>

#include "host/base/base.h"

static volatile sig_atomic_t is_requested;
static bool is_reported;

static void handle_signal(int number)
{
    (void)number;
    is_requested = 1;
}

/* SA_RESTART resumes interrupted reads and writes, but not a frame that sleeps until its time. */
void sn_interrupt_install(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = handle_signal}, previous;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) {
        if (sigaction(signals[i], NULL, &previous) == 0 && previous.sa_handler != SIG_IGN) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

bool sn_interrupt_is_requested(int done, int count)
{
    if (is_requested && !is_reported) {
        is_reported = true;
        if (count > 0) {
            sn_log(SN_LOG_INFO, "ended by a signal after %d of %d frames", done, count);
        } else {
            sn_log(SN_LOG_INFO, "ended by a signal after %d frames", done);
        }
    }
    return is_requested != 0;
}
