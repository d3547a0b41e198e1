/* SPDX-License-Identifier: MIT */
/* An X server without a screen (Xvfb) for tests of windows. It ends with the test, whatever way that ends.
 * Include it after cmocka.h. */
#ifndef SN_TESTS_SUPPORT_VIRTUAL_DISPLAY_H
#define SN_TESTS_SUPPORT_VIRTUAL_DISPLAY_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static inline void sn_test_run_display(int display_pipe, pid_t parent)
{
    char number[16];
    const int quiet = open("/dev/null", O_RDWR);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) {
        _exit(1);
    }
    snprintf(number, sizeof number, "%d", display_pipe);
    dup2(quiet, STDOUT_FILENO);
    dup2(quiet, STDERR_FILENO);
    execlp("Xvfb", "Xvfb", "-displayfd", number, "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset",
           (char *)NULL);
    _exit(127);
}

/* Sets DISPLAY; 0 where there is no Xvfb. */
static inline pid_t sn_test_open_display(void)
{
    int ends[2];
    char display[32] = ":";
    if (pipe(ends) != 0) {
        return 0;
    }
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        close(ends[0]);
        sn_test_run_display(ends[1], parent);
    }
    close(ends[1]);
    size_t length = 1;
    ssize_t count = 1;
    while (child > 0 && length < sizeof display - 1 && count > 0 &&
           !strchr(display, '\n')) { /* the number, a newline */
        count = read(ends[0], display + length, sizeof display - 1 - length);
        length += count > 0 ? (size_t)count : 0;
    }
    close(ends[0]);
    display[strcspn(display, "\n")] = 0;
    if (child <= 0 || length == 1) {
        if (child > 0) {
            waitpid(child, NULL, 0);
        }
        return 0;
    }
    setenv("DISPLAY", display, 1);
    unsetenv("WAYLAND_DISPLAY");
    return child;
}

static inline void sn_test_close_display(pid_t display)
{
    kill(display, SIGTERM);
    waitpid(display, NULL, 0);
}

/* Under a display of their own; skipped where there is none. */
static inline int sn_test_run_under_display(const struct CMUnitTest *tests, size_t count)
{
    const pid_t display = sn_test_open_display();
    if (!display) {
        print_message("skipped: there is no Xvfb (the package xvfb)\n");
        return 77;
    }
    const int failures = _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
    sn_test_close_display(display);
    return failures;
}

#define SN_TEST_RUN_UNDER_DISPLAY(tests) sn_test_run_under_display(tests, sizeof(tests) / sizeof *(tests))

#endif
