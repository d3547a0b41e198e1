/* SPDX-License-Identifier: MIT */
/* Signals that end a program end its run instead, once each. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/input/interrupt.h"

/* How a child ends that gets a signal so often; it exits with 3 where that was asked for, 4 where it was not. */
static int status_after(int number, int times, bool is_ignored)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(number, is_ignored ? SIG_IGN : SIG_DFL);
        sn_interrupt_install();
        for (int i = 0; i < times; ++i) {
            raise(number);
        }
        _exit(sn_interrupt_is_requested(1, 0) ? 3 : 4);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_signals(void **unused)
{
    (void)unused;
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; ++i) {
        int status = status_after(numbers[i], 0, false);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 4);
        status = status_after(numbers[i], 1, false);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
        status = status_after(numbers[i], 2, false); /* whoever asks twice does not wait */
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i]);
        status = status_after(numbers[i], 2, true); /* nohup */
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 4);
    }
}

int test_interrupt(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_signals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
