/* SPDX-License-Identifier: MIT */
#include "runtime/window/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t is_asked;

static void ask(int number)
{
    (void)number;
    is_asked = 1;
}

/* What is being read or written goes on (SA_RESTART); a frame that sleeps until its time has come does not. */
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

bool sn_interrupt_is_asked(void)
{
    return is_asked != 0;
}
