/* SPDX-License-Identifier: MIT */
#include "runtime/input/interrupt.h"

#include <signal.h>
#include <stddef.h>

#include "host/base/base.h"

static volatile sig_atomic_t is_asked;
static bool is_told;

static void ask(int number)
{
    (void)number;
    is_asked = 1;
}

/* SA_RESTART resumes interrupted reads and writes, but not a frame that sleeps until its time. */
void sn_interrupt_catch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = ask}, before;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(numbers[i], &action, NULL);
        }
    }
}

bool sn_interrupt_ends(int done, int count)
{
    if (is_asked && !is_told) {
        is_told = true;
        if (count > 0) {
            sn_log(SN_LOG_INFO, "ended by a signal after %d of %d frames", done, count);
        } else {
            sn_log(SN_LOG_INFO, "ended by a signal after %d frames", done);
        }
    }
    return is_asked != 0;
}

void sn_interrupt_forget(void)
{
    is_asked = 0;
    is_told = false;
}
